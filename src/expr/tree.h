// SPDX-License-Identifier: MIT
/** @file
 * The tree of an expression, and what its files share. For src/expr/ only.
 */
#ifndef LULL_EXPR_TREE_H
#define LULL_EXPR_TREE_H

#include "expr/expr.h"

enum lull_expr_op {
    LULL_EXPR_NUMBER, ///< number, of type.
    LULL_EXPR_REF,    ///< ref.
    LULL_EXPR_LDS,    ///< a is an offset in LDS.
    LULL_EXPR_PLUS,
    LULL_EXPR_MINUS,
    LULL_EXPR_COMPLEMENT,
    LULL_EXPR_NOT,
    LULL_EXPR_DEREF,
    LULL_EXPR_ADDRESS,
    LULL_EXPR_CAST, ///< a to type.
    LULL_EXPR_VIEW, ///< The bits of a as type.
    LULL_EXPR_SIZEOF,
    LULL_EXPR_CLASS,     ///< isnan(a) and the like: number is an enum lull_float_class.
    LULL_EXPR_INDEX,     ///< a[b]: a lane of a, or what the pointer a leads to.
    LULL_EXPR_ALL_LANES, ///< a[*]
    LULL_EXPR_ELEMENT,   ///< a[b]: of an array or a vector.
    LULL_EXPR_MEMBER,    ///< Of the struct a: type at byte number.
    LULL_EXPR_MUL,       ///< From here on: a and b.
    LULL_EXPR_DIV,
    LULL_EXPR_MOD,
    LULL_EXPR_ADD,
    LULL_EXPR_SUB,
    LULL_EXPR_SHL,
    LULL_EXPR_SHR,
    LULL_EXPR_LESS,
    LULL_EXPR_GREATER,
    LULL_EXPR_AT_MOST,
    LULL_EXPR_AT_LEAST,
    LULL_EXPR_EQUAL,
    LULL_EXPR_DIFFERENT,
    LULL_EXPR_AND,
    LULL_EXPR_XOR,
    LULL_EXPR_OR,
    LULL_EXPR_LOGICAL_AND,
    LULL_EXPR_LOGICAL_OR,
    LULL_EXPR_SELECT, ///< a ? b : c
};

/** What the functions of C's <math.h> of these names ask. */
enum lull_float_class {
    LULL_FLOAT_ISNAN,
    LULL_FLOAT_ISINF,
    LULL_FLOAT_ISFINITE,
    LULL_FLOAT_SIGNBIT,
    LULL_FLOAT_CLASSES,
};

struct lull_expr_node {
    enum lull_expr_op op;
    unsigned depth; ///< Of the tree below, this node counted.
    uint8_t stars;  ///< How many times its value is a pointer.
    bool is_place;  ///< Its value is kept somewhere: in a register or memory.
    struct lull_ctype type;
    uint64_t number;
    const void *ref;
    uint8_t bit, nbits; ///< MEMBER: a bit field; nbits 0: none.
    const struct lull_expr_node *a, *b, *c;
};

struct lull_expr {
    struct lull_arena arena;
    const struct lull_expr_node *root;
};

/** The type of this name, "f32" or "uint"; false if there is none. */
bool lull_ctype_find(const char *name, size_t length, struct lull_ctype *ret);
/** A type as C writes it, at *@p at, which is moved behind it; false, and nothing moved: none. */
bool lull_ctype_parse(const char **at, struct lull_ctype *ret);

/** The program's type, without typedefs, if @p t is one itself and not a pointer to one; NULL. */
const struct lull_symtype *lull_ctype_source(struct lull_ctype t);
/** What a pointer leads to. */
struct lull_ctype lull_ctype_pointee(struct lull_ctype t);
/** A pointer to @p t. */
struct lull_ctype lull_ctype_pointer(struct lull_ctype t, bool lds, bool scratch);
/** Of an array or a vector. */
struct lull_ctype lull_ctype_element(struct lull_ctype t);

/** The number at *@p at, which is moved behind it. @return NULL, or what is wrong. */
const char *lull_expr_number(const char **at, struct lull_ctype *ret_type, uint64_t *ret);
/** The character at *@p at, in quotes. @return NULL, or what is wrong. */
const char *lull_expr_character(const char **at, uint64_t *ret);

struct lull_expr_operator {
    const char *token;
    enum lull_expr_op op;
    unsigned level; ///< How close it binds: C's precedence.
};

/** The operator with two operands at @p at if it binds at least as @p level; NULL: none. */
const struct lull_expr_operator *lull_expr_operator_at(const char *at, unsigned level);
/** "+", "&&". Operators with two operands and unary ones. */
const char *lull_expr_token(enum lull_expr_op op);

/** Which of them the word at @p at is, if a bracket follows; else LULL_FLOAT_CLASSES. */
enum lull_float_class lull_expr_class_at(const char *at, size_t *ret_length);

enum lull_arith {
    LULL_ARITH_GOOD,
    LULL_ARITH_BY_ZERO,
    LULL_ARITH_SHIFT, ///< By less than nothing, or by all bits and more.
};

/** Of the type that C computes with: int for what is narrower. */
struct lull_ctype lull_ctype_promote(struct lull_ctype t);
/** The type that two numbers are made for +. */
struct lull_ctype lull_ctype_common(struct lull_ctype a, struct lull_ctype b);
/** Comparisons give 0 or 1. @p t: the type of both; of shifts, of @p a alone: @p b is an i64. */
enum lull_arith lull_arith_binary(enum lull_expr_op op, struct lull_ctype t, uint64_t a, uint64_t b,
                                  uint64_t *ret);
/** PLUS, MINUS, COMPLEMENT. */
uint64_t lull_arith_unary(enum lull_expr_op op, struct lull_ctype t, uint64_t a);

/** @p mask: lanes that are wanted; 0: only the type, and how many lanes. */
struct lull_error *lull_expr_value(const struct lull_expr_scope *scope,
                                   const struct lull_expr_node *n, uint64_t mask,
                                   struct lull_value *ret) LULL_MUST_USE;
struct lull_error *lull_expr_place(const struct lull_expr_scope *scope,
                                   const struct lull_expr_node *n, uint64_t mask,
                                   struct lull_location *ret) LULL_MUST_USE;
struct lull_error *lull_expr_load(const struct lull_expr_scope *scope,
                                  const struct lull_location *at, uint64_t mask,
                                  struct lull_value *ret) LULL_MUST_USE;
/** The type of a node; nothing is read. */
struct lull_error *lull_expr_node_type(const struct lull_expr_scope *scope,
                                       const struct lull_expr_node *n,
                                       struct lull_ctype *ret) LULL_MUST_USE;
/** @p value, made of the place's type, is written there. */
struct lull_error *lull_expr_store(const struct lull_expr_scope *scope,
                                   const struct lull_location *at,
                                   const struct lull_value *value) LULL_MUST_USE;
/** Which of @p lanes the index says; 0 if @p mask is. */
struct lull_error *lull_expr_lane(const struct lull_expr_scope *scope,
                                  const struct lull_expr_node *index, uint64_t mask, unsigned lanes,
                                  unsigned *ret) LULL_MUST_USE;
static const struct lull_ctype lull_ctype_int = {.kind = LULL_CTYPE_SIGNED, .bits = 32};
static const struct lull_ctype lull_ctype_i64 = {.kind = LULL_CTYPE_SIGNED, .bits = 64};
static const struct lull_ctype lull_ctype_u64 = {.kind = LULL_CTYPE_UNSIGNED, .bits = 64};

#endif
