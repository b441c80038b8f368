// SPDX-License-Identifier: MIT
// Holds and drawn orders, followed by a scheduler of a few lines, and schedules as text.
#include <stdlib.h>
#include <string.h>

#include "explore/schedule.h"
#include "explore/trial.h"
#include "model/order.h"
#include "test.h"

enum { NWAVES = 3, LENGTH = 10, MOST = 64 };

static struct lull_order_wave wave(uint64_t dispatch, uint32_t index)
{
    return (struct lull_order_wave){.dispatch = dispatch, .index = index};
}

/** All waves of a dispatch in turn, each as far as it may: who ran, a letter for each instruction.
 * False: nobody may. */
static bool follow(struct lull_order *o, uint64_t dispatch, char *ret)
{
    uint64_t count[NWAVES] = {0};
    size_t n = 0;
    bool moved = true;
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < NWAVES; i++) {
            const struct lull_order_wave w = wave(dispatch, i);
            const uint64_t may = lull_order_may(o, &w, count[i]), left = LENGTH - count[i];
            const uint64_t run = may < left ? may : left;
            for (uint64_t k = 0; k < run; k++) {
                ret[n++] = (char)('a' + i);
            }
            if (run != 0) {
                lull_order_ran(o, &w, count[i], count[i] + run, count[i] + run == LENGTH);
                count[i] += run;
                moved = true;
            }
        }
    }
    ret[n] = '\0';
    return n == (size_t)NWAVES * LENGTH;
}

/** Wave `wave` waits at `at` until `after` has `until`. */
static const struct row {
    const char *name;
    struct {
        uint32_t wave, at, after, until;
    } holds[3];
    unsigned n;
    const char *want;
    bool all;
} rows[] = {
    {"no holds", {{0}}, 0, "aaaaaaaaaabbbbbbbbbbcccccccccc", true},
    {"one", {{0, 4, 2, 1}}, 1, "aaaabbbbbbbbbbccccccccccaaaaaa", true},
    {"at the start", {{0, 0, 1, 10}}, 1, "bbbbbbbbbbccccccccccaaaaaaaaaa", true},
    {"two waves wait", {{0, 2, 2, 3}, {1, 5, 2, 3}}, 2, "aabbbbbccccccccccaaaaaaaabbbbb", true},
    {"to and fro",
     {{0, 2, 1, 2}, {1, 2, 0, 4}, {0, 4, 2, 9}},
     3,
     "aabbccccccccccaaaaaaaabbbbbbbb",
     true},
    {"more than it ever executes", {{0, 3, 1, 99}}, 1, "aaabbbbbbbbbbccccccccccaaaaaaa", true},
    {"nothing to wait for", {{0, 3, 1, 0}}, 1, "aaaaaaaaaabbbbbbbbbbcccccccccc", true},
    {"behind its end", {{0, 11, 1, 1}}, 1, "aaaaaaaaaabbbbbbbbbbcccccccccc", true},
    {"each for the other", {{0, 1, 1, 5}, {1, 2, 0, 5}}, 2, "abbcccccccccc", false},
};

static struct lull_order *order_of(const struct row *r)
{
    struct lull_hold holds[3] = {0};
    struct lull_order *o = NULL;
    for (unsigned i = 0; i < r->n; i++) {
        holds[i] = (struct lull_hold){.wave = wave(0, r->holds[i].wave),
                                      .at = r->holds[i].at,
                                      .after = wave(0, r->holds[i].after),
                                      .until = r->holds[i].until};
    }
    struct lull_error *err = lull_order_new(holds, r->n, &o);
    lull_error_free(err);
    return o;
}

static void test_holds(void)
{
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_order *o = order_of(&rows[i]);
        char got[MOST] = "";
        const bool all = follow(o, 0, got);
        test_case(strcmp(got, rows[i].want) == 0 && all == rows[i].all, rows[i].name,
                  "got %s, want %s", got, rows[i].want);
        lull_order_free(o);
    }
}

static void test_again(void)
{
    struct lull_order *o = order_of(&rows[1]);
    char got[MOST] = "";
    (void)follow(o, 0, got);
    (void)follow(o, 1, got);
    test_case(strcmp(got, rows[0].want) == 0, "the next dispatch has no holds", "got %s", got);
    lull_order_again(o);
    (void)follow(o, 7, got);
    test_case(strcmp(got, rows[1].want) == 0, "again: the next dispatch is number 0", "got %s",
              got);
    lull_order_free(o);
}

static void test_state(void)
{
    struct lull_order *o = order_of(&rows[1]);
    const struct lull_order_wave a = wave(0, 0), c = wave(0, 2);
    size_t size = 0;
    void *state = lull_order_state(o, &size);
    void *kept = malloc(size);
    memcpy(kept, state, size);
    lull_order_ran(o, &c, 0, 1, false);
    const uint64_t free_now = lull_order_may(o, &a, 4);
    memcpy(lull_order_state(o, &size), kept, size);
    const uint64_t again = lull_order_may(o, &a, 4);
    test_case(free_now == UINT64_MAX && again == 0, "its state can be put back", "%llu, %llu",
              (unsigned long long)free_now, (unsigned long long)again);
    free(kept);
    lull_order_free(o);
}

static void test_drop(void)
{
    struct lull_order *o = order_of(&rows[8]);
    const struct lull_order_wave a = wave(0, 0);
    char got[MOST] = "";
    lull_order_drop(o, &a, 1);
    const bool all = follow(o, 0, got);
    test_case(all && strcmp(got, "aaaaaaaaaabbbbbbbbbbcccccccccc") == 0 &&
                  lull_order_dropped(o) == 1,
              "one of two is dropped", "got %s, %zu dropped", got, lull_order_dropped(o));
    lull_order_free(o);
}

