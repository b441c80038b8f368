// SPDX-License-Identifier: MIT
#include "cli/run/explore_web.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/opt/host.h"
#include "cli/run/loopback.h"
#include "debug/web/web.h"

enum { BACKLOG = 64, TURN_MS = 200 };

struct lull_explore_web {
    struct lull_web_host host;
    struct lull_web *web;
    char token[LULL_TOKEN_ROOM];
};

struct lull_error *lull_explore_web_open(unsigned port,
                                         void (*page)(void *ctx, struct lull_str *out), void *ctx,
                                         struct lull_explore_web **ret)
{
    struct lull_explore_web *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return &lull_enomem;
    }
    w->host = (struct lull_web_host){.listener = -1, .token = w->token, .page = page, .ctx = ctx};
    struct lull_error *err = lull_loopback_token(w->token);
    err = err != NULL ? err : lull_loopback_listen(port, BACKLOG, &w->host.listener, &w->host.port);
    if (err == NULL && fcntl(w->host.listener, F_SETFL, O_NONBLOCK) != 0) {
        err = lull_error_os(errno, "127.0.0.1:%u", w->host.port);
    }
    err = err != NULL ? err : lull_web_open(&w->host, &w->web);
    if (err != NULL) {
        lull_explore_web_close(w);
        return err;
    }
    fprintf(stderr, "lull explore: http://127.0.0.1:%u/%s/\n", w->host.port, w->token);
    *ret = w;
    return NULL;
}

void lull_explore_web_look(struct lull_explore_web *w)
{
    if (w != NULL) {
        lull_error_free(lull_web_turn(w->web, 0));
    }
}

struct lull_error *lull_explore_web_stay(struct lull_explore_web *w)
{
    struct lull_error *err = NULL;
    lull_host_interruptible(false);
    while (err == NULL && !lull_host_interrupted()) {
        err = lull_web_turn(w->web, TURN_MS);
    }
    lull_host_interruptible(true);
    return err;
}

void lull_explore_web_close(struct lull_explore_web *w)
{
    if (w == NULL) {
        return;
    }
    lull_web_close(w->web);
    if (w->host.listener >= 0) {
        close(w->host.listener);
    }
    free(w);
}
