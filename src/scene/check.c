// SPDX-License-Identifier: MIT
// What no single line can know: what a draw needs, what reads beyond its buffer, what ends.
#include "scene/parse.h"

enum {
    MAX_TEXELS = 1 << 26,
    COUNT_BYTES = 4,
    ARGS = 16,         ///< Bytes of VkDrawIndirectCommand.
    INDEXED_ARGS = 20, ///< Of VkDrawIndexedIndirectCommand.
    MESH_ARGS = 12,    ///< Of VkDrawMeshTasksIndirectCommandEXT.
};

static bool is_indexed(enum lull_scene_step_kind k)
{
    return k == LULL_SCENE_DRAW_INDEXED || k == LULL_SCENE_DRAW_INDEXED_INDIRECT ||
           k == LULL_SCENE_DRAW_INDEXED_INDIRECT_COUNT;
}

/** Arguments are in a buffer. */
static bool is_indirect(enum lull_scene_step_kind k)
{
    return k == LULL_SCENE_DRAW_INDIRECT || k == LULL_SCENE_DRAW_INDEXED_INDIRECT ||
           k == LULL_SCENE_DRAW_MESH_INDIRECT;
}

/** And their number in another. */
static bool is_counted(enum lull_scene_step_kind k)
{
    return k == LULL_SCENE_DRAW_INDIRECT_COUNT || k == LULL_SCENE_DRAW_INDEXED_INDIRECT_COUNT ||
           k == LULL_SCENE_DRAW_MESH_INDIRECT_COUNT;
}

/** Does "offset, then n times @p bytes, each @p stride further" lie in the buffer? */
static bool inside(const struct lull_scene *s, uint32_t buffer, uint64_t offset, uint64_t n,
                   uint64_t stride, uint64_t bytes)
{
    return n == 0 || offset + (n - 1) * stride + bytes <= s->buffers[buffer].size;
}

static void shaders(struct scene_parse *p, const struct lull_scene_step *d)
{
    const uint32_t *of = d->state->shader;
    const bool mesh = lull_scene_is_mesh(d->kind);
    const bool patches = d->state->topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    if (mesh && (of[LULL_SCENE_MESH] == 0 || of[LULL_SCENE_VERT] != 0)) {
        scene_complain(p, "draw_mesh needs a shader 'mesh', and none 'vert'", "");
    } else if (!mesh && (of[LULL_SCENE_VERT] == 0 || of[LULL_SCENE_MESH] != 0)) {
        scene_complain(p, "a draw needs a shader 'vert', and none 'mesh'", "");
    } else if ((of[LULL_SCENE_TESC] != 0) != (of[LULL_SCENE_TESE] != 0)) {
        scene_complain(p, "shaders 'tesc' and 'tese' need each other", "");
    } else if (!mesh && (of[LULL_SCENE_TESC] != 0) != patches) {
        scene_complain(p, "tessellation shaders and 'topology patches' need each other", "");
    } else if (mesh && (of[LULL_SCENE_TESC] != 0 || of[LULL_SCENE_GEOM] != 0)) {
        scene_complain(p, "mesh shaders have no tessellation or geometry shaders behind them", "");
    } else if (!mesh && of[LULL_SCENE_TASK] != 0) {
        scene_complain(p, "a shader 'task' needs draw_mesh", "");
    }
}

/** What a draw reads of indices, arguments and counts. */
static void reads(struct scene_parse *p, const struct lull_scene_step *d)
{
    static const unsigned index_bytes[] = {[VK_INDEX_TYPE_UINT16] = 2, [VK_INDEX_TYPE_UINT32] = 4};
    const struct lull_scene *s = p->s;
    const struct lull_scene_state *t = d->state;
    const uint32_t *a = d->args;
    const uint64_t bytes = is_indexed(d->kind)           ? INDEXED_ARGS
                           : lull_scene_is_mesh(d->kind) ? MESH_ARGS
                                                         : ARGS;
    bool good = true;
    if (is_indexed(d->kind) && t->index_buffer == LULL_SCENE_NONE) {
        scene_complain(p, "a draw of indices needs a line 'index' above", "");
        return;
    }
    const enum lull_scene_step_kind k = d->kind;
    if (k == LULL_SCENE_DRAW_INDEXED) {
        const unsigned size =
            t->index_type == VK_INDEX_TYPE_UINT8_EXT ? 1 : index_bytes[t->index_type];
        good = inside(s, t->index_buffer, (uint64_t)a[2] * size, a[0], size, size);
    } else if (is_indirect(k)) {
        good = inside(s, a[0], a[1], a[2], a[3], bytes) && a[1] % 4 == 0 && a[3] % 4 == 0 &&
               (a[2] < 2 || a[3] >= bytes);
    } else if (is_counted(k)) {
        good = inside(s, a[0], a[1], a[4], bytes, bytes) && a[1] % 4 == 0 && a[3] % 4 == 0 &&
               inside(s, a[2], a[3], 1, 0, COUNT_BYTES);
    } else if (k == LULL_SCENE_DRAW_FEEDBACK) {
        good = inside(s, a[0], 0, 1, 0, COUNT_BYTES) && a[1] != 0;
    }
    if (!good) {
        scene_complain(p, "the draw reads beyond its buffer, or not at a multiple of 4 bytes", "");
    }
}

