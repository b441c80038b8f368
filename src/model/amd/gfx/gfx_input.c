// SPDX-License-Identifier: MIT
// What pixel waves start with, and the parameters that they load.
//
// Sources: Mesa 22.3.6 gfx11.json (SPI_PS_INPUT_ADDR, _CNTL, SPI_BARYC_CNTL), radv_shader_args.c
// (order of SGPRs), ac_descriptors and radv_nir_lower_fs_barycentric.c of 25.0.7 (attribute ring,
// provoking vertices); RDNA3 ISA guide 12.2 (P0, P10, P20). Chosen here: a subgroup has the start
// of the attribute ring; a pixel that is not covered has its centre for a centroid.
#include <stddef.h>
#include <string.h>

#include "model/amd/gfx/gfx.h"

enum {
    QUAD = 4,
    CHANNELS = 4,
    MAX_FLOATS = 24,
    RING_VERTICES = 32, // That stand together in the ring: 512 bytes for each parameter.
    RING_PARAM = 512,
    RING_VERTEX = 16,
    RAW = 0x20, // Of OFFSET: a default, or with FLAT_SHADE each vertex's own value.
    ONE = 0x3f800000,
    HALF_ONE = 0x3c00,
    ANCILLARY_SAMPLE = 8,
    ANCILLARY_LAYER = 16,
};

/** Where in a pixel. */
enum place { CENTER, CENTROID, SAMPLE, PLACES };

#define MINUS_ONE UINT32_C(0xbf800000)
#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)
#define HAS(word, NAME) (((word)&LULL_DRAW11_##NAME##_MASK) != 0)

/** A difference of 32-bit floats, or of two halves in a dword. */
static uint32_t difference(uint32_t a, uint32_t b, bool halves)
{
    if (halves) {
        const float low = lull_format_from_half((uint16_t)a) - lull_format_from_half((uint16_t)b);
        const float high =
            lull_format_from_half((uint16_t)(a >> 16)) - lull_format_from_half((uint16_t)(b >> 16));
        return lull_format_half(low) | (uint32_t)lull_format_half(high) << 16;
    }
    float x = 0;
    float y = 0;
    uint32_t u = 0;
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x -= y;
    memcpy(&u, &x, sizeof(u));
    return u;
}

/** Channel @p c of a default: 0 0 0 0, 0 0 0 1, 1 1 1 0, 1 1 1 1. */
static uint32_t default_value(uint32_t control, unsigned c)
{
    const unsigned value = FIELD(control, SPI_PS_INPUT_CNTL_0__DEFAULT_VAL);
    const unsigned other = FIELD(control, SPI_PS_INPUT_CNTL_0__DEFAULT_VAL_ATTR1);
    const bool one = c < 3 ? value >= 2 : value % 2 != 0;
    const bool one_high = c < 3 ? other >= 2 : other % 2 != 0;
    if (HAS(control, SPI_PS_INPUT_CNTL_0__FP16_INTERP_MODE)) {
        return (one ? HALF_ONE : 0) | (uint32_t)(one_high ? HALF_ONE : 0) << 16;
    }
    return one ? ONE : 0;
}

/** Point coordinates: I and J are s and t (gfx_prim.c). */
static void sprite(const struct lull_gpu *g, uint32_t row[CHANNELS][4])
{
    const uint32_t control = REG(g, SPI_INTERP_CONTROL_0);
    const bool flip = HAS(control, SPI_INTERP_CONTROL_0__PNT_SPRITE_TOP_1);
    for (unsigned c = 0; c < CHANNELS; c++) {
        const uint32_t from =
            control >> (LULL_DRAW11_SPI_INTERP_CONTROL_0__PNT_SPRITE_OVRD_X_SHIFT + 3 * c) & 7;
        switch (from) {
        case LULL_DRAW11_SPI_INTERP_CONTROL_0__PNT_SPRITE_OVRD_X__S:
            memcpy(row[c], (uint32_t[4]){0, ONE, 0, 0}, sizeof(row[c]));
            break;
        case LULL_DRAW11_SPI_INTERP_CONTROL_0__PNT_SPRITE_OVRD_X__T:
            memcpy(row[c], (uint32_t[4]){flip ? ONE : 0, 0, flip ? MINUS_ONE : ONE, 0},
                   sizeof(row[c]));
            break;
        case LULL_DRAW11_SPI_INTERP_CONTROL_0__PNT_SPRITE_OVRD_X__ZERO:
        case LULL_DRAW11_SPI_INTERP_CONTROL_0__PNT_SPRITE_OVRD_X__ONE:
            memcpy(row[c], (uint32_t[4]){from != 0 ? ONE : 0, 0, 0, 0}, sizeof(row[c]));
            break;
        default: // The vertex's own.
            break;
        }
    }
}

