// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "adreno/cffdump/walk.h"

enum { FIRST_BANKED = 0x2000, LAST_BANKED = 0x2400 };

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

bool lull_cff_was_written(const struct lull_cff *c, uint32_t reg)
{
    return get_bit(c->written, reg % LULL_CFF_REGS);
}

uint64_t lull_cff_reg(const struct lull_cff *c, uint32_t reg, bool wide)
{
    return c->vals[reg % LULL_CFF_REGS] |
           (wide ? (uint64_t)c->vals[(reg + 1) % LULL_CFF_REGS] << 32 : 0);
}

static void color(const char *const *colors, enum lull_dom_color which, struct lull_str *out)
{
    if (colors != NULL) {
        lull_str_put(out, colors[which], strlen(colors[which]));
    }
}

void lull_cff_name(const char *const *colors, const struct lull_dom_hit *hit, uint32_t reg,
                   struct lull_str *out)
{
    const bool empty = hit->reg != NULL && hit->reg->kind == LULL_DOM_NONE &&
                       hit->reg->count != 0 && hit->dword == 0;
    if (hit->reg != NULL) {
        lull_dom_name_in(colors, hit, out);
    }
    if (hit->reg != NULL && !empty) {
        return;
    }
    lull_str_put(out, "+", empty);
    color(colors, LULL_DOM_COLOR_UNKNOWN, out);
    lull_str_prefixed(out, empty ? 0 : reg);
    color(colors, LULL_DOM_COLOR_RESET, out);
}

void lull_cff_reg_name(const struct lull_dom_hit *hit, uint32_t reg, struct lull_str *out)
{
    lull_cff_name(NULL, hit, reg, out);
}

const char *const *lull_cff_colors(void)
{
    static const char *const colors[LULL_DOM_COLORS] = {
        [LULL_DOM_COLOR_RESET] = "\x1b[0m",   [LULL_DOM_COLOR_NAME] = "\x1b[0;32m",
        [LULL_DOM_COLOR_FLAG] = "\x1b[0;36m", [LULL_DOM_COLOR_NUMBER] = "\x1b[0;33m",
        [LULL_DOM_COLOR_WORD] = "\x1b[0;35m", [LULL_DOM_COLOR_UNKNOWN] = "\x1b[0;1;31m",
    };
    return colors;
}

static bool is_address(const struct lull_dom_reg *r)
{
    return r->kind == LULL_DOM_ADDRESS || r->kind == LULL_DOM_WADDRESS;
}

/** Does a name end so? What has the same letters before, "_LOAD_VALUE_LO", does not, as in Mesa. */
static bool ends(const struct lull_cff *c, uint32_t reg, const char *suffix)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg % LULL_CFF_REGS);
    if (hit.reg == NULL) {
        return false;
    }
    const char *first = strstr(hit.reg->name, suffix);
    if (first == NULL && hit.reg->count != 0) {
        first = strstr(hit.reg->after, suffix);
        return first != NULL && strcmp(first, suffix) == 0;
    }
    return first != NULL && hit.reg->count == 0 && strcmp(first, suffix) == 0;
}

/** The address that @p reg holds; of a5xx registers that are a pair by their names. 0: none. */
static uint64_t points_to(const struct lull_cff *c, const struct lull_dom_hit *hit, uint32_t reg,
                          uint64_t value)
{
    if (c->gen >= 6) {
        return is_address(hit->reg) ? value : 0;
    }
    if (c->gen == 5 && ends(c, reg, "_HI") && ends(c, reg - 1, "_LO")) {
        return value << 32 | c->vals[(reg - 1) % LULL_CFF_REGS];
    }
    if (c->gen == 5 && ends(c, reg, "_LO") && ends(c, reg + 1, "_HI")) {
        return (uint64_t)c->vals[(reg + 1) % LULL_CFF_REGS] << 32 | value;
    }
    return 0;
}

void lull_cff_show(struct lull_cff *c, const struct lull_dom_hit *hit, uint32_t reg, uint64_t value,
                   unsigned level, int quiet)
{
    if (lull_cff_quiet(c, quiet)) {
        return;
    }
    struct lull_str *s = &c->text; // right into the output
    const char *tabs = lull_cff_tabs(level);
    lull_str_put(s, tabs, strlen(tabs));
    lull_cff_name(c->dom.colors, hit, reg, s);
    lull_str_put(s, ": ", 2);
    if (hit->reg != NULL) {
        lull_dom_show(&lull_dom_adreno, &c->dom, hit->reg, value, s);
    } else {
        lull_str_hex(s, value, 8);
    }
    const uint64_t address = hit->reg != NULL ? points_to(c, hit, reg, value) : 0;
    const struct lull_cff_bo *bo = address != 0 ? lull_cff_bo_at(c, address) : NULL;
    if (bo != NULL && bo->data != NULL) {
        lull_str_put(s, "\t\tbase=", 7);
        lull_str_hex(s, bo->address, 1);
        lull_str_put(s, ", offset=", 9);
        lull_str_dec(s, address - bo->address);
        lull_str_put(s, ", size=", 7);
        lull_str_dec(s, bo->size);
    }
    lull_cff_text(c, quiet, "\n", 1);
}

