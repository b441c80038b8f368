// SPDX-License-Identifier: MIT
/** @file
 * From SPIR-V modules to LLVM IR: one compute, vertex, mesh or pixel shader, or a geometry or
 * tessellation evaluation shader with the shaders before it, whose descriptors, push constants and
 * ids are calls of lull.* functions (docs/formats/lull-intrinsics.md).
 */
#ifndef LULL_FRONT_LLVM_LOWER_H
#define LULL_FRONT_LLVM_LOWER_H

#include <llvm-c/Core.h>

#include "front/module.h"

enum { LULL_FL_BEFORE = 3 }; ///< Shaders before a geometry shader, at most.

/** A shader before the one that is lowered. */
struct lull_fl_before {
    const struct lull_fr_module *m;
    const char *path;
};

struct lull_fl_options {
    unsigned wave;     ///< Lanes of a wave: 32 or 64.
    const char *cpu;   ///< The processor: "gfx1100".
    unsigned gfx;      ///< Its generation: 9, 10, 11, 12.
    bool debug;        ///< Make debug information: lines, types, scopes, variables.
    bool keep;         ///< ... with copies of what has no memory, so that it can be read.
    bool printf;       ///< Debug printf becomes calls of lgc.debug.printf; without, it is left out.
    bool primitive_id; ///< A vertex or evaluation shader gives pixel shaders gl_PrimitiveID.
    bool multiview; ///< What comes out goes to the view's layer; so it does if a shader reads it.
    struct lull_fl_before before[LULL_FL_BEFORE]; ///< In their order in a pipeline.
    unsigned nbefore;
    const char *path; ///< Of the module, for debug locations of what has no file.
    const char *dir;  ///< What relative paths begin at.
};

/**
 * Lower the entry point of @p m.
 *
 * @param[out] ret LLVM's verifier has not seen it yet. Written only on success.
 * @return LULL_ERR_UNSUPPORTED, LULL_ERR_BAD_DATA: the message names word, instruction and id.
 */
struct lull_error *lull_fl_lower(const struct lull_fr_module *m,
                                 const struct lull_fl_options *options, LLVMContextRef context,
                                 LLVMModuleRef *ret) LULL_MUST_USE;

#endif
