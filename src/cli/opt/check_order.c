// SPDX-License-Identifier: MIT
#include "cli/opt/check_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/check_buffer.h"

enum lull_names_order lull_check_order_of(const struct lull_across_pair *p,
                                          lull_check_order_fn *order, const void *of,
                                          const struct lull_across_end **ret)
{
    static const enum lull_names_hazard hazards[] = {[LULL_ACROSS_READ] = LULL_NAMES_READ,
                                                     [LULL_ACROSS_WRITE] = LULL_NAMES_WRITE,
                                                     [LULL_ACROSS_AFTER] = LULL_NAMES_AFTER};
    const struct lull_across_end *const ends[] = {&p->first, &p->low, &p->high};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const struct lull_names_access what = {.hazard = hazards[p->kind],
                                               .address = ends[i]->address};
        const enum lull_names_order is = order(of, &what);
        if (is != LULL_NAMES_ORDERED) {
            *ret = ends[i];
            return is;
        }
    }
    *ret = &p->first;
    return LULL_NAMES_ORDERED;
}

const char *lull_check_order_kind(enum lull_names_order order)
{
    static const char *const kinds[] = {
        [LULL_NAMES_ORDERED] = "",
        [LULL_NAMES_NO_MEMORY] = "two dispatches, and the barrier between them is not for memory",
        [LULL_NAMES_ACCESSES] =
            "two dispatches, and the barrier between them is for other accesses",
        [LULL_NAMES_ELSEWHERE] = "two dispatches, and the barrier between them is for other memory",
        [LULL_NAMES_EARLY] = "two dispatches, and the event between them is set in front of both",
        [LULL_NAMES_UNORDERED] = "two dispatches, no barrier between them",
        [LULL_NAMES_LOW] = ("two dispatches, and the semaphore between them is waited for with too "
                            "low a value"),
        [LULL_NAMES_QUEUES] = "two dispatches on two queues, nothing orders them"};
    return kinds[order];
}

const char *lull_check_order_moved(enum lull_names_order order)
{
    return order == LULL_NAMES_NO_MEMORY
               ? "a transfer and a dispatch, and the barrier between them is not for memory"
           : order == LULL_NAMES_ACCESSES
               ? "a transfer and a dispatch, and the barrier between them is for other accesses"
           : order == LULL_NAMES_ELSEWHERE
               ? "a transfer and a dispatch, and the barrier between them is for other memory"
           : order == LULL_NAMES_EARLY
               ? "a transfer and a dispatch, and the event between them is set in front of both"
               : "a transfer and a dispatch, no barrier between them";
}

char *lull_check_order_elsewhere(const struct lull_names *n, uint64_t address)
{
    struct lull_str s = {0};
    const struct lull_names_object *o = lull_check_object_at(n, address, false);
    lull_str_addf(&s, "no memory barrier between the two is of ");
    if (o != NULL) {
        lull_check_buffer_add(o, (int64_t)(address - o->place), &s);
    } else {
        lull_str_addf(&s, "address 0x%" PRIx64, address);
    }
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
    return text;
}

char *lull_check_order_low(const struct lull_names *n, const struct lull_names_dispatch *a,
                           const struct lull_names_dispatch *b)
{
    uint64_t waited = 0, value = 0;
    return lull_names_low(n, a, b, &waited, &value)
               ? lull_check_text("the second's submission waits for value %" PRIu64
                                 " of the timeline semaphore; %" PRIu64
                                 " is signalled behind the first",
                                 waited, value)
               : NULL;
}

