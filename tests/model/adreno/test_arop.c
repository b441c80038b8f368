// SPDX-License-Identifier: MIT
// The back end of Adreno: registers and quads in, texels out. What is expected is computed by hand
// from Vulkan's words.
#include <stdlib.h>

#include "back_end.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/draw/rop.h"
#include "test.h"

enum {
    COLOR = BACK_END_BASE + 0x1000,
    DEPTH = BACK_END_BASE + 0x10000,
    STENCIL = BACK_END_BASE + 0x20000,
    LAYER = 0x4000, ///< Bytes.
    PITCH = 256,
    // RB_MRT.CONTROL
    BLEND = 3,
    ROP = 4,
    ALL = 15,
};

/** Blend control: the same for colour and alpha. */
#define BLENDS(src, op, dst)                                                                       \
    ((src) | (op) << 5 | (dst) << 8 | (src) << 16 | (op) << 21 | (dst) << 24)
#define HALF UINT32_C(0x100)

static void set(struct back_end *b, uint32_t number, uint32_t v)
{
    b->regs[number] = v;
}

/** A draw of one sample to memory, with nothing that is tested, to no target. */
static struct back_end *fresh(unsigned samples_log2)
{
    struct back_end *b = calloc(1, sizeof *b);
    if (b == NULL) {
        abort();
    }
    set(b, LULL_A6XX_RB_BIN_CONTROL, LULL_BUFFERS_IN_SYSMEM << 22);
    set(b, LULL_A6XX_RB_UNKNOWN_8812, 0x3ff);
    set(b, LULL_A6XX_RB_RAS_MSAA_CNTL, samples_log2);
    set(b, LULL_A6XX_RB_DEST_MSAA_CNTL, samples_log2);
    set(b, LULL_A6XX_RB_BLEND_CNTL, 0xffff0000);
    set(b, LULL_A6XX_RB_DEPTH_PLANE_CNTL, LULL_A6XX_LATE_Z);
    set(b, LULL_A6XX_RB_MRT_PITCH, PITCH / 64);
    set(b, LULL_A6XX_RB_MRT_ARRAY_PITCH, LAYER / 64);
    set(b, LULL_A6XX_RB_MRT_BASE, COLOR);
    return b;
}

static struct lull_arop_source source(struct back_end *b, unsigned gpu_id)
{
    return (struct lull_arop_source){
        .gpu_id = gpu_id, .ctx = b, .reg = back_end_reg, .memory = {.ctx = b, .at = back_end_at}};
}

static struct lull_arop read(struct back_end *b, unsigned gpu_id, uint64_t *passed)
{
    struct lull_arop_source s = source(b, gpu_id);
    struct lull_arop r = {.samples = 0};
    s.passed = passed;
    struct lull_error *err = lull_arop_read(&s, &r);
    if (err != NULL) {
        test_case(false, "registers are read", "%s", lull_error_message(err));
        lull_error_free(err);
    }
    return r;
}

static void target(struct back_end *b, uint32_t format, uint32_t swap, uint32_t control)
{
    set(b, LULL_A6XX_RB_FS_OUTPUT_CNTL1, 1);
    set(b, LULL_A6XX_RB_RENDER_COMPONENTS, 0xff);
    set(b, LULL_A6XX_RB_MRT_CONTROL, control);
    set(b, LULL_A6XX_RB_MRT_BUF_INFO, format | swap << 13);
}

/** A pixel of a target, one sample. */
struct pixel {
    const char *name;
    uint32_t format, swap;
    uint32_t control, mask, blend; ///< Without mask; RB_MRT.CONTROL.
    uint32_t cntl;                 ///< RB_BLEND_CNTL below the sample mask.
    uint32_t output;               ///< SP_FS_OUTPUT.REG.
    bool srgb;
    uint8_t was[8];
    float out[4], second[4]; ///< Of singles.
    uint32_t raw[4];         ///< Or registers, if any is not 0.
    uint8_t want[8];
};

