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
