// SPDX-License-Identifier: MIT
// What a module has of printf: imports, calls and their lines, who calls whom.
#include <spirv/unified1/NonSemanticDebugPrintf.h>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/printf_priv.h"

enum {
    // OpExtInst: type, result, set, instruction, operands.
    SET_AT = 3,
    INSTRUCTION_AT = 4,
    OPERANDS_AT = 5,
};

static const char set_name[] = "NonSemantic.DebugPrintf";
static const char debug_name[] = "NonSemantic.Shader.DebugInfo.100";
static const char any_name[] = "NonSemantic.";

/** While functions are walked. */
struct walk {
    struct lull_spv_lower *l;
    size_t room_calls, room_args, room_edges;
    uint32_t function;        ///< Id; 0: outside.
    bool block;               ///< Between OpLabel and the block's end.
    size_t last_early;        ///< Word behind the block's last OpPhi or OpVariable; 0: none.
    size_t block_calls;       ///< Index of the block's first call.
    struct lull_spv_where at; ///< Line of what comes.
};

/** Room for one more of @p size bytes in *@p list. */
LULL_MUST_USE static struct lull_error *grow(void *list, size_t n, size_t *room, size_t size)
{
    void **at = list;
    if (n < *room) {
        return NULL;
    }
    const size_t want = *room != 0 ? 2 * *room : 16;
    void *more = realloc(*at, want * size);
    if (more == NULL) {
        return &lull_enomem;
    }
    *at = more;
    *room = want;
    return NULL;
}

static const char *import_name(const struct lull_spv *m, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    const char *name = in.op == SpvOpExtInstImport ? lull_spv_string(&in, 2) : NULL;
    return name != NULL ? name : "";
}

static const char *string_of(const struct lull_spv *m, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    return in.op == SpvOpString ? lull_spv_string(&in, 2) : NULL;
}

/** OpLine, or the line of the debug instructions: DebugLine source, first, last, columns. */
static void place(struct walk *w, const struct lull_spv_insn *in)
{
    const struct lull_spv *m = w->l->m;
    struct lull_spv_where at = {0};
    if (in->op == SpvOpLine) {
        at.file = string_of(m, lull_spv_word(in, 1));
        at.line = lull_spv_word(in, 2);
        at.column = lull_spv_word(in, 3);
    } else if (in->op == SpvOpExtInst) {
        const struct lull_spv_insn source = lull_spv_def(m, lull_spv_word(in, OPERANDS_AT));
        const bool known =
            source.op == SpvOpExtInst &&
            lull_spv_word(&source, INSTRUCTION_AT) == NonSemanticShaderDebugInfo100DebugSource;
        at.file = known ? string_of(m, lull_spv_word(&source, OPERANDS_AT)) : NULL;
        lull_spv_constant(m, lull_spv_word(in, OPERANDS_AT + 1), &at.line);
        lull_spv_constant(m, lull_spv_word(in, OPERANDS_AT + 3), &at.column);
    }
    w->at = at;
}

LULL_MUST_USE static struct lull_error *add_call(struct walk *w, const struct lull_spv_insn *in)
{
    struct lull_spv_lower *l = w->l;
    if (!w->block) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: printf outside of a block", in->at);
    }
    if (string_of(l->m, lull_spv_word(in, OPERANDS_AT)) == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: printf's format %u is not an OpString",
                              in->at, lull_spv_word(in, OPERANDS_AT));
    }
    if (lull_spv_def(l->m, in->w[1]).op != SpvOpTypeVoid) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: printf of type %u, which is not void",
                              in->at, in->w[1]);
    }
    struct lull_error *err = grow(&l->calls, l->ncalls, &w->room_calls, sizeof *l->calls);
    if (err != NULL) {
        return err;
    }
    struct lull_spv_call *call = &l->calls[l->ncalls];
    *call =
        (struct lull_spv_call){.in = *in, .emit_at = in->at, .at = w->at, .first_arg = l->nargs};
    for (uint32_t i = OPERANDS_AT + 1; err == NULL && i < in->n; i++) {
        err = grow(&l->args, l->nargs, &w->room_args, sizeof *l->args);
        if (err == NULL) {
            err = lull_error_in(lull_spv_printf_classify(l->m, in->w[i], &l->args[l->nargs]),
                                "word %zu: printf: argument %u", in->at, i - OPERANDS_AT);
        }
        l->nargs += err == NULL;
        call->nargs += err == NULL;
    }
    l->ncalls++;
    l->prints[w->function] = 1;
    return err;
}

