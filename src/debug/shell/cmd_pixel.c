// SPDX-License-Identifier: MIT
/* pixel: what draws did to one pixel. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/draw.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"

enum { ROOM = 4096, MOST = UINT16_MAX, SAMPLES = 8, INSNS = 256 };

/** What a sample of a target was after the last draw that wrote it. */
struct last {
    bool known;
    uint64_t base;
    unsigned level, slice;
    float after[4];
};

/** The history as it is asked for, and where it is. */
struct history {
    struct lull_cmd *c;
    uint64_t sample, target, frame; ///< UINT64_MAX: all.
    uint64_t shown_frame;
    uint64_t draw; ///< Whose these are; UINT64_MAX: none's.
    struct lull_draw_info info;
    struct lull_draw_regs regs;
    bool known;       ///< The registers are still known.
    const char *kind; ///< "draw", or what the driver does: "clear", "copy", "expand".
    struct last last[LULL_TARGETS][SAMPLES];
};

static const char *fate_of(const struct lull_fragment *f)
{
    static const char *const fates[] = {
        [LULL_FRAGMENT_KEPT] = "passed",
        [LULL_FRAGMENT_DISCARD] = "discarded by the shader",
        [LULL_FRAGMENT_MASK] = "masked by the sample mask",
        [LULL_FRAGMENT_BOUNDS] = "failed the depth bounds",
        [LULL_FRAGMENT_STENCIL_TEST] = "failed the stencil test",
        [LULL_FRAGMENT_DEPTH_TEST] = "failed the depth test",
    };
    return fates[f->fate];
}

static void four(const char *name, const float v[4], struct lull_str *out)
{
    lull_str_addf(out, "%s", name);
    for (unsigned i = 0; i < 4; i++) {
        if (isnan(v[i])) { // whatever its sign bit
            lull_str_addf(out, " nan");
        } else {
            lull_str_addf(out, " %.4g", (double)v[i]);
        }
    }
}

static void json_four(struct lull_json *json, const char *name, const float v[4])
{
    lull_json_key(json, name);
    lull_json_open(json, '[');
    for (unsigned i = 0; i < 4; i++) {
        lull_json_float(json, v[i]);
    }
    lull_json_close(json, ']');
}

/** Does the pixel shader load anything from images or buffers? */
static bool loads(struct lull_debug *d, const struct lull_pipeline *p)
{
    uint64_t va = p->va;
    for (unsigned i = 0; i < INSNS && va - p->va < p->bytes; i++) {
        lull_cleanup(lull_str_free) struct lull_str text = {0};
        unsigned size = 0;
        struct lull_error *err = lull_debug_insn_text(d, va, 64, &text, &size);
        if (err != NULL) {
            lull_error_free(err);
            return false;
        }
        if (strncmp(lull_str_text(&text), "image_", 6) == 0 ||
            strncmp(lull_str_text(&text), "buffer_load", 11) == 0) {
            return true;
        }
        va += size;
    }
    return false;
}

static const char *kind_of(struct lull_debug *d, const struct history *h)
{
    const struct lull_pipeline *p = NULL;
    switch (h->known ? lull_draw_owner(&h->regs) : LULL_DRAW_PROGRAM) {
    case LULL_DRAW_EXPANDS:
        return "expand";
    case LULL_DRAW_DRIVER:
        p = lull_pipeline_of(d, h->info.code_va[LULL_STAGE_PIXEL]);
        return p != NULL && loads(d, p) ? "copy" : "clear";
    case LULL_DRAW_PROGRAM:
    default:
        return "draw";
    }
}

/** Look at draw @p number, once for all its rows. */
LULL_MUST_USE static struct lull_error *meet(struct history *h, uint64_t number)
{
    size_t n = 0;
    if (h->draw == number) {
        return NULL;
    }
    h->draw = number;
    struct lull_error *err = lull_debug_draws(h->c->d, number, &h->info, 1, &n);
    if (err != NULL) {
        return err;
    }
    err = lull_debug_draw_regs(h->c->d, number, &h->regs);
    h->known = err == NULL;
    lull_error_free(err); // too long ago
    h->kind = kind_of(h->c->d, h);
    return NULL;
}

