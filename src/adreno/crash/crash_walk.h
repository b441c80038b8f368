// SPDX-License-Identifier: MIT
/** @file
 * The state of a walk through a crash dump, and what its parts know of each other. For
 * src/adreno/crash/ and src/adreno/resume/ only.
 *
 *   crash.c        sections, buffers, registers
 *   crash_ring.c   the ring, and the buffers that the registers lead to
 *   crash_place.c  the packet that the GPU was in
 *   crash_index.c  state that is read word by word: SQE, microcode, shaders
 *   crash_gmu.c    messages between the kernel and the power controller
 *   crash_page.c   the first page
 *   crash_pool.c   register writes that were on their way
 *   crash_show.c   sections in words
 *   crash_json.c   all as JSON
 *   crash_store.c  all that the dump holds
 */
#ifndef LULL_ADRENO_CRASH_CRASH_WALK_H
#define LULL_ADRENO_CRASH_CRASH_WALK_H

#include "adreno/cffdump/walk.h"
#include "adreno/crash/crash.h"
#include "adreno/crash/crash_store.h"
#include "adreno/crash/hfi.h"
#include "adreno/file/devcore.h"

enum { LULL_CRASH_RINGS = 5, LULL_CRASH_NAME = 64 };

struct lull_crash_ring {
    uint64_t iova;
    uint64_t rptr, wptr, bytes;
    uint64_t last_fence, retired_fence;
    bool is_there;
    uint32_t *words; ///< NULL: not in the dump.
};

/** A register, in two halves if it is wide. */
struct lull_crash_half {
    bool waits; ///< For the upper half.
    uint32_t reg;
    uint64_t value;
};

/** What the registers say of one level of indirect buffers. */
struct lull_crash_level {
    uint64_t base;
    uint32_t size, roq; ///< CP_IBn_REM_SIZE; dwords in the ROQ.
};

enum { LULL_CRASH_TEXTS = 6, LULL_CRASH_TEXT = 256, LULL_CRASH_FAULTS = 4, LULL_CRASH_FAULT = 32 };

enum { LULL_CRASH_STEPS = 64, LULL_CRASH_PROGRAMS = 6, LULL_CRASH_PAYLOAD = 8 };

enum lull_crash_work {
    LULL_CRASH_NO_WORK,
    LULL_CRASH_WORK_DRAW,
    LULL_CRASH_WORK_DISPATCH,
    LULL_CRASH_WORK_BLIT,
    LULL_CRASH_WORK_EVENT,
};

/** A packet that was gone through. */
struct lull_crash_step {
    uint64_t address; ///< 0: of the ring's copy.
    uint32_t header;
    unsigned ib;  ///< 0: the ring.
    bool matters; ///< More than what only sets state.
    enum lull_crash_work work;
    uint32_t event; ///< Of WORK_EVENT: its number.
    unsigned n;     ///< Dwords of payload that are in `payload`.
    uint32_t payload[LULL_CRASH_PAYLOAD];
};

struct lull_crash_program {
    uint64_t address; ///< 0: not set.
    uint32_t bytes;   ///< 0: not known.
};

/** What had happened at one point. */
struct lull_crash_moment {
    struct lull_crash_step steps[LULL_CRASH_STEPS]; ///< The last ones, number i at i % STEPS.
    uint64_t nsteps;
    struct lull_crash_step at;   ///< The packet that had not been read; header 0: none.
    bool at_read;                ///< It had: it is a call, and what it calls was not begun.
    struct lull_crash_step draw; ///< The last draw, dispatch or blit; header 0: none.
    bool has_in;
    struct lull_crash_step in; ///< That the SQE was in, by its $01.
    uint64_t in_back;          ///< Steps from there to the newest.
    const char *mode;          ///< Of rendering; NULL: none was set.
    bool has_tile;
    uint32_t tile[4];                                        ///< Left, top, right, bottom.
    struct lull_crash_program programs[LULL_CRASH_PROGRAMS]; ///< VS, HS, DS, GS, FS, CS.
};

struct lull_crash_place {
    struct lull_crash_moment now, mark;
    bool marked;
};

