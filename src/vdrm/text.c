// SPDX-License-Identifier: MIT
// Files that are text: sysfs, the kernel's log, amdgpu_vm_info.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vdrm/vdrm_priv.h"

enum { FACILITY_KERNEL = 0 };

static const struct {
    const char *name, *text;
} device_files[] = {
    {"vendor", "0x1002\n"},
    {"device", "0x744c\n"},
    {"subsystem_vendor", "0x1002\n"},
    {"subsystem_device", "0x0e3b\n"},
    {"revision", "0xc8\n"},
    {"class", "0x030000\n"},
    {"boot_vga", "0\n"},
    {"uevent", "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:744C\nPCI_SUBSYS_ID=1002:0E3B\n"
               "PCI_SLOT_NAME=0000:03:00.0\n"
               "MODALIAS=pci:v00001002d0000744Csv00001002sd00000E3Bbc03sc00i00\n"},
};

int lull_vd_sysfs(const char *path, struct lull_str *ret)
{
    static const char *const dirs[] = {
        "/sys/dev/char/226:128/device/",      "/sys/dev/char/226:0/device/",
        "/sys/class/drm/renderD128/device/",  "/sys/class/drm/card0/device/",
        "/sys/bus/pci/devices/0000:03:00.0/",
    };
    const char *name = NULL;
    for (size_t i = 0; name == NULL && i < sizeof dirs / sizeof dirs[0]; i++) {
        const size_t n = strlen(dirs[i]);
        name = strncmp(path, dirs[i], n) == 0 ? path + n : NULL;
    }
    for (size_t i = 0; name != NULL && i < sizeof device_files / sizeof device_files[0]; i++) {
        if (strcmp(name, device_files[i].name) == 0) {
            lull_str_addf(ret, "%s", device_files[i].text);
            return ret->err != NULL ? -ENOMEM : 0;
        }
    }
    return -ENOENT;
}

void lull_vd_log(struct lull_vd *d, unsigned level, const char *fmt, ...)
{
    struct lull_vd_kmsg *line = &d->kmsg[d->kmsg_n++ % LULL_VD_KMSG_LINES];
    line->level = level;
    line->time_us = lull_vd_now_ns(d) / 1000;
    va_list args;
    va_start(args, fmt);
    vsnprintf(line->text, sizeof line->text, fmt, args);
    va_end(args);
}

// devkmsg_read(): one record a call, wherever the offset says.
ssize_t lull_vd_kmsg_read(struct lull_vd_file *f, void *buf, size_t size)
{
    struct lull_vd *d = f->d;
    const uint64_t oldest = d->kmsg_n > LULL_VD_KMSG_LINES ? d->kmsg_n - LULL_VD_KMSG_LINES : 0;
    if (f->kmsg_next < oldest) {
        f->kmsg_next = oldest;
        return -EPIPE;
    }
    if (f->kmsg_next == d->kmsg_n) {
        return -EAGAIN;
    }
    const struct lull_vd_kmsg *line = &d->kmsg[f->kmsg_next % LULL_VD_KMSG_LINES];
    char text[256] = "";
    const int n = snprintf(text, sizeof text, "%u,%llu,%llu,-;amdgpu 0000:03:00.0: amdgpu: %s\n",
                           FACILITY_KERNEL << 3 | line->level, (unsigned long long)f->kmsg_next,
                           (unsigned long long)line->time_us, line->text);
    if ((size_t)n > size) {
        return -EINVAL;
    }
    if (lull_vd_to_user(lull_vd_ptr(buf), text, (size_t)n) != 0) {
        return -EFAULT;
    }
    f->kmsg_next++;
    return n;
}

static void print_bo(struct lull_str *s, unsigned id, const struct lull_vd_bo *bo)
{
    static const struct {
        uint64_t flag;
        const char *name;
    } flags[] = {
        {AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED, " CPU_ACCESS_REQUIRED"},
        {AMDGPU_GEM_CREATE_NO_CPU_ACCESS, " NO_CPU_ACCESS"},
        {AMDGPU_GEM_CREATE_CPU_GTT_USWC, " CPU_GTT_USWC"},
        {AMDGPU_GEM_CREATE_VRAM_CLEARED, " VRAM_CLEARED"},
        {AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS, " VRAM_CONTIGUOUS"},
        {AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, " VM_ALWAYS_VALID"},
        {AMDGPU_GEM_CREATE_EXPLICIT_SYNC, " EXPLICIT_SYNC"},
    };
    lull_str_addf(s, "\t\t0x%08x: %12llu byte %s", id, (unsigned long long)bo->size,
                  bo->vram ? "VRAM VISIBLE" : "GTT");
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        lull_str_addf(s, "%s", (bo->flags & flags[i].flag) != 0 ? flags[i].name : "");
    }
    lull_str_addf(s, "\n");
}

// amdgpu_debugfs_vm_bo_info(): nothing is ever evicted or moved here.
static void print_vm(struct lull_str *s, const struct lull_vd_file *f)
{
    static const char *const states[] = {"Idle",  "Evicted",     "Relocated",
                                         "Moved", "Invalidated", "Done"};
    enum { IDLE, DONE = 5, N = 6 };
    unsigned count[N] = {0};
    unsigned long long size[N] = {0};
    for (unsigned state = 0; state < N; state++) {
        lull_str_addf(s, "\t%s BOs:\n", states[state]);
        for (uint32_t i = 0; i < f->bos.n; i++) {
            const struct lull_vd_bo *bo = f->bos.slots[i];
            const bool always = bo != NULL && (bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0;
            if (bo != NULL && state == (always ? IDLE : DONE)) {
                print_bo(s, count[state]++, bo);
                size[state] += bo->size;
            }
        }
    }
    static const char *const totals[] = {
        "idle size:        ", "evicted size:     ", "relocated size:   ",
        "moved size:       ", "invalidated size: ", "done size:        "};
    for (unsigned state = 0; state < N; state++) {
        lull_str_addf(s, "\tTotal %s%12llu\tobjs:\t%u\n", totals[state], size[state], count[state]);
    }
}

void lull_vd_vm_info(const struct lull_vd *d, struct lull_str *ret)
{
    for (const struct lull_vd_file *f = d->files; f != NULL; f = f->next) {
        if (f->kind == LULL_VD_DRM) {
            lull_str_addf(ret, "pid:%u\tProcess:client%u ----------\n", f->id, f->id);
            print_vm(ret, f);
        }
    }
}
