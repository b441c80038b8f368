// SPDX-License-Identifier: MIT
// Values that go from lane to lane, word by word.
#include "front/llvm/lower_priv.h"

enum { WORD_BITS = 32, HALF_WAVE = 32, MAX_WORDS = 2, GFX10 = 10, GFX11 = 11 };

/** What becomes of a word. */
typedef LLVMValueRef on_word(const struct lull_fl *f, LLVMValueRef word, void *arg);

/** A number as words; @return how many. Narrower ones are zero-extended. */
static unsigned words_of(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef words[MAX_WORDS])
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (type == f->f16 || LLVMGetTypeKind(type) == LLVMBFloatTypeKind) {
        v = LLVMBuildBitCast(f->b, v, f->i16, "");
    } else if (type == f->f32) {
        v = LLVMBuildBitCast(f->b, v, f->i32, "");
    } else if (type == f->f64) {
        v = LLVMBuildBitCast(f->b, v, f->i64, "");
    }
    if (LLVMTypeOf(v) != f->i64) {
        words[0] = LLVMBuildIntCast2(f->b, v, f->i32, false, "");
        return 1;
    }
    words[0] = LLVMBuildTrunc(f->b, v, f->i32, "");
    v = LLVMBuildLShr(f->b, v, LLVMConstInt(f->i64, WORD_BITS, false), "");
    words[1] = LLVMBuildTrunc(f->b, v, f->i32, "");
    return 2;
}

static LLVMValueRef number_of(const struct lull_fl *f, LLVMValueRef words[MAX_WORDS], unsigned n,
                              LLVMTypeRef type)
{
    if (n == 1) {
        LLVMValueRef v = words[0];
        if (type == f->f32) {
            return LLVMBuildBitCast(f->b, v, type, "");
        }
        const bool whole = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
        v = LLVMBuildTrunc(f->b, v, whole ? type : f->i16, "");
        return whole ? v : LLVMBuildBitCast(f->b, v, type, "");
    }
    LLVMValueRef low = LLVMBuildZExt(f->b, words[0], f->i64, "");
    LLVMValueRef high = LLVMBuildZExt(f->b, words[1], f->i64, "");
    high = LLVMBuildShl(f->b, high, LLVMConstInt(f->i64, WORD_BITS, false), "");
    return LLVMBuildBitCast(f->b, LLVMBuildOr(f->b, low, high, ""), type, "");
}

/** Each word of each component. */
static LLVMValueRef each(const struct lull_fl *f, LLVMValueRef v, on_word *fn, void *arg)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef all = LLVMGetPoison(type), words[MAX_WORDS] = {0};
    for (unsigned i = 0; i < lull_fl_count(type); i++) {
        const unsigned n = words_of(f, lull_fl_part(f, v, i), words);
        for (unsigned k = 0; k < n; k++) {
            words[k] = fn(f, words[k], arg);
        }
        all = lull_fl_put(f, all, number_of(f, words, n, lull_fl_scalar_of(type)), i);
    }
    return all;
}

static LLVMValueRef first_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    (void)arg;
    return lull_fl_call(f, "llvm.amdgcn.readfirstlane", f->i32, &word, 1);
}

LLVMValueRef lull_fl_first(const struct lull_fl *f, LLVMValueRef v)
{
    return each(f, v, first_word, NULL);
}

static LLVMValueRef lane_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    LLVMValueRef args[2] = {word, arg};
    return lull_fl_call(f, "llvm.amdgcn.readlane", f->i32, args, 2);
}

LLVMValueRef lull_fl_lane_value(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef lane)
{
    return each(f, v, lane_word, lane);
}

static LLVMValueRef permute(const struct lull_fl *f, LLVMValueRef lane, LLVMValueRef word)
{
    LLVMValueRef args[2] = {LLVMBuildShl(f->b, lane, lull_fl_int(f, 2), ""), word};
    return lull_fl_call(f, "llvm.amdgcn.ds.bpermute", NULL, args, 2);
}

static LLVMValueRef filled(const struct lull_fl *f, LLVMValueRef word, LLVMValueRef inactive)
{
    LLVMValueRef args[2] = {word, inactive};
    return lull_fl_call(f, "llvm.amdgcn.set.inactive", f->i32, args, 2);
}

static LLVMValueRef whole_wave(const struct lull_fl *f, LLVMValueRef word)
{
    return lull_fl_call(f, "llvm.amdgcn.strict.wwm", f->i32, &word, 1);
}

