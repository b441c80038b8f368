// SPDX-License-Identifier: MIT
// The host's unit against the integer code, bit for bit, in loops that the compiler may vectorise.
#include "model/fp/fp_host.h"
#include "model/fp_ref.h"
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LANES = 32 };

typedef void loop(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d, uint32_t m);

static void host_add(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    (void)c;
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_add_host(a[i], b[i], m);
    }
}

static void host_sub(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    (void)c;
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_sub_host(a[i], b[i], m);
    }
}

static void host_mul(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    (void)c;
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_mul_host(a[i], b[i], m);
    }
}

static void host_fma(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_fma_host(a[i], b[i], c[i], m);
    }
}

static void host_min(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    (void)c;
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_min_host(a[i], b[i], m);
    }
}

static void host_max(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d,
                     uint32_t m)
{
    (void)c;
    for (unsigned i = 0; i < LANES; i++) {
        d[i] = lull_f32_max_host(a[i], b[i], m);
    }
}

static const struct {
    const char *name;
    loop *host;
    uint32_t (*two)(uint32_t, uint32_t, uint32_t);
    uint32_t (*three)(uint32_t, uint32_t, uint32_t, uint32_t);
} rows[] = {
    {"add", host_add, lull_f32_add, NULL}, {"sub", host_sub, lull_f32_sub, NULL},
    {"mul", host_mul, lull_f32_mul, NULL}, {"fma", host_fma, NULL, lull_f32_fma},
    {"min", host_min, lull_f32_min, NULL}, {"max", host_max, lull_f32_max, NULL},
};

static void check(size_t r, unsigned count, uint64_t seed)
{
    uint32_t s[3][LANES] = {{0}}, d[LANES] = {0}, want = 0, m = 0;
    uint64_t first = seed;
    unsigned i = 0, l = 0;
    bool ok = true;
    for (i = 0; ok && i < count; i++) {
        m = ref_mode(&seed) | ((uint32_t)seed & LULL_FP_IEEE);
        if (!lull_fp_host_ok(m)) {
            continue;
        }
        for (l = 0; l < LANES; l++) {
            s[0][l] = (uint32_t)ref_number(ref32, &seed);
            s[1][l] =
                l % 7 ? (uint32_t)ref_number(ref32, &seed) : s[0][l] ^ (uint32_t)(seed & 1) << 31;
            s[2][l] = (uint32_t)ref_number(ref32, &seed);
        }
        uint32_t saved = lull_fp_host_begin(m);
        rows[r].host(s[0], s[1], s[2], d, m);
        lull_fp_host_end(saved);
        for (l = 0; ok && l < LANES; l++) {
            want = rows[r].two ? rows[r].two(s[0][l], s[1][l], m)
                               : rows[r].three(s[0][l], s[1][l], s[2][l], m);
            ok = d[l] == want;
        }
    }
    l -= l > 0;
    test_case(ok, rows[r].name, "seed %" PRIu64 " mode %#x: %#x %#x %#x got %#x want %#x", first, m,
              s[0][l], s[1][l], s[2][l], d[l], want);
}

/** Whether the host's unit takes the least denormal for 0. */
static bool flushes(void)
{
    volatile uint32_t least = 1;
    const uint32_t a[LANES] = {least}, one[LANES] = {0x3f800000}, none[LANES] = {0};
    uint32_t d[LANES] = {0};
    host_mul(a, one, none, d, 0);
    return d[0] == 0;
}

/** Who holds the thread keeps what waves have set; and gets back what was before. */
static void check_hold(void)
{
    const uint32_t flush = 0, keep = 3u << LULL_FP_DENORM_F32_SHIFT;
    const bool before = flushes();
    uint32_t saved = lull_fp_host_begin(flush);
    lull_fp_host_pause(saved);
    test_case(!before && !flushes(), "pause", "denormals are flushed behind a wave");
    const uint32_t held = lull_fp_host_hold();
    saved = lull_fp_host_begin(flush);
    const bool in_wave = flushes();
    lull_fp_host_pause(saved);
    const bool between = flushes();
    lull_fp_host_begin(keep);
    const bool in_other = flushes();
    lull_fp_host_begin(flush);
    lull_fp_host_release(held);
    test_case(in_wave && between && !in_other, "hold", "in a wave %d, behind it %d, in another %d",
              in_wave, between, in_other);
    test_case(!flushes(), "release", "denormals are flushed");
    saved = lull_fp_host_begin(flush);
    lull_fp_host_pause(saved);
    test_case(!flushes(), "pause again", "denormals are flushed behind a wave");
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    for (size_t r = 0; r < TEST_ROWS(rows); r++) {
        check(r, 20000, seed + r);
    }
    check_hold();
    return test_end();
}
