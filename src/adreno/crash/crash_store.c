// SPDX-License-Identifier: MIT
#include "adreno/crash/crash_store.h"

#include <stdlib.h>
#include <string.h>

void lull_store_done(struct lull_store *s)
{
    for (size_t i = 0; i < s->nblocks; i++) {
        free(s->blocks[i].words);
    }
    free(s->bos);
    free(s->blocks);
    free(s->regs);
    *s = (struct lull_store){0};
}

/** Room for one more; it grows when its number is a power of two. */
static void *grow(struct lull_store *s, void *list, size_t n, size_t size)
{
    if ((n & (n - 1)) != 0) {
        return list;
    }
    const size_t room = n != 0 ? 2 * n : 1;
    void *more = room <= SIZE_MAX / size ? realloc(list, room * size) : NULL;
    s->full |= more == NULL;
    return more;
}

struct lull_store_bo *lull_store_bo(struct lull_store *s)
{
    return s->nbos != 0 && !s->full ? &s->bos[s->nbos - 1] : NULL;
}

struct lull_store_block *lull_store_block(struct lull_store *s)
{
    return s->nblocks != 0 && !s->full ? &s->blocks[s->nblocks - 1] : NULL;
}

struct lull_store_bo *lull_store_add_bo(struct lull_store *s)
{
    struct lull_store_bo *bos = s->full ? NULL : grow(s, s->bos, s->nbos, sizeof *bos);
    if (bos == NULL) {
        return NULL;
    }
    s->bos = bos;
    s->bos[s->nbos] = (struct lull_store_bo){0};
    return &s->bos[s->nbos++];
}

struct lull_store_block *lull_store_add_block(struct lull_store *s, enum lull_store_kind kind,
                                              const char *section)
{
    struct lull_store_block *blocks =
        s->full ? NULL : grow(s, s->blocks, s->nblocks, sizeof *blocks);
    if (blocks == NULL) {
        return NULL;
    }
    s->blocks = blocks;
    struct lull_store_block *b = &s->blocks[s->nblocks++];
    *b = (struct lull_store_block){.kind = kind, .first_reg = s->nregs};
    lull_store_text(b->section, sizeof b->section, section);
    return b;
}

void lull_store_add_reg(struct lull_store *s, uint32_t offset, uint32_t value)
{
    struct lull_store_block *b = lull_store_block(s);
    struct lull_store_reg *regs = b != NULL ? grow(s, s->regs, s->nregs, sizeof *regs) : NULL;
    if (regs != NULL) {
        s->regs = regs;
        s->regs[s->nregs++] = (struct lull_store_reg){offset, value};
        b->nregs++;
    }
}

void lull_store_text(char *to, size_t room, const char *text)
{
    size_t n = 0;
    for (; n + 1 < room && text[n] != '\0'; n++) {
        to[n] = (char)(text[n] >= ' ' && text[n] <= '~' ? text[n] : '?');
    }
    while (n > 0 && to[n - 1] == ' ') {
        n--;
    }
    to[n] = '\0';
}
