// SPDX-License-Identifier: MIT
/** @file
 * Between rdna.c (findings of its own, sentences), wait.c (counters) and rules.c (gfx11's rules).
 */
#ifndef LULL_CHECK_RDNA_STATE_H
#define LULL_CHECK_RDNA_STATE_H

#include "check/hazards.h"
#include "isa/rdna/ops.h"
#include "isa/rdna/regs.h"

enum { LULL_HAZ_NO_WAIT = INT32_MAX }; // More than any counter counts.

enum {
    LULL_HAZ_REGS = 512, ///< Operand numbers.
    LULL_HAZ_EVENTS = 16,
    LULL_HAZ_RANGES = 6,
};

/** Who writes a register later. */
enum lull_haz_class {
    LULL_HAZ_NONE,
    LULL_HAZ_VMEM,   ///< vmcnt, in order.
    LULL_HAZ_LDS,    ///< lgkmcnt, in order.
    LULL_HAZ_SCALAR, ///< lgkmcnt, in any order: scalar memory, s_sendmsg_rtn.
    LULL_HAZ_FLAT,   ///< vmcnt and lgkmcnt, in any order.
    LULL_HAZ_DIRECT, ///< expcnt, in order: lds_direct_load.
    LULL_HAZ_CLASSES,
};

/** A register that has not arrived. */
struct lull_haz_pending {
    uint8_t cls;    ///< enum lull_haz_class; NONE: it has.
    uint8_t type;   ///< VMEM: 0 plain, 1 sampled, 2 ray; they may write out of order.
    uint32_t order; ///< Number in its class, from 1.
    uint64_t lanes; ///< Lanes that it writes; all bits for a scalar register.
    uint64_t pc;
};

struct lull_haz_plan;

/** A VALU instruction, or a scalar one that wrote EXEC. */
struct lull_haz_event {
    const struct lull_haz_plan *plan;
    uint64_t pc;
};

/** What VALU instructions do to masks in SGPRs, one behind the other. */
struct lull_haz_masks {
    bool in_step;     ///< One is in step with the SALU: what was before does not matter.
    uint64_t read[2]; ///< SGPRs read as masks since;
    uint64_t gone[2]; ///< written.
};

/** What is kept of a wave. */
struct lull_haz_wave {
    struct lull_haz_pending pending[LULL_HAZ_REGS]; ///< Zero where nothing is.
    uint64_t some[LULL_HAZ_REGS / 64];              ///< Registers with one that is not.
    uint32_t issued[LULL_HAZ_CLASSES], done[LULL_HAZ_CLASSES];
    bool under_way;          ///< Not all that was issued is done.
    bool flat_vm, flat_lgkm; ///< The two halves of waiting for FLAT.

    struct lull_haz_event events[LULL_HAZ_EVENTS]; ///< Since the VALU was last known to be empty.
    unsigned nevents, at;                          ///< at: where the next goes.
    unsigned trans_left, exec_left; ///< Events until none is transcendental; none wrote EXEC.
    uint64_t cmpx;                  ///< PC of a v_cmpx with no VALU after it; 0: none.
    uint64_t matrix;                ///< PC of a WMMA with no VALU after it; 0: none.
    struct lull_rdna_use matrix_dst;
    bool vmem_some;                         ///< Of these there are some:
    uint64_t vmem_src[LULL_HAZ_REGS / 64];  ///< VGPRs that memory instructions named since.
    uint64_t mask_read[2], mask_written[2]; ///< SGPRs: read as a mask by a VALU, then written.
    uint64_t mask_pc;
};

/** What is known of an instruction; in front what is always looked at. */
struct lull_haz_plan {
    bool quick;              ///< It neither waits nor writes anything later.
    bool inert;              ///< Nor do the rules of gfx11 have to know of it.
    bool stands;             ///< It can be one of those of stretch.c.
    bool nop;                ///< v_nop
    bool wide;               ///< Of a wave of 64 lanes.
    bool valu, salu, memory; ///< memory: of vectors, or LDS.
    bool trans;              ///< Transcendental, of the VALU.
    bool exec;               ///< A scalar instruction that writes EXEC.
    bool waits;              ///< s_wait*
    bool matrix;             ///< v_wmma_*
    bool permute;            ///< v_permlane*
    uint8_t cls;             ///< enum lull_haz_class of what it writes later.
    uint8_t nranges;
    bool va_vdst, sa_sdst, vm_vsrc;     ///< s_waitcnt_depctr: the VALU is empty, and so on.
    uint32_t vm, lgkm, exp;             ///< It waits for all but so many; NO_WAIT: for none.
    uint64_t names[LULL_HAZ_REGS / 64]; ///< Registers of uses.
    const struct lull_rdna_op_info *info;
    unsigned nuses;
    struct lull_rdna_insn in;
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
    struct lull_rdna_use ranges[LULL_HAZ_RANGES]; ///< VGPRs, of the VALU.
};

