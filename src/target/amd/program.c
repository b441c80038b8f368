// SPDX-License-Identifier: MIT
#include "target/amd/program.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/arch.h"
#include "base/error.h"
#include "drm/amdgpu/amdgpu.h"
#include "hw/field.h"
#include "hw/gc11_regs.h"
#include "target/amd/debug_priv.h"
#include "target/amd/program_priv.h"
#include "target/amd/trap_layout.h"

enum {
    MAX_FILES = 16, // of one process, tried one after the other
    LOOK_NS = 100000,
    GONE_LOOKS = 64,   // looks between two questions whether a process lives
    MOST_LOOKS = 5000, // for waves that were asked to stop and are still on their way
    CATCH_SLOT = 0,    // dispatches
    CATCH_DRAW_SLOT = 1,
};

static struct lull_target *target_of(struct client *c)
{
    return &c->t->base;
}

/* Real time: the GPU runs by itself. */
LULL_MUST_USE static struct lull_error *pass_time(struct lull_amd_target *t, uint64_t ns,
                                                  enum lull_amd_wait *ret)
{
    struct timespec ts = {.tv_nsec = (long)ns};
    (void)t;
    nanosleep(&ts, NULL);
    *ret = LULL_AMD_WAIT_BUSY;
    return NULL;
}

/* If we die without a word the kernel says so to the handler, and takes the traps away. With
 * @p on false: no more. */
LULL_MUST_USE static struct lull_error *guard(struct program *p, const struct client *c, bool on)
{
    const struct lull_control g = {
        .op = LULL_CONTROL_GUARD,
        .slot = (uint32_t)(c - p->clients),
        .address = on ? c->t->control->va + LULL_TRAP_CTL_FLAGS : 0,
        .number = on ? c->t->breaks.changed->va : 0,
        .file = c->file,
        .value = 1u << LULL_TRAP_FLAG_LEFT_BIT,
    };
    return lull_debugfs_control(&p->debugfs, &g);
}

static void drop(struct program *p, struct client *c)
{
    if (c->t != NULL && c->t->installed && p->watch.leaves != NULL) {
        p->watch.leaves(p->watch.ctx, c->pid, c->file);
    }
    lull_error_free(guard(p, c, false));
    if (p->past == c) {
        lull_program_forget(p);
    }
    if (c->t != NULL && c->t->installed) {
        uint32_t none = 0;
        lull_error_free(c->t->base.ops->set_watchpoints(&c->t->base, NULL, 0));
        struct lull_reg_bank bank = {.srbm = true, .vmid = c->t->vmid};
        lull_error_free(lull_debugfs_write_regs(&c->t->debugfs, &bank,
                                                LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &none, 1));
    }
    const bool outside = c->t == NULL || lull_amd_wait_outside(c->t);
    if (c->t != NULL) {
        c->t->installed = c->t->installed && outside;
        c->t->base.ops->destroy(&c->t->base);
    }
    (outside ? lull_amd_device_close : lull_amd_device_leave)(c->device);
    p->current = p->current == c ? NULL : p->current;
    *c = (struct client){0};
}

/* Traps for all waves of the client's VMID; at their start if somebody asks. */
LULL_MUST_USE static struct lull_error *arm(const struct program *p, struct client *c)
{
    struct lull_reg_bank bank = {.srbm = true, .vmid = c->t->vmid};
    uint32_t cntl = 0;
    // A job begins with empty caches. If code changes later, its waves empty them at their start.
    c->stale = c->stale || c->t->breaks.new_code;
    c->t->breaks.new_code = false;
    bool start = (p->stop_new && !p->aims) || c->t->breaks.nlist != 0 || p->excp != 0 || c->stale;
    struct lull_error *err =
        lull_debugfs_read_regs(&c->t->debugfs, &bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL, &cntl, 1);
    cntl = lull_set(cntl, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_EN_MASK, 1);
    cntl = lull_set(cntl, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK, start);
    if (err == NULL) {
        err = lull_debugfs_write_regs(&c->t->debugfs, &bank, LULL_GC11_SPI_GDBG_PER_VMID_CNTL,
                                      &cntl, 1);
    }
    return err;
}

