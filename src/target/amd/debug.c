// SPDX-License-Identifier: MIT
#include "target/amd/debug.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "drm/amdgpu/debugfs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"
#include "target/amd/debug_priv.h"
#include "target/amd/slots.h"
#include "target/amd/trap_layout.h"

extern const uint8_t lull_trap_gfx11[], lull_trap_gfx11_end[];

enum {
    POLL_NS = 20000,     // GPU time between two looks at the stop counter
    RESUME_POLLS = 4096, // looks before a wave counts as not leaving its handler
    LETTING_GO = 16,
    LDS_STEP = 256,
    STEPS_SHIFT = 24, // of STEPS, and of those left in TTMP11
    MAX_STEPS = 255,
    SPI_TTMP11 = 0xffffff,
    WATCHES = LULL_WATCHPOINTS,
    WATCH_SHIFT = 7, // watched lines are of 128 bytes
};

static struct lull_amd_target *amd(struct lull_target *t)
{
    return (struct lull_amd_target *)t;
}

/* Slot 13:0, wave in its group 19:14, client 27:20, then a hash of workgroup and dispatch: no
 * other wave that the slot holds later has the same. */
static uint64_t key_of(const struct lull_amd_target *t, uint32_t slot, const uint8_t *s)
{
    uint64_t wave = lull_get(lull_slot_get32(s, LULL_TRAP_SLOT_TTMP6 + 20), 0x3f);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 5; i++) { // TTMP6 dispatch, TTMP8 to 10 workgroup
        hash = (hash ^ lull_slot_get32(s, LULL_TRAP_SLOT_TTMP6 + 4 * i)) * UINT64_C(0x100000001b3);
    }
    return slot | wave << 14 | (uint64_t)t->client << 20 | hash << 28;
}

static uint32_t slot_of_key(lull_wave_key key)
{
    return (uint32_t)(key & 0x3fff);
}

static void place(uint32_t id1, struct lull_wave_info *info)
{
    info->slot = (uint8_t)lull_get(id1, LULL_HWREG_HW_ID1__WAVE_ID_MASK);
    info->simd = (uint8_t)lull_get(id1, LULL_HWREG_HW_ID1__SIMD_ID_MASK);
    info->wgp = (uint8_t)lull_get(id1, LULL_HWREG_HW_ID1__WGP_ID_MASK);
    info->sa = (uint8_t)lull_get(id1, LULL_HWREG_HW_ID1__SA_ID_MASK);
    info->se = (uint8_t)lull_get(id1, LULL_HWREG_HW_ID1__SE_ID_MASK);
}

static void describe(const struct lull_amd_target *t, uint32_t slot, struct lull_wave_info *info)
{
    const uint8_t *s = lull_slot_at(t, slot);
    *info = (struct lull_wave_info){
        .key = key_of(t, slot, s),
        .stop = lull_slot_stop(s),
        .trap_id = (uint8_t)(lull_slot_get32(s, LULL_TRAP_SLOT_PC + 4) >> 16),
        .lanes = lull_get(lull_slot_get32(s, LULL_TRAP_SLOT_IB_STS2),
                          LULL_HWREG_IB_STS2__WAVE64_MASK) != 0
                     ? 64
                     : 32,
        .nsgprs = LULL_RDNA_VCC,
        .pc = lull_slot_pc(s),
        .exec = lull_slot_get64(s, LULL_TRAP_SLOT_EXEC),
        .status = lull_slot_get32(s, LULL_TRAP_SLOT_STATUS),
        .mode = lull_slot_get32(s, LULL_TRAP_SLOT_MODE),
        .trapsts = lull_slot_get32(s, LULL_TRAP_SLOT_TRAPSTS),
        .hw_id1 = lull_slot_get32(s, LULL_TRAP_SLOT_HW_ID1),
        .hw_id2 = lull_slot_get32(s, LULL_TRAP_SLOT_HW_ID2),
        .wave_in_group = lull_slot_get32(s, LULL_TRAP_SLOT_TTMP6 + 20) & 0x3f,
    };
    // Watchpoint 0 is among the exceptions, 1 to 3 stand in a field of their own.
    info->steps = (lull_slot_get32(s, LULL_TRAP_SLOT_STEPS) >> STEPS_SHIFT) -
                  (lull_slot_get32(s, LULL_TRAP_SLOT_TTMP6 + 20) >> STEPS_SHIFT);
    uint32_t excp = lull_get(info->trapsts, LULL_HWREG_TRAPSTS__EXCP_MASK);
    info->watch = (uint8_t)((excp >> LULL_TRAP_EXCP_WATCH_BIT & 1) |
                            lull_get(info->trapsts, LULL_HWREG_TRAPSTS__EXCP_HI_MASK) << 1);
    excp &= lull_get(info->mode, LULL_HWREG_MODE__EXCP_EN_MASK) & LULL_EXCEPTION_ANY;
    info->excp = info->stop == LULL_STOP_EXCEPTION ? (uint8_t)excp : 0;
    for (unsigned i = 0; i < 3; i++) {
        info->workgroup[i] = lull_slot_get32(s, LULL_TRAP_SLOT_TTMP6 + 8 + 4 * i);
    }
    if (info->lanes == 32) {
        info->exec &= UINT32_MAX;
    }
    uint32_t alloc = lull_slot_get32(s, LULL_TRAP_SLOT_GPR_ALLOC);
    info->nvgprs = (uint16_t)(4 * (lull_get(alloc, LULL_HWREG_GPR_ALLOC__VGPR_SIZE_MASK) + 1));
    info->lds_bytes =
        lull_get(lull_slot_get32(s, LULL_TRAP_SLOT_LDS_ALLOC), LULL_HWREG_LDS_ALLOC__LDS_SIZE_MASK)
        << 8;
    info->vmid = (uint8_t)lull_get(info->hw_id2, LULL_HWREG_HW_ID2__VM_ID_MASK);
    place(info->hw_id1, info);
}

