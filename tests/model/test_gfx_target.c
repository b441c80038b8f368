// SPDX-License-Identifier: MIT
// Colour targets: what a wave exports as bytes in memory. Bytes are worked out by hand from
// Vulkan 1.3, "Conversion from Normalized..." and the formats' own sections; addresses are those
// of src/tex (tests/tex compares them with addrlib's).
#include "model/amd/gfx/gfx_output.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gpu_fixture.h"
#include "test.h"

enum {
    IMAGE = 0x40000, // in the mapping
    IMAGE_BYTES = 0x80000,
    SIZE = 64,
    COPY = 0xcc,
    NORMAL = 1,
    // EXPORT_FORMAT
    E_R = 1,
    E_GR,
    E_AR,
    E_HALF,
    E_UNORM16,
    E_SNORM16,
    E_UINT16,
    E_SINT16,
    E_ABGR,
    // NUMBER_TYPE
    N_UNORM = 0,
    N_SNORM,
    N_UINT = 4,
    N_SINT,
    N_SRGB,
    N_FLOAT,
};

static void reg(const struct fixture *f, uint32_t offset, uint32_t value)
{
    f->g->mmio[offset / 4] = value;
}

/** Target @p n: a linear image of SIZE by SIZE at IMAGE + n * 64 KiB. */
static void target(const struct fixture *f, unsigned n, unsigned format, unsigned number,
                   unsigned swap)
{
    const uint64_t va = FIXTURE_VA + IMAGE + 0x10000 * n;
    reg(f, LULL_DRAW11_CB_COLOR0_BASE + 0x3c * n, (uint32_t)(va >> 8));
    reg(f, LULL_DRAW11_CB_COLOR0_BASE_EXT + 4 * n, (uint32_t)(va >> 40));
    reg(f, LULL_DRAW11_CB_COLOR0_INFO + 0x3c * n, format | number << 8 | swap << 11);
    reg(f, LULL_DRAW11_CB_COLOR0_ATTRIB2 + 4 * n, (SIZE - 1) | (SIZE - 1) << 14);
    reg(f, LULL_DRAW11_CB_COLOR0_ATTRIB3 + 4 * n, 1 << 24); // linear, 2D
}

/** No memory is written, one target of 32_UINT. */
static struct fixture make(void)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    memset(fixture_mem(&f, IMAGE), 0x55, IMAGE_BYTES);
    reg(&f, LULL_DRAW11_CB_COLOR_CONTROL, NORMAL << 4 | COPY << 16);
    reg(&f, LULL_DRAW11_CB_TARGET_MASK, 15);
    reg(&f, LULL_DRAW11_CB_SHADER_MASK, 15);
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, E_R);
    target(&f, 0, LULL_DRAW11_CB_COLOR0_INFO__FORMAT__32, N_UINT, 0);
    return f;
}

/** A batch of one quad at @p x, @p y. */
static struct lull_gfx_batch *batch(uint16_t x, uint16_t y)
{
    struct lull_gfx_batch *b = calloc(1, sizeof *b);
    if (b == NULL) {
        abort();
    }
    b->nquads = 1;
    b->nparts = 1;
    b->nwaves = 1;
    b->wave_quads = LULL_GFX_QUADS;
    b->quads[0].q.x = x;
    b->quads[0].q.y = y;
    memset(b->out[0].written, 0xff, sizeof b->out[0].written);
    return b;
}

static void colors(struct lull_gfx_batch *b, unsigned e, unsigned lane, const uint32_t v[4])
{
    for (unsigned c = 0; c < 4; c++) {
        b->out[0].color[e][c][lane] = v[c];
    }
}

static bool write(const struct fixture *f, const struct lull_gfx_batch *b, const uint8_t *samples)
{
    struct lull_vm *vm = calloc(1, sizeof *vm);
    if (vm == NULL) {
        abort();
    }
    const struct lull_bank bank = {0};
    vm->phys = lull_gpu_phys(f->g);
    vm->vmid = FIXTURE_VMID;
    vm->page_table_base = FIXTURE_TABLES | 1;
    vm->context_cntl =
        lull_gpu_read_reg(f->g, bank, LULL_GC11_GCVM_CONTEXT0_CNTL + 4 * FIXTURE_VMID);
    const bool ok = lull_gfx_color_write(f->g, vm, b, 0, samples);
    free(vm);
    return ok;
}

