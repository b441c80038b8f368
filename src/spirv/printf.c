// SPDX-License-Identifier: MIT
// The lowering from its start to the new module.
#include "spirv/printf.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "spirv/printf_priv.h"

enum {
    V1_4 = 0x00010400,
    FORMAT_AT = 5,    ///< Word of OpExtInst.
    MAX_ID = 4194303, ///< Universal limit of the specification, 2.17.
    BOUND_AT = 3,
    MAX_MESSAGE = 256,
};

static const char extension[] = "SPV_KHR_non_semantic_info";

static struct lull_printf_type type_of(const struct lull_spv_arg *a)
{
    static const enum lull_printf_scalar ints[] = {LULL_PRINTF_I8, LULL_PRINTF_I16, LULL_PRINTF_I32,
                                                   LULL_PRINTF_I64};
    static const enum lull_printf_scalar floats[] = {LULL_PRINTF_HALF, LULL_PRINTF_HALF,
                                                     LULL_PRINTF_FLOAT, LULL_PRINTF_DOUBLE};
    const unsigned size = a->bits == 8 ? 0 : a->bits == 16 ? 1 : a->bits == 32 ? 2 : 3;
    struct lull_printf_type t = {.count = a->n};
    switch (a->kind) {
    case LULL_SPV_BOOL:
        t.scalar = LULL_PRINTF_I1;
        break;
    case LULL_SPV_INT:
        t.scalar = ints[size];
        t.sign = a->is_signed ? LULL_PRINTF_SIGNED : LULL_PRINTF_UNSIGNED;
        break;
    case LULL_SPV_FLOAT:
        t.scalar = floats[size];
        break;
    case LULL_SPV_POINTER:
        t.scalar = LULL_PRINTF_POINTER;
        break;
    case LULL_SPV_STRING:
        t.scalar = LULL_PRINTF_STRING;
        break;
    }
    return t;
}

/** Who gets the messages. */
struct told {
    lull_spirv_printf_fn *fn;
    void *arg;
    size_t errors;
};

static void tell(struct told *to, const struct lull_spv_call *call, bool error, const char *text)
{
    const struct lull_spirv_printf_message message = {call->at.file, call->at.line, call->at.column,
                                                      error, text};
    to->errors += error;
    if (to->fn != NULL) {
        to->fn(to->arg, &message);
    }
}

static const char *text_of(const struct lull_spv *m, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    return lull_spv_string(&in, 2);
}

/** Format and arguments compared; messages say what is wrong. */
static bool check(struct lull_spv_lower *l, const struct lull_spv_call *call, const char *format,
                  const struct lull_printf_type *types, struct told *to)
{
    struct lull_printf_diags diags = {0};
    const bool good = lull_printf_check(format, strlen(format), types, call->nargs, &diags);
    const size_t before = to->errors;
    (void)l;
    for (size_t i = 0; i < diags.count; i++) {
        tell(to, call, diags.list[i].error, diags.list[i].message);
    }
    if (!good && to->errors == before) {
        tell(to, call, true, "the format does not fit the arguments");
    }
    return good;
}

/** Types, checks, and the id of one call's string. */
LULL_MUST_USE static struct lull_error *shape(struct lull_spv_lower *l, struct lull_spv_call *call,
                                              struct lull_printf_table *table, struct told *to)
{
    const char *format = text_of(l->m, call->in.w[FORMAT_AT]);
    struct lull_printf_type *types = calloc(call->nargs + 1, sizeof *types);
    if (types == NULL) {
        return &lull_enomem;
    }
    uint64_t payload = lull_printf_record_dwords(l->options->records);
    for (size_t i = 0; i < call->nargs; i++) {
        const struct lull_spv_arg *a = &l->args[call->first_arg + i];
        types[i] = type_of(a);
        payload += lull_spv_arg_dwords(a);
    }
    struct lull_error *err = NULL;
    if (payload > LULL_SPV_ENTRY_MAX - LULL_SPV_ENTRY_HEADER) {
        char text[MAX_MESSAGE] = "";
        snprintf(text, sizeof text, "an entry of %llu dwords; %d is the most",
                 (unsigned long long)payload + LULL_SPV_ENTRY_HEADER, LULL_SPV_ENTRY_MAX);
        tell(to, call, true, text);
    } else if (check(l, call, format, types, to)) {
        call->payload = (uint32_t)payload;
        err = lull_printf_table_add(table, format, strlen(format), types, call->nargs,
                                    l->options->records, &call->id);
    }
    free(types);
    return err;
}

