// SPDX-License-Identifier: MIT
// A geometry shader, merged with the vertex shader before it, as a primitive shader. Lanes with a
// vertex run the vertex shader, a function of its own, and put what it gives into LDS; lanes with a
// primitive then run the geometry shader, whose vertices go into LDS, too, each at a place of its
// own; then each lane exports one of these places, and the primitive that ends there, if any. On
// gfx9 they go another way: stage_ring.c.
//
// Source: Mesa 25.0.7, src/amd/common/ac_nir_lower_ngg.c, src/amd/vulkan/radv_shader.c (limits of
// subgroups) and radv_shader_args.c (registers); Vulkan 1.3, "Geometry Shading".
#include <stdio.h>

#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"
#include "spirv/grammar.h"

/** Parameters of the function: SGPRs are 0 to 7. */
enum {
    GROUP_INFO = 2,
    WAVE_INFO = 3,
    FIRST_VGPR = 8,
    PRIMITIVE_ID = 10,
    INVOCATION = 11,
    PRIMITIVE_ID_12 = 9, // of gfx12
    ADJACENT_12 = 10,    // vertices 3 to 5
    VGPR_OF_VERTEX_4 = 4,
};

enum {
    MOST = 256, // of a subgroup: vertices, primitives
    LDS_USUAL = 32 << 10,
    LDS_MOST = 64 << 10,
    PRIMITIVES_USUAL = 64,
    COUNT_MASK = 0xff,
    PRIMITIVES_SHIFT = 8,
    OUT_SHIFT = 12, // in GROUP_INFO: most vertices that can come out
    OUT_MASK = 0x1ff,
    VERTEX_MASK = 0xffff,
    HALF = 16,
    CORNERS_12 = 3, // of a VGPR
    CORNER_BITS_12 = 9,
    CORNER_MASK_12 = 0xff,
    INVOCATION_SHIFT_12 = 27,
    INVOCATION_MASK_12 = 0x1f,
    TARGET_PRIMITIVE = 20,
    WORD = 4,
};

#define NO_PRIMITIVE (UINT32_C(1) << 31)

struct lull_fl_geometry {
    unsigned lanes;      ///< Of primitives of a subgroup, with invocations.
    unsigned primitives; ///< That come in.
    unsigned vertices;   ///< That come in.
    bool alone;          ///< Invocations of a primitive are in subgroups of their own.
    uint64_t keys;       ///< What vertices give.
    LLVMValueRef given;  ///< It, four words for each key of each vertex.
    LLVMValueRef words;  ///< The primitive that ends at each place.
    LLVMValueRef place;  ///< First of the lane's places.
    struct lull_fl_variables outputs;
};

static unsigned item_words(const struct lull_fl_geometry *g)
{
    return WORD * (unsigned)__builtin_popcountll(g->keys);
}

/** Take up what the geometry shader reads of vertices. */
LULL_MUST_USE static struct lull_error *count_input(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl *f = arg;
    const unsigned key = lull_fl_vertex_key(leaf), n = lull_fl_leaf_words(leaf);
    if (leaf->each == 0) {
        return NULL;
    }
    if (leaf->each != f->m->shapes.inputs) {
        return lull_fl_bad(f, "input %%%u: %u vertices; primitives that come in have %u", leaf->id,
                           leaf->each, f->m->shapes.inputs);
    }
    if (key == LULL_FL_VERTEX_KEYS || n == 0) {
        return lull_fl_refuse(f, "input %%%u: built-in %u (%s) of vertices", leaf->id,
                              leaf->decor.builtin, lull_spv_builtin_name(leaf->decor.builtin));
    }
    for (unsigned i = 0; i < (leaf->component + n + WORD - 1) / WORD; i++) {
        f->stage->geometry->keys |= UINT64_C(1) << (key + i);
    }
    return NULL;
}

