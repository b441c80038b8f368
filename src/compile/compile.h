// SPDX-License-Identifier: MIT
/** @file
 * From a source file to a gfx1100 code object, through clang-19 and its linker as programs.
 *
 * OpenCL C programs get lull's own device library (src/compile/opencl/): work-item, math,
 * integer, atomic and vector functions, without ROCm's. No shell is involved.
 */
#ifndef LULL_COMPILE_COMPILE_H
#define LULL_COMPILE_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum lull_source_kind {
    LULL_SOURCE_OPENCL,   ///< .cl
    LULL_SOURCE_ASSEMBLY, ///< .s, .S, .asm
    LULL_SOURCE_IR,       ///< .ll, .bc
    LULL_SOURCE_OBJECT, ///< Starts as ELF does: taken as it is, or linked if it is an object file.
};

/** The level after 3: -Og, as -O1 but values of variables are kept while they are in scope. */
enum { LULL_COMPILE_OG = 4 };

/** What code is to say of itself: signed integers that overflow, indices outside of arrays,
 * integers that are divided by 0. */
enum { LULL_COMPILE_OVERFLOW = 1, LULL_COMPILE_INDEX = 2, LULL_COMPILE_DIVIDE = 4 };

/** Work-items of the largest workgroup that a kernel of OpenCL C is compiled for if nothing else is
 * said. */
enum { LULL_COMPILE_ITEMS = 256 };

/** Zero-initialised: clang's -O0, wave32, no further flags. */
struct lull_compile {
    unsigned opt_level; ///< 0 to 3 or LULL_COMPILE_OG, for OpenCL C and IR.
    unsigned wave_size; ///< 0 or 32, or 64.
    size_t nflags;
    const char *const *flags; ///< Further arguments for clang, after ours; borrowed.
    bool large_groups;        ///< OpenCL C: workgroups of up to 1024 work-items, not clang's 256.
    const char *compiler;     ///< Program to run; NULL: clang-19, found in PATH.
    bool printf;              ///< OpenCL C and IR: lower printf by lull-cc (docs/man/lull-cc.1).
    unsigned marks; ///< OpenCL C: LULL_COMPILE_OVERFLOW and so on, for src/check/undefined.
    const char *const *printf_flags; ///< Further arguments for lull-cc, ended by NULL; or NULL.
};

/** A code object, and what the compiler had to say. */
struct lull_compiled {
    uint8_t *bytes; ///< Owned.
    size_t size;
    enum lull_source_kind kind;
    char *diagnostics; ///< Owned, never NULL: warnings, for stderr; "" if there were none.
};

/**
 * Compile, assemble or read @p path. Temporary files live in a private directory that is
 * removed before the return.
 *
 * @param options NULL: all defaults.
 * @return LULL_ERR_BAD_DATA with the compiler's messages if it refuses the file;
 * LULL_ERR_UNSUPPORTED if the kind of the file is not known, or it is an object of
 * amdpal with open relocations in its code; LULL_ERR_NOT_FOUND if the compiler is
 * not installed; LULL_ERR_INVALID for a level or wave size that does not exist; LULL_ERR_OS;
 * LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_compile_file(const char *path, const struct lull_compile *options,
                                     struct lull_compiled *ret) LULL_MUST_USE;

/** Free what lull_compile_file() made. A zeroed struct is allowed. */
void lull_compiled_done(struct lull_compiled *c);

#endif
