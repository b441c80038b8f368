// SPDX-License-Identifier: MIT
#include "cli/run/pal_bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/desc11_regs.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/img11_regs.h"
#include "hw/samp11_regs.h"
#include "tex/tiling.h"

enum {
    HIGH = 32,
    BASE_SHIFT = 8, // of an image's address
    LOD_FRACTION = 256,
    LOD_MAX = 0xfff,
    SAMPLES_TILED = 27, // SW_MODE 64KB_R_X
};

/** gfx11's name of a format that GLSL calls "rgba16_snorm" and the like: the same by another rule.
 */
LULL_MUST_USE static struct lull_error *plain_format(const struct lull_vk_format *f,
                                                     const struct lull_format_info **ret)
{
    static const struct {
        const char *end, *kind;
    } kinds[] = {{"", "UNORM"}, {"_snorm", "SNORM"}, {"ui", "UINT"}, {"i", "SINT"}, {"f", "FLOAT"}};
    const size_t n = strspn(f->name, "rgba");
    const size_t digits = strspn(f->name + n, "0123456789");
    char name[64] = "";
    size_t at = 0;
    for (size_t i = 0; i < n && i < 4; i++) {
        at += (size_t)snprintf(name + at, sizeof name - at, "%.*s_", (int)digits, f->name + n);
    }
    *ret = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (digits != 0 && strcmp(f->name + n + digits, kinds[i].end) == 0) {
            snprintf(name + at, sizeof name - at, "%s", kinds[i].kind);
            *ret = lull_format_by_name(name);
        }
    }
    return *ret != NULL && (*ret)->components == n
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "format '%s' is not for pipelines", f->name);
}

/** Formats of another form: gfx11's name, and which of its components the shader's are. */
static const struct other {
    const char *name, *of;
    const char *order; ///< By X Y Z W: "zyxw"; 0 and 1 are numbers.
} others[] = {
    {"bgra8", "8_8_8_8_UNORM", "zyxw"},
    {"bgra8_srgb", "8_8_8_8_SRGB", "zyxw"},
    {"srgb8_a8", "8_8_8_8_SRGB", "xyzw"},
    {"rgb10_a2", "2_10_10_10_UNORM", "xyzw"},
    {"rgb10_a2ui", "2_10_10_10_UINT", "xyzw"},
    {"r11f_g11f_b10f", "10_11_11_FLOAT", "xyz1"},
    {"rgb9_e5", "5_9_9_9_FLOAT", "xyz1"},
    {"r5g6b5", "5_6_5_UNORM", "zyx1"},
    {"rgba4", "4_4_4_4_UNORM", "wzyx"},
    {"a1rgb5", "1_5_5_5_UNORM", "zyxw"},
    {"d16", "16_UNORM", "x001"},
    {"d32f", "32_FLOAT", "x001"},
    {"r64ui", "32_32_UINT", "xy01"},
    {"r64i", "32_32_SINT", "xy01"},
};

static const struct other *other_of(const struct lull_vk_format *f)
{
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].name, f->name) == 0) {
            return &others[i];
        }
    }
    return NULL;
}

struct lull_error *lull_pal_color_format(const struct lull_vk_format *f,
                                         const struct lull_format_info **ret, uint32_t *swap,
                                         uint8_t from[4])
{
    static const char all[] = "xyzw";
    const struct other *o = other_of(f);
    struct lull_error *err = NULL;
    if (o != NULL) {
        *ret = lull_format_by_name(o->of);
    } else {
        err = plain_format(f, ret);
    }
    for (uint8_t i = 0; err == NULL && i < 4; i++) {
        const char *at = o != NULL ? strchr(o->order, all[i]) : NULL;
        from[i] = at != NULL ? (uint8_t)(at - o->order) : i;
    }
    const bool four = err == NULL && (*ret)->components == 4;
    *swap = err != NULL || from[0] == 0 ? LULL_DRAW11_CB_COLOR0_INFO__COMP_SWAP__STD
            : from[0] == 2 && four      ? LULL_DRAW11_CB_COLOR0_INFO__COMP_SWAP__ALT
                                        : LULL_DRAW11_CB_COLOR0_INFO__COMP_SWAP__STD_REV;
    return err;
}

