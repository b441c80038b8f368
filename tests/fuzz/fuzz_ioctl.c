// SPDX-License-Identifier: MIT
// Any sequence of calls with any arguments on the virtual driver: no crash, no leak, and at the end
// nothing is in use. Seeds: tests/fuzz/corpus/ioctl/.
//
// The input is a list of records: a byte that says which call, a byte that says on which file, then
// the argument's bytes. An 8-byte word of the argument whose first byte is 0xc0 + n and whose last
// is 0xc0 becomes the address of block n of a scratch area, so that nested structures are reached.
// A word that happens to be the address of something else of this program is cut: the driver would
// rightly write there.
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/cur.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "vdrm/fake.h"

enum {
    NFILES = 12,
    ARG_BYTES = 512,
    SCRATCH_BYTES = 4096,
    MAX_CALLS = 400,
    OP_OPEN = 0xf0,
    OP_CLOSE,
    OP_READ,
    OP_WRITE,
    OP_MMAP,
    OP_SCRATCH,
    OP_KIND,
    OP_MUNMAP,
    OP_ADOPT,
};

struct state {
    struct lull_kernel *k;
    struct fake *f;
    int fds[NFILES];
    void *maps[NFILES];
    uint8_t *scratch;
};

static const char *const paths[] = {
    "/dev/dri/renderD128",
    "/dev/dri/card0",
    "/sys/kernel/debug/dri/0/amdgpu_regs2",
    "/sys/kernel/debug/dri/0/amdgpu_wave",
    "/sys/kernel/debug/dri/0/amdgpu_gprwave",
    "/sys/kernel/debug/dri/0/amdgpu_gpr",
    "/sys/kernel/debug/dri/0/amdgpu_vram",
    "/sys/kernel/debug/dri/0/amdgpu_iomem",
    "/sys/kernel/debug/dri/0/amdgpu_vm_info",
    "/sys/kernel/debug/dri/0/amdgpu_gca_config",
    "/dev/kmsg",
    "/sys/dev/char/226:128/device/uevent",
    "/sys/kernel/debug/dri/0/lull_dispatches",
    "/sys/kernel/debug/dri/0/lull_control",
};

static const unsigned long requests[] = {
    DRM_IOCTL_VERSION,
    DRM_IOCTL_GET_CAP,
    DRM_IOCTL_GET_UNIQUE,
    DRM_IOCTL_GET_MAGIC,
    DRM_IOCTL_AUTH_MAGIC,
    DRM_IOCTL_GET_CLIENT,
    DRM_IOCTL_GEM_CLOSE,
    DRM_IOCTL_PRIME_HANDLE_TO_FD,
    DRM_IOCTL_PRIME_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_CREATE,
    DRM_IOCTL_SYNCOBJ_DESTROY,
    DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD,
    DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_TRANSFER,
    DRM_IOCTL_SYNCOBJ_WAIT,
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
    DRM_IOCTL_SYNCOBJ_RESET,
    DRM_IOCTL_SYNCOBJ_SIGNAL,
    DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL,
    DRM_IOCTL_SYNCOBJ_QUERY,
    DRM_IOCTL_AMDGPU_GEM_CREATE,
    DRM_IOCTL_AMDGPU_GEM_MMAP,
    DRM_IOCTL_AMDGPU_CTX,
    DRM_IOCTL_AMDGPU_BO_LIST,
    DRM_IOCTL_AMDGPU_CS,
    DRM_IOCTL_AMDGPU_INFO,
    DRM_IOCTL_AMDGPU_GEM_METADATA,
    DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE,
    DRM_IOCTL_AMDGPU_GEM_VA,
    DRM_IOCTL_AMDGPU_WAIT_CS,
    DRM_IOCTL_AMDGPU_GEM_OP,
    DRM_IOCTL_AMDGPU_GEM_USERPTR,
    DRM_IOCTL_AMDGPU_WAIT_FENCES,
    DRM_IOCTL_AMDGPU_VM,
    DRM_IOCTL_AMDGPU_FENCE_TO_HANDLE,
    DRM_IOCTL_AMDGPU_SCHED,
    LULL_REGS2_SET_V1,
    LULL_REGS2_SET_V2,
    LULL_GPRWAVE_SET,
    DRM_IOCTL_SYNCOBJ_EVENTFD,
};

enum { NREQUESTS = sizeof requests / sizeof requests[0] };

