// SPDX-License-Identifier: MIT
// Formats compared with the arguments of a call.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "printf/format.h"
#include "printf/format_priv.h"

void lull_printf_complain(struct lull_printf_diags *ret, bool error, size_t offset, const char *fmt,
                          ...)
{
    const size_t room = sizeof ret->list / sizeof ret->list[0];
    ret->errors += error;
    if (ret->count == room && error && ret->errors == 1) {
        ret->count--; // the first error is worth more than the last warning
    }
    if (ret->count < room) {
        struct lull_printf_diag *d = &ret->list[ret->count++];
        va_list args;
        va_start(args, fmt);
        *d = (struct lull_printf_diag){.error = error, .offset = offset};
        vsnprintf(d->message, sizeof d->message, fmt, args);
        va_end(args);
    }
}

// A check under way.
struct check {
    const char *format;
    const struct lull_printf_conv *conv;
    const struct lull_printf_type *type;
    size_t argument; // from 1
    struct lull_printf_diags *ret;
};

static bool is_real(enum lull_printf_scalar scalar)
{
    return scalar >= LULL_PRINTF_HALF && scalar <= LULL_PRINTF_DOUBLE;
}

static int shown(const struct check *c)
{
    return c->conv->size < 24 ? (int)c->conv->size : 24;
}

static void error(const struct check *c, const char *what)
{
    lull_printf_complain(c->ret, true, c->conv->offset, "'%.*s': argument %zu %s", shown(c),
                         c->format + c->conv->offset, c->argument, what);
}

static void warn(const struct check *c, const char *what)
{
    lull_printf_complain(c->ret, false, c->conv->offset, "'%.*s': argument %zu %s", shown(c),
                         c->format + c->conv->offset, c->argument, what);
}

static bool long_conversion(const struct lull_printf_conv *conv)
{
    return conv->ul || conv->length == LULL_PRINTF_L || conv->length == LULL_PRINTF_LL ||
           conv->length == LULL_PRINTF_J || conv->length == LULL_PRINTF_Z ||
           conv->length == LULL_PRINTF_T;
}

static void check_count(const struct check *c)
{
    const unsigned want = c->conv->vector;
    const uint32_t got = c->type->count;
    if (want == 1 && got > 1) {
        error(c, "is a vector; write 'v' and its size");
    } else if (want > 1 && got == 1) {
        error(c, "is not a vector");
    } else if (want != got) {
        char what[64] = "";
        snprintf(what, sizeof what, "has %u components, the conversion %u", got, want);
        warn(c, what);
    }
}

static void check_width(const struct check *c)
{
    const bool wide = c->type->scalar == LULL_PRINTF_I64;
    if (wide && !long_conversion(c->conv)) {
        warn(c, "has 64 bits; write 'l' before the conversion");
    } else if (!wide && c->conv->ul) {
        warn(c, "has 32 bits or less: this prints '%u' and the letter l");
    } else if (!wide && long_conversion(c->conv)) {
        warn(c, "has 32 bits or less, the conversion 64");
    }
}

static void check_argument(const struct check *c)
{
    const enum lull_printf_scalar scalar = c->type->scalar;
    const char conversion = c->conv->conversion;
    if ((conversion == 's') != (scalar == LULL_PRINTF_STRING)) {
        error(c, conversion == 's' ? "is not a literal string" : "is a string; write '%s'");
    } else if (conversion == 'p' && scalar != LULL_PRINTF_POINTER) {
        error(c, "is not a pointer");
    } else if (conversion != 'p' && scalar == LULL_PRINTF_POINTER) {
        // Its bits in an integer of 64 are what was meant.
        if (long_conversion(c->conv)) {
            warn(c, "is a pointer; write '%p'");
        } else {
            error(c, "is a pointer; write '%p'");
        }
    } else if (lull_printf_is_float(conversion) && !is_real(scalar)) {
        warn(c, "is an integer, the conversion is for floating point");
    } else if (!lull_printf_is_float(conversion) && is_real(scalar)) {
        warn(c, "is floating point, the conversion is for integers");
    } else if (conversion != 'c' && strchr("diouxX", conversion) != NULL) {
        check_width(c);
    }
    check_count(c);
}

static void check_hl(const char *format, const struct lull_printf_conv *conv,
                     struct lull_printf_diags *ret)
{
    if (conv->length == LULL_PRINTF_HL && conv->vector == 1) {
        lull_printf_complain(ret, false, conv->offset, "'%.*s': 'hl' is for vectors",
                             conv->size < 24 ? (int)conv->size : 24, format + conv->offset);
    }
}

// With types NULL, only the format.
static bool check(const char *format, size_t size, const struct lull_printf_type *types,
                  size_t ntypes, bool call, struct lull_printf_diags *ret)
{
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    size_t at = 0, used = 0;
    const size_t errors = ret->errors;
    if (size == 0) {
        lull_printf_complain(ret, true, 0, "the format is empty");
    }
    for (int n = 0; (n = lull_printf_next(format, size, &at, &conv, &diag)) != 0;) {
        if (n < 0) {
            lull_printf_complain(ret, true, diag.offset, "%s", diag.message);
            continue;
        }
        check_hl(format, &conv, ret);
        if (conv.conversion == '%' || !call) {
            continue;
        }
        if (used < ntypes) {
            const struct check c = {.format = format,
                                    .conv = &conv,
                                    .type = &types[used],
                                    .argument = used + 1,
                                    .ret = ret};
            check_argument(&c);
        } else {
            lull_printf_complain(ret, true, conv.offset, "'%.*s' has no argument: there %s %zu",
                                 conv.size < 24 ? (int)conv.size : 24, format + conv.offset,
                                 ntypes == 1 ? "is" : "are", ntypes);
        }
        used++;
    }
    if (call && used < ntypes) {
        lull_printf_complain(ret, false, size, "%zu argument%s more than the format takes",
                             ntypes - used, ntypes - used == 1 ? "" : "s");
    }
    return ret->errors == errors;
}

bool lull_printf_check(const char *format, size_t size, const struct lull_printf_type *types,
                       size_t ntypes, struct lull_printf_diags *ret)
{
    return check(format, size, types, ntypes, true, ret);
}

bool lull_printf_check_format(const char *format, size_t size, struct lull_printf_diags *ret)
{
    return check(format, size, NULL, 0, false, ret);
}
