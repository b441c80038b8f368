// SPDX-License-Identifier: MIT
// Adreno: domains of registers, packets and descriptors, and their enums.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/explain/explain.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"
#include "hw/dom.h"

enum { FIRST_GEN = 2, LAST_GEN = 7, VALUES = 64, USERS = 12 };

static const struct lull_dom_db *const db = &lull_dom_adreno;

// "a6xx and a7xx", "a2xx to a4xx"; nothing if it is of all.
static void put_chips(struct lull_str *out, unsigned chips)
{
    unsigned first = 0, last = 0;
    for (unsigned g = FIRST_GEN; g <= LAST_GEN; g++) {
        if ((chips >> g & 1) != 0) {
            first = first == 0 ? g : first;
            last = g;
        }
    }
    if (first != 0 && first != last) {
        lull_str_addf(out, ", a%uxx %s a%uxx", first, last == first + 1 ? "and" : "to", last);
    } else if (first != 0) {
        lull_str_addf(out, ", a%uxx", first);
    }
}

static bool of_gen(const struct lull_explain *e, unsigned chips)
{
    return e->gen == 0 || chips == 0 || (chips >> e->gen & 1) != 0;
}

static void put_values(struct lull_str *out, unsigned which)
{
    const struct lull_dom_enum *en = &db->enums[which];
    for (unsigned i = 0; i < en->n && i < VALUES; i++) {
        lull_str_addf(out, "                %u = %s", en->values[i].value, en->values[i].name);
        put_chips(out, en->values[i].chips);
        lull_str_addf(out, "\n");
    }
    if (en->n > VALUES) {
        lull_str_addf(out, "                and %u more: lull explain %s\n", en->n - VALUES,
                      en->name);
    }
}

static const char *kind_name(unsigned kind, unsigned sub)
{
    static const char *const names[] = {[LULL_DOM_NONE] = "",
                                        [LULL_DOM_HEX] = "hexadecimal",
                                        [LULL_DOM_UINT] = "unsigned",
                                        [LULL_DOM_INT] = "signed",
                                        [LULL_DOM_BOOL] = "flag",
                                        [LULL_DOM_FLOAT] = "float",
                                        [LULL_DOM_FIXED] = "fixed",
                                        [LULL_DOM_UFIXED] = "fixed",
                                        [LULL_DOM_REGID] = "register",
                                        [LULL_DOM_ADDRESS] = "address",
                                        [LULL_DOM_WADDRESS] = "address that is written",
                                        [LULL_DOM_VOID] = "",
                                        [LULL_DOM_FIELDS] = ""};
    return kind == LULL_DOM_ENUM     ? db->enums[sub].name
           : kind == LULL_DOM_BITSET ? db->bitsets[sub].name
                                     : names[kind];
}

static void put_fields(struct lull_explain *e, const struct lull_dom_reg *reg)
{
    const struct lull_dom_field *f = NULL;
    const unsigned n = lull_dom_fields(db, reg, &f);
    for (unsigned i = 0; i < n; i++) {
        const unsigned chips = db->conds[f[i].cond].chips;
        if (!of_gen(e, chips)) {
            continue;
        }
        lull_str_addf(&e->out, f[i].hi == f[i].lo ? "  %5u  " : "  %2u:%-2u  ", f[i].hi, f[i].lo);
        lull_str_addf(&e->out, "%-32s %s", f[i].name, kind_name(f[i].kind, f[i].sub));
        if (f[i].shr != 0) {
            lull_str_addf(&e->out, ", << %u", f[i].shr);
        }
        put_chips(&e->out, chips);
        lull_str_addf(&e->out, "\n");
        if (f[i].kind == LULL_DOM_ENUM) {
            put_values(&e->out, f[i].sub);
        }
    }
    if (n == 0 && *kind_name(reg->kind, reg->sub) != '\0') {
        lull_str_addf(&e->out, "  %s\n", kind_name(reg->kind, reg->sub));
    }
}

// The generations of a domain: those whose registers it has.
static unsigned chips_of(const struct lull_dom *dom)
{
    unsigned chips = 0;
    for (unsigned g = FIRST_GEN; g <= LAST_GEN; g++) {
        const struct lull_dom *spaces[LULL_ADRENO_SPACES];
        const unsigned n = lull_adreno_spaces(g, spaces);
        for (unsigned i = 0; i < n; i++) {
            chips |= spaces[i] == dom ? 1u << g : 0;
        }
    }
    return chips;
}

static void put_reg(struct lull_explain *e, const struct lull_dom *dom,
                    const struct lull_dom_hit *hit)
{
    const struct lull_dom_reg *reg = hit->reg;
    const unsigned space = chips_of(dom), own = db->conds[reg->cond].chips;
    const unsigned chips = space != 0 && own != 0 ? space & own : space | own;
    if (!of_gen(e, chips) || (space != 0 && own != 0 && chips == 0)) {
        return;
    }
    e->found++;
    lull_dom_name(hit, &e->out);
    const uint32_t offset = reg->offset + hit->index * reg->stride + hit->dword;
    lull_str_addf(&e->out, ": %s %s, 0x%x", space != 0 ? "register of" : "dword of", dom->name,
                  offset);
    if (reg->count != 0) {
        lull_str_addf(&e->out, ", %u of them, each 0x%x further", reg->count, reg->stride);
    }
    put_chips(&e->out, chips);
    lull_str_addf(&e->out, "\n");
    if (e->has_value) {
        unsigned gen = LAST_GEN;
        while (gen > FIRST_GEN && chips != 0 && (chips >> gen & 1) == 0) {
            gen--;
        }
        struct lull_dom_state s = {.chip = e->gen != 0 ? e->gen : gen};
        lull_str_addf(&e->out, "  0x%llx = ", (unsigned long long)e->value);
        lull_dom_show(db, &s, reg, e->value, &e->out);
        lull_str_addf(&e->out, "\n");
    } else {
        put_fields(e, reg);
    }
}

