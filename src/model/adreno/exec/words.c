// SPDX-License-Identifier: MIT
#include "model/adreno/exec/words.h"

#include <string.h>

#include "model/adreno/exec/rows.h"

enum { WORD = 4, HALF_WAVE = 64 };

/** Are all fibers on? */
static bool is_full(const struct lull_ir3_wave *w, const struct lull_ir3_mask *on)
{
    return on->w[0] == UINT64_MAX && (w->fibers <= HALF_WAVE || on->w[1] == UINT64_MAX);
}

void lull_ir3_span(const struct lull_ir3_wave *w, const struct lull_ir3_mask *on, const uint32_t *v,
                   uint32_t ret[2])
{
    if (is_full(w, on)) {
        lull_ir3_host()->span(v, ret, w->fibers);
        return;
    }
    ret[0] = UINT32_MAX;
    ret[1] = 0;
    for (unsigned half = 0; half < w->fibers / HALF_WAVE; half++) {
        for (uint64_t left = on->w[half]; left != 0; left &= left - 1) {
            const uint32_t x = v[half * HALF_WAVE + (unsigned)__builtin_ctzll(left)];
            ret[0] = x < ret[0] ? x : ret[0];
            ret[1] = x > ret[1] ? x : ret[1];
        }
    }
}

static void move_one(struct lull_ir3_wave *w, const struct lull_ir3_words *x, unsigned fiber,
                     uint8_t *memory)
{
    for (unsigned k = 0; k < x->n; k++) {
        uint32_t *v = &w->r[x->reg + k][fiber];
        uint8_t *m = memory + (size_t)k * WORD;
        memcpy(x->store ? (void *)m : v, x->store ? (void *)v : m, WORD);
    }
}

/** @p memory: what x->at counts from. */
static void move(struct lull_ir3_wave *w, const struct lull_ir3_mask *on,
                 const struct lull_ir3_words *x, uint8_t *memory)
{
    const struct lull_ir3_host_tools *host = lull_ir3_host();
    const bool full = is_full(w, on);
    if (full && x->n == 1 && host->in_a_row(x->at, w->fibers)) {
        uint8_t *m = memory + x->at[0];
        void *r = w->r[x->reg];
        memcpy(x->store ? (void *)m : r, x->store ? r : m, (size_t)w->fibers * WORD);
        return;
    }
    for (unsigned k = 0; full && !x->store && k < x->n; k++) {
        host->gather(w->r[x->reg + k], memory + (size_t)k * WORD, x->at, w->fibers);
    }
    if (full && !x->store) {
        return;
    }
    for (unsigned half = 0; half < w->fibers / HALF_WAVE; half++) {
        for (uint64_t left = on->w[half]; left != 0; left &= left - 1) {
            const unsigned i = half * HALF_WAVE + (unsigned)__builtin_ctzll(left);
            move_one(w, x, i, memory + x->at[i]);
        }
    }
}

bool lull_ir3_words_global(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                           const struct lull_ir3_mask *on, uint64_t base,
                           const struct lull_ir3_words *words)
{
    const bool helps = (w->helpers.w[0] & on->w[0]) != 0 || (w->helpers.w[1] & on->w[1]) != 0;
    uint64_t bytes = 0;
    uint32_t span[2] = {0};
    if (env->memory.piece == NULL || env->seen != NULL || words->reg + words->n > LULL_IR3_GPRS ||
        (words->store && helps)) {
        return false;
    }
    lull_ir3_span(w, on, words->at, span);
    if (span[0] > span[1]) {
        return true; // Nobody is on.
    }
    uint8_t *memory = env->memory.piece(
        env->memory.ctx, base + (uint64_t)(int64_t)words->offset + span[0], words->store, &bytes);
    if (memory == NULL || (uint64_t)span[1] - span[0] + (uint64_t)words->n * WORD > bytes) {
        return false;
    }
    move(w, on, words, memory - span[0]);
    return true;
}

bool lull_ir3_words_local(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                          const struct lull_ir3_mask *on, const struct lull_ir3_words *words)
{
    uint32_t span[2] = {0};
    if (env->seen != NULL || words->reg + words->n > LULL_IR3_GPRS) {
        return false;
    }
    lull_ir3_span(w, on, words->at, span);
    if (span[0] > span[1]) {
        return true;
    }
    const int64_t low = (int64_t)span[0] + words->offset, high = (int64_t)span[1] + words->offset;
    if (low < 0 || high + (int64_t)words->n * WORD > env->local_bytes) {
        return false;
    }
    move(w, on, words, env->local + words->offset);
    return true;
}
