// SPDX-License-Identifier: MIT
#include "debug/session/pipeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/code/code.h"

struct lull_pipelines {
    struct lull_pipeline *all;
    size_t n, room;
};

void lull_pipelines_free(struct lull_pipelines *p)
{
    if (p != NULL) {
        free(p->all);
        free(p);
    }
}

LULL_MUST_USE static struct lull_error *pipeline_at(struct lull_debug *d, uint64_t code_va,
                                                    const char *kind, struct lull_pipeline **ret)
{
    struct lull_pipeline p = {.va = code_va};
    struct lull_code_extent extent = {0};
    struct lull_error *err = lull_code_measure(d->target, code_va, &extent);
    if (err == NULL && d->pipelines == NULL) {
        d->pipelines = calloc(1, sizeof *d->pipelines);
        err = d->pipelines == NULL ? &lull_enomem : NULL;
    }
    if (err != NULL) {
        return err;
    }
    p.bytes = extent.bytes;
    p.ninsns = extent.ninsns;
    p.hash = extent.hash;
    snprintf(p.symbol, sizeof p.symbol, "%s_%08" PRIx32, kind, (uint32_t)(p.hash >> 32));
    struct lull_pipelines *all = d->pipelines;
    for (size_t i = 0; i < all->n; i++) {
        if (all->all[i].va == code_va) {
            if (all->all[i].hash != p.hash) { // memory has been used again for other code
                all->all[i] = p;
            }
            *ret = &all->all[i];
            return NULL;
        }
    }
    if (all->n == all->room) {
        size_t room = all->room == 0 ? 16 : 2 * all->room;
        struct lull_pipeline *more = realloc(all->all, room * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        all->all = more;
        all->room = room;
    }
    all->all[all->n] = p;
    *ret = &all->all[all->n++];
    return NULL;
}

struct lull_error *lull_pipeline_at(struct lull_debug *d, uint64_t code_va,
                                    struct lull_pipeline **ret)
{
    return pipeline_at(d, code_va, "cs", ret);
}

struct lull_error *lull_pipeline_stage(struct lull_debug *d, uint64_t code_va,
                                       enum lull_draw_stage stage, struct lull_pipeline **ret)
{
    static const char *const kinds[LULL_STAGES] = {"hs", "gs", "ps", "vs", "fs"};
    return pipeline_at(d, code_va, kinds[stage], ret);
}

struct lull_error *lull_pipeline_draw(struct lull_debug *d, uint64_t number)
{
    size_t n = 0;
    struct lull_error *err = d->target->ops->draws(d->target, number, &d->draw, 1, &n);
    if (err != NULL || n == 0) {
        return err != NULL ? err
                           : lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " has not come yet",
                                            number);
    }
    d->has_draw = d->at_draw = true;
    for (unsigned i = 0; i < LULL_STAGES; i++) {
        struct lull_pipeline *p = NULL;
        if (d->draw.code_va[i] != 0) { // Code that cannot be read: the wave will fault by itself.
            lull_error_free(
                lull_pipeline_stage(d, d->draw.code_va[i], (enum lull_draw_stage)i, &p));
        }
    }
    return NULL;
}

const struct lull_pipeline *lull_pipeline_number(const struct lull_debug *d, size_t i)
{
    return d->pipelines != NULL && i < d->pipelines->n ? &d->pipelines->all[i] : NULL;
}

const struct lull_pipeline *lull_pipeline_of(const struct lull_debug *d, uint64_t va)
{
    const struct lull_pipeline *p = NULL;
    for (size_t i = 0; (p = lull_pipeline_number(d, i)) != NULL; i++) {
        if (va >= p->va && va - p->va < p->bytes) {
            return p;
        }
    }
    return NULL;
}

const struct lull_pipeline *lull_pipeline_by_symbol(const struct lull_debug *d, const char *name)
{
    const struct lull_pipeline *p = NULL;
    for (size_t i = 0; (p = lull_pipeline_number(d, i)) != NULL; i++) {
        if (strcmp(p->symbol, name) == 0) {
            return p;
        }
    }
    return NULL;
}

bool lull_debug_code(const struct lull_debug *d, uint64_t va, uint64_t *ret_start,
                     const char **ret_name)
{
    const struct lull_pipeline *p = lull_pipeline_of(d, va);
    if (p != NULL) {
        *ret_start = p->va;
        *ret_name = p->symbol;
        return true;
    }
    if (d->image == NULL || va < d->image_va || va - d->image_va >= lull_image_size(d->image)) {
        return false;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(d->image, va - d->image_va);
    if (symbol == NULL) {
        return false;
    }
    *ret_start = d->image_va + symbol->offset;
    *ret_name = symbol->name;
    return true;
}

struct lull_error *lull_debug_bindings(struct lull_debug *d,
                                       const struct lull_dispatch_info *dispatch,
                                       struct lull_bindings *ret)
{
    struct lull_pipeline *p = NULL;
    struct lull_error *err = lull_pipeline_at(d, dispatch->code_va, &p);
    return err != NULL ? err : lull_bindings_find(d->target, dispatch, p->bytes, ret);
}

size_t lull_debug_insns_before(struct lull_debug *d, uint64_t va, uint64_t *ret, size_t room)
{
    uint64_t start = va;
    const char *name = NULL;
    (void)lull_debug_code(d, va, &start, &name);
    return lull_code_before(d->target, start, va, ret, room);
}
