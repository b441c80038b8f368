// SPDX-License-Identifier: MIT
// Blocks as code. What leaves has the result in w0 and its instruction in x1.
#include "jit/unit.h"

#include <stdlib.h>

#include "jit/a64/a64.h"
#include "jit/a64/encode.h"
#include "jit/jumps.h"

enum { SCALE_X = 3, SCALE_W = 2, IMM_SHIFT = 10, MAX_JUMPS = 8 * LULL_JIT_MAX_BLOCKS };

/** A unit being emitted. */
struct emit {
    const struct lull_jit_maker *m;
    struct lull_jit_unit *unit;
    struct {
        size_t at;       // A jump,
        uint32_t target; // and where it goes: a dword.
        bool pause;      // No instructions are left there.
    } fix[MAX_JUMPS];
    unsigned nfixes;
    size_t end[MAX_JUMPS + 8 * LULL_JIT_MAX_BLOCK]; // Jumps to the end.
    unsigned nends;
    bool failed;
};

static struct lull_x86_mem in_wave(size_t at)
{
    return (struct lull_x86_mem){LULL_RDI, LULL_X86_NONE, (int32_t)at};
}

static void jump_to(struct emit *e, uint32_t word, uint32_t target, bool pause)
{
    if (e->nfixes == MAX_JUMPS) {
        e->failed = true;
        return;
    }
    e->fix[e->nfixes].at = lull_a64_jump(e->m->x, word);
    e->fix[e->nfixes].target = target;
    e->fix[e->nfixes++].pause = pause;
}

static void jump_to_end(struct emit *e)
{
    if (e->nends == sizeof e->end / sizeof e->end[0]) {
        e->failed = true;
        return;
    }
    e->end[e->nends++] = lull_a64_jump(e->m->x, LULL_A64_B);
}

/** w->pc is dword @p at. */
static void set_pc(const struct emit *e, uint32_t at)
{
    const int64_t page = (int64_t)(e->m->p->number << LULL_PAGE_SHIFT);
    // A target may be in front of the page.
    lull_a64_imm(e->m->x, LULL_A64_T0, (uint64_t)(page + 4 * (int64_t)(int32_t)at));
    lull_a64_mem(e->m->x, LULL_A64_STR_X, SCALE_X, LULL_A64_T0,
                 in_wave(offsetof(struct lull_wave, pc)));
}

/** Leave with w->pc at dword @p at. */
static void leave(struct emit *e, uint32_t at)
{
    set_pc(e, at);
    lull_a64_imm(e->m->x, LULL_A64_X0, 0);
    lull_a64_imm(e->m->x, LULL_A64_X1, 0);
    jump_to_end(e);
}

/** T1 is the exit, T0 instructions that are left. */
static void load_budget(const struct emit *e)
{
    lull_a64_mem(e->m->x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T1, lull_a64_at_exit);
    lull_a64_reg(e->m->x, LULL_A64_LDR_W, LULL_A64_T0, LULL_A64_T1, 0);
}

/** They are @p n fewer, or more, by an instruction with an immediate. */
static void change_budget(const struct emit *e, uint32_t word, uint32_t n)
{
    lull_a64_reg(e->m->x, word | n << IMM_SHIFT, LULL_A64_T0, LULL_A64_T0, 0);
    lull_a64_reg(e->m->x, LULL_A64_STR_W, LULL_A64_T0, LULL_A64_T1, 0);
}

/** s_getpc_b64 at dword @p at: where it stands is known. False: it is something else. */
static bool getpc(const struct emit *e, const struct lull_uop *u, uint32_t at)
{
    const unsigned d = u->in->dst;
    if (u->in->op != LULL_RDNA_OP_S_GETPC_B64 || u->ttmp || d + 1 >= LULL_RDNA_TTMP0) {
        return false;
    }
    const uint64_t page = e->m->p->number << LULL_PAGE_SHIFT;
    lull_a64_imm(e->m->x, LULL_A64_T0, page + 4 * (uint64_t)(at + u->ndwords));
    lull_a64_mem(e->m->x, LULL_A64_STR_X, SCALE_X, LULL_A64_T0,
                 in_wave(offsetof(struct lull_wave, sgpr) + 4 * (size_t)d));
    return true;
}

