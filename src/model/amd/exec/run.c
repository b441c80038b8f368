// SPDX-License-Identifier: MIT
// The run loop: fetch, execute, step the pc, and what stops a wave on the way.
#include <string.h>

#include "hw/hwreg_regs.h"
#include "model/amd/exec/code.h"
#include "model/fp/fp_excp.h"
#include "model/fp/fp_host.h"
#include "model/observer.h"

enum {
    MIN_TURN = 64, // A smaller budget is kept to the instruction.
    RECENT = 4,    // Pages, by the low bits of their numbers.
};

/** A wave while it runs: what the loop keeps in registers. */
struct run {
    struct lull_wave *w;
    struct lull_code_page *page;
    struct lull_code_page *recent[RECENT];
    uint32_t done, budget;
    bool compiles; ///< What was compiled may be executed; it may do more than the budget.
};

static bool privileged(const struct lull_wave *w)
{
    return (w->status & LULL_HWREG_STATUS__PRIV_MASK) != 0;
}

static void halt_fatally(struct lull_wave *w)
{
    w->status |= LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK;
    w->state = LULL_WAVE_HALTED;
}

/** Exception at w->pc: into the trap handler, or halt. One inside the handler always halts. */
static void exception(struct lull_wave *w, uint32_t trapsts)
{
    w->trapsts |= trapsts;
    if (privileged(w) || !lull_wave_trap(w, 0, false)) {
        halt_fatally(w);
    }
}

static void memory_violation(struct lull_wave *w)
{
    // Bit 8 of TRAPSTS.EXCP. Source: data/reg/hwreg.reg.
    exception(w, (uint32_t)1 << (LULL_HWREG_TRAPSTS__EXCP_SHIFT + 8));
}

static void fetch_fault(struct lull_wave *w)
{
    if (w->host != NULL && w->host->vm_fault != NULL) {
        w->host->vm_fault(w);
    }
    memory_violation(w);
}

bool lull_wave_take_traps(struct lull_wave *w)
{
    static const struct {
        uint32_t cause, trapsts;
    } causes[] = {
        {LULL_TRAP_HOST, LULL_HWREG_TRAPSTS__HOST_TRAP_MASK},
        {LULL_TRAP_WAVE_START, LULL_HWREG_TRAPSTS__WAVESTART_MASK},
        {LULL_TRAP_AFTER_INST, LULL_HWREG_TRAPSTS__TRAP_AFTER_INST_MASK},
        {LULL_TRAP_WAVE_END, LULL_HWREG_TRAPSTS__WAVE_END_MASK},
        {LULL_TRAP_SAVECTX, LULL_HWREG_TRAPSTS__SAVECTX_MASK},
    };
    const uint32_t pending = w->pending;
    uint32_t bits = 0;
    if (pending == 0 || privileged(w)) {
        return false;
    }
    for (unsigned i = 0; i < sizeof causes / sizeof causes[0]; i++) {
        bits |= (pending & causes[i].cause) != 0 ? causes[i].trapsts : 0;
    }
    const bool there = lull_wave_trap(w, 0, (pending & LULL_TRAP_HOST) != 0);
    w->trapsts |= there ? bits : 0;
    w->pending = 0;
    return there;
}

/** Call @p u with TTMPs that read 0 and keep their values. */
static enum lull_exec_result call_without_ttmps(struct lull_wave *w, const struct lull_uop *u)
{
    uint32_t saved[LULL_RDNA_NULL - LULL_RDNA_TTMP0];
    memcpy(saved, &w->sgpr[LULL_RDNA_TTMP0], sizeof saved);
    memset(&w->sgpr[LULL_RDNA_TTMP0], 0, sizeof saved);
    const enum lull_exec_result r = u->fn(w, u);
    if (!privileged(w)) {
        memcpy(&w->sgpr[LULL_RDNA_TTMP0], saved, sizeof saved);
    }
    return r;
}

