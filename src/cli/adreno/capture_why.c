// SPDX-License-Identifier: MIT
// Where the kernel's files are, and if they are not there, why, and what to do about it.
#include "cli/adreno/capture.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/opt/machine.h"

static const char debugfs[] = "/sys/kernel/debug";
static const char coredumps[] = "/sys/class/devcoredump";

/** "root/path" */
static void join(struct lull_str *out, const char *root, const char *path)
{
    lull_str_addf(out, "%s%s", root, path);
}

/** What the kernel's configuration says of @p option; "" if nothing. */
static const char *config(const char *root, const char *option)
{
    static const char *const said[] = {
        [LULL_MACHINE_UNKNOWN] = "",
        [LULL_MACHINE_YES] = ", which this kernel has",
        [LULL_MACHINE_NO] = ", which this kernel does not have",
    };
    return said[lull_machine_config(root, option)];
}

/** Why there are no files of DRM in debugfs. */
LULL_MUST_USE static struct lull_error *no_debugfs(const char *root)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(root, debugfs, &names);
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    if (n == -ENOENT) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "there is no %s%s: the kernel needs CONFIG_DEBUG_FS%s", root, debugfs,
                              config(root, "CONFIG_DEBUG_FS"));
    }
    if (n == -EACCES || n == -EPERM) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s%s: only root may look into debugfs; try again with sudo", root,
                              debugfs);
    }
    if (n < 0) {
        return lull_error_os(-n, "%s%s", root, debugfs);
    }
    if (n == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s%s is empty: debugfs is not mounted; as root: mount -t debugfs "
                              "none %s",
                              root, debugfs, debugfs);
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "there is no %s%s/dri: no graphics driver is loaded; try modprobe msm "
                          "(the kernel needs CONFIG_DRM_MSM%s)",
                          root, debugfs, config(root, "CONFIG_DRM_MSM"));
}

/** "dri/0 is amdgpu, dri/1 is msm" */
static void drivers(const char *root, struct dirent **names, int n, struct lull_str *out)
{
    for (int i = 0; i < n; i++) {
        struct lull_str path = {0};
        char name[64] = {0};
        lull_str_addf(&path, "%s/dri/%s/name", debugfs, names[i]->d_name);
        lull_machine_line(root, lull_str_text(&path), name, sizeof name);
        name[strcspn(name, " ")] = '\0';
        lull_str_addf(out, "%sdri/%s is %s", i > 0 ? ", " : "", names[i]->d_name,
                      name[0] != '\0' ? name : "unknown");
        lull_str_free(&path);
    }
}

struct lull_error *lull_capture_debugfs(const char *root, const char *dri, const char *file,
                                        struct lull_str *ret)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list(root, "/sys/kernel/debug/dri", &names);
    if (n < 0 && n != -EACCES) {
        return no_debugfs(root);
    }
    if (n < 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s%s/dri: only root may look into debugfs; try again with sudo",
                              root, debugfs);
    }
    for (int i = 0; i < n; i++) {
        struct lull_str path = {0};
        struct stat st = {0};
        lull_str_addf(&path, "%s/dri/%s/%s", debugfs, names[i]->d_name, file);
        const bool wanted = dri == NULL || strcmp(dri, names[i]->d_name) == 0;
        if (wanted && lull_machine_look(root, lull_str_text(&path), &st) == 0) {
            join(ret, root, lull_str_text(&path));
            lull_str_free(&path);
            lull_machine_free_list(names, n);
            return ret->err != NULL ? &lull_enomem : NULL;
        }
        lull_str_free(&path);
    }
    struct lull_str what = {0};
    drivers(root, names, n, &what);
    lull_machine_free_list(names, n);
    struct lull_error *err =
        lull_error_new(LULL_ERR_NOT_FOUND,
                       "no '%s' in %s%s/dri/%s (%s): msm makes it if the kernel has "
                       "CONFIG_DRM_MSM%s and CONFIG_DEBUG_FS",
                       file, root, debugfs, dri != NULL ? dri : "*",
                       n > 0 ? lull_str_text(&what) : "it is empty: no driver is loaded",
                       config(root, "CONFIG_DRM_MSM"));
    lull_str_free(&what);
    return err;
}

struct lull_error *lull_capture_coredumps(const char *root)
{
    struct stat st = {0};
    char off[8] = {0};
    const int error = lull_machine_look(root, coredumps, &st);
    lull_machine_line(root, "/sys/class/devcoredump/disabled", off, sizeof off);
    if (error == ENOENT) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "there is no %s%s: the kernel needs CONFIG_DEV_COREDUMP%s (and "
                              "CONFIG_ALLOW_DEV_COREDUMP); or no driver that makes dumps is loaded",
                              root, coredumps, config(root, "CONFIG_DEV_COREDUMP"));
    }
    if (error != 0) {
        return lull_capture_why(lull_error_os(error, "%s%s", root, coredumps));
    }
    if (strcmp(off, "1") == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s%s/disabled is 1: the kernel makes no dumps until the next boot",
                              root, coredumps);
    }
    return NULL;
}

struct lull_error *lull_capture_why(struct lull_error *err)
{
    static const struct {
        int error;
        const char *why;
    } rows[] = {
        {EACCES, "only root may read it; try again with sudo"},
        {EPERM, "not permitted: as root too, if the kernel is locked down (secure boot)"},
        {EBUSY, "another program has it open, and the kernel gives it to one at a time"},
        {ENODEV, "the GPU was never started, or the dump is gone; its firmware may be missing: "
                 "see dmesg"},
        {ENOENT, "it is gone: the kernel keeps a dump for five minutes"},
    };
    for (size_t i = 0; err != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        if (lull_error_errno(err) == rows[i].error) {
            struct lull_error *more =
                lull_error_new(LULL_ERR_NOT_FOUND, "%s: %s", lull_error_message(err), rows[i].why);
            lull_error_free(err);
            return more;
        }
    }
    return err;
}

static bool row(struct lull_str *out, const char *name, struct lull_error *err, const char *good)
{
    lull_str_addf(out, "%-12s %s\n", name, err != NULL ? lull_error_message(err) : good);
    lull_error_free(err);
    return err == NULL;
}

bool lull_capture_check(const char *root, struct lull_str *out)
{
    static const char *const files[] = {"rd", "hangrd"};
    bool good = true;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct lull_str path = {0};
        struct lull_error *err = lull_capture_debugfs(root, NULL, files[i], &path);
        if (err == NULL && access(path.text, R_OK) != 0) {
            err = lull_capture_why(lull_error_os(errno, "%s", path.text));
        }
        good &= row(out, files[i], err, lull_str_text(&path));
        lull_str_free(&path);
    }
    good &= row(out, "devcoredump", lull_capture_coredumps(root), "the kernel makes dumps");
    char full[8] = {0};
    lull_machine_line(root, "/sys/module/msm/parameters/rd_full", full, sizeof full);
    if (full[0] != '\0') {
        lull_str_addf(out, "%-12s %s\n", "rd_full",
                      full[0] == 'Y' || full[0] == '1'
                          ? "on: captures have all buffers"
                          : "off: captures have command streams and marked buffers only; as root: "
                            "echo 1 > /sys/module/msm/parameters/rd_full");
    }
    return good;
}
