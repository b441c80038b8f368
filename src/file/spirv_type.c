// SPDX-License-Identifier: MIT
#include "file/spirv_priv.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

enum {
    MAX_DEPTH = 255,                // Universal limit of structure nesting; here of all nesting.
    MAX_PARTS = 65536,              // Components of a vector, columns of a matrix: far above any.
    MAX_SCALAR_BITS = 64,           // Wider constants are not specialization constants.
    TYPE_COOPERATIVE_MATRIX = 4456, // OpTypeCooperativeMatrixKHR, newer than the package's header.
};

// Defines the id of a global; twice is an error.
LULL_MUST_USE static struct lull_error *define(struct lull_spirv_reader *r,
                                               const struct lull_spirv_insn *in, uint32_t id,
                                               struct lull_spirv_id **ret)
{
    struct lull_error *err = lull_spirv_id(r, in, id, ret);
    if (err != NULL) {
        return err;
    }
    if ((*ret)->defined) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: id %u is defined a second time",
                              in->word, id);
    }
    (*ret)->defined = true;
    return NULL;
}

// The type that the next operand names; it must be defined already.
LULL_MUST_USE static struct lull_error *read_type_id(struct lull_spirv_reader *r,
                                                     struct lull_spirv_insn *in,
                                                     struct lull_spirv_id **ret)
{
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_error *err = lull_spirv_id(r, in, id, ret);
    if (err == NULL && (*ret)->type == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: id %u is not a type", in->word, id);
    }
    return err;
}

static uint64_t member_bytes(const struct lull_spirv_member *m)
{
    const struct lull_spirv_type *t = m->type;
    if (t->kind == LULL_SPIRV_MATRIX && m->matrix_stride != 0) {
        return (uint64_t)m->matrix_stride * (m->row_major ? t->element->count : t->count);
    }
    return t->size;
}

static void set_members(struct lull_spirv_id *of, struct lull_spirv_member *members, size_t n)
{
    for (const struct lull_spirv_member_info *i = of->members; i != NULL; i = i->next) {
        if (i->index >= n) {
            continue;
        }
        struct lull_spirv_member *m = &members[i->index];
        if (i->name != NULL) {
            m->name = i->name;
        }
        if (i->decor.offset != LULL_SPIRV_NONE) {
            m->offset = i->decor.offset;
        }
        if (i->decor.matrix_stride != 0) {
            m->matrix_stride = i->decor.matrix_stride;
        }
        m->row_major |= i->decor.row_major;
        m->non_writable |= i->decor.non_writable;
        m->non_readable |= i->decor.non_readable;
    }
}

