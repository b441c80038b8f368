// SPDX-License-Identifier: MIT
// State loads: what a block of state is, and where it comes from.
#include <inttypes.h>

#include "adreno/cffdump/walk.h"
#include "adreno/stream/load.h"
#include "hw/adreno_pkts.h"

enum { NOISE = 16, NO_TYPE = 3, LAST_BLOCK = 7 };

/** What a descriptor leads to. */
static void target(struct lull_cff *c, enum lull_load_what what, struct lull_cff_words one,
                   unsigned level)
{
    enum { SOME = 64, ADDRESS_HI = 0x1ffff, UBO_SIZE_SHIFT = 17 };
    const unsigned at = what == LULL_LOAD_TEXTURES ? 4 : 0;
    if (!c->o.textures || lull_cff_quiet(c, 3) || one.n < at + 2) {
        return;
    }
    uint64_t address = one.words[at] | (uint64_t)(one.words[at + 1] & ADDRESS_HI) << 32;
    uint32_t n = UINT32_MAX;
    if (what == LULL_LOAD_TEXTURES && c->gen == 4) {
        address = one.words[at] & ~0x1fu;
        n = SOME;
    } else if (what == LULL_LOAD_UBOS) {
        n = 4 * (one.words[1] >> UBO_SIZE_SHIFT);
    }
    lull_cff_hex(c, lull_cff_memory(c, address, n), level);
}

static void descriptors(struct lull_cff *c, enum lull_load_what what, struct lull_cff_words w,
                        uint32_t units, uint32_t apart, unsigned level)
{
    const uint32_t each = lull_load_unit(c->gen, what), zeros = what == LULL_LOAD_SAMPLERS ? 2 : 4;
    const int domain = lull_load_domain(c->gen, what);
    const bool noisy = what == LULL_LOAD_SAMPLERS || what == LULL_LOAD_TEXTURES;
    const bool hidden = domain < 0 && (what == LULL_LOAD_SSBO_ADDRESSES || noisy); // as in Mesa
    for (uint32_t at = 0; at < w.n; at += apart) {
        const struct lull_cff_words one = lull_cff_part(w, at, each);
        uint32_t any = 0;
        for (uint32_t i = 0; i < zeros && i < one.n; i++) {
            any |= one.words[i];
        }
        if (units == NOISE && any == 0 && noisy) {
            break; // a driver that always writes all 16
        }
        if (domain >= 0) {
            lull_cff_domain(c, (unsigned)domain, one, level + 1);
        }
        if (what == LULL_LOAD_TEXTURES && c->gen >= 4) {
            target(c, what, one, level - 2);
        }
        if (!hidden) {
            lull_cff_hex(c, one, level);
        }
        if (what == LULL_LOAD_SSBO_ADDRESSES || what == LULL_LOAD_UBOS) {
            target(c, what, one, level - 2);
        }
    }
}

void lull_cff_descriptors(struct lull_cff *c, bool textures, uint64_t address, uint32_t units,
                          unsigned level)
{
    const enum lull_load_what what = textures ? LULL_LOAD_TEXTURES : LULL_LOAD_SAMPLERS;
    const uint32_t each = lull_load_unit(c->gen, what);
    const uint32_t most = units < UINT32_MAX / each ? units : UINT32_MAX / each;
    descriptors(c, what, lull_cff_memory(c, address, most * each), units, each, level);
}

/** One descriptor of a set, as everything that it may be. */
static void bindless(struct lull_cff *c, struct lull_cff_words w, unsigned i, unsigned level)
{
    const char *tabs = lull_cff_tabs(level + 1);
    lull_cff_say(c, 2, "%sUBO[%u]:\n", tabs, i);
    lull_cff_domain(c, LULL_ADRENO_DOM_A6XX_UBO, lull_cff_part(w, 0, 2), level + 2);
    lull_cff_say(c, 2, "%sSTORAGE/TEXEL/IMAGE[%u]:\n", tabs, i);
    descriptors(c, LULL_LOAD_TEXTURES, w, 1, LULL_LOAD_BINDLESS_DWORDS, level + 1);
    lull_cff_say(c, 2, "%sSAMPLER[%u]:\n", tabs, i);
    descriptors(c, LULL_LOAD_SAMPLERS, w, 1, LULL_LOAD_BINDLESS_DWORDS, level + 1);
}

