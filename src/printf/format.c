// SPDX-License-Identifier: MIT
#include "printf/format.h"

#include <stdio.h>
#include <string.h>

#include "printf/format_priv.h"

struct scalar_info {
    const char *name; // with i for a sign that is not known
    unsigned dwords;
};

static const struct scalar_info scalars[LULL_PRINTF_NSCALARS] = {
    [LULL_PRINTF_I1] = {"i1", 1},       [LULL_PRINTF_I8] = {"i8", 1},
    [LULL_PRINTF_I16] = {"i16", 1},     [LULL_PRINTF_I32] = {"i32", 1},
    [LULL_PRINTF_I64] = {"i64", 2},     [LULL_PRINTF_HALF] = {"f16", 1},
    [LULL_PRINTF_BFLOAT] = {"bf16", 1}, [LULL_PRINTF_FLOAT] = {"f32", 1},
    [LULL_PRINTF_DOUBLE] = {"f64", 2},  [LULL_PRINTF_POINTER] = {"ptr", 2},
    [LULL_PRINTF_STRING] = {"str", 2},
};

unsigned lull_printf_scalar_dwords(enum lull_printf_scalar scalar)
{
    return scalars[scalar].dwords;
}

static bool has_sign(enum lull_printf_scalar scalar)
{
    return scalar >= LULL_PRINTF_I8 && scalar <= LULL_PRINTF_I64;
}

void lull_printf_type_name(struct lull_str *to, const struct lull_printf_type *type)
{
    const char *name = scalars[type->scalar].name;
    if (has_sign(type->scalar) && type->sign != LULL_PRINTF_SIGN_UNKNOWN) {
        lull_str_addf(to, "%c%s", type->sign == LULL_PRINTF_SIGNED ? 's' : 'u', name + 1);
    } else {
        lull_str_addf(to, "%s", name);
    }
    if (type->count != 1) {
        lull_str_addf(to, "x%u", type->count);
    }
}

// A decimal number at *at, up to most; more is most + 1. False: no digit there.
static bool take_number(const char *text, size_t size, size_t *at, unsigned most, unsigned *ret)
{
    unsigned n = 0;
    const size_t start = *at;
    while (*at < size && text[*at] >= '0' && text[*at] <= '9') {
        n = 10 * n + (unsigned)(text[*at] - '0');
        n = n > most ? most + 1 : n;
        ++*at;
    }
    *ret = n;
    return *at > start;
}

bool lull_printf_type_parse(const char *text, size_t size, struct lull_printf_type *ret)
{
    const char *times = memchr(text, 'x', size);
    const size_t name = times != NULL ? (size_t)(times - text) : size;
    struct lull_printf_type type = {.count = 1};
    if (times != NULL) {
        size_t at = name + 1;
        if (!take_number(text, size, &at, LULL_PRINTF_MAX_DWORDS, &type.count) || at != size ||
            type.count == 0 || type.count > LULL_PRINTF_MAX_DWORDS) {
            return false;
        }
    }
    for (unsigned i = 0; i < LULL_PRINTF_NSCALARS; i++) {
        type.scalar = (enum lull_printf_scalar)i;
        const char *want = scalars[i].name;
        if (name == 0 || name != strlen(want) || memcmp(text + 1, want + 1, name - 1) != 0) {
            continue;
        }
        type.sign = text[0] == 's'   ? LULL_PRINTF_SIGNED
                    : text[0] == 'u' ? LULL_PRINTF_UNSIGNED
                                     : LULL_PRINTF_SIGN_UNKNOWN;
        if (text[0] == want[0] ||
            (has_sign(type.scalar) && type.sign != LULL_PRINTF_SIGN_UNKNOWN)) {
            *ret = type;
            return true;
        }
    }
    return false;
}

// The format being read, and where.
struct scan {
    const char *text;
    size_t size, at;
};

static int peek(const struct scan *s)
{
    return s->at < s->size ? (unsigned char)s->text[s->at] : -1;
}

static bool accept(struct scan *s, char c)
{
    if (peek(s) != (unsigned char)c) {
        return false;
    }
    s->at++;
    return true;
}

// Words for the byte that stands where a conversion should.
static void spell(int c, char *buf, size_t size)
{
    if (c < 0) {
        snprintf(buf, size, "the end");
    } else if (c > ' ' && c < 0x7f) {
        snprintf(buf, size, "'%c'", c);
    } else {
        snprintf(buf, size, "byte 0x%02x", (unsigned)c);
    }
}

static bool fail(struct lull_printf_diag *diag, size_t offset, const char *message)
{
    *diag = (struct lull_printf_diag){.error = true, .offset = offset};
    snprintf(diag->message, sizeof diag->message, "%s", message);
    return false;
}

static void take_flags(struct scan *s, struct lull_printf_conv *ret)
{
    static const char flags[] = "-+ #0";
    for (int c = peek(s); c > 0 && strchr(flags, c) != NULL; c = peek(s)) {
        ret->flags |= (uint8_t)(1u << (strchr(flags, c) - flags));
        s->at++;
    }
}