static enum lull_exec_result call(struct lull_wave *w, const struct lull_uop *u)
{
    if (u->nvgprs > w->nvgprs) {
        return LULL_EXEC_ILLEGAL;
    }
    return u->ttmp && !privileged(w) ? call_without_ttmps(w, u) : u->fn(w, u);
}

/** Account for the result of the instruction at w->pc. @return whether the wave can go on at once.
 */
static bool settle(struct run *r, const struct lull_uop *u, enum lull_exec_result result)
{
    struct lull_wave *w = r->w;
    switch (result) {
    case LULL_EXEC_NEXT:
        w->pc += 4u * u->ndwords;
        break;
    case LULL_EXEC_JUMP:
        break;
    case LULL_EXEC_YIELD:
        w->pc += 4u * u->ndwords;
        break;
    case LULL_EXEC_STAY:
        return false;
    case LULL_EXEC_MEMORY:
        memory_violation(w);
        return w->state == LULL_WAVE_RUNNING;
    case LULL_EXEC_ILLEGAL:
        exception(w, LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK);
        return w->state == LULL_WAVE_RUNNING;
    }
    r->done++;
    return result != LULL_EXEC_YIELD;
}

/** Whether @p p is the page at w->pc, up to date. */
static bool is_here(const struct lull_wave *w, const struct lull_code_page *p)
{
    return p != NULL && p->number == w->pc >> LULL_PAGE_SHIFT && p->table == w->table &&
           lull_code_fresh(w->code, p);
}

/** The page at w->pc to r->page: NULL: there is none. */
static void find_page(struct run *r)
{
    struct lull_code_page **recent = &r->recent[(r->w->pc >> LULL_PAGE_SHIFT) % RECENT];
    if (!is_here(r->w, *recent)) {
        *recent = lull_code_page(r->w, r->w->pc);
    }
    r->page = *recent;
}

/** The instruction at w->pc, predecoded; NULL: an exception has been taken. */
static const struct lull_uop *fetch(struct run *r)
{
    struct lull_wave *w = r->w;
    const unsigned i = (unsigned)(w->pc % LULL_PAGE_SIZE / 4);
    if (r->page == NULL || r->page->number != w->pc >> LULL_PAGE_SHIFT ||
        !lull_code_fresh(w->code, r->page)) {
        find_page(r);
    }
    if (r->page == NULL) {
        fetch_fault(w);
        return NULL;
    }
    if (!r->page->known[i]) {
        const enum lull_code_result made = lull_code_make(w, r->page, i);
        if (made == LULL_CODE_FAULT) {
            fetch_fault(w);
        } else if (made == LULL_CODE_UNKNOWN) {
            exception(w, LULL_HWREG_TRAPSTS__ILLEGAL_INST_MASK);
        }
        return made == LULL_CODE_OK ? &r->page->uop[i] : NULL;
    }
    return &r->page->uop[i];
}

/**
 * Whether exceptions of the ALU are looked for: MODE enables one of them and does not suppress all.
 * Then each that is raised goes to TRAPSTS; while none is enabled the model leaves TRAPSTS alone,
 * where hardware collects them always. Source: RDNA3 ISA guide 3.4.2 (MODE.DX10_CLAMP), 3.4.9.
 */
static bool raises(const struct lull_wave *w)
{
    const uint32_t enabled = w->mode >> LULL_HWREG_MODE__EXCP_EN_SHIFT & LULL_EXCP_ALL;
    return enabled != 0 && (w->mode & LULL_HWREG_MODE__DX10_CLAMP_MASK) == 0 && !privileged(w);
}

/** Whether an instruction may have to be looked at before or after it. */
static bool is_slow(const struct lull_wave *w)
{
    return w->pending != 0 || raises(w) ||
           (w->mode & LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK) != 0;
}

