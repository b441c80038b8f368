// SPDX-License-Identifier: MIT
#include "cli/run/explore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "cli/run/report.h"
#include "explore/watch.h"
#include "model/amd/gpu/gpu.h"
#include "model/order.h"
#include "target/amd/device.h"
#include "vdrm/amdgpu/vdrm.h"

enum { NS_PER_MS = 1000000, DWORD = 4, MOST_PAIRS = 64 };

/** Submit what is prepared, and wait. */
LULL_MUST_USE static struct lull_error *go(struct lull_explore *e, enum lull_amd_wait *how)
{
    struct lull_kernel_run *r = &e->run;
    struct lull_error *err = lull_amd_submit(r->device, &r->launched.dispatch);
    return err != NULL ? err : lull_amd_wait(r->device, r->o.timeout_ms * NS_PER_MS, how);
}

/** "out+0x1c (dword 7): 0x0, want 0x7": the first byte that differs. False: none does. */
static bool differs(const struct lull_explore *e, const struct lull_expect *x, struct lull_str *out)
{
    const struct lull_kernel_run *r = &e->run;
    const struct lull_amd_bo *bo = r->o.args.launch[x->arg].bo;
    const struct lull_arg *arg =
        x->arg < r->program.kernel->nargs ? &r->program.kernel->args[x->arg] : NULL;
    const uint8_t *got = bo->map;
    size_t at = 0;
    while (at < x->size && got[at] == x->bytes[at]) {
        at++;
    }
    if (at == x->size) {
        return false;
    }
    const char *name = x->name != NULL                       ? x->name
                       : arg != NULL && arg->name[0] != '\0' ? arg->name
                                                             : lull_args_name(&r->o.args, x->arg);
    const size_t whole = at - at % DWORD;
    if (whole + DWORD <= x->size) {
        uint32_t is = 0, want = 0;
        memcpy(&is, got + whole, DWORD);
        memcpy(&want, x->bytes + whole, DWORD);
        lull_str_addf(out, "%s+0x%zx (dword %zu) is 0x%x, want 0x%x", name, whole, whole / DWORD,
                      is, want);
    } else {
        lull_str_addf(out, "%s+0x%zx is 0x%x, want 0x%x", name, at, got[at], x->bytes[at]);
    }
    return true;
}

static void code_of(const struct lull_kernel_run *r, struct lull_check_code *ret)
{
    *ret = (struct lull_check_code){
        .image = r->program.image, .va = r->launched.code->va, .size = r->launched.code->size};
}

/** What --check found, its first lines. False: nothing. */
LULL_MUST_USE static struct lull_error *findings(struct lull_kernel_run *r, bool *found,
                                                 struct lull_str *out)
{
    char *text = NULL;
    size_t size = 0;
    struct lull_check_code code;
    FILE *to = open_memstream(&text, &size);
    *found = false;
    if (to == NULL) {
        return &lull_enomem;
    }
    code_of(r, &code);
    *found = lull_check_report(&r->check, &code, false, to);
    (void)fclose(to);
    if (*found) {
        const char *end = strstr(text, "\n\n");
        lull_str_add(out, text, end != NULL ? (size_t)(end - text) : size);
    }
    free(text);
    while (out->size != 0 && out->text[out->size - 1] == '\n') {
        out->text[--out->size] = '\0';
    }
    return NULL;
}

/** The job is gone, or the page of it: the first line of what lull run says. */
LULL_MUST_USE static struct lull_error *lost(struct lull_kernel_run *r, struct lull_str *out)
{
    int status = 0;
    struct lull_str all = {0};
    const struct lull_report report = {.device = r->device,
                                       .dri = r->dri,
                                       .image = r->program.image,
                                       .code = r->launched.code,
                                       .lost = true,
                                       .timeout_ms = r->o.timeout_ms,
                                       .out = &all};
    struct lull_error *err = lull_report_failure(&report, &status);
    const char *text = lull_str_text(&all);
    lull_str_add(out, text, strcspn(text, "\n"));
    lull_str_free(&all);
    return err;
}

