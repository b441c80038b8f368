// SPDX-License-Identifier: MIT
/** @file
 * Instructions that read and write texels by the format of the descriptor: of images, and of
 * buffers as rows of texels.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_IMAGE_H
#define LULL_MODEL_ADRENO_EXEC_IMAGE_H

#include "model/adreno/exec/resource.h"
#include "model/adreno/exec/texel.h"

/** Where an atomic operation on texels works; NULL: nowhere, or it faulted. */
uint8_t *lull_ir3_image_place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                              const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                              const uint32_t coord[3]);

/** The texel at @p s, which is 0 outside of the image, before the descriptor's swizzle. */
void lull_ir3_texel_plain(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                          const struct lull_ir3_image *m, const struct lull_ir3_spot *s,
                          uint32_t rgba[4]);
/** Components as a shader sees them. */
void lull_ir3_swizzled(const struct lull_ir3_image *m, const uint32_t plain[4], uint32_t rgba[4]);

#endif
