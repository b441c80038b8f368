// SPDX-License-Identifier: MIT
// The device in sysfs.
//
// Source: what Linux 6.12 shows for an amdgpu device, as far as libdrm, Mesa and the Vulkan
// loader's layers read it.
#include <string.h>

#include "hw/chips.h"
#include "vdrm/amdgpu/amdgpu.h"

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

static const struct lull_vd_entry links[] = {
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

static const struct lull_vd_entry texts[] = {
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

static const char *const files[] = {"vendor",   "device", "subsystem_vendor", "subsystem_device",
                                    "revision", "class",  "boot_vga",         "uevent"};

static void device_file(const struct lull_vd *d, const char *name, struct lull_str *ret)
{
    const struct lull_chip *c = lull_vda_const(d)->gpu.chip;
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

// PCI configuration space, type 0 header.
static void config(const struct lull_vd *d, uint8_t ret[256])
{
    const struct lull_chip *c = lull_vda_const(d)->gpu.chip;
    enum {
        VENDOR = 0x00,
        DEVICE_ID = 0x02,
        COMMAND = 0x04,
        REVISION = 0x08,
        CLASS = 0x0a,
        SUBSYSTEM_VENDOR = 0x2c,
        SUBSYSTEM = 0x2e
    };
    const struct {
        uint32_t at, value;
    } words[] = {{VENDOR, c->vendor},      {DEVICE_ID, c->device}, {COMMAND, 0x0007},
                 {REVISION, c->revision},  {CLASS, 0x0300},        {SUBSYSTEM_VENDOR, c->vendor},
                 {SUBSYSTEM, c->subsystem}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        ret[words[i].at] = (uint8_t)words[i].value;
        ret[words[i].at + 1] = (uint8_t)(words[i].value >> 8);
    }
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

const struct lull_vd_sysfs lull_vda_sysfs = {
    .device = DEVICE,
    .bus = "/sys/bus/pci/devices/0000:03:00.0/",
    .folders = folders,
    .nfolders = COUNT(folders),
    .links = links,
    .nlinks = COUNT(links),
    .texts = texts,
    .ntexts = COUNT(texts),
    .files = files,
    .nfiles = COUNT(files),
    .file = device_file,
    .config = config,
};
