// SPDX-License-Identifier: MIT
// Findings with the instruction that they depend on.
#include <string.h>

#include "check/ir3/state.h"

enum { WORD = 8 };

/** Text of the instruction @p word, owned by the caller; NULL: no memory. */
static char *text_of(const struct lull_ir3h_now *n, uint64_t word, uint64_t pc)
{
    const struct lull_arch_mode mode = {.gen = n->insn->gen, .lax = true};
    const struct lull_insn_print how = {.pc = pc, .lanes = n->at->lanes};
    struct lull_str s = {0};
    uint8_t bytes[WORD];
    for (unsigned i = 0; i < WORD; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
    (void)lull_arch_show(&lull_arch_ir3, &mode, &how, bytes, sizeof bytes, &s);
    char *text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    lull_error_free(s.err);
    lull_str_free(&s);
    return text;
}

void lull_ir3h_tell(const struct lull_ir3h_now *n, enum lull_hazard_kind kind, unsigned number,
                    const struct lull_ir3h_mark *cause, const char *missing, unsigned slots)
{
    struct lull_hazard *f = lull_hazard_found(n->now, kind, number, cause->pc);
    if (f != NULL && f->count == 1) {
        f->cause_insn = text_of(n, cause->word, cause->pc);
        f->missing = missing;
        f->slots = slots;
    }
}
