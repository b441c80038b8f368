// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "forensics/walk.h"

enum { SHADER_DUMP = 64, FIRST_COUNTER = 4, FIRST_BANKED = 0x2000, LAST_BANKED = 0x2400 };

static bool get_bit(const uint8_t *bits, uint32_t n)
{
    return bits[n / 8] >> n % 8 & 1;
}

static void set_bit(uint8_t *bits, uint32_t n)
{
    bits[n / 8] |= (uint8_t)(1u << n % 8);
}

const char *lull_cff_enum(struct lull_cff *c, unsigned which, uint64_t value)
{
    return lull_dom_enum_name(&lull_dom_adreno, &c->dom, which, value);
}

uint64_t lull_cff_reg(const struct lull_cff *c, uint32_t reg, bool wide)
{
    return c->vals[reg % LULL_CFF_REGS] |
           (wide ? (uint64_t)c->vals[(reg + 1) % LULL_CFF_REGS] << 32 : 0);
}

void lull_cff_reg_name(const struct lull_dom_hit *hit, uint32_t reg, struct lull_str *out)
{
    if (hit->reg == NULL) {
        lull_str_addf(out, "%#x", reg);
        return;
    }
    lull_dom_name(hit, out);
    if (hit->reg->kind == LULL_DOM_NONE && hit->reg->count != 0 && hit->dword == 0) {
        lull_str_addf(out, "+0");
    }
}

static bool is_address(const struct lull_dom_reg *r)
{
    return r->kind == LULL_DOM_ADDRESS || r->kind == LULL_DOM_WADDRESS;
}

void lull_cff_show(struct lull_cff *c, const struct lull_dom_hit *hit, uint32_t reg, uint64_t value,
                   unsigned level, int quiet)
{
    struct lull_str s = {0};
    lull_cff_reg_name(hit, reg, &s);
    lull_str_add(&s, ": ", 2);
    if (hit->reg != NULL) {
        lull_dom_show(&lull_dom_adreno, &c->dom, hit->reg, value, &s);
    } else {
        lull_str_addf(&s, "%08" PRIx64, value);
    }
    lull_cff_say(c, quiet, "%s%s", lull_cff_tabs(level), lull_str_text(&s));
    const struct lull_cff_bo *bo =
        hit->reg != NULL && is_address(hit->reg) ? lull_cff_bo_at(c, value) : NULL;
    if (bo != NULL && bo->data != NULL) {
        lull_cff_say(c, quiet, "\t\tbase=%" PRIx64 ", offset=%" PRIu64 ", size=%" PRIu64,
                     bo->address, value - bo->address, bo->size);
    }
    lull_cff_say(c, quiet, "\n");
    lull_str_free(&s);
}

/** Registers that shaders start at. */
static bool is_shader(const struct lull_cff *c, uint32_t reg)
{
    switch (c->gen) {
    case 6:
    case 7:
        return reg == LULL_A6XX_SP_VS_OBJ_START || reg == LULL_A6XX_SP_HS_OBJ_START ||
               reg == LULL_A6XX_SP_DS_OBJ_START || reg == LULL_A6XX_SP_GS_OBJ_START ||
               reg == LULL_A6XX_SP_FS_OBJ_START || reg == LULL_A6XX_SP_CS_OBJ_START;
    default:
        return false;
    }
}

/** The first of the scratch registers that drivers keep counters in; 0: none. */
static uint32_t scratch(const struct lull_cff *c)
{
    switch (c->gen) {
    case 2:
    case 3:
        return LULL_AXXX_CP_SCRATCH_REG0;
    case 4:
        return LULL_A4XX_CP_SCRATCH_REG;
    case 5:
        return LULL_A5XX_CP_SCRATCH_REG;
    case 6:
    case 7:
        return LULL_A6XX_CP_SCRATCH_REG;
    default:
        return 0;
    }
}