static uint32_t site_of(const struct lull_spv_lower *l, const struct lull_spv_call *call)
{
    return l->options->first_site + (uint32_t)(call - l->calls);
}

/** The code of one call into @p out. */
LULL_MUST_USE static struct lull_error *emit_call(struct lull_spv_lower *l,
                                                  const struct lull_spv_call *call,
                                                  struct lull_printf_table *table,
                                                  struct lull_spv_buf *out)
{
    struct lull_spv_buf dwords = {0};
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < call->nargs; i++) {
        const struct lull_spv_arg *a = &l->args[call->first_arg + i];
        uint64_t id = 0;
        if (a->kind == LULL_SPV_STRING) {
            const char *text = text_of(l->m, a->id);
            err = lull_printf_table_add_literal(table, text, strlen(text), &id);
        }
        lull_spv_printf_flatten(l, out, a, id, &dwords);
    }
    if ((l->options->records & LULL_PRINTF_SITE) != 0) {
        const uint32_t id = lull_spv_u32(&l->add, site_of(l, call));
        lull_spv_buf_add(&dwords, &id, 1);
    }
    if (err == NULL) {
        err = dwords.failed ? &lull_enomem
                            : lull_spv_printf_write(l, out, call, dwords.w, (uint32_t)dwords.n);
    }
    lull_spv_buf_free(&dwords);
    return err;
}

/** The functions with all calls replaced. */
LULL_MUST_USE static struct lull_error *functions(struct lull_spv_lower *l,
                                                  struct lull_printf_table *table,
                                                  struct lull_spv_buf *out)
{
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    size_t calls = 0, gone = 0, starts = 0;
    for (size_t pos = l->m->functions; err == NULL && lull_spv_next(l->m, &pos, &in);) {
        for (; starts < l->nstarts && l->starts[starts].at == in.at; starts++) {
            lull_spv_buf_add(out, l->starts[starts].code.w, l->starts[starts].code.n);
        }
        for (; err == NULL && calls < l->ncalls && l->calls[calls].emit_at == in.at; calls++) {
            err = emit_call(l, &l->calls[calls], table, out);
        }
        if (gone < l->ncalls && l->calls[gone].in.at == in.at) {
            gone++;
        } else {
            lull_spv_buf_add(out, in.w, in.n);
        }
    }
    return err;
}

/** OpEntryPoint with the variables that it now uses. */
static void entry_point(const struct lull_spv_lower *l, const struct lull_spv_entry *e,
                        struct lull_spv_buf *out)
{
    struct lull_spv_insn in = {0};
    struct lull_spv_buf words = {0};
    lull_spv_buf_add(&words, e->in.w + 1, e->in.n - 1);
    for (size_t i = 0; e->prints && i < l->ninterface + e->ninterface; i++) {
        const uint32_t id = i < l->ninterface ? l->interface[i] : e->interface[i - l->ninterface];
        in = lull_spv_def(l->m, id);
        const bool known = in.op == SpvOpVariable;
        const bool input = id == l->buffer.helper || i >= l->ninterface;
        bool there = false;
        for (size_t k = 3; known && k <= e->in.n - 1u; k++) {
            there |= e->in.w[k] == id;
        }
        if (!there && (input || l->m->version >= V1_4)) {
            lull_spv_buf_add(&words, &id, 1);
        }
    }
    lull_spv_emit(out, SpvOpEntryPoint, words.w, words.n);
    out->failed |= words.failed;
    lull_spv_buf_free(&words);
}

/** Is this a type that must stand before the struct that grows, and does not? */
static bool is_hoisted(const struct lull_spv_lower *l, const struct lull_spv_insn *in)
{
    return l->buffer.grown != 0 && (in->op == SpvOpTypeInt || in->op == SpvOpTypeVector) &&
           (in->w[1] == l->buffer.push_types[0] || in->w[1] == l->buffer.push_types[1]) &&
           in->at > lull_spv_def(l->m, l->buffer.grown).at;
}

