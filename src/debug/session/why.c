// SPDX-License-Identifier: MIT
// Backward slices: from a place to the instruction that wrote it last, from its operands to theirs.
// What instructions do is the vendor's (why_rdna.c, why_ir3.c).
#include "debug/session/why.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/code/code.h"
#include "debug/session/fault.h"
#include "debug/session/variables.h"
#include "debug/session/why_priv.h"

enum { DWORD = LULL_WHY_DWORD };

struct walk {
    struct lull_debug *d;
    const struct lull_why_vendor *vendor;
    struct lull_why_search search;
    struct lull_why *why;
    struct lull_why_far far;
    uint64_t last; // The latest time that is known.
};

static const struct lull_why_vendor *vendor_of(const struct lull_debug *d)
{
    return lull_debug_is_ir3(d) ? &lull_why_ir3 : &lull_why_rdna;
}

static void who_of(const struct lull_debug_wave *w, struct lull_travel_wave *ret)
{
    ret->hw_id1 = w->info.hw_id1;
    memcpy(ret->workgroup, w->info.workgroup, sizeof ret->workgroup);
}

static const struct lull_debug_wave *focused(const struct walk *k)
{
    return k->d->has_focus ? lull_debug_wave_by_number(k->d, k->d->focus) : NULL;
}

/* The value of @p n's place, now; without one if it cannot be read. */
static void read_value(const struct walk *k, const struct lull_debug_wave *w,
                       struct lull_why_node *n)
{
    const struct lull_why_place *p = &n->place;
    struct lull_debug *d = k->d;
    struct lull_error *err = NULL;
    n->value = 0;
    if (p->where == LULL_WHY_MEMORY) {
        err = lull_debug_read_memory(d, false, p->address, &n->value, p->size);
    } else if (p->where == LULL_WHY_LDS) {
        err = lull_debug_read_memory(d, true, p->address, &n->value, p->size);
    } else if (p->where == LULL_WHY_SCRATCH) {
        err = lull_debug_read_scratch(d, p->lane, p->address, &n->value, p->size);
    } else if (w != NULL) {
        struct lull_wave_reg reg = {.cls = LULL_REG_SGPR};
        const uint64_t bits = k->vendor->place((unsigned)p->address, p->lane, &reg);
        err = d->target->ops->read_reg(d->target, w->info.key, reg, &n->value);
        n->value &= bits;
        n->is_mask = k->vendor->is_mask((unsigned)p->address);
    }
    n->has_value = err == NULL && (w != NULL || p->where == LULL_WHY_MEMORY);
    lull_error_free(err);
}

/* Another node below @p parent; NULL: there are too many. */
static struct lull_why_node *add(struct walk *k, size_t parent, const struct lull_why_place *p)
{
    struct lull_why *y = k->why;
    if (y->n == LULL_WHY_NODES) {
        return NULL;
    }
    const struct lull_why_node *up = &y->nodes[parent];
    struct lull_why_node *n = &y->nodes[y->n++];
    *n = (struct lull_why_node){.place = *p, .parent = parent, .depth = up->depth + !up->copies};
    return n;
}

/* Register @p reg of @p w is an operand. */
static struct lull_why_node *add_register(struct walk *k, size_t parent,
                                          const struct lull_debug_wave *w, unsigned reg,
                                          unsigned lane)
{
    struct lull_why_place p = {
        .where = LULL_WHY_REGISTER, .lane = lane, .address = reg, .size = k->vendor->size(reg)};
    who_of(w, &p.who);
    struct lull_why_node *n = add(k, parent, &p);
    if (n != NULL) {
        read_value(k, w, n);
    }
    return n;
}

static void add_all(struct walk *k, size_t parent, const struct lull_why_operands *o)
{
    for (unsigned i = 0; i < o->n; i++) {
        (void)add_register(k, parent, o->of[i].w, o->of[i].reg, o->of[i].lane);
    }
    k->why->nodes[parent].note = o->note != NULL ? o->note : k->why->nodes[parent].note;
}

/* Registers that the instruction at the node reads, in the lane that matters. */
static void add_operands(struct walk *k, size_t at, const struct lull_why_insn *i)
{
    const struct lull_why_node *n = &k->why->nodes[at];
    struct lull_why_operands o = {0};
    const unsigned reg = n->place.where == LULL_WHY_REGISTER ? (unsigned)n->place.address
                                                             : (unsigned)LULL_ARCH_NO_REG;
    k->vendor->operands(i, reg, n->lane, &o);
    add_all(k, at, &o);
}

