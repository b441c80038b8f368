// SPDX-License-Identifier: MIT
/** @file
 * Waves of ir3: their registers, who is on, and what instructions reach besides.
 *
 * Registers: the file is merged, as on all chips from a6xx on: half register component h is the
 * lower (h even) or upper half of full component h / 2. r48 to r55 are shared: one value a wave.
 * Numbers are those of struct lull_ir3_operand: 4 times the register plus 0 to 3.
 *
 * Divergence: of the fibers those with the lowest address go first; others are parked with their
 * address. Where parked fibers and running ones meet they go on together. Source: Mesa
 * ir3_reconvergence.c; code with right (jp)s gives the same on hardware. What hardware would not
 * join, because (jp) is missing, is told (lull_ir3_wave.bad_joins).
 */
#ifndef LULL_MODEL_ADRENO_EXEC_WAVE_H
#define LULL_MODEL_ADRENO_EXEC_WAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "isa/ir3/assume.h"
#include "model/adreno/exec/alu.h"
#include "model/adreno/exec/engine.h"

enum {
    LULL_IR3_FIBERS = 128,
    LULL_IR3_GPRS = 48 * 4,  ///< Components of full registers of a fiber.
    LULL_IR3_SHARED = 8 * 4, ///< Components of shared registers.
    LULL_IR3_PARKED = 128,
    LULL_IR3_CALLS = 8,
    LULL_IR3_ALIASES = 16,
    LULL_IR3_BASES = 8,
    LULL_IR3_CONSTS = 512 * 4, ///< Dwords of constants.
    LULL_IR3_SAMPLES = 4,      ///< Of a pixel.
    LULL_IR3_GIVES = 8 * 4,    ///< Components of targets.
};

struct lull_arch_ir3_insn;
struct lull_ir3_seen;
struct lull_observer;

/** A bit for each fiber. */
struct lull_ir3_mask {
    uint64_t w[LULL_IR3_FIBERS / 64];
};

static inline bool lull_ir3_on(const struct lull_ir3_mask *m, unsigned fiber)
{
    return (m->w[fiber / 64] >> (fiber & 63) & 1) != 0;
}

static inline bool lull_ir3_none(const struct lull_ir3_mask *m)
{
    return (m->w[0] | m->w[1]) == 0;
}

struct lull_ir3_parked {
    uint32_t pc;
    struct lull_ir3_mask mask;
};

enum lull_ir3_status {
    LULL_IR3_RUNS,
    LULL_IR3_BARRIER, ///< At a bar; pc is behind it.
    LULL_IR3_ENDED,
    LULL_IR3_FAULT, ///< It cannot go on; `wrong` says why.
};

/** What texture instructions read instead of a register. Source: Mesa ir3-cat7.xml, alias. */
struct lull_ir3_alias {
    struct lull_ir3_operand of, is;
};

/** An access that went wrong. */
struct lull_ir3_fault {
    uint64_t address;
    uint32_t pc, wave, fiber;
    bool write;
};

/** Why a wave stands for a debugger (stops.h). */
enum lull_ir3_stop {
    LULL_IR3_STOP_NOT,        ///< It runs.
    LULL_IR3_STOP_START,      ///< In front of its first instruction.
    LULL_IR3_STOP_STEP,       ///< Behind one.
    LULL_IR3_STOP_BREAKPOINT, ///< In front of one with a breakpoint.
    LULL_IR3_STOP_HOST,       ///< Because another does, or somebody asked.
    LULL_IR3_STOP_MEMORY,     ///< Behind one that memory refused.
    LULL_IR3_STOP_ILLEGAL,    ///< At one that it cannot execute.
};

struct lull_ir3_hold {
    enum lull_ir3_stop stop;
    bool passes;                 ///< The breakpoint where it is does not stop it: it has.
    bool steps;                  ///< It stands behind its next instruction.
    bool moved;                  ///< That is done, but for a barrier.
    struct lull_ir3_fault fault; ///< LULL_IR3_STOP_MEMORY
};

