// SPDX-License-Identifier: MIT
// Integers of any width, and floats as bits.
#include <math.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "front/arith.h"

enum { HALF_BITS = 16, WORD_BITS = 32, BRAIN_NAN = 0x7fc0 };

int64_t lull_fr_extend(const struct lull_fr_type *t, uint64_t bits)
{
    const unsigned up = t->bits != 0 && t->bits < 64 ? 64 - t->bits : 0;
    return (int64_t)(bits << up) >> up;
}

/** Signed division that does not trap: what is not defined is 0. */
static uint64_t divide(uint32_t op, int64_t a, int64_t b)
{
    if (b == 0 || (b == -1 && a == INT64_MIN)) {
        return 0;
    }
    switch (op) {
    case SpvOpSDiv:
        return (uint64_t)(a / b);
    case SpvOpSRem:
        return (uint64_t)(a % b);
    default: // OpSMod: the sign of b
        return (uint64_t)(a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b);
    }
}

bool lull_fr_integers(uint32_t op, const struct lull_fr_type *t, const uint64_t v[], uint64_t *ret)
{
    const unsigned mask = t->bits - 1;
    switch (op) {
    case SpvOpIAdd:
        *ret = v[0] + v[1];
        return true;
    case SpvOpISub:
        *ret = v[0] - v[1];
        return true;
    case SpvOpIMul:
        *ret = v[0] * v[1];
        return true;
    case SpvOpUDiv:
        *ret = v[1] != 0 ? v[0] / v[1] : 0;
        return true;
    case SpvOpUMod:
        *ret = v[1] != 0 ? v[0] % v[1] : 0;
        return true;
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        *ret = divide(op, lull_fr_extend(t, v[0]), lull_fr_extend(t, v[1]));
        return true;
    case SpvOpShiftLeftLogical:
        *ret = v[0] << (v[1] & mask);
        return true;
    case SpvOpShiftRightLogical:
        *ret = v[0] >> (v[1] & mask);
        return true;
    case SpvOpShiftRightArithmetic:
        *ret = (uint64_t)(lull_fr_extend(t, v[0]) >> (v[1] & mask));
        return true;
    case SpvOpBitwiseAnd:
        *ret = v[0] & v[1];
        return true;
    case SpvOpBitwiseOr:
        *ret = v[0] | v[1];
        return true;
    case SpvOpBitwiseXor:
        *ret = v[0] ^ v[1];
        return true;
    default:
        return false;
    }
}

bool lull_fr_compare(uint32_t op, const struct lull_fr_type *t, const uint64_t v[], uint64_t *ret)
{
    const int64_t a = lull_fr_extend(t, v[0]), b = lull_fr_extend(t, v[1]);
    switch (op) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        *ret = v[0] == v[1];
        return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        *ret = v[0] != v[1];
        return true;
    case SpvOpULessThan:
        *ret = v[0] < v[1];
        return true;
    case SpvOpULessThanEqual:
        *ret = v[0] <= v[1];
        return true;
    case SpvOpUGreaterThan:
        *ret = v[0] > v[1];
        return true;
    case SpvOpUGreaterThanEqual:
        *ret = v[0] >= v[1];
        return true;
    case SpvOpSLessThan:
        *ret = a < b;
        return true;
    case SpvOpSLessThanEqual:
        *ret = a <= b;
        return true;
    case SpvOpSGreaterThan:
        *ret = a > b;
        return true;
    case SpvOpSGreaterThanEqual:
        *ret = a >= b;
        return true;
    case SpvOpLogicalOr:
        *ret = v[0] | v[1];
        return true;
    case SpvOpLogicalAnd:
        *ret = v[0] & v[1];
        return true;
    default:
        return false;
    }
}

bool lull_fr_integer(uint32_t op, const struct lull_fr_type *t, uint64_t v, uint64_t *ret)
{
    switch (op) {
    case SpvOpSConvert:
        *ret = (uint64_t)lull_fr_extend(t, v);
        return true;
    case SpvOpUConvert:
        *ret = v;
        return true;
    case SpvOpSNegate:
        *ret = -v;
        return true;
    case SpvOpNot:
        *ret = ~v;
        return true;
    case SpvOpLogicalNot:
        *ret = !v;
        return true;
    default:
        return false;
    }
}

/** A number as a float of 16 bits, to nearest even. */
static uint64_t half_of(double v)
{
    enum { MIN_EXPONENT = -14, MANTISSA = 10, INFINITE = 0x7c00, NOT_A_NUMBER = 0x7e00 };
    static const double beyond = 65520; // half a step above the greatest
    const uint64_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v)) {
        return NOT_A_NUMBER;
    }
    const double size = fabs(v);
    if (size >= beyond) {
        return sign | INFINITE;
    }
    const int at = size != 0 && ilogb(size) > MIN_EXPONENT ? ilogb(size) : MIN_EXPONENT;
    const uint64_t steps = (uint64_t)nearbyint(ldexp(size, MANTISSA - at));
    return sign | (((uint64_t)(at - MIN_EXPONENT) << MANTISSA) + steps);
}

uint64_t lull_fr_float_bits(const struct lull_fr_type *t, double v)
{
    const float f = (float)v;
    uint32_t word = 0;
    uint64_t bits = 0;
    memcpy(&word, &f, sizeof word);
    if (t->brain) { // to nearest even
        return isnan(v) ? BRAIN_NAN : (word + 0x7fff + (word >> 16 & 1)) >> 16;
    }
    if (t->bits == HALF_BITS) {
        return half_of(v);
    }
    if (t->bits == WORD_BITS) {
        return word;
    }
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/** A float of 16 bits as a number. */
static double of_half(uint64_t bits)
{
    enum { MANTISSA = 10, BIAS = 15, TOP = 31, ONE = 1 << MANTISSA };
    const int exponent = (int)(bits >> MANTISSA & TOP), mantissa = (int)(bits & (ONE - 1));
    double v = 0;
    if (exponent == TOP) {
        v = mantissa != 0 ? NAN : INFINITY;
    } else if (exponent == 0) {
        v = ldexp(mantissa, 1 - BIAS - MANTISSA);
    } else {
        v = ldexp(mantissa + ONE, exponent - BIAS - MANTISSA);
    }
    return (bits >> (HALF_BITS - 1) & 1) != 0 ? -v : v;
}

double lull_fr_float_value(const struct lull_fr_type *t, uint64_t bits)
{
    if (t->bits == HALF_BITS && !t->brain) {
        return of_half(bits);
    }
    if (t->bits == 2 * WORD_BITS) {
        double v = 0;
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    const uint32_t word = (uint32_t)(t->brain ? bits << HALF_BITS : bits);
    float f = 0;
    memcpy(&f, &word, sizeof f);
    return f;
}
