// SPDX-License-Identifier: MIT
// What lanes of a subgroup say to each other: those that are here.
#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"
#include "front/eval/priv.h"

enum { WORD_BITS = 32, BALLOT_WORDS = 4, GROUP_OPERATION = 4, QUAD = 4 };

/** The lanes of one subgroup that are here. */
struct wave {
    const uint32_t *lanes;
    uint32_t n, size;
};

/** Operands and the result of one instruction. */
struct work {
    struct lull_ev_operand value, other, result; ///< other: lane, mask, distance.
    uint64_t *ret;
    uint32_t op;
    uint32_t how;     ///< SpvGroupOperation.
    uint32_t cluster; ///< Lanes of a cluster; 0: all.
};

static const uint64_t *value_of(const struct work *k, uint32_t lane)
{
    return lull_ev_of(&k->value, lane);
}

static bool bit(const uint64_t *ballot, uint32_t i)
{
    return i < WORD_BITS * BALLOT_WORDS && (ballot[i / WORD_BITS] >> i % WORD_BITS & 1) != 0;
}

/** The lane with this number, if it is here; else NULL. */
static const uint32_t *find(const struct wave *w, uint64_t number)
{
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->lanes[i] % w->size == number) {
            return &w->lanes[i];
        }
    }
    return NULL;
}

/** Two numbers of a reduction. */
static uint64_t join(uint32_t op, const struct lull_fr_type *t, uint64_t a, uint64_t b)
{
    const int64_t x = lull_fr_extend(t, a), y = lull_fr_extend(t, b);
    switch (op) {
    case SpvOpGroupNonUniformIAdd:
        return a + b;
    case SpvOpGroupNonUniformFAdd:
        return lull_ev_add(t, a, b);
    case SpvOpGroupNonUniformIMul:
        return a * b;
    case SpvOpGroupNonUniformFMul:
        return lull_ev_multiply(t, a, b);
    case SpvOpGroupNonUniformSMin:
        return x < y ? a : b;
    case SpvOpGroupNonUniformUMin:
        return a < b ? a : b;
    case SpvOpGroupNonUniformFMin:
        return lull_ev_bits(t, fmin(lull_ev_float(t, a), lull_ev_float(t, b)));
    case SpvOpGroupNonUniformSMax:
        return x > y ? a : b;
    case SpvOpGroupNonUniformUMax:
        return a > b ? a : b;
    case SpvOpGroupNonUniformFMax:
        return lull_ev_bits(t, fmax(lull_ev_float(t, a), lull_ev_float(t, b)));
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformLogicalAnd:
        return a & b;
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformLogicalOr:
        return a | b;
    default: // OpGroupNonUniformBitwiseXor, OpGroupNonUniformLogicalXor
        return a ^ b;
    }
}

/** What nothing gives. */
static uint64_t identity(uint32_t op, const struct lull_fr_type *t)
{
    const uint64_t top = t->kind == LULL_FR_INT ? UINT64_C(1) << (t->bits - 1) : 0;
    switch (op) {
    case SpvOpGroupNonUniformIMul:
        return 1;
    case SpvOpGroupNonUniformFMul:
        return lull_ev_bits(t, 1);
    case SpvOpGroupNonUniformSMin:
        return top - 1;
    case SpvOpGroupNonUniformSMax:
        return top;
    case SpvOpGroupNonUniformFMin:
        return lull_ev_bits(t, INFINITY);
    case SpvOpGroupNonUniformFMax:
        return lull_ev_bits(t, -INFINITY);
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformLogicalAnd:
        return lull_ev_cut(t, UINT64_MAX);
    default:
        return 0;
    }
}

/** One lane's sum, or product, or whatever, of component @p c. */
static uint64_t reduce(const struct work *k, const struct wave *w, uint32_t lane, size_t c)
{
    const struct lull_fr_type *t = lull_fr_scalar(k->result.type);
    uint64_t sum = identity(k->op, t);
    bool any = false;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t from = w->lanes[i];
        const bool in = k->how == SpvGroupOperationInclusiveScan   ? from <= lane
                        : k->how == SpvGroupOperationExclusiveScan ? from < lane
                        : k->cluster != 0 ? from / k->cluster == lane / k->cluster
                                          : true;
        if (in) {
            const uint64_t v = value_of(k, from)[c];
            sum = lull_ev_cut(t, any ? join(k->op, t, sum, v) : v);
            any = true;
        }
    }
    return sum;
}

static bool reduces(uint32_t op)
{
    return op >= SpvOpGroupNonUniformIAdd && op <= SpvOpGroupNonUniformLogicalXor;
}

