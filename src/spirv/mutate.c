// SPDX-License-Identifier: MIT
#include "spirv/mutate.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

#include "base/error.h"
#include "spirv/grammar.h"
#include "spirv/mutate_priv.h"

enum {
    HEADER_BOUND = 3,
    MOST_CONSTANT = 8, ///< Words of a constant, or of a vector of them, that is changed.
    MOST_WORDS = 4096, ///< Of an instruction whose operands are looked at.
    SHIFT = 16,        ///< Of the count of words in an instruction's first.
};

static bool imports(const struct lull_spv *m, uint32_t id, const char *name)
{
    const struct lull_spv_insn set = lull_spv_def(m, id);
    const char *is = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
    return is != NULL && strcmp(is, name) == 0;
}

/** The string of an OpString, or of the OpString that a DebugSource names. */
static const char *file_of(const struct lull_spv *m, uint32_t id)
{
    const struct lull_spv_insn in = lull_spv_def(m, id);
    if (in.op == SpvOpString) {
        return lull_spv_string(&in, 2);
    }
    if (in.op != SpvOpExtInst) {
        return NULL;
    }
    const struct lull_spv_insn name = lull_spv_def(m, lull_spv_word(&in, 5));
    return name.op == SpvOpString ? lull_spv_string(&name, 2) : NULL;
}

void lull_spv_line_step(const struct lull_spv *m, const struct lull_spv_insn *in,
                        struct lull_spv_line *l)
{
    if (in->op == SpvOpLine) {
        *l = (struct lull_spv_line){file_of(m, lull_spv_word(in, 1)), lull_spv_word(in, 2)};
        return;
    }
    if (in->op == SpvOpNoLine || in->op == SpvOpFunction || in->op == SpvOpLabel) {
        *l = (struct lull_spv_line){0}; // A line holds up to the end of its block.
        return;
    }
    if (in->op != SpvOpExtInst ||
        !imports(m, lull_spv_word(in, 3), "NonSemantic.Shader.DebugInfo.100")) {
        return;
    }
    uint32_t line = 0;
    if (lull_spv_word(in, 4) == NonSemanticShaderDebugInfo100DebugNoLine) {
        *l = (struct lull_spv_line){0};
    } else if (lull_spv_word(in, 4) == NonSemanticShaderDebugInfo100DebugLine &&
               lull_spv_constant(m, lull_spv_word(in, 6), &line)) {
        *l = (struct lull_spv_line){file_of(m, lull_spv_word(in, 5)), line};
    }
}

/** What becomes of an instruction. */
struct change {
    enum lull_spv_change kind;
    unsigned n;             ///< Words that get another value.
    uint32_t at[2], now[2]; ///< Which, and it; an id of a new constant is the bound.
    uint32_t constant;      ///< Id of the constant that a new one is made of; 0: none.
    unsigned variant;       ///< Of that constant,
    bool shifts;            ///< which says how far something is shifted.
    bool longer;            ///< A word behind the last one: the volatile access.
};

static struct change words(enum lull_spv_change kind, uint32_t at, uint32_t now)
{
    return (struct change){.kind = kind, .n = 1, .at = {at}, .now = {now}};
}

static struct change swap(const struct lull_spv_insn *in, uint32_t a, uint32_t b)
{
    if (lull_spv_word(in, a) == lull_spv_word(in, b) || b >= in->n) {
        return (struct change){0};
    }
    return (struct change){
        .kind = LULL_SPV_OTHER_ORDER, .n = 2, .at = {a, b}, .now = {in->w[b], in->w[a]}};
}

/** Change the scalar @p w (as OpConstant has it) in one of two ways; false: not that way. */
static bool other_scalar(const struct lull_spv_insn *type, uint32_t *w, unsigned n,
                         unsigned variant)
{
    const uint32_t bits = lull_spv_word(type, 2);
    uint32_t *high = &w[n - 1];
    if (type->op == SpvOpTypeInt) {
        if (variant == 0) {
            w[0] ^= 1;
            return true;
        }
        const bool power = n == 1 && bits == 32 && w[0] >= 2 && w[0] < 1U << 30;
        const bool single = power && (w[0] & (w[0] - 1)) == 0;
        w[0] <<= single ? 1 : 0;
        return single;
    }
    if (type->op != SpvOpTypeFloat || (bits != 16 && bits != 32 && bits != 64)) {
        return false;
    }
    const unsigned mantissa = bits == 16 ? 10 : bits == 32 ? 23 : 20;
    const uint32_t exponents = bits == 16 ? 0x1f : bits == 32 ? 0xff : 0x7ff;
    const uint32_t exponent = *high >> mantissa & exponents;
    if (exponent >= exponents - 1) {
        return false;
    }
    if (variant == 0 && exponent == 0) {
        *high |= exponents / 2 << mantissa; // 0 becomes 1
    } else if (variant == 0) {
        *high ^= 1U << (mantissa - 1); // 1 becomes 1.5
    } else {
        *high += exponent == 0 ? 0 : 1U << mantissa; // 1 becomes 2
    }
    return variant == 0 || exponent != 0;
}

