// SPDX-License-Identifier: MIT
/** @file
 * What debug information says of a program: types, functions, blocks, variables.
 *
 * Read out of DWARF once, through libdw, into structs of our own that nothing but their arena
 * owns. Types may lead to themselves (a struct with a pointer to its own kind); typedefs and
 * arrays may not, which is seen to when they are read.
 */
#ifndef LULL_SYMBOLS_SYMBOLS_H
#define LULL_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "symbols/location.h"

enum lull_symtype_kind {
    LULL_SYMTYPE_VOID,
    LULL_SYMTYPE_SIGNED,
    LULL_SYMTYPE_UNSIGNED,
    LULL_SYMTYPE_CHAR, ///< Signed, shown as a character, too.
    LULL_SYMTYPE_UCHAR,
    LULL_SYMTYPE_BOOL,
    LULL_SYMTYPE_FLOAT,
    LULL_SYMTYPE_POINTER,
    LULL_SYMTYPE_ARRAY,
    LULL_SYMTYPE_VECTOR, ///< OpenCL's float4: an array whose elements are x, y, z, w, s0 to sf.
    LULL_SYMTYPE_STRUCT,
    LULL_SYMTYPE_UNION,
    LULL_SYMTYPE_ENUM,
    LULL_SYMTYPE_TYPEDEF,
    LULL_SYMTYPE_CONST,
    LULL_SYMTYPE_VOLATILE,
    LULL_SYMTYPE_FUNCTION,
};

struct lull_symtype;

struct lull_symmember {
    const char *name; ///< "": an unnamed struct or union, whose members are found, too.
    const struct lull_symtype *type;
    uint64_t offset;    ///< Bytes.
    uint8_t bit, nbits; ///< Of a bit field: from this bit of the offset on; nbits 0: it is none.
};

struct lull_symconstant {
    const char *name;
    int64_t value;
};

struct lull_symtype {
    enum lull_symtype_kind kind;
    const char *name;              ///< "" if it has none; of a struct without "struct ".
    uint64_t size;                 ///< Bytes; 0: not known.
    enum lull_locspace space;      ///< POINTER: where it leads.
    const struct lull_symtype *of; ///< POINTER, ARRAY, VECTOR, TYPEDEF, CONST, VOLATILE; not NULL.
    uint64_t count;                ///< ARRAY, VECTOR: elements; 0: not known.
    uint64_t stride; ///< ... Bytes from one to the next; 0: as many as the element has.
    size_t nmembers;
    struct lull_symmember *members; ///< STRUCT, UNION; VECTOR: one for each element if they do not
                                    ///< lie one behind the other, as those of v.zx.
    size_t nconstants;
    struct lull_symconstant *constants; ///< ENUM.
};

/** Bytes from an element of an array or vector to the next. */
static inline uint64_t lull_symtype_stride(const struct lull_symtype *t)
{
    return t->stride != 0 ? t->stride : t->of->size;
}

/** Where element @p i of an array or vector begins, in bytes. */
static inline uint64_t lull_symtype_element(const struct lull_symtype *t, uint64_t i)
{
    return t->nmembers != 0 && i < t->nmembers ? t->members[i].offset : i * lull_symtype_stride(t);
}

/** Code of a scope: from low to the byte before high. Image offsets. */
struct lull_symrange {
    uint64_t low, high;
};

enum lull_symscope_kind {
    LULL_SYMSCOPE_UNIT, ///< A file; it has no ranges.
    LULL_SYMSCOPE_FUNCTION,
    LULL_SYMSCOPE_INLINED,
    LULL_SYMSCOPE_BLOCK,
};

struct lull_symvar;

struct lull_symscope {
    enum lull_symscope_kind kind;
    const char *name; ///< Of functions.
    const struct lull_symscope *parent;
    size_t nranges;
    struct lull_symrange *ranges;
    struct lull_locexpr frame_base; ///< FUNCTION.
    struct lull_symvar *first, *last;
    struct lull_symscope *children, *next, *last_child;
    const char *call_file; ///< INLINED: where it is called; "": not known.
    uint32_t call_line;
    const char *file; ///< FUNCTION: where it is written.
    uint32_t line;
    const struct lull_symtype *gives; ///< FUNCTION: the type of what it returns.
};

