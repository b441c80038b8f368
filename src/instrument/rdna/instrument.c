// SPDX-License-Identifier: MIT
// What the new code has, and where its jumps lead.
#include "instrument/rdna/instrument.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "instrument/rdna/write.h"
#include "isa/rdna/ops.h"

enum {
    PADDING = 64,    // Dwords behind the end: instructions are fetched ahead.
    CLAUSE_LESS = 1, // s_clause has the number of instructions less 1,
    CLAUSE = 63,     // in these bits.
    FAR_DWORDS = 5,  // A jump to anywhere,
    CBRANCH_DWORDS = 2,
};

/** An instruction in the new code: pieces of struct rewrite.added, and itself. */
struct place {
    size_t before, after, end; ///< Where the pieces are, and where the last ends.
    uint32_t now;              ///< Dword of the new code at which it begins.
    uint32_t own;              ///< Its own dwords, as they are there.
    bool far;                  ///< A jump that is too far for its field.
    bool recorded, dropped;    ///< dropped: s_clause over others that are recorded.
};

struct rewrite {
    const struct lull_rdna_shader *s;
    const struct lull_rdna_instrument *how;
    struct lull_rdna_spare spare;
    struct lull_rdna_emit added, out;
    struct place *places; ///< One more: the end.
    size_t prologue;      ///< Dwords.
    struct lull_rdna_instrumented *ret;
};

