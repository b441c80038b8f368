// SPDX-License-Identifier: MIT
// Time travel in a dispatch or a draw of a program: it begins when it is held and let go, and ends
// with its job, or when another one is let go. While another one of the job is held all that came
// in front of it can be gone back to.
//
// The GPU runs by itself there, but not behind a stop: the handler of a wave that stops holds up
// all others until the host lets go (trap_layout.h, GO), which it does not before it waits again.
// Of the program's memory what the GPU can reach goes back in time as well. Jobs
// that end, or come to a ring, wait meanwhile.
#include <string.h>

#include "base/error.h"
#include "target/amd/program_priv.h"

enum { LOG_PART = 4 }; // Of the memory: for who wrote what.

void lull_program_forget(struct program *p)
{
    if (p->past != NULL && p->past->used) {
        lull_amd_travel_end(p->past->t);
    }
    p->past = NULL;
}

struct lull_error *lull_program_record(struct program *p, struct client *c)
{
    lull_program_forget(p);
    if (p->record_bytes == 0 || (p->held_draw && p->aims) || c == NULL || !c->used) {
        return NULL;
    }
    c->t->travel.most = p->record_bytes - (p->logs ? p->record_bytes / LOG_PART : 0);
    struct lull_error *err = lull_amd_travel_begin(c->t, true);
    p->past = err == NULL && c->t->travel.on ? c : NULL;
    p->past_job = c->job;
    p->past_number = p->held_number;
    p->past_draw = p->held_draw;
    return err;
}

struct lull_error *lull_program_travel_wait(struct program *p)
{
    struct lull_amd_target *t = p->past != NULL ? p->past->t : NULL;
    if (t == NULL) {
        return NULL;
    }
    struct lull_error *err = t->resumed ? lull_amd_travel_go(t) : NULL;
    return err != NULL ? err : lull_amd_travel_wait(t, t->resumed);
}

struct lull_error *lull_program_travel_look(struct program *p)
{
    bool ended = false;
    if (p->past == NULL) {
        return NULL;
    }
    struct lull_amd_target *t = p->past->t;
    struct lull_error *err = lull_amd_travel_look(t, &ended);
    if (err == NULL && ended) {
        lull_program_forget(p); // The program is to go on.
    }
    return err;
}

struct lull_error *lull_program_travel_waited(struct program *p, bool stopped)
{
    return p->past != NULL ? lull_amd_travel_waited(p->past->t, stopped) : NULL;
}

struct lull_error *lull_program_travel_held(struct program *p)
{
    const bool same = p->held_draw == p->past_draw && p->held_number == p->past_number;
    if (p->past != NULL && (p->holder != p->past || p->past->job != p->past_job || same)) {
        lull_program_forget(p);
    }
    return lull_program_travel_waited(p, true);
}

bool lull_program_travel_settles(struct program *p)
{
    const struct lull_amd_target *t = p->past != NULL ? p->past->t : NULL;
    struct lull_time_state s = {0};
    if (t == NULL || !t->travel.on || t->travel.busy || !t->travel.quiet) {
        return false;
    }
    struct lull_error *err = lull_debugfs_time_state(&p->past->t->debugfs, &s);
    lull_error_free(err);
    return err == NULL && s.busy != 0;
}

/* Ops. */

struct lull_error *lull_program_remember(struct lull_target *base, uint64_t bytes, bool writers)
{
    struct program *p = lull_program(base);
    const uint64_t log = writers ? bytes / LOG_PART : 0;
    const struct lull_written_op limit = {.op = LULL_WRITTEN_LIMIT, .value = log};
    if (bytes != p->record_bytes ||
        p->logs != writers) { // A kernel that has no such file does without.
        struct lull_error *err = lull_debugfs_written(&p->debugfs, &limit, NULL);
        p->logs = err == NULL && limit.value != 0;
        lull_error_free(err);
    }
    p->record_bytes = bytes;
    return p->past != NULL ? lull_amd_remember(&p->past->t->base, bytes - log, writers) : NULL;
}

