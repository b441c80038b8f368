// SPDX-License-Identifier: MIT
// Instrumented code of gfx1100 computes what it computes without, and what it writes down are the
// values that the same computation in C has: in waves of 32 and 64, with lanes that are off, SCC
// live across records, a clause, data found by s_getpc_b64, little room, and jumps too far for 16
// bits.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/rdna/unroll.h"
#include "instrument/records.h"
#include "target/amd/device.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

enum {
    DWORDS = 40,
    CODE_DWORDS = 37, // The rest is data.
    GROUPS = 3,
    ROUNDS = 4,
    NEW_BYTES = 1 << 20,
    ROOM = 4 << 20,
    NOPS = 0x8000,
};

/* s_load_b32 s3, s[0:1], 0x0
 * v_and_b32 v0, 0x3ff, v0
 * v_lshl_or_b32 v1, s2, 5, v0            (6 in waves of 64)
 * v_mov_b32 v2, 0
 * v_mov_b32 v3, v1
 * s_waitcnt lgkmcnt(0)
 * s_mov_b32 s4, 0
 * loop: s_add_u32 s4, s4, 1
 * v_mad_u32_u24 v2, v2, 3, v3
 * v_and_b32 v4, 1, v2
 * v_cmp_eq_u32 vcc_lo, 0, v4
 * s_and_saveexec_b32 s5, vcc_lo
 * v_add_nc_u32 v2, v2, 7
 * s_mov_b32 exec_lo, s5
 * s_cmp_lt_u32 s4, s3
 * s_cbranch_scc1 loop
 * s_getpc_b64 s[6:7]
 * s_add_u32 s6, s6, const - 4 - .
 * s_addc_u32 s7, s7, 0
 * s_clause 0x1
 * s_load_b32 s8, s[6:7], 0x0
 * s_load_b64 s[12:13], s[6:7], 0x4
 * s_waitcnt lgkmcnt(0)
 * v_add_nc_u32 v2, s8, v2
 * v_xor_b32 v2, s13, v2
 * v_lshlrev_b32 v5, 2, v1
 * global_store_b32 v5, v2, s[0:1] offset:16
 * s_endpgm
 * const: .long 0x1000, 0, 0x55           (assembled by clang 19) */
static const uint32_t kernel32[DWORDS] = {
    0xf40000c0, 0xf8000000, 0x360000ff, 0x000003ff, 0xd6560001, 0x04010a02, 0x7e040280, 0x7e060301,
    0xbf89fc07, 0xbe840080, 0x80048104, 0xd60b0002, 0x040d0702, 0x36080481, 0x7c940880, 0xbe85206a,
    0xd5250002, 0x00010f02, 0xbefe0005, 0xbf0a0304, 0xbfa2fff5, 0xbe864700, 0x8006ff06, 0x0000003c,
    0x82078007, 0xbf850001, 0xf4000203, 0xf8000000, 0xf4040303, 0xf8000004, 0xbf89fc07, 0x4a040408,
    0x3a04040d, 0x300a0282, 0xdc6a0010, 0x00000205, 0xbfb00000, 0x00001000, 0x00000000, 0x00000055,
};
/* The same with s_and_saveexec_b64 s[10:11], vcc and s_mov_b64 exec, s[10:11]. */
static const uint32_t kernel64[DWORDS] = {
    0xf40000c0, 0xf8000000, 0x360000ff, 0x000003ff, 0xd6560001, 0x04010c02, 0x7e040280, 0x7e060301,
    0xbf89fc07, 0xbe840080, 0x80048104, 0xd60b0002, 0x040d0702, 0x36080481, 0x7c940880, 0xbe8a216a,
    0xd5250002, 0x00010f02, 0xbefe010a, 0xbf0a0304, 0xbfa2fff5, 0xbe864700, 0x8006ff06, 0x0000003c,
    0x82078007, 0xbf850001, 0xf4000203, 0xf8000000, 0xf4040303, 0xf8000004, 0xbf89fc07, 0x4a040408,
    0x3a04040d, 0x300a0282, 0xdc6a0010, 0x00000205, 0xbfb00000, 0x00001000, 0x00000000, 0x00000055,
};
// Numbers of instructions in it.
enum { MAD = 8, ADD_ODD = 12, FINAL_ADD = 23 };

struct fixture {
    struct lull_kernel *k;
    struct lull_amd_device *d;
    struct lull_amd_bo *code, *made, *out, *records;
    unsigned lanes;
};

static void must(struct lull_error *err, const char *what)
{
    if (err != NULL) {
        printf("Bail out! %s: %s\n", what, lull_error_message(err));
        exit(1);
    }
}

