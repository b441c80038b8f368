// SPDX-License-Identifier: MIT
// "@localsize 32, 1, 1" and its kin: what a shader needs around its code.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/asm.h"

/**
 * What follows the name: 'r' "(r0.x)", 'c' "(c0.x)", 'b' one of them, 'C' "(c0.x)" or nothing, 'v'
 * a value, 's' values apart by commas or none, 'n' a name, 'm' "(name=value)" or nothing, 'k'
 * "name=value" apart by commas, and ',' as it is.
 *
 * Source: Mesa 25.0.7, src/freedreno/ir3/ir3_parser.y (headers) and ir3_shader.c (listings).
 */
static const struct form {
    const char *name, *form;
} forms[] = {
    {"branchstack", "v"}, {"buf", "vCs"},        {"const", "cv,v,v,v"}, {"earlypreamble", ""},
    {"in", "rnm"},        {"invocationid", "r"}, {"localmem", "v"},     {"localsize", "v,v,v"},
    {"numwg", "c"},       {"out", "rnm"},        {"pvtmem", "v"},       {"tex", "rk"},
    {"ubo", "vs"},        {"wgid", "b"},
};

struct reader {
    const char *at;
    struct lull_ir3_header *h;
    size_t room;
};

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at)) {
        r->at++;
    }
}

static bool take(struct reader *r, char c)
{
    blanks(r);
    const bool is = *r->at == c;
    r->at += is;
    return is;
}

static bool name(struct reader *r)
{
    blanks(r);
    const size_t size = lull_ir3_word(r->at, false);
    r->at += size;
    return size != 0;
}

/** Does something in parentheses follow that begins as @p what does: a header's, or flags of code?
 */
static bool follows(struct reader *r, char what)
{
    struct reader ahead = *r;
    if (!take(&ahead, '(')) {
        return false;
    }
    blanks(&ahead);
    return what == 'C' ? *ahead.at == 'c' && isdigit((unsigned char)ahead.at[1])
                       : name(&ahead) && take(&ahead, '=');
}

/** "(hr1.x)", "(c4.x)". */
static bool reg(struct reader *r, const char *kinds)
{
    static const char components[] = "xyzw";
    if (!take(r, '(')) {
        return false;
    }
    blanks(r);
    r->h->half = *r->at == 'h';
    r->at += r->h->half;
    if (*r->at == '\0' || strchr(kinds, *r->at) == NULL || !isdigit((unsigned char)r->at[1])) {
        return false;
    }
    r->h->kind = *r->at == 'c' ? LULL_IR3_CONST : LULL_IR3_GPR;
    char *end = NULL;
    const unsigned long n = strtoul(r->at + 1, &end, 10);
    const char *component = *end == '.' && end[1] != '\0' ? strchr(components, end[1]) : NULL;
    if (component == NULL || n > (r->h->kind == LULL_IR3_CONST ? 511 : 63)) {
        return false;
    }
    r->h->reg = (unsigned)n * 4 + (unsigned)(component - components);
    r->at = end + 2;
    return take(r, ')');
}

/** A number: decimal, 0x, or with a point; a name counts as 0 where @p names. */
LULL_MUST_USE static struct lull_error *value(struct reader *r, bool names, bool *ok)
{
    blanks(r);
    char *end = NULL;
    const char *digits = r->at + (*r->at == '-');
    const size_t whole = strspn(digits, "0123456789");
    uint32_t v = 0;
    *ok = false;
    if (names && name(r)) {
        end = (char *)r->at;
    } else if (whole == 0) {
        return NULL;
    } else if (digits[whole] == '.') {
        const float f = strtof(r->at, &end);
        memcpy(&v, &f, sizeof v);
    } else {
        const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
        const long long wide = strtoll(r->at, &end, hex ? 16 : 10);
        if (wide > UINT32_MAX || wide < INT32_MIN) {
            return NULL;
        }
        v = (uint32_t)wide;
    }
    r->at = end;
    *ok = true;
    struct lull_error *err =
        lull_ir3_grow(&r->h->values, r->h->nvalues, &r->room, sizeof *r->h->values);
    if (err == NULL) {
        r->h->values[r->h->nvalues++] = v;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *pair(struct reader *r, bool *ok)
{
    *ok = name(r) && take(r, '=');
    return *ok ? value(r, true, ok) : NULL;
}

/** Values or pairs apart by commas. */
LULL_MUST_USE static struct lull_error *list(struct reader *r, bool pairs, bool *ok)
{
    struct lull_error *err = NULL;
    *ok = true;
    for (bool more = true; err == NULL && *ok && more;) {
        err = pairs ? pair(r, ok) : value(r, false, ok);
        more = *ok && take(r, ',');
        blanks(r);
        more = more && (pairs || *r->at == '-' || isdigit((unsigned char)*r->at));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *one(struct reader *r, char what, bool *ok)
{
    blanks(r);
    const char c = *r->at;
    switch (what) {
    case 'v':
        return value(r, false, ok);
    case 's':
        *ok = true;
        return isdigit((unsigned char)c) || c == '-' ? list(r, false, ok) : NULL;
    case 'k':
        return list(r, true, ok);
    case 'm':
        *ok = true;
        if (follows(r, 'm')) {
            (void)take(r, '(');
            struct lull_error *err = pair(r, ok);
            *ok = *ok && take(r, ')');
            return err;
        }
        return NULL;
    case 'n':
        *ok = name(r);
        return NULL;
    case ',':
        *ok = take(r, ',');
        return NULL;
    default:
        *ok = (what == 'C' && !follows(r, 'C')) || reg(r, what == 'r'   ? "r"
                                                          : what == 'b' ? "rc"
                                                                        : "c");
        return NULL;
    }
}

struct lull_error *lull_ir3_header_read(const char *at, struct lull_ir3_header *ret,
                                        size_t *ret_used)
{
    const size_t size = lull_ir3_word(at + 1, false);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strlen(forms[i].name) != size || memcmp(forms[i].name, at + 1, size) != 0) {
            continue;
        }
        struct lull_ir3_header h = {.name = forms[i].name};
        struct reader r = {.at = at + 1 + size, .h = &h};
        bool ok = true;
        struct lull_error *err = NULL;
        for (const char *f = forms[i].form; err == NULL && ok && *f != '\0'; f++) {
            err = one(&r, *f, &ok);
        }
        if (err == NULL && !ok) {
            err = lull_error_new(LULL_ERR_INVALID, "header @%s does not go on so: '%.*s'", h.name,
                                 (int)strcspn(r.at, "\n"), r.at);
        }
        if (err != NULL) {
            free(h.values);
            return err;
        }
        *ret = h;
        *ret_used = (size_t)(r.at - at);
        return NULL;
    }
    return lull_error_new(LULL_ERR_INVALID, "there is no header @%.*s", (int)size, at + 1);
}
