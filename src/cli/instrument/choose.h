// SPDX-License-Identifier: MIT
/** @file
 * Which instructions of which shaders `lull instrument` records.
 */
#ifndef LULL_CLI_INSTRUMENT_CHOOSE_H
#define LULL_CLI_INSTRUMENT_CHOOSE_H

#include "cli/opt/opt.h"
#include "debug/patch/patch.h"

/** Zero-initialise; lull_choose_done() at the end. */
struct lull_choose {
    const char *shader; ///< The start of its symbol, or of its hash; NULL: all.
    unsigned stage;     ///< Of the words of --stage, from 1 on; 0: all.
    const char *regex;
    unsigned kinds;       ///< Bits of the words of --kind; 0: all.
    uint32_t first, last; ///< Bytes from the begin of the shader; last 0: to its end.
    void *compiled;       ///< Owned.
};

extern const struct lull_opt lull_choose_opts[];

/** Compile --regex. LULL_ERR_INVALID. */
struct lull_error *lull_choose_start(struct lull_choose *c) LULL_MUST_USE;
void lull_choose_done(struct lull_choose *c);

/** As struct lull_patcher has it. */
struct lull_error *lull_choose_insns(void *ctx, const struct lull_patch *p,
                                     const struct lull_rdna_shader *s,
                                     struct lull_patch_choice *ret) LULL_MUST_USE;

#endif
