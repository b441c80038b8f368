// SPDX-License-Identifier: MIT
// Where the printf buffer is: types, variables and capabilities for it.
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/printf_priv.h"

enum {
    V1_3 = 0x00010300,
    V1_5 = 0x00010500,
    QWORD_BITS = 64,
    ADDRESS_BYTES = 8, ///< Then a dword: size in bytes.
    PUSH_BYTES = 12,
};

/** The literal of the last decoration @p what of each id, UINT32_MAX: has none. For free(). */
LULL_MUST_USE static struct lull_error *decorations(const struct lull_spv *m, uint32_t what,
                                                    uint32_t **ret)
{
    uint32_t *value = malloc(((size_t)m->bound + 1) * sizeof *value);
    if (value == NULL) {
        return &lull_enomem;
    }
    memset(value, 0xff, ((size_t)m->bound + 1) * sizeof *value);
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        if (in.op == SpvOpDecorate && in.n == 4 && in.w[2] == what && in.w[1] < m->bound) {
            value[in.w[1]] = in.w[3];
        }
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        for (uint32_t i = 2; in.op == SpvOpGroupDecorate && i < in.n; i++) {
            if (in.w[1] < m->bound && in.w[i] < m->bound && value[in.w[1]] != UINT32_MAX) {
                value[in.w[i]] = value[in.w[1]];
            }
        }
    }
    *ret = value;
    return NULL;
}

LULL_MUST_USE static struct lull_error *check_binding(const struct lull_spv_lower *l)
{
    const struct lull_spirv_printf_options *o = l->options;
    uint32_t *sets = NULL, *bindings = NULL;
    struct lull_error *err = decorations(l->m, SpvDecorationDescriptorSet, &sets);
    if (err == NULL) {
        err = decorations(l->m, SpvDecorationBinding, &bindings);
    }
    for (uint32_t id = 0; err == NULL && id < l->m->bound; id++) {
        if (lull_spv_def(l->m, id).op == SpvOpVariable && sets[id] == o->set &&
            bindings[id] == o->binding) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "set %u, binding %u is in use in the module: choose another with "
                                 "--printf-set and --printf-binding",
                                 o->set, o->binding);
        }
    }
    free(sets);
    free(bindings);
    return err;
}

struct lull_error *lull_spv_printf_specs(const struct lull_spv_lower *l, uint32_t first, uint32_t n,
                                         const char *what)
{
    uint32_t *specs = NULL;
    struct lull_error *err = decorations(l->m, SpvDecorationSpecId, &specs);
    for (uint32_t id = 0; err == NULL && id < l->m->bound; id++) {
        if (specs[id] != UINT32_MAX && specs[id] - first < n) {
            err = lull_error_new(LULL_ERR_BAD_DATA,
                                 "specialization constant %u is in use in the module; %s takes %u "
                                 "to %u",
                                 specs[id], what, first, first + n - 1);
        }
    }
    free(specs);
    return err;
}

static void member(struct lull_spv_add *a, uint32_t type, uint32_t index, uint32_t offset)
{
    LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpMemberDecorate, type, index,
                SpvDecorationOffset, offset);
}

/** The block: counter (one member of 64 bits or two of 32), entries lost, entries. */
static uint32_t block(struct lull_spv_lower *l, bool old)
{
    struct lull_spv_add *a = &l->add;
    struct lull_spv_buf *notes = &a->sections[LULL_SPV_ANNOTATIONS];
    struct lull_spv_buf *globals = &a->sections[LULL_SPV_GLOBALS];
    const uint32_t u32 = lull_spv_type_u32(a, 1);
    const uint32_t array = lull_spv_id(a), type = lull_spv_id(a);
    LULL_SPV_OP(notes, SpvOpDecorate, array, SpvDecorationArrayStride, 4);
    LULL_SPV_OP(globals, SpvOpTypeRuntimeArray, array, u32);
    LULL_SPV_OP(notes, SpvOpDecorate, type, old ? SpvDecorationBufferBlock : SpvDecorationBlock);
    if (l->options->counter64) {
        const uint32_t u64 = lull_spv_type(a, SpvOpTypeInt, (const uint32_t[]){QWORD_BITS, 0}, 2);
        static const uint32_t offsets[] = {0, 8, 12, 16};
        LULL_SPV_OP(globals, SpvOpTypeStruct, type, u64, u32, u32, array);
        for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            member(a, type, i, offsets[i]);
        }
    } else {
        LULL_SPV_OP(globals, SpvOpTypeStruct, type, u32, u32, u32, u32, array);
        for (uint32_t i = 0; i <= LULL_SPV_BUFFER_HEADER; i++) {
            member(a, type, i, 4 * i);
        }
    }
    lull_spv_emit_text(&a->sections[LULL_SPV_NAMES], SpvOpName, &type, 1, "lull_printf_buffer");
    return type;
}

