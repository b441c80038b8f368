// SPDX-License-Identifier: MIT
// What a device is told for a dispatch, defaults of bare code, the printf buffer, places of
// buffers. Expected values by hand: registers and bits of gc_11_0_0_offset.h and
// gc_11_0_0_sh_mask.h; packets of Linux nvd.h; defaults of LLVM AMDGPUUsage, .amdhsa_* directives.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "target/amd/device_priv.h"
#include "target/amd/printf.h"
#include "target/amd/raw.h"
#include "test.h"
#include "vdrm/amdgpu/vdrm.h"

// Registers of shaders, in dwords behind 0xb000 bytes.
enum {
    INITIATOR = 0x200,
    START_X = 0x204,
    THREADS_X = 0x207,
    PGM_LO = 0x20c,
    PGM_HI = 0x20d,
    SCRATCH_LO = 0x210,
    SCRATCH_HI = 0x211,
    RSRC1 = 0x212,
    RSRC2 = 0x213,
    TMPRING = 0x218,
    RSRC3 = 0x228,
    USER_DATA = 0x240,
    NREGS = 0x400,
};
enum { SET_SH_REG = 0x76, DISPATCH_DIRECT = 0x15, NOT_SET = 0x5555 };

struct fixture {
    struct lull_kernel *k;
    struct lull_amd_device *d;
    struct lull_amd_bo *code;
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
    static const uint32_t s_endpgm = 0xbfb00000;
    must(lull_vdrm_new(&(struct lull_vdrm_options){0}, &f->k), "vdrm");
    must(lull_amd_device_open(f->k, NULL, &f->d), "open");
    must(lull_amd_bo_new(f->d, "code", 4096, LULL_AMD_BO_EXEC, &f->code), "code");
    memcpy(f->code->map, &s_endpgm, sizeof s_endpgm);
}

static void tear_down(struct fixture *f)
{
    lull_amd_device_close(f->d);
    f->k->destroy(f->k);
}

/** What an indirect buffer sets. */
struct told {
    uint32_t regs[NREGS];
    uint32_t dispatch[4]; // groups, initiator
    unsigned ndispatches;
};

/* Packets of type 3: count of the body less 1 in bits 29:16, opcode in 15:8. */
static void read_packets(const uint32_t *ib, size_t n, struct told *ret)
{
    *ret = (struct told){0};
    for (size_t i = 0; i < NREGS; i++) {
        ret->regs[i] = NOT_SET;
    }
    for (size_t i = 0; i < n && ib[i] >> 30 == 3 && ret->ndispatches == 0;) {
        const uint32_t body = (ib[i] >> 16 & 0x3fff) + 1;
        const uint32_t opcode = ib[i] >> 8 & 0xff;
        for (uint32_t k = 1; opcode == SET_SH_REG && k < body && i + 1 + k < n; k++) {
            ret->regs[(ib[i + 1] + k - 1) % NREGS] = ib[i + 1 + k];
        }
        if (opcode == DISPATCH_DIRECT && i + 4 < n) {
            memcpy(ret->dispatch, &ib[i + 1], sizeof ret->dispatch);
            ret->ndispatches++;
        }
        i += 1 + body;
    }
}

