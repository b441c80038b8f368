// SPDX-License-Identifier: MIT
// lull printf decode: the entries of printf buffers.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/opt/command.h"
#include "cli/printf/printf.h"

enum { CHUNK = 1 << 20, MOST_LINES = 16 };

static const uint64_t most_bytes = ((uint64_t)4 << 29) + LULL_PRINTF_HEADER_BYTES;

// All of a buffer as it is: unlike other files, its first bytes may be those of gzip by chance.
LULL_MUST_USE static struct lull_error *read_buffer(const char *path, char **ret, size_t *ret_size)
{
    FILE *f = stdin;
    char *data = NULL;
    size_t size = 0, room = 0, got = 1;
    struct lull_error *err = strcmp(path, "-") != 0 ? lull_files_fopen(path, &f) : NULL;
    while (err == NULL && got > 0) {
        if (size == room) {
            room = room == 0 ? CHUNK : 2 * room;
            char *more = realloc(data, room);
            if (more == NULL) {
                err = &lull_enomem;
                break;
            }
            data = more;
        }
        got = fread(data + size, 1, room - size, f);
        size += got;
        if (size > most_bytes) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "%s: more than 2 GiB", path);
        }
    }
    if (err == NULL && ferror(f)) {
        err = lull_error_os(errno, "%s", path);
    }
    if (f != stdin) {
        fclose(f);
    }
    if (err != NULL) {
        free(data);
        return err;
    }
    *ret = data;
    *ret_size = size;
    return NULL;
}

static void add_place(struct lull_str *to, const struct lull_printf_event *e)
{
    const char *between = "[";
    if ((e->records & LULL_PRINTF_PIPELINE) != 0) {
        lull_str_addf(to, "%spipeline %" PRIu32, between, e->pipeline);
        between = " ";
    }
    if ((e->records & LULL_PRINTF_SITE) != 0) {
        lull_str_addf(to, "%ssite %" PRIu32, between, e->site);
        between = " ";
    }
    if ((e->records & LULL_PRINTF_DISPATCH) != 0) {
        lull_str_addf(to, "%sdispatch %" PRIu32, between, e->dispatch);
        between = " ";
    }
    if ((e->records & LULL_PRINTF_WORKGROUP) != 0) {
        lull_str_addf(to, "%sworkgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32, between, e->workgroup[0],
                      e->workgroup[1], e->workgroup[2]);
        between = " ";
    }
    if ((e->records & LULL_PRINTF_WAVE) != 0) {
        lull_str_addf(to, "%swave %" PRIu32, between, e->wave);
        between = " ";
    }
    if ((e->records & LULL_PRINTF_LANE) != 0) {
        lull_str_addf(to, "%slane %" PRIu32, between, e->lane);
    }
    if (e->records != 0) {
        lull_str_add(to, "] ", 2);
    }
}

// Text without the newline at its end, if it has one.
static void add_text(const struct lull_printf_lines *l, struct lull_str *to,
                     const struct lull_printf_event *e)
{
    const bool ended = e->text_size > 0 && e->text[e->text_size - 1] == '\n';
    if (l->raw) {
        lull_str_add(to, e->text, e->text_size - ended);
    } else {
        lull_str_printable(to, e->text, e->text_size - ended);
    }
}

static bool is_entry(enum lull_printf_event_kind kind)
{
    return kind == LULL_PRINTF_TEXT || kind == LULL_PRINTF_AMBIGUOUS ||
           kind == LULL_PRINTF_CANDIDATE || kind == LULL_PRINTF_LONG ||
           kind == LULL_PRINTF_BAD_FORMAT;
}