/** The instruction that raised @p excp is done: the trap comes before the next. */
static void raise(struct lull_wave *w, uint32_t excp)
{
    w->trapsts |= excp << LULL_HWREG_TRAPSTS__EXCP_SHIFT;
    if ((w->mode >> LULL_HWREG_MODE__EXCP_EN_SHIFT & excp) != 0) {
        w->pending |= LULL_TRAP_EXCEPTION;
    }
}

/** Execute @p u, with everything that can happen around it. @return whether the wave can go on. */
static bool execute(struct run *r, const struct lull_uop *u)
{
    struct lull_wave *w = r->w;
    const bool trap_after =
        (w->mode & LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK) != 0 && !privileged(w);
    const uint32_t done = r->done;
    const uint32_t excp = raises(w) && u->nvgprs <= w->nvgprs ? lull_valu_exceptions(w, u) : 0;
    const bool goes_on = settle(r, u, call(w, u));
    if (excp != 0 && r->done != done) {
        raise(w, excp);
    }
    if (trap_after && r->done != done && !privileged(w) && w->state != LULL_WAVE_ENDED) {
        w->pending |= LULL_TRAP_AFTER_INST;
    }
    return goes_on;
}

static bool step(struct run *r)
{
    const struct lull_uop *u = fetch(r);
    return u == NULL ? r->w->state == LULL_WAVE_RUNNING : execute(r, u);
}

/** Whether lanes of both halves are all on. */
static bool all_on(const struct lull_wave *w)
{
    return w->sgpr[LULL_RDNA_EXEC] == UINT32_MAX &&
           (w->lanes == 32 || w->sgpr[LULL_RDNA_EXEC + 1] == UINT32_MAX);
}

/** A plain vector instruction with scalars to broadcast, on all lanes of one half. */
static void call_broadcast(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                           struct lull_lane_ctx *x)
{
    uint32_t room[3][32];
    u->lane(w->vgpr + u->doff + 32 * half, lull_plain_source(w, u, 0, half, room[0]),
            lull_plain_source(w, u, 1, half, room[1]), lull_plain_source(w, u, 2, half, room[2]),
            x);
}

/** A plain vector instruction on all lanes. */
static inline void call_inline(const struct lull_wave *w, const struct lull_uop *u,
                               struct lull_lane_ctx *x)
{
    x->literal = u->literal;
    for (unsigned half = 0; half < w->lanes / 32; half++) {
        x->lane0 = 32 * half;
        if (u->sgprs == 0) {
            u->lane(w->vgpr + u->doff + 32 * half, lull_plain_lanes(w, u, 0, half),
                    lull_plain_lanes(w, u, 1, half), lull_plain_lanes(w, u, 2, half), x);
        } else {
            call_broadcast(w, u, half, x);
        }
    }
}

/** A plain vector instruction on those lanes of one half that are on, some but not all. */
static void call_some(const struct lull_wave *w, const struct lull_uop *u, unsigned half,
                      struct lull_lane_ctx *x)
{
    uint32_t room[3][32], t[32], *d = w->vgpr + u->doff + 32 * half;
    if (u->reads_d) {
        memcpy(t, d, sizeof t);
    }
    u->lane(t, lull_plain_source(w, u, 0, half, room[0]), lull_plain_source(w, u, 1, half, room[1]),
            lull_plain_source(w, u, 2, half, room[2]), x);
    u->tools->store(d, t, w->sgpr[LULL_RDNA_EXEC + half]);
}

/** A plain vector instruction on the lanes that are on. */
static void call_masked(const struct lull_wave *w, const struct lull_uop *u,
                        struct lull_lane_ctx *x)
{
    x->literal = u->literal;
    for (unsigned half = 0; half < w->lanes / 32; half++) {
        const uint32_t exec = w->sgpr[LULL_RDNA_EXEC + half];
        x->lane0 = 32 * half;
        x->off = ~exec;
        if (exec == UINT32_MAX) {
            call_broadcast(w, u, half, x);
        } else if (exec != 0) {
            call_some(w, u, half, x);
        }
    }
    x->off = 0;
}