LULL_MUST_USE static struct lull_error *into_layout(struct lull_rdna_layout *l,
                                                    const struct lull_rdna_record *r)
{
    l->bytes = r->bytes;
    l->nslots = r->ndst + r->nsrc;
    l->slots = calloc(l->nslots + 1, sizeof *l->slots);
    if (l->slots == NULL) {
        return &lull_enomem;
    }
    memcpy(l->slots, r->dst_at, r->ndst * sizeof *l->slots);
    memcpy(l->slots + r->ndst, r->src_at, r->nsrc * sizeof *l->slots);
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_value(struct lull_manifest *m, unsigned reg, bool dst)
{
    lull_cleanup(lull_str_free) struct lull_str name = {0};
    lull_arch_reg_name(&lull_arch_rdna3, reg, &name);
    return name.err != NULL ? name.err : lull_manifest_value(m, lull_str_text(&name), dst);
}

LULL_MUST_USE static struct lull_error *into_manifest(struct rewrite *w, size_t at,
                                                      const struct lull_rdna_record *r)
{
    struct lull_manifest *m = &w->ret->manifest;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    const struct lull_rdna_print how = {.wave_size = w->s->lanes};
    lull_rdna_show(&w->s->steps[at].in, &how, &text);
    struct lull_error *err =
        text.err != NULL ? text.err : lull_manifest_add(m, (uint32_t)at, lull_str_text(&text));
    for (unsigned i = 0; err == NULL && i < r->ndst; i++) {
        err = add_value(m, r->dst[i], true);
    }
    for (unsigned i = 0; err == NULL && i < r->nsrc; i++) {
        err = add_value(m, r->src[i], false);
    }
    return err != NULL ? err : into_layout(&w->ret->layouts[m->n - 1], r);
}

/** Have the vector registers been given back in front of instruction @p at? */
static bool is_behind_dealloc(const struct lull_rdna_shader *s, size_t at)
{
    enum { DEALLOC_VGPRS = 3, NEAR = 2 }; // s_nop or nothing comes between it and the end.
    bool is = false;
    for (size_t i = at >= NEAR ? at - NEAR : 0; i < at; i++) {
        is = is ||
             (s->steps[i].in.op == LULL_RDNA_OP_S_SENDMSG && s->steps[i].in.imm == DEALLOC_VGPRS);
    }
    return is;
}

/** The record of instruction @p at. @return It has one. */
static bool record_of(const struct rewrite *w, size_t at, struct lull_rdna_record *r)
{
    const struct lull_rdna_step *step = &w->s->steps[at];
    // Behind what may go elsewhere nobody comes by; a message may give the registers back.
    const bool behind = step->flow == LULL_FLOW_NEXT && step->in.op != LULL_RDNA_OP_S_SENDMSG;
    *r = (struct lull_rdna_record){.id = (uint32_t)w->ret->manifest.n};
    r->ndst = behind ? lull_rdna_values(w->s, step, true, r->dst) : 0;
    r->nsrc = lull_rdna_values(w->s, step, false, r->src);
    for (size_t i = 0; i < w->how->nextra; i++) {
        if (w->how->extra[i].insn == at) {
            r->nsrc = lull_rdna_values_add(r->src, r->nsrc, w->how->extra[i].reg);
        }
    }
    lull_rdna_write_layout(r, w->s->lanes);
    return w->how->chosen[at] && !is_behind_dealloc(w->s, at) && r->ndst + r->nsrc != 0;
}

/** What stands in front of each instruction, and behind it. */
LULL_MUST_USE static struct lull_error *around(struct rewrite *w)
{
    lull_cleanup(lull_freep) struct lull_rdna_record *r = calloc(1, sizeof *r);
    struct lull_error *err = r == NULL ? &lull_enomem : NULL;
    for (size_t i = 0; err == NULL && i < w->s->n; i++) {
        struct place *p = &w->places[i];
        p->before = p->after = p->end = w->added.n;
        p->recorded = record_of(w, i, r);
        if (p->recorded) {
            lull_rdna_write_before(&w->added, &w->spare, r);
            p->after = w->added.n;
            lull_rdna_write_after(&w->added, &w->spare, r);
            p->end = w->added.n;
            err = into_manifest(w, i, r);
        }
        if (err == NULL && w->added.err != NULL) {
            err = w->added.err;
            w->added.err = NULL;
        }
    }
    return err;
}

/** s_clause in front of instructions that are recorded: others come between them. */
static void drop_clauses(struct rewrite *w)
{
    for (size_t i = 0; i < w->s->n; i++) {
        const struct lull_rdna_insn *in = &w->s->steps[i].in;
        const size_t n = ((size_t)in->imm & CLAUSE) + CLAUSE_LESS;
        for (size_t k = i + 1; in->op == LULL_RDNA_OP_S_CLAUSE && k <= i + n && k < w->s->n; k++) {
            w->places[i].dropped = w->places[i].dropped || w->places[k].recorded;
        }
    }
}

static bool is_jump(const struct lull_rdna_step *s)
{
    return s->target != LULL_RDNA_NOWHERE;
}

/** The dwords that instruction @p i has in the new code. */
static uint32_t own_dwords(const struct rewrite *w, size_t i)
{
    const struct lull_rdna_step *s = &w->s->steps[i];
    if (w->places[i].far) {
        return FAR_DWORDS + (s->flow == LULL_FLOW_BRANCH ? CBRANCH_DWORDS : 0);
    } else if (s->in.op == LULL_RDNA_OP_S_GETPC_B64) {
        return 4; // Two moves of literals.
    }
    return w->places[i].dropped ? 1 : s->in.size / 4;
}

/** Dwords from behind the jump @p i, as it is alone, to its target. */
static int64_t distance(const struct rewrite *w, size_t i)
{
    const struct place *p = &w->places[i];
    const uint32_t to = w->places[w->s->steps[i].target].now;
    return (int64_t)to - ((int64_t)p->now + (int64_t)(p->after - p->before) + 1);
}

/** Where everything stands, with long jumps where short ones do not reach. */
static void lay_out(struct rewrite *w)
{
    for (bool more = true; more;) {
        size_t now = w->prologue;
        for (size_t i = 0; i < w->s->n; i++) {
            struct place *p = &w->places[i];
            p->now = (uint32_t)now;
            p->own = own_dwords(w, i);
            now += p->own + (p->end - p->before);
        }
        more = false;
        for (size_t i = 0; i < w->s->n; i++) {
            if (is_jump(&w->s->steps[i]) && !w->places[i].far) {
                const int64_t by = distance(w, i);
                w->places[i].far = by < INT16_MIN || by > INT16_MAX;
                more = more || w->places[i].far;
            }
        }
    }
}

/** A jump to @p address, through a pair that nobody needs there. */
static void jump_far(struct rewrite *w, const struct lull_rdna_step *s, uint64_t address)
{
    const unsigned pair = w->spare.exec_after;
    lull_rdna_emit_address(&w->out, pair, address);
    if (s != NULL && s->flow == LULL_FLOW_CALL) {
        lull_rdna_emit_move(&w->out, LULL_RDNA_OP_S_SWAPPC_B64, s->in.dst, pair);
    } else {
        lull_rdna_emit_move(&w->out, LULL_RDNA_OP_S_SETPC_B64, LULL_RDNA_NONE, pair);
    }
}

static void put_jump(struct rewrite *w, size_t i)
{
    const struct lull_rdna_step *s = &w->s->steps[i];
    struct lull_rdna_insn in = s->in;
    if (w->places[i].far && in.enc != LULL_RDNA_SOPP && s->flow != LULL_FLOW_CALL &&
        w->out.err == NULL) {
        w->out.err =
            lull_error_new(LULL_ERR_UNSUPPORTED, "offset 0x%x: %s does not reach its target", s->at,
                           lull_rdna_info(&in)->name);
    }
    if (!w->places[i].far) {
        in.imm = (int32_t)distance(w, i);
        lull_rdna_emit_insn(&w->out, &in);
        return;
    }
    if (s->flow == LULL_FLOW_BRANCH) { // Taken: over the next one, which goes behind the long jump.
        in.imm = 1;
        lull_rdna_emit_insn(&w->out, &in);
        lull_rdna_emit_imm(&w->out, LULL_RDNA_OP_S_BRANCH, LULL_RDNA_NONE, FAR_DWORDS);
    }
    jump_far(w, s, w->how->to + 4 * (uint64_t)w->places[s->target].now);
}

static void put_own(struct rewrite *w, size_t i)
{
    const struct lull_rdna_step *s = &w->s->steps[i];
    if (is_jump(s)) {
        put_jump(w, i);
    } else if (s->in.op == LULL_RDNA_OP_S_GETPC_B64) {
        lull_rdna_emit_address(&w->out, s->in.dst, w->how->va + s->at + s->in.size);
    } else if (w->places[i].dropped) {
        lull_rdna_emit_imm(&w->out, LULL_RDNA_OP_S_NOP, LULL_RDNA_NONE, 0);
    } else {
        lull_rdna_emit_words(&w->out, w->s->code + s->at, s->in.size / 4);
    }
}

/** All of the new code. */
static void splice(struct rewrite *w)
{
    lull_rdna_emit_words(&w->out, w->added.words, w->prologue);
    for (size_t i = 0; i < w->s->n; i++) {
        const struct place *p = &w->places[i];
        lull_rdna_emit_words(&w->out, w->added.words + p->before, p->after - p->before);
        put_own(w, i);
        lull_rdna_emit_words(&w->out, w->added.words + p->after, p->end - p->after);
    }
    for (unsigned i = 0; i < PADDING; i++) {
        lull_rdna_emit_imm(&w->out, LULL_RDNA_OP_S_CODE_END, LULL_RDNA_NONE, 0);
    }
}

static const char *const thread_names[] = {"thread_x", "thread_y", "thread_z"};
static const char *const group_names[] = {"workgroup_x", "workgroup_y", "workgroup_z"};

/** What each wave begins with: of a compute shader the ids of its work-items and its workgroup. */
LULL_MUST_USE static struct lull_error *prologue(struct rewrite *w)
{
    enum { ID_BITS = 10 }; // All three in v0. Source: rdna3 3.13, LLVM AMDGPUUsage
    struct lull_manifest *m = &w->ret->manifest;
    lull_cleanup(lull_freep) struct lull_rdna_record *r = calloc(1, sizeof *r);
    struct lull_error *err = r == NULL ? &lull_enomem : lull_manifest_add(m, 0, "begins");
    for (unsigned i = 0; err == NULL && w->how->compute && i < 3; i++) {
        r->src[r->nsrc++] = LULL_RDNA_VGPR0;
        err = lull_manifest_value(m, thread_names[i], false);
    }
    for (unsigned i = 0, reg = w->how->id_sgpr; err == NULL && w->how->compute && i < 3; i++) {
        if ((w->how->ids >> i & 1) != 0) {
            r->src[r->nsrc++] = (uint16_t)reg++;
            err = lull_manifest_value(m, group_names[i], false);
        }
    }
    if (err != NULL) {
        return err;
    }
    lull_rdna_write_layout(r, w->s->lanes);
    lull_rdna_write_prologue(&w->added, &w->spare, w->how, r);
    w->prologue = w->added.n;
    for (unsigned i = 0; w->how->compute && i < 3; i++) {
        r->src_at[i].shift = (uint8_t)(ID_BITS * i);
        r->src_at[i].bits = ID_BITS;
    }
    return into_layout(&w->ret->layouts[0], r);
}

/** What stands where the old code began. */
static void write_entry(struct rewrite *w)
{
    const size_t from = w->out.n;
    jump_far(w, NULL, w->how->to);
    if (w->out.err == NULL) {
        memcpy(w->ret->entry, w->out.words + from, sizeof w->ret->entry);
        w->out.n = from;
    }
}

LULL_MUST_USE static struct lull_error *rewrite(struct rewrite *w)
{
    struct lull_error *err = lull_rdna_spare_of(w->s, &w->spare);
    if (err == NULL && w->s->size < sizeof w->ret->entry) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "the code has %zu bytes, and a jump to other code needs %zu",
                             w->s->size, sizeof w->ret->entry);
    }
    err = err != NULL ? err : prologue(w);
    err = err != NULL ? err : around(w);
    if (err != NULL) {
        return err;
    }
    drop_clauses(w);
    lay_out(w);
    splice(w);
    write_entry(w);
    err = w->out.err;
    w->out.err = NULL;
    return err;
}

