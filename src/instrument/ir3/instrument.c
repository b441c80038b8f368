// SPDX-License-Identifier: MIT
// Which registers the code has, where it goes, and where jumps lead then.
#include "instrument/ir3/instrument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "instrument/ir3/write.h"
#include "isa/ir3_spec.h"
#include "isa/spec/spec.h"

enum { WIDEST = 128, SPILL_BYTES = 4 * (2 + LULL_IR3_DATA), KEPT_BYTES = 8, SLICE_BYTES = 8 };

/** How many instructions the code around one has, and where it stands in the end. */
struct place {
    uint32_t before, after;
    size_t now;
};

struct rewrite {
    struct lull_ir3_recorder w;
    const struct lull_ir3_shader *s;
    struct lull_ir3_instrumented *ret;
    struct lull_ir3_set kept; ///< Registers that are nobody's but ours.
    struct place *places;
    size_t prologue; ///< Instructions.
    bool any_private;
};

/** The lowest of @p n registers in a row that are not in @p busy. */
static int find(const struct lull_ir3_set *busy, unsigned n)
{
    unsigned row = 0;
    for (unsigned i = 0; i < LULL_ARCH_IR3_FIRST_SHARED; i++) {
        const bool taken = lull_ir3_set_has(busy, 2 * i) || lull_ir3_set_has(busy, 2 * i + 1);
        row = taken ? 0 : row + 1;
        if (row == n) {
            return (int)(i - n + 1);
        }
    }
    return LULL_IR3_NONE;
}

static void take(struct lull_ir3_set *busy, int reg, unsigned n)
{
    for (unsigned i = 0; reg != LULL_IR3_NONE && i < 2 * n; i++) {
        lull_ir3_set_add(busy, 2 * (unsigned)reg + i);
    }
}

/** The code uses @p n registers from @p reg on. */
static void uses(struct rewrite *r, int reg, unsigned n)
{
    const unsigned end = reg != LULL_IR3_NONE ? ((unsigned)reg + n + 3) / 4 : 0;
    r->ret->registers = end > r->ret->registers ? end : r->ret->registers;
}

static void uses_spare(struct rewrite *r, const struct lull_ir3_spare *s)
{
    uses(r, s->address, 2);
    uses(r, s->data, s->ndata);
    uses(r, s->spill, 1);
}

/** Registers for the address and for data that are not in @p busy. */
static bool find_both(struct lull_ir3_set busy, struct lull_ir3_spare *ret)
{
    ret->address = find(&busy, 2);
    take(&busy, ret->address, 2);
    ret->data = LULL_IR3_NONE;
    for (ret->ndata = LULL_IR3_DATA + 1; ret->data == LULL_IR3_NONE && ret->ndata > 2;) {
        ret->data = find(&busy, --ret->ndata);
    }
    return ret->address != LULL_IR3_NONE && ret->data != LULL_IR3_NONE;
}

/** The first instruction of what @p at belongs to: alias stands before it. */
static size_t group(const struct lull_ir3_flow *f, size_t at)
{
    while (f->steps[at].follows) {
        at--;
    }
    return at;
}

/** Registers for the code around instruction @p at. False: there are none. */
static bool spare_at(const struct rewrite *r, size_t at, struct lull_ir3_spare *ret)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    struct lull_ir3_set used = r->kept, busy = f->foreign;
    for (size_t i = group(f, at); i <= at; i++) {
        lull_ir3_set_join(&used, &f->steps[i].read);
        lull_ir3_set_join(&used, &f->steps[i].written);
        lull_ir3_set_join(&busy, &f->steps[i].before);
        lull_ir3_set_join(&busy, &f->steps[i].after);
    }
    lull_ir3_set_join(&busy, &used);
    ret->spill = LULL_IR3_NONE;
    if (find_both(busy, ret)) {
        return true;
    }
    ret->spill = r->w.how->private_bytes >= 0 ? find(&busy, 1) : LULL_IR3_NONE;
    take(&used, ret->spill, 1);
    return ret->spill != LULL_IR3_NONE && find_both(used, ret);
}

