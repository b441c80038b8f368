// SPDX-License-Identifier: MIT
// GLSL.std.450, but for what alu.tsv has. Floats of 16 bits are computed in 32 where formulas are
// long.
#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.h>

#include "front/llvm/lower_priv.h"

enum { FIRST = 5, MAX_OPERANDS = 3 };

static const double PI = 3.14159265358979323846, LOG2_E = 1.44269504088896340736,
                    LN_2 = 0.69314718055994530942;

static LLVMValueRef real(LLVMValueRef like, double v)
{
    return lull_fl_float(LLVMTypeOf(like), v);
}

static LLVMValueRef call1(const struct lull_fl *f, const char *name, LLVMValueRef v)
{
    return lull_fl_call(f, name, LLVMTypeOf(v), &v, 1);
}

static LLVMValueRef call2(const struct lull_fl *f, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};
    return lull_fl_call(f, name, LLVMTypeOf(a), args, 2);
}

static LLVMValueRef mul(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    return lull_fl_contract(f, LLVMBuildFMul(f->b, a, b, ""));
}

static LLVMValueRef sub(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    return lull_fl_contract(f, LLVMBuildFSub(f->b, a, b, ""));
}

static LLVMValueRef less(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildFCmp(f->b, LLVMRealOLT, a, b, "");
}

static LLVMValueRef pick(const struct lull_fl *f, LLVMValueRef c, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(f->b, c, a, b, "");
}

/** v between low and high. */
static LLVMValueRef clamp(const struct lull_fl *f, LLVMValueRef v, LLVMValueRef low,
                          LLVMValueRef high)
{
    return call2(f, "llvm.minnum", call2(f, "llvm.maxnum", v, low), high);
}

static LLVMValueRef exponential(const struct lull_fl *f, LLVMValueRef x)
{
    return call1(f, "llvm.exp2", mul(f, x, real(x, LOG2_E)));
}

static LLVMValueRef logarithm(const struct lull_fl *f, LLVMValueRef x)
{
    return mul(f, call1(f, "llvm.log2", x), real(x, LN_2));
}

/** Arc tangent of 0 to 1. Source: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 4.4.49: off by at most 2e-8. */
static LLVMValueRef arc(const struct lull_fl *f, LLVMValueRef x)
{
    static const double a[] = {0.0028662257,  -0.0161657367, 0.0429096138,
                               -0.0752896400, 0.1065626393,  -0.1420889944,
                               0.1999355085,  -0.3333314528, 1.0};
    LLVMValueRef square = mul(f, x, x), sum = real(x, a[0]);
    for (unsigned i = 1; i < sizeof a / sizeof a[0]; i++) {
        sum = lull_fl_mad(f, sum, square, real(x, a[i]));
    }
    return mul(f, sum, x);
}

static LLVMValueRef arc_tangent2(const struct lull_fl *f, LLVMValueRef y, LLVMValueRef x)
{
    LLVMValueRef ax = call1(f, "llvm.fabs", x), ay = call1(f, "llvm.fabs", y), none = real(x, 0);
    LLVMValueRef high = call2(f, "llvm.maxnum", ax, ay), low = call2(f, "llvm.minnum", ax, ay);
    LLVMValueRef at_zero = LLVMBuildFCmp(f->b, LLVMRealOEQ, high, none, "");
    LLVMValueRef ratio = lull_fl_divide(f, low, pick(f, at_zero, real(x, 1), high));
    LLVMValueRef v = arc(f, pick(f, LLVMBuildFCmp(f->b, LLVMRealOEQ, low, high, ""),
                                 pick(f, at_zero, none, real(x, 1)), ratio));
    v = pick(f, less(f, ax, ay), sub(f, real(x, PI / 2), v), v);
    v = pick(f, less(f, x, none), sub(f, real(x, PI), v), v);
    return call2(f, "llvm.copysign", v, y);
}

/** sqrt(1 - x * x) */
static LLVMValueRef other_leg(const struct lull_fl *f, LLVMValueRef x)
{
    LLVMValueRef one = real(x, 1);
    LLVMValueRef product = mul(f, sub(f, one, x), LLVMBuildFAdd(f->b, one, x, ""));
    return lull_fl_root(f, product);
}

