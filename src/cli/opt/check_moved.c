// SPDX-License-Identifier: MIT
#include "cli/opt/check_moved.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/check_buffer.h"
#include "cli/opt/check_order.h"

struct lull_check_site lull_check_moved_copy(const struct lull_check_site *from)
{
    struct lull_check_site s = *from;
    s.insn = s.insn != NULL ? strdup(s.insn) : NULL;
    s.does = s.does != NULL ? strdup(s.does) : NULL;
    return s;
}

/** Can it be this call? Shaders of RADV's move 16 bytes with each of 64 work-items. Source: Mesa
 * radv_meta_buffer.c. */
static bool may_be(const struct lull_check_moved *m, const struct lull_names_transfer *t)
{
    enum { GROUP_BYTES = 64 * 16 };
    return m->t != NULL ? t->bytes == m->t->bytes
                        : (t->bytes + GROUP_BYTES - 1) / GROUP_BYTES == m->groups;
}

/** A call that it may be. */
struct asked {
    const struct lull_check_moved *m;
    const struct lull_names_transfer *t;
};

static enum lull_names_order order_of_call(const void *of, const struct lull_names_access *what)
{
    const struct asked *a = of;
    return lull_names_order_transfer(a->m->names, a->m->number, a->t, a->m->d, what);
}

/** The call that it is. Of several of its size that are in the same place each may be: NULL if
 * something orders one of them. @p grid: the address that an indirect dispatch loads; 0: none. */
static const struct lull_names_transfer *call_of(const struct lull_check_moved *m, uint64_t grid,
                                                 enum lull_names_order *order,
                                                 const struct lull_across_end **end)
{
    const struct lull_names_transfers all = lull_names_transfers_at(m->names, m->number);
    const struct lull_names_transfer *found = NULL;
    for (size_t i = 0; i < all.n; i++) {
        const struct asked asked = {m, &all.at[i]};
        if (!may_be(m, asked.t)) {
            continue;
        }
        *order = grid != 0
                     ? lull_names_order_transfer_grid(m->names, m->number, asked.t, m->d, grid)
                     : lull_check_order_of(m->pair, order_of_call, &asked, end);
        if (*order == LULL_NAMES_ORDERED) {
            return NULL;
        }
        found = found != NULL ? found : asked.t;
    }
    return found;
}

static const char *expected(const struct lull_check_moved *m, enum lull_names_order order)
{
    return order == LULL_NAMES_NO_MEMORY || order == LULL_NAMES_ACCESSES
               ? "the barrier between them needs a VkMemoryBarrier with the accesses of both"
           : order == LULL_NAMES_EARLY
               ? "vkCmdWaitEvents waits for what is in front of vkCmdSetEvent: that is expected "
                 "behind the first"
           : m->d->number >= m->number ? "vkCmdPipelineBarrier from TRANSFER, TRANSFER_WRITE to "
                                         "COMPUTE_SHADER is expected between the two"
                                       : "vkCmdPipelineBarrier from COMPUTE_SHADER, SHADER_WRITE "
                                         "to TRANSFER is expected between the two";
}

/** What the call did, as @p call says of its part of it. */
static void tell_call(const struct lull_check_moved *m, const struct lull_names_transfer *t,
                      struct lull_check_site *call)
{
    const char *where = m->d->number >= m->number ? "in front of" : "behind";
    const uint64_t launch = m->pair->launches[1 - m->side];
    char *does = NULL;
    if (m->t != NULL) {
        const bool loads =
            m->t->copies && m->pair->kind == (m->side == 0 ? LULL_ACROSS_AFTER : LULL_ACROSS_READ);
        const uint64_t address = loads ? m->t->from : m->t->to;
        struct lull_str buffer = {0};
        const struct lull_names_object *o = lull_check_object_at(m->names, address, false);
        if (o != NULL) {
            lull_check_buffer_add(o, (int64_t)(address - o->place), &buffer);
        }
        does = lull_check_text("%s dispatch %" PRIu64 ", %s %" PRIu64 " bytes at address 0x%" PRIx64
                               "%s%s",
                               where, launch, loads ? "loads" : "stores", m->t->bytes, address,
                               buffer.size != 0 ? ", " : "", lull_str_text(&buffer));
        lull_str_free(&buffer);
    } else {
        const char *part = call->does != NULL ? strstr(call->does, "dispatch") : NULL;
        does = lull_check_text("%s dispatch %" PRIu64 ", of %" PRIu64 " bytes: the driver's %s",
                               where, launch, t->bytes, part != NULL ? part : "own dispatch");
    }
    free(call->does);
    call->does = does;
    call->call = true;
    call->stage = NULL;
}