static uint32_t pointer(struct lull_spv_add *a, uint32_t storage, uint32_t to)
{
    const uint32_t id = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpTypePointer, id, storage, to);
    return id;
}

static uint32_t variable(struct lull_spv_add *a, uint32_t storage, uint32_t to, const char *name)
{
    const uint32_t type = pointer(a, storage, to), id = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpVariable, type, id, storage);
    lull_spv_emit_text(&a->sections[LULL_SPV_NAMES], SpvOpName, &id, 1, name);
    return id;
}

static void pointers(struct lull_spv_lower *l, uint32_t storage, uint32_t type)
{
    struct lull_spv_add *a = &l->add;
    const uint32_t u64 = l->options->counter64
                             ? lull_spv_type(a, SpvOpTypeInt, (const uint32_t[]){QWORD_BITS, 0}, 2)
                             : 0;
    l->buffer.storage = storage;
    l->buffer.dword = pointer(a, storage, lull_spv_type_u32(a, 1));
    l->buffer.counter = u64 != 0 ? pointer(a, storage, u64) : l->buffer.dword;
    l->buffer.block = pointer(a, storage, type);
}

LULL_MUST_USE static struct lull_error *by_binding(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    struct lull_error *err = check_binding(l);
    if (err != NULL) {
        return err;
    }
    const bool old = l->m->version < V1_3 &&
                     !lull_spv_has_extension(l->m, "SPV_KHR_storage_buffer_storage_class");
    const uint32_t storage = old ? SpvStorageClassUniform : SpvStorageClassStorageBuffer;
    const uint32_t type = block(l, old);
    pointers(l, storage, type);
    const uint32_t id = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpVariable, l->buffer.block, id, storage);
    lull_spv_emit_text(&a->sections[LULL_SPV_NAMES], SpvOpName, &id, 1, "lull_printf");
    struct lull_spv_buf *notes = &a->sections[LULL_SPV_ANNOTATIONS];
    LULL_SPV_OP(notes, SpvOpDecorate, id, SpvDecorationDescriptorSet, l->options->set);
    LULL_SPV_OP(notes, SpvOpDecorate, id, SpvDecorationBinding, l->options->binding);
    l->buffer.var = id;
    l->interface[l->ninterface++] = id;
    return NULL;
}

/** Address and size as three specialization constants, 0 if nobody sets them. */
LULL_MUST_USE static struct lull_error *by_spec(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    struct lull_error *err = lull_spv_printf_specs(l, l->options->spec_id, 3, "the address");
    if (err != NULL) {
        return err;
    }
    const uint32_t u32 = lull_spv_type_u32(a, 1), two = lull_spv_type_u32(a, 2);
    uint32_t ids[3] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        ids[i] = lull_spv_id(a);
        LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpSpecConstant, u32, ids[i], 0);
        LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, ids[i], SpvDecorationSpecId,
                    l->options->spec_id + i);
    }
    l->buffer.address = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpSpecConstantComposite, two, l->buffer.address,
                ids[0], ids[1]);
    l->buffer.bytes = ids[2];
    return NULL;
}