static const struct {
    const char *name;
    struct lull_amd_dispatch dis;
    uint32_t groups[3], threads[3], initiator, rsrc2, tmpring;
} dispatches[] = {
    {"full groups of wave64",
     {.grid = {128, 6, 1}, .block = {64, 2, 1}, .rsrc2 = 0x84},
     {2, 3, 1},
     {64, 2, 1},
     0x5, // COMPUTE_SHADER_EN, FORCE_START_AT_000
     0x84,
     0},
    {"full groups of wave32",
     {.grid = {64, 1, 1}, .block = {64, 1, 1}, .wave32 = true},
     {1, 1, 1},
     {64, 1, 1},
     0x8005, // and CS_W32_EN
     0,
     0},
    {"partial groups",
     {.grid = {100, 7, 1}, .block = {32, 2, 1}, .wave32 = true},
     {4, 4, 1},
     {32 | 4 << 16, 2 | 1 << 16, 1},
     0x8007, // and PARTIAL_TG_EN
     0,
     0},
    {"one byte of LDS",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .lds_bytes = 1},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     1 << 15,
     0},
    {"512 bytes of LDS",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .lds_bytes = 512},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     1 << 15,
     0},
    {"513 bytes of LDS instead of what RSRC2 had",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .lds_bytes = 513, .rsrc2 = 7 << 15},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     2 << 15,
     0},
    {"all of LDS",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .lds_bytes = 65536},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     128 << 15,
     0},
    // WAVES: all that a shader engine of eight WGPs has room for. WAVESIZE counts 256 bytes of a
    // wave
    {"4 bytes of scratch, 32 lanes",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .scratch_bytes = 4, .wave32 = true},
     {1, 1, 1},
     {1, 1, 1},
     0x8005,
     1,
     512 | 1 << 12},
    {"80 bytes of scratch, 64 lanes",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .scratch_bytes = 80},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     1,
     512 | 20 << 12},
    {"84 bytes of scratch, 32 lanes",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .scratch_bytes = 84, .wave32 = true},
     {1, 1, 1},
     {1, 1, 1},
     0x8005,
     1,
     512 | 11 << 12},
    {"RSRC2 says scratch, there is none",
     {.grid = {1, 1, 1}, .block = {1, 1, 1}, .rsrc2 = 1},
     {1, 1, 1},
     {1, 1, 1},
     0x5,
     0,
     0},
};

static void test_dispatches(struct fixture *f)
{
    for (size_t i = 0; i < TEST_ROWS(dispatches); i++) {
        struct lull_amd_dispatch dis = dispatches[i].dis;
        enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
        struct told t = {0};
        dis.code_va = f->code->va;
        dis.rsrc1 = 0x60ac0000;
        dis.rsrc3 = 0x10;
        dis.nuser_data = 2;
        dis.user_data[0] = 0x1234;
        dis.user_data[1] = 0x5678;
        must(lull_amd_submit(f->d, &dis), dispatches[i].name);
        read_packets(f->d->ib->map, f->d->ib->size / 4, &t);
        must(lull_amd_wait(f->d, UINT64_C(10000000000), &state), dispatches[i].name);
        test_case(
            t.ndispatches == 1 && memcmp(t.dispatch, dispatches[i].groups, 12) == 0 &&
                t.dispatch[3] == dispatches[i].initiator &&
                memcmp(&t.regs[THREADS_X], dispatches[i].threads, 12) == 0 &&
                t.regs[RSRC2] == dispatches[i].rsrc2 && t.regs[TMPRING] == dispatches[i].tmpring,
            dispatches[i].name, "%u,%u,%u groups of %x,%x,%x by %x, rsrc2 %x, ring %x",
            t.dispatch[0], t.dispatch[1], t.dispatch[2], t.regs[THREADS_X], t.regs[THREADS_X + 1],
            t.regs[THREADS_X + 2], t.dispatch[3], t.regs[RSRC2], t.regs[TMPRING]);
        test_case(t.regs[PGM_LO] == (uint32_t)(f->code->va >> 8) &&
                      t.regs[PGM_HI] == f->code->va >> 40 && t.regs[RSRC1] == 0x60ac0000 &&
                      t.regs[RSRC3] == 0x10 && t.regs[START_X] == 0 && t.regs[START_X + 1] == 0 &&
                      t.regs[START_X + 2] == 0 && t.regs[USER_DATA] == 0x1234 &&
                      t.regs[USER_DATA + 1] == 0x5678 && t.regs[USER_DATA + 2] == NOT_SET,
                  "code, registers, user data", "code %x, rsrc1 %x", t.regs[PGM_LO], t.regs[RSRC1]);
        const struct lull_amd_bo *ring = f->d->scratch;
        const uint64_t base = (t.regs[SCRATCH_LO] | (uint64_t)t.regs[SCRATCH_HI] << 32) << 8;
        const uint64_t need =
            (uint64_t)f->d->info.shader_engines * 512 * 256 * (dispatches[i].tmpring >> 12);
        test_case(dispatches[i].tmpring == 0 ? t.regs[SCRATCH_LO] == NOT_SET
                                             : ring->va == base && ring->size >= need,
                  "room for the scratch of all waves", "0x%" PRIx64 ", %" PRIu64 " bytes", base,
                  need);
        test_case(state == LULL_AMD_WAIT_DONE, "and it runs", "%d", (int)state);
    }
}

