// SPDX-License-Identifier: MIT
// Variables, pointers into them, loads and stores of whatever is behind.
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"
#include "front/llvm/stage.h"
#include "spirv/grammar.h"

enum {
    BUFFER_SPACE = 8,
    MAX_COPIED = 1 << 12, // numbers of one load or store
};

/** An index as i32. */
static LLVMValueRef index32(const struct lull_fl *f, LLVMValueRef i)
{
    return LLVMBuildIntCast2(f->b, i, f->i32, true, "");
}

/** @p p, @p bytes further. */
static void move(const struct lull_fl *f, struct lull_fl_pointer *p, LLVMValueRef bytes)
{
    p->offset = p->offset != NULL ? LLVMBuildAdd(f->b, p->offset, bytes, "") : bytes;
}

static void move_elements(const struct lull_fl *f, struct lull_fl_pointer *p, LLVMValueRef i,
                          uint32_t stride)
{
    move(f, p, LLVMBuildMul(f->b, i, lull_fl_int(f, stride), ""));
}

/** The descriptor of a buffer. */
static LLVMValueRef descriptor(const struct lull_fl *f, const struct lull_fl_pointer *p,
                               LLVMValueRef index)
{
    LLVMValueRef args[3] = {lull_fl_int(f, p->set), lull_fl_int(f, p->binding), index};
    LLVMValueRef words =
        lull_fl_extern(f, p->non_uniform ? "lull.buffer.desc.nonuniform" : "lull.buffer.desc",
                       LLVMVectorType(f->i32, 4), args, 3);
    LLVMValueRef number = LLVMBuildBitCast(f->b, words, LLVMIntTypeInContext(f->c, 128), "");
    return LLVMBuildIntToPtr(f->b, number, LLVMPointerTypeInContext(f->c, BUFFER_SPACE), "");
}

/** Is it an array, with or without a size? */
static bool is_array(const struct lull_fr_type *t)
{
    return t->kind == LULL_FR_ARRAY || t->kind == LULL_FR_RUNTIME_ARRAY;
}

/** Descriptors of an array of arrays: of all elements. */
static uint64_t descriptors_of(const struct lull_fr_type *t)
{
    uint64_t n = 1;
    for (; is_array(t); t = t->element) {
        n *= t->count; // below 2^32: scalars of a type are
    }
    return n;
}

/** One descriptor of a table, or one of the arrays in it. */
LULL_MUST_USE static struct lull_error *choose(const struct lull_fl *f, struct lull_fl_pointer *p,
                                               LLVMValueRef index)
{
    p->type = p->type->element;
    const uint64_t n = descriptors_of(p->type);
    index = n != 1 ? LLVMBuildMul(f->b, index, lull_fl_int(f, n), "") : index;
    index = p->offset != NULL ? LLVMBuildAdd(f->b, p->offset, index, "") : index;
    if (is_array(p->type)) {
        p->offset = index;
        return NULL;
    }
    if (p->type->kind == LULL_FR_OTHER) {
        p->offset = index;
        p->where = LULL_FL_DESCRIPTOR;
        return NULL;
    }
    if (p->type->kind != LULL_FR_STRUCT) {
        return lull_fl_bad(f, "an array of what is not a descriptor");
    }
    p->base = descriptor(f, p, index);
    p->offset = lull_fl_int(f, 0);
    p->where = LULL_FL_BUFFER;
    return NULL;
}

LULL_MUST_USE static struct lull_error *member(const struct lull_fl *f, struct lull_fl_pointer *p,
                                               LLVMValueRef index)
{
    const struct lull_fr_type *t = p->type;
    const uint64_t i =
        LLVMIsAConstantInt(index) != NULL ? LLVMConstIntGetZExtValue(index) : t->count;
    if (i >= t->count) {
        return lull_fl_bad(f, "a member that there is not");
    }
    p->type = t->members[i];
    p->is_volatile |= t->decor[i].coherent || t->decor[i].is_volatile;
    if (p->where == LULL_FL_NATURAL) {
        LLVMTypeRef type = NULL;
        struct lull_error *err = lull_fl_memory_type(f, t, &type);
        p->base = err == NULL ? LLVMBuildStructGEP2(f->b, type, p->base, (unsigned)i, "") : NULL;
        if (err == NULL && p->again != NULL) {
            p->again = LLVMBuildStructGEP2(f->b, type, p->again, (unsigned)i, "");
        }
        return err;
    }
    if (t->decor[i].offset == LULL_FR_NONE) {
        return lull_fl_bad(f, "member %u of %%%u has no Offset", (unsigned)i, t->id);
    }
    p->matrix_stride = t->decor[i].matrix_stride;
    p->row_major = t->decor[i].row_major;
    move(f, p, lull_fl_int(f, t->decor[i].offset));
    return NULL;
}

