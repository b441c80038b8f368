// SPDX-License-Identifier: MIT
#include "cli/printf/cc_spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/output.h"
#include "cli/opt/args.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "file/spirv.h"
#include "printf/decode.h"

enum { DEFAULT_SET = 3, MAX_SET = 1 << 20, MAX_PUSH = 65528, MAGIC_BYTES = 4 };

static bool ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcmp(path + n - m, suffix) == 0;
}

/** Does the file say so by its name or its first bytes? */
static bool is_module(const char *path)
{
    char magic[MAGIC_BYTES] = "";
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(path, &f)); // who reads it says so
    const size_t n = f != NULL ? fread(magic, 1, sizeof magic, f) : 0;
    return ends_in(path, ".spv") || (n == sizeof magic && lull_spirv_is(magic, n));
}

bool lull_cc_spirv_is(const struct lull_form *form, int argc, char **argv)
{
    struct lull_opt_scan scan = {.form = form, .argc = argc, .argv = argv};
    struct lull_opt_item item = {0};
    bool printf = false, module = false;
    while (lull_opt_next(&scan, &item)) {
        const char *name = item.opt != NULL ? item.opt->name : "";
        if (strcmp(name, "-o") == 0 && item.value != NULL && ends_in(item.value, ".spv")) {
            return true; // also of standard input
        }
        if (strcmp(name, "--layout") == 0 || strcmp(name, "--relocatable") == 0 ||
            strcmp(name, "--emit-ir") == 0) {
            return false; // a pipeline, a part of one, or its IR
        }
        printf |= strcmp(name, "--printf") == 0;
        module |= item.operand && is_module(item.word);
    }
    return printf && module;
}

struct lull_spirv_printf_options lull_printf_option_default(void)
{
    return (struct lull_spirv_printf_options){.set = DEFAULT_SET};
}

