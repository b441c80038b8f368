// SPDX-License-Identifier: MIT
// Numbers and vectors of numbers in memory: scratch, LDS, addresses, descriptors, push constants.
#include <string.h>

#include "front/llvm/lower_priv.h"

enum {
    WORD = 4,
    CHUNK = 4, // words of one access
    CONSTANT_SPACE = 4,
};
static const uint64_t NO_CSE = UINT64_C(1) << 31; // LLVM: the access is volatile

static unsigned bytes_of(const struct lull_fr_type *scalar)
{
    return scalar->kind == LULL_FR_BOOL      ? WORD
           : scalar->kind == LULL_FR_POINTER ? 8
                                             : scalar->bits / 8;
}

LLVMValueRef lull_fl_address(struct lull_fl *f, const struct lull_fl_pointer *p)
{
    LLVMValueRef offset = p->offset;
    return p->where == LULL_FL_NATURAL || offset == NULL
               ? p->base
               : LLVMBuildGEP2(f->b, f->i8, p->base, &offset, 1, "");
}

static LLVMValueRef moved(const struct lull_fl *f, LLVMValueRef offset, unsigned by)
{
    return by == 0 ? offset : LLVMBuildAdd(f->b, offset, lull_fl_int(f, by), "");
}

/** An access behind a descriptor. @p value: NULL to load. */
static LLVMValueRef buffer(const struct lull_fl *f, const struct lull_fl_pointer *p, unsigned by,
                           LLVMTypeRef type, LLVMValueRef value)
{
    const uint64_t coherent = lull_fl_coherent(f, value != NULL);
    LLVMValueRef args[5] = {value, p->base, moved(f, p->offset, by), lull_fl_int(f, 0),
                            lull_fl_int(f, p->is_volatile ? coherent | NO_CSE : 0)};
    return value != NULL ? lull_fl_call(f, "llvm.amdgcn.raw.ptr.buffer.store", type, args, 5)
                         : lull_fl_call(f, "llvm.amdgcn.raw.ptr.buffer.load", type, args + 1, 4);
}

/** A word, or @p n of them, of a uniform buffer: by scalar loads where the offset is one for all.
 */
static LLVMValueRef scalar_load(const struct lull_fl *f, const struct lull_fl_pointer *p,
                                unsigned by, unsigned n)
{
    LLVMTypeRef type = n == 1 ? f->i32 : LLVMVectorType(f->i32, n);
    LLVMValueRef number = LLVMBuildPtrToInt(f->b, p->base, LLVMIntTypeInContext(f->c, 128), "");
    LLVMValueRef args[3] = {LLVMBuildBitCast(f->b, number, LLVMVectorType(f->i32, 4), ""),
                            moved(f, p->offset, by), lull_fl_int(f, 0)};
    return lull_fl_call(f, "llvm.amdgcn.s.buffer.load", type, args, 3);
}

/** A word of push constants. */
static LLVMValueRef push_word(const struct lull_fl *f, uint64_t offset)
{
    LLVMValueRef at = lull_fl_int(f, offset);
    return lull_fl_extern(f, "lull.push.constant", f->i32, &at, 1);
}

/** @p type, not wider than a word, out of push constants. */
static LLVMValueRef push(const struct lull_fl *f, const struct lull_fl_pointer *p, unsigned by,
                         LLVMTypeRef type)
{
    LLVMValueRef offset = moved(f, p->offset, by);
    if (LLVMIsAConstantInt(offset) != NULL && LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        const uint64_t at = LLVMConstIntGetZExtValue(offset);
        const unsigned shift = (unsigned)(at % WORD) * 8;
        LLVMValueRef w = push_word(f, at - at % WORD);
        if (shift != 0) {
            w = LLVMBuildLShr(f->b, w, lull_fl_int(f, shift), "");
        }
        return LLVMBuildTrunc(f->b, w, type, "");
    }
    LLVMValueRef base = lull_fl_extern(f, "lull.push.pointer",
                                       LLVMPointerTypeInContext(f->c, CONSTANT_SPACE), NULL, 0);
    LLVMValueRef v =
        LLVMBuildLoad2(f->b, type, LLVMBuildGEP2(f->b, f->i8, base, &offset, 1, ""), "");
    LLVMSetAlignment(v, LLVMGetIntTypeWidth(type) / 8);
    return v;
}

/** An integer of @p bytes (1, 2, 4). */
static LLVMValueRef load_small(const struct lull_fl *f, const struct lull_fl_pointer *p,
                               unsigned by, unsigned bytes)
{
    LLVMTypeRef type = LLVMIntTypeInContext(f->c, bytes * 8);
    return p->where == LULL_FL_PUSH ? push(f, p, by, type) : buffer(f, p, by, type, NULL);
}

/** A vector of @p n words (of one: an i32). */
static LLVMValueRef load_words(const struct lull_fl *f, const struct lull_fl_pointer *p,
                               unsigned by, unsigned n)
{
    const bool scalar = p->read_only && !p->is_volatile && !p->non_uniform;
    LLVMValueRef all = n == 1 ? NULL : LLVMGetPoison(LLVMVectorType(f->i32, n));
    for (unsigned i = 0; i < n;) {
        const bool one = p->where == LULL_FL_PUSH || n - i == 1;
        const unsigned k = one ? 1 : n - i < CHUNK ? n - i : CHUNK;
        LLVMValueRef v = scalar   ? scalar_load(f, p, by + WORD * i, k)
                         : k == 1 ? load_small(f, p, by + WORD * i, WORD)
                                  : buffer(f, p, by + WORD * i, LLVMVectorType(f->i32, k), NULL);
        for (unsigned j = 0; all != NULL && j < k; j++) {
            all = lull_fl_put(f, all, lull_fl_part(f, v, j), i + j);
        }
        all = all != NULL ? all : v;
        i += k;
    }
    return all;
}

