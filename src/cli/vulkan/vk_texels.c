// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_texels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/error.h"

/** An image: linear, with all its levels. */
struct image {
    struct lull_image_desc desc;
    uint8_t *bytes; ///< Owned; NULL: the resource is none.
    size_t size;
};

struct lull_vk_texels {
    const struct lull_vk_case *c;
    struct image *images; ///< By resource. Owned.
};

enum { SEL_X = LULL_DST_SEL_X, SEL_Y, SEL_Z, SEL_W, ZERO = LULL_DST_SEL_0, ONE = LULL_DST_SEL_1 };

/** Names of formats, here and in data/fmt/gfx11.fmt; which component is which, if not X Y Z W. */
static const struct row {
    const char *name, *own;
    uint8_t sel[4];
} rows[] = {
    {"r8", "8_UNORM", {0}},
    {"r8_snorm", "8_SNORM", {0}},
    {"r8ui", "8_UINT", {0}},
    {"r8i", "8_SINT", {0}},
    {"rg8", "8_8_UNORM", {0}},
    {"rg8_snorm", "8_8_SNORM", {0}},
    {"rg8ui", "8_8_UINT", {0}},
    {"rg8i", "8_8_SINT", {0}},
    {"rgba8", "8_8_8_8_UNORM", {0}},
    {"rgba8_snorm", "8_8_8_8_SNORM", {0}},
    {"rgba8ui", "8_8_8_8_UINT", {0}},
    {"rgba8i", "8_8_8_8_SINT", {0}},
    {"r16", "16_UNORM", {0}},
    {"r16_snorm", "16_SNORM", {0}},
    {"r16ui", "16_UINT", {0}},
    {"r16i", "16_SINT", {0}},
    {"r16f", "16_FLOAT", {0}},
    {"rg16", "16_16_UNORM", {0}},
    {"rg16_snorm", "16_16_SNORM", {0}},
    {"rg16ui", "16_16_UINT", {0}},
    {"rg16i", "16_16_SINT", {0}},
    {"rg16f", "16_16_FLOAT", {0}},
    {"rgba16", "16_16_16_16_UNORM", {0}},
    {"rgba16_snorm", "16_16_16_16_SNORM", {0}},
    {"rgba16ui", "16_16_16_16_UINT", {0}},
    {"rgba16i", "16_16_16_16_SINT", {0}},
    {"rgba16f", "16_16_16_16_FLOAT", {0}},
    {"r32f", "32_FLOAT", {0}},
    {"r32ui", "32_UINT", {0}},
    {"r32i", "32_SINT", {0}},
    {"rg32f", "32_32_FLOAT", {0}},
    {"rg32ui", "32_32_UINT", {0}},
    {"rg32i", "32_32_SINT", {0}},
    {"rgba32f", "32_32_32_32_FLOAT", {0}},
    {"rgba32ui", "32_32_32_32_UINT", {0}},
    {"rgba32i", "32_32_32_32_SINT", {0}},
    {"r64ui", "32_32_UINT", {0}},
    {"r64i", "32_32_SINT", {0}},
    {"srgb8_a8", "8_8_8_8_SRGB", {0}},
    {"rgb10_a2", "2_10_10_10_UNORM", {0}},
    {"rgb10_a2ui", "2_10_10_10_UINT", {0}},
    {"r11f_g11f_b10f", "10_11_11_FLOAT", {0}},
    {"rgb9_e5", "5_9_9_9_FLOAT", {0}},
    {"d16", "16_UNORM", {0}},
    {"d32f", "32_FLOAT", {0}},
    {"bgra8", "8_8_8_8_UNORM", {SEL_Z, SEL_Y, SEL_X, SEL_W}},
    {"bgra8_srgb", "8_8_8_8_SRGB", {SEL_Z, SEL_Y, SEL_X, SEL_W}},
    {"r5g6b5", "5_6_5_UNORM", {SEL_Z, SEL_Y, SEL_X, ONE}},
    {"rgba4", "4_4_4_4_UNORM", {SEL_W, SEL_Z, SEL_Y, SEL_X}},
    {"a1rgb5", "1_5_5_5_UNORM", {SEL_Z, SEL_Y, SEL_X, SEL_W}},
};

/** The format, and where its components come from: those that it has not are 0, 0, 1. */
LULL_MUST_USE static struct lull_error *format_of(const struct lull_vk_resource *r,
                                                  const struct lull_format_info **ret,
                                                  uint8_t sel[4])
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (r->format == NULL || strcmp(rows[i].name, r->format->name) != 0) {
            continue;
        }
        *ret = lull_format_by_name(rows[i].own);
        for (unsigned c = 0; c < 4 && *ret != NULL; c++) {
            const uint8_t s = rows[i].sel[0] != 0 ? rows[i].sel[c] : (uint8_t)(SEL_X + c);
            const bool there = s < SEL_X || (*ret)->component[s & 3].bits != 0;
            sel[c] = there ? s : c == 3 ? ONE : ZERO;
        }
        return *ret != NULL
                   ? NULL
                   : lull_error_new(LULL_ERR_UNSUPPORTED, "%s: no format %s", r->name, rows[i].own);
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: the interpreter has no such format", r->name);
}