LULL_MUST_USE static struct lull_error *number(const char *name, const char *value, uint64_t max,
                                               uint32_t *ret)
{
    uint64_t v = 0;
    struct lull_error *err = lull_opt_number(name, value, 0, max, &v);
    if (err == NULL) {
        *ret = (uint32_t)v;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *set(void *base, const struct lull_opt *row,
                                            const char *value)
{
    struct lull_spirv_printf_options *o = base;
    o->place = LULL_SPIRV_PRINTF_BINDING;
    return number(row->name, value, MAX_SET, &o->set);
}

LULL_MUST_USE static struct lull_error *binding(void *base, const struct lull_opt *row,
                                                const char *value)
{
    struct lull_spirv_printf_options *o = base;
    o->place = LULL_SPIRV_PRINTF_BINDING;
    return number(row->name, value, UINT32_MAX, &o->binding);
}

LULL_MUST_USE static struct lull_error *address(void *base, const struct lull_opt *row,
                                                const char *value)
{
    struct lull_spirv_printf_options *o = base;
    if (strncmp(value, "push:", 5) == 0) {
        o->place = LULL_SPIRV_PRINTF_PUSH;
        struct lull_error *err = number(row->name, value + 5, MAX_PUSH, &o->push_offset);
        return err != NULL || o->push_offset % 8 == 0
                   ? err
                   : lull_error_new(LULL_ERR_INVALID, "%s: %u is not a multiple of 8", row->name,
                                    o->push_offset);
    }
    if (strncmp(value, "spec:", 5) == 0) {
        o->place = LULL_SPIRV_PRINTF_SPEC;
        return number(row->name, value + 5, UINT32_MAX - 3, &o->spec_id);
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is neither push:BYTE nor spec:ID", row->name,
                          value);
}

LULL_MUST_USE static struct lull_error *records(void *base, const struct lull_opt *row,
                                                const char *value)
{
    struct lull_spirv_printf_options *o = base;
    static const struct {
        const char *name;
        unsigned bit;
    } all[] = {{"dispatch", LULL_PRINTF_DISPATCH},
               {"workgroup", LULL_PRINTF_WORKGROUP},
               {"wave", LULL_PRINTF_WAVE},
               {"lane", LULL_PRINTF_LANE}};
    for (const char *at = value;;) {
        const size_t n = strcspn(at, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
            if (strlen(all[i].name) == n && memcmp(all[i].name, at, n) == 0) {
                bit = all[i].bit;
            }
        }
        if (bit == 0) {
            return lull_error_new(LULL_ERR_INVALID,
                                  "%s: '%.*s' is none of dispatch, workgroup, wave, lane",
                                  row->name, (int)n, at);
        }
        o->records |= bit;
        if (at[n] == '\0') {
            return NULL;
        }
        at += n + 1;
    }
}

const struct lull_opt lull_printf_spirv_opts[] = {
    {"--printf-set", NULL, "N", "the buffer's descriptor: set (3 if not given)", LULL_OPT_CALL,
     .call = set},
    {"--printf-binding", NULL, "N", "and binding (0 if not given)", LULL_OPT_CALL, .call = binding},
    {"--printf-address", NULL, "push:BYTE|spec:ID",
     "instead: its address (64 bits) and size in bytes (32 bits) in push constants from BYTE on, "
     "or in specialization constants ID (low half), ID+1 (high half), ID+2 (size)",
     LULL_OPT_CALL, .call = address},
    {"--printf-atomic", NULL, "lane|wave",
     "an atomic for each lane (any device), or one for a subgroup, for which SPIR-V 1.3 and "
     "ballots are needed and which keeps the lanes' order",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_spirv_printf_options, wave)},
    {"--printf-counter", NULL, "32|64", "atomics of 32 bits (any device) or 64 (Int64Atomics)",
     LULL_OPT_CHOICE, LULL_OPT_AT(struct lull_spirv_printf_options, counter64)},
    {"--printf-record", NULL, "LIST",
     "each entry says where it is from: dispatch, workgroup, wave, lane", LULL_OPT_CALL,
     .call = records},
    {0},
};

static void say(void *arg, const struct lull_spirv_printf_message *m)
{
    const char *path = arg;
    fprintf(stderr, "%s", m->file != NULL ? m->file : path);
    if (m->line != 0) {
        fprintf(stderr, ":%u", m->line);
        if (m->column != 0) {
            fprintf(stderr, ":%u", m->column);
        }
    }
    fprintf(stderr, ": %s: printf: %s\n", m->error ? "error" : "warning", m->text);
}

struct lull_error *lull_printf_lower(const char *path, const void *data, size_t size,
                                     const struct lull_spirv_printf_options *o,
                                     struct lull_printf_table *table,
                                     struct lull_spirv_printf_result *ret)
{
    char *name = strdup(path);
    if (name == NULL) {
        return &lull_enomem;
    }
    struct lull_spirv_printf_options told = *o;
    told.fn = say;
    told.arg = name;
    struct lull_error *err =
        lull_error_in(lull_spirv_printf(data, size, &told, table, ret), "%s", path);
    free(name);
    return err;
}

/** The command line of `lull cc`, of a SPIR-V module. */
struct options {
    const char *input, *output, *strings;
    bool printf;
    struct lull_spirv_printf_options how;
};

static const struct lull_opt opts[] = {
    {"--printf", NULL, NULL, "lower printf: all that is done with a SPIR-V module", LULL_OPT_FLAG,
     LULL_OPT_AT(struct options, printf)},
    {"-o", NULL, "OUT", "the module", LULL_OPT_OUT, LULL_OPT_AT(struct options, output),
     .flags = LULL_OPT_NEEDED},
    {"--strings", "--printf-strings", "FILE",
     "the format strings; if not given, OUT with .strings for .spv", LULL_OPT_OUT,
     LULL_OPT_AT(struct options, strings)},
    {"IN", .kind = LULL_OPT_IN, LULL_OPT_AT(struct options, input), .flags = LULL_OPT_NEEDED},
    {0},
};

static const struct lull_opt_group groups[] = {
    {NULL, opts, 0}, {NULL, lull_printf_spirv_opts, offsetof(struct options, how)}, {0}};

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, int argc, char **argv,
                                              struct options *o)
{
    struct lull_error *err = lull_opt_parse(form, o, argc, argv);
    return err != NULL || o->printf
               ? err
               : lull_error_new(LULL_ERR_INVALID,
                                "-o %s: a SPIR-V module is made with --printf only", o->output);
}

/** The strings go beside the output: its name with .strings in place of .spv, or behind it. */
static void sidecar(const struct options *o, struct lull_str *ret)
{
    const size_t n = strlen(o->output);
    if (o->strings != NULL) {
        lull_str_addf(ret, "%s", o->strings);
    } else if (strcmp(o->output, "-") != 0) {
        lull_str_add(ret, o->output, ends_in(o->output, ".spv") ? n - 4 : n);
        lull_str_addf(ret, ".strings");
    }
}

LULL_MUST_USE static struct lull_error *check_files(const struct options *o, const char *strings)
{
    struct lull_files files = {0};
    lull_files_in(&files, o->input);
    lull_files_out(&files, o->output);
    lull_files_out(&files, strings);
    struct lull_error *err = lull_files_check(&files);
    lull_files_done(&files);
    return err;
}