static uint64_t page_of(uint64_t pc)
{
    return pc & ~(uint64_t)(LULL_PAGE_SIZE - 1);
}

/** Where the loop of run_page() is. */
struct place {
    const struct lull_uop *first, *end; ///< Of the page,
    uint64_t base;                      ///< and its address.
};

static inline struct place place_of(const struct run *r)
{
    const struct lull_uop *first = r->page->uop;
    return (struct place){first, first + LULL_CODE_DWORDS, page_of(r->w->pc)};
}

/** The instruction at w->pc, or LULL_UOP_FULL where it is not made yet. */
static inline const struct lull_uop *uop_at(const struct run *r, const struct place *p)
{
    return p->first + r->w->pc % LULL_PAGE_SIZE / 4;
}

/** Whether w->pc is in @p p's page, or one that was executed just now: then @p p is that. */
static inline bool follow(struct run *r, struct place *p)
{
    if (page_of(r->w->pc) == p->base) {
        return true;
    }
    struct lull_code_page *recent = r->recent[(r->w->pc >> LULL_PAGE_SHIFT) % RECENT];
    if (!is_here(r->w, recent)) {
        return false;
    }
    r->page = recent;
    *p = place_of(r);
    lull_code_link(r->w, uop_at(r, p)->compiled);
    return true;
}

/** What was compiled of @p u and those behind it, if it fits here. */
static inline const struct lull_exec_code *compiled(const struct run *r, const struct lull_uop *u)
{
    const struct lull_exec_code *c = u->compiled;
    if (c == NULL || c->mode != r->w->mode) {
        c = lull_code_compiled(r->w, r->page, (unsigned)(u - r->page->uop));
    }
    return c != NULL && c->mode == r->w->mode && c->nvgprs <= r->w->nvgprs ? c : NULL;
}

/** Neither LULL_UOP_FULL nor, as things are, the same as that. */
static inline bool is_quick(const struct lull_wave *w, const struct lull_uop *u)
{
    return u->cls != LULL_UOP_FULL && (u->cls != LULL_UOP_TRAP || privileged(w)) &&
           u->nvgprs <= w->nvgprs;
}

/**
 * Instructions of the page from w->pc on that are not LULL_UOP_FULL.
 *
 * @param compiles Whether compiled code is asked for.
 * @param watched Up to one that observers are told of.
 * @return whether the wave can go on.
 */
static inline bool run_page(struct run *r, bool compiles, bool watched)
{
    struct lull_wave *w = r->w;
    struct place p = place_of(r);
    const struct lull_uop *u = uop_at(r, &p);
    struct lull_lane_ctx x = {.mode = w->mode};
    int32_t left = (int32_t)(r->budget - r->done);
    bool all = all_on(w);
    while (left > 0 && u < p.end && is_quick(w, u) && !(watched && u->loud)) {
        const struct lull_exec_code *c = compiles ? compiled(r, u) : NULL;
        if (c != NULL) {
            struct lull_exec_exit how = {.left = left};
            c->run(w, &how);
            left = how.left;
            if (how.result != LULL_EXEC_NEXT || !follow(r, &p)) {
                r->done = r->budget - (uint32_t)left;
                return how.result == LULL_EXEC_NEXT ||
                       settle(r, how.u, (enum lull_exec_result)how.result);
            }
            u = uop_at(r, &p);
            all = all_on(w);
            continue;
        }
        if (u->cls == LULL_UOP_INLINE && all) {
            call_inline(w, u, &x);
        } else if (u->cls == LULL_UOP_INLINE) {
            call_masked(w, u, &x);
        } else if (u->cls != LULL_UOP_SKIP) {
            w->pc = p.base + 4 * (uint64_t)(u - p.first);
            const enum lull_exec_result result = u->fn(w, u);
            all = all_on(w);
            if (result == LULL_EXEC_JUMP && page_of(w->pc) == p.base) {
                u = uop_at(r, &p);
                left--;
                continue;
            }
            if (result != LULL_EXEC_NEXT) {
                r->done = r->budget - (uint32_t)left;
                return settle(r, u, result);
            }
        }
        u += u->ndwords;
        left--;
    }
    r->done = r->budget - (uint32_t)left;
    w->pc = p.base + 4 * (uint64_t)(u - p.first);
    return true;
}