static void add_problem(const struct lull_printf_lines *l, const struct lull_printf_event *e,
                        struct lull_str *problems)
{
    lull_str_addf(problems, "lull printf: %s: offset 0x%" PRIx64 ": ", l->name, e->offset);
    if (e->kind == LULL_PRINTF_UNKNOWN_ID) {
        lull_str_addf(problems, "no string has the id 0x%012" PRIx64, e->id);
    } else {
        lull_str_addf(problems, "%s", e->problem);
    }
    if (e->kind == LULL_PRINTF_SHORT || e->kind == LULL_PRINTF_CUT) {
        lull_str_addf(problems, ": ");
        add_text(l, problems, e);
    } else if (!is_entry(e->kind) && e->dwords != 0) {
        lull_str_addf(problems, "; %" PRIu64 " bytes skipped", 4 * e->dwords);
    }
    lull_str_add(problems, "\n", 1);
}

void lull_cli_printf_line(struct lull_printf_lines *l, const struct lull_printf_event *e,
                          struct lull_str *out, struct lull_str *problems)
{
    if (is_entry(e->kind)) {
        if (e->candidates > 1) {
            lull_str_addf(out, "(%u of %u%s) ", e->candidate, e->candidates,
                          e->more ? " or more" : "");
        }
        add_place(out, e);
        add_text(l, out, e);
        lull_str_add(out, "\n", 1);
    }
    if (e->problem[0] == '\0') {
        return;
    }
    const uint64_t n = l->told[e->kind].count++;
    if (n < MOST_LINES) {
        add_problem(l, e, problems);
    } else {
        l->told[e->kind].first = n == MOST_LINES ? e->offset : l->told[e->kind].first;
        l->told[e->kind].last = e->offset;
    }
}

void lull_cli_printf_rest(const struct lull_printf_lines *l, struct lull_str *problems)
{
    static const char *const what[LULL_PRINTF_KINDS] = {
        [LULL_PRINTF_AMBIGUOUS] = "that several strings fit",
        [LULL_PRINTF_SHORT] = "with a payload that is too short",
        [LULL_PRINTF_LONG] = "with a payload that is too long",
        [LULL_PRINTF_CUT] = "that the end cuts",
        [LULL_PRINTF_BAD_FORMAT] = "with a format that cannot be printed",
        [LULL_PRINTF_UNKNOWN_ID] = "with an id that no string has",
        [LULL_PRINTF_SIZE_ZERO] = "of size 0",
        [LULL_PRINTF_GARBAGE] = "with a header that makes no sense",
        [LULL_PRINTF_LOST] = "lost",
    };
    for (size_t i = 0; i < LULL_PRINTF_KINDS; i++) {
        if (l->told[i].count > MOST_LINES) {
            lull_str_addf(problems,
                          "lull printf: %s: offsets 0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64
                          " more entries %s\n",
                          l->name, l->told[i].first, l->told[i].last, l->told[i].count - MOST_LINES,
                          what[i] != NULL ? what[i] : "like that");
        }
    }
}

static const char *kind_name(enum lull_printf_event_kind kind)
{
    switch (kind) {
    case LULL_PRINTF_TEXT:
        return "text";
    case LULL_PRINTF_AMBIGUOUS:
        return "ambiguous";
    case LULL_PRINTF_CANDIDATE:
        return "candidate";
    case LULL_PRINTF_SHORT:
        return "short";
    case LULL_PRINTF_LONG:
        return "long";
    case LULL_PRINTF_CUT:
        return "cut";
    case LULL_PRINTF_BAD_FORMAT:
        return "bad_format";
    case LULL_PRINTF_UNKNOWN_ID:
        return "unknown_id";
    case LULL_PRINTF_SIZE_ZERO:
        return "size_zero";
    case LULL_PRINTF_GARBAGE:
        return "garbage";
    case LULL_PRINTF_LOST:
        return "lost";
    case LULL_PRINTF_NO_HEADER:
        return "no_header";
    }
    return "";
}

static void json_place(const struct lull_printf_event *e, struct lull_json *j)
{
    if ((e->records & LULL_PRINTF_DISPATCH) != 0) {
        lull_json_put_u64(j, "dispatch", e->dispatch);
    }
    if ((e->records & LULL_PRINTF_WORKGROUP) != 0) {
        lull_json_key(j, "workgroup");
        lull_json_open(j, '[');
        for (unsigned i = 0; i < 3; i++) {
            lull_json_u64(j, e->workgroup[i]);
        }
        lull_json_close(j, ']');
    }
    if ((e->records & LULL_PRINTF_WAVE) != 0) {
        lull_json_put_u64(j, "wave", e->wave);
    }
    if ((e->records & LULL_PRINTF_LANE) != 0) {
        lull_json_put_u64(j, "lane", e->lane);
    }
}

