// SPDX-License-Identifier: MIT
// A kernel of this process in orders of waves.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/run/explore.h"
#include "cli/run/report.h"
#include "model/amd/gpu/gpu.h"
#include "model/order.h"
#include "target/amd/device.h"
#include "vdrm/amdgpu/vdrm.h"

enum { NS_PER_MS = 1000000 };

/** Submit what is prepared, and wait. */
LULL_MUST_USE static struct lull_error *go(struct lull_explore *e, enum lull_amd_wait *how)
{
    struct lull_kernel_run *r = &e->run;
    struct lull_error *err = lull_amd_submit(r->device, &r->launched.dispatch);
    return err != NULL ? err : lull_amd_wait(r->device, r->o.timeout_ms * NS_PER_MS, how);
}

/** The first byte that differs. False: none does. */
static bool differs(const struct lull_explore *e, const struct lull_expect *x, struct lull_str *out)
{
    const struct lull_kernel_run *r = &e->run;
    const struct lull_arg *arg =
        x->arg < r->program.kernel->nargs ? &r->program.kernel->args[x->arg] : NULL;
    const char *name = x->name != NULL                       ? x->name
                       : arg != NULL && arg->name[0] != '\0' ? arg->name
                                                             : lull_args_name(&r->o.args, x->arg);
    return lull_explore_differs(name, r->o.args.launch[x->arg].bo->map, x->bytes, x->size, out);
}

static void code_of(const struct lull_kernel_run *r, struct lull_check_code *ret)
{
    *ret = (struct lull_check_code){
        .image = r->program.image, .va = r->launched.code->va, .size = r->launched.code->size};
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
        struct lull_check_code code;
        code_of(r, &code);
        err = lull_explore_findings(&r->check, &code, &wrong, out);
    }
    *ret = wrong ? LULL_OUTCOME_WRONG : LULL_OUTCOME_RIGHT;
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

/** Number of the argument called @p name: its :name=, its name in the kernel, or its number. */
static bool find(const struct lull_explore *e, const char *name, size_t *ret)
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

/** Buffers that --expect names. */
LULL_MUST_USE static struct lull_error *find_expected(struct lull_explore *e)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < e->nexpects; i++) {
        struct lull_expect *x = &e->expects[i];
        const bool there = find(e, x->name, &x->arg);
        const struct lull_amd_bo *bo = there ? e->run.o.args.launch[x->arg].bo : NULL;
        if (bo == NULL) {
            err =
                lull_error_new(LULL_ERR_INVALID, "--expect: no buffer has the name '%s'", x->name);
        } else if (x->size > bo->size) {
            err = lull_error_new(LULL_ERR_INVALID,
                                 "--expect: buffer '%s' has %" PRIu64 " bytes, its file %zu",
                                 x->name, bo->size, x->size);
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *first(struct lull_explore *e, struct lull_explore_once *o)
{
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    struct lull_error *err = lull_kernel_run_prepare(&e->run);
    err = err != NULL ? err : find_expected(e);
    err = err != NULL ? err : go(e, &how);
    err = err != NULL ? err : judge(e, how, &o->how, &o->text);
    if (err == NULL && how == LULL_AMD_WAIT_DONE && !e->given && e->run.check.wanted == 0) {
        err = keep_results(e);
    }
    return err;
}

/** By the order that is set. The GPU stays open. */
LULL_MUST_USE static struct lull_error *once(struct lull_explore *e, struct lull_explore_once *o)
{
    struct lull_kernel_run *r = &e->run;
    enum lull_amd_wait how = LULL_AMD_WAIT_BUSY;
    const unsigned wanted = r->check.wanted, named = r->check.named;
    if (!o->judge) { // Nobody looks, or the check of races does.
        r->check.wanted = r->check.named = o->watch == NULL ? LULL_CHECK_RACE : 0;
    }
    r->o.order = e->order;
    struct lull_error *err = lull_kernel_run_prepare(r);
    if (err == NULL && o->watch != NULL) {
        lull_gpu_observe(lull_vdrm_gpu(r->kernel), lull_watch_observer(o->watch));
    }
    err = err != NULL ? err : go(e, &how);
    if (err == NULL && o->judge) {
        err = judge(e, how, &o->how, &o->text);
    } else if (err == NULL && o->watch == NULL) {
        lull_explore_racing(r->check.checks, o);
    }
    r->o.order = NULL;
    r->check.wanted = wanted;
    r->check.named = named;
    return err;
}

static void place(const struct lull_explore *e, uint64_t pc, struct lull_str *out)
{
    const struct lull_kernel_run *r = &e->run;
    struct lull_line line = {0};
    const uint64_t offset = pc - r->launched.code->va;
    if (pc < r->launched.code->va || offset >= r->launched.code->size) {
        lull_str_addf(out, "an instruction elsewhere");
        return;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(r->program.image, offset);
    if (lull_image_line_at(r->program.image, offset, &line)) {
        lull_str_addf(out, "%s:%u ", lull_path_from_here(line.file), line.line);
    }
    lull_str_addf(out, "<%s+0x%" PRIx64 ">", symbol != NULL ? symbol->name : "code",
                  symbol != NULL ? offset - symbol->offset : offset);
}

static void finish(struct lull_explore *e)
{
    lull_kernel_run_close(&e->run);
    lull_check_done(&e->run.check);
}

const struct lull_explore_ops lull_explore_kernel = {first, once, place, finish};

void lull_explore_done(struct lull_explore *e)
{
    for (size_t i = 0; i < e->nexpects; i++) {
        free(e->expects[i].bytes);
    }
    free(e->expects);
    e->expects = NULL;
    e->nexpects = 0;
    lull_kernel_run_done(&e->run);
    lull_vk_options_done(&e->shaded.o);
}
