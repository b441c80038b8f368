// SPDX-License-Identifier: MIT
#include "spirv/marks.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

#include "spirv/marks_priv.h"

enum { BOUND_AT = 3, WIDE = 64, HALF = 32, DIVISION_WORDS = 5 };

/** Components of the type @p id, if it is of integers of 64 bits; 0: it is not. */
static uint32_t wide(const struct lull_spv *m, uint32_t id, bool *ret_signed)
{
    struct lull_spv_insn type = lull_spv_def(m, id);
    uint32_t n = 1;
    if (type.op == SpvOpTypeVector) {
        n = lull_spv_word(&type, 3);
        type = lull_spv_def(m, lull_spv_word(&type, 2));
    }
    *ret_signed = lull_spv_word(&type, 3) != 0;
    const bool is = type.op == SpvOpTypeInt && lull_spv_word(&type, 2) == WIDE;
    return is && n <= LULL_SPV_MOST_COMPONENTS ? n : 0;
}

static bool divides(uint32_t op)
{
    return op == SpvOpUDiv || op == SpvOpSDiv || op == SpvOpUMod || op == SpvOpSRem ||
           op == SpvOpSMod;
}

/** A new id: what @p op makes of @p a and @p b, which is 0 if there is none. */
static uint32_t compute(struct lull_spv_marking *k, uint32_t op, uint32_t type, uint32_t a,
                        uint32_t b)
{
    const uint32_t operands[] = {type, lull_spv_id(&k->add), a, b};
    lull_spv_emit(&k->code, op, operands, b != 0 ? 4 : 3);
    return operands[1];
}

/** A division of 64 bits, to whose result that of one of 32 bits is added. False: it is none. */
static bool division(struct lull_spv_marking *k, const struct lull_spv_insn *in)
{
    bool is_signed = false;
    const uint32_t n = in->n == DIVISION_WORDS ? wide(k->m, in->w[1], &is_signed) : 0;
    if (n == 0) {
        return false;
    }
    const uint32_t type = in->w[1], divisor = in->w[4];
    const uint32_t u32 = lull_spv_type_u32(&k->add, n);
    const uint32_t low = compute(k, SpvOpUConvert, u32, divisor, 0);
    const uint32_t shifted =
        compute(k, SpvOpShiftRightLogical, type, divisor, lull_spv_u32_splat(&k->add, n, HALF));
    const uint32_t high = compute(k, SpvOpUConvert, u32, shifted, 0);
    const uint32_t both = compute(k, SpvOpBitwiseOr, u32, low, high);
    const uint32_t half =
        compute(k, SpvOpShiftRightLogical, u32, both, lull_spv_u32_splat(&k->add, n, 1));
    const uint32_t quotient = compute(k, SpvOpUDiv, u32, half, both);
    const uint32_t widened =
        compute(k, is_signed ? SpvOpSConvert : SpvOpUConvert, type, quotient, 0);
    const uint32_t own = compute(k, in->op, type, in->w[3], divisor);
    LULL_SPV_OP(&k->code, SpvOpIAdd, type, in->w[2], own, widened);
    return true;
}

/** Go on to @p in: its line, its block. */
static void step(struct lull_spv_marking *k, const struct lull_spv_insn *in)
{
    lull_spv_line_step(k->m, in, &k->line);
    if (in->op == SpvOpLine) {
        k->line_was = *in;
    } else if (in->op == SpvOpNoLine || in->op == SpvOpLabel || lull_spv_ends_block(in->op)) {
        k->line_was = (struct lull_spv_insn){0};
    }
    k->block += in->op == SpvOpLabel;
}

LULL_MUST_USE static struct lull_error *functions(struct lull_spv_marking *k)
{
    const unsigned what = k->options->what;
    struct lull_spv_insn in = {0};
    struct lull_error *err = NULL;
    for (size_t pos = k->m->functions; err == NULL && lull_spv_next(k->m, &pos, &in);) {
        step(k, &in);
        if ((what & LULL_SPV_MARK_INDICES) != 0 && k->compute) {
            err = lull_spv_mark_indices(k, &in);
        }
        if ((what & LULL_SPV_MARK_DIVISIONS) != 0 && divides(in.op) && division(k, &in)) {
            k->nmarks++;
        } else {
            lull_spv_buf_add(&k->code, in.w, in.n);
        }
    }
    return err;
}

