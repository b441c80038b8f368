// SPDX-License-Identifier: MIT
// Depth and stencil of quads: planes in memory, tests by registers, what passes. Expected values
// are computed here, sample by sample, from the planes' formula and Vulkan's words; addresses are
// those of src/tex (tests/tex compares them with addrlib's).
#include "model/amd/gfx/gfx_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "gpu_fixture.h"
#include "test.h"

enum {
    Z_AT = 0x40000, // in the mapping
    S_AT = 0x140000,
    PLANE_BYTES = 0x100000,
    SIZE = 64,
    Z16 = 1,
    Z32F = 3,
    Z_X_64KB = 24,
    Z_X_256KB = 28,
    // DB_DEPTH_CONTROL
    STENCIL = 1,
    TEST = 2,
    WRITE = 4,
    BOUNDS = 8,
    BACKFACE = 128,
    NEVER = 0,
    LESS,
    EQUAL,
    GREATER = 4,
    ALWAYS = 7,
};

static void reg(const struct fixture *f, uint32_t offset, uint32_t value)
{
    f->g->mmio[offset / 4] = value;
}

static uint32_t bits(float v)
{
    uint32_t u = 0;
    memcpy(&u, &v, sizeof u);
    return u;
}

static void base(const struct fixture *f, uint32_t offset, uint32_t lo, uint32_t hi)
{
    reg(f, lo, (uint32_t)((FIXTURE_VA + offset) >> 8));
    reg(f, hi, (uint32_t)((FIXTURE_VA + offset) >> 40) & 0xff);
}

/** How planes are made, and what is tested. */
struct row {
    const char *name;
    uint8_t format, sw_mode, samples_log2;
    bool stencil, back;
    uint32_t control;
    float was, lo, hi; // depth in the plane, of 0 to 1; bounds
    uint32_t ops;      // DB_STENCIL_CONTROL
    uint32_t refmask[2];
    uint32_t view; // DB_DEPTH_VIEW
    uint32_t layer;
};

static struct fixture make(const struct row *r)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    const uint32_t log2 = r->samples_log2;
    reg(&f, LULL_DRAW11_DB_Z_INFO, r->format | log2 << 2 | (uint32_t)r->sw_mode << 4);
    reg(&f, LULL_DRAW11_DB_STENCIL_INFO, r->stencil | (uint32_t)r->sw_mode << 4);
    base(&f, Z_AT, LULL_DRAW11_DB_Z_READ_BASE, LULL_DRAW11_DB_Z_READ_BASE_HI);
    base(&f, Z_AT, LULL_DRAW11_DB_Z_WRITE_BASE, LULL_DRAW11_DB_Z_WRITE_BASE_HI);
    base(&f, S_AT, LULL_DRAW11_DB_STENCIL_READ_BASE, LULL_DRAW11_DB_STENCIL_READ_BASE_HI);
    base(&f, S_AT, LULL_DRAW11_DB_STENCIL_WRITE_BASE, LULL_DRAW11_DB_STENCIL_WRITE_BASE_HI);
    reg(&f, LULL_DRAW11_DB_DEPTH_SIZE_XY, (SIZE - 1) | (SIZE - 1) << 16);
    reg(&f, LULL_DRAW11_DB_DEPTH_VIEW, r->view);
    reg(&f, LULL_DRAW11_DB_DEPTH_CONTROL, r->control);
    reg(&f, LULL_DRAW11_DB_STENCIL_CONTROL, r->ops);
    reg(&f, LULL_DRAW11_DB_STENCILREFMASK, r->refmask[0]);
    reg(&f, LULL_DRAW11_DB_STENCILREFMASK_BF, r->refmask[1]);
    reg(&f, LULL_DRAW11_DB_DEPTH_BOUNDS_MIN, bits(r->lo));
    reg(&f, LULL_DRAW11_DB_DEPTH_BOUNDS_MAX, bits(r->hi));
    reg(&f, LULL_DRAW11_PA_SC_AA_CONFIG, log2);
    reg(&f, LULL_DRAW11_PA_SC_MODE_CNTL_0, log2 != 0);
    reg(&f, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS, 0x622ae6ae); // (-2,-6)(6,-2)(-6,2)(2,6)
    return f;
}