static const uint8_t first_pixel[LULL_GFX_LANES] = {1};

/** What one pixel's texel becomes. */
struct format_row {
    const char *name;
    uint8_t format, number, swap, export_format;
    uint32_t color[4];
    uint8_t bytes, want[16];
};

#define HALVES(r, g, b, a)                                                                         \
    {                                                                                              \
        (r) | (uint32_t)(g) << 16, (b) | (uint32_t)(a) << 16                                       \
    }
#define F(NAME) LULL_DRAW11_CB_COLOR0_INFO__FORMAT__##NAME
enum { H0 = 0, H1 = 0x3c00, H_HALF = 0x3800, H_QUARTER = 0x3400, HM1 = 0xbc00, H2 = 0x4000 };
enum { S1 = 0x3f800000, S_HALF = 0x3f000000 };
#define SM1 0xbf800000u

static const struct format_row formats[] = {
    // 0.5 * 255 + 0.5 = 128; 0.25 * 255 + 0.5 = 64.25
    {"R8G8B8A8_UNORM",
     F(8_8_8_8),
     N_UNORM,
     0,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H0),
     4,
     {255, 128, 64, 0}},
    {"B8G8R8A8_UNORM",
     F(8_8_8_8),
     N_UNORM,
     1,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H0),
     4,
     {64, 128, 255, 0}},
    {"A8B8G8R8 in memory",
     F(8_8_8_8),
     N_UNORM,
     2,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H0),
     4,
     {0, 64, 128, 255}},
    {"A8R8G8B8 in memory",
     F(8_8_8_8),
     N_UNORM,
     3,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H0),
     4,
     {0, 255, 128, 64}},
    {"R8G8B8A8_UNORM, clamped",
     F(8_8_8_8),
     N_UNORM,
     0,
     E_HALF,
     HALVES(H2, HM1, 0x7e00, 0x7c00),
     4,
     {255, 0, 0, 255}},
    {"R8G8B8A8_UNORM of UNORM16",
     F(8_8_8_8),
     N_UNORM,
     0,
     E_UNORM16,
     HALVES(0xffff, 0x8080, 0, 0x0101),
     4,
     {255, 128, 0, 1}},
    {"R8G8B8A8_UNORM of singles",
     F(8_8_8_8),
     N_UNORM,
     0,
     E_ABGR,
     {S1, S_HALF, SM1, 0x7fc00000},
     4,
     {255, 128, 0, 0}},
    // sRGB of 0.5: 1.055 * 0.5^(1/2.4) - 0.055 = 0.735357, * 255 = 187.5; of 0.25: 0.537099 -> 137
    {"R8G8B8A8_SRGB",
     F(8_8_8_8),
     N_SRGB,
     0,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H_HALF),
     4,
     {255, 188, 137, 128}},
    {"R8G8B8A8_SNORM",
     F(8_8_8_8),
     N_SNORM,
     0,
     E_HALF,
     HALVES(H1, HM1, H_HALF, 0xb800),
     4,
     {127, 0x81, 64, 0xc0}},
    {"R8G8B8A8_UINT, clamped",
     F(8_8_8_8),
     N_UINT,
     0,
     E_UINT16,
     HALVES(7, 255, 256, 0xffff),
     4,
     {7, 255, 255, 255}},
    {"R8G8B8A8_SINT, clamped",
     F(8_8_8_8),
     N_SINT,
     0,
     E_SINT16,
     HALVES(7, 0xffff, 0x8000, 0x7fff),
     4,
     {7, 255, 128, 127}},
    {"R8_UNORM", F(8), N_UNORM, 0, E_HALF, HALVES(H_HALF, H1, H1, H1), 1, {128}},
    {"A8_UNORM", F(8), N_UNORM, 3, E_AR, {0, S_HALF, 0, 0}, 1, {128}},
    {"R8G8_UNORM", F(8_8), N_UNORM, 0, E_HALF, HALVES(H_HALF, H1, 0, 0), 2, {128, 255}},
    {"R16_UNORM", F(16), N_UNORM, 0, E_UNORM16, HALVES(0x1234, 0, 0, 0), 2, {0x34, 0x12}},
    {"R16_SNORM", F(16), N_SNORM, 0, E_SNORM16, HALVES(0x8000, 0, 0, 0), 2, {0x01, 0x80}},
    {"R16_SFLOAT", F(16), N_FLOAT, 0, E_HALF, HALVES(0xb800, 0, 0, 0), 2, {0x00, 0xb8}},
    {"R16G16_SFLOAT", F(16_16), N_FLOAT, 0, E_HALF, HALVES(H1, 0x0001, 0, 0), 4, {0, 0x3c, 1, 0}},
    {"R16G16B16A16_SFLOAT",
     F(16_16_16_16),
     N_FLOAT,
     0,
     E_HALF,
     HALVES(H1, H0, 0x7c00, 0xfc00),
     8,
     {0, 0x3c, 0, 0, 0, 0x7c, 0, 0xfc}},
    {"R16G16B16A16_UNORM",
     F(16_16_16_16),
     N_UNORM,
     0,
     E_UNORM16,
     HALVES(1, 2, 3, 0xffff),
     8,
     {1, 0, 2, 0, 3, 0, 0xff, 0xff}},
    {"R32_UINT", F(32), N_UINT, 0, E_R, {0x12345678, 1, 1, 1}, 4, {0x78, 0x56, 0x34, 0x12}},
    {"R32_SFLOAT", F(32), N_FLOAT, 0, E_R, {SM1, 0, 0, 0}, 4, {0, 0, 0x80, 0xbf}},
    {"R32G32_SFLOAT",
     F(32_32),
     N_FLOAT,
     0,
     E_GR,
     {SM1, S1, 9, 9},
     8,
     {0, 0, 0x80, 0xbf, 0, 0, 0x80, 0x3f}},
    {"R32G32B32A32_SINT",
     F(32_32_32_32),
     N_SINT,
     0,
     E_ABGR,
     {1, ~0u, 3, 0x80000000},
     16,
     {1, 0, 0, 0, 255, 255, 255, 255, 3, 0, 0, 0, 0, 0, 0, 0x80}},
    // 0.5 * 1023 + 0.5 = 512; 0.25 * 1023 + 0.5 = 256; 2 bits: 0.5 * 3 + 0.5 = 2
    {"A2B10G10R10_UNORM",
     F(2_10_10_10),
     N_UNORM,
     0,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H_HALF),
     4,
     {0xff, 0x03, 0x08, 0x90}}, // 2 << 30 | 256 << 20 | 512 << 10 | 1023
    {"A2R10G10B10_UNORM",
     F(2_10_10_10),
     N_UNORM,
     1,
     E_HALF,
     HALVES(H1, H_HALF, H_QUARTER, H_HALF),
     4,
     {0x00, 0x01, 0xf8, 0xbf}}, // 2 << 30 | 1023 << 20 | 512 << 10 | 256
    {"A2B10G10R10_UINT",
     F(2_10_10_10),
     N_UINT,
     0,
     E_UINT16,
     HALVES(1023, 2000, 5, 7),
     4,
     {0xff, 0xff, 0x5f, 0xc0}}, // 3 << 30 | 5 << 20 | 1023 << 10 | 1023
    // 11 bits: exponent 15 << 6; 10 bits: 15 << 5
    {"B10G11R11_UFLOAT",
     F(10_11_11),
     N_FLOAT,
     0,
     E_HALF,
     HALVES(H1, H_HALF, H2, H1),
     4,
     {0xc0, 0x03, 0x1c, 0x80}}, // 0x3c0 | 0x380 << 11 | 0x200 << 22
    {"B10G11R11_UFLOAT, negative",
     F(10_11_11),
     N_FLOAT,
     0,
     E_HALF,
     HALVES(HM1, H1, H0, H1),
     4,
     {0x00, 0x00, 0x1e, 0x00}}, // 0x3c0 << 11
    // 1.0 of 5_9_9_9: exponent 16, mantissa 256
    {"E5B9G9R9_UFLOAT",
     F(5_9_9_9),
     N_FLOAT,
     0,
     E_HALF,
     HALVES(H1, H_HALF, H0, H1),
     4,
     {0x00, 0x01, 0x01, 0x80}}, // 16 << 27 | 128 << 9 | 256
    // 0.5 * 31 + 0.5 = 16; 0.5 * 63 + 0.5 = 32
    {"R5G6B5_UNORM", F(5_6_5), N_UNORM, 2, E_HALF, HALVES(H1, H_HALF, H0, H1), 2, {0x00, 0xfc}},
    {"B5G6R5_UNORM", F(5_6_5), N_UNORM, 0, E_HALF, HALVES(H1, H_HALF, H0, H1), 2, {0x1f, 0x04}},
    {"A1R5G5B5_UNORM", F(1_5_5_5), N_UNORM, 1, E_HALF, HALVES(H1, H0, H_HALF, H1), 2, {0x10, 0xfc}},
    {"R4G4B4A4_UNORM",
     F(4_4_4_4),
     N_UNORM,
     2,
     E_HALF,
     HALVES(H1, H_HALF, H0, H_HALF),
     2,
     {0x08, 0xf8}},
};

