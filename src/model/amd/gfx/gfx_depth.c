// SPDX-License-Identifier: MIT
// Depth and stencil: what registers say of their planes and tests, and the tests of a quad.
//
// Depth is in the units of its plane: floats, or 0 to 65535 of 16 bits, to which what is compared
// is rounded first (Vulkan 1.3, "Depth Test").
#include <math.h>
#include <string.h>

#include "model/amd/gfx/gfx_output.h"

enum {
    PIXELS = 4, // Of a quad.
    FIXED_MAX = UINT16_MAX,
    BACK_SHIFT = 12, // From a field of DB_STENCIL_CONTROL to that of the back.
    SLICE_BITS = 11,
};

#define REG(g, NAME) lull_gfx_reg((g), LULL_DRAW11_##NAME)
#define FIELD(word, NAME) lull_get((word), LULL_DRAW11_##NAME##_MASK)

// Opening.

/** The address in registers @p read and @p write. NULL, or why not. */
static const char *plane_base(const struct lull_gpu *g, const uint32_t read[2],
                              const uint32_t write[2], uint64_t *ret)
{
    uint64_t va[2] = {0};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t *r = i == 0 ? read : write;
        const uint64_t high = lull_gfx_reg(g, r[1]) & UINT8_MAX;
        va[i] = (high << 32 | lull_gfx_reg(g, r[0])) << 8;
    }
    *ret = (uint64_t)((int64_t)(va[0] << 16) >> 16);
    return va[0] == va[1] ? NULL : "with depth that is read and written in two places";
}

/** HTILE has bits for depth, or @p stencil. */
static bool has_htile(const struct lull_gpu *g, bool stencil)
{
    return FIELD(REG(g, DB_Z_INFO), DB_Z_INFO__TILE_SURFACE_ENABLE) != 0 &&
           (!stencil || FIELD(REG(g, DB_STENCIL_INFO), DB_STENCIL_INFO__TILE_STENCIL_DISABLE) == 0);
}

/** A plane of texels of @p format. @p has_words: HTILE has bits for it. */
static const char *open_plane(const struct lull_gpu *g, const char *format, uint64_t base,
                              uint32_t sw_mode, bool has_words, struct lull_gfx_surface *ret)
{
    const uint32_t info = REG(g, DB_Z_INFO);
    const uint32_t view = REG(g, DB_DEPTH_VIEW);
    const uint32_t size = REG(g, DB_DEPTH_SIZE_XY);
    const uint32_t first = FIELD(view, DB_DEPTH_VIEW__SLICE_START) |
                           FIELD(view, DB_DEPTH_VIEW__SLICE_START_HI) << SLICE_BITS;
    const uint32_t last = FIELD(view, DB_DEPTH_VIEW__SLICE_MAX) |
                          FIELD(view, DB_DEPTH_VIEW__SLICE_MAX_HI) << SLICE_BITS;
    const struct lull_format_info *f = lull_format_by_name(format);
    struct lull_image_desc d = {
        .base = base,
        .format = f,
        .format_code = f->code,
        .type = LULL_IMAGE_2D_ARRAY,
        .sw_mode = (uint8_t)sw_mode,
        .width = FIELD(size, DB_DEPTH_SIZE_XY__X_MAX) + 1,
        .height = FIELD(size, DB_DEPTH_SIZE_XY__Y_MAX) + 1,
        .depth = 1,
        .last_slice = last,
        .samples = (uint8_t)(1u << FIELD(info, DB_Z_INFO__NUM_SAMPLES)),
    };
    if (d.samples == 1) {
        d.max_mip = (uint8_t)FIELD(info, DB_Z_INFO__MAXMIP);
    }
    const uint64_t words =
        ((uint64_t)(REG(g, DB_HTILE_DATA_BASE_HI) & UINT8_MAX) << 32 | REG(g, DB_HTILE_DATA_BASE))
        << 8;
    d.compressed = has_words;
    d.metadata = (uint64_t)((int64_t)(words << 16) >> 16);
    return lull_gfx_open_surface(&d, FIELD(view, DB_DEPTH_VIEW__MIPID), first, last, ret);
}