/** What shaders read and write: gfx11's format, and the order of components in word 3. */
LULL_MUST_USE static struct lull_error *shader_format(const struct lull_vk_format *f,
                                                      const struct lull_format_info **ret,
                                                      uint32_t *ret_order)
{
    static const char all[] = "xyzw", missing[] = "0001";
    static const uint32_t masks[4] = {
        LULL_DESC11_BUF_WORD3__DST_SEL_X_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_Y_MASK,
        LULL_DESC11_BUF_WORD3__DST_SEL_Z_MASK, LULL_DESC11_BUF_WORD3__DST_SEL_W_MASK};
    const struct other *o = other_of(f);
    struct lull_error *err = NULL;
    if (o != NULL) {
        *ret = lull_format_by_name(o->of);
    } else {
        err = plain_format(f, ret);
    }
    *ret_order = 0;
    for (unsigned i = 0; i < 4 && err == NULL; i++) {
        const char c = o != NULL ? o->order[i] : i < (*ret)->components ? all[i] : missing[i];
        const uint32_t sel = c == '0'   ? LULL_DST_SEL_0
                             : c == '1' ? LULL_DST_SEL_1
                                        : LULL_DST_SEL_X + (uint32_t)(strchr(all, c) - all);
        *ret_order = lull_set(*ret_order, masks[i], sel);
    }
    return err;
}

/** X Y Z W, in word 3 of buffers. */
uint32_t lull_pal_all_channels(void)
{
    uint32_t w = lull_set(0, LULL_DESC11_BUF_WORD3__DST_SEL_X_MASK, LULL_DST_SEL_X);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_Y_MASK, LULL_DST_SEL_X + 1);
    w = lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_Z_MASK, LULL_DST_SEL_X + 2);
    return lull_set(w, LULL_DESC11_BUF_WORD3__DST_SEL_W_MASK, LULL_DST_SEL_X + 3);
}

LULL_MUST_USE static struct lull_error *buffer(const struct lull_vk_resource *r, uint64_t va,
                                               struct lull_pal_binding *b)
{
    const struct lull_format_info *f = lull_format_by_name("32_UINT");
    uint32_t stride = 0, oob = LULL_DESC11_BUF_WORD3__OOB_SELECT__RAW;
    uint32_t order = lull_pal_all_channels();
    if (r->offset > r->size || r->range > r->size - r->offset || r->offset % 4 != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%llu bytes from byte %llu on, of %zu",
                              (unsigned long long)r->range, (unsigned long long)r->offset, r->size);
    }
    uint64_t records = r->range != 0 ? r->range : r->size - r->offset;
    if (r->kind == LULL_VK_TEXELS) {
        struct lull_error *err = shader_format(r->format, &f, &order);
        if (err != NULL) {
            return err;
        }
        stride = f->bytes;
        oob = LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED;
        records /= stride;
    }
    const uint64_t at = va + r->offset;
    b->kind = r->kind == LULL_VK_TEXELS ? LULL_PAL_TEXELS : LULL_PAL_BUFFER;
    b->words[0] = (uint32_t)at;
    b->words[1] = lull_set(0, LULL_DESC11_BUF_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(at >> HIGH));
    b->words[1] = lull_set(b->words[1], LULL_DESC11_BUF_WORD1__STRIDE_MASK, stride);
    b->words[2] = (uint32_t)records; // vk_args.c: at most 1 GiB
    b->words[3] = lull_set(order, LULL_DESC11_BUF_WORD3__FORMAT_MASK, f->code);
    b->words[3] = lull_set(b->words[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK, oob);
    return NULL;
}

static uint32_t lod(float v)
{
    const float scaled = v * LOD_FRACTION;
    return scaled <= 0 ? 0 : scaled >= LOD_MAX ? LOD_MAX : (uint32_t)scaled;
}

