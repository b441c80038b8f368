// SPDX-License-Identifier: MIT
#include "front/texel/texel.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/texel/priv.h"

enum { FACES = 6, WIDE = 64 };

/** The texel that READ, WRITE and PLACE mean. */
static struct lull_texel_at place_of(const struct lull_ev_image *io)
{
    struct lull_texel_at at = {.x = io->at[0], .level = io->level, .sample = (uint32_t)io->sample};
    const bool sliced = io->type->arrayed || io->type->dim == SpvDimCube;
    at.y = io->spatial > 1 ? io->at[1] : 0;
    at.z = io->spatial > 2 ? io->at[2] : sliced ? io->at[io->spatial] : 0;
    return at;
}

static void write_image(struct lull_texel_work *w, const struct lull_texel_at *at,
                        const struct lull_ev_image *io)
{
    uint32_t rgba[4] = {0};
    uint8_t texel[16] = {0};
    uint64_t va = 0;
    if (!lull_format_writable(&w->format)) {
        lull_texel_note(
            w, lull_error_new(LULL_ERR_UNSUPPORTED, "a store of texels of %s", w->format.name));
        return;
    }
    if (!lull_texel_va(w, at, &va)) {
        return;
    }
    if (!lull_texel_is_open(w, at, texel)) {
        lull_texel_note(
            w, lull_error_new(LULL_ERR_UNSUPPORTED, "a store into an image that is compressed"));
        return;
    }
    lull_dst_unselect(w->t->image.dst_sel, io->v, rgba);
    memcpy(rgba, io->bits == WIDE ? io->v : rgba, sizeof rgba);
    lull_format_pack(&w->format, rgba, texel);
    lull_texel_note(w, w->memory->write(w->memory->arg, va, texel, w->format.bytes));
}

static void size_of(struct lull_texel_work *w, struct lull_ev_image *io)
{
    struct lull_extent e = {0};
    memset(io->v, 0, sizeof io->v);
    if (lull_texel_level(w, io->level, &e) == NULL) {
        return;
    }
    const uint32_t layers = io->type->dim == SpvDimCube ? w->slices / FACES : w->slices;
    const uint32_t size[3] = {e.width, e.height, e.depth};
    memcpy(io->v, size, sizeof size);
    if (io->type->arrayed) {
        io->v[io->spatial] = layers;
    }
}

static void access_image(struct lull_texel_work *w, struct lull_ev_image *io)
{
    const struct lull_texel_at at = place_of(io);
    uint32_t rgba[4] = {0};
    switch (io->what) {
    case LULL_EV_IMAGE_READ:
        lull_texel_fetch(w, &at, rgba);
        lull_dst_select(&w->format, w->t->image.dst_sel, rgba, io->v);
        memcpy(io->v, io->bits == WIDE ? rgba : io->v, sizeof io->v);
        return;
    case LULL_EV_IMAGE_WRITE:
        write_image(w, &at, io);
        return;
    case LULL_EV_IMAGE_PLACE:
        io->end = lull_texel_va(w, &at, &io->va) ? io->va + w->format.bytes : 0;
        return;
    case LULL_EV_IMAGE_SAMPLE:
    case LULL_EV_IMAGE_GATHER:
        lull_texel_sample(w, io);
        return;
    case LULL_EV_IMAGE_SIZE:
        size_of(w, io);
        return;
    case LULL_EV_IMAGE_LEVELS:
        io->v[0] = w->levels > 0 ? (uint32_t)w->levels : 0;
        return;
    case LULL_EV_IMAGE_SAMPLES:
        io->v[0] = w->t->image.samples;
        return;
    }
}

/** Texel buffers: the descriptor's format, elements of its stride. */
static void access_buffer(struct lull_texel_work *w, struct lull_ev_image *io)
{
    const struct lull_buffer_desc *b = &w->t->buffer;
    const uint64_t bytes = lull_buffer_size(b),
                   stride = b->stride != 0 ? b->stride : w->format.bytes;
    const uint64_t n = stride != 0 ? bytes / stride : 0, i = (uint32_t)io->at[0];
    const uint64_t va = b->base + i * stride;
    uint32_t rgba[4] = {0};
    uint8_t texel[16] = {0};
    switch ((int)io->what) {
    case LULL_EV_IMAGE_READ:
        if (i < n) {
            lull_texel_note(w, w->memory->read(w->memory->arg, va, texel, w->format.bytes));
        }
        lull_format_unpack(&w->format, texel, rgba);
        lull_dst_select(&w->format, b->dst_sel, rgba,
                        io->v); // outside, too: what is not there is 1
        memcpy(io->v, io->bits == WIDE ? rgba : io->v, sizeof io->v);
        return;
    case LULL_EV_IMAGE_WRITE:
        lull_dst_unselect(b->dst_sel, io->v, rgba);
        lull_format_pack(&w->format, io->bits == WIDE ? io->v : rgba, texel);
        if (i < n) {
            lull_texel_note(w, w->memory->write(w->memory->arg, va, texel, w->format.bytes));
        }
        return;
    case LULL_EV_IMAGE_PLACE:
        io->va = va;
        io->end = i < n ? va + w->format.bytes : 0;
        return;
    case LULL_EV_IMAGE_SIZE:
        io->v[0] = (uint32_t)n;
        return;
    default:
        lull_texel_note(w, lull_error_new(LULL_ERR_BAD_DATA, "a texel buffer is not sampled"));
    }
}

/** What the sampler wants of sRGB. */
static void convert_format(struct lull_texel_work *w, const struct lull_ev_image *io)
{
    const struct lull_sampler_desc *s = &w->t->sampler;
    const bool samples = io->what == LULL_EV_IMAGE_SAMPLE || io->what == LULL_EV_IMAGE_GATHER;
    for (unsigned c = 0; samples && c < 3; c++) {
        uint8_t *kind = &w->format.component[c].kind;
        if (s->skip_degamma && *kind == LULL_FORMAT_SRGB) {
            *kind = LULL_FORMAT_UNORM;
        } else if (s->force_degamma && *kind == LULL_FORMAT_UNORM &&
                   w->format.component[c].bits == 8) {
            *kind = LULL_FORMAT_SRGB;
        }
    }
}

struct lull_error *lull_texel_do(const struct lull_texel *t, const struct lull_texel_memory *memory,
                                 struct lull_ev_image *io)
{
    struct lull_texel_work w = {.t = t, .memory = memory};
    const struct lull_image_desc *d = &t->image;
    if (t->kind == LULL_TEXEL_BUFFER) {
        if (t->buffer.format == NULL || !lull_format_writable(t->buffer.format)) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "a texel buffer of such a format");
        }
        w.format = *t->buffer.format;
        access_buffer(&w, io);
        return w.err;
    }
    const enum lull_tex_status status = lull_image_check(d);
    if (status == LULL_TEX_NULL) {
        memset(io->v, 0, sizeof io->v);
        return NULL;
    }
    if (status != LULL_TEX_OK) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s", lull_tex_status_text(status));
    }
    const bool cube = d->type == LULL_IMAGE_CUBE;
    const bool flat = d->type == LULL_IMAGE_1D || d->type == LULL_IMAGE_1D_ARRAY;
    w.format = *d->format;
    w.dims = d->type == LULL_IMAGE_3D ? 3 : flat ? 1 : 2;
    w.slices = cube || lull_image_is_array(d) ? d->last_slice - d->first_slice + 1 : 1;
    w.levels = lull_image_is_msaa(d) ? 1 : d->last_level - d->base_level + 1;
    convert_format(&w, io);
    access_image(&w, io);
    return w.err;
}
