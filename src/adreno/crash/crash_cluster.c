// SPDX-License-Identifier: MIT
// Parts of the GPU, each with a queue of register writes that are on their way to it (CP_MEMPOOL):
// draws, blits, dispatches and events are among them. Counted back over the packets from where the
// CP was, the oldest one is what the part is at.
#include <string.h>

#include "adreno/crash/crash_page.h"

/** What a register write stands for. */
struct command {
    enum lull_crash_work work;
    bool has_event;
    uint32_t event;
    struct lull_pool_write w;
};

static bool ends(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);
    return n >= m && strcmp(text + n - m, tail) == 0;
}

static bool command_of(const struct lull_crash *k, const struct lull_pool_write *w,
                       struct command *ret)
{
    const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, w->reg % LULL_CFF_REGS);
    uint64_t event = 0;
    if (w->pipe || hit.reg == NULL) {
        return false;
    }
    const char *name = hit.reg->name;
    *ret = (struct command){.w = *w};
    ret->work = ends(name, "_DISPATCH_CMD")              ? LULL_CRASH_WORK_DISPATCH
                : ends(name, "_DRAW_CMD")                ? LULL_CRASH_WORK_DRAW
                : strncmp(name, "CP_2D_EVENT_", 12) == 0 ? LULL_CRASH_WORK_BLIT
                : ends(name, "_EVENT_CMD")               ? LULL_CRASH_WORK_EVENT
                                                         : LULL_CRASH_NO_WORK;
    ret->has_event =
        ret->work == LULL_CRASH_WORK_EVENT &&
        lull_dom_field(&lull_dom_adreno, &k->cff->dom, hit.reg, "EVENT", w->value, &event);
    ret->event = (uint32_t)event;
    return ret->work != LULL_CRASH_NO_WORK;
}

enum { MOST = 512 };

/** Draws, blits, dispatches and events of queue @p q, the oldest first; the start and the end of
 * one are one. */
static unsigned commands_of(const struct lull_crash *k, const uint32_t *words, unsigned q,
                            struct command *ret)
{
    struct lull_pool_place place = {0};
    const uint32_t *chunk = NULL;
    unsigned n = 0;
    bool begun = false;
    lull_pool_start(words, q, &place);
    while ((chunk = lull_pool_next(&place)) != NULL) {
        for (unsigned i = 0; i < 2; i++) {
            struct lull_pool_write w = {0};
            struct command c = {0};
            if (!lull_pool_write(chunk, i, &w) || !command_of(k, &w, &c) || n == MOST) {
                continue;
            }
            const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, w.reg % LULL_CFF_REGS);
            const bool end = c.work == LULL_CRASH_WORK_BLIT && ends(hit.reg->name, "_END");
            if (!(end && begun)) {
                ret[n++] = c;
            }
            begun = c.work == LULL_CRASH_WORK_BLIT ? !end : begun;
        }
    }
    return n;
}

bool lull_page_cluster(const struct lull_page *p, unsigned q, struct lull_page_cluster *ret)
{
    const struct lull_store_block *b = lull_page_block(p->k, LULL_STORE_INDEXED, "CP_MEMPOOL");
    struct command commands[MOST];
    *ret = (struct lull_page_cluster){.name = lull_pool_name(p->k->cff->gen, q)};
    if (b == NULL || !lull_pool_fits(b->n) || p->k->cff->index == NULL) {
        return false;
    }
    unsigned n = commands_of(p->k, b->words, q, commands);
    if (n == 0) {
        return false;
    }
    const struct lull_dom_hit hit =
        lull_dom_lookup(p->k->cff->index, commands[0].w.reg % LULL_CFF_REGS);
    ret->waiting = n;
    lull_cff_reg_name(&hit, commands[0].w.reg, &ret->head);
    const struct lull_crash_step *s = NULL;
    unsigned back = 0;
    for (uint64_t i = p->m->has_in ? p->m->in_back : 0;
         n > 0 && (s = lull_crash_step_back(p->m, i)) != NULL; i++) {
        const struct command *c = &commands[n - 1];
        if (s->work == c->work && (!c->has_event || c->event == s->event)) {
            n--;
            ret->found = n == 0;
            ret->at = *s;
            ret->back = back;
        }
        back += s->work != LULL_CRASH_NO_WORK;
    }
    return true;
}
