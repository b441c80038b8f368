// SPDX-License-Identifier: MIT
#include "check/plans.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"

enum { FIRST_ROOM = 1024 };

/** An instruction: what is kept of it, and behind that the instruction. */
struct lull_plan {
    uint64_t pc;
    const struct lull_arch *arch;
    uint32_t space, lanes;
    uint64_t decoded; // As it was seen last: with insn, it need not be compared again.
    const struct lull_insn *insn;
    _Alignas(16) unsigned char kept[];
};

static bool is(const struct lull_plans *p, struct lull_plan *plan, const struct lull_observed *at)
{
    if (plan->pc != at->pc || plan->space != at->space || plan->lanes != at->lanes) {
        return false;
    }
    if (at->decoded != 0 && plan->decoded == at->decoded && plan->insn == at->insn) {
        return true;
    }
    if (memcmp(plan->kept + p->bytes, at->insn, at->insn_bytes) != 0) {
        return false;
    }
    plan->decoded = at->decoded;
    plan->insn = at->insn;
    return true;
}

static size_t hash_of(uint64_t pc, uint32_t space)
{
    return (size_t)((pc / 4 + space) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool grow(struct lull_plans *p)
{
    const size_t room = p->room != 0 ? 2 * p->room : FIRST_ROOM;
    struct lull_plan **at = calloc(room, sizeof *at);
    if (at == NULL) {
        return false;
    }
    for (size_t i = 0; i < p->room; i++) {
        if (p->at[i] != NULL) {
            size_t to = hash_of(p->at[i]->pc, p->at[i]->space) & (room - 1);
            while (at[to] != NULL) {
                to = (to + 1) & (room - 1);
            }
            at[to] = p->at[i];
        }
    }
    free(p->at);
    p->at = at;
    p->room = room;
    return true;
}

static struct lull_plan *find(struct lull_plans *p, const struct lull_observed *at, bool *fresh)
{
    if (2 * (p->n + 1) > p->room && !grow(p)) {
        return NULL;
    }
    size_t i = hash_of(at->pc, at->space) & (p->room - 1);
    while (p->at[i] != NULL && !is(p, p->at[i], at)) {
        i = (i + 1) & (p->room - 1);
    }
    if (p->at[i] != NULL) {
        return p->at[i];
    }
    struct lull_plan *plan = calloc(1, sizeof *plan + p->bytes + at->insn_bytes);
    if (plan == NULL) {
        return NULL;
    }
    plan->pc = at->pc;
    plan->arch = at->arch;
    plan->space = at->space;
    plan->lanes = at->lanes;
    plan->decoded = at->decoded;
    plan->insn = at->insn;
    memcpy(plan->kept + p->bytes, at->insn, at->insn_bytes);
    p->at[i] = plan;
    p->n++;
    *fresh = true;
    return plan;
}

void *lull_plans_of(struct lull_plans *p, const struct lull_observed *at, bool *fresh)
{
    *fresh = false;
    if (p->recent == NULL) {
        p->recent = calloc(LULL_PLANS_RECENT, sizeof(void *));
        if (p->recent == NULL) {
            return NULL;
        }
    }
    struct lull_plan **recent = &p->recent[at->pc / 4 % LULL_PLANS_RECENT];
    if (*recent == NULL || !is(p, *recent, at)) {
        struct lull_plan *plan = find(p, at, fresh);
        if (plan == NULL) {
            return NULL;
        }
        *recent = plan;
    }
    return (*recent)->kept;
}

/** Is the instruction at @p code this one? */
static bool is_text(const struct lull_plans *p, const struct lull_plan *plan,
                    const struct lull_plans_code *code, size_t at)
{
    const struct lull_arch_mode mode = {.gen = code->gen, .lax = true};
    const struct lull_insn_print how = {.lanes = plan->lanes, .pc = plan->pc};
    struct lull_str was = {0}, is = {0};
    plan->arch->print((const struct lull_insn *)(const void *)(plan->kept + p->bytes), &how, &was);
    const bool same = lull_arch_show(plan->arch, &mode, &how, (const uint8_t *)code->bytes + at,
                                     code->size - at, &is) != 0 &&
                      was.err == NULL && is.err == NULL &&
                      strcmp(lull_str_text(&was), lull_str_text(&is)) == 0;
    lull_error_free(was.err);
    lull_error_free(is.err);
    lull_str_free(&was);
    lull_str_free(&is);
    return same;
}

bool lull_plans_ran(const struct lull_plans *p, uint64_t begin, const struct lull_plans_code *code)
{
    enum { SEEN = 1, IS = 2 };
    const size_t bytes = code->size;
    uint8_t *marks = calloc(bytes + 1, 1);
    bool any = false;
    for (size_t i = 0; marks != NULL && i < p->room; i++) {
        const struct lull_plan *plan = p->at[i];
        const uint64_t offset = plan != NULL ? plan->pc - begin : bytes;
        if (offset < bytes && (marks[offset] & IS) == 0) {
            const bool same = is_text(p, plan, code, offset);
            marks[offset] |= same ? SEEN | IS : SEEN;
            any = true;
        }
    }
    for (size_t i = 0; any && i < bytes; i++) {
        any = marks[i] != SEEN;
    }
    free(marks);
    return any;
}

void lull_plans_done(struct lull_plans *p)
{
    for (size_t i = 0; i < p->room; i++) {
        free(p->at[i]);
    }
    free(p->at);
    free(p->recent);
    p->at = p->recent = NULL;
    p->n = p->room = 0;
}