static void test_refused(struct fixture *f)
{
    static const struct {
        const char *name;
        struct lull_amd_dispatch dis;
        uint64_t skip; // of the code
        const char *text;
    } rows[] = {
        {"no work-items", {.grid = {1, 0, 1}, .block = {1, 1, 1}}, 0, "must not be 0"},
        {"no workgroup", {.grid = {1, 1, 1}, .block = {1, 1, 0}}, 0, "must not be 0"},
        {"1025 work-items", {.grid = {1, 1, 1}, .block = {205, 5, 1}}, 0, "1025 work-items"},
        {"2^32 of them", {.grid = {1, 1, 1}, .block = {65536, 65536, 1}}, 0, "4294967296 work"},
        {"LDS",
         {.grid = {1, 1, 1}, .block = {1, 1, 1}, .lds_bytes = 65537},
         0,
         "65537 bytes of LDS"},
        {"17 SGPRs",
         {.grid = {1, 1, 1}, .block = {1, 1, 1}, .nuser_data = 17},
         0,
         "16 SGPRs at most"},
        {"code at 128", {.grid = {1, 1, 1}, .block = {1, 1, 1}}, 128, "256-byte aligned"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_amd_dispatch dis = rows[i].dis;
        dis.code_va = f->code->va + rows[i].skip;
        struct lull_error *err = lull_amd_submit(f->d, &dis);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID &&
                      strstr(said, rows[i].text) != NULL,
                  rows[i].name, "%s", said);
        lull_error_free(err);
    }
}

/* Buffers do not touch each other, so that overruns fault; big ones can have big pages. */
static void test_places(struct fixture *f)
{
    static const uint64_t sizes[] = {1, 4096, 4097, 65536, 1 << 20, 2 << 20, (2 << 20) + 1};
    uint64_t end = f->code->va + f->code->size;
    for (size_t i = 0; i < TEST_ROWS(sizes); i++) {
        struct lull_amd_bo *bo = NULL;
        must(lull_amd_bo_new(f->d, "b", sizes[i], 0, &bo), "buffer");
        const uint64_t align = sizes[i] < 2 << 20 ? 4096 : 2 << 20;
        test_case(bo->va % align == 0 && bo->va >= end + 65536 && bo->size == sizes[i],
                  "place of a buffer", "%" PRIu64 " bytes at 0x%" PRIx64, sizes[i], bo->va);
        end = (bo->va + sizes[i] + 4095) & ~UINT64_C(4095);
    }
    static const uint64_t bad[] = {0, (UINT64_C(1) << 40) + 1, UINT64_MAX};
    for (size_t i = 0; i < TEST_ROWS(bad); i++) {
        struct lull_amd_bo *bo = NULL;
        struct lull_error *err = lull_amd_bo_new(f->d, "name", bad[i], 0, &bo);
        test_case(err != NULL && lull_error_code(err) == LULL_ERR_INVALID && bo == NULL &&
                      strstr(lull_error_message(err), "buffer 'name' of ") != NULL,
                  "no buffer of that size", "%" PRIu64, bad[i]);
        lull_error_free(err);
    }
}

/* RSRC1: denormals of f16 and f64 kept, DX10_CLAMP, IEEE, WGP_MODE, MEM_ORDERED: 0x60ac0000; VGPRs
 * in units of 8 for wave32 and 4 for wave64, less 1. RSRC2: 2 user SGPRs, workgroup ids x, y, z,
 * work-item ids x, y, z: 0x1384. */
#define BARE(x, y, z, wave) .groups = {1, 1, 1}, .block = {x, y, z}, .wave_size = (wave)