/** A register that the shader has not got, or a place in private memory. */
LULL_MUST_USE static struct lull_error *keep(struct rewrite *r, struct lull_ir3_kept *k,
                                             unsigned at, const char *what)
{
    struct lull_ir3_set busy = r->w.flow.named;
    lull_ir3_set_join(&busy, &r->kept);
    k->used = true;
    k->reg = find(&busy, 1);
    take(&busy, k->reg, 1);
    if (r->w.how->private_bytes >= 0 && find(&busy, 1) == LULL_IR3_NONE) {
        k->reg = LULL_IR3_NONE; // The last one is for the address of what is in private memory.
    }
    take(&r->kept, k->reg, 1);
    uses(r, k->reg, 1);
    if (k->reg == LULL_IR3_NONE && r->w.how->private_bytes < 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the shader uses all registers: there is none for %s; it has private "
                              "memory of a size that is not known",
                              what);
    }
    k->slot = (uint32_t)r->w.how->private_bytes + at;
    r->any_private = r->any_private || k->reg == LULL_IR3_NONE;
    return NULL;
}

/* Predicates: there is no instruction that reads one, so registers have the same. */

static unsigned predicates_of(const struct lull_ir3_step *s, bool dst)
{
    struct lull_ir3_value all[LULL_IR3_VALUES];
    unsigned ret = 0;
    const unsigned n = lull_ir3_values_of(s, LULL_IR3_VALUES_PRED, dst, all);
    for (unsigned i = 0; i < n; i++) {
        ret |= 1u << all[i].pred;
    }
    return ret;
}

/** Those of recorded instructions, and those that these are made of. */
static unsigned predicates(const struct rewrite *r)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    unsigned needed = 0, before = 1;
    for (size_t i = f->main; i < f->n && (r->w.how->kinds & LULL_IR3_VALUES_PRED) != 0; i++) {
        const struct lull_ir3_step *s = &f->steps[i];
        needed |= r->w.how->chosen[i] ? predicates_of(s, false) | predicates_of(s, true) : 0;
    }
    while (before != needed) {
        before = needed;
        for (size_t i = f->main; i < f->n; i++) {
            const unsigned written = predicates_of(&f->steps[i], true);
            needed |= (written & needed) != 0 ? predicates_of(&f->steps[i], false) : 0;
        }
    }
    return needed;
}

/** Can what writes predicates write registers, too? */
static bool all_follow(const struct rewrite *r, unsigned needed)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    bool ok = true;
    for (size_t i = f->main; i < f->n; i++) {
        const struct lull_ir3_step *s = &f->steps[i];
        const bool writes = (predicates_of(s, true) & needed) != 0;
        ok = ok && (!writes || (s->in.category == 2 && s->in.m.repeat == 0));
    }
    return ok;
}

static void shadows(struct rewrite *r)
{
    const unsigned needed = predicates(r);
    struct lull_ir3_set busy = r->w.flow.named;
    lull_ir3_set_join(&busy, &r->kept);
    const struct lull_ir3_set as_it_was = r->kept;
    bool ok = all_follow(r, needed);
    for (unsigned i = 0; i < 4; i++) {
        struct lull_ir3_kept *k = &r->w.shadow[i];
        k->used = (needed >> i & 1) != 0;
        k->reg = k->used ? find(&busy, 1) : LULL_IR3_NONE;
        take(&busy, k->reg, 1);
        take(&r->kept, k->reg, 1);
        uses(r, k->reg, 1);
        ok = ok && (!k->used || k->reg != LULL_IR3_NONE);
    }
    if (!ok) {
        lull_str_addf(&r->ret->notes, "predicates are not recorded: registers are missing\n");
        r->kept = as_it_was;
        memset(r->w.shadow, 0, sizeof r->w.shadow);
    }
}

/* The code. */

LULL_MUST_USE static struct lull_error *text_of(const struct rewrite *r, size_t at,
                                                struct lull_str *out)
{
    const struct lull_spec_options o = {.gen = r->w.how->gen};
    (void)lull_spec_print(&lull_spec_ir3, &o, r->s->words[at], out);
    return out->err;
}

/** Without values that are not there. */
static void known_only(const struct rewrite *r, struct lull_ir3_value *all, unsigned *n)
{
    unsigned left = 0;
    for (unsigned i = 0; i < *n; i++) {
        if (all[i].kind != LULL_IR3_VALUES_PRED || r->w.shadow[all[i].pred].used) {
            all[left++] = all[i];
        }
    }
    *n = left;
}

LULL_MUST_USE static struct lull_error *into_manifest(struct rewrite *r, size_t at,
                                                      const char *text,
                                                      const struct lull_ir3_record *rec)
{
    struct lull_manifest *m = &r->ret->manifest;
    struct lull_error *err = lull_manifest_add(m, (uint32_t)at, text);
    for (unsigned i = 0; err == NULL && i < rec->ndst; i++) {
        err = lull_manifest_value(m, rec->dst[i].name, true);
    }
    for (unsigned i = 0; err == NULL && i < rec->nsrc; i++) {
        err = lull_manifest_value(m, rec->src[i].name, false);
    }
    return err;
}

