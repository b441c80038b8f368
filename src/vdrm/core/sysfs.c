// SPDX-License-Identifier: MIT
// The device's sysfs: as text that is opened here, and with /dev/dri as real files in a folder, for
// programs under the shim.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vdrm/core/vd.h"
#include "vdrm/core/wire.h"

static const char *after(const char *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(path, prefix, n) == 0 ? path + n : NULL;
}

int lull_vd_sysfs(const struct lull_vd *d, const char *path, struct lull_str *ret)
{
    const char *const dirs[] = {
        "/sys/dev/char/226:128/device/",
        "/sys/dev/char/226:0/device/",
        "/sys/class/drm/renderD128/device/",
        "/sys/class/drm/card0/device/",
        d->driver->sysfs->bus,
    };
    const char *name = NULL;
    for (size_t i = 0; name == NULL && i < sizeof dirs / sizeof dirs[0]; i++) {
        name = after(path, dirs[i]);
    }
    if (name != NULL) {
        d->driver->sysfs->file(d, name, ret);
    }
    return ret->err != NULL ? -ENOMEM : ret->size == 0 ? -ENOENT : 0;
}

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

// A file that only holds a device's name.
static int put_node(int dir, const char *name, unsigned mode)
{
    int r = put(dir, name, "", 0);
    if (r == 0 && fchmodat(dir, name, mode | LULL_WIRE_MODE_PLACE, 0) != 0) {
        r = -errno;
    }
    return r;
}

static int put_file(const struct lull_vd *d, int dir, const char *name)
{
    const struct lull_vd_sysfs *s = d->driver->sysfs;
    struct lull_str text = {0};
    char path[128] = "";
    snprintf(path, sizeof path, "%s/%s", s->device, name);
    s->file(d, name, &text);
    const int r = text.err != NULL ? -ENOMEM : put(dir, path, lull_str_text(&text), text.size);
    lull_str_free(&text);
    return r;
}

static int put_config(const struct lull_vd *d, int dir)
{
    const struct lull_vd_sysfs *s = d->driver->sysfs;
    uint8_t config[256] = {0};
    char path[128] = "";
    if (s->config == NULL) {
        return 0;
    }
    snprintf(path, sizeof path, "%s/config", s->device);
    s->config(d, config);
    return put(dir, path, config, sizeof config);
}

int lull_vd_sysfs_tree(const struct lull_vd *d, int dir)
{
    const struct lull_vd_sysfs *s = d->driver->sysfs;
    int r = 0;
    for (size_t i = 0; r == 0 && i < s->nfolders; i++) {
        r = mkdirat(dir, s->folders[i], 0755) != 0 ? -errno : 0;
    }
    for (size_t i = 0; r == 0 && i < s->nlinks; i++) {
        r = symlinkat(s->links[i].text, dir, s->links[i].name) != 0 ? -errno : 0;
    }
    for (size_t i = 0; r == 0 && i < s->ntexts; i++) {
        r = put(dir, s->texts[i].name, s->texts[i].text, strlen(s->texts[i].text));
    }
    for (size_t i = 0; r == 0 && i < s->nfiles; i++) {
        r = put_file(d, dir, s->files[i]);
    }
    r = r == 0 ? put_config(d, dir) : r;
    r = r == 0 ? put_node(dir, "dev/dri/card0", LULL_WIRE_MODE_CARD) : r;
    return r == 0 ? put_node(dir, "dev/dri/renderD128", LULL_WIRE_MODE_RENDER) : r;
}

int lull_vd_places(struct lull_vd *d)
{
    lull_vd_lock(d);
    if (d->places == 0) { // once: what is half there stays so
        const int dir =
            d->folder != NULL ? open(d->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        const int r = dir >= 0 ? lull_vd_sysfs_tree(d, dir) : d->folder != NULL ? -errno : -ENOENT;
        if (dir >= 0) {
            close(dir);
        }
        if (r != 0) {
            lull_vd_log(d, 3, "%s: %s", d->folder != NULL ? d->folder : "no folder", strerror(-r));
        }
        d->places = r != 0 ? r : 1;
    }
    const int r = d->places < 0 ? d->places : 0;
    lull_vd_unlock(d);
    return r;
}
