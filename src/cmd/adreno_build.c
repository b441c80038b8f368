// SPDX-License-Identifier: MIT
#include "cmd/adreno_build.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/adreno_pm4.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"

enum { OPCODES = 128, WORD_BITS = 32 };

/** Dwords that fields are put into. */
struct place {
    struct lull_dom_state s; ///< Which of several variants is meant: the first, until a field says.
    uint32_t *words;
    size_t n;
};

static struct place at_words(unsigned gen, uint32_t *words, size_t n)
{
    struct place p = {.s = {.chip = gen}, .words = words, .n = n};
    for (size_t i = 0; i < LULL_DOM_CHOOSING; i++) {
        p.s.has_chosen[i] = true;
    }
    return p;
}

void lull_abuild_done(struct lull_abuild *b)
{
    free(b->words);
    lull_error_free(b->err);
    *b = (struct lull_abuild){0};
}

static void fail(struct lull_abuild *b, struct lull_error *err)
{
    if (b->err == NULL) {
        b->err = err;
    } else {
        lull_error_free(err);
    }
}

/** Number of the enumerator @p word of @p which. False: there is none. */
static bool number_of(const struct lull_dom_state *s, unsigned which, const char *word,
                      uint64_t *ret)
{
    const struct lull_dom_enum *e = &lull_dom_adreno.enums[which];
    for (unsigned i = 0; i < e->n; i++) {
        const char *name = lull_dom_enum_name(&lull_dom_adreno, s, which, e->values[i].value);
        if (name != NULL && strcmp(name, word) == 0) {
            *ret = e->values[i].value;
            return true;
        }
    }
    return false;
}

/** @p value into @p bits bits from @p lo of dword @p at on, and of the one after it. */
static bool put(const struct place *p, size_t at, unsigned lo, unsigned bits, uint64_t value)
{
    if ((bits < 64 && value >> bits != 0) || at >= p->n ||
        (lo + bits > WORD_BITS && at + 1 >= p->n)) {
        return false;
    }
    p->words[at] |= (uint32_t)(value << lo);
    if (lo + bits > WORD_BITS) {
        p->words[at + 1] |= (uint32_t)(value >> (WORD_BITS - lo));
    }
    return true;
}

/** The field that @p name is in @p r, or all of it. False: it has none. */
static bool named(const struct lull_dom_state *s, const struct lull_dom_reg *r, const char *name,
                  struct lull_dom_field *ret)
{
    const struct lull_dom_field *fields = NULL;
    if (!lull_dom_holds(&lull_dom_adreno, s, r->cond)) {
        return false;
    }
    if (strcmp(r->name, name) == 0) {
        *ret = (struct lull_dom_field){
            .name = r->name, .hi = (uint8_t)(r->width - 1), .kind = r->kind, .sub = r->sub};
        return true;
    }
    const unsigned n = lull_dom_fields(&lull_dom_adreno, r, &fields);
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(fields[i].name, name) == 0 &&
            lull_dom_holds(&lull_dom_adreno, s, fields[i].cond)) {
            *ret = fields[i];
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *store(struct place *p, size_t at,
                                              const struct lull_dom_field *f,
                                              const struct lull_abuild_set *set)
{
    uint64_t value = set->value >> f->shr;
    if (set->word != NULL &&
        (f->kind != LULL_DOM_ENUM || !number_of(&p->s, f->sub, set->word, &value))) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s is not a value of %s", set->word, set->field);
    }
    if (!put(p, at, f->lo, f->hi - f->lo + 1u, value)) {
        return lull_error_new(LULL_ERR_INVALID, "0x%llx does not fit into %s",
                              (unsigned long long)set->value, set->field);
    }
    if (f->adds != 0) {
        p->s.chosen[f->adds - 1] = (uint32_t)value;
    }
    return NULL;
}

/** Put all of @p sets. @p only: fields of this register, whose dwords they are; NULL: of all of
 * @p dom, by dword. */