/* What was set before this client came. */
LULL_MUST_USE static struct lull_error *bring_up_to_date(struct program *p, struct client *c)
{
    struct lull_target *t = target_of(c);
    c->t->breaks.by_step = p->by_step;
    struct lull_error *err = lull_amd_breaks_set(c->t, p->breakpoints, p->nbreakpoints);
    lull_amd_breaks_test(c->t, p->tests, p->ntests);
    err = err != NULL ? err : t->ops->stop_new_waves(t, p->stop_new);
    err =
        err != NULL || p->nwatches == 0 ? err : t->ops->set_watchpoints(t, p->watches, p->nwatches);
    err = err != NULL ? err : t->ops->set_exceptions(t, p->excp);
    return err != NULL ? err : arm(p, c);
}

/* Try one open file of the process. @p ret_right: it is the one whose jobs run in @p vmid. */
LULL_MUST_USE static struct lull_error *adopt_one(struct program *p, struct client *c, int fd,
                                                  unsigned vmid, bool *ret_right)
{
    *ret_right = false;
    struct lull_error *err = lull_amd_device_adopt(p->k, fd, &c->device);
    err = err != NULL ? err : lull_amd_target_make(c->device, p->dri, &c->t);
    if (err != NULL) {
        return err;
    }
    c->t->pass = pass_time;
    c->t->client = (uint8_t)(c - p->clients);
    c->t->vmid = vmid;
    struct lull_walk walk = {0};
    err = lull_amd_walk(&c->t->base, c->t->handler->va, &walk);
    *ret_right = err == NULL && walk.mapped;
    return err;
}

/* Open files of a process have no names: the right one is that whose new mapping shows up in the
 * page tables of the dispatch's VMID. */
LULL_MUST_USE static struct lull_error *adopt(struct program *p, struct client *c, unsigned vmid)
{
    for (unsigned i = 0; i < MAX_FILES; i++) {
        int fd = p->k->adopt(p->k, (pid_t)c->pid, i);
        if (fd == -ENOENT || fd == -ESRCH) {
            break;
        }
        if (fd < 0) {
            return lull_error_os(-fd, "open files of process %" PRIu32, c->pid);
        }
        bool right = false;
        struct client one = {.used = true, .pid = c->pid, .file = c->file};
        *c = one;
        struct lull_error *err = adopt_one(p, c, fd, vmid, &right);
        if (err == NULL && right) {
            err = lull_amdgpu_reserve_vmid(p->k, fd);
            lull_error_free(err); // all taken: its VMID may change, which release() notices
            return guard(p, c, true);
        }
        struct client was = *c;
        drop(p, c);
        *c = (struct client){.used = true, .pid = was.pid, .file = was.file};
        if (err != NULL) {
            return err;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          "process %" PRIu32 " has no DRM file that can be adopted now", c->pid);
}

/** Whose work is held. */
struct holder {
    uint64_t number, job;
    uint32_t pid, file, vmid;
};

LULL_MUST_USE static struct lull_error *need_client(struct program *p, const struct holder *r,
                                                    struct client **ret)
{
    struct client *c = NULL;
    struct client *empty = NULL;
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        struct client *at = &p->clients[i];
        c = at->used && at->pid == r->pid && at->file == r->file ? at : c;
        empty = empty == NULL && !at->used ? at : empty;
    }
    struct lull_error *err = NULL;
    if (c == NULL && empty == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d address spaces",
                              LULL_PROGRAM_CLIENTS);
    }
    if (c == NULL) {
        c = empty;
        *c = (struct client){.used = true, .pid = r->pid, .file = r->file};
        err = adopt(p, c, r->vmid);
        if (err != NULL) {
            *c = (struct client){0};
            return err;
        }
    }
    c->stale = c->stale && c->job == r->job;
    c->job = r->job;
    err = lull_amd_install(c->t, r->vmid);
    err = err != NULL ? err : bring_up_to_date(p, c);
    *ret = c;
    return err;
}

