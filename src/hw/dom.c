// SPDX-License-Identifier: MIT
#include "hw/dom.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

bool lull_dom_holds(const struct lull_dom_db *db, const struct lull_dom_state *s, unsigned cond)
{
    const struct lull_dom_cond *c = &db->conds[cond];
    if (c->chips != 0 && (c->chips >> s->chip & 1) == 0) {
        return false;
    }
    if (c->which < 0) {
        return true;
    }
    // Before anything was chosen Mesa takes the first one.
    return s->has_chosen[c->which] ? s->chosen[c->which] == c->value : s->like_mesa;
}

static bool covers(const struct lull_dom_reg *r, uint32_t offset, struct lull_dom_hit *ret)
{
    const unsigned dwords = r->width / 32;
    const uint32_t at = offset - r->offset;
    const uint32_t index = r->count != 0 ? at / r->stride : 0;
    const uint32_t dword = r->count != 0 ? at % r->stride : at;
    if (offset < r->offset || dword >= dwords || (r->count != 0 && index >= r->count)) {
        return false;
    }
    *ret = (struct lull_dom_hit){.reg = r, .index = index, .dword = dword};
    return true;
}

struct lull_dom_hit lull_dom_at(const struct lull_dom_db *db, const struct lull_dom_state *s,
                                const struct lull_dom *dom, uint32_t offset)
{
    struct lull_dom_hit hit = {0};
    for (unsigned i = 0; i < dom->n; i++) {
        if (covers(&dom->regs[i], offset, &hit) && lull_dom_holds(db, s, dom->regs[i].cond)) {
            return hit;
        }
    }
    return (struct lull_dom_hit){0};
}

enum { MAX_DOMS = 4 };

struct lull_dom_index {
    uint32_t size;
    unsigned ndoms;
    const struct lull_dom *doms[MAX_DOMS];
    uint16_t at[]; ///< By address: register, counted from 1 through the domains; 0: none.
};

static const struct lull_dom_reg *nth(const struct lull_dom_index *ix, unsigned n)
{
    for (unsigned i = 0; i < ix->ndoms; i++) {
        if (n < ix->doms[i]->n) {
            return &ix->doms[i]->regs[n];
        }
        n -= ix->doms[i]->n;
    }
    return NULL;
}

static void enter(struct lull_dom_index *ix, const struct lull_dom_reg *r, uint16_t n)
{
    const unsigned count = r->count != 0 ? r->count : 1;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned d = 0; d < r->width / 32u; d++) {
            const uint32_t at = r->offset + i * r->stride + d;
            if (at < ix->size && ix->at[at] == 0) {
                ix->at[at] = n;
            }
        }
    }
}

struct lull_error *lull_dom_index_new(const struct lull_dom_db *db, unsigned chip,
                                      const struct lull_dom *const *doms, unsigned ndoms,
                                      uint32_t size, struct lull_dom_index **ret)
{
    struct lull_dom_index *ix = calloc(1, sizeof *ix + size * sizeof ix->at[0]);
    if (ix == NULL) {
        return &lull_enomem;
    }
    ix->size = size;
    const struct lull_dom_state s = {.chip = chip};
    uint16_t n = 1;
    for (unsigned i = 0; i < ndoms && i < MAX_DOMS; i++) {
        ix->doms[ix->ndoms++] = doms[i];
        for (unsigned j = 0; j < doms[i]->n; j++, n++) {
            if (lull_dom_holds(db, &s, doms[i]->regs[j].cond)) {
                enter(ix, &doms[i]->regs[j], n);
            }
        }
    }
    *ret = ix;
    return NULL;
}

void lull_dom_index_free(struct lull_dom_index *ix)
{
    free(ix);
}

struct lull_dom_hit lull_dom_lookup(const struct lull_dom_index *ix, uint32_t offset)
{
    struct lull_dom_hit hit = {0};
    if (offset < ix->size && ix->at[offset] != 0) {
        (void)covers(nth(ix, ix->at[offset] - 1u), offset, &hit);
    }
    return hit;
}

