// SPDX-License-Identifier: MIT
#include "instrument/ir3/flow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SHARED = 2 * LULL_ARCH_IR3_FIRST_SHARED, BEHIND = 64 * 2, TEXTURES = 5 };

static void add_span(struct lull_ir3_set *s, const struct lull_arch_ir3_span *span)
{
    for (unsigned k = 0; k < span->count; k++) {
        const unsigned place = lull_arch_ir3_place(span, k);
        if ((k >= 32 || (span->mask >> k & 1) != 0) && place < LULL_ARCH_IR3_PLACES) {
            lull_ir3_set_add(s, place);
            if (!span->half && place < LULL_ARCH_IR3_SPECIAL) {
                lull_ir3_set_add(s, place + 1);
            }
        }
    }
}

/** All registers of fibers below @p end. */
static void add_below(struct lull_ir3_set *s, unsigned end)
{
    for (unsigned i = 0; i < end && i < FIRST_SHARED; i++) {
        lull_ir3_set_add(s, i);
    }
}

/** Behind the last register of fibers in @p s. */
static unsigned end_of(const struct lull_ir3_set *s)
{
    unsigned end = FIRST_SHARED;
    while (end > 0 && !lull_ir3_set_has(s, end - 1)) {
        end--;
    }
    return end;
}

unsigned lull_ir3_flow_next(const struct lull_ir3_flow *f, size_t at, size_t ret[2])
{
    const struct lull_ir3_insn *in = &f->steps[at].in;
    unsigned n = 0;
    const int64_t to = (int64_t)at + in->target;
    const bool leaves = in->op == LULL_IR3_OP_END || in->op == LULL_IR3_OP_JUMP ||
                        in->op == LULL_IR3_OP_CALL || in->op == LULL_IR3_OP_RET;
    if (!leaves && at + 1 < f->n) {
        ret[n++] = at + 1;
    }
    if (in->branches && to >= 0 && (size_t)to < f->n) {
        ret[n++] = (size_t)to;
    }
    return n;
}

/** What each instruction reads and writes. */
LULL_MUST_USE static struct lull_error *operands(struct lull_ir3_flow *f, const uint64_t *words,
                                                 unsigned gen, unsigned lanes)
{
    struct lull_arch_ir3_aliases aliases = {0};
    for (size_t i = 0; i < f->n; i++) {
        struct lull_ir3_step *s = &f->steps[i];
        s->known = lull_ir3_decode(words[i], gen, &s->in);
        if (!s->known) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "instruction %zu: %016llx is not an instruction of a%u", i,
                                  (unsigned long long)words[i], gen);
        }
        lull_arch_ir3_uses(&s->in, gen, lanes, &aliases, &s->uses);
        for (unsigned k = 0; k < s->uses.nread; k++) {
            add_span(&s->read, &s->uses.read[k]);
        }
        for (unsigned k = 0; k < s->uses.nwritten; k++) {
            add_span(&s->written, &s->uses.written[k]);
        }
        s->follows = i > 0 && f->steps[i - 1].in.op == LULL_IR3_OP_ALIAS;
        lull_arch_ir3_alias(&aliases, &s->in);
        lull_ir3_set_join(&f->named, &s->read);
        lull_ir3_set_join(&f->named, &s->written);
    }
    return NULL;
}

static bool is_relative(const struct lull_arch_ir3_span *spans, unsigned n)
{
    bool any = false;
    for (unsigned i = 0; i < n; i++) {
        any = any || spans[i].relative;
    }
    return any;
}

/** Registers by a0.x: any of them, and some behind, as an array may have no other name. */
static void relative(struct lull_ir3_flow *f)
{
    bool any = false;
    for (size_t i = 0; i < f->n; i++) {
        const struct lull_arch_ir3_uses *u = &f->steps[i].uses;
        any = any || is_relative(u->read, u->nread) || is_relative(u->written, u->nwritten);
    }
    const unsigned end = end_of(&f->named) + BEHIND;
    for (size_t i = 0; any && i < f->n; i++) {
        struct lull_ir3_step *s = &f->steps[i];
        if (is_relative(s->uses.read, s->uses.nread)) {
            add_below(&s->read, end);
        }
        if (is_relative(s->uses.written, s->uses.nwritten)) {
            add_below(&s->written, end); // Any of them; which ends nothing: backwards().
        }
    }
    if (any) {
        add_below(&f->named, end);
    }
}

/** Sources of instructions that look at other fibers. */
static void foreign(struct lull_ir3_flow *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct lull_ir3_step *s = &f->steps[i];
        if (s->in.category == TEXTURES || s->in.op == LULL_IR3_OP_SHFL) {
            lull_ir3_set_join(&f->foreign, &s->read);
        }
    }
}

static void outputs(struct lull_ir3_flow *f, const struct lull_ir3_shader *s, bool all,
                    struct lull_ir3_set *ret)
{
    if (all) {
        *ret = f->named;
    }
    for (size_t i = 0; i < s->nheaders; i++) {
        const struct lull_ir3_header *h = &s->headers[i];
        if (strcmp(h->name, "out") != 0 || h->kind != LULL_IR3_GPR) {
            continue;
        }
        const struct lull_arch_ir3_span span = {.number =
                                                    h->reg + (h->half ? LULL_ARCH_IR3_HALVES : 0),
                                                .count = 4,
                                                .half = h->half,
                                                .mask = h->nvalues > 0 ? h->values[0] : 0xf};
        add_span(ret, &span);
    }
    lull_ir3_set_join(&f->named, ret);
}

