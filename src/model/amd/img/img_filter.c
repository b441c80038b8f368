// SPDX-License-Identifier: MIT
// Which texels a coordinate means, and their weights.
#include <math.h>

#include "model/amd/img/img.h"
#include "model/fp/fp_host.h"

enum { MAX_TAPS = 8, FACES = 6 };

static const double limit = 0x1p30; // Texels; beyond is as far away.
static const double one = LULL_IMG_ONE;

/** Values of CLAMP_X, Y, Z. Source: RDNA3 ISA guide 10.6. */
enum clamp {
    WRAP,
    MIRROR,
    EDGE,
    MIRROR_ONCE_EDGE,
    HALF_BORDER,
    MIRROR_ONCE_HALF_BORDER,
    BORDER,
    MIRROR_ONCE_BORDER,
};

/** A texel that takes part. */
struct tap {
    struct lull_img_texel t;
    double weight;
    bool border;
};

/** One axis of a coordinate: texels first and first + 1, the second weighing @p fraction. */
struct axis {
    int64_t first;
    uint32_t fraction; // Of LULL_IMG_ONE; 0 for points.
    int32_t size;
    enum clamp mode;
    bool linear;
};

/** Texels from the corner of the level, in double. */
static double texels(const struct lull_img *g, float coord, unsigned d, const struct axis *a)
{
    const bool normal = !g->in->unorm && !g->sampler.unnormalized;
    const double size = a->size;
    double u = (double)coord;
    if (isnan(u)) {
        return 0;
    }
    u -= g->cube && d < 2 ? 1 : 0; // v_cube_sc and _tc are made to lie in 1 to 2.
    const double period = normal ? 2 : 2 * size;
    if (isinf(u) == 0 && (a->mode == WRAP || a->mode == MIRROR) && fabs(u) >= period) {
        u = fmod(u, period);
    }
    u *= normal || g->cube ? size : 1;
    u = u > limit ? limit : u < -limit ? -limit : u;
    if (a->mode == MIRROR_ONCE_HALF_BORDER) {
        u = fabs(u);
    }
    if (a->mode == HALF_BORDER || a->mode == MIRROR_ONCE_HALF_BORDER) {
        u = u < 0 ? 0 : u > size ? size : u;
    }
    return u;
}

