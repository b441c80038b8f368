// SPDX-License-Identifier: MIT
/** @file
 * MUBUF and MTBUF instructions with formats. Expected values are worked out from the bytes in
 * memory by the functions here, not by the format library.
 */
#include <stdint.h>

#include "mem_format_rows.h"
#include "wave_fixture.h"

enum {
    F32_ONE = 0x3f800000,
    HALF_ONE = 0x3c00,
    KEPT = 0x5a5a5a5a,
    SEL_XYZW = 0xfac,
    SEL_ZYX1 = 0x32e, // Z Y X 1
    SEL_X000 = 0x004,
    SEL_W0X1 = 0x307, // W 0 X 1 in bits 11:0: 001 100 000 111
    // Format numbers, from the RDNA3 guide.
    FMT_8_UNORM = 1,
    FMT_16_SINT = 12,
    FMT_16_FLOAT = 13,
    FMT_32_UINT = 20,
    FMT_32_FLOAT = 22,
    FMT_8888_UNORM = 42,
    FMT_8888_SNORM = 43,
    FMT_8888_UINT = 46,
    FMT_8888_SINT = 47,
    FMT_16x4_UNORM = 51,
    FMT_32x3_UINT = 58,
    FMT_32x4_FLOAT = 63,
};

/** Byte of memory at an offset. */
static uint8_t memory(uint32_t at)
{
    return (uint8_t)(at * 37 + (at >> 8) * 11 + 5);
}

static uint32_t bits(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof(u));
    return u;
}

static uint32_t bytes_at(uint32_t at, unsigned n)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint32_t)memory(at + i) << 8 * i;
    }
    return v;
}

/** Component @p c of the texel at @p at before DST_SEL. */
typedef uint32_t texel_fn(uint32_t at, unsigned c);

static uint32_t unorm8(uint32_t at, unsigned c)
{
    return bits((float)memory(at + c) / 255.0f);
}

static uint32_t unorm8_alone(uint32_t at, unsigned c)
{
    return c == 0 ? unorm8(at, 0) : c == 3 ? F32_ONE : 0;
}

static uint32_t snorm8(uint32_t at, unsigned c)
{
    const float v = (float)(int8_t)memory(at + c) / 127.0f;
    return bits(v < -1 ? -1.0f : v);
}

static uint32_t uint8(uint32_t at, unsigned c)
{
    return memory(at + c);
}

static uint32_t sint8(uint32_t at, unsigned c)
{
    return (uint32_t)(int32_t)(int8_t)memory(at + c);
}

static uint32_t unorm16(uint32_t at, unsigned c)
{
    return bits((float)bytes_at(at + 2 * c, 2) / 65535.0f);
}

static uint32_t dwords3(uint32_t at, unsigned c)
{
    return c < 3 ? bytes_at(at + 4 * c, 4) : 1;
}

static uint32_t dwords4(uint32_t at, unsigned c)
{
    return bytes_at(at + 4 * c, 4);
}

static uint32_t sint16_alone(uint32_t at, unsigned c)
{
    return c == 0 ? (uint32_t)(int32_t)(int16_t)bytes_at(at, 2) : c == 3;
}

static uint32_t nothing(uint32_t at, unsigned c)
{
    (void)at;
    (void)c;
    return 0;
}

struct load {
    const char *text;
    unsigned format, stride, sel;
    texel_fn *texel;
    unsigned n;      // Components that the instruction returns.
    uint8_t from[4]; // Component, 8: 0, 9: 1.0f, 10: 1.
};

