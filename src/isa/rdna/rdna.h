// SPDX-License-Identifier: MIT
/** @file
 * RDNA instructions: decode to one plain struct, print as assembly text.
 *
 * The tables come from data/isa/rdna3.isa through gen/isa; no opcode number
 * stands in C. The struct keeps hardware's own operand numbers, so that the
 * model, the printer and the debugger agree about what a number means.
 */
#ifndef LULL_ISA_RDNA_RDNA_H
#define LULL_ISA_RDNA_RDNA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/** Why bytes are not an instruction. Negative, so it fits the result of lull_rdna_decode(). */
enum lull_rdna_fault {
    LULL_RDNA_TRUNCATED = -1, ///< The code ends inside an instruction.
    LULL_RDNA_UNKNOWN = -2,   ///< No row of the table matches.
};

enum lull_rdna_enc {
    LULL_RDNA_SOP1,
    LULL_RDNA_SOP2,
    LULL_RDNA_SOPK,
    LULL_RDNA_SOPC,
    LULL_RDNA_SOPP,
    LULL_RDNA_SMEM,
    LULL_RDNA_VOP1,
    LULL_RDNA_VOP2,
    LULL_RDNA_VOPC,
    LULL_RDNA_VOP3,   ///< Any VOP1/VOP2/VOPC promoted, and the three-source ones.
    LULL_RDNA_VOP3SD, ///< VOP3 with a scalar destination (carry, div_scale, mad_u64).
    LULL_RDNA_VOP3P,
    LULL_RDNA_VOPD, ///< Two operations in one: op and y.op.
    LULL_RDNA_VINTERP,
    LULL_RDNA_LDSDIR,
    LULL_RDNA_DS,
    LULL_RDNA_FLAT,
    LULL_RDNA_GLOBAL,
    LULL_RDNA_SCRATCH,
    LULL_RDNA_MUBUF,
    LULL_RDNA_MTBUF,
    LULL_RDNA_MIMG,
    LULL_RDNA_EXP,
};

/**
 * Operand numbers: those of the 9-bit source field.
 *
 * 0..105 SGPR, 106/107 VCC, 108..123 TTMP0..15, 124 NULL, 125 M0, 126/127 EXEC,
 * 128..192 integers 0..64, 193..208 integers -1..-16, 235/236 shared base/limit,
 * 237/238 private base/limit, 240..247 +-0.5 +-1 +-2 +-4, 248 1/(2 pi), 251 VCCZ,
 * 252 EXECZ, 253 SCC, 254 LDS direct, 255 literal, 256..511 VGPR0..255.
 */
enum {
    LULL_RDNA_VCC = 106,
    LULL_RDNA_TTMP0 = 108,
    LULL_RDNA_NULL = 124,
    LULL_RDNA_M0 = 125,
    LULL_RDNA_EXEC = 126,
    LULL_RDNA_INT0 = 128,
    LULL_RDNA_INT64 = 192,    ///< The integer 64; the next is -1.
    LULL_RDNA_INT_LAST = 208, ///< The integer -16.
    LULL_RDNA_SHARED_BASE = 235,
    LULL_RDNA_FLOAT0 = 240, ///< 0.5, -0.5, 1, -1, 2, -2, 4, -4.
    LULL_RDNA_INV_2PI = 248,
    LULL_RDNA_VCCZ = 251,
    LULL_RDNA_SCC = 253,
    LULL_RDNA_LDS_DIRECT = 254,
    LULL_RDNA_LITERAL = 255,
    LULL_RDNA_VGPR0 = 256,
    LULL_RDNA_NONE = 0xffff, ///< The instruction has no such operand.
};

enum lull_rdna_dpp_kind {
    LULL_RDNA_NO_DPP,
    LULL_RDNA_DPP8,
    LULL_RDNA_DPP16,
};

/** Second half of a VOPD instruction. */
struct lull_rdna_y {
    uint16_t op; ///< enum lull_rdna_op of the v_dual_* operation.
    uint16_t dst;
    uint16_t src[2];
};

/**
 * One decoded instruction. Plain data: copy it freely.
 *
 * 16-bit operands of VOP1/VOP2/VOPC that name a high half (bit 7 of the VGPR
 * number) come out as the plain VGPR and the bit in op_sel, as VOP3 has it.
 */
