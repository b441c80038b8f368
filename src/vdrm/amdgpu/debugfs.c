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
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/core/crumbs.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"

enum {
    MMIO_MASK = (1 << 30) - 1,
    MAX_DWORDS = LULL_DEBUGFS_MAX_BYTES / 4,
};

// An open amdgpu_regs2.
struct regs2_file {
    struct lull_vd_file f; // First.
    struct lull_regs2_v2 regs2;
};

// An open amdgpu_gprwave.
struct gprwave_file {
    struct lull_vd_file f; // First.
    struct lull_gprwave gprwave;
};

static struct regs2_file *regs2_of(struct lull_vd_file *f)
{
    return (struct regs2_file *)f;
}

static struct gprwave_file *gprwave_of(struct lull_vd_file *f)
{
    return (struct gprwave_file *)f;
}

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
    struct lull_vda *d = lull_vda(f->d);
    const struct lull_regs2_v1 *b = &regs2_of(f)->regs2.bank;
    uint32_t data[MAX_DWORDS] = {0};
    if (((size | pos) & 3) != 0 || size > sizeof data) {
        return -EINVAL;
    }
    if (write && lull_vd_from_user(data, buf, size) != 0) {
        return -EFAULT;
    }
    struct lull_bank bank = {.grbm = lull_vda_grbm_all()};
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
            lull_vda_write_reg(d, bank, offset, data[i]);
        } else {
            data[i] = lull_vda_read_reg(d, bank, offset);
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
static void sq_read(struct lull_vda *d, struct target t, uint32_t index, uint32_t n, uint32_t *ret)
{
    const struct lull_bank bank = {.grbm = t.grbm};
    const uint32_t wave =
        t.wave << LULL_GC11_SQ_IND_INDEX__WAVE_ID_SHIFT & LULL_GC11_SQ_IND_INDEX__WAVE_ID_MASK;
    const uint32_t lane = t.lane << LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_SHIFT &
                          LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_MASK;
    lull_vda_write_reg(d, bank, LULL_GC11_SQ_IND_INDEX,
                       wave | lane | index << LULL_GC11_SQ_IND_INDEX__INDEX_SHIFT |
                           (n > 1 ? LULL_GC11_SQ_IND_INDEX__AUTO_INCR_MASK : 0));
    for (uint32_t i = 0; i < n; i++) {
        ret[i] = lull_vda_read_reg(d, bank, LULL_GC11_SQ_IND_DATA);
    }
}

// gfx_v11_0_read_wave_data()
static void wave_data(struct lull_vda *d, uint32_t grbm, uint32_t wave, uint32_t *ret)
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

static uint32_t bits(uint64_t v, unsigned at, unsigned n)
{
    return (uint32_t)(v >> at & ((1u << n) - 1));
}

// amdgpu_debugfs_wave_read()
static ssize_t wave(struct lull_vd_file *f, uint64_t out, size_t size, uint64_t pos)
{
    lull_vd_poll(f->d);
    if (((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    uint32_t data[LULL_WAVE3_DWORDS] = {0};
    const uint32_t grbm = grbm_of(bits(pos, LULL_WAVE_POS_SE, 8), bits(pos, LULL_WAVE_POS_SH, 8),
                                  bits(pos, LULL_WAVE_POS_CU, 8));
    wave_data(lull_vda(f->d), grbm, bits(pos, LULL_WAVE_POS_WAVE, 6), data);
    return lull_vd_give(out, size, data, sizeof data, bits(pos, 0, LULL_WAVE_POS_SE));
}

// amdgpu_debugfs_gprwave_read(). Linux 6.12 takes the byte offset as the number of the first
// register, and then looks for it as far again into what it read; only offset 0 gives what one
// wants.
static ssize_t gprwave(struct lull_vd_file *f, uint64_t out, size_t size, uint64_t pos)
{
    lull_vd_poll(f->d);
    const struct lull_gprwave *g = &gprwave_of(f)->gprwave;
    if (size > LULL_DEBUGFS_MAX_BYTES || ((size | pos) & 3) != 0) {
        return -EINVAL;
    }
    uint32_t data[MAX_DWORDS] = {0};
    const uint32_t grbm = grbm_of(g->se, g->sh, g->cu);
    uint32_t n = (uint32_t)size / 4;
    if (g->gpr_or_wave == 0) {
        wave_data(lull_vda(f->d), grbm, g->wave, data);
        n = LULL_WAVE3_DWORDS;
    } else if (n == 0) {
        return -EINVAL;
    } else {
        const uint32_t first = g->gpr.vgpr_or_sgpr != 0 ? LULL_SQIND_VGPR0 : LULL_SQIND_SGPR0;
        const struct target t = {grbm, g->wave, g->gpr.vgpr_or_sgpr != 0 ? g->gpr.thread : 0};
        sq_read(lull_vda(f->d), t, first + (uint32_t)pos, n, data);
    }
    return lull_vd_give(out, size, data, n * sizeof data[0], pos);
}

// amdgpu_debugfs_gpr_read()
static ssize_t gpr(struct lull_vd_file *f, uint64_t out, size_t size, uint64_t pos)
{
    lull_vd_poll(f->d);
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
    sq_read(lull_vda(f->d), t, (vgpr ? LULL_SQIND_VGPR0 : LULL_SQIND_SGPR0) + start, n, data);
    return lull_vd_to_user(out, data, size) != 0 ? -EFAULT : (ssize_t)size;
}

// amdgpu_ttm_vram_read(), amdgpu_ttm_vram_write()
static ssize_t vram(struct lull_vd_file *f, uint64_t buf, bool write, size_t size, uint64_t pos)
{
    const struct lull_phys *phys = lull_vda(f->d)->gpu.phys;
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
static bool gtt_owned(const struct lull_vda *d, uint64_t address)
{
    const struct lull_phys *phys = d->gpu.phys;
    return address >= phys->system_base && address - phys->system_base < phys->system_size &&
           lull_vd_bo_at(&d->vd, phys->vram_size + (address - phys->system_base), false) != NULL;
}

// amdgpu_iomem_read(), amdgpu_iomem_write()
static ssize_t iomem(struct lull_vd_file *f, uint64_t buf, bool write, size_t size, uint64_t pos)
{
    const struct lull_phys *phys = lull_vda(f->d)->gpu.phys;
    for (size_t done = 0; done < size;) {
        const uint64_t at = pos + done;
        const size_t page = LULL_VD_PAGE - (at & (LULL_VD_PAGE - 1));
        const size_t n = size - done < page ? size - done : page;
        if (!gtt_owned(lull_vda(f->d), at)) {
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
static ssize_t gca_config(struct lull_vd_file *f, uint64_t out, size_t size, uint64_t pos)
{
    const struct lull_chip *c = lull_vda(f->d)->gpu.chip;
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
    return ((size | pos) & 3) != 0 ? -EINVAL : lull_vd_give(out, size, config, sizeof config, pos);
}

static ssize_t regs2_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    lull_vd_poll(f->d);
    return regs2(f, buf, false, size, pos & MMIO_MASK);
}

static ssize_t regs2_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return regs2(f, buf, true, size, pos & MMIO_MASK);
}

static ssize_t vram_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return vram(f, buf, false, size, pos);
}

static ssize_t vram_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return vram(f, buf, true, size, pos);
}

static ssize_t iomem_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return iomem(f, buf, false, size, pos);
}

static ssize_t iomem_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return iomem(f, buf, true, size, pos);
}

// amdgpu_debugfs_gprwave_ioctl()
static int gprwave_ioctl(struct lull_vd_file *f, unsigned long request, uint64_t arg)
{
    struct lull_gprwave *g = &gprwave_of(f)->gprwave;
    return request == LULL_GPRWAVE_SET ? lull_vd_from_user(g, arg, sizeof *g) : -EINVAL;
}

// amdgpu_debugfs_regs2_ioctl()
static int regs2_ioctl(struct lull_vd_file *f, unsigned long request, uint64_t arg)
{
    struct lull_regs2_v2 *now = &regs2_of(f)->regs2, v2 = {0};
    if (request == LULL_REGS2_SET_V2) {
        if (lull_vd_from_user(&v2, arg, sizeof v2) != 0) {
            return -EINVAL;
        }
        *now = v2;
        return 0;
    }
    if (request != LULL_REGS2_SET_V1 || lull_vd_from_user(&v2.bank, arg, sizeof v2.bank) != 0) {
        return -EINVAL;
    }
    // As Linux 6.12 has it: everything but the VMID, which stays what it was.
    v2.bank.srbm.vmid = now->bank.srbm.vmid;
    *now = v2;
    return 0;
}

const struct lull_vd_node lull_vda_nodes[LULL_VDA_NODES] = {
    {.name = "amdgpu_regs2",
     .size = sizeof(struct regs2_file),
     .read = regs2_read,
     .write = regs2_write,
     .ioctl = regs2_ioctl},
    {.name = "amdgpu_wave", .read = wave},
    {.name = "amdgpu_gprwave",
     .size = sizeof(struct gprwave_file),
     .read = gprwave,
     .ioctl = gprwave_ioctl},
    {.name = "amdgpu_gpr", .read = gpr},
    {.name = "amdgpu_vram", .read = vram_read, .write = vram_write},
    {.name = "amdgpu_iomem", .read = iomem_read, .write = iomem_write},
    {.name = "amdgpu_vm_info", .text = lull_vda_vm_info},
    {.name = "amdgpu_fence_info", .text = lull_vda_fence_info},
    {.name = LULL_VDA_RING "gfx_0.0.0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "comp_1.0.0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "comp_1.1.0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "comp_1.2.0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "comp_1.3.0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "sdma0", .read = lull_vda_ring_read},
    {.name = LULL_VDA_RING "sdma1", .read = lull_vda_ring_read},
    {.name = "amdgpu_gca_config", .read = gca_config},
    {.name = "lull_dispatches", .read = lull_vda_dispatches_read},
    {.name = "lull_draws", .read = lull_vda_draws_read},
    {.name = "lull_pixels", .read = lull_vda_pixels_read},
    {.name = "lull_drawn_pixels", .read = lull_vda_drawn_pixels_read},
    {.name = "lull_drawn_primitives", .read = lull_vda_drawn_primitives_read},
    {.name = LULL_VD_CRUMBS_FILE, .text = lull_vd_crumbs_file},
    {.name = "lull_aim", .read = lull_vda_aim_read},
    {.name = LULL_VDA_CONTROL,
     .size = sizeof(struct lull_vda_control),
     .read = lull_vda_control_read,
     .write = lull_vda_control_write,
     .close = lull_vda_control_done},
    {.name = LULL_VDA_TIME,
     .size = sizeof(struct lull_vda_time),
     .read = lull_vda_time_read,
     .write = lull_vda_time_write,
     .close = lull_vda_time_done},
    {.name = LULL_VDA_WRITTEN,
     .size = sizeof(struct lull_vda_written),
     .read = lull_vda_written_read,
     .write = lull_vda_written_write,
     .close = lull_vda_written_done},
};
