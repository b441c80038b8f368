// SPDX-License-Identifier: MIT
// Jobs, fences and time: let the GPU run, take up what it finished, pass on its page faults and end
// what hangs.
//
// Source: amdgpu_job_timedout(), amdgpu_ring_soft_recovery(), gmc_v11_0_process_interrupt(),
// drivers/gpu/drm/scheduler.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/gc11_regs.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/ctx.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/amdgpu/job.h"
#include "vdrm/core/crumbs.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"

enum {
    SLICE = 1 << 16,         // cycles between two looks at the clock
    SOFT_RECOVERY = 1000000, // 10 ms
    SOFT_RECOVERY_STEP = 1000,
    MODEL_IBS = 8, // of one struct lull_gpu_job
    STREAM_PARTS_BITS = 8,
};

// The job left the GPU, or will never get there.
static void job_finish(struct lull_vda *d, struct lull_vda_job *job, int error)
{
    struct lull_vda_job **at = &d->jobs;
    while (*at != job) {
        at = &(*at)->next;
    }
    *at = job->next;
    if (job->on_ring) {
        d->on_ring[job->ring]--;
        lull_vda_vm_of(job->file)->running--;
    }
    if (job->user_fence != NULL && job->on_ring && (error == 0 || error == -ENODATA)) {
        memcpy(lull_vd_bo_mem(&d->vd, job->user_fence) + job->user_fence_offset, &job->seq,
               sizeof job->seq);
    }
    job->fence->error = error;
    job->fence->scheduled = true;
    job->fence->done = true;
    d->vd.changed = true;
    lull_vda_job_free(d, job);
}

static bool deps_done(const struct lull_vda_job *job)
{
    for (size_t i = 0; i < job->ndeps; i++) {
        const struct lull_vd_fence *f = job->deps[i].fence;
        if (!f->done && !(job->deps[i].scheduled && f->scheduled)) {
            return false;
        }
    }
    return true;
}

static bool earlier_waits(const struct lull_vda *d, const struct lull_vda_job *job)
{
    for (const struct lull_vda_job *j = d->jobs; j != job; j = j->next) {
        if (j->entity == job->entity && !j->on_ring) {
            return true;
        }
    }
    return false;
}

// gfx_v11_0_ring_emit_gds_switch(). A job without GDS leaves its client what other jobs of it use.
static void switch_gds(struct lull_vda *d, const struct lull_vda_job *job)
{
    const uint32_t at = lull_vda_vm_of(job->file)->vmid * LULL_GC11_GDS_VMID_BASE__STRIDE;
    const struct lull_bank bank = {.grbm = lull_vda_grbm_all()};
    if (job->gds_size != 0) {
        lull_vda_write_reg(d, bank, LULL_GC11_GDS_VMID_BASE + at, job->gds_base);
        lull_vda_write_reg(d, bank, LULL_GC11_GDS_VMID_SIZE + at, job->gds_size);
    }
}

// Hand the job to the model, in parts if it has many command buffers; the last part's end is its
// own.
static bool job_submit(struct lull_vda *d, struct lull_vda_job *job)
{
    size_t at = 0;
    switch_gds(d, job);
    while (at < job->nibs) {
        struct lull_gpu_job part = {.vmid = lull_vda_vm_of(job->file)->vmid,
                                    .cookie = lull_vd_ptr(job),
                                    .stream = job->seq << STREAM_PARTS_BITS | job->parts};
        while (at < job->nibs && part.nibs < MODEL_IBS) {
            if (job->ibs[at].ndwords > 0) {
                part.ib[part.nibs].va = job->ibs[at].va & ~3ull;
                part.ib[part.nibs++].ndwords = job->ibs[at].ndwords;
            }
            at++;
        }
        if (part.nibs == 0) {
            continue;
        }
        struct lull_error *err = d->gpu.ops->submit(d->gpu.gpu, job->ring, &part);
        if (err != NULL) {
            lull_vd_log(&d->vd, 3, "ring %s: %s", lull_vda_ring_name(job->ring),
                        lull_error_message(err));
            lull_error_free(err);
            return false;
        }
        job->parts++;
    }
    return true;
}

static void set_last(struct lull_vda_job *job)
{
    lull_vd_fence_put(job->entity->last);
    job->entity->last = lull_vd_fence_get(job->fence);
}

