// SPDX-License-Identifier: MIT
// Workgroups on several threads. What each item stores, and what atomics add up to, is computed
// here from the grid; an order that was asked for is compared with that of one thread.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
#include "kept_programs.h"
#include "model/state.h"
#include "order_program.h"
#include "test.h"

#include <inttypes.h>

enum {
    GROUPS = 384,
    ITEMS = 64,
    TOTAL = GROUPS * ITEMS,
    SUMS = 16,       // of groups by their number's low bits, then as many maxima
    TICKET = 128,    // offsets from ORDER_OUT
    OUT = 0x800,     // a result for each item
    TAKEN = 0x20000, // how often each ticket was taken
    BYTES = TAKEN + 4 * TOTAL,
    NO_MEMORY = 0x800000, // offset in the mapping: beyond it
    OTHER_CODE = 0x12000,
    LIMIT = 50000000,
    SLICE = 30000,
    WAITING = 8,                   // groups
    MANY = 16384,                  // groups
    RSRC2 = ORDER_RSRC2 | 1 << 15, // 512 bytes of LDS
};

// clang-format off
/** Each item takes what its mirror in the group has put into LDS, and a number of steps that its
 * group decides; then atomics of all kinds that give back or do not. */
static const uint32_t program[] = {
    0x84038602,                         // s_lshl_b32 s3, s2, 6
    0x4a020003,                         // v_add_nc_u32 v1, s3, v0
    0x30040082,                         // v_lshlrev_b32 v2, 2, v0
    0xd8340000, 0x00000102,             // ds_store_b32 v2, v1
    0xbf89fc07,                         // s_waitcnt lgkmcnt(0)
    0xbfbd0000,                         // s_barrier
    0x4c0604ff, 0x000000fc,             // v_sub_nc_u32 v3, 0xfc, v2
    0xd8d80000, 0x04000003,             // ds_load_b32 v4, v3
    0x8b048702,                         // s_and_b32 s4, s2, 7
    0x84048504,                         // s_lshl_b32 s4, s4, 5
    0xbf89fc07,                         // s_waitcnt lgkmcnt(0)
    0xd72c0004, 0x0001ff04, 0x0019660d, // again: v_mul_lo_u32 v4, v4, 0x19660d
    0x4a0808ff, 0x3c6ef35f,             // v_add_nc_u32 v4, 0x3c6ef35f, v4
    0x80848104,                         // s_sub_u32 s4, s4, 1
    0xbfa1fff9,                         // s_cbranch_scc0 again
    0x300a0282,                         // v_lshlrev_b32 v5, 2, v1
    0xdc6a0800, 0x00000405,             // global_store_b32 v5, v4, s[0:1] offset:0x800
    0x8b058f02,                         // s_and_b32 s5, s2, 15
    0x84058205,                         // s_lshl_b32 s5, s5, 2
    0x7e0c0205,                         // v_mov_b32 v6, s5
    0xdcd60000, 0x00000106,             // global_atomic_add_u32 v6, v1, s[0:1]
    0xdcee0040, 0x00000106,             // global_atomic_max_u32 v6, v1, s[0:1] offset:64
    0x7e0e0280,                         // v_mov_b32 v7, 0
    0x7e100281,                         // v_mov_b32 v8, 1
    0xdcd64080, 0x09000807,             // global_atomic_add_u32 v9, v7, v8, s[0:1] offset:128 glc
    0xbf8903f7,                         // s_waitcnt vmcnt(0)
    0x30121282,                         // v_lshlrev_b32 v9, 2, v9
    0x4a1212ff, 0x00020000,             // v_add_nc_u32 v9, 0x20000, v9
    0xdcd60000, 0x00000809,             // global_atomic_add_u32 v9, v8, s[0:1]
    0xbfb00000,                         // s_endpgm
};
/** Waits until a word is not 0, and stores it, a word for each group. */
static const uint32_t waits[] = {
    0x7e020280,             // v_mov_b32 v1, 0
    0x7e060280,             // v_mov_b32 v3, 0
    0xbf830001,             // look: s_sleep 1
    0xdcd64000, 0x02000301, // global_atomic_add_u32 v2, v1, v3, s[0:1] glc
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0x7e080502,             // v_readfirstlane_b32 s4, v2
    0xbf068004,             // s_cmp_eq_u32 s4, 0
    0xbfa2fff9,             // s_cbranch_scc1 look
    0x84058202,             // s_lshl_b32 s5, s2, 2
    0x7e020205,             // v_mov_b32 v1, s5
    0x7e060204,             // v_mov_b32 v3, s4
    0xdc6a0004, 0x00000301, // global_store_b32 v1, v3, s[0:1] offset:4
    0xbfb00000,             // s_endpgm
};
static const uint32_t tells[] = {
    0x7e020280,             // v_mov_b32 v1, 0
    0x7e040287,             // v_mov_b32 v2, 7
    0xdcd60000, 0x00000201, // global_atomic_add_u32 v1, v2, s[0:1]
    0xbfb00000,             // s_endpgm
};
static const uint32_t adds[] = {
    0x7e0e0280,             // v_mov_b32 v7, 0
    0x7e100281,             // v_mov_b32 v8, 1
    0xb00400ff,             // s_movk_i32 s4, 0xff
    0xdcd60000, 0x00000807, // again: global_atomic_add_u32 v7, v8, s[0:1]
    0x80848104,             // s_sub_u32 s4, s4, 1
    0xbfa1fffc,             // s_cbranch_scc0 again
    0xbfb00000,             // s_endpgm
};
/** Stores its group's number, a word for each, after it has slept with it in a register. */
static const uint32_t keeps[] = {
    0x84038202,             // s_lshl_b32 s3, s2, 2
    0x7e020203,             // v_mov_b32 v1, s3
    0x7e040202,             // v_mov_b32 v2, s2
    0xbf83000a,             // s_sleep 10
    0xdc6a0004, 0x00000201, // global_store_b32 v1, v2, s[0:1] offset:4
    0xbfb00000,             // s_endpgm
};
/** Each item of a group adds its number to its word 64 times, and to another. */
static const uint32_t runs[] = {
    0x84038602,             // s_lshl_b32 s3, s2, 6
    0x4a020003,             // v_add_nc_u32 v1, s3, v0
    0x30040082,             // v_lshlrev_b32 v2, 2, v0
    0xbe840000,             // s_mov_b32 s4, s0
    0xbe850001,             // s_mov_b32 s5, s1
    0xbe8600c1,             // s_mov_b32 s6, -1
    0xbe8700ff, 0x31016fac, // s_mov_b32 s7, 0x31016fac
    0xb008003f,             // s_movk_i32 s8, 0x3f
    0xe0d40000, 0x80410102, // again: buffer_atomic_add_u32 v1, v2, s[4:7], 0 offen
    0xe0d40204, 0x80410102, // buffer_atomic_add_u32 v1, v2, s[4:7], 0 offen offset:516
    0x80888108,             // s_sub_u32 s8, s8, 1
    0xbfa1fffa,             // s_cbranch_scc0 again
    0xbfb00000,             // s_endpgm
};
/** Writes VGPRs to v13 in several ways. */
static const uint32_t writes[] = {
    0x7e0202c1,             // v_mov_b32 v1, -1
    0x7e040280,             // v_mov_b32 v2, 0
    0xca100101, 0x06060100, // v_dual_mov_b32 v6, v1 :: v_dual_mov_b32 v7, v0
    0xd73c0008, 0x00020c81, // v_lshlrev_b64 v[8:9], 1, v[6:7]
    0xdc5e0000, 0x0a000002, // global_load_b128 v[10:13], v2, s[0:1]
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xbfb00000,             // s_endpgm
};
/** Writes one that M0 chooses, v13. */
static const uint32_t chooses[] = {
    0x7e0202c1, // v_mov_b32 v1, -1
    0xbefd008a, // s_mov_b32 m0, 10
    0x7e068501, // v_movreld_b32 v3, v1
    0xbfb00000, // s_endpgm
};
/** Each item stores what stands in v1 to v13 when it begins. */
static const uint32_t shows[] = {
    0x84038602,             // s_lshl_b32 s3, s2, 6
    0x4a1c0003,             // v_add_nc_u32 v14, s3, v0
    0x301c1c82,             // v_lshlrev_b32 v14, 2, v14
    0xd6580001, 0x040e0501, // v_or3_b32 v1, v1, v2, v3
    0xd6580004, 0x041a0b04, // v_or3_b32 v4, v4, v5, v6
    0xd6580007, 0x04261107, // v_or3_b32 v7, v7, v8, v9
    0xd658000a, 0x0432170a, // v_or3_b32 v10, v10, v11, v12
    0xd6580001, 0x041e0901, // v_or3_b32 v1, v1, v4, v7
    0xd6580001, 0x04361501, // v_or3_b32 v1, v1, v10, v13
    0xdc6a0010, 0x0000010e, // global_store_b32 v14, v1, s[0:1] offset:16
    0xbfb00000,             // s_endpgm
};
// clang-format on