/* What was in memory, or is put there. */
static void add_piece(struct walk *k, size_t at, const struct lull_why_insn *i,
                      const struct lull_why_piece *piece)
{
    struct lull_why_place p = {.where = piece->where,
                               .lane = k->why->nodes[at].lane,
                               .address = piece->address,
                               .size = piece->size};
    who_of(i->w, &p.who);
    struct lull_why_node *n = add(k, at, &p);
    if (n == NULL) {
        return;
    }
    const struct lull_why_node *up = &k->why->nodes[at];
    read_value(k, i->w, n);
    if (!n->has_value && up->has_value && up->place.size == p.size) { // It is what it loaded.
        n->value = up->value;
        n->has_value = true;
    }
}

static bool same_place(const struct lull_why_place *a, const struct lull_why_place *b)
{
    return a->where == b->where && a->lane == b->lane && a->address == b->address &&
           a->size == b->size && memcmp(&a->who, &b->who, sizeof a->who) == 0;
}

/* What @p lane stores into the node's place; false: nothing that is known. */
static bool stored_there(const struct walk *k, const struct lull_why_place *p,
                         const struct lull_why_insn *i, unsigned lane, struct lull_why_piece *ret)
{
    struct lull_why_pieces all = {0};
    k->vendor->pieces(i, lane, false, &all);
    for (unsigned n = 0; n < all.n; n++) {
        const struct lull_why_piece *q = &all.of[n];
        if (q->known && !q->outside && q->where == p->where && q->address < p->address + p->size &&
            p->address < q->address + q->size) {
            *ret = *q;
            return true;
        }
    }
    return false;
}

/* The lane of the store at the node that wrote its place, the last if there are several. */
static bool writing_lane(const struct walk *k, const struct lull_why_node *n,
                         const struct lull_why_insn *i, unsigned *ret, struct lull_why_piece *piece)
{
    bool any = false;
    if (n->place.where == LULL_WHY_SCRATCH) {
        *ret = n->place.lane;
        return stored_there(k, &n->place, i, n->place.lane, piece);
    }
    for (unsigned lane = 0; lane < i->w->info.lanes; lane++) {
        if ((i->w->info.exec >> lane & 1) != 0 && stored_there(k, &n->place, i, lane, piece)) {
            *ret = lane;
            any = true;
        }
    }
    return any;
}

/* Who decided that the lane is on: a register, or what some instruction before read. */
LULL_MUST_USE static struct lull_error *add_control(struct walk *k, size_t at,
                                                    const struct lull_why_insn *i)
{
    const unsigned lane = k->why->nodes[at].lane;
    struct lull_travel_wave who = {0};
    struct lull_found f = {0};
    struct lull_why_insn decider = {.d = k->d};
    struct lull_why_operands o = {0};
    bool is = false;
    if (k->vendor->exec != NULL) {
        (void)add_register(k, at, i->w, k->vendor->exec(lane), lane);
        return NULL;
    }
    who_of(i->w, &who);
    struct lull_error *err =
        lull_why_decider(&k->search, &who, lane, k->why->nodes[at].time, &f, &is);
    err = err != NULL || !is ? err : lull_travel_arrive(k->d, f.time, &who);
    decider.w = focused(k);
    if (err != NULL || !is || decider.w == NULL ||
        !lull_code_decode(k->d->target, f.pc, &decider.room)) {
        return err;
    }
    k->vendor->operands(&decider, LULL_ARCH_NO_REG, lane, &o);
    for (unsigned n = 0; n < o.n; n++) {
        struct lull_why_node *below = add_register(k, at, o.of[n].w, o.of[n].reg, o.of[n].lane);
        if (below != NULL) {
            below->until = f.time;
        }
    }
    return NULL;
}

/* What a store wrote into the node's place. @p touched: lanes of which the target says that they
 * did. */
LULL_MUST_USE static struct lull_error *add_stored(struct walk *k, size_t at,
                                                   const struct lull_why_insn *i, uint64_t touched)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_why_piece piece = {0};
    struct lull_why_operands o = {0};
    unsigned lane = n->place.lane;
    const bool there = writing_lane(k, n, i, &lane, &piece);
    if (!there && touched == 0) {
        n->note = "which lane wrote it is not known";
        return NULL;
    }
    n->lane = there ? lane : 63u - (unsigned)__builtin_clzll(touched);
    if (!there) { // Through a descriptor of an image, say: of all that it reads.
        add_operands(k, at, i);
    } else if (i->a.reads) { // An atomic: of what was there, too.
        add_piece(k, at, i, &piece);
    }
    if (there && piece.reg != LULL_ARCH_NO_REG) {
        (void)add_register(k, at, i->w, piece.reg, lane);
    }
    if (there && k->why->nodes[at].earlier) { // Why it went there is the question.
        k->vendor->address(i, lane, &o);
        add_all(k, at, &o);
    }
    return k->far.control && k->why->nodes[at].place.where != LULL_WHY_SCRATCH
               ? add_control(k, at, i)
               : NULL;
}

