// SPDX-License-Identifier: MIT
#include "script_target.h"

#include <string.h>

#include "arch/arch.h"
#include "base/error.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"

static struct script_target *script(struct lull_target *t)
{
    return (struct script_target *)(void *)t;
}

/* Encodings as llvm-mc 19 gives them for gfx1100. */
static const uint32_t loop_code[] = {0xbf800000, 0xbf800000, 0xbfa0fffd,
                                     0xbfb00000}; // s_nop x2, s_branch, s_endpgm
static const uint32_t load_code[] = {0xdc520000, 0x017c0002,
                                     0xbfb00000}; // global_load_b32 v1, v[2:3], off

static const uint32_t store_code[] = {0xbf800000, 0xdc6a0000, 0x007c0102, 0xbf800000,
                                      0xbfb00000}; // s_nop, global_store_b32 v[2:3], v1, off

enum { LOAD_AT = 0x40, STORE_AT = 0x60, WATCH_LINE = 128, MAX_ROUNDS = 10000 };

static struct lull_error *s_waves(struct lull_target *target, struct lull_wave_info *infos,
                                  size_t room, size_t *ret)
{
    struct script_target *t = script(target);
    size_t n = 0;
    for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
        if (t->wave[i].alive && !t->wave[i].runs) {
            if (n < room) {
                infos[n] = t->wave[i].info;
            }
            n++;
        }
    }
    *ret = n;
    return NULL;
}

static struct lull_error *s_running(struct lull_target *target, struct lull_wave_info *infos,
                                    size_t room, size_t *ret)
{
    struct script_target *t = script(target);
    *ret = 0;
    for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
        if (t->wave[i].alive && t->wave[i].runs && *ret < room) {
            infos[(*ret)++] = t->wave[i].info;
        }
    }
    return NULL;
}

static bool inside(uint64_t va, size_t size)
{
    return va >= SCRIPT_BASE && va - SCRIPT_BASE <= SCRIPT_BYTES &&
           size <= SCRIPT_BYTES - (va - SCRIPT_BASE);
}

static struct lull_error *s_read(struct lull_target *target, uint64_t va, void *buf, size_t size)
{
    if (!inside(va, size)) {
        return lull_error_fault(va, "0x%llx is not mapped", (unsigned long long)va);
    }
    memcpy(buf, script(target)->memory + (va - SCRIPT_BASE), size);
    return NULL;
}

static struct lull_error *s_write(struct lull_target *target, uint64_t va, const void *buf,
                                  size_t size)
{
    if (!inside(va, size)) {
        return lull_error_fault(va, "0x%llx is not mapped", (unsigned long long)va);
    }
    memcpy(script(target)->memory + (va - SCRIPT_BASE), buf, size);
    return NULL;
}

static struct lull_error *lds_range(const struct script_target *t, uint32_t offset, size_t size)
{
    if (offset > sizeof t->lds || size > sizeof t->lds - offset) {
        return lull_error_new(LULL_ERR_INVALID, "LDS has %zu bytes", sizeof t->lds);
    }
    return NULL;
}

static struct lull_error *s_read_lds(struct lull_target *target, lull_wave_key wave,
                                     uint32_t offset, void *buf, size_t size)
{
    struct script_target *t = script(target);
    (void)wave;
    struct lull_error *err = lds_range(t, offset, size);
    if (err == NULL) {
        memcpy(buf, t->lds + offset, size);
    }
    return err;
}

static struct lull_error *s_write_lds(struct lull_target *target, lull_wave_key wave,
                                      uint32_t offset, const void *buf, size_t size)
{
    struct script_target *t = script(target);
    (void)wave;
    struct lull_error *err = lds_range(t, offset, size);
    if (err == NULL) {
        memcpy(t->lds + offset, buf, size);
    }
    return err;
}

