// SPDX-License-Identifier: MIT
// The device in sysfs: a platform device, found by the device tree.
//
// Source: what Linux 6.12 shows for an Adreno, as far as libdrm and Mesa read it.
#include <string.h>

#include "vdrm/msm/msm.h"

#define DEVICE "sys/devices/platform/soc@0/5000000.gpu"

static const char *const folders[] = {
    "dev",
    "dev/dri",
    "dev/dri/by-path",
    "sys",
    "sys/bus",
    "sys/bus/platform",
    "sys/bus/platform/devices",
    "sys/bus/platform/drivers",
    "sys/bus/platform/drivers/adreno",
    "sys/class",
    "sys/class/devcoredump",
    "sys/class/drm",
    "sys/dev",
    "sys/dev/char",
    "sys/devices",
    "sys/devices/platform",
    "sys/devices/platform/soc@0",
    DEVICE,
    DEVICE "/drm",
    DEVICE "/drm/card0",
    DEVICE "/drm/renderD128",
    "sys/devices/virtual",
    "sys/devices/virtual/devcoredump",
};

static const struct lull_vd_entry links[] = {
    {"dev/dri/by-path/platform-5000000.gpu-card", "../card0"},
    {"dev/dri/by-path/platform-5000000.gpu-render", "../renderD128"},
    {"sys/bus/platform/devices/5000000.gpu", "../../../devices/platform/soc@0/5000000.gpu"},
    {"sys/bus/platform/drivers/adreno/5000000.gpu",
     "../../../../devices/platform/soc@0/5000000.gpu"},
    {"sys/class/drm/card0", "../../devices/platform/soc@0/5000000.gpu/drm/card0"},
    {"sys/class/drm/renderD128", "../../devices/platform/soc@0/5000000.gpu/drm/renderD128"},
    {"sys/dev/char/226:0", "../../devices/platform/soc@0/5000000.gpu/drm/card0"},
    {"sys/dev/char/226:128", "../../devices/platform/soc@0/5000000.gpu/drm/renderD128"},
    {DEVICE "/subsystem", "../../../../bus/platform"},
    {DEVICE "/driver", "../../../../bus/platform/drivers/adreno"},
    {DEVICE "/drm/card0/device", "../../../5000000.gpu"},
    {DEVICE "/drm/card0/subsystem", "../../../../../../class/drm"},
    {DEVICE "/drm/renderD128/device", "../../../5000000.gpu"},
    {DEVICE "/drm/renderD128/subsystem", "../../../../../../class/drm"},
};

static const struct lull_vd_entry texts[] = {
    {"sys/class/devcoredump/disabled", "0\n"},
    {DEVICE "/drm/card0/dev", "226:0\n"},
    {DEVICE "/drm/card0/uevent", "MAJOR=226\nMINOR=0\nDEVNAME=dri/card0\nDEVTYPE=drm_minor\n"},
    {DEVICE "/drm/renderD128/dev", "226:128\n"},
    {DEVICE "/drm/renderD128/uevent",
     "MAJOR=226\nMINOR=128\nDEVNAME=dri/renderD128\nDEVTYPE=drm_minor\n"},
};

static const char *const files[] = {"uevent", "modalias"};

static void device_file(const struct lull_vd *d, const char *name, struct lull_str *ret)
{
    const struct lull_achip *c = lull_vdm_const(d)->chip;
    if (strcmp(name, "uevent") == 0) {
        lull_str_addf(ret,
                      "DRIVER=adreno\nOF_NAME=gpu\nOF_FULLNAME=/soc@0/gpu@5000000\n"
                      "OF_COMPATIBLE_0=%s\nOF_COMPATIBLE_1=qcom,adreno\nOF_COMPATIBLE_N=2\n"
                      "MODALIAS=of:NgpuT(null)C%sCqcom,adreno\n",
                      c->compatible, c->compatible);
    } else if (strcmp(name, "modalias") == 0) {
        lull_str_addf(ret, "of:NgpuT(null)C%sCqcom,adreno\n", c->compatible);
    }
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

const struct lull_vd_sysfs lull_vdm_sysfs = {
    .device = DEVICE,
    .bus = "/sys/bus/platform/devices/5000000.gpu/",
    .folders = folders,
    .nfolders = COUNT(folders),
    .links = links,
    .nlinks = COUNT(links),
    .texts = texts,
    .ntexts = COUNT(texts),
    .files = files,
    .nfiles = COUNT(files),
    .file = device_file,
};
