// SPDX-License-Identifier: MIT
// Workgroups shared by threads: each takes one, runs its waves for a part of a turn, and gives it
// back. Where groups come from and go to is behind one lock; what a wave uses while it runs is its
// thread's own: translations, decoded and compiled code, memory for registers. Threads run only
// inside lull_gpu_run(), so whoever looks at the GPU, or commands it, finds it standing.
//
// Threads differ from run to run, so order does too. Who asked for an order (a seed, observers, a
// debugger's trap handler, a picture of memory to go back to) gets that of one thread, and so do
// draws, whose exports have an order.
#include <stdlib.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/fp/fp_host.h"

enum {
    GROUP_TURN = LULL_GROUP_TURN,
    SMALLEST_TURN = 1024,
    WAVES_FOR_A_THREAD = 4, // to be worth waking it
    SMALL_BUDGET = 4096,    // cycles that one thread runs alone
    BATCH = 16,             // groups of few waves that are taken at once
    BATCH_WAVES = 16,
    LOOKS = 1024,      // for the lock, before a thread sleeps: longer than anybody holds it
    BRIEF = 128,       // instructions of a group whose launch counts for more than they do,
    BRIEF_THREADS = 2, // and how many threads are of use then
};

/** Groups that a thread has taken, and the instructions that each may take. */
struct batch {
    struct lull_gpu_group *group[BATCH];
    uint32_t may[BATCH];
    unsigned n, waves;
};

/** Nothing on the rings but dispatches. */
static bool only_dispatches(const struct lull_gpu *g)
{
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        for (const struct lull_work *d = g->rings[i].works; d != NULL; d = d->next) {
            if (d->kind != LULL_WORK_COMPUTE) {
                return false;
            }
        }
    }
    return true;
}

/** Registers with which somebody wants to trap or stop waves. */
static bool traps(const struct lull_gpu *g)
{
    uint32_t any = 0;
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        any |= g->per_vmid[i].tba_lo | g->per_vmid[i].tba_hi | g->per_vmid[i].gdbg;
    }
    return any != 0;
}

bool lull_share_can(const struct lull_gpu *g)
{
    return g->config.threads > 1 && g->config.seed == 0 && g->config.order == NULL &&
           g->observer == NULL && !g->tcp.any && g->trace == NULL && g->stop_at == UINT64_MAX &&
           g->ntrapped == 0 && !g->commanded && g->aim.kind == LULL_GPU_AIM_OFF &&
           g->memory.dirty == NULL && !traps(g) && only_dispatches(g);
}

/** Have runners, and a team. False: no memory. */
static bool have_team(struct lull_gpu *g)
{
    struct lull_gpu_share *h = &g->share;
    if (h->team != NULL) {
        return true;
    }
    h->runner = h->runner != NULL ? h->runner : calloc(g->config.threads, sizeof *h->runner);
    h->team = h->runner != NULL ? lull_team_new(g->config.threads) : NULL;
    return h->team != NULL;
}

/** Have address spaces and code caches for @p r that know what those of the GPU do. False: no
 * memory. */
static bool follow(struct lull_gpu *g, struct lull_gpu_runner *r, unsigned vmid)
{
    const struct lull_vm *from = &g->vm[vmid];
    r->vm = r->vm != NULL ? r->vm : calloc(LULL_NVMID, sizeof *r->vm);
    if (r->vm == NULL) {
        return false;
    }
    struct lull_vm *vm = &r->vm[vmid];
    if (vm->phys == NULL || r->flushes[vmid] != from->flushes) {
        lull_vm_flush(vm);
        vm->phys = from->phys;
        vm->vmid = from->vmid;
        vm->page_table_base = from->page_table_base;
        vm->context_cntl = from->context_cntl;
        vm->shared_base = from->shared_base;
        vm->private_base = from->private_base;
        r->flushes[vmid] = from->flushes;
    }
    if (r->code[vmid] == NULL) {
        r->code[vmid] = lull_code_cache_new();
        if (r->code[vmid] != NULL && !lull_code_cache_compile(r->code[vmid], g->config.engine)) {
            lull_code_cache_compile(r->code[vmid], NULL);
        }
    } else if (r->epochs[vmid] != lull_code_cache_epochs(g->code[vmid])) {
        lull_code_cache_epoch(r->code[vmid]);
    }
    r->epochs[vmid] = lull_code_cache_epochs(g->code[vmid]);
    return r->code[vmid] != NULL;
}

