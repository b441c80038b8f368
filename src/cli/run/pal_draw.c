// SPDX-License-Identifier: MIT
#include "cli/run/pal_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/opt/args.h"
#include "hw/desc11_regs.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/img11_regs.h"
#include "hw/reg.h"
#include "tex/tiling.h"

enum {
    HIGH = 32,
    ADDRESS_SHIFT = 8,
    ADDRESS_HIGH = 40,
    DEPTH_TILED = 24, // SW_MODE 64KB_Z_X
    POINT_HALF = 8,   // of one pixel, in sixteenths
    POINT_LEAST = 1,  // halves of sizes that shaders give
    POINT_MOST = 0xffff,
    LINE_WIDTH = 8, // of one pixel, in eighths
    MAX_COUNT = 1 << 28,
    MAX_STRIDE = 1 << 14,
};

/** Words of --topology, what they are to the GPU, and what reaches the rasteriser. */
static const struct {
    uint32_t in, out;
} topologies[] = {
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP},
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRISTRIP,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP},
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRIFAN,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__TRISTRIP},
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINELIST,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__LINESTRIP},
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINESTRIP,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__LINESTRIP},
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__POINTLIST,
     LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE__OUTPRIM_TYPE__POINTLIST},
};

LULL_MUST_USE static struct lull_error *vertices(void *base, const struct lull_opt *o,
                                                 const char *value)
{
    struct lull_pal_draw_options *d = base;
    if (d->nvertices == LULL_PAL_VERTEX_BUFFERS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name,
                              LULL_PAL_VERTEX_BUFFERS);
    }
    d->vertices[d->nvertices++] = value;
    return NULL;
}

const struct lull_opt lull_pal_draw_opts[] = {
    {"--draw", NULL, "N", "draw N vertices, or N indices if there are indices", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_pal_draw_options, count), .min = 1, .max = MAX_COUNT},
    {"--target", NULL, "WxH[:FORMAT[:CONTENT]]",
     "what is drawn to, PLACE target; FORMAT as of images, rgba8 if not given, CONTENT as of "
     "images",
     LULL_OPT_TEXT, LULL_OPT_AT(struct lull_pal_draw_options, target)},
    {"--clear", NULL, "R[,G[,B[,A]]]", "the target's colour before", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_pal_draw_options, clear)},
    {"--depth", NULL, "never|less|equal|less-equal|greater|not-equal|greater-equal|always",
     "a depth buffer of floats, all 1 before, PLACE depth: what passes is drawn and written",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_pal_draw_options, depth), .min = 1},
    {"--vertices", NULL, "B=CONTENT:stride=N",
     "vertex buffer B, N bytes a vertex; CONTENT as of --buffer", LULL_OPT_CALL, .call = vertices,
     .flags = LULL_OPT_MANY},
    {"--indices", NULL, "u8|u16|u32=CONTENT", "indices of vertices", LULL_OPT_TEXT,
     LULL_OPT_AT(struct lull_pal_draw_options, indices)},
    {"--instances", NULL, "N", "how often; 1 if not given", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_pal_draw_options, instances), .min = 1, .max = MAX_COUNT},
    {"--first-vertex", NULL, "N", "added to what vertices are fetched by, if the shader does so",
     LULL_OPT_NUMBER, LULL_OPT_AT(struct lull_pal_draw_options, first_vertex), .max = UINT32_MAX},
    {"--first-instance", NULL, "N", "the same of instances", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct lull_pal_draw_options, first_instance), .max = UINT32_MAX},
    {"--topology", NULL, "triangles|triangle-strip|triangle-fan|lines|line-strip|points",
     "what vertices make; triangles if not given", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct lull_pal_draw_options, topology)},
    {0},
};

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

