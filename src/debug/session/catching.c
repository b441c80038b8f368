// SPDX-License-Identifier: MIT
/* Catchpoints for dispatches and draws. */
#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"

static bool matches(void *ctx, const char *name)
{
    const regex_t *re = ctx;
    return regexec(re, name, 0, NULL, 0) == 0;
}

/* A symbol or a name of the work that @p pattern, a regular expression, matches. */
LULL_MUST_USE static struct lull_error *name_matches(struct lull_debug *d, const char *pattern,
                                                     const struct lull_held *h, bool *ret)
{
    regex_t re;
    int r = regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB);
    if (r != 0) {
        char text[128] = {0};
        regerror(r, &re, text, sizeof text);
        return lull_error_new(LULL_ERR_INVALID, "'%s': %s", pattern, text);
    }
    struct lull_dispatch_names names = {0};
    if (h->dispatch != NULL) {
        lull_debug_names_of(d, h->dispatch, &names);
    } else if (h->drawn != NULL) {
        lull_debug_names_of_draw(d, h->drawn, &names);
    }
    *ret = lull_dispatch_named(&names, matches, &re);
    for (unsigned i = 0; i < LULL_STAGES; i++) {
        *ret = *ret || (h->code[i] != NULL && matches(&re, h->code[i]->symbol));
    }
    regfree(&re);
    return NULL;
}

/* Frame N stops once in a process; without a number, the first of each frame does. */
static bool frame_caught(struct lull_breakpoint *b, const struct lull_held *h)
{
    bool hit = false;
    if (*b->what != '\0') {
        hit = h->frame >= b->by_value && h->pid != b->frame_pid;
        b->frame_pid = hit ? h->pid : b->frame_pid;
    } else if (b->frame_pid == 0 || b->frame_pid == h->pid) {
        hit = b->frame_pid != 0 && h->frame > b->by_value;
        b->frame_pid = h->pid;
        b->by_value = h->frame;
    }
    return hit;
}

/* The user says whether it stops. */
static bool asked(struct lull_debug *d, struct lull_breakpoint *b)
{
    const enum lull_debug_ask answer = d->ask != NULL ? d->ask(d->ask_ctx) : LULL_ASK_STOP;
    b->enabled = answer != LULL_ASK_NO_MORE;
    return answer == LULL_ASK_STOP;
}

LULL_MUST_USE static struct lull_error *caught_by(struct lull_debug *d, struct lull_breakpoint *b,
                                                  const struct lull_held *h, bool *ret)
{
    unsigned digits = 64;
    switch (b->by) {
    case LULL_CATCHPOINT_ALL:
        *ret = true;
        return NULL;
    case LULL_CATCHPOINT_NUMBER:
        *ret = b->by_value == h->number;
        return NULL;
    case LULL_CATCHPOINT_FRAME:
        *ret = frame_caught(b, h);
        return NULL;
    case LULL_CATCHPOINT_ASK:
        *ret = asked(d, b);
        return NULL;
    case LULL_CATCHPOINT_PIPELINE:
        // As many leading digits as were given.
        digits = 4 * b->size;
        for (unsigned i = 0; i < LULL_STAGES; i++) {
            *ret = *ret || (h->code[i] != NULL && h->code[i]->hash >> (64 - digits) == b->by_value);
        }
        return NULL;
    case LULL_CATCHPOINT_NAME:
    default:
        return name_matches(d, b->what, h, ret);
    }
}

/* Any catchpoint that matches stops for the user. */
struct lull_error *lull_debug_caught(struct lull_debug *d, const struct lull_held *h, bool *ret)
{
    struct lull_error *err = NULL;
    *ret = d->catches_all || (d->next_wanted != NULL && d->next_wanted(d->ask_ctx));
    for (size_t i = 0; err == NULL && i < d->nbreakpoints; i++) {
        struct lull_breakpoint *b = d->breakpoints[i];
        bool hit = false;
        if (b->number == 0 || b->kind != LULL_BREAK_CATCH || !b->enabled || d->packets.rewinding ||
            (b->draw != h->draw && b->by != LULL_CATCHPOINT_FRAME)) {
            continue;
        }
        err = caught_by(d, b, h, &hit);
        if (hit) {
            b->hits++;
            d->caught = b->ignore == 0 ? b->number : d->caught;
            *ret = *ret || b->ignore == 0;
            const bool stops = b->ignore == 0;
            b->ignore -= b->ignore > 0;
            if (stops) {
                (void)lull_debug_used(b);
            }
        }
    }
    return err;
}

