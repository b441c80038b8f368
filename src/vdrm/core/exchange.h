// SPDX-License-Identifier: MIT
/** @file
 * One request of a client and its answer, over a socket: vdrm/core/wire.h says what they are.
 */
#ifndef LULL_VDRM_EXCHANGE_H
#define LULL_VDRM_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "vdrm/core/box.h"
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

/** The driver's end of a connection. */
struct lull_vd_line {
    int sock;
    pid_t peer; ///< Who has the box.
    struct lull_patience patience;
    unsigned looks;       ///< For the next message, before the thread sleeps.
    struct lull_box *box; ///< NULL: none.
};

/** @return False: the client is gone, or talks nonsense. */
bool lull_vd_receive(struct lull_vd_line *l, struct lull_vd_exchange *x);

/** @return Whether all was sent. */
bool lull_vd_answer(struct lull_vd_line *l, struct lull_vd_exchange *x);

/** A box for @p l; its file goes along with the answer of @p x. @return 0 or -errno. */
int lull_vd_line_box(struct lull_vd_line *l, struct lull_vd_exchange *x);
/** Give the box back; the socket is the caller's. */
void lull_vd_line_done(struct lull_vd_line *l);

#endif
