// SPDX-License-Identifier: MIT
// Formats filled in with the values of a payload.
#include <stdio.h>
#include <string.h>

#include "printf/format.h"
#include "printf/format_priv.h"

// One scalar of the payload.
struct value {
    uint64_t bits; // high half 0 if it is not wide
    bool wide;     // 64 bits
    bool typed;
    struct lull_printf_type type; // if typed
};

struct writer {
    const char *format;
    const struct lull_printf_payload *in;
    struct lull_str *to;
    struct lull_printf_diags *ret;
    size_t dword;   // next of the payload
    size_t scalar;  // next, flattened
    size_t arg;     // next, if there are types
    bool exhausted; // a conversion had no value
};

static bool take_bits(struct writer *w, bool wide, uint64_t *ret)
{
    const size_t need = wide ? 2 : 1;
    if (w->in->ndwords - w->dword < need) {
        w->dword = w->in->ndwords; // the half of a wide one is of no use
        return false;
    }
    *ret = w->in->dwords[w->dword];
    if (wide) {
        *ret |= (uint64_t)w->in->dwords[w->dword + 1] << 32;
    }
    w->dword += need;
    return true;
}

// Bit j of a mask.
static bool has_bit(const uint64_t *mask, size_t nwords, size_t j)
{
    return j / 64 < nwords && (mask[j / 64] >> j % 64 & 1) != 0;
}

static bool take_untyped(struct writer *w, struct value *ret)
{
    const size_t j = w->scalar++;
    const bool s8 = has_bit(w->in->signed8, w->in->nsigned8, j),
               s16 = has_bit(w->in->signed16, w->in->nsigned16, j);
    *ret = (struct value){.wide = has_bit(w->in->mask64, w->in->nmask, j)};
    if (s8 || s16) {
        ret->typed = true;
        ret->type = (struct lull_printf_type){.scalar = s8 ? LULL_PRINTF_I8 : LULL_PRINTF_I16,
                                              .sign = LULL_PRINTF_SIGNED,
                                              .count = 1};
    }
    return take_bits(w, ret->wide, &ret->bits);
}

static uint64_t sign_extend(uint64_t v, unsigned bits)
{
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    const uint64_t low = bits == 64 ? v : v & ((sign << 1) - 1);
    return (low ^ sign) - sign;
}

static bool is_signed(char conversion)
{
    return conversion == 'd' || conversion == 'i' || conversion == 'c';
}

static unsigned bits_of(const struct value *v)
{
    if (v->typed && v->type.scalar <= LULL_PRINTF_I16) {
        return v->type.scalar == LULL_PRINTF_I1 ? 1 : v->type.scalar == LULL_PRINTF_I8 ? 8 : 16;
    }
    return v->wide ? 64 : 32;
}

// The integer that conversion prints, in 64 bits.
static uint64_t integer(const struct lull_printf_conv *conv, const struct value *v)
{
    const unsigned bits = bits_of(v);
    uint64_t n = bits == 64 ? v->bits : v->bits & (((uint64_t)1 << bits) - 1);
    const bool sub_int = bits < 32;
    const bool unsigned_type = v->typed && v->type.sign == LULL_PRINTF_UNSIGNED;
    const bool longer = conv->length >= LULL_PRINTF_L;
    if (is_signed(conv->conversion) && bits != 1 && !(unsigned_type && (sub_int || longer))) {
        n = sign_extend(n, bits);
    }
    const unsigned narrow = conv->length == LULL_PRINTF_HH  ? 8
                            : conv->length == LULL_PRINTF_H ? 16
                                                            : 0;
    if (narrow != 0) {
        n = is_signed(conv->conversion) ? sign_extend(n, narrow) : n & ((1u << narrow) - 1);
    }
    return n;
}

