// SPDX-License-Identifier: MIT
// The debugfs client: banks, file offsets, fallbacks, errors.
#include <errno.h>

#include "drm/amdgpu/debugfs.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "drm/script.h"
#include "test.h"

static void check(bool ok, const char *name, struct lull_error *err)
{
    test_case(ok, name, "error: %s", err != NULL ? lull_error_message(err) : "none");
    lull_error_free(err);
}

static const struct lull_reg_bank vmid3 = {.srbm = true, .vmid = 3};

// Numbers that other programs (umr) use; from their sources, not from our header.
static void test_abi(void)
{
    test_case(LULL_REGS2_SET_V1 == 0xc0282000ul, "regs2 v1 number", "0x%lx", LULL_REGS2_SET_V1);
    test_case(LULL_REGS2_SET_V2 == 0xc02c2001ul, "regs2 v2 number", "0x%lx", LULL_REGS2_SET_V2);
    test_case(LULL_GPRWAVE_SET == 0xc0242000ul, "gprwave number", "0x%lx", LULL_GPRWAVE_SET);
}

static void test_regs(void)
{
    struct script s = script_new(NULL, 0);
    struct lull_debugfs d;
    lull_debugfs_init(&d, &s.k, 1);
    uint32_t v[2] = {0};
    s.io[4] = 9;
    struct lull_error *err = lull_debugfs_read_regs(&d, &vmid3, 0x2a798, v, 2);
    const struct lull_regs2_v2 *b = (const void *)s.args[0];
    check(err == NULL && s.requests[0] == LULL_REGS2_SET_V2 && b->bank.use_srbm == 1 &&
              b->bank.use_grbm == 0 && b->bank.srbm.vmid == 3 && s.io_offset == 0x2a798 &&
              s.io_size == 8 && v[1] == 9 &&
              strcmp(s.path, "/sys/kernel/debug/dri/1/amdgpu_regs2") == 0,
          "regs2 read", err);
    const struct lull_reg_bank all = {.grbm = true, .se = LULL_BANK_ALL, .sa = 1, .instance = 6};
    v[0] = 0x1234;
    err = lull_debugfs_write_regs(&d, &all, 0x8dec, v, 1);
    b = (const void *)s.args[1];
    check(err == NULL && b->bank.use_grbm == 1 && b->bank.use_srbm == 0 &&
              b->bank.grbm.se == UINT32_MAX && b->bank.grbm.sh == 1 && b->bank.grbm.instance == 6 &&
              memcmp(s.io, v, 4) == 0 && s.nopen == 1,
          "regs2 write", err);
    lull_debugfs_done(&d);
    test_case(s.nclose == 1, "regs2 close", "%d", s.nclose);
}

static void test_v1(void)
{
    const struct script_call calls[] = {{0, -EINVAL, NULL, 0}, {0, 0, NULL, 0}, {0, 0, NULL, 0}};
    struct script s = script_new(calls, TEST_ROWS(calls));
    struct lull_debugfs d;
    lull_debugfs_init(&d, &s.k, 0);
    uint32_t v = 0;
    struct lull_error *err = lull_debugfs_read_regs(&d, &vmid3, 0, &v, 1);
    const struct lull_regs2_v1 *b = (const void *)s.args[1];
    check(err == NULL && s.at == 2 && s.requests[1] == LULL_REGS2_SET_V1 && b->srbm.vmid == 3,
          "regs2: falls back to v1", err);
    err = lull_debugfs_read_regs(&d, &vmid3, 0, &v, 1);
    check(err == NULL && s.at == 3 && s.requests[2] == LULL_REGS2_SET_V1, "regs2: remembers v1",
          err);
    lull_debugfs_done(&d);
}

