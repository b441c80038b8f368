// SPDX-License-Identifier: MIT
#include "cli/run/pal_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "cli/opt/check.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"
#include "cli/opt/printf_host.h"
#include "cli/run/pal_bind.h"
#include "cli/run/pal_draw.h"
#include "cli/run/report.h"
#include "cli/vulkan/vk_options.h"
#include "compile/run.h"
#include "target/target.h"

enum { NS_PER_MS = 1000000, HEAD = 64 };

/** Is @p path an ELF file for amdpal? */
static bool is_pipeline(const char *path)
{
    uint8_t head[HEAD] = {0};
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(path, &f)); // who reads it says so
    return f != NULL && lull_pal_is(head, fread(head, 1, sizeof head, f));
}

bool lull_pal_cli_is(const struct lull_form *form, int argc, char **argv)
{
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    while (lull_opt_next(&scan, &item)) {
        const char *name = item.opt != NULL ? item.opt->name : "";
        if (strcmp(name, "--layout") == 0 ||
            (item.group != NULL && (item.group->opts == lull_pal_draw_opts ||
                                    item.group->opts == lull_pal_target_opts)) ||
            (item.operand && is_pipeline(item.word))) {
            return true;
        }
    }
    return false;
}

/** SET.BINDING of the printf buffer. */
LULL_MUST_USE static struct lull_error *printf_place(void *base, const struct lull_opt *o,
                                                     const char *text)
{
    struct lull_pal_run *r = base;
    char *end = NULL;
    const unsigned long set = strtoul(text, &end, 0);
    const char *rest = end != text && *end == '.' ? end + 1 : "";
    const unsigned long binding = strtoul(rest, &end, 0);
    if (end == rest || *end != '\0' || set > UINT32_MAX || binding > UINT32_MAX) {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not SET.BINDING", o->name, text);
    }
    r->printf_set = (uint32_t)set;
    r->printf_binding = (uint32_t)binding;
    return NULL;
}

LULL_MUST_USE static struct lull_error *block(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct lull_pal_run *r = base;
    return lull_options_triple(o->name, value, r->block);
}

const struct lull_opt lull_pal_file_opts[] = {
    {"--layout", NULL, "LAYOUT", "its pipeline layout (JSON, or LLPC's .pipe)", LULL_OPT_IN,
     LULL_OPT_AT(struct lull_pal_run, layout_path)},
    {"--block", NULL, "X[,Y[,Z]]", "work-items in a workgroup, if its metadata do not say",
     LULL_OPT_CALL, .call = block},
    {"--device", NULL, "DEVICE", "as for a kernel", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_pal_run, device_name)},
    {"PIPELINE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct lull_pal_run, o.path),
     .flags = LULL_OPT_NEEDED},
    {0},
};

const struct lull_opt lull_pal_cli_opts[] = {
    {"--printf-bind", NULL, "S.B", "where its printf buffer is bound; 4294967280.6 if not given",
     LULL_OPT_CALL, .call = printf_place},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, lull_vk_work_opts, offsetof(struct lull_pal_run, o)},
    {NULL, lull_vk_any_opts, offsetof(struct lull_pal_run, o)},
    {NULL, lull_vk_result_opts, offsetof(struct lull_pal_run, o)},
    {NULL, lull_vk_expect_opts, offsetof(struct lull_pal_run, o)},
    {NULL, lull_vk_tolerance_opts, offsetof(struct lull_pal_run, o)},
    {NULL, lull_pal_file_opts, 0},
    {NULL, lull_pal_cli_opts, 0},
    {NULL, lull_check_same_opts, offsetof(struct lull_pal_run, check)},
    {NULL, lull_engine_opts, offsetof(struct lull_pal_run, engine)},
    {NULL, lull_printf_host_opts, offsetof(struct lull_pal_run, printf)},
    {"Pipelines that draw:", lull_pal_draw_opts, offsetof(struct lull_pal_run, draw)},
    {NULL, lull_pal_target_opts, offsetof(struct lull_pal_run, draw.to)},
    {0},
};

