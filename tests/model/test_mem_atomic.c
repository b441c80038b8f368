// SPDX-License-Identifier: MIT
// Atomics: lanes on few addresses, in order, against C arithmetic.
#include <stdint.h>

#include "mem_atomic_rows.h"
#include "wave_fixture.h"

enum { DATA = 8, DST = 14, ADDRESS = 2, SLOTS = 8 };

typedef uint64_t value_fn(uint64_t mem, uint64_t a, uint64_t b);

static float f32(uint64_t v)
{
    const uint32_t u = (uint32_t)v;
    float f = 0;
    memcpy(&f, &u, 4);
    return f;
}

static double f64(uint64_t v)
{
    double d = 0;
    memcpy(&d, &v, 8);
    return d;
}

static uint64_t bits32(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, 4);
    return u;
}

// clang-format off
static uint64_t swap(uint64_t m, uint64_t a, uint64_t b) { (void)m, (void)b; return a; }
static uint64_t cas(uint64_t m, uint64_t a, uint64_t b) { return m == b ? a : m; }
static uint64_t add(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m + a; }
static uint64_t sub(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m - a; }
static uint64_t rsub(uint64_t m, uint64_t a, uint64_t b) { (void)b; return a - m; }
static uint64_t csub(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m < a ? 0 : m - a; }
static uint64_t imin32(uint64_t m, uint64_t a, uint64_t b) { (void)b; return (int32_t)m < (int32_t)a ? m : a; }
static uint64_t imax32(uint64_t m, uint64_t a, uint64_t b) { (void)b; return (int32_t)m > (int32_t)a ? m : a; }
static uint64_t imin64(uint64_t m, uint64_t a, uint64_t b) { (void)b; return (int64_t)m < (int64_t)a ? m : a; }
static uint64_t imax64(uint64_t m, uint64_t a, uint64_t b) { (void)b; return (int64_t)m > (int64_t)a ? m : a; }
static uint64_t umin(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m < a ? m : a; }
static uint64_t umax(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m > a ? m : a; }
static uint64_t and(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m & a; }
static uint64_t or(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m | a; }
static uint64_t xor(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m ^ a; }
static uint64_t mskor(uint64_t m, uint64_t a, uint64_t b) { return (m & ~a) | b; }
static uint64_t inc(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m >= a ? 0 : m + 1; }
static uint64_t dec(uint64_t m, uint64_t a, uint64_t b) { (void)b; return m == 0 || m > a ? a : m - 1; }
static uint64_t wrap(uint64_t m, uint64_t a, uint64_t b) { return m >= a ? m - a : m + b; }
static uint64_t fmin32(uint64_t m, uint64_t a, uint64_t b) { (void)b; return f32(a) < f32(m) ? a : m; }
static uint64_t fmax32(uint64_t m, uint64_t a, uint64_t b) { (void)b; return f32(a) > f32(m) ? a : m; }
static uint64_t fmin64(uint64_t m, uint64_t a, uint64_t b) { (void)b; return f64(a) < f64(m) ? a : m; }
static uint64_t fmax64(uint64_t m, uint64_t a, uint64_t b) { (void)b; return f64(a) > f64(m) ? a : m; }
static uint64_t fadd32(uint64_t m, uint64_t a, uint64_t b) { (void)b; return bits32(f32(m) + f32(a)); }
static uint64_t fcas32(uint64_t m, uint64_t a, uint64_t b) { return f32(m) == f32(b) ? a : m; }
static uint64_t fcas64(uint64_t m, uint64_t a, uint64_t b) { return f64(m) == f64(b) ? a : m; }
static uint64_t condx(uint64_t m, uint64_t a, uint64_t b)
{
    (void)b;
    const uint64_t lo = (a >> 31 & 1) != 0 ? a & 0x7fffffff : m & 0xffffffff;
    const uint64_t hi = a >> 63 != 0 ? a >> 32 & 0x7fffffff : m >> 32;
    return hi << 32 | lo;
}
// clang-format on

enum where { LDS, GLOBAL, FLAT_LDS, FLAT_SCRATCH, BUFFER };
enum { RETURNS = 1, PAIR = 2, FLOAT = 4 }; // PAIR: b follows a; otherwise b is in v12.

