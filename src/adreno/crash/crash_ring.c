// SPDX-License-Identifier: MIT
// Where the GPU was. CP_IB1_BASE and CP_IB2_BASE tell what the CP has fetched last; it fetches up
// to three buffers ahead if calls stand back to back, and the words that it has not yet done
// (CP_IB1_REM_SIZE and what is still in the ROQ) tell how far back to go.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/crash/crash_walk.h"
#include "cmd/adreno_pm4.h"

enum { LOOK_BACK = 12, AHEAD = 4, ROQ_SHIFT = 16 };

/** Calls that stand back to back: the last of them, oldest first. */
struct calls {
    unsigned n;
    struct call {
        uint64_t address;
        uint32_t dwords;
    } at[AHEAD];
};

static uint64_t reg(const struct lull_crash *k, const char *name, bool wide)
{
    uint32_t at = 0;
    return lull_dom_find(k->cff->index, name, &at)
               ? lull_cff_reg(k->cff, at, wide && k->cff->gen >= 5)
               : 0;
}

static bool is_call(const struct lull_crash *k, const uint32_t *words, struct lull_apkt p,
                    struct call *ret)
{
    const bool wide = k->cff->gen >= 5;
    if (p.type != LULL_APKT_OP || p.count < (wide ? 3u : 2u) ||
        (p.what != LULL_PKT_CP_INDIRECT_BUFFER && p.what != LULL_PKT_CP_INDIRECT_BUFFER_PFD)) {
        return false;
    }
    ret->address = words[1] | (wide ? (uint64_t)words[2] << 32 : 0);
    ret->dwords = words[wide ? 3 : 2];
    return true;
}

static bool is_header(unsigned gen, uint32_t word)
{
    const enum lull_apkt_type type = lull_apkt_header(gen, word).type;
    return gen < 5 || type == LULL_APKT_WRITE || type == LULL_APKT_OP;
}

/** Walk packets, keeping the calls, until the one of the buffer at @p base. */
static bool find_call(const struct lull_crash *k, const uint32_t *words, uint32_t n, uint64_t base,
                      struct calls *c)
{
    for (uint32_t at = 0; at < n;) {
        const struct lull_apkt p = lull_cff_header(k->cff, words[at]);
        if (p.type == LULL_APKT_BAD || p.type == LULL_APKT_NOP) {
            for (at++; at < n && !is_header(k->cff->gen, words[at]); at++) {
            }
            c->n = 0;
            continue;
        }
        if (p.count >= n - at) {
            return false;
        }
        struct call call = {0};
        if (is_call(k, words + at, p, &call)) {
            if (c->n == AHEAD) {
                memmove(c->at, c->at + 1, (AHEAD - 1) * sizeof c->at[0]);
                c->n--;
            }
            c->at[c->n++] = call;
            if (call.address == base) {
                return true;
            }
        } else {
            c->n = 0;
        }
        at += p.count + 1;
    }
    return false;
}

/** The call that the words not yet done begin in. */
static bool step_back(const struct calls *c, struct lull_cff_mark *m)
{
    uint32_t rem = m->rem;
    for (unsigned i = c->n; i-- > 0;) {
        if (c->at[i].dwords > rem) {
            *m = (struct lull_cff_mark){.base = c->at[i].address, .rem = rem, .found = true};
            return true;
        }
        rem -= c->at[i].dwords;
    }
    return false;
}

static void prefetch(struct lull_crash *k, const uint32_t *words, uint32_t n)
{
    struct lull_cff_mark *marks = k->cff->marks;
    struct calls ring = {0}, inner = {0};
    if (!find_call(k, words, n, marks[1].base, &ring)) {
        return;
    }
    if (marks[2].rem == 0) {
        (void)step_back(&ring, &marks[1]);
        return;
    }
    for (unsigned i = 0; i < ring.n; i++) {
        const struct lull_cff_words w =
            lull_cff_memory(k->cff, ring.at[i].address, ring.at[i].dwords);
        if (find_call(k, w.words, w.n, marks[2].base, &inner)) {
            if (step_back(&inner, &marks[2])) {
                marks[1] = (struct lull_cff_mark){
                    .base = ring.at[0].address, .rem = ring.at[0].dwords, .found = true};
            }
            return;
        }
    }
}

