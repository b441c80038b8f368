// SPDX-License-Identifier: MIT
/** @file
 * The draws of a capture as a list that can be gone through again: what a comparison of two needs.
 * For src/adreno/show/ only. Contents lie in a temporary file; in memory are 32 bytes for each
 * draw.
 */
#ifndef LULL_ADRENO_SHOW_RECORD_H
#define LULL_ADRENO_SHOW_RECORD_H

#include <stdio.h>

#include "adreno/show/capture.h"

enum { LULL_REC_WHAT = 96, LULL_REC_TEXT = 232 };

/** A draw in the list. */
struct lull_rec_entry {
    uint64_t strong, weak; ///< Hashes: what it is in detail; what kind of thing it is.
    long at;               ///< In the file.
};

enum { LULL_REC_END = 4 }; ///< Kind of the last entry, which is no draw: what follows the last.

/** A draw in the file; registers, loads, packets and shaders follow. */
struct lull_rec_draw {
    uint32_t number, kind;
    char what[LULL_REC_WHAT]; ///< "CP_DRAW_INDX_OFFSET TRILIST, RM6_DIRECT_RENDER".
    uint64_t values[16];      ///< As lull_rec_names.
    uint32_t nregs, nloads, npackets, nshaders;
};

struct lull_rec_reg {
    uint32_t reg, value, known;
};

/** A packet before the draw that is neither a write of registers nor a load nor a call: waits,
 * events, modes, memory. */
struct lull_rec_packet {
    uint64_t all, but_addresses, name; ///< Hashes.
    char text[LULL_REC_TEXT];
};

struct lull_rec_load {
    struct lull_load of;
    int32_t stage, set;
    uint32_t each, apart, n; ///< n dwords follow.
};

struct lull_rec_shader {
    uint32_t stage, n;
    uint64_t hash, address;
    long code; ///< Where its words are in the file; -1: nowhere.
};

/** A place where a shader's words are. */
struct lull_rec_code {
    uint64_t hash;
    long at;
};

struct lull_rec {
    FILE *f;
    size_t n, room;
    struct lull_rec_entry *entries;
    size_t ncode, code_room;
    struct lull_rec_code *code;
    unsigned gen;
    uint64_t problems, sections;
    struct lull_error *err;
    // While it is recorded:
    const char *name;
    FILE *log;
    FILE *loads, *packets; ///< Since the last draw.
    uint32_t nloads, npackets;
};

/** Names of lull_rec_draw.values, and which of them are addresses. */
extern const char *const lull_rec_names[16];
bool lull_rec_is_address(unsigned i);

/** Record the draws of @p s; @p o may be NULL. To be undone with lull_rec_done(), also after an
 * error. */
struct lull_error *lull_rec_make(struct lull_rec *r, struct lull_stream *s, const char *name,
                                 const struct lull_cap_options *o, FILE *log) LULL_MUST_USE;
void lull_rec_done(struct lull_rec *r);

#endif
