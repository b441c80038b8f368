// SPDX-License-Identifier: MIT
// Where an entry comes from: private variables that each entry point fills in at its start.
//
// A function may be called by entry points of several stages, so that it cannot read the built-in
// variables of any. What stands for the workgroup is, by stage:
//   compute, task, mesh: WorkgroupId           vertex: VertexIndex, InstanceIndex, 0
//   tessellation control: PrimitiveId, InvocationId, 0      evaluation: PrimitiveId, 0, 0
//   geometry: PrimitiveId, InvocationId, 0     fragment: FragCoord x, y, 0     rays: LaunchId
#include <spirv/unified1/spirv.h>
#include <stdlib.h>

#include "spirv/printf_priv.h"

/** Records that code at the start of an entry point finds out. */
enum { OF_INVOCATION = LULL_PRINTF_WORKGROUP | LULL_PRINTF_WAVE | LULL_PRINTF_LANE };
enum { V1_3 = 0x00010300, FLOATS = 4, MAX_PARTS = 2, DWORD_BITS = 32, INTERFACE_AT = 3 };

/** Built-in variables of a stage that name an invocation. */
struct stage {
    uint32_t model;
    uint32_t builtins[MAX_PARTS]; ///< As many as n.
    uint32_t n;
    uint32_t components; ///< Of each; a fragment's coordinates are floats.
    bool subgroup_id;    ///< The stage has SubgroupId.
};

static const struct stage stages[] = {
    {SpvExecutionModelGLCompute, {SpvBuiltInWorkgroupId}, 1, 3, true},
    {SpvExecutionModelTaskNV, {SpvBuiltInWorkgroupId}, 1, 3, true},
    {SpvExecutionModelMeshNV, {SpvBuiltInWorkgroupId}, 1, 3, true},
    {SpvExecutionModelTaskEXT, {SpvBuiltInWorkgroupId}, 1, 3, true},
    {SpvExecutionModelMeshEXT, {SpvBuiltInWorkgroupId}, 1, 3, true},
    {SpvExecutionModelVertex, {SpvBuiltInVertexIndex, SpvBuiltInInstanceIndex}, 2, 1, false},
    {SpvExecutionModelTessellationControl,
     {SpvBuiltInPrimitiveId, SpvBuiltInInvocationId},
     2,
     1,
     false},
    {SpvExecutionModelTessellationEvaluation, {SpvBuiltInPrimitiveId}, 1, 1, false},
    {SpvExecutionModelGeometry, {SpvBuiltInPrimitiveId, SpvBuiltInInvocationId}, 2, 1, false},
    {SpvExecutionModelFragment, {SpvBuiltInFragCoord}, 1, FLOATS, false},
    {SpvExecutionModelRayGenerationKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
    {SpvExecutionModelIntersectionKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
    {SpvExecutionModelAnyHitKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
    {SpvExecutionModelClosestHitKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
    {SpvExecutionModelMissKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
    {SpvExecutionModelCallableKHR, {SpvBuiltInLaunchIdKHR}, 1, 3, false},
};

static const struct stage *stage_of(uint32_t model)
{
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (stages[i].model == model) {
            return &stages[i];
        }
    }
    return NULL;
}

/** Is @p id decorated as this built-in? */
static bool is_builtin(const struct lull_spv *m, uint32_t id, uint32_t builtin)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        if (in.op == SpvOpDecorate && in.n == 4 && in.w[1] == id &&
            in.w[2] == SpvDecorationBuiltIn && in.w[3] == builtin) {
            return true;
        }
    }
    return false;
}

static bool is_input(const struct lull_spv *m, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    return in.op == SpvOpVariable && lull_spv_word(&in, 3) == SpvStorageClassInput;
}

/** Type that an input variable holds, if it is @p n components of 32 bits; 0: it is another. */
static uint32_t held(const struct lull_spv *m, uint32_t var, uint32_t n)
{
    const struct lull_spv_insn p = lull_spv_def(m, m->type[var]);
    const uint32_t id = p.op == SpvOpTypePointer ? lull_spv_word(&p, 3) : 0;
    struct lull_spv_insn t = lull_spv_def(m, id);
    if (n > 1) {
        if (t.op != SpvOpTypeVector || lull_spv_word(&t, 3) != n) {
            return 0;
        }
        t = lull_spv_def(m, lull_spv_word(&t, 2));
    }
    const bool good = n == FLOATS ? t.op == SpvOpTypeFloat : t.op == SpvOpTypeInt;
    return good && lull_spv_word(&t, 2) == DWORD_BITS ? id : 0;
}

/** The entry point's own variable of this built-in; 0: it has none. */
static uint32_t own_input(const struct lull_spv *m, const struct lull_spv_entry *e,
                          uint32_t builtin)
{
    const char *name = lull_spv_string(&e->in, INTERFACE_AT);
    for (uint32_t i = INTERFACE_AT + lull_spv_string_words(name); i < e->in.n; i++) {
        if (is_input(m, e->in.w[i]) && is_builtin(m, e->in.w[i], builtin)) {
            return e->in.w[i];
        }
    }
    return 0;
}

/** A value of @p n components of a built-in, as dwords. */
static uint32_t read_builtin(struct lull_spv_lower *l, struct lull_spv_entry *e,
                             struct lull_spv_buf *out, uint32_t builtin, uint32_t n)
{
    struct lull_spv_add *a = &l->add;
    const uint32_t want = n == FLOATS ? lull_spv_type_f32(a, n) : lull_spv_type_u32(a, n);
    uint32_t var = own_input(l->m, e, builtin), type = want;
    if (var != 0) {
        type = held(l->m, var, n);
        l->record.bad = type == 0 ? var : l->record.bad;
    } else {
        const uint32_t pointer = lull_spv_id(a);
        var = lull_spv_id(a);
        LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpTypePointer, pointer, SpvStorageClassInput,
                    type);
        LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpVariable, pointer, var,
                    SpvStorageClassInput);
        LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, var, SpvDecorationBuiltIn,
                    builtin);
        if (e->in.w[1] == SpvExecutionModelFragment && n != FLOATS) {
            LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, var, SpvDecorationFlat);
        }
        e->interface[e->ninterface++] = var;
    }
    const uint32_t value = lull_spv_id(a);
    LULL_SPV_OP(out, SpvOpLoad, type, value, var);
    if (n == FLOATS || type == want) {
        return value;
    }
    const uint32_t bits = lull_spv_id(a);
    LULL_SPV_OP(out, SpvOpBitcast, want, bits, value);
    return bits;
}

