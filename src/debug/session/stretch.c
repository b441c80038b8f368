// SPDX-License-Identifier: MIT
#include "debug/session/stretch.h"

#include "debug/code/code.h"

enum { MAX_INSNS = 4096 };

/* The wave may execute the instruction at @p va, and stand there, with nobody looking. */
static bool is_in(struct lull_debug *d, const struct lull_stretches *s, uint64_t va,
                  unsigned *ret_size)
{
    struct lull_code_insn in = {0};
    const bool known = lull_code_at(d->target, va, &in);
    *ret_size = in.size;
    return known && in.kind != LULL_CODE_BARRIER && in.kind != LULL_CODE_END &&
           (in.kind != LULL_CODE_CALL || !s->over) && lull_debug_breakpoint_at(d, va) == NULL &&
           (s->ends_at == NULL || !s->ends_at(s->ctx, va));
}

const struct lull_step_range *lull_debug_stretch(struct lull_debug *d, struct lull_stretches *s,
                                                 uint64_t va, uint64_t n)
{
    if (d->target->ops->step_within == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < LULL_STRETCHES; i++) {
        if (va - s->known[i].va < s->known[i].size) {
            return &s->known[i];
        }
    }
    uint64_t end = va;
    unsigned size = 0;
    for (uint64_t i = 0; i < n && i < MAX_INSNS && is_in(d, s, end, &size); i++) {
        end += size;
    }
    if (end == va) {
        return NULL;
    }
    struct lull_step_range *r = &s->known[s->next];
    s->next = (s->next + 1) % LULL_STRETCHES;
    *r = (struct lull_step_range){.va = va, .size = (uint32_t)(end - va)};
    return r;
}
