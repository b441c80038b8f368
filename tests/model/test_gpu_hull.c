// SPDX-License-Identifier: MIT
// Tessellation in draws: registers that LS and HS waves start with (Mesa 25.0.7
// radv_shader_args.c), the levels that they leave in memory or say by message
// (ac_nir_lower_tess_io_to_mem.c), and the subgroups that become of them: the primitives of
// model/raster/tess.h, which has tests of its own, patch by patch, within limits.
#include <math.h>
#include <stdio.h>

#include "gpu_fixture.h"
#include "model/amd/gfx/gfx.h"
#include "model/amd/gpu/gpu_spi.h"
#include "test.h"

enum {
    LEVELS = 0x1000, // in the mapping
    PATCHES = 3,
    ALL = 0xff << 9 | 0xff, // GE_CNTL
    SMALL = 20 << 9 | 7,
    HS = 1 << 2, // VGT_SHADER_STAGES_EN
    GS = 1 << 5,
    LANES = 64,
    HS_TESSFACTOR = 2,
};

#define TF(type, spacing, output)                                                                  \
    (LULL_DRAW11_VGT_TF_PARAM__TYPE__##type |                                                      \
     LULL_DRAW11_VGT_TF_PARAM__PARTITIONING__##spacing << 2 |                                      \
     LULL_DRAW11_VGT_TF_PARAM__TOPOLOGY__##output << 5)

/** A group of patches; @c memory: what is in the ring, patch by patch, as its domain has it. */
struct row {
    const char *name;
    uint32_t tf_param, limits, stages;
    uint32_t said; // by s_sendmsg: M0 + 1; 0: nothing
    float most;
    unsigned nmemory;
    float memory[18];
    struct lull_tess_mode mode;
    struct lull_tess_levels levels[PATCHES]; // what that means
};

static const struct row rows[] = {
    {"triangles",
     TF(TRIANGLE, INTEGER, TRIANGLE_CW),
     ALL,
     HS,
     0,
     64,
     12,
     {1, 2, 3, 4, 5, 6, 7, 8, 2, 2, 2, 1},
     {LULL_TESS_TRIANGLES, LULL_TESS_EQUAL, LULL_TESS_CLOCKWISE},
     {{{1, 2, 3, 0}, {4, 0}}, {{5, 6, 7, 0}, {8, 0}}, {{2, 2, 2, 0}, {1, 0}}}},
    {"quads, small subgroups",
     TF(QUAD, FRAC_ODD, TRIANGLE_CCW),
     SMALL,
     HS,
     0,
     64,
     18,
     {1, 2, 3, 4, 5, 6, 9, 8, 7, 6, 5, 4, 1, 1, 1, 1, 1, 1},
     {LULL_TESS_QUADS, LULL_TESS_FRACTIONAL_ODD, LULL_TESS_COUNTERCLOCKWISE},
     {{{1, 2, 3, 4}, {5, 6}}, {{9, 8, 7, 6}, {5, 4}}, {{1, 1, 1, 1}, {1, 1}}}},
    {"isolines: parts come first",
     TF(ISOLINE, FRAC_EVEN, LINE),
     ALL,
     HS,
     0,
     64,
     6,
     {5, 3, 2, 1, 7, 4},
     {LULL_TESS_ISOLINES, LULL_TESS_FRACTIONAL_EVEN, LULL_TESS_LINES},
     {{{3, 5, 0, 0}, {0, 0}}, {{1, 2, 0, 0}, {0, 0}}, {{4, 7, 0, 0}, {0, 0}}}},
    {"points",
     TF(QUAD, POW2, POINT),
     SMALL,
     HS,
     0,
     64,
     18,
     {1, 2, 4, 8, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4},
     {LULL_TESS_QUADS, LULL_TESS_EQUAL, LULL_TESS_POINTS},
     {{{1, 2, 4, 8}, {2, 2}}, {{1, 1, 1, 1}, {1, 1}}, {{2, 2, 2, 2}, {4, 4}}}},
    {"the first and the last culled",
     TF(TRIANGLE, INTEGER, TRIANGLE_CW),
     ALL,
     HS,
     0,
     64,
     12,
     {0, 2, 3, 4, 5, 6, 7, 8, 2, 2, -2, 1},
     {LULL_TESS_TRIANGLES, LULL_TESS_EQUAL, LULL_TESS_CLOCKWISE},
     {{{0, 2, 3, 0}, {4, 0}}, {{5, 6, 7, 0}, {8, 0}}, {{2, 2, -2, 0}, {1, 0}}}},
    {"the highest level is a register",
     TF(TRIANGLE, INTEGER, TRIANGLE_CW),
     ALL,
     HS,
     0,
     3,
     12,
     {1, 2, 64, 99, 5, 3, 2, 1, 4, 4, 4, NAN},
     {LULL_TESS_TRIANGLES, LULL_TESS_EQUAL, LULL_TESS_CLOCKWISE},
     {{{1, 2, 3, 0}, {3, 0}}, {{3, 3, 2, 0}, {1, 0}}, {{3, 3, 3, 0}, {1, 0}}}},
    {"all levels are 1, by message",
     TF(QUAD, INTEGER, TRIANGLE_CW),
     ALL,
     HS,
     2,
     64,
     6,
     {9, 9, 9, 9, 9, 9},
     {LULL_TESS_QUADS, LULL_TESS_EQUAL, LULL_TESS_CLOCKWISE},
     {{{1, 1, 1, 1}, {1, 1}}, {{1, 1, 1, 1}, {1, 1}}, {{1, 1, 1, 1}, {1, 1}}}},
    {"all levels are 0, by message",
     TF(QUAD, INTEGER, TRIANGLE_CW),
     ALL,
     HS,
     1,
     64,
     6,
     {9, 9, 9, 9, 9, 9},
     {LULL_TESS_QUADS, LULL_TESS_EQUAL, LULL_TESS_CLOCKWISE},
     {{{0, 0, 0, 0}, {0, 0}}, {{0, 0, 0, 0}, {0, 0}}, {{0, 0, 0, 0}, {0, 0}}}},
};

static void set(const struct fixture *f, uint32_t reg, uint32_t value)
{
    if (reg >= LULL_SH_BASE && reg - LULL_SH_BASE < LULL_SH_BYTES) {
        f->g->rings[LULL_RING_GFX].sh[(reg - LULL_SH_BASE) / 4] = value;
    } else {
        f->g->mmio[reg / 4] = value;
    }
}

static struct lull_gfx *new_draw(struct fixture *f)
{
    struct lull_gfx *x = calloc(1, sizeof(*x));
    if (x == NULL) {
        abort();
    }
    *f = fixture_new(0, 1, 1, 1);
    f->g->gfx = x;
    return x;
}

static void end_draw(struct fixture *f, struct lull_gfx *x)
{
    f->g->gfx = NULL;
    free(x);
    fixture_free(f);
}

static void put_registers(struct fixture *f, const struct row *r)
{
    uint32_t most = 0;
    memcpy(&most, &r->most, sizeof(most));
    memcpy(fixture_mem(f, LEVELS), r->memory, sizeof(r->memory));
    set(f, LULL_DRAW11_VGT_SHADER_STAGES_EN, r->stages);
    set(f, LULL_DRAW11_GE_CNTL, r->limits);
    set(f, LULL_DRAW11_VGT_TF_PARAM, r->tf_param);
    set(f, LULL_DRAW11_VGT_HOS_MAX_TESS_LEVEL, most);
    set(f, LULL_DRAW11_VGT_TF_MEMORY_BASE, (uint32_t)((FIXTURE_VA + LEVELS) >> 8));
    set(f, LULL_DRAW11_VGT_TF_MEMORY_BASE_HI, (uint32_t)((FIXTURE_VA + LEVELS) >> 40));
    set(f, LULL_DRAW11_VGT_LS_HS_CONFIG, PATCHES | 3 << 8 | 3 << 14);
}

/** A group whose waves have ended: @p said as a message that one of them sent. */
static void put_group(struct fixture *f, struct lull_gfx *x, uint32_t said)
{
    x->hull = (struct lull_gfx_hull){.npatches = PATCHES, .instance = 5, .patch_id = {70, 71, 72}};
    if (said != 0) {
        struct lull_gpu_slot slot = {.gpu = f->g};
        slot.w = (struct lull_wave){.owner = &slot, .lanes = LANES};
        slot.w.sgpr[LULL_RDNA_M0] = said - 1;
        lull_work_hull.host->sendmsg(&slot.w, HS_TESSFACTOR);
    }
}

/** All patches of the row: what is expected next. */
struct expected {
    const struct row *r;
    unsigned patch, at; // next index
    struct lull_tess_plan plan;
    struct lull_tess_point point[LULL_TESS_POINTS_MAX];
    uint16_t index[LULL_TESS_INDICES_MAX];
};

/** Step to the next primitive; false: there is none. */
static bool next(struct expected *e)
{
    while (e->at >= e->plan.nindices) {
        if (++e->patch >= PATCHES) {
            return false;
        }
        lull_tess_plan(&e->r->mode, &e->r->levels[e->patch], &e->plan);
        lull_tess_points(&e->plan, e->point);
        lull_tess_indices(&e->plan, e->index);
        e->at = 0;
    }
    return true;
}

/** A point as a number: it is a whole number of 1/65536. */
static uint64_t key(const struct lull_tess_point *p)
{
    return (uint64_t)(p->u * 65536) << 32 | (uint64_t)(p->v * 65536);
}

/** Primitive @p n of the subgroup is the next one. */
static bool is_next(const struct lull_gfx *x, unsigned n, struct expected *e)
{
    bool ok = next(e) && x->sub.prim_id[n] == 70 + e->patch && x->sub.instance == 5;
    for (unsigned c = 0; ok && c < e->plan.corners; c++) {
        const unsigned v = x->sub.prim[n][c];
        ok = v < x->sub.nvertices && x->hull.of_patch[v] == e->patch &&
             key(&x->hull.point[v]) == key(&e->point[e->index[e->at + c]]);
    }
    e->at += e->plan.corners;
    return ok;
}

/** Within limits, and no point of a patch twice (but where two points lie on one another). */
static bool is_small(const struct lull_gfx *x, const struct row *r)
{
    unsigned twice = 0;
    for (unsigned i = 0; i < x->sub.nvertices; i++) {
        for (unsigned k = 0; k < i; k++) {
            twice += x->hull.of_patch[i] == x->hull.of_patch[k] &&
                     key(&x->hull.point[i]) == key(&x->hull.point[k]);
        }
    }
    return twice == 0 && x->sub.nprims <= (r->limits & 0x1ff) &&
           x->sub.nvertices <= (r->limits >> 9 & 0x1ff);
}

static void test_row(const struct row *r)
{
    static struct expected e;
    struct fixture f;
    struct lull_gfx *x = new_draw(&f);
    struct lull_cp cp = {.g = f.g, .vm = &f.g->vm[FIXTURE_VMID]};
    unsigned n = 0, prims = 0, wrong = 0, large = 0;
    put_registers(&f, r);
    put_group(&f, x, r->said);
    memset(&e, 0, sizeof(e));
    e.r = r;
    e.patch = UINT32_MAX;
    for (; n < 999 && lull_gfx_tessellate(&cp) == LULL_GFX_LAUNCHED; n++) {
        for (unsigned i = 0; i < x->sub.nprims; i++, prims++) {
            wrong += !is_next(x, i, &e);
        }
        large += !is_small(x, r);
    }
    const bool over = !next(&e);
    test_case(lull_gfx_hull_check(f.g) == NULL && wrong == 0 && large == 0 && over, r->name,
              "%u subgroups, %u of them too large, %u primitives, %u of them wrong, %s", n, large,
              prims, wrong, over ? "all" : "some are missing");
    end_draw(&f, x);
}

/** A patch of the most points: as many subgroups as primitives need, two of a geometry shader. */
static void test_invocations(void)
{
    struct row r = rows[0];
    struct fixture f;
    struct lull_gfx *x = new_draw(&f);
    struct lull_cp cp = {.g = f.g, .vm = &f.g->vm[FIXTURE_VMID]};
    unsigned threads = 0, n = 0, wrong = 0;
    r.stages |= GS;
    put_registers(&f, &r);
    put_group(&f, x, 0);
    set(&f, LULL_DRAW11_VGT_GS_INSTANCE_CNT, 1 | 2 << 2);
    set(&f, LULL_DRAW11_VGT_GS_MAX_VERT_OUT, 16);
    for (; n < 99 && lull_gfx_tessellate(&cp) == LULL_GFX_LAUNCHED; n++) {
        for (unsigned i = 0; i < x->sub.nprims; i++) {
            wrong += x->sub.invocation[i] != i % 2;
        }
        wrong += x->sub.nprims > 16;
        threads += x->sub.nprims;
    }
    struct lull_tess_plan plan[PATCHES];
    unsigned want = 0;
    for (unsigned i = 0; i < PATCHES; i++) {
        lull_tess_plan(&r.mode, &r.levels[i], &plan[i]);
        want += plan[i].nindices / 3 * 2;
    }
    test_case(threads == want && wrong == 0, "two invocations of a geometry shader",
              "%u threads in %u subgroups, want %u; %u wrong", threads, n, want, wrong);
    end_draw(&f, x);
}

/** Wave @p index of a group of 25 patches, 3 control points in, 4 out. */
static bool starts(struct fixture *f, unsigned index, uint32_t info)
{
    static uint32_t vgpr[8 * LANES];
    struct lull_gpu_group group = {0};
    const uint32_t items[3] = {0};
    struct lull_wave w = {.vgpr = vgpr, .lanes = LANES};
    memset(vgpr, 0xee, sizeof(vgpr));
    lull_work_hull.start(f->g, &group, index, items, &w);
    bool ok = w.sgpr[0] == 0x11 && w.sgpr[1] == 0x22 && w.sgpr[2] == 0 && w.sgpr[3] == info &&
              w.sgpr[4] == 0 && w.sgpr[5] == index && w.sgpr[8] == 0x33 && w.sgpr[9] == 0x44;
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t n = index * LANES + l;
        if (l < (info & 0xff)) {
            ok &= vgpr[2 * LANES + l] == 1000 + n && vgpr[5 * LANES + l] == 7;
        }
        if (l < (info >> 8 & 0xff)) {
            ok &= vgpr[l] == 300 + n / 4 && vgpr[LANES + l] == (n / 4 | n % 4 << 8);
        }
    }
    return ok;
}