static const char *open_z(const struct lull_gpu *g, struct lull_gfx_zs *z)
{
    static const uint32_t read[2] = {LULL_DRAW11_DB_Z_READ_BASE, LULL_DRAW11_DB_Z_READ_BASE_HI};
    static const uint32_t write[2] = {LULL_DRAW11_DB_Z_WRITE_BASE, LULL_DRAW11_DB_Z_WRITE_BASE_HI};
    const uint32_t info = REG(g, DB_Z_INFO);
    uint64_t base = 0;
    if (FIELD(info, DB_Z_INFO__FORMAT) == LULL_DRAW11_DB_Z_INFO__FORMAT__24) {
        return "to depth of 24 bits";
    }
    const char *why = plane_base(g, read, write, &base);
    z->fixed = FIELD(info, DB_Z_INFO__FORMAT) == LULL_DRAW11_DB_Z_INFO__FORMAT__16;
    return why != NULL
               ? why
               : open_plane(g, z->fixed ? "16_UNORM" : "32_FLOAT", base,
                            FIELD(info, DB_Z_INFO__SW_MODE), has_htile(g, false), &z->depth);
}

static const char *open_stencil(const struct lull_gpu *g, struct lull_gfx_zs *z)
{
    static const uint32_t read[2] = {LULL_DRAW11_DB_STENCIL_READ_BASE,
                                     LULL_DRAW11_DB_STENCIL_READ_BASE_HI};
    static const uint32_t write[2] = {LULL_DRAW11_DB_STENCIL_WRITE_BASE,
                                      LULL_DRAW11_DB_STENCIL_WRITE_BASE_HI};
    uint64_t base = 0;
    const char *why = plane_base(g, read, write, &base);
    return why != NULL ? why
                       : open_plane(g, "8_UINT", base,
                                    FIELD(REG(g, DB_STENCIL_INFO), DB_STENCIL_INFO__SW_MODE),
                                    has_htile(g, true), &z->stencil);
}

/** A face's test; @p shift: of its fields in DB_STENCIL_CONTROL. Numbers are those of output.h. */
static void read_face(uint32_t operations, unsigned shift, uint32_t values, uint32_t compare,
                      struct lull_raster_stencil *ret)
{
    const uint32_t ops = operations >> shift;
    *ret = (struct lull_raster_stencil){
        .compare = (uint8_t)compare,
        .fail = (uint8_t)FIELD(ops, DB_STENCIL_CONTROL__STENCILFAIL),
        .depth_fail = (uint8_t)FIELD(ops, DB_STENCIL_CONTROL__STENCILZFAIL),
        .pass = (uint8_t)FIELD(ops, DB_STENCIL_CONTROL__STENCILZPASS),
        .reference = (uint8_t)FIELD(values, DB_STENCILREFMASK__TESTVAL),
        .value = (uint8_t)FIELD(values, DB_STENCILREFMASK__OPVAL),
        .read_mask = (uint8_t)FIELD(values, DB_STENCILREFMASK__MASK),
        .write_mask = (uint8_t)FIELD(values, DB_STENCILREFMASK__WRITEMASK),
    };
}

static float bound(const struct lull_gpu *g, const struct lull_gfx_zs *z, uint32_t offset)
{
    const uint32_t bits = lull_gfx_reg(g, offset);
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return z->fixed ? (float)((double)f * FIXED_MAX) : f;
}

