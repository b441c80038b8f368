// SPDX-License-Identifier: MIT
/** @file
 * Lua scripts on the state of a capture, with the functions that Mesa's cffdump calls and offers.
 *
 * Called, if the script has them: start_cmdstream(name), start_submit(), draw(primitive, indices),
 * end_submit(), end_cmdstream(), finish(), and NAME(packet, dwords) for each packet or descriptor
 * NAME. Offered: rnn.init, rnn.enumname, rnn.regname, rnn.regval, regs.val, regs.lastval,
 * regs.written, bos.base, bos.size. docs/formats/rd.md says more. A script is as trusted as its
 * user: it may do what Lua can do.
 */
#ifndef LULL_ADRENO_CFFDUMP_SCRIPT_H
#define LULL_ADRENO_CFFDUMP_SCRIPT_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct lull_cff;
struct lull_cff_script;
struct lull_dom;

/** Load and run the Lua file @p path; what it prints goes to @p out. */
struct lull_error *lull_cff_script_new(const char *path, FILE *out,
                                       struct lull_cff_script **ret) LULL_MUST_USE;
/** Call finish(), after the last capture. */
struct lull_error *lull_cff_script_finish(struct lull_cff_script *s) LULL_MUST_USE;
void lull_cff_script_free(struct lull_cff_script *s);

/** The capture that is asked about from now on; NULL: none. */
void lull_cff_script_use(struct lull_cff_script *s, struct lull_cff *c);

/** Call function @p name with up to one text; nothing happens if there is none. */
struct lull_error *lull_cff_script_call(struct lull_cff_script *s, const char *name,
                                        const char *text) LULL_MUST_USE;
struct lull_error *lull_cff_script_draw(struct lull_cff_script *s, const char *primitive,
                                        uint32_t indices) LULL_MUST_USE;
/** Call the function called as @p dom, with its @p n dwords. */
struct lull_error *lull_cff_script_packet(struct lull_cff_script *s, const struct lull_dom *dom,
                                          const uint32_t *words, uint32_t n) LULL_MUST_USE;

#endif
