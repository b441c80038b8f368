// SPDX-License-Identifier: MIT
#include "target/adreno/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "drm/msm/msm.h"
#include "hw/adreno_pkts.h"
#include "target/adreno/program_priv.h"

enum {
    LOOK_NS = 100000,
    NS_PER_MS = 1000000,
    NS_PER_S = 1000000000,
    HALF = 64, // Lanes of what is shown as a wave.
    MAX_MAPS = 4096,
    HELD_PACKET = 3, // struct lull_msm_control_state.held
};

static struct program *of(struct lull_target *t)
{
    return lull_adreno_program(t);
}

/* A wave's key: the group's number, the wave's in it, and which half of it. */
static lull_wave_key key_of(const struct lull_msm_wave *w, unsigned half)
{
    return w->group << 8 | (uint64_t)w->number << 1 | half;
}

static unsigned number_of(lull_wave_key key)
{
    return lull_adreno_number(key);
}

static enum lull_stop stop_of(const struct program *p, const struct lull_msm_wave *w, unsigned half)
{
    static const enum lull_stop stops[] = {
        [LULL_MSM_STOP_NOT] = LULL_STOP_NOT,
        [LULL_MSM_STOP_START] = LULL_STOP_START,
        [LULL_MSM_STOP_STEP] = LULL_STOP_STEP,
        [LULL_MSM_STOP_BREAKPOINT] = LULL_STOP_BREAKPOINT,
        [LULL_MSM_STOP_HOST] = LULL_STOP_HOST,
        [LULL_MSM_STOP_MEMORY] = LULL_STOP_MEMORY,
        [LULL_MSM_STOP_ILLEGAL] = LULL_STOP_ILLEGAL,
    };
    const enum lull_stop s =
        w->stop < sizeof stops / sizeof stops[0] ? stops[w->stop] : LULL_STOP_HOST;
    // What happened in the other half, or to nobody in this one, is not this one's.
    const bool ours = s == LULL_STOP_MEMORY ? w->fault_fiber / HALF == half
                      : s == LULL_STOP_STEP
                          ? (p->upper >> w->number % LULL_MSM_MAX_WAVES & 1) == half
                          : w->exec[half] != 0 || s == LULL_STOP_START;
    return ours || s == LULL_STOP_NOT ? s : LULL_STOP_HOST;
}

static struct lull_wave_info info_of(const struct program *p, const struct lull_msm_wave *w,
                                     unsigned half)
{
    struct lull_wave_info i = {
        .key = key_of(w, half),
        .slot = (uint8_t)(w->number << 1 | half),
        .hw_id1 = lull_msm_place(w->number, half),
        .stop = stop_of(p, w, half),
        .lanes = HALF,
        .workgroup = {w->id[0], w->id[1], w->id[2]},
        .wave_in_group = w->number * (w->fibers / HALF) + half,
        .pc = w->pc,
        .exec = w->exec[half],
        .helpers = w->helpers[half],
        .barrier = w->barrier != 0,
        .second_half = half != 0,
        .of_draw = w->stage != LULL_MSM_CS,
        .draw = w->work - p->first_draw,
        .stage = w->stage == LULL_MSM_VS ? LULL_STAGE_VERTEX : LULL_STAGE_FRAGMENT,
    };
    if (i.stop == LULL_STOP_MEMORY) {
        i.fault_known = true;
        i.fault_write = w->fault_write != 0;
        i.fault_lane = (uint8_t)(w->fault_fiber % HALF);
        i.fault_va = w->fault_address;
        i.fault_pc = w->fault_pc;
    }
    snprintf(i.note, sizeof i.note, "%s", i.stop == LULL_STOP_ILLEGAL ? w->wrong : "");
    return i;
}

/* Waves that stand, or that do not. */
LULL_MUST_USE static struct lull_error *list(struct program *p, bool standing,
                                             struct lull_wave_info *infos, size_t room, size_t *ret)
{
    struct lull_msm_wave all[LULL_MSM_MAX_WAVES];
    size_t bytes = 0, n = 0;
    struct lull_error *err =
        lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_WAVES, 0, all, sizeof all, &bytes);
    for (size_t i = 0; err == NULL && i < bytes / sizeof all[0]; i++) {
        for (unsigned half = 0; half < all[i].fibers / HALF; half++) {
            if ((all[i].stop != LULL_MSM_STOP_NOT) == standing) {
                if (n < room) {
                    infos[n] = info_of(p, &all[i], half);
                }
                n++;
            }
        }
    }
    *ret = n;
    return err;
}

