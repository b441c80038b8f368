// SPDX-License-Identifier: MIT
/* info draws, info draw, dump target: what a program draws. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/rdna/draw.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"
#include "debug/shell/vertices.h"
#include "hw/draw11_regs.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "tex/dump.h"

enum { PAGE = 256, SHOWN = 64 };

static const char *const phases[] = {
    [LULL_PHASE_HELD] = "held",
    [LULL_PHASE_RUNNING] = "running",
    [LULL_PHASE_DONE] = "done",
    [LULL_PHASE_KILLED] = "killed",
};

/* "gs_12345678 ps_9abcdef0" */
static void show_stages(const struct lull_debug *d, const struct lull_draw_info *i,
                        struct lull_str *out)
{
    bool any = false;
    for (unsigned k = 0; k < LULL_STAGES; k++) {
        const struct lull_pipeline *p =
            i->code_va[k] != 0 ? lull_pipeline_of(d, i->code_va[k]) : NULL;
        if (i->code_va[k] != 0) {
            lull_str_addf(out, "%s%s", any ? " " : "", p != NULL ? p->symbol : "?");
            any = true;
        }
    }
}

void lull_draw_line(struct lull_debug *d, const struct lull_draw_info *i, struct lull_str *out)
{
    if (i->grid[0] != 0) {
        lull_str_addf(out, "%" PRIu32 "x%" PRIu32 "x%" PRIu32 " mesh workgroups", i->grid[0],
                      i->grid[1], i->grid[2]);
    } else {
        const bool indexed = i->index_bytes != 0;
        lull_str_addf(out, "%" PRIu32 " %s%s, %" PRIu32 " instance%s", i->count,
                      indexed ? "ind" : "vert", i->count == 1 ? "ex" : "ices", i->instances,
                      i->instances == 1 ? "" : "s");
    }
    lull_str_addf(out, ", ");
    show_stages(d, i, out);
    struct lull_dispatch_names names = {0};
    lull_debug_names_of_draw(d, i, &names);
    lull_cleanup(lull_str_free) struct lull_str title = {0};
    lull_dispatch_title(&names, &title);
    lull_str_addf(out, "%s%s", title.size != 0 ? " " : "", lull_str_text(&title));
    if (i->adreno.tiled) {
        const uint32_t *w = i->adreno.window;
        lull_str_addf(out, ", tile %" PRIu32 ",%" PRIu32 " %" PRIu32 "x%" PRIu32, w[0], w[1],
                      w[2] - w[0], w[3] - w[1]);
    }
    if (!lull_debug_is_ir3(d)) { // Nobody tells what an arm64 program presents.
        lull_str_addf(out, ", frame %" PRIu64, i->frame);
    }
    lull_str_addf(out, ", process %" PRIu32, i->pid);
}

static void json_names(struct lull_debug *d, const struct lull_draw_info *i, struct lull_json *json)
{
    struct lull_dispatch_names n = {0};
    lull_debug_names_of_draw(d, i, &n);
    if (n.record == NULL) {
        return;
    }
    lull_json_put_str(json, "name", n.record->pipeline != NULL ? n.record->pipeline->name : "");
    lull_json_key(json, "labels");
    lull_json_open(json, '[');
    for (size_t k = 0; k < n.record->nlabels; k++) {
        lull_json_str(json, n.record->labels[k]);
    }
    lull_json_close(json, ']');
    lull_json_put_bool(json, "sure", n.sure);
}

static void json_tile(const struct lull_adreno_draw *a, struct lull_json *json)
{
    if (a->tiled) {
        lull_json_key(json, "tile");
        lull_json_open(json, '[');
        for (unsigned k = 0; k < 4; k++) {
            lull_json_u64(json, a->window[k]);
        }
        lull_json_close(json, ']');
    }
}