/** Call the interpreter's function of @p u, the instruction at dword @p at, behind @p done others
 * of @p b. */
static void call(struct emit *e, const struct lull_jit_block *b, const struct lull_uop *u,
                 uint32_t at, uint32_t done)
{
    struct lull_x86 *x = e->m->x;
    const struct lull_x86_mem function = {LULL_R15, LULL_X86_NONE,
                                          offsetof(struct lull_jit_area, call)};
    if (getpc(e, u, at)) {
        return;
    }
    if (lull_a64_has_scalar(u)) {
        lull_a64_emit_scalar(x, u);
        return;
    }
    const bool plain = lull_jit_is_scalar(u) || u->cls == LULL_UOP_INLINE;
    if (!plain) {
        set_pc(e, at);
    }
    lull_a64_reg(x, LULL_A64_MOV, LULL_A64_X0, 0, LULL_A64_WAVE);
    lull_a64_imm(x, LULL_A64_X1, (uint64_t)(uintptr_t)u);
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T0, function);
    lull_a64_reg(x, LULL_A64_BLR, 0, LULL_A64_T0, 0);
    if (plain) {
        return;
    }
    const uint32_t cbz_w = 0x34000000, add_w = 0x11000000;
    const size_t good = lull_a64_jump(x, cbz_w | LULL_A64_X0);
    load_budget(e);
    change_budget(e, add_w, b->ninsns - done);
    lull_a64_imm(x, LULL_A64_X1, (uint64_t)(uintptr_t)u);
    jump_to_end(e);
    lull_a64_land(x, good, x->len);
}

/** A region at dword @p at, if there is one that ends in @p b. @return instructions in it. */
static uint32_t region(struct emit *e, const struct lull_jit_block *b, uint32_t at, uint32_t done,
                       uint32_t *ndwords)
{
    const struct lull_jit_maker *m = e->m;
    const size_t before = m->x->len;
    unsigned n = 0, good = 0, most = b->ninsns - done;
    struct lull_jit_region *r = malloc(sizeof *r);
    if (r == NULL) {
        e->failed = true;
        return 0;
    }
    most = most < LULL_JIT_MAX_REGION ? most : LULL_JIT_MAX_REGION;
    do {
        m->x->len = before;
        *r = (struct lull_jit_region){.area = m->area, .target = m->target};
        n = lull_jit_find_region(m->w, m->p, at, m->mode, most, m->items, r);
        good = n != 0 ? lull_a64_emit_strips(m->x, m->pool, m->items, r, m->w->lanes) : 0;
        most = good;
    } while (n != 0 && good != 0 && good < r->ninsns);
    if (n == 0 || good == 0) {
        m->x->len = before;
        free(r);
        return 0;
    }
    r->next = e->unit->regions;
    e->unit->regions = r;
    e->unit->nvectors += n;
    e->unit->nvgprs = r->nvgprs > e->unit->nvgprs ? r->nvgprs : e->unit->nvgprs;
    *ndwords = r->ndwords;
    return r->ninsns;
}

/** The jump at the end of a block. */
static void jump(struct emit *e, const struct lull_uop *u, uint32_t at)
{
    struct lull_x86 *x = e->m->x;
    const enum lull_jit_jump kind = lull_jit_jump_of(u);
    const uint32_t target = lull_jit_target_of(u, at);
    if (kind == LULL_JIT_ALWAYS) {
        jump_to(e, LULL_A64_B, target, false);
        return;
    }
    const bool wide = kind > LULL_JIT_SCC1 && e->m->w->lanes == 64;
    const unsigned sgpr = kind >= LULL_JIT_EXECZ ? LULL_RDNA_EXEC : LULL_RDNA_VCC;
    const struct lull_x86_mem m =
        kind <= LULL_JIT_SCC1 ? in_wave(offsetof(struct lull_wave, scc)) : lull_jit_at_sgpr(sgpr);
    const bool zero = kind == LULL_JIT_SCC0 || kind == LULL_JIT_VCCZ || kind == LULL_JIT_EXECZ;
    lull_a64_mem(x, wide ? LULL_A64_LDR_X : LULL_A64_LDR_W, wide ? SCALE_X : SCALE_W, LULL_A64_T0,
                 m);
    jump_to(e, (zero ? LULL_A64_CBZ : LULL_A64_CBNZ) | LULL_A64_T0, target, false);
    jump_to(e, LULL_A64_B, at + 1, false);
}