/** The lane whose value a lane gets; where it is not here, its own. */
static uint32_t source(const struct work *k, const struct wave *w, uint32_t lane)
{
    const uint64_t own = lane % w->size, v = *lull_ev_of(&k->other, lane);
    uint64_t from = own;
    switch (k->op) {
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
        from = v;
        break;
    case SpvOpGroupNonUniformShuffleXor:
        from = own ^ v;
        break;
    case SpvOpGroupNonUniformShuffleUp:
        from = own - v;
        break;
    case SpvOpGroupNonUniformShuffleDown:
        from = own + v;
        break;
    case SpvOpGroupNonUniformQuadBroadcast:
        from = own - own % QUAD + v % QUAD;
        break;
    default: // OpGroupNonUniformQuadSwap: horizontal, vertical, diagonal
        from = own ^ (v % QUAD + 1);
        break;
    }
    const uint32_t *found = find(w, from);
    return found != NULL ? *found : lane;
}

/** OpGroupNonUniformBallotBitCount, FindLSB, FindMSB, of one lane. */
static uint64_t count(const struct work *k, uint32_t size, uint32_t lane)
{
    const uint64_t *ballot = value_of(k, lane);
    const uint32_t own = lane % size;
    uint64_t n = 0, first = UINT32_MAX, last = UINT32_MAX;
    for (uint32_t i = 0; i < size; i++) {
        if (!bit(ballot, i)) {
            continue;
        }
        first = first == UINT32_MAX ? i : first;
        last = i;
        n += k->how == SpvGroupOperationInclusiveScan   ? i <= own
             : k->how == SpvGroupOperationExclusiveScan ? i < own
                                                        : 1;
    }
    return k->op == SpvOpGroupNonUniformBallotFindLSB   ? first
           : k->op == SpvOpGroupNonUniformBallotFindMSB ? last
                                                        : n;
}

/** What all lanes that are here say together, or of each other. */
static void vote(const struct work *k, const struct wave *w, uint64_t ret[BALLOT_WORDS])
{
    bool all = true, any = false, equal = true;
    memset(ret, 0, BALLOT_WORDS * sizeof *ret);
    for (uint32_t i = 0; i < w->n; i++) {
        const uint64_t *v = value_of(k, w->lanes[i]);
        const uint32_t own = w->lanes[i] % w->size;
        all &= *v != 0;
        any |= *v != 0;
        equal &= memcmp(v, value_of(k, w->lanes[0]), k->value.words * sizeof *v) == 0;
        ret[own / WORD_BITS] |= (uint64_t)(*v != 0) << own % WORD_BITS;
    }
    if (k->op != SpvOpGroupNonUniformBallot) {
        ret[0] = k->op == SpvOpGroupNonUniformAll   ? all
                 : k->op == SpvOpGroupNonUniformAny ? any
                                                    : equal;
    }
}

/** One subgroup's lanes. */
static void one(const struct work *k, const struct wave *w)
{
    uint64_t said[BALLOT_WORDS] = {0};
    const size_t n = k->result.words;
    if (k->op == SpvOpGroupNonUniformAll || k->op == SpvOpGroupNonUniformAny ||
        k->op == SpvOpGroupNonUniformAllEqual || k->op == SpvOpGroupNonUniformBallot) {
        vote(k, w, said);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t lane = w->lanes[i];
        uint64_t *ret = k->ret + n * lane;
        switch (k->op) {
        case SpvOpGroupNonUniformElect:
            ret[0] = i == 0;
            break;
        case SpvOpGroupNonUniformAll:
        case SpvOpGroupNonUniformAny:
        case SpvOpGroupNonUniformAllEqual:
        case SpvOpGroupNonUniformBallot:
            memcpy(ret, said, n * sizeof *ret);
            break;
        case SpvOpGroupNonUniformBroadcastFirst:
            memcpy(ret, value_of(k, w->lanes[0]), n * sizeof *ret);
            break;
        case SpvOpGroupNonUniformInverseBallot:
            ret[0] = bit(value_of(k, lane), lane % w->size);
            break;
        case SpvOpGroupNonUniformBallotBitExtract:
            ret[0] = bit(value_of(k, lane), (uint32_t)*lull_ev_of(&k->other, lane));
            break;
        case SpvOpGroupNonUniformBallotBitCount:
        case SpvOpGroupNonUniformBallotFindLSB:
        case SpvOpGroupNonUniformBallotFindMSB:
            ret[0] = count(k, w->size, lane);
            break;
        default:
            for (size_t c = 0; reduces(k->op) && c < n; c++) {
                ret[c] = reduce(k, w, lane, c);
            }
            if (!reduces(k->op)) {
                memcpy(ret, value_of(k, source(k, w, lane)), n * sizeof *ret);
            }
            break;
        }
    }
}

