// SPDX-License-Identifier: MIT
/* dprintf without stopping: what registers a format needs, and lines of what waves have written. */
#include "debug/session/agent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/patch/patch.h"
#include "debug/session/agent_values.h"
#include "debug/session/engine.h"
#include "debug/session/pipeline.h"
#include "instrument/rdna/unroll.h"

enum { ROOM = 4 << 20 };

struct lull_agent {
    struct lull_debug *d;
    struct lull_patcher patcher;
};

/** Does anything need waves that stop, or code that stands where it was? */
static bool is_watched(const struct lull_debug *d)
{
    bool any = d->going || d->has_focus;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        any = any || (b->number != 0 && b->enabled && b->kind != LULL_BREAK_CATCH &&
                      b->kind != LULL_BREAK_PENDING && !b->agent);
    }
    return any;
}

/** Is @p b one of the shader at @p p, at instruction @p at of it? */
static bool is_in(const struct lull_breakpoint *b, const struct lull_patch *p, uint32_t at)
{
    return b->number != 0 && b->enabled && b->agent &&
           ((b->va ^ (p->code.va + at)) & 0xffffffffffff) == 0;
}

/** VGPRs beyond those that the code names may not be there. */
static bool is_in_shader(const struct lull_rdna_shader *s, unsigned reg)
{
    return reg < LULL_RDNA_VGPR0 + s->nvgprs || reg < LULL_RDNA_VGPR0;
}

/** The instructions of dprintfs, with the registers that they need. As struct lull_patcher has it.
 */
LULL_MUST_USE static struct lull_error *choose(void *ctx, const struct lull_patch *p,
                                               const struct lull_rdna_shader *s,
                                               struct lull_patch_choice *ret)
{
    struct lull_agent *a = ctx;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < a->d->nbreakpoints; k++) {
            struct lull_agent_scope scope = {0};
            if (!is_in(a->d->breakpoints[k], p, s->steps[i].at)) {
                continue;
            }
            if (!lull_agent_needs(a->d->breakpoints[k], s->lanes, &scope)) {
                return lull_error_new(LULL_ERR_UNSUPPORTED, "it needs a wave that stands");
            }
            for (unsigned r = 0; r < scope.nregs; r++) {
                if (ret->nextra == LULL_PATCH_EXTRA || !is_in_shader(s, scope.regs[r])) {
                    return lull_error_new(LULL_ERR_UNSUPPORTED, "registers that it has not got");
                }
                ret->extra[ret->nextra++] =
                    (struct lull_rdna_extra){.insn = (uint32_t)i, .reg = scope.regs[r]};
            }
            ret->chosen[i] = true;
            ret->n++;
        }
    }
    return NULL;
}

/** A line of @p b, of the record in @p s. */
LULL_MUST_USE static struct lull_error *print_one(struct lull_agent *a,
                                                  const struct lull_breakpoint *b,
                                                  struct lull_agent_scope *s, const char *where)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_value *values = calloc(LULL_DPRINTF_ARGS, sizeof *values);
    struct lull_error *err = values == NULL ? &lull_enomem : lull_agent_values(s, b->print, values);
    if (err == NULL) {
        lull_dprintf_text(b->print, values, 0, &text);
        err = text.err;
    }
    if (err == NULL && a->d->printed != NULL) {
        a->d->printed(a->d->run_ctx, b->number, where, lull_str_text(&text));
    }
    free(values);
    return err;
}

/** "workgroup 1,0,0 thread 5" of an invocation, by its first record; or its wave. */
static void put_where(const struct lull_dump *d, const struct lull_dump_record *begins,
                      const struct lull_patch_code *code, bool wave, struct lull_str *out)
{
    uint32_t id[6] = {0}; // thread_x, y, z, workgroup_x, y, z
    const struct lull_recorded *r = &d->m->all[0];
    for (uint32_t k = 0; begins != NULL && k < r->nsrc; k++) {
        const char axis = r->names[k][strlen(r->names[k]) - 1];
        id[(r->names[k][0] == 'w' ? 3 : 0) + (axis - 'x')] = lull_dump_value(d, begins, k);
    }
    const uint32_t thread = id[0] + code->block[0] * (id[1] + code->block[1] * id[2]);
    lull_str_addf(out, "workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " %s %" PRIu32, id[3], id[4],
                  id[5], wave ? "wave" : "thread", wave ? thread / code->lanes : thread);
}

