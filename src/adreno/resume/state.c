// SPDX-License-Identifier: MIT
// What the command stream had set when the GPU was in a packet. The engine goes through the ring
// once more, as it did to find the place, and stops in front of that packet; the registers of the
// dump fill in what the stream has not set since the oldest packet of the ring that is known.
#include <stdlib.h>
#include <string.h>

#include "adreno/resume/parts.h"
#include "adreno/stream/load.h"
#include "hw/adreno_pkts.h"

enum { WORK = 1 << 24, MOST_PACKETS = LULL_RESUME_PLACES / 2, LOAD_DWORDS = 4 };

/** Packets that set what is in no register. What draws, waits, or writes memory is not among them.
 */
static const struct kept {
    const char *name;
    bool keyed; ///< The first dword of the payload says what of it.
    bool loads; ///< Of a set of descriptors the second dword does, too.
} kept[] = {
    {"CP_SET_MARKER", .keyed = true},
    {"CP_SET_MODE", .keyed = false},
    {"CP_LOAD_STATE6", .keyed = true, .loads = true},
    {"CP_LOAD_STATE6_GEOM", .keyed = true, .loads = true},
    {"CP_LOAD_STATE6_FRAG", .keyed = true, .loads = true},
    {"CP_SET_BIN_DATA5", .keyed = false},
    {"CP_SET_BIN_DATA5_OFFSET", .keyed = false},
    {"CP_SET_VISIBILITY_OVERRIDE", .keyed = false},
    {"CP_SKIP_IB2_ENABLE_GLOBAL", .keyed = false},
    {"CP_SKIP_IB2_ENABLE_LOCAL", .keyed = false},
    {"CP_SET_SUBDRAW_SIZE", .keyed = false},
    {"CP_SET_PSEUDO_REG", .keyed = true},
    {"CP_DRAW_PRED_ENABLE_GLOBAL", .keyed = false},
    {"CP_DRAW_PRED_ENABLE_LOCAL", .keyed = false},
    {"CP_DRAW_PRED_SET", .keyed = false},
    {"CP_MEM_TO_SCRATCH_MEM", .keyed = true},
};

static const struct kept *is_kept(const char *name)
{
    for (size_t i = 0; name != NULL && i < sizeof kept / sizeof kept[0]; i++) {
        if (strcmp(name, kept[i].name) == 0) {
            return &kept[i];
        }
    }
    return NULL;
}

static uint64_t key_of(const struct lull_resume_state *st, const struct kept *k,
                       const struct lull_as_packet *p)
{
    const uint64_t first = k->keyed && p->n > 1 ? p->words[1] : 0;
    if (!k->loads || p->n < LOAD_DWORDS) {
        return first;
    }
    const struct lull_apkt_args args = lull_as_args(st->s.gen, p);
    const bool bindless = lull_cp_load_state6__state_src(&args) == LULL_LOAD_BINDLESS;
    return first | (bindless ? (uint64_t)p->words[2] << 32 : 0);
}

/** The place of the packet that sets the same, or a free one; NULL: there are too many. */
static struct lull_resume_packet *place_of(struct lull_resume_state *st, uint32_t what,
                                           uint64_t key)
{
    const uint64_t hash = (key ^ (uint64_t)what << 56) * 0x9e3779b97f4a7c15u;
    for (size_t i = hash >> 51;; i = (i + 1) % LULL_RESUME_PLACES) {
        struct lull_resume_packet *at = &st->packets[i];
        if (at->words == NULL) {
            return st->npackets < MOST_PACKETS ? at : NULL;
        }
        if (at->what == what && at->key == key) {
            return at;
        }
    }
}