double lull_printf_real(uint64_t bits, bool wide)
{
    const uint32_t low = (uint32_t)bits;
    double d = 0;
    float f = 0;
    if (wide) {
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    memcpy(&f, &low, sizeof f);
    return (double)f;
}

static void put_string(struct writer *w, const struct lull_printf_conv *conv, uint64_t id)
{
    size_t size = 0;
    const char *text =
        w->in->literal != NULL ? w->in->literal(w->in->literal_arg, id, &size) : NULL;
    char unknown[32] = "";
    if (text == NULL) {
        lull_printf_complain(w->ret, true, conv->offset, "no literal has the id 0x%llx",
                             (unsigned long long)id);
        snprintf(unknown, sizeof unknown, "<string 0x%llx>", (unsigned long long)id);
        text = unknown;
        size = strlen(unknown);
    }
    if (conv->precision >= 0 && size > (size_t)conv->precision) {
        size = (size_t)conv->precision;
    }
    const int pad = conv->width > 0 && (size_t)conv->width > size ? conv->width - (int)size : 0;
    const bool left = (conv->flags & LULL_PRINTF_MINUS) != 0;
    lull_str_addf(w->to, "%*s", left ? 0 : pad, "");
    lull_str_add(w->to, text, size);
    lull_str_addf(w->to, "%*s", left ? pad : 0, "");
}

// "%", the flags and "*" or "*.*", which take width and precision as arguments, and the rest.
static const char *spec(const struct lull_printf_conv *conv, const char *stars, char conversion,
                        char buf[16])
{
    static const char flags[] = "-+ #0";
    char *p = buf;
    *p++ = '%';
    for (unsigned i = 0; i < 5; i++) {
        if ((conv->flags >> i & 1) != 0) {
            *p++ = flags[i];
        }
    }
    while (*stars != '\0') {
        *p++ = *stars++;
    }
    *p++ = conversion;
    *p = '\0';
    return buf;
}

// Conversions without anything between '%' and the letter. False: printf() has to do it.
static bool put_bare(struct writer *w, const struct lull_printf_conv *conv, char conversion,
                     const struct value *v)
{
    if (conv->flags != 0 || conv->width > 0 || conv->precision >= 0) {
        return false;
    }
    const uint64_t n = integer(conv, v);
    switch (conversion) {
    case 'd':
    case 'i':
        lull_str_put(w->to, "-", n >> 63);
        lull_str_dec(w->to, n >> 63 ? 0 - n : n);
        return true;
    case 'u':
        lull_str_dec(w->to, n);
        return true;
    case 'x':
        lull_str_hex(w->to, n, 1);
        return true;
    case 'f':
        return lull_str_real(w->to, lull_printf_real(v->bits, v->wide), 6);
    default:
        return false;
    }
}

static void put(struct writer *w, const struct lull_printf_conv *conv, const struct value *v)
{
    char buf[16];
    const int width = conv->width < 0 ? 0 : conv->width;
    const char conversion = conv->ul && v->wide ? 'x' : conv->conversion;
    if (put_bare(w, conv, conversion, v)) {
        return;
    }
    if (conversion == 's') {
        put_string(w, conv, v->bits);
    } else if (conversion == 'p') {
        lull_str_addf(w->to, spec(conv, "*", 'p', buf), width, (void *)(uintptr_t)v->bits);
    } else if (conversion == 'c') {
        lull_str_addf(w->to, spec(conv, "*", 'c', buf), width, (int)(unsigned char)v->bits);
    } else if (lull_printf_is_float(conversion)) {
        lull_str_addf(w->to, spec(conv, "*.*", conversion, buf), width, conv->precision,
                      lull_printf_real(v->bits, v->wide));
    } else {
        lull_str_addf(w->to, spec(conv, "*.*j", conversion, buf), width, conv->precision,
                      (uintmax_t)integer(conv, v));
    }
}

static void missing(struct writer *w, const struct lull_printf_conv *conv)
{
    lull_printf_complain(w->ret, true, conv->offset,
                         "'%.*s' has no value: the payload has %zu dword%s",
                         conv->size < 24 ? (int)conv->size : 24, w->format + conv->offset,
                         w->in->ndwords, w->in->ndwords == 1 ? "" : "s");
    lull_str_add(w->to, w->format + conv->offset, conv->size);
    w->exhausted = true;
}

// The next component of the argument that conv prints. False: there is none.
static bool component(struct writer *w, const struct lull_printf_type *type, unsigned i,
                      struct value *ret)
{
    if (type == NULL) {
        return take_untyped(w, ret);
    }
    if (i >= type->count) {
        return false;
    }
    *ret = (struct value){
        .wide = lull_printf_scalar_dwords(type->scalar) == 2, .typed = true, .type = *type};
    w->scalar++;
    return take_bits(w, ret->wide, &ret->bits);
}

// Only where the mask is known to say how wide a value is.
static void check_width(struct writer *w, const struct lull_printf_conv *conv, bool wide)
{
    const bool integer_conv = memchr("diouxX", conv->conversion, 6) != NULL;
    const bool longer = conv->length >= LULL_PRINTF_L || (conv->ul && wide);
    if (w->in->types == NULL && w->in->nmask > 0 && integer_conv && wide != longer) {
        lull_printf_complain(w->ret, false, conv->offset, "'%.*s': the value has %d bits",
                             conv->size < 24 ? (int)conv->size : 24, w->format + conv->offset,
                             wide ? 64 : 32);
    }
}

static void convert(struct writer *w, const struct lull_printf_conv *conv)
{
    const bool typed = w->in->types != NULL;
    if (typed && w->arg >= w->in->ntypes) {
        missing(w, conv);
        return;
    }
    const struct lull_printf_type *type = typed ? &w->in->types[w->arg++] : NULL;
    struct value v = {0};
    bool wide = false;
    for (unsigned i = 0; i < conv->vector; i++) {
        struct value zero = {.wide = wide};
        const bool there = component(w, type, i, &v);
        if (!there && i == 0) {
            missing(w, conv);
            return;
        }
        wide = there ? v.wide : wide;
        if (i == 0) {
            check_width(w, conv, wide);
        }
        if (i > 0) {
            lull_str_add(w->to, ", ", 2);
        }
        put(w, conv, there ? &v : &zero);
    }
    if (conv->ul && !v.wide) {
        lull_str_add(w->to, "l", 1);
    }
    for (unsigned i = conv->vector; type != NULL && i < type->count; i++) {
        component(w, type, i, &v);
    }
}

bool lull_printf_text(const char *format, size_t size, const struct lull_printf_payload *payload,
                      struct lull_str *to, struct lull_printf_diags *ret)
{
    struct writer w = {.format = format, .in = payload, .to = to, .ret = ret};
    struct lull_printf_conv conv = {0};
    struct lull_printf_diag diag = {0};
    const size_t errors = ret->errors, start = to->size;
    size_t at = 0, copied = 0;
    for (int n = 0; (n = lull_printf_next(format, size, &at, &conv, &diag)) != 0; copied = at) {
        lull_str_add(to, format + copied, conv.offset - copied);
        if (to->size - start > LULL_PRINTF_MAX_TEXT) {
            lull_printf_complain(ret, true, conv.offset, "the text has more than 4 MiB");
            return false;
        }
        if (n < 0) {
            lull_printf_complain(ret, true, diag.offset, "%s", diag.message);
            lull_str_add(to, format + conv.offset, conv.size);
        } else if (conv.conversion == '%') {
            lull_str_add(to, "%", 1);
        } else {
            convert(&w, &conv);
        }
    }
    lull_str_add(to, format + copied, size - copied);
    if (w.dword < payload->ndwords && !w.exhausted) {
        const size_t rest = payload->ndwords - w.dword;
        lull_printf_complain(ret, false, size, "%zu dword%s more than the format takes", rest,
                             rest == 1 ? "" : "s");
    }
    return ret->errors == errors;
}
