// SPDX-License-Identifier: MIT
// lull printf run: a compute shader on a Vulkan device, and what it prints.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "cli/opt/args.h"
#include "cli/opt/command.h"
#include "cli/printf/cc_spirv.h"
#include "cli/printf/printf.h"
#include "cli/printf/watched.h"
#include "cli/vulkan/vk_options.h"

enum {
    DEFAULT_BYTES = 1 << 20,
    MAX_BYTES = 1 << 30,
    STUCK_MS = 5000,  ///< Behind --timeout: a driver that does not come back.
    START_MS = 60000, ///< A driver that is loaded, and compiles.
    GRACE_MS = 10000, ///< The virtual driver's own time-out comes first; its log says so.
    NS_PER_MS = 1000000,
    STORAGE_BYTES = 65536, ///< Of a buffer that nobody bound.
    UNIFORM_BYTES = 16384, ///< The range that each device has.
    MOST_ELEMENTS = 64,
};

struct run {
    struct lull_vk_options vk;
    struct lull_spirv_printf_options how;
    bool placed;    ///< The user has said where the buffer is.
    uint32_t bytes; ///< Of the buffer.
    struct lull_printf_table *table;
    struct lull_spirv_printf_result lowered;
    struct lull_vk_module *before; ///< As the shader was read.
    struct lull_str out, problems;
    struct lull_printf_lines lines;
    struct lull_json json;
    struct lull_watched watched;
};

LULL_MUST_USE static struct lull_error *buffer_size(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct run *r = base;
    uint64_t v = 0;
    struct lull_error *err =
        lull_opt_number(o->name, value, LULL_PRINTF_HEADER_BYTES, MAX_BYTES, &v);
    r->bytes = (uint32_t)v;
    return err != NULL || v % 4 == 0
               ? err
               : lull_error_new(LULL_ERR_INVALID, "%s: %s is not a multiple of 4", o->name, value);
}

LULL_MUST_USE static struct lull_error *out(void *base, const struct lull_opt *o, const char *value)
{
    return lull_vk_options_out(&((struct run *)base)->vk, o, value);
}

static const struct lull_opt opts[] = {
    {"--device", NULL, "NAME",
     "part of a Vulkan device's name, or lull for lull's virtual GPU; if not given, the first of "
     "the Vulkan loader",
     LULL_OPT_TEXT, LULL_OPT_AT(struct run, vk.device)},
    {"--buffer-size", NULL, "N", "bytes of the printf buffer; 1048576 if not given", LULL_OPT_CALL,
     .call = buffer_size},
    {"--out", "--dump", "PLACE=FILE", "write S.B, S.B[I] or a named buffer when done",
     LULL_OPT_CALL, .call = out, .flags = LULL_OPT_MANY},
    {"--vulkan-device", NULL, "NAME", NULL, LULL_OPT_TEXT, LULL_OPT_AT(struct run, vk.device),
     .flags = LULL_OPT_HIDDEN},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_printf_spirv_opts, offsetof(struct run, how)},
    {NULL, lull_vk_work_opts, offsetof(struct run, vk)},
    {NULL, lull_vk_any_opts, offsetof(struct run, vk)},
    {NULL, lull_vk_shader_opts, offsetof(struct run, vk)},
    {0},
};

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, struct run *r, int argc,
                                              char **argv)
{
    struct lull_opts o = {.form = form, .base = r};
    struct lull_error *err = lull_opts_parse(&o, argc, argv);
    r->placed = lull_opts_given(&o, "--printf-set") || lull_opts_given(&o, "--printf-binding");
    return err != NULL || r->how.place == LULL_SPIRV_PRINTF_BINDING
               ? err
               : lull_error_new(LULL_ERR_INVALID, "--printf-address: here the buffer is a binding");
}

/** The first binding of the set that the shader leaves free, unless the user has chosen. */
static void choose_binding(struct run *r)
{
    const struct lull_vk_module *m = r->vk.module;
    if (r->vk.c.push_set == (int)r->how.set && !r->placed) {
        r->how.set--;
    }
    for (size_t i = 0; !r->placed && i < m->nvars; i++) { // in the order of set and binding
        if (m->vars[i].set == r->how.set && m->vars[i].binding == r->how.binding) {
            r->how.binding++;
        }
    }
}

static bool is_bound(const struct lull_vk_args *a, const struct lull_vk_var *v)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct lull_vk_resource *r = &a->resources[i];
        if (r->bound && r->set == v->set && r->binding == v->binding) {
            return true;
        }
    }
    return false;
}

