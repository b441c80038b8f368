// SPDX-License-Identifier: MIT
#include "spirv/grammar.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "base/cleanup.h"

enum { WORD_BITS = 32, RESULT_AT = 2, EXT_OP_AT = 4 };

static int by_op(const void *key, const void *row)
{
    const uint32_t a = *(const uint32_t *)key, b = ((const struct lull_spv_op *)row)->op;
    return (a > b) - (a < b);
}

const struct lull_spv_op *lull_spv_op(uint32_t op)
{
    return bsearch(&op, lull_spv_ops, lull_spv_nops, sizeof *lull_spv_ops, by_op);
}

const struct lull_spv_op *lull_spv_glsl_op(uint32_t op)
{
    return bsearch(&op, lull_spv_glsl_ops, lull_spv_nglsl_ops, sizeof *lull_spv_glsl_ops, by_op);
}

uint32_t lull_spv_debug_operand(const struct lull_spv_insn *in, const char *name)
{
    const size_t size = strlen(name);
    const struct lull_spv_debug_op *row = NULL;
    for (size_t i = 0; row == NULL && i < lull_spv_ndebug_ops; i++) {
        row = lull_spv_debug_ops[i].op == lull_spv_word(in, EXT_OP_AT) ? &lull_spv_debug_ops[i]
                                                                       : NULL;
    }
    uint32_t word = EXT_OP_AT + 1;
    for (const char *at = row != NULL ? row->operands : ""; *at != '\0'; word++) {
        const size_t n = strcspn(at, "|");
        if (n == size && memcmp(at, name, n) == 0) {
            return word;
        }
        at += n + (at[n] == '|');
    }
    return 0;
}

struct lull_error *lull_spv_error(enum lull_error_code code, const struct lull_spv_insn *in,
                                  const char *fmt, ...)
{
    lull_cleanup(lull_freep) char *text = NULL;
    const struct lull_spv_op *row = in != NULL ? lull_spv_op(in->op) : NULL;
    va_list args;
    va_start(args, fmt);
    const int n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) {
        text = NULL;
        return &lull_enomem;
    }
    const char *operands = row != NULL && row->operands != NULL ? row->operands : "";
    const uint32_t at = operands[0] == 'T' ? RESULT_AT : operands[0] == 'R' ? 1 : 0;
    if (in == NULL) {
        return lull_error_new(code, "%s", text);
    }
    if (row == NULL) {
        return lull_error_new(code, "word %zu: instruction %u: %s", in->at, in->op, text);
    }
    return at == 0 || at >= in->n
               ? lull_error_new(code, "word %zu: %s: %s", in->at, row->name, text)
               : lull_error_new(code, "word %zu: %s %%%u: %s", in->at, row->name, in->w[at], text);
}

/** Where the check of an instruction is. */
struct check {
    const struct lull_spv *m;
    const struct lull_spv_insn *in;
    uint32_t at; ///< Next word.
};

LULL_MUST_USE static struct lull_error *bad(const struct check *c, const char *what)
{
    return lull_spv_error(LULL_ERR_BAD_DATA, c->in, "%s", what);
}

LULL_MUST_USE static struct lull_error *one_id(struct check *c)
{
    const uint32_t id = lull_spv_word(c->in, c->at);
    if (c->at >= c->in->n) {
        return bad(c, "operands are missing");
    }
    c->at++;
    return id != 0 && id < c->m->bound && c->m->def[id] != 0
               ? NULL
               : lull_spv_error(LULL_ERR_BAD_DATA, c->in, "id %u is not defined", id);
}

LULL_MUST_USE static struct lull_error *words(struct check *c, uint32_t n)
{
    if (n > c->in->n - c->at) {
        return bad(c, "operands are missing");
    }
    c->at += n;
    return NULL;
}

