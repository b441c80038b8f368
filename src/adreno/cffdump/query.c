// SPDX-License-Identifier: MIT
// Named registers at each draw, and nothing else.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/script.h"
#include "adreno/cffdump/walk.h"
#include "hw/adreno_pkts.h"

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
    struct lull_cff_acc a = {0};
    if (!lull_cff_push(c, &a, reg, c->vals[reg])) {
        (void)lull_cff_push(c, &a, reg + 1, c->vals[(reg + 1) % LULL_CFF_REGS]);
    }
    const uint64_t value = a.value;
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

/** All registers that are asked for, and that were ever written. */
static void each(struct lull_cff *c, const char *primitive, uint32_t indices)
{
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

/** The draw in the binning pass, and as it is drawn. */
static void compare(struct lull_cff *c, const char *primitive, uint32_t indices)
{
    static const struct {
        const char *name;
        unsigned modes;
    } passes[] = {{"BINNING", LULL_CFF_BINNING}, {"DRAW", LULL_CFF_GMEM | LULL_CFF_SYSMEM}};
    const unsigned mask = c->s.mode;
    const char *mode = c->render_mode;
    c->s.mode = LULL_CFF_ALL_MODES;
    c->in_query = true;
    memset(c->rewritten, 0, sizeof c->rewritten);
    lull_astream_run_groups(&c->s);
    if (wanted(c)) {
        for (unsigned i = 0; i < 2; i++) {
            c->s.mode = passes[i].modes;
            c->render_mode = passes[i].name;
            memset(c->rewritten, 0, sizeof c->rewritten);
            lull_astream_run_groups(&c->s);
            each(c, primitive, indices);
        }
        lull_cff_say(c, 0, "\n");
    }
    c->s.mode = mask;
    c->render_mode = mode;
    c->in_query = false;
    lull_astream_drop_groups(&c->s);
}

void lull_cff_query(struct lull_cff *c, const char *primitive, uint32_t indices)
{
    if (c->o.script != NULL && c->err == NULL) {
        c->err = lull_cff_script_draw(c->o.script, primitive, indices);
    }
    if (c->o.query_compare) {
        compare(c, primitive, indices);
    } else if (c->o.nqueries > 0 && wanted(c)) {
        each(c, primitive, indices);
    }
}

void lull_cff_set_bin(struct lull_cff *c, const uint32_t corners[2])
{
    const struct lull_apkt_args p = {.words = corners, .n = 2, .there = 2, .gen = c->gen};
    c->bin[0] = lull_mesa_cp_corners__x1(&p);
    c->bin[1] = lull_mesa_cp_corners__y1(&p);
    c->bin[2] = lull_mesa_cp_corners__x2(&p);
    c->bin[3] = lull_mesa_cp_corners__y2(&p);
}
