// SPDX-License-Identifier: MIT
/** @file
 * Expressions: C's operators, types and conversions over numbers, registers, symbols and memory.
 *
 * Text is parsed once into a tree and evaluated as often as wanted. What registers and names are,
 * and where memory is, the scope knows; a value with lanes is computed lane by lane, and where the
 * lanes that an operator works on are chosen by another (?:, &&, ||), the others are left alone.
 * Grammar and meaning: docs/formats/expressions.md.
 */
#ifndef LULL_EXPR_EXPR_H
#define LULL_EXPR_EXPR_H

#include "base/arena.h"
#include "base/error.h"
#include "expr/value.h"
#include "symbols/symbols.h"

/** Which lanes of a register with lanes are meant. */
enum lull_lanes {
    LULL_LANES_FOCUS,  ///< The focused one is written; all are read.
    LULL_LANES_ONE,    ///< The one that is named.
    LULL_LANES_ACTIVE, ///< Written: all active ones.
    LULL_LANES_ALL,    ///< Written: each gets its own.
};

struct lull_location;

/** What the text's names stand for. A ref is the scope's own; it may be in the arena. */
struct lull_expr_scope {
    void *ctx;
    /** The register at *@p at, behind the '$'; *@p at is moved behind it. */
    struct lull_error *(*find_register)(void *ctx, struct lull_arena *arena, const char **at,
                                        const void **ret);
    struct lull_error *(*find_name)(void *ctx, struct lull_arena *arena, const char *name,
                                    const void **ret);
    /** @p only_type: type and lanes are asked for, v and valid are not. */
    struct lull_error *(*read)(void *ctx, const void *ref, bool only_type, struct lull_value *ret);
    /** @p value has the register's type, and one number or all lanes. @p lane: if @p which is ONE.
     */
    struct lull_error *(*write)(void *ctx, const void *ref, enum lull_lanes which, unsigned lane,
                                const struct lull_value *value);
    struct lull_error *(*read_memory)(void *ctx, bool lds, uint64_t address, void *buf,
                                      size_t size);
    struct lull_error *(*write_memory)(void *ctx, bool lds, uint64_t address, const void *buf,
                                       size_t size);
    // What follows may be NULL: then there is none of it.
    /** A type of the program by its name, "node" or "struct node"; NULL: it has none. */
    const struct lull_symtype *(*find_type)(void *ctx, const char *name);
    /** The memory that a ref stands for; *@p ret_is false: it stands for none. */
    struct lull_error *(*locate)(void *ctx, const void *ref, bool only_type, bool *ret_is,
                                 struct lull_location *ret);
    /** The variable that lies at the address that a ref is; *@p ret stays: none is known. */
    struct lull_error *(*object)(void *ctx, struct lull_arena *arena, const void *ref,
                                 const void **ret);
    /** A lane's own memory. */
    struct lull_error *(*read_scratch)(void *ctx, unsigned lane, uint64_t address, void *buf,
                                       size_t size);
    struct lull_error *(*write_scratch)(void *ctx, unsigned lane, uint64_t address, const void *buf,
                                        size_t size);
    /** Bytes of what is in registers and has parts: of location.held, from @p offset on. */
    struct lull_error *(*read_held)(void *ctx, const void *held, unsigned lane, uint64_t offset,
                                    void *buf, size_t size);
    struct lull_error *(*write_held)(void *ctx, const void *held, unsigned lane, uint64_t offset,
                                     const void *buf, size_t size);
    /** A flat address that leads to LDS or scratch: it becomes one of there. */
    void (*resolve)(void *ctx, uint64_t *address, bool *ret_lds, bool *ret_scratch);
};

struct lull_expr;

/**
 * @param[out] ret_end Where it ended, behind blanks; NULL: the text has to end there.
 * @return LULL_ERR_INVALID with the column, or what the scope says of a name.
 */
struct lull_error *lull_expr_parse(const struct lull_expr_scope *scope, const char *text,
                                   const char **ret_end, struct lull_expr **ret) LULL_MUST_USE;