/** Work of one job. */
struct job {
    enum lull_ring ring;
    uint32_t n, code, out, groups, items; ///< code, out: offsets in the mapping.
};

static void submit(struct fixture *f, const struct job *j)
{
    const uint64_t pgm = (FIXTURE_VA + j->code) >> 8, out = FIXTURE_VA + j->out;
    const uint32_t at = FIXTURE_IB + j->n * ORDER_IB_BYTES;
    const uint32_t user[2] = {(uint32_t)out, (uint32_t)(out >> 32)};
    struct lull_pm4_builder b =
        lull_pm4_builder_of((uint32_t *)(void *)fixture_mem(f, at), ORDER_IB_BYTES / 4);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC1, 1u << 29 | 1u << 30 | 1);
    lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_PGM_RSRC2, RSRC2);
    lull_pm4_set_sh(&b, LULL_GC11_COMPUTE_USER_DATA_0, user, 2);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, i == 0 ? j->items : 1);
    }
    lull_pm4_dispatch(&b, j->groups, 1, 1, ORDER_W32);
    const struct lull_gpu_job job = {
        .vmid = FIXTURE_VMID,
        .cookie = j->n,
        .stream = j->n + 1,
        .nibs = 1,
        .ib = {{.va = FIXTURE_VA + at, .ndwords = (uint32_t)b.ndwords}}};
    struct lull_error *err = lull_gpu_submit(f->g, j->ring, &job);
    if (err != NULL || b.overflow) {
        abort();
    }
}