/** What is tested and written, as far as there are planes for it. */
static void read_tests(const struct lull_gpu *g, struct lull_gfx_zs *z)
{
    const uint32_t control = REG(g, DB_DEPTH_CONTROL);
    const uint32_t view = REG(g, DB_DEPTH_VIEW);
    const uint32_t ops = REG(g, DB_STENCIL_CONTROL);
    struct lull_raster_depth_state *s = &z->state;
    s->depth_test = z->has_depth && FIELD(control, DB_DEPTH_CONTROL__Z_ENABLE) != 0;
    s->depth_write = FIELD(control, DB_DEPTH_CONTROL__Z_WRITE_ENABLE) != 0 &&
                     FIELD(view, DB_DEPTH_VIEW__Z_READ_ONLY) == 0;
    s->bounds_test = z->has_depth && FIELD(control, DB_DEPTH_CONTROL__DEPTH_BOUNDS_ENABLE) != 0;
    s->stencil_test = z->has_stencil && FIELD(control, DB_DEPTH_CONTROL__STENCIL_ENABLE) != 0;
    s->compare = (uint8_t)FIELD(control, DB_DEPTH_CONTROL__ZFUNC);
    s->bounds_min = bound(g, z, LULL_DRAW11_DB_DEPTH_BOUNDS_MIN);
    s->bounds_max = bound(g, z, LULL_DRAW11_DB_DEPTH_BOUNDS_MAX);
    read_face(ops, 0, REG(g, DB_STENCILREFMASK), FIELD(control, DB_DEPTH_CONTROL__STENCILFUNC),
              &s->front);
    s->back = s->front;
    if (FIELD(control, DB_DEPTH_CONTROL__BACKFACE_ENABLE) != 0) {
        read_face(ops, BACK_SHIFT, REG(g, DB_STENCILREFMASK_BF),
                  FIELD(control, DB_DEPTH_CONTROL__STENCILFUNC_BF), &s->back);
    }
    if (FIELD(view, DB_DEPTH_VIEW__STENCIL_READ_ONLY) != 0) {
        s->front.write_mask = 0;
        s->back.write_mask = 0;
    }
    z->any = s->depth_test || s->stencil_test || s->bounds_test;
}

static void read_places(const struct lull_gpu *g, struct lull_gfx_zs *z)
{
    struct lull_raster_state s = {.nsamples = 0};
    lull_gfx_raster_state(g, 0, &s);
    for (unsigned i = 0; i < z->nsamples && i < s.nsamples; i++) {
        for (unsigned k = 0; k < 2; k++) {
            z->place[i][k] = 0.5 + (s.center_only ? 0 : s.sample[i][k] / 16.0);
        }
    }
}

/** What is not done, by name. */
static const char *refused(const struct lull_gpu *g)
{
    const uint32_t render = REG(g, DB_RENDER_CONTROL);
    const uint32_t control = REG(g, DB_DEPTH_CONTROL);
    if (FIELD(render, DB_RENDER_CONTROL__DEPTH_CLEAR_ENABLE) != 0 ||
        FIELD(render, DB_RENDER_CONTROL__STENCIL_CLEAR_ENABLE) != 0) {
        return "to clear depth by DB_RENDER_CONTROL";
    }
    if (FIELD(render, DB_RENDER_CONTROL__DEPTH_COPY) != 0 ||
        FIELD(render, DB_RENDER_CONTROL__STENCIL_COPY) != 0) {
        return "to copy depth to colour";
    }
    if (FIELD(control, DB_DEPTH_CONTROL__ENABLE_COLOR_WRITES_ON_DEPTH_FAIL) != 0 ||
        FIELD(control, DB_DEPTH_CONTROL__DISABLE_COLOR_WRITES_ON_DEPTH_PASS) != 0) {
        return "colour where depth fails";
    }
    if (FIELD(REG(g, DB_SHADER_CONTROL), DB_SHADER_CONTROL__STENCIL_OP_VAL_EXPORT_ENABLE) != 0) {
        return "with an exported operand of stencil operations";
    }
    return NULL;
}

/** The draw makes a plane plain, whatever it tests. */
static bool expands(const struct lull_gpu *g, uint32_t mask, bool stencil)
{
    return (REG(g, DB_RENDER_CONTROL) & mask) != 0 && has_htile(g, stencil);
}