LULL_MUST_USE static struct lull_error *waves(struct lull_target *base,
                                              struct lull_wave_info *infos, size_t room,
                                              size_t *ret)
{
    const struct lull_amd_target *t = amd(base);
    for (size_t i = 0; i < t->nstopped && i < room; i++) {
        describe(t, t->stopped[i], &infos[i]);
    }
    *ret = t->nstopped;
    return NULL;
}

LULL_MUST_USE static struct lull_error *find_slot(const struct lull_amd_target *t,
                                                  lull_wave_key key, uint32_t *ret)
{
    uint32_t slot = slot_of_key(key);
    for (size_t i = 0; i < t->nstopped; i++) {
        if (t->stopped[i] == slot && key_of(t, slot, lull_slot_at(t, slot)) == key) {
            *ret = slot;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "that wave does not stand any more");
}

/* Where a register lives in its slot; 0: not kept there. */
static uint32_t reg_offset(const struct lull_wave_info *info, struct lull_wave_reg reg)
{
    static const struct {
        uint16_t id;
        uint16_t offset;
    } hw[] = {
        {LULL_HWREG_STATUS, LULL_TRAP_SLOT_STATUS},
        {LULL_HWREG_MODE, LULL_TRAP_SLOT_MODE},
        {LULL_HWREG_TRAPSTS, LULL_TRAP_SLOT_TRAPSTS},
        {LULL_HWREG_HW_ID1, LULL_TRAP_SLOT_HW_ID1},
        {LULL_HWREG_HW_ID2, LULL_TRAP_SLOT_HW_ID2},
        {LULL_HWREG_GPR_ALLOC, LULL_TRAP_SLOT_GPR_ALLOC},
        {LULL_HWREG_LDS_ALLOC, LULL_TRAP_SLOT_LDS_ALLOC},
        {LULL_HWREG_IB_STS, LULL_TRAP_SLOT_IB_STS},
        {LULL_HWREG_IB_STS2, LULL_TRAP_SLOT_IB_STS2},
    };
    uint32_t i = reg.index;
    if (reg.cls == LULL_REG_VGPR) {
        bool there = i < info->nvgprs && reg.lane < info->lanes;
        return there ? LULL_TRAP_SLOT_VGPR + 4 * (i * info->lanes + reg.lane) : 0;
    }
    if (reg.cls == LULL_REG_HW) {
        for (size_t n = 0; n < sizeof hw / sizeof hw[0]; n++) {
            if (hw[n].id == i) {
                return hw[n].offset;
            }
        }
        return 0;
    }
    if (i < LULL_RDNA_TTMP0) {
        return LULL_TRAP_SLOT_SGPR + 4 * i;
    }
    if (i >= LULL_RDNA_TTMP0 + 6 && i < LULL_RDNA_TTMP0 + 12) {
        return LULL_TRAP_SLOT_TTMP6 + 4 * (i - LULL_RDNA_TTMP0 - 6);
    }
    if (i == LULL_RDNA_M0) {
        return LULL_TRAP_SLOT_M0;
    }
    return i == LULL_RDNA_EXEC || i == LULL_RDNA_EXEC + 1
               ? LULL_TRAP_SLOT_EXEC + 4 * (i - LULL_RDNA_EXEC)
               : 0;
}

LULL_MUST_USE static struct lull_error *locate(struct lull_amd_target *t, lull_wave_key key,
                                               struct lull_wave_reg reg, uint8_t **ret_slot,
                                               uint32_t *ret_offset)
{
    uint32_t slot = 0;
    struct lull_error *err = find_slot(t, key, &slot);
    if (err != NULL) {
        return err;
    }
    struct lull_wave_info info = {0};
    describe(t, slot, &info);
    uint32_t offset = reg.cls == LULL_REG_PC             ? LULL_TRAP_SLOT_PC
                      : reg.cls == LULL_REG_FLAT_SCRATCH ? LULL_TRAP_SLOT_FLAT_SCRATCH
                                                         : reg_offset(&info, reg);
    if (offset == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "the wave has no such register: it has %u VGPRs of %u lanes, "
                              "%u SGPRs, TTMP6 to 11",
                              info.nvgprs, info.lanes, info.nsgprs);
    }
    *ret_slot = lull_slot_at(t, slot);
    *ret_offset = offset;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_reg(struct lull_target *base, lull_wave_key key,
                                                 struct lull_wave_reg reg, uint64_t *ret)
{
    uint8_t *s = NULL;
    uint32_t offset = 0;
    struct lull_error *err = locate(amd(base), key, reg, &s, &offset);
    if (err == NULL) {
        *ret = reg.cls == LULL_REG_PC             ? lull_slot_pc(s)
               : reg.cls == LULL_REG_FLAT_SCRATCH ? lull_slot_get64(s, offset)
                                                  : lull_slot_get32(s, offset);
        *ret &= offset == LULL_TRAP_SLOT_TTMP6 + 20 ? SPI_TTMP11 : UINT64_MAX;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *write_reg(struct lull_target *base, lull_wave_key key,
                                                  struct lull_wave_reg reg, uint64_t value)
{
    uint8_t *s = NULL;
    uint32_t offset = 0;
    struct lull_error *err = locate(amd(base), key, reg, &s, &offset);
    if (err != NULL) {
        return err;
    }
    amd(base)->travel.touched = true;
    uint32_t high = (uint32_t)(value >> 32);
    if (reg.cls == LULL_REG_PC) {
        lull_slot_put_pc(s, value);
        return NULL;
    }
    if (reg.cls == LULL_REG_FLAT_SCRATCH) {
        lull_slot_put32(s, offset + 4, high);
    }
    lull_slot_put32(s, offset, (uint32_t)value);
    return NULL;
}

/* Time passes while our own job is waited for. */
LULL_MUST_USE static struct lull_error *pass_job(struct lull_amd_target *t, uint64_t ns,
                                                 enum lull_amd_wait *ret)
{
    return lull_amd_wait(t->d, ns, ret);
}

/* One watchpoint's registers: the whole lines that hold it, by address and mask. */
LULL_MUST_USE static struct lull_error *write_watch(struct lull_amd_target *t, unsigned i,
                                                    const struct lull_watchpoint *w)
{
    static const uint32_t modes[] = {
        [LULL_WATCH_WRITE] = LULL_GC11_TCP_WATCH0_CNTL__MODE__NONREAD,
        [LULL_WATCH_READ] = LULL_GC11_TCP_WATCH0_CNTL__MODE__READ,
        [LULL_WATCH_ACCESS] = LULL_GC11_TCP_WATCH0_CNTL__MODE__ALL,
    };
    struct lull_reg_bank bank = {0};
    uint32_t values[3] = {0};
    if (w != NULL) {
        uint64_t mask = ~UINT64_C(0) << WATCH_SHIFT; // of the bits that must be equal
        while ((w->va & mask) != ((w->va + w->size - 1) & mask)) {
            mask <<= 1;
        }
        values[0] = (uint32_t)(w->va >> 32) & LULL_GC11_TCP_WATCH0_ADDR_H__ADDR_MASK;
        values[1] = (uint32_t)(w->va & mask);
        values[2] =
            lull_set(0, LULL_GC11_TCP_WATCH0_CNTL__MASK_MASK, (uint32_t)(mask >> WATCH_SHIFT));
        values[2] = lull_set(values[2], LULL_GC11_TCP_WATCH0_CNTL__VMID_MASK, t->vmid);
        values[2] = lull_set(values[2], LULL_GC11_TCP_WATCH0_CNTL__MODE_MASK, modes[w->kind]);
        values[2] = lull_set(values[2], LULL_GC11_TCP_WATCH0_CNTL__VALID_MASK, 1);
    }
    const uint32_t stride = LULL_GC11_TCP_WATCH1_ADDR_H - LULL_GC11_TCP_WATCH0_ADDR_H;
    return lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_TCP_WATCH0_ADDR_H + i * stride,
                                   values, 3);
}

/* MODE of a wave that stands: exceptions that are on for the debugger, and no DX10_CLAMP, which
 * suppresses those of the ALU. What is new was not raised yet. */
static void enable_in_slot(const struct lull_amd_target *t, uint8_t *s, uint32_t on)
{
    uint32_t mode = lull_slot_get32(s, LULL_TRAP_SLOT_MODE);
    uint32_t excp = lull_get(mode, LULL_HWREG_MODE__EXCP_EN_MASK);
    excp = (excp & ~t->enabled) | on;
    mode = lull_set(mode, LULL_HWREG_MODE__EXCP_EN_MASK, excp);
    if ((on & LULL_EXCEPTION_ANY) != 0) {
        mode = lull_set(mode, LULL_HWREG_MODE__DX10_CLAMP_MASK, 0);
    }
    lull_slot_put32(s, LULL_TRAP_SLOT_MODE, mode);
    uint32_t trapsts = lull_slot_get32(s, LULL_TRAP_SLOT_TRAPSTS);
    lull_slot_put32(s, LULL_TRAP_SLOT_TRAPSTS, trapsts & ~(on & ~t->enabled & LULL_EXCEPTION_ANY));
}

/* New waves get their exceptions enabled at launch, those that stand get it here. */
LULL_MUST_USE static struct lull_error *enable_exceptions(struct lull_amd_target *t)
{
    const uint32_t on = t->excp | (t->nwatches != 0 ? 1u << LULL_TRAP_EXCP_WATCH_BIT : 0);
    struct lull_reg_bank bank = {.srbm = true, .vmid = t->vmid};
    uint32_t cntl = 0;
    if (on == t->enabled) {
        return NULL;
    }
    struct lull_error *err =
        lull_debugfs_read_regs(&t->debugfs, &bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &cntl, 1);
    cntl = lull_set(cntl, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__EXCP_EN_MASK, on);
    if (err == NULL) {
        err =
            lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &cntl, 1);
    }
    for (size_t i = 0; i < t->nstopped; i++) {
        enable_in_slot(t, lull_slot_at(t, t->stopped[i]), on);
    }
    t->enabled = on;
    return err != NULL ? err : lull_amd_set_flag(t, LULL_TRAP_FLAG_EXCP_BIT, t->excp != 0);
}

LULL_MUST_USE static struct lull_error *set_exceptions(struct lull_target *base, uint32_t excp)
{
    amd(base)->excp = excp;
    return enable_exceptions(amd(base));
}

LULL_MUST_USE static struct lull_error *set_watchpoints(struct lull_target *base,
                                                        const struct lull_watchpoint *w, size_t n)
{
    struct lull_amd_target *t = amd(base);
    if (n > WATCHES) {
        return lull_error_new(LULL_ERR_INVALID, "%zu watchpoints; hardware has %d", n, WATCHES);
    }
    struct lull_error *err = NULL;
    size_t most = n > t->nwatches ? n : t->nwatches;
    for (unsigned i = 0; err == NULL && i < most; i++) {
        err = write_watch(t, i, i < n ? &w[i] : NULL);
    }
    t->nwatches = n;
    return err != NULL ? err : enable_exceptions(t);
}

LULL_MUST_USE static struct lull_error *stop_new_waves(struct lull_target *base, bool on)
{
    return lull_amd_set_flag(amd(base), LULL_TRAP_FLAG_START_BIT, on);
}

LULL_MUST_USE static struct lull_error *resume(struct lull_target *base, lull_wave_key key,
                                               enum lull_resume how)
{
    struct lull_amd_target *t = amd(base);
    uint32_t slot = 0;
    struct lull_error *err = find_slot(t, key, &slot);
    if (err != NULL) {
        return err;
    }
    err = t->resumed ? NULL : lull_amd_travel_leave(t);
    if (err != NULL) {
        return err;
    }
    uint8_t *s = lull_slot_at(t, slot);
    const uint64_t pc = lull_slot_pc(s);
    // Of an s_trap the pc is its own; from where it stands a wave goes on, breakpoint or not.
    lull_slot_put_pc(s,
                     lull_slot_stop(s) == LULL_STOP_TRAP ? pc + 4 : lull_amd_breaks_detour(t, pc));
    lull_slot_put32(s, LULL_TRAP_SLOT_STEPS, 0);
    lull_slot_put32(s, LULL_TRAP_SLOT_CMD,
                    how == LULL_RESUME_STEP ? LULL_TRAP_CMD_STEP : LULL_TRAP_CMD_CONTINUE);
    lull_amd_forget(t, slot);
    t->resumed = true;
    return NULL;
}

struct lull_error *lull_amd_stand(struct lull_target *base)
{
    struct lull_amd_target *t = amd(base);
    struct lull_error *err = t->resumed ? NULL : lull_amd_travel_leave(t);
    t->resumed = true;
    return err;
}

LULL_MUST_USE static struct lull_error *step_within(struct lull_target *base, lull_wave_key key,
                                                    const struct lull_step_range *range)
{
    struct lull_amd_target *t = amd(base);
    struct lull_error *err = resume(base, key, LULL_RESUME_STEP);
    if (err == NULL) {
        uint8_t *s = lull_slot_at(t, slot_of_key(key));
        uint32_t n = range->steps < MAX_STEPS ? (uint32_t)range->steps : MAX_STEPS;
        lull_slot_put32(s, LULL_TRAP_SLOT_RANGE, (uint32_t)range->va);
        lull_slot_put32(s, LULL_TRAP_SLOT_RANGE + 4, (uint32_t)(range->va >> 32) & 0xffff);
        lull_slot_put32(s, LULL_TRAP_SLOT_RANGE_BYTES, range->size);
        lull_slot_put32(s, LULL_TRAP_SLOT_STEPS, n << STEPS_SHIFT);
    }
    return err;
}

struct lull_error *lull_amd_interrupt(struct lull_target *base)
{
    struct lull_amd_target *t = amd(base);
    struct lull_reg_bank bank = {
        .grbm = true, .se = LULL_BANK_ALL, .sa = LULL_BANK_ALL, .instance = LULL_BANK_ALL};
    t->travel.quiet = true;
    uint32_t cmd = lull_set(0, LULL_GC11_SQ_CMD__CMD_MASK, LULL_GC11_SQ_CMD__CMD__TRAP);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__MODE_MASK, LULL_GC11_SQ_CMD__MODE__BROADCAST);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__CHECK_VMID_MASK, 1);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__VM_ID_MASK, t->vmid);
    return lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_SQ_CMD, &cmd, 1);
}