struct lull_error *lull_program_travelled(struct lull_target *base, struct lull_travel *ret)
{
    struct program *p = lull_program(base);
    *ret = (struct lull_travel){0};
    struct lull_error *err = p->past != NULL ? lull_amd_travelled(&p->past->t->base, ret) : NULL;
    ret->held = err == NULL && ret->on && p->held;
    return err;
}

LULL_MUST_USE static struct lull_error *past(struct lull_target *base, struct lull_target **ret)
{
    struct program *p = lull_program(base);
    *ret = p->past != NULL ? &p->past->t->base : NULL;
    return *ret != NULL ? NULL
                        : lull_error_new(LULL_ERR_NOT_FOUND, "nothing is remembered of that time");
}

struct lull_error *lull_program_travel(struct lull_target *base, uint64_t time, bool again)
{
    struct lull_target *t = NULL;
    struct lull_error *err = past(base, &t);
    return err != NULL ? err : (again ? lull_amd_travel_again : lull_amd_travel)(t, time);
}

struct lull_error *lull_program_search(struct lull_target *base, const struct lull_search *what,
                                       uint64_t until, struct lull_found_list *ret)
{
    struct lull_target *t = NULL;
    struct lull_error *err = past(base, &t);
    return err != NULL ? err : lull_amd_search(t, what, until, ret);
}

struct lull_error *lull_program_executed(struct lull_target *base, lull_wave_key wave,
                                         uint64_t *ret)
{
    struct lull_target *t = NULL;
    struct lull_error *err = past(base, &t);
    return err != NULL ? err : lull_amd_executed(t, wave, ret);
}

static void wrote_of(const struct program *p, const struct lull_written_record *r,
                     struct lull_wrote *ret)
{
    static const char *const rings[] = {"gfx",       "compute 0", "compute 1", "compute 2",
                                        "compute 3", "SDMA 0",    "SDMA 1"};
    const bool pixel = r->kind >= LULL_WROTE_COLOR && r->kind <= LULL_WROTE_STENCIL;
    const bool draw = pixel || r->kind == LULL_WROTE_DRAW;
    const uint64_t first = draw ? p->first_draw : p->first;
    *ret = (struct lull_wrote){
        .how = (enum lull_wrote_how)r->kind,
        .number = r->number,
        .address = r->address,
        .launch = r->launch >= first ? r->launch - first : 0,
        .before_run = r->launch < first,
        .job = r->job,
        .pc = r->kind != LULL_WROTE_COPY ? r->pc : 0,
        .from = r->kind == LULL_WROTE_COPY ? r->pc : 0,
        .time = r->time,
        .wave_in_group = r->index,
        .hw_id1 = r->place,
        .lane = r->lane,
        .target = r->target & ~(uint32_t)LULL_WROTE_BLENDED,
        .blended = (r->target & LULL_WROTE_BLENDED) != 0,
        .ring = r->ring < sizeof rings / sizeof rings[0] ? rings[r->ring] : "?",
        .known = r->known,
    };
    memcpy(ret->values, r->values, sizeof ret->values);
    memcpy(pixel ? ret->pixel : ret->workgroup, r->workgroup, sizeof ret->workgroup);
}

struct lull_error *lull_program_wrote(struct lull_target *base, uint64_t va, uint64_t size,
                                      bool before, uint64_t below, struct lull_wrote *ret)
{
    struct program *p = lull_program(base);
    const struct lull_written_op ask = {.op = before ? LULL_WRITTEN_BEFORE : LULL_WRITTEN_ASK,
                                        .client = p->current != NULL ? p->current->file : 0,
                                        .address = va,
                                        .bytes = size,
                                        .value = below};
    struct lull_written_record r = {0};
    if (!p->logs) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "who writes memory is not noted: 'set "
                                                    "record-writers on', then 'run'");
    }
    if (p->current == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no dispatch has come yet: whose memory is not known");
    }
    struct lull_error *err = lull_debugfs_written(&p->debugfs, &ask, &r);
    if (err == NULL) {
        wrote_of(p, &r, ret);
    }
    return err;
}