/** Hyperbolic functions. */
static LLVMValueRef hyperbolic(const struct lull_fl *f, uint32_t op, LLVMValueRef x)
{
    // Behind 20 the tangent is 1 in 32 bits, and e^x would become infinite later.
    LLVMValueRef v = op == GLSLstd450Tanh ? clamp(f, x, real(x, -20), real(x, 20)) : x;
    LLVMValueRef up = exponential(f, v), down = exponential(f, LLVMBuildFNeg(f->b, v, ""));
    LLVMValueRef sum = LLVMBuildFAdd(f->b, up, down, ""), difference = sub(f, up, down);
    return op == GLSLstd450Sinh   ? mul(f, difference, real(x, 0.5))
           : op == GLSLstd450Cosh ? mul(f, sum, real(x, 0.5))
                                  : lull_fl_divide(f, difference, sum);
}

static LLVMValueRef area(const struct lull_fl *f, uint32_t op, LLVMValueRef x)
{
    LLVMValueRef one = real(x, 1), a = call1(f, "llvm.fabs", x), v = NULL;
    if (op == GLSLstd450Atanh) {
        v = lull_fl_divide(f, LLVMBuildFAdd(f->b, one, x, ""), sub(f, one, x));
        return mul(f, logarithm(f, v), real(x, 0.5));
    }
    v = lull_fl_mad(f, a, a, op == GLSLstd450Asinh ? one : real(x, -1));
    v = logarithm(f, LLVMBuildFAdd(f->b, a, lull_fl_root(f, v), ""));
    return op == GLSLstd450Asinh ? call2(f, "llvm.copysign", v, x) : v;
}

/** Transcendental functions of one number. */
static LLVMValueRef transcendental(const struct lull_fl *f, uint32_t op, LLVMValueRef x)
{
    switch (op) {
    case GLSLstd450Exp:
        return exponential(f, x);
    case GLSLstd450Log:
        return logarithm(f, x);
    case GLSLstd450Tan:
        return lull_fl_divide(f, call1(f, "llvm.sin", x), call1(f, "llvm.cos", x));
    case GLSLstd450Atan:
        return arc_tangent2(f, x, real(x, 1));
    case GLSLstd450Asin:
        return arc_tangent2(f, x, other_leg(f, x));
    case GLSLstd450Acos:
        return arc_tangent2(f, other_leg(f, x), x);
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
    case GLSLstd450Tanh:
        return hyperbolic(f, op, x);
    case GLSLstd450Asinh:
    case GLSLstd450Acosh:
    case GLSLstd450Atanh:
        return area(f, op, x);
    default:
        return NULL;
    }
}

static LLVMValueRef sign_of(const struct lull_fl *f, LLVMValueRef x)
{
    LLVMValueRef none = real(x, 0);
    LLVMValueRef below = pick(f, less(f, x, none), real(x, -1), none);
    return pick(f, less(f, none, x), real(x, 1), below);
}

/** Functions of floats, part by part. NULL: it is none of these. */
static LLVMValueRef floats(const struct lull_fl *f, uint32_t op, LLVMValueRef *v)
{
    LLVMValueRef t = NULL;
    switch (op) {
    case GLSLstd450FSign:
        return sign_of(f, v[0]);
    case GLSLstd450Radians:
        return mul(f, v[0], real(v[0], PI / 180));
    case GLSLstd450Degrees:
        return mul(f, v[0], real(v[0], 180 / PI));
    case GLSLstd450Sqrt:
        return lull_fl_root(f, v[0]);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return clamp(f, v[0], v[1], v[2]);
    case GLSLstd450FMix:
        t = mul(f, v[0], sub(f, real(v[2], 1), v[2]));
        return lull_fl_mad(f, v[1], v[2], t);
    case GLSLstd450Step:
        return pick(f, less(f, v[1], v[0]), real(v[0], 0), real(v[0], 1));
    case GLSLstd450SmoothStep:
        t = lull_fl_divide(f, sub(f, v[2], v[0]), sub(f, v[1], v[0]));
        t = clamp(f, t, real(t, 0), real(t, 1));
        return mul(f, mul(f, t, t), lull_fl_mad(f, t, real(t, -2), real(t, 3)));
    default:
        return NULL;
    }
}

