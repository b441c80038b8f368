// SPDX-License-Identifier: MIT
// Types for debuggers. A type of SPIR-V says sizes and places; DebugInfo.100 says names, where it
// has a type of the same shape.
#include <stdio.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "front/llvm/debug_priv.h"

enum {
    MAX_DEPTH = 100, // of types, pointers counted
    ADDRESS_BITS = 64,
    // DWARF 5, 7.8: encodings; 7.3: tags.
    ATE_BOOLEAN = 2,
    ATE_FLOAT = 4,
    ATE_SIGNED = 5,
    ATE_UNSIGNED = 7,
    TAG_STRUCT = 0x13,
};

/** How a part of memory is laid out. */
struct how {
    bool natural;           ///< By LLVM.
    uint32_t matrix_stride; ///< Of the matrix that it is or holds.
    bool row_major;
    uint32_t component_stride; ///< Of a vector that is a column of a row-major matrix.
    unsigned depth;
    uint32_t dimension; ///< Of the DebugTypeArray.
};

static LLVMMetadataRef make(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                            struct how how);

/** Bytes of a type, with what is behind it in an array. */
static uint64_t bytes_of(const struct lull_fl *f, const struct lull_fr_type *t, struct how how)
{
    LLVMTypeRef type = NULL;
    if (!how.natural) {
        return lull_fl_explicit_size(t, how.matrix_stride, how.row_major);
    }
    struct lull_error *err = lull_fl_memory_type(f, t, &type);
    lull_error_free(err);
    return err == NULL && t->kind != LULL_FR_VOID ? LLVMABISizeOfType(f->debug->target, type) : 0;
}

/**
 * @p count elements, @p stride bytes apart (0: one behind the other). LLVM's C API knows no stride,
 * so the subrange is read as text.
 */
static LLVMMetadataRef subrange(const struct lull_fl *f, int64_t count, uint64_t stride)
{
    char text[160] = "", *why = NULL;
    LLVMModuleRef m = NULL;
    LLVMValueRef node = NULL;
    if (stride == 0) {
        return LLVMDIBuilderGetOrCreateSubrange(f->debug->di, 0, count);
    }
    const int n = snprintf(text, sizeof text,
                           "!s = !{!0}\n!0 = !{!1}\n!1 = !DISubrange(count: %lld, stride: %llu)\n",
                           (long long)count, (unsigned long long)stride);
    LLVMMemoryBufferRef bytes = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)n, "s");
    if (LLVMParseIRInContext(f->c, bytes, &m, &why) != 0) { // takes bytes
        LLVMDisposeMessage(why);
        return LLVMDIBuilderGetOrCreateSubrange(f->debug->di, 0, count);
    }
    LLVMGetNamedMetadataOperands(m, "s", &node);
    LLVMValueRef inner = NULL;
    LLVMGetMDNodeOperands(node, &inner);
    LLVMMetadataRef ret = LLVMValueAsMetadata(inner);
    LLVMDisposeModule(m);
    return ret;
}

static LLVMMetadataRef basic(const struct lull_fl *f, const char *name, uint64_t bits,
                             unsigned encoding)
{
    return LLVMDIBuilderCreateBasicType(f->debug->di, name, strlen(name), bits, encoding,
                                        LLVMDIFlagZero);
}

/** What GLSL puts in front of vec and mat for numbers of a kind. */
static const char *prefix(const struct lull_fr_type *t)
{
    if (t->kind == LULL_FR_BOOL) {
        return "b";
    }
    if (t->kind == LULL_FR_FLOAT) {
        return t->bits == 16 ? "f16" : t->bits == 64 ? "d" : "";
    }
    switch (t->bits) {
    case 8:
        return t->is_signed ? "i8" : "u8";
    case 16:
        return t->is_signed ? "i16" : "u16";
    case 32:
        return t->is_signed ? "i" : "u";
    default:
        return t->is_signed ? "i64" : "u64";
    }
}

/** GLSL's name of a number. */
static const char *number_name(const struct lull_fr_type *t)
{
    static const char *const of_bits[2][4] = {{"uint8_t", "uint16_t", "uint", "uint64_t"},
                                              {"int8_t", "int16_t", "int", "int64_t"}};
    if (t->kind == LULL_FR_FLOAT) {
        return t->bits == 16 ? "float16_t" : t->bits == 32 ? "float" : "double";
    }
    const unsigned i = t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : 3;
    return t->kind == LULL_FR_BOOL ? "bool" : of_bits[t->is_signed][i];
}

