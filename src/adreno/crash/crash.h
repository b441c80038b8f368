// SPDX-License-Identifier: MIT
/** @file
 * What a crash dump of an Adreno GPU (devcoredump of the msm driver) says, in words.
 *
 * The text is that of Mesa's crashdec without colour. Source: shared facts on freedreno, sections 6
 * to 8.
 */
#ifndef LULL_ADRENO_CRASH_CRASH_H
#define LULL_ADRENO_CRASH_CRASH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"

struct lull_crash_options {
    bool summary;         ///< Registers of command streams only at draws.
    bool all_registers;   ///< At draws all that were ever written.
    bool verbose;         ///< All data, the whole ring.
    bool markers;         ///< CP_NOPs as text.
    bool color;           ///< With the colours of a terminal.
    uint64_t most_memory; ///< Bytes of memory to hold; 0: 1 GiB.
    uint64_t most_bytes;  ///< Of the unpacked dump; 0: 16 GiB.
};

/**
 * Decode all of @p s. Text goes to @p out, what is wrong with command streams to @p log.
 *
 * @return LULL_ERR_DAMAGED: the dump is, with the first line that is; the rest was decoded.
 * LULL_ERR_BAD_DATA: not a line could be read.
 */
struct lull_error *lull_crash_decode(struct lull_stream *s, const struct lull_crash_options *o,
                                     FILE *out, FILE *log) LULL_MUST_USE;

enum lull_crash_style {
    LULL_CRASH_PAGE,
    LULL_CRASH_JSON,
    LULL_CRASH_SIGNATURE, ///< One line that is the same for crashes of one kind.
};

struct lull_afuc;

/** Parts of a dump that can be shown after the page, or alone. */
enum lull_crash_section {
    LULL_CRASH_COMMANDS = 1, ///< The command stream from where the ring was read, in words.
    LULL_CRASH_CODE = 2,     ///< The shaders of the last draw.
    LULL_CRASH_RINGBUFFERS = 4,
    LULL_CRASH_BUFFERS = 8,
    LULL_CRASH_REGISTERS = 0x10,
    LULL_CRASH_GMU = 0x20,     ///< Its registers, log and messages.
    LULL_CRASH_INDEXED = 0x40, ///< SQE, CP_MEMPOOL and so on.
    LULL_CRASH_BLOCKS = 0x80,  ///< Memories of shader processors.
    LULL_CRASH_CLUSTERS = 0x100,
    LULL_CRASH_DEBUGBUS = 0x200,
    LULL_CRASH_ALL = 0x3ff,
};

struct lull_crash_look {
    enum lull_crash_style style;
    bool no_page;                     ///< Only the sections.
    unsigned sections;                ///< LULL_CRASH_COMMANDS...
    uint64_t most_memory, most_bytes; ///< As of lull_crash_options.
    const struct lull_afuc *firmware; ///< Of the SQE, to show what is at its PC; NULL: not known.
};

/**
 * What the GPU was doing: busy units, the fault, where it was and how that is known, the packets
 * before. Appended to @p out, also if LULL_ERR_DAMAGED comes back, as of lull_crash_decode().
 */
struct lull_error *lull_crash_page(struct lull_stream *s, const struct lull_crash_look *look,
                                   struct lull_str *out) LULL_MUST_USE;

/** What is known of a crash, each in a line; "" if it is not. */
enum lull_crash_fact {
    LULL_CRASH_FACT_SIGNATURE, ///< "": it is no dump of an Adreno GPU.
    LULL_CRASH_GPU,
    LULL_CRASH_KERNEL,
    LULL_CRASH_TIME, ///< Seconds since 1970.
    LULL_CRASH_PROCESS,
    LULL_CRASH_COMMAND,
    LULL_CRASH_BUSY,
    LULL_CRASH_FAULTED,
    LULL_CRASH_WAITS,
    LULL_CRASH_LOCATION,
    LULL_CRASH_SURE,
    LULL_CRASH_BEFORE,
    LULL_CRASH_DRAW,
    LULL_CRASH_SHADERS, ///< "VS 0123456789abcdef, FS ...": a number of the code.
    LULL_CRASH_NFACTS,
};

extern const char *const lull_crash_fact_names[LULL_CRASH_NFACTS];

/**
 * The facts of a dump, of each a string of its own, also if LULL_ERR_DAMAGED comes back; NULL
 * after another error. To be undone with lull_crash_facts_free().
 */
struct lull_error *lull_crash_facts(struct lull_stream *s, uint64_t most_memory,
                                    uint64_t most_bytes,
                                    char *facts[LULL_CRASH_NFACTS]) LULL_MUST_USE;
void lull_crash_facts_free(char *facts[LULL_CRASH_NFACTS]);

#endif
