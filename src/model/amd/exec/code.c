// SPDX-License-Identifier: MIT
#include "model/amd/exec/code.h"
#include "model/observer.h"

#include <stdlib.h>
#include <string.h>

enum {
    CODE_BUCKETS = 256,
    HEAT_COMPILE = 16, ///< Times that an instruction is come to before it is compiled.
    HEAT_LAST = 64,    ///< The last code of an instruction whose MODE changes stays.
};

/** 32 lanes of one value, for constants as operands of vector instructions. */
struct constant {
    struct constant *next;
    uint32_t lanes[32];
};

struct lull_code_cache {
    uint64_t epoch;
    uint64_t decoded; ///< Counts instructions.
    unsigned written; ///< VGPRs that they may write are below this one.
    struct lull_code_page *pages[CODE_BUCKETS];
    struct lull_code_page *last; ///< What was asked for last: most waves run the same code.
    struct constant *constants[CODE_BUCKETS];
    const struct lull_engine *engine; ///< NULL: the interpreter does everything.
    void *compiled;                   ///< The engine's state.
    const struct lull_observer *by;   ///< Who was asked which instructions are loud.
};

struct lull_code_cache *lull_code_cache_new(void)
{
    return calloc(1, sizeof(struct lull_code_cache));
}

void lull_code_cache_free(struct lull_code_cache *c)
{
    for (unsigned i = 0; c != NULL && i < CODE_BUCKETS; i++) {
        while (c->pages[i] != NULL) {
            struct lull_code_page *p = c->pages[i];
            c->pages[i] = p->next;
            free(p);
        }
        while (c->constants[i] != NULL) {
            struct constant *k = c->constants[i];
            c->constants[i] = k->next;
            free(k);
        }
    }
    if (c != NULL && c->engine != NULL) {
        c->engine->end(c->compiled);
    }
    free(c);
}

bool lull_code_cache_compile(struct lull_code_cache *c, const struct lull_engine *engine)
{
    c->compiled = engine != NULL ? engine->start(engine) : NULL;
    c->engine = c->compiled != NULL ? engine : NULL;
    return engine == NULL || c->engine != NULL;
}

unsigned lull_code_cache_written(const struct lull_code_cache *c)
{
    return c->written;
}

bool lull_code_compiles(const struct lull_code_cache *c)
{
    return c->engine != NULL;
}

const struct lull_exec_code *lull_code_compiled(struct lull_wave *w, struct lull_code_page *p,
                                                unsigned i)
{
    struct lull_uop *u = &p->uop[i];
    if (u->heat == LULL_UOP_COLD || (u->compiled == NULL && ++u->heat % HEAT_COMPILE != 0)) {
        return NULL;
    }
    // Not yet compiled, or for another MODE: not often for the same.
    u->heat = (uint8_t)(u->heat + (u->compiled != NULL ? HEAT_COMPILE : 0));
    w->code->engine->compile(w->code->compiled, w, p, i);
    u->heat = u->compiled == NULL || u->heat >= HEAT_LAST ? LULL_UOP_COLD : u->heat;
    return u->compiled;
}

void lull_code_forget(struct lull_code_cache *c)
{
    for (unsigned i = 0; i < CODE_BUCKETS; i++) {
        for (struct lull_code_page *p = c->pages[i]; p != NULL; p = p->next) {
            for (unsigned k = 0; k < LULL_CODE_DWORDS; k++) {
                p->uop[k].compiled = NULL;
                p->uop[k].heat = 0;
            }
        }
    }
}

void lull_code_watched(struct lull_code_cache *c, const struct lull_observer *o)
{
    if (c->by == o) {
        return;
    }
    c->by = o;
    for (unsigned i = 0; i < CODE_BUCKETS; i++) {
        for (struct lull_code_page *p = c->pages[i]; p != NULL; p = p->next) {
            if (p->table == LULL_TABLE_OBSERVED) {
                memset(p->known, 0, sizeof p->known);
                memset(p->uop, 0, sizeof p->uop);
            }
        }
    }
}

