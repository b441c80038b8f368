// SPDX-License-Identifier: MIT
#include "drm/amdgpu/debugfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct lull_dispatch_record) == 248 && sizeof(struct lull_control) == 40 &&
                  sizeof(struct lull_control_state) == 160 &&
                  sizeof(struct lull_draw_record) == 8576 &&
                  sizeof(struct lull_fragment_record) == 456 &&
                  sizeof(struct lull_aim_record) == 40 && sizeof(struct lull_written_op) == 32 &&
                  sizeof(struct lull_written_record) == 104,
              "layout of docs/formats/debugfs.md");
static_assert(sizeof(struct lull_regs2_v1) == 40 && sizeof(struct lull_regs2_v2) == 44 &&
                  sizeof(struct lull_gprwave) == 36,
              "layout of amdgpu_umr.h");

// clang-format off
static const struct {
    const char *name;
    int flags;
} debugfs_files[LULL_DEBUGFS_NFILES] = {
    [LULL_DEBUGFS_REGS2] = {"amdgpu_regs2", O_RDWR},
    [LULL_DEBUGFS_WAVE] = {"amdgpu_wave", O_RDONLY},
    [LULL_DEBUGFS_GPRWAVE] = {"amdgpu_gprwave", O_RDWR},
    [LULL_DEBUGFS_GPR] = {"amdgpu_gpr", O_RDONLY},
    [LULL_DEBUGFS_VRAM] = {"amdgpu_vram", O_RDWR},
    [LULL_DEBUGFS_IOMEM] = {"amdgpu_iomem", O_RDWR},
    [LULL_DEBUGFS_VM_INFO] = {"amdgpu_vm_info", O_RDONLY},
    [LULL_DEBUGFS_GCA_CONFIG] = {"amdgpu_gca_config", O_RDONLY},
    [LULL_DEBUGFS_DISPATCHES] = {"lull_dispatches", O_RDONLY},
    [LULL_DEBUGFS_DRAWS] = {"lull_draws", O_RDONLY},
    [LULL_DEBUGFS_PIXELS] = {"lull_pixels", O_RDONLY},
    [LULL_DEBUGFS_AIM] = {"lull_aim", O_RDONLY},
    [LULL_DEBUGFS_DRAWN_PIXELS] = {"lull_drawn_pixels", O_RDONLY},
    [LULL_DEBUGFS_DRAWN_PRIMITIVES] = {"lull_drawn_primitives", O_RDONLY},
    [LULL_DEBUGFS_CONTROL] = {"lull_control", O_RDWR},
    [LULL_DEBUGFS_TIME] = {"lull_time", O_RDWR},
    [LULL_DEBUGFS_WRITTEN] = {"lull_written", O_RDWR},
};
// clang-format on

/** What is read into, and how much was. */
struct records {
    uint8_t *bytes;
    size_t n, got;
};

void lull_debugfs_init(struct lull_debugfs *d, struct lull_kernel *k, unsigned dri)
{
    *d = (struct lull_debugfs){.k = k, .dri = dri};
}

void lull_debugfs_done(struct lull_debugfs *d)
{
    for (unsigned i = 0; i < LULL_DEBUGFS_NFILES; i++) {
        if (d->fds[i] > 0) {
            d->k->close(d->k, d->fds[i] - 1);
        }
        d->fds[i] = 0;
    }
}

static const char *open_hint(int errnum)
{
    switch (errnum) {
    case EACCES:
        return "debugfs is for root: run as root, for example with sudo";
    case EPERM:
        return "the kernel is locked down (Secure Boot), which closes debugfs to writing: boot "
               "without lockdown";
    case ENOENT:
        return "debugfs is not mounted (mount -t debugfs none /sys/kernel/debug), the GPU has "
               "another number "
               "there, or the kernel is older than the file";
    default:
        return "";
    }
}

