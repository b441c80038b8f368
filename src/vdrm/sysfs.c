// SPDX-License-Identifier: MIT
// sysfs and /dev/dri as real files in a folder, for programs under the shim.
//
// Source: what Linux 6.12 shows for an amdgpu device, as far as libdrm, Mesa and the Vulkan
// loader's layers read it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/chips.h"
#include "vdrm/vdrm_priv.h"
#include "vdrm/wire.h"

#define DEVICE "sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0"

static const char *const folders[] = {
    "dev",
    "dev/dri",
    "dev/dri/by-path",
    "sys",
    "sys/bus",
    "sys/bus/pci",
    "sys/bus/pci/devices",
    "sys/bus/pci/drivers",
    "sys/bus/pci/drivers/amdgpu",
    "sys/class",
    "sys/class/drm",
    "sys/dev",
    "sys/dev/char",
    "sys/devices",
    "sys/devices/pci0000:00",
    "sys/devices/pci0000:00/0000:00:01.1",
    DEVICE,
    DEVICE "/drm",
    DEVICE "/drm/card0",
    DEVICE "/drm/renderD128",
};

static const struct {
    const char *name, *to;
} links[] = {
    {"dev/dri/by-path/pci-0000:03:00.0-card", "../card0"},
    {"dev/dri/by-path/pci-0000:03:00.0-render", "../renderD128"},
    {"sys/bus/pci/devices/0000:03:00.0", "../../../devices/pci0000:00/0000:00:01.1/0000:03:00.0"},
    {"sys/bus/pci/drivers/amdgpu/0000:03:00.0",
     "../../../../devices/pci0000:00/0000:00:01.1/0000:03:00.0"},
    {"sys/class/drm/card0", "../../devices/pci0000:00/0000:00:01.1/0000:03:00.0/drm/card0"},
    {"sys/class/drm/renderD128",
     "../../devices/pci0000:00/0000:00:01.1/0000:03:00.0/drm/renderD128"},
    {"sys/dev/char/226:0", "../../devices/pci0000:00/0000:00:01.1/0000:03:00.0/drm/card0"},
    {"sys/dev/char/226:128", "../../devices/pci0000:00/0000:00:01.1/0000:03:00.0/drm/renderD128"},
    {DEVICE "/subsystem", "../../../../bus/pci"},
    {DEVICE "/driver", "../../../../bus/pci/drivers/amdgpu"},
    {DEVICE "/drm/card0/device", "../../../0000:03:00.0"},
    {DEVICE "/drm/card0/subsystem", "../../../../../../class/drm"},
    {DEVICE "/drm/renderD128/device", "../../../0000:03:00.0"},
    {DEVICE "/drm/renderD128/subsystem", "../../../../../../class/drm"},
};

static const struct {
    const char *name, *text;
} texts[] = {
    {DEVICE "/drm/card0/dev", "226:0\n"},
    {DEVICE "/drm/card0/uevent", "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {DEVICE "/drm/renderD128/dev", "226:128\n"},
    {DEVICE "/drm/renderD128/uevent",
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
    {DEVICE "/enable", "1\n"},
    {DEVICE "/irq", "64\n"},
    {DEVICE "/numa_node", "-1\n"},
    {DEVICE "/local_cpulist", "0\n"},
    {DEVICE "/current_link_speed", "16.0 GT/s PCIe\n"},
    {DEVICE "/current_link_width", "16\n"},
    {DEVICE "/max_link_speed", "16.0 GT/s PCIe\n"},
    {DEVICE "/max_link_width", "16\n"},
};

static int put(int dir, const char *name, const void *data, size_t size)
{
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return -errno;
    }
    const ssize_t n = write(fd, data, size);
    close(fd);
    return n == (ssize_t)size ? 0 : -EIO;
}

// PCI configuration space, type 0 header.
static int put_config(const struct lull_chip *c, int dir)
{
    enum {
        VENDOR = 0x00,
        DEVICE_ID = 0x02,
        COMMAND = 0x04,
        REVISION = 0x08,
        CLASS = 0x0a,
        SUBSYSTEM_VENDOR = 0x2c,
        SUBSYSTEM = 0x2e
    };
    uint8_t config[256] = {0};
    const struct {
        uint32_t at, value;
    } words[] = {{VENDOR, c->vendor},      {DEVICE_ID, c->device}, {COMMAND, 0x0007},
                 {REVISION, c->revision},  {CLASS, 0x0300},        {SUBSYSTEM_VENDOR, c->vendor},
                 {SUBSYSTEM, c->subsystem}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        config[words[i].at] = (uint8_t)words[i].value;
        config[words[i].at + 1] = (uint8_t)(words[i].value >> 8);
    }
    return put(dir, DEVICE "/config", config, sizeof config);
}

// A file that only holds a device's name.
static int put_node(int dir, const char *name, unsigned mode)
{
    int r = put(dir, name, "", 0);
    if (r == 0 && fchmodat(dir, name, mode | LULL_WIRE_MODE_PLACE, 0) != 0) {
        r = -errno;
    }
    return r;
}

// The files that vdrm itself has as text.
static int put_device(const struct lull_chip *chip, int dir)
{
    static const char *const names[] = {"vendor",           "device",   "subsystem_vendor",
                                        "subsystem_device", "revision", "class",
                                        "boot_vga",         "uevent"};
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof names / sizeof names[0]; i++) {
        struct lull_str text = {0};
        char path[128] = "";
        snprintf(path, sizeof path, "/sys/dev/char/226:128/device/%s", names[i]);
        r = lull_vd_sysfs(chip, path, &text);
        snprintf(path, sizeof path, DEVICE "/%s", names[i]);
        r = r == 0 ? put(dir, path, lull_str_text(&text), text.size) : r;
        lull_str_free(&text);
    }
    return r;
}

int lull_vd_sysfs_tree(const struct lull_chip *chip, int dir)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof folders / sizeof folders[0]; i++) {
        r = mkdirat(dir, folders[i], 0755) != 0 ? -errno : 0;
    }
    for (size_t i = 0; r == 0 && i < sizeof links / sizeof links[0]; i++) {
        r = symlinkat(links[i].to, dir, links[i].name) != 0 ? -errno : 0;
    }
    for (size_t i = 0; r == 0 && i < sizeof texts / sizeof texts[0]; i++) {
        r = put(dir, texts[i].name, texts[i].text, strlen(texts[i].text));
    }
    r = r == 0 ? put_device(chip, dir) : r;
    r = r == 0 ? put_config(chip, dir) : r;
    r = r == 0 ? put_node(dir, "dev/dri/card0", LULL_WIRE_MODE_CARD) : r;
    return r == 0 ? put_node(dir, "dev/dri/renderD128", LULL_WIRE_MODE_RENDER) : r;
}