static void set_up(struct fixture *f)
{
    must(lull_vdrm_new(&(struct lull_vdrm_options){0}, &f->k), "vdrm");
    must(lull_amd_device_open(f->k, NULL, &f->d), "open");
    must(lull_amd_bo_new(f->d, "code", 1 << 18, LULL_AMD_BO_EXEC, &f->code), "code");
    must(lull_amd_bo_new(f->d, "new code", NEW_BYTES, LULL_AMD_BO_EXEC, &f->made), "new code");
    must(lull_amd_bo_new(f->d, "out", 4096, 0, &f->out), "out");
    must(lull_amd_bo_new(f->d, "records", ROOM + 4096, LULL_AMD_BO_UNCACHED, &f->records),
         "records");
}

static void tear_down(struct fixture *f)
{
    lull_amd_device_close(f->d);
    f->k->destroy(f->k);
}

/** The value of an invocation behind each instruction that is looked at. */
struct expected {
    uint32_t mad[ROUNDS], added[ROUNDS], out;
    bool even[ROUNDS];
};

static struct expected compute(uint32_t id)
{
    struct expected e = {0};
    uint32_t v = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        v = (v & 0xffffff) * 3 + id;
        e.mad[i] = v;
        e.even[i] = (v & 1) == 0;
        v += e.even[i] ? 7 : 0;
        e.added[i] = v;
    }
    e.out = (v + 0x1000) ^ 0x55;
    return e;
}

/** @return The outputs are right. */
static bool dispatch(struct fixture *f)
{
    uint32_t *out = f->out->map;
    lull_amd_bo_clear(f->out);
    out[0] = ROUNDS;
    struct lull_amd_dispatch p = {
        .code_va = f->code->va,
        .rsrc1 = f->lanes == 32 ? 0 : 1, // 8 VGPRs: no more than the shader has.
        .rsrc2 = 2 << 1 | 1 << 7,        // 2 user SGPRs, the workgroup's x.
        .user_data = {(uint32_t)f->out->va, (uint32_t)(f->out->va >> 32)},
        .nuser_data = 2,
        .grid = {GROUPS * f->lanes, 1, 1},
        .block = {f->lanes, 1, 1},
        .wave32 = f->lanes == 32,
    };
    enum lull_amd_wait w = LULL_AMD_WAIT_BUSY;
    must(lull_amd_submit(f->d, &p), "submit");
    must(lull_amd_wait(f->d, UINT64_C(10000000000), &w), "wait");
    bool right = w == LULL_AMD_WAIT_DONE;
    for (uint32_t i = 0; right && i < GROUPS * f->lanes; i++) {
        right = out[4 + i] == compute(i).out;
    }
    return right;
}

/** Put the code there as it is, with @p nops of s_nop inside the loop; then patch it. */
static void patch(struct fixture *f, bool (*chooses)(size_t at), uint32_t room, unsigned nops,
                  struct lull_rdna_instrumented *r)
{
    enum { LOOP_FROM = 10, BRANCH = 20, LITERAL = 23 };
    static const uint32_t s_nop = 0xbf800000;
    uint32_t *code = f->code->map;
    const uint32_t *from = f->lanes == 32 ? kernel32 : kernel64;
    memcpy(code, from, 4 * BRANCH);
    for (unsigned i = 0; i < nops; i++) {
        code[BRANCH + i] = s_nop;
    }
    memcpy(code + BRANCH + nops, from + BRANCH, 4 * (DWORDS - BRANCH));
    code[BRANCH + nops] -= nops; // SIMM16: it goes as far back.
    struct lull_rdna_shader s = {0};
    must(lull_rdna_shader_of(code, 4 * (size_t)(CODE_DWORDS + nops), f->lanes, &s), "shader");
    bool *chosen = calloc(s.n, sizeof *chosen);
    for (size_t i = 0; chosen != NULL && i < s.n; i++) {
        chosen[i] = chooses(i);
    }
    const struct lull_rdna_instrument how = {.va = f->code->va,
                                             .to = f->made->va,
                                             .buffer = f->records->va,
                                             .room = room,
                                             .chosen = chosen,
                                             .compute = true,
                                             .id_sgpr = 2,
                                             .ids = 1};
    must(lull_rdna_instrument(&s, &how, r), "instrument");
    lull_amd_bo_clear(f->records);
    memcpy(f->made->map, r->words, 4 * r->n);
    memcpy(code, r->entry, sizeof r->entry);
    lull_rdna_shader_done(&s);
    free(chosen);
}

static bool all(size_t at)
{
    (void)at;
    return true;
}

static bool none(size_t at)
{
    (void)at;
    return false;
}

/** What the records say of an invocation: how often, and were all values right? */
struct tally {
    unsigned mads, adds, finals, wrong;
    uint32_t id;
};

