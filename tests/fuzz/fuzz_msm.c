// SPDX-License-Identifier: MIT
// Any sequence of calls with any arguments on the virtual msm, and any packets in its command
// buffers: no crash, no leak, and what the driver leaves (rd, hangrd, a dump) is what lull reads.
// Seeds: tests/fuzz/corpus/msm/.
//
// The input is a list of records: a byte that says which call, a byte that says on which file, then
// the argument's bytes. An 8-byte word whose first byte is 0xc0 + n and whose last is 0xc0 becomes
// the address of block n of a scratch area. A word that happens to be the address of something else
// of this program is cut: the driver would rightly write there.
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "adreno/crash/crash.h"
#include "adreno/file/rd.h"
#include "base/cur.h"
#include "drm/core/kernel.h"
#include "uapi/msm.h"
#include "vdrm/msm/vdrm.h"

#define DEBUGFS "/sys/kernel/debug/dri/0/"

enum {
    NFILES = 6,
    ARG_BYTES = 512,
    BLOCKS = 32,
    BLOCK_BYTES = 64,
    MAX_CALLS = 200,
    MAP_BYTES = 4096,
    OP_OPEN = 0xf0,
    OP_CLOSE,
    OP_MMAP,
    OP_MUNMAP,
    OP_SCRATCH,
    OP_PACKETS,
};

struct state {
    struct lull_kernel *k;
    int fds[NFILES], rds[2];
    void *maps[NFILES];
    uint8_t *scratch;
};

static const unsigned long requests[] = {
    DRM_IOCTL_VERSION,
    DRM_IOCTL_GEM_CLOSE,
    DRM_IOCTL_PRIME_HANDLE_TO_FD,
    DRM_IOCTL_PRIME_FD_TO_HANDLE,
    DRM_IOCTL_SYNCOBJ_CREATE,
    DRM_IOCTL_SYNCOBJ_DESTROY,
    DRM_IOCTL_SYNCOBJ_WAIT,
    DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT,
    DRM_IOCTL_SYNCOBJ_SIGNAL,
    DRM_IOCTL_SYNCOBJ_QUERY,
    DRM_IOCTL_MSM_GET_PARAM,
    DRM_IOCTL_MSM_SET_PARAM,
    DRM_IOCTL_MSM_GEM_NEW,
    DRM_IOCTL_MSM_GEM_INFO,
    DRM_IOCTL_MSM_GEM_CPU_PREP,
    DRM_IOCTL_MSM_GEM_CPU_FINI,
    DRM_IOCTL_MSM_GEM_SUBMIT,
    DRM_IOCTL_MSM_WAIT_FENCE,
    DRM_IOCTL_MSM_GEM_MADVISE,
    DRM_IOCTL_MSM_SUBMITQUEUE_NEW,
    DRM_IOCTL_MSM_SUBMITQUEUE_CLOSE,
    DRM_IOCTL_MSM_SUBMITQUEUE_QUERY,
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
static void argument(const struct state *s, struct lull_cur *c, uint8_t *arg, size_t size)
{
    memset(arg, 0, ARG_BYTES);
    const size_t n = lull_cur_left(c) < size ? lull_cur_left(c) : size;
    const uint8_t *from = lull_cur_take(c, n);
    if (from != NULL && n > 0) {
        memcpy(arg, from, n);
    }
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, arg + i, sizeof word);
        if ((arg[i] & 0xe0) == 0xc0 && arg[i + 7] == 0xc0) {
            const uint64_t p =
                (uint64_t)(uintptr_t)(s->scratch + (size_t)(arg[i] & 0x1f) * BLOCK_BYTES);
            memcpy(arg + i, &p, sizeof p);
        } else if (word >= 0x10000 && word < 1ull << 47 && is_mapped(word)) {
            memset(arg + i + 2, 0, 6);
        }
    }
}

