// SPDX-License-Identifier: MIT
// Colour targets and depth of a draw: what the command line says, registers, results.
//
// Without samples a target is linear, with samples tiled, as the GPU has both.
//
// Sources: Mesa 25.0.7, src/amd/vulkan/radv_cmd_buffer.c (where samples lie in a pixel, and which
// is next to the centre), radv_translate_colorswap() in src/amd/common/ac_formats.c.
#include "cli/run/pal_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/img11_regs.h"
#include "hw/reg.h"
#include "tex/tiling.h"

enum {
    ADDRESS_SHIFT = 8,
    ADDRESS_HIGH = 40,
    DEPTH_TILED = 24, // SW_MODE 64KB_Z_X
    COLOR_TILED = 27, // SW_MODE 64KB_R_X
    POINT_HALF = 8,   // of one pixel, in sixteenths
    POINT_LEAST = 1,  // halves of sizes that shaders give
    POINT_MOST = 0xffff,
    LINE_WIDTH = 8, // of one pixel, in eighths
    MAX_SAMPLES = 8,
    PARTS = 4,
    MAX_TEXEL = 16,
    MAX_LAYERS = 1 << 11, // as SLICE_MAX of DB_DEPTH_VIEW can say
    PIXELS = 4,           // of a quad, each with four words of places
    COMPONENTS = 4,       // bits of CB_TARGET_MASK for a target
};

/** Offset of register NAME of target @p n. */
#define OF(NAME, n) (LULL_DRAW11_CB_##NAME + (n)*LULL_DRAW11_CB_##NAME##__STRIDE)

/** N= in front of what an option says of target N; without it the next that has nothing. */
LULL_MUST_USE static struct lull_error *split(const struct lull_opt *o, const char *value,
                                              struct lull_pal_targets *t, size_t member)
{
    unsigned n = 0;
    const bool numbered = value[0] >= '0' && value[0] <= '9' && value[1] == '=';
    if (numbered) {
        n = (unsigned)(value[0] - '0');
        value += 2;
    }
    for (; n < LULL_PAL_TARGETS; n++) {
        const char **at = (const char **)(void *)((char *)&t->color[n] + member);
        if (*at == NULL) {
            *at = value;
            return NULL;
        }
        if (numbered) {
            return lull_error_new(LULL_ERR_INVALID, "%s: target %u was given before", o->name, n);
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: targets are 0 to %d", o->name,
                          LULL_PAL_TARGETS - 1);
}

LULL_MUST_USE static struct lull_error *take_target(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    return split(o, value, base, offsetof(struct lull_pal_target, text));
}

LULL_MUST_USE static struct lull_error *take_clear(void *base, const struct lull_opt *o,
                                                   const char *value)
{
    return split(o, value, base, offsetof(struct lull_pal_target, clear));
}

LULL_MUST_USE static struct lull_error *take_blend(void *base, const struct lull_opt *o,
                                                   const char *value)
{
    return split(o, value, base, offsetof(struct lull_pal_target, blend));
}

const struct lull_opt lull_pal_target_opts[] = {
    {"--target", NULL, "[N=]WxH[:FORMAT[:CONTENT]]",
     "colour target N, the next if it is not said, PLACE target, target1 to target7; FORMAT as "
     "of images, rgba8 if not given, CONTENT and :layers=N as of images",
     LULL_OPT_CALL, .call = take_target, .flags = LULL_OPT_MANY},
    {"--clear", NULL, "[N=]R[,G[,B[,A]]]", "the target's colour before", LULL_OPT_CALL,
     .call = take_clear, .flags = LULL_OPT_MANY},
    {"--blend", NULL, "[N=]SRC,OP,DST[,SRC,OP,DST]",
     "blending of the target, for colour and alpha; words as src_alpha,add,one_minus_src_alpha",
     LULL_OPT_CALL, .call = take_blend, .flags = LULL_OPT_MANY},
    {"--samples", NULL, "N", "1, 2, 4 or 8 of each pixel, PLACE samples, samples1 and so on",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_pal_targets, nsamples), .min = 1, .max = MAX_SAMPLES},
    {"--depth", NULL, "never|less|equal|less-equal|greater|not-equal|greater-equal|always",
     "a depth buffer of floats, all 1 before, PLACE depth: what passes is drawn and written",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_pal_targets, depth), .min = 1},
    {0},
};