/** Into memory that decorations lay out. */
LULL_MUST_USE static struct lull_error *explicit_step(const struct lull_fl *f,
                                                      struct lull_fl_pointer *p, LLVMValueRef i)
{
    const struct lull_fr_type *t = p->type;
    uint32_t stride = t->stride;
    if (t->kind == LULL_FR_VECTOR) {
        stride = p->component_stride != 0 ? p->component_stride : lull_fl_scalar_bytes(t);
        p->component_stride = 0;
    } else if (t->kind == LULL_FR_MATRIX) {
        stride = p->row_major ? lull_fl_scalar_bytes(t->element) : p->matrix_stride;
        p->component_stride = p->row_major ? p->matrix_stride : 0;
        stride = p->matrix_stride == 0 ? 0 : stride;
    }
    if (stride == 0) {
        return lull_fl_bad(f, "%%%u has no stride", t->id);
    }
    p->type = t->element;
    move_elements(f, p, i, stride);
    return NULL;
}

struct lull_error *lull_fl_step(struct lull_fl *f, struct lull_fl_pointer *p, LLVMValueRef index)
{
    const struct lull_fr_type *t = p->type;
    if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind) {
        return lull_fl_bad(f, "an index that is not an integer");
    }
    LLVMValueRef i = index32(f, index);
    if (t->kind == LULL_FR_STRUCT) {
        return member(f, p, i);
    }
    if (t->kind != LULL_FR_RUNTIME_ARRAY && lull_fl_parts_of(f, t) == 0) {
        return lull_fl_bad(f, "%%%u has no parts", t->id);
    }
    if (p->where == LULL_FL_TABLE) {
        return choose(f, p, i);
    }
    if (p->where != LULL_FL_NATURAL) {
        return explicit_step(f, p, i);
    }
    LLVMTypeRef type = NULL;
    LLVMValueRef at[2] = {lull_fl_int(f, 0), i};
    struct lull_error *err = lull_fl_memory_type(f, t, &type);
    if (err == NULL) {
        p->base = LLVMBuildGEP2(f->b, type, p->base, at, 2, "");
        p->again = p->again != NULL ? LLVMBuildGEP2(f->b, type, p->again, at, 2, "") : NULL;
        p->type = t->element;
    }
    return err;
}