static struct fixture start(unsigned threads)
{
    const struct fixture f = fixture_of((struct lull_gpu_config){.threads = threads});
    memcpy(fixture_mem(&f, ORDER_CODE), program, sizeof program);
    return f;
}

static uint64_t longest;       // cycles of a run
static uint64_t slice = SLICE; // that it gets

/** Run until @p n jobs are done. False: one was not, or they never end. */
static bool finish(struct fixture *f, unsigned n)
{
    struct lull_gpu_done done = {0};
    for (uint64_t used = 0; n > 0 && used < LIMIT;) {
        const uint64_t now = lull_gpu_run(f->g, slice);
        longest = now > longest ? now : longest;
        used += now != 0 ? now : slice;
        while (lull_gpu_next_done(f->g, &done)) {
            n--;
            if (done.result != LULL_JOB_DONE) {
                return false;
            }
        }
    }
    return n == 0;
}

/** What item @p i of group @p g stores. */
static uint32_t result_of(uint32_t g, uint32_t i)
{
    uint32_t v = g * ITEMS + ITEMS - 1 - i;
    for (uint32_t k = 0; k <= 32 * (g % 8); k++) {
        v = v * 0x19660d + 0x3c6ef35f;
    }
    return v;
}

/** Compare what program has left at @p out. */
static void check(const struct fixture *f, uint32_t out, const char *name, unsigned threads)
{
    uint32_t wrong = 0, first = 0, sums[SUMS] = {0}, maxima[SUMS] = {0}, bad_sums = 0, twice = 0;
    for (uint32_t id = 0; id < TOTAL; id++) {
        const uint32_t k = id / ITEMS % SUMS;
        const bool ok = fixture_u32(f, out + OUT + 4 * id) == result_of(id / ITEMS, id % ITEMS);
        first = ok || wrong != 0 ? first : id;
        wrong += !ok;
        sums[k] += id;
        maxima[k] = id;
        twice += fixture_u32(f, out + TAKEN + 4 * id) != 1;
    }
    for (uint32_t k = 0; k < SUMS; k++) {
        bad_sums +=
            fixture_u32(f, out + 4 * k) != sums[k] || fixture_u32(f, out + 64 + 4 * k) != maxima[k];
    }
    test_case(wrong == 0, name, "%u threads: %u results are wrong, first item %u", threads, wrong,
              first);
    test_case(bad_sums == 0 && twice == 0 && fixture_u32(f, out + TICKET) == TOTAL, "atomics",
              "%s, %u threads: %u sums or maxima, %u tickets, %u of %d in all", name, threads,
              bad_sums, twice, fixture_u32(f, out + TICKET), TOTAL);
}