LULL_MUST_USE static struct lull_error *wait(struct lull_target *base, unsigned timeout_ms,
                                             enum lull_event *ret)
{
    struct lull_amd_target *t = amd(base);
    uint64_t polls = (uint64_t)timeout_ms * 1000000 / POLL_NS + 1;
    struct lull_error *err = t->resumed ? lull_amd_travel_go(t) : NULL;
    err = err != NULL ? err : lull_amd_travel_wait(t, t->resumed);
    if (err != NULL) {
        return err;
    }
    if (t->resumed) {
        lull_amd_go(t);
    }
    for (uint64_t i = 0; i < polls; i++) {
        enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
        bool ended = false;
        err = t->pass(t, POLL_NS, &state);
        if (err != NULL) {
            return err;
        }
        if (lull_amd_collect(t)) {
            *ret = LULL_EVENT_STOPPED;
            return lull_amd_travel_waited(t, true);
        }
        err = lull_amd_travel_look(t, &ended);
        if (err != NULL) {
            return err;
        }
        state = ended ? LULL_AMD_WAIT_DONE : state;
        if (state != LULL_AMD_WAIT_BUSY) {
            t->nstopped = 0;
            *ret = state == LULL_AMD_WAIT_DONE ? LULL_EVENT_DONE : LULL_EVENT_LOST;
            return NULL;
        }
    }
    *ret = LULL_EVENT_TIMEOUT;
    return lull_amd_travel_waited(t, false);
}

