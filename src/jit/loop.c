// SPDX-License-Identifier: MIT
// Code of loops that go strip by strip. rdi, r12: the wave; rbx: the strip's byte in masks; r13:
// its part of VGPR 0; r14: constants; r15: struct lull_jit_area; ebp: instructions still to be
// executed, counted by each strip for itself.
//
// Where VGPRs and masks stand meanwhile: loop_zmm.c, loop_ymm.c. A strip with a NaN ends the loop:
// all is as it was when it was entered, and goes on in step.
#include "jit/loop.h"

#include <string.h>

#include "jit/jumps.h"
#include "jit/loop_impl.h"
#include "jit/machine.h"
#include "jit/scalar.h"

enum {
    STRETCH = 4096, // Instructions, about, before the loop is entered again.
    SKIPS = 256,    // Times that it is not, after a NaN.
    CC_JGE = 13,
    CC_JG = 15,
    CC_JNS = 9,
    STRIP_BYTES = 4 * LULL_JIT_LOOP_LANES, // Of a VGPR,
    MASK_BYTES = LULL_JIT_LOOP_LANES / 8,  // and of a mask.
};

static int32_t at_area(size_t member)
{
    return (int32_t)(offsetof(struct lull_jit_area, looped) + member);
}

#define AT(member) at_area(offsetof(struct lull_jit_looped, member))

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
static void scalars(const struct lull_jit_loop_emit *e, unsigned n, bool back)
{
    struct lull_x86 *x = e->q.x;
    for (unsigned i = 0; i < e->l->npairs; i++) {
        const int32_t wave = lull_jit_loop_sgpr(2u * e->l->pair[i]),
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
static void masks(const struct lull_jit_loop_emit *e, bool back)
{
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        const int32_t wave = lull_jit_loop_sgpr(e->l->mask[i]), kept = AT(mask) + (int32_t)(8 * i);
        if (back) {
            put(e->q.x, load_area, kept);
            put(e->q.x, store_wave, wave);
        } else {
            put(e->q.x, load_wave, wave);
            put(e->q.x, store_area, kept);
        }
    }
}

static void scalar(struct lull_jit_loop_emit *e, const struct lull_uop *u)
{
    struct lull_jit_window *q = &e->q;
    q->failed = !lull_jit_emit_scalar(q->x, u) || q->failed;
    for (unsigned p = 0; p < lull_jit_end(q); p++) {
        const bool mask = q->slot[p].kind == LULL_JIT_MASK && !q->slot[p].home &&
                          (q->slot[p].key & LULL_JIT_PAIR_MASK) == 0;
        if (q->slot[p].kind == LULL_JIT_SGPR || mask) {
            lull_jit_drop(q, p);
        }
    }
}

/** A vector instruction; the masks that it writes are something else then. */
static void vector(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v, bool quick)
{
    e->host->vector(e, v, quick);
    for (unsigned i = 0; i < e->l->nmasks; i++) {
        if (v->mask_out == e->l->mask[i]) {
            e->is[i] = e->held[i] = LULL_JIT_LOOP_OTHER;
        }
    }
}

static void mask(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item)
{
    e->host->mask(e, item);
    e->is[item->d] =
        item->u->in->op == LULL_RDNA_OP_S_MOV_B64 ? e->is[item->a] : LULL_JIT_LOOP_OTHER;
}

/** Whether SCC is written behind the jump of step @p n, in this round, before anybody reads it or
 * can leave. */
static bool scc_is_dead(const struct lull_jit_loop *l, unsigned n)
{
    const struct lull_jit_loop_step *s = &l->step[n];
    for (unsigned i = s->first + s->nitems; i < l->nitems; i++) {
        const struct lull_jit_loop_item *item = &l->item[i];
        const struct lull_rdna_op_info *info = &lull_rdna_ops[item->u->in->op];
        const bool scalar = item->kind == LULL_JIT_LOOP_SCALAR || item->kind == LULL_JIT_LOOP_MASK;
        while (i >= l->step[n].first + l->step[n].nitems) {
            n++;
        }
        if ((scalar && (info->reads & LULL_RDNA_S_SCC) != 0) ||
            (item->kind == LULL_JIT_LOOP_JUMP && l->step[n].leaves)) {
            return false;
        }
        if (scalar && (info->writes & LULL_RDNA_S_SCC) != 0) {
            return true;
        }
    }
    return false;
}

/** The jump at the end of step @p n. */
static void jump(struct lull_jit_loop_emit *e, unsigned n)
{
    enum { STORE = 9 }; // setcc cl; mov [rdi+disp32],ecx
    const struct lull_jit_loop_step *s = &e->l->step[n];
    struct lull_x86 *x = e->q.x;
    if (!s->leaves) {
        return;
    }
    e->host->settle(e);
    const int scc = s->mask < 0 && e->host->flags ? lull_jit_scc_condition(x) : -1;
    unsigned cc = s->on_zero ? LULL_JE : LULL_JNE;
    bool dead = false;
    if (s->mask >= 0) {
        e->host->test(e, (unsigned)s->mask);
    } else if (scc >= 0) {
        cc = (unsigned)scc ^ (s->on_zero ? 1 : 0);
        dead = scc_is_dead(e->l, n);
        x->len -= dead ? STORE : 0; // Those that leave do that.
    } else {
        with(x, "\x83\xbf", 2, (int32_t)offsetof(struct lull_wave, scc)); // cmp dword [rdi+disp],0
        lull_x86_byte(x, 0);
    }
    e->leaves[e->nleaves].at = lull_x86_jump(x, cc);
    e->leaves[e->nleaves].pend = e->host->pending(e);
    e->leaves[e->nleaves].due = e->due;
    e->leaves[e->nleaves].scc = dead ? scc : -1;
    e->leaves[e->nleaves++].step = n;
}

static void begin_step(struct lull_jit_loop_emit *e, unsigned n)
{
    e->due += e->l->step[n].b->ninsns;
}

/** Once round. */
static void round_of(struct lull_jit_loop_emit *e)
{
    for (unsigned n = 0; n < e->l->nsteps; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        begin_step(e, n);
        for (unsigned i = s->first; i < s->first + s->nitems && !e->q.failed; i++) {
            const struct lull_jit_loop_item *item = &e->l->item[i];
            for (unsigned k = 0; k < item->nvectors; k++) {
                const bool quick = e->quick.there && n == e->quick.step && i == e->quick.item;
                vector(e, &item->v[k], quick);
                e->quick.now = e->quick.now && !quick;
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
    e->host->settle(e);
}

/** What @p item makes of masks of which @p is is known; OTHER: that is not known. */
static enum lull_jit_loop_known known_of(const struct lull_jit_loop_item *item, const uint8_t *is)
{
    const enum lull_jit_loop_known a = (enum lull_jit_loop_known)is[item->a],
                                   b = (enum lull_jit_loop_known)is[item->b];
    switch (item->u->in->op) {
    case LULL_RDNA_OP_S_MOV_B64:
        return a;
    case LULL_RDNA_OP_S_AND_B64:
        return a == LULL_JIT_LOOP_ZERO || b == LULL_JIT_LOOP_ZERO ? LULL_JIT_LOOP_ZERO
               : a == b                                           ? a
                                                                  : LULL_JIT_LOOP_OTHER;
    case LULL_RDNA_OP_S_OR_B64:
        return a == LULL_JIT_LOOP_ZERO             ? b
               : b == LULL_JIT_LOOP_ZERO || a == b ? a
                                                   : LULL_JIT_LOOP_OTHER;
    case LULL_RDNA_OP_S_XOR_B64:
        return a == LULL_JIT_LOOP_ZERO              ? b
               : b == LULL_JIT_LOOP_ZERO            ? a
               : a == b && a != LULL_JIT_LOOP_OTHER ? LULL_JIT_LOOP_ZERO
                                                    : LULL_JIT_LOOP_OTHER;
    default:
        return a == LULL_JIT_LOOP_ZERO || b == LULL_JIT_LOOP_ZERO ? a
               : a == b && a != LULL_JIT_LOOP_OTHER               ? LULL_JIT_LOOP_ZERO
                                                                  : LULL_JIT_LOOP_OTHER;
    }
}

/** What is left of the round where no lane passes the comparison; @p emits: or only whether that is
 * known. */
static bool quick_item(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item,
                       unsigned n, bool emits)
{
    const struct lull_jit_loop_step *s = &e->l->step[n];
    for (unsigned k = 0; k < item->nvectors; k++) {
        const struct lull_jit_vector *v = &item->v[k];
        const bool off = e->is[0] == LULL_JIT_LOOP_ZERO;
        if (!off && v->mask_out == LULL_RDNA_EXEC) {
            return false; // Another comparison.
        }
        if (!off && emits) {
            if (e->host->eager) {
                e->host->sync(e); // It may read one.
            }
            vector(e, v, false);
        }
        for (unsigned i = 0; i < e->l->nmasks; i++) {
            if (v->mask_out == e->l->mask[i]) {
                e->is[i] = off ? LULL_JIT_LOOP_ZERO : LULL_JIT_LOOP_OTHER;
                e->held[i] = off ? e->held[i] : LULL_JIT_LOOP_OTHER;
            }
        }
    }
    if (item->kind == LULL_JIT_LOOP_MASK) {
        const enum lull_jit_loop_known d = known_of(item, e->is);
        if (d == LULL_JIT_LOOP_OTHER) {
            return false;
        }
        e->is[item->d] = (uint8_t)d;
    } else if (item->kind == LULL_JIT_LOOP_SCALAR && emits) {
        scalar(e, item->u);
    } else if (item->kind == LULL_JIT_LOOP_JUMP && s->leaves) {
        if (s->mask >= 0) {
            return e->is[s->mask] == LULL_JIT_LOOP_BEFORE;
        }
        if (e->is[0] != LULL_JIT_LOOP_BEFORE) {
            return false;
        }
        if (emits) {
            e->host->sync(e);
            jump(e, n);
        }
    }
    return true;
}

/** All of that, from behind item @p first of step @p n on. */
static bool quick_rest(struct lull_jit_loop_emit *e, unsigned n, unsigned first, bool emits)
{
    bool good = true;
    e->is[0] = LULL_JIT_LOOP_ZERO;
    for (unsigned i = first + 1; n < e->l->nsteps && good; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        if (i <= s->first && emits) {
            begin_step(e, n);
        }
        for (i = i > s->first ? i : s->first; i < s->first + s->nitems && good; i++) {
            good = quick_item(e, &e->l->item[i], n, emits);
        }
    }
    return good && e->is[0] == LULL_JIT_LOOP_BEFORE;
}

/** Whether the first comparison that sets EXEC is one behind which all is known if no lane passes.
 */
static void find_quick(struct lull_jit_loop_emit *e)
{
    e->is[0] = LULL_JIT_LOOP_BEFORE;
    for (unsigned n = 0; n < e->l->nsteps; n++) {
        const struct lull_jit_loop_step *s = &e->l->step[n];
        for (unsigned i = s->first; i < s->first + s->nitems; i++) {
            const struct lull_jit_loop_item *item = &e->l->item[i];
            if (item->kind == LULL_JIT_LOOP_MASK) {
                e->is[item->d] = item->u->in->op == LULL_RDNA_OP_S_MOV_B64 ? e->is[item->a]
                                                                           : LULL_JIT_LOOP_OTHER;
            }
            for (unsigned k = 0; k < item->nvectors; k++) {
                if (item->v[k].mask_out == LULL_RDNA_EXEC) {
                    e->quick.there = item->nvectors == 1 && e->is[0] == LULL_JIT_LOOP_BEFORE &&
                                     quick_rest(e, n, i, false);
                    e->quick.step = n;
                    e->quick.item = i;
                    return;
                }
                for (unsigned m = 1; m < e->l->nmasks; m++) {
                    e->is[m] =
                        item->v[k].mask_out == e->l->mask[m] ? LULL_JIT_LOOP_OTHER : e->is[m];
                }
            }
        }
    }
}

/** A strip has left where eax says: what it wrote, and its scalars, if it was the longest. */
static void end_strip(struct lull_jit_loop_emit *e)
{
    struct lull_x86 *x = e->q.x;
    e->host->store_strip(e);
    with(x, "\x41\x89\xac\x5f", 4, AT(left)); // mov [r15+2*rbx+disp],ebp
    put(x, compare_ebp, AT(most));
    const size_t shorter = lull_x86_jump(x, CC_JGE);
    put(x, store_ebp, AT(most));
    put(x, store_eax, AT(exit));
    scalars(e, 1, false);
    lull_x86_land(x, shorter, x->len);
}

/** All strips have left. Those that left before the longest have masks of 0. */
static void end_all(struct lull_jit_loop_emit *e, struct lull_jit_loop_exits *ret)
{
    struct lull_x86 *x = e->q.x;
    const unsigned strips = 64 / LULL_JIT_LOOP_LANES;
    put(x, load_ebp, AT(most));
    for (unsigned k = 0; k < strips; k++) {
        put(x, compare_ebp, AT(left) + (int32_t)(4 * k));
        const size_t longest = lull_x86_jump(x, LULL_JE);
        for (unsigned i = 0; i < e->l->nmasks; i++) {
            with(x, "\x66\xc7\x87", 3, lull_jit_loop_sgpr(e->l->mask[i]) + (int32_t)(2 * k));
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
static void undo(struct lull_jit_loop_emit *e)
{
    struct lull_jit_window *q = &e->q;
    struct lull_x86 *x = q->x;
    for (unsigned i = 0; i < e->njumps; i++) {
        lull_x86_land(x, e->doubt[i], x->len);
    }
    const size_t top = x->len;
    lull_jit_loop_kept_base(x);
    for (unsigned i = 0; i < e->l->nvgprs; i++) {
        for (unsigned k = 0; k < LULL_JIT_LOOP_LANES && e->l->written[i]; k += q->target->lanes) {
            lull_jit_load(q, 0, lull_jit_loop_kept_at(i, k));
            lull_jit_store(q, 0, lull_jit_loop_vgpr_at(e, i, k));
        }
    }
    text(x, "\x49\x83\xed", 3); // sub r13,imm8
    lull_x86_byte(x, STRIP_BYTES);
    text(x, "\x83\xeb", 2); // sub ebx,imm8
    lull_x86_byte(x, MASK_BYTES);
    lull_x86_land(x, lull_x86_jump(x, CC_JNS), top);
    masks(e, true);
    scalars(e, 0, true);
    put(x, load_ebp, AT(start));
    with(x, "\x41\xc7\x87", 3, AT(skip)); // mov dword [r15+disp],imm32
    lull_x86_u32(x, SKIPS);
    text(x, "\xc5\xf8\x77", 3); // vzeroupper
}

/** The loop is entered. @p skipped: jumps of who does not. */
static void enter(struct lull_jit_loop_emit *e, size_t skipped[2])
{
    struct lull_x86 *x = e->q.x;
    with(x, "\x48\x83\xbf", 3, lull_jit_loop_sgpr(LULL_RDNA_EXEC)); // cmp qword [rdi+disp],0
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
static size_t end_round(struct lull_jit_loop_emit *e, size_t top)
{
    struct lull_x86 *x = e->q.x;
    e->next |= e->host->pending(e);
    with(x, "\x81\xed", 2, (int32_t)e->due); // sub ebp,imm32
    put(x, compare_ebp, AT(limit));
    lull_x86_land(x, lull_x86_jump(x, CC_JG), top);
    return lull_x86_jump(x, LULL_JMP);
}

/** What was put off where @p n of the strips that leave jumps. */
static void pay(struct lull_jit_loop_emit *e, unsigned n)
{
    struct lull_x86 *x = e->q.x;
    if (e->leaves[n].scc >= 0) { // By flags that are still the comparison's; ecx is 0.
        const char set[] = {0x0f, (char)(0x90 | e->leaves[n].scc), (char)0xc1}; // setcc cl
        text(x, set, sizeof set);
        with(x, "\x89\x8f", 2, (int32_t)offsetof(struct lull_wave, scc)); // mov [rdi+disp],ecx
    }
    with(x, "\x81\xed", 2, (int32_t)e->leaves[n].due); // sub ebp,imm32
}

/** A strip leaves by number @p n, with VGPRs to be looked at. */
static void leave(struct lull_jit_loop_emit *e, unsigned n, uint32_t pend)
{
    e->host->at_head(e, pend);
    e->host->look(e);
    lull_x86_byte(e->q.x, 0xb8); // mov eax,imm32
    lull_x86_u32(e->q.x, n);
}

/** A whole strip, to where eax says where it went. False: not enough registers. */
static bool strip(struct lull_jit_loop_emit *e)
{
    struct lull_x86 *x = e->q.x;
    memset(e->is, LULL_JIT_LOOP_OTHER, sizeof e->is);
    e->is[0] = LULL_JIT_LOOP_BEFORE;
    e->host->at_head(e, e->pend);
    e->host->load_strip(e);
    const size_t dead = e->host->none(e);
    const size_t top = x->len;
    round_of(e);
    if (e->q.failed) {
        return false;
    }
    size_t pause[3] = {0};
    unsigned npauses = 0;
    const size_t none = e->host->none(e);
    pause[npauses++] = end_round(e, top);
    if (e->quick.there) {
        lull_x86_land(x, e->quick.at, x->len);
        const bool failed = e->q.failed;
        e->q = e->quick.q;
        e->quick.now = true;
        e->due = e->quick.due;
        memcpy(e->is, e->quick.is, sizeof e->is);
        memcpy(e->held, e->quick.held, sizeof e->held);
        quick_rest(e, e->quick.step, e->quick.item, true);
        e->host->sync(e);
        e->host->settle(e);
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
        pay(e, i);
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
static void whole_round(struct lull_jit_loop_emit *e)
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
    const unsigned strips = 64 / LULL_JIT_LOOP_LANES;
    for (unsigned k = 0; k < strips; k++) {
        with(x, "\x41\x81\xbf", 3, AT(left) + (int32_t)(4 * k)); // cmp dword [r15+disp],imm32
        lull_x86_u32(x, INT32_MAX);
        e->doubt[e->njumps++] = lull_x86_jump(x, LULL_JE);
    }
    lull_x86_land(x, good, x->len);
}

/** All strips, one after the other, and what follows. */
static bool strips(struct lull_jit_loop_emit *e, struct lull_jit_loop_exits *ret)
{
    struct lull_x86 *x = e->q.x;
    size_t skipped[2] = {0};
    enter(e, skipped);
    const size_t begin = x->len;
    if (!strip(e) || e->njumps + 8 > LULL_JIT_LOOP_DOUBTS) {
        return false;
    }
    text(x, "\x49\x83\xc5", 3); // add r13,imm8
    lull_x86_byte(x, STRIP_BYTES);
    text(x, "\x83\xc3", 2); // add ebx,imm8
    lull_x86_byte(x, MASK_BYTES);
    text(x, "\x83\xfb", 2); // cmp ebx,imm8
    lull_x86_byte(x, 64 / 8);
    const size_t all = lull_x86_jump(x, LULL_JE);
    scalars(e, 0, true);
    put(x, load_ebp, AT(start));
    lull_x86_land(x, lull_x86_jump(x, LULL_JMP), begin);
    lull_x86_land(x, all, x->len);
    text(x, "\x49\x83\xed", 3); // sub r13,imm8: as if the last strip were in doubt
    lull_x86_byte(x, STRIP_BYTES);
    text(x, "\x83\xeb", 2); // sub ebx,imm8
    lull_x86_byte(x, MASK_BYTES);
    whole_round(e);
    end_all(e, ret);
    undo(e);
    lull_x86_land(x, skipped[0], x->len);
    lull_x86_land(x, skipped[1], x->len);
    return true;
}

static void begin_emit(struct lull_jit_loop_emit *e, const struct lull_jit_maker *m,
                       const struct lull_jit_loop *loop)
{
    const size_t kept = offsetof(struct lull_jit_loop_emit, use);
    memset(e, 0, kept); // Not what the last try has seen.
    e->q.x = m->x;
    e->q.target = m->target;
    e->q.pool = m->pool;
    e->q.stride = m->w->lanes * (uint32_t)sizeof(uint32_t);
    e->l = loop;
    e->host = m->target->lanes == LULL_JIT_LOOP_LANES ? &lull_jit_loop_zmm : &lull_jit_loop_ymm;
    find_quick(e);
    e->quick.now = e->quick.there;
}

bool lull_jit_emit_loop(const struct lull_jit_maker *m, const struct lull_jit_loop *loop,
                        struct lull_jit_loop_exits *ret)
{
    struct lull_jit_loop_emit e;
    const size_t before = m->x->len;
    uint32_t pend = 0;
    bool good = false, fits = true;
    memset(e.use, 0, sizeof e.use);
    for (unsigned n = 0; fits && !good; n++) {
        m->x->len = before;
        ret->n = 0;
        begin_emit(&e, m, loop);
        e.pend = pend;
        if (!e.host->choose(&e, n)) {
            break;
        }
        good = strips(&e, ret);
        fits = good || n != 0;
        good = good && !e.trial && (e.next & ~pend) == 0;
        pend |= e.next;
    }
    m->x->len = good ? m->x->len : before;
    return good;
}
