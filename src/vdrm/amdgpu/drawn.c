// SPDX-License-Identifier: MIT
// What draws draw: primitives, and how often each pixel is shaded (LULL_CONTROL_DRAWN).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "model/amd/gpu/gpu.h"
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"
#include "vdrm/core/user.h"

enum { CONTEXT = 0x28000 }; // byte of a record's first context register

struct lull_vda_drawn {
    bool alone;       ///< One draw; else all of a surface.
    uint64_t number;  ///< Of that draw.
    uint64_t surface; ///< surface_of() those that count.
    bool counts;      ///< The draw under way does.
    uint32_t width, height;
    struct lull_drawn_pixel *pixels;
    struct lull_drawn_primitive *prims;
    uint64_t nprims;        ///< Ever; the first LULL_NPRIMITIVES are there.
    uint64_t nshaded, most; ///< Pixels shaded, and the most that were before it went back in time.
};

static uint32_t context(const struct lull_draw_record *r, uint32_t offset)
{
    return r->context[(offset - CONTEXT) / 4];
}

/** What tells one surface that is drawn to from another: the base of target 0, or of depth. */
static uint64_t surface_of(const struct lull_draw_record *r)
{
    const bool color = (context(r, LULL_DRAW11_CB_TARGET_MASK) & 0xf) != 0;
    const uint32_t lo = color ? LULL_DRAW11_CB_COLOR0_BASE : LULL_DRAW11_DB_Z_WRITE_BASE;
    const uint32_t hi = color ? LULL_DRAW11_CB_COLOR0_BASE_EXT : LULL_DRAW11_DB_Z_WRITE_BASE_HI;
    return (uint64_t)(context(r, hi) & UINT8_MAX) << 32 | context(r, lo);
}

void lull_vda_drawn_done(struct lull_vda *d)
{
    if (d->drawn != NULL) {
        free(d->drawn->pixels);
        free(d->drawn->prims);
    }
    free(d->drawn);
    d->drawn = NULL;
}

int lull_vda_drawn_set(struct lull_vda *d, const struct lull_control *c)
{
    const uint32_t width = c->value & UINT16_MAX;
    const uint32_t height = c->value >> 16;
    const struct lull_draw_record *r = lull_vda_draw_record(d, c->number);
    if (c->match > 2 || d->gpu.ops->watch_drawn == NULL || (c->match != 0 && r == NULL) ||
        (uint64_t)width * height > LULL_DRAWN_MOST) {
        return -EINVAL;
    }
    lull_vda_drawn_done(d);
    d->gpu.ops->watch_drawn(d->gpu.gpu, c->match != 0);
    if (c->match == 0) {
        return 0;
    }
    struct lull_vda_drawn *n = d->drawn = calloc(1, sizeof *n);
    if (n != NULL) {
        *n = (struct lull_vda_drawn){.alone = c->match == 1,
                                     .number = c->number,
                                     .surface = surface_of(r),
                                     .width = width,
                                     .height = height};
        n->pixels = calloc((size_t)width * height + 1, sizeof *n->pixels);
        n->prims = calloc(LULL_NPRIMITIVES, sizeof *n->prims);
    }
    if (n == NULL || n->pixels == NULL || n->prims == NULL) {
        lull_vda_drawn_done(d);
        d->gpu.ops->watch_drawn(d->gpu.gpu, false);
        return -ENOMEM;
    }
    for (size_t i = 0; i < (size_t)width * height; i++) {
        n->pixels[i].draw = UINT32_MAX;
    }
    return 0;
}

void lull_vda_drawn_begin(struct lull_vda *d, const struct lull_draw_record *r)
{
    const uint32_t at = (LULL_DRAW11_VGT_PRIMITIVE_TYPE - LULL_DRAW_UCONFIG_AT) / 4;
    if (d->drawn != NULL && d->drawn->alone) {
        d->drawn->counts = r->number == d->drawn->number;
    } else if (d->drawn != NULL) {
        d->drawn->counts =
            surface_of(r) == d->drawn->surface &&
            lull_get(r->uconfig[at], LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE_MASK) !=
                LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__RECTLIST;
    }
}

