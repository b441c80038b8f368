// SPDX-License-Identifier: MIT
#include "cli/run/crumbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adreno/crumbs/crumbs.h"
#include "vdrm/core/crumbs.h"

enum { MOST_TEXT = 128, MOST_PORT = 65535 };

const struct lull_opt lull_crumbs_opts[] = {
    {"--crumbs", NULL, "IP:PORT[,break=N:HITS]",
     "send a number by UDP before and after each draw, dispatch and blit, as Turnip does, for "
     "`lull crumbs listen`; from crumb N on, once it came HITS times before, the GPU stands until "
     "the number comes back, or a line on the terminal",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_crumbs_wanted, to)},
    {"--crumbs-at", NULL, "draws|packets", "with --crumbs: all packets but NOP, not only those",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_crumbs_wanted, packets)},
    {0},
};

struct lull_crumbs_sender {
    struct lull_kernel *k;
    int fd, terminal; ///< terminal: -1: there is none.
    struct lull_crumbs crumbs;
    /* Of the kernel's thread and ours. */
    pthread_mutex_t m;
    bool stands, asked, lost; ///< lost: a datagram could not be sent; asked, lost: it was said.
    int why;                  ///< errno of that.
    uint32_t number;          ///< That it stands at.
};

/** A crumb came; with the kernel's lock. @return False: the GPU stands. */
static bool came(void *ctx, const struct lull_vd_crumb *c)
{
    struct lull_crumbs_sender *s = ctx;
    uint8_t bytes[LULL_CRUMB_BYTES];
    struct lull_crumb taken = {0};
    lull_crumb_put(c->number, bytes);
    struct lull_error *err = lull_crumbs_take(&s->crumbs, bytes, sizeof bytes, &taken);
    lull_error_free(err); // too many to count: it is sent all the same
    ssize_t n = send(s->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && errno == ECONNREFUSED) { // of the one before
        n = send(s->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    }
    pthread_mutex_lock(&s->m);
    if (n < 0 && !s->lost) {
        s->why = errno;
    }
    s->stands = taken.breaks;
    s->asked = false;
    s->number = c->number;
    pthread_mutex_unlock(&s->m);
    return !taken.breaks;
}

/** Has the number @p n come back? All that came is taken. */
static bool back(const struct lull_crumbs_sender *s, uint32_t n)
{
    uint8_t want[LULL_CRUMB_BYTES], got[MOST_TEXT];
    bool any = false;
    ssize_t size = 0;
    lull_crumb_put(n, want);
    while ((size = recv(s->fd, got, sizeof got, MSG_DONTWAIT)) >= 0) {
        any = any || (size == sizeof want && memcmp(want, got, sizeof want) == 0);
    }
    return any;
}

static bool line(struct lull_crumbs_sender *s)
{
    char text[MOST_TEXT];
    struct pollfd fd = {.fd = s->terminal, .events = POLLIN};
    if (s->terminal < 0 || poll(&fd, 1, 0) <= 0) {
        return false;
    }
    const ssize_t n = read(s->terminal, text, sizeof text);
    if (n <= 0) {
        close(s->terminal);
        s->terminal = -1;
    }
    return n > 0 && memchr(text, '\n', (size_t)n) != NULL;
}

bool lull_crumbs_serve(struct lull_crumbs_sender *s)
{
    if (s == NULL) {
        return false;
    }
    pthread_mutex_lock(&s->m);
    const bool stands = s->stands, ask = stands && !s->asked, say = s->why != 0 && !s->lost;
    const uint32_t number = s->number;
    const int why = s->why;
    s->asked = s->asked || ask;
    s->lost = s->lost || say;
    pthread_mutex_unlock(&s->m);
    if (say) {
        fprintf(stderr, "lull exec: --crumbs: %s\n", strerror(why));
    }
    if (ask) {
        fprintf(stderr, "lull exec: the GPU is on crumb %" PRIu32 ": %s\n", number,
                s->terminal >= 0 ? "Enter lets it go on" : "it waits for the ack");
    }
    if (!stands || !(back(s, number) || line(s))) {
        return stands;
    }
    pthread_mutex_lock(&s->m);
    s->stands = false;
    pthread_mutex_unlock(&s->m);
    lull_vd_crumbs_go(s->k);
    return true;
}

void lull_crumbs_tell(struct lull_crumbs_sender *s)
{
    struct lull_vd_crumb last = {0};
    struct lull_str text = {0};
    bool hang = false;
    if (s != NULL && lull_vd_crumbs_last(s->k, &last, &hang)) {
        lull_vd_crumb_text(&last, &text);
        fprintf(stderr, "lull exec: %s crumb %" PRIu32 ", %s\n",
                hang ? "the GPU hung at" : "the last is", last.number, lull_str_text(&text));
    }
    lull_str_free(&text);
}

void lull_crumbs_sender_free(struct lull_crumbs_sender *s)
{
    if (s == NULL) {
        return;
    }
    if (s->fd >= 0) {
        close(s->fd);
    }
    if (s->terminal >= 0) {
        close(s->terminal);
    }
    lull_crumbs_done(&s->crumbs);
    pthread_mutex_destroy(&s->m);
    free(s);
}

LULL_MUST_USE static struct lull_error *address(const char *text, struct sockaddr_in *ret)
{
    char ip[INET_ADDRSTRLEN] = "";
    const char *colon = strchr(text, ':');
    uint64_t port = 0;
    *ret = (struct sockaddr_in){.sin_family = AF_INET};
    if (colon != NULL && (size_t)(colon - text) < sizeof ip) {
        memcpy(ip, text, (size_t)(colon - text));
    }
    struct lull_error *err =
        inet_pton(AF_INET, ip, &ret->sin_addr) == 1
            ? lull_opt_number("PORT", colon + 1, 1, MOST_PORT, &port)
            : lull_error_new(LULL_ERR_INVALID,
                             "'%s': an address and a port, as 127.0.0.1:9000,break=-1:0", text);
    ret->sin_port = htons((uint16_t)port);
    return err;
}

/** "IP:PORT[,break=N:HITS]" */
LULL_MUST_USE static struct lull_error *parse(struct lull_crumbs_sender *s, const char *to,
                                              struct sockaddr_in *ret)
{
    static const char word[] = ",break=";
    char text[MOST_TEXT] = "";
    if (strlen(to) >= sizeof text) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': too long", to);
    }
    memcpy(text, to, strlen(to));
    char *stop = strchr(text, ',');
    if (stop != NULL && strncmp(stop, word, sizeof word - 1) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "'%s': behind the port comes ,break=N:HITS", to);
    }
    if (stop != NULL) {
        *stop = '\0';
    }
    struct lull_error *err = address(text, ret);
    return err != NULL || stop == NULL ? err
                                       : lull_crumbs_break(&s->crumbs, stop + sizeof word - 1);
}

