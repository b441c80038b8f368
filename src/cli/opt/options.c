// SPDX-License-Identifier: MIT
#include "cli/opt/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/order.h"
#include "model/order.h"
#include "vdrm/amdgpu/vdrm.h"

enum { FIRST_RENDER_MINOR = 128, DEFAULT_BLOCK = 64 };

struct lull_error *lull_options_triple(const char *what, const char *text, uint32_t ret[3])
{
    char *end = (char *)(uintptr_t)text;
    for (unsigned i = 0; i < 3; i++) {
        ret[i] = 1;
    }
    for (unsigned i = 0; end != NULL && i < 3; i++) {
        const char *start = end;
        const unsigned long long v = *start >= '0' && *start <= '9' ? strtoull(start, &end, 0) : 0;
        if (v == 0 || v > UINT32_MAX) {
            break;
        }
        ret[i] = (uint32_t)v;
        if (*end == '\0') {
            return NULL;
        }
        if (*end++ != ',') {
            break;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not X, X,Y or X,Y,Z, each at least 1",
                          what, text != NULL ? text : "");
}

LULL_MUST_USE static struct lull_error *grid(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct lull_options *options = base;
    return lull_options_triple(o->name, value, options->grid);
}

LULL_MUST_USE static struct lull_error *block(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct lull_options *options = base;
    return lull_options_triple(o->name, value, options->block);
}

LULL_MUST_USE static struct lull_error *wave(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct lull_options *options = base;
    (void)o;
    options->wave_size = value[0] == '3' ? 32 : 64; // a choice: no other is left
    return NULL;
}

LULL_MUST_USE static struct lull_error *arg(void *base, const struct lull_opt *o, const char *value)
{
    struct lull_options *options = base;
    (void)o;
    return lull_args_add(&options->args, value);
}

const struct lull_opt lull_options_opts[] = {
    {"--seed", NULL, "N", "order of waves on the model; 0: round robin", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_options, seed)},
    {"--timeout", NULL, "MS", "GPU time after which it is a hang; 1 ms: 100,000 cycles",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_options, timeout_ms), .min = 1, .max = 1000000000},
    {"--json", NULL, NULL, "results as JSON", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_options, json)},
    {0},
};

const struct lull_opt lull_options_kernel_opts[] = {
    {"--grid", NULL, "X[,Y[,Z]]", "work-items in all", LULL_OPT_CALL, .call = grid},
    {"--block", NULL, "X[,Y[,Z]]",
     "work-items in a workgroup; 64 if not given, or what the kernel asks for", LULL_OPT_CALL,
     .call = block},
    {"--kernel", NULL, "NAME", "which kernel, if there are several", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_options, kernel)},
    {"--arg", NULL, "KIND:...",
     "next kernel argument:\n"
     "  buffer:FILE  zeros:BYTES  iota:N:TYPE  rand:SEED:N:TYPE   a buffer;\n"
     "      at its end :out=FILE to write it when done, :name=NAME to name it\n"
     "  i32:5 u32:0x10 i64:-1 u64:7 f32:2.5 f64:1e-3 (i8 u8 i16 u16)   a value\n"
     "  hex:0100000000002040   a value's bytes, as of a struct\n"
     "  local:BYTES   local memory",
     LULL_OPT_CALL, .call = arg, .flags = LULL_OPT_MANY},
    {"-O", NULL, "0|1|2|3|g", "level to compile at; g: few passes, which keep variables",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_options, opt_level), .flags = LULL_OPT_LAST},
    {"--wave", NULL, "32|64", "wave size to compile for; 32 if not given", LULL_OPT_CHOICE,
     .call = wave},
    {"--device", NULL, "DEVICE", "model (if not given), or /dev/dri/renderD128", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_options, device)},
    {0},
};

const struct lull_opt lull_schedule_opts[] = {
    {"--schedule", NULL, "FILE", "waves wait for each other as FILE says, which lull explore made",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_options, schedule)},
    {0},
};

bool lull_schedule_is(const char *path)
{
    static const char begin[] = "lull schedule ";
    char text[sizeof begin] = {0};
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(path, &f)); // What cannot be read is said where it is read.
    return f != NULL && fgets(text, sizeof text, f) != NULL && strcmp(text, begin) == 0;
}

struct lull_error *lull_options_files(struct lull_options *o)
{
    lull_files_in(&o->files, o->path);
    lull_files_in(&o->files, o->schedule);
    lull_args_files(&o->args, &o->files);
    lull_files_out(&o->files, o->printf.save);
    return lull_files_check(&o->files);
}

