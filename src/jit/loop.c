// SPDX-License-Identifier: MIT
// Code of loops that go strip by strip. rdi, r12: the wave; rbx: the strip's byte in masks; r13:
// its part of VGPR 0; r14: constants; r15: struct lull_jit_area; ebp: instructions still to be
// executed, counted by each strip for itself.
//
// VGPRs of the loop have registers of their own, their homes, and so have masks. A part of the loop
// is what is between changes of EXEC, jumps and the end: in it values go where there is room, at
// its end to their homes in the lanes that are on. A strip with a NaN ends the loop: all is as it
// was when it was entered, and goes on in step.
#include "jit/loop.h"

#include <string.h>

#include "jit/jumps.h"
#include "jit/masks.h"
#include "jit/scalar.h"

enum {
    FIRST_HOME = 31,             // Downwards.
    FIRST_MASK = LULL_JIT_K + 5, // The same.
    ON = 7,                      // k7.
    STRETCH = 1024,              // Instructions, about, before the loop is entered again.
    SKIPS = 64,                  // Times that it is not, after a NaN.
    MANY_JUMPS = 2 * LULL_JIT_LOOP_ITEMS,
    CC_JGE = 13,
    CC_JG = 15,
    CC_JNS = 9,
    NOWHERE = LULL_JIT_LOOP_ITEMS, // No step and no item.
};

// Of k registers, 16 bits: kandw, kandnw, korw, kxorw, kortestw.
static const struct lull_vex k_and = {1, 0, 0, 1, 0x41}, k_and_not = {1, 0, 0, 1, 0x42},
                             k_or = {1, 0, 0, 1, 0x45}, k_xor = {1, 0, 0, 1, 0x47},
                             k_or_test = {1, 0, 0, 0, 0x98};

/** What a mask is known to be. */
enum known {
    OTHER,  ///< What stands in its register.
    ZERO,   ///< No lane.
    BEFORE, ///< EXEC of the head of the loop, which is not 0: k7.
};

struct emit {
    struct lull_jit_window q;
    const struct lull_jit_loop *l;
    unsigned njumps, nleaves;
    size_t doubt[MANY_JUMPS]; // Jumps of strips in doubt.
    struct {
        size_t at;
        unsigned step;
        uint32_t pend; // VGPRs that are to be looked at, by number.
    } leaves[2 * LULL_JIT_LOOP_BLOCKS];
    uint32_t pend; // The same at the head.
    uint32_t next; // The same at the end.
    uint8_t is[LULL_JIT_LOOP_MASKS],
        held[LULL_JIT_LOOP_MASKS]; // enum known: what it is, and its register.
    struct {
        bool there;
        size_t at; // The jump where no lane passes a comparison that sets EXEC.
        unsigned step, item;
        struct lull_jit_window q;
        uint8_t is[LULL_JIT_LOOP_MASKS];
    } quick;
};

static int32_t at_area(size_t member)
{
    return (int32_t)(offsetof(struct lull_jit_area, looped) + member);
}

#define AT(member) at_area(offsetof(struct lull_jit_looped, member))

static int32_t at_sgpr(unsigned sgpr)
{
    return (int32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)sgpr);
}

static void text(struct lull_x86 *x, const char *bytes, size_t n)
{
    lull_x86_bytes(x, bytes, n);
}

/** An instruction that ends with a 32-bit displacement. */
static void with(struct lull_x86 *x, const char *bytes, size_t n, int32_t disp)
{
    lull_x86_bytes(x, bytes, n);
    lull_x86_u32(x, (uint32_t)disp);
}

/** Instructions whose displacement follows. */
static const char load_ebp[] = "\x41\x8b\xaf", // mov ebp,[r15+disp]
    store_ebp[] = "\x41\x89\xaf",              // mov [r15+disp],ebp
    compare_ebp[] = "\x41\x3b\xaf",            // cmp ebp,[r15+disp]
    store_eax[] = "\x41\x89\x87",              // mov [r15+disp],eax
    load_wave[] = "\x48\x8b\x87",              // mov rax,[rdi+disp]
    store_wave[] = "\x48\x89\x87",             // mov [rdi+disp],rax
    load_area[] = "\x49\x8b\x87",              // mov rax,[r15+disp]
    store_area[] = "\x49\x89\x87";             // mov [r15+disp],rax

