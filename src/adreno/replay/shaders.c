// SPDX-License-Identifier: MIT
#include "adreno/replay/shaders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/replay/walk.h"
#include "adreno/stream/load.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"
#include "isa/ir3/extent.h"

enum {
    DWORD = 4,
    PAGE = 4096,
    UNIT = 16, ///< Instructions that SP_xS_INSTRLEN counts as one.
    ANY_CHIP = 30,
    NO_REG = 63 * 4,
    MOST_SITES = 1 << 22,
    LOADS = 256,
};

const char *const lull_rp_stage_names[LULL_RP_STAGES] = {"VS", "HS", "DS", "GS", "FS", "CS"};

/** What a dword says. */
enum what {
    CTRL,
    START,
    START_HI,
    INSTRLEN,
    PARAM,
    PRIV,
    PRIV_HI,
    SIZE,
    STACK,
    WRITTEN, ///< Those before are registers.
    CONFIG = WRITTEN,
    NAMES,
    LOAD = NAMES, ///< The address in a packet that loads code ahead; two dwords.
};
static const char *const names[NAMES] = {[CTRL] = "CTRL_REG0",
                                         [START] = "OBJ_START",
                                         [INSTRLEN] = "INSTRLEN",
                                         [PARAM] = "PVT_MEM_PARAM",
                                         [PRIV] = "PVT_MEM_ADDR",
                                         [SIZE] = "PVT_MEM_SIZE",
                                         [STACK] = "PVT_MEM_HW_STACK_OFFSET",
                                         [CONFIG] = "CONFIG"};

/** Registers by name. */
struct regs {
    struct lull_dom_index *index;
    struct lull_dom_state dom;
    uint32_t at[LULL_RP_STAGES][NAMES]; ///< 0: there is none.
    uint32_t range;                     ///< Sizes of workgroups.
    uint32_t groups, pixels;            ///< Where their ids are.
    uint32_t first, last;               ///< Of `at`.
};

/** Who wrote a register. */
struct writer {
    size_t submit;
    uint64_t address; ///< Of the dword; 0: not from a packet that the capture has.
};

/** Code that is loaded ahead, or that runs, at an address of this submit. */
struct code_at {
    uint64_t code, address;
    size_t shader;
};

struct finder {
    struct lull_rp_shaders *to;
    const struct lull_rp_capture *c;
    struct regs regs;
    size_t submit;
    struct lull_error *err;
    struct writer writers[2][LULL_RP_STAGES][WRITTEN];
    bool dirty[2][LULL_RP_STAGES];
    size_t last[2][LULL_RP_STAGES]; ///< Number of the shader, plus 1; 0: none.
    struct code_at loads[LOADS], uses[LOADS];
    size_t nloads, nuses; ///< Of this submit; those that were longest ago are forgotten.
};

LULL_MUST_USE static struct lull_error *regs_of(unsigned gen, struct regs *ret)
{
    const struct lull_dom *doms[LULL_ADRENO_SPACES];
    const unsigned n = lull_adreno_spaces(gen, doms);
    struct lull_error *err =
        lull_dom_index_new(&lull_dom_adreno, gen, doms, n, LULL_AS_REGS, &ret->index);
    ret->dom.chip = gen;
    for (unsigned s = 0; err == NULL && s < LULL_RP_STAGES; s++) {
        for (unsigned i = 0; i < NAMES; i++) {
            char name[64] = "";
            (void)snprintf(name, sizeof name, "SP_%s_%s", lull_rp_stage_names[s],
                           names[i] != NULL ? names[i] : "");
            if (names[i] == NULL) {
                ret->at[s][i] = ret->at[s][i - 1] + 1; // The upper half.
            } else if (!lull_dom_find(ret->index, name, &ret->at[s][i])) {
                ret->at[s][i] = 0;
            }
            const uint32_t at = ret->at[s][i];
            ret->first = at != 0 && (ret->first == 0 || at < ret->first) ? at : ret->first;
            ret->last = at > ret->last ? at : ret->last;
        }
    }
    if (err == NULL && !lull_dom_find(ret->index, "HLSQ_CS_NDRANGE_0", &ret->range)) {
        ret->range = 0;
    }
    if (err == NULL && !lull_dom_find(ret->index, "HLSQ_CS_CNTL_0", &ret->groups)) {
        ret->groups = 0;
    }
    if (err == NULL && !lull_dom_find(ret->index, "HLSQ_CONTROL_4_REG", &ret->pixels)) {
        ret->pixels = 0;
    }
    return err;
}