void lull_check_moved_judge(struct lull_checks *c, const struct lull_check_moved *m)
{
    const struct lull_across_pair *p = m->pair;
    enum lull_names_order order = LULL_NAMES_ORDERED;
    const struct lull_across_end *end = NULL;
    const struct lull_names_transfer *t = call_of(m, 0, &order, &end);
    if (t == NULL) {
        return;
    }
    struct lull_check_site sites[2] = {lull_check_moved_copy(&p->sites[0]),
                                       lull_check_moved_copy(&p->sites[1])};
    lull_check_order_move(sites, p, end);
    struct lull_check_site *call = &sites[m->side], *other = &sites[1 - m->side];
    const char *insn = lull_check_insn(c, p->space, other->pc);
    if (other->insn == NULL && insn != NULL) {
        other->insn = strdup(insn);
    }
    call->insn = strdup(t->call);
    tell_call(m, t, call);
    struct lull_finding *f =
        lull_checks_late(c, "race", lull_check_order_moved(order), p->space, sites, p->count);
    if (f != NULL && f->note == NULL) {
        f->note = order == LULL_NAMES_ELSEWHERE ? lull_check_order_elsewhere(m->names, end->address)
                                                : lull_check_text("%s", expected(m, order));
    }
}

bool lull_check_moved_grid(struct lull_checks *c, const struct lull_check_moved *m, uint64_t launch,
                           uint64_t address)
{
    enum lull_names_order order = LULL_NAMES_ORDERED;
    const struct lull_across_end *end = NULL;
    const struct lull_names_transfer *t = call_of(m, address, &order, &end);
    if (t == NULL) {
        return false;
    }
    struct lull_check_site sites[2] = {{.there = true, .call = true},
                                       lull_check_order_indirect(launch, address)};
    sites[0].insn = strdup(t->call);
    sites[0].does = m->t != NULL
                        ? lull_check_text("in front of dispatch %" PRIu64 ", stores %" PRIu64
                                          " bytes at address 0x%" PRIx64,
                                          launch, m->t->bytes, m->t->to)
                        : lull_check_text("in front of dispatch %" PRIu64 ", of %" PRIu64
                                          " bytes: by a dispatch of the driver's",
                                          launch, t->bytes);
    const bool none = order == LULL_NAMES_UNORDERED || order == LULL_NAMES_EARLY;
    struct lull_finding *f = lull_checks_late(
        c, "race",
        none ? "a transfer stores the workgroups of an indirect dispatch, no barrier between them"
             : "a transfer stores the workgroups of an indirect dispatch, and the barrier between "
               "them is for other accesses or memory",
        m->t != NULL ? m->t->space : 0, sites, 1);
    if (f != NULL && f->note == NULL) {
        f->note = order == LULL_NAMES_ELSEWHERE
                      ? lull_check_order_elsewhere(m->names, address)
                      : lull_check_text("vkCmdPipelineBarrier from TRANSFER, TRANSFER_WRITE to "
                                        "DRAW_INDIRECT, INDIRECT_COMMAND_READ is expected between "
                                        "the two");
    }
    return true;
}