/* Where a 32-bit register is kept; NULL if there is none. */
static uint32_t *storage(struct script_wave *w, struct lull_wave_reg reg)
{
    if (reg.cls == LULL_REG_SGPR && reg.index < 128) {
        return &w->sgpr[reg.index];
    }
    if (reg.cls == LULL_REG_VGPR && reg.index < SCRIPT_VGPRS && reg.lane < 32) {
        return &w->vgpr[reg.index][reg.lane];
    }
    return reg.cls == LULL_REG_HW && reg.index == LULL_HWREG_STATUS ? &w->info.status : NULL;
}

static struct lull_error *s_read_reg(struct lull_target *target, lull_wave_key wave,
                                     struct lull_wave_reg reg, uint64_t *ret)
{
    struct script_wave *w = &script(target)->wave[wave % SCRIPT_WAVES];
    const uint32_t *at = storage(w, reg);
    if (reg.cls == LULL_REG_PC) {
        *ret = w->info.pc;
    } else if (at != NULL) {
        *ret = *at;
    } else {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no register %u of class %d", reg.index,
                              (int)reg.cls);
    }
    return NULL;
}

static struct lull_error *s_write_reg(struct lull_target *target, lull_wave_key wave,
                                      struct lull_wave_reg reg, uint64_t value)
{
    struct script_wave *w = &script(target)->wave[wave % SCRIPT_WAVES];
    uint32_t *at = storage(w, reg);
    if (reg.cls == LULL_REG_PC) {
        w->info.pc = value;
    } else if (at != NULL) {
        *at = (uint32_t)value;
    } else {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no register %u of class %d", reg.index,
                              (int)reg.cls);
    }
    w->info.exec = w->sgpr[LULL_RDNA_EXEC];
    return NULL;
}

static struct lull_error *s_set_breakpoints(struct lull_target *target, const uint64_t *vas,
                                            size_t n)
{
    struct script_target *t = script(target);
    if (n > SCRIPT_BREAKPOINTS) {
        return lull_error_new(LULL_ERR_INVALID, "at most %d breakpoints", SCRIPT_BREAKPOINTS);
    }
    t->nbreakpoints = n;
    for (size_t i = 0; i < n; i++) {
        t->breakpoints[i] = vas[i];
    }
    return NULL;
}

static struct lull_error *s_set_watchpoints(struct lull_target *target,
                                            const struct lull_watchpoint *w, size_t n)
{
    struct script_target *t = script(target);
    if (n > SCRIPT_WATCHES) {
        return lull_error_new(LULL_ERR_INVALID, "at most %d watchpoints", SCRIPT_WATCHES);
    }
    t->nwatches = n;
    for (size_t i = 0; i < n; i++) {
        t->watches[i] = w[i];
    }
    return NULL;
}

static struct lull_error *s_stop_new_waves(struct lull_target *target, bool on)
{
    script(target)->stop_new = on;
    return NULL;
}

static struct lull_error *s_resume(struct lull_target *target, lull_wave_key wave,
                                   enum lull_resume how)
{
    struct script_wave *w = &script(target)->wave[wave % SCRIPT_WAVES];
    w->runs = true;
    w->skip = true;
    w->step = how == LULL_RESUME_STEP;
    return NULL;
}

static struct lull_error *s_interrupt(struct lull_target *target)
{
    script(target)->interrupt = true;
    return NULL;
}

static bool stop(struct script_wave *w, enum lull_stop why)
{
    w->runs = false;
    w->info.stop = why;
    return true;
}

static bool at_breakpoint(const struct script_target *t, uint64_t pc)
{
    for (size_t i = 0; i < t->nbreakpoints; i++) {
        if (t->breakpoints[i] == pc) {
            return true;
        }
    }
    return false;
}

/* Lanes that are on load; true if an address is bad. */
static bool load(struct script_target *t, struct script_wave *w)
{
    bool bad = false;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t va = (uint64_t)w->vgpr[3][i] << 32 | w->vgpr[2][i];
        if ((w->info.exec >> i & 1) != 0 && inside(va, 4)) {
            memcpy(&w->vgpr[1][i], t->memory + (va - SCRIPT_BASE), 4);
        } else if ((w->info.exec >> i & 1) != 0) {
            bad = true;
        }
    }
    return bad;
}

