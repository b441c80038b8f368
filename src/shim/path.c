// SPDX-License-Identifier: MIT
// The GPU's places in the file system: /dev/dri, and what sysfs says of the device. They are real
// files in a folder that `lull exec` made; paths lead there, and what comes back is put right.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim/shim.h"

enum { DRM_MAJOR = 226, RENDER_MINOR = 128, CARD_MINOR = 0 };

static const char *const places[] = {
    "/dev/dri",
    "/sys/dev/char/226:0",
    "/sys/dev/char/226:128",
    "/sys/class/drm",
    "/sys/bus/pci/devices/0000:03:00.0",
    "/sys/bus/pci/drivers/amdgpu",
    "/sys/devices/pci0000:00/0000:00:01.1/0000:03:00.0",
    "/sys/bus/platform/devices/5000000.gpu",
    "/sys/bus/platform/drivers/adreno",
    "/sys/devices/platform/soc@0/5000000.gpu",
    "/sys/class/devcoredump",
    "/sys/devices/virtual/devcoredump",
    "/sys/kernel/debug/dri",
};

// The last of the GPU's files that the driver makes.
static const char last_place[] = "/dev/dri/renderD128";

bool lull_shim_active(void)
{
    return getenv("LULL_SOCKET") != NULL;
}

// The folder: where the socket is. @return Its length without a slash, or 0.
static size_t root(const char **ret)
{
    const char *socket = getenv("LULL_SOCKET");
    const char *slash = socket != NULL ? strrchr(socket, '/') : NULL;
    *ret = socket;
    return slash != NULL ? (size_t)(slash - socket) : 0;
}

static bool starts(const char *path, const char *with)
{
    const size_t n = strlen(with);
    return strncmp(path, with, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

// The driver makes the GPU's files when they are looked for.
static void want_places(const char *dir, size_t n)
{
    static atomic_bool there;
    char path[PATH_MAX];
    if (n + sizeof last_place > sizeof path || atomic_load_explicit(&there, memory_order_acquire)) {
        return;
    }
    memcpy(path, dir, n);
    memcpy(path + n, last_place, sizeof last_place);
    const int saved = errno;
    struct lull_shim_call c = {.request = {.op = LULL_WIRE_PLACES}, .send_fd = -1};
    if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0 || lull_shim_exchange(&c) == 0) {
        atomic_store_explicit(&there, true, memory_order_release);
    }
    errno = saved;
}

const char *lull_shim_place(const char *path, char *buf)
{
    if (!lull_shim_active() || path == NULL || path[0] != '/' ||
        (path[1] != 'd' && path[1] != 's')) {
        return path;
    }
    size_t i = 0;
    while (i < sizeof places / sizeof places[0] && !starts(path, places[i])) {
        i++;
    }
    const char *dir = NULL;
    const size_t n = root(&dir), size = strlen(path) + 1;
    if (i == sizeof places / sizeof places[0] || n == 0 || n + size > PATH_MAX) {
        return path;
    }
    want_places(dir, n);
    memcpy(buf, dir, n);
    memcpy(buf + n, path, size);
    return buf;
}

size_t lull_shim_unplace(char *path, size_t size)
{
    const char *dir = NULL;
    const size_t n = root(&dir);
    if (n > 0 && size > n && strncmp(path, dir, n) == 0 && path[n] == '/') {
        memmove(path, path + n, size - n);
        return size - n;
    }
    return size;
}

static unsigned mode_of(const struct stat *st)
{
    return S_ISREG(st->st_mode) ? st->st_mode & LULL_WIRE_MODE_MASK & ~LULL_WIRE_MODE_PLACE : 0;
}

bool lull_shim_is_drm(const struct stat *st, bool *ret_card)
{
    const unsigned mode = mode_of(st);
    *ret_card = mode == LULL_WIRE_MODE_CARD;
    return mode == LULL_WIRE_MODE_RENDER || mode == LULL_WIRE_MODE_CARD;
}

static atomic_bool used;

void lull_shim_drm_used(void)
{
    atomic_store_explicit(&used, true, memory_order_relaxed);
}

bool lull_shim_drm_fd(int fd, struct stat *ret)
{
    bool card = false;
    return fd >= 0 && atomic_load_explicit(&used, memory_order_relaxed) && lull_shim_active() &&
           lull_shim_fstat(fd, ret) == 0 && lull_shim_is_drm(ret, &card);
}

void lull_shim_fix(struct stat *st)
{
    bool card = false;
    if (lull_shim_is_drm(st, &card)) {
        st->st_mode = S_IFCHR | (card ? 0660 : 0666);
        st->st_rdev = makedev(DRM_MAJOR, card ? CARD_MINOR : RENDER_MINOR);
        st->st_size = 0;
        st->st_blocks = 0;
    }
}
