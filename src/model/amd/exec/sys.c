// SPDX-License-Identifier: MIT
// Instructions that act on the wave's own state or on the world around it.
#include "hw/hwreg_regs.h"
#include "model/amd/mem/kept.h"
#include "model/amd/mem/mem.h"

enum {
    HWREG_ID = 0x3f,
    HWREG_OFFSET_SHIFT = 6,
    HWREG_SIZE_SHIFT = 11,
    FIVE_BITS = 0x1f,
    SLEEP_UNIT = 64, // Cycles; the count has 7 bits.
    SLEEP_COUNT = 0x7f,
    TRAP_ID = 0xff,
    HALT_SET = 1,
    HALT_FATAL = 4,
    VA_BITS = 48,
};

static bool privileged(const struct lull_wave *w)
{
    return (w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0;
}

static void put_scalar(struct lull_wave *w, unsigned dst, uint32_t value)
{
    const bool ttmp = dst >= LULL_RDNA_TTMP0 && dst < LULL_RDNA_NULL;
    if (dst <= LULL_RDNA_EXEC + 1 && dst != LULL_RDNA_NULL && (!ttmp || privileged(w))) {
        w->sgpr[dst] = value;
    }
}

static uint32_t field_mask(uint32_t imm)
{
    const unsigned size = (imm >> HWREG_SIZE_SHIFT & FIVE_BITS) + 1;
    return size == 32 ? UINT32_MAX : (UINT32_C(1) << size) - 1;
}

static unsigned field_offset(uint32_t imm)
{
    return imm >> HWREG_OFFSET_SHIFT & FIVE_BITS;
}

/** After a look at the clock, which stands until the wave leaves the loop. In trap handlers nobody
 * waits for it, and who comes next should not depend on it. */
static enum lull_exec_result let_time_pass(const struct lull_wave *w)
{
    return privileged(w) && w->state == LULL_WAVE_RUNNING ? LULL_EXEC_NEXT : LULL_EXEC_YIELD;
}

static enum lull_exec_result getreg(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint32_t imm = (uint32_t)in->imm;
    const uint32_t value = lull_wave_hwreg(w, imm & HWREG_ID);
    put_scalar(w, in->dst, value >> field_offset(imm) & field_mask(imm));
    return (imm & HWREG_ID) == LULL_HWREG_SHADER_CYCLES ? let_time_pass(w) : LULL_EXEC_NEXT;
}

static enum lull_exec_result set_field(struct lull_wave *w, uint32_t imm, uint32_t value)
{
    const unsigned id = imm & HWREG_ID;
    const uint32_t mask = field_mask(imm) << field_offset(imm);
    const uint32_t old = lull_wave_hwreg(w, id);
    lull_wave_set_hwreg(w, id, (old & ~mask) | (value << field_offset(imm) & mask));
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result setreg(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return set_field(w, (uint32_t)in->imm, lull_mem_scalar(w, in->dst));
}

static enum lull_exec_result setreg_imm(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return set_field(w, (uint32_t)in->imm, in->literal);
}

static enum lull_exec_result jump(struct lull_wave *w, const struct lull_rdna_insn *in, bool taken)
{
    if (!taken) {
        return LULL_EXEC_NEXT;
    }
    w->pc += in->size + (uint64_t)((int64_t)in->imm * 4);
    return LULL_EXEC_JUMP;
}

/** s_cbranch_cdbg*: by the conditional-debug bits of STATUS, which a trap handler sets. */
static enum lull_exec_result cbranch_cdbg(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool user = (w->status & LULL_HWREG_STATUS__COND_DBG_USER_MASK) != 0;
    const bool sys = (w->status & LULL_HWREG_STATUS__COND_DBG_SYS_MASK) != 0;
    const bool both = in->op == LULL_RDNA_OP_S_CBRANCH_CDBGSYS_AND_USER;
    const bool either = in->op == LULL_RDNA_OP_S_CBRANCH_CDBGSYS_OR_USER;
    const bool one = in->op == LULL_RDNA_OP_S_CBRANCH_CDBGSYS ? sys : user;
    return jump(w, in, both ? sys && user : either ? sys || user : one);
}

/** Low half of EXEC first, then the high half; with one of them 0, only the other. */
static enum lull_exec_result subvector_begin(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint32_t *exec = &w->sgpr[LULL_RDNA_EXEC];
    if (exec[0] == 0 && exec[1] == 0) {
        return jump(w, in, true);
    }
    if (exec[0] == 0) {
        put_scalar(w, in->dst, 0);
    } else {
        put_scalar(w, in->dst, exec[1]);
        exec[1] = 0;
    }
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result subvector_end(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint32_t *exec = &w->sgpr[LULL_RDNA_EXEC];
    const uint32_t kept = lull_mem_scalar(w, in->dst);
    if (exec[1] != 0) {
        exec[0] = kept;
        return LULL_EXEC_NEXT;
    }
    if (kept == 0) {
        return LULL_EXEC_NEXT;
    }
    put_scalar(w, in->dst, exec[0]);
    exec[1] = kept;
    exec[0] = 0;
    return jump(w, in, true);
}

/** Without a handler s_trap does nothing (STATUS.TRAP_EN 0); in the handler it is an error. */
static enum lull_exec_result trap(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    if (privileged(w)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint64_t pc = w->pc;
    if (!lull_wave_trap(w, (uint32_t)in->imm & TRAP_ID, false)) {
        return LULL_EXEC_NEXT;
    }
    w->trap_pc = pc;
    return LULL_EXEC_STAY; // It counts when the handler goes on behind it: rfe().
}

/** HALT that was set in the trap handler takes effect here: it is ignored in PRIV. */
static enum lull_exec_result rfe(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint64_t sign = UINT64_C(1) << (VA_BITS - 1);
    if (!privileged(w)) {
        return LULL_EXEC_ILLEGAL;
    }
    const uint64_t hi = lull_mem_scalar(w, (in->src[0] + 1u) & 127);
    const uint64_t to =
        (hi << 32 | lull_mem_scalar(w, in->src[0])) & ((sign << 1) - 1) & ~UINT64_C(3);
    w->status &= ~(uint32_t)LULL_HWREG_STATUS__PRIV_MASK;
    w->pc = (to ^ sign) - sign;
    w->trap_pc = w->trap_pc != 0 && w->pc == w->trap_pc + in->size ? LULL_TRAP_OVER : 0;
    if ((w->status & LULL_HWREG_STATUS__HALT_MASK) == 0) {
        return LULL_EXEC_JUMP;
    }
    w->state = LULL_WAVE_HALTED;
    w->pc -= in->size; // Leaving the loop steps the pc.
    return LULL_EXEC_YIELD;
}

static enum lull_exec_result yield_if_stopped(const struct lull_wave *w)
{
    return w->state == LULL_WAVE_RUNNING ? LULL_EXEC_NEXT : LULL_EXEC_YIELD;
}

static enum lull_exec_result sethalt(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool fatal = (in->imm & HALT_FATAL) != 0;
    const uint32_t bit = fatal ? LULL_HWREG_STATUS__FATAL_HALT_MASK : LULL_HWREG_STATUS__HALT_MASK;
    if ((in->imm & HALT_SET) == 0) {
        w->status &= ~bit;
        return LULL_EXEC_NEXT;
    }
    w->status |= bit;
    if (fatal || !privileged(w)) {
        w->state = LULL_WAVE_HALTED;
    }
    return yield_if_stopped(w);
}

static enum lull_exec_result sendmsg(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    if (w->host != NULL && w->host->sendmsg != NULL) {
        w->host->sendmsg(w, (uint16_t)in->imm);
    }
    return yield_if_stopped(w);
}

static enum lull_exec_result sendmsghalt(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)sendmsg(w, in);
    w->status |= LULL_HWREG_STATUS__HALT_MASK;
    w->state = privileged(w) ? w->state : LULL_WAVE_HALTED;
    return yield_if_stopped(w);
}

/** The message is the number in the source field itself. What comes back may be the clock. */
static enum lull_exec_result sendmsg_rtn(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const bool wide = in->op == LULL_RDNA_OP_S_SENDMSG_RTN_B64;
    uint64_t value = 0;
    if (w->host != NULL && w->host->sendmsg_rtn != NULL) {
        value = w->host->sendmsg_rtn(w, in->src[0]);
    }
    put_scalar(w, in->dst, (uint32_t)value);
    if (wide && in->dst != LULL_RDNA_NULL) {
        put_scalar(w, in->dst + 1u, (uint32_t)(value >> 32));
    }
    return let_time_pass(w);
}

static enum lull_exec_result nap(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    w->sleep_cycles = ((uint32_t)in->imm & SLEEP_COUNT) * SLEEP_UNIT;
    w->state = w->sleep_cycles == 0 ? w->state : LULL_WAVE_SLEEP;
    return yield_if_stopped(w);
}

/** The scheduler counts who waits, and lets go of all when the last wave of the group is there. */
static enum lull_exec_result barrier(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)in;
    if (w->kept != NULL && w->wg != NULL && w->wg->nended != 0) { // An end comes before it.
        lull_kept_tell(w->kept);
    }
    if (w->wg == NULL || w->wg->nwaves - w->wg->nended <= 1) {
        return LULL_EXEC_NEXT;
    }
    w->status |= LULL_HWREG_STATUS__IN_BARRIER_MASK;
    w->state = LULL_WAVE_BARRIER;
    return LULL_EXEC_YIELD;
}

static enum lull_exec_result end(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)in;
    const bool watched = (w->mode & LULL_HWREG_MODE__WAVE_END_MASK) != 0 && !privileged(w);
    if (watched && lull_wave_trap(w, 0, false)) {
        w->mode &=
            ~(uint32_t)LULL_HWREG_MODE__WAVE_END_MASK; // Once: the handler returns to s_endpgm.
        w->trapsts |= LULL_HWREG_TRAPSTS__WAVE_END_MASK;
        return LULL_EXEC_JUMP;
    }
    w->state = LULL_WAVE_ENDED;
    return LULL_EXEC_YIELD;
}

static enum lull_exec_result setkill(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    w->state = (in->imm & 1) != 0 ? LULL_WAVE_ENDED : w->state;
    return yield_if_stopped(w);
}

static enum lull_exec_result illegal(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)w;
    (void)in;
    return LULL_EXEC_ILLEGAL;
}

