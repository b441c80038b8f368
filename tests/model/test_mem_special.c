// SPDX-License-Identifier: MIT
// Memory instructions one by one: bounds, faults, lanes, scalars, descriptors.
#include <stdint.h>

#include "mem_special_rows.h"
#include "wave_fixture.h"

static void lane_numbers(struct fixture *f, unsigned reg, uint32_t first, uint32_t step)
{
    for (unsigned l = 0; l < f->w.lanes; l++) {
        fix_v(f, reg)[l] = first + l * step;
    }
}

static void count_area(struct fixture *f)
{
    for (uint32_t i = 0; i < FIX_AREA; i += 4) {
        memcpy(fix_at(f, i), &i, 4); // Each dword holds its offset.
    }
    for (uint32_t i = 0; i < FIX_LDS; i += 4) {
        const uint32_t v = i + 0x10000;
        memcpy(f->lds + i, &v, 4);
    }
}

static struct fixture *counted(unsigned lanes)
{
    struct fixture *f = fix_new(lanes, 1);
    count_area(f);
    return f;
}

static void set64(struct fixture *f, unsigned sgpr, uint64_t v)
{
    f->w.sgpr[sgpr] = (uint32_t)v;
    f->w.sgpr[sgpr + 1] = (uint32_t)(v >> 32);
}

/** One case: all lanes of register @p reg are first + lane * step. */
static void want_row(struct fixture *f, const char *text, unsigned reg, uint32_t first,
                     uint32_t step)
{
    const enum lull_exec_result r = fix_run(f, text);
    unsigned l = 0;
    while (l < f->w.lanes && fix_v(f, reg)[l] == first + l * step) {
        l++;
    }
    test_case(r == LULL_EXEC_NEXT && l == f->w.lanes, text, "result %d, lane %u has %x", (int)r, l,
              l < f->w.lanes ? fix_v(f, reg)[l] : 0);
}

static void test_two(void)
{
    struct fixture *f = counted(32);
    lane_numbers(f, 2, 64, 8);
    want_row(f, ASM("ds_load_2addr_b32 v[4:5], v2 offset0:1 offset1:3"), 4, 0x10000 + 64 + 4, 8);
    test_case(fix_v(f, 5)[3] == 0x10000 + 64 + 24 + 12, "ds_load_2addr_b32, second", "%x",
              fix_v(f, 5)[3]);
    want_row(f, ASM("ds_load_2addr_b64 v[4:7], v2 offset0:2 offset1:4"), 7, 0x10000 + 64 + 36, 8);
    want_row(f, ASM("ds_load_2addr_stride64_b32 v[4:5], v2 offset0:1 offset1:2"), 5,
             0x10000 + 64 + 512, 8);
    want_row(f, ASM("ds_load_2addr_stride64_b64 v[4:7], v2 offset1:1"), 6, 0x10000 + 64 + 512, 8);
    lane_numbers(f, 4, 1000, 1);
    lane_numbers(f, 5, 2000, 1);
    fix_run(f, ASM("ds_store_2addr_b32 v2, v4, v5 offset0:1 offset1:0"));
    uint32_t got[2] = {0};
    memcpy(got, f->lds + 64 + 8 * 7, 8);
    test_case(got[0] == 2007 && got[1] == 1007, "ds_store_2addr_b32", "%u %u", got[0], got[1]);
    fix_run(f, ASM("ds_storexchg_2addr_rtn_b32 v[2:3], v2, v5, v4 offset0:1 offset1:0"));
    memcpy(got, f->lds + 64 + 8 * 7, 8);
    test_case(got[0] == 1007 && got[1] == 2007 && fix_v(f, 2)[7] == 1007 && fix_v(f, 3)[7] == 2007,
              "ds_storexchg_2addr_rtn_b32 over its address", "%u %u, %u %u", got[0], got[1],
              fix_v(f, 2)[7], fix_v(f, 3)[7]);
    fix_free(f);
}