/** The clear colour, in every texel. */
LULL_MUST_USE static struct lull_error *clear(const char *text, struct lull_vk_resource *r)
{
    const struct lull_format_info *f = NULL;
    struct lull_error *err = lull_pal_format(r->format, &f);
    const char *at = text;
    uint32_t rgba[4] = {0};
    uint8_t texel[16] = {0};
    for (unsigned i = 0; err == NULL && i < 4 && at != NULL; i++) {
        char *end = NULL;
        const double v = strtod(at, &end);
        const float single = (float)v;
        if (end == at || (*end != '\0' && *end != ',')) {
            return lull_error_new(LULL_ERR_INVALID, "--clear: '%s' is not R,G,B,A", text);
        }
        memcpy(&rgba[i], &single, sizeof single);
        if (lull_format_is_integer(f)) {
            rgba[i] = v >= 0 && v <= UINT32_MAX         ? (uint32_t)v
                      : v < 0 && v >= (double)INT32_MIN ? (uint32_t)(int32_t)v
                                                        : 0;
        }
        at = *end == ',' ? end + 1 : NULL;
    }
    if (err == NULL && at != NULL) {
        err = lull_error_new(LULL_ERR_INVALID, "--clear: '%s' is not R,G,B,A", text);
    }
    if (err != NULL) {
        return err;
    }
    lull_format_pack(f, rgba, texel);
    for (size_t i = 0; i < r->size; i += f->bytes) {
        memcpy(r->bytes + i, texel, f->bytes);
    }
    return NULL;
}

/** The target, and the depth buffer of its size. */
LULL_MUST_USE static struct lull_error *add_target(const struct lull_pal_draw_options *d,
                                                   struct lull_vk_args *args)
{
    struct lull_str text = {0};
    lull_str_addf(&text, "image:%s%s", d->target, strchr(d->target, ':') == NULL ? ":rgba8" : "");
    struct lull_error *err =
        text.err != NULL ? text.err : add(args, "--target", LULL_VK_IMAGE, "target", text.text);
    text.err = NULL;
    lull_str_free(&text);
    if (err != NULL) {
        return err;
    }
    struct lull_vk_resource *r = &args->resources[args->n - 1];
    const struct lull_vk_image i = r->image;
    const struct lull_format_info *f = NULL;
    if (i.dims != 2 || i.mips > 1 || i.layers > 1) {
        return lull_error_new(LULL_ERR_INVALID, "--target %s: it has width and height", d->target);
    }
    err = lull_error_in(lull_pal_format(r->format, &f), "--target");
    err = err == NULL && d->clear != NULL ? clear(d->clear, r) : err;
    if (err != NULL || d->depth == 0) {
        return err;
    }
    char depth[64] = "";
    snprintf(depth, sizeof depth, "fill:1:%llu:f32", (unsigned long long)i.width * i.height);
    err = add(args, "--depth", LULL_VK_BUFFER, "depth", depth);
    if (err == NULL) {
        r = &args->resources[args->n - 1];
        r->format = lull_vk_format_find("r32f");
        r->image = i;
    }
    return err;
}

/** One vertex buffer: B=CONTENT:stride=N. */
LULL_MUST_USE static struct lull_error *add_vertices(struct lull_pal_draw_options *d,
                                                     struct lull_vk_args *args, const char *given)
{
    static const char word[] = ":stride=";
    char name[32] = "", *end = NULL;
    lull_cleanup(lull_freep) char *text = strdup(given);
    if (text == NULL) {
        return &lull_enomem;
    }
    const unsigned long b = strtoul(text, &end, 10);
    char *colon = strrchr(text, ':');
    if (end == text || *end != '=' || b >= LULL_PAL_VERTEX_BUFFERS || colon == NULL ||
        strncmp(colon, word, sizeof word - 1) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "--vertices: '%s' is not B=CONTENT:stride=N",
                              given);
    }
    uint64_t stride = 0;
    struct lull_error *err =
        lull_args_number("--vertices: stride", colon + sizeof word - 1, MAX_STRIDE - 1, &stride);
    if (err == NULL && (stride == 0 || d->strides[b] != 0)) {
        err = lull_error_new(LULL_ERR_INVALID, "--vertices %s: %s", given,
                             stride == 0 ? "a stride of 0" : "that buffer was given before");
    }
    if (err != NULL) {
        return err;
    }
    *colon = '\0';
    d->strides[b] = (uint32_t)stride; // at most MAX_STRIDE
    snprintf(name, sizeof name, "vertices%lu", b);
    return add(args, "--vertices", LULL_VK_BUFFER, name, end + 1);
}

