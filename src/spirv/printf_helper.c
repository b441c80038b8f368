// SPDX-License-Identifier: MIT
// The functions that find room for an entry and write it.
//
//   void lull_printf(header 0, header 1, payload...)                    an entry of one call
//   uint lull_printf_first(header 0, header 1, payload...)              its first LULL_SPV_CHUNK
//   dwords void lull_printf_more(entry or ~0, first dword, payload...)         and the others
//
// In all of them the blocks are those of structured control flow:
//   [is there a buffer? is this no helper lane?] room for it; does it fit? yes: store; no: count it
#include <spirv/unified1/spirv.h>
#include <stdlib.h>

#include "spirv/printf_priv.h"

enum kind { WHOLE, FIRST, MORE };

enum {
    HEADER_ARGS = 2,
    MAX_ARGS = LULL_SPV_CHUNK + HEADER_ARGS,
};

/** Entries lost are counted up to about here, so that the count does not wrap. */
static const uint32_t LOST_STOP = 0xf0000000;

/** A function being written. */
struct fn {
    struct lull_spv_lower *l;
    struct lull_spv_add *a;
    struct lull_spv_buf *b;
    enum kind kind;
    uint32_t total; ///< Dwords of the entry with its header.
    uint32_t n;     ///< Payload dwords among the parameters.
    uint32_t params[MAX_ARGS];
    uint32_t label;        ///< Of the block being written.
    uint32_t u32, boolean; ///< Types.
    uint32_t base;         ///< Pointer to the block.
    uint32_t end;          ///< Label of the last block.
    uint32_t result;       ///< FIRST: variable of what is returned.
};

static uint32_t c32(struct fn *f, uint32_t value)
{
    return lull_spv_u32(f->a, value);
}

static uint32_t op2(struct fn *f, uint32_t op, uint32_t type, uint32_t x, uint32_t y)
{
    const uint32_t id = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, op, type, id, x, y);
    return id;
}

static uint32_t op1(struct fn *f, uint32_t op, uint32_t type, uint32_t x)
{
    const uint32_t id = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, op, type, id, x);
    return id;
}

static uint32_t op3(struct fn *f, uint32_t op, uint32_t type, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t id = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, op, type, id, x, y, z);
    return id;
}

static void label(struct fn *f, uint32_t id)
{
    LULL_SPV_OP(f->b, SpvOpLabel, id);
    f->label = id;
}

/** if (condition): the code that follows goes into the "then" block; merge is the label behind it.
 */
static void open_if(struct fn *f, uint32_t condition, uint32_t merge)
{
    const uint32_t then = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    LULL_SPV_OP(f->b, SpvOpBranchConditional, condition, then, merge);
    label(f, then);
}

static void close_if(struct fn *f, uint32_t merge)
{
    LULL_SPV_OP(f->b, SpvOpBranch, merge);
    label(f, merge);
}

static uint32_t phi(struct fn *f, uint32_t type, uint32_t x, uint32_t from_x, uint32_t y,
                    uint32_t from_y)
{
    const uint32_t id = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, SpvOpPhi, type, id, x, from_x, y, from_y);
    return id;
}

/** Pointer to member @p i of the block, counted as if the counter were one of 64 bits. */
static uint32_t field(struct fn *f, uint32_t type, uint32_t i)
{
    const uint32_t member = i == 0 || f->l->options->counter64 ? i : i + 1;
    return op2(f, SpvOpAccessChain, type, f->base, c32(f, member));
}

enum { COUNTER, LOST, DISPATCH, ENTRIES };

static uint32_t atomic_add(struct fn *f, uint32_t type, uint32_t pointer, uint32_t value)
{
    const uint32_t id = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, SpvOpAtomicIAdd, type, id, pointer, f->l->buffer.scope,
                c32(f, SpvMemorySemanticsMaskNone), value);
    return id;
}

static uint32_t atomic_load(struct fn *f, uint32_t pointer)
{
    return op3(f, SpvOpAtomicLoad, f->u32, pointer, f->l->buffer.scope,
               c32(f, SpvMemorySemanticsMaskNone));
}

static bool physical(const struct fn *f)
{
    return f->l->buffer.storage == SpvStorageClassPhysicalStorageBuffer;
}

static void store(struct fn *f, uint32_t index, uint32_t value)
{
    const uint32_t id = lull_spv_id(f->a);
    const uint32_t member = c32(f, f->l->options->counter64 ? ENTRIES : ENTRIES + 1);
    LULL_SPV_OP(f->b, SpvOpAccessChain, f->l->buffer.dword, id, f->base, member, index);
    if (physical(f)) {
        LULL_SPV_OP(f->b, SpvOpStore, id, value, SpvMemoryAccessAlignedMask, 4);
    } else {
        LULL_SPV_OP(f->b, SpvOpStore, id, value);
    }
}

