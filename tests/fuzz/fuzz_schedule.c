// SPDX-License-Identifier: MIT
// Schedules, and what the processes of lull explore send each other, out of any bytes: refused with
// the line, or read again from their own text, and followed. Seeds: good and bad schedules, a trial
// and an outcome.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "explore/schedule.h"
#include "explore/trial.h"
#include "model/order.h"

/** Before anything ran each hold that waits stops its wave; then waves run in turn, and their holds
 * are dropped. A hold until 0 instructions never waits. */
static void follow(const struct lull_schedule *s)
{
    struct lull_order *o = NULL;
    struct lull_error *err = lull_order_new(s->holds, s->n, &o);
    if (err != NULL) {
        lull_error_free(err);
        return;
    }
    const size_t n = s->n < 64 ? s->n : 64;
    for (size_t i = 0; i < n; i++) {
        const struct lull_hold *h = &s->holds[i];
        if (h->until != 0 && lull_order_may(o, &h->wave, 0) > h->at) {
            abort();
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct lull_hold *h = &s->holds[i];
        lull_order_ran(o, &h->after, 0, h->until, false);
        lull_order_drop(o, &h->wave, h->at);
    }
    lull_order_free(o);
}

static void reread(const struct lull_schedule *s)
{
    struct lull_str text = {0};
    struct lull_schedule again = {0};
    lull_schedule_text(s, &text);
    struct lull_error *err = lull_schedule_parse("again", lull_str_text(&text), text.size, &again);
    if (err != NULL || again.n != s->n || again.seed != s->seed ||
        (s->n != 0 && memcmp(again.holds, s->holds, s->n * sizeof *s->holds) != 0)) {
        abort();
    }
    lull_schedule_done(&again);
    lull_str_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_schedule s = {0};
    struct lull_trial t = {0};
    struct lull_outcome o = {0};
    struct lull_error *err = lull_schedule_parse("input", (const char *)data, size, &s);
    if (err != NULL && (strstr(lull_error_message(err), "line") == NULL || s.holds != NULL)) {
        abort();
    }
    if (err == NULL) {
        reread(&s);
        follow(&s);
    }
    lull_error_free(err);
    lull_schedule_done(&s);
    err = lull_trial_parse((const char *)data, size, &t);
    if (err == NULL) {
        reread(&t.schedule);
    }
    lull_error_free(err);
    lull_schedule_done(&t.schedule);
    lull_error_free(lull_outcome_parse((const char *)data, size, &o));
    lull_outcome_done(&o);
    return 0;
}
