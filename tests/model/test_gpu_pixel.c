// SPDX-License-Identifier: MIT
// What a pixel shader starts with: all inputs of SPI_PS_INPUT_ADDR, and the parameters that it
// loads, of a triangle in perspective. The shader stores them; what they must be is computed here
// from the triangle's corners, which stand on whole 1/256 pixels.
#include <math.h>

#include "cmd/pm4_amd_pkts.h"
#include "draw_program.h"
#include "test.h"

enum {
    VERTICES = 0x33000, // offsets in the mapping
    RING = 0x60000,     // attribute ring: the mapping's start is 64 KiB apart from 0
    STORED = 0x80000,
    SIZE = 16, // of the viewport
    ROW = 64,  // pixels
    SAMPLES = 4,
    RECORD = 128, // bytes of a sample of a pixel
    STORED_BYTES = SIZE * ROW * SAMPLES * RECORD,
    NONE = 0xcd,
    LIMIT = 20000000,
    LAYER = 5,
};

/** Registers that the shader stores, all bits of SPI_PS_INPUT_ADDR being set. */
enum {
    PERSP_SAMPLE = 0,
    PERSP_CENTER = 2,
    PERSP_CENTROID = 4,
    PULL = 6,
    LINEAR_SAMPLE = 9,
    LINEAR_CENTER = 11,
    LINEAR_CENTROID = 13,
    POSITION = 16,
    FRONT_FACE = 20,
    ANCILLARY,
    COVERAGE,
    FIXED,
    PARAM,
    FLAT,
    INTERPOLATED,
};

// clang-format off
static const uint32_t vertex_program[] = {
    0xf8000941, 0x00000000, // exp prim v0, off, off, off done
    0x30020a84,             // v_lshlrev_b32_e32 v1, 4, v5
    0xdc5e0000, 0x0a080001, // global_load_b128 v[10:13], v1, s[8:9]
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xf80000cf, 0x0d0c0b0a, // exp pos0 v10, v11, v12, v13
    0x7e1c0285,             // v_mov_b32_e32 v14, 5
    0xf80008d4, 0x000e0000, // exp pos1 off, off, v14, off done
    0xbfb00000,             // s_endpgm
};
static const uint32_t pixel_program[] = {
    0xbefd0002,             // s_mov_b32 m0, s2
    0xce000018,             // lds_param_load v24, attr0.x wait_vdst:0
    0xce000419,             // lds_param_load v25, attr1.x wait_vdst:0
    0xcd00001a, 0x04620518, // v_interp_p10_f32 v26, v24, v2, v24 wait_exp:0
    0xcd01001a, 0x046a0718, // v_interp_p2_f32 v26, v24, v3, v26 wait_exp:0
    0x36382eff, 0x0000ffff, // v_and_b32_e32 v28, 0xffff, v23
    0x323a2e90,             // v_lshrrev_b32_e32 v29, 16, v23
    0xd646001c, 0x04710d1d, // v_lshl_add_u32 v28, v29, 6, v28
    0xd610001d, 0x02111115, // v_bfe_u32 v29, v21, 8, 4
    0xd656001c, 0x0475051c, // v_lshl_or_b32 v28, v28, 2, v29
    0x30383887,             // v_lshlrev_b32_e32 v28, 7, v28
    0xdc760000, 0x0000001c, // global_store_b128 v28, v[0:3], s[0:1]
    0xdc760010, 0x0000041c, // global_store_b128 v28, v[4:7], s[0:1] offset:16
    0xdc760020, 0x0000081c, // global_store_b128 v28, v[8:11], s[0:1] offset:32
    0xdc760030, 0x00000c1c, // global_store_b128 v28, v[12:15], s[0:1] offset:48
    0xdc760040, 0x0000101c, // global_store_b128 v28, v[16:19], s[0:1] offset:64
    0xdc760050, 0x0000141c, // global_store_b128 v28, v[20:23], s[0:1] offset:80
    0xdc760060, 0x0000181c, // global_store_b128 v28, v[24:27], s[0:1] offset:96
    0xf8000800, 0x00000000, // exp mrt0 off, off, off, off done
    0xbfb00000,             // s_endpgm
};
// clang-format on