/** The push constants' struct with two more members, and before it their types if need be. */
static void grown_struct(const struct lull_spv_lower *l, const struct lull_spv_insn *in,
                         struct lull_spv_buf *out)
{
    const uint32_t two = l->buffer.push_types[0], one = l->buffer.push_types[1];
    struct lull_spv_buf words = {0};
    if (one >= l->m->bound || lull_spv_def(l->m, one).at > in->at) {
        LULL_SPV_OP(out, SpvOpTypeInt, one, 32, 0);
    }
    if (two >= l->m->bound || lull_spv_def(l->m, two).at > in->at) {
        LULL_SPV_OP(out, SpvOpTypeVector, two, one, 2);
    }
    lull_spv_buf_add(&words, in->w + 1, in->n - 1);
    lull_spv_buf_add(&words, l->buffer.push_types, 2);
    lull_spv_emit(out, SpvOpTypeStruct, words.w, words.n);
    out->failed |= words.failed;
    lull_spv_buf_free(&words);
}

/** One instruction before the functions, as it shall be. */
static void global(const struct lull_spv_lower *l, const struct lull_spv_insn *in, size_t *entries,
                   struct lull_spv_buf *out)
{
    const bool physical = l->options->place != LULL_SPIRV_PRINTF_BINDING;
    switch (in->op) {
    case SpvOpEntryPoint:
        entry_point(l, &l->entries[(*entries)++], out);
        return;
    case SpvOpMemoryModel:
        if (physical && lull_spv_word(in, 1) == SpvAddressingModelLogical) {
            LULL_SPV_OP(out, SpvOpMemoryModel, SpvAddressingModelPhysicalStorageBuffer64,
                        lull_spv_word(in, 2));
            return;
        }
        break;
    case SpvOpExtension:
        if (!l->keep_extension && lull_spv_string(in, 1) != NULL &&
            strcmp(lull_spv_string(in, 1), extension) == 0) {
            return;
        }
        break;
    case SpvOpExtInstImport:
    case SpvOpString:
    case SpvOpName:
        if (lull_spv_word(in, 1) < l->m->bound && l->dropped[lull_spv_word(in, 1)]) {
            return;
        }
        break;
    case SpvOpTypeStruct:
        if (l->buffer.grown != 0 && lull_spv_word(in, 1) == l->buffer.grown) {
            grown_struct(l, in, out);
            return;
        }
        break;
    default:
        if (is_hoisted(l, in)) {
            return;
        }
        break;
    }
    lull_spv_buf_add(out, in->w, in->n);
}

/** What is added at the end of the sections before @p until. */
static void flush(struct lull_spv_lower *l, enum lull_spv_section *done,
                  enum lull_spv_section until, struct lull_spv_buf *out)
{
    for (; *done < until; ++*done) {
        const struct lull_spv_buf *b = &l->add.sections[*done];
        struct lull_spv_insn in = {0};
        for (size_t i = 0; i < b->n; i += in.n) {
            in = (struct lull_spv_insn){.op = b->w[i] & SpvOpCodeMask,
                                        .n = b->w[i] >> SpvWordCountShift,
                                        .at = SIZE_MAX,
                                        .w = b->w + i};
            if (!is_hoisted(l, &in)) {
                lull_spv_buf_add(out, in.w, in.n);
            }
        }
    }
}

/** Header and sections, what is added at the end of each, functions. */
static void assemble(struct lull_spv_lower *l, const struct lull_spv_buf *code,
                     struct lull_spv_buf *out)
{
    struct lull_spv_insn in = {0};
    enum lull_spv_section done = LULL_SPV_CAPABILITIES;
    size_t entries = 0;
    lull_spv_buf_add(out, l->m->words, LULL_SPV_HEADER_WORDS);
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < l->m->functions && lull_spv_next(l->m, &pos, &in);) {
        flush(l, &done, lull_spv_section_of(in.op), out);
        global(l, &in, &entries, out);
    }
    flush(l, &done, LULL_SPV_FUNCTIONS, out);
    lull_spv_buf_add(out, code->w, code->n);
    flush(l, &done, LULL_SPV_NSECTIONS, out);
    if (!out->failed) {
        out->w[BOUND_AT] = l->add.bound;
    }
}

