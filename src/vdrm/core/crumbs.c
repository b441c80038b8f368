// SPDX-License-Identifier: MIT
#include "vdrm/core/crumbs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/core/vd.h"

enum { DWORD = 4, MOST_SEEN = 1 << 20 }; // packets of a stream

/** A packet of the stream that a ring is in. */
struct seen {
    struct lull_tree_node at; // First; the key is its address.
    uint32_t position;
    uint32_t times[2]; ///< Before, after.
};

struct lull_vd_crumbs {
    struct lull_vd_crumbs_to to;
    struct {
        uint64_t stream;
        struct lull_tree seen;
        uint64_t hung; ///< The packet of a hang; 0: none.
    } rings[LULL_VD_CRUMB_RINGS];
    uint32_t positions; ///< That were given.
    uint64_t n;         ///< Crumbs that came.
    struct lull_vd_crumb kept[LULL_VD_CRUMBS_KEPT];
    bool stands, has_hang;
    struct lull_vd_crumb hang; ///< The newest at the first hang.
};

static void forget(struct lull_tree *t)
{
    while (t->root != NULL) {
        struct lull_tree_node *at = t->root;
        lull_tree_remove(t, at);
        free(at);
    }
}

void lull_vd_crumbs_done(struct lull_vd *d)
{
    for (unsigned i = 0; d->crumbs != NULL && i < LULL_VD_CRUMB_RINGS; i++) {
        forget(&d->crumbs->rings[i].seen);
    }
    free(d->crumbs);
    d->crumbs = NULL;
}

/** Packet @p at of ring @p ring, in its stream; NULL: no memory. */
static struct seen *seen_at(struct lull_vd_crumbs *c, unsigned ring, uint64_t stream, uint64_t at)
{
    struct lull_tree *t = &c->rings[ring].seen;
    if (c->rings[ring].stream != stream || t->n >= MOST_SEEN) {
        forget(t);
        c->rings[ring].stream = stream;
    }
    struct seen *s = (struct seen *)lull_tree_find(t, at);
    if (s == NULL) {
        s = calloc(1, sizeof *s);
        if (s == NULL) {
            return NULL;
        }
        s->at.key = at;
        s->position = c->positions++;
        lull_tree_add(t, &s->at);
    }
    return s;
}

bool lull_vd_crumb(struct lull_vd *d, const struct lull_vd_crumb *told, bool again)
{
    struct lull_vd_crumbs *c = d->crumbs;
    if (c == NULL || again) {
        return c == NULL || !c->stands;
    }
    uint64_t *hung = &c->rings[told->ring % LULL_VD_CRUMB_RINGS].hung;
    const bool unreached = told->after && *hung != 0 && *hung == told->packet;
    *hung = 0;
    if (unreached) {
        return true;
    }
    struct lull_vd_crumb crumb = *told;
    struct seen *s = seen_at(c, told->ring % LULL_VD_CRUMB_RINGS, told->stream, told->packet);
    if (s == NULL) {
        return true; // one is missing: there are others
    }
    crumb.number = 2 * s->position + 1 + told->after;
    crumb.times = s->times[told->after]++;
    c->kept[c->n++ % LULL_VD_CRUMBS_KEPT] = crumb;
    c->stands = c->to.came != NULL && !c->to.came(c->to.ctx, &crumb);
    return !c->stands;
}

bool lull_vd_crumbs_stand(const struct lull_vd *d)
{
    return d->crumbs != NULL && d->crumbs->stands;
}

void lull_vd_crumbs_hang(struct lull_vd *d, unsigned ring)
{
    struct lull_vd_crumbs *c = d->crumbs;
    const uint64_t n = c != NULL ? c->n : 0;
    const struct lull_vd_crumb *last = NULL;
    for (uint64_t i = 0; last == NULL && i < n && i < LULL_VD_CRUMBS_KEPT; i++) {
        const struct lull_vd_crumb *at = &c->kept[(n - 1 - i) % LULL_VD_CRUMBS_KEPT];
        last = at->ring == ring ? at : NULL;
    }
    if (last != NULL && !last->after) {
        c->rings[ring % LULL_VD_CRUMB_RINGS].hung = last->packet;
    }
    if (last != NULL && !c->has_hang) {
        c->hang = *last;
        c->has_hang = true;
    }
}

void lull_vd_crumbs_drop(struct lull_vd *d)
{
    if (d->crumbs != NULL) {
        d->crumbs->stands = false;
    }
}

struct lull_error *lull_vd_crumbs_on(struct lull_kernel *k, const struct lull_vd_crumbs_to *to)
{
    struct lull_vd *d = lull_vd_of(k);
    struct lull_error *err = NULL;
    lull_vd_lock(d);
    d->crumbs = d->crumbs != NULL ? d->crumbs : calloc(1, sizeof *d->crumbs);
    if (d->crumbs == NULL) {
        err = &lull_enomem;
    } else if (d->driver->crumbs == NULL || !d->driver->crumbs(d, to->packets)) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "this GPU does not tell of its packets");
    } else {
        d->crumbs->to = *to;
    }
    lull_vd_unlock(d);
    return err;
}

void lull_vd_crumbs_go(struct lull_kernel *k)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    lull_vd_crumbs_drop(d);
    d->changed = true;
    lull_vd_unlock(d);
}

bool lull_vd_crumbs_last(struct lull_kernel *k, struct lull_vd_crumb *ret, bool *ret_hang)
{
    struct lull_vd *d = lull_vd_of(k);
    lull_vd_lock(d);
    const struct lull_vd_crumbs *c = d->crumbs;
    const bool any = c != NULL && c->n != 0;
    if (any) {
        *ret = c->has_hang ? c->hang : c->kept[(c->n - 1) % LULL_VD_CRUMBS_KEPT];
        *ret_hang = c->has_hang;
    }
    lull_vd_unlock(d);
    return any;
}

void lull_vd_crumb_text(const struct lull_vd_crumb *c, struct lull_str *to)
{
    lull_str_addf(to,
                  "%s %s at 0x%" PRIx64 ", dword %" PRIu64 " of the buffer at 0x%" PRIx64
                  ", stream %" PRIu64,
                  c->after ? "after" : "before", c->name[0] != '\0' ? c->name : "a packet",
                  c->packet, (c->packet - c->buffer) / DWORD, c->buffer, c->stream);
}

void lull_vd_crumbs_file(struct lull_vd *d, struct lull_str *ret)
{
    const struct lull_vd_crumbs *c = d->crumbs;
    const uint64_t n = c != NULL ? c->n : 0;
    for (uint64_t i = n > LULL_VD_CRUMBS_KEPT ? n - LULL_VD_CRUMBS_KEPT : 0; i < n; i++) {
        const struct lull_vd_crumb *at = &c->kept[i % LULL_VD_CRUMBS_KEPT];
        lull_str_addf(ret, "%" PRIu32 ":%" PRIu32 " ", at->number, at->times);
        lull_vd_crumb_text(at, ret);
        lull_str_addf(ret, "\n");
    }
}