struct lull_error *lull_rdna_instrument(const struct lull_rdna_shader *s,
                                        const struct lull_rdna_instrument *how,
                                        struct lull_rdna_instrumented *ret)
{
    struct lull_rdna_instrumented r = {.lanes = s->lanes, .room = how->room};
    struct rewrite w = {.s = s, .how = how, .ret = &r};
    w.places = calloc(s->n + 1, sizeof *w.places);
    r.layouts = calloc(s->n + 2, sizeof *r.layouts);
    struct lull_error *err = w.places == NULL || r.layouts == NULL ? &lull_enomem : NULL;
    r.manifest.gen = LULL_GPU_GFX1100;
    r.manifest.buffer = how->buffer;
    r.manifest.room = how->room;
    r.manifest.bytes = how->room + LULL_RDNA_RECORDS_AT;
    err = err != NULL ? err : rewrite(&w);
    r.words = w.out.words;
    r.n = w.out.n;
    w.out.words = NULL;
    lull_rdna_emit_done(&w.out);
    lull_rdna_emit_done(&w.added);
    free(w.places);
    if (err != NULL) {
        lull_rdna_instrumented_done(&r);
        return err;
    }
    *ret = r;
    return NULL;
}

void lull_rdna_instrumented_done(struct lull_rdna_instrumented *r)
{
    for (size_t i = 0; r->layouts != NULL && i < r->manifest.n; i++) {
        free(r->layouts[i].slots);
    }
    free(r->layouts);
    free(r->words);
    lull_manifest_done(&r->manifest);
    *r = (struct lull_rdna_instrumented){0};
}
