// SPDX-License-Identifier: MIT
// Kernels of ir3 as dispatches: what they leave in memory, against what C computes.
//
// Memory is 1 MiB at BASE. r48.x to .z are the group, r0.x to .z the local id; c0.x, c0.y hold
// BASE. Each fiber n = group * local size + local id has dword n of the output, at BASE.
#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "isa/ir3/ir3.h"
#include "machine.h"
#include "test.h"

enum { OUT = 1024, CODE = 0x80000, DESCRIPTORS = 0x60000, PRIVATE = 0xa0000, GEN = 660 };

/* What kernels begin and end with: the number of the fiber in r40.x, and r1.x to its dword. */
#define INDEX(size)                                                                                \
    "mov.u32u32 r41.x, c0.x\nmov.u32u32 r41.y, c0.y\nmov.u32u32 r40.y, " #size                     \
    "\n(rpt5)nop\nmull.u r40.x, r48.x, r40.y\n(rpt5)nop\nadd.u r40.x, r40.x, r0.x\n"
#define STORE "(ss)(sy)(rpt5)nop\nstg.a.u32 g[r41.x+(r40.x)<<2], r1.x, 1\nend\n"

struct row {
    const char *name;
    unsigned local, groups;
    bool wide; ///< 128 fibers.
    const char *text;
    uint32_t (*want)(uint32_t n, uint32_t local, uint32_t group, unsigned size);
};

static uint32_t number(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    return n;
}

static uint32_t triangle(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l * (l + 1) / 2;
}

static uint32_t collatz(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    uint32_t steps = 0;
    for (uint32_t v = n + 1; v != 1; steps++) {
        v = (v & 1) != 0 ? 3 * v + 1 : v >> 1;
    }
    return steps;
}

static uint32_t three_ways(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l < 10 ? 100 + l : l < 20 ? 200 + l : 300 + l;
}

static uint32_t odd_even(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return (l & 1) != 0 ? 7 : 9;
}

static uint32_t reversed(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n;
    return g * 1000 + (size - 1 - l);
}

static uint32_t mirrored(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l ^ 5;
}

static uint32_t quad(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return (l ^ 1) * 1000000 + (l ^ 2) * 1000 + (l ^ 3);
}

static uint32_t ballot(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l >= 40 ? 0xffffff00u : 0;
}

static uint32_t scratch(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return 3 * l + 2;
}

static uint32_t total(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)l, (void)g, (void)size;
    return 64 * 63 / 2;
}

static uint32_t constant(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    return n + 1234;
}

static uint32_t indexed(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return 50 + (l & 3);
}

static uint32_t halves(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return (l + 7) << 16 | (l + 3);
}

static uint32_t scan(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    const uint32_t lane = l & 3;
    return lane >= 2 ? (l & ~3u) + 1 : l;
}

static uint32_t buffered(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    return n < 40 ? 0xb0000000u + n : 0; // The descriptor has 40 elements.
}

static uint32_t permuted(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return (l + 2) * 1000 + (l + 1);
}

/** Those that do not jump: all behind the first eight, and the last of these. Source: Mesa
 * ir3-cat0.xml, getlast. */
static uint32_t last(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l >= 7 ? 1 : 0;
}

/** The sum of all up to this one, as Mesa's loop over clusters of eight makes it. Source:
 * ir3_lower_subgroups.c, OPC_SCAN_CLUSTERS_MACRO. */
static uint32_t up_to(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)g, (void)size;
    return l * (l + 1) / 2;
}

/** Byte of a texel of 4 bytes in TILE6_3, 64 texels in a row, 16 rows: bits of x and y by bits of
 * the address. Source: what Mesa's fdl6_memcpy_linear_to_tiled() writes. */
static uint32_t tiled(uint32_t x, uint32_t y)
{
    static const uint16_t of_x[] = {4, 16, 64, 128, 1792, 2560}, of_y[] = {8, 32, 1536, 768};
    uint32_t at = 0;
    for (unsigned i = 0; i < TEST_ROWS(of_x); i++) {
        at ^= (x >> i & 1) != 0 ? of_x[i] : 0;
    }
    for (unsigned i = 0; i < TEST_ROWS(of_y); i++) {
        at ^= (y >> i & 1) != 0 ? of_y[i] : 0;
    }
    return at;
}

