// SPDX-License-Identifier: MIT
// A tessellation control shader, merged with the vertex shader before it (amdgpu_hs). Lanes with a
// vertex run the vertex shader, a function of its own, which puts what the control shader reads
// into LDS; lanes with an output vertex then run the control shader, whose outputs are in LDS, too,
// since all lanes of a patch may read them; behind its end each lane moves its vertex off chip, and
// the first of a patch what belongs to the patch, and its levels.
//
// Source: Mesa 25.0.7, src/amd/common/nir/ac_nir_lower_tess_io_to_mem.c and
// src/amd/vulkan/radv_shader_args.c (registers); Vulkan 1.3, "Tessellation Control Shaders".
#include <stdio.h>

#include <llvm-c/Target.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/stage.h"

/** Parameters of the function: SGPRs are 0 to 7. */
enum {
    BASE_OFF_CHIP = 2,
    WAVE_INFO = 3,
    BASE_LEVELS = 4,
    WAVE = 5,
    PATCH_ID = 8,
    RELATIVE_IDS = 9,
};

enum {
    MOST = 256, // lanes of a group
    MOST_POINTS = 32,
    OFF_CHIP_BYTES = 32 << 10, // of a group
    LDS_USUAL = 32 << 10,
    LDS_MOST = 64 << 10,
    COUNT_MASK = 0xff,
    POINTS_SHIFT = 8, // in WAVE_INFO: output vertices
    WAVE_MASK = 0x1f,
    PATCH_MASK = 0xff, // in RELATIVE_IDS
    POINT_SHIFT = 8,
    POINT_MASK = 0x1f,
    LEVELS = 9, // descriptor of the global table; LLPC's SiDrvTableTfBufferOffs
    LEVEL_BYTES = 4,
};

/** Levels of a patch, by domain. */
static const struct {
    uint8_t outer, inner;
} levels[] = {[LULL_FR_TRIANGLES] = {3, 1}, [LULL_FR_QUADS] = {4, 2}, [LULL_FR_ISOLINES] = {2, 0}};

/** Take up an input that each vertex has: memory for it in LDS. */
LULL_MUST_USE static struct lull_error *add_input(void *arg, const struct lull_fr_leaf *leaf)
{
    struct lull_fl *f = arg;
    struct lull_fl_variables *in = &f->stage->hull->inputs;
    if (leaf->each == 0 || lull_fl_io_of(in, leaf->id) != NULL) {
        return NULL;
    }
    if (in->n == LULL_FL_MOST_VARIABLES) {
        return lull_fl_refuse(f, "more than %d interface variables", LULL_FL_MOST_VARIABLES);
    }
    struct lull_fl_io *one = &in->list[in->n++];
    one->id = leaf->id;
    one->t = lull_fr_type_of(f->m, f->m->ids[leaf->id].pointer)->element->element;
    return lull_fl_memory_type(f, one->t, &one->type);
}

/** How many patches a group has: as many as lanes, LDS and memory off chip have room for. */
LULL_MUST_USE static struct lull_error *choose_size(const struct lull_fl *f)
{
    struct lull_fl_hull *h = f->stage->hull;
    const uint64_t in = lull_fl_variables_bytes(f, &h->inputs) * MOST_POINTS;
    const uint64_t one = in + lull_fl_variables_bytes(f, &h->outputs);
    const uint32_t off = lull_fl_tess_bytes(f->tess);
    for (h->patches = MOST / MOST_POINTS; h->patches > 1; h->patches--) {
        if (one * h->patches <= LDS_USUAL && (uint64_t)off * h->patches <= OFF_CHIP_BYTES) {
            break;
        }
    }
    return one <= LDS_MOST && off <= OFF_CHIP_BYTES
               ? NULL
               : lull_fl_refuse(f,
                                "a patch that needs %llu bytes of LDS and %u off chip; there are "
                                "%d and %d",
                                (unsigned long long)one, off, LDS_MOST, OFF_CHIP_BYTES);
}

struct lull_error *lull_fl_hull_prepare(struct lull_fl *f)
{
    struct lull_fl_hull *h = lull_arena_calloc(&f->arena, 1, sizeof *h);
    if (h == NULL) {
        return &lull_enomem;
    }
    f->stage->hull = h;
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassInput, add_input, f);
    err = err != NULL ? err : lull_fl_list_variables(f, SpvStorageClassOutput, &h->outputs);
    err = err != NULL ? err : choose_size(f);
    for (unsigned i = 0; err == NULL && i < h->inputs.n; i++) {
        struct lull_fl_io *one = &h->inputs.list[i];
        one->all = lull_fl_lds(f, one->type, (uint64_t)h->patches * MOST_POINTS, "vertices");
    }
    for (unsigned i = 0; err == NULL && i < h->outputs.n; i++) {
        struct lull_fl_io *one = &h->outputs.list[i];
        one->all = lull_fl_lds(f, one->type, h->patches, "patches");
    }
    return err;
}

