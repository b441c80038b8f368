// SPDX-License-Identifier: MIT
// lull link: relocatable shaders and a pipeline layout become a pipeline.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/output.h"
#include "cli/elf/link_glue.h"
#include "cli/opt/command.h"
#include "cli/opt/input.h"
#include "compile/llvm.h"
#include "link/link.h"

enum { MAX_INPUTS = 64 };

struct job {
    struct lull_opt_words paths;
    char *texts[MAX_INPUTS];
    const char *layout_path, *out;
    bool json;
    struct lull_link_options options;
    struct lull_layout layout;
    struct lull_link_result result;
};

static const struct lull_opt opts[] = {
    {"--layout", NULL, "LAYOUT", "the pipeline layout: JSON, or LLPC's .pipe", LULL_OPT_IN,
     LULL_OPT_AT(struct job, layout_path)},
    {"-o", "--output", "FILE", "the pipeline; - is stdout, and the report goes to stderr",
     LULL_OPT_OUT, LULL_OPT_AT(struct job, out), .flags = LULL_OPT_NEEDED},
    {"--no-fold", NULL, NULL, "leave offsets in SGPRs where they could be immediates of loads",
     LULL_OPT_FLAG, LULL_OPT_AT(struct job, options.no_fold)},
    {"--explain", NULL, NULL, "each decision, and why", LULL_OPT_FLAG,
     LULL_OPT_AT(struct job, options.explain)},
    {"--json", NULL, NULL, "the report as JSON", LULL_OPT_FLAG, LULL_OPT_AT(struct job, json)},
    {"FILE", .kind = LULL_OPT_IN, LULL_OPT_AT(struct job, paths),
     .flags = LULL_OPT_NEEDED | LULL_OPT_MANY},
    {0},
};

static const struct lull_opt_group groups[] = {{NULL, opts, 0}, {0}};

LULL_MUST_USE static struct lull_error *read_layout(struct job *j)
{
    char *text = NULL;
    size_t size = 0;
    if (j->layout_path == NULL) {
        return NULL;
    }
    struct lull_error *err = lull_input_read(j->layout_path, &text, &size);
    if (err == NULL) {
        err = lull_error_in(lull_layout_read(text, size, &j->layout), "%s", j->layout_path);
    }
    free(text);
    return err;
}

/** The layout has the printf buffer of shaders that ask for it, whether its file names it or not.
 */
LULL_MUST_USE static struct lull_error *add_printf(struct job *j, const struct lull_link_input *in)
{
    lull_cleanup(lull_freep) char *symbol = NULL;
    bool asked = false;
    if (asprintf(&symbol, "doff_%u_%d_b", LULL_LAYOUT_PRINTF_SET, LULL_LAYOUT_PRINTF_BINDING) < 0) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < j->paths.n; i++) { // with its end: a name in a table of strings
        asked |= memmem(in[i].data, in[i].size, symbol, strlen(symbol) + 1) != NULL;
    }
    return asked ? lull_layout_add_buffer(&j->layout, LULL_LAYOUT_PRINTF_SET,
                                          LULL_LAYOUT_PRINTF_BINDING)
                 : NULL;
}

LULL_MUST_USE static struct lull_error *link_files(struct job *j)
{
    struct lull_link_input inputs[MAX_INPUTS] = {{0}};
    struct lull_glued glued = {0};
    struct lull_error *err = read_layout(j);
    for (size_t i = 0; err == NULL && i < j->paths.n; i++) {
        inputs[i].name = j->paths.at[i];
        err = lull_input_read(j->paths.at[i], &j->texts[i], &inputs[i].size);
        inputs[i].data = j->texts[i];
    }
    err = err != NULL ? err : add_printf(j, inputs);
    const struct lull_layout *given =
        j->layout.nnodes != 0 || j->layout_path != NULL ? &j->layout : NULL;
    err = err != NULL ? err : lull_glued_make(inputs, j->paths.n, given, &glued);
    if (err == NULL) {
        err = lull_link(glued.inputs, glued.n, given, &j->options, &j->result);
        const bool layout = err != NULL && strncmp(lull_error_message(err), "layout: ", 8) == 0;
        if (layout && j->layout_path != NULL) {
            err = lull_error_in(err, "%s", j->layout_path);
        }
    }
    lull_glued_done(&glued);
    return err;
}

