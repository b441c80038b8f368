// SPDX-License-Identifier: MIT
/* Letting waves go on, in whatever way the breakpoints need. */
#include "base/error.h"
#include "debug/session/engine.h"

struct lull_error *lull_debug_resume(struct lull_debug *d, enum lull_resume how)
{
    struct lull_error *err = lull_debug_begin_resume(d);
    if (err != NULL) {
        return err;
    }
    return how == LULL_RESUME_CONTINUE && lull_debug_watches_in_software(d)
               ? lull_debug_resume_watching(d)
               : lull_debug_run_on(d, how);
}

struct lull_error *lull_debug_resume_to_start(struct lull_debug *d)
{
    struct lull_error *err = lull_debug_begin_resume(d);
    err = err != NULL ? err : lull_debug_run_on(d, LULL_RESUME_CONTINUE);
    struct lull_error *off = d->target->ops->stop_new_waves(d->target, false);
    if (err != NULL) {
        lull_error_free(off);
        return err;
    }
    struct lull_debug_wave *first = NULL;
    for (size_t i = 0; i < d->nwaves; i++) {
        struct lull_debug_wave *w = &d->waves[i];
        if (w->info.stop == LULL_STOP_START) {
            w->unreported = false;
            first = first == NULL && w->stopped ? w : first;
        }
    }
    if (off == NULL && first != NULL && d->outcome == LULL_OUT_STOPPED) {
        lull_debug_set_focus(d, first);
    }
    return off;
}

struct lull_error *lull_debug_step_out(struct lull_debug *d, struct lull_debug_wave *w)
{
    bool others = false;
    for (size_t i = 0; i < d->nwaves; i++) {
        others = others || (&d->waves[i] != w && d->waves[i].stopped);
    }
    // Alone it is as continue: the end of the dispatch, or what comes.
    return lull_debug_resume(d, others || d->held ? LULL_RESUME_STEP : LULL_RESUME_CONTINUE);
}

struct lull_error *lull_debug_enter(struct lull_debug *d)
{
    struct lull_error *err = d->target->ops->stop_new_waves(d->target, true);
    return err != NULL ? err : lull_debug_resume_to_start(d);
}
