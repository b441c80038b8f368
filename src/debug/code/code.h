// SPDX-License-Identifier: MIT
/** @file
 * Code in GPU memory: one instruction, its text, those in front of it, where the code ends. Of the
 * vendor it knows what the target's struct lull_arch says.
 */
#ifndef LULL_DEBUG_CODE_CODE_H
#define LULL_DEBUG_CODE_CODE_H

#include <stdbool.h>

#include "arch/arch.h"
#include "base/str.h"
#include "target/target.h"

/** What an instruction means to someone who steps. */
enum lull_code_kind {
    LULL_CODE_PLAIN,
    LULL_CODE_CALL,
    LULL_CODE_BARRIER,
    LULL_CODE_END, ///< Of the wave.
};

struct lull_code_insn {
    unsigned size; ///< Bytes.
    enum lull_code_kind kind;
};

/** The instruction at @p va; false if it cannot be read or is none. */
bool lull_code_at(struct lull_target *t, uint64_t va, struct lull_code_insn *ret);
/** The same, decoded. */
bool lull_code_decode(struct lull_target *t, uint64_t va, struct lull_insn_room *ret);
/** Addresses of up to @p room instructions in front of @p va, rising, counted from @p start. */
size_t lull_code_before(struct lull_target *t, uint64_t start, uint64_t va, uint64_t *ret,
                        size_t room);
/** Assembly text of the instruction at @p va, ".long" if it is none; @p how needs no pc. @p
 * ret_size: its bytes. */
struct lull_error *lull_code_text(struct lull_target *t, uint64_t va, struct lull_insn_print how,
                                  struct lull_str *out, unsigned *ret_size) LULL_MUST_USE;
/** Where waves that go on from @p va end: in front of what gives registers back, if there is
 * such an instruction, else at the one that ends the program. At most @p room. */
size_t lull_code_ends(struct lull_target *t, uint64_t va, uint64_t *ret, size_t room);
/** Where the function that @p wave is in returns to, if it is where the call left it. */
struct lull_error *lull_code_return(struct lull_target *t, lull_wave_key wave,
                                    uint64_t *ret) LULL_MUST_USE;

/** Code from its first instruction to behind the end that no branch goes past, or padding. */
struct lull_code_extent {
    uint32_t bytes, ninsns;
    uint64_t hash; ///< FNV-1a of the bytes.
};
struct lull_error *lull_code_measure(struct lull_target *t, uint64_t va,
                                     struct lull_code_extent *ret) LULL_MUST_USE;

#endif
