// SPDX-License-Identifier: MIT
// Loads and stores by address: global, shared ("local") and private memory, and of constants.
#include "model/adreno/exec/observed.h"
#include "model/adreno/exec/words.h"

static unsigned bytes_of(unsigned type)
{
    return type == LULL_IR3_TYPE_U8 ? 1 : lull_ir3_type_bits(type) / 8;
}

static uint8_t *place(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                      uint64_t address, unsigned bytes, bool write)
{
    uint8_t *at = env->memory.at(env->memory.ctx, address, bytes, write);
    if (env->seen != NULL) {
        lull_ir3_touch(env, fiber, address, bytes, write, at);
    }
    if (at == NULL && env->nfaults++ == 0) {
        env->fault = (struct lull_ir3_fault){address, w->pc, w->number, fiber, write};
    }
    return at;
}

uint8_t *lull_ir3_place(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                        uint64_t address, unsigned bytes, bool write)
{
    if (write && lull_ir3_on(&w->helpers, fiber)) {
        return NULL;
    }
    return place(w, env, fiber, address, bytes, write);
}

static uint32_t little(const uint8_t *at, unsigned bytes)
{
    uint32_t v = 0;
    if (bytes == 4) { // Most are.
        return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint32_t)at[i] << 8 * i;
    }
    return v;
}

static void set_little(uint8_t *at, unsigned bytes, uint32_t v)
{
    if (bytes == 4) {
        at[0] = (uint8_t)v, at[1] = (uint8_t)(v >> 8);
        at[2] = (uint8_t)(v >> 16), at[3] = (uint8_t)(v >> 24);
        return;
    }
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(v >> 8 * i);
    }
}

uint32_t lull_ir3_load(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                       uint64_t address, unsigned bytes)
{
    const uint8_t *at = lull_ir3_place(w, env, fiber, address, bytes, false);
    return at != NULL ? little(at, bytes) : 0;
}

void lull_ir3_put(struct lull_ir3_wave *w, struct lull_ir3_env *env, unsigned fiber,
                  uint64_t address, unsigned bytes, uint32_t value)
{
    uint8_t *at = lull_ir3_place(w, env, fiber, address, bytes, true);
    if (at != NULL) {
        set_little(at, bytes, value);
    }
}

enum where { GLOBAL, LOCAL, PRIVATE };

/** Where private memory of a fiber is. */
static uint64_t private_at(const struct lull_ir3_wave *w, const struct lull_ir3_private *p,
                           unsigned fiber, uint32_t offset)
{
    const uint64_t sp = p->address + (uint64_t)w->sp * p->sp_bytes;
    const uint64_t wave = (uint64_t)p->fiber_bytes * LULL_IR3_FIBERS;
    if (p->per_wave) {
        return sp + w->slot * wave + (uint64_t)(offset / 4) * 4 * LULL_IR3_FIBERS + fiber * 4 +
               offset % 4;
    }
    const uint64_t waves = wave > 0 ? p->sp_bytes / wave : 0;
    return sp + offset + p->fiber_bytes * (fiber % 4 + 4 * (w->slot + waves * (fiber / 4)));
}

struct access {
    enum where where;
    bool store;
    struct lull_ir3_operand value; ///< The first register.
    unsigned bytes, n;             ///< Of an element; elements.
};