/** Keep a copy, in place of the one that set the same. */
static void keep(struct lull_resume_state *st, const struct lull_as_packet *p)
{
    const struct kept *k = is_kept(p->name);
    if (k == NULL || p->n < p->said || st->err != NULL) {
        return;
    }
    st->packets =
        st->packets != NULL ? st->packets : calloc(LULL_RESUME_PLACES, sizeof *st->packets);
    uint32_t *words = malloc(p->n * sizeof *words);
    if (st->packets == NULL || words == NULL) {
        free(words);
        st->err = &lull_enomem;
        return;
    }
    const uint64_t key = key_of(st, k, p);
    struct lull_resume_packet *at = place_of(st, p->what, key);
    if (at == NULL) {
        free(words);
        st->full = true;
        return;
    }
    st->npackets += at->words == NULL;
    free(at->words);
    memcpy(words, p->words, p->n * sizeof *words);
    *at = (struct lull_resume_packet){
        .what = p->what, .key = key, .order = st->steps, .n = p->n, .words = words};
}

/** A packet says so of group @p id: the dwords that did. */
static void group(struct lull_resume_state *st, const struct lull_as_event *e)
{
    const struct lull_as_packet *p = e->packet;
    const uint32_t at = 1 + LULL_RESUME_GROUP_DWORDS * st->triple++;
    if (p != NULL && at + LULL_RESUME_GROUP_DWORDS <= p->n) {
        memcpy(st->groups[e->u.group.id % LULL_AS_GROUPS], p->words + at, sizeof st->groups[0]);
    }
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct lull_resume_state *st = ctx;
    st->steps += lull_crash_is_step(e);
    if (e->what == LULL_AS_MET) {
        st->triple = 0;
        if (!e->packet->dead && s->level != 0) {
            keep(st, e->packet);
        }
    } else if (e->what == LULL_AS_GROUPS_TOLD && e->u.group.what != LULL_AS_GROUP_LEFT_OUT) {
        group(st, e);
    }
}

static struct lull_as_words reads(void *ctx, uint64_t address, uint32_t n)
{
    const struct lull_resume_state *st = ctx;
    const struct lull_cff_words w = lull_cff_memory(st->k->cff, address, n);
    return (struct lull_as_words){w.words, w.address, w.n, w.nowhere};
}

/** Is the next thing that the engine does to begin a packet that is executed? */
static bool begins(const struct lull_astream *s)
{
    const struct lull_as_frame *f = s->nframes != 0 ? &s->frames[s->nframes - 1] : NULL;
    return f != NULL && !f->waits && f->next < f->n &&
           (f->next >= f->dead_to ||
            lull_apkt_header(s->gen, f->words[f->next]).type == LULL_APKT_BAD);
}

/** How many steps are before the packet that the GPU was in. */
static uint64_t steps_before(const struct lull_page *p)
{
    const struct lull_crash_moment *m = p->m;
    const struct lull_crash_step *s = NULL;
    uint64_t back = m->has_in ? m->in_back : 0;
    for (uint64_t i = 0; !m->has_in && (s = lull_crash_step_back(m, i)) != NULL; i++) {
        if (s->address == m->at.address && s->ib == m->at.ib) {
            back = i;
            break;
        }
    }
    return m->nsteps > back ? m->nsteps - 1 - back : 0;
}

struct lull_error *lull_resume_state_find(struct lull_resume_state *st, const struct lull_page *p)
{
    st->k = p->k;
    st->s.mode = LULL_AS_ANY_MODE;
    st->s.memory = (struct lull_as_memory){.ctx = st, .read = reads};
    st->s.sink = (struct lull_as_sink){.ctx = st, .did = did};
    lull_astream_set_gpu(&st->s, p->k->cff->gen);
    const uint64_t wanted = steps_before(p);
    const struct lull_as_words w = {.words = p->k->words, .n = p->k->nwords, .nowhere = true};
    bool more = lull_astream_start(&st->s, w, WORK);
    while (more && st->err == NULL && !(st->steps >= wanted && begins(&st->s))) {
        more = lull_astream_step(&st->s);
    }
    if (st->err == NULL && (!more || st->steps != wanted)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the packet that the GPU was in is not found again in the ring");
    }
    struct lull_error *err = st->err;
    st->err = NULL;
    return err;
}