/** What the registers say of level @p n: what the ROQ has not yet fetched, and what is in it. */
static void level(struct lull_crash *k, unsigned n, const char *base, const char *size,
                  const char *roq)
{
    struct lull_crash_level *l = &k->seen.levels[n];
    *l = (struct lull_crash_level){.base = reg(k, base, true)};
    if (k->cff->gen >= 6) {
        l->size = (uint32_t)reg(k, size, false);
        l->roq = (uint32_t)reg(k, roq, false) >> ROQ_SHIFT;
    } else if (!k->like_mesa) {
        l->size = (uint32_t)reg(k, n == 1 ? "CP_IB1_BUFSZ" : "CP_IB2_BUFSZ", false);
    }
    k->cff->marks[n] =
        (struct lull_cff_mark){.base = l->base, .rem = l->size + (l->roq != 0 ? l->roq - 1 : 0)};
}

static void ring(struct lull_crash *k, const struct lull_crash_ring *r)
{
    const uint32_t size = (uint32_t)(r->bytes / 4);
    const uint32_t wptr = (uint32_t)(r->wptr % size);
    uint32_t from = (uint32_t)((r->rptr % size + size - LOOK_BACK % size) % size);
    lull_cff_say(k->cff, 1, "found ring!\n");
    k->seen.has_ring = true;
    for (unsigned i = 0; i < LOOK_BACK && !is_header(k->cff->gen, r->words[from]); i++) {
        from = (from + 1) % size;
    }
    uint32_t n = (wptr + size - from) % size;
    if (k->o.verbose) {
        from = 0;
        n = size;
    } else {
        lull_cff_say(k->cff, 1, "got cmdszdw=%" PRIu32 "\n", n);
    }
    uint32_t *words = calloc(n + 1ull, sizeof *words);
    if (words == NULL) {
        lull_crash_damage(k, "no memory for a ring of %" PRIu32 " dwords", n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        words[i] = r->words[(from + i) % size];
    }
    prefetch(k, words, n);
    k->cff->work_here = k->cff->work;
    // Mesa copies the part that is not yet done, and the copy has no address.
    const struct lull_cff_words w = {
        .words = words, .address = k->o.verbose ? r->iova : 0, .n = n, .nowhere = !k->o.verbose};
    lull_cff_commands(k->cff, w);
    if (!k->like_mesa) {
        lull_crash_find_place(k, words, n);
    }
    k->cff->work_here = UINT64_MAX;
    k->cff->idle = false;
    free(k->words);
    k->words = words;
    k->nwords = n;
}

void lull_crash_commands(struct lull_crash *k)
{
    struct lull_cff *c = k->cff;
    uint32_t status = 0;
    const uint64_t base = reg(k, "CP_RB_BASE", true);
    lull_cff_say(c, 1, "got rb_base=%" PRIx64 "\n", base);
    level(k, 1, "CP_IB1_BASE", "CP_IB1_REM_SIZE", "CP_ROQ_AVAIL_IB1");
    level(k, 2, "CP_IB2_BASE", "CP_IB2_REM_SIZE", "CP_ROQ_AVAIL_IB2");
    k->seen.rb_base = base;
    k->seen.has_status = lull_dom_find(c->index, "RBBM_STATUS", &status);
    k->seen.status = c->vals[status % LULL_CFF_REGS];
    uint32_t status3 = 0;
    if (lull_dom_find(c->index, "RBBM_STATUS3", &status3)) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, status3);
        uint64_t stalled = 0;
        k->seen.stalled = lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg,
                                         "SMMU_STALLED_ON_FAULT", c->vals[status3], &stalled) &&
                          stalled != 0;
    }
    uint32_t scratch = 0;
    k->seen.has_scratch = lull_dom_find(c->index, "CP_SCRATCH[0x6].REG", &scratch) &&
                          lull_cff_was_written(c, scratch) && lull_cff_was_written(c, scratch + 1);
    k->seen.scratch[0] = c->vals[scratch];
    k->seen.scratch[1] = c->vals[(scratch + 1) % LULL_CFF_REGS];
    for (unsigned i = 1; i <= 2; i++) {
        lull_cff_say(c, 1, "IB%u: %" PRIx64 ", %u\n", i, c->marks[i].base, c->marks[i].rem);
    }
    lull_cff_reset(c);
    FILE *out = c->out;
    if (k->commands != NULL) {
        lull_cff_flush(c);
        c->out = k->commands;
    }
    for (size_t i = 0; i < LULL_CRASH_RINGS; i++) {
        const struct lull_crash_ring *r = &k->rings[i];
        if (r->iova == base && r->words != NULL && r->bytes >= 4 && r->bytes / 4 <= UINT32_MAX) {
            ring(k, r);
        }
    }
    if (k->commands != NULL) {
        lull_cff_flush(c);
        c->out = out;
    }
}
