// SPDX-License-Identifier: MIT
// Reading and writing files: registers, waves, memory. Waves are read through SQ_IND as the real
// driver reads them, never from the model's insides.
//
// Source: amdgpu_debugfs.c, amdgpu_ttm.c, gfx_v11_0.c.
#include <errno.h>
#include <string.h>

#include "hw/chips.h"
#include "hw/gc11_regs.h"
#include "hw/sqind_regs.h"
#include "vdrm/vdrm_priv.h"

enum {
    MMIO_MASK = (1 << 30) - 1,
    MAX_DWORDS = LULL_DEBUGFS_MAX_BYTES / 4,
};

// gfx_v11_0_select_se_sh()
static uint32_t grbm_of(uint32_t se, uint32_t sa, uint32_t instance)
{
    uint32_t v = instance == UINT32_MAX ? LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK
                                        : instance & LULL_GC11_GRBM_GFX_INDEX__INSTANCE_INDEX_MASK;
    v |= sa == UINT32_MAX ? LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK
                          : sa << LULL_GC11_GRBM_GFX_INDEX__SA_INDEX_SHIFT &
                                LULL_GC11_GRBM_GFX_INDEX__SA_INDEX_MASK;
    v |= se == UINT32_MAX ? LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK
                          : se << LULL_GC11_GRBM_GFX_INDEX__SE_INDEX_SHIFT &
                                LULL_GC11_GRBM_GFX_INDEX__SE_INDEX_MASK;
    return v;
}

// soc21_grbm_select()
static uint32_t srbm_of(const struct lull_regs2_v1 *b)
{
    return (b->srbm.pipe << LULL_GC11_GRBM_GFX_CNTL__PIPEID_SHIFT &
            LULL_GC11_GRBM_GFX_CNTL__PIPEID_MASK) |
           (b->srbm.me << LULL_GC11_GRBM_GFX_CNTL__MEID_SHIFT &
            LULL_GC11_GRBM_GFX_CNTL__MEID_MASK) |
           (b->srbm.vmid << LULL_GC11_GRBM_GFX_CNTL__VMID_SHIFT &
            LULL_GC11_GRBM_GFX_CNTL__VMID_MASK) |
           (b->srbm.queue << LULL_GC11_GRBM_GFX_CNTL__QUEUEID_SHIFT &
            LULL_GC11_GRBM_GFX_CNTL__QUEUEID_MASK);
}

// amdgpu_debugfs_regs2_op(). @p buf is the client's.
static ssize_t regs2(struct lull_vd_file *f, uint64_t buf, bool write, size_t size, uint64_t pos)
{
    struct lull_vd *d = f->d;
    const struct lull_regs2_v1 *b = &f->regs2.bank;
    uint32_t data[MAX_DWORDS] = {0};
    if (((size | pos) & 3) != 0 || size > sizeof data) {
        return -EINVAL;
    }
    if (write && lull_vd_from_user(data, buf, size) != 0) {
        return -EFAULT;
    }
    struct lull_bank bank = {.grbm = lull_vd_grbm_all()};
    if (b->use_grbm != 0) {
        if ((b->grbm.sh != UINT32_MAX && b->grbm.sh >= d->gpu.sa_per_se) ||
            (b->grbm.se != UINT32_MAX && b->grbm.se >= d->gpu.se)) {
            return -EINVAL;
        }
        bank.grbm = grbm_of(b->grbm.se, b->grbm.sh, b->grbm.instance);
    }
    if (b->use_srbm != 0) {
        bank.srbm = srbm_of(b);
    }
    for (size_t i = 0; i < size / 4; i++) {
        const uint32_t offset = (uint32_t)(pos + i * 4);
        if (write) {
            lull_vd_write_reg(d, bank, offset, data[i]);
        } else {
            data[i] = lull_vd_read_reg(d, bank, offset);
        }
    }
    if (!write && lull_vd_to_user(buf, data, size) != 0) {
        return -EFAULT;
    }
    return (ssize_t)size;
}

// What SQ_IND reads from: a wave slot of the SIMD that GRBM_GFX_INDEX selects, and a lane of it.
struct target {
    uint32_t grbm, wave, lane;
};

