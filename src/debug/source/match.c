// SPDX-License-Identifier: MIT
#include "debug/source/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { WORD_BITS = 32, VCC = 106, REGISTERS = 256 };

void lull_match_done(struct lull_match *m)
{
    free(m->v);
    *m = (struct lull_match){0};
}

bool lull_match_equal(const struct lull_match *a, const struct lull_match *b)
{
    return a->lanes == b->lanes && a->nvgprs == b->nvgprs && a->v != NULL && b->v != NULL &&
           memcmp(a->s, b->s, sizeof a->s) == 0 &&
           memcmp(a->v, b->v, (size_t)a->lanes * a->nvgprs * sizeof *a->v) == 0;
}

struct lull_error *lull_match_read(struct lull_debug *d, const struct lull_debug_wave *w,
                                   struct lull_match *ret)
{
    struct lull_error *err = NULL;
    uint64_t v = 0;
    ret->lanes = w->info.lanes;
    ret->nvgprs = w->info.nvgprs;
    ret->v = calloc((size_t)ret->lanes * ret->nvgprs + 1, sizeof *ret->v);
    if (ret->v == NULL) {
        return &lull_enomem;
    }
    for (unsigned i = 0; i < ret->nvgprs && err == NULL; i++) {
        for (unsigned lane = 0; lane < ret->lanes && err == NULL; lane++) {
            err = lull_debug_read_reg(d, w, LULL_REG_VGPR, i, lane, &v);
            ret->v[i * ret->lanes + lane] = (uint32_t)v;
        }
    }
    for (unsigned i = 0; i < LULL_MATCH_SGPRS && err == NULL; i++) {
        err = lull_debug_read_reg(d, w, LULL_REG_SGPR, i, 0, &v);
        ret->s[i] = (uint32_t)v;
    }
    return err;
}

/** The number in registers @p i, and behind it if there are more than 32 bits. */
static uint64_t number(const struct lull_match *m, bool scalar, unsigned i, unsigned lane,
                       unsigned bits)
{
    const uint64_t low = scalar ? m->s[i] : m->v[i * m->lanes + lane];
    if (bits > WORD_BITS) {
        return low | (uint64_t)(scalar ? m->s[i + 1] : m->v[(i + 1) * m->lanes + lane])
                         << WORD_BITS;
    }
    return low & (UINT64_MAX >> (2 * WORD_BITS - bits));
}

static bool holds(const struct lull_match *m, const struct lull_value *v, uint64_t lanes,
                  bool scalar, unsigned i)
{
    for (unsigned lane = 0; lane < m->lanes; lane++) {
        if ((lanes >> lane & 1) != 0 && number(m, scalar, i, lane, v->type.bits) != v->v[lane]) {
            return false;
        }
    }
    return true;
}

/** Does the mask in SGPR @p i say it? */
static bool says(const struct lull_match *m, const struct lull_value *v, uint64_t lanes, unsigned i)
{
    const uint64_t mask = number(m, true, i, 0, m->lanes);
    for (unsigned lane = 0; lane < m->lanes; lane++) {
        if ((lanes >> lane & 1) != 0 && (mask >> lane & 1) != (v->v[lane] != 0)) {
            return false;
        }
    }
    return true;
}

/** "v3", "s[4:5]", "vcc". */
static void name(char kind, unsigned i, bool two, char ret[16])
{
    i %= REGISTERS;
    if (kind == 's' && i == VCC) {
        snprintf(ret, 16, "vcc");
    } else if (two) {
        snprintf(ret, 16, "%c[%u:%u]", kind, i, i + 1);
    } else {
        snprintf(ret, 16, "%c%u", kind, i);
    }
}

unsigned lull_match_find(const struct lull_match *m, const struct lull_value *v, uint64_t lanes,
                         bool truth, bool alike, char (*names)[16], unsigned room)
{
    const bool two = (truth ? m->lanes : v->type.bits) > WORD_BITS;
    unsigned n = 0;
    for (unsigned i = 0; !truth && i + two < m->nvgprs; i++) {
        if (holds(m, v, lanes, false, i)) {
            if (n < room) {
                name('v', i, two, names[n]);
            }
            n++;
        }
    }
    for (unsigned i = 0; (truth || alike) && i + two < LULL_MATCH_SGPRS; i += 1 + two) {
        if (truth ? says(m, v, lanes, i) : holds(m, v, lanes, true, i)) {
            if (n < room) {
                name('s', i, two, names[n]);
            }
            n++;
        }
    }
    return n;
}

enum { MOST_ULP = 4 };

/** How many floats of @p bits bits lie between two; UINT64_MAX: one of them is no number, is near
 * 0, or they have other signs. Formats: IEEE 754. */
static uint64_t distance(unsigned bits, uint64_t a, uint64_t b)
{
    const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    const uint64_t sign = UINT64_C(1) << (bits - 1), one = UINT64_C(1) << fraction;
    const uint64_t first = a & ~sign, second = b & ~sign, infinite = (sign - 1) & ~(one - 1);
    if (((a ^ b) & sign) != 0 || first < one || second < one || first >= infinite ||
        second >= infinite) {
        return a == b ? 0 : UINT64_MAX;
    }
    return first > second ? first - second : second - first;
}

unsigned lull_match_near(const struct lull_match *m, struct lull_value *v, uint64_t lanes,
                         unsigned *ret_ulp, char ret_name[16])
{
    const unsigned bits = v->type.bits;
    const bool two = bits > WORD_BITS;
    uint64_t best = MOST_ULP + 1;
    unsigned found = 0;
    for (unsigned i = 0; v->type.kind == LULL_CTYPE_FLOAT && i + two < m->nvgprs; i++) {
        uint64_t most = 0;
        for (unsigned lane = 0; lane < m->lanes && most < best; lane++) {
            if ((lanes >> lane & 1) != 0) {
                const uint64_t apart = distance(bits, number(m, false, i, lane, bits), v->v[lane]);
                most = apart > most ? apart : most;
            }
        }
        if (most < best) {
            best = most;
            found = i + 1;
        }
    }
    if (found == 0) {
        return 0;
    }
    for (unsigned lane = 0; lane < m->lanes; lane++) {
        if ((lanes >> lane & 1) != 0) {
            v->v[lane] = number(m, false, found - 1, lane, bits);
        }
    }
    *ret_ulp = (unsigned)best;
    name('v', found - 1, two, ret_name);
    return 1;
}
