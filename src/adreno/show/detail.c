// SPDX-License-Identifier: MIT
// One draw, with all the state that it sees.
#include <inttypes.h>
#include <stdio.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/slots.h"
#include "adreno/show/walk.h"

enum { INDICES_SHOWN = 32 };

static void reg(void *ctx, struct lull_cap *c, uint32_t at, const struct lull_dom_hit *hit,
                struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_show *w = ctx;
    const bool fresh = (lull_astream_regs(&c->s)->fresh[at / 64] >> at % 64 & 1) != 0;
    const bool changed = lull_cap_differ(old, value);
    lull_show_add(w, changed ? "  ! " : fresh ? "  + " : "    ");
    lull_cap_name(hit, at, &w->text);
    lull_show_add(w, " = ");
    lull_show_value(w, c, hit, value, true);
    if (changed) {
        lull_show_was(w, c, hit, old);
    }
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void groups(struct lull_show *w, const struct lull_cap *c)
{
    bool any = false;
    for (unsigned i = 0; i < LULL_CAP_GROUPS; i++) {
        const struct lull_as_group *g = &c->s.groups[i];
        if (g->count == 0) {
            continue;
        }
        lull_show_add(w, any ? "" : "groups of draw state\n");
        any = true;
        lull_show_addf(w, "    %2u  %5" PRIu32 " dwords at 0x%" PRIx64 " for ", i, g->count,
                       g->address);
        lull_cap_modes(g->mask, &w->text);
        lull_show_add(w, (g->mask & c->s.mode) == 0 ? ", left out in this mode\n" : "\n");
    }
}

/** Descriptors of the bindless sets, from each base as far as there are any. */
static void sets(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    static const char *const by[] = {" (guessed)", " (by a register index)", ""};
    struct lull_cap_uses uses = {0};
    lull_cap_uses(c, d, &uses);
    for (unsigned i = 0; i < lull_cap_sets(c); i++) {
        uint64_t base = 0;
        uint32_t apart = 0;
        if (!lull_cap_set_base(c, d->kind == LULL_CAP_DISPATCH, i, &base, &apart)) {
            continue;
        }
        const bool there = lull_cap_memory(c, base, 1).n != 0;
        lull_show_addf(w, "bindless set %u at 0x%" PRIx64 "%s\n", i, base,
                       there ? "" : ", not in the capture");
        struct lull_cap_slot s = {0};
        for (; lull_cap_next_slot(c, &uses, i, base, apart, &s); s.number++) {
            char title[80] = "";
            (void)snprintf(title, sizeof title, "[%" PRIu32 "] %s%s", s.number, s.name, by[s.by]);
            lull_show_descriptor(w, c, lull_cap_load_domain(c, s.what), s.w, title);
        }
    }
}

/** Registers of a stage that lead to its textures and samplers. */
struct tables {
    uint32_t count, textures, samplers;
};

static const struct tables a5xx[LULL_CAP_STAGES] = {
    {LULL_A5XX_TPL1_VS_TEX_COUNT, LULL_A5XX_TPL1_VS_TEX_CONST_LO, LULL_A5XX_TPL1_VS_TEX_SAMP_LO},
    {LULL_A5XX_TPL1_HS_TEX_COUNT, LULL_A5XX_TPL1_HS_TEX_CONST_LO, LULL_A5XX_TPL1_HS_TEX_SAMP_LO},
    {LULL_A5XX_TPL1_DS_TEX_COUNT, LULL_A5XX_TPL1_DS_TEX_CONST_LO, LULL_A5XX_TPL1_DS_TEX_SAMP_LO},
    {LULL_A5XX_TPL1_GS_TEX_COUNT, LULL_A5XX_TPL1_GS_TEX_CONST_LO, LULL_A5XX_TPL1_GS_TEX_SAMP_LO},
    {LULL_A5XX_TPL1_FS_TEX_COUNT, LULL_A5XX_TPL1_FS_TEX_CONST_LO, LULL_A5XX_TPL1_FS_TEX_SAMP_LO},
    {LULL_A5XX_TPL1_CS_TEX_COUNT, LULL_A5XX_TPL1_CS_TEX_CONST_LO, LULL_A5XX_TPL1_CS_TEX_SAMP_LO},
};
static const struct tables a6xx[LULL_CAP_STAGES] = {
    {LULL_A6XX_SP_VS_TEX_COUNT, LULL_A6XX_SP_VS_TEX_CONST, LULL_A6XX_SP_VS_TEX_SAMP},
    {LULL_A6XX_SP_HS_TEX_COUNT, LULL_A6XX_SP_HS_TEX_CONST, LULL_A6XX_SP_HS_TEX_SAMP},
    {LULL_A6XX_SP_DS_TEX_COUNT, LULL_A6XX_SP_DS_TEX_CONST, LULL_A6XX_SP_DS_TEX_SAMP},
    {LULL_A6XX_SP_GS_TEX_COUNT, LULL_A6XX_SP_GS_TEX_CONST, LULL_A6XX_SP_GS_TEX_SAMP},
    {LULL_A6XX_SP_FS_TEX_COUNT, LULL_A6XX_SP_FS_TEX_CONST, LULL_A6XX_SP_FS_TEX_SAMP},
    {LULL_A6XX_SP_CS_TEX_COUNT, LULL_A6XX_SP_CS_TEX_CONST, LULL_A6XX_SP_CS_TEX_SAMP},
};

static void table(struct lull_show *w, struct lull_cap *c, const char *stage, uint64_t address,
                  uint32_t n, enum lull_load_what what)
{
    const uint32_t each = lull_load_unit(c->gen, what);
    const struct lull_cap_words all = lull_cap_memory(c, address & ~UINT64_C(3), n * each);
    if (address == 0) {
        return;
    }
    lull_show_addf(w, "%s %s by its registers, %" PRIu32 " at 0x%" PRIx64 "%s\n", stage,
                   lull_cap_load_name(what), n, address, all.n == 0 ? ", not in the capture" : "");
    for (uint32_t i = 0; i * each < all.n; i++) {
        char title[32] = "";
        (void)snprintf(title, sizeof title, "[%" PRIu32 "]", i);
        lull_show_descriptor(w, c, lull_cap_load_domain(c, what),
                             lull_cap_part(all, i * each, each), title);
    }
}

/** Textures and samplers of the stages, where registers say that there are any. */
static void tables(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    const struct tables *t = c->gen == 5 ? a5xx : a6xx;
    for (unsigned i = 0; c->gen >= 5 && i < d->nshaders; i++) {
        const struct tables *r = &t[d->shaders[i].stage];
        const uint32_t n = (uint32_t)lull_cap_reg(c, r->count, false) & 0xff;
        const char *stage = lull_cap_stage_name((int)d->shaders[i].stage);
        if (n != 0) {
            table(w, c, stage, lull_cap_reg(c, r->textures, true), n, LULL_LOAD_TEXTURES);
            table(w, c, stage, lull_cap_reg(c, r->samplers, true), n, LULL_LOAD_SAMPLERS);
        }
    }
}

static void shaders(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        lull_show_addf(w, "%s at 0x%" PRIx64, lull_cap_stage_name((int)s->stage), s->address);
        if (s->hash == 0) {
            lull_show_add(w, ", not in the capture\n");
        } else {
            lull_show_addf(w, ", %016" PRIx64 ", %" PRIu32 " instructions\n", s->hash, s->n);
            lull_show_shader(w, c, s);
        }
    }
}

