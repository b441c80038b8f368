// SPDX-License-Identifier: MIT
// Time travel: the GPU is kept as it was at some times (marks, by the virtual driver's lull_time),
// and from a mark on everything is executed again up to the time that is wanted.
//
// What happens again is what happened, because the model's order depends on what programs have
// executed and on nothing else. All that the debugger adds is who stands while others run. So from
// one letting go to the next (a stretch) it is noted which waves stood, and going through time lets
// all but those go. Breakpoints, watchpoints and exceptions are away meanwhile.
//
// Nothing of programs moves between a stop and the next letting go (LULL_TIME_STILL), so that the
// time at which a stretch ends is that at which its waves stopped.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hw/hwreg_regs.h"
#include "target/amd/debug_priv.h"
#include "target/amd/trap_layout.h"

enum {
    INTERVAL = 1 << 21,    // of marks: instructions, but more where there is much memory:
    BYTES_OF_AN_INSN = 64, // as many bytes are compared in the time of one
    MOST_STRETCHES = 256,  // from one mark to the next
    PASS_NS = 200000,
    IDLE_PASSES = 2000, // in which nothing moved: it does not come there any more
    SLOT_KEY = 0x3fff,
};

static struct lull_amd_target *amd(struct lull_target *t)
{
    return (struct lull_amd_target *)t;
}

LULL_MUST_USE static struct lull_error *operate(struct lull_amd_target *t, uint32_t op,
                                                uint64_t value)
{
    return lull_debugfs_time(&t->debugfs, op, t->vmid, value);
}

LULL_MUST_USE static struct lull_error *state(struct lull_amd_target *t,
                                              struct lull_time_state *ret)
{
    return lull_debugfs_time_state(&t->debugfs, ret);
}

static void mark_done(struct lull_amd_mark *m)
{
    free(m->stopped);
    lull_amd_breaks_done(&m->breaks);
    *m = (struct lull_amd_mark){0};
}

/** Stretches from number @p n on are forgotten. */
static void cut_stretches(struct lull_amd_travel *v, size_t n)
{
    while (v->nstretches > n) {
        free(v->stretches[--v->nstretches].standing);
    }
}

LULL_MUST_USE static struct lull_error *drop_mark(struct lull_amd_target *t, size_t i)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_error *err = operate(t, LULL_TIME_DROP, v->marks[i].number);
    mark_done(&v->marks[i]);
    memmove(&v->marks[i], &v->marks[i + 1], (v->nmarks - i - 1) * sizeof *v->marks);
    v->nmarks--;
    return err;
}

static void forget_all(struct lull_amd_travel *v)
{
    for (size_t i = 0; i < v->nmarks; i++) {
        mark_done(&v->marks[i]);
    }
    v->nmarks = 0;
    cut_stretches(v, 0);
}

/** A copy of the list of @p b; the rest is shared with it. */
LULL_MUST_USE static struct lull_error *copy_breaks(const struct lull_amd_breaks *b,
                                                    struct lull_amd_breaks *ret)
{
    struct lull_amd_breaks c = *b;
    c.all = calloc(b->n + 1, sizeof *c.all);
    if (c.all == NULL) {
        return &lull_enomem;
    }
    if (b->n != 0) {
        memcpy(c.all, b->all, b->n * sizeof *c.all);
    }
    c.room = b->n + 1;
    *ret = c;
    return NULL;
}

/** Make room: the mark goes that leaves the smallest gap, else the oldest. */
LULL_MUST_USE static struct lull_error *thin(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    struct lull_error *err = state(t, &s);
    while (err == NULL && s.bytes > v->most && v->nmarks > 1) {
        size_t best = v->nmarks > 2 ? 0 : 1; // Two: the one that all begins with stays.
        uint64_t gap = UINT64_MAX;
        for (size_t i = 1; i + 1 < v->nmarks; i++) {
            const uint64_t here = v->marks[i + 1].time - v->marks[i - 1].time;
            if (!v->marks[i].kept && here < gap) {
                best = i;
                gap = here;
            }
        }
        err = drop_mark(t, best);
        err = err != NULL ? err : state(t, &s);
    }
    return err;
}