const char *lull_gfx_open_depth(const struct lull_gpu *g, struct lull_gfx_zs *ret)
{
    const uint32_t info = REG(g, DB_Z_INFO);
    struct lull_gfx_zs z = {
        .has_depth = FIELD(info, DB_Z_INFO__FORMAT) != LULL_DRAW11_DB_Z_INFO__FORMAT__INVALID,
        .has_stencil = FIELD(REG(g, DB_STENCIL_INFO), DB_STENCIL_INFO__FORMAT) != 0,
        .nsamples = 1u << lull_gfx_log2_samples(g),
    };
    const char *why = refused(g);
    if (why == NULL && z.has_depth) {
        z.fixed = FIELD(info, DB_Z_INFO__FORMAT) == LULL_DRAW11_DB_Z_INFO__FORMAT__16;
    }
    read_tests(g, &z);
    if (why == NULL && z.any && z.nsamples != 1u << FIELD(info, DB_Z_INFO__NUM_SAMPLES)) {
        why = "with another number of samples than its depth has";
    }
    const bool depth =
        z.has_depth &&
        expands(g, LULL_DRAW11_DB_RENDER_CONTROL__DEPTH_COMPRESS_DISABLE_MASK, false);
    const bool stencil =
        z.has_stencil &&
        expands(g, LULL_DRAW11_DB_RENDER_CONTROL__STENCIL_COMPRESS_DISABLE_MASK, true);
    if (why == NULL && (z.state.depth_test || z.state.bounds_test || depth)) {
        why = open_z(g, &z);
    }
    if (why == NULL && (z.state.stencil_test || stencil)) {
        why = open_stencil(g, &z);
    }
    if (why == NULL) {
        read_places(g, &z);
        *ret = z;
    }
    return why;
}

bool lull_gfx_depth_is_early(const struct lull_gpu *g)
{
    const uint32_t control = REG(g, DB_SHADER_CONTROL);
    const bool alpha = FIELD(REG(g, DB_ALPHA_TO_MASK), DB_ALPHA_TO_MASK__ALPHA_TO_MASK_ENABLE) != 0;
    if (FIELD(control, DB_SHADER_CONTROL__DEPTH_BEFORE_SHADER) != 0) {
        return true;
    }
    return FIELD(control, DB_SHADER_CONTROL__Z_ORDER) !=
               LULL_DRAW11_DB_SHADER_CONTROL__Z_ORDER__LATE_Z &&
           FIELD(control, DB_SHADER_CONTROL__Z_EXPORT_ENABLE) == 0 &&
           FIELD(control, DB_SHADER_CONTROL__STENCIL_TEST_VAL_EXPORT_ENABLE) == 0 &&
           FIELD(control, DB_SHADER_CONTROL__KILL_ENABLE) == 0 &&
           FIELD(control, DB_SHADER_CONTROL__COVERAGE_TO_MASK_ENABLE) == 0 &&
           FIELD(control, DB_SHADER_CONTROL__MASK_EXPORT_ENABLE) == 0 &&
           (!alpha || FIELD(control, DB_SHADER_CONTROL__ALPHA_TO_MASK_DISABLE) != 0);
}

// Testing.

/** A quad on its way through the tests. */
struct tester {
    struct lull_gpu *g;
    struct lull_vm *vm;
    const struct lull_gfx_zs *z;
    struct lull_raster_depth_state state;
    const struct lull_raster_prim *prim;
    const struct lull_gfx_part *part;
    const struct lull_gfx_quad *q;
};

/** Host address of a sample's depth or stencil. NULL: memory refused.
 * What metadata says of it is plain since the draw began (gfx_meta.c). */
static uint8_t *sample_at(const struct tester *t, const struct lull_gfx_surface *s, uint64_t offset,
                          unsigned sample, bool writes)
{
    return lull_vm_host(t->vm, s->tiling.base + (offset ^ s->sample[sample]),
                        writes ? LULL_ACCESS_READ | LULL_ACCESS_WRITE : LULL_ACCESS_READ);
}

/** @p z in the units of the plane. */
static float in_units(const struct lull_gfx_zs *zs, float z)
{
    if (!zs->fixed) {
        return z;
    }
    const float c = z >= 1 ? 1 : z > 0 ? z : 0; // what is not a number: 0
    return (float)floor((double)c * FIXED_MAX + 0.5);
}