static void put(struct lull_x86 *x, const char bytes[4], int32_t disp)
{
    with(x, bytes, 3, disp);
}

/** SGPRs and SCC to copy @p n of those in the area, or back. */
static void scalars(const struct emit *e, unsigned n, bool back)
{
    struct lull_x86 *x = e->q.x;
    for (unsigned i = 0; i < e->l->npairs; i++) {
        const int32_t wave = at_sgpr(2u * e->l->pair[i]),
                      kept = AT(scalar) + (int32_t)(64 * n + 8 * i);
        if (back) {
            put(x, load_area, kept);
            put(x, store_wave, wave);
        } else {
            put(x, load_wave, wave);
            put(x, store_area, kept);
        }
    }
    const int32_t scc = (int32_t)offsetof(struct lull_wave, scc), kept = AT(scc) + (int32_t)(4 * n);
    if (back) {
        with(x, "\x41\x8b\x87", 3, kept); // mov eax,[r15+disp]
        with(x, "\x89\x87", 2, scc);      // mov [rdi+disp],eax
    } else {
        with(x, "\x8b\x87", 2, scc); // mov eax,[rdi+disp]
        put(x, store_eax, kept);
    }
}

/** Masks of all strips, before any has changed them, to the area or back. */
static void masks(const struct emit *e, bool back)
{
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        const int32_t wave = at_sgpr(e->l->mask[i]), kept = AT(mask) + (int32_t)(8 * i);
        if (back) {
            put(e->q.x, load_area, kept);
            put(e->q.x, store_wave, wave);
        } else {
            put(e->q.x, load_wave, wave);
            put(e->q.x, store_area, kept);
        }
    }
}

static unsigned mask_slot(unsigned n)
{
    return n == 0 ? LULL_JIT_ON : FIRST_MASK + 1 - n;
}

static unsigned k_of(unsigned n)
{
    return mask_slot(n) - LULL_JIT_K;
}

static struct lull_x86_mem mask_at(const struct emit *e, unsigned n)
{
    return (struct lull_x86_mem){LULL_RDI, LULL_RBX, at_sgpr(e->l->mask[n])};
}

/** Homes hold what they are named by, and nothing else stands anywhere. */
static void at_head(struct emit *e, uint32_t pend)
{
    struct lull_jit_window *q = &e->q;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        lull_jit_drop(q, p);
    }
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        q->slot[FIRST_HOME - i] = (struct lull_jit_slot){.kind = LULL_JIT_VGPR,
                                                         .key = e->l->vgpr[i],
                                                         .home = true,
                                                         .pend = (pend >> i & 1) != 0};
    }
    for (unsigned i = 1; i < e->l->nmasks; i++) {
        q->slot[mask_slot(i)] =
            (struct lull_jit_slot){.kind = LULL_JIT_MASK, .key = e->l->mask[i], .home = true};
    }
}

/** eax, then rax: where this strip of the VGPRs that are kept is, but for its offset. */
static void kept_base(struct lull_x86 *x)
{
    text(x, "\x89\xd8\xc1\xe0\x05\x4c\x01\xf8", 8); // mov eax,ebx; shl eax,5; add rax,r15
}

static struct lull_x86_mem kept_at(unsigned i)
{
    const size_t each = sizeof((struct lull_jit_looped *)NULL)->vgpr[0];
    return (struct lull_x86_mem){LULL_RAX, LULL_X86_NONE, AT(vgpr) + (int32_t)(each * i)};
}

/** A strip begins. */
static void load_strip(struct emit *e)
{
    struct lull_jit_window *q = &e->q;
    kept_base(q->x);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        lull_jit_load(q, FIRST_HOME - i, lull_jit_at_vgpr(q, e->l->vgpr[i]));
        if (e->l->written[i]) {
            lull_jit_store(q, FIRST_HOME - i, kept_at(i));
        }
    }
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        lull_jit_load(q, mask_slot(i), mask_at(e, i));
    }
}