static const struct row {
    const char *text;
    value_fn *fn;
    unsigned bytes;
    enum where where;
    unsigned flags;
} rows[] = {
    {ASM("global_atomic_swap_b32 v14, v[2:3], v8, off glc"), swap, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_cmpswap_b32 v14, v[2:3], v[8:9], off glc"), cas, 4, GLOBAL, RETURNS | PAIR},
    {ASM("global_atomic_add_u32 v[2:3], v8, off"), add, 4, GLOBAL, 0},
    {ASM("global_atomic_sub_u32 v14, v[2:3], v8, off glc"), sub, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_csub_u32 v14, v[2:3], v8, off glc"), csub, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_min_i32 v14, v[2:3], v8, off glc"), imin32, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_max_i32 v[2:3], v8, off"), imax32, 4, GLOBAL, 0},
    {ASM("global_atomic_min_u32 v[2:3], v8, off"), umin, 4, GLOBAL, 0},
    {ASM("global_atomic_max_u32 v[2:3], v8, off"), umax, 4, GLOBAL, 0},
    {ASM("global_atomic_and_b32 v[2:3], v8, off"), and, 4, GLOBAL, 0},
    {ASM("global_atomic_or_b32 v[2:3], v8, off"), or, 4, GLOBAL, 0},
    {ASM("global_atomic_xor_b32 v14, v[2:3], v8, off glc"), xor, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_inc_u32 v14, v[2:3], v8, off glc"), inc, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_dec_u32 v14, v[2:3], v8, off glc"), dec, 4, GLOBAL, RETURNS},
    {ASM("global_atomic_swap_b64 v[14:15], v[2:3], v[8:9], off glc"), swap, 8, GLOBAL, RETURNS},
    {ASM("global_atomic_cmpswap_b64 v[14:15], v[2:3], v[8:11], off glc"), cas, 8, GLOBAL,
     RETURNS | PAIR},
    {ASM("global_atomic_add_u64 v[14:15], v[2:3], v[8:9], off glc"), add, 8, GLOBAL, RETURNS},
    {ASM("global_atomic_sub_u64 v[2:3], v[8:9], off"), sub, 8, GLOBAL, 0},
    {ASM("global_atomic_min_i64 v[2:3], v[8:9], off"), imin64, 8, GLOBAL, 0},
    {ASM("global_atomic_max_i64 v[2:3], v[8:9], off"), imax64, 8, GLOBAL, 0},
    {ASM("global_atomic_min_u64 v[2:3], v[8:9], off"), umin, 8, GLOBAL, 0},
    {ASM("global_atomic_max_u64 v[2:3], v[8:9], off"), umax, 8, GLOBAL, 0},
    {ASM("global_atomic_and_b64 v[2:3], v[8:9], off"), and, 8, GLOBAL, 0},
    {ASM("global_atomic_or_b64 v[2:3], v[8:9], off"), or, 8, GLOBAL, 0},
    {ASM("global_atomic_xor_b64 v[2:3], v[8:9], off"), xor, 8, GLOBAL, 0},
    {ASM("global_atomic_inc_u64 v[2:3], v[8:9], off"), inc, 8, GLOBAL, 0},
    {ASM("global_atomic_dec_u64 v[14:15], v[2:3], v[8:9], off glc"), dec, 8, GLOBAL, RETURNS},
    {ASM("global_atomic_cmpswap_f32 v14, v[2:3], v[8:9], off glc"), fcas32, 4, GLOBAL,
     RETURNS | PAIR | FLOAT},
    {ASM("global_atomic_min_f32 v14, v[2:3], v8, off glc"), fmin32, 4, GLOBAL, RETURNS | FLOAT},
    {ASM("global_atomic_max_f32 v[2:3], v8, off"), fmax32, 4, GLOBAL, FLOAT},
    {ASM("global_atomic_add_f32 v14, v[2:3], v8, off glc"), fadd32, 4, GLOBAL, RETURNS | FLOAT},
    {ASM("flat_atomic_add_u32 v14, v[2:3], v8 glc"), add, 4, FLAT_LDS, RETURNS},
    {ASM("flat_atomic_cmpswap_b64 v[14:15], v[2:3], v[8:11] glc"), cas, 8, FLAT_LDS,
     RETURNS | PAIR},
    {ASM("flat_atomic_add_f32 v[2:3], v8"), fadd32, 4, FLAT_LDS, FLOAT},
    {ASM("flat_atomic_sub_u32 v14, v[2:3], v8 glc"), sub, 4, FLAT_SCRATCH, RETURNS},
    {ASM("buffer_atomic_add_u32 v8, v2, s[8:11], 0 offen"), add, 4, BUFFER, 0},
    {ASM("buffer_atomic_max_i64 v[8:9], v2, s[8:11], 0 offen"), imax64, 8, BUFFER, 0},
    {ASM("buffer_atomic_cmpswap_b32 v[8:9], v2, s[8:11], 0 offen"), cas, 4, BUFFER, PAIR},
    {ASM("buffer_atomic_add_f32 v8, v2, s[8:11], 0 offen"), fadd32, 4, BUFFER, FLOAT},
    {ASM("ds_add_u32 v2, v8"), add, 4, LDS, 0},
    {ASM("ds_sub_u32 v2, v8"), sub, 4, LDS, 0},
    {ASM("ds_rsub_u32 v2, v8"), rsub, 4, LDS, 0},
    {ASM("ds_inc_u32 v2, v8"), inc, 4, LDS, 0},
    {ASM("ds_dec_u32 v2, v8"), dec, 4, LDS, 0},
    {ASM("ds_min_i32 v2, v8"), imin32, 4, LDS, 0},
    {ASM("ds_mskor_b32 v2, v8, v12"), mskor, 4, LDS, 0},
    {ASM("ds_cmpstore_b32 v2, v8, v12"), cas, 4, LDS, 0},
    {ASM("ds_cmpstore_rtn_b32 v14, v2, v8, v12"), cas, 4, LDS, RETURNS},
    {ASM("ds_add_rtn_u32 v14, v2, v8"), add, 4, LDS, RETURNS},
    {ASM("ds_max_rtn_u32 v14, v2, v8"), umax, 4, LDS, RETURNS},
    {ASM("ds_wrap_rtn_b32 v14, v2, v8, v12"), wrap, 4, LDS, RETURNS},
    {ASM("ds_storexchg_rtn_b32 v14, v2, v8"), swap, 4, LDS, RETURNS},
    {ASM("ds_storexchg_rtn_b64 v[14:15], v2, v[8:9]"), swap, 8, LDS, RETURNS},
    {ASM("ds_add_rtn_u64 v[14:15], v2, v[8:9]"), add, 8, LDS, RETURNS},
    {ASM("ds_rsub_rtn_u64 v[14:15], v2, v[8:9]"), rsub, 8, LDS, RETURNS},
    {ASM("ds_min_i64 v2, v[8:9]"), imin64, 8, LDS, 0},
    {ASM("ds_mskor_rtn_b64 v[14:15], v2, v[8:9], v[12:13]"), mskor, 8, LDS, RETURNS},
    {ASM("ds_cmpstore_rtn_b64 v[14:15], v2, v[8:9], v[12:13]"), cas, 8, LDS, RETURNS},
    {ASM("ds_condxchg32_rtn_b64 v[14:15], v2, v[8:9]"), condx, 8, LDS, RETURNS},
    {ASM("ds_add_f32 v2, v8"), fadd32, 4, LDS, FLOAT},
    {ASM("ds_add_rtn_f32 v14, v2, v8"), fadd32, 4, LDS, RETURNS | FLOAT},
    {ASM("ds_min_f32 v2, v8"), fmin32, 4, LDS, FLOAT},
    {ASM("ds_max_rtn_f32 v14, v2, v8"), fmax32, 4, LDS, RETURNS | FLOAT},
    {ASM("ds_cmpstore_f32 v2, v8, v12"), fcas32, 4, LDS, FLOAT},
    {ASM("ds_min_rtn_f64 v[14:15], v2, v[8:9]"), fmin64, 8, LDS, RETURNS},
    {ASM("ds_max_f64 v2, v[8:9]"), fmax64, 8, LDS, 0},
    {ASM("ds_cmpstore_rtn_f64 v[14:15], v2, v[8:9], v[12:13]"), fcas64, 8, LDS, RETURNS},
};

