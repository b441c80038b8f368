// SPDX-License-Identifier: MIT
// State loads: what a block of state is, and where it comes from.
#include <inttypes.h>

#include "forensics/walk.h"

enum { DIRECT = 0, BINDLESS = 1, INDIRECT = 2, BINDLESS_DWORDS = 16, NOISE = 16 };
enum state {
    NOTHING,
    SHADER,
    CONSTANTS,
    SAMPLERS,
    TEXTURES,
    UBOS,
    IBOS,
    SSBO_SIZES,
    SSBO_ADDRESSES,
    PAIRS, ///< Nobody knows what.
    STATES,
};

static enum state kind(unsigned block, unsigned type)
{
    static const enum state texture[] = {SAMPLERS, TEXTURES, UBOS, NOTHING};
    static const enum state shader[] = {SHADER, CONSTANTS, UBOS, NOTHING};
    static const enum state ssbo[] = {IBOS, SSBO_SIZES, SSBO_ADDRESSES, NOTHING};
    if (block <= 5) {
        return texture[type];
    }
    if (block == 6 || block == 7) {
        return block == 6 && type == 2 ? UBOS : block == 7 && type == 1 ? PAIRS : NOTHING;
    }
    if (block <= 0xd) {
        return block == 0xd && type == 3 ? IBOS : shader[type];
    }
    return ssbo[type];
}

/** The same of a3xx, whose blocks are others. */
static enum state kind_a3xx(unsigned block, unsigned type)
{
    static const enum state texture[] = {SAMPLERS, TEXTURES, NOTHING, NOTHING};
    static const enum state shader[] = {SHADER, CONSTANTS, NOTHING, NOTHING};
    return block == 0 || block == 2   ? texture[type]
           : block == 4 || block == 6 ? shader[type]
                                      : NOTHING;
}

/** Dwords of a unit. */
static uint32_t unit(unsigned gen, enum state what)
{
    enum { A3, A4, A5, A6, GENS };
    static const uint8_t dwords[STATES][GENS] = {
        [NOTHING] = {1, 1, 1, 1},  [SHADER] = {8, 32, 32, 32},  [CONSTANTS] = {2, 4, 4, 4},
        [SAMPLERS] = {2, 2, 4, 4}, [TEXTURES] = {4, 8, 12, 16}, [UBOS] = {2, 2, 2, 2},
        [IBOS] = {4, 4, 4, 16},    [SSBO_SIZES] = {2, 2, 2, 2}, [SSBO_ADDRESSES] = {2, 2, 2, 2},
        [PAIRS] = {2, 2, 2, 2},
    };
    return dwords[what][gen <= 3 ? A3 : gen == 4 ? A4 : gen == 5 ? A5 : A6];
}

/** The domain of a unit; -1: it has none. */
static int domain_of(unsigned gen, enum state what)
{
    static const int16_t domains[STATES][8] = {
        [SAMPLERS] = {[3] = LULL_ADRENO_DOM_A3XX_TEX_SAMP,
                      LULL_ADRENO_DOM_A4XX_TEX_SAMP,
                      LULL_ADRENO_DOM_A5XX_TEX_SAMP,
                      LULL_ADRENO_DOM_A6XX_TEX_SAMP,
                      LULL_ADRENO_DOM_A6XX_TEX_SAMP},
        [TEXTURES] = {[3] = LULL_ADRENO_DOM_A3XX_TEX_CONST,
                      LULL_ADRENO_DOM_A4XX_TEX_CONST,
                      LULL_ADRENO_DOM_A5XX_TEX_CONST,
                      LULL_ADRENO_DOM_A6XX_TEX_CONST,
                      LULL_ADRENO_DOM_A6XX_TEX_CONST},
        [UBOS] = {[5] = LULL_ADRENO_DOM_A5XX_UBO,
                  LULL_ADRENO_DOM_A6XX_UBO,
                  LULL_ADRENO_DOM_A6XX_UBO},
        [IBOS] = {[4] = LULL_ADRENO_DOM_A4XX_SSBO_0,
                  LULL_ADRENO_DOM_A5XX_SSBO_0,
                  LULL_ADRENO_DOM_A6XX_TEX_CONST,
                  LULL_ADRENO_DOM_A6XX_TEX_CONST},
        [SSBO_SIZES] = {[4] = LULL_ADRENO_DOM_A4XX_SSBO_1, LULL_ADRENO_DOM_A5XX_SSBO_1},
        [SSBO_ADDRESSES] = {[5] = LULL_ADRENO_DOM_A5XX_SSBO_2},
    };
    return domains[what][gen] != 0 ? domains[what][gen] : -1;
}