static uint32_t image_mirrored(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n;
    return g * size + (size - 1 - l);
}

static uint32_t image_tiled(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    uint32_t texel = 0;
    while (texel < OUT && tiled(texel % 64, texel / 64) != 4 * n) {
        texel++;
    }
    return texel;
}

/** Byte @p at of what describe() writes behind the images. */
static uint32_t pattern(uint32_t at)
{
    return (at * 7 + at / 256 * 31) & 255;
}

static uint32_t pattern_word(uint32_t at)
{
    return pattern(at) | pattern(at + 1) << 8 | pattern(at + 2) << 16 | pattern(at + 3) << 24;
}

static uint32_t image_swapped(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)size;
    return pattern(tiled(l, g) + 2) * 1000 + pattern(tiled(l, g)); // Red, blue.
}

static uint32_t image_level1(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)size;
    const uint32_t x = l % 32, y = l / 32;
    return x < 16 && g < 2 ? pattern_word(g * 12288 + 4096 + tiled(x, y)) : 0;
}

static uint32_t image_level2(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)size;
    const uint32_t x = l % 8, y = l / 8;
    return y < 2 && g < 2 ? pattern_word(g * 12288 + 8192 + y * 256 + x * 4) : 0;
}

static uint32_t image_size(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)l, (void)g, (void)size;
    return 16 * 1000000 + 4 * 10000 + 2 * 100 + 3; // Levels are 3.
}

static uint32_t image_resinfo(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)l, (void)g, (void)size;
    return 20 * 10000 + 6 * 100 + 5;
}

static uint32_t image_3d(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)n, (void)size;
    const uint32_t x = l % 32, y = l / 32;
    return x < 20 && g < 5
               ? pattern(g * 4096 + y * 64 + x * 2 + 1) << 8 | pattern(g * 4096 + y * 64 + x * 2)
               : 0;
}

static uint32_t image_atomic(uint32_t n, uint32_t l, uint32_t g, unsigned size)
{
    (void)l, (void)g, (void)size;
    return n < 8 ? 0xcccccccc + 3 * 8 : 0xcccccccc;
}

