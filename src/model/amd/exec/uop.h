// SPDX-License-Identifier: MIT
/** @file
 * Inside the ALU of the model: predecoded instructions, and what gen/isa makes of
 * data/isa/rdna3.sem.
 */
#ifndef LULL_MODEL_AMD_EXEC_UOP_H
#define LULL_MODEL_AMD_EXEC_UOP_H

#include "isa/rdna_ops.h"

#include "model/amd/exec/engine.h"
#include "model/amd/wave/exec.h"

/** What stands in an operand, as far as constants and modifiers care. */
enum lull_sem_type {
    LULL_T_NONE,
    LULL_T_B16, ///< Integer or bits; inline floats are f32 patterns cut to 16 bits.
    LULL_T_F16,
    LULL_T_BF16,
    LULL_T_B32,
    LULL_T_F32,
    LULL_T_B64, ///< A literal is zero-extended.
    LULL_T_I64, ///< A literal is sign-extended.
    LULL_T_F64, ///< A literal is the upper half.
    LULL_T_V2I16,
    LULL_T_V2F16,
    LULL_T_V2BF16,
    LULL_T_MIX,  ///< f32, or f16 if op_sel_hi says so.
    LULL_T_MASK, ///< One bit per lane.
    LULL_T_WIDE, ///< More than 64 bits.
};

enum lull_sem_kind {
    LULL_SEM_NONE, ///< No row: illegal instruction.
    LULL_SEM_NOP,
    LULL_SEM_HAND,
    LULL_SEM_SYSTEM,
    LULL_SEM_SCALAR,
    LULL_SEM_LANES,
};

enum lull_sem_flag {
    LULL_SEM_DREAD = 1,  ///< D is read.
    LULL_SEM_DHI = 2,    ///< D goes to the upper 16 bits.
    LULL_SEM_VCC = 4,    ///< Reads VCC's bit of the lane without naming it.
    LULL_SEM_EXEC = 8,   ///< D is EXEC, whatever dst says (v_cmpx).
    LULL_SEM_CLAMP = 16, ///< Has a second lane function for CLAMP.
    LULL_SEM_MODE = 32,  ///< Writes MODE.
};

/** What a lane function needs besides its operands. */
struct lull_lane_ctx {
    uint32_t mode;    ///< MODE.
    uint32_t literal; ///< L.
    uint32_t in;      ///< Bit n: this bit of C or VCC.
    uint32_t out;     ///< Bit n: result D or E, if it is a mask. Lanes that are off have any value.
    uint32_t lane0;   ///< 0 or 32.
    uint32_t neg;
    uint32_t off;   ///< Bit n: nobody looks at lane n's result, which may be anything.
    uint32_t again; ///< 1: lanes that are off have operands of one that is on.
    const uint32_t *ah, *bh, *ch; ///< Upper dwords of 64-bit operands.
    uint32_t *dh;
};

/** Compute 32 lanes, on or off. Operands that share memory share it lane by lane. */
typedef void lull_lane_fn(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                          struct lull_lane_ctx *x);

struct lull_uop;
typedef enum lull_exec_result lull_uop_fn(struct lull_wave *w, const struct lull_uop *u);

/** A row of the semantics table. */
struct lull_sem {
    uint8_t kind;      ///< enum lull_sem_kind.
    uint8_t flags;     ///< enum lull_sem_flag.
    uint8_t d, src[3]; ///< enum lull_sem_type. E is always a mask.
};

/** Lane functions of one instruction, for one kind of host. */
struct lull_lane_fns {
    lull_lane_fn *fn;
    lull_lane_fn *soft;  ///< Without the host's floating point; the truth that fn is compared with.
    lull_lane_fn *clamp; ///< With CLAMP, integers only; or NULL.
};

/**
 * Lanes of @p doubt that are on once more by @p soft, their results into @p r. The other operands
 * are those of the function that asks; its D is at @p d, still the old one.
 */
void lull_lanes_doubt(lull_lane_fn *soft, uint32_t doubt, uint32_t *r, const uint32_t *d,
                      const uint32_t *a, const uint32_t *b, const uint32_t *c,
                      const struct lull_lane_ctx *x);