/** How much a subgroup has: as many primitives as LDS and exports have room for. */
LULL_MUST_USE static struct lull_error *choose_size(struct lull_fl *f, uint64_t out_bytes)
{
    struct lull_fl_geometry *g = f->stage->geometry;
    const struct lull_fr_shapes *s = &f->m->shapes;
    uint64_t bytes = 0;
    if (s->inputs == 0 || s->corners == 0 || s->vertices == 0 || s->invocations == 0) {
        return lull_fl_bad(f, "a geometry shader that does not say what comes in and out");
    }
    if (s->vertices > MOST || s->invocations > MOST / 2) {
        return lull_fl_refuse(f,
                              "a geometry shader of %u vertices and %u invocations; 256 and 128 "
                              "are possible",
                              s->vertices, s->invocations);
    }
    g->alone = s->vertices * s->invocations > MOST;
    const unsigned lanes = g->alone ? 1 : s->invocations;
    g->primitives = g->alone ? 1 : MOST / (s->vertices * lanes);
    g->primitives = g->primitives < PRIMITIVES_USUAL ? g->primitives : PRIMITIVES_USUAL;
    for (;; g->primitives--) {
        g->lanes = g->primitives * lanes;
        g->vertices = g->primitives * s->inputs < MOST ? g->primitives * s->inputs : MOST;
        bytes = (uint64_t)g->lanes * s->vertices * (out_bytes + WORD) +
                (uint64_t)g->vertices * item_words(g) * WORD;
        if (bytes <= LDS_USUAL || g->primitives == 1) {
            break;
        }
    }
    return bytes <= LDS_MOST ? NULL
                             : lull_fl_refuse(f,
                                              "vertices of one primitive that need %llu bytes "
                                              "of LDS; there are %d",
                                              (unsigned long long)bytes, LDS_MOST);
}

/** How much a subgroup of gfx9 has: only what comes in is in LDS. */
LULL_MUST_USE static struct lull_error *choose_size_9(struct lull_fl *f)
{
    enum { VERTICES = 255, PRIMITIVES = 255, PRIMITIVES_FEW = 127, EMITTED = 1024 };
    struct lull_fl_geometry *g = f->stage->geometry;
    const struct lull_fr_shapes *s = &f->m->shapes;
    if (s->inputs == 0 || s->corners == 0 || s->vertices == 0 || s->invocations == 0) {
        return lull_fl_bad(f, "a geometry shader that does not say what comes in and out");
    }
    if (s->vertices > EMITTED || s->invocations > PRIMITIVES_FEW) {
        return lull_fl_refuse(f,
                              "a geometry shader of %u vertices and %u invocations; %d and %d are "
                              "possible",
                              s->vertices, s->invocations, EMITTED, PRIMITIVES_FEW);
    }
    const bool few = s->inputs > 3 || s->invocations > 1; // with adjacency
    const unsigned most = few ? PRIMITIVES_FEW / s->invocations : PRIMITIVES;
    g->primitives = most < PRIMITIVES_USUAL ? most : PRIMITIVES_USUAL;
    for (;; g->primitives--) {
        g->vertices = g->primitives * s->inputs < VERTICES ? g->primitives * s->inputs : VERTICES;
        if (g->vertices * item_words(g) * WORD <= LDS_USUAL || g->primitives == 1) {
            return NULL; // one primitive: at most 6 vertices of 38 keys
        }
    }
}

/** A word of what a vertex gives, whose own begin at word @p first. */
static LLVMValueRef given_word(const struct lull_fl *f, const struct lull_fl_geometry *g,
                               LLVMValueRef first, unsigned key, unsigned component)
{
    const uint64_t below = g->keys & ((UINT64_C(1) << key) - 1);
    const unsigned at = WORD * (unsigned)__builtin_popcountll(below) + component;
    LLVMValueRef index = LLVMBuildAdd(f->b, first, lull_fl_int(f, at), "");
    return LLVMBuildGEP2(f->b, f->i32, g->given, &index, 1, "");
}