/** What runs from one line to another. */
struct open {
    bool query, condition, feedback;
    unsigned queries;
};

static void query(struct scene_parse *p, const struct lull_scene_step *t, struct open *o)
{
    const bool begins = t->kind == LULL_SCENE_QUERY_BEGIN;
    if (o->query == begins) {
        scene_complain(p, begins ? "the query before it has not ended" : "there is no query to end",
                       "");
    }
    o->query = begins && t->args[0] != VK_QUERY_TYPE_TIMESTAMP;
    o->queries += begins;
    if (o->queries > LULL_SCENE_QUERIES) {
        scene_complain(p, "more queries than 16", "");
    }
}

static void condition(struct scene_parse *p, const struct lull_scene_step *t, struct open *o)
{
    const bool begins = t->kind == LULL_SCENE_CONDITION_BEGIN;
    if (o->condition == begins) {
        scene_complain(
            p, begins ? "the condition before it has not ended" : "there is no condition to end",
            "");
    }
    if (begins &&
        (t->args[1] % 4 != 0 || !inside(p->s, t->args[0], t->args[1], 1, 0, COUNT_BYTES))) {
        scene_complain(p, "a condition is 4 bytes of its buffer, at a multiple of 4", "");
    }
    o->condition = begins;
}

static void feedback(struct scene_parse *p, const struct lull_scene_step *t, struct open *o)
{
    const bool begins = t->kind == LULL_SCENE_FEEDBACK_BEGIN;
    if (o->feedback == begins) {
        scene_complain(
            p, begins ? "the feedback before it has not ended" : "there is no feedback to end", "");
    }
    if (p->s->secondary) {
        scene_complain(p, "feedback needs 'secondary off'", "");
    }
    for (unsigned i = 1; begins && i < LULL_SCENE_DRAW_ARGS; i += 2) {
        if (t->args[i] != LULL_SCENE_NONE && p->s->buffers[t->args[i]].size < COUNT_BYTES) {
            scene_complain(p, "a counter has 4 bytes", "");
        }
    }
    o->feedback = begins;
}

static void one_step(struct scene_parse *p, const struct lull_scene_step *t, struct open *o)
{
    const enum lull_scene_step_kind k = t->kind;
    if (k == LULL_SCENE_QUERY_BEGIN || k == LULL_SCENE_QUERY_END) {
        query(p, t, o);
    } else if (k == LULL_SCENE_CONDITION_BEGIN || k == LULL_SCENE_CONDITION_END) {
        condition(p, t, o);
    } else if (k == LULL_SCENE_FEEDBACK_BEGIN || k == LULL_SCENE_FEEDBACK_END) {
        feedback(p, t, o);
    } else if (k != LULL_SCENE_CLEAR) {
        shaders(p, t);
        reads(p, t);
    } else if (t->args[1] + t->args[3] > p->s->width || t->args[2] + t->args[4] > p->s->height ||
               t->args[3] == 0 || t->args[4] == 0) {
        scene_complain(p, "the rectangle is empty, or not inside the picture", "");
    }
}

void scene_check(struct scene_parse *p)
{
    const struct lull_scene *s = p->s;
    struct open o = {0};
    const unsigned last = p->line;
    for (size_t i = 0; p->err == NULL && i < s->nsteps; i++) {
        p->line = s->steps[i].line;
        one_step(p, &s->steps[i], &o);
    }
    p->line = last;
    if (s->nsteps == 0 || (s->ntargets == 0 && s->depth.format == NULL)) {
        scene_complain(p, "a scene needs a target or depth, and a draw", "");
    }
    if (o.query || o.condition || o.feedback) {
        scene_complain(p, "the scene ends inside",
                       o.query       ? "query"
                       : o.condition ? "condition"
                                     : "feedback");
    }
    if ((uint64_t)s->width * s->height * s->layers * s->samples > MAX_TEXELS) {
        scene_complain(p, "size, layers and samples make more than 2^26 texels", "");
    }
    if (s->views != 0 && (s->layers >= 32 || s->views != (1U << s->layers) - 1)) {
        scene_complain(p, "'views' names each layer, or none", "");
    }
}