/** Where a sample of target @p t is; is it not any more what the last draw left there? */
static bool changed_since(struct history *h, const struct lull_fragment *f, unsigned t)
{
    struct lull_draw_target at = {0};
    struct last *last = &h->last[t][f->sample % SAMPLES];
    const bool there = h->known && lull_draw_target(&h->regs, t, &at);
    const unsigned slice = at.slice + f->layer;
    const bool same = last->known && there && last->base == at.image.base &&
                      last->level == at.level && last->slice == slice;
    const bool ret = same && memcmp(last->after, f->color[t].before, sizeof last->after) != 0;
    *last = (struct last){there, at.image.base, at.level, slice, {0}};
    memcpy(last->after, f->color[t].after, sizeof last->after);
    return ret;
}

static void json_color(struct lull_json *json, const struct lull_texel_change *c, bool changed)
{
    json_four(json, "shader", c->shader);
    json_four(json, "before", c->before);
    json_four(json, "after", c->after);
    lull_json_put_bool(json, "changed_between", changed);
}

/** Of one target, as members of the row, of all in an array. */
static void json_colors(const struct history *h, const struct lull_fragment *f, uint32_t changed)
{
    struct lull_json *json = h->c->json;
    const uint64_t one = h->target == UINT64_MAX ? 0 : h->target;
    if ((f->targets >> one & 1) != 0) {
        json_color(json, &f->color[one], (changed >> one & 1) != 0);
    }
    lull_json_key(json, "targets");
    lull_json_open(json, '[');
    for (unsigned t = 0; t < LULL_TARGETS; t++) {
        if ((f->targets >> t & 1) != 0 && (h->target == UINT64_MAX || h->target == t)) {
            lull_json_open(json, '{');
            lull_json_put_u64(json, "target", t);
            json_color(json, &f->color[t], (changed >> t & 1) != 0);
            lull_json_close(json, '}');
        }
    }
    lull_json_close(json, ']');
}

static void json_row(const struct history *h, const struct lull_fragment *f, uint32_t changed)
{
    struct lull_json *json = h->c->json;
    lull_json_open(json, '{');
    lull_json_put_u64(json, "draw", f->draw);
    lull_json_put_u64(json, "frame", h->info.frame);
    lull_json_put_str(json, "kind", h->kind);
    lull_json_put_u64(json, "primitive", f->prim);
    lull_json_put_u64(json, "instance", f->instance);
    lull_json_put_u64(json, "layer", f->layer);
    lull_json_put_u64(json, "sample", f->sample);
    lull_json_put_str(json, "fate", fate_of(f));
    lull_json_put_bool(json, "early", f->early);
    if (f->has_depth) {
        lull_json_key(json, "depth");
        lull_json_float(json, f->z);
        lull_json_key(json, "depth_before");
        lull_json_float(json, f->z_before);
    }
    if (f->has_stencil) {
        lull_json_put_u64(json, "stencil_before", f->stencil_before);
    }
    json_colors(h, f, changed);
    lull_json_close(json, '}');
}

/** "primitive 3", or what the driver does. */
static void text_head(const struct history *h, const struct lull_fragment *f)
{
    struct lull_str *out = h->c->out;
    lull_str_addf(out, "draw %-4" PRIu64 " ", f->draw);
    if (strcmp(h->kind, "draw") == 0) {
        lull_str_addf(out, "primitive %-4" PRIu32, f->prim);
    } else {
        lull_str_addf(out, "%-14s",
                      strcmp(h->kind, "clear") == 0  ? "a clear"
                      : strcmp(h->kind, "copy") == 0 ? "a copy"
                                                     : "expands");
    }
}

static void text_row(const struct history *h, const struct lull_fragment *f, uint32_t changed)
{
    struct lull_str *out = h->c->out;
    text_head(h, f);
    if (f->instance != 0) {
        lull_str_addf(out, " instance %" PRIu32, f->instance);
    }
    if (f->layer != 0) {
        lull_str_addf(out, " layer %" PRIu32, f->layer);
    }
    lull_str_addf(out, " sample %" PRIu32 "  %s%s", f->sample, fate_of(f),
                  f->early && f->fate != LULL_FRAGMENT_KEPT ? " in front of the shader" : "");
    if (f->has_depth) {
        lull_str_addf(out, ", depth %.7g was %.7g", (double)f->z, (double)f->z_before);
    }
    if (f->has_stencil) {
        lull_str_addf(out, ", stencil was 0x%02" PRIx32, f->stencil_before);
    }
    for (unsigned t = 0; t < LULL_TARGETS; t++) {
        if ((f->targets >> t & 1) == 0 || (h->target != UINT64_MAX && h->target != t)) {
            continue;
        }
        lull_str_addf(out, "\n    ");
        if (t != 0 || f->targets != 1) {
            lull_str_addf(out, "target %u ", t);
        }
        four("shader", f->color[t].shader, out);
        four(", before", f->color[t].before, out);
        four(", after", f->color[t].after, out);
        lull_str_addf(
            out, "%s",
            (changed >> t & 1) != 0
                ? " (what was before no draw left: a fast clear, a copy or a dispatch did)"
                : "");
    }
    lull_str_addf(out, "\n");
}