/** One part of what the vertex shader gives: into LDS, if the geometry shader reads it. */
LULL_MUST_USE static struct lull_error *put_vertex(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl *f = arg;
    const struct lull_fl_geometry *g = f->stage->geometry;
    const unsigned key = lull_fl_vertex_key(leaf), n = lull_fl_leaf_words(leaf);
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL, words[8] = {0};
    if (key == LULL_FL_VERTEX_KEYS) {
        return lull_fl_refuse(f, "output %%%u: built-in %u (%s), before a geometry shader",
                              leaf->id, leaf->decor.builtin,
                              lull_spv_builtin_name(leaf->decor.builtin));
    }
    if (n == 0) {
        return lull_fl_bad(f, "output %%%u: not the type of the built-in", leaf->id);
    }
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    err = err != NULL ? err : lull_fl_load(f, &at, &v);
    if (err != NULL) {
        return err;
    }
    (void)lull_fl_leaf_to_words(f, leaf, v, words);
    LLVMValueRef first =
        LLVMBuildMul(f->b, lull_fl_param(f, LULL_FL_PART_INDEX), lull_fl_int(f, item_words(g)), "");
    for (unsigned i = 0; i < n; i++) {
        const unsigned word = leaf->component + i;
        if (key + word / WORD < LULL_FL_VERTEX_KEYS && (g->keys >> (key + word / WORD) & 1) != 0) {
            LLVMBuildStore(f->b, words[i], given_word(f, g, first, key + word / WORD, word % WORD));
        }
    }
    return NULL;
}

struct lull_error *lull_fl_vertex_part_end(struct lull_fl *f)
{
    return lull_fr_leaves(f->m, SpvStorageClassOutput, put_vertex, f);
}

/** Number of vertex @p i of the lane's primitive, in the subgroup; on gfx9 where its words begin.
 */
static LLVMValueRef vertex_of(const struct lull_fl *f, unsigned i)
{
    if (f->gfx >= LULL_FL_GFX12) {
        return lull_fl_field(f, lull_fl_param(f, i < CORNERS_12 ? FIRST_VGPR : ADJACENT_12),
                             i % CORNERS_12 * CORNER_BITS_12, CORNER_MASK_12);
    }
    const unsigned vgpr = i < VGPR_OF_VERTEX_4 ? i / 2 : VGPR_OF_VERTEX_4;
    return lull_fl_field(f, lull_fl_param(f, FIRST_VGPR + vgpr), i % 2 * HALF, VERTEX_MASK);
}

struct lull_error *lull_fl_geometry_input(struct lull_fl *f, const struct lull_fr_leaf *leaf)
{
    const struct lull_fl_geometry *g = f->stage->geometry;
    const unsigned key = lull_fl_vertex_key(leaf), n = lull_fl_leaf_words(leaf);
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < leaf->each && err == NULL; i++) {
        struct lull_fl_pointer at = {0};
        LLVMValueRef words[8] = {0}, first = vertex_of(f, i);
        if (!f->stage->has_ring) {
            first = LLVMBuildMul(f->b, first, lull_fl_int(f, item_words(g)), "");
        }
        for (unsigned k = 0; k < n; k++) {
            const unsigned word = leaf->component + k;
            LLVMValueRef from = given_word(f, g, first, key + word / WORD, word % WORD);
            words[k] = LLVMBuildLoad2(f->b, f->i32, from, "");
        }
        err = lull_fl_leaf_at(f, leaf, lull_fl_int(f, i), &at);
        err = err != NULL ? err : lull_fl_store(f, &at, lull_fl_leaf_from_words(f, leaf, words));
    }
    return err;
}

LLVMValueRef lull_fl_geometry_builtin(const struct lull_fl *f, uint32_t which)
{
    const bool gfx12 = f->gfx >= LULL_FL_GFX12;
    if (which == SpvBuiltInInvocationId && gfx12) {
        return lull_fl_field(f, lull_fl_param(f, FIRST_VGPR), INVOCATION_SHIFT_12,
                             INVOCATION_MASK_12);
    }
    if (which == SpvBuiltInPrimitiveId) {
        lull_fl_is_numbered(f);
    }
    return which == SpvBuiltInPrimitiveId ? lull_fl_param(f, gfx12 ? PRIMITIVE_ID_12 : PRIMITIVE_ID)
           : which == SpvBuiltInInvocationId ? lull_fl_param(f, INVOCATION)
                                             : NULL;
}

/** The shader before, in lanes with a vertex. */
static void run_vertices(struct lull_fl *f)
{
    LLVMValueRef args[LULL_FL_PART_INDEX + 1] = {0};
    lull_fl_part_registers(f, args);
    lull_fl_run_part(f, args);
}

