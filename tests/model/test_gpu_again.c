// SPDX-License-Identifier: MIT
// What waves begin with, where workgroups follow each other in one place: ids, the items of the
// last groups, and nothing of what the group before left. Each item stores it; what it must be is
// computed here from the grid.
//
// The words are what llvm-mc 19 -mcpu=gfx1100 makes of the assembly beside them.
#include "gpu_fixture.h"
#include "test.h"

enum {
    CODE = 0x10000, // offsets in the mapping
    OUT = 0x20000,
    BX = 8, // items of a group
    BY = 4,
    BZ = 3,
    ITEMS = BX * BY * BZ,
    GX = 50, // groups
    GY = 3,
    GZ = 2,
    RECORD = 16, // bytes
    NEVER = 0x5a,
    LIMIT = 10000000,
    // User SGPRs, ids x, y, z, TG_SIZE, ids of items x, y, z, 512 bytes of LDS.
    RSRC2 = 2 << 1 | 7 << 7 | 1 << 10 | 2 << 11 | 1 << 15,
    ENABLE = 5, // of DISPATCH_INITIATOR, from zero
    W32 = 0x8000,
};

// clang-format off
/** Stores v0, TG_SIZE, registers that nobody has written, and a dword of LDS; then leaves other
 * values there. */
static const uint32_t program[] = {
    0x8c060706,             // s_or_b32 s6, s6, s7
    0x8c060806,             // s_or_b32 s6, s6, s8
    0x8c060906,             // s_or_b32 s6, s6, s9
    0xd6580001, 0x040e0501, // v_or3_b32 v1, v1, v2, v3
    0xd6580001, 0x04160901, // v_or3_b32 v1, v1, v4, v5
    0xd6580001, 0x041e0d01, // v_or3_b32 v1, v1, v6, v7
    0x38020206,             // v_or_b32 v1, s6, v1
    0x360400ff, 0x000003ff, // v_and_b32 v2, 0x3ff, v0
    0xd6100003, 0x02291500, // v_bfe_u32 v3, v0, 10, 10
    0xd6100004, 0x02292900, // v_bfe_u32 v4, v0, 20, 10
    0xd6460003, 0x040d0504, // v_lshl_add_u32 v3, v4, 2, v3
    0xd6460002, 0x04090703, // v_lshl_add_u32 v2, v3, 3, v2
    0x300c0482,             // v_lshlrev_b32 v6, 2, v2
    0xd8d80000, 0x05000006, // ds_load_b32 v5, v6
    0x96078304,             // s_mul_i32 s7, s4, 3
    0x80070307,             // s_add_u32 s7, s7, s3
    0x9607b207,             // s_mul_i32 s7, s7, 50
    0x80070207,             // s_add_u32 s7, s7, s2
    0x9607ff07, 0x00000060, // s_mul_i32 s7, s7, 0x60
    0x4a040407,             // v_add_nc_u32 v2, s7, v2
    0x30040484,             // v_lshlrev_b32 v2, 4, v2
    0x7e100300,             // v_mov_b32 v8, v0
    0x7e120205,             // v_mov_b32 v9, s5
    0x7e140301,             // v_mov_b32 v10, v1
    0xbf89fc07,             // s_waitcnt lgkmcnt(0)
    0x7e160305,             // v_mov_b32 v11, v5
    0xdc760000, 0x00000802, // global_store_b128 v2, v[8:11], s[0:1]
    0x7e0202c1,             // v_mov_b32 v1, -1
    0x7e0402c1,             // v_mov_b32 v2, -1
    0x7e0602c1,             // v_mov_b32 v3, -1
    0x7e0802c1,             // v_mov_b32 v4, -1
    0x7e0a02c1,             // v_mov_b32 v5, -1
    0x7e0e02c1,             // v_mov_b32 v7, -1
    0xbe8601c1,             // s_mov_b64 s[6:7], -1
    0xbe8801c1,             // s_mov_b64 s[8:9], -1
    0xd8340000, 0x00000106, // ds_store_b32 v6, v1
    0x7e0c02c1,             // v_mov_b32 v6, -1
    0xbfb00000,             // s_endpgm
};
// clang-format on