/** Was that right? */
LULL_MUST_USE static struct lull_error *judge(struct lull_explore *e, enum lull_amd_wait how,
                                              enum lull_outcome_how *ret, struct lull_str *out)
{
    struct lull_kernel_run *r = &e->run;
    bool wrong = false;
    *ret = LULL_OUTCOME_WRONG;
    if (how == LULL_AMD_WAIT_BUSY) {
        const bool waits = r->o.order != NULL && lull_order_waiting(r->o.order) != 0;
        *ret = waits ? LULL_OUTCOME_UNFAIR : LULL_OUTCOME_WRONG;
        lull_str_addf(out, "it does not end within %" PRIu64 " ms of GPU time", r->o.timeout_ms);
        return NULL;
    }
    if (how == LULL_AMD_WAIT_LOST) {
        return lost(r, out);
    }
    for (size_t i = 0; !wrong && i < e->nexpects; i++) {
        wrong = differs(e, &e->expects[i], out);
    }
    struct lull_error *err = NULL;
    if (!wrong && r->check.wanted != 0) {
        err = findings(r, &wrong, out);
    }
    *ret = wrong ? LULL_OUTCOME_WRONG : LULL_OUTCOME_RIGHT;
    return err;
}

/** The text becomes the outcome's. */
LULL_MUST_USE static struct lull_error *say(struct lull_str *text, struct lull_outcome *ret)
{
    struct lull_error *err = text->err;
    if (err == NULL) {
        ret->text = strdup(lull_str_text(text));
        err = ret->text != NULL ? NULL : &lull_enomem;
    }
    text->err = NULL;
    return err;
}

/** All buffers, as they are. */
LULL_MUST_USE static struct lull_error *keep_results(struct lull_explore *e)
{
    const struct lull_args *a = &e->run.o.args;
    e->expects = calloc(a->n + 1, sizeof *e->expects);
    if (e->expects == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < a->n; i++) {
        const struct lull_amd_bo *bo = a->launch[i].bo;
        if (bo == NULL) {
            continue;
        }
        struct lull_expect *x = &e->expects[e->nexpects];
        *x = (struct lull_expect){.arg = i, .size = (size_t)bo->size};
        x->bytes = malloc(x->size + 1);
        if (x->bytes == NULL) {
            return &lull_enomem;
        }
        memcpy(x->bytes, bo->map, x->size);
        e->nexpects++;
    }
    return NULL;
}

struct lull_error *lull_explore_first(struct lull_explore *e, struct lull_outcome *ret)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    struct lull_str text = {0};
    struct lull_error *err = lull_kernel_run_prepare(&e->run);
    for (size_t i = 0; err == NULL && i < e->nexpects; i++) {
        struct lull_expect *x = &e->expects[i];
        const struct lull_amd_bo *bo = NULL;
        const bool there = lull_explore_find(e, x->name, &x->arg);
        bo = there ? e->run.o.args.launch[x->arg].bo : NULL;
        if (bo == NULL) {
            err =
                lull_error_new(LULL_ERR_INVALID, "--expect: no buffer has the name '%s'", x->name);
        } else if (x->size > bo->size) {
            err = lull_error_new(LULL_ERR_INVALID,
                                 "--expect: buffer '%s' has %" PRIu64 " bytes, its file %zu",
                                 x->name, bo->size, x->size);
        }
    }
    err = err != NULL ? err : go(e, &how);
    err = err != NULL ? err : judge(e, how, &ret->how, &text);
    err = err != NULL ? err : say(&text, ret);
    lull_str_free(&text);
    if (err == NULL && how == LULL_AMD_WAIT_DONE && !e->given && e->run.check.wanted == 0) {
        err = keep_results(e);
    }
    lull_kernel_run_close(&e->run);
    lull_check_done(&e->run.check);
    return err;
}