LULL_MUST_USE static struct lull_error *put(const struct options *o, const void *input, size_t size,
                                            struct lull_printf_table *table,
                                            const struct lull_spirv_printf_result *r)
{
    struct lull_str path = {0}, strings = {0};
    const bool lowered = r->words != NULL;
    sidecar(o, &path);
    lull_printf_table_document(table, &strings);
    struct lull_error *err = path.err != NULL ? path.err : strings.err;
    path.err = strings.err = NULL;
    const bool two = path.size != 0 && (lowered || o->strings != NULL);
    struct lull_output file = {0}, beside = {0};
    err = err != NULL ? err : check_files(o, two ? path.text : NULL);
    err = err != NULL ? err : lull_output_open(&file, o->output);
    err = err == NULL && two ? lull_output_open(&beside, path.text) : err;
    err =
        err == NULL && two ? lull_output_put(&beside, lull_str_text(&strings), strings.size) : err;
    const size_t bytes = lowered ? r->nwords * sizeof *r->words : size;
    err = err != NULL ? err : lull_output_put(&file, lowered ? r->words : input, bytes);
    err = err == NULL && two ? lull_output_keep(&beside) : err;
    err = err != NULL ? err : lull_output_keep(&file);
    lull_output_done(&file);
    lull_output_done(&beside);
    lull_str_free(&path);
    lull_str_free(&strings);
    return err;
}

/** What the program that uses the module must give it, on standard error. */
LULL_MUST_USE static struct lull_error *say_needs(const struct options *o,
                                                  const struct lull_printf_table *table)
{
    const struct lull_spirv_printf_options *h = &o->how;
    struct lull_str path = {0}, to = {0};
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = 0; i < lull_printf_table_count(table); i++) {
        const struct lull_printf_string *s = lull_printf_table_at(table, i);
        const size_t bytes = 4 * lull_printf_entry_dwords(s);
        least = !s->literal && bytes < least ? bytes : least;
        most = !s->literal && bytes > most ? bytes : most;
    }
    sidecar(o, &path);
    lull_str_addf(&to, "%s: its program must ", o->output);
    if (h->place == LULL_SPIRV_PRINTF_BINDING) {
        lull_str_addf(&to,
                      "bind a storage buffer at set %u, binding %u; a driver may crash without it",
                      h->set, h->binding);
    } else if (h->place == LULL_SPIRV_PRINTF_PUSH) {
        lull_str_addf(&to,
                      "push the address of a buffer at byte %u (64 bits) and its size in bytes at "
                      "byte %u (32 bits)",
                      h->push_offset, h->push_offset + 8);
    } else {
        lull_str_addf(&to,
                      "set specialization constants %u and %u to the halves of a buffer's address, "
                      "the low one first, and %u to its size in bytes; else nothing is printed",
                      h->spec_id, h->spec_id + 1, h->spec_id + 2);
    }
    lull_str_addf(&to,
                  "\n%s: the buffer: %d bytes that are 0 before the work, then room for entries of "
                  "%zu",
                  o->output, LULL_PRINTF_HEADER_BYTES, least);
    if (most != least) {
        lull_str_addf(&to, " to %zu", most);
    }
    lull_str_addf(&to, " bytes; 1 MiB is a good start\n");
    if (path.size != 0) {
        lull_str_addf(&to, "%s: to read it: lull printf decode --strings %s BUFFER\n", o->output,
                      lull_str_text(&path));
    }
    fputs(lull_str_text(&to), stderr);
    struct lull_error *err = path.err != NULL ? path.err : to.err;
    lull_str_free(&path);
    lull_str_free(&to);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct options o = {.how = lull_printf_option_default()};
    lull_cleanup(lull_freep) char *data = NULL;
    size_t size = 0;
    struct lull_printf_table *table = NULL;
    struct lull_spirv_printf_result result = {0};
    struct lull_error *err = parse(form, argc, argv, &o);
    err = err != NULL ? err : lull_input_read(o.input, &data, &size);
    err = err != NULL ? err : lull_printf_table_new(&table);
    err = err != NULL ? err : lull_printf_lower(o.input, data, size, &o.how, table, &result);
    if (err == NULL && result.nerrors != 0) {
        *status = LULL_EXIT_FAILED; // as for other languages
    } else if (err == NULL) {
        err = put(&o, data, size, table, &result);
        if (err == NULL && result.words != NULL) {
            err = say_needs(&o, table);
        } else if (err == NULL) {
            fprintf(stderr, "%s: warning: no printf in it\n", o.input);
        }
    }
    free(result.words);
    lull_printf_table_free(table);
    return err;
}

const struct lull_form lull_cc_spirv_form = {
    .about = "A SPIR-V module: its debug printf (NonSemantic.DebugPrintf) becomes plain SPIR-V "
             "that writes into a buffer, for lull printf decode. A module without printf is passed "
             "on as it is.",
    .groups = groups,
    .after = "  lull cc --printf shader.spv -o out.spv --printf-set 1",
    .run = run,
};
