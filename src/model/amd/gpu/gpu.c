// SPDX-License-Identifier: MIT
#include "model/amd/gpu/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/chips.h"
#include "hw/draw11_regs.h"
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    BIG_PAGE = 2 << 20,
    MAX_SA = 2,
    MAX_WGP = 16,               // HW_ID1.WGP_ID has four bits
    CLOCK_AT_START = 100000000, // a second: no timestamp is 0, which drivers take for "not yet"
    MSG_LOW_BYTE = 0xff,
};

/** s_sendmsg(_rtn) messages. Source: LLVM SIDefines.h, namespace SendMsg; ROCr trap handler. */
enum message {
    MSG_INTERRUPT = 1,
    MSG_RTN_TMA = 0x82,
    MSG_RTN_REALTIME = 0x83,
    MSG_RTN_TBA = 0x85,
};

void lull_host_sendmsg(struct lull_wave *w, uint32_t msg)
{
    // The others (DEALLOC_VGPRS, SAVEWAVE, GS messages) change nothing that a wave can see.
    if ((msg & MSG_LOW_BYTE) == MSG_INTERRUPT) {
        __atomic_add_fetch(&lull_gpu_of(w)->interrupts, 1, __ATOMIC_RELAXED);
    }
}

uint64_t lull_host_clock(struct lull_wave *w)
{
    const struct lull_gpu_slot *s = w->owner;
    return lull_gpu_clock(s->gpu) + (s->runner != NULL ? s->runner->used : 0);
}

uint64_t lull_host_sendmsg_rtn(struct lull_wave *w, uint32_t msg)
{
    switch (msg & MSG_LOW_BYTE) {
    case MSG_RTN_TMA:
        return w->tma >> 8 & 0xffffffffff;
    case MSG_RTN_TBA:
        return w->tba >> 8 & 0xffffffffff;
    case MSG_RTN_REALTIME:
        return lull_host_clock(w);
    default: // no doorbell, no dispatch-draw id, nothing to save for
        return 0;
    }
}

void lull_host_fault(struct lull_wave *w)
{
    const bool fetch = (w->vm->fault.access & LULL_ACCESS_EXEC) != 0;
    struct lull_gpu *g = lull_gpu_of(w);
    pthread_mutex_lock(&g->share.lock);
    lull_gpu_latch_fault(g, w->vm,
                         fetch ? LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__SQC_INST
                               : LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__TCP);
    pthread_mutex_unlock(&g->share.lock);
}

void lull_gpu_gds(struct lull_gpu *g, unsigned vmid, struct lull_gds *ret)
{
    const uint32_t by = vmid * LULL_GC11_GDS_VMID_BASE__STRIDE;
    const uint32_t base = lull_field(g->mmio[(LULL_GC11_GDS_VMID_BASE + by) / sizeof(g->mmio[0])],
                                     LULL_GC11_GDS_VMID_BASE__BASE_MASK);
    const uint32_t size = lull_field(g->mmio[(LULL_GC11_GDS_VMID_SIZE + by) / sizeof(g->mmio[0])],
                                     LULL_GC11_GDS_VMID_SIZE__SIZE_MASK);
    const uint32_t at = base < LULL_GDS_BYTES ? base : LULL_GDS_BYTES;
    *ret = (struct lull_gds){
        .mem = g->gds + at,
        .size = size < LULL_GDS_BYTES - at ? size : LULL_GDS_BYTES - at,
        .lock = &g->share.lock,
        .regs = &g->mmio[LULL_DRAW11_GDS_STRMOUT_DWORDS_WRITTEN_0 / sizeof(g->mmio[0])],
    };
}

void lull_host_gds(struct lull_wave *w, struct lull_gds *ret)
{
    lull_gpu_gds(lull_gpu_of(w), w->vm->vmid, ret);
}

