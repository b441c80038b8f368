// SPDX-License-Identifier: MIT
// What a capture changes on the machine: settings that are put back, and a crash on purpose.
#include "cli/adreno/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drm/msm/msm.h"

enum { FIRST_NODE = 128, LAST_NODE = 191, POKE_BYTES = 4096 };

/** What the freedreno documents name: no header of a packet, on any generation. */
static const uint32_t bad_packet = 0xdeadbeef;

/* Settings */

LULL_MUST_USE static struct lull_error *not_set(int error, const char *path)
{
    return lull_error_new(LULL_ERR_NOT_FOUND, "%s: cannot be set: %s%s", path, strerror(error),
                          error == EACCES || error == EPERM ? "; try again with sudo" : "");
}

/** @return errno. */
static int put(const char *path, const char *value)
{
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0) {
        const ssize_t n = write(fd, value, strlen(value));
        error = n < 0 ? errno : (size_t)n != strlen(value) ? EIO : 0;
        close(fd);
    }
    return error;
}

struct lull_error *lull_capture_set(struct lull_capture_settings *s, const char *path,
                                    const char *value)
{
    struct lull_capture_setting *was = &s->at[s->n];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, was->value, sizeof was->value - 1) : -1;
    const int read_error = n < 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (n < 0) {
        return not_set(read_error, path);
    }
    was->value[n] = '\0';
    was->value[strcspn(was->value, "\n")] = '\0';
    was->path = strdup(path);
    if (was->path == NULL) {
        return &lull_enomem;
    }
    s->n++; // also if writing fails: what was half done is put back
    const int error = put(path, value);
    return error != 0 ? not_set(error, path) : NULL;
}

struct lull_error *lull_capture_put_back(struct lull_capture_settings *s)
{
    struct lull_error *err = NULL;
    while (s->n > 0) {
        struct lull_capture_setting *was = &s->at[--s->n];
        const int error = put(was->path, was->value);
        if (error != 0 && err == NULL) {
            err = lull_error_new(LULL_ERR_NOT_FOUND, "%s: it was %s, and cannot be put back: %s",
                                 was->path, was->value, strerror(error));
        }
        free(was->path);
    }
    return err;
}

/* A crash on purpose */

/** The first render node of msm. */
LULL_MUST_USE static struct lull_error *open_node(struct lull_kernel *k, const char *device,
                                                  int *ret)
{
    if (device != NULL) {
        return lull_msm_open(k, device, ret);
    }
    for (unsigned i = FIRST_NODE; i <= LAST_NODE; i++) {
        char path[32] = "";
        (void)snprintf(path, sizeof path, "/dev/dri/renderD%u", i);
        struct lull_error *err = access(path, F_OK) == 0
                                     ? lull_msm_open(k, path, ret)
                                     : lull_error_new(LULL_ERR_NOT_FOUND, "%s", path);
        if (err == NULL) {
            return NULL;
        }
        lull_error_free(err);
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "no /dev/dri/renderD* of the msm driver can be "
                                              "opened; --device names one");
}

LULL_MUST_USE static struct lull_error *submit(struct lull_capture_poke *p)
{
    struct lull_error *err = lull_msm_bo_new(p->k, p->fd, POKE_BYTES, 0, 0, &p->bo);
    if (err != NULL) {
        return err;
    }
    uint32_t fence = 0, *words = p->bo.map;
    for (unsigned i = 0; i < LULL_POKE_DWORDS; i++) {
        words[i] = bad_packet;
    }
    const struct lull_msm_bo *const bos[] = {&p->bo};
    const struct lull_msm_cmd cmd = {.size = LULL_POKE_DWORDS * (uint32_t)sizeof *words};
    const struct lull_msm_submit s = {.bos = bos, .nbos = 1, .cmds = &cmd, .ncmds = 1};
    return lull_msm_submit(p->k, p->fd, &s, &fence);
}

struct lull_error *lull_capture_poke(const char *device, struct lull_capture_poke *ret)
{
    *ret = (struct lull_capture_poke){.fd = -1};
    struct lull_error *err = lull_kernel_real(&ret->k);
    if (err == NULL) {
        err = open_node(ret->k, device, &ret->fd);
    }
    return lull_error_in(err != NULL ? err : submit(ret), "--poke");
}

void lull_capture_poke_done(struct lull_capture_poke *p)
{
    if (p->fd >= 0 && p->k != NULL) {
        lull_msm_bo_free(p->k, p->fd, &p->bo);
        p->k->close(p->k, p->fd);
    }
    if (p->k != NULL) {
        p->k->destroy(p->k);
    }
    *p = (struct lull_capture_poke){.fd = -1};
}
