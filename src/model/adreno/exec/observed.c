// SPDX-License-Identifier: MIT
// What observers are told of waves of ir3.
#include "model/adreno/exec/observed.h"

#include "arch/ir3.h"

enum { WORD = 8 }; // Bytes of an instruction.

static uint32_t bit(const struct lull_ir3_mask *m, unsigned fiber)
{
    return lull_ir3_on(m, fiber) ? 1 : 0;
}

/** A register by its name, as lull_arch_ir3 numbers them. */
static bool read_register(const struct lull_observed *at, unsigned reg, unsigned lane,
                          uint32_t *ret)
{
    const struct lull_ir3_seen *s = (const struct lull_ir3_seen *)(const void *)at;
    const struct lull_ir3_wave *w = s->wave;
    if (lane >= w->fibers) {
        return false;
    }
    const unsigned halves = LULL_IR3_GPRS + LULL_IR3_SHARED;
    if (reg < halves) {
        *ret = lull_ir3_get(w, reg, false, lane);
    } else if (reg >= LULL_ARCH_IR3_HALVES && reg - LULL_ARCH_IR3_HALVES < halves) {
        *ret = lull_ir3_get(w, reg - LULL_ARCH_IR3_HALVES, true, lane);
    } else if (reg == LULL_ARCH_IR3_ADDRESS) {
        *ret = (uint16_t)w->a0[lane];
    } else if (reg == LULL_ARCH_IR3_ADDRESS + 1) {
        *ret = w->a1;
    } else if (reg >= LULL_ARCH_IR3_PREDICATE && reg - LULL_ARCH_IR3_PREDICATE < 4) {
        *ret = bit(&w->p[reg - LULL_ARCH_IR3_PREDICATE], lane);
    } else {
        return false;
    }
    return true;
}

bool lull_ir3_see(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                  struct lull_ir3_seen *ret)
{
    const uint64_t word = env->program->steps[w->pc].word;
    const struct lull_arch_mode mode = {.gen = env->program->gen, .lax = true};
    uint8_t bytes[WORD];
    for (unsigned i = 0; i < WORD; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
    ret->wave = w;
    if (lull_arch_ir3.decode(&mode, bytes, sizeof bytes, &ret->room) != WORD) {
        return false;
    }
    const struct lull_ir3_mask active = lull_ir3_active(w);
    ret->at = (struct lull_observed){
        .arch = &lull_arch_ir3,
        .insn = lull_insn_in(&ret->room),
        .pc = env->code + WORD * (uint64_t)w->pc,
        .ninsns = w->ninsns,
        .wave = w,
        .group = env,
        .workgroup = {w->group[0], w->group[1], w->group[2]},
        .lanes = w->fibers,
        .active = active.w[0],
        .active_high = active.w[1],
        .joins = w->joined,
        .place = w->number,
        .local_bytes = env->local_bytes,
        .read = read_register,
    };
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->before != NULL) {
            o->before(o, &ret->at);
        }
    }
    return true;
}

void lull_ir3_touch(const struct lull_ir3_env *env, unsigned fiber, uint64_t address,
                    unsigned bytes, bool store)
{
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->access != NULL) {
            o->access(o, &env->seen->at, fiber, address, bytes, store);
        }
    }
}

void lull_ir3_rested(const struct lull_ir3_env *env, uint32_t rows)
{
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->rests != NULL) {
            o->rests(o, &env->seen->at, rows);
        }
    }
}
