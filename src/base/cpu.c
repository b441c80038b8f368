// SPDX-License-Identifier: MIT
// glibc has asked the processor when a program starts. The compiler's __builtin_cpu_supports()
// asks once more at each start of a program that has a call of it, needed or not: 50 us in a
// virtual machine, where each question goes to its host.
#include "base/cpu.h"

#ifdef __x86_64__
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

enum { BITS = 32, WORDS = 4 }; // Of a leaf of CPUID: eax, ebx, ecx, edx.

// As CPU_FEATURE_ACTIVE(), which shifts a signed 1 by 31.
static bool has(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / (BITS * WORDS));
    return (leaf->active_array[feature / BITS % WORDS] >> feature % BITS & 1) != 0;
}

#define CPU_HAS(glibc, compiler) has(x86_cpu_##glibc)
#else
#define CPU_HAS(glibc, compiler) __builtin_cpu_supports(compiler)
#endif

enum { IS_NOT = 1, IS_V3, IS_V4 };

static _Thread_local int known; // 0: not asked yet; else it does not change

static int ask(void)
{
    const bool v3 = CPU_HAS(AVX2, "avx2") && CPU_HAS(FMA, "fma") && CPU_HAS(BMI2, "bmi2");
    const bool v4 = v3 && CPU_HAS(AVX512F, "avx512f") && CPU_HAS(AVX512BW, "avx512bw") &&
                    CPU_HAS(AVX512DQ, "avx512dq") && CPU_HAS(AVX512VL, "avx512vl") &&
                    CPU_HAS(AVX512CD, "avx512cd");
    known = v4 ? IS_V4 : v3 ? IS_V3 : IS_NOT;
    return known;
}

bool lull_cpu_is_v3(void)
{
    return (known != 0 ? known : ask()) >= IS_V3;
}

bool lull_cpu_is_v4(void)
{
    return (known != 0 ? known : ask()) == IS_V4;
}
#else
bool lull_cpu_is_v3(void)
{
    return false;
}

bool lull_cpu_is_v4(void)
{
    return false;
}
#endif
