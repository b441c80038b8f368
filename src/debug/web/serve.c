// SPDX-License-Identifier: MIT
// Sockets: each connection has one request and one answer.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "debug/web/web_priv.h"

enum {
    PIECE = 16 << 10,
    TURN_MS = 200,       ///< How long Ctrl-C may have to wait.
    PATIENCE_MS = 30000, ///< For a whole request, and until an answer is taken.
    LINGER_MS = 5000,    ///< For a client to read an answer before the rest of its request is lost.
};

static int64_t now_ms(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void drop(struct lull_web_client *c)
{
    if (c->fd >= 0) {
        close(c->fd);
    }
    free(c->bytes);
    *c = (struct lull_web_client){.fd = -1};
}

/** A place for one more: an empty one, else that of who has kept us waiting longest; NULL: all
 * wait for us. */
static struct lull_web_client *place(struct lull_web *w)
{
    struct lull_web_client *oldest = NULL;
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        struct lull_web_client *c = &w->clients[i];
        if (c->fd < 0) {
            return c;
        }
        const bool waits = c->status != 0 && !c->answered;
        oldest = !waits && (oldest == NULL || c->since < oldest->since) ? c : oldest;
    }
    return oldest;
}

static void take_client(struct lull_web *w)
{
    const int fd = accept4(w->host->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct lull_web_client *c = fd >= 0 ? place(w) : NULL;
    if (c != NULL) {
        drop(c);
        *c = (struct lull_web_client){.fd = fd, .since = now_ms()};
    } else if (fd >= 0) {
        close(fd);
    }
}

/** Bytes of an answered client are dropped. */
static void drain(struct lull_web_client *c)
{
    char rest[PIECE];
    const ssize_t got = recv(c->fd, rest, sizeof rest, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(c);
    }
}

static void fill(struct lull_web_client *c)
{
    if (c->room - c->n < PIECE) {
        const size_t room = 2 * c->room + PIECE;
        char *more = realloc(c->bytes, room);
        if (more == NULL) {
            drop(c);
            return;
        }
        c->bytes = more;
        c->room = room;
    }
    const ssize_t got = recv(c->fd, c->bytes + c->n, PIECE, 0);
    if (got > 0) {
        c->n += (size_t)got;
        c->status = lull_http_read(c->bytes, c->n, &c->request);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        drop(c);
    }
}

/** Those that do not say what they want, and those that were answered, have had their time. */
static void drop_late(struct lull_web *w)
{
    const int64_t now = now_ms();
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        struct lull_web_client *c = &w->clients[i];
        const bool late = now - c->since > (c->answered ? LINGER_MS : PATIENCE_MS);
        if (c->fd >= 0 && late && (c->answered || c->status == 0)) {
            drop(c);
        }
    }
}

/** Take what has come, after at most @p ms. */
LULL_MUST_USE static struct lull_error *listen_to(struct lull_web *w, int ms)
{
    struct pollfd fds[LULL_WEB_CLIENTS + 1];
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        const struct lull_web_client *c = &w->clients[i];
        fds[i] =
            (struct pollfd){.fd = c->status == 0 || c->answered ? c->fd : -1, .events = POLLIN};
    }
    fds[LULL_WEB_CLIENTS] =
        (struct pollfd){.fd = place(w) != NULL ? w->host->listener : -1, .events = POLLIN};
    if (poll(fds, LULL_WEB_CLIENTS + 1, ms) < 0) {
        return errno == EINTR ? NULL : lull_error_os(errno, "poll");
    }
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        if (fds[i].fd >= 0 && fds[i].revents != 0) {
            (w->clients[i].answered ? drain : fill)(&w->clients[i]);
        }
    }
    if ((fds[LULL_WEB_CLIENTS].revents & (POLLERR | POLLNVAL)) != 0) {
        return lull_error_new(LULL_ERR_OS, "the socket for browsers is gone");
    }
    if (fds[LULL_WEB_CLIENTS].revents != 0) {
        take_client(w);
    }
    drop_late(w);
    return NULL;
}

/** All bytes, if the client takes them in time. */
static void send_all(int fd, const char *bytes, size_t n)
{
    const int64_t end = now_ms() + PATIENCE_MS;
    while (n != 0) {
        const ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        const int64_t left = end - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        } else if (left <= 0 || (sent < 0 && errno != EAGAIN && errno != EINTR) ||
                   (poll(&p, 1, (int)left) < 0 && errno != EINTR)) {
            return;
        }
    }
}

static void answer(struct lull_web *w, struct lull_web_client *c)
{
    lull_cleanup(lull_str_free) struct lull_str out = {0};
    struct lull_web_reply reply = {.status = 0};
    lull_web_answer(w, c->status, &c->request, &reply);
    lull_web_write(&reply, &out);
    lull_str_free(&reply.body);
    if (out.err == NULL) {
        send_all(c->fd, lull_str_text(&out), out.size);
    }
    free(c->bytes);
    c->bytes = NULL;
    c->n = c->room = 0;
    c->answered = true;
    c->since = now_ms();
    if (shutdown(c->fd, SHUT_WR) != 0) {
        drop(c);
    }
}

/** Asked while waves run: a client may ask for a stop, and for the page; the rest waits. */
static bool while_running(void *ctx)
{
    struct lull_web *w = ctx;
    const bool stop = w->interrupted != NULL && w->interrupted(w->interrupt_ctx);
    lull_error_free(listen_to(w, 0)); // It comes again when they stand.
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        struct lull_web_client *c = &w->clients[i];
        if (c->fd >= 0 && c->status != 0 && !c->answered && &w->clients[i] != w->busy &&
            lull_web_is_quick(w, c->status, &c->request)) {
            answer(w, c);
        }
    }
    const bool asked = w->stop;
    w->stop = false;
    return stop || asked;
}

struct lull_error *lull_web_turn(struct lull_web *w, int ms)
{
    struct lull_error *err = listen_to(w, ms);
    for (size_t i = 0; err == NULL && i < LULL_WEB_CLIENTS; i++) {
        struct lull_web_client *c = &w->clients[i];
        if (c->fd >= 0 && c->status != 0 && !c->answered) {
            w->busy = c;
            w->stop = false;
            answer(w, c);
            w->busy = NULL;
        }
    }
    return err;
}

static void begin(struct lull_web *w)
{
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        w->clients[i].fd = -1;
    }
}

static void end(struct lull_web *w)
{
    for (size_t i = 0; i < LULL_WEB_CLIENTS; i++) {
        drop(&w->clients[i]);
    }
}

struct lull_error *lull_web_open(const struct lull_web_host *host, struct lull_web **ret)
{
    struct lull_web *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return &lull_enomem;
    }
    w->host = host;
    begin(w);
    *ret = w;
    return NULL;
}

void lull_web_close(struct lull_web *w)
{
    if (w != NULL) {
        end(w);
        free(w);
    }
}

struct lull_error *lull_web_serve(struct lull_debug *d, const struct lull_web_host *host)
{
    struct lull_web w = {
        .d = d, .host = host, .interrupted = d->interrupted, .interrupt_ctx = d->interrupt_ctx};
    struct lull_error *err = NULL;
    begin(&w);
    lull_debug_set_interrupt(d, while_running, &w);
    while (err == NULL && !host->ends(host->ctx)) {
        err = lull_web_turn(&w, TURN_MS);
    }
    lull_debug_set_interrupt(d, w.interrupted, w.interrupt_ctx);
    end(&w);
    return err;
}