static void json_draw(struct lull_debug *d, const struct lull_draw_info *i, struct lull_json *json)
{
    lull_json_put_u64(json, "number", i->number);
    lull_json_put_str(json, "state", phases[i->phase]);
    lull_json_put_u64(json, "pid", i->pid);
    lull_json_put_u64(json, "frame", i->frame);
    lull_json_put_u64(json, "count", i->count);
    lull_json_put_u64(json, "instances", i->instances);
    lull_json_put_u64(json, "index_bytes", i->index_bytes);
    lull_json_put_hex(json, "index_va", i->index_va);
    lull_json_key(json, "stages");
    lull_json_open(json, '[');
    for (unsigned k = 0; k < LULL_STAGES; k++) {
        if (i->code_va[k] != 0) {
            const struct lull_pipeline *p = lull_pipeline_of(d, i->code_va[k]);
            lull_json_open(json, '{');
            lull_json_put_str(json, "stage", lull_draw_stage_name((enum lull_draw_stage)k));
            lull_json_put_hex(json, "code", i->code_va[k]);
            lull_json_put_str(json, "pipeline", p != NULL ? p->symbol : "");
            lull_json_close(json, '}');
        }
    }
    lull_json_close(json, ']');
    json_tile(&i->adreno, json);
    json_names(d, i, json);
}

void lull_debug_show_held_draw(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    lull_str_addf(c->out, "Draw %" PRIu64 " is held: ", d->draw.number);
    lull_draw_line(d, &d->draw, c->out);
    lull_str_addf(c->out, "\n");
    struct lull_dispatch_names names = {0};
    lull_debug_names_of_draw(d, &d->draw, &names);
    lull_debug_show_calls(c, &names);
    if (c->json != NULL) {
        lull_json_key(c->json, "draw");
        lull_json_open(c->json, '{');
        json_draw(d, &d->draw, c->json);
        lull_json_close(c->json, '}');
    }
}

struct lull_error *lull_cmd_info_draws(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    lull_cleanup(lull_freep) struct lull_draw_info *infos = calloc(PAGE, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = lull_debug_draws(d, 0, infos, 0, &n);
    const uint64_t total = n;
    const uint64_t first = total > SHOWN ? total - SHOWN : 0;
    err = err != NULL ? err : lull_debug_draws(d, first, infos, PAGE, &n);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "draws");
        lull_json_open(c->json, '[');
    }
    if (first != 0) {
        lull_str_addf(c->out, "(%" PRIu64 " earlier ones)\n", first);
    }
    for (size_t i = 0; i < n && i < PAGE; i++) {
        const bool here = d->has_draw && d->draw.number == infos[i].number;
        lull_str_addf(c->out, "%c %-4" PRIu64 " %-8s ", here ? '*' : ' ', infos[i].number,
                      phases[infos[i].phase]);
        lull_draw_line(d, &infos[i], c->out);
        lull_str_addf(c->out, "\n");
        if (c->json != NULL) {
            lull_json_open(c->json, '{');
            json_draw(d, &infos[i], c->json);
            lull_json_close(c->json, '}');
        }
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (total == 0) {
        lull_str_addf(c->out, "No draws yet.\n");
    }
    return NULL;
}

/* Draw "N", or the one that is held (the last that was, if none is), with its registers if @p
 * ret_regs is there. */
LULL_MUST_USE static struct lull_error *which(struct lull_debug *d, const char *args,
                                              struct lull_draw_info *ret,
                                              struct lull_draw_regs *ret_regs)
{
    uint64_t n = 0;
    const char *at = args;
    size_t got = 0;
    struct lull_error *err = lull_debug_draws(d, 0, ret, 0, &got); // is it a program?
    if (err != NULL) {
        return err;
    }
    if (*at == '\0' && !d->has_draw) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no draw has come yet");
    }
    if (*at == '\0') {
        n = d->draw.number;
    } else if (!lull_cmd_number(&at, &n) || *at != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not the number of a draw", args);
    }
    err = lull_debug_draws(d, n, ret, 1, &got);
    if (err == NULL && got == 0) {
        err = lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " has not come yet", n);
    }
    return err != NULL || ret_regs == NULL ? err : lull_debug_draw_regs(d, n, ret_regs);
}

struct lull_error *lull_debug_the_draw(struct lull_debug *d, struct lull_draw_info *ret,
                                       struct lull_draw_regs *ret_regs)
{
    return which(d, "", ret, ret_regs);
}

/* A row of the digest, and a member of the object. */
static void row(struct lull_cmd *c, const char *name, const struct lull_str *text)
{
    lull_str_addf(c->out, "%-9s %s\n", name, lull_str_text(text));
    if (c->json != NULL) {
        lull_json_put_str(c->json, name, lull_str_text(text));
    }
}

