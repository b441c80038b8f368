// SPDX-License-Identifier: MIT
/** @file
 * Breadcrumbs of a model GPU, of no vendor: its command processor tells of each packet before it
 * does it, and when all that it started has ended. Until then the same ring does nothing else, as
 * where crumbs stand in the stream and wait.
 */
#ifndef LULL_MODEL_CRUMB_H
#define LULL_MODEL_CRUMB_H

#include <stdbool.h>
#include <stdint.h>

/** A packet that a command processor stands in front of, or has done. */
struct lull_crumb_packet {
    uint64_t stream; ///< Another one for each buffer that a ring itself calls, or job of a ring.
    unsigned ring;
    uint64_t buffer;  ///< Address of the command buffer that it is in.
    uint64_t address; ///< Its own.
    const char *name; ///< Of its opcode; NULL: it writes registers, or nobody knows it.
    bool after;
};

/** Who is told. */
struct lull_crumb_watcher {
    void *ctx;
    bool packets; ///< Of all but NOP; else of draws, dispatches and blits.
    /** NULL: nobody. False: it shall wait; it is asked again, with @p again, whenever the GPU runs.
     * Must not call the GPU back. */
    bool (*crumb)(void *ctx, const struct lull_crumb_packet *p, bool again);
};

#endif