struct lull_rdna_insn {
    uint16_t op;   ///< enum lull_rdna_op (generated: rdna_ops.h), an index into lull_rdna_ops[].
    uint8_t enc;   ///< enum lull_rdna_enc.
    uint8_t size;  ///< Bytes, 4 to 20.
    uint16_t dst;  ///< First destination (sdst or vdst) by operand number, or LULL_RDNA_NONE.
    uint16_t sdst; ///< Second, scalar destination: VOP3SD's carry. VOPC's result is dst.
    /** Sources in the order of the text: s/vsrc0..2. Memory instructions use the names below. */
    uint16_t src[3];
    uint32_t literal; ///< If a source is LULL_RDNA_LITERAL; K of fmaak, fmamk, setreg_imm32.

    // VOP3, VOP3P, VINTERP, DPP. Bit n: source n; op_sel bit 3: destination's high half.
    uint8_t neg, abs, op_sel;
    uint8_t neg_hi, op_sel_hi; ///< VOP3P.
    uint8_t omod;              ///< 0 none, 1 *2, 2 *4, 3 /2.
    bool clamp;

    uint8_t dpp;       ///< enum lull_rdna_dpp_kind; the source operand is then in src[0].
    uint32_t dpp_ctrl; ///< DPP8: 8 selectors of 3 bits; DPP16: the 9-bit dpp_ctrl.
    uint8_t row_mask, bank_mask;
    bool bound_ctrl, fi;

    struct lull_rdna_y y; ///< VOPD only.

    // Immediate: SIMM16 of SOPK and SOPP (sign-extended), memory offset in bytes.
    int32_t imm;

    // Memory: SMEM, DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG, EXP.
    uint16_t vaddr;           ///< VGPR number + 256, or NONE (SMEM; saddr alone; no offset).
    uint16_t vdata;           ///< Store data or DS data0; also dst of loads is in dst.
    uint16_t vdata2;          ///< DS data1.
    uint16_t saddr;           ///< GLOBAL/SCRATCH: SGPR, or NULL when off.
    uint16_t sbase;           ///< SMEM base; MUBUF/MTBUF/MIMG resource (first SGPR).
    uint16_t soffset;         ///< SMEM, MUBUF, MTBUF.
    uint16_t ssamp;           ///< MIMG sampler.
    uint8_t offset0, offset1; ///< DS two-address forms.
    bool glc, slc, dlc, gds, offen, idxen, tfe, lwe, unorm, r128, a16, d16, lds, svs;
    uint8_t dmask, dim, format; ///< MIMG dmask and dim; MTBUF format.
    uint16_t nsa[5];            ///< MIMG addresses, EXP sources (4), by operand number.
    uint8_t naddr;              ///< Valid entries of nsa; 0 if the form is not NSA.
    uint8_t exp_target, exp_en; ///< EXP.
    bool exp_done, exp_row;
    uint8_t wait_exp, attr, attr_chan, wait_vdst; ///< VINTERP and LDSDIR.
};

/**
 * Decode the gfx11 instruction at the start of @p code. Allocates nothing; any thread.
 *
 * @param size Bytes readable at @p code.
 * @param[out] out Written only on success.
 * @return Bytes consumed, greater than 0, or an enum lull_rdna_fault.
 */
int lull_rdna_decode(const void *code, size_t size, struct lull_rdna_insn *out);

/**
 * The same as hardware does it: fields that an instruction does not use may hold anything (of
 * lull_rdna_decode() they must be 0, as assemblers leave them). Those come out as NONE, 0 or false.
 */
int lull_rdna_decode_lax(const void *code, size_t size, struct lull_rdna_insn *out);

enum { LULL_RDNA_MAX_MADE = 3 }; ///< Dwords of the longest that lull_rdna_encode() makes.

/**
 * The dwords of @p in: SOP1, SOP2, SOPC, SOPK, SOPP, MUBUF, and VOP1, VOP3, VOP3SD and VOP3P
 * without DPP, and VOP1 without halves of registers. What no source or destination has may be
 * LULL_RDNA_NONE.
 *
 * @return How many dwords; 0: it makes no such instruction.
 */
unsigned lull_rdna_encode(const struct lull_rdna_insn *in, uint32_t ret[LULL_RDNA_MAX_MADE]);

/** How text depends on things outside the instruction. */
struct lull_rdna_print {
    unsigned wave_size; ///< 32 or 64: vcc_lo or vcc as implied operand. 0 means 32.
    uint64_t pc;        ///< Address of the instruction, for branch targets.
    /** Name for a branch target, or NULL to print LLVM's way (the number of dwords). */
    const char *(*symbol)(void *ctx, uint64_t address);
    void *ctx;
};

/** Append the assembly text of @p in, as llvm-mc prints it, without a newline. */
void lull_rdna_show(const struct lull_rdna_insn *in, const struct lull_rdna_print *how,
                    struct lull_str *out);

#endif
