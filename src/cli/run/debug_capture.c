// SPDX-License-Identifier: MIT
#include "cli/run/debug_capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "cli/opt/progress.h"
#include "debug/session/packets.h"
#include "target/adreno/program.h"

/** What `info submits` says of one. */
struct summary {
    uint64_t number, first, nstreams, nbuffers;
    char process[LULL_RP_TEXT];
    enum { TO_COME, RUNS, DONE, FAULTS, HUNG } state;
};

struct lull_debug_capture {
    const char *file;
    const struct lull_str *bytes;
    struct lull_replay_how how;
    struct lull_replay r;
    struct lull_target *target;
    struct lull_debug *debug;
    size_t nsubmits, room;
    struct summary *submits;
    // Of this run.
    struct lull_progress progress;
    struct lull_stream *stream;
    struct lull_rp_reader *reader;
    struct lull_rp_submit now;
    bool ran, runs, killed; // ran: the GPU is not as it was made.
    size_t next;            // Of submits.
    uint32_t fence;
    uint64_t hangs, faults, counts[2]; // hangs: as the kernel counts; counts: submits with these.
    struct lull_error *err;            // What ended it.
};

bool lull_debug_file_is(const char *file, enum lull_kind kind)
{
    struct stat st = {0};
    struct lull_stream *s = NULL;
    if (file == NULL || stat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
        return false;
    }
    struct lull_error *err = lull_stream_open(file, &s);
    const bool is = err == NULL && lull_kind_of(s) == kind;
    lull_error_free(err);
    lull_stream_free(s);
    return is;
}

bool lull_debug_is_left_behind(const char *file)
{
    return lull_debug_file_is(file, LULL_KIND_RD) || lull_debug_file_is(file, LULL_KIND_DEVCORE);
}

static void close_file(struct lull_debug_capture *c)
{
    lull_rp_submit_done(&c->now);
    lull_rp_reader_free(c->reader);
    lull_stream_free(c->stream);
    c->reader = NULL;
    c->stream = NULL;
}

LULL_MUST_USE static struct lull_error *open_file(struct lull_debug_capture *c)
{
    close_file(c);
    c->progress = (struct lull_progress){.quiet = true};
    struct lull_error *err = c->bytes != NULL
                                 ? lull_stream_of(c->bytes->text, c->bytes->size, &c->stream)
                                 : lull_progress_open(&c->progress, c->file, &c->stream);
    return err != NULL ? err : lull_rp_reader_new(c->stream, 0, &c->reader);
}

LULL_MUST_USE static struct lull_error *remember(struct lull_debug_capture *c,
                                                 const struct lull_rp_submit *s)
{
    if (c->nsubmits == c->room) {
        const size_t room = c->room != 0 ? 2 * c->room : 16;
        struct summary *grown = realloc(c->submits, room * sizeof *grown);
        if (grown == NULL) {
            return &lull_enomem;
        }
        c->submits = grown;
        c->room = room;
    }
    struct summary *m = &c->submits[c->nsubmits++];
    *m = (struct summary){.number = s->number,
                          .first = s->streams[0].number,
                          .nstreams = s->nstreams,
                          .nbuffers = s->nbuffers};
    memcpy(m->process, s->process, sizeof m->process);
    return NULL;
}

/* All submits once: is what they need there? The GPU is made for the first. */
LULL_MUST_USE static struct lull_error *look_through(struct lull_debug_capture *c)
{
    bool more = true;
    struct lull_error *err = open_file(c);
    while (err == NULL && more) {
        struct lull_rp_submit s = {0};
        err = lull_rp_reader_next(c->reader, &s, &more);
        if (err == NULL && more && c->r.k == NULL) {
            err = lull_replay_open(&c->r, &s);
        }
        if (err == NULL && more &&
            c->bytes == NULL) { // a dump says what it lacks when that is used
            err = lull_rp_missing(c->r.walk, &s);
        }
        if (err == NULL && more) {
            err = remember(c, &s);
        }
        lull_rp_submit_done(&s);
    }
    if (err == NULL && c->nsubmits == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "the capture has no submit");
    }
    return lull_error_in(err, "%s", c->file);
}

