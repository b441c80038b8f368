// SPDX-License-Identifier: MIT
// Submits, fences and time: put submits on the ring, take up what is done, end what hangs.
//
// Source: msm_gpu.c (hangcheck_handler(), recover_worker(), retire_submits()), msm_ringbuffer.c,
// adreno_fault_handler().
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "hw/adreno_doms.h"
#include "vdrm/core/crumbs.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/msm.h"

void lull_vdm_job_free(struct lull_vdm *d, struct lull_vdm_job *job)
{
    if (job == NULL) {
        return;
    }
    for (uint32_t i = 0; i < job->nbos; i++) {
        lull_vd_bo_put(&d->vd, job->bos[i]);
    }
    lull_vd_fence_set_done(&job->deps);
    lull_vd_fence_put(job->fence);
    lull_vdm_queue_put(job->queue);
    free(job->bos);
    free(job->bo_flags);
    free(job->cmds);
    free(job);
}

static void job_finish(struct lull_vdm *d, struct lull_vdm_job *job, int error)
{
    struct lull_vdm_job **at = &d->jobs;
    while (*at != job) {
        at = &(*at)->next;
    }
    *at = job->next;
    d->on_ring -= job->on_ring;
    job->fence->error = error;
    job->fence->scheduled = true;
    job->fence->done = true;
    d->vd.changed = true;
    lull_vdm_job_free(d, job);
}

// Queues of one file and one priority are one entity of the scheduler, whose jobs go in order.
static bool earlier_waits(const struct lull_vdm *d, const struct lull_vdm_job *job)
{
    for (const struct lull_vdm_job *j = d->jobs; j != job; j = j->next) {
        if (!j->on_ring && j->file == job->file && j->queue->prio == job->queue->prio) {
            return true;
        }
    }
    return false;
}

// Put one job on the ring, if it can go. Of those that can, the priority with the lesser number
// goes first.
static bool push(struct lull_vdm *d)
{
    struct lull_vdm_job *best = NULL;
    for (struct lull_vdm_job *j = d->jobs; j != NULL && d->on_ring < LULL_VDM_ON_RING;
         j = j->next) {
        if (!j->on_ring && (best == NULL || j->queue->prio < best->queue->prio) &&
            lull_vd_fence_set_idle(&j->deps) && !earlier_waits(d, j)) {
            best = j;
        }
    }
    if (best == NULL || !lull_vdm_ring_write(d, best)) {
        return false;
    }
    lull_vdm_rd_dump(d, &d->rd, best, false);
    best->on_ring = true;
    best->fence->scheduled = true;
    d->on_ring++;
    return true;
}

// The job on the ring that is to be done next; NULL: none. Jobs are in the order of submission,
// on the ring in another.
static struct lull_vdm_job *head(const struct lull_vdm *d)
{
    struct lull_vdm_job *first = NULL;
    for (struct lull_vdm_job *j = d->jobs; j != NULL; j = j->next) {
        if (j->on_ring && (first == NULL || (int32_t)(j->seqno - first->seqno) < 0)) {
            first = j;
        }
    }
    return first;
}

// retire_submits(): what the fence in memory says.
static bool retire(struct lull_vdm *d)
{
    bool any = false;
    struct lull_vdm_job *j = head(d);
    while (j != NULL && (int32_t)(j->seqno - d->ptrs->fence) <= 0) {
        job_finish(d, j, 0);
        any = true;
        j = head(d);
    }
    return any;
}

// Whose it is; with hang_debug, what a6xx_dump() says.
static void tell_guilty(struct lull_vdm *d, const struct lull_vdm_job *guilty)
{
    struct lull_str who[2] = {{0}, {0}};
    lull_vdm_process(guilty->file, who);
    lull_vd_log(&d->vd, 3, "%s: offending task: %s (process %d: %s)", d->chip->name,
                lull_str_text(&who[0]), (int)guilty->file->pid, lull_str_text(&who[1]));
    lull_str_free(&who[0]);
    lull_str_free(&who[1]);
    if (d->hang_debug) {
        lull_vd_log(&d->vd, 6, "status:   %08" PRIx32,
                    d->ops->read_reg(d->gpu, LULL_A6XX_RBBM_STATUS));
    }
}

// recover_worker(): the guilty submit's fence is done, its queue and its file have one fault more;
// the others are written again.
static void recover(struct lull_vdm *d, const char *why)
{
    struct lull_vdm_job *guilty = head(d);
    lull_vd_crumbs_hang(&d->vd, 0);
    lull_vd_log(&d->vd, 3, "%s: hangcheck detected gpu lockup rb 0!%s%s", d->chip->name,
                why[0] != '\0' ? " " : "", why);
    if (guilty != NULL) {
        tell_guilty(d, guilty);
        lull_vdm_rd_dump(d, &d->hangrd, guilty, true);
        lull_vdm_crash(d, guilty, NULL);
        guilty->queue->faults++;
        lull_vdm_file(guilty->file)->faults++;
        d->ptrs->fence = guilty->seqno;
        job_finish(d, guilty, 0);
    } else {
        d->global_faults++;
    }
    d->ops->reset(d->gpu);
    lull_vd_crumbs_drop(&d->vd);
    lull_vdm_ring_reset(d);
    for (struct lull_vdm_job *j = head(d); j != NULL; j = head(d)) {
        j->on_ring = false;
        d->on_ring--;
    }
}

