// SPDX-License-Identifier: MIT
// The whole GPU saved and restored. One walk does both, so what is written is what is read. Structs
// give their state as it is (gpu_impl.h); what points from one to another becomes a number: of a
// slot, of a ring and a dispatch in its list.
//
// Saving forgets translations and decoded code, as restoring does: what comes after is then the
// same whether the GPU goes on or comes back.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"
#include "model/amd/gpu/gpu_spi.h"
#include "model/order.h"
#include "model/state.h"

/** A walk over the GPU. */
struct walk {
    struct lull_gpu *g;
    uint8_t *bytes; // NULL: they are only counted
    size_t at;
    bool load;
};

/** Save @p n bytes of @p what, or load them. */
static void move(struct walk *k, void *what, size_t n)
{
    if (k->load && n != 0) { // LDS of no bytes is nowhere
        memcpy(what, k->bytes + k->at, n);
    } else if (k->bytes != NULL && n != 0) {
        memcpy(k->bytes + k->at, what, n);
    }
    k->at += n;
}

/** Save @p v. @return It, or what was saved. */
static uint32_t move_number(struct walk *k, uint32_t v)
{
    move(k, &v, sizeof v);
    return v;
}

static bool move_jobs(struct walk *k, struct lull_gpu_job_node **head,
                      struct lull_gpu_job_node ***tail)
{
    uint32_t n = 0;
    for (struct lull_gpu_job_node *j = *head; j != NULL; j = j->next) {
        n++;
    }
    n = move_number(k, n);
    struct lull_gpu_job_node *j = *head;
    for (; n > 0; n--) {
        if (k->load) {
            j = calloc(1, sizeof *j);
            if (j == NULL) {
                return false;
            }
            **tail = j;
            *tail = &j->next;
        }
        move(k, j, offsetof(struct lull_gpu_job_node, next));
        struct lull_error *err = k->load ? lull_gpu_have_code(k->g, j->job.vmid) : NULL;
        if (err != NULL) {
            lull_error_free(err);
            return false;
        }
        j = j->next;
    }
    return true;
}

static bool move_dispatches(struct walk *k, struct lull_gpu_ring *r)
{
    uint32_t n = 0;
    for (struct lull_work *d = r->works; d != NULL; d = d->next) {
        n++;
    }
    struct lull_work **at = &r->works;
    for (n = move_number(k, n); n > 0; n--) {
        if (k->load) {
            *at = calloc(1, sizeof **at);
            if (*at == NULL) {
                return false;
            }
            (*at)->ring = r;
        }
        move(k, *at, offsetof(struct lull_work, source));
        (*at)->source = lull_work_source((*at)->kind);
        at = &(*at)->next;
    }
    return true;
}

static bool move_ring(struct walk *k, struct lull_gpu_ring *r)
{
    move(k, r, offsetof(struct lull_gpu_ring, id));
    return move_jobs(k, &r->head, &r->tail) && move_dispatches(k, r);
}

/** The wave in @p s, which is wave @p index of @p group. */
static bool move_wave(struct walk *k, struct lull_gpu_group *group, unsigned index,
                      struct lull_gpu_slot *s)
{
    struct lull_gpu *g = k->g;
    const struct lull_work *d = group->work;
    const size_t nbytes = lull_spi_vgpr_bytes(d);
    if (k->load) {
        s->w.vgpr = lull_pool_take(&g->vgprs, nbytes);
        if (s->w.vgpr == NULL) {
            return false;
        }
        s->w.wg = &group->wg;
        s->w.vm = &g->vm[d->vmid];
        s->w.code = g->code[d->vmid];
        s->w.host = d->source->host;
        s->w.owner = s;
        s->group = group;
        s->dirty = LULL_WAVE_VGPRS;
        lull_gpu_number_slot(g, s);
        group->slots[index] = s;
    }
    const size_t first = offsetof(struct lull_gpu_slot, wake_at);
    move(k, &s->w, offsetof(struct lull_wave, vgpr));
    move(k, (uint8_t *)s + first, offsetof(struct lull_gpu_slot, unit) - first);
    move(k, s->w.vgpr, nbytes);
    if (k->load) {
        lull_wave_observe(&s->w, lull_gpu_observer(g));
    }
    return true;
}

