// SPDX-License-Identifier: MIT
/** @file
 * Glue: parts of a pipeline that only its layout makes possible.
 *
 * A relocatable vertex shader takes attributes in VGPRs; a part in front of it loads them. A
 * relocatable pixel shader leaves its colours in VGPRs and runs on behind its end, where a part
 * exports them. What they are to do the shader's PAL metadata say (.vertexInputs, .colorExports)
 * and the layout (vertex_input, color_targets). This makes their LLVM IR; lull-cc makes code of it,
 * and lull_link() takes the objects.
 *
 * Source: LLPC lgc/elfLinker/GlueShader.cpp (what the parts are given and return).
 */
#ifndef LULL_LINK_GLUE_H
#define LULL_LINK_GLUE_H

#include "link/link.h"

struct lull_link_glue_text {
    struct lull_str ir; ///< Empty: the object needs no such part.
    char cpu[16];       ///< "gfx1100".
};

/**
 * The IR of the part that object @p in needs in front (LULL_LINK_FETCH) or behind
 * (LULL_LINK_EXPORT).
 *
 * @param[out] ret Free its ir; also after an error.
 * @return LULL_ERR_UNSUPPORTED, LULL_ERR_BAD_DATA, LULL_ERR_NOT_FOUND with what is missing in the
 * layout, or wrong in the metadata.
 */
struct lull_error *lull_link_glue_make(const struct lull_link_input *in,
                                       const struct lull_layout *layout, enum lull_link_glue which,
                                       struct lull_link_glue_text *ret) LULL_MUST_USE;

#endif