static void test_format(const struct format_row *r)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(2, 4);
    target(&f, 0, r->format, r->number, r->swap);
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, r->export_format);
    colors(b, 0, 0, r->color);
    const char *why = lull_gfx_open_output(f.g);
    const bool ok = why == NULL && write(&f, b, first_pixel);
    const uint32_t row = r->bytes * SIZE < 256 ? 256 : r->bytes * SIZE;
    const uint32_t at = IMAGE + 4 * row + 2u * r->bytes;
    const uint8_t *got = fixture_mem(&f, at);
    const bool only = fixture_mem(&f, at - 1)[0] == 0x55 && got[r->bytes] == 0x55;
    test_case(ok && only && memcmp(got, r->want, r->bytes) == 0, r->name,
              "%s, alone %d, bytes %02x %02x %02x %02x %02x %02x %02x %02x",
              why != NULL ? why : "open", only, got[0], got[1], got[2], got[3], got[4], got[5],
              got[6], got[7]);
    free(b);
    fixture_free(&f);
}

/** One pixel of a target that holds something: masks, logic operations, blending. */
struct pixel_row {
    const char *name;
    uint8_t format, number, swap, export_format;
    uint32_t control, blend, mask, was, color[4], want;
};

enum {
    OPAQUE = LULL_DRAW11_CB_COLOR0_ATTRIB__FORCE_DST_ALPHA_1_MASK, // beside COMP_SWAP
    ON = 1 << 30,
    SEPARATE = 1 << 29,
    OVER = ON | 4 | 5 << 8,
    MIN_OF = ON | 2 << 5 | 1 | 1 << 8,
    REVERSE = ON | 4 << 5 | 1 | 1 << 8,
    OVER_KEEP_ALPHA = OVER | SEPARATE | 1 << 24, // alpha: 0 * source + 1 * target
    CONSTANT = ON | 11,                          // 1.0, 0.5, 0.25, 0.75
    PLAIN = NORMAL << 4 | COPY << 16,
};

