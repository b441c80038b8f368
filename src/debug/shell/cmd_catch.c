// SPDX-License-Identifier: MIT
/* catch, and dispatches in words. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "debug/shell/shell.h"
#include "debug/source/beside.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"

void lull_dispatch_line(struct lull_debug *d, const struct lull_dispatch_info *i,
                        struct lull_str *out)
{
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, i, &names);
    const struct lull_pipeline *p = lull_pipeline_of(d, i->code_va);
    unsigned lanes =
        i->adreno.fibers != 0 ? i->adreno.fibers
        : lull_get(i->initiator, LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK) != 0 ? 32
                                                                                            : 64;
    lull_str_addf(out, "%s", p != NULL ? p->symbol : "?");
    if (names.record != NULL) {
        lull_str_addf(out, " ");
        lull_dispatch_title(&names, out);
    }
    lull_str_addf(out,
                  ", %" PRIu32 "x%" PRIu32 "x%" PRIu32 " workgroups of %" PRIu32 "x%" PRIu32
                  "x%" PRIu32 ", wave%u, %s, process %" PRIu32,
                  i->grid[0], i->grid[1], i->grid[2], i->block[0], i->block[1], i->block[2], lanes,
                  i->ring, i->pid);
    if (i->frame != 0) {
        lull_str_addf(out, ", frame %" PRIu64, i->frame);
    }
}

void lull_debug_show_held(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    if (d->at_draw) {
        lull_debug_show_held_draw(c);
        return;
    }
    lull_str_addf(c->out, "Dispatch %" PRIu64 " is held: ", d->dispatch.number);
    lull_dispatch_line(d, &d->dispatch, c->out);
    lull_str_addf(c->out, "\n");
    struct lull_dispatch_names names = {0};
    lull_debug_names_of(d, &d->dispatch, &names);
    lull_debug_show_calls(c, &names);
    lull_beside_keep(d);
    if (c->json != NULL) {
        const struct lull_pipeline *p = lull_pipeline_of(d, d->dispatch.code_va);
        lull_json_put_u64(c->json, "dispatch", d->dispatch.number);
        lull_json_put_u64(c->json, "frame", d->dispatch.frame);
        lull_json_put_str(c->json, "pipeline", p != NULL ? p->symbol : "");
        lull_json_put_hex(c->json, "code", d->dispatch.code_va);
    }
}

/* "N", "pipeline HASH", "name REGEX", or nothing. */
LULL_MUST_USE static struct lull_error *catch_work(struct lull_cmd *c, const char *what, bool draw,
                                                   bool temporary)
{
    struct lull_debug *d = c->d;
    const char *at = what;
    unsigned number = 0;
    enum lull_catchpoint by = strcmp(what, "ask") == 0         ? LULL_CATCHPOINT_ASK
                              : *what == '\0'                  ? LULL_CATCHPOINT_ALL
                              : lull_cmd_word(&at, "pipeline") ? LULL_CATCHPOINT_PIPELINE
                              : lull_cmd_word(&at, "name")     ? LULL_CATCHPOINT_NAME
                                                               : LULL_CATCHPOINT_NUMBER;
    struct lull_error *err =
        (draw ? lull_debug_catch_draw : lull_debug_catch)(d, by, at, temporary, &number);
    if (err != NULL) {
        return err;
    }
    const char *kind = draw ? "draw" : "dispatch";
    if (by == LULL_CATCHPOINT_ASK) {
        lull_str_addf(c->out, "Catchpoint %u: you are asked at each %s\n", number, kind);
        if (c->json != NULL) {
            lull_json_put_u64(c->json, "number", number);
        }
        return NULL;
    }
    lull_str_addf(c->out, "Catchpoint %u: %s%s%s%s\n", number,
                  by == LULL_CATCHPOINT_ALL ? "every " : "", kind,
                  by == LULL_CATCHPOINT_NAME  ? draw ? "s named " : "es named "
                  : by == LULL_CATCHPOINT_ALL ? ""
                                              : " ",
                  by == LULL_CATCHPOINT_NAME ? at : what);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
    }
    return NULL;
}

struct lull_error *lull_cmd_catch_dispatch(struct lull_cmd *c, const char *what, bool temporary)
{
    return catch_work(c, what, false, temporary);
}

/* "N", or nothing: each. */
LULL_MUST_USE static struct lull_error *catch_frame(struct lull_cmd *c, const char *what)
{
    unsigned number = 0;
    struct lull_error *err = lull_debug_catch(c->d, LULL_CATCHPOINT_FRAME, what, false, &number);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out,
                  "Catchpoint %u: %sframe%s%s (counted by what is presented: a program that "
                  "presents nothing stays in frame 0)\n",
                  number, *what == '\0' ? "every " : "", *what == '\0' ? "" : " ", what);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "number", number);
    }
    return NULL;
}

struct lull_error *lull_cmd_catch(struct lull_cmd *c)
{
    const char *at = c->args;
    if (lull_cmd_word(&at, "fp") || lull_cmd_word(&at, "fpe")) {
        return lull_cmd_catch_fp(c, at);
    }
    if (lull_cmd_word(&at, "draw")) {
        return catch_work(c, at, true, false);
    }
    if (lull_cmd_word(&at, "frame")) {
        return catch_frame(c, at);
    }
    if (!lull_cmd_word(&at, "dispatch") && !lull_cmd_word(&at, "launch")) {
        return lull_error_new(
            LULL_ERR_INVALID,
            "expected 'catch dispatch|draw [N | pipeline HASH | name REGEX | ask]', "
            "'catch frame [N]' or 'catch fp [KIND...]'");
    }
    return lull_cmd_catch_dispatch(c, at, false);
}