/** Parameter @p slot of vertex @p v. NULL: memory refused. */
static const uint8_t *param_at(const struct lull_gpu *g, struct lull_vm *vm, uint32_t slot,
                               uint32_t v)
{
    const uint64_t ring = (uint64_t)REG(g, SPI_ATTRIBUTE_RING_BASE) << 16;
    const uint32_t n = FIELD(REG(g, SPI_VS_OUT_CONFIG), SPI_VS_OUT_CONFIG__VS_EXPORT_COUNT) + 1 +
                       FIELD(REG(g, SPI_VS_OUT_CONFIG), SPI_VS_OUT_CONFIG__PRIM_EXPORT_COUNT);
    const uint64_t at = (uint64_t)((int64_t)(ring << 16) >> 16) +
                        (uint64_t)(v / RING_VERTICES) * RING_PARAM * n +
                        (uint64_t)slot * RING_PARAM + (uint64_t)(v % RING_VERTICES) * RING_VERTEX;
    return lull_vm_host(vm, at, LULL_ACCESS_READ);
}

/** P0, P10, P20 of one input. */
static bool read_input(const struct lull_gpu *g, struct lull_vm *vm,
                       const struct lull_gfx_part *part, uint32_t control,
                       uint32_t row[CHANNELS][4])
{
    const uint32_t offset = FIELD(control, SPI_PS_INPUT_CNTL_0__OFFSET);
    const bool prim = HAS(control, SPI_PS_INPUT_CNTL_0__PRIM_ATTR); // one value, no vertex's
    const bool flat = prim || HAS(control, SPI_PS_INPUT_CNTL_0__FLAT_SHADE);
    const bool halves = HAS(control, SPI_PS_INPUT_CNTL_0__FP16_INTERP_MODE);
    const bool none =
        HAS(REG(g, SPI_VS_OUT_CONFIG), SPI_VS_OUT_CONFIG__NO_PC_EXPORT) || (offset >= RAW && !flat);
    const unsigned vertices = none ? 0 : flat && offset < RAW ? 1 : 3;
    uint32_t v[3][CHANNELS] = {{0}};
    for (unsigned k = 0; k < vertices; k++) {
        const uint8_t *from = param_at(g, vm, offset % RAW, prim ? part->prim : part->vertex[k]);
        if (from == NULL) {
            return false;
        }
        memcpy(v[k], from, sizeof(v[k]));
    }
    for (unsigned c = 0; c < CHANNELS; c++) {
        const uint32_t p0 = none ? default_value(control, c) : v[0][c];
        const bool slope = !none && !flat && part->raster.shape != LULL_RASTER_POINT;
        const bool plane = slope && part->raster.shape != LULL_RASTER_LINE;
        row[c][0] = p0;
        row[c][1] = flat && offset >= RAW ? v[1][c] : slope ? difference(v[1][c], p0, halves) : 0;
        row[c][2] = flat && offset >= RAW ? v[2][c] : plane ? difference(v[2][c], p0, halves) : 0;
        row[c][3] = 0;
    }
    if (part->raster.shape == LULL_RASTER_POINT &&
        HAS(control, SPI_PS_INPUT_CNTL_0__PT_SPRITE_TEX)) {
        sprite(g, row);
    }
    return true;
}

