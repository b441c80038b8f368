// SPDX-License-Identifier: MIT
/** @file
 * Inside the program target: its clients, and the records of what they gave the GPU.
 */
#ifndef LULL_TARGET_AMD_PROGRAM_PRIV_H
#define LULL_TARGET_AMD_PROGRAM_PRIV_H

#include "drm/amdgpu/debugfs.h"
#include "target/amd/debug_priv.h"
#include "target/amd/program.h"
#include "target/amd/trap_layout.h"

enum { LULL_PROGRAM_CLIENTS = 64, LULL_PROGRAM_BREAKS = 1024 };

/** An address space: an open DRM file of a process. */
struct client {
    bool used;
    uint32_t pid, file;
    uint64_t job; ///< Of what was held last.
    bool stale;   ///< Breakpoints came into code while that job ran: caches may have the old.
    struct lull_amd_device *device;
    struct lull_amd_target *t;
};

struct program {
    struct lull_target base;
    struct lull_kernel *k; ///< Borrowed.
    unsigned dri;
    struct lull_debugfs debugfs;
    struct lull_program_watch watch;
    struct client clients[LULL_PROGRAM_CLIENTS];
    struct client *current; ///< Whose memory is meant; NULL: nobody's yet.
    struct lull_amd_break breakpoints[LULL_PROGRAM_BREAKS];
    size_t nbreakpoints;
    struct lull_break_test *tests; ///< Owned.
    size_t ntests;
    bool by_step; ///< No breakpoint in code.
    struct lull_watchpoint watches[LULL_TRAP_MAX_BREAK];
    size_t nwatches;
    uint32_t excp; ///< As set_exceptions() had it.
    bool stop_new;
    bool aims;      ///< New waves stop where they trap, but only the one that is aimed at does.
    uint64_t first; ///< Number of the first dispatch of this run, as the kernel counts.
    uint64_t first_draw; ///< The same of draws.
    bool held;
    bool held_draw;        ///< What is held is a draw.
    uint64_t held_number;  ///< As the kernel counts.
    struct client *holder; ///< Whose dispatch is held.
    uint64_t record_bytes; ///< As remember() had it.
    bool logs;             ///< The kernel notes who writes memory.
    struct client *past;   ///< Of whose dispatch the past is remembered; NULL: nobody's.
    uint64_t past_job;     ///< Its job,
    uint64_t past_number;  ///< and what was held when it began, as held_number,
    bool past_draw;        ///< and held_draw.
    struct lull_control_launch launch; ///< How it is to start; op 0: as it is.
};

static inline struct program *lull_program(struct lull_target *t)
{
    return (struct program *)t;
}

// program_travel.c
/** Nothing is remembered any more. */
void lull_program_forget(struct program *p);
/** The held dispatch of @p c is about to be let go. */
struct lull_error *lull_program_record(struct program *p, struct client *c) LULL_MUST_USE;
/** A wait begins; number @p look of its looks; it ends. */
struct lull_error *lull_program_travel_wait(struct program *p) LULL_MUST_USE;
struct lull_error *lull_program_travel_look(struct program *p) LULL_MUST_USE;
struct lull_error *lull_program_travel_waited(struct program *p, bool stopped) LULL_MUST_USE;
/** Something is held anew: what is remembered stays if that is in the same job. */
struct lull_error *lull_program_travel_held(struct program *p) LULL_MUST_USE;
/** All were asked to stop, and some are on the way to where they stand. */
bool lull_program_travel_settles(struct program *p);
// Of struct lull_target_ops:
struct lull_error *lull_program_remember(struct lull_target *base, uint64_t bytes,
                                         bool writers) LULL_MUST_USE;
struct lull_error *lull_program_travelled(struct lull_target *base,
                                          struct lull_travel *ret) LULL_MUST_USE;
struct lull_error *lull_program_travel(struct lull_target *base, uint64_t time,
                                       bool again) LULL_MUST_USE;
struct lull_error *lull_program_search(struct lull_target *base, const struct lull_search *what,
                                       uint64_t until, struct lull_found_list *ret) LULL_MUST_USE;
struct lull_error *lull_program_wrote(struct lull_target *base, uint64_t va, uint64_t size,
                                      bool before, uint64_t below,
                                      struct lull_wrote *ret) LULL_MUST_USE;
struct lull_error *lull_program_executed(struct lull_target *base, lull_wave_key wave,
                                         uint64_t *ret) LULL_MUST_USE;

// program_breaks.c, of struct lull_target_ops:
struct lull_error *lull_program_set_tests(struct lull_target *base,
                                          const struct lull_break_test *tests,
                                          size_t n) LULL_MUST_USE;
struct lull_error *lull_program_set_watchpoints(struct lull_target *base,
                                                const struct lull_watchpoint *w,
                                                size_t n) LULL_MUST_USE;

// program_records.c
/** What the kernel recorded of a dispatch. @p first: number of the run's first. */
void lull_amd_dispatch_info(const struct lull_dispatch_record *r, uint64_t first,
                            struct lull_dispatch_info *ret);
// Of struct lull_target_ops:
struct lull_error *lull_program_begin(struct lull_target *base) LULL_MUST_USE;
struct lull_error *lull_program_dispatches(struct lull_target *base, uint64_t first,
                                           struct lull_dispatch_info *infos, size_t room,
                                           size_t *ret) LULL_MUST_USE;
struct lull_error *lull_program_draws(struct lull_target *base, uint64_t first,
                                      struct lull_draw_info *infos, size_t room,
                                      size_t *ret) LULL_MUST_USE;
struct lull_error *lull_program_draw_regs(struct lull_target *base, uint64_t number,
                                          struct lull_draw_regs *ret) LULL_MUST_USE;
struct lull_error *lull_program_watch_pixel(struct lull_target *base, bool on, uint32_t x,
                                            uint32_t y) LULL_MUST_USE;
struct lull_error *lull_program_fragments(struct lull_target *base, uint64_t first,
                                          struct lull_fragment *ret, size_t room,
                                          size_t *ret_n) LULL_MUST_USE;
struct lull_error *lull_program_count_drawn(struct lull_target *base,
                                            const struct lull_drawn_range *range) LULL_MUST_USE;
struct lull_error *lull_program_drawn_pixels(struct lull_target *base,
                                             struct lull_shaded_pixel *ret, size_t room,
                                             size_t *ret_n) LULL_MUST_USE;
struct lull_error *lull_program_drawn_primitives(struct lull_target *base,
                                                 struct lull_exported_primitive *ret, size_t room,
                                                 size_t *ret_n) LULL_MUST_USE;
/** Only tell the kernel; NULL: no more. */
struct lull_error *lull_program_aim(struct program *p,
                                    const struct lull_debug_goal *goal) LULL_MUST_USE;
struct lull_error *lull_program_aimed(struct lull_target *base,
                                      struct lull_aimed *ret) LULL_MUST_USE;
bool lull_program_held_draw(struct lull_target *base, uint64_t *ret);
struct lull_error *lull_program_redirect(struct lull_target *base,
                                         const struct lull_other_code *code,
                                         bool stay) LULL_MUST_USE;

#endif
