// SPDX-License-Identifier: MIT
// Source: LLVM AMDGPUUsage, "ELF Code Object", EF_AMDGPU_MACH values.
#include "image/parts.h"

enum {
    MACH_MASK = 0xff,
    MACH_FIRST = 0x20,
    MACH_GFX1100 = 0x41,
};

// clang-format off
static const char *const names[] = {
    "gfx600", "gfx601", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", NULL,       // 0x20
    "gfx801", "gfx802", "gfx803", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906",
    "gfx908", "gfx909", "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031", // 0x30
    "gfx1032", "gfx1033", "gfx602", "gfx705", "gfx805", "gfx1035", "gfx1034", "gfx90a",
    "gfx940", "gfx1100", "gfx1013", "gfx1150", "gfx1103", "gfx1036", "gfx1101", "gfx1102", // 0x40
    "gfx1200", NULL, "gfx1151", "gfx941", "gfx942", NULL, "gfx1201", NULL,
    NULL, "gfx9-generic", "gfx10-1-generic", "gfx10-3-generic",                       // 0x50
    "gfx11-generic", "gfx1152", NULL, NULL, NULL, "gfx12-generic",
};
// clang-format on

const char *lull_image_machine(uint32_t flags)
{
    size_t i = (size_t)(flags & MACH_MASK) - MACH_FIRST;
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

bool lull_image_machine_ok(uint32_t flags)
{
    return (flags & MACH_MASK) == MACH_GFX1100;
}