static const struct pixel_row pixels[] = {
    {"red and blue alone", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, 0, 5, 0x44332211,
     HALVES(H1, H1, H1, H1), 0x44ff22ff},
    {"red alone of BGRA", F(8_8_8_8), N_UNORM, 1, E_HALF, PLAIN, 0, 1, 0x44332211,
     HALVES(H1, H0, H0, H0), 0x44ff2211},
    {"alpha alone of 10 bits", F(2_10_10_10), N_UINT, 0, E_UINT16, PLAIN, 0, 8, 0x3fffffff,
     HALVES(0, 0, 0, 2), 0xbfffffff},
    {"exclusive or", F(8_8_8_8), N_UNORM, 0, E_HALF, NORMAL << 4 | 0x66 << 16, 0, 15, 0x0f0f0f0f,
     HALVES(H1, H0, H1, H0), 0x0ff00ff0},
    {"exclusive or, some components", F(8_8_8_8), N_UINT, 0, E_UINT16, NORMAL << 4 | 0x66 << 16, 0,
     3, 0x0f0f0f0f, HALVES(255, 1, 255, 1), 0x0f0f0ef0},
    {"a logic operation comes before blending", F(8_8_8_8), N_UNORM, 0, E_HALF,
     NORMAL << 4 | 0x33 << 16, OVER, 15, 0x0f0f0f0f, HALVES(H1, H0, H1, H0), 0xff00ff00},
    {"floats know no logic operation", F(16_16), N_FLOAT, 0, E_HALF, NORMAL << 4 | 0x66 << 16, 0,
     15, 0x3c003c00, HALVES(H1, H0, 0, 0), 0x00003c00},
    {"sRGB knows no logic operation", F(8_8_8_8), N_SRGB, 0, E_HALF, NORMAL << 4 | 0x00 << 16, 0,
     15, 0x12345678, HALVES(H1, H0, H1, H1), 0xffff00ff},
    // 0.25 * 1 + 0.75 * 0.2 = 0.4; 0.25 * 0 + 0.75 * 0.4 = 0.3; alpha 0.25 * 0.25 + 0.75 = 0.8125
    {"alpha over", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, OVER, 15, 0xff006633,
     HALVES(H1, H0, H0, H_QUARTER), 0xcf004d66},
    {"alpha over, alpha stays", F(8_8_8_8), N_UNORM, 1, E_HALF, PLAIN, OVER_KEEP_ALPHA, 15,
     0x40336600, HALVES(H1, H0, H0, H_QUARTER), 0x40664d00},
    {"alpha over, red alone", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, OVER, 1, 0xff006633,
     HALVES(H1, H0, H0, H_QUARTER), 0xff006666},
    {"alpha over of singles",
     F(8_8_8_8),
     N_UNORM,
     0,
     E_ABGR,
     PLAIN,
     OVER,
     15,
     0xff006633,
     {S1, 0, 0, 0x3e800000},
     0xcf004d66},
    {"minimum ignores factors", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, MIN_OF, 15, 0x80ff0040,
     HALVES(H1, H1, H0, H_HALF), 0x80000040},
    {"target - source, of floats", F(16_16), N_FLOAT, 0, E_HALF, PLAIN, REVERSE, 15, 0x3c004000,
     HALVES(H1, H2, 0, 0), 0xbc003c00}, // 2 - 1, 1 - 2
    {"by the constant", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, CONSTANT, 15, 0,
     HALVES(H1, H1, H1, H1), 0xbf4080ff},
    {"no alpha in the target: 1", F(10_11_11), N_FLOAT, 0, E_HALF, PLAIN, ON | 6, 15, 0,
     HALVES(H1, H_HALF, H2, H0), 0x801c03c0},
    {"an alpha that counts as 1", F(8_8_8_8), N_UNORM, OPAQUE, E_HALF, PLAIN, ON | 6, 15, 0,
     HALVES(H1, H_HALF, H0, H1), 0xff0080ff},
    {"an alpha that does not", F(8_8_8_8), N_UNORM, 0, E_HALF, PLAIN, ON | 6, 15, 0x80000000,
     HALVES(H1, H0, H0, H1), 0x80000080},
    {"integers do not blend", F(8_8_8_8), N_UINT, 0, E_UINT16, PLAIN, OVER, 15, 0x11111111,
     HALVES(1, 2, 3, 4), 0x04030201},
    // linear: 0.5 * 1 + 0.5 * 0 = 0.5, which is 188 in sRGB
    {"sRGB blends linearly", F(8_8_8_8), N_SRGB, 0, E_HALF, PLAIN, OVER, 15, 0xff000000,
     HALVES(H1, H1, H0, H_HALF), 0xbf00bcbc},
};