LULL_MUST_USE static struct lull_error *control(struct program *p, uint32_t op, uint64_t number)
{
    struct lull_control c = {.op = op, .slot = CATCH_SLOT, .number = number};
    return lull_debugfs_control(&p->debugfs, &c);
}

/* The same for draws. */
LULL_MUST_USE static struct lull_error *control_draw(struct program *p, uint32_t op,
                                                     uint64_t number)
{
    struct lull_control c = {
        .op = op, .slot = CATCH_DRAW_SLOT, .match = LULL_CATCH_DRAW, .number = number};
    return lull_debugfs_control(&p->debugfs, &c);
}

LULL_MUST_USE static struct lull_error *let_go(struct program *p, bool draw, uint64_t number)
{
    return (draw ? control_draw : control)(p, LULL_CONTROL_RELEASE, number);
}

/* @p ret_n 0: it is gone. */
LULL_MUST_USE static struct lull_error *holder_of(struct program *p, bool draw, uint64_t number,
                                                  struct holder *ret, size_t *ret_n)
{
    if (!draw) {
        struct lull_dispatch_record r = {0};
        struct lull_error *err = lull_debugfs_dispatches(&p->debugfs, number, &r, 1, ret_n);
        *ret = (struct holder){number, r.job, r.pid, r.file, r.vmid};
        return err;
    }
    struct lull_draw_record *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_debugfs_draws(&p->debugfs, number, r, 1, ret_n);
    *ret = (struct holder){number, r->job, r->pid, r->file, r->vmid};
    free(r);
    return err;
}

/* The held dispatch that has not been told of yet. A client that cannot be adopted is let alone. */
LULL_MUST_USE static struct lull_error *look_for_held(struct program *p, bool *ret)
{
    struct lull_control_state state = {0};
    *ret = false;
    struct lull_error *err = lull_debugfs_control_state(&p->debugfs, &state);
    for (uint32_t i = 0; err == NULL && !*ret && i < state.nheld && i < LULL_NRINGS; i++) {
        struct holder r = {0};
        size_t n = 0;
        const bool draw = state.held[i].draw != 0;
        if (state.held[i].catches == 0) {
            continue;
        }
        err = holder_of(p, draw, state.held[i].number, &r, &n);
        if (err != NULL || n == 0) {
            return err;
        }
        err = need_client(p, &r, &p->current);
        if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
            lull_error_free(err);
            err = let_go(p, draw, r.number);
            continue;
        }
        p->launch = (struct lull_control_launch){0};
        p->held = err == NULL;
        p->held_draw = draw;
        p->held_number = r.number;
        p->holder = p->current;
        *ret = p->held;
    }
    return err;
}

/* Waves of all clients: those of one that is not let go would hold up the others. */
static void go(struct program *p)
{
    bool resumed = false;
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        resumed = resumed || (p->clients[i].used && p->clients[i].t->resumed);
    }
    for (size_t i = 0; resumed && i < LULL_PROGRAM_CLIENTS; i++) {
        if (p->clients[i].used) {
            lull_amd_go(p->clients[i].t);
        }
    }
}

static bool look_for_stops(struct program *p)
{
    bool any = false;
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        struct client *c = &p->clients[i];
        if (c->used && lull_amd_collect(c->t)) {
            p->current = c;
            any = true;
        }
    }
    return any;
}

/* Processes that ended: their files close when we let them go. */
static void look_for_gone(struct program *p)
{
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        struct client *c = &p->clients[i];
        if (c->used && kill((pid_t)c->pid, 0) != 0 && errno == ESRCH) {
            if (p->held && p->holder == c) { // its ring goes on, to find that the job is dead
                p->held = false;
                lull_error_free(let_go(p, p->held_draw, p->held_number));
            }
            lull_error_free(target_of(c)->ops->kill(target_of(c)));
            drop(p, c);
        }
    }
}