/** Who shifts by 0 in a loop stays in it, and NIR's analysis of loops (Mesa 25.0.7) crashes. */
static bool is_shift(const struct lull_spv_insn *in, uint32_t i)
{
    return i == 4 && in->op >= SpvOpShiftRightLogical && in->op <= SpvOpShiftLeftLogical;
}

/** The scalar constant @p id, changed, as words of an OpConstant; false: it is not one. */
static bool other_constant(const struct lull_spv *m, uint32_t id, const struct change *how,
                           uint32_t ret[MOST_CONSTANT], unsigned *ret_n)
{
    const struct lull_spv_insn c = lull_spv_def(m, id);
    const struct lull_spv_insn type = lull_spv_def(m, lull_spv_word(&c, 1));
    if (c.op != SpvOpConstant || c.n < 4 || c.n > 5) {
        return false;
    }
    memcpy(ret, c.w, c.n * sizeof *ret);
    *ret_n = c.n;
    const bool good = other_scalar(&type, ret + 3, c.n - 3, how->variant);
    ret[3] = how->shifts && ret[3] == 0 ? 2 : ret[3];
    return good;
}

/** Can the operand at word @p i be another constant, or vector of constants? */
static struct change constant(const struct lull_spv *m, const struct lull_spv_insn *in, uint32_t i,
                              unsigned variant)
{
    uint32_t w[MOST_CONSTANT] = {0};
    unsigned n = 0;
    const struct lull_spv_insn c = lull_spv_def(m, lull_spv_word(in, i));
    const struct lull_spv_insn type = lull_spv_def(m, lull_spv_word(&c, 1));
    const bool vector = c.op == SpvOpConstantComposite && type.op == SpvOpTypeVector && c.n > 3 &&
                        c.n <= MOST_CONSTANT;
    const uint32_t scalar = vector ? c.w[3] : lull_spv_word(in, i);
    struct change r = words(LULL_SPV_OTHER_CONSTANT, i, m->bound + (vector ? 1 : 0));
    r.constant = lull_spv_word(in, i);
    r.variant = variant;
    r.shifts = is_shift(in, i);
    return i < in->n && other_constant(m, scalar, &r, w, &n) ? r : (struct change){0};
}

/** Another element of an array or a vector: word @p i of an access chain whose base is word 3. */
static struct change other_index(const struct lull_spv *m, const struct lull_spv_insn *in,
                                 uint32_t i)
{
    const uint32_t base = lull_spv_word(in, 3);
    const struct lull_spv_insn pointer = lull_spv_def(m, base < m->bound ? m->type[base] : 0);
    uint32_t type = pointer.op == SpvOpTypePointer ? lull_spv_word(&pointer, 3) : 0, index = 0;
    struct lull_spv_insn in_type = lull_spv_def(m, type);
    for (uint32_t k = 4; k < i && k < in->n; k++) {
        if (in_type.op == SpvOpTypeStruct) {
            type = lull_spv_constant(m, in->w[k], &index) && index < in_type.n - 2
                       ? in_type.w[2 + index]
                       : 0;
        } else {
            type = in_type.n > 2 ? in_type.w[2] : 0;
        }
        in_type = lull_spv_def(m, type);
    }
    uint32_t count = 0;
    bool sized = false;
    if (in_type.op == SpvOpTypeVector) {
        count = lull_spv_word(&in_type, 3);
        sized = true;
    } else if (in_type.op == SpvOpTypeArray) {
        sized = lull_spv_constant(m, lull_spv_word(&in_type, 3), &count);
    } else if (in_type.op != SpvOpTypeRuntimeArray) {
        return (struct change){0};
    }
    if (!lull_spv_constant(m, lull_spv_word(in, i), &index) || (sized && (index ^ 1) >= count)) {
        return (struct change){0};
    }
    return constant(m, in, i, 0);
}

/** Where the pointer leads; UINT32_MAX: not known. */
static uint32_t storage_of(const struct lull_spv *m, uint32_t pointer)
{
    const struct lull_spv_insn type = lull_spv_def(m, pointer < m->bound ? m->type[pointer] : 0);
    return type.op == SpvOpTypePointer ? lull_spv_word(&type, 2) : UINT32_MAX;
}

static bool is_buffer(uint32_t storage)
{
    return storage == SpvStorageClassStorageBuffer || storage == SpvStorageClassUniform ||
           storage == SpvStorageClassPhysicalStorageBuffer;
}