static void test_lds_bounds(void)
{
    struct fixture *f = counted(32);
    f->wg.lds_size = 256;
    lane_numbers(f, 2, 128, 8);
    lane_numbers(f, 4, 7, 0);
    fix_run(f, ASM("ds_load_b64 v[4:5], v2"));
    test_case(fix_v(f, 4)[15] == 0x10000 + 248 && fix_v(f, 5)[15] == 0x10000 + 252 &&
                  fix_v(f, 4)[16] == 0 && fix_v(f, 5)[31] == 0,
              "LDS beyond the group's part reads 0", "%x %x", fix_v(f, 4)[15], fix_v(f, 4)[16]);
    fix_v(f, 2)[0] = 252;
    fix_v(f, 2)[1] = UINT32_MAX - 3;
    fix_run(f, ASM("ds_load_b64 v[4:5], v2 offset:8"));
    test_case(fix_v(f, 4)[0] == 0 && fix_v(f, 4)[1] == 0x10000 + 4 && fix_v(f, 5)[1] == 0x10000 + 8,
              "LDS address wraps at 32 bits", "%x", fix_v(f, 4)[1]);
    lane_numbers(f, 2, 252, 4);
    fix_run(f, ASM("ds_store_b32 v2, v2"));
    uint32_t got[2] = {0};
    memcpy(got, f->lds + 252, 8);
    test_case(got[0] == 252 && got[1] == 0x10000 + 256, "LDS beyond is not written", "%x %x",
              got[0], got[1]);
    lane_numbers(f, 2, 2, 0);
    test_case(fix_run(f, ASM("ds_add_u32 v2, v2")) == LULL_EXEC_MEMORY && f->nfaults == 0,
              "misaligned ds_add_u32", "faults %u", f->nfaults);
    f->wg.lds_size = 2;
    lane_numbers(f, 2, 0, 0);
    want_row(f, ASM("ds_load_b32 v4, v2"), 4, 0, 0);
    fix_free(f);
}

static void test_addtid(void)
{
    struct fixture *f = counted(64);
    f->w.sgpr[LULL_RDNA_M0] = 0xabc00100; // The upper half does not count.
    want_row(f, ASM("ds_load_addtid_b32 v4 offset:16"), 4, 0x10000 + 0x100 + 16, 4);
    lane_numbers(f, 5, 9000, 3);
    fix_run(f, ASM("ds_store_addtid_b32 v5 offset:4"));
    uint32_t got = 0;
    memcpy(&got, f->lds + 0x100 + 4 + 4 * 63, 4);
    test_case(got == 9000 + 63 * 3, "ds_store_addtid_b32", "%u", got);
    set64(f, 4, FIX_VA);
    want_row(f, ASM("global_load_addtid_b32 v4, s[4:5] offset:40"), 4, 40, 4);
    fix_run(f, ASM("global_store_addtid_b32 v5, s[4:5] offset:4000"));
    memcpy(&got, fix_at(f, 4000 + 4 * 62), 4);
    test_case(got == 9000 + 62 * 3, "global_store_addtid_b32 across a page", "%u", got);
    memset(f->lds, 0, 64);
    f->w.sgpr[LULL_RDNA_M0] = 8;
    set64(f, LULL_RDNA_EXEC, 0x8000000000000fff);
    fix_run(f, ASM("ds_append v4 offset:4"));
    fix_run(f, ASM("ds_append v4 offset:4"));
    memcpy(&got, f->lds + 12, 4);
    test_case(got == 26 && fix_v(f, 4)[63] == 13 && fix_v(f, 4)[20] == 40 + 80, "ds_append",
              "%u %u", got, fix_v(f, 4)[63]);
    fix_run(f, ASM("ds_consume v4 offset:4"));
    memcpy(&got, f->lds + 12, 4);
    test_case(got == 13 && fix_v(f, 4)[0] == 26, "ds_consume", "%u %u", got, fix_v(f, 4)[0]);
    fix_free(f);
}