/* Processes that the program started may go on without it. */
static bool anybody_left(struct program *p)
{
    look_for_gone(p);
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        if (p->clients[i].used) {
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *wait(struct lull_target *base, unsigned timeout_ms,
                                             enum lull_event *ret)
{
    struct program *p = lull_program(base);
    uint64_t looks = (uint64_t)timeout_ms * 1000000 / LOOK_NS + 1;
    *ret = LULL_EVENT_TIMEOUT;
    struct lull_error *err = lull_program_travel_wait(p);
    if (err != NULL) {
        return err;
    }
    go(p);
    for (uint64_t i = 0; i < looks || (i < MOST_LOOKS && lull_program_travel_settles(p)); i++) {
        bool held = false;
        if (look_for_stops(p)) {
            *ret = LULL_EVENT_STOPPED;
            return lull_program_travel_waited(p, true);
        }
        err = p->held ? NULL : look_for_held(p, &held);
        if (err != NULL && !p->watch.alive(p->watch.ctx)) { // the GPU went with the programs
            lull_error_free(err);
            *ret = LULL_EVENT_DONE;
            return NULL;
        }
        err = err != NULL ? err : lull_program_travel_look(p);
        if (err != NULL || held) {
            *ret = LULL_EVENT_HELD;
            return err != NULL ? err : lull_program_travel_held(p);
        }
        if (i % GONE_LOOKS == 0) {
            look_for_gone(p);
        }
        if (!p->watch.alive(p->watch.ctx) && !anybody_left(p)) {
            *ret = LULL_EVENT_DONE;
            return NULL;
        }
        struct timespec ts = {.tv_nsec = LOOK_NS};
        nanosleep(&ts, NULL);
    }
    return lull_program_travel_waited(p, false);
}

/* To where something is held, it is held anew. */
LULL_MUST_USE static struct lull_error *travel_by(struct lull_target *base, uint64_t time,
                                                  bool again)
{
    struct program *p = lull_program(base);
    bool held = false;
    struct lull_error *err = lull_program_travel(base, time, again);
    p->held = p->held && err != NULL;
    return err != NULL ? err : look_for_held(p, &held);
}

LULL_MUST_USE static struct lull_error *travel(struct lull_target *base, uint64_t time)
{
    return travel_by(base, time, false);
}

LULL_MUST_USE static struct lull_error *travel_again(struct lull_target *base, uint64_t time)
{
    return travel_by(base, time, true);
}

LULL_MUST_USE static struct lull_error *release(struct lull_target *base)
{
    struct program *p = lull_program(base);
    if (!p->held) {
        return lull_error_new(LULL_ERR_INVALID, "no dispatch is held");
    }
    struct lull_error *err = NULL;
    if (p->holder != NULL && p->holder->used) {
        err = arm(p, p->holder);
    }
    err = err != NULL ? err : lull_program_record(p, p->holder);
    p->held = false;
    if (err == NULL && p->launch.control.op != 0) {
        return lull_debugfs_launch(&p->debugfs, &p->launch);
    }
    return err != NULL ? err : let_go(p, p->held_draw, p->held_number);
}

/* Ops that go to one client. */

LULL_MUST_USE static struct lull_error *current(struct lull_target *base, struct lull_target **ret)
{
    struct program *p = lull_program(base);
    if (p->current == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no dispatch has come yet: whose memory is not known");
    }
    *ret = target_of(p->current);
    return NULL;
}

LULL_MUST_USE static struct lull_error *of_wave(struct lull_target *base, lull_wave_key key,
                                                struct lull_target **ret)
{
    unsigned i = lull_amd_key_client(key);
    struct client *c = i < LULL_PROGRAM_CLIENTS ? &lull_program(base)->clients[i] : NULL;
    if (c == NULL || !c->used) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "the wave's process has ended");
    }
    *ret = target_of(c);
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_memory(struct lull_target *base, uint64_t va,
                                                    void *buf, size_t size)
{
    struct lull_target *t = NULL;
    struct lull_error *err = current(base, &t);
    return err != NULL || t == NULL ? err : t->ops->read(t, va, buf, size);
}

LULL_MUST_USE static struct lull_error *write_memory(struct lull_target *base, uint64_t va,
                                                     const void *buf, size_t size)
{
    struct lull_target *t = NULL;
    struct lull_error *err = current(base, &t);
    return err != NULL || t == NULL ? err : t->ops->write(t, va, buf, size);
}

LULL_MUST_USE static struct lull_error *walk(struct lull_target *base, uint64_t va,
                                             struct lull_walk *ret)
{
    struct lull_target *t = NULL;
    struct lull_error *err = current(base, &t);
    return err != NULL || t == NULL ? err : t->ops->walk(t, va, ret);
}

LULL_MUST_USE static struct lull_error *bos(struct lull_target *base, struct lull_bo_info *infos,
                                            size_t room, size_t *ret)
{
    struct program *p = lull_program(base);
    *ret = 0;
    return p->current == NULL ? NULL : lull_amd_mappings(p->current->t, infos, room, ret);
}

LULL_MUST_USE static struct lull_error *allocate(struct lull_target *base, uint64_t size, bool code,
                                                 struct lull_own_memory *ret)
{
    struct lull_target *t = NULL;
    struct lull_amd_bo *bo = NULL;
    struct lull_error *err = current(base, &t);
    if (err == NULL) {
        err = lull_amd_bo_new(lull_program(base)->current->device,
                              code ? "instrumented code" : "records", size,
                              code ? LULL_AMD_BO_EXEC : LULL_AMD_BO_UNCACHED, &bo);
    }
    if (err == NULL) {
        *ret = (struct lull_own_memory){.va = bo->va, .map = bo->map};
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_reg(struct lull_target *base, lull_wave_key key,
                                                 struct lull_wave_reg reg, uint64_t *ret)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->read_reg(t, key, reg, ret);
}

LULL_MUST_USE static struct lull_error *write_reg(struct lull_target *base, lull_wave_key key,
                                                  struct lull_wave_reg reg, uint64_t value)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->write_reg(t, key, reg, value);
}

LULL_MUST_USE static struct lull_error *read_lds(struct lull_target *base, lull_wave_key key,
                                                 uint32_t offset, void *buf, size_t size)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->read_lds(t, key, offset, buf, size);
}

