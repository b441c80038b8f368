// SPDX-License-Identifier: MIT
/** @file
 * Between the files of a GPU.
 *
 *   gpu.c        rings, packets, what the outside may do
 *   gpu_debug.c  what debuggers may do
 *   work.c       dispatches, draws and blits, from their packets to their end
 *   reach.c      memory and registers as all of these reach them, and what the driver is told
 */
#ifndef LULL_MODEL_ADRENO_GPU_IMPL_H
#define LULL_MODEL_ADRENO_GPU_IMPL_H

#include "adreno/stream/stream.h"
#include "model/adreno/compute/compute.h"
#include "model/adreno/count.h"
#include "model/adreno/crumbs.h"
#include "model/adreno/draw/blit.h"
#include "model/adreno/draws.h"
#include "model/adreno/gpu.h"
#include "model/adreno/packets.h"
#include "model/adreno/past.h"
#include "model/adreno/place.h"
#include "model/adreno/space.h"
#include "model/adreno/stomp.h"
#include "model/adreno/watch.h"

enum { LULL_AGPU_EVENTS = 64, LULL_AGPU_ADDRESS_BITS = 49, LULL_AGPU_WHO = 160 };

#define LULL_AGPU_ADDRESS_MASK ((1ull << LULL_AGPU_ADDRESS_BITS) - 1)

/** A ring, and how far it is. */
struct lull_agpu_ring_now {
    struct lull_agpu_ring at;
    uint32_t rptr, wptr;
};

/** What a packet waits for. */
struct lull_agpu_poll {
    bool on;
    uint64_t address;
    uint32_t space, function, ref, mask;
};

enum { LULL_AGPU_HINTS = 16 };

/** A piece of memory that was looked up before. */
struct lull_agpu_hint {
    const struct lull_agpu_space *space; ///< NULL: none.
    uint64_t first;
    struct lull_agpu_page page; ///< From `first` on.
};

struct lull_agpu {
    const struct lull_achip *chip;
    struct lull_agpu_space kernel, *spaces, *current;
    uint64_t nspaces;
    struct lull_agpu_ring_now rings[LULL_AGPU_RINGS];
    bool active; ///< A part of `ring` is being run, up to dword `end`.
    unsigned ring;
    uint32_t end;
    uint32_t *words; ///< That part.
    struct lull_agpu_poll poll;
    bool stopped, faulted;
    bool stalled; ///< A fault is to be told before it goes on.
    struct lull_agpu_place place;
    struct lull_agpu_event events[LULL_AGPU_EVENTS];
    unsigned nevents, first;
    uint64_t clock, progress, seed;
    struct lull_observer *observers;
    uint64_t launches;        ///< Dispatches and draws.
    struct lull_order *order; ///< Of waves; NULL: none.
    struct lull_ir3_assumptions assume;
    const struct lull_ir3_engine *engine; ///< NULL: the interpreter.
    void *engine_state;                   ///< Its own.
    struct lull_acompute *compute;        ///< A dispatch under way.
    struct lull_ablit blit;               ///< The same of the 2D engine.
    struct lull_agpu_draws draws;
    struct lull_agmem gmem; ///< `bytes` are owned.
    uint64_t passed;        ///< Samples.
    struct lull_agpu_statistics statistics;
    struct lull_acompute_state state;
    struct lull_agpu_watch watch;
    struct lull_agpu_past past;
    /** Memory is about to be written by others than shaders of a dispatch. NULL: nobody asks. */
    void (*writes)(struct lull_agpu *g, uint64_t address, uint64_t bytes);
    struct lull_agpu_packets packets;
    struct lull_agpu_stomp stomp;
    struct lull_agpu_crumbs crumbs;
    struct lull_astream s;
    struct lull_agpu_hint hints[LULL_AGPU_HINTS]; ///< None of what is unmapped.
};

/** Nothing of what lull_agpu_at() has found is true any more. */
void lull_agpu_forget(struct lull_agpu *g);

/** Who shaders are to the kernel. */
#define LULL_AGPU_SHADERS "UCHE: SP"

/* reach.c */

/** A new one for the driver; the oldest is lost if there are too many. */
struct lull_agpu_event *lull_agpu_tell(struct lull_agpu *g, enum lull_agpu_what what);
/** The driver hears that the command processor has stopped for good. */
void lull_agpu_wrong(struct lull_agpu *g, const char *why);
/** Where an address leads for what runs now. */
struct lull_agpu_page lull_agpu_find(const struct lull_agpu *g, uint64_t address);
/** The command processor found nothing at @p address. */
void lull_agpu_fault(struct lull_agpu *g, uint64_t address, bool write);

/* Memory as the command processor sees it; @p ctx: the GPU. */
struct lull_as_words lull_agpu_read_words(void *ctx, uint64_t address, uint32_t n);
void lull_agpu_write_word(void *ctx, uint64_t address, uint32_t value);
/** A dword of it; 0: nothing is there. */
uint32_t lull_agpu_word(void *ctx, uint64_t address);

/** Memory as shaders and the 2D engine see it. */
uint8_t *lull_agpu_at(void *ctx, uint64_t address, unsigned bytes, bool write);
uint8_t *lull_agpu_piece(void *ctx, uint64_t address, bool write, uint64_t *bytes);
uint32_t lull_agpu_reg(void *ctx, uint32_t number);
void lull_agpu_set_reg(void *ctx, uint32_t number, uint32_t value);

/* gpu_debug.c */

extern const struct lull_agpu_debug_ops lull_agpu_debug_model;
/** Does a dispatch, a draw, a wave or the command processor stand? */
bool lull_agpu_debug_stands(const struct lull_agpu *g);

/* work.c */

struct lull_arop_source lull_agpu_back_end(struct lull_agpu *g);
/** Packet @p p begins what @p d says. @return What is refused, by name. */
struct lull_error *lull_agpu_work_begin(struct lull_agpu *g, const struct lull_as_packet *p,
                                        const struct lull_as_draw *d) LULL_MUST_USE;
/** Something of that is left to be done. */
bool lull_agpu_work_on(const struct lull_agpu *g);
/** Up to @p cycles of it. @p done: how many, at least one unless waves stand for a debugger.
 * @return What stopped it for good. */
struct lull_error *lull_agpu_work_run(struct lull_agpu *g, uint64_t cycles,
                                      uint64_t *done) LULL_MUST_USE;
/** The dispatch or draw under way, if there is one, is over. */
void lull_agpu_work_over(struct lull_agpu *g, bool killed);

#endif
