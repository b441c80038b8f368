// SPDX-License-Identifier: MIT
#include "check/origin.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

struct lull_origin {
    uint64_t pc;
    unsigned kind;
    struct lull_check_site site;
};

uint32_t lull_origin_find(const struct lull_origins *all, uint64_t pc, unsigned kind)
{
    for (uint32_t i = all->n; i-- > 0;) {
        if (all->at[i].pc == pc && all->at[i].kind == kind) {
            return i + 1;
        }
    }
    return 0;
}

uint32_t lull_origin_add(struct lull_origins *all, const struct lull_check_now *n, uint64_t pc,
                         unsigned kind, unsigned lane, char *does)
{
    if (all->n == all->room) {
        const uint32_t room = all->room != 0 ? 2 * all->room : FIRST_ROOM;
        struct lull_origin *more = realloc(all->at, room * sizeof *more);
        if (more == NULL) {
            free(does);
            lull_checks_lose(n->all);
            return 0;
        }
        all->at = more;
        all->room = room;
    }
    struct lull_origin *o = &all->at[all->n++];
    *o = (struct lull_origin){.pc = pc, .kind = kind};
    o->site = lull_check_site(n, pc, lane);
    o->site.does = does;
    return all->n;
}

unsigned lull_origin_kind(const struct lull_origins *all, uint32_t number)
{
    return all->at[number - 1].kind;
}

uint64_t lull_origin_pc(const struct lull_origins *all, uint32_t number)
{
    return all->at[number - 1].pc;
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

void lull_origins_done(void *origins)
{
    struct lull_origins *all = origins;
    for (uint32_t i = 0; i < all->n; i++) {
        free(all->at[i].site.insn);
        free(all->at[i].site.does);
    }
    free(all->at);
    free(all);
}