/** A whole struct, array or matrix, part by part. @p v: what to store, NULL to load. */
LULL_MUST_USE static struct lull_error *copy(struct lull_fl *f, const struct lull_fl_pointer *p,
                                             LLVMValueRef v, LLVMValueRef *ret)
{
    const struct lull_fr_type *t = p->type;
    const bool store = v != NULL;
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_type(f, t, &type);
    if (err != NULL) {
        return err;
    }
    if (t->kind == LULL_FR_COOPERATIVE && p->where != LULL_FL_NATURAL) {
        return lull_fl_bad(f, "a cooperative matrix in memory that decorations lay out");
    }
    if (lull_fr_is_plain(t) || t->kind == LULL_FR_POINTER || t->kind == LULL_FR_COOPERATIVE) {
        return store ? lull_fl_store_leaf(f, p, v) : lull_fl_load_leaf(f, p, ret);
    }
    if (t->kind == LULL_FR_OTHER) {
        return lull_fl_refuse(f, "images and samplers in memory");
    }
    *ret = LLVMGetPoison(type);
    for (uint32_t i = 0; i < t->count && err == NULL; i++) {
        struct lull_fl_pointer part = *p;
        LLVMValueRef one = NULL;
        err = lull_fl_step(f, &part, lull_fl_int(f, i));
        if (err == NULL) {
            one = store ? LLVMBuildExtractValue(f->b, v, i, "") : NULL;
            err = copy(f, &part, one, &one);
        }
        *ret = err == NULL && !store ? LLVMBuildInsertValue(f->b, *ret, one, i, "") : *ret;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *check(struct lull_fl *f, const struct lull_fl_pointer *p)
{
    f->emitted += p->type->scalars;
    return lull_fl_is_resource(p) ? lull_fl_bad(f, "descriptors are not values")
           : p->type->scalars > MAX_COPIED
               ? lull_fl_refuse(f, "%llu numbers at once", (unsigned long long)p->type->scalars)
               : NULL;
}

struct lull_error *lull_fl_load(struct lull_fl *f, const struct lull_fl_pointer *p,
                                LLVMValueRef *ret)
{
    if (p->where == LULL_FL_DESCRIPTOR) {
        *ret = lull_fl_load_descriptor(f, p);
        return NULL;
    }
    struct lull_error *err = check(f, p);
    return err != NULL ? err : copy(f, p, NULL, ret);
}

struct lull_error *lull_fl_store(struct lull_fl *f, const struct lull_fl_pointer *p, LLVMValueRef v)
{
    LLVMTypeRef type = NULL;
    LLVMValueRef none = NULL;
    struct lull_error *err = check(f, p);
    err = err != NULL ? err : lull_fl_type(f, p->type, &type);
    if (err == NULL && LLVMTypeOf(v) != type) {
        err = lull_fl_bad(f, "the value is not of the pointer's type");
    }
    return err != NULL ? err : copy(f, p, v, &none);
}

/** Private to a lane: in the first block, also if functions are entered more than once. */
LULL_MUST_USE static struct lull_error *scratch(struct lull_fl *f, struct lull_fl_pointer *p)
{
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_memory_type(f, p->type, &type);
    if (err != NULL) {
        return err;
    }
    const char *name = f->m->ids[f->in->w[2]].name;
    p->base = LLVMBuildAlloca(f->top, type, name != NULL ? name : "");
    if (f->in->n > 4) {
        err = lull_fl_get(f, f->in->w[4], &v);
        err = err != NULL ? err : lull_fl_store(f, p, v);
    }
    return err;
}

/** Memory for an interface variable of a shader that draws: all 0. */
LULL_MUST_USE static struct lull_error *interface_memory(struct lull_fl *f,
                                                         struct lull_fl_pointer *p)
{
    LLVMTypeRef type = NULL;
    struct lull_error *err = lull_fl_memory_type(f, p->type, &type);
    const char *name = f->m->ids[f->in->w[2]].name;
    if (err == NULL) {
        p->base = LLVMBuildAlloca(f->top, type, name != NULL ? name : "");
        LLVMBuildStore(f->b, LLVMConstNull(type), p->base);
    }
    return err;
}

/** stage.c gives it its values. */
LULL_MUST_USE static struct lull_error *declare_input(struct lull_fl *f, struct lull_fl_pointer *p)
{
    if (f->stage->hull != NULL && !f->stage->part) {
        p->base = lull_fl_hull_place(f, f->in->w[2], false);
        if (p->base != NULL) {
            return NULL;
        }
    }
    struct lull_error *err = interface_memory(f, p);
    LLVMTypeRef type = NULL;
    err = err != NULL ? err : lull_fl_memory_type(f, p->type, &type);
    if (err == NULL && f->stage->pixel) {
        p->input = f->in->w[2];
        p->again = LLVMBuildAlloca(f->top, type, "");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *declare_output(struct lull_fl *f, struct lull_fl_pointer *p)
{
    LLVMValueRef v = NULL;
    if (f->stage->hull != NULL && !f->stage->part) {
        p->base = lull_fl_hull_place(f, f->in->w[2], true);
        return f->in->n > 4 ? lull_fl_refuse(f, "an output of patches with an initializer") : NULL;
    }
    struct lull_error *err = interface_memory(f, p);
    if (err == NULL && f->in->n > 4) {
        err = lull_fl_get(f, f->in->w[4], &v);
        err = err != NULL ? err : lull_fl_store(f, p, v);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *input(struct lull_fl *f, struct lull_fl_pointer *p)
{
    const uint32_t builtin = f->m->ids[f->in->w[2]].decor.builtin;
    LLVMTypeRef type = NULL;
    LLVMValueRef v = NULL;
    if (f->stage != NULL) {
        return declare_input(f, p);
    }
    if (builtin == LULL_FR_NONE) {
        return lull_fl_refuse(f, "inputs of other stages");
    }
    struct lull_error *err = lull_fl_memory_type(f, p->type, &type);
    err = err != NULL ? err : lull_fl_builtin(f, builtin, p->type, &v);
    if (err == NULL) {
        const char *name = f->m->ids[f->in->w[2]].name;
        p->base = LLVMBuildAlloca(f->top, type, name != NULL ? name : "");
        err = lull_fl_store(f, p, v);
    }
    return err;
}

/** A buffer, image or sampler, or an array of them. */
LULL_MUST_USE static struct lull_error *resource(struct lull_fl *f, struct lull_fl_pointer *p,
                                                 const struct lull_fr_decor *d)
{
    const struct lull_fr_type *t = p->type;
    LLVMTypeRef type = NULL;
    while (is_array(t)) {
        t = t->element;
    }
    if ((t->kind == LULL_FR_OTHER) != (f->in->w[3] == SpvStorageClassUniformConstant)) {
        return lull_fl_bad(f, "a type that its storage class does not have");
    }
    if (t->kind == LULL_FR_OTHER) {
        struct lull_error *err = lull_fl_type(f, t, &type);
        if (err != NULL) {
            return err;
        }
    }
    if (d->set == LULL_FR_NONE || d->binding == LULL_FR_NONE) {
        return lull_fl_bad(f, "it has no descriptor set and binding");
    }
    p->set = d->set;
    p->binding = d->binding;
    p->read_only = f->in->w[3] == SpvStorageClassUniform && !t->buffer_block;
    if (is_array(p->type)) {
        p->where = LULL_FL_TABLE;
        return NULL;
    }
    if (p->type->kind == LULL_FR_OTHER) {
        p->where = LULL_FL_DESCRIPTOR;
        p->offset = lull_fl_int(f, 0);
        return NULL;
    }
    if (p->type->kind != LULL_FR_STRUCT) {
        return lull_fl_bad(f, "a buffer that is not a struct");
    }
    p->where = LULL_FL_BUFFER;
    p->base = descriptor(f, p, lull_fl_int(f, 0));
    p->offset = lull_fl_int(f, 0);
    return NULL;
}

struct lull_error *lull_fl_variable(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = lull_fr_type_of(f->m, in->w[1]);
    const struct lull_fr_decor *d = &f->m->ids[in->w[2]].decor;
    struct lull_error *err = NULL;
    if (t == NULL || t->kind != LULL_FR_POINTER || t->element->kind == LULL_FR_NO_TYPE ||
        t->storage != in->w[3]) {
        return lull_fl_bad(f, "its type is not a pointer");
    }
    if (t->element->cooperates && in->w[3] != SpvStorageClassFunction &&
        in->w[3] != SpvStorageClassPrivate) {
        return lull_fl_bad(f, "a cooperative matrix in memory that is not a lane's own");
    }
    if (t->element->kind == LULL_FR_VOID) {
        return NULL; // glslang makes them of HLSL's functions without a value
    }
    if ((in->w[3] == SpvStorageClassInput || in->w[3] == SpvStorageClassOutput) &&
        !f->m->ids[in->w[2]].is_interface) {
        return NULL; // of another entry point
    }
    struct lull_fl_pointer p = {.type = t->element, .is_volatile = d->coherent || d->is_volatile};
    switch (in->w[3]) {
    case SpvStorageClassFunction:
    case SpvStorageClassPrivate:
        err = scratch(f, &p);
        break;
    case SpvStorageClassWorkgroup:
        err = lull_fl_shared(f, &p);
        break;
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassUniform:
    case SpvStorageClassUniformConstant:
        err = resource(f, &p, d);
        break;
    case SpvStorageClassPushConstant:
        p.where = LULL_FL_PUSH;
        p.offset = lull_fl_int(f, 0);
        break;
    case SpvStorageClassInput:
        err = input(f, &p);
        break;
    case SpvStorageClassOutput:
        err = f->stage == NULL ? lull_fl_refuse(f, "a compute shader has no outputs")
              : f->stage->mesh ? lull_fl_shared(f, &p)
                               : declare_output(f, &p);
        break;
    default:
        return lull_fl_refuse(f, "variables of storage class %u (%s) are not supported", in->w[3],
                              lull_spv_storage_name(in->w[3]));
    }
    return err != NULL ? err : lull_fl_set_pointer(f, in->w[2], t, &p);
}

/** Is the id, or the pointer that the instruction makes, marked as different from lane to lane? */
static bool non_uniform(const struct lull_fl *f, uint32_t id)
{
    return f->m->ids[id].decor.non_uniform;
}

LULL_MUST_USE static struct lull_error *chain(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const bool element = in->op == SpvOpPtrAccessChain || in->op == SpvOpInBoundsPtrAccessChain;
    const struct lull_fl_pointer *base = NULL;
    const struct lull_fr_type *of_base = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, in->w[3], &base);
    err = err != NULL ? err : lull_fl_type_of(f, in->w[3], &of_base);
    if (err != NULL) {
        return err;
    }
    struct lull_fl_pointer p = *base;
    p.non_uniform |= non_uniform(f, in->w[2]);
    for (uint32_t i = 4; i < in->n && err == NULL; i++) {
        LLVMValueRef index = NULL;
        err = lull_fl_get_kind(f, in->w[i], 'i', &index);
        p.non_uniform |= non_uniform(f, in->w[i]);
        if (err == NULL && lull_fl_count(LLVMTypeOf(index)) != 1) {
            err = lull_fl_bad(f, "%%%u is of a wrong type", in->w[i]);
        }
        if (err != NULL) {
            break;
        }
        if (element && i == 4) {
            LLVMTypeRef type = NULL;
            LLVMValueRef at = index32(f, index);
            if (p.where == LULL_FL_NATURAL) {
                err = lull_fl_memory_type(f, p.type, &type);
                p.base = err == NULL ? LLVMBuildGEP2(f->b, type, p.base, &at, 1, "") : NULL;
            } else if (of_base->stride == 0 || lull_fl_is_resource(&p)) {
                err = lull_fl_bad(f, "the pointer's type has no ArrayStride");
            } else {
                move_elements(f, &p, at, of_base->stride);
            }
        } else {
            err = lull_fl_step(f, &p, index);
        }
    }
    const struct lull_fr_type *type = lull_fr_type_of(f->m, in->w[1]);
    if (err == NULL && p.where == LULL_FL_BYTES && p.offset != NULL) {
        p.base = lull_fl_address(f, &p); // its address is a number where it is needed
        p.offset = NULL;
    }
    return err != NULL    ? err
           : type != NULL ? lull_fl_set_pointer(f, in->w[2], type, &p)
                          : lull_fl_bad(f, "its type is not a pointer");
}

/** Bits of the memory operands at word @p at that make an access one that may not be left out. */
static bool strict(const struct lull_spv_insn *in, uint32_t at)
{
    return (lull_spv_word(in, at) &
            (SpvMemoryAccessVolatileMask | SpvMemoryAccessMakePointerVisibleMask |
             SpvMemoryAccessMakePointerAvailableMask)) != 0;
}

/** A load or store of a pointer, at @p at. */
LULL_MUST_USE static struct lull_error *keep_pointer(struct lull_fl *f,
                                                     const struct lull_fl_pointer *at)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fr_type *t = NULL;
    const struct lull_fl_pointer *v = NULL;
    struct lull_fl_pointer loaded = {0};
    if (in->op == SpvOpLoad) {
        struct lull_error *err = lull_fl_load_pointer(f, at, &loaded);
        if (err == NULL && at->type != lull_fr_type_of(f->m, in->w[1])) {
            err = lull_fl_bad(f, "not of its type");
        }
        return err != NULL ? err : lull_fl_set_pointer(f, in->w[2], at->type, &loaded);
    }
    struct lull_error *err = lull_fl_type_of(f, in->w[2], &t);
    err = err != NULL ? err : lull_fl_get_pointer(f, in->w[2], &v);
    if (err == NULL && t != at->type) {
        err = lull_fl_bad(f, "the value is not of the pointer's type");
    }
    return err != NULL ? err : lull_fl_store_pointer(f, at, v);
}

LULL_MUST_USE static struct lull_error *load_or_store(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const bool load = in->op == SpvOpLoad;
    const struct lull_fl_pointer *from = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, in->w[load ? 3 : 1], &from);
    if (err != NULL) {
        return err;
    }
    if (lull_fl_is_logical(from->type)) {
        return keep_pointer(f, from);
    }
    struct lull_fl_pointer p = *from;
    p.is_volatile |= strict(in, load ? 4 : 3);
    if (!load) {
        err = lull_fl_get(f, in->w[2], &v);
        return err != NULL ? err : lull_fl_store(f, &p, v);
    }
    p.non_uniform |= non_uniform(f, in->w[2]);
    err = lull_fl_load(f, &p, &v);
    if (err == NULL) {
        err = p.type == lull_fr_type_of(f->m, in->w[1]) ? lull_fl_set(f, in->w[2], p.type, v)
                                                        : lull_fl_bad(f, "not of its type");
    }
    if (err == NULL && p.where == LULL_FL_DESCRIPTOR) {
        f->values[in->w[2]].coherent = p.is_volatile;
    }
    return err;
}

/** Elements of a buffer's last array. */
LULL_MUST_USE static struct lull_error *length(struct lull_fl *f)
{
    const struct lull_spv_insn *in = f->in;
    const struct lull_fl_pointer *p = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, in->w[3], &p);
    if (err != NULL) {
        return err;
    }
    const struct lull_fr_type *t = p->type;
    const bool ok = t->kind == LULL_FR_STRUCT && in->w[4] < t->count &&
                    t->members[in->w[4]]->kind == LULL_FR_RUNTIME_ARRAY &&
                    t->members[in->w[4]]->stride != 0 &&
                    t->decor[in->w[4]].offset != LULL_FR_NONE && p->where == LULL_FL_BUFFER;
    const struct lull_fr_type *type = lull_fr_type_of(f->m, in->w[1]);
    if (!ok || type == NULL) {
        return lull_fl_bad(f, "not an array at the end of a buffer");
    }
    LLVMValueRef number = LLVMBuildPtrToInt(f->b, p->base, LLVMIntTypeInContext(f->c, 128), "");
    LLVMValueRef words = LLVMBuildBitCast(f->b, number, LLVMVectorType(f->i32, 4), "");
    LLVMValueRef bytes = LLVMBuildSub(f->b, lull_fl_part(f, words, 2),
                                      lull_fl_int(f, t->decor[in->w[4]].offset), "");
    return lull_fl_set(
        f, in->w[2], type,
        LLVMBuildUDiv(f->b, bytes, lull_fl_int(f, t->members[in->w[4]]->stride), ""));
}

LULL_MUST_USE static struct lull_error *copy_memory(struct lull_fl *f)
{
    const struct lull_fl_pointer *to = NULL, *from = NULL;
    LLVMValueRef v = NULL;
    struct lull_error *err = lull_fl_get_pointer(f, f->in->w[1], &to);
    err = err != NULL ? err : lull_fl_get_pointer(f, f->in->w[2], &from);
    err = err != NULL ? err : lull_fl_load(f, from, &v);
    return err != NULL ? err : lull_fl_store(f, to, v);
}

struct lull_error *lull_fl_memory(struct lull_fl *f, bool *ret_known)
{
    *ret_known = true;
    switch (f->in->op) {
    case SpvOpVariable:
        return lull_fl_variable(f);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return chain(f);
    case SpvOpLoad:
    case SpvOpStore:
        return load_or_store(f);
    case SpvOpArrayLength:
        return length(f);
    case SpvOpCopyMemory:
        return copy_memory(f);
    default:
        *ret_known = false;
        return NULL;
    }
}
