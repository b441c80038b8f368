// SPDX-License-Identifier: MIT
// Words that were printed before, and what the hooks were told of them: captures hold the same
// shaders many times.
#include <stdlib.h>
#include <string.h>

#include "isa/spec/scope.h"

enum { WORDS = 4096, WAYS = 4, SHIFT = 52, MOST_CALLS = 96 }; // the highest 12 bits of a hash

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
    char *text; ///< NULL: nothing is remembered here.
    struct call *calls;
};

struct lull_spec_again {
    struct printed words[WORDS];
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
    for (unsigned i = 0; a != NULL && i < WORDS; i++) {
        free(a->words[i].text);
        free(a->words[i].calls);
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

/** Keep what was printed behind @p start of @p out, if there is memory for it. */
static void keep(struct printed *p, const struct recorder *r, struct printed now,
                 const struct lull_str *out, size_t start)
{
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
    free(p->text);
    free(p->calls);
    *p = now;
}

/** Where @p word is remembered, or is to be. */
static struct printed *place_of(struct lull_spec_again *a, uint64_t word, unsigned gen)
{
    const size_t at = (word ^ word >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> SHIFT;
    for (unsigned i = 0; i < WAYS; i++) {
        struct printed *p = &a->words[(at + i) % WORDS];
        if (p->text == NULL || (p->word == word && p->gen == gen)) {
            return p;
        }
    }
    return &a->words[at];
}

int lull_spec_print_again(struct lull_spec_again *a, const struct lull_spec *spec,
                          const struct lull_spec_options *o, uint64_t word, struct lull_str *out)
{
    struct printed *p = place_of(a, word, o->gen);
    if (p->text != NULL && p->word == word && p->gen == o->gen) {
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
        keep(p, &r, (struct printed){.word = word, .gen = o->gen, .errors = errors}, out, start);
    }
    return errors;
}
