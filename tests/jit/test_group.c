// SPDX-License-Identifier: MIT
// Waves of compiled code from barrier to barrier: order_program, whose results are those of its
// order, as waves that go on by themselves leave it and as an engine that is called for each of
// them. It sleeps, too, and its waves come to barriers at different times.
#include <inttypes.h>

#include "jit/jit.h"
#include "model/order_program.h"
#include "test.h"

enum { LIMIT = 50000000, GROUPS = 96 };

/** What a run has left. */
struct left {
    bool ended;
    uint64_t time;
    uint8_t bytes[ORDER_RESULT + 4 * GROUPS * ORDER_ITEMS];
};

static unsigned calls;

/** lull_wave_run(), but the GPU does not know it. */
static uint32_t one_wave(struct lull_wave *w, uint32_t budget)
{
    calls++;
    return lull_wave_run(w, budget);
}

static void run(const struct lull_engine *engine, uint64_t slice, bool each, struct left *ret)
{
    struct fixture f =
        fixture_of((struct lull_gpu_config){.threads = 1, .engine = engine, .wgp_per_sa = 1});
    struct lull_gpu_done done = {0};
    memcpy(fixture_mem(&f, ORDER_CODE), order_program, sizeof order_program);
    if (each) {
        lull_gpu_set_engine(f.g, one_wave);
    }
    order_submit(&f, LULL_RING_COMPUTE0, 0, 1, GROUPS);
    ret->ended = false;
    for (uint64_t used = 0; !ret->ended && used < LIMIT;) {
        const uint64_t n = lull_gpu_run(f.g, slice);
        used += n != 0 ? n : slice;
        ret->ended = lull_gpu_next_done(f.g, &done) && done.result == LULL_JOB_DONE;
    }
    ret->time = f.g->time;
    memcpy(ret->bytes, fixture_mem(&f, ORDER_OUT), sizeof ret->bytes);
    fixture_free(&f);
}

int main(void)
{
    static const uint64_t slices[] = {1009, 30000, 1 << 20};
    static struct left want, got;
    const struct lull_engine *engine = NULL;
    struct lull_error *err = lull_jit_engine(NULL, &engine);
    if (err != NULL) {
        test_skip("%s", lull_error_message(err));
        lull_error_free(err);
        return test_end();
    }
    for (size_t i = 0; i < TEST_ROWS(slices); i++) {
        run(engine, slices[i], true, &want);
        run(engine, slices[i], false, &got);
        test_case(want.ended && got.ended && want.time == got.time, "time",
                  "slices of %" PRIu64 ": %" PRIu64 ", one by one %" PRIu64, slices[i], got.time,
                  want.time);
        test_case(memcmp(want.bytes, got.bytes, sizeof want.bytes) == 0, "order",
                  "slices of %" PRIu64 ": another than one by one", slices[i]);
    }
    test_case(calls > GROUPS, "one by one", "%u calls", calls);
    return test_end();
}