/** Small integers, so that comparisons meet; floats without NaN, whose payload is another test's.
 */
static uint32_t operand(struct fixture *f, const struct row *r)
{
    const uint32_t v = (uint32_t)(fix_random(f) % 7) - 3;
    if ((r->flags & FLOAT) != 0) {
        return (uint32_t)bits32((float)(int32_t)v * 0.75f);
    }
    return fix_random(f) % 4 == 0 ? (uint32_t)fix_random(f) & 0xbfffffff : v;
}

static uint64_t pair(struct fixture *f, unsigned reg, unsigned l, unsigned bytes)
{
    return bytes == 4 ? fix_v(f, reg)[l] : (uint64_t)fix_v(f, reg + 1)[l] << 32 | fix_v(f, reg)[l];
}

static uint8_t *slot(struct fixture *f, const struct row *r, unsigned n, unsigned l)
{
    switch (r->where) {
    case GLOBAL:
    case BUFFER:
        return fix_at(f, n * 4104);
    case FLAT_SCRATCH:
        return fix_scratch(f, l, n * 8);
    case LDS:
    case FLAT_LDS:
        break;
    }
    return f->lds + n * 8;
}

static uint64_t address(const struct row *r, unsigned n)
{
    switch (r->where) {
    case GLOBAL:
        return FIX_VA + n * 4104;
    case BUFFER:
        return n * 4104;
    case FLAT_SCRATCH:
        return (0x1000ull << 48) + n * 8;
    case FLAT_LDS:
        return (0x2000ull << 48) + n * 8;
    case LDS:
        break;
    }
    return n * 8;
}