/* Where a load got the node's register from. */
static void add_loaded(struct walk *k, size_t at, const struct lull_why_insn *i)
{
    const struct lull_why_node *n = &k->why->nodes[at];
    struct lull_why_pieces all = {0};
    bool any = false, outside = false;
    k->vendor->pieces(i, n->lane, true, &all);
    for (unsigned p = 0; p < all.n; p++) {
        const bool meets = all.of[p].reg != LULL_ARCH_NO_REG &&
                           k->vendor->meet(all.of[p].reg, (unsigned)n->place.address);
        outside = outside || (meets && all.of[p].known && all.of[p].outside);
        if (meets && all.of[p].known && !all.of[p].outside) {
            add_piece(k, at, i, &all.of[p]);
            any = true;
        }
    }
    if (!any && outside) {
        k->why->nodes[at].note = "outside of its buffer: it reads 0";
    } else if (!any) {
        k->why->nodes[at].note = "where it loads from is not known";
        add_operands(k, at, i);
    }
}

/* Is the instruction of node @p at another node's? Then that is its answer. */
static bool again(const struct walk *k, size_t at)
{
    struct lull_why_node *n = &k->why->nodes[at];
    for (size_t i = 0; i < at; i++) {
        const struct lull_why_node *o = &k->why->nodes[i];
        if (o->how == LULL_WHY_MADE && o->time == n->time && o->pc == n->pc &&
            same_place(&o->place, &n->place)) {
            n->how = LULL_WHY_AGAIN;
            n->same = i;
            return true;
        }
    }
    return false;
}

/* The focused wave stands in front of the instruction at @p pc. False: it is none, or no wave
 * does. */
LULL_MUST_USE static struct lull_error *stand_at(struct walk *k, uint64_t pc,
                                                 struct lull_why_insn *ret, bool *ret_is)
{
    *ret = (struct lull_why_insn){.d = k->d, .w = focused(k)};
    *ret_is = ret->w != NULL && lull_code_decode(k->d->target, pc, &ret->room);
    return *ret_is ? lull_debug_access(k->d, ret->w, pc, &ret->a, &ret->known) : NULL;
}

/* The instruction that made node @p at, and what it read, which is below it. */
LULL_MUST_USE static struct lull_error *made_by(struct walk *k, size_t at,
                                                const struct lull_found *f)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_travel_wave who = {.hw_id1 = f->hw_id1};
    memcpy(who.workgroup, f->workgroup, sizeof who.workgroup);
    struct lull_error *err = lull_travel_arrive(k->d, f->time, &who);
    struct lull_why_insn i;
    bool is = false;
    n->time = f->time;
    n->pc = f->pc;
    n->lane = n->place.lane;
    memcpy(n->group, f->workgroup, sizeof n->group);
    err = err != NULL ? err : stand_at(k, f->pc, &i, &is);
    if (err != NULL || !is) {
        return err;
    }
    const struct lull_insn *in = lull_insn_in(&i.room);
    n->wave = i.w->number;
    n->copies = k->vendor->moves(in);
    n->memory = i.a.reads || i.a.writes;
    n->is_float = k->vendor->is_float(in);
    if (again(k, at)) {
        return NULL;
    }
    if (n->place.where != LULL_WHY_REGISTER) {
        return add_stored(k, at, &i, f->lanes);
    }
    if (i.a.reads && !k->vendor->crosses(in)) {
        add_loaded(k, at, &i);
    } else {
        add_operands(k, at, &i);
    }
    return NULL;
}

