// SPDX-License-Identifier: MIT
// lull printf: what shaders print.
#include <stdio.h>
#include <stdlib.h>

#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "cli/printf/printf.h"

struct lull_error *lull_cli_printf_strings(struct lull_printf_table *t, const char *path)
{
    char *data = NULL;
    size_t size = 0, count = 0;
    struct lull_error *err = lull_input_read(path, &data, &size);
    if (err != NULL) {
        return err;
    }
    err = lull_printf_table_load(t, data, size, path, &count);
    free(data);
    if (err == NULL && count == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "no format strings");
    }
    return lull_error_in(err, "%s", path);
}

void lull_cli_printf_warnings(const struct lull_printf_table *t, size_t from)
{
    for (size_t i = from; i < lull_printf_table_warnings(t); i++) {
        fprintf(stderr, "lull printf: warning: %s\n", lull_printf_table_warning(t, i));
    }
}

const struct lull_command lull_cli_printf = {
    .name = "printf",
    .help = "print what shaders wrote with printf",
    .forms = (const struct lull_form *const[]){&lull_cli_printf_decode, &lull_cli_printf_format,
                                               &lull_cli_printf_run, NULL},
    .after = "Exit status 1: entries were lost, damaged or ambiguous; the format or its arguments "
             "are wrong.",
};