static void store_words(const struct lull_fl *f, const struct lull_fl_pointer *p, unsigned by,
                        LLVMValueRef words)
{
    const unsigned n = lull_fl_count(LLVMTypeOf(words));
    for (unsigned i = 0; i < n;) {
        const unsigned k = n - i < CHUNK ? n - i : CHUNK;
        LLVMTypeRef type = k == 1 ? f->i32 : LLVMVectorType(f->i32, k);
        LLVMValueRef v = k == 1 ? lull_fl_part(f, words, i) : LLVMGetPoison(type);
        for (unsigned j = 0; k != 1 && j < k; j++) {
            v = lull_fl_put(f, v, lull_fl_part(f, words, i + j), j);
        }
        buffer(f, p, by + WORD * i, type, v);
        i += k;
    }
}

/** From the form in memory, and to it. */
static LLVMValueRef from_memory(const struct lull_fl *f, LLVMValueRef v, LLVMTypeRef want)
{
    if (lull_fl_scalar_of(want) == f->i1) {
        return LLVMBuildICmp(f->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    }
    return LLVMBuildBitCast(f->b, v, want, "");
}

static LLVMValueRef to_memory(const struct lull_fl *f, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return lull_fl_scalar_of(type) == f->i1 ? LLVMBuildZExt(f->b, v, lull_fl_like(type, f->i32), "")
                                            : v;
}

/** Memory that LLVM knows. */
static LLVMValueRef plain(struct lull_fl *f, const struct lull_fl_pointer *p, LLVMValueRef at,
                          LLVMTypeRef type, LLVMValueRef value)
{
    LLVMValueRef access =
        value != NULL ? LLVMBuildStore(f->b, value, at) : LLVMBuildLoad2(f->b, type, at, "");
    if (p->where == LULL_FL_BYTES || p->align != 0) {
        LLVMSetAlignment(access, p->align != 0 ? p->align : bytes_of(lull_fr_scalar(p->type)));
    }
    LLVMSetVolatile(access, p->is_volatile);
    return access;
}

/** The pointer to component @p i. */
static struct lull_fl_pointer component(const struct lull_fl *f, const struct lull_fl_pointer *p,
                                        unsigned i)
{
    struct lull_fl_pointer part = *p;
    const unsigned stride =
        p->component_stride != 0 ? p->component_stride : bytes_of(p->type->element);
    part.type = p->type->element;
    part.component_stride = 0;
    part.offset = moved(f, p->offset != NULL ? p->offset : lull_fl_int(f, 0), stride * i);
    return part;
}

/** Are the components apart, or too small for words? */
static bool by_component(const struct lull_fl_pointer *p)
{
    const bool words = p->where == LULL_FL_BUFFER || p->where == LULL_FL_PUSH;
    return p->type->kind == LULL_FR_VECTOR && p->where != LULL_FL_NATURAL &&
           (p->component_stride != 0 || (words && bytes_of(p->type->element) < WORD));
}

struct lull_error *lull_fl_load_leaf(struct lull_fl *f, const struct lull_fl_pointer *p,
                                     LLVMValueRef *ret)
{
    LLVMTypeRef type = NULL, in_memory = NULL;
    struct lull_error *err = lull_fl_type(f, p->type, &type);
    err = err != NULL ? err : lull_fl_memory_type(f, p->type, &in_memory);
    if (err != NULL) {
        return err;
    }
    if (by_component(p)) {
        *ret = LLVMGetPoison(type);
        for (unsigned i = 0; i < p->type->count && err == NULL; i++) {
            LLVMValueRef v = NULL;
            const struct lull_fl_pointer part = component(f, p, i);
            err = lull_fl_load_leaf(f, &part, &v);
            *ret = err == NULL ? lull_fl_put(f, *ret, v, i) : NULL;
        }
        return err;
    }
    const unsigned bytes = bytes_of(lull_fr_scalar(p->type)) * lull_fl_count(type);
    LLVMValueRef v = p->where == LULL_FL_NATURAL || p->where == LULL_FL_BYTES
                         ? plain(f, p, lull_fl_address(f, p), in_memory, NULL)
                     : bytes < WORD ? load_small(f, p, 0, bytes)
                                    : load_words(f, p, 0, bytes / WORD);
    *ret = from_memory(f, v, type);
    return NULL;
}

struct lull_error *lull_fl_store_leaf(struct lull_fl *f, const struct lull_fl_pointer *p,
                                      LLVMValueRef v)
{
    struct lull_error *err = NULL;
    if (p->where == LULL_FL_PUSH) {
        return lull_fl_bad(f, "push constants cannot be written");
    }
    if (by_component(p)) {
        for (unsigned i = 0; i < p->type->count && err == NULL; i++) {
            const struct lull_fl_pointer part = component(f, p, i);
            err = lull_fl_store_leaf(f, &part, lull_fl_part(f, v, i));
        }
        return err;
    }
    v = to_memory(f, v);
    if (p->where != LULL_FL_BUFFER) {
        plain(f, p, lull_fl_address(f, p), NULL, v);
        return NULL;
    }
    const unsigned bytes = bytes_of(lull_fr_scalar(p->type)) * lull_fl_count(LLVMTypeOf(v));
    if (bytes < WORD) {
        LLVMTypeRef small = LLVMIntTypeInContext(f->c, bytes * 8);
        buffer(f, p, 0, small, LLVMBuildBitCast(f->b, v, small, ""));
    } else {
        LLVMTypeRef words = bytes == WORD ? f->i32 : LLVMVectorType(f->i32, bytes / WORD);
        store_words(f, p, 0, LLVMBuildBitCast(f->b, v, words, ""));
    }
    return NULL;
}
