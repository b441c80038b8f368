// SPDX-License-Identifier: MIT
// gfx11: registers, packets, and the values of their fields.
#include <strings.h>

#include "cli/explain/explain.h"
#include "cmd/pm4_amd_pkts.h"
#include "cmd/sdma6_pkts.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "hw/sqind_regs.h"

enum { USERS = 12 };

static const struct {
    const struct lull_reg_db *db;
    const char *what;
} tables[] = {
    {&lull_regs_gc11, "register of gfx11, byte"},
    {&lull_regs_hwreg, "register of s_getreg, number"},
    {&lull_regs_sqind, "register of a wave (SQ_IND_INDEX), number"},
};

static const struct {
    const struct lull_pkt_db *db;
    const char *what;
} packets[] = {{&lull_pkts_pm4_amd, "PM4"}, {&lull_pkts_sdma6, "SDMA"}};

static void put_fields(struct lull_str *out, const struct lull_field *f, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned hi = f[i].lo + f[i].bits - 1u;
        lull_str_addf(out, f[i].bits == 1 ? "  %5u  " : "  %2u:%-2u  ", hi, f[i].lo);
        lull_str_addf(out, "%s\n", f[i].name);
        for (unsigned k = 0; k < f[i].nvalues; k++) {
            lull_str_addf(out, "                %llu = %s\n",
                          (unsigned long long)f[i].values[k].value, f[i].values[k].name);
        }
    }
}

static void put_reg(struct lull_explain *e, unsigned table, const struct lull_reg_entry *entry)
{
    const struct lull_reg *reg = lull_reg_of(tables[table].db, entry);
    e->found++;
    lull_str_addf(&e->out, "%s: %s 0x%x\n", entry->name, tables[table].what, entry->offset);
    if (e->has_value) {
        lull_str_addf(&e->out, "  ");
        lull_reg_show(reg, e->value, &e->out);
        lull_str_addf(&e->out, "\n");
    } else {
        put_fields(&e->out, reg->fields, reg->nfields);
    }
}

static void registers(struct lull_explain *e)
{
    // Headers of Linux say regSQ_CMD and mmSQ_CMD.
    const char *whole = e->word;
    if (strncasecmp(e->word, "reg", 3) == 0 || strncasecmp(e->word, "mm", 2) == 0) {
        e->word += strncasecmp(e->word, "reg", 3) == 0 ? 3 : 2;
    }
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        const struct lull_reg_db *db = tables[t].db;
        for (unsigned i = 0; i < db->nentries; i++) {
            if (e->is_number ? t == 0 && db->by_offset[i].offset == e->number
                             : lull_explain_is(e, db->by_offset[i].name)) {
                put_reg(e, t, &db->by_offset[i]);
            }
        }
    }
    e->word = whole;
}

static void packet(struct lull_explain *e)
{
    for (unsigned t = 0; t < sizeof packets / sizeof packets[0]; t++) {
        for (unsigned i = 0; i < packets[t].db->npackets; i++) {
            const struct lull_pkt *p = &packets[t].db->packets[i];
            if (!lull_explain_is(e, p->name)) {
                continue;
            }
            e->found++;
            lull_str_addf(&e->out, "%s: %s packet 0x%x of gfx11\n", p->name, packets[t].what,
                          p->opcode);
            for (unsigned w = 0; w < p->nwords; w++) {
                lull_str_addf(&e->out, "  dword %u %s%s\n", p->words[w].index, p->words[w].name,
                              p->words[w].repeats != 0 ? ", and all behind it" : "");
                put_fields(&e->out, p->words[w].fields, p->words[w].nfields);
            }
        }
    }
}

// A field, or a value of one, of that name.
static void field(struct lull_explain *e, const char *owner, const struct lull_field *f,
                  unsigned *users)
{
    if (strcasecmp(f->name, e->word) == 0 && (*users)++ < USERS) {
        lull_str_addf(&e->out, "%s: bits %u:%u of %s\n", f->name, f->lo + f->bits - 1u, f->lo,
                      owner);
        e->found++;
    }
    for (unsigned k = 0; k < f->nvalues; k++) {
        if (strcasecmp(f->values[k].name, e->word) == 0 && (*users)++ < USERS) {
            lull_str_addf(&e->out, "%s: %llu in %s of %s\n", f->values[k].name,
                          (unsigned long long)f->values[k].value, f->name, owner);
            e->found++;
        }
    }
}

static void fields(struct lull_explain *e)
{
    unsigned users = 0;
    for (unsigned t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (unsigned i = 0; i < tables[t].db->nregs; i++) {
            const struct lull_reg *r = &tables[t].db->regs[i];
            for (unsigned k = 0; k < r->nfields; k++) {
                field(e, r->name, &r->fields[k], &users);
            }
        }
    }
    for (unsigned t = 0; t < sizeof packets / sizeof packets[0]; t++) {
        for (unsigned i = 0; i < packets[t].db->npackets; i++) {
            const struct lull_pkt *p = &packets[t].db->packets[i];
            for (unsigned w = 0; w < p->nwords; w++) {
                for (unsigned k = 0; k < p->words[w].nfields; k++) {
                    field(e, p->name, &p->words[w].fields[k], &users);
                }
            }
        }
    }
    if (users > USERS) {
        lull_str_addf(&e->out, "and %u more\n", users - USERS);
    }
}

void lull_explain_amd(struct lull_explain *e)
{
    const unsigned before = e->found;
    registers(e);
    if (e->is_number) {
        return;
    }
    packet(e);
    if (e->found == before) {
        fields(e);
    }
}
