// SPDX-License-Identifier: MIT
// Memory instructions of waves that are watched: where the lanes go is found first, then the plain
// handler does it, then the observers are told. So nothing comes out differently for being watched.
// Compiled once per kind of host.
#include "model/amd/mem/buffer.h"
#include "model/amd/mem/ds.h"
#include "model/amd/mem/mem_fast.h"
#include "model/observer.h"
#include "model/shape.h"

/** What an instruction touches. */
struct touched {
    struct lull_places places[2];
    unsigned n; // Of them.
    unsigned bytes;
};

enum { HALF = LULL_LANES / 2 };

static void tell(const struct lull_wave *w, const struct lull_observed *at, struct lull_touch *t)
{
    if (t->lanes != 0) {
        lull_touch_shape(t, w->lanes);
        lull_wave_memory_at(w, at, t);
    }
}

/** Is one of so many addresses beyond @p most, or very high? Then the sign is set. */
static uint64_t beyond_of(const uint64_t *address, uint64_t most)
{
    uint64_t beyond = 0;
    for (unsigned l = 0; l < HALF; l++) {
        beyond |= (most - address[l]) | address[l];
    }
    return beyond;
}

/** 0: all are @p space. */
static uint8_t others(const uint8_t *spaces, uint8_t space)
{
    uint8_t other = 0;
    for (unsigned l = 0; l < HALF; l++) {
        other |= spaces[l] ^ space;
    }
    return other;
}

/** Do all lanes of a whole wave go to @p t's kind of memory, and no further than it reaches? */
static bool is_plain(const struct lull_wave *w, const struct lull_places *p,
                     const struct lull_touch *t)
{
    const uint64_t all = w->lanes == 64 ? UINT64_MAX : UINT32_MAX;
    const uint8_t space = t->local ? LULL_SPACE_LDS : LULL_SPACE_MEMORY;
    const uint64_t size = w->wg != NULL ? w->wg->lds_size : 0;
    const uint64_t most = t->local ? size - t->bytes : INT64_MAX;
    if (p->mask != all || t->priv || (t->local && size < t->bytes)) {
        return false;
    }
    uint64_t beyond = 0;
    uint8_t other = 0;
    for (unsigned half = 0; half < w->lanes; half += HALF) {
        beyond |= beyond_of(p->address + half, most);
        other |= others(p->space + half, space);
    }
    return other == 0 && (int64_t)beyond >= 0;
}

/** The lanes of @p p that go to local memory, to scratch or to memory. */
static void tell_space(const struct lull_wave *w, const struct lull_observed *at,
                       const struct lull_places *p, struct lull_touch *t)
{
    const uint8_t space = t->local ? LULL_SPACE_LDS : LULL_SPACE_MEMORY;
    uint64_t address[LULL_LANES];
    uint8_t valid[LULL_LANES];
    t->address = address;
    t->valid = valid;
    t->lanes = 0;
    if (is_plain(w, p, t)) {
        t->address = p->address;
        t->valid = p->valid;
        t->lanes = p->mask;
    }
    for (uint64_t m = t->lanes == 0 ? p->mask : 0; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const bool scratch = p->space[l] == LULL_SPACE_SWIZZLED && p->limit != UINT32_MAX;
        const bool swizzled = p->space[l] == LULL_SPACE_SWIZZLED && !scratch;
        if (scratch != t->priv || (!scratch && p->space[l] != space && (!swizzled || t->local))) {
            continue;
        }
        address[l] = scratch    ? p->offset[l]
                     : swizzled ? lull_mem_swizzled(p, l, p->offset[l])
                                : p->address[l];
        valid[l] = p->valid[l];
        if (t->local && (w->wg == NULL || address[l] + t->bytes > w->wg->lds_size)) {
            valid[l] = 0;
        }
        t->lanes |= UINT64_C(1) << l;
    }
    tell(w, at, t);
}

static bool anybody(const struct lull_wave *w)
{
    for (const struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->memory != NULL) {
            return true;
        }
    }
    return false;
}

