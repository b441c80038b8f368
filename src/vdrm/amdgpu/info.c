// SPDX-License-Identifier: MIT
// AMDGPU_INFO.
//
// Source: amdgpu_info_ioctl() and the formulas of Linux 6.12; the values of the chip are data/chip.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/chips.h"
#include "hw/gc11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/core/user.h"

enum {
    MAX_SE = 4, // AMDGPU_GFX_MAX_SE: of READ_MMR_REG's argument
    MAX_SA = 2, // AMDGPU_GFX_MAX_SH_PER_SE
    MAX_REGISTERS = 128,
    NFW = 0x1d,
};

#define RESERVED_VRAM (8ull << 20) // AMDGPU_VM_RESERVED_VRAM
#define RESERVED_VA_TOP ((1ull << 16) + (4ull << 20))

static int give(const struct drm_amdgpu_info *q, const void *data, size_t size)
{
    return lull_vd_to_user(q->return_pointer, data, q->return_size < size ? q->return_size : size);
}

static int give_u32(const struct drm_amdgpu_info *q, uint32_t v)
{
    return give(q, &v, sizeof v);
}

static int give_u64(const struct drm_amdgpu_info *q, uint64_t v)
{
    return give(q, &v, sizeof v);
}

static int ip_info(const struct lull_chip *chip, const struct drm_amdgpu_info *q)
{
    struct drm_amdgpu_info_hw_ip ip = {0};
    const uint32_t type = q->query_hw_ip.type;
    if (q->query_hw_ip.ip_instance != 0 || type >= AMDGPU_HW_IP_NUM) {
        return -EINVAL;
    }
    if (type == AMDGPU_HW_IP_DMA) {
        ip.ib_start_alignment = 256;
        ip.ib_size_alignment = 4;
        ip.available_rings = (1u << chip->sdma_engines) - 1;
        ip.ip_discovery_version = chip->sdma_ip_version;
    } else if (type < LULL_VDA_NIP) { // of the others there is none: all zero
        ip.ib_start_alignment = 32;
        ip.ib_size_alignment = 32;
        ip.available_rings = type == AMDGPU_HW_IP_GFX ? 0x1 : 0xf;
        ip.ip_discovery_version = chip->gc_version;
    }
    ip.hw_ip_version_major = ip.ip_discovery_version >> 16;
    return give(q, &ip, sizeof ip);
}

// Engines that a client may name: those of SDMA are rings of one.
static int ip_count(const struct lull_chip *chip, const struct drm_amdgpu_info *q)
{
    const uint32_t type = q->query_hw_ip.type;
    if (type >= LULL_VDA_NIP) {
        return -EINVAL;
    }
    return give_u32(q, type == AMDGPU_HW_IP_DMA ? chip->sdma_engines : 1);
}

static int firmware(const struct lull_chip *chip, const struct drm_amdgpu_info *q)
{
    const struct drm_amdgpu_info_firmware fw[NFW] = {
        [AMDGPU_INFO_FW_GFX_ME] = {chip->me_version, chip->fw_feature},
        [AMDGPU_INFO_FW_GFX_PFP] = {chip->pfp_version, chip->fw_feature},
        [AMDGPU_INFO_FW_GFX_MEC] = {chip->mec_version, chip->fw_feature},
    };
    const uint32_t type = q->query_fw.fw_type;
    const bool hole = type == 0 || type == 0x09; // numbers that name nothing
    if (q->query_fw.ip_instance != 0 || type >= NFW || hole) {
        return -EINVAL;
    }
    if ((type == AMDGPU_INFO_FW_GFX_MEC && q->query_fw.index > 1) ||
        (type == AMDGPU_INFO_FW_SDMA && q->query_fw.index >= chip->sdma_engines)) {
        return -EINVAL;
    }
    return give(q, &fw[type], sizeof fw[type]); // of SDMA, too, version 0: not known
}

static int vram_gtt(const struct lull_vd *d, const struct drm_amdgpu_info *q)
{
    const struct lull_vd_heap *vram = &d->regions[LULL_VDA_VRAM].heap;
    const struct lull_vd_heap *gtt = &d->regions[LULL_VDA_GTT].heap;
    const struct drm_amdgpu_info_vram_gtt v = {
        .vram_size = vram->size - RESERVED_VRAM,
        .vram_cpu_accessible_size = vram->size - RESERVED_VRAM,
        .gtt_size = gtt->size,
    };
    return give(q, &v, sizeof v);
}