static uint64_t host_border_colors(struct lull_wave *w)
{
    const uint32_t *mmio = lull_gpu_of(w)->mmio;
    return (uint64_t)mmio[LULL_GC11_TA_CS_BC_BASE_ADDR_HI / sizeof(mmio[0])] << 40 |
           (uint64_t)mmio[LULL_GC11_TA_CS_BC_BASE_ADDR / sizeof(mmio[0])] << 8;
}

const struct lull_wave_host lull_host_compute = {
    .sendmsg = lull_host_sendmsg,
    .sendmsg_rtn = lull_host_sendmsg_rtn,
    .vm_fault = lull_host_fault,
    .clock = lull_host_clock,
    .border_colors = host_border_colors,
    .gds = lull_host_gds,
};

LULL_MUST_USE static struct lull_error *check_config(const struct lull_gpu_config *c)
{
    if (c->vram_size == 0 || c->vram_size % BIG_PAGE != 0 || c->gtt_size % BIG_PAGE != 0 ||
        c->vram_size > UINT64_C(1) << 44 || c->gtt_size > UINT64_C(1) << 44) {
        return lull_error_new(LULL_ERR_INVALID,
                              "memory of 0x%llx + 0x%llx bytes: not multiples of 2 MiB",
                              (unsigned long long)c->vram_size, (unsigned long long)c->gtt_size);
    }
    if (c->se > LULL_MAX_SE || c->sa_per_se > MAX_SA || c->wgp_per_sa > MAX_WGP) {
        return lull_error_new(LULL_ERR_INVALID, "%u SE of %u SA of %u WGP: at most %d, %d, %d",
                              c->se, c->sa_per_se, c->wgp_per_sa, LULL_MAX_SE, MAX_SA, MAX_WGP);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_memory(struct lull_gpu *g)
{
    const uint64_t size = g->config.vram_size + g->config.gtt_size;
    g->memfd = memfd_create("lull-gpu", MFD_CLOEXEC);
    if (g->memfd < 0 || ftruncate(g->memfd, (off_t)size) != 0) {
        return lull_error_os(errno, "memory of the model GPU, %llu bytes",
                             (unsigned long long)size);
    }
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, g->memfd, 0);
    if (map == MAP_FAILED) {
        return lull_error_os(errno, "map memory of the model GPU, %llu bytes",
                             (unsigned long long)size);
    }
    g->map = map;
    g->phys = (struct lull_phys){
        .vram = g->map,
        .vram_size = g->config.vram_size,
        .system = g->map + g->config.vram_size,
        .system_base = g->config.gtt_base,
        .system_size = g->config.gtt_size,
        .pages = &g->memory,
    };
    return lull_pages_init(&g->memory, g->map, size, g->memfd);
}

LULL_MUST_USE static struct lull_error *make_units(struct lull_gpu *g)
{
    struct lull_gpu_config *c = &g->config;
    c->se = c->se != 0 ? c->se : c->chip->se;
    c->sa_per_se = c->sa_per_se != 0 ? c->sa_per_se : c->chip->sa_per_se;
    c->wgp_per_sa = c->wgp_per_sa != 0 ? c->wgp_per_sa : c->chip->wgp_per_sa;
    g->nwgps = c->se * c->sa_per_se * c->wgp_per_sa;
    g->nslots = g->nwgps * LULL_NSIMD * LULL_SIMD_SLOTS;
    g->wgps = calloc(g->nwgps, sizeof *g->wgps);
    g->slots = calloc(g->nslots, sizeof *g->slots);
    g->groups = calloc(g->nslots, sizeof(struct lull_gpu_group *));
    g->trapped = calloc(g->nslots, sizeof(struct lull_gpu_slot *));
    g->trap_wake = UINT64_MAX;
    g->mmio = calloc(1, LULL_MMIO_BYTES);
    if (g->wgps == NULL || g->slots == NULL || g->groups == NULL || g->trapped == NULL ||
        g->mmio == NULL) {
        return &lull_enomem;
    }
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        g->vm[i].phys = &g->phys;
        g->vm[i].vmid = i;
    }
    lull_gpu_empty_units(g);
    return lull_pages_init(&g->registers, (uint8_t *)g->mmio, LULL_MMIO_BYTES, -1);
}