static uint32_t add(struct fn *f, uint32_t x, uint32_t constant)
{
    return constant == 0 ? x : op2(f, SpvOpIAdd, f->u32, x, c32(f, constant));
}

/** A member of the push constants. */
static uint32_t push_member(struct fn *f, uint32_t type, uint32_t i)
{
    const uint32_t pointer = lull_spv_id(f->a);
    LULL_SPV_OP(&f->a->sections[LULL_SPV_GLOBALS], SpvOpTypePointer, pointer,
                SpvStorageClassPushConstant, type);
    const uint32_t at =
        op2(f, SpvOpAccessChain, pointer, f->l->buffer.push, c32(f, f->l->buffer.member + i));
    return op1(f, SpvOpLoad, type, at);
}

/** Dwords for entries; in a buffer with an address, first: is there one at all? */
static uint32_t capacity(struct fn *f)
{
    uint32_t dwords = 0;
    if (!physical(f)) {
        f->base = f->l->buffer.var;
        const uint32_t member = f->l->options->counter64 ? ENTRIES : ENTRIES + 1;
        dwords = op2(f, SpvOpArrayLength, f->u32, f->base, member);
    } else {
        const bool spec = f->l->buffer.address != 0;
        const uint32_t bytes = spec ? f->l->buffer.bytes : push_member(f, f->u32, 1);
        const uint32_t least = c32(f, 4 * LULL_SPV_BUFFER_HEADER);
        open_if(f, op2(f, SpvOpUGreaterThan, f->boolean, bytes, least), f->end);
        const uint32_t two = lull_spv_type_u32(f->a, 2);
        const uint32_t address = spec ? f->l->buffer.address : push_member(f, two, 0);
        f->base = op1(f, SpvOpBitcast, f->l->buffer.block, address);
        dwords = op2(f, SpvOpShiftRightLogical, f->u32, op2(f, SpvOpISub, f->u32, bytes, least),
                     c32(f, 2));
    }
    const uint32_t most = c32(f, LULL_SPV_MAX_DWORDS);
    return op3(f, SpvOpSelect, f->u32, op2(f, SpvOpULessThan, f->boolean, dwords, most), dwords,
               most);
}

/**
 * Add @p value to the counter and give what it was. With 32 bits only while it is before the end,
 * so that it cannot wrap; then @p dwords, which is the end, takes its place.
 */
static uint32_t reserve(struct fn *f, uint32_t dwords, uint32_t value)
{
    const uint32_t pointer = field(f, f->l->buffer.counter, COUNTER);
    if (f->l->options->counter64) {
        const uint32_t u64 = lull_spv_type(f->a, SpvOpTypeInt, (const uint32_t[]){64, 0}, 2);
        const uint32_t was = atomic_add(f, u64, pointer, op1(f, SpvOpUConvert, u64, value));
        const uint32_t before =
            op2(f, SpvOpULessThan, f->boolean, was, op1(f, SpvOpUConvert, u64, dwords));
        return op3(f, SpvOpSelect, f->u32, before, op1(f, SpvOpUConvert, f->u32, was), dwords);
    }
    const uint32_t before = op2(f, SpvOpULessThan, f->boolean, atomic_load(f, pointer), dwords);
    const uint32_t merge = lull_spv_id(f->a), from = f->label;
    open_if(f, before, merge);
    const uint32_t was = atomic_add(f, f->u32, pointer, value), then = f->label;
    close_if(f, merge);
    return phi(f, f->u32, was, then, dwords, from);
}

/** Lanes that are active here: ballot, and how many. */
static uint32_t ballot(struct fn *f, uint32_t *ret_count)
{
    const uint32_t yes = lull_spv_id(f->a), count = lull_spv_id(f->a);
    LULL_SPV_OP(&f->a->sections[LULL_SPV_GLOBALS], SpvOpConstantTrue, f->boolean, yes);
    const uint32_t scope = c32(f, SpvScopeSubgroup);
    const uint32_t lanes =
        op2(f, SpvOpGroupNonUniformBallot, lull_spv_type_u32(f->a, 4), scope, yes);
    LULL_SPV_OP(f->b, SpvOpGroupNonUniformBallotBitCount, f->u32, count, scope,
                SpvGroupOperationReduce, lanes);
    *ret_count = count;
    return lanes;
}