/** A word that all lanes have, for code in which all lanes are on. LLVM 19 makes one register of
 * equal words there and elsewhere. It may join that with a variable's; then another register of
 * such code may be the same, and what lanes have that are off is lost. */
static LLVMValueRef apart(const struct lull_fl *f, LLVMValueRef word)
{
    return filled(f, word, word);
}

/** The lane's number, in such code. */
static LLVMValueRef whole_lane(const struct lull_fl *f)
{
    LLVMValueRef args[2] = {lull_fl_whole(f->i32, UINT32_MAX), apart(f, lull_fl_int(f, 0))};
    args[1] = lull_fl_call(f, "llvm.amdgcn.mbcnt.lo", NULL, args, 2);
    return f->wave == HALF_WAVE ? args[1] : lull_fl_call(f, "llvm.amdgcn.mbcnt.hi", NULL, args, 2);
}

/** ds_bpermute of gfx10 and gfx11 stays in a half of 64 lanes: the other half's come over
 * permlane64 first, for which all lanes are on. */
static LLVMValueRef shuffle_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    LLVMValueRef lane = arg;
    if (f->wave == HALF_WAVE || f->gfx != GFX11) { // of gfx10 only quads come here
        return permute(f, lane, word);
    }
    LLVMValueRef zero = lull_fl_int(f, 0);
    LLVMValueRef v = filled(f, word, zero), at = filled(f, lane, zero);
    LLVMValueRef swapped = lull_fl_call(f, "llvm.amdgcn.permlane64", f->i32, &v, 1);
    LLVMValueRef own = whole_wave(f, permute(f, at, v));
    LLVMValueRef other = whole_wave(f, permute(f, at, swapped));
    LLVMValueRef differ = LLVMBuildXor(f->b, lane, lull_fl_lane(f), "");
    differ = LLVMBuildAnd(f->b, differ, lull_fl_int(f, HALF_WAVE), "");
    differ = LLVMBuildICmp(f->b, LLVMIntNE, differ, zero, "");
    return LLVMBuildSelect(f->b, differ, other, own, "");
}

LLVMValueRef lull_fl_shuffle(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef lane)
{
    return each(f, v, shuffle_word, lane);
}

static LLVMValueRef swap_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    // Rows of 16: each lane's own number there, four bits a lane.
    static const uint32_t low = 0x76543210, high = 0xfedcba98;
    LLVMValueRef yes = LLVMConstInt(f->i1, 1, false), no = LLVMConstInt(f->i1, 0, false);
    const unsigned distance = *(const unsigned *)arg;
    if (f->gfx < GFX10) { // without row_xmask, permlanex16, permlane64
        return permute(f, LLVMBuildXor(f->b, whole_lane(f), lull_fl_int(f, distance), ""), word);
    }
    if (distance == HALF_WAVE) {
        return lull_fl_call(f, "llvm.amdgcn.permlane64", f->i32, &word, 1);
    }
    if (distance == 16) {
        LLVMValueRef args[6] = {word, word, lull_fl_int(f, low), lull_fl_int(f, high), yes, no};
        return lull_fl_call(f, "llvm.amdgcn.permlanex16", f->i32, args, 6);
    }
    enum { ROW_XMASK = 0x160, ALL = 0xf };
    LLVMValueRef args[6] = {
        LLVMGetPoison(f->i32), word, lull_fl_int(f, ROW_XMASK + distance), lull_fl_int(f, ALL),
        lull_fl_int(f, ALL),   no};
    return lull_fl_call(f, "llvm.amdgcn.update.dpp", f->i32, args, 6);
}

LLVMValueRef lull_fl_swap(const struct lull_fl *f, LLVMValueRef v, unsigned distance)
{
    return each(f, v, swap_word, &distance);
}

/** Two numbers, word by word. */
static LLVMValueRef both(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b,
                         LLVMValueRef (*fn)(const struct lull_fl *, LLVMValueRef, LLVMValueRef,
                                            unsigned),
                         unsigned arg)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef all = LLVMGetPoison(type), x[MAX_WORDS] = {0}, y[MAX_WORDS] = {0};
    for (unsigned i = 0; i < lull_fl_count(type); i++) {
        const unsigned n = words_of(f, lull_fl_part(f, a, i), x);
        (void)words_of(f, lull_fl_part(f, b, i), y);
        for (unsigned k = 0; k < n; k++) {
            x[k] = fn(f, x[k], y[k], arg);
        }
        all = lull_fl_put(f, all, number_of(f, x, n, lull_fl_scalar_of(type)), i);
    }
    return all;
}