static void show_image(const struct lull_image_desc *d, unsigned level, unsigned slice,
                       struct lull_str *out)
{
    const struct lull_extent e = lull_image_extent(d, level);
    lull_str_addf(out, " %" PRIu32 "x%" PRIu32 " at 0x%012" PRIx64, e.width, e.height, d->base);
    if (d->samples > 1) {
        lull_str_addf(out, ", %u samples", d->samples);
    }
    if (level != 0) {
        lull_str_addf(out, ", level %u", level);
    }
    if (slice != 0) {
        lull_str_addf(out, ", layer %u", slice);
    }
}

static void target_row(struct lull_cmd *c, const struct lull_draw_regs *r, unsigned n)
{
    struct lull_draw_target t = {0};
    char name[16] = "";
    char mask[5] = "----";
    if (!lull_draw_target(r, n, &t)) {
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        mask[i] = (t.mask >> i & 1) != 0 ? "RGBA"[i] : '-';
    }
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    snprintf(name, sizeof name, "target %u", n);
    lull_str_addf(&text, "%s", t.format);
    show_image(&t.image, t.level, t.slice, &text);
    lull_str_addf(&text, ", writes %s, blend ", mask);
    lull_draw_show_blend(r, n, &text);
    row(c, name, &text);
}

static void plane_row(struct lull_cmd *c, const struct lull_draw_regs *r, bool stencil)
{
    struct lull_draw_plane p = {0};
    if (!lull_draw_plane(r, stencil, &p)) {
        return;
    }
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_str_addf(&text, "%s", p.image.format != NULL ? p.image.format->name : "?");
    show_image(&p.image, p.level, p.slice, &text);
    lull_str_addf(&text, "%s, ", p.read_only ? ", read only" : "");
    if (stencil) {
        lull_draw_show_stencil(r, &text);
    } else {
        lull_draw_show_depth(r, &text);
    }
    row(c, stencil ? "stencil" : "depth", &text);
}

static void digest_line(struct lull_cmd *c, const struct lull_draw_info *i)
{
    lull_str_addf(c->out, "Draw %" PRIu64 " (%s): ", i->number, phases[i->phase]);
    lull_draw_line(c->d, i, c->out);
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        json_draw(c->d, i, c->json);
    }
}

static void digest(struct lull_cmd *c, const struct lull_draw_info *i,
                   const struct lull_draw_regs *r)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    digest_line(c, i);
    lull_str_addf(&text, "%s", lull_draw_topology(r));
    if (i->index_bytes != 0) {
        lull_str_addf(&text, ", %" PRIu32 "-bit indices at 0x%012" PRIx64, 8 * i->index_bytes,
                      i->index_va);
    }
    row(c, "vertices", &text);
    for (unsigned k = 0; k < LULL_STAGES; k++) {
        const struct lull_pipeline *p =
            i->code_va[k] != 0 ? lull_pipeline_of(c->d, i->code_va[k]) : NULL;
        lull_cleanup(lull_str_free) struct lull_str code = {0};
        if (i->code_va[k] != 0) {
            lull_str_addf(&code, "%s at 0x%012" PRIx64, p != NULL ? p->symbol : "?", i->code_va[k]);
            row(c, lull_draw_stage_name((enum lull_draw_stage)k), &code);
        }
    }
    for (unsigned n = 0; n < LULL_DRAW_TARGETS; n++) {
        target_row(c, r, n);
    }
    plane_row(c, r, false);
    plane_row(c, r, true);
    lull_cleanup(lull_str_free) struct lull_str viewport = {0};
    lull_draw_show_viewport(r, &viewport);
    row(c, "viewport", &viewport);
    lull_cleanup(lull_str_free) struct lull_str raster = {0};
    lull_draw_show_raster(r, &raster);
    row(c, "raster", &raster);
}

