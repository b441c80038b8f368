// SPDX-License-Identifier: MIT
#include "link/stages.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *stage;
    unsigned last; // major version that has it
    const char *instead;
} stages[] = {
    {"ls", 8, "amdgpu_hs, both halves in one function"},
    {"es", 8, "amdgpu_gs, both halves in one function"},
    {"vs", 10,
     "amdgpu_gs, a primitive shader (NGG): it asks for space, exports primitives, then "
     "vertices"},
};

const char *lull_stage_instead(unsigned gfx, const char *stage)
{
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strcmp(stages[i].stage, stage) == 0 && gfx > stages[i].last) {
            return stages[i].instead;
        }
    }
    return NULL;
}

uint32_t lull_stage_bits(const char *stage)
{
    static const struct {
        char name[3];
        uint32_t bits;
    } rows[] = {
        {"cs", LULL_STAGE_COMPUTE | LULL_STAGE_TASK},
        {"ps", LULL_STAGE_FRAGMENT},
        {"gs", LULL_STAGE_VERTEX | LULL_STAGE_TESS_EVAL | LULL_STAGE_GEOMETRY | LULL_STAGE_MESH},
        {"hs", LULL_STAGE_VERTEX | LULL_STAGE_TESS_CONTROL},
        {"vs", LULL_STAGE_VERTEX | LULL_STAGE_TESS_EVAL | LULL_STAGE_GEOMETRY},
        {"es", LULL_STAGE_VERTEX | LULL_STAGE_TESS_EVAL},
        {"ls", LULL_STAGE_VERTEX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (stage[0] != '\0' && (stage[0] | 32) == rows[i].name[0] && (stage[1] | 32) == 's') {
            return rows[i].bits;
        }
    }
    return LULL_STAGE_ALL;
}