char *lull_check_order_expected(const struct lull_names *n, enum lull_names_order order,
                                enum lull_across_kind kind, uint64_t address)
{
    const char *text =
        order == LULL_NAMES_QUEUES
            ? "a semaphore, or a fence that the host waits for, is expected between the two "
              "submissions"
        : order == LULL_NAMES_NO_MEMORY
            ? "the barrier between them needs a VkMemoryBarrier: SHADER_WRITE before it, "
              "SHADER_READ or SHADER_WRITE behind it"
        : order == LULL_NAMES_EARLY ? "vkCmdWaitEvents waits for what is in front of "
                                      "vkCmdSetEvent: that is expected behind "
                                      "the first"
        : order == LULL_NAMES_ACCESSES && kind == LULL_ACROSS_READ
            ? "the barrier between them needs SHADER_WRITE before it, SHADER_READ behind it"
        : order == LULL_NAMES_ACCESSES
            ? "the barrier between them needs SHADER_WRITE before it and behind it"
        : kind == LULL_ACROSS_AFTER
            ? "vkCmdPipelineBarrier from COMPUTE_SHADER to COMPUTE_SHADER is expected between "
              "the two"
            : "vkCmdPipelineBarrier from COMPUTE_SHADER, SHADER_WRITE to COMPUTE_SHADER, "
              "SHADER_READ is expected between the two";
    return order == LULL_NAMES_ELSEWHERE ? lull_check_order_elsewhere(n, address)
                                         : lull_check_text("%s", text);
}

/** The same text with another address at its end. */
static void readdress(struct lull_check_site *s, uint64_t address)
{
    const char *tail = s->does != NULL ? strstr(s->does, "address 0x") : NULL;
    if (tail != NULL) {
        char *does =
            lull_check_text("%.*saddress 0x%" PRIx64, (int)(tail - s->does), s->does, address);
        free(s->does);
        s->does = does;
    }
    s->touched.address = address;
}

void lull_check_order_move(struct lull_check_site sites[2], const struct lull_across_pair *p,
                           const struct lull_across_end *e)
{
    if (e->address == p->first.address) {
        return;
    }
    readdress(&sites[0], e->address);
    readdress(&sites[1], e->address);
    memcpy(sites[1].workgroup, e->workgroup, sizeof e->workgroup);
    memcpy(sites[1].full, e->full, sizeof e->full);
    sites[1].wave = e->wave;
    sites[1].lane = e->lane;
}

struct lull_check_site lull_check_order_indirect(uint64_t launch, uint64_t address)
{
    struct lull_check_site s = {.there = true, .call = true};
    s.insn = strdup("vkCmdDispatchIndirect");
    s.does = lull_check_text("of dispatch %" PRIu64 " loads its workgroups, 4 bytes of them at "
                             "address 0x%" PRIx64,
                             launch, address);
    return s;
}

void lull_check_order_grid(struct lull_checks *c, const struct lull_names *n,
                           enum lull_names_order order, uint32_t space,
                           const struct lull_check_site *stored, uint64_t launch, uint64_t address)
{
    struct lull_check_site sites[2] = {*stored, lull_check_order_indirect(launch, address)};
    const char *insn = lull_check_insn(c, space, sites[0].pc);
    sites[0].insn = insn != NULL ? strdup(insn) : NULL;
    const bool none =
        order == LULL_NAMES_UNORDERED || order == LULL_NAMES_QUEUES || order == LULL_NAMES_EARLY;
    struct lull_finding *f = lull_checks_late(
        c, "race",
        none ? "a dispatch stores the workgroups of an indirect one, no barrier between them"
             : "a dispatch stores the workgroups of an indirect one, and the barrier between "
               "them is for other accesses or memory",
        space, sites, 1);
    if (f != NULL && f->note == NULL) {
        f->note =
            order == LULL_NAMES_QUEUES || order == LULL_NAMES_ELSEWHERE || order == LULL_NAMES_EARLY
                ? lull_check_order_expected(n, order, LULL_ACROSS_READ, address)
                : lull_check_text("vkCmdPipelineBarrier from COMPUTE_SHADER, SHADER_WRITE "
                                  "to DRAW_INDIRECT, INDIRECT_COMMAND_READ is expected "
                                  "between the two");
    }
}