static enum lull_touch_kind touch_kind(const struct lull_mem_op *op)
{
    return op->kind == LULL_MEM_LOAD    ? LULL_TOUCH_LOAD
           : op->kind == LULL_MEM_STORE ? LULL_TOUCH_STORE
                                        : LULL_TOUCH_ATOMIC;
}

/** First data register of address @p i, 0 or 1. */
static unsigned data_of(const struct lull_rdna_insn *in, const struct lull_mem_op *op, unsigned i)
{
    if (op->kind == LULL_MEM_LOAD) {
        const unsigned reg = in->dst != LULL_RDNA_NONE ? in->dst : in->vdata;
        return reg == LULL_RDNA_NONE ? reg : reg + i * ((op->bytes + 3u) / 4);
    }
    return i == 0 ? in->vdata : in->vdata2;
}

/** A descriptor of zeros reaches nothing. */
static bool is_null(const struct lull_wave *w, const struct lull_rdna_insn *in)
{
    enum { DWORDS = 4 };
    uint32_t any = 0;
    for (unsigned i = 0; i < DWORDS; i++) {
        any |= w->sgpr[in->sbase + i];
    }
    return any == 0;
}

static void tell_memory(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        const struct touched *t)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool described = in->enc == LULL_RDNA_MUBUF || in->enc == LULL_RDNA_MTBUF;
    const bool ds = in->enc == LULL_RDNA_DS;
    struct lull_observed room;
    const struct lull_observed *at = lull_wave_sees(w, in, &room);
    struct lull_touch touch = {.kind = touch_kind(op),
                               .returns = ds ? (op->flags & LULL_MEM_F_RTN) != 0 : in->glc,
                               .compares =
                                   op->kind == LULL_MEM_CMPSWAP || op->kind == LULL_MEM_CMPSWAP_F,
                               .coherent = in->glc || in->dlc,
                               .bytes = t->bytes,
                               .described = described};
    if (described) {
        const struct lull_buffer b = lull_buffer_of(w, in);
        touch.descriptor = in->sbase;
        touch.base = lull_buffer_va(b.base);
        touch.available = lull_buffer_bytes(&b);
        touch.null = touch.available == 0 && is_null(w, in);
    }
    // A flat instruction goes anywhere; of the others it is known where to.
    const bool flat = (unsigned)in->enc == LULL_RDNA_FLAT;
    for (unsigned i = 0; i < t->n; i++) {
        touch.data = data_of(in, op, i);
        touch.row = touch.kind == LULL_TOUCH_STORE && lull_vgprs_exist(w, touch.data, 1)
                        ? lull_vgpr(w, touch.data - LULL_RDNA_VGPR0)
                        : NULL;
        touch.local = true;
        if (ds || flat) {
            tell_space(w, at, &t->places[i], &touch);
        }
        touch.local = false;
        if (!ds) {
            tell_space(w, at, &t->places[i], &touch);
        }
        touch.priv = true;
        if (flat || (unsigned)in->enc == LULL_RDNA_SCRATCH) {
            tell_space(w, at, &t->places[i], &touch);
        }
        touch.priv = false;
    }
}

static unsigned lds(const struct lull_wave *w, const struct lull_rdna_insn *in,
                    const struct lull_mem_op *op, struct lull_places p[2])
{
    const uint64_t mask = lull_exec_mask(w);
    const bool two = (op->flags & LULL_MEM_F_TWO) != 0;
    uint64_t offset[2] = {(uint32_t)in->imm, 0};
    uint32_t made[LULL_LANES] = {0};
    if (op->group == LULL_MEM_CLASS_COUNT) { // One counter for the wave.
        const uint64_t at = (w->sgpr[LULL_RDNA_M0] & LULL_DS_M0_BASE) + offset[0];
        lull_ds_places(made, mask & (~mask + 1), at, false, &p[0]);
        return 1;
    }
    const uint32_t *va = op->group == LULL_MEM_CLASS_LANES
                             ? NULL
                             : lull_ds_addresses(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, made);
    if (va == NULL) {
        return 0;
    }
    if (two) {
        lull_ds_two_offsets(in, op, offset);
    }
    for (unsigned i = 0; i <= two; i++) {
        lull_ds_places(va, mask, offset[i], op->kind == LULL_MEM_CONDXCHG, &p[i]);
    }
    return two ? 2 : 1;
}