/** @p stretch: the number of the one that is under way, or begins. */
LULL_MUST_USE static struct lull_error *mark(struct lull_amd_target *t, size_t stretch)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    if (v->nmarks == v->marks_room) {
        const size_t room = v->marks_room == 0 ? 16 : 2 * v->marks_room;
        struct lull_amd_mark *all = reallocarray(v->marks, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        v->marks = all;
        v->marks_room = room;
    }
    struct lull_amd_mark m = {.kept = v->touched,
                              .stretch = stretch,
                              .seen = t->seen,
                              .flags = t->flags,
                              .excp = t->excp,
                              .enabled = t->enabled,
                              .nwatches = t->nwatches,
                              .nstopped = t->nstopped,
                              .stopped = calloc(t->nslots + 1, sizeof *t->stopped)};
    struct lull_error *err = m.stopped != NULL ? copy_breaks(&t->breaks, &m.breaks) : &lull_enomem;
    err = err != NULL ? err : operate(t, LULL_TIME_MARK, 0);
    err = err != NULL ? err : state(t, &s);
    if (err != NULL) {
        mark_done(&m);
        return err;
    }
    memcpy(m.stopped, t->stopped, t->nstopped * sizeof *t->stopped);
    m.number = s.mark;
    m.time = s.now;
    v->marks[v->nmarks++] = m;
    v->touched = false;
    return thin(t);
}

/** We are in the past, and what comes is not what came: that is forgotten. */
LULL_MUST_USE static struct lull_error *cut(struct lull_amd_target *t, uint64_t now)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_error *err = NULL;
    while (err == NULL && v->nmarks > 1 && v->marks[v->nmarks - 1].time > now) {
        err = drop_mark(t, v->nmarks - 1);
    }
    size_t n = v->nstretches;
    while (n > 0 && v->stretches[n - 1].from >= now) {
        n--;
    }
    while (err == NULL && v->nmarks > 1 && v->marks[v->nmarks - 1].stretch > n) {
        err = drop_mark(t, v->nmarks - 1);
    }
    cut_stretches(v, n);
    v->last = now;
    v->ended = false;
    return err;
}

LULL_MUST_USE static struct lull_error *begin(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    forget_all(v);
    v->ended = v->touched = v->quiet = v->marked = false;
    struct lull_error *err = operate(t, LULL_TIME_DROP, UINT64_MAX);
    err = err != NULL ? err : operate(t, LULL_TIME_STOP, UINT64_MAX);
    err = err != NULL ? err : operate(t, LULL_TIME_STILL, 1); // Till the first wait.
    return err != NULL ? err
                       : operate(t, LULL_TIME_HOLD_ENDS, v->alone ? LULL_TIME_HOLD_STARTS : 1);
}

struct lull_error *lull_amd_travel_begin(struct lull_amd_target *t, bool alone)
{
    struct lull_amd_travel *v = &t->travel;
    v->alone = alone;
    v->on = v->most != 0 && (alone || t->arms);
    struct lull_error *err = v->on ? begin(t) : NULL;
    if (err != NULL) { // A kernel that has no such file: it is debugged without.
        lull_error_free(err);
        v->on = false;
    }
    return NULL;
}

/** The first mark: the job is on its ring, and nothing of it has moved. */
LULL_MUST_USE static struct lull_error *first_mark(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    enum lull_amd_wait busy = LULL_AMD_WAIT_BUSY;
    struct lull_error *err = t->pass(t, PASS_NS, &busy);
    err = err != NULL ? err : state(t, &s);
    err = err != NULL ? err : mark(t, 0);
    v->last = s.now;
    v->marked = true;
    err = err != NULL ? err : lull_amd_travel_go(t);
    err = err != NULL ? err : state(t, &s);
    if (err == NULL && s.bytes > v->most) { // Not even the beginning has room.
        lull_amd_travel_end(t);
    }
    v->interval = s.bytes / BYTES_OF_AN_INSN > INTERVAL ? s.bytes / BYTES_OF_AN_INSN : INTERVAL;
    return err;
}

struct lull_error *lull_amd_travel_leave(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    if (!v->on || v->busy || v->nmarks == 0) {
        return NULL;
    }
    struct lull_error *err = state(t, &s);
    if (err == NULL && s.now < v->last) {
        err = cut(t, s.now);
    }
    const struct lull_amd_mark *m = &v->marks[v->nmarks - 1];
    if (err == NULL && (v->touched || s.now - m->time >= v->interval ||
                        v->nstretches - m->stretch >= MOST_STRETCHES)) {
        err = mark(t, v->nstretches);
        v->marked = true;
    }
    return err;
}

