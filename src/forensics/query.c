// SPDX-License-Identifier: MIT
// Named registers at each draw, and nothing else.
#include <inttypes.h>
#include <stdlib.h>

#include "forensics/walk.h"

struct lull_error *lull_cff_queries(struct lull_cff *c)
{
    for (unsigned i = 0; i < c->o.nqueries; i++) {
        const char *text = c->o.queries[i];
        uint32_t reg = (uint32_t)strtoul(text, NULL, 0);
        if (reg == 0 && !lull_dom_find(c->index, text, &reg)) {
            return lull_error_new(LULL_ERR_INVALID, "no register '%s' in a%uxx", text, c->gen);
        }
        if (reg >= LULL_CFF_REGS) {
            return lull_error_new(LULL_ERR_INVALID, "no register has the number '%s'", text);
        }
        c->queries[i] = reg;
        lull_cff_say(c, 0, "querystr: %s -> 0x%x\n", text, reg);
    }
    return NULL;
}

static bool written(const struct lull_cff *c, uint32_t reg)
{
    return (c->written[reg / 8] >> reg % 8 & 1) != 0;
}

static bool rewritten(const struct lull_cff *c, uint32_t reg)
{
    return (c->rewritten[reg / 8] >> reg % 8 & 1) != 0;
}

/** Does the draw tell anything that is asked for? */
static bool wanted(const struct lull_cff *c)
{
    for (unsigned i = 0; i < c->o.nqueries; i++) {
        const uint32_t reg = c->queries[i];
        if (written(c, reg) &&
            (c->o.query_mode == LULL_CFF_QUERY_WRITTEN ? rewritten(c, reg)
                                                       : c->vals[reg] != c->lastvals[reg])) {
            return true;
        }
    }
    return c->o.query_mode == LULL_CFF_QUERY_ALL;
}

static void one(struct lull_cff *c, uint32_t reg, const char *primitive, uint32_t indices)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
    const bool wide = hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0;
    const uint64_t value = lull_cff_reg(c, reg, wide);
    lull_cff_say(c, 0, "%4u: %s(%u,%u-%u,%u):%u:", c->draws, primitive, c->bin[0], c->bin[1],
                 c->bin[2], c->bin[3], indices);
    if (c->gen >= 5) {
        lull_cff_say(c, 0, "%s:", c->render_mode != NULL ? c->render_mode : "(null)");
    }
    if (c->thread != NULL) {
        lull_cff_say(c, 0, "%s:", c->thread);
    }
    // Mesa compares all 64 bits with the lower half of the last value.
    lull_cff_say(c, 0, "\t%08" PRIx64 "%c%c", value, value != c->lastvals[reg] ? '!' : ' ',
                 rewritten(c, reg) ? '+' : ' ');
    lull_cff_show(c, &hit, reg, value, 0, 0);
}

void lull_cff_query(struct lull_cff *c, const char *primitive, uint32_t indices)
{
    if (c->o.nqueries == 0 || !wanted(c)) {
        return;
    }
    if (c->gen == 5 || c->gen == 6) {
        const uint32_t tl =
            c->gen == 5 ? LULL_A5XX_GRAS_SC_WINDOW_SCISSOR_TL : LULL_A6XX_GRAS_SC_WINDOW_SCISSOR_TL;
        lull_cff_set_bin(c, &c->vals[tl]);
    }
    unsigned n = 0;
    for (unsigned i = 0; i < c->o.nqueries; i++) {
        if (written(c, c->queries[i])) {
            one(c, c->queries[i], primitive != NULL ? primitive : "(null)", indices);
            n++;
        }
    }
    if (n > 1) {
        lull_cff_say(c, 0, "\n");
    }
}

void lull_cff_set_bin(struct lull_cff *c, const uint32_t corners[2])
{
    c->bin[0] = corners[0] & 0xffff;
    c->bin[1] = corners[0] >> 16;
    c->bin[2] = corners[1] & 0xffff;
    c->bin[3] = corners[1] >> 16;
}