/** The records of a shader while lines are made of them. */
struct printer {
    struct lull_agent *a;
    const struct lull_patch *p;
    const struct lull_dump *d;
    const struct lull_dump_record **begins; ///< By invocation. Owned.
    uint32_t *wave_of;                      ///< The same. Owned.
};

/** Is record @p i the first of those that its wave has made at once? */
static bool is_first(const struct printer *f, size_t i)
{
    const struct lull_dump_record *r = &f->d->all[i], *before = i > 0 ? &f->d->all[i - 1] : NULL;
    return before == NULL || before->insn != r->insn || before->invocation >= r->invocation ||
           f->wave_of[before->invocation] != f->wave_of[r->invocation];
}

/** Lines of record @p i. */
LULL_MUST_USE static struct lull_error *print_record(const struct printer *f, size_t i)
{
    const struct lull_dump_record *r = &f->d->all[i];
    struct lull_error *err = NULL;
    for (size_t k = 0; err == NULL && k < f->a->d->nbreakpoints; k++) {
        struct lull_breakpoint *b = f->a->d->breakpoints[k];
        struct lull_agent_scope scope = {0};
        bool wave = true;
        if (!is_in(b, f->p, f->p->offsets[f->d->m->all[r->insn].at]) ||
            !lull_agent_needs(b, f->p->code.lanes, &scope)) {
            continue;
        }
        for (unsigned n = 0; n < scope.nregs; n++) {
            wave = wave && scope.regs[n] < LULL_RDNA_VGPR0;
        }
        const bool first = is_first(f, i);
        b->hits += first;
        if (wave && !first) {
            continue;
        }
        lull_cleanup(lull_str_free) struct lull_str where = {0};
        put_where(f->d, f->begins[r->invocation], &f->p->code, wave, &where);
        scope = (struct lull_agent_scope){.dump = f->d, .record = r, .lanes = f->p->code.lanes};
        err = print_one(f->a, b, &scope, lull_str_text(&where));
    }
    return err;
}

LULL_MUST_USE static struct lull_error *print_dump(struct printer *f,
                                                   const struct lull_rdna_unrolled *u, size_t *from)
{
    const struct lull_dump *d = f->d;
    f->begins = calloc(d->invocations + 1, sizeof *f->begins);
    f->wave_of = calloc(d->invocations + 1, sizeof *f->wave_of);
    struct lull_error *err = f->begins == NULL || f->wave_of == NULL ? &lull_enomem : NULL;
    for (size_t w = 0; err == NULL && w < u->nwaves; w++) {
        const unsigned n = (unsigned)__builtin_popcountll(u->waves[w].lanes);
        for (unsigned k = 0; k < n; k++) {
            f->wave_of[u->waves[w].first + k] = (uint32_t)w;
        }
    }
    for (size_t i = 0; err == NULL && i < d->n; i++) {
        const struct lull_dump_record *r = &d->all[i];
        if (r->insn == 0) {
            f->begins[r->invocation] = r;
        } else if (i >= *from) {
            err = print_record(f, i);
        }
    }
    *from = d->n;
    free(f->begins);
    free(f->wave_of);
    return err;
}

