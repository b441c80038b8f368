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

/** Does an option's value stand in the next word? */
static bool takes_word(const char *option)
{
    static const char *const names[] = {"-o",
                                        "--strings",
                                        "--printf-strings",
                                        "--printf-set",
                                        "--printf-binding",
                                        "--printf-address",
                                        "--printf-atomic",
                                        "--printf-counter",
                                        "--printf-record"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], option) == 0) {
            return true;
        }
    }
    return false;
}

bool lull_cc_spirv_is(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (takes_word(argv[i])) {
            i++;
            if (strcmp(argv[i - 1], "-o") == 0 && i < argc && ends_in(argv[i], ".spv")) {
                return true; // also of standard input
            }
        } else if (argv[i][0] != '-') {
            char magic[MAGIC_BYTES] = "";
            lull_cleanup(lull_fclosep) FILE *f = fopen(argv[i], "rb");
            const size_t n = f != NULL ? fread(magic, 1, sizeof magic, f) : 0;
            if (ends_in(argv[i], ".spv") || (n == sizeof magic && lull_spirv_is(magic, n))) {
                return true;
            }
        }
    }
    return false;
}

struct lull_spirv_printf_options lull_printf_option_default(void)
{
    return (struct lull_spirv_printf_options){.set = DEFAULT_SET};
}

LULL_MUST_USE static struct lull_error *number(const char *name, const char *value, uint64_t max,
                                               uint32_t *ret)
{
    uint64_t v = 0;
    struct lull_error *err = lull_args_number(name, value, max, &v);
    if (err == NULL) {
        *ret = (uint32_t)v;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *address(struct lull_spirv_printf_options *o,
                                                const char *name, const char *value)
{
    if (strncmp(value, "push:", 5) == 0) {
        o->place = LULL_SPIRV_PRINTF_PUSH;
        struct lull_error *err = number(name, value + 5, MAX_PUSH, &o->push_offset);
        return err != NULL || o->push_offset % 8 == 0
                   ? err
                   : lull_error_new(LULL_ERR_INVALID, "%s: %u is no multiple of 8", name,
                                    o->push_offset);
    }
    if (strncmp(value, "spec:", 5) == 0) {
        o->place = LULL_SPIRV_PRINTF_SPEC;
        return number(name, value + 5, UINT32_MAX - 3, &o->spec_id);
    }
    return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is neither push:BYTE nor spec:ID", name,
                          value);
}

LULL_MUST_USE static struct lull_error *records(struct lull_spirv_printf_options *o,
                                                const char *name, const char *value)
{
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
                                  "%s: '%.*s' is none of dispatch, workgroup, wave, lane", name,
                                  (int)n, at);
        }
        o->records |= bit;
        if (at[n] == '\0') {
            return NULL;
        }
        at += n + 1;
    }
}

/** One of two words. */
LULL_MUST_USE static struct lull_error *either(const char *name, const char *value, const char *no,
                                               const char *yes, bool *ret)
{
    if (strcmp(value, no) != 0 && strcmp(value, yes) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is neither %s nor %s", name, value, no,
                              yes);
    }
    *ret = strcmp(value, yes) == 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *take(struct lull_spirv_printf_options *o, const char *name,
                                             const char *value)
{
    if (strcmp(name, "--printf-set") == 0) {
        o->place = LULL_SPIRV_PRINTF_BINDING;
        return number(name, value, MAX_SET, &o->set);
    }
    if (strcmp(name, "--printf-binding") == 0) {
        o->place = LULL_SPIRV_PRINTF_BINDING;
        return number(name, value, UINT32_MAX, &o->binding);
    }
    if (strcmp(name, "--printf-address") == 0) {
        return address(o, name, value);
    }
    if (strcmp(name, "--printf-atomic") == 0) {
        return either(name, value, "lane", "wave", &o->wave);
    }
    if (strcmp(name, "--printf-counter") == 0) {
        return either(name, value, "32", "64", &o->counter64);
    }
    return records(o, name, value);
}

struct lull_error *lull_printf_option(struct lull_spirv_printf_options *o, int argc, char **argv,
                                      int *i, bool *ret_used)
{
    char name[32] = "";
    const char *text = argv[*i], *equals = strchr(text, '=');
    const size_t n = equals != NULL ? (size_t)(equals - text) : strlen(text);
    *ret_used = false;
    if (n >= sizeof name || strncmp(text, "--printf-", 9) != 0) {
        return NULL;
    }
    memcpy(name, text, n);
    if (!takes_word(name) || strcmp(name, "--printf-strings") == 0) {
        return NULL;
    }
    *ret_used = true;
    if (equals == NULL && *i + 1 >= argc) {
        return lull_error_new(LULL_ERR_INVALID, "%s: nothing after it", name);
    }
    return take(o, name, equals != NULL ? equals + 1 : argv[++*i]);
}

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

/** The command line of `lull cc`, of a SPIR-V module; "" and NULL: not given. */
struct options {
    const char *input, *output, *strings;
    bool printf;
    struct lull_spirv_printf_options how;
};

LULL_MUST_USE static struct lull_error *parse(int argc, char **argv, struct options *o)
{
    struct lull_error *err = NULL;
    for (int i = 0; err == NULL && i < argc; i++) {
        bool used = false;
        const char *arg = argv[i];
        err = lull_printf_option(&o->how, argc, argv, &i, &used);
        if (err != NULL || used) {
            continue;
        }
        const bool file = strcmp(arg, "-o") == 0 || strcmp(arg, "--strings") == 0 ||
                          strcmp(arg, "--printf-strings") == 0;
        if (file && i + 1 >= argc) {
            err = lull_error_new(LULL_ERR_INVALID, "%s needs a file", arg);
        } else if (file) {
            *(arg[1] == 'o' ? &o->output : &o->strings) = argv[++i];
        } else if (strncmp(arg, "--strings=", 10) == 0 ||
                   strncmp(arg, "--printf-strings=", 17) == 0) {
            o->strings = strchr(arg, '=') + 1;
        } else if (strcmp(arg, "--printf") == 0) {
            o->printf = true;
        } else if (arg[0] == '-' && arg[1] != '\0') {
            err = lull_error_new(LULL_ERR_INVALID, "no option '%s' for a SPIR-V module", arg);
        } else if (o->input[0] != '\0') {
            err = lull_error_new(LULL_ERR_INVALID, "one file at a time: '%s' and '%s'", o->input,
                                 arg);
        } else {
            o->input = arg;
        }
    }
    if (err == NULL && o->input[0] == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "no file given");
    }
    if (err == NULL && !o->printf) {
        err = lull_error_new(LULL_ERR_INVALID,
                             "%s is a SPIR-V module: --printf is all that is "
                             "done with it",
                             o->input);
    }
    if (err == NULL && o->output[0] == '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "-o is needed for a SPIR-V module");
    }
    return err;
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

struct lull_error *lull_cc_spirv(int argc, char **argv, int *status)
{
    struct options o = {.input = "", .output = "", .how = lull_printf_option_default()};
    lull_cleanup(lull_freep) char *data = NULL;
    size_t size = 0;
    struct lull_printf_table *table = NULL;
    struct lull_spirv_printf_result result = {0};
    struct lull_error *err = parse(argc, argv, &o);
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
