// SPDX-License-Identifier: MIT
/** @file
 * The compiler of waves: vector instructions of gfx1100 to machine code of this host, from the same
 * rows as the interpreter.
 *
 * At build time each row of data/isa/rdna3.sem becomes a function of a strip of lanes, and what a
 * compiler makes of it is lifted to a template (gen/lift). Here registers are allocated over a run
 * of instructions and the templates are encoded. A strip in which the host's arithmetic is in doubt
 * (a NaN) is done again by the interpreter, so results are the interpreter's bit for bit.
 */
#ifndef LULL_JIT_H
#define LULL_JIT_H

#include "base/error.h"
#include "model/amd/exec/engine.h"

/**
 * The engine for lull_code_cache_compile(). @p target: the kind of host that code is made for, as
 * compilers call it: "x86-64-v3" (AVX2: strips of eight lanes) or "x86-64-v4" (AVX-512: of
 * sixteen); NULL: the best that this machine is.
 *
 * @return LULL_ERR_UNSUPPORTED: not in this build, or not on this machine; the message says why.
 * LULL_ERR_INVALID: there is no such target.
 */
struct lull_error *lull_jit_engine(const char *target,
                                   const struct lull_engine **ret) LULL_MUST_USE;

#endif