bool lull_pal_target_any(const struct lull_pal_targets *t)
{
    bool any = false;
    for (unsigned n = 0; n < LULL_PAL_TARGETS; n++) {
        any = any || t->color[n].text != NULL;
    }
    return any;
}

static unsigned samples_of(const struct lull_pal_targets *t)
{
    return t->nsamples != 0 ? (unsigned)t->nsamples : 1; // at most MAX_SAMPLES
}

/** "target", or "target3". */
static const char *name_of(const char *what, unsigned n, char name[16])
{
    snprintf(name, 16, n == 0 ? "%.12s" : "%.12s%u", what, n);
    return name;
}

static struct lull_vk_resource *find(const struct lull_vk_args *args, const char *what, unsigned n)
{
    char name[16] = "";
    return lull_vk_args_find(args, name_of(what, n, name));
}

/** Add NAME=TEXT; @p option for messages. */
LULL_MUST_USE static struct lull_error *add(struct lull_vk_args *args, const char *option,
                                            enum lull_vk_kind kind, const char *name,
                                            const char *text)
{
    struct lull_str both = {0};
    lull_str_addf(&both, "%s=%s", name, text);
    struct lull_error *err = both.err != NULL ? both.err : lull_vk_args_own(args, both.text, kind);
    both.err = NULL;
    lull_str_free(&both);
    return lull_error_in(err, "%s", option);
}

/** The numbers of a clear colour as the shader sees them. */
LULL_MUST_USE static struct lull_error *clear_color(const char *text, bool integer, uint32_t rgba[])
{
    const char *at = text;
    for (unsigned i = 0; i < PARTS && at != NULL; i++) {
        char *end = NULL;
        const double v = strtod(at, &end);
        const float single = (float)v;
        if (end == at || (*end != '\0' && *end != ',')) {
            break;
        }
        memcpy(&rgba[i], &single, sizeof single);
        if (integer) {
            rgba[i] = v >= 0 && v <= UINT32_MAX         ? (uint32_t)v
                      : v < 0 && v >= (double)INT32_MIN ? (uint32_t)(int32_t)v
                                                        : 0;
        }
        at = *end == ',' ? end + 1 : NULL;
    }
    return at == NULL ? NULL
                      : lull_error_new(LULL_ERR_INVALID, "--clear: '%s' is not R,G,B,A", text);
}

/** The clear colour, in every texel. */
LULL_MUST_USE static struct lull_error *clear(const char *text, struct lull_vk_resource *r)
{
    const struct lull_format_info *f = NULL;
    uint8_t from[PARTS] = {0}, texel[MAX_TEXEL] = {0};
    uint32_t swap = 0, rgba[PARTS] = {0}, ordered[PARTS] = {0};
    struct lull_error *err = lull_pal_color_format(r->format, &f, &swap, from);
    err = err != NULL ? err : clear_color(text, lull_format_is_integer(f), rgba);
    if (err != NULL) {
        return err;
    }
    for (unsigned i = 0; i < PARTS; i++) {
        ordered[i] = rgba[from[i]];
    }
    lull_format_pack(f, ordered, texel);
    for (size_t i = 0; i + f->bytes <= r->size; i += f->bytes) {
        memcpy(r->bytes + i, texel, f->bytes);
    }
    return NULL;
}

/** A picture of each sample: a resource as large as they are together. */
LULL_MUST_USE static struct lull_error *add_samples(const struct lull_vk_resource *of, unsigned n,
                                                    unsigned nsamples, struct lull_vk_args *args)
{
    const struct lull_vk_resource like = *of; // the list moves
    char name[16] = "", text[64] = "";
    snprintf(text, sizeof text, "zeros:%zu", like.size * nsamples);
    struct lull_error *err =
        add(args, "--samples", LULL_VK_BUFFER, name_of("samples", n, name), text);
    if (err == NULL) {
        args->resources[args->n - 1].format = like.format;
    }
    return err;
}