bool lull_gfx_read_params(struct lull_gpu *g, struct lull_vm *vm, struct lull_gfx_part *part)
{
    struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    part->param = b->nparams;
    for (unsigned i = 0; i < b->inputs; i++) {
        const uint32_t control = lull_gfx_reg(g, LULL_DRAW11_SPI_PS_INPUT_CNTL_0 + 4 * i);
        if (!read_input(g, vm, part, control, b->param[b->nparams + i])) {
            return false;
        }
    }
    b->nparams += b->inputs;
    return true;
}

/** Quads of the wave of group @p id, from *first on. */
static unsigned quads_of(const struct lull_gfx_batch *b, uint32_t id, unsigned *first)
{
    *first = id * b->wave_quads;
    const unsigned left = b->nquads > *first ? b->nquads - *first : 0;
    return left < b->wave_quads ? left : b->wave_quads;
}

void lull_gfx_load_param(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t *to)
{
    const struct lull_gfx_batch *b = &lull_gfx_of(lull_gpu_of(w))->batch;
    unsigned first = 0;
    const unsigned n = attr < b->inputs ? quads_of(b, w->wg->id[0], &first) : 0;
    for (unsigned i = 0; i < n; i++) {
        const struct lull_gfx_part *part = &b->parts[b->quads[first + i].part];
        memcpy(to + (size_t)QUAD * i, b->param[part->param + attr][channel % CHANNELS],
               QUAD * sizeof(*to));
    }
    memset(to + (size_t)QUAD * n, 0, (w->lanes - QUAD * n) * sizeof(*to));
}

/** Functions on the screen that inputs are. */
enum value { I, J, I_LINEAR, J_LINEAR, I_W, J_W, ONE_W, Z, W };

/** A VGPR that is a value at a place. */
struct input {
    uint8_t place, value, reg;
};

/** The VGPRs of a wave, in the order of SPI_PS_INPUT_ADDR. */
struct layout {
    struct input floats[MAX_FLOATS];
    unsigned nfloats;
    bool places[PLACES]; ///< That one of them, or x or y, is at.
    int x, y;            ///< Registers; -1: none.
    int front, ancillary, coverage, fixed;
    uint8_t position; ///< enum place of x, y, z, w.
};

static void put(struct layout *l, enum place place, enum value value, unsigned reg)
{
    l->floats[l->nfloats++] = (struct input){(uint8_t)place, (uint8_t)value, (uint8_t)reg};
    l->places[place] = true;
}

/** Barycentric coordinates. @return The register behind them. */
static unsigned lay_barycentrics(uint32_t addr, struct layout *l)
{
    static const uint8_t places[3] = {SAMPLE, CENTER, CENTROID};
    enum { PULL = 3, LINEAR = 4 };
    unsigned reg = 0;
    for (unsigned i = 0; i < 3; i++) {
        if ((addr >> i & 1) != 0) {
            put(l, places[i], I, reg++);
            put(l, places[i], J, reg++);
        }
    }
    if ((addr >> PULL & 1) != 0) {
        put(l, CENTER, I_W, reg++);
        put(l, CENTER, J_W, reg++);
        put(l, CENTER, ONE_W, reg++);
    }
    for (unsigned i = 0; i < 3; i++) {
        if ((addr >> (LINEAR + i) & 1) != 0) {
            put(l, places[i], I_LINEAR, reg++);
            put(l, places[i], J_LINEAR, reg++);
        }
    }
    return reg;
}

