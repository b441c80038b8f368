// SPDX-License-Identifier: MIT
// Receives crumbs over UDP, counts them, and asks before one is acknowledged.
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adreno/crumbs/crumbs.h"
#include "base/json.h"
#include "cli/adreno/crumbs.h"

enum { DATAGRAM = 65536, ROOM = 8 << 20, MS = 1000, MOST_S = 1 << 20, MOST_PORT = 65535 };

struct args {
    const char *at, *stop;
    uint64_t count, timeout;
    bool json;
};

struct listener {
    const struct args *a;
    struct lull_crumbs crumbs;
    int fd, signals;
    bool waits; ///< For the user: `pending` needs an ack.
    bool deaf;  ///< Standard input has ended.
    uint32_t pending;
    struct sockaddr_in from; ///< Its sender.
    uint64_t bad;            ///< Datagrams that were refused.
    int status;
    bool end;
};

/** "9000" or "127.0.0.1:9000". */
LULL_MUST_USE static struct lull_error *address(const char *text, struct sockaddr_in *ret)
{
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    char ip[INET_ADDRSTRLEN] = "0.0.0.0";
    struct lull_error *err =
        lull_opt_number("PORT", colon != NULL ? colon + 1 : text, 0, MOST_PORT, &port);
    if (err == NULL && colon != NULL) {
        (void)snprintf(ip, sizeof ip, "%.*s", (int)(colon - text), text);
    }
    *ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (err == NULL && ((colon != NULL && (size_t)(colon - text) >= sizeof ip) ||
                        inet_pton(AF_INET, ip, &ret->sin_addr) != 1)) {
        err =
            lull_error_new(LULL_ERR_INVALID, "'%s': an address as 127.0.0.1:9000, or a port", text);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *open_socket(struct listener *l)
{
    struct sockaddr_in at = {0};
    socklen_t size = sizeof at;
    struct lull_error *err = address(l->a->at, &at);
    if (err != NULL) {
        return err;
    }
    l->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int room = ROOM; // crumbs may come in thousands, faster than they are printed
    (void)setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (l->fd < 0 || bind(l->fd, (struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(l->fd, (struct sockaddr *)&at, &size) != 0) {
        return lull_error_os(errno, "UDP %s", l->a->at);
    }
    fprintf(stderr, "lull crumbs: listening on UDP port %u\n", (unsigned)ntohs(at.sin_port));
    return NULL;
}

static void say(struct listener *l, const struct lull_crumb *c)
{
    if (!l->a->json) {
        printf("%" PRIu32 ":%" PRIu64 "\n", c->number, c->times);
    } else {
        struct lull_str out = {0};
        struct lull_json j = {.out = &out};
        lull_json_open(&j, '{');
        lull_json_put_u64(&j, "crumb", c->number);
        lull_json_put_u64(&j, "times", c->times);
        lull_json_put_bool(&j, "break", c->breaks);
        lull_json_close(&j, '}');
        puts(lull_str_text(&out));
        lull_str_free(&out);
    }
    (void)fflush(stdout);
}

/** The user lets the GPU go on. */
static void acknowledge(struct listener *l)
{
    uint8_t bytes[LULL_CRUMB_BYTES];
    lull_crumb_put(l->pending, bytes);
    if (sendto(l->fd, bytes, sizeof bytes, 0, (struct sockaddr *)&l->from, sizeof l->from) < 0) {
        fprintf(stderr, "lull crumbs: the ack of crumb %" PRIu32 ": %s\n", l->pending,
                strerror(errno));
    }
    l->waits = false;
}

static void one(struct listener *l, const struct lull_crumb *c)
{
    say(l, c);
    if (c->breaks) {
        l->waits = true;
        l->pending = c->number;
        fprintf(stderr, "the GPU is on crumb %" PRIu32 ": Enter lets it go on\n", c->number);
    }
    l->end |= l->a->count != 0 && l->crumbs.came == l->a->count;
}

/** A datagram: all crumbs in it. */
static void receive(struct listener *l)
{
    static const char no[] = "lull crumbs: left out: %s\n";
    uint8_t *data = malloc(DATAGRAM);
    socklen_t size = sizeof l->from;
    ssize_t n =
        data == NULL ? -1 : recvfrom(l->fd, data, DATAGRAM, 0, (struct sockaddr *)&l->from, &size);
    size_t at = 0;
    do {
        struct lull_crumb c = {0};
        struct lull_error *err = n < 0
                                     ? lull_error_os(data == NULL ? ENOMEM : errno, "UDP")
                                     : lull_crumbs_take(&l->crumbs, data + at, (size_t)n - at, &c);
        if (err != NULL) {
            fprintf(stderr, no, lull_error_message(err));
            l->bad++;
            lull_error_free(err);
            break;
        }
        one(l, &c);
        at += LULL_CRUMB_BYTES;
    } while (at < (size_t)n && !l->end);
    free(data);
}

/** A line of the terminal. */
static void answer(struct listener *l)
{
    char text[256];
    const ssize_t n = read(STDIN_FILENO, text, sizeof text);
    l->deaf = n <= 0;
    if (n > 0 && memchr(text, '\n', (size_t)n) != NULL && l->waits) {
        acknowledge(l);
    }
}

static void serve(struct listener *l)
{
    const int wait = l->a->timeout != 0 ? (int)(l->a->timeout * MS) : -1;
    while (!l->end) {
        struct pollfd fds[] = {{.fd = l->fd, .events = POLLIN},
                               {.fd = l->signals, .events = POLLIN},
                               {.fd = l->waits && !l->deaf ? STDIN_FILENO : -1, .events = POLLIN}};
        const int n = poll(fds, sizeof fds / sizeof fds[0], wait);
        if (n == 0) {
            l->status = l->crumbs.came != 0 ? LULL_EXIT_CLEAN : LULL_EXIT_TIMEOUT;
            l->end = true;
        } else if (fds[1].revents != 0) {
            struct signalfd_siginfo info; // taken: unblocked, it would end the process
            (void)!read(l->signals, &info, sizeof info);
            l->status = l->crumbs.came != 0 ? LULL_EXIT_CLEAN : LULL_EXIT_INTERRUPTED;
            l->end = true;
        } else if (n > 0 && fds[0].revents != 0) {
            receive(l);
        } else if (n > 0 && fds[2].revents != 0) {
            answer(l);
        }
    }
    if (l->crumbs.came != 0) {
        fprintf(stderr,
                "lull crumbs: the last is crumb %" PRIu32 "; lull crumbs where %" PRIu32
                " CAPTURE.rd finds its packet\n",
                l->crumbs.last, l->crumbs.last);
    }
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct args a = {0};
    struct listener l = {.a = &a, .fd = -1, .signals = -1};
    sigset_t set, old;
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    if (err == NULL && a.stop != NULL) {
        err = lull_error_in(lull_crumbs_break(&l.crumbs, a.stop), "--break");
    }
    if (err != NULL) {
        return err;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &set, &old);
    l.signals = signalfd(-1, &set, SFD_CLOEXEC);
    err = l.signals < 0 ? lull_error_os(errno, "signals") : open_socket(&l);
    if (err == NULL) {
        serve(&l);
        *status = l.status;
    }
    if (l.fd >= 0) {
        close(l.fd);
    }
    if (l.signals >= 0) {
        close(l.signals);
    }
    lull_crumbs_done(&l.crumbs);
    (void)sigprocmask(SIG_SETMASK, &old, NULL);
    return err;
}

static const struct lull_opt opts[] = {
    {"--break", NULL, "N:HITS",
     "from crumb N on, once it came HITS times before, ask before each is acknowledged",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, stop)},
    {"--count", NULL, "N", "end after so many crumbs", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, count)},
    {"--timeout", NULL, "S", "end when none came for so many seconds", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, timeout), .min = 1, .max = MOST_S},
    {"--json", NULL, NULL, "an object for each crumb", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, json)},
    {"[IP:]PORT", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct args, at), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

const struct lull_form lull_cli_crumbs_listen = {
    .word = "listen",
    .about = "listen prints each crumb that a sender (TU_BREADCRUMBS of Turnip) sends by UDP, as "
             "NUMBER:TIMES, where TIMES is how often it came before.",
    .groups = groups,
    .run = run,
};
