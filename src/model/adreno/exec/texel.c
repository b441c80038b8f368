// SPDX-License-Identifier: MIT
#include "model/adreno/exec/texel.h"

#include <stdio.h>
#include <string.h>

#include "hw/adreno_pkts.h"

enum {
    DWORDS = 16, ///< Of a descriptor.
    NARROW = 16, ///< Levels with less texels in a row are linear.
    BLOCK = 256, ///< Bytes of a block of TILE6_3; 2 by 4 of them are a macrotile.
    MACROTILE = 8 * BLOCK,
    PAGE = 4096,
    PITCH_ALIGN = 64, ///< Of PITCHALIGN 0.
    FACES = 6,
    UNIT = 16, ///< Bytes of the largest texel.
};

const struct lull_achip *lull_ir3_chip(unsigned gen)
{
    return gen >= 700 ? &lull_achip_a740 : gen >= 650 ? &lull_achip_a660 : &lull_achip_a630;
}

static uint32_t bit(uint32_t v, unsigned n)
{
    return v >> n & 1;
}

/** Which rows of blocks change banks. */
static uint32_t bank_mask(const struct lull_achip *chip, unsigned bytes, uint32_t blocks)
{
    const unsigned first = chip->highest_bank_bit - 10 + (bytes == 1 ? 1 : 0);
    uint32_t mask = 0;
    if (bit(chip->ubwc_swizzle, 1) != 0 && blocks % (1u << first) == 0) {
        mask |= 4;
    }
    if (bit(chip->ubwc_swizzle, 2) != 0 && blocks % (1u << (first + 1)) == 0) {
        mask |= 8;
    }
    if (bit(chip->ubwc_swizzle, 0) != 0 && blocks % (1u << (first + 2)) == 0) {
        mask |= 16;
    }
    return mask;
}

uint64_t lull_tile6_3(const struct lull_achip *chip, unsigned bytes, uint32_t pitch, uint32_t x,
                      uint32_t y)
{
    const uint32_t width = bytes == 1 ? 32 : 64 / bytes, height = bytes == 1 ? 8 : 4;
    const uint32_t X = x / width, Y = y / height, blocks = pitch / (width * bytes);
    const uint32_t inside = (bit(x, 0) | bit(y, 0) << 1 | bit(x, 1) << 2 | bit(y, 1) << 3 |
                             (x >> 2 & 7) << 4 | bit(y, 2) << 7) &
                            (BLOCK / bytes - 1);
    uint32_t block = 7 * bit(X, 0) ^ 6 * bit(Y, 0) ^ 3 * bit(Y, 1) ^ (X >> 1) * 8;
    if (bytes < 16) {
        block ^= 2 * bit(X, 1);
    }
    if (bytes < 16 && chip->macrotile_mode != 0) {
        block ^= 4 * bit(X, 2) ^ 4 * bit(Y, 2);
    }
    const uint32_t bank = (Y & bank_mask(chip, bytes, blocks)) << (chip->highest_bank_bit - 3);
    return ((uint64_t)block * BLOCK ^ bank) + (uint64_t)(Y >> 2) * (blocks / 2) * MACROTILE +
           inside * bytes;
}

static uint32_t minified(uint32_t v, uint32_t level)
{
    return level < 32 && v >> level != 0 ? v >> level : 1;
}

static uint64_t aligned(uint64_t v, uint32_t to)
{
    return (v + to - 1) / to * to;
}

void lull_ir3_image_size(const struct lull_ir3_image *m, uint32_t level, uint32_t ret[3])
{
    ret[0] = minified(m->width, level);
    ret[1] = minified(m->height, level);
    ret[2] = m->type == LULL_A6XX_TEX_3D ? minified(m->depth, level) : m->depth;
    for (unsigned k = 0; m->null && k < 3; k++) {
        ret[k] = 0;
    }
}

static bool level_tiled(const struct lull_ir3_image *m, uint32_t level)
{
    return m->tiled && (m->tile_all || minified(m->width, level) >= NARROW);
}

static uint32_t level_pitch(const struct lull_ir3_image *m, uint32_t level)
{
    return level == 0 ? m->pitch : (uint32_t)aligned(minified(m->pitch, level), m->pitch_align);
}

/** Bytes from a slice, or layer, of a level to the next. */
static uint64_t layer_bytes(const struct lull_ir3_image *m, uint32_t level)
{
    const uint64_t shrunk = m->array_pitch >> 2 * level;
    return m->type != LULL_A6XX_TEX_3D || level == 0 ? m->array_pitch
           : shrunk > m->min_layer                   ? shrunk
                                                     : m->min_layer;
}