void lull_cli_printf_json(const struct lull_printf_event *e, struct lull_json *j)
{
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", kind_name(e->kind));
    lull_json_put_u64(j, "offset", e->offset);
    lull_json_put_u64(j, "bytes", 4 * e->dwords);
    if (e->id != 0) {
        lull_json_put_hex(j, "id", e->id);
    }
    if (e->string != NULL) {
        lull_json_key(j, "format");
        lull_json_bytes(j, e->string->text, e->string->size);
        lull_json_key(j, "text");
        if (!lull_json_bytes(j, e->text, e->text_size)) {
            struct lull_str hex = {0};
            for (size_t i = 0; i < e->text_size; i++) {
                lull_str_hex(&hex, (unsigned char)e->text[i], 2);
            }
            lull_json_put_str(j, "text_hex", lull_str_text(&hex));
            j->out->err = j->out->err != NULL ? j->out->err : hex.err;
            lull_str_free(&hex);
        }
    }
    json_place(e, j);
    if (e->candidates > 1) {
        lull_json_put_u64(j, "candidate", e->candidate);
        lull_json_put_u64(j, "candidates", e->candidates);
        lull_json_put_bool(j, "more", e->more);
    }
    if (e->kind == LULL_PRINTF_LOST) {
        lull_json_put_u64(j, "lost", e->lost);
        lull_json_put_u64(j, "lost_max", e->lost_max);
    }
    if (e->problem[0] != '\0') {
        lull_json_put_str(j, "problem", e->problem);
    }
    lull_json_close(j, '}');
}

struct decoding {
    struct lull_printf_table *table;
    struct lull_opt_words buffers;
    struct lull_printf_lines lines; // of the buffer
    bool json;
    struct lull_json j;
    struct lull_str out, problems;
    uint64_t wrong;
    bool unreadable; // a buffer
};

LULL_MUST_USE static struct lull_error *flush(struct decoding *d)
{
    struct lull_error *err = d->out.err != NULL ? d->out.err : d->problems.err;
    if (err == NULL) {
        fwrite(lull_str_text(&d->out), 1, d->out.size, stdout);
        if (d->problems.size > 0) {
            fflush(stdout);
            fwrite(d->problems.text, 1, d->problems.size, stderr);
        }
        d->out.size = 0;
        d->problems.size = 0;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct decoding *d = arg;
    if (d->json) {
        lull_cli_printf_json(e, &d->j);
    } else {
        lull_cli_printf_line(&d->lines, e, &d->out, &d->problems);
    }
    return d->out.size > CHUNK || d->problems.size > 0 ? flush(d) : NULL;
}

// A buffer that cannot be read: the others can.
static void unreadable(struct decoding *d, const char *path, struct lull_error *err)
{
    d->unreadable = true;
    lull_str_addf(&d->problems, "lull printf: %s\n", lull_error_message(err));
    if (d->json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "file", path);
        lull_json_put_str(&d->j, "error", lull_error_message(err));
        lull_json_close(&d->j, '}');
    }
    lull_error_free(err);
}

