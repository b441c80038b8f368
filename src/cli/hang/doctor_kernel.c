// SPDX-License-Identifier: MIT
// GPUs, and what their kernel drivers allow.
//
// Source: Linux 6.12 drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c (module parameters, all read-only at
// run time), amdgpu_device.c (lockup_timeout: 10 s, on compute rings 60 s), drivers/gpu/drm/msm
// msm_debugfs.c, msm_rd.c, drivers/base/devcoredump.c, security/lockdown.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/hang/doctor.h"
#include "cli/opt/machine.h"

#define DEBUGFS "/sys/kernel/debug"
#define AMDGPU "/sys/module/amdgpu/parameters/"
#define DUMPS "/sys/class/devcoredump"

enum { NAME = 64, LINE = 256, TEXT = 1024, LONG_MS = 60000, TEN_MINUTES_MS = 600000 };

void lull_doctor_say(struct lull_doctor *d, enum lull_doctor_level level, const char *what,
                     const char *command, const char *fmt, ...)
{
    static const char *const levels[] = {"ok", "note", "mend"};
    char text[TEXT] = "";
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    d->mend += level == LULL_DOCTOR_MEND;
    if (d->j == NULL) {
        lull_str_addf(d->out, "%-5s %s: %s\n", levels[level], what, text);
        if (command != NULL) {
            lull_str_addf(d->out, "      $ %s\n", command);
        }
        return;
    }
    lull_json_open(d->j, '{');
    lull_json_put_str(d->j, "level", levels[level]);
    lull_json_put_str(d->j, "what", what);
    lull_json_put_str(d->j, "text", text);
    if (command != NULL) {
        lull_json_put_str(d->j, "command", command);
    }
    lull_json_close(d->j, '}');
}

/** The driver of a render node: the end of the link at device/driver; "": none. */
static void driver_of(const struct lull_doctor *d, const char *node, char ret[NAME])
{
    struct lull_str path = {0};
    char to[LINE] = "";
    lull_str_addf(&path, "%s/sys/class/drm/%s/device/driver", d->root, node);
    const ssize_t n = readlink(lull_str_text(&path), to, sizeof to - 1);
    const char *slash = n > 0 ? strrchr(to, '/') : NULL;
    (void)snprintf(ret, NAME, "%.63s", slash != NULL ? slash + 1 : n > 0 ? to : "");
    lull_str_free(&path);
}

/** May who runs this use it? */
static void rights(struct lull_doctor *d, const char *node, const char *driver)
{
    char path[LINE] = "";
    (void)snprintf(path, sizeof path, "/dev/dri/%.64s", node);
    const int error = lull_machine_access(d->root, path, R_OK | W_OK);
    if (error == EACCES || error == EPERM) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, "render node",
                        "sudo usermod -aG render \"$USER\"    # and log in again",
                        "%s of %s may not be opened by this user: its group is render, or video",
                        path, driver);
    } else if (error != 0) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, "render node",
                        "sudo udevadm trigger --subsystem-match=drm", "%s of %s: %s", path, driver,
                        strerror(error));
    } else {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "render node", NULL, "%s of %s can be opened", path,
                        driver);
    }
}

void lull_doctor_gpus(struct lull_doctor *d)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(d->root, "/sys/class/drm", &names);
    for (int i = 0; i < n; i++) {
        char driver[NAME] = "";
        if (strncmp(names[i]->d_name, "renderD", strlen("renderD")) != 0) {
            continue;
        }
        driver_of(d, names[i]->d_name, driver);
        const bool amdgpu = strcmp(driver, "amdgpu") == 0;
        // The parent of msm's DRM device: the GPU, or the display controller.
        const bool msm = strncmp(driver, "msm", 3) == 0 || strcmp(driver, "adreno") == 0 ||
                         strncmp(driver, "mdp", 3) == 0;
        d->amdgpu |= amdgpu;
        d->msm |= msm;
        if (amdgpu || msm) {
            rights(d, names[i]->d_name, driver);
        }
    }
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    if (!d->amdgpu && !d->msm) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "GPU", NULL,
                        "none of amdgpu or msm: lull runs programs on the GPUs that it brings");
    }
}