/** By the order that is set. @p ret_how of the job; the GPU stays open. */
LULL_MUST_USE static struct lull_error *once(struct lull_explore *e, struct lull_watch *watch,
                                             enum lull_amd_wait *how)
{
    struct lull_error *err = lull_kernel_run_prepare(&e->run);
    if (err == NULL && watch != NULL) {
        lull_gpu_observe(lull_vdrm_gpu(e->run.kernel), lull_watch_observer(watch));
    }
    return err != NULL ? err : go(e, how);
}

/** An order for the next run. */
LULL_MUST_USE static struct lull_error *set_order(struct lull_explore *e,
                                                  const struct lull_trial *t)
{
    struct lull_error *err = lull_order_new(t->schedule.holds, t->schedule.n, &e->run.o.order);
    if (err == NULL && (t->kind == LULL_TRIAL_DRAW || t->kind == LULL_TRIAL_RECORD)) {
        lull_order_draw(e->run.o.order, t->seed);
    }
    if (err == NULL && t->kind == LULL_TRIAL_RECORD) {
        lull_order_record(e->run.o.order);
    }
    return err;
}

/** The waits that give what was recorded. */
LULL_MUST_USE static struct lull_error *recorded(const struct lull_explore *e,
                                                 struct lull_schedule *ret)
{
    size_t n = 0;
    const struct lull_order_part *parts = lull_order_parts(e->run.o.order, &n);
    if (n > LULL_SCHEDULE_HOLDS) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "an order of more than %d turns",
                              LULL_SCHEDULE_HOLDS);
    }
    struct lull_hold *holds = calloc(n + 1, sizeof *holds);
    if (holds == NULL) {
        return &lull_enomem;
    }
    *ret = (struct lull_schedule){
        .seed = e->run.o.seed, .holds = holds, .n = lull_order_holds(parts, n, holds)};
    return NULL;
}

/** Pairs of what races, by the check of races. */
static size_t racing(const struct lull_checks *c, struct lull_pair *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < lull_checks_count(c) && n < MOST_PAIRS; i++) {
        const struct lull_finding *f = lull_checks_at(c, i);
        if (!f->sites[0].there || !f->sites[1].there) {
            continue;
        }
        for (unsigned k = 0; k < 2; k++) {
            ret[n].pc[k] = f->sites[k].pc;
            ret[n].wave[k] = f->sites[k].wave;
            memcpy(ret[n].workgroup[k], f->sites[k].workgroup, sizeof ret[n].workgroup[k]);
        }
        n++;
    }
    return n;
}

/** Orders that turn racing accesses round: one run with the check, one that counts. */
LULL_MUST_USE static struct lull_error *pairs(struct lull_explore *e, struct lull_outcome *ret)
{
    struct lull_pair all[MOST_PAIRS] = {0};
    const struct lull_schedule none = {0};
    struct lull_watch *watch = NULL;
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    e->run.check.wanted = e->run.check.named = LULL_CHECK_RACE;
    struct lull_error *err = once(e, NULL, &how);
    const size_t n = err == NULL ? racing(e->run.check.checks, all) : 0;
    lull_kernel_run_close(&e->run);
    lull_check_done(&e->run.check);
    e->run.check.wanted = e->run.check.named = 0;
    if (err == NULL && n != 0) {
        err = lull_watch_new(all, n, &none, &watch);
    }
    if (watch != NULL) {
        err = once(e, watch, &how);
        lull_kernel_run_close(&e->run);
        err = err != NULL ? err : lull_watch_orders(watch, &ret->schedule);
    }
    lull_watch_free(watch);
    ret->how = LULL_OUTCOME_RIGHT;
    return err;
}

