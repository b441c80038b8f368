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

/** ADDR:SIZE. */
LULL_MUST_USE static struct lull_error *range(struct lull_replay_predicate *p, const char *option,
                                              const char *text)
{
    char address[32] = "", size[32] = "";
    uint64_t n = 0;
    if (sscanf(text, "%31[^:]:%31s", address, size) != 2) {
        return lull_error_new(LULL_ERR_INVALID, "%s: 'differs %s' is not differs ADDR:SIZE", option,
                              text);
    }
    struct lull_error *err = lull_opt_number(option, address, 0, UINT64_MAX, &p->address);
    err = err != NULL ? err : lull_opt_number(option, size, 1, UINT32_MAX, &n);
    p->size = (uint32_t)n;
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
    } else if (strcmp(text, "differs") == 0) {
        p->kind = LULL_REPLAY_DIFFERS;
    } else if (strncmp(text, "differs ", 8) == 0) {
        p->kind = LULL_REPLAY_DIFFERS;
        return range(p, option, text + 8);
    } else if (strncmp(text, "exit ", 5) == 0 && text[5] != '\0') {
        p->kind = LULL_REPLAY_EXIT;
        p->command = text + 5;
    } else {
        return lull_error_new(LULL_ERR_INVALID,
                              "%s: '%s' is none of fault, hang, 'bytes ADDR:SIZE=HEX', 'exit CMD', "
                              "differs",
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

/** Memory of @p r that @p p compares, one piece for each @p i. False: no more. */
static bool piece(const struct lull_replay_predicate *p, const struct lull_replay *r, size_t i,
                  struct lull_rp_buffer *ret)
{
    uint64_t start = 0, size = 0, left = 0;
    *ret = (struct lull_rp_buffer){0};
    if (!lull_rp_device_buffer(r->device, i, &start, &size)) {
        return false;
    }
    const uint64_t end = p->size != 0 ? p->address + p->size : UINT64_MAX;
    const uint64_t from = p->size != 0 && p->address > start ? p->address : start;
    const uint64_t to = start + size < end ? start + size : end;
    if (from < to) {
        *ret = (struct lull_rp_buffer){
            .address = from,
            .size = (uint32_t)(to - from),
            .held = (uint32_t)(to - from),
            .data = (uint8_t *)lull_rp_device_memory(r->device, from, &left)};
    }
    return true;
}

LULL_MUST_USE static struct lull_error *keep(struct lull_replay_after *a,
                                             const struct lull_replay_predicate *p,
                                             const struct lull_replay *r,
                                             enum lull_replay_result result)
{
    struct lull_replay_after_submit *grown = realloc(a->submits, (a->n + 1) * sizeof *grown);
    struct lull_rp_buffer b = {0};
    struct lull_error *err = NULL;
    if (grown == NULL) {
        return &lull_enomem;
    }
    a->submits = grown;
    struct lull_replay_after_submit *s = &grown[a->n++];
    *s = (struct lull_replay_after_submit){.result = result};
    for (size_t i = 0; p->kind == LULL_REPLAY_DIFFERS && err == NULL && piece(p, r, i, &b); i++) {
        err = lull_rp_submit_add(&s->memory, &b);
    }
    return err;
}

static bool same_bytes(const struct lull_replay_predicate *p, const struct lull_rp_buffer *now,
                       const uint8_t *then)
{
    for (uint32_t i = 0; p->garbage != NULL && i < now->size; i++) {
        if (now->data[i] != then[i] && (now->data[i] != 0xff || then[i] != 0 ||
                                        !lull_rp_zero_pages_has(p->garbage, now->address + i))) {
            return false;
        }
    }
    return p->garbage != NULL || memcmp(now->data, then, now->size) == 0;
}

/** Is the @p n th submit that was replayed as it was? */
static bool same(const struct lull_replay_predicate *p, const struct lull_replay *r, size_t n,
                 enum lull_replay_result result)
{
    if (n >= p->after->n) {
        return false;
    }
    const struct lull_replay_after_submit *s = &p->after->submits[n];
    struct lull_rp_buffer b = {0};
    bool same = s->result == result;
    for (size_t i = 0; same && piece(p, r, i, &b); i++) {
        same = i < s->memory.nbuffers && s->memory.buffers[i].address == b.address &&
               s->memory.buffers[i].size == b.size &&
               (b.size == 0 || same_bytes(p, &b, s->memory.buffers[i].data));
    }
    return same;
}

struct lull_error *lull_replay_after_read(struct lull_replay_after *a,
                                          const struct lull_replay_predicate *p,
                                          const struct lull_replay_how *how,
                                          const struct lull_rp_capture *c)
{
    struct lull_replay r = {.how = *how};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < c->nsubmits; i++) {
        struct lull_replay_outcome o = {0};
        err = r.k == NULL ? lull_replay_open(&r, &c->submits[i]) : NULL;
        err = err != NULL ? err : lull_replay_submit(&r, &c->submits[i], &o);
        err = err != NULL ? err : keep(a, p, &r, o.result);
        lull_replay_outcome_done(&o);
    }
    lull_replay_close(&r);
    return err;
}

void lull_replay_after_done(struct lull_replay_after *a)
{
    for (size_t i = 0; i < a->n; i++) {
        lull_rp_submit_done(&a->submits[i].memory);
    }
    free(a->submits);
    *a = (struct lull_replay_after){0};
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
        *ret_has |= err == NULL && p->kind == LULL_REPLAY_DIFFERS && !same(p, &r, i, o.result);
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
