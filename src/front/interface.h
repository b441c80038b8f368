// SPDX-License-Identifier: MIT
/** @file
 * What a stage takes in and gives out: its interface variables, number by number.
 *
 * Source: Vulkan 1.3, "Location Assignment", "Component Assignment".
 */
#ifndef LULL_FRONT_INTERFACE_H
#define LULL_FRONT_INTERFACE_H

#include "front/module.h"

enum {
    LULL_FR_LOCATIONS = 32, ///< Of four words each.
    LULL_FR_MAX_PATH = 8,   ///< Arrays and structs in each other.
};

/** A number, or a vector of them, at a location; or a built-in, of any type. */
struct lull_fr_leaf {
    uint32_t id;                            ///< Of the variable.
    uint32_t path[LULL_FR_MAX_PATH], npath; ///< Indices into it.
    const struct lull_fr_type *type;
    struct lull_fr_decor decor;   ///< Those of the variable and of members together.
    uint32_t location, component; ///< Of a built-in: 0.
    /** Elements of an array of the same for each vertex or primitive, whose index, path[0], is the
     * caller's to fill in; 0: it is not such an array. */
    uint32_t each;
};

typedef struct lull_error *lull_fr_leaf_fn(void *arg, const struct lull_fr_leaf *leaf);

/**
 * Call @p fn for each part of the entry point's variables of @p storage, an SpvStorageClass, that
 * functions use. Outputs of streams other than 0 are left out: nothing behind takes them.
 *
 * @return What @p fn returned; LULL_ERR_BAD_DATA: a variable without a location, or behind the
 * last.
 */
struct lull_error *lull_fr_leaves(const struct lull_fr_module *m, uint32_t storage,
                                  lull_fr_leaf_fn *fn, void *arg) LULL_MUST_USE;

#endif
