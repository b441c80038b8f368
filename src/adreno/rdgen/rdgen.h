// SPDX-License-Identifier: MIT
/** @file
 * What the parts of the writer of captures share, and what the decompiler has to know of it. The
 * rest is public: <lull/rdgen.h>.
 *
 *   sections.c  sections in memory
 *   pieces.c    command streams, shaders and arrays: made once, and placed
 *   logs.c      what is printed of memory and registers
 *   prints.c    what shaders print
 *   rdgen.c     what programs call for sections, and the command line
 */
#ifndef LULL_ADRENO_RDGEN_RDGEN_H
#define LULL_ADRENO_RDGEN_RDGEN_H

#include <lull/rdgen.h>

#include "base/error.h"

enum {
    LULL_RDGEN_ALIGN = 256,  ///< Of pieces that have a place of their own, in bytes.
    LULL_RDGEN_DEEPEST = 64, ///< Pieces that name pieces.
};

/** Sum over bytes: FNV-1a, by bytes. */
uint64_t lull_rdgen_sum(const uint8_t *bytes, size_t size);

enum { LULL_RDGEN_LOG_DWORDS = 1 << 14, LULL_RDGEN_LOG_ENTRY = 8 };
enum lull_rdgen_log { LULL_RDGEN_CP_LOG, LULL_RDGEN_SHADER_LOG, LULL_RDGEN_LOGS };

/** A section that is to be written. */
struct lull_rdgen_section {
    uint32_t type, size;
    uint8_t *payload;
    uint64_t address; ///< Of a buffer's contents.
    bool buffer;      ///< It is contents of a buffer.
    bool filler;      ///< Two words of ones, and no payload.
    bool left_out;    ///< With --vastart: the source has it as it is.
};

/** A piece in this submit. */
struct lull_rdgen_made {
    const struct lull_rdgen_piece *piece;
    uint64_t address;
    uint32_t *words; ///< NULL while it is being made.
    size_t n;
    bool in_place; ///< It is where it was.
};

/** Dwords that are being appended. */
struct lull_rdgen_words {
    struct lull_rdgen_words *outer;
    uint32_t *words;
    size_t n, room;
    unsigned depth;
};

struct lull_rdgen {
    struct lull_error *err; ///< The first one; owned.
    uint64_t start, size;   ///< Of --vastart, --vasize; size 0: not given.
    unsigned gen;           ///< 0: not known yet.
    unsigned address_dwords;
    struct lull_rdgen_section *sections;
    size_t n, room;
    size_t first; ///< Section of this submit.
    bool submitted;
    size_t first_stream;
    struct lull_rdgen_made *made;
    size_t nmade, made_room;
    struct lull_rdgen_words *top; ///< NULL: no piece is being made.
    /** Pieces that have a place of their own, of this submit. */
    uint64_t own_start;
    uint8_t *own;
    size_t own_size, own_room;
    /** Logs of this submit: in `own`, from this byte on; bytes that are used, 0: there is none. */
    size_t log_at[LULL_RDGEN_LOGS];
    uint32_t log_used[LULL_RDGEN_LOGS];
};

/** Keep the first error. Consumes @p err. */
void lull_rdgen_fail(struct lull_rdgen *g, struct lull_error *err);
/** Make room for one more of @p size bytes; false: there is none, and g->err says so. */
bool lull_rdgen_grow(struct lull_rdgen *g, void *array, size_t n, size_t *room, size_t size);
/** Insert a section at @p at, with @p size bytes of zeros. NULL: an error. */
struct lull_rdgen_section *lull_rdgen_insert(struct lull_rdgen *g, size_t at, uint32_t type,
                                             uint32_t size);
/** Little-endian. */
void lull_rdgen_put32(uint8_t *to, uint32_t v);
void lull_rdgen_put64(uint8_t *to, uint64_t v);
/** Insert the section that names the range of a buffer. */
bool lull_rdgen_insert_range(struct lull_rdgen *g, size_t at, uint32_t type, uint64_t address,
                             uint32_t size);
/** Write @p data over @p size bytes. */
void lull_rdgen_expand(struct lull_rdgen *g, const struct lull_rdgen_run *data, uint8_t *to,
                       uint32_t size);
/** Address of a log of this submit, which is made if it was not yet; 0: an error. */
uint64_t lull_rdgen_log(struct lull_rdgen *g, enum lull_rdgen_log which);
/** The text of a shader with instructions in place of lines "print ...", which append to the log at
 * @p log; to be freed. NULL: an error. */
char *lull_rdgen_expand_prints(struct lull_rdgen *g, const char *text, uint64_t log);

/** The submit is complete: pieces with places of their own become a buffer. */
void lull_rdgen_end_submit(struct lull_rdgen *g);

#endif
