// SPDX-License-Identifier: MIT
// Indices of arrays, vectors and matrices, where memory is accessed with them.
#include <inttypes.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/marks_priv.h"

enum { NAME_ROOM = 128, MOST_CHAINS = 64, WORD = 32, MOST_SITES = 1 << 20 };

static bool is_chain(uint32_t op)
{
    return op == SpvOpAccessChain || op == SpvOpInBoundsAccessChain || op == SpvOpPtrAccessChain ||
           op == SpvOpInBoundsPtrAccessChain;
}

/** The word of the first index of a chain that a type says something of. */
static uint32_t first_index(const struct lull_spv_insn *in)
{
    const bool element = in->op == SpvOpPtrAccessChain || in->op == SpvOpInBoundsPtrAccessChain;
    return element ? 5 : 4;
}

static uint32_t type_of(const struct lull_spv *m, uint32_t id)
{
    return id < m->bound ? m->type[id] : 0;
}

/** What the chain's base points to; 0: not known. */
static uint32_t base_type(const struct lull_spv *m, const struct lull_spv_insn *chain)
{
    const struct lull_spv_insn pointer = lull_spv_def(m, type_of(m, lull_spv_word(chain, 3)));
    return pointer.op == SpvOpTypePointer ? lull_spv_word(&pointer, 3) : 0;
}

/** Of what a type is made that has an index of id @p index; 0: of nothing. */
static uint32_t inner(const struct lull_spv *m, const struct lull_spv_insn *type, uint32_t index)
{
    uint32_t member = 0;
    switch (type->op) {
    case SpvOpTypeStruct:
        return lull_spv_constant(m, index, &member) && member < type->n
                   ? lull_spv_word(type, 2 + member)
                   : 0;
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        return lull_spv_word(type, 2);
    default:
        return 0;
    }
}

static void append(char name[NAME_ROOM], const char *before, const char *text)
{
    const size_t at = strlen(name);
    snprintf(name + at, NAME_ROOM - at, "%s%s", before, text);
}

static void append_index(char name[NAME_ROOM], uint32_t n)
{
    const size_t at = strlen(name);
    snprintf(name + at, NAME_ROOM - at, "[%" PRIu32 "]", n);
}

/** What OpName says of @p id; "": nothing. */
static const char *name_of(const struct lull_spv_marking *k, uint32_t id)
{
    const uint32_t at = id < k->m->bound ? k->names[id] : 0;
    const struct lull_spv_insn in = {.op = SpvOpName,
                                     .n = at != 0 ? k->m->words[at] >> SpvWordCountShift : 0,
                                     .at = at,
                                     .w = k->m->words + at};
    const char *text = at != 0 ? lull_spv_string(&in, 2) : NULL;
    return text != NULL ? text : "";
}

/** The same of a member. */
static const char *member_of(const struct lull_spv_marking *k, uint32_t type, uint32_t member)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < k->m->functions && lull_spv_next(k->m, &pos, &in);) {
        if (in.op == SpvOpMemberName && lull_spv_word(&in, 1) == type &&
            lull_spv_word(&in, 2) == member) {
            const char *text = lull_spv_string(&in, 3);
            return text != NULL ? text : "";
        }
    }
    return "";
}

/** Index words from the first one up to @p end, to the name. */
static void add_indices(const struct lull_spv_marking *k, const struct lull_spv_insn *chain,
                        uint32_t end, char name[NAME_ROOM])
{
    uint32_t type = base_type(k->m, chain);
    for (uint32_t i = first_index(chain); i < end && i < chain->n; i++) {
        const struct lull_spv_insn in = lull_spv_def(k->m, type);
        uint32_t n = 0;
        const bool known = lull_spv_constant(k->m, chain->w[i], &n);
        if (in.op == SpvOpTypeStruct) {
            append(name, name[0] != '\0' ? "." : "", member_of(k, type, n));
        } else if (known) {
            append_index(name, n);
        } else {
            append(name, "", "[]");
        }
        type = inner(k->m, &in, chain->w[i]);
    }
}

