// SPDX-License-Identifier: MIT
// What each draw, dispatch, blit and event of a capture is: a line or two each.
#include <inttypes.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/walk.h"

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    lull_show_addf(w, "stream %" PRIu64 " of submit %" PRIu64, s->number, c->submit);
    if (c->process[0] != '\0') {
        lull_show_addf(w, " (%s)", c->process);
    }
    lull_show_add(w, ", ");
    lull_show_gpu(c, &w->text);
    lull_show_addf(w, ": %" PRIu32 " dwords at 0x%" PRIx64 "\n", s->dwords, s->address);
}

static void event(void *ctx, struct lull_cap *c, uint32_t number)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_vgt_event_type, number);
    lull_show_add(w, "        event ");
    if (name != NULL) {
        lull_show_add(w, name);
    } else {
        lull_show_addf(w, "0x%02" PRIx32, number);
    }
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void mode(void *ctx, struct lull_cap *c)
{
    struct lull_show *w = ctx;
    if (c->gen >= 6 && lull_show_wanted(w, c)) {
        const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_a6xx_marker, c->s.marker);
        lull_show_addf(w, "      mode %s\n", name != NULL ? name : "unknown");
        lull_show_flush(w, false);
    }
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    lull_show_draw_line(w, c, d);
    lull_show_add(w, "    ");
    lull_str_dec(&w->text, d->changed);
    lull_show_add(w, " of ");
    lull_str_dec(&w->text, d->written);
    lull_show_add(w, " registers changed");
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        lull_show_add(w, "; ");
        lull_show_add(w, lull_cap_stage_name((int)s->stage));
        lull_show_add(w, " ");
        if (s->hash == 0) {
            lull_show_addf(w, "0x%" PRIx64 " (not in the capture)", s->address);
            continue;
        }
        lull_str_hex(&w->text, s->hash, 16);
        lull_show_add(w, " ");
        lull_str_dec(&w->text, s->n);
        lull_show_add(w, s->n == 1 ? " instruction" : " instructions");
    }
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void finish(struct lull_show *w, const struct lull_error *err)
{
    (void)err;
    const struct {
        uint64_t n;
        const char *one, *more;
    } rows[] = {
        {w->counts[LULL_CAP_DRAW], " draw, ", " draws, "},
        {w->counts[LULL_CAP_DISPATCH], " dispatch, ", " dispatches, "},
        {w->counts[LULL_CAP_BLIT], " blit, ", " blits, "},
        {w->counts[LULL_CAP_EVENT], " event that writes pixels\n", " events that write pixels\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lull_show_addf(w, "%" PRIu64 "%s", rows[i].n, rows[i].n == 1 ? rows[i].one : rows[i].more);
    }
}

void lull_show_summary_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    v->stream = stream;
    v->event = event;
    v->mode = mode;
    v->draw = draw;
    w->finish = finish;
}
