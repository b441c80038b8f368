// SPDX-License-Identifier: MIT
// Places: registers, lanes of them, memory, parts of these; what is read from them and written.
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "expr/tree.h"

bool lull_expr_is_memory(const struct lull_expr *e)
{
    const enum lull_expr_op op = e->root->op;
    return op == LULL_EXPR_DEREF || op == LULL_EXPR_ELEMENT || op == LULL_EXPR_MEMBER ||
           (op == LULL_EXPR_INDEX && e->root->a->stars != 0);
}

LULL_NEW_ERROR static struct lull_error *no_place(void)
{
    return lull_error_new(LULL_ERR_INVALID, "this is a value, not a place: a place is a register "
                                            "or memory, as in $v2, $v2[5], {f32}(out+8)");
}

/* What an address leads to; without a type that is gdb's long. */
LULL_MUST_USE static struct lull_error *lead_to(const struct lull_value *address,
                                                struct lull_location *ret)
{
    struct lull_ctype t = address->type;
    if (lull_ctype_is_float(t)) {
        return lull_error_new(LULL_ERR_INVALID, "an address is an integer, not a float");
    }
    const bool lds = t.lds;
    const bool scratch = t.scratch;
    t = t.stars == 0 ? lull_ctype_i64 : lull_ctype_pointee(t);
    if (lull_ctype_bits(t) == 0 && t.kind != LULL_CTYPE_PARTS) {
        return lull_error_new(LULL_ERR_INVALID, "void has no size: cast the pointer, or {u32}X");
    }
    *ret = (struct lull_location){.type = t,
                                  .lds = lds,
                                  .scratch = scratch,
                                  .lanes = address->lanes,
                                  .active = address->active};
    for (unsigned i = 0; i < address->lanes; i++) {
        ret->address[i] = lull_value_convert(address->type, address->v[i], lull_ctype_u64);
    }
    ret->active &= address->lanes == 1 ? 1 : address->valid;
    return NULL;
}

struct lull_error *lull_expr_lane(const struct lull_expr_scope *s,
                                  const struct lull_expr_node *index, uint64_t mask, unsigned lanes,
                                  unsigned *ret)
{
    struct lull_value v = {0};
    struct lull_error *err = lull_expr_value(s, index, mask, &v);
    if (err != NULL) {
        return err;
    }
    const uint64_t i = lull_value_convert(v.type, v.v[0], lull_ctype_u64);
    if (lanes == 1 || v.lanes != 1 || lull_ctype_is_float(v.type) || v.type.stars != 0) {
        return lull_error_new(LULL_ERR_INVALID,
                              "'[N]' is a lane of a value with lanes, or what a pointer leads to");
    }
    if (mask != 0 && i >= lanes) {
        return lull_error_new(LULL_ERR_INVALID, "lane %" PRId64 ": the wave has lanes 0 to %u",
                              (int64_t)i, lanes - 1);
    }
    *ret = mask != 0 ? (unsigned)i : 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *element(const struct lull_expr_scope *s,
                                                const struct lull_expr_node *n, uint64_t mask,
                                                struct lull_location *ret)
{
    const struct lull_expr_node sum = {.op = LULL_EXPR_ADD, .a = n->a, .b = n->b};
    struct lull_value address = {0};
    struct lull_error *err = lull_expr_value(s, &sum, mask, &address);
    return err != NULL ? err : lead_to(&address, ret);
}

LULL_MUST_USE static struct lull_error *indexed(const struct lull_expr_scope *s,
                                                const struct lull_expr_node *n, uint64_t mask,
                                                struct lull_location *ret)
{
    if (n->a->stars != 0) {
        return element(s, n, mask, ret);
    }
    unsigned lane = 0;
    struct lull_error *err = lull_expr_place(s, n->a, mask, ret);
    err = err != NULL ? err : lull_expr_lane(s, n->b, mask, ret->lanes, &lane);
    if (err != NULL) {
        return err;
    }
    ret->which = LULL_LANES_ONE;
    ret->lane = lane;
    ret->each = false;
    if (ret->ref == NULL) {
        ret->address[0] = ret->address[lane];
        ret->active = ret->active >> lane & 1;
    }
    ret->lanes = 1;
    return NULL;
}

LULL_MUST_USE static struct lull_error *viewed(struct lull_ctype type, struct lull_location *at)
{
    if (lull_ctype_bits(type) > lull_ctype_bits(at->type)) {
        return lull_error_new(LULL_ERR_INVALID, "a place of %u bits has no view of %u",
                              lull_ctype_bits(at->type), lull_ctype_bits(type));
    }
    at->type = type;
    return NULL;
}

LULL_MUST_USE static struct lull_error *referred(const struct lull_expr_scope *s,
                                                 const struct lull_expr_node *n, uint64_t mask,
                                                 struct lull_location *ret)
{
    struct lull_value v = {0};
    bool is = false;
    struct lull_error *err =
        s->locate != NULL ? s->locate(s->ctx, n->ref, mask == 0, &is, ret) : NULL;
    if (err != NULL || is) {
        return err;
    }
    err = s->read(s->ctx, n->ref, true, &v);
    *ret =
        (struct lull_location){.ref = n->ref, .type = v.type, .lanes = v.lanes, .active = v.active};
    return err;
}

/* An array that is not in memory has no elements that can be told apart. */
LULL_MUST_USE static struct lull_error *in_memory(const struct lull_location *at)
{
    return at->ref == NULL
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "what is in registers has no members here");
}