/** A chain, and those that it begins at, the outermost last. @return how many; 0: too many. */
static unsigned chains_of(const struct lull_spv *m, uint32_t id,
                          struct lull_spv_insn ret[MOST_CHAINS])
{
    unsigned n = 0;
    for (struct lull_spv_insn in = lull_spv_def(m, id); is_chain(in.op) || in.op == SpvOpCopyObject;
         in = lull_spv_def(m, lull_spv_word(&in, 3))) {
        if (n == MOST_CHAINS) {
            return 0;
        }
        ret[n++] = in;
    }
    return n;
}

/** What the index at word @p i of the innermost of @p n chains is of. */
static void add_name(const struct lull_spv_marking *k, const struct lull_spv_insn *chains,
                     unsigned n, uint32_t i, char name[NAME_ROOM])
{
    const uint32_t root = lull_spv_word(&chains[n - 1], 3);
    const char *text = name_of(k, root);
    if (text[0] == '\0') { // Blocks may have no name of their own.
        text = name_of(k, base_type(k->m, &chains[n - 1]));
    }
    append(name, "", text);
    for (unsigned c = n; c-- > 0;) {
        if (is_chain(chains[c].op)) {
            add_indices(k, &chains[c], c == 0 ? i : chains[c].n, name);
        }
    }
    for (char *at = name; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' ? '?' : *at;
    }
}

static uint32_t emit(struct lull_spv_marking *k, uint32_t op, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t operands[] = {type, lull_spv_id(&k->add), a, b};
    lull_spv_emit(&k->code, op, operands, b != 0 ? 4 : 3);
    return operands[1];
}

/** An integer as one of 32 bits without a sign; more is the largest. 0: it is none. */
static uint32_t as_u32(struct lull_spv_marking *k, uint32_t id, bool *ret_signed)
{
    const uint32_t type = type_of(k->m, id);
    const struct lull_spv_insn in = lull_spv_def(k->m, type);
    const uint32_t u32 = lull_spv_type_u32(&k->add, 1), bits = lull_spv_word(&in, 2);
    *ret_signed = lull_spv_word(&in, 3) != 0;
    if (in.op != SpvOpTypeInt) {
        return 0;
    }
    if (bits == WORD) {
        return *ret_signed ? emit(k, SpvOpBitcast, u32, id, 0) : id;
    }
    if (bits < WORD && *ret_signed) { // Its sign is needed, the result has none.
        const uint32_t i32 = lull_spv_type(&k->add, SpvOpTypeInt, (const uint32_t[]){WORD, 1}, 2);
        return emit(k, SpvOpBitcast, u32, emit(k, SpvOpSConvert, i32, id, 0), 0);
    }
    const uint32_t low = emit(k, SpvOpUConvert, u32, id, 0);
    if (bits < WORD) {
        return low;
    }
    const uint32_t high =
        emit(k, SpvOpUConvert, u32,
             emit(k, SpvOpShiftRightLogical, type, id, lull_spv_u32(&k->add, WORD)), 0);
    const uint32_t more =
        emit(k, SpvOpINotEqual, lull_spv_type_bool(&k->add, 1), high, lull_spv_u32(&k->add, 0));
    const uint32_t operands[] = {u32, lull_spv_id(&k->add), more, lull_spv_u32(&k->add, UINT32_MAX),
                                 low};
    lull_spv_emit(&k->code, SpvOpSelect, operands, sizeof operands / sizeof operands[0]);
    return operands[1];
}

