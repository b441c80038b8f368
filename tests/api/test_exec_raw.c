// SPDX-License-Identifier: MIT
// <lull/exec.h>: bare code on the model, from C. The words are llvm-mc-19's for the text beside
// them; what must come out is computed here.
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <lull/exec.h>

#include "test.h"

static const uint32_t scale[] = {
    0xf4080100, 0xf8000000, // s_load_b128 s[4:7], s[0:1], 0x0
    0x360200ff, 0x000003ff, // v_and_b32_e32 v1, 0x3ff, v0
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xd6460001, 0x04050a02, // v_lshl_add_u32 v1, s2, 5, v1
    0x30040282,             // v_lshlrev_b32_e32 v2, 2, v1
    0xdc520000, 0x03060002, // global_load_b32 v3, v2, s[6:7]
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0x16060683,             // v_mul_u32_u24_e32 v3, 3, v3
    0x4a060602,             // v_add_nc_u32_e32 v3, s2, v3
    0xdc6a0000, 0x00040302, // global_store_b32 v2, v3, s[4:5]
    0xbfb00000,             // s_endpgm
};

static const uint32_t ids[] = {
    0xf4040180, 0xf8000000, // s_load_b64 s[6:7], s[0:1], 0x0
    0xd6100001, 0x02291500, // v_bfe_u32 v1, v0, 10, 10
    0xd6100002, 0x02292900, // v_bfe_u32 v2, v0, 20, 10
    0x16040483,             // v_mul_u32_u24_e32 v2, 3, v2
    0x4a020501,             // v_add_nc_u32_e32 v1, v1, v2
    0x30020282,             // v_lshlrev_b32_e32 v1, 2, v1
    0x36040083,             // v_and_b32_e32 v2, 3, v0
    0x4a020501,             // v_add_nc_u32_e32 v1, v1, v2
    0x96058204,             // s_mul_i32 s5, s4, 2
    0x80050305,             // s_add_u32 s5, s5, s3
    0x96059805,             // s_mul_i32 s5, s5, 24
    0x4a020205,             // v_add_nc_u32_e32 v1, s5, v1
    0x30020282,             // v_lshlrev_b32_e32 v1, 2, v1
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xdc6a0000, 0x00060001, // global_store_b32 v1, v0, s[6:7]
    0xbfb00000,             // s_endpgm
};

static const uint32_t local[] = {
    0xf4040100, 0xf8000000, // s_load_b64 s[4:5], s[0:1], 0x0
    0x360000ff, 0x000003ff, // v_and_b32_e32 v0, 0x3ff, v0
    0x30020082,             // v_lshlrev_b32_e32 v1, 2, v0
    0x16040087,             // v_mul_u32_u24_e32 v2, 7, v0
    0xdc690010, 0x007c0200, // scratch_store_b32 off, v2, off offset:16
    0xdc510010, 0x037c0000, // scratch_load_b32 v3, off, off offset:16
    0xbf8903f7,             // s_waitcnt vmcnt(0)
    0xd8340000, 0x00000301, // ds_store_b32 v1, v3
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xbfbd0000,             // s_barrier
    0x4c0802ff, 0x000000fc, // v_sub_nc_u32_e32 v4, 0xfc, v1
    0xd8d80000, 0x05000004, // ds_load_b32 v5, v4
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xdc6a0000, 0x00040501, // global_store_b32 v1, v5, s[4:5]
    0xbfb00000,             // s_endpgm
};

static const uint32_t beyond[] = {
    0xf4040100, 0xf8000000, // s_load_b64 s[4:5], s[0:1], 0x0
    0x7e0202ff, 0x00002000, // v_mov_b32_e32 v1, 0x2000
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xdc6a0000, 0x00040101, // global_store_b32 v1, v1, s[4:5]
    0xbfb00000,             // s_endpgm
};

static const uint32_t forever[] = {
    0xbfa0ffff, // s_branch 65535
};

static const uint32_t illegal[] = {0xffffffff, 0xffffffff};
static const uint32_t no_end[] = {0x7e0202ff, 0x00002000}; // v_mov_b32_e32 v1, 0x2000
static const uint32_t gws[] = {0xd8760000, 0};             // ds_gws_barrier v0 gds
static const uint32_t export[] = {0xf8000000, 0};          // exp mrt0 off, off, off, off

// Denormals of f32 are flushed unless RSRC1 says otherwise, those of f16 are kept.
static const uint32_t denormals[] = {
    0xf4040100, 0xf8000000, // s_load_b64 s[4:5], s[0:1], 0x0
    0x7e040281,             // v_mov_b32_e32 v2, 1
    0x100404f4,             // v_mul_f32_e32 v2, 2.0, v2
    0x7e060281,             // v_mov_b32_e32 v3, 1
    0x6a0606f4,             // v_mul_f16_e32 v3, 2.0, v3
    0x7e020280,             // v_mov_b32_e32 v1, 0
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xdc6e0000, 0x00040201, // global_store_b64 v1, v[2:3], s[4:5]
    0xbfb00000,             // s_endpgm
};