static const struct pixel pixels[] = {
    // clang-format off
    {"unorm", LULL_FMT6_8_8_8_8_UNORM, 0, 0, ALL, 0, 0, 0, false, {0}, {1, 0, 0.2f, 0.4f}, {0},
     {0}, {0xff, 0, 0x33, 0x66}},
    {"beyond the range", LULL_FMT6_8_8_8_8_SNORM, 0, 0, ALL, 0, 0, 0, false, {0}, {2, -3, -1,
     0.5f}, {0}, {0}, {0x7f, 0x81, 0x81, 0x40}},
    {"red and blue", LULL_FMT6_8_8_8_8_UNORM, 0, 0, 5, 0, 0, 0, false, {0x11, 0x22, 0x33, 0x44},
     {1, 0, 0.6f, 1}, {0}, {0}, {0xff, 0x22, 0x99, 0x44}},
    {"red, swapped", LULL_FMT6_8_8_8_8_UNORM, LULL_WXYZ, 0, 1, 0, 0, 0, false, {0x11, 0x22,
     0x33, 0x44}, {1, 0, 0.6f, 1}, {0}, {0}, {0x11, 0x22, 0xff, 0x44}},
    {"green of 10_10_10_2", LULL_FMT6_10_10_10_2_UNORM_DEST, 0, 0, 2, 0, 0, 0, false, {0xff,
     0xff, 0xff, 0xff}, {0}, {0}, {0}, {0xff, 0x03, 0xf0, 0xff}},
    {"halves", LULL_FMT6_8_8_8_8_UNORM, 0, 0, ALL, 0, 0, HALF, false, {0}, {0}, {0},
     {0xdead3c00, 0, 0x3800, 0x3c00}, {0xff, 0, 0x80, 0xff}},
    {"signed halves", LULL_FMT6_32_32_SINT, 0, 0, ALL, 0, 0, HALF, false, {0}, {0}, {0},
     {0xfffe, 0x7fff}, {0xfe, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0}},
    {"unsigned halves", LULL_FMT6_32_32_UINT, 0, 0, ALL, 0, 0, HALF, false, {0}, {0}, {0},
     {0xfffe, 0x7fff}, {0xfe, 0xff, 0, 0, 0xff, 0x7f, 0, 0}},
    {"integers that do not fit", LULL_FMT6_8_8_8_8_SINT, 0, 0, ALL, 0, 0, 0, false, {0}, {0},
     {0}, {300, 0xffffff00, 5, 0xffffffff}, {0x7f, 0x80, 5, 0xff}},
    {"over", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, LULL_FACTOR_SRC_ALPHA |
     LULL_FACTOR_ONE_MINUS_SRC_ALPHA << 8 | LULL_FACTOR_ONE << 16, 0, 0, false, {0, 0xff, 0,
     0xff}, {1, 0, 0, 0.5f}, {0}, {0}, {0x80, 0x80, 0, 0x80}},
    {"over, swapped", LULL_FMT6_8_8_8_8_UNORM, LULL_WXYZ, BLEND, ALL, LULL_FACTOR_SRC_ALPHA |
     LULL_FACTOR_ONE_MINUS_SRC_ALPHA << 8 | LULL_FACTOR_ONE << 16, 0, 0, false, {0xff, 0, 0,
     0xff}, {0.2f, 0, 0, 0.5f}, {0}, {0}, {0x80, 0, 0x1a, 0x80}},
    {"target minus source", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(1, 2, 1), 0, 0,
     false, {0xff, 0x33, 0x33, 0xff}, {0.2f, 0.1f, 0.4f, 1}, {0}, {0}, {0xcc, 0x1a, 0, 0}},
    {"source minus target", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(1, 1, 1), 0, 0,
     false, {0x33, 0x33, 0x33, 0}, {1, 0.4f, 0.1f, 1}, {0}, {0}, {0xcc, 0x33, 0, 0xff}},
    {"smaller", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(0, 3, 0), 0, 0, false, {0x33,
     0x33, 0x33, 0x33}, {1, 0, 0.4f, 0.1f}, {0}, {0}, {0x33, 0, 0x33, 0x1a}},
    {"larger", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(0, 4, 0), 0, 0, false, {0x33,
     0x33, 0x33, 0x33}, {1, 0, 0.4f, 0.1f}, {0}, {0}, {0xff, 0x33, 0x66, 0x33}},
    {"second source", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(20, 0, 23), 0x200, 0,
     false, {0xff, 0xff, 0xff, 0xff}, {0.5f, 1, 0, 0}, {0.4f, 0.2f, 1, 0.6f}, {0}, {0x99, 0x99,
     0x66, 0x66}},
    {"constants", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(12, 0, 0), 0, 0, false, {0},
     {1, 1, 1, 1}, {0}, {0}, {0x33, 0x66, 0x99, 0xcc}},
    {"alpha of a target without", LULL_FMT6_8_8_UNORM, 0, BLEND, ALL, BLENDS(10, 0, 11), 0, 0,
     false, {0xff, 0x33}, {0.2f, 0.4f, 0, 0}, {0}, {0}, {0x33, 0x66}},
    {"saturated", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL, BLENDS(16, 0, 0), 0, 0, false, {0, 0,
     0, 0x99}, {1, 0.5f, 0, 0.8f}, {0}, {0}, {0x66, 0x33, 0, 0xcc}},
    {"alpha to one", LULL_FMT6_8_8_8_8_UNORM, 0, 0, ALL, 0, 0x800, 0, false, {0}, {1, 0, 0,
     0.2f}, {0}, {0}, {0xff, 0, 0, 0xff}},
    {"sRGB, half of white", LULL_FMT6_8_8_8_8_UNORM, 0, BLEND, ALL,
     BLENDS(LULL_FACTOR_SRC_ALPHA, 0, LULL_FACTOR_ZERO), 0, 0, true, {0}, {1, 1, 1, 0.5f}, {0},
     {0}, {0xbc, 0xbc, 0xbc, 0x40}},
    {"xor", LULL_FMT6_8_8_8_8_UNORM, 0, ROP | 6 << 3, ALL, 0, 0, 0, false, {15, 15, 15, 15}, {1,
     0, 0.2f, 0.4f}, {0}, {0}, {0xf0, 0x0f, 0x3c, 0x69}},
    {"and, inverted source", LULL_FMT6_8_8_8_8_UINT, 0, ROP | 2 << 3, ALL, 0, 0, 0, false,
     {0xff, 0x0f, 0xf0, 0x55}, {0}, {0}, {0x0f, 0x0f, 0x33, 1}, {0xf0, 0, 0xc0, 0x54}},
    {"xor of red", LULL_FMT6_8_8_8_8_UNORM, 0, ROP | 6 << 3, 1, 0, 0, 0, false, {15, 15, 15,
     15}, {1, 0, 0.2f, 0.4f}, {0}, {0}, {0xf0, 0x0f, 0x0f, 0x0f}},
    {"no operation on floats", LULL_FMT6_32_FLOAT, 0, ROP, ALL, 0, 0, 0, false, {0}, {1}, {0},
     {0}, {0, 0, 0x80, 0x3f}},
    {"floats blend beyond 1", LULL_FMT6_32_FLOAT, 0, BLEND, ALL, BLENDS(1, 0, 1), 0, 0, false,
     {0, 0, 0x80, 0x3f}, {2}, {0}, {0}, {0, 0, 0x40, 0x40}},
    {"alpha only", LULL_FMT6_A8_UNORM, 0, 0, 8, 0, 0, 0, false, {0}, {1, 1, 1, 0.2f}, {0}, {0},
     {0x33}},
    // clang-format on
};

