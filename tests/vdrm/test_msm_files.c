// SPDX-License-Identifier: MIT
// Files of the virtual msm: dumps in /sys/class/devcoredump, rd and hangrd, what debugfs says,
// module parameters. What they must give is what the kernel functions named in the rows give.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/rd.h"
#include "drm/msm/debug_abi.h"
#include "drm/msm/msm.h"
#include "file/stream.h"
#include "hw/rd_regs.h"
#include "test.h"
#include "vdrm/msm/vdrm.h"

#define SECOND 1000000000ull
#define DEBUGFS "/sys/kernel/debug/dri/0/"
#define DUMPS "/sys/class/devcoredump/"
#define PARAMETERS "/sys/module/msm/parameters/"

enum { BYTES = 0x4000, ROOM = 1 << 17, READ = 0, WRITE = 1 };

struct gpu {
    struct lull_kernel *k;
    int fd;
    struct lull_msm_bo cmd, data;
};

static struct gpu open_gpu(void)
{
    const struct lull_vdm_options o = {.chip = &lull_achip_a660, .memory = 16 << 20};
    struct gpu g = {0};
    if (lull_vdm_new(&o, &g.k) != NULL ||
        lull_msm_open(g.k, "/dev/dri/renderD128", &g.fd) != NULL ||
        lull_msm_bo_new(g.k, g.fd, BYTES, 0, 0, &g.cmd) != NULL ||
        lull_msm_bo_new(g.k, g.fd, BYTES, 0, 0, &g.data) != NULL) {
        abort();
    }
    return g;
}

// Commands of one dword, until they are done.
static void submit(const struct gpu *g, uint32_t word)
{
    const struct lull_msm_bo *const bos[] = {&g->cmd, &g->data};
    const struct lull_msm_cmd c = {.offset = 64, .size = 4};
    const struct lull_msm_submit s = {.bos = bos, .nbos = 2, .cmds = &c, .ncmds = 1};
    uint32_t fence = 0;
    bool done = false;
    memcpy((char *)g->cmd.map + 64, &word, sizeof word);
    struct lull_error *err = lull_msm_submit(g->k, g->fd, &s, &fence);
    err = err == NULL ? lull_msm_wait(g->k, g->fd, 0, fence, 100 * SECOND, &done) : err;
    test_case(err == NULL && done, "a submit", "%s", err != NULL ? lull_error_message(err) : "-");
    lull_error_free(err);
}

enum { NOP = 0x70108000, NONE = (int)0xdeadd00d };

// @return Bytes, or -errno.
static ssize_t read_file(struct lull_kernel *k, const char *path, char *text)
{
    const int fd = k->open(k, path, READ);
    const ssize_t n = fd >= 0 ? k->pread(k, fd, text, ROOM - 1, 0) : fd;
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0) {
        k->close(k, fd);
    }
    return n;
}

static ssize_t write_file(struct lull_kernel *k, const char *path, const char *text)
{
    const int fd = k->open(k, path, WRITE);
    const ssize_t n = fd >= 0 ? k->pwrite(k, fd, text, strlen(text), 0) : fd;
    if (fd >= 0) {
        k->close(k, fd);
    }
    return n;
}

static void test_dump(char *text)
{
    struct gpu g = open_gpu();
    struct lull_kernel *k = g.k;
    test_case(read_file(k, DUMPS "devcd1/data", text) == -ENOENT, "no dump yet", "-");
    submit(&g, (uint32_t)NONE);
    const int fd = k->open(k, DUMPS "devcd1/data", 2);
    char again[ROOM] = "";
    const ssize_t n = k->pread(k, fd, text, ROOM, 0), m = k->pread(k, fd, again, ROOM, 0);
    test_case(n > 0 && n == m && memcmp(text, again, (size_t)n) == 0, "it can be read twice",
              "%zd %zd", n, m);
    test_case(k->pread(k, fd, again, 3, 4) == 3 && memcmp(again, text + 4, 3) == 0,
              "and from anywhere", "-");
    submit(&g, (uint32_t)NONE);
    test_case(read_file(k, DUMPS "devcd2/data", again) == -ENOENT,
              "msm_gpu_crashstate_capture: one at a time", "-");
    test_case(k->pwrite(k, fd, "x", 1, 0) == 1 && k->pread(k, fd, again, ROOM, 0) == -ENODEV &&
                  k->pwrite(k, fd, "x", 1, 0) == -ENODEV &&
                  read_file(k, DUMPS "devcd1/data", again) == -ENOENT,
              "devcd_data_write: it goes, also for who reads it", "-");
    k->close(k, fd);
    submit(&g, (uint32_t)NONE);
    test_case(read_file(k, DUMPS "devcd2/data", again) > 0, "the next has the next number", "-");
    test_case(write_file(k, DUMPS "disabled", "0") == -EINVAL &&
                  write_file(k, DUMPS "disabled", "1") == 1 &&
                  read_file(k, DUMPS "disabled", again) == 2 && strcmp(again, "1\n") == 0 &&
                  read_file(k, DUMPS "devcd2/data", again) == -ENOENT,
              "disabled_store: there are none any more", "%s", again);
    submit(&g, (uint32_t)NONE);
    test_case(read_file(k, DUMPS "devcd3/data", again) == -ENOENT, "nor later", "-");
    k->destroy(k);
}

