// SPDX-License-Identifier: MIT
#include "spirv/module.h"

#include <stdlib.h>
#include <string.h>

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>

// Makes this file the one that holds the header's inline function.
extern void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

enum {
    MAX_BOUND = 4194303 + 1, // Universal limit of the specification, 2.17.
    WORD_BYTES = 4,
    BOUND_AT = 3,
};

// Instructions with type and result that the package's header does not have (layers have no
// grammar): SPV_KHR_cooperative_matrix, SPV_EXT_replicated_composites,
// SPV_VALVE_mixed_float_dot_product.
enum {
    TYPE_COOPERATIVE_MATRIX = 4456,
    COOPERATIVE_MATRIX_LOAD = 4457,
    COOPERATIVE_MATRIX_MUL_ADD = 4459,
    COMPOSITE_CONSTRUCT_REPLICATE = 4463,
    FDOT2_MIX_ACC32 = 6916,
    FDOT4_MIX_ACC32 = 6918,
};

bool lull_spv_has_result(uint32_t op, bool *ret_typed)
{
    bool result = false;
    if (op == COOPERATIVE_MATRIX_LOAD ||
        (op >= COOPERATIVE_MATRIX_MUL_ADD && op <= COMPOSITE_CONSTRUCT_REPLICATE) ||
        (op >= FDOT2_MIX_ACC32 && op <= FDOT4_MIX_ACC32)) {
        *ret_typed = true;
        return true;
    }
    if (op == TYPE_COOPERATIVE_MATRIX) {
        *ret_typed = false;
        return true;
    }
    SpvHasResultAndType((SpvOp)op, &result, ret_typed);
    return result;
}

bool lull_spv_next(const struct lull_spv *m, size_t *pos, struct lull_spv_insn *ret)
{
    if (*pos >= m->nwords) {
        return false;
    }
    const uint32_t word = m->words[*pos];
    *ret = (struct lull_spv_insn){
        .op = word & SpvOpCodeMask,
        .n = word >> SpvWordCountShift,
        .at = *pos,
        .w = m->words + *pos,
    };
    *pos += ret->n;
    return true;
}

struct lull_spv_insn lull_spv_def(const struct lull_spv *m, uint32_t id)
{
    struct lull_spv_insn in = {0};
    size_t pos = id < m->bound ? m->def[id] : 0;
    if (pos != 0) {
        lull_spv_next(m, &pos, &in);
    }
    return in;
}

const char *lull_spv_string(const struct lull_spv_insn *in, uint32_t i)
{
    if (i >= in->n) {
        return NULL;
    }
    const char *text = (const char *)(in->w + i);
    return memchr(text, '\0', WORD_BYTES * (size_t)(in->n - i)) != NULL ? text : NULL;
}

uint32_t lull_spv_string_words(const char *text)
{
    return (uint32_t)(strlen(text) / WORD_BYTES + 1);
}

enum lull_spv_section lull_spv_section_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
        return LULL_SPV_CAPABILITIES;
    case SpvOpExtension:
        return LULL_SPV_EXTENSIONS;
    case SpvOpExtInstImport:
        return LULL_SPV_IMPORTS;
    case SpvOpMemoryModel:
        return LULL_SPV_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return LULL_SPV_ENTRY_POINTS;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return LULL_SPV_EXECUTION_MODES;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceExtension:
    case SpvOpSourceContinued:
        return LULL_SPV_STRINGS;
    case SpvOpName:
    case SpvOpMemberName:
        return LULL_SPV_NAMES;
    case SpvOpModuleProcessed:
        return LULL_SPV_PROCESSED;
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return LULL_SPV_ANNOTATIONS;
    case SpvOpFunction:
        return LULL_SPV_FUNCTIONS;
    default:
        return LULL_SPV_GLOBALS;
    }
}

bool lull_spv_has_capability(const struct lull_spv *m, uint32_t capability)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        if (in.op == SpvOpCapability && lull_spv_word(&in, 1) == capability && in.n == 2) {
            return true;
        }
    }
    return false;
}

bool lull_spv_has_extension(const struct lull_spv *m, const char *name)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        const char *text = in.op == SpvOpExtension ? lull_spv_string(&in, 1) : NULL;
        if (text != NULL && strcmp(text, name) == 0) {
            return true;
        }
    }
    return false;
}