/** Do the waves that stand, and what new ones do, make it the stretch before, which goes on? */
static bool goes_on(const struct lull_amd_target *t, bool at_start)
{
    const struct lull_amd_travel *v = &t->travel;
    const struct lull_amd_stretch *s = v->nstretches != 0 ? &v->stretches[v->nstretches - 1] : NULL;
    return !v->marked && s != NULL && s->at_start == at_start && s->n == t->nstopped &&
           memcmp(s->standing, t->stopped, t->nstopped * sizeof *t->stopped) == 0;
}

struct lull_error *lull_amd_travel_go(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state now = {0};
    const bool at_start = (t->flags >> LULL_TRAP_FLAG_START_BIT & 1) != 0;
    if (!v->on || v->busy || v->nmarks == 0 || goes_on(t, at_start)) {
        return NULL;
    }
    if (v->nstretches == v->stretches_room) {
        const size_t room = v->stretches_room == 0 ? 16 : 2 * v->stretches_room;
        struct lull_amd_stretch *all = reallocarray(v->stretches, room, sizeof *all);
        if (all == NULL) {
            return &lull_enomem;
        }
        v->stretches = all;
        v->stretches_room = room;
    }
    struct lull_amd_stretch s = {.at_start = at_start,
                                 .n = t->nstopped,
                                 .standing = calloc(t->nstopped + 1, sizeof *t->stopped)};
    struct lull_error *err = s.standing != NULL ? state(t, &now) : &lull_enomem;
    if (err != NULL) {
        free(s.standing);
        return err;
    }
    memcpy(s.standing, t->stopped, t->nstopped * sizeof *t->stopped);
    s.from = now.now;
    v->stretches[v->nstretches++] = s;
    v->marked = false;
    return NULL;
}

struct lull_error *lull_amd_travel_wait(struct lull_amd_target *t, bool went)
{
    struct lull_amd_travel *v = &t->travel;
    if (!v->on || v->busy) {
        return NULL;
    }
    struct lull_error *err = v->nmarks == 0 ? first_mark(t) : NULL;
    v->quiet = v->quiet && !went;
    return err != NULL ? err : operate(t, LULL_TIME_STILL, v->quiet);
}

struct lull_error *lull_amd_travel_look(struct lull_amd_target *t, bool *ret_ended)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    *ret_ended = false;
    if (!v->on || v->busy) {
        return NULL;
    }
    struct lull_error *err = state(t, &s);
    if (err != NULL) {
        return err;
    }
    v->last = s.now > v->last ? s.now : v->last;
    *ret_ended = v->ended = s.ended != 0;
    const bool due =
        !s.ended && v->nmarks != 0 && s.now - v->marks[v->nmarks - 1].time >= v->interval;
    return due && s.busy == 0 && v->nstretches != 0 ? mark(t, v->nstretches - 1) : NULL;
}

struct lull_error *lull_amd_travel_waited(struct lull_amd_target *t, bool stopped)
{
    struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    v->quiet = v->quiet && stopped;
    if (!v->on || v->busy || !stopped) {
        return NULL;
    }
    struct lull_error *err = operate(t, LULL_TIME_STILL, 1);
    err = err != NULL ? err : state(t, &s);
    v->last = s.now > v->last ? s.now : v->last;
    return err;
}

void lull_amd_travel_end(struct lull_amd_target *t)
{
    struct lull_amd_travel *v = &t->travel;
    if (v->on) {
        lull_error_free(operate(t, LULL_TIME_STILL, 0));
        lull_error_free(operate(t, LULL_TIME_HOLD_ENDS, 0));
        lull_error_free(operate(t, LULL_TIME_DROP, UINT64_MAX));
        enum lull_amd_wait done = LULL_AMD_WAIT_BUSY; // What has ended counts now.
        lull_error_free(v->ended ? t->pass(t, PASS_NS, &done) : NULL);
    }
    forget_all(v);
    v->on = v->ended = false;
}

void lull_amd_travel_done(struct lull_amd_target *t)
{
    forget_all(&t->travel);
    free(t->travel.marks);
    free(t->travel.stretches);
    t->travel = (struct lull_amd_travel){0};
}

struct lull_error *lull_amd_remember(struct lull_target *base, uint64_t bytes, bool writers)
{
    struct lull_amd_target *t = amd(base);
    (void)writers; // Of programs: who has them notes it.
    t->travel.most = bytes;
    if (bytes == 0) {
        lull_amd_travel_end(t);
    }
    return t->travel.on && t->travel.nmarks != 0 ? thin(t) : NULL;
}

