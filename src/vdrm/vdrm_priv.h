// SPDX-License-Identifier: MIT
/** @file
 * Inside the virtual driver.
 *
 * Functions that answer system calls return 0 or a negative errno, as the kernel's do; the name of
 * the kernel function whose checks are followed stands at each. All of it runs under the lock of
 * thread.c, which only lull_vd_wait() releases: what is needed behind a wait must be owned.
 *
 * Source: Linux 6.12 drivers/gpu/drm, as facts.
 *
 * What stands here calls only what stands above it (test `cycles`):
 *
 *   heap.c     free ranges of VRAM and GTT, handles
 *   fence.c    fences
 *   door.c     sockets and who comes in
 *   user.c     who makes a call, and its memory
 *   clock.c    clocks and timeouts
 *   thread.c   the lock
 *   regs.c     banks of registers
 *   own.c      memory of one file's own
 *   gem.c      buffers
 *   pt.c       page tables in VRAM
 *   vm.c       address spaces: mappings, VMIDs
 *   guard.c    what is done when a debugger goes
 *   ctx.c      contexts, buffer lists
 *   job.c      jobs
 *   text.c     sysfs, /dev/kmsg, vm_info
 *   dispatches.c  records of dispatches, and catches
 *   sched.c    jobs on rings, waits, hangs, page faults
 *   worker.c   the thread on which the GPU runs
 *   files.c    files by their descriptors
 *   syncobj.c  sync objects
 *   event.c    eventfds and sync files that programs poll
 *   cs.c       command submission
 *   wait.c     waiting for jobs
 *   prime.c    buffers shared with other files, and with the client's own memory
 *   info.c     AMDGPU_INFO
 *   debugfs.c  registers, waves, memory
 *   ioctl.c    DRM's dispatcher and core ioctls
 *   device.c   files: open, close, mmap, read, write
 *   model.c    all this on the model GPU
 *   sysfs.c    sysfs as real files, for other processes
 *   server.c   the driver for other processes; session.c: programs that have it
 */
#ifndef LULL_VDRM_VDRM_PRIV_H
#define LULL_VDRM_VDRM_PRIV_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/list.h"
#include "base/str.h"
#include "base/tree.h"
#include "drm/debugfs_abi.h"
#include "drm/kernel.h"
#include "uapi/amdgpu.h"
#include "vdrm/door.h"
#include "vdrm/gpu_ops.h"
#include "vdrm/heap.h"

enum {
    LULL_VD_PAGE_SHIFT = 12,
    LULL_VD_PAGE = 1 << LULL_VD_PAGE_SHIFT,
    LULL_VD_NVMID = 8,        ///< 0 is the kernel's, 1 to 7 are for clients.
    LULL_VD_NIP = 2,          ///< Engines that are there: gfx, compute.
    LULL_VD_RINGS_PER_IP = 4, ///< amdgpu_ctx_num_entities at most.
    LULL_VD_SCHED_JOBS = 32,  ///< amdgpu.sched_jobs: fences a context remembers per ring.
    LULL_VD_HW_JOBS = 2,      ///< amdgpu.sched_hw_submission: jobs on a ring.
    LULL_VD_KMSG_LINES = 512,
    LULL_VD_RECORDS = 65536,   ///< Dispatches remembered.
    LULL_VD_NS_PER_CYCLE = 10, ///< One cycle is one tick of the 100 MHz clock.
};

struct lull_vd;
struct lull_vd_file;

/* Fences. */

struct lull_vd_fence {
    unsigned refs;
    bool scheduled; ///< On a ring, or past that.
    bool done;
    int error; ///< 0 or negative errno, once done.
};

struct lull_vd_fence *lull_vd_fence_new(bool done);
struct lull_vd_fence *lull_vd_fence_get(struct lull_vd_fence *f);
void lull_vd_fence_put(struct lull_vd_fence *f);

/** Fences not yet done, with those that are done dropped now and then. */
struct lull_vd_fence_set {
    struct lull_vd_fence **fences;
    size_t n, room;
};

bool lull_vd_fence_set_add(struct lull_vd_fence_set *s, struct lull_vd_fence *f);
bool lull_vd_fence_set_idle(const struct lull_vd_fence_set *s);
void lull_vd_fence_set_done(struct lull_vd_fence_set *s);

/* Memory that only one DRM file can reach. */