/** Address and size as they are. */
static void by_constants(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    const uint64_t at = l->options->address;
    const uint32_t low = lull_spv_u32(a, (uint32_t)at),
                   high = lull_spv_u32(a, (uint32_t)(at >> 32));
    l->buffer.address = lull_spv_id(a);
    LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpConstantComposite, lull_spv_type_u32(a, 2),
                l->buffer.address, low, high);
    l->buffer.bytes = lull_spv_u32(a, l->options->bytes);
}

/** A push-constant variable of the module: *ret 0 if there is none. */
LULL_MUST_USE static struct lull_error *find_push(const struct lull_spv *m, uint32_t *ret)
{
    struct lull_spv_insn in = {0};
    *ret = 0;
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        if (in.op != SpvOpVariable || lull_spv_word(&in, 3) != SpvStorageClassPushConstant) {
            continue;
        }
        if (*ret != 0) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "word %zu: a second block of push constants: give the address by "
                                  "specialization constants",
                                  in.at);
        }
        *ret = in.w[2];
    }
    return NULL;
}

/** May @p type get more members: is it used for nothing but a push-constant block that is read? */
LULL_MUST_USE static struct lull_error *check_growth(const struct lull_spv *m, uint32_t type)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; lull_spv_next(m, &pos, &in);) {
        bool typed = false;
        const bool result = lull_spv_has_result(in.op, &typed);
        bool bad = result && typed && lull_spv_word(&in, 1) == type && in.op != SpvOpLoad;
        if (in.op == SpvOpTypePointer && lull_spv_word(&in, 3) == type) {
            bad = in.w[2] != SpvStorageClassPushConstant && in.w[2] != SpvStorageClassFunction &&
                  in.w[2] != SpvStorageClassPrivate;
        }
        for (uint32_t i = 2; (in.op == SpvOpTypeStruct || in.op == SpvOpTypeArray ||
                              in.op == SpvOpTypeRuntimeArray || in.op == SpvOpTypeFunction) &&
                             i < in.n;
             i++) {
            bad |= in.w[i] == type;
        }
        if (bad) {
            return lull_error_new(
                LULL_ERR_UNSUPPORTED,
                "word %zu: the type of the push constants is used elsewhere: give "
                "the address by specialization constants",
                in.at);
        }
    }
    return NULL;
}

/** Bytes that the members of a block take by their offsets; what they need behind is not known. */
LULL_MUST_USE static struct lull_error *check_offsets(const struct lull_spv_lower *l, uint32_t type)
{
    struct lull_spv_insn in = {0};
    const uint32_t at = l->options->push_offset;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < l->m->functions && lull_spv_next(l->m, &pos, &in);) {
        if (in.op == SpvOpMemberDecorate && in.n == 5 && in.w[1] == type &&
            in.w[3] == SpvDecorationOffset && in.w[4] + 4 > at && in.w[4] < at + PUSH_BYTES) {
            return lull_error_new(LULL_ERR_BAD_DATA,
                                  "byte %u of the push constants is in use in the module", in.w[4]);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *by_push(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    const uint32_t at = l->options->push_offset;
    const uint32_t two = lull_spv_type_u32(a, 2), one = lull_spv_type_u32(a, 1);
    struct lull_error *err = find_push(l->m, &l->buffer.push);
    if (err != NULL) {
        return err;
    }
    l->buffer.push_types[0] = two;
    l->buffer.push_types[1] = one;
    uint32_t type = 0;
    if (l->buffer.push != 0) {
        const struct lull_spv_insn p = lull_spv_def(l->m, l->m->type[l->buffer.push]);
        const struct lull_spv_insn s = lull_spv_def(l->m, lull_spv_word(&p, 3));
        if (s.op != SpvOpTypeStruct) {
            return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: push constants are not a struct",
                                  p.at);
        }
        type = l->buffer.grown = s.w[1];
        l->buffer.member = s.n - 2;
        err = check_growth(l->m, type);
        err = err != NULL ? err : check_offsets(l, type);
    } else {
        type = lull_spv_id(a);
        LULL_SPV_OP(&a->sections[LULL_SPV_GLOBALS], SpvOpTypeStruct, type, two, one);
        LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, type, SpvDecorationBlock);
        l->buffer.push = variable(a, SpvStorageClassPushConstant, type, "lull_printf_push");
    }
    member(a, type, l->buffer.member, at);
    member(a, type, l->buffer.member + 1, at + ADDRESS_BYTES);
    l->interface[l->ninterface++] = l->buffer.push;
    return err;
}