struct lull_error *lull_amd_travelled(struct lull_target *base, struct lull_travel *ret)
{
    struct lull_amd_target *t = amd(base);
    const struct lull_amd_travel *v = &t->travel;
    struct lull_time_state s = {0};
    *ret = (struct lull_travel){0};
    if (!v->on || v->nmarks == 0) {
        return NULL;
    }
    struct lull_error *err = state(t, &s);
    const uint64_t began = s.began < s.now ? s.began : s.now; // the first mark is in front of it
    const bool all = v->marks[0].time <= began;
    *ret = (struct lull_travel){
        .on = err == NULL,
        .ended = s.ended != 0,
        .first = all ? began : v->marks[0].time,
        .now = s.now,
        .last = v->last > s.now ? v->last : s.now,
        .start = began,
        .marks = s.marks,
        .bytes = s.bytes,
    };
    return err;
}

const struct lull_amd_mark *lull_amd_mark_before(const struct lull_amd_target *t, uint64_t time)
{
    const struct lull_amd_travel *v = &t->travel;
    size_t n = v->nmarks;
    while (n > 0 && v->marks[n - 1].time > time) {
        n--;
    }
    return n > 0 ? &v->marks[n - 1] : NULL;
}

/** The GPU and what is known of it are those of @p m, without what a debugger put there. */
LULL_MUST_USE static struct lull_error *put_back(struct lull_amd_target *t,
                                                 const struct lull_amd_mark *m)
{
    struct lull_amd_breaks breaks = {0};
    struct lull_error *err = copy_breaks(&m->breaks, &breaks);
    err = err != NULL ? err : operate(t, LULL_TIME_RESTORE, m->number);
    if (err != NULL) {
        lull_amd_breaks_done(&breaks);
        return err;
    }
    breaks.by_step = t->breaks.by_step;
    lull_amd_breaks_done(&t->breaks);
    t->breaks = breaks;
    t->breaks.new_code = true;
    t->seen = m->seen;
    t->flags = m->flags;
    t->excp = m->excp;
    t->enabled = m->enabled;
    t->nwatches = m->nwatches;
    t->nstopped = m->nstopped;
    memcpy(t->stopped, m->stopped, m->nstopped * sizeof *t->stopped);
    t->resumed = false;
    err = lull_amd_breaks_set(t, NULL, 0);
    err = err != NULL ? err : t->base.ops->set_watchpoints(&t->base, NULL, 0);
    return err != NULL ? err : t->base.ops->set_exceptions(&t->base, 0);
}

static bool stood(const struct lull_amd_stretch *s, uint32_t slot)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->standing[i] == slot) {
            return true;
        }
    }
    return false;
}

/** Let all go that did not stand in @p s. */
LULL_MUST_USE static struct lull_error *let_go(struct lull_amd_target *t,
                                               const struct lull_amd_stretch *s)
{
    struct lull_wave_info *infos = calloc(t->nstopped + 1, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = t->base.ops->waves(&t->base, infos, t->nstopped, &n);
    for (size_t i = 0; err == NULL && i < n; i++) {
        if (!stood(s, (uint32_t)(infos[i].key & SLOT_KEY))) {
            err = t->base.ops->resume(&t->base, infos[i].key, LULL_RESUME_CONTINUE);
        }
    }
    free(infos);
    return err;
}

/** Until it is @p time and all waves stand, or nothing moves any more. */
LULL_MUST_USE static struct lull_error *run_until(struct lull_amd_target *t, uint64_t time)
{
    struct lull_time_state s = {0};
    uint64_t before = 0;
    unsigned idle = 0;
    struct lull_error *err = state(t, &s);
    bool over = s.now >= time && s.busy == 0;
    while (err == NULL && !over) {
        enum lull_amd_wait busy = LULL_AMD_WAIT_BUSY;
        before = s.now;
        err = t->pass(t, PASS_NS, &busy);
        if (err == NULL && busy != LULL_AMD_WAIT_BUSY) {
            return lull_error_new(LULL_ERR_INVALID, "the job ended while it was gone through");
        }
        err = err != NULL ? err : state(t, &s);
        (void)lull_amd_collect(t);
        idle = s.now == before ? idle + 1 : 0;
        over = (s.now >= time && s.busy == 0) || s.ended != 0 || idle >= IDLE_PASSES;
    }
    (void)lull_amd_collect(t);
    return err;
}

/** Stretch @p i up to @p time. */
LULL_MUST_USE static struct lull_error *go_through(struct lull_amd_target *t, size_t i,
                                                   uint64_t time)
{
    const struct lull_amd_stretch *s = &t->travel.stretches[i];
    struct lull_error *err = lull_amd_set_flag(t, LULL_TRAP_FLAG_START_BIT, s->at_start);
    err = err != NULL ? err : operate(t, LULL_TIME_STOP, time);
    err = err != NULL ? err : let_go(t, s);
    if (err == NULL && t->resumed) {
        lull_amd_go(t);
    }
    err = err != NULL ? err : operate(t, LULL_TIME_STILL, 0);
    return err != NULL ? err : run_until(t, time);
}

LULL_MUST_USE static struct lull_error *go_to(struct lull_amd_target *t,
                                              const struct lull_amd_mark *m, uint64_t time,
                                              const struct lull_time_trace *trace)
{
    const struct lull_amd_travel *v = &t->travel;
    struct lull_error *err = put_back(t, m);
    bool there = false; // Once at least: waves that ran at the mark are to stand.
    err = err != NULL || trace == NULL ? err : lull_debugfs_time_trace(&t->debugfs, trace);
    for (size_t i = m->stretch; err == NULL && i < v->nstretches && !there; i++) {
        const uint64_t end = i + 1 < v->nstretches ? v->stretches[i + 1].from : UINT64_MAX;
        there = time <= end;
        err = go_through(t, i, there ? time : end);
    }
    return err;
}

struct lull_error *lull_amd_travel_from(struct lull_amd_target *t, const struct lull_amd_mark *m,
                                        uint64_t time, const struct lull_time_trace *trace)
{
    struct lull_amd_travel *v = &t->travel;
    v->busy = true;
    struct lull_error *err = go_to(t, m, time, trace);
    struct lull_error *still = operate(t, LULL_TIME_STILL, 1);
    struct lull_error *never = operate(t, LULL_TIME_STOP, UINT64_MAX);
    struct lull_error *start = lull_amd_set_flag(t, LULL_TRAP_FLAG_START_BIT, false);
    v->busy = false;
    v->touched = v->quiet = false;
    struct lull_error *const all[] = {still, never, start};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (err == NULL) {
            err = all[i];
        } else if (all[i] != err) {
            lull_error_free(all[i]);
        }
    }
    return err;
}

