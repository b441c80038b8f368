// SPDX-License-Identifier: MIT
#include "cli/opt/check_moved.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lull_check_site lull_check_moved_copy(const struct lull_check_site *from)
{
    struct lull_check_site s = *from;
    s.insn = s.insn != NULL ? strdup(s.insn) : NULL;
    s.does = s.does != NULL ? strdup(s.does) : NULL;
    return s;
}

/** The call that it is. Of several of its size that are in the same place each may be: NULL if
 * something orders one of them. */
static const struct lull_names_transfer *call_of(const struct lull_check_moved *m,
                                                 enum lull_names_order *order)
{
    const struct lull_names_transfers all = lull_names_transfers_at(m->names, m->number);
    const struct lull_names_transfer *found = NULL;
    for (size_t i = 0; i < all.n; i++) {
        const struct lull_names_transfer *t = &all.at[i];
        if (t->bytes != m->t->bytes) {
            continue;
        }
        *order = lull_names_order_transfer(m->names, m->number, t, m->d);
        if (*order == LULL_NAMES_ORDERED ||
            (*order == LULL_NAMES_NO_MEMORY && m->pair->kind == LULL_ACROSS_AFTER)) {
            return NULL;
        }
        found = found != NULL ? found : t;
    }
    return found;
}

static const char *expected(const struct lull_check_moved *m, enum lull_names_order order)
{
    return order == LULL_NAMES_NO_MEMORY
               ? "the barrier between them needs a VkMemoryBarrier with the accesses of both"
           : m->d->number >= m->number ? "vkCmdPipelineBarrier from TRANSFER, TRANSFER_WRITE to "
                                         "COMPUTE_SHADER is expected between the two"
                                       : "vkCmdPipelineBarrier from COMPUTE_SHADER, SHADER_WRITE "
                                         "to TRANSFER is expected between the two";
}

void lull_check_moved_judge(struct lull_checks *c, const struct lull_check_moved *m)
{
    const struct lull_across_pair *p = m->pair;
    enum lull_names_order order = LULL_NAMES_ORDERED;
    const struct lull_names_transfer *t = call_of(m, &order);
    if (t == NULL) {
        return;
    }
    struct lull_check_site sites[2] = {lull_check_moved_copy(&p->sites[0]),
                                       lull_check_moved_copy(&p->sites[1])};
    struct lull_check_site *call = &sites[m->side], *other = &sites[1 - m->side];
    const char *insn = lull_check_insn(c, p->space, other->pc);
    if (other->insn == NULL && insn != NULL) {
        other->insn = strdup(insn);
    }
    const bool loads =
        m->t->copies && p->kind == (m->side == 0 ? LULL_ACROSS_AFTER : LULL_ACROSS_READ);
    call->insn = strdup(t->call);
    free(call->does);
    call->does = lull_check_text(
        "%s dispatch %" PRIu64 ", %s %" PRIu64 " bytes at address 0x%" PRIx64,
        m->d->number >= m->number ? "in front of" : "behind", p->launches[1 - m->side],
        loads ? "loads" : "stores", m->t->bytes, loads ? m->t->from : m->t->to);
    struct lull_finding *f = lull_checks_late(
        c, "race",
        order == LULL_NAMES_NO_MEMORY
            ? "a transfer and a dispatch, and the barrier between them is not for memory"
            : "a transfer and a dispatch, no barrier between them",
        p->space, sites, p->count);
    if (f != NULL && f->note == NULL) {
        f->note = lull_check_text("%s", expected(m, order));
    }
}
