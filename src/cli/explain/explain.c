// SPDX-License-Identifier: MIT
#include "cli/explain/explain.h"

#include <string.h>
#include <strings.h>

static bool has(const char *name, const char *word)
{
    const size_t n = strlen(word);
    for (; strlen(name) >= n; name++) {
        if (strncasecmp(name, word, n) == 0) {
            return true;
        }
    }
    return false;
}

bool lull_explain_is(struct lull_explain *e, const char *name)
{
    if (e->is_number || strcasecmp(name, e->word) == 0) {
        return !e->is_number;
    }
    if (e->nnear < LULL_EXPLAIN_NEAR && strlen(e->word) >= 3 && has(name, e->word)) {
        for (unsigned i = 0; i < e->nnear; i++) {
            if (strcmp(e->near[i], name) == 0) {
                return false;
            }
        }
        e->near[e->nnear++] = name;
    }
    return false;
}
