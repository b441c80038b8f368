// SPDX-License-Identifier: MIT
// Caches: what draws, blits and shaders wrote, and who reads it before it is there.
//
// Colour, depth, CP_BLIT and the event BLIT write through the CCU; textures, storage images and the
// sources of CP_BLIT are read through UCHE. So what the one wrote is there for the other after an
// event that flushes the CCU, then one that invalidates UCHE, and a wait. What shaders store is in
// UCHE: a wait is enough. Within a draw textures have a cache of their own in front of UCHE: what
// its shaders store, they must not sample.
#include <stdio.h>
#include <string.h>

#include "adreno/lint/lint_priv.h"
#include "adreno/show/slots.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"

enum { FLUSHED = 1, INVALIDATED = 2, WAITED = 4, ALL = 7, UNIT_SHIFT = 6, DESCRIPTOR = 16 };

static uint64_t reg(const struct lull_cap *c, uint32_t number)
{
    return lull_cap_reg(c, number, false);
}

static uint32_t field(const struct lull_cap *c, uint32_t number, const char *name)
{
    const struct lull_dom_hit hit = lull_dom_lookup(c->index, number);
    uint64_t v = 0;
    if (hit.reg != NULL) {
        (void)lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, name, reg(c, number), &v);
    }
    return (uint32_t)v;
}

/** Memory is written; what was there before does not matter any more. */
static void wrote(struct lull_lint *l, struct lull_lint_dirty d)
{
    unsigned n = 0;
    if (d.size == 0 || d.address == 0) {
        return;
    }
    for (unsigned i = 0; i < l->ndirty; i++) {
        const struct lull_lint_dirty *o = &l->dirty[i];
        const bool covered = o->address >= d.address && o->address + o->size <= d.address + d.size;
        if (!covered) {
            l->dirty[n++] = *o;
        }
    }
    if (n == LULL_LINT_DIRTY) { // the oldest is forgotten
        memmove(&l->dirty[0], &l->dirty[1], (n - 1) * sizeof l->dirty[0]);
        n--;
    }
    l->dirty[n++] = d;
    l->ndirty = n;
}

static struct lull_lint_dirty by(const struct lull_cap_draw *d, enum lull_lint_writer_kind kind)
{
    return (struct lull_lint_dirty){.kind = kind,
                                    .packet = d->packet->address,
                                    .name = d->packet->name,
                                    .has = kind == LULL_LINT_SHADER ? FLUSHED | INVALIDATED : 0};
}

static void draw_writes(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    enum { MRT_STRIDE = 8, MRTS = 8 };
    const uint32_t n = field(c, LULL_A6XX_RB_FS_OUTPUT_CNTL1, "MRT");
    for (uint32_t i = 0; i < n && i < MRTS; i++) {
        const uint32_t at = i * MRT_STRIDE;
        const bool on = field(c, LULL_A6XX_RB_MRT_CONTROL + at, "COMPONENT_ENABLE") != 0 &&
                        (reg(c, LULL_A6XX_RB_RENDER_COMPONENTS) >> 4 * i & 0xf) != 0;
        struct lull_lint_dirty w = by(d, LULL_LINT_COLOR);
        w.address = on ? lull_cap_reg(c, LULL_A6XX_RB_MRT_BASE + at, true) : 0;
        w.size = reg(c, LULL_A6XX_RB_MRT_ARRAY_PITCH + at) << UNIT_SHIFT;
        wrote(l, w);
    }
    if (field(c, LULL_A6XX_RB_DEPTH_CNTL, "Z_TEST_ENABLE") != 0 &&
        field(c, LULL_A6XX_RB_DEPTH_CNTL, "Z_WRITE_ENABLE") != 0) {
        struct lull_lint_dirty w = by(d, LULL_LINT_DEPTH);
        w.address = lull_cap_reg(c, LULL_A6XX_RB_DEPTH_BUFFER_BASE, true);
        w.size = reg(c, LULL_A6XX_RB_DEPTH_BUFFER_ARRAY_PITCH) << UNIT_SHIFT;
        wrote(l, w);
    }
}

static void blit_writes(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_lint_dirty w = by(d, LULL_LINT_COLOR);
    w.address = lull_cap_reg(c, LULL_A6XX_RB_2D_DST, true);
    w.size = (reg(c, LULL_A6XX_RB_2D_DST_PITCH) << UNIT_SHIFT) *
             (field(c, LULL_A6XX_GRAS_2D_DST_BR, "Y") + 1);
    wrote(l, w);
}