/* As load(), but for stores. */
static bool store(struct script_target *t, struct script_wave *w)
{
    bool bad = false;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t va = (uint64_t)w->vgpr[3][i] << 32 | w->vgpr[2][i];
        if ((w->info.exec >> i & 1) != 0 && inside(va, 4)) {
            memcpy(t->memory + (va - SCRIPT_BASE), &w->vgpr[1][i], 4);
        } else if ((w->info.exec >> i & 1) != 0) {
            bad = true;
        }
    }
    return bad;
}

/* Watchpoints whose line an active lane touches, as hardware: by lines. */
static uint8_t watched(const struct script_target *t, const struct script_wave *w, bool writes)
{
    uint8_t hit = 0;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t va = (uint64_t)w->vgpr[3][i] << 32 | w->vgpr[2][i];
        for (unsigned k = 0; k < t->nwatches; k++) {
            bool kind = t->watches[k].kind == LULL_WATCH_ACCESS ||
                        (t->watches[k].kind == LULL_WATCH_WRITE) == writes;
            bool line = va / WATCH_LINE == t->watches[k].va / WATCH_LINE;
            hit |= (uint8_t)((kind && line && (w->info.exec >> i & 1) != 0) << k);
        }
    }
    return hit;
}

/* One turn of a running wave; true if it stopped. */
static bool turn(struct script_target *t, struct script_wave *w)
{
    if (w->fresh && t->stop_new) {
        w->fresh = false;
        return stop(w, LULL_STOP_START);
    }
    if (t->interrupt || t->late == w) {
        t->late = t->late == w ? NULL : t->late;
        return stop(w, LULL_STOP_HOST);
    }
    if (!w->skip && at_breakpoint(t, w->info.pc)) {
        return stop(w, LULL_STOP_BREAKPOINT);
    }
    uint32_t word = 0;
    w->fresh = false;
    w->skip = false;
    w->info.watch = 0;
    memcpy(&word, t->memory + (w->info.pc - SCRIPT_BASE), sizeof word);
    if (word == loop_code[0]) {
        w->sgpr[0]++;
        w->info.pc += 4;
    } else if (word == loop_code[2]) {
        w->info.pc += w->sgpr[0] < SCRIPT_LIMIT ? (uint64_t)-8 : 4;
    } else if (word == load_code[0]) {
        if (load(t, w)) {
            return stop(w, LULL_STOP_MEMORY);
        }
        w->info.watch = watched(t, w, false);
        w->info.pc += 8;
    } else if (word == store_code[1]) {
        if (store(t, w)) {
            return stop(w, LULL_STOP_MEMORY);
        }
        w->info.watch = watched(t, w, true);
        w->info.pc += 8;
    } else {
        w->alive = word != loop_code[3];
        return w->alive && stop(w, LULL_STOP_ILLEGAL);
    }
    if (w->info.watch != 0) {
        return stop(w, LULL_STOP_EXCEPTION);
    }
    return w->step && stop(w, LULL_STOP_STEP);
}

static struct lull_error *s_wait(struct lull_target *target, unsigned timeout_ms,
                                 enum lull_event *ret)
{
    struct script_target *t = script(target);
    (void)timeout_ms;
    *ret = LULL_EVENT_TIMEOUT;
    for (unsigned round = 0; *ret == LULL_EVENT_TIMEOUT && round < MAX_ROUNDS; round++) {
        unsigned alive = 0;
        for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
            struct script_wave *w = &t->wave[i];
            if (w->alive && w->runs && turn(t, w)) {
                *ret = LULL_EVENT_STOPPED;
            }
            alive += w->alive;
        }
        *ret = alive == 0 ? LULL_EVENT_DONE : *ret;
    }
    t->interrupt = false;
    return NULL;
}