static float load_depth(const struct lull_gfx_zs *zs, const uint8_t *from)
{
    float f = 0;
    uint16_t fixed = 0;
    memcpy(&fixed, from, sizeof(fixed));
    if (!zs->fixed) {
        memcpy(&f, from, sizeof(f));
    }
    return zs->fixed ? (float)fixed : f;
}

static void store_depth(const struct lull_gfx_zs *zs, float z, uint8_t *to)
{
    const uint16_t fixed = (uint16_t)z;
    if (zs->fixed) {
        memcpy(to, &fixed, sizeof(fixed));
    } else {
        memcpy(to, &z, sizeof(z));
    }
}

/** Depth or stencil of a sample of pixel @p n has been written. */
static void log_sample(const struct tester *t, const struct lull_gfx_surface *s, uint64_t offset,
                       unsigned sample, unsigned n)
{
    if (!lull_gpu_logs(t->g)) {
        return;
    }
    const struct lull_gfx_batch *b = &lull_gfx_of(t->g)->batch;
    const unsigned wave = t->q->index / b->wave_quads % LULL_GFX_BATCH_WAVES;
    struct lull_writer by = {
        .kind = s == &t->z->depth ? LULL_WRITER_DEPTH : LULL_WRITER_STENCIL,
        .launch = t->g->draw_id,
        .index = wave,
        .workgroup = {t->q->q.x, t->q->q.y, s->slice + t->part->layer},
    };
    if (b->early == 0) { // Else there is no wave of it yet.
        by.pc = b->out[wave].pc;
        by.place = b->out[wave].place;
    }
    lull_gpu_wrote_pixel(t->g, t->vm->vmid, s->tiling.base + (offset ^ s->sample[sample]),
                         s->tiling.bytes, t->q->index % b->wave_quads * PIXELS + n, &by);
}

/** What a test found. */
struct tested {
    enum lull_raster_verdict verdict;
    struct lull_raster_depth before; ///< In the units of the planes.
};

/** Tell of a sample of the pixel that is watched. */
static void watch_test(const struct tester *t, float z, unsigned sample, const struct tested *r)
{
    const struct lull_raster_depth_state *s = &t->state;
    const bool depth = s->depth_test || s->bounds_test;
    const struct lull_gpu_fragment f = {
        .sample = sample,
        .stages =
            (depth ? LULL_FRAGMENT_DEPTH : 0u) | (s->stencil_test ? LULL_FRAGMENT_STENCIL : 0u),
        .z = z,
        .z_before = t->z->fixed ? r->before.z / FIXED_MAX : r->before.z,
        .stencil_before = r->before.stencil,
    };
    lull_gfx_saw_test(t->g, t->part, &f, r->verdict);
}

/** One sample of pixel @p n; @p offset: of its depth and stencil. False: memory refused. */
static bool test_sample(const struct tester *t, float z, unsigned n, unsigned sample,
                        const uint64_t offset[2], struct tested *ret)
{
    const struct lull_gfx_zs *zs = t->z;
    const struct lull_raster_depth_state *s = &t->state;
    const bool depth = s->depth_test || s->bounds_test;
    const bool writes = s->depth_test && s->depth_write;
    struct lull_raster_depth at = {0};
    uint8_t *d = depth ? sample_at(t, &zs->depth, offset[0], sample, writes) : NULL;
    uint8_t *st = s->stencil_test ? sample_at(t, &zs->stencil, offset[1], sample, true) : NULL;
    if ((depth && d == NULL) || (s->stencil_test && st == NULL)) {
        const bool last = s->stencil_test && st == NULL; // vm->fault is the stencil's
        t->g->output->refused = last ? LULL_GFX_REFUSED_STENCIL : LULL_GFX_REFUSED_DEPTH;
        return false;
    }
    if (depth) {
        at.z = load_depth(zs, d);
    }
    if (st != NULL) {
        at.stencil = *st;
    }
    ret->before = at;
    ret->verdict = lull_raster_test(s, t->prim->front != 0, in_units(zs, z), &at);
    if (ret->verdict == LULL_RASTER_PASS && writes) {
        store_depth(zs, at.z, d);
        log_sample(t, &zs->depth, offset[0], sample, n);
    }
    if (st != NULL && *st != at.stencil) {
        *st = at.stencil;
        log_sample(t, &zs->stencil, offset[1], sample, n);
    }
    return true;
}

