// SPDX-License-Identifier: MIT
#include "model/amd/mem/kept.h"

#include <string.h>

static void tell_line(struct lull_kept *k, unsigned n)
{
    for (unsigned i = 0; i < LULL_KEPT_DWORDS; i++) {
        if (k->sum[n][i] != 0) {
            __atomic_fetch_add(&k->line[n][i], k->sum[n][i], __ATOMIC_SEQ_CST);
        }
    }
    memset(k->sum[n], 0, sizeof k->sum[n]);
}

void lull_kept_add(struct lull_kept *k, uint32_t *to, const uint32_t *v, unsigned n)
{
    while (n != 0) {
        const uintptr_t number = (uintptr_t)to / sizeof k->sum[0];
        const unsigned first = (uintptr_t)to / sizeof *to % LULL_KEPT_DWORDS;
        const unsigned left = LULL_KEPT_DWORDS - first, here = n < left ? n : left;
        const unsigned at = number % LULL_KEPT_LINES;
        uint32_t *line = to - first;
        if ((k->used >> at & 1) != 0 && k->line[at] != line) {
            tell_line(k, at);
        }
        k->line[at] = line;
        k->used |= UINT64_C(1) << at;
        for (unsigned i = 0; i < here; i++) {
            k->sum[at][first + i] += v[i];
        }
        to += here;
        v += here;
        n -= here;
    }
}

void lull_kept_tell(struct lull_kept *k)
{
    for (uint64_t left = k->used; left != 0; left &= left - 1) {
        tell_line(k, (unsigned)__builtin_ctzll(left));
    }
    k->used = 0;
}