/** void mark(uint index, uint length, uint site) */
static void make_function(struct lull_spv_marking *k)
{
    struct lull_spv_add *a = &k->add;
    const uint32_t u32 = lull_spv_type_u32(a, 1), u32x4 = lull_spv_type_u32(a, 4);
    const uint32_t none = lull_spv_type_void(a), boolean = lull_spv_type_bool(a, 1);
    const uint32_t pointer = lull_spv_type(
        a, SpvOpTypePointer, (const uint32_t[]){SpvStorageClassPhysicalStorageBuffer, u32x4}, 2);
    const uint32_t type =
        lull_spv_type(a, SpvOpTypeFunction, (const uint32_t[]){none, u32, u32, u32}, 4);
    const uint32_t halves[] = {lull_spv_type_u32(a, 2), lull_spv_id(a),
                               lull_spv_u32(a, (uint32_t)k->options->address),
                               lull_spv_u32(a, (uint32_t)(k->options->address >> WORD))};
    lull_spv_emit(&a->sections[LULL_SPV_GLOBALS], SpvOpConstantComposite, halves, 4);
    const uint32_t magic = lull_spv_u32(a, LULL_SPV_MARK_MAGIC + k->options->process);
    const uint32_t index = lull_spv_id(a), length = lull_spv_id(a), site = lull_spv_id(a);
    const uint32_t start = lull_spv_id(a), outside = lull_spv_id(a), end = lull_spv_id(a);
    const uint32_t is = lull_spv_id(a), value = lull_spv_id(a), to = lull_spv_id(a);
    struct lull_spv_buf *f = &a->sections[LULL_SPV_FUNCTIONS];
    enum { ALIGNED = LULL_SPV_MARK_BYTES };
    k->function = lull_spv_id(a);
    lull_spv_capability(a, SpvCapabilityPhysicalStorageBufferAddresses);
    lull_spv_extension(a, "SPV_KHR_physical_storage_buffer");
    LULL_SPV_OP(f, SpvOpFunction, none, k->function, SpvFunctionControlMaskNone, type);
    LULL_SPV_OP(f, SpvOpFunctionParameter, u32, index);
    LULL_SPV_OP(f, SpvOpFunctionParameter, u32, length);
    LULL_SPV_OP(f, SpvOpFunctionParameter, u32, site);
    LULL_SPV_OP(f, SpvOpLabel, start);
    LULL_SPV_OP(f, SpvOpUGreaterThanEqual, boolean, is, index, length);
    LULL_SPV_OP(f, SpvOpSelectionMerge, end, SpvSelectionControlMaskNone);
    LULL_SPV_OP(f, SpvOpBranchConditional, is, outside, end);
    LULL_SPV_OP(f, SpvOpLabel, outside);
    LULL_SPV_OP(f, SpvOpCompositeConstruct, u32x4, value, magic, site, index, length);
    LULL_SPV_OP(f, SpvOpBitcast, pointer, to, halves[1]);
    LULL_SPV_OP(f, SpvOpStore, to, value, // Drivers leave out stores that others follow.
                SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask, ALIGNED);
    LULL_SPV_OP(f, SpvOpBranch, end);
    LULL_SPV_OP(f, SpvOpLabel, end);
    lull_spv_emit(f, SpvOpReturn, NULL, 0);
    lull_spv_emit(f, SpvOpFunctionEnd, NULL, 0);
}

/** How long a type is, as the id of a number of 32 bits; 0: it has no length. */
static uint32_t length_of(struct lull_spv_marking *k, const struct lull_spv_insn *type)
{
    bool is_signed = false;
    uint32_t n = lull_spv_word(type, 3);
    if (type->op != SpvOpTypeArray && type->op != SpvOpTypeVector && type->op != SpvOpTypeMatrix) {
        return 0;
    }
    const bool known = type->op != SpvOpTypeArray || lull_spv_constant(k->m, n, &n);
    return known ? lull_spv_u32(&k->add, n) : as_u32(k, n, &is_signed);
}

static bool is_inside(const struct lull_spv *m, const struct lull_spv_insn *type, uint32_t index)
{
    uint32_t at = 0, n = lull_spv_word(type, 3);
    const bool known = type->op != SpvOpTypeArray || lull_spv_constant(m, n, &n);
    return known && lull_spv_constant(m, index, &at) && at < n;
}

/** Where another value is chosen, index 0. */
static uint32_t as_chosen(struct lull_spv_marking *k, uint32_t index)
{
    const uint32_t boolean = lull_spv_type_bool(&k->add, 1), zero = lull_spv_u32(&k->add, 0);
    uint32_t condition = lull_spv_word(&k->select, 3);
    if (lull_spv_def(k->m, type_of(k->m, condition)).op == SpvOpTypeVector) {
        condition = emit(k, k->second ? SpvOpAll : SpvOpAny, boolean, condition, 0);
    }
    const uint32_t operands[] = {lull_spv_type_u32(&k->add, 1), lull_spv_id(&k->add), condition,
                                 k->second ? zero : index, k->second ? index : zero};
    lull_spv_emit(&k->code, SpvOpSelect, operands, sizeof operands / sizeof operands[0]);
    return operands[1];
}

