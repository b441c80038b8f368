// SPDX-License-Identifier: MIT
/* A session: made, started, killed, freed. */
#include <stdlib.h>

#include "base/error.h"
#include "debug/session/agent.h"
#include "debug/session/block.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"
#include "debug/session/kept.h"
#include "debug/session/lines.h"
#include "debug/session/names.h"
#include "debug/session/pipeline.h"
#include "hw/dom.h"
#include "symbols/symbols.h"

enum { KILL_ROUNDS = 200, KILL_MS = 10 };

void lull_debug_free_display(struct lull_display *display)
{
    free(display->text);
    lull_expr_free(display->expr);
    *display = (struct lull_display){0};
}

struct lull_error *lull_debug_new(struct lull_target *target, const struct lull_image *image,
                                  uint64_t image_va, struct lull_debug **ret)
{
    struct lull_debug *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return &lull_enomem;
    }
    d->target = target;
    d->image = image;
    d->image_va = image_va;
    d->locking = LULL_LOCK_STEP;
    d->next_breakpoint = 1;
    d->dprintf_agent = true;
    d->timeout_ms = LULL_TARGET_HANG_MS;
    d->record_bytes = LULL_DEBUG_RECORD_BYTES;
    *ret = d;
    return NULL;
}

void lull_debug_free(struct lull_debug *d)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        lull_debug_delete_breakpoint(d->breakpoints[i]);
        free(d->breakpoints[i]);
    }
    free((void *)d->breakpoints);
    for (size_t i = 0; i < LULL_MAX_DISPLAYS; i++) {
        lull_debug_free_display(&d->displays[i]);
    }
    lull_symbols_free(d->symbols);
    for (size_t i = 0; i < d->nolder; i++) {
        lull_symbols_free(d->older[i]);
    }
    free(d->older);
    free(d->symbols_wrong);
    lull_agent_free(d->agent);
    lull_pipelines_free(d->pipelines);
    lull_debug_names_free(d->names);
    lull_debug_blocks_free(d->blocks);
    lull_debug_lines_free(d->lines);
    if (d->source != NULL) {
        d->free_source(d->source);
    }
    if (d->beside != NULL) {
        d->free_beside(d->beside);
    }
    if (d->packets.words != NULL) {
        d->packets.free_words(d->packets.words);
    }
    lull_dom_index_free(d->packets.registers);
    if (d->kept != NULL) {
        lull_kept_done(d->kept);
        free(d->kept);
    }
    for (size_t i = 0; i < d->room; i++) {
        free(d->waves[i].hit);
    }
    free(d->waves);
    free(d->known);
    free(d->found);
    lull_debug_free_events(d);
    free(d);
}

/* Nothing of an earlier run counts: waves, dispatches and hits are numbered afresh. */
LULL_MUST_USE static struct lull_error *begin(struct lull_debug *d)
{
    d->nwaves = 0;
    d->next_wave = 0;
    d->nknown = 0;
    d->has_focus = false;
    d->has_dispatch = false;
    d->held = d->hold_pending = false;
    d->packets.stands = d->packets.pending = false;
    d->events.next_ended = 0;
    lull_debug_names_free(d->names);
    d->names = NULL;
    for (size_t i = 0; i < d->nbreakpoints; i++) {
        d->breakpoints[i]->hits = 0;
    }
    return d->target->ops->begin != NULL ? d->target->ops->begin(d->target) : NULL;
}

struct lull_error *lull_debug_start(struct lull_debug *d, bool stop_at_start)
{
    if (d->started) {
        return lull_error_new(LULL_ERR_INVALID, "it runs already: 'kill' first");
    }
    if (d->run == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "there is nothing to run");
    }
    // Who looks at every step sees the first one, too.
    bool stop = stop_at_start || lull_debug_watches_in_software(d);
    bool can = d->target->ops->stop_new_waves != NULL;
    struct lull_error *err = can ? d->target->ops->stop_new_waves(d->target, stop) : NULL;
    err = err != NULL ? err : lull_debug_sync_breakpoints(d);
    if (err == NULL && d->target->ops->remember != NULL) {
        err = d->target->ops->remember(d->target, d->record_bytes, d->record_writers);
    }
    err = err != NULL ? err : begin(d);
    err = err != NULL ? err : d->run(d->run_ctx);
    if (err != NULL) {
        return err;
    }
    d->started = true;
    d->nfound = 0;
    if (d->target->ops->dispatches == NULL) { // else each is told when it comes
        const struct lull_debug_event began = {.kind = LULL_DEBUG_DISPATCH_BEGAN};
        err = lull_debug_tell(d, &began);
    }
    if (err == NULL) {
        err = stop_at_start && can ? lull_debug_resume_to_start(d)
                                   : lull_debug_resume(d, LULL_RESUME_CONTINUE);
    }
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

/* The program's end comes as it would by itself; what it left on the GPU goes with it. */
LULL_MUST_USE static struct lull_error *kill_program(struct lull_debug *d)
{
    enum lull_event event = LULL_EVENT_TIMEOUT;
    struct lull_error *err = NULL;
    d->kill(d->run_ctx);
    for (unsigned i = 0; err == NULL && event != LULL_EVENT_DONE && i < KILL_ROUNDS; i++) {
        err = d->target->ops->wait(d->target, KILL_MS, &event);
    }
    return err;
}

struct lull_error *lull_debug_kill(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_need_started(d);
    if (err == NULL && d->kill == NULL && d->target->ops->kill == NULL) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "a %s target cannot be killed",
                             d->target->ops->kind);
    }
    if (err == NULL && d->kill != NULL) {
        err = kill_program(d);
    } else if (err == NULL && d->target->ops->kill != NULL) {
        err = d->target->ops->kill(d->target);
    }
    if (err == NULL) {
        lull_debug_ended(d, LULL_OUT_NOTHING);
    }
    return err;
}

void lull_debug_close(struct lull_debug *d)
{
    void (*close)(void *ctx) = d != NULL ? d->close : NULL;
    void *ctx = d != NULL ? d->run_ctx : NULL;
    lull_debug_free(d);
    if (close != NULL) {
        close(ctx);
    }
}

void lull_debug_set_timeout(struct lull_debug *d, unsigned ms)
{
    d->timeout_ms = ms;
}

void lull_debug_set_locking(struct lull_debug *d, enum lull_locking locking)
{
    d->locking = locking;
}

void lull_debug_set_interrupt(struct lull_debug *d, bool (*asked)(void *ctx), void *ctx)
{
    d->interrupted = asked;
    d->interrupt_ctx = ctx;
}