/** The record of instruction @p at. @return It has one. */
static bool record_of(struct rewrite *r, size_t at, struct lull_ir3_record *rec,
                      struct lull_ir3_spare *spare)
{
    const struct lull_ir3_step *s = &r->w.flow.steps[at];
    const unsigned kinds = r->w.how->kinds;
    rec->id = (uint32_t)r->ret->manifest.n;
    rec->ndst = lull_ir3_values_of(s, kinds, true, rec->dst);
    rec->nsrc = lull_ir3_values_of(s, kinds, false, rec->src);
    known_only(r, rec->dst, &rec->ndst);
    known_only(r, rec->src, &rec->nsrc);
    if (s->in.op == LULL_IR3_OP_ALIAS || !r->w.how->chosen[at] || rec->ndst + rec->nsrc == 0) {
        return false;
    }
    const bool ok = spare_at(r, at, spare);
    if (!ok) {
        lull_str_addf(&r->ret->notes, "instruction %zu is not recorded: no register is free\n", at);
    } else {
        uses_spare(r, spare);
    }
    return ok;
}

/** What stands in front of instruction @p at, and behind it. */
LULL_MUST_USE static struct lull_error *around(struct rewrite *r, size_t at)
{
    struct lull_ir3_recorder *w = &r->w;
    const struct lull_ir3_flow *f = &w->flow;
    lull_cleanup(lull_freep) struct lull_ir3_record *rec = calloc(1, sizeof *rec);
    struct lull_ir3_spare spare = {0};
    struct lull_str text = {0};
    struct lull_error *err = rec != NULL ? text_of(r, at, &text) : &lull_enomem;
    const bool recorded = err == NULL && record_of(r, at, rec, &spare);
    const unsigned written = err == NULL ? predicates_of(&f->steps[at], true) : 0;
    const size_t start = w->lines;
    bool shadowed = false;
    for (unsigned i = 0; i < 4; i++) {
        shadowed = shadowed || ((written >> i & 1) != 0 && w->shadow[i].used);
    }
    if (recorded || shadowed) {
        lull_ir3_write_wait(w, f->steps[group(f, at)].in.m.jp);
    }
    if (recorded) {
        lull_ir3_write_before(w, &spare, rec);
        err = into_manifest(r, at, lull_str_text(&text), rec);
    }
    if (shadowed) { // Behind the sources, which may be the same predicate.
        lull_ir3_write_shadow(w, lull_str_text(&text), (unsigned)__builtin_ctz(written));
    }
    r->places[at].before = (uint32_t)(w->lines - start);
    if (recorded) {
        lull_ir3_write_after(w, &spare, rec);
    }
    r->places[at].after = (uint32_t)(w->lines - start) - r->places[at].before;
    lull_str_free(&text);
    return err;
}

/** A predicate that nobody needs at the begin. */
static unsigned free_predicate(const struct lull_ir3_set *live)
{
    unsigned i = 0;
    while (i < 3 && lull_ir3_set_has(live, LULL_ARCH_IR3_SPECIAL + 2 + i)) {
        i++;
    }
    return i;
}

/** Registers by which invocations are chosen. */
static void take_where(const struct lull_ir3_instrument *how, struct lull_ir3_set *busy)
{
    for (unsigned i = 0; i < how->nwhere; i++) {
        const struct lull_ir3_where *p = &how->where[i];
        const unsigned full = p->half ? p->reg / 2 : p->reg;
        take(busy, full < LULL_ARCH_IR3_FIRST_SHARED ? (int)full : LULL_IR3_NONE, 1);
    }
}

