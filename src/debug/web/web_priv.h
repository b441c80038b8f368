// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the web view: http.c reads requests, answer.c says what is answered, serve.c
 * has the sockets.
 */
#ifndef LULL_DEBUG_WEB_WEB_PRIV_H
#define LULL_DEBUG_WEB_WEB_PRIV_H

#include "debug/web/http.h"
#include "debug/web/web.h"

enum {
    LULL_WEB_CLIENTS = 16,
    LULL_WEB_MAX_LINES = 64,        ///< Commands of one request.
    LULL_WEB_MAX_MEMORY = 16 << 20, ///< Bytes of one request.
};

/** A connection: one request, one answer. */
struct lull_web_client {
    int fd;      ///< -1: none.
    char *bytes; ///< Of its request. Owned.
    size_t n, room;
    int64_t since;   ///< When it came, or was answered, in ms.
    unsigned status; ///< Of its request, as of lull_http_read(): 0 while it is not whole.
    struct lull_http_request request;
    bool answered; ///< What still comes is dropped.
};

struct lull_web {
    struct lull_debug *d; ///< NULL: host->page alone is served.
    const struct lull_web_host *host;
    struct lull_web_client clients[LULL_WEB_CLIENTS];
    const struct lull_web_client *busy; ///< Is being answered.
    bool stop;                          ///< A client asks that waves stop.
    bool (*interrupted)(void *ctx);     ///< The session's own.
    void *interrupt_ctx;
};

struct lull_web_reply {
    unsigned status;
    const char *type; ///< Of body.
    char policy[320]; ///< What the page may load; "": nothing.
    struct lull_str body;
};

/** What is answered to a request; @p r NULL: to one that cannot be read, by @p status. */
void lull_web_answer(struct lull_web *w, unsigned status, const struct lull_http_request *r,
                     struct lull_web_reply *ret);
/** Does it change nothing, so that it can be answered while waves run? */
bool lull_web_is_quick(const struct lull_web *w, unsigned status,
                       const struct lull_http_request *r);
/** All of an answer, header and body. */
void lull_web_write(const struct lull_web_reply *reply, struct lull_str *out);

#endif