static void lay_out(const struct lull_gpu *g, struct layout *l)
{
    const uint32_t addr = REG(g, SPI_PS_INPUT_ADDR);
    const uint32_t location = FIELD(REG(g, SPI_BARYC_CNTL), SPI_BARYC_CNTL__POS_FLOAT_LOCATION);
    int *const ints[] = {&l->front, &l->ancillary, &l->coverage, &l->fixed};
    *l = (struct layout){.x = -1, .y = -1};
    unsigned reg = lay_barycentrics(addr, l);
    l->position = location == LULL_DRAW11_SPI_BARYC_CNTL__POS_FLOAT_LOCATION__SAMPLE     ? SAMPLE
                  : location == LULL_DRAW11_SPI_BARYC_CNTL__POS_FLOAT_LOCATION__CENTROID ? CENTROID
                                                                                         : CENTER;
    reg += HAS(addr, SPI_PS_INPUT_ADDR__LINE_STIPPLE_TEX);
    if (HAS(addr, SPI_PS_INPUT_ADDR__POS_X_FLOAT)) {
        l->x = (int)reg++;
        l->places[l->position] = true;
    }
    if (HAS(addr, SPI_PS_INPUT_ADDR__POS_Y_FLOAT)) {
        l->y = (int)reg++;
        l->places[l->position] = true;
    }
    if (HAS(addr, SPI_PS_INPUT_ADDR__POS_Z_FLOAT)) {
        put(l, l->position, Z, reg++);
    }
    if (HAS(addr, SPI_PS_INPUT_ADDR__POS_W_FLOAT)) {
        put(l, l->position, W, reg++);
    }
    for (unsigned i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
        const bool there = (addr >> (LULL_DRAW11_SPI_PS_INPUT_ADDR__FRONT_FACE_SHIFT + i) & 1) != 0;
        *ints[i] = there ? (int)reg++ : -1;
    }
}

/** What inputs need of the registers. */
struct shading {
    struct layout l;
    struct lull_raster_state samples; ///< Only nsamples, sample, center_only.
    uint32_t priority[2];
    bool ulc, all_bits, after_depth;
    bool inner;    ///< Coverage is of pixels that are filled.
    bool integers; ///< There are some.
};

/** The sample that stands for place @p p of a pixel with samples @p covered; -1: its centre. */
static int sample_of(const struct shading *s, const struct lull_gfx_quad *q, enum place p,
                     unsigned covered)
{
    const unsigned all = (1u << s->samples.nsamples) - 1;
    if (p == CENTER || s->samples.center_only || s->samples.nsamples == 1) {
        return -1;
    }
    if (q->sample != UINT8_MAX || p == SAMPLE) {
        return q->sample != UINT8_MAX ? q->sample : 0;
    }
    for (unsigned i = 0; covered != 0 && covered != all && i < 2 * LULL_RASTER_SAMPLES; i++) {
        const unsigned n = s->priority[i / 8] >> 4 * (i % 8) & 15;
        if ((covered >> n & 1) != 0) {
            return (int)n;
        }
    }
    return -1;
}

/** The integers of a lane: pixel @p n of @p q. */
static void put_integers(const struct shading *s, const struct lull_gfx_part *part,
                         const struct lull_gfx_quad *q, struct lull_wave *w, unsigned lane)
{
    const unsigned n = lane % QUAD;
    const struct layout *l = &s->l;
    const bool front = part->raster.front != 0;
    uint32_t *v = w->vgpr + lane;
    if (l->front >= 0) {
        v[(unsigned)l->front * w->lanes] =
            s->all_bits ? (front ? UINT32_MAX : 0) : (front ? ONE : MINUS_ONE);
    }
    if (l->ancillary >= 0) {
        v[(unsigned)l->ancillary * w->lanes] =
            (q->sample != UINT8_MAX ? (uint32_t)q->sample << ANCILLARY_SAMPLE : 0) |
            part->layer << ANCILLARY_LAYER;
    }
    if (l->coverage >= 0 && s->inner) {
        const bool filled =
            lull_raster_fills(&part->raster, q->q.x + (int32_t)(n & 1), q->q.y + (int32_t)(n >> 1));
        v[(unsigned)l->coverage * w->lanes] = filled ? (1u << s->samples.nsamples) - 1 : 0;
    } else if (l->coverage >= 0) {
        v[(unsigned)l->coverage * w->lanes] =
            (s->after_depth ? q->q.mask : q->covered) >> LULL_RASTER_SAMPLES * n & UINT8_MAX;
    }
    if (l->fixed >= 0) {
        v[(unsigned)l->fixed * w->lanes] = (q->q.x + (n & 1)) | (uint32_t)(q->q.y + (n >> 1)) << 16;
    }
}

