// SPDX-License-Identifier: MIT
/* lull vm walk: the page tables of a program's address space, as hardware walks them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/opt/command.h"
#include "cli/opt/options.h"

extern const struct lull_form lull_debug_form;

struct walk {
    const char *address;
    struct lull_options options;
};

static const struct lull_opt opts[] = {
    {"ADDRESS", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct walk, address), .flags = LULL_OPT_NEEDED},
    {"KERNEL", .kind = LULL_OPT_IN, LULL_OPT_AT(struct walk, options.path),
     .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0},
    {NULL, lull_options_opts, offsetof(struct walk, options)},
    {NULL, lull_options_kernel_opts, offsetof(struct walk, options)},
    {NULL, lull_printf_host_opts, offsetof(struct walk, options.printf)},
    {0},
};

/** The debugger makes the address space; this is one command of it. */
LULL_MUST_USE static struct lull_error *debug(const char *address, int argc, char **argv,
                                              int *status)
{
    lull_cleanup(lull_freep) char *command = NULL;
    if (asprintf(&command, "vm walk %s", address) < 0) {
        command = NULL;
        return &lull_enomem;
    }
    lull_cleanup(lull_freep) char **args = calloc((size_t)argc + 4, sizeof *args);
    if (args == NULL) {
        return &lull_enomem;
    }
    int n = 0;
    args[n++] = (char[]){"-batch"};
    args[n++] = (char[]){"-ex"};
    args[n++] = command;
    for (int i = 0; i < argc; i++) {
        if (argv[i] != address) {
            args[n++] = argv[i];
        }
    }
    return lull_debug_form.run(&lull_debug_form, n, args, status);
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct walk w = {0};
    struct lull_error *err = lull_opt_parse(form, &w, argc, argv);
    lull_options_done(&w.options);
    return err != NULL ? err : debug(w.address, argc, argv, status);
}

static const struct lull_form form = {
    .word = "walk",
    .about = "ADDRESS: a number, or the name of a buffer or symbol. The kernel is set up as for "
             "`lull debug` but not run; page tables are read through the kernel's debugfs files.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_vm = {
    .name = "vm",
    .help = "walk the GPU's page tables as hardware would and explain every bit",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "  lull vm walk out examples/loop.s --grid 256 --block 256 --arg "
             "zeros:1024:name=out",
};