/** Number of the lane's vertex in its group. Before gfx11 a wave does not know its own number. */
static LLVMValueRef vertex_index(const struct lull_fl *f)
{
    if (f->gfx < LULL_FL_GFX11) {
        return lull_fl_register(f, LULL_FL_RELATIVE_VERTEX);
    }
    LLVMValueRef wave = lull_fl_field(f, lull_fl_param(f, WAVE), 0, WAVE_MASK);
    LLVMValueRef first = LLVMBuildMul(f->b, wave, lull_fl_int(f, f->wave), "");
    return LLVMBuildAdd(f->b, first, f->stage->lane, "");
}

/** A wave without output vertices has its vertices' registers two places earlier: a fault of
 * these chips. Source: Mesa 25.0.7, has_ls_vgpr_init_bug. */
static LLVMValueRef unless_empty(const struct lull_fl *f, LLVMValueRef v, unsigned earlier)
{
    if (!lull_fl_is_chip(f, "gfx900") && !lull_fl_is_chip(f, "gfx902")) {
        return v;
    }
    LLVMValueRef n = lull_fl_field(f, lull_fl_param(f, WAVE_INFO), POINTS_SHIFT, COUNT_MASK);
    LLVMValueRef empty = LLVMBuildICmp(f->b, LLVMIntEQ, n, lull_fl_int(f, 0), "");
    return LLVMBuildSelect(f->b, empty, lull_fl_param(f, earlier), v, "");
}

/** The vertex shader: parameters as those of a primitive shader. */
static void run_vertices(struct lull_fl *f)
{
    enum { PART_VERTEX = 13, PART_INSTANCE = 16 };
    LLVMValueRef args[LULL_FL_PART_INDEX + 1] = {0};
    lull_fl_part_registers(f, args);
    args[PART_VERTEX] = unless_empty(f, args[PART_VERTEX], PATCH_ID);
    args[PART_INSTANCE] = unless_empty(f, args[PART_INSTANCE], PATCH_ID + 2);
    lull_fl_run_part(f, args);
}

struct lull_error *lull_fl_hull_begin(struct lull_fl *f)
{
    struct lull_fl_stage *s = f->stage;
    struct lull_fl_hull *h = s->hull;
    s->lane = lull_fl_lane(f);
    s->index = unless_empty(f, vertex_index(f), RELATIVE_IDS);
    run_vertices(f);
    struct lull_error *err = lull_fl_meet(f);
    if (err != NULL) {
        return err;
    }
    LLVMBasicBlockRef point = LLVMAppendBasicBlockInContext(f->c, f->fn, "point");
    s->done = LLVMAppendBasicBlockInContext(f->c, f->fn, "done");
    LLVMValueRef n = lull_fl_field(f, lull_fl_param(f, WAVE_INFO), POINTS_SHIFT, COUNT_MASK);
    LLVMBuildCondBr(f->b, LLVMBuildICmp(f->b, LLVMIntULT, s->lane, n, ""), point, s->done);
    LLVMPositionBuilderAtEnd(f->b, point);
    h->patch = lull_fl_field(f, lull_fl_param(f, RELATIVE_IDS), 0, PATCH_MASK);
    h->point = lull_fl_field(f, lull_fl_param(f, RELATIVE_IDS), POINT_SHIFT, POINT_MASK);
    LLVMValueRef in = lull_fl_extern(f, "lull.patch.vertices", f->i32, NULL, 0);
    h->first = LLVMBuildMul(f->b, h->patch, in, "");
    return NULL;
}

