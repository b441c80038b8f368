// SPDX-License-Identifier: MIT
#include "target/found.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { CHUNK = 256 };

static struct lull_found found_of(const struct lull_time_record *r)
{
    struct lull_found f = {
        .time = r->time,
        .pc = r->pc,
        .exec = r->exec,
        .lanes = r->lanes,
        .executed = r->executed,
        .wave = (r->hits & LULL_HIT_WAVE) != 0,
        .code = (r->hits & LULL_HIT_CODE) != 0,
        .ranges = r->hits / LULL_HIT_RANGE,
        .hw_id1 = r->place,
        .wave_in_group = r->index,
    };
    memcpy(f.workgroup, r->workgroup, sizeof f.workgroup);
    return f;
}

struct lull_error *lull_found_last(struct lull_error *(*read)(void *ctx, uint64_t first,
                                                              struct lull_time_record *ret,
                                                              size_t n, size_t *ret_n),
                                   void *ctx, uint64_t met, uint64_t kept,
                                   struct lull_found_list *ret)
{
    struct lull_time_record *chunk = calloc(CHUNK, sizeof *chunk);
    struct lull_error *err = chunk == NULL ? &lull_enomem : NULL;
    const uint64_t most = ret->room < kept ? ret->room : kept;
    uint64_t at = met > most ? met - most : 0;
    while (err == NULL && at < met) {
        size_t got = 0;
        const size_t want = met - at < CHUNK ? (size_t)(met - at) : CHUNK;
        err = read(ctx, at, chunk, want, &got);
        for (size_t i = 0; err == NULL && i < got; i++) {
            ret->all[ret->n++] = found_of(&chunk[i]);
        }
        at = got == 0 ? met : at + got;
    }
    free(chunk);
    return err;
}
