// SPDX-License-Identifier: MIT
/** @file
 * A GPU with memory and registers, whose jobs do what the test says.
 */
#ifndef LULL_TEST_FAKE_H
#define LULL_TEST_FAKE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/chips.h"
#include "uapi/amdgpu.h"
#include "vdrm/amdgpu/gpu_ops.h"

enum fake_kind {
    FAKE_WORK,  ///< Done after cost cycles.
    FAKE_LOOP,  ///< For ever; SQ_CMD KILL ends it.
    FAKE_STUCK, ///< For ever; only a reset of the ring ends it.
    FAKE_HALT,  ///< Does not move; only a reset of the ring ends it.
    FAKE_BAD,   ///< A packet nobody knows, at once.
};

enum {
    FAKE_RINGS = LULL_RING_COUNT,
    FAKE_QUEUE = 64,
    FAKE_REGS = 1 << 20,
    FAKE_VRAM_MIB = 8192,
    FAKE_GTT_MIB = 512,
    FAKE_SQ_CMD = 0x8dec, // byte offsets of gfx11, from the fact sheet
    FAKE_PT_BASE = 0xa54c,
    FAKE_FAULT_STATUS = 0xa0a0,
    FAKE_FAULT_CNTL = 0xa090,
    FAKE_SQ_IND_INDEX = 0x8de0,
    FAKE_SQ_IND_DATA = 0x8de4,
    FAKE_SH_MEM_BASES = 0x2a78c,
    FAKE_TBA_LO = 0x2a798,
};

struct fake_job {
    struct lull_gpu_job job;
    enum fake_kind kind;
    uint64_t cost, spent;
};

struct fake {
    struct lull_phys phys;
    int memfd;
    uint8_t *map;
    size_t map_size;
    uint64_t cycles;
    uint32_t *regs;
    uint32_t tba[16];      ///< Banked by VMID.
    struct lull_bank last; ///< Of the last access to a register.
    struct fake_job queue[FAKE_RINGS][FAKE_QUEUE];
    unsigned n[FAKE_RINGS];
    struct lull_gpu_done done[FAKE_QUEUE * FAKE_RINGS];
    unsigned ndone;
    enum fake_kind kind; ///< Of jobs submitted from now on.
    uint64_t cost;
    unsigned submitted, flushes, resets;
    uint32_t last_vmid;
    unsigned last_nibs;
};

static struct fake *fake_of(const struct lull_gpu *gpu)
{
    return (struct fake *)(uintptr_t)gpu; // nobody else looks into it
}

static void fake_destroy(struct lull_gpu *gpu)
{
    struct fake *f = fake_of(gpu);
    munmap(f->map, f->map_size);
    close(f->memfd);
    free(f->regs);
    free(f);
}

static struct lull_error *fake_submit(struct lull_gpu *gpu, enum lull_ring ring,
                                      const struct lull_gpu_job *job)
{
    struct fake *f = fake_of(gpu);
    if (f->n[ring] == FAKE_QUEUE || job->nibs == 0 || job->nibs > 8 || job->vmid == 0) {
        return lull_error_new(LULL_ERR_INVALID, "fake: bad job");
    }
    f->queue[ring][f->n[ring]++] = (struct fake_job){.job = *job, .kind = f->kind, .cost = f->cost};
    f->submitted++;
    f->last_vmid = job->vmid;
    f->last_nibs = job->nibs;
    return NULL;
}

static void fake_end(struct fake *f, unsigned ring, enum lull_job_result result)
{
    struct lull_gpu_done *d = &f->done[f->ndone++];
    *d = (struct lull_gpu_done){
        .cookie = f->queue[ring][0].job.cookie, .ring = (enum lull_ring)ring, .result = result};
    strncpy(d->message, result == LULL_JOB_BAD_PACKET ? "fake packet" : "", sizeof d->message - 1);
    memmove(&f->queue[ring][0], &f->queue[ring][1], (f->n[ring] - 1) * sizeof f->queue[ring][0]);
    f->n[ring]--;
}

static uint64_t fake_run(struct lull_gpu *gpu, uint64_t cycles)
{
    struct fake *f = fake_of(gpu);
    uint64_t most = 0;
    for (unsigned ring = 0; ring < FAKE_RINGS; ring++) { // to the end of the first job
        const struct fake_job *j = &f->queue[ring][0];
        if (f->n[ring] > 0 && j->kind == FAKE_WORK && j->cost - j->spent < cycles) {
            cycles = j->cost - j->spent;
        }
    }
    for (unsigned ring = 0; ring < FAKE_RINGS; ring++) {
        struct fake_job *j = &f->queue[ring][0];
        if (f->n[ring] == 0 || j->kind == FAKE_HALT) {
            continue;
        }
        if (j->kind == FAKE_BAD) {
            fake_end(f, ring, LULL_JOB_BAD_PACKET);
            continue;
        }
        const uint64_t left = j->kind == FAKE_WORK ? j->cost - j->spent : cycles;
        const uint64_t n = left < cycles ? left : cycles;
        j->spent += n;
        most = n > most ? n : most;
        if (j->kind == FAKE_WORK && j->spent == j->cost) {
            fake_end(f, ring, LULL_JOB_DONE);
        }
    }
    f->cycles += most;
    return most;
}

