// SPDX-License-Identifier: MIT
// lull ir3 run: what the command line says, and the run.
#include "cli/adreno/ir3_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/adreno/ir3_place.h"
#include "cli/adreno/ir3_regs.h"
#include "cli/adreno/ir3_report.h"
#include "cli/adreno/ir3_text.h"
#include "cli/opt/assume.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"
#include "target/adreno/device.h"
#include "vdrm/msm/vdrm.h"

enum { TIMEOUT_MS = 1000, NS_PER_MS = 1000000, MOST_HEADERS = 64, MOST_SETS = 256, QUAD = 4 };

static const char render_node[] = "/dev/dri/renderD128";

struct run {
    const char *file, *shader;
    const struct lull_achip *chip;
    unsigned gen; ///< As in its name: a740 has no gpu_id.
    uint32_t groups[3];
    uint64_t seed, timeout_ms;
    bool json;
    struct lull_ir3_places places;
    const char *headers[MOST_HEADERS]; ///< Of the command line.
    size_t nheaders;
    const char *sets[MOST_SETS];
    size_t nsets;
    struct lull_ir3_regs regs;
    struct lull_ir3_shaders all, chosen, added[MOST_HEADERS];
    struct lull_adreno_kernel kernel;
    struct lull_kernel *k;
    struct lull_check check;
    struct lull_assume assume;
    struct lull_adreno_device *device;
};

LULL_MUST_USE static struct lull_error *gpu(void *base, const struct lull_opt *o, const char *value)
{
    struct run *r = base;
    char name[8] = "";
    snprintf(name, sizeof name, "%s%s", *value == 'a' ? "" : "a", value); // 630, as asm has it
    r->chip = lull_vdm_chip(name);
    r->gen = (unsigned)strtoul(name + 1, NULL, 10);
    return r->chip != NULL
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not one of a630, a660 and a740",
                                o->name, value);
}

LULL_MUST_USE static struct lull_error *groups(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct run *r = base;
    return lull_options_triple(o->name, value, r->groups);
}

LULL_MUST_USE static struct lull_error *checks(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct run *r = base;
    (void)o;
    return lull_check_want(&r->check, value);
}

LULL_MUST_USE static struct lull_error *header(void *base, const struct lull_opt *o,
                                               const char *value)
{
    struct run *r = base;
    if (r->nheaders == MOST_HEADERS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, MOST_HEADERS);
    }
    r->headers[r->nheaders++] = value;
    return NULL;
}

LULL_MUST_USE static struct lull_error *set(void *base, const struct lull_opt *o, const char *value)
{
    struct run *r = base;
    if (r->nsets == MOST_SETS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, MOST_SETS);
    }
    r->sets[r->nsets++] = value;
    return NULL;
}

LULL_MUST_USE static struct lull_error *place(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct run *r = base;
    return strcmp(o->name, "--out") == 0
               ? lull_ir3_places_out(&r->places, o->name, value)
               : lull_ir3_places_content(&r->places, o->name, value,
                                         strcmp(o->name, "--memory") == 0);
}

