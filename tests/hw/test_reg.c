// SPDX-License-Identifier: MIT
// Register tables against numbers copied by hand from the kernel's headers, and
// the look-up and printing of values.
#include "test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "hw/desc11_regs.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "hw/kd11_regs.h"
#include "hw/pte11_regs.h"
#include "hw/sqind_regs.h"
#include "hw/two_gens_regs.h"

/** Bases of the GC block's segments on gfx11.0.0, in dwords (Linux 6.12, IP discovery of Navi 31).
 */
static const uint32_t segment[] = {0x1260, 0xa000, 0x1c000, 0x2402c00};

/** Linux 6.12 gc_11_0_0_offset.h: regNAME and regNAME_BASE_IDX. */
static const struct {
    const char *name;
    uint32_t dword;
    uint32_t segment;
    uint32_t define;
} offsets[] = {
    {"GRBM_STATUS2", 0x0da2, 0, LULL_GC11_GRBM_STATUS2},
    {"GRBM_STATUS", 0x0da4, 0, LULL_GC11_GRBM_STATUS},
    {"CP_STAT", 0x0f40, 0, LULL_GC11_CP_STAT},
    {"CC_GC_SHADER_ARRAY_CONFIG", 0x100f, 0, LULL_GC11_CC_GC_SHADER_ARRAY_CONFIG},
    {"SQ_CONFIG", 0x10a0, 0, LULL_GC11_SQ_CONFIG},
    {"SQ_IND_INDEX", 0x1118, 0, LULL_GC11_SQ_IND_INDEX},
    {"SQ_IND_DATA", 0x1119, 0, LULL_GC11_SQ_IND_DATA},
    {"SQ_CMD", 0x111b, 0, LULL_GC11_SQ_CMD},
    {"GB_ADDR_CONFIG", 0x13de, 0, LULL_GC11_GB_ADDR_CONFIG},
    {"GCMC_VM_FB_OFFSET", 0x15a7, 0, LULL_GC11_GCMC_VM_FB_OFFSET},
    {"GCVM_L2_CNTL", 0x15bc, 0, LULL_GC11_GCVM_L2_CNTL},
    {"GCVM_L2_PROTECTION_FAULT_CNTL", 0x15c4, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL},
    {"GCVM_L2_PROTECTION_FAULT_STATUS", 0x15c8, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS},
    {"GCVM_L2_PROTECTION_FAULT_ADDR_LO32", 0x15c9, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32},
    {"GCVM_L2_PROTECTION_FAULT_ADDR_HI32", 0x15ca, 0, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32},
    {"GCMC_VM_FB_LOCATION_BASE", 0x1678, 0, LULL_GC11_GCMC_VM_FB_LOCATION_BASE},
    {"GCMC_VM_FB_LOCATION_TOP", 0x1679, 0, LULL_GC11_GCMC_VM_FB_LOCATION_TOP},
    {"GCVM_CONTEXT15_CNTL", 0x1697, 0, LULL_GC11_GCVM_CONTEXT15_CNTL},
    {"GCVM_INVALIDATE_ENG17_SEM", 0x16aa, 0, LULL_GC11_GCVM_INVALIDATE_ENG17_SEM},
    {"GCVM_INVALIDATE_ENG0_REQ", 0x16ab, 0, LULL_GC11_GCVM_INVALIDATE_ENG0_REQ},
    {"GCVM_INVALIDATE_ENG17_ACK", 0x16ce, 0, LULL_GC11_GCVM_INVALIDATE_ENG17_ACK},
    {"GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32", 0x16f3, 0,
     LULL_GC11_GCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32},
    {"GCVM_CONTEXT1_PAGE_TABLE_BASE_ADDR_HI32", 0x16f6, 0,
     LULL_GC11_GCVM_CONTEXT1_PAGE_TABLE_BASE_ADDR_HI32},
    {"GCVM_CONTEXT15_PAGE_TABLE_BASE_ADDR_LO32", 0x1711, 0,
     LULL_GC11_GCVM_CONTEXT15_PAGE_TABLE_BASE_ADDR_LO32},
    {"GCVM_CONTEXT15_PAGE_TABLE_START_ADDR_LO32", 0x1731, 0,
     LULL_GC11_GCVM_CONTEXT15_PAGE_TABLE_START_ADDR_LO32},
    {"GCVM_CONTEXT15_PAGE_TABLE_END_ADDR_HI32", 0x1752, 0,
     LULL_GC11_GCVM_CONTEXT15_PAGE_TABLE_END_ADDR_HI32},
    {"COMPUTE_DISPATCH_INITIATOR", 0x1ba0, 0, LULL_GC11_COMPUTE_DISPATCH_INITIATOR},
    {"COMPUTE_START_X", 0x1ba4, 0, LULL_GC11_COMPUTE_START_X},
    {"COMPUTE_NUM_THREAD_Z", 0x1ba9, 0, LULL_GC11_COMPUTE_NUM_THREAD_Z},
    {"COMPUTE_PGM_LO", 0x1bac, 0, LULL_GC11_COMPUTE_PGM_LO},
    {"COMPUTE_PGM_HI", 0x1bad, 0, LULL_GC11_COMPUTE_PGM_HI},
    {"COMPUTE_DISPATCH_SCRATCH_BASE_LO", 0x1bb0, 0, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO},
    {"COMPUTE_PGM_RSRC1", 0x1bb2, 0, LULL_GC11_COMPUTE_PGM_RSRC1},
    {"COMPUTE_PGM_RSRC2", 0x1bb3, 0, LULL_GC11_COMPUTE_PGM_RSRC2},
    {"COMPUTE_RESOURCE_LIMITS", 0x1bb5, 0, LULL_GC11_COMPUTE_RESOURCE_LIMITS},
    {"COMPUTE_TMPRING_SIZE", 0x1bb8, 0, LULL_GC11_COMPUTE_TMPRING_SIZE},
    {"COMPUTE_STATIC_THREAD_MGMT_SE2", 0x1bb9, 0, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE2},
    {"COMPUTE_USER_ACCUM_3", 0x1bc7, 0, LULL_GC11_COMPUTE_USER_ACCUM_3},
    {"COMPUTE_PGM_RSRC3", 0x1bc8, 0, LULL_GC11_COMPUTE_PGM_RSRC3},
    {"COMPUTE_USER_DATA_0", 0x1be0, 0, LULL_GC11_COMPUTE_USER_DATA_0},
    {"COMPUTE_USER_DATA_15", 0x1bef, 0, LULL_GC11_COMPUTE_USER_DATA_15},
    {"COMPUTE_DISPATCH_TUNNEL", 0x1c1d, 0, LULL_GC11_COMPUTE_DISPATCH_TUNNEL},
    {"SPI_GDBG_PER_VMID_CNTL", 0x1f72, 0, LULL_GC11_SPI_GDBG_PER_VMID_CNTL},
    {"CP_HQD_ACTIVE", 0x1fab, 0, LULL_GC11_CP_HQD_ACTIVE},
    {"TCP_WATCH0_ADDR_H", 0x2048, 0, LULL_GC11_TCP_WATCH0_ADDR_H},
    {"TCP_WATCH1_ADDR_L", 0x204c, 0, LULL_GC11_TCP_WATCH1_ADDR_L},
    {"TCP_WATCH3_CNTL", 0x2053, 0, LULL_GC11_TCP_WATCH3_CNTL},
    {"CP_MEC_CNTL", 0x0802, 1, LULL_GC11_CP_MEC_CNTL},
    {"GRBM_GFX_CNTL", 0x0900, 1, LULL_GC11_GRBM_GFX_CNTL},
    {"SH_MEM_BASES", 0x09e3, 1, LULL_GC11_SH_MEM_BASES},
    {"SQ_SHADER_TBA_LO", 0x09e6, 1, LULL_GC11_SQ_SHADER_TBA_LO},
    {"SQ_SHADER_TMA_HI", 0x09e9, 1, LULL_GC11_SQ_SHADER_TMA_HI},
    {"SCRATCH_REG0", 0x2040, 1, LULL_GC11_SCRATCH_REG0},
    {"SCRATCH_REG7", 0x2047, 1, LULL_GC11_SCRATCH_REG7},
    {"GRBM_GFX_INDEX", 0x2200, 1, LULL_GC11_GRBM_GFX_INDEX},
    {"RLC_GPU_CLOCK_COUNT_LSB", 0x4c24, 1, LULL_GC11_RLC_GPU_CLOCK_COUNT_LSB},
};

