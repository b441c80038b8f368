// SPDX-License-Identifier: MIT
// lull afuc: firmware of Adreno's command processors, to text and back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "isa/afuc/afuc.h"

struct args {
    const char *file, *out;
    uint32_t id;
    bool addresses, raw;
};

LULL_MUST_USE static struct lull_error *disasm(const struct args *a)
{
    char *data = NULL;
    size_t size = 0;
    struct lull_error *err = lull_input_read(a->file, &data, &size);
    if (err != NULL) {
        return err;
    }
    struct lull_afuc fw = {0};
    struct lull_str out = {0};
    // The file's words are little endian, as this machine's.
    uint32_t *words = malloc(size + sizeof *words);
    if (words == NULL) {
        free(data);
        return &lull_enomem;
    }
    memcpy(words, data, size);
    if (size % sizeof *words != 0 || size < sizeof *words || words[0] != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA,
                             "offset 0: no firmware: %zu bytes, first dword not 0", size);
    }
    err = err != NULL ? err
                      : lull_afuc_open(words + 1, (uint32_t)(size / sizeof *words) - 1, a->id, &fw);
    if (err == NULL && a->raw) { // all is instructions, the first dword too
        fw.words = words;
        fw.n = (uint32_t)(size / sizeof *words);
        fw.nsections = 1;
        fw.sections[0] = (struct lull_afuc_section){.size = fw.n, .table = fw.n};
    }
    if (err == NULL) {
        lull_afuc_disasm(&fw, a->addresses, &out);
        err = out.err;
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    free(words);
    free(data);
    return lull_error_in(err, "%s", a->file);
}

LULL_MUST_USE static struct lull_error *assemble(const struct args *a)
{
    char *text = NULL;
    size_t size = 0;
    if (a->out == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "-o FILE is missing");
    }
    struct lull_error *err = lull_input_read(a->file, &text, &size);
    if (err != NULL) {
        return err;
    }
    uint32_t *words = NULL, n = 0;
    err = lull_error_in(lull_afuc_assemble(text, &words, &n), "%s", a->file);
    free(text);
    if (err != NULL) {
        // What is wrong is the file, not the command line.
        struct lull_error *bad = lull_error_new(LULL_ERR_BAD_DATA, "%s", lull_error_message(err));
        lull_error_free(err);
        return bad;
    }
    err = lull_output_write(a->out, words, n * sizeof *words);
    free(words);
    return err;
}

LULL_MUST_USE static struct lull_error *run(int argc, char **argv, int *status)
{
    (void)status;
    struct args a = {0};
    const bool to_text = argc > 0 && strcmp(argv[0], "disasm") == 0;
    if (!to_text && !(argc > 0 && strcmp(argv[0], "asm") == 0)) {
        return lull_error_new(LULL_ERR_INVALID, "want disasm or asm");
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            a.addresses = true;
        } else if (strcmp(argv[i], "-r") == 0) {
            a.raw = true;
        } else if (strcmp(argv[i], "-u") == 0) {
            continue; // afuc-disasm's: no path in the text; there is none
        } else if (strcmp(argv[i], "-g") == 0 && i + 1 < argc) {
            a.id = (uint32_t)strtoul(argv[++i], NULL, 16);
        } else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            a.out = argv[++i];
        } else if ((argv[i][0] == '-' && argv[i][1] != '\0') || a.file != NULL) {
            return lull_error_new(LULL_ERR_INVALID, "no option '%s'", argv[i]);
        } else {
            a.file = argv[i];
        }
    }
    if (a.file == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "which file?");
    }
    struct lull_error *err = lull_files_check_two(a.file, a.out);
    return err != NULL ? err : to_text ? disasm(&a) : assemble(&a);
}

const struct lull_command lull_cli_afuc = {
    .name = "afuc",
    .args = "disasm FILE.fw [-v] [-r] [-g ID] | asm FILE.asm -o FILE.fw",
    .help = "disassemble and assemble firmware of Adreno's command processors",
    .more = "disasm  print a firmware (a5xx to a7xx) as Mesa's afuc-disasm does: handlers and "
            "registers by\n"
            "        name, labels; what it prints assembles to the same bytes\n"
            "asm     the way back; -o -: to standard output\n"
            "\n"
            "  -v     address and word before each instruction\n"
            "  -r     all of the file is instructions: no tables, no handlers\n"
            "  -g ID  firmware id (hex) to use instead of the file's: 5ff 6ee 6dc 6dd 730 740 520\n"
            "\n"
            "Example: lull afuc disasm a630_sqe.fw > a630.asm; lull afuc asm a630.asm -o new.fw\n",
    .run = run,
};
