// SPDX-License-Identifier: MIT
#include "adreno/lint/lint.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/lint/lint_priv.h"

/** A stream begins: maybe the first of its submit. */
static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_lint *l = ctx;
    (void)s;
    if (c->gen != l->gen) {
        l->gen = c->gen;
        l->facts = lull_stale_of(c->gen);
        if (l->facts == NULL && c->gen != 0 && c->err == NULL) {
            c->err = lull_error_new(LULL_ERR_UNSUPPORTED,
                                    "a capture of an a%uxx: what is stale is known of a6xx and "
                                    "a7xx only",
                                    c->gen);
        }
    }
    if (l->submit != c->submit + 1) {
        l->submit = (uint32_t)(c->submit + 1);
        l->busy = 0;
        l->ndirty = 0;
        memset(l->told, 0, sizeof l->told);
    }
}

static void writes(void *ctx, struct lull_cap *c, uint32_t reg, const uint32_t *values, uint32_t n)
{
    const struct lull_as_regs *regs = lull_astream_regs(&c->s);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_CAP_REGS;
        const bool known = (regs->known[at / 64] >> at % 64 & 1) != 0;
        lull_lint_write(ctx, c, at, values == NULL || !known || values[i] != regs->v[at]);
    }
}

static void group(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                  enum lull_as_group_what what)
{
    (void)c;
    (void)g;
    lull_lint_group(ctx, id, what);
}

static void wait(void *ctx, struct lull_cap *c, enum lull_as_wait kind)
{
    struct lull_lint *l = ctx;
    (void)c;
    if (kind == LULL_AS_WAIT_IDLE) {
        l->busy = 0;
        lull_lint_idle(l);
    }
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_lint *l = ctx;
    const unsigned work = lull_lint_work(c, d);
    if (work != 0 && l->facts != NULL) {
        lull_lint_reads(l, c, d, work);
        lull_lint_memory(l, c, d);
        l->busy = d->packet->address;
        l->busy_name = d->packet->name;
    }
}

static void event(void *ctx, struct lull_cap *c, uint32_t number)
{
    lull_lint_event(ctx, c, number);
}

static void cp_read(void *ctx, struct lull_cap *c, uint64_t address)
{
    lull_lint_cp_reads(ctx, c, address);
}

static void problem(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text)
{
    struct lull_lint *l = ctx;
    l->findings++;
    if (l->sink->problem != NULL) {
        l->sink->problem(l->sink->ctx, c, offset, address, text);
    }
}

struct lull_error *lull_lint_capture(struct lull_stream *s, const struct lull_cap_options *o,
                                     const struct lull_lint_sink *sink, uint64_t *ret_findings)
{
    uint64_t problems = 0;
    struct lull_lint *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return &lull_enomem;
    }
    l->sink = sink;
    const struct lull_cap_visitor v = {.ctx = l,
                                       .stream = stream,
                                       .writes = writes,
                                       .group = group,
                                       .wait = wait,
                                       .draw = draw,
                                       .event = event,
                                       .read = cp_read,
                                       .problem = problem};
    struct lull_error *err = lull_cap_walk(s, o, &v, &problems);
    *ret_findings = l->findings;
    free(l);
    return err;
}
