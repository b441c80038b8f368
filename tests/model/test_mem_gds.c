// SPDX-License-Identifier: MIT
// GDS: the first active lane alone, the part that M0 names, the registers for streamout.
//
// What ds_add_gs_reg_rtn does with which register is by the pseudo code in the RDNA3 ISA guide.
#include <inttypes.h>

#include "mem_gds_rows.h"
#include "wave_fixture.h"

enum { BYTES = 256 };

static struct {
    uint32_t mem[BYTES / 4];
    uint32_t regs[LULL_GDS_REGS];
} gds;

static void give(struct lull_wave *w, struct lull_gds *ret)
{
    (void)w;
    *ret = (struct lull_gds){.mem = (uint8_t *)gds.mem, .size = BYTES, .regs = gds.regs};
}

/** Dword i of memory is 100 + i, register i is 1000 + i; lane l has address v2 = 4l, v4 = 7 + l. */
static struct fixture *counted(void)
{
    struct fixture *f = fix_new(64, 1);
    f->host.gds = give;
    for (uint32_t i = 0; i < BYTES / 4; i++) {
        gds.mem[i] = 100 + i;
    }
    for (uint32_t i = 0; i < LULL_GDS_REGS; i++) {
        gds.regs[i] = 1000 + i;
    }
    for (uint32_t l = 0; l < 64; l++) {
        fix_v(f, 2)[l] = 4 * l;
        fix_v(f, 4)[l] = 7 + l;
        fix_v(f, 5)[l] = 1;
        fix_v(f, 6)[l] = fix_v(f, 7)[l] = UINT32_C(0xaaaa0000) + l;
    }
    f->w.sgpr[LULL_RDNA_M0] = BYTES;
    return f;
}

/** What one instruction does to dword @p at and its lane's v6, with lane 3 the first active. */
static const struct {
    const char *text;
    uint32_t m0;
    unsigned at;            // Dword that changes, or does not.
    uint32_t want, returns; // 0xaaaa0003: v6 stays.
} memory_rows[] = {
    {ASM("ds_add_u32 v2, v4 gds"), 256, 3, 113, 0xaaaa0003},
    {ASM("ds_add_rtn_u32 v6, v2, v4 gds"), 256, 3, 113, 103},
    {ASM("ds_add_rtn_u32 v6, v2, v4 offset:8 gds"), 256, 5, 115, 105},
    {ASM("ds_sub_rtn_u32 v6, v2, v4 gds"), 256, 3, 93, 103},
    {ASM("ds_storexchg_rtn_b32 v6, v2, v4 gds"), 256, 3, 10, 103},
    {ASM("ds_cmpstore_rtn_b32 v6, v2, v4, v5 gds"), 256, 3, 103, 103},
    {ASM("ds_store_b32 v2, v4 gds"), 256, 3, 10, 0xaaaa0003},
    {ASM("ds_store_b8 v2, v4 offset:1 gds"), 256, 3, 0xa67, 0xaaaa0003},
    {ASM("ds_load_b32 v6, v2 gds"), 256, 3, 103, 103},
    {ASM("ds_load_u16 v6, v2 offset:4 gds"), 256, 4, 104, 104},
    // M0: base in 31:16, size in 15:0
    {ASM("ds_add_rtn_u32 v6, v2, v4 offset:16 gds"), 64 << 16 | 64, 23, 133, 123},
    {ASM("ds_add_rtn_u32 v6, v2, v4 offset:48 gds"), 64 << 16 | 64, 31, 141, 131},
    {ASM("ds_add_rtn_u32 v6, v2, v4 offset:52 gds"), 64 << 16 | 64, 32, 132, 0},
    {ASM("ds_add_rtn_u32 v6, v2, v4 offset:4 gds"), 12, 4, 104, 0},
    {ASM("ds_load_b32 v6, v2 gds"), 252 << 16 | 256, 63, 163, 0},
    {ASM("ds_add_u32 v2, v4 offset:2 gds"), 256, 3, 103, 0xaaaa0003}, // not aligned
};

static void test_memory(void)
{
    for (size_t i = 0; i < TEST_ROWS(memory_rows); i++) {
        struct fixture *f = counted();
        f->w.sgpr[LULL_RDNA_M0] = memory_rows[i].m0;
        f->w.sgpr[LULL_RDNA_EXEC] = ~UINT32_C(7);
        const enum lull_exec_result r = fix_run(f, memory_rows[i].text);
        unsigned others = 0;
        for (uint32_t k = 0; k < BYTES / 4; k++) {
            others += k != memory_rows[i].at && gds.mem[k] != 100 + k;
        }
        for (uint32_t l = 0; l < 64; l++) {
            others += l != 3 && fix_v(f, 6)[l] != UINT32_C(0xaaaa0000) + l;
        }
        test_case(r == LULL_EXEC_NEXT && gds.mem[memory_rows[i].at] == memory_rows[i].want &&
                      fix_v(f, 6)[3] == memory_rows[i].returns && others == 0,
                  memory_rows[i].text, "result %d, 0x%x, returns 0x%x, %u others changed", (int)r,
                  gds.mem[memory_rows[i].at], fix_v(f, 6)[3], others);
        fix_free(f);
    }
}

