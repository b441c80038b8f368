// SPDX-License-Identifier: MIT
// lull dap: the debugger for editors, on standard input and output or on one TCP connection.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/run/debug_open.h"
#include "cli/run/loopback.h"
#include "cli/run/vsix.h"
#include "debug/dap/dap.h"

enum { NO_PORT = 65536 };

struct dap {
    unsigned port;
    const char *token;
    const char *vsix;
    char made[LULL_TOKEN_ROOM]; ///< A token of our own.
    struct lull_debug_opened *opened;
};

static const struct lull_opt opts[] = {
    {"--port", NULL, "N",
     "listen on 127.0.0.1 for one client, on a port of its own or, with 0, on one that is free;\n"
     "standard error says which",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct dap, port), .max = 65535},
    {"--token", NULL, "TEXT",
     "with --port: what the client must say as 'token' when it launches; if not given, one is\n"
     "made and printed",
     LULL_OPT_TEXT, LULL_OPT_AT(struct dap, token)},
    {"--vsix", NULL, "FILE",
     "only write the extension of VS Code that starts this lull; 'code --install-extension FILE'\n"
     "installs it",
     LULL_OPT_OUT, LULL_OPT_AT(struct dap, vsix)},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *open_debug(void *ctx, int argc, char **argv,
                                                   struct lull_debug **ret)
{
    struct dap *d = ctx;
    return lull_debug_opened_new(argc, argv, &d->opened, ret);
}

static void close_debug(void *ctx)
{
    struct dap *d = ctx;
    lull_debug_opened_free(d->opened);
    d->opened = NULL;
}

static void after(void *ctx)
{
    struct dap *d = ctx;
    if (d->opened != NULL) {
        lull_debug_opened_after(d->opened);
    }
}

static void nothing(int sig)
{
    (void)sig;
}

/** A descriptor of its own of @p fd, which programs do not inherit. */
LULL_MUST_USE static struct lull_error *own(int fd, int *ret)
{
    *ret = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return *ret >= 0 ? NULL : lull_error_os(errno, "descriptor %d", fd);
}

/** A client on 127.0.0.1. */
LULL_MUST_USE static struct lull_error *listen_for(struct dap *d, int *ret)
{
    unsigned port = 0;
    lull_cleanup(lull_closep) int s = -1;
    struct lull_error *err = NULL;
    if (d->token == NULL) {
        err = lull_loopback_token(d->made);
        d->token = d->made;
    }
    err = err != NULL ? err : lull_loopback_listen(d->port, 1, &s, &port);
    if (err != NULL) {
        return err;
    }
    fprintf(stderr, "lull dap: 127.0.0.1:%u", port);
    fprintf(stderr, d->token == d->made ? ", token %s\n" : "\n", d->token);
    *ret = accept4(s, NULL, NULL, SOCK_CLOEXEC);
    return *ret >= 0 ? NULL : lull_error_os(errno, "127.0.0.1:%u", d->port);
}

/** What anybody prints to standard output goes into a pipe, whose end is @p ret: the client gets it
 * as events. Standard input is empty. */
LULL_MUST_USE static struct lull_error *take_output(int *ret)
{
    lull_cleanup(lull_closep) int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return lull_error_os(errno, "pipe");
    }
    const bool bad = dup2(ends[1], STDOUT_FILENO) < 0 || empty < 0 ||
                     dup2(empty, STDIN_FILENO) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0;
    const int why = errno;
    close(ends[1]);
    *ret = ends[0];
    return bad ? lull_error_os(why, "standard output") : NULL;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    const struct sigaction ignore = {.sa_handler = nothing}; // Programs do not inherit it.
    struct dap d = {.port = NO_PORT};
    lull_cleanup(lull_closep) int in = -1, out = -1, printed = -1;
    struct lull_error *err = lull_opt_parse(form, &d, argc, argv);
    if (err == NULL && d.port == NO_PORT && d.token != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--token is for --port");
    }
    if (err == NULL && d.vsix != NULL && d.port != NO_PORT) {
        err = lull_error_new(LULL_ERR_INVALID, "--vsix writes a file and serves nobody: no --port");
    }
    if (err != NULL || d.vsix != NULL) {
        return err != NULL ? err : lull_vsix_write(d.vsix);
    }
    sigaction(SIGPIPE, &ignore, NULL);
    if (err == NULL && d.port != NO_PORT) {
        err = listen_for(&d, &in);
        err = err != NULL ? err : own(in, &out);
    } else if (err == NULL) {
        err = own(STDIN_FILENO, &in);
        err = err != NULL ? err : own(STDOUT_FILENO, &out);
    }
    err = err != NULL ? err : take_output(&printed);
    if (err == NULL) {
        const struct lull_dap_host host = {.in = in,
                                           .out = out,
                                           .printed = printed,
                                           .token = d.token,
                                           .open = open_debug,
                                           .close = close_debug,
                                           .after = after,
                                           .ctx = &d};
        err = lull_dap_serve(&host, status);
    }
    lull_debug_opened_free(d.opened);
    return err;
}

static const struct lull_form form = {.groups = groups, .run = run};

const struct lull_command lull_cli_dap = {
    .name = "dap",
    .help = "the debugger for editors, by the debug adapter protocol",
    .about = "Serve one client, as VS Code, on standard input and output, or on a TCP port of this "
             "machine. What is debugged is what lull debug debugs: the client's `launch` says "
             "'kernel', 'program' or 'capture', `attach` says 'socket'.",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after =
        "  {\"type\": \"lull\", \"request\": \"launch\", \"kernel\": \"v.cl\", \"grid\": [64],\n"
        "   \"args\": [\"zeros:256:name=out\"], \"stopOnEntry\": true}",
};
