// SPDX-License-Identifier: MIT
#include "model/adreno/exec/wave.h"

#include <stdlib.h>

#include "model/adreno/exec/observed.h"

struct lull_error *lull_ir3_program_new(const uint64_t *words, uint32_t n, unsigned gen,
                                        struct lull_ir3_program *ret)
{
    struct lull_ir3_op_step *steps = calloc(n > 0 ? n : 1, sizeof *steps);
    if (steps == NULL) {
        return lull_error_new(LULL_ERR_NO_MEMORY, "a shader of %u instructions", n);
    }
    for (uint32_t i = 0; i < n; i++) {
        steps[i].word = words[i];
        if (lull_ir3_decode(words[i], gen, &steps[i].in)) {
            steps[i].alu = lull_ir3_alu_find(&steps[i].in);
            steps[i].to_int =
                steps[i].alu != NULL && lull_ir3_alu_to_int(&steps[i].in, steps[i].alu);
            steps[i].scalar = steps[i].alu != NULL && lull_ir3_alu_is_scalar(&steps[i]);
        }
    }
    *ret = (struct lull_ir3_program){.steps = steps, .n = n, .gen = gen};
    return NULL;
}

void lull_ir3_program_done(struct lull_ir3_program *p)
{
    if (p->codes.users != NULL) {
        --*p->codes.users;
    }
    free(p->steps);
    *p = (struct lull_ir3_program){.steps = NULL};
}

unsigned lull_ir3_program_written(const struct lull_ir3_program *p)
{
    enum { AT_ONCE = 4 }; // Components that an instruction writes, or as many as it says.
    unsigned most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct lull_ir3_insn *in = &p->steps[i].in;
        for (unsigned k = 0; k < in->ndst; k++) {
            const struct lull_ir3_operand *o = &in->dst[k];
            const unsigned end = (unsigned)o->value + AT_ONCE + in->m.repeat + (unsigned)in->m.size;
            if (o->kind == LULL_IR3_K_RELGPR) {
                return LULL_IR3_GPRS;
            }
            const bool own = o->kind == LULL_IR3_K_GPR && o->value < LULL_IR3_GPRS;
            most = own && end > most ? end : most;
        }
    }
    return most < LULL_IR3_GPRS ? most : LULL_IR3_GPRS;
}

bool lull_ir3_program_stores_local(const struct lull_ir3_program *p)
{
    bool stores = false;
    for (uint32_t i = 0; i < p->n; i++) {
        const enum lull_ir3_op op = p->steps[i].in.op;
        stores = stores || op == LULL_IR3_OP_STL || op == LULL_IR3_OP_STLW ||
                 (op >= LULL_IR3_OP_ATOMIC_ADD && op <= LULL_IR3_OP_ATOMIC_XOR);
    }
    return stores;
}

enum { ALIAS_TEX = 0, TEXTURES = 5 }; // #alias-scope; a category.

/** alias.tex: an entry of the table that the next texture instruction reads registers by. */
static bool alias(struct lull_ir3_wave *w, const struct lull_ir3_insn *in)
{
    if (in->op != LULL_IR3_OP_ALIAS) {
        return false;
    }
    if (in->m.alias_scope != ALIAS_TEX) {
        lull_ir3_wrong(w, "lull does alias.tex only");
    } else if (w->naliases == LULL_IR3_ALIASES) {
        lull_ir3_wrong(w, "more than %u registers have an alias", LULL_IR3_ALIASES);
    } else {
        w->aliases[w->naliases++] = (struct lull_ir3_alias){.of = in->dst[0], .is = in->src[0]};
    }
    return true;
}

/** All but what sets w->pc itself. */
static bool do_one(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                   const struct lull_ir3_op_step *s)
{
    const struct lull_ir3_insn *in = &s->in;
    return lull_ir3_do_alu(w, env, s) || lull_ir3_do_lanes(w, env, in) ||
           lull_ir3_do_memory(w, env, in) || lull_ir3_do_atomic(w, env, in) ||
           lull_ir3_do_image(w, env, in) || lull_ir3_do_texture(w, env, in) ||
           lull_ir3_do_resource(w, env, in) || lull_ir3_do_fragment(w, env, in) || alias(w, in);
}

/** (eq): nobody needs helpers from here on. @return False: nobody else is here. */
static bool end_of_quads(struct lull_ir3_wave *w, const struct lull_ir3_env *env)
{
    for (unsigned i = 0; i < 2; i++) {
        w->exec.w[i] &= ~w->helpers.w[i];
    }
    if (lull_ir3_none(&w->exec)) {
        lull_ir3_settle(w, env);
        return false;
    }
    return true;
}

static void execute(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                    const struct lull_ir3_op_step *s)
{
    const struct lull_ir3_insn *in = &s->in;
    w->ninsns++;
    w->joined = false;
    if (in->m.eq && !end_of_quads(w, env)) {
        return;
    }
    if (lull_ir3_do_flow(w, env, in)) {
        return;
    }
    w->aliased = in->category == TEXTURES;
    const bool done = do_one(w, env, s);
    w->naliases = w->aliased ? 0 : w->naliases;
    if (done) {
        if (w->status != LULL_IR3_FAULT) {
            w->pc++;
            lull_ir3_settle(w, env);
        }
        return;
    }
    if (in->op == LULL_IR3_OP_NONE) {
        lull_ir3_wrong(w, "not an instruction");
    } else {
        lull_ir3_wrong(w, "lull does not know what %s does", lull_ir3_op_names[in->op]);
    }
}

/** Behind an instruction, if there are observers. */
static void told(const struct lull_ir3_wave *w, struct lull_ir3_env *env, uint32_t rests)
{
    if (env->seen != NULL) {
        lull_ir3_tell_touches(env);
    }
    if (rests != 0) {
        lull_ir3_rested(env, rests);
    }
    if (w->status == LULL_IR3_ENDED) {
        lull_ir3_tell_wave(w, env, false);
    }
    env->traps = false;
    for (struct lull_observer *o = env->observers; o != NULL; o = o->next) {
        env->traps = env->traps || o->traps;
        o->traps = false;
    }
    env->seen = NULL;
    env->rests = NULL;
}

void lull_ir3_wave_step(struct lull_ir3_wave *w, struct lull_ir3_env *env)
{
    if (w->status != LULL_IR3_RUNS) {
        return;
    }
    if (w->pc >= env->program->n) {
        lull_ir3_wrong(w, "no instruction at %u: the shader has %u", w->pc, env->program->n);
        return;
    }
    const struct lull_ir3_op_step *s = &env->program->steps[w->pc];
    struct lull_ir3_seen seen;
    uint32_t rests = 0;
    // A test for each instruction of 64 fibers or more costs nothing; handlers of their own, as the
    // waves of AMD have, would not pay.
    if (env->observers != NULL && lull_ir3_see(w, env, &seen)) {
        env->seen = &seen;
        env->rests = &rests;
    }
    execute(w, env, s);
    if (env->observers != NULL) {
        told(w, env, rests);
    }
}