static const struct row rows[] = {
    {"the number of the fiber", 64, 3, false, INDEX(64) "(rpt5)nop\nmov.u32u32 r1.x, r40.x\n" STORE,
     number},
    {"a group that does not fill its waves", 100, 2, false,
     INDEX(100) "(rpt5)nop\nmov.u32u32 r1.x, r40.x\n" STORE, number},
    {"a wave of 128", 128, 2, true, INDEX(128) "(rpt5)nop\nmov.u32u32 r1.x, r40.x\n" STORE, number},
    {"a loop whose length differs", 64, 1, false,
     INDEX(64) "mov.u32u32 r1.x, 0\nmov.u32u32 r1.y, 0\n"
               "l1:\n(jp)(rpt5)nop\ncmps.u.gt p0.x, r1.y, r0.x\n(rpt5)nop\nbr p0.x, #l2\n"
               "add.u r1.x, r1.x, r1.y\nadd.u r1.y, r1.y, 1\njump #l1\nl2:\n(jp)nop\n" STORE,
     triangle},
    {"a branch in a loop", 64, 2, true,
     INDEX(64) "(rpt5)nop\nadd.u r1.y, r40.x, 1\nmov.u32u32 r1.x, 0\n"
               "l1:\n(jp)(rpt5)nop\ncmps.u.eq p0.x, r1.y, 1\n(rpt5)nop\nbr p0.x, #l4\n"
               "and.b r1.z, r1.y, 1\n(rpt5)nop\ncmps.u.eq p0.y, r1.z, 0\n(rpt5)nop\nbr p0.y, #l2\n"
               "shl.b r1.w, r1.y, 1\n(rpt5)nop\nadd.u r1.y, r1.y, r1.w\n(rpt5)nop\nadd.u r1.y, "
               "r1.y, 1\n"
               "jump #l3\nl2:\n(jp)shr.b r1.y, r1.y, 1\nl3:\n(jp)add.u r1.x, r1.x, 1\njump #l1\n"
               "l4:\n(jp)nop\n" STORE,
     collatz},
    {"branches one after the other", 64, 1, false,
     INDEX(64) "cmps.u.lt p0.x, r0.x, 10\ncmps.u.lt p0.y, r0.x, 20\n(rpt5)nop\nbr p0.x, #l1\n"
               "br p0.y, #l2\nmov.u32u32 r1.x, 300\njump #l3\nl1:\n(jp)mov.u32u32 r1.x, 100\njump "
               "#l3\n"
               "l2:\n(jp)mov.u32u32 r1.x, 200\nl3:\n(jp)(rpt5)nop\nadd.u r1.x, r1.x, r0.x\n" STORE,
     three_ways},
    {"predication", 64, 1, false,
     INDEX(64) "and.b r1.y, r0.x, 1\n(rpt5)nop\ncmps.u.ne p0.x, r1.y, 0\n(rpt5)nop\n"
               "predt\nmov.u32u32 r1.x, 7\npredf\nmov.u32u32 r1.x, 9\nprede\n" STORE,
     odd_even},
    {"two conditions of a branch", 64, 1, false,
     INDEX(64) "mov.u32u32 r1.x, 7\nand.b r1.y, r0.x, 1\n(rpt5)nop\ncmps.u.ne p0.x, r1.y, 0\n"
               "cmps.u.eq p0.y, r1.y, 1\n(rpt5)nop\nbraa p0.x, p0.y, #l1\nmov.u32u32 r1.x, 9\n"
               "l1:\n(jp)nop\n" STORE,
     odd_even},
    {"shared memory and a barrier", 128, 2, false,
     INDEX(128) "shl.b r1.y, r0.x, 2\n(rpt5)nop\nmull.u r1.z, r48.x, 1000\n(rpt5)nop\n"
                "add.u r1.z, r1.z, r0.x\n(rpt5)nop\nstl.u32 l[r1.y], r1.z, 1\n(ss)(sy)bar.g\n"
                "sub.u r1.w, 127, r0.x\n(rpt5)nop\nshl.b r1.w, r1.w, 2\n(rpt5)nop\n"
                "ldl.u32 r1.x, l[r1.w], 1\n" STORE,
     reversed},
    {"shuffle", 64, 1, false,
     INDEX(64) "mov.u32u32 r1.y, 5\n(rpt5)nop\nshfl.xor.u32 r1.x, r0.x, r1.y\n" STORE, mirrored},
    {"shuffles in a quad", 64, 1, false,
     INDEX(64) "quad_shuffle.horiz (u32)(x)r1.y, r0.x\nquad_shuffle.vert (u32)(x)r1.z, r0.x\n"
               "quad_shuffle.diag (u32)(x)r1.w, r0.x\n(sy)mov.u32u32 r2.x, 1000\n(rpt5)nop\n"
               "mull.u r1.y, r1.y, r2.x\n(rpt5)nop\nadd.u r1.y, r1.y, r1.z\n(rpt5)nop\n"
               "mul.u24 r1.y, r1.y, r2.x\n(rpt5)nop\nadd.u r1.x, r1.y, r1.w\n" STORE,
     quad},
    {"who is on", 64, 1, true,
     INDEX(64) "mov.u32u32 r1.x, 0\ncmps.u.lt p0.x, r0.x, 40\n(rpt5)nop\nbr p0.x, #l1\n"
               "movmsk.w128 r2.x\n(rpt5)nop\nmov.u32u32 r1.x, r2.y\nl1:\n(jp)nop\n" STORE,
     ballot},
    {"private memory", 64, 2, false,
     INDEX(
         64) "mov.u32u32 r3.x, 4\nmov.u32u32 r3.y, 8\nadd.u r2.x, r0.x, 1\nadd.u r2.y, r0.x, r0.x\n"
             "(rpt5)nop\nadd.u r2.y, r2.y, 1\n(rpt5)nop\nstp.u32 p[r3.x], r2.x, 1\n"
             "stp.u32 p[r3.y], r2.y, 1\n(ss)nop\nldp.u32 r4.x, p[r3.x], 2\n(sy)(rpt5)nop\n"
             "add.u r1.x, r4.x, r4.y\n" STORE,
     scratch},
    {"an atomic sum", 64, 1, false,
     INDEX(64) "mov.u32u32 r2.x, c0.x\nmov.u32u32 r2.y, c0.y\n"
               "mov.u32u32 r2.z, 0x2000\n(rpt5)nop\nadd.u r2.x, r2.x, r2.z\n(rpt5)nop\n"
               "atomic.g.add.untyped.1d.u32.1.g r3.x, r2.x, r0.x\n(sy)(ss)bar.g\n"
               "ldg.u32 r1.x, g[r2.x], 1\n" STORE,
     total},
    {"a preamble that writes a constant", 64, 3, false,
     "shps #l1\ngetone #l1\nmov.u32u32 r2.x, 1234\n(rpt5)nop\nstc.u32 c[8], r2.x, 1\n(sy)(ss)shpe\n"
     "l1:\n(jp)" INDEX(64) "(rpt5)nop\nadd.u r1.x, r40.x, c2.x\n" STORE,
     constant},
    {"a register by a0.x", 64, 1, false,
     INDEX(
         64) "mov.u32u32 r4.x, 50\nmov.u32u32 r4.y, 51\nmov.u32u32 r4.z, 52\nmov.u32u32 r4.w, 53\n"
             "and.b r1.y, r0.x, 3\n(rpt5)nop\ncov.u32s16 hr12.x, r1.y\n(rpt5)nop\nmova a0.x, "
             "hr12.x\n"
             "(rpt5)nop\nmov.u32u32 r1.x, r<a0.x + 16>\n" STORE,
     indexed},
    {"halves of a register", 64, 1, false,
     INDEX(64) "add.u r2.x, r0.x, 3\nadd.u r2.y, r0.x, 7\n(rpt5)nop\ncov.u32u16 hr2.x, r2.x\n"
               "cov.u32u16 hr2.y, r2.y\n" STORE,
     halves},
    {"the last of the lower half", 64, 1, false,
     INDEX(64) "mov.u32u32 r1.x, r0.x\n(rpt5)nop\nbrcst.active.w4 (u32)(x)r1.x, r0.x\n" STORE,
     scan},
    {"a buffer of 40 elements", 64, 1, false,
     INDEX(64) "mov.u32u32 r2.x, 0\nldib.b.untyped.1d.u32.1.imm.base0 r1.x, r40.x, 1\n" STORE,
     buffered},
    {"the same as a texture", 64, 1, false,
     INDEX(64) "isam.base0.1d (u32)(x)r1.x, r40.x, s#0, t#1\n" STORE, buffered},
    {"two moves at once", 64, 1, false,
     INDEX(64) "add.u r2.x, r0.x, 1\nadd.u r2.y, r0.x, 2\n(rpt5)nop\n"
               "swz.u32u32 r2.x, r2.y, r2.y, r2.x\n(rpt5)nop\nmov.u32u32 r3.x, 1000\n(rpt5)nop\n"
               "mull.u r2.x, r2.x, r3.x\n(rpt5)nop\nadd.u r1.x, r2.x, r2.y\n" STORE,
     permuted},
    {"the last of eight", 64, 1, false,
     INDEX(64) "mov.u32u32 r1.x, 0\ngetlast.w8 #l1\nmov.u32u32 r1.x, 1\nl1:\n(jp)nop\n" STORE,
     last},
    {"a scan by clusters of eight", 64, 1, true,
     INDEX(64) "mov.u32u32 r2.x, r0.x\nmov.u32u32 r48.w, 0\nmov.u32u32 r3.x, 0\nmov.u32u32 r3.y, "
               "0\nmov.u32u32 r3.z, 0\n(rpt5)nop\nbrcst.active.w2 (u32)(x)r3.x, r2.x\n"
               "(sy)(rpt5)nop\nadd.u r2.x, r2.x, r3.x\n(rpt5)nop\n"
               "brcst.active.w4 (u32)(x)r3.y, r2.x\n(sy)(rpt5)nop\nadd.u r2.x, r2.x, r3.y\n"
               "(rpt5)nop\nbrcst.active.w8 (u32)(x)r3.z, r2.x\n(sy)(rpt5)nop\n"
               "add.u r2.x, r2.x, r3.z\nl1:\n(ss)mov.u32u32 r1.x, r48.w\n(rpt5)nop\n"
               "add.u r1.x, r2.x, r1.x\n(rpt5)nop\ngetlast.w8 #l2\nmov.u32u32 r48.w, r1.x\n"
               "getone #l1\nl2:\n(jp)nop\n" STORE,
     up_to},
    {"stores to a linear image", 64, 16, false,
     INDEX(64) "sub.u r2.x, 63, r0.x\nmov.u32u32 r2.y, r48.x\n(rpt5)nop\n"
               "stib.b.typed.2d.u32.1.imm.base0 r40.x, r2.x, 2\nend\n",
     image_mirrored},
    {"stores to a tiled image", 64, 16, false,
     INDEX(64) "mov.u32u32 r2.x, r0.x\nmov.u32u32 r2.y, r48.x\n(rpt5)nop\n"
               "stib.b.typed.2d.u32.1.imm.base0 r40.x, r2.x, 3\nend\n",
     image_tiled},
    {"loads of a tiled image of B8G8R8A8", 64, 16, false,
     INDEX(64) "mov.u32u32 r2.x, r0.x\nmov.u32u32 r2.y, r48.x\n(rpt5)nop\n"
               "ldib.b.typed.2d.f32.4.imm.base0 r4.x, r2.x, 4\n(sy)mov.f32f32 r3.x, (255.0)\n"
               "mov.u32u32 r3.y, 1000\n(rpt5)nop\nmul.f r4.x, r4.x, r3.x\n"
               "mul.f r4.z, r4.z, r3.x\n(rpt5)nop\nadd.f r4.x, r4.x, (0.5)\n"
               "add.f r4.z, r4.z, (0.5)\n(rpt5)nop\ncov.f32u32 r4.x, r4.x\n"
               "cov.f32u32 r4.z, r4.z\n(rpt5)nop\nmul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\n"
               "add.u r1.x, r4.x, r4.z\n" STORE,
     image_swapped},
    {"level 1 of an array of images", 64, 3, false,
     INDEX(64) "and.b r2.x, r0.x, 31\nshr.b r2.y, r0.x, 5\nmov.u32u32 r2.z, r48.x\n"
               "mov.u32u32 r3.x, 1\n(rpt5)nop\n"
               "isaml.a.base0 (u32)(x)r1.x, r2.x, r3.x, s#0, t#5\n" STORE,
     image_level1},
    {"level 2 of them, which is linear", 64, 3, false,
     INDEX(64) "and.b r2.x, r0.x, 7\nshr.b r2.y, r0.x, 3\nmov.u32u32 r2.z, r48.x\n"
               "mov.u32u32 r3.x, 2\n(rpt5)nop\n"
               "isaml.a.base0 (u32)(x)r1.x, r2.x, r3.x, s#0, t#5\n" STORE,
     image_level2},
    {"sizes and levels of textures", 64, 1, false,
     INDEX(64) "mov.u32u32 r3.x, 1\n(rpt5)nop\ngetsize.a.base0 (u32)(xyzw)r4.x, r3.x, t#5\n"
               "getinfo.base0 (u32)(z)r5.x, t#5\n(sy)mov.u32u32 r3.y, 100\n(rpt5)nop\n"
               "mul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\nadd.u r4.x, r4.x, r4.y\n(rpt5)nop\n"
               "mul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\nadd.u r4.x, r4.x, r4.w\n(rpt5)nop\n"
               "mul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\nadd.u r1.x, r4.x, r5.z\n" STORE,
     image_size},
    {"the size of a 3D image", 64, 1, false,
     INDEX(64) "resinfo.b.untyped.3d.u32.1.imm.base0 r4.x, 6\n(sy)mov.u32u32 r3.y, 100\n"
               "(rpt5)nop\nmul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\nadd.u r4.x, r4.x, r4.y\n"
               "(rpt5)nop\nmul.u24 r4.x, r4.x, r3.y\n(rpt5)nop\nadd.u r1.x, r4.x, r4.z\n" STORE,
     image_resinfo},
    {"loads of a linear 3D image", 64, 6, false,
     INDEX(64) "and.b r2.x, r0.x, 31\nshr.b r2.y, r0.x, 5\nmov.u32u32 r2.z, r48.x\n(rpt5)nop\n"
               "ldib.b.typed.3d.u32.1.imm.base0 r1.x, r2.x, 6\n" STORE,
     image_3d},
    {"atomics on an image", 64, 3, false,
     INDEX(64) "and.b r2.x, r0.x, 7\nmov.u32u32 r2.y, 0\nmov.u32u32 r4.y, 1\n(rpt5)nop\n"
               "atomic.b.add.typed.2d.u32.1.imm.base0 r4.x, r2.x, 2\nend\n",
     image_atomic},
};

