// SPDX-License-Identifier: MIT
#include "hw/env.h"

#include <stdbool.h>
#include <string.h>

const struct lull_env_flag *lull_env_flag(const char *variable, const char *flag)
{
    for (const struct lull_env_flag *f = lull_env_flags; f->variable != NULL; f++) {
        const bool same =
            flag == NULL ? f->flag == NULL : f->flag != NULL && strcmp(f->flag, flag) == 0;
        if (same && strcmp(f->variable, variable) == 0) {
            return f;
        }
    }
    return NULL;
}