static void one_pixel(const struct pixel *p)
{
    struct back_end *b = fresh(0);
    target(b, p->format, p->swap, p->control | p->mask << 7);
    set(b, LULL_A6XX_RB_MRT_BLEND_CONTROL, p->blend);
    set(b, LULL_A6XX_RB_BLEND_CNTL, 0xffff0000 | p->cntl);
    set(b, LULL_A6XX_RB_SRGB_CNTL, p->srgb);
    set(b, LULL_A6XX_SP_FS_OUTPUT_REG, p->output);
    for (unsigned c = 0; c < 4; c++) {
        set(b, LULL_A6XX_RB_BLEND_RED_F32 + c, back_end_bits((float)(c + 1) / 5));
    }
    struct lull_arop_quad q = {.layer = 1, .mask = 1 << 8};
    for (unsigned c = 0; c < 4; c++) {
        const bool raw = (p->raw[0] | p->raw[1] | p->raw[2] | p->raw[3]) != 0;
        q.out[0][1][c] = raw ? p->raw[c] : back_end_bits(p->out[c]);
        q.out[1][1][c] = back_end_bits(p->second[c]);
    }
    const struct lull_arop r = read(b, 630, NULL);
    const unsigned bytes = r.target[0].at.bytes;
    uint8_t *at = b->memory + (COLOR - BACK_END_BASE) + LAYER + bytes;
    memcpy(at, p->was, sizeof p->was);
    const uint32_t left = lull_arop_output(&r, &q);
    test_case(left == 1 << 8 && memcmp(at, p->want, bytes) == 0, p->name,
              "left %x, got %02x %02x %02x %02x %02x %02x %02x %02x", left, at[0], at[1], at[2],
              at[3], at[4], at[5], at[6], at[7]);
    free(b);
}