/** Places of a quad's pixels. */
struct points {
    double x[QUAD], y[QUAD];   ///< In pixels.
    double dx[QUAD], dy[QUAD]; ///< The same from the origin of the primitive's planes.
    double one_w[QUAD];
};

static void at(const struct lull_raster_plane *f, const struct points *points, double ret[QUAD])
{
    for (unsigned n = 0; n < QUAD; n++) {
        ret[n] = f->a * points->dx[n] + f->b * points->dy[n] + f->c;
    }
}

static void find_points(const struct shading *s, const struct lull_raster_prim *p,
                        const struct lull_gfx_quad *q, enum place place, struct points *ret)
{
    const bool center = place == CENTER || s->samples.center_only || s->samples.nsamples == 1;
    for (unsigned n = 0; center && n < QUAD; n++) {
        ret->x[n] = q->q.x + (n & 1) + 0.5;
        ret->y[n] = q->q.y + (n >> 1) + 0.5;
        ret->dx[n] = ret->x[n] - p->origin[0];
        ret->dy[n] = ret->y[n] - p->origin[1];
    }
    for (unsigned n = 0; !center && n < QUAD; n++) {
        const unsigned covered = q->covered >> LULL_RASTER_SAMPLES * n & UINT8_MAX;
        const int i = sample_of(s, q, place, covered);
        ret->x[n] = q->q.x + (n & 1) + 0.5 + (i < 0 ? 0 : s->samples.sample[i][0] / 16.0);
        ret->y[n] = q->q.y + (n >> 1) + 0.5 + (i < 0 ? 0 : s->samples.sample[i][1] / 16.0);
        ret->dx[n] = ret->x[n] - p->origin[0];
        ret->dy[n] = ret->y[n] - p->origin[1];
    }
    at(&p->one_w, ret, ret->one_w);
}

/** Value @p value of a quad's four lanes, as lull_raster_at() has it. */
static void put_value(const struct lull_raster_prim *p, enum value value,
                      const struct points *points, float ret[QUAD])
{
    static const uint16_t planes[] = {
        [I] = offsetof(struct lull_raster_prim, i_w),
        [J] = offsetof(struct lull_raster_prim, j_w),
        [I_LINEAR] = offsetof(struct lull_raster_prim, i),
        [J_LINEAR] = offsetof(struct lull_raster_prim, j),
        [I_W] = offsetof(struct lull_raster_prim, i_w),
        [J_W] = offsetof(struct lull_raster_prim, j_w),
        [ONE_W] = offsetof(struct lull_raster_prim, one_w),
        [Z] = offsetof(struct lull_raster_prim, z),
        [W] = offsetof(struct lull_raster_prim, one_w),
    };
    double v[QUAD];
    at((const struct lull_raster_plane *)((const char *)p + planes[value]), points, v);
    if (value == I || value == J) {
        for (unsigned n = 0; n < QUAD; n++) {
            v[n] /= points->one_w[n];
        }
    }
    for (unsigned n = 0; n < QUAD; n++) { // Z not clamped: that is the depth test's
        ret[n] = value == W ? 1 / (float)v[n] : (float)v[n];
    }
}