static void test_start(void)
{
    struct fixture f;
    struct lull_gfx *x = new_draw(&f);
    set(&f, LULL_DRAW11_VGT_SHADER_STAGES_EN, HS);
    set(&f, LULL_DRAW11_VGT_LS_HS_CONFIG, 25 | 3 << 8 | 4 << 14);
    set(&f, LULL_DRAW11_SPI_SHADER_PGM_LO_HS, 0x11);
    set(&f, LULL_DRAW11_SPI_SHADER_PGM_HI_HS, 0x22);
    set(&f, LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0, 0x33);
    set(&f, LULL_DRAW11_SPI_SHADER_USER_DATA_HS_0 + 4, 0x44);
    x->sub.nprims = 25;
    x->sub.nvertices = 75;
    x->sub.instance = 7;
    for (unsigned i = 0; i < 75; i++) {
        x->sub.vertex[i] = 1000 + i;
        x->sub.prim_id[i] = 300 + i;
    }
    test_case(starts(&f, 0, 64 | 64 << 8), "a full wave starts", "not so");
    test_case(starts(&f, 1, 11 | 36 << 8), "the rest of the group starts", "not so");
    end_draw(&f, x);
}

/** What is refused, by name. */
static void test_refused(void)
{
    static const struct {
        const char *name;
        uint32_t tf_param, config, rsrc2;
        bool refused;
    } t[] = {
        {"triangles", TF(TRIANGLE, INTEGER, TRIANGLE_CW), 64 | 3 << 8 | 3 << 14, 0, false},
        {"triangles as lines", TF(TRIANGLE, INTEGER, LINE), 64 | 3 << 8 | 3 << 14, 0, true},
        {"isolines as triangles", TF(ISOLINE, INTEGER, TRIANGLE_CW), 64 | 3 << 8 | 3 << 14, 0,
         true},
        {"domain 3", 3, 64 | 3 << 8 | 3 << 14, 0, true},
        {"no control points", TF(QUAD, INTEGER, POINT), 64 | 3 << 14, 0, true},
        {"groups of no patches", TF(QUAD, INTEGER, POINT), 3 << 8 | 32 << 14, 0, true},
        {"255 patches of 32", TF(QUAD, INTEGER, POINT), 255 | 1 << 8 | 32 << 14, 0, true},
        {"128 KiB of LDS", TF(QUAD, INTEGER, POINT), 64 | 3 << 8 | 3 << 14, 256u << 18, true},
    };
    for (unsigned i = 0; i < TEST_ROWS(t); i++) {
        struct fixture f;
        struct lull_gfx *x = new_draw(&f);
        set(&f, LULL_DRAW11_VGT_SHADER_STAGES_EN, HS);
        set(&f, LULL_DRAW11_VGT_TF_PARAM, t[i].tf_param);
        set(&f, LULL_DRAW11_VGT_LS_HS_CONFIG, t[i].config);
        set(&f, LULL_DRAW11_SPI_SHADER_PGM_RSRC2_HS, t[i].rsrc2);
        const char *why = lull_gfx_hull_check(f.g);
        test_case((why != NULL) == t[i].refused, t[i].name, "%s",
                  why != NULL ? why : "not refused");
        end_draw(&f, x);
    }
}

int main(void)
{
    for (unsigned i = 0; i < TEST_ROWS(rows); i++) {
        test_row(&rows[i]);
    }
    test_invocations();
    test_start();
    test_refused();
    return test_end();
}