LULL_MUST_USE static struct lull_error *waves(struct lull_target *t, struct lull_wave_info *infos,
                                              size_t room, size_t *ret)
{
    return list(of(t), true, infos, room, ret);
}

LULL_MUST_USE static struct lull_error *running(struct lull_target *t, struct lull_wave_info *infos,
                                                size_t room, size_t *ret)
{
    return list(of(t), false, infos, room, ret);
}

/* All of it, or the first address that is not there. */
LULL_MUST_USE static struct lull_error *whole(struct lull_error *err, uint64_t at, size_t got,
                                              size_t size)
{
    if (err != NULL && lull_error_code(err) == LULL_ERR_FAULT) {
        lull_error_free(err);
        err = NULL;
        got = 0;
    }
    return err != NULL || got == size
               ? err
               : lull_error_fault(at + got, "0x%" PRIx64 " is not mapped", at + got);
}

LULL_MUST_USE static struct lull_error *read_memory(struct lull_target *t, uint64_t va, void *buf,
                                                    size_t size)
{
    size_t got = 0;
    struct lull_error *err =
        lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_MEMORY, va, buf, size, &got);
    return whole(err, va, got, size);
}

LULL_MUST_USE static struct lull_error *write_memory(struct lull_target *t, uint64_t va,
                                                     const void *buf, size_t size)
{
    size_t got = 0;
    struct lull_error *err =
        lull_msm_debugfs_write(&of(t)->files, LULL_MSM_FILE_MEMORY, va, buf, size, &got);
    return whole(err, va, got, size);
}

LULL_MUST_USE static struct lull_error *read_local(struct lull_target *t, lull_wave_key wave,
                                                   uint32_t offset, void *buf, size_t size)
{
    size_t got = 0;
    (void)wave; // There is one group at a time.
    return lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_LOCAL, offset, buf, size, &got);
}

LULL_MUST_USE static struct lull_error *write_local(struct lull_target *t, lull_wave_key wave,
                                                    uint32_t offset, const void *buf, size_t size)
{
    size_t got = 0;
    (void)wave;
    return lull_msm_debugfs_write(&of(t)->files, LULL_MSM_FILE_LOCAL, offset, buf, size, &got);
}

/* Where a register is in lull_wave_regs. */
LULL_MUST_USE static struct lull_error *place_of(lull_wave_key wave, struct lull_wave_reg reg,
                                                 uint64_t *ret)
{
    const uint32_t fiber = (uint32_t)(reg.lane + HALF * (wave & 1));
    if (reg.cls == LULL_REG_PC) {
        *ret = lull_msm_reg_at(number_of(wave), LULL_MSM_PC, 0, fiber);
        return NULL;
    }
    enum lull_msm_bank bank = LULL_MSM_FULL;
    unsigned number = 0;
    if (reg.cls == LULL_REG_ARCH && lull_adreno_bank(reg.index, &bank, &number)) {
        *ret = lull_msm_reg_at(number_of(wave), bank, number, fiber);
        return NULL;
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "an Adreno's wave has no such register");
}

LULL_MUST_USE static struct lull_error *read_reg(struct lull_target *t, lull_wave_key wave,
                                                 struct lull_wave_reg reg, uint64_t *ret)
{
    uint64_t at = 0;
    uint32_t v[2] = {0, 0};
    size_t got = 0;
    struct lull_error *err = place_of(wave, reg, &at);
    for (unsigned i = 0; err == NULL && i < (reg.cls == LULL_REG_PC ? 2 : 1); i++) {
        err = lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_WAVE_REGS,
                                    at + ((uint64_t)i << LULL_MSM_REG_NUMBER), &v[i], 4, &got);
    }
    *ret = err == NULL ? (uint64_t)v[1] << 32 | v[0] : *ret;
    return err;
}

