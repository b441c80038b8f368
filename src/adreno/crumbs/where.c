// SPDX-License-Identifier: MIT
#include "adreno/crumbs/where.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/crumbs/add.h"
#include "adreno/show/capture.h"
#include "base/tree.h"

enum { FIRST_ROOM = 64, MOST = 1 << 22, WRITE_WORDS = 4, WAIT_WORDS = 7 };

/** A packet that draws, or a crumb of the driver, by its address. */
struct seen {
    struct lull_tree_node at; // First.
    uint32_t position;        ///< Of a packet; of a crumb its number.
    size_t place;             ///< In the result: its first, of a packet with another behind it.
};

struct walk {
    struct lull_crumb_places *ret;
    struct lull_error *err;
    uint64_t stream;
    uint32_t before;                ///< Packets that draw in the streams before.
    struct lull_tree works, crumbs; ///< Of this stream.
    /* The driver's */
    uint64_t written; ///< Address of a CP_MEM_WRITE that may be a crumb; 0: none.
    uint32_t number;
    uint64_t last; ///< The newest packet that draws since the last crumb; 0: none.
    const char *last_name;
    uint32_t last_position;
    size_t open; ///< A crumb that stands before the next one, and 1; 0: none.
    /* lull's */
    uint64_t here; ///< Of the last one that stands before its packet: the packet; 0: none.
    const char *name;
    size_t mark; ///< It, and 1, if its packet comes next.
};

static void add(struct walk *w, const struct lull_crumb_place *p)
{
    struct lull_crumb_places *r = w->ret;
    if (w->err != NULL) {
        return;
    }
    if (r->n == r->room) {
        const size_t room = r->room == 0 ? FIRST_ROOM : 2 * r->room;
        struct lull_crumb_place *at = room <= MOST ? realloc(r->at, room * sizeof *at) : NULL;
        if (at == NULL) {
            w->err = room > MOST ? lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d crumbs", MOST)
                                 : &lull_enomem;
            return;
        }
        r->at = at;
        r->room = room;
    }
    r->at[r->n++] = *p;
}

static void forget(struct lull_tree *t)
{
    while (t->root != NULL) {
        struct lull_tree_node *at = t->root;
        lull_tree_remove(t, at);
        free(at);
    }
}

/** The one at @p address; it is new if @p ret_new. NULL: no memory. */
static struct seen *seen_at(struct walk *w, struct lull_tree *t, uint64_t address, bool *ret_new)
{
    struct seen *at = (struct seen *)lull_tree_find(t, address);
    *ret_new = at == NULL;
    if (at == NULL) {
        at = calloc(1, sizeof *at);
        if (at == NULL) {
            lull_error_free(w->err);
            w->err = &lull_enomem;
            return NULL;
        }
        at->at.key = address;
        at->place = w->ret->n;
        at->position = (uint32_t)t->n;
        lull_tree_add(t, &at->at);
    }
    return at;
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct walk *w = ctx;
    (void)c;
    w->before += (uint32_t)w->works.n;
    forget(&w->works);
    forget(&w->crumbs);
    w->stream = s->number;
    w->written = w->last = w->here = 0;
    w->open = w->mark = 0;
}

static bool is(const struct lull_as_packet *p, const char *name, uint32_t words)
{
    return !p->dead && p->name != NULL && strcmp(p->name, name) == 0 && p->n == words &&
           p->said == words;
}

/** The driver's crumb has come back: it is one. */
static void crumb(struct walk *w)
{
    struct lull_crumb_place p = {.number = w->number,
                                 .by = LULL_CRUMB_BY_DRIVER,
                                 .after = w->last != 0,
                                 .stream = w->stream,
                                 .crumb = w->written,
                                 .packet = w->last,
                                 .name = w->last_name,
                                 .position = w->last_position,
                                 .times = 1};
    bool new = false;
    struct seen *at = seen_at(w, &w->crumbs, w->written, &new);
    w->last = 0;
    if (at == NULL) {
        return;
    }
    if (!new) { // of a bin, or of a buffer that is called again
        struct lull_crumb_place *old = &w->ret->at[at->place];
        old->times++;
        w->open = old->after || old->packet != 0 ? 0 : at->place + 1;
        return;
    }
    if (!p.after) {
        p.name = NULL;
        p.position = 0;
    }
    add(w, &p);
    w->open = p.after || w->err != NULL ? 0 : w->ret->n;
}

