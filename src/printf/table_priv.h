// SPDX-License-Identifier: MIT
/** @file
 * The inside of a table, for the files that make and read one.
 */
#ifndef LULL_PRINTF_TABLE_PRIV_H
#define LULL_PRINTF_TABLE_PRIV_H

#include "base/arena.h"
#include "printf/table.h"

struct lull_printf_list {
    void **items;
    size_t count, room;
};

struct lull_printf_table {
    struct lull_printf_list strings;  ///< struct lull_printf_string, of the arena.
    struct lull_printf_list warnings; ///< Text, of the arena.
    struct lull_printf_list sources;  ///< Names, of the arena.
    uint32_t *slots;                  ///< Hash table: number in strings plus 1; 0 is free.
    size_t nslots;                    ///< A power of two.
    int64_t user_data_offset;         ///< Dwords, or -1.
    struct lull_arena arena;
};

/** A copy of @p text in the arena, terminated; NULL if memory is short. */
char *lull_printf_keep(struct lull_printf_table *t, const char *text, size_t size);

/** Add a warning; frees @p message. */
struct lull_error *lull_printf_warn(struct lull_printf_table *t,
                                    struct lull_str *message) LULL_MUST_USE;

/** Warn that two strings share an id, or a text. */
struct lull_error *lull_printf_warn_pair(struct lull_printf_table *t,
                                         const struct lull_printf_string *old,
                                         const struct lull_printf_string *s) LULL_MUST_USE;

/** Warn if @p s has a salted id because its text has another shape elsewhere. */
struct lull_error *lull_printf_warn_shapes(struct lull_printf_table *t,
                                           const struct lull_printf_string *s) LULL_MUST_USE;

/** The start of a string, in quotes and readable. */
void lull_printf_quote(struct lull_str *to, const char *text, size_t size);

/** "(i32, f32x4)", or how many scalars if that is all that is known. */
void lull_printf_show_shape(struct lull_str *to, const struct lull_printf_string *s);

struct lull_error *lull_printf_add_source(struct lull_printf_table *t,
                                          const char *name) LULL_MUST_USE;

/** Add a string of a document, which lies in the arena, unless an equal one is there. */
struct lull_error *lull_printf_unite(struct lull_printf_table *t,
                                     struct lull_printf_string *s) LULL_MUST_USE;

#endif