/** Field @p name of the register @p reg; 0: it has none. */
static uint64_t field(const struct regs *r, uint32_t reg, const char *name, uint32_t value)
{
    const struct lull_dom_hit hit = lull_dom_lookup(r->index, reg);
    uint64_t ret = 0;
    if (reg == 0 || hit.reg == NULL ||
        !lull_dom_field(&lull_dom_adreno, &r->dom, hit.reg, name, value, &ret)) {
        return 0;
    }
    return ret;
}

/* The walk. */

/** Where value @p i of a write stands in memory; 0: nowhere. */
static uint64_t place_of(const struct lull_as_event *e, uint32_t i)
{
    const struct lull_as_packet *p = e->packet;
    if (p == NULL || p->nowhere || p->words == NULL) {
        return 0;
    }
    if (e->u.write.values == p->words + 1) {
        return p->address + DWORD * (1 + (uint64_t)i);
    }
    for (uint32_t k = 1; k + 1 < p->n; k++) { // Registers, each with its value behind it.
        if (p->words[k] == e->u.write.reg + i && p->words[k + 1] == e->u.write.values[i]) {
            return p->address + DWORD * ((uint64_t)k + 1);
        }
    }
    return 0;
}

static void written(struct finder *f, unsigned pipes, const struct lull_as_event *e)
{
    const uint32_t reg = e->u.write.reg, n = e->u.write.n;
    if (reg > f->regs.last || reg + n <= f->regs.first) {
        return;
    }
    for (unsigned s = 0; s < LULL_RP_STAGES; s++) {
        for (unsigned i = 0; i < NAMES; i++) {
            const uint32_t at = f->regs.at[s][i];
            for (unsigned pipe = 0; pipe < 2; pipe++) {
                if (at == 0 || at < reg || at - reg >= n || (pipes >> pipe & 1) == 0) {
                    continue;
                }
                f->dirty[pipe][s] = true;
                if (i < WRITTEN) {
                    f->writers[pipe][s][i] =
                        (struct writer){f->submit, e->u.write.known ? place_of(e, at - reg) : 0};
                }
            }
        }
    }
}

static void loaded(struct finder *f, const struct lull_as_event *e)
{
    const struct lull_as_load *l = e->u.load;
    const struct lull_as_packet *p = e->packet;
    const uint64_t at = l->address & ~UINT64_C(3);
    if (at == 0 || p->nowhere ||
        lull_load_what(f->to->gen, l->block, l->type) != LULL_LOAD_SHADER) {
        return;
    }
    for (uint32_t k = 1; k + 1 < p->n; k++) {
        if ((p->words[k] & ~3u) == (uint32_t)at && p->words[k + 1] == (uint32_t)(at >> 32)) {
            f->loads[f->nloads++ % LOADS] =
                (struct code_at){.code = at, .address = p->address + DWORD * (uint64_t)k};
            return;
        }
    }
}

static void add_site(struct finder *f, size_t shader, const struct writer *w, unsigned what)
{
    struct lull_rp_shaders *s = f->to;
    if (f->err == NULL && s->nsites == s->sites_room) {
        const size_t room = s->sites_room != 0 ? 2 * s->sites_room : 64;
        struct lull_rp_site *grown =
            room <= MOST_SITES ? realloc(s->sites, room * sizeof *grown) : NULL;
        if (grown == NULL) {
            f->err = room <= MOST_SITES
                         ? &lull_enomem
                         : lull_error_new(LULL_ERR_UNSUPPORTED,
                                          "more than %d dwords are about shaders", MOST_SITES);
            return;
        }
        s->sites = grown;
        s->sites_room = room;
    }
    if (f->err == NULL) {
        s->sites[s->nsites++] = (struct lull_rp_site){
            .shader = shader, .submit = w->submit, .address = w->address, .what = (uint8_t)what};
    }
}

