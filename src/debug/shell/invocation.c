// SPDX-License-Identifier: MIT
/* Which invocation of a draw's shader a lane is, in words. */
#include <inttypes.h>

#include "debug/shell/shell.h"

const char *lull_draw_stage_name(enum lull_draw_stage stage)
{
    static const char *const names[LULL_STAGES] = {"hull", "geometry", "pixel", "vertex",
                                                   "fragment"};
    return names[stage];
}

void lull_debug_show_invocation(const struct lull_invocation *i, struct lull_str *out)
{
    if (i->stage == LULL_STAGE_VERTEX) {
        lull_str_addf(out, "vertex %" PRIu32 ", instance %" PRIu32, i->vertex, i->instance);
        return;
    }
    lull_str_addf(out, "pixel %" PRIu32 ",%" PRIu32, i->x, i->y);
    if (i->per_sample) {
        lull_str_addf(out, " sample %" PRIu32, i->sample);
    }
    lull_str_addf(out, ", primitive %" PRIu32, i->primitive);
    if (i->instance != 0) {
        lull_str_addf(out, " of instance %" PRIu32, i->instance);
    }
    if (i->layer != 0) {
        lull_str_addf(out, ", layer %" PRIu32, i->layer);
    }
    lull_str_addf(out, "%s", i->helper ? ", a helper" : "");
}

void lull_debug_json_invocation(const struct lull_invocation *i, struct lull_json *json)
{
    if (json == NULL) {
        return;
    }
    lull_json_key(json, "invocation");
    lull_json_open(json, '{');
    if (i->stage == LULL_STAGE_VERTEX) {
        lull_json_put_u64(json, "vertex", i->vertex);
    } else {
        lull_json_put_u64(json, "x", i->x);
        lull_json_put_u64(json, "y", i->y);
        if (i->per_sample) {
            lull_json_put_u64(json, "sample", i->sample);
        }
        lull_json_put_u64(json, "primitive", i->primitive);
        lull_json_put_u64(json, "layer", i->layer);
        lull_json_put_bool(json, "helper", i->helper);
    }
    lull_json_put_u64(json, "instance", i->instance);
    lull_json_close(json, '}');
}

void lull_debug_json_work(const struct lull_wave_info *i, struct lull_json *json)
{
    if (json != NULL && i->of_draw) {
        lull_json_put_u64(json, "draw", i->draw);
        lull_json_put_str(json, "stage", lull_draw_stage_name(i->stage));
    }
}

void lull_debug_show_pixel(struct lull_cmd *c, const struct lull_wrote *by)
{
    static const char *const planes[] = {[LULL_BY_DEPTH] = "depth", [LULL_BY_STENCIL] = "stencil"};
    lull_str_addf(c->out, "  the back end wrote pixel %" PRIu32 ",%" PRIu32 " of ", by->pixel[0],
                  by->pixel[1]);
    if (by->how == LULL_BY_COLOR) {
        lull_str_addf(c->out, "colour target %" PRIu32, by->target);
    } else {
        lull_str_addf(c->out, "%s", planes[by->how]);
    }
    if (by->pixel[2] != 0) {
        lull_str_addf(c->out, ", slice %" PRIu32, by->pixel[2]);
    }
    lull_str_addf(c->out, ", %s, ",
                  by->how != LULL_BY_COLOR
                      ? (by->pc != 0 ? "tested after the shader" : "tested before the shader")
                  : by->blended ? "blended"
                                : "not blended");
    lull_str_addf(c->out, "%s lane %" PRIu32 " of fragment wave %" PRIu32 " of its batch%s\n",
                  by->pc != 0 ? "exported by" : "of", by->lane, by->wave_in_group,
                  by->pc != 0 ? ":" : "");
}