/** Is the index outside of a @p type? @p name: what has it; @p in_block: an array in a buffer. */
LULL_MUST_USE static struct lull_error *check(struct lull_spv_marking *k,
                                              const struct lull_spv_insn *type, uint32_t index,
                                              const char *name, bool in_block)
{
    struct lull_spv_mark_site site = {.of = in_block                      ? LULL_SPV_MARK_BUFFER
                                            : type->op == SpvOpTypeArray  ? LULL_SPV_MARK_ARRAY
                                            : type->op == SpvOpTypeVector ? LULL_SPV_MARK_VECTOR
                                                                          : LULL_SPV_MARK_MATRIX,
                                      .name = name,
                                      .file = k->line.file,
                                      .line = k->line.line};
    if (k->nsites == MOST_SITES) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d indices", MOST_SITES);
    }
    if (k->line_was.op != 0) { // Nothing of the program's line is changed by it.
        lull_spv_emit(&k->code, SpvOpNoLine, NULL, 0);
    }
    const uint32_t length = length_of(k, type);
    uint32_t at = as_u32(k, index, &site.is_signed);
    if (k->select.op != 0 && at != 0) {
        at = as_chosen(k, at);
    }
    if (length != 0 && at != 0) {
        if (k->function == 0) {
            make_function(k);
        }
        const uint32_t number = lull_spv_u32(&k->add, k->options->first_site + k->nsites++);
        LULL_SPV_OP(&k->code, SpvOpFunctionCall, lull_spv_type_void(&k->add), lull_spv_id(&k->add),
                    k->function, at, length, number);
        k->nmarks++;
        k->options->site(k->options->arg, &site);
    }
    lull_spv_buf_add(&k->code, k->line_was.w, k->line_was.n);
    return NULL;
}

/** Is the chain of a block in a buffer? */
static bool in_buffer(const struct lull_spv *m, const struct lull_spv_insn *chain)
{
    const struct lull_spv_insn pointer = lull_spv_def(m, lull_spv_word(chain, 1));
    const uint32_t storage = lull_spv_word(&pointer, 2);
    return storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassPushConstant ||
           storage == SpvStorageClassPhysicalStorageBuffer;
}

/** All indices of the innermost of @p n chains. */
LULL_MUST_USE static struct lull_error *check_chain(struct lull_spv_marking *k,
                                                    const struct lull_spv_insn *chains, unsigned n)
{
    const struct lull_spv_insn *chain = &chains[0];
    uint32_t type = base_type(k->m, chain);
    struct lull_error *err = NULL;
    for (uint32_t i = first_index(chain); err == NULL && i < chain->n; i++) {
        const struct lull_spv_insn in = lull_spv_def(k->m, type);
        const bool has =
            in.op == SpvOpTypeArray || in.op == SpvOpTypeVector || in.op == SpvOpTypeMatrix;
        if (has && !is_inside(k->m, &in, chain->w[i])) {
            char name[NAME_ROOM] = "";
            add_name(k, chains, n, i, name);
            const bool inside = n > 1 || i > first_index(chain); // Not one of descriptors.
            err = check(k, &in, chain->w[i], name,
                        in.op == SpvOpTypeArray && inside && in_buffer(k->m, chain));
        }
        type = inner(k->m, &in, chain->w[i]);
    }
    return err;
}

/** What is accessed through @p id. */
LULL_MUST_USE static struct lull_error *check_pointer(struct lull_spv_marking *k, uint32_t id)
{
    struct lull_spv_insn chains[MOST_CHAINS];
    struct lull_error *err = NULL;
    const unsigned n = chains_of(k->m, id, chains);
    for (unsigned i = n; err == NULL && i-- > 0;) {
        const uint32_t of = lull_spv_word(&chains[i], 2);
        const bool known = of >= k->m->bound || k->checked[of] == k->block;
        if (is_chain(chains[i].op) && !known) {
            k->checked[of] = k->select.op == 0 ? k->block : k->checked[of];
            err = check_chain(k, &chains[i], n - i);
        }
    }
    return err;
}