struct lull_error *lull_gpu_new(const struct lull_gpu_config *config, struct lull_gpu **ret)
{
    struct lull_error *err = check_config(config);
    if (err != NULL) {
        return err;
    }
    struct lull_gpu *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    g->config = *config;
    g->config.chip = config->chip != NULL ? config->chip : &lull_chip_navi31;
    g->memfd = -1;
    g->rng = config->seed;
    pthread_mutexattr_t held_shortly;
    pthread_mutexattr_init(&held_shortly);
    pthread_mutexattr_settype(&held_shortly, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&g->share.lock, &held_shortly);
    pthread_mutexattr_destroy(&held_shortly);
    g->engine = lull_wave_run;
    g->began = g->stop_at = UINT64_MAX;
    g->done_tail = &g->done;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        g->rings[i].id = (enum lull_ring)i;
        g->rings[i].tail = &g->rings[i].head;
    }
    err = make_memory(g);
    if (err == NULL) {
        err = make_units(g);
    }
    if (err != NULL) {
        lull_gpu_free(g);
        return err;
    }
    *ret = g;
    return NULL;
}

void lull_gpu_free_jobs(struct lull_gpu_job_node **head, struct lull_gpu_job_node ***tail)
{
    while (*head != NULL) {
        struct lull_gpu_job_node *next = (*head)->next;
        free(*head);
        *head = next;
    }
    *tail = head;
}

static void free_ring(struct lull_gpu *g, struct lull_gpu_ring *r)
{
    if (g->wgps != NULL && g->slots != NULL) {
        lull_spi_kill_ring(g, r);
    }
    lull_gpu_free_jobs(&r->head, &r->tail);
}

static void free_share(struct lull_gpu *g)
{
    struct lull_gpu_share *h = &g->share;
    lull_team_free(h->team);
    for (unsigned i = 0; h->runner != NULL && i < g->config.threads; i++) {
        struct lull_gpu_runner *r = &h->runner[i];
        free(r->vm);
        for (unsigned k = 0; k < LULL_NVMID; k++) {
            lull_code_cache_free(r->code[k]);
        }
        lull_pool_free_vgprs(&r->vgprs);
    }
    free(h->runner);
    pthread_mutex_destroy(&h->lock);
}

void lull_gpu_free(struct lull_gpu *g)
{
    if (g == NULL) {
        return;
    }
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        free_ring(g, &g->rings[i]);
    }
    lull_gpu_free_jobs(&g->done, &g->done_tail);
    free_share(g);
    lull_pool_done(g);
    lull_pages_done(&g->memory);
    lull_pages_done(&g->registers);
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        lull_code_cache_free(g->code[i]);
    }
    free(g->mmio);
    free(g->wgps);
    free(g->slots);
    free(g->groups);
    free(g->trapped);
    free(g->output);
    free(g->gfx);
    free(g->seen);
    free(g->trace);
    lull_written_free(g->written);
    free(g->patch);
    if (g->map != NULL) {
        munmap(g->map, g->config.vram_size + g->config.gtt_size);
    }
    if (g->memfd >= 0) {
        close(g->memfd);
    }
    free(g);
}

int lull_gpu_memfd(const struct lull_gpu *g)
{
    return g->memfd;
}

struct lull_phys *lull_gpu_phys(struct lull_gpu *g)
{
    return &g->phys;
}

/** splitmix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
 */