LULL_MUST_USE static struct lull_error *write_reg(struct lull_target *t, lull_wave_key wave,
                                                  struct lull_wave_reg reg, uint64_t value)
{
    uint64_t at = 0;
    const uint32_t v = (uint32_t)value;
    size_t got = 0;
    struct lull_error *err = place_of(wave, reg, &at);
    return err != NULL ? err
                       : lull_msm_debugfs_write(&of(t)->files, LULL_MSM_FILE_WAVE_REGS, at, &v,
                                                sizeof v, &got);
}

LULL_MUST_USE static struct lull_error *set_stops(struct program *p)
{
    p->stops.op = LULL_MSM_WATCH;
    return lull_msm_debugfs_control(&p->files, &p->stops);
}

LULL_MUST_USE static struct lull_error *set_breakpoints(struct lull_target *t, const uint64_t *vas,
                                                        size_t n)
{
    struct program *p = of(t);
    if (n > LULL_MSM_BREAKPOINTS) {
        return lull_error_new(LULL_ERR_INVALID, "%zu breakpoints; the model looks at %d", n,
                              LULL_MSM_BREAKPOINTS);
    }
    memcpy(p->stops.at, vas, n * sizeof *vas);
    p->stops.n = n;
    return set_stops(p);
}

LULL_MUST_USE static struct lull_error *stop_new_waves(struct lull_target *t, bool on)
{
    struct program *p = of(t);
    p->stops.flags =
        LULL_MSM_WATCH_DISPATCHES | LULL_MSM_WATCH_DRAWS | (on ? LULL_MSM_WATCH_STARTS : 0u);
    return set_stops(p);
}