/** The first indices of a draw that says how many there are. */
static void indices(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    const uint64_t from = d->index_address + (uint64_t)d->first * d->index_bytes;
    const uint64_t start = from & ~UINT64_C(3);
    if (d->index_bytes == 0 || d->indirect != 0 || d->vertices == 0) {
        return;
    }
    const struct lull_cap_words all = lull_cap_memory(c, start, INDICES_SHOWN + 1);
    const uint8_t *bytes = (const uint8_t *)all.words;
    lull_show_addf(w, "indices from 0x%" PRIx64 ":%s", from,
                   all.n == 0 ? " not in the capture" : "");
    uint32_t i = 0;
    for (; i < d->vertices && i < INDICES_SHOWN; i++) {
        const uint64_t at = from - start + (uint64_t)i * d->index_bytes;
        uint32_t v = 0;
        if (at + d->index_bytes > all.n * UINT64_C(4)) {
            break;
        }
        for (unsigned k = d->index_bytes; k-- > 0;) { // little-endian
            v = v << 8 | bytes[at + k];
        }
        lull_show_addf(w, " %" PRIu32, v);
    }
    lull_show_add(w, all.n != 0 && i < d->vertices ? " ...\n" : "\n");
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    const bool compute = d->kind == LULL_CAP_DISPATCH;
    lull_show_draw_line(w, c, d);
    lull_show_addf(w, "stream %" PRIu64 " of submit %" PRIu64, c->streams - 1, c->submit);
    if (c->process[0] != '\0') {
        lull_show_addf(w, " (%s)", c->process);
    }
    lull_show_add(w, ", ");
    lull_show_gpu(c, &w->text);
    lull_show_addf(w, ", draw state for %s\n", lull_cap_mode_name(c->s.mode));
    lull_show_params(w, c, d);
    indices(w, c, d);
    shaders(w, c, d);
    groups(w, c);
    lull_show_add(w, c->nloads != 0 ? "state loads\n" : "");
    for (unsigned i = 0; i < c->nloads; i++) {
        const struct lull_cap_load *l = &c->loads[i];
        if (l->of.what != LULL_LOAD_SHADER &&
            (l->stage < 0 ? !compute : (l->stage == LULL_CAP_CS) == compute)) {
            lull_show_load(w, c, l);
        }
    }
    tables(w, c, d);
    if (d->kind == LULL_CAP_DRAW || compute) {
        sets(w, c, d);
    }
    lull_show_addf(w,
                   "registers: %" PRIu32 " of %" PRIu32
                   " written since the draw before changed (!), the others not (+)\n",
                   d->changed, d->written);
    lull_cap_registers(c, true, reg, w);
}

void lull_show_detail_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    (void)w;
    v->draw = draw;
}