/** A wave. Plain data. */
struct lull_ir3_wave {
    uint32_t r[LULL_IR3_GPRS][LULL_IR3_FIBERS];
    uint32_t shared[LULL_IR3_SHARED];
    int16_t a0[LULL_IR3_FIBERS];
    uint16_t a1;
    struct lull_ir3_mask p[4]; ///< p0.x to p0.w.

    enum lull_ir3_status status;
    unsigned fibers; ///< 64 or 128.
    uint32_t pc;     ///< In instructions.
    struct lull_ir3_mask exec;
    struct lull_ir3_mask helpers; ///< They compute for the derivatives of others: what they write
                                  ///< to memory is dropped. (eq) ends them.
    enum { LULL_IR3_PRED_NONE, LULL_IR3_PRED_TRUE, LULL_IR3_PRED_FALSE } pred;
    struct lull_ir3_mask pred_mask;
    unsigned nparked;
    struct lull_ir3_parked parked[LULL_IR3_PARKED];
    unsigned ncalls;
    uint32_t calls[LULL_IR3_CALLS];
    unsigned naliases; ///< For the next texture instruction.
    struct lull_ir3_alias aliases[LULL_IR3_ALIASES];
    bool aliased; ///< The instruction reads them.

    uint32_t number;    ///< In its group.
    uint32_t slot;      ///< Of its shader processor: says where its private memory is.
    uint32_t sp;        ///< Its shader processor.
    uint32_t first;     ///< Local index of its first fiber.
    uint64_t ninsns;    ///< Instructions that it has executed.
    uint64_t bad_joins; ///< Where fibers met without (jp).
    bool joined;        ///< Fibers met at pc.
    uint32_t group[3];  ///< Its group.
    char wrong[128];    ///< LULL_IR3_FAULT: "nobody says what shb computes".
    struct lull_ir3_hold hold;
};

/** A decoded instruction and what to do with it. */
struct lull_ir3_op_step {
    uint64_t word;
    struct lull_ir3_insn in;
    const struct lull_ir3_alu_row *alu; ///< NULL: not of the ALU.
    bool to_int;                        ///< A float becomes an integer.
    bool scalar;                        ///< lull_ir3_alu_is_scalar()
};

struct lull_ir3_program {
    struct lull_ir3_op_step *steps; ///< Owned.
    uint32_t n;
    unsigned gen; ///< 630, 740.
    struct lull_ir3_codes codes;
};

/** Memory of the GPU as a shader sees it. */
struct lull_ir3_memory {
    void *ctx;
    /** Where @p bytes (1, 2, 4 or 8) of @p address are, aligned or not; NULL: nothing is mapped
     * there, or not for this. */
    uint8_t *(*at)(void *ctx, uint64_t address, unsigned bytes, bool write);
    /** Where @p address is, and how many bytes from there on lie in one piece; NULL: nothing is
     * mapped there, or not for this, and nobody is told. May be NULL itself. */
    uint8_t *(*piece)(void *ctx, uint64_t address, bool write, uint64_t *bytes);
};

/** Sizes and places of private memory. Source: Mesa a6xx.xml, SP_xS_PVT_MEM_PARAM. */
struct lull_ir3_private {
    uint64_t address;
    uint32_t fiber_bytes; ///< MEMSIZEPERITEM.
    uint32_t sp_bytes;    ///< TOTALPVTMEMSIZE.
    bool per_wave;        ///< PERWAVEMEMLAYOUT.
};

/** What the rasteriser has for a wave of pixels: four fibers are a quad. */
struct lull_ir3_fragments {
    void *ctx;
    /** Slot @p slot of a quad's primitive at vertices 0, 1, 2. */
    void (*slot)(void *ctx, unsigned quad, uint32_t slot, uint32_t ret[3]);
    /** The same at the provoking vertex. */
    uint32_t (*flat)(void *ctx, unsigned quad, uint32_t slot);
    int8_t sample[LULL_IR3_SAMPLES][2]; ///< Places in 1/16 pixel from the centre.
};

/** Slot @p slot as a float at barycentric coordinates @p i, @p j: bits of it. */
uint32_t lull_ir3_interpolate(const struct lull_ir3_fragments *f, unsigned quad, uint32_t slot,
                              float i, float j);