static void descriptors(struct lull_cff *c, enum state what, struct lull_cff_words w,
                        uint32_t units, uint32_t apart, unsigned level)
{
    const uint32_t each = unit(c->gen, what), zeros = what == SAMPLERS ? 2 : 4;
    const int domain = domain_of(c->gen, what);
    if (what == SSBO_ADDRESSES && domain < 0) {
        return; // as in Mesa
    }
    for (uint32_t at = 0; at < w.n; at += apart) {
        const struct lull_cff_words one = lull_cff_part(w, at, each);
        uint32_t any = 0;
        for (uint32_t i = 0; i < zeros && i < one.n; i++) {
            any |= one.words[i];
        }
        if (units == NOISE && any == 0 && (what == SAMPLERS || what == TEXTURES)) {
            break; // a driver that always writes all 16
        }
        if (domain >= 0) {
            lull_cff_domain(c, (unsigned)domain, one, level + 1);
        }
        lull_cff_hex(c, one, level);
    }
}

void lull_cff_descriptors(struct lull_cff *c, bool textures, uint64_t address, uint32_t units,
                          unsigned level)
{
    const enum state what = textures ? TEXTURES : SAMPLERS;
    const uint32_t each = unit(c->gen, what);
    units = units < NOISE * NOISE ? units : NOISE * NOISE;
    descriptors(c, what, lull_cff_memory(c, address, units * each), units, each, level);
}

/** What a load says of itself. */
struct load {
    unsigned block, source, type;
    uint32_t units;
    enum state what;
};

static struct load header(const struct lull_cff *c, struct lull_cff_words body)
{
    const uint32_t head = body.words[0];
    struct load l = {.units = head >> 22 & 0x1ff, .block = head >> 18 & 15};
    l.source = head >> 16 & 3;
    l.type = c->gen >= 6 ? head >> 14 & 3 : body.words[1] & 3;
    if (c->gen == 3) {
        l.block = head >> 19 & 7;
        l.source = (head >> 16 & 7) == 0 ? DIRECT : INDIRECT;
    }
    l.what = c->gen == 3 ? kind_a3xx(l.block, l.type) : kind(l.block, l.type);
    return l;
}

/** Where the state is. */
static struct lull_cff_words contents(const struct lull_cff *c, struct lull_cff_words body,
                                      const struct load *l, uint32_t dwords)
{
    const uint32_t head = c->gen >= 5 ? 3 : 2;
    uint64_t address = 0;
    if (l->source == INDIRECT) {
        address = (body.words[1] & ~3u) | (c->gen >= 5 ? (uint64_t)body.words[2] << 32 : 0);
    } else if (l->source == BINDLESS && c->gen >= 6) {
        const bool compute = l->block == 5 || l->block == 0xd || l->block == 0xf;
        const uint32_t base = (compute ? LULL_A6XX_HLSQ_CS_BINDLESS_BASE_DESCRIPTOR
                                       : LULL_A6XX_HLSQ_BINDLESS_BASE_DESCRIPTOR) +
                              2 * (body.words[1] >> 28);
        address = (lull_cff_reg(c, base, true) & ~UINT64_C(3)) + (body.words[1] & 0xffffff) * 4ull;
    }
    if (address == 0 && body.nowhere) {
        return lull_cff_part(body, head, dwords);
    }
    // As many units as the packet says, even beyond its end, as Mesa does.
    return lull_cff_memory(c, address != 0 ? address : body.address + head * 4, dwords);
}

static const char *extension(const struct lull_cff *c, unsigned block)
{
    if (c->gen == 3) {
        return block == 4 ? "vo3" : "fo3";
    }
    return block == 8     ? "vo3"
           : block == 0xb ? "go3"
           : block == 0xc ? "fo3"
           : block == 0xd ? "co3"
                          : NULL;
}

void lull_cff_load_state(struct lull_cff *c, struct lull_cff_words body, unsigned level)
{
    if (lull_cff_quiet(c, 2) || body.n < (c->gen >= 5 ? 3u : 2u)) {
        return;
    }
    const struct load l = header(c, body);
    const uint32_t each = unit(c->gen, l.what);
    const bool bindless = l.source == BINDLESS && c->gen >= 6;
    const uint32_t apart =
        bindless && (l.what == SAMPLERS || l.what == UBOS) ? BINDLESS_DWORDS : each;
    const struct lull_cff_words w = contents(c, body, &l, l.units * apart);
    if (w.n == 0) {
        return;
    }
    switch (l.what) {
    case SHADER:
        lull_cff_shader(c, w, level, true);
        lull_cff_shader_file(c, w, extension(c, l.block));
        break;
    case CONSTANTS:
        lull_cff_floats(c, w, level);
        lull_cff_hex(c, w, level);
        break;
    case NOTHING:
    case PAIRS:
        lull_cff_hex(c, w, level);
        break;
    case SAMPLERS:
    case TEXTURES:
    case UBOS:
    case IBOS:
    case SSBO_SIZES:
    case SSBO_ADDRESSES:
    case STATES:
        descriptors(c, l.what, w, l.units, apart, level);
        break;
    }
}
