// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include <lull/debug.h>

#include "base/error.h"
#include "compile/compile.h"
#include "debug/session/debug.h"
#include "debug/session/events.h"
#include "drm/core/kernel.h"
#include "image/image.h"
#include "printf/decode.h"
#include "target/amd/debug.h"
#include "target/amd/launch.h"
#include "target/amd/printf.h"
#include "target/amd/program.h"
#include "vdrm/amdgpu/vdrm.h"
#include "vdrm/core/client.h"

enum { PRINTF_BYTES = 1 << 20 };

/** A buffer as it was given, for the next start. */
struct given {
    struct lull_amd_bo *bo; ///< NULL: not a buffer.
    void *data;             ///< Owned; NULL: zeros.
    size_t size;
};

/** What a session stands on. Members that it does not need are zero. */
struct ground {
    struct lull_kernel *kernel;
    struct lull_amd_device *device;
    struct lull_target *target;
    struct lull_compiled compiled;
    struct lull_image *image;
    struct lull_launch launch;
    struct lull_launched launched;
    struct lull_launch_arg *args;
    struct given *given;
    bool ran;
    struct lull_printf_table *strings; ///< Of printf; NULL: it is not wanted.
    struct lull_amd_printf printed;
    struct lull_printf_decoder decoder;
    struct lull_debug *debug; ///< Borrowed.
};

static void ground_free(struct ground *g)
{
    if (g->target != NULL) {
        g->target->ops->destroy(g->target);
    }
    lull_amd_device_close(g->device);
    if (g->kernel != NULL) {
        g->kernel->destroy(g->kernel);
    }
    for (size_t i = 0; g->given != NULL && i < g->launch.nargs; i++) {
        free(g->given[i].data);
    }
    free(g->given);
    free(g->args);
    lull_printf_table_free(g->strings);
    lull_image_free(g->image);
    lull_compiled_done(&g->compiled);
    free(g);
}

/* The session is over: what still stands is killed. */
static void close_kernel(void *ctx)
{
    struct ground *g = ctx;
    if (g->ran) {
        lull_error_free(g->target->ops->kill(g->target));
    }
    ground_free(g);
}

static void close_socket(void *ctx)
{
    ground_free(ctx);
}

static void fill(const struct given *b)
{
    if (b->bo != NULL) {
        lull_amd_bo_clear(b->bo);
    }
    if (b->bo != NULL && b->data != NULL) {
        memcpy(b->bo->map, b->data, b->size);
    }
}

LULL_MUST_USE static struct lull_error *printed(void *ctx, const struct lull_printf_event *e)
{
    const struct ground *g = ctx;
    const struct lull_debug_event told = {
        .kind = LULL_DEBUG_OUTPUT, .text = e->text, .text_size = e->text_size};
    const bool text = e->kind != LULL_PRINTF_LOST && e->kind != LULL_PRINTF_CANDIDATE;
    return text && e->text_size != 0 ? lull_debug_tell(g->debug, &told) : NULL;
}

LULL_MUST_USE static struct lull_error *drain(void *ctx, bool live)
{
    struct ground *g = ctx;
    return g->strings == NULL ? NULL
                              : lull_printf_decode(&g->decoder, g->strings, g->printed.buffer->map,
                                                   PRINTF_BYTES, live, printed, g);
}