// What lane 0..7 of 8 and lane 33 get. Values from the guide's description of the patterns.
static const struct {
    const char *text;
    uint32_t lane[8], lane33;
} patterns[] = {
    {ASM("ds_swizzle_b32 v4, v2 offset:swizzle(QUAD_PERM, 3, 2, 1, 0)"),
     {3, 2, 1, 0, 7, 6, 5, 4},
     34},
    {ASM("ds_swizzle_b32 v4, v2 offset:swizzle(BROADCAST, 8, 5)"), {5, 5, 5, 5, 5, 5, 5, 5}, 37},
    {ASM("ds_swizzle_b32 v4, v2 offset:swizzle(REVERSE, 8)"), {7, 6, 5, 4, 3, 2, 1, 0}, 38},
    {ASM("ds_swizzle_b32 v4, v2 offset:swizzle(SWAP, 4)"), {4, 5, 6, 7, 0, 1, 2, 3}, 37},
    {ASM("ds_swizzle_b32 v4, v2 offset:0xc060"), {3, 4, 5, 6, 7, 8, 9, 10}, 36},
    {ASM("ds_swizzle_b32 v4, v2 offset:0xc440"), {30, 31, 0, 1, 2, 3, 4, 5}, 63},
    {ASM("ds_swizzle_b32 v4, v2 offset:0xe000"), {0, 16, 8, 24, 4, 20, 12, 28}, 48},
    {ASM("ds_swizzle_b32 v4, v2 offset:0xe01f"), {0, 1, 2, 3, 4, 5, 6, 7}, 33},
};

static void test_lanes(void)
{
    struct fixture *f = counted(64);
    for (size_t i = 0; i < TEST_ROWS(patterns); i++) {
        lane_numbers(f, 2, 0, 1);
        fix_run(f, patterns[i].text);
        const uint32_t *got = fix_v(f, 4);
        test_case(memcmp(got, patterns[i].lane, sizeof(patterns[i].lane)) == 0 &&
                      got[33] == patterns[i].lane33,
                  patterns[i].text, "%u %u %u %u .. %u", got[0], got[1], got[2], got[3], got[33]);
    }
    set64(f, LULL_RDNA_EXEC, ~0x8ull);
    lane_numbers(f, 4, 77, 0);
    fix_run(f, patterns[0].text);
    test_case(fix_v(f, 4)[0] == 0 && fix_v(f, 4)[3] == 77, "ds_swizzle_b32 from an inactive lane",
              "%u %u", fix_v(f, 4)[0], fix_v(f, 4)[3]);
    set64(f, LULL_RDNA_EXEC, UINT64_MAX);
    lane_numbers(f, 3, 100, 1);
    lane_numbers(f, 2, 4 * 31, (uint32_t)-4); // Lane l: 31 - l, taken modulo 32.
    fix_run(f, ASM("ds_bpermute_b32 v4, v2, v3 offset:4"));
    test_case(fix_v(f, 4)[0] == 100 && fix_v(f, 4)[1] == 131 && fix_v(f, 4)[33] == 163 &&
                  fix_v(f, 4)[32] == 132,
              "ds_bpermute_b32", "%u %u %u", fix_v(f, 4)[0], fix_v(f, 4)[1], fix_v(f, 4)[33]);
    for (unsigned l = 0; l < 64; l++) {
        fix_v(f, 2)[l] = l % 32 < 4 ? 5 * 4 : l * 4; // Lanes 0 to 3 and 5 all send to lane 5.
    }
    fix_run(f, ASM("ds_permute_b32 v4, v2, v3"));
    test_case(fix_v(f, 4)[5] == 105 && fix_v(f, 4)[0] == 0 && fix_v(f, 4)[37] == 137 &&
                  fix_v(f, 4)[40] == 140,
              "ds_permute_b32", "%u %u %u", fix_v(f, 4)[5], fix_v(f, 4)[0], fix_v(f, 4)[37]);
    fix_free(f);
}

