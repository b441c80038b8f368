// SPDX-License-Identifier: MIT
// Operands: registers of fibers, constants, immediates.
#include <string.h>

#include "model/adreno/exec/rows.h"
#include "model/adreno/exec/wave.h"

enum { FIRST_SHARED = LULL_IR3_GPRS, NO_REG = 63 * 4 };

/** By index of the table of floats. Source: Mesa ir3.xml, #flut. */
static const uint32_t flut32[] = {0x00000000, 0x3f000000, 0x3f800000, 0x40000000,
                                  0x402df854, 0x40490fdb, 0x3ea2f983, 0x3f317218,
                                  0x3fb8aa3b, 0x3e9a209b, 0x40549a78, 0x40800000};
static const uint16_t flut16[] = {0x0000, 0x3800, 0x3c00, 0x4000, 0x4170, 0x4248,
                                  0x3518, 0x398c, 0x3dc5, 0x34d1, 0x42a5, 0x4400};

uint32_t lull_ir3_get(const struct lull_ir3_wave *w, unsigned reg, bool half, unsigned fiber)
{
    if (reg >= NO_REG) {
        return 0;
    }
    const bool shared = reg >= FIRST_SHARED;
    const unsigned n = shared ? reg - FIRST_SHARED : reg, full = half ? n / 2 : n;
    if (shared && full >= LULL_IR3_SHARED) {
        return 0;
    }
    const uint32_t v = shared ? w->shared[full] : w->r[full][fiber];
    return half ? v >> (n & 1) * 16 & 0xffff : v;
}

static void put(uint32_t *at, unsigned n, bool half, uint32_t value)
{
    const unsigned shift = (n & 1) * 16;
    *at = half ? (*at & ~(0xffffu << shift)) | (value & 0xffff) << shift : value;
}

void lull_ir3_set(struct lull_ir3_wave *w, unsigned reg, bool half, unsigned fiber, uint32_t value)
{
    if (reg < FIRST_SHARED) {
        put(&w->r[half ? reg / 2 : reg][fiber], reg, half, value);
        return;
    }
    const unsigned n = reg - FIRST_SHARED, full = half ? n / 2 : n;
    if (reg < NO_REG && full < LULL_IR3_SHARED) {
        put(&w->shared[full], n, half, value);
    }
}

static uint32_t constant(const struct lull_ir3_env *env, int32_t at)
{
    const uint32_t n = (uint32_t)at;
    if (env->shared_first != 0 && n >= env->shared_first && n < LULL_IR3_CONSTS) {
        return env->shared_consts[n - env->shared_first];
    }
    if (n >= env->nconsts) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_CONSTANTS_BEYOND);
    }
    const bool stale = lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_CONSTANTS_BEYOND,
                                        LULL_IR3_ASSUME_CONSTANTS_BEYOND_STALE);
    return n < (stale ? LULL_IR3_CONSTS : env->nconsts) ? env->consts[n] : 0;
}

uint32_t lull_ir3_flut(unsigned index, bool half)
{
    return index >= sizeof flut16 / sizeof flut16[0] ? 0 : half ? flut16[index] : flut32[index];
}

static uint32_t one(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                    const struct lull_ir3_operand *o, int32_t number, unsigned fiber)
{
    switch (o->kind) {
    case LULL_IR3_K_GPR:
        return lull_ir3_get(w, (unsigned)number, o->half, fiber);
    case LULL_IR3_K_RELGPR:
        return lull_ir3_get(w, (unsigned)(number + w->a0[fiber]), o->half, fiber);
    case LULL_IR3_K_CONST:
        return constant(env, number);
    case LULL_IR3_K_RELCONST:
        return constant(env, number + w->a0[fiber]);
    case LULL_IR3_K_CONSTA1:
        return constant(env, number + w->a1);
    case LULL_IR3_K_PRED:
        return lull_ir3_on(&w->p[number & 3], fiber);
    case LULL_IR3_K_ADDR:
        return number == 0 ? (uint16_t)w->a0[fiber] : w->a1;
    case LULL_IR3_K_FLUT:
        return lull_ir3_flut((unsigned)o->value, o->half);
    default: // Immediates, numbers of textures.
        return o->half ? (uint32_t)o->value & 0xffff : (uint32_t)o->value;
    }
}

/** What alias.tex said to read for component @p number; NULL: nothing. */
static const struct lull_ir3_operand *alias_of(const struct lull_ir3_wave *w,
                                               const struct lull_ir3_operand *o, int32_t number)
{
    for (unsigned i = 0; i < w->naliases; i++) {
        const struct lull_ir3_operand *of = &w->aliases[i].of;
        if (of->value == number && of->half == o->half) {
            return &w->aliases[i].is;
        }
    }
    return NULL;
}

/** A register of each fiber, not a shared one. */
static bool is_of_fibers(const struct lull_ir3_operand *o, int32_t number)
{
    return o->kind == LULL_IR3_K_GPR && number >= 0 && number < FIRST_SHARED;
}

/** The same for all fibers: it is not read by a fiber's registers. */
static bool is_uniform(const struct lull_ir3_operand *o)
{
    return o->kind != LULL_IR3_K_GPR && o->kind != LULL_IR3_K_RELGPR &&
           o->kind != LULL_IR3_K_RELCONST && o->kind != LULL_IR3_K_PRED &&
           o->kind != LULL_IR3_K_ADDR;
}