static void count(const struct lull_dump *d, const struct lull_dump_record *r, unsigned lanes,
                  struct tally *t)
{
    const uint32_t at = d->m->all[r->insn].at;
    const uint32_t dst = lull_dump_value(d, r, 0);
    if (r->insn == 0) { // begins: thread_x, thread_y, thread_z, workgroup_x
        t->id = lull_dump_value(d, r, 3) * lanes + dst;
        t->wrong += lull_dump_value(d, r, 1) != 0 || lull_dump_value(d, r, 2) != 0;
        return;
    }
    const struct expected e = compute(t->id);
    if (at == MAD) {
        t->wrong += t->mads >= ROUNDS || dst != e.mad[t->mads];
        t->wrong += lull_dump_value(d, r, 1) != (t->mads == 0 ? 0 : e.added[t->mads - 1]);
        t->mads++;
    } else if (at == ADD_ODD) {
        t->wrong += t->mads == 0 || !e.even[t->mads - 1] || dst != e.added[t->mads - 1];
        t->adds++;
    } else if (at == FINAL_ADD) {
        t->wrong += dst != e.added[ROUNDS - 1] + 0x1000;
        t->wrong += lull_dump_value(d, r, 1) != 0x1000; // s8
        t->finals++;
    }
}

static void test_records(struct fixture *f, struct lull_rdna_instrumented *r, const char *name)
{
    struct lull_rdna_unrolled u = {0};
    struct lull_dump d = {0};
    must(lull_rdna_unroll(r, f->records->map, f->records->size, &u), "unroll");
    must(lull_dump_of(&r->manifest, u.bytes.text, u.bytes.size, &d), "dump");
    struct tally t[GROUPS * 64] = {0};
    const unsigned n = GROUPS * f->lanes;
    lull_dump_sort(&d);
    test_case(d.invocations == n && d.missing == 0, name, "%s: %u invocations, want %u", name,
              d.invocations, n);
    for (size_t i = 0; i < d.n && d.invocations == n; i++) {
        count(&d, &d.all[i], f->lanes, &t[d.all[i].invocation]);
    }
    unsigned wrong = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct expected e = compute(t[i].id);
        const unsigned evens = (unsigned)e.even[0] + e.even[1] + e.even[2] + e.even[3];
        uint32_t wave = 0;
        unsigned lane = 0;
        wrong += t[i].wrong + (t[i].mads != ROUNDS) + (t[i].adds != evens) + (t[i].finals != 1);
        wrong += !lull_rdna_lane_of(&u, i, &wave, &lane) || lane != t[i].id % f->lanes;
    }
    test_case(wrong == 0, name, "%s: %u values or counts are wrong", name, wrong);
    lull_dump_done(&d);
    lull_rdna_unrolled_done(&u);
}

static void test_wave(struct fixture *f, unsigned lanes)
{
    struct lull_rdna_instrumented r = {0};
    char name[64];
    f->lanes = lanes;
    patch(f, none, ROOM, 0, &r);
    snprintf(name, sizeof name, "wave%u, nothing recorded: results", lanes);
    test_case(dispatch(f), name, "%s differ", name);
    lull_rdna_instrumented_done(&r);
    patch(f, all, ROOM, 0, &r);
    snprintf(name, sizeof name, "wave%u, everything recorded: results", lanes);
    test_case(dispatch(f), name, "%s differ", name);
    snprintf(name, sizeof name, "wave%u: records", lanes);
    test_records(f, &r, name);
    lull_rdna_instrumented_done(&r);
    patch(f, all, ROOM, NOPS - 100, &r); // Records in the loop: its branch does not reach any more.
    snprintf(name, sizeof name, "wave%u, far: results", lanes);
    test_case(dispatch(f), name, "%s differ", name);
    snprintf(name, sizeof name, "wave%u, far: records", lanes);
    lull_rdna_instrumented_done(&r);
}

static void test_little_room(struct fixture *f)
{
    enum { LITTLE = 1000, BEHIND = 0x5a };
    struct lull_rdna_instrumented r = {0};
    struct lull_rdna_unrolled u = {0};
    struct lull_dump d = {0};
    f->lanes = 32;
    patch(f, all, LITTLE, 0, &r);
    uint8_t *bytes = f->records->map;
    memset(bytes + LITTLE + LULL_RDNA_RECORDS_AT, BEHIND, 4096);
    test_case(dispatch(f), "little room: results", "they differ");
    unsigned touched = 0;
    for (unsigned i = 0; i < 4096; i++) {
        touched += bytes[LITTLE + LULL_RDNA_RECORDS_AT + i] != BEHIND;
    }
    test_case(touched == 0, "little room: nothing behind the buffer changes", "%u bytes", touched);
    must(lull_rdna_unroll(&r, f->records->map, LITTLE + LULL_RDNA_RECORDS_AT, &u), "unroll");
    must(lull_dump_of(&r.manifest, u.bytes.text, u.bytes.size, &d), "dump");
    test_case(d.n != 0 && d.missing != 0, "little room: some are missing",
              "%zu records, %" PRIu64 " bytes missing", d.n, d.missing);
    lull_dump_done(&d);
    lull_rdna_unrolled_done(&u);
    lull_rdna_instrumented_done(&r);
}

