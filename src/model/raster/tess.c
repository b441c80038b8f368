// SPDX-License-Identifier: MIT
// A patch is rings in rings: the outline, whose sides are split by the outer levels, and inside it
// rings whose sides are split by the inner levels, each two points shorter than the one around it.
// The innermost is a ring, or a row of points, or one point.
//
// All places are in 1/65536. Between two rings, and in the middle, are seams of triangles.
#include "model/raster/tess.h"

#include <assert.h>

enum { ONE = 1 << 16, HALF = ONE / 2, TWO_THIRDS = 0xaaaa };

/** Of the points, the part from one corner to before the next is a side's. */
struct ring {
    uint32_t first;               ///< Its first point among all.
    uint32_t n[LULL_TESS_SIDES];  ///< Points of each side, both corners with it.
    uint32_t at[LULL_TESS_SIDES]; ///< Where sides begin, in steps around.
    uint32_t around;              ///< Steps around; 0: one point.
    uint32_t npoints;
};

static unsigned nsides(const struct lull_tess_plan *p)
{
    return p->mode.domain == LULL_TESS_QUADS ? 4 : 3;
}

/** Which level splits a side of inner rings: 0 along u, 1 along v. */
static unsigned along(const struct lull_tess_plan *p, unsigned side)
{
    return p->mode.domain == LULL_TESS_QUADS ? 1 - side % 2 : 0;
}

static float clamp(float level, float low, float high)
{
    return !(level > low) ? low : level < high ? level : high; // not a number: low
}

/** To the nearest, even if in the middle. @p level: 1 to 64. */
static uint32_t to_fixed(float level)
{
    const double exact = (double)level * ONE;
    const uint32_t low = (uint32_t)exact;
    const double rest = exact - low;
    return low + (rest > 0.5 || (rest >= 0.5 && low % 2 != 0));
}

static float to_float(uint32_t place)
{
    return (float)place / ONE;
}

static uint32_t reciprocal(uint32_t n)
{
    assert(n > 0);
    return (ONE + n / 2) / n;
}

/** Half lines grow like rulers: the points that come while there are 2^k to 2^(k+1) go into the
 * parts from left to right. Which is the last of @p npoints, counted on the line? */
static uint8_t newest_point(uint32_t npoints)
{
    uint32_t power = 1;
    while (power * 2 <= npoints) {
        power *= 2;
    }
    return (uint8_t)(npoints == 0 ? 0 : (npoints - power) * 2 + 1);
}

static struct lull_tess_split split(uint32_t level, bool odd)
{
    uint32_t half = (level + 1) / 2;
    if (odd || half == HALF) { // of 1 part and even: 2 parts
        half += HALF;
    }
    const uint32_t few = half / ONE;
    const uint32_t grown = half % ONE;
    const uint32_t many = few + (grown != 0);
    return (struct lull_tess_split){
        .odd = odd,
        .half = (uint8_t)many,
        .npoints = (uint8_t)(2 * many + !odd),
        .newest = grown == 0 ? UINT8_MAX : newest_point(few - odd),
        .few = reciprocal(2 * few - odd),
        .many = reciprocal(2 * many - odd),
        .grown = grown,
    };
}

/** Where point @p i of a line is. */
static uint32_t place(const struct lull_tess_split *s, uint32_t i)
{
    const bool second = i >= s->half;
    if (second) {
        i = 2u * s->half - i - s->odd;
    }
    if (i == s->half) {
        return HALF;
    }
    const uint32_t before = (i - (i > s->newest)) * s->few;
    const uint32_t after = i * s->many;
    const uint32_t p = (before * (ONE - s->grown) + after * s->grown + HALF) / ONE;
    return second ? ONE - p : p;
}

/** Points before the middle that a seam advances over. */
static unsigned seam_points(const struct lull_tess_split *s)
{
    return s->half - s->odd;
}

