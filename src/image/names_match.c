// SPDX-License-Identifier: MIT
// Which dispatch of the GPU is which dispatch of the program.
//
// The records of a queue are a subsequence of the dispatches of its ring, and the driver's own
// stand between. The earliest and the latest places where all of them fit in order are found by
// going forwards and backwards; where both agree, the pipeline's code is learned, which rules out
// other places; and so on until nothing new is learned.
#include <stdlib.h>
#include <string.h>

#include "image/names_priv.h"

enum {
    MAX_ROUNDS = 64, // Each learns at least one pipeline; more are not worth their time.
    KIND_PIPELINE = 0,
    KIND_CODE = 1,
};

struct matcher {
    const struct lull_names_list *records; ///< Of all queues.
    const struct lull_names_hw *hw;
    struct lull_names_map
        code; // KIND_PIPELINE, pipeline: a hw whose code it is; KIND_CODE, code: its pipeline.
    size_t nhw, nrec; // Of the queue in hand:
    size_t *at;       // indices of its dispatches
    const struct lull_names_dispatch **rec;
    size_t *first, *last; // for each record, an index of at
};

static bool same_grid(const struct lull_names_dispatch *d, const struct lull_names_hw *hw)
{
    bool count = true, end = true;
    for (unsigned i = 0; i < 3; i++) {
        count = count && hw->grid[i] == d->grid[i];
        end = end && hw->grid[i] == d->grid[i] + d->base[i];
    }
    return d->indirect || count || end;
}

static bool same_block(const struct lull_names_pipeline *p, const struct lull_names_hw *hw)
{
    for (unsigned i = 0; i < 3; i++) {
        if (p->local_size[i] != 0 && p->local_size[i] != hw->block[i]) {
            return false;
        }
    }
    return true;
}

// May code of pipeline a be b's too? Drivers share code of equal shaders, and reuse freed memory.
static bool may_share(const struct lull_names_pipeline *a, const struct lull_names_pipeline *b)
{
    const struct lull_names_lived *x = (const struct lull_names_lived *)a;
    const struct lull_names_lived *y = (const struct lull_names_lived *)b;
    bool together = x->born < y->died && y->born < x->died;
    return a == b || !together || a->shader == NULL || b->shader == NULL ||
           strcmp(a->shader->hash, b->shader->hash) == 0; // of graphics it is NULL
}

static bool fits(const struct matcher *m, size_t rec, size_t at)
{
    const struct lull_names_dispatch *d = m->rec[rec];
    const struct lull_names_hw *hw = &m->hw[m->at[at]];
    if (!same_grid(d, hw)) {
        return false;
    }
    if (d->pipeline == NULL) {
        return true;
    }
    const struct lull_names_hw *known =
        lull_names_get(&m->code, KIND_PIPELINE, (uint64_t)(uintptr_t)d->pipeline);
    const struct lull_names_pipeline *owner = lull_names_get(&m->code, KIND_CODE, hw->code);
    return same_block(d->pipeline, hw) && (known == NULL || known->code == hw->code) &&
           (owner == NULL || may_share(owner, d->pipeline));
}

// The earliest places; returns how many records, from the first, have one.
static size_t go_forwards(struct matcher *m)
{
    size_t rec = 0;
    for (size_t at = 0; at < m->nhw && rec < m->nrec; at++) {
        if (fits(m, rec, at)) {
            m->first[rec++] = at;
        }
    }
    return rec;
}

// The latest places of the first count records, which all have one.
static void go_backwards(struct matcher *m, size_t count)
{
    size_t rec = count;
    for (size_t at = m->nhw; at-- > 0 && rec > 0;) {
        if (fits(m, rec - 1, at)) {
            m->last[--rec] = at;
        }
    }
}