/* A buffer for printf, and the strings of @p size bytes of code. */
LULL_MUST_USE static struct lull_error *make_printf(struct ground *g, const void *code, size_t size)
{
    size_t count = 0;
    struct lull_error *err = lull_printf_table_new(&g->strings);
    err = err != NULL ? err : lull_printf_table_load(g->strings, code, size, "code", &count);
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
        lull_error_free(err); // a kernel without printf
        err = NULL;
    }
    err = err != NULL ? err : lull_amd_printf_new(g->device, PRINTF_BYTES, 0, &g->printed);
    if (err == NULL) {
        g->launch.printf_va = g->printed.descriptor->va;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *start(void *ctx)
{
    struct ground *g = ctx;
    for (size_t i = 0; i < g->launch.nargs; i++) {
        fill(&g->given[i]);
    }
    if (g->strings != NULL) {
        memset(g->printed.buffer->map, 0, PRINTF_BYTES);
        g->decoder = (struct lull_printf_decoder){0};
    }
    struct lull_error *err = g->ran ? lull_launch_again(&g->launch, &g->launched) : NULL;
    g->ran = true;
    return err != NULL ? err : lull_amd_debug_submit(g->target, &g->launched.dispatch);
}

LULL_MUST_USE static struct lull_error *load(struct ground *g, const struct lull_debug_kernel *k)
{
    const bool source = k->path != NULL;
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        items *= k->block[i] != 0 ? k->block[i] : 1;
    }
    const struct lull_compile how = {
        .opt_level = k->opt_level, .printf = k->printf, .large_groups = items > LULL_COMPILE_ITEMS};
    if (source) {
        struct lull_error *err = lull_compile_file(k->path, &how, &g->compiled);
        return err != NULL
                   ? err
                   : lull_error_in(lull_image_parse(g->compiled.bytes, g->compiled.size, &g->image),
                                   "%s", k->path);
    }
    return lull_image_parse(k->code, k->code_size, &g->image);
}

LULL_MUST_USE static struct lull_error *choose(struct ground *g, const char *name)
{
    const size_t n = lull_image_nkernels(g->image);
    for (size_t i = 0; i < n; i++) {
        const struct lull_kernel_info *info = lull_image_kernel(g->image, i);
        if (name == NULL ? n == 1 : strcmp(info->name, name) == 0) {
            g->launch.kernel = info;
            return NULL;
        }
    }
    return name != NULL ? lull_error_new(LULL_ERR_NOT_FOUND, "no kernel '%s'", name)
                        : lull_error_new(LULL_ERR_INVALID, "%zu kernels: name one", n);
}

/* Name of parameter @p i, by the kernel; "" if it does not say. */
static const char *parameter(const struct ground *g, size_t i)
{
    size_t at = 0;
    for (size_t k = 0; k < g->launch.kernel->nargs; k++) {
        const struct lull_arg *a = &g->launch.kernel->args[k];
        const bool shown = a->kind <= LULL_ARG_LOCAL;
        if (shown && at++ == i) {
            return a->name;
        }
    }
    return "";
}

LULL_MUST_USE static struct lull_error *make_arg(struct ground *g, size_t i,
                                                 const struct lull_debug_arg *arg)
{
    struct given *b = &g->given[i];
    struct lull_launch_arg *l = &g->args[i];
    l->local = arg->kind == LULL_DEBUG_LOCAL;
    if (arg->kind == LULL_DEBUG_VALUE &&
        (arg->data == NULL || arg->size == 0 || arg->size > sizeof l->bytes)) {
        return lull_error_new(LULL_ERR_INVALID, "argument %zu: a value of %zu bytes", i, arg->size);
    }
    if (arg->kind == LULL_DEBUG_VALUE) {
        l->size = (uint32_t)arg->size;
        memcpy(l->bytes, arg->data, arg->size);
        return NULL;
    }
    if (arg->size == 0 || (l->local && arg->size > UINT32_MAX)) {
        return lull_error_new(LULL_ERR_INVALID, "argument %zu: %zu bytes of memory", i, arg->size);
    }
    if (l->local) {
        const uint32_t bytes = (uint32_t)arg->size;
        l->size = sizeof bytes;
        memcpy(l->bytes, &bytes, sizeof bytes);
        return NULL;
    }
    b->size = arg->size;
    b->data = arg->data != NULL ? malloc(arg->size) : NULL;
    if (b->data == NULL && arg->data != NULL) {
        return &lull_enomem;
    }
    if (b->data != NULL) {
        memcpy(b->data, arg->data, arg->size);
    }
    struct lull_error *err = lull_amd_bo_new(
        g->device, arg->name != NULL ? arg->name : parameter(g, i), arg->size, 0, &b->bo);
    l->bo = b->bo;
    return err;
}

