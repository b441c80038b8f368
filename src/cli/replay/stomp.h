// SPDX-License-Identifier: MIT
/** @file
 * lull stomp CAPTURE.rd: garbage in registers or memory of a capture that is replayed.
 */
#ifndef LULL_CLI_REPLAY_STOMP_H
#define LULL_CLI_REPLAY_STOMP_H

#include "cli/opt/opt.h"

extern const struct lull_form lull_replay_stomp_form;

/** Is the first operand the name of a capture: does it end with .rd, .rd.gz or .rd.zst? */
bool lull_replay_stomp_is(int argc, char **argv);

#endif
