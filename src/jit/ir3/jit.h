// SPDX-License-Identifier: MIT
/** @file
 * The compiler of waves for ir3: runs of ALU instructions (categories 1 to 4) to machine code of
 * this host, from the rows of data/isa/ir3.sem, by the templates, registers and strips of src/jit.
 */
#ifndef LULL_JIT_IR3_JIT_H
#define LULL_JIT_IR3_JIT_H

#include "base/error.h"
#include "model/adreno/exec/engine.h"

/** The engine for struct lull_agpu_config. @p target and errors: as lull_jit_engine() has them. */
struct lull_error *lull_jit_ir3_engine(const char *target,
                                       const struct lull_ir3_engine **ret) LULL_MUST_USE;

#endif