/**
 * What @p fn does if it could not do a lane and does not know which: itself once more with the
 * operands of a lane that is on in the place of those that are off; then by @p soft.
 */
void lull_lanes_redo(lull_lane_fn *fn, lull_lane_fn *soft, uint32_t *d, const uint32_t *a,
                     const uint32_t *b, const uint32_t *c, struct lull_lane_ctx *x);

/** As lull_lane_fn, without the host's arithmetic; the exceptions of each lane are added to @p
 * excp.
 */
typedef void lull_excp_fn(uint32_t *d, uint32_t *excp, const uint32_t *a, const uint32_t *b,
                          const uint32_t *c, struct lull_lane_ctx *x);

extern const struct lull_sem lull_sem[LULL_RDNA_NOPS];
/** NULL: the instruction raises none. */
extern lull_excp_fn *const lull_sem_excp[LULL_RDNA_NOPS];
extern lull_uop_fn *const lull_sem_scalar[LULL_RDNA_NOPS];
/** What is done with lanes besides computing, by the same kind of host (so that loads find whole
 * stores). */
struct lull_lane_tools {
    void (*store)(uint32_t *d, const uint32_t *v,
                  uint32_t mask);          ///< Write the lanes that @c mask has.
    void (*fill)(uint32_t *d, uint32_t v); ///< All lanes the same.
    /** All lanes: bits @c keep of @c v, and bits @c flip turned. */
    void (*sign)(uint32_t *d, const uint32_t *v, uint32_t keep, uint32_t flip);
    /** The same with the 16 bits from @c shift on, if @c keep is within 16 bits. */
    void (*half)(uint32_t *d, const uint32_t *v, unsigned shift, uint32_t keep, uint32_t flip);
    /** The 16 bits from @c low and from @c high on, and bits @c flip turned. */
    void (*packed)(uint32_t *d, const uint32_t *v, unsigned low, unsigned high, uint32_t flip);
    /** f16 at bit @c shift to f32. */
    void (*widen)(uint32_t *d, const uint32_t *v, unsigned shift, uint32_t mode);
    /** Write 16 bits of the lanes that @c mask has to the lower or upper half of @c d. */
    void (*low)(uint32_t *d, const uint32_t *v, uint32_t mask);
    void (*high)(uint32_t *d, const uint32_t *v, uint32_t mask);
    /** OMOD and CLAMP of f32, of all lanes of @c d. */
    void (*out_f32)(uint32_t *d, unsigned omod, bool clamp, uint32_t mode);
};

extern const struct lull_lane_fns lull_lanes_base[LULL_RDNA_NOPS];
extern const struct lull_lane_tools lull_tools_base;
#if defined(__x86_64__)
extern const struct lull_lane_tools lull_tools_v3;
extern const struct lull_lane_fns lull_lanes_v3[LULL_RDNA_NOPS]; ///< x86-64-v3: AVX2, FMA.
#endif

/** How the run loop treats an instruction. */
enum lull_uop_class {
    LULL_UOP_FULL,   ///< With everything; also what is not predecoded.
    LULL_UOP_QUICK,  ///< Call fn: no other state than registers, SCC and the pc changes.
    LULL_UOP_INLINE, ///< Call lane for each half with a lane on.
    LULL_UOP_SKIP,   ///< Waits and hints: only the pc changes.
    LULL_UOP_TRAP,   ///< As QUICK in the trap handler, as its TTMPs count there; else as FULL.
};

/** How an instruction can stand in a struct lull_stretch, whose lanes are the same for all. */
enum lull_uop_calm {
    LULL_CALM_NOT,
    LULL_CALM_VECTOR, ///< In front of what writes EXEC.
    LULL_CALM_SCALAR, ///< Anywhere, with no lanes.
    LULL_CALM_EXEC,   ///< The same, and writes EXEC.
    LULL_CALM_JUMP,   ///< At the end.
};

