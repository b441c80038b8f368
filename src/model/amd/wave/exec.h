// SPDX-License-Identifier: MIT
/** @file
 * Inside the engine of one wave: what a handler of one instruction is, and who has which.
 *
 * The run loop (exec/run.c) owns the pc, traps and exceptions. ALU instructions are
 * generated from data/isa/rdna3.sem; memory and system instructions are
 * functions of the type below.
 */
#ifndef LULL_MODEL_AMD_EXEC_H
#define LULL_MODEL_AMD_EXEC_H

#include "isa/rdna/rdna.h"
#include "model/amd/wave/wave.h"

/** What a handler asks of the run loop. */
enum lull_exec_result {
    LULL_EXEC_NEXT,    ///< Done: the loop adds the instruction's size to the pc.
    LULL_EXEC_JUMP,    ///< Done: the handler has set w->pc.
    LULL_EXEC_YIELD,   ///< Done, step the pc, then leave the loop: w->state or an input of it
                       ///< changed.
    LULL_EXEC_STAY,    ///< Leave the loop with the pc at this instruction.
    LULL_EXEC_MEMORY,  ///< Memory violation at this instruction. Nothing of the pc is changed.
    LULL_EXEC_ILLEGAL, ///< Illegal instruction: known, but not in this form or state.
};

/**
 * Execute @p in on @p w. w->pc is the address of @p in when it is called.
 *
 * EXEC, VCC, SCC and M0 are read from and written to @p w at once; nothing is cached by the loop.
 * MXCSR may have been changed for f32 of the shader: do host float arithmetic through fp.h.
 */
typedef enum lull_exec_result lull_exec_fn(struct lull_wave *w, const struct lull_rdna_insn *in);

/** Handler for DS, FLAT, GLOBAL, SCRATCH, SMEM, MUBUF ... in waves of @p table; NULL: no such
 * instruction here. */
lull_exec_fn *lull_mem_handler(const struct lull_rdna_insn *in, enum lull_wave_table table);
/** What does @p in, if the wave does nothing behind it but end, in the place of lull_mem_handler()
 * of LULL_TABLE_PLAIN; NULL: nothing else than that. */
lull_exec_fn *lull_mem_last_handler(const struct lull_rdna_insn *in);

/** Handler for s_getreg, s_setreg, s_trap, s_rfe, s_sendmsg, s_barrier, s_sleep, s_endpgm ...; or
 * NULL. */
lull_exec_fn *lull_sys_handler(const struct lull_rdna_insn *in);

/** Handler for anything else: SALU, VALU, branches (exec/); NULL: no semantics. */
lull_exec_fn *lull_alu_handler(const struct lull_rdna_insn *in);

#endif