static bool global(const struct lull_wave *w, const struct lull_rdna_insn *in,
                   const struct lull_mem_op *op, struct lull_places *p)
{
    struct lull_run g;
    const bool there = lull_run_prepare(w, in, (op->flags & LULL_MEM_F_ADDTID) != 0, &g);
    if (there) {
        lull_run_places(w, &g, p);
    }
    return there;
}

static bool buffer(const struct lull_wave *w, const struct lull_rdna_insn *in,
                   const struct lull_mem_op *op, struct touched *t)
{
    struct lull_mem_regs r;
    if ((op->flags & LULL_MEM_F_FORMAT) != 0 || (unsigned)in->enc == LULL_RDNA_MTBUF) {
        return lull_format_places(w, in, &t->places[0], &t->bytes);
    }
    if (!lull_buffer_regs(w, in, op, &r)) {
        return false;
    }
    const struct lull_buffer b = lull_buffer_of(w, in);
    lull_buffer_places(w, in, &b, op->bytes, op->group == LULL_MEM_CLASS_ATOMIC, &t->places[0]);
    return true;
}

static void find(const struct lull_wave *w, const struct lull_rdna_insn *in, struct touched *t)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    t->bytes = op->bytes;
    switch ((unsigned)in->enc) {
    case LULL_RDNA_DS:
        t->n = lds(w, in, op, t->places);
        break;
    case LULL_RDNA_FLAT:
        t->n = lull_flat_places(w, in, &t->places[0]);
        break;
    case LULL_RDNA_SCRATCH:
        t->n = lull_scratch_places(w, in, &t->places[0]);
        break;
    case LULL_RDNA_GLOBAL:
        t->n = global(w, in, op, &t->places[0]);
        break;
    default:
        t->n = buffer(w, in, op, t);
        break;
    }
}

/** Is @p op a load, and nobody need be told of any? */
static bool passes(const struct lull_wave *w, const struct lull_mem_op *op)
{
    bool none = op->kind == LULL_MEM_LOAD && !lull_mem_by_lane(w);
    for (const struct lull_observer *o = w->observer; none && o != NULL; o = o->next) {
        none = o->memory == NULL || o->no_loads;
    }
    return none;
}

static enum lull_exec_result lanes(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    struct touched t;
    if (passes(w, &lull_mem_ops[in->op])) {
        return lull_mem_plain_handler(in)(w, in);
    }
    find(w, in, &t);
    const bool store = lull_mem_ops[in->op].kind != LULL_MEM_LOAD;
    const enum lull_exec_result r = lull_mem_plain_handler(in)(w, in);
    for (unsigned i = 0; r != LULL_EXEC_ILLEGAL && i < t.n; i++) {
        lull_mem_report(w, in, &t.places[i], t.bytes, store);
    }
    if (r != LULL_EXEC_ILLEGAL && anybody(w)) {
        tell_memory(w, in, &t);
    }
    return r;
}

/** Addresses of all lanes in LDS, before the offset is added. */
struct span {
    uint32_t low, high;
    uint32_t run; // Bits by which they differ from such as stand one behind the other.
    uint32_t any; // Bits that one has.
};

static void span_half(const uint32_t *va, uint32_t first, uint32_t step, struct span *s)
{
    uint32_t low = s->low, high = s->high, run = s->run, any = s->any;
    for (uint32_t l = 0; l < HALF; l++) {
        low = va[l] < low ? va[l] : low;
        high = va[l] > high ? va[l] : high;
        run |= va[l] ^ (first + l * step);
        any |= va[l];
    }
    *s = (struct span){low, high, run, any};
}

static struct span span_of(const struct lull_wave *w, const uint32_t *va, uint32_t step)
{
    struct span s = {va[0], va[0], 0, 0};
    for (uint32_t half = 0; half < w->lanes; half += HALF) {
        span_half(va + half, va[0] + half * step, step, &s);
    }
    return s;
}

static void widen(const uint32_t *va, uint64_t offset, uint64_t *address)
{
    for (unsigned l = 0; l < HALF; l++) {
        address[l] = va[l] + offset;
    }
}