static bool run_page_compiled(struct run *r)
{
    return run_page(r, true, false);
}

static bool run_page_plain(struct run *r)
{
    return run_page(r, false, false);
}

static bool run_page_watched(struct run *r)
{
    return r->compiles ? run_page(r, true, true) : run_page(r, false, true);
}

/** As long as neither MODE changes nor anything is pending. */
static bool run_fast(struct run *r)
{
    struct lull_wave *w = r->w;
    const uint32_t mode = w->mode;
    const bool inside = privileged(w);
    bool (*const page)(struct run * r) = r->compiles ? run_page_compiled : run_page_plain;
    bool goes_on = true;
    while (goes_on && r->done < r->budget && w->pending == 0 && w->mode == mode &&
           privileged(w) == inside) {
        const struct lull_uop *u = fetch(r);
        if (u == NULL) {
            return w->state == LULL_WAVE_RUNNING;
        }
        goes_on = is_quick(w, u) ? page(r) : settle(r, u, call(w, u));
    }
    return goes_on;
}

/** Tell the observers of the instruction at hand. */
static void tell(const struct run *r, const struct lull_uop *u, struct lull_observed *at)
{
    lull_wave_seen_next(r->w, u->in, at);
    at->decoded = u->decoded;
    for (struct lull_observer *o = r->w->observer; o != NULL; o = o->next) {
        if (o->before != NULL) {
            o->before(o, at);
        }
    }
}

/** Does an observer want the wave to go into its trap handler? */
static void take_wish(struct lull_wave *w)
{
    for (struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        w->pending |= o->traps && w->state != LULL_WAVE_ENDED ? LULL_TRAP_HOST : 0;
        o->traps = false;
    }
}

static bool step_observed(struct run *r)
{
    struct lull_wave *w = r->w;
    const struct lull_uop *u = fetch(r);
    if (u == NULL) {
        return w->state == LULL_WAVE_RUNNING;
    }
    struct lull_observed at;
    lull_wave_seen(w, u->in, &at);
    tell(r, u, &at);
    w->seen = &at;
    const bool goes_on = execute(r, u);
    w->seen = NULL;
    take_wish(w);
    return goes_on;
}

/** What a stretch is made of: instructions of a page. */
struct ahead {
    struct lull_ahead a; // First.
    struct run *r;
    const struct lull_uop *u;
    bool exec; // EXEC has been written.
};

static bool next_ahead(struct lull_ahead *a, struct lull_observed *at)
{
    struct ahead *h = (struct ahead *)a;
    struct lull_code_page *page = h->r->page;
    const unsigned i = (unsigned)(h->u - page->uop) + h->u->ndwords;
    const bool known = i < LULL_CODE_DWORDS &&
                       (page->known[i] || lull_code_make(h->r->w, page, i) == LULL_CODE_OK);
    const struct lull_uop *u = known ? &page->uop[i] : NULL;
    h->exec = h->exec || h->u->calm == LULL_CALM_EXEC;
    if (u == NULL || u->calm == LULL_CALM_NOT || h->u->calm == LULL_CALM_JUMP ||
        (h->exec && u->calm == LULL_CALM_VECTOR) || u->nvgprs > h->r->w->nvgprs) {
        return false;
    }
    at->pc += 4 * (uint64_t)h->u->ndwords;
    at->insn = (const struct lull_insn *)u->in;
    at->decoded = u->decoded;
    h->u = u;
    return true;
}

