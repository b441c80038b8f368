// SPDX-License-Identifier: MIT
// What a program of alone.c lacks where the rest of lull is not built.
#include "cli/opt/order.h"
#include "cli/vulkan/vk_options.h"
#include "file/png.h"

struct lull_error *lull_png_write(const char *path, uint32_t width, uint32_t height,
                                  const uint8_t *rgba)
{
    (void)width, (void)height, (void)rgba;
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "%s: no pictures from an Adreno; a name without .png gets the bytes",
                          path);
}

// Whoever starts it has taken the GPU's options.
const struct lull_opt lull_assume_opts[] = {{0}};
const struct lull_opt lull_engine_opts[] = {{0}};
const struct lull_opt lull_check_same_opts[] = {{0}};

struct lull_error *lull_assume_check(const struct lull_assume *a, const char *gpu)
{
    (void)a, (void)gpu;
    return NULL;
}

struct lull_error *lull_vk_cli_self(const struct lull_form *form, int argc, char **argv,
                                    const struct lull_vk_options *o, int *status)
{
    (void)form, (void)argc, (void)argv, (void)o, (void)status;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "lull's own GPU is not in this program");
}

struct lull_error *lull_schedule_read(const char *path, uint64_t *seed, struct lull_order **ret)
{
    (void)path, (void)seed, (void)ret;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "lull's own GPU is not in this program");
}

void lull_schedule_free(struct lull_order *o)
{
    (void)o;
}

struct lull_error *lull_vk_eval(const struct lull_vk_options *o, struct lull_vk_result *ret)
{
    (void)o, (void)ret;
    return lull_error_new(LULL_ERR_UNSUPPORTED, "the interpreter is not in this program");
}