/** The memory of tiles, as textures see it: rows of samples, and coordinates of the screen. */
struct lull_ir3_tile {
    const uint8_t *bytes; ///< NULL: no pass renders to tiles.
    uint32_t size;
    uint32_t x, y; ///< Of the tile's first pixel.
};

/** What its waves are of, for observers. */
struct lull_ir3_launch {
    uint64_t number;     ///< No two dispatches or draws have the same.
    uint64_t dispatches; ///< Dispatches before it.
    uint64_t draw;       ///< Of a draw: draws before it; UINT64_MAX: not known.
    uint32_t space;      ///< Its address space: ASID.
    uint32_t full[3];    ///< Invocations of a group; of a draw 0.
    uint32_t nwaves;     ///< Of a group.
    const char *stage;   ///< As in struct lull_observed_wave; NULL: of a dispatch.
    const uint32_t (*at)[2];
    unsigned ngives; ///< Of a fragment shader, registers that the targets get at its end.
    struct lull_ir3_operand gives[LULL_IR3_GIVES];
};

/** All that the waves of a group share. */
struct lull_ir3_env {
    const struct lull_ir3_program *program;
    struct lull_ir3_memory memory;
    uint32_t *consts;        ///< LULL_IR3_CONSTS dwords, of all groups.
    uint32_t nconsts;        ///< Dwords that exist: CONSTLEN.
    uint32_t *shared_consts; ///< c504 to c511, if shared_first says so; 32 dwords, or 64 on a7xx.
    uint32_t shared_first;   ///< The first dword of constants that is one of them; 0: none.
    uint8_t *local;          ///< Shared memory.
    uint32_t local_bytes;
    struct lull_ir3_private priv;
    uint64_t bindless[LULL_IR3_BASES]; ///< As in SP_CS_BINDLESS_BASE.
    uint64_t ibo, tex, samp;           ///< Tables that are not bindless; 0: none.
    uint64_t border;                   ///< Table of the colours of borders.
    uint64_t ubo[32];                  ///< UBO descriptors that are not bindless.
    bool *preamble_done;
    const struct lull_ir3_fragments *fragments; ///< NULL: not of pixels.
    struct lull_ir3_tile tile;
    bool demote; ///< CONSTANT_DEMOTION_ENABLE: half constants of float instructions are f32.
    struct lull_ir3_assumptions assume;
    uint64_t nfaults;
    struct lull_ir3_fault fault; ///< The first.

    struct lull_observer *observers;        ///< Told of instructions and accesses; NULL: nobody.
    uint64_t code;                          ///< Address of the first instruction, for them.
    struct lull_ir3_seen *seen;             ///< The instruction at hand, if there are observers.
    struct lull_ir3_launch launch;          ///< If there are observers.
    const struct lull_arch_ir3_insn *insns; ///< The program, for them; NULL: it is decoded again.
    bool traps;      ///< One of them wants the wave to stand behind this one.
    uint32_t *rests; ///< Rows of what is assumed that it rests on; NULL: nobody asks.
};

/** What comes out of the instruction at hand depends on what is assumed. */
static inline void lull_ir3_rests(const struct lull_ir3_env *env, enum lull_ir3_assume what)
{
    if (env->rests != NULL) {
        *env->rests |= UINT32_C(1) << what;
    }
}

/**
 * Decode @p n words of a shader for GPU @p gen.
 *
 * A word that is not an instruction faults when a wave comes to it.
 */
struct lull_error *lull_ir3_program_new(const uint64_t *words, uint32_t n, unsigned gen,
                                        struct lull_ir3_program *ret) LULL_MUST_USE;
void lull_ir3_program_done(struct lull_ir3_program *p);
/** Its instructions write none but the first so many whole registers, at most. */
unsigned lull_ir3_program_written(const struct lull_ir3_program *p);
/** Some of them may write shared memory. */
bool lull_ir3_program_stores_local(const struct lull_ir3_program *p);

/** What register @p r, shared ones behind the others, of @p fiber, 0 of a shared one, has before
 * anybody sets it: nobody may count on what was there. Its halves are no small numbers. */
