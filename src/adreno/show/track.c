// SPDX-License-Identifier: MIT
// Registers: what they hold, what they held at the last draw, which were written since.
#include "adreno/show/walk.h"

struct lull_cap_track *lull_cap_track(struct lull_cap *c)
{
    return &c->tracks[c->s.pipes == LULL_AS_BV];
}

static bool bit(const uint64_t *bits, uint32_t n)
{
    return (bits[n / 64] >> n % 64 & 1) != 0;
}

uint64_t lull_cap_reg(const struct lull_cap *c, uint32_t reg, bool wide)
{
    const struct lull_as_regs *r = lull_astream_regs(&c->s);
    return r->v[reg % LULL_CAP_REGS] | (wide ? (uint64_t)r->v[(reg + 1) % LULL_CAP_REGS] << 32 : 0);
}

struct lull_cap_value lull_cap_value_of(const struct lull_cap *c, uint32_t reg, bool wide)
{
    const struct lull_as_regs *r = lull_astream_regs(&c->s);
    const uint32_t high = wide ? reg + 1 : reg;
    const bool unknown = bit(r->unknown, reg) || bit(r->unknown, high);
    const bool known = bit(r->known, reg) || bit(r->known, high);
    return (struct lull_cap_value){.v = lull_cap_reg(c, reg, wide),
                                   .state = unknown ? LULL_CAP_UNKNOWN
                                            : known ? LULL_CAP_KNOWN
                                                    : LULL_CAP_NEVER};
}

/** What it held at the last draw. */
static struct lull_cap_value last_of(const struct lull_cap_track *t, uint32_t reg, bool wide)
{
    const uint32_t high = wide ? reg + 1 : reg;
    const bool unknown = bit(t->unsure, reg) || bit(t->unsure, high);
    const bool seen = bit(t->seen, reg) || bit(t->seen, high);
    return (struct lull_cap_value){.v = t->last[reg] | (wide ? (uint64_t)t->last[high] << 32 : 0),
                                   .state = unknown ? LULL_CAP_UNKNOWN
                                            : seen  ? LULL_CAP_KNOWN
                                                    : LULL_CAP_NEVER};
}

bool lull_cap_differ(struct lull_cap_value a, struct lull_cap_value b)
{
    return (a.state == LULL_CAP_UNKNOWN) != (b.state == LULL_CAP_UNKNOWN) || a.v != b.v;
}

/** Register @p i of those that are written, and its other half; @return the last that is told. */
static uint32_t tell(struct lull_cap *c, const struct lull_as_event *e, uint32_t i)
{
    const uint32_t reg = e->u.write.reg, at = (reg + i) % LULL_CAP_REGS;
    const bool wide = c->half[at] != 0;
    const uint32_t base = at - (c->half[at] == 2);
    struct lull_dom_hit whole = lull_dom_lookup(c->index, at);
    const struct lull_cap_value old = lull_cap_value_of(c, base, wide);
    struct lull_cap_value value = old;
    i += c->half[at] == 1 && i + 1 < e->u.write.n; // both halves in one packet: told once
    for (uint32_t k = 0; k < 1u + wide; k++) {
        const uint32_t from = base + k - reg;
        if (base + k >= reg && from <= i) {
            const unsigned shift = 32 * k;
            value.v &= ~((uint64_t)UINT32_MAX << shift);
            value.v |= (uint64_t)e->u.write.values[from] << shift;
        }
    }
    value.state = e->u.write.known ? LULL_CAP_KNOWN : LULL_CAP_UNKNOWN;
    whole.dword = 0;
    c->v->write(c->v->ctx, c, base, &whole, old, value);
    return i;
}

void lull_cap_track_write(struct lull_cap *c, const struct lull_as_event *e)
{
    for (uint32_t i = 0; i < e->u.write.n; i++) {
        i = tell(c, e, i);
    }
}

void lull_cap_registers(struct lull_cap *c, bool all,
                        void (*each)(void *ctx, struct lull_cap *c, uint32_t reg,
                                     const struct lull_dom_hit *hit, struct lull_cap_value old,
                                     struct lull_cap_value value),
                        void *ctx)
{
    const struct lull_cap_track *t = lull_cap_track(c);
    for (uint32_t at = lull_astream_next_reg(&c->s, all, 0); at < LULL_CAP_REGS;) {
        struct lull_dom_hit hit = lull_dom_lookup(c->index, at);
        const bool wide = c->half[at] != 0;
        at -= c->half[at] == 2;
        hit.dword = 0;
        each(ctx, c, at, &hit, last_of(t, at, wide), lull_cap_value_of(c, at, wide));
        at = lull_astream_next_reg(&c->s, all, at + 1 + wide);
    }
}

void lull_cap_track_draw(struct lull_cap *c)
{
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        struct lull_cap_track *t = &c->tracks[pipe];
        const struct lull_as_regs *r = &c->s.regs[pipe];
        for (uint32_t i = 0; (c->s.pipes >> pipe & 1) != 0 && i < r->nlist; i++) {
            const uint32_t at = r->list[i], word = at / 64;
            t->last[at] = r->v[at];
            t->seen[word] |= r->fresh[word];
            t->unsure[word] = r->unknown[word];
        }
    }
    lull_astream_forget(&c->s);
}
