// SPDX-License-Identifier: MIT
// Texel formats: GLSL's names for those that GLSL has (GLSL 4.60, section 4.4.7).
#include <string.h>

#include "vk/internal.h"

// clang-format off
static const struct lull_vk_format formats[] = {
    {"r8", 1, VK_FORMAT_R8_UNORM, "u8"},
    {"r8_snorm", 1, VK_FORMAT_R8_SNORM, "i8"},
    {"r8ui", 1, VK_FORMAT_R8_UINT, "u8"},
    {"r8i", 1, VK_FORMAT_R8_SINT, "i8"},
    {"rg8", 2, VK_FORMAT_R8G8_UNORM, "u8"},
    {"rg8_snorm", 2, VK_FORMAT_R8G8_SNORM, "i8"},
    {"rg8ui", 2, VK_FORMAT_R8G8_UINT, "u8"},
    {"rg8i", 2, VK_FORMAT_R8G8_SINT, "i8"},
    {"rgba8", 4, VK_FORMAT_R8G8B8A8_UNORM, "u8"},
    {"rgba8_snorm", 4, VK_FORMAT_R8G8B8A8_SNORM, "i8"},
    {"rgba8ui", 4, VK_FORMAT_R8G8B8A8_UINT, "u8"},
    {"rgba8i", 4, VK_FORMAT_R8G8B8A8_SINT, "i8"},
    {"r16", 2, VK_FORMAT_R16_UNORM, "u16"},
    {"r16_snorm", 2, VK_FORMAT_R16_SNORM, "i16"},
    {"r16ui", 2, VK_FORMAT_R16_UINT, "u16"},
    {"r16i", 2, VK_FORMAT_R16_SINT, "i16"},
    {"r16f", 2, VK_FORMAT_R16_SFLOAT, "f16"},
    {"rg16", 4, VK_FORMAT_R16G16_UNORM, "u16"},
    {"rg16_snorm", 4, VK_FORMAT_R16G16_SNORM, "i16"},
    {"rg16ui", 4, VK_FORMAT_R16G16_UINT, "u16"},
    {"rg16i", 4, VK_FORMAT_R16G16_SINT, "i16"},
    {"rg16f", 4, VK_FORMAT_R16G16_SFLOAT, "f16"},
    {"rgba16", 8, VK_FORMAT_R16G16B16A16_UNORM, "u16"},
    {"rgba16_snorm", 8, VK_FORMAT_R16G16B16A16_SNORM, "i16"},
    {"rgba16ui", 8, VK_FORMAT_R16G16B16A16_UINT, "u16"},
    {"rgba16i", 8, VK_FORMAT_R16G16B16A16_SINT, "i16"},
    {"rgba16f", 8, VK_FORMAT_R16G16B16A16_SFLOAT, "f16"},
    {"r32f", 4, VK_FORMAT_R32_SFLOAT, "f32"},
    {"r32ui", 4, VK_FORMAT_R32_UINT, "u32"},
    {"r32i", 4, VK_FORMAT_R32_SINT, "i32"},
    {"rg32f", 8, VK_FORMAT_R32G32_SFLOAT, "f32"},
    {"rg32ui", 8, VK_FORMAT_R32G32_UINT, "u32"},
    {"rg32i", 8, VK_FORMAT_R32G32_SINT, "i32"},
    {"rgba32f", 16, VK_FORMAT_R32G32B32A32_SFLOAT, "f32"},
    {"rgba32ui", 16, VK_FORMAT_R32G32B32A32_UINT, "u32"},
    {"rgba32i", 16, VK_FORMAT_R32G32B32A32_SINT, "i32"},
    {"r64ui", 8, VK_FORMAT_R64_UINT, "u64"},
    {"r64i", 8, VK_FORMAT_R64_SINT, "i64"},
    {"bgra8", 4, VK_FORMAT_B8G8R8A8_UNORM, "u8"},
    {"srgb8_a8", 4, VK_FORMAT_R8G8B8A8_SRGB, "u8"},
    {"bgra8_srgb", 4, VK_FORMAT_B8G8R8A8_SRGB, "u8"},
    {"rgb10_a2", 4, VK_FORMAT_A2B10G10R10_UNORM_PACK32, ""},
    {"rgb10_a2ui", 4, VK_FORMAT_A2B10G10R10_UINT_PACK32, ""},
    {"r11f_g11f_b10f", 4, VK_FORMAT_B10G11R11_UFLOAT_PACK32, ""},
    {"rgb9_e5", 4, VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, ""},
    {"r5g6b5", 2, VK_FORMAT_R5G6B5_UNORM_PACK16, ""},
    {"rgba4", 2, VK_FORMAT_R4G4B4A4_UNORM_PACK16, ""},
    {"a1rgb5", 2, VK_FORMAT_A1R5G5B5_UNORM_PACK16, ""},
    {"d16", 2, VK_FORMAT_D16_UNORM, "u16"},
    {"d32f", 4, VK_FORMAT_D32_SFLOAT, "f32"},
};
// clang-format on

const struct lull_vk_format *lull_vk_format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

void lull_vk_format_names(struct lull_str *out)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        lull_str_addf(out, "%s%s", i > 0 ? " " : "", formats[i].name);
    }
}
