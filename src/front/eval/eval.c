// SPDX-License-Identifier: MIT
// A module that is ready to run.
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/eval/priv.h"

enum { MAX_WAVE = 128 };

LULL_MUST_USE static struct lull_error *prepare(struct lull_ev *ev)
{
    const struct lull_fr_module *m = ev->m;
    const uint32_t *s = m->local_size;
    if (m->entry == LULL_FR_NONE || m->model != SpvExecutionModelGLCompute) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "not a compute shader");
    }
    for (unsigned i = 0; i < 3; i++) {
        if (s[i] == 0 || s[i] > LULL_EV_MAX_LANES) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "a workgroup of %ux%ux%u", s[0], s[1],
                                  s[2]);
        }
    }
    if ((uint64_t)s[0] * s[1] > LULL_EV_MAX_LANES ||
        (uint64_t)s[0] * s[1] * s[2] > LULL_EV_MAX_LANES) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a workgroup of %ux%ux%u", s[0], s[1], s[2]);
    }
    if (ev->d.wave == 0 || ev->d.wave > MAX_WAVE || (ev->d.wave & (ev->d.wave - 1)) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "subgroups of %u", ev->d.wave);
    }
    ev->nlanes = s[0] * s[1] * s[2];
    ev->values = lull_arena_calloc(&ev->arena, (size_t)m->spv.bound + 1, sizeof(uint64_t *));
    ev->shared = lull_arena_calloc(&ev->arena, (size_t)m->spv.bound + 1, sizeof *ev->shared);
    if (ev->values == NULL || ev->shared == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_ev_orders(ev);
    return err != NULL ? err : lull_ev_variables(ev);
}

struct lull_error *lull_ev_new(const struct lull_fr_module *m, const struct lull_ev_host *host,
                               const struct lull_ev_dispatch *d, struct lull_ev **ret)
{
    struct lull_ev *ev = calloc(1, sizeof *ev);
    if (ev == NULL) {
        return &lull_enomem;
    }
    ev->m = m;
    ev->host = *host;
    ev->d = *d;
    struct lull_error *err = prepare(ev);
    if (err != NULL) {
        lull_ev_free(ev);
        return err;
    }
    *ret = ev;
    return NULL;
}

void lull_ev_free(struct lull_ev *ev)
{
    if (ev == NULL) {
        return;
    }
    free(ev->lane_memory);
    free(ev->group_memory);
    free(ev->group_bytes);
    free(ev->shown);
    lull_arena_done(&ev->arena);
    free(ev);
}

bool lull_ev_stopped(const struct lull_ev *ev)
{
    return ev != NULL && ev->stopped;
}

bool lull_ev_value(struct lull_ev *ev, uint32_t id, uint32_t lane,
                   const struct lull_fr_type **ret_type, const uint64_t **ret)
{
    struct lull_ev_operand v = {0};
    struct lull_error *err = lull_ev_get(ev, id, &v);
    if (err != NULL || lane >= ev->nlanes) {
        lull_error_free(err);
        return false;
    }
    const struct lull_fr_type *t = v.type;
    *ret_type = t;
    *ret = lull_ev_of(&v, lane);
    if (t->kind != LULL_FR_POINTER) {
        return t->kind != LULL_FR_OTHER;
    }
    t = *ret_type = t->element;
    const size_t n = t != NULL ? (size_t)lull_ev_words(t) : 0;
    if (n == 0 || t->kind == LULL_FR_POINTER || t->kind == LULL_FR_OTHER) {
        return false;
    }
    if (n > ev->nshown) {
        uint64_t *grown = realloc(ev->shown, n * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        ev->shown = grown;
        ev->nshown = n;
    }
    const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&v, lane));
    err = lull_ev_load(ev, &p, t, lane, ev->shown);
    *ret = ev->shown;
    const bool ok = err == NULL;
    lull_error_free(err);
    return ok;
}

bool lull_ev_put(struct lull_ev *ev, uint32_t id, uint32_t lane, size_t word, uint64_t value)
{
    struct lull_ev_operand v = {0};
    const struct lull_fr_type *t = NULL;
    const uint64_t *words = NULL;
    if (!lull_ev_value(ev, id, lane, &t, &words) || word >= lull_ev_words(t)) {
        return false;
    }
    struct lull_error *err = lull_ev_get(ev, id, &v);
    if (err == NULL && v.type->kind == LULL_FR_POINTER) {
        const struct lull_ev_pointer p = lull_ev_unpack(lull_ev_of(&v, lane));
        ev->shown[word] = value;
        err = lull_ev_store(ev, &p, t, lane, ev->shown);
    } else if (err == NULL && v.stride != 0) {
        ev->values[id][v.stride * lane + word] = value;
    } else if (err == NULL) {
        return false;
    }
    const bool ok = err == NULL;
    lull_error_free(err);
    return ok;
}