/** The one observer that is told of instructions, if it knows stretches; NULL: there is none. */
static struct lull_observer *knows_stretches(const struct lull_wave *w)
{
    struct lull_observer *only = NULL;
    for (struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->before != NULL && (only != NULL || o->stretch == NULL)) {
            return NULL;
        }
        only = o->before != NULL ? o : only;
    }
    return only;
}

/** The same, if it says which are loud. */
static struct lull_observer *knows_loud(const struct lull_wave *w)
{
    struct lull_observer *only = NULL;
    for (struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->before != NULL && (only != NULL || o->loud == NULL || o->quiet == NULL)) {
            return NULL;
        }
        only = o->before != NULL ? o : only;
    }
    return only;
}

/** Need @p o not be told of @p u, nor of what is behind it up to one that is loud? */
static bool is_quiet(const struct lull_wave *w, const struct lull_uop *u, struct lull_observer *o,
                     struct lull_observed *at)
{
    if (u->loud || o == NULL || !is_quick(w, u)) {
        return false;
    }
    lull_wave_seen_next(w, u->in, at);
    return o->quiet(o, at);
}

/** Put down what instruction @p k of @p s may overwrite. */
static void keep(const struct lull_wave *w, const struct lull_stretch *s, unsigned k)
{
    for (unsigned i = 0; i < LULL_STRETCH_REGS; i++) {
        const unsigned n = s->keep[k][i] - (unsigned)LULL_RDNA_VGPR0;
        if (n < w->nvgprs) {
            memcpy(s->kept[i], w->vgpr + (size_t)n * w->lanes, w->lanes * sizeof *w->vgpr);
        }
    }
}

/** Is there something in what instruction @p k of @p s gave? */
static bool is_seen(const struct lull_wave *w, const struct lull_stretch *s, unsigned k)
{
    bool seen = false;
    for (unsigned i = 0; i < LULL_STRETCH_REGS; i++) {
        const struct lull_stretch_look *l = &s->look[k][i];
        const unsigned n = l->reg - (unsigned)LULL_RDNA_VGPR0;
        seen = seen || (n < w->nvgprs && s->may(w->vgpr + (size_t)n * w->lanes, w->lanes, l->kind));
    }
    return seen;
}

/** @return whether it could be executed. */
static inline bool do_calmly(struct lull_wave *w, const struct lull_uop *u, bool all,
                             struct lull_lane_ctx *x)
{
    if (u->cls == LULL_UOP_INLINE && all) {
        call_inline(w, u, x);
    } else if (u->cls == LULL_UOP_INLINE) {
        call_masked(w, u, x);
    } else if (u->cls != LULL_UOP_SKIP) {
        return u->fn(w, u) == LULL_EXEC_NEXT;
    }
    return true;
}

/** The instructions from @p u on that are @p s, of which @p o is told: up to one that is illegal.
 * @return how many. */
static unsigned do_stretch(struct run *r, const struct lull_uop *u, struct lull_observer *o,
                           const struct lull_stretch *s, struct lull_lane_ctx *x)
{
    struct lull_wave *w = r->w;
    const struct lull_uop *const first = u;
    const bool all = all_on(w);
    const uint64_t pc = w->pc;
    unsigned k = 0;
    bool ends = false, jumps = false;
    for (uint32_t bits = 1; k < s->n && !ends; k++, bits <<= 1) {
        if (u->calm == LULL_CALM_JUMP) { // The last.
            w->pc = pc + 4 * (uint64_t)(u - first);
            jumps = u->fn(w, u) == LULL_EXEC_JUMP;
            u += u->ndwords;
            continue;
        }
        if ((s->keeps & bits) != 0) {
            keep(w, s, k);
        }
        if (!do_calmly(w, u, all, x)) {
            break;
        }
        u += u->ndwords;
        ends = (s->looks & bits) != 0 && is_seen(w, s, k) && o->gave(o, s, k);
    }
    w->pc = jumps ? w->pc : pc + 4 * (uint64_t)(u - first);
    r->done += k;
    o->passed(o, s, k);
    return k;
}