void lull_dom_name(const struct lull_dom_hit *hit, struct lull_str *out)
{
    lull_dom_name_in(NULL, hit, out);
}

/** Text in a colour, if there are colours. */
static void colored(const char *const *colors, enum lull_dom_color which, const char *text,
                    struct lull_str *out)
{
    if (colors != NULL) {
        lull_str_put(out, colors[which], strlen(colors[which]));
    }
    lull_str_put(out, text, strlen(text));
    if (colors != NULL) {
        lull_str_put(out, colors[LULL_DOM_COLOR_RESET], strlen(colors[LULL_DOM_COLOR_RESET]));
    }
}

void lull_dom_name_in(const char *const *colors, const struct lull_dom_hit *hit,
                      struct lull_str *out)
{
    const struct lull_dom_reg *r = hit->reg;
    colored(colors, LULL_DOM_COLOR_NAME, r->name, out);
    if (r->count != 0) {
        struct lull_str index = {0};
        lull_str_put(out, "[", 1);
        lull_str_prefixed(&index, hit->index);
        colored(colors, LULL_DOM_COLOR_NUMBER, lull_str_text(&index), out);
        lull_str_free(&index);
        lull_str_put(out, "]", 1);
        if (r->after[0] == '.') {
            lull_str_put(out, ".", 1);
            colored(colors, LULL_DOM_COLOR_NAME, r->after + 1, out);
        } else {
            lull_str_put(out, r->after, strlen(r->after));
        }
    }
    if (hit->dword != 0) {
        const bool address = r->kind == LULL_DOM_ADDRESS || r->kind == LULL_DOM_WADDRESS;
        lull_str_put(out, address ? "_HI" : "+", address ? 3 : 1);
        if (!address) {
            colored(colors, LULL_DOM_COLOR_UNKNOWN, "0x1", out);
        }
    }
}

/** Is a register called as the first @p length bytes of @p name, and @p rest after its number? */
static bool is_called(const struct lull_dom_reg *r, const char *name, size_t length,
                      const char *rest)
{
    return strncmp(r->name, name, length) == 0 &&
           (r->name[length] == '\0' || r->name[length] == ' ') &&
           strcmp(r->count != 0 ? r->after : "", rest) == 0;
}

/** Offset of the lower half, or of all of it. */
static bool find_low(const struct lull_dom_index *ix, const char *name, uint32_t *ret)
{
    const char *bracket = strchr(name, '['), *end = bracket != NULL ? strchr(bracket, ']') : NULL;
    const size_t length = bracket != NULL ? (size_t)(bracket - name) : strlen(name);
    const char *rest = end != NULL ? end + 1 : "";
    const unsigned long index = bracket != NULL ? strtoul(bracket + 1, NULL, 0) : 0;
    for (unsigned d = 0; d < ix->ndoms; d++) {
        for (unsigned i = 0; i < ix->doms[d]->n; i++) {
            const struct lull_dom_reg *r = &ix->doms[d]->regs[i];
            if (!is_called(r, name, length, rest) || (r->count == 0) != (bracket == NULL) ||
                (r->count != 0 && index >= r->count)) {
                continue;
            }
            *ret = r->offset + (uint32_t)index * r->stride;
            if (lull_dom_lookup(ix, *ret).reg == r) { // not one of another generation
                return true;
            }
        }
    }
    return false;
}

bool lull_dom_find(const struct lull_dom_index *ix, const char *name, uint32_t *ret)
{
    static const char high[] = "_HI";
    const size_t n = strlen(name), m = sizeof high - 1;
    if (find_low(ix, name, ret)) {
        return true;
    }
    char low[128] = "";
    if (n <= m || n >= sizeof low || strcmp(name + n - m, high) != 0) {
        return false;
    }
    memcpy(low, name, n - m);
    if (!find_low(ix, low, ret) || lull_dom_lookup(ix, *ret).reg->width != 64) {
        return false;
    }
    ++*ret;
    return true;
}
