// SPDX-License-Identifier: MIT
/** @file
 * Listings of code for GPUs that lull has no instructions of: LLVM's disassembler makes the text.
 */
#ifndef LULL_CLI_LISTING_LLVM_H
#define LULL_CLI_LISTING_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct lull_listing_llvm {
    const char *symbol; ///< Only this function; NULL: all code.
    bool json;
    unsigned wave_size; ///< 64: masks of lanes are pairs of SGPRs; else as the GPU has it.
    size_t unknown;     ///< Result: words that are not instructions.
    struct lull_str *out;
};

/** Is it ELF for an AMD GPU that only LLVM knows the instructions of? */
bool lull_listing_is_llvm(const void *image, size_t size);

/**
 * Append the listing of an ELF file to out.
 *
 * @return LULL_ERR_NOT_FOUND for a symbol that is not there; as lull_llvm_list().
 */
struct lull_error *lull_listing_llvm(const void *image, size_t size,
                                     struct lull_listing_llvm *l) LULL_MUST_USE;

#endif