LULL_MUST_USE static struct lull_error *sampler(const struct lull_vk_sampler *s, uint32_t *w)
{
    static const uint32_t clamps[] = {
        [LULL_VK_REPEAT] = LULL_SAMP11_WORD0__CLAMP_X__WRAP,
        [LULL_VK_MIRROR] = LULL_SAMP11_WORD0__CLAMP_X__MIRROR,
        [LULL_VK_CLAMP] = LULL_SAMP11_WORD0__CLAMP_X__CLAMP_LAST_TEXEL,
        [LULL_VK_BORDER] = LULL_SAMP11_WORD0__CLAMP_X__CLAMP_BORDER,
        [LULL_VK_MIRROR_ONCE] = LULL_SAMP11_WORD0__CLAMP_X__MIRROR_ONCE_LAST_TEXEL,
    };
    const bool point = !s->linear && !s->unnormalized;
    const uint32_t filter = s->linear ? LULL_SAMP11_WORD2__XY_MAG_FILTER__BILINEAR
                                      : LULL_SAMP11_WORD2__XY_MAG_FILTER__POINT;
    if (s->aniso > 1) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "aniso is not for pipelines");
    }
    w[0] = lull_set(0, LULL_SAMP11_WORD0__CLAMP_X_MASK, clamps[s->wrap[0]]);
    w[0] = lull_set(w[0], LULL_SAMP11_WORD0__CLAMP_Y_MASK, clamps[s->wrap[1]]);
    w[0] = lull_set(w[0], LULL_SAMP11_WORD0__CLAMP_Z_MASK, clamps[s->wrap[2]]);
    w[0] = lull_set(w[0], LULL_SAMP11_WORD0__DEPTH_COMPARE_FUNC_MASK,
                    s->compare >= 0 ? (uint32_t)s->compare : 0);
    w[0] = lull_set(w[0], LULL_SAMP11_WORD0__FORCE_UNNORMALIZED_MASK, s->unnormalized);
    w[0] = lull_set(w[0], LULL_SAMP11_WORD0__TRUNC_COORD_MASK, point); // as Vulkan wants it
    w[1] = lull_set(0, LULL_SAMP11_WORD1__MIN_LOD_MASK, lod(s->min_lod));
    w[1] = lull_set(w[1], LULL_SAMP11_WORD1__MAX_LOD_MASK, lod(s->max_lod));
    w[2] =
        lull_set(0, LULL_SAMP11_WORD2__LOD_BIAS_MASK, (uint32_t)(int32_t)(s->bias * LOD_FRACTION));
    w[2] = lull_set(w[2], LULL_SAMP11_WORD2__XY_MAG_FILTER_MASK, filter);
    w[2] = lull_set(w[2], LULL_SAMP11_WORD2__XY_MIN_FILTER_MASK, filter);
    w[2] = lull_set(w[2], LULL_SAMP11_WORD2__MIP_FILTER_MASK,
                    s->mip_linear ? LULL_SAMP11_WORD2__MIP_FILTER__LINEAR
                                  : LULL_SAMP11_WORD2__MIP_FILTER__POINT);
    w[3] = lull_set(0, LULL_SAMP11_WORD3__BORDER_COLOR_TYPE_MASK, (uint32_t)s->border);
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_samples(const struct lull_vk_image *i)
{
    if (i->samples <= 1) {
        return NULL;
    }
    if ((i->samples & (i->samples - 1)) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%u samples: there are 2, 4 or 8", i->samples);
    }
    if (i->dims != 2 || i->mips > 1 || i->cube) {
        return lull_error_new(LULL_ERR_INVALID, "an image with samples is 2D and has one level");
    }
    return NULL;
}

/** The words of an image: linear, or tiled if it has samples; its address is put in when it is
 * known. */
