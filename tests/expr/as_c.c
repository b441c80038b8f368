// SPDX-License-Identifier: MIT
// Expressions that C has, too: what they are is asked of the compiler of this test, type and value.
#include "expr/check.h"
#include "expr/stub.h"

#define TYPE_OF(e)                                                                                 \
    _Generic((e), int                                                                              \
             : "i32", unsigned                                                                     \
             : "u32", long                                                                         \
             : "i64", unsigned long                                                                \
             : "u64", long long                                                                    \
             : "i64", unsigned long long                                                           \
             : "u64", float                                                                        \
             : "f32", double                                                                       \
             : "f64", int8_t                                                                       \
             : "i8", uint8_t                                                                       \
             : "u8", int16_t                                                                       \
             : "i16", uint16_t                                                                     \
             : "u16")
#define SAME(e) check_value(#e, TYPE_OF(e), &(__typeof__(e)){(e)}, sizeof(e))

static void literals(void)
{
    SAME(0);
    SAME(2147483647);
    SAME(2147483648);
    SAME(4294967296);
    SAME(9223372036854775807);
    SAME(0x7fffffff);
    SAME(0x80000000);
    SAME(0xFFFFFFFF);
    SAME(0x100000000);
    SAME(0x8000000000000000);
    SAME(017);
    SAME(037777777777);
    SAME(1u);
    SAME(4294967296u);
    SAME(1L);
    SAME(1ul);
    SAME(1LL);
    SAME(1lu);
    SAME(0xffull);
    SAME(1.5);
    SAME(1.);
    SAME(.5);
    SAME(1e3);
    SAME(1E-3);
    SAME(1.0f);
    SAME(1e3F);
    SAME(0.1f);
    SAME(0.1);
    SAME(3.4028235677973366e38f * 0 + 1.1f);
    SAME(0x1p3);
    SAME(0x1.8p-1f);
    SAME(4.9e-324);
    SAME(1e-45f);
    SAME('A');
    SAME('\n');
    SAME('\'');
    SAME('\\');
    SAME('\0');
    SAME('\101');
    SAME('\x7f');
    SAME('\xff');
}

static void conversions(void)
{
    SAME(-1 < 0);
    SAME(-1 < 0u);
    SAME(-1 > 0u);
    SAME(c + 0);
    SAME(uc + uc);
    SAME(+c);
    SAME(-us);
    SAME(~uc);
    SAME(c < uc);
    SAME(i < u);
    SAME(l < u);
    SAME(l < ul);
    SAME(i + u);
    SAME(i + l);
    SAME(u + l);
    SAME(i + ul);
    SAME(u * u);
    SAME(uc * f);
    SAME(i * d);
    SAME(f * d);
    SAME(u + 0.0f);
    SAME(ul + 0.0f);
    SAME(ul + 0.0);
    SAME(l + 0.0f);
    SAME(0x7fffff7f + 0.0f);
    SAME(0xffffff7fffffffff + 0.0f);
    SAME((float)l);
    SAME((double)ul);
}

static void casts(void)
{
    SAME((int8_t)300);
    SAME((uint8_t)-1);
    SAME((int16_t)u);
    SAME((uint16_t)l);
    SAME((int)u);
    SAME((unsigned)i);
    SAME((long)i);
    SAME((unsigned long)i);
    SAME((unsigned long)c);
    SAME((unsigned char)c);
    SAME((signed char)uc);
    SAME((short)us);
    SAME((unsigned short)s);
    SAME((long long)u);
    SAME((unsigned long long)f);
    SAME((long unsigned int)f);
    SAME((int)2.9);
    SAME((int)-2.9);
    SAME((int)-2.9f);
    SAME((uint8_t)255.9);
    SAME((float)0.1);
    SAME((double)0.1f);
    SAME((float)1e-50);
    SAME((float)d * 0 != 0);
    SAME((int32_t)f);
    SAME((uint64_t)f);
    SAME((size_t)f);
    SAME((const volatile int)f);
    SAME(sizeof(int));
    SAME(sizeof(double));
    SAME(sizeof(int *));
    SAME(sizeof c);
    SAME(sizeof(c + 0));
    SAME(sizeof(f * d));
    SAME(sizeof(1 / zero));
}