static struct lull_image_desc desc_of(const struct lull_vk_image *i,
                                      const struct lull_format_info *f, uint8_t type)
{
    struct lull_image_desc d = {.format = f,
                                .format_code = f->code,
                                .type = type,
                                .width = i->width,
                                .height = i->height,
                                .depth = i->depth,
                                .last_slice = i->layers - 1,
                                .last_level = (uint8_t)(i->mips - 1),
                                .max_mip = (uint8_t)(i->mips - 1),
                                .samples = 1};
    return d;
}

/** By what the image was made as. */
static uint8_t type_of(const struct lull_vk_image *i)
{
    return i->dims == 3 ? LULL_IMAGE_3D : i->dims == 1 ? LULL_IMAGE_1D_ARRAY : LULL_IMAGE_2D_ARRAY;
}

/** Copy between the case's bytes, which are packed, and memory. */
static void copy(const struct lull_vk_resource *r, const struct image *image, bool in)
{
    const struct lull_image_desc *d = &image->desc;
    const uint32_t bytes = d->format->bytes;
    size_t at = 0;
    for (unsigned level = 0; level < r->image.mips; level++) {
        struct lull_tiling t = {0};
        const struct lull_extent e = lull_image_extent(d, level);
        const uint32_t slices = e.depth, rows_of = e.height;
        if (lull_tiling_prepare(d, level, &t) != LULL_TEX_OK) {
            return;
        }
        for (uint32_t row = 0; row < slices * rows_of; row++) {
            for (uint32_t x = 0; x < e.width && r->size - at >= bytes; x++, at += bytes) {
                const uint64_t to =
                    lull_tiling_texel_va(&t, x, row % rows_of, row / rows_of, 0) - d->base;
                memcpy(in ? image->bytes + to : r->bytes + at,
                       in ? r->bytes + at : image->bytes + to, bytes);
            }
        }
    }
}

LULL_MUST_USE static struct lull_error *add(struct lull_vk_texels *t, size_t i)
{
    const struct lull_vk_resource *r = &t->c->resources[i];
    struct image *image = &t->images[i];
    const struct lull_format_info *f = NULL;
    struct lull_tiling tiling = {0};
    uint8_t sel[4] = {0};
    struct lull_error *err = format_of(r, &f, sel);
    if (err == NULL && r->image.samples > 1) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "%s: an image with samples is for pipelines",
                             r->name);
    }
    if (err != NULL) {
        return err;
    }
    image->desc = desc_of(&r->image, f, type_of(&r->image));
    memcpy(image->desc.dst_sel, sel, sizeof sel);
    const enum lull_tex_status status = lull_tiling_prepare(&image->desc, 0, &tiling);
    if (status != LULL_TEX_OK) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: %s", r->name,
                              lull_tex_status_text(status));
    }
    image->size = tiling.size;
    image->bytes = calloc(1, image->size);
    if (image->bytes == NULL) {
        return &lull_enomem;
    }
    copy(r, image, true);
    return NULL;
}

struct lull_error *lull_vk_texels_new(const struct lull_vk_case *c, struct lull_vk_texels **ret)
{
    struct lull_vk_texels *t = calloc(1, sizeof *t);
    struct lull_error *err = NULL;
    if (t != NULL) {
        t->c = c;
        t->images = calloc(c->nresources + 1, sizeof *t->images);
    }
    if (t == NULL || t->images == NULL) {
        free(t);
        return &lull_enomem;
    }
    for (size_t i = 0; i < c->nresources && err == NULL; i++) {
        err = c->resources[i].kind == LULL_VK_IMAGE ? add(t, i) : NULL;
    }
    if (err != NULL) {
        lull_vk_texels_free(t);
        return err;
    }
    *ret = t;
    return NULL;
}

void lull_vk_texels_free(struct lull_vk_texels *t)
{
    for (size_t i = 0; t != NULL && i < t->c->nresources; i++) {
        free(t->images[i].bytes);
    }
    free(t != NULL ? t->images : NULL);
    free(t);
}

uint8_t *lull_vk_texels_memory(struct lull_vk_texels *t, size_t i, size_t *ret_size)
{
    *ret_size = t->images[i].size;
    return t->images[i].bytes;
}

void lull_vk_texels_done(struct lull_vk_texels *t)
{
    for (size_t i = 0; i < t->c->nresources; i++) {
        if (t->images[i].bytes != NULL) {
            copy(&t->c->resources[i], &t->images[i], false);
        }
    }
}