/** Linux 6.12 gc_11_0_0_sh_mask.h: NAME__FIELD_MASK; HWREG: SQ_WAVE_NAME__FIELD_MASK. */
static const struct {
    const struct lull_reg_db *db;
    const char *name, *field;
    uint32_t mask;
    uint32_t define;
} masks[] = {
    {&lull_regs_gc11, "GRBM_GFX_CNTL", "VMID", 0x000000f0, LULL_GC11_GRBM_GFX_CNTL__VMID_MASK},
    {&lull_regs_gc11, "GRBM_GFX_INDEX", "SE_BROADCAST_WRITES", 0x80000000,
     LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK},
    {&lull_regs_gc11, "SQ_IND_INDEX", "WORKITEM_ID", 0x000007e0,
     LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_MASK},
    {&lull_regs_gc11, "SQ_CMD", "QUEUE_ID", 0x07000000, LULL_GC11_SQ_CMD__QUEUE_ID_MASK},
    {&lull_regs_gc11, "SQ_SHADER_TBA_HI", "TRAP_EN", 0x80000000,
     LULL_GC11_SQ_SHADER_TBA_HI__TRAP_EN_MASK},
    {&lull_regs_gc11, "SPI_GDBG_PER_VMID_CNTL", "EXCP_EN", 0x00001ff0,
     LULL_GC11_SPI_GDBG_PER_VMID_CNTL__EXCP_EN_MASK},
    {&lull_regs_gc11, "GCVM_L2_PROTECTION_FAULT_STATUS", "CID", 0x0003fe00,
     LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID_MASK},
    {&lull_regs_gc11, "GCVM_L2_PROTECTION_FAULT_STATUS", "VMID", 0x00f00000,
     LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__VMID_MASK},
    {&lull_regs_gc11, "GCVM_CONTEXT_CNTL", "PAGE_TABLE_BLOCK_SIZE", 0x00000078,
     LULL_GC11_GCVM_CONTEXT0_CNTL__PAGE_TABLE_BLOCK_SIZE_MASK},
    {&lull_regs_gc11, "TCP_WATCH_CNTL", "MODE", 0x60000000, LULL_GC11_TCP_WATCH_CNTL__MODE_MASK},
    {&lull_regs_gc11, "COMPUTE_NUM_THREAD_X", "NUM_THREAD_PARTIAL", 0xffff0000,
     LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL_MASK},
    {&lull_regs_gc11, "COMPUTE_PGM_RSRC1", "WGP_MODE", 0x20000000,
     LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK},
    {&lull_regs_gc11, "COMPUTE_PGM_RSRC2", "LDS_SIZE", 0x00ff8000,
     LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK},
    {&lull_regs_gc11, "COMPUTE_PGM_RSRC3", "TRAP_ON_START", 0x00000400,
     LULL_GC11_COMPUTE_PGM_RSRC3__TRAP_ON_START_MASK},
    {&lull_regs_gc11, "COMPUTE_TMPRING_SIZE", "WAVESIZE", 0x07fff000,
     LULL_GC11_COMPUTE_TMPRING_SIZE__WAVESIZE_MASK},
    {&lull_regs_gc11, "COMPUTE_DISPATCH_INITIATOR", "CS_W32_EN", 0x00008000,
     LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK},
    {&lull_regs_hwreg, "MODE", "EXCP_EN", 0x001ff000, LULL_HWREG_MODE__EXCP_EN_MASK},
    {&lull_regs_hwreg, "STATUS", "FATAL_HALT", 0x00800000, LULL_HWREG_STATUS__FATAL_HALT_MASK},
    {&lull_regs_hwreg, "TRAPSTS", "TRAP_AFTER_INST", 0x00100000,
     LULL_HWREG_TRAPSTS__TRAP_AFTER_INST_MASK},
    {&lull_regs_hwreg, "GPR_ALLOC", "VGPR_SIZE", 0x000ff000, LULL_HWREG_GPR_ALLOC__VGPR_SIZE_MASK},
    {&lull_regs_hwreg, "HW_ID2", "VM_ID", 0x0f000000, LULL_HWREG_HW_ID2__VM_ID_MASK},
    {&lull_regs_sqind, "IB_STS2", "WAVE64", 0x00000800, LULL_SQIND_IB_STS2__WAVE64_MASK},
};

