// SPDX-License-Identifier: MIT
/** @file
 * The code cache: pages of predecoded instructions.
 */
#ifndef LULL_MODEL_AMD_EXEC_CODE_H
#define LULL_MODEL_AMD_EXEC_CODE_H

#include "model/amd/exec/uop.h"

enum {
    LULL_CODE_DWORDS = LULL_PAGE_SIZE / 4,
    LULL_CODE_MAX_INSN = 20, ///< Bytes.
};

/** One page of code as waves of one size and with one table of handlers see it. */
struct lull_code_page {
    uint64_t number; ///< Address / 4096.
    uint32_t lanes;
    enum lull_wave_table table;
    uint64_t epoch; ///< Of the last comparison with memory.
    struct lull_code_page *next;
    uint8_t bytes[LULL_PAGE_SIZE];
    bool known[LULL_CODE_DWORDS]; ///< Whether uop and insn of this dword are made.
    struct lull_uop uop[LULL_CODE_DWORDS];
    struct lull_rdna_insn insn[LULL_CODE_DWORDS];
};

/** What lull_code_make() found. */
enum lull_code_result {
    LULL_CODE_OK,
    LULL_CODE_UNKNOWN, ///< No instruction.
    LULL_CODE_FAULT,   ///< It goes on in a page that cannot be read: vm->fault says why.
};

/** The page of @p va for @p w, up to date. NULL: not executable (vm->fault), or no memory
 * (vm->fault empty). */
struct lull_code_page *lull_code_page(struct lull_wave *w, uint64_t va);

/** Whether there is an engine that compiles. */
bool lull_code_compiles(const struct lull_code_cache *c);
/** What is to be executed in the place of the instruction at dword @p i of @p p and those behind
 * it, for @p w as it is. NULL: the instruction itself. */
const struct lull_exec_code *lull_code_compiled(struct lull_wave *w, struct lull_code_page *p,
                                                unsigned i);

/** What was compiled for @p w at its pc, in the page that was asked for last; NULL: nothing, or
 * somewhere else. */
const struct lull_exec_code *lull_code_here(const struct lull_wave *w);

/** Code has left its page for w->pc, where @p c stands, or NULL: the next time it goes on there by
 * itself. Not if @p w is observed: its pages may be forgotten while the epoch stays. */
void lull_code_link(const struct lull_wave *w, const struct lull_exec_code *c);

/** Nothing of @p c is compiled: each instruction is as if it had not been come to. */
void lull_code_forget(struct lull_code_cache *c);

/** Where the current epoch stands; it lives as long as @p c. */
const uint64_t *lull_code_epoch(const struct lull_code_cache *c);

/** Whether @p p is of the current epoch. */
bool lull_code_fresh(const struct lull_code_cache *c, const struct lull_code_page *p);

/** Predecode dword @p i of @p p. Instructions across a page's end are made anew each time. */
enum lull_code_result lull_code_make(struct lull_wave *w, struct lull_code_page *p, unsigned i);

#endif