/** The instruction at hand. */
struct lull_haz_now {
    const struct lull_hazard_now *now;
    const struct lull_observed *at;
    struct lull_haz_wave *s;
    const struct lull_rdna_insn *in;
    const struct lull_rdna_op_info *info;
    const struct lull_haz_plan *plan;
    const struct lull_rdna_use *uses;
    unsigned nuses;
};

static inline bool lull_haz_is(const struct lull_haz_now *n, uint64_t flags)
{
    return (n->info->flags & flags) != 0;
}

/** Vector memory: everything but LDS, SMEM, EXP. */
static inline bool lull_haz_is_vmem(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_FLAT || in->enc == LULL_RDNA_GLOBAL ||
           in->enc == LULL_RDNA_SCRATCH || in->enc == LULL_RDNA_MUBUF ||
           in->enc == LULL_RDNA_MTBUF || in->enc == LULL_RDNA_MIMG;
}

static inline bool lull_haz_is_valu(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_VOP1 || in->enc == LULL_RDNA_VOP2 || in->enc == LULL_RDNA_VOPC ||
           in->enc == LULL_RDNA_VOP3 || in->enc == LULL_RDNA_VOP3SD || in->enc == LULL_RDNA_VOP3P ||
           in->enc == LULL_RDNA_VOPD || in->enc == LULL_RDNA_VINTERP;
}

static inline bool lull_haz_is_salu(const struct lull_rdna_insn *in)
{
    return in->enc == LULL_RDNA_SOP1 || in->enc == LULL_RDNA_SOP2 || in->enc == LULL_RDNA_SOPK ||
           in->enc == LULL_RDNA_SOPC || in->enc == LULL_RDNA_SOPP;
}

/** enum lull_haz_class of @p in. */
uint8_t lull_haz_class_of(const struct lull_rdna_insn *in);

/** Nothing is pending. */
void lull_haz_forget(struct lull_haz_wave *s);

/** Check uses against what is pending, then what this instruction waits for and starts. */
void lull_haz_wait(struct lull_haz_now *n);

/** Of VGPRs that memory instructions named nothing is known any more. */
void lull_haz_forget_sources(struct lull_haz_wave *s);

/** @{ The VALU instruction @p in is the next of @p m; they are executed. Of wave64. */
void lull_haz_add_masks(struct lull_haz_masks *m, const struct lull_rdna_insn *in,
                        const struct lull_haz_plan *p, unsigned lanes);
void lull_haz_pass_masks(struct lull_haz_wave *s, const struct lull_haz_masks *m);
/** @} */

/** Does @p in wait for everything? */
static inline bool lull_haz_waits_for_all(const struct lull_rdna_insn *in)
{
    return in->op == LULL_RDNA_OP_S_WAITCNT && in->imm == 0;
}

/** @{ stretch.c: as struct lull_hazard_rules has them. */
size_t lull_haz_sum_bytes(void);
bool lull_haz_stands(const void *plan);
void lull_haz_sum(const void *const *plans, const uint64_t *pcs, unsigned n, void *ret);
bool lull_haz_calm(void *state, const void *sum);
void lull_haz_passed(void *state, const void *sum);
/** @} */

/** All but as many as s_waitcnt says are done. */
void lull_haz_waits(struct lull_haz_wave *s, const struct lull_haz_plan *p);

/** Has all of @p names arrived that was pending? What has is pending no more. */
bool lull_haz_arrived(struct lull_haz_wave *s, const uint64_t names[LULL_HAZ_REGS / 64]);

/** Check gfx11's rules, and remember what later instructions depend on. */
void lull_haz_rules(struct lull_haz_now *n);

#endif
