// SPDX-License-Identifier: MIT
// The code that the driver of either side made of the shader: the debugger runs the same case up to
// the dispatch, and disassembles what lies in memory there.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/gpu.h"
#include "cli/vulkan/diff.h"
#include "compile/run.h"

enum {
    SPARE_ARGUMENTS = 64,
    DISPATCHES = 6, ///< Looked at: drivers have some of their own, for copies.
};

/** Words for the shader's run that are not options of `lull diff` alone. */
static bool passes(const struct lull_opt *o)
{
    static const char *const ours[] = {"--against", "--vulkan-device", "--gpu",    "--tolerance",
                                       "--json",    "--listing",       "--assume", "-D",
                                       "-I"};
    for (size_t i = 0; o != NULL && i < sizeof ours / sizeof ours[0]; i++) {
        if (strcmp(o->name, ours[i]) == 0) {
            return false;
        }
    }
    return true;
}

static const char **debugger(const struct lull_diff *d, int which, const char **args)
{
    static const char *const script[] = {"-batch", "-ex", "catch dispatch", "-ex", "run"};
    const char *gpu = d->device[which];
    *args++ = "debug";
    if (gpu[0] != '\0') {
        *args++ = "--gpu";
        *args++ = gpu;
    }
    struct lull_opt_scan scan = {.form = d->form, .argc = d->argc, .argv = d->argv};
    struct lull_opt_item item = {0};
    while (lull_gpu_is_adreno(gpu) && lull_opt_next(&scan, &item)) {
        for (int i = item.first;
             item.opt != NULL && strcmp(item.opt->name, "--assume") == 0 && i <= item.last; i++) {
            *args++ = d->argv[i];
        }
    }
    for (size_t i = 0; i < sizeof script / sizeof script[0]; i++) {
        *args++ = script[i];
    }
    for (unsigned i = 0; i < DISPATCHES; i++) {
        *args++ = "-ex";
        *args++ = "disassemble $code,4096";
        *args++ = "-ex";
        *args++ = "continue";
    }
    *args++ = "--";
    return args;
}

/** `lull debug ... -- SELF run WORDS`, with the compiled shader at @p spirv. */
LULL_MUST_USE static struct lull_error *run(const struct lull_diff *d, int which, const char *spirv,
                                            const char *log, int *status)
{
    lull_cleanup(lull_freep) char *lull = NULL;
    lull_cleanup(lull_freep) char *self = NULL;
    struct lull_error *err = lull_vk_cli_program(NULL, &lull);
    err = err != NULL ? err : lull_vk_cli_program(d->device[which], &self);
    lull_cleanup(lull_freep) const char **args =
        calloc(2 * (size_t)d->argc + SPARE_ARGUMENTS, sizeof *args);
    if (err != NULL || args == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    args[0] = lull;
    const char **to = debugger(d, which, args + 1);
    *to++ = self;
    *to++ = "run";
    struct lull_opt_scan scan = {.form = d->form, .argc = d->argc, .argv = d->argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        for (int i = item.first; i <= item.last && passes(item.opt); i++) {
            *to++ = d->argv[i] == d->o.path ? spirv : d->argv[i];
        }
    }
    *to++ = "--vulkan-device";
    *to++ = LULL_VK_OWN;
    return lull_run_program(args, d->dir[which], log, status);
}

/** "     0x100005680 <cs_9d4dd65d+0x8>: TEXT" as "  +0x8  TEXT"; other lines are not the shader's.
 */
static void put_line(const char *line, size_t n, struct lull_str *out)
{
    const char *plus = memchr(line, '+', n);
    const char *end = plus != NULL ? memchr(plus, '>', n - (size_t)(plus - line)) : NULL;
    const char *text = end != NULL ? end + 3 : NULL; // behind ">: "
    if (text != NULL && text < line + n) {
        lull_str_addf(out, "  %-7.*s %.*s\n", (int)(end - plus), plus, (int)(line + n - text),
                      text);
    }
}

/** "Dispatch 0 is held: cs_aa6445a9 main, 1x1x1 workgroups of ...": of as many groups as the case
 * has. RADV's own shaders for copies have no name there, and Turnip copies without any. */
static bool is_ours(const struct lull_diff *d, int which, const char *line, size_t n)
{
    static const char held[] = " is held: ";
    const uint32_t *g = d->o.c.groups;
    char groups[64] = "";
    (void)snprintf(groups, sizeof groups, ", %" PRIu32 "x%" PRIu32 "x%" PRIu32 " workgroups of ",
                   g[0], g[1], g[2]);
    const char *code = strstr(line, held), *comma = code != NULL ? strstr(code, groups) : NULL;
    if (comma == NULL || comma >= line + n) {
        return false;
    }
    code += sizeof held - 1;
    return lull_gpu_is_adreno(d->device[which]) ||
           memchr(code, ' ', (size_t)(comma - code)) != NULL;
}

/** What the debugger printed of the case's dispatch. */
static void take_listing(const struct lull_diff *d, int which, const char *text,
                         struct lull_str *out)
{
    bool ours = false;
    for (size_t n = 0; *text != '\0'; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        const bool code = strncmp(text, "     0x", 7) == 0;
        if (ours && code) {
            put_line(text, n, out);
        } else if (ours && out->size != 0) {
            return; // it goes on
        } else if (strncmp(text, "Dispatch ", 9) == 0) {
            ours = is_ours(d, which, text, n);
        }
    }
}

struct lull_error *lull_diff_listing(struct lull_diff *d, int which, struct lull_str *ret)
{
    const char *name = d->device[which][0] != '\0' ? d->device[which] : "gfx1100";
    struct lull_str spirv = {0}, log = {0}, listing = {0};
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    size_t size = 0;
    int status = 0;
    if (!lull_gpu_is_own(name)) {
        lull_str_addf(ret, "%s: no code, because it is not a GPU of lull's\n", name);
        return NULL;
    }
    lull_str_addf(&spirv, "%s/shader.spv", d->dir[which]);
    lull_str_addf(&log, "%s/listing", d->dir[which]);
    struct lull_error *err = spirv.err != NULL ? spirv.err : log.err;
    if (err == NULL) {
        err = lull_run_write(spirv.text, d->o.spirv, d->o.spirv_bytes);
    }
    if (err == NULL) {
        err = run(d, which, spirv.text, log.text, &status);
    }
    if (err == NULL) {
        err = lull_run_read(log.text, &text, &size);
    }
    if (err == NULL) {
        take_listing(d, which, (const char *)text, &listing);
        lull_str_addf(ret, "%s:%s\n%s", name, listing.size != 0 ? "" : " its code was not found",
                      lull_str_text(&listing));
        err = listing.err;
    }
    lull_str_free(&spirv);
    lull_str_free(&log);
    lull_str_free(&listing);
    return err;
}