static void tell_fault(struct lull_vdm *d, const struct lull_agpu_event *e)
{
    struct lull_vdm_job *j = head(d);
    lull_vd_log(&d->vd, 3,
                "*** gpu fault: ttbr0=%.16llx iova=%.16llx dir=%s type=TRANSLATION "
                "source=%s%s%s (process %d)",
                (unsigned long long)e->ttbr0, (unsigned long long)e->address,
                e->write ? "WRITE" : "READ", e->block, e->message[0] != '\0' ? ": " : "",
                e->message, j != NULL ? (int)j->file->pid : 0);
    if (j == NULL || !j->fault_dumped) { // of thousands the first
        lull_vdm_crash(d, j, e);
    }
    if (j != NULL) {
        j->fault_dumped = true;
    }
    d->ops->fault_resume(d->gpu);
}

static bool take_events(struct lull_vdm *d)
{
    struct lull_agpu_event e = {0};
    bool any = false;
    while (d->ops->next_event(d->gpu, &e)) {
        any = true;
        if (e.what == LULL_AGPU_FAULT) {
            tell_fault(d, &e);
        } else if (e.what == LULL_AGPU_ERROR) {
            retire(d);
            recover(d, e.message);
        }
    }
    return any;
}

bool lull_vdm_advance(struct lull_vd *vd)
{
    struct lull_vdm *d = lull_vdm(vd);
    bool any = false, again = true;
    while (again) {
        again = take_events(d);
        again = retire(d) || again;
        again = push(d) || again;
        any = any || again;
    }
    return any;
}

// A debugger, or who reads crumbs, keeps it where it is: nothing is a hang.
static bool stands(const struct lull_vdm *d)
{
    return lull_vd_crumbs_stand(&d->vd) || (d->ops->debug != NULL && d->ops->debug->stands(d->gpu));
}

// Without threads, time passes for a GPU that waits for memory, too: until that is a hang.
uint64_t lull_vdm_run(struct lull_vd *vd, uint64_t cycles)
{
    struct lull_vdm *d = lull_vdm(vd);
    const uint64_t n = d->ops->run(d->gpu, cycles);
    if (n != 0 || stands(d) || vd->options.threaded || d->on_ring == 0 || d->hang_ns == 0) {
        return n;
    }
    d->ops->idle(d->gpu, cycles);
    return cycles;
}

// Has what is on the ring first run for too long?
static bool too_long(struct lull_vdm *d, uint64_t now)
{
    const struct lull_vdm_job *j = d->longest_ns != 0 ? head(d) : NULL;
    if (j == NULL || stands(d) || j->seqno != d->watch.seqno) {
        d->watch.seqno = j != NULL ? j->seqno : 0;
        d->watch.runs_ns = now;
    }
    return j != NULL && now - d->watch.runs_ns > d->longest_ns;
}

// hangcheck_handler()
bool lull_vdm_check(struct lull_vd *vd)
{
    struct lull_vdm *d = lull_vdm(vd);
    const uint64_t progress = d->ops->progress(d->gpu), now = lull_vd_now_ns(vd);
    if (too_long(d, now)) {
        recover(d, "(it ran for too long)");
        return true;
    }
    if (d->hang_ns == 0 || d->on_ring == 0 || stands(d) || progress != d->watch.progress) {
        d->watch.progress = progress;
        d->watch.since_ns = now;
        return false;
    }
    if (now - d->watch.since_ns <= d->hang_ns) {
        return false;
    }
    d->watch.since_ns = now;
    recover(d, "");
    return true;
}

bool lull_vdm_end_stall(struct lull_vd *vd)
{
    struct lull_vdm *d = lull_vdm(vd);
    if (d->hang_ns == 0 || d->on_ring == 0 || stands(d)) {
        return false;
    }
    recover(d, "");
    return true;
}

static struct lull_vdm_job *own(const struct lull_vdm *d, const struct lull_vd_file *f,
                                bool on_ring)
{
    struct lull_vdm_job *j = d->jobs;
    while (j != NULL && (j->file != f || j->on_ring != on_ring)) {
        j = j->next;
    }
    return j;
}

// Nothing of a file that is closed may stay on the GPU.
void lull_vdm_kill_jobs(struct lull_vd_file *f)
{
    enum { SLICE = 1 << 16, SLICES = 64 };
    struct lull_vdm *d = lull_vdm(f->d);
    for (struct lull_vdm_job *j = own(d, f, false); j != NULL; j = own(d, f, false)) {
        job_finish(d, j, -ESRCH); // drm_sched_entity_kill()
    }
    for (unsigned i = 0; own(d, f, true) != NULL; i++) {
        const uint64_t n = d->ops->run(d->gpu, SLICE);
        const bool moved = take_events(d);
        if (!retire(d) && ((n == 0 && !moved) || i >= SLICES)) { // a wait may fault for ever
            recover(d, "");
            lull_vdm_advance(f->d);
            i = 0;
        }
        for (struct lull_vdm_job *j = own(d, f, false); j != NULL; j = own(d, f, false)) {
            job_finish(d, j, -ESRCH); // recovery took it off the ring
        }
    }
}