/** Depth and stencil of one sample. */
struct test {
    const char *name;
    unsigned gpu_id;
    uint32_t format; ///< enum lull_a6xx_depth_format.
    bool separate;
    uint32_t depth, stencil; ///< RB_DEPTH_CNTL, RB_STENCIL_CONTROL.
    uint32_t ref, read, write;
    bool front;
    float z;
    uint32_t was;
    uint8_t was_s; ///< Of a separate plane.
    bool pass;
    uint32_t want;
    uint8_t want_s;
};

enum {
    // RB_DEPTH_CNTL
    TEST = 1,
    WRITE = 2,
    LESS = 1 << 2,
    EQUAL = 2 << 2,
    LEQUAL = 3 << 2,
    GEQUAL = 6 << 2,
    ALWAYS = 7 << 2,
    CLAMP = 1 << 5,
    BOUNDS = 1 << 7,
    // RB_STENCIL_CONTROL
    ON = 3,
    PASSES = 7 << 8 | 7 << 20,
    IS = 2 << 8 | 2 << 20,
    F16 = LULL_DEPTH6_16,
    F24 = LULL_DEPTH6_24_8,
    F32 = LULL_DEPTH6_32,
};

/** Operations of the front: fail, pass, depth fail. */
#define OPS(fail, pass, zfail) ((fail) << 11 | (pass) << 14 | (zfail) << 17)
#define BACK_OPS(fail, pass, zfail)                                                                \
    ((uint32_t)(fail) << 23 | (uint32_t)(pass) << 26 | (uint32_t)(zfail) << 29)