enum {
    LULL_UOP_PAIR_D = 8,
    LULL_UOP_COLD = 255, ///< heat of what is never compiled (again).
};

/** An instruction as the run loop wants it. What the loop looks at each time comes first. */
struct lull_uop {
    uint8_t cls;     ///< enum lull_uop_class.
    uint8_t ndwords; ///< Size of the instruction.
    uint16_t nvgprs; ///< The wave must have so many.
    uint32_t literal;
    lull_uop_fn *fn;
    lull_lane_fn *lane;
    /** Source n of a plain vector instruction is at base[n] + (address of VGPR 0 & reg[n]), in
     * bytes. */
    uint64_t base[3], reg[3];
    uint32_t doff;              ///< Offset of D in w->vgpr, in dwords.
    uint8_t sgprs;              ///< Bit n: source n is a scalar to be broadcast, not at its base.
    uint8_t konst;              ///< Bit n: source n is value[n].
    uint8_t nlanes;             ///< Of waves that execute it: 32 or 64.
    uint8_t pairs;              ///< Bit n: source n has 64 bits; bit 3: D.
    bool reads_mask;            ///< VCC or another mask.
    bool reads_d;               ///< D is a source, too.
    bool has_d;                 ///< D is a VGPR, not a mask.
    uint16_t mask_in, mask_out; ///< SGPR of a mask that is read; of one that is written, or NONE.
    bool ttmp;                  ///< Names a TTMP, which only the trap handler may touch.
    uint8_t calm;               ///< enum lull_uop_calm.
    bool loud;                  ///< Of waves that are watched: observers are always told of it.
    const struct lull_rdna_insn *in;
    const struct lull_lane_tools *tools;
    lull_exec_fn *handler;                 ///< Of another part of the model.
    uint64_t value[3];                     ///< Constants.
    const struct lull_exec_code *compiled; ///< By the code cache's engine; NULL: not yet, or never.
    uint8_t heat;                          ///< How often it was come to, or compiled.
    uint64_t decoded;                      ///< As in struct lull_observed.
};

/** Functions of one instruction made by hand (hand.c); NULL: not there. */
lull_uop_fn *lull_hand_handler(const struct lull_rdna_insn *in);

/** v_interp_*: parameters in lanes of the quad. Source: RDNA3 ISA guide 16.11. */
lull_uop_fn lull_interp;
/** lds_direct_load: one value for all lanes. */
lull_uop_fn lull_lds_direct;

/** VALU with any operands and modifiers. */
lull_uop_fn lull_valu_general;
/** VALU without modifiers, all operands of 32 bits or masks. */
lull_uop_fn lull_valu_plain;
/** The same for 32 bits only, and masks in SGPRs: compare, select, carry. */
lull_uop_fn lull_valu_masks;
/** Whether @p in has no DPP, or one that shuffles. */
bool lull_valu_dpp_known(const struct lull_rdna_insn *in);
/** Source 0 of @p u, a VGPR, as its DPP shuffles it for lanes 32 * @p half and up. @return lanes
 * that may write. */
uint32_t lull_valu_shuffle(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                           uint32_t v[32]);
/** Register pair for the mask result of @p in, or NONE. */
unsigned lull_valu_mask_dst(const struct lull_rdna_insn *in);
/** The same with neg, abs, omod and clamp. */
lull_uop_fn lull_valu_modified;
/** The two halves of VOPD. */
lull_uop_fn lull_valu_dual;
/** Exceptions that @p u, about to be executed, raises in the lanes that are on: enum lull_fp_excp.
 */
uint32_t lull_valu_exceptions(const struct lull_wave *w, const struct lull_uop *u);

/** enum lull_uop_calm of @p u: it computes with registers alone. */
uint8_t lull_uop_calm(const struct lull_uop *u);

/** Fill @p u for @p in on a wave of @p lanes lanes with handlers of @p table. Constants are in
 * value: see lull_uop_constant(). */
void lull_uop_make(struct lull_uop *u, const struct lull_rdna_insn *in, unsigned lanes,
                   enum lull_wave_table table);

