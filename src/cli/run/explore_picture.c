// SPDX-License-Identifier: MIT
// The order that goes wrong as a picture: a row for each wave, an arrow for each wait.
#include <inttypes.h>
#include <string.h>

#include "cli/run/explore.h"

enum {
    MOST_ROWS = 64,
    MOST_ARROWS = 256,
    ROW = 26,   // Pixels: height of a row,
    LEFT = 220, // where a wave's instructions begin,
    WIDE = 560, // how long they may be,
    CELL = 14,  // and a cell that an arrow leads to.
    DEEP = 34,  // Of what stands below: the axis.
};

struct rows {
    const struct lull_order_wave *at[MOST_ROWS];
    size_t n;
    uint64_t most; ///< Instructions, of any wave, that an arrow leads to.
};

static size_t row_of(struct rows *r, const struct lull_order_wave *w)
{
    for (size_t i = 0; i < r->n; i++) {
        if (lull_order_compare(r->at[i], w) == 0) {
            return i;
        }
    }
    if (r->n < MOST_ROWS) {
        r->at[r->n++] = w;
        return r->n - 1;
    }
    return MOST_ROWS;
}

static unsigned x_of(const struct rows *r, uint64_t insn)
{
    return (unsigned)LEFT +
           (unsigned)((double)insn * (double)WIDE / (double)(r->most != 0 ? r->most : 1));
}

static unsigned y_of(size_t row)
{
    return (unsigned)row * ROW + ROW / 2;
}

static void put_rows(const struct rows *r, struct lull_str *out)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct lull_order_wave *w = r->at[i];
        lull_str_addf(out,
                      "<text x=\"0\" y=\"%u\">workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32
                      " wave %" PRIu32 "</text><rect class=\"ran\" x=\"%u\" y=\"%u\" "
                      "width=\"%u\" height=\"4\"/>\n",
                      y_of(i) + 4, w->workgroup[0], w->workgroup[1], w->workgroup[2], w->index,
                      (unsigned)LEFT, y_of(i) - 2, WIDE + CELL);
    }
}

static void put_cell(const struct rows *r, size_t row, uint64_t insn, const char *what,
                     struct lull_str *out)
{
    lull_str_addf(out,
                  "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"><title>behind "
                  "its instruction %" PRIu64 "</title></rect>\n",
                  what, x_of(r, insn), y_of(row) - CELL / 2, (unsigned)CELL, (unsigned)CELL, insn);
}

void lull_explore_picture(const struct lull_schedule *s, struct lull_str *out)
{
    struct rows r = {.n = 0};
    const size_t n = s->n < MOST_ARROWS ? s->n : MOST_ARROWS;
    for (size_t i = 0; i < n; i++) {
        (void)row_of(&r, &s->holds[i].after);
        (void)row_of(&r, &s->holds[i].wave);
        r.most = s->holds[i].at > r.most ? s->holds[i].at : r.most;
        r.most = s->holds[i].until > r.most ? s->holds[i].until : r.most;
    }
    lull_str_addf(out,
                  "<svg viewBox=\"0 0 %u %u\" role=\"img\" "
                  "aria-label=\"who waits for whom\"><defs><marker id=\"tip\" viewBox=\"0 0 10 "
                  "10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" "
                  "orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\"/></marker></defs>\n",
                  (unsigned)(LEFT + WIDE + 2 * CELL), (unsigned)r.n * ROW + DEEP);
    put_rows(&r, out);
    for (size_t i = 0; i < n; i++) {
        const struct lull_hold *h = &s->holds[i];
        const size_t from = row_of(&r, &h->after), to = row_of(&r, &h->wave);
        if (from == MOST_ROWS || to == MOST_ROWS) {
            continue;
        }
        const int half = CELL / 2, up = to < from ? 1 : -1;
        put_cell(&r, from, h->until, "first", out);
        put_cell(&r, to, h->at, "waits", out);
        lull_str_addf(out,
                      "<line class=\"wait\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" "
                      "marker-end=\"url(#tip)\"/>\n",
                      (int)x_of(&r, h->until) + half, (int)y_of(from) - up * half,
                      (int)x_of(&r, h->at) + half, (int)y_of(to) + up * half);
    }
    lull_str_addf(
        out, "<text x=\"%u\" y=\"%u\">instructions of each wave, 0 to %" PRIu64 "</text></svg>\n",
        (unsigned)LEFT, (unsigned)r.n * ROW + DEEP / 2, r.most);
}