/** Strips with lanes that are known to be in doubt leave. */
static void leave_in_doubt(struct emit *e)
{
    if (e->q.checked && e->njumps < MANY_JUMPS) {
        e->doubt[e->njumps++] = lull_jit_doubt_jump(&e->q);
    }
    e->q.failed = e->q.failed || e->njumps == MANY_JUMPS;
    e->q.checked = false;
}

static void look_for_nans(struct emit *e)
{
    lull_jit_check_pending(&e->q);
    leave_in_doubt(e);
}

/** A part ends: lanes that are on go home. @p look: EXEC changes, so NaNs are looked for before;
 * else who reads a value later may do it. */
static void end_part(struct emit *e, bool look)
{
    const struct lull_evex merge = {.op = {1, 0, 0, 2, 0x28}, .k = ON};
    struct lull_jit_window *q = &e->q;
    if (look) {
        look_for_nans(e);
    }
    leave_in_doubt(e);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        const unsigned home = FIRST_HOME - i;
        const int p = lull_jit_find(q, LULL_JIT_VGPR, e->l->vgpr[i]);
        if (p >= 0 && (unsigned)p != home) {
            const bool pend = q->slot[p].pend;
            lull_evex_reg(q->x, merge, home, 0, (unsigned)p);
            lull_jit_drop(q, (unsigned)p);
            q->slot[home] = (struct lull_jit_slot){
                .kind = LULL_JIT_VGPR, .key = e->l->vgpr[i], .home = true, .pend = pend};
        }
        q->failed = q->failed || p < 0;
    }
}

/** The VGPRs that are to be looked at, all being home. */
static uint32_t pending(const struct emit *e)
{
    uint32_t ret = 0;
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        ret |= (uint32_t)e->q.slot[FIRST_HOME - i].pend << i;
    }
    return ret;
}

/** VGPR @p vgpr stands outside of its home. */
static void leave_home(struct emit *e, unsigned vgpr)
{
    struct lull_jit_window *q = &e->q;
    const unsigned p = lull_jit_named(q, LULL_JIT_VGPR, vgpr);
    if (q->slot[p].home) {
        const unsigned t = lull_jit_grab(q);
        lull_jit_copy(q, t, p);
        lull_jit_set(q, t, LULL_JIT_VGPR, vgpr);
    }
}

static void emit_one(struct emit *e, const struct lull_jit_vector *v)
{
    if (v->t == NULL) {
        leave_home(e, v->dst);
        leave_home(e, v->src[0] - (unsigned)LULL_RDNA_VGPR0);
    }
    lull_jit_emit_vector(&e->q, v);
}

/** Instruction @p item of step @p step. */
static void vector(struct emit *e, const struct lull_jit_vector *v, unsigned step, unsigned item)
{
    struct lull_jit_window *q = &e->q;
    emit_one(e, v);
    for (unsigned i = 0; i < e->l->nmasks && v->mask_out != LULL_RDNA_NONE; i++) {
        const int p =
            e->l->mask[i] == v->mask_out ? lull_jit_find(q, LULL_JIT_MASK, v->mask_out) : -1;
        if (p < 0) {
            continue;
        }
        if (i == 0 && e->quick.there && step == e->quick.step && item == e->quick.item) {
            e->quick.at = lull_jit_none_jump(q, (unsigned)p);
            e->quick.q = *q; // EXEC will be what it was: the part has not ended.
            lull_jit_drop(&e->quick.q, (unsigned)p);
            memcpy(e->quick.is, e->is, sizeof e->is);
        }
        if (i == 0) {
            end_part(e, true);
        }
        lull_jit_copy(q, mask_slot(i), (unsigned)p);
        lull_jit_drop(q, (unsigned)p);
        e->is[i] = OTHER;
        if (i != 0) {
            q->slot[mask_slot(i)] =
                (struct lull_jit_slot){.kind = LULL_JIT_MASK, .key = v->mask_out, .home = true};
        }
    }
}