/** Words of a literal of the result's type, or of the selector's. */
LULL_MUST_USE static struct lull_error *literal_words(const struct check *c, uint32_t *ret)
{
    const uint32_t first = lull_spv_word(c->in, 1);
    const uint32_t type =
        c->in->op == SpvOpSwitch && first < c->m->bound ? c->m->type[first] : first;
    const struct lull_spv_insn t = lull_spv_def(c->m, type);
    if ((t.op != SpvOpTypeInt && t.op != SpvOpTypeFloat) || t.n < 3) {
        return bad(c, "a literal that is not a number");
    }
    *ret = t.w[2] <= WORD_BITS ? 1 : 2;
    return NULL;
}

LULL_MUST_USE static struct lull_error *string(struct check *c)
{
    const char *text = lull_spv_string(c->in, c->at);
    return text == NULL ? bad(c, "a string is not terminated")
                        : words(c, lull_spv_string_words(text));
}

/** Operands without an enumeration among them. */
LULL_MUST_USE static struct lull_error *plain(struct check *c, char letter)
{
    uint32_t n = 1;
    struct lull_error *err = NULL;
    switch (letter) {
    case 'T':
    case 'R':
    case 'I':
        return one_id(c);
    case 'S':
        return string(c);
    case 'C':
        err = literal_words(c, &n);
        return err != NULL ? err : words(c, n);
    case 'L':
        // OpSwitch's are as wide as its selector.
        err = c->in->op == SpvOpSwitch ? literal_words(c, &n) : NULL;
        err = err != NULL ? err : words(c, n);
        return err != NULL ? err : one_id(c);
    case 'M':
        err = one_id(c);
        return err != NULL ? err : words(c, 1);
    case 'P':
        err = one_id(c);
        return err != NULL ? err : one_id(c);
    default:
        return words(c, 1);
    }
}

/** An enumeration: its word, then the operands of its value, or of its bits, in their order. */
LULL_MUST_USE static struct lull_error *enumeration(struct check *c, char kind)
{
    const uint32_t value = lull_spv_word(c->in, c->at);
    struct lull_error *err = words(c, 1);
    for (size_t i = 0; i < lull_spv_nenumerants && err == NULL; i++) {
        const struct lull_spv_enumerant *e = &lull_spv_enumerants[i];
        if (e->kind != kind || (e->bit ? (value & e->value) == 0 : value != e->value)) {
            continue;
        }
        for (const char *o = e->operands; *o != '\0' && err == NULL; o++) {
            const bool many = o[1] == '*';
            do {
                err = many && c->at == c->in->n ? NULL : plain(c, *o);
            } while (many && err == NULL && c->at < c->in->n);
            o += many;
        }
        if (!e->bit) {
            break;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *operands(struct check *c, const char *letters)
{
    struct lull_error *err = NULL;
    for (const char *l = letters; *l != '\0' && err == NULL; l++) {
        const bool many = l[1] == '*', maybe = many || l[1] == '?';
        do {
            if (maybe && c->at == c->in->n) {
                break;
            }
            if (*l == 'O') {
                return NULL; // who knows the opcode reads the rest
            }
            err = *l >= 'a' && *l <= 'z' ? enumeration(c, *l) : plain(c, *l);
        } while (many && err == NULL);
        l += maybe;
    }
    return err == NULL && c->at != c->in->n ? bad(c, "there are more words than operands") : err;
}

bool lull_spv_has_literals(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    const struct lull_spv_insn set = lull_spv_def(m, lull_spv_word(in, 3));
    const char *called = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    return in->op == SpvOpExtInst && called != NULL &&
           (strcmp(called, "OpenCL.DebugInfo.100") == 0 || strcmp(called, "DebugInfo") == 0);
}

struct lull_error *lull_spv_check(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    enum { EXT_INST_WORDS = 5 };
    struct lull_spv_insn first = *in;
    if (lull_spv_has_literals(m, in) && first.n > EXT_INST_WORDS) {
        first.n = EXT_INST_WORDS;
        in = &first;
    }
    const struct lull_spv_op *row = lull_spv_op(in->op);
    if (row == NULL || row->operands == NULL) {
        return lull_spv_error(LULL_ERR_UNSUPPORTED, in, "lull does not know this instruction");
    }
    struct check c = {.m = m, .in = in, .at = 1};
    return operands(&c, row->operands);
}