static struct ring ring_at(const struct lull_tess_plan *p, unsigned r, uint32_t first)
{
    struct ring ring = {.first = first};
    bool flat = false;
    for (unsigned s = 0; s < nsides(p); s++) {
        ring.n[s] = r == 0 ? p->outer[s].npoints : p->inner[along(p, s)].npoints - 2 * r;
        ring.at[s] = ring.around;
        ring.around += ring.n[s] - 1;
        flat |= ring.n[s] == 1;
    }
    ring.npoints = flat ? ring.around / 2 + 1 : ring.around;
    return ring;
}

/** The point @p steps around, from the first corner on; of a row: there and back. */
static uint32_t ring_point(const struct ring *r, uint32_t steps)
{
    if (r->around == 0) {
        return r->first;
    }
    steps %= r->around;
    return r->first + (steps < r->npoints ? steps : r->around - steps);
}

static uint32_t fixed_level(enum lull_tess_spacing spacing, float level, float low)
{
    const float high = spacing == LULL_TESS_FRACTIONAL_ODD ? 63 : LULL_TESS_LEVEL_MAX;
    level = clamp(level, low, high);
    if (spacing == LULL_TESS_EQUAL) {
        const uint32_t whole = (uint32_t)level;
        return (whole + (level > (float)whole)) * ONE; // also of what rounds to a whole number
    }
    return to_fixed(level);
}

static bool is_odd(enum lull_tess_spacing spacing, uint32_t level)
{
    return spacing == LULL_TESS_EQUAL ? level / ONE % 2 != 0 : spacing == LULL_TESS_FRACTIONAL_ODD;
}

static void plan_isolines(const struct lull_tess_levels *levels, struct lull_tess_plan *p)
{
    const enum lull_tess_spacing spacing = p->mode.spacing;
    const uint32_t lines = fixed_level(LULL_TESS_EQUAL, levels->outer[0], 1);
    const uint32_t parts =
        fixed_level(spacing, levels->outer[1], spacing == LULL_TESS_FRACTIONAL_EVEN ? 2 : 1);
    p->outer[0] = split(lines, is_odd(LULL_TESS_EQUAL, lines));
    p->outer[1] = split(parts, is_odd(spacing, parts));
    const uint32_t nlines = p->outer[0].npoints - 1u; // none where v is 1
    p->npoints = nlines * p->outer[1].npoints;
    p->corners = p->mode.output == LULL_TESS_POINTS ? 1 : 2;
    p->nindices = p->corners == 1 ? p->npoints : nlines * (p->outer[1].npoints - 1u) * 2;
}

/** Number of triangles in the innermost ring. */
static uint32_t middle_triangles(const struct lull_tess_plan *p, const struct ring *r)
{
    if (r->npoints != r->around) {
        return 0; // a row or a point
    }
    return p->mode.domain == LULL_TESS_TRIANGLES ? 1 : r->around - 2;
}

static void count(struct lull_tess_plan *p)
{
    struct ring outside = ring_at(p, 0, 0);
    uint32_t triangles = 0;
    p->npoints = outside.npoints;
    for (unsigned r = 1; r < p->nrings; r++) {
        const struct ring inside = ring_at(p, r, p->npoints);
        p->npoints += inside.npoints;
        triangles += outside.around + inside.around;
        outside = inside;
    }
    triangles += middle_triangles(p, &outside);
    p->corners = p->mode.output == LULL_TESS_POINTS ? 1 : 3;
    p->nindices = p->corners == 1 ? p->npoints : 3 * triangles;
}

/** Levels of sides and of the inside, as numbers of 1/65536. */
static bool all_one(const uint32_t *level, unsigned n)
{
    bool one = true;
    for (unsigned i = 0; i < n; i++) {
        one &= level[i] == ONE;
    }
    return one;
}

