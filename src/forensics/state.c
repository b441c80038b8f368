// SPDX-License-Identifier: MIT
// State loads of a6xx and a7xx: what a block of state is, and where it comes from.
#include <inttypes.h>

#include "forensics/walk.h"

enum { DIRECT = 0, BINDLESS = 1, INDIRECT = 2, HEADER = 3, BINDLESS_DWORDS = 16 };
enum state { SHADER, CONSTANTS, SAMPLERS, TEXTURES, UBOS, IBOS, SSBO_SIZES, NOTHING };

static enum state kind(unsigned block, unsigned type)
{
    static const enum state texture[] = {SAMPLERS, TEXTURES, UBOS, NOTHING};
    static const enum state shader[] = {SHADER, CONSTANTS, UBOS, NOTHING};
    if (block <= 5) {
        return texture[type];
    }
    if (block >= 8 && block <= 0xd) {
        return block == 0xd && type == 3 ? IBOS : shader[type];
    }
    static const enum state ssbo[] = {IBOS, SSBO_SIZES, NOTHING, NOTHING};
    return block == 0xe || block == 0xf ? ssbo[type] : NOTHING;
}

static void descriptors(struct lull_cff *c, unsigned domain, struct lull_cff_words w, uint32_t each,
                        uint32_t apart, unsigned level)
{
    for (uint32_t at = 0; at < w.n; at += apart) {
        const struct lull_cff_words one = lull_cff_part(w, at, each);
        lull_cff_domain(c, domain, one, level + 1);
        lull_cff_hex(c, one, level);
    }
}

/** State loads of a3xx, a4xx and a5xx. */
static void old_load_state(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    const uint32_t header = c->gen >= 5 ? 3 : 2;
    if (body.n < header) {
        return;
    }
    const uint32_t head = body.words[0];
    const unsigned block = c->gen == 3 ? head >> 19 & 7 : head >> 18 & 15;
    const unsigned source = c->gen == 3 ? head >> 16 & 7 : head >> 16 & 3;
    const unsigned type = body.words[1] & 3;
    const uint32_t units = head >> 22 & 0x1ff;
    const bool shader = c->gen == 3 ? block == 4 || block == 6 : block >= 8 && block <= 0xd;
    const uint32_t each = type == 0 ? (c->gen == 3 ? 8 : 32) : c->gen == 3 ? 2 : 4;
    const uint64_t address =
        (body.words[1] & ~3u) | (c->gen >= 5 ? (uint64_t)body.words[2] << 32 : 0);
    const bool direct = source == 0;
    struct lull_cff_words w =
        lull_cff_memory(c, direct ? body.address + header * 4 : address, units * each);
    if (!shader || w.n == 0) {
        return;
    }
    if (type == 0) {
        lull_cff_shader(c, w, level, true);
    } else if (type == 1) {
        lull_cff_floats(c, w, level);
        lull_cff_hex(c, w, level);
    }
}

void lull_cff_load_state(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    if (c->gen < 6) {
        old_load_state(c, body, level);
        return;
    }
    if (body.n < HEADER) {
        return;
    }
    const uint32_t head = body.words[0];
    const unsigned block = head >> 18 & 15, source = head >> 16 & 3, type = head >> 14 & 3;
    const uint32_t units = head >> 22 & 0x1ff;
    const enum state what = kind(block, type);
    static const uint32_t dwords[] = {
        [SHADER] = 32, [CONSTANTS] = 4, [SAMPLERS] = 4,   [TEXTURES] = 16,
        [UBOS] = 2,    [IBOS] = 16,     [SSBO_SIZES] = 2, [NOTHING] = 0};
    const uint64_t address = (body.words[1] & ~3u) | (uint64_t)body.words[2] << 32;
    const bool bindless = source == BINDLESS;
    const uint32_t apart = bindless ? BINDLESS_DWORDS : dwords[what];
    struct lull_cff_words w = {0};
    if (source == DIRECT) {
        // As many units as the packet says, even beyond its end, as Mesa does.
        w = lull_cff_memory(c, body.address + HEADER * 4, units * dwords[what]);
    } else if (source == BINDLESS) {
        const bool compute = block == 5 || block == 0xd || block == 0xf;
        const uint32_t base = (compute ? LULL_A6XX_HLSQ_CS_BINDLESS_BASE_DESCRIPTOR
                                       : LULL_A6XX_HLSQ_BINDLESS_BASE_DESCRIPTOR) +
                              2 * (body.words[1] >> 28);
        w = lull_cff_memory(
            c, (lull_cff_reg(c, base, true) & ~UINT64_C(3)) + (body.words[1] & 0xffffff) * 4ull,
            units * BINDLESS_DWORDS);
    } else if (source == INDIRECT) {
        w = lull_cff_memory(c, address, units * dwords[what]);
    }
    if (w.n == 0) {
        return;
    }
    switch (what) {
    case SHADER:
        lull_cff_shader(c, w, level, true);
        break;
    case CONSTANTS:
        w = lull_cff_part(w, 0, units * 4);
        lull_cff_floats(c, w, level);
        lull_cff_hex(c, w, level);
        break;
    case SAMPLERS:
        descriptors(c, LULL_ADRENO_DOM_A6XX_TEX_SAMP, w, 4, apart, level);
        break;
    case TEXTURES:
    case IBOS:
        descriptors(c, LULL_ADRENO_DOM_A6XX_TEX_CONST, w, 16, apart, level);
        break;
    case UBOS:
        descriptors(c, LULL_ADRENO_DOM_A6XX_UBO, w, 2, apart, level);
        break;
    case SSBO_SIZES:
        for (uint32_t at = 0; at < w.n; at += 2) {
            lull_cff_hex(c, lull_cff_part(w, at, 2), level);
        }
        break;
    case NOTHING:
        break;
    }
}
