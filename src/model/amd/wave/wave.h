// SPDX-License-Identifier: MIT
/** @file
 * One wave of the model GPU: its registers, and the engine that executes it.
 *
 * The engine (exec/) knows waves, workgroups and address spaces; it does not
 * know rings, dispatches or schedulers (gpu.h). What a wave asks of the world
 * around it (a message, a fault, a barrier) goes out as its state or through
 * struct lull_wave_host.
 */
#ifndef LULL_MODEL_AMD_WAVE_H
#define LULL_MODEL_AMD_WAVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/amd/wave/vm.h"

struct lull_code_cache;
struct lull_engine;
struct lull_kept;
struct lull_observed;
struct lull_observer;
struct lull_rdna_insn;
struct lull_touch;
struct lull_wave;

/** What a wave does next. */
enum lull_wave_state {
    LULL_WAVE_RUNNING,
    LULL_WAVE_BARRIER, ///< Waits at s_barrier; the scheduler releases the whole workgroup.
    LULL_WAVE_SLEEP,   ///< s_sleep: the scheduler passes it over for sleep_cycles.
    LULL_WAVE_HALTED,  ///< STATUS.HALT is set (s_sethalt, SQ_CMD, fatal error).
    LULL_WAVE_ENDED,   ///< s_endpgm: its slot is free.
};

/** Which handlers a wave's instructions have: chosen once, so that no handler has to ask. */
enum lull_wave_table {
    LULL_TABLE_PLAIN,
    LULL_TABLE_OBSERVED, ///< They tell the observers what they touch.
    LULL_TABLES,
};

/** Shared by the waves of a workgroup. */
struct lull_workgroup {
    uint32_t lds_size; ///< Bytes; accesses beyond read 0 and write nothing.
    uint32_t nwaves, nended, nbarrier;
    uint32_t id[3];
    /* Wiring, from here on: see struct lull_wave. */
    uint8_t *lds;
};

/** The global data share as a wave may use it. */
struct lull_gds {
    uint8_t *mem;          ///< The part of its VMID.
    uint32_t size;         ///< Of it, bytes.
    pthread_mutex_t *lock; ///< Held while it is used; NULL: nobody else can.
    uint32_t *regs;        ///< LULL_GDS_REGS that ds_add_gs_reg_rtn knows, for all VMIDs.
};

enum { LULL_GDS_REGS = 24 };

/** What the GPU around a wave does for it. sendmsg, sendmsg_rtn, vm_fault, clock, border_colors and
 * gds may be called by several threads at once, for different waves. */
struct lull_wave_host {
    /** s_sendmsg. @p msg: SIMM16. */
    void (*sendmsg)(struct lull_wave *w, uint32_t msg);
    /** s_sendmsg_rtn_b32/b64: value for message @p msg (TBA, TMA, REALTIME, DOORBELL ...). */
    uint64_t (*sendmsg_rtn)(struct lull_wave *w, uint32_t msg);
    /** An access was refused: w->vm->fault says why; goes into GCVM fault status. */
    void (*vm_fault)(struct lull_wave *w);
    /** GPU time: 100 MHz counter for s_memrealtime and SHADER_CYCLES. */
    uint64_t (*clock)(struct lull_wave *w);
    /** VA of the table of border colours (TA_CS_BC_BASE_ADDR), in bytes. NULL: there is none. */
    uint64_t (*border_colors)(struct lull_wave *w);
    /** exp, for the lanes of EXEC; its registers exist. False: memory refused, and w->vm->fault
     * says why. NULL: exp is illegal, as in compute. */
    bool (*export_lanes)(struct lull_wave *w, const struct lull_rdna_insn *in);
    /** lds_param_load: P0, P10, P20 of channel @p channel of attribute @p attr to lanes 0, 1 and 2
     * of each quad, as its primitive has them; @p to: all lanes. NULL: illegal. */
    void (*param)(struct lull_wave *w, unsigned attr, unsigned channel, uint32_t *to);
    /** NULL: GDS is illegal. */
    void (*gds)(struct lull_wave *w, struct lull_gds *ret);
};

