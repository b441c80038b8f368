// SPDX-License-Identifier: MIT
#include "cli/elf/link_glue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "compile/llvm.h"
#include "compile/run.h"
#include "link/glue.h"

enum { PARTS = 3 /**< A fetch part, the shader, an export part. */ };

/** Files of one compilation. */
struct files {
    char *layout, *ir, *object, *cpu;
};

static void files_done(struct files *f)
{
    free(f->layout);
    free(f->ir);
    free(f->object);
    free(f->cpu);
}

LULL_MUST_USE static struct lull_error *name_files(const char *dir, const char *cpu,
                                                   struct files *f)
{
    if (asprintf(&f->layout, "%s/layout.json", dir) < 0) {
        f->layout = NULL;
    }
    if (asprintf(&f->ir, "%s/glue.ll", dir) < 0) {
        f->ir = NULL;
    }
    if (asprintf(&f->object, "%s/glue.o", dir) < 0) {
        f->object = NULL;
    }
    if (asprintf(&f->cpu, "-mcpu=%s", cpu) < 0) {
        f->cpu = NULL;
    }
    return f->layout != NULL && f->ir != NULL && f->object != NULL && f->cpu != NULL ? NULL
                                                                                     : &lull_enomem;
}

/** IR to an object, for free(). */
LULL_MUST_USE static struct lull_error *compile_in(const char *dir,
                                                   const struct lull_link_glue_text *text,
                                                   const struct lull_layout *layout, uint8_t **ret,
                                                   size_t *ret_size)
{
    lull_cleanup(files_done) struct files f = {0};
    lull_cleanup(lull_str_free) struct lull_str json = {0};
    int status = 0;
    lull_layout_write(layout, &json);
    struct lull_error *err = json.err;
    json.err = NULL;
    err = err != NULL ? err : name_files(dir, text->cpu, &f);
    err = err != NULL ? err : lull_run_write(f.layout, lull_str_text(&json), json.size);
    err = err != NULL ? err : lull_run_write(f.ir, lull_str_text(&text->ir), text->ir.size);
    if (err == NULL) {
        const char *argv[] = {"", f.cpu, "--layout", f.layout, f.ir, "-o", f.object, NULL};
        err = lull_llvm_run(argv, &status);
    }
    if (err == NULL && status != 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "lull-cc did not compile it");
    }
    return err != NULL ? err : lull_run_read(f.object, ret, ret_size);
}

LULL_MUST_USE static struct lull_error *add_part(struct lull_glued *g,
                                                 const struct lull_link_input *in,
                                                 const struct lull_layout *layout,
                                                 enum lull_link_glue which)
{
    lull_cleanup(lull_freep) char *dir = NULL;
    struct lull_link_glue_text text = {0};
    uint8_t *object = NULL;
    char *name = NULL;
    size_t size = 0;
    struct lull_error *err = lull_link_glue_make(in, layout, which, &text);
    if (err != NULL || text.ir.size == 0) {
        lull_str_free(&text.ir);
        return err;
    }
    const char *what = which == LULL_LINK_FETCH ? "fetch" : "export";
    err = asprintf(&name, "%s (%s part)", in->name, what) < 0 ? &lull_enomem
                                                              : lull_run_make_dir(&dir);
    if (err == NULL) {
        err = compile_in(dir, &text, layout, &object, &size);
        lull_run_remove_dir(dir);
    }
    lull_str_free(&text.ir);
    if (err != NULL) {
        free(name);
        return lull_error_in(err, "%s: %s part", in->name, what);
    }
    g->owned[g->nowned++] = name;
    g->owned[g->nowned++] = object;
    g->inputs[g->n++] =
        (struct lull_link_input){.name = name, .data = object, .size = size, .glue = which};
    return NULL;
}

struct lull_error *lull_glued_make(const struct lull_link_input *inputs, size_t n,
                                   const struct lull_layout *layout, struct lull_glued *ret)
{
    struct lull_error *err = NULL;
    ret->inputs = calloc(PARTS * n + 1, sizeof *ret->inputs);
    ret->owned = calloc(2 * PARTS * n + 1, sizeof *ret->owned);
    if (ret->inputs == NULL || ret->owned == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < n; i++) {
        err = add_part(ret, &inputs[i], layout, LULL_LINK_FETCH);
        ret->inputs[ret->n++] = inputs[i];
        err = err != NULL ? err : add_part(ret, &inputs[i], layout, LULL_LINK_EXPORT);
    }
    return err;
}

void lull_glued_done(struct lull_glued *g)
{
    for (size_t i = 0; i < g->nowned; i++) {
        free(g->owned[i]);
    }
    free(g->owned);
    free(g->inputs);
    *g = (struct lull_glued){0};
}
