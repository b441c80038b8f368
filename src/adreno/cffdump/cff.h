// SPDX-License-Identifier: MIT
/** @file
 * What the command streams of an rd capture of an Adreno GPU do, in words.
 *
 * The text is that of Mesa's cffdump --unit-test. Source: shared facts on freedreno, sections 1
 * to 5.
 */
#ifndef LULL_ADRENO_CFFDUMP_CFF_H
#define LULL_ADRENO_CFFDUMP_CFF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/files.h"
#include "file/stream.h"

struct lull_cff_script;

enum lull_cff_query_mode {
    LULL_CFF_QUERY_ALL,     ///< At every draw.
    LULL_CFF_QUERY_WRITTEN, ///< At draws before which one of them was written.
    LULL_CFF_QUERY_DELTA,   ///< At draws where one of them has another value.
};

enum { LULL_CFF_QUERIES = 64 };

/** Where shaders go; of all captures together, so that none is written over another one's. */
struct lull_cff_shaders {
    const char *folder;
    unsigned next;            ///< Number of the next file.
    struct lull_files inputs; ///< What must not be written over.
};

struct lull_cff_options {
    bool once;          ///< Each indirect buffer only once.
    bool summary;       ///< Registers only at draws.
    bool all_registers; ///< At draws all that were ever written.
    bool one_draw;      ///< Only draw number `draw`, from 0.
    bool color;         ///< With the colours of a terminal.
    bool query_compare; ///< Registers asked for in the binning pass and in the draw pass.
    bool textures;      ///< Also what textures and buffers hold.
    bool bindless;      ///< Also bindless descriptors, at draws.
    bool verbose;       ///< Shaders with all that is known of them.
    bool markers;       ///< CP_NOPs of any kind as text.
    bool no_statistics; ///< None behind shaders.
    bool compositor;    ///< Also processes that are left out usually: compositors, X, fdperf.
    uint32_t draw;
    const char *exe; ///< Only processes whose name starts so; NULL: see `compositor`.
    struct lull_cff_script
        *script;      ///< Is told of draws and packets, and only its text comes; or NULL.
    const char *name; ///< Of the capture, for scripts; NULL: "".
    struct lull_cff_shaders *shaders; ///< Each shader becomes a file; NULL: no.
    const char *const *queries; ///< Registers by name or number: only they are shown, at draws.
    unsigned nqueries;          ///< Up to LULL_CFF_QUERIES.
    enum lull_cff_query_mode query_mode;
    int64_t first, last;  ///< Streams to show, by number; last -1: to the end.
    uint64_t most_memory; ///< Bytes of buffers to hold; 0: 1 GiB.
    /** Work beyond what is usual for a capture of its size, in bytes of text; 0: 256 MiB. */
    uint64_t most_work;
};

/**
 * Decode all of @p s. Text goes to @p out, what is wrong with the capture to @p log.
 *
 * @return LULL_ERR_DAMAGED: it ends early; LULL_ERR_BAD_DATA: not a section could be read.
 */
struct lull_error *lull_cff_decode(struct lull_stream *s, const struct lull_cff_options *o,
                                   FILE *out, FILE *log) LULL_MUST_USE;

#endif
