// SPDX-License-Identifier: MIT
#include "front/module.h"

#include <stddef.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/module_priv.h"

/** Where struct lull_fr_decor has what a decoration says. */
struct place {
    uint32_t decoration;
    size_t at; ///< Bytes.
};

static const struct place numbers[] = {
    {SpvDecorationDescriptorSet, offsetof(struct lull_fr_decor, set)},
    {SpvDecorationBinding, offsetof(struct lull_fr_decor, binding)},
    {SpvDecorationSpecId, offsetof(struct lull_fr_decor, spec_id)},
    {SpvDecorationBuiltIn, offsetof(struct lull_fr_decor, builtin)},
    {SpvDecorationOffset, offsetof(struct lull_fr_decor, offset)},
    {SpvDecorationArrayStride, offsetof(struct lull_fr_decor, array_stride)},
    {SpvDecorationMatrixStride, offsetof(struct lull_fr_decor, matrix_stride)},
    {SpvDecorationFPRoundingMode, offsetof(struct lull_fr_decor, rounding)},
    {SpvDecorationLocation, offsetof(struct lull_fr_decor, location)},
    {SpvDecorationComponent, offsetof(struct lull_fr_decor, component)},
    {SpvDecorationIndex, offsetof(struct lull_fr_decor, color)},
    {SpvDecorationStream, offsetof(struct lull_fr_decor, stream)},
};

/** Things that are said or not. */
static const struct place flags[] = {
    {SpvDecorationBlock, offsetof(struct lull_fr_decor, block)},
    {SpvDecorationBufferBlock, offsetof(struct lull_fr_decor, buffer_block)},
    {SpvDecorationRowMajor, offsetof(struct lull_fr_decor, row_major)},
    {SpvDecorationCoherent, offsetof(struct lull_fr_decor, coherent)},
    {SpvDecorationVolatile, offsetof(struct lull_fr_decor, is_volatile)},
    {SpvDecorationNonUniform, offsetof(struct lull_fr_decor, non_uniform)},
    {SpvDecorationNoContraction, offsetof(struct lull_fr_decor, no_contraction)},
    {SpvDecorationSaturatedConversion, offsetof(struct lull_fr_decor, saturated)},
    {SpvDecorationFlat, offsetof(struct lull_fr_decor, flat)},
    {SpvDecorationNoPerspective, offsetof(struct lull_fr_decor, noperspective)},
    {SpvDecorationCentroid, offsetof(struct lull_fr_decor, centroid)},
    {SpvDecorationSample, offsetof(struct lull_fr_decor, sample)},
    {SpvDecorationPerPrimitiveEXT, offsetof(struct lull_fr_decor, per_primitive)},
    {SpvDecorationPatch, offsetof(struct lull_fr_decor, patch)},
};

enum {
    NUMBERS = sizeof numbers / sizeof numbers[0],
    FLAGS = sizeof flags / sizeof flags[0],
};

static uint32_t *number_at(struct lull_fr_decor *d, const struct place *p)
{
    return (uint32_t *)(void *)((uint8_t *)d + p->at);
}

static bool *flag_at(struct lull_fr_decor *d, const struct place *p)
{
    return (bool *)((uint8_t *)d + p->at);
}

/** What is said of a group is said of @p d. */
static void add_group(struct lull_fr_decor *d, struct lull_fr_decor *group)
{
    struct lull_fr_decor none = lull_fr_no_decor;
    for (unsigned i = 0; i < NUMBERS; i++) {
        const uint32_t n = *number_at(group, &numbers[i]);
        if (n != *number_at(&none, &numbers[i])) {
            *number_at(d, &numbers[i]) = n;
        }
    }
    for (unsigned i = 0; i < FLAGS; i++) {
        *flag_at(d, &flags[i]) |= *flag_at(group, &flags[i]);
    }
}