/** Numbers from the other documents, each named. */
static const struct {
    const struct lull_reg_db *db;
    const char *name;
    uint32_t offset;
} others[] = {
    {&lull_regs_hwreg, "FLAT_SCR_HI", 21},   // llvm-mc-19 -mcpu=gfx1100: hwreg(21)
    {&lull_regs_hwreg, "SHADER_CYCLES", 29}, // llvm-mc-19 -mcpu=gfx1100: hwreg(29)
    {&lull_regs_hwreg, "HW_ID1", 23},        // llvm-mc-19 -mcpu=gfx1100: hwreg(23)
    {&lull_regs_sqind, "TTMP15", 0x27b},     // gc_11_0_0_offset.h ixSQ_WAVE_TTMP15
    {&lull_regs_sqind, "EXEC_HI", 0x27f},    // gc_11_0_0_offset.h ixSQ_WAVE_EXEC_HI
    {&lull_regs_sqind, "SGPR5",
     0x205}, // gfx_v11_0.c, wave_read_sgprs: SQIND_WAVE_SGPRS_OFFSET 0x200
    {&lull_regs_sqind, "VGPR9",
     0x409}, // gfx_v11_0.c, wave_read_vgprs: SQIND_WAVE_VGPRS_OFFSET 0x400
    {&lull_regs_kd11, "COMPUTE_PGM_RSRC3", 44},
    {&lull_regs_kd11, "COMPUTE_PGM_RSRC1", 48},
    {&lull_regs_kd11, "KERNEL_CODE_PROPERTIES", 56},
};

