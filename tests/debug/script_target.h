// SPDX-License-Identifier: MIT
/** @file
 * A scripted target for tests of the debugger: two waves of 32 lanes and 4 KiB of memory.
 *
 * It executes five instructions: s_nop 0 counts s0 up, s_branch is taken while s0 is below
 * SCRIPT_LIMIT, s_endpgm ends, global_load_b32 v1, v[2:3], off loads (at 0x40), global_store_b32
 * v[2:3], v1, off stores (at 0x64). Every wait runs the
 * waves in turn, one instruction each, until one stops.
 */
#ifndef LULL_TESTS_DEBUG_SCRIPT_TARGET_H
#define LULL_TESTS_DEBUG_SCRIPT_TARGET_H

#include "target/target.h"

enum {
    SCRIPT_BASE = 0x100000,
    SCRIPT_BYTES = 4096,
    SCRIPT_WAVES = 2,
    SCRIPT_VGPRS = 4,
    SCRIPT_LIMIT = 100,
    SCRIPT_BREAKPOINTS = 8,
    SCRIPT_WATCHES = 2,
};

struct script_wave {
    struct lull_wave_info info;
    bool alive, runs, fresh, skip, step;
    uint32_t sgpr[128];
    uint32_t vgpr[SCRIPT_VGPRS][32];
};

struct script_target {
    struct lull_target target;
    struct script_wave wave[SCRIPT_WAVES];
    uint8_t memory[SCRIPT_BYTES];
    uint8_t lds[64];
    uint64_t breakpoints[SCRIPT_BREAKPOINTS];
    size_t nbreakpoints;
    struct lull_watchpoint watches[SCRIPT_WATCHES];
    size_t nwatches;
    lull_wave_key selected; ///< Whose memory is looked at.
    bool stop_new, interrupt;
    struct lull_aimed goal;   ///< What a program's goal comes to: the wave with this hw_id1.
    struct script_wave *late; ///< An interrupt of before reaches it at its next turn; NULL: none.
    // A program, if ndispatches is not 0: that many dispatches, one after the other.
    unsigned ndispatches, next; ///< next: the one that comes or runs.
    unsigned done, first;       ///< Dispatches of earlier runs; those not counted any more.
    bool launched, held;
    unsigned runs; ///< How often it was started.
};

void script_init(struct script_target *t);
/** As a program of @p n dispatches of the same code, each held before it runs. */
void script_init_program(struct script_target *t, unsigned n);
/** For lull_debug.run. */
struct lull_error *script_run(void *ctx);
struct lull_error *script_run_program(void *ctx);

#endif
