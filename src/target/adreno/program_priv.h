// SPDX-License-Identifier: MIT
/** @file
 * Between program.c, travel.c and banks.c.
 */
#ifndef LULL_TARGET_ADRENO_PROGRAM_PRIV_H
#define LULL_TARGET_ADRENO_PROGRAM_PRIV_H

#include "drm/msm/debugfs.h"
#include "target/adreno/program.h"

struct program {
    struct lull_target base;
    struct lull_target_ops ops; // Those below, for the chip.
    struct lull_msm_debugfs files;
    struct lull_adreno_watch watch;
    struct lull_msm_control stops;        // As the kernel has them.
    struct lull_msm_packet_watch packets; // The same.
    uint64_t go, step;                    // Waves to let go with the next wait().
    uint64_t upper; // Of those that step: it was the second half that the user meant.
    bool told;      // That waves stand.
    bool held_told;
    uint64_t first, first_draw; // Of this run, as the kernel counts.
    uint64_t record_bytes;      // As remember() had it.
    struct lull_msm_map *maps;
};

static inline struct program *lull_adreno_program(struct lull_target *t)
{
    return (struct program *)t;
}

/** The wave's number in its group. */
static inline unsigned lull_adreno_number(lull_wave_key key)
{
    return key >> 1 & 0x7f;
}

/* banks.c */

/** Which register register @p reg of the arch is in the kernel's words. @return False: none. */
bool lull_adreno_bank(unsigned reg, enum lull_msm_bank *ret_bank, unsigned *ret_number);

/* travel.c: as in struct lull_target_ops. */

struct lull_error *lull_adreno_remember(struct lull_target *t, uint64_t bytes,
                                        bool writers) LULL_MUST_USE;
struct lull_error *lull_adreno_travelled(struct lull_target *t,
                                         struct lull_travel *ret) LULL_MUST_USE;
struct lull_error *lull_adreno_travel(struct lull_target *t, uint64_t time) LULL_MUST_USE;
struct lull_error *lull_adreno_travel_again(struct lull_target *t, uint64_t time) LULL_MUST_USE;
struct lull_error *lull_adreno_search(struct lull_target *t, const struct lull_search *what,
                                      uint64_t until, struct lull_found_list *ret) LULL_MUST_USE;
struct lull_error *lull_adreno_executed(struct lull_target *t, lull_wave_key wave,
                                        uint64_t *ret) LULL_MUST_USE;

#endif