static const struct {
    const struct lull_reg_db *db;
    unsigned gen;
    const char *name;
    uint64_t value;
    const char *want;
} shows[] = {
    {&lull_regs_hwreg, 0, "STATUS", 0x00012041, "0x00012041 SCC TRAP_EN HALT VALID"},
    {&lull_regs_gc11, 0, "SQ_CMD", 0x10000093,
     "0x10000093 CMD=KILL MODE=BROADCAST CHECK_VMID VM_ID=1"},
    {&lull_regs_gc11, 0, "GCVM_L2_PROTECTION_FAULT_STATUS", 0x00141051,
     "0x00141051 MORE_FAULTS PERMISSION_FAULTS=5 CID=TCP RW=WRITE VMID=1"},
    {&lull_regs_gc11, 0, "COMPUTE_PGM_LO", 0x12345, "0x00012345 DATA=0x1234500"},
    {&lull_regs_gc11, 0, "SQ_SHADER_TMA_HI", 0x101, "0x00000101 ADDR_HI=1 ?=0x100"},
    {&lull_regs_gc11, 0, "COMPUTE_USER_DATA_3", 7, "0x00000007"},
    {&lull_regs_pte11, 0, "PTE", 0x0003000012345077,
     "0x0003000012345077 VALID SYSTEM SNOOPED EXECUTABLE READABLE WRITEABLE ADDRESS=0x12345000 "
     "MTYPE=UC"},
    {&lull_regs_pte11, 0, "VA", 0x0000008040201abc,
     "0x0000008040201abc OFFSET=0xabc PTB=1 PDB0=1 PDB1=1 PDB2=1"},
    // llvm-mc-19 made these of .amdhsa_next_free_vgpr 25, float_round_mode_32 3,
    // float_denorm_mode_16_64 1, fp16_overflow 1, workgroup_processor_mode 0; of
    // user_sgpr_dispatch_ptr, user_sgpr_kernarg_segment_ptr, enable_private_segment,
    // system_sgpr_workgroup_id_y, system_sgpr_workgroup_info, exception_fp_ieee_inexact,
    // exception_int_div_zero, uses_dynamic_stack 1, system_vgpr_workitem_id 2.
    {&lull_regs_kd11, 0, "COMPUTE_PGM_RSRC1", 0x44a43003,
     "0x44a43003 GRANULATED_WORKITEM_VGPR_COUNT=3 FLOAT_ROUND_MODE_32=ZERO "
     "FLOAT_ROUND_MODE_16_64=NEAR_EVEN FLOAT_DENORM_MODE_32=FLUSH_SRC_DST "
     "FLOAT_DENORM_MODE_16_64=FLUSH_DST ENABLE_DX10_CLAMP ENABLE_IEEE_MODE FP16_OVFL MEM_ORDERED"},
    {&lull_regs_kd11, 0, "COMPUTE_PGM_RSRC2", 0x60001589,
     "0x60001589 ENABLE_PRIVATE_SEGMENT USER_SGPR_COUNT=4 ENABLE_SGPR_WORKGROUP_ID_X "
     "ENABLE_SGPR_WORKGROUP_ID_Y ENABLE_SGPR_WORKGROUP_INFO ENABLE_VGPR_WORKITEM_ID=XYZ "
     "ENABLE_EXCEPTION_INEXACT ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO"},
    {&lull_regs_kd11, 0, "KERNEL_CODE_PROPERTIES", 0x0c0a,
     "0x00000c0a ENABLE_SGPR_DISPATCH_PTR ENABLE_SGPR_KERNARG_SEGMENT_PTR ENABLE_WAVEFRONT_SIZE32 "
     "USES_DYNAMIC_STACK"},
    {&lull_regs_two, 0, "CHANGED", 0x000012f0, "0x000012f0 A=ZERO B=-1 ADDR=0x1200"},
    {&lull_regs_two, 1, "CHANGED", 0x3fc0000000000005, "0x3fc0000000000005 A=5 F=1.5"},
};

