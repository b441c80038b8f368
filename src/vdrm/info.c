// SPDX-License-Identifier: MIT
// AMDGPU_INFO.
//
// Source: amdgpu_info_ioctl(); the values of Navi 31 from Mesa's amdgpu_devices.c (MIT) and the
// formulas of Linux 6.12.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/gc11_regs.h"
#include "vdrm/vdrm_priv.h"

enum {
    SE = 6,
    SA_PER_SE = 2,
    CU_PER_SA = 8,
    RENDER_BACKENDS = 24,
    GB_ADDR_CONFIG = 0x545,
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

static int ip_info(const struct drm_amdgpu_info *q)
{
    struct drm_amdgpu_info_hw_ip ip = {0};
    if (q->query_hw_ip.ip_instance != 0 || q->query_hw_ip.type >= AMDGPU_HW_IP_NUM) {
        return -EINVAL;
    }
    if (q->query_hw_ip.type < LULL_VD_NIP) { // of the others there is none: all zero
        ip.hw_ip_version_major = 11;
        ip.ib_start_alignment = 32;
        ip.ib_size_alignment = 32;
        ip.available_rings = q->query_hw_ip.type == AMDGPU_HW_IP_GFX ? 0x1 : 0xf;
        ip.ip_discovery_version = 11 << 16;
    }
    return give(q, &ip, sizeof ip);
}

static int firmware(const struct drm_amdgpu_info *q)
{
    static const struct drm_amdgpu_info_firmware fw[NFW] = {
        [AMDGPU_INFO_FW_GFX_ME] = {1486, 29},
        [AMDGPU_INFO_FW_GFX_PFP] = {1525, 29},
        [AMDGPU_INFO_FW_GFX_MEC] = {494, 29},
    };
    const uint32_t type = q->query_fw.fw_type;
    const bool hole = type == 0 || type == 0x09; // numbers that name nothing
    if (q->query_fw.ip_instance != 0 || type >= NFW || hole) {
        return -EINVAL;
    }
    if ((type == AMDGPU_INFO_FW_GFX_MEC && q->query_fw.index > 1) || type == AMDGPU_INFO_FW_SDMA) {
        return -EINVAL; // there is no SDMA engine
    }
    return give(q, &fw[type], sizeof fw[type]);
}

static int vram_gtt(const struct lull_vd *d, const struct drm_amdgpu_info *q)
{
    const struct drm_amdgpu_info_vram_gtt v = {
        .vram_size = d->vram.size - RESERVED_VRAM,
        .vram_cpu_accessible_size = d->vram.size - RESERVED_VRAM,
        .gtt_size = d->gtt.size,
    };
    return give(q, &v, sizeof v);
}

static int memory(const struct lull_vd *d, const struct drm_amdgpu_info *q)
{
    struct drm_amdgpu_memory_info m = {0};
    m.vram.total_heap_size = d->vram.size;
    m.vram.usable_heap_size = d->vram.size - RESERVED_VRAM;
    m.vram.heap_usage = d->vram.used;
    m.vram.max_allocation = m.vram.usable_heap_size / 4 * 3;
    m.cpu_accessible_vram = m.vram;
    m.gtt.total_heap_size = d->gtt.size;
    m.gtt.usable_heap_size = d->gtt.size;
    m.gtt.heap_usage = d->gtt.used;
    m.gtt.max_allocation = d->gtt.size / 4 * 3;
    return give(q, &m, sizeof m);
}

static int registers(struct lull_vd *d, const struct drm_amdgpu_info *q)
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
    const struct lull_bank bank = {.grbm = lull_vd_grbm_all()};
    for (uint32_t i = 0; i < q->read_mmr_reg.count; i++) {
        const uint64_t byte = (q->read_mmr_reg.dword_offset + (uint64_t)i) * 4;
        if (byte == LULL_GC11_GB_ADDR_CONFIG) {
            values[i] = GB_ADDR_CONFIG;
        } else if (byte == LULL_GC11_GRBM_STATUS) {
            values[i] = lull_vd_read_reg(d, bank, LULL_GC11_GRBM_STATUS);
        } else {
            return -EFAULT; // soc21_read_register(): not one that clients may see
        }
    }
    return give(q, values, q->read_mmr_reg.count * sizeof values[0]);
}