LULL_MUST_USE static struct lull_error *get_fd(struct lull_debugfs *d, enum lull_debugfs_file file,
                                               int *ret)
{
    if (d->fds[file] == 0) {
        char path[96] = "";
        snprintf(path, sizeof path, "/sys/kernel/debug/dri/%u/%s", d->dri,
                 debugfs_files[file].name);
        const int fd = d->k->open(d->k, path, debugfs_files[file].flags);
        if (fd < 0) {
            const char *hint = open_hint(-fd);
            return lull_error_os(-fd, "open %s%s%s", path, hint[0] != '\0' ? ": " : "", hint);
        }
        d->fds[file] = fd + 1;
    }
    *ret = d->fds[file] - 1;
    return NULL;
}

LULL_MUST_USE static struct lull_error *io_error(ssize_t r, enum lull_debugfs_file file,
                                                 bool writing, uint64_t offset, size_t size)
{
    const char *verb = writing ? "write" : "read";
    if (r >= 0) {
        return lull_error_os(EIO, "%s %s: %zd bytes of %zu at 0x%llx", verb,
                             debugfs_files[file].name, r, size, (unsigned long long)offset);
    }
    const char *hint = "";
    if (file == LULL_DEBUGFS_IOMEM && r == -EPERM) {
        hint = ": no page of a GPU buffer is at that bus address";
    } else if (file == LULL_DEBUGFS_VRAM && r == -ENXIO) {
        hint = ": beyond the end of video memory";
    } else if (r == -EINVAL) {
        hint = ": not a multiple of 4, or no such shader engine or array";
    }
    return lull_error_os((int)-r, "%s %s: %zu bytes at 0x%llx%s", verb, debugfs_files[file].name,
                         size, (unsigned long long)offset, hint);
}