// The lines of a dump, in the kernel's order. Source: adreno_show(), a6xx_show().
static void test_text(char *text)
{
    static const char *const lines[] = {
        "---\nkernel: ",
        "\nmodule: msm\ntime: ",
        "\ncomm: test_",
        "\ncmdline: ",
        "\ngpu-initialized: 1\nrevision: 660 (6.6.0.1)\n",
        "rbbm-status: 0x",
        "\nringbuffer:\n  - id: 0\n    iova: 0x",
        "\n    last-fence: 1\n    retired-fence: 0\n    rptr: ",
        "\n    wptr: ",
        "\n    size: 32768\n    data: !!ascii85 |\n     ",
        "\nbos:\n  - iova: 0x0000000100000000\n    size: 16384\n",
        "    flags: 0x",
        "\n    name: ",
        "\n    data: !!ascii85 |\n     ",
        "\n  - iova: 0x0000000100004000\n    size: 16384\n",
        "\nregisters:\n  - { offset: 0x00",
        "\nregisters-gmu:\nindexed-registers:\n  - regs-name: CP_SQE_",
        "STAT\n    dwords: 51\n"};
    struct gpu g = open_gpu();
    submit(&g, (uint32_t)NONE);
    read_file(g.k, DUMPS "devcd1/data", text);
    const char *at = text;
    for (size_t i = 0; i < TEST_ROWS(lines); i++) {
        const char *found = at != NULL ? strstr(at, lines[i]) : NULL;
        test_case(found != NULL, lines[i], "not behind the one before: %.200s", at);
        at = found != NULL ? found + 1 : at;
    }
    test_case(strstr(text, "fault-info") == NULL, "a hang is not a fault", "-");
    g.k->destroy(g.k);
}

// Types of the sections in what was read, and whether they are whole.
static void sections(const char *data, size_t size, char *ret)
{
    struct lull_stream *s = NULL;
    struct lull_rd *rd = NULL;
    struct lull_rd_section one = {0};
    bool more = true;
    struct lull_error *err = lull_stream_of(data, size, &s);
    err = err == NULL ? lull_rd_new(s, 0, &rd) : err;
    for (ret[0] = '\0'; err == NULL && more && strlen(ret) < 200;) {
        err = lull_rd_next(rd, &one, &more);
        if (err == NULL && more) {
            strcat(strcat(ret, lull_rd_type_name(one.type)), " ");
        }
    }
    strcat(ret, err != NULL ? "damaged" : "");
    lull_error_free(err);
    lull_rd_free(rd);
    lull_stream_free(s);
}

static void test_rd(char *text)
{
    struct gpu g = open_gpu();
    struct lull_kernel *k = g.k;
    char got[512] = "";
    submit(&g, NOP);
    const int rd = k->open(k, DEBUGFS "rd", READ), hang = k->open(k, DEBUGFS "hangrd", READ);
    test_case(rd >= 0 && hang >= 0 && k->open(k, DEBUGFS "rd", READ) == -EBUSY,
              "rd_open: one reader", "%d %d", rd, hang);
    submit(&g, NOP);
    ssize_t n = k->pread(k, rd, text, ROOM, 0);
    sections(text, (size_t)(n > 0 ? n : 0), got);
    test_case(strcmp(got, "GPU_ID CHIP_ID CMD GPUADDR BUFFER_CONTENTS GPUADDR BUFFER_CONTENTS "
                          "CMDSTREAM_ADDR ") == 0,
              "rd: only what comes while it is open", "%s", got);
    test_case(k->pread(k, rd, text, ROOM, 0) == -EAGAIN, "nothing more", "-");
    n = k->pread(k, hang, text, ROOM, 0);
    sections(text, (size_t)(n > 0 ? n : 0), got);
    test_case(strcmp(got, "GPU_ID CHIP_ID ") == 0, "hangrd: nothing hung", "%s", got);
    submit(&g, (uint32_t)NONE);
    n = k->pread(k, hang, text, ROOM, 0);
    sections(text, (size_t)(n > 0 ? n : 0), got);
    test_case(strcmp(got, "CMD CMD GPUADDR BUFFER_CONTENTS GPUADDR BUFFER_CONTENTS "
                          "CMDSTREAM_ADDR ") == 0 &&
                  memcmp(text + 8, "offending task: test_", 21) == 0,
              "hangrd: whose hang it is", "%s", got);
    k->close(k, rd);
    const int again = k->open(k, DEBUGFS "rd", READ);
    n = k->pread(k, again, text, ROOM, 0);
    sections(text, (size_t)(n > 0 ? n : 0), got);
    test_case(strcmp(got, "GPU_ID CHIP_ID ") == 0, "rd_open: what was not read is gone", "%s", got);
    k->destroy(k);
}

