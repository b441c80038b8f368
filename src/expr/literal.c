// SPDX-License-Identifier: MIT
// Numbers, characters and names of types, as C writes them. Source: ISO C17, 6.4.4, 6.7.2.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "expr/tree.h"

enum { NUMBER_ROOM = 400 };

static const struct {
    const char *name;
    enum lull_ctype_kind kind;
    uint8_t bits;
} types[] = {
    {"u8", LULL_CTYPE_UNSIGNED, 8},        {"u16", LULL_CTYPE_UNSIGNED, 16},
    {"u32", LULL_CTYPE_UNSIGNED, 32},      {"u64", LULL_CTYPE_UNSIGNED, 64},
    {"i8", LULL_CTYPE_SIGNED, 8},          {"i16", LULL_CTYPE_SIGNED, 16},
    {"i32", LULL_CTYPE_SIGNED, 32},        {"i64", LULL_CTYPE_SIGNED, 64},
    {"f16", LULL_CTYPE_FLOAT, 16},         {"f32", LULL_CTYPE_FLOAT, 32},
    {"f64", LULL_CTYPE_FLOAT, 64},         {"half", LULL_CTYPE_FLOAT, 16},
    {"float", LULL_CTYPE_FLOAT, 32},       {"double", LULL_CTYPE_FLOAT, 64},
    {"uchar", LULL_CTYPE_UNSIGNED, 8},     {"ushort", LULL_CTYPE_UNSIGNED, 16},
    {"uint", LULL_CTYPE_UNSIGNED, 32},     {"ulong", LULL_CTYPE_UNSIGNED, 64},
    {"uint8_t", LULL_CTYPE_UNSIGNED, 8},   {"uint16_t", LULL_CTYPE_UNSIGNED, 16},
    {"uint32_t", LULL_CTYPE_UNSIGNED, 32}, {"uint64_t", LULL_CTYPE_UNSIGNED, 64},
    {"int8_t", LULL_CTYPE_SIGNED, 8},      {"int16_t", LULL_CTYPE_SIGNED, 16},
    {"int32_t", LULL_CTYPE_SIGNED, 32},    {"int64_t", LULL_CTYPE_SIGNED, 64},
    {"size_t", LULL_CTYPE_UNSIGNED, 64},   {"void", LULL_CTYPE_VOID, 0},
};

bool lull_ctype_find(const char *name, size_t length, struct lull_ctype *ret)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0) {
            *ret = (struct lull_ctype){.kind = types[i].kind, .bits = types[i].bits};
            return true;
        }
    }
    return false;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

static size_t word_at(const char *at)
{
    size_t n = 0;
    while (isalpha((unsigned char)at[n]) || at[n] == '_' ||
           (n > 0 && isdigit((unsigned char)at[n]))) {
        n++;
    }
    return n;
}

static bool is_word(const char *at, size_t n, const char *word)
{
    return strlen(word) == n && strncmp(at, word, n) == 0;
}

/** Words of C's own types, in any order. */
struct specifiers {
    unsigned chars, shorts, ints, longs, is_signed, is_unsigned;
    bool lds;
    bool named; ///< type is one of the table.
    struct lull_ctype type;
};

/* One word; false if it is none of a type. */
static bool take_word(struct specifiers *s, const char *at, size_t n)
{
    const struct {
        const char *word;
        unsigned *count;
    } words[] = {{"char", &s->chars}, {"short", &s->shorts},     {"int", &s->ints},
                 {"long", &s->longs}, {"signed", &s->is_signed}, {"unsigned", &s->is_unsigned}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is_word(at, n, words[i].word)) {
            ++*words[i].count;
            return true;
        }
    }
    if (is_word(at, n, "local")) {
        s->lds = true;
        return true;
    }
    if (is_word(at, n, "const") || is_word(at, n, "volatile") || is_word(at, n, "global")) {
        return true;
    }
    const bool first = !s->named && lull_ctype_find(at, n, &s->type);
    s->named = s->named || first;
    return first;
}

static bool make_type(const struct specifiers *s, struct lull_ctype *ret)
{
    const unsigned sizes = s->chars + s->shorts + (s->longs != 0);
    const unsigned words = sizes + s->ints + s->is_signed + s->is_unsigned;
    *ret = s->type;
    ret->lds = s->lds;
    if (s->named) {
        return words == 0;
    }
    ret->kind = s->is_unsigned != 0 ? LULL_CTYPE_UNSIGNED : LULL_CTYPE_SIGNED;
    ret->bits = s->chars != 0 ? 8 : s->shorts != 0 ? 16 : s->longs != 0 ? 64 : 32;
    return words != 0 && sizes <= 1 && s->longs <= 2 && s->ints <= 1 &&
           s->is_signed + s->is_unsigned <= 1 && !(s->chars != 0 && s->ints != 0);
}

bool lull_ctype_parse(const char **at, struct lull_ctype *ret)
{
    struct specifiers s = {0};
    const char *p = skip_space(*at);
    size_t n = 0;
    while ((n = word_at(p)) != 0 && take_word(&s, p, n)) {
        p = skip_space(p + n);
    }
    if (n != 0 || !make_type(&s, ret)) {
        return false;
    }
    while (*p == '*' && ret->stars < UINT8_MAX) {
        ret->stars++;
        p = skip_space(p + 1);
    }
    if (ret->stars == 0 && (ret->kind == LULL_CTYPE_VOID || ret->lds)) {
        return false;
    }
    *at = p;
    return true;
}

/** How an integer was written. */
struct suffix {
    bool is_unsigned, is_long;
};

