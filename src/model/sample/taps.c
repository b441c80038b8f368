// SPDX-License-Identifier: MIT
#include "model/sample/taps.h"

#include <math.h>

enum { FACES = 6 };

static const double limit = 0x1p30; // Texels; beyond is as far away.
static const double one = LULL_SAMPLE_ONE;

/** One axis of a coordinate: texels first and first + 1, the second weighing @p fraction. */
struct axis {
    int64_t first;
    uint32_t fraction; // Of LULL_SAMPLE_ONE; 0 for points.
    int32_t size;
    enum lull_wrap mode;
    bool linear;
};

/** Texels from the corner of the level, in double. */
static double texels(const struct lull_spot *s, unsigned d, const struct axis *a)
{
    const double size = a->size;
    double u = s->coord[d];
    if (isnan(u)) {
        return 0;
    }
    const double period = s->normal ? 2 : 2 * size;
    if (isinf(u) == 0 && (a->mode == LULL_WRAP_REPEAT || a->mode == LULL_WRAP_MIRROR) &&
        fabs(u) >= period) {
        u = fmod(u, period);
    }
    u *= s->normal ? size : 1;
    u = u > limit ? limit : u < -limit ? -limit : u;
    if (a->mode == LULL_WRAP_MIRROR_ONCE_HALF_BORDER) {
        u = fabs(u);
    }
    if (a->mode == LULL_WRAP_HALF_BORDER || a->mode == LULL_WRAP_MIRROR_ONCE_HALF_BORDER) {
        u = u < 0 ? 0 : u > size ? size : u;
    }
    return u;
}

static struct axis axis_of(const struct lull_spot *s, unsigned d)
{
    struct axis a = {
        .size = s->size[d], .mode = (enum lull_wrap)s->wrap[d], .linear = s->linear[d]};
    if (s->cube) {
        a.mode = LULL_WRAP_BORDER; // Only so that the coordinate is left as it is.
    }
    const double u = texels(s, d, &a);
    if (!a.linear && s->trunc) {
        a.first = (int64_t)floor(u) + s->offset[d];
        return a;
    }
    int64_t fixed = (int64_t)floor(u * one + 0.5);
    fixed -= a.linear ? LULL_SAMPLE_ONE / 2 : 0;
    a.fraction = a.linear ? (uint32_t)(fixed & (LULL_SAMPLE_ONE - 1)) : 0;
    a.first = (fixed >> LULL_SAMPLE_FRACTION) + s->offset[d];
    return a;
}

static int64_t modulo(int64_t i, int64_t n)
{
    const int64_t m = i % n;
    return m < 0 ? m + n : m;
}

/** Texel @p i of axis @p a inside the level; -1: border. */
static int32_t wrap(const struct axis *a, int64_t i)
{
    const int64_t size = a->size, last = size - 1;
    const bool mirrored = a->mode == LULL_WRAP_MIRROR_ONCE_EDGE ||
                          a->mode == LULL_WRAP_MIRROR_ONCE_HALF_BORDER ||
                          a->mode == LULL_WRAP_MIRROR_ONCE_BORDER;
    if (mirrored && i < 0) {
        i = -1 - i;
    }
    const bool inside = i >= 0 && i <= last;
    if (inside) {
        return (int32_t)i;
    }
    switch (a->mode) {
    case LULL_WRAP_REPEAT:
        return (int32_t)modulo(i, size);
    case LULL_WRAP_MIRROR:
        i = modulo(i, 2 * size);
        return (int32_t)(i <= last ? i : 2 * size - 1 - i);
    case LULL_WRAP_HALF_BORDER:
    case LULL_WRAP_MIRROR_ONCE_HALF_BORDER:
        if (a->linear) {
            return -1;
        }
        break;
    case LULL_WRAP_BORDER:
    case LULL_WRAP_MIRROR_ONCE_BORDER:
        return -1;
    case LULL_WRAP_EDGE:
    case LULL_WRAP_MIRROR_ONCE_EDGE:
        break;
    }
    return (int32_t)(i < 0 ? 0 : last);
}

/** Directions of a face's s and t and of its centre. Source: Vulkan 1.3, "Cube map face selection".
 */