/** VGPRs that @p u may write lie below this one. */
unsigned lull_uop_written(const struct lull_uop *u);

/** Let constant source @p n of a plain vector instruction be the 32 lanes at @p lanes. */
void lull_uop_constant(struct lull_uop *u, unsigned n, const uint32_t *lanes);

/** The table for this machine. */
const struct lull_lane_fns *lull_lanes_host(void);

/** Value of an inline constant, literal or special scalar source @p op. */
uint64_t lull_scalar_const(unsigned op, enum lull_sem_type type, uint32_t literal);
/** Value of any scalar source. */
uint64_t lull_scalar_read(const struct lull_wave *w, unsigned op, enum lull_sem_type type,
                          uint32_t literal);

/** A pair at NULL is 0. */
static inline uint64_t lull_sgpr64(const struct lull_wave *w, unsigned op)
{
    return op == LULL_RDNA_NULL ? 0 : w->sgpr[op & 127] | (uint64_t)w->sgpr[(op + 1) & 127] << 32;
}

/** EXEC, of a wave32 only its lower half. */
static inline uint64_t lull_wave_exec(const struct lull_wave *w)
{
    return w->lanes == 64 ? lull_sgpr64(w, LULL_RDNA_EXEC) : w->sgpr[LULL_RDNA_EXEC];
}

static inline uint64_t lull_wave_vcc(const struct lull_wave *w)
{
    return w->lanes == 64 ? lull_sgpr64(w, LULL_RDNA_VCC) : w->sgpr[LULL_RDNA_VCC];
}

static inline bool lull_is_sgpr(unsigned op)
{
    return op < LULL_RDNA_INT0;
}

static inline void lull_sgpr_write(struct lull_wave *w, unsigned op, uint32_t value)
{
    if (op != LULL_RDNA_NULL && op < LULL_RDNA_INT0) {
        w->sgpr[op] = value;
    }
}

/** A pair at NULL is dropped whole. */
static inline void lull_sgpr_write64(struct lull_wave *w, unsigned op, uint64_t value)
{
    if (op != LULL_RDNA_NULL) {
        lull_sgpr_write(w, op, (uint32_t)value);
        lull_sgpr_write(w, op + 1, (uint32_t)(value >> 32));
    }
}

/** Source @p n of a scalar instruction. */
static inline uint32_t lull_s32(const struct lull_wave *w, const struct lull_uop *u, unsigned n,
                                enum lull_sem_type type)
{
    if ((u->konst >> n & 1) != 0) {
        return (uint32_t)u->value[n];
    }
    const unsigned op = u->in->src[n];
    return lull_is_sgpr(op) ? w->sgpr[op] : (uint32_t)lull_scalar_read(w, op, type, u->in->literal);
}

static inline uint64_t lull_s64(const struct lull_wave *w, const struct lull_uop *u, unsigned n,
                                enum lull_sem_type type)
{
    if ((u->konst >> n & 1) != 0) {
        return u->value[n];
    }
    const unsigned op = u->in->src[n];
    return lull_is_sgpr(op) ? lull_sgpr64(w, op) : lull_scalar_read(w, op, type, u->in->literal);
}

/** Source @p n of a plain vector instruction that is no scalar, for lanes 32 * @p half and up. */
static inline const uint32_t *lull_plain_lanes(const struct lull_wave *w, const struct lull_uop *u,
                                               unsigned n, unsigned half)
{
    const uint64_t vgpr = (uint64_t)(uintptr_t)w->vgpr + 128 * half;
    return (const uint32_t *)(uintptr_t)(u->base[n] + (vgpr & u->reg[n]));
}

/** The same of any; a scalar fills @p room. */
static inline const uint32_t *lull_plain_source(const struct lull_wave *w, const struct lull_uop *u,
                                                unsigned n, unsigned half, uint32_t room[32])
{
    if ((u->sgprs >> n & 1) == 0) {
        return lull_plain_lanes(w, u, n, half);
    }
    u->tools->fill(room, lull_s32(w, u, n, LULL_T_B32));
    return room;
}

#endif
