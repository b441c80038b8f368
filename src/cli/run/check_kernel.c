// SPDX-License-Identifier: MIT
#include "cli/run/check_kernel.h"

#include <string.h>

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

void lull_check_kernel(struct lull_check_objects *o, struct lull_amd_device *device,
                       const struct lull_kernel_info *k, const struct lull_args *args,
                       const uint32_t *local_at)
{
    const struct lull_amd_bo *bo = NULL;
    for (size_t i = 0; (bo = lull_amd_bo_nth(device, i)) != NULL; i++) {
        const struct lull_arg *a = arg_of(k, args, bo);
        const char *name = a != NULL && a->name[0] != '\0' ? a->name : bo->name;
        lull_check_objects_add(o, a != NULL ? name : NULL, bo->va, bo->size);
    }
    if (k->lds_bytes != 0) {
        lull_check_objects_add_local(o, "local variables", 0, k->lds_bytes);
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
