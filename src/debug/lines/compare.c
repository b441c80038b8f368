// SPDX-License-Identifier: MIT
/* Two codes beside each other: the cheapest way to make one of the other, twice, with ties broken
 * in either direction. What both ways say is sure. */
#include <stdlib.h>
#include <string.h>

#include "debug/lines/code.h"

enum {
    MOST_CELLS = 1 << 22,
    COST_REGISTERS = 1, ///< The same with other registers.
    COST_GAP = 4,
    COST_OTHER = 7, ///< Less than two gaps.
};

/** Instructions without those that only wait. */
struct line_up {
    const struct lull_lines_insn **from, **to;
    size_t nfrom, nto;
    uint32_t *cost;          ///< (nfrom + 1) * (nto + 1) of them.
    unsigned char *fates[2]; ///< nfrom each; enum lull_lines_fate.
    unsigned char *used[2];  ///< nto each: it is one of the first code.
};

static size_t without_waits(const struct lull_lines_code *c, const struct lull_lines_insn **ret)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!c->insns[i].waits) {
            ret[n++] = &c->insns[i];
        }
    }
    return n;
}

static uint32_t pair_cost(const struct lull_lines_insn *a, const struct lull_lines_insn *b)
{
    if (a->full == b->full && a->key == b->key) {
        return 0;
    }
    return a->key == b->key ? COST_REGISTERS : COST_OTHER;
}

/** Cost of all behind i and j. */
static void fill(struct line_up *u)
{
    const size_t row = u->nto + 1;
    for (size_t i = u->nfrom + 1; i-- > 0;) {
        for (size_t j = u->nto + 1; j-- > 0;) {
            uint32_t best = i == u->nfrom && j == u->nto ? 0 : UINT32_MAX;
            if (i < u->nfrom && j < u->nto) {
                best = u->cost[(i + 1) * row + j + 1] + pair_cost(u->from[i], u->to[j]);
            }
            if (i < u->nfrom && u->cost[(i + 1) * row + j] + COST_GAP < best) {
                best = u->cost[(i + 1) * row + j] + COST_GAP;
            }
            if (j < u->nto && u->cost[i * row + j + 1] + COST_GAP < best) {
                best = u->cost[i * row + j + 1] + COST_GAP;
            }
            u->cost[i * row + j] = best;
        }
    }
}

/** Walk the cheapest way; @p way 0: pairs first, 1: gaps first. */
static void walk(struct line_up *u, unsigned way)
{
    const size_t row = u->nto + 1;
    for (size_t i = 0, j = 0; i < u->nfrom || j < u->nto;) {
        const uint32_t here = u->cost[i * row + j];
        const uint32_t pays =
            i < u->nfrom && j < u->nto ? pair_cost(u->from[i], u->to[j]) : UINT32_MAX;
        const bool pair = pays != UINT32_MAX && u->cost[(i + 1) * row + j + 1] + pays == here;
        const bool gone = i < u->nfrom && u->cost[(i + 1) * row + j] + COST_GAP == here;
        const bool more = j < u->nto && u->cost[i * row + j + 1] + COST_GAP == here;
        if (pair && (way == 0 || (!gone && !more))) {
            u->fates[way][i] = pays == COST_OTHER ? LULL_LINES_OTHER : LULL_LINES_SAME;
            u->used[way][j] = pays != COST_OTHER;
            i++;
            j++;
        } else if (gone) {
            u->fates[way][i++] = LULL_LINES_GONE;
        } else {
            j++;
        }
    }
}

/** What moved: those that are left over in both codes and are alike. */
static void find_moved(struct line_up *u, unsigned way)
{
    for (size_t i = 0; i < u->nfrom; i++) {
        if (u->fates[way][i] <= LULL_LINES_MAYBE) {
            continue;
        }
        size_t left = 0, there = 0;
        for (size_t k = 0; k < u->nfrom; k++) {
            left += u->fates[way][k] != LULL_LINES_SAME && u->from[k]->key == u->from[i]->key;
        }
        for (size_t k = 0; k < u->nto; k++) {
            there += !u->used[way][k] && u->to[k]->key == u->from[i]->key;
        }
        for (size_t k = 0; there != 0 && k < u->nfrom; k++) {
            if (u->fates[way][k] != LULL_LINES_SAME && k != i &&
                u->from[k]->key == u->from[i]->key) {
                u->fates[way][k] = there >= left ? LULL_LINES_SAME : LULL_LINES_MAYBE;
            }
        }
        if (there != 0) {
            u->fates[way][i] = there >= left ? LULL_LINES_SAME : LULL_LINES_MAYBE;
            for (size_t k = 0; there >= left && k < u->nto; k++) {
                u->used[way][k] |= u->to[k]->key == u->from[i]->key;
            }
        }
    }
}

static bool get_room(struct line_up *u, size_t from, size_t to)
{
    u->from = calloc(from + 1, sizeof *u->from);
    u->to = calloc(to + 1, sizeof *u->to);
    for (unsigned way = 0; way < 2; way++) {
        u->fates[way] = calloc(from + 1, 1);
        u->used[way] = calloc(to + 1, 1);
    }
    return u->from != NULL && u->to != NULL && u->fates[0] != NULL && u->fates[1] != NULL &&
           u->used[0] != NULL && u->used[1] != NULL;
}

static void done(struct line_up *u)
{
    free(u->from);
    free(u->to);
    free(u->cost);
    for (unsigned way = 0; way < 2; way++) {
        free(u->fates[way]);
        free(u->used[way]);
    }
}

/** Cut off what is equal in front and behind. @return How many in front. */
static size_t trim(struct line_up *u)
{
    size_t front = 0;
    while (front < u->nfrom && front < u->nto && pair_cost(u->from[front], u->to[front]) == 0) {
        front++;
    }
    while (u->nfrom > front && u->nto > front &&
           pair_cost(u->from[u->nfrom - 1], u->to[u->nto - 1]) == 0) {
        u->nfrom--;
        u->nto--;
    }
    u->nfrom -= front;
    u->nto -= front;
    memmove(u->from, u->from + front, u->nfrom * sizeof *u->from);
    memmove(u->to, u->to + front, u->nto * sizeof *u->to);
    return front;
}

bool lull_lines_compare(const struct lull_lines_code *from, const struct lull_lines_code *to,
                        enum lull_lines_fate *fates)
{
    struct line_up u = {0};
    bool good = get_room(&u, from->n, to->n);
    if (good) {
        u.nfrom = without_waits(from, u.from);
        u.nto = without_waits(to, u.to);
        (void)trim(&u);
        good = (u.nfrom + 1) <= MOST_CELLS / (u.nto + 1);
        u.cost = good ? calloc((u.nfrom + 1) * (u.nto + 1), sizeof *u.cost) : NULL;
        good = u.cost != NULL;
    }
    for (size_t i = 0; good && i < from->n; i++) {
        fates[i] = LULL_LINES_SAME;
    }
    if (good) {
        fill(&u);
        for (unsigned way = 0; way < 2; way++) {
            walk(&u, way);
            find_moved(&u, way);
        }
    }
    for (size_t i = 0; good && i < u.nfrom; i++) {
        const unsigned char a = u.fates[0][i], b = u.fates[1][i];
        const size_t at = (size_t)(u.from[i] - from->insns);
        const unsigned char most = a > b ? a : b, least = a < b ? a : b;
        fates[at] = (enum lull_lines_fate)(least > LULL_LINES_MAYBE ? least
                                           : most > LULL_LINES_SAME ? LULL_LINES_MAYBE
                                                                    : LULL_LINES_SAME);
    }
    done(&u);
    return good;
}
