// SPDX-License-Identifier: MIT
/* An Adreno's command processor, packet by packet. */
#include "debug/session/packets.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/events.h"

LULL_MUST_USE static struct lull_error *need_packets(const struct lull_debug *d)
{
    unsigned gen = 0;
    return lull_debug_packet_gen(d, &gen);
}

uint64_t lull_debug_packet_stream(const struct lull_debug *d)
{
    return (uint64_t)((int64_t)d->packets.at.streams - 1 + d->packets.shift);
}

struct lull_error *lull_debug_at_packet(struct lull_debug *d, const struct lull_packet_info **ret)
{
    struct lull_error *err = need_packets(d);
    if (err == NULL && !d->packets.stands) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             d->started ? "the command processor does not stand at a packet: "
                                          "'stepp' goes on to the next"
                                        : "not started: 'run', or 'stepp'");
    }
    *ret = err == NULL ? &d->packets.at : NULL;
    return err;
}

/* Start, or go on. */
LULL_MUST_USE static struct lull_error *go_on(struct lull_debug *d)
{
    return d->started ? lull_debug_resume(d, LULL_RESUME_CONTINUE) : lull_debug_start(d, false);
}

/* Let it run with what stops for this resume alone. */
LULL_MUST_USE static struct lull_error *run_with(struct lull_debug *d, unsigned deepest,
                                                 const struct lull_packet_where *place)
{
    struct lull_debug_packets *p = &d->packets;
    p->deepest = deepest;
    p->passing = place != NULL;
    p->place = place != NULL ? *place : p->place;
    struct lull_error *err = lull_debug_sync_packets(d);
    err = err != NULL ? err : go_on(d);
    p->deepest = 0;
    p->passing = false;
    struct lull_error *again = lull_debug_sync_packets(d);
    if (err != NULL) {
        lull_error_free(again);
        return err;
    }
    return again;
}

struct lull_error *lull_debug_step_packets(struct lull_debug *d, bool over, uint64_t n)
{
    enum { ANY_LEVEL = 1 << 16 };
    struct lull_error *err = need_packets(d);
    for (uint64_t i = 0; err == NULL && i < n; i++) {
        const unsigned level = d->packets.stands ? d->packets.at.nbuffers : 1;
        err = run_with(d, over ? level : ANY_LEVEL, NULL);
        const bool stepped = d->outcome == LULL_OUT_PACKET && d->packets.at.next &&
                             d->packets.hit == 0 && !d->was_interrupted;
        if (!stepped) {
            break;
        }
    }
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_until_packet(struct lull_debug *d,
                                           const struct lull_packet_where *where)
{
    struct lull_error *err = need_packets(d);
    err = err != NULL ? err : run_with(d, 0, where);
    return err != NULL ? err : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_reverse_packets(struct lull_debug *d, uint64_t n)
{
    const struct lull_packet_info *at = NULL;
    struct lull_error *err = lull_debug_at_packet(d, &at);
    if (err == NULL && !d->packets.again) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "only the replay of a capture can begin anew");
    }
    if (err == NULL && n > at->number) {
        err = lull_error_new(LULL_ERR_INVALID, "packet %llu of stream %llu has %llu before it",
                             (unsigned long long)at->number,
                             (unsigned long long)lull_debug_packet_stream(d),
                             (unsigned long long)at->number);
    }
    if (err != NULL) {
        return err;
    }
    const struct lull_packet_where to = {
        .by = LULL_PACKET_NUMBER, .value = at->number - n, .stream = lull_debug_packet_stream(d)};
    // What stopped on the way here does not stop again.
    lull_debug_ended(d, LULL_OUT_NOTHING);
    d->packets.rewinding = true;
    err = run_with(d, 0, &to);
    d->packets.rewinding = false;
    struct lull_error *again = lull_debug_sync_breakpoints(d);
    if (err != NULL) {
        lull_error_free(again);
        return err;
    }
    return again != NULL ? again : lull_debug_tell_outcome(d);
}

struct lull_error *lull_debug_break_packet(struct lull_debug *d,
                                           const struct lull_packet_where *where, const char *what,
                                           bool temporary, unsigned *ret_number)
{
    struct lull_breakpoint *b = NULL;
    struct lull_error *err = need_packets(d);
    err = err != NULL ? err : lull_debug_free_breakpoint(d, &b);
    if (err != NULL) {
        return err;
    }
    *b = (struct lull_breakpoint){.number = d->next_breakpoint,
                                  .kind = LULL_BREAK_PACKET,
                                  .enabled = true,
                                  .temporary = temporary,
                                  .where = *where,
                                  .what = strdup(what)};
    err = b->what == NULL ? &lull_enomem : lull_debug_sync_packets(d);
    if (err != NULL) {
        lull_debug_delete_breakpoint(b);
        return err;
    }
    *ret_number = d->next_breakpoint++;
    return NULL;
}
