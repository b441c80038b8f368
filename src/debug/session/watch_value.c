// SPDX-License-Identifier: MIT
#include "debug/session/watch_value.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/fault.h"
#include "debug/session/variables.h"

void lull_watched_free(struct lull_watched *v)
{
    if (v != NULL) {
        lull_expr_free(v->expr);
        free(v);
    }
}

/* Is it kept where only a wave, or a workgroup, can see it? Or a value for each lane? */
static bool is_private(struct lull_debug *d, const struct lull_expr *e, struct lull_location *at)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_value v = {0};
    struct lull_error *err = lull_expr_locate(&scope, e, at);
    bool own =
        err == NULL && (at->ref != NULL || at->lds || at->scratch || at->each || at->held != NULL);
    at->lds = err == NULL && at->lds;
    lull_error_free(err);
    if (!own) {
        err = lull_debug_value(d, e, &v);
        own = err == NULL && v.lanes > 1;
        lull_error_free(err);
    }
    return own;
}

LULL_MUST_USE static struct lull_error *value_of(struct lull_debug *d,
                                                 const struct lull_debug_wave *w,
                                                 const struct lull_expr *e, struct lull_value *ret)
{
    struct lull_debug_look was = {0};
    lull_debug_look_at(d, w, &was);
    d->frame = 0;
    struct lull_error *err = lull_debug_value(d, e, ret);
    lull_debug_look_back(d, &was);
    return err;
}

/* Where it is, for those who look backwards. */
static void set_range(const struct lull_debug *d, const struct lull_location *at,
                      struct lull_watched *v)
{
    struct lull_test_step reg = {0};
    struct lull_search_range *r = &v->range;
    *r = (struct lull_search_range){
        .lds = v->lds, .scratch = at->scratch, .va = v->offset, .size = v->bytes};
    memcpy(r->workgroup, v->workgroup, sizeof r->workgroup);
    unsigned number = 0;
    v->has_range = v->lds || at->scratch;
    if (at->ref != NULL && lull_debug_arch_reg(at->ref, &number)) {
        v->has_range = r->registers = true;
        r->va = number;
        r->size = 1;
    } else if (at->ref != NULL && lull_debug_test_place(d, at->ref, &reg) && !reg.is_lane &&
               !reg.is_workgroup) {
        v->has_range = r->registers = true;
        r->va = reg.reg.index + (reg.reg.cls == LULL_REG_VGPR ? LULL_RDNA_VGPR0 : 0);
        r->size = 1;
    }
}

struct lull_error *lull_debug_watched_expr(struct lull_debug *d, const char *text,
                                           struct lull_breakpoint *b, bool *ret_is)
{
    struct lull_expr *e = NULL;
    struct lull_debug_wave *w = NULL;
    struct lull_location at = {0};
    bool memory = false;
    struct lull_error *err = lull_debug_memory_at(d, text, &memory, &at);
    *ret_is = false;
    if (err == NULL && memory) { // One place, as the GPU watches them.
        return NULL;
    }
    lull_error_free(err);
    err = lull_debug_focused(d, &w);
    err = err != NULL ? err : lull_debug_parse(d, text, &e);
    *ret_is = err == NULL && is_private(d, e, &at);
    if (!*ret_is) {
        lull_error_free(err); // An address may be meant.
        lull_expr_free(e);
        return NULL;
    }
    struct lull_watched *v = calloc(1, sizeof *v);
    if (v == NULL || lull_debug_has_parts(d, e)) {
        lull_expr_free(e);
        free(v);
        return v == NULL ? &lull_enomem
                         : lull_error_new(LULL_ERR_INVALID,
                                          "'%s' has parts: watch one of them, a member or an "
                                          "element",
                                          text);
    }
    v->expr = e;
    v->wave = w->number;
    v->lds = at.lds;
    v->offset = at.address[0];
    v->bytes = lull_ctype_bits(at.type) / 8;
    memcpy(v->workgroup, w->info.workgroup, sizeof v->workgroup);
    v->hw_id1 = w->info.hw_id1;
    set_range(d, &at, v);
    err = value_of(d, w, e, &v->was);
    if (err != NULL) {
        lull_watched_free(v);
        return err;
    }
    v->known = true;
    b->value = v;
    b->software = true;
    return NULL;
}

static bool is_of(const struct lull_watched *v, const struct lull_debug_wave *w)
{
    return v->lds ? memcmp(v->workgroup, w->info.workgroup, sizeof v->workgroup) == 0
                  : v->wave == w->number;
}

void lull_watched_look(struct lull_debug *d, struct lull_watched *v)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_value now = {0};
        if (!d->waves[i].stopped || !is_of(v, &d->waves[i])) {
            continue;
        }
        struct lull_error *err = value_of(d, &d->waves[i], v->expr, &now);
        if (err == NULL) {
            v->was = now;
            v->known = true;
            return;
        }
        lull_error_free(err); // Out of scope, or in no place here: it is as it was.
    }
}