LULL_MUST_USE static struct lull_error *print_patch(struct lull_agent *a, struct lull_patch *p,
                                                    size_t *from)
{
    struct lull_rdna_unrolled u = {0};
    struct lull_dump d = {0};
    struct lull_error *err = lull_patch_take(p);
    if (err != NULL || p->data == NULL) {
        return err;
    }
    err = lull_rdna_unroll(&p->made, p->data, p->size, &u);
    err = err != NULL ? err : lull_dump_of(&p->made.manifest, u.bytes.text, u.bytes.size, &d);
    struct printer f = {.a = a, .p = p, .d = &d};
    err = err != NULL ? err : print_dump(&f, &u, from);
    if (err == NULL && d.missing != 0 && !p->told && a->d->printed != NULL) {
        a->d->printed(a->d->run_ctx, 0, p->symbol, "lines of dprintf are missing: too many");
        p->told = true;
    }
    lull_dump_done(&d);
    lull_rdna_unrolled_done(&u);
    return err;
}

struct lull_error *lull_agent_print(struct lull_debug *d)
{
    struct lull_agent *a = d->agent;
    struct lull_error *err = NULL;
    for (size_t i = 0; a != NULL && err == NULL && i < a->patcher.n; i++) {
        err = print_patch(a, &a->patcher.all[i], &a->patcher.all[i].seen);
    }
    return err;
}

void lull_agent_leaves(struct lull_debug *d, uint32_t pid, uint32_t client)
{
    if (d != NULL && d->agent != NULL) {
        lull_error_free(lull_agent_print(d));
        lull_error_free(lull_patcher_leaves(&d->agent->patcher, pid, client));
    }
}

void lull_agent_free(struct lull_agent *a)
{
    if (a != NULL) {
        lull_patcher_done(&a->patcher);
        free(a);
    }
}

/** Those that were to be done without stopping stop from now on: all, or those in @p p. */
LULL_MUST_USE static struct lull_error *give_up(struct lull_debug *d, const struct lull_pipeline *p)
{
    bool any = false;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        if (b->number != 0 && b->agent && (p == NULL || lull_pipeline_of(d, b->va) == p)) {
            b->agent = false;
            any = true;
        }
    }
    return any ? lull_debug_sync_breakpoints(d) : NULL;
}

/** Which there are now: if that changes, shaders are patched anew. */
static uint64_t set_of(const struct lull_debug *d)
{
    uint64_t set = 0;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        const struct lull_breakpoint *b = d->breakpoints[i];
        set = set * 31 + (b->number != 0 && b->enabled && b->agent ? b->number : 0);
    }
    return set;
}

struct lull_error *lull_agent_meet(struct lull_debug *d, const struct lull_dispatch_info *i)
{
    const uint64_t set = set_of(d);
    struct lull_error *err = NULL;
    if (d->agent == NULL && set == 0) {
        return NULL;
    }
    if (d->agent == NULL) {
        d->agent = calloc(1, sizeof *d->agent);
        if (d->agent == NULL) {
            return &lull_enomem;
        }
        d->agent->d = d;
        d->agent->patcher = (struct lull_patcher){
            .target = d->target, .room = ROOM, .choose = choose, .ctx = d->agent};
    }
    struct lull_agent *a = d->agent;
    const bool watched = is_watched(d);
    if (watched) {
        err = lull_patcher_restore(&a->patcher, i);
    }
    err = err == NULL && watched ? give_up(d, NULL) : err;
    if (err != NULL || watched || set == 0) {
        return err;
    }
    a->patcher.set = set;
    err = lull_patcher_dispatch(&a->patcher, i);
    const struct lull_patch *p = a->patcher.n != 0 ? &a->patcher.all[a->patcher.n - 1] : NULL;
    if (err == NULL && p != NULL && p->why != NULL) {
        err = give_up(d, lull_pipeline_of(d, i->code_va));
    }
    return err;
}

struct lull_error *lull_agent_meet_draw(struct lull_debug *d, const struct lull_draw_info *i)
{
    struct lull_error *err = NULL;
    for (unsigned k = 0; err == NULL && k < LULL_STAGES; k++) {
        const struct lull_pipeline *p =
            i->code_va[k] != 0 ? lull_pipeline_of(d, i->code_va[k]) : NULL;
        err = p != NULL ? give_up(d, p) : NULL;
    }
    return err;
}