/** All groups, and time that passes as with one thread. */
static void test_results(void)
{
    uint64_t time = 0;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct fixture f = start(threads);
        submit(&f,
               &(const struct job){LULL_RING_COMPUTE0, 0, ORDER_CODE, ORDER_OUT, GROUPS, ITEMS});
        longest = 0;
        test_case(finish(&f, 1), "ends", "%u threads", threads);
        // A group of each thread may have its whole turn, and a launch takes a cycle.
        const uint64_t most = SLICE + threads * (uint64_t)LULL_GROUP_TURN + GROUPS;
        test_case(longest > SLICE / 2 && longest <= most, "runs end", "%u threads: %" PRIu64,
                  threads, longest);
        check(&f, ORDER_OUT, "results", threads);
        time = threads == 1 ? lull_gpu_time(f.g) : time;
        test_case(lull_gpu_time(f.g) == time && f.g->nwaves == 0 && f.g->ngroups == 0, "time",
                  "%u threads: %" PRIu64 " cycles, %" PRIu64 " with one; %u waves left", threads,
                  lull_gpu_time(f.g), time, f.g->nwaves);
        fixture_free(&f);
    }
}

/** All lanes add to one word, and do little else. */
static void test_adds(void)
{
    struct fixture f = start(4);
    memcpy(fixture_mem(&f, OTHER_CODE), adds, sizeof adds);
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, ORDER_OUT, GROUPS, ITEMS});
    const bool ended = finish(&f, 1);
    test_case(ended && fixture_u32(&f, ORDER_OUT) == 256u * TOTAL, "adds to one word",
              "ended %d, %u of %u", ended, fixture_u32(&f, ORDER_OUT), 256u * TOTAL);
    fixture_free(&f);
}

/** Groups add to the same words, which stand one after the other, aligned to 16 bytes and not. */
static void test_runs(void)
{
    enum { ROUNDS = 64, SECOND = 516 };
    struct fixture f = start(4);
    memcpy(fixture_mem(&f, OTHER_CODE), runs, sizeof runs);
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, ORDER_OUT, GROUPS, ITEMS});
    const bool ended = finish(&f, 1);
    unsigned wrong = 0;
    for (uint32_t i = 0; i < ITEMS; i++) {
        const uint32_t want = ROUNDS * (GROUPS * i + ITEMS * (GROUPS * (GROUPS - 1) / 2));
        wrong += fixture_u32(&f, ORDER_OUT + 4 * i) != want;
        wrong += fixture_u32(&f, ORDER_OUT + SECOND + 4 * i) != want;
    }
    test_case(ended && wrong == 0, "adds to a run of words", "ended %d, %u sums are wrong", ended,
              wrong);
    fixture_free(&f);
}

/** What threads keep of adds is in memory when the job is done, and before whoever may know of it
 * goes on. */
static void test_kept(void)
{
    enum { FIRST = 516, COPY = 0x20000, WORDS = 32, PAIRS = GROUPS / 2 };
    enum what { LAST, PASSES, SAYS, FEW };
    static const struct {
        const char *name;
        enum what what;
        const uint32_t *words;
        size_t size;
    } rows[] = {
        {"adds at the end", LAST, kept_last, sizeof kept_last},
        {"before a barrier goes on", PASSES, kept_passes, sizeof kept_passes},
        {"before it is said", SAYS, kept_says, sizeof kept_says},
        {"adds of some lanes at the end", FEW, kept_few, sizeof kept_few},
        {"global adds at the end", LAST, kept_last_global, sizeof kept_last_global},
        {"flat adds at the end", LAST, kept_last_flat, sizeof kept_last_flat},
        {"global, of some lanes", FEW, kept_few_global, sizeof kept_few_global},
        {"global, before a barrier", PASSES, kept_passes_global, sizeof kept_passes_global},
    };
    for (unsigned n = 0; n < TEST_ROWS(rows) * 3; n++) {
        const unsigned row = n / 3, threads = 2 + n % 3;
        const enum what what = rows[row].what;
        struct fixture f = start(threads);
        memcpy(fixture_mem(&f, OTHER_CODE), rows[row].words, rows[row].size);
        submit(&f,
               &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, ORDER_OUT, GROUPS, ITEMS});
        const bool ended = finish(&f, 1);
        unsigned wrong = 0;
        for (uint32_t i = 0; what == LAST && i < 2 * ITEMS; i++) {
            const uint32_t odd = i / ITEMS;
            const uint32_t want = PAIRS * (i % ITEMS) + ITEMS * PAIRS * (PAIRS - 1 + odd);
            wrong += fixture_u32(&f, ORDER_OUT + FIRST + 0x1000 * odd + 4 * (i % ITEMS)) != want;
        }
        for (uint32_t i = 0; what == PASSES && i < GROUPS * WORDS; i++) {
            wrong += fixture_u32(&f, ORDER_OUT + COPY + 4 * i) != i / WORDS + 4 * (i % WORDS);
        }
        for (uint32_t i = 0; what == SAYS && i < PAIRS * ITEMS; i++) {
            wrong += fixture_u32(&f, ORDER_OUT + COPY + 4 * i) != i / ITEMS * 2 + 4 * (i % ITEMS);
        }
        const uint32_t total = 4 * (GROUPS * (GROUPS - 1) / 2);
        wrong += what == FEW && fixture_u32(&f, ORDER_OUT + 4) != total;
        test_case(ended && wrong == 0, rows[row].name, "%u threads: ended %d, %u words are wrong",
                  threads, ended, wrong);
        fixture_free(&f);
    }
}