static int memory(const struct lull_vd *d, const struct drm_amdgpu_info *q)
{
    const struct lull_vd_heap *vram = &d->regions[LULL_VDA_VRAM].heap;
    const struct lull_vd_heap *gtt = &d->regions[LULL_VDA_GTT].heap;
    struct drm_amdgpu_memory_info m = {0};
    m.vram.total_heap_size = vram->size;
    m.vram.usable_heap_size = vram->size - RESERVED_VRAM;
    m.vram.heap_usage = vram->used;
    m.vram.max_allocation = m.vram.usable_heap_size / 4 * 3;
    m.cpu_accessible_vram = m.vram;
    m.gtt.total_heap_size = gtt->size;
    m.gtt.usable_heap_size = gtt->size;
    m.gtt.heap_usage = gtt->used;
    m.gtt.max_allocation = gtt->size / 4 * 3;
    return give(q, &m, sizeof m);
}

static int registers(struct lull_vda *d, const struct drm_amdgpu_info *q)
{
    const uint32_t se =
        q->read_mmr_reg.instance >> AMDGPU_INFO_MMR_SE_INDEX_SHIFT & AMDGPU_INFO_MMR_SE_INDEX_MASK;
    const uint32_t sa =
        q->read_mmr_reg.instance >> AMDGPU_INFO_MMR_SH_INDEX_SHIFT & AMDGPU_INFO_MMR_SH_INDEX_MASK;
    if ((se != AMDGPU_INFO_MMR_SE_INDEX_MASK && se >= MAX_SE) ||
        (sa != AMDGPU_INFO_MMR_SH_INDEX_MASK && sa >= MAX_SA) ||
        q->read_mmr_reg.count > MAX_REGISTERS) {
        return -EINVAL;
    }
    uint32_t values[MAX_REGISTERS] = {0};
    const struct lull_bank bank = {.grbm = lull_vda_grbm_all()};
    for (uint32_t i = 0; i < q->read_mmr_reg.count; i++) {
        const uint64_t byte = (q->read_mmr_reg.dword_offset + (uint64_t)i) * 4;
        if (byte == LULL_GC11_GB_ADDR_CONFIG) {
            values[i] = d->gpu.chip->gb_addr_config;
        } else if (byte == LULL_GC11_GRBM_STATUS) {
            values[i] = lull_vda_read_reg(d, bank, LULL_GC11_GRBM_STATUS);
        } else {
            return -EFAULT; // soc21_read_register(): not one that clients may see
        }
    }
    return give(q, values, q->read_mmr_reg.count * sizeof values[0]);
}

static int device(const struct lull_chip *c, const struct drm_amdgpu_info *q)
{
    const uint32_t cus = 2 * c->wgp_per_sa;
    const uint64_t vm_size = (1ull << 48) - RESERVED_VA_TOP;
    struct drm_amdgpu_info_device v = {
        .device_id = c->device,
        .external_rev = c->external_revision,
        .pci_rev = c->revision,
        .family = c->family,
        .num_shader_engines = c->se,
        .num_shader_arrays_per_engine = c->sa_per_se,
        .gpu_counter_freq = c->counter_khz,
        .max_engine_clock = c->engine_khz,
        .max_memory_clock = c->memory_khz,
        .cu_active_number = c->se * c->sa_per_se * cus,
        .enabled_rb_pipes_mask = (1u << c->rbs) - 1,
        .num_rb_pipes = c->rbs,
        .num_hw_gfx_contexts = 8,
        .pcie_gen = 4,
        .virtual_address_offset = 1ull << 16,
        .virtual_address_max = 1ull << 47,
        .virtual_address_alignment = LULL_VD_PAGE,
        .pte_fragment_size = 2 << 20,
        .gart_page_size = LULL_VD_PAGE,
        .vram_type = AMDGPU_VRAM_TYPE_GDDR6,
        .vram_bit_width = c->vram_bits,
        .wave_front_size = 32,
        .num_shader_visible_vgprs = c->simd_vgprs,
        .num_cu_per_sh = cus,
        .num_tcc_blocks = c->tccs,
        .gs_vgt_table_depth = c->gs_table_depth,
        .gs_prim_buffer_depth = c->gs_prim_depth,
        .max_gs_waves_per_vgt = c->gs_waves,
        .pcie_num_lanes = 16,
        .high_va_offset = 0xffff800000000000,
        .high_va_max = 0xffff800000000000 | vm_size,
        .tcp_cache_size = c->tcp_kib,
        .num_sqc_per_wgp = 1,
        .sqc_data_cache_size = c->sqc_data_kib,
        .sqc_inst_cache_size = c->sqc_inst_kib,
        .gl1c_cache_size = c->gl1_kib,
        .gl2c_cache_size = c->gl2_kib,
        .mall_size = c->mall_bytes,
    };
    for (unsigned se = 0; se < c->se; se++) {
        for (unsigned sa = 0; sa < c->sa_per_se; sa++) {
            v.cu_bitmap[se % 4][sa + se / 4 * 2] = (1u << cus) - 1;
            v.cu_ao_bitmap[se % 4][sa + se / 4 * 2] = (1u << cus) - 1;
        }
    }
    return give(q, &v, sizeof v);
}

