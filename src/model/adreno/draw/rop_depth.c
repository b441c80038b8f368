// SPDX-License-Identifier: MIT
// Depth and stencil: what registers say, and the tests of a quad.
//
// Depth is compared in the units of its buffer: floats, or integers to which what is compared is
// rounded first (Vulkan 1.3, "Depth Test"); a float holds 24 bits exactly.
#include <math.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "hw/adreno_regs.h"
#include "model/adreno/draw/rop_part.h"
#include "model/adreno/exec/texel.h"

enum {
    UNITS_16 = 0xffff,
    UNITS_24 = 0xffffff,
    STENCIL_SHIFT = 24, ///< In a dword of D24S8.
    STENCIL_BYTE = 3,
    PIXEL_BITS = 8,  ///< Of a quad's mask.
    BACK_SHIFT = 12, ///< From a field of RB_STENCIL_CONTROL to that of the back.
    BACK_VALUE = 8,  ///< The same of references and masks.
};

/** A bound in the units of the buffer, which hold integers only. */
static float bound(const struct lull_arop_depth *d, uint32_t bits, bool lowest)
{
    const float f = lull_arop_single(bits);
    const double units = (double)f * d->units;
    return d->units == 0 ? f : (float)(lowest ? ceil(units) : floor(units));
}

/** Operation @p op of Adreno. */
static uint8_t stencil_op(uint32_t op)
{
    static const uint8_t ops[] = {
        [LULL_STENCIL_KEEP] = LULL_RASTER_KEEP,
        [LULL_STENCIL_ZERO] = LULL_RASTER_ZERO,
        [LULL_STENCIL_REPLACE] = LULL_RASTER_REPLACE,
        [LULL_STENCIL_INCR_CLAMP] = LULL_RASTER_ADD_CLAMP,
        [LULL_STENCIL_DECR_CLAMP] = LULL_RASTER_SUB_CLAMP,
        [LULL_STENCIL_INVERT] = LULL_RASTER_INVERT,
        [LULL_STENCIL_INCR_WRAP] = LULL_RASTER_ADD_WRAP,
        [LULL_STENCIL_DECR_WRAP] = LULL_RASTER_SUB_WRAP,
    };
    return ops[op & 7];
}

/** A face's test; @p back: fields of the back. */
static struct lull_raster_stencil face(const struct lull_arop *r, bool back)
{
    const uint32_t v = lull_arop_reg(r, LULL_A6XX_RB_STENCIL_CONTROL) >> (back ? BACK_SHIFT : 0);
    const unsigned shift = back ? BACK_VALUE : 0;
    return (struct lull_raster_stencil){
        .compare = (uint8_t)lull_a6xx_rb_stencil_control__func(v),
        .fail = stencil_op(lull_a6xx_rb_stencil_control__fail(v)),
        .depth_fail = stencil_op(lull_a6xx_rb_stencil_control__zfail(v)),
        .pass = stencil_op(lull_a6xx_rb_stencil_control__zpass(v)),
        .reference = (uint8_t)(lull_arop_reg(r, LULL_A6XX_RB_STENCILREF) >> shift),
        .value = 1,
        .read_mask = (uint8_t)(lull_arop_reg(r, LULL_A6XX_RB_STENCILMASK) >> shift),
        .write_mask = (uint8_t)(lull_arop_reg(r, LULL_A6XX_RB_STENCILWRMASK) >> shift),
    };
}

static void read_tests(const struct lull_arop *r, struct lull_arop_depth *d)
{
    const uint32_t cntl = lull_arop_reg(r, LULL_A6XX_RB_DEPTH_CNTL);
    const uint32_t stencil = lull_arop_reg(r, LULL_A6XX_RB_STENCIL_CONTROL);
    struct lull_raster_depth_state *s = &d->state;
    s->depth_test = d->depth && lull_a6xx_rb_depth_cntl__z_test_enable(cntl) != 0;
    s->depth_write = lull_a6xx_rb_depth_cntl__z_write_enable(cntl) != 0;
    s->bounds_test = d->depth && lull_a6xx_rb_depth_cntl__z_bounds_enable(cntl) != 0;
    s->stencil_test = d->stencil && lull_a6xx_rb_stencil_control__stencil_enable(stencil) != 0;
    s->compare = (uint8_t)lull_a6xx_rb_depth_cntl__zfunc(cntl);
    s->bounds_min = bound(d, lull_arop_reg(r, LULL_A6XX_RB_Z_BOUNDS_MIN), true);
    s->bounds_max = bound(d, lull_arop_reg(r, LULL_A6XX_RB_Z_BOUNDS_MAX), false);
    s->front = face(r, false);
    s->back = face(r, lull_a6xx_rb_stencil_control__stencil_enable_bf(stencil) != 0);
    d->clamp = lull_a6xx_rb_depth_cntl__z_clamp_enable(cntl) != 0;
    d->zmin = lull_arop_single(lull_arop_reg(r, LULL_A6XX_RB_Z_CLAMP_MIN));
    d->zmax = lull_arop_single(lull_arop_reg(r, LULL_A6XX_RB_Z_CLAMP_MAX));
    d->depth = s->depth_test || s->bounds_test;
    d->stencil = s->stencil_test;
    d->any = d->depth || d->stencil;
}

