// SPDX-License-Identifier: MIT
#include "drm/msm/debugfs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>

static_assert(sizeof(struct lull_msm_control) == 544 &&
                  sizeof(struct lull_msm_control_state) == 24 &&
                  sizeof(struct lull_msm_wave) == 248 && sizeof(struct lull_msm_dispatch) == 88 &&
                  sizeof(struct lull_msm_map) == 56 && sizeof(struct lull_msm_draw) == 144 &&
                  sizeof(struct lull_msm_invocation) == 40 &&
                  sizeof(struct lull_msm_packet_watch) == 1552 &&
                  sizeof(struct lull_msm_packet_state) == 656 &&
                  sizeof(struct lull_msm_time_op) == 16 &&
                  sizeof(struct lull_msm_time_state) == 72 &&
                  sizeof(struct lull_msm_search) == 33128 && sizeof(struct lull_time_record) == 64,
              "layout of docs/formats/debugfs.md");

static const struct {
    const char *name;
    int flags;
} files[LULL_MSM_FILES] = {
    [LULL_MSM_FILE_CONTROL] = {LULL_MSM_CONTROL, O_RDWR},
    [LULL_MSM_FILE_WAVES] = {LULL_MSM_WAVES, O_RDONLY},
    [LULL_MSM_FILE_WAVE_REGS] = {LULL_MSM_WAVE_REGS, O_RDWR},
    [LULL_MSM_FILE_DISPATCHES] = {LULL_MSM_DISPATCHES, O_RDONLY},
    [LULL_MSM_FILE_DRAWS] = {LULL_MSM_DRAWS, O_RDONLY},
    [LULL_MSM_FILE_INVOCATIONS] = {LULL_MSM_INVOCATIONS, O_RDONLY},
    [LULL_MSM_FILE_MEMORY] = {LULL_MSM_MEMORY, O_RDWR},
    [LULL_MSM_FILE_LOCAL] = {LULL_MSM_LOCAL, O_RDWR},
    [LULL_MSM_FILE_REGISTERS] = {LULL_MSM_REGISTERS, O_RDONLY},
    [LULL_MSM_FILE_MAPS] = {LULL_MSM_MAPS, O_RDONLY},
    [LULL_MSM_FILE_PACKETS] = {LULL_MSM_PACKETS, O_RDWR},
    [LULL_MSM_FILE_REGISTER_STATES] = {LULL_MSM_REGISTER_STATES, O_RDONLY},
    [LULL_MSM_FILE_TIME] = {LULL_MSM_TIME, O_RDWR},
};

void lull_msm_debugfs_init(struct lull_msm_debugfs *d, struct lull_kernel *k, unsigned dri)
{
    *d = (struct lull_msm_debugfs){.k = k, .dri = dri};
}

void lull_msm_debugfs_done(struct lull_msm_debugfs *d)
{
    for (unsigned i = 0; i < LULL_MSM_FILES; i++) {
        if (d->fds[i] > 0) {
            d->k->close(d->k, d->fds[i] - 1);
        }
        d->fds[i] = 0;
    }
}

LULL_MUST_USE static struct lull_error *open_file(struct lull_msm_debugfs *d,
                                                  enum lull_msm_debugfs_file file, int *ret)
{
    char path[96] = "";
    snprintf(path, sizeof path, "/sys/kernel/debug/dri/%u/%s", d->dri, files[file].name);
    if (d->fds[file] == 0) {
        const int fd = d->k->open(d->k, path, files[file].flags);
        if (fd == -ENOENT) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "%s: waves of an Adreno stop only on lull's model: no real "
                                  "kernel or GPU can do that",
                                  path);
        }
        if (fd < 0) {
            return lull_error_os(-fd, "%s", path);
        }
        d->fds[file] = fd + 1;
    }
    *ret = d->fds[file] - 1;
    return NULL;
}

LULL_MUST_USE static struct lull_error *said(enum lull_msm_debugfs_file file, uint64_t at,
                                             ssize_t n, size_t *ret)
{
    if (n == -EFAULT) {
        return lull_error_fault(at, "%s: nothing at 0x%" PRIx64, files[file].name, at);
    }
    if (n == -ENOENT) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s: there is none at 0x%" PRIx64,
                              files[file].name, at);
    }
    if (n < 0) {
        return lull_error_os((int)-n, "%s at 0x%" PRIx64, files[file].name, at);
    }
    *ret = (size_t)n;
    return NULL;
}

struct lull_error *lull_msm_debugfs_read(struct lull_msm_debugfs *d,
                                         enum lull_msm_debugfs_file file, uint64_t at, void *buf,
                                         size_t size, size_t *ret)
{
    int fd = -1;
    struct lull_error *err = open_file(d, file, &fd);
    return err != NULL ? err : said(file, at, d->k->pread(d->k, fd, buf, size, at), ret);
}

struct lull_error *lull_msm_debugfs_write(struct lull_msm_debugfs *d,
                                          enum lull_msm_debugfs_file file, uint64_t at,
                                          const void *buf, size_t size, size_t *ret)
{
    int fd = -1;
    struct lull_error *err = open_file(d, file, &fd);
    return err != NULL ? err : said(file, at, d->k->pwrite(d->k, fd, buf, size, at), ret);
}

struct lull_error *lull_msm_debugfs_control(struct lull_msm_debugfs *d,
                                            const struct lull_msm_control *c)
{
    size_t n = 0;
    return lull_msm_debugfs_write(d, LULL_MSM_FILE_CONTROL, 0, c, sizeof *c, &n);
}

struct lull_error *lull_msm_debugfs_state(struct lull_msm_debugfs *d,
                                          struct lull_msm_control_state *ret)
{
    size_t n = 0;
    return lull_msm_debugfs_read(d, LULL_MSM_FILE_CONTROL, 0, ret, sizeof *ret, &n);
}

struct lull_error *lull_msm_debugfs_watch_packets(struct lull_msm_debugfs *d,
                                                  const struct lull_msm_packet_watch *w)
{
    size_t n = 0;
    return lull_msm_debugfs_write(d, LULL_MSM_FILE_PACKETS, 0, w, sizeof *w, &n);
}

struct lull_error *lull_msm_debugfs_packet(struct lull_msm_debugfs *d,
                                           struct lull_msm_packet_state *ret)
{
    size_t n = 0;
    return lull_msm_debugfs_read(d, LULL_MSM_FILE_PACKETS, 0, ret, sizeof *ret, &n);
}
