// SPDX-License-Identifier: MIT
/* Memory violations: which lanes the page tables refused, and by which entry. */
#include "debug/session/fault.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/ir3/access.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"
#include "hw/pte11_regs.h"

struct lull_error *lull_debug_walk(struct lull_debug *d, uint64_t va, struct lull_walk *ret)
{
    if (d->target->ops->walk == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target shows no page tables",
                              d->target->ops->kind);
    }
    return d->target->ops->walk(d->target, va, ret);
}

enum { LOOK_BACK = 8 };

LULL_MUST_USE static struct lull_error *check_address(struct lull_debug *d,
                                                      const struct lull_access *a, uint64_t va,
                                                      struct lull_refusal *ret)
{
    struct lull_walk walk = {0};
    struct lull_error *err = lull_debug_walk(d, va, &walk);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_refusal){0};
    if (walk.nsteps > 0) {
        ret->step = walk.steps[walk.nsteps - 1];
    }
    if (!walk.mapped) {
        *ret = (struct lull_refusal){.refused = true, .missing = "VALID", .step = ret->step};
    } else if (a->reads && (ret->step.entry & LULL_PTE11_PTE__READABLE_MASK) == 0) {
        *ret = (struct lull_refusal){.refused = true, .missing = "READABLE", .step = ret->step};
    } else if (a->writes && (ret->step.entry & LULL_PTE11_PTE__WRITEABLE_MASK) == 0) {
        *ret = (struct lull_refusal){.refused = true, .missing = "WRITEABLE", .step = ret->step};
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_lane(struct lull_debug *d,
                                                   const struct lull_access *a, unsigned lane,
                                                   struct lull_refusal *ret)
{
    uint64_t last = a->va[lane] + a->bytes - 1;
    struct lull_error *err = check_address(d, a, a->va[lane], ret);
    if (err == NULL && !ret->refused && (last ^ a->va[lane]) > LULL_PTE11_VA__OFFSET_MASK) {
        err = check_address(d, a, last, ret); // it goes on in another page
    }
    return err;
}

struct lull_error *lull_debug_access(struct lull_debug *d, const struct lull_debug_wave *wave,
                                     uint64_t va, struct lull_access *ret, bool *ret_known)
{
    return lull_debug_is_ir3(d)
               ? lull_ir3_access_find(d->target, &wave->info,
                                      wave->info.of_draw ? &d->draw.adreno.stage[wave->info.stage]
                                                         : &d->dispatch.adreno,
                                      va, ret, ret_known)
               : lull_access_find(d->target, &wave->info, va, ret, ret_known);
}

/* Refused lanes of the instruction at @p va. */
LULL_MUST_USE static struct lull_error *look_at(struct lull_debug *d,
                                                const struct lull_debug_wave *wave, uint64_t va,
                                                struct lull_debug_fault *f)
{
    bool known = false;
    *f = (struct lull_debug_fault){.va = va};
    struct lull_error *err = lull_debug_access(d, wave, va, &f->a, &known);
    for (unsigned i = 0; err == NULL && known && i < f->a.lanes; i++) {
        if (((f->a.mask & ~f->a.outside) >> i & 1) != 0) {
            err = check_lane(d, &f->a, i, &f->refusals[i]);
            f->n += err == NULL && f->refusals[i].refused;
        }
    }
    return err;
}

struct lull_error *lull_debug_find_fault(struct lull_debug *d, const struct lull_debug_wave *wave,
                                         struct lull_debug_fault *f)
{
    uint64_t at[LOOK_BACK + 1] = {0};
    size_t n = lull_debug_insns_before(d, wave->info.pc, at, LOOK_BACK);
    at[n++] = wave->info.pc;
    struct lull_error *err = NULL;
    while (err == NULL && f->n == 0 && n > 0) {
        err = look_at(d, wave, at[--n], f);
    }
    return err;
}

uint64_t lull_debug_fault_lanes(struct lull_debug *d, const struct lull_debug_wave *wave)
{
    if (wave->info.fault_known) {
        return UINT64_C(1) << wave->info.fault_lane;
    }
    lull_cleanup(lull_freep) struct lull_debug_fault *f = calloc(1, sizeof *f);
    uint64_t lanes = 0;
    struct lull_error *err = f != NULL ? lull_debug_find_fault(d, wave, f) : NULL;
    for (unsigned i = 0; f != NULL && err == NULL && f->a.lanes > 1 && i < f->a.lanes; i++) {
        lanes |= (uint64_t)f->refusals[i].refused << i;
    }
    lull_error_free(err);
    return lanes;
}

struct lull_error *lull_debug_access_data(struct lull_debug *d, const struct lull_access *a,
                                          unsigned lane, unsigned dword, uint64_t *ret)
{
    const struct lull_wave_reg reg = {.cls = a->data_class,
                                      .index = (uint16_t)((unsigned)a->data + dword),
                                      .lane = (uint8_t)lane};
    return a->data >= 0 ? d->target->ops->read_reg(d->target, a->wave->key, reg, ret)
                        : d->target->ops->read(d->target, a->va[lane] + 4ull * dword, ret,
                                               a->bytes < 4 ? a->bytes : 4);
}