static struct axis axis_of(const struct lull_img *g, const struct lull_img_point *p, unsigned d,
                           int32_t size, bool linear)
{
    struct axis a = {.size = size, .mode = (enum clamp)g->sampler.clamp[d], .linear = linear};
    if (g->cube && !g->sampler.disable_cube_wrap) {
        a.mode = BORDER; // Only so that the coordinate is left as it is.
    }
    const double u = texels(g, p->coord[d], d, &a);
    if (!linear && g->sampler.trunc_coord) {
        a.first = (int64_t)floor(u) + p->offset[d];
        return a;
    }
    int64_t fixed = (int64_t)floor(u * one + 0.5);
    fixed -= linear ? LULL_IMG_ONE / 2 : 0;
    a.fraction = linear ? (uint32_t)(fixed & (LULL_IMG_ONE - 1)) : 0;
    a.first = (fixed >> LULL_IMG_FRACTION) + p->offset[d];
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
    const bool mirrored = a->mode == MIRROR_ONCE_EDGE || a->mode == MIRROR_ONCE_HALF_BORDER ||
                          a->mode == MIRROR_ONCE_BORDER;
    if (mirrored && i < 0) {
        i = -1 - i;
    }
    const bool inside = i >= 0 && i <= last;
    if (inside) {
        return (int32_t)i;
    }
    switch (a->mode) {
    case WRAP:
        return (int32_t)modulo(i, size);
    case MIRROR:
        i = modulo(i, 2 * size);
        return (int32_t)(i <= last ? i : 2 * size - 1 - i);
    case HALF_BORDER:
    case MIRROR_ONCE_HALF_BORDER:
        if (a->linear) {
            return -1;
        }
        break;
    case BORDER:
    case MIRROR_ONCE_BORDER:
        return -1;
    case EDGE:
    case MIRROR_ONCE_EDGE:
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
static bool around_edge(int32_t size, int64_t x, int64_t y, struct lull_img_texel *t)
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

/** The texel that @p x, @p y, @p z of the axes are. False: it is none, beyond a corner. */
static bool place(const struct lull_img *g, const struct axis a[3], const int64_t at[3],
                  struct tap *tap)
{
    if (g->cube && !g->sampler.disable_cube_wrap) {
        return around_edge(a[0].size, at[0], at[1], &tap->t);
    }
    int32_t i[3] = {0};
    for (unsigned d = 0; d < g->dims; d++) {
        i[d] = wrap(&a[d], at[d]);
        tap->border |= i[d] < 0;
    }
    tap->t.x = i[0];
    tap->t.y = i[1];
    tap->t.z = g->dims == 3 ? i[2] : tap->t.z;
    return true;
}

/** Axes of @p p at @p level. False: no such level. */
static bool axes_of(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool linear,
                    struct axis a[3])
{
    const struct lull_extent *e = lull_img_extent(g, level);
    if (e == NULL) {
        return false;
    }
    const uint32_t size[3] = {e->width, e->height, e->depth};
    for (unsigned d = 0; d < 3; d++) {
        const bool z = d == 2 && g->sampler.z_filter != 0;
        a[d] = (struct axis){.size = 1};
        if (d < g->dims) {
            a[d] = axis_of(g, p, d, (int32_t)size[d], z ? g->sampler.z_filter == 2 : linear);
        }
    }
    return true;
}

/** Texels of @p p with weights that are not 0. @return how many. */
static unsigned find_taps(struct lull_img *g, const struct lull_img_point *p, int32_t level,
                          bool linear, struct tap tap[MAX_TAPS])
{
    struct axis a[3];
    unsigned n = 0;
    double lost = 0;
    if (!axes_of(g, p, level, linear, a)) {
        return 0;
    }
    unsigned none = 0; // axes whose second texel weighs nothing
    for (unsigned d = 0; !g->cube && d < 3; d++) {
        none |= (a[d].fraction == 0 ? 1u : 0u) << d;
    }
    for (unsigned k = 0; k < MAX_TAPS; k++) {
        if ((k & none) != 0) {
            continue;
        }
        double weight = 1;
        int64_t at[3] = {0};
        for (unsigned d = 0; d < 3; d++) {
            const unsigned second = k >> d & 1;
            at[d] = a[d].first + second;
            weight *= (second != 0 ? a[d].fraction : LULL_IMG_ONE - a[d].fraction);
        }
        weight /= one * one * one;
        tap[n] = (struct tap){.t = {.z = p->slice, .level = level}, .weight = weight};
        if (weight <= 0 && !g->cube) {
            continue;
        }
        if (place(g, a, at, &tap[n])) {
            n += weight > 0 || (linear && k < 4);
        } else {
            lost += weight;
        }
    }
    for (unsigned i = 0; i < n && lost > 0; i++) {
        tap[i].weight += lost / n;
    }
    return n;
}

/** The guide's table of DEPTH_COMPARE_FUNC is a set of bits: 1 less, 2 equal, 4 greater. */
static bool compare(unsigned func, double ref, double texel)
{
    return ((func & 1) != 0 && ref < texel) || ((func & 2) != 0 && ref >= texel && ref <= texel) ||
           ((func & 4) != 0 && ref > texel);
}

static double as_double(const struct lull_img *g, uint32_t bits)
{
    if (lull_img_is_float(g)) {
        return (double)lull_f32_value(bits);
    }
    return g->format.kind == LULL_FORMAT_SINT ? (double)(int32_t)bits : (double)bits;
}

static double compared(const struct lull_img *g, const struct lull_img_point *p, uint32_t x)
{
    double ref = (double)p->reference;
    if (g->format.kind == LULL_FORMAT_UNORM) {
        ref = ref > 0 ? ref < 1 ? ref : 1 : 0;
    }
    const double texel = as_double(g, x);
    const bool unordered = isnan(ref) || isnan(texel);
    return unordered ? g->sampler.compare == 7 || g->sampler.compare == 5
                     : compare(g->sampler.compare, ref, texel);
}

static void fetch(struct lull_img *g, const struct lull_img_point *p, const struct tap *tap,
                  uint32_t rgba[4])
{
    if (tap->border) {
        memcpy(rgba, g->border, sizeof(g->border));
    } else {
        lull_img_fetch(g, p->lane, &tap->t, rgba);
    }
}

double lull_img_reduce(const struct lull_img *g, const double *v, const double *weight, unsigned n)
{
    enum { BLEND, MINIMUM };
    double r = n == 0 || g->sampler.filter_mode == BLEND ? 0 : v[0];
    for (unsigned i = 0; i < n; i++) {
        if (g->sampler.filter_mode == BLEND) {
            r += v[i] * weight[i];
        } else if (weight[i] > 0) {
            r = g->sampler.filter_mode == MINIMUM ? fmin(r, v[i]) : fmax(r, v[i]);
        }
    }
    return r;
}

void lull_img_filter(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool linear,
                     double rgba[4])
{
    struct tap tap[MAX_TAPS];
    double v[4][MAX_TAPS], weight[MAX_TAPS]; // as many as are used are written
    const unsigned n = find_taps(g, p, level, linear, tap);
    unsigned used = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits[4] = {0};
        if (tap[i].weight <= 0) {
            continue;
        }
        fetch(g, p, &tap[i], bits);
        weight[used] = tap[i].weight;
        if (g->at.compare != LULL_IMG_NONE) {
            v[0][used] = compared(g, p, bits[0]);
            v[1][used] = v[2][used] = 0;
            v[3][used] = 1;
        } else {
            for (unsigned c = 0; c < 4; c++) {
                v[c][used] = as_double(g, bits[c]);
            }
        }
        used++;
    }
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = lull_img_reduce(g, v[c], weight, used);
    }
}

