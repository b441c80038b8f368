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
    {LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__PATCH, 0}, // the pipeline says it
};

/** The topology as the GPU knows it. */
LULL_MUST_USE static struct lull_error *topology_of(const struct lull_pal_draw_options *d,
                                                    uint32_t *ret)
{
    *ret = topologies[d->topology].in;
    if (!d->adjacency) {
        return NULL;
    }
    switch (*ret) {
    case LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINELIST:
        *ret = LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINELIST_ADJ;
        return NULL;
    case LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINESTRIP:
        *ret = LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__LINESTRIP_ADJ;
        return NULL;
    case LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST:
        *ret = LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRILIST_ADJ;
        return NULL;
    case LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRISTRIP:
        *ret = LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__TRISTRIP_ADJ;
        return NULL;
    default:
        return lull_error_new(LULL_ERR_INVALID,
                              "--adjacency is for --topology triangles, triangle-strip, lines and "
                              "line-strip");
    }
}

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
    {"--topology", NULL, "triangles|triangle-strip|triangle-fan|lines|line-strip|points|patches",
     "what vertices make; triangles if not given", LULL_OPT_CHOICE,
     LULL_OPT_AT(struct lull_pal_draw_options, topology)},
    {"--adjacency", NULL, NULL, "the topology has vertices beside, for a geometry shader",
     LULL_OPT_FLAG, LULL_OPT_AT(struct lull_pal_draw_options, adjacency)},
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
    struct lull_error *err = lull_pal_target_resources(&d->to, args);
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
        // Of the last vertex there may be only what is fetched.
        w[2] = (uint32_t)((r->size + d->strides[b] - 1) / d->strides[b]); // at most 1 GiB
        w[3] = lull_pal_all_channels();
        w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__FORMAT_MASK,
                        LULL_DESC11_BUF_WORD3__FORMAT__32_UINT);
        w[3] = lull_set(w[3], LULL_DESC11_BUF_WORD3__OOB_SELECT_MASK,
                        LULL_DESC11_BUF_WORD3__OOB_SELECT__STRUCTURED);
    }
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
    uint32_t topology = 0;
    struct lull_error *err = topology_of(d, &topology);
    lull_amd_draw_set(draw, LULL_DRAW11_VGT_PRIMITIVE_TYPE, topology);
    lull_amd_draw_set(draw, LULL_DRAW11_GE_MULTI_PRIM_IB_RESET_EN, 0);
    if (err != NULL || indices == NULL) {
        return err;
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

static bool is_patches(const struct lull_pal_draw_options *d)
{
    return topologies[d->topology].in == LULL_DRAW11_VGT_PRIMITIVE_TYPE__PRIM_TYPE__PATCH;
}

/** Memory for levels of patches, and for what hull shaders put out. */
LULL_MUST_USE static struct lull_error *make_patches(struct lull_amd_device *device,
                                                     struct lull_pal_drawing *drawing)
{
    struct lull_amd_bo *levels = NULL, *off_chip = NULL;
    drawing->levels_bytes = lull_amd_tess_level_bytes(device);
    drawing->off_chip_bytes = lull_amd_tess_off_chip_bytes(device);
    struct lull_error *err =
        lull_amd_bo_new(device, "levels of patches", drawing->levels_bytes, 0, &levels);
    err = err != NULL
              ? err
              : lull_amd_bo_new(device, "patches off chip", drawing->off_chip_bytes, 0, &off_chip);
    if (err == NULL) {
        drawing->levels = levels->va;
        drawing->off_chip = off_chip->va;
    }
    return err;
}

struct lull_error *lull_pal_draw_make(struct lull_pal_draw_options *d,
                                      struct lull_amd_device *device,
                                      const struct lull_pal_draw_parts *p)
{
    struct lull_amd_bo *ring = NULL;
    const uint64_t bytes = lull_amd_attribute_ring_bytes(device);
    struct lull_error *err = lull_amd_bo_new(device, "attribute ring", bytes, 0, &ring);
    p->drawing->patches = is_patches(d);
    err = err == NULL && p->drawing->patches ? make_patches(device, p->drawing) : err;
    if (err == NULL) {
        p->drawing->attribute_ring = ring->va;
        p->drawing->attribute_ring_bytes = bytes;
        make_vertices(d, p);
        err = make_input(d, p);
    }
    return err != NULL ? err : lull_pal_target_make(&d->to, device, p->args, p->bound, p->draw);
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
    if (!gs && !is_patches(d) && out != NULL && *out != topologies[d->topology].out) {
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