LULL_MUST_USE static struct lull_error *read_struct(struct lull_spirv_reader *r,
                                                    struct lull_spirv_insn *in,
                                                    struct lull_spirv_id *of,
                                                    struct lull_spirv_type *t)
{
    size_t n = lull_cur_left(&in->c) / 4;
    struct lull_spirv_member *members = lull_arena_calloc(&r->m->arena, n + 1, sizeof *members);
    if (members == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        struct lull_spirv_id *type = NULL;
        struct lull_error *err = read_type_id(r, in, &type);
        if (err != NULL) {
            return err;
        }
        members[i] =
            (struct lull_spirv_member){.name = "", .type = type->type, .offset = LULL_SPIRV_NONE};
        of->depth = type->depth >= of->depth && type->type->kind != LULL_SPIRV_POINTER
                        ? type->depth + 1
                        : of->depth;
    }
    set_members(of, members, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t end = members[i].offset + member_bytes(&members[i]);
        if (members[i].offset != LULL_SPIRV_NONE && end > t->size) {
            t->size = end;
        }
    }
    t->kind = LULL_SPIRV_STRUCT;
    t->members = members;
    t->nmembers = n;
    t->block = of->decor.block;
    t->buffer_block = of->decor.buffer_block;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_image(struct lull_spirv_reader *r,
                                                   struct lull_spirv_insn *in,
                                                   struct lull_spirv_type *t)
{
    struct lull_spirv_id *sampled = NULL;
    struct lull_error *err = read_type_id(r, in, &sampled);
    if (err != NULL) {
        return err;
    }
    t->kind = LULL_SPIRV_IMAGE;
    t->image.sampled_type = sampled->type;
    t->image.dim = lull_cur_u32(&in->c);
    t->image.depth = lull_cur_u32(&in->c);
    t->image.arrayed = lull_cur_u32(&in->c) != 0;
    t->image.ms = lull_cur_u32(&in->c) != 0;
    t->image.sampled = lull_cur_u32(&in->c);
    t->image.format = lull_cur_u32(&in->c);
    return NULL;
}

// Vector, matrix, arrays, sampled image: what is made of one other type.
LULL_MUST_USE static struct lull_error *read_of(struct lull_spirv_reader *r,
                                                struct lull_spirv_insn *in,
                                                struct lull_spirv_id *of, struct lull_spirv_type *t)
{
    struct lull_spirv_id *element = NULL;
    struct lull_error *err = read_type_id(r, in, &element);
    if (err != NULL) {
        return err;
    }
    t->element = element->type;
    of->depth = element->type->kind == LULL_SPIRV_POINTER ? 1 : element->depth + 1;
    t->stride = of->decor.array_stride;
    if (in->op == SpvOpTypeSampledImage) {
        t->kind = LULL_SPIRV_SAMPLED_IMAGE;
    } else if (in->op == SpvOpTypeRuntimeArray) {
        t->kind = LULL_SPIRV_RUNTIME_ARRAY;
    } else if (in->op == SpvOpTypeArray) {
        const struct lull_spirv_id *length = lull_spirv_peek(r, lull_cur_u32(&in->c));
        bool known = length != NULL && length->has_value && length->value <= UINT32_MAX;
        t->kind = LULL_SPIRV_ARRAY;
        t->count = known ? (uint32_t)length->value : 0;
        t->count_spec = length != NULL ? length->decor.spec_id : LULL_SPIRV_NONE;
        t->count_computed = length != NULL && length->computed;
        t->size = (uint64_t)t->count * t->stride;
    } else {
        bool vector = in->op == SpvOpTypeVector;
        t->kind = vector ? LULL_SPIRV_VECTOR : LULL_SPIRV_MATRIX;
        t->count = lull_cur_u32(&in->c);
        bool scalar = t->element->kind == LULL_SPIRV_BOOL || t->element->kind == LULL_SPIRV_INT ||
                      t->element->kind == LULL_SPIRV_FLOAT;
        if (t->count > MAX_PARTS || (vector ? !scalar : t->element->kind != LULL_SPIRV_VECTOR)) {
            return lull_spirv_bad(in, "no such vector or matrix");
        }
        t->size = t->count * t->element->size;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_shape(struct lull_spirv_reader *r,
                                                   struct lull_spirv_insn *in,
                                                   struct lull_spirv_id *of,
                                                   struct lull_spirv_type *t)
{
    switch (in->op) {
    case SpvOpTypeVoid:
        t->kind = LULL_SPIRV_VOID;
        break;
    case SpvOpTypeBool:
        t->kind = LULL_SPIRV_BOOL;
        break;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        t->kind = in->op == SpvOpTypeInt ? LULL_SPIRV_INT : LULL_SPIRV_FLOAT;
        t->bits = lull_cur_u32(&in->c);
        t->is_signed = in->op == SpvOpTypeInt && lull_cur_u32(&in->c) != 0;
        t->size = t->bits / 8;
        break;
    case SpvOpTypeSampler:
        t->kind = LULL_SPIRV_SAMPLER;
        break;
    case SpvOpTypeAccelerationStructureKHR:
        t->kind = LULL_SPIRV_ACCELERATION_STRUCTURE;
        break;
    case SpvOpTypePointer:
        t->kind = LULL_SPIRV_POINTER;
        t->storage = lull_cur_u32(&in->c);
        of->target = lull_cur_u32(&in->c);
        t->size = t->storage == SpvStorageClassPhysicalStorageBuffer ? 8 : 0;
        break;
    case SpvOpTypeStruct:
        return read_struct(r, in, of, t);
    case SpvOpTypeImage:
        return read_image(r, in, t);
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeSampledImage:
        return read_of(r, in, of, t);
    default:
        t->kind = LULL_SPIRV_OTHER;
        break;
    }
    return NULL;
}

// The type of an id; there already if a pointer was announced.
LULL_MUST_USE static struct lull_error *new_type(struct lull_spirv_reader *r,
                                                 struct lull_spirv_id *of, uint32_t id,
                                                 struct lull_spirv_type **ret)
{
    struct lull_spirv_type *t = of->type;
    if (t == NULL) {
        t = lull_arena_calloc(&r->m->arena, 1, sizeof *t);
        if (t == NULL) {
            return &lull_enomem;
        }
        t->id = id;
        t->name = of->name != NULL ? of->name : "";
        t->count_spec = LULL_SPIRV_NONE;
    }
    *ret = t;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_forward(struct lull_spirv_reader *r,
                                                     struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    struct lull_error *err = lull_spirv_id(r, in, id, &of);
    if (err != NULL || of->defined) {
        return err;
    }
    struct lull_spirv_type *t = NULL;
    err = new_type(r, of, id, &t);
    if (err == NULL) {
        t->kind = LULL_SPIRV_POINTER;
        t->storage = lull_cur_u32(&in->c);
        t->size = t->storage == SpvStorageClassPhysicalStorageBuffer ? 8 : 0;
        of->depth = 1;
        of->type = t;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_type(struct lull_spirv_reader *r,
                                                  struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    struct lull_error *err = define(r, in, id, &of);
    if (err != NULL) {
        return err;
    }
    bool forward = of->type != NULL;
    struct lull_spirv_type *t = NULL;
    err = new_type(r, of, id, &t);
    if (err == NULL && forward && in->op != SpvOpTypePointer) {
        err = lull_spirv_bad(in, "was announced as a pointer");
    }
    if (err != NULL) {
        return err;
    }
    of->depth = 1;
    err = read_shape(r, in, of, t);
    if (err == NULL && in->c.bad) {
        err = lull_spirv_bad(in, "operands are missing");
    }
    if (err == NULL && of->depth > MAX_DEPTH) {
        err = lull_spirv_bad(in, "types nest deeper than 255");
    }
    of->type = t;
    return err;
}

static void integer_op(struct lull_spirv_id *of, uint32_t op, uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t v = 0;
    switch (op) {
    case SpvOpIAdd:
        v = a + b;
        break;
    case SpvOpISub:
        v = a - b;
        break;
    case SpvOpIMul:
        v = a * b;
        break;
    case SpvOpUDiv:
    case SpvOpUMod:
        if (b == 0) {
            return;
        }
        v = op == SpvOpUDiv ? a / b : a % b;
        break;
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
        if (b >= bits) {
            return;
        }
        v = op == SpvOpShiftLeftLogical ? a << b : a >> b;
        break;
    case SpvOpBitwiseAnd:
        v = a & b;
        break;
    case SpvOpBitwiseOr:
        v = a | b;
        break;
    case SpvOpBitwiseXor:
        v = a ^ b;
        break;
    default:
        return;
    }
    of->value = bits < 64 ? v & ((UINT64_C(1) << bits) - 1) : v;
    of->has_value = true;
}

// Member index of the composite constant id; 0: none.
static uint32_t constituent(const struct lull_spirv_reader *r, uint32_t id, uint32_t index)
{
    const struct lull_spirv_id *of = lull_spirv_peek(r, id);
    size_t pos = of != NULL ? of->composite : 0;
    struct lull_spirv_insn in = {0};
    if (pos == 0 || !lull_spirv_next(r, &pos, &in)) {
        return 0;
    }
    struct lull_cur c = lull_cur_slice(&in.c, 8 + 4 * (uint64_t)index, 4);
    return lull_cur_u32(&c);
}

// Integer arithmetic of two operands, and the member of a vector; what else there is has no value.
static void read_spec_op(const struct lull_spirv_reader *r, struct lull_spirv_insn *in,
                         const struct lull_spirv_type *type, struct lull_spirv_id *of)
{
    uint32_t op = lull_cur_u32(&in->c);
    if (lull_cur_left(&in->c) != 8 || type->kind != LULL_SPIRV_INT ||
        type->bits > MAX_SCALAR_BITS) {
        return;
    }
    uint32_t first = lull_cur_u32(&in->c);
    uint32_t second = lull_cur_u32(&in->c);
    const struct lull_spirv_id *a = lull_spirv_peek(r, first);
    const struct lull_spirv_id *b = lull_spirv_peek(r, second);
    if (op == SpvOpCompositeExtract) {
        a = lull_spirv_peek(r, constituent(r, first, second));
        if (a != NULL && a->has_value) {
            of->value = a->value;
            of->has_value = true;
            of->decor.spec_id = a->decor.spec_id;
        }
    } else if (a != NULL && b != NULL && a->has_value && b->has_value) {
        integer_op(of, op, a->value, b->value, type->bits);
    }
}

static void read_scalar(struct lull_spirv_insn *in, const struct lull_spirv_type *type,
                        struct lull_spirv_id *of)
{
    bool number = type->kind == LULL_SPIRV_INT || type->kind == LULL_SPIRV_FLOAT;
    if (!number || type->bits == 0 || type->bits > MAX_SCALAR_BITS) {
        return;
    }
    of->value = lull_cur_u32(&in->c);
    if (type->bits > 32) {
        of->value |= (uint64_t)lull_cur_u32(&in->c) << 32;
    } else if (type->bits < 32) {
        of->value &= (UINT64_C(1) << type->bits) - 1; // A small negative one is sign-extended.
    }
    of->has_value = !in->c.bad;
}

static void add_constant(struct lull_spirv_reader *r, uint32_t id, const struct lull_spirv_id *of,
                         const struct lull_spirv_type *type)
{
    if (of->has_value && of->decor.spec_id != LULL_SPIRV_NONE) {
        r->constants[r->m->nconstants++] = (struct lull_spirv_constant){
            .id = id,
            .spec_id = of->decor.spec_id,
            .name = of->name != NULL ? of->name : "",
            .type = type,
            .value = of->value,
        };
    }
}

LULL_MUST_USE static struct lull_error *read_constant(struct lull_spirv_reader *r,
                                                      struct lull_spirv_insn *in)
{
    struct lull_spirv_id *type = NULL;
    struct lull_error *err = read_type_id(r, in, &type);
    if (err != NULL) {
        return err;
    }
    uint32_t id = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    err = define(r, in, id, &of);
    if (err != NULL) {
        return err;
    }
    switch (in->op) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        of->value = in->op == SpvOpConstantTrue || in->op == SpvOpSpecConstantTrue;
        of->has_value = true;
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        read_scalar(in, type->type, of);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        of->composite = in->word;
        break;
    default:
        of->computed = true;
        read_spec_op(r, in, type->type, of);
        break;
    }
    if (in->op == SpvOpSpecConstant || in->op == SpvOpSpecConstantTrue ||
        in->op == SpvOpSpecConstantFalse) {
        add_constant(r, id, of, type->type);
    }
    return in->c.bad ? lull_spirv_bad(in, "operands are missing") : NULL;
}

// What descriptor a variable of type t in a storage class is; -1: none.
static int descriptor_of(const struct lull_spirv_type *t, uint32_t storage)
{
    if (t->kind == LULL_SPIRV_STRUCT) {
        bool buffer = storage == SpvStorageClassStorageBuffer || t->buffer_block;
        return buffer                              ? LULL_SPIRV_DESC_STORAGE_BUFFER
               : storage == SpvStorageClassUniform ? LULL_SPIRV_DESC_UNIFORM_BUFFER
                                                   : -1;
    }
    if (storage != SpvStorageClassUniformConstant) {
        return -1;
    }
    if (t->kind == LULL_SPIRV_SAMPLER) {
        return LULL_SPIRV_DESC_SAMPLER;
    }
    if (t->kind == LULL_SPIRV_ACCELERATION_STRUCTURE) {
        return LULL_SPIRV_DESC_ACCELERATION_STRUCTURE;
    }
    if (t->kind == LULL_SPIRV_SAMPLED_IMAGE) {
        bool buffer = t->element->kind == LULL_SPIRV_IMAGE && t->element->image.dim == SpvDimBuffer;
        return buffer ? LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER
                      : LULL_SPIRV_DESC_COMBINED_IMAGE_SAMPLER;
    }
    if (t->kind != LULL_SPIRV_IMAGE) {
        return -1;
    }
    if (t->image.dim == SpvDimSubpassData) {
        return LULL_SPIRV_DESC_INPUT_ATTACHMENT;
    }
    if (t->image.dim == SpvDimBuffer) {
        return t->image.sampled == 2 ? LULL_SPIRV_DESC_STORAGE_TEXEL_BUFFER
                                     : LULL_SPIRV_DESC_UNIFORM_TEXEL_BUFFER;
    }
    return t->image.sampled == 2 ? LULL_SPIRV_DESC_STORAGE_IMAGE : LULL_SPIRV_DESC_SAMPLED_IMAGE;
}

static void all_members(const struct lull_spirv_type *t, bool *non_writable, bool *non_readable)
{
    bool write = t->nmembers > 0, read = t->nmembers > 0;
    for (size_t i = 0; i < t->nmembers; i++) {
        write = write && t->members[i].non_writable;
        read = read && t->members[i].non_readable;
    }
    *non_writable |= write;
    *non_readable |= read;
}

static void add_binding(struct lull_spirv_reader *r, uint32_t id, const struct lull_spirv_id *of,
                        const struct lull_spirv_type *t, uint32_t storage)
{
    uint64_t count = 1;
    uint32_t spec = LULL_SPIRV_NONE;
    while (t->kind == LULL_SPIRV_ARRAY || t->kind == LULL_SPIRV_RUNTIME_ARRAY) {
        count = t->kind == LULL_SPIRV_ARRAY ? count * t->count : 0;
        count = count > UINT32_MAX ? UINT32_MAX : count;
        spec = t->count_spec != LULL_SPIRV_NONE ? t->count_spec : spec;
        t = t->element;
    }
    int descriptor = descriptor_of(t, storage);
    if (descriptor < 0 || !of->decor.placed) {
        return;
    }
    struct lull_spirv_binding *b = &r->bindings[r->m->nbindings++];
    *b = (struct lull_spirv_binding){
        .id = id,
        .set = of->decor.set,
        .binding = of->decor.binding,
        .descriptor = (enum lull_spirv_descriptor)descriptor,
        .count = (uint32_t)count,
        .count_spec = spec,
        .name = of->name != NULL ? of->name : "",
        .block = t->kind == LULL_SPIRV_STRUCT ? t->name : "",
        .type = t,
        .non_writable = of->decor.non_writable,
        .non_readable = of->decor.non_readable,
    };
    all_members(t, &b->non_writable, &b->non_readable);
}

LULL_MUST_USE static struct lull_error *read_variable(struct lull_spirv_reader *r,
                                                      struct lull_spirv_insn *in)
{
    struct lull_spirv_id *pointer = NULL;
    struct lull_error *err = read_type_id(r, in, &pointer);
    if (err != NULL) {
        return err;
    }
    uint32_t id = lull_cur_u32(&in->c);
    uint32_t storage = lull_cur_u32(&in->c);
    struct lull_spirv_id *of = NULL;
    err = define(r, in, id, &of);
    if (err != NULL) {
        return err;
    }
    if (pointer->type->kind != LULL_SPIRV_POINTER) {
        return lull_spirv_bad(in, "a variable's type is not a pointer");
    }
    const struct lull_spirv_id *target = lull_spirv_peek(r, pointer->target);
    if (target == NULL || target->type == NULL) {
        return NULL; // A pointer to something that this reader does not know.
    }
    if (storage == SpvStorageClassPushConstant && target->type->kind == LULL_SPIRV_STRUCT &&
        r->m->push == NULL) {
        r->m->push = target->type;
        r->m->push_name = of->name != NULL ? of->name : "";
    }
    if (storage == SpvStorageClassWorkgroup) {
        r->shared[r->m->nshared++] = (struct lull_spirv_shared){id, target->type};
    }
    add_binding(r, id, of, target->type, storage);
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_global(struct lull_spirv_reader *r,
                                                    struct lull_spirv_insn *in)
{
    if (in->op >= SpvOpTypeVoid && in->op <= SpvOpTypePipe) {
        return read_type(r, in);
    }
    switch (in->op) {
    case SpvOpTypeForwardPointer:
        return read_forward(r, in);
    case SpvOpTypeAccelerationStructureKHR:
    case SpvOpTypeRayQueryKHR:
    case TYPE_COOPERATIVE_MATRIX:
        return read_type(r, in);
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp:
        return read_constant(r, in);
    case SpvOpVariable:
        return read_variable(r, in);
    default:
        return NULL;
    }
}

static int by_place(const void *a, const void *b)
{
    const struct lull_spirv_binding *x = a, *y = b;
    if (x->set != y->set) {
        return x->set < y->set ? -1 : 1;
    }
    if (x->binding != y->binding) {
        return x->binding < y->binding ? -1 : 1;
    }
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_spec_id(const void *a, const void *b)
{
    const struct lull_spirv_constant *x = a, *y = b;
    if (x->spec_id != y->spec_id) {
        return x->spec_id < y->spec_id ? -1 : 1;
    }
    return x->id < y->id ? -1 : x->id > y->id;
}

struct lull_error *lull_spirv_read_globals(struct lull_spirv_reader *r)
{
    struct lull_spirv *m = r->m;
    r->bindings = lull_arena_calloc(&m->arena, r->nvariables + 1, sizeof *r->bindings);
    r->constants = lull_arena_calloc(&m->arena, r->nconstants + 1, sizeof *r->constants);
    r->shared = lull_arena_calloc(&m->arena, r->nvariables + 1, sizeof *r->shared);
    if (r->bindings == NULL || r->constants == NULL || r->shared == NULL) {
        return &lull_enomem;
    }
    m->bindings = r->bindings;
    m->shared = r->shared;
    m->constants = r->constants;
    m->push_name = "";
    struct lull_spirv_insn in = {0};
    for (size_t pos = 5; lull_spirv_next(r, &pos, &in) && in.op != SpvOpFunction;) {
        struct lull_error *err = read_global(r, &in);
        if (err != NULL) {
            return err;
        }
    }
    for (uint32_t id = 0; id < m->bound; id++) { // Pointers may come before what they point to.
        struct lull_spirv_id *of = r->ids[id];
        if (of != NULL && of->type != NULL && of->type->kind == LULL_SPIRV_POINTER) {
            const struct lull_spirv_id *target = lull_spirv_peek(r, of->target);
            of->type->element = target != NULL ? target->type : NULL;
        }
    }
    qsort(r->bindings, m->nbindings, sizeof *r->bindings, by_place);
    qsort(r->constants, m->nconstants, sizeof *r->constants, by_spec_id);
    return NULL;
}

// A size by the id of its constant.
static void size_by_id(const struct lull_spirv_reader *r, uint32_t id, struct lull_spirv_entry *e,
                       unsigned axis)
{
    const struct lull_spirv_id *of = lull_spirv_peek(r, id);
    if (of != NULL && of->has_value && of->value <= UINT32_MAX) {
        e->local_size[axis] = (uint32_t)of->value;
        e->local_size_spec[axis] = of->decor.spec_id;
    }
}

struct lull_error *lull_spirv_local_size(struct lull_spirv_reader *r, struct lull_spirv_insn *in)
{
    uint32_t id = lull_cur_u32(&in->c);
    uint32_t mode = lull_cur_u32(&in->c);
    if (!in->c.bad && mode != SpvExecutionModeLocalSize && mode != SpvExecutionModeLocalSizeId) {
        return NULL;
    }
    uint32_t size[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        size[i] = lull_cur_u32(&in->c);
    }
    if (in->c.bad) {
        return lull_spirv_bad(in, "operands are missing");
    }
    for (size_t n = 0; n < r->m->nentries; n++) {
        struct lull_spirv_entry *e = &r->entries[n];
        for (unsigned i = 0; i < 3 && e->id == id; i++) {
            if (mode == SpvExecutionModeLocalSize) {
                e->local_size[i] = size[i];
            } else {
                size_by_id(r, size[i], e, i);
            }
        }
    }
    return NULL;
}

void lull_spirv_workgroup_size(struct lull_spirv_reader *r)
{
    for (size_t n = 0; n < r->m->nentries && r->workgroup_size != 0; n++) {
        for (unsigned i = 0; i < 3; i++) {
            size_by_id(r, constituent(r, r->workgroup_size, i), &r->entries[n], i);
        }
    }
}