static int max_ibs(const struct drm_amdgpu_info *q)
{
    const uint32_t n[AMDGPU_HW_IP_NUM] = {192, 125, 49, 49, 49, 49, 49, 49, 16, 49};
    return give(q, n, sizeof n);
}

// What a GPU without a BIOS, a video engine, sensors and error correction says.
static int absent(const struct drm_amdgpu_info *q)
{
    const struct drm_amdgpu_info_vbios bios = {0};
    const struct drm_amdgpu_info_video_caps video = {0};
    const struct drm_amdgpu_info_vce_clock_table vce = {0};
    const struct drm_amdgpu_info_gds gds = {.compute_partition_size = LULL_GDS_BYTES,
                                            .gds_total_size = LULL_GDS_BYTES,
                                            .oa_per_compute_partition = LULL_VDA_OA};
    switch (q->query) {
    case AMDGPU_INFO_VBIOS:
        return q->vbios_info.type == AMDGPU_INFO_VBIOS_SIZE   ? give_u32(q, 0)
               : q->vbios_info.type == AMDGPU_INFO_VBIOS_INFO ? give(q, &bios, sizeof bios)
                                                              : -EINVAL;
    case AMDGPU_INFO_NUM_HANDLES:
        return q->query_hw_ip.type == AMDGPU_HW_IP_UVD ? -ENODATA : -EINVAL;
    case AMDGPU_INFO_SENSOR:
        return -ENOENT;
    case AMDGPU_INFO_VIDEO_CAPS:
        return q->video_cap.type > AMDGPU_INFO_VIDEO_CAPS_ENCODE ? -EINVAL
                                                                 : give(q, &video, sizeof video);
    case AMDGPU_INFO_VCE_CLOCK_TABLE:
        return give(q, &vce, sizeof vce);
    case AMDGPU_INFO_GDS_CONFIG:
        return give(q, &gds, sizeof gds);
    case AMDGPU_INFO_NUM_BYTES_MOVED:
    case AMDGPU_INFO_NUM_EVICTIONS:
    case AMDGPU_INFO_NUM_VRAM_CPU_PAGE_FAULTS:
        return give_u64(q, 0);
    case AMDGPU_INFO_VRAM_LOST_COUNTER:
        return give_u32(q, 0);
    default: // CRTC_FROM_ID, RAS_ENABLED_FEATURES, and what nobody knows
        return -EINVAL;
    }
}

int lull_vda_info(struct lull_vd_file *f, void *arg)
{
    const struct drm_amdgpu_info *q = arg;
    struct lull_vda *d = lull_vda(f->d);
    if (q->return_size == 0 || q->return_pointer == 0) {
        return -EINVAL;
    }
    switch (q->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        return give_u32(q, 1);
    case AMDGPU_INFO_HW_IP_INFO:
        return ip_info(d->gpu.chip, q);
    case AMDGPU_INFO_HW_IP_COUNT:
        return ip_count(d->gpu.chip, q);
    case AMDGPU_INFO_TIMESTAMP:
        lull_vd_catch_up(&d->vd);
        return give_u64(q, d->gpu.ops->clock(d->gpu.gpu));
    case AMDGPU_INFO_FW_VERSION:
        return firmware(d->gpu.chip, q);
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE:
        return give_u64(q, d->vd.regions[LULL_VDA_VRAM].heap.used);
    case AMDGPU_INFO_GTT_USAGE:
        return give_u64(q, d->vd.regions[LULL_VDA_GTT].heap.used);
    case AMDGPU_INFO_VRAM_GTT:
        return vram_gtt(&d->vd, q);
    case AMDGPU_INFO_MEMORY:
        return memory(&d->vd, q);
    case AMDGPU_INFO_READ_MMR_REG:
        return registers(d, q);
    case AMDGPU_INFO_DEV_INFO:
        return device(d->gpu.chip, q);
    case AMDGPU_INFO_MAX_IBS:
        return max_ibs(q);
    case AMDGPU_INFO_GPUVM_FAULT:
        return give(q, &lull_vda_vm_of(f)->fault, sizeof lull_vda_vm_of(f)->fault);
    default:
        return absent(q);
    }
}