/* The next submit, if there is one. */
LULL_MUST_USE static struct lull_error *begin_submit(struct lull_debug_capture *c)
{
    struct lull_packet_info at = {.stop = LULL_PACKET_NOT};
    lull_rp_submit_done(&c->now);
    struct lull_error *err = lull_rp_reader_next(c->reader, &c->now, &c->runs);
    if (err != NULL || !c->runs) {
        return err;
    }
    // A hang leaves streams out: then the GPU counts fewer than the capture has.
    err = c->target->ops->packet(c->target, &at);
    if (err == NULL) {
        err = lull_debug_number_streams(c->debug,
                                        (int64_t)c->now.streams[0].number - (int64_t)at.streams);
    }
    err = err != NULL ? err : lull_rp_device_place(c->r.device, &c->now);
    err = err != NULL ? err : lull_rp_device_submit(c->r.device, &c->now, &c->fence);
    if (err == NULL && c->next < c->nsubmits) {
        c->submits[c->next].state = RUNS;
    }
    return err;
}

static void end_submit(struct lull_debug_capture *c, bool hung)
{
    uint64_t faults = 0;
    for (const char *line = NULL; (line = lull_driver_log_next(&c->r.log)) != NULL;) {
        faults += strstr(line, "*** gpu fault") != NULL;
    }
    c->counts[0] += faults != 0 && !hung;
    c->counts[1] += hung;
    if (c->next < c->nsubmits) {
        c->submits[c->next++].state = hung ? HUNG : faults != 0 ? FAULTS : DONE;
    }
}

static void tell_end(struct lull_debug_capture *c)
{
    char *note = c->debug->end_note;
    const size_t room = sizeof c->debug->end_note;
    if (c->err != NULL) {
        c->debug->status = 1;
        (void)snprintf(note, room, "cannot go on: %s", lull_error_message(c->err));
    } else {
        (void)snprintf(note, room,
                       "is over: %zu submit%s, %" PRIu64 " with faults, %" PRIu64 " hung", c->next,
                       c->next == 1 ? "" : "s", c->counts[0], c->counts[1]);
    }
}

/* Asked while nothing stands: is the replay not over? What is done makes room for the next. */
static bool alive(void *ctx)
{
    struct lull_debug_capture *c = ctx;
    bool done = false;
    uint64_t hangs = 0;
    if (c->killed || c->err != NULL || !c->runs) {
        return false;
    }
    c->err = lull_rp_device_wait(c->r.device, c->fence, 0, &done, &hangs);
    if (c->err == NULL && done) {
        end_submit(c, hangs != c->hangs);
        c->hangs = hangs;
        c->err = begin_submit(c);
    }
    if (c->err != NULL || !c->runs) {
        tell_end(c);
    }
    return c->err == NULL && c->runs;
}

/* What runs is not waited for: it may have no end. */
static void stop_gpu(struct lull_debug_capture *c)
{
    if (c->target != NULL && c->r.device != NULL) {
        lull_error_free(c->target->ops->interrupt(c->target));
        lull_rp_device_close(c->r.device);
        c->r.device = NULL;
    }
}

/* A GPU on which nothing has run. */
LULL_MUST_USE static struct lull_error *another_gpu(struct lull_debug_capture *c,
                                                    const struct lull_rp_submit *first)
{
    struct lull_replay next = {.how = c->how};
    stop_gpu(c);
    struct lull_error *err = lull_replay_open(&next, first);
    err = err != NULL ? err : lull_adreno_program_move(c->target, next.k);
    if (err != NULL) {
        lull_replay_close(&next);
        return err;
    }
    lull_replay_close(&c->r);
    c->r = next;
    return NULL;
}

