// SPDX-License-Identifier: MIT
// Of several instructions that compute one behind the other: with nothing pending that they name,
// no rule has anything to say, and the last VALU instructions are what later ones look at.
#include <string.h>

#include "check/rdna/state.h"

enum { MOST_WAITS = 8 };

struct sum {
    unsigned nwaits;
    const struct lull_haz_plan *waits[MOST_WAITS];
    uint64_t names[MOST_WAITS + 1][LULL_HAZ_REGS / 64]; // Before each wait, and behind the last.
    bool more;                                          // There are more waits.
    bool all;                                           // One is for everything.
    unsigned nvalu, nevents, all_events;
    bool exec;  // A scalar instruction writes EXEC, with no VALU instruction behind.
    bool plain; // A VALU instruction that is no v_nop.
    bool wide;
    struct lull_haz_masks masks;                   // Of wave64.
    struct lull_haz_event events[LULL_HAZ_EVENTS]; // The last, in their order.
};

size_t lull_haz_sum_bytes(void)
{
    return sizeof(struct sum);
}

bool lull_haz_stands(const void *plan)
{
    const struct lull_haz_plan *p = plan;
    return p->stands;
}

static void add(struct sum *s, const struct lull_haz_plan *p, uint64_t pc)
{
    for (unsigned i = 0; i < LULL_HAZ_REGS / 64; i++) {
        s->names[s->nwaits][i] |= p->names[i];
    }
    if (p->waits) {
        s->more = s->more || s->nwaits == MOST_WAITS;
        s->all = s->all || lull_haz_waits_for_all(&p->in);
        s->waits[s->nwaits % MOST_WAITS] = p; // If there are more, nobody looks at them.
        s->nwaits += !s->more;
    }
    if (!p->valu && !p->exec) {
        return;
    }
    s->all_events++;
    if (s->nevents == LULL_HAZ_EVENTS) {
        memmove(s->events, s->events + 1, (LULL_HAZ_EVENTS - 1) * sizeof *s->events);
        s->nevents--;
    }
    s->events[s->nevents++] = (struct lull_haz_event){.plan = p, .pc = pc};
    s->exec = s->exec || p->exec;
    if (!p->valu) {
        return;
    }
    s->nvalu++;
    s->plain = s->plain || !p->nop;
    s->wide = p->wide;
    if (p->wide) {
        lull_haz_add_masks(&s->masks, &p->in, p, 64);
    }
}

void lull_haz_sum(const void *const *plans, const uint64_t *pcs, unsigned n, void *ret)
{
    for (unsigned k = 0; k < n; k++) {
        add(ret, plans[k], pcs[k]);
    }
}

bool lull_haz_calm(void *state, const void *sum)
{
    struct lull_haz_wave *s = state;
    const struct sum *k = sum;
    bool calm =
        !k->more && (k->nvalu == 0 || (s->trans_left == 0 && (!k->wide || s->exec_left == 0)));
    // If it is not calm behind a wait, that is executed once more, which does nothing.
    for (unsigned i = 0; calm && i <= k->nwaits; i++) {
        calm = !s->under_way || lull_haz_arrived(s, k->names[i]);
        if (calm && i < k->nwaits) {
            lull_haz_waits(s, k->waits[i]);
        }
    }
    return calm;
}

void lull_haz_passed(void *state, const void *sum)
{
    struct lull_haz_wave *s = state;
    const struct sum *k = sum;
    if (k->all) {
        lull_haz_forget_sources(s);
    }
    for (unsigned i = 0; i < k->nevents; i++) {
        s->events[s->at] = k->events[i];
        s->at = (s->at + 1) % LULL_HAZ_EVENTS;
    }
    s->nevents += k->nevents;
    s->nevents = s->nevents < LULL_HAZ_EVENTS ? s->nevents : LULL_HAZ_EVENTS;
    s->trans_left -= s->trans_left < k->all_events ? s->trans_left : k->all_events;
    s->exec_left -= s->exec_left < k->nvalu ? s->exec_left : k->nvalu;
    s->exec_left = k->exec ? LULL_HAZ_EVENTS : s->exec_left;
    if (k->nvalu == 0) {
        return;
    }
    s->cmpx = k->plain ? 0 : s->cmpx;
    s->matrix = 0;
    if (k->wide) {
        lull_haz_pass_masks(s, &k->masks);
    }
    lull_haz_forget_sources(s);
}