LULL_MUST_USE static struct lull_error *prologue(struct rewrite *r)
{
    struct lull_ir3_recorder *w = &r->w;
    const struct lull_ir3_flow *f = &w->flow;
    const struct lull_ir3_step *first = &f->steps[f->main];
    struct lull_ir3_set busy = first->before;
    struct lull_ir3_spare spare = {.spill = LULL_IR3_NONE};
    lull_ir3_set_join(&busy, &r->kept);
    lull_ir3_set_join(&busy, &f->foreign);
    take_where(w->how, &busy);
    if (!find_both(busy, &spare) || spare.ndata < LULL_IR3_DATA) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "no registers are free where the shader begins");
    }
    uses_spare(r, &spare);
    lull_ir3_write_prologue(w, &spare, first->in.m.jp);
    if (w->mask.used) {
        r->ret->branches = 1;
        const char p = "xyzw"[free_predicate(&first->before)];
        const int mask = spare.address + 1;
        lull_str_addf(&w->text, "cmps.u.ne p0.%c, r%d.%c, 0\n(rpt%u)nop\nbany p0.%c, #%zu\n", p,
                      mask / 4, "xyzw"[mask % 4], w -> slots - 1, p, 1 + f -> n - f -> main);
        w->lines += 3;
    }
    r->prologue = w->lines;
    return NULL;
}

static bool branch_out(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    (void)ctx, (void)absolute, (void)value;
    lull_str_add(out, "x", 1);
    return true;
}

static size_t branch_in(void *ctx, bool absolute, const char *text, int64_t *ret)
{
    (void)absolute;
    *ret = *(const int64_t *)ctx;
    return *text == 'x';
}

/** The branch @p word, to @p by instructions from itself. */
LULL_MUST_USE static struct lull_error *retarget(unsigned gen, int64_t by, uint64_t *word)
{
    const struct lull_spec_hooks hooks = {.branch = branch_out, .label = branch_in, .ctx = &by};
    const struct lull_spec_options o = {.gen = gen, .hooks = &hooks};
    struct lull_str text = {0};
    size_t column = 0;
    (void)lull_spec_print(&lull_spec_ir3, &o, *word, &text);
    struct lull_error *err = text.err;
    if (err == NULL && !lull_spec_match(&lull_spec_ir3, &o, lull_str_text(&text), word, &column)) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "a branch cannot go elsewhere: '%s'",
                             lull_str_text(&text));
    }
    lull_str_free(&text);
    return err;
}

/** Where things stand in the end. @return Instructions in all. */
static size_t lay_out(struct rewrite *r)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    size_t now = f->main + r->prologue + (r->w.mask.used ? f->n - f->main : 0);
    for (size_t i = 0; i < f->main; i++) {
        r->places[i].now = i;
    }
    for (size_t i = f->main; i < f->n; i++) {
        r->places[i].now = now;
        now += r->places[i].before + 1 + r->places[i].after;
    }
    return now;
}

/** The code of the shader and that around it, @p added, in their order. */
LULL_MUST_USE static struct lull_error *splice(struct rewrite *r, const uint64_t *added)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    const size_t n = lay_out(r);
    uint64_t *words = calloc(n + 1, sizeof *words), *at = words;
    const size_t bytes = sizeof *words;
    struct lull_error *err = words != NULL ? NULL : &lull_enomem;
    if (err != NULL) {
        return err;
    }
    r->ret->words = words;
    r->ret->n = n;
    memcpy(at, r->s->words, f->main * bytes);
    at += f->main;
    memcpy(at, added, r->prologue * bytes);
    at += r->prologue;
    added += r->prologue;
    if (r->w.mask.used) {
        memcpy(at, r->s->words + f->main, (f->n - f->main) * bytes);
        at += f->n - f->main;
    }
    for (size_t i = f->main; err == NULL && i < f->n; i++) {
        const struct place *p = &r->places[i];
        const struct lull_ir3_insn *in = &f->steps[i].in;
        memcpy(at, added, p->before * bytes);
        at += p->before;
        *at = r->s->words[i];
        const int64_t to = (int64_t)i + in->target;
        if (in->branches && to >= 0 && to < (int64_t)f->n) {
            err = retarget(r->w.how->gen, (int64_t)r->places[to].now - (at - words), at);
        }
        memcpy(++at, added + p->before, p->after * bytes);
        at += p->after;
        added += p->before + p->after;
    }
    return err;
}

/** In front of what alias belongs to stands what is in front of alias. */
static void gather(struct rewrite *r)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    for (size_t i = f->n; i-- > f->main + 1;) {
        if (f->steps[i].follows) {
            r->places[i - 1].before += r->places[i].before;
            r->places[i].before = 0;
        }
    }
}