void lull_cff_bindless(struct lull_cff *c, bool compute, unsigned level)
{
    uint32_t base = 0;
    if (!c->o.bindless) {
        return;
    }
    lull_cff_say(c, 2, "%sdraw[%u] bindless descriptors\n", lull_cff_tabs(level), c->draws);
    const char *name =
        compute ? "SP_CS_BINDLESS_BASE[0].DESCRIPTOR" : "SP_BINDLESS_BASE[0].DESCRIPTOR";
    if (!lull_dom_find(c->index, name, &base)) {
        return;
    }
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, base);
    for (uint32_t i = 0; i < hit.reg->count; i++) {
        // Mesa adds the number of the set twice.
        const uint32_t reg = base + 2 * i * hit.reg->stride;
        lull_cff_say(c, 2, "%sset[%u]:\n", lull_cff_tabs(level + 1), i);
        const uint64_t address = lull_cff_reg(c, reg, true) & ~UINT64_C(3);
        const bool known = lull_cff_was_written(c, reg);
        const struct lull_cff_words w = lull_cff_memory(c, known ? address : 0, UINT32_MAX);
        for (uint32_t j = 0; j < w.n / LULL_LOAD_BINDLESS_DWORDS && lull_cff_work(c, 1); j++) {
            bindless(c, lull_cff_part(w, j * LULL_LOAD_BINDLESS_DWORDS, LULL_LOAD_BINDLESS_DWORDS),
                     j, level);
        }
    }
}

/** What the packet says of itself; no more units than Mesa takes. */
static struct lull_load load_of(const struct lull_cff *c, const struct lull_apkt_args *p)
{
    struct lull_load l = {.units = lull_mesa_cp_load_state__num_unit(p)};
    if (c->gen >= 6) {
        l.block = lull_cp_load_state6__state_block(p);
        l.type = lull_cp_load_state6__state_type(p);
        l.source = lull_cp_load_state6__state_src(p);
    } else if (c->gen >= 4) {
        l.block = lull_cp_load_state4__state_block(p);
        l.type = lull_cp_load_state4__state_type(p);
        l.source = lull_cp_load_state4__state_src(p);
    } else {
        l.block = lull_cp_load_state__state_block(p);
        l.type = lull_cp_load_state__state_type(p);
        l.source = lull_cp_load_state__state_src(p) == 0 ? LULL_LOAD_DIRECT : LULL_LOAD_INDIRECT;
    }
    l.what = lull_load_what(c->gen, l.block, l.type);
    return l;
}

/** Where the state is. */
static struct lull_cff_words contents(const struct lull_cff *c, struct lull_cff_words body,
                                      const struct lull_load *l, uint32_t dwords)
{
    const uint32_t head = c->gen >= 5 ? 3 : 2;
    const struct lull_apkt_args p = lull_cff_args(c, body);
    uint64_t address = 0;
    if (l->source == LULL_LOAD_INDIRECT) {
        address = c->gen >= 4 ? lull_cp_load_state4__ext_src_addr(&p)
                              : lull_cp_load_state__ext_src_addr(&p);
    } else if (l->source == LULL_LOAD_BINDLESS) {
        const bool compute = l->block == 5 || l->block == 0xd || l->block == 0xf;
        uint32_t base = 0; // of others Mesa takes the first registers
        if (c->gen == 6) {
            base = compute ? LULL_A6XX_HLSQ_CS_BINDLESS_BASE_DESCRIPTOR
                           : LULL_A6XX_HLSQ_BINDLESS_BASE_DESCRIPTOR;
        }
        base += (c->gen >= 5 ? 2 : 1) * lull_cp_load_state6_bindless__set(&p);
        address = (lull_cff_reg(c, base, c->gen >= 5) & ~UINT64_C(3)) +
                  lull_cp_load_state6_bindless__offset(&p) * 4ull;
    }
    if (address == 0 && body.nowhere) {
        return lull_cff_part(body, head, dwords);
    }
    // As many units as the packet says, even beyond its end, as Mesa does.
    return lull_cff_memory(c, address != 0 ? address : body.address + head * 4, dwords);
}

static const char *extension(const struct lull_cff *c, unsigned block)
{
    if (c->gen <= 3) {
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
    if (lull_cff_quiet(c, 2) && c->o.script == NULL) {
        return;
    }
    level++;
    const struct lull_apkt_args p = lull_cff_args(c, body);
    struct lull_load l = load_of(c, &p);
    if (c->gen <= 3 && l.type == NO_TYPE && l.block < LAST_BLOCK) {
        // Mesa reads its table of three types to a block beyond the block's end.
        l.what = lull_load_what(c->gen, l.block + 1, 0);
    }
    const uint32_t each = lull_load_unit(c->gen, l.what);
    const bool wide = l.source == LULL_LOAD_BINDLESS && (c->gen >= 6 || l.what == LULL_LOAD_UBOS);
    const uint32_t apart = wide && (l.what == LULL_LOAD_SAMPLERS || l.what == LULL_LOAD_UBOS)
                               ? LULL_LOAD_BINDLESS_DWORDS
                               : each;
    const struct lull_cff_words w = contents(c, body, &l, l.units * apart);
    if (w.words == NULL) {
        return;
    }
    switch (l.what) {
    case LULL_LOAD_SHADER:
        lull_cff_shader(c, w, level, true);
        lull_cff_shader_file(c, w, extension(c, l.block));
        break;
    case LULL_LOAD_CONSTANTS:
        lull_cff_floats(c, 2, w, level);
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
