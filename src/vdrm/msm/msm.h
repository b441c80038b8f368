// SPDX-License-Identifier: MIT
/** @file
 * The virtual msm: what it adds to the core's device, files and buffers. Its names begin with
 * lull_vdm_, those of the core with lull_vd_.
 *
 * Source: Linux 6.12 drivers/gpu/drm/msm, as facts.
 *
 * What stands here calls only what stands above it (test `cycles`):
 *
 *   ring.c     the ring, and the packets around a submit
 *   space.c    addresses of buffers, and of what lull has there
 *   queue.c    submitqueues
 *   dumped.c   clusters and shader blocks of a dump
 *   crash.c    what is kept of a hang or fault
 *   rd.c       submits for who listens
 *   sched.c    submits on the ring, hangs, page faults
 *   gem.c      calls on buffers
 *   param.c    GET_PARAM, SET_PARAM
 *   submit.c   GEM_SUBMIT, WAIT_FENCE
 *   files.c    texts and numbers of the kernel's driver
 *   time.c     the file for going back in time
 *   debugfs.c  files for debuggers of the model, and the table of all
 *   platform.c the device in sysfs
 *   driver.c   the table by which the core knows all this
 *   model.c    all this on the model GPU
 */
#ifndef LULL_VDRM_MSM_MSM_H
#define LULL_VDRM_MSM_MSM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/str.h"
#include "base/tree.h"
#include "model/adreno/gpu.h"
#include "uapi/msm.h"
#include "vdrm/core/vd.h"
#include "vdrm/msm/vdrm.h"

enum {
    LULL_VDM_NS_PER_CYCLE = 52,
    LULL_VDM_RING_DWORDS = 8192, ///< 32 KiB
    LULL_VDM_ON_RING = 8,        ///< msm's num_hw_submissions
    LULL_VDM_PRIORITIES = 3,     ///< Of a ring: NR_SCHED_PRIORITIES
    LULL_VDM_NAME = 32,
    LULL_VDM_METADATA = 128,
};

/** A submitqueue. */
struct lull_vdm_queue {
    struct lull_vdm_queue *next; ///< Of those of its file.
    unsigned refs;
    uint32_t id, flags, prio, faults;
    uint32_t last_fence, next_fence;
};

/** A command buffer. */
struct lull_vdm_cmd {
    uint64_t iova;
    uint32_t type, ndwords;
    uint32_t bo; ///< In lull_vdm_job.bos.
};

/** A submit. */
struct lull_vdm_job {
    struct lull_vdm_job *next;
    struct lull_vd_file *file;
    struct lull_vdm_queue *queue; ///< A reference.
    struct lull_vd_fence *fence;  ///< A reference.
    uint32_t fence_id;            ///< In its queue.
    uint32_t seqno;               ///< On the ring.
    bool on_ring, fault_dumped;
    struct lull_vd_fence_set deps;
    uint32_t nbos, ncmds;
    struct lull_vd_bo **bos; ///< References.
    uint32_t *bo_flags;
    struct lull_vdm_cmd *cmds;
};

/** What the kernel keeps for the ring in memory that the GPU sees. */
struct lull_vdm_memptrs {
    uint32_t rptr, fence;
    uint64_t ttbr0;
    uint32_t context, pad;
    struct {
        uint64_t cycles[2], always_on[2];
    } stats[64]; ///< By seqno.
};

/** Opcodes, events and the like that the ring needs, by name in data/adreno. */
struct lull_vdm_words;

/** A devcoredump. */
struct lull_vdm_dump {
    struct lull_str text;
    unsigned number; ///< Of /sys/class/devcoredump/devcdN; 0: there is none.
    uint64_t since_ns;
};
/** It, open. */
struct lull_vdm_dump_file {
    struct lull_vd_file f; ///< First.
    unsigned number;
};
#define LULL_VDM_DUMP_PATH "/sys/class/devcoredump/devcd%u/data"

/** Memory of lull's own in all address spaces: lull_vdm_reserve(). */
struct lull_vdm_reserved {
    uint64_t iova, size;
    uint8_t *memory; ///< Borrowed.
};

/** What is open as debugfs's rd or hangrd. */
struct lull_vdm_rd {
    const char *name;
    bool open;
    struct lull_str text;
    size_t taken; ///< Of it, bytes that were read.
};