struct lull_error *lull_fl_hull_input(struct lull_fl *f, const struct lull_fr_leaf *leaf)
{
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL;
    if (leaf->each != 0) {
        return NULL; // in LDS
    }
    struct lull_error *err = lull_fl_leaf_at(f, leaf, NULL, &at);
    if (leaf->decor.builtin == SpvBuiltInPrimitiveId) {
        lull_fl_is_numbered(f);
        v = lull_fl_param(f, PATCH_ID);
    } else if (leaf->decor.builtin == SpvBuiltInInvocationId) {
        v = f->stage->hull->point;
    } else if (leaf->decor.builtin == SpvBuiltInPatchVertices) {
        v = lull_fl_extern(f, "lull.patch.vertices", f->i32, NULL, 0);
    } else if (err == NULL) {
        err = lull_fl_builtin(f, leaf->decor.builtin, leaf->type, &v);
    }
    return err != NULL ? err : lull_fl_store(f, &at, v);
}

/** What a vertex shader gives, by key. */
struct given {
    struct lull_fl *f;
    LLVMValueRef words[LULL_FL_VERTEX_KEYS][LULL_FL_WORDS];
};

LULL_MUST_USE static struct lull_error *take_vertex(void *arg, const struct lull_fr_leaf *leaf)
{
    struct given *g = arg;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL, words[8] = {0};
    const unsigned key = lull_fl_vertex_key(leaf), n = lull_fl_leaf_words(leaf);
    if (key == LULL_FL_VERTEX_KEYS || n == 0) {
        return lull_fl_refuse(g->f, "output %%%u: built-in %u (%s), before a tessellation shader",
                              leaf->id, leaf->decor.builtin,
                              lull_spv_builtin_name(leaf->decor.builtin));
    }
    struct lull_error *err = lull_fl_leaf_at(g->f, leaf, NULL, &at);
    err = err != NULL ? err : lull_fl_load(g->f, &at, &v);
    if (err != NULL) {
        return err;
    }
    (void)lull_fl_leaf_to_words(g->f, leaf, v, words);
    for (unsigned i = 0; i < n; i++) {
        const unsigned at_word = key * LULL_FL_WORDS + leaf->component + i;
        if (at_word / LULL_FL_WORDS < LULL_FL_VERTEX_KEYS) {
            g->words[at_word / LULL_FL_WORDS][at_word % LULL_FL_WORDS] = words[i];
        }
    }
    return NULL;
}

/** One part of what the control shader reads of vertices: into LDS, as it has it. */
LULL_MUST_USE static struct lull_error *put_vertex(void *arg, const struct lull_fr_leaf *leaf)
{
    const struct given *g = arg;
    struct lull_fl *f = g->f;
    const struct lull_fl_io *one = lull_fl_io_of(&f->stage->hull->inputs, leaf->id);
    LLVMValueRef words[8] = {0}, vertex = lull_fl_param(f, LULL_FL_PART_INDEX);
    const unsigned key = lull_fl_vertex_key(leaf), n = lull_fl_leaf_words(leaf);
    struct lull_error *err = NULL;
    if (one == NULL || leaf->each == 0) {
        return NULL;
    }
    if (key == LULL_FL_VERTEX_KEYS || n == 0) {
        return lull_fl_refuse(f, "input %%%u: built-in %u (%s) of vertices", leaf->id,
                              leaf->decor.builtin, lull_spv_builtin_name(leaf->decor.builtin));
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned at = key * LULL_FL_WORDS + leaf->component + i;
        words[i] = at / LULL_FL_WORDS < LULL_FL_VERTEX_KEYS
                       ? g->words[at / LULL_FL_WORDS][at % LULL_FL_WORDS]
                       : NULL;
        words[i] = words[i] != NULL ? words[i] : lull_fl_int(f, 0);
    }
    struct lull_fl_pointer p = {.type = one->t,
                                .where = LULL_FL_NATURAL,
                                .base = LLVMBuildGEP2(f->b, one->type, one->all, &vertex, 1, "")};
    for (uint32_t i = 1; i < leaf->npath && err == NULL; i++) {
        err = lull_fl_step(f, &p, lull_fl_int(f, leaf->path[i]));
    }
    return err != NULL ? err : lull_fl_store(f, &p, lull_fl_leaf_from_words(f, leaf, words));
}