static void mask(struct emit *e, const struct lull_jit_loop_item *item)
{
    struct lull_jit_window *q = &e->q;
    const unsigned d = k_of(item->d), a = k_of(item->a), b = k_of(item->b), op = item->u->in->op;
    if (item->d == 0) {
        end_part(e, true);
    }
    if (op == LULL_RDNA_OP_S_AND_NOT1_B64) {
        lull_vex_reg(q->x, k_and_not, d, b, a);
    } else if (op == LULL_RDNA_OP_S_MOV_B64) {
        lull_jit_copy(q, mask_slot(item->d), mask_slot(item->a));
    } else {
        const struct lull_vex how = op == LULL_RDNA_OP_S_AND_B64  ? k_and
                                    : op == LULL_RDNA_OP_S_OR_B64 ? k_or
                                                                  : k_xor;
        lull_vex_reg(q->x, how, d, a, b);
    }
    e->is[item->d] = op == LULL_RDNA_OP_S_MOV_B64 ? e->is[item->a] : OTHER;
}

static void scalar(struct emit *e, const struct lull_uop *u)
{
    struct lull_jit_window *q = &e->q;
    q->failed = !lull_jit_emit_scalar(q->x, u) || q->failed;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        const bool mask = q->slot[p].kind == LULL_JIT_MASK && !q->slot[p].home;
        if (q->slot[p].kind == LULL_JIT_SGPR || mask) {
            lull_jit_drop(q, p);
        }
    }
}

/** The jump at the end of step @p n. */
static void jump(struct emit *e, unsigned n)
{
    const struct lull_jit_loop_step *s = &e->l->step[n];
    struct lull_x86 *x = e->q.x;
    if (!s->leaves) {
        return;
    }
    end_part(e, false);
    if (s->mask >= 0) {
        const unsigned k = k_of((unsigned)s->mask);
        lull_vex_reg(x, k_or_test, k, 0, k);
    } else {
        with(x, "\x83\xbf", 2, (int32_t)offsetof(struct lull_wave, scc)); // cmp dword [rdi+disp],0
        lull_x86_byte(x, 0);
    }
    e->leaves[e->nleaves].at = lull_x86_jump(x, s->on_zero ? LULL_JE : LULL_JNE);
    e->leaves[e->nleaves].pend = pending(e);
    e->leaves[e->nleaves++].step = n;
}

static void begin_step(struct emit *e, unsigned n)
{
    with(e->q.x, "\x81\xed", 2, (int32_t)e->l->step[n].b->ninsns); // sub ebp,imm32
}

/** Once round. */
static void round_of(struct emit *e)
{
    for (unsigned n = 0; n < e->l->nsteps; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        begin_step(e, n);
        for (unsigned i = s->first; i < s->first + s->nitems && !e->q.failed; i++) {
            const struct lull_jit_loop_item *item = &e->l->item[i];
            for (unsigned k = 0; k < item->nvectors; k++) {
                vector(e, &item->v[k], n, i);
            }
            if (item->kind == LULL_JIT_LOOP_MASK) {
                mask(e, item);
            } else if (item->kind == LULL_JIT_LOOP_SCALAR) {
                scalar(e, item->u);
            } else if (item->kind == LULL_JIT_LOOP_JUMP) {
                jump(e, n);
            }
        }
    }
    end_part(e, false);
}

/** What @p item makes of masks of which @p is is known; OTHER: that is not known. */
static enum known known_of(const struct lull_jit_loop_item *item, const uint8_t *is)
{
    const enum known a = (enum known)is[item->a], b = (enum known)is[item->b];
    switch (item->u->in->op) {
    case LULL_RDNA_OP_S_MOV_B64:
        return a;
    case LULL_RDNA_OP_S_AND_B64:
        return a == ZERO || b == ZERO ? ZERO : a == b ? a : OTHER;
    case LULL_RDNA_OP_S_OR_B64:
        return a == ZERO ? b : b == ZERO || a == b ? a : OTHER;
    case LULL_RDNA_OP_S_XOR_B64:
        return a == ZERO ? b : b == ZERO ? a : a == b && a != OTHER ? ZERO : OTHER;
    default:
        return a == ZERO || b == ZERO ? a : a == b && a != OTHER ? ZERO : OTHER;
    }
}

