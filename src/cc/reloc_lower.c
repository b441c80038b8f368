// SPDX-License-Identifier: MIT
// lull.* intrinsics become loads whose offsets are relocations.
#include "cc/cc.h"

struct lull_error *lull_cc_reloc(struct lull_cc *cc)
{
    return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: --relocatable is not there yet",
                          cc->options->input);
}
