// SPDX-License-Identifier: MIT
// Values as people read them: numbers by their types, variables as `info locals` writes them.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"

enum number_kind { HEX, SIGNED, UNSIGNED, FLOAT, DOUBLE, BOOL };

static const struct {
    const char *type;
    enum number_kind kind;
    unsigned bits;
} kinds[] = {
    {"int", SIGNED, 32},
    {"uint", UNSIGNED, 32},
    {"float", FLOAT, 32},
    {"double", DOUBLE, 64},
    {"bool", BOOL, 8},
    {"char", SIGNED, 8},
    {"uchar", UNSIGNED, 8},
    {"short", SIGNED, 16},
    {"ushort", UNSIGNED, 16},
    {"long", SIGNED, 64},
    {"ulong", UNSIGNED, 64},
    {"size_t", UNSIGNED, 64},
    {"unsigned int", UNSIGNED, 32},
    {"unsigned char", UNSIGNED, 8},
    {"unsigned short", UNSIGNED, 16},
    {"unsigned long", UNSIGNED, 64},
    {"i32", SIGNED, 32},
    {"i64", SIGNED, 64},
    {"f32", FLOAT, 32},
    {"f64", DOUBLE, 64},
};

bool lull_dap_is_typed(const char *type)
{
    return type != NULL && !(strchr("iuf", type[0]) != NULL && isdigit((unsigned char)type[1]));
}

void lull_dap_value_text(const char *type, const char *hex, struct lull_str *out)
{
    size_t i = 0;
    const size_t n = sizeof kinds / sizeof kinds[0];
    char *end = NULL;
    const uint64_t bits = strtoull(hex, &end, 16);
    if (type != NULL && strncmp(type, "const ", 6) == 0) {
        type += 6;
    }
    while (type != NULL && i < n && strcmp(kinds[i].type, type) != 0) {
        i++;
    }
    const bool known = type != NULL && i < n && end != hex && *end == '\0';
    const enum number_kind kind = known ? kinds[i].kind : HEX;
    if (kind == SIGNED) {
        const unsigned unused = 64 - kinds[i].bits;
        lull_str_addf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else if (kind == UNSIGNED) {
        lull_str_addf(out, "%" PRIu64, bits);
    } else if (kind == FLOAT) {
        const uint32_t low = (uint32_t)bits;
        float f = 0;
        memcpy(&f, &low, sizeof f);
        lull_str_addf(out, "%.9g", (double)f);
    } else if (kind == DOUBLE) {
        double d = 0;
        memcpy(&d, &bits, sizeof d);
        lull_str_addf(out, "%.17g", d);
    } else if (kind == BOOL) {
        lull_str_addf(out, "%s", bits != 0 ? "true" : "false");
    } else {
        lull_str_addf(out, "%s", hex);
    }
}

/** Where the line "NAME = " of @p text begins; NULL: nowhere. */
static const char *line_of(const char *text, const char *name)
{
    const size_t size = strlen(name);
    while (text != NULL &&
           (strncmp(text, name, size) != 0 || strncmp(text + size, " = ", 3) != 0)) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

static void set_text(json_t *v, const char *from, const char *to)
{
    while (to > from && to[-1] == '\n') {
        to--;
    }
    json_object_set_new(v, "text", json_stringn(from, (size_t)(to - from)));
}

void lull_dap_add_texts(json_t *variables, const char *text)
{
    const char *at = text;
    for (size_t i = 0; at != NULL && i < json_array_size(variables); i++) {
        json_t *v = json_array_get(variables, i);
        const char *name = lull_dap_text(v, "name");
        const char *next = lull_dap_text(json_array_get(variables, i + 1), "name");
        const char *line = name != NULL ? line_of(at, name) : NULL;
        const char *end = line != NULL && next != NULL ? line_of(line, next) : NULL;
        const json_t *later = json_object_get(v, "set_at_line");
        if (later != NULL) { // As `info locals` has it.
            json_object_set_new(v, "error",
                                json_sprintf("not set before line %" JSON_INTEGER_FORMAT,
                                             json_integer_value(later)));
        } else if (line != NULL && lull_dap_is_typed(lull_dap_text(v, "type"))) {
            set_text(v, line + strlen(name) + 3, end != NULL ? end : line + strlen(line));
        }
        at = line != NULL ? line : at;
    }
}

void lull_dap_own_text(json_t *said, const char *expression)
{
    const char *text = lull_dap_text(said, "text");
    const size_t size = strlen(expression);
    const bool own =
        text != NULL && strncmp(text, expression, size) == 0 && strncmp(text + size, " = ", 3) == 0;
    lull_cleanup(lull_freep) char *copy = own ? strdup(text + size + 3) : NULL;
    if (copy != NULL && *copy != '\n') {
        set_text(said, copy, copy + strlen(copy));
    } else {
        json_object_del(said, "text");
    }
}
