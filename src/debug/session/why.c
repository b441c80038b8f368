// SPDX-License-Identifier: MIT
// Backward slices: from a place to the instruction that wrote it last, from its operands to theirs.
#include "debug/session/why.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/fault.h"
#include "debug/session/variables.h"
#include "debug/session/why_priv.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/ops.h"

enum { DWORD = 4, HALF = 32 };

struct walk {
    struct lull_debug *d;
    struct lull_why_search search;
    struct lull_why *why;
    struct lull_why_far far;
    uint64_t last; // The latest time that is known.
};

static void who_of(const struct lull_debug_wave *w, struct lull_travel_wave *ret)
{
    ret->hw_id1 = w->info.hw_id1;
    memcpy(ret->workgroup, w->info.workgroup, sizeof ret->workgroup);
}

/* The value of @p n's place, now; without one if it cannot be read. */
static void read_value(struct lull_debug *d, const struct lull_debug_wave *w,
                       struct lull_why_node *n)
{
    const struct lull_why_place *p = &n->place;
    struct lull_wave_reg reg = {.cls = LULL_REG_SGPR, .index = (uint16_t)p->address};
    struct lull_error *err = NULL;
    n->value = 0;
    if (p->where == LULL_WHY_MEMORY) {
        err = lull_debug_read_memory(d, false, p->address, &n->value, p->size);
    } else if (p->where == LULL_WHY_LDS) {
        err = lull_debug_read_memory(d, true, p->address, &n->value, p->size);
    } else if (p->where == LULL_WHY_SCRATCH) {
        err = lull_debug_read_scratch(d, p->lane, p->address, &n->value, p->size);
    } else if (w != NULL && p->address == LULL_RDNA_SCC) {
        reg = (struct lull_wave_reg){.cls = LULL_REG_HW, .index = LULL_HWREG_STATUS};
        err = d->target->ops->read_reg(d->target, w->info.key, reg, &n->value);
        n->value &= LULL_HWREG_STATUS__SCC_MASK;
    } else if (w != NULL) {
        if (p->address >= LULL_RDNA_VGPR0) {
            reg = (struct lull_wave_reg){.cls = LULL_REG_VGPR,
                                         .index = (uint16_t)(p->address - LULL_RDNA_VGPR0),
                                         .lane = (uint8_t)p->lane};
        }
        err = d->target->ops->read_reg(d->target, w->info.key, reg, &n->value);
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

/* Register @p reg of the node's wave is an operand. */
static void add_register(struct walk *k, size_t parent, const struct lull_debug_wave *w,
                         unsigned reg, unsigned lane)
{
    struct lull_why_place p = {
        .where = LULL_WHY_REGISTER, .lane = lane, .address = reg, .size = DWORD};
    who_of(w, &p.who);
    for (size_t i = parent + 1; i < k->why->n; i++) { // "v1, v1" is one operand.
        const struct lull_why_node *o = &k->why->nodes[i];
        if (o->parent == parent && o->place.where == LULL_WHY_REGISTER && o->place.address == reg &&
            o->place.lane == lane) {
            return;
        }
    }
    struct lull_why_node *n = add(k, parent, &p);
    if (n != NULL) {
        read_value(k->d, w, n);
    }
}

/* What lane @p lane of @p a reads at @p va, or had there: as scratch, if it is the lane's own. */
static void add_memory(struct walk *k, size_t parent, const struct lull_debug_wave *w,
                       const struct lull_access *a, unsigned lane, uint64_t va)
{
    const unsigned size = a->bytes < DWORD ? a->bytes : DWORD;
    struct lull_why_place p = {.where = LULL_WHY_MEMORY, .lane = lane, .address = va, .size = size};
    uint64_t base = 0;
    who_of(w, &p.who);
    struct lull_error *err = lull_debug_read_reg(k->d, w, LULL_REG_FLAT_SCRATCH, 0, 0, &base);
    if (err == NULL && a->in.enc == LULL_RDNA_SCRATCH) {
        const uint64_t at = va - base, row = (uint64_t)w->info.lanes * DWORD;
        p.where = LULL_WHY_SCRATCH;
        p.address = at / row * DWORD + at % DWORD;
    }
    lull_error_free(err);
    struct lull_why_node *n = add(k, parent, &p);
    if (n != NULL) {
        read_value(k->d, w, n);
    }
}

static bool same_place(const struct lull_why_place *a, const struct lull_why_place *b)
{
    return a->where == b->where && a->lane == b->lane && a->address == b->address &&
           a->size == b->size && memcmp(&a->who, &b->who, sizeof a->who) == 0;
}

/* Two addresses of an LDS instruction: bytes at each, and of a unit of the offsets. */
struct two {
    unsigned bytes, stride;
};

static bool has_two(const struct lull_rdna_insn *in, struct two *ret)
{
    enum { APART = 64 };
    switch (in->op) {
    case LULL_RDNA_OP_DS_LOAD_2ADDR_B32:
    case LULL_RDNA_OP_DS_STORE_2ADDR_B32:
        *ret = (struct two){DWORD, DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_B64:
    case LULL_RDNA_OP_DS_STORE_2ADDR_B64:
        *ret = (struct two){2 * DWORD, 2 * DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_STRIDE64_B32:
    case LULL_RDNA_OP_DS_STORE_2ADDR_STRIDE64_B32:
        *ret = (struct two){DWORD, APART * DWORD};
        return true;
    case LULL_RDNA_OP_DS_LOAD_2ADDR_STRIDE64_B64:
    case LULL_RDNA_OP_DS_STORE_2ADDR_STRIDE64_B64:
        *ret = (struct two){2 * DWORD, APART * 2 * DWORD};
        return true;
    default:
        return false;
    }
}

/* Byte of LDS that @p lane goes to by dword @p dword of the data, counted over both addresses of
 * instructions that have two; false: not known. */
static bool lds_address(struct lull_debug *d, const struct lull_debug_wave *w,
                        const struct lull_rdna_insn *in, unsigned lane, unsigned dword,
                        uint64_t *ret)
{
    uint64_t base = 0;
    struct two two = {0};
    if (in->enc != LULL_RDNA_DS || in->vaddr < LULL_RDNA_VGPR0 || in->vaddr == LULL_RDNA_NONE ||
        in->gds) {
        return false;
    }
    struct lull_error *err =
        lull_debug_read_reg(d, w, LULL_REG_VGPR, in->vaddr - LULL_RDNA_VGPR0, lane, &base);
    if (has_two(in, &two)) {
        const unsigned each = two.bytes / DWORD, second = dword / each;
        const unsigned offset = second != 0 ? in->offset1 : in->offset0;
        *ret = (uint32_t)base + (uint32_t)offset * two.stride + DWORD * (dword % each);
    } else {
        *ret = (uint32_t)base + (uint32_t)in->imm + DWORD * dword;
    }
    const bool good = err == NULL;
    lull_error_free(err);
    return good;
}

/* Which dword of what @p lane stores goes to the node's place; false: none. */
static bool dword_there(struct walk *k, const struct lull_why_place *p,
                        const struct lull_debug_wave *w, const struct lull_access *a, unsigned lane,
                        unsigned *ret)
{
    struct two two = {0};
    const bool both = has_two(&a->in, &two);
    const unsigned bytes = both ? 2 * two.bytes : a->bytes;
    const bool known = (a->mask & ~a->outside & UINT64_C(1) << lane) != 0;
    uint64_t va = 0;
    for (unsigned i = 0; i * DWORD < bytes; i++) {
        const unsigned left = bytes - i * DWORD, size = left < DWORD ? left : DWORD;
        bool there = known;
        if (p->where == LULL_WHY_LDS) {
            there = lds_address(k->d, w, &a->in, lane, i, &va);
        } else {
            va = a->va[lane] + DWORD * (uint64_t)i;
        }
        if (there && va < p->address + p->size && p->address < va + size) {
            *ret = i;
            return true;
        }
    }
    return false;
}

/* The lane of the store at the node that wrote its place, the last if there are several. */
static bool writing_lane(struct walk *k, const struct lull_why_node *n,
                         const struct lull_debug_wave *w, const struct lull_access *a,
                         unsigned *ret, unsigned *ret_dword)
{
    bool any = false;
    for (unsigned i = 0; i < w->info.lanes; i++) {
        if ((w->info.exec >> i & 1) != 0 && dword_there(k, &n->place, w, a, i, ret_dword)) {
            *ret = i;
            any = true;
        }
    }
    return any;
}

/* Register of dword @p dword of what is stored: behind the first address's comes the second's. */
static unsigned stored_register(const struct lull_rdna_insn *in, unsigned dword)
{
    struct two two = {0};
    if (has_two(in, &two) && dword >= two.bytes / DWORD) {
        return in->vdata2 + dword - two.bytes / DWORD;
    }
    return in->vdata + dword;
}

/* What a store wrote into the node's place. */
static void add_stored(struct walk *k, size_t at, const struct lull_debug_wave *w,
                       const struct lull_access *a)
{
    struct lull_why_node *n = &k->why->nodes[at];
    unsigned lane = n->place.lane, dword = 0;
    if (n->place.where != LULL_WHY_SCRATCH && !writing_lane(k, n, w, a, &lane, &dword)) {
        n->note = "which lane wrote it is not known";
        return;
    }
    n->lane = lane;
    const uint16_t data = a->in.vdata;
    if (a->reads) { // An atomic: of what was there, too.
        add_memory(k, at, w, a, lane, n->place.address);
    }
    if (data != LULL_RDNA_NONE && data >= LULL_RDNA_VGPR0) {
        add_register(k, at, w, stored_register(&a->in, dword), lane);
    }
    if (k->why->nodes[at].earlier && a->in.vaddr >= LULL_RDNA_VGPR0 &&
        a->in.vaddr != LULL_RDNA_NONE) { // Why it went there is the question.
        add_register(k, at, w, a->in.vaddr, lane);
    }
    if (k->far.control && n->place.where != LULL_WHY_SCRATCH) {
        add_register(k, at, w, LULL_RDNA_EXEC + lane / HALF, lane);
    }
}

/* Where a load got the node's register from. */
static void add_loaded(struct walk *k, size_t at, const struct lull_debug_wave *w,
                       const struct lull_access *a, bool known)
{
    struct lull_why_node *n = &k->why->nodes[at];
    const unsigned lane = n->place.lane;
    const unsigned dword = (unsigned)n->place.address - a->in.dst;
    uint64_t va = 0;
    if (lds_address(k->d, w, &a->in, lane, dword, &va)) {
        struct lull_why_place p = {.where = LULL_WHY_LDS,
                                   .lane = lane,
                                   .address = va,
                                   .size = a->bytes < DWORD && a->bytes != 0 ? a->bytes : DWORD};
        who_of(w, &p.who);
        struct lull_why_node *below = add(k, at, &p);
        if (below != NULL) {
            read_value(k->d, w, below);
        }
        return;
    }
    const unsigned i = a->scalar ? 0 : lane;
    if (!known || (a->outside >> i & 1) != 0) {
        n->note = known ? "outside of its buffer: it reads 0" : "where it loads from is not known";
        return;
    }
    add_memory(k, at, w, a, lane, a->va[i] + DWORD * (uint64_t)dword);
}

/* The operand that comes from another lane. */
static void add_other(struct walk *k, size_t at, const struct lull_debug_wave *w,
                      const struct lull_why_lane *other)
{
    const bool on = other->from >= 0 && (w->info.exec >> other->from & 1) != 0;
    if (other->from >= 0 && (on || !other->needs_on) && other->reg >= LULL_RDNA_VGPR0) {
        add_register(k, at, w, other->reg, (unsigned)other->from);
    } else {
        k->why->nodes[at].note =
            other->from < 0 ? "no lane gives it a value" : "the lane that it reads is off: 0";
    }
}

/* Registers that the instruction at the node reads, in the lane that matters. */
static void add_operands(struct walk *k, size_t at, const struct lull_debug_wave *w,
                         const struct lull_rdna_insn *in)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned n = lull_arch_rdna3.uses((const struct lull_insn *)in, w->info.lanes, uses);
    const unsigned lane = k->why->nodes[at].lane;
    const struct lull_why_lane other = lull_why_lane(k->d, w, in, lane);
    const bool one = in->op == LULL_RDNA_OP_V_WRITELANE_B32;
    if (other.crosses) {
        add_other(k, at, w, &other);
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned reg = uses[i].reg;
        const bool is_other = other.crosses && reg == other.reg && in->src[1] != reg;
        const bool skip = uses[i].write || is_other ||
                          (reg >= LULL_RDNA_EXEC && reg <= LULL_RDNA_EXEC + 1u) ||
                          (one && reg >= LULL_RDNA_VGPR0); // The other lanes stay.
        for (unsigned r = 0; !skip && r < uses[i].count; r++) {
            add_register(k, at, w, reg + r, lane);
        }
    }
}

static bool only_moves(const struct lull_rdna_insn *in)
{
    switch (in->op) {
    case LULL_RDNA_OP_V_MOV_B32:
    case LULL_RDNA_OP_S_MOV_B32:
    case LULL_RDNA_OP_S_MOV_B64:
    case LULL_RDNA_OP_V_READLANE_B32:
    case LULL_RDNA_OP_V_READFIRSTLANE_B32:
    case LULL_RDNA_OP_V_WRITELANE_B32:
        return true;
    default:
        return in->enc == LULL_RDNA_SCRATCH;
    }
}

/* The instruction that made node @p at, and what it read, which is below it. */
LULL_MUST_USE static struct lull_error *made_by(struct walk *k, size_t at,
                                                const struct lull_found *f)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_travel_wave who = {.hw_id1 = f->hw_id1};
    memcpy(who.workgroup, f->workgroup, sizeof who.workgroup);
    struct lull_error *err = lull_travel_arrive(k->d, f->time, &who);
    const struct lull_debug_wave *w =
        k->d->has_focus ? lull_debug_wave_by_number(k->d, k->d->focus) : NULL;
    struct lull_access a = {0};
    bool known = false;
    n->time = f->time;
    n->pc = f->pc;
    n->lane = n->place.lane;
    memcpy(n->group, f->workgroup, sizeof n->group);
    err = err != NULL || w == NULL ? err : lull_debug_access(k->d, w, f->pc, &a, &known);
    if (err != NULL || w == NULL) {
        return err;
    }
    n->wave = w->number;
    n->copies = only_moves(&a.in);
    n->memory = a.reads || a.writes;
    const char *name = lull_rdna_info(&a.in)->name;
    n->is_float = strstr(name, "_f32") != NULL && strncmp(name, "v_cmp", 5) != 0;
    for (size_t i = 0; i < at; i++) {
        const struct lull_why_node *o = &k->why->nodes[i];
        if (o->how == LULL_WHY_MADE && o->time == n->time && o->pc == n->pc && i != at &&
            same_place(&o->place, &n->place)) {
            n->how = LULL_WHY_AGAIN;
            n->same = i;
            return NULL;
        }
    }
    const bool shuffles = lull_why_lane(k->d, w, &a.in, n->lane).crosses;
    if (n->place.where != LULL_WHY_REGISTER) {
        add_stored(k, at, w, &a);
    } else if (!shuffles && a.reads && !(a.writes && known && a.in.dst == LULL_RDNA_NONE)) {
        add_loaded(k, at, w, &a, known);
    } else {
        add_operands(k, at, w, &a.in);
    }
    return NULL;
}

/* Nobody had written the node's place in time. Does somebody later? */
LULL_MUST_USE static struct lull_error *look_later(struct walk *k, size_t at)
{
    struct lull_why_node *n = &k->why->nodes[at];
    struct lull_found f = {0};
    bool is = false;
    struct lull_error *err = lull_why_writer(&k->search, &n->place, k->last, &f, &is);
    struct lull_travel_wave who = {.hw_id1 = f.hw_id1};
    memcpy(who.workgroup, f.workgroup, sizeof who.workgroup);
    err = err != NULL || !is ? err : lull_travel_arrive(k->d, f.time, &who);
    const struct lull_debug_wave *w =
        k->d->has_focus ? lull_debug_wave_by_number(k->d, k->d->focus) : NULL;
    struct lull_access a = {0};
    bool known = false;
    unsigned dword = 0;
    err = err != NULL || !is || w == NULL ? err : lull_debug_access(k->d, w, f.pc, &a, &known);
    if (err == NULL && is && w != NULL && writing_lane(k, n, w, &a, &n->lane, &dword)) {
        n->how = LULL_WHY_LATER;
        n->time = f.time;
        n->pc = f.pc;
        n->wave = w->number;
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
    const bool in_reg = err == NULL && at.ref != NULL && lull_debug_test_place(d, at.ref, &reg) &&
                        !reg.is_lane && !reg.is_workgroup;
    if (memory || in_reg) {
        const unsigned bytes = lull_ctype_bits(at.type) / 8;
        p->lane = d->lane;
        p->where = in_reg       ? LULL_WHY_REGISTER
                   : at.lds     ? LULL_WHY_LDS
                   : at.scratch ? LULL_WHY_SCRATCH
                                : LULL_WHY_MEMORY;
        p->address = in_reg ? reg.reg.index + (reg.reg.cls == LULL_REG_VGPR ? LULL_RDNA_VGPR0 : 0u)
                            : at.address[at.lanes > 1 ? d->lane : 0];
        p->size = in_reg || bytes > DWORD || bytes == 0 ? DWORD : bytes;
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
    struct lull_error *err = element(d, text, p, &is);
    if (err != NULL || is) {
        return err;
    }
    err = lull_debug_watched_place(d, text, &b);
    p->address = b.va;
    p->size = b.size < DWORD ? b.size : DWORD;
    p->where = LULL_WHY_MEMORY;
    return err;
}

LULL_MUST_USE static struct lull_error *find_place(struct lull_debug *d, const char *text,
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
        err = explain(k, i, i == 0 ? now : k->why->nodes[up].time);
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
    read_value(k->d, NULL, n);
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
    struct walk k = {.d = d, .far = *far};
    struct lull_travel t = {0};
    struct lull_travel_wave who = {0};
    struct lull_why_place p = {0};
    const unsigned lane = d->lane;
    struct lull_error *err =
        lull_debug_is_ir3(d)
            ? lull_error_new(
                  LULL_ERR_UNSUPPORTED,
                  "'why' reads code of gfx1100 alone: on an Adreno 'watch' the value and "
                  "'reverse-continue'")
            : lull_travel_state(d, &t);
    err = err != NULL ? err : find_place(d, text, &p);
    if (err != NULL) {
        return err;
    }
    const bool has = lull_travel_focus(d, &who);
    const struct lull_debug_wave *w = has ? lull_debug_wave_by_number(d, d->focus) : NULL;
    k.last = t.last;
    k.why = calloc(1, sizeof *k.why);
    err = k.why != NULL ? lull_why_search_begin(&k.search, d) : &lull_enomem;
    if (err == NULL) {
        k.why->n = 1;
        k.why->nodes[0] = (struct lull_why_node){.place = p};
        read_value(d, w, &k.why->nodes[0]);
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