LULL_MUST_USE static struct lull_error *file_read(struct lull_debugfs *d,
                                                  enum lull_debugfs_file file, uint64_t offset,
                                                  void *buf, size_t size)
{
    int fd = -1;
    struct lull_error *err = get_fd(d, file, &fd);
    if (err != NULL) {
        return err;
    }
    for (size_t done = 0; done < size;) {
        const ssize_t r = d->k->pread(d->k, fd, (char *)buf + done, size - done, offset + done);
        if (r <= 0) {
            return io_error(r, file, false, offset + done, size - done);
        }
        done += (size_t)r;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *file_write(struct lull_debugfs *d,
                                                   enum lull_debugfs_file file, uint64_t offset,
                                                   const void *buf, size_t size)
{
    int fd = -1;
    struct lull_error *err = get_fd(d, file, &fd);
    if (err != NULL) {
        return err;
    }
    for (size_t done = 0; done < size;) {
        const ssize_t r =
            d->k->pwrite(d->k, fd, (const char *)buf + done, size - done, offset + done);
        if (r <= 0) {
            return io_error(r, file, true, offset + done, size - done);
        }
        done += (size_t)r;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *set_bank(struct lull_debugfs *d,
                                                 const struct lull_reg_bank *bank)
{
    int fd = -1;
    struct lull_error *err = get_fd(d, LULL_DEBUGFS_REGS2, &fd);
    if (err != NULL) {
        return err;
    }
    struct lull_regs2_v2 v2 = {0};
    v2.bank.use_srbm = bank->srbm;
    v2.bank.use_grbm = bank->grbm;
    v2.bank.grbm.se = (uint32_t)bank->se;
    v2.bank.grbm.sh = (uint32_t)bank->sa;
    v2.bank.grbm.instance = (uint32_t)bank->instance;
    v2.bank.srbm.me = bank->me;
    v2.bank.srbm.pipe = bank->pipe;
    v2.bank.srbm.queue = bank->queue;
    v2.bank.srbm.vmid = bank->vmid;
    int r = 0;
    if (d->abi != LULL_REGS2_V1) {
        r = d->k->ioctl(d->k, fd, LULL_REGS2_SET_V2, &v2);
        if (r >= 0) {
            d->abi = LULL_REGS2_V2;
            return NULL;
        }
        if (d->abi == LULL_REGS2_UNKNOWN && (r == -EINVAL || r == -ENOTTY)) {
            d->abi = LULL_REGS2_V1;
        }
    }
    if (d->abi == LULL_REGS2_V1) {
        r = d->k->ioctl(d->k, fd, LULL_REGS2_SET_V1, &v2.bank);
    }
    return r >= 0 ? NULL
                  : lull_error_os(-r, "amdgpu_regs2: set bank (se %d, sa %d, instance %d, vmid %u)",
                                  bank->se, bank->sa, bank->instance, bank->vmid);
}

struct lull_error *lull_debugfs_read_regs(struct lull_debugfs *d, const struct lull_reg_bank *bank,
                                          uint32_t offset, uint32_t *values, size_t n)
{
    struct lull_error *err = set_bank(d, bank);
    for (size_t done = 0; err == NULL && done < n;) {
        const size_t max = LULL_DEBUGFS_MAX_BYTES / 4;
        const size_t part = n - done < max ? n - done : max;
        err = file_read(d, LULL_DEBUGFS_REGS2, offset + done * 4, values + done, part * 4);
        done += part;
    }
    return err;
}

struct lull_error *lull_debugfs_write_regs(struct lull_debugfs *d, const struct lull_reg_bank *bank,
                                           uint32_t offset, const uint32_t *values, size_t n)
{
    struct lull_error *err = set_bank(d, bank);
    for (size_t done = 0; err == NULL && done < n;) {
        const size_t max = LULL_DEBUGFS_MAX_BYTES / 4;
        const size_t part = n - done < max ? n - done : max;
        err = file_write(d, LULL_DEBUGFS_REGS2, offset + done * 4, values + done, part * 4);
        done += part;
    }
    return err;
}

// On gfx11 the SIMD is part of the instance, and the field of its own must be 0.
static uint32_t instance_of(struct lull_wave_slot slot)
{
    return (uint32_t)slot.wgp << 2 | slot.simd;
}

struct lull_error *lull_debugfs_read_wave(struct lull_debugfs *d, struct lull_wave_slot slot,
                                          struct lull_wave_status *ret)
{
    const uint64_t pos =
        (uint64_t)slot.se << LULL_WAVE_POS_SE | (uint64_t)slot.sa << LULL_WAVE_POS_SH |
        (uint64_t)instance_of(slot) << LULL_WAVE_POS_CU | (uint64_t)slot.wave << LULL_WAVE_POS_WAVE;
    uint32_t w[LULL_WAVE3_DWORDS] = {0};
    // One read: the offset names the wave, so a short read cannot be continued at the next byte.
    int fd = -1;
    struct lull_error *err = get_fd(d, LULL_DEBUGFS_WAVE, &fd);
    if (err != NULL) {
        return err;
    }
    const ssize_t r = d->k->pread(d->k, fd, w, sizeof w, pos);
    if (r != (ssize_t)sizeof w) {
        return io_error(r, LULL_DEBUGFS_WAVE, false, pos, sizeof w);
    }
    if (w[LULL_WAVE3_TYPE] != 3) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "amdgpu_wave: wave data of type %u; lull knows type 3 (gfx11)",
                              w[LULL_WAVE3_TYPE]);
    }
    *ret = (struct lull_wave_status){
        .pc = w[LULL_WAVE3_PC_LO] | (uint64_t)w[LULL_WAVE3_PC_HI] << 32,
        .exec = w[LULL_WAVE3_EXEC_LO] | (uint64_t)w[LULL_WAVE3_EXEC_HI] << 32,
        .status = w[LULL_WAVE3_STATUS],
        .hw_id1 = w[LULL_WAVE3_HW_ID1],
        .hw_id2 = w[LULL_WAVE3_HW_ID2],
        .gpr_alloc = w[LULL_WAVE3_GPR_ALLOC],
        .lds_alloc = w[LULL_WAVE3_LDS_ALLOC],
        .trapsts = w[LULL_WAVE3_TRAPSTS],
        .ib_sts = w[LULL_WAVE3_IB_STS],
        .ib_sts2 = w[LULL_WAVE3_IB_STS2],
        .ib_dbg1 = w[LULL_WAVE3_IB_DBG1],
        .m0 = w[LULL_WAVE3_M0],
        .mode = w[LULL_WAVE3_MODE],
    };
    return NULL;
}

LULL_MUST_USE static struct lull_error *gprs_by_offset(struct lull_debugfs *d,
                                                       struct lull_wave_slot slot,
                                                       const struct lull_gprwave *id,
                                                       uint32_t *values, size_t n)
{
    const uint64_t pos =
        (uint64_t)slot.se << LULL_GPR_POS_SE | (uint64_t)slot.sa << LULL_GPR_POS_SH |
        (uint64_t)id->cu << LULL_GPR_POS_CU | (uint64_t)slot.wave << LULL_GPR_POS_WAVE |
        (uint64_t)id->gpr.thread << LULL_GPR_POS_THREAD |
        (uint64_t)(id->gpr.vgpr_or_sgpr == 0) << LULL_GPR_POS_BANK;
    return file_read(d, LULL_DEBUGFS_GPR, pos, values, n * 4);
}

LULL_MUST_USE static struct lull_error *read_gprs(struct lull_debugfs *d,
                                                  struct lull_wave_slot slot,
                                                  struct lull_gprwave id, uint32_t *values,
                                                  size_t n)
{
    if (n == 0 || n > LULL_DEBUGFS_MAX_BYTES / 4) {
        return lull_error_new(LULL_ERR_INVALID, "%zu registers of a wave; 1 to %d can be read", n,
                              LULL_DEBUGFS_MAX_BYTES / 4);
    }
    id.gpr_or_wave = 1;
    id.se = slot.se;
    id.sh = slot.sa;
    id.cu = instance_of(slot);
    id.wave = slot.wave;
    int fd = -1;
    struct lull_error *err = get_fd(d, LULL_DEBUGFS_GPRWAVE, &fd);
    if (err != NULL && lull_error_errno(err) == ENOENT) {
        lull_error_free(err);
        return gprs_by_offset(d, slot, &id, values, n);
    }
    if (err != NULL) {
        return err;
    }
    const int r = d->k->ioctl(d->k, fd, LULL_GPRWAVE_SET, &id);
    if (r < 0) {
        return lull_error_os(-r,
                             "amdgpu_gprwave: set wave (se %u, sa %u, wgp %u, simd %u, wave %u)",
                             slot.se, slot.sa, slot.wgp, slot.simd, slot.wave);
    }
    // Always from 0: Linux 6.12 takes the byte offset as the register number (gprwave_read).
    const ssize_t got = d->k->pread(d->k, fd, values, n * 4, 0);
    return got == (ssize_t)(n * 4) ? NULL : io_error(got, LULL_DEBUGFS_GPRWAVE, false, 0, n * 4);
}

struct lull_error *lull_debugfs_read_sgprs(struct lull_debugfs *d, struct lull_wave_slot slot,
                                           uint32_t *values, size_t n)
{
    return read_gprs(d, slot, (struct lull_gprwave){0}, values, n);
}

struct lull_error *lull_debugfs_read_vgprs(struct lull_debugfs *d, struct lull_wave_slot slot,
                                           uint32_t lane, uint32_t *values, size_t n)
{
    return read_gprs(d, slot, (struct lull_gprwave){.gpr = {.thread = lane, .vgpr_or_sgpr = 1}},
                     values, n);
}

struct lull_error *lull_debugfs_read_vram(struct lull_debugfs *d, uint64_t address, void *buf,
                                          size_t size)
{
    return file_read(d, LULL_DEBUGFS_VRAM, address, buf, size);
}

struct lull_error *lull_debugfs_write_vram(struct lull_debugfs *d, uint64_t address,
                                           const void *buf, size_t size)
{
    return file_write(d, LULL_DEBUGFS_VRAM, address, buf, size);
}

struct lull_error *lull_debugfs_read_iomem(struct lull_debugfs *d, uint64_t address, void *buf,
                                           size_t size)
{
    return file_read(d, LULL_DEBUGFS_IOMEM, address, buf, size);
}

struct lull_error *lull_debugfs_write_iomem(struct lull_debugfs *d, uint64_t address,
                                            const void *buf, size_t size)
{
    return file_write(d, LULL_DEBUGFS_IOMEM, address, buf, size);
}

struct lull_error *lull_debugfs_vm_info(struct lull_debugfs *d, struct lull_str *ret)
{
    int fd = -1;
    struct lull_error *err = get_fd(d, LULL_DEBUGFS_VM_INFO, &fd);
    if (err != NULL) {
        return err;
    }
    char buf[1024] = "";
    uint64_t offset = 0;
    ssize_t r = 0;
    while ((r = d->k->pread(d->k, fd, buf, sizeof buf, offset)) > 0) {
        lull_str_addf(ret, "%.*s", (int)r, buf);
        offset += (uint64_t)r;
    }
    return r < 0 ? io_error(r, LULL_DEBUGFS_VM_INFO, false, offset, sizeof buf) : NULL;
}

// Source: amdgpu_debugfs_gca_config_read(): version, max_shader_engines, max_tile_pipes,
// max_cu_per_sh, max_sh_per_se.
struct lull_error *lull_debugfs_gca_config(struct lull_debugfs *d, struct lull_gca_config *ret)
{
    enum { SE = 1, CUS = 3, SAS = 4, N = 5 };
    uint32_t words[N] = {0};
    struct lull_error *err = file_read(d, LULL_DEBUGFS_GCA_CONFIG, 0, words, sizeof words);
    if (err == NULL) {
        *ret = (struct lull_gca_config){.shader_engines = words[SE],
                                        .arrays_per_engine = words[SAS],
                                        .wgps_per_array = (words[CUS] + 1) / 2};
    }
    return err;
}

/** Records of @p unit bytes each, up to @p n from @p first on. */
LULL_MUST_USE static struct lull_error *read_records(struct lull_debugfs *d,
                                                     enum lull_debugfs_file file, uint64_t first,
                                                     size_t unit, struct records *ret)
{
    int fd = -1;
    struct lull_error *err = get_fd(d, file, &fd);
    if (err != NULL) {
        return err;
    }
    while (ret->got < ret->n) {
        const uint64_t offset = (first + ret->got) * unit;
        const size_t left = (ret->n - ret->got) * unit;
        const ssize_t r = d->k->pread(d->k, fd, ret->bytes + ret->got * unit, left, offset);
        if (r < 0 || (size_t)r % unit != 0) {
            return io_error(r, file, false, offset, left);
        }
        if (r == 0) {
            break;
        }
        ret->got += (size_t)r / unit;
    }
    return NULL;
}

struct lull_error *lull_debugfs_dispatches(struct lull_debugfs *d, uint64_t first,
                                           struct lull_dispatch_record *records, size_t n,
                                           size_t *ret_n)
{
    struct records all = {.bytes = (uint8_t *)records, .n = n};
    struct lull_error *err = read_records(d, LULL_DEBUGFS_DISPATCHES, first, sizeof *records, &all);
    *ret_n = all.got;
    return err;
}

struct lull_error *lull_debugfs_draws(struct lull_debugfs *d, uint64_t first,
                                      struct lull_draw_record *records, size_t n, size_t *ret_n)
{
    struct records all = {.bytes = (uint8_t *)records, .n = n};
    struct lull_error *err = read_records(d, LULL_DEBUGFS_DRAWS, first, sizeof *records, &all);
    *ret_n = all.got;
    return err;
}

struct lull_error *lull_debugfs_fragments(struct lull_debugfs *d, uint64_t first,
                                          struct lull_fragment_record *records, size_t n,
                                          size_t *ret_n)
{
    struct records all = {.bytes = (uint8_t *)records, .n = n};
    struct lull_error *err = read_records(d, LULL_DEBUGFS_PIXELS, first, sizeof *records, &all);
    *ret_n = all.got;
    return err;
}

struct lull_error *lull_debugfs_drawn_pixels(struct lull_debugfs *d,
                                             struct lull_drawn_pixel *records, size_t n,
                                             size_t *ret_n)
{
    struct records all = {.bytes = (uint8_t *)records, .n = n};
    struct lull_error *err = read_records(d, LULL_DEBUGFS_DRAWN_PIXELS, 0, sizeof *records, &all);
    *ret_n = all.got;
    return err;
}

struct lull_error *lull_debugfs_drawn_primitives(struct lull_debugfs *d,
                                                 struct lull_drawn_primitive *records, size_t n,
                                                 size_t *ret_n)
{
    struct records all = {.bytes = (uint8_t *)records, .n = n};
    struct lull_error *err =
        read_records(d, LULL_DEBUGFS_DRAWN_PRIMITIVES, 0, sizeof *records, &all);
    *ret_n = all.got;
    return err;
}

struct lull_error *lull_debugfs_aim(struct lull_debugfs *d, struct lull_aim_record *ret)
{
    return file_read(d, LULL_DEBUGFS_AIM, 0, ret, sizeof *ret);
}

struct lull_error *lull_debugfs_control_state(struct lull_debugfs *d,
                                              struct lull_control_state *ret)
{
    return file_read(d, LULL_DEBUGFS_CONTROL, 0, ret, sizeof *ret);
}

struct lull_error *lull_debugfs_control(struct lull_debugfs *d, const struct lull_control *control)
{
    return file_write(d, LULL_DEBUGFS_CONTROL, 0, control, sizeof *control);
}

struct lull_error *lull_debugfs_launch(struct lull_debugfs *d,
                                       const struct lull_control_launch *launch)
{
    return file_write(d, LULL_DEBUGFS_CONTROL, 0, launch, sizeof *launch);
}

struct lull_error *lull_debugfs_time(struct lull_debugfs *d, uint32_t op, uint32_t vmid,
                                     uint64_t value)
{
    const struct lull_time_op o = {.op = op, .vmid = vmid, .value = value};
    return file_write(d, LULL_DEBUGFS_TIME, 0, &o, sizeof o);
}

struct lull_error *lull_debugfs_time_state(struct lull_debugfs *d, struct lull_time_state *ret)
{
    return file_read(d, LULL_DEBUGFS_TIME, 0, ret, sizeof *ret);
}

struct lull_error *lull_debugfs_time_trace(struct lull_debugfs *d,
                                           const struct lull_time_trace *trace)
{
    return file_write(d, LULL_DEBUGFS_TIME, 0, trace, sizeof *trace);
}

struct lull_error *lull_debugfs_time_records(struct lull_debugfs *d, uint64_t first,
                                             struct lull_time_record *ret, size_t n, size_t *ret_n)
{
    const uint64_t offset = LULL_TIME_TRACE_AT + first * sizeof *ret;
    int fd = -1;
    struct lull_error *err = get_fd(d, LULL_DEBUGFS_TIME, &fd);
    if (err != NULL) {
        return err;
    }
    const ssize_t r = d->k->pread(d->k, fd, ret, n * sizeof *ret, offset);
    if (r < 0) {
        return io_error(r, LULL_DEBUGFS_TIME, false, offset, n * sizeof *ret);
    }
    *ret_n = (size_t)r / sizeof *ret;
    return NULL;
}

struct lull_error *lull_debugfs_executed(struct lull_debugfs *d, uint32_t place, uint64_t *ret)
{
    return file_read(d, LULL_DEBUGFS_TIME, LULL_TIME_WAVE_AT + place, ret, sizeof *ret);
}

struct lull_error *lull_debugfs_written(struct lull_debugfs *d, const struct lull_written_op *op,
                                        struct lull_written_record *ret)
{
    struct lull_error *err = file_write(d, LULL_DEBUGFS_WRITTEN, 0, op, sizeof *op);
    return err != NULL || ret == NULL ? err
                                      : file_read(d, LULL_DEBUGFS_WRITTEN, 0, ret, sizeof *ret);
}