// Put one job on its ring, if it can go. @return Something happened.
static bool job_push(struct lull_vda *d, struct lull_vda_job *job)
{
    struct lull_vda_vm *vm = lull_vda_vm_of(job->file);
    if (d->starts_held || !deps_done(job) || earlier_waits(d, job) ||
        d->on_ring[job->ring] >= LULL_VDA_HW_JOBS) {
        return false;
    }
    const int lost = lull_vda_entity_error(job->entity);
    if (lost != 0) { // amdgpu_job_prepare_job()
        set_last(job);
        job_finish(d, job, lost);
        return true;
    }
    const int r = lull_vda_vm_update(d, vm);
    if (r == -EBUSY || !lull_vda_vm_grab(d, vm)) {
        return false;
    }
    set_last(job);
    job->on_ring = true;
    job->fence->scheduled = true;
    d->on_ring[job->ring]++;
    d->emitted[job->ring]++;
    vm->running++;
    if (r != 0 || !job_submit(d, job)) {
        job->error = r != 0 ? r : -ECANCELED;
    }
    if (job->parts == 0) {
        job_finish(d, job, job->error);
    }
    return true;
}

static void log_hang(struct lull_vda *d, const struct lull_vda_job *job, const char *message)
{
    if (message[0] != '\0') {
        lull_vd_log(&d->vd, 3, "ring %s: %s", lull_vda_ring_name(job->ring), message);
    }
    lull_vd_log(&d->vd, 3, "ring %s timeout, signaled seq=%llu, emitted seq=%llu",
                lull_vda_ring_name(job->ring), (unsigned long long)(job->seq - 1),
                (unsigned long long)(job->entity->sequence - 1));
}

// Drop what else is on the ring of a job, one part of which has just left it.
static void reset_rest(struct lull_vda *d, const struct lull_vda_job *job)
{
    unsigned parts = 0;
    for (const struct lull_vda_job *j = d->jobs; j != NULL; j = j->next) {
        parts += j->on_ring && j->ring == job->ring ? j->parts : 0;
    }
    for (; parts > 1; parts--) {
        d->gpu.ops->reset_ring(d->gpu.gpu, job->ring);
    }
}

// The others of its gang would wait for it for ever.
static void reset_gang(struct lull_vda *d, const struct lull_vda_job *job)
{
    for (const struct lull_vda_job *j = d->jobs; j != NULL; j = j->next) {
        const bool mate = j != job && job->gang != 0 && j->gang == job->gang;
        if (mate && j->on_ring && lull_vda_ring_head(d, j->ring) == j) {
            for (unsigned parts = j->parts; parts > 0; parts--) {
                d->gpu.ops->reset_ring(d->gpu.gpu, j->ring);
            }
        }
    }
}

// The model says that (a part of) a job ended.
static void job_ended(struct lull_vda *d, const struct lull_gpu_done *done)
{
    struct lull_vda_job *job = d->jobs;
    while (job != NULL && lull_vd_ptr(job) != done->cookie) {
        job = job->next;
    }
    if (job == NULL) {
        return; // of a file that was closed
    }
    if (done->result != LULL_JOB_DONE) {
        lull_vd_crumbs_drop(&d->vd);
    }
    if ((done->result == LULL_JOB_BAD_PACKET || done->result == LULL_JOB_FAULT) &&
        job->error == 0) {
        // The kernel gets an interrupt (gfx_v11_0_handle_priv_fault) or the lockup timer runs out,
        // and as the ring does not come back by itself it is reset.
        log_hang(d, job, done->message);
        lull_vd_crumbs_hang(&d->vd, job->ring);
        d->resets++;
        job->error = -ETIME;
        job->ctx->guilty = true;
        reset_rest(d, job);
        reset_gang(d, job);
        lull_vd_log(&d->vd, 3, "Ring %s reset succeeded", lull_vda_ring_name(job->ring));
    } else if (done->result == LULL_JOB_KILLED && job->error == 0) {
        job->error = -ECANCELED;
    }
    if (--job->parts == 0) {
        job_finish(d, job, job->error);
    }
}