/** One of lull's. What it stands at comes next, or was told after the one before. */
static void mark(struct walk *w, const struct lull_as_packet *p, const struct lull_crumb_mark *m)
{
    const bool after = m->number % 2 == 0;
    const struct lull_crumb_place place = {.number = m->number,
                                           .by = LULL_CRUMB_BY_LULL,
                                           .after = after,
                                           .stream = w->stream,
                                           .crumb = p->address,
                                           .was = m->was[0] | (uint64_t)m->was[1] << 32,
                                           .packet = after ? w->here : 0,
                                           .name = after ? w->name : NULL,
                                           .position = (m->number - 1) / 2,
                                           .times = 1};
    bool new = false;
    struct seen *at = seen_at(w, &w->crumbs, p->address, &new);
    if (at == NULL) {
        return;
    }
    if (new) {
        add(w, &place);
    } else {
        w->ret->at[at->place].times++;
    }
    w->mark = after || w->err != NULL ? 0 : at->place + 1;
}

/** It is the one that a crumb of lull's stands before. */
static void marked(struct walk *w, const struct lull_as_packet *p)
{
    struct lull_crumb_place *at = &w->ret->at[w->mark - 1];
    at->packet = w->here = p->address;
    at->name = w->name = p->name;
    w->mark = 0;
}

static void packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    struct walk *w = ctx;
    if (w->err != NULL) {
        c->s.stop = true;
        return;
    }
    struct lull_crumb_mark m = {0};
    if (w->mark != 0) {
        marked(w, p);
    } else if (is(p, "CP_NOP", LULL_CRUMB_MARK_WORDS + 1) &&
               lull_crumb_mark_read(p->words + 1, p->n - 1, &m)) {
        mark(w, p, &m);
    }
    if (is(p, "CP_MEM_WRITE", WRITE_WORDS)) {
        w->written = p->address;
        w->number = p->words[3];
    } else if (w->written != 0 && is(p, "CP_WAIT_REG_MEM", WAIT_WORDS) &&
               p->words[4] == w->number && p->words[5] == UINT32_MAX) {
        crumb(w);
        w->written = 0;
    } else {
        w->written = 0;
    }
}

/** Both crumbs by position of a packet that is new. */
static void by_position(struct walk *w, const struct lull_cap_draw *d, uint32_t position)
{
    for (unsigned after = 0; after < 2; after++) {
        const struct lull_crumb_place p = {.number = 2 * (w->before + position) + 1 + after,
                                           .after = after != 0,
                                           .stream = w->stream,
                                           .packet = d->packet->address,
                                           .name = d->packet->name,
                                           .position = position,
                                           .times = 1};
        add(w, &p);
    }
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct walk *w = ctx;
    bool new = false;
    (void)c;
    struct seen *at = d->kind != LULL_CAP_EVENT && w->err == NULL
                          ? seen_at(w, &w->works, d->packet->address, &new)
                          : NULL;
    if (at == NULL) {
        return;
    }
    if (w->open != 0) {
        struct lull_crumb_place *p = &w->ret->at[w->open - 1];
        p->packet = d->packet->address;
        p->name = d->packet->name;
        p->position = at->position;
        w->open = 0;
    }
    w->last = d->packet->address;
    w->last_name = d->packet->name;
    w->last_position = at->position;
    if (new) {
        by_position(w, d, at->position);
    } else {
        w->ret->at[at->place].times++;
        w->ret->at[at->place + 1].times++;
    }
}

struct lull_error *lull_crumbs_where(struct lull_stream *s, struct lull_crumb_places *ret)
{
    struct walk w = {.ret = ret};
    const struct lull_cap_options o = {0};
    const struct lull_cap_visitor v = {.ctx = &w, .stream = stream, .packet = packet, .draw = draw};
    uint64_t problems = 0;
    *ret = (struct lull_crumb_places){0};
    struct lull_error *err = lull_cap_walk(s, &o, &v, &problems);
    forget(&w.works);
    forget(&w.crumbs);
    if (err == NULL) {
        return w.err;
    }
    lull_error_free(w.err);
    return err;
}

void lull_crumb_places_free(struct lull_crumb_places *p)
{
    free(p->at);
    *p = (struct lull_crumb_places){0};
}
