// SPDX-License-Identifier: MIT
#include "target/adreno/wrap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "isa/ir3/decode.h"
#include "isa/ir3_spec.h"
#include "isa/spec/spec.h"

enum { GPRS = 48, FIRST_SHARED = GPRS * 4, MOST_OFFSET = 4095, MOST_COLUMNS = MOST_OFFSET / 4 };

/** A row of the table: has it ended; what registers begin with; what they end with. */
struct columns {
    struct lull_adreno_reg in[LULL_ADRENO_SETS];
    size_t nin;
    unsigned spare; ///< Number of the register that the code uses.
};

bool lull_adreno_wrap_set(struct lull_adreno_wrap *w, struct lull_adreno_reg reg, int invocation,
                          uint32_t value)
{
    if (w->nsets == LULL_ADRENO_SETS) {
        return false;
    }
    w->sets[w->nsets++] = (struct lull_adreno_set){reg, invocation, value};
    return true;
}

void lull_adreno_wrap_done(struct lull_adreno_wrap *w)
{
    free(w->words);
    *w = (struct lull_adreno_wrap){0};
}

/** Column of @p reg among those that are set; c->nin: it is none. */
static size_t column(const struct columns *c, struct lull_adreno_reg reg)
{
    size_t i = 0;
    while (i < c->nin && (c->in[i].reg != reg.reg || c->in[i].half != reg.half)) {
        i++;
    }
    return i;
}

static unsigned full(struct lull_adreno_reg r)
{
    return (r.half ? r.reg / 2 : r.reg) / 4;
}

/** Which registers the table has, and one that nobody uses. */
LULL_MUST_USE static struct lull_error *lay_out(const struct lull_adreno_wrap *w,
                                                const struct lull_adreno_kernel *k,
                                                struct columns *c)
{
    c->spare = k->registers;
    for (size_t i = 0; i < w->nsets; i++) {
        const struct lull_adreno_reg r = w->sets[i].reg;
        if (full(r) < GPRS && column(c, r) == c->nin) {
            c->in[c->nin++] = r;
            c->spare = full(r) >= c->spare ? full(r) + 1 : c->spare;
        }
    }
    for (size_t i = 0; i < w->nouts; i++) {
        c->spare = full(w->outs[i]) >= c->spare ? full(w->outs[i]) + 1 : c->spare;
    }
    if (c->spare >= GPRS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the kernel uses all registers: none is left for the code that sets "
                              "and shows others");
    }
    return 1 + c->nin + w->nouts <= MOST_COLUMNS
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "more than %d registers are set or shown",
                                MOST_COLUMNS - 1);
}

/** "hr2.w" */
static void add_reg(struct lull_str *s, struct lull_adreno_reg r)
{
    lull_str_addf(s, "%sr%u.%c", r.half ? "h" : "", r.reg / 4, "xyzw"[r.reg % 4]);
}

/** A load or store of column @p at. */
static void add_access(struct lull_str *s, bool store, unsigned spare, size_t at,
                       struct lull_adreno_reg r)
{
    lull_str_addf(s, "%s.%s ", store ? "stg" : "ldg", r.half ? "u16" : "u32");
    if (!store) {
        add_reg(s, r);
        lull_str_addf(s, ", ");
    }
    lull_str_addf(s, "g[r%u.x+%zu], ", spare, 4 * at);
    if (store) {
        add_reg(s, r);
        lull_str_addf(s, ", ");
    }
    lull_str_addf(s, "1\n");
}

/** The invocation's number in its group is in .z of the spare register. */
static void add_prologue(const struct lull_adreno_wrap *w, const struct columns *c,
                         struct lull_str *s)
{
    const unsigned t = c->spare;
    lull_str_addf(s,
                  "mov.u32u32 r%u.w, %u\n(rpt5)nop\nmull.u r%u.w, r%u.z, r%u.w\n"
                  "mov.u32u32 r%u.x, 0x%" PRIx32 "\nmov.u32u32 r%u.y, 0x%" PRIx32
                  "\n(rpt5)nop\nadd.u r%u.x, r%u.x, r%u.w\n(rpt5)nop\n",
                  t, 4 * w->row, t, t, t, t, (uint32_t)w->table->iova, t,
                  (uint32_t)(w->table->iova >> 32), t, t, t);
    for (size_t i = 0; i < c->nin; i++) {
        add_access(s, false, t, 1 + i, c->in[i]);
    }
    for (size_t i = 0; i < w->nsets; i++) {
        if (full(w->sets[i].reg) >= GPRS) {
            lull_str_addf(s, "mov.u32u32 ");
            add_reg(s, w->sets[i].reg);
            lull_str_addf(s, ", 0x%" PRIx32 "\n", w->sets[i].value);
        }
    }
    lull_str_addf(s, "(sy)(ss)(rpt5)nop\n");
}

static void add_epilogue(const struct lull_adreno_wrap *w, const struct columns *c,
                         struct lull_str *s)
{
    const struct lull_adreno_reg one = {4 * c->spare + 3, false};
    lull_str_addf(s, "(sy)(ss)(jp)(rpt5)nop\nmov.u32u32 r%u.w, 1\n(rpt5)nop\n", c->spare);
    add_access(s, true, c->spare, 0, one);
    for (size_t i = 0; i < w->nouts; i++) {
        add_access(s, true, c->spare, 1 + c->nin + i, w->outs[i]);
    }
    lull_str_addf(s, "end\n");
}

