// SPDX-License-Identifier: MIT
#include "explore/trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"

// All: a kind, a number, then texts.
enum { HEADER = 1 + sizeof(uint64_t) };

static void add_header(char kind, uint64_t number, struct lull_str *out)
{
    uint8_t bytes[HEADER] = {(uint8_t)kind};
    for (unsigned i = 1; i < HEADER; i++, number >>= 8) {
        bytes[i] = (uint8_t)number;
    }
    lull_str_add(out, (const char *)bytes, HEADER);
}

void lull_trial_text(const struct lull_trial *t, struct lull_str *out)
{
    add_header((char)t->kind, t->seed, out);
    lull_schedule_text(&t->schedule, out);
}

struct lull_error *lull_trial_parse(const char *bytes, size_t size, struct lull_trial *ret)
{
    struct lull_cur c = lull_cur_of(bytes, size);
    const char kind = (char)lull_cur_u8(&c);
    const uint64_t seed = lull_cur_u64(&c);
    struct lull_error *err = lull_cur_error(&c, "trial");
    if (err == NULL && (kind == '\0' || strchr("hdrpw", kind) == NULL)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "trial: unknown kind %d", kind);
    }
    struct lull_trial t = {.kind = (enum lull_trial_kind)kind, .seed = seed};
    err = err != NULL ? err
                      : lull_schedule_parse("trial", bytes + HEADER, size - HEADER, &t.schedule);
    if (err == NULL) {
        *ret = t;
    }
    return err;
}

void lull_outcome_text(const struct lull_outcome *o, struct lull_str *out)
{
    const size_t size = o->text != NULL ? strlen(o->text) : 0;
    add_header((char)o->how, size, out);
    if (size != 0) {
        lull_str_add(out, o->text, size);
    }
    lull_schedule_text(&o->schedule, out);
}

struct lull_error *lull_outcome_parse(const char *bytes, size_t size, struct lull_outcome *ret)
{
    struct lull_cur c = lull_cur_of(bytes, size);
    const char how = (char)lull_cur_u8(&c);
    const uint64_t length = lull_cur_u64(&c);
    struct lull_error *err = lull_cur_error(&c, "outcome");
    if (err == NULL && (how == '\0' || strchr("pfue", how) == NULL || length > lull_cur_left(&c))) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "outcome: kind %d, text of %" PRIu64 " bytes", how,
                             length);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_outcome o = {.how = (enum lull_outcome_how)how};
    const char *text = bytes + HEADER, *rest = text + length;
    o.text = strndup(text, (size_t)length);
    err = o.text == NULL
              ? &lull_enomem
              : lull_schedule_parse("outcome", rest, size - HEADER - (size_t)length, &o.schedule);
    if (err != NULL) {
        lull_outcome_done(&o);
        return err;
    }
    *ret = o;
    return NULL;
}

void lull_outcome_done(struct lull_outcome *o)
{
    free(o->text);
    lull_schedule_done(&o->schedule);
    *o = (struct lull_outcome){0};
}
