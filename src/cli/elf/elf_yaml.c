// SPDX-License-Identifier: MIT
// MessagePack as YAML and as JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/elf/elf_show.h"
#include "hw/pal_regs.h"
#include "hw/userdata_regs.h"

enum how { PLAIN, REGISTERS, USER_DATA, HEX };

static bool compound(const struct lull_msgtree *t)
{
    return t->m.kind == LULL_MSGPACK_ARRAY || t->m.kind == LULL_MSGPACK_MAP;
}

static bool has_end(const struct lull_msgpack *m, const char *end)
{
    const size_t size = strlen(end);
    return m->kind == LULL_MSGPACK_STR && m->size >= size &&
           memcmp(m->data + m->size - size, end, size) == 0;
}

// How numbers below a key read best.
static enum how how_of(const struct lull_msgtree *key, enum how how)
{
    if (key == NULL) {
        return how;
    }
    return lull_msgpack_is(&key->m, ".registers")           ? REGISTERS
           : lull_msgpack_is(&key->m, ".user_data_reg_map") ? USER_DATA
           : has_end(&key->m, "_hash") || has_end(&key->m, ".64bit_arguments") ||
                   has_end(&key->m, ".index")
               ? HEX
               : how;
}

// Nothing that YAML would read as something else than this text.
static bool plain(const struct lull_msgpack *m)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no",
                                        "on",   "off",   "y",    "n"};
    const char *text = (const char *)m->data;
    if (m->size == 0 || (text[0] >= '0' && text[0] <= '9')) {
        return false;
    }
    for (size_t i = 0; i < m->size; i++) {
        const char c = text[i];
        const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
        if (!word && !(i > 0 && ((c >= '0' && c <= '9') || c == '-' || c == '/' || c == '+'))) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (m->size == strlen(words[i]) && strncasecmp(text, words[i], m->size) == 0) {
            return false;
        }
    }
    const bool number = text[0] == '.' && m->size > 1 &&
                        ((text[1] >= '0' && text[1] <= '9') || m->size == 4); // .5 .inf .nan
    return !number && !(m->size == 1 && text[0] == '.');
}

static void put_string(const struct lull_msgpack *m, struct lull_str *out)
{
    if (plain(m)) {
        lull_str_add(out, (const char *)m->data, m->size);
        return;
    }
    lull_str_addf(out, "\"");
    for (size_t i = 0; i < m->size; i++) {
        const uint8_t c = m->data[i];
        if (c == '"' || c == '\\') {
            lull_str_addf(out, "\\%c", c);
        } else if (c == '\n') {
            lull_str_addf(out, "\\n");
        } else if (c == '\t') {
            lull_str_addf(out, "\\t");
        } else if (c == '\0') {
            lull_str_addf(out, "\\0");
        } else if (c < ' ' || c >= 0x7f) {
            lull_str_addf(out, "\\x%02X", c);
        } else {
            lull_str_addf(out, "%c", c);
        }
    }
    lull_str_addf(out, "\"");
}

static void put_base64(const struct lull_msgpack *m, struct lull_str *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < m->size; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++) {
            v = v << 8 | (i + k < m->size ? m->data[i + k] : 0u);
        }
        for (size_t k = 0; k < 4; k++) {
            const bool pad = i + k > m->size; // k digits hold k - 1 bytes
            lull_str_addf(out, "%c", pad ? '=' : digits[v >> (18 - 6 * k) & 63]);
        }
    }
}

static void put_float(double f, struct lull_str *out)
{
    if (isnan(f)) {
        lull_str_addf(out, ".nan");
    } else if (isinf(f)) {
        lull_str_addf(out, f < 0 ? "-.inf" : ".inf");
    } else {
        lull_str_addf(out, "%.17g", f);
    }
}

static void put_scalar(const struct lull_msgpack *m, enum how how, struct lull_str *out)
{
    switch (m->kind) {
    case LULL_MSGPACK_NIL:
        lull_str_addf(out, "null");
        break;
    case LULL_MSGPACK_BOOL:
        lull_str_addf(out, "%s", m->u != 0 ? "true" : "false");
        break;
    case LULL_MSGPACK_UINT:
        lull_str_addf(out, how == PLAIN ? "%" PRIu64 : "0x%" PRIx64, m->u);
        break;
    case LULL_MSGPACK_INT:
        lull_str_addf(out, "%" PRId64, m->i);
        break;
    case LULL_MSGPACK_FLOAT:
        put_float(m->f, out);
        break;
    case LULL_MSGPACK_STR:
        put_string(m, out);
        break;
    case LULL_MSGPACK_BIN:
        lull_str_addf(out, "!!binary \"");
        put_base64(m, out);
        lull_str_addf(out, "\"");
        break;
    case LULL_MSGPACK_EXT:
        lull_str_addf(out, "!ext%d \"", m->ext);
        put_base64(m, out);
        lull_str_addf(out, "\"");
        break;
    case LULL_MSGPACK_ARRAY:
        lull_str_addf(out, "[]");
        break;
    case LULL_MSGPACK_MAP:
        lull_str_addf(out, "{}");
        break;
    }
}

