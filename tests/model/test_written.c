// SPDX-License-Identifier: MIT
// The log of writes against a plain array of the last writer of each byte.
#include <stdlib.h>
#include <string.h>

#include "model/written.h"
#include "test.h"

enum { MEMORY = 5 * 4096, STEPS = 4000, LANES = 64, MOST = 16 };

struct world {
    uint8_t memory[MEMORY];
    struct lull_written *log;
    // The last writer of each byte: the number of the step, its lane, and what it wrote.
    uint32_t step[MEMORY];
    uint8_t lane[MEMORY], value[MEMORY];
    uint64_t seed;
    bool dwords; // Stores of one each, anywhere, are all that there is.
};

static uint32_t draw(struct world *w, uint32_t below)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->seed >> 33) % below;
}

static const uint8_t *look(void *ctx, uint32_t vmid, uint64_t address)
{
    struct world *w = ctx;
    (void)vmid;
    return address < MEMORY ? &w->memory[address] : NULL;
}

static uint32_t space(void *ctx, uint32_t vmid)
{
    (void)ctx;
    return vmid + 7;
}

static uint64_t job(void *ctx, uint64_t cookie)
{
    (void)ctx;
    return cookie + 1;
}

static bool who(void *ctx, const struct lull_observed *at, uint64_t *launch, uint32_t *index)
{
    (void)ctx;
    *launch = at->pc;
    *index = 0;
    return false;
}

static void start(struct world *w, uint64_t bytes)
{
    const struct lull_written_host host = {
        .ctx = w, .look_ctx = w, .look = look, .space = space, .job = job, .who = who};
    memset(w, 0, sizeof *w);
    w->seed = 1;
    w->log = lull_written_new(&host, bytes);
}

static void put(struct world *w, uint64_t at, unsigned n, uint32_t step, unsigned lane)
{
    for (unsigned i = 0; i < n; i++) {
        w->memory[at + i] = w->value[at + i] = (uint8_t)draw(w, 256);
        w->step[at + i] = step;
        w->lane[at + i] = (uint8_t)lane;
    }
}

// An instruction of some lanes, of 1 to 16 bytes each, one behind the other or anywhere.
static void store(struct world *w, uint32_t step)
{
    static const unsigned sizes[] = {1, 2, 4, 8, 12, 16};
    const unsigned bytes = w->dwords ? 4 : sizes[draw(w, 6)];
    const bool run = !w->dwords && draw(w, 2) != 0;
    uint64_t address[LANES];
    uint8_t valid[LANES];
    uint32_t row[LANES] = {0}; // What the register has: of dwords it may be told.
    const bool told = bytes == sizeof row[0] && (w->dwords || draw(w, 2) != 0);
    const uint64_t first = draw(w, MEMORY / 4 - LANES * MOST / 4) * 4;
    const uint64_t lanes = run ? UINT64_MAX : (uint64_t)draw(w, UINT32_MAX) << 17 | draw(w, 99999);
    for (unsigned l = 0; l < LANES; l++) {
        address[l] = run ? first + l * bytes : draw(w, MEMORY / bytes) * bytes;
        valid[l] = run || draw(w, 8) != 0 ? UINT8_MAX : 0;
        if ((lanes >> l & 1) != 0 && valid[l] != 0) {
            put(w, address[l], bytes, step, l);
            memcpy(&row[l], &w->memory[address[l]], bytes < sizeof row[l] ? bytes : sizeof row[l]);
        } else {
            row[l] = draw(w, UINT32_MAX);
        }
    }
    const struct lull_observed at = {.pc = step, .place = 3};
    const struct lull_touch t = {.kind = LULL_TOUCH_STORE,
                                 .bytes = bytes,
                                 .lanes = lanes,
                                 .address = address,
                                 .valid = valid,
                                 .row = told ? row : NULL,
                                 .shape = run ? LULL_TOUCH_RUN : LULL_TOUCH_ANY};
    struct lull_observer *o = lull_written_observer(w->log);
    o->memory(o, &at, &t);
}

static void packet(struct world *w, uint32_t step)
{
    const uint64_t to = draw(w, MEMORY - 300);
    const unsigned n = 1 + draw(w, 299);
    const struct lull_writer by = {.kind = LULL_WRITER_FILL, .launch = step};
    put(w, to, n, step, 0);
    lull_written_packet(w->log, 0, 41, to, n, &by);
}

static void some(struct world *w, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < from + n; i++) {
        if (!w->dwords && draw(w, 4) == 0) {
            packet(w, i);
        } else {
            store(w, i);
        }
    }
}