static void plan_rings(const struct lull_tess_levels *levels, struct lull_tess_plan *p)
{
    const enum lull_tess_spacing spacing = p->mode.spacing;
    const unsigned n = nsides(p);
    const unsigned ninner = p->mode.domain == LULL_TESS_QUADS ? 2 : 1;
    const float lowest = spacing == LULL_TESS_FRACTIONAL_EVEN ? 2 : 1;
    uint32_t level[LULL_TESS_SIDES + 2] = {0};
    bool frame = false; // Something is split: then there is an inner ring.
    for (unsigned i = 0; i < n; i++) {
        level[i] = fixed_level(spacing, levels->outer[i], lowest);
        p->outer[i] = split(level[i], is_odd(spacing, level[i]));
    }
    for (unsigned i = 0; i < ninner; i++) {
        level[n + i] = fixed_level(spacing, levels->inner[i], lowest);
    }
    frame = !all_one(level, n + ninner);
    for (unsigned i = 0; i < ninner; i++) {
        uint32_t *inner = &level[n + i];
        *inner += spacing == LULL_TESS_FRACTIONAL_ODD && frame && *inner == ONE;
        p->inner[i] = split(*inner, is_odd(spacing, *inner) && *inner != ONE);
    }
    const unsigned u = p->inner[0].npoints;
    const unsigned v = p->inner[ninner - 1].npoints;
    p->nrings = (uint8_t)(frame ? ((u < v ? u : v) + 1) / 2 : 1);
    count(p);
}

void lull_tess_plan(const struct lull_tess_mode *mode, const struct lull_tess_levels *levels,
                    struct lull_tess_plan *ret)
{
    *ret = (struct lull_tess_plan){.mode = *mode};
    const unsigned n = mode->domain == LULL_TESS_ISOLINES ? 2 : nsides(ret);
    for (unsigned i = 0; i < n; i++) {
        if (!(levels->outer[i] > 0)) {
            return;
        }
    }
    if (mode->domain == LULL_TESS_ISOLINES) {
        plan_isolines(levels, ret);
    } else {
        plan_rings(levels, ret);
    }
}

/** Point @p k of a side of ring @p r; sides go on in the direction in which v falls where u is 0.
 */
static void side_point(const struct lull_tess_plan *p, unsigned r, unsigned side, uint32_t k,
                       uint32_t ret[2])
{
    const unsigned a = along(p, side);
    const struct lull_tess_split *s = r == 0 ? &p->outer[side] : &p->inner[a];
    const bool quads = p->mode.domain == LULL_TESS_QUADS;
    const bool falls = quads ? side == 0 || side == 3 : side != 1;
    const uint32_t on = place(s, falls ? s->npoints - 1 - r - k : r + k);
    if (quads) {
        const struct lull_tess_split *across = &p->inner[1 - a];
        ret[a] = on;
        ret[1 - a] =
            r == 0 ? (side < 2 ? 0 : ONE) : place(across, side < 2 ? r : across->npoints - 1 - r);
        return;
    }
    // What the far corner has: two thirds of the way to the middle, where it has one third.
    const uint32_t far = r == 0 ? 0 : (place(s, r) * TWO_THIRDS + HALF) / ONE;
    const uint32_t near = on - (far + 1) / 2;
    ret[0] = side == 0 ? far : near;
    ret[1] = side == 0 ? near : side == 1 ? far : ONE - near - far;
}

void lull_tess_points(const struct lull_tess_plan *plan, struct lull_tess_point *ret)
{
    const unsigned parts = plan->outer[1].npoints;
    if (plan->mode.domain == LULL_TESS_ISOLINES) {
        for (uint32_t i = 0; i < plan->npoints; i++) {
            ret[i] = (struct lull_tess_point){to_float(place(&plan->outer[1], i % parts)),
                                              to_float(place(&plan->outer[0], i / parts))};
        }
        return;
    }
    uint32_t first = 0;
    for (unsigned r = 0; first < plan->npoints; r++) {
        const struct ring ring = ring_at(plan, r, first);
        unsigned side = 0;
        for (uint32_t i = 0; i < ring.npoints; i++) {
            while (side + 1 < nsides(plan) && i >= ring.at[side + 1] && ring.around != 0) {
                side++;
            }
            uint32_t uv[2] = {0};
            side_point(plan, r, side, i - ring.at[side], uv);
            ret[first + i] = (struct lull_tess_point){to_float(uv[0]), to_float(uv[1])};
        }
        first += ring.npoints;
    }
}

