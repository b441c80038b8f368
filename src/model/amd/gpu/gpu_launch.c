// SPDX-License-Identifier: MIT
// Launching: which workgroups come onto the GPU, where, and when.
//
// Few waves are kept in flight: registers and LDS of a few stay in the host's cache. Hardware
// launches what has room. Who stops every wave at its start sees that here, too: while all handlers
// wait for their host, further groups are placed, in reserve. Their waves go no further than into
// their handlers; a group leaves the reserve when it would have been launched without anybody
// looking, so what programs do stays the same. If nothing else can move, as all others stand, one
// that could leaves it earlier.
#include <string.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"
#include "model/amd/gpu/gpu_spi.h"

/** There is one: lull_spi_find_place() looked. The slot's number in its SE says where its memory
 * is. */
static void take_scratch(struct lull_gpu *g, const struct lull_work *d, struct lull_gpu_slot *s)
{
    s->scratch = -1;
    s->w.flat_scratch = s->w.scratch_bytes = 0;
    for (unsigned i = 0; i * 64 < d->scratch_waves; i++) {
        const uint64_t left =
            lull_spi_scratch_word(i, d->scratch_waves) & ~g->scratch_used[s->unit.se][i];
        if (left != 0) {
            const unsigned bit = (unsigned)__builtin_ctzll(left);
            const uint64_t n = (uint64_t)s->unit.se * d->scratch_waves + i * UINT64_C(64) + bit;
            g->scratch_used[s->unit.se][i] |= UINT64_C(1) << bit;
            s->scratch = (int)(i * 64 + bit);
            s->w.flat_scratch = d->scratch_base + n * d->scratch_wave_bytes;
            s->w.scratch_bytes = d->scratch_wave_bytes / d->lanes;
            return;
        }
    }
}

/** Wave @p index of @p group goes to slot @p s, with registers @p vgpr. */
static void place_wave(struct lull_gpu *g, struct lull_gpu_group *group, unsigned index,
                       struct lull_gpu_slot *s, uint32_t *vgpr)
{
    lull_gpu_number_slot(g, s);
    s->w.vgpr = vgpr;
    s->group = group;
    take_scratch(g, group->work, s);
    group->slots[index] = s;
    g->nwaves++;
}

static struct lull_gpu_slot *free_slot(struct lull_gpu *g, unsigned wgp, unsigned simd)
{
    struct lull_gpu_slot *s = &g->slots[((size_t)wgp * LULL_NSIMD + simd) * LULL_SIMD_SLOTS];
    while (s->group != NULL) {
        s++;
    }
    return s;
}

static bool take_group_vgprs(struct lull_gpu_vgprs *v, size_t bytes, unsigned n, uint32_t **vgpr)
{
    for (unsigned i = 0; i < n; i++) {
        vgpr[i] = lull_pool_take(v, bytes);
        if (vgpr[i] == NULL) {
            while (i-- > 0) {
                lull_pool_give(v, bytes, vgpr[i]);
            }
            return false;
        }
    }
    return true;
}

/** Group @p id at place @p p, without waves yet; NULL: no memory. */
static struct lull_gpu_group *make_group(struct lull_gpu *g, struct lull_work *d,
                                         const uint32_t id[3], const struct lull_gpu_place *p,
                                         unsigned nwaves)
{
    struct lull_gpu_group *group = lull_pool_group(g, d->lds_bytes);
    if (group == NULL) {
        return NULL;
    }
    memcpy(group->wg.id, id, sizeof group->wg.id);
    group->wg.lds_size = d->lds_bytes;
    group->wg.nwaves = group->nslots = nwaves;
    group->work = d;
    group->wgp = p->wgp;
    memcpy(group->lds_taken, p->lds, sizeof p->lds);
    p->wgp->lds[0] -= p->lds[0];
    p->wgp->lds[1] -= p->lds[1];
    g->groups[g->ngroups++] = group;
    d->live++;
    return group;
}

/** Put the next group of @p d, from range @p range, on the GPU. NULL: no room (or, with no_memory
 * set, no memory). */