static bool lets(void *ctx, const struct lull_gpu_launch *l, bool again, uint64_t *id,
                 struct lull_gpu_relaunch *how)
{
    (void)ctx;
    (void)l;
    (void)again;
    (void)how;
    *id = 1;
    return true;
}

static void counts(void *ctx, uint64_t id, uint64_t groups, bool killed)
{
    *(uint64_t *)ctx += killed || id != 1 ? 0 : groups;
}

/** Short groups: each once, and threads meet far less often than groups begin. */
static void test_stretches(void)
{
    for (unsigned threads = 2; threads <= 8; threads++) {
        struct fixture f = start(threads);
        uint64_t groups = 0;
        lull_gpu_watch(
            f.g, &(const struct lull_gpu_watcher){.ctx = &groups, .launch = lets, .ended = counts});
        memcpy(fixture_mem(&f, OTHER_CODE), tells, sizeof tells);
        submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, ORDER_OUT, MANY, 1});
        const bool ended = finish(&f, 1);
        const uint64_t locked = f.g->share.locked;
        const uint64_t items = f.g->rings[LULL_RING_COMPUTE0].invocations;
        test_case(ended && fixture_u32(&f, ORDER_OUT) == 7 * MANY, "short groups",
                  "%u threads: ended %d, %u of %d", threads, ended, fixture_u32(&f, ORDER_OUT),
                  7 * MANY);
        test_case(groups == MANY && items == MANY, "counted",
                  "%u threads: %" PRIu64 " groups, %" PRIu64 " items", threads, groups, items);
        test_case(locked != 0 && locked < MANY / 32, "stretches",
                  "%u threads: the lock was taken %" PRIu64 " times", threads, locked);
        fixture_free(&f);
    }
}

/** Stretches are begun and not launched to their ends. */
static bool is_cut(const struct fixture *f)
{
    const struct lull_work *d = f->g->rings[LULL_RING_COMPUTE0].works;
    return d != NULL && (d->ranges & ~(UINT32_C(1) << LULL_WORK_REST)) != 0;
}

/** What threads leave of their stretches is launched by one thread, too, and is in a saved GPU. */
static void test_cuts(void)
{
    struct fixture f = start(4);
    const struct job j = {LULL_RING_COMPUTE0, 0, ORDER_CODE, ORDER_OUT, GROUPS, ITEMS};
    bool cut = false;
    for (unsigned i = 0; i < 1000 && !cut; i++) {
        memset(fixture_mem(&f, ORDER_OUT), 0, BYTES);
        submit(&f, &j);
        while (!cut && !lull_gpu_next_done(f.g, &(struct lull_gpu_done){0})) {
            lull_gpu_run(f.g, SLICE / 4);
            cut = is_cut(&f);
        }
    }
    struct lull_gpu_state state = {0};
    struct lull_error *err = lull_gpu_save(f.g, false, &state);
    test_case(cut && err == NULL, "a stretch is cut", "no, or not saved");
    bool ended = finish(&f, 1);
    test_case(ended, "one thread ends it", "no");
    check(&f, ORDER_OUT, "stretches that one thread ends", 1);
    err = err == NULL ? lull_gpu_restore(f.g, false, &state) : err;
    ended = err == NULL && finish(&f, 1);
    test_case(ended, "a saved GPU ends it", "no");
    check(&f, ORDER_OUT, "stretches of a saved GPU", 1);
    lull_error_free(err);
    lull_gpu_state_done(&state);
    fixture_free(&f);
}

