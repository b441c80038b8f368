// SPDX-License-Identifier: MIT
/** @file
 * One request of a client and its answer, over a socket: vdrm/core/wire.h says what they are.
 */
#ifndef LULL_VDRM_EXCHANGE_H
#define LULL_VDRM_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "vdrm/core/patience.h"
#include "vdrm/core/wire.h"

/** A request with what came along, and its answer. */
struct lull_vd_exchange {
    struct lull_wire_request request;
    char tail[LULL_WIRE_MAX_PATH];
    size_t ntail;
    int fd;       ///< -1: none.
    pid_t sender; ///< As the kernel says it; 0: unknown.
    struct lull_wire_reply reply;
    char back[LULL_WIRE_MAX_ARG]; ///< Behind the reply, nback bytes.
    size_t nback;
    int out; ///< Descriptor to send, closed then by the caller; -1: none.
};

/** @p patience: how long it is looked for before the thread sleeps. @return False: the client is
 * gone, or talks nonsense. */
bool lull_vd_receive(int sock, struct lull_patience *patience, struct lull_vd_exchange *x);

/** @return Whether all was sent. */
bool lull_vd_answer(int sock, struct lull_vd_exchange *x);

#endif
