// SPDX-License-Identifier: MIT
/* debug pixel, vertex, primitive: to the lane of one thing. */
#include <inttypes.h>

#include "base/error.h"
#include "debug/shell/shell.h"

enum { MOST_XY = UINT16_MAX, MOST_SAMPLE = 7 };

/* "Pixel 16,16", "Vertex 3", "Primitive 0 instance 2" */
static void name_goal(const struct lull_debug_goal *g, struct lull_str *out)
{
    if (g->kind == LULL_DEBUG_PIXEL) {
        lull_str_addf(out, "Pixel %" PRIu32 ",%" PRIu32, g->x, g->y);
        if (g->sample != UINT32_MAX) {
            lull_str_addf(out, " sample %" PRIu32, g->sample);
        }
        return;
    }
    lull_str_addf(out, "%s %" PRIu32, g->kind == LULL_DEBUG_VERTEX ? "Vertex" : "Primitive",
                  g->index);
    if (g->instance != 0) {
        lull_str_addf(out, " instance %" PRIu32, g->instance);
    }
}

/* "Pixel 16,16 of draw 3, primitive 0:" */
static void show_found(struct lull_cmd *c, const struct lull_debug_goal *g)
{
    const struct lull_aimed *a = &c->d->aimed;
    name_goal(g, c->out);
    lull_str_addf(c->out, " of draw %" PRIu64, a->draw);
    if (g->kind == LULL_DEBUG_PIXEL) {
        lull_str_addf(c->out, ", primitive %" PRIu32, a->prim);
        if (a->instance != 0) {
            lull_str_addf(c->out, " instance %" PRIu32, a->instance);
        }
    } else if (g->kind == LULL_DEBUG_VERTEX && a->index != g->index) {
        lull_str_addf(c->out, ", index %" PRIu32, a->index);
    }
    lull_str_addf(c->out, ":\n");
}

/* What did not come, and why that may be. */
static void show_missing(struct lull_cmd *c, const struct lull_debug_goal *g)
{
    name_goal(g, c->out);
    if (c->d->outcome != LULL_OUT_DONE && c->d->outcome != LULL_OUT_LOST) {
        lull_str_addf(c->out, " has not come yet: something else came first.\n");
        return;
    }
    lull_str_addf(c->out, g->kind == LULL_DEBUG_PIXEL ? " was not shaded" : " did not come");
    if (g->draw != UINT64_MAX) {
        lull_str_addf(c->out, " in draw %" PRIu64, g->draw);
    } else {
        lull_str_addf(c->out, " in any draw from there on");
    }
    lull_str_addf(c->out, "%s\n",
                  g->kind == LULL_DEBUG_PIXEL
                      ? ": no primitive covered it, or all failed in front of the shader."
                      : ".");
}

static void json_found(struct lull_json *json, const struct lull_debug_goal *g,
                       const struct lull_aimed *a)
{
    lull_json_key(json, "goal");
    lull_json_open(json, '{');
    lull_json_put_bool(json, "found", a->found);
    if (a->found) {
        lull_json_put_u64(json, "draw", a->draw);
        lull_json_put_u64(json, "lane", a->lane);
        lull_json_put_u64(json, "instance", a->instance);
    }
    if (a->found && g->kind == LULL_DEBUG_VERTEX) {
        lull_json_put_u64(json, "index", a->index);
    } else if (a->found) {
        lull_json_put_u64(json, "primitive", a->prim);
    }
    if (a->found && g->kind == LULL_DEBUG_PIXEL) {
        lull_json_put_u64(json, "sample", a->sample);
    }
    lull_json_close(json, '}');
}

LULL_MUST_USE static struct lull_error *go(struct lull_cmd *c, const struct lull_debug_goal *g)
{
    struct lull_error *err = lull_debug_go_to(c->d, g);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        json_found(c->json, g, &c->d->aimed);
    }
    if (c->d->aimed.found) {
        show_found(c, g);
    }
    err = lull_debug_report(c);
    if (err == NULL && !c->d->aimed.found) {
        show_missing(c, g);
    }
    return err;
}

/* "pixel X Y [sample S] [prim N] [draw N]" */
struct lull_error *lull_cmd_debug(struct lull_cmd *c)
{
    uint64_t x = 0;
    uint64_t y = 0;
    uint64_t sample = UINT32_MAX;
    uint64_t prim = UINT32_MAX;
    uint64_t draw = UINT64_MAX;
    const struct lull_cmd_option options[] = {{"sample", MOST_SAMPLE, &sample},
                                              {"prim", UINT32_MAX - 1, &prim},
                                              {"primitive", UINT32_MAX - 1, &prim},
                                              {"draw", UINT64_MAX - 1, &draw}};
    const char *at = c->args;
    const bool good = lull_cmd_word(&at, "pixel") && lull_cmd_number(&at, &x) && x <= MOST_XY &&
                      lull_cmd_number(&at, &y) && y <= MOST_XY &&
                      lull_cmd_options(at, options, sizeof options / sizeof options[0]);
    if (!good) {
        return lull_error_new(LULL_ERR_INVALID,
                              "expected 'debug pixel X Y [sample S] [prim N] [draw N]'");
    }
    const struct lull_debug_goal g = {.kind = LULL_DEBUG_PIXEL,
                                      .draw = draw,
                                      .x = (uint32_t)x,
                                      .y = (uint32_t)y,
                                      .sample = (uint32_t)sample,
                                      .primitive = (uint32_t)prim};
    return go(c, &g);
}

/* "N [instance M] [draw N]" */
LULL_MUST_USE static struct lull_error *numbered(struct lull_cmd *c, enum lull_debug_goal_kind kind)
{
    uint64_t n = 0;
    uint64_t instance = 0;
    uint64_t draw = UINT64_MAX;
    const struct lull_cmd_option options[] = {{"instance", UINT32_MAX - 1, &instance},
                                              {"draw", UINT64_MAX - 1, &draw}};
    const char *at = c->args;
    if (!lull_cmd_number(&at, &n) || n >= UINT32_MAX ||
        !lull_cmd_options(at, options, sizeof options / sizeof options[0])) {
        return lull_error_new(LULL_ERR_INVALID, "expected '%s N [instance M] [draw N]'",
                              kind == LULL_DEBUG_VERTEX ? "vertex" : "primitive");
    }
    const struct lull_debug_goal g = {.kind = kind,
                                      .draw = draw,
                                      .sample = UINT32_MAX,
                                      .primitive = UINT32_MAX,
                                      .index = (uint32_t)n,
                                      .instance = (uint32_t)instance};
    return go(c, &g);
}

struct lull_error *lull_cmd_vertex(struct lull_cmd *c)
{
    return numbered(c, LULL_DEBUG_VERTEX);
}

struct lull_error *lull_cmd_primitive(struct lull_cmd *c)
{
    return numbered(c, LULL_DEBUG_PRIMITIVE);
}
