// SPDX-License-Identifier: MIT
#include "jit/window.h"

#include <string.h>

#include "model/amd/wave/wave.h"

enum { UNORDERED = 3 }; // Predicate of vcmpps.

const struct lull_vex lull_vex_or = {1, 0, 0, 1, 0x56};
const struct lull_vex lull_vex_and = {1, 0, 0, 1, 0x54};
const struct lull_vex lull_vex_xor = {1, 0, 0, 1, 0x57};
const struct lull_vex lull_vex_unordered = {1, 0, 0, 1, 0xc2};
const struct lull_vex lull_vex_equal32 = {1, 1, 0, 1, 0x76};
const struct lull_vex lull_vex_and_int = {1, 1, 0, 1, 0xdb};
const struct lull_vex lull_vex_zero = {1, 1, 0, 1, 0xef};
const struct lull_vex lull_vex_broadcast8 = {2, 1, 0, 1, 0x78};
const struct lull_vex lull_vex_broadcast32 = {2, 1, 0, 1, 0x18};
const struct lull_vex lull_vex_blend = {3, 1, 0, 1, 0x4a};
const struct lull_vex lull_vex_bits = {1, 0, 0, 1, 0x50};
const struct lull_vex lull_vex_test = {2, 1, 0, 1, 0x0e};
static const struct lull_vex move = {1, 0, 0, 1, 0x28}, move_back = {1, 0, 0, 1, 0x29};
static const struct lull_vex load = {1, 0, 0, 1, 0x10}, store = {1, 0, 0, 1, 0x11};

void lull_jit_copy(struct lull_jit_window *q, unsigned to, unsigned from)
{
    // The form with the shorter prefix.
    const bool back = from >= 8 && to < 8;
    if (to != from) {
        lull_vex_reg(q->x, back ? move_back : move, back ? from : to, 0, back ? to : from);
    }
}

void lull_jit_load(struct lull_jit_window *q, unsigned to, struct lull_x86_mem from)
{
    lull_vex_mem(q->x, load, to, 0, from);
}

void lull_jit_store(struct lull_jit_window *q, unsigned from, struct lull_x86_mem to)
{
    lull_vex_mem(q->x, store, from, 0, to);
}

struct lull_x86_mem lull_jit_at_spill(unsigned n)
{
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, spill) + 32 * (size_t)n)};
}

struct lull_x86_mem lull_jit_at_const(uint32_t n)
{
    return (struct lull_x86_mem){LULL_R14, LULL_X86_NONE, (int32_t)(32 * n)};
}

struct lull_x86_mem lull_jit_at_vgpr(const struct lull_jit_window *q, uint32_t vgpr)
{
    return (struct lull_x86_mem){LULL_R13, LULL_X86_NONE, (int32_t)(vgpr * q->stride)};
}

static int32_t sgpr_offset(uint32_t sgpr)
{
    return (int32_t)(offsetof(struct lull_wave, sgpr) + 4 * (size_t)sgpr);
}

struct lull_x86_mem lull_jit_at_saved(unsigned n)
{
    return (struct lull_x86_mem){LULL_R15, LULL_X86_NONE,
                                 (int32_t)(offsetof(struct lull_jit_area, saved) + 8 * (size_t)n)};
}

struct lull_x86_mem lull_jit_at_choice(unsigned n)
{
    return (struct lull_x86_mem){
        LULL_R15, LULL_X86_NONE,
        (int32_t)(offsetof(struct lull_jit_area, choice) + sizeof(uint32_t) * (size_t)n)};
}

/** An SGPR by its key. */
static struct lull_x86_mem at_sgpr(uint32_t key)
{
    const uint32_t sgpr = key & 0xff, save = key >> 8 & 0xff;
    if (save == 0) {
        return (struct lull_x86_mem){LULL_RDI, LULL_X86_NONE, sgpr_offset(sgpr)};
    }
    struct lull_x86_mem m = lull_jit_at_saved(save - 1);
    m.disp += 4 * (int32_t)(sgpr & 1);
    return m;
}

struct lull_x86_mem lull_jit_at_mask(uint32_t key)
{
    struct lull_x86_mem m = at_sgpr(key);
    m.index = LULL_RBX;
    return m;
}

