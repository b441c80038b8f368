// SPDX-License-Identifier: MIT
// A Vulkan shader in orders of waves: under its driver, which is a client of the GPU in this
// process, as in `lull run`.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt/command.h"
#include "cli/opt/gpu.h"
#include "cli/run/explore.h"
#include "compile/run.h"
#include "model/order.h"

/** A run under way. */
struct shader_run {
    struct lull_explore *e;
    struct lull_explore_once *o;
    const char *dir; // Of what it writes.
    bool keeps;      // What it writes is what is right.
};

static void ready(void *ctx, struct lull_kernel *k, struct lull_check *c)
{
    const struct shader_run *r = ctx;
    if (r->o->watch != NULL) {
        lull_gpu_kernel_observe(k, r->e->shaded.o.gpu, lull_watch_observer(r->o->watch),
                                lull_checks_observer(c->checks));
    }
}

/** "saxpy.comp:11 <+0x88>" */
static void add_place(struct lull_explore_shaded *s, const struct lull_check_lines *lines,
                      const struct lull_checks *checks, uint64_t pc)
{
    struct lull_str text = {0};
    const uint64_t begin = lull_checks_begin(checks, pc);
    struct lull_explore_place *more =
        pc != 0 ? reallocarray(s->places, s->nplaces + 1, sizeof *more) : NULL;
    if (more == NULL) {
        return;
    }
    s->places = more;
    lull_check_lines_add(lines, pc, &text);
    lull_str_addf(&text, "%s<", text.size != 0 ? " " : "");
    lull_str_addf(&text, begin != 0 ? "+0x%" PRIx64 ">" : "0x%" PRIx64 ">",
                  begin != 0 ? pc - begin : pc);
    if (text.err == NULL) {
        more[s->nplaces++] = (struct lull_explore_place){pc, strdup(lull_str_text(&text))};
    }
    lull_error_free(text.err);
    text.err = NULL;
    lull_str_free(&text);
}

static void ran(void *ctx, struct lull_check *c, const char *folder)
{
    const struct shader_run *r = ctx;
    const struct lull_watch *w = r->o->watch;
    for (size_t i = 0; i < r->o->nholds; i++) {
        const uint64_t pcs[] = {lull_watch_at(w, i), lull_watch_until(w, i)};
        for (unsigned k = 0; k < 2; k++) {
            c->lines = lull_check_lines_meet(c->lines, c->checks, folder, pcs[k]);
            add_place(&r->e->shaded, c->lines, c->checks, pcs[k]);
        }
    }
}

/** What the run wrote of resource @p name. */
LULL_MUST_USE static struct lull_error *read_back(const struct shader_run *r, const char *name,
                                                  uint8_t **ret, size_t *ret_size)
{
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%s.bin", r->dir, name);
    struct lull_error *err = path.err;
    path.err = NULL;
    err = err != NULL ? err : lull_run_read(lull_str_text(&path), ret, ret_size);
    lull_str_free(&path);
    return err;
}

/** All resources, as they are. */
LULL_MUST_USE static struct lull_error *keep_results(const struct shader_run *r)
{
    struct lull_explore *e = r->e;
    const struct lull_vk_args *a = &e->shaded.o.args;
    struct lull_error *err = NULL;
    e->expects = calloc(a->n + 1, sizeof *e->expects);
    if (e->expects == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < a->n; i++) {
        struct lull_expect *x = &e->expects[e->nexpects];
        if (a->resources[i].kind == LULL_VK_SAMPLER) {
            continue;
        }
        x->name = a->resources[i].name;
        err = read_back(r, x->name, &x->bytes, &x->size);
        e->nexpects += err == NULL;
    }
    return err;
}

/** Is what it wrote what the GPU's own order gives? */
LULL_MUST_USE static struct lull_error *compare(const struct shader_run *r, bool *wrong)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && !*wrong && i < r->e->nexpects; i++) {
        const struct lull_expect *x = &r->e->expects[i];
        uint8_t *got = NULL;
        size_t size = 0;
        err = read_back(r, x->name, &got, &size);
        *wrong = err == NULL && lull_explore_differs(x->name, got, x->bytes,
                                                     size < x->size ? size : x->size, &r->o->text);
        free(got);
    }
    return err;
}

