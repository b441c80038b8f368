// SPDX-License-Identifier: MIT
/** @file
 * What this processor has, and the system keeps for programs.
 */
#ifndef LULL_BASE_CPU_H
#define LULL_BASE_CPU_H

#include <stdbool.h>

/** What lull's code for x86-64-v3 needs: AVX2, FMA and BMI2. */
bool lull_cpu_is_v3(void);
/** The same of x86-64-v4: AVX-512 F, BW, DQ, VL and CD in addition. */
bool lull_cpu_is_v4(void);

#endif