/** A sparse memfd as large as the GPU's memory; buffers lie where they are in that. */
struct lull_vd_own {
    unsigned refs;
    int fd;
    struct lull_list userptrs; ///< Of struct lull_vd_bo.
};

/** New memory for a DRM file. @return 0 or -errno. */
int lull_vd_own_new(const struct lull_vd *d, bool render, struct lull_vd_own **ret);
void lull_vd_own_put(struct lull_vd_own *own);

/* Buffers. */

struct lull_vd_bo {
    struct lull_tree_node at;      ///< In lull_vd.bos, by offset.
    struct lull_list handles;      ///< Of struct lull_vd_handle: files that have one.
    struct lull_list maps;         ///< Of struct lull_vd_map.
    struct lull_list userptr_link; ///< In lull_vd_own.userptrs, if it is one.
    unsigned refs;
    uint64_t size;   ///< Bytes, a multiple of 4096.
    uint64_t offset; ///< In the memfd, and so what GEM_MMAP gives.
    uint64_t phys;   ///< VRAM: physical address; else bus address.
    bool vram;
    uint32_t domains; ///< Preferred.
    uint64_t flags, alignment;
    struct lull_vd_own *own; ///< What it lies in, a reference; NULL: the GPU's memfd.
    uint64_t own_offset;     ///< Where in that; offset, but for exported buffers.
    uint64_t userptr;        ///< The client's pages that it took the place of; 0: none.
    struct lull_vd_bo *
        *newer; ///< Userptr buffers, references, that took some of these pages again.
    size_t nnewer;
    struct lull_vd_fence_set fences;
    uint64_t tiling, meta_flags;
    uint32_t meta_size, meta[64];
};

/** What a file calls a buffer. */
struct lull_vd_handle {
    struct lull_list link; ///< In lull_vd_bo.handles.
    const struct lull_vd_file *file;
    uint32_t number;
};

int lull_vd_bo_new(struct lull_vd_file *f, const struct drm_amdgpu_gem_create_in *in,
                   struct lull_vd_bo **ret);
/** The buffer that lies at @p offset, or begins there if @p start; NULL: none. */
struct lull_vd_bo *lull_vd_bo_at(const struct lull_vd *d, uint64_t offset, bool start);
/** A handle for @p bo, of which it takes a reference; 0: no memory. */
uint32_t lull_vd_bo_handle(struct lull_vd_file *f, struct lull_vd_bo *bo);
/** The handle is no more; the reference it had is the caller's. NULL: there is none. */
struct lull_vd_bo *lull_vd_bo_unhandle(struct lull_vd_file *f, uint32_t handle);
/** The same for any handle of the file, the greatest first. */
struct lull_vd_bo *lull_vd_bo_unhandle_any(struct lull_vd_file *f);
/** Has the file a handle for it? 0: no. */
uint32_t lull_vd_bo_handle_of(const struct lull_vd_file *f, const struct lull_vd_bo *bo);
/** Where the host sees it. */
uint8_t *lull_vd_bo_mem(const struct lull_vd *d, const struct lull_vd_bo *bo);
/**
 * Give @p bo a memfd of its own, with what is in it, for another process.
 *
 * @return 0 or -errno.
 */
int lull_vd_own_move(const struct lull_vd *d, struct lull_vd_bo *bo);
/** Put @p bo's memory under the GPU's addresses, or the GPU's own back. @return 0 or -errno. */
int lull_vd_own_map(const struct lull_vd *d, const struct lull_vd_bo *bo);
int lull_vd_own_unmap(const struct lull_vd *d, const struct lull_vd_bo *bo);
void lull_vd_bo_put(struct lull_vd *d, struct lull_vd_bo *bo);
struct lull_vd_bo *lull_vd_bo_lookup(const struct lull_vd_file *f, uint32_t handle);

/* Page tables. */

/** A table of 512 entries. Level 3 is the root (PDB2), 0 the last (PTB). */
struct lull_vd_pt {
    uint64_t phys;             ///< In VRAM.
    unsigned live;             ///< Entries in use.
    struct lull_vd_pt **child; ///< 512, at levels above 0.
};

/** Pages of 4 KiB [start, last] of an address space, contiguous in memory. */
struct lull_vd_run {
    uint64_t start, last; ///< Page numbers in 48-bit addresses.
    uint64_t phys;        ///< Of the first, in bytes.
    uint64_t flags;       ///< Of the entries, in hardware's format, without FRAGMENT.
};