LULL_MUST_USE static struct lull_error *fill(struct place *p, const struct lull_dom *dom,
                                             const struct lull_dom_reg *only,
                                             const struct lull_abuild_set *sets)
{
    struct lull_error *err = NULL;
    for (; err == NULL && sets != NULL && sets->field != NULL; sets++) {
        struct lull_dom_field f = {0};
        const struct lull_dom_reg *found = NULL;
        for (unsigned i = 0; i < dom->n; i++) {
            const struct lull_dom_reg *r = &dom->regs[i];
            struct lull_dom_field this = {0};
            // Whole 64-bit ones before the fields of their halves.
            if ((only == NULL || only == r) && named(&p->s, r, sets->field, &this) &&
                (found == NULL || r->width > found->width)) {
                found = r;
                f = this;
            }
        }
        err = found == NULL
                  ? lull_error_new(LULL_ERR_NOT_FOUND, "%s has no %s", dom->name, sets->field)
                  : store(p, only != NULL ? 0 : found->offset, &f, sets);
    }
    return err;
}

/** Room for a header and @p n dwords of zeros. @return The header. */
static uint32_t *room_for(struct lull_abuild *b, uint32_t n)
{
    if (b->err == NULL && b->n + n + 1 > b->room) {
        const size_t room = 2 * b->room + n + 256;
        uint32_t *words = reallocarray(b->words, room, sizeof *words);
        if (words == NULL) {
            fail(b, &lull_enomem);
            return NULL;
        }
        b->words = words;
        b->room = room;
    }
    if (b->err != NULL) {
        return NULL;
    }
    uint32_t *at = b->words + b->n;
    memset(at, 0, (n + 1) * sizeof *at);
    b->n += n + 1;
    return at;
}

void lull_abuild_element(struct lull_abuild *b, const char *name, uint32_t index,
                         const struct lull_abuild_set *sets)
{
    const struct lull_dom_state s = {.chip = b->gen};
    const struct lull_dom *spaces[LULL_ADRENO_SPACES] = {NULL};
    const struct lull_dom_reg *r = NULL;
    (void)lull_adreno_spaces(b->gen, spaces);
    for (unsigned i = 0; r == NULL && spaces[0] != NULL && i < spaces[0]->n; i++) {
        const struct lull_dom_reg *one = &spaces[0]->regs[i];
        if (strcmp(one->name, name) == 0 && lull_dom_holds(&lull_dom_adreno, &s, one->cond)) {
            r = one;
        }
    }
    if (r == NULL || (r->count == 0 ? index != 0 : index >= r->count)) {
        fail(b, lull_error_new(LULL_ERR_NOT_FOUND, "a%uxx has no register %s, or no %u of it",
                               b->gen, name, index));
        return;
    }
    const uint32_t n = r->width / WORD_BITS;
    uint32_t *at = room_for(b, n);
    if (at != NULL) {
        struct place p = at_words(b->gen, at + 1, n);
        at[0] = lull_apkt_write_header(r->offset + index * r->stride, n);
        fail(b, fill(&p, spaces[0], r, sets));
    }
}

void lull_abuild_reg(struct lull_abuild *b, const char *name, const struct lull_abuild_set *sets)
{
    lull_abuild_element(b, name, 0, sets);
}

uint32_t *lull_abuild_packet(struct lull_abuild *b, const char *name, uint32_t n,
                             const struct lull_abuild_set *sets)
{
    const struct lull_dom_state s = {.chip = b->gen};
    uint64_t op = 0;
    if (!number_of(&s, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, name, &op) || op >= OPCODES) {
        fail(b, lull_error_new(LULL_ERR_NOT_FOUND, "a%uxx has no packet %s", b->gen, name));
        return NULL;
    }
    uint32_t *at = room_for(b, n);
    const struct lull_dom *dom = lull_adreno_packet(name);
    if (at == NULL) {
        return NULL;
    }
    at[0] = lull_apkt_op_header((uint32_t)op, n);
    if (dom != NULL) {
        struct place p = at_words(b->gen, at + 1, n);
        fail(b, fill(&p, dom, NULL, sets));
    }
    return b->err == NULL ? at + 1 : NULL;
}

struct lull_error *lull_abuild_descriptor(unsigned gen, const char *name,
                                          const struct lull_abuild_set *sets, uint32_t *ret,
                                          size_t n)
{
    struct place p = at_words(gen, ret, n);
    const struct lull_dom *dom = lull_adreno_domain(name);
    memset(ret, 0, n * sizeof *ret);
    return dom != NULL ? fill(&p, dom, NULL, sets)
                       : lull_error_new(LULL_ERR_NOT_FOUND, "no descriptor %s", name);
}
