// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <string.h>

#include "debug/debug.h"
#include "debug/pipeline.h"

bool lull_value_true(const struct lull_value *v)
{
    for (unsigned i = 0; i < v->lanes; i++) {
        if (v->v[i] != 0 && (v->active >> i & 1) != 0) {
            return true;
        }
    }
    return false;
}

static void show_float(uint64_t v, unsigned bits, struct lull_str *out)
{
    if (bits == 64) {
        double f = 0;
        memcpy(&f, &v, sizeof f);
        lull_str_addf(out, "%.17g", f);
    } else {
        float f = 0;
        uint32_t word = (uint32_t)v;
        memcpy(&f, &word, sizeof f);
        lull_str_addf(out, "%.9g", (double)f);
    }
}

static void show_binary(uint64_t v, unsigned bits, struct lull_str *out)
{
    char text[65] = {0};
    for (unsigned i = 0; i < bits; i++) {
        text[i] = (v >> (bits - 1 - i) & 1) != 0 ? '1' : '0';
    }
    lull_str_addf(out, "0b%s", text);
}

void lull_value_show_one(uint64_t v, unsigned bits, char format, struct lull_str *out)
{
    switch (format) {
    case 'd':
        lull_str_addf(out, "%" PRId64, bits == 64 ? (int64_t)v : (int64_t)(int32_t)(uint32_t)v);
        break;
    case 'u':
        lull_str_addf(out, "%" PRIu64, bits == 64 ? v : (uint64_t)(uint32_t)v);
        break;
    case 'f':
        show_float(v, bits, out);
        break;
    case 't':
        show_binary(v, bits, out);
        break;
    case 'c':
        lull_str_addf(out, "'%c'", (v & 0xff) >= 0x20 && (v & 0xff) < 0x7f ? (int)(v & 0xff) : '.');
        break;
    default:
        lull_str_addf(out, "0x%0*" PRIx64, (int)bits / 4, bits == 64 ? v : (uint64_t)(uint32_t)v);
        break;
    }
}

void lull_value_show(const struct lull_value *v, char format, unsigned lane, struct lull_str *out)
{
    if (v->lanes == 1) {
        lull_value_show_one(v->v[0], v->bits, format, out);
        if (format == 0) {
            lull_str_addf(out, "  (%" PRIu64 ")",
                          v->bits == 64 ? v->v[0] : (uint64_t)(uint32_t)v->v[0]);
        }
        lull_str_addf(out, "\n");
        return;
    }
    unsigned columns = v->bits == 64 ? 4 : 8;
    for (unsigned i = 0; i < v->lanes; i++) {
        if (i % columns == 0) {
            lull_str_addf(out, "%s  lane %2u:", i == 0 ? "\n" : "", i);
        }
        lull_str_addf(out, "%s", i == lane ? " *" : "  ");
        if ((v->active >> i & 1) == 0) {
            lull_str_addf(out, "(");
        }
        lull_value_show_one(v->v[i], v->bits, format, out);
        if ((v->active >> i & 1) == 0) {
            lull_str_addf(out, ")");
        }
        if (i % columns == columns - 1) {
            lull_str_addf(out, "\n");
        }
    }
}

void lull_debug_show_symbol(const struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    uint64_t start = 0;
    const char *name = NULL;
    if (lull_debug_code(d, va, &start, &name)) {
        lull_str_addf(out, "<%s+0x%" PRIx64 ">", name, va - start);
    }
}