/** Corners: x, y in pixels, depth, w, and the two parameters. */
static const struct corner {
    double x, y, z, w;
    float smooth, flat;
} corners[3] = {
    {1.25, 2.0625, 0.25, 1, 3, 100},
    {15.5, 3.125, 0.75, 2, -5, 200},
    {6.0625, 14.6875, 0.5, 4, 11, 300},
};

/** RADV's places of four samples, 1/16 pixel from the centre, and the register that says so. */
static const int places[SAMPLES][2] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}};
enum { LOCATIONS = 0x622ae6ae };

struct row {
    const char *name;
    uint64_t seed;
    bool samples, iterated, w32, all_bits, front, last, prim;
    unsigned location; // SPI_BARYC_CNTL.POS_FLOAT_LOCATION
    uint64_t aa_mask;  // of each pixel of a quad; 0: all
    uint64_t slice;
};

static const struct row rows[] = {
    {.name = "a triangle"},
    {.name = "with a seed", .seed = 7},
    {.name = "cycle by cycle", .seed = 7, .slice = 1},
    {.name = "in waves of 32", .w32 = true},
    {.name = "front faces are all ones", .all_bits = true, .front = true},
    {.name = "back faces are 0", .all_bits = true},
    {.name = "front faces are positive", .front = true},
    {.name = "the last vertex is first", .last = true},
    {.name = "a parameter of the primitive", .last = true, .prim = true},
    {.name = "four samples", .samples = true},
    {.name = "four samples, positions at centroids", .samples = true, .location = 1},
    {.name = "each of four samples", .samples = true, .iterated = true, .location = 2},
    {.name = "each sample, in waves of 32",
     .samples = true,
     .iterated = true,
     .location = 2,
     .w32 = true},
    {.name = "a mask of samples", .samples = true, .aa_mask = 0x5555aaaa33330fff},
};

