// SPDX-License-Identifier: MIT
// Waves in their trap handlers. They hold up everything else: no instruction of a program and no
// packet is executed while a wave is inside, or has a reason to go there. So a trap lies between
// two instructions of its wave and changes nothing for the others, whatever the handler does and
// however long it takes: what a program does is the same whether somebody looks at it or not.
//
// A handler that waits for its host for long sets STATUS.HALT, which is ignored inside: it stands,
// and others may go on. When a handler that has waited lets go, those that stand look first whether
// their wait is over as well: a host that writes to all of them, and last to one that holds, lets
// all go at once.
//
// Chosen for the model: hardware has no such order. Source for STATUS.HALT: RDNA3 ISA guide 3.3.
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    TURN = 4096,    // instructions of one handler before the next: most save a wave in fewer
    PASSING = 128,  // those of one that stops nowhere
    SLEEPERS = 128, // for so many more that are in their handlers, each sleeps once more as long:
                    // else looking would be all that is done
};

void lull_trap_add(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    if (!s->trapped) {
        s->trapped = true;
        g->trapped[g->ntrapped++] = s;
    }
    g->trap_due = true;
}

void lull_trap_forget(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    unsigned n = 0;
    for (unsigned i = 0; s->trapped && i < g->ntrapped; i++) {
        g->trapped[n] = g->trapped[i];
        n += g->trapped[i] != s;
    }
    g->ntrapped = s->trapped ? n : g->ntrapped;
    s->trapped = false;
}

void lull_trap_back(struct lull_gpu_slot *s)
{
    if (s->w.state == LULL_WAVE_RUNNING) {
        s->w.state = s->was;
        s->was = LULL_WAVE_RUNNING;
    }
}

/** Could @p s execute an instruction of its handler now? Takes it there, and wakes it. */
static bool runnable(const struct lull_gpu *g, struct lull_gpu_slot *s)
{
    if (!lull_trap_inside(s)) {
        return s->w.state == LULL_WAVE_RUNNING && lull_wave_take_traps(&s->w);
    }
    if (s->w.state == LULL_WAVE_SLEEP && s->look_at <= g->cycles) {
        s->w.state = LULL_WAVE_RUNNING;
    }
    return s->w.state == LULL_WAVE_RUNNING;
}

/** Inside, and neither waiting for long nor dead. */
static bool holds(const struct lull_gpu_slot *s)
{
    return lull_trap_inside(s) &&
           (s->w.status & (LULL_HWREG_STATUS__HALT_MASK | LULL_HWREG_STATUS__FATAL_HALT_MASK)) == 0;
}

/** Some instructions of the handler of @p s. */
static void run(struct lull_gpu *g, struct lull_gpu_slot *s, uint64_t end)
{
    const uint64_t most = end - g->cycles < TURN ? end - g->cycles : TURN;
    const uint32_t done = g->engine(&s->w, (uint32_t)most);
    if (s->w.state == LULL_WAVE_HALTED) {
        lull_gpu_note_halt(g);
    }
    g->cycles += done != 0 ? done : 1; // it ends even if the engine does nothing
    if (s->w.state == LULL_WAVE_ENDED) {
        lull_spi_retire(g, s);
    } else if (!lull_trap_inside(s)) {
        lull_trap_back(s);
    } else if (s->w.state == LULL_WAVE_SLEEP) {
        s->look_at = g->cycles + (1 + g->ntrapped / SLEEPERS) * (uint64_t)s->w.sleep_cycles;
        g->trap_stopped = g->trap_stopped || holds(s);
    }
}

/** Each wave's handler in turn, from the one on at which time was over. False: none could run. */
static bool go_round(struct lull_gpu *g, uint64_t end)
{
    bool moved = false;
    unsigned i = g->trap_next < g->ntrapped ? g->trap_next : 0;
    for (unsigned left = g->ntrapped; left > 0 && g->cycles < end; left--) {
        i = i < g->ntrapped ? i : 0;
        if (g->ntrapped == 0) {
            break;
        }
        struct lull_gpu_slot *s = g->trapped[i];
        if (runnable(g, s)) {
            run(g, s, end);
            moved = true;
        }
        const bool gone = i >= g->ntrapped || g->trapped[i] != s;
        if (!gone && !lull_trap_inside(s) && s->w.pending == 0) {
            lull_trap_forget(g, s);
        } else {
            i += !gone;
        }
    }
    g->trap_next = i;
    return moved;
}

void lull_trap_pass(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    if (g->ntrapped == 0 && s->w.state == LULL_WAVE_RUNNING && !s->trapped) {
        g->cycles += g->engine(&s->w, PASSING);
    }
}

static void wake_all(struct lull_gpu *g)
{
    for (unsigned i = 0; i < g->ntrapped; i++) {
        g->trapped[i]->look_at = g->cycles;
    }
}

bool lull_trap_run(struct lull_gpu *g, uint64_t end)
{
    const bool moved = go_round(g, end);
    bool due = false, held = false;
    g->trap_wake = UINT64_MAX;
    for (unsigned i = 0; i < g->ntrapped; i++) {
        const struct lull_gpu_slot *s = g->trapped[i];
        held = held || holds(s);
        due = due || s->w.state == LULL_WAVE_RUNNING;
        if (s->w.state == LULL_WAVE_SLEEP && s->look_at < g->trap_wake) {
            g->trap_wake = s->look_at;
        }
    }
    if (!held && !due && g->trap_stopped) {
        g->trap_stopped = false;
        wake_all(g);
        g->trap_wake = g->cycles;
    }
    g->trap_due = held || due;
    return moved || !held;
}

bool lull_trap_sleep(struct lull_gpu *g, uint64_t end)
{
    if (g->trap_wake == UINT64_MAX) {
        return false;
    }
    const uint64_t to = g->trap_wake < end ? g->trap_wake : end;
    g->slept += to > g->cycles ? to - g->cycles : 0;
    g->cycles = to > g->cycles ? to : g->cycles;
    return true;
}