static bool is_mapped(uint64_t address)
{
    unsigned char vec = 0;
    void *page = NULL;
    address &= ~4095ull;
    memcpy(&page, &address, sizeof page);
    return mincore(page, 1, &vec) == 0;
}

// An argument from the input, its pointers replaced as said above.
static size_t argument(const struct state *s, struct lull_cur *c, uint8_t *arg, size_t size)
{
    memset(arg, 0, ARG_BYTES);
    const size_t n = lull_cur_left(c) < size ? lull_cur_left(c) : size;
    const uint8_t *from = lull_cur_take(c, n);
    if (from != NULL && n > 0) {
        memcpy(arg, from, n);
    }
    for (size_t i = 0; i + 8 <= size; i += 8) {
        if ((arg[i] & 0xe0) == 0xc0 && arg[i + 7] == 0xc0) {
            const uint64_t p = (uint64_t)(uintptr_t)(s->scratch + (arg[i] & 0x1f) * 64);
            memcpy(arg + i, &p, sizeof p);
            continue;
        }
        uint64_t word = 0;
        memcpy(&word, arg + i, sizeof word);
        if (word >= 0x10000 && word < 1ull << 47 && is_mapped(word)) {
            memset(arg + i + 2, 0, 6);
        }
    }
    return n;
}

static void other(struct state *s, unsigned op, unsigned slot, struct lull_cur *c)
{
    uint8_t arg[ARG_BYTES] = {0};
    argument(s, c, arg, 16);
    uint64_t v = 0;
    memcpy(&v, arg, sizeof v);
    const size_t size = arg[8] * 4u + (arg[9] & 3);
    switch (op) {
    case OP_OPEN:
        if (s->fds[slot] < 0) {
            s->fds[slot] =
                s->k->open(s->k, paths[v % (sizeof paths / sizeof paths[0])], (int)(arg[9] % 3));
        }
        break;
    case OP_CLOSE:
        s->k->close(s->k, s->fds[slot]);
        s->fds[slot] = -1;
        break;
    case OP_READ:
        s->k->pread(s->k, s->fds[slot], s->scratch, size, v);
        break;
    case OP_WRITE:
        s->k->pwrite(s->k, s->fds[slot], s->scratch, size, v);
        break;
    case OP_MMAP:
        if (s->maps[slot] == NULL &&
            s->k->mmap(s->k, s->fds[slot], arg[8] * 4096u, v, &s->maps[slot]) == 0 && arg[8] > 0) {
            memset(s->maps[slot], arg[9], 64);
        }
        break;
    case OP_SCRATCH: { // pointers inside pointers
        uint8_t block[ARG_BYTES] = {0};
        argument(s, c, block, 64);
        memcpy(s->scratch + (v & 0x1f) * 64, block, 64);
        break;
    }
    case OP_KIND:
        s->f->kind = (enum fake_kind)(v % 5);
        s->f->cost = v >> 8 & 0xffff;
        break;
    case OP_ADOPT:
        if (s->fds[slot] < 0) {
            s->fds[slot] = s->k->adopt(s->k, getpid(), arg[8] % 4);
        }
        break;
    default:
        if (s->maps[slot] != NULL) {
            s->k->munmap(s->k, s->maps[slot], 0);
            s->maps[slot] = NULL;
        }
        break;
    }
}

static void call(struct state *s, unsigned op, unsigned slot, struct lull_cur *c)
{
    if (op >= OP_OPEN) {
        other(s, op, slot, c);
        return;
    }
    uint8_t arg[ARG_BYTES] = {0};
    const unsigned long request = requests[op % NREQUESTS];
    argument(s, c, arg, _IOC_SIZE(request));
    s->k->ioctl(s->k, s->fds[slot], request, op < 0xe0 ? arg : NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_cur c = lull_cur_of(data, size);
    struct state s = {.scratch = calloc(1, SCRATCH_BYTES)};
    if (s.scratch == NULL) {
        return 0;
    }
    s.k = fake_kernel(&(const struct lull_vdrm_options){.lockup_cycles = 200000}, &s.f);
    for (unsigned i = 0; i < NFILES; i++) {
        s.fds[i] = i < 2 ? s.k->open(s.k, paths[0], O_RDWR) : -1;
    }
    for (unsigned n = 0; n < MAX_CALLS && lull_cur_left(&c) >= 2; n++) {
        const unsigned op = lull_cur_u8(&c);
        call(&s, op, lull_cur_u8(&c) % NFILES, &c);
    }
    s.k->destroy(s.k);
    free(s.scratch);
    return 0;
}