LULL_MUST_USE static struct lull_error *image(const struct lull_vk_resource *r, uint64_t va,
                                              uint32_t w[8])
{
    enum { LOW_BITS = 2, ARRAYS = LULL_IMAGE_1D_ARRAY - LULL_IMAGE_1D, FACES = 6 };
    const struct lull_vk_image *i = &r->image;
    const struct lull_format_info *f = NULL;
    uint32_t order = 0;
    struct lull_error *err = shader_format(r->format, &f, &order);
    if (err == NULL && i->dims == 3 && i->layers > 1) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "a 3D image has no layers");
    }
    if (err == NULL && i->cube &&
        (i->dims != 2 || i->layers % FACES != 0 || i->width != i->height)) {
        err = lull_error_new(LULL_ERR_INVALID, "a cube is square and has 6 layers, not %u",
                             i->layers);
    }
    err = err != NULL ? err : check_samples(i);
    if (err != NULL) {
        return err;
    }
    const uint32_t flat = LULL_IMAGE_1D + i->dims - 1 + (i->layers > 1 ? ARRAYS : 0);
    const uint32_t many = i->layers > 1 ? LULL_IMAGE_2D_MSAA_ARRAY : LULL_IMAGE_2D_MSAA;
    const uint32_t type = i->samples > 1 ? many : i->cube ? LULL_IMAGE_CUBE : flat;
    // Of an image with samples there is one level, and the log2 of their number in its place.
    const uint32_t last = i->samples > 1 ? (uint32_t)__builtin_ctz(i->samples) : i->mips - 1;
    const uint32_t depth = i->dims == 3 ? i->depth : i->layers;
    memset(w, 0, 8 * sizeof *w);
    w[0] = (uint32_t)(va >> BASE_SHIFT);
    w[1] =
        lull_set(0, LULL_IMG11_WORD1__BASE_ADDRESS_HI_MASK, (uint32_t)(va >> (BASE_SHIFT + HIGH)));
    w[1] = lull_set(w[1], LULL_IMG11_WORD1__FORMAT_MASK, f->code);
    w[1] = lull_set(w[1], LULL_IMG11_WORD1__WIDTH_LO_MASK, (i->width - 1) & ((1 << LOW_BITS) - 1));
    w[2] = lull_set(0, LULL_IMG11_WORD2__WIDTH_HI_MASK, (i->width - 1) >> LOW_BITS);
    w[2] = lull_set(w[2], LULL_IMG11_WORD2__HEIGHT_MASK, i->height - 1);
    w[1] = lull_set(w[1], LULL_IMG11_WORD1__MAX_MIP_MASK, last);
    w[3] = lull_set(order, LULL_IMG11_WORD3__TYPE_MASK, type);
    w[3] = lull_set(w[3], LULL_IMG11_WORD3__LAST_LEVEL_MASK, last);
    w[3] = lull_set(w[3], LULL_IMG11_WORD3__SW_MODE_MASK, i->samples > 1 ? SAMPLES_TILED : 0);
    w[4] = lull_set(0, LULL_IMG11_WORD4__DEPTH_MASK, depth - 1);
    return NULL;
}

/** Copy a level; behind it, in the tight form, the next begins. */
static uint8_t *copy_level(const struct lull_image_desc *d, unsigned level, uint8_t *tight,
                           uint8_t *map, bool in)
{
    const struct lull_extent size = lull_image_extent(d, level);
    struct lull_tiling t = {0};
    if (lull_tiling_prepare(d, level, &t) != LULL_TEX_OK) {
        return tight; // size_of() was here before
    }
    for (uint32_t z = 0; z < size.depth; z++) {
        for (uint32_t y = 0; y < size.height; y++) {
            for (uint32_t i = 0; i < size.width * t.samples; i++, tight += t.bytes) {
                uint8_t *texel = map + lull_tiling_offset(&t, i / t.samples, y, z, i % t.samples);
                memcpy(in ? texel : tight, in ? tight : texel, t.bytes);
            }
        }
    }
    return tight;
}

/** Copy texels between the tight form of the command line and the image. */
static void copy_image(const struct lull_vk_resource *r, const uint32_t w[8], uint8_t *map, bool in)
{
    struct lull_image_desc d = {0};
    uint8_t *tight = r->bytes;
    lull_image_desc_parse(w, &d);
    for (unsigned i = 0; i < r->image.mips; i++) {
        tight = copy_level(&d, i, tight, map, in);
    }
}

/** Bytes of the buffer behind a resource. */
LULL_MUST_USE static struct lull_error *size_of(const struct lull_vk_resource *r, uint64_t *ret)
{
    struct lull_image_desc d = {0};
    struct lull_tiling t = {0};
    uint32_t w[8] = {0};
    *ret = r->size;
    if (r->kind != LULL_VK_IMAGE) {
        return NULL;
    }
    struct lull_error *err = image(r, 0, w);
    if (err != NULL) {
        return err;
    }
    w[0] = 1; // an address of 0 is not an image
    lull_image_desc_parse(w, &d);
    const enum lull_tex_status status = lull_tiling_prepare(&d, 0, &t);
    *ret = t.size;
    return status == LULL_TEX_OK
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "%s", lull_tex_status_text(status));
}

