// SPDX-License-Identifier: MIT
#include "cli/opt/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

LULL_MUST_USE static struct lull_error *wave_option(struct lull_options *o, const char *text)
{
    uint64_t v = 0;
    struct lull_error *err = lull_args_number("--wave", text, 64, &v);
    o->wave_size = (unsigned)v; // at most 64
    return err != NULL || v == 32 || v == 64
               ? err
               : lull_error_new(LULL_ERR_INVALID, "--wave: %s is neither 32 nor 64", text);
}

LULL_MUST_USE static struct lull_error *value_option(struct lull_options *o, const char *name,
                                                     const char *value, bool *used)
{
    *used = true;
    if (strcmp(name, "--grid") == 0) {
        return lull_options_triple(name, value, o->grid);
    }
    if (strcmp(name, "--block") == 0) {
        return lull_options_triple(name, value, o->block);
    }
    if (strcmp(name, "--wave") == 0) {
        return wave_option(o, value);
    }
    if (strcmp(name, "--seed") == 0) {
        return lull_args_number(name, value, UINT64_MAX, &o->seed);
    }
    if (strcmp(name, "--timeout") == 0) {
        return lull_args_number(name, value, 1000000000, &o->timeout_ms);
    }
    const bool arg = strcmp(name, "--arg") == 0;
    const char **text = strcmp(name, "--kernel") == 0   ? &o->kernel
                        : strcmp(name, "--device") == 0 ? &o->device
                                                        : NULL;
    *used = arg || text != NULL;
    if (*used && value == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "%s needs a value", name);
    }
    if (text != NULL) {
        *text = value;
    }
    return arg ? lull_args_add(&o->args, value) : NULL;
}

struct lull_error *lull_options_parse(struct lull_options *o, int argc, char **argv, int *i,
                                      bool *ret_used)
{
    const char *name = argv[*i];
    const char *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    int words = 0;
    struct lull_error *err = lull_printf_host_option(&o->printf, name, value, &words);
    if (err != NULL || words != 0) {
        *i += words - 1;
        *ret_used = true;
        return err;
    }
    err = value_option(o, name, value, ret_used);
    if (*ret_used) {
        ++*i;
        return err;
    }
    *ret_used = true;
    if (strcmp(name, "--json") == 0) {
        o->json = true;
    } else if (strncmp(name, "-O", 2) == 0) {
        uint64_t level = 0;
        err = lull_args_number("-O", name + 2, 3, &level);
        o->opt_level = (unsigned)level; // at most 3
    } else if (name[0] == '-') {
        *ret_used = false;
    } else if (o->path != NULL) {
        err =
            lull_error_new(LULL_ERR_INVALID, "one program at a time: '%s' and '%s'", o->path, name);
    } else {
        o->path = name;
    }
    return err;
}

struct lull_error *lull_options_files(struct lull_options *o)
{
    lull_files_in(&o->files, o->path);
    lull_args_files(&o->args, &o->files);
    lull_files_out(&o->files, o->printf.save);
    return lull_files_check(&o->files);
}

void lull_options_done(struct lull_options *o)
{
    lull_printf_host_done(&o->printf);
    lull_args_done(&o->args);
    lull_files_done(&o->files);
}

struct lull_error *lull_options_connect(const struct lull_options *o, struct lull_kernel **ret_k,
                                        const char **ret_path, unsigned *ret_dri)
{
    *ret_path = NULL;
    *ret_dri = 0;
    if (o->device == NULL || strcmp(o->device, "model") == 0) {
        const struct lull_vdrm_options how = {.seed = o->seed, .lockup_cycles = UINT64_MAX};
        return lull_vdrm_new(&how, ret_k);
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
    struct lull_compile how = {.opt_level = o->opt_level, .wave_size = o->wave_size};
    struct lull_error *err = NULL;
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