uint32_t lull_jit_const(struct lull_jit_window *q, const void *bytes)
{
    struct lull_jit_pool *pool = q->pool;
    uint64_t k[4];
    memcpy(k, bytes, sizeof k);
    uint32_t h = (uint32_t)(((k[0] ^ k[1] * 3 ^ k[2] * 5 ^ k[3] * 7) * 0x9e3779b97f4a7c15) >> 48);
    while (pool->hash[h] != 0) {
        if (memcmp(pool->bytes[pool->hash[h] - 1], bytes, sizeof k) == 0) {
            return pool->hash[h] - 1u;
        }
        h = (h + 1) % LULL_JIT_POOL;
    }
    if (pool->n >= LULL_JIT_POOL / 2) {
        q->failed = true;
        return 0;
    }
    memcpy(pool->bytes[pool->n], bytes, sizeof k);
    pool->hash[h] = (uint16_t)++pool->n;
    return pool->n - 1;
}

uint32_t lull_jit_const32(struct lull_jit_window *q, uint32_t v)
{
    const uint32_t all[8] = {v, v, v, v, v, v, v, v};
    return lull_jit_const(q, all);
}

void lull_jit_drop(struct lull_jit_window *q, unsigned p)
{
    q->slot[p] = (struct lull_jit_slot){0};
}

void lull_jit_check_dead(struct lull_jit_window *q, unsigned p)
{
    const unsigned to = q->checked ? p : LULL_JIT_DOUBT;
    q->slot[p].pend = false;
    lull_vex_reg(q->x, lull_vex_unordered, to, p, p);
    lull_x86_byte(q->x, UNORDERED);
    if (q->checked) {
        lull_vex_reg(q->x, lull_vex_or, LULL_JIT_DOUBT, LULL_JIT_DOUBT, p);
    }
    q->checked = true;
}

/** Room for what is dirty in @p p. */
static void spill(struct lull_jit_window *q, unsigned p)
{
    struct lull_jit_slot *s = &q->slot[p];
    unsigned n = 0;
    while (n < LULL_JIT_SPILLS && q->spill[n].kind != LULL_JIT_FREE) {
        n++;
    }
    if (n == LULL_JIT_SPILLS) {
        q->failed = true;
        return;
    }
    q->spill[n].kind = s->kind;
    q->spill[n].key = s->key;
    lull_jit_store(q, p, lull_jit_at_spill(n));
}

/** The slot that has to go: none that is locked or a value; clean ones first. -1: there is none. */
static int victim(const struct lull_jit_window *q)
{
    int best = -1;
    for (unsigned pass = 0; pass < 2 && best < 0; pass++) {
        for (int i = 0; i < LULL_JIT_SLOTS; i++) {
            const struct lull_jit_slot *s = &q->slot[i];
            if (s->lock || s->kind == LULL_JIT_TEMP || (pass == 0 && s->dirty)) {
                continue;
            }
            if (best < 0 || s->use < q->slot[best].use) {
                best = i;
            }
        }
    }
    return best;
}

unsigned lull_jit_grab(struct lull_jit_window *q)
{
    int p = 0;
    while (p < LULL_JIT_SLOTS && (q->slot[p].kind != LULL_JIT_FREE || q->slot[p].lock)) {
        p++;
    }
    if (p == LULL_JIT_SLOTS) {
        p = victim(q);
    }
    if (p < 0) {
        q->failed = true;
        return 0;
    }
    if (q->slot[p].dirty) {
        spill(q, (unsigned)p);
    }
    if (q->slot[p].pend) {
        lull_jit_check_dead(q, (unsigned)p);
    }
    q->slot[p] = (struct lull_jit_slot){.kind = LULL_JIT_TEMP, .use = ++q->clock};
    return (unsigned)p;
}

void lull_jit_check_two(struct lull_jit_window *q, unsigned a, unsigned b)
{
    unsigned to = LULL_JIT_DOUBT; // The first is all that there is.
    if (q->checked) {
        const bool was_a = q->slot[a].lock, was_b = q->slot[b].lock;
        q->slot[a].lock = q->slot[b].lock = true;
        to = lull_jit_grab(q);
        q->slot[a].lock = was_a;
        q->slot[b].lock = was_b;
    }
    q->slot[a].pend = q->slot[b].pend = false;
    lull_vex_reg(q->x, lull_vex_unordered, to, a, b);
    lull_x86_byte(q->x, UNORDERED);
    if (to != LULL_JIT_DOUBT) {
        lull_vex_reg(q->x, lull_vex_or, LULL_JIT_DOUBT, LULL_JIT_DOUBT, to);
        lull_jit_drop(q, to);
    }
    q->checked = true;
}

