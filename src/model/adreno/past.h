// SPDX-License-Identifier: MIT
/** @file
 * What a dispatch or a draw did, so that a debugger can go back in time: debug.h, travel and
 * search.
 *
 * Its state is kept at some times (marks); of memory the pages that were written from one mark to
 * the next, as they were. To go to a time, the mark before it is put back, and from there all is
 * executed again: which wave's turn it is depends on nothing but who stands for the debugger. So
 * that is noted at each letting go (a stretch), and put in again.
 *
 * A dispatch that has ended is remembered until its command buffer ends, something is drawn, or the
 * next dispatch runs: so while that one is held it can be gone back to. Then the command processor
 * goes back, too.
 *
 * A draw is remembered until its last wave has ended; of what was drawn before it nothing is.
 *
 * What the host's processor writes into memory while it runs is not taken back.
 */
#ifndef LULL_MODEL_ADRENO_PAST_H
#define LULL_MODEL_ADRENO_PAST_H

#include "model/adreno/compute/compute.h"
#include "model/adreno/debug.h"
#include "model/adreno/past_now.h"

struct lull_agpu_space;
struct lull_agpu_was;
struct lull_agpu_trace;
struct lull_agpu_cp;

enum { LULL_AGPU_LATELY = 64 };

/** Pages, in the order of their first writes. */
struct lull_agpu_log {
    struct lull_agpu_was **all; ///< Owned, as are they.
    size_t n;
    uint32_t *slots; ///< 1 + index, by address; nslots is a power of two.
    size_t nslots;
    uint64_t bytes;
};

struct lull_agpu_mark {
    bool kept; ///< The debugger had written something: it is not dropped for room.
    uint64_t time, clock, progress, bytes;
    struct lull_agpu_saved *state;
    /** From here to the next mark. Of those before `at`: what was written, as it was here; of the
     * others as it is at the next. */
    struct lull_agpu_log log;
};

/** Who stands from a time on. */
struct lull_agpu_stretch {
    uint64_t time, group, turns, standing; ///< group: its number; standing: a bit each.
    unsigned wave, left;
};

/** All zero: nothing is remembered. */
struct lull_agpu_past {
    uint64_t most; ///< Bytes; 0: not wanted.
    bool on;       ///< A dispatch is remembered, or with `draw` a draw:
    bool draw;
    struct lull_acompute *compute; ///< this one; owned if it is not the one under way.
    uint64_t number, ndraws;       ///< Dispatches, draws at its beginning; of one that is not, too.
    bool behind;                   ///< It has ended, and the command processor runs.
    struct lull_agpu_cp *end, *later; ///< The command processor at its end; and, if it is not
                                      ///< behind that now, when it was. NULL: it was not yet.
    struct lull_agpu_log tail;        ///< Memory written from the end on.
    bool went;                        ///< A wave was let go since it ran last.
    bool touched;                     ///< The debugger has written something since.
    uint64_t last, bytes;
    size_t nmarks, room, at; ///< at: the mark before now.
    struct lull_agpu_mark *marks;
    struct lull_agpu_log open;                              ///< From `at` to now.
    const struct lull_agpu_space *lately[LULL_AGPU_LATELY]; ///< Pages that are in it.
    uint64_t lately_page[LULL_AGPU_LATELY];
    struct lull_agpu_stretch *stretches;
    size_t nstretches, stretches_room;
    struct lull_agpu_trace *trace; ///< Of the last search.
};

/** Nothing is to be remembered of a dispatch any more. */
void lull_agpu_past_end(struct lull_agpu *g);
/** @p g goes. */
void lull_agpu_past_done(struct lull_agpu *g);
/** Memory is about to be no longer there. */
void lull_agpu_past_unmapped(struct lull_agpu *g, const struct lull_agpu_space *s, uint64_t address,
                             uint64_t size);
/** A dispatch is about to run. @p cycles: at most so many; @return so many. */
uint64_t lull_agpu_past_runs(struct lull_agpu *g, uint64_t cycles);
/** It has run, and has not ended. */
void lull_agpu_past_ran(struct lull_agpu *g);

/* As in struct lull_agpu_debug_ops. */

void lull_agpu_past_remember(struct lull_agpu *g, uint64_t bytes);
void lull_agpu_past_travelled(const struct lull_agpu *g, struct lull_agpu_travel *ret);
struct lull_error *lull_agpu_past_travel(struct lull_agpu *g, uint64_t time,
                                         bool again) LULL_MUST_USE;
void lull_agpu_past_touches(struct lull_agpu *g, uint64_t address, uint64_t bytes);

/** Who looks on while time is gone through. */
struct lull_agpu_look {
    void (*each)(struct lull_agpu *g); ///< In front of each instruction.
    struct lull_observer *observer;    ///< NULL: none.
};

/** From the newest mark at @p before or earlier on to @p time; all stand then. @p look NULL: nobody
 * looks. @p ret_from: the time of that mark. */
struct lull_error *lull_agpu_past_again(struct lull_agpu *g, uint64_t before, uint64_t time,
                                        const struct lull_agpu_look *look,
                                        uint64_t *ret_from) LULL_MUST_USE;

/* past_behind.c */

/** The dispatch is about to be over: it stays, and what comes is behind it. @return False: no
 * memory. */
bool lull_agpu_past_ended(struct lull_agpu *g);
/** From behind it back to its end. @return False: no memory. */
bool lull_agpu_behind_leave(struct lull_agpu *g);
/** From its end to where lull_agpu_behind_leave() left. */
void lull_agpu_behind_return(struct lull_agpu *g);
/** What was behind it is forgotten. */
void lull_agpu_behind_done(struct lull_agpu_past *p);

/* past_log.c */

void lull_agpu_log_done(struct lull_agpu_log *l);
/** Make room for one more. @return False: no memory. */
bool lull_agpu_log_grow(struct lull_agpu_log *l);
/** @p was becomes the log's, unless it has that page. @return False: it has, or no memory. */
bool lull_agpu_log_add(struct lull_agpu_log *l, struct lull_agpu_was *was);
/** What is in memory and what was there change places. @p back: the last write first, as memory may
 * have several addresses. */
void lull_agpu_log_swap(const struct lull_agpu_log *l, bool back);
/** Those bytes are about to be written; @p l is the log of now. */
void lull_agpu_log_keep(struct lull_agpu *g, struct lull_agpu_log *l, uint64_t address,
                        uint64_t bytes);
/** Has it a page of the @p size bytes from @p address on? */
bool lull_agpu_log_has(const struct lull_agpu_log *l, const struct lull_agpu_space *s,
                       uint64_t address, uint64_t size);
/** Another log is the one of now. */
void lull_agpu_log_forget(struct lull_agpu_past *p);

/* past_search.c */

struct lull_error *lull_agpu_past_search(struct lull_agpu *g, const struct lull_agpu_search *what,
                                         uint64_t until, uint64_t *ret_from,
                                         size_t *ret_n) LULL_MUST_USE;
const struct lull_agpu_found *lull_agpu_past_found(const struct lull_agpu *g, size_t n);

#endif
