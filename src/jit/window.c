// SPDX-License-Identifier: MIT
#include "jit/machine.h"
#include "jit/vendor.h"

#include <stdlib.h>
#include <string.h>

struct lull_jit_area *lull_jit_new_area(void)
{
    struct lull_jit_area *area = aligned_alloc(_Alignof(struct lull_jit_area), sizeof *area);
    if (area != NULL) {
        memset(area, 0, sizeof *area);
    }
    return area;
}

void lull_jit_clear(void *mem, size_t bytes)
{
    memset(mem, 0, bytes);
}

void lull_jit_duplicate(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/** As many as a constant of @p size bytes has; it has 16 at least. */
static void first_words(uint64_t to[4], const void *bytes, unsigned size)
{
    enum { LEAST = 16 };
    memcpy(to, bytes, LEAST);
    if (size > LEAST) {
        memcpy(to + 2, (const uint8_t *)bytes + LEAST, LEAST);
    }
}

uint32_t lull_jit_const(struct lull_jit_window *q, const void *bytes)
{
    struct lull_jit_pool *pool = q->pool;
    uint64_t k[4] = {0}; // Of most, that is all or as good as all.
    first_words(k, bytes, pool->size);
    uint32_t h = (uint32_t)(((k[0] ^ k[1] * 3 ^ k[2] * 5 ^ k[3] * 7) * 0x9e3779b97f4a7c15) >> 48);
    while (pool->hash[h] != 0) {
        const uint8_t *there = pool->bytes + (size_t)pool->size * (pool->hash[h] - 1u);
        uint64_t t[4] = {0};
        first_words(t, there, pool->size);
        if (((t[0] ^ k[0]) | (t[1] ^ k[1]) | (t[2] ^ k[2]) | (t[3] ^ k[3])) == 0 &&
            (pool->size <= sizeof t || memcmp(there, bytes, pool->size) == 0)) {
            return pool->hash[h] - 1u;
        }
        h = (h + 1) % LULL_JIT_POOL;
    }
    if (pool->n >= LULL_JIT_POOL / 2) {
        q->failed = true;
        return 0;
    }
    memcpy(pool->bytes + (size_t)pool->size * pool->n, bytes, pool->size);
    pool->hash[h] = (uint16_t)++pool->n;
    return pool->n - 1;
}

uint32_t lull_jit_const32(struct lull_jit_window *q, uint32_t v)
{
    uint32_t all[LULL_JIT_LANES];
    for (unsigned i = 0; i < LULL_JIT_LANES; i++) {
        all[i] = v;
    }
    return lull_jit_const(q, all);
}

void lull_jit_fill_pool(struct lull_jit_pool *pool)
{
    const uint32_t bits[LULL_JIT_LANES] = {1, 2, 4, 8, 16, 32, 64, 128};
    struct lull_jit_window q = {.pool = pool};
    memset(pool->hash, 0, sizeof pool->hash);
    pool->n = 0;
    lull_jit_const(&q, bits);
    lull_jit_const32(&q, 0x80000000);
    lull_jit_const32(&q, 0x7fffffff);
    lull_jit_const32(&q, 0x8000);
    lull_jit_const32(&q, 0x7fff);
}

void lull_jit_check_dead(struct lull_jit_window *q, unsigned p)
{
    q->slot[p].pend = false;
    q->target->machine->unordered(q, p, p, p);
}

/** Room for what is dirty in @p p. */
static void spill(struct lull_jit_window *q, unsigned p)
{
    struct lull_jit_slot *s = &q->slot[p];
    unsigned n = 0;
    if (q->pair.there) {
        q->target->machine->store(q, p, lull_jit_at_pair((enum lull_jit_kind)s->kind, s->key));
        return;
    }
    while (n < LULL_JIT_SPILLS && q->spill[n].kind != LULL_JIT_FREE) {
        n++;
    }
    if (n == LULL_JIT_SPILLS) {
        q->failed = true;
        return;
    }
    q->nspills++;
    q->spill[n].kind = s->kind;
    q->spill[n].key = s->key;
    q->target->machine->store(q, p, lull_jit_at_spill(n));
}

/** The slot that has to go: none that is locked or a value; clean ones first. -1: there is none. */
static int victim(const struct lull_jit_window *q, int first, int end)
{
    int best = -1;
    for (unsigned pass = 0; pass < 2 && best < 0; pass++) {
        for (int i = first; i < end; i++) {
            const struct lull_jit_slot *s = &q->slot[i];
            if (s->lock || s->home || s->kind == LULL_JIT_TEMP || (pass == 0 && s->dirty)) {
                continue;
            }
            if (best < 0 || s->use < q->slot[best].use) {
                best = i;
            }
        }
    }
    return best;
}

/** A slot of @p first to @p end - 1. */
static unsigned grab(struct lull_jit_window *q, int first, int end)
{
    const uint64_t all = (UINT64_C(1) << end) - (UINT64_C(1) << first), free = all & ~q->busy;
    const int p = free != 0 ? __builtin_ctzll(free) : victim(q, first, end);
    if (p < 0) {
        q->failed = true;
        return (unsigned)first;
    }
    if (q->slot[p].dirty) {
        spill(q, (unsigned)p);
    }
    if (q->slot[p].pend && q->pair.there) {
        q->pair.pend |= UINT32_C(1) << q->slot[p].key; // It is in memory.
    } else if (q->slot[p].pend) {
        lull_jit_check_dead(q, (unsigned)p);
    }
    q->slot[p] = (struct lull_jit_slot){.kind = LULL_JIT_TEMP, .use = ++q->clock};
    q->busy |= UINT64_C(1) << p;
    q->temp |= UINT64_C(1) << p;
    return (unsigned)p;
}

unsigned lull_jit_grab(struct lull_jit_window *q)
{
    return grab(q, 0, lull_jit_wide(q) ? LULL_JIT_K : (int)lull_jit_end(q));
}

unsigned lull_jit_grab_mask(struct lull_jit_window *q)
{
    return lull_jit_wide(q) ? grab(q, LULL_JIT_K + 1, (int)lull_jit_end(q)) : lull_jit_grab(q);
}

void lull_jit_check_two(struct lull_jit_window *q, unsigned a, unsigned b)
{
    unsigned to = a;
    const bool temporary = q->checked && !lull_jit_wide(q);
    if (temporary) {
        const bool was_a = q->slot[a].lock, was_b = q->slot[b].lock;
        q->slot[a].lock = q->slot[b].lock = true;
        to = lull_jit_grab(q);
        q->slot[a].lock = was_a;
        q->slot[b].lock = was_b;
    }
    q->slot[a].pend = q->slot[b].pend = false;
    q->target->machine->unordered(q, a, b, to);
    if (temporary) {
        lull_jit_drop(q, to);
    }
}

void lull_jit_check(struct lull_jit_window *q, unsigned p)
{
    lull_jit_check_two(q, p, p);
}

void lull_jit_check_pending(struct lull_jit_window *q)
{
    const unsigned end = lull_jit_end(q);
    for (unsigned p = 0; p < end; p++) {
        unsigned other = p + 1;
        while (q->slot[p].pend && other < end && !q->slot[other].pend) {
            other++;
        }
        if (q->slot[p].pend) {
            lull_jit_check_two(q, p, other < end ? other : p);
        }
    }
}

/** Where @p kind @p key stands, by the slot that it stood in last, or -1: there is one at most. */
static int where(const struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    const int last = q->last[key % LULL_JIT_VGPRS] - 1;
    if (last < 0 || (q->slot[last].key == key && q->slot[last].kind == kind)) {
        return last;
    }
    const int end = (int)lull_jit_end(q);
    int i = kind == LULL_JIT_MASK && lull_jit_wide(q) ? LULL_JIT_K + 1 : 0;
    while (i < end && (q->slot[i].key != key || q->slot[i].kind != kind)) {
        i++;
    }
    return i < end ? i : -1;
}

int lull_jit_find(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    const int i = where(q, kind, key);
    if (i >= 0) {
        q->last[key % LULL_JIT_VGPRS] = (uint8_t)(i + 1);
        q->slot[i].use = ++q->clock;
    }
    return i;
}

int lull_jit_home(const struct lull_jit_window *q, uint32_t key)
{
    int p = (int)lull_jit_end(q);
    while (p-- != 0 && (!q->slot[p].home || q->slot[p].key != key)) {
    }
    return p;
}

/** The same of a pair. False: it is none of a VGPR and a mask of it. */
static bool fetch_pair(struct lull_jit_window *q, unsigned p, enum lull_jit_kind kind, uint32_t key)
{
    if (kind == LULL_JIT_VGPR) {
        q->slot[p].pend = (q->pair.pend >> key & 1) != 0;
        q->pair.pend &= ~(UINT32_C(1) << key);
    } else if (kind == LULL_JIT_MASK && (key & LULL_JIT_PAIR_MASK) == 0) {
        struct lull_x86_mem m = q->target->vendor->mask(key & 0xff);
        m.disp += (int32_t)(key >> 8);
        q->target->machine->mask_load(q, p, m);
        return true;
    } else if (kind != LULL_JIT_MASK) {
        return false;
    }
    q->target->machine->load(q, p, lull_jit_at_pair(kind, key));
    return true;
}

/** What stands nowhere, from where it is. */
static unsigned fetch(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    const unsigned p = kind == LULL_JIT_MASK ? lull_jit_grab_mask(q) : lull_jit_grab(q);
    q->slot[p].kind = (uint8_t)kind;
    q->slot[p].key = key;
    lull_jit_renamed(q, p);
    if (q->pair.there && fetch_pair(q, p, kind, key)) {
        return p;
    }
    for (unsigned n = 0; q->nspills != 0 && n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == kind && q->spill[n].key == key) {
            q->nspills--;
            q->target->machine->load(q, p, lull_jit_at_spill(n));
            q->slot[p].dirty = true;
            q->spill[n].kind = LULL_JIT_FREE;
            return p;
        }
    }
    if (kind == LULL_JIT_VGPR && q->choice[key] != 0) {
        q->target->machine->chosen(q, p, q->choice[key] - 1u);
        q->slot[p].dirty = true;
        q->choice[key] = 0;
    } else if (kind == LULL_JIT_VGPR) {
        q->target->machine->load(q, p, lull_jit_at_vgpr(q, key));
    } else if (kind == LULL_JIT_SGPR) {
        q->target->machine->broadcast(q, p, q->target->vendor->uniform(key));
    } else if (kind == LULL_JIT_CONST) {
        q->target->machine->load(q, p, lull_jit_at_const(q, key));
    } else if ((key & LULL_JIT_UNIFORM) != 0) {
        q->target->machine->mask_uniform(q, p, q->target->vendor->uniform(key));
    } else {
        q->target->machine->mask_load(q, p, q->target->vendor->mask(key));
    }
    return p;
}

