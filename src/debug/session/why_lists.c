// SPDX-License-Identifier: MIT
#include "debug/session/why_priv.h"

void lull_why_operand(struct lull_why_operands *o, const struct lull_debug_wave *w, unsigned reg,
                      unsigned lane)
{
    for (unsigned i = 0; i < o->n; i++) { // "v1, v1" is one operand.
        if (o->of[i].reg == reg && o->of[i].lane == lane && o->of[i].w == w) {
            return;
        }
    }
    if (o->n < LULL_WHY_OPERANDS) {
        o->of[o->n++] = (struct lull_why_operand){.w = w, .reg = reg, .lane = lane};
    }
}

void lull_why_piece(struct lull_why_pieces *p, const struct lull_why_piece *piece)
{
    if (p->n < LULL_WHY_PIECES) {
        p->of[p->n++] = *piece;
    }
}
