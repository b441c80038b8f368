// SPDX-License-Identifier: MIT
/** @file
 * A function of the linked code, decoded, with its control flow. gfx11 only. For src/link/ only.
 */
#ifndef LULL_LINK_CODE_H
#define LULL_LINK_CODE_H

#include "isa/rdna/rdna.h"
#include "link/link_priv.h"

enum { LULL_LINK_GFX_OF_DECODER = 11 };

static const uint32_t LULL_LINK_NO_INSN = UINT32_MAX;

struct lull_link_insn {
    struct lull_rdna_insn in;
    uint32_t at;      ///< Byte in .text.
    uint32_t target;  ///< Instruction that it may branch to, or LULL_LINK_NO_INSN.
    bool falls;       ///< May go on to the next.
    uint32_t sources; ///< First of the instructions that branch here, or LULL_LINK_NO_INSN.
    uint32_t chain;   ///< Next of those that branch to the same target.
    uint32_t seen;    ///< Number of the last walk that was here.
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

/** Instruction at byte @p at of .text, or LULL_LINK_NO_INSN. */
uint32_t lull_link_insn_at(const struct lull_link_code *c, uint64_t at);

/** Function of the result that holds byte @p at of .text; false if there is none. */
bool lull_link_function_at(const struct lull_linker *l, uint64_t at, uint64_t *begin,
                           uint64_t *end);

#endif
