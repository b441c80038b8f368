// SPDX-License-Identifier: MIT
/* pixel: what draws did to one pixel. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/shell/shell.h"

enum { ROOM = 4096, MOST = UINT16_MAX, SAMPLES = 8 };

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

static void json_row(struct lull_json *json, const struct lull_fragment *f)
{
    lull_json_open(json, '{');
    lull_json_put_u64(json, "draw", f->draw);
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
    if (f->has_color) {
        json_four(json, "shader", f->shader);
        json_four(json, "before", f->before);
        json_four(json, "after", f->after);
    }
    lull_json_close(json, '}');
}

static void text_row(struct lull_str *out, const struct lull_fragment *f)
{
    lull_str_addf(out, "draw %-4" PRIu64 " primitive %-4" PRIu32, f->draw, f->prim);
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
    if (f->has_color) {
        lull_str_addf(out, "\n    ");
        four("shader", f->shader, out);
        four(", before", f->before, out);
        four(", after", f->after, out);
    }
    lull_str_addf(out, "\n");
}

LULL_MUST_USE static struct lull_error *history(struct lull_cmd *c, uint64_t sample)
{
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
    for (size_t i = 0; i < n; i++) {
        if (sample < SAMPLES && all[i].sample != sample) {
            continue;
        }
        shown++;
        text_row(c->out, &all[i]);
        if (c->json != NULL) {
            json_row(c->json, &all[i]);
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (shown == 0) {
        lull_str_addf(c->out, "Nothing has been drawn there since it is watched.\n");
    }
    return NULL;
}

/* "X Y [sample S]", "off", or nothing: the pixel that is watched. */
struct lull_error *lull_cmd_pixel(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    const char *at = c->args;
    uint64_t x = d->pixel_x;
    uint64_t y = d->pixel_y;
    uint64_t sample = SAMPLES; // all
    if (lull_cmd_word(&at, "off") && *at == '\0') {
        return lull_debug_watch_pixel(d, false, 0, 0);
    }
    at = c->args;
    const bool given = *at != '\0';
    bool good =
        !given || (lull_cmd_number(&at, &x) && lull_cmd_number(&at, &y) && x <= MOST && y <= MOST);
    if (good && lull_cmd_word(&at, "sample")) {
        good = lull_cmd_number(&at, &sample) && sample < SAMPLES;
    }
    if (!good || *at != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "expected 'pixel X Y [sample S]' or 'pixel off'");
    }
    if (!given && !d->pixel_watched) {
        return lull_error_new(LULL_ERR_INVALID, "no pixel is watched: 'pixel X Y'");
    }
    if (d->pixel_watched && x == d->pixel_x && y == d->pixel_y) {
        return history(c, sample);
    }
    struct lull_error *err = lull_debug_watch_pixel(d, true, (uint32_t)x, (uint32_t)y);
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