/** An end's place gets a jump with its flags to where @p to is. */
static size_t distance(void *ctx, bool absolute, const char *text, int64_t *ret)
{
    (void)absolute;
    *ret = *(const int64_t *)ctx;
    return *text == 'x';
}

LULL_MUST_USE static struct lull_error *jump(const struct lull_ir3_insn *end, unsigned gpu_id,
                                             int64_t by, uint64_t *ret)
{
    const struct lull_spec_hooks hooks = {.label = distance, .ctx = &by};
    const struct lull_spec_options o = {.gen = gpu_id, .hooks = &hooks};
    size_t column = 0;
    char text[64];
    snprintf(text, sizeof text, "%s%s%s%sjump #x", end->m.sy ? "(sy)" : "", end->m.ss ? "(ss)" : "",
             end->m.eq ? "(eq)" : "", end->m.jp ? "(jp)" : "");
    return lull_spec_match(&lull_spec_ir3, &o, text, ret, &column)
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "no instruction reads '%s'", text);
}

/** Prologue, kernel, epilogue. */
LULL_MUST_USE static struct lull_error *join(struct lull_adreno_wrap *w,
                                             const struct lull_ir3_shader *kernel,
                                             const struct lull_ir3_shader *before,
                                             const struct lull_ir3_shader *after, unsigned gpu_id)
{
    struct lull_error *err = NULL;
    const size_t behind = before->n + kernel->n;
    w->words = calloc(behind + after->n, sizeof *w->words);
    if (w->words == NULL) {
        return &lull_enomem;
    }
    memcpy(w->words, before->words, before->n * sizeof *w->words);
    memcpy(w->words + before->n, kernel->words, kernel->n * sizeof *w->words);
    memcpy(w->words + behind, after->words, after->n * sizeof *w->words);
    w->nwords = behind + after->n;
    w->before = before->n;
    for (size_t i = before->n; err == NULL && i < behind; i++) {
        struct lull_ir3_insn in;
        if (lull_ir3_decode(w->words[i], gpu_id, &in) && in.op == LULL_IR3_OP_END) {
            err = jump(&in, gpu_id, (int64_t)(behind - i), &w->words[i]);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *assemble(const struct lull_str *text, unsigned gpu_id,
                                                 struct lull_ir3_shaders *ret)
{
    return text->err != NULL ? text->err
                             : lull_error_in(lull_ir3_assemble(lull_str_text(text), gpu_id, ret),
                                             "the code around the kernel");
}

LULL_MUST_USE static struct lull_error *make_table(struct lull_adreno_wrap *w,
                                                   const struct columns *c,
                                                   struct lull_adreno_device *d,
                                                   const struct lull_adreno_kernel *k)
{
    const uint32_t invocations = k->local[0] * k->local[1] * k->local[2];
    w->row = (uint32_t)(1 + c->nin + w->nouts);
    struct lull_error *err =
        lull_adreno_buffer_new(d, (uint64_t)invocations * w->row * 4, 0, &w->table);
    for (size_t i = 0; err == NULL && i < w->nsets; i++) {
        const struct lull_adreno_set *s = &w->sets[i];
        const size_t at = column(c, s->reg);
        if (s->invocation >= (int)invocations) {
            err = lull_error_new(LULL_ERR_INVALID, "invocation %d: a group has %u", s->invocation,
                                 invocations);
        }
        for (uint32_t n = 0; err == NULL && at < c->nin && n < invocations; n++) {
            if (s->invocation < 0 || (uint32_t)s->invocation == n) {
                ((uint32_t *)w->table->map)[n * w->row + 1 + at] = s->value;
            }
        }
    }
    return err;
}

struct lull_error *lull_adreno_wrap_make(struct lull_adreno_wrap *w, struct lull_adreno_device *d,
                                         const struct lull_ir3_shader *shader, unsigned gpu_id,
                                         struct lull_adreno_kernel *k)
{
    lull_cleanup(lull_freep) struct columns *c = calloc(1, sizeof *c);
    struct lull_ir3_shaders before = {0}, after = {0};
    struct lull_str text[2] = {{0}, {0}};
    struct lull_error *err = c != NULL ? lay_out(w, k, c) : &lull_enomem;
    err = err != NULL ? err : make_table(w, c, d, k);
    if (err == NULL) {
        add_prologue(w, c, &text[0]);
        add_epilogue(w, c, &text[1]);
        err = assemble(&text[0], gpu_id, &before);
        err = err != NULL ? err : assemble(&text[1], gpu_id, &after);
    }
    if (err == NULL) {
        err = join(w, shader, &before.all[0], &after.all[0], gpu_id);
        k->linear_id = (uint8_t)(4 * c->spare + 2);
        k->registers = c->spare + 1;
        k->early_preamble = false; // It would run before its registers are set.
    }
    lull_ir3_shaders_done(&before);
    lull_ir3_shaders_done(&after);
    lull_str_free(&text[0]);
    lull_str_free(&text[1]);
    return err;
}

bool lull_adreno_wrap_out(const struct lull_adreno_wrap *w, unsigned invocation, size_t out,
                          uint32_t *ret)
{
    const uint32_t *row = (const uint32_t *)w->table->map + (size_t)invocation * w->row;
    *ret = row[w->row - w->nouts + out];
    return row[0] != 0;
}