/** A number: name and encoding of its DebugTypeBasic, if that is one of the same kind. */
static LLVMMetadataRef number(const struct lull_fl *f, const struct lull_fr_type *t, uint32_t with)
{
    // By the numbers of DebugInfo.100: none, address, boolean, float, signed, its char, unsigned.
    static const unsigned encodings[] = {0,          1, ATE_BOOLEAN,  ATE_FLOAT,
                                         ATE_SIGNED, 6, ATE_UNSIGNED, 8};
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    const char *name = number_name(t);
    unsigned encoding = t->kind == LULL_FR_FLOAT  ? ATE_FLOAT
                        : t->kind == LULL_FR_BOOL ? ATE_BOOLEAN
                        : t->is_signed            ? ATE_SIGNED
                                                  : ATE_UNSIGNED;
    if (op == NonSemanticShaderDebugInfo100DebugTypeBasic) {
        const uint32_t code = lull_fl_debug_number(f, &in, "Encoding");
        const unsigned said = code < sizeof encodings / sizeof encodings[0] ? encodings[code] : 0;
        const char *text = lull_fl_debug_text(f, &in, "Name");
        if (said != 0 && (said == ATE_FLOAT) == (t->kind == LULL_FR_FLOAT)) {
            encoding = said;
            // glslang calls numbers of all widths "int", "uint" and "float".
            name = text[0] != '\0' && (t->bits == 32 || t->kind == LULL_FR_BOOL) ? text : name;
        }
    }
    return basic(f, name, t->kind == LULL_FR_BOOL ? 32 : t->bits, encoding);
}

/** The type with another name. */
static LLVMMetadataRef named(const struct lull_fl *f, LLVMMetadataRef type, const char *name)
{
    return LLVMDIBuilderCreateTypedef(f->debug->di, type, name, strlen(name), f->debug->file, 0,
                                      NULL, 0);
}

static LLVMMetadataRef vector(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                              struct how how)
{
    uint32_t op = 0;
    char name[16] = "";
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    const bool known = op == NonSemanticShaderDebugInfo100DebugTypeVector;
    const uint32_t stride = how.component_stride;
    LLVMMetadataRef element =
        make(f, t->element, known ? lull_fl_debug_operand(&in, "Base Type") : 0, how);
    LLVMMetadataRef range = subrange(f, t->count, stride);
    if (stride != 0) {
        return LLVMDIBuilderCreateArrayType(f->debug->di, (uint64_t)stride * t->count * 8, 0,
                                            element, &range, 1);
    }
    snprintf(name, sizeof name, "%svec%u", prefix(t->element), t->count);
    return named(
        f,
        LLVMDIBuilderCreateVectorType(f->debug->di, bytes_of(f, t, how) * 8, 0, element, &range, 1),
        name);
}

static LLVMMetadataRef matrix(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                              struct how how)
{
    uint32_t op = 0;
    char name[16] = "";
    const struct lull_fr_type *scalar = t->element->element;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    struct how column = how;
    const uint64_t number_bytes = scalar->bits / 8;
    column.component_stride = !how.natural && how.row_major ? how.matrix_stride : 0;
    const uint32_t inner = op == NonSemanticShaderDebugInfo100DebugTypeMatrix
                               ? lull_fl_debug_operand(&in, "Vector Type")
                               : 0;
    LLVMMetadataRef element = make(f, t->element, inner, column);
    const uint64_t dense = column.component_stride != 0 ? 0 // columns lie in each other
                                                        : bytes_of(f, t->element, column);
    const uint64_t stride = how.natural ? dense : how.row_major ? number_bytes : how.matrix_stride;
    LLVMMetadataRef range = subrange(f, t->count, stride == dense ? 0 : stride);
    LLVMMetadataRef all =
        LLVMDIBuilderCreateArrayType(f->debug->di, bytes_of(f, t, how) * 8, 0, element, &range, 1);
    const uint32_t rows = t->element->count;
    snprintf(name, sizeof name, rows == t->count ? "%smat%u" : "%smat%ux%u", prefix(scalar),
             t->count, rows);
    return named(f, all, name);
}

