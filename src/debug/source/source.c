// SPDX-License-Identifier: MIT
#include "debug/source/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/source/priv.h"

enum { CODE_TAIL = 256 /* the instruction cache reads ahead */, TABLES_ALIGN = 4096 };

/** Of a session: struct lull_debug.source. */
struct lull_source {
    struct lull_source_code *all; ///< Owned.
    size_t n;
};

static void free_source(void *ctx)
{
    struct lull_source *s = ctx;
    for (size_t i = 0; s != NULL && i < s->n; i++) {
        lull_source_code_done(&s->all[i]);
    }
    free(s != NULL ? s->all : NULL);
    free(s);
}

/** Put it into the process. */
LULL_MUST_USE static struct lull_error *place(struct lull_debug *d, struct lull_source_code *c)
{
    const uint64_t code = lull_pal_size(c->pal) + CODE_TAIL;
    c->tables = (code + TABLES_ALIGN - 1) / TABLES_ALIGN * TABLES_ALIGN;
    c->pid = d->dispatch.pid;
    c->client = d->dispatch.client;
    const uint64_t bytes = c->tables + lull_pal_tables_bytes(&c->layout);
    struct lull_error *err = d->target->ops->allocate(d->target, bytes, true, &c->at);
    if (err == NULL && c->at.va >> 32 != (c->at.va + bytes) >> 32) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "code and tables lie in different 4 GiB");
    }
    return err != NULL ? err : lull_pal_load(c->pal, c->at.va, c->at.map);
}

/** Keep @p made, or give the same that was made before. */
LULL_MUST_USE static struct lull_error *keep(struct lull_debug *d, struct lull_source_code *made,
                                             struct lull_source_code **ret)
{
    if (d->source == NULL) {
        d->source = calloc(1, sizeof(struct lull_source));
        d->free_source = free_source;
    }
    struct lull_source *s = d->source;
    for (size_t i = 0; s != NULL && i < s->n; i++) {
        struct lull_source_code *old = &s->all[i];
        if (old->pid == d->dispatch.pid && old->client == d->dispatch.client &&
            strcmp(old->key, made->key) == 0) {
            lull_source_code_done(made);
            *ret = old;
            return NULL;
        }
    }
    struct lull_source_code *all = s != NULL ? reallocarray(s->all, s->n + 1, sizeof *all) : NULL;
    if (all == NULL) {
        return &lull_enomem;
    }
    s->all = all;
    struct lull_error *err = place(d, made);
    if (err == NULL) {
        all[s->n] = *made;
        *ret = &all[s->n++];
    }
    return err;
}

struct lull_error *lull_source_make(struct lull_debug *d, const struct lull_source_options *o,
                                    struct lull_str *notes, struct lull_other_code *ret)
{
    struct lull_source_work *w = calloc(1, sizeof *w);
    struct lull_source_code made = {0}, *kept = NULL;
    struct lull_error *err = w == NULL ? &lull_enomem : lull_source_look(d, w);
    if (err == NULL) {
        err = lull_source_compile(w, o->level, &made);
        err = err != NULL ? err : keep(d, &made, &kept);
        if (err != NULL) {
            lull_source_code_done(&made);
        }
        err = err != NULL ? err : lull_source_bind(w, kept, notes, ret);
    }
    if (err == NULL) {
        err = lull_debug_set_image(d, kept->image, kept->at.va);
        if (kept->text != NULL) {
            lull_str_addf(notes,
                          "The module has no lines (glslangValidator -g): these are of its text, "
                          "%s\n",
                          kept->text);
        }
        if (w->pipeline->shader->prints) {
            lull_str_addf(notes, "the module has debug printf: lull's code prints nothing\n");
        }
        if (!w->names.sure) {
            lull_str_addf(notes, "it is not sure that this dispatch is the layer's record\n");
        }
    }
    if (w != NULL) {
        lull_source_work_done(w);
    }
    free(w);
    return err;
}

struct lull_error *lull_source_on(struct lull_debug *d, const struct lull_source_options *o,
                                  struct lull_str *notes)
{
    struct lull_other_code code = {0};
    struct lull_error *err = lull_source_make(d, o, notes, &code);
    err = err != NULL ? err : d->target->ops->redirect(d->target, &code, false);
    d->source_dispatch = err == NULL ? d->dispatch.number + 1 : 0;
    return err;
}

struct lull_error *lull_source_off(struct lull_debug *d)
{
    if (d->target->ops->redirect == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "that is for programs on gfx1100: 'lull debug -- PROGRAM'");
    }
    d->source_dispatch = 0;
    return d->target->ops->redirect(d->target, NULL, false);
}