static unsigned find_or_fetch(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    const int found = lull_jit_find(q, kind, key);
    return found >= 0 ? (unsigned)found : fetch(q, kind, key);
}

/** Whether there is an entry of the spill area, which is always dirty. */
static bool is_spilled(const struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    bool found = false;
    for (unsigned n = 0; q->nspills != 0 && n < LULL_JIT_SPILLS; n++) {
        found = found || (q->spill[n].kind == kind && q->spill[n].key == key);
    }
    return found;
}

bool lull_jit_is_far(struct lull_jit_window *q, uint32_t key, struct lull_x86_mem *ret)
{
    if (q->wide || q->choice[key] != 0 || lull_jit_find(q, LULL_JIT_VGPR, key) >= 0 ||
        is_spilled(q, LULL_JIT_VGPR, key)) {
        return false;
    }
    *ret = q->pair.there ? lull_jit_at_pair(LULL_JIT_VGPR, key) : lull_jit_at_vgpr(q, key);
    const bool pends = q->pair.there && (q->pair.pend >> key & 1) != 0;
    return !pends;
}

/** VGPR @p key, with the lower half that stands in f32 in slot @p wide. */
static unsigned narrow(struct lull_jit_window *q, uint32_t key, unsigned wide)
{
    const bool was = q->slot[wide].lock;
    q->slot[wide].lock = true;
    const unsigned p = find_or_fetch(q, LULL_JIT_VGPR, key);
    const bool p_was = q->slot[p].lock;
    q->slot[p].lock = true;
    const unsigned t = lull_jit_grab(q);
    if (q->slot[p].pend) {
        lull_jit_check(q, p);
    }
    q->target->machine->narrow(q, t, wide);
    q->target->machine->and_with(q, p, p, lull_jit_const32(q, 0xffff0000));
    q->target->machine->or_with(q, p, t);
    lull_jit_drop(q, t);
    q->slot[p].dirty = true;
    q->slot[wide].dirty = false;
    q->slot[p].lock = p_was;
    q->slot[wide].lock = was;
    return p;
}