void lull_expr_free(struct lull_expr *e);

/** Are operators and types right? Nothing is read. */
struct lull_error *lull_expr_check(const struct lull_expr_scope *scope,
                                   const struct lull_expr *e) LULL_MUST_USE;

/** Errors of active lanes are errors; inactive lanes then have no value. */
struct lull_error *lull_expr_eval(const struct lull_expr_scope *scope, const struct lull_expr *e,
                                  struct lull_value *ret) LULL_MUST_USE;

/** Where a value is kept. */
struct lull_location {
    const void *ref; ///< A register; NULL: memory.
    enum lull_lanes which;
    unsigned lane;
    struct lull_ctype type; ///< Of the value there.
    // Memory: an address, or one a lane.
    bool lds;
    bool scratch; ///< Of lane n, or with LULL_LANES_ONE of `lane`, its own.
    bool each; ///< A variable of which each lane has one: read of inactive ones, too, and written
               ///< as a register is: `lane` is then that of FOCUS.
    const void *held;   ///< Registers as if they were memory: what has parts; addresses count its
                        ///< bytes. The scope's own; NULL: memory.
    uint8_t bit, nbits; ///< A bit field; nbits 0: none.
    unsigned lanes;
    uint64_t active;
    uint64_t address[LULL_VALUE_LANES];
};

/** @return LULL_ERR_INVALID if @p e is a value that is kept nowhere. */
struct lull_error *lull_expr_locate(const struct lull_expr_scope *scope, const struct lull_expr *e,
                                    struct lull_location *ret) LULL_MUST_USE;

/** The part of a place that is @p type at @p offset, in bytes. */
struct lull_location lull_location_part(const struct lull_location *at,
                                        const struct lull_symtype *type, uint64_t offset);
/** What is there now: of a type that is not PARTS. */
struct lull_error *lull_location_load(const struct lull_expr_scope *scope,
                                      const struct lull_location *at,
                                      struct lull_value *ret) LULL_MUST_USE;
/** The type of @p e, which is a place or a value; nothing is read. */
struct lull_error *lull_expr_type(const struct lull_expr_scope *scope, const struct lull_expr *e,
                                  struct lull_ctype *ret) LULL_MUST_USE;

/** The type that @p text is, "int *", "struct node"; false: it is not one. */
bool lull_expr_type_named(const struct lull_expr_scope *scope, const char *text,
                          struct lull_ctype *ret);

enum lull_expr_term_kind {
    LULL_TERM_ANY, ///< Something else: it may hold.
    LULL_TERM_EQUAL,
    LULL_TERM_DIFFERENT,
    LULL_TERM_LESS,
    LULL_TERM_GREATER,
    LULL_TERM_AT_MOST,
    LULL_TERM_AT_LEAST,
    LULL_TERM_AND, ///< Of the two terms in front of it, or of what they are terms of.
    LULL_TERM_OR,
};

enum { LULL_EXPR_TERMS = 16 };

/** A relation of a ref to a number, or what is made of such. */
struct lull_expr_term {
    enum lull_expr_term_kind kind;
    bool is_signed; ///< Both are numbers of 32 bits of C's type int, else of unsigned int.
    const void *ref;
    bool one_lane; ///< That one,
    uint32_t lane; ///< of a ref that has lanes.
    uint32_t number;
};

/** @p e as terms, the operator behind its operands: what a GPU can check before anybody is asked.
 * @return How many, at most LULL_EXPR_TERMS; 0: it is not of that kind. */
size_t lull_expr_terms(const struct lull_expr_scope *scope, const struct lull_expr *e,
                       struct lull_expr_term ret[LULL_EXPR_TERMS]);

/** Does @p e say a place in memory: {u32}ADDRESS, *POINTER, POINTER[N]? */
bool lull_expr_is_memory(const struct lull_expr *e);

/** "PLACE = EXPRESSION": the value, made of the place's type, is written there. */
struct lull_error *lull_expr_assign(const struct lull_expr_scope *scope,
                                    const char *text) LULL_MUST_USE;

#endif
