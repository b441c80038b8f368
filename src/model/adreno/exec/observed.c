// SPDX-License-Identifier: MIT
// What observers are told of waves of ir3.
#include "model/adreno/exec/observed.h"

#include <stdlib.h>
#include <string.h>

#include "model/fresh.h"
#include "model/shape.h"

enum { WORD = 8, PAGE = 4096 }; // Bytes of an instruction; of a page.

static uint32_t bit(const struct lull_ir3_mask *m, unsigned fiber)
{
    return lull_ir3_on(m, fiber) ? 1 : 0;
}

/** Constant @p n, a dword; false: there is none. */
static bool read_constant(const struct lull_ir3_env *env, unsigned n, uint32_t *ret)
{
    const bool shared = env->shared_first != 0 && n >= env->shared_first;
    if (n >= LULL_IR3_CONSTS || (!shared && n >= env->nconsts)) {
        return false;
    }
    *ret = shared ? env->shared_consts[n - env->shared_first] : env->consts[n];
    return true;
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
    } else if (reg >= LULL_ARCH_IR3_CONSTANTS) {
        return read_constant(s->env, reg - LULL_ARCH_IR3_CONSTANTS, ret);
    } else {
        return false;
    }
    return true;
}

struct lull_arch_ir3_insn *lull_ir3_insns_new(const struct lull_ir3_program *p)
{
    struct lull_arch_ir3_insn *insns = calloc(p->n > 0 ? p->n : 1, sizeof *insns);
    for (uint32_t i = 0; insns != NULL && i < p->n; i++) {
        insns[i] = (struct lull_arch_ir3_insn){
            .in = p->steps[i].in, .word = p->steps[i].word, .gen = p->gen};
    }
    return insns;
}

/** The instruction that @p w is at; NULL: it is none. */
static const struct lull_insn *insn_of(const struct lull_ir3_wave *w,
                                       const struct lull_ir3_env *env, struct lull_insn_room *room)
{
    const uint64_t word = env->program->steps[w->pc].word;
    const struct lull_arch_mode mode = {.gen = env->program->gen, .lax = true};
    uint8_t bytes[WORD];
    if (env->insns != NULL) {
        const struct lull_arch_ir3_insn *in = &env->insns[w->pc];
        return in->in.op != LULL_IR3_OP_NONE ? (const struct lull_insn *)in : NULL;
    }
    for (unsigned i = 0; i < WORD; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
    return lull_arch_ir3.decode(&mode, bytes, sizeof bytes, room) == WORD ? lull_insn_in(room)
                                                                          : NULL;
}

/** What names the group: its shared memory, which no other under way has. */
static const void *group_of(const struct lull_ir3_env *env)
{
    return env->local != NULL ? (const void *)env->local : (const void *)env;
}

bool lull_ir3_see(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                  struct lull_ir3_seen *ret)
{
    const struct lull_insn *insn = insn_of(w, env, &ret->room);
    if (insn == NULL) {
        return false;
    }
    ret->wave = w;
    ret->env = env;
    const struct lull_ir3_mask active = lull_ir3_active(w);
    ret->touching.wanted = ret->touching.accesses = false;
    ret->touching.lanes[0] = ret->touching.lanes[1] = 0; // The rest is written before it is read.
    ret->at = (struct lull_observed){
        .arch = &lull_arch_ir3,
        .insn = insn,
        .insn_bytes = sizeof(struct lull_arch_ir3_insn),
        .decoded = env->insns != NULL ? env->launch.number + 1 : 0,
        .pc = env->code + WORD * (uint64_t)w->pc,
        .ninsns = w->ninsns,
        .wave = w,
        .group = group_of(env),
        .workgroup = {w->group[0], w->group[1], w->group[2]},
        .lanes = w->fibers,
        .active = active.w[0],
        .active_high = active.w[1],
        .joins = w->joined,
        .space = env->launch.space,
        .place = w->number,
        .local_bytes = env->local_bytes,
        .read = read_register,
    };
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        ret->touching.wanted = ret->touching.wanted || o->memory != NULL;
        ret->touching.accesses = ret->touching.accesses || o->access != NULL;
        if (o->before != NULL) {
            o->before(o, &ret->at);
        }
    }
    return true;
}

