// SPDX-License-Identifier: MIT
/** @file
 * Variables that drivers read for debugging, and the flags that they know: data/env/mesa.flags.
 */
#ifndef LULL_HW_ENV_H
#define LULL_HW_ENV_H

#include <stddef.h>

enum lull_env_kind {
    LULL_ENV_VAR,   ///< The variable itself; its flags follow.
    LULL_ENV_TRY,   ///< Changes how driver or GPU work, not what a program should compute.
    LULL_ENV_PRINT, ///< Only says more.
    LULL_ENV_OTHER, ///< Changes what a program sees, or needs something besides.
};

struct lull_env_flag {
    const char *variable, *flag; ///< flag NULL: the variable's own row.
    enum lull_env_kind kind;
    const char *text; ///< What it does; of a variable: which driver reads it.
};

/** All of them, ended by one without a variable. */
extern const struct lull_env_flag lull_env_flags[];

/** The row of @p variable, if @p flag is NULL, or of its flag; NULL: lull knows of none. */
const struct lull_env_flag *lull_env_flag(const char *variable, const char *flag);

#endif