static const uint32_t s_nop = 0xbf800000;

// Behind s_nop's: the constant at dword VALUE goes to the first buffer.
enum { VALUE = 4 };
static const uint32_t tell[] = {
    0xf4040100, 0xf8000000, // s_load_b64 s[4:5], s[0:1], 0x0
    0x7e020280,             // v_mov_b32_e32 v1, 0
    0x7e0402ff, 0x00000000, // v_mov_b32_e32 v2, VALUE
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0xdc6a0000, 0x00040201, // global_store_b32 v1, v2, s[4:5]
    0xbfb00000,             // s_endpgm
};

static char said[200];

/** Error code of a call, 0 if it worked; the message in said. */
static int call(struct lull_exec *x, const struct lull_exec_params *p)
{
    struct lull_error *err = lull_exec_raw(x, p);
    const int code = err != NULL ? (int)lull_error_code(err) : 0;
    snprintf(said, sizeof said, "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    return code;
}

static struct lull_exec_params with(const uint32_t *code, size_t size, uint32_t groups,
                                    uint32_t block)
{
    return (struct lull_exec_params){
        .code = code, .code_size = size, .groups = {groups, 1, 1}, .block = {block, 1, 1}};
}

static void test_scale(struct lull_exec *x, uint32_t wave, const char *name)
{
    enum { N = 96 };
    uint32_t in[N] = {0};
    uint32_t out[N] = {0};
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i * i + 5;
    }
    const struct lull_exec_buffer b[] = {{.data = out, .size = sizeof out},
                                         {.data = in, .size = sizeof in}};
    struct lull_exec_params p = with(scale, sizeof scale, N / 32, 32);
    p.wave_size = wave;
    p.buffers = b;
    p.nbuffers = 2;
    const int code = call(x, &p);
    uint32_t bad = 0;
    for (uint32_t i = 0; i < N; i++) {
        bad += out[i] != (i * i + 5) * 3 + i / 32;
    }
    test_case(code == 0 && bad == 0, name, "error %d %s, %" PRIu32 " words wrong", code, said, bad);
}

static void test_ids(struct lull_exec *x)
{
    uint32_t out[2 * 2 * 24] = {0};
    const struct lull_exec_buffer b = {.data = out, .size = sizeof out};
    struct lull_exec_params p = {.code = ids,
                                 .code_size = sizeof ids,
                                 .groups = {1, 2, 2},
                                 .block = {4, 3, 2},
                                 .buffers = &b,
                                 .nbuffers = 1};
    const int code = call(x, &p);
    uint32_t bad = 0;
    for (uint32_t i = 0; i < 96; i++) {
        const uint32_t in_group = i % 24;
        const uint32_t want = in_group % 4 | in_group / 4 % 3 << 10 | in_group / 12 << 20;
        bad += out[i] != want;
    }
    test_case(code == 0 && bad == 0, "work-item ids in v0, workgroup ids y and z",
              "error %d %s, %" PRIu32 " words wrong", code, said, bad);
}

static void test_local(struct lull_exec *x)
{
    uint32_t out[64] = {0};
    const struct lull_exec_buffer b = {
        .data = out, .size = sizeof out, .flags = LULL_EXEC_NO_COPY_IN};
    struct lull_exec_params p = with(local, sizeof local, 1, 64);
    p.lds_bytes = 256;
    p.scratch_bytes = 32;
    p.buffers = &b;
    p.nbuffers = 1;
    const int code = call(x, &p);
    uint32_t bad = 0;
    for (uint32_t i = 0; i < 64; i++) {
        bad += out[i] != 7 * (63 - i);
    }
    test_case(code == 0 && bad == 0, "scratch, LDS and barrier",
              "error %d %s, %" PRIu32 " words wrong", code, said, bad);
}

static void test_errors(struct lull_exec *x)
{
    uint32_t out[64] = {7};
    const struct lull_exec_buffer b = {.data = out, .size = sizeof out};
    const struct {
        const char *name;
        const uint32_t *code;
        size_t size;
        uint32_t block, wave, timeout_ms;
        int want;
        const char *says;
    } rows[] = {
        {"store behind a buffer", beyond, sizeof beyond, 32, 32, 0, LULL_ERR_FAULT, ""},
        {"endless loop", forever, sizeof forever, 32, 32, 5, LULL_ERR_OS, ""},
        {"illegal instruction", illegal, sizeof illegal, 32, 32, 0, LULL_ERR_BAD_DATA,
         "0x0: no gfx1100 instruction, 0xffffffff 0xffffffff"},
        {"code without end", no_end, sizeof no_end, 32, 32, 0, LULL_ERR_BAD_DATA,
         "the code ends at 0x8 without s_endpgm"},
        {"GWS", gws, sizeof gws, 32, 32, 0, LULL_ERR_BAD_DATA, "0x0: ds_gws_barrier v0 gds"},
        {"export", export, sizeof export, 32, 32, 0, LULL_ERR_BAD_DATA,
         "0x0: exp mrt0 off, off, off, off"},
        {"no code", illegal, 0, 32, 32, 0, LULL_ERR_INVALID, ""},
        {"code that is not dwords", illegal, 6, 32, 32, 0, LULL_ERR_INVALID, ""},
        {"block of 0", scale, sizeof scale, 0, 32, 0, LULL_ERR_INVALID, ""},
        {"block of 1025", scale, sizeof scale, 1025, 32, 0, LULL_ERR_INVALID, ""},
        {"wave of 48", scale, sizeof scale, 32, 48, 0, LULL_ERR_INVALID, ""},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_exec_params p = with(rows[i].code, rows[i].size, 1, rows[i].block);
        p.wave_size = rows[i].wave;
        p.timeout_ms = rows[i].timeout_ms;
        p.buffers = &b;
        p.nbuffers = 1;
        const int code = call(x, &p);
        const bool said_so = strstr(said, rows[i].says) != NULL;
        test_case(code == rows[i].want && out[0] == 7 && said_so, rows[i].name,
                  "error %d want %d: %s", code, rows[i].want, said);
        test_scale(x, 32, "the context goes on");
    }
}