static bool known(const struct lull_resume_state *st, uint32_t reg)
{
    return (st->s.regs[0].known[reg / 64] >> reg % 64 & 1) != 0;
}

/** Those that programs' streams set. The rest is the kernel's, or tells what the GPU does. */
static bool is_programs(const struct lull_crash *k, uint32_t reg)
{
    const struct lull_dom_hit hit = lull_dom_lookup(k->cff->index, reg);
    return reg >= LULL_A6XX_GRAS_CL_CNTL ||
           (hit.reg != NULL && hit.reg->usage != LULL_DOM_USE_NONE) ||
           (reg >= LULL_A6XX_CP_SCRATCH_REG && reg < LULL_A6XX_CP_SCRATCH_REG + 8);
}

static void add(struct lull_resume_state *st, const struct lull_store_reg *r)
{
    if (r->offset < LULL_AS_REGS && !known(st, r->offset) && is_programs(st->k, r->offset)) {
        st->s.regs[0].v[r->offset] = r->value;
        st->s.regs[0].known[r->offset / 64] |= UINT64_C(1) << r->offset % 64;
        st->from_dump++;
    }
}

/** How many registers of the blocks of context @p name have what the stream had set. */
static uint32_t same(const struct lull_resume_state *st, const char *name, uint32_t *ret_of)
{
    const struct lull_store *store = st->k->store;
    uint32_t n = 0;
    *ret_of = 0;
    for (size_t i = 0; i < store->nblocks; i++) {
        const struct lull_store_block *b = &store->blocks[i];
        for (size_t j = 0;
             b->kind == LULL_STORE_CLUSTER && strcmp(b->context, name) == 0 && j < b->nregs; j++) {
            const struct lull_store_reg *r = &store->regs[b->first_reg + j];
            const bool both = r->offset < LULL_AS_REGS && known(st, r->offset);
            *ret_of += both;
            n += both && st->s.regs[0].v[r->offset] == r->value;
        }
    }
    return n;
}

/** Of the contexts the one that is most like what the stream had set, the first if all are alike:
 * draws are set up in one while another is drawn. */
static void choose(struct lull_resume_state *st)
{
    const struct lull_store *store = st->k->store;
    for (size_t i = 0; i < store->nblocks; i++) {
        const struct lull_store_block *b = &store->blocks[i];
        uint32_t of = 0;
        if (b->kind != LULL_STORE_CLUSTER || b->nregs == 0 ||
            (st->context != NULL && strcmp(st->context, b->context) == 0)) {
            continue;
        }
        const uint32_t n = same(st, b->context, &of);
        if (st->context == NULL || n > st->context_same) {
            st->context = b->context;
            st->context_same = n;
            st->context_regs = of;
        }
    }
}

void lull_resume_state_add_dump(struct lull_resume_state *st)
{
    const struct lull_store *store = st->k->store;
    for (uint32_t i = 0; i < LULL_AS_REGS / 64; i++) {
        st->from_stream += (uint32_t)__builtin_popcountll(st->s.regs[0].known[i]);
    }
    choose(st);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < store->nblocks; i++) {
            const struct lull_store_block *b = &store->blocks[i];
            const bool wanted = pass == 0 ? b->kind == LULL_STORE_CLUSTER && st->context != NULL &&
                                                strcmp(b->context, st->context) == 0
                                          : strcmp(b->section, "registers") == 0;
            for (size_t j = 0; wanted && j < b->nregs; j++) {
                add(st, &store->regs[b->first_reg + j]);
            }
        }
    }
}

void lull_resume_state_done(struct lull_resume_state *st)
{
    for (size_t i = 0; st->packets != NULL && i < LULL_RESUME_PLACES; i++) {
        free(st->packets[i].words);
    }
    free(st->packets);
    st->packets = NULL;
    st->npackets = 0;
}
