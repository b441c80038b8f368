// SPDX-License-Identifier: MIT
// A module that is run as it stands: variables of eval.comp in each lane where lines begin, what it
// stores, and what modules store in which one operation is another; all of it computed here.
// test_eval EVAL.spv
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"
#include "compile/run.h"
#include "front/eval/eval.h"
#include "test.h"

enum { LANES = 48, ADD = 1000, WAVE = 32 };

struct world {
    uint32_t b[LANES];
    const struct lull_fr_module *m;
    unsigned begun[64];  ///< Lanes that came to each line.
    unsigned visits[64]; ///< Times that somebody came there.
    unsigned wrong, seen;
    char why[128];
};

static struct lull_error *buffer(void *arg, uint32_t set, uint32_t binding, uint32_t element,
                                 struct lull_ev_buffer *ret)
{
    (void)arg;
    *ret = (struct lull_ev_buffer){.va = 4096, .bytes = sizeof((struct world *)NULL)->b};
    return set == 0 && binding == 0 && element == 0 ? NULL : &lull_enomem;
}

static struct lull_error *read_memory(void *arg, uint64_t va, void *ret, size_t size)
{
    struct world *w = arg;
    memcpy(ret, (uint8_t *)w->b + (va - 4096), size);
    return NULL;
}

static struct lull_error *write_memory(void *arg, uint64_t va, const void *data, size_t size)
{
    struct world *w = arg;
    memcpy((uint8_t *)w->b + (va - 4096), data, size);
    return NULL;
}

static uint32_t collatz(uint32_t n)
{
    uint32_t steps = 0;
    for (; n != 1; steps++) {
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
    }
    return steps;
}

static uint32_t k_of(uint32_t i)
{
    return i % 3 == 0 ? 20 - i : i - 20;
}

static uint32_t bits_of(float f)
{
    uint32_t v = 0;
    memcpy(&v, &f, sizeof v);
    return v;
}

/** The first number of the variable @p name, and its second. */
static bool value(struct world *w, struct lull_ev *ev, const char *name, uint32_t lane,
                  uint32_t ret[2])
{
    for (uint32_t id = 0; id < w->m->spv.bound; id++) {
        const struct lull_fr_type *t = NULL;
        const uint64_t *v = NULL;
        if (w->m->ids[id].name != NULL && strcmp(w->m->ids[id].name, name) == 0 &&
            lull_ev_value(ev, id, lane, &t, &v)) {
            ret[0] = (uint32_t)v[0];
            ret[1] = lull_ev_words(t) > 1 ? (uint32_t)v[1] : 0;
            return true;
        }
    }
    return false;
}

static void want(struct world *w, struct lull_ev *ev, const char *name, uint32_t lane,
                 uint32_t first, uint32_t second)
{
    uint32_t got[2] = {0};
    const bool ok = value(w, ev, name, lane, got) && got[0] == first && got[1] == second;
    w->seen++;
    if (!ok && w->wrong++ == 0) {
        snprintf(w->why, sizeof w->why, "%s of lane %u: got 0x%x 0x%x, want 0x%x 0x%x", name, lane,
                 got[0], got[1], first, second);
    }
}

/** Lines of eval.comp. */
enum {
    STEPPED = 13,
    RETURNED = 15,
    CONVERTED = 20,
    TURNED = 23,
    SUMMED = 26,
    ONE = 28,
    STORED = 33
};

static struct lull_error *line(void *arg, struct lull_ev *ev, const struct lull_ev_place *at)
{
    struct world *w = arg;
    const uint32_t n = at->line.line;
    if (n < TEST_ROWS(w->begun)) {
        w->begun[n] += at->n;
        w->visits[n]++;
    }
    for (uint32_t i = 0; i < at->n; i++) {
        const uint32_t lane = at->lanes[i];
        if (n >= CONVERTED) {
            want(w, ev, "i", lane, lane, 0);
        }
        if (n == SUMMED) {
            want(w, ev, "k", lane, k_of(lane), 0);
            want(w, ev, "v", lane, bits_of((float)lane + (lane % 3 == 0 ? 2.25F : 0)),
                 bits_of(0.5F));
        }
        if (n == STORED) {
            want(w, ev, "s", lane, collatz(lane + 1), 0);
        }
    }
    return NULL;
}

/** Run a module; its message, for free(), or NULL. */
static char *run(const void *data, size_t size, struct world *w, bool lines, uint64_t steps)
{
    struct lull_fr_module m = {0};
    const uint32_t add = ADD, group[3] = {0};
    const struct lull_ev_host host = {.arg = w,
                                      .buffer = buffer,
                                      .read = read_memory,
                                      .write = write_memory,
                                      .line = lines ? line : NULL};
    const struct lull_ev_dispatch d = {.groups = {1, 1, 1},
                                       .wave = WAVE,
                                       .push = (const uint8_t *)&add,
                                       .push_bytes = sizeof add,
                                       .steps = steps};
    struct lull_ev *ev = NULL;
    struct lull_error *err = lull_fr_read(data, size, NULL, &m);
    w->m = &m;
    err = err != NULL ? err : lull_ev_new(&m, &host, &d, &ev);
    err = err != NULL ? err : lull_ev_group(ev, group);
    char *ret = err != NULL ? strdup(lull_error_message(err)) : NULL;
    lull_error_free(err);
    lull_ev_free(ev);
    lull_fr_done(&m);
    return ret;
}

