// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "cli/opt/command.h"

extern const struct lull_command lull_cli_afuc, lull_cli_bisect, lull_cli_capture, lull_cli_cc,
    lull_cli_cffdump, lull_cli_crash, lull_cli_crashdec, lull_cli_crumbs, lull_cli_dap,
    lull_cli_debug, lull_cli_diff, lull_cli_diff_run, lull_cli_disasm, lull_cli_doctor,
    lull_cli_elf, lull_cli_exec, lull_cli_explain, lull_cli_explore, lull_cli_hang,
    lull_cli_instrument, lull_cli_ir3, lull_cli_link, lull_cli_printf, lull_cli_rd, lull_cli_replay,
    lull_cli_run, lull_cli_stomp, lull_cli_vm;

// clang-format off
const struct lull_command_group lull_command_groups[] = {
    {"AMD: run and debug",
     {&lull_cli_run, &lull_cli_debug, &lull_cli_dap, &lull_cli_exec, &lull_cli_explore, &lull_cli_diff_run, &lull_cli_instrument, &lull_cli_hang, &lull_cli_disasm, &lull_cli_vm}},
    {"Vulkan",
     {&lull_cli_diff, &lull_cli_bisect}},
    {"Printf",
     {&lull_cli_printf}},
    {"Compile and link",
     {&lull_cli_cc, &lull_cli_link, &lull_cli_elf}},
    {"Words, and this machine",
     {&lull_cli_explain, &lull_cli_doctor}},
    {"Adreno",
     {&lull_cli_rd, &lull_cli_replay, &lull_cli_crash, &lull_cli_capture, &lull_cli_crumbs,
      &lull_cli_ir3, &lull_cli_afuc,
      &lull_cli_cffdump, &lull_cli_crashdec, &lull_cli_stomp}},
    {NULL, {NULL}},
};