static void test_pixel(const struct pixel_row *r)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(0, 0);
    static const float constant[4] = {1, 0.5f, 0.25f, 0.75f};
    target(&f, 0, r->format, r->number, r->swap & 3u);
    for (unsigned c = 0; c < 4; c++) {
        memcpy(&f.g->mmio[LULL_DRAW11_CB_BLEND_RED / 4 + c], &constant[c], 4);
    }
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, r->export_format);
    reg(&f, LULL_DRAW11_CB_COLOR_CONTROL, r->control);
    reg(&f, LULL_DRAW11_CB_BLEND0_CONTROL, r->blend);
    reg(&f, LULL_DRAW11_CB_TARGET_MASK, r->mask);
    reg(&f, LULL_DRAW11_CB_COLOR0_ATTRIB, r->swap & OPAQUE);
    fixture_put32(&f, IMAGE, r->was);
    colors(b, 0, 0, r->color);
    const char *why = lull_gfx_open_output(f.g);
    const bool ok = why == NULL && write(&f, b, first_pixel);
    const uint32_t got = fixture_u32(&f, IMAGE);
    test_case(ok && got == r->want && fixture_u32(&f, IMAGE + 4) == 0x55555555, r->name,
              "%s: 0x%08" PRIx32 ", want 0x%08" PRIx32, why != NULL ? why : "open", got, r->want);
    free(b);
    fixture_free(&f);
}

