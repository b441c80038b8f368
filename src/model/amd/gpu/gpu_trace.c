// SPDX-License-Identifier: MIT
// Instructions that are kept while the GPU runs: those of one wave, those at some addresses, those
// that touch some memory, with the time in front of each.
#include <stdlib.h>
#include <string.h>

#include "isa/rdna/rdna.h"
#include "model/amd/gpu/gpu_impl.h"

static bool same_group(const uint32_t a[3], const uint32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool touches(const struct lull_gpu_trace_want *want, const struct lull_gpu_trace_range *r,
                    const struct lull_observed *at, uint64_t address, size_t size, int store)
{
    uint64_t first = r->address;
    if (r->local) {
        if (!same_group(r->workgroup, at->workgroup)) {
            return false;
        }
        first += at->local_base;
    }
    if (r->scratch) {
        const struct lull_wave *w = at->wave;
        if (at->place != want->place || !same_group(want->workgroup, at->workgroup)) {
            return false;
        }
        first += w->vm->private_base;
    }
    return !r->registers && (store != 0 || r->loads) && address < first + r->bytes &&
           first < address + size;
}

static void access(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store)
{
    struct lull_gpu_trace *t = (struct lull_gpu_trace *)o;
    if (at->handler || at->space != t->want.vmid) {
        return;
    }
    for (unsigned i = 0; i < t->want.nranges; i++) {
        if (touches(&t->want, &t->want.ranges[i], at, address, size, store)) {
            t->hits |= (uint32_t)LULL_TRACED_RANGE << i;
            t->lanes |= UINT64_C(1) << (lane % 64);
        }
    }
}

/** Dwords of what @p r names of @p w; 0: it has no such registers. */
static unsigned registers(const struct lull_wave *w, const struct lull_gpu_trace_range *r,
                          const uint32_t **ret)
{
    const uint64_t first = r->address, n = r->bytes;
    if (first >= LULL_RDNA_VGPR0 && first - LULL_RDNA_VGPR0 + n <= w->nvgprs) {
        *ret = w->vgpr + (first - LULL_RDNA_VGPR0) * w->lanes;
        return (unsigned)n * w->lanes;
    }
    *ret = w->sgpr + first;
    return first + n <= sizeof w->sgpr / sizeof w->sgpr[0] ? (unsigned)n : 0;
}

static void keep_registers(struct lull_gpu_trace *t, const struct lull_wave *w)
{
    for (unsigned i = 0; i < t->want.nranges; i++) {
        const uint32_t *at = NULL;
        if (t->want.ranges[i].registers) {
            const unsigned n = registers(w, &t->want.ranges[i], &at);
            memcpy(t->before[i], at, n * sizeof *at);
        }
    }
    t->wave = w;
}

/** Ranges of registers that are not what they were. */
static void compare_registers(struct lull_gpu_trace *t)
{
    const struct lull_wave *w = t->wave;
    for (unsigned i = 0; w != NULL && w->vgpr != NULL && i < t->want.nranges; i++) {
        const uint32_t *at = NULL;
        const unsigned n = t->want.ranges[i].registers ? registers(w, &t->want.ranges[i], &at) : 0;
        for (unsigned k = 0; k < n; k++) {
            if (at[k] != t->before[i][k]) {
                t->hits |= (uint32_t)LULL_TRACED_RANGE << i;
                t->lanes |= UINT64_C(1)
                            << (t->want.ranges[i].address >= LULL_RDNA_VGPR0 ? k % w->lanes : 0);
            }
        }
    }
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void lull_trace_before(struct lull_gpu *g, const struct lull_gpu_slot *s,
                       struct lull_gpu_traced *ret)
{
    const struct lull_gpu_trace_want *want = &g->trace->want;
    const struct lull_wave *w = &s->w;
    g->trace->hits = 0;
    g->trace->lanes = 0;
    g->trace->wave = NULL;
    *ret = (struct lull_gpu_traced){
        .time = g->time,
        .pc = w->pc,
        .exec = w->sgpr[LULL_RDNA_EXEC] |
                (w->lanes > 32 ? (uint64_t)w->sgpr[LULL_RDNA_EXEC + 1] << 32 : 0),
        .executed = w->ninsns,
        .place = w->hw_id1,
    };
    memcpy(ret->workgroup, s->group->wg.id, sizeof ret->workgroup);
    while (ret->index < s->group->nslots && s->group->slots[ret->index] != s) {
        ret->index++;
    }
    if (w->vm->vmid != want->vmid) {
        return;
    }
    if (want->wave && (want->place == UINT32_MAX ||
                       (w->hw_id1 == want->place && same_group(ret->workgroup, want->workgroup)))) {
        ret->hits |= LULL_TRACED_WAVE;
        keep_registers(g->trace, w);
    }
    if (want->ncodes != 0 &&
        bsearch(&w->pc, want->codes, want->ncodes, sizeof w->pc, by_address) != NULL) {
        ret->hits |= LULL_TRACED_CODE;
    }
}

void lull_trace_after(struct lull_gpu *g, const struct lull_gpu_traced *t)
{
    struct lull_gpu_trace *trace = g->trace;
    compare_registers(trace);
    const uint32_t hits = (t->hits & ~trace->want.hidden) | trace->hits;
    if (hits != 0) {
        struct lull_gpu_traced *to = &trace->kept[trace->n++ % LULL_TRACE_KEPT];
        *to = *t;
        to->hits = hits;
        to->lanes = trace->lanes;
    }
}

struct lull_error *lull_gpu_trace(struct lull_gpu *g, const struct lull_gpu_trace_want *want)
{
    struct lull_gpu_trace *trace = want != NULL ? calloc(1, sizeof *trace) : NULL;
    if (want != NULL && trace == NULL) {
        return &lull_enomem;
    }
    free(g->trace);
    g->trace = trace;
    if (trace != NULL) {
        trace->o.access = access;
        trace->want = *want;
        qsort(trace->want.codes, want->ncodes, sizeof want->codes[0], by_address);
    }
    lull_gpu_reobserve(g);
    return NULL;
}

uint64_t lull_gpu_traced(const struct lull_gpu *g)
{
    return g->trace != NULL ? g->trace->n : 0;
}

const struct lull_gpu_traced *lull_gpu_traced_at(const struct lull_gpu *g, uint64_t n)
{
    const uint64_t all = lull_gpu_traced(g);
    return n < all && all - n <= LULL_TRACE_KEPT ? &g->trace->kept[n % LULL_TRACE_KEPT] : NULL;
}

uint64_t lull_gpu_executed(const struct lull_gpu *g, uint32_t place)
{
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        if (g->slots[i].w.hw_id1 == place) {
            return g->slots[i].w.ninsns;
        }
    }
    return 0;
}
