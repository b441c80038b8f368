// SPDX-License-Identifier: MIT
// Caches: what draws, blits and shaders wrote, and who reads it before it is there.
//
// Colour, depth, CP_BLIT and the event BLIT write through the CCU; textures, storage images and the
// sources of CP_BLIT are read through UCHE. So what the one wrote is there for the other after an
// event that flushes the CCU, then one that invalidates UCHE, and a wait. What shaders store is in
// UCHE: a wait is enough. Within a draw textures have a cache of their own in front of UCHE: what
// its shaders store, they must not sample. Vertices and indices are fetched through UCHE as
// textures are. The CP (parameters of indirect work, conditions) reads memory itself: what shaders
// store is there after an event that cleans UCHE, and a wait. Some firmware (a650's is newer) also
// has to be told to wait, by CP_WAIT_FOR_ME: which one ran, a capture does not say.
#include <stdio.h>
#include <string.h>

#include "adreno/lint/lint_priv.h"
#include "adreno/show/slots.h"
#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"

enum { UNIT_SHIFT = 6, DESCRIPTOR = 16 };

/** What has happened since memory was written. */
enum {
    FLUSHED = 1,     // Out of the CCU.
    INVALIDATED = 2, // Then: nothing older is in UCHE.
    WAITED = 4,      // Out of the CCU, then waited.
    CLEANED = 8,     // Out of UCHE.
    SETTLED = 16,    // In memory, then waited.
    UCHE_NEEDS = FLUSHED | INVALIDATED | WAITED,
    CP_NEEDS = FLUSHED | CLEANED | SETTLED,
    ALL = UCHE_NEEDS | CP_NEEDS,
};

/** Who reads what. */
struct reader {
    const struct lull_cap_draw *draw; ///< NULL: the CP, at no draw.
    const char *as;
    unsigned needs;
};

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
                                    .has =
                                        kind == LULL_LINT_SHADER ? FLUSHED | INVALIDATED : CLEANED};
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

/** What is missing for who needs @p needs, in words. */
static const char *mend(struct lull_lint *l, const struct lull_cap *c,
                        const struct lull_lint_dirty *d, unsigned needs)
{
    const bool seven = c->gen >= 7, color = d->kind == LULL_LINT_COLOR;
    const unsigned lacks = needs & ~d->has;
    const char *const flush = seven   ? (color ? "CCU_CLEAN_COLOR" : "CCU_CLEAN_DEPTH")
                              : color ? "PC_CCU_FLUSH_COLOR_TS"
                                      : "PC_CCU_FLUSH_DEPTH_TS";
    const char *const invalidate = seven ? "CACHE_INVALIDATE7" : "CACHE_INVALIDATE";
    const char *const clean = seven ? "CACHE_CLEAN" : "CACHE_FLUSH_TS";
    const char *const parts[] = {(lacks & FLUSHED) != 0 ? flush : NULL,
                                 (lacks & CLEANED) != 0 ? clean : NULL,
                                 (lacks & INVALIDATED) != 0 ? invalidate : NULL,
                                 (lacks & (WAITED | SETTLED)) != 0 ? "CP_WAIT_FOR_IDLE" : NULL};
    size_t at = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const int n = parts[i] == NULL ? 0
                                       : snprintf(l->mend + at, sizeof l->mend - at, "%s%s",
                                                  at != 0 ? ", then " : "", parts[i]);
        at += (size_t)n;
    }
    (void)snprintf(l->mend + at, sizeof l->mend - at, " between the two");
    return l->mend;
}