/** Buffers that the command line leaves out are zeros: lines are wanted, not results. */
LULL_MUST_USE static struct lull_error *bind_rest(struct run *r)
{
    const struct lull_vk_module *m = r->vk.module;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < m->nvars; i++) {
        const struct lull_vk_var *v = &m->vars[i];
        const bool storage = v->class == LULL_VK_STORAGE_BUFFER;
        const uint32_t count = v->count != 0 ? v->count : 1;
        if ((!storage && v->class != LULL_VK_UNIFORM_BUFFER) || count > MOST_ELEMENTS ||
            is_bound(&r->vk.args, v)) {
            continue;
        }
        const uint64_t least = storage ? STORAGE_BYTES : UNIFORM_BYTES;
        const uint64_t bytes = v->min_bytes > least ? v->min_bytes : least;
        for (uint32_t k = 0; err == NULL && k < count; k++) {
            char text[96] = "";
            char element[16] = "";
            if (count > 1) {
                snprintf(element, sizeof element, "[%u]", k);
            }
            snprintf(text, sizeof text, "%u.%u%s=zeros:%" PRIu64, v->set, v->binding, element,
                     bytes);
            err = lull_vk_args_bind(&r->vk.args, text);
        }
        lull_str_addf(&r->problems,
                      "lull printf: binding %u.%u (%s) is not bound: zeros, %" PRIu64 " bytes\n",
                      v->set, v->binding, v->name, bytes);
    }
    return err;
}

/** The shader with its printf lowered, in place of the one that was read. */
LULL_MUST_USE static struct lull_error *lower(struct run *r)
{
    struct lull_vk_options *o = &r->vk;
    choose_binding(r);
    struct lull_error *err = bind_rest(r);
    if (err == NULL) {
        err = lull_printf_table_new(&r->table);
    }
    if (err == NULL) {
        err = lull_printf_lower(o->name, o->spirv, o->spirv_bytes, &r->how, r->table, &r->lowered);
    }
    if (err != NULL || r->lowered.words == NULL) {
        return err;
    }
    struct lull_vk_module *m = NULL;
    err = lull_vk_module_parse(r->lowered.words, 4 * r->lowered.nwords, &m);
    if (err == NULL) {
        char text[64] = "";
        snprintf(text, sizeof text, "%u.%u=zeros:%u", r->how.set, r->how.binding, r->bytes);
        err = lull_vk_args_bind(&o->args, text);
        o->c.module = m;
        r->before = o->module; // names point into it
        o->module = m;
    }
    o->c.spirv = r->lowered.words;
    o->c.spirv_bytes = 4 * r->lowered.nwords;
    o->c.resources = o->args.resources;
    o->c.nresources = o->args.n;
    return err;
}

LULL_MUST_USE static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct run *r = arg;
    if (r->vk.json) {
        lull_cli_printf_json(e, &r->json);
    } else {
        lull_cli_printf_line(&r->lines, e, &r->out, &r->problems);
    }
    return NULL;
}

/** The buffer's entries; *@p status is set. @p live: entries may be on their way. */
LULL_MUST_USE static struct lull_error *decode(struct run *r, bool live, int *status)
{
    char place[32] = "";
    snprintf(place, sizeof place, "%u.%u", r->how.set, r->how.binding);
    const struct lull_vk_resource *b =
        r->lowered.words != NULL ? lull_vk_args_find(&r->vk.args, place) : NULL;
    struct lull_printf_decoder d = {0};
    r->lines = (struct lull_printf_lines){.name = r->vk.name, .raw = true};
    if (r->vk.json) {
        lull_json_key(&r->json, "entries");
        lull_json_open(&r->json, '[');
    }
    struct lull_error *err =
        b != NULL ? lull_printf_decode(&d, r->table, b->bytes, b->size, live, on_event, r) : NULL;
    lull_cli_printf_rest(&r->lines, &r->problems);
    if (r->vk.json) {
        lull_json_close(&r->json, ']');
        lull_json_put_u64(&r->json, "printed", d.entries);
        lull_json_put_u64(&r->json, "problems", d.problems);
    }
    if (d.problems != 0) {
        *status = LULL_EXIT_FINDINGS;
    }
    return err;
}

/** What the run gave and what the shader printed. */
LULL_MUST_USE static struct lull_error *tell(struct run *r, const char *device,
                                             const struct lull_vk_result *result, int *status)
{
    static const char *const ends[] = {
        [LULL_VK_DONE] = "done", [LULL_VK_LOST] = "device-lost", [LULL_VK_HANG] = "hang"};
    struct lull_error *err = NULL;
    *status = result->end == LULL_VK_HANG   ? LULL_EXIT_TIMEOUT
              : result->end == LULL_VK_LOST ? LULL_EXIT_FINDINGS
                                            : LULL_EXIT_CLEAN;
    r->json.out = &r->out;
    if (r->vk.json) {
        lull_json_open(&r->json, '{');
        lull_json_put_str(&r->json, "result", ends[result->end]);
        lull_json_put_str(&r->json, "device", device);
        lull_json_put_u64(&r->json, "ns", result->ns);
    }
    int found = LULL_EXIT_CLEAN;
    err = decode(r, result->end != LULL_VK_DONE, &found);
    *status = *status == LULL_EXIT_CLEAN ? found : *status;
    if (result->end != LULL_VK_DONE && !r->vk.json) {
        lull_str_addf(&r->problems,
                      "lull printf: %s: '%s'; the lines above were printed until then\n",
                      ends[result->end], device);
    }
    if (r->vk.json) {
        lull_json_close(&r->json, '}');
        lull_str_add(&r->out, "\n", 1);
    }
    err = err != NULL ? err : r->out.err;
    err = err != NULL ? err : r->problems.err;
    if (err == NULL) {
        fwrite(lull_str_text(&r->out), 1, r->out.size, stdout);
        fflush(stdout);
        fwrite(lull_str_text(&r->problems), 1, r->problems.size, stderr);
    }
    return err;
}

