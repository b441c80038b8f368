// SPDX-License-Identifier: MIT
#include "cli/vulkan/vk_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"

enum { MOST_WORDS = 16, MOST_VALUES = 24, PRIME = 31, WORD_BITS = 32 };

struct lull_error *lull_vk_trace_begin(struct lull_vk_trace *t, const struct lull_fr_module *m)
{
    struct lull_error *err = lull_trace_wanted(&t->wanted);
    if (err != NULL || t->wanted.path == NULL) {
        return err;
    }
    t->m = m;
    t->sums = calloc((size_t)m->spv.bound + 1, sizeof *t->sums);
    return t->sums != NULL ? NULL : &lull_enomem;
}

/** Bits of each number of a value: of its parts, if they are of one kind. */
static unsigned bits_of(const struct lull_fr_type *t)
{
    while (t != NULL && t->element != NULL) {
        t = t->element;
    }
    return t != NULL && t->bits != 0 ? t->bits : WORD_BITS;
}

/** Numbers of @p bits as dwords, as they lie in memory, and each of them. */
static uint32_t dwords(const uint64_t *words, uint64_t n, unsigned bits, uint32_t *ret)
{
    const unsigned each = bits < WORD_BITS ? WORD_BITS / bits : 1;
    uint32_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        ret[count++] = (uint32_t)words[i];
        if (bits > WORD_BITS) {
            ret[count++] = (uint32_t)(words[i] >> WORD_BITS);
        }
    }
    for (uint64_t i = 0; each > 1 && n > 1 && i < n; i += each) {
        uint32_t packed = 0;
        for (unsigned k = 0; k < each && i + k < n; k++) {
            packed |= (uint32_t)words[i + k] << (k * bits);
        }
        ret[count++] = packed;
    }
    return count;
}

/** What has changed belongs to the line that ends here. */
static void take(struct lull_vk_trace *t, struct lull_ev *ev, uint32_t lane)
{
    uint32_t values[MOST_VALUES + 4 * MOST_WORDS];
    uint32_t n = 0;
    for (uint32_t id = 1; id < t->m->spv.bound; id++) {
        const struct lull_fr_type *type = NULL;
        const uint64_t *words = NULL;
        if (t->m->ids[id].constant != NULL || !lull_ev_value(ev, id, lane, &type, &words)) {
            continue;
        }
        const uint64_t size = lull_ev_words(type);
        uint64_t sum = PRIME;
        for (uint64_t i = 0; size <= MOST_WORDS && i < size; i++) {
            sum = sum * PRIME + words[i] + 1;
        }
        if (size > MOST_WORDS || t->sums[id] == sum) {
            continue;
        }
        t->sums[id] = sum;
        n += dwords(words, size, bits_of(type), values + n);
        if (n >= MOST_VALUES) {
            lull_trace_put_line(&t->wanted.trace, t->step, values, n);
            n = 0;
        }
    }
    if (n != 0) {
        lull_trace_put_line(&t->wanted.trace, t->step, values, n);
    }
    if (t->line.line != 0) {
        lull_trace_put_place(&t->wanted.trace, t->step,
                             t->line.file != NULL ? lull_path_from_here(t->line.file) : "",
                             t->line.line);
    }
    t->step++;
}

static bool is_ours(const struct lull_vk_trace *t)
{
    return t->wanted.path != NULL && t->wanted.trace.has_who && t->group != NULL &&
           memcmp(t->group, t->wanted.trace.who.workgroup, sizeof t->wanted.trace.who.workgroup) ==
               0;
}

void lull_vk_trace_line(struct lull_vk_trace *t, struct lull_ev *ev, const struct lull_ev_place *at)
{
    const uint32_t item = t->wanted.trace.who.item;
    bool here = false;
    for (uint32_t i = 0; i < at->n; i++) {
        here = here || at->lanes[i] == item;
    }
    if (!here || !is_ours(t)) {
        return;
    }
    take(t, ev, item);
    t->line = at->line;
    t->began = true;
}

void lull_vk_trace_group(struct lull_vk_trace *t, struct lull_ev *ev)
{
    if (is_ours(t) && t->began) {
        take(t, ev, t->wanted.trace.who.item);
        t->began = false;
    }
}

struct lull_error *lull_vk_trace_write(struct lull_vk_trace *t)
{
    static const struct lull_check_objects none;
    return lull_trace_write(&t->wanted, &none, NULL, NULL);
}

void lull_vk_trace_done(struct lull_vk_trace *t)
{
    lull_trace_wanted_done(&t->wanted);
    free(t->sums);
    t->sums = NULL;
}