uint64_t lull_gpu_draw(uint64_t *rng)
{
    uint64_t z = *rng += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t lull_gpu_random(struct lull_gpu *g)
{
    return lull_gpu_draw(&g->rng);
}

struct lull_error *lull_gpu_have_code(struct lull_gpu *g, unsigned vmid)
{
    if (g->code[vmid] != NULL) {
        return NULL;
    }
    g->code[vmid] = lull_code_cache_new();
    if (g->code[vmid] == NULL) {
        return &lull_enomem;
    }
    if (!lull_code_cache_compile(g->code[vmid], g->config.engine)) {
        lull_code_cache_free(g->code[vmid]);
        g->code[vmid] = NULL;
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "compiled waves: no memory that can be executed");
    }
    return NULL;
}

struct lull_error *lull_gpu_submit(struct lull_gpu *g, enum lull_ring ring,
                                   const struct lull_gpu_job *job)
{
    if ((unsigned)ring >= LULL_RING_COUNT || job->vmid >= LULL_NVMID || job->nibs == 0 ||
        job->nibs > sizeof job->ib / sizeof job->ib[0]) {
        return lull_error_new(LULL_ERR_INVALID, "job for ring %u, vmid %u, %u IBs", (unsigned)ring,
                              job->vmid, job->nibs);
    }
    struct lull_error *err = lull_gpu_have_code(g, job->vmid);
    if (err != NULL) {
        return err;
    }
    struct lull_gpu_job_node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        return &lull_enomem;
    }
    struct lull_gpu_ring *r = &g->rings[ring];
    node->job = *job;
    *r->tail = node;
    r->tail = &node->next;
    g->with_jobs |= UINT32_C(1) << (unsigned)ring;
    return NULL;
}

void lull_gpu_end_job(struct lull_gpu *g, struct lull_gpu_ring *r, enum lull_job_result result,
                      const char *message)
{
    struct lull_gpu_job_node *node = r->head;
    const bool waits = r->held || (r->stays && !r->under_way);
    lull_spi_kill_ring(g, r); // a job that ended well has left nothing to kill
    const bool draw = r->id == LULL_RING_GFX && g->draw_open != 0;
    if (draw) {
        lull_gpu_draw_ended(g, true);
    } else if (waits) {
        lull_gpu_dispatch_ended(g, r->launch_id, 0, true);
    }
    r->held = r->stays = r->under_way = false;
    r->crumb = (struct lull_gpu_crumb){0};
    r->head = node->next;
    if (r->head == NULL) {
        r->tail = &r->head;
    }
    r->started = false;
    // A job's node becomes that of its result, so ending a job cannot fail.
    node->next = NULL;
    node->done =
        (struct lull_gpu_done){.cookie = node->job.cookie, .ring = r->id, .result = result};
    snprintf(node->done.message, sizeof node->done.message, "%s", message);
    *g->done_tail = node;
    g->done_tail = &node->next;
    g->ndone++;
}

void lull_gpu_pause(struct lull_gpu *g, bool on)
{
    g->paused = on;
}

uint64_t lull_gpu_time(const struct lull_gpu *g)
{
    return g->time;
}

uint64_t lull_gpu_began(struct lull_gpu *g, bool again)
{
    g->began = again ? UINT64_MAX : g->began;
    return g->began;
}

void lull_gpu_stop_at(struct lull_gpu *g, uint64_t time, uint32_t vmid)
{
    g->stop_at = time;
    g->stop_vmid = vmid;
}

void lull_gpu_still(struct lull_gpu *g, bool on)
{
    g->still = on;
}

bool lull_gpu_any_done(const struct lull_gpu *g)
{
    return g->done != NULL;
}

bool lull_gpu_handlers_busy(const struct lull_gpu *g)
{
    bool any = g->reserving;
    for (unsigned i = 0; i < g->ntrapped; i++) {
        const struct lull_gpu_slot *s = g->trapped[i];
        any = any || s->w.state == LULL_WAVE_RUNNING;
    }
    return any;
}

bool lull_gpu_next_done(struct lull_gpu *g, struct lull_gpu_done *ret)
{
    struct lull_gpu_job_node *node = g->done;
    if (node == NULL) {
        return false;
    }
    *ret = node->done;
    g->done = node->next;
    if (g->done == NULL) {
        g->done_tail = &g->done;
    }
    free(node);
    return true;
}