/** Target @p n, of the size of the @p first. */
LULL_MUST_USE static struct lull_error *add_target(const struct lull_pal_targets *t, unsigned n,
                                                   const struct lull_vk_image *first,
                                                   struct lull_vk_args *args)
{
    const struct lull_pal_target *c = &t->color[n];
    struct lull_str text = {0};
    char name[16] = "";
    lull_str_addf(&text, "image:%s%s", c->text, strchr(c->text, ':') == NULL ? ":rgba8" : "");
    struct lull_error *err = text.err != NULL ? text.err
                                              : add(args, "--target", LULL_VK_IMAGE,
                                                    name_of("target", n, name), text.text);
    text.err = NULL;
    lull_str_free(&text);
    if (err != NULL) {
        return err;
    }
    struct lull_vk_resource *r = &args->resources[args->n - 1];
    const struct lull_vk_image i = r->image;
    const struct lull_format_info *f = NULL;
    uint32_t swap = 0;
    uint8_t from[PARTS] = {0};
    if (i.dims != 2 || i.mips > 1) {
        return lull_error_new(LULL_ERR_INVALID, "--target %s: it has width and height", c->text);
    }
    if (i.samples > 1) {
        return lull_error_new(LULL_ERR_INVALID, "--target %s: --samples says how many", c->text);
    }
    if (i.layers > MAX_LAYERS) {
        return lull_error_new(LULL_ERR_INVALID, "--target %s: more than %d layers", c->text,
                              MAX_LAYERS);
    }
    if (first->width != 0 &&
        (i.width != first->width || i.height != first->height || i.layers != first->layers)) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--target %s: the target before it is %ux%u, with layers %u", c->text,
                              first->width, first->height, first->layers);
    }
    err = lull_error_in(lull_pal_color_format(r->format, &f, &swap, from), "--target");
    err = err == NULL && c->clear != NULL ? clear(c->clear, r) : err;
    return err == NULL && samples_of(t) > 1 ? add_samples(r, n, samples_of(t), args) : err;
}

LULL_MUST_USE static struct lull_error *add_depth(const struct lull_vk_image *i,
                                                  struct lull_vk_args *args)
{
    char depth[64] = "";
    snprintf(depth, sizeof depth, "fill:1:%llu:f32",
             (unsigned long long)i->width * i->height * i->layers);
    struct lull_error *err = add(args, "--depth", LULL_VK_BUFFER, "depth", depth);
    if (err == NULL) {
        struct lull_vk_resource *r = &args->resources[args->n - 1];
        r->format = lull_vk_format_find("r32f");
        r->image = *i;
    }
    return err;
}

struct lull_error *lull_pal_target_resources(const struct lull_pal_targets *t,
                                             struct lull_vk_args *args)
{
    struct lull_vk_image size = {0};
    struct lull_error *err = NULL;
    if ((samples_of(t) & (samples_of(t) - 1)) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--samples %u: there are 1, 2, 4 or 8",
                              samples_of(t));
    }
    for (unsigned n = 0; err == NULL && n < LULL_PAL_TARGETS; n++) {
        const struct lull_pal_target *c = &t->color[n];
        if (c->text != NULL) {
            err = add_target(t, n, &size, args);
            const struct lull_vk_resource *r = find(args, "target", n);
            size = r != NULL ? r->image : size;
        } else if (c->clear != NULL || c->blend != NULL) {
            err = lull_error_new(LULL_ERR_INVALID, "%s: target %u is not given",
                                 c->clear != NULL ? "--clear" : "--blend", n);
        }
    }
    if (err == NULL && size.width == 0) {
        err = lull_error_new(LULL_ERR_INVALID, "--draw needs --target");
    }
    return err == NULL && t->depth != 0 ? add_depth(&size, args) : err;
}

/** FORMAT and NUMBER_TYPE of CB_COLOR0_INFO: the format's name, but for "_UNORM" and the like. */
LULL_MUST_USE static struct lull_error *color_info(const struct lull_vk_format *format,
                                                   uint32_t *ret)
{
    const struct lull_format_info *f = NULL;
    uint32_t swap = 0;
    uint8_t from[PARTS] = {0};
    struct lull_error *err = lull_pal_color_format(format, &f, &swap, from);
    if (err != NULL) {
        return err;
    }
    const struct lull_reg *info =
        lull_reg_of(&lull_regs_draw11, lull_reg_named(&lull_regs_draw11, 0, "CB_COLOR0_INFO"));
    const struct lull_field *const formats = lull_reg_field(info, "FORMAT");
    const struct lull_field *const numbers = lull_reg_field(info, "NUMBER_TYPE");
    const char *number = strrchr(f->name, '_');
    for (unsigned i = 0; i < formats->nvalues; i++) {
        const char *name = formats->values[i].name;
        for (unsigned k = 0; strlen(name) == (size_t)(number - f->name) && k < numbers->nvalues;
             k++) {
            if (strncmp(name, f->name, strlen(name)) == 0 &&
                strcmp(numbers->values[k].name, number + 1) == 0) {
                *ret = lull_set((uint32_t)(formats->values[i].value << formats->lo |
                                           numbers->values[k].value << numbers->lo),
                                LULL_DRAW11_CB_COLOR_INFO__COMP_SWAP_MASK, swap);
                return NULL;
            }
        }
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "--target: '%s' is not a format to draw to",
                          format->name);
}