/** The code at @p address. @return Its number, plus 1; 0: none. */
static size_t shader_at(struct finder *f, enum lull_rp_stage stage, uint64_t address)
{
    struct lull_rp_shaders *to = f->to;
    const struct lull_rp_submit *s = &f->c->submits[f->submit];
    const struct lull_rp_buffer *b = lull_rp_buffer_at(s, address);
    if (b == NULL || address - b->address >= b->held || (address - b->address) % DWORD != 0) {
        return 0;
    }
    const uint32_t *words = (const uint32_t *)(const void *)(b->data + (address - b->address));
    const uint32_t held = (uint32_t)(b->held - (address - b->address)) / DWORD;
    const uint32_t n = lull_ir3_extent(to->gen * 100 + ANY_CHIP, words, held);
    const uint64_t hash = lull_ir3_hash(words, 2 * n);
    for (size_t i = 0; i < to->n; i++) {
        if (to->all[i].hash == hash && to->all[i].stage == stage) {
            return i + 1;
        }
    }
    struct lull_rp_shader *grown = realloc(to->all, (to->n + 1) * sizeof *grown);
    uint64_t *copy = calloc((size_t)n + 1, sizeof *copy);
    to->all = grown != NULL ? grown : to->all;
    if (grown == NULL || copy == NULL) {
        free(copy);
        f->err = &lull_enomem;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        copy[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    }
    to->all[to->n++] = (struct lull_rp_shader){
        .hash = hash, .stage = stage, .words = copy, .n = n, .can_spill = true};
    return to->n;
}

/** The register that field @p name of @p reg has, plus 1; 0: none. */
static unsigned input(const struct finder *f, const uint32_t *v, uint32_t reg, const char *name)
{
    const uint64_t n = reg != 0 && v[reg] != 0 ? field(&f->regs, reg, name, v[reg]) : NO_REG;
    return n != NO_REG ? (unsigned)n + 1 : 0;
}

static uint32_t at_least(uint32_t a, uint64_t b)
{
    return a > b ? a : (uint32_t)b;
}

/** The shader's needs, and the dwords that say them. */
static void use(struct finder *f, const uint32_t *v, unsigned pipe, unsigned stage)
{
    const uint32_t *at = f->regs.at[stage];
    const uint64_t address = v[at[START]] | (uint64_t)v[at[START_HI]] << 32;
    const size_t found = shader_at(f, (enum lull_rp_stage)stage, address);
    f->dirty[pipe][stage] = false;
    f->last[pipe][stage] = found;
    if (found == 0) {
        return;
    }
    struct lull_rp_shader *s = &f->to->all[found - 1];
    const uint32_t ctrl = v[at[CTRL]];
    const uint64_t priv = field(&f->regs, at[PARAM], "MEMSIZEPERITEM", v[at[PARAM]]);
    s->registers = at_least(s->registers, field(&f->regs, at[CTRL], "FULLREGFOOTPRINT", ctrl));
    s->wide = s->wide || field(&f->regs, at[CTRL], "THREADSIZE", ctrl) != 0;
    s->private_bytes = priv > s->private_bytes ? priv : s->private_bytes;
    for (unsigned i = 0; i < WRITTEN; i++) {
        const struct writer *w = &f->writers[pipe][stage][i];
        s->can_spill = s->can_spill && (w->address != 0 || i < PARAM || i > SIZE);
        if (w->address != 0 || i == START || i == CTRL || i == INSTRLEN) {
            add_site(f, found - 1, w, i);
        }
    }
    f->uses[f->nuses++ % LOADS] = (struct code_at){.code = address, .shader = found - 1};
}

static void drawn(struct finder *f, const struct lull_astream *s, const struct lull_as_draw *d)
{
    if (d->kind != LULL_AS_DRAW && d->kind != LULL_AS_DISPATCH) {
        return;
    }
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        const uint32_t *v = s->regs[pipe].v;
        for (unsigned i = 0; (s->pipes >> pipe & 1) != 0 && i < LULL_RP_STAGES; i++) {
            const uint32_t *at = f->regs.at[i];
            if ((i == LULL_RP_CS) != (d->kind == LULL_AS_DISPATCH) || at[START] == 0 ||
                (i != LULL_RP_CS && field(&f->regs, at[CONFIG], "ENABLED", v[at[CONFIG]]) == 0)) {
                continue;
            }
            if (f->dirty[pipe][i]) {
                use(f, v, pipe, i);
            }
            if (f->last[pipe][i] == 0) {
                continue;
            }
            struct lull_rp_shader *shader = &f->to->all[f->last[pipe][i] - 1];
            shader->draws++;
            if (i == LULL_RP_FS) {
                shader->pixel_reg = input(f, v, f->regs.pixels, "XYCOORDREGID");
            } else if (i == LULL_RP_CS) {
                shader->group_reg = input(f, v, f->regs.groups, "WGIDCONSTID");
            }
            if (i == LULL_RP_CS) {
                const uint32_t r = f->regs.range;
                const uint64_t x = field(&f->regs, r, "LOCALSIZEX", v[r]) + 1,
                               y = field(&f->regs, r, "LOCALSIZEY", v[r]) + 1,
                               z = field(&f->regs, r, "LOCALSIZEZ", v[r]) + 1;
                shader->fibers = at_least(shader->fibers, x * y * z);
            }
        }
    }
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct finder *f = ctx;
    if (e->what == LULL_AS_WRITES) {
        written(f, s->pipes, e);
    } else if (e->what == LULL_AS_LOADS) {
        loaded(f, e);
    } else if (e->what == LULL_AS_DRAWS) {
        drawn(f, s, e->u.draw);
    }
    s->stop = s->stop || f->err != NULL;
}

