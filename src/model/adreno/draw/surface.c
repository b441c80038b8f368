// SPDX-License-Identifier: MIT
#include "model/adreno/draw/surface.h"

#include <string.h>

#include "hw/adreno_pkts.h"
#include "model/adreno/exec/texel.h"

enum {
    RGBA = 4,
    ALPHA = 3,
    MOST_SAMPLES_LOG2 = 2,
    UNIT = 16, ///< Bytes of the largest texel that tiles know.
};

/** Which of R G B A stands where in memory. False: the format has no such order. */
static bool order(const struct lull_asurface_is *is, struct lull_asurface *ret)
{
    const unsigned n = ret->format->components;
    uint32_t names[RGBA] = {0, 1, 2, ALPHA};
    if ((is->swap == LULL_WXYZ && n < 3) || (is->swap > LULL_WXYZ && n < RGBA)) {
        return false;
    }
    lull_ir3_swapped(is->swap, true, names);
    for (unsigned k = 0; k < RGBA; k++) {
        ret->from[k] = (uint8_t)names[k];
    }
    if (is->format == LULL_FMT6_A8_UNORM) {
        ret->from[0] = ALPHA;
    }
    return true;
}

struct lull_error *lull_asurface_open(const struct lull_achip *chip,
                                      const struct lull_asurface_is *is, struct lull_asurface *ret)
{
    const struct lull_format_info *f = lull_afmt(is->format);
    f = f != NULL && is->srgb ? lull_ir3_srgb(f) : f;
    if (f == NULL || !lull_format_writable(f)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s of format %u%s", is->name, is->format,
                              is->srgb ? " with sRGB" : "");
    }
    if (is->tile != LULL_TILE6_LINEAR && is->tile != LULL_TILE6_3) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s in tile mode %u", is->name, is->tile);
    }
    if (is->tile == LULL_TILE6_3 && (f->bytes & (f->bytes - 1)) != 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s with tiled texels of %u bytes", is->name,
                              f->bytes);
    }
    if (is->samples > MOST_SAMPLES_LOG2) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s with %u samples", is->name,
                              1u << is->samples);
    }
    struct lull_asurface s = *ret;
    s.chip = chip;
    s.format = f;
    s.bytes = f->bytes;
    s.samples = (uint8_t)(1u << is->samples);
    s.tiled = is->tile == LULL_TILE6_3;
    if (!order(is, &s)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s of format %u with swap %u", is->name,
                              is->format, is->swap);
    }
    *ret = s;
    return NULL;
}

uint64_t lull_asurface_at(const struct lull_asurface *s, uint32_t x, uint32_t y, uint32_t layer,
                          unsigned sample)
{
    const uint32_t pixel = (uint32_t)s->bytes * s->samples, in = s->bytes * sample;
    const uint64_t base = s->base + layer * s->layer_bytes;
    if (!s->tiled) {
        return base + (uint64_t)y * s->pitch + (uint64_t)x * pixel + in;
    }
    if (pixel <= UNIT) {
        return base + lull_tile6_3(s->chip, pixel, s->pitch, x, y) + in;
    }
    // Nobody says where such texels are, and nobody can see it: as several side by side.
    return base + lull_tile6_3(s->chip, UNIT, s->pitch, x * (pixel / UNIT) + in / UNIT, y) +
           in % UNIT;
}

/** @p n bytes at @p at, in the largest pieces that are surely in one place. */
static bool move(const struct lull_asurface *s, const struct lull_ir3_memory *m, uint64_t at,
                 uint8_t *bytes, bool write)
{
    const unsigned n = s->bytes;
    if (s->gmem != NULL) {
        const bool there = at < s->gmem->size && n <= s->gmem->size - at;
        if (there) {
            memcpy(write ? s->gmem->bytes + at : bytes, write ? bytes : s->gmem->bytes + at, n);
        }
        return there;
    }
    const unsigned step = at % 4 == 0 && n % 4 == 0 ? 4 : at % 2 == 0 && n % 2 == 0 ? 2 : 1;
    for (unsigned i = 0; i < n; i += step) {
        uint8_t *p = m->at(m->ctx, at + i, step, write);
        if (p == NULL) {
            return false;
        }
        memcpy(write ? p : bytes + i, write ? bytes + i : p, step);
    }
    return true;
}

bool lull_asurface_load(const struct lull_asurface *s, const struct lull_ir3_memory *m, uint64_t at,
                        uint8_t texel[LULL_ASURFACE_TEXEL])
{
    memset(texel, 0, LULL_ASURFACE_TEXEL);
    return move(s, m, at, texel, false);
}

bool lull_asurface_store(const struct lull_asurface *s, const struct lull_ir3_memory *m,
                         uint64_t at, const uint8_t texel[LULL_ASURFACE_TEXEL])
{
    uint8_t bytes[LULL_ASURFACE_TEXEL];
    memcpy(bytes, texel, sizeof bytes);
    return move(s, m, at, bytes, true);
}

bool lull_asurface_keep(const struct lull_asurface *s, unsigned mask,
                        uint32_t ret[LULL_ASURFACE_WORDS])
{
    bool any = false;
    memset(ret, 0, LULL_ASURFACE_WORDS * sizeof *ret);
    for (unsigned i = 0; i < s->format->components; i++) {
        const struct lull_format_component *c = &s->format->component[i];
        if ((mask >> s->from[i] & 1) == 0) {
            const uint32_t bits = c->bits >= 32 ? UINT32_MAX : (1u << c->bits) - 1;
            ret[c->lo / 32] |= bits << c->lo % 32;
            any = true;
        }
    }
    return any;
}

bool lull_asurface_store_but(const struct lull_asurface *s, const struct lull_ir3_memory *m,
                             uint64_t at, const uint32_t keep[LULL_ASURFACE_WORDS],
                             const uint8_t texel[LULL_ASURFACE_TEXEL])
{
    uint32_t now[LULL_ASURFACE_WORDS], was[LULL_ASURFACE_WORDS];
    uint8_t bytes[LULL_ASURFACE_TEXEL];
    if ((keep[0] | keep[1] | keep[2] | keep[3]) == 0) {
        return lull_asurface_store(s, m, at, texel);
    }
    if (!lull_asurface_load(s, m, at, bytes)) {
        return false;
    }
    memcpy(was, bytes, sizeof was);
    memcpy(now, texel, sizeof now);
    for (unsigned i = 0; i < LULL_ASURFACE_WORDS; i++) {
        now[i] = (now[i] & ~keep[i]) | (was[i] & keep[i]);
    }
    memcpy(bytes, now, sizeof bytes);
    return lull_asurface_store(s, m, at, bytes);
}

void lull_asurface_unpack(const struct lull_asurface *s, const uint8_t texel[LULL_ASURFACE_TEXEL],
                          uint32_t rgba[4])
{
    uint32_t memory[RGBA] = {0};
    lull_format_unpack(s->format, texel, memory);
    rgba[0] = rgba[1] = rgba[2] = 0;
    rgba[ALPHA] = lull_format_one(s->format);
    for (unsigned k = 0; k < s->format->components; k++) {
        rgba[s->from[k]] = memory[k];
    }
}

void lull_asurface_pack(const struct lull_asurface *s, const uint32_t rgba[4],
                        uint8_t texel[LULL_ASURFACE_TEXEL])
{
    uint32_t memory[RGBA] = {0};
    for (unsigned k = 0; k < s->format->components; k++) {
        memory[k] = rgba[s->from[k]];
    }
    memset(texel, 0, LULL_ASURFACE_TEXEL);
    lull_format_pack(s->format, memory, texel);
}