/** The dwords at these places. */
static void narrow(const uint32_t *va, uint32_t offset, uint16_t *dwords)
{
    for (unsigned l = 0; l < HALF; l++) {
        dwords[l] = (uint16_t)((va[l] + offset) / 4);
    }
}

static bool anybody_of_local_loads(const struct lull_wave *w)
{
    for (const struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->memory != NULL && !o->no_local_loads) {
            return true;
        }
    }
    return false;
}

/** Loads and stores of local memory, the most frequent of all: as lanes(), if a whole wave does it
 * within what it has. */
static enum lull_exec_result local(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const unsigned n = (op->flags & LULL_MEM_F_TWO) != 0 ? 2 : 1;
    const uint32_t size = w->wg != NULL ? w->wg->lds_size : 0;
    uint64_t offset[2] = {(uint32_t)in->imm, 0}, address[LULL_LANES];
    uint8_t valid[LULL_LANES];
    if (lull_exec_mask(w) != lull_all_lanes(w) || lull_mem_by_lane(w) || size < op->bytes ||
        !lull_vgprs_exist(w, in->vaddr, 1)) {
        return lanes(w, in);
    }
    const uint32_t *va = lull_vgpr(w, in->vaddr - LULL_RDNA_VGPR0);
    if (n == 2) {
        lull_ds_two_offsets(in, op, offset);
    }
    const struct span s = span_of(w, va, op->bytes);
    if (s.high + (offset[0] > offset[1] ? offset[0] : offset[1]) > size - op->bytes) {
        return lanes(w, in);
    }
    if (op->kind == LULL_MEM_LOAD && !anybody_of_local_loads(w)) {
        return lull_mem_plain_handler(in)(w, in);
    }
    uint32_t from[LULL_LANES]; // A load may overwrite them.
    uint16_t dwords[LULL_LANES];
    memcpy(from, va, w->lanes * sizeof *from);
    const enum lull_exec_result r = lull_mem_plain_handler(in)(w, in);
    memset(valid, UINT8_MAX, sizeof valid);
    struct lull_observed room;
    const struct lull_observed *at = lull_wave_sees(w, in, &room);
    static const struct lull_touch of_local = {.local = true}; // Copying it is quicker than zeros.
    struct lull_touch t = of_local;
    t.kind = touch_kind(op);
    t.returns = (op->flags & LULL_MEM_F_RTN) != 0;
    t.coherent = in->glc || in->dlc;
    t.bytes = op->bytes;
    t.lanes = lull_all_lanes(w);
    t.address = address;
    t.valid = valid;
    t.shape = s.run == 0 ? LULL_TOUCH_RUN : s.low == s.high ? LULL_TOUCH_ONE : LULL_TOUCH_ANY;
    for (unsigned i = 0; r != LULL_EXEC_ILLEGAL && i < n; i++) {
        for (unsigned half = 0; half < w->lanes; half += HALF) {
            widen(from + half, offset[i], address + half);
            narrow(from + half, (uint32_t)offset[i], dwords + half);
        }
        t.dwords = (s.any | offset[i]) % 4 == 0 ? dwords : NULL;
        t.low = s.low + offset[i];
        t.high = s.high + offset[i];
        t.data = data_of(in, op, i);
        t.row = op->kind == LULL_MEM_STORE && lull_vgprs_exist(w, t.data, 1)
                    ? lull_vgpr(w, t.data - LULL_RDNA_VGPR0)
                    : NULL;
        lull_wave_memory_at(w, at, &t);
    }
    return r;
}

static bool anybody_of_scratch(const struct lull_wave *w)
{
    for (const struct lull_observer *o = w->observer; o != NULL; o = o->next) {
        if (o->memory != NULL && !o->no_scratch) {
            return true;
        }
    }
    return false;
}

/** Loads and stores of scratch at one byte of each lane's own, as code at -O0 mostly makes them: as
 * lanes(), if that is within what a lane has. */