/** The value of field @p name of CB_BLEND0_CONTROL that the @p n letters of @p word name. */
static bool blend_word(const char *name, const char *word, size_t n, uint32_t *control)
{
    const struct lull_reg *r =
        lull_reg_of(&lull_regs_draw11, lull_reg_named(&lull_regs_draw11, 0, "CB_BLEND0_CONTROL"));
    const struct lull_field *f = lull_reg_field(r, name);
    for (unsigned i = 0; f != NULL && i < f->nvalues; i++) {
        if (strlen(f->values[i].name) == n && strncasecmp(f->values[i].name, word, n) == 0) {
            *control |= (uint32_t)(f->values[i].value << f->lo);
            return true;
        }
    }
    return false;
}

/** SRC,OP,DST of colour, and of alpha if it has its own. */
LULL_MUST_USE static struct lull_error *blend(const char *text, uint32_t *ret)
{
    static const char *const fields[] = {"COLOR_SRCBLEND", "COLOR_COMB_FCN", "COLOR_DESTBLEND",
                                         "ALPHA_SRCBLEND", "ALPHA_COMB_FCN", "ALPHA_DESTBLEND"};
    const char *at = text;
    unsigned n = 0;
    *ret = 0;
    if (text == NULL) {
        return NULL;
    }
    while (n < 6 && at != NULL && blend_word(fields[n], at, strcspn(at, ","), ret)) {
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
        n++;
    }
    if (at != NULL || (n != 3 && n != 6)) {
        return lull_error_new(LULL_ERR_INVALID, "--blend: '%s' is not SRC,OP,DST[,SRC,OP,DST]",
                              text);
    }
    *ret |= LULL_DRAW11_CB_BLEND_CONTROL__ENABLE_MASK |
            (n == 6 ? LULL_DRAW11_CB_BLEND_CONTROL__SEPARATE_ALPHA_BLEND_MASK : 0);
    return NULL;
}

static uint32_t bits(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof u);
    return u;
}

/** Viewport and scissors: all of the target. */
static void make_viewport(const struct lull_vk_image *i, struct lull_amd_draw *d)
{
    const float w = (float)i->width / 2, h = (float)i->height / 2;
    const uint32_t br = i->width | i->height << 16; // both at most 16384
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_XSCALE_0, bits(w));
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_XOFFSET_0, bits(w));
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_YSCALE_0, bits(h));
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_YOFFSET_0, bits(h));
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_ZSCALE_0, bits(1));
    lull_amd_draw_set(d, LULL_DRAW11_PA_CL_VPORT_ZOFFSET_0, 0);
    lull_amd_draw_set(d, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_TL, 0);
    lull_amd_draw_set(d, LULL_DRAW11_PA_SC_SCREEN_SCISSOR_BR, br);
    lull_amd_draw_set(
        d, LULL_DRAW11_PA_SU_SC_MODE_CNTL,
        lull_set(lull_set(0, LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE_MASK,
                          LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_FRONT_PTYPE__TRIANGLES),
                 LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_BACK_PTYPE_MASK,
                 LULL_DRAW11_PA_SU_SC_MODE_CNTL__POLYMODE_BACK_PTYPE__TRIANGLES));
    lull_amd_draw_set(d, LULL_DRAW11_PA_SU_VTX_CNTL,
                      LULL_DRAW11_PA_SU_VTX_CNTL__PIX_CENTER_MASK |
                          lull_set(lull_set(0, LULL_DRAW11_PA_SU_VTX_CNTL__ROUND_MODE_MASK,
                                            LULL_DRAW11_PA_SU_VTX_CNTL__ROUND_MODE__EVEN),
                                   LULL_DRAW11_PA_SU_VTX_CNTL__QUANT_MODE_MASK,
                                   LULL_DRAW11_PA_SU_VTX_CNTL__QUANT_MODE__256TH));
    lull_amd_draw_set(d, LULL_DRAW11_PA_SU_POINT_SIZE, POINT_HALF | POINT_HALF << 16);
    lull_amd_draw_set(d, LULL_DRAW11_PA_SU_POINT_MINMAX, POINT_LEAST | (uint32_t)POINT_MOST << 16);
    lull_amd_draw_set(d, LULL_DRAW11_PA_SU_LINE_CNTL, LINE_WIDTH);
}