static const struct lull_opt opts[] = {
    {"--gpu", NULL, "NAME", "a630 (default), a660 or a740", LULL_OPT_CALL, .call = gpu},
    {"--groups", NULL, "X[,Y[,Z]]", "workgroups; one if not given", LULL_OPT_CALL, .call = groups},
    {"--shader", NULL, "S",
     "of a file with many listings this one: its number, from 0, or the start of its sha1",
     LULL_OPT_TEXT, LULL_OPT_AT(struct run, shader)},
    {"--header", NULL, "TEXT",
     "a header that the file lacks or has otherwise: \"@localsize 64, 1, 1\", \"@wgid(r48.x)\"",
     LULL_OPT_CALL, .call = header, .flags = LULL_OPT_MANY},
    {"--set", NULL, "REG=V[,V...]",
     "what registers begin with, from r0.x, hr0.x or the constant c0.x on; r0.x[2]: of one\n"
     "invocation of each group. A value with a point is a float",
     LULL_OPT_CALL, .call = set, .flags = LULL_OPT_MANY},
    {"--buf", NULL, "N=CONTENT",
     "what is in the Nth of @buf and @ubo, from 0. CONTENT:\n"
     "  FILE  iota:COUNT:TYPE  rand:SEED:COUNT:TYPE  fill:VALUE:COUNT:TYPE\n"
     "  values:TYPE:V,V...  zeros:BYTES",
     LULL_OPT_CALL, .call = place, .flags = LULL_OPT_MANY},
    {"--memory", NULL, "ADDRESS=CONTENT", "memory at an address that the code has in it",
     LULL_OPT_CALL, .call = place, .flags = LULL_OPT_MANY},
    {"--out", NULL, "PLACE=FILE", "write a buffer, by its number, or memory, by its address",
     LULL_OPT_CALL, .call = place, .flags = LULL_OPT_MANY},
    {"--seed", NULL, "N", "order of waves; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct run, seed)},
    {"--timeout", NULL, "MS", "GPU time after which it is a hang; 1000 if not given",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct run, timeout_ms), .min = 1, .max = 1000000000},
    {"--check", NULL, "CHECKS",
     "hazards: say where the code does not wait as hardware needs it: missing nops, (ss), (sy) and "
     "(jp); assumptions: which instructions rest on what --assume chooses; with commas several, "
     "also "
     "nan, divzero, uninit and others of lull run",
     LULL_OPT_CALL, .call = checks},
    {"--json", NULL, NULL, "results as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct run, json)},
    {"KERNEL", .kind = LULL_OPT_IN, LULL_OPT_AT(struct run, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups_of_opts[] = {
    {NULL, opts, 0}, {NULL, lull_assume_opts, offsetof(struct run, assume)}, {0}};

/** Headers of the command line come last: what they say counts. */
LULL_MUST_USE static struct lull_error *add_headers(struct run *r)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < r->nheaders; i++) {
        err = lull_ir3_assemble(r->headers[i], r->gen, &r->added[i]);
        const struct lull_ir3_shader *s = err == NULL ? &r->added[i].all[0] : NULL;
        if (s != NULL && (s->n != 0 || s->nheaders == 0 || r->added[i].n != 1)) {
            err = lull_error_new(LULL_ERR_INVALID, "it is not a header");
        }
        err = err != NULL ? err : lull_adreno_kernel_add(&r->kernel, s->headers, s->nheaders);
        err = lull_error_in(err, "--header '%s'", r->headers[i]);
    }
    return err;
}

/** What the kernel needs, and what it gets. */
LULL_MUST_USE static struct lull_error *describe(struct run *r)
{
    const struct lull_ir3_shader *s = &r->chosen.all[0];
    const bool quad = s->title != NULL && strstr(s->title, " FRAG shader") != NULL;
    struct lull_error *err = lull_adreno_kernel_of(s, r->gen, quad ? QUAD : 1, &r->kernel);
    err = lull_error_in(err, "%s", r->file);
    err = err != NULL ? err : add_headers(r);
    for (size_t i = 0; err == NULL && i < r->nsets; i++) {
        err = lull_ir3_regs_set(&r->regs, r->sets[i], &r->kernel);
    }
    const uint64_t n = (uint64_t)r->groups[0] * r->groups[1] * r->groups[2];
    r->regs.invocations = r->kernel.local[0] * r->kernel.local[1] * r->kernel.local[2];
    return err != NULL || n != 1 ? err : lull_ir3_regs_outputs(&r->regs, s);
}

LULL_MUST_USE static struct lull_error *load(struct run *r)
{
    struct lull_error *err = lull_ir3_text_read(r->file, r->gen, r->shader, &r->all, &r->chosen);
    if (err == NULL && r->chosen.n != 1) {
        err = lull_error_new(LULL_ERR_INVALID, "%s has %zu shaders: choose one with --shader",
                             r->file, r->chosen.n);
    }
    if (err == NULL && r->chosen.all[0].n == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "%s: the listing has no code", r->file);
    }
    if (err != NULL) {
        return err;
    }
    lull_ir3_text_notes(r->file, &r->chosen.all[0]);
    return describe(r);
}

/** A kernel whose addresses begin low enough for --memory. */
LULL_MUST_USE static struct lull_error *connect(struct run *r)
{
    const uint64_t lowest = lull_ir3_places_lowest(&r->places);
    const struct lull_vdm_options how = {.chip = r->chip,
                                         .seed = r->seed,
                                         .assume = r->assume.a,
                                         .hang_ms = UINT32_MAX,
                                         .low_addresses =
                                             lowest != 0 && lowest < r->chip->va_start};
    struct lull_error *err = lull_vdm_new(&how, &r->k);
    r->check.adreno = true;
    err = err != NULL ? err : lull_check_start(&r->check, r->k);
    return err != NULL ? err : lull_adreno_device_open(r->k, render_node, r->chip, &r->device);
}

/** How it ended, and what there is in memory then. @return What lull_ir3_report() says. */
static const char *tell_text(const struct run *r, struct lull_ir3_report *report,
                             struct lull_driver_log *log, bool done, struct lull_str *out)
{
    lull_ir3_report(report, log, out, NULL);
    if (!done) {
        lull_str_addf(out, "hang: no end in %llu ms of GPU time\n",
                      (unsigned long long)r->timeout_ms);
        lull_ir3_report_waves(report, lull_vdm_gpu(r->k), out, NULL);
    }
    lull_ir3_regs_print(&r->regs, out);
    lull_ir3_places_print(&r->places, out);
    return report->result;
}

/** The same as an object. */
static const char *tell_json(const struct run *r, struct lull_ir3_report *report,
                             struct lull_driver_log *log, bool done, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_key(&j, "faults");
    lull_json_open(&j, '[');
    lull_ir3_report(report, log, out, &j);
    lull_json_close(&j, ']');
    lull_json_put_str(&j, "result", done ? report->result : "hang");
    if (!done) {
        lull_json_key(&j, "waves");
        lull_json_open(&j, '[');
        lull_ir3_report_waves(report, lull_vdm_gpu(r->k), out, &j);
        lull_json_close(&j, ']');
    }
    lull_json_key(&j, "outputs");
    lull_ir3_regs_json(&r->regs, &j);
    lull_json_key(&j, "buffers");
    lull_ir3_places_json(&r->places, &j);
    lull_json_close(&j, '}');
    lull_str_addf(out, "\n");
    return report->result;
}

LULL_MUST_USE static struct lull_error *tell(struct run *r, struct lull_driver_log *log, bool done,
                                             int *status)
{
    const struct lull_ir3_shader *s = &r->chosen.all[0];
    struct lull_ir3_report report = {.places = &r->places,
                                     .words = s->words,
                                     .nwords = s->n,
                                     .before = r->regs.wrap.before,
                                     .code = lull_adreno_code(r->device),
                                     .gen = r->gen};
    struct lull_str out = {0};
    const char *result = (r->json ? tell_json : tell_text)(r, &report, log, done, &out);
    *status = !done                         ? LULL_EXIT_TIMEOUT
              : strcmp(result, "done") == 0 ? LULL_EXIT_CLEAN
                                            : LULL_EXIT_FINDINGS;
    struct lull_error *err = out.err;
    if (err == NULL) {
        const struct lull_check_code code = {.va = report.code + report.before * sizeof *s->words,
                                             .size = s->n * sizeof *s->words,
                                             .insn_bytes = sizeof *s->words};
        fputs(lull_str_text(&out), stdout);
        if (lull_check_report(&r->check, &code, r->json, stdout) && *status == LULL_EXIT_CLEAN) {
            *status = LULL_EXIT_FINDINGS;
        }
        err = lull_ir3_places_write(&r->places);
    }
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *go(struct run *r, int *status)
{
    const struct lull_ir3_shader *s = &r->chosen.all[0];
    struct lull_adreno_wrap *w = &r->regs.wrap;
    const struct lull_msm_bo *buffers[LULL_ADRENO_BUFFERS] = {NULL};
    for (size_t i = 0; i < r->kernel.nbuffers; i++) {
        buffers[i] = r->places.all[i].bo;
    }
    struct lull_adreno_launch launch = {
        .kernel = &r->kernel, .words = s->words, .nwords = s->n, .buffers = buffers};
    memcpy(launch.groups, r->groups, sizeof launch.groups);
    struct lull_error *err = NULL;
    if (w->nsets + w->nouts != 0) {
        err = lull_adreno_wrap_make(w, r->device, s, r->gen, &r->kernel);
        launch.words = w->words;
        launch.nwords = w->nwords;
    }
    if (err != NULL) {
        return err;
    }
    struct lull_driver_log log = lull_driver_log_open(r->k);
    bool done = false;
    err = lull_adreno_run(r->device, &launch, r->timeout_ms * NS_PER_MS, &done);
    err = err != NULL ? err : tell(r, &log, done, status);
    lull_driver_log_close(&log);
    return err;
}

static void finish(struct run *r)
{
    lull_adreno_device_close(r->device);
    if (r->k != NULL) {
        r->k->destroy(r->k);
    }
    lull_check_done(&r->check);
    for (size_t i = 0; i < r->nheaders; i++) {
        lull_ir3_shaders_done(&r->added[i]);
    }
    lull_ir3_shaders_done(&r->all);
    lull_ir3_regs_done(&r->regs);
    free(r);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct run *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return &lull_enomem;
    }
    r->chip = &lull_achip_a630;
    r->gen = r->chip->gpu_id;
    r->groups[0] = r->groups[1] = r->groups[2] = 1;
    r->timeout_ms = TIMEOUT_MS;
    if (lull_assume_list(argc, argv)) {
        free(r);
        return NULL;
    }
    struct lull_error *err = lull_opt_parse(form, r, argc, argv);
    err = err != NULL ? err : lull_ir3_places_files(&r->places, r->file);
    err = err != NULL ? err : load(r);
    err = err != NULL ? err : connect(r);
    err = err != NULL ? err : lull_ir3_places_make(&r->places, r->device, &r->kernel);
    err = err != NULL ? err : go(r, status);
    finish(r);
    return err;
}

const struct lull_form lull_ir3_run_form = {
    .word = "run",
    .about = "run runs such a text as a compute shader on a model of a630, a660 or a740 behind "
             "msm's kernel interface, and prints its buffers as Mesa's computerator does.",
    .groups = groups_of_opts,
    .after =
        "Exit status 1: page fault, what the model does not do, or --check's findings; 124: hang.",
    .run = run,
};