/** Drawn: the greatest rank runs. What was recorded, as holds, gives the same order. */
static void test_drawn(uint64_t seed)
{
    char drawn[MOST] = "", got[MOST] = "", name[64] = "";
    struct lull_order *o = NULL, *again = NULL;
    uint64_t count[NWAVES] = {0};
    size_t n = 0, nparts = 0;
    lull_error_free(lull_order_new(NULL, 0, &o));
    lull_order_draw(o, seed);
    lull_order_record(o);
    while (n < (size_t)NWAVES * LENGTH) {
        uint32_t best = NWAVES;
        const uint64_t length = lull_order_length(o);
        for (uint32_t i = 0; i < NWAVES; i++) {
            const struct lull_order_wave w = wave(0, i), b = wave(0, best);
            if (count[i] < LENGTH &&
                (best == NWAVES || lull_order_rank(o, &w) > lull_order_rank(o, &b))) {
                best = i;
            }
        }
        const struct lull_order_wave w = wave(0, best);
        uint64_t from = count[best];
        for (uint64_t k = 0; k < length && count[best] < LENGTH; k++, count[best]++) {
            drawn[n++] = (char)('a' + best);
        }
        lull_order_ran(o, &w, from, count[best], count[best] == LENGTH);
    }
    struct lull_hold holds[MOST] = {0};
    const struct lull_order_part *parts = lull_order_parts(o, &nparts);
    lull_error_free(lull_order_new(holds, lull_order_holds(parts, nparts, holds), &again));
    const bool all = follow(again, 0, got);
    snprintf(name, sizeof name, "seed %llu, recorded and followed", (unsigned long long)seed);
    test_case(all && strcmp(got, drawn) == 0, name, "got %s, want %s", got, drawn);
    lull_order_free(o);
    lull_order_free(again);
}

/** A text and what is wrong with it; NULL: nothing, and it comes out as `out`, or as it was. */
static const struct {
    const char *name, *text, *wrong, *out;
} texts[] = {
    {"a schedule", "lull schedule 1\nhold 1:0 7,0,0 0 at 35 until 1:0 0,1,2 3 has 61\n", NULL,
     NULL},
    {"a seed", "lull schedule 1\nseed 18446744073709551615\n", NULL, NULL},
    {"comments and blanks",
     "lull schedule 1\r\n# hold\n\n  \thold  1:0 0,0,0 0  at 1 until 1:0 0,0,0 1 has 2 \r\n", NULL,
     "lull schedule 1\nhold 1:0 0,0,0 0 at 1 until 1:0 0,0,0 1 has 2\n"},
    {"no newline at the end", "lull schedule 1", NULL, "lull schedule 1\n"},
    {"nothing", "", "line 1: a schedule begins with", NULL},
    {"another version", "lull schedule 2\n", "line 1: a schedule begins with", NULL},
    {"another word", "lull schedule 1\nwait\n", "line 2: a line is", NULL},
    {"a word that is longer", "lull schedule 1\nholds 1:0\n", "line 2: a line is", NULL},
    {"no dispatch", "lull schedule 1\n\nhold 1 0,0,0 0 at 1\n", "line 3: a wave is", NULL},
    {"two ids", "lull schedule 1\nhold 1:0 0,0 0 at 1 until 1:0 0,0,0 1 has 2\n",
     "line 2: a wave is", NULL},
    {"no number", "lull schedule 1\nhold 1:0 0,0,0 0 at until 1:0 0,0,0 1 has 2\n", "line 2: 'at'",
     NULL},
    {"no other wave", "lull schedule 1\nhold 1:0 0,0,0 0 at 1\n", "line 2: 'until'", NULL},
    {"no count", "lull schedule 1\nhold 1:0 0,0,0 0 at 1 until 1:0 0,0,0 1\n", "line 2: 'has'",
     NULL},
    {"more", "lull schedule 1\nhold 1:0 0,0,0 0 at 1 until 1:0 0,0,0 1 has 2 3\n",
     "line 2: there is more", NULL},
    {"itself", "lull schedule 1\nhold 1:0 0,0,0 0 at 1 until 1:0 0,0,0 0 has 2\n",
     "line 2: a wave waits for itself", NULL},
    {"too great", "lull schedule 1\nhold 1:0 0,0,4294967296 0 at 1 until 1:0 0,0,0 1 has 2\n",
     "line 2: a wave is", NULL},
    {"too great a seed", "lull schedule 1\nseed 18446744073709551616\n", "line 2: 'seed'", NULL},
    {"negative", "lull schedule 1\nseed -1\n", "line 2: 'seed'", NULL},
};

static void test_texts(void)
{
    for (size_t i = 0; i < TEST_ROWS(texts); i++) {
        struct lull_schedule s = {0};
        struct lull_str out = {0};
        const char *want = texts[i].out != NULL ? texts[i].out : texts[i].text;
        struct lull_error *err =
            lull_schedule_parse("file", texts[i].text, strlen(texts[i].text), &s);
        const char *message = err != NULL ? lull_error_message(err) : "no error";
        if (err == NULL) {
            lull_schedule_text(&s, &out);
        }
        const bool good = texts[i].wrong != NULL ? strstr(message, texts[i].wrong) != NULL &&
                                                       strncmp(message, "file: ", 6) == 0
                                                 : strcmp(lull_str_text(&out), want) == 0;
        test_case(good, texts[i].name, "%s; %s", message, lull_str_text(&out));
        lull_error_free(err);
        lull_schedule_done(&s);
        lull_str_free(&out);
    }
}

int main(void)
{
    test_holds();
    test_again();
    test_state();
    test_drop();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        test_drawn(seed);
    }
    test_texts();
    return test_end();
}