// clang-format off
static const struct {
    const char *name;
    struct lull_raw raw;
    uint32_t rsrc1, rsrc2, lds;
    const char *text; // NULL: it works
} bare[] = {
    {"wave32", {.groups = {2, 3, 4}, .block = {512, 1, 1}, .wave_size = 32},
     0x60ac001f, 0x1384, 0, NULL},
    {"wave64", {.groups = {2, 3, 4}, .block = {8, 8, 8}, .wave_size = 64},
     0x60ac003f, 0x1384, 0, NULL},
    {"1024 of wave32", {BARE(1024, 1, 1, 32)}, 0x60ac0017, 0x1384, 0, NULL},
    {"1024 of wave64", {BARE(32, 32, 1, 64)}, 0x60ac002f, 0x1384, 0, NULL},
    {"the caller's", {BARE(1, 1, 1, 32), .rsrc1 = 5, .rsrc2 = 6}, 5, 6, 0, NULL},
    {"LDS of RSRC2", {BARE(1, 1, 1, 32), .rsrc1 = 5, .rsrc2 = 3 << 15, .lds_bytes = 1535},
     5, 3 << 15, 1536, NULL},
    {"more LDS", {BARE(1, 1, 1, 32), .rsrc1 = 5, .rsrc2 = 3 << 15, .lds_bytes = 1537},
     5, 3 << 15, 1537, NULL},
    {"no groups", {.groups = {1, 1, 0}, .block = {1, 1, 1}, .wave_size = 32},
     0, 0, 0, "1,1,0 workgroups"},
    {"1025", {BARE(1025, 1, 1, 32)}, 0, 0, 0, "of 1025,1,1 work-items"},
    {"1056", {BARE(32, 33, 1, 32)}, 0, 0, 0, "workgroup of 1056"},
    {"2^32", {.groups = {1u << 31, 1, 1}, .block = {2, 1, 1}, .wave_size = 32},
     0, 0, 0, "2147483648,1,1 workgroups"},
    {"wave16", {BARE(1, 1, 1, 16)}, 0, 0, 0, "wave size 16"},
};
// clang-format on

static void test_raw(void)
{
    for (size_t i = 0; i < TEST_ROWS(bare); i++) {
        struct lull_raw raw = bare[i].raw;
        struct lull_amd_dispatch dis = {0};
        raw.code_va = 0x100;
        raw.table_va = UINT64_C(0x123456789a);
        struct lull_error *err = lull_raw_dispatch(&raw, &dis);
        const char *said = err != NULL ? lull_error_message(err) : "accepted";
        bool ok = err != NULL && bare[i].text != NULL && strstr(said, bare[i].text) != NULL;
        if (bare[i].text == NULL) {
            ok = err == NULL && dis.rsrc1 == bare[i].rsrc1 && dis.rsrc2 == bare[i].rsrc2 &&
                 dis.lds_bytes == bare[i].lds && dis.wave32 == (raw.wave_size == 32) &&
                 dis.nuser_data == 2 && dis.user_data[0] == 0x3456789a && dis.user_data[1] == 0x12;
        }
        for (unsigned k = 0; k < 3 && err == NULL; k++) {
            ok = ok && dis.grid[k] == raw.groups[k] * raw.block[k] && dis.block[k] == raw.block[k];
        }
        test_case(ok, bare[i].name, "%s: rsrc1 %x, rsrc2 %x, %u bytes of LDS", said, dis.rsrc1,
                  dis.rsrc2, dis.lds_bytes);
        lull_error_free(err);
    }
}

/* A raw buffer of 32-bit words, all four components in their places; docs/formats/printf-buffer.md.
 */
static void test_printf_buffer(struct fixture *f)
{
    struct lull_amd_printf p = {0};
    must(lull_amd_printf_new(f->d, 4112, 77, &p), "printf");
    const uint32_t *word = p.descriptor->map;
    const uint32_t *head = p.buffer->map;
    test_case(word[0] == (uint32_t)p.buffer->va && word[1] == p.buffer->va >> 32 &&
                  word[2] == 4112 && word[3] == 0x30014fac,
              "descriptor of the printf buffer", "%x %x %x %x", word[0], word[1], word[2], word[3]);
    unsigned bad = 0;
    for (unsigned i = 0; i < 4112 / 4; i++) {
        bad += head[i] != (i == 3 ? 77u : 0);
    }
    test_case(bad == 0, "its header: zeros and the number of the dispatch", "%u words", bad);
    test_case(!p.descriptor->writable && p.buffer->writable, "who may write", "%d",
              p.buffer->writable);
}

int main(void)
{
    struct fixture f = {0};
    set_up(&f);
    test_dispatches(&f);
    test_refused(&f);
    test_places(&f);
    test_raw();
    test_printf_buffer(&f);
    tear_down(&f);
    return test_end();
}
