// SPDX-License-Identifier: MIT
/** @file
 * A socket on 127.0.0.1, and the word that its clients have to know.
 */
#ifndef LULL_CLI_RUN_LOOPBACK_H
#define LULL_CLI_RUN_LOOPBACK_H

#include "base/error.h"

enum {
    LULL_TOKEN_BYTES = 16, ///< Random bytes of a token.
    LULL_TOKEN_ROOM = 2 * LULL_TOKEN_BYTES + 1,
};

/** Listen on 127.0.0.1 for @p backlog clients, on @p port, or with 0 on one that is free.
 * @return LULL_ERR_OS with the address. @p ret: the socket; programs do not inherit it. */
struct lull_error *lull_loopback_listen(unsigned port, int backlog, int *ret,
                                        unsigned *ret_port) LULL_MUST_USE;

/** A token that nobody can guess, in hexadecimal. */
struct lull_error *lull_loopback_token(char ret[LULL_TOKEN_ROOM]) LULL_MUST_USE;

#endif