struct lull_vdm {
    struct lull_vd vd; ///< First.
    const struct lull_agpu_ops *ops;
    struct lull_agpu *gpu; ///< Owned.
    const struct lull_achip *chip;
    uint8_t *memory; ///< All buffers; mapped from vd.memfd.
    uint64_t memory_size;
    uint64_t va_start, va_size; ///< Addresses of buffers.
    struct lull_vdm_reserved *reserved;
    size_t nreserved;
    uint64_t hang_ns;
    /* ring.c */
    uint32_t *ring;
    struct lull_vdm_memptrs *ptrs;
    struct lull_vdm_words *words;
    uint32_t wptr, seqno;
    uint32_t *garbage; ///< Packets in front of each submit; NULL: none.
    uint32_t ngarbage; ///< Dwords of them.
    uint32_t context;  ///< lull_vd_file.id of what ran last; 0: none.
    /* sched.c */
    struct lull_vdm_job *jobs; ///< Not finished, oldest first.
    unsigned on_ring;
    uint64_t global_faults;
    struct {
        uint64_t progress, since_ns;
        uint32_t seqno; ///< Of the submit that runs.
        uint64_t runs_ns;
    } watch;
    uint64_t longest_ns; ///< That a submit may run; 0: no matter.
    /* crash.c, rd.c */
    struct lull_vdm_dump dump;
    unsigned dumps; ///< So far.
    bool no_dumps;
    struct lull_vdm_rd rd, hangrd;
    bool rd_full, hang_debug; ///< Module parameters.
    struct lull_vdm_stomp stomp;
    uint32_t nbuffers; ///< That were made so far.
    struct lull_vdm_searched {
        size_t n;      ///< Found by the last search.
        uint64_t from; ///< How far back it looked.
    } searched;
    struct lull_vdm_owner {
        uint64_t ttbr0;
        uint32_t pid, client; ///< client: lull_vd_file.id.
    } * owners;               ///< Of all address spaces that there have been; owned.
    size_t nowners;
};

/** A DRM file. */
struct lull_vdm_file {
    struct lull_vd_file f; ///< First.
    struct lull_agpu_space *space;
    struct lull_tree maps; ///< Of struct lull_vdm_map, by address.
    struct lull_vdm_queue *queues;
    uint32_t next_queue;
    uint64_t faults;
    unsigned sysprof;
    char *told[2]; ///< MSM_PARAM_COMM, MSM_PARAM_CMDLINE; NULL: the process's own.
};

/** A buffer in an address space. */
struct lull_vdm_map {
    struct lull_tree_node at; ///< In lull_vdm_file.maps.
    struct lull_list of_bo;   ///< In lull_vdm_bo.maps.
    struct lull_vdm_bo *bo;
    struct lull_vdm_file *file; ///< Whose.
    uint64_t size;
};

struct lull_vdm_bo {
    struct lull_vd_bo bo;  ///< First. Its fences are those of all who use it.
    struct lull_list maps; ///< Of struct lull_vdm_map.
    struct lull_vd_fence_set writers;
    uint32_t flags; ///< MSM_BO_*
    enum { LULL_VDM_WANTED = MSM_MADV_WILLNEED, LULL_VDM_UNWANTED = MSM_MADV_DONTNEED } madv;
    char name[LULL_VDM_NAME];
    uint8_t metadata[LULL_VDM_METADATA];
    uint32_t nmetadata;
};

static inline struct lull_vdm *lull_vdm(struct lull_vd *d)
{
    return (struct lull_vdm *)d;
}

static inline const struct lull_vdm *lull_vdm_const(const struct lull_vd *d)
{
    return (const struct lull_vdm *)d;
}

static inline struct lull_vdm_file *lull_vdm_file(struct lull_vd_file *f)
{
    return (struct lull_vdm_file *)f;
}

static inline struct lull_vdm_bo *lull_vdm_bo(struct lull_vd_bo *bo)
{
    return (struct lull_vdm_bo *)bo;
}

/* ring.c */

/** 0 or -ENOMEM. */
int lull_vdm_ring_init(struct lull_vdm *d);
void lull_vdm_ring_done(struct lull_vdm *d);
/** 0xffffffff is written into these registers in front of each submit, by at least @p packets
 * packets. 0 or -ENOMEM. */
int lull_vdm_ring_stomp(struct lull_vdm *d, const uint32_t *regs, unsigned n, unsigned packets);
/** Where it lies. */
uint64_t lull_vdm_ring_iova(void);
/** The ring is empty, as after power-on. */
void lull_vdm_ring_reset(struct lull_vdm *d);
/** a6xx_submit(), a7xx_submit(): the packets of @p job, and the kick. @return False: there is no
 * room yet. */
bool lull_vdm_ring_write(struct lull_vdm *d, struct lull_vdm_job *job);

/* space.c */

/** lull_vdm_reserve()'s memory, in the space of a new file. 0 or -ENOMEM. */
int lull_vdm_reserved_map(struct lull_vdm_file *f);

/** Where @p bo is in @p f, or 0. */
uint64_t lull_vdm_iova(const struct lull_vdm_file *f, struct lull_vd_bo *bo);
/** msm_gem_get_iova(): the same, at an address of the kernel's choice if it is nowhere yet.
 * @return 0 or -errno. */
