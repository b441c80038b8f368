// SPDX-License-Identifier: MIT
/* lull vm walk: the page tables of a program's address space, as hardware walks them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"

extern const struct lull_command lull_cli_debug;

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    if (argc < 3 || strcmp(argv[0], "walk") != 0) {
        return lull_error_new(LULL_ERR_INVALID, "want 'walk', an address and a program");
    }
    lull_cleanup(lull_freep) char *command = NULL;
    if (asprintf(&command, "vm walk %s", argv[1]) < 0) {
        command = NULL;
        return lull_error_new(LULL_ERR_NO_MEMORY, "out of memory");
    }
    // The debugger makes the address space; this is one command of it.
    lull_cleanup(lull_freep) char **args = calloc((size_t)argc + 3, sizeof *args);
    if (args == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "out of memory");
    }
    int n = 0;
    for (int i = 2; i < argc; i++) {
        args[n++] = argv[i];
    }
    args[n++] = (char[]){"-batch"};
    args[n++] = (char[]){"-ex"};
    args[n++] = command;
    return lull_cli_debug.run(n, args, status);
}

const struct lull_command lull_cli_vm = {
    .name = "vm",
    .args = "walk ADDRESS PROGRAM [OPTIONS]",
    .help = "Walk the GPU's page tables as hardware would and explain every bit",
    .more =
        "\nADDRESS: a number, or the name of a buffer or symbol. The program is set up as for "
        "`lull debug`\n"
        "(same options) but not run; page tables are read through the kernel's debugfs files.\n\n"
        "Example:\n  lull vm walk out examples/loop.s --grid 256 --block 256 --arg "
        "zeros:1024:name=out\n",
    .run = run,
};