LULL_MUST_USE static struct lull_error *add_indices(struct lull_pal_draw_options *d,
                                                    struct lull_vk_args *args)
{
    static const struct {
        const char *word;
        unsigned bytes;
    } types[] = {{"u8=", 1}, {"u16=", 2}, {"u32=", 4}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t n = strlen(types[i].word);
        if (strncmp(d->indices, types[i].word, n) == 0) {
            d->index_bytes = types[i].bytes;
            return add(args, "--indices", LULL_VK_BUFFER, "indices", d->indices + n);
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "--indices: '%s' is not u8=, u16= or u32=CONTENT",
                          d->indices);
}

struct lull_error *lull_pal_draw_resources(struct lull_pal_draw_options *d,
                                           struct lull_vk_args *args)
{
    d->instances = d->instances != 0 ? d->instances : 1;
    if (d->target == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "--draw needs --target");
    }
    struct lull_error *err = add_target(d, args);
    for (unsigned i = 0; err == NULL && i < d->nvertices; i++) {
        err = add_vertices(d, args, d->vertices[i]);
    }
    return err == NULL && d->indices != NULL ? add_indices(d, args) : err;
}

/** The resource @p name, and its buffer on the device. */
static const struct lull_vk_resource *find(const struct lull_pal_draw_parts *p, const char *name,
                                           const struct lull_amd_bo **ret)
{
    const struct lull_vk_resource *r = lull_vk_args_find(p->args, name);
    *ret = r != NULL ? p->bound->bos[r - p->args->resources] : NULL;
    return r;
}

/** Descriptors of vertex buffers; without a format, which fetches have themselves. */
static void make_vertices(const struct lull_pal_draw_options *d,
                          const struct lull_pal_draw_parts *p)
{
    for (unsigned b = 0; b < LULL_PAL_VERTEX_BUFFERS; b++) {
        char name[32] = "";
        const struct lull_amd_bo *bo = NULL;
        snprintf(name, sizeof name, "vertices%u", b);
        const struct lull_vk_resource *r = d->strides[b] != 0 ? find(p, name, &bo) : NULL;
        if (r == NULL) {
            continue;
        }
        uint32_t *const w = p->drawing->vertex_buffers[b];
        w[0] = (uint32_t)bo->va;
        w[1] =
            lull_set((uint32_t)(bo->va >> HIGH), LULL_DESC11_BUF_WORD1__STRIDE_MASK, d->strides[b]);
        w[2] = (uint32_t)(r->size / d->strides[b]); // at most 1 GiB
        w[3] = lull_pal_all_channels();
        w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__FORMAT_MASK,
                        LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
        w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                        LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED);
    }
}

/** FORMAT and NUMBER_TYPE of CB_COLOR0_INFO: the format's name, but for "_UNORM" and the like. */
LULL_MUST_USE static struct lull_error *color_info(const struct lull_vk_format *format,
                                                   uint32_t *ret)
{
    const struct lull_format_info *f = NULL;
    struct lull_error *err = lull_pal_format(format, &f);
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
                *ret = (uint32_t)(formats->values[i].value << formats->lo | numbers->values[k].value
                                                                                << numbers->lo);
                return NULL;
            }
        }
    }
    return lull_error_new(LULL_ERR_UNSUPPORTED, "--target: '%s' is not a format to draw to",
                          format->name);
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

/** The colour target. */
LULL_MUST_USE static struct lull_error *make_target(const struct lull_pal_draw_parts *p)
{
    const struct lull_amd_bo *bo = NULL;
    const struct lull_vk_resource *r = find(p, "target", &bo);
    struct lull_amd_draw *const d = p->draw;
    uint32_t info = 0;
    struct lull_error *err = color_info(r->format, &info);
    if (err != NULL) {
        return err;
    }
    make_viewport(&r->image, d);
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR_CONTROL,
                      lull_set(lull_set(0, LULL_DRAW11_CB_COLOR_CONTROL__MODE_MASK,
                                        LULL_DRAW11_CB_COLOR_CONTROL__MODE__NORMAL),
                               LULL_DRAW11_CB_COLOR_CONTROL__ROP3_MASK,
                               LULL_DRAW11_CB_COLOR_CONTROL__ROP3__COPY));
    lull_amd_draw_set(d, LULL_DRAW11_CB_TARGET_MASK,
                      LULL_DRAW11_CB_TARGET_MASK__TARGET0_ENABLE_MASK);
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_BASE, (uint32_t)(bo->va >> ADDRESS_SHIFT));
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_BASE_EXT, (uint32_t)(bo->va >> ADDRESS_HIGH));
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_VIEW, 0);
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_INFO, info);
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_ATTRIB, 0);
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_FDCC_CONTROL, 0);
    lull_amd_draw_set(
        d, LULL_DRAW11_CB_COLOR0_ATTRIB2,
        lull_set(lull_set(0, LULL_DRAW11_CB_COLOR0_ATTRIB2__MIP0_HEIGHT_MASK, r->image.height - 1),
                 LULL_DRAW11_CB_COLOR0_ATTRIB2__MIP0_WIDTH_MASK, r->image.width - 1));
    lull_amd_draw_set(d, LULL_DRAW11_CB_COLOR0_ATTRIB3,
                      lull_set(0, LULL_DRAW11_CB_COLOR0_ATTRIB3__RESOURCE_TYPE_MASK,
                               LULL_DRAW11_CB_COLOR0_ATTRIB3__RESOURCE_TYPE__2D)); // linear
    lull_amd_draw_set(d, LULL_DRAW11_CB_BLEND0_CONTROL, 0);
    return NULL;
}