/**
 * A wave. sgpr[] is indexed by operand number (isa/rdna/rdna.h): SGPRs, VCC at
 * 106, TTMPs at 108, M0 at 125, EXEC at 126/127; entry 124 (NULL) stays 0.
 * VGPR r of lane l is vgpr[r * lanes + l].
 *
 * State is what stands above `vgpr`, without a pointer or a gap; a saved GPU has just that, and
 * what vgpr and wg->lds point at. From there on it is wiring, which is laid anew.
 */
struct lull_wave {
    uint32_t sgpr[128];
    uint64_t pc;           ///< GPU virtual address of the next instruction, canonical.
    uint64_t flat_scratch; ///< FLAT_SCRATCH: base VA of this wave's scratch.
    uint64_t tba, tma;     ///< Trap base (0: no handler) and memory, in bytes.
    uint64_t ninsns;       ///< Instructions of its program executed so far.
    /** Address of the s_trap by which it went into its handler; LULL_TRAP_OVER: it came back behind
     * it, and the s_trap has not been counted yet; 0: neither. */
    uint64_t trap_pc;
    uint32_t lanes; ///< 32 or 64.
    uint32_t nvgprs;
    uint32_t scc;    ///< 0 or 1; shown as STATUS.SCC.
    uint32_t status; ///< STATUS without SCC, EXECZ, VCCZ, which are computed on reading.
    uint32_t mode, trapsts, hw_id1, hw_id2, gpr_alloc, lds_alloc, ib_sts;
    uint32_t scratch_bytes; ///< Per lane.
    enum lull_wave_state state;
    uint32_t sleep_cycles;
    uint32_t trap_en; ///< 0 or 1, TBA_HI.TRAP_EN at launch: STATUS.TRAP_EN.
    uint32_t pending; ///< enum lull_trap_cause bits to take before the next instruction.
    uint32_t *vgpr;
    struct lull_workgroup *wg;
    struct lull_vm *vm;
    struct lull_code_cache *code;
    const struct lull_wave_host *host;
    struct lull_observer *observer; ///< NULL: nobody watches. lull_wave_observe() sets it.
    enum lull_wave_table table;
    uint32_t debt; ///< Instructions that compiled code did beyond the budget; paid out of the next.
    bool shared;   ///< Other threads run other waves meanwhile.
    struct lull_kept *kept; ///< By the thread that runs it; NULL: it keeps nothing. See kept.h.
    void *owner;            ///< For the GPU: dispatch and slot.
    /** While an instruction is executed: what its observers see; NULL: ask lull_wave_seen(). */
    const struct lull_observed *seen;
};

/** Let @p o and those behind it watch @p w from now on; NULL: nobody. Not while it runs. */
void lull_wave_observe(struct lull_wave *w, struct lull_observer *o);

/** What observers see of @p w at @p in. */
void lull_wave_seen(const struct lull_wave *w, const struct lull_rdna_insn *in,
                    struct lull_observed *ret);

/** The same at the next instruction, of what lull_wave_seen() gave; nothing but instructions was
 * executed since. */
void lull_wave_seen_next(const struct lull_wave *w, const struct lull_rdna_insn *in,
                         struct lull_observed *ret);

/** What they see of the instruction that @p w executes, perhaps in @p room. */
static inline const struct lull_observed *lull_wave_sees(const struct lull_wave *w,
                                                         const struct lull_rdna_insn *in,
                                                         struct lull_observed *room)
{
    if (w->seen == NULL) {
        lull_wave_seen(w, in, room);
    }
    return w->seen != NULL ? w->seen : room;
}

/** Tell the observers of memory what @p t says, if it has lanes; its shape is found out here. */
void lull_wave_memory(const struct lull_wave *w, const struct lull_observed *at,
                      struct lull_touch *t);

/** The same where shape, low and high are known. */
void lull_wave_memory_at(const struct lull_wave *w, const struct lull_observed *at,
                         const struct lull_touch *t);

/** Tell the observers that a lane touches memory. */
void lull_wave_touch(const struct lull_wave *w, const struct lull_observed *at, unsigned lane,
                     uint64_t address, size_t size, bool store);

