// SPDX-License-Identifier: MIT
#include "model/raster/part.h"

#include <math.h>
#include <string.h>

// A triangle on its way.
struct triangle {
    struct lull_raster_corner whole[3], part[LULL_RASTER_CORNERS];
    int32_t at[LULL_RASTER_CORNERS][2]; ///< The part's corners in 1/256 pixel.
    unsigned npart;
    bool cut;
    float size[3]; ///< Of points.
};

static struct lull_raster_plane plane_sum(const struct lull_raster_plane p[3], const double by[3])
{
    return (struct lull_raster_plane){
        .a = p[0].a * by[0] + p[1].a * by[1] + p[2].a * by[2],
        .b = p[0].b * by[0] + p[1].b * by[1] + p[2].b * by[2],
        .c = p[0].c * by[0] + p[1].c * by[1] + p[2].c * by[2],
    };
}

static double value(const struct lull_raster_corner *c, unsigned n)
{
    return c->v[n] / c->v[LULL_CORNER_W];
}

// Planes through the rounded corners, for a triangle that is whole.
static bool planes_of_whole(const struct triangle *t, struct lull_raster_prim *p)
{
    const double one = LULL_RASTER_ONE;
    const double x1 = ((double)t->at[1][0] - t->at[0][0]) / one;
    const double y1 = ((double)t->at[1][1] - t->at[0][1]) / one;
    const double x2 = ((double)t->at[2][0] - t->at[0][0]) / one;
    const double y2 = ((double)t->at[2][1] - t->at[0][1]) / one;
    const double area = x1 * y2 - y1 * x2;
    if (area == 0) {
        return false;
    }
    p->i = (struct lull_raster_plane){y2 / area, -x2 / area, 0};
    p->j = (struct lull_raster_plane){-y1 / area, x1 / area, 0};
    double w[3], z[3];
    for (unsigned i = 0; i < 3; i++) {
        w[i] = 1 / t->whole[i].v[LULL_CORNER_W];
        z[i] = value(&t->whole[i], LULL_CORNER_Z);
    }
    // As differences: what is the same at all corners is exactly so in between.
    const struct lull_raster_plane l[3] = {p->i, p->j, {0, 0, 1}};
    p->i_w = plane_sum(l, (double[3]){w[1], 0, 0});
    p->j_w = plane_sum(l, (double[3]){0, w[2], 0});
    p->one_w = plane_sum(l, (double[3]){w[1] - w[0], w[2] - w[0], w[0]});
    p->z = plane_sum(l, (double[3]){z[1] - z[0], z[2] - z[0], z[0]});
    return true;
}

// Planes of the whole triangle, of which a part is seen: w of others may be 0 or less. With corners
// (x w, y w, w) as rows of a matrix, the columns of its inverse are the planes of barycentric
// coordinates over w. Source: Olano and Greer, "Triangle Scan Conversion using 2D Homogeneous
// Coordinates", 1997.
static bool planes_of_part(const struct triangle *t, struct lull_raster_prim *p)
{
    double v[3][3], w[3], z[3];
    struct lull_raster_plane l[3];
    for (unsigned i = 0; i < 3; i++) {
        w[i] = t->whole[i].v[LULL_CORNER_W];
        z[i] = t->whole[i].v[LULL_CORNER_Z];
        v[i][0] = t->whole[i].v[LULL_CORNER_X] - p->origin[0] * w[i];
        v[i][1] = t->whole[i].v[LULL_CORNER_Y] - p->origin[1] * w[i];
        v[i][2] = w[i];
    }
    for (unsigned i = 0; i < 3; i++) {
        const double *q = v[(i + 1) % 3], *r = v[(i + 2) % 3];
        l[i].a = q[1] * r[2] - q[2] * r[1];
        l[i].b = q[2] * r[0] - q[0] * r[2];
        l[i].c = q[0] * r[1] - q[1] * r[0];
    }
    const double det = v[0][0] * l[0].a + v[0][1] * l[0].b + v[0][2] * l[0].c;
    if (det == 0 || !isfinite(1 / det)) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        l[i] = (struct lull_raster_plane){l[i].a / det, l[i].b / det, l[i].c / det};
    }
    p->i_w = l[1];
    p->j_w = l[2];
    p->i = plane_sum(l, (double[3]){0, w[1], 0});
    p->j = plane_sum(l, (double[3]){0, 0, w[2]});
    p->one_w = plane_sum(l, (double[3]){1, 1, 1});
    p->z = plane_sum(l, z);
    return true;
}

static bool make_planes(const struct triangle *t, struct lull_raster_prim *p)
{
    p->origin[0] = (double)t->at[0][0] / LULL_RASTER_ONE;
    p->origin[1] = (double)t->at[0][1] / LULL_RASTER_ONE;
    return t->cut ? planes_of_part(t, p) : planes_of_whole(t, p);
}

// Of a triangle without an area: everywhere what its first vertex has. False: not in front of the
// eye.
static bool planes_of_none(const struct triangle *t, struct lull_raster_prim *p)
{
    p->one_w.c = 1 / t->whole[0].v[LULL_CORNER_W];
    p->z.c = value(&t->whole[0], LULL_CORNER_Z);
    return t->whole[0].v[LULL_CORNER_W] > 0;
}

// Clip and round. Corners that fall together become one. False: nothing is left.
static bool make_part(const struct lull_raster_state *s, struct triangle *t)
{
    memcpy(t->part, t->whole, sizeof(t->whole));
    const unsigned n = lull_raster_clip(s, t->part, 3, &t->cut);
    for (unsigned i = 0; i < n; i++) {
        int32_t *at = t->at[t->npart];
        lull_raster_place(&t->part[i], at);
        const int32_t *last = t->at[t->npart == 0 ? 0 : t->npart - 1];
        if (!t->cut || t->npart == 0 || at[0] != last[0] || at[1] != last[1]) {
            t->part[t->npart++] = t->part[i];
        }
    }
    while (t->npart > 1 && memcmp(t->at[0], t->at[t->npart - 1], sizeof(t->at[0])) == 0 && t->cut) {
        t->npart--;
    }
    return t->npart != 0;
}