static LLVMMetadataRef array(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                             struct how how)
{
    uint32_t op = 0, inner = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    struct how next = how;
    next.dimension = 0;
    if (op == NonSemanticShaderDebugInfo100DebugTypeArray) {
        const uint32_t counts = in.n - lull_spv_debug_operand(&in, "Component Counts");
        const bool more =
            in.n > lull_spv_debug_operand(&in, "Component Counts") && how.dimension + 1 < counts;
        inner = more ? with : lull_fl_debug_operand(&in, "Base Type");
        next.dimension = more ? how.dimension + 1 : 0;
    }
    const uint64_t dense = bytes_of(f, t->element, how);
    const uint64_t stride = how.natural || t->stride == 0 ? dense : t->stride;
    LLVMMetadataRef element = make(f, t->element, inner, next);
    const bool open = t->kind == LULL_FR_RUNTIME_ARRAY;
    LLVMMetadataRef range =
        subrange(f, open ? -1 : (int64_t)t->count, stride == dense ? 0 : stride);
    return LLVMDIBuilderCreateArrayType(f->debug->di, open ? 0 : stride * t->count * 8, 0, element,
                                        &range, 1);
}

/** The numbers of a cooperative matrix that a lane has. */
static LLVMMetadataRef part_of_matrix(struct lull_fl *f, const struct lull_fr_type *t,
                                      struct how how)
{
    const unsigned n = lull_fl_cooperative_length(f, t);
    LLVMMetadataRef element = make(f, t->element, 0, how);
    LLVMMetadataRef range = subrange(f, n, 0);
    return LLVMDIBuilderCreateArrayType(f->debug->di, (uint64_t)n * t->element->bits, 0, element,
                                        &range, 1);
}

const uint32_t *lull_fl_debug_members(struct lull_fl *f, const struct lull_fr_type *t,
                                      uint32_t with)
{
    uint32_t op = 0, count = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    if (op != NonSemanticShaderDebugInfo100DebugTypeComposite) {
        return NULL;
    }
    uint32_t *all = lull_arena_calloc(&f->arena, (size_t)t->count + 1, sizeof *all);
    for (uint32_t at = lull_spv_debug_operand(&in, "Members"); all != NULL && at < in.n; at++) {
        (void)lull_fl_debug_def(f, in.w[at], &op);
        if (op == NonSemanticShaderDebugInfo100DebugTypeMember) {
            all[count < t->count ? count : t->count] = in.w[at];
            count++;
        }
    }
    return count == t->count ? all : NULL;
}

const char *lull_fl_debug_member_name(const struct lull_fl *f, const struct lull_fr_type *t,
                                      const uint32_t *members, uint32_t i)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, members != NULL ? members[i] : 0, &op);
    // glslang's DebugTypeMembers of one line all have the last one's name.
    if (t->names[i] != NULL && t->names[i][0] != '\0') {
        return t->names[i];
    }
    return members != NULL ? lull_fl_debug_text(f, &in, "Name") : "";
}

/** A member of a struct. @p members: its types in DebugInfo.100, or NULL. */
static LLVMMetadataRef member(struct lull_fl *f, const struct lull_fr_type *t,
                              const uint32_t *members, uint32_t i, struct how how)
{
    uint32_t op = 0;
    uint64_t offset = t->decor[i].offset != LULL_FR_NONE ? t->decor[i].offset : 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, members != NULL ? members[i] : 0, &op);
    const bool known = members != NULL;
    char number[16] = "";
    const char *name = lull_fl_debug_member_name(f, t, members, i);
    if (name[0] == '\0') { // so that one can ask for it
        snprintf(number, sizeof number, "_m%u", i);
        name = number;
    }
    LLVMMetadataRef file = known ? lull_fl_debug_file(f, &in) : f->debug->file;
    how.matrix_stride = t->decor[i].matrix_stride;
    how.row_major = t->decor[i].row_major;
    if (how.natural) {
        LLVMTypeRef type = NULL;
        struct lull_error *err = lull_fl_memory_type(f, t, &type);
        lull_error_free(err);
        offset = err == NULL ? LLVMOffsetOfElement(f->debug->target, type, i) : 0;
    }
    LLVMMetadataRef of =
        make(f, t->members[i], known ? lull_fl_debug_operand(&in, "Type") : 0, how);
    return LLVMDIBuilderCreateMemberType(f->debug->di, file, name, strlen(name), file,
                                         known ? lull_fl_debug_number(f, &in, "Line") : 0,
                                         bytes_of(f, t->members[i], how) * 8, 0, offset * 8,
                                         LLVMDIFlagZero, of);
}