static void resolve_writes(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    enum { CLEAR = 2, LOAD = 3 };
    struct lull_lint_dirty w = by(d, LULL_LINT_COLOR);
    const uint32_t type = field(c, LULL_A6XX_RB_BLIT_INFO, "TYPE");
    w.address = type != CLEAR && type != LOAD ? lull_cap_reg(c, LULL_A6XX_RB_BLIT_DST, true) : 0;
    w.size = reg(c, LULL_A6XX_RB_BLIT_DST_ARRAY_PITCH) << UNIT_SHIFT;
    wrote(l, w);
}

/** What is missing, in words. */
static const char *mend(struct lull_lint *l, const struct lull_cap *c,
                        const struct lull_lint_dirty *d)
{
    const bool seven = c->gen >= 7, color = d->kind == LULL_LINT_COLOR;
    const char *const flush = seven   ? (color ? "CCU_CLEAN_COLOR" : "CCU_CLEAN_DEPTH")
                              : color ? "PC_CCU_FLUSH_COLOR_TS"
                                      : "PC_CCU_FLUSH_DEPTH_TS";
    const char *const parts[] = {(d->has & FLUSHED) == 0 ? flush : NULL,
                                 (d->has & INVALIDATED) != 0 ? NULL
                                 : seven                     ? "CACHE_INVALIDATE7"
                                                             : "CACHE_INVALIDATE",
                                 (d->has & WAITED) == 0 ? "CP_WAIT_FOR_IDLE" : NULL};
    size_t at = 0;
    for (unsigned i = 0; i < 3; i++) {
        const int n = parts[i] == NULL ? 0
                                       : snprintf(l->mend + at, sizeof l->mend - at, "%s%s",
                                                  at != 0 ? ", then " : "", parts[i]);
        at += (size_t)n;
    }
    (void)snprintf(l->mend + at, sizeof l->mend - at, " between the two");
    return l->mend;
}

/** Memory is read, through UCHE. */
static void reads(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                  uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < l->ndirty; i++) {
        struct lull_lint_dirty *w = &l->dirty[i];
        if (w->told || address >= w->address + w->size || address + size <= w->address) {
            continue;
        }
        struct lull_lint_finding f = {.rule = LULL_LINT_NOT_FLUSHED,
                                      .draw = d,
                                      .packet = d->packet,
                                      .address = w->address,
                                      .size = w->size,
                                      .earlier = w->packet,
                                      .before = w->name,
                                      .mend = mend(l, c, w)};
        w->told = true;
        lull_lint_tell(l, c, &f);
    }
}

static void blit_reads(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    const bool seven = c->gen >= 7;
    const uint32_t src = seven ? LULL_A6XX_SP_PS_2D_SRC__A7XX : LULL_A6XX_SP_PS_2D_SRC;
    const uint32_t size = seven ? LULL_A6XX_SP_PS_2D_SRC_SIZE__A7XX : LULL_A6XX_SP_PS_2D_SRC_SIZE;
    const uint32_t pitch =
        seven ? LULL_A6XX_SP_PS_2D_SRC_PITCH__A7XX : LULL_A6XX_SP_PS_2D_SRC_PITCH;
    if (field(c, LULL_A6XX_RB_2D_BLIT_CNTL, "SOLID_COLOR") == 0) {
        const uint64_t bytes = field(c, pitch, "PITCH");
        reads(l, c, d, lull_cap_reg(c, src, true), bytes * field(c, size, "HEIGHT"));
    }
}

/** Descriptor @p number of a set: where, and how large; false: it is not there. */
static bool described(struct lull_cap *c, bool compute, unsigned set, uint32_t number,
                      uint64_t *address, uint64_t *size)
{
    enum { TEXEL = 4, PIECE = 64 };
    uint64_t base = 0;
    uint32_t apart = 0;
    if (!lull_cap_set_base(c, compute, set, &base, &apart) || apart < DESCRIPTOR) {
        return false;
    }
    const struct lull_cap_words w =
        lull_cap_memory(c, base + (uint64_t)number * apart * 4, DESCRIPTOR);
    if (w.n < DESCRIPTOR) {
        return false;
    }
    // Fields of A6XX_TEX_CONST.
    const uint32_t width = w.words[1] & 0x7fff, height = w.words[1] >> 15 & 0x7fff;
    const uint32_t pitch = w.words[2] >> 7 & 0x3fffff;
    *address = (w.words[4] & ~0x1fu) | (uint64_t)(w.words[5] & 0x1ffff) << 32;
    *size = w.words[2] >> 29 == LULL_A6XX_TEX_BUFFER ? (uint64_t)(width | height << 15) * TEXEL
                                                     : (uint64_t)pitch * height;
    *size = *size < PIECE ? PIECE : *size;
    return true;
}