LULL_MUST_USE static struct lull_error *write_lds(struct lull_target *base, lull_wave_key key,
                                                  uint32_t offset, const void *buf, size_t size)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->write_lds(t, key, offset, buf, size);
}

LULL_MUST_USE static struct lull_error *resume(struct lull_target *base, lull_wave_key key,
                                               enum lull_resume how)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->resume(t, key, how);
}

LULL_MUST_USE static struct lull_error *step_within(struct lull_target *base, lull_wave_key key,
                                                    const struct lull_step_range *range)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    return err != NULL || t == NULL ? err : t->ops->step_within(t, key, range);
}

LULL_MUST_USE static struct lull_error *select_wave(struct lull_target *base, lull_wave_key key)
{
    struct lull_target *t = NULL;
    struct lull_error *err = of_wave(base, key, &t);
    if (err == NULL) {
        lull_program(base)->current = &lull_program(base)->clients[lull_amd_key_client(key)];
    }
    return err;
}

/* Ops that go to all clients. */

LULL_MUST_USE static struct lull_error *list_waves(
    struct lull_target *base, struct lull_wave_info *infos, size_t room, size_t *ret,
    struct lull_error *(*list)(struct lull_target *, struct lull_wave_info *, size_t, size_t *))
{
    struct program *p = lull_program(base);
    size_t n = 0;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < LULL_PROGRAM_CLIENTS; i++) {
        struct client *c = &p->clients[i];
        size_t more = 0;
        if (c->used) {
            size_t left = n < room ? room - n : 0;
            err = list(target_of(c), left != 0 ? infos + n : infos, left, &more);
        }
        n += more;
    }
    *ret = n;
    return err;
}

