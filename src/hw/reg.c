// SPDX-License-Identifier: MIT
#include "hw/reg.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

static bool in_gen(const struct lull_reg_db *db, const struct lull_reg_entry *e, unsigned gen)
{
    return gen < 16 && (db->regs[e->reg].gens >> gen & 1) != 0;
}

const struct lull_reg_entry *lull_reg_at(const struct lull_reg_db *db, unsigned gen,
                                         uint32_t offset)
{
    size_t lo = 0;
    size_t hi = db->nentries;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (db->by_offset[mid].offset < offset) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    for (; lo < db->nentries && db->by_offset[lo].offset == offset; lo++) {
        if (in_gen(db, &db->by_offset[lo], gen)) {
            return &db->by_offset[lo];
        }
    }
    return NULL;
}

const struct lull_reg_entry *lull_reg_named(const struct lull_reg_db *db, unsigned gen,
                                            const char *name)
{
    size_t lo = 0;
    size_t hi = db->nentries;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (strcasecmp(db->by_offset[db->by_name[mid]].name, name) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    for (; lo < db->nentries; lo++) {
        const struct lull_reg_entry *e = &db->by_offset[db->by_name[lo]];
        if (strcasecmp(e->name, name) != 0) {
            return NULL;
        }
        if (in_gen(db, e, gen)) {
            return e;
        }
    }
    return NULL;
}

const struct lull_field *lull_reg_field(const struct lull_reg *reg, const char *name)
{
    for (unsigned i = 0; i < reg->nfields; i++) {
        if (strcasecmp(reg->fields[i].name, name) == 0) {
            return &reg->fields[i];
        }
    }
    return NULL;
}

const struct lull_reg_pair *lull_reg_pair_named(const struct lull_reg_db *db, const char *name)
{
    for (unsigned i = 0; i < db->npairs; i++) {
        const struct lull_reg_pair *p = &db->pairs[i];
        if (strcasecmp(p->name, name) == 0 || strcasecmp(p->lo, name) == 0 ||
            strcasecmp(p->hi, name) == 0) {
            return p;
        }
    }
    return NULL;
}

uint64_t lull_reg_pair_value(const struct lull_reg_pair *pair, uint32_t lo, uint32_t hi)
{
    const uint64_t low = lull_get(lo, pair->lo_mask);
    const uint64_t high = lull_get(hi, pair->hi_mask);
    return (high << __builtin_popcount(pair->lo_mask) | low) << pair->shift;
}

void lull_reg_show(const struct lull_reg *reg, uint64_t value, struct lull_str *s)
{
    lull_str_addf(s, "0x%0*" PRIx64, reg->width / 4, value);
    if (value != 0 && reg->nfields != 0) {
        lull_str_addf(s, " ");
        lull_fields_show(reg->fields, reg->nfields, value, s);
    }
}