/** @return slot of VGPR @p key, or -1 if its lower half stands in f32 alone, nowhere. */
static int narrow_one(struct lull_jit_window *q, uint32_t key)
{
    int wide = lull_jit_find(q, LULL_JIT_WIDE, key);
    if (wide < 0 && is_spilled(q, LULL_JIT_WIDE, key)) {
        wide = (int)fetch(q, LULL_JIT_WIDE, key);
    }
    return wide >= 0 && q->slot[wide].dirty ? (int)narrow(q, key, (unsigned)wide) : -1;
}

void lull_jit_narrow_all(struct lull_jit_window *q)
{
    for (unsigned i = 0; q->wide && i < lull_jit_end(q); i++) {
        if (q->slot[i].kind == LULL_JIT_WIDE && q->slot[i].dirty) {
            narrow(q, q->slot[i].key, i);
        }
    }
    for (unsigned n = 0; q->wide && q->nspills != 0 && n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == LULL_JIT_WIDE) {
            narrow_one(q, q->spill[n].key);
        }
    }
}

/** VGPR @p key in f32, which stands in no slot. */
static unsigned widen(struct lull_jit_window *q, uint32_t key)
{
    const unsigned from = find_or_fetch(q, LULL_JIT_VGPR, key);
    const bool was = q->slot[from].lock;
    q->slot[from].lock = true;
    const unsigned p = lull_jit_grab(q);
    q->slot[from].lock = was;
    q->target->machine->widen(q, p, from, false);
    q->slot[p].kind = LULL_JIT_WIDE;
    q->slot[p].key = key;
    lull_jit_renamed(q, p);
    q->wide = true;
    return p;
}