int lull_vd_pt_root(struct lull_vd *d, struct lull_vd_pt **ret);
/** Free all tables, as many as @p budget still allows. @return All are gone. */
bool lull_vd_pt_free(struct lull_vd *d, struct lull_vd_pt *root, unsigned *budget);
/** Write entries for pages that have none. @return 0 or -ENOMEM, and then nothing is written. */
int lull_vd_pt_map(struct lull_vd *d, struct lull_vd_pt *root, const struct lull_vd_run *run);
/** Clear what lull_vd_pt_map wrote for the same run. */
void lull_vd_pt_unmap(struct lull_vd *d, struct lull_vd_pt *root, const struct lull_vd_run *run);
/** Entry flags for a mapping with AMDGPU_VM_PAGE_* @p flags of @p bo (NULL: PRT). */
uint64_t lull_vd_pte_flags(const struct lull_vd_bo *bo, uint32_t flags);
/** Value of CONTEXTn_PAGE_TABLE_BASE_ADDR for a root. */
uint64_t lull_vd_pt_base(const struct lull_vd_pt *root);

/* Address spaces. */

struct lull_vd_map {
    struct lull_tree_node at;    ///< In lull_vd_vm.maps, by start.
    struct lull_tree_node dirty; ///< In lull_vd_vm.dirty, by start, until written.
    struct lull_list link;       ///< In lull_vd_bo.maps; later in lull_vd_vm.gone.
    struct lull_vd_vm *vm;
    uint64_t start, last;  ///< Page numbers in 48-bit addresses.
    uint64_t offset;       ///< Into bo, in bytes.
    uint32_t flags;        ///< AMDGPU_VM_PAGE_*.
    bool written;          ///< In the page tables.
    struct lull_vd_bo *bo; ///< NULL: PRT. Borrowed while mapped, for the handle goes last; once
                           ///< gone a reference: its memory stays until then.
};

struct lull_vd_vm {
    struct lull_vd_pt *root;
    struct lull_tree maps, dirty; ///< Of struct lull_vd_map; disjoint. Those not yet written.
    struct lull_list gone; ///< Mappings that are gone, but still in the page tables until the
                           ///< address space is idle.
    uint32_t vmid;         ///< 0: none now.
    bool reserved;
    unsigned running; ///< Jobs on rings.
    struct drm_amdgpu_info_gpuvm_fault fault;
    struct lull_vd_fence_set fences; ///< Of all submissions: of always-valid buffers.
};

/** Registers of all VMIDs, once. */
void lull_vd_vm_setup(struct lull_vd *d);
int lull_vd_vm_init(struct lull_vd *d, struct lull_vd_vm *vm);
/** Take @p vm down, as far as @p budget (mappings and tables) still allows. @return It is gone. */
bool lull_vd_vm_done(struct lull_vd *d, struct lull_vd_vm *vm, unsigned *budget);
int lull_vd_vm_va(struct lull_vd_file *f, struct drm_amdgpu_gem_va *arg);
/** Bring the page tables up to date, unless something must go while jobs run. @return 0, -ENOMEM or
 * -EBUSY. */
int lull_vd_vm_update(struct lull_vd *d, struct lull_vd_vm *vm);
/** Store 32 bits, as a client could. @return False: nothing is mapped there. */
bool lull_vd_vm_store(struct lull_vd *d, const struct lull_vd_vm *vm, uint64_t va, uint32_t value);
/** Remove all mappings of @p bo. */
void lull_vd_vm_forget(struct lull_vd *d, struct lull_vd_vm *vm, struct lull_vd_bo *bo);
/** Give @p vm a VMID and load it. False: all are in use now. */
bool lull_vd_vm_grab(struct lull_vd *d, struct lull_vd_vm *vm);
void lull_vd_vm_release(struct lull_vd *d, struct lull_vd_vm *vm);

/* Contexts and jobs. */

/** A context's queue for one ring. */
struct lull_vd_entity {
    uint64_t sequence; ///< Of the next submission; from 1.
    struct lull_vd_fence *fences[LULL_VD_SCHED_JOBS];
    struct lull_vd_fence
        *last; ///< Of the job last scheduled: its error is passed on to later ones.
};

/** drm_sched_entity_error() */
int lull_vd_entity_error(const struct lull_vd_entity *e);