/** First dword of this lane's entry; at or behind @p dwords: there is no room. */
static uint32_t place(struct fn *f, uint32_t dwords)
{
    if (!f->l->wave) {
        return reserve(f, dwords, c32(f, f->total));
    }
    uint32_t count = 0;
    const uint32_t scope = c32(f, SpvScopeSubgroup), lanes = ballot(f, &count);
    const uint32_t index = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, SpvOpGroupNonUniformBallotBitCount, f->u32, index, scope,
                SpvGroupOperationExclusiveScan, lanes);
    const uint32_t merge = lull_spv_id(f->a), from = f->label;
    open_if(f, op1(f, SpvOpGroupNonUniformElect, f->boolean, scope), merge);
    const uint32_t was = reserve(f, dwords, op2(f, SpvOpIMul, f->u32, count, c32(f, f->total)));
    const uint32_t then = f->label;
    close_if(f, merge);
    const uint32_t mine = phi(f, f->u32, was, then, c32(f, 0), from);
    const uint32_t first = op2(f, SpvOpGroupNonUniformBroadcastFirst, f->u32, scope, mine);
    return op2(f, SpvOpIAdd, f->u32, first, op2(f, SpvOpIMul, f->u32, index, c32(f, f->total)));
}

/** Entries that did not fit, of this lane or of its subgroup. */
static void count_lost(struct fn *f)
{
    uint32_t count = c32(f, 1);
    const uint32_t wave_merge = lull_spv_id(f->a), merge = lull_spv_id(f->a);
    if (f->l->wave) {
        ballot(f, &count);
        open_if(f, op1(f, SpvOpGroupNonUniformElect, f->boolean, c32(f, SpvScopeSubgroup)),
                wave_merge);
    }
    const uint32_t pointer = field(f, f->l->buffer.dword, LOST);
    open_if(f, op2(f, SpvOpULessThan, f->boolean, atomic_load(f, pointer), c32(f, LOST_STOP)),
            merge);
    atomic_add(f, f->u32, pointer, count);
    close_if(f, merge);
    if (f->l->wave) {
        close_if(f, wave_merge);
    }
}

static uint32_t load(struct fn *f, uint32_t type, uint32_t pointer)
{
    const uint32_t id = lull_spv_id(f->a);
    if (physical(f)) {
        LULL_SPV_OP(f->b, SpvOpLoad, type, id, pointer, SpvMemoryAccessAlignedMask, 4);
    } else {
        LULL_SPV_OP(f->b, SpvOpLoad, type, id, pointer);
    }
    return id;
}

/** Records of the place go behind the arguments: the entry's last dwords. The caller gives the
 * site's. */
static void store_records(struct fn *f, uint32_t first)
{
    const unsigned records = f->l->options->records & ~(unsigned)LULL_PRINTF_SITE;
    uint32_t at = f->total - lull_printf_record_dwords(records);
    if ((records & LULL_PRINTF_DISPATCH) != 0) {
        const uint32_t v = load(f, f->u32, field(f, f->l->buffer.dword, DISPATCH));
        store(f, add(f, first, at++), v);
    }
    if ((records & LULL_PRINTF_WORKGROUP) != 0) {
        const uint32_t v = op1(f, SpvOpLoad, lull_spv_type_u32(f->a, 3), f->l->record.workgroup);
        for (uint32_t i = 0; i < 3; i++) {
            store(f, add(f, first, at++), op2(f, SpvOpCompositeExtract, f->u32, v, i));
        }
    }
    if ((records & LULL_PRINTF_WAVE) != 0) {
        store(f, add(f, first, at++), op1(f, SpvOpLoad, f->u32, f->l->record.wave));
    }
    if ((records & LULL_PRINTF_LANE) != 0) {
        store(f, add(f, first, at++), op1(f, SpvOpLoad, f->u32, f->l->record.lane));
    }
    if ((records & LULL_PRINTF_PIPELINE) != 0) {
        store(f, add(f, first, at), f->l->record.pipeline);
    }
}

/** Is this lane one whose stores and atomics do something? */
static void skip_helpers(struct fn *f)
{
    if (!f->l->buffer.ask_helper) {
        return;
    }
    uint32_t helper = lull_spv_id(f->a);
    if (f->l->buffer.helper != 0) {
        LULL_SPV_OP(f->b, SpvOpLoad, f->boolean, helper, f->l->buffer.helper);
    } else {
        LULL_SPV_OP(f->b, SpvOpIsHelperInvocationEXT, f->boolean, helper);
    }
    open_if(f, op1(f, SpvOpLogicalNot, f->boolean, helper), f->end);
}