static inline uint32_t lull_ir3_untouched(unsigned r, unsigned fiber)
{
    return 0xdead8000u | r << 7 | fiber;
}

/** All fibers of @p live are on, at the first instruction. Registers hold lull_ir3_untouched(). */
void lull_ir3_wave_start(struct lull_ir3_wave *w, unsigned fibers,
                         const struct lull_ir3_mask *live);

/** The same of a wave that was started before and whose first @p nregs registers may have been
 * written since: the others are as they were. */
void lull_ir3_wave_again(struct lull_ir3_wave *w, unsigned fibers, const struct lull_ir3_mask *live,
                         unsigned nregs);

/** What its registers hold before anybody sets them, if it is not 0xdead.... */
void lull_ir3_wave_assume(struct lull_ir3_wave *w, const struct lull_ir3_assumptions *a);

/** Do one instruction, if the wave runs. */
void lull_ir3_wave_step(struct lull_ir3_wave *w, struct lull_ir3_env *env);

/* For the parts of the machine; `active` is who executes the instruction: exec and predication. */

/** It cannot go on. */
LULL_PRINTF(2, 3) void lull_ir3_wrong(struct lull_ir3_wave *w, const char *format, ...);

/** Behind an instruction: those at the lowest address go on. */
void lull_ir3_settle(struct lull_ir3_wave *w, const struct lull_ir3_env *env);

struct lull_ir3_mask lull_ir3_active(const struct lull_ir3_wave *w);
/** The first fiber that is on; LULL_IR3_FIBERS: none. */
unsigned lull_ir3_first(const struct lull_ir3_mask *m);

/** A component of a full or half register, or of a shared one, in @p fiber. */
uint32_t lull_ir3_get(const struct lull_ir3_wave *w, unsigned reg, bool half, unsigned fiber);
void lull_ir3_set(struct lull_ir3_wave *w, unsigned reg, bool half, unsigned fiber, uint32_t value);

/** Number @p index of the table of floats. */
uint32_t lull_ir3_flut(unsigned index, bool half);

/** Source @p o, @p step components further on, of all fibers into @p ret; false: it faulted. */
bool lull_ir3_fetch(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                    const struct lull_ir3_operand *o, unsigned step, uint32_t *ret);
/** Source @p k of repetition @p step of @p s, of the ALU, of all fibers as its row takes it. */
bool lull_ir3_alu_source(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                         const struct lull_ir3_op_step *s, unsigned k, unsigned step,
                         uint32_t *ret);
/** The same of one fiber, without aliases. */
uint32_t lull_ir3_fetch_one(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                            const struct lull_ir3_operand *o, unsigned step, unsigned fiber);
/** @p values to where @p o names, of the active fibers. */
bool lull_ir3_store(struct lull_ir3_wave *w, const struct lull_ir3_operand *o, unsigned step,
                    const uint32_t *values);

/** Is @p s, of the ALU, done once: are its numbers the same for all fibers, and goes what comes out
 * to a shared register, or to a predicate? */
bool lull_ir3_alu_is_scalar(const struct lull_ir3_op_step *s);

/* Each: false, it is not of this kind. */
bool lull_ir3_do_alu(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                     const struct lull_ir3_op_step *s);
/** Sets w->pc. */
bool lull_ir3_do_flow(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in);
bool lull_ir3_do_memory(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in);
bool lull_ir3_do_atomic(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in);
bool lull_ir3_do_lanes(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in);
bool lull_ir3_do_image(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in);
bool lull_ir3_do_texture(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_insn *in);
bool lull_ir3_do_resource(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in);

bool lull_ir3_do_fragment(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                          const struct lull_ir3_insn *in);

/** Constant @p n is @p v from now on, for all waves. */
void lull_ir3_set_constant(struct lull_ir3_env *env, uint32_t n, uint32_t v);

/** A dword, or less, of memory; a fault gives 0. */
uint32_t lull_ir3_load(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                       uint64_t address, unsigned bytes);
void lull_ir3_put(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                  uint64_t address, unsigned bytes, uint32_t value);
uint8_t *lull_ir3_place(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                        uint64_t address, unsigned bytes, bool write);

#endif