// Bounds are 0.25 to 0.5, the clamp is 0.125 to 0.75.
static const struct test tests[] = {
    // clang-format off
    {"no plane", 630, 0, false, TEST | WRITE, ON | IS, 5, 255, 255, true, 0.5f, 7, 7, true, 7,
     7},
    {"16 bits, less", 630, F16, false, TEST | WRITE | LESS, 0, 0, 0, 0, true, 0.5f, 0xffff, 0,
     true, 0x8000, 0},
    {"rounded first", 630, F16, false, TEST | EQUAL, 0, 0, 0, 0, true, 0.5000001f, 0x8000, 0,
     true, 0x8000, 0},
    {"no write", 630, F16, false, TEST | LESS, 0, 0, 0, 0, true, 0.5f, 0xffff, 0, true, 0xffff,
     0},
    {"not less", 630, F16, false, TEST | WRITE | LESS, 0, 0, 0, 0, true, 0.5f, 0x8000, 0, false,
     0x8000, 0},
    {"no test, no write", 630, F16, false, WRITE, 0, 0, 0, 0, true, 0.5f, 1, 0, true, 1, 0},
    {"not a number", 630, F16, false, TEST | WRITE | ALWAYS, 0, 0, 0, 0, true, -1, 1, 0, true,
     0, 0},
    {"24 bits keep stencil", 630, F24, false, TEST | WRITE | LESS, 0, 0, 0, 0, true, 0.5f,
     0x5affffff, 0, true, 0x5a800000, 0},
    {"24 bits, the last one", 740, F24, false, TEST | WRITE | LEQUAL, 0, 0, 0, 0, true, 1,
     0x12fffffe, 0, false, 0x12fffffe, 0},
    {"floats", 660, F32, false, TEST | WRITE | GEQUAL, 0, 0, 0, 0, true, 0.75f, 0x3f400000, 0,
     true, 0x3f400000, 0},
    {"clamped", 660, F32, false, TEST | WRITE | ALWAYS | CLAMP, 0, 0, 0, 0, true, 0.875f, 0, 0,
     true, 0x3f400000, 0},
    {"clamped below", 660, F32, false, TEST | WRITE | ALWAYS | CLAMP, 0, 0, 0, 0, true, 0, 0, 0,
     true, 0x3e000000, 0},
    {"in bounds", 630, F32, false, BOUNDS, 0, 0, 0, 0, true, 9, 0x3f000000, 0, true, 0x3f000000,
     0},
    {"beyond bounds", 630, F32, false, BOUNDS, 0, 0, 0, 0, true, 9, 0x3f000001, 0, false,
     0x3f000001, 0},
    {"below bounds of 16 bits", 630, F16, false, BOUNDS, 0, 0, 0, 0, true, 9, 0x3fff, 0, false,
     0x3fff, 0},
    {"at bounds of 16 bits", 630, F16, false, BOUNDS, 0, 0, 0, 0, true, 9, 0x4000, 0, true,
     0x4000, 0},
    {"packed stencil replaced", 630, F24, false, TEST | WRITE | ALWAYS, ON | PASSES | OPS(0, 2,
     0), 0x77, 255, 255, true, 0, 0x11123456, 0, true, 0x77000000, 0},
    {"bits that may be written", 630, F24, false, 0, ON | PASSES | OPS(0, 2, 0), 0x77, 255,
     0x0f, true, 0, 0x11123456, 0, true, 0x17123456, 0},
    {"stencil equal, masked", 630, F24, false, 0, ON | IS | OPS(0, 5, 0), 0xf1, 0x0f, 255, true,
     0, 0xa1000000, 0, true, 0x5e000000, 0},
    {"stencil fails", 630, F24, false, TEST | WRITE | ALWAYS, ON | IS | OPS(4, 5, 0), 1, 255,
     255, true, 0.5f, 0, 0, false, 0, 0},
    {"depth fails", 630, F24, false, TEST | WRITE | LESS, ON | PASSES | OPS(0, 0, 6), 0, 255,
     255, true, 1, 0xff000000, 0, false, 0, 0},
    {"clamped at the most", 630, F24, false, 0, ON | PASSES | OPS(0, 3, 0), 0, 255, 255, true,
     0, 0xff000000, 0, true, 0xff000000, 0},
    {"wraps below", 630, F24, false, 0, ON | PASSES | OPS(0, 7, 0), 0, 255, 255, true, 0, 0, 0,
     true, 0xff000000, 0},
    {"back face", 630, F24, false, 0, ON | PASSES | OPS(0, 1, 0) | BACK_OPS(0, 2, 0), 0x2211,
     0xffff, 0xffff, false, 0, 0x55000000, 0, true, 0x22000000, 0},
    {"back face as the front", 630, F24, false, 0, 1 | PASSES | OPS(0, 2, 0) | BACK_OPS(0, 1,
     0), 0x2211, 0xffff, 0xffff, false, 0, 0x55000000, 0, true, 0x11000000, 0},
    {"fields of a test that is off", 630, F24, false, 0, IS | OPS(1, 1, 1), 9, 255, 255, true,
     0, 0x55000000, 0, true, 0x55000000, 0},
    {"separate planes", 630, F32, true, TEST | WRITE | LESS, ON | PASSES | OPS(0, 2, 0), 9, 255,
     255, true, 0.5f, 0x3f800000, 3, true, 0x3f000000, 9},
    {"stencil without depth", 740, 0, true, TEST | WRITE | LESS, ON | PASSES | OPS(0, 2, 0), 9,
     255, 255, true, 0.5f, 0x3f800000, 3, true, 0x3f800000, 9},
    // clang-format on
};

