// SPDX-License-Identifier: MIT
// Image instructions of waves that are watched: texel by texel, and each is told.
#include <string.h>

#include "model/amd/img/img.h"
#include "model/observer.h"

/** Texels that lanes have accessed, and that are not told yet. */
struct lull_img_touched {
    uint64_t lanes;
    uint64_t address[LULL_LANES];
    uint8_t valid[LULL_LANES];
    uint8_t texels[LULL_LANES][LULL_TOUCH_TEXEL];
    int32_t at[LULL_LANES][4];
    bool known; ///< at: there is no sampler.
};

static void come_to(const struct lull_img *g, unsigned lane, const struct lull_img_texel *t)
{
    const int32_t at[4] = {t->x, t->y, t->z, t->level};
    memcpy(g->touched->at[lane], at, sizeof at);
    g->touched->known = true;
}

static void tell(const struct lull_img *g, struct lull_touch *t)
{
    struct lull_observed at;
    const bool sliced = g->cube || lull_image_is_array(&g->desc);
    t->image = true;
    t->texel = g->touched->known ? g->touched->at[0] : NULL;
    t->dims = g->dims + (sliced && g->dims < 3);
    t->coherent = g->in->glc || g->in->dlc;
    t->data = g->in->vdata;
    lull_wave_seen(g->w, g->in, &at);
    lull_wave_memory(g->w, &at, t);
}

static void flush(struct lull_img *g)
{
    struct lull_img_touched *to = g->touched;
    const bool store = g->op->kind == LULL_MEM_STORE;
    struct lull_touch t = {.kind = store ? LULL_TOUCH_STORE : LULL_TOUCH_LOAD,
                           .bytes = g->format.bytes,
                           .lanes = to->lanes,
                           .address = to->address,
                           .valid = to->valid,
                           .texels = store ? to->texels[0] : NULL};
    tell(g, &t);
    to->lanes = 0;
}

static bool no_load(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows)
{
    (void)g, (void)mask, (void)rows;
    return false;
}

static bool no_store(struct lull_img *g, uint64_t mask)
{
    (void)g, (void)mask;
    return false;
}

static bool move(struct lull_img *g, unsigned lane, uint64_t va, uint8_t *buf, bool store)
{
    struct lull_img_touched *to = g->touched;
    const uint64_t bit = UINT64_C(1) << lane;
    const bool ok = lull_img_move(g, lane, va, buf, store);
    struct lull_observed at;
    lull_wave_seen(g->w, g->in, &at);
    lull_wave_touch(g->w, &at, lane, va, g->format.bytes, store);
    if (!ok) {
        return false;
    }
    if ((to->lanes & bit) != 0) {
        flush(g); // A filter takes more than one.
    }
    to->lanes |= bit;
    to->address[lane] = va;
    to->valid[lane] = UINT8_MAX;
    if (store) {
        memcpy(to->texels[lane], buf, LULL_TOUCH_TEXEL);
    }
    return true;
}

static enum lull_exec_result rmw(struct lull_img *g, const struct lull_mem_op *op,
                                 const struct lull_places *p, const struct lull_mem_regs *r)
{
    const enum lull_exec_result res = lull_mem_rmw(g->w, op, p, r);
    struct lull_touch t = {.kind = LULL_TOUCH_ATOMIC,
                           .returns = r->returns,
                           .compares =
                               op->kind == LULL_MEM_CMPSWAP || op->kind == LULL_MEM_CMPSWAP_F,
                           .bytes = op->bytes,
                           .lanes = p->mask,
                           .address = p->address,
                           .valid = p->valid};
    lull_mem_report(g->w, g->in, p, op->bytes, true);
    if (res != LULL_EXEC_ILLEGAL) {
        tell(g, &t);
    }
    return res;
}

enum lull_exec_result lull_mem_image_observed(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    static const struct lull_img_ways observed = {no_load, no_store, move, rmw, flush, come_to};
    struct lull_img_touched touched;
    touched.known = false;
    touched.lanes = 0; // The rest is written before it is read.
    return lull_img_execute(w, in, &observed, &touched);
}