enum { LULL_TRAP_OVER = 1 };

/** Causes that take a wave into its trap handler without an s_trap. */
enum lull_trap_cause {
    LULL_TRAP_HOST = 1, ///< SQ_CMD TRAP.
    LULL_TRAP_WAVE_START = 2,
    LULL_TRAP_AFTER_INST = 4, ///< Instruction done with MODE.TRAP_AFTER_INST_EN set, outside PRIV.
    LULL_TRAP_WAVE_END = 8,
    LULL_TRAP_SAVECTX = 16,
    LULL_TRAP_EXCEPTION = 32, ///< A bit of TRAPSTS.EXCP that MODE.EXCP_EN enables; already set.
};

/**
 * Execute up to @p budget instructions of @p w, stopping early when its state changes, and when it
 * enters or leaves its trap handler (STATUS.PRIV).
 *
 * An exception (memory violation, unknown instruction) sets TRAPSTS and either
 * enters the trap handler, if there is one, or leaves the wave HALTED with
 * STATUS.FATAL_HALT; the pc then stands at the instruction that failed.
 *
 * Compiled code goes on to the end of what it has begun, if @p budget is 64 or more: instructions
 * beyond it are done, and count in the next call.
 *
 * @return Instructions executed.
 */
uint32_t lull_wave_run(struct lull_wave *w, uint32_t budget);

/** The same where compiled code stands at w->pc, for MODE that the host's arithmetic is set to.
 * @return 0: it does not, and nothing was done. */
uint32_t lull_wave_resume(struct lull_wave *w, uint32_t turn);

/** Where lull_wave_run_group() stands. */
struct lull_wave_at {
    unsigned wave; ///< Whose turn it is,
    bool ran;      ///< and whether it has had it, and its state is to be looked at.
};

/**
 * The same of the waves of a workgroup in turn, from @p at on, each @p turn instructions or to a
 * barrier that waits for nobody else but them, and on from there: @p n waves, of which none has
 * ended. Only where compiled code stands, and nothing is to be done but that.
 *
 * @return Instructions executed, @p budget at most. 0: none, and nothing has changed.
 */
uint32_t lull_wave_run_group(struct lull_wave *const *waves, unsigned n, uint32_t turn,
                             uint32_t budget, struct lull_wave_at *at);

/** Enter the trap handler for what is pending. False: nothing was, or there is no handler. */
bool lull_wave_take_traps(struct lull_wave *w);
/** Enter the trap handler: ttmp0/1, PRIV, pc. False if the wave has none (nothing changed). */
bool lull_wave_trap(struct lull_wave *w, uint32_t trap_id, bool host_trap);

/** Value as s_getreg_b32 and SQ_IND_DATA show it, by hwreg id of data/reg (0 if unknown). */
uint32_t lull_wave_hwreg(const struct lull_wave *w, unsigned id);
/** Effect of s_setreg_b32 on the whole register. */
void lull_wave_set_hwreg(struct lull_wave *w, unsigned id, uint32_t value);

/**
 * Decoded code, shared by all waves of one VMID.
 *
 * Pages are decoded on first use and compared with memory again in each new
 * epoch, so code that the host patched is seen after lull_code_cache_epoch().
 */
struct lull_code_cache *lull_code_cache_new(void);
void lull_code_cache_free(struct lull_code_cache *c);
/** Let @p engine, which is constant, compile what is executed often; NULL: nothing. Before the
 * first wave runs. @return false: it cannot be done here. */
bool lull_code_cache_compile(struct lull_code_cache *c, const struct lull_engine *engine);
/** Waves of @p c are watched by @p o: of what others were told is forgotten. NULL: nobody known. */
void lull_code_watched(struct lull_code_cache *c, const struct lull_observer *o);

/** Instruction cache invalidated (new IB, ACQUIRE_MEM, s_icache_inv). */
void lull_code_cache_epoch(struct lull_code_cache *c);
/** How often that was called. */
uint64_t lull_code_cache_epochs(const struct lull_code_cache *c);
/** VGPRs that instructions executed so far may have written lie below this one. */
unsigned lull_code_cache_written(const struct lull_code_cache *c);

#endif