void lull_jit_check(struct lull_jit_window *q, unsigned p)
{
    lull_jit_check_two(q, p, p);
}

int lull_jit_find(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    for (int i = 0; i < LULL_JIT_SLOTS; i++) {
        if (q->slot[i].kind == kind && q->slot[i].key == key) {
            q->slot[i].use = ++q->clock;
            return i;
        }
    }
    return -1;
}

/** Load a mask: the byte of the strip eight times, a bit of it to each lane. */
static void load_mask(struct lull_jit_window *q, unsigned p, uint32_t key)
{
    if ((key & LULL_JIT_UNIFORM) != 0) {
        lull_vex_mem(q->x, lull_vex_broadcast32, p, 0, at_sgpr(key));
        return;
    }
    lull_vex_mem(q->x, lull_vex_broadcast8, p, 0, lull_jit_at_mask(key));
    lull_vex_mem(q->x, lull_vex_and_int, p, p, lull_jit_at_const(LULL_JIT_BITS));
    lull_vex_mem(q->x, lull_vex_equal32, p, p, lull_jit_at_const(LULL_JIT_BITS));
}

unsigned lull_jit_named(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    const int found = lull_jit_find(q, kind, key);
    if (found >= 0) {
        return (unsigned)found;
    }
    const unsigned p = lull_jit_grab(q);
    q->slot[p].kind = (uint8_t)kind;
    q->slot[p].key = key;
    for (unsigned n = 0; n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == kind && q->spill[n].key == key) {
            lull_jit_load(q, p, lull_jit_at_spill(n));
            q->slot[p].dirty = true;
            q->spill[n].kind = LULL_JIT_FREE;
            return p;
        }
    }
    if (kind == LULL_JIT_VGPR && q->choice[key] != 0) {
        lull_x86_bytes(q->x, "\x41\x8b\x87", 3); // mov eax,[r15+disp32]
        lull_x86_u32(q->x, (uint32_t)lull_jit_at_choice(q->choice[key] - 1u).disp);
        lull_jit_load(q, p, (struct lull_x86_mem){LULL_R13, LULL_RAX, 0});
        q->slot[p].dirty = true;
        q->choice[key] = 0;
    } else if (kind == LULL_JIT_VGPR) {
        lull_jit_load(q, p, lull_jit_at_vgpr(q, key));
    } else if (kind == LULL_JIT_SGPR) {
        lull_vex_mem(q->x, lull_vex_broadcast32, p, 0, at_sgpr(key));
    } else if (kind == LULL_JIT_CONST) {
        lull_jit_load(q, p, lull_jit_at_const(key));
    } else {
        load_mask(q, p, key);
    }
    return p;
}

/** What @p kind @p key was is nothing, but for slot @p but. */
static void forget(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key, unsigned but)
{
    for (unsigned i = 0; i < LULL_JIT_SLOTS; i++) {
        if (i != but && q->slot[i].kind == kind && q->slot[i].key == key) {
            if (q->slot[i].pend) {
                lull_jit_check_dead(q, i);
            }
            lull_jit_drop(q, i);
        }
    }
    for (unsigned n = 0; n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == kind && q->spill[n].key == key) {
            q->spill[n].kind = LULL_JIT_FREE;
        }
    }
    if (kind == LULL_JIT_VGPR) {
        q->choice[key] = 0;
    }
}

void lull_jit_choose(struct lull_jit_window *q, uint32_t key, unsigned n)
{
    forget(q, LULL_JIT_VGPR, key, LULL_JIT_SLOTS);
    q->choice[key] = (uint8_t)(n + 1);
}

void lull_jit_set(struct lull_jit_window *q, unsigned p, enum lull_jit_kind kind, uint32_t key)
{
    forget(q, kind, key, p);
    q->slot[p] =
        (struct lull_jit_slot){.kind = (uint8_t)kind, .key = key, .dirty = true, .use = ++q->clock};
}