static LLVMValueRef fill_word(const struct lull_fl *f, LLVMValueRef word, LLVMValueRef inactive,
                              unsigned arg)
{
    (void)arg;
    return filled(f, word, inactive);
}

LLVMValueRef lull_fl_fill(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef inactive)
{
    return both(f, v, inactive, fill_word, 0);
}

static LLVMValueRef dpp(const struct lull_fl *f, LLVMValueRef old, LLVMValueRef word,
                        uint32_t control, uint32_t rows)
{
    enum { ALL = 0xf };
    LLVMValueRef args[6] = {old,
                            word,
                            lull_fl_int(f, control),
                            lull_fl_int(f, rows),
                            lull_fl_int(f, ALL),
                            LLVMConstInt(f->i1, 0, false)};
    return lull_fl_call(f, "llvm.amdgcn.update.dpp", f->i32, args, 6);
}

/** From the lanes before: by 1, 2, 4, 8 in rows, then the sum of the row before, of the half. */
static LLVMValueRef before_word(const struct lull_fl *f, LLVMValueRef word, LLVMValueRef identity,
                                unsigned distance)
{
    enum { ROW_SHR = 0x110, SAME = 0xe4, ALL = 0xf, ODD_ROWS = 0xa, UPPER_ROWS = 0xc };
    enum { ROW_BCAST15 = 0x142, ROW_BCAST31 = 0x143 };
    identity = apart(f, identity);
    if (distance < 16) {
        return dpp(f, identity, word, ROW_SHR + distance, ALL);
    }
    if (f->gfx < GFX10) {
        return distance == 16 ? dpp(f, identity, word, ROW_BCAST15, ODD_ROWS)
                              : dpp(f, identity, word, ROW_BCAST31, UPPER_ROWS);
    }
    LLVMValueRef last = lull_fl_whole(f->i32, UINT32_MAX), from = NULL;
    if (distance == 16) {
        LLVMValueRef args[6] = {
            word, word, last, last, LLVMConstInt(f->i1, 1, false), LLVMConstInt(f->i1, 0, false)};
        from = lull_fl_call(f, "llvm.amdgcn.permlanex16", f->i32, args, 6);
    } else {
        LLVMValueRef args[2] = {word, lull_fl_int(f, HALF_WAVE - 1)};
        from = lull_fl_call(f, "llvm.amdgcn.readlane", f->i32, args, 2);
    }
    return dpp(f, identity, from, SAME, distance == 16 ? ODD_ROWS : UPPER_ROWS);
}

LLVMValueRef lull_fl_before(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef identity,
                            unsigned distance)
{
    return both(f, v, identity, before_word, distance);
}

static LLVMValueRef end_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    (void)arg;
    return whole_wave(f, word);
}

LLVMValueRef lull_fl_end_whole(const struct lull_fl *f, LLVMValueRef v)
{
    return each(f, v, end_word, NULL);
}

/** The lane before's, lane 0's is @p identity. */
static LLVMValueRef previous_word(const struct lull_fl *f, LLVMValueRef word, void *arg)
{
    (void)arg;
    LLVMValueRef lane = lull_fl_lane(f), one = lull_fl_int(f, 1);
    LLVMValueRef v = permute(f, LLVMBuildSub(f->b, whole_lane(f), one, ""), word);
    if (f->wave == HALF_WAVE) {
        return whole_wave(f, v);
    }
    LLVMValueRef args[2] = {word, lull_fl_int(f, HALF_WAVE - 1)};
    LLVMValueRef last = lull_fl_call(f, "llvm.amdgcn.readlane", f->i32, args, 2);
    v = whole_wave(f, v);
    last = whole_wave(f, last);
    LLVMValueRef at = LLVMBuildICmp(f->b, LLVMIntEQ, lane, lull_fl_int(f, HALF_WAVE), "");
    return LLVMBuildSelect(f->b, at, last, v, "");
}

LLVMValueRef lull_fl_previous(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef identity)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef moved = each(f, v, previous_word, NULL);
    LLVMValueRef zero = lull_fl_int(f, 0);
    LLVMValueRef at = LLVMBuildICmp(f->b, LLVMIntEQ, lull_fl_lane(f), zero, "");
    return LLVMBuildSelect(f->b, lull_fl_splat(f, at, lull_fl_count(type)), identity, moved, "");
}

struct lull_error *lull_fl_check_reach(const struct lull_fl *f, unsigned lanes)
{
    return f->gfx == GFX10 && lanes > HALF_WAVE
               ? lull_fl_refuse(f, "over 64 lanes; gfx10 has no instruction for that")
               : NULL;
}