static bool advance(struct lull_vda *d)
{
    bool any = false, again = true;
    while (again) {
        again = false;
        struct lull_gpu_done done = {0};
        while (!d->ends_held && d->gpu.ops->next_done(d->gpu.gpu, &done)) {
            job_ended(d, &done);
            again = true;
        }
        for (struct lull_vd_file *f = d->vd.files; f != NULL; f = f->next) {
            struct lull_vda_vm *vm = f->kind == LULL_VD_DRM ? lull_vda_vm_of(f) : NULL;
            if (vm != NULL && !lull_list_empty(&vm->gone) && vm->running == 0) {
                lull_vda_vm_update(d, vm);
            }
        }
        for (struct lull_vda_job *job = d->jobs, *next = NULL; job != NULL; job = next) {
            next = job->next;
            if (!job->on_ring && job_push(d, job)) {
                again = true;
                break; // the list may have changed
            }
        }
        any = any || again;
    }
    return any;
}

static const char *client_name(uint32_t cid)
{
    // Source: gfxhub_v3_0.c, as facts.
    static const char *const names[] = {
        "CB/DB",      "Reserved",   "GE1", "GE2",      "CPF",   "CPC",   "CPG", "RLC",   "TCP",
        "SQC (inst)", "SQC (data)", "SQG", "Reserved", "SDMA0", "SDMA1", "GCR", "SDMA2", "SDMA3"};
    return cid < sizeof names / sizeof names[0] ? names[cid] : "unknown";
}

static uint32_t field(uint32_t word, uint32_t mask)
{
    return (word & mask) >> __builtin_ctz(mask);
}

static void log_fault(struct lull_vda *d, const struct lull_vda_vm *vm, uint64_t va,
                      uint32_t status)
{
    uint32_t id = 0;
    for (struct lull_vd_file *f = d->vd.files; f != NULL; f = f->next) {
        id = f->kind == LULL_VD_DRM && lull_vda_vm_of(f) == vm ? f->id : id;
    }
    const uint32_t cid = field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID_MASK);
    lull_vd_log(&d->vd, 3, "[gfxhub] page fault (src_id:0 ring:24 vmid:%u pasid:%u)",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__VMID_MASK), id);
    lull_vd_log(&d->vd, 3, "  in page starting at address 0x%016llx from client 10",
                (unsigned long long)va);
    lull_vd_log(&d->vd, 3, "GCVM_L2_PROTECTION_FAULT_STATUS:0x%08X", status);
    lull_vd_log(&d->vd, 3, "\t Faulty UTCL2 client ID: %s (0x%x)", client_name(cid), cid);
    lull_vd_log(&d->vd, 3, "\t MORE_FAULTS: 0x%x",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__MORE_FAULTS_MASK));
    lull_vd_log(&d->vd, 3, "\t WALKER_ERROR: 0x%x",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__WALKER_ERROR_MASK));
    lull_vd_log(&d->vd, 3, "\t PERMISSION_FAULTS: 0x%x",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__PERMISSION_FAULTS_MASK));
    lull_vd_log(&d->vd, 3, "\t MAPPING_ERROR: 0x%x",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__MAPPING_ERROR_MASK));
    lull_vd_log(&d->vd, 3, "\t RW: 0x%x",
                field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__RW_MASK));
}

// The interrupt of a page fault.
static void take_fault(struct lull_vda *d)
{
    const struct lull_bank none = {.grbm = lull_vda_grbm_all()};
    const uint32_t status = lull_vda_read_reg(d, none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS);
    if (status == 0) {
        return;
    }
    const uint64_t page =
        lull_vda_read_reg(d, none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32) |
        (uint64_t)lull_vda_read_reg(d, none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32) << 32;
    const uint64_t va = (page << LULL_VD_PAGE_SHIFT) & ((1ull << 48) - 1);
    const uint32_t vmid = field(status, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__VMID_MASK);
    struct lull_vda_vm *vm = vmid < LULL_VDA_NVMID ? d->vmids[vmid] : NULL;
    if (vm != NULL) { // amdgpu_vm_update_fault_cache()
        vm->fault = (struct drm_amdgpu_info_gpuvm_fault){.addr = va,
                                                         .status = status,
                                                         .vmhub = AMDGPU_VMHUB_TYPE_GFX
                                                                  << AMDGPU_VMHUB_TYPE_SHIFT};
    }
    log_fault(d, vm, va, status);
    const uint32_t cntl = lull_vda_read_reg(d, none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL);
    lull_vda_write_reg(
        d, none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL,
        cntl | LULL_GC11_GCVM_L2_PROTECTION_FAULT_CNTL__CLEAR_PROTECTION_FAULT_STATUS_ADDR_MASK);
}

