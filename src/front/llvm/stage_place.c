// SPDX-License-Identifier: MIT
// Where interface variables are in LDS.
#include "front/llvm/stage.h"

const struct lull_fl_io *lull_fl_io_of(const struct lull_fl_variables *all, uint32_t id)
{
    for (unsigned i = 0; i < all->n; i++) {
        if (all->list[i].id == id) {
            return &all->list[i];
        }
    }
    return NULL;
}

LLVMValueRef lull_fl_hull_place(const struct lull_fl *f, uint32_t id, bool output)
{
    const struct lull_fl_hull *h = f->stage->hull;
    const struct lull_fl_io *one = lull_fl_io_of(output ? &h->outputs : &h->inputs, id);
    LLVMValueRef at = output ? h->patch : h->first;
    return one != NULL ? LLVMBuildGEP2(f->b, one->type, one->all, &at, 1, "") : NULL;
}