static void test_scalar(void)
{
    struct fixture *f = counted(32);
    uint32_t *s = f->w.sgpr;
    set64(f, 2, FIX_VA + 0x1002); // The low bits do not count.
    s[6] = 0x23;
    fix_run(f, ASM("s_load_b32 s20, s[2:3], 0x8"));
    test_case(s[20] == 0x1008, "s_load_b32", "%x", s[20]);
    fix_run(f, ASM("s_load_b64 s[20:21], s[2:3], s6 offset:-0x10"));
    test_case(s[20] == 0x1010 && s[21] == 0x1014, "s_load_b64 with soffset", "%x %x", s[20], s[21]);
    fix_run(f, ASM("s_load_b512 s[20:35], s[2:3], 0xff0"));
    test_case(s[20] == 0x1ff0 && s[23] == 0x1ffc && s[24] == 0x2000 && s[35] == 0x202c,
              "s_load_b512 across a page", "%x %x %x", s[20], s[24], s[35]);
    fix_run(f, ASM("s_load_b64 vcc, s[2:3], null"));
    test_case(s[106] == 0x1000 && s[107] == 0x1004, "s_load_b64 into VCC", "%x", s[106]);
    set64(f, 2, FIX_VA + FIX_AREA - 8);
    s[20] = s[22] = 1;
    test_case(
        fix_run(f, ASM("s_load_b128 s[20:23], s[2:3], null")) == LULL_EXEC_MEMORY &&
            f->nfaults == 1 && f->g->vm.fault.va == FIX_VA + FIX_AREA && s[20] == 1 && s[22] == 1,
        "s_load_b128 into a hole", "va %llx, s20 %x", (unsigned long long)f->g->vm.fault.va, s[20]);
    set64(f, 2, FIX_VA);
    s[108] = 99;
    fix_run(f, ASM("s_load_b32 ttmp0, s[2:3], 0x8"));
    const uint32_t before = s[108];
    f->w.status |= 1u << 5; // PRIV
    fix_run(f, ASM("s_load_b32 ttmp0, s[2:3], 0x8"));
    test_case(before == 99 && s[108] == 8, "TTMP only in PRIV", "%u %u", before, s[108]);
    s[8] = (uint32_t)FIX_VA + 64;
    s[9] = (uint32_t)(FIX_VA >> 32 & 0xffff);
    s[10] = 32;
    s[11] = 0;
    fix_run(f, ASM("s_buffer_load_b256 s[20:27], s[8:11], 0xc"));
    test_case(s[20] == 76 && s[24] == 92 && s[25] == 0 && s[27] == 0,
              "s_buffer_load_b256 beyond its end", "%u %u %u", s[20], s[24], s[25]);
    s[9] |= 16u << 16; // Stride: 32 records of 16 bytes.
    fix_run(f, ASM("s_buffer_load_b64 s[20:21], s[8:11], 0x1fc"));
    test_case(s[20] == 64 + 0x1fc && s[21] == 0, "s_buffer_load_b64 with stride", "%x %x", s[20],
              s[21]);
    s[10] = 0;
    fix_run(f, ASM("s_buffer_load_b32 s20, s[8:11], s6"));
    test_case(s[20] == 0, "s_buffer_load_b32 of an empty buffer", "%x", s[20]);
    fix_free(f);
}

static void descriptor(struct fixture *f, uint32_t stride, uint32_t swizzle, uint32_t records,
                       uint32_t word3)
{
    f->w.sgpr[8] = (uint32_t)FIX_VA;
    f->w.sgpr[9] = (uint32_t)(FIX_VA >> 32 & 0xffff) | stride << 16 | swizzle << 30;
    f->w.sgpr[10] = records;
    f->w.sgpr[11] = word3 | FIX_FORMAT;
}