/** Has somebody sent SIGTERM? Then the lines of before are printed at the end. */
static bool is_stopped(void *arg)
{
    const struct run *r = arg;
    const struct timespec now = {0};
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    lull_watched_beat(&r->watched);
    return sigtimedwait(&term, NULL, &now) == SIGTERM;
}

LULL_MUST_USE static struct lull_error *run_on(struct run *r, int *status)
{
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    struct lull_vk_options *o = &r->vk;
    struct lull_vk *vk = NULL;
    struct lull_vk_result result = {0};
    struct lull_error *err = lower(r);
    if (err != NULL || r->lowered.nerrors != 0) {
        *status = LULL_EXIT_FAILED;
        return err;
    }
    if (o->device != NULL && strcmp(o->device, LULL_VK_OWN) == 0) {
        o->c.timeout_ns += (uint64_t)GRACE_MS * NS_PER_MS;
    }
    sigprocmask(SIG_BLOCK, &term, &before); // before there are threads
    o->c.stop = is_stopped;
    o->c.stop_arg = r;
    err = lull_vk_open(o->device, &vk);
    if (err == NULL) {
        err = lull_vk_run(vk, &o->c, &result);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    lull_watched_work(&r->watched);
    for (size_t i = 0; err == NULL && result.end == LULL_VK_DONE && i < o->nouts; i++) {
        const struct lull_vk_resource *b = lull_vk_args_find(&o->args, o->outs[i].place);
        err = lull_output_write(o->outs[i].text, b->bytes, b->size);
    }
    if (err == NULL) {
        err = tell(r, lull_vk_name(vk), &result, status);
    }
    if (err == NULL) {
        lull_watched_told(&r->watched, *status);
    }
    lull_vk_close(vk);
    return err;
}

/** The driver did not come back, and neither did what it had of the lines. */
static void tell_stuck(const struct run *r, int *status)
{
    *status = LULL_EXIT_TIMEOUT;
    fprintf(stderr,
            "lull printf: the driver did not come back from a wait; its process, %d, is ended, and "
            "what it printed is lost\n",
            r->watched.pid);
    if (r->vk.json) {
        puts("{\"result\":\"stuck\",\"entries\":[],\"printed\":0,\"problems\":0}");
    }
}

/** run_on() in a process that may be given up. Programs on the virtual GPU always come back. */
LULL_MUST_USE static struct lull_error *run_watched(struct run *r, bool virtual, int *status)
{
    const uint64_t wait_ms = r->vk.c.timeout_ns / NS_PER_MS + STUCK_MS;
    struct lull_error *err = virtual ? NULL
                                     : lull_watched_start(START_MS + wait_ms, wait_ms, &r->watched);
    if (err != NULL || !r->watched.parent) {
        return err != NULL ? err : run_on(r, status);
    }
    *status = r->watched.status;
    if (r->watched.stuck) {
        tell_stuck(r, status);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct run r = {
        .how = lull_printf_option_default(), .bytes = DEFAULT_BYTES, .watched = {.sign = -1}};
    r.vk.command[0] = "printf";
    r.vk.command[1] = "run";
    struct lull_error *err = parse(form, &r, argc, argv);
    const bool driver = getenv("LULL_SOCKET") != NULL; // the virtual GPU is there already
    if (err == NULL && r.vk.device == NULL && driver) {
        r.vk.device = LULL_VK_OWN;
    }
    if (err == NULL) {
        err = lull_vk_options_load(&r.vk);
    }
    if (err == NULL) {
        const bool own = r.vk.device != NULL && strcmp(r.vk.device, LULL_VK_OWN) == 0;
        err = own && !driver ? lull_vk_cli_self(form, argc, argv, &r.vk, status)
                             : run_watched(&r, driver, status);
    }
    free(r.lowered.words);
    lull_vk_module_free(r.before);
    lull_printf_table_free(r.table);
    lull_str_free(&r.out);
    lull_str_free(&r.problems);
    lull_vk_options_done(&r.vk);
    return err;
}

const struct lull_form lull_cli_printf_run = {
    .word = "run",
    .about = "run: a Vulkan compute shader (.comp, .glsl, .spv) with debugPrintfEXT on a device, "
             "and what it prints; buffers that no --bind names hold zeros. --timeout is 60000 if "
             "not given, of host time.",
    .groups = groups,
    .after = "  lull printf run shader.comp --groups 2 --printf-record workgroup,lane",
    .run = run,
};