/** What most instructions read, row by row; false: it is something else. */
static bool fetch_row(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                      const struct lull_ir3_operand *o, int32_t number, uint32_t *ret)
{
    const bool shared = o->kind == LULL_IR3_K_GPR && number >= FIRST_SHARED;
    if (is_uniform(o) || shared) {
        lull_ir3_host()->fill(ret, one(w, env, o, number, 0), w->fibers);
        return true;
    }
    if (!is_of_fibers(o, number)) {
        return false;
    }
    const uint32_t *row = w->r[o->half ? number / 2 : number];
    const unsigned shift = (number & 1) * 16;
    if (o->half) {
        lull_ir3_host()->halves(ret, row, shift, w->fibers);
    } else {
        memcpy(ret, row, w->fibers * sizeof *row);
    }
    return true;
}

/** Operand @p o is number @p step behind itself. */
static int32_t number_of(const struct lull_ir3_operand *o, unsigned step)
{
    const bool steps = o->kind == LULL_IR3_K_GPR || o->kind == LULL_IR3_K_RELGPR ||
                       o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_RELCONST;
    return o->value + (steps ? (int32_t)step : 0);
}

uint32_t lull_ir3_fetch_one(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                            const struct lull_ir3_operand *o, unsigned step, unsigned fiber)
{
    return one(w, env, o, number_of(o, step), fiber);
}

/** Is a0.x the same in all fibers? */
static bool is_one_place(const struct lull_ir3_wave *w)
{
    return memcmp(&w->a0[0], &w->a0[1], (w->fibers - 1) * sizeof w->a0[0]) == 0;
}

/** A relative operand where a0.x is the same in all fibers, as what it is there, if it is a
 * register of fibers or a constant. False: it is something else. */
static bool at_one_place(const struct lull_ir3_wave *w, const struct lull_ir3_operand *o,
                         int32_t number, struct lull_ir3_operand *ret)
{
    const bool gpr = o->kind == LULL_IR3_K_RELGPR;
    if ((!gpr && o->kind != LULL_IR3_K_RELCONST) || !is_one_place(w)) {
        return false;
    }
    struct lull_ir3_operand there = *o;
    there.kind = gpr ? LULL_IR3_K_GPR : LULL_IR3_K_CONST;
    there.value = number + w->a0[0];
    if (gpr && !is_of_fibers(&there, there.value)) {
        return false;
    }
    *ret = there;
    return true;
}

bool lull_ir3_fetch(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                    const struct lull_ir3_operand *o, unsigned step, uint32_t *ret)
{
    const int32_t number = number_of(o, step);
    const struct lull_ir3_operand *alias =
        w->aliased && o->kind == LULL_IR3_K_GPR ? alias_of(w, o, number) : NULL;
    if (alias == NULL && fetch_row(w, env, o, number, ret)) {
        return true;
    }
    struct lull_ir3_operand there;
    if (alias == NULL && at_one_place(w, o, number, &there)) {
        return fetch_row(w, env, &there, there.value, ret);
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        ret[i] = alias != NULL ? one(w, env, alias, alias->value, i) : one(w, env, o, number, i);
    }
    return true;
}

bool lull_ir3_store(struct lull_ir3_wave *w, const struct lull_ir3_operand *o, unsigned step,
                    const uint32_t *values)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    if (o->kind != LULL_IR3_K_GPR && o->kind != LULL_IR3_K_RELGPR && o->kind != LULL_IR3_K_PRED &&
        o->kind != LULL_IR3_K_ADDR) {
        lull_ir3_wrong(w, "a result cannot go to an operand of kind %u", o->kind);
        return false;
    }
    const bool shared = o->kind == LULL_IR3_K_GPR && o->value >= FIRST_SHARED;
    struct lull_ir3_operand there = *o;
    int32_t row = o->value + (int32_t)step;
    if (at_one_place(w, o, row, &there)) {
        row = there.value;
    }
    if (is_of_fibers(&there, row)) {
        const unsigned shift = o->half ? (row & 1) * 16 : 0;
        const uint32_t mask = o->half ? 0xffffu << shift : UINT32_MAX;
        lull_ir3_host()->merge(w->r[o->half ? row / 2 : row], values, shift, mask, on.w, w->fibers);
        return true;
    }
    if (o->kind == LULL_IR3_K_PRED) {
        struct lull_ir3_mask *p = &w->p[((unsigned)o->value + step) & 3], is = {{0, 0}};
        lull_ir3_host()->nonzero(values, is.w, w->fibers);
        p->w[0] = (p->w[0] & ~on.w[0]) | (is.w[0] & on.w[0]);
        p->w[1] = (p->w[1] & ~on.w[1]) | (is.w[1] & on.w[1]);
        return true;
    }
    const bool full = on.w[0] == UINT64_MAX && (w->fibers <= 64 || on.w[1] == UINT64_MAX);
    if (full && o->kind == LULL_IR3_K_ADDR && o->value == 0) {
        for (unsigned i = 0; i < w->fibers; i++) {
            w->a0[i] = (int16_t)values[i];
        }
        return true;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        if (o->kind == LULL_IR3_K_ADDR && o->value == 0) {
            w->a0[i] = (int16_t)values[i];
        } else if (o->kind == LULL_IR3_K_ADDR) {
            w->a1 = (uint16_t)values[i];
        } else {
            const int32_t at =
                o->value + (int32_t)step + (o->kind == LULL_IR3_K_RELGPR ? w->a0[i] : 0);
            lull_ir3_set(w, (unsigned)at, o->half, i, values[i]);
        }
        if (shared) {
            break; // The scalar ALU: once.
        }
    }
    return true;
}