// Lane l has index l and offset 8; dwords 8 and 12 of its record. Lanes below "lanes" are in
// bounds.
static const struct {
    const char *name;
    uint32_t stride, records, oob;
    unsigned first, second; // Lanes whose first, second dword is in bounds.
} bounds[] = {
    {"structured with offset", 16, 5, 0, 5, 5},
    {"structured with offset, small record", 12, 5, 0, 5, 0},
    {"structured", 12, 5, 1, 5, 5},
    {"unchecked", 16, 1, 2, 32, 32},
    {"unchecked, null", 16, 0, 2, 0, 0},
    {"raw", 16, 64, 3, 4, 4},
    {"raw, half a record", 16, 60, 3, 4, 3},
};

static void test_bounds(void)
{
    for (size_t i = 0; i < TEST_ROWS(bounds); i++) {
        struct fixture *f = counted(32);
        bool ok = true;
        descriptor(f, bounds[i].stride, 0, bounds[i].records, bounds[i].oob << 28);
        lane_numbers(f, 2, 0, 1);
        lane_numbers(f, 3, 8, 0);
        ok = fix_run(f, ASM("buffer_load_b64 v[4:5], v[2:3], s[8:11], 0 idxen offen")) ==
             LULL_EXEC_NEXT;
        for (unsigned l = 0; l < 32; l++) {
            const uint32_t at = l * bounds[i].stride + 8;
            ok = ok && fix_v(f, 4)[l] == (l < bounds[i].first ? at : 0);
            ok = ok && fix_v(f, 5)[l] == (l < bounds[i].second ? at + 4 : 0);
        }
        test_case(ok, bounds[i].name, "load: %x %x", fix_v(f, 4)[4], fix_v(f, 5)[4]);
        lane_numbers(f, 4, 1, 0);
        fix_run(f, ASM("buffer_store_b32 v4, v2, s[8:11], 0 idxen offset:8"));
        uint32_t in = 0, out = 0;
        memcpy(&in, fix_at(f, 8), 4);
        memcpy(&out, fix_at(f, 31 * bounds[i].stride + 8), 4);
        test_case((in == 1) == (bounds[i].first > 0) && (out == 1) == (bounds[i].first == 32),
                  bounds[i].name, "store: %u %u", in, out);
        fix_free(f);
    }
}

static void test_swizzled_buffer(void)
{
    struct fixture *f = counted(32);
    // Stride 16, elements of 4 bytes, 8 records interleaved: record i, byte o is at
    // (i / 8 * 16 + o / 4 * 4) * 8 + i % 8 * 4 + o % 4.
    descriptor(f, 16, 1, 32, 3u << 28);
    lane_numbers(f, 2, 0, 1);
    fix_run(f, ASM("buffer_load_b96 v[4:6], v2, s[8:11], 0 idxen offset:4"));
    bool ok = true;
    for (uint32_t l = 0; l < 32; l++) {
        for (uint32_t d = 0; d < 3; d++) {
            ok = ok && fix_v(f, 4 + d)[l] == (l / 8 * 16 + (4 + 4 * d)) * 8 + l % 8 * 4;
        }
    }
    test_case(ok, "swizzled buffer, 4-byte elements", "%u", fix_v(f, 5)[9]);
    descriptor(f, 32, 3, 32,
               3u << 28 | 1u << 23 | 1u << 21); // 16-byte elements, 16 records, lane number added.
    fix_run(f, ASM("buffer_load_b64 v[4:5], off, s[8:11], 0 offset:20"));
    ok = true;
    for (uint32_t l = 0; l < 32; l++) {
        ok = ok && fix_v(f, 5)[l] == (l / 16 * 32 + 16) * 16 + l % 16 * 16 + 8;
    }
    test_case(ok, "swizzled buffer, 16-byte elements, add_tid", "%u", fix_v(f, 5)[17]);
    descriptor(f, 0, 0, FIX_AREA, 3u << 28);
    f->w.sgpr[LULL_RDNA_M0] = 16;
    lane_numbers(f, 2, 256, 8);
    fix_run(f, ASM("buffer_load_lds_b32 v2, s[8:11], 0 offen offset:4"));
    uint32_t got = 0;
    memcpy(&got, f->lds + 16 + 4 + 3 * 4, 4);
    test_case(got == 256 + 24 + 4, "buffer_load_lds_b32", "%u", got);
    fix_free(f);
}

