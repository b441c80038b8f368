// SPDX-License-Identifier: MIT
/** @file
 * Machine code as a list of instructions that can be compared: without registers, without waits.
 */
#ifndef LULL_DEBUG_LINES_CODE_H
#define LULL_DEBUG_LINES_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct lull_lines_insn {
    uint32_t offset, size; ///< Bytes.
    uint64_t full;         ///< Hash of its bytes.
    uint64_t key;    ///< Hash of its text without numbers of registers, and of branch targets.
    uint32_t target; ///< Of a branch: bytes; UINT32_MAX: none.
    bool waits;      ///< Schedule only: a wait, a hint. It computes nothing.
    bool memory, reads, writes; ///< Memory.
    bool flow;                  ///< What is behind it is another block.
};

struct lull_lines_code {
    struct lull_lines_insn *insns;
    size_t n;
};

/** Up to the first dword that is no instruction. @p gen of an Adreno: 630, 740; 0: of gfx1100. In
 * @p a. LULL_ERR_NO_MEMORY. */
struct lull_error *lull_lines_code(const uint32_t *words, size_t nwords, unsigned gen,
                                   struct lull_arena *a, struct lull_lines_code *ret) LULL_MUST_USE;

/** What became of an instruction of the first code in the second. */
enum lull_lines_fate {
    LULL_LINES_SAME,  ///< It is there, perhaps with other registers or elsewhere.
    LULL_LINES_MAYBE, ///< It, or another like it, is not there.
    LULL_LINES_OTHER, ///< Another stands in its place.
    LULL_LINES_GONE,
};

/**
 * Compare @p to with @p from.
 *
 * @param[out] fates from->n of them.
 * @return False: they are too different to say, or memory is short.
 */
bool lull_lines_compare(const struct lull_lines_code *from, const struct lull_lines_code *to,
                        enum lull_lines_fate *fates);

#endif