static void check_show(size_t i)
{
    lull_cleanup(lull_str_free) struct lull_str s = {0};
    const struct lull_reg_entry *e = lull_reg_named(shows[i].db, shows[i].gen, shows[i].name);
    if (e != NULL) {
        lull_reg_show(lull_reg_of(shows[i].db, e), shows[i].value, &s);
    }
    test_case(strcmp(lull_str_text(&s), shows[i].want) == 0, shows[i].name,
              "want \"%s\", got \"%s\"", shows[i].want, lull_str_text(&s));
}

/** Every entry of a table is found by its offset and by its name. */
static void check_table(const struct lull_reg_db *db)
{
    unsigned bad = 0;
    for (unsigned i = 0; i < db->nentries; i++) {
        const struct lull_reg_entry *e = &db->by_offset[i];
        const struct lull_reg *r = lull_reg_of(db, e);
        for (unsigned gen = 0; gen < db->ngens; gen++) {
            const bool here = (r->gens >> gen & 1) != 0;
            const bool found =
                lull_reg_at(db, gen, e->offset) == e && lull_reg_named(db, gen, e->name) == e;
            bad += here != found;
        }
        bad += e->offset != r->offset + e->index * r->stride;
    }
    test_case(bad == 0, db->prefix, "%u of %u entries not found", bad, db->nentries);
}