/** Does it make a value of the same type as that of its operand? */
static bool keeps_type(uint32_t op)
{
    return reduces(op) || op == SpvOpGroupNonUniformBroadcast ||
           op == SpvOpGroupNonUniformBroadcastFirst ||
           (op >= SpvOpGroupNonUniformShuffle && op <= SpvOpGroupNonUniformShuffleDown) ||
           op == SpvOpGroupNonUniformQuadBroadcast || op == SpvOpGroupNonUniformQuadSwap;
}

static bool takes_ballot(uint32_t op)
{
    return op == SpvOpGroupNonUniformInverseBallot ||
           (op >= SpvOpGroupNonUniformBallotBitExtract && op <= SpvOpGroupNonUniformBallotFindMSB);
}

/** The operands behind the scope. */
LULL_MUST_USE static struct lull_error *read(struct lull_ev *ev, struct work *k)
{
    const uint32_t op = ev->in->op;
    const bool grouped = reduces(op) || op == SpvOpGroupNonUniformBallotBitCount;
    uint32_t at = grouped ? GROUP_OPERATION + 1 : GROUP_OPERATION;
    struct lull_ev_operand cluster = {0};
    struct lull_error *err = NULL;
    k->op = op;
    k->how = grouped ? ev->in->w[GROUP_OPERATION] : SpvGroupOperationReduce;
    if (op != SpvOpGroupNonUniformElect) {
        err = lull_ev_get(ev, ev->in->w[at++], &k->value);
    }
    if (err == NULL && at < ev->in->n && !grouped) {
        err = lull_ev_get_kind(ev, ev->in->w[at], 'i', &k->other);
    } else if (err == NULL && reduces(op) && k->how == SpvGroupOperationClusteredReduce) {
        err = at < ev->in->n ? lull_ev_get_kind(ev, ev->in->w[at], 'i', &cluster)
                             : lull_ev_bad(ev, "no size of a cluster");
        k->cluster = err == NULL ? (uint32_t)*cluster.v : 0;
    }
    if (err == NULL && k->how > SpvGroupOperationClusteredReduce) {
        err = lull_ev_refuse(ev, "a group operation that is not known");
    }
    return err != NULL ? err : lull_ev_result(ev, &k->result, &k->ret);
}

/** Does it fit together? */
LULL_MUST_USE static struct lull_error *check(struct lull_ev *ev, const struct work *k)
{
    const char kind = lull_fr_is_plain(k->result.type) ? lull_ev_kind(k->result.type) : 0;
    const bool ballot = k->op == SpvOpGroupNonUniformBallot;
    const bool counts =
        k->op >= SpvOpGroupNonUniformBallotBitCount && k->op <= SpvOpGroupNonUniformBallotFindMSB;
    const bool has_other =
        k->op == SpvOpGroupNonUniformBroadcast || k->op == SpvOpGroupNonUniformBallotBitExtract ||
        (k->op >= SpvOpGroupNonUniformShuffle && k->op <= SpvOpGroupNonUniformShuffleDown) ||
        k->op == SpvOpGroupNonUniformQuadBroadcast || k->op == SpvOpGroupNonUniformQuadSwap;
    const bool ok = kind != 0 && (!keeps_type(k->op) || k->value.type == k->result.type) &&
                    (!takes_ballot(k->op) || k->value.words == BALLOT_WORDS) &&
                    (!ballot || k->result.words == BALLOT_WORDS) &&
                    (keeps_type(k->op) || ballot || k->result.words == 1) &&
                    (!counts || kind == 'i') && (!has_other || k->other.v != NULL) &&
                    (k->value.type == NULL || lull_fr_is_plain(k->value.type));
    const bool floats = k->op == SpvOpGroupNonUniformFAdd || k->op == SpvOpGroupNonUniformFMul ||
                        k->op == SpvOpGroupNonUniformFMin || k->op == SpvOpGroupNonUniformFMax;
    const bool truth = k->op >= SpvOpGroupNonUniformLogicalAnd;
    const bool fits = !reduces(k->op) || kind == (floats ? 'f' : truth ? 'b' : 'i');
    return ok && fits ? NULL : lull_ev_bad(ev, "operands of other types than it takes");
}

struct lull_error *lull_ev_subgroup(struct lull_ev *ev, bool *ret_known)
{
    const uint32_t op = ev->in->op;
    struct work k = {0};
    *ret_known = (op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformQuadSwap);
    if (!*ret_known) {
        return NULL;
    }
    struct lull_error *err = read(ev, &k);
    err = err != NULL ? err : check(ev, &k);
    for (uint32_t i = 0; err == NULL && i < ev->n;) {
        struct wave w = {.lanes = ev->lanes + i, .size = ev->d.wave};
        while (i < ev->n && ev->lanes[i] / w.size == w.lanes[0] / w.size) {
            i++;
            w.n++;
        }
        one(&k, &w);
    }
    return err;
}
