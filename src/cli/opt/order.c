// SPDX-License-Identifier: MIT
#include "cli/opt/order.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/opt/input.h"
#include "explore/schedule.h"
#include "model/order.h"

struct lull_error *lull_schedule_read(const char *path, uint64_t *seed, struct lull_order **ret)
{
    lull_cleanup(lull_freep) char *text = NULL;
    size_t size = 0;
    struct lull_schedule s = {0};
    lull_order_free(*ret);
    *ret = NULL;
    struct lull_error *err = lull_input_read(path, &text, &size);
    err = err != NULL ? err : lull_schedule_parse(path, text, size, &s);
    *seed = *seed != 0 ? *seed : s.seed;
    err = err != NULL ? err : lull_order_new(s.holds, s.n, ret);
    lull_schedule_done(&s);
    return err;
}

void lull_schedule_free(struct lull_order *o)
{
    lull_order_free(o);
}