void lull_img_point_bits(struct lull_img *g, const struct lull_img_point *p, int32_t level,
                         uint32_t rgba[4])
{
    struct tap tap[MAX_TAPS];
    memset(rgba, 0, 4 * sizeof(rgba[0]));
    if (find_taps(g, p, level, false, tap) > 0) {
        fetch(g, p, &tap[0], rgba);
    }
}

void lull_img_gather(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool row,
                     uint32_t ret[4])
{
    // From lower left against the clock: as Vulkan, "Texel gathering".
    static const uint8_t square[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const unsigned c = g->in->dmask == 0 ? 0 : (unsigned)__builtin_ctz(g->in->dmask);
    struct axis a[3];
    memset(ret, 0, 4 * sizeof(ret[0]));
    if (!axes_of(g, p, level, true, a)) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        struct tap tap = {.t = {.z = p->slice, .level = level}};
        int64_t at[3] = {a[0].first + (row ? i : square[i][0]),
                         a[1].first + (row ? 0 : square[i][1]), a[2].first};
        uint32_t bits[4] = {0}, value[4] = {0};
        if (!place(g, a, at, &tap)) {
            at[0] = at[0] < 0 ? 0 : at[0] >= a[0].size ? a[0].size - 1 : at[0];
            at[1] = at[1] < 0 ? 0 : at[1] >= a[1].size ? a[1].size - 1 : at[1];
            place(g, a, at, &tap);
        }
        fetch(g, p, &tap, bits);
        if (g->at.compare != LULL_IMG_NONE) {
            bits[0] = lull_f32_bits((float)compared(g, p, bits[0]));
        }
        lull_dst_select(&g->format, g->desc.dst_sel, bits, value);
        ret[i] = value[c];
    }
}
