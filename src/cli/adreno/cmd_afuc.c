// SPDX-License-Identifier: MIT
// lull afuc: firmware of Adreno's command processors, to text and back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "isa/afuc/afuc.h"

struct args {
    const char *file, *out;
    uint32_t id;
    bool addresses, raw;
};

LULL_MUST_USE static struct lull_error *firmware_id(void *base, const struct lull_opt *o,
                                                    const char *value)
{
    struct args *a = base;
    char *end = NULL;
    const unsigned long id = strtoul(value, &end, 16);
    a->id = (uint32_t)id;
    return end != value && *end == '\0' && id <= UINT32_MAX
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a hexadecimal number", o->name,
                                value);
}

static const struct lull_opt disasm_opts[] = {
    {"-v", NULL, NULL, "address and word before each instruction", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, addresses)},
    {"-r", NULL, NULL, "all of the file is instructions: no tables, no handlers", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, raw)},
    {"-g", NULL, "ID",
     "firmware id (hex) to use instead of the file's: 5ff 6ee 6dc 6dd 730 740 520", LULL_OPT_CALL,
     .call = firmware_id},
    {"-u", NULL, NULL, "afuc-disasm's, no path in the text: accepted, there is none",
     .kind = LULL_OPT_PASS},
    {"FILE.fw", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt asm_opts[] = {
    {"-o", NULL, "FILE.fw", "the firmware; -: to standard output", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, out), .flags = LULL_OPT_NEEDED},
    {"FILE.asm", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group disasm_groups[] = {{NULL, disasm_opts, 0}, {0}};
static const struct lull_opt_group asm_groups[] = {{NULL, asm_opts, 0}, {0}};

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
                             "offset 0: not firmware: %zu bytes, first dword not 0", size);
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

LULL_MUST_USE static struct lull_error *run_disasm(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    struct args a = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    (void)status;
    return err != NULL ? err : disasm(&a);
}

LULL_MUST_USE static struct lull_error *run_asm(const struct lull_form *form, int argc, char **argv,
                                                int *status)
{
    struct args a = {0};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    (void)status;
    return err != NULL ? err : assemble(&a);
}

static const struct lull_form form_disasm = {
    .word = "disasm",
    .about = "disasm prints a firmware (a5xx to a7xx) as Mesa's afuc-disasm does: handlers and "
             "registers by name, labels. What it prints assembles to the same bytes.",
    .groups = disasm_groups,
    .run = run_disasm,
};

static const struct lull_form form_asm = {
    .word = "asm",
    .about = "asm is the way back.",
    .groups = asm_groups,
    .run = run_asm,
};

const struct lull_command lull_cli_afuc = {
    .name = "afuc",
    .help = "disassemble and assemble firmware of Adreno's command processors",
    .forms = (const struct lull_form *const[]){&form_disasm, &form_asm, NULL},
    .after = "  lull afuc disasm a630_sqe.fw > a630.asm\n"
             "  lull afuc asm a630.asm -o new.fw",
};
