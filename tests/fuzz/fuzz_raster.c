// SPDX-License-Identifier: MIT
/** @file
 * Any bits as a state and vertices: set-up and coverage end, no sum overflows (the sanitizer sees),
 * quads stand in the scissor, and parts are as the header says.
 *
 * Input: a shape, a state and three vertices, in big-endian dwords as they are read below,
 * repeated.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/raster/raster.h"

enum { MAX_SIDE = 300, QUADS = 64 };

struct input {
    const uint8_t *data;
    size_t size, at;
};

static uint32_t next(struct input *in)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++) {
        v = v << 8 | (in->size == 0 ? 0 : in->data[in->at++ % in->size]);
    }
    return v;
}

static float next_float(struct input *in)
{
    const uint32_t bits = next(in);
    float f = 0;
    memcpy(&f, &bits, sizeof(f));
    return f;
}

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

// Flags are bits of one dword: a byte that is neither 0 nor 1 is not a bool.
static void flags(struct input *in, struct lull_raster_state *s)
{
    const uint32_t f = next(in);
    s->no_clip = f & 1;
    s->z_zero_to_one = f >> 1 & 1;
    s->clip_near = f >> 2 & 1;
    s->clip_far = f >> 3 & 1;
    s->window_coords = f >> 4 & 1;
    s->w_is_reciprocal = f >> 5 & 1;
    s->front_clockwise = f >> 6 & 1;
    s->cull_front = (f >> 7 & 7) == 0;
    s->cull_back = (f >> 10 & 7) == 0;
    s->fill_front = (enum lull_raster_fill)((f >> 13 & 3) % 3);
    s->fill_back = (enum lull_raster_fill)((f >> 15 & 3) % 3);
    s->bias_front = f >> 17 & 1;
    s->bias_back = f >> 18 & 1;
    s->bias_para = f >> 19 & 1;
    s->bias_float = f >> 20 & 1;
    s->line_bresenham = f >> 21 & 1;
    s->line_rectangular = f >> 22 & 1;
    s->center_only = f >> 23 & 1;
    s->bias_bits = (uint8_t)(f >> 24);
}

static void state(struct input *in, struct lull_raster_state *s)
{
    float *const floats[] = {&s->viewport.zmin, &s->viewport.zmax, &s->bias_constant,
                             &s->bias_slope[0], &s->bias_slope[1], &s->bias_clamp,
                             &s->line_width,    &s->point_min,     &s->point_max};
    flags(in, s);
    for (unsigned i = 0; i < 3; i++) {
        s->viewport.scale[i] = next_float(in);
        s->viewport.offset[i] = next_float(in);
    }
    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        *floats[i] = next_float(in);
    }
    const uint32_t planes = next(in);
    s->clip_planes = (uint8_t)planes;
    s->cull_planes = (uint8_t)(planes >> 8);
    s->nsamples = (uint8_t)(planes >> 16);
    for (unsigned i = 0; i < LULL_RASTER_SAMPLES; i++) {
        const uint32_t at = next(in);
        s->sample[i][0] = (int8_t)(at & UINT8_MAX);
        s->sample[i][1] = (int8_t)(at >> 8 & UINT8_MAX);
    }
    // No larger than can be covered in time.
    struct lull_raster_box *box = &s->viewport.scissor;
    box->x0 = (int32_t)next(in) >> (next(in) & 31);
    box->y0 = (int32_t)next(in) >> (next(in) & 31);
    const int32_t x = box->x0 < 0 ? 0 : box->x0;
    const int32_t y = box->y0 < 0 ? 0 : box->y0;
    box->x1 = x > INT32_MAX - MAX_SIDE ? INT32_MAX : x + (int32_t)(next(in) % MAX_SIDE);
    box->y1 = y > INT32_MAX - MAX_SIDE ? INT32_MAX : y + (int32_t)(next(in) % MAX_SIDE);
}

static void vertex(struct input *in, struct lull_raster_vertex *v)
{
    for (unsigned i = 0; i < 4; i++) {
        v->pos[i] = next_float(in);
    }
    for (unsigned i = 0; i < LULL_RASTER_PLANES; i++) {
        v->distance[i] = next_float(in);
    }
    v->point_size = next_float(in);
}

static void cover(const struct lull_raster_state *s, const struct lull_raster_prim *p)
{
    const struct lull_raster_box *box = &s->viewport.scissor;
    struct lull_raster_cursor cursor = {0};
    unsigned total = 0;
    check(p->ncorners >= 3 && p->ncorners <= LULL_RASTER_CORNERS);
    check(p->box.x0 >= box->x0 && p->box.x1 <= box->x1 && p->box.x0 < p->box.x1);
    check(p->box.y0 >= box->y0 && p->box.y1 <= box->y1 && p->box.y0 < p->box.y1);
    while (cursor.done == 0) {
        struct lull_raster_quad quad[QUADS];
        const unsigned n = lull_raster_cover(s, p, &cursor, quad, QUADS);
        check(n <= QUADS && (n == QUADS || cursor.done != 0));
        for (unsigned i = 0; i < n; i++) {
            struct lull_raster_point point;
            check(quad[i].mask != 0 && quad[i].x + 1 >= p->box.x0 && quad[i].x < p->box.x1);
            check(quad[i].y + 1 >= p->box.y0 && quad[i].y < p->box.y1);
            lull_raster_at(p, quad[i].x + .5, quad[i].y + .5, &point);
        }
        total += n;
        check(total <= MAX_SIDE * MAX_SIDE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size, 0};
    for (unsigned n = 0; n == 0 || (in.at < size && n < 16); n++) {
        struct lull_raster_state s = {.provoking = 0};
        struct lull_raster_vertex v[3];
        struct lull_raster_prim part[LULL_RASTER_PARTS];
        const enum lull_raster_shape shape = (enum lull_raster_shape)(next(&in) % 4);
        state(&in, &s);
        for (unsigned i = 0; i < 3; i++) {
            vertex(&in, &v[i]);
        }
        const unsigned nparts = lull_raster_setup(&s, shape, v, part);
        check(nparts <= (shape == LULL_RASTER_TRIANGLE ? LULL_RASTER_PARTS : 1));
        for (unsigned i = 0; i < nparts; i++) {
            cover(&s, &part[i]);
        }
    }
    return 0;
}