/** Where texels lie of an image with these samples, from its beginning. */
static bool tiling_of(const struct lull_vk_image *i, const struct lull_format_info *f,
                      uint8_t sw_mode, unsigned nsamples, struct lull_tiling *ret)
{
    const struct lull_image_desc d = {
        .format = f,
        .format_code = f->code,
        .type = nsamples > 1 ? LULL_IMAGE_2D_MSAA_ARRAY : LULL_IMAGE_2D_ARRAY,
        .sw_mode = sw_mode,
        .width = i->width,
        .height = i->height,
        .depth = 1,
        .last_slice = i->layers - 1,
        .samples = (uint8_t)nsamples,
    };
    return lull_tiling_prepare(&d, 0, ret) == LULL_TEX_OK;
}

/** Copy one sample between the tight form and the tiled one. */
static void copy_sample(const struct lull_tiling *t, unsigned sample, uint8_t *tight, uint8_t *map,
                        bool in)
{
    for (uint32_t row = 0; row < t->depth * t->height; row++) {
        for (uint32_t x = 0; x < t->width; x++, tight += t->bytes) {
            uint8_t *const texel =
                map + lull_tiling_offset(t, x, row % t->height, row / t->height, sample);
            memcpy(in ? texel : tight, in ? tight : texel, t->bytes);
        }
    }
}

/** A tiled buffer of what @p r holds, in each of its samples. */
LULL_MUST_USE static struct lull_error *new_tiled(struct lull_amd_device *device,
                                                  const struct lull_vk_resource *r,
                                                  const struct lull_tiling *t,
                                                  struct lull_amd_bo **ret)
{
    struct lull_error *err = lull_amd_bo_new(device, r->name, t->size, 0, ret);
    for (unsigned i = 0; err == NULL && i < t->samples; i++) {
        copy_sample(t, i, r->bytes, (*ret)->map, true);
    }
    return err;
}