/** Is somebody always told of @p u, the instruction at dword @p i of @p p? */
static bool is_loud(const struct lull_wave *w, const struct lull_code_page *p, unsigned i,
                    const struct lull_uop *u)
{
    struct lull_observed at;
    bool loud = w->observer == NULL || u->handler != NULL || u->cls == LULL_UOP_FULL ||
                u->cls == LULL_UOP_TRAP;
    if (!loud) {
        lull_wave_seen(w, u->in, &at);
        at.pc = (p->number << LULL_PAGE_SHIFT) + 4 * (uint64_t)i;
        at.decoded = u->decoded;
    }
    for (struct lull_observer *o = w->observer; o != NULL && !loud; o = o->next) {
        loud = o->before != NULL && (o->loud == NULL || o->loud(o, &at));
    }
    return loud;
}

void lull_code_cache_epoch(struct lull_code_cache *c)
{
    c->epoch++;
}

uint64_t lull_code_cache_epochs(const struct lull_code_cache *c)
{
    return c->epoch;
}

const uint64_t *lull_code_epoch(const struct lull_code_cache *c)
{
    return &c->epoch;
}

bool lull_code_fresh(const struct lull_code_cache *c, const struct lull_code_page *p)
{
    return p->epoch == c->epoch;
}

/** Lanes with @p value, living as long as the cache; NULL without memory. */
static const uint32_t *constant_lanes(struct lull_code_cache *c, uint32_t value)
{
    struct constant **bucket = &c->constants[(value * 2654435761u) >> 24];
    for (const struct constant *k = *bucket; k != NULL; k = k->next) {
        if (k->lanes[0] == value) {
            return k->lanes;
        }
    }
    struct constant *k = calloc(1, sizeof *k);
    if (k == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < 32; i++) {
        k->lanes[i] = value;
    }
    k->next = *bucket;
    *bucket = k;
    return k->lanes;
}

static bool is_page(const struct lull_code_page *p, const struct lull_wave *w, uint64_t number)
{
    return p->number == number && p->lanes == w->lanes && p->table == w->table;
}

/** Page @p number, which is not the last or not up to date. */
static struct lull_code_page *find_page(struct lull_wave *w, uint64_t va, uint64_t number)
{
    struct lull_code_cache *c = w->code;
    struct lull_code_page **bucket = &c->pages[(number ^ number >> 8) % CODE_BUCKETS], *p = *bucket;
    while (p != NULL && !is_page(p, w, number)) {
        p = p->next;
    }
    if (p != NULL && p->epoch == c->epoch) {
        return p;
    }
    const uint8_t *host = lull_vm_host(w->vm, number << LULL_PAGE_SHIFT, LULL_ACCESS_EXEC);
    if (host == NULL) {
        return NULL;
    }
    if (p == NULL) {
        p = calloc(1, sizeof *p);
        if (p == NULL) {
            w->vm->fault = (struct lull_vm_fault){.va = va, .access = LULL_ACCESS_EXEC};
            return NULL;
        }
        p->number = number;
        p->lanes = w->lanes;
        p->table = w->table;
        p->next = *bucket;
        *bucket = p;
        memcpy(p->bytes, host, sizeof p->bytes);
    } else if (memcmp(p->bytes, host, sizeof p->bytes) != 0) {
        memcpy(p->bytes, host, sizeof p->bytes);
        memset(p->known, 0, sizeof p->known);
        memset(p->uop, 0, sizeof p->uop);
    }
    p->epoch = c->epoch;
    return p;
}

struct lull_code_page *lull_code_page(struct lull_wave *w, uint64_t va)
{
    struct lull_code_cache *c = w->code;
    const uint64_t number = va >> LULL_PAGE_SHIFT;
    struct lull_code_page *last = c->last;
    if (last != NULL && last->epoch == c->epoch && is_page(last, w, number)) {
        return last;
    }
    struct lull_code_page *p = find_page(w, va, number);
    c->last = p != NULL ? p : last;
    return p;
}

const struct lull_exec_code *lull_code_here(const struct lull_wave *w)
{
    const struct lull_code_cache *c = w->code;
    const struct lull_code_page *p = c->last;
    if (p == NULL || p->epoch != c->epoch || !is_page(p, w, w->pc >> LULL_PAGE_SHIFT)) {
        return NULL;
    }
    const struct lull_exec_code *e = p->uop[w->pc % LULL_PAGE_SIZE / 4].compiled;
    return e != NULL && e->mode == w->mode && e->nvgprs <= w->nvgprs ? e : NULL;
}

