// SPDX-License-Identifier: MIT
// What the driver keeps of a hang or a fault: the text of a devcoredump, and who reads it.
//
// Source: msm_gpu.c (msm_gpu_crashstate_capture(), msm_gpu_devcoredump_read()), adreno_gpu.c
// (adreno_show()), a6xx_gpu_state.c (a6xx_show()), drivers/base/devcoredump.c.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adreno/file/devcore.h"
#include "hw/adreno_doms.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/dumped.h"
#include "vdrm/msm/msm.h"

enum {
    REGISTERS = 0x40000,
    SQE_STAT_6 = 0x33, // dwords of CP_SQE_STAT
    SQE_STAT_7 = 0x40,
    KEPT_S = 300, // DEVCD_TIMEOUT
};
enum { NS_PER_S = 1000000000 };

static void put_words(struct lull_str *out, const void *data, size_t bytes)
{
    lull_devcore_put_data(out, 4, 5, data, bytes / sizeof(uint32_t));
}

// adreno_show(): a ring. With APRIV the CP writes its read pointer, without the driver knows what
// CP_WHERE_AM_I has said last.
static void put_ring(const struct lull_vdm *d, struct lull_str *out)
{
    const uint32_t rptr = d->chip->apriv != 0 ? d->ops->rptr(d->gpu, 0) : d->ptrs->rptr;
    lull_str_addf(out,
                  "ringbuffer:\n  - id: 0\n    iova: 0x%016" PRIx64 "\n    last-fence: %" PRIu32
                  "\n    retired-fence: %" PRIu32 "\n    rptr: %" PRIu32 "\n    wptr: %" PRIu32
                  "\n    size: %zu\n",
                  lull_vdm_ring_iova(), d->seqno, d->ptrs->fence, rptr, d->wptr,
                  LULL_VDM_RING_DWORDS * sizeof *d->ring);
    put_words(out, d->ring, LULL_VDM_RING_DWORDS * sizeof *d->ring);
}

bool lull_vdm_dumped(const struct lull_vdm *d, const struct lull_vdm_job *job, uint32_t i)
{
    return d->rd_full || (job->bo_flags[i] & MSM_SUBMIT_BO_DUMP) != 0;
}

static void put_bos(const struct lull_vdm *d, const struct lull_vdm_job *job, struct lull_str *out)
{
    lull_str_addf(out, "bos:\n");
    for (uint32_t i = 0; i < job->nbos; i++) {
        struct lull_vdm_bo *bo = lull_vdm_bo(job->bos[i]);
        lull_str_addf(out,
                      "  - iova: 0x%016" PRIx64 "\n    size: %" PRIu64 "\n    flags: 0x%" PRIx32
                      "\n    name: %-32s\n",
                      lull_vdm_iova(lull_vdm_file(job->file), job->bos[i]), bo->bo.size, bo->flags,
                      bo->name);
        if (lull_vdm_dumped(d, job, i)) {
            put_words(out, lull_vd_bo_mem(&d->vd, &bo->bo), bo->bo.size);
        }
    }
}

// What the model has: registers that are not 0, and where the CP is. The SQE's is read as the
// kernel reads it, through its index.
static void put_registers(struct lull_vdm *d, struct lull_str *out)
{
    uint32_t stat[SQE_STAT_7] = {0};
    const uint32_t nstat = d->chip->gen >= 7 ? SQE_STAT_7 : SQE_STAT_6;
    lull_str_addf(out, "registers:\n");
    for (uint32_t reg = 0; reg < REGISTERS; reg++) {
        const uint32_t v = d->ops->read_reg(d->gpu, reg);
        const bool place = reg >= LULL_A6XX_CP_IB1_BASE && reg <= LULL_A6XX_CP_SDS_REM_SIZE;
        if (v != 0 || place || reg == LULL_A6XX_RBBM_STATUS) {
            lull_devcore_put_register(out, 2, reg * (uint32_t)sizeof v, v);
        }
    }
    for (uint32_t i = 0; i < nstat; i++) {
        d->ops->write_reg(d->gpu, LULL_A6XX_CP_SQE_STAT_ADDR, i);
        stat[i] = d->ops->read_reg(d->gpu, LULL_A6XX_CP_SQE_STAT_DATA);
    }
    d->ops->write_reg(d->gpu, LULL_A6XX_CP_SQE_STAT_ADDR, 0);
    lull_str_addf(out,
                  "registers-gmu:\nindexed-registers:\n  - regs-name: CP_SQE_STAT\n"
                  "    dwords: %" PRIu32 "\n",
                  nstat);
    lull_devcore_put_data(out, 4, 6, stat, nstat);
}

void lull_vdm_show(struct lull_vdm *d, const struct lull_vdm_job *job,
                   const struct lull_agpu_event *fault, struct lull_str *out)
{
    const unsigned id = (unsigned)d->chip->chip_id;
    lull_str_addf(out, "gpu-initialized: 1\nrevision: %" PRIu32 " (%u.%u.%u.%u)\n", d->chip->gpu_id,
                  id >> 24, id >> 16 & 0xff, id >> 8 & 0xff, id & 0xff);
    if (fault != NULL) {
        lull_str_addf(out,
                      "fault-info:\n  - ttbr0=%.16" PRIx64 "\n  - iova=%.16" PRIx64
                      "\n  - dir=%s\n  - type=TRANSLATION\n  - source=%s\n",
                      fault->ttbr0, fault->address, fault->write ? "WRITE" : "READ", fault->block);
    }
    lull_str_addf(out, "rbbm-status: 0x%08" PRIx32 "\n",
                  d->ops->read_reg(d->gpu, LULL_A6XX_RBBM_STATUS));
    put_ring(d, out);
    if (job != NULL) {
        put_bos(d, job, out);
    }
    put_registers(d, out);
    // While the MMU holds what faulted, the GPU has no memory to copy these into.
    const bool more = d->chip->gen == 6 && fault == NULL;
    lull_str_addf(out, "shader-blocks:\n");
    if (more) {
        lull_vdm_show_blocks(d, job, out);
    }
    lull_str_addf(out, "clusters:\n");
    if (more) {
        lull_vdm_show_clusters(d, out);
    }
    lull_str_addf(out, "debugbus:\n");
}

