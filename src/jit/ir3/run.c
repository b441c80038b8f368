// SPDX-License-Identifier: MIT
#include "jit/ir3/ir3.h"

#include <stddef.h>
#include <string.h>

#include "model/fp/fp_host.h"

static struct lull_jit_operand operand(const struct lull_jit_vector *v, unsigned n, unsigned part)
{
    (void)part;
    return v->at[n];
}

static struct lull_x86_mem uniform(uint32_t key)
{
    const bool shared = (key & LULL_JIT_IR3_SHARED) != 0;
    const uint32_t n = key & (LULL_JIT_IR3_SHARED - 1);
    return (struct lull_x86_mem){shared ? LULL_RSI : LULL_R8, LULL_X86_NONE,
                                 (int32_t)(sizeof(uint32_t) * n)};
}

static struct lull_x86_mem mask(uint32_t key)
{
    const size_t at = offsetof(struct lull_jit_ir3_lanes, p) + sizeof(uint64_t) * key;
    return (struct lull_x86_mem){LULL_RDI, LULL_RBX, (int32_t)at};
}

static void enter(struct lull_x86 *x)
{
    lull_x86_bytes(x, "\x4c\x8b\x47", 3); // mov r8,[rdi+disp8]
    lull_x86_byte(x, offsetof(struct lull_jit_ir3_lanes, consts));
    lull_x86_bytes(x, "\x48\x8b\x77", 3); // mov rsi,[rdi+disp8]
    lull_x86_byte(x, offsetof(struct lull_jit_ir3_lanes, shared));
}

static void redo(void *at, const struct lull_jit_region *r, unsigned first)
{
    const struct lull_jit_ir3_lanes *l = at;
    struct lull_ir3_wave *w = l->w;
    const struct lull_jit_ir3_made *made =
        (const void *)((const char *)r - offsetof(struct lull_jit_ir3_made, region));
    const struct lull_ir3_mask exec = w->exec;
    const uint64_t strip = (UINT64_C(1) << r->target->lanes) - 1;
    struct lull_ir3_mask p[LULL_JIT_IR3_PREDICATES];
    memcpy(p, w->p, sizeof p);
    const int pred = (int)w->pred;
    w->exec = (struct lull_ir3_mask){{0, 0}};
    w->exec.w[l->first / 64] = l->exec & strip << first;
    w->pred = LULL_IR3_PRED_NONE;
    w->aliased = false;
    unsigned next = 0;
    for (uint32_t i = 0; i < made->code.n; i++) {
        const struct lull_ir3_op_step *s = &l->env->program->steps[w->pc + i];
        const bool early = next < made->nscalars && made->scalars[next] == i;
        next += early;
        if (!early) {
            (void)lull_ir3_do_alu(w, l->env, s);
        }
    }
    for (unsigned k = 0; k < r->nmasks; k++) {
        r->area->redone[k] = (uint16_t)(w->p[r->masks[k]].w[l->first / 64] >> first & strip);
    }
    memcpy(w->p, p, sizeof p);
    w->exec = exec;
    w->pred = pred;
}

const struct lull_jit_vendor lull_jit_ir3 = {
    .exec = offsetof(struct lull_jit_ir3_lanes, exec),
    .registers = offsetof(struct lull_jit_ir3_lanes, registers),
    .stride = sizeof(uint32_t[LULL_IR3_FIBERS]),
    .operand = operand,
    .uniform = uniform,
    .mask = mask,
    .enter = enter,
    .redo = redo,
};

/** 64 fibers, @p on of them. */
static void run_half(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                     const struct lull_jit_ir3_made *made, unsigned half, uint64_t on)
{
    struct lull_jit_ir3_lanes l = {.exec = on,
                                   .registers = &w->r[0][half * LULL_JIT_IR3_LANES],
                                   .consts = env->consts,
                                   .shared = w->shared,
                                   .w = w,
                                   .env = env,
                                   .first = half * LULL_JIT_IR3_LANES};
    made->run(&l);
    for (unsigned k = 0; k < made->region.nmasks; k++) {
        const unsigned n = made->region.masks[k];
        w->p[n].w[half] = (w->p[n].w[half] & ~on) | (l.p[n] & on);
    }
}

bool lull_jit_ir3_run(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_code *c)
{
    const struct lull_jit_ir3_made *made =
        (const void *)((const char *)c - offsetof(struct lull_jit_ir3_made, code));
    if (made->nconsts > env->nconsts ||
        (env->shared_first != 0 && made->nconsts > env->shared_first)) {
        return false;
    }
    const struct lull_ir3_mask on = lull_ir3_active(w);
    w->aliased = false;
    for (unsigned i = 0; i < made->nscalars; i++) {
        (void)lull_ir3_do_alu(w, env, &env->program->steps[w->pc + made->scalars[i]]);
    }
    const uint32_t saved = lull_fp_host_begin(LULL_FP_DX10_CLAMP);
    for (unsigned half = 0; half < w->fibers / LULL_JIT_IR3_LANES; half++) {
        if (on.w[half] != 0) {
            run_half(w, env, made, half, on.w[half]);
        }
    }
    lull_fp_host_end(saved);
    w->ninsns += c->n;
    w->pc += c->n;
    w->joined = false;
    lull_ir3_settle(w, env);
    return true;
}
