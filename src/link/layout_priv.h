// SPDX-License-Identifier: MIT
/** @file
 * What the reader of a layout shares with the rest: words of the file.
 */
#ifndef LULL_LINK_LAYOUT_PRIV_H
#define LULL_LINK_LAYOUT_PRIV_H

#include <jansson.h>

#include "link/layout.h"

struct lull_layout_reader {
    struct lull_layout *layout;
    char path[160];     ///< Of the object that is read.
    bool table_has_set; ///< The table that is read says which set it is.
    bool pipe;          ///< The file is LLPC's: messages have its words for nodes.
};

/** A key. Words that users of LLPC's pipeline files know are taken, too. */
struct lull_layout_word {
    const char *name, *alias;
};

/** "PATH.KEY: what". */
struct lull_error *lull_layout_bad(const struct lull_layout_reader *r, const char *key,
                                   const char *what) LULL_NEW_ERROR;

/** Fill @p values by the index of their keys; others are errors. */
struct lull_error *lull_layout_take_keys(const struct lull_layout_reader *r, json_t *o,
                                         const struct lull_layout_word *words, size_t n,
                                         json_t **values) LULL_MUST_USE;

/** A number 0 to @p most, or a string that holds one ("0xfffffff0"). NULL leaves *ret alone. */
struct lull_error *lull_layout_get_number(const struct lull_layout_reader *r, const json_t *v,
                                          const char *key, uint32_t most,
                                          uint32_t *ret) LULL_MUST_USE;

/** true or false; NULL leaves *ret alone. */
struct lull_error *lull_layout_get_bool(const struct lull_layout_reader *r, const json_t *v,
                                        const char *key, bool *ret) LULL_MUST_USE;

/** The object vertex_input: bindings and attributes (layout_draw.c). */
struct lull_error *lull_layout_read_vertex_input(struct lull_layout_reader *r,
                                                 json_t *o) LULL_MUST_USE;

/** The two lists of it; NULL: empty. */
struct lull_error *lull_layout_read_vertex_lists(struct lull_layout_reader *r, json_t *bindings,
                                                 json_t *attributes) LULL_MUST_USE;

/** The list color_targets. */
struct lull_error *lull_layout_read_colors(struct lull_layout_reader *r,
                                           json_t *list) LULL_MUST_USE;

struct lull_json;

/** What the three above read, as JSON. */
void lull_layout_write_drawing(const struct lull_layout *layout, struct lull_json *j);

extern const char *const lull_layout_schemes[2];    ///< By enum lull_layout_scheme.
extern const char *const lull_layout_topologies[5]; ///< By enum lull_layout_topology.

/** Has nodes of @p type a set and a binding? */
bool lull_layout_is_descriptor(enum lull_layout_type type);

/** Is there something that a shader asks for and that both types fit? */
bool lull_layout_both_fit(enum lull_layout_type a, enum lull_layout_type b);

/** Bindings that @p n answers for, from its own on. */
uint64_t lull_layout_bindings(const struct lull_layout *l, const struct lull_layout_node *n);

/** The type of @p node by our word or by LLPC's, and what else the word says. False: no such word.
 */
bool lull_layout_type_named(const char *text, struct lull_layout_node *node);

#endif