// What the agreement of both says of code that was not known; *ret: was anything new?
LULL_MUST_USE static struct lull_error *learn(struct matcher *m, size_t count, bool *ret)
{
    *ret = false;
    for (size_t i = 0; i < count; i++) {
        const struct lull_names_pipeline *p = m->rec[i]->pipeline;
        uint64_t key = (uint64_t)(uintptr_t)p;
        if (m->first[i] != m->last[i] || p == NULL ||
            lull_names_get(&m->code, KIND_PIPELINE, key) != NULL) {
            continue;
        }
        const struct lull_names_hw *hw = &m->hw[m->at[m->first[i]]];
        struct lull_error *err = lull_names_put(&m->code, KIND_PIPELINE, key, (void *)hw);
        if (err == NULL) {
            err = lull_names_put(&m->code, KIND_CODE, hw->code, (void *)p);
        }
        if (err != NULL) {
            return err;
        }
        *ret = true;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *match_queue(struct matcher *m,
                                                    struct lull_names_matched *ret)
{
    bool learned = true;
    size_t count = 0;
    for (unsigned round = 0; learned && round < MAX_ROUNDS; round++) {
        count = go_forwards(m);
        go_backwards(m, count);
        struct lull_error *err = learn(m, count, &learned);
        if (err != NULL) {
            return err;
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct lull_names_matched *to = &ret[m->at[m->first[i]]];
        to->record = m->rec[i];
        to->sure = m->first[i] == m->last[i];
    }
    return NULL;
}

static bool of_ring(const struct lull_names_dispatch *d, uint32_t ring)
{
    // RADV: queues of family 0 are the gfx ring, of the others compute rings by index.
    return d->family == 0 ? ring == 0 : ring == d->index + 1;
}

static bool empty(const uint32_t grid[3])
{
    return grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
}

// The dispatches and records of a ring. Empty grids are neither: nothing of them runs.
static void take_ring(struct matcher *m, size_t nhw, uint32_t ring)
{
    m->nhw = 0;
    for (size_t i = 0; i < nhw; i++) {
        if (m->hw[i].ring == ring && !empty(m->hw[i].grid)) {
            m->at[m->nhw++] = i;
        }
    }
    m->nrec = 0;
    for (size_t i = 0; i < m->records->count; i++) {
        const struct lull_names_dispatch *d = m->records->items[i];
        if (of_ring(d, ring) && (d->indirect || !empty(d->grid))) {
            m->rec[m->nrec++] = d;
        }
    }
}

LULL_MUST_USE static struct lull_error *match_all(struct matcher *m, size_t nhw,
                                                  struct lull_names_matched *ret)
{
    uint32_t rings = 0;
    for (size_t i = 0; i < nhw; i++) {
        rings |= m->hw[i].ring < 32 ? 1u << m->hw[i].ring : 0;
    }
    for (uint32_t ring = 0; ring < 32; ring++) {
        if ((rings >> ring & 1) != 0) {
            take_ring(m, nhw, ring);
            struct lull_error *err = match_queue(m, ret);
            if (err != NULL) {
                return err;
            }
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *match_list(const struct lull_names_list *records,
                                                   const struct lull_names_hw *hw, size_t nhw,
                                                   struct lull_names_matched *ret)
{
    size_t nrec = records->count;
    struct matcher m = {.records = records, .hw = hw};
    m.at = calloc(nhw + 1, sizeof *m.at);
    m.rec = calloc(nrec + 1, sizeof *m.rec);
    m.first = calloc(nrec + 1, sizeof *m.first);
    m.last = calloc(nrec + 1, sizeof *m.last);
    struct lull_error *err = &lull_enomem;
    if (m.at != NULL && m.rec != NULL && m.first != NULL && m.last != NULL) {
        for (size_t i = 0; i < nhw; i++) {
            ret[i] = (struct lull_names_matched){0};
        }
        err = match_all(&m, nhw, ret);
    }
    free(m.at);
    free(m.rec);
    free(m.first);
    free(m.last);
    free(m.code.keys);
    return err;
}

struct lull_error *lull_names_match(const struct lull_names *n, const struct lull_names_hw *hw,
                                    size_t nhw, struct lull_names_matched *ret)
{
    return match_list(&n->dispatches, hw, nhw, ret);
}

struct lull_error *lull_names_match_draws(const struct lull_names *n,
                                          const struct lull_names_hw *hw, size_t nhw,
                                          struct lull_names_matched *ret)
{
    return match_list(&n->draws, hw, nhw, ret);
}