struct lull_vd_ctx {
    unsigned refs;
    bool guilty;                  ///< A job of it hung, or its command processor stopped.
    uint64_t resets, resets_seen; ///< lull_vd.resets when it was made, and at the last QUERY_STATE.
    struct lull_vd_entity *entities[AMDGPU_HW_IP_NUM][LULL_VD_RINGS_PER_IP];
};

struct lull_vd_ctx *lull_vd_ctx_lookup(const struct lull_vd_file *f, uint32_t id);
void lull_vd_ctx_put(struct lull_vd_ctx *ctx);
/** amdgpu_ctx_get_entity(): -EINVAL, -ENOMEM, or the error of its last job. */
int lull_vd_ctx_entity(struct lull_vd_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
                       struct lull_vd_entity **ret);
/** amdgpu_ctx_get_fence(): @p ret is NULL if the job is done long since; else a new reference. */
int lull_vd_ctx_fence(const struct lull_vd_entity *e, uint64_t seq, struct lull_vd_fence **ret);

struct lull_vd_list {
    uint32_t n;
    struct lull_vd_bo *bos[]; ///< References.
};

/** amdgpu_bo_create_list_entry_array() and amdgpu_bo_list_create(). */
int lull_vd_list_new(struct lull_vd_file *f, const struct drm_amdgpu_bo_list_in *in,
                     struct lull_vd_list **ret);
void lull_vd_list_free(struct lull_vd *d, struct lull_vd_list *list);
struct lull_vd_list *lull_vd_list_lookup(const struct lull_vd_file *f, uint32_t handle);

struct lull_vd_dep {
    struct lull_vd_fence *fence; ///< A reference.
    bool scheduled;              ///< Enough that it is on its ring.
};

struct lull_vd_ib {
    uint64_t va;
    uint32_t ndwords;
};

struct lull_vd_job {
    struct lull_vd_job *next;
    struct lull_vd_file *file;
    struct lull_vd_ctx *ctx;       ///< A reference.
    struct lull_vd_entity *entity; ///< Of ctx.
    enum lull_ring ring;
    struct lull_vd_fence *fence; ///< A reference.
    uint64_t seq;
    struct lull_vd_bo *user_fence; ///< A reference, or NULL.
    uint32_t user_fence_offset;
    struct lull_vd_dep *deps;
    size_t ndeps, deps_room;
    unsigned parts; ///< Jobs of the model not yet finished.
    bool on_ring;
    int error; ///< That it will end with.
    size_t nibs;
    struct lull_vd_ib ibs[192]; ///< amdgpu_ring_max_ibs() at most.
};

void lull_vd_job_free(struct lull_vd *d, struct lull_vd_job *job);
bool lull_vd_job_depend(struct lull_vd_job *job, struct lull_vd_fence *fence, bool scheduled);

int lull_vd_cs(struct lull_vd_file *f, union drm_amdgpu_cs *arg);

/* Scheduler and time. */

/** Collect what is done, update page tables, put what is ready on the rings. @return Something
 * happened. */
bool lull_vd_advance(struct lull_vd *d);
/** Let the GPU run for one poll. */
void lull_vd_poll(struct lull_vd *d);
/** Wake-up time of a wait. */
struct lull_vd_deadline {
    bool forever;
    uint64_t cycles; ///< From now; 0: poll once.
    uint64_t ns;     ///< Threaded: CLOCK_MONOTONIC; 0: do not wait.
    bool host;       ///< Threaded: for something that a client does, not the GPU.
};
typedef bool lull_vd_ready(void *arg);
/**
 * Let the GPU run until @p ready. Threaded, others call meanwhile: @p arg must own what it needs.
 *
 * @return False: time is up, nothing will move, or @p f was closed.
 */
bool lull_vd_wait(struct lull_vd_file *f, lull_vd_ready *ready, void *arg,
                  struct lull_vd_deadline deadline);
/** Let the GPU run, and take up its page faults. @return Cycles that passed. */
uint64_t lull_vd_run(struct lull_vd *d, uint64_t cycles);
/** Threaded: end what has not moved for too long. @return It did. */
bool lull_vd_check_progress(struct lull_vd *d);
/** CLOCK_MONOTONIC as clients see it. */
uint64_t lull_vd_now_ns(struct lull_vd *d);
/** amdgpu_gem_timeout(): negative is forever. */
struct lull_vd_deadline lull_vd_amdgpu_deadline(struct lull_vd *d, uint64_t timeout_ns);
/** drm_timeout_abs_to_jiffies(): 0 is poll, INT64_MAX forever. */
struct lull_vd_deadline lull_vd_drm_deadline(struct lull_vd *d, int64_t timeout_ns);
/** Oldest job on @p ring, or NULL. */
struct lull_vd_job *lull_vd_ring_head(const struct lull_vd *d, enum lull_ring ring);
/** A file is closed: its jobs must be gone. */
void lull_vd_kill_jobs(struct lull_vd *d, struct lull_vd_file *f);