LULL_MUST_USE static struct lull_error *decode_file(struct decoding *d, const char *path)
{
    char *data = NULL;
    size_t size = 0;
    struct lull_printf_decoder decoder = {0};
    struct lull_error *err = read_buffer(path, &data, &size);
    if (err != NULL) {
        unreadable(d, path, err);
        return flush(d);
    }
    d->lines = (struct lull_printf_lines){.name = path, .raw = d->lines.raw};
    if (d->json) {
        lull_json_open(&d->j, '{');
        lull_json_put_str(&d->j, "file", path);
        lull_json_key(&d->j, "entries");
        lull_json_open(&d->j, '[');
    }
    err = lull_printf_decode(&decoder, d->table, data, size, false, on_event, d);
    lull_cli_printf_rest(&d->lines, &d->problems);
    if (d->json) {
        lull_json_close(&d->j, ']');
        lull_json_put_u64(&d->j, "printed", decoder.entries);
        lull_json_put_u64(&d->j, "problems", decoder.problems);
        lull_json_close(&d->j, '}');
    }
    d->wrong += decoder.problems;
    free(data);
    return err != NULL ? err : flush(d);
}

// One file of strings. A damaged one is reported, and what is left of it is used.
LULL_MUST_USE static struct lull_error *load_file(struct decoding *d, const char *path)
{
    struct lull_error *err = lull_cli_printf_strings(d->table, path);
    if (err == NULL || lull_error_code(err) == LULL_ERR_OS ||
        lull_error_code(err) == LULL_ERR_NO_MEMORY || lull_printf_table_count(d->table) == 0) {
        return err;
    }
    d->wrong += lull_error_code(err) != LULL_ERR_NOT_FOUND;
    fprintf(stderr, "lull printf: %s\n", lull_error_message(err));
    lull_error_free(err);
    return NULL;
}

LULL_MUST_USE static struct lull_error *strings(void *base, const struct lull_opt *o,
                                                const char *value)
{
    (void)o;
    return load_file(base, value);
}

static const struct lull_opt opts[] = {
    {"--strings", NULL, "FILE",
     "format strings: an ELF with PAL metadata, or a sidecar; once for each pipeline",
     LULL_OPT_CALL, .call = strings, .flags = LULL_OPT_MANY | LULL_OPT_NEEDED},
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct decoding, json)},
    {"--raw", NULL, NULL,
     "control characters as they are; else as \\xNN, but for newlines and tabs", LULL_OPT_FLAG,
     LULL_OPT_AT(struct decoding, lines.raw)},
    {"BUFFER", .kind = LULL_OPT_IN, LULL_OPT_AT(struct decoding, buffers),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *decode_all(struct decoding *d)
{
    struct lull_error *err = NULL;
    d->j.out = &d->out;
    if (d->json) {
        lull_json_open(&d->j, '{');
        lull_json_key(&d->j, "warnings");
        lull_json_open(&d->j, '[');
        for (size_t i = 0; i < lull_printf_table_warnings(d->table); i++) {
            const char *text = lull_printf_table_warning(d->table, i);
            lull_json_bytes(&d->j, text, strlen(text));
        }
        lull_json_close(&d->j, ']');
        lull_json_key(&d->j, "buffers");
        lull_json_open(&d->j, '[');
    } else {
        lull_cli_printf_warnings(d->table, 0);
    }
    for (size_t i = 0; err == NULL && i < d->buffers.n; i++) {
        err = decode_file(d, d->buffers.at[i]);
    }
    if (d->json && err == NULL) {
        lull_json_close(&d->j, ']');
        lull_json_close(&d->j, '}');
        lull_str_add(&d->out, "\n", 1);
        err = flush(d);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct decoding d = {0};
    struct lull_error *err = lull_printf_table_new(&d.table);
    if (err == NULL) {
        err = lull_opt_parse(form, &d, argc, argv);
    }
    if (err == NULL) {
        err = decode_all(&d);
    }
    if (err == NULL && (d.unreadable || d.wrong > 0)) {
        *status = d.unreadable ? LULL_EXIT_FAILED : LULL_EXIT_FINDINGS;
    }
    lull_printf_table_free(d.table);
    lull_str_free(&d.out);
    lull_str_free(&d.problems);
    return err;
}

const struct lull_form lull_cli_printf_decode = {
    .word = "decode",
    .about = "decode: what shaders wrote into a printf buffer, a line for each entry; what is "
             "wrong with it goes to stderr.",
    .groups = groups,
    .after = "  lull printf decode buffer.bin --strings shader.elf",
    .run = run,
};
