// SPDX-License-Identifier: MIT
#include "cli/replay/minimise.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ddmin.h"
#include "base/json.h"
#include "base/output.h"

enum { HOLDS = 0, NOT = 1, MOST_JOBS = 64, MOST_SHOWN = 16 };

struct search {
    const struct lull_replay_minimise *m;
    struct lull_rp_capture *c;
    struct lull_rp_parts parts;
    unsigned gen;
    size_t jobs, tests;
    bool terminal;
    size_t before[LULL_RP_KINDS], after[LULL_RP_KINDS];
};

/** In a process of its own, whose memory is a copy: whatever happens there, it ends. */
static int child(const struct search *s, const struct lull_ddmin_set *set)
{
    bool holds = false;
    struct lull_error *err =
        set != NULL ? lull_rp_parts_keep(&s->parts, s->c, set->which, set->n) : NULL;
    err = err != NULL ? err : lull_replay_predicate_test(&s->m->holds, &s->m->how, s->c, &holds);
    return err == NULL && holds ? HOLDS : NOT;
}

static bool ended_well(pid_t pid)
{
    int status = 0;
    pid_t got = 0;
    while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
    }
    return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == HOLDS;
}

LULL_MUST_USE static struct lull_error *tests(void *ctx, const struct lull_ddmin_set *sets,
                                              size_t n, size_t *ret)
{
    struct search *s = ctx;
    pid_t pids[MOST_JOBS] = {0};
    struct lull_error *err = NULL;
    size_t started = 0, first = n;
    (void)fflush(NULL);
    for (; err == NULL && started < n; started++) {
        pids[started] = fork();
        if (pids[started] == 0) {
            _exit(child(s, sets != NULL ? &sets[started] : NULL));
        }
        if (pids[started] < 0) {
            err = lull_error_os(errno, "a process for a test");
            break;
        }
    }
    for (size_t i = 0; i < started; i++) {
        // Nobody asks any more; a command would leave what it made.
        if ((first < n || err != NULL) && s->m->holds.kind != LULL_REPLAY_EXIT) {
            (void)kill(pids[i], SIGKILL);
        }
        first = ended_well(pids[i]) && first == n ? i : first;
    }
    s->tests += started;
    if (s->terminal) {
        fprintf(stderr, "\r%zu tests, %s: %zu left   ", s->tests, lull_rp_kind_names[s->parts.kind],
                first < n && sets != NULL ? sets[first].n : s->parts.n);
    }
    *ret = first;
    return err;
}

/** Take away what is not needed of one kind. */
LULL_MUST_USE static struct lull_error *pass(struct search *s, enum lull_rp_kind kind)
{
    struct lull_error *err = lull_rp_parts_find(&s->parts, s->c, s->gen, kind);
    size_t n = s->parts.n, first = 1;
    size_t *which = err == NULL ? malloc((n + 1) * sizeof *which) : NULL;
    if (which == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        which[i] = i;
    }
    s->before[kind] = s->before[kind] != 0 ? s->before[kind] : n;
    if (n != 0 && (kind == LULL_RP_PACKETS || kind == LULL_RP_REGISTERS)) {
        const struct lull_ddmin_set none = {which, 0};
        err = tests(s, &none, 1, &first);
        n = first == 0 ? 0 : n;
    }
    err = err != NULL || n == 0 ? err : lull_ddmin_many(which, &n, s->jobs, tests, s);
    err = err != NULL ? err : lull_rp_parts_keep(&s->parts, s->c, which, n);
    s->after[kind] = n;
    free(which);
    return err;
}

/** Passes, until one over the packets takes nothing away. */
LULL_MUST_USE static struct lull_error *passes(struct search *s)
{
    struct lull_error *err = NULL;
    for (size_t left = SIZE_MAX; err == NULL && left != s->after[LULL_RP_PACKETS];) {
        left = s->after[LULL_RP_PACKETS];
        for (int kind = 0; err == NULL && kind < LULL_RP_KINDS; kind++) {
            err = pass(s, (enum lull_rp_kind)kind);
        }
    }
    return err;
}