/** Where a variable is for a part of the code. */
struct lull_symplace {
    struct lull_symrange range; ///< low 0, high UINT64_MAX: wherever it is in scope.
    struct lull_locexpr expr;
};

struct lull_symvar {
    const char *name;
    const struct lull_symtype *type;
    const struct lull_symscope *scope;
    const char *file; ///< Where it is written.
    uint32_t line;    ///< 0: not known.
    bool parameter;
    bool global;   ///< Of all functions, though its place is in a frame: a shader's, artificial.
    bool beside;   ///< Of no debug information: the debugger knows it by other ways.
    bool block;    ///< The same: a buffer that a shader declares.
    bool constant; ///< It has this value and no place.
    uint64_t value;
    size_t nplaces; ///< 0, and not constant: the compiler has optimised it out.
    struct lull_symplace *places;
    struct lull_symvar *next;
};

struct lull_symbols {
    struct lull_arena arena;
    struct lull_symscope *units; ///< Linked by next.
    size_t ntypes;
    const struct lull_symtype **types; ///< All that have names.
    struct lull_symvar *constants;     ///< Of enumerations; linked by next.
};

/**
 * Read the debug information of an ELF image. An image without any gives no units and no error.
 *
 * @return LULL_ERR_BAD_DATA if it is broken, with where; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_symbols_read(const void *image, size_t size,
                                     struct lull_symbols **ret) LULL_MUST_USE;
void lull_symbols_free(struct lull_symbols *s);

/** The innermost scope at an image offset; NULL: code without debug information. */
const struct lull_symscope *lull_symbols_scope_at(const struct lull_symbols *s, uint64_t offset);
/** A type by name: "node", "struct node", "uint"; NULL. */
const struct lull_symtype *lull_symbols_type(const struct lull_symbols *s, const char *name);
/** The constant of an enumeration, as a variable that is one; NULL. */
const struct lull_symvar *lull_symbols_constant(const struct lull_symbols *s, const char *name);
/**
 * "FILE::NAME", "FUNCTION::NAME": a variable of that file or function, whose name may be without
 * its folders. NULL.
 */
const struct lull_symvar *lull_symbols_qualified(const struct lull_symbols *s, const char *name);
/** The function @p name; @p file, if not NULL, is the file that it is written in, or the end of its
 * path. NULL. */
const struct lull_symscope *lull_symbols_function(const struct lull_symbols *s, const char *file,
                                                  const char *name);
/**
 * The variable that @p name is in @p scope: the innermost; then those of the file, and a shader's
 * in the frame of its entry point. NULL.
 */
const struct lull_symvar *lull_symscope_find(const struct lull_symscope *scope, const char *name);
/** The function that a scope is part of: not an inlined one. NULL for units. */
const struct lull_symscope *lull_symscope_function(const struct lull_symscope *scope);
/** Is @p offset in it? */
bool lull_symscope_covers(const struct lull_symscope *scope, uint64_t offset);
/** The place of a variable at @p offset; NULL: it is optimised out there. */
const struct lull_symplace *lull_symvar_place(const struct lull_symvar *v, uint64_t offset);

/** Each variable of @p function in LDS whose place is known: lull_symvar_local(). */
void lull_symbols_local(const struct lull_symscope *function, uint64_t lds_bytes,
                        void (*tell)(void *ctx, const struct lull_symvar *v, uint64_t offset),
                        void *ctx);

/**
 * Is it one of those in LDS whose place LLVM 19 forgets? Then *@p ret_offset is where it is, if
 * that can be known: the kernel has @p lds_bytes of LDS, and all its variables together as many.
 */
bool lull_symvar_local(const struct lull_symvar *v, uint64_t lds_bytes, bool *ret_known,
                       uint64_t *ret_offset);

#endif