// wave_read_regs()
static void sq_read(struct lull_vd *d, struct target t, uint32_t index, uint32_t n, uint32_t *ret)
{
    const struct lull_bank bank = {.grbm = t.grbm};
    const uint32_t wave =
        t.wave << LULL_GC11_SQ_IND_INDEX__WAVE_ID_SHIFT & LULL_GC11_SQ_IND_INDEX__WAVE_ID_MASK;
    const uint32_t lane = t.lane << LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_SHIFT &
                          LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_MASK;
    lull_vd_write_reg(d, bank, LULL_GC11_SQ_IND_INDEX,
                      wave | lane | index << LULL_GC11_SQ_IND_INDEX__INDEX_SHIFT |
                          (n > 1 ? LULL_GC11_SQ_IND_INDEX__AUTO_INCR_MASK : 0));
    for (uint32_t i = 0; i < n; i++) {
        ret[i] = lull_vd_read_reg(d, bank, LULL_GC11_SQ_IND_DATA);
    }
}

// gfx_v11_0_read_wave_data()
static void wave_data(struct lull_vd *d, uint32_t grbm, uint32_t wave, uint32_t *ret)
{
    static const uint16_t index[LULL_WAVE3_DWORDS] = {
        [LULL_WAVE3_STATUS] = LULL_SQIND_STATUS,
        [LULL_WAVE3_PC_LO] = LULL_SQIND_PC_LO,
        [LULL_WAVE3_PC_HI] = LULL_SQIND_PC_HI,
        [LULL_WAVE3_EXEC_LO] = LULL_SQIND_EXEC_LO,
        [LULL_WAVE3_EXEC_HI] = LULL_SQIND_EXEC_HI,
        [LULL_WAVE3_HW_ID1] = LULL_SQIND_HW_ID1,
        [LULL_WAVE3_HW_ID2] = LULL_SQIND_HW_ID2,
        [LULL_WAVE3_GPR_ALLOC] = LULL_SQIND_GPR_ALLOC,
        [LULL_WAVE3_LDS_ALLOC] = LULL_SQIND_LDS_ALLOC,
        [LULL_WAVE3_TRAPSTS] = LULL_SQIND_TRAPSTS,
        [LULL_WAVE3_IB_STS] = LULL_SQIND_IB_STS,
        [LULL_WAVE3_IB_STS2] = LULL_SQIND_IB_STS2,
        [LULL_WAVE3_IB_DBG1] = LULL_SQIND_IB_DBG1,
        [LULL_WAVE3_M0] = LULL_SQIND_M0,
        [LULL_WAVE3_MODE] = LULL_SQIND_MODE,
    };
    ret[LULL_WAVE3_TYPE] = 3;
    for (unsigned i = 1; i < LULL_WAVE3_DWORDS; i++) {
        sq_read(d, (struct target){grbm, wave, 0}, index[i], 1, &ret[i]);
    }
}

static ssize_t give(void *out, size_t size, const void *data, size_t n, uint64_t at)
{
    const size_t part = at >= n ? 0 : n - at < size ? (size_t)(n - at) : size;
    return lull_vd_to_user(lull_vd_ptr(out), (const char *)data + (part > 0 ? at : 0), part) != 0
               ? -EFAULT
               : (ssize_t)part;
}

static uint32_t bits(uint64_t v, unsigned at, unsigned n)
{
    return (uint32_t)(v >> at & ((1u << n) - 1));
}