LULL_MUST_USE static struct lull_error *resume(struct lull_target *t, lull_wave_key wave,
                                               enum lull_resume how)
{
    struct program *p = of(t);
    const uint64_t bit = UINT64_C(1) << (number_of(wave) % LULL_MSM_MAX_WAVES);
    p->go |= bit;
    if (how == LULL_RESUME_STEP) {
        p->step |= bit;
        p->upper = (wave & 1) != 0 ? p->upper | bit : p->upper & ~bit;
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *interrupt(struct lull_target *t)
{
    const struct lull_msm_control c = {.op = LULL_MSM_INTERRUPT};
    return lull_msm_debugfs_control(&of(t)->files, &c);
}

/* Those that were let go, all at once: the order in which they run is theirs. */
LULL_MUST_USE static struct lull_error *go(struct program *p)
{
    const struct lull_msm_control c = {.op = LULL_MSM_GO, .go = p->go, .step = p->step};
    struct lull_error *err = NULL;
    if (p->go != 0) {
        p->told = false;
        err = lull_msm_debugfs_control(&p->files, &c);
    }
    p->go = p->step = 0;
    if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) { // The dispatch was killed.
        lull_error_free(err);
        err = NULL;
    }
    return err;
}

/* @return False: time passes. */
static bool happened(struct program *p, const struct lull_msm_control_state *s,
                     enum lull_event *ret)
{
    const bool waves_stand = s->stands != 0 && s->held == 0;
    p->told = p->told && waves_stand;
    p->held_told = p->held_told && s->held != 0;
    if (waves_stand && !p->told) {
        p->told = true;
        *ret = LULL_EVENT_STOPPED;
        return true;
    }
    if (s->held != 0 && !p->held_told) {
        p->held_told = true;
        *ret = s->held == HELD_PACKET ? LULL_EVENT_PACKET : LULL_EVENT_HELD;
        return true;
    }
    return false;
}

static uint64_t now_ns(void)
{
    struct timespec ts = {0};
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

LULL_MUST_USE static struct lull_error *wait(struct lull_target *t, unsigned timeout_ms,
                                             enum lull_event *ret)
{
    struct program *p = of(t);
    const uint64_t most_ns = (uint64_t)timeout_ms * NS_PER_MS;
    const uint64_t looks = most_ns / LOOK_NS + 1, began = now_ns();
    struct lull_error *err = go(p);
    *ret = LULL_EVENT_TIMEOUT;
    // What is alone runs while somebody looks: then a look takes as long as that.
    for (uint64_t i = 0;
         err == NULL && i < looks && (i == 0 || !p->watch.alone || now_ns() - began < most_ns);
         i++) {
        struct lull_msm_control_state s = {0};
        err = lull_msm_debugfs_state(&p->files, &s);
        const bool alive = p->watch.alive(p->watch.ctx);
        if (err != NULL && !alive) { // The GPU went with the programs.
            lull_error_free(err);
            err = NULL;
        } else if (err != NULL || happened(p, &s, ret)) {
            return err;
        }
        if (!alive) {
            *ret = LULL_EVENT_DONE;
            return NULL;
        }
        const struct timespec ts = {.tv_nsec = LOOK_NS};
        nanosleep(&ts, NULL);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *bos(struct lull_target *t, struct lull_bo_info *infos,
                                            size_t room, size_t *ret)
{
    struct program *p = of(t);
    size_t bytes = 0;
    struct lull_error *err = NULL;
    p->maps = p->maps != NULL ? p->maps : calloc(MAX_MAPS, sizeof *p->maps);
    if (p->maps == NULL) {
        return &lull_enomem;
    }
    err = lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_MAPS, 0, p->maps,
                                MAX_MAPS * sizeof *p->maps, &bytes);
    *ret = bytes / sizeof *p->maps;
    for (size_t i = 0; err == NULL && i < *ret && i < room; i++) {
        infos[i] = (struct lull_bo_info){.name = p->maps[i].name,
                                         .va = p->maps[i].iova,
                                         .size = p->maps[i].size,
                                         .writable = p->maps[i].writable != 0,
                                         .executable = true};
    }
    return err;
}

static enum lull_dispatch_phase phase_of(uint32_t phase)
{
    return phase == LULL_MSM_HELD      ? LULL_PHASE_HELD
           : phase == LULL_MSM_RUNNING ? LULL_PHASE_RUNNING
           : phase == LULL_MSM_KILLED  ? LULL_PHASE_KILLED
                                       : LULL_PHASE_DONE;
}

static struct lull_dispatch_info dispatch_of(const struct program *p,
                                             const struct lull_msm_dispatch *d)
{
    struct lull_dispatch_info i = {
        .number = d->number - p->first,
        .pid = d->pid,
        .client = d->client,
        .ring = "rb0",
        .phase = phase_of(d->phase),
        .code_va = d->code,
        .start_cycle = d->began,
        .end_cycle = d->ended,
        .adreno = {.fibers = d->fibers,
                   .full = d->full,
                   .half = d->half,
                   .local_bytes = d->local_bytes,
                   .ninsns = d->ninsns},
    };
    memcpy(i.grid, d->groups, sizeof i.grid);
    memcpy(i.block, d->local, sizeof i.block);
    return i;
}

LULL_MUST_USE static struct lull_error *dispatches(struct lull_target *t, uint64_t first,
                                                   struct lull_dispatch_info *infos, size_t room,
                                                   size_t *ret)
{
    struct program *p = of(t);
    struct lull_msm_control_state s = {0};
    struct lull_error *err = lull_msm_debugfs_state(&p->files, &s);
    const uint64_t total = err == NULL && s.dispatches > p->first ? s.dispatches - p->first : 0;
    *ret = first < total ? (size_t)(total - first) : 0;
    for (size_t i = 0; err == NULL && i < *ret && i < room; i++) {
        struct lull_msm_dispatch d = {0};
        size_t got = 0;
        err = lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_DISPATCHES,
                                    (p->first + first + i) * sizeof d, &d, sizeof d, &got);
        infos[i] = dispatch_of(p, &d);
    }
    return err;
}

static struct lull_draw_info draw_of(const struct program *p, const struct lull_msm_draw *d)
{
    static const enum lull_draw_stage stages[] = {
        [LULL_MSM_VS] = LULL_STAGE_VERTEX, [LULL_MSM_FS] = LULL_STAGE_FRAGMENT};
    struct lull_draw_info i = {
        .number = d->number - p->first_draw,
        .pid = d->pid,
        .client = d->client,
        .phase = phase_of(d->phase),
        .count = d->vertices,
        .instances = d->instances,
        .index_va = d->index,
        .index_bytes = d->index_bytes,
        .rectangles = d->prim == LULL_DI_PT_RECTLIST,
        .start_cycle = d->began,
        .end_cycle = d->ended,
        .adreno = {.prim = d->prim, .tiled = d->tiled != 0},
    };
    memcpy(i.adreno.window, d->window, sizeof i.adreno.window);
    for (unsigned k = LULL_MSM_VS; k <= LULL_MSM_FS; k++) {
        i.code_va[stages[k]] = d->stage[k].code;
        i.adreno.stage[stages[k]] = (struct lull_adreno_dispatch){.fibers = d->stage[k].fibers,
                                                                  .full = d->stage[k].full,
                                                                  .half = d->stage[k].half,
                                                                  .ninsns = d->stage[k].ninsns,
                                                                  .of_draw = true,
                                                                  .stage = stages[k]};
    }
    return i;
}

LULL_MUST_USE static struct lull_error *draws(struct lull_target *t, uint64_t first,
                                              struct lull_draw_info *infos, size_t room,
                                              size_t *ret)
{
    struct program *p = of(t);
    struct lull_msm_control_state s = {0};
    struct lull_error *err = lull_msm_debugfs_state(&p->files, &s);
    const uint64_t total = err == NULL && s.draws > p->first_draw ? s.draws - p->first_draw : 0;
    *ret = first < total ? (size_t)(total - first) : 0;
    for (size_t i = 0; err == NULL && i < *ret && i < room; i++) {
        struct lull_msm_draw d = {0};
        size_t got = 0;
        err = lull_msm_debugfs_read(&p->files, LULL_MSM_FILE_DRAWS,
                                    (p->first_draw + first + i) * sizeof d, &d, sizeof d, &got);
        infos[i] = draw_of(p, &d);
    }
    return err;
}

static bool held_draw(struct lull_target *t, uint64_t *ret)
{
    enum { DRAW = 2 };
    struct program *p = of(t);
    struct lull_msm_control_state s = {0};
    struct lull_error *err = lull_msm_debugfs_state(&p->files, &s);
    const bool is = err == NULL && s.held == DRAW && s.draws > p->first_draw;
    lull_error_free(err);
    *ret = is ? s.draws - 1 - p->first_draw : *ret;
    return is;
}

static bool invocation(struct lull_target *t, lull_wave_key wave, unsigned lane,
                       struct lull_invocation *ret)
{
    struct lull_msm_invocation i = {0};
    const uint64_t fiber = 2ull * HALF * number_of(wave) + lane + HALF * (wave & 1);
    size_t got = 0;
    struct lull_error *err = lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_INVOCATIONS,
                                                   fiber * sizeof i, &i, sizeof i, &got);
    const bool there = err == NULL && got == sizeof i;
    lull_error_free(err);
    *ret = (struct lull_invocation){.stage = i.stage == LULL_MSM_VS ? LULL_STAGE_VERTEX
                                                                    : LULL_STAGE_FRAGMENT,
                                    .vertex = i.vertex,
                                    .instance = i.instance,
                                    .x = i.x,
                                    .y = i.y,
                                    .sample = i.sample,
                                    .primitive = i.primitive,
                                    .layer = i.layer,
                                    .per_sample = i.per_sample != 0,
                                    .helper = i.helper != 0};
    return there;
}

LULL_MUST_USE static struct lull_error *gpu_register(struct lull_target *t, uint32_t number,
                                                     uint32_t *ret)
{
    size_t got = 0;
    return lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_REGISTERS, 4ull * number, ret,
                                 sizeof *ret, &got);
}

