// SPDX-License-Identifier: MIT
// Instructions and memory.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dap/dap_priv.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"

enum { MAX_INSNS = 4096, MAX_READ = 1 << 20 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of @p size bytes; NULL: no memory. */
static char *encode(const uint8_t *b, size_t size)
{
    char *text = malloc(size / 3 * 4 + 5), *at = text;
    for (size_t i = 0; text != NULL && i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t w = (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) |
                           (left > 2 ? b[i + 2] : 0);
        *at++ = digits[w >> 18];
        *at++ = digits[w >> 12 & 63];
        *at++ = left > 1 ? digits[w >> 6 & 63] : '=';
        *at++ = left > 2 ? digits[w & 63] : '=';
    }
    if (text != NULL) {
        *at = '\0';
    }
    return text;
}

/** Bytes of base64 into @p out, which is large enough; false: it is none. */
static bool decode(const char *text, uint8_t *out, size_t *ret_size)
{
    const size_t n = strcspn(text, "=");
    uint32_t w = 0;
    *ret_size = 0;
    if (n + strspn(text + n, "=") != strlen(text) || n % 4 == 1) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const char *d = strchr(digits, text[i]);
        if (d == NULL) {
            return false;
        }
        w = w << 6 | (uint32_t)(d - digits);
        if (i % 4 != 0) {
            out[(*ret_size)++] = (uint8_t)(w >> (6 - 2 * (i % 4)));
        }
    }
    return true;
}

static void add_insn(struct lull_dap *p, uint64_t va, const char *text, const uint8_t *bytes,
                     unsigned size, json_t *list)
{
    struct lull_debug_source line;
    char raw[64] = "";
    for (unsigned i = 0; i < size && i < 16; i++) {
        (void)snprintf(raw + 3 * (size_t)i, sizeof raw - 3 * (size_t)i, "%02x ", bytes[i]);
    }
    json_t *at =
        json_pack("{s:o,s:s}", "address", json_sprintf("0x%" PRIx64, va), "instruction", text);
    if (at == NULL) {
        return;
    }
    if (size != 0) {
        lull_cleanup(lull_str_free) struct lull_str symbol = {0};
        lull_debug_show_symbol(p->d, va, &symbol);
        json_object_set_new(at, "instructionBytes", json_string(raw));
        if (symbol.size > 2) {
            json_object_set_new(at, "symbol", json_stringn(symbol.text + 1, symbol.size - 2));
        }
        struct lull_error *no = lull_debug_source(p->d, va, &line);
        if (no == NULL) {
            json_object_set_new(at, "location", lull_dap_file(p, line.file));
            json_object_set_new(at, "line", json_integer(line.line - p->lines_from_0));
        }
        lull_error_free(no);
    } else {
        json_object_set_new(at, "presentationHint", json_string("invalid"));
    }
    json_array_append_new(list, at);
}

/** One instruction, or four bytes that are none. @return Where the next begins. */
static uint64_t one(struct lull_dap *p, uint64_t va, json_t *list)
{
    struct lull_debug_insn insn = {.size = 0};
    uint8_t bytes[32] = {0};
    struct lull_error *err = lull_debug_disassemble(p->d, va, &insn);
    if (err == NULL && insn.size <= sizeof bytes) {
        err = lull_debug_read(p->d, va, bytes, insn.size);
    }
    add_insn(p, va, err == NULL ? insn.text : "(no memory)", bytes, err == NULL ? insn.size : 0,
             list);
    const bool known = err == NULL && insn.size != 0;
    lull_error_free(err);
    return va + (known ? insn.size : 4);
}

struct lull_error *lull_dap_disassemble(struct lull_dap *p, const json_t *args, json_t *body)
{
    json_t *list = json_array();
    json_int_t skip = 0, count = 0;
    uint64_t va = 0;
    json_object_set_new(body, "instructions", list);
    struct lull_error *err = lull_dap_address(args, "memoryReference", &va);
    err = err != NULL ? err
                      : lull_dap_number(args, "instructionOffset", -MAX_INSNS, MAX_INSNS, 0, &skip);
    err = err != NULL ? err : lull_dap_number(args, "instructionCount", 0, MAX_INSNS, 0, &count);
    if (err != NULL) {
        return err;
    }
    if (skip < 0) {
        lull_cleanup(lull_freep) uint64_t *before = calloc((size_t)-skip, sizeof *before);
        const size_t n =
            before != NULL ? lull_debug_insns_before(p->d, va, before, (size_t)-skip) : 0;
        for (json_int_t i = skip; i < -(json_int_t)n && count > 0; i++, count--) {
            add_insn(p, va + 4 * (uint64_t)i, "(not known)", NULL, 0,
                     list); // Code begins behind it.
        }
        for (size_t i = 0; i < n && count > 0; i++, count--) {
            (void)one(p, before[i], list);
        }
    }
    for (; skip > 0; skip--) {
        json_t *skipped = json_array();
        va = one(p, va, skipped);
        json_decref(skipped);
    }
    for (; count > 0; count--) {
        va = one(p, va, list);
    }
    return NULL;
}

struct lull_error *lull_dap_read(struct lull_dap *p, const json_t *args, json_t *body)
{
    uint64_t va = 0;
    json_int_t count = 0;
    struct lull_error *err = lull_dap_address(args, "memoryReference", &va);
    err = err != NULL ? err : lull_dap_number(args, "count", 0, MAX_READ, 0, &count);
    lull_cleanup(lull_freep) uint8_t *bytes = malloc((size_t)count + 1);
    if (err != NULL || bytes == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    err = lull_debug_read(p->d, va, bytes, (size_t)count);
    size_t have = err == NULL ? (size_t)count : 0;
    const uint64_t end = err != NULL ? lull_error_address(err) : 0;
    if (end > va && end - va < (uint64_t)count) { // As far as memory goes.
        have = (size_t)(end - va);
        lull_error_free(err);
        err = lull_debug_read(p->d, va, bytes, have);
        have = err == NULL ? have : 0;
    }
    lull_error_free(err);
    lull_cleanup(lull_freep) char *text = encode(bytes, have);
    json_object_set_new(body, "address", json_sprintf("0x%" PRIx64, va));
    json_object_set_new(body, "unreadableBytes", json_integer(count - (json_int_t)have));
    json_object_set_new(body, "data", json_string(text != NULL ? text : ""));
    return NULL;
}

struct lull_error *lull_dap_write(struct lull_dap *p, const json_t *args, json_t *body)
{
    const char *text = lull_dap_text(args, "data");
    uint64_t va = 0;
    size_t size = 0;
    struct lull_error *err = lull_dap_address(args, "memoryReference", &va);
    lull_cleanup(lull_freep) uint8_t *bytes = text != NULL ? malloc(strlen(text) + 1) : NULL;
    if (err == NULL && (text == NULL || (bytes != NULL && !decode(text, bytes, &size)))) {
        err = lull_error_new(LULL_ERR_INVALID, "data: not base64");
    }
    if (err == NULL) {
        err = bytes != NULL ? lull_debug_write(p->d, va, bytes, size) : &lull_enomem;
    }
    if (err == NULL) {
        json_object_set_new(body, "bytesWritten", json_integer((json_int_t)size));
    }
    return err;
}