static LLVMMetadataRef structure(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                                 struct how how)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    const bool known = op == NonSemanticShaderDebugInfo100DebugTypeComposite;
    const char *name = known ? lull_fl_debug_text(f, &in, "Name") : f->m->ids[t->id].name;
    LLVMMetadataRef file = known ? lull_fl_debug_file(f, &in) : f->debug->file;
    LLVMMetadataRef *members = lull_arena_calloc(&f->arena, (size_t)t->count + 1, sizeof *members);
    const uint32_t *with_members = lull_fl_debug_members(f, t, with);
    name = name != NULL ? name : "";
    for (uint32_t i = 0; members != NULL && i < t->count; i++) {
        members[i] = member(f, t, with_members, i, how);
    }
    return LLVMDIBuilderCreateStructType(f->debug->di, file, name, strlen(name), file,
                                         known ? lull_fl_debug_number(f, &in, "Line") : 0,
                                         bytes_of(f, t, how) * 8, 0, LLVMDIFlagZero, NULL, members,
                                         members != NULL ? t->count : 0, 0, NULL, "", 0);
}

/** A struct, made once. One that is being made is a pointer's: it is declared by its name. */
static LLVMMetadataRef structure_once(struct lull_fl *f, const struct lull_fr_type *t,
                                      uint32_t with, struct how how)
{
    struct lull_fl_debug_id *of = &f->debug->ids[t->id];
    struct lull_fl_debug_type *one = of->types;
    while (one != NULL && (one->with != with || one->natural != how.natural)) {
        one = one->next;
    }
    if (one != NULL && one->made == NULL) {
        const char *name = f->m->ids[t->id].name != NULL ? f->m->ids[t->id].name : "";
        return LLVMDIBuilderCreateForwardDecl(f->debug->di, TAG_STRUCT, name, strlen(name),
                                              f->debug->file, f->debug->file, 0, 0, 0, 0, "", 0);
    }
    if (one == NULL) {
        one = lull_arena_calloc(&f->arena, 1, sizeof *one);
        if (one == NULL) {
            return NULL;
        }
        *one = (struct lull_fl_debug_type){.with = with, .natural = how.natural, .next = of->types};
        of->types = one;
        one->made = structure(f, t, with, how);
    }
    return one->made;
}

static LLVMMetadataRef pointer(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                               struct how how)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    const uint32_t to = op == NonSemanticShaderDebugInfo100DebugTypePointer
                            ? lull_fl_debug_operand(&in, "Base Type")
                            : 0;
    const struct how of = {.depth = how.depth};
    LLVMMetadataRef made =
        t->element->kind != LULL_FR_FUNCTION ? make(f, t->element, to, of) : NULL;
    return LLVMDIBuilderCreatePointerType(f->debug->di, made, ADDRESS_BITS, 0, 0, "", 0);
}

static LLVMMetadataRef enumeration(struct lull_fl *f, const struct lull_fr_type *t,
                                   const struct lull_spv_insn *in, struct how how)
{
    const uint32_t first = lull_spv_debug_operand(in, "Flags") + 1;
    const uint32_t count = in->n > first ? (in->n - first) / 2 : 0;
    LLVMMetadataRef file = lull_fl_debug_file(f, in);
    LLVMMetadataRef *all = lull_arena_calloc(&f->arena, count + 1, sizeof *all);
    const char *name = lull_fl_debug_text(f, in, "Name");
    for (uint32_t i = 0; all != NULL && i < count; i++) {
        const struct lull_fr_constant *c = lull_fr_constant_of(f->m, in->w[first + i * 2]);
        const struct lull_spv_insn s = lull_spv_def(&f->m->spv, in->w[first + i * 2 + 1]);
        const char *text = s.op == SpvOpString ? lull_spv_string(&s, 2) : NULL;
        const uint64_t bits = c != NULL && c->type->kind == LULL_FR_INT ? c->bits : 0;
        text = text != NULL ? text : "";
        all[i] = LLVMDIBuilderCreateEnumerator(
            f->debug->di, text, strlen(text),
            t->is_signed && t->bits == 32 ? (int32_t)bits : (int64_t)bits, !t->is_signed);
    }
    LLVMMetadataRef as = make(f, t, lull_fl_debug_operand(in, "Underlying Type"), how);
    return LLVMDIBuilderCreateEnumerationType(f->debug->di, file, name, strlen(name), file,
                                              lull_fl_debug_number(f, in, "Line"), t->bits, 0, all,
                                              all != NULL ? count : 0, as);
}