static struct lull_gpu_group *place_group(struct lull_gpu *g, struct lull_work *d, unsigned range,
                                          struct lull_gpu_vgprs *vgprs)
{
    uint32_t id[3] = {0}, items[3] = {0};
    lull_range_ids(d, d->range[range].next, id);
    lull_spi_group_items(d, id, items);
    const unsigned nwaves = lull_spi_group_waves(d, items);
    struct lull_gpu_place p = {0};
    if (!lull_spi_find_place(g, d, nwaves, &p)) {
        return NULL;
    }
    uint32_t *vgpr[LULL_GROUP_WAVES];
    const size_t bytes = lull_spi_vgpr_bytes(d);
    if (!take_group_vgprs(vgprs, bytes, nwaves, vgpr)) {
        g->no_memory = true;
        return NULL;
    }
    struct lull_gpu_group *group = make_group(g, d, id, &p, nwaves);
    for (unsigned i = 0; i < nwaves; i++) {
        const unsigned simd = p.simd[i];
        if (group == NULL) {
            g->no_memory = true;
            lull_pool_give(vgprs, bytes, vgpr[i]);
            continue;
        }
        struct lull_gpu_slot *s = free_slot(g, p.index, simd);
        p.wgp->slots[simd]--;
        p.wgp->vgprs[simd] = (uint16_t)(p.wgp->vgprs[simd] - d->vgpr_cost);
        place_wave(g, group, i, s, vgpr[i]);
    }
    if (group == NULL) {
        return NULL;
    }
    if (d->kind == LULL_WORK_COMPUTE) {
        d->ring->invocations += (uint64_t)items[0] * items[1] * items[2];
    }
    d->left -= d->left != 0 ? 1 : 0;
    lull_range_took(d, range);
    return group;
}

static bool stalled(const struct lull_gpu *g, const struct lull_work *d)
{
    return (g->per_vmid[d->vmid].gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__STALL_MASK) != 0;
}

bool lull_spi_may_launch(const struct lull_gpu *g, const struct lull_work *d)
{
    return d->ranges != 0 && !stalled(g, d) && (d->limited == 0 || d->left != 0);
}

/** The same group where @p vgprs are, if there is one and it may come now. */
static struct lull_gpu_group *place_first(struct lull_gpu *g, struct lull_work *d,
                                          struct lull_gpu_vgprs *vgprs, unsigned *range)
{
    *range = lull_spi_may_launch(g, d) ? lull_range_first(d) : LULL_WORK_RANGES;
    return *range != LULL_WORK_RANGES ? place_group(g, d, *range, vgprs) : NULL;
}

/** Waves that are not halted, nor in reserve; if there are few, all that there are. */
static unsigned moving_waves(struct lull_gpu *g)
{
    const bool all = g->nopen == g->ngroups;
    unsigned n = 0;
    if (all && (g->nwaves < LULL_TARGET_WAVES || !g->may_halt)) {
        return g->nwaves;
    }
    for (unsigned i = 0; i < g->nopen && (all || n < LULL_TARGET_WAVES); i++) {
        for (unsigned k = 0; k < g->groups[i]->nslots; k++) {
            const struct lull_gpu_slot *s = g->groups[i]->slots[k];
            n += s != NULL && s->w.state != LULL_WAVE_HALTED;
        }
    }
    g->may_halt = g->may_halt && !(all && n == g->nwaves);
    return n;
}

/** Group @p i, which is in reserve or new, is behind those that may run. */
static void open_group(struct lull_gpu *g, unsigned i)
{
    struct lull_gpu_group *group = g->groups[i];
    memmove(&g->groups[g->nopen + 1], &g->groups[g->nopen],
            (i - g->nopen) * sizeof(struct lull_gpu_group *));
    g->groups[g->nopen++] = group;
}

/** The same, out of the reserve. */
static void open_reserved(struct lull_gpu *g, unsigned i)
{
    g->groups[i]->work->reserved--;
    open_group(g, i);
}

/** Launch the next group of @p d: out of the reserve, else onto the GPU. False: none can come.
 * @p later: its waves need not be started yet. */
static bool launch_group(struct lull_gpu *g, struct lull_work *d, bool later)
{
    if (d->reserved != 0 && !stalled(g, d)) {
        unsigned i = g->nopen;
        while (g->groups[i]->work != d) {
            i++;
        }
        open_reserved(g, i);
        return true;
    }
    unsigned range = 0;
    struct lull_gpu_group *group = place_first(g, d, &g->vgprs, &range);
    if (group == NULL) {
        return false;
    }
    open_group(g, g->ngroups - 1);
    if (later) {
        lull_spi_start_later(g, group);
    } else {
        lull_spi_start(g, group);
    }
    return true;
}

/** Launch groups of @p d while there is room and too few waves move. */
static unsigned launch_work(struct lull_gpu *g, struct lull_work *d, bool *extra)
{
    unsigned launched = 0;
    unsigned moving = moving_waves(g);
    const bool later = d->kind == LULL_WORK_COMPUTE && lull_gpu_unseen(g);
    while ((moving < LULL_TARGET_WAVES || *extra) && launch_group(g, d, later)) {
        *extra = false;
        launched++;
        lull_gpu_tick(g, 1);
        moving = moving_waves(g);
    }
    if (g->no_memory) {
        g->no_memory = false;
        lull_gpu_end_job(g, d->ring, LULL_JOB_KILLED,
                         "the host has no memory for a wave's registers");
    }
    return launched;
}