LULL_MUST_USE static struct lull_error *loaded_descriptor(struct lull_target *t,
                                                          const struct lull_adreno_dispatch *of_it,
                                                          uint32_t n, uint32_t *ret)
{
    size_t got = 0;
    const uint32_t stage = !of_it->of_draw                     ? LULL_MSM_CS
                           : of_it->stage == LULL_STAGE_VERTEX ? LULL_MSM_VS
                                                               : LULL_MSM_FS;
    return lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_WAVE_REGS,
                                 lull_msm_reg_at(0, LULL_MSM_UBO, n, stage), ret, sizeof *ret,
                                 &got);
}

_Static_assert((int)LULL_PACKET_NUMBER == (int)LULL_MSM_PACKET_NUMBER &&
                   (int)LULL_PACKET_WRONG == (int)LULL_MSM_PACKET_WRONG &&
                   (int)LULL_PACKET_STOPS == (int)LULL_MSM_PACKET_STOPS &&
                   (int)LULL_PACKET_BUFFERS == (int)LULL_MSM_FRAMES &&
                   (int)LULL_GPU_REG_UNKNOWN == (int)LULL_MSM_REG_UNKNOWN,
               "words of the target are the kernel's");

LULL_MUST_USE static struct lull_error *stop_packets(struct lull_target *t,
                                                     const struct lull_packet_stops *s)
{
    struct program *p = of(t);
    struct lull_msm_packet_watch w = {.on = s != NULL || p->watch.alone,
                                      .troubles = p->watch.alone,
                                      .deepest = s != NULL ? s->deepest : 0,
                                      .n = s != NULL ? (uint32_t)s->n : 0};
    for (uint32_t i = 0; i < w.n; i++) {
        w.at[i].by = s->at[i].by;
        w.at[i].value = s->at[i].value;
        w.at[i].stream = s->at[i].stream;
    }
    struct lull_error *err = lull_msm_debugfs_watch_packets(&p->files, &w);
    p->packets = err == NULL ? w : p->packets;
    return err;
}

