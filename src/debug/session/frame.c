// SPDX-License-Identifier: MIT
#include "debug/session/frame.h"

#include "base/error.h"
#include "debug/code/code.h"
#include "debug/session/pipeline.h"

bool lull_debug_in_kernel(const struct lull_debug *d, uint64_t va)
{
    const struct lull_symbol *symbol = NULL;
    if (lull_pipeline_of(d, va) == NULL && d->image != NULL && va >= d->image_va &&
        va - d->image_va < lull_image_size(d->image)) {
        symbol = lull_image_symbol_at(d->image, va - d->image_va);
    }
    for (size_t i = 0; symbol != NULL && i < lull_image_nkernels(d->image); i++) {
        if (lull_image_kernel(d->image, i)->entry == symbol->offset) {
            return true;
        }
    }
    return symbol == NULL; // code without symbols has no functions
}

/* Instruction lengths differ: the one in front of @p va is a call if some length says so. */
static bool behind_call(struct lull_debug *d, uint64_t va)
{
    uint64_t at = 0;
    struct lull_code_insn in = {0};
    return lull_debug_insns_before(d, va, &at, 1) == 1 && lull_code_at(d->target, at, &in) &&
           in.kind == LULL_CODE_CALL && at + in.size == va;
}

struct lull_error *lull_debug_return_address(struct lull_debug *d, const struct lull_debug_wave *w,
                                             uint64_t *ret_va, bool *ret_good)
{
    struct lull_error *err = lull_code_return(d->target, w->info.key, ret_va);
    *ret_good = err == NULL && behind_call(d, *ret_va);
    return err;
}