/** "race.cl:6 <rev+0x88>". */
static void add_place(const struct lull_kernel_run *r, uint64_t pc, struct lull_str *out)
{
    struct lull_line line = {0};
    const uint64_t offset = pc - r->launched.code->va;
    if (pc < r->launched.code->va || offset >= r->launched.code->size) {
        lull_str_addf(out, "an instruction that it does not reach");
        return;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(r->program.image, offset);
    if (lull_image_line_at(r->program.image, offset, &line)) {
        lull_str_addf(out, "%s:%u ", lull_path_from_here(line.file), line.line);
    }
    lull_str_addf(out, "<%s+0x%" PRIx64 ">", symbol != NULL ? symbol->name : "code",
                  symbol != NULL ? offset - symbol->offset : offset);
}

static void add_wave(const struct lull_order_wave *w, struct lull_str *out)
{
    lull_str_addf(out, "wave %u of workgroup %u,%u,%u", w->index, w->workgroup[0], w->workgroup[1],
                  w->workgroup[2]);
}

/** A line for each wait of the schedule. */
LULL_MUST_USE static struct lull_error *places(struct lull_explore *e,
                                               const struct lull_schedule *s,
                                               struct lull_outcome *ret)
{
    struct lull_watch *watch = NULL;
    struct lull_str text = {0};
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    e->run.check.wanted = e->run.check.named = 0;
    struct lull_error *err = lull_watch_new(NULL, 0, s, &watch);
    err = err != NULL ? err : once(e, watch, &how);
    for (size_t i = 0; err == NULL && i < s->n; i++) {
        const struct lull_hold *h = &s->holds[i];
        add_wave(&h->wave, &text);
        lull_str_addf(&text, " waits in front of ");
        add_place(&e->run, lull_watch_at(watch, i), &text);
        lull_str_addf(&text, " until ");
        add_wave(&h->after, &text);
        lull_str_addf(&text, " has done ");
        add_place(&e->run, lull_watch_until(watch, i), &text);
        lull_str_add(&text, "\n", 1);
    }
    err = err != NULL ? err : say(&text, ret);
    lull_str_free(&text);
    lull_kernel_run_close(&e->run);
    lull_watch_free(watch);
    ret->how = LULL_OUTCOME_RIGHT;
    return err;
}

/** One trial. */
LULL_MUST_USE static struct lull_error *attempt(struct lull_explore *e, const struct lull_trial *t,
                                                struct lull_outcome *ret)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    if (t->kind == LULL_TRIAL_PAIRS) {
        return pairs(e, ret);
    }
    struct lull_error *err = set_order(e, t);
    if (err == NULL && t->kind == LULL_TRIAL_PLACES) {
        return places(e, &t->schedule, ret);
    }
    struct lull_str text = {0};
    err = err != NULL ? err : once(e, NULL, &how);
    err = err != NULL ? err : judge(e, how, &ret->how, &text);
    err = err != NULL ? err : say(&text, ret);
    lull_str_free(&text);
    if (err == NULL && t->kind == LULL_TRIAL_RECORD) {
        err = recorded(e, &ret->schedule);
    }
    return err;
}

void lull_explore_work(void *ctx, const char *item, size_t size, struct lull_str *ret)
{
    struct lull_explore *e = ctx;
    struct lull_trial t = {0};
    struct lull_outcome o = {0};
    struct lull_error *err = lull_trial_parse(item, size, &t);
    err = err != NULL ? err : attempt(e, &t, &o);
    if (err != NULL) {
        lull_outcome_done(&o);
        o.how = LULL_OUTCOME_ERROR;
        o.text = strdup(lull_error_message(err));
        lull_error_free(err);
    }
    lull_outcome_text(&o, ret); // The process ends now: what is left is not freed.
}

bool lull_explore_find(const struct lull_explore *e, const char *name, size_t *ret)
{
    const struct lull_args *a = &e->run.o.args;
    const struct lull_kernel_info *k = e->run.program.kernel;
    for (size_t i = 0; i < a->n; i++) {
        char number[24] = "";
        (void)snprintf(number, sizeof number, "%zu", i);
        if (strcmp(lull_args_name(a, i), name) == 0 || strcmp(number, name) == 0 ||
            (i < k->nargs && strcmp(k->args[i].name, name) == 0)) {
            *ret = i;
            return true;
        }
    }
    return false;
}

void lull_explore_done(struct lull_explore *e)
{
    for (size_t i = 0; i < e->nexpects; i++) {
        free(e->expects[i].bytes);
    }
    free(e->expects);
    e->expects = NULL;
    e->nexpects = 0;
    lull_kernel_run_done(&e->run);
}
