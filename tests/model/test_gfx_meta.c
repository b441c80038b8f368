// SPDX-License-Identifier: MIT
// Colour and depth targets whose metadata says that they are cleared: when a draw opens them their
// memory has the clear value, in the slices of the view and nowhere else, and metadata is plain.
// Addresses are those of src/tex (tests/tex compares them with addrlib's).
#include "model/amd/gfx/gfx_output.h"

#include <inttypes.h>

#include "gpu_fixture.h"
#include "test.h"

enum {
    IMAGE_AT = 0x40000, // in the mapping; 4 slices of 64 KiB
    STENCIL_AT = 0x100000,
    META_AT = 0x180000,
    META_BYTES = 0x80000,
    SIZE = 64,
    SLICES = 4,
    FILL = 0x55,
    R_X = 27,
    Z_X = 24,
    F_8888 = 10, // COLOR_8_8_8_8
    DCC = 1,
    DEPTH,
    BOTH,
};

static void reg(const struct fixture *f, uint32_t offset, uint32_t value)
{
    f->g->mmio[offset / 4] = value;
}

static void base(const struct fixture *f, uint32_t offset, uint32_t lo, uint32_t hi)
{
    reg(f, lo, (uint32_t)((FIXTURE_VA + offset) >> 8));
    reg(f, hi, (uint32_t)((FIXTURE_VA + offset) >> 40) & 0xff);
}

/** What metadata says, what the draw is for, and what the planes are then. */
struct row {
    const char *name;
    unsigned kind;    ///< DCC, DEPTH or BOTH: depth and stencil.
    uint32_t word;    ///< Metadata before, everywhere.
    uint32_t mode;    ///< DCC: of CB_COLOR_CONTROL. Depth: DB_RENDER_CONTROL.
    uint32_t control; ///< DB_DEPTH_CONTROL; DB_STENCIL_INFO's TILE_STENCIL_DISABLE in bit 31.
    bool writes;      ///< The target is written, the planes are tested.
    uint32_t texel;   ///< In the slices of the view.
    uint8_t stencil;
    uint32_t plain; ///< Metadata of the view.
};

static const struct row rows[] = {
    {"DCC, all bits 1", DCC, 0x02020202, 1, 0, true, UINT32_MAX, 0, UINT32_MAX},
    {"DCC, single", DCC, 0x01010101, 1, 0, true, 0x55555555, 0, UINT32_MAX},
    {"DCC, plain", DCC, UINT32_MAX, 1, 0, true, 0x55555555, 0, UINT32_MAX},
    {"ELIMINATE_FAST_CLEAR", DCC, 0x08080808, 2, 0, false, 0xff000000, 0, UINT32_MAX},
    {"DCC_DECOMPRESS", DCC, 0x0a0a0a0a, 3, 0, false, 0x00ffffff, 0, UINT32_MAX},
    {"depth test", DEPTH, 0xfffffff0, 0, 0x76, true, 0x3e99999a, FILL, UINT32_MAX},
    {"depth, plain", DEPTH, 0xfffc000f, 0, 0x76, true, 0x55555555, FILL, 0xfffc000f},
    {"no test", DEPTH, 0xfffffff0, 0, 0, false, 0x55555555, FILL, 0xfffffff0},
    {"no test, but depth is to be expanded", DEPTH, 0xfffffff0, 1 << 6, 0, false, 0x3e99999a, FILL,
     UINT32_MAX},
    {"depth and stencil test", BOTH, 0xfffc00f0, 0, 0x777, true, 0x3e99999a, 7, 0xfffc03ff},
    {"stencil test alone", BOTH, 0xfffc00f0, 0, 0x701, true, 0x55555555, 7, 0xfffc03f0},
    {"stencil is to be expanded", BOTH, 0xfffc00f0, 1 << 5, 0, false, 0x55555555, 7, 0xfffc03f0},
    {"both are to be expanded", BOTH, 0xfffc00f0, 3 << 5, 0, false, 0x3e99999a, 7, 0xfffc03ff},
    {"stencil without metadata", BOTH, 0xfffffff0, 3 << 5, 0x777 | 1u << 31, true, 0x3e99999a, FILL,
     UINT32_MAX},
};