static void block(struct emit *e, struct lull_jit_block *b)
{
    const uint32_t cmp_w_0 = 0x7100001f, sub_w = 0x51000000;
    struct lull_x86 *x = e->m->x;
    b->code = x->len;
    if (b->ninsns == 0) {
        leave(e, b->at);
        return;
    }
    load_budget(e);
    lull_a64_reg(x, cmp_w_0, 0, LULL_A64_T0, 0);
    jump_to(e, LULL_A64_BLE, b->at, true);
    change_budget(e, sub_w, b->ninsns);
    uint32_t at = b->at;
    const uint32_t n = b->ninsns - (b->jumps ? 1 : 0);
    for (uint32_t done = 0; done < n && !e->failed;) {
        const struct lull_uop *u = &e->m->p->uop[at];
        uint32_t ndwords = 0;
        const uint32_t k = region(e, b, at, done, &ndwords);
        if (k == 0 && u->cls != LULL_UOP_SKIP) {
            call(e, b, u, at, done);
        }
        done += k != 0 ? k : 1;
        at += k != 0 ? ndwords : u->ndwords;
    }
    if (b->jumps) {
        jump(e, &e->m->p->uop[at], at);
    } else {
        jump_to(e, LULL_A64_B, b->end, false);
    }
}

/** Code that is called, for each block, and what all of it ends with. */
static void enter_and_end(struct emit *e)
{
    struct lull_x86 *x = e->m->x;
    for (unsigned k = 0; k < e->unit->n; k++) {
        struct lull_jit_block *b = &e->unit->block[k];
        b->entry = x->len;
        lull_a64_enter(x);
        lull_a64_land(x, lull_a64_jump(x, LULL_A64_B), b->code);
    }
    for (unsigned k = 0; k < e->nends; k++) {
        lull_a64_land(x, e->end[k], x->len);
    }
    lull_a64_mem(x, LULL_A64_LDR_X, SCALE_X, LULL_A64_T1, lull_a64_at_exit);
    lull_a64_reg(x,
                 LULL_A64_STR_W | (uint32_t)(offsetof(struct lull_exec_exit, result) >> SCALE_W)
                                      << IMM_SHIFT,
                 LULL_A64_X0, LULL_A64_T1, 0);
    lull_a64_reg(
        x, LULL_A64_STR_X | (uint32_t)(offsetof(struct lull_exec_exit, u) >> SCALE_X) << IMM_SHIFT,
        LULL_A64_X1, LULL_A64_T1, 0);
    lull_a64_leave(x);
}

bool lull_a64_emit_unit(const struct lull_jit_maker *m, struct lull_jit_unit *unit)
{
    struct emit *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return false;
    }
    e->m = m;
    e->unit = unit;
    for (unsigned k = 0; k < unit->n; k++) {
        block(e, &unit->block[k]);
    }
    for (unsigned k = 0; k < e->nfixes; k++) {
        const int to = e->fix[k].pause ? -1 : lull_jit_find_block(unit, e->fix[k].target);
        lull_a64_land(m->x, e->fix[k].at, to >= 0 ? unit->block[to].code : m->x->len);
        if (to < 0) {
            leave(e, e->fix[k].target);
        }
    }
    enter_and_end(e);
    const bool ok = !e->failed && !m->x->full;
    free(e);
    return ok;
}