unsigned lull_spi_launch(struct lull_gpu *g)
{
    unsigned launched = 0;
    bool extra = g->want_more;
    unsigned next = LULL_RING_COUNT;
    g->want_more = false;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const unsigned ring = (g->launch_next + i) % LULL_RING_COUNT;
        struct lull_work *d =
            (g->with_works >> ring & 1) != 0 ? lull_spi_launching(&g->rings[ring]) : NULL;
        if (d != NULL) {
            const unsigned n = launch_work(g, d, &extra);
            launched += n;
            next = n != 0 && next == LULL_RING_COUNT ? (ring + 1) % LULL_RING_COUNT : next;
        }
    }
    if (next != LULL_RING_COUNT) {
        g->launch_next = next; // the next ring's turn to fill the room, or to have the extra group
    }
    return launched;
}

struct lull_gpu_group *lull_spi_place_next(struct lull_gpu *g, struct lull_gpu_vgprs *vgprs,
                                           unsigned *range)
{
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        const unsigned ring = (g->launch_next + i) % LULL_RING_COUNT;
        struct lull_work *d =
            (g->with_works >> ring & 1) != 0 ? lull_spi_launching(&g->rings[ring]) : NULL;
        struct lull_gpu_group *group = d != NULL ? place_first(g, d, vgprs, range) : NULL;
        if (group != NULL) {
            open_group(g, g->ngroups - 1);
            g->launch_next = (ring + 1) % LULL_RING_COUNT;
            return group;
        }
    }
    return NULL;
}

uint32_t lull_spi_again(struct lull_gpu_group *group, uint64_t number)
{
    const struct lull_work *d = group->work;
    uint32_t id[3] = {0}, items[3] = {0};
    lull_range_ids(d, number, id);
    lull_spi_group_items(d, id, items);
    if (lull_spi_group_waves(d, items) != group->nslots) {
        return 0;
    }
    memcpy(group->wg.id, id, sizeof id);
    group->wg.nended = group->wg.nbarrier = group->next = 0;
    memcpy(group->slots, group->gone, group->nslots * sizeof group->slots[0]);
    for (unsigned i = 0; i < group->nslots; i++) {
        lull_spi_mark(group->slots[i]);
    }
    group->ngone = 0;
    group->fresh = true;
    return items[0] * items[1] * items[2];
}

/** Waves of @p d go into their handlers before they do anything else. */
static bool traps_at_start(const struct lull_gpu *g, const struct lull_work *d)
{
    const uint32_t gdbg = g->per_vmid[d->vmid].gdbg;
    return (d->rsrc3 & LULL_GC11_COMPUTE_PGM_RSRC3__TRAP_ON_START_MASK) != 0 ||
           (gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK) != 0;
}

/** The group that came last stands in its handlers: so one that comes now would, too. */
static bool last_stands(const struct lull_gpu *g)
{
    const struct lull_gpu_group *last = g->ngroups != 0 ? g->groups[g->ngroups - 1] : NULL;
    bool all = last != NULL;
    for (unsigned i = 0; all && i < last->nslots; i++) {
        const struct lull_gpu_slot *s = last->slots[i];
        all = s != NULL && s->trapped && s->w.state == LULL_WAVE_SLEEP;
    }
    return all;
}

/** The next group of @p d goes into the reserve. False: there is no room. */
static bool reserve_group(struct lull_gpu *g, struct lull_work *d)
{
    const bool may =
        d != NULL && d->kind == LULL_WORK_COMPUTE && d->live != 0 && traps_at_start(g, d);
    unsigned range = 0;
    struct lull_gpu_group *group = may ? place_first(g, d, &g->vgprs, &range) : NULL;
    g->no_memory = false; // then there are as many as there is memory for
    if (group == NULL) {
        return false;
    }
    d->reserved++;
    lull_spi_start(g, group);
    return true;
}

bool lull_spi_reserve(struct lull_gpu *g)
{
    bool any = false;
    if (!last_stands(g)) {
        return false;
    }
    for (unsigned n = g->ngroups; n > 0;
         n--) { // as many as there are, so that few looks are enough
        bool more = false;
        for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
            more = reserve_group(g, lull_spi_launching(&g->rings[i])) || more;
        }
        any = any || more;
        n = more ? n : 1;
    }
    g->reserving = any;
    return any;
}

bool lull_spi_open_one(struct lull_gpu *g)
{
    for (unsigned i = g->nopen; i < g->ngroups; i++) {
        if (lull_sched_find_wave(g->groups[i], g->groups[i]->next, g->time) != NULL) {
            open_reserved(g, i);
            return true;
        }
    }
    return false;
}
