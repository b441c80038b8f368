// SPDX-License-Identifier: MIT
#include "jit/shuffle.h"

#include <string.h>

#include "jit/machine.h"
#include "model/amd/wave/wave.h"

enum { ALL_ROWS = 15 };

static bool is_32(uint8_t type)
{
    return type == LULL_T_B32 || type == LULL_T_F32 || type == LULL_T_NONE || type == LULL_T_MASK;
}

bool lull_jit_all_write(const struct lull_rdna_insn *in)
{
    return in->dpp == LULL_RDNA_NO_DPP || in->dpp == LULL_RDNA_DPP8 ||
           (in->bound_ctrl && in->row_mask == ALL_ROWS && in->bank_mask == ALL_ROWS);
}

bool lull_jit_is_shuffled(const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    const struct lull_sem *sem = &lull_sem[in->op];
    const bool known = in->dpp != LULL_RDNA_NO_DPP && lull_valu_dpp_known(in) &&
                       in->enc != LULL_RDNA_VOP3P && in->src[0] >= LULL_RDNA_VGPR0 &&
                       in->src[0] < LULL_RDNA_VGPR0 + LULL_JIT_VGPRS && is_32(sem->d) &&
                       is_32(sem->src[0]) && is_32(sem->src[1]) && is_32(sem->src[2]);
    return known &&
           (lull_jit_all_write(in) || (sem->d != LULL_T_MASK && in->sdst == LULL_RDNA_NONE &&
                                       (sem->flags & LULL_SEM_EXEC) == 0));
}

/** A VGPR that @p u does not name. */
static unsigned another(const struct lull_uop *u)
{
    const struct lull_rdna_insn *in = u->in;
    unsigned r = LULL_RDNA_VGPR0;
    while (in->dst == r || in->src[0] == r || in->src[1] == r || in->src[2] == r) {
        r++;
    }
    return r - LULL_RDNA_VGPR0;
}

unsigned lull_jit_shuffle_nvgprs(const struct lull_uop *u)
{
    return another(u) + 1;
}

void lull_jit_make_shuffled(struct lull_wave *w, const struct lull_uop *u,
                            struct lull_jit_shuffled *to)
{
    to->on = 0;
    for (unsigned half = 0; half < w->lanes / 32; half++) {
        const uint64_t on = lull_valu_shuffle(w, u, half, to->v + 32 * half);
        to->on |= on << 32 * half;
    }
}

void lull_jit_emit_shuffle(struct lull_x86 *x, const struct lull_uop *u, struct lull_jit_area *area,
                           unsigned n)
{
    lull_x86_load_imm(x, LULL_RSI, (uint64_t)(uintptr_t)u);
    lull_x86_load_imm(x, LULL_RDX, (uint64_t)(uintptr_t)&area->shuffled[n]);
    lull_x86_call(x, (uint64_t)(uintptr_t)lull_jit_make_shuffled);
    lull_x86_move(x, LULL_RDI, LULL_R12);
}

/** Where member @p at of source @p n is. */
static int32_t place(unsigned n, size_t at)
{
    return (int32_t)(offsetof(struct lull_jit_area, shuffled) +
                     sizeof(struct lull_jit_shuffled) * (size_t)n + at);
}

unsigned lull_jit_load_shuffled(struct lull_jit_window *q, unsigned n)
{
    const unsigned p = lull_jit_grab(q);
    q->target->machine->strip_of(q, p, place(n, offsetof(struct lull_jit_shuffled, v)));
    return p;
}

unsigned lull_jit_merge_shuffled(struct lull_jit_window *q, unsigned n, unsigned p, uint32_t vgpr)
{
    const struct lull_x86_mem bits = {LULL_R15, LULL_RBX,
                                      place(n, offsetof(struct lull_jit_shuffled, on))};
    const bool was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned old = lull_jit_named(q, LULL_JIT_VGPR, vgpr), mask = lull_jit_grab_mask(q);
    const bool old_was = q->slot[old].lock;
    q->slot[old].lock = true;
    const unsigned t = lull_jit_grab(q);
    q->slot[old].lock = old_was;
    q->slot[p].lock = was;
    q->target->machine->mask_load(q, mask, bits);
    q->target->machine->blend(q, t, old, p, mask);
    lull_jit_drop(q, mask);
    return t;
}

void lull_jit_redo_shuffled(struct lull_wave *w, const struct lull_uop *u,
                            const struct lull_jit_shuffled *from)
{
    struct lull_rdna_insn in = *u->in;
    struct lull_uop one = *u;
    uint32_t saved[sizeof from->v / sizeof from->v[0]];
    const uint32_t exec[] = {w->sgpr[LULL_RDNA_EXEC], w->sgpr[LULL_RDNA_EXEC + 1]};
    const unsigned r = another(u);
    uint32_t *v = w->vgpr + (size_t)r * w->lanes;
    in.dpp = LULL_RDNA_NO_DPP;
    in.src[0] = (uint16_t)(LULL_RDNA_VGPR0 + r);
    one.in = &in;
    memcpy(saved, v, sizeof *v * w->lanes);
    memcpy(v, from->v, sizeof *v * w->lanes);
    w->sgpr[LULL_RDNA_EXEC] &= (uint32_t)from->on;
    w->sgpr[LULL_RDNA_EXEC + 1] &= (uint32_t)(from->on >> 32);
    one.fn(w, &one);
    memcpy(v, saved, sizeof *v * w->lanes);
    w->sgpr[LULL_RDNA_EXEC] = exec[0];
    w->sgpr[LULL_RDNA_EXEC + 1] = exec[1];
}
