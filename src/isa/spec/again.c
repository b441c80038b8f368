// SPDX-License-Identifier: MIT
// Words that were printed before, and what the hooks were told of them: captures hold the same
// shaders many times.
#include <stdlib.h>
#include <string.h>

#include "isa/spec/scope.h"

enum {
    WORDS = 4096,
    WAYS = 4,
    SHIFT = 52,
    MOST_CALLS = 96,
    FIRST_ROOM = 64
}; // the highest 12 bits of a hash

/** A call of a hook: of a mnemonic, or of a field. */
struct call {
    const char *name; ///< NULL: a field.
    uint64_t value;
    unsigned field;
};

struct printed {
    uint64_t word;
    unsigned gen;
    int errors; ///< What lull_spec_print() gave.
    size_t size, ncalls;
    char *text;
    struct call *calls;
};

struct lull_spec_again {
    uint16_t at[WORDS]; ///< 1 + index in words[]; 0: nothing is remembered here.
    struct printed *words;
    unsigned n, room;
};

/** A word as it is printed the first time. */
struct recorder {
    const struct lull_spec_hooks *to;
    struct call calls[MOST_CALLS];
    size_t ncalls;
    bool elsewhere; ///< It reads another way at another place, or makes too many calls.
};

struct lull_spec_again *lull_spec_again_new(void)
{
    return calloc(1, sizeof(struct lull_spec_again));
}

void lull_spec_again_free(struct lull_spec_again *a)
{
    for (unsigned i = 0; a != NULL && i < a->n; i++) {
        free(a->words[i].text);
        free(a->words[i].calls);
    }
    if (a != NULL) {
        free(a->words);
    }
    free(a);
}

static void tell(const struct lull_spec_hooks *to, const struct call *c)
{
    if (to == NULL) {
        return;
    }
    if (c->name != NULL && to->name != NULL) {
        to->name(to->ctx, c->name);
    } else if (c->name == NULL && to->field != NULL) {
        to->field(to->ctx, c->field, c->value);
    }
}

static void note(struct recorder *r, struct call c)
{
    r->elsewhere = r->elsewhere || r->ncalls == MOST_CALLS;
    if (!r->elsewhere) {
        r->calls[r->ncalls++] = c;
    }
    tell(r->to, &c);
}

static void on_field(void *ctx, unsigned name, uint64_t value)
{
    note(ctx, (struct call){.field = name, .value = value});
}

static void on_name(void *ctx, const char *mnemonic)
{
    note(ctx, (struct call){.name = mnemonic});
}

static bool on_branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    struct recorder *r = ctx;
    r->elsewhere = true;
    return r->to != NULL && r->to->branch != NULL &&
           r->to->branch(r->to->ctx, absolute, value, out);
}

static bool on_custom(void *ctx, const char *field, uint64_t value, struct lull_str *out)
{
    struct recorder *r = ctx;
    r->elsewhere = true;
    return r->to != NULL && r->to->print != NULL && r->to->print(r->to->ctx, field, value, out);
}

/** Keep what was printed behind @p start of @p out at @p slot, if there is memory for it. */
static void keep(struct lull_spec_again *a, uint16_t *slot, const struct recorder *r,
                 struct printed now, const struct lull_str *out, size_t start)
{
    if (*slot == 0 && a->n == a->room) {
        const unsigned room = a->room != 0 ? 2 * a->room : FIRST_ROOM;
        struct printed *words = realloc(a->words, room * sizeof *words);
        if (words == NULL) {
            return;
        }
        a->words = words;
        a->room = room;
    }
    now.size = out->size - start;
    now.ncalls = r->ncalls;
    now.text = malloc(now.size + 1);
    now.calls = malloc((r->ncalls + 1) * sizeof *now.calls);
    if (now.text == NULL || now.calls == NULL) {
        free(now.text);
        free(now.calls);
        return;
    }
    memcpy(now.text, lull_str_text(out) + start, now.size);
    memcpy(now.calls, r->calls, r->ncalls * sizeof *now.calls);
    if (*slot == 0) {
        *slot = (uint16_t)++a->n;
    } else {
        free(a->words[*slot - 1].text);
        free(a->words[*slot - 1].calls);
    }
    a->words[*slot - 1] = now;
}

static bool is_of(const struct printed *p, uint64_t word, unsigned gen)
{
    return p->word == word && p->gen == gen;
}

/** Where @p word is remembered, or is to be. */
static uint16_t *place_of(struct lull_spec_again *a, uint64_t word, unsigned gen)
{
    const size_t first = (word ^ word >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> SHIFT;
    for (unsigned i = 0; i < WAYS; i++) {
        uint16_t *slot = &a->at[(first + i) % WORDS];
        if (*slot == 0 || is_of(&a->words[*slot - 1], word, gen)) {
            return slot;
        }
    }
    return &a->at[first];
}

int lull_spec_print_again(struct lull_spec_again *a, const struct lull_spec *spec,
                          const struct lull_spec_options *o, uint64_t word, struct lull_str *out)
{
    uint16_t *slot = place_of(a, word, o->gen);
    const struct printed *p = *slot != 0 ? &a->words[*slot - 1] : NULL;
    if (p != NULL && is_of(p, word, o->gen)) {
        for (size_t i = 0; i < p->ncalls; i++) {
            tell(o->hooks, &p->calls[i]);
        }
        lull_str_put(out, p->text, p->size);
        return p->errors;
    }
    struct recorder r;
    r.to = o->hooks;
    r.ncalls = 0;
    r.elsewhere = false;
    const struct lull_spec_hooks hooks = {
        .print = on_custom, .branch = on_branch, .field = on_field, .name = on_name, .ctx = &r};
    struct lull_spec_options record = *o;
    record.hooks = &hooks;
    const size_t start = out->size;
    const int errors = lull_spec_print(spec, &record, word, out);
    if (!r.elsewhere && out->err == NULL) {
        const struct printed now = {.word = word, .gen = o->gen, .errors = errors};
        keep(a, slot, &r, now, out, start);
    }
    return errors;
}
