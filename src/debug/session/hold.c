// SPDX-License-Identifier: MIT
/* Dispatches of a program: which are caught. */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"

/* The first that is held from number @p first on. */
LULL_MUST_USE static struct lull_error *find_held(struct lull_debug *d, uint64_t first,
                                                  struct lull_dispatch_info *ret, bool *ret_any)
{
    enum { ROOM = 64 };
    lull_cleanup(lull_freep) struct lull_dispatch_info *infos = calloc(ROOM, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    for (size_t n = ROOM; n >= ROOM; first += ROOM) {
        struct lull_error *err = d->target->ops->dispatches(d->target, first, infos, ROOM, &n);
        if (err != NULL) {
            return err;
        }
        for (size_t i = 0; i < n && i < ROOM; i++) {
            if (infos[i].phase == LULL_PHASE_HELD) {
                *ret = infos[i];
                *ret_any = true;
                return NULL;
            }
        }
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *held_dispatch(struct lull_debug *d,
                                                      struct lull_dispatch_info *ret, bool *ret_any)
{
    *ret_any = false;
    // It is among the newest, unless counting has begun anew.
    uint64_t last = d->has_dispatch ? d->dispatch.number : 0;
    struct lull_error *err = find_held(d, last, ret, ret_any);
    return err != NULL || *ret_any || last == 0 ? err : find_held(d, 0, ret, ret_any);
}

static bool matches(void *ctx, const char *name)
{
    const regex_t *re = ctx;
    return regexec(re, name, 0, NULL, 0) == 0;
}

/* A symbol or a name of the dispatch that @p pattern, a regular expression, matches. */
LULL_MUST_USE static struct lull_error *name_matches(const char *pattern,
                                                     const struct lull_pipeline *p,
                                                     const struct lull_dispatch_names *names,
                                                     bool *ret)
{
    regex_t re;
    int r = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
    if (r != 0) {
        char text[128] = {0};
        regerror(r, &re, text, sizeof text);
        return lull_error_new(LULL_ERR_INVALID, "'%s': %s", pattern, text);
    }
    *ret = matches(&re, p->symbol) || (names != NULL && lull_dispatch_named(names, matches, &re));
    regfree(&re);
    return NULL;
}

LULL_MUST_USE static struct lull_error *caught_by(struct lull_debug *d, struct lull_breakpoint *b,
                                                  const struct lull_pipeline *p, bool *ret)
{
    unsigned digits = 64;
    struct lull_dispatch_names names = {0};
    switch (b->by) {
    case LULL_CATCHPOINT_ALL:
        *ret = true;
        return NULL;
    case LULL_CATCHPOINT_NUMBER:
        *ret = b->by_value == d->dispatch.number;
        return NULL;
    case LULL_CATCHPOINT_PIPELINE:
        // As many leading digits as were given.
        digits = 4 * b->size;
        *ret = p->hash >> (64 - digits) == b->by_value;
        return NULL;
    case LULL_CATCHPOINT_NAME:
    default:
        lull_debug_names_of(d, &d->dispatch, &names);
        return name_matches(b->what, p, &names, ret);
    }
}

/* Any catchpoint that matches stops for the user. */
LULL_MUST_USE static struct lull_error *caught(struct lull_debug *d, const struct lull_pipeline *p,
                                               bool *ret)
{
    struct lull_error *err = NULL;
    *ret = false;
    for (size_t i = 0; err == NULL && i < LULL_MAX_BREAKPOINTS; i++) {
        struct lull_breakpoint *b = &d->breakpoints[i];
        bool hit = false;
        if (b->number == 0 || b->kind != LULL_BREAK_CATCH || !b->enabled) {
            continue;
        }
        err = caught_by(d, b, p, &hit);
        if (hit) {
            b->hits++;
            *ret = *ret || b->ignore == 0;
            bool gone = b->temporary && b->ignore == 0;
            b->ignore -= b->ignore > 0;
            if (gone) {
                lull_debug_delete_breakpoint(b);
            }
        }
    }
    return err;
}

struct lull_error *lull_debug_look_at_held(struct lull_debug *d, bool *ret_user)
{
    bool any = false;
    struct lull_dispatch_info info = {0};
    struct lull_pipeline *p = NULL;
    *ret_user = false;
    d->hold_pending = false;
    struct lull_error *err = held_dispatch(d, &info, &any);
    if (err != NULL || !any) {
        return err;
    }
    d->dispatch = info;
    d->has_dispatch = true;
    lull_debug_names_meet(d, info.pid);
    const struct lull_debug_event came = {.kind = LULL_DEBUG_DISPATCH_BEGAN,
                                          .dispatch = info.number};
    err = lull_debug_tell(d, &came);
    if (err != NULL) {
        return err;
    }
    err = lull_pipeline_at(d, info.code_va, &p);
    if (err != NULL) { // code that cannot be read: the wave will fault by itself
        lull_error_free(err);
        return d->target->ops->release(d->target);
    }
    p->dispatches++;
    err = caught(d, p, ret_user);
    if (err == NULL && *ret_user) {
        d->held = true;
        return NULL;
    }
    return err != NULL ? err : d->target->ops->release(d->target);
}

/* What @p text says for @p b->by. */
LULL_MUST_USE static struct lull_error *parse_catch(const char *text, struct lull_breakpoint *b)
{
    const char *at = text;
    char *end = NULL;
    bool any = false;
    size_t n = 0;
    const struct lull_pipeline none = {.symbol = ""};
    switch (b->by) {
    case LULL_CATCHPOINT_PIPELINE:
        at = strncmp(at, "cs_", 3) == 0 ? at + 3 : strncmp(at, "0x", 2) == 0 ? at + 2 : at;
        n = strspn(at, "0123456789abcdefABCDEF");
        if (n == 0 || n > 16 || at[n] != '\0') {
            return lull_error_new(LULL_ERR_INVALID, "'%s': a pipeline's hash is 1 to 16 hex digits",
                                  at);
        }
        b->by_value = strtoull(at, NULL, 16);
        b->size = (unsigned)n; // digits
        return NULL;
    case LULL_CATCHPOINT_NAME:
        return *text == '\0' ? lull_error_new(LULL_ERR_INVALID, "name what? A regular expression")
                             : name_matches(text, &none, NULL, &any);
    case LULL_CATCHPOINT_NUMBER:
        b->by_value = strtoull(text, &end, 0);
        return isdigit((unsigned char)*text) && *end == '\0'
                   ? NULL
                   : lull_error_new(
                         LULL_ERR_INVALID,
                         "'%s': expected a dispatch's number, pipeline HASH or name REGEX", text);
    case LULL_CATCHPOINT_ALL:
    default:
        return NULL;
    }
}

struct lull_error *lull_debug_catch(struct lull_debug *d, enum lull_catchpoint by, const char *what,
                                    bool temporary, unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_breakpoint new = {
        .kind = LULL_BREAK_CATCH, .enabled = true, .temporary = temporary, .by = by};
    if (d->target->ops->dispatches == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a %s target has one dispatch: 'start' stops at its beginning",
                              d->target->ops->kind);
    }
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    err = err != NULL ? err : parse_catch(what, &new);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_str_free) struct lull_str said = {0};
    lull_str_addf(&said, "%s%s", by == LULL_CATCHPOINT_PIPELINE ? "pipeline " : "", what);
    new.what = strdup(lull_str_text(&said));
    if (new.what == NULL) {
        return &lull_enomem;
    }
    new.number = d->next_breakpoint++;
    *b = new;
    *ret_number = b->number;
    return NULL;
}