/** Registers of masks hold what they are. */
static void sync(struct emit *e)
{
    for (unsigned i = 1; i < e->l->nmasks; i++) {
        const unsigned k = k_of(i);
        if (e->is[i] == e->held[i]) {
            continue;
        }
        if (e->is[i] == ZERO) {
            lull_vex_reg(e->q.x, k_xor, k, k, k);
        } else {
            lull_jit_copy(&e->q, mask_slot(i), LULL_JIT_ON);
        }
        e->held[i] = e->is[i];
    }
}

/** What is left of the round where no lane passes the comparison; @p emits: or only whether that is
 * known. */
static bool quick_item(struct emit *e, const struct lull_jit_loop_item *item, unsigned n,
                       bool emits)
{
    const struct lull_jit_loop_step *s = &e->l->step[n];
    for (unsigned k = 0; k < item->nvectors; k++) {
        const struct lull_jit_vector *v = &item->v[k];
        const bool off = e->is[0] == ZERO;
        if (!off && v->mask_out == LULL_RDNA_EXEC) {
            return false; // Another comparison.
        }
        if (!off && emits) {
            sync(e); // It may read one.
            vector(e, v, NOWHERE, NOWHERE);
        }
        for (unsigned i = 0; i < e->l->nmasks; i++) {
            if (v->mask_out == e->l->mask[i]) {
                e->is[i] = off ? ZERO : OTHER;
                e->held[i] = off ? e->held[i] : OTHER;
            }
        }
    }
    if (item->kind == LULL_JIT_LOOP_MASK) {
        const enum known d = known_of(item, e->is);
        if (d == OTHER) {
            return false;
        }
        e->is[item->d] = (uint8_t)d;
    } else if (item->kind == LULL_JIT_LOOP_SCALAR && emits) {
        scalar(e, item->u);
    } else if (item->kind == LULL_JIT_LOOP_JUMP && s->leaves) {
        if (s->mask >= 0) {
            return e->is[s->mask] == BEFORE;
        }
        if (e->is[0] != BEFORE) {
            return false;
        }
        if (emits) {
            sync(e);
            jump(e, n);
        }
    }
    return true;
}

/** All of that, from behind item @p first of step @p n on. */
static bool quick_rest(struct emit *e, unsigned n, unsigned first, bool emits)
{
    bool good = true;
    e->is[0] = ZERO;
    for (unsigned i = first + 1; n < e->l->nsteps && good; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        if (i <= s->first && emits) {
            begin_step(e, n);
        }
        for (i = i > s->first ? i : s->first; i < s->first + s->nitems && good; i++) {
            good = quick_item(e, &e->l->item[i], n, emits);
        }
    }
    return good && e->is[0] == BEFORE;
}

/** Whether the first comparison that sets EXEC is one behind which all is known if no lane passes.
 */
static void find_quick(struct emit *e)
{
    e->is[0] = BEFORE;
    for (unsigned n = 0; n < e->l->nsteps; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        for (unsigned i = s->first; i < s->first + s->nitems; i++) {
            const struct lull_jit_loop_item *item = &e->l->item[i];
            if (item->kind == LULL_JIT_LOOP_MASK) {
                e->is[item->d] = item->u->in->op == LULL_RDNA_OP_S_MOV_B64 ? e->is[item->a] : OTHER;
            }
            for (unsigned k = 0; k < item->nvectors; k++) {
                if (item->v[k].mask_out == LULL_RDNA_EXEC) {
                    e->quick.there =
                        item->nvectors == 1 && e->is[0] == BEFORE && quick_rest(e, n, i, false);
                    e->quick.step = n;
                    e->quick.item = i;
                    return;
                }
                for (unsigned m = 1; m < e->l->nmasks; m++) {
                    e->is[m] = item->v[k].mask_out == e->l->mask[m] ? OTHER : e->is[m];
                }
            }
        }
    }
}