/** The planes as src/tex lays them out. */
static void layout(const struct row *r, const char *format, uint32_t at, struct lull_tiling *t)
{
    struct lull_image_desc d = {
        .base = FIXTURE_VA + at,
        .format = lull_format_by_name(format),
        .type = LULL_IMAGE_2D_ARRAY,
        .sw_mode = r->sw_mode,
        .width = SIZE,
        .height = SIZE,
        .depth = 1,
        .last_slice = 3,
        .samples = (uint8_t)(1 << r->samples_log2),
    };
    if (lull_tiling_prepare(&d, 0, t) != LULL_TEX_OK || t->size > PLANE_BYTES) {
        abort();
    }
}

/** A part whose depth is 0.5 at 10, 20, and grows by 1/64 to the right, 1/16 downwards. */
static void slope(struct lull_gfx_part *p)
{
    *p = (struct lull_gfx_part){.layer = 0};
    p->raster.origin[0] = 10;
    p->raster.origin[1] = 20;
    p->raster.z = (struct lull_raster_plane){1 / 64.0, 1 / 16.0, 0.5};
    p->raster.zmax = 1;
    p->raster.front = 1;
}

static double slope_at(double x, double y)
{
    const double z = 0.5 + (x - 10) / 64 + (y - 20) / 16;
    return z < 0 ? 0 : z > 1 ? 1 : z;
}

static struct lull_vm *memory(const struct fixture *f)
{
    struct lull_vm *vm = calloc(1, sizeof *vm);
    const struct lull_bank bank = {0};
    if (vm == NULL) {
        abort();
    }
    vm->phys = lull_gpu_phys(f->g);
    vm->vmid = FIXTURE_VMID;
    vm->page_table_base = FIXTURE_TABLES | 1;
    vm->context_cntl =
        lull_gpu_read_reg(f->g, bank, LULL_GC11_GCVM_CONTEXT0_CNTL + 4 * FIXTURE_VMID);
    return vm;
}

enum { WAS_STENCIL = 0x35, REPLACE = 3, INCREMENT = 5, INVERT = 7 };