/** What the module says of ids in front of its functions. */
LULL_MUST_USE static struct lull_error *look(struct lull_spv_marking *k)
{
    struct lull_spv_insn in = {0};
    bool others = false, some = false;
    k->names = calloc((size_t)k->m->bound + 1, sizeof *k->names);
    k->checked = calloc((size_t)k->m->bound + 1, sizeof *k->checked);
    if (k->names == NULL || k->checked == NULL) {
        return &lull_enomem;
    }
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < k->m->functions && lull_spv_next(k->m, &pos, &in);) {
        if (in.op == SpvOpName && lull_spv_word(&in, 1) < k->m->bound) {
            k->names[in.w[1]] = (uint32_t)in.at;
        } else if (in.op == SpvOpEntryPoint) {
            some = true;
            others = others || lull_spv_word(&in, 1) != SpvExecutionModelGLCompute;
        }
    }
    k->compute = some && !others;
    return NULL;
}

/** What is added at the end of the sections before @p until. */
static void flush(const struct lull_spv_marking *k, enum lull_spv_section *done,
                  enum lull_spv_section until, struct lull_spv_buf *out)
{
    for (; *done < until; ++*done) {
        lull_spv_buf_add(out, k->add.sections[*done].w, k->add.sections[*done].n);
    }
}

static void assemble(const struct lull_spv_marking *k, struct lull_spv_buf *out)
{
    struct lull_spv_insn in = {0};
    enum lull_spv_section done = LULL_SPV_CAPABILITIES;
    lull_spv_buf_add(out, k->m->words, LULL_SPV_HEADER_WORDS);
    for (size_t pos = LULL_SPV_HEADER_WORDS;
         pos < k->m->functions && lull_spv_next(k->m, &pos, &in);) {
        flush(k, &done, lull_spv_section_of(in.op), out);
        if (in.op == SpvOpMemoryModel && k->function != 0) {
            LULL_SPV_OP(out, SpvOpMemoryModel, SpvAddressingModelPhysicalStorageBuffer64,
                        lull_spv_word(&in, 2));
        } else {
            lull_spv_buf_add(out, in.w, in.n);
        }
    }
    flush(k, &done, LULL_SPV_FUNCTIONS, out);
    lull_spv_buf_add(out, k->code.w, k->code.n);
    flush(k, &done, LULL_SPV_NSECTIONS, out);
    if (!out->failed) {
        out->w[BOUND_AT] = k->add.bound;
    }
}

struct lull_error *lull_spv_mark(const void *data, size_t size, const struct lull_spv_marks *how,
                                 uint32_t **ret, size_t *ret_words)
{
    struct lull_spv m = {0};
    struct lull_spv_marking k = {.m = &m, .options = how, .add = {.m = &m}};
    struct lull_spv_buf out = {0};
    struct lull_error *err = lull_spv_read(data, size, &m);
    *ret = NULL;
    *ret_words = 0;
    k.add.bound = m.bound;
    err = err != NULL ? err : look(&k);
    err = err != NULL ? err : lull_spv_mark_look(&k);
    err = err != NULL ? err : functions(&k);
    if (err == NULL && k.nmarks != 0) {
        assemble(&k, &out);
        err = k.code.failed || out.failed || lull_spv_add_failed(&k.add) ? &lull_enomem : NULL;
    }
    if (err == NULL && k.nmarks != 0) {
        *ret = out.w;
        *ret_words = out.n;
        out = (struct lull_spv_buf){0};
    }
    lull_spv_buf_free(&out);
    lull_spv_buf_free(&k.code);
    lull_spv_add_free(&k.add);
    lull_spv_done(&m);
    free(k.names);
    free(k.checked);
    free(k.chosen);
    return err;
}