static void color(const struct fixture *f, const struct row *r)
{
    reg(f, LULL_DRAW11_CB_COLOR_CONTROL, r->mode << 4 | 0xcc << 16);
    reg(f, LULL_DRAW11_CB_TARGET_MASK, 15);
    reg(f, LULL_DRAW11_CB_SHADER_MASK, 15);
    reg(f, LULL_DRAW11_SPI_SHADER_COL_FORMAT, 4);
    reg(f, LULL_DRAW11_CB_COLOR0_INFO, F_8888);
    reg(f, LULL_DRAW11_CB_COLOR0_ATTRIB2, (SIZE - 1) | (SIZE - 1) << 14);
    reg(f, LULL_DRAW11_CB_COLOR0_ATTRIB3, (SLICES - 1) | R_X << 14 | 1 << 24 | 1 << 30);
    reg(f, LULL_DRAW11_CB_COLOR0_VIEW, 1 | 2 << 13);
    reg(f, LULL_DRAW11_CB_COLOR0_FDCC_CONTROL, 1 << 22);
    base(f, IMAGE_AT, LULL_DRAW11_CB_COLOR0_BASE, LULL_DRAW11_CB_COLOR0_BASE_EXT);
    base(f, META_AT, LULL_DRAW11_CB_COLOR0_DCC_BASE, LULL_DRAW11_CB_COLOR0_DCC_BASE_EXT);
}

static void depth(const struct fixture *f, const struct row *r)
{
    const float clear = 0.3f;
    uint32_t bits = 0;
    memcpy(&bits, &clear, sizeof bits);
    reg(f, LULL_DRAW11_DB_Z_INFO, 3 | Z_X << 4 | 1 << 29);
    reg(f, LULL_DRAW11_DB_STENCIL_INFO, (r->kind == BOTH) | Z_X << 4 | r->control >> 31 << 29);
    base(f, IMAGE_AT, LULL_DRAW11_DB_Z_READ_BASE, LULL_DRAW11_DB_Z_READ_BASE_HI);
    base(f, IMAGE_AT, LULL_DRAW11_DB_Z_WRITE_BASE, LULL_DRAW11_DB_Z_WRITE_BASE_HI);
    base(f, STENCIL_AT, LULL_DRAW11_DB_STENCIL_READ_BASE, LULL_DRAW11_DB_STENCIL_READ_BASE_HI);
    base(f, STENCIL_AT, LULL_DRAW11_DB_STENCIL_WRITE_BASE, LULL_DRAW11_DB_STENCIL_WRITE_BASE_HI);
    base(f, META_AT, LULL_DRAW11_DB_HTILE_DATA_BASE, LULL_DRAW11_DB_HTILE_DATA_BASE_HI);
    reg(f, LULL_DRAW11_DB_DEPTH_SIZE_XY, (SIZE - 1) | (SIZE - 1) << 16);
    reg(f, LULL_DRAW11_DB_DEPTH_VIEW, 1 | 2 << 13);
    reg(f, LULL_DRAW11_DB_DEPTH_CONTROL, r->control & INT32_MAX);
    reg(f, LULL_DRAW11_DB_RENDER_CONTROL, r->mode);
    reg(f, LULL_DRAW11_DB_DEPTH_CLEAR, bits);
    reg(f, LULL_DRAW11_DB_STENCIL_CLEAR, 7);
}

/** Everything FILL, metadata @p word; a job at the head of the ring, whose address space it is. */
static struct fixture make(const struct row *r)
{
    struct fixture f = fixture_new(0, 1, 1, 1);
    memset(fixture_mem(&f, IMAGE_AT), FILL, META_AT - IMAGE_AT);
    for (uint32_t at = 0; at < META_BYTES; at += 4) {
        fixture_put32(&f, META_AT + at, r->word);
    }
    fixture_submit(&f, LULL_RING_GFX, 1);
    if (r->kind == DCC) {
        color(&f, r);
    } else {
        depth(&f, r);
    }
    return f;
}

/** Layout of the plane of texels of @p bytes; as the registers above say. */
static void layout_samples(const struct row *r, unsigned bytes, unsigned samples,
                           struct lull_tiling *t, struct lull_meta *m)
{
    const struct lull_image_desc d = {
        .base = FIXTURE_VA,
        .format = lull_format_by_name(bytes == 4 ? "32_UINT" : "8_UINT"),
        .type = LULL_IMAGE_2D_ARRAY,
        .sw_mode = r->kind == DCC ? R_X : Z_X,
        .width = SIZE,
        .height = SIZE,
        .depth = 1,
        .last_slice = SLICES - 1,
        .samples = (uint8_t)samples,
        .compressed = true,
        .meta_pipe_aligned = true,
        .metadata = FIXTURE_VA,
    };
    if (lull_tiling_prepare(&d, 0, t) != LULL_TEX_OK) {
        abort();
    }
    lull_meta_prepare(&d, 0, t, m);
}

static void layout(const struct row *r, unsigned bytes, struct lull_tiling *t, struct lull_meta *m)
{
    layout_samples(r, bytes, 1, t, m);
}