int lull_vd_wait_cs(struct lull_vd_file *f, union drm_amdgpu_wait_cs *arg);
int lull_vd_wait_fences(struct lull_vd_file *f, union drm_amdgpu_wait_fences *arg);
int lull_vd_fence_to_handle(struct lull_vd_file *f, union drm_amdgpu_fence_to_handle *arg);
int lull_vd_gem_wait_idle(struct lull_vd_file *f, union drm_amdgpu_gem_wait_idle *arg);

/* The lock and the worker. All of these do nothing without threads. */

/** A thread that waits; on its stack. */
struct lull_vd_waiter {
    struct lull_vd_waiter *next;
    lull_vd_ready *ready;
    void *arg;
};

struct lull_vd_thread {
    pthread_mutex_t m; ///< Of what stands here; never held for long.
    pthread_cond_t turn, event, work;
    uint64_t next, serving; ///< Tickets of the lock.
    uint64_t events, kicks; ///< Count what those who sleep may want to know, and the worker.
    struct lull_vd_waiter *waiters; ///< Who waits for the GPU.
    uint64_t submitted;             ///< Host time of the last submission.
    uint64_t paused_since;          ///< Host time; 0: somebody waits.
    bool stands;                    ///< On purpose: paused, or waves are in their trap handlers.
    bool busy;                      ///< There is work, and in the last slice it went on.
    uint64_t idle_since;            ///< Host time to which the GPU's clock has come; 0: it works.
    bool started, stop;
    pthread_t worker;
};

int lull_vd_thread_start(struct lull_vd *d);
void lull_vd_thread_stop(struct lull_vd *d);
void lull_vd_lock(struct lull_vd *d);
/** Also wakes those who sleep, if lull_vd.changed. */
void lull_vd_unlock(struct lull_vd *d);
/** Let others have the lock who wait for it. */
void lull_vd_yield(struct lull_vd *d);
/** Release the lock until something changed or CLOCK_MONOTONIC is @p until; UINT64_MAX: no limit.
 */
void lull_vd_sleep(struct lull_vd *d, uint64_t until);
/** The worker's: until there may be work. */
void lull_vd_sleep_work(struct lull_vd *d, uint64_t until);
/** Somebody waits for the GPU, from now to lull_vd_wanted_no_more(). */
void lull_vd_wanted(struct lull_vd *d, struct lull_vd_waiter *w);
void lull_vd_wanted_no_more(struct lull_vd *d, const struct lull_vd_waiter *w);
uint64_t lull_vd_host_ns(void);
/** Host time in which the GPU did nothing goes on its clock. */
void lull_vd_catch_up(struct lull_vd *d);

/* Sync objects. */

/** A link of a timeline, or (the first only) a plain fence. */
struct lull_vd_point {
    uint64_t seqno, prev_seqno, context; ///< context: links of one are in order.
    bool plain;
    struct lull_vd_fence *fence; ///< A reference.
};

struct lull_vd_syncobj {
    unsigned refs;
    struct lull_vd_point *points; ///< None: no fence.
    size_t n, room;
};

struct lull_vd_syncobj *lull_vd_syncobj_new(struct lull_vd_fence *fence);
void lull_vd_syncobj_put(struct lull_vd_syncobj *s);
void lull_vd_syncobj_replace(struct lull_vd *d, struct lull_vd_syncobj *s,
                             struct lull_vd_fence *fence);
int lull_vd_syncobj_add_point(struct lull_vd *d, struct lull_vd_syncobj *s,
                              struct lull_vd_fence *fence, uint64_t point);
struct lull_vd_syncobj *lull_vd_syncobj_lookup(const struct lull_vd_file *f, uint32_t handle);
/** drm_syncobj_find_fence(): fences to wait for are added to @p job. */
int lull_vd_syncobj_depend(struct lull_vd_file *f, struct lull_vd_job *job, uint32_t handle,
                           uint64_t point, uint64_t flags);