/** The bit of the first one, counted from the lowest; -1 if there is none. */
static LLVMValueRef find_bit(const struct lull_fl *f, uint32_t op, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef may = LLVMConstInt(f->i1, 0, false);
    if (op == GLSLstd450FindSMsb) {
        LLVMValueRef sign = LLVMBuildAShr(f->b, x, lull_fl_whole(type, 31), "");
        x = LLVMBuildXor(f->b, x, sign, "");
    }
    LLVMValueRef args[2] = {x, may};
    LLVMValueRef at =
        lull_fl_call(f, op == GLSLstd450FindILsb ? "llvm.cttz" : "llvm.ctlz", type, args, 2);
    if (op != GLSLstd450FindILsb) {
        at = LLVMBuildSub(f->b, lull_fl_whole(type, 31), at, "");
    }
    LLVMValueRef none = LLVMBuildICmp(f->b, LLVMIntEQ, x, LLVMConstNull(type), "");
    return pick(f, none, LLVMConstAllOnes(type), at);
}

static LLVMValueRef integers(const struct lull_fl *f, uint32_t op, LLVMValueRef *v)
{
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    LLVMValueRef none = LLVMConstNull(type), args[2] = {v[0], LLVMConstInt(f->i1, 0, false)};
    switch (op) {
    case GLSLstd450SAbs:
        return lull_fl_call(f, "llvm.abs", type, args, 2);
    case GLSLstd450SSign:
        args[0] = LLVMBuildICmp(f->b, LLVMIntSLT, v[0], none, "");
        args[0] = pick(f, args[0], LLVMConstAllOnes(type), none);
        return pick(f, LLVMBuildICmp(f->b, LLVMIntSGT, v[0], none, ""), lull_fl_whole(type, 1),
                    args[0]);
    case GLSLstd450SClamp:
        return call2(f, "llvm.smin", call2(f, "llvm.smax", v[0], v[1]), v[2]);
    case GLSLstd450UClamp:
        return call2(f, "llvm.umin", call2(f, "llvm.umax", v[0], v[1]), v[2]);
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
        return LLVMGetIntTypeWidth(lull_fl_scalar_of(type)) == 32 ? find_bit(f, op, v[0]) : NULL;
    default:
        return NULL;
    }
}

static LLVMValueRef length(const struct lull_fl *f, LLVMValueRef v)
{
    return lull_fl_root(f, lull_fl_dot(f, v, v));
}

static LLVMValueRef cross(const struct lull_fl *f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(a));
    for (unsigned i = 0; i < 3; i++) {
        const unsigned j = (i + 1) % 3, k = (i + 2) % 3;
        LLVMValueRef less_part = mul(f, lull_fl_part(f, a, k), lull_fl_part(f, b, j));
        LLVMValueRef one = mul(f, lull_fl_part(f, a, j), lull_fl_part(f, b, k));
        all = lull_fl_put(f, all, sub(f, one, less_part), i);
    }
    return all;
}

static LLVMValueRef refract(const struct lull_fl *f, LLVMValueRef i, LLVMValueRef n, LLVMValueRef e)
{
    const unsigned count = lull_fl_count(LLVMTypeOf(i));
    LLVMValueRef d = lull_fl_dot(f, n, i), one = real(e, 1);
    LLVMValueRef k = sub(f, one, mul(f, mul(f, e, e), sub(f, one, mul(f, d, d))));
    LLVMValueRef root = lull_fl_root(f, call2(f, "llvm.maxnum", k, real(k, 0)));
    LLVMValueRef of_n = lull_fl_splat(f, lull_fl_mad(f, e, d, root), count);
    LLVMValueRef v = sub(f, mul(f, lull_fl_splat(f, e, count), i), mul(f, of_n, n));
    LLVMValueRef total = lull_fl_splat(f, less(f, k, real(k, 0)), count);
    return pick(f, total, LLVMConstNull(LLVMTypeOf(i)), v);
}

/** Functions of whole vectors. */
static LLVMValueRef vectors(const struct lull_fl *f, uint32_t op, LLVMValueRef *v)
{
    const unsigned n = lull_fl_count(LLVMTypeOf(v[0]));
    LLVMValueRef t = NULL;
    switch (op) {
    case GLSLstd450Length:
        return length(f, v[0]);
    case GLSLstd450Distance:
        return length(f, sub(f, v[0], v[1]));
    case GLSLstd450Normalize:
        t = lull_fl_dot(f, v[0], v[0]);
        return mul(f, v[0], lull_fl_splat(f, call1(f, "llvm.amdgcn.rsq", t), n));
    case GLSLstd450Cross:
        return n == 3 ? cross(f, v[0], v[1]) : NULL;
    case GLSLstd450FaceForward:
        t = lull_fl_dot(f, v[2], v[1]);
        t = lull_fl_splat(f, less(f, t, real(t, 0)), n);
        return pick(f, t, v[0], LLVMBuildFNeg(f->b, v[0], ""));
    case GLSLstd450Reflect:
        t = lull_fl_dot(f, v[1], v[0]);
        t = mul(f, t, real(t, 2));
        return sub(f, v[0], mul(f, lull_fl_splat(f, t, n), v[1]));
    case GLSLstd450Refract:
        return refract(f, v[0], v[1], v[2]);
    default:
        return NULL;
    }
}

