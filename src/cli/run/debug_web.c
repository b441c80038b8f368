// SPDX-License-Identifier: MIT
#include "cli/run/debug_web.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "cli/run/loopback.h"
#include "debug/web/web.h"

enum { BACKLOG = 64 };

struct lull_error *lull_ds_web(struct lull_ds *s, void (*after)(void *s))
{
    char token[LULL_TOKEN_ROOM] = "";
    lull_cleanup(lull_closep) int listener = -1;
    unsigned port = 0;
    struct lull_error *err = lull_loopback_token(token);
    err = err != NULL ? err : lull_loopback_listen(s->web_port, BACKLOG, &listener, &port);
    if (err == NULL && fcntl(listener, F_SETFL, O_NONBLOCK) != 0) {
        err = lull_error_os(errno, "127.0.0.1:%u", port);
    }
    if (err != NULL) {
        return err;
    }
    fprintf(stderr, "lull debug: http://127.0.0.1:%u/%s/\n", port, token);
    const struct lull_web_host host = {.listener = listener,
                                       .port = port,
                                       .token = token,
                                       .after = after,
                                       .ends = lull_ds_asked_to_stop,
                                       .ctx = s};
    return lull_web_serve(s->debug, &host);
}