/** Is there a fence for the point, and (unless @p available) is it done? */
bool lull_vd_syncobj_reached(struct lull_vd_syncobj *s, uint64_t point, bool available);
/** drm_syncobj_eventfd_ioctl() */
int lull_vd_event_add(struct lull_vd_file *f, const struct drm_syncobj_eventfd *arg);
/** Tell eventfds and sync files of fences that are done. */
void lull_vd_notify(struct lull_vd *d);
/** Forget the eventfds that @p f registered. */
void lull_vd_events_drop(struct lull_vd_file *f);
int lull_vd_syncobj_ioctl(struct lull_vd_file *f, unsigned nr, void *arg);

/* Files. */

enum lull_vd_kind {
    LULL_VD_DRM,
    LULL_VD_SYNCOBJ_FD,
    LULL_VD_SYNC_FILE,
    LULL_VD_DMA_BUF,
    LULL_VD_REGS2,
    LULL_VD_WAVE,
    LULL_VD_GPRWAVE,
    LULL_VD_GPR,
    LULL_VD_VRAM,
    LULL_VD_IOMEM,
    LULL_VD_VM_INFO,
    LULL_VD_GCA_CONFIG,
    LULL_VD_KMSG,
    LULL_VD_TEXT, ///< Read once, at open.
    LULL_VD_DISPATCHES,
    LULL_VD_CONTROL,
    LULL_VD_ALIAS, ///< Another fd of the file `alias`.
};

struct lull_vd_file {
    struct lull_vd *d;
    struct lull_vd_file *next;
    int fd;    ///< -1: closed.
    int give;  ///< Isolated, not a DRM file: the end of a pipe that goes to the client, or -1.
    int flags; ///< As opened.
    enum lull_vd_kind kind;
    struct lull_vd_file *alias; ///< LULL_VD_ALIAS
    unsigned fds;               ///< File descriptors: its own and aliases; 0: closed, waits end.
    unsigned pins;              ///< Calls that use it.
    pid_t pid;                  ///< That opened it.
    bool hung_up;               ///< Waits end: see lull_vd_file_hang_up().
    // LULL_VD_DRM
    uint32_t id; ///< PASID in messages.
    bool render, master, authenticated;
    uint32_t magic;
    struct lull_vd_own *own; ///< NULL: not isolated.
    struct lull_vd_idr bos, ctxs, lists, syncobjs;
    struct lull_vd_bo **parked; ///< Userptr buffers without a handle, until the client has let go.
    size_t nparked;
    struct lull_vd_vm vm;
    // the others
    struct lull_vd_syncobj *syncobj;
    struct lull_vd_fence *fence;
    bool told;             ///< The fence is done, and the client's end of the pipe says so.
    struct lull_vd_bo *bo; ///< LULL_VD_DMA_BUF, a reference.
    struct lull_regs2_v2 regs2;
    struct lull_gprwave gprwave;
    uint64_t kmsg_next;
    struct lull_str text;
    struct lull_control *catches; ///< LULL_NCATCHES, or NULL; op 0: free.
    struct lull_control *guards;  ///< LULL_NGUARDS, or NULL; op 0: free.
};

/** A mapping of a buffer into the host's memory. */
struct lull_vd_mmap {
    struct lull_tree_node at; ///< In lull_vd.mmaps, by address.
    void *map;
    size_t size;
    struct lull_vd_bo *bo; ///< A reference.
};

struct lull_vd_kmsg {
    uint64_t time_us;
    unsigned level;
    char text[168];
};

/** An eventfd that waits for a point of a sync object. */
struct lull_vd_event {
    struct lull_vd_event *next;
    struct lull_vd_file *file;       ///< That registered it, and takes it along when it goes.
    struct lull_vd_syncobj *syncobj; ///< A reference.
    uint64_t point;
    bool available; ///< A fence is enough; it need not be done.
    int fd;
};