static void fill(struct fixture *f, const struct row *r, unsigned *n)
{
    for (unsigned i = 0; i < FIX_NVGPRS * 64; i++) {
        f->vgpr[i] = operand(f, r);
    }
    for (unsigned l = 0; l < 64; l++) {
        for (unsigned s = 0; s < SLOTS; s++) {
            const uint32_t v[2] = {operand(f, r), operand(f, r)};
            memcpy(slot(f, r, s, l < f->w.lanes ? l : 0), v, 8);
        }
    }
    for (unsigned l = 0; l < f->w.lanes; l++) {
        n[l] = (unsigned)(fix_random(f) % SLOTS);
        fix_v(f, ADDRESS)[l] = (uint32_t)address(r, n[l]);
        fix_v(f, ADDRESS + 1)[l] = (uint32_t)(address(r, n[l]) >> 32);
    }
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff);
    f->w.sgpr[10] = FIX_AREA;
    f->w.sgpr[11] = 3u << 28 | FIX_FORMAT;
    const uint32_t all = fix_random(f) % 3 == 0 ? UINT32_MAX : 0;
    f->w.sgpr[LULL_RDNA_EXEC] = (uint32_t)fix_random(f) | all;
    f->w.sgpr[LULL_RDNA_EXEC + 1] = (uint32_t)fix_random(f) | all;
}

static bool try(struct fixture *f, const struct row *r)
{
    unsigned n[64] = {0};
    uint64_t mem[SLOTS][64], old[64] = {0};
    fill(f, r, n);
    for (unsigned s = 0; s < SLOTS; s++) {
        for (unsigned l = 0; l < 64; l++) {
            mem[s][l] = 0;
            memcpy(&mem[s][l], slot(f, r, s, l < f->w.lanes ? l : 0), r->bytes);
        }
    }
    uint32_t before[FIX_NVGPRS * 64];
    memcpy(before, f->vgpr, sizeof(before));
    for (unsigned l = 0; l < f->w.lanes; l++) {
        uint64_t *m = &mem[n[l]][r->where == FLAT_SCRATCH ? l : 0];
        const unsigned b = (r->flags & PAIR) != 0 ? DATA + r->bytes / 4 : 12;
        old[l] = *m;
        if (fix_active(f, l)) {
            *m = r->fn(*m, pair(f, DATA, l, r->bytes), pair(f, b, l, r->bytes));
            *m = r->bytes == 4 ? (uint32_t)*m : *m;
        }
    }
    bool ok = fix_run(f, r->text) == LULL_EXEC_NEXT;
    for (unsigned l = 0; l < f->w.lanes; l++) {
        const bool returned = (r->flags & RETURNS) != 0 && fix_active(f, l);
        before[DST * f->w.lanes + l] = returned ? (uint32_t)old[l] : before[DST * f->w.lanes + l];
        if (returned && r->bytes == 8) {
            before[(DST + 1) * f->w.lanes + l] = (uint32_t)(old[l] >> 32);
        }
        for (unsigned s = 0; s < SLOTS; s++) {
            ok = ok &&
                 memcmp(slot(f, r, s, l), &mem[s][r->where == FLAT_SCRATCH ? l : 0], r->bytes) == 0;
        }
    }
    return ok && memcmp(before, f->vgpr, sizeof(before)) == 0;
}