LULL_MUST_USE static struct lull_error *member_decor(struct lull_fr_module *m, uint32_t id,
                                                     uint32_t index, struct lull_fr_decor **ret)
{
    struct lull_fr_member_decor **at = &m->ids[id].members;
    while (*at != NULL && (*at)->index != index) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        *at = lull_arena_calloc(&m->arena, 1, sizeof **at);
        if (*at == NULL) {
            return &lull_enomem;
        }
        (*at)->index = index;
        (*at)->decor = lull_fr_no_decor;
    }
    *ret = &(*at)->decor;
    return NULL;
}

struct lull_error *lull_fr_decorate(struct lull_fr_module *m, const struct lull_spv_insn *in)
{
    const bool member = in->op == SpvOpMemberDecorate;
    const uint32_t at = member ? 3 : 2; // of the decoration
    struct lull_fr_decor *d = &m->ids[in->w[1]].decor;
    struct lull_error *err = member ? member_decor(m, in->w[1], in->w[2], &d) : NULL;
    if (err != NULL) {
        return err;
    }
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (numbers[i].decoration == in->w[at]) {
            *number_at(d, &numbers[i]) = lull_spv_word(in, at + 1); // lull_spv_check(): it is there
        }
    }
    for (unsigned i = 0; i < FLAGS; i++) {
        if (flags[i].decoration == in->w[at]) {
            *flag_at(d, &flags[i]) = true;
        }
    }
    return NULL;
}

/** OpGroupDecorate, OpGroupMemberDecorate. */
LULL_MUST_USE static struct lull_error *decorate_all(struct lull_fr_module *m,
                                                     const struct lull_spv_insn *in)
{
    const bool member = in->op == SpvOpGroupMemberDecorate;
    struct lull_fr_decor group = m->ids[in->w[1]].decor;
    for (uint32_t i = 2; i + member < in->n; i += 1 + member) {
        struct lull_fr_decor *d = &m->ids[in->w[i]].decor;
        struct lull_error *err = member ? member_decor(m, in->w[i], in->w[i + 1], &d) : NULL;
        if (err != NULL) {
            return err;
        }
        add_group(d, &group);
    }
    return NULL;
}

/** Does the instruction only tell people something? Its ids may be of nothing. */
static bool for_people(uint32_t op)
{
    return op == SpvOpName || op == SpvOpMemberName || op == SpvOpString || op == SpvOpSource ||
           op == SpvOpSourceContinued || op == SpvOpSourceExtension || op == SpvOpModuleProcessed ||
           op == SpvOpLine || op == SpvOpNoLine || op == SpvOpNop;
}

