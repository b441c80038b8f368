// SPDX-License-Identifier: MIT
// Submits as rd captures, for whoever has debugfs's rd or hangrd open.
//
// Source: msm_rd.c. There a submit waits until somebody has read what does not fit into the pipe;
// here what is not read is kept, up to a limit, and submits beyond it are left out, with a line in
// the log.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adreno/file/rd.h"
#include "hw/rd_regs.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/msm.h"

enum { MOST = 1 << 28 }; // bytes that are kept for a reader

static void put(struct lull_vdm_rd *rd, uint32_t type, const void *payload, uint64_t size)
{
    const struct lull_rd_section s = {.type = type, .size = (uint32_t)size, .payload = payload};
    lull_rd_put(&rd->text, &s);
}

// Words as they are in memory: the host is little-endian as the file is.
static void put_words(struct lull_vdm_rd *rd, uint32_t type, const uint32_t *words, size_t n)
{
    put(rd, type, words, n * sizeof *words);
}

static void put_range(struct lull_vdm_rd *rd, uint32_t type, uint64_t address, uint32_t size)
{
    put_words(rd, type, (const uint32_t[]){(uint32_t)address, size, (uint32_t)(address >> 32)}, 3);
}

// Text, with zeros to a multiple of four.
static void put_text(struct lull_vdm_rd *rd, const char *text)
{
    char padded[256] = "";
    (void)snprintf(padded, sizeof padded - 4, "%s", text);
    put(rd, LULL_RD_CMD, padded, (strlen(padded) + 3) & ~(size_t)3);
}

// Of what only a GPU writes there is no content.
static void put_contents(const struct lull_vdm *d, struct lull_vdm_rd *rd,
                         const struct lull_vdm_job *job, uint32_t i, uint64_t offset, uint64_t size)
{
    const struct lull_vd_bo *bo = job->bos[i];
    if ((job->bo_flags[i] & MSM_SUBMIT_BO_READ) != 0) {
        put(rd, LULL_RD_BUFFER_CONTENTS, lull_vd_bo_mem(&d->vd, bo) + offset, size);
    }
}

static void put_submit(const struct lull_vdm *d, struct lull_vdm_rd *rd,
                       const struct lull_vdm_job *job)
{
    for (uint32_t i = 0; i < job->nbos; i++) {
        const uint64_t iova = lull_vdm_iova(lull_vdm_file(job->file), job->bos[i]);
        put_range(rd, LULL_RD_GPUADDR, iova, (uint32_t)job->bos[i]->size);
        if (lull_vdm_dumped(d, job, i)) {
            put_contents(d, rd, job, i, 0, job->bos[i]->size);
        }
    }
    for (uint32_t i = 0; i < job->ncmds; i++) {
        const struct lull_vdm_cmd *c = &job->cmds[i];
        const uint64_t iova = lull_vdm_iova(lull_vdm_file(job->file), job->bos[c->bo]);
        if (!lull_vdm_dumped(d, job, c->bo)) {
            put_range(rd, LULL_RD_GPUADDR, c->iova, c->ndwords * 4);
            put_contents(d, rd, job, c->bo, c->iova - iova, c->ndwords * 4ull);
        }
    }
    for (uint32_t i = 0; i < job->ncmds; i++) {
        if (job->cmds[i].type != MSM_SUBMIT_CMD_IB_TARGET_BUF) {
            put_range(rd, LULL_RD_CMDSTREAM_ADDR, job->cmds[i].iova, job->cmds[i].ndwords);
        }
    }
}

// Nothing from @p size on.
static void cut(struct lull_str *s, size_t size)
{
    if (s->err != NULL) {
        lull_str_free(s);
        *s = (struct lull_str){0};
    } else if (s->size > size) {
        s->size = size;
        s->text[size] = '\0';
    }
}

void lull_vdm_rd_dump(struct lull_vdm *d, struct lull_vdm_rd *rd, const struct lull_vdm_job *job,
                      bool hang)
{
    struct lull_str who[2] = {{0}, {0}};
    char text[256] = "";
    if (!rd->open) {
        return;
    }
    const size_t before = rd->text.size;
    lull_vdm_process(job->file, who);
    if (hang) {
        (void)snprintf(text, sizeof text, "offending task: %s (%s)", lull_str_text(&who[0]),
                       lull_str_text(&who[1]));
        put_text(rd, text);
    }
    (void)snprintf(text, sizeof text, "%.15s/%d: fence=%" PRIu32, lull_str_text(&who[0]),
                   (int)job->file->pid, job->seqno);
    put_text(rd, text);
    put_submit(d, rd, job);
    if (rd->text.err != NULL || rd->text.size - rd->taken > MOST) {
        lull_vd_log(&d->vd, 4, "%s: submit %" PRIu32 " is left out, nobody reads", rd->name,
                    job->seqno);
        cut(&rd->text, before);
        rd->taken = rd->text.size < rd->taken ? 0 : rd->taken;
    }
    lull_str_free(&who[0]);
    lull_str_free(&who[1]);
}

// The names of debugfs.
static struct lull_vdm_rd *rd_of(struct lull_vd_file *f)
{
    struct lull_vdm *d = lull_vdm(f->d);
    return strcmp(f->node->name, d->rd.name) == 0 ? &d->rd : &d->hangrd;
}

// rd_open(): one reader, who is told what GPU it is.
int lull_vdm_rd_open(struct lull_vd_file *f, const char *path)
{
    const struct lull_vdm *d = lull_vdm(f->d);
    struct lull_vdm_rd *rd = rd_of(f);
    (void)path;
    if (rd->open) {
        return -EBUSY;
    }
    rd->open = true;
    put_words(rd, LULL_RD_GPU_ID, (const uint32_t[]){d->chip->gpu_id}, 1);
    put_words(rd, LULL_RD_CHIP_ID,
              (const uint32_t[]){(uint32_t)d->chip->chip_id, (uint32_t)(d->chip->chip_id >> 32)},
              2);
    return 0;
}

// rd_read() waits; here there is nothing yet.
ssize_t lull_vdm_rd_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_vdm_rd *rd = rd_of(f);
    (void)pos;
    lull_vd_poll(f->d);
    const ssize_t n = lull_vd_give(buf, size, lull_str_text(&rd->text), rd->text.size, rd->taken);
    if (n > 0) {
        rd->taken += (size_t)n;
    }
    if (rd->taken == rd->text.size) {
        cut(&rd->text, 0);
        rd->taken = 0;
    }
    return n == 0 && size != 0 ? -EAGAIN : n;
}

void lull_vdm_rd_close(struct lull_vd_file *f)
{
    struct lull_vdm_rd *rd = rd_of(f);
    lull_str_free(&rd->text);
    rd->text = (struct lull_str){0};
    rd->taken = 0;
    rd->open = false;
}
