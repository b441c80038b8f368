// SPDX-License-Identifier: MIT
#include "model/raster/raster.h"

#include <math.h>

static double at(const struct lull_raster_plane *p, double x, double y)
{
    return p->a * x + p->b * y + p->c;
}

float lull_raster_depth_at(const struct lull_raster_prim *p, double x, double y)
{
    const float z = (float)at(&p->z, x - p->origin[0], y - p->origin[1]);
    return fminf(fmaxf(z, p->zmin), p->zmax);
}

void lull_raster_at(const struct lull_raster_prim *p, double x, double y,
                    struct lull_raster_point *ret)
{
    x -= p->origin[0];
    y -= p->origin[1];
    const double i_w = at(&p->i_w, x, y);
    const double j_w = at(&p->j_w, x, y);
    const double one_w = at(&p->one_w, x, y);
    *ret = (struct lull_raster_point){
        .i = (float)(i_w / one_w),
        .j = (float)(j_w / one_w),
        .i_linear = (float)at(&p->i, x, y),
        .j_linear = (float)at(&p->j, x, y),
        .i_w = (float)i_w,
        .j_w = (float)j_w,
        .one_w = (float)one_w,
        .s = (float)at(&p->s, x, y),
        .t = (float)at(&p->t, x, y),
        .z = (float)at(&p->z, x, y),
    };
}