/** Colour target @p n. */
LULL_MUST_USE static struct lull_error *make_target(struct lull_pal_targets *t, unsigned n,
                                                    struct lull_amd_device *device,
                                                    const struct lull_vk_resource *r,
                                                    const struct lull_amd_bo *bo,
                                                    struct lull_amd_draw *d)
{
    const unsigned nsamples = samples_of(t);
    const struct lull_format_info *f = NULL;
    struct lull_tiling tiling = {0};
    uint32_t info = 0, control = 0, swap = 0;
    uint8_t from[PARTS] = {0};
    struct lull_error *err = color_info(r->format, &info);
    err = err != NULL ? err : blend(t->color[n].blend, &control);
    err = err != NULL ? err : lull_pal_color_format(r->format, &f, &swap, from);
    if (err == NULL && nsamples > 1) {
        err = tiling_of(&r->image, f, COLOR_TILED, nsamples, &tiling)
                  ? new_tiled(device, r, &tiling, &t->color[n].samples)
                  : lull_error_new(LULL_ERR_UNSUPPORTED, "--samples %u: not of '%s'", nsamples,
                                   r->format->name);
        bo = t->color[n].samples;
    }
    if (err != NULL) {
        return err;
    }
    const uint32_t size =
        lull_set(lull_set(0, LULL_DRAW11_CB_COLOR_ATTRIB2__MIP0_HEIGHT_MASK, r->image.height - 1),
                 LULL_DRAW11_CB_COLOR_ATTRIB2__MIP0_WIDTH_MASK, r->image.width - 1);
    const uint32_t last = r->image.layers - 1;
    uint32_t kind = lull_set(0, LULL_DRAW11_CB_COLOR_ATTRIB3__RESOURCE_TYPE_MASK,
                             LULL_DRAW11_CB_COLOR0_ATTRIB3__RESOURCE_TYPE__2D);
    kind = lull_set(kind, LULL_DRAW11_CB_COLOR_ATTRIB3__COLOR_SW_MODE_MASK,
                    nsamples > 1 ? COLOR_TILED : 0);
    kind = lull_set(kind, LULL_DRAW11_CB_COLOR_ATTRIB3__MIP0_DEPTH_MASK, last);
    lull_amd_draw_set(d, OF(COLOR_BASE, n), (uint32_t)(bo->va >> ADDRESS_SHIFT));
    lull_amd_draw_set(d, OF(COLOR_BASE_EXT, n), (uint32_t)(bo->va >> ADDRESS_HIGH));
    lull_amd_draw_set(d, OF(COLOR_VIEW, n),
                      lull_set(0, LULL_DRAW11_CB_COLOR_VIEW__SLICE_MAX_MASK, last));
    lull_amd_draw_set(d, OF(COLOR_INFO, n), info);
    lull_amd_draw_set(d, OF(COLOR_ATTRIB, n),
                      lull_set(0, LULL_DRAW11_CB_COLOR_ATTRIB__NUM_FRAGMENTS_MASK,
                               (uint32_t)__builtin_ctz(nsamples)));
    lull_amd_draw_set(d, OF(COLOR_FDCC_CONTROL, n), 0);
    lull_amd_draw_set(d, OF(COLOR_ATTRIB2, n), size);
    lull_amd_draw_set(d, OF(COLOR_ATTRIB3, n), kind);
    lull_amd_draw_set(d, OF(BLEND_CONTROL, n), control);
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_depth(struct lull_pal_targets *t,
                                                   struct lull_amd_device *device,
                                                   const struct lull_vk_args *args,
                                                   struct lull_amd_draw *draw)
{
    const struct lull_vk_resource *r = lull_vk_args_find(args, "depth");
    struct lull_tiling tiling = {0};
    if (r == NULL) {
        lull_amd_draw_set(draw, LULL_DRAW11_DB_DEPTH_CONTROL, 0);
        lull_amd_draw_set(draw, LULL_DRAW11_DB_Z_INFO, 0);
        lull_amd_draw_set(draw, LULL_DRAW11_DB_STENCIL_INFO, 0);
        return NULL;
    }
    const struct lull_format_info *f = lull_format_by_name("32_FLOAT");
    if (!tiling_of(&r->image, f, DEPTH_TILED, samples_of(t), &tiling)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "--depth: no buffer of that size");
    }
    struct lull_error *err = new_tiled(device, r, &tiling, &t->depth_image);
    if (err != NULL) {
        return err;
    }
    const uint64_t va = t->depth_image->va;
    const uint32_t tiled = lull_set(0, LULL_DRAW11_DB_Z_INFO__SW_MODE_MASK, DEPTH_TILED) |
                           lull_set(0, LULL_DRAW11_DB_Z_INFO__NUM_SAMPLES_MASK,
                                    (uint32_t)__builtin_ctz(samples_of(t)));
    const struct {
        uint32_t offset, value;
    } regs[] = {
        {LULL_DRAW11_DB_Z_INFO, lull_set(tiled, LULL_DRAW11_DB_Z_INFO__FORMAT_MASK,
                                         LULL_DRAW11_DB_Z_INFO__FORMAT__32_FLOAT)},
        {LULL_DRAW11_DB_STENCIL_INFO, 0},
        {LULL_DRAW11_DB_DEPTH_VIEW,
         lull_set(0, LULL_DRAW11_DB_DEPTH_VIEW__SLICE_MAX_MASK, r->image.layers - 1)},
        {LULL_DRAW11_DB_DEPTH_SIZE_XY,
         lull_set(r->image.width - 1, LULL_DRAW11_DB_DEPTH_SIZE_XY__Y_MAX_MASK,
                  r->image.height - 1)},
        {LULL_DRAW11_DB_Z_READ_BASE, (uint32_t)(va >> ADDRESS_SHIFT)},
        {LULL_DRAW11_DB_Z_WRITE_BASE, (uint32_t)(va >> ADDRESS_SHIFT)},
        {LULL_DRAW11_DB_Z_READ_BASE_HI, (uint32_t)(va >> ADDRESS_HIGH)},
        {LULL_DRAW11_DB_Z_WRITE_BASE_HI, (uint32_t)(va >> ADDRESS_HIGH)},
        {LULL_DRAW11_DB_DEPTH_CONTROL,
         LULL_DRAW11_DB_DEPTH_CONTROL__Z_ENABLE_MASK |
             LULL_DRAW11_DB_DEPTH_CONTROL__Z_WRITE_ENABLE_MASK |
             lull_set(0, LULL_DRAW11_DB_DEPTH_CONTROL__ZFUNC_MASK, (uint32_t)t->depth - 1)},
    };
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        lull_amd_draw_set(draw, regs[i].offset, regs[i].value);
    }
    return NULL;
}