/* Lanes whose LDS instruction at @p pc goes to what is watched. */
static uint64_t lanes_of_lds(struct lull_debug *d, const struct lull_debug_wave *w,
                             const struct lull_watched *v, uint64_t pc)
{
    struct lull_rdna_insn in = {0};
    if (!lull_access_insn(d->target, pc, &in) || in.enc != LULL_RDNA_DS ||
        in.vaddr < LULL_RDNA_VGPR0) {
        return 0;
    }
    const uint64_t end = v->offset + v->bytes;
    uint64_t lanes = 0;
    for (unsigned i = 0; i < w->info.lanes; i++) {
        uint64_t base = 0;
        struct lull_error *err =
            lull_debug_read_reg(d, w, LULL_REG_VGPR, in.vaddr - LULL_RDNA_VGPR0, i, &base);
        const uint64_t at = (uint32_t)base + (uint32_t)in.imm;
        const bool here = err == NULL && at < end && at + lull_access_size(&in) > v->offset;
        lanes |= (uint64_t)(here && (w->info.exec >> i & 1) != 0) << i;
        lull_error_free(err);
    }
    return lanes;
}

bool lull_watched_changed(struct lull_debug *d, const struct lull_debug_wave *w, uint64_t pc,
                          struct lull_watched *v, uint64_t *ret_lanes)
{
    struct lull_error *err = is_of(v, w) && w->stopped ? value_of(d, w, v->expr, &v->now) : NULL;
    const bool looked = is_of(v, w) && w->stopped && err == NULL;
    lull_error_free(err);
    *ret_lanes = 0;
    if (!looked || !v->known) {
        v->was = looked ? v->now : v->was;
        v->known = v->known || looked;
        return false;
    }
    const uint64_t both = v->was.valid & v->now.valid;
    for (unsigned i = 0; i < v->now.lanes && i < v->was.lanes; i++) {
        *ret_lanes |= (uint64_t)((both >> i & 1) != 0 && v->was.v[i] != v->now.v[i]) << i;
    }
    if (*ret_lanes == 0) {
        v->was = v->now; // Lanes that had none have one now.
    }
    const bool changed = *ret_lanes != 0;
    if (v->now.lanes <= 1) {
        *ret_lanes = changed && v->lds ? lanes_of_lds(d, w, v, pc) : 0;
    }
    return changed;
}

static bool is_kind(const struct lull_breakpoint *b, bool reads, bool writes)
{
    return b->watch == LULL_WATCH_READ ? reads : reads || writes;
}

/* Lanes whose scratch instruction at @p pc goes there: each lane has its own. */
LULL_MUST_USE static struct lull_error *lanes_of_scratch(struct lull_debug *d,
                                                         const struct lull_debug_wave *w,
                                                         uint64_t pc,
                                                         const struct lull_breakpoint *b,
                                                         uint64_t *ret)
{
    enum { DWORD = 4 };
    const struct lull_watched *v = b->value;
    struct lull_access a = {0};
    uint64_t base = 0;
    bool known = false;
    struct lull_error *err = lull_debug_access(d, w, pc, &a, &known);
    err = err != NULL ? err : lull_debug_read_reg(d, w, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    const uint64_t row = (uint64_t)w->info.lanes * DWORD, end = v->offset + v->bytes;
    for (unsigned i = 0; err == NULL && known && i < a.lanes; i++) {
        const uint64_t from = a.va[i] - base;
        const uint64_t at = from / row * DWORD + from % DWORD;
        const bool own = from / DWORD % w->info.lanes == i && a.va[i] >= base;
        const bool on = ((a.mask & ~a.outside & w->info.exec) >> i & 1) != 0;
        const bool meets = own && at < end && at + a.bytes > v->offset;
        *ret |= (uint64_t)(on && meets && is_kind(b, a.reads, a.writes)) << i;
    }
    return err;
}

/* All lanes that run, if the instruction at @p pc reads that register, or writes it. */
static uint64_t lanes_of_register(struct lull_debug *d, const struct lull_debug_wave *w,
                                  uint64_t pc, const struct lull_breakpoint *b)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    struct lull_rdna_insn in = {0};
    if (!lull_access_insn(d->target, pc, &in)) {
        return 0;
    }
    const unsigned n = lull_arch_rdna3.uses((const struct lull_insn *)&in, w->info.lanes, uses);
    bool reads = false, writes = false;
    for (unsigned i = 0; i < n; i++) {
        const bool here =
            b->value->range.va >= uses[i].reg && b->value->range.va - uses[i].reg < uses[i].count;
        reads |= here && !uses[i].write;
        writes |= here && uses[i].write;
    }
    return is_kind(b, reads, writes) ? w->info.exec : 0;
}

struct lull_error *lull_watched_touching(struct lull_debug *d, const struct lull_debug_wave *w,
                                         uint64_t pc, const struct lull_breakpoint *b,
                                         uint64_t *ret)
{
    const struct lull_watched *v = b->value;
    struct lull_rdna_insn in = {0};
    *ret = 0;
    if (!is_of(v, w)) {
        return NULL;
    }
    if (v->range.registers) {
        *ret = lanes_of_register(d, w, pc, b);
        return NULL;
    }
    if (!v->lds) {
        return lanes_of_scratch(d, w, pc, b, ret);
    }
    if (lull_access_insn(d->target, pc, &in)) {
        const struct lull_insn_memory m = lull_arch_rdna3.memory((const struct lull_insn *)&in);
        *ret = is_kind(b, m.reads, m.writes) ? lanes_of_lds(d, w, v, pc) : 0;
    }
    return NULL;
}

void lull_watched_now(struct lull_debug *d, const struct lull_debug_wave *w, struct lull_watched *v)
{
    struct lull_value now = {0};
    struct lull_error *err = value_of(d, w, v->expr, &now);
    if (err == NULL) {
        v->now = now;
        v->was = v->known ? v->was : now;
        v->known = true;
    }
    lull_error_free(err);
}