static enum lull_exec_result setprio(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint32_t mask = LULL_HWREG_STATUS__USER_PRIO_MASK;
    w->status =
        (w->status & ~mask) | ((uint32_t)in->imm << LULL_HWREG_STATUS__USER_PRIO_SHIFT & mask);
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result round_mode(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint32_t mask = LULL_HWREG_MODE__FP_ROUND_MASK;
    w->mode = (w->mode & ~mask) | ((uint32_t)in->imm << LULL_HWREG_MODE__FP_ROUND_SHIFT & mask);
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result denorm_mode(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const uint32_t mask = LULL_HWREG_MODE__FP_DENORM_MASK;
    w->mode = (w->mode & ~mask) | ((uint32_t)in->imm << LULL_HWREG_MODE__FP_DENORM_SHIFT & mask);
    return LULL_EXEC_NEXT;
}

static enum lull_exec_result icache_inv(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    (void)in;
    if (w->code != NULL) {
        lull_code_cache_epoch(w->code);
    }
    return LULL_EXEC_NEXT;
}

/** NULL where exec/ has the semantics. Waits and hints do nothing: memory is done at once. */
lull_exec_fn *lull_sys_handler(const struct lull_rdna_insn *in)
{
    // clang-format off
    switch ((unsigned)in->op) {
    case LULL_RDNA_OP_S_GETREG_B32: return getreg;
    case LULL_RDNA_OP_S_SETREG_B32: return setreg;
    case LULL_RDNA_OP_S_SETREG_IMM32_B32: return setreg_imm;
    case LULL_RDNA_OP_S_CBRANCH_CDBGSYS:
    case LULL_RDNA_OP_S_CBRANCH_CDBGUSER:
    case LULL_RDNA_OP_S_CBRANCH_CDBGSYS_OR_USER:
    case LULL_RDNA_OP_S_CBRANCH_CDBGSYS_AND_USER: return cbranch_cdbg;
    case LULL_RDNA_OP_S_SUBVECTOR_LOOP_BEGIN: return subvector_begin;
    case LULL_RDNA_OP_S_SUBVECTOR_LOOP_END: return subvector_end;
    case LULL_RDNA_OP_S_TRAP: return trap;
    case LULL_RDNA_OP_S_RFE_B64: return rfe;
    case LULL_RDNA_OP_S_SETHALT: return sethalt;
    case LULL_RDNA_OP_S_SENDMSG: return sendmsg;
    case LULL_RDNA_OP_S_SENDMSGHALT: return sendmsghalt;
    case LULL_RDNA_OP_S_SENDMSG_RTN_B32: return sendmsg_rtn;
    case LULL_RDNA_OP_S_SENDMSG_RTN_B64: return sendmsg_rtn;
    case LULL_RDNA_OP_S_SLEEP: return nap;
    case LULL_RDNA_OP_S_BARRIER: return barrier;
    case LULL_RDNA_OP_S_ENDPGM: return end;
    case LULL_RDNA_OP_S_ENDPGM_SAVED: return end;
    case LULL_RDNA_OP_S_SETKILL: return setkill;
    case LULL_RDNA_OP_S_CODE_END: return illegal;
    case LULL_RDNA_OP_S_SETPRIO: return setprio;
    case LULL_RDNA_OP_S_ROUND_MODE: return round_mode;
    case LULL_RDNA_OP_S_DENORM_MODE: return denorm_mode;
    case LULL_RDNA_OP_S_ICACHE_INV: return icache_inv;
    case LULL_RDNA_OP_S_NOP:
    case LULL_RDNA_OP_S_SET_INST_PREFETCH_DISTANCE:
    case LULL_RDNA_OP_S_CLAUSE:
    case LULL_RDNA_OP_S_DELAY_ALU:
    case LULL_RDNA_OP_S_WAITCNT_DEPCTR:
    case LULL_RDNA_OP_S_WAITCNT:
    case LULL_RDNA_OP_S_WAITCNT_VSCNT:
    case LULL_RDNA_OP_S_WAITCNT_VMCNT:
    case LULL_RDNA_OP_S_WAITCNT_EXPCNT:
    case LULL_RDNA_OP_S_WAITCNT_LGKMCNT:
    case LULL_RDNA_OP_S_WAIT_IDLE:
    case LULL_RDNA_OP_S_WAIT_EVENT:
    case LULL_RDNA_OP_S_WAKEUP:
    case LULL_RDNA_OP_S_INCPERFLEVEL:
    case LULL_RDNA_OP_S_DECPERFLEVEL:
    case LULL_RDNA_OP_S_TTRACEDATA:
    case LULL_RDNA_OP_S_TTRACEDATA_IMM:
    case LULL_RDNA_OP_S_VERSION: return lull_mem_nothing;
    default: return NULL;
    }
    // clang-format on
}