/** Blocks of @p of texels that @p texels need. */
static uint32_t blocks(uint32_t texels, unsigned of)
{
    return (texels + of - 1) / of;
}

/** Bytes of a level: of all slices of 3D images, else of a layer. */
static uint64_t level_bytes(const struct lull_ir3_image *m, uint32_t level)
{
    if (m->type == LULL_A6XX_TEX_3D) {
        return layer_bytes(m, level) * minified(m->depth, level);
    }
    const unsigned bytes = m->format->bytes;
    const bool wide = bytes == 1 || (bytes == 2 && m->format->components == 2);
    const bool tiled = level_tiled(m, level);
    const uint64_t rows =
        aligned(blocks(minified(m->height, level), m->format->block_height), !tiled ? 1
                                                                             : wide ? 32
                                                                                    : 16);
    return aligned(rows * level_pitch(m, level), m->ubwc && tiled ? PAGE : 1);
}

uint64_t lull_ir3_texel_at(const struct lull_ir3_image *m, const struct lull_ir3_spot *s)
{
    uint32_t size[3];
    lull_ir3_image_size(m, s->level, size);
    size[2] *= m->type == LULL_A6XX_TEX_CUBE ? FACES : 1;
    if (m->in_tile || s->level >= m->levels || s->x >= size[0] || s->y >= size[1] ||
        s->z >= size[2] || s->sample >= m->samples) {
        return 0;
    }
    uint64_t at = m->base + s->z * layer_bytes(m, s->level);
    for (uint32_t l = 0; l < s->level; l++) {
        at += level_bytes(m, l);
    }
    const uint32_t pitch = level_pitch(m, s->level);
    const unsigned bytes = m->format->bytes, all = bytes * m->samples, in = bytes * s->sample;
    const uint32_t x = s->x / m->format->block_width, y = s->y / m->format->block_height;
    if (!level_tiled(m, s->level)) {
        return at + (uint64_t)y * pitch + (uint64_t)x * all + in;
    }
    // Nobody says where texels of more than a unit are: as several side by side.
    const unsigned unit = all < UNIT ? all : UNIT;
    return at + lull_tile6_3(m->chip, unit, pitch, x * (all / unit) + in / unit, y) + in % unit;
}

const uint8_t *lull_ir3_texel_in_tile(const struct lull_ir3_image *m,
                                      const struct lull_ir3_tile *tile,
                                      const struct lull_ir3_spot *s)
{
    const uint64_t all = (uint64_t)m->format->bytes * m->samples;
    const uint64_t x = s->x - tile->x, y = s->y - tile->y;
    if (s->x < tile->x || s->y < tile->y || s->x >= m->width || s->y >= m->height ||
        s->sample >= m->samples || m->base < m->chip->gmem_base || (x + 1) * all > m->pitch) {
        return NULL;
    }
    const uint64_t at = m->base - m->chip->gmem_base + y * m->pitch + x * all +
                        (uint64_t)m->format->bytes * s->sample;
    return at < tile->size && m->format->bytes <= tile->size - at ? tile->bytes + at : NULL;
}

void lull_ir3_swapped(unsigned swap, bool to_memory, uint32_t rgba[4])
{
    // By the order in memory, the lowest first: the names begin with the highest.
    static const uint8_t orders[4][4] = {
        [LULL_WZYX] = {0, 1, 2, 3},
        [LULL_WXYZ] = {2, 1, 0, 3},
        [LULL_ZYXW] = {3, 0, 1, 2},
        [LULL_XYZW] = {3, 2, 1, 0},
    };
    uint32_t old[4];
    memcpy(old, rgba, sizeof old);
    for (unsigned k = 0; k < 4; k++) {
        rgba[to_memory ? k : orders[swap & 3][k]] = old[to_memory ? orders[swap & 3][k] : k];
    }
}

const struct lull_format_info *lull_ir3_srgb(const struct lull_format_info *f)
{
    char name[32];
    const char *kind = strstr(f->name, "_UNORM");
    if (kind == NULL) {
        return NULL;
    }
    (void)snprintf(name, sizeof name, "%.*s_SRGB", (int)(kind - f->name), f->name);
    return lull_format_by_name(name);
}