/** An entry that begins in the buffer but does not fit stores its header, if that fits: what stood
 * there before is then not taken for an entry. */
static void store_head(struct fn *f, uint32_t first, uint32_t before, uint32_t left)
{
    const uint32_t merge = lull_spv_id(f->a);
    const uint32_t two = op2(f, SpvOpUGreaterThanEqual, f->boolean, left, c32(f, HEADER_ARGS));
    open_if(f, op2(f, SpvOpLogicalAnd, f->boolean, before, two), merge);
    for (uint32_t i = 0; i < HEADER_ARGS; i++) {
        store(f, add(f, first, i), f->params[i]);
    }
    close_if(f, merge);
}

static void body(struct fn *f)
{
    const bool guarded = f->l->buffer.ask_helper;
    const uint32_t end = f->end;
    const uint32_t inner = physical(f) ? lull_spv_id(f->a) : 0;
    skip_helpers(f);
    if (inner != 0) {
        f->end = inner; // capacity() opens one more
    }
    const uint32_t dwords = capacity(f);
    const uint32_t first = place(f, dwords);
    const uint32_t left = op2(f, SpvOpISub, f->u32, dwords, first);
    const uint32_t before = op2(f, SpvOpULessThan, f->boolean, first, dwords);
    const uint32_t fits = op2(f, SpvOpLogicalAnd, f->boolean, before,
                              op2(f, SpvOpUGreaterThanEqual, f->boolean, left, c32(f, f->total)));
    const uint32_t yes = lull_spv_id(f->a), no = lull_spv_id(f->a), done = lull_spv_id(f->a);
    LULL_SPV_OP(f->b, SpvOpSelectionMerge, done, SpvSelectionControlMaskNone);
    LULL_SPV_OP(f->b, SpvOpBranchConditional, fits, yes, no);
    label(f, yes);
    for (uint32_t i = 0; i < f->n + HEADER_ARGS; i++) {
        store(f, add(f, first, i), f->params[i]);
    }
    store_records(f, first);
    if (f->kind == FIRST) {
        LULL_SPV_OP(f->b, SpvOpStore, f->result, first);
    }
    LULL_SPV_OP(f->b, SpvOpBranch, done);
    label(f, no);
    store_head(f, first, before, left);
    count_lost(f);
    LULL_SPV_OP(f->b, SpvOpBranch, done);
    label(f, done);
    if (inner != 0) {
        close_if(f, inner);
    }
    f->end = end;
    if (guarded) {
        close_if(f, end);
    }
}

/** The dwords of a later chunk, if the entry fits. */
static void more_body(struct fn *f)
{
    const uint32_t end = f->end;
    const uint32_t none = c32(f, UINT32_MAX);
    open_if(f, op2(f, SpvOpINotEqual, f->boolean, f->params[0], none), end);
    if (!physical(f)) {
        f->base = f->l->buffer.var;
    } else { // there is one, as the entry fits
        const uint32_t two = lull_spv_type_u32(f->a, 2);
        const uint32_t address =
            f->l->buffer.address != 0 ? f->l->buffer.address : push_member(f, two, 0);
        f->base = op1(f, SpvOpBitcast, f->l->buffer.block, address);
    }
    const uint32_t first = op2(f, SpvOpIAdd, f->u32, f->params[0], f->params[1]);
    for (uint32_t i = 0; i < f->n; i++) {
        store(f, add(f, first, i), f->params[HEADER_ARGS + i]);
    }
    close_if(f, end);
}

/** Type, parameters, first label; and the variable of the result. */
static uint32_t head(struct fn *f)
{
    uint32_t types[MAX_ARGS + 1] = {0};
    const uint32_t id = lull_spv_id(f->a), n = f->n + HEADER_ARGS;
    types[0] = f->kind == FIRST ? f->u32 : lull_spv_type_void(f->a);
    for (uint32_t i = 0; i < n; i++) {
        types[i + 1] = f->u32;
    }
    const uint32_t type = lull_spv_type(f->a, SpvOpTypeFunction, types, (size_t)n + 1);
    LULL_SPV_OP(f->b, SpvOpFunction, types[0], id, SpvFunctionControlMaskNone, type);
    for (uint32_t i = 0; i < n; i++) {
        f->params[i] = lull_spv_id(f->a);
        LULL_SPV_OP(f->b, SpvOpFunctionParameter, f->u32, f->params[i]);
    }
    label(f, lull_spv_id(f->a));
    if (f->kind == FIRST) {
        const uint32_t pointer = lull_spv_id(f->a);
        LULL_SPV_OP(&f->a->sections[LULL_SPV_GLOBALS], SpvOpTypePointer, pointer,
                    SpvStorageClassFunction, f->u32);
        f->result = lull_spv_id(f->a);
        LULL_SPV_OP(f->b, SpvOpVariable, pointer, f->result, SpvStorageClassFunction,
                    c32(f, UINT32_MAX));
    }
    return id;
}