void lull_code_link(const struct lull_wave *w, const struct lull_exec_code *c)
{
    if (c != NULL && c->inside != NULL && w->table == LULL_TABLE_PLAIN) {
        c->links[lull_exec_link_of(w->pc)] = (struct lull_exec_link){.pc = w->pc,
                                                                     .epoch = w->code->epoch,
                                                                     .inside = c->inside,
                                                                     .mode = c->mode,
                                                                     .nvgprs = c->nvgprs,
                                                                     .lanes = w->lanes};
    }
}

/** Decode across the end of the page. @return as lull_rdna_decode_lax(), or 0: the next page is
 * refused. */
static int decode_across(struct lull_wave *w, const struct lull_code_page *p, unsigned at,
                         struct lull_rdna_insn *in)
{
    uint8_t bytes[LULL_CODE_MAX_INSN];
    const unsigned here = LULL_PAGE_SIZE - at;
    memcpy(bytes, p->bytes + at, here);
    const uint8_t *next = lull_vm_host(w->vm, (p->number + 1) << LULL_PAGE_SHIFT, LULL_ACCESS_EXEC);
    if (next == NULL) {
        return 0;
    }
    memcpy(bytes + here, next, sizeof bytes - here);
    return lull_rdna_decode_lax(bytes, sizeof bytes, in);
}

/** Whether a wave at dword @p i of @p p ends, after waits at most. */
static bool ends(const struct lull_code_page *p, unsigned i)
{
    enum { NEAR = 8, DEALLOC_VGPRS = 3 }; // Source: data/isa/rdna3.isa, names of messages.
    for (unsigned n = 0; n < NEAR && i < LULL_CODE_DWORDS; n++) {
        struct lull_rdna_insn in;
        const int size =
            lull_rdna_decode_lax(p->bytes + 4 * (size_t)i, LULL_PAGE_SIZE - 4 * (size_t)i, &in);
        if (size <= 0 || in.op == LULL_RDNA_OP_S_ENDPGM) {
            return size > 0;
        }
        if (lull_sem[in.op].kind != LULL_SEM_NOP &&
            (in.op != LULL_RDNA_OP_S_SENDMSG || in.imm != DEALLOC_VGPRS)) {
            return false;
        }
        i += (unsigned)size / 4;
    }
    return false;
}

enum lull_code_result lull_code_make(struct lull_wave *w, struct lull_code_page *p, unsigned i)
{
    struct lull_rdna_insn *in = &p->insn[i];
    struct lull_uop *u = &p->uop[i];
    const unsigned at = 4 * i;
    int size = lull_rdna_decode_lax(p->bytes + at, LULL_PAGE_SIZE - at, in);
    const bool across = size == LULL_RDNA_TRUNCATED && LULL_PAGE_SIZE - at < LULL_CODE_MAX_INSN;
    if (across) {
        size = decode_across(w, p, at, in);
    }
    if (size <= 0) {
        return size == 0 ? LULL_CODE_FAULT : LULL_CODE_UNKNOWN;
    }
    lull_uop_make(u, in, w->lanes, p->table);
    lull_exec_fn *last = p->table == LULL_TABLE_PLAIN ? lull_mem_last_handler(in) : NULL;
    u->handler = last != NULL && ends(p, i + u->ndwords) ? last : u->handler;
    u->decoded = ++w->code->decoded;
    const unsigned written = lull_uop_written(u);
    w->code->written = written > w->code->written ? written : w->code->written;
    for (unsigned n = 0; n < 3; n++) {
        if ((u->fn == lull_valu_plain || u->fn == lull_valu_masks || u->fn == lull_valu_modified) &&
            (u->konst & ~u->pairs) >> n & 1) {
            const uint32_t *k = constant_lanes(w->code, (uint32_t)u->value[n]);
            if (k != NULL) {
                lull_uop_constant(u, n, k);
            }
        }
    }
    u->loud = p->table == LULL_TABLE_OBSERVED && (across || is_loud(w, p, i, u));
    p->known[i] = !across;
    u->cls = across ? LULL_UOP_FULL : u->cls;
    u->calm = across ? LULL_CALM_NOT : lull_uop_calm(u);
    return LULL_CODE_OK;
}
