// SPDX-License-Identifier: MIT
// In the place of the compiler, where there are no templates.
#include "jit/jit.h"

struct lull_error *lull_jit_engine(const char *target, const struct lull_engine **ret)
{
    (void)target;
    (void)ret;
    return lull_error_new(LULL_ERR_UNSUPPORTED,
                          "this lull was built without the compiler of waves, which needs x86-64 "
                          "and clang-19: use the engine interp");
}
