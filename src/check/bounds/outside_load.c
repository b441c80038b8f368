// SPDX-License-Identifier: MIT
#include "check/bounds/outside_load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"

uint32_t lull_outside_number(struct lull_outside_loads *all, uint64_t pc)
{
    for (uint32_t i = 0; i < all->n; i++) {
        if (all->at[i].pc == pc) {
            return i + 1;
        }
    }
    return all->n == LULL_OUTSIDE_LOADS ? 0 : ++all->n;
}

bool lull_outside_beyond(const struct lull_touch *t, unsigned l, unsigned d)
{
    const uint64_t offset = t->address[l] + 4 * (uint64_t)d - t->base;
    return (t->valid[l] >> d & 1) == 0 && offset >= t->available;
}

bool lull_outside_inside(const struct lull_touch *t)
{
    return t->dropped == 0 && (t->low >= t->base && t->high - t->base + t->bytes <= t->available);
}

void lull_outside_note(const struct lull_check_now *n, const struct lull_touch *t,
                       struct lull_outside_loads *all, uint32_t number, uint64_t lanes)
{
    struct lull_outside_load *l = &all->at[number - 1];
    if (t->from == 0 || l->pc != n->at->pc || l->ninsns != n->at->ninsns) {
        *l = (struct lull_outside_load){.pc = n->at->pc,
                                        .ninsns = n->at->ninsns,
                                        .base = t->base,
                                        .available = t->available,
                                        .bytes = t->bytes + 4 * t->dropped,
                                        .descriptor = t->descriptor,
                                        .scalar = t->scalar};
    }
    l->lanes[t->from / 64] = lanes;
    if (t->scalar) {
        l->address[0] = t->address[0];
    }
    for (uint64_t m = t->scalar ? 0 : t->lanes; m != 0; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        l->address[t->from + i] = t->address[i];
    }
    lull_check_keep_insn(n);
}

/** "loads 4 bytes at byte 800 of the range of the descriptor in s4, which has 800 (element ...)".
 */
static char *load_text(const struct lull_check_now *n, const struct lull_outside_load *l,
                       unsigned lane)
{
    struct lull_str s = {0};
    const uint64_t at = l->address[lane], offset = at - l->base;
    lull_str_addf(&s, "loads %u byte%s", l->bytes, l->bytes == 1 ? "" : "s");
    if (at >= l->base) {
        lull_str_addf(&s, " at byte %" PRIu64 " of", offset);
    } else {
        lull_str_addf(&s, " %" PRIu64 " bytes in front of", l->base - at);
    }
    lull_str_addf(&s, " the range of ");
    n->at->arch->descriptor(l->descriptor, &s);
    lull_str_addf(&s, ", which has %" PRIu64, l->available);
    if (at >= l->base && l->bytes != 0 && offset % l->bytes == 0 && l->available % l->bytes == 0) {
        lull_str_addf(&s, " (element %" PRIu64 " of %" PRIu64 ")", offset / l->bytes,
                      l->available / l->bytes);
    }
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

/** The first; 0: there is none. */
static unsigned first(const uint64_t lanes[2])
{
    return lanes[0] != 0   ? (unsigned)__builtin_ctzll(lanes[0])
           : lanes[1] != 0 ? 64 + (unsigned)__builtin_ctzll(lanes[1])
                           : 0;
}

void lull_outside_tell(const struct lull_check_now *n, const struct lull_outside_loads *all,
                       uint32_t number, const uint64_t lanes[2], const char *does)
{
    const struct lull_outside_load *l = number != 0 ? &all->at[number - 1] : NULL;
    struct lull_finding *f =
        l == NULL ? NULL
                  : lull_check_found(n, "bounds",
                                     "what was loaded outside of the range of a descriptor is used",
                                     l->pc, n->at->pc);
    if (f == NULL || f->count != 1) {
        return;
    }
    const uint64_t both[2] = {lanes[0] & l->lanes[0], lanes[1] & l->lanes[1]};
    const unsigned from = l->scalar ? 0 : first((both[0] | both[1]) != 0 ? both : l->lanes);
    f->sites[0] = lull_check_site(n, l->pc, from);
    f->sites[0].whole = l->scalar;
    f->sites[0].does = load_text(n, l, from);
    f->sites[0].touched = (struct lull_check_touched){.there = true,
                                                      .described = true,
                                                      .first = true,
                                                      .bytes = l->bytes,
                                                      .address = l->address[from],
                                                      .base = l->base,
                                                      .available = l->available};
    f->sites[1] = lull_check_site(n, n->at->pc, first(lanes));
    f->sites[1].whole = (lanes[0] | lanes[1]) == 0;
    f->sites[1].does = lull_check_text("%s", does);
    f->note = lull_check_text("hardware gives 0 there: defined only where the program enables "
                              "robustBufferAccess");
}
