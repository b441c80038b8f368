// SPDX-License-Identifier: MIT
// lull printf: what shaders print.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "cli/printf/cc_spirv.h"
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

struct action {
    const char *name;
    struct lull_error *(*run)(int argc, char **argv, int *status);
};

static const struct action actions[] = {
    {"decode", lull_cli_printf_decode},
    {"format", lull_cli_printf_format},
    {"run", lull_cli_printf_run},
};

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    if (argc < 1) {
        return lull_error_new(LULL_ERR_INVALID, "no action given");
    }
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(argv[0], actions[i].name) == 0) {
            return actions[i].run(argc - 1, argv + 1, status);
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "no action '%s'", argv[0]);
}

static const char more2[] =
    "\n"
    "run: a Vulkan compute shader (.comp, .glsl, .spv) with debugPrintfEXT on a device, and what "
    "it\n"
    "prints; buffers that no --bind names hold zeros. Takes the options of lull run, and\n"
    "  --device NAME    part of a Vulkan device's name, or lull for lull's virtual GPU; if not "
    "given,\n"
    "                   the first of the Vulkan loader\n"
    "  --buffer-size N  bytes of the printf buffer (1048576)\n" //
    LULL_PRINTF_OPTION_HELP "\n"
    "  lull printf run shader.comp --groups 2 --printf-record workgroup,lane\n";

static const char more[] =
    "\n"
    "decode: what shaders wrote into a printf buffer, a line for each entry; what is wrong with it "
    "goes\n"
    "to stderr.\n"
    "  --strings FILE   format strings: an ELF with PAL metadata, or a sidecar; once for each "
    "pipeline\n"
    "  --json           as JSON\n"
    "  --raw            control characters as they are; else as \\xNN, but for newlines and tabs\n"
    "\n"
    "format: the text of one payload, given as hexadecimal dwords.\n"
    "  --mask64 HEX     bit n: scalar n has 64 bits, two dwords, the low one first\n"
    "  --types LIST     types of the arguments, which are then checked: i1 s8 u8 i16 i32 i64 f16\n"
    "                   bf16 f32 f64 ptr str, vectors as f32x4, with commas between\n"
    "  --strings FILE   where the literals of %s are\n"
    "  --json           as JSON\n"
    "\n"
    "Exit status 1: entries were lost, damaged or ambiguous; the format or its arguments are "
    "wrong.\n"
    "\n"
    "  lull printf decode buffer.bin --strings shader.elf\n"
    "  lull printf format 'v = %v2f' 3f99999a 400ccccd\n";

const struct lull_command lull_cli_printf = {
    .name = "printf",
    .args = "decode [--json] [--raw] BUFFER... --strings FILE...\n"
            "       lull printf format [--mask64 HEX | --types LIST] [--json] FORMAT DWORD...\n"
            "       lull printf run [--device NAME] [--json] [OPTIONS] SHADER --groups X[,Y[,Z]]",
    .help = "print what shaders wrote with printf",
    .more = more,
    .more2 = more2,
    .run = run,
};