/** Waves that are started when they first run have registers of their own, and all that are on the
 * GPU are started when it stands. */
static void test_late(void)
{
    enum { SHORT = 200, SLEEP = 48, PART = 97 };
    struct fixture f = start(1);
    memcpy(fixture_mem(&f, OTHER_CODE), keeps, sizeof keeps);
    memcpy(fixture_mem(&f, OTHER_CODE + 0x100), tells, sizeof tells);
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE + 0x100, ORDER_OUT, SHORT, 1});
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 1, OTHER_CODE, ORDER_OUT, SLEEP, 1});
    unsigned waves = 0, late = 0, done = 0, wrong = 0;
    struct lull_gpu_done ended = {0};
    for (unsigned i = 0; i < LIMIT / PART && done < 2; i++) {
        lull_gpu_run(f.g, PART);
        for (unsigned k = lull_gpu_next_wave(f.g, 0); k < f.g->nslots;
             k = lull_gpu_next_wave(f.g, k + 1)) {
            const struct lull_gpu_slot *s = &f.g->slots[k];
            late += s->w.wg != &s->group->wg || s->w.owner != s;
            waves++;
        }
        while (lull_gpu_next_done(f.g, &ended)) {
            done++;
        }
    }
    for (uint32_t i = 0; i < SLEEP; i++) {
        wrong += fixture_u32(&f, ORDER_OUT + 4 + 4 * i) != i;
    }
    test_case(waves > SHORT && late == 0, "waves seen", "%u, %u of them not started", waves, late);
    test_case(done == 2 && wrong == 0 && fixture_u32(&f, ORDER_OUT) == 7 * SHORT,
              "registers of their own", "%u jobs done, %u wrong", done, wrong);
    fixture_free(&f);
}

/** Two rings: one waits, asleep, until a dispatch behind a long one on the other tells it. */
static void test_queues(void)
{
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct fixture f = start(threads);
        const uint32_t flag = 0x100000;
        memcpy(fixture_mem(&f, OTHER_CODE), waits, sizeof waits);
        memcpy(fixture_mem(&f, OTHER_CODE + 0x100), tells, sizeof tells);
        submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, flag, WAITING, 32});
        submit(&f, &(const struct job){LULL_RING_GFX, 1, ORDER_CODE, ORDER_OUT, GROUPS, ITEMS});
        submit(&f, &(const struct job){LULL_RING_GFX, 2, OTHER_CODE + 0x100, flag, 1, 1});
        const bool ended = finish(&f, 3);
        unsigned told = 0;
        for (uint32_t i = 1; i <= WAITING; i++) {
            told += fixture_u32(&f, flag + 4 * i) == 7;
        }
        test_case(ended && told == WAITING, "two queues", "%u threads: ended %d, told %u", threads,
                  ended, told);
        check(&f, ORDER_OUT, "beside one that waits", threads);
        fixture_free(&f);
    }
}

/** Code that the host changes, and pages that come to lie elsewhere, are seen by all threads. */
static void test_changes(void)
{
    static const uint32_t ends = 0xbfb00000; // s_endpgm
    struct fixture f = start(4);
    const struct job j = {LULL_RING_COMPUTE0, 0, ORDER_CODE, ORDER_OUT, GROUPS, ITEMS};
    submit(&f, &j);
    bool ended = finish(&f, 1);
    memset(fixture_mem(&f, ORDER_OUT), 0, BYTES);
    memcpy(fixture_mem(&f, ORDER_CODE), &ends, sizeof ends);
    submit(&f, &j);
    ended = finish(&f, 1) && ended;
    uint32_t stored = 0;
    for (uint32_t i = 0; i < BYTES; i += 4) {
        stored += fixture_u32(&f, ORDER_OUT + i) != 0;
    }
    test_case(ended && stored == 0, "other code", "ended %d, %u words are stored", ended, stored);
    memcpy(fixture_mem(&f, ORDER_CODE), program, sizeof program);
    submit(&f, &j);
    ended = finish(&f, 1);
    memset(fixture_mem(&f, ORDER_OUT), 0, BYTES);
    uint64_t *t = (uint64_t *)(void *)(lull_gpu_phys(f.g)->vram + FIXTURE_TABLES);
    const uint32_t moved = 0x200000;
    for (uint32_t i = 0; i < (BYTES + 0xfff) / 0x1000; i++) {
        t[1536 + ORDER_OUT / 0x1000 + i] += moved;
    }
    lull_gpu_flush_tlb(f.g, FIXTURE_VMID);
    submit(&f, &j);
    ended = finish(&f, 1) && ended;
    test_case(ended, "pages that have moved", "it does not end");
    check(&f, ORDER_OUT + moved, "pages that have moved", 4);
    fixture_free(&f);
}