/** From @p m on to @p time, or an error. */
LULL_MUST_USE static struct lull_error *go_exactly(struct lull_amd_target *t,
                                                   const struct lull_amd_mark *m, uint64_t time)
{
    struct lull_time_state s = {0};
    struct lull_error *err = lull_amd_travel_from(t, m, time, NULL);
    err = err != NULL ? err : state(t, &s);
    t->travel.ended = s.ended != 0;
    if (err == NULL && s.now != time) {
        err = lull_error_new(LULL_ERR_INVALID, "it did not come to time %llu again, but to %llu",
                             (unsigned long long)time, (unsigned long long)s.now);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *find_mark(const struct lull_amd_target *t, uint64_t time,
                                                  const struct lull_amd_mark **ret)
{
    *ret = t->travel.on ? lull_amd_mark_before(t, time) : NULL;
    return *ret != NULL ? NULL
                        : lull_error_new(LULL_ERR_NOT_FOUND, "nothing is remembered of that time");
}

struct lull_error *lull_amd_travel(struct lull_target *base, uint64_t time)
{
    const struct lull_amd_mark *m = NULL;
    struct lull_error *err = find_mark(amd(base), time, &m);
    return err != NULL ? err : go_exactly(amd(base), m, time);
}

struct lull_error *lull_amd_travel_again(struct lull_target *base, uint64_t time)
{
    struct lull_amd_target *t = amd(base);
    const struct lull_amd_travel *v = &t->travel;
    const struct lull_amd_mark *m = NULL;
    struct lull_error *err = find_mark(t, time, &m);
    m = v->marks;
    // What was changed by hand in between stands in the marks that were made then.
    for (size_t i = 1; err == NULL && i < v->nmarks && v->marks[i].time <= time; i++) {
        if (v->marks[i].kept) {
            err = go_exactly(t, m, v->marks[i].time);
            m = &v->marks[i];
        }
    }
    return err != NULL ? err : go_exactly(t, m, time);
}

struct lull_error *lull_amd_executed(struct lull_target *base, lull_wave_key wave, uint64_t *ret)
{
    struct lull_amd_target *t = amd(base);
    const struct lull_wave_reg reg = {.cls = LULL_REG_HW, .index = LULL_HWREG_HW_ID1};
    uint64_t place = 0;
    struct lull_error *err = base->ops->read_reg(base, wave, reg, &place);
    return err != NULL ? err : lull_debugfs_executed(&t->debugfs, (uint32_t)place, ret);
}