/** Memory is read. */
static void reads(struct lull_lint *l, struct lull_cap *c, const struct reader *r, uint64_t address,
                  uint64_t size)
{
    for (unsigned i = 0; address != 0 && i < l->ndirty; i++) {
        struct lull_lint_dirty *w = &l->dirty[i];
        if (w->told || (w->has & r->needs) == r->needs || address >= w->address + w->size ||
            address + size <= w->address) {
            continue;
        }
        struct lull_lint_finding f = {.rule = LULL_LINT_NOT_FLUSHED,
                                      .draw = r->draw,
                                      .packet = r->draw != NULL ? r->draw->packet : NULL,
                                      .as = r->as,
                                      .address = w->address,
                                      .size = w->size,
                                      .earlier = w->packet,
                                      .before = w->name,
                                      .mend = mend(l, c, w, r->needs)};
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
        const struct reader r = {d, "the source of a blit", UCHE_NEEDS};
        const uint64_t bytes = field(c, pitch, "PITCH");
        reads(l, c, &r, lull_cap_reg(c, src, true), bytes * field(c, size, "HEIGHT"));
    }
}

/** Where the image of a descriptor is, and how large. */
static void described(const uint32_t *w, uint64_t *address, uint64_t *size)
{
    enum { TEXEL = 4, PIECE = 64 };
    // Fields of A6XX_TEX_CONST.
    const uint32_t width = w[1] & 0x7fff, height = w[1] >> 15 & 0x7fff;
    const uint32_t pitch = w[2] >> 7 & 0x3fffff;
    *address = (w[4] & ~0x1fu) | (uint64_t)(w[5] & 0x1ffff) << 32;
    *size = w[2] >> 29 == LULL_A6XX_TEX_BUFFER ? (uint64_t)(width | height << 15) * TEXEL
                                               : (uint64_t)pitch * height;
    *size = *size < PIECE ? PIECE : *size;
}

/** Descriptor @p number that a state load brought: the newest. */
static const uint32_t *loaded(const struct lull_cap *c, enum lull_load_what what, bool any_stage,
                              int stage, uint32_t number)
{
    for (unsigned i = c->nloads; i-- > 0;) {
        const struct lull_cap_load *o = &c->loads[i];
        const uint32_t at = number - o->of.offset;
        if (o->of.what == what && o->set < 0 && (any_stage ? o->stage < 0 : o->stage == stage) &&
            number >= o->of.offset && at < o->of.units &&
            (uint64_t)at * o->apart + DESCRIPTOR <= o->w.n) {
            return o->w.words + (size_t)at * o->apart;
        }
    }
    return NULL;
}

enum {
    IN_SETS = LULL_CAP_SETS * LULL_CAP_SET_SLOTS,
    BOUND = LULL_CAP_STAGES * LULL_CAP_BOUND,
    DESCRIPTORS = IN_SETS + BOUND + LULL_CAP_BOUND,
};

/** The @p k th descriptor that shaders may use: those of sets, then textures and images that state
 * loads brought. @return What it is used as; 0: it is not, or it is not there. */
static unsigned used(struct lull_cap *c, bool compute, const struct lull_cap_uses *u, unsigned k,
                     uint64_t *address, uint64_t *size)
{
    const unsigned set = k / LULL_CAP_SET_SLOTS, number = k % LULL_CAP_SET_SLOTS;
    const unsigned bound = k - IN_SETS, image = bound - BOUND;
    const uint32_t *w = NULL;
    unsigned use = 0;
    if (k < IN_SETS && (use = u->at[set][number]) != 0) {
        uint64_t base = 0;
        uint32_t apart = 0;
        if (lull_cap_set_base(c, compute, set, &base, &apart) && apart >= DESCRIPTOR) {
            const struct lull_cap_words m =
                lull_cap_memory(c, base + (uint64_t)number * apart * 4, DESCRIPTOR);
            w = m.n >= DESCRIPTOR ? m.words : NULL;
        }
    } else if (k >= IN_SETS && bound < BOUND) {
        const int stage = (int)(bound / LULL_CAP_BOUND);
        use = u->bound[stage][bound % LULL_CAP_BOUND];
        w = use != 0 ? loaded(c, LULL_LOAD_TEXTURES, false, stage, bound % LULL_CAP_BOUND) : NULL;
    } else if (k >= IN_SETS) {
        use = u->images[image];
        w = use != 0 ? loaded(c, LULL_LOAD_IBOS, !compute, LULL_CAP_CS, image) : NULL;
    }
    if (w != NULL) {
        described(w, address, size);
    }
    return w != NULL ? use : 0;
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
    const struct reader r = {d, "a texture", UCHE_NEEDS};
    uint64_t stored = 0, stored_size = 0, address = 0, size = 0;
    for (unsigned k = 0; k < DESCRIPTORS; k++) {
        const unsigned use = used(c, compute, u, k, &address, &size);
        if (!stores && (use & LULL_CAP_USE_TEXTURE) != 0) {
            reads(l, c, &r, address, size);
        }
        if (!stores || (use & LULL_CAP_USE_STORES) == 0) {
            continue;
        }
        struct lull_lint_dirty w = by(d, LULL_LINT_SHADER);
        w.address = stored = address;
        w.size = stored_size = size;
        for (unsigned m = 0; m < DESCRIPTORS; m++) {
            if ((used(c, compute, u, m, &address, &size) & LULL_CAP_USE_AFTER_STORE) != 0) {
                same_draw(l, c, d, stored, stored_size, address, size);
            }
        }
        wrote(l, w);
    }
}

