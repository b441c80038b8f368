// SPDX-License-Identifier: MIT
/* Which wave and lane commands speak of. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/travel.h"
#include "debug/shell/shell.h"

/* What was asked for; has_* says what was named. */
struct want {
    bool has_wave, has_lane, has_group, has_thread;
    uint64_t wave, lane, thread;
    uint64_t group[3];
};

LULL_MUST_USE static struct lull_error *bad(const char *at, const char *what)
{
    return lull_error_new(LULL_ERR_INVALID, "'%s': expected %s", at, what);
}

LULL_MUST_USE static struct lull_error *parse_group(const char **at, struct want *want)
{
    want->has_group = true;
    for (unsigned i = 0; i < 3; i++) {
        if (!lull_cmd_number(at, &want->group[i])) {
            return bad(*at, "a workgroup X[,Y[,Z]]");
        }
        if (**at != ',') {
            break;
        }
        ++*at;
        if (i == 2) {
            return bad(*at, "no more than three numbers of a workgroup");
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *parse_want(const char *at, struct want *want)
{
    while (*at != '\0') {
        struct lull_error *err = NULL;
        if (lull_cmd_word(&at, "wave")) {
            want->has_wave = true;
            err = lull_cmd_number(&at, &want->wave) ? NULL : bad(at, "the number of a wave");
        } else if (lull_cmd_word(&at, "lane")) {
            want->has_lane = true;
            err = lull_cmd_number(&at, &want->lane) ? NULL : bad(at, "the number of a lane");
        } else if (lull_cmd_word(&at, "thread")) {
            want->has_thread = true;
            err = lull_cmd_number(&at, &want->thread)
                      ? NULL
                      : bad(at, "the number of a work-item in its group");
        } else if (lull_cmd_word(&at, "wg")) {
            err = parse_group(&at, want);
        } else {
            err = bad(at, "wave N, lane N, wg X,Y,Z or thread N");
        }
        if (err != NULL) {
            return err;
        }
    }
    if (want->has_wave && (want->has_group || want->has_thread)) {
        return lull_error_new(LULL_ERR_INVALID, "name a wave, or a workgroup and thread, not both");
    }
    return want->has_lane && want->has_thread
               ? lull_error_new(LULL_ERR_INVALID, "name a lane or a thread, not both")
               : NULL;
}

LULL_MUST_USE static struct lull_error *find_in_group(struct lull_debug *d, const struct want *want,
                                                      struct lull_debug_wave **ret)
{
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        const struct lull_wave_info *info = &w->info;
        bool same = info->workgroup[0] == want->group[0] && info->workgroup[1] == want->group[1] &&
                    info->workgroup[2] == want->group[2];
        if (same && w->stopped && info->lanes != 0 &&
            (!want->has_thread || want->thread / info->lanes == info->wave_in_group)) {
            *ret = w;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "no wave stands that has thread %" PRIu64 " of workgroup %" PRIu64
                          ",%" PRIu64 ",%" PRIu64,
                          want->thread, want->group[0], want->group[1], want->group[2]);
}

LULL_MUST_USE static struct lull_error *find_wave(struct lull_debug *d, struct want *want,
                                                  struct lull_debug_wave **ret)
{
    struct lull_debug_wave *w = NULL;
    if (want->has_wave) {
        w = want->wave <= UINT32_MAX ? lull_debug_wave_by_number(d, (unsigned)want->wave) : NULL;
        if (w == NULL || !w->stopped) {
            return lull_error_new(LULL_ERR_NOT_FOUND, "wave %" PRIu64 " %s", want->wave,
                                  w == NULL ? "is not known" : "runs or has ended");
        }
        *ret = w;
        return NULL;
    }
    if (!want->has_group) {
        struct lull_error *err = lull_debug_focused(d, &w);
        if (err != NULL || !want->has_thread) {
            *ret = w;
            return err;
        }
        for (unsigned i = 0; i < 3; i++) {
            want->group[i] = w->info.workgroup[i];
        }
    }
    return find_in_group(d, want, ret);
}

LULL_MUST_USE static struct lull_error *focus_on(struct lull_cmd *c, struct want *want)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = find_wave(d, want, &w);
    if (err != NULL) {
        return err;
    }
    unsigned lane = d->lane;
    if (want->has_lane) {
        lane = want->lane < UINT32_MAX ? (unsigned)want->lane : UINT32_MAX;
    } else if (want->has_thread) {
        lane = (unsigned)(want->thread % w->info.lanes);
    } else if (!d->has_focus || d->focus != w->number) {
        lane = lull_debug_first_lane(d, w);
    }
    err = lull_debug_select(d, w->number, lane);
    return err != NULL ? err : lull_debug_show_stop(c);
}

struct lull_error *lull_cmd_focus(struct lull_cmd *c)
{
    struct want want = {0};
    struct lull_error *err = parse_want(c->args, &want);
    return err != NULL ? err : focus_on(c, &want);
}

/* Back in time, to when the lane of @p o was in front of what it did. False: there is no way back.
 */
static bool back_to(struct lull_cmd *c, const struct lull_debug_other *o, unsigned lanes,
                    struct lull_error **ret)
{
    struct lull_debug *d = c->d;
    const uint32_t *block = d->has_dispatch ? d->dispatch.block : d->block;
    struct lull_when t = {0};
    unsigned number = 0;
    struct lull_error *err = lull_debug_when(d, &t);
    if (err != NULL) {
        lull_error_free(err);
        return false;
    }
    lull_cleanup(lull_str_free) struct lull_str place = {0};
    lull_cleanup(lull_str_free) struct lull_str who = {0};
    lull_str_addf(&place, "*0x%" PRIx64, o->pc);
    lull_str_addf(&who,
                  "$wg_x == %" PRIu32 " && $wg_y == %" PRIu32 " && $wg_z == %" PRIu32
                  " && $lid_x + $lid_y * %" PRIu32 " + $lid_z * %" PRIu64 " == %" PRIu32,
                  o->workgroup[0], o->workgroup[1], o->workgroup[2], block[0],
                  (uint64_t)block[0] * block[1], o->wave * lanes + o->lane);
    *ret = lull_debug_break(d, lull_str_text(&place), lull_str_text(&who), true, &number);
    *ret = *ret != NULL ? *ret : lull_cmd_back_to(c, number);
    return true;
}

static void show_other(struct lull_cmd *c, const struct lull_debug_other *o)
{
    struct lull_line line = {0};
    lull_str_addf(c->out,
                  "The other: workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32
                  " lane %" PRIu32 ", 0x%012" PRIx64 " ",
                  o->workgroup[0], o->workgroup[1], o->workgroup[2], o->wave, o->lane, o->pc);
    lull_debug_show_symbol(c->d, o->pc, c->out);
    if (lull_debug_line_at(c->d, o->pc, &line)) {
        lull_str_addf(c->out, " at %s:%" PRIu32, line.file, line.line);
    }
    lull_str_addf(c->out, "\n");
}

struct lull_error *lull_cmd_other(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    const struct lull_debug_wave *to = NULL;
    struct lull_debug_other o = {.lane = 0};
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err == NULL && (d->other == NULL || !d->other(d->run_ctx, &w->info, &o))) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "no check has found what this wave and another have done");
    }
    if (err != NULL) {
        return err;
    }
    show_other(c, &o);
    for (size_t i = 0; i < d->nwaves; i++) {
        const struct lull_wave_info *info = &d->waves[i].info;
        const bool is = d->waves[i].stopped && info->wave_in_group == o.wave &&
                        memcmp(info->workgroup, o.workgroup, sizeof o.workgroup) == 0;
        to = is ? &d->waves[i] : to;
    }
    if ((to == NULL || to->info.pc != o.pc) && back_to(c, &o, w->info.lanes, &err)) {
        return err;
    }
    if (to == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "its wave has ended, and this session cannot go back");
    }
    err = lull_debug_select(d, to->number, o.lane);
    return err != NULL ? err : lull_debug_show_stop(c);
}