/** A plane; on a6xx all of them are tiled. */
static struct lull_asurface plane(const struct lull_arop *r, unsigned bytes, uint32_t tile_mode)
{
    return (struct lull_asurface){
        .chip = lull_ir3_chip(r->source.gpu_id),
        .bytes = (uint8_t)bytes,
        .samples = (uint8_t)r->samples,
        .tiled = r->source.gpu_id < 700 || tile_mode == LULL_TILE6_3,
    };
}

static void read_z(const struct lull_arop *r, unsigned format, struct lull_arop_depth *d)
{
    const uint32_t info = lull_arop_reg(r, LULL_A6XX_RB_DEPTH_BUFFER_INFO);
    d->units = format == LULL_DEPTH6_16 ? UNITS_16 : format == LULL_DEPTH6_24_8 ? UNITS_24 : 0;
    d->packed = format == LULL_DEPTH6_24_8;
    d->z =
        plane(r, format == LULL_DEPTH6_16 ? 2 : 4, lull_a6xx_rb_depth_buffer_info__tilemode(info));
    d->z.pitch = lull_arop_reg(r, LULL_A6XX_RB_DEPTH_BUFFER_PITCH) << 6;
    d->z.layer_bytes = (uint64_t)lull_arop_reg(r, LULL_A6XX_RB_DEPTH_BUFFER_ARRAY_PITCH) << 6;
    lull_arop_place(r, &d->z, lull_arop_reg64(r, LULL_A6XX_RB_DEPTH_BUFFER_BASE),
                    lull_arop_reg(r, LULL_A6XX_RB_DEPTH_BUFFER_BASE_GMEM));
}

static void read_s(const struct lull_arop *r, struct lull_arop_depth *d)
{
    d->s = plane(r, 1,
                 lull_a6xx_rb_stencil_info__tilemode(lull_arop_reg(r, LULL_A6XX_RB_STENCIL_INFO)));
    d->s.pitch = lull_arop_reg(r, LULL_A6XX_RB_STENCIL_BUFFER_PITCH) << 6;
    d->s.layer_bytes = (uint64_t)lull_arop_reg(r, LULL_A6XX_RB_STENCIL_BUFFER_ARRAY_PITCH) << 6;
    lull_arop_place(r, &d->s, lull_arop_reg64(r, LULL_A6XX_RB_STENCIL_BUFFER_BASE),
                    lull_arop_reg(r, LULL_A6XX_RB_STENCIL_BUFFER_BASE_GMEM));
}

/** Does anything ask for the depth buffer? What is not asked for may hold what it had. */
static bool wanted(const struct lull_arop *r, bool separate)
{
    const uint32_t z = lull_arop_reg(r, LULL_A6XX_RB_DEPTH_CNTL);
    const uint32_t s = lull_arop_reg(r, LULL_A6XX_RB_STENCIL_CONTROL);
    return lull_a6xx_rb_depth_cntl__z_test_enable(z) != 0 ||
           (!separate && lull_a6xx_rb_stencil_control__stencil_enable(s) != 0);
}

struct lull_error *lull_arop_read_depth(struct lull_arop *ret)
{
    const uint32_t format = lull_a6xx_rb_depth_buffer_info__depth_format(
        lull_arop_reg(ret, LULL_A6XX_RB_DEPTH_BUFFER_INFO));
    const bool separate = lull_a6xx_rb_stencil_info__separate_stencil(
                              lull_arop_reg(ret, LULL_A6XX_RB_STENCIL_INFO)) != 0;
    struct lull_arop_depth *d = &ret->zs;
    const bool known =
        format == LULL_DEPTH6_16 || format == LULL_DEPTH6_24_8 || format == LULL_DEPTH6_32;
    if (format != LULL_DEPTH6_NONE && !known && wanted(ret, separate)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "RB_DEPTH_BUFFER_INFO: depth of format %u",
                              format);
    }
    d->depth = known;
    if (d->depth) {
        read_z(ret, format, d);
    }
    if (separate) {
        d->packed = false;
        read_s(ret, d);
    }
    d->stencil = separate || d->packed;
    read_tests(ret, d);
    return NULL;
}