/** By register: which dwords the 32 or 64 bits are. Register i holds 1000 + i; 7 is added. */
static const struct {
    const char *text;
    unsigned at;
    uint32_t want; // Of the low dword.
    uint32_t v6, v7;
} reg_rows[] = {
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 gds"), 0, 1007, 1000, 0xaaaa0000},
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:4 gds"), 1, 1008, 1001, 0xaaaa0000},
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:12 gds"), 3, 1010, 1003, 0xaaaa0000},
    {ASM("ds_sub_gs_reg_rtn v[6:7], v4 offset:8 gds"), 2, 995, 1002, 0xaaaa0000},
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:28 gds"), 7, 1014, 1007, 0xaaaa0000},
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:32 gds"), 8, 1015, 1008, 1009},
    {ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:36 gds"), 10, 1017, 1010, 1011},
    {ASM("ds_sub_gs_reg_rtn v[6:7], v4 offset:60 gds"), 22, 1015, 1022, 1023},
};

static void test_registers(void)
{
    for (size_t i = 0; i < TEST_ROWS(reg_rows); i++) {
        struct fixture *f = counted();
        f->w.sgpr[LULL_RDNA_M0] = 0; // has nothing to say here
        const enum lull_exec_result r = fix_run(f, reg_rows[i].text);
        unsigned others = 0;
        for (uint32_t k = 0; k < LULL_GDS_REGS; k++) {
            others += k != reg_rows[i].at && gds.regs[k] != 1000 + k;
        }
        test_case(r == LULL_EXEC_NEXT && gds.regs[reg_rows[i].at] == reg_rows[i].want &&
                      fix_v(f, 6)[0] == reg_rows[i].v6 && fix_v(f, 7)[0] == reg_rows[i].v7 &&
                      fix_v(f, 6)[1] == 0xaaaa0001 && others == 0,
                  reg_rows[i].text, "result %d: %u, v6 %u, v7 %u, %u others changed", (int)r,
                  gds.regs[reg_rows[i].at], fix_v(f, 6)[0], fix_v(f, 7)[0], others);
        fix_free(f);
    }
    struct fixture *f = counted(); // carries into the high dword
    gds.regs[8] = UINT32_MAX;
    fix_run(f, ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:32 gds"));
    test_case(gds.regs[8] == 6 && gds.regs[9] == 1010, "64 bits", "%u %u", gds.regs[8],
              gds.regs[9]);
    fix_free(f);
}

/** As RADV locks and unlocks: M0 is the ordered id, the value 0, and nothing changes. */
static void test_ordered(void)
{
    struct fixture *f = counted();
    f->w.sgpr[LULL_RDNA_M0] = 5;
    memset(fix_v(f, 2), 0, 64 * sizeof(uint32_t));
    const bool ok = fix_run(f, ASM("ds_ordered_count v6, v2 gds")) == LULL_EXEC_NEXT &&
                    fix_v(f, 6)[0] == 100 && gds.mem[0] == 100 &&
                    fix_run(f, ASM("ds_ordered_count v6, v2 offset:768 gds")) == LULL_EXEC_NEXT &&
                    gds.mem[0] == 100 && fix_v(f, 6)[1] == 0xaaaa0001;
    test_case(ok, "ds_ordered_count of nothing", "v6 %u", fix_v(f, 6)[0]);
    f->w.sgpr[LULL_RDNA_M0] = 16 << 16; // LLVM: address above the id; offset0: index times 4
    fix_run(f, ASM("ds_ordered_count v6, v4 offset:4 gds"));
    test_case(fix_v(f, 6)[0] == 105 && gds.mem[5] == 112, "ds_ordered_count adds", "%u, %u",
              fix_v(f, 6)[0], gds.mem[5]);
    fix_free(f);
}

static void test_refused(void)
{
    struct fixture *f = counted();
    f->w.sgpr[LULL_RDNA_EXEC] = f->w.sgpr[LULL_RDNA_EXEC + 1] = 0;
    const bool none = fix_run(f, ASM("ds_add_rtn_u32 v6, v2, v4 gds")) == LULL_EXEC_NEXT &&
                      fix_run(f, ASM("ds_add_gs_reg_rtn v[6:7], v4 gds")) == LULL_EXEC_NEXT &&
                      gds.mem[0] == 100 && gds.regs[0] == 1000;
    test_case(none, "no lane does nothing", "%u %u", gds.mem[0], gds.regs[0]);
    f->w.sgpr[LULL_RDNA_EXEC] = 1;
    f->w.nvgprs = 7; // v7 does not exist: the 32-bit registers do not need it
    const bool narrow =
        fix_run(f, ASM("ds_add_gs_reg_rtn v[6:7], v4 gds")) == LULL_EXEC_NEXT &&
        fix_run(f, ASM("ds_add_gs_reg_rtn v[6:7], v4 offset:32 gds")) == LULL_EXEC_ILLEGAL;
    test_case(narrow, "the second register only where it is needed", "%u", gds.regs[0]);
    f->host.gds = NULL;
    const bool illegal = fix_run(f, ASM("ds_add_rtn_u32 v6, v2, v4 gds")) == LULL_EXEC_ILLEGAL &&
                         fix_run(f, ASM("ds_ordered_count v6, v2 gds")) == LULL_EXEC_ILLEGAL &&
                         fix_run(f, ASM("ds_add_gs_reg_rtn v[6:7], v4 gds")) == LULL_EXEC_ILLEGAL;
    test_case(illegal, "a host without GDS", "not illegal");
    fix_free(f);
}

int main(void)
{
    test_memory();
    test_registers();
    test_ordered();
    test_refused();
    return test_end();
}
