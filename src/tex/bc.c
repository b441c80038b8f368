// SPDX-License-Identifier: MIT
// Block compression BC1 to BC5. Source: Khronos Data Format Specification 1.3, sections 18 and 19.
#include <string.h>

#include "tex/format_table.h"

enum { TEXELS = 4 }; // A side of a block.

static uint64_t bytes_le(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)p[i] << 8 * i;
    }
    return v;
}

static void rgb565(uint32_t c, float rgb[3])
{
    rgb[0] = (float)(c >> 11) / 31.0f;
    rgb[1] = (float)(c >> 5 & 63) / 63.0f;
    rgb[2] = (float)(c & 31) / 31.0f;
}

/** Colour half of BC1, BC2 and BC3. @p punch: BC1, which has black without alpha if c0 <= c1. */
static void bc_color(const uint8_t *p, unsigned at, bool punch, float rgba[4])
{
    const uint32_t c0 = (uint32_t)bytes_le(p, 2);
    const uint32_t c1 = (uint32_t)bytes_le(p + 2, 2);
    const unsigned index = (unsigned)(bytes_le(p + 4, 4) >> 2 * at) & 3;
    const bool three = punch && c0 <= c1;
    static const float weights[2][4] = {{0, 1, 1 / 3.0f, 2 / 3.0f}, {0, 1, 0.5f, 0}}; // Of c1.
    float a[3] = {0};
    float b[3] = {0};
    rgb565(c0, a);
    rgb565(c1, b);
    if (three && index == 3) {
        memset(rgba, 0, 4 * sizeof(rgba[0]));
        return;
    }
    const float w = weights[three][index];
    for (unsigned i = 0; i < 3; i++) {
        rgba[i] = a[i] * (1.0f - w) + b[i] * w;
    }
}

static float bc_end(uint8_t v, bool is_signed)
{
    const int s = (int8_t)v;
    return is_signed ? (float)(s < -127 ? -127 : s) / 127.0f : (float)v / 255.0f;
}

/** One channel with two ends and 3-bit indices: BC4, halves of BC5, alpha of BC3. */
static float bc_channel(const uint8_t *p, unsigned at, bool is_signed)
{
    const float a = bc_end(p[0], is_signed);
    const float b = bc_end(p[1], is_signed);
    const unsigned index = (unsigned)(bytes_le(p + 2, 6) >> 3 * at) & 7;
    const bool eight = is_signed ? (int8_t)p[0] > (int8_t)p[1] : p[0] > p[1];
    if (index < 2) {
        return index == 0 ? a : b;
    }
    if (eight) {
        return (a * (float)(8 - index) + b * (float)(index - 1)) / 7.0f;
    }
    if (index < 6) {
        return (a * (float)(6 - index) + b * (float)(index - 1)) / 5.0f;
    }
    return index == 7 ? 1.0f : is_signed ? -1.0f : 0.0f;
}

void lull_bc_texel(const struct lull_format_info *f, const uint8_t *block, unsigned x, unsigned y,
                   float rgba[4])
{
    const unsigned at = y % TEXELS * TEXELS + x % TEXELS;
    const bool is_signed = f->kind == LULL_FORMAT_SNORM;
    switch ((enum lull_format_codec)f->codec) {
    case LULL_FORMAT_BC1:
        bc_color(block, at, true, rgba);
        break;
    case LULL_FORMAT_BC2:
        bc_color(block + 8, at, false, rgba);
        rgba[3] = (float)(bytes_le(block, 8) >> 4 * at & 15) / 15.0f;
        break;
    case LULL_FORMAT_BC3:
        bc_color(block + 8, at, false, rgba);
        rgba[3] = bc_channel(block, at, false);
        break;
    case LULL_FORMAT_BC5:
        rgba[1] = bc_channel(block + 8, at, is_signed);
        rgba[0] = bc_channel(block, at, is_signed);
        break;
    case LULL_FORMAT_BC4:
        rgba[0] = bc_channel(block, at, is_signed);
        break;
    case LULL_FORMAT_PLAIN:
    case LULL_FORMAT_BC6:
    case LULL_FORMAT_BC7:
    case LULL_FORMAT_OTHER:
        break;
    }
}
