// SPDX-License-Identifier: MIT
// A scene from its text to its results.
#include "vk/draw/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "vk/draw/internal.h"

/** What of conservative rasterisation is not for every device that has it. */
LULL_MUST_USE static struct lull_error *lacks_conservative(struct lull_vk *vk, uint32_t mode)
{
    VkPhysicalDeviceConservativeRasterizationPropertiesEXT p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &p};
    if ((vk->extras >> VK_EXTRA_CONSERVATIVE & 1) == 0) {
        return NULL; // said below
    }
    vk->api.GetPhysicalDeviceProperties2(vk->physical, &all);
    if (mode == VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT &&
        p.primitiveUnderestimation == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no primitive underestimation");
    }
    return mode == LULL_SCENE_INNER && p.fullyCoveredFragmentShaderInputVariable == 0
               ? lull_error_new(LULL_ERR_UNSUPPORTED, "no fully covered input")
               : NULL;
}

/** What a state asks for, as bits of extras. */
static unsigned state_needs(const struct lull_scene_state *t)
{
    unsigned needs = 0;
    needs |= t->provoking != 0 ? 1U << VK_EXTRA_PROVOKING : 0;
    needs |= t->depth_clip != LULL_SCENE_AUTO ? 1U << VK_EXTRA_DEPTH_CLIP : 0;
    needs |= t->line_mode != 0 || t->stipple_factor != 0 ? 1U << VK_EXTRA_LINES : 0;
    needs |= t->conservative != 0 ? 1U << VK_EXTRA_CONSERVATIVE : 0;
    needs |= t->interlock != 0 ? 1U << VK_EXTRA_INTERLOCK : 0;
    needs |= t->rate.width > 1 || t->rate.height > 1 ? 1U << VK_EXTRA_RATE : 0;
    needs |= t->has_rectangles != 0 ? 1U << VK_EXTRA_RECTANGLES : 0;
    needs |= t->negative_one != 0 ? 1U << VK_EXTRA_CLIP_CONTROL : 0;
    needs |= t->index_type == VK_INDEX_TYPE_UINT8_EXT ? 1U << VK_EXTRA_INDEX_U8 : 0;
    return needs;
}

/** The same of a step. */
static unsigned step_needs(const struct lull_scene_step *t)
{
    unsigned needs = t->state != NULL ? state_needs(t->state) : 0;
    needs |= lull_scene_is_mesh(t->kind) ? 1U << VK_EXTRA_MESH : 0;
    needs |= t->kind == LULL_SCENE_CONDITION_BEGIN ? 1U << VK_EXTRA_CONDITION : 0;
    needs |= t->kind == LULL_SCENE_FEEDBACK_BEGIN ? 1U << VK_EXTRA_FEEDBACK : 0;
    const bool generated =
        t->kind == LULL_SCENE_QUERY_BEGIN && t->args[0] == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
    return needs | (generated ? 1U << VK_EXTRA_GENERATED : 0);
}

/** Features of Vulkan itself. */
LULL_MUST_USE static struct lull_error *state_lacks(struct lull_vk *vk,
                                                    const struct lull_scene_state *t)
{
    if (t->has_bounds != 0 && vk->features.core.features.depthBounds == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no depth bounds");
    }
    if (t->alpha_to_one != 0 && vk->features.core.features.alphaToOne == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no alpha to one");
    }
    if (t->stipple_factor != 0 && vk->features.lines.stippledBresenhamLines == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no stippled lines");
    }
    return lacks_conservative(vk, t->conservative);
}

struct lull_error *lull_vk_lacks(struct lull_vk *vk, const struct lull_scene *s)
{
    const VkPhysicalDeviceLimits *l = &vk->props.properties.limits;
    const VkSampleCountFlags counts =
        (s->ntargets != 0 ? l->framebufferColorSampleCounts : ~0U) &
        (s->depth.format != NULL ? l->framebufferDepthSampleCounts : ~0U);
    unsigned needs = 0;
    for (size_t i = 0; i < s->nsteps; i++) {
        const struct lull_scene_step *t = &s->steps[i];
        needs |= step_needs(t);
        struct lull_error *err = t->state != NULL ? state_lacks(vk, t->state) : NULL;
        if (err != NULL) {
            return err;
        }
    }
    static const char *const names[VK_NEXTRAS] = {"transform feedback",
                                                  "conditional rendering",
                                                  "mesh shaders",
                                                  "vertex divisors",
                                                  "provoking vertex",
                                                  "depth clip enable",
                                                  "clip control",
                                                  "8-bit indices",
                                                  "query of generated primitives",
                                                  "line modes",
                                                  "conservative rasterisation",
                                                  "discard rectangles",
                                                  "fragment shader interlock",
                                                  "shading rates"};
    for (unsigned i = 0; i < VK_NEXTRAS; i++) {
        if ((needs & ~vk->extras) >> i & 1) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "no %s", names[i]);
        }
    }
    return (counts & s->samples) != 0
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "no %u samples", s->samples);
}

