// SPDX-License-Identifier: MIT
// Workgroups shared by threads: each takes a stretch of a dispatch, and launches and runs its
// groups one after the other in one place on the GPU, whose registers and LDS stay in its cache.
// Where stretches and places come from is behind one lock, held once a stretch; what a wave uses
// while it runs is its thread's own: translations, decoded and compiled code, memory for registers.
// Threads run only inside lull_gpu_run(), so whoever looks at the GPU, or commands it, finds it
// standing.
//
// A group that does not end in its turn stays on the GPU, and whoever comes next goes on with it.
// What its stretch has left is begun by who comes next, too.
//
// Threads differ from run to run, so order does too. One thread takes stretches as well, in an
// order that does not depend on cycles: a group has its whole turn, those that are on the GPU go on
// before others come, and where several rings have work, they have turns group by group. Who asked
// for an order (a seed, observers, a debugger's trap handler, a picture of memory to go back to)
// gets that of the scheduler (gpu_sched.c), and so do draws, whose exports have an order.
#include <stdlib.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"
#include "model/fp/fp_host.h"

enum {
    GROUP_TURN = LULL_GROUP_TURN,
    SMALLEST_TURN = 1024,
    LARGEST_TURN = 4 * GROUP_TURN, // of a stretch
    WAVES_FOR_A_THREAD = 4,        // to be worth waking it,
    CYCLES_FOR_A_THREAD = 1024,    // about, a launch being so many more:
    LAUNCH_CYCLES = 32,
    SMALL_BUDGET = 4096,      // cycles that one thread runs alone
    STRETCH_CYCLES = 1 << 13, // that a stretch is to take, about: many times what its begin does
    STRETCH = 256,            // groups, at most
    LOOKS = 1024,             // for the lock, before a thread sleeps: longer than anybody holds it
};

/** Groups with numbers that follow each other, launched by one thread in one place. */
struct stretch {
    struct lull_gpu_group *group; ///< The one that is there; NULL: none is.
    unsigned range;               ///< Of its work, held; LULL_WORK_RANGES: the group is alone.
    uint64_t next, end;           ///< What is left of it.
    uint32_t may, used;           ///< Cycles.
    bool ran_out;                 ///< The turn of the group is over before the group is.
    /* Not told to others yet. */
    uint64_t nlaunched, invocations; ///< Behind the first group.
};

/** Whether there is one thread, whose order must not depend on cycles. */
static bool is_alone(const struct lull_gpu *g)
{
    return g->config.threads == 1;
}

/** What is left of the turn of one thread, behind which command processors have theirs. */
static uint64_t turn_left(const struct lull_gpu *g, const struct lull_gpu_runner *r)
{
    const uint64_t now = g->time + r->used;
    return g->share.turn_end > now ? g->share.turn_end - now : 0;
}

/** Whether work of several rings is on the GPU. */
static bool several_rings(const struct lull_gpu *g)
{
    return (g->with_works & (g->with_works - 1)) != 0;
}

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