/* Who did it. */

// A file of the process, in which bytes that are no letters, digits and so on are escaped.
// kstrdup_quotable_cmdline(): arguments with a blank between them.
static void process_file(pid_t pid, const char *name, struct lull_str *out)
{
    char path[64] = "", text[4096] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    FILE *f = fopen(path, "re");
    size_t n = f != NULL ? fread(text, 1, sizeof text, f) : 0;
    while (n > 0 && (text[n - 1] == '\0' || text[n - 1] == '\n')) {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        text[i] = (char)(text[i] == '\0' ? ' ' : text[i]);
    }
    lull_str_printable(out, text, n);
    if (f != NULL) {
        fclose(f);
    }
}

void lull_vdm_process(const struct lull_vd_file *f, struct lull_str ret[2])
{
    static const char *const names[2] = {"comm", "cmdline"};
    const struct lull_vdm_file *m = (const struct lull_vdm_file *)f;
    for (unsigned i = 0; i < 2; i++) {
        if (m->told[i] != NULL) { // MSM_PARAM_COMM, MSM_PARAM_CMDLINE
            lull_str_printable(&ret[i], m->told[i], strlen(m->told[i]));
        } else {
            process_file(f->pid, names[i], &ret[i]);
        }
    }
}

/* The dump */

void lull_vdm_dump_free(struct lull_vdm *d)
{
    lull_str_free(&d->dump.text);
    d->dump = (struct lull_vdm_dump){0};
}

// The one that is there, for five minutes.
static struct lull_vdm_dump *current(struct lull_vdm *d)
{
    if (d->dump.number != 0 &&
        lull_vd_now_ns(&d->vd) - d->dump.since_ns > (uint64_t)KEPT_S * NS_PER_S) {
        lull_vdm_dump_free(d);
    }
    return d->dump.number != 0 ? &d->dump : NULL;
}

static void put_head(const struct lull_vdm *d, const struct lull_vdm_job *job, struct lull_str *out)
{
    uint64_t ns = lull_vd_now_ns(&d->vd);
    struct lull_str who[2] = {{0}, {0}};
    if (d->vd.options.threaded || d->vd.options.host_clock) {
        struct timespec t = {0};
        clock_gettime(CLOCK_REALTIME, &t);
        ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
    }
    lull_str_addf(out, "---\nkernel: 6.12.0-lull\nmodule: msm\ntime: %" PRIu64 ".%09" PRIu64 "\n",
                  ns / NS_PER_S, ns % NS_PER_S);
    if (job != NULL) {
        lull_vdm_process(job->file, who);
        lull_str_addf(out, "comm: %s\ncmdline: %s\n", lull_str_text(&who[0]),
                      lull_str_text(&who[1]));
    }
    lull_str_free(&who[0]);
    lull_str_free(&who[1]);
}

// Only one is kept: those that come before somebody has taken it are not made.
void lull_vdm_crash(struct lull_vdm *d, const struct lull_vdm_job *job,
                    const struct lull_agpu_event *fault)
{
    struct lull_str text = {0};
    if (d->no_dumps || current(d) != NULL) {
        return;
    }
    put_head(d, job, &text);
    lull_vdm_show(d, job, fault, &text);
    if (text.err != NULL) { // no memory: no dump, and nothing else is the worse for it
        lull_str_free(&text);
        return;
    }
    d->dump = (struct lull_vdm_dump){
        .text = text, .number = ++d->dumps, .since_ns = lull_vd_now_ns(&d->vd)};
}

/* /sys/class/devcoredump */

int lull_vdm_dump_open(struct lull_vd_file *f, const char *path)
{
    struct lull_vdm_dump *dump = current(lull_vdm(f->d));
    char want[64] = "";
    if (dump != NULL) {
        (void)snprintf(want, sizeof want, LULL_VDM_DUMP_PATH, dump->number);
    }
    if (strcmp(want, path) != 0) {
        return -ENOENT;
    }
    ((struct lull_vdm_dump_file *)f)->number = dump->number;
    return 0;
}

ssize_t lull_vdm_dump_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vdm_dump *dump = current(lull_vdm(f->d));
    if (dump == NULL || dump->number != ((struct lull_vdm_dump_file *)f)->number) {
        return -ENODEV; // it is removed while it is read
    }
    return lull_vd_give(buf, size, lull_str_text(&dump->text), dump->text.size, pos);
}

// devcd_data_write(): whatever is written, the dump goes.
ssize_t lull_vdm_dump_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vdm_dump *dump = current(lull_vdm(f->d));
    (void)buf;
    (void)pos;
    if (dump == NULL || dump->number != ((struct lull_vdm_dump_file *)f)->number) {
        return -ENODEV;
    }
    lull_vdm_dump_free(lull_vdm(f->d));
    return (ssize_t)size;
}
