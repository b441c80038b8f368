// SPDX-License-Identifier: MIT
#include "model/raster/part.h"

enum {
    ONE = LULL_RASTER_ONE,
    QUAD_LAST = 2 * ONE - 1, // From a quad's first place to its last, in 1/256 pixel.
    PIXEL_BITS = 8,          // Of a quad's mask.
};

// The half plane of covered points a * x + b * y + c >= 0, in 1/256 pixel.
struct edge {
    int64_t a, b, c;
    int64_t sample[LULL_RASTER_SAMPLES]; // What it is more at a sample than at the pixel's corner.
};

struct cover {
    const struct lull_raster_state *s;
    const struct lull_raster_prim *p;
    struct edge edge[LULL_RASTER_CORNERS];
    unsigned nsamples;
    uint32_t full; // All samples of four pixels.
};

// Pixels of a row of quads, from the first to before the last.
struct span {
    int32_t x0, x1;   // May be covered.
    int32_t in0, in1; // Are covered, with all samples.
};

// A point on an edge is inside if the edge is a left one or, lying flat, a top one.
static void make_edges(struct cover *c)
{
    const struct lull_raster_prim *p = c->p;
    for (unsigned i = 0; i < p->ncorners; i++) {
        const int32_t *from = p->corner[i];
        const int32_t *to = p->corner[i + 1 == p->ncorners ? 0 : i + 1];
        struct edge *e = &c->edge[i];
        e->a = (int64_t)from[1] - to[1];
        e->b = (int64_t)to[0] - from[0];
        e->c = -(e->a * from[0] + e->b * from[1]);
        e->c -= !(e->a > 0 || (e->a == 0 && e->b > 0));
        for (unsigned n = 0; n < c->nsamples; n++) {
            const int8_t *at = c->s->sample[n];
            const int64_t x = c->s->center_only ? 0 : at[0] < -8 ? -8 : at[0] > 7 ? 7 : at[0];
            const int64_t y = c->s->center_only ? 0 : at[1] < -8 ? -8 : at[1] > 7 ? 7 : at[1];
            e->sample[n] = e->a * (ONE / 2 + x * (ONE / 16)) + e->b * (ONE / 2 + y * (ONE / 16));
        }
    }
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// The places x, in 1/256 pixel, where e.a * x + at >= 0: cuts off what is not from x0..x1.
static void cut_span(const struct edge *e, int64_t at, int64_t *x0, int64_t *x1)
{
    if (e->a > 0) {
        const int64_t first = -floor_div(at, e->a);
        *x0 = first > *x0 ? first : *x0;
    } else if (e->a < 0) {
        const int64_t last = floor_div(at, -e->a);
        *x1 = last < *x1 ? last : *x1;
    } else if (at < 0) {
        *x1 = INT64_MIN / 2;
    }
}

static int32_t within(int64_t v, int32_t lo, int32_t hi)
{
    return v < lo ? lo : v > hi ? hi : (int32_t)v;
}

// What there is to look at in the row of quads at y.
static struct span row_span(const struct cover *c, int32_t y)
{
    const struct lull_raster_box *box = &c->p->box;
    const int32_t left = box->x0 & ~1;
    const int32_t right = (box->x1 + 1) & ~1;
    struct span ret = {left, right, left, left};
    if (!c->p->convex || c->p->conservative != LULL_RASTER_EXACT) {
        return ret;
    }
    int64_t x0 = (int64_t)left * ONE, x1 = (int64_t)right * ONE - 1, in0 = x0, in1 = x1;
    for (unsigned i = 0; i < c->p->ncorners; i++) {
        const struct edge *e = &c->edge[i];
        const int64_t top = e->b * ((int64_t)y * ONE) + e->c;
        const int64_t bottom = top + e->b * QUAD_LAST;
        cut_span(e, top > bottom ? top : bottom, &x0, &x1);
        cut_span(e, top > bottom ? bottom : top, &in0, &in1);
    }
    if (x0 > x1) {
        ret.x1 = left;
        return ret;
    }
    ret.x0 = within(x0 >> 9, left / 2, right / 2) * 2;
    ret.x1 = within((x1 >> 9) + 1, left / 2, right / 2) * 2;
    if (c->p->bresenham == 0) {
        ret.in0 = within((in0 + QUAD_LAST) >> 9, left / 2, right / 2) * 2;
        ret.in1 = within((in1 + 1) >> 9, left / 2, right / 2) * 2;
    }
    return ret;
}

// Samples of a pixel inside of all edges.
static uint32_t inside(const struct cover *c, int64_t x, int64_t y)
{
    uint32_t mask = c->full & UINT8_MAX;
    for (unsigned i = 0; i < c->p->ncorners && mask != 0; i++) {
        const struct edge *e = &c->edge[i];
        const int64_t at = e->a * x * ONE + e->b * y * ONE + e->c;
        // The second is what gcc 12 needs to be told, with sanitizers.
        for (unsigned n = 0; n < c->nsamples && n < LULL_RASTER_SAMPLES; n++) {
            mask &= ~((uint32_t)(at + e->sample[n] < 0) << n);
        }
    }
    return mask;
}

// Samples of a pixel around which a polygon that is not convex winds: edges to their left that go
// up, less those that go down.
static uint32_t wound(const struct cover *c, int64_t x, int64_t y)
{
    uint32_t mask = 0;
    for (unsigned n = 0; n < c->nsamples; n++) {
        const int64_t dy = c->s->center_only ? 0 : c->s->sample[n][1];
        const int64_t at_y = y * ONE + ONE / 2 + (dy < -8 ? -8 : dy > 7 ? 7 : dy) * (ONE / 16);
        int windings = 0;
        for (unsigned i = 0; i < c->p->ncorners; i++) {
            const struct edge *e = &c->edge[i];
            const int64_t from = c->p->corner[i][1];
            const int64_t to = from - e->a;
            const bool in = e->a * x * ONE + e->b * y * ONE + e->c + e->sample[n] >= 0;
            if (e->a > 0 && to <= at_y && at_y < from && in) {
                windings++;
            } else if (e->a < 0 && from <= at_y && at_y < to && !in) {
                windings--;
            }
        }
        mask |= (uint32_t)(windings > 0) << n;
    }
    return mask;
}

// Whether the rule of the windows that a pixel is in lets it through.
static bool in_windows(const struct lull_raster_state *s, int32_t x, int32_t y)
{
    unsigned in = 0;
    for (unsigned i = 0; i < LULL_RASTER_WINDOWS; i++) {
        const struct lull_raster_box *w = &s->window[i];
        in |= (unsigned)(x >= w->x0 && x < w->x1 && y >= w->y0 && y < w->y1) << i;
    }
    return !s->windowed || (s->window_rule >> in & 1) != 0;
}

static bool on_line(const struct cover *c, int32_t x, int32_t y)
{
    return lull_raster_on_line(c->p, x, y) &&
           (c->s->stipple_repeat == 0 || lull_raster_in_pattern(c->s, c->p, x, y));
}

static uint32_t pixel_mask(const struct cover *c, int32_t x, int32_t y)
{
    const uint32_t all = c->full & UINT8_MAX;
    if (c->p->bresenham != 0) {
        return on_line(c, x, y) ? all : 0;
    }
    if (c->p->conservative != LULL_RASTER_EXACT) {
        const bool over = c->p->conservative == LULL_RASTER_OVER;
        return (over ? lull_raster_meets : lull_raster_fills)(c->p, x, y) ? all : 0;
    }
    return c->p->convex ? inside(c, x, y) : wound(c, x, y);
}

static uint32_t quad_mask(const struct cover *c, const struct span *row, int32_t x, int32_t y)
{
    const struct lull_raster_box *box = &c->p->box;
    const bool full = x >= row->in0 && x < row->in1;
    uint32_t mask = 0;
    if (full && !c->s->windowed && x >= box->x0 && x + 1 < box->x1 && y >= box->y0 &&
        y + 1 < box->y1) {
        return c->full;
    }
    for (int32_t n = 0; n < 4; n++) {
        const int32_t px = x + (n & 1);
        const int32_t py = y + (n >> 1);
        uint32_t pixel = 0;
        if (px >= box->x0 && px < box->x1 && py >= box->y0 && py < box->y1 &&
            in_windows(c->s, px, py)) {
            pixel = full ? c->full & UINT8_MAX : pixel_mask(c, px, py);
        }
        mask |= pixel << n * PIXEL_BITS;
    }
    return mask;
}

unsigned lull_raster_cover(const struct lull_raster_state *s, const struct lull_raster_prim *p,
                           struct lull_raster_cursor *cursor, struct lull_raster_quad *ret,
                           unsigned max)
{
    struct cover c; // the edges that there are are made below
    c.s = s;
    c.p = p;
    c.nsamples = s->nsamples < 1 ? 1 : s->nsamples > 8 ? 8 : s->nsamples;
    c.full = ((1U << c.nsamples) - 1) * 0x01010101U;
    make_edges(&c);
    const int32_t left = p->box.x0 & ~1;
    const int32_t top = p->box.y0 & ~1;
    unsigned n = 0;
    for (; cursor->done == 0 && top + cursor->y < p->box.y1; cursor->y += 2, cursor->x = 0) {
        const int32_t y = top + cursor->y;
        const struct span row = row_span(&c, y);
        for (int32_t x = (left + cursor->x > row.x0 ? left + cursor->x : row.x0); x < row.x1;
             x += 2) {
            if (n == max) {
                cursor->x = x - left;
                return n;
            }
            const uint32_t mask = quad_mask(&c, &row, x, y);
            if (mask != 0) {
                ret[n++] = (struct lull_raster_quad){(uint16_t)x, (uint16_t)y, mask};
            }
        }
    }
    cursor->done = 1;
    return n;
}
