// SPDX-License-Identifier: MIT
#include "adreno/show/show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "hw/rd_regs.h"

enum { FLUSH_AT = 1 << 16 };

bool lull_show_wanted(const struct lull_show *w, const struct lull_cap *c)
{
    const struct lull_show_options *o = &w->o;
    // While a stream is walked, c->streams counts it already.
    return (o->frame < 0 || (w->in_stream && o->frame + 1 == (int64_t)c->streams)) &&
           (o->submit < 0 || (c->in_submit && o->submit == (int64_t)c->submit)) &&
           (o->process == NULL || strncmp(c->process, o->process, strlen(o->process)) == 0) &&
           (o->draw < 0 || o->draw == (int64_t)c->draws);
}

void lull_show_flush(struct lull_show *w, bool now)
{
    if (w->text.size > FLUSH_AT || (now && w->text.size > 0)) {
        if (fwrite(w->text.text, 1, w->text.size, w->out) != w->text.size && w->err == NULL) {
            w->err = lull_error_new(LULL_ERR_OS, "cannot write the output");
        }
        w->text.size = 0;
    }
}

void lull_show_add(struct lull_show *w, const char *text)
{
    lull_str_add(&w->text, text, strlen(text));
}

void lull_show_addf(struct lull_show *w, const char *fmt, ...)
{
    char line[1024] = "";
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    lull_show_add(w, line);
}

void lull_show_indent(struct lull_show *w)
{
    for (unsigned i = 0; i < w->indent; i++) {
        lull_str_add(&w->text, "| ", 2);
    }
}

void lull_show_value(struct lull_show *w, struct lull_cap *c, const struct lull_dom_hit *hit,
                     struct lull_cap_value value, bool where)
{
    if (value.state == LULL_CAP_UNKNOWN) {
        lull_show_add(w, "unknown");
    } else {
        lull_cap_value(c, hit, value.v, where, &w->text);
    }
}

void lull_show_was(struct lull_show *w, struct lull_cap *c, const struct lull_dom_hit *hit,
                   struct lull_cap_value old)
{
    if (old.state == LULL_CAP_NEVER) {
        lull_show_add(w, "  (was never written)");
        return;
    }
    lull_show_add(w, "  (was ");
    lull_show_value(w, c, hit, old, false);
    lull_show_add(w, ")");
}

bool lull_show_was_seen(struct lull_show *w, uint64_t hash)
{
    uint64_t *place = &w->seen[hash % LULL_SHOW_SEEN];
    const bool seen = *place == hash;
    *place = hash;
    return seen;
}

void lull_show_gpu(const struct lull_cap *c, struct lull_str *out)
{
    const uint64_t core = c->chip_id >> 24 & 0xff;
    if (c->gpu_id != 0) {
        lull_str_addf(out, "a%" PRIu64, c->gpu_id);
    } else if (c->gen == core) { // ids of old chips say their name
        lull_str_addf(out, "a%" PRIu64 "%" PRIu64 "%" PRIu64, core, c->chip_id >> 16 & 0xff,
                      c->chip_id >> 8 & 0xff);
    } else if (c->gen != 0) {
        lull_str_addf(out, "a%uxx", c->gen);
    } else {
        lull_str_addf(out, "unknown GPU");
    }
    if (c->has_chip) {
        lull_str_addf(out, " (chip 0x%08" PRIx64 ")", c->chip_id);
    }
}

void lull_show_payload(const struct lull_rd_section *s, size_t most, struct lull_str *out)
{
    size_t size = s->size;
    while (size > 0 && s->payload[size - 1] == '\0') {
        size--;
    }
    lull_str_add(out, "\"", 1);
    for (size_t i = 0; i < size && i < most; i++) {
        const uint8_t ch = s->payload[i];
        if (ch >= ' ' && ch < 0x7f && ch != '\\') {
            lull_str_add(out, (const char *)&s->payload[i], 1);
        } else {
            lull_str_addf(out, ch == '\\' ? "\\\\" : "\\x%02x", ch);
        }
    }
    lull_str_addf(out, size > most ? "...\"" : "\"");
}

void lull_show_type(const struct lull_rd_section *s, char *buf, size_t size)
{
    const char *name = s->filler ? lull_rd_type_name(LULL_RD_FILLER) : lull_rd_type_name(s->type);
    if (name != NULL && (s->filler || s->type != LULL_RD_FILLER)) {
        (void)snprintf(buf, size, "%s", name);
    } else {
        (void)snprintf(buf, size, "type %" PRIu32, s->type);
    }
}

void lull_show_draw_line(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    lull_show_add(w, lull_cap_draw_kind(d->kind));
    lull_show_add(w, " ");
    lull_str_dec(&w->text, d->number);
    lull_show_add(w, ": ");
    lull_show_add(w, d->packet->name != NULL ? d->packet->name : "");
    lull_show_add(w, d->what != NULL ? " " : "");
    lull_show_add(w, d->what != NULL ? d->what : "");
    const size_t before = w->text.size;
    lull_show_add(w, ", ");
    lull_cap_draw_size(d, &w->text);
    if (w->text.size == before + 2) {
        w->text.size = before;
    }
    lull_show_add(w, c->mode_name != NULL ? ", " : "");
    lull_show_add(w, c->mode_name != NULL ? c->mode_name : "");
    lull_show_add(w, c->thread != NULL ? ", " : "");
    lull_show_add(w, c->thread != NULL ? c->thread : "");
    lull_show_add(w, ", at 0x");
    lull_str_hex(&w->text, d->packet->address, 1);
    lull_show_add(w, "\n");
}

/* What every way does with problems and parts. */

struct told {
    struct lull_show w;
    struct lull_cap_visitor inner;
};