static void address_pair(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_operand *o, uint64_t *ret)
{
    uint32_t lo[LULL_IR3_FIBERS], hi[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(w, env, o, 0, lo);
    (void)lull_ir3_fetch(w, env, o, 1, hi);
    for (unsigned i = 0; i < w->fibers; i++) {
        ret[i] = (uint64_t)hi[i] << 32 | lo[i];
    }
}

/** ldg.a, stg.a: a6xx counts elements, a7xx bytes. */
static void add_index(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in, unsigned bytes, uint64_t *address)
{
    uint32_t index[LULL_IR3_FIBERS];
    (void)lull_ir3_fetch(w, env, &in->src[1], 0, index);
    for (unsigned i = 0; i < w->fibers; i++) {
        const uint64_t by =
            in->m.shift >= 2
                ? (((uint64_t)index[i] << (in->m.shift - 2)) + (uint64_t)(int64_t)in->m.offset) *
                      bytes
                : (uint64_t)index[i] + (uint64_t)(int64_t)in->m.offset;
        address[i] += by;
    }
}

/** Where shared memory is behind its end. */
static uint64_t local_at(const struct lull_ir3_env *env, uint64_t at, unsigned bytes)
{
    if (at + bytes > env->local_bytes) {
        lull_ir3_rests(env, LULL_IR3_ASSUME_LOCAL_BEYOND);
    }
    return at + bytes > env->local_bytes &&
                   lull_ir3_assumes(&env->assume, LULL_IR3_ASSUME_LOCAL_BEYOND,
                                    LULL_IR3_ASSUME_LOCAL_BEYOND_WRAP)
               ? 0
               : at;
}

static uint32_t local_load(const struct lull_ir3_env *env, uint64_t at, unsigned bytes)
{
    at = local_at(env, at, bytes);
    return at + bytes <= env->local_bytes ? little(env->local + at, bytes) : 0;
}

static void element(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct access *a,
                    unsigned fiber, unsigned k, uint64_t at)
{
    const unsigned reg = (unsigned)a->value.value + k;
    at += (uint64_t)k * a->bytes;
    if (a->where == PRIVATE) {
        at = private_at(w, &env->priv, fiber, (uint32_t)at);
    } else if (a->where == LOCAL && lull_ir3_accesses_wanted(env)) {
        lull_ir3_touch(env, fiber, at, a->bytes, a->store, NULL);
    }
    if (a->store) {
        const uint32_t v = lull_ir3_get(w, reg, a->value.half, fiber);
        at = a->where == LOCAL ? local_at(env, at, a->bytes) : at;
        if (a->where == PRIVATE) { // Helpers have their own, too.
            uint8_t *to = place(w, env, fiber, at, a->bytes, true);
            if (to != NULL) {
                set_little(to, a->bytes, v);
            }
        } else if (a->where == GLOBAL) {
            lull_ir3_put(w, env, fiber, at, a->bytes, v);
        } else if (at + a->bytes <= env->local_bytes) {
            set_little(env->local + at, a->bytes, v);
        }
        return;
    }
    lull_ir3_set(w, reg, a->value.half, fiber,
                 a->where == LOCAL ? local_load(env, at, a->bytes)
                                   : lull_ir3_load(w, env, fiber, at, a->bytes));
}

enum { WORD = 4 };

/** Are they words in registers of fibers? */
static bool is_of_words(const struct access *a)
{
    return a->bytes == WORD && !a->value.half && a->value.kind == LULL_IR3_K_GPR;
}

/** Words of global memory, done at once. False: they are not such. */
static bool run_words(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                      const struct access *a, const struct lull_ir3_mask *on,
                      const uint64_t *address)
{
    uint32_t at[LULL_IR3_FIBERS];
    const struct lull_ir3_words words = {
        .store = a->store, .reg = (unsigned)a->value.value, .n = a->n, .at = at};
    uint64_t low = UINT64_MAX, high = 0;
    if (a->where != GLOBAL || !is_of_words(a)) {
        return false;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        const bool is_on = lull_ir3_on(on, i);
        low = is_on && address[i] < low ? address[i] : low;
        high = is_on && address[i] > high ? address[i] : high;
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        at[i] = (uint32_t)(address[i] - low);
    }
    return high - low < UINT32_MAX && lull_ir3_words_global(w, env, on, low, &words);
}

/** The bytes that a fiber stores of elements of less than a dword. */
static void pack(const struct lull_ir3_wave *w, const struct access *a, unsigned fiber, uint8_t *to)
{
    for (unsigned k = 0; k < a->n && (k + 1) * a->bytes <= LULL_TOUCH_TEXEL; k++) {
        set_little(to + (size_t)k * a->bytes, a->bytes,
                   lull_ir3_get(w, (unsigned)a->value.value + k, a->value.half, fiber));
    }
}

/** Put down what the instruction at hand does. */
static void put_down(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                     const struct access *a, const struct lull_ir3_mask *on,
                     const uint64_t *address)
{
    const unsigned reg = (unsigned)a->value.value;
    const bool packs = a->store && a->bytes < WORD, gpr = reg < LULL_IR3_GPRS && !a->value.half;
    const struct lull_touch like = {.kind = a->store ? LULL_TOUCH_STORE : LULL_TOUCH_LOAD,
                                    .local = a->where == LOCAL,
                                    .priv = a->where == PRIVATE,
                                    .scalar = !a->store && reg >= LULL_IR3_GPRS,
                                    .unsure = !a->store && a->where == GLOBAL,
                                    .bytes = a->bytes * a->n,
                                    .data = lull_ir3_number(reg, a->value.half),
                                    .row = a->store && gpr && !packs ? w->r[reg] : NULL,
                                    .texels = packs ? env->seen->touching.texels[0] : NULL};
    for (unsigned i = 0; i < w->fibers; i++) {
        const bool dropped = a->store && a->where == GLOBAL && lull_ir3_on(&w->helpers, i);
        if (!lull_ir3_on(on, i) || dropped) {
            continue;
        }
        const bool beyond = a->where == LOCAL && address[i] + like.bytes > env->local_bytes;
        uint8_t *to =
            lull_ir3_put_down(env, &like, like.scalar ? 0 : i, address[i], beyond ? 0 : UINT8_MAX);
        if (packs) {
            pack(w, a, i, to);
        }
        if (like.scalar) {
            return;
        }
    }
}

static void run(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct access *a,
                const uint64_t *address)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    if (run_words(w, env, a, &on, address)) {
        return;
    }
    const bool once = !a->store && a->value.value >= LULL_IR3_GPRS; // To shared registers.
    if (lull_ir3_touches_wanted(env)) {
        put_down(w, env, a, &on, address);
    }
    for (unsigned i = 0; i < w->fibers; i++) {
        if (!lull_ir3_on(&on, i)) {
            continue;
        }
        for (unsigned k = 0; k < a->n; k++) {
            element(w, env, a, i, k, address[i]);
        }
        if (once) {
            return;
        }
    }
}