unsigned lull_jit_named(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key)
{
    if (kind == LULL_JIT_VGPR && q->wide) {
        const int narrowed = narrow_one(q, key);
        return narrowed >= 0 ? (unsigned)narrowed : find_or_fetch(q, kind, key);
    }
    const int found = lull_jit_find(q, kind, key);
    if (found >= 0) {
        return (unsigned)found;
    }
    return kind == LULL_JIT_WIDE && !is_spilled(q, kind, key) ? widen(q, key) : fetch(q, kind, key);
}

/** What @p kind @p key was is nothing, but for slot @p but. */
static void forget(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key, unsigned but)
{
    const int found = where(q, kind, key);
    if (found >= 0 && (unsigned)found != but) {
        const unsigned i = (unsigned)found;
        if (q->slot[i].pend) {
            lull_jit_check_dead(q, i);
        }
        if (q->slot[i].home) {
            q->slot[i].kind = LULL_JIT_HOME;
            q->slot[i].dirty = false;
        } else {
            lull_jit_drop(q, i);
        }
    }
    for (unsigned n = 0; q->nspills != 0 && n < LULL_JIT_SPILLS; n++) {
        if (q->spill[n].kind == kind && q->spill[n].key == key) {
            q->spill[n].kind = LULL_JIT_FREE;
            q->nspills--;
        }
    }
    if (kind == LULL_JIT_VGPR) {
        q->choice[key] = 0;
    }
    if (kind == LULL_JIT_VGPR && q->pair.there && (q->pair.pend >> key & 1) != 0) {
        const unsigned p = lull_jit_grab(q);
        q->pair.pend &= ~(UINT32_C(1) << key);
        q->target->machine->load(q, p, lull_jit_at_pair(kind, key));
        lull_jit_check_dead(q, p);
        lull_jit_drop(q, p);
    }
}

void lull_jit_forget_wide(struct lull_jit_window *q, uint32_t key)
{
    if (q->wide) {
        forget(q, LULL_JIT_WIDE, key, LULL_JIT_SLOTS);
    }
}

void lull_jit_choose(struct lull_jit_window *q, uint32_t key, unsigned n)
{
    forget(q, LULL_JIT_VGPR, key, LULL_JIT_SLOTS);
    lull_jit_forget_wide(q, key);
    q->choice[key] = (uint8_t)(n + 1);
}

void lull_jit_set(struct lull_jit_window *q, unsigned p, enum lull_jit_kind kind, uint32_t key)
{
    forget(q, kind, key, p);
    if (kind == LULL_JIT_VGPR) {
        lull_jit_forget_wide(q, key);
    }
    q->wide |= kind == LULL_JIT_WIDE;
    q->slot[p] =
        (struct lull_jit_slot){.kind = (uint8_t)kind, .key = key, .dirty = true, .use = ++q->clock};
    lull_jit_renamed(q, p);
}