LULL_MUST_USE static struct lull_error *one_clients_waves(struct lull_target *t,
                                                          struct lull_wave_info *infos, size_t room,
                                                          size_t *ret)
{
    return t->ops->waves(t, infos, room, ret);
}

LULL_MUST_USE static struct lull_error *waves(struct lull_target *base,
                                              struct lull_wave_info *infos, size_t room,
                                              size_t *ret)
{
    return list_waves(base, infos, room, ret, one_clients_waves);
}

LULL_MUST_USE static struct lull_error *running(struct lull_target *base,
                                                struct lull_wave_info *infos, size_t room,
                                                size_t *ret)
{
    return list_waves(base, infos, room, ret, lull_amd_running);
}

LULL_MUST_USE static struct lull_error *bring_all(struct program *p)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < LULL_PROGRAM_CLIENTS; i++) {
        err = p->clients[i].used ? bring_up_to_date(p, &p->clients[i]) : NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *set_breakpoints(struct lull_target *base,
                                                        const uint64_t *vas, size_t n)
{
    struct program *p = lull_program(base);
    struct lull_amd_break *all = calloc(n + 1, sizeof *all);
    if (n > LULL_PROGRAM_BREAKS || all == NULL) {
        free(all);
        return n > LULL_PROGRAM_BREAKS
                   ? lull_error_new(LULL_ERR_INVALID, "%zu breakpoints; a program has at most %d",
                                    n, LULL_PROGRAM_BREAKS)
                   : &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        all[i].va = vas[i];
        for (size_t k = 0; k < p->nbreakpoints; k++) {
            all[i] = p->breakpoints[k].va == vas[i] ? p->breakpoints[k] : all[i];
        }
    }
    memcpy(p->breakpoints, all, n * sizeof *all);
    p->nbreakpoints = n;
    p->ntests = 0;
    free(all);
    // What the user looks at says what code is meant.
    struct lull_error *err = p->current != NULL ? bring_up_to_date(p, p->current) : NULL;
    return err != NULL ? err : bring_all(p);
}

LULL_MUST_USE static struct lull_error *break_in_code(struct lull_target *base, bool on)
{
    lull_program(base)->by_step = !on;
    return bring_all(lull_program(base));
}

LULL_MUST_USE static struct lull_error *set_exceptions(struct lull_target *base, uint32_t excp)
{
    struct program *p = lull_program(base);
    if (excp == p->excp) {
        return NULL;
    }
    p->excp = excp;
    return bring_all(p);
}

LULL_MUST_USE static struct lull_error *stop_new_waves(struct lull_target *base, bool on)
{
    lull_program(base)->stop_new = on;
    return bring_all(lull_program(base));
}

LULL_MUST_USE static struct lull_error *aim(struct lull_target *base,
                                            const struct lull_debug_goal *goal)
{
    struct program *p = lull_program(base);
    struct lull_error *err = goal == NULL ? lull_program_aim(p, NULL) : NULL;
    p->stop_new = p->aims = goal != NULL;
    err = err != NULL ? err : bring_all(p);
    return err != NULL || goal == NULL ? err : lull_program_aim(p, goal);
}

LULL_MUST_USE static struct lull_error *all(struct program *p,
                                            struct lull_error *(*op)(struct lull_target *t))
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < LULL_PROGRAM_CLIENTS; i++) {
        err = p->clients[i].used ? op(target_of(&p->clients[i])) : NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *stand(struct lull_target *base)
{
    return all(lull_program(base), lull_amd_stand);
}

LULL_MUST_USE static struct lull_error *interrupt(struct lull_target *base)
{
    return all(lull_program(base), lull_amd_interrupt);
}

LULL_MUST_USE static struct lull_error *kill_waves(struct lull_target *base)
{
    return all(lull_program(base), lull_amd_kill);
}

static void destroy(struct lull_target *base)
{
    struct program *p = lull_program(base);
    lull_error_free(control(p, LULL_CONTROL_FORGET, 0));
    lull_error_free(control_draw(p, LULL_CONTROL_FORGET, 0));
    for (size_t i = 0; i < LULL_PROGRAM_CLIENTS; i++) {
        struct client *c = &p->clients[i];
        if (c->used) { // waves that stand are let go first: their handler goes with us
            lull_error_free(target_of(c)->ops->set_breakpoints(target_of(c), NULL, 0));
            lull_amd_let_all_go(c->t);
            drop(p, c);
        }
    }
    lull_error_free(control(p, LULL_CONTROL_RELEASE, UINT64_MAX));
    lull_error_free(control_draw(p, LULL_CONTROL_RELEASE, UINT64_MAX));
    lull_debugfs_done(&p->debugfs);
    free(p->tests);
    free(p);
}

static const struct lull_target_ops ops = {
    .kind = "program",
    .arch = &lull_arch_rdna3,
    .destroy = destroy,
    .waves = waves,
    .running = running,
    .read = read_memory,
    .write = write_memory,
    .read_lds = read_lds,
    .write_lds = write_lds,
    .read_reg = read_reg,
    .write_reg = write_reg,
    .set_breakpoints = set_breakpoints,
    .set_tests = lull_program_set_tests,
    .break_in_code = break_in_code,
    .set_watchpoints = lull_program_set_watchpoints,
    .set_exceptions = set_exceptions,
    .stop_new_waves = stop_new_waves,
    .resume = resume,
    .stand = stand,
    .step_within = step_within,
    .interrupt = interrupt,
    .wait = wait,
    .bos = bos,
    .walk = walk,
    .dispatches = lull_program_dispatches,
    .draws = lull_program_draws,
    .draw_regs = lull_program_draw_regs,
    .held_draw = lull_program_held_draw,
    .watch_pixel = lull_program_watch_pixel,
    .fragments = lull_program_fragments,
    .count_drawn = lull_program_count_drawn,
    .drawn_pixels = lull_program_drawn_pixels,
    .drawn_primitives = lull_program_drawn_primitives,
    .aim = aim,
    .aimed = lull_program_aimed,
    .allocate = allocate,
    .begin = lull_program_begin,
    .release = release,
    .redirect = lull_program_redirect,
    .select = select_wave,
    .kill = kill_waves,
    .remember = lull_program_remember,
    .travelled = lull_program_travelled,
    .travel = travel,
    .travel_again = travel_again,
    .search = lull_program_search,
    .wrote = lull_program_wrote,
    .executed = lull_program_executed,
};

struct lull_error *lull_amd_program_new(struct lull_kernel *k, unsigned dri,
                                        const struct lull_program_watch *watch,
                                        struct lull_target **ret)
{
    struct program *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return &lull_enomem;
    }
    p->base.ops = &ops;
    p->k = k;
    p->dri = dri;
    p->watch = *watch;
    lull_debugfs_init(&p->debugfs, k, dri);
    struct lull_error *err =
        k->adopt == NULL ? lull_error_new(LULL_ERR_UNSUPPORTED, "open files cannot be adopted here")
                         : control(p, LULL_CONTROL_CATCH, 0);
    err = err != NULL ? err : control_draw(p, LULL_CONTROL_CATCH, 0);
    if (err != NULL) {
        lull_debugfs_done(&p->debugfs);
        free(p);
        return err;
    }
    *ret = &p->base;
    return NULL;
}