static bool take_width(struct scan *s, struct lull_printf_conv *ret, struct lull_printf_diag *diag)
{
    unsigned n = 0;
    if (take_number(s->text, s->size, &s->at, LULL_PRINTF_MAX_WIDTH, &n)) {
        if (peek(s) == '$') {
            return fail(diag, s->at, "numbered arguments ('$') are not supported");
        }
        if (n > LULL_PRINTF_MAX_WIDTH) {
            return fail(diag, ret->offset, "the width is more than 65535");
        }
        ret->width = (int)n;
    }
    if (accept(s, '.')) {
        take_number(s->text, s->size, &s->at, LULL_PRINTF_MAX_WIDTH, &n);
        if (n > LULL_PRINTF_MAX_WIDTH) {
            return fail(diag, ret->offset, "the precision is more than 65535");
        }
        ret->precision = s->text[s->at - 1] == '.' ? 0 : (int)n;
    }
    if (peek(s) == '*') {
        return fail(diag, s->at,
                    "'*' takes an argument for width or precision, which shaders cannot");
    }
    return true;
}

static bool take_vector(struct scan *s, struct lull_printf_conv *ret, struct lull_printf_diag *diag)
{
    if (!accept(s, 'v')) {
        return true;
    }
    unsigned n = 0;
    if (!take_number(s->text, s->size, &s->at, 99, &n)) {
        return fail(diag, s->at, "'v' needs the number of components: 2, 3, 4, 8 or 16");
    }
    if (n != 2 && n != 3 && n != 4 && n != 8 && n != 16) {
        return fail(diag, s->at - 1, "vectors have 2, 3, 4, 8 or 16 components");
    }
    ret->vector = n;
    return true;
}

static enum lull_printf_length take_length(struct scan *s)
{
    if (accept(s, 'h')) {
        return accept(s, 'h') ? LULL_PRINTF_HH : accept(s, 'l') ? LULL_PRINTF_HL : LULL_PRINTF_H;
    }
    if (accept(s, 'l')) {
        return accept(s, 'l') ? LULL_PRINTF_LL : LULL_PRINTF_L;
    }
    return accept(s, 'j')   ? LULL_PRINTF_J
           : accept(s, 'z') ? LULL_PRINTF_Z
           : accept(s, 't') ? LULL_PRINTF_T
           : accept(s, 'L') ? LULL_PRINTF_LONG_DOUBLE
                            : LULL_PRINTF_NO_LENGTH;
}

bool lull_printf_is_float(char conversion)
{
    return memchr("fFeEgGaA", conversion, 8) != NULL;
}

static bool take_conversion(struct scan *s, struct lull_printf_conv *ret,
                            struct lull_printf_diag *diag)
{
    char text[32], message[128];
    const int c = peek(s);
    if (c <= 0 || strchr("diouxXfFeEgGaAcsp%", c) == NULL) {
        spell(c, text, sizeof text);
        snprintf(message, sizeof message, "%s is not a conversion%s%s", text,
                 c == 'n' || c == 'C' || c == 'S' ? " of shaders" : "",
                 s->at == ret->offset + 1 || c == ' ' ? "; a percent sign is written '%%'" : "");
        return fail(diag, s->at, message);
    }
    if (c == '%' && s->at != ret->offset + 1) {
        return fail(diag, s->at, "a percent sign is written '%%', with nothing between");
    }
    s->at++;
    ret->conversion = (char)c;
    const bool no_vector = strchr("csp%", c) != NULL;
    if (no_vector && ret->vector != 1) {
        snprintf(message, sizeof message, "'%c' has no vector form", c);
        return fail(diag, s->at - 1, message);
    }
    if ((c == 's' || c == 'p' || c == 'c') && ret->length != LULL_PRINTF_NO_LENGTH) {
        snprintf(message, sizeof message, "'%c' takes no length", c);
        return fail(diag, s->at - 1, message);
    }
    if (!no_vector && ret->length == LULL_PRINTF_LONG_DOUBLE && !lull_printf_is_float((char)c)) {
        ret->length = LULL_PRINTF_LL; // as the C libraries of Linux have it
    }
    ret->ul = c == 'u' && ret->length == LULL_PRINTF_NO_LENGTH && accept(s, 'l');
    return true;
}

// Just '%' and a letter, as nearly all are: "%ul" is more than that.
static bool is_bare(const char *percent, size_t left)
{
    return left >= 2 && percent[1] != '\0' && strchr("dixXfcsu", percent[1]) != NULL &&
           !(percent[1] == 'u' && left > 2 && percent[2] == 'l');
}

int lull_printf_next(const char *format, size_t size, size_t *at, struct lull_printf_conv *ret,
                     struct lull_printf_diag *diag)
{
    const char *percent = *at < size ? memchr(format + *at, '%', size - *at) : NULL;
    if (percent == NULL) {
        *at = size;
        return 0;
    }
    struct scan s = {.text = format, .size = size, .at = (size_t)(percent - format) + 1};
    *ret = (struct lull_printf_conv){.offset = s.at - 1, .width = -1, .precision = -1, .vector = 1};
    if (is_bare(percent, size - ret->offset)) {
        ret->conversion = percent[1];
        ret->size = 2;
        *at = ret->offset + 2;
        return 1;
    }
    take_flags(&s, ret);
    bool good = take_width(&s, ret, diag);
    if (good) {
        ret->length = take_length(&s); // before or behind the vector: the layer takes both
        good = take_vector(&s, ret, diag);
    }
    if (good) {
        ret->length = ret->length == LULL_PRINTF_NO_LENGTH ? take_length(&s) : ret->length;
        good = take_conversion(&s, ret, diag);
    }
    *at = s.at;
    ret->size = s.at - ret->offset;
    return good ? 1 : -1;
}