/* LDS commands of the handler: it answers by clearing CMD. */
LULL_MUST_USE static struct lull_error *lds_command(struct lull_amd_target *t, uint8_t *s,
                                                    uint32_t cmd)
{
    uint32_t size =
        lull_get(lull_slot_get32(s, LULL_TRAP_SLOT_LDS_ALLOC), LULL_HWREG_LDS_ALLOC__LDS_SIZE_MASK)
        << 8;
    lull_slot_put32(s, LULL_TRAP_SLOT_LDS_BYTES, (size + LDS_STEP - 1) / LDS_STEP * LDS_STEP);
    lull_slot_put32(s, LULL_TRAP_SLOT_CMD, cmd);
    for (unsigned i = 0; i < RESUME_POLLS && lull_slot_get32(s, LULL_TRAP_SLOT_CMD) != 0; i++) {
        enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
        struct lull_error *err = t->pass(t, POLL_NS, &state);
        if (err != NULL) {
            return err;
        }
    }
    if (lull_slot_get32(s, LULL_TRAP_SLOT_CMD) != 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "the wave's trap handler does not answer");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *lds(struct lull_target *base, lull_wave_key key,
                                            uint32_t offset, void *buf, const void *from,
                                            size_t size)
{
    struct lull_amd_target *t = amd(base);
    uint32_t slot = 0;
    struct lull_error *err = find_slot(t, key, &slot);
    if (err != NULL) {
        return err;
    }
    struct lull_wave_info info = {0};
    describe(t, slot, &info);
    if (offset > info.lds_bytes || size > info.lds_bytes - offset) {
        return lull_error_fault(offset, "LDS offset 0x%x: the workgroup has 0x%x bytes", offset,
                                info.lds_bytes);
    }
    uint8_t *s = lull_slot_at(t, slot);
    err = lds_command(t, s, LULL_TRAP_CMD_SAVE_LDS);
    if (err != NULL) {
        return err;
    }
    if (from != NULL) {
        t->travel.touched = true;
        memcpy(s + LULL_TRAP_SLOT_LDS + offset, from, size);
        return lds_command(t, s, LULL_TRAP_CMD_LOAD_LDS);
    }
    if (buf != NULL) {
        memcpy(buf, s + LULL_TRAP_SLOT_LDS + offset, size);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_lds(struct lull_target *base, lull_wave_key key,
                                                 uint32_t offset, void *buf, size_t size)
{
    return lds(base, key, offset, buf, NULL, size);
}

LULL_MUST_USE static struct lull_error *write_lds(struct lull_target *base, lull_wave_key key,
                                                  uint32_t offset, const void *buf, size_t size)
{
    return lds(base, key, offset, NULL, buf, size);
}

struct lull_error *lull_amd_kill(struct lull_target *base)
{
    struct lull_amd_target *t = amd(base);
    struct lull_reg_bank bank = {
        .grbm = true, .se = LULL_BANK_ALL, .sa = LULL_BANK_ALL, .instance = LULL_BANK_ALL};
    uint32_t cmd = lull_set(0, LULL_GC11_SQ_CMD__CMD_MASK, LULL_GC11_SQ_CMD__CMD__KILL);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__MODE_MASK, LULL_GC11_SQ_CMD__MODE__BROADCAST);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__CHECK_VMID_MASK, 1);
    cmd = lull_set(cmd, LULL_GC11_SQ_CMD__VM_ID_MASK, t->vmid);
    struct lull_error *err = lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_SQ_CMD, &cmd, 1);
    t->nstopped = 0;
    lull_amd_travel_end(t);
    enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
    bool ours = t->pass == pass_job; // else the process waits for it
    for (unsigned i = 0; ours && err == NULL && state == LULL_AMD_WAIT_BUSY && i < RESUME_POLLS;
         i++) {
        err = t->pass(t, POLL_NS, &state);
    }
    return err;
}