static void special(struct lull_cff *c, uint32_t reg, uint64_t value, unsigned level)
{
    const uint32_t base = scratch(c);
    if (base != 0 && reg >= base + FIRST_COUNTER && reg < base + FIRST_COUNTER + 4) {
        const uint32_t *v = &c->vals[base + FIRST_COUNTER];
        lull_cff_say(c, 1, "%s:%u,%u,%u,%u\n", lull_cff_tabs(level), v[0], v[1], v[2], v[3]);
    }
    if (is_shader(c, reg)) {
        const struct lull_cff_words w = lull_cff_memory(c, value, UINT32_MAX);
        if (w.n > 0) {
            lull_cff_hex(c, lull_cff_part(w, 0, SHADER_DUMP), level + 1);
            lull_cff_shader(c, w, level + 1, true);
        }
    }
}

void lull_cff_reset(struct lull_cff *c)
{
    memset(c->vals, 0, sizeof c->vals);
    memset(c->lastvals, 0, sizeof c->lastvals);
    memset(c->written, 0, sizeof c->written);
    memset(c->rewritten, 0, sizeof c->rewritten);
}

void lull_cff_set(struct lull_cff *c, uint32_t reg, uint32_t value)
{
    c->vals[reg] = value;
    set_bit(c->written, reg);
    set_bit(c->rewritten, reg);
}

/** A draw may still use the register, and it is none of those that there are several copies of. */
static void check_idle(struct lull_cff *c, uint32_t reg)
{
    if (c->needs_wfi && (reg < FIRST_BANKED || reg >= LAST_BANKED)) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
        struct lull_str name = {0};
        lull_cff_reg_name(&hit, reg, &name);
        lull_cff_say(c, 2, "NEEDS WFI: %s (%x)\n", lull_str_text(&name), reg);
        lull_str_free(&name);
    }
}

void lull_cff_write(struct lull_cff *c, uint32_t reg, const uint32_t *values, uint32_t n,
                    unsigned level)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_CFF_REGS;
        lull_cff_set(c, at, values[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_CFF_REGS;
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, at);
        uint64_t value = values[i];
        check_idle(c, at);
        if (hit.reg != NULL && hit.reg->width == 64) {
            if (hit.dword != 0 && is_address(hit.reg)) {
                struct lull_str name = {0};
                lull_cff_reg_name(&hit, at, &name);
                lull_cff_say(c, 2, "WARNING: 64b discontinuity (no _LO dword for %x)\n", at);
                lull_cff_say(c, 3, "%s%s: %#" PRIx64 "\n", lull_cff_tabs(level),
                             lull_str_text(&name), value);
                lull_str_free(&name);
            }
            if (hit.dword != 0 || i + 1 == n) {
                continue; // half of a value tells nothing
            }
            value |= (uint64_t)values[++i] << 32;
        }
        lull_cff_show(c, &hit, at, value, level, 3);
        special(c, at, value, level);
    }
}

void lull_cff_summary(struct lull_cff *c, unsigned level)
{
    lull_cff_say(c, 2, "%sdraw[%u] register values\n", lull_cff_tabs(level), c->draws++);
    const uint32_t end = c->gen >= 5 ? LULL_CFF_REGS - 1 : 0x7fff;
    for (uint32_t at = 0; at < end; at++) {
        if ((at & 7) == 0 && (c->o.all_registers ? c->written : c->rewritten)[at / 8] == 0) {
            at += 7;
            continue;
        }
        const bool rewritten = get_bit(c->rewritten, at);
        if (!get_bit(c->o.all_registers ? c->written : c->rewritten, at)) {
            continue;
        }
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, at);
        const bool wide = hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0;
        bool changed = c->vals[at] != c->lastvals[at];
        uint64_t value = c->vals[at];
        if (wide) {
            changed |= c->vals[at + 1] != c->lastvals[at + 1];
            value = lull_cff_reg(c, at, true);
        }
        lull_cff_say(c, 2, "%c%c\t%08" PRIx64, changed ? '!' : ' ', rewritten ? '+' : ' ', value);
        lull_cff_show(c, &hit, at, value, level, 2);
        special(c, at, value, level);
        at += wide;
    }
    memcpy(c->lastvals, c->vals, sizeof c->vals);
    memset(c->rewritten, 0, sizeof c->rewritten);
}