static void check_two_gens(void)
{
    const struct lull_reg_db *two = &lull_regs_two;
    const struct lull_reg_entry *moved = lull_reg_named(two, 1, "moved");
    test_case(moved != NULL && moved->offset == 0x40, "moved register", "not at 0x40");
    test_case(lull_reg_at(two, 1, 0x20) == NULL, "old place is empty", "something at 0x20");
    test_case(LULL_TWO_MOVED == 0x20 && LULL_TWO_MOVED_NEW == 0x40, "defines of a moved register",
              "other numbers");
    test_case(lull_reg_named(two, 1, "GONE") == NULL, "register that is gone", "found");
    const struct lull_reg_entry *e = lull_reg_at(two, 1, 0x30);
    test_case(e != NULL && strcmp(e->name, "NEW") == 0, "new register at its place",
              "other or none");
    test_case(LULL_TWO_CHANGED__A_MASK == 0xf && LULL_TWO_CHANGED_NEW__A_MASK == 0xff,
              "defines of changed fields", "other masks");
    e = lull_reg_at(two, 0, 0x110);
    test_case(e != NULL && strcmp(e->name, "MID_4_X") == 0 && e->index == 2,
              "element in the middle of a name", "other or none");
    test_case(LULL_TWO_MID_X == 0x100 && LULL_TWO_MID_4_X == 0x110 && LULL_TWO_MID_X__STRIDE == 8,
              "defines of an array", "other numbers");
    test_case(LULL_TWO_WIDE__TOP_MASK == UINT64_C(0xf) << 60, "mask of 64 bits", "other mask");
    test_case(lull_reg_named(two, 2, "SAME") == NULL && lull_reg_at(two, 99, 0x10) == NULL,
              "no such generation", "found");
    const struct lull_reg_pair *p = lull_reg_pair_named(two, "same");
    test_case(p != NULL && lull_reg_pair_value(p, 0xfffffff3, 0x80000001) == UINT64_C(0x8000000130),
              "pair", "other value");
    p = lull_reg_pair_named(&lull_regs_gc11, "SQ_SHADER_TBA");
    test_case(p != NULL &&
                  lull_reg_pair_value(p, 0x00123456, 0x80000001) == UINT64_C(0x10012345600),
              "address pair", "other value");
}

int main(void)
{
    for (size_t i = 0; i < TEST_ROWS(offsets); i++) {
        const uint32_t want = 4 * (segment[offsets[i].segment] + offsets[i].dword);
        const struct lull_reg_entry *e = lull_reg_at(&lull_regs_gc11, 0, want);
        test_case(e != NULL && strcmp(e->name, offsets[i].name) == 0 && offsets[i].define == want,
                  offsets[i].name, "want 0x%x, define 0x%x, found %s", want, offsets[i].define,
                  e != NULL ? e->name : "nothing");
    }
    for (size_t i = 0; i < TEST_ROWS(masks); i++) {
        const struct lull_field *f = NULL;
        for (unsigned r = 0; r < masks[i].db->nregs; r++) {
            if (strcmp(masks[i].db->regs[r].name, masks[i].name) == 0) {
                f = lull_reg_field(&masks[i].db->regs[r], masks[i].field);
            }
        }
        const uint64_t got = f != NULL ? ((UINT64_C(1) << f->bits) - 1) << f->lo : 0;
        test_case(got == masks[i].mask && masks[i].define == masks[i].mask, masks[i].field,
                  "%s: want 0x%x, got 0x%" PRIx64 ", define 0x%x", masks[i].name, masks[i].mask,
                  got, masks[i].define);
    }
    for (size_t i = 0; i < TEST_ROWS(others); i++) {
        const struct lull_reg_entry *e = lull_reg_named(others[i].db, 0, others[i].name);
        test_case(e != NULL && e->offset == others[i].offset, others[i].name, "want 0x%x, got 0x%x",
                  others[i].offset, e != NULL ? e->offset : ~0u);
    }
    for (size_t i = 0; i < TEST_ROWS(shows); i++) {
        check_show(i);
    }
    const struct lull_reg_db *const dbs[] = {&lull_regs_desc11, &lull_regs_gc11,  &lull_regs_hwreg,
                                             &lull_regs_kd11,   &lull_regs_pte11, &lull_regs_sqind,
                                             &lull_regs_two};
    for (size_t i = 0; i < TEST_ROWS(dbs); i++) {
        check_table(dbs[i]);
    }
    check_two_gens();
    return test_end();
}
