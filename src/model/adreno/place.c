// SPDX-License-Identifier: MIT
// Where the command processor is.
#include "model/adreno/place.h"

#include "hw/adreno_doms.h"

// Whose registers a buffer of this kind at this level has.
static unsigned slot(enum lull_as_frame_kind kind, unsigned level)
{
    switch ((unsigned)kind) {
    case LULL_AS_STREAM:
        return LULL_AGPU_RB;
    case LULL_AS_IB:
        return level <= 1 ? LULL_AGPU_IB1 : LULL_AGPU_IB2;
    case LULL_AS_GROUP:
        return LULL_AGPU_SDS;
    default:
        return LULL_AGPU_LEVELS;
    }
}

void lull_agpu_place_did(struct lull_agpu_place *p, const struct lull_astream *s,
                         const struct lull_as_event *e)
{
    if (p->ended) {
        return;
    }
    if (e->what == LULL_AS_MET) {
        p->word = e->packet->words[0];
    } else if (e->what == LULL_AS_CALL || e->what == LULL_AS_RETURN) {
        const struct lull_as_frame *f = e->u.frame;
        const unsigned i = slot(f->kind, s->level);
        if (i < LULL_AGPU_LEVELS && i != LULL_AGPU_RB) {
            p->at[i].base = f->address;
            p->at[i].dwords = f->dwords;
            p->at[i].left = f->dwords - (e->what == LULL_AS_RETURN ? f->n : 0);
        }
    }
}

// Frames of the stack: what is left of each. @p on_top: the dword that is next in the last one.
static void stack(struct lull_agpu_place *p, const struct lull_astream *s, uint32_t on_top)
{
    unsigned level = 0;
    for (unsigned i = 0; i < s->nframes; i++) {
        const struct lull_as_frame *f = &s->frames[i];
        if (f->kind >= LULL_AS_LOOP_CALLS || f->kind == LULL_AS_DATA) {
            continue;
        }
        const unsigned k = slot(f->kind, level++);
        const bool last = i + 1 == s->nframes;
        uint32_t next = f->next;
        if (last && on_top != UINT32_MAX) {
            next = on_top;
        } else if (!last && f->waits) { // Its groups run: it was read, and is done after them.
            next += f->packet.n;
        }
        if (k < LULL_AGPU_LEVELS) {
            p->at[k].left = f->dwords - (next < f->dwords ? next : f->dwords);
        }
    }
}

void lull_agpu_place_stop(struct lull_agpu_place *p, const struct lull_astream *s, uint32_t next)
{
    if (!p->ended) {
        stack(p, s, next);
        p->ended = true;
    }
}

struct lull_agpu_place lull_agpu_place_now(const struct lull_agpu_place *p,
                                           const struct lull_astream *s)
{
    struct lull_agpu_place now = *p;
    if (!now.ended) {
        now.at[LULL_AGPU_RB].left = 0;
        stack(&now, s, UINT32_MAX);
    }
    return now;
}

bool lull_agpu_place_reg(const struct lull_agpu_place *now, uint32_t reg, uint32_t *ret)
{
    static const struct {
        unsigned level;
        uint32_t base, left, dwords;
    } rows[] = {
        {LULL_AGPU_IB1, LULL_A6XX_CP_IB1_BASE, LULL_A6XX_CP_IB1_REM_SIZE, LULL_A6XX_CP_IB1_DWORDS},
        {LULL_AGPU_IB2, LULL_A6XX_CP_IB2_BASE, LULL_A6XX_CP_IB2_REM_SIZE, LULL_A6XX_CP_IB2_DWORDS},
        {LULL_AGPU_SDS, LULL_A6XX_CP_SDS_BASE, LULL_A6XX_CP_SDS_REM_SIZE, LULL_A6XX_CP_SDS_DWORDS},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned k = rows[i].level;
        if (reg == rows[i].base || reg == rows[i].base + 1) {
            *ret = (uint32_t)(now->at[k].base >> (reg == rows[i].base ? 0 : 32));
        } else if (reg == rows[i].left) {
            *ret = now->at[k].left;
        } else if (reg == rows[i].dwords) {
            *ret = now->at[k].dwords;
        } else {
            continue;
        }
        return true;
    }
    return false;
}

// Source: data/adreno/a6xx.dom.
uint32_t lull_agpu_place_status(bool waves, bool cp)
{
    enum { CP = 1 << 2 | 1 << 22, SP = 1 << 18, HLSQ = 1 << 21, ANY = 1 << 23 };
    return (waves ? (uint32_t)SP | HLSQ | ANY : 0) | (cp ? (uint32_t)CP | ANY : 0);
}