/** Weights of the corners at a point of the screen. */
static void weights(double x, double y, double ret[3])
{
    double sum = 0;
    for (unsigned k = 0; k < 3; k++) {
        const struct corner *a = &corners[(k + 1) % 3], *b = &corners[(k + 2) % 3];
        ret[k] = (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
        sum += ret[k];
    }
    for (unsigned k = 0; k < 3; k++) {
        ret[k] /= sum;
    }
}

/** What is to be found at a point. */
struct point {
    double x, y, linear[2], persp[2], one_w, z;
    bool inside;
};

/** @p first: the corner that P0 is of. */
static struct point at(double x, double y, unsigned first)
{
    double k[3] = {0};
    struct point p = {.x = x, .y = y};
    weights(x, y, k);
    for (unsigned i = 0; i < 3; i++) {
        p.one_w += k[i] / corners[i].w;
        p.z += k[i] * corners[i].z;
    }
    for (unsigned i = 0; i < 2; i++) {
        const unsigned c = (first + 1 + i) % 3;
        p.linear[i] = k[c];
        p.persp[i] = k[c] / corners[c].w / p.one_w;
    }
    p.inside = k[0] > 0 && k[1] > 0 && k[2] > 0;
    return p;
}

static struct point at_sample(const struct row *r, unsigned x, unsigned y, int sample)
{
    const double dx = sample < 0 ? 0 : places[sample][0] / 16.0;
    const double dy = sample < 0 ? 0 : places[sample][1] / 16.0;
    return at(x + 0.5 + dx, y + 0.5 + dy, r->last ? 2 : 0);
}

/** Samples of a pixel that are covered. */
static unsigned coverage(const struct row *r, unsigned x, unsigned y)
{
    unsigned mask = 0;
    for (int s = 0; s < (r->samples ? SAMPLES : 1); s++) {
        mask |= (unsigned)at_sample(r, x, y, r->samples ? s : -1).inside << s;
    }
    const unsigned n = (x & 1) + 2 * (y & 1);
    return r->aa_mask == 0 ? mask : mask & (unsigned)(r->aa_mask >> 16 * n);
}

static void shaders(struct lull_pm4_builder *b, const struct row *r)
{
    const uint64_t vs = (FIXTURE_VA + DRAW_VS) >> 8, ps = (FIXTURE_VA + DRAW_PS) >> 8;
    const uint64_t in = FIXTURE_VA + VERTICES, out = FIXTURE_VA + STORED;
    const uint32_t user_vs[2] = {(uint32_t)in, (uint32_t)(in >> 32)};
    const uint32_t user_ps[2] = {(uint32_t)out, (uint32_t)(out >> 32)};
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_LO_ES, (uint32_t)vs);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_HI_ES, (uint32_t)(vs >> 32));
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_GS, 3);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_GS, 2 << 1); // user SGPRs
    lull_pm4_set_sh(b, LULL_DRAW11_SPI_SHADER_USER_DATA_GS_0, user_vs, 2);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_LO_PS, (uint32_t)ps);
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_HI_PS, (uint32_t)(ps >> 32));
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC1_PS, 7 | 0xc0 << 12); // denormals
    lull_pm4_set_sh1(b, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_PS, 2 << 1);
    lull_pm4_set_sh(b, LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0, user_ps, 2);
    draw_context(b, LULL_DRAW11_VGT_SHADER_STAGES_EN, 1 << 13 | 1 << 25 | 1 << 26);
    draw_context(b, LULL_DRAW11_SPI_PS_IN_CONTROL, 2 | (uint32_t)r->w32 << 15);
    draw_context(b, LULL_DRAW11_SPI_VS_OUT_CONFIG, r->prim ? 1 << 1 | 1 << 8 : 2 << 1); // three
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_CNTL_0, 1);
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_CNTL_1, 2 | (r->prim ? 1 << 12 : 1 << 10));
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_ENA, 0xffff);
    draw_context(b, LULL_DRAW11_SPI_PS_INPUT_ADDR, 0xffff);
    draw_context(b, LULL_DRAW11_SPI_BARYC_CNTL, r->location << 16 | (uint32_t)r->all_bits << 24);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_SPI_ATTRIBUTE_RING_BASE,
                          (uint32_t)((FIXTURE_VA + RING) >> 16));
}

static void raster(struct lull_pm4_builder *b, const struct row *r)
{
    static const uint32_t half[] = {
        LULL_DRAW11_PA_CL_VPORT_XSCALE_0, LULL_DRAW11_PA_CL_VPORT_XOFFSET_0,
        LULL_DRAW11_PA_CL_VPORT_YSCALE_0, LULL_DRAW11_PA_CL_VPORT_YOFFSET_0};
    for (unsigned i = 0; i < 4; i++) {
        draw_context(b, half[i], draw_float(SIZE / 2.0f));
    }
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_ZSCALE_0, draw_float(1));
    draw_context(b, LULL_DRAW11_PA_CL_VPORT_ZOFFSET_0, draw_float(0));
    draw_context(b, LULL_DRAW11_PA_CL_VTE_CNTL, 0x43f);
    draw_context(b, LULL_DRAW11_PA_CL_VS_OUT_CNTL, 1 << 18 | 1 << 21);
    draw_context(b, LULL_DRAW11_PA_SU_SC_MODE_CNTL,
                 (uint32_t)r->front << 2 | (uint32_t)r->last << 19);
    if (r->samples) {
        draw_context(b, LULL_DRAW11_PA_SC_MODE_CNTL_0, 1);
        draw_context(b, LULL_DRAW11_PA_SC_AA_CONFIG, 2);
        draw_context(b, LULL_DRAW11_PA_SC_CENTROID_PRIORITY_0, 0x32103210);
        for (unsigned i = 0; i < 4; i++) {
            draw_context(b, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS_0 + 16 * i, LOCATIONS);
        }
    }
    if (r->iterated) {
        draw_context(b, LULL_DRAW11_PA_SC_MODE_CNTL_1, 1 << 16);
        draw_context(b, LULL_DRAW11_DB_EQAA, 2 << 4);
    }
    if (r->aa_mask != 0) {
        draw_context(b, LULL_DRAW11_PA_SC_AA_MASK_0, (uint32_t)r->aa_mask);
        draw_context(b, LULL_DRAW11_PA_SC_AA_MASK_1, (uint32_t)(r->aa_mask >> 32));
    }
}

