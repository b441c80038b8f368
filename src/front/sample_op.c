// SPDX-License-Identifier: MIT
#include "front/sample_op.h"

#include <stddef.h>

#include <spirv/unified1/spirv.h>

static const struct lull_fr_sample_op rows[] = {
    {SpvOpImageSampleImplicitLod, 0, 0, 0, 0},
    {SpvOpImageSampleExplicitLod, 0, 0, 0, 1},
    {SpvOpImageSampleDrefImplicitLod, 0, 1, 0, 0},
    {SpvOpImageSampleDrefExplicitLod, 0, 1, 0, 1},
    {SpvOpImageSampleProjImplicitLod, 0, 0, 1, 0},
    {SpvOpImageSampleProjExplicitLod, 0, 0, 1, 1},
    {SpvOpImageSampleProjDrefImplicitLod, 0, 1, 1, 0},
    {SpvOpImageSampleProjDrefExplicitLod, 0, 1, 1, 1},
    {SpvOpImageGather, 1, 0, 0, 0},
    {SpvOpImageDrefGather, 1, 1, 0, 0},
    {SpvOpImageSparseSampleImplicitLod, 0, 0, 0, 0},
    {SpvOpImageSparseSampleExplicitLod, 0, 0, 0, 1},
    {SpvOpImageSparseSampleDrefImplicitLod, 0, 1, 0, 0},
    {SpvOpImageSparseSampleDrefExplicitLod, 0, 1, 0, 1},
    {SpvOpImageSparseGather, 1, 0, 0, 0},
    {SpvOpImageSparseDrefGather, 1, 1, 0, 0},
};

const struct lull_fr_sample_op *lull_fr_sample_op(uint32_t op)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == op) {
            return &rows[i];
        }
    }
    return NULL;
}