static void shape(const struct lull_apkt_args *p, struct lull_ir3_image *m)
{
    m->width = lull_a6xx_tex_const__width(p);
    m->height = lull_a6xx_tex_const__height(p);
    m->depth = lull_a6xx_tex_const__depth(p);
    m->levels = lull_a6xx_tex_const__miplvls(p) + 1;
    if (m->type == LULL_A6XX_TEX_BUFFER) {
        m->width |= m->height << 15;
        m->base += (uint64_t)lull_a6xx_tex_const__startoffsettexels(p) * m->format->bytes;
        m->levels = 1;
    }
    if (m->type == LULL_A6XX_TEX_BUFFER || m->height == 0) {
        m->height = 1;
    }
    if (m->type == LULL_A6XX_TEX_BUFFER || m->depth == 0) {
        m->depth = 1;
    }
}

static bool refused(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                    const struct lull_apkt_args *p, const struct lull_ir3_image *m)
{
    const unsigned tile = lull_a6xx_tex_const__tile_mode(p), f = lull_a6xx_tex_const__fmt(p);
    const bool odd_swap =
        (m->swap == LULL_WXYZ && m->format != NULL && m->format->components < 3) ||
        (m->swap > LULL_WXYZ && m->format != NULL && m->format->components < 4);
    if (m->format == NULL || !lull_format_readable(m->format)) {
        lull_ir3_wrong(w, "lull does not do images of format %u of Adreno%s yet", f,
                       lull_a6xx_tex_const__srgb(p) != 0 ? " with sRGB" : "");
    } else if (m->in_tile && env->tile.bytes == NULL) {
        lull_ir3_wrong(w, "an image in a tile, which only pixels see");
    } else if (tile != LULL_TILE6_LINEAR && !m->in_tile && tile != LULL_TILE6_3) {
        lull_ir3_wrong(w, "lull does not do images in tile mode %u of Adreno yet", tile);
    } else if (m->type > LULL_A6XX_TEX_BUFFER) {
        lull_ir3_wrong(w, "lull does not do images of type %u of Adreno yet", m->type);
    } else if (odd_swap) {
        lull_ir3_wrong(w, "an image of format %u with swap %u", f, m->swap);
    } else {
        return false;
    }
    return true;
}

/** Turnip's null descriptors. */
static bool is_null(const uint32_t *words)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < DWORDS; i++) {
        all |= words[i];
    }
    return all == 0;
}

bool lull_ir3_image_of(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                       const uint32_t *words, struct lull_ir3_image *ret)
{
    const struct lull_apkt_args p = {words, DWORDS, DWORDS, env->program->gen / 100};
    const uint32_t f = lull_a6xx_tex_const__fmt(&p);
    if (is_null(words)) {
        *ret = (struct lull_ir3_image){
            .null = true, .format = lull_format_by_name("8_UNORM"), .levels = 1, .samples = 1};
        return true;
    }
    *ret = (struct lull_ir3_image){
        .chip = lull_ir3_chip(env->program->gen),
        .format = lull_afmt(f),
        .type = lull_a6xx_tex_const__type(&p),
        .tiled = lull_a6xx_tex_const__tile_mode(&p) == LULL_TILE6_3,
        .in_tile = lull_a6xx_tex_const__tile_mode(&p) == LULL_TILE6_2,
        .tile_all = lull_a6xx_tex_const__tile_all(&p) != 0,
        .ubwc = (words[3] >> 28 & 1) != 0, // FLAG, as dwords 7 and 8 are called too.
        .w_first = f == LULL_FMT6_A8_UNORM || f == LULL_FMT6_1_5_5_5_UNORM,
        .swap = (uint8_t)lull_a6xx_tex_const__swap(&p),
        .swizzle = {(uint8_t)lull_a6xx_tex_const__swiz_x(&p),
                    (uint8_t)lull_a6xx_tex_const__swiz_y(&p),
                    (uint8_t)lull_a6xx_tex_const__swiz_z(&p),
                    (uint8_t)lull_a6xx_tex_const__swiz_w(&p)},
        .samples = 1u << lull_a6xx_tex_const__samples(&p),
        .base = lull_a6xx_tex_const__base(&p),
        .array_pitch = lull_a6xx_tex_const__array_pitch(&p),
        .pitch = lull_a6xx_tex_const__pitch(&p),
        .pitch_align = PITCH_ALIGN << lull_a6xx_tex_const__pitchalign(&p),
        .min_layer = lull_a6xx_tex_const__min_layersz(&p),
        .min_lod = lull_a6xx_tex_const__min_lod_clamp(&p),
    };
    if (ret->format != NULL && lull_a6xx_tex_const__srgb(&p) != 0) {
        ret->format = lull_ir3_srgb(ret->format);
    }
    if (refused(w, env, &p, ret)) {
        return false;
    }
    shape(&p, ret);
    return true;
}