LULL_MUST_USE static struct lull_error *packet(struct lull_target *t, struct lull_packet_info *ret)
{
    struct lull_msm_packet_state s = {0};
    struct lull_error *err = lull_msm_debugfs_packet(&of(t)->files, &s);
    if (err != NULL) {
        return err;
    }
    *ret = (struct lull_packet_info){.stop = (enum lull_packet_stop)s.stop,
                                     .streams = s.streams,
                                     .number = s.number,
                                     .address = s.address,
                                     .met = s.met,
                                     .next = s.next != 0,
                                     .hits = s.hits,
                                     .dead = s.dead != 0,
                                     .nbuffers = s.nframes,
                                     .fault_va = s.fault_address,
                                     .fault_write = s.fault_write != 0,
                                     .wait_memory = s.wait_memory != 0,
                                     .wait_va = s.wait_address,
                                     .function = s.function,
                                     .ref = s.ref,
                                     .mask = s.mask};
    for (uint32_t i = 0; i < s.nframes && i < LULL_PACKET_BUFFERS; i++) {
        ret->buffers[i].kind = (enum lull_packet_buffer_kind)s.frames[i].kind;
        ret->buffers[i].number = s.frames[i].number;
        ret->buffers[i].address = s.frames[i].address;
        ret->buffers[i].dwords = s.frames[i].dwords;
        ret->buffers[i].next = s.frames[i].next;
    }
    snprintf(ret->block, sizeof ret->block, "%.*s", (int)sizeof s.block - 1, s.block);
    snprintf(ret->wrong, sizeof ret->wrong, "%.*s", (int)sizeof s.wrong - 1, s.wrong);
    return NULL;
}

LULL_MUST_USE static struct lull_error *register_states(struct lull_target *t, uint32_t first,
                                                        uint8_t *ret, size_t n)
{
    size_t got = 0;
    return lull_msm_debugfs_read(&of(t)->files, LULL_MSM_FILE_REGISTER_STATES, first, ret, n, &got);
}

LULL_MUST_USE static struct lull_error *begin(struct lull_target *t)
{
    struct program *p = of(t);
    struct lull_msm_control_state s = {0};
    struct lull_error *err = lull_msm_debugfs_state(&p->files, &s);
    p->first = err == NULL ? s.dispatches : p->first;
    p->first_draw = err == NULL ? s.draws : p->first_draw;
    p->told = p->held_told = false;
    p->go = p->step = 0;
    return err;
}

LULL_MUST_USE static struct lull_error *release(struct lull_target *t)
{
    const struct lull_msm_control c = {.op = LULL_MSM_RELEASE};
    of(t)->held_told = false;
    return lull_msm_debugfs_control(&of(t)->files, &c);
}

static void destroy(struct lull_target *t)
{
    struct program *p = of(t);
    lull_msm_debugfs_done(&p->files);
    free(p->maps);
    free(p);
}