bool lull_spv_constant(const struct lull_spv *m, uint32_t id, uint32_t *ret)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    if (in.op != SpvOpConstant || in.n != 4 ||
        lull_spv_def(m, lull_spv_word(&in, 1)).op != SpvOpTypeInt) {
        return false;
    }
    *ret = in.w[3];
    return true;
}

static uint32_t swap(uint32_t w)
{
    return w >> 24 | (w >> 8 & 0xff00) | (w << 8 & 0xff0000) | w << 24;
}

/** Result and type of one instruction into the tables. */
LULL_MUST_USE static struct lull_error *define(struct lull_spv *m, const struct lull_spv_insn *in)
{
    bool typed = false;
    if (!lull_spv_has_result(in->op, &typed)) {
        return NULL;
    }
    const uint32_t at = typed ? 2 : 1;
    const uint32_t id = lull_spv_word(in, at), type = typed ? lull_spv_word(in, 1) : 0;
    if (id == 0 || id >= m->bound || (typed && (type == 0 || type >= m->bound))) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: instruction %u: id %u, bound is %u",
                              in->at, in->op, typed && id != 0 && id < m->bound ? type : id,
                              m->bound);
    }
    if (m->def[id] != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: instruction %u: id %u is defined twice",
                              in->at, in->op, id);
    }
    m->def[id] = (uint32_t)in->at;
    m->type[id] = type;
    return NULL;
}

LULL_MUST_USE static struct lull_error *scan(struct lull_spv *m)
{
    m->functions = m->nwords;
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    for (size_t pos = LULL_SPV_HEADER_WORDS; err == NULL && pos < m->nwords; pos += in.n) {
        size_t next = pos;
        lull_spv_next(m, &next, &in);
        if (in.n == 0 || in.n > m->nwords - pos) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "word %zu: instruction %u of %u words, %zu left", pos, in.op,
                                  in.n, m->nwords - pos);
        }
        if (in.op == SpvOpFunction && m->functions == m->nwords) {
            m->functions = pos;
        }
        err = define(m, &in);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *load(const void *data, size_t size, struct lull_spv *m)
{
    uint32_t magic = 0;
    if (size >= WORD_BYTES) {
        memcpy(&magic, data, WORD_BYTES);
    }
    if (magic != SpvMagicNumber && magic != swap(SpvMagicNumber)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "no SPIR-V module: it begins with 0x%08x",
                              magic);
    }
    if (size % WORD_BYTES != 0 || size < WORD_BYTES * (size_t)LULL_SPV_HEADER_WORDS ||
        size / WORD_BYTES > UINT32_MAX) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a SPIR-V module of %zu bytes", size);
    }
    m->nwords = size / WORD_BYTES;
    m->words = malloc(size);
    if (m->words == NULL) {
        return &lull_enomem;
    }
    memcpy(m->words, data, size);
    for (size_t i = 0; magic != SpvMagicNumber && i < m->nwords; i++) {
        m->words[i] = swap(m->words[i]);
    }
    m->version = m->words[1];
    m->bound = m->words[BOUND_AT];
    if (m->bound > MAX_BOUND) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %d: bound %u, the limit is %d", BOUND_AT,
                              m->bound, MAX_BOUND);
    }
    m->def = calloc((size_t)m->bound + 1, sizeof *m->def);
    m->type = calloc((size_t)m->bound + 1, sizeof *m->type);
    return m->def != NULL && m->type != NULL ? NULL : &lull_enomem;
}

struct lull_error *lull_spv_read(const void *data, size_t size, struct lull_spv *ret)
{
    struct lull_spv m = {0};
    struct lull_error *err = load(data, size, &m);
    if (err == NULL && m.def != NULL) {
        err = scan(&m);
    }
    if (err != NULL) {
        lull_spv_done(&m);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_spv_done(struct lull_spv *m)
{
    free(m->words);
    free(m->def);
    free(m->type);
    *m = (struct lull_spv){0};
}

bool lull_spv_ends_block(uint32_t op)
{
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpKill:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpTerminateInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
    case SpvOpEmitMeshTasksEXT:
        return true;
    default:
        return false;
    }
}