/** Places of samples in a pixel, in sixteenths from its centre, nearest to the centre first. */
static const int8_t places[4][MAX_SAMPLES][2] = {
    {{0, 0}},
    {{4, 4}, {-4, -4}},
    {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
    {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}},
};

/** Alpha as coverage, with another threshold in each pixel of a quad. */
static uint32_t alpha_to_mask(void)
{
    return LULL_DRAW11_DB_ALPHA_TO_MASK__ALPHA_TO_MASK_ENABLE_MASK |
           LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET_ROUND_MASK |
           lull_set(0, LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET0_MASK, 3) |
           lull_set(0, LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET1_MASK, 1) |
           lull_set(0, LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET2_MASK, 0) |
           lull_set(0, LULL_DRAW11_DB_ALPHA_TO_MASK__OFFSET3_MASK, 2);
}

static void make_samples(unsigned nsamples, struct lull_amd_draw *d)
{
    enum { WORDS = 4, PER_WORD = 4, ORDER = 8, NIBBLE = 4, BYTE = 8, LOW = 0xf };
    const uint32_t log2 = (uint32_t)__builtin_ctz(nsamples);
    uint32_t order = 0;
    for (unsigned i = 0; i < ORDER; i++) {
        order |= i % nsamples << NIBBLE * i;
    }
    for (unsigned w = 0; w < PIXELS * WORDS; w++) {
        uint32_t word = 0;
        for (unsigned i = 0; i < PER_WORD; i++) {
            const unsigned sample = w % WORDS * PER_WORD + i;
            const int8_t *at = sample < nsamples ? places[log2][sample] : places[0][0];
            word |= (uint32_t)((at[0] & LOW) | (at[1] & LOW) << NIBBLE) << BYTE * i;
        }
        lull_amd_draw_set(
            d, LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS + w * LULL_DRAW11_PA_SC_AA_SAMPLE_LOCS__STRIDE,
            word);
    }
    const uint32_t counts = lull_set(0, LULL_DRAW11_DB_EQAA__MAX_ANCHOR_SAMPLES_MASK, log2) |
                            lull_set(0, LULL_DRAW11_DB_EQAA__PS_ITER_SAMPLES_MASK, log2) |
                            lull_set(0, LULL_DRAW11_DB_EQAA__MASK_EXPORT_NUM_SAMPLES_MASK, log2) |
                            lull_set(0, LULL_DRAW11_DB_EQAA__ALPHA_TO_MASK_NUM_SAMPLES_MASK, log2);
    for (unsigned i = 0; i < 2; i++) {
        lull_amd_draw_set(d,
                          LULL_DRAW11_PA_SC_CENTROID_PRIORITY +
                              i * LULL_DRAW11_PA_SC_CENTROID_PRIORITY__STRIDE,
                          order);
        lull_amd_draw_set(d, LULL_DRAW11_PA_SC_AA_MASK + i * LULL_DRAW11_PA_SC_AA_MASK__STRIDE,
                          UINT32_MAX);
    }
    lull_amd_draw_set(d, LULL_DRAW11_DB_EQAA, counts);
    lull_amd_draw_set(
        d, LULL_DRAW11_PA_SC_AA_CONFIG,
        lull_set(lull_set(0, LULL_DRAW11_PA_SC_AA_CONFIG__MSAA_NUM_SAMPLES_MASK, log2),
                 LULL_DRAW11_PA_SC_AA_CONFIG__MSAA_EXPOSED_SAMPLES_MASK, log2));
    lull_amd_draw_set(d, LULL_DRAW11_PA_SC_MODE_CNTL_0,
                      nsamples > 1 ? LULL_DRAW11_PA_SC_MODE_CNTL_0__MSAA_ENABLE_MASK : 0);
}

struct lull_error *lull_pal_target_check_views(const struct lull_pal_targets *t,
                                               const struct lull_vk_args *args, uint32_t views)
{
    enum { BITS = 32 };
    const uint32_t n = views != 0 ? BITS - (uint32_t)__builtin_clz(views) : 0;
    for (unsigned i = 0; i < LULL_PAL_TARGETS; i++) {
        const struct lull_vk_resource *r = find(args, "target", i);
        if (r != NULL && r->image.layers < n) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "--target %s: its layers are %u, and the layout's view_mask has "
                                  "view %u (:layers=%u)",
                                  t->color[i].text, r->image.layers, n - 1, n);
        }
    }
    return NULL;
}