/** A strip has left where eax says: what it wrote, and its scalars, if it was the longest. */
static void end_strip(struct emit *e)
{
    struct lull_jit_window *q = &e->q;
    struct lull_x86 *x = q->x;
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        if (e->l->written[i]) {
            lull_jit_store(q, FIRST_HOME - i, lull_jit_at_vgpr(q, e->l->vgpr[i]));
        }
    }
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        lull_jit_store(q, mask_slot(i), mask_at(e, i));
    }
    with(x, "\x41\x89\xac\x5f", 4, AT(left)); // mov [r15+2*rbx+disp],ebp
    put(x, compare_ebp, AT(most));
    const size_t shorter = lull_x86_jump(x, CC_JGE);
    put(x, store_ebp, AT(most));
    put(x, store_eax, AT(exit));
    scalars(e, 1, false);
    lull_x86_land(x, shorter, x->len);
}

/** All strips have left. Those that left before the longest have masks of 0. */
static void end_all(struct emit *e, struct lull_jit_loop_exits *ret)
{
    struct lull_x86 *x = e->q.x;
    const unsigned strips = 64 / e->q.target->lanes;
    put(x, load_ebp, AT(most));
    for (unsigned k = 0; k < strips; k++) {
        put(x, compare_ebp, AT(left) + (int32_t)(4 * k));
        const size_t longest = lull_x86_jump(x, LULL_JE);
        for (unsigned i = 0; i < e->l->nmasks; i++) {
            with(x, "\x66\xc7\x87", 3, at_sgpr(e->l->mask[i]) + (int32_t)(2 * k));
            text(x, "\0\0", 2); // mov word [rdi+disp],0
        }
        lull_x86_land(x, longest, x->len);
    }
    scalars(e, 1, true);
    text(x, "\xc5\xf8\x77", 3);           // vzeroupper
    with(x, "\x41\x8b\x87", 3, AT(exit)); // mov eax,[r15+disp]
    for (unsigned n = 0; n < e->l->nsteps; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        if (!s->leaves) {
            continue;
        }
        text(x, "\x83\xf8", 2); // cmp eax,imm8
        lull_x86_byte(x, n);
        const size_t other = lull_x86_jump(x, LULL_JNE);
        if (s->by_scc) {
            with(x, "\xc7\x87", 2, (int32_t)offsetof(struct lull_wave, scc));
            lull_x86_u32(x, 0); // mov dword [rdi+disp],0
        }
        ret->to[ret->n].at = lull_x86_jump(x, LULL_JMP);
        ret->to[ret->n++].target = s->target;
        lull_x86_land(x, other, x->len);
    }
    ret->to[ret->n].at = lull_x86_jump(x, LULL_JMP);
    ret->to[ret->n++].target = e->l->step[0].b->at;
}

/** A strip is in doubt: all is as it was. */
static void undo(struct emit *e)
{
    struct lull_jit_window *q = &e->q;
    struct lull_x86 *x = q->x;
    for (unsigned i = 0; i < e->njumps; i++) {
        lull_x86_land(x, e->doubt[i], x->len);
    }
    const size_t top = x->len;
    kept_base(x);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        if (e->l->written[i]) {
            lull_jit_load(q, 0, kept_at(i));
            lull_jit_store(q, 0, lull_jit_at_vgpr(q, e->l->vgpr[i]));
        }
    }
    text(x, "\x49\x83\xed", 3); // sub r13,imm8
    lull_x86_byte(x, lull_jit_bytes(q->target));
    text(x, "\x83\xeb", 2); // sub ebx,imm8
    lull_x86_byte(x, q->target->lanes / 8);
    lull_x86_land(x, lull_x86_jump(x, CC_JNS), top);
    masks(e, true);
    scalars(e, 0, true);
    put(x, load_ebp, AT(start));
    with(x, "\x41\xc7\x87", 3, AT(skip)); // mov dword [r15+disp],imm32
    lull_x86_u32(x, SKIPS);
    text(x, "\xc5\xf8\x77", 3); // vzeroupper
}