struct lull_vd {
    struct lull_kernel k; ///< First.
    struct lull_vd_gpu gpu;
    struct lull_vdrm_options options;
    struct lull_vd_file *files;
    struct lull_vd_event *events;
    struct lull_vd_heap vram, gtt;
    struct lull_tree bos;                    ///< Of struct lull_vd_bo.
    struct lull_tree mmaps;                  ///< Of struct lull_vd_mmap.
    struct lull_vd_vm *vmids[LULL_VD_NVMID]; ///< Who has it.
    uint64_t vmid_used[LULL_VD_NVMID], vmid_clock;
    struct lull_vd_job *jobs; ///< Not finished, oldest first.
    unsigned on_ring[LULL_RING_COUNT];
    uint64_t resets;       ///< gpu_reset_counter
    uint64_t idle_ns;      ///< Time that passed for clients and not for programs on the GPU.
    uint64_t next_context; ///< Of timelines.
    uint32_t next_file_id, next_magic;
    struct lull_vd_kmsg *kmsg; ///< A ring of LULL_VD_KMSG_LINES.
    uint64_t kmsg_n;
    struct lull_dispatch_record *records; ///< A ring of LULL_VD_RECORDS, or NULL.
    uint64_t ndispatches;                 ///< Ever.
    bool held[LULL_RING_COUNT];           ///< Its newest dispatch is not to begin.
    struct lull_vd_thread thread;
    void (*notify)(struct lull_vd *d); ///< Called with the lock when something changed.
    bool changed;                      ///< Those who wait should look again.
    struct {
        const struct lull_vd_job *job;
        uint64_t progress, since_ns;
    } watch[LULL_RING_COUNT]; ///< Threaded: how far the job at the head had come, and when.
};

static inline struct lull_vd *lull_vd_of(struct lull_kernel *k)
{
    return (struct lull_vd *)k;
}

/** The file of this descriptor, an alias too; NULL: none. */
struct lull_vd_file *lull_vd_file_find(const struct lull_vd *d, int fd);
/** The same; of an alias the file that it stands for. */
struct lull_vd_file *lull_vd_file_of(const struct lull_vd *d, int fd);
/** New file whose descriptor is one of @p own, borrowed; NULL: as lull_vd_file_new(). */
int lull_vd_file_new_own(struct lull_vd *d, enum lull_vd_kind kind, const struct lull_vd_own *own,
                         struct lull_vd_file **ret);
/** New file with a file descriptor of its own, or -errno. */
int lull_vd_file_new(struct lull_vd *d, enum lull_vd_kind kind, int flags,
                     struct lull_vd_file **ret);

/** Who makes a call, if it is another process. */
struct lull_vd_client {
    struct lull_vd_peer peer; ///< Whose memory pointers mean.
    int arg_fd;  ///< Our number of the descriptor that is an argument; -1: not known yet.
    int want_fd; ///< Result: the client's number of such a descriptor, which the call needs; or -1.
    int out_fd;  ///< Result: our number of a new file for the client; or -1.
    uint64_t out_at; ///< Where the client expects its number, an int.
    enum lull_vd_share {
        LULL_VD_KEEP,
        LULL_VD_MOVED,   ///< Mappings of its device file [offset, +size) are to be of out_fd at 0.
        LULL_VD_SHARE,   ///< Its pages [address, +size) are to be the device file's at offset...
        LULL_VD_UNSHARE, ///< ... and no longer; then lull_vd_userptr_release().
    } share;             ///< Result: what the client has to do with its memory.
    uint64_t address, size, offset; ///< Results, for share. In bytes.
};

/**
 * Calls of this thread are made for @p client from now on; NULL: for this process. What the
 * kernel's `current` is: the only state that does not hang on a struct lull_vd.
 */
void lull_vd_client_set(struct lull_vd_client *client);
/** The process for which this thread makes calls. */
pid_t lull_vd_client_pid(void);

/** The end of a file's pipe that goes to the client, once; the caller's then. -1: none. */
int lull_vd_file_give(struct lull_vd *d, int fd);
/** What mmap(2) asks of a DRM file. */
struct lull_vd_mapping {
    uint64_t offset, size; ///< Bytes.
    int prot, flags;       ///< PROT_*, MAP_*.
};

/**
 * The buffer that a mapping shows, borrowed; with the lock held. Its memory is in bo->own at
 * own_offset, or in the GPU's memfd at offset.
 *
 * @return 0 or -errno, as drm_gem_mmap().
 */
int lull_vd_mmap_check(const struct lull_vd_file *f, const struct lull_vd_mapping *m,
                       struct lull_vd_bo **ret);
/** Nobody has the file any more: calls on it do not wait from now on. */
void lull_vd_file_hang_up(struct lull_vd *d, int fd);

/** The client for which this thread makes calls; NULL: this process. */
struct lull_vd_client *lull_vd_client_now(void);

