// SPDX-License-Identifier: MIT
// Files that are text: sysfs, the kernel's log, amdgpu_vm_info.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hw/chips.h"
#include "vdrm/vdrm_priv.h"

enum { FACILITY_KERNEL = 0 };

static void device_file(const struct lull_chip *c, const char *name, struct lull_str *ret)
{
    const struct {
        const char *name;
        unsigned value;
        int digits;
    } numbers[] = {
        {"vendor", c->vendor, 4},           {"device", c->device, 4},
        {"subsystem_vendor", c->vendor, 4}, {"subsystem_device", c->subsystem, 4},
        {"revision", c->revision, 2},       {"class", 0x030000, 6},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            lull_str_addf(ret, "0x%0*x\n", numbers[i].digits, numbers[i].value);
        }
    }
    if (strcmp(name, "boot_vga") == 0) {
        lull_str_addf(ret, "0\n");
    } else if (strcmp(name, "uevent") == 0) {
        lull_str_addf(ret,
                      "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=%04X:%04X\nPCI_SUBSYS_ID=%04X:%04X\n"
                      "PCI_SLOT_NAME=0000:03:00.0\n"
                      "MODALIAS=pci:v%08Xd%08Xsv%08Xsd%08Xbc03sc00i00\n",
                      c->vendor, c->device, c->vendor, c->subsystem, c->vendor, c->device,
                      c->vendor, c->subsystem);
    }
}

int lull_vd_sysfs(const struct lull_chip *chip, const char *path, struct lull_str *ret)
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
    if (name != NULL) {
        device_file(chip, name, ret);
    }
    return ret->err != NULL ? -ENOMEM : ret->size == 0 ? -ENOENT : 0;
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