void lull_amd_let_all_go(struct lull_amd_target *t)
{
    enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
    lull_error_free(stop_new_waves(&t->base, false));
    lull_error_free(set_exceptions(&t->base, 0));
    for (unsigned i = 0; i < LETTING_GO; i++) { // some are in the handler just now
        (void)lull_amd_collect(t);
        while (t->nstopped > 0) {
            struct lull_error *err =
                resume(&t->base, key_of(t, t->stopped[0], lull_slot_at(t, t->stopped[0])),
                       LULL_RESUME_CONTINUE);
            if (err != NULL) {
                lull_error_free(err);
                return;
            }
        }
        lull_amd_go(t);
        lull_error_free(t->pass(t, POLL_NS, &state));
    }
    // Who comes later, or is on the way to stop, goes on by itself.
    lull_error_free(lull_amd_set_flag(t, LULL_TRAP_FLAG_LEFT_BIT, true));
}

bool lull_amd_wait_outside(struct lull_amd_target *t)
{
    enum { NAP_NS = 1000000, NAPS = 2000 };
    bool inside = t->installed;
    for (unsigned i = 0; i < NAPS && inside; i++) {
        enum lull_amd_wait state = LULL_AMD_WAIT_BUSY;
        struct lull_error *err = lull_amd_inside(t, &inside);
        err = err != NULL || !inside ? err : t->pass(t, NAP_NS, &state);
        if (err != NULL) {
            lull_error_free(err); // No GPU any more.
            return true;
        }
    }
    return !inside;
}