void lull_cff_reset(struct lull_cff *c)
{
    // Only what was written: most pages of the register file were never touched, and stay so.
    for (size_t i = 0; i < sizeof c->written; i++) {
        if (c->written[i] != 0) {
            memset(&c->vals[i * 8], 0, 8 * sizeof c->vals[0]);
            memset(&c->lastvals[i * 8], 0, 8 * sizeof c->lastvals[0]);
            c->written[i] = c->rewritten[i] = 0;
        }
    }
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
        lull_cff_name(c->dom.colors, &hit, reg, &name);
        lull_cff_say(c, 2, "NEEDS WFI: %s (%x)\n", lull_str_text(&name), reg);
        lull_str_free(&name);
    }
}

bool lull_cff_push(struct lull_cff *c, struct lull_cff_acc *a, uint32_t reg, uint32_t dword)
{
    if (a->half) {
        a->half = false;
        if (reg != a->reg + 1) { // this dword is lost, as in Mesa
            lull_cff_say(c, 0, "WARNING: 64b discontinuity (%x, expected %x)\n", reg, a->reg + 1);
            return true;
        }
        a->value |= (uint64_t)dword << 32;
        return true;
    }
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    *a = (struct lull_cff_acc){.reg = reg, .value = dword};
    // An array of which only the size is known comes dword by dword.
    a->half = hit.reg != NULL && hit.reg->width == 64 && hit.reg->kind != LULL_DOM_NONE;
    if (a->half && hit.dword != 0 && is_address(hit.reg)) {
        lull_cff_say(c, 0, "WARNING: 64b discontinuity (no _LO dword for %x)\n", reg);
        a->half = false;
    }
    return !a->half;
}

void lull_cff_dump(struct lull_cff *c, const struct lull_cff_acc *a, unsigned level)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, a->reg);
    lull_cff_show(c, &hit, a->reg, a->value, level, 3);
    lull_cff_special(c, a->reg, a->value, level);
}

void lull_cff_show_and_set(struct lull_cff *c, struct lull_cff_acc *a, uint32_t reg, uint32_t value,
                           unsigned level)
{
    reg %= LULL_CFF_REGS;
    if (lull_cff_push(c, a, reg, value)) {
        lull_cff_dump(c, a, level);
    }
    lull_cff_set(c, reg, value);
}

void lull_cff_write(struct lull_cff *c, uint32_t reg, const uint32_t *values, uint32_t n,
                    unsigned level)
{
    struct lull_cff_acc a = {0};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_CFF_REGS;
        check_idle(c, at);
        lull_cff_set(c, at, values[i]);
        if (lull_cff_push(c, &a, at, values[i])) {
            lull_cff_dump(c, &a, level);
        }
    }
}

/** What the summary knows of the register that is being put together. */
struct summary {
    struct lull_cff_acc acc;
    bool changed, written;
};

static void summary_dword(struct lull_cff *c, struct summary *s, uint32_t at, unsigned level)
{
    if (!get_bit(c->written, at)) {
        return;
    }
    s->changed |= c->vals[at] != c->lastvals[at];
    s->written |= get_bit(c->rewritten, at);
    c->lastvals[at] = c->vals[at];
    if (!lull_cff_quiet(c, 2) && lull_cff_push(c, &s->acc, at, c->vals[at])) {
        const char marks[] = {s->changed ? '!' : ' ', s->written ? '+' : ' ', '\t'};
        lull_str_put(&c->text, marks, sizeof marks);
        lull_str_hex(&c->text, s->acc.value, 8);
        lull_cff_dump(c, &s->acc, level);
        s->changed = s->written = false;
    }
}

void lull_cff_summary(struct lull_cff *c, unsigned level)
{
    const uint8_t *which = c->o.all_registers ? c->written : c->rewritten;
    const uint32_t end = c->gen >= 5 ? LULL_CFF_REGS - 1 : 0x7fff;
    const bool unfolded = c->unfolded;
    struct summary s = {0};
    lull_cff_say(c, 2, "%sdraw[%u] register values\n", lull_cff_tabs(level), c->draws);
    c->in_summary = c->unfolded = true;
    for (uint32_t at = 0; at < end; at++) {
        uint64_t some = 0;
        if (at % 64 == 0) {
            memcpy(&some, &which[at / 8], sizeof some);
            if (some == 0) {
                at += 63;
                continue;
            }
        }
        if (get_bit(which, at)) {
            summary_dword(c, &s, at, level);
        }
    }
    c->in_summary = false;
    c->unfolded = unfolded;
    memset(c->rewritten, 0, sizeof c->rewritten);
    c->draws++;
}