static const struct row rows[] = {
    {"D32, less",
     Z32F,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | LESS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"D32, no test", Z32F, Z_X_64KB, 0, false, false, WRITE, 0.5f, 0, 0, 0, {0}, 0, 0},
    {"D32, greater, not written",
     Z32F,
     0,
     0,
     false,
     false,
     TEST | GREATER << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"D32, read only",
     Z32F,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | LESS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     1 << 24,
     0},
    {"D16, always",
     Z16,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | ALWAYS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"D16, equal after rounding",
     Z16,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | EQUAL << 4,
     0.53125f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"D16, bounds",
     Z16,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | BOUNDS | ALWAYS << 4,
     0.5f,
     0.5f,
     0.75f,
     0,
     {0},
     0,
     0}, // 32768 is not below 32767.5
    {"D16, below the bounds",
     Z16,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | BOUNDS | ALWAYS << 4,
     0.25f,
     0.5f,
     0.75f,
     0,
     {0},
     0,
     0},
    {"bounds alone", Z32F, Z_X_64KB, 0, false, false, BOUNDS, 0.5f, 0.6f, 1, 0, {0}, 0, 0},
    {"D32, 4 samples",
     Z32F,
     Z_X_64KB,
     2,
     false,
     false,
     TEST | WRITE | LESS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"D16, 4 samples",
     Z16,
     Z_X_64KB,
     2,
     false,
     false,
     TEST | WRITE | GREATER << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     0,
     0},
    {"a layer",
     Z32F,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | LESS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     1 | 3 << 13,
     2},
    {"behind the last layer",
     Z32F,
     Z_X_64KB,
     0,
     false,
     false,
     TEST | WRITE | LESS << 4,
     0.5f,
     0,
     0,
     0,
     {0},
     1 | 2 << 13,
     2},
    {"stencil alone: equal, increment",
     0,
     Z_X_64KB,
     0,
     true,
     false,
     STENCIL | EQUAL << 8,
     0,
     0,
     0,
     INCREMENT << 4,
     {0x35 | 0xff << 8 | 0xff << 16 | 1u << 24},
     0,
     0},
    {"stencil fails: replace",
     0,
     Z_X_64KB,
     0,
     true,
     false,
     STENCIL | NEVER << 8,
     0,
     0,
     0,
     REPLACE,
     {0x5a | 0xff << 8 | 0x0f << 16},
     0,
     0},
    {"stencil, depth fails: invert",
     Z32F,
     Z_X_64KB,
     2,
     true,
     false,
     STENCIL | TEST | WRITE | LESS << 4 | ALWAYS << 8,
     0.5f,
     0,
     0,
     REPLACE << 4 | INVERT << 8,
     {0x11 | 0xff << 8 | 0xff << 16},
     0,
     0},
    {"the back has its own",
     Z32F,
     Z_X_256KB,
     2,
     true,
     true,
     STENCIL | TEST | WRITE | BACKFACE | LESS << 4 | NEVER << 8 | EQUAL << 20,
     0.5f,
     0,
     0,
     INVERT << 16 | REPLACE << 20,
     {0, 0x05 | 0x0f << 8 | 0xf0 << 16},
     0,
     0},
    {"one state for both faces",
     0,
     Z_X_64KB,
     0,
     true,
     true,
     STENCIL | ALWAYS << 8 | NEVER << 20,
     0,
     0,
     0,
     REPLACE << 4,
     {0x44 | 0xff << 8 | 0xff << 16, 0},
     0,
     0},
    {"stencil, read only",
     0,
     Z_X_64KB,
     0,
     true,
     false,
     STENCIL | EQUAL << 8,
     0,
     0,
     0,
     INVERT << 4,
     {0x35 | 0xff << 8 | 0xff << 16},
     1 << 25,
     0},
};

static bool compare(uint32_t op, double a, double b)
{
    return op == LESS ? a < b : op == EQUAL ? a == b : op == GREATER ? a > b : op == ALWAYS;
}

static uint8_t operate(uint32_t op, uint32_t refmask)
{
    const uint32_t mask = refmask >> 16 & 0xff, ref = refmask & 0xff;
    const uint32_t to = op == REPLACE     ? ref
                        : op == INCREMENT ? WAS_STENCIL + (refmask >> 24)
                        : op == INVERT    ? ~(uint32_t)WAS_STENCIL
                                          : WAS_STENCIL;
    return (uint8_t)((WAS_STENCIL & ~mask) | (to & mask));
}

/** What a sample's test gives: depth of 0 to 1 in the plane's precision. */
static bool expect(const struct row *r, double z, double *depth, uint8_t *stencil)
{
    const bool back = r->back && (r->control & BACKFACE) != 0;
    const uint32_t ops = r->ops >> (back ? 12 : 0), refmask = r->refmask[back];
    const uint32_t func = r->control >> (back ? 20 : 8) & 7, read = refmask >> 8 & 0xff;
    const bool tests = (r->control & STENCIL) != 0 && r->stencil;
    double was = (double)r->was;
    if (r->format == Z16) {
        z = floor(z * 65535 + 0.5) / 65535;
        was = floor(was * 65535 + 0.5) / 65535;
    }
    *depth = was;
    *stencil = WAS_STENCIL;
    if ((r->control & BOUNDS) != 0 && (was < (double)r->lo || was > (double)r->hi)) {
        return false;
    }
    const bool keeps = (r->view >> 25 & 1) != 0;
    if (tests && !compare(func, refmask & read, WAS_STENCIL & read)) {
        *stencil = keeps ? WAS_STENCIL : operate(ops & 15, refmask);
        return false;
    }
    const bool pass = (r->control & TEST) == 0 || compare(r->control >> 4 & 7, z, was);
    if (tests && !keeps) {
        *stencil = operate(ops >> (pass ? 4 : 8) & 15, refmask);
    }
    if (pass && (r->control & (TEST | WRITE)) == (TEST | WRITE) && (r->view >> 24 & 1) == 0) {
        *depth = z;
    }
    return pass;
}