/** Exports are numbered without the targets that the shader does not write. */
static void test_many(void)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(0, 0);
    for (unsigned n = 0; n < LULL_GFX_TARGETS; n++) {
        target(&f, n, F(32), N_UINT, 0);
    }
    reg(&f, LULL_DRAW11_CB_SHADER_MASK, 0xf0f0f00f); // 0, 3, 5, 7
    reg(&f, LULL_DRAW11_CB_TARGET_MASK, 0xf00fffff); // 5 is masked
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, E_R | E_UINT16 << 4 | E_R << 8 | E_R << 12);
    for (unsigned e = 0; e < 4; e++) {
        b->out[0].color[e][0][0] = 0x40000 + e;
    }
    const char *why = lull_gfx_open_output(f.g);
    const bool ok = why == NULL && write(&f, b, first_pixel);
    static const uint32_t want[LULL_GFX_TARGETS] = {0x40000,    0x55555555, 0x55555555, 1,
                                                    0x55555555, 0x55555555, 0x55555555, 0x40003};
    for (unsigned n = 0; n < LULL_GFX_TARGETS; n++) {
        const uint32_t got = fixture_u32(&f, IMAGE + 0x10000 * n);
        test_case(ok && got == want[n], "eight targets", "%u: 0x%08" PRIx32 ", want 0x%08" PRIx32,
                  n, got, want[n]);
    }
    free(b);
    fixture_free(&f);
}

/** Source * 1 + target * (1 - second source). */
static void test_dual(void)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(0, 0);
    static const uint32_t first[4] = HALVES(H_QUARTER, H0, H0, H1);
    static const uint32_t second[4] = HALVES(H_HALF, H1, H0, H0);
    target(&f, 0, F(8_8_8_8), N_UNORM, 0);
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, E_HALF | E_HALF << 4);
    reg(&f, LULL_DRAW11_CB_SHADER_MASK, 0xff);
    reg(&f, LULL_DRAW11_CB_BLEND0_CONTROL, ON | 1 | 14 << 8);
    fixture_put32(&f, IMAGE, 0x00ff80ff);
    colors(b, 0, 0, first);
    colors(b, 1, 0, second);
    const char *why = lull_gfx_open_output(f.g);
    const bool ok = why == NULL && write(&f, b, first_pixel);
    // 0.25 + 0.5, 0 + 0, 0 + 1, 1 + 0
    test_case(ok && fixture_u32(&f, IMAGE) == 0xffff00bf, "dual source", "0x%08" PRIx32,
              fixture_u32(&f, IMAGE));
    free(b);
    fixture_free(&f);
}

static uint32_t state = 1;