/** copy_from_user() and copy_to_user(): 0 or -EFAULT, for any pointer. */
int lull_vd_from_user(void *to, uint64_t from, size_t size);
int lull_vd_to_user(uint64_t to, const void *from, size_t size);
static inline uint64_t lull_vd_ptr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

int lull_vd_drm_ioctl(struct lull_vd_file *f, unsigned long request, void *arg);
int lull_vd_amdgpu_ioctl(struct lull_vd_file *f, unsigned nr, void *arg);
int lull_vd_info(struct lull_vd_file *f, const struct drm_amdgpu_info *q);
int lull_vd_gem_create(struct lull_vd_file *f, union drm_amdgpu_gem_create *arg);
int lull_vd_gem_mmap(struct lull_vd_file *f, union drm_amdgpu_gem_mmap *arg);
int lull_vd_gem_op(struct lull_vd_file *f, struct drm_amdgpu_gem_op *arg);
int lull_vd_gem_metadata(struct lull_vd_file *f, struct drm_amdgpu_gem_metadata *arg);
int lull_vd_gem_userptr(struct lull_vd_file *f, struct drm_amdgpu_gem_userptr *arg);
/** A handle for a userptr buffer is gone: its memory stays until the client has copied it back.
 * @return False: it is no such buffer. */
bool lull_vd_userptr_park(struct lull_vd_file *f, struct lull_vd_bo *bo);
/** The client has: 0 or -ENOENT. */
int lull_vd_userptr_release(struct lull_vd_file *f, uint64_t offset);
int lull_vd_prime_export(struct lull_vd_file *f, struct drm_prime_handle *arg);
int lull_vd_prime_import(struct lull_vd_file *f, struct drm_prime_handle *arg);
int lull_vd_ctx(struct lull_vd_file *f, union drm_amdgpu_ctx *arg);
int lull_vd_bo_list(struct lull_vd_file *f, union drm_amdgpu_bo_list *arg);

int lull_vd_debugfs_ioctl(struct lull_vd_file *f, unsigned long request, const void *arg);
ssize_t lull_vd_debugfs_read(struct lull_vd_file *f, void *buf, size_t size, uint64_t offset);
ssize_t lull_vd_debugfs_write(struct lull_vd_file *f, const void *buf, size_t size,
                              uint64_t offset);

int lull_vd_dispatches_init(struct lull_vd *d);
/** Some ring stands in front of a dispatch that is held: nothing is a hang. */
bool lull_vd_holding(const struct lull_vd *d);
ssize_t lull_vd_dispatches_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vd_control_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vd_control_write(struct lull_vd_file *f, uint64_t buf, size_t size);
/** LULL_CONTROL_GUARD: 0 or -errno. */
int lull_vd_guard_set(struct lull_vd_file *f, const struct lull_control *c);
/** The debugger is gone: what its guards say. */
void lull_vd_guards_done(struct lull_vd_file *f);
/** Forget its catches, and let go what nobody else holds. */
void lull_vd_control_done(struct lull_vd_file *f);

/** Fill @p f->text if @p path is a sysfs file: 0 or -ENOENT, -ENOMEM. */
int lull_vd_sysfs(const struct lull_chip *chip, const char *path, struct lull_str *ret);
/** Make /dev/dri and the device's sysfs as real files below folder @p dir: 0 or -errno. */
int lull_vd_sysfs_tree(const struct lull_chip *chip, int dir);
ssize_t lull_vd_kmsg_read(struct lull_vd_file *f, void *buf, size_t size);
void lull_vd_vm_info(const struct lull_vd *d, struct lull_str *ret);
/** A line of amdgpu's in the kernel log. @p level: 3 error, 4 warning, 6 information. */
void lull_vd_log(struct lull_vd *d, unsigned level, const char *fmt, ...) LULL_PRINTF(3, 4);

/* Short names for the GPU. */

static inline uint32_t lull_vd_read_reg(struct lull_vd *d, struct lull_bank bank, uint32_t offset)
{
    return d->gpu.ops->read_reg(d->gpu.gpu, bank, offset);
}

static inline void lull_vd_write_reg(struct lull_vd *d, struct lull_bank bank, uint32_t offset,
                                     uint32_t value)
{
    d->gpu.ops->write_reg(d->gpu.gpu, bank, offset, value);
}

/** GRBM_GFX_INDEX that reaches every unit. */
uint32_t lull_vd_grbm_all(void);

#endif
