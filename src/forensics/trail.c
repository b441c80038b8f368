// SPDX-License-Identifier: MIT
#include <string.h>

#include "forensics/walk.h"

void lull_cff_step(struct lull_cff *c, struct lull_cff_words packet, const char *name)
{
    static const char *const draws[] = {"CP_DRAW_IND", "CP_DRAW_AUTO", "CP_EXEC_CS", "CP_BLIT"};
    if (c->trail == NULL || c->depth == 0) {
        return;
    }
    struct lull_cff_moment *m = &c->trail->now;
    const struct lull_cff_step step = {.address = packet.nowhere ? 0 : packet.address,
                                       .header = packet.words[0],
                                       .ib = c->depth - 1};
    m->steps[m->nsteps++ % LULL_CFF_STEPS] = step;
    for (size_t i = 0; name != NULL && i < sizeof draws / sizeof draws[0]; i++) {
        if (strncmp(name, draws[i], strlen(draws[i])) == 0) {
            m->draw = step;
        }
    }
}

void lull_cff_mark_trail(struct lull_cff *c)
{
    static const uint32_t programs[LULL_CFF_PROGRAMS] = {
        LULL_A6XX_SP_VS_OBJ_START, LULL_A6XX_SP_HS_OBJ_START, LULL_A6XX_SP_DS_OBJ_START,
        LULL_A6XX_SP_GS_OBJ_START, LULL_A6XX_SP_FS_OBJ_START, LULL_A6XX_SP_CS_OBJ_START,
    };
    if (c->trail == NULL) {
        return;
    }
    c->trail->mark = c->trail->now;
    c->trail->marked = true;
    for (size_t i = 0; c->gen >= 6 && i < LULL_CFF_PROGRAMS; i++) {
        c->trail->mark.programs[i] = lull_cff_reg(c, programs[i], true);
    }
}