static uint32_t next(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/** Where the texels of quads go. */
struct place_row {
    const char *name;
    unsigned type, sw_mode, level, max_mip, depth, samples_log2, slice, slice_max;
};

static const struct place_row places[] = {
    {"linear, levels", 1, 0, 1, 2, 1, 0, 0, 0},
    {"tiled", 1, 27, 0, 0, 1, 0, 0, 0},
    {"tiled, a level of the tail", 1, 27, 2, 6, 1, 0, 0, 0},
    {"tiled, layers of an array", 1, 27, 0, 0, 4, 0, 1, 2},
    {"3D, standard order", 2, 25, 0, 0, 8, 0, 2, 7},
    {"3D, in slices", 2, 27, 0, 0, 4, 0, 0, 3},
    {"2 samples", 1, 27, 0, 0, 1, 1, 0, 0},
    {"4 samples, layers", 1, 27, 0, 0, 2, 2, 0, 1},
    {"8 samples", 1, 31, 0, 0, 1, 3, 0, 0},
};

/** The texels of the row's image as src/tex lays them out. */
static void layout(const struct place_row *r, struct lull_tiling *t)
{
    struct lull_image_desc d = {
        .base = FIXTURE_VA + IMAGE,
        .format = lull_format_by_name("32_UINT"),
        .type = r->type == 2 ? LULL_IMAGE_3D : LULL_IMAGE_2D_ARRAY,
        .sw_mode = (uint8_t)r->sw_mode,
        .width = SIZE,
        .height = SIZE,
        .depth = r->type == 2 ? r->depth : 1,
        .last_slice = r->depth - 1,
        .max_mip = (uint8_t)r->max_mip,
        .samples = (uint8_t)(1 << r->samples_log2),
    };
    if (lull_tiling_prepare(&d, r->level, t) != LULL_TEX_OK || t->size > IMAGE_BYTES) {
        abort();
    }
}

static struct fixture make_place(const struct place_row *r)
{
    struct fixture f = make();
    reg(&f, LULL_DRAW11_CB_COLOR0_VIEW, r->slice | r->slice_max << 13 | r->level << 26);
    reg(&f, LULL_DRAW11_CB_COLOR0_ATTRIB, r->samples_log2);
    reg(&f, LULL_DRAW11_PA_SC_AA_CONFIG, r->samples_log2);
    reg(&f, LULL_DRAW11_CB_COLOR0_ATTRIB2, (SIZE - 1) | (SIZE - 1) << 14 | r->max_mip << 28);
    reg(&f, LULL_DRAW11_CB_COLOR0_ATTRIB3, (r->depth - 1) | r->sw_mode << 14 | r->type << 24);
    return f;
}

/** Pixels with random samples: those go where they belong, and nothing else. */
static void test_place(const struct place_row *r)
{
    struct fixture f = make_place(r);
    struct lull_tiling t;
    struct lull_gfx_batch *b = batch(0, 0);
    uint8_t samples[LULL_GFX_LANES] = {0};
    uint8_t *want = malloc(IMAGE_BYTES);
    layout(r, &t);
    if (want == NULL) {
        abort();
    }
    memset(want, 0x55, IMAGE_BYTES);
    const uint64_t written = (uint64_t)next() << 40 ^ (uint64_t)next() << 20 ^ next();
    b->nquads = LULL_GFX_QUADS;
    b->out[0].written[0] = written;
    for (unsigned l = 0; l < LULL_GFX_LANES; l++) {
        struct lull_gfx_quad *q = &b->quads[l / 4];
        if (l % 4 == 0) { // some are outside
            q->q.x = (uint16_t)(next() % (t.width + 4) & ~1u);
            q->q.y = (uint16_t)(next() % (t.height + 4) & ~1u);
            q->part = (uint16_t)(l / 4);
            b->parts[l / 4].layer = next() % (r->slice_max - r->slice + 2);
        }
        samples[l] = (uint8_t)(next() & ((1u << (1 << r->samples_log2)) - 1));
        b->out[0].color[0][0][l] = next();
        const uint32_t x = q->q.x + l % 2, y = q->q.y + l / 2 % 2;
        const uint32_t z = r->slice + b->parts[l / 4].layer;
        for (unsigned s = 0; s < 8; s++) {
            if ((samples[l] >> s & 1) != 0 && (written >> l & 1) != 0 && x < t.width &&
                y < t.height && z <= r->slice_max) {
                const uint64_t va = lull_tiling_texel_va(&t, x, y, z, s);
                memcpy(want + (va - FIXTURE_VA - IMAGE), &b->out[0].color[0][0][l], 4);
            }
        }
    }
    const char *why = lull_gfx_open_output(f.g);
    const bool ok = why == NULL && write(&f, b, samples);
    unsigned bad = 0;
    for (uint32_t i = 0; i < IMAGE_BYTES; i++) {
        bad += want[i] != fixture_mem(&f, IMAGE)[i];
    }
    test_case(ok && bad == 0, r->name, "%s, %u bytes differ", why != NULL ? why : "open", bad);
    free(want);
    free(b);
    fixture_free(&f);
}

/** The quick ways give what the general one gives, bit by bit, of any halves. */
static void test_paths(const char *name, unsigned path, uint32_t blend, uint32_t mask)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(0, 0);
    uint8_t samples[LULL_GFX_LANES];
    unsigned bad = 0, wrong_path = 0;
    memset(samples, 1, sizeof samples);
    target(&f, 0, F(8_8_8_8), N_UNORM, next() % 4);
    reg(&f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, E_HALF);
    reg(&f, LULL_DRAW11_CB_TARGET_MASK, mask);
    reg(&f, LULL_DRAW11_CB_BLEND0_CONTROL, blend);
    b->nquads = LULL_GFX_QUADS;
    for (unsigned i = 0; i < LULL_GFX_QUADS; i++) {
        b->quads[i].q.x = (uint16_t)(2 * i);
    }
    for (unsigned half = 0; half < 65536; half += LULL_GFX_LANES) {
        uint32_t results[2][2 * 2 * LULL_GFX_QUADS], was[2 * 2 * LULL_GFX_QUADS];
        for (unsigned l = 0; l < LULL_GFX_LANES; l++) {
            const uint32_t v[4] = {(half + l) | next() << 16, (next() & 0x3fff) << 16 | (half + l)};
            colors(b, 0, l, v);
            was[l] = next() ^ next() << 20;
        }
        for (unsigned way = 0; way < 2; way++) {
            wrong_path += lull_gfx_open_output(f.g) != NULL || f.g->output->color[0].path != path;
            f.g->output->color[0].path = (uint8_t)(way == 0 ? path : LULL_GFX_GENERAL);
            memcpy(fixture_mem(&f, IMAGE), was, sizeof was / 2);
            memcpy(fixture_mem(&f, IMAGE + 4 * SIZE), was + 32, sizeof was / 2);
            wrong_path += !write(&f, b, samples);
            memcpy(results[way], fixture_mem(&f, IMAGE), sizeof was / 2);
            memcpy(results[way] + 32, fixture_mem(&f, IMAGE + 4 * SIZE), sizeof was / 2);
        }
        bad += memcmp(results[0], results[1], sizeof was) != 0;
    }
    test_case(bad == 0 && wrong_path == 0, name, "%u waves differ, %u went another way", bad,
              wrong_path);
    free(b);
    fixture_free(&f);
}

