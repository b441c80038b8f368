// SPDX-License-Identifier: MIT
#include "spirv/text.h"

#include <inttypes.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "spirv/build.h"
#include "spirv/grammar.h"

enum { MOST_NAME = 64 /* characters of a name that are shown */, HEADER_BOUND = 3 };

/** Text and module in the making. */
struct text {
    const struct lull_spv *m;
    const char **names; ///< m->bound of them, owned; NULL: none.
    struct lull_str *out;
    struct lull_spv_buf words;
    uint32_t line; ///< Of the text, that is written next.
    uint32_t file; ///< Id of the path.
    bool strip;    ///< The module names no members: variables get names.
};

static bool is_debug_line(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    if (in->op != SpvOpExtInst || lull_spv_word(in, 4) != NonSemanticShaderDebugInfo100DebugLine) {
        return false;
    }
    const struct lull_spv_insn set = lull_spv_def(m, lull_spv_word(in, 3));
    const char *name = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    return name != NULL && strcmp(name, "NonSemantic.Shader.DebugInfo.100") == 0;
}

bool lull_spv_has_lines(const struct lull_spv *m)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = m->functions; pos < m->nwords && lull_spv_next(m, &pos, &in);) {
        if (in.op == SpvOpLine || is_debug_line(m, &in)) {
            return true;
        }
    }
    return false;
}

static void collect_names(struct text *t)
{
    struct lull_spv_insn in = {0};
    t->strip = true;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < t->m->functions && lull_spv_next(t->m, &pos, &in);) {
        const uint32_t id = lull_spv_word(&in, 1);
        const char *name = in.op == SpvOpName ? lull_spv_string(&in, 2) : NULL;
        t->strip = t->strip && in.op != SpvOpMemberName;
        if (name != NULL && name[0] != '\0' && id < t->m->bound) {
            t->names[id] = name;
        }
    }
}

static void put_id(struct text *t, uint32_t id)
{
    const char *name = id < t->m->bound ? t->names[id] : NULL;
    lull_str_addf(t->out, " %%");
    if (name != NULL) {
        lull_str_printable(t->out, name, strnlen(name, MOST_NAME));
        lull_str_addf(t->out, "_");
    }
    lull_str_addf(t->out, "%" PRIu32, id);
}

static void put_word(struct text *t, uint32_t word)
{
    lull_str_addf(t->out, " %" PRIu32, word);
}

/** The literal of a constant: by its type, if that is one dword. */
static void put_literal(struct text *t, const struct lull_spv_insn *in, uint32_t at)
{
    const struct lull_spv_insn type = lull_spv_def(t->m, lull_spv_word(in, 1));
    const uint32_t bits = in->w[at];
    float f = 0;
    memcpy(&f, &bits, sizeof f);
    if (type.op == SpvOpTypeFloat && lull_spv_word(&type, 2) == 32) {
        lull_str_addf(t->out, " %.9g", (double)f);
    } else if (type.op == SpvOpTypeInt && lull_spv_word(&type, 3) != 0 && in->n == at + 1) {
        lull_str_addf(t->out, " %" PRId32, (int32_t)bits);
    } else {
        put_word(t, bits);
    }
}

/** The operand of @p kind that begins at word @p at. @return How many words it has, at least 1. */
static uint32_t put_operand(struct text *t, const struct lull_spv_insn *in, char kind, uint32_t at)
{
    const char *string = kind == 'S' ? lull_spv_string(in, at) : NULL;
    const bool pair = at + 1 < in->n;
    switch (kind) {
    case 'T':
    case 'R':
        return 1; // Both stand in front.
    case 'I':
        put_id(t, in->w[at]);
        return 1;
    case 'L':
        put_word(t, in->w[at]);
        if (pair) {
            put_id(t, in->w[at + 1]);
        }
        return 2;
    case 'M':
        put_id(t, in->w[at]);
        if (pair) {
            put_word(t, in->w[at + 1]);
        }
        return 2;
    case 'P':
        put_id(t, in->w[at]);
        if (pair) {
            put_id(t, in->w[at + 1]);
        }
        return 2;
    case 'C':
        put_literal(t, in, at);
        return 1;
    default:
        if (string == NULL) {
            put_word(t, in->w[at]);
            return 1;
        }
        lull_str_addf(t->out, " \"");
        lull_str_printable(t->out, string, strlen(string));
        lull_str_addf(t->out, "\"");
        return lull_spv_string_words(string);
    }
}

/** An operand, and those that a value of an enumeration has behind it. @return Words. */
static uint32_t put_with_more(struct text *t, const struct lull_spv_insn *in, char kind,
                              uint32_t at)
{
    uint32_t n = put_operand(t, in, kind, at);
    for (size_t i = 0; kind >= 'a' && kind <= 'z' && i < lull_spv_nenumerants; i++) {
        const struct lull_spv_enumerant *e = &lull_spv_enumerants[i];
        const bool has = e->bit ? (in->w[at] & e->value) != 0 : in->w[at] == e->value;
        for (const char *k = e->kind == kind && has && e->operands != NULL ? e->operands : "";
             *k != '\0' && at + n < in->n;) {
            n += put_operand(t, in, *k, at + n);
            k += k[1] == '*' ? 0 : 1 + (k[1] == '?');
        }
    }
    return n;
}

