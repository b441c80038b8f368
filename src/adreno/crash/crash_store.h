// SPDX-License-Identifier: MIT
/** @file
 * All that a crash dump holds, for those who show it: buffers, registers, blocks of state.
 */
#ifndef LULL_ADRENO_CRASH_CRASH_STORE_H
#define LULL_ADRENO_CRASH_CRASH_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LULL_STORE_NAME = 64 };

struct lull_store_bo {
    uint64_t iova, size; ///< In bytes.
    char name[LULL_STORE_NAME];
    bool has_data;
};

struct lull_store_reg {
    uint32_t offset; ///< In dwords.
    uint32_t value;
};

enum lull_store_kind {
    LULL_STORE_REGISTERS, ///< section: registers, registers-gmu, registers-hlsq.
    LULL_STORE_CLUSTER,
    LULL_STORE_INDEXED,
    LULL_STORE_SHADER,
    LULL_STORE_DEBUGBUS,
    LULL_STORE_GMU, ///< section: gmu-log, gmu-hfi, gmu-debug.
};

struct lull_store_block {
    enum lull_store_kind kind;
    char section[32];
    char name[LULL_STORE_NAME];                   ///< "" if it has none.
    char bank[16], context[16], pipe[16], at[24]; ///< As the dump says, "" if it does not.
    uint64_t iova, n;                             ///< In bytes; in dwords.
    uint32_t *words;                              ///< n of them; NULL: not in the dump.
    size_t first_reg, nregs;                      ///< In regs.
};

struct lull_store {
    struct lull_store_bo *bos;
    size_t nbos;
    struct lull_store_block *blocks;
    size_t nblocks;
    struct lull_store_reg *regs;
    size_t nregs;
    bool full; ///< There was no memory for more.
};

void lull_store_done(struct lull_store *s);

/** The one that was added last. @return NULL: there is none, or no memory for a new one. */
struct lull_store_bo *lull_store_bo(struct lull_store *s);
struct lull_store_block *lull_store_block(struct lull_store *s);
struct lull_store_bo *lull_store_add_bo(struct lull_store *s);
struct lull_store_block *lull_store_add_block(struct lull_store *s, enum lull_store_kind kind,
                                              const char *section);
/** To the last block. */
void lull_store_add_reg(struct lull_store *s, uint32_t offset, uint32_t value);

/** Copy @p text, without characters that do something to a terminal. */
void lull_store_text(char *to, size_t room, const char *text);

#endif
