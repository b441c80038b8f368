// SPDX-License-Identifier: MIT
#include "cli/run/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/order.h"

enum { DWORD = 4 };

bool lull_explore_differs(const char *name, const uint8_t *got, const uint8_t *want, size_t size,
                          struct lull_str *out)
{
    size_t at = 0;
    while (at < size && got[at] == want[at]) {
        at++;
    }
    if (at == size) {
        return false;
    }
    const size_t whole = at - at % DWORD;
    if (whole + DWORD <= size) {
        uint32_t is = 0, should = 0;
        memcpy(&is, got + whole, DWORD);
        memcpy(&should, want + whole, DWORD);
        lull_str_addf(out, "%s+0x%zx (dword %zu) is 0x%x, want 0x%x", name, whole, whole / DWORD,
                      is, should);
    } else {
        lull_str_addf(out, "%s+0x%zx is 0x%x, want 0x%x", name, at, got[at], want[at]);
    }
    return true;
}

struct lull_error *lull_explore_findings(const struct lull_check *c,
                                         const struct lull_check_code *code, bool *ret,
                                         struct lull_str *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    *ret = false;
    if (to == NULL) {
        return &lull_enomem;
    }
    *ret = lull_check_report(c, code, false, to);
    (void)fclose(to);
    if (*ret) {
        const char *end = strstr(text, "\n\n");
        lull_str_add(out, text, end != NULL ? (size_t)(end - text) : size);
    }
    free(text);
    while (out->size != 0 && out->text[out->size - 1] == '\n') {
        out->text[--out->size] = '\0';
    }
    return NULL;
}

void lull_explore_racing(const struct lull_checks *c, struct lull_explore_once *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < lull_checks_count(c) && n < LULL_EXPLORE_PAIRS; i++) {
        const struct lull_finding *f = lull_checks_at(c, i);
        if (!f->sites[0].there || !f->sites[1].there) {
            continue;
        }
        struct lull_pair *p = &ret->pairs[n++];
        for (unsigned k = 0; k < 2; k++) {
            p->pc[k] = f->sites[k].pc;
            p->wave[k] = f->sites[k].wave;
            memcpy(p->workgroup[k], f->sites[k].workgroup, sizeof p->workgroup[k]);
        }
    }
    ret->npairs = n;
}

/** The text becomes the outcome's. */
LULL_MUST_USE static struct lull_error *say(struct lull_str *text, struct lull_outcome *ret)
{
    struct lull_error *err = text->err;
    if (err == NULL) {
        ret->text = strdup(lull_str_text(text));
        err = ret->text != NULL ? NULL : &lull_enomem;
    }
    text->err = NULL;
    return err;
}

struct lull_error *lull_explore_first(struct lull_explore *e, struct lull_outcome *ret)
{
    struct lull_explore_once o = {.judge = true};
    struct lull_error *err = e->ops->first(e, &o);
    ret->how = o.how;
    err = err != NULL ? err : say(&o.text, ret);
    lull_str_free(&o.text);
    e->ops->close(e);
    return err;
}

/** An order for the next run. */
LULL_MUST_USE static struct lull_error *set_order(struct lull_explore *e,
                                                  const struct lull_trial *t)
{
    struct lull_error *err = lull_order_new(t->schedule.holds, t->schedule.n, &e->order);
    if (err == NULL && (t->kind == LULL_TRIAL_DRAW || t->kind == LULL_TRIAL_RECORD)) {
        lull_order_draw(e->order, t->seed);
    }
    if (err == NULL && t->kind == LULL_TRIAL_RECORD) {
        lull_order_record(e->order);
    }
    return err;
}

/** The waits that give what was recorded. */
LULL_MUST_USE static struct lull_error *recorded(const struct lull_explore *e,
                                                 struct lull_schedule *ret)
{
    size_t n = 0;
    const struct lull_order_part *parts = lull_order_parts(e->order, &n);
    if (n > LULL_SCHEDULE_HOLDS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "an order of more than %d turns",
                              LULL_SCHEDULE_HOLDS);
    }
    struct lull_hold *holds = calloc(n + 1, sizeof *holds);
    if (holds == NULL) {
        return &lull_enomem;
    }
    *ret = (struct lull_schedule){
        .seed = e->seed, .holds = holds, .n = lull_order_holds(parts, n, holds)};
    return NULL;
}