/* From what came last on: "" counts its frames, and a frame that has begun does not come again. */
LULL_MUST_USE static struct lull_error *parse_frame(const struct lull_debug *d, const char *text,
                                                    struct lull_breakpoint *b)
{
    char *end = NULL;
    const bool any = (d->at_draw ? d->has_draw : d->has_dispatch) &&
                     (d->outcome == LULL_OUT_HELD || d->outcome == LULL_OUT_STOPPED);
    const uint64_t now = d->at_draw ? d->draw.frame : d->dispatch.frame;
    if (*text == '\0') {
        b->frame_pid = !any ? 0 : d->at_draw ? d->draw.pid : d->dispatch.pid;
        b->by_value = any ? now : 0;
        return NULL;
    }
    b->by_value = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is not the number of a frame", text);
    }
    return any && b->by_value <= now
               ? lull_error_new(LULL_ERR_INVALID,
                                "frame %" PRIu64 " has begun: this is frame %" PRIu64, b->by_value,
                                now)
               : NULL;
}

/* What @p text says for @p b->by. */
LULL_MUST_USE static struct lull_error *parse_catch(struct lull_debug *d, const char *text,
                                                    struct lull_breakpoint *b)
{
    const char *at = text;
    char *end = NULL;
    bool any = false;
    size_t n = 0;
    const struct lull_held none = {0};
    switch (b->by) {
    case LULL_CATCHPOINT_PIPELINE:
        at = strlen(at) > 3 && at[2] == '_' ? at + 3 : strncmp(at, "0x", 2) == 0 ? at + 2 : at;
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
                             : name_matches(d, text, &none, &any);
    case LULL_CATCHPOINT_NUMBER:
        b->by_value = strtoull(text, &end, 0);
        return isdigit((unsigned char)*text) && *end == '\0'
                   ? NULL
                   : lull_error_new(LULL_ERR_INVALID,
                                    "'%s': expected a %s's number, pipeline HASH or name REGEX",
                                    text, b->draw ? "draw" : "dispatch");
    case LULL_CATCHPOINT_FRAME:
        return parse_frame(d, text, b);
    case LULL_CATCHPOINT_ALL:
    case LULL_CATCHPOINT_ASK:
    default:
        return NULL;
    }
}

LULL_MUST_USE static struct lull_error *add_catch(struct lull_debug *d, enum lull_catchpoint by,
                                                  const char *what,
                                                  const struct lull_breakpoint *like,
                                                  unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_breakpoint new = *like;
    new.kind = LULL_BREAK_CATCH;
    new.enabled = true;
    new.by = by;
    if (d->target->ops->dispatches == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a %s target has one dispatch: 'start' stops at its beginning",
                              d->target->ops->kind);
    }
    if (like->draw && d->target->ops->draws == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target knows no draws",
                              d->target->ops->kind);
    }
    struct lull_error *err = lull_debug_free_breakpoint(d, &b);
    err = err != NULL ? err : parse_catch(d, what, &new);
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

struct lull_error *lull_debug_catch(struct lull_debug *d, enum lull_catchpoint by, const char *what,
                                    bool temporary, unsigned *ret_number)
{
    const struct lull_breakpoint like = {.temporary = temporary};
    return add_catch(d, by, what, &like, ret_number);
}

struct lull_error *lull_debug_catch_draw(struct lull_debug *d, enum lull_catchpoint by,
                                         const char *what, bool temporary, unsigned *ret_number)
{
    const struct lull_breakpoint like = {.temporary = temporary, .draw = true};
    return add_catch(d, by, what, &like, ret_number);
}
