// SPDX-License-Identifier: MIT
/** @file
 * Texels for tests of instructions that convert: in memory and in VGPRs, by the definition of each
 * format, and how VGPRs hold some of their components. Include after wave_fixture.h and
 * img_fixture.h.
 */
#ifndef LULL_TESTS_TEXELS_H
#define LULL_TESTS_TEXELS_H

enum { TEXEL_REGS = 6, TEXEL_FILL = 0x5a5a5a5a };

/** A texel: the same in memory, in VGPRs, and in halves of VGPRs. */
struct texel {
    const char *name;
    unsigned format, size, n; // Bytes of a component; how many the format has.
    uint32_t memory[4], full[4];
    uint16_t half[4];
    uint32_t one; // What DST_SEL 1 gives.
    bool rounded; // The halves are less than what is in memory: for loads only.
};

static const struct texel texels[] = {
    // clang-format off
    {"8_8_8_8_UINT", F_8888_UINT, 1, 4,
     {1, 2, 3, 0x84}, {1, 2, 3, 0x84},
     {1, 2, 3, 0x84}, 1, false},
    {"8_8_8_8_SINT", F_8888_SINT, 1, 4,
     {0x7f, 0x80, 0xff, 1}, {0x7f, 0xffffff80, 0xffffffff, 1},
     {0x7f, 0xff80, 0xffff, 1}, 1, false},
    {"8_8_8_8_UNORM", F_8888_UNORM, 1, 4,
     {0xff, 0, 0xff, 0xff}, {0x3f800000, 0, 0x3f800000, 0x3f800000},
     {0x3c00, 0, 0x3c00, 0x3c00}, 0x3f800000, false},
    {"16_16_16_16_FLOAT", F_16161616_FLOAT, 2, 4,
     {0x3c00, 0xc000, 0x3800, 0x4200}, {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3c00, 0xc000, 0x3800, 0x4200}, 0x3f800000, false},
    {"32_32_32_32_UINT", F_32323232_UINT, 4, 4,
     {1, 2, 3, 0x8004}, {1, 2, 3, 0x8004},
     {1, 2, 3, 0x8004}, 1, false},
    {"32_32_32_32_FLOAT", F_32323232_FLOAT, 4, 4,
     {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3f800000, 0xc0000000, 0x3f000000, 0x40400000},
     {0x3c00, 0xc000, 0x3800, 0x4200}, 0x3f800000, false},
    {"32_32_UINT, Z is 0 and W 1", F_32_32_UINT, 4, 2,
     {8, 9}, {8, 9, 0, 1},
     {8, 9, 0, 1}, 1, false},
    {"16_FLOAT, W is 1.0", F_16_FLOAT, 2, 1,
     {0xc000}, {0xc0000000, 0, 0, 0x3f800000},
     {0xc000, 0, 0, 0x3c00}, 0x3f800000, false},
    {"32_32_32_32_FLOAT between halves: towards 0", F_32323232_FLOAT, 4, 4,
     {0x3f801fff, 0xbf801fff, 0x477fffff, 0x33ffffff},
     {0x3f801fff, 0xbf801fff, 0x477fffff, 0x33ffffff},
     {0x3c00, 0xbc00, 0x7bff, 0x0001}, 0x3f800000, true},
    // 32792 / 65535 is a little more than 0.5.
    {"16_16_16_16_UNORM between halves: to nearest", F_16161616_UNORM, 2, 4,
     {0x8018, 0xffff, 3, 0x4007}, {0x3f001880, 0x3f800000, 0x384000c0, 0x3e800e80},
     {0x3801, 0x3c00, 0x0300, 0x3400}, 0x3f800000, true},
    // clang-format on
};

/**
 * VGPRs that hold the components of a mask, one behind the other, with D16 in halves; what no
 * component has keeps its value. @return how many VGPRs.
 */
static inline unsigned texel_pack(const uint32_t full[4], const uint16_t half[4], unsigned mask,
                                  bool d16, uint32_t reg[TEXEL_REGS])
{
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if ((mask >> c & 1) == 0) {
            continue;
        }
        if (!d16) {
            reg[n] = full[c];
        } else if (n % 2 == 0) {
            reg[n / 2] = (reg[n / 2] & 0xffff0000) | half[c];
        } else {
            reg[n / 2] = (reg[n / 2] & 0xffff) | (uint32_t)half[c] << 16;
        }
        n++;
    }
    return d16 ? (n + 1) / 2 : n;
}

#endif
