// SPDX-License-Identifier: MIT
/** @file
 * Registers of a kernel on the command line of `lull ir3 run`: --set, and what outputs end with.
 */
#ifndef LULL_CLI_IR3_REGS_H
#define LULL_CLI_IR3_REGS_H

#include "base/json.h"
#include "base/str.h"
#include "target/adreno/wrap.h"

enum { LULL_IR3_OUTPUTS = 32 };

/** Zero-initialise; lull_ir3_regs_done() at the end. */
struct lull_ir3_regs {
    struct lull_adreno_wrap wrap;
    struct lull_ir3_output {
        struct lull_adreno_reg first;
        unsigned n; ///< Components, in wrap.outs one after the other.
    } outputs[LULL_IR3_OUTPUTS];
    unsigned noutputs;
    unsigned invocations;
};

/** What one --set says: "r0.x=1.0,2", "hr2.w[3]=0.5", "c4.x=7". Constants go to @p k. */
struct lull_error *lull_ir3_regs_set(struct lull_ir3_regs *r, const char *text,
                                     struct lull_adreno_kernel *k) LULL_MUST_USE;

/** Show what the headers @out of @p s name. */
struct lull_error *lull_ir3_regs_outputs(struct lull_ir3_regs *r,
                                         const struct lull_ir3_shader *s) LULL_MUST_USE;

void lull_ir3_regs_print(const struct lull_ir3_regs *r, struct lull_str *out);
void lull_ir3_regs_json(const struct lull_ir3_regs *r, struct lull_json *j);
void lull_ir3_regs_done(struct lull_ir3_regs *r);

#endif