static bool fake_next_done(struct lull_gpu *gpu, struct lull_gpu_done *ret)
{
    struct fake *f = fake_of(gpu);
    if (f->ndone == 0) {
        return false;
    }
    *ret = f->done[0];
    memmove(&f->done[0], &f->done[1], --f->ndone * sizeof f->done[0]);
    return true;
}

static uint64_t fake_job_cycles(const struct lull_gpu *gpu, enum lull_ring ring)
{
    struct fake *f = fake_of(gpu);
    return f->n[ring] > 0 ? f->queue[ring][0].spent : 0;
}

static void fake_reset_ring(struct lull_gpu *gpu, enum lull_ring ring)
{
    struct fake *f = fake_of(gpu);
    f->resets++;
    if (f->n[ring] > 0) {
        fake_end(f, ring, LULL_JOB_KILLED);
    }
}

static uint32_t fake_read_reg(struct lull_gpu *gpu, struct lull_bank bank, uint32_t offset)
{
    struct fake *f = fake_of(gpu);
    f->last = bank;
    if (offset == FAKE_TBA_LO) {
        return f->tba[bank.srbm >> 4 & 15];
    }
    if (offset == FAKE_SQ_IND_DATA) { // says what was asked for
        uint32_t *index = &f->regs[FAKE_SQ_IND_INDEX / 4];
        const uint32_t v = *index;
        *index += (v & 1 << 11) != 0 ? 1 << 16 : 0;
        return v;
    }
    return offset < FAKE_REGS ? f->regs[offset / 4] : 0;
}

static void fake_write_reg(struct lull_gpu *gpu, struct lull_bank bank, uint32_t offset,
                           uint32_t value)
{
    struct fake *f = fake_of(gpu);
    f->last = bank;
    if (offset == FAKE_TBA_LO) {
        f->tba[bank.srbm >> 4 & 15] = value;
    } else if (offset < FAKE_REGS) {
        f->regs[offset / 4] = value;
    }
    if (offset == FAKE_FAULT_CNTL && (value & 1) != 0) {
        f->regs[FAKE_FAULT_STATUS / 4] = 0;
    }
    // KILL, broadcast, CHECK_VMID: bits from the fact sheet
    for (unsigned ring = 0; offset == FAKE_SQ_CMD && (value & 0xff) == 0x93 && ring < FAKE_RINGS;
         ring++) {
        struct fake_job *j = &f->queue[ring][0];
        if (f->n[ring] > 0 && j->kind == FAKE_LOOP && j->job.vmid == value >> 28) {
            j->kind = FAKE_WORK;
            j->cost = j->spent + 10;
        }
    }
}

static void fake_flush(struct lull_gpu *gpu, uint32_t vmid)
{
    (void)vmid;
    fake_of(gpu)->flushes++;
}

static uint64_t fake_clock(const struct lull_gpu *gpu)
{
    return fake_of(gpu)->cycles;
}

static const struct lull_gpu_ops fake_ops = {
    .destroy = fake_destroy,
    .submit = fake_submit,
    .run = fake_run,
    .next_done = fake_next_done,
    .job_cycles = fake_job_cycles,
    .reset_ring = fake_reset_ring,
    .read_reg = fake_read_reg,
    .write_reg = fake_write_reg,
    .flush_tlb = fake_flush,
    .clock = fake_clock,
};

/** A kernel on a new fake GPU; @p ret_gpu is owned by the kernel. */
static inline struct lull_kernel *fake_kernel(const struct lull_vdrm_options *options,
                                              struct fake **ret_gpu)
{
    struct fake *f = calloc(1, sizeof *f);
    if (f == NULL) {
        abort();
    }
    const uint64_t vram = (uint64_t)FAKE_VRAM_MIB << 20, gtt = (uint64_t)FAKE_GTT_MIB << 20;
    f->map_size = vram + gtt;
    f->memfd = memfd_create("fake", MFD_CLOEXEC);
    f->regs = calloc(FAKE_REGS / 4, 4);
    if (f->memfd < 0 || f->regs == NULL || ftruncate(f->memfd, (off_t)f->map_size) != 0) {
        abort();
    }
    f->map =
        mmap(NULL, f->map_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, f->memfd, 0);
    if (f->map == MAP_FAILED) {
        abort();
    }
    f->phys = (struct lull_phys){.vram = f->map,
                                 .vram_size = vram,
                                 .system = f->map + vram,
                                 .system_base = 0x100000000,
                                 .system_size = gtt};
    f->cost = 1000;
    const struct lull_vda_gpu gpu = {.ops = &fake_ops,
                                     .gpu = (struct lull_gpu *)f,
                                     .chip = &lull_chip_navi31,
                                     .phys = &f->phys,
                                     .memfd = f->memfd,
                                     .se = 6,
                                     .sa_per_se = 2,
                                     .wgp_per_sa = 4};
    struct lull_kernel *k = NULL;
    struct lull_error *err = lull_vda_new(options, gpu, &k);
    if (err != NULL) {
        abort();
    }
    *ret_gpu = f;
    return k;
}

#endif
