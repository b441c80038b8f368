// SPDX-License-Identifier: MIT
#include "hw/field.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

static uint64_t low_bits(unsigned n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static void show_number(const struct lull_field *f, uint64_t v, struct lull_str *s)
{
    switch ((enum lull_field_kind)f->kind) {
    case LULL_FIELD_ADDRESS:
        lull_str_addf(s, "0x%" PRIx64, v << f->shift);
        return;
    case LULL_FIELD_REG:
        lull_str_addf(s, "reg 0x%" PRIx64, f->base + 4 * v);
        return;
    case LULL_FIELD_F32: {
        const uint32_t bits = (uint32_t)v;
        float number = 0;
        memcpy(&number, &bits, sizeof number);
        lull_str_addf(s, "%.9g", (double)number);
        return;
    }
    case LULL_FIELD_SIGNED: {
        const uint64_t sign = UINT64_C(1) << (f->bits - 1);
        lull_str_addf(s, "%" PRId64, (int64_t)((v ^ sign) - sign));
        return;
    }
    case LULL_FIELD_UINT:
        break;
    }
    lull_str_addf(s, v < 10 ? "%" PRIu64 : "0x%" PRIx64, v);
}

uint64_t lull_field_of(const struct lull_field *f, uint64_t value)
{
    return value >> f->lo & low_bits(f->bits);
}

const char *lull_field_value_name(const struct lull_field *f, uint64_t number)
{
    for (unsigned i = 0; i < f->nvalues; i++) {
        if (f->values[i].value == number) {
            return f->values[i].name;
        }
    }
    return NULL;
}

void lull_field_show(const struct lull_field *f, uint64_t value, struct lull_str *s)
{
    const uint64_t v = lull_field_of(f, value);
    const char *name = lull_field_value_name(f, v);
    if (name != NULL) {
        lull_str_addf(s, "%s=%s", f->name, name);
    } else if (f->bits == 1 && v == 1) {
        lull_str_addf(s, "%s", f->name);
    } else {
        lull_str_addf(s, "%s=", f->name);
        show_number(f, v, s);
    }
}

void lull_fields_show(const struct lull_field *f, size_t n, uint64_t value, struct lull_str *s)
{
    uint64_t rest = value;
    const char *gap = "";
    for (size_t i = 0; i < n; i++) {
        const uint64_t v = lull_field_of(&f[i], value);
        rest &= ~(low_bits(f[i].bits) << f[i].lo);
        if (v != 0 || lull_field_value_name(&f[i], 0) != NULL) {
            lull_str_addf(s, "%s", gap);
            lull_field_show(&f[i], value, s);
            gap = " ";
        }
    }
    if (rest != 0) {
        lull_str_addf(s, "%s?=0x%" PRIx64, gap, rest);
    }
}