static struct lull_error *s_bos(struct lull_target *target, struct lull_bo_info *infos, size_t room,
                                size_t *ret)
{
    (void)target;
    if (room > 0) {
        infos[0] = (struct lull_bo_info){.name = "code",
                                         .va = SCRIPT_BASE,
                                         .size = SCRIPT_BYTES,
                                         .handle = 3,
                                         .vram = true,
                                         .executable = true};
    }
    *ret = 1;
    return NULL;
}

/* One page is mapped: readable and executable. Everything else ends at a PDB0 entry of 0. */
static struct lull_error *s_walk(struct lull_target *target, uint64_t va, struct lull_walk *ret)
{
    (void)target;
    bool mapped = va - SCRIPT_BASE < SCRIPT_BYTES;
    *ret = (struct lull_walk){
        .va = va, .root = 0x40001, .vmid = 8, .nsteps = mapped ? 4 : 3, .mapped = mapped};
    ret->steps[0] = (struct lull_walk_step){
        .level = 3, .entry_address = 0x40000, .entry = 0x41001, .valid = true};
    ret->steps[1] = (struct lull_walk_step){
        .level = 2, .entry_address = 0x41000, .entry = 0x42001, .valid = true};
    ret->steps[2] = (struct lull_walk_step){
        .level = 1, .entry_address = 0x42000, .entry = 0x43001, .valid = true};
    if (mapped) {
        ret->steps[3] = (struct lull_walk_step){
            .level = 0, .entry_address = 0x43800, .entry = 0x80031, .valid = true, .leaf = true};
        ret->address = 0x80000 + (va & 0xfff);
        ret->page_size = 4096;
    } else {
        ret->steps[2] = (struct lull_walk_step){.level = 1, .entry_address = 0x42020};
    }
    return NULL;
}

static struct lull_error *s_select(struct lull_target *target, lull_wave_key wave)
{
    script(target)->selected = wave;
    return NULL;
}

static struct lull_error *s_kill(struct lull_target *target)
{
    for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
        script(target)->wave[i].alive = false;
    }
    return NULL;
}

static struct lull_error *p_wait(struct lull_target *target, unsigned timeout_ms,
                                 enum lull_event *ret)
{
    struct script_target *t = script(target);
    if (t->launched) {
        struct lull_error *err = s_wait(target, timeout_ms, ret);
        if (err != NULL || *ret != LULL_EVENT_DONE) {
            return err;
        }
        t->launched = false;
        t->next++;
    }
    *ret = t->next == t->ndispatches ? LULL_EVENT_DONE
           : t->held                 ? LULL_EVENT_TIMEOUT
                                     : LULL_EVENT_HELD;
    t->held = *ret != LULL_EVENT_DONE;
    return NULL;
}

static struct lull_error *p_dispatches(struct lull_target *target, uint64_t first,
                                       struct lull_dispatch_info *infos, size_t room, size_t *ret)
{
    const struct script_target *t = script(target);
    size_t before = t->done - t->first; // it counts on, unless told to begin anew
    size_t come = before + t->next + (t->held || t->launched);
    *ret = first < come ? come - first : 0;
    for (size_t i = 0; i < *ret && i < room; i++) {
        uint64_t n = first + i;
        infos[i] = (struct lull_dispatch_info){.number = n,
                                               .pid = 42,
                                               .ring = "gfx",
                                               .phase = n < before + t->next ? LULL_PHASE_DONE
                                                        : t->held            ? LULL_PHASE_HELD
                                                                             : LULL_PHASE_RUNNING,
                                               .code_va = SCRIPT_BASE,
                                               .grid = {1, 1, 1},
                                               .block = {64, 1, 1}};
    }
    return NULL;
}

static struct lull_error *p_begin(struct lull_target *target)
{
    struct script_target *t = script(target);
    t->first = t->done + t->next;
    return NULL;
}

static struct lull_error *p_release(struct lull_target *target)
{
    struct script_target *t = script(target);
    t->held = false;
    t->launched = true;
    t->interrupt = false; // it was for waves that there were
    return script_run(t);
}