bool lull_share_can(const struct lull_gpu *g)
{
    return g->config.threads != 0 && g->memory.dirty == NULL && lull_gpu_unseen(g) &&
           only_dispatches(g);
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
static void bind(struct lull_gpu *g, struct lull_gpu_group *group, struct lull_gpu_runner *r)
{
    const unsigned vmid = group->work->vmid;
    const bool own = r != NULL && !is_first(g, r), shares = r != NULL && !is_alone(g);
    for (unsigned i = 0; i < group->nslots; i++) {
        struct lull_gpu_slot *s = group->slots[i];
        if (s != NULL) {
            if (r == NULL) { // What it ran is this thread's still.
                lull_spi_note_dirty(s);
            }
            s->runner = r;
            s->w.vm = own ? &r->vm[vmid] : &g->vm[vmid];
            s->w.shared = shares;
            s->w.kept = shares ? &r->kept : NULL;
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
    h->locked++;
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

/** What the engine left of @p s. */
static void settle(struct lull_gpu *g, struct lull_gpu_runner *r, struct lull_gpu_slot *s)
{
    struct lull_gpu_group *group = s->group;
    switch (s->w.state) {
    case LULL_WAVE_ENDED:
        lull_spi_leave(s);
        group->gone[group->ngone++] = s;
        if (group->wg.nbarrier != 0) {
            lull_kept_tell(&r->kept);
        }
        lull_sched_barrier(group);
        break;
    case LULL_WAVE_BARRIER:
        lull_sched_come(group);
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

/** Run waves of @p group, of which none has ended, from barrier to barrier. @return Instructions,
 * @p n at most; 0: something else is to be done. */
static uint32_t run_in_step(struct lull_gpu *g, struct lull_gpu_runner *r,
                            struct lull_gpu_group *group, uint32_t n)
{
    struct lull_wave *waves[LULL_GROUP_WAVES];
    struct lull_wave_at at = {.wave = group->next};
    for (unsigned i = 0; i < group->nslots; i++) {
        struct lull_gpu_slot *s = group->slots[i];
        if (s == NULL || s->trapped || s->was != LULL_WAVE_RUNNING) {
            return 0;
        }
        waves[i] = &s->w;
    }
    const uint32_t used =
        lull_wave_run_group(waves, group->nslots, lull_sched_wave_turn(group), n, &at);
    r->used += used;
    group->next = at.wave;
    if (at.ran) {
        struct lull_gpu_slot *s = group->slots[at.wave];
        group->next = lull_sched_behind(group);
        settle(g, r, s);
    }
    return used;
}

/** Run waves of @p group, at most @p n instructions. @return How many. */
static uint32_t run_group(struct lull_gpu *g, struct lull_gpu_runner *r,
                          struct lull_gpu_group *group, uint32_t n)
{
    uint32_t used = 0;
    while (used < n && group->wg.nended < group->nslots &&
           !__atomic_load_n(&g->share.stop, __ATOMIC_RELAXED)) {
        const bool in_step =
            group->nslots > 1 && group->wg.nended == 0 && g->engine == lull_wave_run;
        const uint32_t together = in_step ? run_in_step(g, r, group, n - used) : 0;
        used += together;
        if (together != 0) {
            continue;
        }
        struct lull_gpu_slot *s = group->slots[group->next];
        if (s == NULL || s->w.state != LULL_WAVE_RUNNING || s->trapped) {
            s = lull_sched_find_wave(group, group->next, g->time + r->used);
        }
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

/** How many groups of @p d a thread takes at once: fewer where there are not many left for all. */
static uint64_t stretch_size(const struct lull_gpu *g, const struct lull_work *d, unsigned range)
{
    const struct lull_gpu_share *h = &g->share;
    const struct lull_work_range *r = &d->range[range];
    const uint64_t part = (r->end - r->next) / (2 * h->nthreads);
    const uint64_t long_enough = STRETCH_CYCLES / (h->average + 1);
    const uint64_t n = part < long_enough ? part : long_enough;
    const bool single = d->limited != 0 || (is_alone(g) && several_rings(g));
    return single ? 0 : n < STRETCH ? n : STRETCH;
}

/** Give @p s a part of the cycles that are left, at most @p most; with the lock held. */
static void grant(struct lull_gpu *g, const struct lull_gpu_runner *r, struct stretch *s,
                  uint64_t most)
{
    struct lull_gpu_share *h = &g->share;
    uint64_t n = h->left / (2 * h->nworking);
    n = n < SMALLEST_TURN ? SMALLEST_TURN : n < most ? n : most;
    n = is_alone(g) ? turn_left(g, r) : n;
    n = n < h->left ? n : h->left;
    h->left -= n;
    s->may = (uint32_t)n;
    s->used = 0;
}

/** Hold groups of range @p range behind the one that is there; with the lock held. */
static void hold(struct lull_gpu *g, struct stretch *s, unsigned range)
{
    struct lull_work *d = s->group->work;
    s->range = lull_range_hold(d, range, stretch_size(g, d, range));
    s->next = s->end = 0;
    if (s->range != LULL_WORK_RANGES) {
        s->next = d->range[s->range].next;
        s->end = d->range[s->range].end;
    }
}

/** Place a group for @p r, with others behind it; with the lock held. False: none. */
static bool launch(struct lull_gpu *g, struct lull_gpu_runner *r, struct stretch *s)
{
    unsigned range = 0;
    g->want_more = false;
    s->group = lull_spi_place_next(g, is_first(g, r) ? &g->vgprs : &r->vgprs, &range);
    if (g->no_memory) { // the launch of one thread will say it
        g->no_memory = false;
        stop(&g->share);
    }
    if (s->group == NULL) {
        return false;
    }
    s->group->fresh = true;
    g->share.nfresh++;
    r->used++;
    g->share.left--;
    hold(g, s, range);
    return true;
}

/** What @p r runs next; with the lock held. False: nothing. */
static bool take(struct lull_gpu *g, struct lull_gpu_runner *r, struct stretch *s)
{
    if (g->share.stop || g->share.left == 0 || (is_alone(g) && turn_left(g, r) == 0)) {
        return false;
    }
    *s = (struct stretch){.range = LULL_WORK_RANGES};
    r->image.group = NULL; // Its memory may be another's by now.
    if (!g->want_more) {
        s->group = find_group(g, r);
    }
    if (s->group == NULL && !launch(g, r, s)) {
        s->group = find_group(g, r);
    }
    if (s->group == NULL) {
        return false;
    }
    s->group->taken = true;
    grant(g, r, s, s->range != LULL_WORK_RANGES ? LARGEST_TURN : GROUP_TURN);
    return true;
}

/** Cycles that the group of @p s gets: more than the stretch may, rather than a part of its turn,
 * unless the stretch is short. */
static uint32_t group_turn(const struct lull_gpu *g, const struct stretch *s)
{
    const uint32_t left = s->may - s->used;
    const bool whole = is_alone(g) || s->may >= SMALL_BUDGET || left > GROUP_TURN;
    return whole ? GROUP_TURN : left;
}

/** The waves of the group of @p s are alive, and use what is @p r's own. */
static void begin(struct lull_gpu *g, struct lull_gpu_runner *r, const struct stretch *s)
{
    struct lull_gpu_group *group = s->group;
    const bool fresh = group->fresh;
    if (fresh) {
        lull_spi_start(g, group);
        group->fresh = false;
    }
    bind(g, group, r);
    if (fresh && s->next != s->end) {
        lull_again_keep(&r->image, group);
    }
}

/** The next group of @p s in the place of the one that has ended. @return Its items; 0: it is of
 * another size. */
static uint32_t again(struct lull_gpu *g, struct lull_gpu_runner *r, const struct stretch *s)
{
    const uint32_t like = lull_again_start(&r->image, s->group, s->next);
    const uint32_t items = like != 0 ? like : lull_spi_again(s->group, s->next);
    if (like == 0 && items != 0) {
        begin(g, r, s);
    }
    return items;
}

/** Run the group of @p s and those behind it, until one does not end or there are no more. */
static void run_stretch(struct lull_gpu *g, struct lull_gpu_runner *r, struct stretch *s)
{
    struct lull_gpu_group *group = s->group;
    begin(g, r, s);
    for (;;) {
        const uint32_t n = group_turn(g, s), done = run_group(g, r, group, n);
        s->used += done;
        s->ran_out = done >= n;
        if (group->ngone != group->nslots || s->next == s->end || s->used >= s->may ||
            (is_alone(g) && g->ngroups > 1) || __atomic_load_n(&g->share.stop, __ATOMIC_RELAXED)) {
            break;
        }
        const uint32_t items = again(g, r, s);
        if (items == 0) {
            break;
        }
        s->next++;
        s->nlaunched++;
        s->invocations += items;
        s->used++;
        r->used++;
    }
    lull_kept_tell(&r->kept);
    bind(g, group, NULL);
}

/** Tell all what @p s has done; with the lock held. */
static void tell(struct lull_gpu *g, struct stretch *s)
{
    struct lull_work *d = s->group->work;
    g->share.left += s->may > s->used ? s->may - s->used : 0;
    g->share.nfresh += s->nlaunched;
    g->want_more = g->want_more || (s->ran_out && s->group->ngone != s->group->nslots);
    d->ended += s->nlaunched;
    d->ring->groups += s->nlaunched;
    d->ring->invocations += s->invocations;
    lull_gpu_progressed(d->ring, s->nlaunched);
    if (s->range != LULL_WORK_RANGES) {
        lull_range_give(d, s->range, s->next);
    }
    s->range = LULL_WORK_RANGES;
    s->nlaunched = s->invocations = 0;
}

/** The group of @p s, which has ended, becomes the first of another stretch of its work; with the
 * lock held. False: there is none, or others have their turn. */
static bool go_on(struct lull_gpu *g, struct lull_gpu_runner *r, struct stretch *s)
{
    struct lull_gpu_share *h = &g->share;
    struct lull_gpu_group *group = s->group;
    struct lull_work *d = group->work;
    const bool others =
        several_rings(g) || (is_alone(g) && (g->ngroups > 1 || turn_left(g, r) == 0));
    if (h->stop || h->left <= SMALL_BUDGET || g->want_more || others ||
        group->ngone != group->nslots || !lull_spi_may_launch(g, d) || d->limited != 0) {
        return false;
    }
    const unsigned range = lull_range_first(d);
    const uint32_t items =
        range != LULL_WORK_RANGES ? lull_spi_again(group, d->range[range].next) : 0;
    if (items == 0) {
        return false;
    }
    lull_range_took(d, range);
    s->nlaunched = 1;
    s->invocations = items;
    r->used++;
    h->left--;
    hold(g, s, range);
    grant(g, r, s, LARGEST_TURN);
    return true;
}

/** What one thread does in a turn. */
static void work(void *arg, unsigned number)
{
    struct lull_gpu *g = arg;
    struct lull_gpu_share *h = &g->share;
    struct lull_gpu_runner *r = &h->runner[number];
    struct stretch s = {0};
    const uint32_t saved = lull_fp_host_hold(); // There are dispatches alone.
    lock(h);
    h->nworking++;
    while (take(g, r, &s)) {
        bool more = is_first(g, r) || follow(g, r, s.group->work->vmid);
        if (!more) { // no memory: the group stands
            if (s.group->fresh) {
                lull_spi_start(g, s.group);
                s.group->fresh = false;
            }
            tell(g, &s);
            stop(h);
        }
        while (more) {
            unlock(h);
            run_stretch(g, r, &s);
            lock(h);
            tell(g, &s);
            more = go_on(g, r, &s);
        }
        give_back(g, r, s.group);
    }
    h->nworking--;
    unlock(h);
    lull_fp_host_release(saved);
}

/** How many threads are worth waking: all that have waves for themselves that take a while. */
static uint64_t useful_threads(const struct lull_gpu *g, uint64_t budget)
{
    const uint64_t most = g->config.threads;
    const uint64_t average = g->share.average != 0 ? g->share.average : CYCLES_FOR_A_THREAD;
    uint64_t waves = g->nwaves, groups = g->ngroups;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const struct lull_work *d = (g->with_works >> i & 1) != 0 ? g->rings[i].works : NULL;
        for (; d != NULL && waves < UINT32_MAX; d = d->next) {
            uint64_t n = 0;
            for (uint32_t left = d->ranges; left != 0; left &= left - 1) {
                const struct lull_work_range *r = &d->range[__builtin_ctz(left)];
                n += r->end - r->next < UINT32_MAX ? r->end - r->next : UINT32_MAX;
            }
            groups += n;
            waves += n * lull_spi_group_waves(d, d->full);
        }
    }
    if (waves == 0) {
        return 0;
    }
    const uint64_t by_waves = 1 + (waves - 1) / WAVES_FOR_A_THREAD;
    const uint64_t by_time = 1 + groups * (average + LAUNCH_CYCLES) / CYCLES_FOR_A_THREAD;
    const uint64_t n = by_waves < by_time ? by_waves : by_time;
    return budget < SMALL_BUDGET ? 1 : n < most ? n : most;
}

/** What waves have run of the GPU's own code, before threads run that, too. */
static void note_all(struct lull_gpu *g)
{
    for (unsigned i = 0; i < g->ngroups; i++) {
        for (unsigned k = 0; k < g->groups[i]->nslots; k++) {
            if (g->groups[i]->slots[k] != NULL) {
                lull_spi_note_dirty(g->groups[i]->slots[k]);
            }
        }
    }
}

uint64_t lull_share_turn(struct lull_gpu *g, uint64_t budget)
{
    struct lull_gpu_share *h = &g->share;
    g->round.over = true;
    if (!have_team(g)) {
        return 0;
    }
    lull_spi_start_all(g);
    note_all(g);
    const unsigned most = g->config.threads;
    const unsigned n = (unsigned)useful_threads(g, budget);
    g->began = g->began < g->time ? g->began : g->time;
    g->turn_left = g->wave_left = 0;
    h->turn_end = h->cut ? h->turn_end : g->time + LARGEST_TURN;
    h->left = budget;
    h->nthreads = n;
    h->nfresh = 0;
    h->stop = false;
    for (unsigned i = 0; i < most; i++) {
        h->runner[i].used = 0;
    }
    if (n != 0) {
        lull_team_run(h->team, n, work, g);
    }
    uint64_t used = 0;
    for (unsigned i = 0; i < n; i++) {
        used += h->runner[i].used;
    }
    if (used >= SMALL_BUDGET) { // less says nothing about groups
        h->average = h->nfresh != 0 ? used / h->nfresh : used;
    }
    h->cut = is_alone(g) && !h->stop && h->left == 0;
    g->round.over = !h->cut;
    lull_gpu_tick(g, used);
    return used;
}