static void submit(struct fixture *f, const struct row *r)
{
    struct lull_pm4_builder *b = &f->b;
    memcpy(fixture_mem(f, DRAW_VS), vertex_program, sizeof vertex_program);
    memcpy(fixture_mem(f, DRAW_PS), pixel_program, sizeof pixel_program);
    memset(fixture_mem(f, STORED), NONE, STORED_BYTES);
    for (uint32_t i = 0; i < 3; i++) {
        const struct corner *c = &corners[i];
        const double ndc[4] = {c->x / (SIZE / 2) - 1, c->y / (SIZE / 2) - 1, c->z, 1};
        for (uint32_t k = 0; k < 4; k++) {
            fixture_put32(f, VERTICES + 16 * i + 4 * k, draw_float((float)(ndc[k] * c->w)));
        }
        // 512 bytes for a parameter of 32 vertices
        fixture_put32(f, RING + 512 + 16 * i, draw_float(c->smooth));
        fixture_put32(f, RING + 1024 + 16 * i, draw_float(c->flat));
    }
    lull_pm4_packet3(b, LULL_PM4_CLEAR_STATE, 1);
    lull_pm4_emit(b, 0);
    draw_context(b, LULL_DRAW11_CB_TARGET_MASK, 0);
    shaders(b, r);
    raster(b, r);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_VGT_PRIMITIVE_TYPE,
                          LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST);
    lull_pm4_set_uconfig1(b, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE,
                          LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP);
    lull_pm4_packet3(b, LULL_PM4_NUM_INSTANCES, 1);
    lull_pm4_emit(b, 1);
    lull_pm4_packet3(b, LULL_PM4_DRAW_INDEX_AUTO, 2);
    lull_pm4_emit(b, 3);
    lull_pm4_emit(b, 2);
    fixture_submit(f, LULL_RING_GFX, 77);
}

static bool near(uint32_t bits, double want)
{
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    return fabs(f - want) <= 2e-6 * fmax(1, fabs(want));
}

/** Values of three points, as they stand from register @p reg on. */
static bool right_barycentrics(const uint32_t v[32], const struct point *center,
                               const struct point *centroid, const struct point *sample)
{
    bool ok = near(v[PULL + 2], center->one_w);
    for (unsigned i = 0; i < 2; i++) {
        ok = ok && near(v[PERSP_SAMPLE + i], sample->persp[i]) &&
             near(v[PERSP_CENTER + i], center->persp[i]) &&
             near(v[PERSP_CENTROID + i], centroid->persp[i]) &&
             near(v[PULL + i], center->persp[i] * center->one_w) &&
             near(v[LINEAR_SAMPLE + i], sample->linear[i]) &&
             near(v[LINEAR_CENTER + i], center->linear[i]) &&
             near(v[LINEAR_CENTROID + i], centroid->linear[i]);
    }
    return ok;
}

static bool right_position(const uint32_t v[32], const struct point *p)
{
    return near(v[POSITION], p->x) && near(v[POSITION + 1], p->y) && near(v[POSITION + 2], p->z) &&
           near(v[POSITION + 3], 1 / p->one_w);
}

static bool right_integers(const struct row *r, const uint32_t v[32], unsigned x, unsigned y,
                           unsigned sample)
{
    const uint32_t front =
        r->all_bits ? (r->front ? UINT32_MAX : 0) : draw_float(r->front ? 1.0f : -1.0f);
    return v[FRONT_FACE] == front && v[ANCILLARY] == (sample << 8 | (uint32_t)LAYER << 16) &&
           v[COVERAGE] == coverage(r, x, y) && v[FIXED] == (x | y << 16);
}