/** Is there a line of /proc/mounts for it? */
static bool mounted(const struct lull_doctor *d)
{
    struct lull_str path = {0};
    char line[LINE] = "";
    bool found = false;
    lull_str_addf(&path, "%s/proc/mounts", d->root);
    FILE *f = fopen(lull_str_text(&path), "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        found |= strstr(line, " " DEBUGFS " debugfs ") != NULL;
    }
    if (f != NULL) {
        fclose(f);
    }
    lull_str_free(&path);
    return found;
}

void lull_doctor_debugfs(struct lull_doctor *d)
{
    static const char what[] = "debugfs";
    char lock[NAME] = "";
    struct stat st = {0};
    if (!d->amdgpu && !d->msm) {
        return;
    }
    lull_machine_line(d->root, "/sys/kernel/security/lockdown", lock, sizeof lock);
    if (lull_machine_config(d->root, "CONFIG_DEBUG_FS") == LULL_MACHINE_NO) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, NULL,
                        "the kernel is built without CONFIG_DEBUG_FS: waves, registers and command "
                        "streams cannot be read; another kernel is needed");
    } else if (!mounted(d)) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, "sudo mount -t debugfs none " DEBUGFS,
                        "it is not mounted at " DEBUGFS);
    } else if (strstr(lock, "[integrity]") != NULL || strstr(lock, "[confidentiality]") != NULL) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, NULL,
                        "the kernel is locked down (%s), and refuses debugfs even to root: switch "
                        "secure boot off, or boot without lockdown=",
                        lock);
    } else if (lull_machine_look(d->root, DEBUGFS "/dri", &st) == EACCES) {
        lull_doctor_say(d, LULL_DOCTOR_NOTE, what, NULL,
                        "mounted; only root may read it: lull debug, lull hang and lull capture of "
                        "this machine's GPU need sudo");
    } else {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, what, NULL, "mounted, and can be read");
    }
}

/** The shortest of "gfx,compute,sdma,video", or one for all; 0 and nothing are the defaults. */
static long shortest_ms(const char *text)
{
    long least = 0;
    for (const char *at = text; *at != '\0';) {
        char *end = NULL;
        const long ms = strtol(at, &end, 0);
        if (end == at) {
            break;
        }
        if (ms > 0 && (least == 0 || ms < least)) {
            least = ms;
        }
        at = *end == ',' ? end + 1 : "";
    }
    return least;
}

void lull_doctor_amdgpu(struct lull_doctor *d)
{
    static const char options[] =
        "echo options amdgpu lockup_timeout=600000 gpu_recovery=0 | sudo tee "
        "/etc/modprobe.d/lull.conf && sudo update-initramfs -u    # and boot again";
    char timeout[NAME] = "", recovery[NAME] = "";
    if (!d->amdgpu) {
        return;
    }
    lull_machine_line(d->root, AMDGPU "lockup_timeout", timeout, sizeof timeout);
    lull_machine_line(d->root, AMDGPU "gpu_recovery", recovery, sizeof recovery);
    const bool off = timeout[0] == '-';
    const long ms = shortest_ms(timeout);
    if (off || ms >= LONG_MS) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "lockup_timeout", NULL,
                        "%s: stopped waves are not taken for a hang soon", timeout);
    } else {
        lull_doctor_say(d, LULL_DOCTOR_MEND, "lockup_timeout", options,
                        "%s: waves that a debugger holds for longer are a hang to the kernel",
                        ms != 0 ? timeout : "as the kernel has it, 10 s and 60 s on compute rings");
    }
    if (strcmp(recovery, "0") == 0) {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "gpu_recovery", NULL,
                        "0: a GPU that hangs stays as it is and can be looked at");
    } else {
        lull_doctor_say(
            d, LULL_DOCTOR_MEND, "gpu_recovery", options,
            "%s: the kernel resets a GPU that hangs before anybody can look at it; set, "
            "only a boot ends a hang",
            recovery[0] != '\0' ? recovery : "unknown");
    }
}