/** How many operands, of which kind: '\0' of those that are elsewhere. */
static char operands_of(uint32_t op, unsigned *ret_n)
{
    const char *operands = lull_spv_glsl_op(op)->operands;
    unsigned n = 0;
    for (const char *l = operands; *l != '\0'; l++) {
        n += *l == 'I';
    }
    *ret_n = n;
    switch (op) {
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450SClamp:
    case GLSLstd450UClamp:
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
        return 'i';
    default:
        return 'f';
    }
}

/** Operands, which are of one type but for the last of OpRefract. */
LULL_MUST_USE static struct lull_error *get_operands(struct lull_fl *f, uint32_t op, char kind,
                                                     unsigned n, LLVMValueRef *v)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < n && err == NULL; i++) {
        err = lull_fl_get_kind(f, lull_spv_word(f->in, FIRST + i), kind, &v[i]);
        LLVMTypeRef want = err == NULL ? LLVMTypeOf(v[0]) : NULL;
        if (op == GLSLstd450Refract && i == 2 && err == NULL) {
            want = lull_fl_scalar_of(want);
        }
        if (err == NULL && LLVMTypeOf(v[i]) != want) {
            err = lull_fl_bad(f, "operands of different types");
        }
    }
    return err;
}

static bool is_short(const struct lull_fl *f, LLVMValueRef v)
{
    return lull_fl_scalar_of(LLVMTypeOf(v)) == f->f16;
}

LULL_MUST_USE static struct lull_error *numbers(struct lull_fl *f, uint32_t op, LLVMValueRef *ret)
{
    LLVMValueRef v[MAX_OPERANDS] = {0};
    unsigned n = 0;
    const char kind = operands_of(op, &n);
    const char *name = lull_spv_glsl_op(op)->name;
    struct lull_error *err =
        n > MAX_OPERANDS ? lull_fl_refuse(f, "%s", name) : get_operands(f, op, kind, n, v);
    if (err != NULL) {
        return err;
    }
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    const bool small = kind == 'f' && is_short(f, v[0]);
    const bool large = kind == 'f' && lull_fl_scalar_of(type) == f->f64;
    for (unsigned i = 0; small && i < n; i++) {
        v[i] = LLVMBuildFPExt(f->b, v[i], lull_fl_like(LLVMTypeOf(v[i]), f->f32), "");
    }
    if (kind == 'i') {
        *ret = integers(f, op, v);
    } else {
        *ret = floats(f, op, v);
        *ret = *ret != NULL ? *ret : vectors(f, op, v);
        if (*ret == NULL && !large) {
            *ret =
                op == GLSLstd450Atan2 ? arc_tangent2(f, v[0], v[1]) : transcendental(f, op, v[0]);
        }
    }
    if (*ret != NULL && small) {
        *ret = LLVMBuildFPTrunc(f->b, *ret, lull_fl_like(LLVMTypeOf(*ret), f->f16), "");
    }
    return *ret != NULL ? NULL : lull_fl_refuse(f, "%s is not supported", name);
}

struct lull_error *lull_fl_glsl(struct lull_fl *f, LLVMValueRef *ret, bool *ret_known)
{
    *ret_known = f->in->op == SpvOpExtInst;
    if (!*ret_known) {
        return NULL;
    }
    const uint32_t op = f->in->w[4];
    if (lull_spv_glsl_op(op) == NULL) {
        return lull_fl_bad(f, "instruction %u of GLSL.std.450", op);
    }
    struct lull_error *err = lull_fl_pack(f, op, ret, ret_known);
    if (err == NULL && !*ret_known) {
        err = lull_fl_parts(f, op, ret, ret_known);
    }
    if (err == NULL && !*ret_known) {
        *ret_known = true;
        err = numbers(f, op, ret);
    }
    return err;
}