/** A load of a buffer becomes volatile, or no longer is. */
static struct change other_access(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    const uint32_t bit = SpvMemoryAccessVolatileMask;
    if (!is_buffer(storage_of(m, lull_spv_word(in, 3))) || in->n > MOST_WORDS) {
        return (struct change){0};
    }
    if (in->n > 4) {
        return words(LULL_SPV_OTHER_ACCESS, 4, in->w[4] ^ bit);
    }
    struct change r = words(LULL_SPV_OTHER_ACCESS, 4, bit);
    r.longer = true;
    return r;
}

/** A load or store of what other invocations see is not there. */
static struct change left_out(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    const uint32_t storage = storage_of(m, lull_spv_word(in, in->op == SpvOpLoad ? 3 : 1));
    const bool good =
        storage == SpvStorageClassWorkgroup || (in->op == SpvOpStore && is_buffer(storage));
    return (struct change){.kind = good ? LULL_SPV_LEFT_OUT : LULL_SPV_NO_CHANGE};
}

/** Another component of a vector, which OpCompositeExtract takes. */
static struct change other_component(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    const uint32_t from = lull_spv_word(in, 3), index = lull_spv_word(in, 4);
    const struct lull_spv_insn type = lull_spv_def(m, from < m->bound ? m->type[from] : 0);
    if (in->n != 5 || type.op != SpvOpTypeVector || (index ^ 1) >= lull_spv_word(&type, 3)) {
        return (struct change){0};
    }
    return words(LULL_SPV_OTHER_CONSTANT, 4, index ^ 1);
}

/** First word of an instruction's operands that may be constants; 0: it has none that may change.
 */
static uint32_t first_value(const struct lull_spv_insn *in)
{
    const struct lull_spv_op *op = lull_spv_op(in->op);
    switch (in->op) {
    case SpvOpStore:
        return 2;
    case SpvOpReturnValue:
        return 1;
    case SpvOpExtInst:
        return 5;
    case SpvOpFunctionCall:
    case SpvOpAtomicStore:
        return 4;
    case SpvOpAtomicCompareExchange:
        return 7;
    case SpvOpAtomicExchange:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
        return 6;
    case SpvOpSelect:
    case SpvOpCompositeConstruct:
    case SpvOpVectorTimesScalar:
    case SpvOpDot:
        return 3;
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageFetch:
    case SpvOpImageRead:
        return 4;
    case SpvOpImageWrite:
        return 2;
    default:
        break;
    }
    const bool plain = op != NULL && op->operands != NULL &&
                       (strcmp(op->operands, "TRII") == 0 || strcmp(op->operands, "TRI") == 0);
    const bool arithmetic = in->op >= SpvOpSNegate && in->op <= SpvOpBitCount;
    return plain && arithmetic ? 3 : 0;
}

/** Word of the mask of image operands, which is not an id; 0: there is none. */
static uint32_t mask_of(const struct lull_spv_insn *in)
{
    switch (in->op) {
    case SpvOpImageSampleDrefExplicitLod:
        return 6;
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageFetch:
    case SpvOpImageRead:
        return 5;
    case SpvOpImageWrite:
        return 4;
    default:
        return 0;
    }
}

/** Changes that only one kind of instruction has; @p which counts from 0. */
static struct change special(const struct lull_spv *m, const struct lull_spv_insn *in,
                             unsigned which)
{
    const struct change none = {0};
    switch (in->op) {
    case SpvOpLoad:
        return which == 0 ? other_access(m, in) : which == 1 ? left_out(m, in) : none;
    case SpvOpStore:
        return which == 0 ? left_out(m, in) : none;
    case SpvOpCompositeExtract:
        return which == 0 ? other_component(m, in) : none;
    case SpvOpVectorShuffle:
        return which == 0 ? swap(in, 5, 6) : none;
    case SpvOpSelect:
        return which == 0 ? swap(in, 4, 5) : none;
    case SpvOpBranchConditional:
        return which == 0 ? swap(in, 2, 3) : none;
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return 4 + which < in->n ? other_index(m, in, 4 + which) : none;
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpImageWrite:
    case SpvOpImageRead:
    case SpvOpImageFetch:
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageGather:
    case SpvOpAtomicStore:
        return which == 0 ? (struct change){.kind = LULL_SPV_LEFT_OUT} : none;
    default:
        return none;
    }
}

/** How many numbers special() is asked for. */
static unsigned nspecial(const struct lull_spv_insn *in)
{
    const bool chain = in->op == SpvOpAccessChain || in->op == SpvOpInBoundsAccessChain;
    return chain && in->n > 4 ? in->n - 4 : 2;
}