/* "u", "ul", "LLU" ...: nothing else may follow. */
static bool integer_suffix(const char *at, struct suffix *ret)
{
    static const char *const all[] = {"", "u", "l", "ul", "lu", "ll", "ull", "llu"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcasecmp(at, all[i]) == 0) {
            ret->is_unsigned = strchr(all[i], 'u') != NULL;
            ret->is_long = strchr(all[i], 'l') != NULL;
            return strstr(at, "lL") == NULL && strstr(at, "Ll") == NULL;
        }
    }
    return false;
}

/* The first of int, unsigned, long, unsigned long that holds it; decimal ones without u are signed
 * as long as they can be. */
static struct lull_ctype integer_type(uint64_t v, bool decimal, struct suffix s)
{
    struct lull_ctype t = {.kind = LULL_CTYPE_SIGNED, .bits = 32};
    const bool fits_u32 = v <= UINT32_MAX && !s.is_long && (s.is_unsigned || !decimal);
    t.bits = fits_u32 || (v <= INT32_MAX && !s.is_long) ? 32 : 64;
    const uint64_t most = t.bits == 32 ? INT32_MAX : INT64_MAX;
    t.kind = s.is_unsigned || v > most ? LULL_CTYPE_UNSIGNED : LULL_CTYPE_SIGNED;
    return t;
}

static const char *integer(const char *text, struct lull_ctype *ret_type, uint64_t *ret)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    const int base = hex ? 16 : binary ? 2 : text[0] == '0' ? 8 : 10;
    const char *digits = text + (hex || binary ? 2 : 0);
    char *end = NULL;
    struct suffix suffix = {0};
    errno = 0;
    *ret = isalnum((unsigned char)*digits) ? strtoull(digits, &end, base) : 0;
    if (end == NULL || end == digits || !integer_suffix(end, &suffix)) {
        return "not a number";
    }
    if (errno == ERANGE) {
        return "number out of range";
    }
    *ret_type = integer_type(*ret, base == 10, suffix);
    return NULL;
}

static const char *real(const char *text, struct lull_ctype *ret_type, uint64_t *ret)
{
    char *end = NULL;
    const double wide = strtod(text, &end);
    const bool f16 = strcmp(end, "f16") == 0;
    const bool f32 = strcmp(end, "f") == 0 || strcmp(end, "F") == 0;
    if (*end != '\0' && !f16 && !f32) {
        return "not a number";
    }
    const float narrow = f32 ? strtof(text, &end) : 0;
    uint32_t word = 0;
    memcpy(ret, &wide, sizeof *ret);
    if (f32) {
        memcpy(&word, &narrow, sizeof word);
        *ret = word;
    } else if (f16) {
        *ret = lull_half_of(wide);
    }
    *ret_type = (struct lull_ctype){.kind = LULL_CTYPE_FLOAT, .bits = f16 ? 16 : f32 ? 32 : 64};
    const bool infinite =
        isinf(wide) || isinf(narrow) || (f16 && isinf(lull_half_value((uint16_t)*ret)));
    return infinite ? "number out of range" : NULL;
}

const char *lull_expr_number(const char **at, struct lull_ctype *ret_type, uint64_t *ret)
{
    const char *p = *at;
    const bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
    char text[NUMBER_ROOM] = {0};
    bool is_real = false;
    size_t n = 0;
    for (; n + 1 < sizeof text && (isalnum((unsigned char)p[n]) || p[n] == '.' || p[n] == '_');
         n++) {
        const bool exponent = hex ? p[n] == 'p' || p[n] == 'P' : p[n] == 'e' || p[n] == 'E';
        is_real = is_real || exponent || p[n] == '.';
        text[n] = p[n];
        if (exponent && (p[n + 1] == '+' || p[n + 1] == '-') && n + 2 < sizeof text) {
            n++;
            text[n] = p[n];
        }
    }
    if (n + 1 == sizeof text) {
        return "number too long";
    }
    const char *wrong = is_real ? real(text, ret_type, ret) : integer(text, ret_type, ret);
    *at += wrong == NULL ? n : 0;
    return wrong;
}

static bool escape(const char **at, unsigned *ret)
{
    static const char letters[] = "abfnrtv\\'\"?";
    static const char values[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *p = *at;
    char *end = NULL;
    if (*p == 'x' && isxdigit((unsigned char)p[1])) {
        const unsigned long v = strtoul(p + 1, &end, 16);
        *ret = (unsigned)v;
        *at = end;
        return v <= UINT8_MAX;
    }
    if (*p >= '0' && *p <= '7') {
        *ret = 0;
        for (unsigned i = 0; i < 3 && *p >= '0' && *p <= '7'; i++) {
            *ret = *ret * 8 + (unsigned)(*p++ - '0');
        }
        *at = p;
        return *ret <= UINT8_MAX;
    }
    const char *letter = *p != '\0' ? strchr(letters, *p) : NULL;
    *ret = letter != NULL ? (unsigned char)values[letter - letters] : 0;
    *at = p + 1;
    return letter != NULL;
}

const char *lull_expr_character(const char **at, uint64_t *ret)
{
    const char *p = *at + 1;
    unsigned c = (unsigned char)*p;
    bool good = c != '\'' && c != '\0' && c < 0x80;
    if (*p == '\\') {
        p++;
        good = escape(&p, &c);
    } else {
        p++;
    }
    if (!good || *p != '\'') {
        return "not a character";
    }
    *ret = (uint32_t)(int32_t)(int8_t)c; // a char is signed, and the literal an int
    *at = p + 1;
    return NULL;
}