// "RB_MRT" and "RB_MRT[2].CONTROL": the element's number, and what comes behind it.
static bool element(const char *word, const struct lull_dom_reg *reg, unsigned *index)
{
    const char *open = strchr(word, '[');
    char *end = NULL;
    *index = 0;
    if (reg->count == 0 || open == NULL || strlen(reg->name) != (size_t)(open - word) ||
        strncasecmp(word, reg->name, (size_t)(open - word)) != 0) {
        return false;
    }
    *index = (unsigned)strtoul(open + 1, &end, 0);
    return *end == ']' && *index < reg->count &&
           strcasecmp(end + 1, reg->after != NULL ? reg->after : "") == 0;
}

static void registers(struct lull_explain *e, const struct lull_dom *dom)
{
    for (unsigned i = 0; i < dom->n; i++) {
        struct lull_dom_hit hit = {.reg = &dom->regs[i]};
        if (strncmp(dom->name, "MESA_", 5) != 0 && !e->is_number &&
            (element(e->word, hit.reg, &hit.index) || lull_explain_is(e, hit.reg->name))) {
            put_reg(e, dom, &hit);
        }
    }
}

static void by_number(struct lull_explain *e)
{
    const struct lull_dom *last = NULL;
    for (unsigned g = FIRST_GEN; g <= LAST_GEN; g++) {
        const struct lull_dom *spaces[LULL_ADRENO_SPACES];
        const unsigned n = e->gen == 0 || e->gen == g ? lull_adreno_spaces(g, spaces) : 0;
        const struct lull_dom_state s = {.chip = g};
        for (unsigned i = 0; i < n && e->number <= UINT32_MAX; i++) {
            const struct lull_dom_hit hit = lull_dom_at(db, &s, spaces[i], (uint32_t)e->number);
            if (hit.reg != NULL && spaces[i] != last) { // a space of two generations once
                put_reg(e, spaces[i], &hit);
                last = spaces[i];
            }
        }
    }
}

// A dword of a packet that has no name but its number.
static bool is_numbered(const struct lull_dom_reg *reg)
{
    return strspn(reg->name, "0123456789") == strlen(reg->name);
}

static void packet(struct lull_explain *e, const struct lull_dom_value *v)
{
    const struct lull_dom *dom = lull_adreno_packet(v->name);
    for (unsigned i = 0; dom != NULL && i < dom->n; i++) {
        const struct lull_dom_reg *r = &dom->regs[i];
        if (of_gen(e, db->conds[r->cond].chips)) {
            lull_str_addf(&e->out, "  dword %u", r->offset);
            lull_str_addf(&e->out, "%s%s", is_numbered(r) ? "" : " ",
                          is_numbered(r) ? "" : r->name);
            put_chips(&e->out, db->conds[r->cond].chips);
            lull_str_addf(&e->out, "\n");
            put_fields(e, r);
        }
    }
}

static void enums(struct lull_explain *e)
{
    for (unsigned i = 0; i < db->nenums; i++) {
        const struct lull_dom_enum *en = &db->enums[i];
        if (lull_explain_is(e, en->name)) {
            e->found++;
            lull_str_addf(&e->out, "%s: enum of Adreno\n", en->name);
            for (unsigned k = 0; k < en->n; k++) {
                lull_str_addf(&e->out, "  %u = %s", en->values[k].value, en->values[k].name);
                put_chips(&e->out, en->values[k].chips);
                lull_str_addf(&e->out, "\n");
            }
        }
        const bool packets = strcmp(en->name, "adreno_pm4_type3_packets") == 0;
        for (unsigned k = 0; k < en->n; k++) {
            const struct lull_dom_value *v = &en->values[k];
            if (of_gen(e, v->chips) && lull_explain_is(e, v->name)) {
                e->found++;
                lull_str_addf(&e->out, "%s: ", v->name);
                lull_str_addf(&e->out, packets ? "packet 0x%x of Adreno" : "%u in", v->value);
                lull_str_addf(&e->out, "%s%s", packets ? "" : " ", packets ? "" : en->name);
                put_chips(&e->out, v->chips);
                lull_str_addf(&e->out, "\n");
                if (packets) {
                    packet(e, v);
                }
            }
        }
    }
}

// Fields of that name: where they are.
static void fields(struct lull_explain *e)
{
    unsigned users = 0;
    for (unsigned d = 0; d < db->ndomains; d++) {
        for (unsigned i = 0; i < db->domains[d].n; i++) {
            const struct lull_dom_reg *reg = &db->domains[d].regs[i];
            const struct lull_dom_field *f = NULL;
            const unsigned n = lull_dom_fields(db, reg, &f);
            for (unsigned k = 0; k < n; k++) {
                if (strcasecmp(f[k].name, e->word) != 0 || users++ >= USERS) {
                    continue;
                }
                lull_str_addf(&e->out, "%s: bits %u:%u of %s%s%s in %s\n", f[k].name, f[k].hi,
                              f[k].lo, is_numbered(reg) ? "dword " : "", reg->name,
                              reg->after != NULL ? reg->after : "", db->domains[d].name);
                e->found++;
            }
        }
    }
    if (users > USERS) {
        lull_str_addf(&e->out, "and %u more\n", users - USERS);
    }
}

void lull_explain_adreno(struct lull_explain *e)
{
    const unsigned before = e->found;
    if (e->is_number) {
        by_number(e);
        return;
    }
    for (unsigned d = 0; d < db->ndomains; d++) {
        registers(e, &db->domains[d]);
    }
    enums(e);
    if (e->found == before) {
        fields(e);
    }
}