static void test_texts(char *text)
{
    static const struct {
        const char *path, *write;
        ssize_t want;
        const char *read; ///< What it says then.
    } rows[] = {
        {PARAMETERS "rd_full", "Y", 1, "Y\n"},
        {PARAMETERS "rd_full", "0\n", 2, "N\n"},
        {PARAMETERS "rd_full", "maybe", -EINVAL, "N\n"},
        {PARAMETERS "hang_debug", "1", 1, "Y\n"},
        {PARAMETERS "hang_debug", "", -EINVAL, "Y\n"},
        {DEBUGFS "hangcheck_period_ms", "700", 3, "700\n"},
        {DEBUGFS "hangcheck_period_ms", "soon", -EINVAL, "700\n"},
        {DUMPS "disabled", "2", -EINVAL, "0\n"},
        {PARAMETERS "other", "1", -ENOENT, ""},
        {DEBUGFS "gpu", "1", -EINVAL, NULL},
    };
    struct gpu g = open_gpu();
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const ssize_t n = write_file(g.k, rows[i].path, rows[i].write);
        read_file(g.k, rows[i].path, text);
        test_case(n == rows[i].want && (rows[i].read == NULL || strcmp(text, rows[i].read) == 0),
                  rows[i].path, "%s: %zd, %.40s", rows[i].write, n, text);
    }
    read_file(g.k, DEBUGFS "gpu", text);
    test_case(strncmp(text, "a660 Status:\ngpu-initialized: 1\n", 32) == 0 &&
                  strstr(text, "\nbos:") == NULL,
              "gpu: msm_gpu_show", "%.80s", text);
    read_file(g.k, DEBUGFS "gem", text);
    test_case(strstr(text, "00016384") != NULL &&
                  strstr(text, "Total:       2 objects,     32768 bytes\n") != NULL,
              "gem: msm_gem_describe_objects", "%s", text);
    g.k->destroy(g.k);
}

// lull_time with no dispatch under way, and what it refuses.
static void test_time(void)
{
    static const struct {
        const char *name;
        uint32_t op;
        uint64_t pos;
        ssize_t want;
    } rows[] = {
        {"remember", LULL_MSM_REMEMBER, 0, sizeof(struct lull_msm_time_op)},
        {"travel, but nothing is remembered", LULL_MSM_TRAVEL, 0, -ENOENT},
        {"no such operation", 77, 0, -EINVAL},
        {"elsewhere", LULL_MSM_REMEMBER, 8, -EINVAL},
    };
    struct gpu g = open_gpu();
    const int fd = g.k->open(g.k, DEBUGFS LULL_MSM_TIME, O_RDWR);
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct lull_msm_time_op o = {.op = rows[i].op, .value = 1 << 20};
        const ssize_t n = g.k->pwrite(g.k, fd, &o, sizeof o, rows[i].pos);
        test_case(n == rows[i].want, rows[i].name, "%zd", n);
    }
    struct lull_msm_search *s = calloc(1, sizeof *s);
    if (s == NULL) {
        abort();
    }
    ssize_t n = g.k->pwrite(g.k, fd, s, sizeof *s, 0);
    test_case(n == (ssize_t)sizeof *s, "a search that finds nothing", "%zd", n);
    s->ncodes = LULL_MSM_CODES + 1;
    n = g.k->pwrite(g.k, fd, s, sizeof *s, 0);
    test_case(n == -EINVAL, "too many codes", "%zd", n);
    s->ncodes = 0;
    s->nranges = LULL_MSM_RANGES + 1;
    n = g.k->pwrite(g.k, fd, s, sizeof *s, 0);
    test_case(n == -EINVAL, "too many ranges", "%zd", n);
    s->nranges = 1;
    s->ranges[0].memory = LULL_MSM_IN_PRIVATE + 1;
    n = g.k->pwrite(g.k, fd, s, sizeof *s, 0);
    test_case(n == -EINVAL, "no such memory", "%zd", n);
    free(s);
    struct lull_time_record found = {0};
    struct lull_msm_time_state state = {.on = 1};
    n = g.k->pread(g.k, fd, &found, sizeof found, LULL_TIME_TRACE_AT);
    test_case(n == 0, "nothing was found", "%zd", n);
    n = g.k->pread(g.k, fd, &found, sizeof found - 1, LULL_TIME_TRACE_AT);
    test_case(n == -EINVAL, "a part of a record", "%zd", n);
    n = g.k->pread(g.k, fd, &state, sizeof state, 0);
    test_case(n == (ssize_t)sizeof state && state.on == 0, "the state", "%zd, %u", n, state.on);
    g.k->close(g.k, fd);
    g.k->destroy(g.k);
}

int main(void)
{
    char *text = calloc(1, ROOM);
    if (text == NULL) {
        return 1;
    }
    test_dump(text);
    test_text(text);
    test_rd(text);
    test_texts(text);
    test_time();
    free(text);
    return test_end();
}