/* Leave no handler behind that lives in memory about to be freed. */
LULL_MUST_USE static struct lull_error *uninstall(struct lull_amd_target *t)
{
    uint32_t zero[2] = {0};
    struct lull_reg_bank bank = {.srbm = true, .vmid = t->vmid};
    if (!t->installed) {
        return NULL;
    }
    t->installed = false;
    return lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_SQ_SHADER_TBA_LO, zero, 2);
}

static void destroy(struct lull_target *base)
{
    struct lull_amd_target *t = amd(base);
    if (t->breaks.tests != NULL) { // What allocate() makes last is there.
        lull_error_free(lull_amd_breaks_set(t, NULL, 0));
    }
    lull_error_free(uninstall(t));
    lull_amd_breaks_done(&t->breaks);
    lull_amd_travel_done(t);
    lull_debugfs_done(&t->debugfs);
    free(t->stopped);
    free(t);
}

static const struct lull_target_ops ops = {
    .kind = "amdgpu",
    .arch = &lull_arch_rdna3,
    .destroy = destroy,
    .waves = waves,
    .running = lull_amd_running,
    .read = lull_amd_read,
    .write = lull_amd_write,
    .read_lds = read_lds,
    .write_lds = write_lds,
    .read_reg = read_reg,
    .write_reg = write_reg,
    .set_breakpoints = lull_amd_set_breakpoints,
    .set_tests = lull_amd_set_tests,
    .break_in_code = lull_amd_break_in_code,
    .set_watchpoints = set_watchpoints,
    .set_exceptions = set_exceptions,
    .stop_new_waves = stop_new_waves,
    .resume = resume,
    .stand = lull_amd_stand,
    .step_within = step_within,
    .interrupt = lull_amd_interrupt,
    .wait = wait,
    .bos = lull_amd_bos,
    .walk = lull_amd_walk,
    .kill = lull_amd_kill,
    .remember = lull_amd_remember,
    .travelled = lull_amd_travelled,
    .travel = lull_amd_travel,
    .travel_again = lull_amd_travel_again,
    .search = lull_amd_search,
    .executed = lull_amd_executed,
};

