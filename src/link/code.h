// SPDX-License-Identifier: MIT
/** @file
 * A function of the linked code, decoded, with its control flow: gfx1100's by lull's own decoder,
 * others' by the text that LLVM makes of it (lines.c). For src/link/ only.
 */
#ifndef LULL_LINK_CODE_H
#define LULL_LINK_CODE_H

#include "isa/rdna/rdna.h"
#include "link/link_priv.h"

enum { LULL_LINK_GFX_OF_DECODER = 11 };

static const uint32_t LULL_LINK_NO_INSN = UINT32_MAX;

struct lull_link_insn {
    /** Where there is text: only size, imm, op of s_mov_b32 and its dst, soffset of loads. */
    struct lull_rdna_insn in;
    const char *text; ///< Of a line of a listing; NULL: in is all of the instruction.
    uint32_t at;      ///< Byte in .text.
    uint32_t target;  ///< Instruction that it may branch to, or LULL_LINK_NO_INSN.
    bool falls;       ///< May go on to the next.
    uint32_t sources; ///< First of the instructions that branch here, or LULL_LINK_NO_INSN.
    uint32_t chain;   ///< Next of those that branch to the same target.
    uint32_t seen;    ///< Number of the last walk that was here.
};

/** What an instruction does with an SGPR. */
enum lull_link_use {
    LULL_LINK_UNTOUCHED,
    LULL_LINK_READ,
    LULL_LINK_WRITTEN,
    LULL_LINK_OFFSET_OF_LOAD,
    LULL_LINK_OFFSET_AND_WRITTEN,
};

/** Where scalar loads have their offsets: masks of words. */
struct lull_link_smem {
    unsigned gfx;
    uint32_t enable; ///< First word: the offset has a register, too; 0: nothing says so.
    uint32_t number; ///< First word: the offset is a number; 0: nothing says so.
    uint32_t offset, soffset;
    uint32_t none; ///< In soffset: no register.
};

struct lull_link_code {
    struct lull_link_insn *insns;
    uint32_t n;
    uint32_t *starts; ///< By dword from begin: index in insns, or LULL_LINK_NO_INSN.
    uint64_t begin, end;
    const char *trouble; ///< Why its control flow is not known, or NULL.
};

/** Decode bytes @p begin to @p end of .text into @p c, in place of what it holds. */
struct lull_error *lull_link_decode(const struct lull_linker *l, uint64_t begin, uint64_t end,
                                    struct lull_link_code *c) LULL_MUST_USE;
void lull_link_code_done(struct lull_link_code *c);

/** The form of @p gfx; false: not known. */
bool lull_link_smem(unsigned gfx, struct lull_link_smem *ret);

/** The instruction at @p at by its line; false: it is none. */
bool lull_link_decode_line(const struct lull_linker *l, uint64_t at, struct lull_link_insn *x);
/** Branches of a line; why its control flow is not known, or NULL. */
const char *lull_link_line_flow(const char *text, bool *branches, bool *falls);
/** What the instruction, which has a line, does with SGPR @p reg. */
enum lull_link_use lull_link_line_use(const struct lull_link_insn *x, uint16_t reg);

/** Instruction at byte @p at of .text, or LULL_LINK_NO_INSN. */
uint32_t lull_link_insn_at(const struct lull_link_code *c, uint64_t at);

/** Function of the result that holds byte @p at of .text; false if there is none. */
bool lull_link_function_at(const struct lull_linker *l, uint64_t at, uint64_t *begin,
                           uint64_t *end);

#endif