/** Images of heap 0. Fields: Mesa a6xx.xml, A6XX_TEX_CONST. */
static void describe_images(struct machine *m)
{
    enum { FMT_8888 = 48, FMT_32_UINT = 75, FMT_16_UINT = 24, PATTERN = 0x50000 };
    enum { TILED = 3, BGRA = 1u << 30, XYZW = 0 | 1 << 7 | 2 << 10 | 3 << 13 };
    const struct {
        uint32_t format, tile, width, height, depth, levels, pitch, type, layer, base;
    } all[] = {
        {FMT_32_UINT, 0, 64, 16, 1, 1, 256, 1, 4096, 0},
        {FMT_32_UINT, TILED, 64, 16, 1, 1, 256, 1, 4096, 0},
        {FMT_8888, TILED | BGRA, 64, 16, 1, 1, 256, 1, 4096, PATTERN},
        {FMT_32_UINT, TILED, 32, 8, 2, 3, 256, 1, 12288, PATTERN},
        {FMT_16_UINT, 0, 20, 6, 5, 1, 64, 3, 4096, PATTERN},
    };
    for (uint32_t i = 0; i < TEST_ROWS(all); i++) {
        uint32_t *d = (uint32_t *)(void *)(m->mem + DESCRIPTORS + 64 * (2 + i));
        const uint32_t align = all[i].levels > 1 ? 2 : 0; // 256 bytes.
        d[0] = all[i].format << 22 | all[i].tile | XYZW | (all[i].levels - 1) << 16;
        d[1] = all[i].width | all[i].height << 15;
        d[2] = align | all[i].pitch << 7 | all[i].type << 29;
        d[3] = all[i].layer >> 12;
        d[4] = all[i].base;
        d[5] = (uint32_t)(BASE >> 32) | all[i].depth << 17;
    }
    for (uint32_t i = 0; i < 0x8000; i++) {
        m->mem[PATTERN + i] = (uint8_t)pattern(i);
    }
}