/** A block ends: calls among its phis and variables go behind those. */
static void end_block(struct walk *w)
{
    struct lull_spv_lower *l = w->l;
    for (size_t i = w->block_calls; i < l->ncalls; i++) {
        if (l->calls[i].in.at < w->last_early) {
            l->calls[i].emit_at = w->last_early;
        }
    }
    w->block = false;
}

LULL_MUST_USE static struct lull_error *ext_inst(struct walk *w, const struct lull_spv_insn *in)
{
    const char *set = import_name(w->l->m, lull_spv_word(in, SET_AT));
    const uint32_t instruction = lull_spv_word(in, INSTRUCTION_AT);
    if (strcmp(set, set_name) == 0 && instruction == NonSemanticDebugPrintfDebugPrintf) {
        return add_call(w, in);
    }
    if (strcmp(set, debug_name) == 0 && (instruction == NonSemanticShaderDebugInfo100DebugLine ||
                                         instruction == NonSemanticShaderDebugInfo100DebugNoLine)) {
        place(w, instruction == NonSemanticShaderDebugInfo100DebugLine
                     ? in
                     : &(struct lull_spv_insn){0});
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_edge(struct walk *w, const struct lull_spv_insn *in)
{
    struct lull_spv_lower *l = w->l;
    const uint32_t callee = lull_spv_word(in, 3);
    if (callee == 0 || callee >= l->m->bound || w->function == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: call of function %u", in->at, callee);
    }
    struct lull_error *err = grow(&l->edges, l->nedges, &w->room_edges, sizeof *l->edges);
    if (err == NULL) {
        l->edges[l->nedges++] = (struct lull_spv_edge){callee, w->function};
    }
    return err;
}

LULL_MUST_USE static struct lull_error *in_function(struct walk *w, const struct lull_spv_insn *in,
                                                    size_t next)
{
    switch (in->op) {
    case SpvOpFunction:
        w->function = lull_spv_word(in, 2);
        break;
    case SpvOpFunctionEnd:
        w->function = 0;
        end_block(w);
        break;
    case SpvOpLabel:
        w->block = w->function != 0;
        w->block_calls = w->l->ncalls;
        w->last_early = 0;
        break;
    case SpvOpPhi:
    case SpvOpVariable:
        w->last_early = next;
        break;
    case SpvOpLine:
        place(w, in);
        break;
    case SpvOpNoLine:
        w->at = (struct lull_spv_where){0};
        break;
    case SpvOpExtInst:
        return ext_inst(w, in);
    case SpvOpFunctionCall:
        return add_edge(w, in);
    default:
        break;
    }
    if (lull_spv_ends_block(in->op)) {
        end_block(w);
        w->at = (struct lull_spv_where){0};
    }
    return NULL;
}

static int by_callee(const void *a, const void *b)
{
    const struct lull_spv_edge *x = a, *y = b;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

/** Index of the first edge to @p callee or behind. */
static size_t first_edge(const struct lull_spv_lower *l, uint32_t callee)
{
    size_t low = 0, high = l->nedges;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (l->edges[mid].callee < callee) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/** Who calls a function that prints, prints. */
LULL_MUST_USE static struct lull_error *spread(struct lull_spv_lower *l)
{
    size_t n = 0;
    uint32_t *todo = calloc((size_t)l->m->bound + 1, sizeof *todo);
    if (todo == NULL) {
        return &lull_enomem;
    }
    if (l->nedges != 0) {
        qsort(l->edges, l->nedges, sizeof *l->edges, by_callee);
    }
    for (uint32_t id = 0; id < l->m->bound; id++) {
        if (l->prints[id]) {
            todo[n++] = id;
        }
    }
    while (n > 0) {
        const uint32_t callee = todo[--n];
        for (size_t i = first_edge(l, callee); i < l->nedges && l->edges[i].callee == callee; i++) {
            const uint32_t caller = l->edges[i].caller;
            if (!l->prints[caller]) {
                l->prints[caller] = 1;
                todo[n++] = caller;
            }
        }
    }
    free(todo);
    return NULL;
}

LULL_MUST_USE static struct lull_error *entries(struct lull_spv_lower *l)
{
    struct lull_spv_insn in = {0};
    size_t room = 0;
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < l->m->functions && lull_spv_next(l->m, &pos, &in);) {
        if (in.op != SpvOpEntryPoint) {
            continue;
        }
        const uint32_t id = lull_spv_word(&in, 2);
        if (id >= l->m->bound || lull_spv_string(&in, 3) == NULL) {
            return lull_error_new(LULL_ERR_BAD_DATA, "word %zu: entry point %u", in.at, id);
        }
        struct lull_error *err = grow(&l->entries, l->nentries, &room, sizeof *l->entries);
        if (err != NULL) {
            return err;
        }
        l->entries[l->nentries++] = (struct lull_spv_entry){.in = in, .prints = l->prints[id] != 0};
    }
    return NULL;
}

struct lull_error *lull_spv_printf_scan(struct lull_spv_lower *l)
{
    struct walk w = {.l = l};
    struct lull_spv_insn in = {0};
    l->prints = calloc((size_t)l->m->bound + 1, 1);
    l->dropped = calloc((size_t)l->m->bound + 1, 1);
    struct lull_error *err = l->prints != NULL && l->dropped != NULL ? NULL : &lull_enomem;
    for (size_t pos = l->m->functions; err == NULL && lull_spv_next(l->m, &pos, &in);) {
        err = in_function(&w, &in, pos);
    }
    end_block(&w);
    if (err == NULL && w.function != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "word %zu: function %u does not end", l->m->nwords,
                             w.function);
    }
    err = err != NULL ? err : spread(l);
    return err != NULL ? err : entries(l);
}

/** The call that is @p in; NULL: it is none. @p *next is the first that may be it. */
static bool is_call(const struct lull_spv_lower *l, const struct lull_spv_insn *in, size_t *next)
{
    if (*next < l->ncalls && l->calls[*next].in.at == in->at) {
        ++*next;
        return true;
    }
    return false;
}

/** May an instruction name a string or an import? Those of extensions that are not known may. */
static bool may_name_string(uint32_t op)
{
    enum { FIRST_OF_EXTENSIONS = 4096 };
    return op == SpvOpLine || op == SpvOpSource || op == SpvOpExtInst || op == SpvOpDecorateId ||
           op == SpvOpExecutionModeId ||
           (op >= FIRST_OF_EXTENSIONS && op != SpvOpDecorateString &&
            op != SpvOpMemberDecorateString);
}

void lull_spv_printf_drop(struct lull_spv_lower *l)
{
    const struct lull_spv *m = l->m;
    struct lull_spv_insn in = {0};
    size_t call = 0;
    for (size_t i = 0; i < l->ncalls; i++) {
        const struct lull_spv_insn *c = &l->calls[i].in;
        l->dropped[c->w[SET_AT]] = 1;
        for (uint32_t k = OPERANDS_AT; k < c->n; k++) {
            l->dropped[c->w[k]] = lull_spv_def(m, c->w[k]).op == SpvOpString;
        }
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS; lull_spv_next(m, &pos, &in);) {
        if (is_call(l, &in, &call) || !may_name_string(in.op)) {
            continue;
        }
        const uint32_t end = in.op == SpvOpLine ? 2 : in.n; // Then come numbers.
        for (uint32_t i = 1; i < end; i++) {
            const bool number = in.op == SpvOpExtInst && i == INSTRUCTION_AT;
            if (!number && in.w[i] < m->bound) {
                l->dropped[in.w[i]] = 0;
            }
        }
    }
    bool other = false;
    for (size_t pos = LULL_SPV_HEADER_WORDS; pos < m->functions && lull_spv_next(m, &pos, &in);) {
        other |= in.op == SpvOpExtInstImport && !l->dropped[lull_spv_word(&in, 1)] &&
                 strncmp(import_name(m, lull_spv_word(&in, 1)), any_name, sizeof any_name - 1) == 0;
    }
    l->keep_extension = other;
}