struct lull_error *lull_crumbs_send(struct lull_kernel *k, const struct lull_crumbs_wanted *w,
                                    struct lull_crumbs_sender **ret)
{
    struct sockaddr_in to = {0};
    *ret = NULL;
    if (w->to == NULL) {
        return w->packets == 0 ? NULL
                               : lull_error_new(LULL_ERR_INVALID, "--crumbs-at needs --crumbs");
    }
    struct lull_crumbs_sender *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    *s = (struct lull_crumbs_sender){.k = k, .fd = -1, .terminal = -1};
    pthread_mutex_init(&s->m, NULL);
    struct lull_error *err = lull_error_in(parse(s, w->to, &to), "--crumbs");
    if (err == NULL) {
        s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (s->fd < 0 || connect(s->fd, (struct sockaddr *)&to, sizeof to) != 0) {
            err = lull_error_os(errno, "--crumbs %s", w->to);
        }
    }
    if (err == NULL && s->crumbs.has_break) {
        s->terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    const struct lull_vd_crumbs_to came_to = {.ctx = s, .packets = w->packets != 0, .came = came};
    err = err != NULL ? err : lull_vd_crumbs_on(k, &came_to);
    if (err != NULL) {
        lull_crumbs_sender_free(s);
        return err;
    }
    *ret = s;
    return NULL;
}