/** Index of what is bound to a slot; SIZE_MAX: nothing. */
static size_t find(const struct lull_vk_case *c, const struct lull_ev_slot *s)
{
    for (size_t i = 0; i < c->nresources; i++) {
        const struct lull_vk_resource *r = &c->resources[i];
        if (r->bound && r->set == s->set && r->binding == s->binding && r->element == s->element) {
            return i;
        }
    }
    return SIZE_MAX;
}

/** As gfx11 has it; points are taken down to the texel, as Vulkan wants it. */
static struct lull_sampler_desc sampler_of(const struct lull_vk_sampler *s)
{
    enum { WRAP, MIRROR, EDGE, MIRROR_ONCE, BORDER = 6, ANISO = 2 };
    static const uint8_t wraps[] = {[LULL_VK_REPEAT] = WRAP,
                                    [LULL_VK_MIRROR] = MIRROR,
                                    [LULL_VK_CLAMP] = EDGE,
                                    [LULL_VK_BORDER] = BORDER,
                                    [LULL_VK_MIRROR_ONCE] = MIRROR_ONCE};
    const float most = 4095.0f / 256;
    const uint8_t filter = (uint8_t)(s->linear + (s->aniso > 1 ? ANISO : 0));
    struct lull_sampler_desc d = {.compare = (uint8_t)(s->compare >= 0 ? s->compare : 0),
                                  .mag_filter = filter,
                                  .min_filter = filter,
                                  .mip_filter = s->mip_linear ? 2 : 1,
                                  .border_type = (uint8_t)s->border,
                                  .unnormalized = s->unnormalized,
                                  .trunc_coord = !s->linear && !s->unnormalized,
                                  .min_lod = s->min_lod,
                                  .max_lod = s->max_lod < most ? s->max_lod : most,
                                  .lod_bias = s->bias};
    for (unsigned i = 0; i < 3; i++) {
        d.clamp[i] = wraps[s->wrap[i]];
    }
    while (s->aniso >> (d.max_aniso + 1) != 0 && d.max_aniso < 4) {
        d.max_aniso++;
    }
    return d;
}

/** The view that the shader has. */
static uint8_t view_of(const struct lull_fr_image *i)
{
    switch (i->dim) {
    case SpvDim1D:
        return i->arrayed ? LULL_IMAGE_1D_ARRAY : LULL_IMAGE_1D;
    case SpvDim3D:
        return LULL_IMAGE_3D;
    case SpvDimCube:
        return LULL_IMAGE_CUBE;
    default:
        return i->arrayed ? LULL_IMAGE_2D_ARRAY : LULL_IMAGE_2D;
    }
}

struct lull_error *lull_vk_texels_do(struct lull_vk_texels *t,
                                     const struct lull_texel_memory *memory,
                                     uint64_t (*address)(size_t i), struct lull_ev_image *io)
{
    const bool samples = io->what == LULL_EV_IMAGE_SAMPLE || io->what == LULL_EV_IMAGE_GATHER;
    const size_t i = find(t->c, &io->image), s = samples ? find(t->c, &io->sampler) : i;
    struct lull_texel texel = {0};
    if (i == SIZE_MAX || s == SIZE_MAX) {
        const struct lull_ev_slot *none = i == SIZE_MAX ? &io->image : &io->sampler;
        return lull_error_new(LULL_ERR_INVALID,
                              "nothing is bound to %" PRIu32 ".%" PRIu32 "[%" PRIu32 "]", none->set,
                              none->binding, none->element);
    }
    const struct lull_vk_resource *r = &t->c->resources[i];
    if (r->kind == LULL_VK_TEXELS) {
        const uint64_t rest = r->offset <= r->size ? r->size - r->offset : 0;
        const uint64_t bytes = r->range != 0 && r->range < rest ? r->range : rest;
        struct lull_buffer_desc *b = &texel.buffer;
        struct lull_error *err = format_of(r, &b->format, b->dst_sel);
        const size_t of = r->same != NULL ? (size_t)(r->same - t->c->resources) : i;
        texel.kind = LULL_TEXEL_BUFFER;
        b->base = address(of) + r->offset;
        b->stride = r->format->bytes;
        b->records = (uint32_t)(bytes / r->format->bytes);
        return err != NULL ? err : lull_texel_do(&texel, memory, io);
    }
    if (r->kind != LULL_VK_IMAGE) {
        return lull_error_new(LULL_ERR_INVALID, "%s: not an image", r->name);
    }
    texel.image = t->images[i].desc;
    texel.image.base = address(i);
    texel.image.type = view_of(io->type);
    texel.sampler = sampler_of(&t->c->resources[s].sampler);
    return lull_texel_do(&texel, memory, io);
}