struct lull_error *lull_fl_geometry_prepare(struct lull_fl *f)
{
    struct lull_fl_geometry *g = lull_arena_calloc(&f->arena, 1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    f->stage->geometry = g;
    f->stage->has_ring = !lull_fl_is_primitive_shader(f);
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassInput, count_input, f);
    if (f->stage->has_ring) {
        err = err != NULL ? err : choose_size_9(f);
        err = err != NULL ? err : lull_fl_ring_prepare(f);
    } else {
        err = err != NULL ? err : lull_fl_list_variables(f, SpvStorageClassOutput, &g->outputs);
        err = err != NULL ? err : choose_size(f, lull_fl_variables_bytes(f, &g->outputs));
    }
    if (err != NULL) {
        return err;
    }
    g->given = lull_fl_lds(f, f->i32, (uint64_t)g->vertices * item_words(g), "given");
    if (f->stage->has_ring) {
        return NULL;
    }
    const unsigned places = g->lanes * f->m->shapes.vertices;
    g->words = lull_fl_lds(f, f->i32, places, "primitives");
    for (unsigned i = 0; i < g->outputs.n; i++) {
        g->outputs.list[i].all = lull_fl_lds(f, g->outputs.list[i].type, places, "outputs");
    }
    return NULL;
}

struct lull_error *lull_fl_geometry_begin(struct lull_fl *f)
{
    struct lull_fl_stage *s = f->stage;
    s->lane = lull_fl_lane(f);
    LLVMValueRef first = LLVMBuildMul(f->b, lull_fl_wave_number(f), lull_fl_int(f, f->wave), "");
    s->index = LLVMBuildAdd(f->b, first, s->lane, "");
    run_vertices(f);
    struct lull_error *err = lull_fl_meet(f);
    if (err != NULL) {
        return err;
    }
    LLVMBasicBlockRef primitive = LLVMAppendBasicBlockInContext(f->c, f->fn, "primitive");
    s->done = LLVMAppendBasicBlockInContext(f->c, f->fn, "done");
    LLVMValueRef n = lull_fl_field(f, lull_fl_param(f, WAVE_INFO), PRIMITIVES_SHIFT, COUNT_MASK);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, s->lane, n, ""), primitive, s->done);
    LLVMPositionBuilderAtEnd(f->b, primitive);
    if (s->has_ring) {
        lull_fl_ring_begin(f);
    } else {
        s->geometry->place =
            LLVMBuildMul(f->b, s->index, lull_fl_int(f, f->m->shapes.vertices), "");
    }
    for (unsigned i = 0; i < 2; i++) {
        s->counts[i] = LLVMBuildAlloca(f->top, f->i32, "");
        LLVMBuildStore(f->b, lull_fl_int(f, 0), s->counts[i]);
    }
    return NULL;
}

/** The primitive that ends at @p place, if the strip is long enough. */
static LLVMValueRef strip_word(const struct lull_fl *f, LLVMValueRef place, LLVMValueRef strip)
{
    const unsigned corners = f->m->shapes.corners;
    LLVMValueRef word = LLVMBuildSub(f->b, place, lull_fl_int(f, corners - 1), "");
    LLVMValueRef odd = LLVMBuildAnd(f->b, strip, lull_fl_int(f, 1), "");
    for (unsigned i = 1; i < corners; i++) {
        LLVMValueRef back = lull_fl_int(f, corners - 1 - i);
        if (corners == 3) { // every other triangle the other way round
            back = i == 1 ? LLVMBuildSub(f->b, lull_fl_int(f, 1), odd, "") : odd;
        }
        LLVMValueRef v = LLVMBuildSub(f->b, place, back, "");
        v = LLVMBuildShl(f->b, v, lull_fl_int(f, lull_fl_corner_bits(f) * i), "");
        word = LLVMBuildOr(f->b, word, v, "");
    }
    LLVMValueRef long_enough =
        LLVMBuildICmp(f->b, LLVMIntUGE, strip, lull_fl_int(f, corners - 1), "");
    return LLVMBuildSelect(f->b, long_enough, word, lull_fl_int(f, NO_PRIMITIVE), "");
}

static void put_word(const struct lull_fl *f, LLVMValueRef place, LLVMValueRef word)
{
    LLVMValueRef at = LLVMBuildGEP2(f->b, f->i32, f->stage->geometry->words, &place, 1, "");
    LLVMBuildStore(f->b, word, at);
}