/** Texels and metadata of all slices that are not as they must be. */
static unsigned wrong(const struct fixture *f, const struct row *r)
{
    struct lull_tiling t = {0}, s = {0};
    struct lull_meta m = {0}, unused = {0};
    unsigned bad = 0;
    layout(r, 4, &t, &m);
    layout(r, 1, &s, &unused);
    for (uint32_t i = 0; i < SIZE * SIZE * SLICES; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE % SIZE, z = i / SIZE / SIZE;
        const bool in = z == 1 || z == 2; // the view
        const uint32_t at = (uint32_t)lull_tiling_offset(&t, x, y, z, 0);
        const uint32_t stencil = (uint32_t)lull_tiling_offset(&s, x, y, z, 0);
        const uint32_t meta = (uint32_t)(lull_meta_va(&m, &t, x, y, z, 0) - FIXTURE_VA);
        const uint32_t mask = r->kind == DCC ? 0xff : UINT32_MAX;
        bad += fixture_u32(f, IMAGE_AT + at) != (in ? r->texel : 0x55555555);
        bad += r->kind == BOTH && *fixture_mem(f, STENCIL_AT + stencil) != (in ? r->stencil : FILL);
        bad += (fixture_u32(f, META_AT + meta) & mask) != ((in ? r->plain : r->word) & mask);
    }
    return bad;
}

static void test_row(const struct row *r)
{
    struct fixture f = make(r);
    const char *why = lull_gfx_open_output(f.g);
    const struct lull_gfx_output *o = f.g->output;
    const bool writes = why == NULL && (r->kind == DCC ? o->color[0].any : o->zs.any);
    const unsigned bad = wrong(&f, r);
    test_case(why == NULL && writes == r->writes && bad == 0, r->name, "%s, writes %d, %u wrong",
              why != NULL ? why : "opened", writes, bad);
    fixture_free(&f);
}

/** Samples of the view that are not 0 where key @p at is theirs, or are elsewhere; made FILL. */
static unsigned wrong_of_key(const struct fixture *f, uint32_t at, const struct lull_tiling *t,
                             const struct lull_meta *m)
{
    unsigned bad = 0;
    for (uint32_t i = 0; i < SIZE * SIZE * t->samples; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE % SIZE, n = i / SIZE / SIZE;
        for (uint32_t z = 1; z <= 2; z++) {
            const uint32_t texel = IMAGE_AT + (uint32_t)lull_tiling_offset(t, x, y, z, n);
            const bool in = lull_meta_va(m, t, x, y, z, n) - FIXTURE_VA == at;
            bad += fixture_u32(f, texel) != (in ? 0 : 0x55555555);
            fixture_put32(f, texel, 0x55555555);
        }
    }
    return bad;
}

/** One key of the view at a time says that its block is 0, all others that theirs are plain. */
static void test_one_key(unsigned samples_log2)
{
    const struct row plain = {.kind = DCC, .word = UINT32_MAX, .mode = 1};
    const unsigned step = 4 >> samples_log2 / 2; // less than a block
    struct fixture f = make(&plain);
    struct lull_tiling t = {0};
    struct lull_meta m = {0};
    unsigned bad = 0, n = 0;
    layout_samples(&plain, 4, 1u << samples_log2, &t, &m);
    reg(&f, LULL_DRAW11_CB_COLOR0_ATTRIB, samples_log2);
    reg(&f, LULL_DRAW11_PA_SC_AA_CONFIG, samples_log2);
    for (uint32_t i = 0; i < 2 * SIZE * SIZE; i++) {
        const uint32_t x = i % SIZE, y = i / SIZE % SIZE, z = 1 + i / SIZE / SIZE;
        const uint32_t at = (uint32_t)(lull_meta_va(&m, &t, x, y, z, 0) - FIXTURE_VA);
        if (x % (4 * step) != step || y % (5 * step) != step) {
            continue;
        }
        *fixture_mem(&f, META_AT + at) = 0;
        const char *why = lull_gfx_open_output(f.g);
        bad += why != NULL || wrong_of_key(&f, at, &t, &m) != 0 ||
               *fixture_mem(&f, META_AT + at) != 0xff;
        n++;
    }
    test_case(n > 0 && bad == 0, samples_log2 == 0 ? "one key" : "one key, 4 samples",
              "%u of %u keys", bad, n);
    fixture_free(&f);
}

/** A key that is none, metadata that is not mapped. */
static void test_refusals(void)
{
    const struct row unknown = {.kind = DCC, .word = 0x40404040, .mode = 1};
    struct fixture f = make(&unknown);
    const char *why = lull_gfx_open_output(f.g);
    test_case(why != NULL && strstr(why, "metadata says what it does not know") != NULL,
              "unknown key", "%s", why != NULL ? why : "opened");
    fixture_free(&f);
    f = make(&rows[0]);
    base(&f, FIXTURE_BYTES, LULL_DRAW11_CB_COLOR0_DCC_BASE, LULL_DRAW11_CB_COLOR0_DCC_BASE_EXT);
    why = lull_gfx_open_output(f.g);
    test_case(why != NULL && strstr(why, "is not mapped") != NULL, "keys that are not mapped", "%s",
              why != NULL ? why : "opened");
    fixture_free(&f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_one_key(0);
    test_one_key(2);
    test_refusals();
    return test_end();
}