/** The loop is entered. @p skipped: jumps of who does not. */
static void enter(struct emit *e, size_t skipped[2])
{
    struct lull_x86 *x = e->q.x;
    with(x, "\x48\x83\xbf", 3, at_sgpr(LULL_RDNA_EXEC)); // cmp qword [rdi+disp],0
    lull_x86_byte(x, 0);
    skipped[0] = lull_x86_jump(x, LULL_JE);
    with(x, "\x41\x83\xaf", 3, AT(skip)); // sub dword [r15+disp],1
    lull_x86_byte(x, 1);
    skipped[1] = lull_x86_jump(x, CC_JNS);
    with(x, "\x41\xc7\x87", 3, AT(skip)); // mov dword [r15+disp],0
    lull_x86_u32(x, 0);
    put(x, store_ebp, AT(start));
    with(x, "\x8d\x85", 2, -STRETCH);           // lea eax,[rbp+disp]
    text(x, "\x31\xc9\x85\xc0\x0f\x48\xc1", 7); // xor ecx,ecx; test eax,eax; cmovs eax,ecx
    put(x, store_eax, AT(limit));
    with(x, "\x41\xc7\x87", 3, AT(most)); // mov dword [r15+disp],imm32
    lull_x86_u32(x, INT32_MAX);
    scalars(e, 0, false);
    masks(e, false);
    text(x, "\x31\xdb", 2);                                                // xor ebx,ebx
    with(x, "\x4c\x8b\xaf", 3, (int32_t)offsetof(struct lull_wave, vgpr)); // mov r13,[rdi+disp]
}

/** The end of a round: the next, or this strip pauses. @return the jump of the latter. */
static size_t end_round(struct emit *e, size_t top)
{
    struct lull_x86 *x = e->q.x;
    e->next |= pending(e);
    put(x, compare_ebp, AT(limit));
    lull_x86_land(x, lull_x86_jump(x, CC_JG), top);
    return lull_x86_jump(x, LULL_JMP);
}

/** A strip leaves by number @p n, with VGPRs to be looked at. */
static void leave(struct emit *e, unsigned n, uint32_t pend)
{
    at_head(e, pend);
    look_for_nans(e);
    lull_x86_byte(e->q.x, 0xb8); // mov eax,imm32
    lull_x86_u32(e->q.x, n);
}

/** A whole strip, to where eax says where it went. False: not enough registers. */
static bool strip(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    memset(e->is, OTHER, sizeof e->is);
    e->is[0] = BEFORE;
    at_head(e, e->pend);
    load_strip(e);
    const size_t dead = lull_jit_none_jump(&e->q, LULL_JIT_ON);
    const size_t top = x->len;
    round_of(e);
    if (e->q.failed) {
        return false;
    }
    size_t pause[3] = {0};
    unsigned npauses = 0;
    const size_t none = lull_jit_none_jump(&e->q, LULL_JIT_ON);
    pause[npauses++] = end_round(e, top);
    if (e->quick.there) {
        lull_x86_land(x, e->quick.at, x->len);
        const bool failed = e->q.failed;
        e->q = e->quick.q;
        memcpy(e->is, e->quick.is, sizeof e->is);
        memcpy(e->held, e->quick.is, sizeof e->held);
        quick_rest(e, e->quick.step, e->quick.item, true);
        sync(e);
        end_part(e, false);
        pause[npauses++] = end_round(e, top);
        e->q.failed = e->q.failed || failed;
    }
    if (e->q.failed || e->q.nspills != 0) {
        return false;
    }
    e->doubt[e->njumps++] = none; // All is known of strips in which lanes go on, alone.
    size_t to[2 * LULL_JIT_LOOP_BLOCKS];
    for (unsigned i = 0; i < e->nleaves; i++) {
        lull_x86_land(x, e->leaves[i].at, x->len);
        leave(e, e->leaves[i].step, e->leaves[i].pend);
        to[i] = lull_x86_jump(x, LULL_JMP);
    }
    for (unsigned i = 0; i < npauses; i++) {
        lull_x86_land(x, pause[i], x->len);
    }
    leave(e, e->l->nsteps, e->next);
    for (unsigned i = 0; i < e->nleaves; i++) {
        lull_x86_land(x, to[i], x->len);
    }
    end_strip(e);
    const size_t ends = lull_x86_jump(x, LULL_JMP);
    lull_x86_land(x, dead, x->len);
    with(x, "\x41\xc7\x84\x5f", 4, AT(left)); // mov dword [r15+2*rbx+disp],imm32
    lull_x86_u32(x, INT32_MAX);
    lull_x86_land(x, ends, x->len);
    return !e->q.failed;
}