LULL_MUST_USE static struct lull_error *element_of(const struct lull_expr_scope *s,
                                                   const struct lull_expr_node *n, uint64_t mask,
                                                   struct lull_location *ret)
{
    struct lull_value index = {0};
    struct lull_location at = {0};
    struct lull_error *err = lull_expr_place(s, n->a, mask, &at);
    err = err != NULL ? err : in_memory(&at);
    err = err != NULL ? err : lull_expr_value(s, n->b, mask, &index);
    if (err != NULL) {
        return err;
    }
    const struct lull_symtype *of = lull_ctype_source(at.type);
    if (of == NULL || lull_ctype_is_float(index.type) || index.type.stars != 0 ||
        (of->kind != LULL_SYMTYPE_ARRAY && of->kind != LULL_SYMTYPE_VECTOR)) {
        return lull_error_new(LULL_ERR_INVALID, "an array has elements with integers as numbers");
    }
    const bool spread = at.lanes == 1 && index.lanes != 1;
    at.active = spread ? index.active & index.valid : at.active;
    at.lanes = spread ? index.lanes : at.lanes;
    const uint64_t first = at.address[0];
    for (unsigned i = 0; i < at.lanes; i++) {
        const uint64_t k =
            lull_value_convert(index.type, index.v[index.lanes == 1 ? 0 : i], lull_ctype_i64);
        if (of->nmembers != 0 && k >= of->nmembers && mask != 0 && (at.active >> i & 1) != 0) {
            return lull_error_new(LULL_ERR_INVALID, "element %" PRId64 ": there are 0 to %zu",
                                  (int64_t)k, of->nmembers - 1);
        }
        at.address[i] = (spread ? first : at.address[i]) + lull_symtype_element(of, k);
    }
    at.type = lull_ctype_element(at.type);
    *ret = at;
    return NULL;
}

LULL_MUST_USE static struct lull_error *member_of(const struct lull_expr_node *n,
                                                  struct lull_location *at)
{
    struct lull_error *err = in_memory(at);
    if (err != NULL) {
        return err;
    }
    *at = lull_location_part(at, n->type.of, n->number);
    at->bit = n->bit;
    at->nbits = n->nbits;
    return NULL;
}

struct lull_location lull_location_part(const struct lull_location *at,
                                        const struct lull_symtype *type, uint64_t offset)
{
    struct lull_location part = *at;
    part.type = lull_ctype_of(type);
    for (unsigned i = 0; i < part.lanes; i++) {
        part.address[i] += offset;
    }
    return part;
}

