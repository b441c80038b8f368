// SPDX-License-Identifier: MIT
/* Through time: reverse-*, goto, info when, set record-memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/packets.h"
#include "debug/session/reverse.h"
#include "debug/session/travel.h"
#include "debug/session/writer.h"
#include "debug/shell/shell.h"

enum { MIB_SHIFT = 20, MOST_MIB = 1 << 20 };

static const char NO_MORE[] = "No more reverse-execution history.";

/* How often: 1 if @p args is empty. */
LULL_MUST_USE static struct lull_error *count_of(const char *args, uint64_t *ret)
{
    *ret = 1;
    return *args == '\0' ? NULL : lull_cmd_count(args, 1, UINT32_MAX, ret);
}

LULL_MUST_USE static struct lull_error *nothing_behind(const char *args)
{
    return *args == '\0' ? NULL : lull_error_new(LULL_ERR_INVALID, "'%s' is left over", args);
}

/* Where it came to going back. */
LULL_MUST_USE static struct lull_error *report(struct lull_cmd *c)
{
    const bool first = c->d->at_first;
    c->d->at_first = false;
    if (first) {
        lull_str_addf(c->out, "%s\n", NO_MORE);
    }
    if (c->json != NULL) {
        lull_json_put_bool(c->json, "no_more_history", first);
    }
    return lull_debug_report(c);
}

LULL_MUST_USE static struct lull_error *step(struct lull_cmd *c, enum lull_debug_step how,
                                             const char *args)
{
    uint64_t n = 1;
    struct lull_error *err = count_of(args, &n);
    err = err != NULL ? err : lull_debug_reverse_step(c->d, how, n);
    return err != NULL ? err : report(c);
}

struct lull_error *lull_cmd_back_to(struct lull_cmd *c, unsigned number)
{
    struct lull_debug *d = c->d;
    const size_t n = d->nbreakpoints;
    bool *was = calloc(n + 1, sizeof *was);
    if (was == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        was[i] = d->breakpoints[i]->enabled;
        d->breakpoints[i]->enabled = was[i] && d->breakpoints[i]->number == number;
    }
    struct lull_error *err = lull_debug_reverse_continue(d);
    err = err != NULL ? err : report(c);
    for (size_t i = 0; i < n; i++) {
        d->breakpoints[i]->enabled = d->breakpoints[i]->enabled || was[i];
    }
    free(was);
    struct lull_error *gone =
        lull_debug_breakpoint(d, number) != NULL ? lull_debug_delete(d, number) : NULL;
    if (err != NULL) {
        lull_error_free(gone);
    }
    return err != NULL ? err : gone;
}

/* Who wrote what is watched, in submissions that cannot be gone back to. @return Something was
 * said. */
static bool show_written(struct lull_cmd *c, bool before)
{
    struct lull_debug *d = c->d;
    struct lull_json *const json = c->json;
    bool any = false;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        if (b->number == 0 || !b->enabled || b->kind != LULL_BREAK_WATCH || b->value != NULL) {
            continue;
        }
        struct lull_error *err = lull_debug_show_writers(c, b->what, b->va, b->size, before);
        any = any || err == NULL;
        lull_error_free(err);
        c->json = NULL; // The first alone.
    }
    c->json = json;
    return any;
}

