// SPDX-License-Identifier: MIT
// State loads: where the state is, and what of it is there at a draw.
#include <inttypes.h>
#include <string.h>

#include "adreno/show/walk.h"

enum { COMPUTE_TEX = 5, FIRST_SHADER = 8, COMPUTE_SHADER = 0xd, ALL_IBO = 0xe, COMPUTE_IBO = 0xf };

static int stage_of(unsigned gen, const struct lull_load *l)
{
    if (gen == 3) {
        return l->block == 0 || l->block == 4   ? LULL_CAP_VS
               : l->block == 2 || l->block == 6 ? LULL_CAP_FS
               : l->block == 7                  ? LULL_CAP_CS
               : l->block == 5                  ? LULL_CAP_GS
                                                : -1;
    }
    return l->block <= COMPUTE_TEX                                  ? (int)l->block
           : l->block >= FIRST_SHADER && l->block <= COMPUTE_SHADER ? (int)l->block - FIRST_SHADER
           : l->block == COMPUTE_IBO                                ? LULL_CAP_CS
                                                                    : -1;
}

/** Where the state is: in the packet, in memory, or in a set of descriptors. */
static uint64_t place(struct lull_cap *c, const struct lull_as_packet *p,
                      const struct lull_as_load *e, struct lull_cap_load *l,
                      uint64_t *ret_in_packet)
{
    const uint32_t head = c->gen >= 5 ? 3 : 2;
    const bool compute = l->stage == LULL_CAP_CS;
    uint64_t base = 0;
    *ret_in_packet = 0;
    if (l->of.source == LULL_LOAD_INDIRECT) {
        return e->address & ~UINT64_C(3);
    }
    if (l->of.source == LULL_LOAD_BINDLESS && c->gen >= 6) {
        l->set = (int)e->set;
        if (!lull_cap_set_base(c, compute, e->set, &base, &l->apart)) {
            lull_cap_note(c, "set %d has no base", l->set);
            return 0;
        }
        return base + e->offset * 4ull;
    }
    *ret_in_packet = p->n > head + 1 ? p->n - head - 1 : 0;
    return p->address + (head + 1) * 4ull;
}

/** The newest load of a kind and a place counts. */
static void keep(struct lull_cap *c, const struct lull_cap_load *l)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->nloads; i++) {
        const struct lull_cap_load *o = &c->loads[i];
        const bool covered = o->of.block == l->of.block && o->of.type == l->of.type &&
                             o->set == l->set && o->of.offset >= l->of.offset &&
                             o->of.offset + o->of.units <= l->of.offset + l->of.units;
        if (!covered) {
            c->loads[n++] = *o;
        }
    }
    if (n == LULL_CAP_LOADS) {
        memmove(&c->loads[0], &c->loads[1], (n - 1) * sizeof c->loads[0]);
        n--;
    }
    c->loads[n++] = *l;
    c->nloads = n;
}

void lull_cap_load_state(struct lull_cap *c, const struct lull_as_packet *p,
                         const struct lull_as_load *e)
{
    struct lull_cap_load l = {.of = {.block = e->block,
                                     .source = e->source,
                                     .type = e->type,
                                     .offset = e->first,
                                     .units = e->units,
                                     .what = lull_load_what(c->gen, e->block, e->type)},
                              .set = -1};
    uint64_t in_packet = 0;
    l.stage = stage_of(c->gen, &l.of);
    l.each = lull_load_unit(c->gen, l.of.what);
    if (c->gen >= 6 &&
        (l.of.what == LULL_LOAD_SSBO_ADDRESSES || l.of.what == LULL_LOAD_SSBO_SIZES)) {
        // Constants that all stages share: Turnip writes push constants so, of dispatches with the
        // one type, of draws with the other (Mesa, tu_pipeline.cc).
        l.of.what = LULL_LOAD_CONSTANTS;
        l.each = 1;
        l.shared = true;
    }
    const uint64_t address = place(c, p, e, &l, &in_packet);
    if (l.apart < l.each) {
        l.apart = l.each;
    }
    const uint32_t want = l.of.units * l.apart;
    if (in_packet != 0) { // never more than the packet has
        const uint32_t head = p->n - (uint32_t)in_packet;
        l.w = (struct lull_cap_words){p->words + head, p->address + head * 4ull,
                                      want < in_packet ? want : (uint32_t)in_packet};
    } else if (l.of.source != LULL_LOAD_DIRECT || c->gen == 3) {
        l.w = lull_cap_memory(c, address, want);
    }
    if (l.w.n < want && (l.w.n != 0 || l.of.source == LULL_LOAD_DIRECT)) { // else: not captured
        lull_cap_problem(c, p->address,
                         "%" PRIu32 " dwords of state at 0x%" PRIx64 ": %" PRIu32 " are there",
                         want, address, l.w.n);
    }
    keep(c, &l);
    (void)lull_cap_work(c, l.w.n);
    if (c->v->load != NULL) {
        c->v->load(c->v->ctx, c, &l);
    }
}