/** Of the first device that has the file. */
static bool dri_line(const struct lull_doctor *d, const char *file, char path[LINE], char ret[NAME])
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(d->root, DEBUGFS "/dri", &names);
    bool found = false;
    for (int i = 0; i < n && !found; i++) {
        struct stat st = {0};
        (void)snprintf(path, LINE, DEBUGFS "/dri/%.64s/%s", names[i]->d_name, file);
        found = lull_machine_look(d->root, path, &st) == 0;
    }
    if (found) {
        lull_machine_line(d->root, path, ret, NAME);
    }
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    return found;
}

void lull_doctor_msm(struct lull_doctor *d)
{
    char path[LINE] = "", ms[NAME] = "", full[NAME] = "", command[2 * LINE] = "";
    if (!d->msm) {
        return;
    }
    if (dri_line(d, "hangcheck_period_ms", path, ms)) {
        (void)snprintf(command, sizeof command, "echo %d | sudo tee %s", LONG_MS, path);
        lull_doctor_say(d, LULL_DOCTOR_NOTE, "hang check", command,
                        "%s ms: a GPU that stands longer is reset; breadcrumbs that wait need more "
                        "(lull capture --hangcheck sets it for a time)",
                        ms);
    }
    lull_machine_line(d->root, "/sys/module/msm/parameters/rd_full", full, sizeof full);
    if (full[0] != '\0' && strchr("Yy1", full[0]) == NULL) {
        lull_doctor_say(d, LULL_DOCTOR_NOTE, "rd_full",
                        "echo Y | sudo tee /sys/module/msm/parameters/rd_full",
                        "off: captures and dumps have only what the driver marks, and cannot be "
                        "replayed (lull capture --full sets it for a time)");
    } else if (full[0] != '\0') {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, "rd_full", NULL, "on: captures have all buffers");
    }
}

/** A dump that nobody took keeps the next from being made. */
static unsigned waiting(const struct lull_doctor *d)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(d->root, DUMPS, &names);
    unsigned found = 0;
    for (int i = 0; i < n; i++) {
        found += strncmp(names[i]->d_name, "devcd", strlen("devcd")) == 0;
    }
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    return found;
}

void lull_doctor_dumps(struct lull_doctor *d)
{
    static const char what[] = "crash dumps";
    char disabled[NAME] = "";
    struct stat st = {0};
    const int error = lull_machine_look(d->root, DUMPS, &st);
    lull_machine_line(d->root, DUMPS "/disabled", disabled, sizeof disabled);
    if (!d->amdgpu && !d->msm) {
        return;
    }
    if (error != 0 && lull_machine_config(d->root, "CONFIG_DEV_COREDUMP") == LULL_MACHINE_NO) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, NULL,
                        "the kernel is built without CONFIG_DEV_COREDUMP (ALLOW_DEV_COREDUMP): a "
                        "hang leaves nothing; another kernel is needed");
    } else if (error != 0) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, NULL, "%s: %s", DUMPS, strerror(error));
    } else if (strcmp(disabled, "1") == 0) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what, "sudo reboot",
                        "%s/disabled is 1: the kernel makes none until the next boot", DUMPS);
    } else if (waiting(d) != 0) {
        lull_doctor_say(d, LULL_DOCTOR_MEND, what,
                        d->msm ? "sudo lull capture devcoredump"
                               : "sudo lull capture devcoredump --any",
                        "%u that nobody took: until it is freed, or five minutes are over, the "
                        "next hang leaves none",
                        waiting(d));
    } else {
        lull_doctor_say(d, LULL_DOCTOR_GOOD, what, NULL, "the kernel makes them");
    }
}