static uint32_t extract(struct lull_spv_lower *l, struct lull_spv_buf *out, uint32_t type,
                        uint32_t of, uint32_t i)
{
    const uint32_t id = lull_spv_id(&l->add);
    LULL_SPV_OP(out, SpvOpCompositeExtract, type, id, of, i);
    return id;
}

static void workgroup(struct lull_spv_lower *l, struct lull_spv_entry *e, const struct stage *s,
                      struct lull_spv_buf *out)
{
    struct lull_spv_add *a = &l->add;
    const uint32_t u32 = lull_spv_type_u32(a, 1), zero = lull_spv_u32(a, 0);
    uint32_t parts[3] = {zero, zero, zero};
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t v = read_builtin(l, e, out, s->builtins[i], s->components);
        for (uint32_t k = 0; s->components == FLOATS && k < 2; k++) {
            const uint32_t x = extract(l, out, lull_spv_type_f32(a, 1), v, k);
            parts[k] = lull_spv_id(a);
            LULL_SPV_OP(out, SpvOpConvertFToU, u32, parts[k], x);
        }
        for (uint32_t k = 0; s->components == 3 && k < 3; k++) {
            parts[k] = extract(l, out, u32, v, k);
        }
        if (s->components == 1) {
            parts[i] = v;
        }
    }
    const uint32_t all = lull_spv_id(a);
    LULL_SPV_OP(out, SpvOpCompositeConstruct, lull_spv_type_u32(a, 3), all, parts[0], parts[1],
                parts[2]);
    LULL_SPV_OP(out, SpvOpStore, l->record.workgroup, all);
}

/** Word behind the variables of the function's first block; 0: there is no block. */
static size_t start_of(const struct lull_spv *m, uint32_t function)
{
    struct lull_spv_insn in = lull_spv_def(m, function);
    size_t pos = in.at, ret = 0;
    if (in.op != SpvOpFunction) {
        return 0;
    }
    while (lull_spv_next(m, &pos, &in) && in.op != SpvOpLabel && in.op != SpvOpFunctionEnd) {
    }
    if (in.op != SpvOpLabel) {
        return 0;
    }
    ret = pos;
    while (lull_spv_next(m, &pos, &in) && (in.op == SpvOpVariable || in.op == SpvOpLine ||
                                           in.op == SpvOpNoLine || in.op == SpvOpExtInst)) {
        ret = in.op == SpvOpVariable ? pos : ret;
    }
    return ret;
}