static void add_one(const struct lull_fl *f, LLVMValueRef to, LLVMValueRef v)
{
    LLVMBuildStore(f->b, LLVMBuildAdd(f->b, v, lull_fl_int(f, 1), ""), to);
}

/** The outputs as they are now go to the place of the lane's vertex @p n. */
LULL_MUST_USE static struct lull_error *place_outputs(struct lull_fl *f, LLVMValueRef n)
{
    const struct lull_fl_geometry *g = f->stage->geometry;
    LLVMValueRef place = LLVMBuildAdd(f->b, g->place, n, "");
    LLVMValueRef strip = LLVMBuildLoad2(f->b, f->i32, f->stage->counts[1], "");
    for (unsigned i = 0; i < g->outputs.n; i++) {
        const struct lull_fl_io *o = &g->outputs.list[i];
        const struct lull_fl_pointer *p = NULL;
        struct lull_error *err = lull_fl_get_pointer(f, o->id, &p);
        if (err != NULL) {
            return err;
        }
        LLVMValueRef v = LLVMBuildLoad2(f->b, o->type, p->base, "");
        LLVMBuildStore(f->b, v, LLVMBuildGEP2(f->b, o->type, o->all, &place, 1, ""));
    }
    put_word(f, place, strip_word(f, place, strip));
    add_one(f, f->stage->counts[1], strip);
    return NULL;
}

/** The outputs as they are now are a vertex; those beyond the most are ignored. */
LULL_MUST_USE static struct lull_error *emit(struct lull_fl *f)
{
    LLVMBasicBlockRef yes = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMValueRef n = LLVMBuildLoad2(f->b, f->i32, f->stage->counts[0], "");
    LLVMValueRef most = lull_fl_int(f, f->m->shapes.vertices);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, n, most, ""), yes, after);
    LLVMPositionBuilderAtEnd(f->b, yes);
    struct lull_error *err = f->stage->has_ring ? lull_fl_ring_emit(f, n) : place_outputs(f, n);
    add_one(f, f->stage->counts[0], n);
    LLVMBuildBr(f->b, after);
    LLVMPositionBuilderAtEnd(f->b, after);
    return err;
}

static void cut(struct lull_fl *f)
{
    if (f->stage->has_ring) {
        lull_fl_ring_cut(f);
    } else {
        LLVMBuildStore(f->b, lull_fl_int(f, 0), f->stage->counts[1]);
    }
}

struct lull_error *lull_fl_emits(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    const uint32_t op = f->in->op;
    const bool of_stream = op == SpvOpEmitStreamVertex || op == SpvOpEndStreamPrimitive;
    const bool vertex = op == SpvOpEmitVertex || op == SpvOpEmitStreamVertex;
    uint64_t stream = 0;
    *ret_known = vertex || op == SpvOpEndPrimitive || op == SpvOpEndStreamPrimitive;
    *ret = NULL;
    if (!*ret_known) {
        return NULL;
    }
    if (f->stage == NULL || f->stage->geometry == NULL || f->stage->part) {
        return lull_fl_bad(f, "not in a geometry shader");
    }
    struct lull_error *err = of_stream ? lull_fl_number(f, f->in->w[1], &stream) : NULL;
    if (err != NULL || stream != 0) { // only stream 0 is drawn, and nothing else takes vertices
        return err;
    }
    if (vertex) {
        return emit(f);
    }
    cut(f);
    return NULL;
}

/** No primitive ends at the lane's places that nothing was emitted to. */
static void clear_rest(struct lull_fl *f)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->b);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBasicBlockRef one = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMValueRef n = LLVMBuildLoad2(f->b, f->i32, f->stage->counts[0], "");
    LLVMBuildBr(f->b, head);
    LLVMPositionBuilderAtEnd(f->b, head);
    LLVMValueRef i = LLVMBuildPhi(f->b, f->i32, "");
    LLVMValueRef most = lull_fl_int(f, f->m->shapes.vertices);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, i, most, ""), one, f->stage->done);
    LLVMPositionBuilderAtEnd(f->b, one);
    put_word(f, LLVMBuildAdd(f->b, f->stage->geometry->place, i, ""), lull_fl_int(f, NO_PRIMITIVE));
    LLVMValueRef next = LLVMBuildAdd(f->b, i, lull_fl_int(f, 1), "");
    LLVMBuildBr(f->b, head);
    LLVMValueRef from[2] = {n, next};
    LLVMBasicBlockRef blocks[2] = {before, one};
    LLVMAddIncoming(i, from, blocks, 2);
}