void lull_ir3_tell_wave(const struct lull_ir3_wave *w, const struct lull_ir3_env *env, bool starts)
{
    const struct lull_ir3_launch *l = &env->launch;
    struct lull_observed_wave seen = {.arch = &lull_arch_ir3,
                                      .wave = w,
                                      .group = group_of(env),
                                      .dispatch = l->number,
                                      .launch = l->dispatches,
                                      .draw = l->draw,
                                      .index = w->number,
                                      .nwaves = l->nwaves,
                                      .lanes = w->fibers,
                                      .launched = w->exec.w[0],
                                      .launched_high = w->exec.w[1],
                                      .space = l->space,
                                      .place = w->number,
                                      .code = env->code,
                                      .killed = !starts && w->status != LULL_IR3_ENDED,
                                      .stage = l->stage,
                                      .at = l->at};
    memcpy(seen.workgroup, w->group, sizeof seen.workgroup);
    memcpy(seen.items, l->full, sizeof seen.items);
    memcpy(seen.full, l->full, sizeof seen.full);
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        void (*tell)(struct lull_observer *, const struct lull_observed_wave *) =
            starts ? o->starts : o->ends;
        if (tell != NULL) {
            tell(o, &seen);
        }
    }
}

/** Do these go together? */
static bool is_like(const struct lull_touch *a, const struct lull_touch *b)
{
    return a->kind == b->kind && a->local == b->local && a->priv == b->priv &&
           a->bytes == b->bytes && a->image == b->image && a->described == b->described &&
           a->descriptor == b->descriptor && a->base == b->base && a->available == b->available &&
           a->dims == b->dims;
}

/** Lanes from @p from on. */
static void tell_half(const struct lull_ir3_env *env, struct lull_ir3_touching *g, unsigned from)
{
    struct lull_touch t = g->like;
    t.from = from;
    t.lanes = g->lanes[from / 64];
    t.address = g->address + from;
    t.valid = g->valid + from;
    t.row = t.row != NULL ? t.row + from : NULL;
    t.texels = t.texels != NULL ? g->texels[from] : NULL;
    t.texel = t.texel != NULL ? g->texel[from] : NULL;
    lull_touch_shape(&t, LULL_SHAPE_MOST);
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->memory != NULL) {
            o->memory(o, &env->seen->at, &t);
        }
    }
}

void lull_ir3_tell_touches(const struct lull_ir3_env *env)
{
    struct lull_ir3_touching *g = &env->seen->touching;
    for (unsigned i = 0; i < LULL_IR3_FIBERS / 64; i++) {
        if (g->lanes[i] != 0) {
            tell_half(env, g, 64 * i);
            g->lanes[i] = 0;
        }
    }
}

uint8_t *lull_ir3_put_down(const struct lull_ir3_env *env, const struct lull_touch *like,
                           unsigned fiber, uint64_t address, uint8_t valid)
{
    struct lull_ir3_touching *g = &env->seen->touching;
    const uint64_t bit = UINT64_C(1) << (fiber & 63);
    const bool any = (g->lanes[0] | g->lanes[1]) != 0;
    if (any && ((g->lanes[fiber / 64] & bit) != 0 || !is_like(&g->like, like))) {
        lull_ir3_tell_touches(env);
    }
    if ((g->lanes[0] | g->lanes[1]) == 0) {
        g->like = *like;
        g->like.texel = NULL;
    }
    g->lanes[fiber / 64] |= bit;
    g->address[fiber] = address;
    g->valid[fiber] = valid;
    return g->texels[fiber];
}

void lull_ir3_tell_dropped(const struct lull_ir3_env *env, const struct lull_touch *like,
                           uint64_t address)
{
    const uint8_t valid = 0;
    struct lull_touch t = *like;
    t.address = &address;
    t.valid = &valid;
    t.low = t.high = address;
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->memory != NULL) {
            o->memory(o, &env->seen->at, &t);
        }
    }
}

void lull_ir3_put_texel(const struct lull_ir3_env *env, unsigned fiber, const int32_t at[4])
{
    struct lull_ir3_touching *g = &env->seen->touching;
    memcpy(g->texel[fiber], at, sizeof g->texel[fiber]);
    g->like.texel = g->texel[0];
}

void lull_ir3_touch(const struct lull_ir3_env *env, unsigned fiber, uint64_t address,
                    unsigned bytes, bool store, const uint8_t *host)
{
    const uintptr_t page = (uintptr_t)host & ~(uintptr_t)(PAGE - 1);
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        if (o->fresh != NULL && host != NULL) {
            (void)lull_fresh_see(o->fresh, (const uint8_t *)page, store);
        }
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