/** A stretch at @p u, if it is one that @p o need not be told of: something was executed. */
static bool calmly(struct run *r, const struct lull_uop *u, struct lull_observer *o,
                   struct lull_observed *at, struct lull_lane_ctx *x)
{
    struct ahead h = {.a = {next_ahead}, .r = r, .u = u};
    if (u->nvgprs > r->w->nvgprs) {
        return false;
    }
    lull_wave_seen_next(r->w, u->in, at);
    at->decoded = u->decoded;
    const struct lull_stretch *s = o->stretch(o, at, r->budget - r->done, &h.a);
    return s != NULL && do_stretch(r, u, o, s, x) != 0;
}

/** As run_fast(), and the observers are told. */
static bool run_observed(struct run *r)
{
    struct lull_wave *w = r->w;
    const uint32_t mode = w->mode;
    const bool inside = privileged(w);
    struct lull_lane_ctx x = {.mode = mode};
    struct lull_observed at;
    bool goes_on = true;
    struct lull_observer *const only = knows_stretches(w), *const loud = knows_loud(w);
    lull_wave_seen(w, NULL, &at);
    while (goes_on && r->done < r->budget && w->pending == 0 && w->mode == mode &&
           privileged(w) == inside) {
        const struct lull_uop *u = fetch(r);
        if (u == NULL) {
            return w->state == LULL_WAVE_RUNNING;
        }
        if (is_quiet(w, u, loud, &at)) {
            goes_on = run_page_watched(r);
            take_wish(w);
            continue;
        }
        if (u->calm != LULL_CALM_NOT && only != NULL && calmly(r, u, only, &at, &x)) {
            take_wish(w);
            continue;
        }
        tell(r, u, &at);
        if (u->cls != LULL_UOP_INLINE || u->nvgprs > w->nvgprs) {
            w->seen = &at;
            goes_on = settle(r, u, call(w, u));
            w->seen = NULL;
        } else {
            if (all_on(w)) {
                call_inline(w, u, &x);
            } else {
                call_masked(w, u, &x);
            }
            w->pc += 4u * u->ndwords;
            r->done++;
        }
        take_wish(w);
    }
    return goes_on;
}

/** By enum lull_wave_table: as far as it goes quickly, and one instruction at a time. */
static const struct engine {
    bool (*run)(struct run *r), (*step)(struct run *r);
} engines[LULL_TABLES] = {
    [LULL_TABLE_PLAIN] = {run_fast, step},
    [LULL_TABLE_OBSERVED] = {run_observed, step_observed},
};

/** Pay what compiled code did beyond earlier budgets out of this one. @return what is left of it.
 */
static uint32_t pay(struct lull_wave *w, uint32_t budget)
{
    const bool exact = budget < MIN_TURN || w->pending != 0;
    const uint32_t paid = exact ? 0 : w->debt < budget ? w->debt : budget;
    w->debt = exact ? 0 : w->debt - paid;
    return budget - paid;
}

/** As lull_wave_run(), without debts. @return instructions done, which may be more. */
__attribute__((noinline)) static uint32_t run(struct lull_wave *w, uint32_t budget, bool compiles)
{
    const struct engine *engine = &engines[w->table];
    struct run r = {.w = w, .budget = budget, .compiles = compiles};
    if (w->observer != NULL) {
        lull_code_watched(w->code, w->observer);
    }
    uint32_t mode = w->mode;
    const uint32_t saved = lull_fp_host_begin(mode);
    // Traps and exceptions are no instructions, but one after the other must not hold the loop. An
    // s_trap is one if it was passed over: one that a debugger put there is not.
    uint32_t events = 0;
    const bool inside = privileged(w);
    if (w->trap_pc == LULL_TRAP_OVER && !inside && budget != 0) {
        w->trap_pc = 0;
        r.done = 1;
    }
    bool goes_on = w->state == LULL_WAVE_RUNNING;
    while (goes_on && r.done < budget && events < budget && !lull_wave_take_traps(w) &&
           privileged(w) == inside) {
        if (w->mode != mode) {
            mode = w->mode;
            lull_fp_host_begin(mode);
        }
        const uint32_t done = r.done;
        goes_on = is_slow(w) ? engine->step(&r) : engine->run(&r);
        events += r.done == done;
        goes_on = goes_on && w->state == LULL_WAVE_RUNNING;
    }
    lull_fp_host_pause(saved);
    w->ninsns += inside ? 0 : r.done;
    return r.done;
}