static void operators(void)
{
    SAME(1 + 2 * 3);
    SAME((1 + 2) * 3);
    SAME(10 - 4 - 3);
    SAME(2 + 3 << 1);
    SAME(1 | 2 ^ 3 & 2);
    SAME(6 & 3 == 3);
    SAME(1 < 2 == 1);
    SAME(3 > 2 > 1);
    SAME(1 || 0 && 0);
    SAME(1 ? 2 : 3 ? 4 : 5);
    SAME(0 ? 2 : 0 ? 4 : 5);
    SAME(0 || 0 ? 1 : 2);
    SAME(1 ? -1 : 0u);
    SAME(1 ? 1 : 1.0f);
    SAME(0 ? i : l);
    SAME(1 ? c : uc);
    SAME(-7 / 2);
    SAME(-7 % 2);
    SAME(7 / -2);
    SAME(7u / 2);
    SAME(-7 / 2u);
    SAME(-7 % 10u);
    SAME(l / 3);
    SAME(l % 1000);
    SAME(ul / 7);
    SAME(ul % 7);
    SAME(1.5 / 0.5);
    SAME(1 / 3.0f);
    SAME(1 / 3.0);
    SAME(1.0f / 3);
}

static void bits_and_comparisons(void)
{
    SAME(1 << 30);
    SAME(1u << 31);
    SAME(1L << 40);
    SAME(1 << 3L);
    SAME(uc << 4);
    SAME(-8 >> 1);
    SAME(-1 >> 31);
    SAME(u >> 31);
    SAME(l >> 3);
    SAME(ul >> 63);
    SAME(~0);
    SAME(~0u);
    SAME(~l);
    SAME(!0);
    SAME(!5);
    SAME(!0.0);
    SAME(!1e-300);
    SAME(!tiny);
    SAME(-f);
    SAME(- -i);
    SAME(- - -1);
    SAME(-0.0);
    SAME(-0.0f == 0);
    SAME(+f);
    SAME(-u);
}

static void floats_and_logic(void)
{
    SAME(0.5 && 1);
    SAME(0.0 || 0);
    SAME(0.5 < 1);
    SAME(f > 0.5);
    SAME(f >= 2.25);
    SAME(f == 2.25);
    SAME(0.1f == 0.1);
    SAME(0.1f < 0.1);
    SAME(tiny > 0);
    SAME(16777217 == 16777217.0f);
    SAME(9007199254740993 == 9007199254740993.0);
    SAME(zero != 0 && 1 / zero > 0);
    SAME(zero == 0 || 1 / zero > 0);
    SAME(zero ? 1 / zero : 2);
    SAME(zero == 0 ? 2 : 1 % zero);
    SAME((0.0 / zero == 0.0 / zero) + 0);
    SAME(0.0 / zero != 0.0 / zero);
    SAME(0.0 / zero < 1);
    SAME(0.0 / zero > 1);
    SAME(0.0 / zero <= 1);
    SAME(0.0 / zero >= 1);
    SAME(!(0.0 / zero));
    SAME(isnan(0.0 / zero) != 0);
    SAME(isnan(1.0 / zero) != 0);
    SAME(isinf(-1.0 / zero) != 0);
    SAME(isinf(f * 1e30f * 1e30f) != 0);
    SAME(isfinite(1e308) != 0);
    SAME(isfinite(0.0 / zero) != 0);
    SAME((signbit(-0.0) != 0) + (signbit(1.0f) != 0));
    SAME(!isnan(f) && f > 0);
    SAME(1.0 / zero > 1e308);
    SAME(-1 == 0xffffffff);
    SAME(-1L == 0xffffffff);
    SAME('a' + 1 == 'b');
}

void check_as_c(void)
{
    literals();
    conversions();
    casts();
    operators();
    bits_and_comparisons();
    floats_and_logic();
}