LULL_MUST_USE static struct lull_error *by_address(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    lull_spv_capability(a, SpvCapabilityPhysicalStorageBufferAddresses);
    if (l->m->version < V1_5) {
        lull_spv_extension(a, "SPV_KHR_physical_storage_buffer");
    }
    if (l->m->version < V1_3) {
        lull_spv_extension(a, "SPV_KHR_storage_buffer_storage_class");
    }
    pointers(l, SpvStorageClassPhysicalStorageBuffer, block(l, false));
    if (l->options->place == LULL_SPIRV_PRINTF_ADDRESS) {
        by_constants(l);
        return NULL;
    }
    return l->options->place == LULL_SPIRV_PRINTF_SPEC ? by_spec(l) : by_push(l);
}

/** In fragment shaders a lane may be a helper, whose atomics give nothing. */
static void ask_helper(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    struct lull_spv_insn in = {0};
    l->buffer.ask_helper = true;
    if (lull_spv_has_capability(l->m, SpvCapabilityDemoteToHelperInvocation)) {
        return; // OpIsHelperInvocationEXT
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < l->m->functions && lull_spv_next(l->m, &pos, &in);) {
        if (in.op == SpvOpDecorate && in.n == 4 && in.w[2] == SpvDecorationBuiltIn &&
            in.w[3] == SpvBuiltInHelperInvocation &&
            lull_spv_def(l->m, in.w[1]).op == SpvOpVariable) {
            l->buffer.helper = in.w[1];
        }
    }
    if (l->buffer.helper == 0) {
        l->buffer.helper =
            variable(a, SpvStorageClassInput, lull_spv_type_bool(a, 1), "lull_printf_helper");
        LULL_SPV_OP(&a->sections[LULL_SPV_ANNOTATIONS], SpvOpDecorate, l->buffer.helper,
                    SpvDecorationBuiltIn, SpvBuiltInHelperInvocation);
    }
    l->interface[l->ninterface++] = l->buffer.helper;
}

LULL_MUST_USE static struct lull_error *waves(struct lull_spv_lower *l)
{
    size_t fragments = 0, prints = 0;
    if (!l->options->wave) {
        return NULL;
    }
    if (l->m->version < V1_3) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "one atomic per subgroup needs SPIR-V 1.3, the module is %u.%u",
                              l->m->version >> 16 & 0xff, l->m->version >> 8 & 0xff);
    }
    for (size_t i = 0; i < l->nentries; i++) {
        prints += l->entries[i].prints;
        fragments += l->entries[i].prints &&
                     lull_spv_word(&l->entries[i].in, 1) == SpvExecutionModelFragment;
    }
    if (fragments != 0 && fragments != prints) {
        return NULL; // Shared functions cannot ask whether they are helpers.
    }
    l->wave = true;
    lull_spv_capability(&l->add, SpvCapabilityGroupNonUniform);
    lull_spv_capability(&l->add, SpvCapabilityGroupNonUniformBallot);
    if (fragments != 0) {
        ask_helper(l);
    }
    return NULL;
}

struct lull_error *lull_spv_printf_buffer(struct lull_spv_lower *l)
{
    struct lull_spv_add *a = &l->add;
    if (l->options->counter64) {
        lull_spv_capability(a, SpvCapabilityInt64);
        lull_spv_capability(a, SpvCapabilityInt64Atomics);
    }
    struct lull_error *err =
        l->options->place == LULL_SPIRV_PRINTF_BINDING ? by_binding(l) : by_address(l);
    const bool family = lull_spv_has_capability(l->m, SpvCapabilityVulkanMemoryModel) &&
                        !lull_spv_has_capability(l->m, SpvCapabilityVulkanMemoryModelDeviceScope);
    l->buffer.scope = lull_spv_u32(a, family ? SpvScopeQueueFamily : SpvScopeDevice);
    return err != NULL ? err : waves(l);
}
