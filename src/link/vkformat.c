// SPDX-License-Identifier: MIT
#include "link/vkformat.h"

#include <stddef.h>
#include <strings.h>

const struct lull_vkformat *lull_vkformat_named(const char *name)
{
    static const char prefix[] = "VK_FORMAT_";
    if (strncasecmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
    }
    for (unsigned i = 0; i < lull_nvkformats; i++) {
        if (strcasecmp(name, lull_vkformats[i].name) == 0) {
            return &lull_vkformats[i];
        }
    }
    return NULL;
}

enum lull_vkformat_gpu lull_vkformat_gpu(unsigned gfx)
{
    return gfx < 10 ? LULL_VKFORMAT_GFX9 : gfx == 10 ? LULL_VKFORMAT_GFX10 : LULL_VKFORMAT_GFX11;
}

bool lull_vkformat_is_integer(const struct lull_vkformat *f)
{
    return f->kind == LULL_VKFORMAT_UINT || f->kind == LULL_VKFORMAT_SINT;
}