struct lull_error *lull_expr_place(const struct lull_expr_scope *s, const struct lull_expr_node *n,
                                   uint64_t mask, struct lull_location *ret)
{
    struct lull_value v = {0};
    struct lull_error *err = NULL;
    if (!n->is_place) {
        return no_place();
    }
    switch ((unsigned)n->op) {
    case LULL_EXPR_REF:
        return referred(s, n, mask, ret);
    case LULL_EXPR_ELEMENT:
        return element_of(s, n, mask, ret);
    case LULL_EXPR_MEMBER:
        err = lull_expr_place(s, n->a, mask, ret);
        return err != NULL ? err : member_of(n, ret);
    case LULL_EXPR_DEREF:
        err = lull_expr_value(s, n->a, mask, &v);
        return err != NULL ? err : lead_to(&v, ret);
    case LULL_EXPR_INDEX:
        return indexed(s, n, mask, ret);
    case LULL_EXPR_VIEW:
        err = lull_expr_place(s, n->a, mask, ret);
        return err != NULL ? err : viewed(n->type, ret);
    default: // LULL_EXPR_ALL_LANES
        err = lull_expr_place(s, n->a, mask, ret);
        if (err == NULL && ((ret->ref == NULL && !ret->each) || ret->lanes == 1)) {
            err = lull_error_new(LULL_ERR_INVALID, "'[*]' is of a register with lanes");
        }
        ret->which = LULL_LANES_ACTIVE;
        return err;
    }
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

LULL_MUST_USE static struct lull_error *load_register(const struct lull_expr_scope *s,
                                                      const struct lull_location *at, uint64_t mask,
                                                      struct lull_value *ret)
{
    struct lull_error *err = s->read(s->ctx, at->ref, mask == 0, ret);
    if (err != NULL) {
        return err;
    }
    if (at->which == LULL_LANES_ONE) {
        *ret = (struct lull_value){
            .lanes = 1, .active = 1, .valid = ret->valid >> at->lane & 1, .v = {ret->v[at->lane]}};
    }
    ret->type = at->type;
    for (unsigned i = 0; i < ret->lanes; i++) {
        ret->v[i] = low_bits(ret->v[i], lull_ctype_bits(at->type));
    }
    return NULL;
}

/* Which memory, where in it, and whose. */
struct memory {
    uint64_t address;
    bool lds, scratch;
    unsigned lane;
    const void *held;
};

static struct memory memory_of(const struct lull_expr_scope *s, const struct lull_location *at,
                               unsigned i)
{
    struct memory m = {
        .address = at->address[i], .lds = at->lds, .scratch = at->scratch, .held = at->held};
    m.lane = at->lanes == 1 && at->which == LULL_LANES_ONE ? at->lane : i;
    if (!m.lds && !m.scratch && m.held == NULL && s->resolve != NULL) {
        s->resolve(s->ctx, &m.address, &m.lds, &m.scratch);
    }
    return m;
}

LULL_MUST_USE static struct lull_error *read_bytes(const struct lull_expr_scope *s,
                                                   const struct memory *m, void *buf, size_t size)
{
    if (m->held != NULL) {
        return s->read_held(s->ctx, m->held, m->lane, m->address, buf, size);
    }
    return m->scratch && s->read_scratch != NULL
               ? s->read_scratch(s->ctx, m->lane, m->address, buf, size)
               : s->read_memory(s->ctx, m->lds, m->address, buf, size);
}

/* Bytes that are read for a value: of a bit field those that it is in. */
static size_t bytes_of(const struct lull_location *at)
{
    return at->nbits != 0 ? (at->bit + at->nbits + 7u) / 8 : lull_ctype_bits(at->type) / 8;
}

LULL_MUST_USE static struct lull_error *read_place(const struct lull_expr_scope *s,
                                                   const struct lull_location *at, unsigned i,
                                                   uint64_t *ret)
{
    const struct memory m = memory_of(s, at, i);
    uint64_t v = 0;
    if (bytes_of(at) > sizeof v) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a bit field over more than 8 bytes");
    }
    struct lull_error *err = read_bytes(s, &m, &v, bytes_of(at));
    if (at->nbits != 0) {
        v = low_bits(v >> at->bit, at->nbits);
        const bool negative = lull_ctype_is_signed(at->type) && (v >> (at->nbits - 1) & 1) != 0;
        v = low_bits(negative ? v | ~low_bits(UINT64_MAX, at->nbits) : v,
                     lull_ctype_bits(at->type));
    }
    *ret = v;
    return err;
}

LULL_NEW_ERROR static struct lull_error *has_parts(struct lull_ctype type)
{
    struct lull_str name = {0};
    lull_ctype_show(type, &name);
    struct lull_error *err = lull_error_new(
        LULL_ERR_INVALID, "%s is not a number: name a member or an element", lull_str_text(&name));
    lull_str_free(&name);
    return err;
}

struct lull_error *lull_location_load(const struct lull_expr_scope *s,
                                      const struct lull_location *at, struct lull_value *ret)
{
    return lull_expr_load(s, at, UINT64_MAX, ret);
}

struct lull_error *lull_expr_load(const struct lull_expr_scope *s, const struct lull_location *at,
                                  uint64_t mask, struct lull_value *ret)
{
    if (at->ref != NULL) {
        return load_register(s, at, mask, ret);
    }
    *ret = (struct lull_value){.type = at->type, .lanes = at->lanes, .active = at->active};
    if (at->type.kind == LULL_CTYPE_PARTS && at->type.stars == 0) {
        return has_parts(at->type);
    }
    const uint64_t lanes = at->lanes == 1 ? mask != 0 : at->each ? mask : mask & at->active;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < at->lanes; i++) {
        if ((lanes >> i & 1) == 0) {
            continue;
        }
        err = read_place(s, at, i, &ret->v[i]);
        const bool good = err == NULL;
        if (err != NULL && (at->active >> i & 1) == 0) {
            lull_error_free(err);
            err = NULL;
        }
        err = at->lanes > 1 ? lull_error_in(err, "lane %u", i) : err;
        ret->valid |= (uint64_t)good << i;
    }
    return err;
}

