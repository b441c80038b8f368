// SPDX-License-Identifier: MIT
#include "check/uninit/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "check/objects.h"
#include "isa/rdna/rdna.h"

enum { FIRST_ROOM = 64 };

static bool grow(struct lull_origins *all)
{
    const uint32_t room = all->room != 0 ? 2 * all->room : FIRST_ROOM;
    struct lull_origin *at = realloc(all->at, room * sizeof *at);
    if (at == NULL) {
        return false;
    }
    all->at = at;
    all->room = room;
    return true;
}

static char *does(const struct lull_check_now *n, enum lull_origin_kind kind, uint32_t place)
{
    if (kind == LULL_ORIGIN_LOCAL) {
        struct lull_str where = {0};
        lull_check_place(n->config, true, place, 4, &where);
        char *text = lull_check_text("loads %s, which no work-item had written",
                                     where.err == NULL ? lull_str_text(&where) : "local memory");
        lull_error_free(where.err);
        where.err = NULL;
        lull_str_free(&where);
        return text;
    }
    if (kind == LULL_ORIGIN_SCRATCH) {
        return lull_check_text("loads byte 0x%x of its scratch memory, which it did not write",
                               place);
    }
    return place < LULL_RDNA_VGPR0
               ? lull_check_text("reads s%u, which nothing wrote", place)
               : lull_check_text("reads v%u, which nothing wrote", place - LULL_RDNA_VGPR0);
}

uint32_t lull_origin(struct lull_origins *all, const struct lull_check_now *n,
                     enum lull_origin_kind kind, uint32_t place, unsigned lane)
{
    for (uint32_t i = all->n; i-- > 0;) {
        const struct lull_origin *o = &all->at[i];
        if (o->pc == n->at->pc && o->kind == kind) {
            return i + 1;
        }
    }
    if (all->n == all->room && !grow(all)) {
        lull_checks_lose(n->all);
        return 0;
    }
    lull_check_keep_insn(n);
    struct lull_origin *o = &all->at[all->n++];
    *o = (struct lull_origin){.kind = kind, .pc = n->at->pc, .place = place};
    o->site = lull_check_site(n, n->at->pc, lane);
    o->site.does = does(n, kind, place);
    return all->n;
}

struct lull_check_site lull_origin_site(const struct lull_origins *all, uint32_t number)
{
    struct lull_check_site s = {0};
    if (number != 0) {
        s = all->at[number - 1].site;
        s.insn = s.insn != NULL ? strdup(s.insn) : NULL;
        s.does = s.does != NULL ? strdup(s.does) : NULL;
    }
    return s;
}

void lull_origins_free(struct lull_origins *all)
{
    for (uint32_t i = 0; i < all->n; i++) {
        free(all->at[i].site.insn);
        free(all->at[i].site.does);
    }
    free(all->at);
}
