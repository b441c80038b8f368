// SPDX-License-Identifier: MIT
/** @file
 * Breadcrumbs of a program's GPU, sent as they come, in the form that Turnip sends its own
 * (adreno/crumbs/crumbs.h): one for both vendors. At a break the GPU stands until the number comes
 * back to the socket, or a line comes from the terminal, /dev/tty; never from the program's
 * standard input.
 */
#ifndef LULL_CLI_RUN_CRUMBS_H
#define LULL_CLI_RUN_CRUMBS_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/opt/opt.h"

struct lull_kernel;
struct lull_crumbs_sender;

/** Of the command line. */
struct lull_crumbs_wanted {
    const char *to;   ///< "IP:PORT[,break=N:HITS]"; NULL: none.
    unsigned packets; ///< Of all packets.
};
extern const struct lull_opt lull_crumbs_opts[];

/** Crumbs of @p k go there from now on. @p ret NULL: none are wanted. LULL_ERR_INVALID. */
struct lull_error *lull_crumbs_send(struct lull_kernel *k, const struct lull_crumbs_wanted *w,
                                    struct lull_crumbs_sender **ret) LULL_MUST_USE;
/** Take answers. To be called again and again; @p s may be NULL. @return The GPU stands: soon. */
bool lull_crumbs_serve(struct lull_crumbs_sender *s);
/** Say which came last. */
void lull_crumbs_tell(struct lull_crumbs_sender *s);
/** After the kernel is gone. */
void lull_crumbs_sender_free(struct lull_crumbs_sender *s);

#endif