/** Refused stores are in the fault registers, stop the job and nothing else. */
static void test_faults(void)
{
    struct fixture f = start(4);
    const struct lull_bank bank = {0};
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 0, ORDER_CODE, NO_MEMORY, GROUPS, ITEMS});
    (void)finish(&f, 1);
    const uint64_t page =
        lull_gpu_read_reg(f.g, bank, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32) |
        (uint64_t)lull_gpu_read_reg(f.g, bank, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32) << 32;
    const uint64_t first = (FIXTURE_VA + NO_MEMORY) >> 12;
    test_case(page >= first && page <= first + TOTAL * 4 / 4096 + 1 && f.g->nwaves != 0, "a fault",
              "page 0x%" PRIx64 ", %u waves stand", page, f.g->nwaves);
    lull_gpu_reset_ring(f.g, LULL_RING_COMPUTE0);
    struct lull_gpu_done done = {0};
    const bool killed = lull_gpu_next_done(f.g, &done) && done.result == LULL_JOB_KILLED;
    submit(&f, &(const struct job){LULL_RING_COMPUTE0, 1, ORDER_CODE, ORDER_OUT, GROUPS, ITEMS});
    test_case(killed && finish(&f, 1), "and then", "killed %d", killed);
    check(&f, ORDER_OUT, "after a fault", 4);
    fixture_free(&f);
}

static void see(struct lull_observer *o, const struct lull_observed *at)
{
    (void)o;
    (void)at;
}

/** What order_program, whose results are those of its order, leaves in @p ret. */
static bool run_ordered(unsigned threads, uint64_t seed, bool observed, bool traps,
                        uint8_t ret[ORDER_BYTES])
{
    struct fixture f = fixture_of((struct lull_gpu_config){.threads = threads, .seed = seed});
    struct lull_observer observer = {.before = see};
    memcpy(fixture_mem(&f, ORDER_CODE), order_program, sizeof order_program);
    memcpy(fixture_mem(&f, ORDER_HANDLER), order_waiting, sizeof order_waiting);
    if (observed) {
        lull_gpu_observe(f.g, &observer);
    }
    if (traps) {
        const struct lull_bank bank = {.srbm = FIXTURE_VMID << 4};
        const uint64_t tba = (FIXTURE_VA + ORDER_HANDLER) >> 8;
        lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_LO, (uint32_t)tba);
        lull_gpu_write_reg(f.g, bank, LULL_GC11_SQ_SHADER_TBA_HI, (uint32_t)(tba >> 32) | 1u << 31);
    }
    order_submit(&f, LULL_RING_COMPUTE0, 0, 2, ORDER_GROUPS);
    order_submit(&f, LULL_RING_GFX, 1, 2, ORDER_GROUPS);
    const bool ended = finish(&f, 2);
    memcpy(ret, fixture_mem(&f, ORDER_OUT), ORDER_BYTES);
    fixture_free(&f);
    return ended;
}

/** With a seed, an observer or a trap handler the order is that of one thread. */
static void test_order(void)
{
    static const struct {
        const char *name;
        uint64_t seed;
        bool observed, traps;
    } rows[] = {
        {"seed 1", 1, false, false},
        {"seed 2", 2, false, false},
        {"an observer", 0, true, false},
        {"a trap handler", 0, false, true},
    };
    static uint8_t want[ORDER_BYTES], got[ORDER_BYTES];
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const bool one = run_ordered(1, rows[i].seed, rows[i].observed, rows[i].traps, want);
        const bool four = run_ordered(4, rows[i].seed, rows[i].observed, rows[i].traps, got);
        test_case(one && four && memcmp(want, got, ORDER_BYTES) == 0, rows[i].name,
                  "ended %d and %d, or another order", one, four);
    }
}

