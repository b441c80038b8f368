// SPDX-License-Identifier: MIT
// Messages: a header "Content-Length: N", an empty line, N bytes of JSON.
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"

enum { MAX_HEADER = 4096, PIECE = 65536 };

LULL_MUST_USE static struct lull_error *fill(struct lull_dap_wire *w)
{
    if (w->room - w->n < PIECE) {
        char *more = realloc(w->bytes, w->room + 4 * PIECE);
        if (more == NULL) {
            return &lull_enomem;
        }
        w->bytes = more;
        w->room += (size_t)4 * PIECE;
    }
    const ssize_t got = read(w->in, w->bytes + w->n, PIECE);
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        return lull_error_os(errno, "the client");
    }
    w->ended = w->ended || got == 0;
    w->n += got > 0 ? (size_t)got : 0;
    return NULL;
}

/** What was printed goes to the client; false: nothing more comes. */
static bool forward(struct lull_dap *p)
{
    char text[4096];
    const ssize_t got = read(p->host->printed, text, sizeof text);
    if (got > 0) {
        lull_dap_output(p, "stdout", text, (size_t)got);
    }
    return got > 0;
}

void lull_dap_printed(struct lull_dap *p)
{
    struct pollfd fd = {.fd = p->host->printed, .events = POLLIN};
    while (fd.fd >= 0 && poll(&fd, 1, 0) > 0 && forward(p)) {
    }
}

struct lull_error *lull_dap_listen(struct lull_dap *p, int ms)
{
    const bool printed = p->host->printed >= 0;
    struct pollfd fds[2] = {{.fd = p->wire.ended ? -1 : p->wire.in, .events = POLLIN},
                            {.fd = printed ? p->host->printed : -1, .events = POLLIN}};
    if (poll(fds, 2, ms) < 0) {
        return errno == EINTR ? NULL : lull_error_os(errno, "poll");
    }
    if ((fds[1].revents & POLLIN) != 0) {
        (void)forward(p);
    }
    return fds[0].revents != 0 ? fill(&p->wire) : NULL;
}

/** The header: bytes of it, and of the message. @p ret_size 0: it is not whole. */
LULL_MUST_USE static struct lull_error *header(const struct lull_dap_wire *w, size_t *ret_header,
                                               size_t *ret_size)
{
    static const char key[] = "Content-Length:";
    const char *end = w->n != 0 ? memmem(w->bytes, w->n, "\r\n\r\n", 4) : NULL;
    bool known = false;
    *ret_size = 0;
    if (end == NULL) {
        return w->n > MAX_HEADER
                   ? lull_error_new(LULL_ERR_BAD_DATA,
                                    "offset %" PRIu64 ": no end of a header in %d bytes", w->taken,
                                    MAX_HEADER)
                   : NULL;
    }
    *ret_header = (size_t)(end + 4 - w->bytes);
    for (const char *at = w->bytes; at < end;) {
        const char *stop = memmem(at, (size_t)(end + 2 - at), "\r\n", 2);
        if (strncasecmp(at, key, sizeof key - 1) == 0) {
            char *behind = NULL;
            errno = 0;
            const unsigned long n = strtoul(at + sizeof key - 1, &behind, 10);
            known = errno == 0 && behind == stop && n > 0 && n <= LULL_DAP_MAX_MESSAGE;
            *ret_size = n;
        }
        at = stop + 2;
    }
    return known
               ? NULL
               : lull_error_new(LULL_ERR_BAD_DATA,
                                "offset %" PRIu64 ": no Content-Length from 1 to %d in the header",
                                w->taken, LULL_DAP_MAX_MESSAGE);
}

struct lull_error *lull_dap_take(struct lull_dap_wire *w, json_t **ret)
{
    size_t head = 0, size = 0;
    struct lull_error *err = header(w, &head, &size);
    *ret = NULL;
    if (err != NULL || size == 0 || w->n - head < size) {
        return err;
    }
    json_error_t why;
    json_t *message = json_loadb(w->bytes + head, size, 0, &why);
    if (!json_is_object(message)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "offset %" PRIu64 ": %s",
                             w->taken + head + (message == NULL ? (uint64_t)why.position : 0),
                             message == NULL ? why.text : "not an object");
        json_decref(message);
        return err;
    }
    w->taken += head + size;
    w->n -= head + size;
    memmove(w->bytes, w->bytes + head + size, w->n);
    *ret = message;
    return NULL;
}

static void put(struct lull_dap_wire *w, const char *text, size_t size)
{
    while (size != 0) {
        const ssize_t n = write(w->out, text, size);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            w->ended = true; // Nobody listens any more.
            return;
        }
        text += n;
        size -= (size_t)n;
    }
}

/** Takes @p message. */
static void send(struct lull_dap_wire *w, json_t *message)
{
    char head[64] = "";
    json_object_set_new(message, "seq", json_integer(++w->seq));
    lull_cleanup(lull_freep) char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (text == NULL) {
        return;
    }
    const int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", strlen(text));
    put(w, head, (size_t)n);
    put(w, text, strlen(text));
}

void lull_dap_event(struct lull_dap *p, const char *event, json_t *body)
{
    json_t *m = json_pack("{s:s,s:s}", "type", "event", "event", event);
    if (body != NULL) {
        json_object_set_new(m, "body", body);
    }
    send(&p->wire, m);
}

void lull_dap_answer(struct lull_dap *p, const json_t *request, json_t *body,
                     const struct lull_error *err)
{
    json_t *m = json_pack("{s:s,s:b}", "type", "response", "success", err == NULL);
    json_t *seq = json_object_get(request, "seq"), *command = json_object_get(request, "command");
    json_object_set_new(m, "request_seq",
                        json_is_integer(seq) ? json_incref(seq) : json_integer(0));
    json_object_set_new(m, "command",
                        json_is_string(command) ? json_incref(command) : json_string(""));
    if (err != NULL) {
        json_t *text = json_string(lull_error_message(err));
        text = text != NULL ? text : json_string("an error whose text is not UTF-8");
        // A client shows what it could not evaluate where that was asked.
        const char *name = json_string_value(command);
        const int pops_up = name == NULL || strcmp(name, "evaluate") != 0;
        json_decref(body);
        body = json_pack("{s:{s:i,s:s,s:{s:O},s:b}}", "error", "id", 1, "format", "{text}",
                         "variables", "text", text, "showUser", pops_up);
        json_object_set_new(m, "message", text);
    }
    json_object_set_new(m, "body", body);
    send(&p->wire, m);
}

void lull_dap_output(struct lull_dap *p, const char *category, const char *text, size_t size)
{
    json_t *s = json_stringn(text, size);
    if (s == NULL) { // Not UTF-8.
        lull_cleanup(lull_str_free) struct lull_str shown = {0};
        lull_str_printable(&shown, text, size);
        s = json_string(lull_str_text(&shown));
    }
    lull_dap_event(p, "output", json_pack("{s:s,s:o}", "category", category, "output", s));
}