static double largest_depth(const struct triangle *t)
{
    double z = 0;
    for (unsigned i = 0; i < t->npart; i++) {
        z = fmax(z, fabs(value(&t->part[i], LULL_CORNER_Z)));
    }
    return z;
}

// The triangle's edges or corners. What is thin has an area without being one.
static unsigned outline(const struct lull_raster_state *s, const struct triangle *t,
                        enum lull_raster_fill fill, struct lull_raster_thin *of,
                        struct lull_raster_prim ret[LULL_RASTER_PARTS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < 3; i++) {
        const struct lull_raster_corner ends[2] = {t->whole[i], t->whole[(i + 1) % 3]};
        of->size = t->size[i];
        n += fill == LULL_RASTER_FILL_LINE ? lull_raster_line(s, ends, of, &ret[n])
                                           : lull_raster_dot(s, ends, of, &ret[n]);
    }
    return n;
}

static unsigned triangle(const struct lull_raster_state *s, struct triangle *t,
                         struct lull_raster_thin *of,
                         struct lull_raster_prim ret[LULL_RASTER_PARTS])
{
    if (!make_part(s, t)) {
        return 0;
    }
    const int64_t area = lull_raster_area((const int32_t(*)[2])t->at, t->npart);
    const bool front = s->front_clockwise ? area > 0 : area < 0;
    const enum lull_raster_fill fill = front ? s->fill_front : s->fill_back;
    if (front ? s->cull_front : s->cull_back) {
        return 0;
    }
    struct lull_raster_prim p = {.front = front, .shape = LULL_RASTER_TRIANGLE};
    bool flat = area != 0 && make_planes(t, &p);
    if (s->conservative == LULL_RASTER_OVER && area == 0) {
        flat = planes_of_none(t, &p);
    }
    of->front = front;
    of->own_bias = false;
    if (front ? s->bias_front : s->bias_back) {
        of->bias = lull_raster_bias(s, front, fmax(fabs(p.z.a), fabs(p.z.b)), largest_depth(t));
    }
    if (fill != LULL_RASTER_FILL) {
        return outline(s, t, fill, of, ret);
    }
    p.z.c += of->bias;
    p.conservative = s->conservative;
    ret[0] = p;
    return flat && lull_raster_polygon(s, (const int32_t(*)[2])t->at, t->npart, &ret[0]);
}

// The box of three corners. It is not clipped: drivers clear and copy with it.
static unsigned rectangle(const struct lull_raster_state *s, struct triangle *t,
                          struct lull_raster_prim *ret)
{
    int32_t lo[2] = {INT32_MAX, INT32_MAX};
    int32_t hi[2] = {INT32_MIN, INT32_MIN};
    for (unsigned i = 0; i < 3; i++) {
        const struct lull_raster_corner *c = &t->whole[i];
        if (!(c->v[LULL_CORNER_W] > 0)) {
            return 0;
        }
        lull_raster_place(c, t->at[i]);
        for (unsigned j = 0; j < 2; j++) {
            lo[j] = smaller(lo[j], t->at[i][j]);
            hi[j] = larger(hi[j], t->at[i][j]);
        }
    }
    const int32_t corner[4][2] = {{lo[0], lo[1]}, {hi[0], lo[1]}, {hi[0], hi[1]}, {lo[0], hi[1]}};
    *ret = (struct lull_raster_prim){.front = 1, .shape = LULL_RASTER_RECT};
    return make_planes(t, ret) && lull_raster_polygon(s, corner, 4, ret);
}

// Whether a cull distance is negative, or not a number, at all vertices.
static bool culled(const struct lull_raster_state *s, const struct lull_raster_vertex *v,
                   unsigned n)
{
    for (unsigned plane = 0; plane < LULL_RASTER_PLANES; plane++) {
        unsigned out = 0;
        for (unsigned i = 0; i < n; i++) {
            out += !(v[i].distance[plane] >= 0);
        }
        if ((s->cull_planes >> plane & 1) != 0 && out == n) {
            return true;
        }
    }
    return false;
}

unsigned lull_raster_setup(const struct lull_raster_state *s, enum lull_raster_shape shape,
                           const struct lull_raster_vertex v[3],
                           struct lull_raster_prim ret[LULL_RASTER_PARTS])
{
    const unsigned n = shape == LULL_RASTER_POINT ? 1 : shape == LULL_RASTER_LINE ? 2 : 3;
    struct triangle t = {.npart = 0};
    struct lull_raster_thin of = {
        .own_bias = s->bias_para, .size = v[0].point_size, .front = true, .shape = shape};
    if (culled(s, v, n)) {
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        if (!lull_raster_corner_of(s, &v[i], i, &t.whole[i])) {
            return 0;
        }
        t.size[i] = v[i].point_size;
    }
    of.w[0] = t.whole[1].v[LULL_CORNER_W];
    of.w[1] = t.whole[2].v[LULL_CORNER_W];
    switch (shape) {
    case LULL_RASTER_POINT:
        return lull_raster_dot(s, t.whole, &of, ret);
    case LULL_RASTER_LINE:
        return lull_raster_line(s, t.whole, &of, ret);
    case LULL_RASTER_RECT:
        return rectangle(s, &t, ret);
    case LULL_RASTER_TRIANGLE:
        break;
    }
    return triangle(s, &t, &of, ret);
}
