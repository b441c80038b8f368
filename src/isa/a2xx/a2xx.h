// SPDX-License-Identifier: MIT
/** @file
 * Shaders of Adreno a2xx in words: a control-flow program, and the ALU and fetch instructions that
 * it runs, in the form of Mesa's cffdump.
 *
 * Source: Mesa 25.0.7 src/freedreno/ir2 (facts in data/isa/a2xx.words).
 */
#ifndef LULL_ISA_A2XX_A2XX_H
#define LULL_ISA_A2XX_A2XX_H

#include <stddef.h>
#include <stdint.h>

struct lull_str;

enum lull_a2xx_stage { LULL_A2XX_VERTEX, LULL_A2XX_FRAGMENT };

/** The shader of @p n dwords, a line for each instruction that begins with @p prefix. What lies
 * behind the last dword is left out; a shader that runs nothing gives no text. */
void lull_a2xx_disasm(const uint32_t *words, size_t n, enum lull_a2xx_stage stage,
                      const char *prefix, struct lull_str *out);

#endif