/** A store and a sample of the same shaders. */
static void same_draw(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                      uint64_t stored, uint64_t stored_size, uint64_t address, uint64_t size)
{
    if (address < stored + stored_size && stored < address + size) {
        struct lull_lint_finding f = {.rule = LULL_LINT_SAME_DRAW,
                                      .draw = d,
                                      .packet = d->packet,
                                      .address = address,
                                      .size = size,
                                      .mend = "sample it in a draw or dispatch of its own, or read "
                                              "it as a storage image"};
        lull_lint_tell(l, c, &f);
    }
}

/** What its shaders read (@p stores false) or store. */
static void shaders(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                    const struct lull_cap_uses *u, bool stores)
{
    const bool compute = d->kind == LULL_CAP_DISPATCH;
    uint64_t stored = 0, stored_size = 0;
    for (unsigned k = 0; k < LULL_CAP_SETS * LULL_CAP_SET_SLOTS; k++) {
        const unsigned set = k / LULL_CAP_SET_SLOTS, number = k % LULL_CAP_SET_SLOTS;
        const unsigned use = u->at[set][number];
        uint64_t address = 0, size = 0;
        if ((use & (stores ? LULL_CAP_USE_STORES : LULL_CAP_USE_TEXTURE)) == 0 ||
            !described(c, compute, set, number, &address, &size)) {
            continue;
        }
        if (!stores) {
            reads(l, c, d, address, size);
            continue;
        }
        struct lull_lint_dirty w = by(d, LULL_LINT_SHADER);
        w.address = stored = address;
        w.size = stored_size = size;
        for (unsigned m = 0; m < LULL_CAP_SETS * LULL_CAP_SET_SLOTS; m++) {
            const unsigned s = m / LULL_CAP_SET_SLOTS, i = m % LULL_CAP_SET_SLOTS;
            if ((u->at[s][i] & LULL_CAP_USE_AFTER_STORE) != 0 &&
                described(c, compute, s, i, &address, &size)) {
                same_draw(l, c, d, stored, stored_size, address, size);
            }
        }
        wrote(l, w);
    }
}

void lull_lint_memory(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_cap_uses u = {0};
    if (d->kind == LULL_CAP_BLIT) {
        blit_reads(l, c, d);
        blit_writes(l, c, d);
        return;
    }
    if (d->kind == LULL_CAP_EVENT) {
        resolve_writes(l, c, d);
        return;
    }
    lull_cap_uses(c, d, &u);
    shaders(l, c, d, &u, false);
    shaders(l, c, d, &u, true);
    if (d->kind == LULL_CAP_DRAW && c->s.mode == LULL_AS_SYSMEM) {
        draw_writes(l, c, d);
    }
}

/** This has happened: what has all of it is there. */
static void happened(struct lull_lint *l, unsigned kinds, unsigned bit, unsigned needs)
{
    unsigned n = 0;
    for (unsigned i = 0; i < l->ndirty; i++) {
        struct lull_lint_dirty *d = &l->dirty[i];
        if ((kinds >> d->kind & 1) != 0 && (d->has & needs) == needs) {
            d->has |= bit;
        }
        if (d->has != ALL) {
            l->dirty[n++] = *d;
        }
    }
    l->ndirty = n;
}

void lull_lint_event(struct lull_lint *l, const struct lull_cap *c, uint32_t number)
{
    enum { COLOR = 1 << LULL_LINT_COLOR, DEPTH = 1 << LULL_LINT_DEPTH };
    const char *name = lull_cap_enum(c, LULL_ADRENO_ENUM_vgt_event_type, number);
    for (unsigned i = 0; l->facts != NULL && name != NULL && i < l->facts->nevents; i++) {
        const struct lull_stale_event *e = &l->facts->events[i];
        if (strcmp(e->name, name) != 0) {
            continue;
        }
        if (e->does == LULL_STALE_INVALIDATES) {
            happened(l, COLOR | DEPTH, INVALIDATED, FLUSHED);
        } else {
            happened(l, e->does == LULL_STALE_FLUSHES_COLOR ? COLOR : DEPTH, FLUSHED, 0);
        }
    }
}

void lull_lint_idle(struct lull_lint *l)
{
    enum { EVERY = 1 << LULL_LINT_COLOR | 1 << LULL_LINT_DEPTH | 1 << LULL_LINT_SHADER };
    happened(l, EVERY, WAITED, FLUSHED);
}
