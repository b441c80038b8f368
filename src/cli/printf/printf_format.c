// SPDX-License-Identifier: MIT
// lull printf format: the text of one payload.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/command.h"
#include "cli/printf/printf.h"

struct request {
    const char *format;
    uint32_t *dwords;
    size_t ndwords;
    uint64_t *mask;
    uint64_t *signed8, *signed16;
    size_t nmask, nsigned8, nsigned16;
    bool has_mask, json;
    struct lull_printf_type *types;
    size_t ntypes;
    bool has_types;
    struct lull_printf_table *table;
};

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *p = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return p != NULL ? (int)(p - digits) : -1;
}

// Digits of a hexadecimal number after its "0x"; 0 if it is none.
static size_t hex_size(const char **text)
{
    size_t n = 0;
    if ((*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X')) {
        *text += 2;
    }
    while (hex_digit((*text)[n]) >= 0) {
        n++;
    }
    return n;
}

/** A mask of scalars. An empty one is 0: so a script may pass on what it has for a format without
 * arguments. */
LULL_MUST_USE static struct lull_error *mask(const struct lull_opt *o, const char *text,
                                             uint64_t **ret, size_t *ret_n)
{
    const char *digits = text;
    const size_t n = hex_size(&digits);
    if ((n == 0 && text[0] != '\0') || digits[n] != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a hexadecimal number", o->name,
                              text);
    }
    *ret_n = n / 16 + 1;
    *ret = calloc(*ret_n, sizeof **ret);
    if (*ret == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        (*ret)[i / 16] |= (uint64_t)hex_digit(digits[n - 1 - i]) << 4 * (i % 16);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_mask(void *base, const struct lull_opt *o,
                                                   const char *text)
{
    struct request *r = base;
    r->has_mask = true;
    return mask(o, text, &r->mask, &r->nmask);
}

LULL_MUST_USE static struct lull_error *parse_signed8(void *base, const struct lull_opt *o,
                                                      const char *text)
{
    struct request *r = base;
    return mask(o, text, &r->signed8, &r->nsigned8);
}

LULL_MUST_USE static struct lull_error *parse_signed16(void *base, const struct lull_opt *o,
                                                       const char *text)
{
    struct request *r = base;
    return mask(o, text, &r->signed16, &r->nsigned16);
}

LULL_MUST_USE static struct lull_error *parse_types(void *base, const struct lull_opt *o,
                                                    const char *text)
{
    struct request *r = base;
    size_t most = 1;
    for (const char *p = text; *p != '\0'; p++) {
        most += *p == ',';
    }
    free(r->types);
    r->types = calloc(most, sizeof *r->types);
    if (r->types == NULL) {
        return &lull_enomem;
    }
    r->has_types = true;
    r->ntypes = 0;
    while (*text != '\0') {
        const size_t n = strcspn(text, ",");
        if (!lull_printf_type_parse(text, n, &r->types[r->ntypes])) {
            return lull_error_new(LULL_ERR_INVALID, "%s: no type '%.*s'", o->name,
                                  (int)(n < 40 ? n : 40), text);
        }
        r->ntypes++;
        text += n + (text[n] == ',');
    }
    return NULL;
}

// One operand: a dword, or several with spaces or commas between.
LULL_MUST_USE static struct lull_error *parse_dwords(void *base, const struct lull_opt *o,
                                                     const char *text)
{
    struct request *r = base;
    const char *p = text + strspn(text, " \t,");
    while (*p != '\0') {
        const size_t n = hex_size(&p);
        if (n == 0 || n > 8 || (p[n] != '\0' && strchr(" \t,", p[n]) == NULL)) {
            return lull_error_new(LULL_ERR_INVALID, "%s: '%s' is not a dword in hexadecimal",
                                  o->name, text);
        }
        uint32_t *more = realloc(r->dwords, (r->ndwords + 1) * sizeof *more);
        if (more == NULL) {
            return &lull_enomem;
        }
        r->dwords = more;
        r->dwords[r->ndwords] = 0;
        for (size_t i = 0; i < n; i++) {
            r->dwords[r->ndwords] = r->dwords[r->ndwords] << 4 | (uint32_t)hex_digit(p[i]);
        }
        r->ndwords++;
        p += n + strspn(p + n, " \t,");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *strings(void *base, const struct lull_opt *o,
                                                const char *value)
{
    struct request *r = base;
    (void)o;
    struct lull_error *err = r->table == NULL ? lull_printf_table_new(&r->table) : NULL;
    return err != NULL ? err : lull_cli_printf_strings(r->table, value);
}

static const struct lull_opt opts[] = {
    {"--mask64", NULL, "HEX", "bit n: scalar n has 64 bits, two dwords, the low one first",
     LULL_OPT_CALL, .call = parse_mask},
    {"--signed8", NULL, "HEX", "bit n: scalar n is a signed integer of 8 bits", LULL_OPT_CALL,
     .call = parse_signed8},
    {"--signed16", NULL, "HEX", "bit n: scalar n is a signed integer of 16 bits", LULL_OPT_CALL,
     .call = parse_signed16},
    {"--types", NULL, "LIST",
     "types of the arguments, which are then checked: i1 s8 u8 i16 i32 i64 f16 bf16 f32 f64 ptr "
     "str, vectors as f32x4, with commas between",
     LULL_OPT_CALL, .call = parse_types},
    {"--strings", NULL, "FILE", "where the literals of %s are", LULL_OPT_CALL, .call = strings,
     .flags = LULL_OPT_MANY},
    {"--json", NULL, NULL, "as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct request, json)},
    {"FORMAT", .kind = LULL_OPT_TEXT, LULL_OPT_AT(struct request, format),
     .flags = LULL_OPT_NEEDED},
    {"DWORD", .kind = LULL_OPT_CALL, .call = parse_dwords, .flags = LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *parse(const struct lull_form *form, struct request *r,
                                              int argc, char **argv)
{
    struct lull_error *err = lull_opt_parse(form, r, argc, argv);
    const bool masks = r->has_mask || r->signed8 != NULL || r->signed16 != NULL;
    return err == NULL && masks && r->has_types
               ? lull_error_new(
                     LULL_ERR_INVALID,
                     "--types says how wide arguments are, and their signs; no --mask64, "
                     "--signed8 or --signed16 then")
               : err;
}

static bool is_long(const struct lull_printf_conv *c)
{
    return c->ul || c->conversion == 'p' || c->conversion == 's' ||
           (c->length >= LULL_PRINTF_L && c->length != LULL_PRINTF_LONG_DOUBLE);
}

// Without a mask the dwords tell: if they are as many as the format's lengths (l, ll, p) ask for,
// and not as many as it has scalars, the lengths are meant.
LULL_MUST_USE static struct lull_error *guess_mask(struct request *r)
{
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t scalars = 0, wide = 0;
    const size_t size = strlen(r->format);
    int n = 0;
    for (size_t at = 0; (n = lull_printf_next(r->format, size, &at, &conv, &diag)) != 0;) {
        if (n > 0 && conv.conversion != '%') {
            scalars += conv.vector;
            wide += is_long(&conv) ? conv.vector : 0;
        }
    }
    if (r->ndwords == scalars || r->ndwords != scalars + wide) {
        return NULL;
    }
    r->nmask = (scalars + 63) / 64;
    r->mask = calloc(r->nmask + 1, sizeof *r->mask);
    if (r->mask == NULL) {
        return &lull_enomem;
    }
    size_t j = 0;
    for (size_t at = 0; (n = lull_printf_next(r->format, size, &at, &conv, &diag)) != 0;) {
        for (unsigned k = 0; n > 0 && conv.conversion != '%' && k < conv.vector; k++, j++) {
            r->mask[j / 64] |= (uint64_t)is_long(&conv) << j % 64;
        }
    }
    return NULL;
}

static const char *literal(const void *arg, uint64_t id, size_t *ret_size)
{
    const struct lull_printf_string *found = NULL;
    if (arg == NULL || lull_printf_table_find(arg, id, &found, 1) == 0) {
        return NULL;
    }
    *ret_size = found->size;
    return found->text;
}

static void show_diags(const struct lull_printf_diags *diags)
{
    for (size_t i = 0; i < diags->count; i++) {
        fprintf(stderr, "lull printf: %sbyte %zu: %s\n",
                diags->list[i].error ? "" : "warning: ", diags->list[i].offset,
                diags->list[i].message);
    }
}

static void show_json(const struct lull_str *text, bool good, const struct lull_printf_diags *diags,
                      struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    if (good) {
        lull_json_key(&j, "text");
        lull_json_bytes(&j, lull_str_text(text), text->size);
    }
    lull_json_key(&j, "diagnostics");
    lull_json_open(&j, '[');
    for (size_t i = 0; i < diags->count; i++) {
        lull_json_open(&j, '{');
        lull_json_put_bool(&j, "error", diags->list[i].error);
        lull_json_put_u64(&j, "offset", diags->list[i].offset);
        lull_json_put_str(&j, "message", diags->list[i].message);
        lull_json_close(&j, '}');
    }
    lull_json_close(&j, ']');
    lull_json_close(&j, '}');
    lull_str_add(out, "\n", 1);
}

LULL_MUST_USE static struct lull_error *show(const struct request *r, int *status)
{
    const size_t size = strlen(r->format);
    const struct lull_printf_payload payload = {.dwords = r->dwords,
                                                .ndwords = r->ndwords,
                                                .types = r->has_types ? r->types : NULL,
                                                .ntypes = r->ntypes,
                                                .mask64 = r->mask,
                                                .nmask = r->nmask,
                                                .signed8 = r->signed8,
                                                .nsigned8 = r->nsigned8,
                                                .signed16 = r->signed16,
                                                .nsigned16 = r->nsigned16,
                                                .literal = literal,
                                                .literal_arg = r->table};
    struct lull_printf_diags diags = {0};
    struct lull_str text = {0}, out = {0};
    const bool good =
        (r->has_types ? lull_printf_check(r->format, size, r->types, r->ntypes, &diags)
                      : lull_printf_check_format(r->format, size, &diags)) &&
        lull_printf_text(r->format, size, &payload, &text, &diags);
    if (r->json) {
        show_json(&text, good, &diags, &out);
    } else if (good) {
        lull_str_add(&out, lull_str_text(&text), text.size);
        if (text.size == 0 || text.text[text.size - 1] != '\n') {
            lull_str_add(&out, "\n", 1);
        }
    }
    struct lull_error *err = text.err != NULL ? text.err : out.err;
    if (err == NULL) {
        fwrite(lull_str_text(&out), 1, out.size, stdout);
        if (!r->json) {
            show_diags(&diags);
        }
        *status = good ? LULL_EXIT_CLEAN : LULL_EXIT_FINDINGS;
    }
    lull_str_free(&text);
    lull_str_free(&out);
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct request r = {0};
    struct lull_error *err = parse(form, &r, argc, argv);
    if (err == NULL && !r.has_mask && !r.has_types) {
        err = guess_mask(&r);
    }
    if (err == NULL) {
        if (r.table != NULL) {
            lull_cli_printf_warnings(r.table, 0);
        }
        err = show(&r, status);
    }
    free(r.dwords);
    free(r.mask);
    free(r.signed8);
    free(r.signed16);
    free(r.types);
    lull_printf_table_free(r.table);
    return err;
}

const struct lull_form lull_cli_printf_format = {
    .word = "format",
    .about = "format: the text of one payload, given as hexadecimal dwords. A FORMAT that begins "
             "with two dashes and a letter stands behind --.",
    .groups = groups,
    .flags = LULL_FORM_DASHES,
    .after = "  lull printf format 'v = %v2f' 3f99999a 400ccccd",
    .run = run,
};