struct lull_error *lull_pal_target_make(struct lull_pal_targets *t, struct lull_amd_device *device,
                                        const struct lull_vk_args *args,
                                        const struct lull_pal_bound *bound,
                                        struct lull_amd_draw *draw)
{
    struct lull_error *err = NULL;
    uint32_t mask = 0;
    lull_amd_draw_set(draw, LULL_DRAW11_CB_COLOR_CONTROL,
                      lull_set(lull_set(0, LULL_DRAW11_CB_COLOR_CONTROL__MODE_MASK,
                                        LULL_DRAW11_CB_COLOR_CONTROL__MODE__NORMAL),
                               LULL_DRAW11_CB_COLOR_CONTROL__ROP3_MASK,
                               LULL_DRAW11_CB_COLOR_CONTROL__ROP3__COPY));
    for (unsigned n = 0; err == NULL && n < LULL_PAL_TARGETS; n++) {
        const struct lull_vk_resource *r = find(args, "target", n);
        if (r != NULL) {
            mask |= LULL_DRAW11_CB_TARGET_MASK__TARGET0_ENABLE_MASK << n * COMPONENTS;
            err = make_target(t, n, device, r, bound->bos[r - args->resources], draw);
            make_viewport(&r->image, draw);
        }
    }
    lull_amd_draw_set(draw, LULL_DRAW11_CB_TARGET_MASK, mask);
    if (samples_of(t) > 1) {
        make_samples(samples_of(t), draw);
    }
    if (t->alpha_to_coverage) {
        lull_amd_draw_set(draw, LULL_DRAW11_DB_ALPHA_TO_MASK, alpha_to_mask());
    }
    return err != NULL ? err : make_depth(t, device, args, draw);
}

/** The average of a pixel's samples, @p stride bytes apart; the first of whole numbers. */
static void resolve(const struct lull_format_info *f, const uint8_t *samples, unsigned n,
                    size_t stride, uint8_t *ret)
{
    float sum[PARTS] = {0};
    uint32_t rgba[PARTS] = {0};
    if (lull_format_is_integer(f)) {
        memcpy(ret, samples, f->bytes);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        lull_format_unpack(f, samples + i * stride, rgba);
        for (unsigned c = 0; c < PARTS; c++) {
            float part = 0;
            memcpy(&part, &rgba[c], sizeof part);
            sum[c] += part;
        }
    }
    for (unsigned c = 0; c < PARTS; c++) {
        sum[c] /= (float)n;
        rgba[c] = bits(sum[c]);
    }
    lull_format_pack(f, rgba, ret);
}

/** Samples of target @p n, and what they resolve to. */
static void samples_back(const struct lull_pal_targets *t, unsigned n,
                         const struct lull_vk_args *args)
{
    const struct lull_vk_resource *all = find(args, "samples", n), *r = find(args, "target", n);
    const unsigned nsamples = samples_of(t);
    const struct lull_format_info *f = NULL;
    struct lull_tiling tiling = {0};
    uint32_t swap = 0;
    uint8_t from[PARTS] = {0};
    struct lull_error *err = lull_pal_color_format(r->format, &f, &swap, from);
    if (err != NULL || !tiling_of(&r->image, f, COLOR_TILED, nsamples, &tiling)) {
        lull_error_free(err); // make_target() was here before
        return;
    }
    for (unsigned i = 0; i < nsamples; i++) {
        copy_sample(&tiling, i, all->bytes + i * r->size, t->color[n].samples->map, false);
    }
    for (size_t at = 0; at < r->size; at += f->bytes) {
        resolve(f, all->bytes + at, nsamples, r->size, r->bytes + at);
    }
}

void lull_pal_target_back(const struct lull_pal_targets *t, const struct lull_vk_args *args)
{
    struct lull_tiling tiling = {0};
    for (unsigned n = 0; n < LULL_PAL_TARGETS; n++) {
        if (t->color[n].samples != NULL) {
            samples_back(t, n, args);
        }
    }
    const struct lull_vk_resource *r = lull_vk_args_find(args, "depth");
    if (t->depth_image != NULL && tiling_of(&r->image, lull_format_by_name("32_FLOAT"), DEPTH_TILED,
                                            samples_of(t), &tiling)) {
        copy_sample(&tiling, 0, r->bytes, t->depth_image->map, false);
    }
}