LULL_MUST_USE static struct lull_error *name(struct lull_fr_module *m,
                                             const struct lull_spv_insn *in)
{
    const uint32_t id = lull_spv_word(in, 1);
    if (in->op == SpvOpName && id < m->spv.bound) {
        m->ids[id].name = lull_spv_string(in, 2); // the module's own words
    }
    if (in->op == SpvOpMemberName && id < m->spv.bound) {
        struct lull_fr_member_name *one = lull_arena_calloc(&m->arena, 1, sizeof *one);
        if (one == NULL) {
            return &lull_enomem;
        }
        *one = (struct lull_fr_member_name){.index = lull_spv_word(in, 2),
                                            .text = lull_spv_string(in, 3),
                                            .next = m->ids[id].member_names};
        m->ids[id].member_names = one;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *import(struct lull_fr_module *m,
                                               const struct lull_spv_insn *in)
{
    const char *set = lull_spv_string(in, 2);
    if (strcmp(set, "GLSL.std.450") == 0) {
        m->glsl = in->w[1];
        return NULL;
    }
    static const char *const amd[] = {
        [LULL_FR_AMD_GCN] = "SPV_AMD_gcn_shader",
        [LULL_FR_AMD_BALLOT] = "SPV_AMD_shader_ballot",
        [LULL_FR_AMD_MINMAX] = "SPV_AMD_shader_trinary_minmax",
    };
    for (size_t i = 0; i < sizeof amd / sizeof amd[0]; i++) {
        if (strcmp(set, amd[i]) == 0) {
            m->amd[i] = in->w[1];
            return NULL;
        }
    }
    if (strcmp(set, "NonSemantic.Shader.DebugInfo.100") == 0) {
        m->debug_info = in->w[1];
    }
    // The last two are older words for people, too.
    return strncmp(set, "NonSemantic.", strlen("NonSemantic.")) == 0 ||
                   strcmp(set, "OpenCL.DebugInfo.100") == 0 || strcmp(set, "DebugInfo") == 0
               ? NULL
               : lull_spv_error(LULL_ERR_UNSUPPORTED, in, "the instructions of '%s'", set);
}

/** Everything before functions. */
LULL_MUST_USE static struct lull_error *global(struct lull_fr_module *m,
                                               const struct lull_spv_insn *in)
{
    if (for_people(in->op)) {
        return name(m, in);
    }
    struct lull_error *err = lull_spv_check(&m->spv, in);
    if (err != NULL) {
        return err;
    }
    switch (in->op) {
    case SpvOpExtInstImport:
        return import(m, in);
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
        return lull_fr_decorate(m, in);
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return decorate_all(m, in);
    case SpvOpUndef:
        return lull_fr_add_constant(m, in);
    case SpvOpVariable:
        m->ids[in->w[2]].pointer = in->w[1];
        return NULL;
    default:
        break;
    }
    const struct lull_spv_op *op = lull_spv_op(in->op);
    const bool type = strncmp(op->name, "OpType", 6) == 0;
    const bool constant =
        strncmp(op->name, "OpConstant", 10) == 0 || strncmp(op->name, "OpSpecConstant", 14) == 0;
    if ((type || constant) && strncmp(op->operands, "I*", 2) == 0) {
        return lull_spv_error(LULL_ERR_UNSUPPORTED, in, "members of the instruction before");
    }
    if (type) {
        return lull_fr_add_type(m, in);
    }
    return constant ? lull_fr_add_constant(m, in) : NULL;
}

/** Does each pointer point to a type? */
LULL_MUST_USE static struct lull_error *check_pointers(const struct lull_fr_module *m)
{
    for (uint32_t id = 0; id < m->spv.bound; id++) {
        const struct lull_fr_type *t = m->ids[id].type;
        if (t != NULL && t->kind == LULL_FR_POINTER &&
            (t->element == NULL || t->element->kind == LULL_FR_NO_TYPE)) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "%%%u: a pointer to something that is not a type", id);
        }
    }
    return NULL;
}

/** The entry point: the one called @p want, or the only one. */
LULL_MUST_USE static struct lull_error *choose(struct lull_fr_module *m, const char *want)
{
    struct lull_spv_insn in = {0};
    unsigned found = 0;
    m->entry = LULL_FR_NONE;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < m->spv.functions && lull_spv_next(&m->spv, &pos, &in);) {
        if (in.op != SpvOpEntryPoint) {
            continue;
        }
        const char *called = lull_spv_string(&in, 3); // lull_spv_check(): it ends
        const uint32_t function = m->ids[in.w[2]].function;
        if (function == 0 || m->functions[function - 1].nblocks == 0) {
            return lull_spv_error(LULL_ERR_BAD_DATA, &in, "%%%u is not a function with blocks",
                                  in.w[2]);
        }
        if (want == NULL || strcmp(want, called) == 0) {
            found++;
            m->entry = function - 1;
            m->entry_name = called;
            m->entry_word = in.at;
            m->model = in.w[1];
            for (uint32_t i = 3 + lull_spv_string_words(called); i < in.n; i++) {
                m->ids[in.w[i]].is_interface = true; // lull_spv_check(): all are ids
            }
        }
    }
    if (found == 1) {
        return NULL;
    }
    return want != NULL && found == 0
               ? lull_error_new(LULL_ERR_INVALID, "--entry: there is no entry point '%s'", want)
           : found == 0 ? lull_error_new(LULL_ERR_BAD_DATA, "no entry point")
                        : lull_error_new(LULL_ERR_INVALID,
                                         "%u entry points; choose one with --entry", found);
}