/* Back to who wrote @p place last. */
LULL_MUST_USE static struct lull_error *run_until(struct lull_cmd *c, const char *place)
{
    unsigned number = 0;
    struct lull_error *err = lull_debug_watch(c->d, place, LULL_WATCH_WRITE, false, NULL, &number);
    if (err != NULL) {
        return err;
    }
    const size_t before = c->out->size;
    err = lull_cmd_back_to(c, number);
    if (err == NULL && strstr(lull_str_text(c->out) + before, NO_MORE) != NULL) {
        uint64_t va = 0, size = 0;
        lull_str_addf(c->out, "'%s' is not written in what is remembered before\n", place);
        struct lull_error *none = lull_debug_writer_place(c->d, place, &va, &size);
        none = none != NULL ? none : lull_debug_show_writers(c, place, va, size, true);
        lull_error_free(none); // Nobody notes it.
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(struct lull_cmd *c, const char *args)
{
    if (lull_cmd_word(&args, "-until")) {
        return *args != '\0' ? run_until(c, args)
                             : lull_error_new(LULL_ERR_INVALID, "until who wrote which PLACE?");
    }
    struct lull_error *err = nothing_behind(args);
    err = err != NULL ? err : lull_debug_reverse_continue(c->d);
    if (err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED && show_written(c, false)) {
        lull_error_free(err); // Who wrote it is known nevertheless.
        return NULL;
    }
    const bool first = err == NULL && c->d->at_first;
    err = err != NULL ? err : report(c);
    if (err == NULL && first) {
        (void)show_written(c, true);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *finish(struct lull_cmd *c, const char *args)
{
    struct lull_error *err = nothing_behind(args);
    err = err != NULL ? err : lull_debug_reverse_finish(c->d);
    return err != NULL ? err : report(c);
}

LULL_MUST_USE static struct lull_error *packets(struct lull_cmd *c, const char *args)
{
    uint64_t n = 1;
    struct lull_error *err = count_of(args, &n);
    err = err != NULL ? err : lull_debug_reverse_packets(c->d, n);
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_reverse(struct lull_cmd *c)
{
    const char *at = c->args;
    if (lull_cmd_word(&at, "-stepp")) {
        return packets(c, at);
    }
    if (lull_cmd_word(&at, "-stepi")) {
        return step(c, LULL_STEP_INSN, at);
    }
    if (lull_cmd_word(&at, "-nexti")) {
        return step(c, LULL_STEP_INSN_OVER, at);
    }
    if (lull_cmd_word(&at, "-step")) {
        return step(c, LULL_STEP_LINE, at);
    }
    if (lull_cmd_word(&at, "-next")) {
        return step(c, LULL_STEP_LINE_OVER, at);
    }
    if (lull_cmd_word(&at, "-finish")) {
        return finish(c, at);
    }
    if (lull_cmd_word(&at, "-continue")) {
        return run(c, at);
    }
    return lull_error_new(LULL_ERR_INVALID, "expected 'reverse-stepi', -step, -nexti, -next, "
                                            "-continue, -finish, or of packets -stepp");
}

struct lull_error *lull_cmd_rc(struct lull_cmd *c)
{
    return run(c, c->args);
}

struct lull_error *lull_cmd_rsi(struct lull_cmd *c)
{
    return step(c, LULL_STEP_INSN, c->args);
}

struct lull_error *lull_cmd_rni(struct lull_cmd *c)
{
    return step(c, LULL_STEP_INSN_OVER, c->args);
}

struct lull_error *lull_cmd_rs(struct lull_cmd *c)
{
    return step(c, LULL_STEP_LINE, c->args);
}

struct lull_error *lull_cmd_rn(struct lull_cmd *c)
{
    return step(c, LULL_STEP_LINE_OVER, c->args);
}

struct lull_error *lull_cmd_goto(struct lull_cmd *c)
{
    const char *at = c->args;
    uint64_t n = 0;
    struct lull_error *err = NULL;
    if (lull_cmd_word(&at, "start") || lull_cmd_word(&at, "begin")) {
        err = nothing_behind(at);
        err = err != NULL ? err : lull_debug_travel_to_end(c->d, false);
    } else if (lull_cmd_word(&at, "end")) {
        err = nothing_behind(at);
        err = err != NULL ? err : lull_debug_travel_to_end(c->d, true);
    } else if (lull_cmd_word(&at, "insn")) {
        err = lull_cmd_count(at, 0, UINT64_MAX, &n);
        err = err != NULL ? err : lull_debug_travel_to_insn(c->d, n);
    } else if (*at == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "goto where? TIME, as 'info when' says it, start, "
                                               "end, or insn N of the focused wave");
    } else {
        err = lull_cmd_count(at, 0, UINT64_MAX, &n);
        err = err != NULL ? err : lull_debug_travel_to(c->d, n);
    }
    return err != NULL ? err : lull_debug_report(c);
}

struct lull_error *lull_cmd_when(struct lull_cmd *c)
{
    struct lull_when w = {0};
    struct lull_error *err = lull_debug_when(c->d, &w);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "time %" PRIu64 " of %" PRIu64 "%s", w.now, w.last,
                  w.ended ? ", the dispatch has ended" : "");
    if (w.has_wave) {
        lull_str_addf(c->out, "; wave %u has executed %" PRIu64 " instructions", c->d->focus,
                      w.executed);
    }
    lull_str_addf(c->out, "\n");
    if (w.first != 0) {
        lull_str_addf(c->out, "what is remembered begins at time %" PRIu64 "\n", w.first);
    }
    lull_str_addf(c->out, "%" PRIu64 " snapshot%s, %.1f MiB of %" PRIu64 " MiB\n", w.marks,
                  w.marks == 1 ? "" : "s", (double)w.bytes / (1 << MIB_SHIFT),
                  c->d->record_bytes >> MIB_SHIFT);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "time", w.now);
        lull_json_put_u64(c->json, "first", w.first);
        lull_json_put_u64(c->json, "last", w.last);
        lull_json_put_bool(c->json, "ended", w.ended);
        if (w.has_wave) {
            lull_json_put_u64(c->json, "wave", c->d->focus);
            lull_json_put_u64(c->json, "executed", w.executed);
        }
        lull_json_put_u64(c->json, "snapshots", w.marks);
        lull_json_put_u64(c->json, "bytes", w.bytes);
    }
    return NULL;
}

struct lull_error *lull_cmd_set_record_memory(struct lull_cmd *c, const char *args)
{
    uint64_t mib = 0;
    struct lull_error *err =
        strcmp(args, "off") == 0 ? NULL : lull_cmd_count(args, 0, MOST_MIB, &mib);
    return err != NULL ? err : lull_debug_set_record_bytes(c->d, mib << MIB_SHIFT);
}

struct lull_error *lull_cmd_set_record_writers(struct lull_cmd *c, const char *args)
{
    const bool on = strcmp(args, "on") == 0 || *args == '\0';
    return on || strcmp(args, "off") == 0
               ? lull_debug_set_record_writers(c->d, on)
               : lull_error_new(LULL_ERR_INVALID, "'%s': record-writers is on or off", args);
}

/* "save FILE" */
struct lull_error *lull_cmd_record(struct lull_cmd *c)
{
    const char *at = c->args;
    struct lull_when w = {0};
    if (!lull_cmd_word(&at, "save") || *at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "record save FILE");
    }
    if (c->d->record == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "record save: for kernels and dispatches of programs");
    }
    struct lull_error *err = lull_debug_when(c->d, &w);
    const bool known = err == NULL;
    lull_error_free(err); // Not started, or nothing is remembered.
    err = c->d->record(c->d->run_ctx, known ? &w.now : NULL, at);
    if (err == NULL) {
        lull_str_addf(c->out, "%s: lull debug --replay runs it again\n", at);
        if (c->json != NULL) {
            lull_json_put_str(c->json, "file", at);
        }
    }
    return err;
}