struct lull_error *lull_expr_locate(const struct lull_expr_scope *s, const struct lull_expr *e,
                                    struct lull_location *ret)
{
    return lull_expr_place(s, e->root, UINT64_MAX, ret);
}

/* What the register holds now, with @p v in the lowest bits: a view may be narrower. */
LULL_MUST_USE static struct lull_error *store_register(const struct lull_expr_scope *s,
                                                       const struct lull_location *at,
                                                       const struct lull_value *v)
{
    struct lull_value whole = {0};
    const unsigned bits = lull_ctype_bits(at->type);
    struct lull_error *err = s->read(s->ctx, at->ref, true, &whole);
    const bool part = err == NULL && bits < lull_ctype_bits(whole.type);
    if (part) {
        err = s->read(s->ctx, at->ref, false, &whole);
    }
    if (err != NULL) {
        return err;
    }
    if (v->lanes > 1 && (whole.lanes == 1 || at->which == LULL_LANES_ONE)) {
        return lull_error_new(LULL_ERR_INVALID, "a value of %u lanes fits a vector register only",
                              v->lanes);
    }
    struct lull_value to = {
        .type = whole.type, .lanes = part ? whole.lanes : v->lanes, .active = 1, .valid = 1};
    for (unsigned i = 0; i < to.lanes; i++) {
        const uint64_t low = v->v[v->lanes == 1 ? 0 : i];
        to.v[i] = part ? low | (whole.v[i] ^ low_bits(whole.v[i], bits)) : low;
    }
    const bool all = at->which == LULL_LANES_FOCUS && v->lanes > 1;
    return s->write(s->ctx, at->ref, all ? LULL_LANES_ALL : at->which, at->lane, &to);
}

LULL_MUST_USE static struct lull_error *write_place(const struct lull_expr_scope *s,
                                                    const struct lull_location *at, unsigned i,
                                                    uint64_t value)
{
    const struct memory m = memory_of(s, at, i);
    struct lull_error *err = NULL;
    if (at->nbits != 0) {
        uint64_t old = 0;
        const uint64_t mask = low_bits(UINT64_MAX, at->nbits) << at->bit;
        err = bytes_of(at) <= sizeof old
                  ? read_bytes(s, &m, &old, bytes_of(at))
                  : lull_error_new(LULL_ERR_UNSUPPORTED, "a bit field over more than 8 bytes");
        value = (old & ~mask) | (value << at->bit & mask);
    }
    return err != NULL      ? err
           : m.held != NULL ? s->write_held(s->ctx, m.held, m.lane, m.address, &value, bytes_of(at))
           : m.scratch && s->write_scratch != NULL
               ? s->write_scratch(s->ctx, m.lane, m.address, &value, bytes_of(at))
               : s->write_memory(s->ctx, m.lds, m.address, &value, bytes_of(at));
}

LULL_MUST_USE static struct lull_error *store_memory(const struct lull_expr_scope *s,
                                                     const struct lull_location *at,
                                                     const struct lull_value *v)
{
    struct lull_error *err = NULL;
    if (v->lanes > 1 && at->lanes == 1) {
        return lull_error_new(LULL_ERR_INVALID, "a value of %u lanes fits a vector register only",
                              v->lanes);
    }
    if (at->type.kind == LULL_CTYPE_PARTS && at->type.stars == 0) {
        return has_parts(at->type);
    }
    const bool focus = at->each && at->which == LULL_LANES_FOCUS && v->lanes == 1;
    const uint64_t lanes = focus                                       ? UINT64_C(1) << at->lane
                           : at->each && at->which == LULL_LANES_FOCUS ? UINT64_MAX
                                                                       : at->active;
    for (unsigned i = 0; err == NULL && i < at->lanes; i++) {
        if ((lanes >> i & 1) != 0) {
            err = write_place(s, at, i, v->v[v->lanes == 1 ? 0 : i]);
            err = at->lanes > 1 ? lull_error_in(err, "lane %u", i) : err;
        }
    }
    return err;
}

struct lull_error *lull_expr_store(const struct lull_expr_scope *s, const struct lull_location *at,
                                   const struct lull_value *value)
{
    struct lull_value v = *value;
    if ((lull_ctype_is_float(v.type) ? at->type.stars : 0) != 0) {
        return lull_error_new(LULL_ERR_INVALID, "an address is an integer, not a float");
    }
    for (unsigned i = 0; i < v.lanes; i++) {
        v.v[i] = lull_value_convert(v.type, v.v[i], at->type);
    }
    v.type = at->type;
    return at->ref != NULL ? store_register(s, at, &v) : store_memory(s, at, &v);
}