static uint64_t run(struct lull_vda *d, uint64_t cycles)
{
    const uint64_t before = d->gpu.ops->clock(d->gpu.gpu);
    const uint64_t n = d->gpu.ops->run(d->gpu.gpu, cycles);
    const uint64_t ticks = d->gpu.ops->clock(d->gpu.gpu) - before;
    d->vd.idle_ns += n > ticks ? (n - ticks) * LULL_VDA_NS_PER_CYCLE : 0; // of trap handlers
    take_fault(d);
    return n;
}

// amdgpu_ring_soft_recovery(): kill the waves and see whether the ring goes on.
static bool soft_recovery(struct lull_vda *d, struct lull_vda_job *job)
{
    struct lull_vd_fence *fence = lull_vd_fence_get(job->fence);
    const struct lull_bank all = {.grbm = lull_vda_grbm_all()};
    const uint32_t kill = LULL_GC11_SQ_CMD__CMD__KILL << LULL_GC11_SQ_CMD__CMD_SHIFT |
                          LULL_GC11_SQ_CMD__MODE__BROADCAST << LULL_GC11_SQ_CMD__MODE_SHIFT |
                          LULL_GC11_SQ_CMD__CHECK_VMID_MASK |
                          lull_vda_vm_of(job->file)->vmid << LULL_GC11_SQ_CMD__VM_ID_SHIFT;
    job->error = -ENODATA;
    bool moves = true;
    for (uint32_t i = 0; moves && !fence->done && i < SOFT_RECOVERY; i += SOFT_RECOVERY_STEP) {
        lull_vda_write_reg(d, all, LULL_GC11_SQ_CMD, kill);
        moves = run(d, SOFT_RECOVERY_STEP) > 0;
        moves = advance(d) || moves;
    }
    const bool done = fence->done;
    lull_vd_fence_put(fence);
    return done;
}

// amdgpu_job_timedout() for the job at the head of @p ring.
static void timed_out(struct lull_vda *d, enum lull_ring ring)
{
    struct lull_vda_job *job = lull_vda_ring_head(d, ring);
    if (job == NULL) {
        return;
    }
    d->resets++;
    job->ctx->guilty = true;
    lull_vd_crumbs_hang(&d->vd, ring);
    if (soft_recovery(d, job)) {
        lull_vd_log(&d->vd, 3, "ring %s timeout, but soft recovered", lull_vda_ring_name(ring));
    } else {
        log_hang(d, job, "");
        lull_vd_log(&d->vd, 3, "Starting %s ring reset", lull_vda_ring_name(ring));
        job->error = -ETIME; // its neighbours on the ring get -ECANCELED
        bool any = true;
        while (d->on_ring[ring] > 0 && any) {
            d->gpu.ops->reset_ring(d->gpu.gpu, ring);
            struct lull_gpu_done done = {0};
            for (any = false; d->gpu.ops->next_done(d->gpu.gpu, &done); any = true) {
                job_ended(d, &done);
            }
        }
        lull_vd_log(&d->vd, 3, "Ring %s reset succeeded", lull_vda_ring_name(ring));
        advance(d);
    }
}

static bool check_lockup(struct lull_vda *d)
{
    bool any = false;
    for (unsigned ring = 0; ring < LULL_RING_COUNT && !lull_vda_holding(&d->vd); ring++) {
        if (d->on_ring[ring] > 0 && d->gpu.ops->job_cycles(d->gpu.gpu, ring) > d->lockup_cycles) {
            timed_out(d, ring);
            any = true;
        }
    }
    return any;
}