LULL_MUST_USE static struct lull_error *size_from(struct lull_fr_module *m,
                                                  const struct lull_spv_insn *in)
{
    const bool ids = in->op == SpvOpExecutionModeId;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t w = lull_spv_word(in, 3 + i);
        const struct lull_fr_constant *c = ids ? lull_fr_constant_of(m, w) : NULL;
        if (ids && (c == NULL || c->type->kind != LULL_FR_INT)) {
            return lull_spv_error(LULL_ERR_BAD_DATA, in, "%%%u is not an integer constant", w);
        }
        m->local_size[i] = ids ? (uint32_t)c->bits : w;
    }
    return NULL;
}

/** An execution mode about the tessellation of patches. */
static void tessellation_from(uint32_t mode, struct lull_fr_shapes *s)
{
    switch (mode) {
    case SpvExecutionModeTriangles:
        s->domain = LULL_FR_TRIANGLES;
        break;
    case SpvExecutionModeQuads:
        s->domain = LULL_FR_QUADS;
        break;
    case SpvExecutionModeIsolines:
        s->domain = LULL_FR_ISOLINES;
        break;
    case SpvExecutionModeSpacingEqual:
    case SpvExecutionModeSpacingFractionalEven:
    case SpvExecutionModeSpacingFractionalOdd:
        s->has_spacing = true;
        s->spacing = mode == SpvExecutionModeSpacingEqual            ? LULL_FR_EQUAL
                     : mode == SpvExecutionModeSpacingFractionalEven ? LULL_FR_FRACTIONAL_EVEN
                                                                     : LULL_FR_FRACTIONAL_ODD;
        break;
    case SpvExecutionModeVertexOrderCw:
    case SpvExecutionModeVertexOrderCcw:
        s->has_order = true;
        s->clockwise = mode == SpvExecutionModeVertexOrderCw;
        break;
    case SpvExecutionModePointMode:
        s->points = true;
        break;
    default:
        break;
    }
}

/** An execution mode about vertices and primitives. */
static void shape_from(const struct lull_spv_insn *in, struct lull_fr_shapes *s)
{
    switch (in->w[2]) {
    case SpvExecutionModeOutputVertices:
        s->vertices = lull_spv_word(in, 3);
        break;
    case SpvExecutionModeOutputPrimitivesEXT:
        s->primitives = lull_spv_word(in, 3);
        break;
    case SpvExecutionModeOutputPoints:
        s->corners = 1;
        break;
    case SpvExecutionModeOutputLinesEXT:
    case SpvExecutionModeOutputLineStrip:
        s->corners = 2;
        break;
    case SpvExecutionModeOutputTrianglesEXT:
    case SpvExecutionModeOutputTriangleStrip:
        s->corners = 3;
        break;
    case SpvExecutionModeInputPoints:
        s->inputs = 1;
        break;
    case SpvExecutionModeInputLines:
        s->inputs = 2;
        break;
    case SpvExecutionModeTriangles:
        s->inputs = 3;
        break;
    case SpvExecutionModeInputLinesAdjacency:
        s->inputs = 4;
        break;
    case SpvExecutionModeInputTrianglesAdjacency:
        s->inputs = 6;
        break;
    case SpvExecutionModeInvocations:
        s->invocations = lull_spv_word(in, 3);
        break;
    default:
        break;
    }
}

/** Execution modes of SPV_KHR_float_controls. */
LULL_MUST_USE static struct lull_error *float_mode(struct lull_fr_module *m,
                                                   const struct lull_spv_insn *in)
{
    const uint32_t mode = in->w[2], bits = lull_spv_word(in, 3);
    const bool known =
        mode == SpvExecutionModeDenormPreserve || mode == SpvExecutionModeDenormFlushToZero ||
        mode == SpvExecutionModeRoundingModeRTE || mode == SpvExecutionModeRoundingModeRTZ ||
        mode == SpvExecutionModeSignedZeroInfNanPreserve;
    if (!known) {
        return NULL;
    }
    if (bits != 16 && bits != 32 && bits != 64) {
        return lull_spv_error(LULL_ERR_BAD_DATA, in, "floats of %u bits", bits);
    }
    struct lull_fr_floats *f = &m->floats[bits == 16   ? LULL_FR_FLOATS_16
                                          : bits == 32 ? LULL_FR_FLOATS_32
                                                       : LULL_FR_FLOATS_64];
    f->keeps |= mode == SpvExecutionModeDenormPreserve;
    f->flushes |= mode == SpvExecutionModeDenormFlushToZero;
    f->to_even |= mode == SpvExecutionModeRoundingModeRTE;
    f->to_zero |= mode == SpvExecutionModeRoundingModeRTZ;
    f->keeps_signs |= mode == SpvExecutionModeSignedZeroInfNanPreserve;
    return (f->keeps && f->flushes) || (f->to_even && f->to_zero)
               ? lull_spv_error(LULL_ERR_BAD_DATA, in, "the module also says the other for %u bits",
                                bits)
               : NULL;
}