void lull_options_done(struct lull_options *o)
{
    lull_printf_host_done(&o->printf);
    lull_order_free(o->order);
    o->order = NULL;
    lull_args_done(&o->args);
    lull_files_done(&o->files);
}

/** The order of waves of --schedule. */
LULL_MUST_USE static struct lull_error *read_schedule(struct lull_options *o)
{
    if (o->schedule == NULL) {
        return NULL;
    }
    if (o->device != NULL && strcmp(o->device, "model") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--schedule works on the model only");
    }
    return lull_schedule_read(o->schedule, &o->seed, &o->order);
}

struct lull_error *lull_options_connect(struct lull_options *o, struct lull_kernel **ret_k,
                                        const char **ret_path, unsigned *ret_dri)
{
    *ret_path = NULL;
    *ret_dri = 0;
    struct lull_error *bad = read_schedule(o);
    if (bad != NULL) {
        return bad;
    }
    if (o->device == NULL || strcmp(o->device, "model") == 0) {
        struct lull_vdrm_options how = {.seed = o->seed,
                                        .lockup_cycles = UINT64_MAX,
                                        .threads = o->engine.chosen,
                                        .order = o->order,
                                        .own_calls = true};
        struct lull_error *err = lull_engine_choose(&o->engine, &how.engine);
        return err != NULL ? err : lull_vdrm_new(&how, ret_k);
    }
    if (o->engine.kind != 0 || o->engine.threads != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s works on the model only",
                              o->engine.kind != 0 ? "--engine" : "--threads");
    }
    static const char prefix[] = "/dev/dri/renderD";
    uint64_t minor = 0;
    if (strncmp(o->device, prefix, sizeof prefix - 1) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--device: '%s' is neither model nor %s*",
                              o->device, prefix);
    }
    struct lull_error *err =
        lull_args_number("--device", o->device + sizeof prefix - 1, 255, &minor);
    *ret_dri = (unsigned)minor - (minor >= FIRST_RENDER_MINOR ? FIRST_RENDER_MINOR : 0);
    *ret_path = o->device;
    return err != NULL ? err : lull_kernel_real(ret_k);
}

LULL_MUST_USE static struct lull_error *choose_kernel(const struct lull_options *o,
                                                      struct lull_program *p)
{
    const size_t n = lull_image_nkernels(p->image);
    if (o->kernel != NULL) {
        p->kernel = lull_image_find_kernel(p->image, o->kernel);
        return p->kernel != NULL ? NULL
                                 : lull_error_new(LULL_ERR_NOT_FOUND, "%s: no kernel called '%s'",
                                                  o->path, o->kernel);
    }
    if (n != 1) {
        return lull_error_new(LULL_ERR_INVALID, "%s has %zu kernels%s", o->path, n,
                              n != 0 ? ": choose one with --kernel" : "");
    }
    p->kernel = lull_image_kernel(p->image, 0);
    return NULL;
}

struct lull_error *lull_program_load(struct lull_options *o, struct lull_program *ret)
{
    struct lull_compile how = {
        .opt_level = o->opt_level, .wave_size = o->wave_size, .marks = o->marks};
    struct lull_error *err = NULL;
    how.large_groups = (uint64_t)o->block[0] * o->block[1] * o->block[2] > LULL_COMPILE_ITEMS;
    lull_printf_host_compile(&o->printf, &how);
    if (o->path == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "no program given");
    }
    if (o->grid[0] == 0) {
        return lull_error_new(LULL_ERR_INVALID, "no --grid given");
    }
    err = lull_compile_file(o->path, &how, &ret->compiled);
    if (err == NULL && ret->compiled.diagnostics[0] != '\0') {
        fprintf(stderr, "%s\n", ret->compiled.diagnostics);
    }
    if (err == NULL) {
        err = lull_error_in(lull_image_parse(ret->compiled.bytes, ret->compiled.size, &ret->image),
                            "%s", o->path);
    }
    if (err == NULL) {
        err = choose_kernel(o, ret);
    }
    if (err != NULL || o->block[0] != 0) {
        return err;
    }
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t wanted = ret->kernel->reqd_block[i];
        o->block[i] = wanted != 0 ? wanted : i == 0 ? DEFAULT_BLOCK : 1;
    }
    return NULL;
}

void lull_program_done(struct lull_program *p)
{
    lull_image_free(p->image);
    lull_compiled_done(&p->compiled);
    *p = (struct lull_program){0};
}