/** From here on the output variables are those of the lane's place. */
LULL_MUST_USE static struct lull_error *see_place(struct lull_fl *f)
{
    const struct lull_fl_geometry *g = f->stage->geometry;
    for (unsigned i = 0; i < g->outputs.n; i++) {
        const struct lull_fl_io *o = &g->outputs.list[i];
        struct lull_fl_pointer *p = lull_arena_calloc(&f->arena, 1, sizeof *p);
        if (p == NULL) {
            return &lull_enomem;
        }
        *p = *f->values[o->id].p;
        p->base = LLVMBuildGEP2(f->b, o->type, o->all, &f->stage->index, 1, "");
        f->values[o->id].p = p;
    }
    return NULL;
}

/** What the pass that writes metadata needs to know. */
static void describe(const struct lull_fl *f)
{
    char text[160] = "";
    const struct lull_fl_geometry *g = f->stage->geometry;
    const struct lull_fr_shapes *s = &f->m->shapes;
    if (f->stage->has_ring) {
        snprintf(text, sizeof text,
                 "vertices=%u corners=%u invocations=%u primitives-in=%u vertices-in=%u "
                 "item=%u ring=%u",
                 s->vertices, s->corners, s->invocations, g->primitives,
                 g->vertices >= s->inputs ? g->vertices - s->inputs + 1 : 1, item_words(g),
                 f->stage->ring_words);
        LLVMAddTargetDependentFunctionAttr(f->fn, "lull-geometry", text);
        return;
    }
    snprintf(text, sizeof text,
             "vertices=%u corners=%u invocations=%u primitives-in=%u vertices-in=%u places=%u%s",
             s->vertices, s->corners, s->invocations, g->primitives, g->vertices,
             g->lanes * s->vertices, g->alone ? " alone" : "");
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-geometry", text);
}

static void export_primitive(const struct lull_fl *f)
{
    LLVMValueRef at =
        LLVMBuildGEP2(f->b, f->i32, f->stage->geometry->words, &f->stage->index, 1, "");
    LLVMValueRef poison = LLVMGetPoison(f->i32);
    LLVMValueRef args[8] = {lull_fl_int(f, TARGET_PRIMITIVE),
                            lull_fl_int(f, 1),
                            LLVMBuildLoad2(f->b, f->i32, at, ""),
                            poison,
                            poison,
                            poison,
                            LLVMConstInt(f->i1, 1, false),
                            LLVMConstInt(f->i1, 0, false)};
    lull_fl_call(f, "llvm.amdgcn.exp", f->i32, args, 8);
}

struct lull_error *lull_fl_geometry_end(struct lull_fl *f)
{
    struct lull_fl_out out = {0};
    if (f->stage->has_ring) {
        lull_fl_ring_end(f);
        LLVMBuildBr(f->b, f->stage->done);
        LLVMPositionBuilderAtEnd(f->b, f->stage->done);
        describe(f);
        return NULL;
    }
    clear_rest(f);
    LLVMPositionBuilderAtEnd(f->b, f->stage->done);
    struct lull_error *err = lull_fl_meet(f);
    LLVMValueRef n = lull_fl_field(f, lull_fl_param(f, GROUP_INFO), OUT_SHIFT, OUT_MASK);
    lull_fl_request(f, n, n);
    LLVMBasicBlockRef place = LLVMAppendBasicBlockInContext(f->c, f->fn, "place");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(f->c, f->fn, "");
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, f->stage->index, n, ""), place, after);
    LLVMPositionBuilderAtEnd(f->b, place);
    export_primitive(f);
    err = err != NULL ? err : see_place(f);
    err = err != NULL ? err : lull_fl_out_collect(f, NULL, false, &out);
    if (err != NULL) {
        return err;
    }
    lull_fl_out_store(f, f->stage->keys, f->stage->index);
    lull_fl_out_positions(f, &out, NULL);
    lull_fl_out_describe(f, &out);
    describe(f);
    LLVMBuildBr(f->b, after);
    LLVMPositionBuilderAtEnd(f->b, after);
    return NULL;
}