struct refusal {
    const char *want;
    uint32_t reg, value;
};

static const struct refusal refusals[] = {
    {"in a mode of CB_COLOR_CONTROL that does not exist", LULL_DRAW11_CB_COLOR_CONTROL, 4 << 4},
    {"with a raster operation of three operands", LULL_DRAW11_CB_COLOR_CONTROL,
     1 << 4 | 0xca << 16},
    {"to a format that it does not know", LULL_DRAW11_CB_COLOR0_INFO, F(8_8_8_8) | N_FLOAT << 8},
    {"with another number of samples than its target has", LULL_DRAW11_CB_COLOR0_ATTRIB, 2},
    {"with blending that does not exist", LULL_DRAW11_CB_BLEND0_CONTROL, ON | 31},
};

static void test_refusal(const struct refusal *r)
{
    struct fixture f = make();
    target(&f, 0, F(8_8_8_8), N_UNORM, 0);
    reg(&f, r->reg, r->value);
    const char *why = lull_gfx_open_output(f.g);
    test_case(why != NULL && strcmp(why, r->want) == 0, r->want, "%s", why != NULL ? why : "open");
    fixture_free(&f);
}

/** Memory that refuses is said. */
static void test_fault(void)
{
    struct fixture f = make();
    struct lull_gfx_batch *b = batch(0, 0);
    reg(&f, LULL_DRAW11_CB_COLOR0_BASE, (uint32_t)((FIXTURE_VA + FIXTURE_BYTES) >> 8));
    const bool opens = lull_gfx_open_output(f.g) == NULL;
    test_case(opens && !write(&f, b, first_pixel), "a texel faults", "it does not");
    free(b);
    fixture_free(&f);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 1;
    printf("# seed %" PRIu32 "\n", state);
    for (size_t i = 0; i < TEST_ROWS(formats); i++) {
        test_format(&formats[i]);
    }
    for (size_t i = 0; i < TEST_ROWS(pixels); i++) {
        test_pixel(&pixels[i]);
    }
    test_many();
    test_dual();
    for (size_t i = 0; i < TEST_ROWS(places); i++) {
        test_place(&places[i]);
    }
    test_paths("a copy, either way", LULL_GFX_COPY_8888, 0, 15);
    test_paths("alpha over, either way", LULL_GFX_BLEND_8888, OVER, 15);
    test_paths("alpha over with separate alpha", LULL_GFX_BLEND_8888, OVER_KEEP_ALPHA, 15);
    test_paths("additive, some components", LULL_GFX_BLEND_8888, ON | 1 | 1 << 8, 13);
    for (size_t i = 0; i < TEST_ROWS(refusals); i++) {
        test_refusal(&refusals[i]);
    }
    test_fault();
    return test_end();
}
