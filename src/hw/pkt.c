// SPDX-License-Identifier: MIT
#include "hw/pkt.h"

#include <strings.h>

#include "base/str.h"

const struct lull_pkt *lull_pkt_by_opcode(const struct lull_pkt_db *db, unsigned gen,
                                          uint32_t opcode)
{
    size_t lo = 0;
    size_t hi = db->npackets;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (db->packets[mid].opcode < opcode) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    for (; lo < db->npackets && db->packets[lo].opcode == opcode; lo++) {
        if (gen < 16 && (db->packets[lo].gens >> gen & 1) != 0) {
            return &db->packets[lo];
        }
    }
    return NULL;
}

const struct lull_pkt *lull_pkt_named(const struct lull_pkt_db *db, unsigned gen, const char *name)
{
    for (size_t i = 0; i < db->npackets; i++) {
        const struct lull_pkt *p = &db->packets[i];
        if (gen < 16 && (p->gens >> gen & 1) != 0 && strcasecmp(p->name, name) == 0) {
            return p;
        }
    }
    return NULL;
}

bool lull_pkt_size_ok(const struct lull_pkt *pkt, size_t nbody)
{
    return nbody >= (size_t)pkt->least && (pkt->most < 0 || nbody <= (size_t)pkt->most);
}

static bool holds(const struct lull_pkt_word *w, const uint32_t *body, size_t nbody)
{
    if (w->when_values == 0) {
        return true;
    }
    size_t v = nbody;
    if (w->when_word != LULL_PKT_WHEN_SIZE) {
        if (w->when_word >= nbody) {
            return false;
        }
        v = lull_get(body[w->when_word], w->when_mask);
    }
    return v < 32 && (w->when_values >> v & 1) != 0;
}

const struct lull_pkt_word *lull_pkt_word_at(const struct lull_pkt *pkt, const uint32_t *body,
                                             size_t nbody, size_t index)
{
    for (unsigned i = 0; i < pkt->nwords; i++) {
        const struct lull_pkt_word *w = &pkt->words[i];
        const bool here = w->index == index || (w->repeats != 0 && w->index < index);
        if (here && index < nbody && holds(w, body, nbody)) {
            return w;
        }
    }
    return NULL;
}

/** The dword's field that numbers a register; NULL if it has none. */
static const struct lull_field *reg_field(const struct lull_pkt_word *w)
{
    for (unsigned i = 0; w != NULL && i < w->nfields; i++) {
        if (w->fields[i].kind == LULL_FIELD_REG) {
            return &w->fields[i];
        }
    }
    return NULL;
}

bool lull_pkt_register(const struct lull_pkt *pkt, const uint32_t *body, size_t nbody, size_t index,
                       uint32_t *ret)
{
    const struct lull_pkt_word *w = lull_pkt_word_at(pkt, body, nbody, index);
    if (w == NULL || w->registers == 0) {
        return false;
    }
    for (size_t i = 0; i < w->index; i++) {
        const struct lull_field *f = reg_field(lull_pkt_word_at(pkt, body, nbody, i));
        if (f != NULL) {
            *ret = f->base + 4 * (uint32_t)(lull_field_of(f, body[i]) + (index - w->index));
            return true;
        }
    }
    return false;
}

static void show_register(uint32_t offset, uint32_t value, const struct lull_reg_db *regs,
                          unsigned gen, struct lull_str *s)
{
    const struct lull_reg_entry *e = regs != NULL ? lull_reg_at(regs, gen, offset) : NULL;
    if (e == NULL) {
        lull_str_addf(s, "reg 0x%x 0x%08x", offset, value);
        return;
    }
    lull_str_addf(s, "%s ", e->name);
    lull_reg_show(lull_reg_of(regs, e), value, s);
}

void lull_pkt_show_word(const struct lull_pkt *pkt, const uint32_t *body, size_t nbody,
                        size_t index, const struct lull_reg_db *regs, unsigned gen,
                        struct lull_str *s)
{
    const struct lull_pkt_word *w = lull_pkt_word_at(pkt, body, nbody, index);
    uint32_t offset = 0;
    if (index >= nbody) {
        return;
    }
    if (lull_pkt_register(pkt, body, nbody, index, &offset)) {
        show_register(offset, body[index], regs, gen, s);
        return;
    }
    lull_str_addf(s, "%s 0x%08x", w != NULL ? w->name : "?", body[index]);
    const struct lull_field *f = reg_field(w);
    if (f != NULL) {
        const struct lull_reg_entry *e =
            regs == NULL
                ? NULL
                : lull_reg_at(regs, gen, f->base + 4 * (uint32_t)lull_field_of(f, body[index]));
        lull_str_addf(s, " %s", e != NULL ? e->name : "");
    }
    if (w != NULL && w->nfields != 0 && body[index] != 0) {
        lull_str_addf(s, " ");
        lull_fields_show(w->fields, w->nfields, body[index], s);
    }
}