static struct back_end *planes(const struct test *t)
{
    struct back_end *b = fresh(0);
    set(b, LULL_A6XX_RB_DEPTH_BUFFER_INFO, t->format | LULL_TILE6_3 << 5);
    set(b, LULL_A6XX_RB_DEPTH_BUFFER_PITCH, PITCH / 64);
    set(b, LULL_A6XX_RB_DEPTH_BUFFER_ARRAY_PITCH, LAYER / 64);
    set(b, LULL_A6XX_RB_DEPTH_BUFFER_BASE, DEPTH);
    set(b, LULL_A6XX_RB_STENCIL_INFO, t->separate | LULL_TILE6_3 << 2);
    set(b, LULL_A6XX_RB_STENCIL_BUFFER_PITCH, PITCH / 64);
    set(b, LULL_A6XX_RB_STENCIL_BUFFER_ARRAY_PITCH, LAYER / 64);
    set(b, LULL_A6XX_RB_STENCIL_BUFFER_BASE, STENCIL);
    set(b, LULL_A6XX_RB_DEPTH_CNTL, t->depth);
    set(b, LULL_A6XX_RB_STENCIL_CONTROL, t->stencil);
    set(b, LULL_A6XX_RB_STENCILREF, t->ref);
    set(b, LULL_A6XX_RB_STENCILMASK, t->read);
    set(b, LULL_A6XX_RB_STENCILWRMASK, t->write);
    set(b, LULL_A6XX_RB_Z_BOUNDS_MIN, back_end_bits(0.25f));
    set(b, LULL_A6XX_RB_Z_BOUNDS_MAX, back_end_bits(0.5f));
    set(b, LULL_A6XX_RB_Z_CLAMP_MIN, back_end_bits(0.125f));
    set(b, LULL_A6XX_RB_Z_CLAMP_MAX, back_end_bits(0.75f));
    return b;
}

/** Pixel 2 (0,1) of the second layer, which in TILE6_3 is two texels on; early and late. */
static void one_test(const struct test *t)
{
    const unsigned bytes = t->format == F16 ? 2 : 4;
    for (unsigned early = 0; early < 2; early++) {
        struct back_end *b = planes(t);
        uint64_t passed = 5;
        set(b, LULL_A6XX_RB_DEPTH_PLANE_CNTL, early != 0 ? LULL_A6XX_EARLY_Z : LULL_A6XX_LATE_Z);
        uint8_t *at = b->memory + (DEPTH - BACK_END_BASE) + LAYER + 2 * bytes;
        uint8_t *at_s = b->memory + (STENCIL - BACK_END_BASE) + LAYER + 2;
        memcpy(at, &t->was, bytes);
        *at_s = t->was_s;
        const struct lull_arop r = read(b, t->gpu_id, &passed);
        struct lull_arop_quad q = {.layer = 1, .front = t->front, .mask = 1 << 16};
        q.z[2][0] = t->z;
        q.mask = lull_arop_early(&r, &q);
        const bool first = (q.mask != 0) == (t->pass || early == 0);
        const uint32_t left = lull_arop_output(&r, &q);
        uint32_t word = 0;
        memcpy(&word, at, bytes);
        test_case(first && left == (t->pass ? 1u << 16 : 0u) && word == t->want &&
                      *at_s == t->want_s && passed == 5u + t->pass,
                  t->name, "early %u: first %d, left %x, depth %08x, stencil %02x, counted %d",
                  early, first, left, word, *at_s, (int)passed - 5);
        free(b);
    }
}

/** What the shader says of depth, mask and reference counts. */
static void shader_values(void)
{
    const struct test t = {"",
                           630,
                           F24,
                           false,
                           TEST | WRITE | ALWAYS,
                           ON | PASSES | OPS(0, 2, 0),
                           1,
                           255,
                           255,
                           true,
                           0,
                           0,
                           0,
                           true,
                           0,
                           0};
    struct back_end *b = planes(&t);
    const struct lull_arop r = read(b, 630, NULL);
    struct lull_arop_quad q = {.mask = 0x00000101,
                               .front = true,
                               .writes_depth = true,
                               .writes_mask = true,
                               .writes_stencil = true,
                               .depth = {1, 1},
                               .sample_mask = {2, 1},
                               .stencil = {7, 8}};
    const uint32_t left = lull_arop_output(&r, &q);
    uint32_t words[2];
    memcpy(words, b->memory + (DEPTH - BACK_END_BASE), sizeof words);
    test_case(left == 0x100 && words[0] == 0 && words[1] == 0x08ffffff, "the shader's values",
              "left %x, %08x %08x", left, words[0], words[1]);
    free(b);
}