/** @param last_x Items in x of the last groups in that direction. */
static void dispatch(struct fixture *f, uint32_t lanes, uint32_t last_x)
{
    const uint64_t pgm = (FIXTURE_VA + CODE) >> 8, out = FIXTURE_VA + OUT;
    const uint32_t user[2] = {(uint32_t)out, (uint32_t)(out >> 32)}, block[3] = {BX, BY, BZ};
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_LO, (uint32_t)pgm);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_HI, (uint32_t)(pgm >> 32));
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC1, 1u << 29 | 1u << 30 | 3);
    lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_PGM_RSRC2, RSRC2);
    lull_pm4_set_sh(&f->b, LULL_GC11_COMPUTE_USER_DATA_0, user, 2);
    for (unsigned i = 0; i < 3; i++) {
        lull_pm4_set_sh1(&f->b, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i, block[i]);
    }
    lull_pm4_dispatch(&f->b, (GX - 1) * BX + last_x, GY * BY, GZ * BZ,
                      ENABLE | LULL_GC11_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS_MASK |
                          (lanes == 32 ? (uint32_t)W32 : 0));
}

/** The word of an item's record at @p field, of a group of @p x items in its first direction. */
static uint32_t want(unsigned field, uint32_t item, uint32_t x, uint32_t lanes)
{
    const uint32_t id[3] = {item % BX, item / BX % BY, item / BX / BY};
    const uint32_t wave = (id[0] + x * (id[1] + BY * id[2])) / lanes;
    const uint32_t waves = (x * BY * BZ + lanes - 1) / lanes;
    switch (field) {
    case 0:
        return id[0] | id[1] << 10 | id[2] << 20;
    case 1:
        return waves | wave << 6 | wave << 20 | (uint32_t)(wave == 0) << 31;
    default:
        return 0;
    }
}

/** Words that are not what they must be. */
static unsigned count_wrong(const struct fixture *f, uint32_t lanes, uint32_t last_x)
{
    const uint32_t never = 0x01010101u * NEVER;
    unsigned wrong = 0;
    for (uint32_t n = 0; n < GX * GY * GZ * ITEMS; n++) {
        const uint32_t x = n / ITEMS % GX == GX - 1 ? last_x : BX, item = n % ITEMS;
        for (unsigned k = 0; k < RECORD / 4; k++) {
            const uint32_t got = fixture_u32(f, OUT + RECORD * n + 4 * k);
            wrong += got != (item % BX < x ? want(k, item, x, lanes) : never);
        }
    }
    return wrong;
}

int main(void)
{
    static const uint32_t last[] = {BX, 7, 2}; // 7: as many waves of 32, 2: fewer.
    for (unsigned i = 0; i < 2 * 2 * TEST_ROWS(last); i++) {
        const unsigned threads = i % 2 == 0 ? 1 : 3;
        const uint32_t lanes = i / 2 % 2 == 0 ? 32 : 64, last_x = last[i / 4];
        struct fixture f = fixture_of((struct lull_gpu_config){.threads = threads});
        struct lull_gpu_done done = {0};
        memcpy(fixture_mem(&f, CODE), program, sizeof program);
        memset(fixture_mem(&f, OUT), NEVER, RECORD * GX * GY * GZ * ITEMS);
        dispatch(&f, lanes, last_x);
        fixture_submit(&f, LULL_RING_COMPUTE0, 1);
        const bool ended = fixture_run(&f, LIMIT, &done) && done.result == LULL_JOB_DONE;
        const unsigned wrong = count_wrong(&f, lanes, last_x);
        test_case(ended && wrong == 0, "what waves begin with",
                  "%u threads, wave%u, last groups of %u: ended %d, %u words are wrong", threads,
                  lanes, last_x, ended, wrong);
        fixture_free(&f);
    }
    return test_end();
}