static const int8_t faces[FACES][3][3] = {
    {{0, 0, -1}, {0, -1, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, -1, 0}, {-1, 0, 0}},
    {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},   {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
    {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
};

static int32_t dot(const int8_t a[3], const int32_t b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/**
 * Texel (x, y) of a face, perhaps beyond one of its edges, to one on a face. The cube has edges of
 * 2 * size, its centre is 0. False: beyond two edges.
 */
static bool around_edge(int32_t size, int64_t x, int64_t y, struct lull_tap *t)
{
    const int32_t face = t->z % FACES;
    x = x < -size ? -size : x < 2 * size ? x : 2 * size - 1; // No farther than the next face.
    y = y < -size ? -size : y < 2 * size ? y : 2 * size - 1;
    const bool out_x = x < 0 || x >= size, out_y = y < 0 || y >= size;
    if (out_x && out_y) {
        return false;
    }
    t->x = (int32_t)x;
    t->y = (int32_t)y;
    if (!out_x && !out_y) {
        return true;
    }
    int32_t s = (int32_t)(2 * x + 1 - size), u = (int32_t)(2 * y + 1 - size), depth = size;
    int32_t *out = out_x ? &s : &u;
    const int32_t sign = *out < 0 ? -1 : 1;
    const int32_t over = *out * sign - size;
    depth -= over;
    *out = sign * size;
    int32_t v[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        v[i] = faces[face][0][i] * s + faces[face][1][i] * u + faces[face][2][i] * depth;
    }
    for (int32_t f = 0; f < FACES; f++) {
        if (f != face && dot(faces[f][2], v) == size) {
            t->x = (dot(faces[f][0], v) + size - 1) / 2;
            t->y = (dot(faces[f][1], v) + size - 1) / 2;
            t->z += f - face;
            break;
        }
    }
    return true;
}

static float along(const int8_t axis[3], const float v[3])
{
    return (float)axis[0] * v[0] + (float)axis[1] * v[1] + (float)axis[2] * v[2];
}

struct lull_cube_point lull_cube_point(const float direction[3], const float d[2][3])
{
    const float x = fabsf(direction[0]), y = fabsf(direction[1]), z = fabsf(direction[2]);
    const unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    struct lull_cube_point p = {.face = 2 * axis + (signbit(direction[axis]) != 0 ? 1 : 0)};
    const double depth = (double)along(faces[p.face][2], direction);
    for (unsigned k = 0; k < 2; k++) {
        const double at = (double)along(faces[p.face][k], direction);
        p.coord[k] = (float)(0.5 * at / depth + 0.5);
        for (unsigned dir = 0; dir < 2; dir++) {
            const double da = (double)along(faces[p.face][k], d[dir]),
                         dd = (double)along(faces[p.face][2], d[dir]);
            p.d[dir][k] = (float)(0.5 * (depth * da - at * dd) / (depth * depth));
        }
    }
    return p;
}

/** The texel that @p at of the axes is. False: it is none, beyond a corner. */
static bool place(const struct lull_spot *s, const struct axis a[3], const int64_t at[3],
                  struct lull_tap *tap)
{
    if (s->cube) {
        return around_edge(a[0].size, at[0], at[1], tap);
    }
    int32_t i[3] = {0};
    for (unsigned d = 0; d < s->dims; d++) {
        i[d] = wrap(&a[d], at[d]);
        tap->border |= i[d] < 0;
    }
    tap->x = i[0];
    tap->y = i[1];
    tap->z = s->dims == 3 ? i[2] : tap->z;
    return true;
}

static void axes_of(const struct lull_spot *s, struct axis a[3])
{
    for (unsigned d = 0; d < 3; d++) {
        a[d] = d < s->dims ? axis_of(s, d) : (struct axis){.size = 1};
    }
}

unsigned lull_taps(const struct lull_spot *s, struct lull_tap ret[LULL_TAPS])
{
    struct axis a[3];
    unsigned n = 0, none = 0; // none: axes whose second texel weighs nothing
    double lost = 0;
    axes_of(s, a);
    for (unsigned d = 0; !s->cube && d < 3; d++) {
        none |= (a[d].fraction == 0 ? 1u : 0u) << d;
    }
    for (unsigned k = 0; k < LULL_TAPS; k++) {
        if ((k & none) != 0) {
            continue;
        }
        double weight = 1;
        int64_t at[3] = {0};
        for (unsigned d = 0; d < 3; d++) {
            const unsigned second = k >> d & 1;
            at[d] = a[d].first + second;
            weight *= (second != 0 ? a[d].fraction : LULL_SAMPLE_ONE - a[d].fraction);
        }
        weight /= one * one * one;
        ret[n] = (struct lull_tap){.z = s->slice, .weight = weight};
        if (weight <= 0 && !s->cube) {
            continue;
        }
        if (place(s, a, at, &ret[n])) {
            n += weight > 0 || (s->linear[0] && k < 4);
        } else {
            lost += weight;
        }
    }
    for (unsigned i = 0; i < n && lost > 0; i++) {
        ret[i].weight += lost / n;
    }
    return n;
}

void lull_taps_square(const struct lull_spot *s, bool row, struct lull_tap ret[4])
{
    static const uint8_t square[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct axis a[3];
    axes_of(s, a);
    for (unsigned i = 0; i < 4; i++) {
        int64_t at[3] = {a[0].first + (row ? i : square[i][0]),
                         a[1].first + (row ? 0 : square[i][1]), a[2].first};
        ret[i] = (struct lull_tap){.z = s->slice, .weight = 1};
        if (!place(s, a, at, &ret[i])) {
            at[0] = at[0] < 0 ? 0 : at[0] >= a[0].size ? a[0].size - 1 : at[0];
            at[1] = at[1] < 0 ? 0 : at[1] >= a[1].size ? a[1].size - 1 : at[1];
            (void)place(s, a, at, &ret[i]);
        }
    }
}

double lull_taps_reduce(unsigned reduction, const double *v, const double *weight, unsigned n)
{
    double r = n == 0 || reduction == LULL_REDUCE_MEAN ? 0 : v[0];
    for (unsigned i = 0; i < n; i++) {
        if (reduction == LULL_REDUCE_MEAN) {
            r += v[i] * weight[i];
        } else if (weight[i] > 0) {
            r = reduction == LULL_REDUCE_MINIMUM ? fmin(r, v[i]) : fmax(r, v[i]);
        }
    }
    return r;
}

bool lull_taps_compare(unsigned func, double reference, double texel)
{
    enum { NOT_EQUAL = 5, ALWAYS = 7 };
    if (isnan(reference) || isnan(texel)) {
        return func == ALWAYS || func == NOT_EQUAL;
    }
    return ((func & 1) != 0 && reference < texel) ||
           ((func & 2) != 0 && reference >= texel && reference <= texel) ||
           ((func & 4) != 0 && reference > texel);
}