// amdgpu_debugfs_wave_read()
static ssize_t wave(struct lull_vd_file *f, void *out, size_t size, uint64_t pos)
{
    if (((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    uint32_t data[LULL_WAVE3_DWORDS] = {0};
    const uint32_t grbm = grbm_of(bits(pos, LULL_WAVE_POS_SE, 8), bits(pos, LULL_WAVE_POS_SH, 8),
                                  bits(pos, LULL_WAVE_POS_CU, 8));
    wave_data(f->d, grbm, bits(pos, LULL_WAVE_POS_WAVE, 6), data);
    return give(out, size, data, sizeof data, bits(pos, 0, LULL_WAVE_POS_SE));
}

// amdgpu_debugfs_gprwave_read(). Linux 6.12 takes the byte offset as the number of the first
// register, and then looks for it as far again into what it read; only offset 0 gives what one
// wants.
static ssize_t gprwave(struct lull_vd_file *f, void *out, size_t size, uint64_t pos)
{
    const struct lull_gprwave *g = &f->gprwave;
    if (size > LULL_DEBUGFS_MAX_BYTES || ((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    uint32_t data[MAX_DWORDS] = {0};
    const uint32_t grbm = grbm_of(g->se, g->sh, g->cu);
    uint32_t n = (uint32_t)size / 4;
    if (g->gpr_or_wave == 0) {
        wave_data(f->d, grbm, g->wave, data);
        n = LULL_WAVE3_DWORDS;
    } else if (n == 0) {
        return -EINVAL;
    } else {
        const uint32_t first = g->gpr.vgpr_or_sgpr != 0 ? LULL_SQIND_VGPR0 : LULL_SQIND_SGPR0;
        const struct target t = {grbm, g->wave, g->gpr.vgpr_or_sgpr != 0 ? g->gpr.thread : 0};
        sq_read(f->d, t, first + (uint32_t)pos, n, data);
    }
    return give(out, size, data, n * sizeof data[0], pos);
}

// amdgpu_debugfs_gpr_read()
static ssize_t gpr(struct lull_vd_file *f, void *out, size_t size, uint64_t pos)
{
    if (size > LULL_DEBUGFS_MAX_BYTES || ((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    uint32_t data[MAX_DWORDS] = {0};
    const uint32_t grbm = grbm_of(bits(pos, LULL_GPR_POS_SE, 8), bits(pos, LULL_GPR_POS_SH, 8),
                                  bits(pos, LULL_GPR_POS_CU, 8));
    const uint32_t n = (uint32_t)size / 4, start = bits(pos, 0, LULL_GPR_POS_SE) / 4;
    const bool vgpr = bits(pos, LULL_GPR_POS_BANK, 2) == 0;
    const struct target t = {grbm, bits(pos, LULL_GPR_POS_WAVE, 8),
                             vgpr ? bits(pos, LULL_GPR_POS_THREAD, 8) : 0};
    sq_read(f->d, t, (vgpr ? LULL_SQIND_VGPR0 : LULL_SQIND_SGPR0) + start, n, data);
    return lull_vd_to_user(lull_vd_ptr(out), data, size) != 0 ? -EFAULT : (ssize_t)size;
}

// amdgpu_ttm_vram_read(), amdgpu_ttm_vram_write()
static ssize_t vram(struct lull_vd_file *f, uint64_t buf, bool write, size_t size, uint64_t pos)
{
    const struct lull_phys *phys = f->d->gpu.phys;
    if (((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    if (pos >= phys->vram_size) {
        return -ENXIO;
    }
    const size_t n = phys->vram_size - pos < size ? (size_t)(phys->vram_size - pos) : size;
    const int r = write ? lull_vd_from_user(phys->vram + pos, buf, n)
                        : lull_vd_to_user(buf, phys->vram + pos, n);
    return r != 0 ? r : (ssize_t)n;
}

// Does a buffer lie there? The kernel asks whose page it is.
static bool gtt_owned(const struct lull_vd *d, uint64_t address)
{
    const struct lull_phys *phys = d->gpu.phys;
    return address >= phys->system_base && address - phys->system_base < phys->system_size &&
           lull_vd_bo_at(d, phys->vram_size + (address - phys->system_base), false) != NULL;
}

// amdgpu_iomem_read(), amdgpu_iomem_write()
static ssize_t iomem(struct lull_vd_file *f, uint64_t buf, bool write, size_t size, uint64_t pos)
{
    const struct lull_phys *phys = f->d->gpu.phys;
    for (size_t done = 0; done < size;) {
        const uint64_t at = pos + done;
        const size_t page = LULL_VD_PAGE - (at & (LULL_VD_PAGE - 1));
        const size_t n = size - done < page ? size - done : page;
        if (!gtt_owned(f->d, at)) {
            return -EPERM;
        }
        uint8_t *mem = phys->system + (at - phys->system_base);
        const int r =
            write ? lull_vd_from_user(mem, buf + done, n) : lull_vd_to_user(buf + done, mem, n);
        if (r != 0) {
            return r;
        }
        done += n;
    }
    return (ssize_t)size;
}

// amdgpu_debugfs_gca_config_read()
static ssize_t gca_config(struct lull_vd_file *f, void *out, size_t size, uint64_t pos)
{
    const struct lull_chip *c = f->d->gpu.chip;
    const uint32_t config[] = {
        5,
        c->se,
        0,
        c->wgp_per_sa * 2,
        c->sa_per_se,
        4,
        c->tccs,
        c->simd_vgprs,
        32,
        8,
        0x20,
        0x100,
        0x30,
        0x4c0,
        0,
        0xffffff,
        0,
        0,
        0,
        1,
        0,
        0,
        c->gb_addr_config,
        c->rbs,
        // 1: revision, power and clock gating
        0,
        0,
        0,
        // 2: family, external revision
        c->family,
        c->external_revision,
        // 3: PCI ids
        c->device,
        c->revision,
        c->subsystem,
        c->vendor,
        // 4 and 5: APU; upper halves of the gating flags
        0,
        0,
        0,
    };
    return ((size | pos) & 3) != 0 ? -EINVAL : give(out, size, config, sizeof config, pos);
}

ssize_t lull_vd_debugfs_read(struct lull_vd_file *f, void *buf, size_t size, uint64_t offset)
{
    switch (f->kind) {
    case LULL_VD_REGS2:
        lull_vd_poll(f->d);
        return regs2(f, lull_vd_ptr(buf), false, size, offset & MMIO_MASK);
    case LULL_VD_WAVE:
        lull_vd_poll(f->d);
        return wave(f, buf, size, offset);
    case LULL_VD_GPRWAVE:
        lull_vd_poll(f->d);
        return gprwave(f, buf, size, offset);
    case LULL_VD_GPR:
        lull_vd_poll(f->d);
        return gpr(f, buf, size, offset);
    case LULL_VD_VRAM:
        return vram(f, lull_vd_ptr(buf), false, size, offset);
    case LULL_VD_IOMEM:
        return iomem(f, lull_vd_ptr(buf), false, size, offset);
    case LULL_VD_GCA_CONFIG:
        return gca_config(f, buf, size, offset);
    case LULL_VD_KMSG:
        return lull_vd_kmsg_read(f, buf, size);
    case LULL_VD_DISPATCHES:
        return lull_vd_dispatches_read(f, lull_vd_ptr(buf), size, offset);
    case LULL_VD_CONTROL:
        lull_vd_poll(f->d);
        return lull_vd_control_read(f, lull_vd_ptr(buf), size, offset);
    case LULL_VD_VM_INFO:
    case LULL_VD_TEXT:
        return give(buf, size, lull_str_text(&f->text), f->text.size, offset);
    case LULL_VD_DRM: // events: there are none
        return -EAGAIN;
    case LULL_VD_SYNCOBJ_FD:
    case LULL_VD_SYNC_FILE:
    case LULL_VD_DMA_BUF:
    case LULL_VD_ALIAS:
    default:
        return -EINVAL;
    }
}

ssize_t lull_vd_debugfs_write(struct lull_vd_file *f, const void *buf, size_t size, uint64_t offset)
{
    switch (f->kind) {
    case LULL_VD_REGS2:
        return regs2(f, lull_vd_ptr(buf), true, size, offset & MMIO_MASK);
    case LULL_VD_VRAM:
        return vram(f, lull_vd_ptr(buf), true, size, offset);
    case LULL_VD_IOMEM:
        return iomem(f, lull_vd_ptr(buf), true, size, offset);
    case LULL_VD_CONTROL:
        return offset != 0 ? -EINVAL : lull_vd_control_write(f, lull_vd_ptr(buf), size);
    case LULL_VD_KMSG: // accepted by the kernel; kept by nobody here
        return (ssize_t)size;
    case LULL_VD_DRM:
    case LULL_VD_SYNCOBJ_FD:
    case LULL_VD_SYNC_FILE:
    case LULL_VD_DMA_BUF:
    case LULL_VD_WAVE:
    case LULL_VD_GPRWAVE:
    case LULL_VD_GPR:
    case LULL_VD_VM_INFO:
    case LULL_VD_GCA_CONFIG:
    case LULL_VD_TEXT:
    case LULL_VD_DISPATCHES:
    case LULL_VD_ALIAS:
    default:
        return -EINVAL;
    }
}

// amdgpu_debugfs_regs2_ioctl(), amdgpu_debugfs_gprwave_ioctl()
int lull_vd_debugfs_ioctl(struct lull_vd_file *f, unsigned long request, const void *arg)
{
    if (f->kind == LULL_VD_GPRWAVE) {
        return request == LULL_GPRWAVE_SET
                   ? lull_vd_from_user(&f->gprwave, lull_vd_ptr(arg), sizeof f->gprwave)
                   : -EINVAL;
    }
    if (f->kind != LULL_VD_REGS2) {
        return -ENOTTY;
    }
    struct lull_regs2_v2 v2 = {0};
    if (request == LULL_REGS2_SET_V2) {
        if (lull_vd_from_user(&v2, lull_vd_ptr(arg), sizeof v2) != 0) {
            return -EINVAL;
        }
        f->regs2 = v2;
        return 0;
    }
    if (request != LULL_REGS2_SET_V1 ||
        lull_vd_from_user(&v2.bank, lull_vd_ptr(arg), sizeof v2.bank) != 0) {
        return -EINVAL;
    }
    // As Linux 6.12 has it: everything but the VMID, which stays what it was.
    v2.bank.srbm.vmid = f->regs2.bank.srbm.vmid;
    f->regs2 = v2;
    return 0;
}