/** Execution modes. A constant decorated as the built-in goes before a workgroup's size in them. */
LULL_MUST_USE static struct lull_error *modes(struct lull_fr_module *m)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    const uint32_t f = m->functions[m->entry].id;
    m->shapes.invocations = 1;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < m->spv.functions && lull_spv_next(&m->spv, &pos, &in);) {
        const bool mode = in.op == SpvOpExecutionMode || in.op == SpvOpExecutionModeId;
        if (mode && in.w[1] == f &&
            (in.w[2] == SpvExecutionModeLocalSize || in.w[2] == SpvExecutionModeLocalSizeId)) {
            err = size_from(m, &in);
        }
        if (in.op == SpvOpExecutionMode && in.w[1] == f && err == NULL) {
            err = float_mode(m, &in);
        }
        m->early_tests |= in.op == SpvOpExecutionMode && in.w[1] == f &&
                          in.w[2] == SpvExecutionModeEarlyFragmentTests;
        if (in.op == SpvOpExecutionMode && in.w[1] == f) {
            shape_from(&in, &m->shapes);
            tessellation_from(in.w[2], &m->shapes);
        }
    }
    for (uint32_t id = 0; err == NULL && id < m->spv.bound; id++) {
        const struct lull_fr_constant *c = m->ids[id].constant;
        if (m->ids[id].decor.builtin != SpvBuiltInWorkgroupSize || c == NULL) {
            continue;
        }
        if (c->type->kind != LULL_FR_VECTOR || c->type->count != 3 ||
            c->type->element->kind != LULL_FR_INT) {
            return lull_error_new(LULL_ERR_BAD_DATA, "%%%u: WorkgroupSize is not three integers",
                                  id);
        }
        for (uint32_t i = 0; i < 3; i++) {
            m->local_size[i] = (uint32_t)c->parts[i]->bits;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check_specs(const struct lull_fr_module *m)
{
    for (size_t i = 0; i < m->nspecs; i++) {
        if (!m->specs[i].used) {
            return lull_error_new(LULL_ERR_INVALID, "--spec %u: there is no such constant",
                                  m->specs[i].id);
        }
    }
    return NULL;
}

struct lull_error *lull_fr_read(const void *data, size_t size, const char *entry,
                                struct lull_fr_module *ret)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = lull_spv_read(data, size, &ret->spv);
    if (err != NULL) {
        return err;
    }
    ret->ids = lull_arena_calloc(&ret->arena, (size_t)ret->spv.bound + 1, sizeof *ret->ids);
    if (ret->ids == NULL) {
        return &lull_enomem;
    }
    for (uint32_t i = 0; i < ret->spv.bound; i++) {
        ret->ids[i].decor = lull_fr_no_decor;
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         err == NULL && pos < ret->spv.functions && lull_spv_next(&ret->spv, &pos, &in);) {
        err = global(ret, &in);
    }
    err = err != NULL ? err : check_pointers(ret);
    err = err != NULL ? err : lull_fr_add_functions(ret);
    err = err != NULL ? err : choose(ret, entry);
    err = err != NULL ? err : modes(ret);
    if (err == NULL) {
        lull_fr_find_uses(ret);
    }
    return err != NULL ? err : check_specs(ret);
}

void lull_fr_done(struct lull_fr_module *m)
{
    lull_spv_done(&m->spv);
    lull_arena_done(&m->arena);
    *m = (struct lull_fr_module){.specs = m->specs, .nspecs = m->nspecs};
}