static struct change other_operation(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    uint32_t other = in->op == SpvOpExtInst ? 0 : lull_spv_other_op(in->op);
    if (other != 0) {
        return words(LULL_SPV_OTHER_OPERATION, 0, in->n << SHIFT | other);
    }
    if (in->op == SpvOpExtInst && imports(m, lull_spv_word(in, 3), "GLSL.std.450")) {
        other = lull_spv_other_glsl(lull_spv_word(in, 4));
    }
    return other != 0 ? words(LULL_SPV_OTHER_OPERATION, 4, other) : (struct change){0};
}

/** Change number @p which among those that there are. */
static struct change find(const struct lull_spv *m, const struct lull_spv_insn *in, unsigned which)
{
    struct change c = other_operation(m, in);
    if (c.kind != LULL_SPV_NO_CHANGE && which-- == 0) {
        return c;
    }
    for (unsigned i = 0; i < nspecial(in) && in->n <= MOST_WORDS; i++) {
        c = special(m, in, i);
        if (c.kind != LULL_SPV_NO_CHANGE && which-- == 0) {
            return c;
        }
    }
    const uint32_t first = first_value(in);
    const bool debug = in->op == SpvOpExtInst && !imports(m, lull_spv_word(in, 3), "GLSL.std.450");
    for (uint32_t i = first; first != 0 && !debug && i < in->n && in->n <= MOST_WORDS; i++) {
        i += i == mask_of(in) ? 1 : 0;
        for (unsigned variant = 0; variant < 2; variant++) {
            c = constant(m, in, i, variant);
            if (c.kind != LULL_SPV_NO_CHANGE && which-- == 0) {
                return c;
            }
        }
    }
    return (struct change){0};
}

/** Behind the constant that it is made of: the new one, and for a vector the vector of it. */
static void put_constant(const struct lull_spv *m, const struct change *c, struct lull_spv_buf *b)
{
    uint32_t w[MOST_CONSTANT] = {0};
    unsigned n = 0;
    const struct lull_spv_insn was = lull_spv_def(m, c->constant);
    const bool vector = was.op == SpvOpConstantComposite;
    if (!other_constant(m, vector ? was.w[3] : c->constant, c, w, &n)) {
        return; // find() had it.
    }
    w[2] = m->bound;
    lull_spv_buf_add(b, w, n);
    if (!vector) {
        return;
    }
    memcpy(w, was.w, was.n * sizeof *w);
    w[2] = m->bound + 1;
    for (uint32_t i = 3; i < was.n; i++) {
        w[i] = was.w[i] == was.w[3] ? m->bound : was.w[i];
    }
    lull_spv_buf_add(b, w, was.n);
}

static void put_changed(const struct lull_spv_insn *in, const struct change *c,
                        struct lull_spv_buf *b)
{
    const uint32_t nop = 1U << SHIFT | SpvOpNop;
    if (c->kind == LULL_SPV_LEFT_OUT) {
        bool typed = false;
        const bool result = lull_spv_has_result(in->op, &typed) && typed && in->n >= 3;
        if (result) {
            LULL_SPV_OP(b, SpvOpUndef, in->w[1], in->w[2]);
        }
        for (uint32_t i = result ? 3 : 0; i < in->n; i++) {
            lull_spv_buf_add(b, &nop, 1);
        }
        return;
    }
    const uint32_t first = (in->n + (c->longer ? 1 : 0)) << SHIFT | in->op;
    for (uint32_t i = 0; i < in->n + (c->longer ? 1 : 0); i++) {
        uint32_t word = i == 0 ? first : i < in->n ? in->w[i] : 0;
        for (unsigned k = 0; k < c->n; k++) {
            word = c->at[k] == i ? c->now[k] : word;
        }
        lull_spv_buf_add(b, &word, 1);
    }
}

struct lull_error *lull_spv_mutate(const struct lull_spv *m, const struct lull_spv_insn *in,
                                   unsigned which, struct lull_spv_buf *ret,
                                   enum lull_spv_change *ret_change)
{
    const struct change c = find(m, in, which);
    *ret = (struct lull_spv_buf){0};
    *ret_change = c.kind;
    if (c.kind == LULL_SPV_NO_CHANGE || m->bound > UINT32_MAX - 2) {
        *ret_change = LULL_SPV_NO_CHANGE;
        return NULL;
    }
    const struct lull_spv_insn was = lull_spv_def(m, c.constant);
    const size_t behind = c.constant != 0 ? was.at + was.n : in->at;
    lull_spv_buf_add(ret, m->words, behind);
    if (c.constant != 0) {
        put_constant(m, &c, ret);
        lull_spv_buf_add(ret, m->words + behind, in->at - behind);
    }
    put_changed(in, &c, ret);
    const size_t rest = in->at + in->n;
    lull_spv_buf_add(ret, m->words + rest, m->nwords - rest);
    if (ret->failed) {
        lull_spv_buf_free(ret);
        return &lull_enomem;
    }
    ret->w[HEADER_BOUND] = m->bound + 2;
    return NULL;
}