/** Samples lie side by side; masks choose them. */
static void samples(void)
{
    static const struct {
        const char *name;
        uint32_t cntl, mask;
        float alpha;
        uint8_t want[4];
    } rows[] = {
        {"all samples", 0xffff0000, 0x0f, 1, {0xff, 0xff, 0xff, 0xff}},
        {"covered samples", 0xffff0000, 0x0a, 1, {0, 0xff, 0, 0xff}},
        {"the sample mask", 0xfff30000, 0x0e, 1, {0, 0xff, 0, 0}},
        {"samples that there are", 0xffff0000, 0xf1, 1, {0xff, 0, 0, 0}},
        {"alpha to coverage", 0xffff0400, 0x0f, 0.5f, {0xff, 0xff, 0, 0}},
        {"no coverage", 0xffff0400, 0x0f, 0.1f, {0, 0, 0, 0}},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct back_end *b = fresh(2);
        target(b, LULL_FMT6_8_UNORM, 0, ALL << 7);
        set(b, LULL_A6XX_RB_BLEND_CNTL, rows[i].cntl);
        const struct lull_arop r = read(b, 660, NULL);
        struct lull_arop_quad q = {.x = 2, .y = 2, .mask = rows[i].mask << 16};
        q.out[0][2][0] = back_end_bits(1);
        q.out[0][2][3] = back_end_bits(rows[i].alpha);
        (void)lull_arop_output(&r, &q);
        const uint8_t *at = b->memory + (COLOR - BACK_END_BASE) + 3 * PITCH + 2 * 4;
        test_case(memcmp(at, rows[i].want, 4) == 0, rows[i].name, "%02x %02x %02x %02x", at[0],
                  at[1], at[2], at[3]);
        free(b);
    }
}

/** Targets in the memory of tiles: rows of the tile's width, from the window's origin. */
static void tiles(void)
{
    enum { WIDTH = 32, HEIGHT = 16, AT = 4096 };
    static uint8_t memory[AT + WIDTH * HEIGHT * 4];
    const struct lull_agmem gmem = {memory, sizeof memory};
    for (unsigned gpu_id = 630; gpu_id <= 740; gpu_id += 110) {
        struct back_end *b = fresh(0);
        target(b, LULL_FMT6_8_8_8_8_UNORM, 0, ALL << 7);
        set(b, LULL_A6XX_RB_BIN_CONTROL, WIDTH / 32 | HEIGHT / 16 << 8);
        set(b, LULL_A6XX_RB_UNKNOWN_8812, 0);
        set(b, LULL_A6XX_RB_WINDOW_OFFSET, 64 | 48 << 16);
        set(b, LULL_A6XX_RB_MRT_BASE_GMEM, AT);
        struct lull_arop_source s = source(b, gpu_id);
        s.gmem = &gmem;
        struct lull_arop r = {.samples = 0};
        struct lull_error *err = lull_arop_read(&s, &r);
        struct lull_arop_quad q = {.x = 66, .y = 50, .mask = 1 << 24};
        struct lull_arop_quad out = {.x = 96, .y = 50, .mask = 1};
        q.out[0][3][1] = out.out[0][0][0] = back_end_bits(1);
        memset(memory, 0, sizeof memory);
        if (err == NULL) {
            (void)lull_arop_output(&r, &q);
            (void)lull_arop_output(&r, &out);
        }
        unsigned n = 0;
        for (unsigned i = 0; i < sizeof memory; i++) {
            n += memory[i] != 0;
        }
        test_case(err == NULL && n == 1 && memory[AT + (3 * WIDTH + 3) * 4 + 1] == 0xff, "a tile",
                  "a%u: %s, %u bytes written", gpu_id,
                  err != NULL ? lull_error_message(err) : "read", n);
        lull_error_free(err);
        free(b);
    }
}