/** Orders that turn racing accesses round: one run with the check, one that counts. */
LULL_MUST_USE static struct lull_error *pairs(struct lull_explore *e, struct lull_outcome *ret)
{
    const struct lull_schedule none = {0};
    struct lull_watch *watch = NULL;
    struct lull_explore_once race = {.judge = false};
    struct lull_error *err = e->ops->once(e, &race);
    e->ops->close(e);
    if (err == NULL && race.npairs != 0) {
        err = lull_watch_new(race.pairs, race.npairs, &none, &watch);
    }
    if (watch != NULL) {
        struct lull_explore_once count = {.watch = watch};
        err = e->ops->once(e, &count);
        e->ops->close(e);
        err = err != NULL ? err : lull_watch_orders(watch, &ret->schedule);
    }
    lull_watch_free(watch);
    ret->how = LULL_OUTCOME_RIGHT;
    return err;
}

static void add_wave(const struct lull_order_wave *w, struct lull_str *out)
{
    lull_str_addf(out, "wave %u of workgroup %u,%u,%u", w->index, w->workgroup[0], w->workgroup[1],
                  w->workgroup[2]);
}

static void add_place(const struct lull_explore *e, uint64_t pc, struct lull_str *out)
{
    if (pc == 0) {
        lull_str_addf(out, "an instruction that it does not reach");
    } else {
        e->ops->place(e, pc, out);
    }
}

/** A line for each wait of the schedule. */
LULL_MUST_USE static struct lull_error *places(struct lull_explore *e,
                                               const struct lull_schedule *s,
                                               struct lull_outcome *ret)
{
    struct lull_watch *watch = NULL;
    struct lull_str text = {0};
    struct lull_error *err = lull_watch_new(NULL, 0, s, &watch);
    struct lull_explore_once o = {.watch = watch, .nholds = s->n};
    err = err != NULL ? err : e->ops->once(e, &o);
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        const struct lull_hold *h = &s->holds[i];
        add_wave(&h->wave, &text);
        lull_str_addf(&text, " waits in front of ");
        add_place(e, lull_watch_at(watch, i), &text);
        lull_str_addf(&text, " until ");
        add_wave(&h->after, &text);
        lull_str_addf(&text, " has done ");
        add_place(e, lull_watch_until(watch, i), &text);
        lull_str_add(&text, "\n", 1);
    }
    err = err != NULL ? err : say(&text, ret);
    lull_str_free(&text);
    e->ops->close(e);
    lull_watch_free(watch);
    ret->how = LULL_OUTCOME_RIGHT;
    return err;
}

/** One trial. */
LULL_MUST_USE static struct lull_error *attempt(struct lull_explore *e, const struct lull_trial *t,
                                                struct lull_outcome *ret)
{
    if (t->kind == LULL_TRIAL_PAIRS) {
        return pairs(e, ret);
    }
    struct lull_error *err = set_order(e, t);
    if (err == NULL && t->kind == LULL_TRIAL_PLACES) {
        return places(e, &t->schedule, ret);
    }
    struct lull_explore_once o = {.judge = true};
    err = err != NULL ? err : e->ops->once(e, &o);
    ret->how = o.how;
    err = err != NULL ? err : say(&o.text, ret);
    lull_str_free(&o.text);
    if (err == NULL && t->kind == LULL_TRIAL_RECORD) {
        err = recorded(e, &ret->schedule);
    }
    return err;
}

void lull_explore_work(void *ctx, const char *item, size_t size, struct lull_str *ret)
{
    struct lull_explore *e = ctx;
    struct lull_trial t = {0};
    struct lull_outcome o = {0};
    struct lull_error *err = lull_trial_parse(item, size, &t);
    err = err != NULL ? err : attempt(e, &t, &o);
    if (err != NULL) {
        lull_outcome_done(&o);
        o.how = LULL_OUTCOME_ERROR;
        o.text = strdup(lull_error_message(err));
        lull_error_free(err);
    }
    lull_outcome_text(&o, ret); // The process ends now: what is left is not freed.
}
