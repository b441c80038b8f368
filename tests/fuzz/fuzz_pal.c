// SPDX-License-Identifier: MIT
// lull_pal_parse() on any bytes; what it takes must load, or say why not.
#include "fuzz.h"

#include <stdlib.h>

#include "image/pal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lull_pal *p = NULL;
    struct lull_error *err = lull_pal_parse(data, size, &p);
    if (err == NULL) {
        const struct lull_pal_compute *c = lull_pal_compute(p);
        const struct lull_pal_graphics *g = lull_pal_graphics(p);
        if ((c == NULL) == (g == NULL) ||
            (c != NULL && (c->entry > lull_pal_size(p) || c->nuser_data > LULL_PAL_USER_SGPRS)) ||
            (g != NULL &&
             (g->gs.entry > lull_pal_size(p) || g->ps.entry > lull_pal_size(p) ||
              g->gs.nuser_data > LULL_PAL_STAGE_SGPRS || g->ps.nuser_data > LULL_PAL_STAGE_SGPRS ||
              g->nregisters > LULL_PAL_REGISTERS))) {
            abort();
        }
        if (lull_pal_size(p) < 1 << 20) {
            uint8_t *memory = malloc(lull_pal_size(p) + 1);
            err = memory != NULL ? lull_pal_load(p, 0x10000, memory) : NULL;
            free(memory);
        }
    } else if (p != NULL || lull_error_message(err)[0] == '\0') {
        abort();
    }
    lull_error_free(err);
    lull_pal_free(p);
    return 0;
}
