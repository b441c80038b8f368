// SPDX-License-Identifier: MIT
/** @file
 * Waves that a debugger stops. No hardware can do this: it is the model that looks in front of each
 * instruction.
 *
 * When one wave stops, all others of its group do, where they are (LULL_IR3_STOP_HOST), and so does
 * the GPU, which runs one group at a time: what is seen belongs together. A wave of a draw is a
 * group of its own. A group that nobody looks at pays one comparison for each slice of its time.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_STOPS_H
#define LULL_MODEL_ADRENO_EXEC_STOPS_H

#include "model/adreno/exec/group.h"

enum { LULL_IR3_BREAKPOINTS = 64 };

/** What is to stop. */
struct lull_ir3_stops {
    bool on;     ///< Else the rest says nothing.
    bool starts; ///< New waves stop in front of their first instruction.
    bool again;  ///< What happened is executed again: who stands does, and nothing else stops.
    unsigned n;
    uint64_t at[LULL_IR3_BREAKPOINTS]; ///< Addresses of instructions.
    uint64_t groups;                   ///< That have begun, of all dispatches.
};

/** As lull_ir3_group_run(), and less than @p most also if waves stand. @p s NULL: nobody looks. */
uint64_t lull_ir3_stops_run(const struct lull_ir3_stops *s, struct lull_ir3_group *g,
                            struct lull_ir3_env *env, uint64_t seed, uint64_t most);

/** A new group: it gets its number, and its waves stop, if they are to. @p s NULL: nobody looks. */
void lull_ir3_stops_begin(struct lull_ir3_stops *s, struct lull_ir3_group *g);
/** All that run stop. @return There were some. */
bool lull_ir3_stops_all(struct lull_ir3_group *g);
/** Wave @p w, which stands, goes on; with @p step for one instruction. */
void lull_ir3_stops_go(struct lull_ir3_wave *w, bool step);
/** Does a wave stand, and none can run? @p s, @p g NULL: no. */
bool lull_ir3_stops_stands(const struct lull_ir3_stops *s, const struct lull_ir3_group *g);

#endif