int lull_vdm_iova_get(struct lull_vdm_file *f, struct lull_vd_bo *bo, uint64_t *ret);
/** msm_gem_set_iova() */
int lull_vdm_iova_set(struct lull_vdm_file *f, struct lull_vd_bo *bo, uint64_t iova);
/** A buffer goes: nobody maps it any more. */
void lull_vdm_bo_done(struct lull_vd *d, struct lull_vd_bo *bo);
/** Mapping @p n of @p f, by address: where, how large, the buffer's name. @return False: there are
 * not so many. */
bool lull_vdm_map_number(const struct lull_vdm_file *f, uint64_t n, uint64_t *iova, uint64_t *size,
                         char name[LULL_VDM_NAME]);
/** A file goes: some of its mappings do. @return All are gone. */
bool lull_vdm_maps_drop(struct lull_vdm_file *f, unsigned *budget);

/* queue.c */

struct lull_vdm_queue *lull_vdm_queue_find(const struct lull_vdm_file *f, uint32_t id);
void lull_vdm_queue_put(struct lull_vdm_queue *q);
int lull_vdm_queue_create(struct lull_vdm_file *f, uint32_t prio, uint32_t flags, uint32_t *ret);
void lull_vdm_queues_done(struct lull_vdm_file *f);
int lull_vdm_queue_new(struct lull_vd_file *f, void *arg);
int lull_vdm_queue_close(struct lull_vd_file *f, void *arg);
int lull_vdm_queue_query(struct lull_vd_file *f, void *arg);

/* crash.c */

/** Is buffer @p i of @p job one whose content is kept? */
bool lull_vdm_dumped(const struct lull_vdm *d, const struct lull_vdm_job *job, uint32_t i);
/** Name and command line of who opened @p f, for lull_str_free(). */
void lull_vdm_process(const struct lull_vd_file *f, struct lull_str ret[2]);
/** adreno_show(): the state of the GPU. @p job, @p fault: NULL: none. */
void lull_vdm_show(struct lull_vdm *d, const struct lull_vdm_job *job,
                   const struct lull_agpu_event *fault, struct lull_str *out);
/** msm_gpu_crashstate_capture() */
void lull_vdm_crash(struct lull_vdm *d, const struct lull_vdm_job *job,
                    const struct lull_agpu_event *fault);
void lull_vdm_dump_free(struct lull_vdm *d);
/* The file of a dump. */
int lull_vdm_dump_open(struct lull_vd_file *f, const char *path);
ssize_t lull_vdm_dump_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vdm_dump_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);

/* rd.c */

/** msm_rd_dump_submit(). @p hang: and who it was. */
void lull_vdm_rd_dump(struct lull_vdm *d, struct lull_vdm_rd *rd, const struct lull_vdm_job *job,
                      bool hang);
int lull_vdm_rd_open(struct lull_vd_file *f, const char *path);
ssize_t lull_vdm_rd_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
void lull_vdm_rd_close(struct lull_vd_file *f);

/* files.c */

void lull_vdm_gpu_text(struct lull_vd *d, struct lull_str *ret);
void lull_vdm_gem_text(struct lull_vd *d, struct lull_str *ret);
/** Of hangcheck_period_ms, and of this, which is no kernel's: lull_vdm_options.longest_ms. */
#define LULL_VDM_LONGEST "lull_longest_ms"
ssize_t lull_vdm_period_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vdm_period_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** Of module parameters. */
ssize_t lull_vdm_flag_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vdm_flag_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** Of /sys/class/devcoredump. */
ssize_t lull_vdm_disabled_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vdm_disabled_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);

/* sched.c: see struct lull_vd_driver. */

void lull_vdm_job_free(struct lull_vdm *d, struct lull_vdm_job *job);
bool lull_vdm_advance(struct lull_vd *d);
uint64_t lull_vdm_run(struct lull_vd *d, uint64_t cycles);
bool lull_vdm_check(struct lull_vd *d);
bool lull_vdm_end_stall(struct lull_vd *d);
void lull_vdm_kill_jobs(struct lull_vd_file *f);

/* Calls. */

int lull_vdm_gem_new(struct lull_vd_file *f, void *arg);
int lull_vdm_gem_info(struct lull_vd_file *f, void *arg);
int lull_vdm_cpu_prep(struct lull_vd_file *f, void *arg);
int lull_vdm_cpu_fini(struct lull_vd_file *f, void *arg);
int lull_vdm_madvise(struct lull_vd_file *f, void *arg);
int lull_vdm_get_param(struct lull_vd_file *f, void *arg);
int lull_vdm_set_param(struct lull_vd_file *f, void *arg);
/** What later kernels have: refused as here, with a line in the log that says so. */
int lull_vdm_vm_bind(struct lull_vd_file *f, void *arg);
int lull_vdm_submit(struct lull_vd_file *f, void *arg);
int lull_vdm_wait_fence(struct lull_vd_file *f, void *arg);

/** When the absolute time of @p t has come. */
struct lull_vd_deadline lull_vdm_deadline(const struct lull_vd *d,
                                          const struct drm_msm_timespec *t);

extern const struct lull_vd_sysfs lull_vdm_sysfs;

#endif