/** The descriptor of 40 dwords at BASE + 0x40000, as number 1 of heap 0. */
static void describe(struct machine *m)
{
    uint32_t *d = (uint32_t *)(void *)(m->mem + DESCRIPTORS + 64);
    d[0] = 75u << 22; // FMT6_32_UINT
    d[1] = 40;
    d[2] = 1u << 4 | 4u << 29; // a buffer
    d[4] = 0x40000;
    d[5] = (uint32_t)(BASE >> 32);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t v = 0xb0000000u + i;
        memcpy(m->mem + 0x40000 + 4 * i, &v, sizeof v);
    }
    m->regs[LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR] = (uint32_t)(BASE + DESCRIPTORS) | 3;
    m->regs[LULL_A6XX_SP_CS_BINDLESS_BASE_DESCRIPTOR + 1] = (uint32_t)(BASE >> 32);
}

static void set_up(struct machine *m, const struct row *r, const struct lull_ir3_shader *s)
{
    memset(m, 0, sizeof *m);
    memset(m->mem, 0xcc, OUT * 4);
    memcpy(m->mem + CODE, s->words, s->n * sizeof *s->words);
    m->regs[LULL_A6XX_SP_CS_OBJ_START] = (uint32_t)BASE + CODE;
    m->regs[LULL_A6XX_SP_CS_OBJ_START + 1] = (uint32_t)(BASE >> 32);
    m->regs[LULL_A6XX_SP_CS_INSTRLEN] = (uint32_t)(s->n + 15) / 16;
    m->regs[LULL_A6XX_SP_CS_CTRL_REG0] = 1u << 31 | (r->wide ? 1u << 20 : 0);
    m->regs[LULL_A6XX_SP_CS_CTRL_REG1] = 3;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL] = 1;
    m->regs[LULL_A6XX_HLSQ_CS_NDRANGE_0] = 3 | (r->local - 1) << 2;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL_0] = 48u * 4 | 0xfc00 | 0xfc0000;
    m->regs[LULL_A6XX_HLSQ_CS_CNTL_1] = 0xfc;
    m->regs[LULL_A6XX_SP_CS_PVT_MEM_PARAM] = 1; // 512 bytes
    m->regs[LULL_A6XX_SP_CS_PVT_MEM_ADDR] = (uint32_t)BASE + PRIVATE;
    m->regs[LULL_A6XX_SP_CS_PVT_MEM_ADDR + 1] = (uint32_t)(BASE >> 32);
    m->regs[LULL_A6XX_SP_CS_PVT_MEM_SIZE] = 0x10000 >> 12 | 1u << 31;
    m->state.stage[LULL_ASTAGE_CS].consts[0] = (uint32_t)BASE;
    m->state.stage[LULL_ASTAGE_CS].consts[1] = (uint32_t)(BASE >> 32);
    describe(m);
    describe_images(m);
}