/* All new waves stop, as where a target cannot stop one alone. */
static struct lull_error *p_aim(struct lull_target *target, const struct lull_debug_goal *goal)
{
    script(target)->stop_new = goal != NULL;
    return NULL;
}

static struct lull_error *p_aimed(struct lull_target *target, struct lull_aimed *ret)
{
    *ret = script(target)->goal;
    return NULL;
}

static const struct lull_target_ops ops = {
    .kind = "script",
    .arch = &lull_arch_rdna3,
    .waves = s_waves,
    .running = s_running,
    .read = s_read,
    .write = s_write,
    .read_lds = s_read_lds,
    .write_lds = s_write_lds,
    .read_reg = s_read_reg,
    .write_reg = s_write_reg,
    .set_breakpoints = s_set_breakpoints,
    .set_watchpoints = s_set_watchpoints,
    .stop_new_waves = s_stop_new_waves,
    .resume = s_resume,
    .interrupt = s_interrupt,
    .wait = s_wait,
    .bos = s_bos,
    .walk = s_walk,
    .select = s_select,
    .kill = s_kill,
};

static const struct lull_target_ops program_ops = {
    .kind = "script",
    .arch = &lull_arch_rdna3,
    .waves = s_waves,
    .running = s_running,
    .read = s_read,
    .write = s_write,
    .read_lds = s_read_lds,
    .write_lds = s_write_lds,
    .read_reg = s_read_reg,
    .write_reg = s_write_reg,
    .set_breakpoints = s_set_breakpoints,
    .set_watchpoints = s_set_watchpoints,
    .stop_new_waves = s_stop_new_waves,
    .resume = s_resume,
    .interrupt = s_interrupt,
    .wait = p_wait,
    .bos = s_bos,
    .walk = s_walk,
    .dispatches = p_dispatches,
    .aim = p_aim,
    .aimed = p_aimed,
    .begin = p_begin,
    .release = p_release,
    .select = s_select,
    .kill = s_kill,
};

void script_init(struct script_target *t)
{
    *t = (struct script_target){.target = {.ops = &ops}};
    memcpy(t->memory, loop_code, sizeof loop_code);
    memcpy(t->memory + LOAD_AT, load_code, sizeof load_code);
    memcpy(t->memory + STORE_AT, store_code, sizeof store_code);
}

void script_init_program(struct script_target *t, unsigned n)
{
    script_init(t);
    t->target.ops = &program_ops;
    t->ndispatches = n;
}

struct lull_error *script_run_program(void *ctx)
{
    struct script_target *t = ctx;
    t->done += t->next;
    t->next = 0;
    t->held = t->launched = false;
    return NULL;
}

struct lull_error *script_run(void *ctx)
{
    struct script_target *t = ctx;
    t->runs++;
    for (unsigned i = 0; i < SCRIPT_WAVES; i++) {
        struct script_wave *w = &t->wave[i];
        *w = (struct script_wave){.alive = true, .runs = true, .fresh = true};
        w->info = (struct lull_wave_info){.key = 2 * t->runs + i,
                                          .lanes = 32,
                                          .nsgprs = 16,
                                          .nvgprs = SCRIPT_VGPRS,
                                          .wave_in_group = i,
                                          .slot = (uint8_t)i,
                                          .hw_id1 = i,
                                          .pc = SCRIPT_BASE,
                                          .status = 1};
        for (unsigned r = 1; r < LULL_RDNA_VCC; r++) {
            w->sgpr[r] = 0x100 + r;
        }
        w->sgpr[9] = i;
        w->sgpr[LULL_RDNA_VCC] = 0x12345678;
        w->sgpr[LULL_RDNA_M0] = 7;
        w->sgpr[LULL_RDNA_EXEC] = i == 0 ? 0xff : 0xffffffff;
        w->info.exec = w->sgpr[LULL_RDNA_EXEC];
        for (unsigned r = 0; r < SCRIPT_VGPRS; r++) {
            for (unsigned lane = 0; lane < 32; lane++) {
                w->vgpr[r][lane] = r * 1000 + lane;
            }
        }
    }
    return NULL;
}
