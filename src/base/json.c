// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void before_value(struct lull_json *j)
{
    if (!j->after_key && (j->filled >> j->depth & 1) != 0) {
        lull_str_put(j->out, ",", 1);
    }
    j->filled |= 1u << j->depth;
    j->after_key = false;
}

void lull_json_open(struct lull_json *j, char bracket)
{
    before_value(j);
    lull_str_put(j->out, &bracket, 1);
    j->depth = (j->depth + 1) % 32;
    j->filled &= ~(1u << j->depth);
}

void lull_json_close(struct lull_json *j, char bracket)
{
    lull_str_put(j->out, &bracket, 1);
    j->depth = (j->depth + 31) % 32;
}

static void escaped(struct lull_str *out, const char *p)
{
    const unsigned char c = (unsigned char)*p;
    if (c == '"' || c == '\\') {
        lull_str_addf(out, "\\%c", c);
    } else if (c < 0x20) {
        lull_str_addf(out, "\\u%04x", c);
    } else {
        lull_str_add(out, p, 1);
    }
}

// How many bytes at the start of text stand for themselves.
static size_t plain(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && (signed char)text[n] >= ' ' && text[n] != '"' && text[n] != '\\') {
        n++;
    }
    return n;
}

// What is not UTF-8 becomes U+FFFD: readers refuse the whole document otherwise.
static bool quoted(struct lull_str *out, const char *text, size_t size)
{
    bool good = true;
    lull_str_put(out, "\"", 1);
    for (size_t i = 0, n = 0; i < size; i += n != 0 ? n : 1) {
        n = plain(text + i, size - i);
        if (n > 0) {
            lull_str_put(out, text + i, n);
            continue;
        }
        n = lull_str_utf8(text + i, size - i);
        if (n == 1) {
            escaped(out, text + i);
        } else if (n > 1) {
            lull_str_add(out, text + i, n);
        } else {
            lull_str_addf(out, "\\ufffd");
            good = false;
        }
    }
    lull_str_put(out, "\"", 1);
    return good;
}

bool lull_json_bytes(struct lull_json *j, const char *text, size_t size)
{
    before_value(j);
    return quoted(j->out, text, size);
}

void lull_json_key(struct lull_json *j, const char *key)
{
    before_value(j);
    (void)quoted(j->out, key, strlen(key));
    lull_str_put(j->out, ":", 1);
    j->after_key = true;
}

void lull_json_str(struct lull_json *j, const char *text)
{
    before_value(j);
    (void)quoted(j->out, text, strlen(text));
}

void lull_json_u64(struct lull_json *j, uint64_t v)
{
    before_value(j);
    lull_str_dec(j->out, v);
}

void lull_json_i64(struct lull_json *j, int64_t v)
{
    before_value(j);
    lull_str_addf(j->out, "%" PRId64, v);
}

void lull_json_float(struct lull_json *j, float v)
{
    if (!isfinite(v)) {
        lull_json_null(j);
        return;
    }
    before_value(j);
    lull_str_addf(j->out, "%.9g", (double)v);
}

void lull_json_bool(struct lull_json *j, bool v)
{
    before_value(j);
    lull_str_addf(j->out, "%s", v ? "true" : "false");
}

void lull_json_null(struct lull_json *j)
{
    before_value(j);
    lull_str_addf(j->out, "null");
}

void lull_json_hex(struct lull_json *j, uint64_t v)
{
    before_value(j);
    lull_str_put(j->out, "\"0x", 3);
    lull_str_hex(j->out, v, 1);
    lull_str_put(j->out, "\"", 1);
}

void lull_json_put_str(struct lull_json *j, const char *key, const char *text)
{
    lull_json_key(j, key);
    lull_json_str(j, text);
}

void lull_json_put_u64(struct lull_json *j, const char *key, uint64_t v)
{
    lull_json_key(j, key);
    lull_json_u64(j, v);
}

void lull_json_put_hex(struct lull_json *j, const char *key, uint64_t v)
{
    lull_json_key(j, key);
    lull_json_hex(j, v);
}

void lull_json_put_bool(struct lull_json *j, const char *key, bool v)
{
    lull_json_key(j, key);
    lull_json_bool(j, v);
}