static bool is_first(const struct lull_gpu *g, const struct lull_gpu_runner *r)
{
    return r == g->share.runner;
}

/** Waves of @p group use what is @p r's own; NULL: what the GPU has. */
static void bind(struct lull_gpu *g, struct lull_gpu_group *group, const struct lull_gpu_runner *r)
{
    const unsigned vmid = group->work->vmid;
    const bool own = r != NULL && !is_first(g, r);
    for (unsigned i = 0; i < group->nslots; i++) {
        struct lull_gpu_slot *s = group->slots[i];
        if (s != NULL) {
            s->runner = r;
            s->w.vm = own ? &r->vm[vmid] : &g->vm[vmid];
            s->w.shared = r != NULL;
            s->w.code = own ? r->code[vmid] : g->code[vmid];
        }
    }
}

/** A group that nobody has taken and that can run; NULL: there is none. Then group_at is behind it.
 */
static struct lull_gpu_group *find_group(struct lull_gpu *g, const struct lull_gpu_runner *r)
{
    for (unsigned i = 0; i < g->ngroups; i++) {
        const unsigned n = (g->group_at + i) % g->ngroups;
        struct lull_gpu_group *group = g->groups[n];
        if (!group->taken && lull_sched_find_wave(group, group->next, g->time + r->used) != NULL) {
            g->group_at = (n + 1) % g->ngroups;
            return group;
        }
    }
    return NULL;
}

/** Waking a thread takes as long as many batches, so it does not sleep for what is held shortly. */
static void lock(struct lull_gpu_share *h)
{
    bool mine = false;
    for (unsigned i = 0; i < LOOKS && !mine; i++) {
        mine = !__atomic_load_n(&h->held, __ATOMIC_RELAXED) && pthread_mutex_trylock(&h->lock) == 0;
        if (!mine) {
            lull_team_relax();
        }
    }
    if (!mine) {
        pthread_mutex_lock(&h->lock);
    }
    __atomic_store_n(&h->held, true, __ATOMIC_RELAXED);
}

static void unlock(struct lull_gpu_share *h)
{
    __atomic_store_n(&h->held, false, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&h->lock);
}

/** Something else comes first; with the lock held, but read without it, too. */
static void stop(struct lull_gpu_share *h)
{
    __atomic_store_n(&h->stop, true, __ATOMIC_RELAXED);
}

/** The group that @p r runs next; with the lock held. NULL: none. */
static struct lull_gpu_group *take(struct lull_gpu *g, struct lull_gpu_runner *r)
{
    struct lull_gpu_vgprs *vgprs = is_first(g, r) ? &g->vgprs : &r->vgprs;
    struct lull_gpu_group *group = NULL;
    if (g->share.stop || g->share.left == 0) {
        return NULL;
    }
    if (!g->want_more) {
        group = find_group(g, r);
    }
    if (group == NULL) {
        g->want_more = false;
        group = lull_spi_place_next(g, vgprs);
        if (g->no_memory) { // the launch of one thread will say it
            g->no_memory = false;
            stop(&g->share);
        }
        if (group != NULL) {
            group->fresh = true;
            g->share.nfresh++;
            r->used++;
            g->share.left--;
        }
    }
    group = group != NULL ? group : find_group(g, r);
    if (group != NULL && !is_first(g, r) && !follow(g, r, group->work->vmid)) {
        stop(&g->share);
        return NULL;
    }
    return group;
}