/** Run @p c, which stands at w->pc. @param over Whether the wave cannot go on.
 * @return Instructions done, which may be more. */
static inline uint32_t run_code(struct lull_wave *w, const struct lull_exec_code *c,
                                uint32_t budget, bool *over)
{
    struct lull_exec_exit how = {.left = (int32_t)budget};
    c->run(w, &how);
    struct run r = {.w = w, .done = budget - (uint32_t)how.left};
    const bool goes_on =
        how.result == LULL_EXEC_NEXT || settle(&r, how.u, (enum lull_exec_result)how.result);
    *over = !goes_on || w->state != LULL_WAVE_RUNNING || privileged(w);
    w->ninsns += r.done;
    return r.done;
}

/** The compiled code that stands at w->pc and may run at once; NULL: there is none. */
static inline const struct lull_exec_code *code_to_resume(const struct lull_wave *w)
{
    const bool plain = w->state == LULL_WAVE_RUNNING && w->table == LULL_TABLE_PLAIN;
    return plain && w->trap_pc == 0 && !privileged(w) && !is_slow(w) ? lull_code_here(w) : NULL;
}

/**
 * The beginning of run(), where compiled code stands at w->pc: waves that begin, or come from a
 * barrier, have little to do.
 *
 * @param over Whether that is all, as the wave cannot go on.
 * @return Instructions done, which may be more.
 */
static uint32_t resume(struct lull_wave *w, uint32_t budget, bool *over)
{
    const struct lull_exec_code *c = code_to_resume(w);
    if (c == NULL) {
        return 0;
    }
    const bool stands = lull_fp_host_stands(w->mode);
    const uint32_t saved = stands ? 0 : lull_fp_host_begin(w->mode);
    const uint32_t done = run_code(w, c, budget, over);
    if (!stands) {
        lull_fp_host_pause(saved);
    }
    return done;
}

/** What is left of lull_wave_run() of @p budget, of which @p left is not paid for what was done
 * before, and @p done is done now. */
static inline uint32_t finish(struct lull_wave *w, uint32_t budget, uint32_t left, uint32_t done,
                              bool over)
{
    if (!over && done < left) {
        done += run(w, left - done, budget >= MIN_TURN && lull_code_compiles(w->code));
    }
    if (done > left && w->state == LULL_WAVE_RUNNING) {
        w->debt = done - left;
    }
    return budget - left + (done < left ? done : left);
}

uint32_t lull_wave_run(struct lull_wave *w, uint32_t budget)
{
    budget = budget < INT32_MAX ? budget : INT32_MAX;
    const uint32_t left = w->state == LULL_WAVE_RUNNING ? pay(w, budget) : budget;
    if (left == 0) {
        return budget;
    }
    bool over = false;
    const uint32_t done = budget >= MIN_TURN ? resume(w, left, &over) : 0;
    return finish(w, budget, left, done, over);
}

uint32_t lull_wave_resume(struct lull_wave *w, uint32_t turn)
{
    const struct lull_exec_code *c = w->debt == 0 ? code_to_resume(w) : NULL;
    if (c == NULL || turn < MIN_TURN || !lull_fp_host_stands(w->mode)) {
        return 0;
    }
    bool over = false;
    const uint32_t done = run_code(w, c, turn, &over);
    return finish(w, turn, turn, done, over);
}