static void good(const void *data, size_t size)
{
    struct world w = {0};
    uint32_t total = 0, most = 0, sum = 0;
    lull_cleanup(lull_freep) char *why = run(data, size, &w, true, 0);
    test_case(why == NULL, "a module that runs", "%s", why != NULL ? why : "");
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t steps = collatz(i + 1);
        total += steps;
        most = steps > most ? steps : most;
        sum += steps;
    }
    unsigned wrong = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        wrong += w.b[i] != collatz(i + 1) + k_of(i) + ADD + total;
    }
    test_case(wrong == 0, "what it stores", "%u of %u, b[0] = %u", wrong, (unsigned)LANES, w.b[0]);
    test_case(w.wrong == 0 && w.seen > 10 * LANES, "variables where lines begin", "%u of %u: %s",
              w.wrong, w.seen, w.why);
    test_case(w.begun[TURNED] == LANES / 3 && w.begun[ONE] == 1 && w.begun[STORED] == LANES,
              "lanes of each line", "%u %u %u", w.begun[TURNED], w.begun[ONE], w.begun[STORED]);
    test_case(w.begun[STEPPED] == sum && w.visits[STEPPED] == most, "lanes of a loop go in step",
              "%u of %u lines in %u of %u rounds", w.begun[STEPPED], sum, w.visits[STEPPED], most);
    test_case(w.visits[RETURNED] == 1 && w.visits[STORED] == 1, "lanes that part meet again",
              "%u %u", w.visits[RETURNED], w.visits[STORED]);
}

/** The first @p op in the module becomes @p other. */
static void other_operation(uint32_t *words, size_t n, uint32_t op, uint32_t other)
{
    for (size_t at = LULL_SPV_HEADER_WORDS; at < n && words[at] >> 16 != 0; at += words[at] >> 16) {
        if ((words[at] & SpvOpCodeMask) == op) {
            words[at] = (words[at] & 0xffff0000u) | other;
            return;
        }
    }
}

static void changed(const void *data, size_t size)
{
    uint32_t total = 0;
    struct world w = {0};
    lull_cleanup(lull_freep) uint32_t *words = malloc(size);
    memcpy(words, data, size);
    other_operation(words, size / sizeof *words, SpvOpSNegate, SpvOpNot);
    lull_cleanup(lull_freep) char *why = run(words, size, &w, false, 0);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        total += collatz(i + 1);
    }
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t k = i % 3 == 0 ? ~(i - 20) : i - 20;
        wrong += w.b[i] != collatz(i + 1) + k + ADD + total;
    }
    test_case(why == NULL && wrong == 0, "another operation, another result", "%u: %s", wrong,
              why != NULL ? why : "");
}

/** Changes that end the run, and what is said. */
static const struct {
    uint32_t op, other;
    uint64_t steps;
    const char *want;
} ends[] = {
    {SpvOpNop, SpvOpNop, 100, "still not at the end, after 100 steps"},
    {SpvOpINotEqual, SpvOpULessThan, 100000, NULL}, // n < 1 is never true: the loop is left out
    {SpvOpINotEqual, SpvOpUGreaterThanEqual, 100000, "still not at the end, after 100000 steps"},
    {SpvOpFAdd, SpvOpIAdd, 0, "OpIAdd %"},
    {SpvOpFunctionCall, SpvOpCompositeConstruct, 0, "OpCompositeConstruct %"},
    {SpvOpIAdd, SpvOpImageSampleExplicitLod, 0, "word "},
};

static void bad(const void *data, size_t size)
{
    for (size_t i = 0; i < TEST_ROWS(ends); i++) {
        struct world w = {0};
        lull_cleanup(lull_freep) uint32_t *words = malloc(size);
        memcpy(words, data, size);
        other_operation(words, size / sizeof *words, ends[i].op, ends[i].other);
        lull_cleanup(lull_freep) char *why = run(words, size, &w, false, ends[i].steps);
        const char *said = ends[i].want;
        test_case(said == NULL ? why == NULL : why != NULL && strstr(why, said) != NULL,
                  said != NULL ? said : "runs", "row %zu: %s", i, why != NULL ? why : "no error");
    }
}

int main(int argc, char **argv)
{
    lull_cleanup(lull_freep) uint8_t *data = NULL;
    size_t size = 0;
    struct lull_error *err = argc == 2 ? lull_run_read(argv[1], &data, &size) : &lull_enomem;
    if (test_case(err == NULL, "the file", "%s", err != NULL ? lull_error_message(err) : "")) {
        good(data, size);
        changed(data, size);
        bad(data, size);
    }
    lull_error_free(err);
    return test_end();
}