/** Vertices, indices, parameters of indirect work. */
static void inputs(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d)
{
    enum { FETCH_STRIDE = 4, DECODE_STRIDE = 2, SIZE = 2, MOST = 32, DISPATCH = 12, COUNT = 4 };
    const struct reader vertices = {d, "vertices", UCHE_NEEDS},
                        indices = {d, "indices", UCHE_NEEDS};
    const struct reader cp = {d, "parameters of indirect work", CP_NEEDS};
    const bool draw = d->kind == LULL_CAP_DRAW;
    const uint32_t n = draw ? field(c, LULL_A6XX_VFD_CONTROL_0, "DECODE_CNT") : 0;
    for (uint32_t i = 0; i < n && i < MOST; i++) {
        const uint32_t fetch =
            field(c, LULL_A6XX_VFD_DECODE_INSTR + i * DECODE_STRIDE, "IDX") * FETCH_STRIDE;
        reads(l, c, &vertices, lull_cap_reg(c, LULL_A6XX_VFD_FETCH_BASE + fetch, true),
              reg(c, LULL_A6XX_VFD_FETCH_BASE + fetch + SIZE));
    }
    if (draw && d->index_bytes != 0) {
        const uint64_t most = (uint64_t)(d->first + d->vertices) * d->index_bytes;
        reads(l, c, &indices, d->index_address, most != 0 ? most : d->index_bytes);
    }
    const uint64_t bytes = (uint64_t)d->draws * d->stride;
    reads(l, c, &cp, d->indirect, bytes > DISPATCH ? bytes : DISPATCH);
    reads(l, c, &cp, d->count_address, COUNT);
}

void lull_lint_cp_reads(struct lull_lint *l, struct lull_cap *c, uint64_t address)
{
    const struct reader cp = {NULL, "what the CP needs itself", CP_NEEDS};
    reads(l, c, &cp, address, sizeof(uint32_t));
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
    inputs(l, c, d);
    shaders(l, c, d, &u, false);
    shaders(l, c, d, &u, true);
    if (d->kind == LULL_CAP_DRAW && c->s.mode == LULL_AS_SYSMEM) {
        draw_writes(l, c, d);
    }
}

/** This has happened: what has all of it is there for everybody. */
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
        } else if (e->does == LULL_STALE_CLEANS) {
            happened(l, 1 << LULL_LINT_SHADER, CLEANED, 0);
        } else {
            happened(l, e->does == LULL_STALE_FLUSHES_COLOR ? COLOR : DEPTH, FLUSHED, 0);
        }
    }
}

void lull_lint_idle(struct lull_lint *l)
{
    enum { EVERY = 1 << LULL_LINT_COLOR | 1 << LULL_LINT_DEPTH | 1 << LULL_LINT_SHADER };
    happened(l, EVERY, WAITED, FLUSHED);
    happened(l, EVERY, SETTLED, FLUSHED | CLEANED);
}