/** Where texels of the depth buffer lie; @p va 1 for its size alone. */
static bool depth_tiling(const struct lull_vk_image *i, struct lull_tiling *ret)
{
    const uint32_t w = i->width - 1;
    uint32_t words[8] = {1}; // an address of 0 is not an image
    struct lull_image_desc d = {0};
    words[1] = lull_set(0, LULL_IMG11_WORD1__FORMAT_MASK, lull_format_by_name("32_FLOAT")->code);
    words[1] = lull_set(words[1], LULL_IMG11_WORD1__WIDTH_LO_MASK, w & 3);
    words[2] = lull_set(0, LULL_IMG11_WORD2__WIDTH_HI_MASK, w >> 2);
    words[2] = lull_set(words[2], LULL_IMG11_WORD2__HEIGHT_MASK, i->height - 1);
    words[3] = lull_set(lull_pal_all_channels(), LULL_IMG11_WORD3__TYPE_MASK, LULL_IMAGE_2D);
    words[3] = lull_set(words[3], LULL_IMG11_WORD3__SW_MODE_MASK, DEPTH_TILED);
    lull_image_desc_parse(words, &d);
    d.base = 0;
    return lull_tiling_prepare(&d, 0, ret) == LULL_TEX_OK;
}

/** Copy between the tight form and the tiled one. */
static void copy_depth(const struct lull_pal_draw_options *d, const struct lull_vk_resource *r,
                       bool in)
{
    struct lull_tiling t = {0};
    uint8_t *tight = r->bytes;
    if (!depth_tiling(&r->image, &t)) {
        return; // make_depth() was here before
    }
    for (uint32_t y = 0; y < r->image.height; y++) {
        for (uint32_t x = 0; x < r->image.width; x++, tight += t.bytes) {
            uint8_t *const texel =
                (uint8_t *)d->depth_image->map + lull_tiling_offset(&t, x, y, 0, 0);
            memcpy(in ? texel : tight, in ? tight : texel, t.bytes);
        }
    }
}

void lull_pal_draw_back(const struct lull_pal_draw_options *d, const struct lull_vk_args *args)
{
    if (d->depth_image != NULL) {
        copy_depth(d, lull_vk_args_find(args, "depth"), false);
    }
}

LULL_MUST_USE static struct lull_error *make_depth(struct lull_pal_draw_options *d,
                                                   struct lull_amd_device *device,
                                                   const struct lull_pal_draw_parts *p)
{
    const struct lull_vk_resource *r = lull_vk_args_find(p->args, "depth");
    struct lull_tiling t = {0};
    if (r == NULL) {
        lull_amd_draw_set(p->draw, LULL_DRAW11_DB_DEPTH_CONTROL, 0);
        lull_amd_draw_set(p->draw, LULL_DRAW11_DB_Z_INFO, 0);
        lull_amd_draw_set(p->draw, LULL_DRAW11_DB_STENCIL_INFO, 0);
        return NULL;
    }
    if (!depth_tiling(&r->image, &t)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "--depth: no buffer of that size");
    }
    struct lull_error *err = lull_amd_bo_new(device, "depth", t.size, 0, &d->depth_image);
    if (err != NULL) {
        return err;
    }
    copy_depth(d, r, true);
    const uint64_t va = d->depth_image->va;
    const struct {
        uint32_t offset, value;
    } regs[] = {
        {LULL_DRAW11_DB_Z_INFO, lull_set(lull_set(0, LULL_DRAW11_DB_Z_INFO__FORMAT_MASK,
                                                  LULL_DRAW11_DB_Z_INFO__FORMAT__32_FLOAT),
                                         LULL_DRAW11_DB_Z_INFO__SW_MODE_MASK, DEPTH_TILED)},
        {LULL_DRAW11_DB_STENCIL_INFO, 0},
        {LULL_DRAW11_DB_DEPTH_VIEW, 0},
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
             lull_set(0, LULL_DRAW11_DB_DEPTH_CONTROL__ZFUNC_MASK, (uint32_t)d->depth - 1)},
    };
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        lull_amd_draw_set(p->draw, regs[i].offset, regs[i].value);
    }
    return NULL;
}

