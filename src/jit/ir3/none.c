// SPDX-License-Identifier: MIT
// In the place of the compiler, where there are no templates.
#include "jit/ir3/jit.h"
#include "jit/jit.h"

struct lull_error *lull_jit_ir3_engine(const char *target, const struct lull_ir3_engine **ret)
{
    const struct lull_engine *none = NULL;
    (void)ret;
    return lull_jit_engine(target, &none);
}
