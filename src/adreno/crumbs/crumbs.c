// SPDX-License-Identifier: MIT
#include "adreno/crumbs/crumbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cur.h"

struct count {
    struct lull_tree_node at; // First; the key is the number.
    uint64_t times;
};

/** @return The end of the number, or NULL. */
static const char *number(const char *text, uint32_t *ret)
{
    char *end = NULL;
    errno = 0;
    const bool minus = strncmp(text, "-1", 2) == 0; // as scanf's %u takes it
    const unsigned long long n = strtoull(minus ? text + 1 : text, &end, 10);
    *ret = minus ? UINT32_MAX : (uint32_t)n;
    return errno == 0 && n <= UINT32_MAX && (minus || (*text >= '0' && *text <= '9')) ? end : NULL;
}

struct lull_error *lull_crumbs_break(struct lull_crumbs *c, const char *text)
{
    const char *at = number(text, &c->stop);
    const char *end = at != NULL && *at == ':' ? number(at + 1, &c->hits) : NULL;
    c->has_break = c->stop != UINT32_MAX;
    return end != NULL && *end == '\0'
               ? NULL
               : lull_error_new(LULL_ERR_INVALID,
                                "'%s': a crumb and how often it came before, as 5:0", text);
}

/** How often @p n came before. */
LULL_MUST_USE static struct lull_error *seen(struct lull_crumbs *c, uint32_t n, uint64_t *ret)
{
    struct count *at = (struct count *)lull_tree_find(&c->counts, n);
    if (at == NULL && c->counts.n == LULL_CRUMBS_MOST) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "crumb %u: more than %d different ones", n,
                              LULL_CRUMBS_MOST);
    }
    if (at == NULL) {
        at = calloc(1, sizeof *at);
        if (at == NULL) {
            return &lull_enomem;
        }
        at->at.key = n;
        lull_tree_add(&c->counts, &at->at);
    }
    *ret = at->times++;
    return NULL;
}

struct lull_error *lull_crumbs_take(struct lull_crumbs *c, const void *data, size_t size,
                                    struct lull_crumb *ret)
{
    struct lull_cur cur = lull_cur_of(data, size);
    if (size == 0 || size % LULL_CRUMB_BYTES != 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a datagram of %zu bytes: a crumb has four", size);
    }
    const uint32_t n = __builtin_bswap32(lull_cur_u32(&cur));
    struct lull_crumb crumb = {.number = n};
    struct lull_error *err = seen(c, n, &crumb.times);
    if (err != NULL) {
        return err;
    }
    // As Turnip does: the hits are those of the number itself, and count from 0.
    const struct count *stop = (const struct count *)lull_tree_find(&c->counts, c->stop);
    const uint64_t hits = stop == NULL ? 0 : stop->times - (n == c->stop);
    crumb.breaks = c->has_break && n >= c->stop && hits >= c->hits;
    c->came++;
    c->last = n;
    *ret = crumb;
    return NULL;
}

void lull_crumb_put(uint32_t number, uint8_t ret[LULL_CRUMB_BYTES])
{
    for (unsigned i = 0; i < LULL_CRUMB_BYTES; i++) {
        ret[i] = (uint8_t)(number >> (24 - 8 * i));
    }
}

void lull_crumbs_done(struct lull_crumbs *c)
{
    while (c->counts.root != NULL) {
        struct lull_tree_node *at = c->counts.root;
        lull_tree_remove(&c->counts, at);
        free(at);
    }
}
