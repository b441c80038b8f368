// SPDX-License-Identifier: MIT
#include "explore/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "lull schedule 1";

/** A line, and how far it has been read. */
struct line {
    const char *at, *end;
};

static void skip_blanks(struct line *l)
{
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r')) {
        l->at++;
    }
}

/** The word @p word comes next, alone. */
static bool word(struct line *l, const char *word)
{
    const size_t n = strlen(word);
    skip_blanks(l);
    if ((size_t)(l->end - l->at) < n || memcmp(l->at, word, n) != 0 ||
        (l->at + n < l->end && l->at[n] != ' ' && l->at[n] != '\t' && l->at[n] != '\r')) {
        return false;
    }
    l->at += n;
    return true;
}

/** A decimal number of at most @p max. */
static bool number(struct line *l, uint64_t max, uint64_t *ret)
{
    uint64_t v = 0;
    const char *first = l->at;
    while (l->at < l->end && *l->at >= '0' && *l->at <= '9') {
        const unsigned digit = (unsigned)(*l->at - '0');
        if (v > (max - digit) / 10) {
            return false;
        }
        v = v * 10 + digit;
        l->at++;
    }
    *ret = v;
    return l->at != first;
}

static bool character(struct line *l, char c)
{
    const bool there = l->at < l->end && *l->at == c;
    l->at += there;
    return there;
}

/** RING:DISPATCH X,Y,Z WAVE */
static bool wave(struct line *l, struct lull_order_wave *ret)
{
    uint64_t ring = 0, dispatch = 0, id[3] = {0}, index = 0;
    skip_blanks(l);
    if (!number(l, UINT32_MAX, &ring) || !character(l, ':') || !number(l, UINT32_MAX, &dispatch)) {
        return false;
    }
    skip_blanks(l);
    for (unsigned i = 0; i < 3; i++) {
        if ((i != 0 && !character(l, ',')) || !number(l, UINT32_MAX, &id[i])) {
            return false;
        }
        ret->workgroup[i] = (uint32_t)id[i];
    }
    skip_blanks(l);
    ret->dispatch = ring << 32 | dispatch;
    if (!number(l, UINT32_MAX, &index)) {
        return false;
    }
    ret->index = (uint32_t)index;
    return true;
}

static bool count(struct line *l, uint64_t *ret)
{
    skip_blanks(l);
    return number(l, UINT64_MAX, ret);
}

/** NULL, or what is wrong with it. */
static const char *read_hold(struct line *l, struct lull_hold *h)
{
    if (!wave(l, &h->wave)) {
        return "a wave is RING:DISPATCH X,Y,Z NUMBER";
    }
    if (!word(l, "at") || !count(l, &h->at)) {
        return "'at' and a number of instructions stand behind the wave";
    }
    if (!word(l, "until") || !wave(l, &h->after)) {
        return "'until' and another wave stand behind it";
    }
    if (!word(l, "has") || !count(l, &h->until)) {
        return "'has' and a number of instructions stand at the end";
    }
    return lull_order_compare(&h->wave, &h->after) == 0 ? "a wave waits for itself" : NULL;
}

/** What is wrong with a line; NULL: nothing. */
static const char *read_line(struct line *l, struct lull_schedule *s, size_t *room)
{
    struct lull_hold h = {0};
    const char *wrong = NULL;
    if (word(l, "seed")) {
        wrong = count(l, &s->seed) ? NULL : "'seed' needs a number";
    } else if (word(l, "hold")) {
        wrong = read_hold(l, &h);
        if (wrong == NULL && s->n == LULL_SCHEDULE_HOLDS) {
            wrong = "there are more than 1048576 holds";
        }
        if (wrong == NULL && s->n == *room) {
            *room = *room != 0 ? 2 * *room : 16;
            struct lull_hold *more = realloc(s->holds, *room * sizeof *more);
            if (more == NULL) {
                return "memory is short";
            }
            s->holds = more;
        }
        if (wrong == NULL) {
            s->holds[s->n++] = h;
        }
    } else {
        return "a line is 'seed', 'hold' or a comment behind '#'";
    }
    skip_blanks(l);
    return wrong != NULL ? wrong : l->at != l->end ? "there is more in the line" : NULL;
}

struct lull_error *lull_schedule_parse(const char *path, const char *text, size_t size,
                                       struct lull_schedule *ret)
{
    struct lull_schedule s = {0};
    const char *wrong = NULL;
    size_t number = 0, room = 0;
    for (size_t at = 0; wrong == NULL && at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t n = end != NULL ? (size_t)(end - text) - at : size - at;
        struct line l = {text + at, text + at + n};
        at += n + 1;
        number++;
        skip_blanks(&l);
        if (number == 1) {
            wrong = word(&l, first_line) ? NULL : "a schedule begins with 'lull schedule 1'";
        } else if (l.at != l.end && *l.at != '#') {
            wrong = read_line(&l, &s, &room);
        }
    }
    if (wrong == NULL && number == 0) {
        wrong = "a schedule begins with 'lull schedule 1'";
    }
    if (wrong != NULL) {
        lull_schedule_done(&s);
        return lull_error_new(LULL_ERR_BAD_DATA, "%s: line %zu: %s", path, number != 0 ? number : 1,
                              wrong);
    }
    *ret = s;
    return NULL;
}

void lull_schedule_done(struct lull_schedule *s)
{
    free(s->holds);
    *s = (struct lull_schedule){0};
}

static void add_wave(const struct lull_order_wave *w, struct lull_str *out)
{
    lull_str_addf(out, "%" PRIu64 ":%" PRIu64 " %u,%u,%u %u", w->dispatch >> 32,
                  w->dispatch & UINT32_MAX, w->workgroup[0], w->workgroup[1], w->workgroup[2],
                  w->index);
}

void lull_hold_text(const struct lull_hold *h, struct lull_str *out)
{
    lull_str_addf(out, "hold ");
    add_wave(&h->wave, out);
    lull_str_addf(out, " at %" PRIu64 " until ", h->at);
    add_wave(&h->after, out);
    lull_str_addf(out, " has %" PRIu64, h->until);
}

void lull_schedule_text(const struct lull_schedule *s, struct lull_str *out)
{
    lull_str_addf(out, "%s\n", first_line);
    if (s->seed != 0) {
        lull_str_addf(out, "seed %" PRIu64 "\n", s->seed);
    }
    for (size_t i = 0; i < s->n; i++) {
        lull_hold_text(&s->holds[i], out);
        lull_str_add(out, "\n", 1);
    }
}
