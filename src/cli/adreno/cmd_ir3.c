// SPDX-License-Identifier: MIT
// lull ir3: shaders of Adreno GPUs, to text and back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/adreno/ir3_instrument.h"
#include "cli/adreno/ir3_run.h"
#include "cli/adreno/ir3_text.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "isa/ir3/ir3.h"

enum { DEFAULT_GPU = 630, FIRST_GPU = 300, LAST_GPU = 799, MAX_WORDS = 4096 };

struct args {
    const char *file, *out, *shader;
    struct lull_ir3_options o;
    uint64_t *given; ///< Words on the command line.
    size_t ngiven;
};

LULL_MUST_USE static struct lull_error *disasm(const struct args *a)
{
    struct lull_str out = {0};
    char *data = NULL;
    size_t size = 0;
    uint64_t *words = a->given;
    struct lull_error *err = a->file != NULL ? lull_input_read(a->file, &data, &size) : NULL;
    size_t n = a->ngiven;
    if (err == NULL && a->file != NULL) {
        n = size / sizeof *words;
        words = malloc(size + sizeof *words);
        if (words == NULL) {
            err = &lull_enomem;
        } else if (size % sizeof *words != 0) {
            err =
                lull_error_new(LULL_ERR_BAD_DATA, "%s: offset %zu: half an instruction at the end",
                               a->file, n * sizeof *words);
        } else {
            memcpy(words, data, size);
        }
    }
    if (err == NULL) {
        lull_ir3_disasm(words, n, &a->o, &out);
        err = out.err;
        fputs(lull_str_text(&out), stdout);
    }
    lull_str_free(&out);
    if (words != a->given) {
        free(words);
    }
    free(data);
    return err;
}

LULL_MUST_USE static struct lull_error *write_shaders(const struct args *a,
                                                      const struct lull_ir3_shaders *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct lull_ir3_shader *one = &s->all[i];
        lull_ir3_text_notes(a->file, one);
        if (a->out != NULL) {
            return lull_output_write(a->out, one->words, one->n * sizeof *one->words);
        }
        if (s->n > 1) {
            printf("; %s\n", one->title);
        }
        for (size_t j = 0; j < one->n; j++) {
            printf("%016llx\n", (unsigned long long)one->words[j]);
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *assemble(const struct args *a)
{
    struct lull_ir3_shaders all = {0}, chosen = {0};
    struct lull_error *err = lull_ir3_text_read(a->file, a->o.gen, a->shader, &all, &chosen);
    if (err == NULL && a->out != NULL && chosen.n != 1) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "%s has %zu shaders: -o needs one of them, by --shader", a->file,
                             chosen.n);
    }
    err = err != NULL ? err : write_shaders(a, &chosen);
    lull_ir3_shaders_done(&all);
    return err;
}

LULL_MUST_USE static struct lull_error *word(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct args *a = base;
    char *end = NULL;
    if (a->ngiven == MAX_WORDS) {
        return lull_error_new(LULL_ERR_INVALID, "%s: more than %d", o->name, MAX_WORDS);
    }
    a->given[a->ngiven++] = strtoull(value, &end, 16);
    return *end == '\0' && end != value
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a hexadecimal number", o->name,
                                value);
}

static const struct lull_opt gpu_opts[] = {
    {"--gpu", NULL, "N", "320, 430, 540, 630 (default), 740: encodings differ", LULL_OPT_NUMBER,
     LULL_OPT_AT(struct args, o.gen), .min = FIRST_GPU, .max = LAST_GPU},
    {0},
};

static const struct lull_opt disasm_opts[] = {
    {"--word", NULL, "HEX", "a word instead of a file; may be given many times", LULL_OPT_CALL,
     .call = word, .flags = LULL_OPT_MANY},
    {"--json", NULL, NULL, "an object a line: text, operands, flags, numbers", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.json)},
    {"-v", NULL, NULL, "number and word before each instruction", LULL_OPT_FLAG,
     LULL_OPT_AT(struct args, o.words)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file)},
    {0},
};

static const struct lull_opt asm_opts[] = {
    {"--shader", NULL, "S",
     "of a file with many listings this one: its number, from 0, or the start of its sha1",
     LULL_OPT_TEXT, LULL_OPT_AT(struct args, shader)},
    {"-o", NULL, "FILE", "the words; without it, in hexadecimal to standard output", LULL_OPT_OUT,
     LULL_OPT_AT(struct args, out)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct args, file), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group disasm_groups[] = {
    {NULL, gpu_opts, 0}, {NULL, disasm_opts, 0}, {0}};
static const struct lull_opt_group asm_groups[] = {{NULL, gpu_opts, 0}, {NULL, asm_opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *run_disasm(const struct lull_form *form, int argc,
                                                   char **argv, int *status)
{
    (void)status;
    struct args a = {.o = {.gen = DEFAULT_GPU, .errors = true},
                     .given = calloc(MAX_WORDS, sizeof *a.given)};
    struct lull_error *err = a.given == NULL ? &lull_enomem : lull_opt_parse(form, &a, argc, argv);
    if (err == NULL && (a.file == NULL) == (a.ngiven == 0)) {
        err = lull_error_new(LULL_ERR_INVALID, a.file == NULL ? "no FILE given, and no --word"
                                                              : "FILE or --word, not both");
    }
    err = err != NULL ? err : disasm(&a);
    free(a.given);
    return err;
}

LULL_MUST_USE static struct lull_error *run_asm(const struct lull_form *form, int argc, char **argv,
                                                int *status)
{
    (void)status;
    struct args a = {.o = {.gen = DEFAULT_GPU, .errors = true}};
    struct lull_error *err = lull_opt_parse(form, &a, argc, argv);
    return err != NULL ? err : assemble(&a);
}

static const struct lull_form form_disasm = {
    .word = "disasm",
    .usage = "[OPTIONS] FILE | --word HEX...",
    .about = "disasm prints instructions as Mesa does; what is wrong with a word stands after ';'. "
             "A file has 64-bit little-endian words.",
    .groups = disasm_groups,
    .run = run_disasm,
};

static const struct lull_form form_asm = {
    .word = "asm",
    .about = "asm is the way back, also of listings that Mesa prints (IR3_SHADER_DEBUG) and of "
             "files of its computerator.",
    .groups = asm_groups,
    .run = run_asm,
};

const struct lull_command lull_cli_ir3 = {
    .name = "ir3",
    .help = "disassemble, assemble, run and instrument shaders of Adreno",
    .forms =
        (const struct lull_form *const[]){&form_disasm, &form_asm, &lull_ir3_run_form,
                                          &lull_ir3_instrument_form, &lull_ir3_records_form, NULL},
    .after = "  lull ir3 disasm --gpu 630 --word 63828001040e4000",
};