/** An instruction of GLSL.std.450 by name. */
static const char *extended_name(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    if (in->op != SpvOpExtInst) {
        return NULL;
    }
    const struct lull_spv_insn set = lull_spv_def(m, lull_spv_word(in, 3));
    const char *name = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    const struct lull_spv_op *op = name != NULL && strcmp(name, "GLSL.std.450") == 0
                                       ? lull_spv_glsl_op(lull_spv_word(in, 4))
                                       : NULL;
    return op != NULL ? op->name : NULL;
}

static void put_insn(struct text *t, const struct lull_spv_insn *in)
{
    const struct lull_spv_op *op = lull_spv_op(in->op);
    bool typed = false;
    const bool result = lull_spv_has_result(in->op, &typed);
    const char *extended = extended_name(t->m, in);
    const char *kinds = op != NULL && op->operands != NULL ? op->operands : "";
    if (result) {
        put_id(t, lull_spv_word(in, typed ? 2 : 1));
        lull_str_addf(t->out, " =");
    }
    lull_str_addf(t->out, " %s", op != NULL ? op->name : "?");
    if (typed) {
        put_id(t, lull_spv_word(in, 1));
    }
    uint32_t at = 1;
    if (extended != NULL) {
        put_id(t, in->w[3]);
        lull_str_addf(t->out, " %s", extended);
        at = 5;
        kinds = "I*";
    }
    while (at < in->n) {
        const bool many = kinds[0] != '\0' && kinds[1] == '*';
        at += put_with_more(t, in, kinds[0], at);
        const struct lull_spv_op *inner = kinds[0] == 'O' ? lull_spv_op(in->w[at - 1]) : NULL;
        if (inner != NULL && inner->operands != NULL) { // OpSpecConstantOp, without type and result
            kinds = inner->operands + strspn(inner->operands, "TR");
            continue;
        }
        kinds += kinds[0] == '\0' || many ? 0 : 1 + (kinds[1] == '?');
    }
    lull_str_addf(t->out, "\n");
    t->line++;
}

/** Variables without a name, where the module has none at all to speak of. */
static void name_variables(struct text *t)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS; t->strip && lull_spv_next(t->m, &pos, &in);) {
        const uint32_t id = in.op == SpvOpVariable ? lull_spv_word(&in, 2) : 0;
        char name[16] = "v";
        if (id != 0 && id < t->m->bound && t->names[id] == NULL) {
            snprintf(name, sizeof name, "v%" PRIu32, id);
            lull_spv_emit_text(&t->words, SpvOpName, &id, 1, name);
        }
    }
}

/** May an OpLine stand in front of it, and does it matter there? */
static bool has_line(uint32_t op, uint32_t before)
{
    return before != SpvOpSelectionMerge && before != SpvOpLoopMerge &&
           op != SpvOpFunctionParameter && op != SpvOpLabel && op != SpvOpFunctionEnd &&
           op != SpvOpVariable && op != SpvOpPhi && op != SpvOpNoLine;
}

LULL_MUST_USE static struct lull_error *make(struct text *t, const char *path)
{
    struct lull_spv_insn in = {0};
    uint32_t before = SpvOpNop;
    bool string = false, named = false;
    lull_spv_buf_add(&t->words, t->m->words, LULL_SPV_HEADER_WORDS);
    for (size_t pos = LULL_SPV_HEADER_WORDS; lull_spv_next(t->m, &pos, &in);) {
        const bool global = in.at < t->m->functions;
        const enum lull_spv_section section =
            global ? lull_spv_section_of(in.op) : LULL_SPV_FUNCTIONS;
        if (!string && section >= LULL_SPV_STRINGS) {
            lull_spv_emit_text(&t->words, SpvOpString, &t->file, 1, path);
            string = true;
        }
        if (!named && section >= LULL_SPV_NAMES) {
            name_variables(t);
            named = true;
        }
        if (!global && has_line(in.op, before)) {
            LULL_SPV_OP(&t->words, SpvOpLine, t->file, t->line, 0);
        }
        lull_spv_buf_add(&t->words, in.w, in.n);
        put_insn(t, &in);
        before = in.op;
    }
    if (t->out->err != NULL) {
        return t->out->err;
    }
    if (t->words.failed) {
        return &lull_enomem;
    }
    t->words.w[HEADER_BOUND] = t->file + 1;
    return NULL;
}

struct lull_error *lull_spv_text(const struct lull_spv *m, const char *path, struct lull_str *text,
                                 uint32_t **ret, size_t *ret_words)
{
    struct text t = {.m = m, .out = text, .line = 1, .file = m->bound};
    if (m->bound == UINT32_MAX) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the module has no id left");
    }
    t.names = calloc((size_t)m->bound + 1, sizeof *t.names);
    struct lull_error *err = t.names == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        collect_names(&t);
        err = make(&t, path);
    }
    free(t.names);
    if (err != NULL) {
        lull_spv_buf_free(&t.words);
        return err;
    }
    *ret = t.words.w;
    *ret_words = t.words.n;
    return NULL;
}