static struct access prepared(const struct lull_ir3_insn *in, enum where where, bool store,
                              const struct lull_ir3_operand *value)
{
    struct access a = {where, store, *value, bytes_of(in->m.type),
                       in->m.size > 0 ? (unsigned)in->m.size : 1};
    a.value.half = lull_ir3_type_bits(in->m.type) == 16;
    return a;
}

static void global(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                   const struct lull_ir3_insn *in, bool store, bool indexed)
{
    uint64_t address[LULL_IR3_FIBERS];
    const struct access a =
        prepared(in, GLOBAL, store, store ? &in->src[indexed ? 2 : 1] : &in->dst[0]);
    address_pair(w, env, &in->src[0], address);
    if (indexed) {
        add_index(w, env, in, a.bytes, address);
    }
    for (unsigned i = 0; !indexed && i < w->fibers; i++) {
        address[i] += (uint64_t)(int64_t)in->m.offset;
    }
    run(w, env, &a, address);
}

/** Words of shared memory, done at once. False: they are not such. */
static bool run_local(struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                      const struct access *a, const struct lull_ir3_operand *from, int32_t offset)
{
    uint32_t copy[LULL_IR3_FIBERS];
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const uint32_t first = (uint32_t)a->value.value, reg = (uint32_t)from->value;
    const bool own = from->kind == LULL_IR3_K_GPR && !from->half && reg < LULL_IR3_GPRS;
    // What is loaded may overwrite the address before the next word is.
    const bool stays = a->store || a->n == 1 || reg < first || reg >= first + a->n;
    if (a->where != LOCAL || !is_of_words(a)) {
        return false;
    }
    if (!own || !stays) {
        (void)lull_ir3_fetch(w, env, from, 0, copy);
    }
    const struct lull_ir3_words words = {.store = a->store,
                                         .reg = first,
                                         .n = a->n,
                                         .at = own && stays ? w->r[reg] : copy,
                                         .offset = offset};
    return lull_ir3_words_local(w, env, &on, &words);
}