// Bytes of which the log says something else than the arrays. @p old: steps up to that one may be
// forgotten.
static unsigned wrong(struct world *w, bool before, uint32_t old, const uint32_t *step,
                      const uint8_t *lane, const uint8_t *value)
{
    unsigned bad = 0;
    for (uint64_t i = 0; i < MEMORY; i++) {
        struct lull_written_answer a = {0};
        const bool is = lull_written_find(w->log, 7, i, 1, before, UINT64_MAX, &a);
        const bool same = is && a.by.launch == step[i] && a.lane == lane[i] && a.known == 1 &&
                          a.values[0] == value[i];
        bad += !(same || (!is && step[i] <= old));
    }
    return bad;
}

static void same_as_arrays(void)
{
    struct world *w = malloc(sizeof *w);
    start(w, 64 << 20);
    some(w, 1, STEPS);
    const unsigned bad = wrong(w, false, 0, w->step, w->lane, w->value);
    test_case(bad == 0, "the last writer of each byte", "%u of %u bytes have another", bad,
              (unsigned)MEMORY);
    struct lull_written_answer a = {0};
    test_case(!lull_written_find(w->log, 8, 0, 4096, false, UINT64_MAX, &a),
              "another address space has none", "by %u", a.by.kind);
    lull_written_forget(w->log, 7, 4096, 8192);
    const bool none = !lull_written_find(w->log, 7, 4096, 8192, false, UINT64_MAX, &a);
    const bool front = lull_written_find(w->log, 7, 4095, 1, false, UINT64_MAX, &a);
    const bool behind = lull_written_find(w->log, 7, 3 * 4096, 1, false, UINT64_MAX, &a);
    test_case(none && front && behind, "what is another's memory now is forgotten, and no more",
              "gone %d, in front %d, behind %d", none, front, behind);
    lull_written_free(w->log);
    free(w);
}

/** What was so at a mark. */
static struct world *copy_of(const struct world *w)
{
    struct world *r = malloc(sizeof *r);
    *r = *w;
    return r;
}

static void check_both(struct world *w, const struct world *then, const char *when)
{
    const unsigned before = wrong(w, true, 0, then->step, then->lane, then->value);
    const unsigned now = wrong(w, false, 0, w->step, w->lane, w->value);
    test_case(before == 0, when, "%u bytes have another writer before the first mark", before);
    test_case(now == 0, when, "%u bytes have another writer", now);
}

static void marks_and_back(bool dwords)
{
    struct world *w = malloc(sizeof *w);
    start(w, 64 << 20);
    w->dwords = dwords;
    some(w, 1, 300);
    struct world *then = copy_of(w);
    (void)lull_written_mark(w->log, 1);
    some(w, 301, 40);
    struct world *second = copy_of(w);
    (void)lull_written_mark(w->log, 2);
    some(w, 341, 60);
    struct world *third = copy_of(w);
    (void)lull_written_mark(w->log, 3);
    some(w, 401, 30);
    check_both(w, then, "behind three marks");
    lull_written_restore(w->log, 3);
    *w = *third;
    check_both(w, then, "back at the third");
    lull_written_restore(w->log, 2);
    *w = *second;
    check_both(w, then, "back at the second");
    some(w, 501, 50); // Otherwise than before.
    check_both(w, then, "and on from there");
    lull_written_drop(w->log, 2);
    check_both(w, then, "without the second");
    lull_written_restore(w->log, 1);
    *w = *then;
    check_both(w, then, "back at the first");
    some(w, 601, 20);
    lull_written_drop(w->log, UINT64_MAX);
    check_both(w, w, "without marks");
    lull_written_free(w->log);
    free(w);
    free(then);
    free(second);
    free(third);
}

static void bounded(void)
{
    enum { BYTES = 600 << 10 };
    struct world *w = malloc(sizeof *w);
    uint64_t most = 0;
    start(w, BYTES);
    for (uint32_t i = 1; i <= 20 * STEPS; i++) {
        some(w, i, 1);
        const uint64_t now = lull_written_bytes(w->log);
        most = now > most ? now : most;
    }
    test_case(most < BYTES + (200 << 10), "it stays within its memory", "%u KiB for %u",
              (unsigned)(most >> 10), (unsigned)(BYTES >> 10));
    const unsigned bad = wrong(w, false, 20 * STEPS - 1000, w->step, w->lane, w->value);
    test_case(bad == 0, "the newest are still right", "%u bytes have another writer", bad);
    lull_written_free(w->log);
    free(w);
}

int main(void)
{
    same_as_arrays();
    marks_and_back(false);
    marks_and_back(true);
    bounded();
    return test_end();
}