/**
 * Where the fiber that runs the preamble is with the others again: behind shpe, or where shps leads
 * to, as some instructions may come between (descriptors that Turnip 25 loads ahead).
 */
static size_t behind_preamble(const struct lull_ir3_flow *f)
{
    size_t main = 0;
    for (size_t i = 0; i < f->n; i++) {
        main = f->steps[i].in.op == LULL_IR3_OP_SHPE ? i + 1 : main;
    }
    for (size_t i = 0; i < main; i++) {
        const int64_t to = (int64_t)i + f->steps[i].in.target;
        if (f->steps[i].in.op == LULL_IR3_OP_SHPS && to > (int64_t)main && to < (int64_t)f->n) {
            return (size_t)to;
        }
    }
    return main;
}

/** What is predicated: all, if a function may be. */
static void regions(struct lull_ir3_flow *f)
{
    bool predicated = false, function = false;
    f->main = behind_preamble(f);
    for (size_t i = 0; i < f->n; i++) {
        struct lull_ir3_step *s = &f->steps[i];
        predicated =
            (predicated || s->in.op == LULL_IR3_OP_PREDT || s->in.op == LULL_IR3_OP_PREDF) &&
            s->in.op != LULL_IR3_OP_PREDE;
        s->predicated = predicated;
        function = function ||
                   (predicated && (s->in.op == LULL_IR3_OP_CALL || s->in.op == LULL_IR3_OP_RET));
    }
    for (size_t i = 0; function && i < f->n; i++) {
        f->steps[i].predicated = true;
    }
}

/** A function of both the preamble and the shader would have to be there twice. */
LULL_MUST_USE static struct lull_error *calls(const struct lull_ir3_flow *f)
{
    for (size_t i = 0; i < f->main; i++) {
        const struct lull_ir3_insn *in = &f->steps[i].in;
        if (in->op == LULL_IR3_OP_CALL && (int64_t)i + in->target >= (int64_t)f->main) {
            return lull_error_new(LULL_ERR_UNSUPPORTED,
                                  "instruction %zu: call: the preamble calls what is behind it", i);
        }
    }
    return NULL;
}

/** One instruction, backwards. @return Something has changed. */
static bool backwards(struct lull_ir3_flow *f, size_t at, const struct lull_ir3_set *out)
{
    struct lull_ir3_step *s = &f->steps[at];
    struct lull_ir3_set before;
    size_t next[2];
    const unsigned n = lull_ir3_flow_next(f, at, next);
    if (s->in.op == LULL_IR3_OP_END || s->in.op == LULL_IR3_OP_CHSH || n == 0) {
        lull_ir3_set_join(&s->after, out);
    }
    for (unsigned i = 0; i < n; i++) {
        lull_ir3_set_join(&s->after, &f->steps[next[i]].before);
    }
    if (s->in.op == LULL_IR3_OP_RET) {
        lull_ir3_set_join(&s->after, &f->returned);
    }
    const bool some = s->in.op == LULL_IR3_OP_BRCST_ACTIVE; // Other fibers have what they had.
    const bool ends = !some && !s->predicated && !is_relative(s->uses.written, s->uses.nwritten);
    for (unsigned i = 0; i < LULL_IR3_SET_WORDS; i++) {
        before.w[i] = (s->after.w[i] & ~(ends ? s->written.w[i] : 0)) | s->read.w[i] |
                      (some ? s->written.w[i] : 0);
    }
    const bool changed = memcmp(&before, &s->before, sizeof before) != 0;
    s->before = before;
    if (at > 0 && f->steps[at - 1].in.op == LULL_IR3_OP_CALL) {
        lull_ir3_set_join(&f->returned, &before);
    }
    return changed;
}

struct lull_error *lull_ir3_flow_of(const struct lull_ir3_shader *s, unsigned gen, unsigned lanes,
                                    bool all_outputs, struct lull_ir3_flow *ret)
{
    struct lull_ir3_flow f = {.n = s->n, .steps = calloc(s->n + 1, sizeof *f.steps)};
    struct lull_ir3_set out = {{0}};
    struct lull_error *err = f.steps == NULL ? &lull_enomem : operands(&f, s->words, gen, lanes);
    if (err != NULL) {
        lull_ir3_flow_done(&f);
        return err;
    }
    regions(&f);
    if ((err = calls(&f)) != NULL) {
        lull_ir3_flow_done(&f);
        return err;
    }
    relative(&f);
    foreign(&f);
    outputs(&f, s, all_outputs, &out);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = f.n; i-- > 0;) {
            more = backwards(&f, i, &out) || more;
        }
    }
    *ret = f;
    return NULL;
}

void lull_ir3_flow_done(struct lull_ir3_flow *f)
{
    free(f->steps);
    *f = (struct lull_ir3_flow){0};
}
