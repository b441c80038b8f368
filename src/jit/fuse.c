// SPDX-License-Identifier: MIT
#include "jit/fuse.h"

enum { WIDTH = 32, FAR = 8 }; // Items between the two, at most.

/** The one vector instruction that @p item is, if its operation is @p op; else NULL. */
static struct lull_jit_vector *is(struct lull_jit_item *item, unsigned op)
{
    const bool found = item->kind == LULL_JIT_ITEM_VECTOR && item->nvectors == 1 &&
                       item->u->in->op == op && item->u->in->enc != LULL_RDNA_VOPD &&
                       !item->v[0].shuffled;
    return found ? &item->v[0] : NULL;
}

/** A constant from 1 to 31; else 0. */
static unsigned amount(const struct lull_jit_vector *v, unsigned n)
{
    const unsigned k = v->src[n] - (unsigned)LULL_RDNA_INT0;
    return v->src[n] >= LULL_RDNA_INT0 && k < WIDTH ? k : 0;
}

static bool is_vgpr(unsigned src)
{
    return src >= LULL_RDNA_VGPR0 && src < LULL_RDNA_VGPR0 + LULL_JIT_VGPRS;
}

/** Whether @p item may read VGPR operand @p src; @p write: or write it. */
static bool touches(const struct lull_jit_item *item, unsigned src, bool write)
{
    const unsigned r = src - (unsigned)LULL_RDNA_VGPR0;
    bool found = item->kind == LULL_JIT_ITEM_LDS; // Rare here: not looked at.
    for (unsigned k = 0; item->kind == LULL_JIT_ITEM_VECTOR && k < item->nvectors; k++) {
        const struct lull_jit_vector *v = &item->v[k];
        for (unsigned n = 0; n < 3 && !write; n++) {
            const unsigned last = v->src[n] + lull_jit_source_dwords(v, n) - 1;
            found = found || (v->src[n] <= src && src <= last);
        }
        const bool swaps = v->t == NULL && v->src[0] == src;
        found = found || swaps ||
                (v->mask_out == LULL_RDNA_NONE || v->t->mask == 0
                     ? v->dst <= r && r < v->dst + lull_jit_result_dwords(v)
                     : false);
    }
    return found;
}

/** The shift to the right that @p j, the rest of a rotation, is made with; NULL: it is none. */
static struct lull_jit_item *find_shift(struct lull_jit_item *items, unsigned j,
                                        const struct lull_jit_vector *rest)
{
    const unsigned by = WIDTH - amount(rest, 1);
    bool touched = false;
    for (unsigned i = j; i-- != 0 && j - i <= FAR && !touched;) {
        const struct lull_jit_vector *v = is(&items[i], LULL_RDNA_OP_V_LSHRREV_B32);
        if (v != NULL && v->dst + (unsigned)LULL_RDNA_VGPR0 == rest->src[2] && amount(v, 0) == by &&
            v->src[1] == rest->src[0] && v->src[1] != rest->src[2]) {
            return &items[i];
        }
        touched = touches(&items[i], rest->src[2], false) || touches(&items[i], rest->src[0], true);
    }
    return NULL;
}

void lull_jit_fuse(const struct lull_jit_target *t, struct lull_jit_item *items, unsigned n)
{
    const uint16_t same = t->rows[LULL_RDNA_OP_V_ALIGNBIT_B32].same;
    for (unsigned j = 1; j < n && same != 0; j++) {
        struct lull_jit_vector *rest = is(&items[j], LULL_RDNA_OP_V_LSHL_OR_B32);
        if (rest == NULL || amount(rest, 1) == 0 || !is_vgpr(rest->src[0]) ||
            !is_vgpr(rest->src[2])) {
            continue;
        }
        struct lull_jit_item *shift = find_shift(items, j, rest);
        if (shift == NULL) {
            continue;
        }
        const unsigned by = WIDTH - amount(rest, 1);
        rest->t = &t->templates[same - 1];
        rest->src[1] = rest->src[0];
        if (rest->dst + (unsigned)LULL_RDNA_VGPR0 == rest->src[2]) {
            shift->kind = LULL_JIT_ITEM_NOTHING;
        }
        rest->src[2] = (uint16_t)(LULL_RDNA_INT0 + by);
    }
}
