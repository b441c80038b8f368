// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "cli/command.h"

extern const struct lull_command lull_cmd_disasm;

const struct lull_command *const lull_commands[] = {
    &lull_cmd_disasm,
    NULL,
};