/* From the beginning on. */
LULL_MUST_USE static struct lull_error *start(void *ctx)
{
    struct lull_debug_capture *c = ctx;
    struct lull_rp_submit first = {0};
    bool more = false;
    struct lull_error *err = open_file(c);
    if (err == NULL && c->ran) {
        err = lull_rp_reader_next(c->reader, &first, &more);
        err = err != NULL || !more ? err : another_gpu(c, &first);
        lull_rp_submit_done(&first);
        err = err != NULL ? err : open_file(c);
    }
    lull_error_free(c->err);
    c->err = NULL;
    c->ran = true;
    c->killed = false;
    c->next = 0;
    c->hangs = c->counts[0] = c->counts[1] = 0;
    c->debug->end_note[0] = '\0';
    for (size_t i = 0; i < c->nsubmits; i++) {
        c->submits[i].state = TO_COME;
    }
    return err != NULL ? err : begin_submit(c);
}

static void end(void *ctx)
{
    struct lull_debug_capture *c = ctx;
    c->killed = true;
}

static void list(void *ctx, struct lull_str *out, struct lull_json *json)
{
    static const char *const states[] = {"to come", "runs", "done", "done, with faults", "hung"};
    struct lull_debug_capture *c = ctx;
    if (json != NULL) {
        lull_json_open(json, '[');
    }
    for (size_t i = 0; i < c->nsubmits; i++) {
        const struct summary *s = &c->submits[i];
        lull_str_addf(out, "%s submit %" PRIu64 " (stream%s %" PRIu64,
                      s->state == RUNS ? "=>" : "  ", s->number, s->nstreams == 1 ? "" : "s",
                      s->first);
        if (s->nstreams > 1) {
            lull_str_addf(out, " to %" PRIu64, s->first + s->nstreams - 1);
        }
        lull_str_addf(out, "), %" PRIu64 " buffers: %s%s%s\n", s->nbuffers, states[s->state],
                      s->process[0] != '\0' ? ", " : "", s->process);
        if (json != NULL) {
            lull_json_open(json, '{');
            lull_json_put_u64(json, "submit", s->number);
            lull_json_put_u64(json, "first_stream", s->first);
            lull_json_put_u64(json, "streams", s->nstreams);
            lull_json_put_u64(json, "buffers", s->nbuffers);
            lull_json_put_str(json, "state", states[s->state]);
            lull_json_put_str(json, "process", s->process);
            lull_json_close(json, '}');
        }
    }
    if (json != NULL) {
        lull_json_close(json, ']');
    }
}

struct lull_error *lull_debug_capture_open(const char *file, const struct lull_str *bytes,
                                           const struct lull_replay_how *how,
                                           struct lull_debug_capture **ret)
{
    enum { CYCLES = 1 << 16 }; // that pass between two looks
    struct lull_debug_capture *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return &lull_enomem;
    }
    c->file = file;
    c->bytes = bytes;
    c->how = *how;
    c->how.poll_cycles = CYCLES;
    c->r.how = c->how;
    const struct lull_adreno_watch watch = {.alive = alive, .ctx = c, .alone = true};
    struct lull_error *err = look_through(c);
    err = err != NULL ? err : lull_adreno_program_new(c->r.k, 0, &watch, &c->target);
    if (err != NULL) {
        lull_debug_capture_free(c);
        return err;
    }
    *ret = c;
    return NULL;
}

struct lull_target *lull_debug_capture_target(struct lull_debug_capture *c)
{
    return c->target;
}

void lull_debug_capture_attach(struct lull_debug_capture *c, struct lull_debug *d)
{
    c->debug = d;
    d->run = start;
    d->kill = end;
    d->run_ctx = c;
    d->packets.again = true;
    d->packets.submits = list;
}

void lull_debug_capture_free(struct lull_debug_capture *c)
{
    if (c == NULL) {
        return;
    }
    stop_gpu(c);
    if (c->target != NULL) {
        c->target->ops->destroy(c->target);
    }
    close_file(c);
    lull_replay_close(&c->r);
    lull_error_free(c->err);
    free(c->submits);
    free(c);
}