/** Code that is refused, and a word of the message. */
static const struct refused {
    const char *name, *want;
    uint32_t code[6];
    unsigned n;
} refused[] = {
    {"an address in registers",
     "goes to an address that registers hold",
     {0xbe804804, 0xbfb00000},
     2}, // s_setpc_b64 s[4:5]
    {"a branch into an instruction",
     "goes to no instruction",
     {0xbfa00001, 0xbe8000ff, 0x12345678, 0xbfb00000},
     4}, // s_branch 1; s_mov_b32 s0, literal
    {"no end", "does not end", {0xbf800000}, 1},
    {"not an instruction", "not an instruction", {0xbf800000, 0xbe80ff00}, 2},
    {"registers chosen at run time", "at run time", {0xbe804004, 0xbfb00000}, 2}, // s_movrels_b32
};

static void test_refused(void)
{
    for (size_t i = 0; i < TEST_ROWS(refused); i++) {
        const struct refused *r = &refused[i];
        struct lull_rdna_shader s = {0};
        struct lull_error *err = lull_rdna_shader_of(r->code, 4 * (size_t)r->n, 32, &s);
        const char *got = err != NULL ? lull_error_message(err) : "nothing";
        test_case(strstr(got, r->want) != NULL, r->name, "%s: got '%s', want '%s'", r->name, got,
                  r->want);
        lull_error_free(err);
        lull_rdna_shader_done(&s);
    }
}

/** Results of instructions of gfx1100, and whether they are a float that is not a number. */
static const struct nan_row {
    const char *text;
    unsigned ndst;
    uint32_t low, high;
    bool nan;
} nans[] = {
    {"v_mul_f32_e32 v0, s4, v0", 1, 0x7fc00000, 0, true},
    {"v_mul_f32_e32 v0, s4, v0", 1, 0x7f800000, 0, false}, // infinite
    {"v_fma_f32 v0, v1, v2, v3", 1, 0xff800001, 0, true},
    {"v_add_nc_u32_e32 v0, v1, v2", 1, 0x7fc00000, 0, false},
    {"v_cvt_u32_f32_e32 v0, v0", 1, 0xffffffff, 0, false},
    {"v_cvt_f32_u32_e32 v0, v0", 1, 0x7fc00000, 0, true},
    {"v_cmp_lt_f32_e32 vcc_lo, v0, v1", 1, 0xffffffff, 0, false},
    {"v_frexp_exp_i32_f32_e32 v0, v1", 1, 0xffffffff, 0, false},
    {"v_add_f16_e64_dpp v0, v1, v2", 1, 0x12347e00, 0, true},
    {"v_add_f16_e32 v0, v1, v2", 1, 0xffff7c00, 0, false},
    {"v_add_f64 v[0:1], v[2:3], v[4:5]", 2, 0, 0x7ff80000, true},
    {"v_add_f64 v[0:1], v[2:3], v[4:5]", 2, 1, 0x7ff00000, true},
    {"v_add_f64 v[0:1], v[2:3], v[4:5]", 2, 0xffffffff, 0x3ff00000, false},
    {"s_mov_b32 s0, s1", 1, 0x7fc00000, 0, false},
};

static void test_nans(void)
{
    for (size_t i = 0; i < TEST_ROWS(nans); i++) {
        const struct nan_row *r = &nans[i];
        const uint32_t bytes[] = {8 + 4 * r->ndst, 1, 0, 0, r->low, r->high};
        struct lull_manifest m = {.gen = LULL_GPU_GFX1100, .room = 16, .bytes = 24};
        struct lull_dump d = {0};
        size_t at = 0;
        uint32_t value = 0;
        must(lull_manifest_add(&m, 0, r->text), "instruction");
        must(lull_manifest_value(&m, strncmp(r->text, "v_cmp", 5) == 0 ? "vcc_lo" : "v0", true),
             "value");
        if (r->ndst == 2) {
            must(lull_manifest_value(&m, "v1", true), "value");
        }
        must(lull_dump_of(&m, bytes, sizeof bytes, &d), "dump");
        const bool got = lull_dump_nan(&d, &at, &value);
        test_case(got == r->nan, r->text, "%s: 0x%x 0x%x: %d, want %d", r->text, r->low, r->high,
                  got, r->nan);
        lull_dump_done(&d);
        lull_manifest_done(&m);
    }
}

int main(void)
{
    struct fixture f = {0};
    set_up(&f);
    test_wave(&f, 32);
    test_wave(&f, 64);
    test_little_room(&f);
    test_refused();
    test_nans();
    tear_down(&f);
    return test_end();
}