/* Nobody had written the node's place in time. Does somebody later? */
LULL_MUST_USE static struct lull_error *look_later(struct walk *k, size_t at)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_found f = {0};
    struct lull_why_insn i;
    struct lull_why_piece piece = {0};
    bool is = false;
    struct lull_error *err = lull_why_writer(&k->search, &n->place, k->last, &f, &is);
    struct lull_travel_wave who = {.hw_id1 = f.hw_id1};
    memcpy(who.workgroup, f.workgroup, sizeof who.workgroup);
    if (err != NULL || !is) {
        return err;
    }
    err = lull_travel_arrive(k->d, f.time, &who);
    err = err != NULL ? err : stand_at(k, f.pc, &i, &is);
    if (err == NULL && is && writing_lane(k, n, &i, &n->lane, &piece)) {
        n->how = LULL_WHY_LATER;
        n->time = f.time;
        n->pc = f.pc;
        n->wave = i.w->number;
        memcpy(n->group, f.workgroup, sizeof n->group);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *explain(struct walk *k, size_t at, uint64_t until)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_found f = {0};
    bool is = false;
    if (n->depth > k->far.depth) {
        n->how = LULL_WHY_DEEPER;
        return NULL;
    }
    struct lull_error *err = lull_why_writer(&k->search, &n->place, until, &f, &is);
    if (err != NULL || is) {
        return err != NULL ? err : made_by(k, at, &f);
    }
    n->how = n->place.where == LULL_WHY_REGISTER ? LULL_WHY_START : LULL_WHY_NEVER;
    n->note = n->how == LULL_WHY_START && k->vendor->start != NULL
                  ? k->vendor->start((unsigned)n->place.address)
                  : NULL;
    return n->place.where == LULL_WHY_LDS ? look_later(k, at) : NULL;
}

