// SPDX-License-Identifier: MIT
/** @file
 * The command line of `lull cc`.
 */
#ifndef LULL_CC_OPTIONS_H
#define LULL_CC_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum lull_cc_emit {
    LULL_CC_ELF,
    LULL_CC_ASM, ///< Text for the assembler.
    LULL_CC_LL,  ///< LLVM IR as text, after lull's passes and LLVM's.
    LULL_CC_BC,  ///< ... as bitcode.
    LULL_CC_IR,  ///< LLVM IR as text, as the front end made it of SPIR-V.
};

enum { LULL_CC_MAX_SPECS = 64, LULL_CC_MAX_BEFORE = 3 };

/** A value for a specialization constant. */
struct lull_cc_spec {
    uint32_t id;
    const char *value;
};

struct lull_cc_options {
    const char *input;                      ///< "-": standard input.
    const char *before[LULL_CC_MAX_BEFORE]; ///< Files of the shaders before it.
    size_t nbefore;
    const char *output; ///< NULL: the input's name with another ending, or standard output for
                        ///< LULL_CC_IR; "-": standard output.
    const char *triple; ///< NULL: the module's, or amdgcn-amd-amdpal.
    const char *cpu;    ///< NULL: the functions' "target-cpu", or gfx1100.
    const char *attrs;  ///< Target features as LLVM writes them, "+wavefrontsize64"; NULL: none.
    unsigned opt_level; ///< 0 to 3, or LULL_COMPILE_OG.
    enum lull_cc_emit emit;
    bool bounds;                         ///< Not a compilation: lull_cc_bounds() alone, as bitcode.
    bool printf;                         ///< Lower printf.
    bool relocatable;                    ///< Lower lull.* intrinsics to relocations.
    const char *layout;                  ///< Or to numbers, by this file; NULL: relocations.
    bool printf_lane;                    ///< One atomic for each lane, not for each wave.
    unsigned printf_records;             ///< What entries record: enum lull_printf_record.
    uint64_t printf_size;                ///< Bytes of a buffer given as an address; 0: not told.
    uint64_t printf_set, printf_binding; ///< Where the buffer is for calls that name none.
    bool debug;                          ///< SPIR-V: with debug information.
    bool primitive_id;                   ///< SPIR-V: a vertex shader gives gl_PrimitiveID, too.
    bool multiview;                      ///< SPIR-V: what is drawn goes to the view's layer.
    const char *entry;                   ///< SPIR-V: entry point; NULL: the only one.
    struct lull_cc_spec specs[LULL_CC_MAX_SPECS];
    size_t nspecs;
    const char *printf_strings; ///< File for the table of strings too; NULL: none.
};

/** Read the arguments after the program's name. LULL_ERR_INVALID for a wrong one. */
struct lull_error *lull_cc_options(int argc, char **argv,
                                   struct lull_cc_options *ret) LULL_MUST_USE;

#endif