/** All lanes of a buffer add to dwords that stand one after the other, of which some may be beyond
 * its end. */
static void test_buffer_run(unsigned lanes, uint32_t beyond, bool shared)
{
    struct fixture *f = fix_new(lanes, 1);
    const uint64_t all = UINT64_MAX;
    memcpy(&f->w.sgpr[LULL_RDNA_EXEC], &all, sizeof all);
    f->w.shared = shared;
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff);
    f->w.sgpr[10] = 16 + 4 * (lanes - beyond);
    f->w.sgpr[11] = 3u << 28 | FIX_FORMAT;
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t v = 100 + l;
        memcpy(fix_at(f, 16 + 4 * l), &v, sizeof v);
        fix_v(f, ADDRESS)[l] = 4 * l;
        fix_v(f, DATA)[l] = 1000 * l;
    }
    bool ok = fix_run(f, ASM("buffer_atomic_add_u32 v8, v2, s[8:11], 0 offen offset:16")) ==
              LULL_EXEC_NEXT;
    for (uint32_t l = 0; l < lanes; l++) {
        const uint32_t want = 100 + l + (l < lanes - beyond ? 1000 * l : 0);
        ok = ok && memcmp(fix_at(f, 16 + 4 * l), &want, sizeof want) == 0;
    }
    test_case(ok, "a run of dwords in a buffer", "wave%u, %u beyond, %s", lanes, beyond,
              shared ? "shared" : "alone");
    fix_free(f);
}

/** All lanes add to one dword each, lane 5 at @p odd. */
static enum lull_exec_result add_to_lds(struct fixture *f, uint32_t odd)
{
    const uint64_t all = UINT64_MAX;
    memcpy(&f->w.sgpr[LULL_RDNA_EXEC], &all, sizeof all);
    memset(f->lds, 0x5a, sizeof f->lds);
    f->wg.lds_size = FIX_LDS / 2;
    for (uint32_t l = 0; l < f->w.lanes; l++) {
        const uint32_t v = 100 + l;
        memcpy(f->lds + 4 * (size_t)l, &v, sizeof v);
        fix_v(f, ADDRESS)[l] = l == 5 ? odd : 4 * l;
        fix_v(f, DATA)[l] = 1000;
    }
    return fix_run(f, ASM("ds_add_rtn_u32 v14, v2, v8"));
}

static uint32_t dword(const struct fixture *f, unsigned l)
{
    uint32_t v = 0;
    memcpy(&v, f->lds + 4 * (size_t)l, sizeof v);
    return v;
}

/** A lane beyond the workgroup's LDS does nothing and gets 0; one that is not aligned is a
 * violation; the others add. */
static void test_odd_lane(unsigned lanes)
{
    static const uint32_t at[] = {FIX_LDS / 2, 4 * 5 + 2, UINT32_MAX - 3};
    for (size_t i = 0; i < TEST_ROWS(at); i++) {
        struct fixture *f = fix_new(lanes, 1);
        const bool next = add_to_lds(f, at[i]) == LULL_EXEC_NEXT;
        const bool odd = at[i] % 4 != 0;
        const uint32_t *got = fix_v(f, DST);
        bool ok = next == !odd && dword(f, 5) == 105 && (odd || got[5] == 0) &&
                  dword(f, FIX_LDS / 8) == 0x5a5a5a5a;
        for (uint32_t l = 0; l < lanes; l++) {
            ok = ok && (l == 5 || (dword(f, l) == 1100 + l && (odd || got[l] == 100 + l)));
        }
        test_case(ok, "an odd lane of LDS", "wave%u at %x", lanes, at[i]);
        fix_free(f);
    }
}

int main(int argc, char **argv)
{
    test_odd_lane(32);
    test_odd_lane(64);
    for (unsigned i = 0; i < 12; i++) {
        test_buffer_run(i % 2 != 0 ? 64 : 32, i / 2 % 3, i >= 6);
    }
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 97;
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        int bad = -1;
        for (unsigned lanes = 32; lanes <= 64 && bad < 0; lanes += 32) {
            struct fixture *f = fix_new(lanes, seed + i);
            for (int round = 0; round < 20 && bad < 0; round++) {
                bad = try(f, &rows[i]) ? -1 : round;
            }
            fix_free(f);
        }
        test_case(bad < 0, rows[i].text, "seed %llu, round %d", (unsigned long long)seed, bad);
    }
    return test_end();
}