/** A row of points along a ring. */
struct row {
    const struct ring *ring;
    uint32_t at; ///< The next point, in steps around.
    bool back;   ///< Goes against the ring's direction.
};

/** Two rows with triangles between them, from their start on. */
struct seam {
    struct row out, in;
    bool clockwise;
    uint16_t *to;
};

/** Corners of triangles: the next points of the rows, and the ones after those. */
enum corner { OUT, OUT_NEXT, IN, IN_NEXT };

static uint16_t corner(const struct seam *s, enum corner c)
{
    const struct row *row = c == OUT || c == OUT_NEXT ? &s->out : &s->in;
    const bool next = c == OUT_NEXT || c == IN_NEXT;
    const uint32_t back = row->ring->around - 1; // against the direction: all around but one
    return (uint16_t)ring_point(row->ring, row->at + (next ? row->back ? back : 1 : 0));
}

/** @p a, @p b, @p c go clockwise. */
static void triangle(struct seam *s, enum corner a, enum corner b, enum corner c)
{
    s->to[0] = corner(s, a);
    s->to[1] = corner(s, s->clockwise ? b : c);
    s->to[2] = corner(s, s->clockwise ? c : b);
    s->to += 3;
}

static void next(struct row *row)
{
    row->at += row->back ? row->ring->around - 1 : 1;
}

static void advance_out(struct seam *s)
{
    triangle(s, OUT, OUT_NEXT, IN);
    next(&s->out);
}

static void advance_in(struct seam *s)
{
    triangle(s, IN, OUT, IN_NEXT);
    next(&s->in);
}

/** A quad whose diagonal goes inwards. */
static void advance_inwards(struct seam *s)
{
    triangle(s, OUT, IN_NEXT, IN);
    triangle(s, OUT, OUT_NEXT, IN_NEXT);
    next(&s->out);
    next(&s->in);
}

/** A quad whose diagonal goes outwards. @p first: first corner of its first triangle. */
static void advance_outwards(struct seam *s, enum corner first)
{
    if (first == IN) {
        triangle(s, IN, OUT, OUT_NEXT);
    } else {
        triangle(s, OUT, OUT_NEXT, IN);
    }
    triangle(s, IN, OUT_NEXT, IN_NEXT);
    next(&s->out);
    next(&s->in);
}

/** Place @p i of 1 to 32 of half a line at the highest level has a point if a level has more points
 * than this: as newest_point(), in the other direction. */
static unsigned appears(unsigned i)
{
    unsigned half = 16;
    unsigned first = 1; // of those that come while points double
    if (i == 1) {
        return 32;
    }
    for (unsigned j = i - 1; j % (2 * half) != half; half /= 2) {
        first *= 2;
    }
    return first + (i - 1) / (2 * half);
}

/** The middle of a seam between rows of which not both have a point there. */
static void stitch_middle(struct seam *s, bool out_odd, bool in_odd)
{
    if (out_odd && in_odd) {
        triangle(s, IN, OUT, IN_NEXT);
        triangle(s, IN_NEXT, OUT, OUT_NEXT);
        next(&s->out);
        next(&s->in);
    } else if (out_odd) {
        triangle(s, IN, OUT, OUT_NEXT);
        next(&s->out);
    } else if (in_odd) {
        advance_in(s);
    }
}