/** Dead strips have masks of 0, if there was a whole round: else all is as it was. */
static void whole_round(struct emit *e)
{
    struct lull_x86 *x = e->q.x;
    uint32_t n = 0;
    for (unsigned i = 0; i < e->l->nsteps; i++) {
        n += e->l->step[i].b->ninsns;
    }
    with(x, "\x41\x8b\x87", 3, AT(start)); // mov eax,[r15+disp]
    with(x, "\x41\x2b\x87", 3, AT(most));  // sub eax,[r15+disp]
    lull_x86_byte(x, 0x3d);                // cmp eax,imm32
    lull_x86_u32(x, n);
    const size_t good = lull_x86_jump(x, CC_JGE);
    const unsigned strips = 64 / e->q.target->lanes;
    for (unsigned k = 0; k < strips; k++) {
        with(x, "\x41\x81\xbf", 3, AT(left) + (int32_t)(4 * k)); // cmp dword [r15+disp],imm32
        lull_x86_u32(x, INT32_MAX);
        e->doubt[e->njumps++] = lull_x86_jump(x, LULL_JE);
    }
    lull_x86_land(x, good, x->len);
}

/** All strips, one after the other, and what follows. */
static bool strips(struct emit *e, struct lull_jit_loop_exits *ret)
{
    struct lull_x86 *x = e->q.x;
    size_t skipped[2] = {0};
    enter(e, skipped);
    const size_t begin = x->len;
    if (!strip(e) || e->njumps + 8 > MANY_JUMPS) {
        return false;
    }
    text(x, "\x49\x83\xc5", 3); // add r13,imm8
    lull_x86_byte(x, lull_jit_bytes(e->q.target));
    text(x, "\x83\xc3", 2); // add ebx,imm8
    lull_x86_byte(x, e->q.target->lanes / 8);
    text(x, "\x83\xfb", 2); // cmp ebx,imm8
    lull_x86_byte(x, 64 / 8);
    const size_t all = lull_x86_jump(x, LULL_JE);
    scalars(e, 0, true);
    put(x, load_ebp, AT(start));
    lull_x86_land(x, lull_x86_jump(x, LULL_JMP), begin);
    lull_x86_land(x, all, x->len);
    text(x, "\x49\x83\xed", 3); // sub r13,imm8: as if the last strip were in doubt
    lull_x86_byte(x, lull_jit_bytes(e->q.target));
    text(x, "\x83\xeb", 2); // sub ebx,imm8
    lull_x86_byte(x, e->q.target->lanes / 8);
    whole_round(e);
    end_all(e, ret);
    undo(e);
    lull_x86_land(x, skipped[0], x->len);
    lull_x86_land(x, skipped[1], x->len);
    return true;
}

static void begin_emit(struct emit *e, const struct lull_jit_maker *m,
                       const struct lull_jit_loop *loop)
{
    memset(e, 0, sizeof *e);
    e->q.x = m->x;
    e->q.target = m->target;
    e->q.pool = m->pool;
    e->q.stride = m->w->lanes * (uint32_t)sizeof(uint32_t);
    e->l = loop;
    find_quick(e);
}

bool lull_jit_emit_loop(const struct lull_jit_maker *m, const struct lull_jit_loop *loop,
                        struct lull_jit_loop_exits *ret)
{
    struct emit e;
    const size_t before = m->x->len;
    uint32_t pend = 0;
    bool good = true;
    for (unsigned pass = 0; pass < 2 && good;
         pass++) { // The first finds out what is to be looked at.
        m->x->len = before;
        ret->n = 0;
        begin_emit(&e, m, loop);
        e.pend = pend;
        good = strips(&e, ret);
        good = good && (pass == 0 || (e.next & ~pend) == 0);
        pend = e.next;
    }
    m->x->len = good ? m->x->len : before;
    return good;
}
