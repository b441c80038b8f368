// SPDX-License-Identifier: MIT
/** @file
 * Images for instruction tests: descriptors made by bit numbers of the RDNA3 ISA guide (10.5 and
 * 10.6), texels put where src/tex says they lie. Include after wave_fixture.h.
 *
 * s[0:7] is the image, s[8:11] the sampler.
 */
#ifndef LULL_TESTS_IMG_FIXTURE_H
#define LULL_TESTS_IMG_FIXTURE_H

#include <math.h>

#include "tex/tiling.h"

// Values of the guide's table 52 and of TYPE.
enum {
    F_8_UNORM = 1,
    F_16_UNORM = 7,
    F_8_UINT = 5,
    F_8_SINT = 6,
    F_16_FLOAT = 13,
    F_32_UINT = 20,
    F_32_SINT = 21,
    F_32_FLOAT = 22,
    F_8888_UNORM = 42,
    F_8888_UINT = 46,
    F_8888_SINT = 47,
    F_32_32_UINT = 48,
    F_16161616_UNORM = 51,
    F_16161616_UINT = 55,
    F_16161616_FLOAT = 57,
    F_32323232_UINT = 61,
    F_32323232_FLOAT = 63,
    F_8888_SRGB = 66,
    F_565_UNORM = 68,
};
enum { T_1D = 8, T_2D, T_3D, T_CUBE, T_1D_ARRAY, T_2D_ARRAY };
enum { XYZW = 0xfac, X001 = 0x204 };

/** What the test wants an image to be. */
struct img {
    unsigned format, type, width, height;
    unsigned depth;       // 3D: depth. Arrays: slices. Cubes: faces.
    unsigned levels;      // Of the resource; 0: 1.
    unsigned base, last;  // Levels of the view.
    unsigned first_slice; // Of the view.
    unsigned dst_sel;     // 0: XYZW.
    unsigned bc_swizzle;
    unsigned min_lod; // 4.8
    unsigned at;      // Byte offset in the area.
    unsigned sw_mode;
};

/** What the test wants of a sampler: the fields by their names in the guide; 0 is the default. */
struct smp {
    unsigned clamp_x, clamp_y, clamp_z, max_aniso, compare, unnorm, trunc, no_cube_wrap, mode;
    unsigned min_lod, max_lod; // 4.8; max_lod 0: 15.
    int bias;                  // s6.8
    unsigned mag, min, z, mip, border_ptr, border_type, skip_degamma;
};

static inline void bits(uint32_t *d, unsigned hi, unsigned lo, uint32_t v)
{
    for (unsigned b = lo; b <= hi; b++) {
        d[b / 32] = (d[b / 32] & ~(1u << b % 32)) | (v >> (b - lo) & 1) << b % 32;
    }
}

static inline void img_desc(const struct img *i, uint32_t d[8])
{
    const uint64_t va = FIX_VA + i->at;
    const bool array = i->type >= T_CUBE;
    memset(d, 0, 32);
    d[0] = (uint32_t)(va >> 8);
    bits(d, 39, 32, (uint32_t)(va >> 40));
    bits(d, 51, 48, i->levels == 0 ? 0 : i->levels - 1);
    bits(d, 59, 52, i->format);
    bits(d, 75, 62, i->width - 1);
    bits(d, 91, 78, i->height == 0 ? 0 : i->height - 1);
    bits(d, 107, 96, i->dst_sel == 0 ? XYZW : i->dst_sel);
    bits(d, 111, 108, i->base);
    bits(d, 115, 112, i->last);
    bits(d, 120, 116, i->sw_mode); // Source: Mesa, gfx11-rsrc.json.
    bits(d, 123, 121, i->bc_swizzle);
    bits(d, 127, 124, i->type);
    bits(d, 140, 128, array || i->type == T_3D ? i->depth - 1 : 0);
    bits(d, 156, 144, i->first_slice);
    bits(d, 198, 187, i->min_lod);
}

static inline void img_bind(struct fixture *f, const struct img *i)
{
    img_desc(i, f->w.sgpr);
}

static inline void smp_bind(struct fixture *f, const struct smp *s)
{
    uint32_t *d = f->w.sgpr + 8;
    memset(d, 0, 16);
    bits(d, 2, 0, s->clamp_x);
    bits(d, 5, 3, s->clamp_y);
    bits(d, 8, 6, s->clamp_z);
    bits(d, 11, 9, s->max_aniso);
    bits(d, 14, 12, s->compare);
    bits(d, 15, 15, s->unnorm);
    bits(d, 27, 27, s->trunc);
    bits(d, 28, 28, s->no_cube_wrap);
    bits(d, 30, 29, s->mode);
    bits(d, 31, 31, s->skip_degamma);
    bits(d, 43, 32, s->min_lod);
    bits(d, 55, 44, s->max_lod == 0 ? 15 << 8 : s->max_lod);
    bits(d, 77, 64, (uint32_t)s->bias);
    bits(d, 85, 84, s->mag);
    bits(d, 87, 86, s->min);
    bits(d, 89, 88, s->z);
    bits(d, 91, 90, s->mip);
    bits(d, 125, 114, s->border_ptr); // The guide has 107:96; Mesa, gfx11-rsrc.json, what works.
    bits(d, 127, 126, s->border_type);
}

/** Where a texel of resource level @p level, absolute slice @p z lies in the area. */
static inline uint8_t *img_texel(const struct fixture *f, const struct img *i, unsigned level,
                                 unsigned x, unsigned y, unsigned z)
{
    uint32_t d[8] = {0};
    struct lull_image_desc desc;
    struct lull_tiling t;
    img_desc(i, d);
    lull_image_desc_parse(d, &desc);
    if (lull_tiling_prepare(&desc, level, &t) != LULL_TEX_OK) {
        fprintf(stderr, "no such level\n");
        abort();
    }
    const uint64_t va = lull_tiling_texel_va(&t, x, y, z, 0);
    return fix_at(f, (va & 0xffffffffffffull) - (FIX_VA & 0xffffffffffffull));
}

static inline unsigned img_size(unsigned size, unsigned level)
{
    return size >> level == 0 ? 1 : size >> level;
}

static inline void put_f(struct fixture *f, unsigned reg, unsigned lane, float v)
{
    memcpy(&fix_v(f, reg)[lane], &v, 4);
}

static inline float get_f(struct fixture *f, unsigned reg, unsigned lane)
{
    float v = 0;
    memcpy(&v, &fix_v(f, reg)[lane], 4);
    return v;
}

static inline void fill_reg(struct fixture *f, unsigned reg, uint32_t v)
{
    for (unsigned l = 0; l < f->w.lanes; l++) {
        fix_v(f, reg)[l] = v;
    }
}

/** The first @p n vector registers of a lane. */
static inline void img_set(struct fixture *f, unsigned lane, unsigned n, const uint32_t *v)
{
    for (unsigned i = 0; i < n; i++) {
        fix_v(f, i)[lane] = v[i];
    }
}

#endif
