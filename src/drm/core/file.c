// SPDX-License-Identifier: MIT
#include "drm/core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "drm/core/call.h"
#include "uapi/drm.h"

struct lull_error *lull_drm_version(struct lull_kernel *k, int fd, struct lull_drm_version *ret)
{
    struct lull_drm_version v = {0};
    struct drm_version arg = {.name = v.name, .name_len = sizeof v.name - 1};
    struct lull_error *err =
        lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_VERSION, &arg, "file descriptor %d", fd);
    if (err == NULL) {
        v.major = arg.version_major;
        v.minor = arg.version_minor;
        v.patchlevel = arg.version_patchlevel;
        *ret = v;
    }
    return err;
}

struct lull_error *lull_drm_open(struct lull_kernel *k, const char *path, const char *driver,
                                 int *ret)
{
    const int fd = k->open(k, path, O_RDWR);
    if (fd < 0) {
        return lull_error_os(-fd, "open %s%s", path,
                             fd == -EACCES   ? ": users of the GPU must be in the group render"
                             : fd == -ENOENT ? ": no GPU there; --device model runs without one"
                                             : "");
    }
    struct lull_drm_version v = {0};
    struct lull_error *err = lull_drm_version(k, fd, &v);
    if (err == NULL && strcmp(v.name, driver) != 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "its driver is %s, not %s", v.name, driver);
    }
    if (err != NULL) {
        k->close(k, fd);
        return lull_error_in(err, "%s", path);
    }
    *ret = fd;
    return NULL;
}

struct lull_error *lull_drm_gem_close(struct lull_kernel *k, int fd, uint32_t handle)
{
    struct drm_gem_close arg = {.handle = handle};
    return lull_drm_call(k, fd, &lull_drm_words, DRM_IOCTL_GEM_CLOSE, &arg, "handle %u", handle);
}