static void test_faults(void)
{
    struct fixture *f = counted(32);
    gpuvm_map(f->g, FIX_VA + 0x3000, fix_page(3) | PTE_VALID | PTE_READ);
    set64(f, 4, FIX_VA);
    lane_numbers(f, 2, 0x100, 0x100); // Lanes 47 and up would be in page 3; lanes of page 2 first.
    fix_v(f, 2)[9] = 0x3010;
    fix_v(f, 2)[20] = FIX_AREA + 4;
    lane_numbers(f, 4, 500, 1);
    bool ok = fix_run(f, ASM("global_store_b32 v2, v4, s[4:5]")) == LULL_EXEC_MEMORY;
    const struct lull_vm_fault *e = &f->g->vm.fault;
    test_case(ok && f->nfaults == 1 && e->va == FIX_VA + 0x3010 && e->permission == 4 &&
                  e->access == LULL_ACCESS_WRITE,
              "the first refused lane is reported", "va %llx permission %u faults %u",
              (unsigned long long)e->va, e->permission, f->nfaults);
    uint32_t got[3] = {0};
    memcpy(&got[0], fix_at(f, 0x100 + 8 * 0x100), 4);
    memcpy(&got[1], fix_at(f, 0x3010), 4);
    memcpy(&got[2], fix_at(f, 0x100 + 31 * 0x100), 4);
    test_case(got[0] == 508 && got[1] == 0x3010 && got[2] == 531, "the other lanes are stored",
              "%u %x %u", got[0], got[1], got[2]);
    ok = fix_run(f, ASM("global_load_b32 v4, v2, s[4:5]")) == LULL_EXEC_MEMORY;
    test_case(ok && e->va == FIX_VA + FIX_AREA + 4 && e->walker_error == 4 && fix_v(f, 4)[0] == 500,
              "a refused load changes no register", "va %llx, v4 %u", (unsigned long long)e->va,
              fix_v(f, 4)[0]);
    f->w.sgpr[LULL_RDNA_EXEC] = ~(1u << 20);
    ok = fix_run(f, ASM("global_load_b32 v4, v2, s[4:5]")) == LULL_EXEC_NEXT;
    test_case(ok && fix_v(f, 4)[9] == 0x3010 && fix_v(f, 4)[20] == 520,
              "an inactive lane does not fault", "%x", fix_v(f, 4)[9]);
    fix_v(f, 2)[0] = 6;
    f->nfaults = 0;
    ok = fix_run(f, ASM("global_atomic_add_u32 v2, v4, s[4:5]")) == LULL_EXEC_MEMORY;
    test_case(ok && f->nfaults == 0 && e->va == FIX_VA + 6, "misaligned atomic", "va %llx",
              (unsigned long long)e->va);
    lane_numbers(f, 2, FIX_LANE - 4, 0);
    ok = fix_run(f, ASM("scratch_load_b32 v4, v2, off")) == LULL_EXEC_NEXT;
    test_case(ok, "last dword of scratch", "refused");
    ok = fix_run(f, ASM("scratch_load_b64 v[4:5], v2, off")) == LULL_EXEC_MEMORY && f->nfaults == 0;
    test_case(ok, "beyond scratch", "not refused");
    ok = fix_run(f, ASM("scratch_load_b32 v4, off, off offset:-4")) == LULL_EXEC_MEMORY;
    test_case(ok, "below scratch", "not refused");
    f->w.nvgprs = 5;
    ok = fix_run(f, ASM("ds_load_b64 v[4:5], v2")) == LULL_EXEC_ILLEGAL &&
         fix_run(f, ASM("global_load_b64 v[4:5], v2, s[4:5]")) == LULL_EXEC_ILLEGAL;
    test_case(ok, "registers that the wave has not", "executed");
    fix_free(f);
}