LULL_MUST_USE static struct lull_error *allocate(struct lull_amd_target *t)
{
    size_t code = (size_t)(lull_trap_gfx11_end - lull_trap_gfx11);
    t->nslots = 64 * t->wgps * 2 * t->d->info.shader_engines;
    t->stopped = calloc(t->nslots + 1, sizeof *t->stopped);
    struct lull_error *err = t->stopped == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        err = lull_amd_bo_new(t->d, "trap handler", code, LULL_AMD_BO_EXEC, &t->handler);
    }
    if (err == NULL) {
        err = lull_amd_bo_new(t->d, "trap control", LULL_TRAP_CTL_SIZE,
                              LULL_AMD_BO_GTT | LULL_AMD_BO_UNCACHED, &t->control);
    }
    if (err == NULL) {
        err = lull_amd_bo_new(t->d, "trap slots", (uint64_t)t->nslots * LULL_TRAP_SLOT_STRIDE,
                              LULL_AMD_BO_UNCACHED, &t->slots);
    }
    if (err != NULL) {
        return err;
    }
    err = lull_amd_breaks_make(t);
    if (err != NULL) {
        return err;
    }
    uint8_t *map = t->handler->map;
    memcpy(map, lull_trap_gfx11, code);
    memcpy(map + LULL_TRAP_HANDLER_BLOCKS, &t->breaks.blocks->va, 8);
    lull_slot_put32(t->control->map, LULL_TRAP_CTL_SLOTS, (uint32_t)t->slots->va);
    lull_slot_put32(t->control->map, LULL_TRAP_CTL_SLOTS + 4, (uint32_t)(t->slots->va >> 32));
    lull_slot_put32(t->control->map, LULL_TRAP_CTL_WGPS, t->wgps);
    return NULL;
}

