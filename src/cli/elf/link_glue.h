// SPDX-License-Identifier: MIT
/** @file
 * Glue for lull link: its code, made by lull-cc.
 */
#ifndef LULL_CLI_ELF_LINK_GLUE_H
#define LULL_CLI_ELF_LINK_GLUE_H

#include "link/link.h"

/** Inputs with the parts that they need between them. Zeroed: none. */
struct lull_glued {
    struct lull_link_input *inputs; ///< Owned.
    size_t n;
    void **owned; ///< Names and objects of parts.
    size_t nowned;
};

/**
 * @p n inputs, and the parts that they need in front and behind.
 *
 * @param layout NULL: there is none.
 * @param[out] ret Borrows the inputs' data; for lull_glued_done(), also after an error.
 * @return As lull_link_glue_make(); LULL_ERR_UNSUPPORTED if lull-cc, which has said why, failed.
 */
struct lull_error *lull_glued_make(const struct lull_link_input *inputs, size_t n,
                                   const struct lull_layout *layout,
                                   struct lull_glued *ret) LULL_MUST_USE;
void lull_glued_done(struct lull_glued *g);

#endif