LULL_MUST_USE static struct lull_error *make_args(struct ground *g,
                                                  const struct lull_debug_kernel *k)
{
    g->args = calloc(k->nargs + 1, sizeof *g->args);
    g->given = calloc(k->nargs + 1, sizeof *g->given);
    if (g->args == NULL || g->given == NULL) {
        return &lull_enomem;
    }
    g->launch.args = g->args;
    g->launch.nargs = k->nargs;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < k->nargs; i++) {
        err = make_arg(g, i, &k->args[i]);
    }
    return err;
}

static void set_sizes(struct ground *g, const struct lull_debug_kernel *k)
{
    for (unsigned i = 0; i < 3; i++) {
        g->launch.grid[i] = k->grid[i] != 0 || i == 0 ? k->grid[i] : 1;
        g->launch.block[i] = k->block[i] != 0 || i == 0 ? k->block[i] : 1;
    }
    g->launch.image = g->image;
}

/* @p g becomes the session's. */
LULL_MUST_USE static struct lull_error *make_session(struct ground *g, struct lull_debug **ret)
{
    const uint64_t va = g->launched.code != NULL ? g->launched.code->va : 0;
    struct lull_debug *d = NULL;
    struct lull_error *err = lull_debug_new(g->target, g->image, va, &d);
    if (err != NULL) {
        return err;
    }
    d->run_ctx = g;
    g->debug = d;
    lull_debug_keep_events(d);
    *ret = d;
    return NULL;
}

struct lull_error *lull_debug_open_kernel(const struct lull_debug_kernel *kernel,
                                          struct lull_debug **ret)
{
    struct lull_debug *d = NULL;
    if ((kernel->path == NULL) == (kernel->code == NULL)) {
        return lull_error_new(LULL_ERR_INVALID, "a kernel has a path or code");
    }
    struct ground *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    const struct lull_vdrm_options how = {.seed = kernel->seed};
    struct lull_error *err = load(g, kernel);
    err = err != NULL ? err : choose(g, kernel->name);
    err = err != NULL ? err : lull_vdrm_new(&how, &g->kernel);
    err = err != NULL ? err : lull_amd_device_open(g->kernel, NULL, &g->device);
    err = err != NULL ? err : lull_amd_debug_new(g->device, 0, &g->target);
    err = err != NULL ? err : make_args(g, kernel);
    if (err == NULL && kernel->printf) {
        const bool source = kernel->path != NULL;
        err = make_printf(g, source ? g->compiled.bytes : kernel->code,
                          source ? g->compiled.size : kernel->code_size);
    }
    if (err == NULL) {
        set_sizes(g, kernel);
        err = lull_launch_prepare(g->device, &g->launch, &g->launched);
    }
    err = err != NULL ? err : make_session(g, &d);
    if (err != NULL) {
        ground_free(g);
        return err;
    }
    d->run = start;
    d->drain = drain;
    d->close = close_kernel;
    *ret = d;
    return NULL;
}

static bool socket_lives(void *ctx)
{
    const struct ground *g = ctx;
    return lull_client_alive(g->kernel);
}

struct lull_error *lull_debug_open_socket(const char *socket, struct lull_debug **ret)
{
    struct lull_debug *d = NULL;
    struct ground *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    const struct lull_program_watch watch = {.alive = socket_lives, .ctx = g};
    struct lull_error *err = lull_client_new(socket, &g->kernel);
    err = err != NULL ? err : lull_amd_program_new(g->kernel, 0, &watch, &g->target);
    err = err != NULL ? err : make_session(g, &d);
    if (err != NULL) {
        ground_free(g);
        return err;
    }
    d->started = true;
    d->timeout_ms = 0;
    d->close = close_socket;
    *ret = d;
    return NULL;
}