static void check(struct machine *m, const struct row *r, uint64_t seed)
{
    uint32_t bad = 0, first = 0, got = 0;
    for (uint32_t n = 0; n < r->local * r->groups; n++) {
        uint32_t v = 0;
        memcpy(&v, m->mem + 4 * n, sizeof v);
        if (v != r->want(n, n % r->local, n / r->local, r->local) && bad++ == 0) {
            first = n, got = v;
        }
    }
    char name[128];
    snprintf(name, sizeof name, "%s, seed %u", r->name, (unsigned)seed);
    test_case(bad == 0, name, "%u of %u wrong; fiber %u: got 0x%x, want 0x%x", bad,
              r->local * r->groups, first, got,
              r->want(first, first % r->local, first / r->local, r->local));
}

static void run(struct machine *m, const struct row *r, uint64_t seed)
{
    struct lull_ir3_shaders s = {.all = NULL};
    struct lull_error *err = lull_ir3_assemble(r->text, GEN, &s);
    struct lull_acompute *c = NULL;
    if (err == NULL) {
        set_up(m, r, &s.all[0]);
        const struct lull_acompute_source source = {.gpu_id = GEN,
                                                    .ctx = m,
                                                    .reg = reg,
                                                    .memory = {.ctx = m, .at = at},
                                                    .state = &m->state,
                                                    .seed = seed};
        const uint32_t groups[3] = {r->groups, 1, 1};
        err = lull_acompute_new(&source, groups, &c);
    }
    uint64_t done = 0;
    if (err == NULL) {
        err = lull_acompute_run(c, 1000000, &done);
    }
    if (err != NULL) {
        test_case(false, r->name, "%s", lull_error_message(err));
    } else if (!lull_acompute_ended(c)) {
        test_case(false, r->name, "does not end");
    } else {
        check(m, r, seed);
    }
    lull_error_free(err);
    lull_acompute_free(c);
    lull_ir3_shaders_done(&s);
}

int main(void)
{
    struct machine *m = malloc(sizeof *m);
    if (m == NULL) {
        return 1;
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        run(m, &rows[i], 0);
        run(m, &rows[i], 5);
    }
    free(m);
    return test_end();
}