static void other(struct lull_ir3_wave *w, struct lull_ir3_env *env, const struct lull_ir3_insn *in,
                  enum where where, bool store)
{
    uint32_t base[LULL_IR3_FIBERS];
    uint64_t address[LULL_IR3_FIBERS];
    const struct access a = prepared(in, where, store, store ? &in->src[1] : &in->dst[0]);
    if (run_local(w, env, &a, &in->src[0], in->m.offset)) {
        return;
    }
    (void)lull_ir3_fetch(w, env, &in->src[0], 0, base);
    for (unsigned i = 0; i < w->fibers; i++) {
        address[i] = (uint32_t)(base[i] + (uint32_t)in->m.offset);
    }
    run(w, env, &a, address);
}

void lull_ir3_set_constant(struct lull_ir3_env *env, uint32_t n, uint32_t v)
{
    if (n < LULL_IR3_CONSTS) {
        env->consts[n] = v;
        env->nconsts = n >= env->nconsts ? n + 1 : env->nconsts;
    }
}

static uint32_t constant_of(const struct lull_ir3_wave *w, const struct lull_ir3_operand *dst)
{
    return (uint32_t)dst->value + (dst->kind == LULL_IR3_K_CONSTA1 ? w->a1 : 0);
}

/** stc, stsc, ldg.k: constants of values of the first active fiber. */
static void constants(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in)
{
    const struct lull_ir3_mask on = lull_ir3_active(w);
    const unsigned first = lull_ir3_first(&on);
    const uint32_t at = constant_of(w, &in->dst[0]);
    uint64_t address[LULL_IR3_FIBERS];
    if (first == LULL_IR3_FIBERS) {
        return;
    }
    if (in->op == LULL_IR3_OP_LDG_K) {
        address_pair(w, env, &in->src[0], address);
        address[first] += (uint64_t)(int64_t)in->m.offset;
        if (lull_ir3_touches_wanted(env)) {
            const struct lull_touch like = {.scalar = true,
                                            .bytes = WORD * (unsigned)in->m.size,
                                            .data = LULL_ARCH_IR3_CONSTANTS + at};
            (void)lull_ir3_put_down(env, &like, 0, address[first], UINT8_MAX);
        }
    }
    for (uint32_t k = 0; k < (uint32_t)in->m.size; k++) {
        uint32_t v = 0;
        if (in->op == LULL_IR3_OP_STC) {
            v = lull_ir3_get(w, (unsigned)in->src[0].value + k, false, first);
        } else if (in->op == LULL_IR3_OP_STSC) {
            const uint32_t n = (uint32_t)in->src[0].value + k;
            v = n < 64 && env->shared_consts != NULL ? env->shared_consts[n] : 0;
        } else {
            v = lull_ir3_load(w, env, first, address[first] + WORD * (uint64_t)k, WORD);
        }
        lull_ir3_set_constant(env, at + k, v);
    }
}

bool lull_ir3_do_memory(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                        const struct lull_ir3_insn *in)
{
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_LDG:
    case LULL_IR3_OP_LDG_A:
        global(w, env, in, false, in->op == LULL_IR3_OP_LDG_A);
        return true;
    case LULL_IR3_OP_STG:
    case LULL_IR3_OP_STG_A:
        global(w, env, in, true, in->op == LULL_IR3_OP_STG_A);
        return true;
    case LULL_IR3_OP_LDL:
    case LULL_IR3_OP_LDLW:
        other(w, env, in, LOCAL, false);
        return true;
    case LULL_IR3_OP_STL:
    case LULL_IR3_OP_STLW:
        other(w, env, in, LOCAL, true);
        return true;
    case LULL_IR3_OP_LDP:
        other(w, env, in, PRIVATE, false);
        return true;
    case LULL_IR3_OP_STP:
        other(w, env, in, PRIVATE, true);
        return true;
    case LULL_IR3_OP_STC:
    case LULL_IR3_OP_STSC:
    case LULL_IR3_OP_LDG_K:
        constants(w, env, in);
        return true;
    default:
        return false;
    }
}