static int device(const struct drm_amdgpu_info *q)
{
    const uint64_t vm_size = (1ull << 48) - RESERVED_VA_TOP;
    struct drm_amdgpu_info_device v = {
        .device_id = 0x744c,
        .external_rev = 1,
        .pci_rev = 0xc8,
        .family = AMDGPU_FAMILY_GC_11_0_0,
        .num_shader_engines = SE,
        .num_shader_arrays_per_engine = SA_PER_SE,
        .gpu_counter_freq = 100000,
        .max_engine_clock = 2526000,
        .max_memory_clock = 1249000,
        .cu_active_number = SE * SA_PER_SE * CU_PER_SA,
        .enabled_rb_pipes_mask = (1u << RENDER_BACKENDS) - 1,
        .num_rb_pipes = RENDER_BACKENDS,
        .num_hw_gfx_contexts = 8,
        .pcie_gen = 4,
        .virtual_address_offset = 1ull << 16,
        .virtual_address_max = 1ull << 47,
        .virtual_address_alignment = LULL_VD_PAGE,
        .pte_fragment_size = 2 << 20,
        .gart_page_size = LULL_VD_PAGE,
        .vram_type = AMDGPU_VRAM_TYPE_GDDR6,
        .vram_bit_width = 384,
        .wave_front_size = 32,
        .num_shader_visible_vgprs = 1536,
        .num_cu_per_sh = CU_PER_SA,
        .num_tcc_blocks = 24,
        .gs_vgt_table_depth = 32,
        .gs_prim_buffer_depth = 1792,
        .max_gs_waves_per_vgt = 32,
        .pcie_num_lanes = 16,
        .high_va_offset = 0xffff800000000000,
        .high_va_max = 0xffff800000000000 | vm_size,
        .tcp_cache_size = 32,
        .num_sqc_per_wgp = 1,
        .sqc_data_cache_size = 16,
        .sqc_inst_cache_size = 32,
        .gl1c_cache_size = 256,
        .gl2c_cache_size = 6144,
        .mall_size = 100663296,
    };
    for (unsigned se = 0; se < SE; se++) {
        for (unsigned sa = 0; sa < SA_PER_SE; sa++) {
            v.cu_bitmap[se % 4][sa + se / 4 * 2] = (1u << CU_PER_SA) - 1;
            v.cu_ao_bitmap[se % 4][sa + se / 4 * 2] = (1u << CU_PER_SA) - 1;
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
    const struct drm_amdgpu_info_gds gds = {0};
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

int lull_vd_info(struct lull_vd_file *f, const struct drm_amdgpu_info *q)
{
    struct lull_vd *d = f->d;
    if (q->return_size == 0 || q->return_pointer == 0) {
        return -EINVAL;
    }
    switch (q->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        return give_u32(q, 1);
    case AMDGPU_INFO_HW_IP_INFO:
        return ip_info(q);
    case AMDGPU_INFO_HW_IP_COUNT:
        return q->query_hw_ip.type < LULL_VD_NIP ? give_u32(q, 1) : -EINVAL;
    case AMDGPU_INFO_TIMESTAMP:
        lull_vd_catch_up(d);
        return give_u64(q, d->gpu.ops->clock(d->gpu.gpu));
    case AMDGPU_INFO_FW_VERSION:
        return firmware(q);
    case AMDGPU_INFO_VRAM_USAGE:
    case AMDGPU_INFO_VIS_VRAM_USAGE:
        return give_u64(q, d->vram.used);
    case AMDGPU_INFO_GTT_USAGE:
        return give_u64(q, d->gtt.used);
    case AMDGPU_INFO_VRAM_GTT:
        return vram_gtt(d, q);
    case AMDGPU_INFO_MEMORY:
        return memory(d, q);
    case AMDGPU_INFO_READ_MMR_REG:
        return registers(d, q);
    case AMDGPU_INFO_DEV_INFO:
        return device(q);
    case AMDGPU_INFO_MAX_IBS:
        return max_ibs(q);
    case AMDGPU_INFO_GPUVM_FAULT:
        return give(q, &f->vm.fault, sizeof f->vm.fault);
    default:
        return absent(q);
    }
}