static void problem(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text)
{
    struct told *t = ctx;
    char line[1024] = "";
    (void)snprintf(line, sizeof line,
                   address != 0 ? "byte %" PRIu64 " (0x%" PRIx64 "): %s"
                                : "byte %" PRIu64 ":%.0" PRIx64 " %s",
                   offset, address, text);
    if (t->w.problems++ < LULL_SHOW_PROBLEMS) {
        fprintf(t->w.log, "%s: %s\n", t->w.name, line);
    }
    if (t->inner.problem != NULL) {
        t->inner.problem(&t->w, c, offset, address, text);
    }
}

static void section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong)
{
    struct told *t = ctx;
    t->w.in_stream = false;
    t->w.sections++;
    if (t->w.o.submit >= 0 && c->in_submit && (int64_t)c->submit > t->w.o.submit) {
        c->s.stop = true;
        return;
    }
    if (t->inner.section != NULL) {
        t->inner.section(&t->w, c, s, wrong);
    }
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct told *t = ctx;
    t->w.in_stream = true;
    memset(t->w.seen, 0, sizeof t->w.seen);
    if ((t->w.o.frame < 0 || t->w.o.frame == (int64_t)s->number) &&
        (t->w.o.submit < 0 || t->w.o.submit == (int64_t)c->submit) && t->w.o.draw < 0) {
        t->w.parts++;
    }
    if (t->inner.stream != NULL) {
        t->inner.stream(&t->w, c, s);
    }
}

static void stream_end(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct told *t = ctx;
    if (t->inner.stream_end != NULL) {
        t->inner.stream_end(&t->w, c, s);
    }
    c->s.stop |= t->w.o.frame >= 0 && t->w.o.frame <= (int64_t)s->number;
    c->s.stop |= t->w.err != NULL;
    t->w.in_stream = false;
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct told *t = ctx;
    if (lull_show_wanted(&t->w, c)) {
        t->w.parts += t->w.o.draw >= 0;
        t->w.counts[d->kind]++;
        t->w.draws_shown++;
    }
    if (t->inner.draw != NULL) {
        t->inner.draw(&t->w, c, d);
    }
    c->s.stop |= t->w.o.draw >= 0 && t->w.o.draw <= (int64_t)c->draws;
}

/** What was asked for is not in the capture. */
LULL_MUST_USE static struct lull_error *missing(const struct lull_show_options *o)
{
    return o->draw >= 0 ? lull_error_new(LULL_ERR_INVALID, "there is no draw %" PRId64, o->draw)
           : o->submit >= 0
               ? lull_error_new(LULL_ERR_INVALID, "there is no submit %" PRId64, o->submit)
               : lull_error_new(LULL_ERR_INVALID, "there is no stream %" PRId64, o->frame);
}

static void choose(struct lull_show *w, struct lull_cap_visitor *v)
{
    const struct lull_show_options *o = &w->o;
    if (o->mode == LULL_SHOW_QUERY) {
        lull_show_query_visitor(w, v);
    } else if (o->mode == LULL_SHOW_SQL) {
        lull_show_sql_visitor(w, v);
    } else if (o->json) {
        lull_show_json_visitor(w, v);
    } else if (o->draw >= 0) {
        lull_show_detail_visitor(w, v);
    } else if (o->mode == LULL_SHOW_SUMMARY) {
        lull_show_summary_visitor(w, v);
    } else {
        lull_show_text_visitor(w, v);
    }
}

struct lull_error *lull_show_capture(struct lull_stream *s, const char *name,
                                     const struct lull_show_options *o, FILE *out, FILE *log,
                                     uint64_t *ret_findings)
{
    struct told *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return &lull_enomem;
    }
    t->w.o = *o;
    t->w.out = out;
    t->w.log = log;
    t->w.name = name;
    t->w.j.out = &t->w.text;
    choose(&t->w, &t->inner);
    struct lull_cap_visitor v = t->inner;
    v.ctx = t; // whose first member is what the ways take
    v.section = section;
    v.stream = stream;
    v.stream_end = stream_end;
    v.draw = draw;
    v.problem = problem;
    const struct lull_cap_options walk = {.both = o->both, .most_work = o->most_work};
    uint64_t problems = 0;
    struct lull_error *err = t->w.err == NULL ? lull_cap_walk(s, &walk, &v, &problems) : NULL;
    const bool chosen = o->draw >= 0 || o->submit >= 0 || o->frame >= 0;
    const bool nothing = chosen && t->w.parts == 0 && err == NULL && t->w.err == NULL;
    if (t->w.finish != NULL && !nothing) {
        t->w.finish(&t->w, err);
    }
    lull_show_sql_end(&t->w, t->w.err == NULL && t->w.sections != 0);
    lull_show_flush(&t->w, true);
    if (problems > LULL_SHOW_PROBLEMS) {
        fprintf(log, "%s: %" PRIu64 " more of that kind\n", name, problems - LULL_SHOW_PROBLEMS);
    }
    if (err != NULL && t->w.sections != 0 && lull_error_code(err) != LULL_ERR_NO_MEMORY) {
        fprintf(log, "%s: %s\n", name, lull_error_message(err));
        lull_error_free(err);
        err = NULL;
        problems++;
    }
    *ret_findings = problems;
    if (t->w.err != NULL) {
        lull_error_free(err);
        err = t->w.err;
        t->w.err = NULL;
    } else if (t->w.text.err != NULL) {
        lull_error_free(err);
        err = &lull_enomem;
    }
    err = nothing && err == NULL ? missing(o) : err;
    free(t->w.columns);
    lull_str_free(&t->w.text);
    free(t);
    return err;
}