struct lull_error *lull_amd_install(struct lull_amd_target *t, unsigned vmid)
{
    if (t->installed && t->vmid == vmid) {
        return NULL;
    }
    struct lull_error *err = uninstall(t);
    if (err != NULL) {
        return err;
    }
    t->vmid = vmid;
    t->enabled = 0; // SPI_GDBG_PER_VMID_CNTL of this one
    uint64_t tba = t->handler->va >> 8;
    uint64_t tma = t->control->va >> 8;
    uint32_t values[4] = {(uint32_t)tba,
                          (uint32_t)(tba >> 32) | LULL_GC11_SQ_SHADER_TBA_HI__TRAP_EN_MASK,
                          (uint32_t)tma, (uint32_t)(tma >> 32)};
    struct lull_reg_bank bank = {.srbm = true, .vmid = vmid};
    err = lull_debugfs_write_regs(&t->debugfs, &bank, LULL_GC11_SQ_SHADER_TBA_LO, values, 4);
    t->installed = err == NULL;
    return err;
}

struct lull_error *lull_amd_target_make(struct lull_amd_device *d, unsigned dri,
                                        struct lull_amd_target **ret)
{
    struct lull_amd_target *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return &lull_enomem;
    }
    t->base.ops = &ops;
    t->d = d;
    t->pass = pass_job;
    lull_debugfs_init(&t->debugfs, d->k, dri);
    t->wgps = 1;
    for (unsigned i = 0; i < 16; i++) {
        unsigned cus = d->info.cu_bitmap[i / 4][i % 4];
        unsigned wgps = cus != 0 ? (32 - (unsigned)__builtin_clz(cus) + 1) / 2 : 0;
        t->wgps = wgps > t->wgps ? wgps : t->wgps;
    }
    struct lull_error *err = allocate(t);
    if (err != NULL) {
        destroy(&t->base);
        return lull_error_in(err, "trap handler");
    }
    *ret = t;
    return NULL;
}

struct lull_error *lull_amd_debug_new(struct lull_amd_device *d, unsigned dri,
                                      struct lull_target **ret)
{
    struct lull_amd_target *t = NULL;
    unsigned vmid = 0;
    struct lull_error *err = lull_amdgpu_reserve_vmid(d->k, d->fd);
    if (err == NULL) {
        err = lull_amd_probe_vmid(d, &vmid);
    }
    if (err == NULL) {
        err = lull_amd_target_make(d, dri, &t);
    }
    if (err == NULL) {
        t->arms = true;
        err = lull_amd_install(t, vmid);
    }
    if (err != NULL) {
        if (t != NULL) {
            destroy(&t->base);
        }
        return lull_error_in(err, "trap handler");
    }
    *ret = &t->base;
    return NULL;
}

struct lull_error *lull_amd_debug_submit(struct lull_target *base,
                                         const struct lull_amd_dispatch *dispatch)
{
    struct lull_amd_target *t = amd(base);
    struct lull_amd_dispatch p = *dispatch;
    lull_amd_travel_end(t);
    p.rsrc2 |= LULL_GC11_COMPUTE_PGM_RSRC2__TRAP_PRESENT_MASK;
    (void)lull_amd_collect(t); // of waves that were killed
    t->nstopped = 0;
    t->resumed = false;
    if (t->d->scratch != NULL && t->submitted) { // what an earlier run left is not this one's
        lull_amd_bo_clear(t->d->scratch);
    }
    t->submitted = true;
    struct lull_error *err = lull_amd_new_context(t->d); // every run is the first one's
    err = err != NULL ? err : lull_amd_breaks_again(t);  // Code may have been loaded anew.
    err = err != NULL ? err : lull_amd_travel_begin(t, false);
    return err != NULL ? err : lull_amd_submit(t->d, &p);
}