/** All inputs of a quad, whose lanes are those from @p lane on. */
static void put_quad(const struct shading *s, const struct lull_gfx_part *part,
                     const struct lull_gfx_quad *q, struct lull_wave *w, unsigned lane)
{
    const struct layout *l = &s->l;
    struct points points[PLACES];
    float v[QUAD];
    for (unsigned p = 0; p < PLACES; p++) {
        if (l->places[p]) {
            find_points(s, &part->raster, q, p, &points[p]);
        }
    }
    for (unsigned i = 0; i < l->nfloats; i++) {
        const struct input *in = &l->floats[i];
        put_value(&part->raster, in->value, &points[in->place], v);
        memcpy(&w->vgpr[(size_t)in->reg * w->lanes + lane], v, sizeof(v));
    }
    for (unsigned axis = 0; axis < 2; axis++) {
        const int reg = axis == 0 ? l->x : l->y;
        for (unsigned n = 0; reg >= 0 && n < QUAD; n++) {
            const struct points *at_position = &points[l->position];
            v[n] =
                (float)((axis == 0 ? at_position->x[n] : at_position->y[n]) - (s->ulc ? 0.5 : 0));
        }
        if (reg >= 0) {
            memcpy(&w->vgpr[(size_t)reg * w->lanes + lane], v, sizeof(v));
        }
    }
    for (unsigned n = 0; s->integers && n < QUAD; n++) {
        put_integers(s, part, q, w, lane + n);
    }
}

/** User data, prim_mask, and for each quad where its primitive's first vertex is among P0 to P2. */
static void put_sgprs(const struct lull_gpu *g, const struct lull_gfx_batch *b,
                      const struct lull_gfx_quad *quads, unsigned n, struct lull_wave *w)
{
    const uint32_t rsrc2 = REG(g, SPI_SHADER_PGM_RSRC2_PS);
    const unsigned nuser = FIELD(rsrc2, SPI_SHADER_PGM_RSRC2_PS__USER_SGPR) |
                           FIELD(rsrc2, SPI_SHADER_PGM_RSRC2_PS__USER_SGPR_MSB) << 5;
    lull_gfx_user_data(g, LULL_DRAW11_SPI_SHADER_USER_DATA_PS_0, nuser, w->sgpr);
    w->sgpr[nuser] = 0;
    if (HAS(REG(g, SPI_SHADER_PGM_RSRC1_PS), SPI_SHADER_PGM_RSRC1_PS__LOAD_PROVOKING_VTX)) {
        uint32_t provoking = 0;
        for (unsigned i = 0; i < n; i++) {
            provoking |= b->parts[quads[i].part].first << 2 * i;
        }
        w->sgpr[nuser + 1] = provoking;
    }
}

void lull_gfx_start_pixels(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                           const uint32_t items[3], struct lull_wave *w)
{
    struct lull_gfx_batch *b = &lull_gfx_of(g)->batch;
    const uint32_t cntl = REG(g, SPI_BARYC_CNTL);
    struct shading s = {
        .priority = {REG(g, PA_SC_CENTROID_PRIORITY_0), REG(g, PA_SC_CENTROID_PRIORITY_1)},
        .ulc = HAS(cntl, SPI_BARYC_CNTL__POS_FLOAT_ULC),
        .inner = lull_gfx_wants_inner(g),
        .all_bits = HAS(cntl, SPI_BARYC_CNTL__FRONT_FACE_ALL_BITS),
        .after_depth =
            HAS(REG(g, DB_SHADER_CONTROL), DB_SHADER_CONTROL__PRE_SHADER_DEPTH_COVERAGE_ENABLE),
    };
    unsigned first = 0;
    uint64_t live = 0;
    const unsigned n = quads_of(b, group->wg.id[0], &first);
    (void)index;
    (void)items;
    lay_out(g, &s.l);
    lull_gfx_read_samples(g, &s.samples);
    s.integers = s.l.front >= 0 || s.l.ancillary >= 0 || s.l.coverage >= 0 || s.l.fixed >= 0;
    for (unsigned i = 0; i < n; i++) {
        const struct lull_gfx_quad *q = &b->quads[first + i];
        put_quad(&s, &b->parts[q->part], q, w, QUAD * i);
        live |= (uint64_t)lull_gfx_pixels(q->q.mask) << QUAD * i;
    }
    put_sgprs(g, b, &b->quads[first], n, w);
    w->sgpr[LULL_RDNA_EXEC] = (uint32_t)live;
    w->sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)(live >> 32);
    b->out[group->wg.id[0]].alive = live;
    g->counters.ps_invocations += (unsigned)__builtin_popcountll(live);
}
