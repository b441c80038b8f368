// SPDX-License-Identifier: MIT
// What differs from chip to chip in more than one file.
//
// Source: LLVM, AMDGPUUsage "Memory Model" and SIDefines.h (cache policies); LLPC at 40cb8d95a,
// lgc/lowering/LowerInOut.cpp.
#include <string.h>

#include "front/llvm/lower_priv.h"

enum {
    GFX10 = 10,
    GFX12 = 12,
    GLC = 1,
    DLC = 4,
    SC1 = 1 << 4,
    SCOPE_DEVICE = 2 << 3,
};

bool lull_fl_is_chip(const struct lull_fl *f, const char *prefix)
{
    return f->cpu != NULL && strncmp(f->cpu, prefix, strlen(prefix)) == 0;
}

unsigned lull_fl_coherent(const struct lull_fl *f, bool store)
{
    if (f->gfx >= GFX12) {
        return SCOPE_DEVICE;
    }
    if (lull_fl_is_chip(f, "gfx94") || lull_fl_is_chip(f, "gfx95")) {
        return SC1;
    }
    return store || f->gfx < GFX10 ? GLC : GLC | DLC;
}