static void tell_packets(const struct search *s, struct lull_str *out, struct lull_json *j)
{
    for (size_t i = 0; i < s->parts.n && (j != NULL || i < MOST_SHOWN); i++) {
        const struct lull_rp_part *p = &s->parts.all[i];
        if (j != NULL) {
            lull_json_open(j, '{');
            lull_json_put_hex(j, "address", p->address);
            lull_json_put_str(j, "packet", p->name != NULL ? p->name : "register write");
            lull_json_put_u64(j, "dwords", p->dwords);
            lull_json_close(j, '}');
        } else if (p->name != NULL) {
            lull_str_addf(out, "  0x%" PRIx64 " %s\n", p->address, p->name);
        } else {
            lull_str_addf(out,
                          "  0x%" PRIx64 " write of %" PRIu32 " register%s from 0x%" PRIx32 "\n",
                          p->address, p->dwords - 1, p->dwords == 2 ? "" : "s", p->reg);
        }
    }
    if (j == NULL && s->parts.n > MOST_SHOWN) {
        lull_str_addf(out, "  and %zu more\n", s->parts.n - MOST_SHOWN);
    }
}

LULL_MUST_USE static struct lull_error *tell(struct search *s)
{
    struct lull_str out = {0};
    struct lull_json j = {.out = &out};
    struct lull_error *err = lull_rp_parts_find(&s->parts, s->c, s->gen, LULL_RP_PACKETS);
    if (err != NULL) {
        return err;
    }
    if (s->m->json) {
        lull_json_open(&j, '{');
        for (int i = 0; i < LULL_RP_KINDS; i++) {
            lull_json_put_u64(&j, lull_rp_kind_names[i], s->after[i]);
        }
        lull_json_put_u64(&j, "tests", s->tests);
        lull_json_key(&j, "left");
        lull_json_open(&j, '[');
        tell_packets(s, &out, &j);
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(&out, "\n");
    } else {
        lull_str_addf(&out, "%s: ", s->m->out);
        for (int i = 0; i < LULL_RP_KINDS; i++) {
            lull_str_addf(&out, "%s%zu of %zu %s", i != 0 ? ", " : "", s->after[i], s->before[i],
                          lull_rp_kind_names[i]);
        }
        lull_str_addf(&out, "; %zu tests\n", s->tests);
        tell_packets(s, &out, NULL);
    }
    fputs(lull_str_text(&out), stdout);
    err = out.err;
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *write_out(const struct search *s)
{
    struct lull_str text = {0};
    lull_rp_capture_put(s->c, &text);
    struct lull_error *err =
        text.err != NULL ? &lull_enomem : lull_output_write(s->m->out, text.text, text.size);
    lull_str_free(&text);
    return err;
}

struct lull_error *lull_replay_minimise(struct lull_replay_minimise *m, struct lull_rp_capture *c)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct search s = {.m = m, .c = c, .terminal = isatty(STDERR_FILENO) != 0};
    size_t first = 1;
    s.jobs = m->jobs != 0 ? m->jobs : processors > 0 ? (size_t)processors : 1;
    s.jobs = s.jobs < MOST_JOBS ? s.jobs : MOST_JOBS;
    struct lull_error *err = lull_replay_gen(&m->how, &c->submits[0], &s.gen);
    err = err != NULL ? err : lull_replay_predicate_place(&m->holds, &m->how, c);
    err = err != NULL ? err : tests(&s, NULL, 1, &first);
    if (err == NULL && first != 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "--while does not hold of the whole capture");
    }
    err = err != NULL ? err : passes(&s);
    if (s.terminal) {
        fprintf(stderr, "\n");
    }
    err = err != NULL ? err : write_out(&s);
    err = err != NULL ? err : tell(&s);
    lull_rp_parts_done(&s.parts);
    return err;
}
