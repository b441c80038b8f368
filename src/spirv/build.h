// SPDX-License-Identifier: MIT
/** @file
 * Making SPIR-V: instructions into buffers, and what is added to a module section by section.
 */
#ifndef LULL_SPIRV_BUILD_H
#define LULL_SPIRV_BUILD_H

#include "spirv/module.h"

/** Words being written. Zero-initialise to start. Sticky: after a failed append the rest do
 * nothing. */
struct lull_spv_buf {
    uint32_t *w;
    size_t n, room;
    bool failed; ///< Memory was short, or an instruction too long.
};

void lull_spv_buf_add(struct lull_spv_buf *b, const uint32_t *words, size_t n);
void lull_spv_buf_free(struct lull_spv_buf *b);

/** One instruction with @p n operands. */
void lull_spv_emit(struct lull_spv_buf *b, uint32_t op, const uint32_t *operands, size_t n);

#define LULL_SPV_COUNT(...) (sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/** One instruction with the operands behind @p op, which are evaluated once. */
#define LULL_SPV_OP(b, op, ...) lull_spv_emit(b, op, LULL_SPV_WORDS(__VA_ARGS__))
#define LULL_SPV_WORDS(...) (const uint32_t[]){__VA_ARGS__}, LULL_SPV_COUNT(__VA_ARGS__)

/** One instruction: @p n operands, then @p text as a literal string. */
void lull_spv_emit_text(struct lull_spv_buf *b, uint32_t op, const uint32_t *operands, size_t n,
                        const char *text);

/** Constants by value: an open hash table. */
struct lull_spv_constants {
    uint32_t *slots; ///< Pairs value, id; id 0: empty.
    size_t room;     ///< Pairs, a power of two.
    size_t n;
};

enum { LULL_SPV_MOST_COMPONENTS = 4 };

/** What is added to a module. Zero-initialise, set m and bound. */
struct lull_spv_add {
    const struct lull_spv *m;
    uint32_t bound; ///< Of the result: starts as the module's.
    /** At the end of each section; of FUNCTIONS: whole functions, at the module's end. */
    struct lull_spv_buf sections[LULL_SPV_NSECTIONS];
    struct lull_spv_constants constants; ///< lull_spv_u32()
    /** Types that were asked for, by components; 0: not yet. */
    uint32_t booleans[LULL_SPV_MOST_COMPONENTS + 1], u32s[LULL_SPV_MOST_COMPONENTS + 1],
        f32s[LULL_SPV_MOST_COMPONENTS + 1];
};

void lull_spv_add_free(struct lull_spv_add *a);

/** A new id. */
uint32_t lull_spv_id(struct lull_spv_add *a);

/**
 * The type that @p op makes of these operands: the module's own if it has one, else a new one.
 *
 * For types that may be declared only once: all but structs, arrays and pointers.
 */
uint32_t lull_spv_type(struct lull_spv_add *a, uint32_t op, const uint32_t *operands, size_t n);

/** Often needed ones. @p n of a vector is 2 to 4; 1 is the scalar. */
uint32_t lull_spv_type_void(struct lull_spv_add *a);
uint32_t lull_spv_type_bool(struct lull_spv_add *a, uint32_t n);
uint32_t lull_spv_type_u32(struct lull_spv_add *a, uint32_t n);
uint32_t lull_spv_type_f32(struct lull_spv_add *a, uint32_t n);

/** A 32-bit unsigned constant; one of its value that was made before is given again. */
uint32_t lull_spv_u32(struct lull_spv_add *a, uint32_t value);

/** @p n times @p value as a vector constant; the scalar if @p n is 1. */
uint32_t lull_spv_u32_splat(struct lull_spv_add *a, uint32_t n, uint32_t value);

/** Capability and extension, if the module has not declared them. */
void lull_spv_capability(struct lull_spv_add *a, uint32_t capability);
void lull_spv_extension(struct lull_spv_add *a, const char *name);

/** Did any append fail? */
bool lull_spv_add_failed(const struct lull_spv_add *a);

#endif