/** What the first page needs, as it is come by. */
struct lull_crash_seen {
    char texts[LULL_CRASH_TEXTS][LULL_CRASH_TEXT]; ///< As lull_crash_texts.
    uint64_t missing; ///< Lines about what the stream wants and the dump has not.
    bool stalled;     ///< RBBM_STATUS3: the SMMU waits at a fault.
    bool has_status, has_header_status, has_sqe, has_ring, has_inside, has_below, has_above;
    uint32_t status, header_status; ///< RBBM_STATUS: the register, the line at the margin.
    uint32_t pc, word;              ///< Of the SQE.
    char fault[LULL_CRASH_FAULTS][LULL_CRASH_FAULT]; ///< As lull_crash_faults.
    uint64_t rb_base;
    struct lull_crash_level levels[3];
    struct {
        uint64_t iova, size;
    } inside, below, above; ///< Buffers around the address of the fault.
    struct lull_crash_place place;
    bool has_scratch;
    uint32_t scratch[2]; ///< CP_SCRATCH_REG 6 and 7, where drivers count.
};

/** Lines of fault-info that the page shows. */
extern const char *const lull_crash_faults[LULL_CRASH_FAULTS];
/** Lines at the margin that the page shows. */
extern const char *const lull_crash_texts[LULL_CRASH_TEXTS];

struct lull_crash {
    struct lull_crash_options o;
    bool like_mesa; ///< As Mesa's crashdec, where that is not what one wants.
    struct lull_cff *cff;
    FILE *log;
    struct lull_error *damage; ///< The first.
    uint64_t held;             ///< Bytes.
    uint64_t line;
    uint64_t gpu_id; ///< 630.
    uint64_t chip_id;
    int64_t history[LULL_HFI_HISTORIES][LULL_HFI_HISTORY];
    char section[32];
    struct lull_crash_ring rings[LULL_CRASH_RINGS];
    uint64_t ring;
    bool has_fault;
    uint64_t fault;
    uint64_t iova, size;        ///< Of the buffer or block whose lines come.
    char name[LULL_CRASH_NAME]; ///< Of the block.
    struct lull_crash_half half;
    struct lull_dom_index *gmu, *control, *pipe;
    struct lull_crash_seen seen;
    struct lull_store *store; ///< Borrowed; NULL: nobody wants to know all.
    FILE *commands;           ///< Where only the command stream goes, in words; NULL: nowhere.
    uint32_t *words;          ///< Of the ring, from where it was gone through; NULL: it was not.
    uint32_t nwords;
};

/* crash.c */

/** Go through all of @p s. To be undone with lull_crash_done(), also after an error. */
struct lull_error *lull_crash_walk(struct lull_crash *k, struct lull_stream *s,
                                   FILE *out) LULL_MUST_USE;
void lull_crash_done(struct lull_crash *k);

/** Something is wrong with this line; the first is the error of the decode. */
void lull_crash_damage(struct lull_crash *k, const char *fmt, ...) LULL_PRINTF(2, 3);
/** @p reg is @p value: shown, if it is not the lower half of a wide one. */
void lull_crash_register(struct lull_crash *k, const struct lull_dom_index *ix, uint32_t reg,
                         uint32_t value);
/** Dwords in rows of 4, with their characters, behind @p level tabs. */
void lull_crash_hex(struct lull_crash *k, const uint32_t *words, uint64_t n, unsigned level);

/* crash_gmu.c */

/** A line "queue-history[0]: 1 2 3 4 5 6 7 8"; others are left alone. */
void lull_crash_hfi_history(struct lull_crash *k, const struct lull_devcore_line *line);
void lull_crash_hfi(struct lull_crash *k, const uint32_t *words, uint64_t n);

/* crash_place.c */

/** Go through the @p n dwords of the ring, up to where the registers say that the GPU was. */
void lull_crash_find_place(struct lull_crash *k, const uint32_t *words, uint32_t n);
/** When the state of the SQE is known: the packet that it was in. */
void lull_crash_find_in(struct lull_crash *k);
/** Is this event of the engine a step: does a packet begin that is executed? */
bool lull_crash_is_step(const struct lull_as_event *e);
/** Step @p back before the last; NULL: there was none. */
const struct lull_crash_step *lull_crash_step_back(const struct lull_crash_moment *m,
                                                   uint64_t back);

/* crash_ring.c */

void lull_crash_commands(struct lull_crash *k);

/* crash_index.c */

void lull_crash_indexed(struct lull_crash *k, const uint32_t *words, uint64_t n);
void lull_crash_shader_block(struct lull_crash *k, const uint32_t *words, uint64_t n);

/* crash_pool.c */

void lull_crash_pool(struct lull_crash *k, const uint32_t *words, uint64_t n);

#endif