static void add_summary(const struct job *j, struct lull_str *out)
{
    const struct lull_link_result *r = &j->result;
    lull_str_addf(out, "%s: %zu bytes of %zu %s; relocations: %u resolved, %u kept; ", j->out,
                  r->image.size, j->paths.n, j->paths.n == 1 ? "file" : "files", r->resolved,
                  r->kept);
    lull_str_addf(out, "folded: %u %s, %u %s; ", r->moves, r->moves == 1 ? "move" : "moves",
                  r->folded, r->folded == 1 ? "load" : "loads");
    if (r->spill_threshold == LULL_LINK_NO_SPILL) {
        lull_str_addf(out, "no spill table");
    } else {
        lull_str_addf(out, "spill threshold %u", r->spill_threshold);
    }
    lull_str_addf(out, ", user data limit %u\n", r->user_data_limit);
}

static void add_json(const struct job *j, struct lull_str *out)
{
    const struct lull_link_result *r = &j->result;
    struct lull_json js = {.out = out};
    lull_json_open(&js, '{');
    lull_json_put_str(&js, "output", j->out);
    lull_json_put_u64(&js, "bytes", r->image.size);
    lull_json_put_u64(&js, "resolved", r->resolved);
    lull_json_put_u64(&js, "kept", r->kept);
    lull_json_put_u64(&js, "folded_moves", r->moves);
    lull_json_put_u64(&js, "folded_loads", r->folded);
    lull_json_put_u64(&js, "spill_threshold", r->spill_threshold);
    lull_json_put_u64(&js, "user_data_limit", r->user_data_limit);
    lull_json_key(&js, "warnings");
    lull_json_open(&js, '[');
    for (size_t i = 0; i < r->nwarnings; i++) {
        lull_json_str(&js, r->warnings[i]);
    }
    lull_json_close(&js, ']');
    if (j->options.explain) {
        lull_json_key(&js, "decisions");
        lull_json_open(&js, '[');
        for (size_t i = 0; i < r->ndecisions; i++) {
            const struct lull_link_decision *d = &r->decisions[i];
            lull_json_open(&js, '{');
            lull_json_put_str(&js, "kind", d->kind);
            lull_json_put_str(&js, "file", d->file);
            lull_json_put_str(&js, "subject", d->subject);
            lull_json_put_u64(&js, "value", d->value);
            lull_json_put_str(&js, "text", d->text);
            lull_json_close(&js, '}');
        }
        lull_json_close(&js, ']');
    }
    lull_json_close(&js, '}');
    lull_str_addf(out, "\n");
}

static void add_decisions(const struct job *j, struct lull_str *out)
{
    for (size_t i = 0; i < j->result.ndecisions; i++) {
        const struct lull_link_decision *d = &j->result.decisions[i];
        lull_str_addf(out, "%-9s %s%s%s: %s\n", d->kind, d->file, d->file[0] != '\0' ? ": " : "",
                      d->subject, d->text);
    }
}

LULL_MUST_USE static struct lull_error *report(const struct job *j)
{
    struct lull_str out = {0};
    FILE *to = strcmp(j->out, "-") == 0 ? stderr : stdout;
    if (j->json) {
        add_json(j, &out);
    } else {
        add_decisions(j, &out);
        add_summary(j, &out);
    }
    struct lull_error *err = out.err;
    if (err == NULL) {
        fputs(lull_str_text(&out), to);
    }
    out.err = NULL;
    lull_str_free(&out);
    for (size_t i = 0; i < j->result.nwarnings; i++) {
        fprintf(stderr, "lull link: warning: %s\n", j->result.warnings[i]);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(const struct lull_form *form, int argc, char **argv,
                                            int *status)
{
    struct job j = {.options.list = lull_llvm_list};
    (void)status;
    struct lull_error *err = lull_opt_parse(form, &j, argc, argv);
    if (err == NULL && j.paths.n > MAX_INPUTS) {
        err = lull_error_new(LULL_ERR_INVALID, "more than %d files", MAX_INPUTS);
    }
    if (err == NULL) {
        err = link_files(&j);
        if (err == NULL) {
            err = lull_output_write(j.out, lull_str_text(&j.result.image), j.result.image.size);
        }
        err = err != NULL ? err : report(&j);
    }
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        free(j.texts[i]);
    }
    lull_layout_done(&j.layout);
    lull_link_done(&j.result);
    return err;
}

static const struct lull_form form = {
    .about = "Each FILE is a relocatable shader ELF of llc, LLPC or 'lull cc --relocatable': the "
             "stages of a graphics pipeline, or one compute shader. Relocations against doff_*, "
             "descset_* and the like get their numbers from the layout "
             "(docs/formats/pipeline-layout.md, pipe-layout.md); those that need an address stay "
             "for the loader.",
    .groups = groups,
    .run = run,
};

const struct lull_command lull_cli_link = {
    .name = "link",
    .help = "link relocatable shaders to a pipeline",
    .forms = (const struct lull_form *const[]){&form, NULL},
    .after = "  lull link gs.elf ps.elf --layout layout.json -o pipeline.elf",
};