static void refusals(void)
{
    static const struct {
        uint32_t reg, value;
        const char *message;
    } rows[] = {
        {LULL_A6XX_RB_DITHER_CNTL, 1, "a draw that dithers"},
        {LULL_A6XX_RB_ALPHA_CONTROL, 0x100, "a draw with an alpha test"},
        {LULL_A6XX_RB_DEST_MSAA_CNTL, 1, "a draw of 1 samples to targets of 2"},
        {LULL_A6XX_RB_BIN_CONTROL, 0, "a draw to tiles of 0x0"},
        {LULL_A6XX_RB_DEPTH_BUFFER_INFO, 3, "RB_DEPTH_BUFFER_INFO: depth of format 3"},
        {LULL_A6XX_RB_MRT_BLEND_CONTROL, 2, "RB_MRT[0].BLEND_CONTROL is 0x00000002"},
        {LULL_A6XX_RB_MRT_BLEND_CONTROL, 5 << 5, "RB_MRT[0].BLEND_CONTROL is 0x000000a0"},
        {LULL_A6XX_RB_MRT_BUF_INFO, LULL_FMT6_8_UINT, "RB_MRT[0] blends integers"},
        {LULL_A6XX_RB_MRT_BUF_INFO, LULL_FMT6_ASTC_4X4, "target RB_MRT[0] of format 193"},
        {LULL_A6XX_RB_MRT_BUF_INFO, LULL_FMT6_8_UNORM | LULL_TILE6_2 << 8,
         "target RB_MRT[0] in tile mode 2"},
    };
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct back_end *b = fresh(0);
        target(b, LULL_FMT6_8_UNORM, 0, BLEND | ALL << 7);
        set(b, rows[i].reg, rows[i].value);
        set(b, LULL_A6XX_RB_DEPTH_CNTL, 1);
        const struct lull_arop_source s = source(b, 630);
        struct lull_arop r = {.samples = 0};
        struct lull_error *err = lull_arop_read(&s, &r);
        const char *got = err != NULL ? lull_error_message(err) : "it is read";
        test_case(strcmp(got, rows[i].message) == 0, rows[i].message, "got '%s'", got);
        lull_error_free(err);
        free(b);
    }
}

/** A depth buffer of no format that there is: by who asks for it. */
static void unknown_depth(void)
{
    static const struct {
        const char *name;
        uint32_t z, s;
        bool read;
    } rows[] = {{"nobody asks for depth", 0, 0, true},
                {"the depth test asks", 1, 0, false},
                {"the stencil test asks", 0, 1, false}};
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        struct back_end *b = fresh(0);
        target(b, LULL_FMT6_8_UNORM, 0, BLEND | ALL << 7);
        set(b, LULL_A6XX_RB_DEPTH_BUFFER_INFO, 7);
        set(b, LULL_A6XX_RB_DEPTH_CNTL, rows[i].z);
        set(b, LULL_A6XX_RB_STENCIL_CONTROL, rows[i].s);
        const struct lull_arop_source s = source(b, 630);
        struct lull_arop r = {.samples = 0};
        struct lull_error *err = lull_arop_read(&s, &r);
        test_case((err == NULL) == rows[i].read, rows[i].name, "got '%s'",
                  err != NULL ? lull_error_message(err) : "it is read");
        lull_error_free(err);
        free(b);
    }
}

/** SAMPLE_COUNT_CONTROL.DISABLE. */
static void not_counted(void)
{
    struct back_end *b = fresh(0);
    uint64_t passed = 0;
    set(b, LULL_A6XX_RB_SAMPLE_COUNT_CONTROL, 1);
    const struct lull_arop r = read(b, 630, &passed);
    const struct lull_arop_quad q = {.mask = 1};
    const uint32_t left = lull_arop_output(&r, &q);
    test_case(left == 1 && passed == 0, "samples that nobody counts", "left %x, counted %d", left,
              (int)passed);
    free(b);
}

int main(void)
{
    for (unsigned i = 0; i < TEST_ROWS(pixels); i++) {
        one_pixel(&pixels[i]);
    }
    for (unsigned i = 0; i < TEST_ROWS(tests); i++) {
        one_test(&tests[i]);
    }
    shader_values();
    samples();
    tiles();
    refusals();
    unknown_depth();
    not_counted();
    return test_end();
}
