// SPDX-License-Identifier: MIT
// Calls of printf become writes into the printf buffer.
#include "cc/cc.h"

struct lull_error *lull_cc_printf(struct lull_cc *cc)
{
    return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: --printf is not there yet",
                          cc->options->input);
}