/** Number of @p d in its ring's list. */
static uint32_t number_of(const struct lull_work *d)
{
    uint32_t n = 0;
    for (const struct lull_work *at = d->ring->works; at != d; at = at->next) {
        n++;
    }
    return n;
}

/** The dispatch of @p group, by ring and number, and its WGP. */
static void move_place(struct walk *k, struct lull_gpu_group *group)
{
    const bool load = k->load;
    const uint32_t ring = move_number(k, load ? 0 : group->work->ring->id);
    const uint32_t n = move_number(k, load ? 0 : number_of(group->work));
    const uint32_t wgp = move_number(k, load ? 0 : (uint32_t)(group->wgp - k->g->wgps));
    group->work = k->g->rings[ring].works;
    for (uint32_t i = 0; i < n; i++) {
        group->work = group->work->next;
    }
    group->wgp = &k->g->wgps[wgp];
}

static bool move_group(struct walk *k, struct lull_gpu_group **at)
{
    enum { NONE = UINT16_MAX };
    const uint32_t lds_bytes = move_number(k, k->load ? 0 : (*at)->wg.lds_size);
    if (k->load) {
        *at = lull_pool_group(k->g, lds_bytes);
    }
    struct lull_gpu_group *group = *at;
    if (group == NULL) {
        return false;
    }
    const size_t first = offsetof(struct lull_gpu_group, lds_taken);
    move(k, &group->wg, offsetof(struct lull_workgroup, lds));
    move(k, (uint8_t *)group + first, offsetof(struct lull_gpu_group, lds_room) - first);
    move(k, group->wg.lds, lds_bytes);
    move_place(k, group);
    bool ok = true;
    for (unsigned i = 0; ok && i < group->nslots; i++) {
        const struct lull_gpu_slot *s = group->slots[i];
        const uint32_t n = move_number(k, s != NULL ? (uint32_t)(s - k->g->slots) : NONE);
        ok = n == NONE || move_wave(k, group, i, &k->g->slots[n]);
    }
    return ok;
}

static bool walk(struct walk *k)
{
    struct lull_gpu *g = k->g;
    bool ok = true;
    move(k, g, offsetof(struct lull_gpu, config));
    move(k, g->wgps, g->nwgps * sizeof *g->wgps);
    if (k->load && g->gfx_bytes != 0) {
        g->gfx = calloc(1, g->gfx_bytes);
        ok = g->gfx != NULL;
    }
    if (ok) {
        move(k, g->gfx, g->gfx_bytes);
    }
    for (unsigned i = 0; ok && i < LULL_RING_COUNT; i++) {
        ok = move_ring(k, &g->rings[i]);
    }
    ok = ok && move_jobs(k, &g->done, &g->done_tail);
    for (unsigned i = 0; ok && i < g->ngroups; i++) {
        ok = move_group(k, &g->groups[i]);
    }
    if (ok && g->config.order != NULL) {
        size_t size = 0;
        void *state = lull_order_state(g->config.order, &size);
        move(k, state, size);
    }
    for (unsigned i = 0; ok && i < g->ntrapped; i++) {
        const uint32_t n = move_number(k, k->load ? 0 : (uint32_t)(g->trapped[i] - g->slots));
        g->trapped[i] = &g->slots[n];
    }
    return ok;
}

static void forget_translations(struct lull_gpu *g)
{
    for (unsigned i = 0; i < LULL_NVMID; i++) {
        lull_gpu_sync_vm(g, i);
    }
}

/** What a state fits to; all of it is compared. */
struct shape {
    uint64_t vram_size, gtt_size, gtt_base, seed;
    uint32_t se, sa, wgp, nslots;
    uint64_t order;
};

