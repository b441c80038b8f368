// SPDX-License-Identifier: MIT
/** @file
 * Who wrote each byte of a GPU's memory last: waves, the back end of draws, packets that write,
 * copy or fill. Nothing here is one vendor's.
 *
 * Kept as long as it has room; then what is oldest is forgotten. While a job may be gone back in
 * (lull_written_mark()) what it writes is kept apart, so that who wrote before it, and before each
 * mark, stays known.
 */
#ifndef LULL_MODEL_WRITTEN_H
#define LULL_MODEL_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/observer.h"

enum lull_writer_kind {
    LULL_WRITER_NONE,
    LULL_WRITER_WAVE,    ///< An instruction of a wave, of a dispatch,
    LULL_WRITER_DRAW,    ///< or of a draw.
    LULL_WRITER_COLOR,   ///< The back end of a draw: a colour target,
    LULL_WRITER_DEPTH,   ///< depth,
    LULL_WRITER_STENCIL, ///< stencil.
    LULL_WRITER_PACKET,  ///< A packet with a value of its own: a fence, a query, WRITE_DATA.
    LULL_WRITER_FILL,
    LULL_WRITER_COPY,
};

/** A write, of one instruction, quad of pixels, or packet. */
struct lull_writer {
    uint32_t kind;   ///< enum lull_writer_kind.
    uint32_t ring;   ///< Of packets: the driver's number.
    uint64_t launch; ///< Number of the dispatch or draw; of packets: launches of the ring before.
    uint64_t job;    ///< Of packets: the submission, as host->job says.
    uint64_t pc;     ///< Of waves: address of the instruction. COPY: where `to` comes from.
    uint64_t to;     ///< COPY: the first byte that was written.
    uint64_t time;   ///< Of pixels and packets: the GPU's. Of waves 0.
    uint32_t workgroup[3]; ///< Of pixels: x, y of the quad, and the slice.
    uint32_t index;        ///< Of the wave in its workgroup; of pixels in its batch.
    uint32_t place;        ///< Of the wave, as struct lull_observed has it.
    uint32_t target;       ///< COLOR: its number. LULL_WRITER_BLENDS: it is blended.
};

enum { LULL_WRITER_BLENDS = 1 << 30, LULL_WRITER_TARGET = 0xff };

struct lull_written_host {
    void *ctx;      ///< Of space and job.
    void *look_ctx; ///< Of look and who.
    /** What the byte at @p address is now, good to the end of its page of 4 KiB; NULL: nothing is
     * there. */
    const uint8_t *(*look)(void *ctx, uint32_t vmid, uint64_t address);
    /** A number for the address space that @p vmid is now, the same as long as that lives. */
    uint32_t (*space)(void *ctx, uint32_t vmid);
    /** The submission that a job's cookie is of. */
    uint64_t (*job)(void *ctx, uint64_t cookie);
    /** Which launch the wave of @p at is of, and its number in its workgroup. @return It is of a
     * draw. */
    bool (*who)(void *ctx, const struct lull_observed *at, uint64_t *launch, uint32_t *index);
};

struct lull_written;

/** At most about @p bytes are used. NULL: no memory. */
struct lull_written *lull_written_new(const struct lull_written_host *host, uint64_t bytes);
void lull_written_free(struct lull_written *w);
/** What is to be an observer of waves. */
struct lull_observer *lull_written_observer(struct lull_written *w);
/** @p next are told after it; NULL: it is alone. */
void lull_written_chain(struct lull_written *w, struct lull_observer *next);

/** A packet in address space @p vmid has written @p bytes at @p to. Of @p by, kind, ring, launch
 * and pc are given. */
void lull_written_packet(struct lull_written *w, uint32_t vmid, uint64_t cookie, uint64_t to,
                         uint64_t bytes, const struct lull_writer *by);
/** The back end has written @p bytes at @p to, which @p lane of a wave exported. */
void lull_written_pixel(struct lull_written *w, uint32_t vmid, uint64_t to, unsigned bytes,
                        unsigned lane, const struct lull_writer *by);
/** What was written at @p first and behind it is another's memory now. */
void lull_written_forget(struct lull_written *w, uint32_t space, uint64_t first, uint64_t bytes);

/** Mark @p number, higher than those before: what is written from now on is kept apart. False: no
 * memory. */
bool lull_written_mark(struct lull_written *w, uint64_t number);
/** The GPU is what it was at mark @p number: what was written since is forgotten. */
void lull_written_restore(struct lull_written *w, uint64_t number);
/** There is no way back to mark @p number any more; UINT64_MAX: to any. */
void lull_written_drop(struct lull_written *w, uint64_t number);

enum { LULL_WRITTEN_VALUES = 16 };

/** What was found. */
struct lull_written_answer {
    struct lull_writer by; ///< Of the byte written last.
    uint64_t address;      ///< That byte.
    unsigned lane;
    uint64_t number; ///< Of the write: one with a lower number came before.
    /** Of the first LULL_WRITTEN_VALUES bytes: a bit each for those whose last writer is known, and
     * what that wrote. Memory that has something else was written by the host since. */
    uint32_t known;
    uint8_t values[LULL_WRITTEN_VALUES];
};

/** Who wrote any of the bytes last. @p before: apart from what was written since the first mark.
 * Only writes below @p number count; UINT64_MAX: all. False: nobody that is remembered. */
bool lull_written_find(struct lull_written *w, uint32_t space, uint64_t address, uint64_t bytes,
                       bool before, uint64_t number, struct lull_written_answer *ret);
/** Bytes of the host that it uses. */
uint64_t lull_written_bytes(const struct lull_written *w);

#endif