/** A type of DebugInfo.100 that is another one with a name or a word: true. */
static bool around(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with, struct how how,
                   LLVMMetadataRef *ret)
{
    // DWARF 5, 7.3: const, volatile, restrict, atomic, in the order of DebugInfo.100.
    static const unsigned qualifiers[] = {0x26, 0x35, 0x37, 0x47};
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    const uint32_t to = lull_fl_debug_operand(&in, "Base Type");
    if (op == NonSemanticShaderDebugInfo100DebugTypedef) {
        const char *name = lull_fl_debug_text(f, &in, "Name");
        *ret = LLVMDIBuilderCreateTypedef(f->debug->di, make(f, t, to, how), name, strlen(name),
                                          lull_fl_debug_file(f, &in),
                                          lull_fl_debug_number(f, &in, "Line"), NULL, 0);
        return true;
    }
    if (op == NonSemanticShaderDebugInfo100DebugTypeQualifier) {
        const uint32_t which = lull_fl_debug_number(f, &in, "Type Qualifier");
        *ret = make(f, t, to, how);
        if (which < sizeof qualifiers / sizeof qualifiers[0]) {
            *ret = LLVMDIBuilderCreateQualifiedType(f->debug->di, qualifiers[which], *ret);
        }
        return true;
    }
    if (op == NonSemanticShaderDebugInfo100DebugTypeEnum && t->kind == LULL_FR_INT) {
        *ret = enumeration(f, t, &in, how);
        return true;
    }
    if (op == NonSemanticShaderDebugInfo100DebugTypeTemplate) {
        *ret = make(f, t, lull_fl_debug_operand(&in, "Target"), how);
        return true;
    }
    return false;
}

LLVMMetadataRef make(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with, struct how how)
{
    LLVMMetadataRef ret = NULL;
    if (++how.depth > MAX_DEPTH || around(f, t, with, how, &ret)) {
        return ret;
    }
    switch ((unsigned)t->kind) {
    case LULL_FR_BOOL:
    case LULL_FR_INT:
    case LULL_FR_FLOAT:
        return number(f, t, with);
    case LULL_FR_VECTOR:
        return vector(f, t, with, how);
    case LULL_FR_MATRIX:
        return matrix(f, t, with, how);
    case LULL_FR_ARRAY:
    case LULL_FR_RUNTIME_ARRAY:
        return array(f, t, with, how);
    case LULL_FR_COOPERATIVE:
        return part_of_matrix(f, t, how);
    case LULL_FR_STRUCT:
        return structure_once(f, t, with, how);
    case LULL_FR_POINTER:
        // A variable that keeps one with a descriptor has no address to show.
        return lull_fl_is_logical(t) && how.depth == 1 ? NULL : pointer(f, t, with, how);
    default:
        return NULL;
    }
}

LLVMMetadataRef lull_fl_debug_type(struct lull_fl *f, const struct lull_fr_type *t, uint32_t with,
                                   bool natural)
{
    return make(f, t, with, (struct how){.natural = natural});
}

LLVMMetadataRef lull_fl_debug_member_type(struct lull_fl *f, const struct lull_fr_type *t,
                                          const uint32_t *members, uint32_t i)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, members != NULL ? members[i] : 0, &op);
    return make(f, t->members[i], members != NULL ? lull_fl_debug_operand(&in, "Type") : 0,
                (struct how){.matrix_stride = t->decor[i].matrix_stride,
                             .row_major = t->decor[i].row_major});
}

LLVMMetadataRef lull_fl_debug_pointers(struct lull_fl *f, const struct lull_fr_type *t,
                                       uint32_t with)
{
    uint32_t op = 0;
    const struct lull_spv_insn in = lull_fl_debug_def(f, with, &op);
    LLVMMetadataRef to = lull_fl_debug_type(f, t->element,
                                            op == NonSemanticShaderDebugInfo100DebugTypeArray
                                                ? lull_fl_debug_operand(&in, "Base Type")
                                                : 0,
                                            false);
    LLVMMetadataRef one =
        LLVMDIBuilderCreatePointerType(f->debug->di, to, ADDRESS_BITS, 0, 0, "", 0);
    LLVMMetadataRef range = subrange(f, t->count, 0);
    return LLVMDIBuilderCreateArrayType(f->debug->di, (uint64_t)ADDRESS_BITS * t->count, 0, one,
                                        &range, 1);
}