LULL_MUST_USE static struct lull_error *check_module(const struct lull_spv_lower *l)
{
    struct lull_spv_insn in = {0};
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < l->m->functions && lull_spv_next(l->m, &pos, &in);) {
        if (in.op == SpvOpMemoryModel && (lull_spv_word(&in, 2) == SpvMemoryModelOpenCL ||
                                          lull_spv_word(&in, 1) == SpvAddressingModelPhysical32 ||
                                          lull_spv_word(&in, 1) == SpvAddressingModelPhysical64)) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "word %zu: a module for OpenCL; printf is lowered for Vulkan",
                                  in.at);
        }
    }
    if ((l->options->records & ~(unsigned)LULL_PRINTF_RECORD_ALL) != 0 ||
        l->options->push_offset % 8 != 0 || l->options->push_offset > UINT16_MAX ||
        l->options->spec_id > UINT32_MAX - 3) {
        return lull_error_new(LULL_ERR_INVALID,
                              "printf: push constants at byte %u, constants from "
                              "%u, records 0x%x",
                              l->options->push_offset, l->options->spec_id, l->options->records);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *lower(struct lull_spv_lower *l,
                                              struct lull_printf_table *table, struct told *to,
                                              struct lull_spv_buf *out)
{
    struct lull_spv_buf code = {0};
    struct lull_error *err = check_module(l);
    for (size_t i = 0; err == NULL && i < l->ncalls; i++) {
        err = shape(l, &l->calls[i], table, to);
    }
    if (err != NULL || to->errors != 0) {
        return err;
    }
    for (size_t i = 0; l->options->site != NULL && i < l->ncalls; i++) {
        const struct lull_spv_where *at = &l->calls[i].at;
        const struct lull_spirv_printf_site site = {site_of(l, &l->calls[i]), at->file, at->line};
        l->options->site(l->options->arg, &site);
    }
    lull_spv_printf_drop(l);
    err = lull_spv_printf_buffer(l);
    err = err != NULL ? err : lull_spv_printf_records(l);
    err = err != NULL ? err : functions(l, table, &code);
    if (err == NULL && l->add.bound > MAX_ID + 1u) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "the module would have %u ids, the limit is %d",
                             l->add.bound, MAX_ID);
    }
    if (err == NULL) {
        assemble(l, &code, out);
        err = code.failed || out->failed || lull_spv_add_failed(&l->add) ? &lull_enomem : NULL;
    }
    lull_spv_buf_free(&code);
    return err;
}

static void done(struct lull_spv_lower *l)
{
    for (size_t i = 0; i < l->nstarts; i++) {
        lull_spv_buf_free(&l->starts[i].code);
    }
    free(l->starts);
    free(l->calls);
    free(l->args);
    free(l->edges);
    free(l->entries);
    free(l->prints);
    free(l->dropped);
    free(l->helpers);
    lull_spv_add_free(&l->add);
    lull_spv_done(l->m);
}

struct lull_error *lull_spirv_printf(const void *data, size_t size,
                                     const struct lull_spirv_printf_options *options,
                                     struct lull_printf_table *table,
                                     struct lull_spirv_printf_result *ret)
{
    struct lull_spv m = {0};
    struct lull_spv_lower l = {.m = &m, .options = options};
    struct told to = {options->fn, options->arg, 0};
    struct lull_spv_buf out = {0};
    struct lull_error *err = lull_spv_read(data, size, &m);
    l.add.m = &m;
    l.add.bound = m.bound;
    if (err == NULL) {
        err = lull_spv_printf_scan(&l);
    }
    if (err == NULL && l.ncalls != 0) {
        err = lower(&l, table, &to, &out);
    }
    if (err == NULL) {
        *ret = (struct lull_spirv_printf_result){out.w, out.n, l.ncalls, to.errors};
        out = (struct lull_spv_buf){0};
    }
    lull_spv_buf_free(&out);
    done(&l);
    return err;
}
