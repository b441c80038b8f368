// SPDX-License-Identifier: MIT
/** @file
 * The printf pass, for its own files.
 *
 * printf_raise.c undoes what clang did, printf_calls.c finds the calls and takes them apart,
 * printf_args.c makes dwords of arguments, printf_buffer.c knows how a buffer is reached,
 * printf_helpers.c writes the functions that allocate and store, printf_strings.c writes the table
 * of strings.
 */
#ifndef LULL_CC_PRINTF_PASS_H
#define LULL_CC_PRINTF_PASS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "cc/cc.h"
#include "printf/decode.h"
#include "printf/table.h"

enum { LULL_PRINTF_CHUNK_DWORDS = 64 /**< Dwords that one helper stores. */ };

/** A printf call, taken apart. */
struct lull_printf_site {
    LLVMValueRef call;
    LLVMValueRef buffer; ///< NULL: the form without.
    const char *format;  ///< In the arena, NUL-terminated.
    size_t format_size;  ///< Bytes without the NUL.
    bool c;              ///< C's printf, where an empty format is not a mistake.
    unsigned first_arg;  ///< Operand of the call that the first conversion prints.
    unsigned nargs;
};

/** Where the buffer of a call is: an address, or a descriptor and bytes into it. */
struct lull_printf_place {
    LLVMValueRef address; ///< ptr addrspace(1), or NULL.
    LLVMValueRef rsrc;    ///< <4 x i32>: LLVM takes pointers to pieces in each block that has one.
    LLVMValueRef offset;  ///< i32, bytes, with a descriptor.
    bool uniform;         ///< Known to be the same in all lanes of a wave.
};

/** How a helper function differs from others of its kind. */
struct lull_printf_kind {
    bool descriptor; ///< The buffer is behind a descriptor.
    bool wave;       ///< One atomic for a wave.
    bool pixel;      ///< Lanes that only help with derivatives stay silent.
    unsigned dwords; ///< Store: how many.
};

struct lull_printf_pass {
    struct lull_cc *cc;
    struct lull_arena arena;
    LLVMBuilderRef builder;
    struct lull_printf_site *sites;
    size_t nsites;
    struct lull_printf_table *table;
    // Of the call at hand:
    struct lull_printf_type *types; ///< One for each argument; in the arena.
    LLVMValueRef *dwords;           ///< Of the payload, i32 each; LULL_PRINTF_MAX_DWORDS fit.
    size_t ndwords;
};

/** Printf that clang's passes have lowered becomes calls again. */
struct lull_error *lull_printf_raise(struct lull_printf_pass *p) LULL_MUST_USE;

/** All calls in the module, in its order. */
struct lull_error *lull_printf_find(struct lull_printf_pass *p) LULL_MUST_USE;

/** The string that a constant pointer points to; false if it is none. Into the pass's arena. */
bool lull_printf_string(struct lull_printf_pass *p, LLVMValueRef pointer, bool need_end,
                        const char **ret, size_t *ret_size);

/** Arguments of a call into p->types and p->dwords; instructions at the builder. */
struct lull_error *lull_printf_args(struct lull_printf_pass *p,
                                    const struct lull_printf_site *s) LULL_MUST_USE;

/** The records that were asked for, behind them. */
struct lull_error *lull_printf_records(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                       const struct lull_printf_place *at) LULL_MUST_USE;

/** Add an i32 to p->dwords; the error names the limit of an entry. */
struct lull_error *lull_printf_push(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                    LLVMValueRef dword) LULL_MUST_USE;

/** Where the buffer of a call is; instructions at the builder. */
struct lull_error *lull_printf_place(struct lull_printf_pass *p, const struct lull_printf_site *s,
                                     struct lull_printf_place *ret) LULL_MUST_USE;

/** Helper function that allocates an entry: (place, two dwords of its header) to {i32 dword offset,
 * i1 fits}. */
LLVMValueRef lull_printf_reserve(struct lull_printf_pass *p, struct lull_printf_kind kind);

/** Helper function that stores: (place, offset, fits, dwords...) to void. */
LLVMValueRef lull_printf_store(struct lull_printf_pass *p, struct lull_printf_kind kind);

/** Compare the format of a call with p->types: errors, and warnings to stderr. */
struct lull_error *lull_printf_compare(struct lull_printf_pass *p,
                                       const struct lull_printf_site *s) LULL_MUST_USE;

/** Read the strings that the module has already into the table. */
struct lull_error *lull_printf_known(struct lull_printf_pass *p) LULL_MUST_USE;

/** Put the table of strings into the module: PAL metadata, or a note section of its own. */
struct lull_error *lull_printf_strings(struct lull_printf_pass *p) LULL_MUST_USE;

/** Call of lull.* intrinsic @p name with constant operands, for the relocation pass. */
LLVMValueRef lull_printf_ask(struct lull_printf_pass *p, const char *name, LLVMTypeRef result,
                             const uint32_t *operands, unsigned n);

/** The implicit arguments of code object version 5; makes sure that kernels get them. */
LLVMValueRef lull_printf_implicit(struct lull_printf_pass *p);

/** Load of @p type from byte @p at of the implicit arguments. */
LLVMValueRef lull_printf_implicit_load(struct lull_printf_pass *p, LLVMTypeRef type, unsigned at);

/** Dword @p index of the head of the buffer; no other lane changes it. */
LLVMValueRef lull_printf_head(struct lull_printf_pass *p, const struct lull_printf_place *at,
                              unsigned index);

#endif