static void test_denormals(struct lull_exec *x)
{
    uint32_t out[2] = {7, 7};
    const struct lull_exec_buffer b = {.data = out, .size = sizeof out};
    struct lull_exec_params p = with(denormals, sizeof denormals, 1, 1);
    p.buffers = &b;
    p.nbuffers = 1;
    const int code = call(x, &p);
    test_case(code == 0 && out[0] == 0 && out[1] == 2, "denormals by default",
              "error %d %s, f32 0x%08" PRIx32 ", f16 0x%08" PRIx32, code, said, out[0], out[1]);
}

enum { MOST_NOPS = 6000 };

/** A kernel that stores @p n behind @p nops dwords of s_nop. @p end: with s_endpgm. */
static int tell_number(struct lull_exec *x, size_t nops, uint32_t n, bool end)
{
    static uint32_t code[MOST_NOPS + sizeof tell / sizeof tell[0]];
    uint32_t out = 0;
    for (size_t i = 0; i < nops; i++) {
        code[i] = s_nop;
    }
    memcpy(code + nops, tell, sizeof tell);
    code[nops + VALUE] = n;
    const struct lull_exec_buffer b = {.data = &out, .size = sizeof out};
    struct lull_exec_params p = with(code, 4 * nops + sizeof tell - (end ? 0 : 4), 1, 1);
    p.buffers = &b;
    p.nbuffers = 1;
    const int status = call(x, &p);
    return status != 0 || out == n ? status : -1;
}

/** 700 kernels in one context: growing, shrinking, and either way by pages. */
static void test_suite(struct lull_exec *x)
{
    uint32_t bad = 0;
    for (uint32_t n = 0; n < 700; n++) {
        const size_t nops = n < 200 ? n * 5 : n < 400 ? (400 - n) * 5 : n * 2654435761u % MOST_NOPS;
        bad += tell_number(x, nops, n, true) != 0;
    }
    test_case(bad == 0, "700 kernels", "%" PRIu32 " wrong: %s", bad, said);
    bad = 0;
    for (uint32_t n = 0; n < 20; n++) { // What a longer kernel left there does not run.
        char ends[64];
        const size_t nops = n * 37;
        snprintf(ends, sizeof ends, "the code ends at 0x%zx without", 4 * nops + sizeof tell - 4);
        bad += tell_number(x, nops + 50, n, true) != 0;
        bad += tell_number(x, nops, n, false) != LULL_ERR_BAD_DATA || strstr(said, ends) == NULL;
    }
    test_case(bad == 0, "each kernel has its own end", "%" PRIu32 " wrong: %s", bad, said);
}

/** Many calls, each with its own numbers; says how many a second. */
static void test_speed(struct lull_exec *x)
{
    enum { CALLS = 500 };
    uint32_t bad = 0;
    struct timespec start = {0};
    struct timespec end = {0};
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t n = 0; n < CALLS; n++) {
        uint32_t in[32] = {n};
        uint32_t out[32] = {0};
        const struct lull_exec_buffer b[] = {{.data = out, .size = sizeof out},
                                             {.data = in, .size = sizeof in}};
        struct lull_exec_params p = with(scale, sizeof scale, 1, 32);
        p.buffers = b;
        p.nbuffers = 2;
        bad += call(x, &p) != 0 || out[0] != 3 * n;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double s =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    printf("# %.0f calls a second\n", (double)CALLS / s);
    test_case(bad == 0, "500 calls", "%" PRIu32 " wrong: %s", bad, said);
}

int main(void)
{
    struct lull_exec *x = NULL;
    struct lull_error *err = lull_exec_new(0, &x);
    if (!test_case(err == NULL, "new", "%s", err != NULL ? lull_error_message(err) : "")) {
        lull_error_free(err);
        return test_end();
    }
    test_scale(x, 32, "two buffers");
    test_scale(x, 64, "two buffers, wave64");
    test_ids(x);
    test_local(x);
    test_errors(x);
    test_denormals(x);
    test_suite(x);
    test_speed(x);
    lull_exec_free(x);
    return test_end();
}