/** P0, P10, P20 in the lanes of the quad, and what the shader interpolated. */
static bool right_params(const struct row *r, const uint32_t v[32], unsigned x, unsigned y,
                         const struct point *center)
{
    const struct corner *c[3];
    for (unsigned i = 0; i < 3; i++) {
        c[i] = &corners[((r->last ? 2 : 0) + i) % 3];
    }
    const float d1 = c[1]->smooth - c[0]->smooth, d2 = c[2]->smooth - c[0]->smooth;
    const float smooth[4] = {c[0]->smooth, d1, d2, 0},
                flat[4] = {r->prim ? corners[0].flat : c[0]->flat, 0, 0, 0};
    const unsigned lane = (x & 1) + 2 * (y & 1);
    return v[PARAM] == draw_float(smooth[lane]) && v[FLAT] == draw_float(flat[lane]) &&
           near(v[INTERPOLATED], c[0]->smooth + d1 * center->persp[0] + d2 * center->persp[1]);
}

/** What is wrong with one invocation; 0: nothing. */
static unsigned wrong(const struct row *r, const uint32_t v[32], unsigned x, unsigned y,
                      unsigned sample)
{
    const unsigned mask = coverage(r, x, y);
    const bool runs = r->iterated ? (mask >> sample & 1) != 0 : mask != 0 && sample == 0;
    const unsigned full = (1u << SAMPLES) - 1;
    if (!runs) {
        return v[0] != NONE * UINT32_C(0x01010101) ? 1 : 0;
    }
    const int at_centroid = !r->samples    ? -1
                            : r->iterated  ? (int)sample
                            : mask == full ? -1
                                           : __builtin_ctz(mask);
    const struct point center = at_sample(r, x, y, -1);
    const struct point centroid = at_sample(r, x, y, at_centroid);
    const struct point one = at_sample(r, x, y, r->samples ? (int)sample : -1);
    const struct point *const positions[3] = {&center, &centroid, &one};
    return !right_barycentrics(v, &center, &centroid, &one) ? 2
           : !right_position(v, positions[r->location])     ? 3
           : !right_integers(r, v, x, y, sample)            ? 4
           : !right_params(r, v, x, y, &center)             ? 5
                                                            : 0;
}

static void test_row(const struct row *r)
{
    static const char *const whats[] = {"",          "runs or not", "barycentrics",
                                        "positions", "integers",    "parameters"};
    struct fixture f = fixture_new(r->seed, 2, 1, 2);
    struct lull_gpu_done done = {.result = LULL_JOB_KILLED};
    unsigned bad = 0, what = 0, px = 0, py = 0, runs = 0;
    bool ended = false;
    submit(&f, r);
    while (!ended && lull_gpu_run(f.g, r->slice != 0 ? r->slice : LIMIT) != 0) {
        ended = lull_gpu_next_done(f.g, &done);
    }
    for (unsigned i = 0; i < SIZE * SIZE * SAMPLES; i++) {
        const unsigned x = i / SAMPLES % SIZE, y = i / SAMPLES / SIZE, s = i % SAMPLES;
        uint32_t v[32] = {0};
        memcpy(v, fixture_mem(&f, STORED + ((y * ROW + x) * SAMPLES + s) * RECORD), sizeof v);
        const unsigned is = wrong(r, v, x, y, s);
        runs += v[0] != NONE * UINT32_C(0x01010101);
        if (is != 0 && bad++ == 0) {
            what = is;
            px = x;
            py = y;
        }
    }
    test_case(ended && done.result == LULL_JOB_DONE && bad == 0 && runs > 60, r->name,
              "result %d (%s), %u of %u invocations wrong, first %s at %u, %u", (int)done.result,
              done.message, bad, runs, whats[what], px, py);
    test_case(f.g->counters.ps_invocations == runs, r->name, "%u invocations counted, %u seen",
              (unsigned)f.g->counters.ps_invocations, runs);
    fixture_free(&f);
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    return test_end();
}
