// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "cli/command.h"

const struct lull_command *const lull_commands[] = {
    NULL,
};
