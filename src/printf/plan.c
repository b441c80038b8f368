// SPDX-License-Identifier: MIT
#include "printf/plan.h"

#include <string.h>

#include "printf/format_priv.h"

enum { MOST_FORMAT = 1 << 20, MOST_PIECES = 64, MOST_DIGITS = 9, MOST_HEX = 16 };

// A value, and the text before it.
struct piece {
    const char *text;
    size_t size;
    uint32_t dword;  // of the payload
    char conversion; // 'd', 'u', 'x' or 'f'; '%', which takes no value
    uint8_t digits;  // of 'x': at least; of 'f': behind the point
    bool wide;       // 64 bits
};

struct lull_printf_plan {
    size_t npieces, dwords; // that they take
    const char *rest;       // text behind the last piece
    size_t rest_size;
    struct piece pieces[];
};

// What is known of scalar i; false: no scalar of 32 or 64 bits.
static bool scalar_of(const struct lull_printf_payload *shape, size_t i, bool *wide,
                      bool *unsigned_type)
{
    if (shape->types != NULL) {
        const struct lull_printf_type *t = i < shape->ntypes ? &shape->types[i] : NULL;
        if (t == NULL || t->count != 1 || t->scalar < LULL_PRINTF_I32) {
            return false;
        }
        *wide = lull_printf_scalar_dwords(t->scalar) == 2;
        *unsigned_type = t->sign == LULL_PRINTF_UNSIGNED;
        return true;
    }
    *wide = i / 64 < shape->nmask && (shape->mask64[i / 64] >> i % 64 & 1) != 0;
    return shape->nsigned8 == 0 && shape->nsigned16 == 0;
}

// The piece of a conversion; false: it is none of the easy ones.
static bool piece_of(const struct lull_printf_conv *conv, bool wide, bool unsigned_type,
                     struct piece *ret)
{
    const char c = conv->conversion == 'i' ? 'd' : conv->conversion;
    const bool padded = conv->flags == LULL_PRINTF_ZERO && conv->width > 0;
    ret->conversion = c;
    ret->wide = wide;
    const bool longer = conv->length == LULL_PRINTF_L || conv->length == LULL_PRINTF_LL;
    if (conv->vector != 1 || conv->ul || (conv->length != LULL_PRINTF_NO_LENGTH && !longer) ||
        (longer && (!wide || (unsigned_type && c == 'd')))) {
        return false;
    }
    if (c == 'x' && padded && conv->width <= MOST_HEX && conv->precision < 0) {
        ret->digits = (uint8_t)conv->width;
        return true;
    }
    if (conv->flags != 0 || conv->width > 0) {
        return false;
    }
    ret->digits = c == 'x' ? 1 : conv->precision < 0 ? 6 : (uint8_t)(conv->precision & 0xff);
    return c == 'f' ? conv->precision <= MOST_DIGITS
                    : conv->precision < 0 && (c == 'd' || c == 'u' || c == 'x' || c == '%');
}

const struct lull_printf_plan *lull_printf_plan_new(struct lull_arena *arena, const char *format,
                                                    size_t size,
                                                    const struct lull_printf_payload *shape)
{
    struct piece pieces[MOST_PIECES];
    size_t n = 0, at = 0, copied = 0, scalar = 0;
    uint32_t dword = 0;
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag;
    int found = size <= MOST_FORMAT ? 1 : -1;
    while (found > 0 && (found = lull_printf_next(format, size, &at, &conv, &diag)) > 0) {
        const bool value = conv.conversion != '%';
        bool wide = false, unsigned_type = false;
        if (n == MOST_PIECES || (value && !scalar_of(shape, scalar, &wide, &unsigned_type))) {
            return NULL;
        }
        pieces[n] =
            (struct piece){.text = format + copied, .size = conv.offset - copied, .dword = dword};
        if (!piece_of(&conv, wide, unsigned_type, &pieces[n])) {
            return NULL;
        }
        dword += !value ? 0 : wide ? 2 : 1;
        scalar += value;
        copied = at;
        n++;
    }
    struct lull_printf_plan *plan =
        found < 0 ? NULL : lull_arena_calloc(arena, 1, sizeof *plan + n * sizeof *pieces);
    if (plan == NULL) {
        return NULL;
    }
    plan->npieces = n;
    plan->dwords = dword;
    plan->rest = format + copied;
    plan->rest_size = size - copied;
    if (n > 0) {
        memcpy(plan->pieces, pieces, n * sizeof *pieces);
    }
    return plan;
}

static bool put(struct lull_str *to, const struct piece *p, uint64_t bits)
{
    const uint64_t minus = bits >> (p->wide ? 63 : 31);
    switch (p->conversion) {
    case 'd':
        lull_str_put(to, "-", minus);
        bits = minus == 0 ? bits : p->wide ? 0 - bits : (uint32_t)(0 - bits);
        lull_str_dec(to, bits);
        return true;
    case 'u':
        lull_str_dec(to, bits);
        return true;
    case 'x':
        lull_str_hex(to, bits, p->digits);
        return true;
    default:
        return lull_str_real(to, lull_printf_real(bits, p->wide), p->digits);
    }
}

bool lull_printf_plan_text(const struct lull_printf_plan *plan, const uint32_t *dwords, size_t n,
                           struct lull_str *to)
{
    const size_t before = to->size;
    if (n < plan->dwords) {
        return false;
    }
    for (size_t i = 0; i < plan->npieces; i++) {
        const struct piece *p = &plan->pieces[i];
        lull_str_put(to, p->text, p->size);
        if (p->conversion == '%') {
            lull_str_put(to, "%", 1);
            continue;
        }
        const uint64_t high = p->wide ? dwords[p->dword + 1] : 0;
        if (!put(to, p, high << 32 | dwords[p->dword])) {
            to->size = before;
            return false;
        }
    }
    lull_str_put(to, plan->rest, plan->rest_size);
    return true;
}