// "PIPELINE_LINK+2": what a user-data register is given.
static void put_user_data(uint64_t value, struct lull_str *out)
{
    if (value < LULL_USERDATA_ROOT_END) {
        lull_str_addf(out, "root table dword %" PRIu64, value);
    } else if (value >= LULL_USERDATA_DESCRIPTOR_SET && value < LULL_USERDATA_PUSH_CONSTANT) {
        lull_str_addf(out, "descriptor set %" PRIu64, value - LULL_USERDATA_DESCRIPTOR_SET);
    } else if (value >= LULL_USERDATA_PUSH_CONSTANT && value < LULL_USERDATA_PUSH_CONSTANT_END) {
        lull_str_addf(out, "push constant dword %" PRIu64, value - LULL_USERDATA_PUSH_CONSTANT);
    } else if (value > LULL_USERDATA_PIPELINE_LINK &&
               value < LULL_USERDATA_PIPELINE_LINK + LULL_USERDATA_ROOT_END) {
        lull_str_addf(out, "PIPELINE_LINK %" PRIu64, value - LULL_USERDATA_PIPELINE_LINK);
    } else {
        const struct lull_reg_entry *e =
            value <= UINT32_MAX ? lull_reg_at(&lull_regs_userdata, 0, (uint32_t)value) : NULL;
        lull_str_addf(out, "%s", e != NULL ? e->name : "unknown");
    }
}

static const struct lull_reg_entry *pal_register(const struct lull_msgpack *m)
{
    return m->kind == LULL_MSGPACK_UINT && m->u <= UINT32_MAX
               ? lull_reg_at(&lull_regs_pal, 0, (uint32_t)m->u)
               : NULL;
}

static void put_key(const struct lull_msgtree *key, enum how how, struct lull_str *out)
{
    const struct lull_reg_entry *e = how == REGISTERS ? pal_register(&key->m) : NULL;
    if (e != NULL) {
        lull_str_addf(out, "'0x%" PRIx64 " (%s)'", key->m.u, e->name);
    } else {
        put_scalar(&key->m, how, out);
    }
}

static void put_comment(const struct lull_msgtree *t, enum how how, struct lull_str *out)
{
    if (t->m.kind != LULL_MSGPACK_UINT) {
        return;
    }
    const struct lull_reg_entry *e =
        how == REGISTERS && t->key != NULL ? pal_register(&t->key->m) : NULL;
    if (how == USER_DATA || (e != NULL && strstr(e->name, "_USER_DATA_") != NULL)) {
        lull_str_addf(out, "  # ");
        put_user_data(t->m.u, out);
    }
}

// Items of a list or map, each on a line of its own. The first line may have begun already, behind
// "- ".
static void put_block(const struct lull_msgtree *t, enum how how, unsigned indent, bool begun,
                      struct lull_str *out)
{
    for (const struct lull_msgtree *i = t->first; i != NULL; i = i->next) {
        const enum how in = how_of(i->key, how);
        if (!begun) {
            lull_str_addf(out, "%*s", (int)indent, "");
        }
        begun = false;
        if (t->m.kind == LULL_MSGPACK_MAP) {
            put_key(i->key, how, out);
            lull_str_addf(out, ":");
        } else {
            lull_str_addf(out, "-");
        }
        if (!compound(i) || i->first == NULL) {
            lull_str_addf(out, " ");
            put_scalar(&i->m, in, out);
            put_comment(i, in, out);
            lull_str_addf(out, "\n");
        } else if (t->m.kind == LULL_MSGPACK_MAP) {
            lull_str_addf(out, "\n");
            put_block(i, in, indent + 2, false, out);
        } else {
            lull_str_addf(out, " ");
            put_block(i, in, indent + 2, true, out);
        }
    }
}

void lull_elf_show_yaml(const struct lull_msgtree *t, struct lull_str *out)
{
    if (compound(t) && t->first != NULL) {
        put_block(t, PLAIN, 0, false, out);
    } else {
        put_scalar(&t->m, PLAIN, out);
        lull_str_addf(out, "\n");
    }
}

static void json_key(const struct lull_msgtree *key, struct lull_json *j)
{
    struct lull_str text = {0};
    if (key->m.kind == LULL_MSGPACK_STR) {
        lull_str_add(&text, (const char *)key->m.data, key->m.size);
    } else {
        put_scalar(&key->m, PLAIN, &text);
    }
    lull_json_key(j, lull_str_text(&text));
    lull_str_free(&text);
}

static void json_value(const struct lull_msgtree *t, unsigned depth, struct lull_json *j)
{
    enum { MOST = 24 }; // levels that the writer has left
    struct lull_str text = {0};
    if (compound(t) && depth < MOST) {
        const bool map = t->m.kind == LULL_MSGPACK_MAP;
        lull_json_open(j, map ? '{' : '[');
        for (const struct lull_msgtree *i = t->first; i != NULL; i = i->next) {
            if (map) {
                json_key(i->key, j);
            }
            json_value(i, depth + 1, j);
        }
        lull_json_close(j, map ? '}' : ']');
    } else if (t->m.kind == LULL_MSGPACK_UINT && t->m.u < UINT64_C(1) << 53) {
        lull_json_u64(j, t->m.u);
    } else if (t->m.kind == LULL_MSGPACK_UINT) {
        lull_json_hex(j, t->m.u);
    } else if (t->m.kind == LULL_MSGPACK_BOOL) {
        lull_json_bool(j, t->m.u != 0);
    } else if (t->m.kind == LULL_MSGPACK_STR) {
        (void)lull_json_bytes(j, (const char *)t->m.data, t->m.size);
    } else {
        put_scalar(&t->m, PLAIN, &text);
        lull_json_str(j, lull_str_text(&text));
    }
    lull_str_free(&text);
}

void lull_elf_show_tree_json(const struct lull_msgtree *t, struct lull_json *j)
{
    json_value(t, 0, j);
}
