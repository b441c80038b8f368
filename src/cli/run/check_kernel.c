// SPDX-License-Identifier: MIT
#include "cli/run/check_kernel.h"

#include <string.h>

#include "symbols/symbols.h"
#include "target/amd/launch.h"

/** Its buffer; NULL: it is none of the arguments'. */
static const struct lull_arg *arg_of(const struct lull_kernel_info *k, const struct lull_args *args,
                                     const struct lull_amd_bo *bo)
{
    for (size_t i = 0; bo != NULL && i < args->n && i < k->nargs; i++) {
        if (args->launch[i].bo == bo) {
            return &k->args[i]; // explicit ones come first
        }
    }
    return NULL;
}

static void add_variable(void *ctx, const struct lull_symvar *v, uint64_t offset)
{
    lull_check_objects_add_variable(ctx, v->name, offset, v->type->size);
}

/** Names are a help, not a need. */
static void add_variables(struct lull_check_objects *o, const struct lull_image *image,
                          const struct lull_kernel_info *k)
{
    struct lull_symbols *symbols = NULL;
    size_t size = 0;
    const void *bytes = lull_image_bytes(image, &size);
    struct lull_error *err = lull_symbols_read(bytes, size, &symbols);
    const struct lull_symscope *f =
        err == NULL ? lull_symbols_function(symbols, NULL, k->name) : NULL;
    if (f != NULL) {
        lull_symbols_local(f, k->lds_bytes, add_variable, o);
    }
    lull_error_free(err);
    lull_symbols_free(symbols);
}

void lull_check_kernel(struct lull_check_objects *o, struct lull_amd_device *device,
                       const struct lull_image *image, const struct lull_kernel_info *k,
                       const struct lull_args *args, const uint32_t *local_at)
{
    const struct lull_amd_bo *bo = NULL;
    for (size_t i = 0; (bo = lull_amd_bo_nth(device, i)) != NULL; i++) {
        const struct lull_arg *a = arg_of(k, args, bo);
        const char *name = a != NULL && a->name[0] != '\0' ? a->name : bo->name;
        lull_check_objects_add(o, a != NULL ? name : NULL, bo->va, bo->size);
    }
    if (k->lds_bytes != 0) {
        lull_check_objects_add_local(o, "local variables", 0, k->lds_bytes);
        add_variables(o, image, k);
    }
    for (size_t i = 0; i < args->n && i < k->nargs; i++) {
        const struct lull_launch_arg *given = &args->launch[i];
        uint32_t bytes = 0;
        memcpy(&bytes, given->bytes, sizeof bytes);
        if (given->local) {
            lull_check_objects_add_local(o, k->args[i].name, local_at[i], bytes);
        } else if (given->bo == NULL && k->args[i].kind == LULL_ARG_GLOBAL_BUFFER) {
            o->nmemory = 0; // An address as a number: nobody knows what lies there.
            return;
        }
    }
    o->local_known = true;
}