/** Where in its planes pixel @p n of @p q is; false: nowhere. */
static bool is_inside(const struct lull_gfx_zs *z, const struct lull_raster_quad *q, unsigned n)
{
    const struct lull_gfx_surface *s = z->state.stencil_test ? &z->stencil : &z->depth;
    return q->x + (n & 1) < s->tiling.width && q->y + (n >> 1) < s->tiling.height;
}

/** Pixel @p n of @p q. @p given: its exported depth, or NULL. False: memory refused. */
static bool test_pixel(const struct tester *t, const struct lull_raster_quad *q, unsigned n,
                       const float *given, const uint64_t offset[2], uint32_t *mask)
{
    const struct lull_raster_prim *p = t->prim;
    const unsigned shift = n * LULL_RASTER_SAMPLES;
    const double x = q->x + (n & 1u);
    const double y = q->y + (n >> 1);
    for (uint32_t m = q->mask >> shift & UINT8_MAX; m != 0; m &= m - 1) {
        const unsigned s = (unsigned)__builtin_ctz(m);
        struct tested r = {.verdict = LULL_RASTER_FAIL_DEPTH};
        const float z = given != NULL
                            ? fminf(fmaxf(*given, p->zmin), p->zmax)
                            : lull_raster_depth_at(p, x + t->z->place[s][0], y + t->z->place[s][1]);
        if (s < t->z->nsamples && !test_sample(t, z, n, s, offset, &r)) {
            return false;
        }
        if (lull_gfx_watches(t->g, q, n)) {
            watch_test(t, z, s, &r);
        }
        if (r.verdict != LULL_RASTER_PASS) {
            *mask &= ~(1u << (shift + s));
        }
    }
    return true;
}

bool lull_gfx_depth_test(struct lull_gpu *g, struct lull_vm *vm, const struct lull_gfx_part *part,
                         const struct lull_gfx_quad *q, const float z[4], const uint8_t stencil[4],
                         uint32_t *mask)
{
    const struct lull_gfx_output *o = lull_gfx_output_of(g);
    *mask = q->q.mask;
    if (o == NULL || !o->zs.any) {
        return true;
    }
    struct tester t = {.g = g,
                       .vm = vm,
                       .z = &o->zs,
                       .state = o->zs.state,
                       .prim = &part->raster,
                       .part = part,
                       .q = q};
    const struct lull_gfx_surface *s = t.state.stencil_test ? &t.z->stencil : &t.z->depth;
    const uint32_t slice = s->slice + part->layer;
    uint64_t depth_at[PIXELS] = {0};
    uint64_t stencil_at[PIXELS] = {0};
    if (slice < s->slice || slice > s->slice_max) {
        *mask = 0;
        return true;
    }
    if (t.state.depth_test || t.state.bounds_test) {
        lull_gfx_quad_offsets(&t.z->depth, &q->q,
                              lull_tiling_offset(&t.z->depth.tiling, 0, 0, slice, 0), depth_at);
    }
    if (t.state.stencil_test) {
        lull_gfx_quad_offsets(&t.z->stencil, &q->q,
                              lull_tiling_offset(&t.z->stencil.tiling, 0, 0, slice, 0), stencil_at);
    }
    for (unsigned n = 0; n < PIXELS; n++) {
        const uint64_t offset[2] = {depth_at[n], stencil_at[n]};
        if (!is_inside(t.z, &q->q, n)) {
            *mask &= ~((uint32_t)UINT8_MAX << n * LULL_RASTER_SAMPLES);
            continue;
        }
        if (stencil != NULL) {
            t.state.front.reference = stencil[n];
            t.state.back.reference = stencil[n];
        }
        if (!test_pixel(&t, &q->q, n, z != NULL ? &z[n] : NULL, offset, mask)) {
            return false;
        }
    }
    return true;
}