/* "NAME[INDEX]" of a buffer: dwords. */
LULL_MUST_USE static struct lull_error *element(struct lull_debug *d, const char *text,
                                                struct lull_why_place *p, bool *ret)
{
    const char *open = strchr(text, '[');
    const size_t n = open != NULL ? (size_t)(open - text) : 0;
    const size_t all = strlen(text);
    uint64_t base = 0, index = 0;
    *ret = n != 0 && isalpha((unsigned char)*text) && text[all - 1] == ']';
    if (!*ret) {
        return NULL;
    }
    lull_cleanup(lull_freep) char *name = strndup(text, n);
    lull_cleanup(lull_freep) char *in = strndup(open + 1, all - n - 2);
    if (name == NULL || in == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debug_address(d, name, &base);
    err = err != NULL ? err : lull_debug_address(d, in, &index);
    *p = (struct lull_why_place){
        .address = base + DWORD * index, .size = DWORD, .where = LULL_WHY_MEMORY};
    return err;
}

/* A place by an expression, in the focused lane; @p ret: it is one. */
static bool locate(struct lull_debug *d, const char *text, struct lull_why_place *p)
{
    const struct lull_expr_scope scope = lull_debug_expr_scope(d);
    struct lull_expr *e = NULL;
    struct lull_location at = {0};
    struct lull_test_step reg = {0};
    struct lull_error *err = lull_debug_parse(d, text, &e);
    err = err != NULL ? err : lull_expr_locate(&scope, e, &at);
    const bool memory = err == NULL && at.ref == NULL && at.held == NULL;
    unsigned number = 0;
    const bool by_number = err == NULL && at.ref != NULL && lull_debug_arch_reg(at.ref, &number);
    const bool tested = err == NULL && at.ref != NULL && !by_number &&
                        lull_debug_test_place(d, at.ref, &reg) && !reg.is_lane && !reg.is_workgroup;
    const bool in_reg = by_number || tested;
    if (memory || in_reg) {
        const unsigned bytes = lull_ctype_bits(at.type) / 8;
        p->lane = at.which == LULL_LANES_ONE ? at.lane : d->lane;
        p->where = in_reg       ? LULL_WHY_REGISTER
                   : at.lds     ? LULL_WHY_LDS
                   : at.scratch ? LULL_WHY_SCRATCH
                                : LULL_WHY_MEMORY;
        p->address = by_number ? number
                     : tested  ? vendor_of(d)->number(&reg.reg)
                               : at.address[at.lanes > 1 ? d->lane : 0];
        p->size = in_reg                        ? vendor_of(d)->size((unsigned)p->address)
                  : bytes > DWORD || bytes == 0 ? DWORD
                                                : bytes;
    }
    lull_error_free(err);
    lull_expr_free(e);
    return memory || in_reg;
}

LULL_MUST_USE static struct lull_error *find_any(struct lull_debug *d, const char *text,
                                                 struct lull_why_place *p)
{
    struct lull_breakpoint b = {0};
    bool is = false;
    *p = (struct lull_why_place){0};
    const bool has = lull_travel_focus(d, &p->who);
    if (has && locate(d, text, p)) {
        return NULL;
    }
    struct lull_location at = {0};
    struct lull_error *err = lull_debug_memory_at(d, text, &is, &at);
    if (err != NULL || !is) { // As a buffer of dwords, perhaps.
        lull_error_free(err);
        err = element(d, text, p, &is);
        if (err != NULL || is) {
            return err;
        }
    }
    err = lull_debug_watched_place(d, text, &b);
    p->address = b.va;
    p->size = b.size < DWORD ? b.size : DWORD;
    p->where = LULL_WHY_MEMORY;
    return err;
}

struct lull_error *lull_why_find_place(struct lull_debug *d, const char *text,
                                       struct lull_why_place *p)
{
    struct lull_error *err = find_any(d, text, p);
    if (p->where == LULL_WHY_MEMORY) { // Bits 63:48 are like bit 47, as in what waves access.
        p->address = (uint64_t)((int64_t)(p->address << 16) >> 16);
    }
    return err;
}

/* Go on from node @p from until there is nothing to explain. */
LULL_MUST_USE static struct lull_error *explain_all(struct walk *k, size_t from, uint64_t now)
{
    struct lull_error *err = NULL;
    for (size_t i = from; err == NULL && i < k->why->n; i++) {
        const size_t up = k->why->nodes[i].parent;
        const uint64_t until = k->why->nodes[i].until;
        err = explain(k, i, i == 0 ? now : until != 0 ? until : k->why->nodes[up].time);
    }
    return err;
}

/* Had another lane stored to the same memory before, and the value did not come from there? */
LULL_MUST_USE static struct lull_error *look_earlier(struct walk *k)
{
    const struct lull_why_node root = k->why->nodes[0];
    struct lull_found f = {0};
    bool is = false;
    bool read = root.how != LULL_WHY_MADE || root.place.where != LULL_WHY_MEMORY;
    for (size_t i = 1; i < k->why->n; i++) {
        const struct lull_why_place *p = &k->why->nodes[i].place;
        read = read || (p->where == LULL_WHY_MEMORY && p->address == root.place.address);
    }
    if (read) {
        return NULL;
    }
    struct lull_error *err = lull_why_writer(&k->search, &root.place, root.time, &f, &is);
    const struct lull_travel_wave who = {
        .hw_id1 = f.hw_id1, .workgroup = {f.workgroup[0], f.workgroup[1], f.workgroup[2]}};
    err = err != NULL || !is ? err : lull_travel_arrive(k->d, root.time, NULL);
    struct lull_why_node *n = err == NULL && is ? add(k, 0, &root.place) : NULL;
    if (n == NULL) {
        return err;
    }
    n->earlier = true;
    n->depth = 1;
    n->place.who = who;
    read_value(k, NULL, n);
    err = explain_all(k, k->why->n - 1, 0);
    const struct lull_why_node *done = &k->why->nodes[n - k->why->nodes];
    if (err == NULL && done->lane == root.lane && done->wave == root.wave &&
        memcmp(done->group, root.group, sizeof root.group) == 0) {
        k->why->n = (size_t)(n - k->why->nodes); // Its own: a variable that changes.
    }
    return err;
}

struct lull_error *lull_debug_why(struct lull_debug *d, const char *text,
                                  const struct lull_why_far *far, struct lull_why **ret)
{
    struct walk k = {.d = d, .vendor = vendor_of(d), .far = *far};
    struct lull_travel t = {0};
    struct lull_travel_wave who = {0};
    struct lull_why_place p = {0};
    const unsigned lane = d->lane;
    struct lull_error *err = lull_travel_state(d, &t);
    err = err != NULL ? err : lull_why_find_place(d, text, &p);
    if (err != NULL) {
        return err;
    }
    const bool has = lull_travel_focus(d, &who);
    const struct lull_debug_wave *w = has ? lull_debug_wave_by_number(d, d->focus) : NULL;
    k.last = t.last;
    k.why = calloc(1, sizeof *k.why);
    err = k.why != NULL ? lull_why_search_begin(&k.search, d, k.vendor) : &lull_enomem;
    if (err == NULL) {
        k.why->n = 1;
        k.why->nodes[0] = (struct lull_why_node){.place = p};
        read_value(&k, w, &k.why->nodes[0]);
        err = explain_all(&k, 0, t.now);
        err = err != NULL ? err : look_earlier(&k);
        struct lull_error *back = lull_travel_arrive(d, t.now, has ? &who : NULL);
        if (t.ended) {
            lull_debug_ended(d, LULL_OUT_DONE);
        }
        d->lane = lane;
        if (err == NULL) {
            err = back;
        } else {
            lull_error_free(back);
        }
    }
    lull_why_search_done(&k.search);
    if (err != NULL) {
        free(k.why);
        return err;
    }
    *ret = k.why;
    return NULL;
}

void lull_debug_why_register(const struct lull_debug *d, const struct lull_why_place *p,
                             struct lull_str *out)
{
    lull_arch_reg_name(d->target->ops->arch, (unsigned)p->address, out);
}