/** --groups and --target: a mesh is drawn. */
LULL_MUST_USE static struct lull_error *check_mesh(struct lull_pal_run *r)
{
    const struct lull_pal_draw_options *d = &r->draw;
    const char *of_vertices = d->indices != NULL       ? "--indices"
                              : d->nvertices != 0      ? "--vertices"
                              : d->instances != 0      ? "--instances"
                              : d->first_vertex != 0   ? "--first-vertex"
                              : d->first_instance != 0 ? "--first-instance"
                              : d->adjacency           ? "--adjacency"
                              : d->topology != 0       ? "--topology"
                                                       : NULL;
    if (of_vertices != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s is for --draw, not for a mesh (--groups)",
                              of_vertices);
    }
    r->draw.count = 1;
    memcpy(r->draw.groups, r->o.c.groups, sizeof r->draw.groups);
    return NULL;
}

/** --groups or --draw. @p draws: an option of draws that was given; NULL: none. */
LULL_MUST_USE static struct lull_error *check_work(struct lull_pal_run *r, const char *draws,
                                                   bool groups_given)
{
    const uint32_t *g = r->o.c.groups;
    if (r->draw.count == 0 && lull_pal_target_any(&r->draw.to) && g[0] != 0 && g[1] != 0 &&
        g[2] != 0) {
        return check_mesh(r);
    }
    if (r->draw.count != 0) {
        return !groups_given ? NULL
                             : lull_error_new(LULL_ERR_INVALID, "--groups is not for --draw");
    }
    if (draws != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s is for --draw", draws);
    }
    return g[0] != 0 && g[1] != 0 && g[2] != 0
               ? NULL
               : lull_error_new(LULL_ERR_INVALID,
                                "--groups is needed, each at least 1; or --draw, of a pipeline "
                                "that draws");
}

struct lull_error *lull_pal_run_check(struct lull_pal_run *r, const struct lull_opts *given)
{
    const char *draws = lull_opts_given_of(given, lull_pal_draw_opts);
    draws = draws != NULL ? draws : lull_opts_given_of(given, lull_pal_target_opts);
    struct lull_error *err = check_work(r, draws, lull_opts_given(given, "--groups"));
    if (err == NULL && r->draw.count != 0) {
        err = lull_pal_draw_resources(&r->draw, &r->o.args);
    }
    const struct lull_vk_module none = {0};
    err = err != NULL ? err : lull_vk_args_resolve(&r->o.args, &none);
    err = err != NULL ? err : lull_vk_options_places(&r->o);
    lull_files_in(&r->o.args.files, r->layout_path);
    lull_files_out(&r->o.args.files, r->printf.save);
    return err != NULL ? err : lull_vk_options_files(&r->o);
}

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, struct lull_pal_run *r,
                                              int argc, char **argv)
{
    struct lull_opts given = {.form = form, .base = r};
    struct lull_error *err = lull_opts_parse(&given, argc, argv);
    r->engine.seeded = lull_opts_given(&given, "--seed");
    return err != NULL ? err : lull_pal_run_check(r, &given);
}

/** The layout has the printf buffer of a pipeline that prints, whether its file names it or not. */
LULL_MUST_USE static struct lull_error *add_printf(struct lull_pal_run *r, const void *bytes,
                                                   size_t size)
{
    struct lull_printf_table *table = NULL;
    size_t count = 0;
    struct lull_error *err = lull_printf_table_new(&table);
    if (err == NULL) { // what is wrong with the strings is said when they are needed
        lull_error_free(lull_printf_table_load(table, bytes, size, r->o.path, &count));
    }
    lull_printf_table_free(table);
    if (err == NULL && count != 0 && !r->printf.wanted) {
        fprintf(stderr, "%s: it prints; --printf shows its lines\n", r->o.path);
    }
    const bool usual =
        r->printf_set == LULL_LAYOUT_PRINTF_SET && r->printf_binding == LULL_LAYOUT_PRINTF_BINDING;
    return err != NULL || !usual || (count == 0 && !r->printf.wanted)
               ? err
               : lull_layout_add_buffer(&r->layout, r->printf_set, r->printf_binding);
}

