// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "forensics/walk.h"

enum { INSTRLEN_BYTES = 128 }; ///< SP_xS_INSTRLEN counts 16 instructions of 8 bytes.

void lull_cff_step(struct lull_cff *c, struct lull_cff_words packet, const char *name)
{
    static const char *const draws[] = {"CP_DRAW_IND", "CP_DRAW_AUTO", "CP_EXEC_CS", "CP_BLIT"};
    if (c->trail == NULL || c->depth == 0) {
        return;
    }
    struct lull_cff_moment *m = &c->trail->now;
    struct lull_cff_step step = {.address = packet.nowhere ? 0 : packet.address,
                                 .header = packet.words[0],
                                 .ib = c->depth - 1};
    step.n = packet.n - 1 < LULL_CFF_PAYLOAD ? packet.n - 1 : LULL_CFF_PAYLOAD;
    memcpy(step.payload, packet.words + 1, step.n * sizeof step.payload[0]);
    m->steps[m->nsteps++ % LULL_CFF_STEPS] = step;
    c->trail->current[c->depth] = step;
    for (size_t i = 0; name != NULL && i < sizeof draws / sizeof draws[0]; i++) {
        if (strncmp(name, draws[i], strlen(draws[i])) == 0) {
            m->draw = step;
        }
    }
}

/** Value of the first of two registers that this generation has; 0: neither. */
static uint64_t either(const struct lull_cff *c, const char *form, const char *other,
                       const char *stage)
{
    char name[32];
    uint32_t at = 0;
    (void)snprintf(name, sizeof name, "SP_%s_%s", stage, form);
    bool found = lull_dom_find(c->index, name, &at);
    if (!found) {
        (void)snprintf(name, sizeof name, "SP_%s_%s", stage, other);
        found = lull_dom_find(c->index, name, &at);
    }
    return found ? lull_cff_reg(c, at, c->gen >= 5) : 0;
}

void lull_cff_programs(const struct lull_cff *c, struct lull_cff_program *ret)
{
    static const char *const stages[LULL_CFF_PROGRAMS] = {"VS", "HS", "DS", "GS", "FS", "CS"};
    for (size_t i = 0; c->index != NULL && i < LULL_CFF_PROGRAMS; i++) {
        const char *other = c->gen == 3 ? "OBJ_START_REG" : "OBJ_START_LO";
        const uint32_t units = (uint32_t)either(c, "INSTRLEN", "LENGTH_REG", stages[i]);
        ret[i].address = either(c, "OBJ_START", other, stages[i]);
        ret[i].bytes =
            c->gen >= 6 && units < UINT32_MAX / INSTRLEN_BYTES ? units * INSTRLEN_BYTES : 0;
    }
}

void lull_cff_mark_trail(struct lull_cff *c)
{
    if (c->trail != NULL) {
        c->trail->now.at = c->trail->current[c->depth];
        c->trail->mark = c->trail->now;
        c->trail->marked = true;
        lull_cff_programs(c, c->trail->mark.programs);
    }
}