static const struct lull_target_ops ops = {
    .kind = "virtual Adreno",
    .path = "observer path: real Adreno hardware cannot stop waves; lull's model looks in front of "
            "each instruction",
    .arch = &lull_arch_ir3,
    .destroy = destroy,
    .waves = waves,
    .running = running,
    .read = read_memory,
    .write = write_memory,
    .read_lds = read_local,
    .write_lds = write_local,
    .read_reg = read_reg,
    .write_reg = write_reg,
    .set_breakpoints = set_breakpoints,
    .stop_new_waves = stop_new_waves,
    .resume = resume,
    .interrupt = interrupt,
    .wait = wait,
    .bos = bos,
    .dispatches = dispatches,
    .draws = draws,
    .held_draw = held_draw,
    .invocation = invocation,
    .gpu_register = gpu_register,
    .loaded_descriptor = loaded_descriptor,
    .stop_packets = stop_packets,
    .packet = packet,
    .register_states = register_states,
    .begin = begin,
    .release = release,
    .remember = lull_adreno_remember,
    .travelled = lull_adreno_travelled,
    .travel = lull_adreno_travel,
    .travel_again = lull_adreno_travel_again,
    .search = lull_adreno_search,
    .executed = lull_adreno_executed,
};

#define NODE "/dev/dri/renderD128"

bool lull_adreno_is(struct lull_kernel *k)
{
    int fd = -1;
    struct lull_error *err = lull_msm_open(k, NODE, &fd);
    if (err == NULL) {
        k->close(k, fd);
    }
    lull_error_free(err);
    return err == NULL;
}

struct lull_error *lull_adreno_ids(struct lull_kernel *k, uint64_t *ret_gpu, uint64_t *ret_chip)
{
    struct lull_msm_gpu gpu = {0};
    int fd = -1;
    struct lull_error *err = lull_msm_open(k, NODE, &fd);
    if (err == NULL) {
        err = lull_msm_gpu(k, fd, &gpu);
        k->close(k, fd);
    }
    *ret_gpu = gpu.gpu_id;
    *ret_chip = gpu.chip_id;
    return err;
}

/* Which chip's instructions they are, as lull_arch_mode.gen has it. */
LULL_MUST_USE static struct lull_error *chip(struct lull_kernel *k, unsigned *ret)
{
    uint64_t gpu_id = 0, chip_id = 0;
    struct lull_error *err = lull_adreno_ids(k, &gpu_id, &chip_id);
    // Those of a7xx have no such number (data/chip/a740.chip).
    *ret = gpu_id != 0 ? (unsigned)gpu_id : 700;
    return err;
}

struct lull_error *lull_adreno_program_new(struct lull_kernel *k, unsigned dri,
                                           const struct lull_adreno_watch *watch,
                                           struct lull_target **ret)
{
    struct program *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return &lull_enomem;
    }
    p->ops = ops;
    p->base.ops = &p->ops;
    p->watch = *watch;
    lull_msm_debugfs_init(&p->files, k, dri);
    struct lull_error *err = chip(k, &p->ops.gen);
    err = err != NULL ? err : stop_new_waves(&p->base, false);
    err = err != NULL || !p->watch.alone ? err : stop_packets(&p->base, NULL);
    if (err != NULL) {
        destroy(&p->base);
        return err;
    }
    *ret = &p->base;
    return NULL;
}

struct lull_error *lull_adreno_program_move(struct lull_target *t, struct lull_kernel *k)
{
    struct program *p = of(t);
    const unsigned dri = p->files.dri;
    lull_msm_debugfs_done(&p->files);
    lull_msm_debugfs_init(&p->files, k, dri);
    p->first = p->first_draw = 0;
    p->told = p->held_told = false;
    p->go = p->step = 0;
    struct lull_error *err = lull_msm_debugfs_control(&p->files, &p->stops);
    err =
        err != NULL || p->record_bytes == 0 ? err : lull_adreno_remember(t, p->record_bytes, false);
    return err != NULL || p->packets.on == 0
               ? err
               : lull_msm_debugfs_watch_packets(&p->files, &p->packets);
}