/** A row, if it is asked for. @p ret: it was. */
LULL_MUST_USE static struct lull_error *row(struct history *h, const struct lull_fragment *f,
                                            bool *ret)
{
    uint32_t changed = 0;
    struct lull_error *err = meet(h, f->draw);
    *ret = err == NULL && (h->sample == UINT64_MAX || h->sample == f->sample) &&
           (h->frame == UINT64_MAX || h->frame == h->info.frame);
    if (err != NULL) {
        return err;
    }
    for (uint32_t m = f->targets; m != 0; m &= m - 1) {
        const unsigned t = (unsigned)__builtin_ctz(m);
        changed |= changed_since(h, f, t) ? 1u << t : 0;
    }
    if (!*ret) {
        return NULL;
    }
    if (h->info.frame != h->shown_frame) {
        lull_str_addf(h->c->out, "Frame %" PRIu64 ":\n", h->info.frame);
        h->shown_frame = h->info.frame;
    }
    text_row(h, f, changed);
    if (h->c->json != NULL) {
        json_row(h, f, changed);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *show(struct history *h)
{
    struct lull_cmd *c = h->c;
    lull_cleanup(lull_freep) struct lull_fragment *all = calloc(ROOM, sizeof *all);
    size_t n = 0;
    size_t shown = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debug_fragments(c->d, 0, all, ROOM, &n);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "history");
        lull_json_open(c->json, '[');
    }
    for (size_t i = 0; err == NULL && i < n; i++) {
        bool one = false;
        err = row(h, &all[i], &one);
        shown += one;
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (err == NULL && shown == 0) {
        lull_str_addf(c->out, "Nothing %shas been drawn there since it is watched.\n",
                      n != 0 ? "of that " : "");
    }
    return err;
}

/** From here on this pixel is the one that is watched. */
LULL_MUST_USE static struct lull_error *watch(struct lull_cmd *c, uint64_t x, uint64_t y)
{
    struct lull_error *err = lull_debug_watch_pixel(c->d, true, (uint32_t)x, (uint32_t)y);
    if (err == NULL) {
        lull_str_addf(c->out,
                      "Pixel %" PRIu64 ",%" PRIu64
                      " is watched from here on: let the program draw, "
                      "then 'pixel' shows what became of it.\n",
                      x, y);
    }
    if (err == NULL && c->json != NULL) {
        lull_json_put_u64(c->json, "x", x);
        lull_json_put_u64(c->json, "y", y);
    }
    return err;
}

/* "[X Y] [sample S] [target N] [frame N]" or "off". Without X Y: the pixel that is watched. */
struct lull_error *lull_cmd_pixel(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    lull_cleanup(lull_freep) struct history *h = calloc(1, sizeof *h);
    const char *at = c->args;
    uint64_t x = d->pixel_x;
    uint64_t y = d->pixel_y;
    if (h == NULL) {
        return &lull_enomem;
    }
    *h = (struct history){.c = c,
                          .sample = UINT64_MAX,
                          .target = UINT64_MAX,
                          .frame = UINT64_MAX,
                          .draw = UINT64_MAX};
    const struct lull_cmd_option options[] = {{"sample", SAMPLES - 1, &h->sample},
                                              {"target", LULL_TARGETS - 1, &h->target},
                                              {"frame", UINT64_MAX - 1, &h->frame}};
    if (lull_cmd_word(&at, "off") && *at == '\0') {
        return lull_debug_watch_pixel(d, false, 0, 0);
    }
    at = c->args;
    const bool given = *at >= '0' && *at <= '9';
    const bool good =
        !given || (lull_cmd_number(&at, &x) && lull_cmd_number(&at, &y) && x <= MOST && y <= MOST);
    if (!good || !lull_cmd_options(at, options, sizeof options / sizeof options[0])) {
        return lull_error_new(
            LULL_ERR_INVALID,
            "expected 'pixel X Y [sample S] [target N] [frame N]' or 'pixel off'");
    }
    if (!given && !d->pixel_watched) {
        return lull_error_new(LULL_ERR_INVALID, "no pixel is watched: 'pixel X Y'");
    }
    return d->pixel_watched && x == d->pixel_x && y == d->pixel_y ? show(h) : watch(c, x, y);
}
