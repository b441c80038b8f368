// SPDX-License-Identifier: MIT
/** @file
 * Code of gfx1100 taken apart: instructions, where they go, the values that they read and write.
 */
#ifndef LULL_INSTRUMENT_RDNA_SHADER_H
#define LULL_INSTRUMENT_RDNA_SHADER_H

#include "arch/arch.h"
#include "isa/rdna/rdna.h"

enum { LULL_RDNA_NOWHERE = INT32_MAX, LULL_RDNA_VALUES = 96 };

struct lull_rdna_step {
    struct lull_rdna_insn in;
    uint32_t at;     ///< Byte in the code.
    uint32_t target; ///< Number of the instruction that it jumps to, or LULL_RDNA_NOWHERE.
    enum lull_flow_kind flow;
};

struct lull_rdna_shader {
    const uint8_t *code;          ///< Borrowed.
    size_t size;                  ///< Bytes.
    unsigned lanes;               ///< Of a wave.
    struct lull_rdna_step *steps; ///< Owned.
    size_t n;
    uint64_t named[2]; ///< SGPRs that an instruction reads or writes.
    unsigned nvgprs;   ///< VGPRs up to the last that one names; at least 4, which all waves have.
};

/**
 * @param lanes 32 or 64.
 * @return LULL_ERR_BAD_DATA: it is not code; LULL_ERR_UNSUPPORTED: it goes to addresses that
 * registers hold, jumps out of itself, or chooses registers at run time.
 */
struct lull_error *lull_rdna_shader_of(const void *code, size_t size, unsigned lanes,
                                       struct lull_rdna_shader *ret) LULL_MUST_USE;
void lull_rdna_shader_done(struct lull_rdna_shader *s);

/**
 * Registers, by number of struct lull_arch, that @p s writes (@p dst) or reads, each once. EXEC is
 * among them only where the text has it or it is written.
 *
 * @return How many.
 */
unsigned lull_rdna_values(const struct lull_rdna_shader *s, const struct lull_rdna_step *step,
                          bool dst, uint16_t ret[LULL_RDNA_VALUES]);

/** One more register, if it is not among the @p n of @p all. @return How many there are then. */
unsigned lull_rdna_values_add(uint16_t all[LULL_RDNA_VALUES], unsigned n, unsigned reg);

#endif
