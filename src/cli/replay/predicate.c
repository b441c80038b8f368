// SPDX-License-Identifier: MIT
#include "cli/replay/predicate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/opt/opt.h"

/** ADDR:SIZE=HEX, of SIZE pairs of digits. */
LULL_MUST_USE static struct lull_error *bytes(struct lull_replay_predicate *p, const char *option,
                                              const char *text)
{
    char address[32] = "", size[32] = "";
    uint64_t n = 0;
    int at = 0;
    if (sscanf(text, "%31[^:=]:%31[^=]=%n", address, size, &at) != 2 || at == 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: 'bytes %s' is not bytes ADDR:SIZE=HEX", option,
                              text);
    }
    struct lull_error *err = lull_opt_number(option, address, 0, UINT64_MAX, &p->address);
    err = err != NULL ? err : lull_opt_number(option, size, 1, LULL_REPLAY_BYTES, &n);
    for (p->size = 0; err == NULL && p->size < n; p->size++, at += 2) {
        unsigned value = 0;
        int used = 0;
        if (sscanf(text + at, "%2x%n", &value, &used) != 1 || used != 2) {
            return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not %u bytes in hexadecimal",
                                  option, text, (unsigned)n);
        }
        p->bytes[p->size] = (uint8_t)value;
    }
    if (err == NULL && text[at] != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "%s: '%s' has more than %u bytes", option, text,
                             (unsigned)n);
    }
    return err;
}

struct lull_error *lull_replay_predicate_parse(struct lull_replay_predicate *p, const char *option,
                                               const char *text)
{
    if (strcmp(text, "fault") == 0) {
        p->kind = LULL_REPLAY_FAULTS;
    } else if (strcmp(text, "hang") == 0) {
        p->kind = LULL_REPLAY_HANGS;
    } else if (strncmp(text, "bytes ", 6) == 0) {
        p->kind = LULL_REPLAY_HAS;
        return bytes(p, option, text + 6);
    } else if (strncmp(text, "exit ", 5) == 0 && text[5] != '\0') {
        p->kind = LULL_REPLAY_EXIT;
        p->command = text + 5;
    } else {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: '%s' is none of fault, hang, 'bytes ADDR:SIZE=HEX', 'exit CMD'",
                              option, text);
    }
    return NULL;
}

/** Where a submit faulted or hung, as @p p asks; "": it did not. */
static void where(const struct lull_replay_predicate *p, const struct lull_replay_outcome *o,
                  char ret[LULL_REPLAY_WHERE])
{
    const char *fault = strstr(lull_str_text(&o->log), "*** gpu fault");
    const char *iova = fault != NULL ? strstr(fault, "iova=") : NULL;
    ret[0] = '\0';
    if (p->kind == LULL_REPLAY_FAULTS && iova != NULL) {
        (void)snprintf(ret, LULL_REPLAY_WHERE, "%.*s", (int)strcspn(iova, " \n"), iova);
    } else if (p->kind == LULL_REPLAY_HANGS && o->result == LULL_REPLAY_HANG) {
        (void)snprintf(ret, LULL_REPLAY_WHERE, "%s%s", o->place != NULL ? o->place : "hang",
                       o->faults != 0 ? " with faults" : "");
    }
}

/** @p ret: where it faulted or hung: at p->where, if it did so there, else where it did first. */
LULL_MUST_USE static struct lull_error *replayed(const struct lull_replay_predicate *p,
                                                 const struct lull_replay_how *how,
                                                 const struct lull_rp_capture *c, bool *ret_has,
                                                 char ret[LULL_REPLAY_WHERE])
{
    struct lull_replay r = {.how = *how};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < c->nsubmits; i++) {
        struct lull_replay_outcome o = {0};
        char here[LULL_REPLAY_WHERE] = "";
        if (c->submits[i].nstreams == 0) {
            continue;
        }
        err = r.k == NULL ? lull_replay_open(&r, &c->submits[i]) : NULL;
        err = err != NULL ? err : lull_replay_submit(&r, &c->submits[i], &o);
        where(p, &o, here);
        if (here[0] != '\0' && (ret[0] == '\0' || strcmp(here, p->where) == 0)) {
            memcpy(ret, here, sizeof here);
        }
        lull_replay_outcome_done(&o);
    }
    if (err == NULL && p->kind == LULL_REPLAY_HAS && r.device != NULL) {
        uint64_t left = 0;
        const uint8_t *at = lull_rp_device_memory(r.device, p->address, &left);
        *ret_has = at != NULL && left >= p->size && memcmp(at, p->bytes, p->size) == 0;
    }
    lull_replay_close(&r);
    return err;
}

/** The command's exit status; it sees nothing of standard input, and of its output there is only
 * that on standard error. */
static int run(const char *command, const char *file)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
        (void)execl("/bin/sh", "sh", "-c", command, "sh", file, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

LULL_MUST_USE static struct lull_error *by_command(const struct lull_replay_predicate *p,
                                                   const struct lull_rp_capture *c, bool *ret)
{
    struct lull_replay_temp t = {{0}, {0}};
    struct lull_str text = {0};
    struct lull_error *err = lull_replay_temp_new(&t);
    if (err != NULL) {
        return err;
    }
    lull_rp_capture_put(c, &text);
    err = text.err != NULL ? &lull_enomem : lull_output_write(t.file, text.text, text.size);
    *ret = err == NULL && run(p->command, t.file) == 0;
    lull_replay_temp_done(&t);
    lull_str_free(&text);
    return err;
}

struct lull_error *lull_replay_predicate_test(const struct lull_replay_predicate *p,
                                              const struct lull_replay_how *how,
                                              const struct lull_rp_capture *c, bool *ret)
{
    char at[LULL_REPLAY_WHERE] = "";
    bool has = false;
    if (p->kind == LULL_REPLAY_EXIT) {
        return by_command(p, c, ret);
    }
    struct lull_error *err = replayed(p, how, c, &has, at);
    *ret = has || (at[0] != '\0' && (p->where[0] == '\0' || strcmp(at, p->where) == 0));
    return err;
}

struct lull_error *lull_replay_predicate_place(struct lull_replay_predicate *p,
                                               const struct lull_replay_how *how,
                                               const struct lull_rp_capture *c)
{
    char at[LULL_REPLAY_WHERE] = "";
    bool has = false;
    if (p->kind == LULL_REPLAY_EXIT) {
        return NULL;
    }
    struct lull_error *err = replayed(p, how, c, &has, at);
    memcpy(p->where, at, sizeof at);
    return err;
}