struct lull_error *lull_fl_hull_vertex_end(struct lull_fl *f)
{
    struct given *g = lull_arena_calloc(&f->arena, 1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    g->f = f;
    struct lull_error *err = lull_fr_leaves(f->m, SpvStorageClassOutput, take_vertex, g);
    return err != NULL ? err
                       : lull_fr_leaves(f->tess->control, SpvStorageClassInput, put_vertex, g);
}

/** What goes off chip at the end. */
struct leaving {
    struct lull_fl *f;
    bool patch;                                  ///< What belongs to patches, not to vertices.
    LLVMValueRef outer[LULL_FL_WORDS], inner[2]; ///< Levels, i32; NULL: not written.
};

LULL_MUST_USE static struct lull_error *leave(void *arg, const struct lull_fr_leaf *leaf)
{
    struct leaving *l = arg;
    struct lull_fl *f = l->f;
    const struct lull_fl_hull *h = f->stage->hull;
    struct lull_fl_pointer at = {0};
    LLVMValueRef v = NULL;
    if ((leaf->each == 0) != l->patch) {
        return NULL;
    }
    struct lull_error *err = lull_fl_leaf_at(f, leaf, h->point, &at);
    err = err != NULL ? err : lull_fl_load(f, &at, &v);
    if (err != NULL) {
        return err;
    }
    const uint32_t builtin = leaf->decor.builtin;
    const bool outer = builtin == SpvBuiltInTessLevelOuter;
    if (outer || builtin == SpvBuiltInTessLevelInner) {
        const uint32_t n = outer ? LULL_FL_WORDS : 2;
        if (leaf->type->kind != LULL_FR_ARRAY || leaf->type->count != n ||
            LLVMGetElementType(LLVMTypeOf(v)) != f->f32) {
            return lull_fl_bad(f, "output %%%u: not the type of the built-in", leaf->id);
        }
        for (unsigned i = 0; i < n; i++) {
            LLVMValueRef one = LLVMBuildExtractValue(f->b, v, i, "");
            (outer ? l->outer : l->inner)[i] = LLVMBuildBitCast(f->b, one, f->i32, "");
        }
    }
    lull_fl_patch_store(f, leaf, h->patch, h->point, lull_fl_param(f, BASE_OFF_CHIP), v);
    return NULL;
}

/** Levels for the tessellator: those of sides, then those inside. */
static void put_levels(const struct lull_fl *f, const struct leaving *l)
{
    const enum lull_fr_domain domain = f->tess->modes.domain;
    const unsigned outer = levels[domain].outer, n = outer + levels[domain].inner;
    LLVMValueRef words[LULL_FL_WORDS + 2] = {0};
    for (unsigned i = 0; i < n; i++) {
        // Of isolines the number of parts of a line comes first.
        const unsigned from = domain == LULL_FR_ISOLINES ? 1 - i : i;
        words[i] = i < outer ? l->outer[from] : l->inner[i - outer];
        words[i] = words[i] != NULL ? words[i] : lull_fl_int(f, 0);
    }
    LLVMValueRef desc = lull_fl_global_desc(f, LEVELS), base = lull_fl_param(f, BASE_LEVELS);
    LLVMValueRef at =
        LLVMBuildMul(f->b, f->stage->hull->patch, lull_fl_int(f, (uint64_t)LEVEL_BYTES * n), "");
    for (unsigned i = 0; i < n; i += LULL_FL_WORDS) {
        lull_fl_store_words(f, desc,
                            LLVMBuildAdd(f->b, at, lull_fl_int(f, (uint64_t)LEVEL_BYTES * i), ""),
                            base, words + i, n - i < LULL_FL_WORDS ? n - i : LULL_FL_WORDS);
    }
}

/** What the pass that writes metadata needs to know. */
static void describe(const struct lull_fl *f)
{
    char text[64] = "";
    snprintf(text, sizeof text, "patches=%u points=%u", f->stage->hull->patches, f->tess->points);
    LLVMAddTargetDependentFunctionAttr(f->fn, "lull-hull", text);
}

struct lull_error *lull_fl_hull_end(struct lull_fl *f)
{
    struct leaving l = {.f = f};
    struct lull_error *err = lull_fl_meet(f);
    err = err != NULL ? err : lull_fr_leaves(f->m, SpvStorageClassOutput, leave, &l);
    if (err != NULL) {
        return err;
    }
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(f->c, f->fn, "first");
    LLVMValueRef is_first =
        LLVMBuildICmp(f->b, LLVMIntEQ, f->stage->hull->point, lull_fl_int(f, 0), "");
    LLVMBuildCondBr(f->b, is_first, first, f->stage->done);
    LLVMPositionBuilderAtEnd(f->b, first);
    l.patch = true;
    err = lull_fr_leaves(f->m, SpvStorageClassOutput, leave, &l);
    if (err == NULL) {
        put_levels(f, &l);
        describe(f);
        LLVMBuildBr(f->b, f->stage->done);
        LLVMPositionBuilderAtEnd(f->b, f->stage->done);
    }
    return err;
}