LULL_MUST_USE static struct lull_error *keep(struct lull_drawn *d, const char *name,
                                             const void *bytes, size_t size)
{
    struct lull_drawn_item *i = &d->items[d->n];
    i->bytes = malloc(size + 1);
    if (i->bytes == NULL) {
        return &lull_enomem;
    }
    memcpy(i->bytes, bytes, size);
    i->size = size;
    snprintf(i->name, sizeof i->name, "%s", name);
    d->n++;
    return NULL;
}

static const char *query_name(VkQueryType type)
{
    return type == VK_QUERY_TYPE_PIPELINE_STATISTICS             ? "statistics"
           : type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? "feedback"
           : type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT      ? "generated"
           : type == VK_QUERY_TYPE_TIMESTAMP                     ? "timestamp"
                                                                 : "occlusion";
}

/** A word and its numbers, a line for each query. */
LULL_MUST_USE static struct lull_error *queries(struct draw_work *w, struct lull_str *out)
{
    for (uint32_t i = 0; i < w->nqueries; i++) {
        uint64_t values[DRAW_STATISTICS] = {0};
        const VkQueryType type = w->query_types[i];
        const unsigned count = type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? DRAW_STATISTICS
                               : type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT ? 2
                                                                                     : 1;
        struct lull_error *err = vk_check(
            w->vk,
            w->vk->api.GetQueryPoolResults(w->vk->device, w->queries[i], 0, 1, sizeof values,
                                           values, sizeof values, VK_QUERY_RESULT_64_BIT),
            "vkGetQueryPoolResults");
        if (err == NULL && memcmp(values, w->copied.map + (size_t)i * DRAW_QUERY_BYTES,
                                  count * sizeof values[0]) != 0) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "query %u: its copied results are others", i);
        }
        if (err != NULL) {
            return err;
        }
        lull_str_addf(out, "%s", query_name(type));
        for (unsigned k = 0; k < count; k++) {
            lull_str_addf(out, " %" PRIu64, values[k]);
        }
        lull_str_addf(out, "\n");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *results(struct draw_work *w, struct lull_drawn *ret)
{
    struct lull_str text = {0};
    struct lull_error *err = queries(w, &text);
    err = err != NULL ? err : text.err;
    if (err == NULL && text.size != 0) {
        err = keep(ret, "queries", text.text, text.size);
    }
    lull_str_free(&text);
    for (uint32_t i = 0; err == NULL && i < LULL_SCENE_TARGETS + 2; i++) {
        char what[LULL_SCENE_NAME] = "";
        snprintf(what, sizeof what, "target%u", i);
        const char *as = i == LULL_SCENE_TARGETS + 1 ? "stencil"
                         : i == LULL_SCENE_TARGETS   ? "depth"
                                                     : what;
        if (w->results[i].map != NULL) {
            err = keep(ret, as, w->results[i].map, w->results[i].size);
        }
    }
    for (uint32_t i = 0; err == NULL && i < w->s->nbuffers; i++) {
        const struct lull_scene_buffer *b = &w->s->buffers[i];
        if (b->out) {
            err = keep(ret, b->name, w->buffers[i].map, b->size);
        }
    }
    return err;
}

struct lull_error *lull_vk_draw(struct lull_vk *vk, const struct lull_scene *s, uint64_t timeout_ns,
                                struct lull_drawn *ret)
{
    struct draw_work *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return &lull_enomem;
    }
    w->vk = vk;
    w->s = s;
    struct lull_error *err = lull_vk_lacks(vk, s);
    if (err == NULL) {
        err = draw_make(w);
    }
    if (err == NULL) {
        err = draw_pipelines(w);
    }
    if (err == NULL) {
        err = draw_run(w, timeout_ns, &ret->end);
    }
    if (err == NULL && ret->end == LULL_VK_DONE) {
        err = results(w, ret);
    }
    draw_done(w);
    free(w);
    return err;
}

void lull_drawn_done(struct lull_drawn *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->items[i].bytes);
    }
    *d = (struct lull_drawn){0};
}