/* "N", "N state": all registers, too. */
struct lull_error *lull_cmd_info_draw(struct lull_cmd *c)
{
    lull_cleanup(lull_freep) struct lull_draw_regs *r = calloc(1, sizeof *r);
    lull_cleanup(lull_freep) char *args = strdup(c->args);
    struct lull_draw_info i = {0};
    if (r == NULL || args == NULL) {
        return &lull_enomem;
    }
    char *state = strstr(args, "state");
    const bool all = state != NULL && state[5] == '\0' && (state == args || state[-1] == ' ');
    if (all) {
        for (*state = '\0'; state > args && state[-1] == ' ';) {
            *--state = '\0';
        }
    }
    const bool ir3 = lull_debug_is_ir3(c->d);
    struct lull_error *err = which(c->d, args, &i, ir3 && !all ? NULL : r);
    if (err != NULL) {
        return err;
    }
    if (ir3) {
        digest_line(c, &i);
        lull_ir3_info_draw(c, &i);
        return NULL;
    }
    struct lull_dispatch_names names = {0};
    lull_debug_names_of_draw(c->d, &i, &names);
    digest(c, &i, r);
    err = lull_debug_show_vertices(c, &i, r);
    if (err == NULL && all) {
        lull_draw_show_state(r, c->out);
    }
    lull_debug_show_stacks(c, &names);
    return err;
}

/* The image that "target [N]", "depth" or "stencil" of the last draw is. */
struct lull_error *lull_debug_draw_image(struct lull_debug *d, const char *what, unsigned n,
                                         struct lull_draw_view *ret)
{
    lull_cleanup(lull_freep) struct lull_draw_regs *r = calloc(1, sizeof *r);
    struct lull_draw_info i = {0};
    struct lull_draw_target t = {0};
    struct lull_draw_plane p = {0};
    if (r == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = which(d, "", &i, r);
    if (err != NULL) {
        return err;
    }
    const bool target = strcmp(what, "target") == 0;
    const bool bound = target ? n < LULL_DRAW_TARGETS && lull_draw_target(r, n, &t)
                              : lull_draw_plane(r, strcmp(what, "stencil") == 0, &p);
    if (!bound) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " has no %s%s", i.number,
                              target ? "such " : "", what);
    }
    *ret = target ? (struct lull_draw_view){t.image, t.level, t.slice}
                  : (struct lull_draw_view){p.image, p.level, p.slice};
    return NULL;
}

static bool ir3_stage(struct lull_debug *d, const char *what, struct lull_dispatch_info *ret,
                      struct lull_error **ret_err)
{
    struct lull_debug_wave *w = NULL;
    struct lull_draw_info i = {0};
    struct lull_error *none = lull_debug_focused(d, &w);
    const bool wave = none == NULL && w->info.of_draw;
    lull_error_free(none);
    const bool implied = *what == '\0' && (wave || (d->at_draw && d->held && !d->packets.stands));
    if (!implied && strcmp(what, "vs") != 0 && strcmp(what, "fs") != 0) {
        return false;
    }
    const enum lull_draw_stage k = implied && wave           ? w->info.stage
                                   : strcmp(what, "fs") == 0 ? LULL_STAGE_FRAGMENT
                                                             : LULL_STAGE_VERTEX;
    *ret_err = which(d, "", &i, NULL);
    *ret = (struct lull_dispatch_info){.number = i.number,
                                       .pid = i.pid,
                                       .client = i.client,
                                       .phase = i.phase,
                                       .code_va = i.code_va[k],
                                       .adreno = i.adreno.stage[k]};
    return true;
}

bool lull_debug_draw_stage(struct lull_debug *d, const char *what, struct lull_dispatch_info *ret,
                           struct lull_error **ret_err)
{
    static const char *const words[LULL_STAGES] = {"hs", "gs", "ps", "vs", "fs"};
    unsigned k = 0;
    if (lull_debug_is_ir3(d)) {
        return ir3_stage(d, what, ret, ret_err);
    }
    while (k < LULL_STAGES && strcmp(what, words[k]) != 0) {
        k++;
    }
    if (k == LULL_STAGES) {
        return false;
    }
    lull_cleanup(lull_freep) struct lull_draw_regs *r = calloc(1, sizeof *r);
    struct lull_draw_info i = {0};
    *ret_err = r != NULL ? which(d, "", &i, r) : &lull_enomem;
    if (*ret_err == NULL && i.code_va[k] == 0) {
        *ret_err = lull_error_new(LULL_ERR_NOT_FOUND, "draw %" PRIu64 " has no %s stage", i.number,
                                  lull_draw_stage_name((enum lull_draw_stage)k));
    }
    if (*ret_err != NULL) {
        return true;
    }
    lull_debug_stage_of(&i, r, k, ret);
    return true;
}