// Lane l reads record l, byte offset 4; registers v4 on.
static const struct load loads[] = {
    {ASM("buffer_load_format_x v4, v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_UNORM,
     8,
     SEL_XYZW,
     unorm8,
     1,
     {0}},
    {ASM("buffer_load_format_xy v[4:5], v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_SNORM,
     8,
     SEL_XYZW,
     snorm8,
     2,
     {0, 1}},
    {ASM("buffer_load_format_xyz v[4:6], v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_UINT,
     8,
     SEL_XYZW,
     uint8,
     3,
     {0, 1, 2}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_SINT,
     8,
     SEL_XYZW,
     sint8,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_UNORM,
     8,
     SEL_ZYX1,
     unorm8,
     4,
     {2, 1, 0, 9}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_8888_UINT,
     8,
     SEL_W0X1,
     uint8,
     4,
     {3, 8, 0, 10}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_8_UNORM,
     8,
     SEL_XYZW,
     unorm8_alone,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_16_SINT,
     7,
     SEL_XYZW,
     sint16_alone,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_16x4_UNORM,
     12,
     SEL_XYZW,
     unorm16,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_32x3_UINT,
     16,
     SEL_XYZW,
     dwords3,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     FMT_32x4_FLOAT,
     20,
     SEL_XYZW,
     dwords4,
     4,
     {0, 1, 2, 3}},
    {ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"),
     0,
     20,
     SEL_XYZW,
     nothing,
     4,
     {0, 1, 2, 3}},
    {ASM("tbuffer_load_format_xyzw v[4:7], v2, s[8:11], 0 format:43 idxen offset:4"),
     FMT_32_UINT,
     8,
     SEL_ZYX1,
     snorm8,
     4,
     {0, 1, 2, 3}},
    {ASM("tbuffer_load_format_x v4, v2, s[8:11], 0 format:[BUF_FMT_16_SINT] idxen offset:4"),
     FMT_8888_UNORM,
     8,
     SEL_X000,
     sint16_alone,
     1,
     {0}},
};

static struct fixture *filled(unsigned lanes, unsigned format, unsigned stride, unsigned sel,
                              uint32_t oob, uint32_t records)
{
    struct fixture *f = fix_new(lanes, 1);
    for (uint32_t i = 0; i < FIX_AREA; i++) {
        *fix_at(f, i) = memory(i);
    }
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff) | stride << 16;
    f->w.sgpr[10] = records;
    f->w.sgpr[11] = sel | format << 12 | oob << 28;
    for (unsigned l = 0; l < lanes; l++) {
        fix_v(f, 2)[l] = l;
        for (unsigned r = 4; r < 12; r++) {
            fix_v(f, r)[l] = KEPT;
        }
    }
    return f;
}

static uint32_t selected(const struct load *t, uint32_t at, unsigned i)
{
    static const uint32_t constants[] = {0, F32_ONE, 1};
    return t->from[i] >= 8 ? constants[t->from[i] - 8] : t->texel(at, t->from[i]);
}

static void test_load(const struct load *t, unsigned lanes)
{
    struct fixture *f = filled(lanes, t->format, t->stride, t->sel, 0, lanes);
    f->w.sgpr[LULL_RDNA_EXEC] = 0xf0f0ff0f;
    const enum lull_exec_result r = fix_run(f, t->text);
    unsigned bad = UINT32_MAX;
    for (unsigned l = 0; l < lanes && r == LULL_EXEC_NEXT; l++) {
        for (unsigned i = 0; i < 8; i++) {
            const bool changed = fix_active(f, l) && i < t->n;
            const uint32_t want = changed ? selected(t, l * t->stride + 4, i) : KEPT;
            bad = fix_v(f, 4 + i)[l] != want && bad == UINT32_MAX ? l * 8 + i : bad;
        }
    }
    test_case(r == LULL_EXEC_NEXT && bad == UINT32_MAX, t->text, "lane %u, v%u: %x", bad / 8,
              4 + bad % 8, bad == UINT32_MAX ? 0 : fix_v(f, 4 + bad % 8)[bad / 8]);
    fix_free(f);
}

/** Bounds: lanes below "first" read the texel at 4 of record l, others get zeros. */
static const struct {
    const char *name;
    uint32_t stride, records, oob, format;
    unsigned first;
} bounds[] = {
    {"structured with offset", 8, 5, 0, FMT_8888_UINT, 5},
    {"structured with offset, texel longer than the record", 8, 5, 0, FMT_16x4_UNORM, 0},
    {"structured", 6, 5, 1, FMT_8888_UINT, 5},
    {"unchecked", 8, 1, 2, FMT_8888_UINT, 32},
    {"unchecked, null", 8, 0, 2, FMT_8888_UINT, 0},
    {"raw", 8, 40, 3, FMT_8888_UINT, 5},
    {"raw, half a texel", 8, 38, 3, FMT_8888_UINT, 4},
    {"raw, a short texel", 8, 38, 3, FMT_16_SINT, 5},
};

static void test_bounds(void)
{
    for (size_t i = 0; i < TEST_ROWS(bounds); i++) {
        struct fixture *f = filled(32, bounds[i].format, bounds[i].stride, SEL_XYZW, bounds[i].oob,
                                   bounds[i].records);
        bool ok = true;
        fix_run(f, ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen offset:4"));
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t at = l * bounds[i].stride + 4;
            const bool in = l < bounds[i].first;
            const uint32_t x = bounds[i].format == FMT_8888_UINT ? memory(at) : sint16_alone(at, 0);
            ok = ok && (!in ? fix_v(f, 4)[l] == 0 : fix_v(f, 4)[l] == x);
            ok = ok && (in || fix_v(f, 7)[l] == 0);
        }
        test_case(ok, bounds[i].name, "load: %x %x", fix_v(f, 4)[4], fix_v(f, 4)[5]);
        for (unsigned l = 0; l < 32; l++) {
            fix_v(f, 4)[l] = 0x42;
        }
        fix_run(f, ASM("buffer_store_format_x v4, v2, s[8:11], 0 idxen offset:4"));
        unsigned stored = 0;
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t at = l * bounds[i].stride + 4;
            stored += *fix_at(f, at) == 0x42 && *fix_at(f, at + 1) == 0;
        }
        test_case(stored == bounds[i].first, bounds[i].name, "%u lanes stored", stored);
        fix_free(f);
    }
}

struct store {
    const char *text;
    unsigned format, sel;
    uint32_t v[4];
    unsigned n; // Bytes written; then what they are.
    uint8_t want[16];
};

static const struct store stores[] = {
    {ASM("buffer_store_format_xyzw v[4:7], v2, s[8:11], 0 idxen"),
     FMT_8888_UNORM,
     SEL_XYZW,
     {0, F32_ONE, 0x3f000000, 0xc0000000},
     4,
     {0, 255, 128, 0}},
    {ASM("buffer_store_format_xyzw v[4:7], v2, s[8:11], 0 idxen"),
     FMT_8888_UNORM,
     SEL_ZYX1,
     {0, F32_ONE, 0x3f000000, F32_ONE},
     4,
     {128, 255, 0, 0}},
    {ASM("buffer_store_format_xy v[4:5], v2, s[8:11], 0 idxen"),
     FMT_8888_UINT,
     SEL_XYZW,
     {7, 300, 9, 9},
     4,
     {7, 255, 0, 0}},
    {ASM("buffer_store_format_xyz v[4:6], v2, s[8:11], 0 idxen"),
     FMT_8888_SINT,
     SEL_XYZW,
     {0xffffffff, 0xffffff00, 200, 9},
     4,
     {0xff, 0x80, 0x7f, 0}},
    {ASM("buffer_store_format_x v4, v2, s[8:11], 0 idxen"),
     FMT_16_FLOAT,
     SEL_XYZW,
     {0xbfc00000, 9, 9, 9},
     2,
     {0x00, 0xbe}},
    {ASM("buffer_store_d16_format_xyzw v[4:5], v2, s[8:11], 0 idxen"),
     FMT_32x4_FLOAT,
     SEL_XYZW,
     {0xc0003c00, 0x00017bff, 9, 9},
     16,
     {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0xe0, 0x7f, 0x47, 0, 0, 0x80, 0x33}},
    {ASM("buffer_store_d16_format_xyz v[4:5], v2, s[8:11], 0 idxen"),
     FMT_8888_SINT,
     SEL_XYZW,
     {0xff80007f, 0x5555ffff, 9, 9},
     4,
     {0x7f, 0x80, 0xff, 0}},
    {ASM("buffer_store_d16_hi_format_x v4, v2, s[8:11], 0 idxen"),
     FMT_32_UINT,
     SEL_XYZW,
     {0x80015555, 9, 9, 9},
     4,
     {0x01, 0x80, 0, 0}},
    {ASM("tbuffer_store_format_xy v[4:5], v2, s[8:11], 0 format:[BUF_FMT_16_16_UINT] idxen"),
     FMT_8888_UINT,
     SEL_ZYX1,
     {0x1234, 0x56789, 9, 9},
     4,
     {0x34, 0x12, 0xff, 0xff}},
    {ASM("tbuffer_store_d16_format_x v4, v2, s[8:11], 0 format:[BUF_FMT_8_UNORM] idxen"),
     FMT_8888_UINT,
     SEL_XYZW,
     {HALF_ONE, 9, 9, 9},
     1,
     {0xff}},
    {ASM("buffer_store_format_xyzw v[4:7], v2, s[8:11], 0 idxen"),
     0,
     SEL_XYZW,
     {1, 2, 3, 4},
     0,
     {0}},
};

static void test_store(const struct store *t)
{
    enum { STRIDE = 20, LANE = 9 };
    struct fixture *f = filled(32, t->format, STRIDE, t->sel, 0, 32);
    for (unsigned i = 0; i < 4; i++) {
        fix_v(f, 4 + i)[LANE] = t->v[i];
    }
    f->w.sgpr[LULL_RDNA_EXEC] = 1u << LANE;
    const enum lull_exec_result r = fix_run(f, t->text);
    unsigned bad = UINT32_MAX;
    for (uint32_t i = 0; i < 32 * STRIDE; i++) {
        const uint32_t at = i - LANE * STRIDE;
        const uint8_t want = at < t->n ? t->want[at] : memory(i);
        bad = *fix_at(f, i) != want && bad == UINT32_MAX ? i : bad;
    }
    test_case(r == LULL_EXEC_NEXT && bad == UINT32_MAX, t->text, "byte %d: %x",
              (int)bad - LANE * STRIDE, bad == UINT32_MAX ? 0 : *fix_at(f, bad));
    fix_free(f);
}

static void test_d16_loads(void)
{
    enum { LANE = 3, STRIDE = 16 };
    struct fixture *f = filled(32, FMT_8888_UINT, STRIDE, SEL_XYZW, 0, 32);
    uint8_t *at = fix_at(f, LANE * STRIDE);
    const uint32_t *v4 = &fix_v(f, 4)[LANE];
    const uint32_t *v5 = &fix_v(f, 5)[LANE];
    memcpy(at, "\x01\x82\x03\x84", 4);
    fix_run(f, ASM("buffer_load_d16_format_xyzw v[4:5], v2, s[8:11], 0 idxen"));
    test_case(*v4 == 0x00820001 && *v5 == 0x00840003, "d16 xyzw", "%x %x", *v4, *v5);
    fix_v(f, 5)[LANE] = KEPT;
    fix_run(f, ASM("buffer_load_d16_format_xyz v[4:5], v2, s[8:11], 0 idxen"));
    test_case(*v4 == 0x00820001 && *v5 == 0x5a5a0003, "d16 xyz keeps the rest", "%x %x", *v4, *v5);
    fix_run(f, ASM("buffer_load_d16_hi_format_x v4, v2, s[8:11], 0 idxen"));
    test_case(*v4 == 0x00010001, "d16_hi", "%x", *v4);
    f->w.sgpr[11] = SEL_XYZW | FMT_8888_SNORM << 12;
    memcpy(at, "\x7f\x81\x00\x7f", 4);
    fix_run(f, ASM("buffer_load_d16_format_xy v4, v2, s[8:11], 0 idxen"));
    test_case(*v4 == 0xbc003c00, "d16 of snorm", "%x", *v4);
    const uint32_t third = 0x3eaaaaab; // 1/3: nearest half is 0x3555.
    memcpy(at, &third, 4);
    fix_run(f, ASM("tbuffer_load_d16_format_x v4, v2, s[8:11], 0 format:[BUF_FMT_32_FLOAT] idxen"));
    test_case(*v4 == 0xbc003555, "d16 of a single, to nearest", "%x", *v4);
    fix_free(f);
}

static void test_special(void)
{
    struct fixture *f = filled(32, FMT_32_FLOAT, 4, SEL_XYZW, 0, 16);
    fix_run(f, ASM("buffer_load_format_x v[4:5], v2, s[8:11], 0 idxen tfe"));
    test_case(fix_v(f, 4)[1] == bytes_at(4, 4) && fix_v(f, 5)[1] == 0 && fix_v(f, 5)[20] == 0 &&
                  fix_v(f, 6)[1] == KEPT,
              "tfe", "%x %x", fix_v(f, 4)[1], fix_v(f, 5)[1]);
    f->w.sgpr[LULL_RDNA_M0] = 256;
    fix_run(f, ASM("buffer_load_lds_format_x v2, s[8:11], 0 idxen"));
    uint32_t got = 0;
    memcpy(&got, f->lds + 256 + 4 * 5, sizeof(got));
    test_case(got == bytes_at(20, 4), "buffer_load_lds_format_x", "%x", got);
    f->w.sgpr[10] = FIX_AREA; // Records reach beyond the mapped area.
    f->w.sgpr[11] = SEL_XYZW | FMT_32_FLOAT << 12 | 2u << 28;
    fix_v(f, 2)[7] = FIX_AREA / 4;
    const enum lull_exec_result r =
        fix_run(f, ASM("buffer_load_format_x v4, v2, s[8:11], 0 idxen"));
    test_case(r == LULL_EXEC_MEMORY && f->nfaults == 1 && f->g->vm.fault.va == FIX_VA + FIX_AREA &&
                  fix_v(f, 4)[1] == bytes_at(4, 4),
              "a fault", "va %llx", (unsigned long long)f->g->vm.fault.va);
    f->w.nvgprs = 7;
    test_case(fix_run(f, ASM("buffer_load_format_xyzw v[4:7], v2, s[8:11], 0 idxen")) ==
                  LULL_EXEC_ILLEGAL,
              "a register too many", "runs");
    fix_free(f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(loads); i++) {
        test_load(&loads[i], 32);
    }
    test_load(&loads[3], 64);
    test_bounds();
    for (size_t i = 0; i < TEST_ROWS(stores); i++) {
        test_store(&stores[i]);
    }
    test_d16_loads();
    test_special();
    return test_end();
}