struct planes {
    struct lull_tiling z, s;
    const struct fixture *f;
    const struct row *r;
};

static double stored(const struct planes *p, uint32_t x, uint32_t y, uint32_t slice, unsigned s)
{
    const uint8_t *at =
        fixture_mem(p->f, (uint32_t)(lull_tiling_texel_va(&p->z, x, y, slice, s) - FIXTURE_VA));
    float v = 0;
    uint16_t u = 0;
    memcpy(&u, at, sizeof u);
    if (p->r->format == Z32F) {
        memcpy(&v, at, sizeof v);
    }
    return p->r->format == Z32F ? (double)v : u / 65535.0;
}

static void fill(const struct planes *p)
{
    const bool fixed = p->r->format == Z16;
    const float v = p->r->was;
    const uint16_t u = (uint16_t)floor((double)v * 65535 + 0.5);
    for (uint32_t i = 0; i < PLANE_BYTES; i += fixed ? 2 : 4) {
        memcpy(fixture_mem(p->f, Z_AT + i), fixed ? (const void *)&u : &v, fixed ? 2 : 4);
    }
    memset(fixture_mem(p->f, S_AT), WAS_STENCIL, PLANE_BYTES);
}

/** Samples that are not what they should be after the quad at @p x0, @p y0 with @p mask. */
static unsigned wrong(const struct planes *p, struct lull_gpu *g, const struct lull_gfx_part *part,
                      uint32_t x0, uint32_t y0, uint32_t mask)
{
    static const double places[4][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
    const struct lull_gfx_quad q = {.q = {(uint16_t)x0, (uint16_t)y0, mask}};
    const uint32_t slice = (p->r->view & 0x7ff) + part->layer;
    const bool there = slice <= (p->r->view >> 13 & 0x7ff);
    struct lull_vm *vm = memory(p->f);
    uint32_t passed = 0;
    unsigned bad = !lull_gfx_depth_test(g, vm, part, &q, NULL, NULL, &passed);
    free(vm);
    for (unsigned i = 0; i < 4 * LULL_RASTER_SAMPLES; i++) {
        const uint32_t x = x0 + (i / 8 & 1), y = y0 + i / 16;
        const unsigned s = i % 8;
        if (s >= 1u << p->r->samples_log2) {
            bad += (passed >> i & 1) != 0 && (mask >> i & 1) == 0;
            continue;
        }
        const bool msaa = p->r->samples_log2 != 0;
        const double z = slope_at(x + 0.5 + (msaa ? places[s][0] / 16 : 0),
                                  y + 0.5 + (msaa ? places[s][1] / 16 : 0));
        double depth = (double)p->r->was;
        uint8_t stencil = WAS_STENCIL;
        const bool covered = (mask >> i & 1) != 0 && there;
        const bool pass = covered && expect(p->r, (double)(float)z, &depth, &stencil);
        const double tolerance = p->r->format == Z16 ? 1e-5 : 1e-7;
        bad += ((passed >> i & 1) != 0) != pass;
        bad += p->r->format != 0 && fabs(stored(p, x, y, slice, s) - depth) > tolerance;
        bad += p->r->stencil &&
               *fixture_mem(p->f, (uint32_t)(lull_tiling_texel_va(&p->s, x, y, slice, s) -
                                             FIXTURE_VA)) != stencil;
    }
    return bad;
}

static void test_row(const struct row *r)
{
    struct fixture f = make(r);
    struct planes p = {.f = &f, .r = r};
    struct lull_gfx_part part;
    layout(r, r->format == Z16 ? "16_UNORM" : "32_FLOAT", Z_AT, &p.z);
    layout(r, "8_UINT", S_AT, &p.s);
    fill(&p);
    slope(&part);
    part.raster.front = !r->back;
    part.layer = r->layer;
    const char *why = lull_gfx_open_output(f.g);
    const uint32_t all = r->samples_log2 == 0 ? 0x01010101 : 0x0f0f0f0f;
    unsigned bad = 0;
    bad += wrong(&p, f.g, &part, 10, 18, all);              // around the depth that was
    bad += wrong(&p, f.g, &part, 12, 20, all & 0x00ff0605); // some samples
    bad += wrong(&p, f.g, &part, 62, 62, all);              // beyond 1: clamped
    test_case(why == NULL && bad == 0, r->name, "%s, %u values are wrong",
              why != NULL ? why : "open", bad);
    fixture_free(&f);
}

/** Depth and stencil that the shader exports, of each pixel. */
static void test_exported(void)
{
    static const struct row r = {"",
                                 Z32F,
                                 Z_X_64KB,
                                 0,
                                 true,
                                 false,
                                 STENCIL | TEST | WRITE | LESS << 4 | EQUAL << 8,
                                 0.5f,
                                 0,
                                 0,
                                 INCREMENT << 4,
                                 {0 | 0xff << 8 | 0xff << 16 | 1u << 24},
                                 0,
                                 0};
    struct fixture f = make(&r);
    struct planes p = {.f = &f, .r = &r};
    struct lull_gfx_part part;
    const struct lull_gfx_quad q = {.q = {4, 6, 0x01010101}};
    const float z[4] = {0.25f, 0.75f, -1, 0.25f}; // the third is clamped
    const uint8_t stencil[4] = {WAS_STENCIL, WAS_STENCIL, WAS_STENCIL, 9};
    struct lull_vm *vm = memory(&f);
    uint32_t passed = 0;
    layout(&r, "32_FLOAT", Z_AT, &p.z);
    layout(&r, "8_UINT", S_AT, &p.s);
    fill(&p);
    slope(&part);
    const bool ok = lull_gfx_open_output(f.g) == NULL &&
                    lull_gfx_depth_test(f.g, vm, &part, &q, z, stencil, &passed);
    test_case(ok && passed == 0x00010001, "exported depth and stencil", "mask 0x%08" PRIx32,
              passed);
    static const double want[4] = {0.25, 0.5, 0, 0.5};
    for (unsigned n = 0; n < 4; n++) {
        const double got = stored(&p, 4 + n % 2, 6 + n / 2, 0, 0);
        test_case(fabs(got - want[n]) < 1e-7, "exported depth", "pixel %u: %g, want %g", n, got,
                  want[n]);
    }
    free(vm);
    fixture_free(&f);
}

/** Nothing is tested: all pass, and no memory is looked at. */
static void test_none(void)
{
    static const struct row r = {"", 0, 0, 0, false, false, TEST | WRITE | STENCIL,
                                 0,  0, 0, 0, {0},   0,     0};
    struct fixture f = make(&r);
    struct lull_gfx_part part;
    const struct lull_gfx_quad q = {.q = {4, 6, 0x01000101}};
    uint32_t passed = 0;
    slope(&part);
    const bool ok = lull_gfx_open_output(f.g) == NULL &&
                    lull_gfx_depth_test(f.g, NULL, &part, &q, NULL, NULL, &passed);
    test_case(ok && passed == 0x01000101, "no planes", "mask 0x%08" PRIx32, passed);
    fixture_free(&f);
}

static void test_fault(void)
{
    struct fixture f = make(&rows[0]);
    struct lull_gfx_part part;
    const struct lull_gfx_quad q = {.q = {4, 6, 1}};
    struct lull_vm *vm = memory(&f);
    uint32_t passed = 0;
    base(&f, FIXTURE_BYTES, LULL_DRAW11_DB_Z_READ_BASE, LULL_DRAW11_DB_Z_READ_BASE_HI);
    base(&f, FIXTURE_BYTES, LULL_DRAW11_DB_Z_WRITE_BASE, LULL_DRAW11_DB_Z_WRITE_BASE_HI);
    slope(&part);
    const bool opens = lull_gfx_open_output(f.g) == NULL;
    test_case(opens && !lull_gfx_depth_test(f.g, vm, &part, &q, NULL, NULL, &passed),
              "memory refuses", "it does not");
    free(vm);
    fixture_free(&f);
}

/** When the test may come before the shader: Vulkan 1.3, "Early Fragment Test". */
static void test_early(void)
{
    static const struct {
        const char *name;
        uint32_t control, alpha_to_mask;
        bool early;
    } cases[] = {
        {"early, then late", 1 << 4, 0, true},
        {"late", 0, 0, false},
        {"it discards", 1 << 4 | 1 << 6, 0, false},
        {"it exports depth", 1 << 4 | 1, 0, false},
        {"it exports stencil", 1 << 4 | 2, 0, false},
        {"it exports a mask", 1 << 4 | 1 << 8, 0, false},
        {"alpha to coverage", 1 << 4, 1, false},
        {"alpha to coverage, off", 1 << 4 | 1 << 11, 1, true},
        {"early_fragment_tests", 1 << 12 | 1 << 6 | 1, 0, true},
    };
    struct fixture f = make(&rows[0]);
    for (unsigned i = 0; i < TEST_ROWS(cases); i++) {
        reg(&f, LULL_DRAW11_DB_SHADER_CONTROL, cases[i].control);
        reg(&f, LULL_DRAW11_DB_ALPHA_TO_MASK, cases[i].alpha_to_mask);
        const bool early = lull_gfx_depth_is_early(f.g);
        test_case(early == cases[i].early, cases[i].name, "early %d", early);
    }
    fixture_free(&f);
}

static void test_refusals(void)
{
    static const struct {
        const char *want;
        uint32_t reg, value;
    } cases[] = {
        {"to depth of 24 bits", LULL_DRAW11_DB_Z_INFO, 2 | Z_X_64KB << 4},
        {"with depth that is read and written in two places", LULL_DRAW11_DB_Z_WRITE_BASE, 1},
        {"with another number of samples than its depth has", LULL_DRAW11_PA_SC_AA_CONFIG, 2},
        {"to clear depth by DB_RENDER_CONTROL", LULL_DRAW11_DB_RENDER_CONTROL, 1},
        {"to clear depth by DB_RENDER_CONTROL", LULL_DRAW11_DB_RENDER_CONTROL, 2},
        {"to copy depth to colour", LULL_DRAW11_DB_RENDER_CONTROL, 4},
        {"colour where depth fails", LULL_DRAW11_DB_DEPTH_CONTROL, 1 << 30},
        {"with an exported operand of stencil operations", LULL_DRAW11_DB_SHADER_CONTROL, 4},
    };
    for (unsigned i = 0; i < TEST_ROWS(cases); i++) {
        struct fixture f = make(&rows[0]);
        reg(&f, cases[i].reg, cases[i].value);
        const char *why = lull_gfx_open_output(f.g);
        test_case(why != NULL && strcmp(why, cases[i].want) == 0, cases[i].want, "%s",
                  why != NULL ? why : "open");
        fixture_free(&f);
    }
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_exported();
    test_none();
    test_fault();
    test_early();
    test_refusals();
    return test_end();
}