LULL_MUST_USE static struct lull_error *read_layout(struct lull_pal_run *r)
{
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    size_t size = 0;
    if (r->layout_path == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_run_read(r->layout_path, &text, &size);
    if (err == NULL) {
        err = lull_error_in(lull_layout_read((const char *)text, size, &r->layout), "%s",
                            r->layout_path);
    }
    if (err == NULL && r->layout.overlap) { // all stages are given one root table
        err = lull_error_in(lull_layout_check_overlap(&r->layout), "%s", r->layout_path);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_files(struct lull_pal_run *r)
{
    lull_cleanup(lull_freep) uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_run_read(r->o.path, &bytes, &size);
    if (err == NULL) {
        err = lull_error_in(lull_pal_parse(bytes, size, &r->pipeline), "%s", r->o.path);
    }
    if (err == NULL && (lull_pal_graphics(r->pipeline) != NULL) != (r->draw.count != 0)) {
        err = lull_error_new(LULL_ERR_INVALID, "%s: %s", r->o.path,
                             r->draw.count != 0
                                 ? "a compute pipeline, which runs with --groups"
                                 : "a pipeline that draws, with --draw N, or --groups and --target "
                                   "if it has a mesh shader");
    }
    err = err != NULL ? err : read_layout(r);
    err = err != NULL ? err : add_printf(r, bytes, size);
    if (err == NULL && r->printf.wanted) {
        r->bytes = bytes; // for the strings
        r->size = size;
        bytes = NULL;
    }
    return err;
}

struct lull_error *lull_pal_run_open(struct lull_pal_run *r)
{
    const char *order = r->engine.seeded       ? "--seed"
                        : r->printf.wanted     ? "--printf"
                        : r->check.wanted != 0 ? "--check"
                                               : NULL;
    struct lull_error *err = lull_engine_threads(&r->engine, "run", order);
    struct lull_options o = {.device = r->device_name, .seed = r->o.seed, .engine = r->engine};
    const char *path = NULL;
    err = err != NULL ? err : read_files(r);
    err = err != NULL ? err : lull_options_connect(&o, &r->kernel, &path, &r->dri);
    if (err == NULL && r->check.wanted != 0 && path != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--check works on the model only");
    }
    err = err != NULL ? err : lull_check_start(&r->check, r->kernel);
    return err != NULL ? err : lull_amd_device_open(r->kernel, path, &r->device);
}

/** The printf buffer's descriptor, behind those of the command line. */
LULL_MUST_USE static struct lull_error *bind_printf(struct lull_pal_run *r)
{
    struct lull_error *err =
        lull_printf_host_make(&r->printf, r->bytes, r->size, r->o.path, r->device);
    if (err == NULL && r->printf.wanted) {
        struct lull_pal_binding *b = &r->bound.bindings[r->bound.n++]; // lull_pal_bind(): has room
        *b = (struct lull_pal_binding){
            .set = r->printf_set, .binding = r->printf_binding, .kind = LULL_PAL_BUFFER};
        memcpy(b->words, r->printf.at.descriptor->map, LULL_PAL_BUFFER_BYTES);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *prepare_draw(struct lull_pal_run *r,
                                                     const struct lull_pal_launch *l)
{
    struct lull_pal_drawing drawing = {0};
    const struct lull_pal_draw_parts parts = {
        .args = &r->o.args, .bound = &r->bound, .drawing = &drawing, .draw = &r->drawn};
    r->draw.to.alpha_to_coverage = r->layout.alpha_to_coverage;
    struct lull_error *err =
        lull_pal_target_check_views(&r->draw.to, &r->o.args, r->layout.view_mask);
    err = err != NULL ? err : lull_pal_draw_make(&r->draw, r->device, &parts);
    if (err == NULL) {
        err = lull_error_in(lull_pal_prepare_draw(l, &r->placed, &drawing, &r->drawn), "%s",
                            r->o.path);
    }
    return err != NULL ? err : lull_pal_draw_finish(&r->draw, &r->drawn);
}

struct lull_error *lull_pal_run_prepare(struct lull_pal_run *r)
{
    struct lull_error *err = lull_pal_place(r->device, r->pipeline, &r->layout, &r->placed);
    err = lull_error_in(err, "%s", r->o.path);
    err = err != NULL ? err : lull_pal_bind(&r->o.args, r->device, &r->bound);
    err = err != NULL ? err : bind_printf(r);
    if (err != NULL) {
        return err;
    }
    struct lull_pal_launch l = {.pipeline = r->pipeline,
                                .layout = &r->layout,
                                .bindings = r->bound.bindings,
                                .nbindings = r->bound.n,
                                .push = r->o.args.push,
                                .push_bytes = r->o.args.push_bytes};
    if (r->draw.count != 0) {
        return prepare_draw(r, &l);
    }
    memcpy(l.groups, r->o.c.groups, sizeof l.groups);
    memcpy(l.block, r->block, sizeof l.block);
    return lull_error_in(lull_pal_prepare(&l, &r->placed, &r->dispatch), "%s", r->o.path);
}

struct lull_error *lull_pal_run_outs(struct lull_pal_run *r)
{
    lull_pal_bind_back(&r->bound, &r->o.args);
    lull_pal_target_back(&r->draw.to, &r->o.args);
    return lull_vk_cli_outs(&r->o);
}

static uint64_t now_ns(void)
{
    struct timespec t = {0};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

LULL_MUST_USE static struct lull_error *go(struct lull_pal_run *r, struct lull_str *out,
                                           int *status)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    const uint64_t timeout =
        r->o.c.timeout_ns != 0 ? r->o.c.timeout_ns : (uint64_t)LULL_TARGET_HANG_MS * NS_PER_MS;
    const uint64_t start = now_ns();
    struct lull_error *err = r->draw.count != 0 ? lull_amd_submit_draw(r->device, &r->drawn)
                                                : lull_amd_submit(r->device, &r->dispatch);
    err = err != NULL ? err : lull_amd_wait(r->device, timeout, &how);
    const uint64_t ns = now_ns() - start;
    bool bad = false;
    err = err != NULL ? err : lull_printf_host_show(&r->printf, r->o.json, &bad);
    if (err == NULL && how == LULL_AMD_WAIT_DONE) {
        const struct lull_vk_result result = {.end = LULL_VK_DONE, .ns = ns};
        const char *device = r->device_name != NULL ? r->device_name : "model";
        err = lull_pal_run_outs(r);
        err = err != NULL ? err : lull_vk_cli_tell(&r->o, device, &result, out, status);
        *status = bad && *status == LULL_EXIT_CLEAN ? LULL_EXIT_FINDINGS : *status;
        return err;
    }
    const struct lull_report report = {
        .device = r->device,
        .dri = r->dri,
        .code = r->placed.code,
        .lost = how == LULL_AMD_WAIT_LOST,
        .json = r->o.json,
        .timeout_ms = timeout / NS_PER_MS,
        .out = out,
    };
    return err != NULL ? err : lull_report_failure(&report, status);
}

void lull_pal_run_done(struct lull_pal_run *r)
{
    lull_pal_bind_done(&r->bound);
    lull_amd_device_close(r->device);
    if (r->kernel != NULL) {
        r->kernel->destroy(r->kernel);
    }
    lull_check_done(&r->check);
    lull_printf_host_done(&r->printf);
    free(r->bytes);
    lull_pal_free(r->pipeline);
    lull_layout_done(&r->layout);
    lull_vk_options_done(&r->o);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct lull_pal_run r = {.printf_set = LULL_LAYOUT_PRINTF_SET,
                             .printf_binding = LULL_LAYOUT_PRINTF_BINDING};
    struct lull_str out = {0};
    struct lull_error *err = parse(form, &r, argc, argv);
    err = err != NULL ? err : lull_pal_run_open(&r);
    err = err != NULL ? err : lull_pal_run_prepare(&r);
    err = err != NULL ? err : go(&r, &out, status);
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), stdout);
        const struct lull_check_code code = {.va = r.placed.code->va, .size = r.placed.code->size};
        if (lull_check_report(&r.check, &code, r.o.json, stdout) && *status == LULL_EXIT_CLEAN) {
            *status = LULL_EXIT_FINDINGS;
        }
    }
    lull_str_free(&out);
    lull_pal_run_done(&r);
    return err;
}

const struct lull_form lull_pal_form = {
    .about =
        "A PAL pipeline (ELF for amdpal), of lull link or lull cc --layout, computes or draws on "
        "the model. What is not bound is zero. --timeout is GPU time, 1000 if not given.",
    .groups = groups,
    .after = "  lull run pipeline.elf --layout layout.json --groups 16 --bind 0.0=iota:1024:u32 "
             "\\\n"
             "      --out 0.0=y.bin\n"
             "  lull run pipeline.elf --layout layout.json --draw 3 --target 64x64 \\\n"
             "      --vertices 0=triangle.bin:stride=32 --out target=picture.png",
    .run = run,
};