static uint32_t make(struct lull_spv_lower *l, enum kind kind, uint32_t total, uint32_t n)
{
    static const char *const names[] = {"lull_printf_entry", "lull_printf_first",
                                        "lull_printf_more"};
    struct fn f = {.l = l,
                   .a = &l->add,
                   .b = &l->add.sections[LULL_SPV_FUNCTIONS],
                   .kind = kind,
                   .total = total,
                   .n = n};
    f.u32 = lull_spv_type_u32(f.a, 1);
    f.boolean = lull_spv_type_bool(f.a, 1);
    const uint32_t id = head(&f);
    f.end = lull_spv_id(f.a);
    if (kind == MORE) {
        more_body(&f);
    } else {
        body(&f);
    }
    if (kind == FIRST) {
        LULL_SPV_OP(f.b, SpvOpReturnValue, op1(&f, SpvOpLoad, f.u32, f.result));
    } else {
        lull_spv_emit(f.b, SpvOpReturn, NULL, 0);
    }
    lull_spv_emit(f.b, SpvOpFunctionEnd, NULL, 0);
    lull_spv_emit_text(&f.a->sections[LULL_SPV_NAMES], SpvOpName, &id, 1, names[kind]);
    return id;
}

/** The function of a kind, made once. */
LULL_MUST_USE static struct lull_error *helper(struct lull_spv_lower *l, enum kind kind,
                                               uint32_t total, uint32_t n, uint32_t *ret)
{
    for (size_t i = 0; i < l->nhelpers; i++) {
        const struct lull_spv_helper *h = &l->helpers[i];
        if (h->kind == kind && h->total == total && h->n == n) {
            *ret = h->id;
            return NULL;
        }
    }
    struct lull_spv_helper *more = realloc(l->helpers, (l->nhelpers + 1) * sizeof *more);
    if (more == NULL) {
        return &lull_enomem;
    }
    l->helpers = more;
    *ret = make(l, kind, total, n);
    l->helpers[l->nhelpers++] = (struct lull_spv_helper){kind, total, n, *ret};
    return NULL;
}

/** OpFunctionCall with two operands and then dwords. */
static void call(struct lull_spv_buf *out, const uint32_t head[5], const uint32_t *dwords,
                 uint32_t n)
{
    uint32_t operands[MAX_ARGS + 3] = {head[0], head[1], head[2], head[3], head[4]};
    for (uint32_t i = 0; i < n; i++) {
        operands[5 + i] = dwords[i];
    }
    lull_spv_emit(out, SpvOpFunctionCall, operands, 5 + (size_t)n);
}

struct lull_error *lull_spv_printf_write(struct lull_spv_lower *l, struct lull_spv_buf *out,
                                         const struct lull_spv_call *c, const uint32_t *dwords,
                                         uint32_t n)
{
    const uint32_t result = c->in.w[2], type = c->in.w[1], u32 = lull_spv_type_u32(&l->add, 1);
    const uint32_t total = LULL_SPV_ENTRY_HEADER + c->payload;
    const uint32_t low = lull_spv_u32(&l->add, total | (uint32_t)c->id << 16);
    const uint32_t high = lull_spv_u32(&l->add, (uint32_t)(c->id >> 16));
    uint32_t fn = 0, done = n < LULL_SPV_CHUNK ? n : LULL_SPV_CHUNK;
    const bool whole = done == n;
    struct lull_error *err = helper(l, whole ? WHOLE : FIRST, total, done, &fn);
    if (err != NULL) {
        return err;
    }
    const uint32_t first = whole ? result : lull_spv_id(&l->add);
    call(out, (const uint32_t[]){whole ? type : u32, first, fn, low, high}, dwords, done);
    while (err == NULL && done < n) {
        const uint32_t left = n - done, now = left < LULL_SPV_CHUNK ? left : LULL_SPV_CHUNK;
        const uint32_t at = lull_spv_u32(&l->add, LULL_SPV_ENTRY_HEADER + done);
        err = helper(l, MORE, 0, now, &fn);
        call(out,
             (const uint32_t[]){type, left == now ? result : lull_spv_id(&l->add), fn, first, at},
             dwords + done, now);
        done += now;
    }
    return err;
}