static void test_waves(void)
{
    struct script s = script_new(NULL, 0);
    struct lull_debugfs d;
    lull_debugfs_init(&d, &s.k, 0);
    uint32_t type3[16] = {3, 0x10000, 0x100, 0xffff8000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    memcpy(s.io, type3, sizeof type3);
    struct lull_wave_status w = {0};
    const struct lull_wave_slot slot = {.se = 5, .sa = 1, .wgp = 3, .simd = 2, .wave = 15};
    struct lull_error *err = lull_debugfs_read_wave(&d, slot, &w);
    // Offsets by hand from the fact sheet: SE from bit 7, SH 15, CU 23, wave 31.
    const uint64_t pos = 5ull << 7 | 1ull << 15 | 14ull << 23 | 15ull << 31;
    check(err == NULL && s.io_offset == pos && w.pc == 0xffff800000000100 &&
              w.exec == 0x200000001 && w.status == 0x10000 && w.hw_id1 == 3 && w.trapsts == 7 &&
              w.mode == 12 && w.m0 == 11,
          "wave", err);
    s.io[0] = 4;
    err = lull_debugfs_read_wave(&d, slot, &w);
    check(err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED, "wave of another generation",
          err);

    uint32_t r[8] = {0};
    err = lull_debugfs_read_vgprs(&d, slot, 31, r, 8);
    const struct lull_gprwave *g = (const void *)s.args[0];
    check(err == NULL && s.requests[0] == LULL_GPRWAVE_SET && g->gpr_or_wave == 1 &&
              g->gpr.vgpr_or_sgpr == 1 && g->gpr.thread == 31 && g->se == 5 && g->sh == 1 &&
              g->cu == 14 && g->wave == 15 && g->simd == 0 && s.io_offset == 0 && s.io_size == 32,
          "vgprs", err);
    err = lull_debugfs_read_sgprs(&d, slot, r, 1025);
    check(err != NULL && lull_error_code(err) == LULL_ERR_INVALID, "too many sgprs", err);
    lull_debugfs_done(&d);

    s = script_new(NULL, 0);
    s.open_result = -ENOENT;
    s.refuse = "amdgpu_gprwave";
    err = lull_debugfs_read_sgprs(&d, slot, r, 4);
    const uint64_t gpr = 5ull << 12 | 1ull << 20 | 14ull << 28 | 15ull << 36 | 1ull << 60;
    check(err == NULL && s.io_offset == gpr && strstr(s.path, "amdgpu_gpr") != NULL,
          "sgprs by amdgpu_gpr", err);
    err = lull_debugfs_read_vgprs(&d, slot, 7, r, 4);
    check(err == NULL && s.io_offset == ((gpr & ~(1ull << 60)) | 7ull << 52), "vgprs by amdgpu_gpr",
          err);
    lull_debugfs_done(&d);
}

static void test_errors(void)
{
    static const struct {
        const char *name;
        int errnum;
        const char *word;
    } rows[] = {
        {"open: not root", EACCES, "root"},
        {"open: lockdown", EPERM, "locked down"},
        {"open: no debugfs", ENOENT, "mount"},
    };
    struct lull_debugfs d;
    char buf[4] = "";
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct script s = script_new(NULL, 0);
        s.open_result = -rows[i].errnum;
        lull_debugfs_init(&d, &s.k, 0);
        struct lull_error *err = lull_debugfs_read_vram(&d, 0, buf, 4);
        check(err != NULL && strstr(lull_error_message(err), rows[i].word) != NULL &&
                  strstr(lull_error_message(err), "dri/0/amdgpu_vram") != NULL,
              rows[i].name, err);
    }
    struct script s = script_new(NULL, 0);
    s.io_result = -EPERM;
    lull_debugfs_init(&d, &s.k, 0);
    struct lull_error *err = lull_debugfs_read_iomem(&d, 0x1000, buf, 4);
    check(err != NULL && strstr(lull_error_message(err), "bus address") != NULL, "iomem: not ours",
          err);
    s.io_result = -ENXIO;
    err = lull_debugfs_write_vram(&d, 0x1000, buf, 4);
    check(err != NULL && strstr(lull_error_message(err), "beyond the end") != NULL, "vram: beyond",
          err);
    lull_debugfs_done(&d);
}

int main(void)
{
    test_abi();
    test_regs();
    test_v1();
    test_waves();
    test_errors();
    return test_end();
}