static void other(struct state *s, unsigned op, unsigned slot, struct lull_cur *c)
{
    uint8_t arg[ARG_BYTES] = {0};
    argument(s, c, arg, 8);
    switch (op) {
    case OP_OPEN:
        if (s->fds[slot] < 0) {
            s->fds[slot] = s->k->open(s->k, "/dev/dri/renderD128", O_RDWR);
        }
        break;
    case OP_CLOSE:
        s->k->close(s->k, s->fds[slot]);
        s->fds[slot] = -1;
        break;
    case OP_MMAP:
        if (s->maps[slot] == NULL) {
            const uint64_t offset = (2ull << 20) + arg[0] * 4096ull;
            s->k->mmap(s->k, s->fds[slot], MAP_BYTES, offset, &s->maps[slot]);
        }
        break;
    case OP_SCRATCH: { // pointers inside pointers
        uint8_t block[ARG_BYTES] = {0};
        argument(s, c, block, BLOCK_BYTES);
        memcpy(s->scratch + (size_t)(arg[0] % BLOCKS) * BLOCK_BYTES, block, BLOCK_BYTES);
        break;
    }
    case OP_PACKETS: {
        const size_t want = arg[1] * 4u;
        const size_t n = lull_cur_left(c) < want ? lull_cur_left(c) : want;
        const uint8_t *from = lull_cur_take(c, n);
        if (s->maps[slot] != NULL && from != NULL && n > 0) {
            memcpy((uint8_t *)s->maps[slot] + arg[0] * 4u, from, n);
        }
        break;
    }
    default:
        if (s->maps[slot] != NULL) {
            s->k->munmap(s->k, s->maps[slot], MAP_BYTES);
            s->maps[slot] = NULL;
        }
        break;
    }
}

static void call(struct state *s, unsigned op, unsigned slot, struct lull_cur *c)
{
    uint8_t arg[ARG_BYTES] = {0};
    if (op >= OP_OPEN) {
        other(s, op, slot, c);
        return;
    }
    const unsigned long request = requests[op % NREQUESTS];
    argument(s, c, arg, _IOC_SIZE(request));
    s->k->ioctl(s->k, s->fds[slot], request, op < 0xe0 ? arg : NULL);
}

// What the driver has written is what lull reads: whole sections, a page of the dump.
static void left(struct state *s, const char *path, bool dump)
{
    enum { MOST = 1 << 24 };
    static const struct lull_crash_look look = {.style = LULL_CRASH_PAGE};
    struct lull_stream *stream = NULL;
    struct lull_rd *rd = NULL;
    struct lull_rd_section section = {0};
    struct lull_str page = {0};
    char *text = malloc(MOST);
    const int fd = dump ? s->k->open(s->k, path, O_RDONLY) : s->rds[strstr(path, "hang") != NULL];
    const ssize_t n = text != NULL && fd >= 0 ? s->k->pread(s->k, fd, text, MOST, 0) : 0;
    struct lull_error *err = NULL;
    if (n > 0 && n < MOST) {
        bool more = !dump;
        err = lull_stream_of(text, (size_t)n, &stream);
        err = err == NULL && dump ? lull_crash_page(stream, &look, &page) : err;
        err = err == NULL && more ? lull_rd_new(stream, 0, &rd) : err;
        while (err == NULL && more) {
            err = lull_rd_next(rd, &section, &more);
        }
    }
    if (err != NULL && lull_error_code(err) != LULL_ERR_NO_MEMORY) {
        abort();
    }
    lull_rd_free(rd);
    lull_stream_free(stream);
    lull_str_free(&page);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct lull_achip *const chips[] = {&lull_achip_a630, &lull_achip_a660,
                                                     &lull_achip_a740};
    struct lull_cur c = lull_cur_of(data, size);
    struct state s = {.scratch = calloc(BLOCKS + 16, BLOCK_BYTES)};
    const struct lull_vdm_options o = {.chip = chips[lull_cur_u8(&c) % 3], .memory = 4 << 20};
    if (s.scratch == NULL || lull_vdm_new(&o, &s.k) != NULL) {
        free(s.scratch);
        return 0;
    }
    for (unsigned i = 0; i < NFILES; i++) {
        s.fds[i] = i < 2 ? s.k->open(s.k, "/dev/dri/renderD128", O_RDWR) : -1;
    }
    s.rds[0] = s.k->open(s.k, DEBUGFS "rd", O_RDONLY);
    s.rds[1] = s.k->open(s.k, DEBUGFS "hangrd", O_RDONLY);
    for (unsigned n = 0; n < MAX_CALLS && lull_cur_left(&c) >= 2; n++) {
        const unsigned op = lull_cur_u8(&c);
        call(&s, op, lull_cur_u8(&c) % NFILES, &c);
    }
    left(&s, DEBUGFS "rd", false);
    left(&s, DEBUGFS "hangrd", false);
    left(&s, "/sys/class/devcoredump/devcd1/data", true);
    s.k->destroy(s.k);
    free(s.scratch);
    return 0;
}