/** Lanes 32..63 continue a run in the other half; a run over a page's end. */
static void test_runs(void)
{
    struct fixture *f = counted(64);
    set64(f, 4, FIX_VA);
    lane_numbers(f, 2, 0x1f80, 4);
    want_row(f, ASM("global_load_b32 v4, v2, s[4:5]"), 4, 0x1f80, 4);
    lane_numbers(f, 2, 0x1f00, 4);
    want_row(f, ASM("global_load_b32 v4, v2, s[4:5]"), 4, 0x1f00, 4);
    fix_v(f, 2)[40] = 0x2f04;
    fix_run(f, ASM("global_load_b32 v4, v2, s[4:5]"));
    test_case(fix_v(f, 4)[40] == 0x2f04 && fix_v(f, 4)[41] == 0x1fa4,
              "a run with one lane elsewhere", "%x", fix_v(f, 4)[40]);
    set64(f, 4, FIX_VA + 0x1000 - 0xffffffe0ull); // The 32-bit address itself wraps: no run.
    for (unsigned l = 0; l < 64; l++) {
        fix_v(f, 2)[l] = l < 8 ? 0xffffffe0u + 4 * l : 0xffffffe0u;
    }
    fix_run(f, ASM("global_load_b32 v4, v2, s[4:5]"));
    test_case(fix_v(f, 4)[7] == 0x101c && fix_v(f, 4)[8] == 0x1000,
              "addresses at the top of 32 bits", "%x", fix_v(f, 4)[8]);
    fix_free(f);
}

struct seen {
    struct lull_observer o;
    unsigned n, stores;
    uint64_t last;
    size_t bytes;
};

static void see(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                uint64_t address, size_t size, int store)
{
    struct seen *s = (struct seen *)o;
    (void)at;
    (void)lane;
    s->n++;
    s->stores += store != 0;
    s->last = address;
    s->bytes = size;
}

static void test_observer(void)
{
    struct fixture *f = counted(32);
    struct seen s = {.o = {.access = see}};
    lull_wave_observe(&f->w, &s.o);
    f->w.sgpr[LULL_RDNA_EXEC] = 0x80000101;
    set64(f, 4, FIX_VA);
    lane_numbers(f, 2, 0, 8);
    fix_run(f, ASM("global_load_b64 v[4:5], v2, s[4:5]"));
    test_case(s.n == 3 && s.stores == 0 && s.last == FIX_VA + 31 * 8 && s.bytes == 8,
              "load is observed", "%u %llx", s.n, (unsigned long long)s.last);
    fix_run(f, ASM("ds_store_b32 v2, v4"));
    test_case(s.n == 6 && s.stores == 3 && s.last == (0x2000ull << 48) + 31 * 8,
              "LDS store is observed", "%u %llx", s.n, (unsigned long long)s.last);
    fix_run(f, ASM("scratch_store_b32 off, v4, off offset:20"));
    test_case(s.n == 9 && s.stores == 6 && s.last == (0x1000ull << 48) + 20,
              "scratch store is observed", "%u %llx", s.n, (unsigned long long)s.last);
    set64(f, 2, FIX_VA);
    fix_run(f, ASM("s_load_b32 s20, s[2:3], 0x8"));
    test_case(s.n == 10 && s.last == FIX_VA + 8 && s.bytes == 4, "scalar load is observed", "%u",
              s.n);
    fix_free(f);
}

int main(void)
{
    test_two();
    test_lds_bounds();
    test_addtid();
    test_lanes();
    test_scalar();
    test_bounds();
    test_swizzled_buffer();
    test_faults();
    test_runs();
    test_observer();
    return test_end();
}