/** Between the outline and the first ring: rows that are split differently. */
static void stitch_outline(struct seam *s, const struct lull_tess_split *out,
                           const struct lull_tess_split *in)
{
    enum { LAST = LULL_TESS_LEVEL_MAX / 2 };
    const unsigned nout = seam_points(out);
    const unsigned nin = seam_points(in);
    for (unsigned i = 0; i <= LAST; i++) {
        if (i != 0 && appears(i) < nin) {
            advance_in(s);
        }
        if (i == 0 ? nout != 0 : appears(i) < nout) {
            advance_out(s);
        }
    }
    stitch_middle(s, out->odd, in->odd);
    for (unsigned i = LAST + 1; i-- > 0;) {
        if (i == 0 ? nout != 0 : appears(i) < nout) {
            advance_out(s);
        }
        if (i != 0 && appears(i) < nin) {
            advance_in(s);
        }
    }
}

/** Between two rings inside: @p n points in the inner row, two more in the outer one. */
static void stitch_rings(struct seam *s, unsigned n)
{
    advance_out(s);
    for (unsigned i = 0; i + 1 < n; i++) {
        if (i < n / 2) {
            advance_inwards(s);
        } else {
            advance_outwards(s, IN);
        }
    }
    advance_out(s);
}

/** The innermost ring of a quad: two rows. */
static void stitch_strip(const struct lull_tess_plan *p, struct seam *s, const struct ring *r)
{
    const bool along_v = r->n[1] == 2; // then the rows are sides 0 and 2, else 1 and 3
    const unsigned side = along_v ? 0 : 1;
    const unsigned n = r->n[side];
    s->out = (struct row){.ring = r, .at = r->at[side]};
    s->in = (struct row){.ring = r, .at = r->at[side] + r->around - 1, .back = true};
    for (unsigned i = 0; i + 1 < n; i++) {
        if (!along_v || !p->inner[1].odd) {
            advance_outwards(s, IN);
        } else if (i + 1 == n / 2) {
            advance_inwards(s);
        } else {
            advance_outwards(s, OUT);
        }
    }
}

static void fill_middle(const struct lull_tess_plan *p, struct seam *s, const struct ring *r)
{
    if (middle_triangles(p, r) == 0) {
        return;
    }
    s->out = (struct row){.ring = r};
    s->in = (struct row){.ring = r, .at = 2};
    if (p->mode.domain == LULL_TESS_TRIANGLES) {
        triangle(s, OUT, OUT_NEXT, IN);
    } else if (p->nrings == 1) { // nothing is split
        triangle(s, OUT_NEXT, IN, OUT);
        triangle(s, IN, IN_NEXT, OUT);
    } else {
        stitch_strip(p, s, r);
    }
}

void lull_tess_indices(const struct lull_tess_plan *plan, uint16_t *ret)
{
    if (plan->corners != 3) {
        const unsigned line = plan->outer[1].npoints;
        for (uint32_t i = 0, point = 0; i < plan->nindices; point++) {
            ret[i++] = (uint16_t)point;
            if (plan->corners == 2) {
                ret[i++] = (uint16_t)(point + 1);
                point += point % line == line - 2; // the end of a line
            }
        }
        return;
    }
    if (plan->npoints == 0) {
        return;
    }
    struct seam s = {.clockwise = plan->mode.output == LULL_TESS_CLOCKWISE, .to = ret};
    struct ring outside = ring_at(plan, 0, 0);
    for (unsigned r = 1; r < plan->nrings; r++) {
        const struct ring inside = ring_at(plan, r, outside.first + outside.npoints);
        for (unsigned side = 0; side < nsides(plan); side++) {
            s.out = (struct row){.ring = &outside, .at = outside.at[side]};
            s.in = (struct row){.ring = &inside, .at = inside.at[side]};
            if (r == 1) {
                stitch_outline(&s, &plan->outer[side], &plan->inner[along(plan, side)]);
            } else {
                stitch_rings(&s, inside.n[side]);
            }
        }
        outside = inside;
    }
    fill_middle(plan, &s, &outside);
}
