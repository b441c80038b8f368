// SPDX-License-Identifier: MIT
// What shaders wrote, as lines.
#include <inttypes.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "layer/printf/printf.h"
#include "printf/table.h"

struct report {
    struct lull_lp_device *d;
    struct lull_str out;
};

void lull_lp_complain(const char *fmt, ...)
{
    va_list args;
    flockfile(stderr);
    fputs("lull printf: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    funlockfile(stderr);
}

/** Between the parts of a place: "[" in front of the first. */
static const char *gap(const struct lull_str *out, size_t start)
{
    return out->size == start ? "[" : " ";
}

static void add_name(struct lull_str *out, const char *name)
{
    if (name != NULL) {
        lull_str_addf(out, " '");
        lull_str_printable(out, name, strlen(name));
        lull_str_addf(out, "'");
    }
}

static void add_pipeline(const struct lull_lp_device *d, const struct lull_printf_event *e,
                         size_t start, struct lull_str *out)
{
    const struct lull_lp_pipeline *p = d->pipelines;
    while (p != NULL && p->number != e->pipeline) {
        p = p->other;
    }
    if (p == NULL) {
        return; // Nobody made one: the number was lost on the way.
    }
    lull_str_addf(out, "%spipeline %" PRIu32, gap(out, start), p->number);
    add_name(out, p->name);
    if (p->draws.n == 1) {
        lull_str_addf(out, " draw %" PRIu64, p->draws.first);
    } else if (p->draws.n > 1) {
        lull_str_addf(out, " draws %" PRIu64 " to %" PRIu64, p->draws.first, p->draws.last);
    }
}

static void add_site(const struct lull_lp_site *s, size_t start, struct lull_str *out)
{
    if (s->file != NULL) {
        const char *base = strrchr(s->file, '/');
        lull_str_addf(out, "%s", gap(out, start));
        base = base != NULL ? base + 1 : s->file;
        lull_str_printable(out, base, strlen(base));
    } else {
        lull_str_addf(out, "%smodule %" PRIu32, gap(out, start), s->module->number);
    }
    if (s->line != 0) {
        lull_str_addf(out, ":%" PRIu32, s->line);
    }
    add_name(out, s->module->name);
}

static bool is_compute(uint32_t model)
{
    return model == SpvExecutionModelGLCompute || model == SpvExecutionModelTaskEXT ||
           model == SpvExecutionModelMeshEXT || model == SpvExecutionModelTaskNV ||
           model == SpvExecutionModelMeshNV;
}

/** The invocation, by stage: what the record of the workgroup holds is said in
 * spirv/printf_record.c. */
static void add_invocation(uint32_t model, const struct lull_printf_event *e, size_t start,
                           struct lull_str *out)
{
    const uint32_t *w = e->workgroup;
    const char *between = gap(out, start);
    if (is_compute(model)) {
        lull_str_addf(out, "%sworkgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32, between, w[0], w[1],
                      w[2]);
    } else if (model == SpvExecutionModelFragment) {
        lull_str_addf(out, "%spixel %" PRIu32 ",%" PRIu32, between, w[0], w[1]);
    } else if (model == SpvExecutionModelVertex) {
        lull_str_addf(out, "%svertex %" PRIu32 " instance %" PRIu32, between, w[0], w[1]);
    } else if (model == SpvExecutionModelGeometry ||
               model == SpvExecutionModelTessellationControl ||
               model == SpvExecutionModelTessellationEvaluation) {
        lull_str_addf(out, "%sprimitive %" PRIu32, between, w[0]);
    } else {
        lull_str_addf(out, "%sinvocation %" PRIu32 ",%" PRIu32 ",%" PRIu32, between, w[0], w[1],
                      w[2]);
    }
}

static void add_place(const struct lull_lp_device *d, const struct lull_printf_event *e,
                      struct lull_str *out)
{
    const size_t start = out->size;
    const bool known = (e->records & LULL_PRINTF_SITE) != 0 && e->site < d->nsites;
    const uint32_t model = known ? d->sites[e->site].module->model : UINT32_MAX;
    if ((e->records & LULL_PRINTF_PIPELINE) != 0) {
        if (known) {
            add_site(&d->sites[e->site], start, out);
        }
        add_pipeline(d, e, start, out);
    }
    if ((e->records & LULL_PRINTF_DISPATCH) != 0 && model == SpvExecutionModelGLCompute &&
        e->dispatch < d->nserials && d->serials[e->dispatch].submits == 1 && !d->several) {
        lull_str_addf(out, "%sdispatch %" PRIu64, gap(out, start), d->serials[e->dispatch].number);
    }
    if ((e->records & LULL_PRINTF_WORKGROUP) != 0) {
        add_invocation(model, e, start, out);
    }
    if ((e->records & LULL_PRINTF_WAVE) != 0) {
        lull_str_addf(out, "%swave %" PRIu32, gap(out, start), e->wave);
    }
    if ((e->records & LULL_PRINTF_LANE) != 0) {
        lull_str_addf(out, "%slane %" PRIu32, gap(out, start), e->lane);
    }
    if (out->size != start) {
        lull_str_addf(out, "] ");
    }
}

LULL_MUST_USE static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct report *r = arg;
    if (e->kind == LULL_PRINTF_LOST) {
        lull_lp_complain("%" PRIu64 " lines are lost: the buffer of %" PRIu32
                         " bytes is full (LULL_PRINTF_SIZE)",
                         e->lost, r->d->bytes);
    } else if (e->text_size == 0 && e->problem[0] != '\0') {
        lull_lp_complain("offset 0x%" PRIx64 " of the buffer: %s", e->offset, e->problem);
    } else if (e->kind != LULL_PRINTF_CANDIDATE) {
        const bool ended = e->text_size != 0 && e->text[e->text_size - 1] == '\n';
        add_place(r->d, e, &r->out);
        lull_str_printable(&r->out, e->text, e->text_size - ended);
        lull_str_add(&r->out, "\n", 1);
    }
    return r->out.err;
}

/** All at once, so that lines of several threads or processes do not mix. */
static void put(const char *text, size_t size)
{
    const char *where = getenv("LULL_PRINTF");
    const bool err = where != NULL && strcmp(where, "stderr") == 0;
    fflush(err ? stderr : stdout); // What the program printed before came before.
    while (size != 0) {
        const ssize_t n = write(err ? STDERR_FILENO : STDOUT_FILENO, text, size);
        if (n <= 0) {
            return;
        }
        text += n;
        size -= (size_t)n;
    }
}

void lull_lp_report(struct lull_lp_device *d, bool live)
{
    struct report r = {.d = d};
    struct lull_error *err =
        lull_printf_decode(&d->decoder, d->table, d->map, d->bytes, live, on_event, &r);
    if (r.out.size != 0) {
        put(r.out.text, r.out.size);
    }
    if (err != NULL) {
        lull_lp_complain("%s", lull_error_message(err));
        if (err != r.out.err) {
            lull_error_free(err);
        }
    }
    lull_str_free(&r.out);
}