/** Loads of what this submit has run. */
static void match(struct finder *f)
{
    for (size_t i = 0; i < f->nloads && i < LOADS; i++) {
        for (size_t k = 0; k < f->nuses && k < LOADS; k++) {
            if (f->loads[i].code == f->uses[k].code) {
                const struct writer w = {f->submit, f->loads[i].address};
                add_site(f, f->uses[k].shader, &w, LOAD);
            }
        }
    }
    f->nloads = f->nuses = 0;
    memset(f->dirty, true, sizeof f->dirty); // Memory may be other memory in the next one.
}

static int by_place(const void *a, const void *b)
{
    const struct lull_rp_site *x = a, *y = b;
    if (x->shader != y->shader) {
        return x->shader < y->shader ? -1 : 1;
    }
    if (x->submit != y->submit) {
        return x->submit < y->submit ? -1 : 1;
    }
    if (x->address != y->address) {
        return x->address < y->address ? -1 : 1;
    }
    return (x->what > y->what) - (x->what < y->what);
}

/** Each once. */
static void unite(struct lull_rp_shaders *s)
{
    size_t n = 0;
    if (s->nsites != 0) {
        qsort(s->sites, s->nsites, sizeof *s->sites, by_place);
    }
    for (size_t i = 0; i < s->nsites; i++) {
        if (n == 0 || by_place(&s->sites[n - 1], &s->sites[i]) != 0) {
            s->sites[n++] = s->sites[i];
        }
    }
    s->nsites = n;
}

struct lull_error *lull_rp_shaders_find(struct lull_rp_shaders *s, const struct lull_rp_capture *c,
                                        unsigned gen)
{
    struct lull_rp_walk *w = NULL;
    struct finder *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return &lull_enomem;
    }
    f->to = s;
    f->c = c;
    s->gen = gen;
    const struct lull_rp_visitor v = {f, did};
    struct lull_error *err = regs_of(gen, &f->regs);
    err = err != NULL ? err : lull_rp_walk_new(gen, &w);
    for (f->submit = 0; err == NULL && f->err == NULL && f->submit < c->nsubmits; f->submit++) {
        (void)lull_rp_walk_submit(w, &c->submits[f->submit], &v);
        match(f);
    }
    err = err != NULL ? err : f->err;
    unite(s);
    lull_rp_walk_free(w);
    lull_dom_index_free(f->regs.index);
    free(f);
    return err;
}

void lull_rp_shaders_done(struct lull_rp_shaders *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->all[i].words);
    }
    free(s->all);
    free(s->sites);
    *s = (struct lull_rp_shaders){0};
}

/* Other code. */

/** Field @p name of *word, of the register @p reg, becomes @p to. */
LULL_MUST_USE static struct lull_error *set(const struct regs *r, uint32_t reg, const char *name,
                                            uint64_t to, uint32_t *word)
{
    const struct lull_dom_hit hit = lull_dom_lookup(r->index, reg);
    uint64_t value = *word;
    if (hit.reg == NULL ||
        !lull_dom_field_set(&lull_dom_adreno, &r->dom, hit.reg, name, to, &value)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s of %s cannot be %" PRIu64, name,
                              hit.reg != NULL ? hit.reg->name : "a register", to);
    }
    *word = (uint32_t)value;
    return NULL;
}

/** What register @p what is then. */
LULL_MUST_USE static struct lull_error *change(const struct regs *r, const uint32_t *at,
                                               unsigned what, const struct lull_rp_code *code,
                                               uint32_t *word)
{
    const uint64_t units = (code->n + UNIT - 1) / UNIT;
    const uint64_t full = field(r, at[CTRL], "FULLREGFOOTPRINT", *word);
    const uint64_t branches = field(r, at[CTRL], "BRANCHSTACK", *word);
    const bool priv = code->fiber_bytes != 0;
    switch (what) {
    case CTRL: {
        struct lull_error *err = set(r, at[CTRL], "FULLREGFOOTPRINT",
                                     full > code->registers ? full : code->registers, word);
        return err != NULL ? err : set(r, at[CTRL], "BRANCHSTACK", branches + code->branches, word);
    }
    case START:
    case START_HI:
        *word = (uint32_t)(code->address >> (what == START ? 0 : 32));
        return NULL;
    case INSTRLEN:
        *word = (uint32_t)units;
        return NULL;
    case PARAM:
        return priv ? set(r, at[PARAM], "MEMSIZEPERITEM", code->fiber_bytes, word) : NULL;
    case PRIV:
    case PRIV_HI:
        *word = priv ? (uint32_t)(code->priv >> (what == PRIV ? 0 : 32)) : *word;
        return NULL;
    case SIZE:
        return priv ? set(r, at[SIZE], "TOTALPVTMEMSIZE", code->sp_bytes, word) : NULL;
    default:
        return priv ? set(r, at[STACK], "OFFSET", code->sp_bytes, word) : NULL;
    }
}