/** Those of the preamble that are chosen are not recorded: where it runs, nobody has a number. */
LULL_MUST_USE static struct lull_error *preamble(struct rewrite *r)
{
    const struct lull_ir3_flow *f = &r->w.flow;
    struct lull_ir3_value all[LULL_IR3_VALUES];
    size_t first = f->main, last = 0;
    for (size_t i = 0; i < f->main; i++) {
        const struct lull_ir3_step *s = &f->steps[i];
        if (r->w.how->chosen[i] && (lull_ir3_values_of(s, r->w.how->kinds, true, all) != 0 ||
                                    lull_ir3_values_of(s, r->w.how->kinds, false, all) != 0)) {
            first = first < i ? first : i;
            last = i;
        }
    }
    if (first == f->main) {
        return NULL;
    }
    struct lull_str text = {0};
    struct lull_error *err = text_of(r, first, &text);
    if (err == NULL) {
        lull_str_addf(
            &r->ret->notes,
            "instructions %zu to %zu are not recorded: the preamble, '%s' and so on, runs "
            "once, before invocations have numbers\n",
            first, last, lull_str_text(&text));
        err = r->ret->notes.err;
    }
    lull_str_free(&text);
    return err;
}

LULL_MUST_USE static struct lull_error *rewrite(struct rewrite *r)
{
    struct lull_ir3_recorder *w = &r->w;
    struct lull_ir3_shaders added = {0};
    take_where(w->how, &w->flow.named); // The shader itself may not read them.
    struct lull_error *err = keep(r, &w->id, 0, "the invocation's number");
    if (err == NULL && w->how->some) {
        err = keep(r, &w->mask, 4, "the choice of invocations");
    }
    if (err == NULL && w->how->slice != 0) {
        err = keep(r, &w->slice, KEPT_BYTES, "the invocation's slice");
        err = err != NULL ? err : keep(r, &w->end, KEPT_BYTES + 4, "the end of its records");
    }
    shadows(r);
    err = err != NULL ? err : preamble(r);
    err = err != NULL ? err : prologue(r);
    for (size_t i = w->flow.main; err == NULL && i < w->flow.n; i++) {
        err = around(r, i);
    }
    gather(r);
    err = err != NULL ? err : w->text.err;
    if (err == NULL) {
        err = lull_error_in(lull_ir3_assemble(lull_str_text(&w->text), w->how->gen, &added),
                            "the code that records");
    }
    if (err == NULL && added.all[0].n != w->lines) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "the code that records has another size");
    }
    err = err != NULL ? err : splice(r, added.all[0].words);
    lull_ir3_shaders_done(&added);
    return err;
}

struct lull_error *lull_ir3_instrument(const struct lull_ir3_shader *s,
                                       const struct lull_ir3_instrument *how,
                                       struct lull_ir3_instrumented *ret)
{
    struct lull_ir3_instrumented out = {
        .manifest = {.gen = how->gen,
                     .buffer = how->buffer,
                     .room = how->room,
                     .slice = how->slice,
                     .bytes = LULL_RECORDS_AT + how->room + 2 * LULL_IR3_MOST_RECORD}};
    struct rewrite r = {.w = {.how = how, .slots = lull_ir3_write_slots(how->gen)},
                        .s = s,
                        .ret = &out,
                        .places = calloc(s->n + 1, sizeof *r.places)};
    struct lull_error *err = r.places != NULL && s->n > 0 ? NULL : &lull_enomem;
    r.w.nslices = lull_manifest_slices(&out.manifest);
    r.w.spills = (uint32_t)how->private_bytes + KEPT_BYTES + (how->slice != 0 ? SLICE_BYTES : 0);
    for (unsigned i = 4 * how->registers; i != 0 && i < LULL_ARCH_IR3_FIRST_SHARED; i++) {
        take(&r.kept, (int)i, 1); // Nobody's, not even ours.
    }
    err = err != NULL ? err : lull_ir3_flow_of(s, how->gen, WIDEST, how->all_outputs, &r.w.flow);
    err = err != NULL ? err : rewrite(&r);
    if (err == NULL && s->title != NULL && (out.manifest.shader = strdup(s->title)) == NULL) {
        err = &lull_enomem;
    }
    if (r.w.spilled || r.any_private) {
        out.private_bytes = r.w.spills + SPILL_BYTES;
    }
    lull_ir3_flow_done(&r.w.flow);
    lull_str_free(&r.w.text);
    free(r.places);
    if (err != NULL) {
        lull_ir3_instrumented_done(&out);
        return err;
    }
    *ret = out;
    return NULL;
}

void lull_ir3_instrumented_done(struct lull_ir3_instrumented *r)
{
    free(r->words);
    lull_manifest_done(&r->manifest);
    lull_str_free(&r->notes);
    *r = (struct lull_ir3_instrumented){0};
}