uint64_t lull_gpu_job_cycles(const struct lull_gpu *g, enum lull_ring ring)
{
    if ((unsigned)ring >= LULL_RING_COUNT || !g->rings[ring].started) {
        return 0;
    }
    return g->cycles - g->rings[ring].started_at;
}

void lull_gpu_reset_ring(struct lull_gpu *g, enum lull_ring ring)
{
    if ((unsigned)ring < LULL_RING_COUNT && g->rings[ring].head != NULL) {
        lull_gpu_end_job(g, &g->rings[ring], LULL_JOB_KILLED, "ring reset");
    }
}

uint64_t lull_gpu_progress(const struct lull_gpu *g, enum lull_ring ring)
{
    return (unsigned)ring < LULL_RING_COUNT ? g->rings[ring].progress : 0;
}

bool lull_gpu_dispatching(const struct lull_gpu *g, enum lull_ring ring)
{
    return (unsigned)ring < LULL_RING_COUNT && !lull_spi_idle(&g->rings[ring]);
}

unsigned lull_gpu_unqueue(struct lull_gpu *g, enum lull_ring ring, uint64_t cookie)
{
    if ((unsigned)ring >= LULL_RING_COUNT) {
        return 0;
    }
    struct lull_gpu_ring *r = &g->rings[ring];
    struct lull_gpu_job_node **at = r->started ? &r->head->next : &r->head;
    unsigned n = 0;
    while (*at != NULL) {
        struct lull_gpu_job_node *node = *at;
        if (node->job.cookie == cookie) {
            *at = node->next;
            free(node);
            n++;
        } else {
            at = &node->next;
        }
    }
    r->tail = at;
    return n;
}

void lull_gpu_flush_tlb(struct lull_gpu *g, uint32_t vmid)
{
    if (vmid < LULL_NVMID) {
        lull_vm_flush(&g->vm[vmid]);
        if (g->code[vmid] != NULL) {
            lull_code_cache_epoch(g->code[vmid]);
        }
    }
}

uint64_t lull_gpu_clock(const struct lull_gpu *g)
{
    return CLOCK_AT_START + g->time + g->idle;
}

uint64_t lull_gpu_slept(const struct lull_gpu *g)
{
    return g->slept;
}

void lull_gpu_idle(struct lull_gpu *g, uint64_t ticks)
{
    g->idle += ticks;
}

void lull_gpu_watch(struct lull_gpu *g, const struct lull_gpu_watcher *watcher)
{
    g->watcher = *watcher;
}

void lull_gpu_crumbs(struct lull_gpu *g, const struct lull_crumb_watcher *to)
{
    g->crumbs = *to;
}

void lull_gpu_watch_pixel(struct lull_gpu *g, bool on, uint32_t x, uint32_t y)
{
    g->pixel_watched = on;
    g->nseen = 0;
    g->pixel_x = x;
    g->pixel_y = y;
}

void lull_gpu_watch_drawn(struct lull_gpu *g, bool on)
{
    g->drawn_watched = on;
}

void lull_gpu_aim(struct lull_gpu *g, const struct lull_gpu_aim *a)
{
    g->aim = *a;
}

void lull_gpu_observe(struct lull_gpu *g, struct lull_observer *observer)
{
    g->observer = observer;
    for (size_t i = 0; i < sizeof g->code / sizeof g->code[0]; i++) {
        if (g->code[i] != NULL) {
            lull_code_watched(g->code[i], NULL); // Another may be where this one was.
        }
    }
    lull_gpu_reobserve(g);
}

void lull_gpu_note_fresh(struct lull_gpu *g, struct lull_fresh *fresh)
{
    g->phys.fresh = fresh;
}

void lull_gpu_set_engine(struct lull_gpu *g, lull_gpu_engine_fn *engine)
{
    g->engine = engine;
}