static struct shape shape_of(const struct lull_gpu *g)
{
    const struct lull_gpu_config *c = &g->config;
    size_t order = 0;
    if (c->order != NULL) {
        (void)lull_order_state(c->order, &order);
    }
    return (struct shape){c->vram_size, c->gtt_size,   c->gtt_base, c->seed, c->se,
                          c->sa_per_se, c->wgp_per_sa, g->nslots,   order};
}

struct lull_error *lull_gpu_save(struct lull_gpu *g, bool outside, struct lull_gpu_state *ret)
{
    struct lull_gpu_state s = {0};
    struct shape shape = shape_of(g);
    struct walk k = {.g = g};
    struct lull_error *err = lull_pages_take(&g->memory, outside, &s.memory);
    if (err == NULL) {
        err = lull_pages_take(&g->registers, true, &s.registers);
    }
    if (err == NULL) {
        move(&k, &shape, sizeof shape);
        (void)walk(&k);
        s.size = k.at;
        s.bytes = calloc(1, s.size);
        err = s.bytes != NULL ? NULL : &lull_enomem;
    }
    forget_translations(g);
    if (err != NULL) {
        lull_gpu_state_done(&s);
        return err;
    }
    k = (struct walk){.g = g, .bytes = s.bytes};
    move(&k, &shape, sizeof shape);
    (void)walk(&k);
    *ret = s;
    return NULL;
}

/** No wave, no work, no job, and nobody is told. What the GPU counts is not true any more. */
static void empty(struct lull_gpu *g)
{
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        struct lull_gpu_slot *s = &g->slots[i];
        s->dirty = LULL_WAVE_VGPRS;
        lull_spi_mark(s);
        lull_pool_give(&g->vgprs, lull_spi_vgpr_bytes(s->group->work), s->w.vgpr);
        s->group = NULL;
        s->trapped = false;
        s->w = (struct lull_wave){0};
    }
    for (unsigned i = 0; i < g->ngroups && g->groups[i] != NULL; i++) {
        g->groups[i]->free_next = g->free_groups;
        g->free_groups = g->groups[i];
    }
    memset((void *)g->groups, 0, g->nslots * sizeof(struct lull_gpu_group *));
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        struct lull_gpu_ring *r = &g->rings[i];
        while (r->works != NULL) {
            struct lull_work *next = r->works->next;
            free(r->works);
            r->works = next;
        }
        lull_gpu_free_jobs(&r->head, &r->tail);
    }
    lull_gpu_free_jobs(&g->done, &g->done_tail);
    free(g->output);
    free(g->gfx);
    g->output = NULL;
    g->gfx = NULL;
    g->nseen = 0;
    memset(g, 0, offsetof(struct lull_gpu, config));
    g->trap_wake = UINT64_MAX;
    g->may_halt = true;
    lull_gpu_empty_units(g);
}

struct lull_error *lull_gpu_restore(struct lull_gpu *g, bool outside,
                                    const struct lull_gpu_state *s)
{
    const struct shape here = shape_of(g);
    struct shape there = {0};
    struct walk k = {.g = g, .bytes = s->bytes, .load = true};
    move(&k, &there, sizeof there);
    if (memcmp(&here, &there, sizeof here) != 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "the state is that of a GPU of another size or seed");
    }
    struct lull_error *err = lull_pages_put(&g->registers, true, s->registers);
    if (err == NULL) {
        err = lull_pages_put(&g->memory, outside, s->memory);
    }
    if (err != NULL) {
        return err;
    }
    empty(g);
    lull_gpu_tcp_written(g);
    if (!walk(&k)) {
        empty(g);
        err = &lull_enomem;
    }
    forget_translations(g);
    for (struct lull_observer *o = g->observer; err == NULL && o != NULL; o = o->next) {
        if (o->restored != NULL) {
            o->restored(o);
        }
    }
    return err;
}