static enum lull_exec_result scratch(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    int64_t from = 0;
    if (!lull_scratch_one(w, in, &from) || lull_mem_by_lane(w) || from < 0 ||
        (uint64_t)from + op->bytes > w->scratch_bytes) {
        return lanes(w, in);
    }
    const uint64_t mask = lull_exec_mask(w), first = (uint64_t)from;
    const enum lull_exec_result r = lull_mem_scratch(w, in);
    if (r == LULL_EXEC_ILLEGAL || mask == 0 || !anybody_of_scratch(w)) {
        return r;
    }
    uint64_t address[LULL_LANES];
    uint8_t valid[LULL_LANES];
    struct lull_observed room;
    for (unsigned l = 0; l < LULL_LANES; l++) {
        address[l] = first;
    }
    memset(valid, UINT8_MAX, sizeof valid);
    const struct lull_touch t = {.kind = touch_kind(op),
                                 .priv = true,
                                 .returns = in->glc,
                                 .coherent = in->glc || in->dlc,
                                 .bytes = op->bytes,
                                 .lanes = mask,
                                 .address = address,
                                 .valid = valid,
                                 .low = first,
                                 .high = first,
                                 .shape = LULL_TOUCH_ONE,
                                 .data = data_of(in, op, 0)};
    lull_wave_memory_at(w, lull_wave_sees(w, in, &room), &t);
    return r;
}

/** @param n Dwords that are in bounds, from @p va on. */
static void tell_scalar(const struct lull_wave *w, const struct lull_observed *at, uint64_t va,
                        unsigned n, struct lull_touch *touch)
{
    const uint8_t valid = UINT8_MAX; // Of what is told; the rest is dropped.
    touch->bytes = 4 * n;
    touch->lanes = n != 0;
    touch->address = &va;
    touch->valid = &valid;
    touch->described = touch->dropped != 0;
    touch->low = touch->high = va;
    touch->shape = LULL_TOUCH_ANY;
    if (n != 0 || touch->dropped != 0) {
        lull_wave_memory_at(w, at, touch);
    }
}

static enum lull_exec_result scalar(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    uint64_t va = 0;
    const unsigned n = lull_smem_place(w, in, &va);
    struct lull_touch touch = {.kind = LULL_TOUCH_LOAD,
                               .scalar = true,
                               .coherent = in->glc,
                               .data = in->dst,
                               .descriptor = in->sbase};
    touch.dropped = lull_smem_dropped(w, in, &touch.base, &touch.available);
    const enum lull_exec_result r = lull_mem_plain_handler(in)(w, in);
    struct lull_observed room;
    const struct lull_observed *at = lull_wave_sees(w, in, &room);
    for (unsigned i = 0; lull_mem_by_lane(w) && r == LULL_EXEC_NEXT && i < n; i++) {
        lull_wave_touch(w, at, 0, va + 4 * (uint64_t)i, 4, false);
    }
    if (r != LULL_EXEC_ILLEGAL && anybody(w)) {
        tell_scalar(w, at, va, n, &touch);
    }
    return r;
}

lull_exec_fn *LULL_MEM_NAME(_observed)(const struct lull_rdna_insn *in)
{
    const struct lull_mem_op *op = &lull_mem_ops[in->op];
    const bool gds = in->enc == LULL_RDNA_DS && in->gds; // has no address that others know
    if (gds || op->kind == LULL_MEM_NONE || op->kind == LULL_MEM_CACHE ||
        op->kind == LULL_MEM_NOP) {
        return lull_mem_plain_handler(in);
    }
    if (in->enc == LULL_RDNA_SMEM) {
        return scalar;
    }
    if (in->enc == LULL_RDNA_MIMG) {
        return op->kind == LULL_MEM_INTERSECT ? lull_mem_bvh_observed : lull_mem_image_observed;
    }
    const bool simple = op->kind == LULL_MEM_LOAD || op->kind == LULL_MEM_STORE;
    const bool made = (op->flags & LULL_MEM_F_ADDTID) != 0 || op->group == LULL_MEM_CLASS_COUNT ||
                      op->group == LULL_MEM_CLASS_LANES;
    if (in->enc == LULL_RDNA_SCRATCH && simple && (op->flags & LULL_MEM_F_LDS) == 0) {
        return scratch;
    }
    return in->enc == LULL_RDNA_DS && simple && !made ? local : lanes;
}
