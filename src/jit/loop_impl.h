// SPDX-License-Identifier: MIT
/** @file
 * Inside of loops that go strip by strip: what differs between AVX-512 (loop_zmm.c) and AVX2
 * (loop_ymm.c). All else is in loop.c.
 *
 * A strip of a loop has 16 lanes: one of AVX-512, or two halves of AVX2 in step.
 */
#ifndef LULL_JIT_LOOP_IMPL_H
#define LULL_JIT_LOOP_IMPL_H

#include "jit/loop.h"

enum {
    LULL_JIT_LOOP_LANES = 16,
    LULL_JIT_LOOP_DOUBTS = 2 * LULL_JIT_LOOP_ITEMS,
    LULL_JIT_LOOP_LEAVES = 2 * LULL_JIT_LOOP_BLOCKS,
};

/** What a mask is known to be. */
enum lull_jit_loop_known {
    LULL_JIT_LOOP_OTHER,  ///< What stands where it is kept.
    LULL_JIT_LOOP_ZERO,   ///< No lane.
    LULL_JIT_LOOP_BEFORE, ///< EXEC of the head of the loop, which is not 0.
};

/** A loop being emitted. */
struct lull_jit_loop_emit {
    struct lull_jit_window q;
    const struct lull_jit_loop *l;
    const struct lull_jit_loop_host *host;
    unsigned njumps, nleaves;
    size_t doubt[LULL_JIT_LOOP_DOUBTS]; ///< Jumps of strips in doubt.
    struct {
        size_t at;
        unsigned step;
        uint32_t pend; ///< VGPRs that are to be looked at, by number.
        uint32_t due;  ///< Instructions that are not counted yet.
        int scc;       ///< -1, or the condition by which SCC is 1, if it is not in memory.
    } leaves[LULL_JIT_LOOP_LEAVES];
    uint32_t due;  ///< Instructions of this round that are not counted yet.
    uint32_t pend; ///< The same at the head.
    uint32_t next; ///< The same at the end.
    uint8_t is[LULL_JIT_LOOP_MASKS],
        held[LULL_JIT_LOOP_MASKS]; ///< enum lull_jit_loop_known: what it is, and what is kept.
    struct {
        bool there;
        bool now;  ///< What is emitted is done where no lane passes, or before that is known.
        size_t at; ///< The jump where no lane passes a comparison that sets EXEC.
        unsigned step, item;
        uint32_t due;
        struct lull_jit_window q;
        uint8_t is[LULL_JIT_LOOP_MASKS], held[LULL_JIT_LOOP_MASKS];
    } quick;
    bool trial;       ///< What is emitted is not used.
    uint32_t touched; ///< By VGPR: written since lanes went to the register file. (AVX2.)
    struct {
        uint8_t home; ///< 0: none; else a number from 1 on.
        unsigned reads, writes;
        bool carried;           ///< It is read before it is written.
    } use[LULL_JIT_LOOP_VGPRS]; ///< By VGPR. (AVX2.)
};

/** How one kind of host does it. */
struct lull_jit_loop_host {
    /** Where VGPRs and masks stand at the head of the loop, and nothing else anywhere. @p pend:
     * VGPRs that are to be looked at for NaNs. */
    void (*at_head)(struct lull_jit_loop_emit *e, uint32_t pend);
    /** A strip begins. */
    void (*load_strip)(struct lull_jit_loop_emit *e);
    /** It has left: what it wrote goes to the wave. eax stays. */
    void (*store_strip)(struct lull_jit_loop_emit *e);
    /** @return the jump where no lane is on. */
    size_t (*none)(struct lull_jit_loop_emit *e);
    /** Whether mask @p k is 0: the host's flag of equality. */
    void (*test)(struct lull_jit_loop_emit *e, unsigned k);
    /** VGPRs and masks go where they stand at the head. NaNs are not looked for. */
    void (*settle)(struct lull_jit_loop_emit *e);
    /** VGPRs that are to be looked at, all being there. */
    uint32_t (*pending)(const struct lull_jit_loop_emit *e);
    /** Look for NaNs. */
    void (*look)(struct lull_jit_loop_emit *e);
    /** A vector instruction. @p quick: the comparison that may be jumped away from, which is noted
     * in e->quick. */
    void (*vector)(struct lull_jit_loop_emit *e, const struct lull_jit_vector *v, bool quick);
    /** An instruction that moves masks. */
    void (*mask)(struct lull_jit_loop_emit *e, const struct lull_jit_loop_item *item);
    /** Masks are kept as what they are known to be. */
    void (*sync)(struct lull_jit_loop_emit *e);
    bool eager; ///< So they are before each vector instruction.
    bool flags; ///< A jump may take SCC from the host's flags.
    /** Another try, number @p n from 0 on: what is chosen by what the last one has seen. False:
     * there is nothing else to try. */
    bool (*choose)(struct lull_jit_loop_emit *e, unsigned n);
};

extern const struct lull_jit_loop_host lull_jit_loop_zmm, lull_jit_loop_ymm;

/** Of an SGPR in the wave, in bytes. */
static inline int32_t lull_jit_loop_sgpr(unsigned sgpr)
{
    return (int32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)sgpr);
}

/** Bits of this strip of mask @p n in the wave. */
static inline struct lull_x86_mem lull_jit_loop_mask_at(const struct lull_jit_loop_emit *e,
                                                        unsigned n)
{
    return (struct lull_x86_mem){LULL_RDI, LULL_RBX, lull_jit_loop_sgpr(e->l->mask[n])};
}

/** eax, then rax: where this strip of the VGPRs that are kept is, but for its offset. */
static inline void lull_jit_loop_kept_base(struct lull_x86 *x)
{
    // mov eax,ebx; shl eax,5; add rax,r15
    lull_x86_bytes(x, "\x89\xd8\xc1\xe0\x05\x4c\x01\xf8", 8);
}

/** Lanes of VGPR number @p i that are kept, from lane @p lane of the strip on. */
static inline struct lull_x86_mem lull_jit_loop_kept_at(unsigned i, unsigned lane)
{
    const size_t each = sizeof((struct lull_jit_looped *)NULL)->vgpr[0];
    return (struct lull_x86_mem){LULL_RAX, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, looped) +
                                           offsetof(struct lull_jit_looped, vgpr) + each * i +
                                           sizeof(uint32_t) * lane)};
}

/** The same of VGPR number @p i in the wave. */
static inline struct lull_x86_mem lull_jit_loop_vgpr_at(const struct lull_jit_loop_emit *e,
                                                        unsigned i, unsigned lane)
{
    struct lull_x86_mem m = lull_jit_at_vgpr(&e->q, e->l->vgpr[i]);
    m.disp += (int32_t)(sizeof(uint32_t) * lane);
    return m;
}

/** VGPR @p vgpr stands outside of its home. */
static inline void lull_jit_loop_leave_home(struct lull_jit_window *q, unsigned vgpr)
{
    const unsigned p = lull_jit_named(q, LULL_JIT_VGPR, vgpr);
    if (q->slot[p].home) {
        const unsigned t = lull_jit_grab(q);
        const bool pend = q->slot[p].pend;
        lull_jit_copy(q, t, p);
        q->slot[p].pend = false;
        lull_jit_set(q, t, LULL_JIT_VGPR, vgpr);
        q->slot[t].pend = pend;
    }
}

#endif