/** The order of one thread does not depend on how often the GPU is run. */
static void test_alone(void)
{
    static const uint64_t slices[] = {97, 1009, SLICE, 1 << 20};
    static uint8_t want[ORDER_BYTES], got[ORDER_BYTES];
    for (size_t i = 0; i < TEST_ROWS(slices); i++) {
        slice = slices[i];
        const bool ended = run_ordered(1, 0, false, false, got);
        memcpy(want, got, i == 0 ? ORDER_BYTES : 0);
        test_case(ended && memcmp(want, got, ORDER_BYTES) == 0, "one thread, cut anywhere",
                  "runs of %" PRIu64 ": ended %d, or another order", slice, ended);
    }
    slice = SLICE;
}

/** What a team does: each turn calls some numbers, and they work inside of it, or not at all. */
struct turns {
    unsigned called; // numbers below it, from lull_team_run() to its end; 0: nobody
    unsigned length; // of the caller's part
    unsigned inside, outside, late;
};

static void work_in_turn(void *arg, unsigned number)
{
    struct turns *t = arg;
    const bool called = number < __atomic_load_n(&t->called, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(called ? &t->inside : &t->outside, 1, __ATOMIC_RELAXED);
    const unsigned length = number != 0 ? 50 * number : t->length;
    for (volatile unsigned i = 0; i < length; i++) {
    }
    // Whoever has begun is waited for.
    const bool still = number < __atomic_load_n(&t->called, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&t->late, called && !still, __ATOMIC_RELAXED);
}

static void test_team(void)
{
    enum { TURNS = 20000 };
    struct lull_gpu_team *team = lull_team_new(4);
    struct turns t = {0};
    for (unsigned i = 0; team != NULL && i < TURNS; i++) {
        const unsigned n = 1 + i * 7 % 11 % 4;
        t.length = i % 5 * 1000;
        __atomic_store_n(&t.called, n, __ATOMIC_RELEASE);
        lull_team_run(team, n, work_in_turn, &t);
        __atomic_store_n(&t.called, 0, __ATOMIC_RELEASE);
    }
    lull_team_free(team);
    printf("# %u turns, worked %u times\n", TURNS, t.inside);
    test_case(t.inside >= TURNS && t.outside == 0 && t.late == 0,
              "who is called works in the turn, or not at all", "%u outside, %u late", t.outside,
              t.late);
}

/** Registers start as 0, whatever waves before left in that memory. */
static void test_zeros(void)
{
    static const struct {
        const char *name;
        const uint32_t *words;
        size_t size;
    } before[] = {{"written by many instructions", writes, sizeof writes},
                  {"chosen by M0", chooses, sizeof chooses}};
    enum { SHOWS = OTHER_CODE + 0x800 };
    for (unsigned i = 0; i < 2 * TEST_ROWS(before); i++) {
        const size_t row = i / 2;
        const unsigned threads = i % 2 == 0 ? 1 : 3;
        struct fixture f = start(threads);
        memcpy(fixture_mem(&f, OTHER_CODE), before[row].words, before[row].size);
        memcpy(fixture_mem(&f, SHOWS), shows, sizeof shows);
        memset(fixture_mem(&f, ORDER_OUT), 0xff, 16 + 4 * TOTAL);
        submit(&f,
               &(const struct job){LULL_RING_COMPUTE0, 0, OTHER_CODE, ORDER_OUT, GROUPS, ITEMS});
        bool ended = finish(&f, 1);
        submit(&f, &(const struct job){LULL_RING_COMPUTE0, 1, SHOWS, ORDER_OUT, GROUPS, ITEMS});
        ended = finish(&f, 1) && ended;
        unsigned wrong = 0;
        for (uint32_t id = 0; id < TOTAL; id++) {
            wrong += fixture_u32(&f, ORDER_OUT + 16 + 4 * id) != 0;
        }
        test_case(ended && wrong == 0, "registers start as 0",
                  "%s, %u threads: ended %d, %u of %d not", before[row].name, threads, ended, wrong,
                  TOTAL);
        fixture_free(&f);
    }
}

int main(void)
{
    test_results();
    test_zeros();
    test_adds();
    test_runs();
    test_kept();
    test_stretches();
    test_cuts();
    test_late();
    test_queues();
    test_changes();
    test_faults();
    test_order();
    test_alone();
    test_team();
    return test_end();
}
