// SPDX-License-Identifier: MIT
/* What `set var` changed in the driver's own code, as the interpreter beside it learns it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/source/beside_priv.h"

enum { MOST_EDITS = 4096 };

/** The name behind the last '/'. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

uint64_t lull_beside_lanes(const struct lull_beside_spot *spot, const struct lull_ev_place *at)
{
    uint64_t lanes = 0;
    const bool here =
        at->line.line == spot->line && (spot->file == NULL || at->line.file == NULL ||
                                        strcmp(base_of(at->line.file), base_of(spot->file)) == 0);
    for (uint32_t i = 0; here && i < at->n; i++) {
        const uint32_t lane = at->lanes[i] - spot->first_lane; // huge, if it is before
        lanes |= lane < spot->lanes ? UINT64_C(1) << lane : 0;
    }
    return lanes;
}

void lull_beside_apply(struct lull_beside *b, const uint32_t group[3], struct lull_ev *ev,
                       const struct lull_ev_place *at)
{
    for (size_t i = 0; i < b->nedits; i++) {
        struct lull_beside_edit *e = &b->edits[i];
        if (memcmp(e->group, group, sizeof e->group) == 0 && at->function == e->spot.function &&
            lull_beside_lanes(&e->spot, at) != 0 && ++e->seen == e->round) {
            lull_ev_put(ev, e->id, e->lane, e->word, e->value);
        }
    }
}

void lull_beside_rewind(struct lull_beside *b)
{
    for (size_t i = 0; i < b->nedits; i++) {
        b->edits[i].seen = 0;
    }
    b->edited = false;
}

struct lull_error *lull_beside_remember(struct lull_beside *b, const struct lull_beside_edit *e)
{
    if (b->nedits == MOST_EDITS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d numbers were set", MOST_EDITS);
    }
    struct lull_beside_edit *all = reallocarray(b->edits, b->nedits + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    b->edits = all;
    all[b->nedits++] = *e;
    b->edited = true;
    return NULL;
}