LULL_MUST_USE static struct lull_error *make(const struct lull_vk_resource *r,
                                             struct lull_amd_device *d, struct lull_amd_bo **ret)
{
    uint64_t size = 0;
    struct lull_error *err =
        r->kind != LULL_VK_SAMPLER && r->same == NULL ? size_of(r, &size) : NULL;
    if (err == NULL && size != 0) {
        err = lull_amd_bo_new(d, r->name, size, 0, ret);
    }
    return lull_error_in(err, "%s", r->name);
}

/** Where a program asked for an address. */
static void put_address(struct lull_vk_args *a, const struct lull_vk_address *at, uint64_t va)
{
    uint8_t *to = at->into == SIZE_MAX ? a->push : a->resources[at->into].bytes;
    memcpy(to + at->offset, &va, sizeof va);
}

LULL_MUST_USE static struct lull_error *describe(const struct lull_vk_resource *r,
                                                 const struct lull_amd_bo *bo,
                                                 const struct lull_pal_image *i,
                                                 struct lull_pal_binding *b)
{
    struct lull_error *err = NULL;
    *b = (struct lull_pal_binding){.set = r->set, .binding = r->binding, .element = r->element};
    if (r->kind == LULL_VK_SAMPLER) {
        b->kind = LULL_PAL_SAMPLER;
        err = sampler(&r->sampler, b->words);
    } else if (r->kind == LULL_VK_IMAGE) {
        b->kind = LULL_PAL_IMAGE;
        memcpy(b->words, i->words, sizeof b->words);
        err = sampler(&r->sampler, b->sampler);
    } else {
        err = buffer(r, bo->va, b);
    }
    return lull_error_in(err, "--bind %s", r->name);
}

struct lull_error *lull_pal_bind(struct lull_vk_args *args, struct lull_amd_device *d,
                                 struct lull_pal_bound *ret)
{
    struct lull_error *err = NULL;
    ret->bindings = calloc(args->n + 1, sizeof *ret->bindings);
    ret->bos = calloc(args->n + 1, sizeof(struct lull_amd_bo *));
    ret->images = calloc(args->n + 1, sizeof *ret->images);
    if (ret->bindings == NULL || ret->bos == NULL || ret->images == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < args->n; i++) {
        err = make(&args->resources[i], d, &ret->bos[i]);
    }
    for (size_t i = 0; err == NULL && i < args->n; i++) {
        const struct lull_vk_resource *of = args->resources[i].same;
        ret->bos[i] = of != NULL ? ret->bos[of - args->resources] : ret->bos[i];
    }
    for (size_t i = 0; err == NULL && i < args->naddresses; i++) {
        put_address(args, &args->addresses[i], ret->bos[args->addresses[i].of]->va);
    }
    for (size_t i = 0; err == NULL && i < args->n; i++) {
        const struct lull_vk_resource *r = &args->resources[i];
        struct lull_pal_image *const words = &ret->images[i];
        err = r->kind == LULL_VK_IMAGE ? image(r, ret->bos[i]->va, words->words) : NULL;
        if (err == NULL && r->bound) {
            err = describe(r, ret->bos[i], words, &ret->bindings[ret->n]);
            ret->n++;
        }
        if (err == NULL && r->kind == LULL_VK_IMAGE) {
            copy_image(r, words->words, ret->bos[i]->map, true);
        } else if (err == NULL && ret->bos[i] != NULL) {
            memcpy(ret->bos[i]->map, r->bytes, r->size);
        }
    }
    return err;
}

void lull_pal_bind_back(const struct lull_pal_bound *bound, struct lull_vk_args *args)
{
    for (size_t i = 0; i < args->n; i++) {
        const struct lull_vk_resource *r = &args->resources[i];
        if (r->kind == LULL_VK_IMAGE) {
            copy_image(r, bound->images[i].words, bound->bos[i]->map, false);
        } else if (bound->bos[i] != NULL) {
            memcpy(r->bytes, bound->bos[i]->map, r->size);
        }
    }
}

void lull_pal_bind_done(struct lull_pal_bound *bound)
{
    free(bound->bindings);
    free(bound->bos);
    free(bound->images);
    *bound = (struct lull_pal_bound){0};
}