LULL_MUST_USE static struct lull_error *fill(struct lull_spv_lower *l, struct lull_spv_entry *e)
{
    const struct stage *s = stage_of(e->in.w[1]);
    const size_t at = start_of(l->m, e->in.w[2]);
    if (s == NULL || at == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "word %zu: records in execution model %u",
                              e->in.at, e->in.w[1]);
    }
    for (size_t i = 0; i < l->nstarts; i++) {
        if (l->starts[i].at == at) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "word %zu: records in a function of two entry points", e->in.at);
        }
    }
    struct lull_spv_start *starts = realloc(l->starts, (l->nstarts + 1) * sizeof *starts);
    if (starts == NULL) {
        return &lull_enomem;
    }
    l->starts = starts;
    struct lull_spv_start *start = &starts[l->nstarts++];
    *start = (struct lull_spv_start){.at = at};
    if (l->record.workgroup != 0) {
        workgroup(l, e, s, &start->code);
    }
    if (l->record.wave != 0) {
        const uint32_t v = s->subgroup_id
                               ? read_builtin(l, e, &start->code, SpvBuiltInSubgroupId, 1)
                               : lull_spv_u32(&l->add, 0);
        LULL_SPV_OP(&start->code, SpvOpStore, l->record.wave, v);
    }
    if (l->record.lane != 0) {
        const uint32_t v = read_builtin(l, e, &start->code, SpvBuiltInSubgroupLocalInvocationId, 1);
        LULL_SPV_OP(&start->code, SpvOpStore, l->record.lane, v);
    }
    if (l->record.bad != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "word %zu: the built-in variable %u has a type of "
                              "its own",
                              e->in.at, l->record.bad);
    }
    return start->code.failed ? &lull_enomem : NULL;
}

static uint32_t private_variable(struct lull_spv_lower *l, uint32_t n, const char *name)
{
    struct lull_spv_add *a = &l->add;
    const uint32_t pointer = lull_spv_id(a), id = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpTypePointer, pointer, SpvStorageClassPrivate,
                lull_spv_type_u32(a, n));
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpVariable, pointer, id, SpvStorageClassPrivate);
    lull_spv_emit_text(&a->sections[LULL_SPV_NAMES], SpvOpName, &id, 1, name);
    l->interface[l->ninterface++] = id;
    return id;
}

static int by_word(const void *a, const void *b)
{
    const struct lull_spv_start *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

LULL_MUST_USE static struct lull_error *pipeline(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    l->record.pipeline = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpSpecConstant, lull_spv_type_u32(a, 1),
                l->record.pipeline, 0);
    LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, l->record.pipeline,
                SpvDecorationSpecId, l->options->pipeline_spec);
    return lull_spv_printf_specs(l, l->options->pipeline_spec, 1, "the pipeline's number");
}

struct lull_error *lull_spv_printf_records(struct lull_spv_lower *l)
{
    const unsigned records = l->options->records;
    if ((records & (LULL_PRINTF_WAVE | LULL_PRINTF_LANE)) != 0) {
        if (l->m->version < V1_3) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "records of wave and lane need SPIR-V 1.3, the module is %u.%u",
                                  l->m->version >> 16 & 0xff, l->m->version >> 8 & 0xff);
        }
        lull_spv_capability(&l->add, SpvCapabilityGroupNonUniform);
    }
    if ((records & LULL_PRINTF_WORKGROUP) != 0) {
        l->record.workgroup = private_variable(l, 3, "lull_printf_workgroup");
    }
    if ((records & LULL_PRINTF_WAVE) != 0) {
        l->record.wave = private_variable(l, 1, "lull_printf_wave");
    }
    if ((records & LULL_PRINTF_LANE) != 0) {
        l->record.lane = private_variable(l, 1, "lull_printf_lane");
    }
    struct lull_error *err = NULL;
    if ((records & LULL_PRINTF_PIPELINE) != 0) {
        err = pipeline(l);
    }
    for (size_t i = 0; err == NULL && i < l->nentries && (records & OF_INVOCATION) != 0; i++) {
        err = l->entries[i].prints ? fill(l, &l->entries[i]) : NULL;
    }
    if (l->nstarts > 1) {
        qsort(l->starts, l->nstarts, sizeof *l->starts, by_word);
    }
    return err;
}