/** A line of text without its indentation. */
static void add_line(struct lull_str *out, const char *text)
{
    text += strspn(text, " ");
    lull_str_add(out, text, strcspn(text, "\n"));
}

/** It has come to its end by itself. */
LULL_MUST_USE static struct lull_error *judge_end(const struct shader_run *r,
                                                  const struct lull_vk_ended *end)
{
    bool wrong = end->status == LULL_EXIT_FINDINGS;
    struct lull_error *err = NULL;
    if (wrong) {
        add_line(&r->o->text, end->report); // Of --expect.
    } else if (end->status != LULL_EXIT_CLEAN) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "the program ended with status %d", end->status);
    } else if (end->check->wanted != 0) {
        const struct lull_check_code nowhere = {.api = end->check->api, .lines = end->check->lines};
        err = lull_explore_findings(end->check, &nowhere, &wrong, &r->o->text);
    } else if (r->keeps) {
        err = keep_results(r);
    } else {
        err = compare(r, &wrong);
    }
    r->o->how = wrong ? LULL_OUTCOME_WRONG : LULL_OUTCOME_RIGHT;
    return err;
}

LULL_MUST_USE static struct lull_error *ended(void *ctx, const struct lull_vk_ended *end)
{
    const struct shader_run *r = ctx;
    if (!r->o->judge) {
        if (r->o->watch == NULL) {
            lull_explore_racing(end->check->checks, r->o);
        }
        return NULL;
    }
    if (end->log[0] == '\0') {
        return judge_end(r, end);
    }
    const bool waits = r->e->order != NULL && lull_order_waiting(r->e->order) != 0;
    r->o->how = end->hang && waits ? LULL_OUTCOME_UNFAIR : LULL_OUTCOME_WRONG;
    add_line(&r->o->text, end->log);
    return NULL;
}

LULL_MUST_USE static struct lull_error *run(struct lull_explore *e, struct lull_explore_once *o,
                                            bool keeps)
{
    struct lull_explore_shaded *s = &e->shaded;
    char *dir = NULL;
    int status = 0;
    struct lull_error *err = lull_run_make_dir(&dir);
    if (err != NULL) {
        return err;
    }
    struct shader_run r = {.e = e, .o = o, .dir = dir, .keeps = keeps};
    const struct lull_vk_watcher watcher = {
        .own = s->own, .out_dir = dir, .ready = ready, .ran = ran, .ended = ended, .ctx = &r};
    struct lull_vk_options v = s->o;
    v.order = e->order;
    v.watcher = &watcher;
    if (!o->judge) {
        v.check.wanted = v.check.named = LULL_CHECK_RACE;
    }
    err = lull_vk_cli_self(s->form, s->argc, s->argv, &v, &status);
    lull_run_remove_dir(dir);
    free(dir);
    return err;
}

LULL_MUST_USE static struct lull_error *first(struct lull_explore *e, struct lull_explore_once *o)
{
    return run(e, o, !e->given);
}

LULL_MUST_USE static struct lull_error *once(struct lull_explore *e, struct lull_explore_once *o)
{
    return run(e, o, false);
}

static void place(const struct lull_explore *e, uint64_t pc, struct lull_str *out)
{
    const struct lull_explore_shaded *s = &e->shaded;
    for (size_t i = 0; i < s->nplaces; i++) {
        if (s->places[i].pc == pc && s->places[i].text != NULL) {
            lull_str_addf(out, "%s", s->places[i].text);
            return;
        }
    }
    lull_str_addf(out, "<0x%" PRIx64 ">", pc);
}

static void finish(struct lull_explore *e)
{
    for (size_t i = 0; i < e->shaded.nplaces; i++) {
        free(e->shaded.places[i].text);
    }
    free(e->shaded.places);
    e->shaded.places = NULL;
    e->shaded.nplaces = 0;
}

const struct lull_explore_ops lull_explore_shader = {first, once, place, finish};
