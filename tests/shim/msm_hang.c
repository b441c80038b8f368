// SPDX-License-Identifier: MIT
// A program that knows nothing of lull: it hangs an Adreno by msm's calls and looks at what the
// kernel leaves of that in sysfs and debugfs. Arguments: what to hang it with, or "rd". Prints what
// it finds, one fact a line.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "uapi/msm.h"

#define DATA "/sys/class/devcoredump/devcd1/data"
#define VA 0x100000000ull
#define PTR(p) ((uint64_t)(uintptr_t)(p))

enum { BYTES = 4096, TRIES = 300, TRY_US = 100000 };

static int device;

static uint32_t *buffer(void)
{
    struct drm_msm_gem_new bo = {.size = BYTES, .flags = MSM_BO_WC};
    struct drm_msm_gem_info at = {.info = MSM_INFO_SET_IOVA, .value = VA};
    struct drm_msm_gem_info map = {.info = MSM_INFO_GET_OFFSET};
    device = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (ioctl(device, DRM_IOCTL_MSM_GEM_NEW, &bo) != 0) {
        return NULL;
    }
    at.handle = map.handle = bo.handle;
    if (ioctl(device, DRM_IOCTL_MSM_GEM_INFO, &at) != 0 ||
        ioctl(device, DRM_IOCTL_MSM_GEM_INFO, &map) != 0) {
        return NULL;
    }
    void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)map.value);
    return p != MAP_FAILED ? p : NULL;
}

// The first @p n dwords of the buffer as commands; until they are done.
static int submit(uint32_t n)
{
    const struct drm_msm_gem_submit_bo bo = {
        .flags = MSM_SUBMIT_BO_READ | MSM_SUBMIT_BO_WRITE | MSM_SUBMIT_BO_DUMP, .handle = 1};
    const struct drm_msm_gem_submit_cmd cmd = {.type = MSM_SUBMIT_CMD_BUF, .size = n * 4};
    struct drm_msm_gem_submit s = {
        .flags = MSM_PIPE_3D0, .nr_bos = 1, .bos = PTR(&bo), .nr_cmds = 1, .cmds = PTR(&cmd)};
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (ioctl(device, DRM_IOCTL_MSM_GEM_SUBMIT, &s) != 0) {
        return errno;
    }
    const struct drm_msm_wait_fence w = {.fence = s.fence, .timeout = {.tv_sec = now.tv_sec + 60}};
    return ioctl(device, DRM_IOCTL_MSM_WAIT_FENCE, &w) != 0 ? errno : 0;
}

// Until the dump is there, or is not.
static int wait_for(int there)
{
    for (unsigned i = 0; i < TRIES && (access(DATA, R_OK) == 0) != there; i++) {
        usleep(TRY_US);
    }
    return access(DATA, R_OK) == 0;
}

static void look(void)
{
    char link[256] = "", text[64] = "";
    printf("there: %d\n", wait_for(1));
    const ssize_t n =
        readlink("/sys/class/devcoredump/devcd1/failing_device", link, sizeof link - 1);
    printf("failing_device: %s\n", n > 0 ? link : strerror(errno));
    int fd = open(DATA, O_RDONLY);
    printf("begins: %.*s\n", fd >= 0 && read(fd, text, 3) == 3 ? 3 : 0, text);
    close(fd);
    fd = open(DATA, O_WRONLY);
    printf("written: %d\n", fd >= 0 ? (int)write(fd, "1", 1) : -1);
    close(fd);
    printf("still there: %d\n", wait_for(0));
}

static void listen_to(uint32_t *words)
{
    uint32_t head[5] = {0};
    FILE *rd = fopen("/sys/kernel/debug/dri/0/rd", "r"); // until the driver is there
    words[0] = 0x70108000;                               // CP_NOP
    printf("submit: %d\n", submit(1));
    if (rd != NULL && fread(head, 1, sizeof head, rd) == sizeof head) {
        printf("GPU %u, then section %u\n", head[2], head[3]);
    }
    if (rd != NULL) {
        fclose(rd);
    }
}

int main(int argc, char **argv)
{
    uint32_t *words = buffer();
    const char *what = argc > 1 ? argv[1] : "";
    if (words == NULL) {
        return 1;
    }
    if (strcmp(what, "rd") == 0) {
        listen_to(words);
        return 0;
    }
    // CP_WAIT_REG_MEM for a dword of the buffer, which stays 0; or what is no packet.
    static const uint32_t never[] = {0x70bc8006, 0x13, 0x800, 1, 5, UINT32_MAX, 16};
    memcpy(words + 1, never, sizeof never);
    words[0] = strcmp(what, "wait") == 0 ? 0x70108000 : 0xdeadd00d;
    printf("submit: %d\n", submit(8));
    if (strcmp(what, "wait") != 0) {
        look();
    }
    return 0;
}
