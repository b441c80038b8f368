// SPDX-License-Identifier: MIT
// State loads: what a block of state is, and where it comes from.
#include <inttypes.h>

#include "forensics/load.h"
#include "forensics/walk.h"

enum { NOISE = 16 };

static void descriptors(struct lull_cff *c, enum lull_load_what what, struct lull_cff_words w,
                        uint32_t units, uint32_t apart, unsigned level)
{
    const uint32_t each = lull_load_unit(c->gen, what), zeros = what == LULL_LOAD_SAMPLERS ? 2 : 4;
    const int domain = lull_load_domain(c->gen, what);
    if (what == LULL_LOAD_SSBO_ADDRESSES && domain < 0) {
        return; // as in Mesa
    }
    for (uint32_t at = 0; at < w.n; at += apart) {
        const struct lull_cff_words one = lull_cff_part(w, at, each);
        uint32_t any = 0;
        for (uint32_t i = 0; i < zeros && i < one.n; i++) {
            any |= one.words[i];
        }
        if (units == NOISE && any == 0 &&
            (what == LULL_LOAD_SAMPLERS || what == LULL_LOAD_TEXTURES)) {
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
    const enum lull_load_what what = textures ? LULL_LOAD_TEXTURES : LULL_LOAD_SAMPLERS;
    const uint32_t each = lull_load_unit(c->gen, what);
    units = units < NOISE * NOISE ? units : NOISE * NOISE;
    descriptors(c, what, lull_cff_memory(c, address, units * each), units, each, level);
}

/** Where the state is. */
static struct lull_cff_words contents(const struct lull_cff *c, struct lull_cff_words body,
                                      const struct lull_load *l, uint32_t dwords)
{
    const uint32_t head = c->gen >= 5 ? 3 : 2;
    uint64_t address = 0;
    if (l->source == LULL_LOAD_INDIRECT) {
        address = (body.words[1] & ~3u) | (c->gen >= 5 ? (uint64_t)body.words[2] << 32 : 0);
    } else if (l->source == LULL_LOAD_BINDLESS && c->gen >= 6) {
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
    const struct lull_load l = lull_load_of(c->gen, body.words);
    const uint32_t each = lull_load_unit(c->gen, l.what);
    const bool bindless = l.source == LULL_LOAD_BINDLESS && c->gen >= 6;
    const uint32_t apart = bindless && (l.what == LULL_LOAD_SAMPLERS || l.what == LULL_LOAD_UBOS)
                               ? LULL_LOAD_BINDLESS_DWORDS
                               : each;
    const struct lull_cff_words w = contents(c, body, &l, l.units * apart);
    if (w.n == 0) {
        return;
    }
    switch (l.what) {
    case LULL_LOAD_SHADER:
        lull_cff_shader(c, w, level, true);
        lull_cff_shader_file(c, w, extension(c, l.block));
        break;
    case LULL_LOAD_CONSTANTS:
        lull_cff_floats(c, w, level);
        lull_cff_hex(c, w, level);
        break;
    case LULL_LOAD_NOTHING:
    case LULL_LOAD_PAIRS:
        lull_cff_hex(c, w, level);
        break;
    case LULL_LOAD_SAMPLERS:
    case LULL_LOAD_TEXTURES:
    case LULL_LOAD_UBOS:
    case LULL_LOAD_IBOS:
    case LULL_LOAD_SSBO_SIZES:
    case LULL_LOAD_SSBO_ADDRESSES:
    case LULL_LOAD_STATES:
        descriptors(c, l.what, w, l.units, apart, level);
        break;
    }
}