// Milliseconds that the job at the head of a ring may stand still. With waves at work it is given
// more: the model is much slower than the hardware for which the defaults are made.
static uint64_t patience_ms(const struct lull_vda *d, enum lull_ring ring)
{
    if (d->lockup_ms != 0) {
        return d->lockup_ms;
    }
    const bool waves = d->gpu.ops->dispatching != NULL && d->gpu.ops->dispatching(d->gpu.gpu, ring);
    const bool compute = ring >= LULL_RING_COMPUTE0 && ring < LULL_RING_SDMA0;
    return !compute && !waves ? 10000 : 60000; // amdgpu.lockup_timeout
}

static bool check_progress(struct lull_vda *d)
{
    if (d->lockup_cycles == UINT64_MAX || d->gpu.ops->progress == NULL) {
        return false;
    }
    const uint64_t now = lull_vd_host_ns();
    const bool holding = lull_vda_holding(&d->vd) || d->vd.thread.stands;
    bool any = false;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const enum lull_ring ring = (enum lull_ring)i;
        const struct lull_vda_job *job = d->on_ring[i] > 0 ? lull_vda_ring_head(d, ring) : NULL;
        const uint64_t progress = job != NULL ? d->gpu.ops->progress(d->gpu.gpu, ring) : 0;
        if (holding || job == NULL || job != d->watch[i].job || progress != d->watch[i].progress) {
            d->watch[i].job = job;
            d->watch[i].progress = progress;
            d->watch[i].since_ns = now;
        } else if (now - d->watch[i].since_ns > patience_ms(d, ring) * 1000000) {
            timed_out(d, ring);
            any = true;
        }
    }
    return any;
}

bool lull_vda_advance(struct lull_vd *d)
{
    return advance(lull_vda(d));
}

uint64_t lull_vda_run(struct lull_vd *d, uint64_t cycles)
{
    return run(lull_vda(d), cycles);
}

bool lull_vda_check(struct lull_vd *d)
{
    return d->options.threaded ? check_progress(lull_vda(d)) : check_lockup(lull_vda(d));
}

// Nothing can move and the client waits for ever: the lockup timer of the oldest job would run out.
bool lull_vda_end_stall(struct lull_vd *vd)
{
    struct lull_vda *d = lull_vda(vd);
    if (d->lockup_cycles == UINT64_MAX || lull_vda_holding(&d->vd)) {
        return false;
    }
    for (const struct lull_vda_job *j = d->jobs; j != NULL; j = j->next) {
        if (j->on_ring) {
            timed_out(d, j->ring);
            return true;
        }
    }
    return false;
}

// The head of some ring, if it is @p f's.
static struct lull_vda_job *own_head(const struct lull_vda *d, const struct lull_vd_file *f)
{
    for (unsigned ring = 0; ring < LULL_RING_COUNT; ring++) {
        struct lull_vda_job *j = lull_vda_ring_head(d, ring);
        if (j != NULL && j->file == f) {
            return j;
        }
    }
    return NULL;
}

// Take a job off its ring that has not begun there.
static void unqueue(struct lull_vda *d, struct lull_vda_job *job)
{
    if (d->gpu.ops->unqueue == NULL || !d->vd.options.threaded) {
        return;
    }
    const unsigned n = d->gpu.ops->unqueue(d->gpu.gpu, job->ring, lull_vd_ptr(job));
    job->parts -= n;
    if (n > 0 && job->parts == 0) {
        job_finish(d, job, -ECANCELED);
    }
}

void lull_vda_kill_jobs(struct lull_vd_file *f)
{
    struct lull_vda *d = lull_vda(f->d);
    for (struct lull_vda_job *j = d->jobs, *next = NULL; j != NULL; j = next) {
        next = j->next;
        if (j->file == f && !j->on_ring) {
            job_finish(d, j, -ESRCH); // drm_sched_entity_kill()
        } else if (j->file == f) {
            unqueue(d, j);
        }
    }
    while (lull_vda_vm_of(f)->running > 0) {
        struct lull_vda_job *j = own_head(d, f);
        if (j != NULL) {
            j->error = -ECANCELED;
            d->gpu.ops->reset_ring(d->gpu.gpu, j->ring);
            advance(d);
        } else if (run(d, SLICE) == 0 && !advance(d) && !check_lockup(d)) {
            // Behind a job of somebody else that stands still: that one goes as well.
            for (j = d->jobs; j->file != f; j = j->next) {
            }
            timed_out(d, j->ring);
        }
    }
}