struct lull_vda_drawn_count lull_vda_drawn_counted(const struct lull_vda *d)
{
    const struct lull_vda_drawn *n = d->drawn;
    return n == NULL
               ? (struct lull_vda_drawn_count){0}
               : (struct lull_vda_drawn_count){
                     .of = n, .nprims = n->nprims, .nshaded = n->nshaded, .counts = n->counts};
}

void lull_vda_drawn_count(struct lull_vda *d, const struct lull_vda_drawn_count *c)
{
    if (d->drawn != NULL && d->drawn == c->of) {
        d->drawn->nprims = c->nprims;
        d->drawn->nshaded = c->nshaded;
        d->drawn->counts = c->counts;
    }
}

void lull_vda_on_shaded(void *ctx, const struct lull_gpu_shaded *s)
{
    const struct lull_vda *d = ctx;
    struct lull_vda_drawn *n = d->drawn;
    if (n == NULL || !n->counts || s->layer != 0 || s->x >= n->width || s->y >= n->height) {
        return;
    }
    if (n->nshaded++ < n->most) {
        return; // was counted, before it went back
    }
    n->most = n->nshaded;
    struct lull_drawn_pixel *p = &n->pixels[(size_t)s->y * n->width + s->x];
    p->shaded += p->shaded != UINT32_MAX;
    if (s->written != 0) {
        p->draw = (uint32_t)s->draw;
        p->prim = s->prim;
        p->instance = s->instance;
    }
}

void lull_vda_on_primitive(void *ctx, const struct lull_gpu_primitive *p)
{
    const struct lull_vda *d = ctx;
    struct lull_vda_drawn *n = d->drawn;
    if (n == NULL || !n->counts) {
        return;
    }
    if (n->nprims < LULL_NPRIMITIVES) {
        struct lull_drawn_primitive *to = &n->prims[n->nprims];
        *to = (struct lull_drawn_primitive){.number = n->nprims,
                                            .draw = p->draw,
                                            .prim = p->prim,
                                            .instance = p->instance,
                                            .corners = p->corners};
        memcpy(to->pos, p->pos, sizeof to->pos);
    }
    n->nprims++;
}

/** Whole units of @p all, of which there are @p n. */
static ssize_t read_units(const void *all, uint64_t n, size_t unit, uint64_t buf, size_t size,
                          uint64_t pos)
{
    if (size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    const uint64_t first = pos / unit;
    const uint64_t left = first < n ? n - first : 0;
    const size_t give = (size_t)(left < size / unit ? left : size / unit) * unit;
    return give != 0 && lull_vd_to_user(buf, (const uint8_t *)all + pos, give) != 0 ? -EFAULT
                                                                                    : (ssize_t)give;
}

ssize_t lull_vda_drawn_pixels_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vda_drawn *n = lull_vda_const(f->d)->drawn;
    return n == NULL ? 0
                     : read_units(n->pixels, (uint64_t)n->width * n->height, sizeof n->pixels[0],
                                  buf, size, pos);
}

ssize_t lull_vda_drawn_primitives_read(struct lull_vd_file *f, uint64_t buf, size_t size,
                                       uint64_t pos)
{
    const struct lull_vda_drawn *n = lull_vda_const(f->d)->drawn;
    return n == NULL
               ? 0
               : read_units(n->prims, n->nprims < LULL_NPRIMITIVES ? n->nprims : LULL_NPRIMITIVES,
                            sizeof n->prims[0], buf, size, pos);
}

struct lull_draw_record *lull_vda_draw_record(const struct lull_vda *d, uint64_t number)
{
    return d->draws != NULL && number < d->ndraws && number + LULL_VDA_DRAWS >= d->ndraws
               ? &d->draws[number % LULL_VDA_DRAWS]
               : NULL;
}