struct lull_error *lull_cmd_web(struct lull_cmd *c)
{
    uint64_t port = 0;
    struct lull_error *err =
        *c->args != '\0' ? lull_cmd_count(c->args, 0, UINT16_MAX, &port) : NULL;
    if (err == NULL && c->d->web == NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "web needs a prompt; lull debug --web serves the page without one");
    }
    return err != NULL ? err : c->d->web(c->d->run_ctx, (unsigned)port);
}

struct lull_error *lull_cmd_wave(struct lull_cmd *c)
{
    struct want want = {.has_wave = true};
    const char *at = c->args;
    if (lull_cmd_word(&at, "where")) {
        return lull_cmd_wave_where(c, at);
    }
    if (*at == '\0') {
        want.has_wave = false;
        return focus_on(c, &want);
    }
    if (!lull_cmd_number(&at, &want.wave)) {
        return bad(c->args, "the number of a wave");
    }
    struct lull_error *err = parse_want(at, &want);
    return err != NULL ? err : focus_on(c, &want);
}

struct lull_error *lull_cmd_lane(struct lull_cmd *c)
{
    struct want want = {.has_lane = true};
    const char *at = c->args;
    if (!lull_cmd_number(&at, &want.lane) || *at != '\0') {
        return bad(c->args, "the number of a lane");
    }
    return focus_on(c, &want);
}

struct lull_error *lull_cmd_workgroup(struct lull_cmd *c)
{
    struct want want = {0};
    const char *at = c->args;
    struct lull_error *err = parse_group(&at, &want);
    if (err == NULL) {
        err = parse_want(at, &want);
    }
    return err != NULL ? err : focus_on(c, &want);
}