/** Counts, indices and what vertices make. */
LULL_MUST_USE static struct lull_error *make_input(const struct lull_pal_draw_options *d,
                                                   const struct lull_pal_draw_parts *p)
{
    struct lull_amd_draw *const draw = p->draw;
    const struct lull_amd_bo *bo = NULL;
    const struct lull_vk_resource *indices = find(p, "indices", &bo);
    draw->count = (uint32_t)d->count; // at most MAX_COUNT
    draw->instances = (uint32_t)d->instances;
    memcpy(p->drawing->groups, d->groups, sizeof d->groups);
    p->drawing->first_vertex = (uint32_t)d->first_vertex;
    p->drawing->first_instance = (uint32_t)d->first_instance;
    lull_amd_draw_set(draw, LULL_DRAW11_VGT_PRIMITIVE_TYPE, topologies[d->topology].in);
    lull_amd_draw_set(draw, LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN, 0);
    if (indices == NULL) {
        return NULL;
    }
    if (indices->size % d->index_bytes != 0 || d->count > indices->size / d->index_bytes) {
        return lull_error_new(LULL_ERR_INVALID, "--draw %llu: --indices has %zu bytes of %u each",
                              (unsigned long long)d->count, indices->size, d->index_bytes);
    }
    draw->index_va = bo->va;
    draw->max_indices = (uint32_t)(indices->size / d->index_bytes);
    lull_amd_draw_set(draw, LULL_DRAW11_VGT_INDEX_TYPE,
                      d->index_bytes == 1   ? LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__8
                      : d->index_bytes == 2 ? LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__16
                                            : LULL_DRAW11_VGT_INDEX_TYPE__INDEX_TYPE__32);
    return NULL;
}

struct lull_error *lull_pal_draw_make(struct lull_pal_draw_options *d,
                                      struct lull_amd_device *device,
                                      const struct lull_pal_draw_parts *p)
{
    struct lull_amd_bo *ring = NULL;
    const uint64_t bytes = lull_amd_attribute_ring_bytes(device);
    struct lull_error *err = lull_amd_bo_new(device, "attribute ring", bytes, 0, &ring);
    if (err == NULL) {
        p->drawing->attribute_ring = ring->va;
        p->drawing->attribute_ring_bytes = bytes;
        make_vertices(d, p);
        err = make_input(d, p);
    }
    err = err != NULL ? err : make_target(p);
    return err != NULL ? err : make_depth(d, device, p);
}

static uint32_t *reg(struct lull_amd_draw *draw, uint32_t offset)
{
    for (unsigned i = 0; i < draw->nregisters && i < LULL_AMD_DRAW_REGISTERS; i++) {
        if (draw->registers[i].offset == offset) {
            return &draw->registers[i].value;
        }
    }
    return NULL;
}

struct lull_error *lull_pal_draw_finish(const struct lull_pal_draw_options *d,
                                        struct lull_amd_draw *draw)
{
    const uint32_t *stages = reg(draw, LULL_DRAW11_VGT_SHADER_STAGES_EN);
    const uint32_t *out = reg(draw, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE);
    const uint32_t *clip = reg(draw, LULL_DRAW11_PA_CL_CLIP_CNTL);
    const bool gs = stages != NULL && (*stages & LULL_DRAW11_VGT_SHADER_STAGES_EN__GS_EN_MASK) != 0;
    if (!gs && out != NULL && *out != topologies[d->topology].out) {
        return lull_error_new(LULL_ERR_INVALID,
                              "--topology: the pipeline is for other primitives "
                              "(VGT_GS_OUT_PRIM_TYPE is %u)",
                              *out);
    }
    if (out == NULL) {
        lull_amd_draw_set(draw, LULL_DRAW11_VGT_GS_OUT_PRIM_TYPE, topologies[d->topology].out);
    }
    lull_amd_draw_set(draw, LULL_DRAW11_PA_CL_CLIP_CNTL,
                      (clip != NULL ? *clip : 0) |
                          LULL_DRAW11_PA_CL_CLIP_CNTL__DX_CLIP_SPACE_DEF_MASK); // 0 to w
    return NULL;
}
