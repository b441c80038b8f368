// SPDX-License-Identifier: MIT
// Resources by name, and those that have the memory of another: same:NAME.
#include <string.h>

#include "base/error.h"
#include "cli/vulkan/vk_args.h"

struct lull_vk_resource *lull_vk_args_find(const struct lull_vk_args *a, const char *name)
{
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->resources[i].name, name) == 0) {
            return &a->resources[i];
        }
    }
    return NULL;
}

struct lull_error *lull_vk_args_share(const struct lull_vk_args *a)
{
    for (size_t i = 0; i < a->nsames; i++) {
        struct lull_vk_resource *r = &a->resources[a->sames[i].i];
        const struct lull_vk_resource *of = lull_vk_args_find(a, a->sames[i].name);
        if (of == NULL || (of->kind != LULL_VK_BUFFER && of->kind != LULL_VK_TEXELS)) {
            return lull_error_new(LULL_ERR_INVALID, "%s: no buffer '%s'", r->name,
                                  a->sames[i].name);
        }
        // Who borrows has no bytes before its turn comes, so that nobody borrows of who borrows.
        if (of->bytes == NULL || of->same != NULL) {
            return lull_error_new(LULL_ERR_INVALID, "%s: '%s' has no memory of its own", r->name,
                                  of->name);
        }
        r->same = of;
        r->bytes = of->bytes;
        r->size = of->size;
    }
    return NULL;
}