/** @p z in the units of the buffer. */
static float in_units(const struct lull_arop_depth *d, float z)
{
    if (d->clamp) {
        z = fminf(fmaxf(z, d->zmin), d->zmax);
    }
    if (d->units == 0) {
        return z;
    }
    const float c = z >= 1 ? 1 : z > 0 ? z : 0; // What is not a number: 0.
    return (float)floor((double)c * d->units + 0.5);
}

/** A sample's place in its planes, and what is there. */
struct spot {
    uint64_t z_at, s_at;
    uint32_t word; ///< Of depth.
    struct lull_raster_depth at;
};

static bool load(const struct lull_arop *r, struct spot *p)
{
    const struct lull_arop_depth *d = &r->zs;
    uint8_t texel[LULL_ASURFACE_TEXEL];
    if (d->depth || d->packed) {
        if (!lull_asurface_load(&d->z, &r->source.memory, p->z_at, texel)) {
            return false;
        }
        memcpy(&p->word, texel, sizeof p->word);
        p->at.z = d->units == 0 ? lull_arop_single(p->word) : (float)(p->word & d->units);
        p->at.stencil = texel[STENCIL_BYTE];
    }
    if (d->stencil && !d->packed) {
        if (!lull_asurface_load(&d->s, &r->source.memory, p->s_at, texel)) {
            return false;
        }
        p->at.stencil = texel[0];
    }
    return true;
}

/** Make the planes hold @p now where they held p->at. */
static void store(const struct lull_arop *r, const struct spot *p,
                  const struct lull_raster_depth *now)
{
    const struct lull_arop_depth *d = &r->zs;
    uint32_t word = 0;
    uint8_t texel[LULL_ASURFACE_TEXEL] = {0};
    if (d->units == 0) {
        memcpy(&word, &now->z, sizeof word);
    } else {
        word = (uint32_t)now->z;
    }
    if (d->packed) {
        word |= (uint32_t)now->stencil << STENCIL_SHIFT;
    }
    if (word != p->word && (d->depth || d->packed)) {
        memcpy(texel, &word, sizeof word);
        (void)lull_asurface_store(&d->z, &r->source.memory, p->z_at, texel);
    }
    if (d->stencil && !d->packed && now->stencil != p->at.stencil) {
        texel[0] = now->stencil;
        (void)lull_asurface_store(&d->s, &r->source.memory, p->s_at, texel);
    }
}

static bool test_sample(const struct lull_arop *r, const struct lull_arop_quad *q, unsigned n,
                        unsigned sample)
{
    const struct lull_arop_depth *d = &r->zs;
    struct lull_raster_depth_state state = d->state;
    struct spot p = {0};
    if ((d->depth || d->packed) && !lull_arop_sample_at(r, &d->z, q, n, sample, &p.z_at)) {
        return false;
    }
    if (d->stencil && !d->packed && !lull_arop_sample_at(r, &d->s, q, n, sample, &p.s_at)) {
        return false;
    }
    if (!load(r, &p)) {
        return false;
    }
    if (q->writes_stencil) {
        state.front.reference = q->stencil[n];
        state.back.reference = q->stencil[n];
    }
    const float z = in_units(d, q->writes_depth ? q->depth[n] : q->z[n][sample]);
    struct lull_raster_depth now = p.at;
    const bool pass = lull_raster_test(&state, q->front, z, &now) == LULL_RASTER_PASS;
    store(r, &p, &now);
    return pass;
}

uint32_t lull_arop_test(const struct lull_arop *r, const struct lull_arop_quad *q, uint32_t mask)
{
    uint32_t left = mask;
    for (uint32_t m = r->zs.any ? mask : 0; m != 0; m &= m - 1) {
        const unsigned bit = (unsigned)__builtin_ctz(m);
        if (!test_sample(r, q, bit / PIXEL_BITS, bit % PIXEL_BITS)) {
            left &= ~(1u << bit);
        }
    }
    return left;
}