/** A component of a vector that is a value. */
LULL_MUST_USE static struct lull_error *check_component(struct lull_spv_marking *k, uint32_t vector,
                                                        uint32_t index)
{
    const struct lull_spv_insn type = lull_spv_def(k->m, type_of(k->m, vector));
    return type.op == SpvOpTypeVector && !is_inside(k->m, &type, index)
               ? check(k, &type, index, name_of(k, vector), false)
               : NULL;
}

/** Words of pointers that an instruction accesses memory by: from the first, which is 0 if there
 * is none, up to the last. */
static uint32_t pointers(const struct lull_spv *m, const struct lull_spv_insn *in,
                         uint32_t *ret_last)
{
    const struct lull_spv_insn set = lull_spv_def(m, lull_spv_word(in, 3));
    const char *name = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    switch (in->op) {
    case SpvOpStore:
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
        return *ret_last = 1;
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        *ret_last = 2;
        return 1;
    case SpvOpLoad:
    case SpvOpImageTexelPointer:
    case SpvOpArrayLength:
    case SpvOpAtomicFlagTestAndSet:
        return *ret_last = 3;
    case SpvOpFunctionCall:
        *ret_last = in->n - 1;
        return 4;
    case SpvOpExtInst: // modf, frexp.
        *ret_last = in->n - 1;
        return name != NULL && strcmp(name, "GLSL.std.450") == 0 ? 5 : 0;
    default:
        *ret_last = 3;
        return in->op >= SpvOpAtomicLoad && in->op <= SpvOpAtomicXor ? 3 : 0;
    }
}

struct lull_error *lull_spv_mark_look(struct lull_spv_marking *k)
{
    struct lull_spv_insn in = {0};
    k->chosen = calloc((size_t)k->m->bound + 1, sizeof *k->chosen);
    if (k->chosen == NULL) {
        return &lull_enomem;
    }
    for (size_t pos = k->m->functions; lull_spv_next(k->m, &pos, &in);) {
        const bool select = in.op == SpvOpSelect;
        for (uint32_t i = 1; i < in.n; i++) { // Numbers may look like ids: then it is as before.
            const bool of = i >= 4 && select && in.w[3] != in.w[i];
            if (in.w[i] < k->m->bound && k->m->def[in.w[i]] != in.at) {
                uint8_t *chosen = &k->chosen[in.w[i]];
                *chosen = of && *chosen != LULL_SPV_USED_BY_OTHERS ? LULL_SPV_USED_BY_SELECT
                                                                   : LULL_SPV_USED_BY_OTHERS;
            }
        }
    }
    return NULL;
}

/** What the select @p in takes on one side, if it was loaded for that alone. */
LULL_MUST_USE static struct lull_error *check_side(struct lull_spv_marking *k,
                                                   const struct lull_spv_insn *in, bool second)
{
    const uint32_t id = lull_spv_word(in, second ? 5 : 4);
    const struct lull_spv_insn load = lull_spv_def(k->m, id);
    if (load.op != SpvOpLoad || k->chosen[id] != LULL_SPV_USED_BY_SELECT) {
        return NULL;
    }
    k->select = *in;
    k->second = second;
    struct lull_error *err = check_pointer(k, lull_spv_word(&load, 3));
    k->select = (struct lull_spv_insn){0};
    return err;
}

struct lull_error *lull_spv_mark_indices(struct lull_spv_marking *k, const struct lull_spv_insn *in)
{
    uint32_t last = 0;
    const uint32_t first = pointers(k->m, in, &last);
    struct lull_error *err = NULL;
    switch (in->op) {
    case SpvOpVectorExtractDynamic:
        return check_component(k, lull_spv_word(in, 3), lull_spv_word(in, 4));
    case SpvOpVectorInsertDynamic:
        return check_component(k, lull_spv_word(in, 3), lull_spv_word(in, 5));
    case SpvOpSelect:
        err = check_side(k, in, false);
        return err != NULL ? err : check_side(k, in, true);
    case SpvOpLoad:
        if (lull_spv_word(in, 2) < k->m->bound && k->chosen[in->w[2]] == LULL_SPV_USED_BY_SELECT) {
            return NULL;
        }
        break;
    default:
        break;
    }
    for (uint32_t i = first; err == NULL && i != 0 && i <= last; i++) {
        err = check_pointer(k, lull_spv_word(in, i));
    }
    return err;
}
