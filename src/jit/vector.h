// SPDX-License-Identifier: MIT
/** @file
 * One vector instruction: which template it has, and the template put into registers.
 */
#ifndef LULL_JIT_VECTOR_H
#define LULL_JIT_VECTOR_H

#include "jit/template.h"
#include "jit/vendor.h"
#include "jit/window.h"
#include "model/amd/exec/uop.h"

/** What of a source is taken. */
enum lull_jit_view {
    LULL_JIT_WHOLE,
    /** Its halves in another order: + 1 if the lower one comes from the upper, + 2 if the upper. */
    LULL_JIT_HALVES,
    LULL_JIT_WIDE_LOW = LULL_JIT_HALVES + 4, ///< The lower half, from f16 to f32.
    LULL_JIT_WIDE_HIGH,                      ///< The upper one.
};

/** What (neg) and (abs) of sources mean. */
enum lull_jit_signs {
    LULL_JIT_SIGN_BIT,
    LULL_JIT_TWOS_COMPLEMENT,
    LULL_JIT_ALL_BITS, ///< (neg): all are turned.
};

/** A vector instruction as the compiler wants it. */
struct lull_jit_vector {
    const struct lull_jit_template *t;     ///< NULL: v_swap_b32 of VGPRs dst and src[0].
    const struct lull_jit_template *quick; ///< Done before, if it may be enough; or NULL.
    uint16_t src[3];                       ///< Operand numbers of gfx1100; masks: mask_in.
    uint8_t type[3];                       ///< enum lull_sem_type.
    struct lull_jit_operand at[3];         ///< The same of ir3.
    uint8_t neg, abs;                      ///< Bit n: of source n.
    uint8_t sign;                          ///< enum lull_jit_signs: what they mean.
    uint8_t neg_hi;                        ///< The same, of the upper half of two.
    uint8_t view[3];                       ///< enum lull_jit_view.
    uint8_t signs;                         ///< Of a row that looks at NEG.
    bool shuffled;                         ///< Source 0 is, by DPP: number shuffle of the region.
    bool wide;                             ///< Operands and the result are f16 that stand in f32.
    bool merges;                           ///< Some lanes keep what dst was.
    uint8_t shuffle;
    bool high;          ///< The result goes to the upper half of dst.
    uint16_t dst;       ///< VGPR number; of masks see mask_out.
    uint16_t mask_in;   ///< SGPR, or LULL_RDNA_NONE.
    uint16_t mask_out;  ///< SGPR, or LULL_RDNA_NONE.
    uint8_t saved[3];   ///< Of SGPR sources: see lull_jit_sgpr_key().
    uint8_t mask_saved; ///< Of mask_in.
    bool mask_uniform;  ///< mask_in is the same for all lanes.
    uint8_t choice;     ///< 1 + number of the choice that this is, or 0.
    uint8_t from[2];    ///< Of a choice: 1 + the number of the one that src[n] is, or 0.
    uint32_t literal;
};

/** Kinds of enum lull_sem_type. */
static inline bool lull_jit_is_16(uint8_t type)
{
    return type == LULL_T_B16 || type == LULL_T_F16 || type == LULL_T_BF16;
}

static inline bool lull_jit_is_64(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

static inline bool lull_jit_is_v2(uint8_t type)
{
    return type == LULL_T_V2I16 || type == LULL_T_V2F16 || type == LULL_T_V2BF16;
}

/** How many registers source @p n is, and the result, from the first on. */
static inline unsigned lull_jit_source_dwords(const struct lull_jit_vector *v, unsigned n)
{
    return lull_jit_is_64(v->type[n]) ? 2 : 1;
}

static inline unsigned lull_jit_result_dwords(const struct lull_jit_vector *v)
{
    return v->t != NULL && v->t->dh >= 0 ? 2 : 1;
}

enum { LULL_JIT_MAX_VECTORS = 2 };

/**
 * What @p u is in code of @p t for MODE number @p mode of lull_jit_modes; -1: any MODE. VOPD is
 * two, in the order in which none reads what the other has written; so is (omod), whose second
 * multiplies what the first has written.
 *
 * @return how many; 0: it cannot be compiled.
 */
unsigned lull_jit_vectors(const struct lull_jit_target *t, const struct lull_uop *u, int mode,
                          struct lull_jit_vector ret[LULL_JIT_MAX_VECTORS]);

/** Emit @p v. The window says if there were not enough registers. */
void lull_jit_emit_vector(struct lull_jit_window *q, const struct lull_jit_vector *v);

#endif