/** The dword at @p site. */
LULL_MUST_USE static struct lull_error *rewrite(const struct regs *r,
                                                const struct lull_rp_site *site,
                                                enum lull_rp_stage stage,
                                                const struct lull_rp_code *code,
                                                struct lull_rp_submit *s)
{
    const struct lull_rp_buffer *b = lull_rp_buffer_at(s, site->address);
    const uint64_t at = b != NULL ? site->address - b->address : 0;
    uint32_t words[2] = {(uint32_t)code->address, (uint32_t)(code->address >> 32)};
    if (site->address == 0 || b == NULL || at + DWORD > b->held) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "submit %" PRIu64 ": SP_%s_%s is not set by a packet of the capture",
                              s->number, lull_rp_stage_names[stage],
                              site->what < NAMES && names[site->what] != NULL ? names[site->what]
                                                                              : "OBJ_START");
    }
    if (site->what == LOAD) {
        uint32_t old = 0;
        memcpy(&old, b->data + at, sizeof old);
        words[0] |= old & 3;
        lull_rp_submit_patch(s, site->address, words, 2 * DWORD);
        return NULL;
    }
    memcpy(words, b->data + at, DWORD);
    struct lull_error *err = change(r, r->at[stage], site->what, code, words);
    if (err == NULL) {
        lull_rp_submit_patch(s, site->address, words, DWORD);
    }
    return err;
}

struct lull_error *lull_rp_shaders_replace(const struct lull_rp_shaders *s,
                                           struct lull_rp_capture *c, size_t which,
                                           const struct lull_rp_code *code)
{
    struct regs r = {0};
    struct lull_error *err = regs_of(s->gen, &r);
    for (size_t i = 0; err == NULL && i < s->nsites; i++) {
        if (s->sites[i].shader == which) {
            err = rewrite(&r, &s->sites[i], s->all[which].stage, code,
                          &c->submits[s->sites[i].submit]);
        }
    }
    lull_dom_index_free(r.index);
    return err;
}

static int by_address(const void *a, const void *b)
{
    const struct lull_rp_buffer *x = *(const struct lull_rp_buffer *const *)a;
    const struct lull_rp_buffer *y = *(const struct lull_rp_buffer *const *)b;
    return (x->address > y->address) - (x->address < y->address);
}

/** From @p at on, without a border of 4 GiB between its begin and its end. */
static uint64_t whole(uint64_t at, uint64_t bytes)
{
    at = (at + PAGE - 1) / PAGE * PAGE;
    return at >> 32 == (at + bytes - 1) >> 32 ? at : ((at >> 32) + 1) << 32;
}

struct lull_error *lull_rp_capture_hole(const struct lull_rp_capture *c, uint64_t bytes,
                                        uint64_t *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < c->nsubmits; i++) {
        n += c->submits[i].nbuffers;
    }
    const struct lull_rp_buffer **all = calloc(n + 1, sizeof(struct lull_rp_buffer *));
    uint64_t at = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    n = 0;
    for (size_t i = 0; i < c->nsubmits; i++) {
        for (size_t k = 0; k < c->submits[i].nbuffers; k++) {
            all[n++] = &c->submits[i].buffers[k];
        }
    }
    if (n != 0) {
        qsort(all, n, sizeof(struct lull_rp_buffer *), by_address);
        at = all[0]->address;
    }
    for (size_t i = 0; i < n && all[i]->address < at + bytes + PAGE; i++) {
        const uint64_t end = all[i]->address + all[i]->size + PAGE;
        at = end > at ? whole(end, bytes) : at;
    }
    free(all);
    *ret = at;
    return NULL;
}

struct lull_error *lull_rp_capture_add(struct lull_rp_capture *c, const struct lull_rp_buffer *b)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < c->nsubmits; i++) {
        err = lull_rp_submit_add(&c->submits[i], b);
    }
    return err;
}
