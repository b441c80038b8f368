// SPDX-License-Identifier: MIT
#include "debug/patch/patch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cur.h"
#include "debug/code/code.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"

static void patch_done(struct lull_patch *one)
{
    lull_rdna_instrumented_done(&one->made);
    free(one->why);
    free(one->data);
    free(one->offsets);
}

/** What is at an address now, in a process. */
static struct lull_patch *find(struct lull_patcher *p, const struct lull_patch_code *c)
{
    for (size_t i = p->n; i-- > 0;) { // The newest that lay there.
        struct lull_patch *one = &p->all[i];
        if (one->code.va == c->va && one->code.pid == c->pid && one->code.client == c->client &&
            one->code.lanes == c->lanes) {
            return one;
        }
    }
    return NULL;
}

/** Is its jump to the new code still there? *ret false: memory has been used again. */
LULL_MUST_USE static struct lull_error *is_there(const struct lull_patcher *p,
                                                 const struct lull_patch *one, bool *ret)
{
    uint32_t now[LULL_RDNA_ENTRY_DWORDS] = {0};
    struct lull_error *err = p->target->ops->read(p->target, one->code.va, now, sizeof now);
    *ret = err == NULL && memcmp(now, one->made.entry, sizeof now) == 0;
    return err;
}

LULL_MUST_USE static struct lull_error *add(struct lull_patcher *p, const struct lull_patch *one,
                                            struct lull_patch **ret)
{
    if (p->n == p->space) {
        const size_t space = p->space != 0 ? 2 * p->space : 16;
        struct lull_patch *all = reallocarray(p->all, space, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        p->all = all;
        p->space = space;
    }
    p->all[p->n] = *one;
    *ret = &p->all[p->n++];
    return NULL;
}

/** The new code, its place and its records; then the jump to it. */
LULL_MUST_USE static struct lull_error *put(const struct lull_patcher *p, struct lull_patch *one,
                                            const struct lull_rdna_shader *s,
                                            const struct lull_patch_choice *choice)
{
    const struct lull_target_ops *ops = p->target->ops;
    struct lull_rdna_instrument how = {.va = one->code.va,
                                       .room = p->room,
                                       .chosen = choice->chosen,
                                       .extra = choice->extra,
                                       .nextra = choice->nextra,
                                       .compute = one->code.compute,
                                       .id_sgpr = one->code.id_sgpr,
                                       .ids = one->code.ids};
    struct lull_rdna_instrumented size = {0}; // It does not depend on addresses.
    struct lull_error *err = lull_rdna_instrument(s, &how, &size);
    err = err != NULL ? err : ops->allocate(p->target, 4 * size.n, true, &one->code_at);
    err = err != NULL ? err
                      : ops->allocate(p->target, (uint64_t)p->room + LULL_RDNA_RECORDS_AT, false,
                                      &one->records);
    lull_rdna_instrumented_done(&size);
    how.to = one->code_at.va;
    how.buffer = one->records.va;
    err = err != NULL ? err : lull_rdna_instrument(s, &how, &one->made);
    if (err == NULL) {
        memcpy(one->code_at.map, one->made.words, 4 * one->made.n);
        memcpy(one->old, s->code, sizeof one->old);
        err = ops->write(p->target, one->code.va, one->made.entry, sizeof one->made.entry);
        one->patched = err == NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *note_offsets(struct lull_patch *one,
                                                     const struct lull_rdna_shader *s)
{
    one->offsets = calloc(s->n + 1, sizeof *one->offsets);
    for (size_t i = 0; one->offsets != NULL && i < s->n; i++) {
        one->offsets[i] = s->steps[i].at;
    }
    return one->offsets != NULL ? NULL : &lull_enomem;
}

LULL_MUST_USE static struct lull_error *patch(const struct lull_patcher *p, struct lull_patch *one)
{
    lull_cleanup(lull_freep) uint8_t *bytes = malloc(one->bytes + 1);
    lull_cleanup(lull_freep) bool *chosen = calloc(one->ninsns + 1, sizeof *chosen);
    struct lull_patch_choice choice = {.chosen = chosen};
    struct lull_rdna_shader s = {0};
    if (bytes == NULL || chosen == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = p->target->ops->read(p->target, one->code.va, bytes, one->bytes);
    err = err != NULL ? err : lull_rdna_shader_of(bytes, one->bytes, one->code.lanes, &s);
    err = err != NULL ? err : p->choose(p->ctx, one, &s, &choice);
    one->nchosen = choice.n;
    if (err == NULL && choice.n != 0) {
        err = note_offsets(one, &s);
        err = err != NULL ? err : put(p, one, &s, &choice);
    }
    lull_rdna_shader_done(&s);
    return err;
}

LULL_MUST_USE static struct lull_error *put_back(const struct lull_patcher *p,
                                                 struct lull_patch *one)
{
    one->patched = false;
    one->set = ~p->set;
    return p->target->ops->write(p->target, one->code.va, one->old, sizeof one->old);
}

LULL_MUST_USE static struct lull_error *meet(struct lull_patcher *p,
                                             const struct lull_patch_code *c)
{
    struct lull_patch *one = find(p, c);
    struct lull_code_extent extent = {0};
    bool there = false;
    struct lull_error *err = one != NULL && one->patched ? is_there(p, one, &there) : NULL;
    if (err != NULL || (there && one->set == p->set)) {
        return err;
    }
    if (there) {
        err = put_back(p, one);
    }
    err = err != NULL ? err : lull_code_measure(p->target, c->va, &extent);
    if (err != NULL ||
        (one != NULL && !one->patched && one->hash == extent.hash && one->set == p->set)) {
        return err;
    }
    struct lull_patch now = {.code = *c,
                             .hash = extent.hash,
                             .bytes = extent.bytes,
                             .ninsns = extent.ninsns,
                             .set = p->set};
    snprintf(now.symbol, sizeof now.symbol, "%s_%08" PRIx32, c->kind,
             (uint32_t)(extent.hash >> 32));
    err = patch(p, &now);
    if (err != NULL && lull_error_code(err) == LULL_ERR_UNSUPPORTED) {
        now.why = strdup(lull_error_message(err));
        lull_error_free(err);
        err = now.why == NULL ? &lull_enomem : NULL;
    }
    err = err != NULL ? err : add(p, &now, &one);
    if (err != NULL) {
        patch_done(&now);
    }
    return err;
}

static struct lull_patch_code code_of(const struct lull_dispatch_info *i)
{
    const bool wave32 =
        lull_get(i->initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK);
    return (struct lull_patch_code){
        .pid = i->pid,
        .client = i->client,
        .va = i->code_va,
        .kind = "cs",
        .block = {i->block[0], i->block[1], i->block[2]},
        .lanes = wave32 ? 32 : 64,
        .compute = true,
        .id_sgpr = lull_get(i->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK),
        .ids = lull_get(i->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_X_EN_MASK) |
               lull_get(i->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Y_EN_MASK) << 1 |
               lull_get(i->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Z_EN_MASK) << 2};
}

struct lull_error *lull_patcher_dispatch(struct lull_patcher *p, const struct lull_dispatch_info *i)
{
    const struct lull_patch_code c = code_of(i);
    return meet(p, &c);
}

struct lull_error *lull_patcher_restore(struct lull_patcher *p, const struct lull_dispatch_info *i)
{
    const struct lull_patch_code c = code_of(i);
    struct lull_patch *one = find(p, &c);
    bool there = false;
    struct lull_error *err = one != NULL && one->patched ? is_there(p, one, &there) : NULL;
    return err == NULL && there ? put_back(p, one) : err;
}

static uint32_t context(const struct lull_draw_regs *r, uint32_t offset)
{
    return r->context[(offset - 0x28000) / 4];
}

struct lull_error *lull_patcher_draw(struct lull_patcher *p, const struct lull_draw_info *i)
{
    lull_cleanup(lull_freep) struct lull_draw_regs *r = calloc(1, sizeof *r);
    struct lull_error *err =
        r == NULL ? &lull_enomem : p->target->ops->draw_regs(p->target, i->number, r);
    if (err != NULL) {
        return err;
    }
    const uint32_t stages = context(r, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t pixel = context(r, LULL_DRAW11_SPI_PS_IN_CONTROL);
    const struct {
        enum lull_draw_stage stage;
        const char *kind;
        bool wave32;
    } all[] = {
        {LULL_STAGE_HULL, "hs", lull_get(stages, LULL_DRAW11_VGT_SHADER_STAGES_EN__HS_W32_EN_MASK)},
        {LULL_STAGE_GEOMETRY, "gs",
         lull_get(stages, LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_W32_EN_MASK)},
        {LULL_STAGE_PIXEL, "ps", lull_get(pixel, LULL_DRAW11_SPI_PS_IN_CONTROL__PS_W32_EN_MASK)},
    };
    for (unsigned k = 0; err == NULL && k < sizeof all / sizeof all[0]; k++) {
        const struct lull_patch_code c = {.pid = i->pid,
                                          .client = i->client,
                                          .va = i->code_va[all[k].stage],
                                          .kind = all[k].kind,
                                          .lanes = all[k].wave32 ? 32 : 64};
        err = c.va != 0 ? meet(p, &c) : NULL;
    }
    return err;
}

struct lull_error *lull_patch_take(struct lull_patch *p)
{
    const uint8_t *from = p->records.map;
    if (from == NULL) {
        return NULL; // Nothing was patched, or it was taken.
    }
    struct lull_cur c = lull_cur_of(from, LULL_RDNA_RECORDS_AT);
    const uint32_t bytes = lull_cur_u32(&c);
    const uint64_t size =
        LULL_RDNA_RECORDS_AT + (uint64_t)(bytes < p->made.room ? bytes : p->made.room);
    uint8_t *data = malloc(size);
    if (data == NULL) {
        return &lull_enomem;
    }
    memcpy(data, from, size);
    free(p->data);
    p->data = data;
    p->size = size;
    return NULL;
}

struct lull_error *lull_patcher_leaves(struct lull_patcher *p, uint32_t pid, uint32_t client)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < p->n; i++) {
        struct lull_patch *one = &p->all[i];
        if (one->code.pid == pid && one->code.client == client) {
            err = lull_patch_take(one);
            one->records.map = one->code_at.map = NULL;
            one->patched = false; // Another process may get both numbers.
            one->code.pid = 0;
        }
    }
    return err;
}

void lull_patcher_done(struct lull_patcher *p)
{
    for (size_t i = 0; i < p->n; i++) {
        patch_done(&p->all[i]);
    }
    free(p->all);
    *p = (struct lull_patcher){0};
}