/** What the engine left of @p s. */
static void settle(struct lull_gpu *g, const struct lull_gpu_runner *r, struct lull_gpu_slot *s)
{
    struct lull_gpu_group *group = s->group;
    switch (s->w.state) {
    case LULL_WAVE_ENDED:
        lull_spi_leave(s);
        group->gone[group->ngone++] = s;
        lull_sched_barrier(group);
        break;
    case LULL_WAVE_BARRIER:
        lull_sched_barrier(group);
        break;
    case LULL_WAVE_SLEEP:
        s->wake_at = g->time + r->used + s->w.sleep_cycles;
        break;
    case LULL_WAVE_HALTED:
        lull_gpu_note_halt(g);
        break;
    case LULL_WAVE_RUNNING:
        break;
    }
}

/** Run waves of @p group, at most @p n instructions. @return How many. */
static uint32_t run_group(struct lull_gpu *g, struct lull_gpu_runner *r,
                          struct lull_gpu_group *group, uint32_t n)
{
    uint32_t used = 0;
    while (used < n && group->wg.nended < group->nslots &&
           !__atomic_load_n(&g->share.stop, __ATOMIC_RELAXED)) {
        struct lull_gpu_slot *s = lull_sched_find_wave(group, group->next, g->time + r->used);
        if (s == NULL) {
            break;
        }
        const uint32_t left = n - used;
        const uint32_t turn = lull_sched_wave_turn(group);
        uint32_t done = g->engine(&s->w, left < turn ? left : turn);
        done = done != 0 ? done : 1; // time passes even if the engine did nothing
        used += done;
        r->used += done;
        group->next = lull_sched_behind(group);
        settle(g, r, s);
    }
    return used;
}

/** Whether group ended by itself and can be the next of its work at once, with the lock held. */
static bool again(struct lull_gpu *g, struct lull_gpu_runner *r, struct lull_gpu_group *group)
{
    struct lull_gpu_share *h = &g->share;
    // Others have their turn: who waits for more groups, and another ring's work.
    const bool alone = (g->with_works & (g->with_works - 1)) == 0;
    if (h->stop || h->left <= SMALL_BUDGET || g->want_more || !alone || !lull_spi_again(g, group)) {
        return false;
    }
    h->nfresh++;
    r->used++;
    h->left--;
    return true;
}

/** Take back what @p group does not need any more; with the lock held. */
static void give_back(struct lull_gpu *g, struct lull_gpu_runner *r, struct lull_gpu_group *group)
{
    struct lull_gpu_vgprs *vgprs = is_first(g, r) ? &g->vgprs : &r->vgprs;
    const struct lull_gpu_ring *ring = group->work->ring;
    bool over = false;
    for (unsigned i = 0; i < group->ngone; i++) {
        over = lull_spi_give_back(g, group->gone[i], vgprs);
        group->gone[i]->runner = NULL;
    }
    group->ngone = 0;
    group->taken = false;
    if (over) {
        lull_spi_end_group(g, group);
        if (lull_spi_idle(ring)) { // its command processor goes on
            stop(&g->share);
        }
    }
}

/** How many groups a thread takes at once: fewer where there are not many left for all. */
static unsigned batch_size(const struct lull_gpu *g)
{
    const uint64_t n = lull_spi_to_come(g) / (2 * g->share.nthreads);
    return n < BATCH ? (unsigned)n : BATCH;
}

/** Put @p group into @p b, with a part of the cycles that are left. */
static void put(struct lull_gpu_share *h, struct batch *b, struct lull_gpu_group *group)
{
    uint64_t n = h->left / (2 * h->nworking);
    n = n < SMALLEST_TURN ? SMALLEST_TURN : n < GROUP_TURN ? n : GROUP_TURN;
    n = n < h->left ? n : h->left;
    h->left -= n;
    group->taken = true;
    b->group[b->n] = group;
    b->may[b->n++] = (uint32_t)n;
    b->waves += group->nslots;
}

/** Groups that have run, @p done instructions each, are given back, or are new ones and stay; with
 * the lock held. */
static void end_batch(struct lull_gpu *g, struct lull_gpu_runner *r, struct batch *b,
                      const uint32_t *done)
{
    struct batch next = {0};
    for (unsigned i = 0; i < b->n; i++) {
        g->share.left += b->may[i] > done[i] ? b->may[i] - done[i] : 0;
        g->want_more = g->want_more || done[i] >= b->may[i];
    }
    const unsigned most = batch_size(g);
    for (unsigned i = 0; i < b->n; i++) {
        if (next.n < most && again(g, r, b->group[i])) {
            put(&g->share, &next, b->group[i]);
        } else {
            give_back(g, r, b->group[i]);
        }
    }
    *b = next;
}

/** Take groups for @p r beside those that it has; with the lock held. More than one if they are new
 * and have few waves, for then launching is most of what they take. @return Whether there is one.
 */
static bool take_batch(struct lull_gpu *g, struct lull_gpu_runner *r, struct batch *b)
{
    const unsigned size = batch_size(g), most = size != 0 ? size : 1;
    while (b->n < most && b->waves < BATCH_WAVES) {
        struct lull_gpu_group *group = take(g, r);
        if (group == NULL) {
            break;
        }
        put(&g->share, b, group);
        if (!group->fresh || g->share.left < SMALL_BUDGET) {
            break;
        }
    }
    return b->n != 0;
}

/** What one thread does in a turn. */
static void work(void *arg, unsigned number)
{
    struct lull_gpu *g = arg;
    struct lull_gpu_share *h = &g->share;
    struct lull_gpu_runner *r = &h->runner[number];
    struct batch batch = {0};
    const uint32_t saved = lull_fp_host_hold(); // There are dispatches alone.
    lock(h);
    h->nworking++;
    while (take_batch(g, r, &batch)) {
        uint32_t done[BATCH];
        unlock(h);
        for (unsigned i = 0; i < batch.n; i++) {
            struct lull_gpu_group *group = batch.group[i];
            if (group->fresh) {
                lull_spi_start(g, group);
                group->fresh = false;
            }
            bind(g, group, r);
            done[i] = run_group(g, r, group, batch.may[i]);
            bind(g, group, NULL);
        }
        lock(h);
        end_batch(g, r, &batch, done);
    }
    h->nworking--;
    unlock(h);
    lull_fp_host_release(saved);
}

/** Waves that there are and that come soon, as far as it matters: @p enough. */
static uint64_t waves_to_do(const struct lull_gpu *g, uint64_t enough)
{
    uint64_t n = g->nwaves;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        for (const struct lull_work *d = g->rings[i].works; d != NULL && n < enough; d = d->next) {
            const uint64_t items = (uint64_t)d->full[0] * d->full[1] * d->full[2];
            uint64_t groups = 1;
            for (unsigned k = 0; k < 3 && groups < enough; k++) {
                groups *= d->end[k] - d->start[k];
            }
            n += d->launching ? groups * ((items + d->lanes - 1) / d->lanes) : 0;
        }
    }
    return n;
}

uint64_t lull_share_turn(struct lull_gpu *g, uint64_t budget)
{
    struct lull_gpu_share *h = &g->share;
    if (!have_team(g)) {
        return 0;
    }
    const unsigned most = g->config.threads;
    const uint64_t waves = waves_to_do(g, (uint64_t)most * WAVES_FOR_A_THREAD);
    const uint64_t wanted =
        budget < SMALL_BUDGET || waves == 0 ? 1 : 1 + (waves - 1) / WAVES_FOR_A_THREAD;
    const unsigned useful = h->brief && most > BRIEF_THREADS ? BRIEF_THREADS : most;
    const unsigned n = wanted < useful ? (unsigned)wanted : useful;
    g->began = g->began < g->time ? g->began : g->time;
    g->turn_left = g->wave_left = 0;
    h->left = budget;
    h->nthreads = n;
    h->nfresh = 0;
    h->stop = false;
    for (unsigned i = 0; i < most; i++) {
        h->runner[i].used = 0;
    }
    if (waves != 0) {
        lull_team_run(h->team, n, work, g);
    }
    uint64_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        used += h->runner[i].used;
    }
    if (used >= SMALL_BUDGET) { // less says nothing about groups
        h->brief = h->nfresh != 0 && used / h->nfresh < BRIEF;
    }
    lull_gpu_tick(g, used);
    return used;
}
