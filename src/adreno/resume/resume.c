// SPDX-License-Identifier: MIT
#include "adreno/resume/resume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/resume/parts.h"
#include "base/cleanup.h"
#include "cmd/adreno_build.h"
#include "hw/adreno_pkts.h"

enum { PAGE = 4096, CALL_DWORDS = 4, FIRST_GEN = 6, ADDRESS_BITS = 48 };

void lull_resume_done(struct lull_resumed *r)
{
    lull_rp_submit_done(&r->submit);
    lull_str_free(&r->page);
    lull_str_free(&r->firmware);
    lull_str_free(&r->missing);
    free(r->absent);
    *r = (struct lull_resumed){0};
}

/** Those with contents; the ring is the kernel's. */
LULL_MUST_USE static struct lull_error *buffers(struct lull_resumed *r, const struct lull_page *p)
{
    const struct lull_store *store = p->k->store;
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < store->nbos; i++) {
        const struct lull_store_bo *b = &store->bos[i];
        const struct lull_cff_bo *in = b->has_data ? lull_cff_bo_at(p->k->cff, b->iova) : NULL;
        if (in != NULL && in->held != 0 && in->held <= UINT32_MAX && b->size <= UINT32_MAX) {
            const struct lull_rp_buffer one = {.address = in->address,
                                               .size = (uint32_t)b->size,
                                               .held = (uint32_t)in->held,
                                               .data = in->data};
            err = lull_rp_submit_add(&r->submit, &one);
        }
    }
    return err;
}

/** The buffers that are run, outermost first, and where in them. A loop over buffers, or groups of
 * draw state, begin again at their packet. */
LULL_MUST_USE static struct lull_error *levels(struct lull_resumed *r, const struct lull_astream *s)
{
    for (unsigned i = 1; i < s->nframes; i++) {
        const struct lull_as_frame *f = &s->frames[i];
        if (f->kind == LULL_AS_LOOP_CALLS) {
            continue;
        }
        if (f->kind != LULL_AS_IB) {
            if (r->nlevels != 0) {
                struct lull_resume_level *l = &r->levels[r->nlevels - 1];
                const uint64_t at = s->frames[i - 1].packet.address - l->base;
                l->next = at / 4 < l->next ? (uint32_t)(at / 4) : l->next;
            }
            break;
        }
        if (r->nlevels == LULL_RESUME_LEVELS) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "more than %d buffers in buffers",
                                  LULL_RESUME_LEVELS);
        }
        r->levels[r->nlevels++] =
            (struct lull_resume_level){.base = f->address, .dwords = f->dwords, .next = f->next};
    }
    if (r->nlevels == 0) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the GPU was in packets of the ring, which are the kernel's");
    }
    return NULL;
}

/** A page that is in no buffer, behind the last one. */
static uint64_t free_page(const struct lull_page *p)
{
    const struct lull_store *store = p->k->store;
    uint64_t end = PAGE;
    for (size_t i = 0; i < store->nbos; i++) {
        const uint64_t to = store->bos[i].iova + store->bos[i].size;
        end = store->bos[i].iova >> ADDRESS_BITS == 0 && to > end ? to : end;
    }
    return (end + 2ull * PAGE - 1) / PAGE * PAGE;
}

static void call(struct lull_abuild *b, uint64_t base, uint32_t dwords)
{
    uint32_t *w = lull_abuild_packet(b, "CP_INDIRECT_BUFFER", CALL_DWORDS - 1, NULL);
    if (w != NULL) {
        w[0] = (uint32_t)base;
        w[1] = (uint32_t)(base >> 32);
        w[2] = dwords;
    }
}

static uint64_t rest_at(const struct lull_resume_level *l)
{
    return l->base + l->next * 4ull;
}

static uint32_t left(const struct lull_resume_level *l)
{
    return l->next < l->dwords ? l->dwords - l->next : 0;
}

/** Block @p i runs in level i, behind the state if that is 0: it calls the block of the next level,
 * if more levels are below that, and then what is left of the next level. */
static uint32_t block_dwords(const struct lull_resumed *r, unsigned i)
{
    return i + 1 < r->nlevels
               ? CALL_DWORDS * ((i + 2 < r->nlevels) + (left(&r->levels[i + 1]) != 0))
               : 0;
}

/** The blocks, one behind the other, the first at @p at. */
static void blocks(const struct lull_resumed *r, uint64_t at, struct lull_abuild *b)
{
    for (unsigned i = 0; i + 1 < r->nlevels; i++) {
        const struct lull_resume_level *next = &r->levels[i + 1];
        if (i + 2 < r->nlevels) {
            call(b, at + (b->n + block_dwords(r, i)) * 4, block_dwords(r, i + 1));
        }
        if (left(next) != 0) {
            call(b, rest_at(next), left(next));
        }
    }
}

LULL_MUST_USE static struct lull_error *add_stream(struct lull_resumed *r, uint64_t address,
                                                   uint32_t dwords)
{
    const struct lull_rp_stream s = {
        .number = r->submit.nstreams, .address = address, .dwords = dwords};
    return dwords != 0 ? lull_rp_submit_add_stream(&r->submit, &s) : NULL;
}

/** What the ring calls besides, until it is another submit's. */
LULL_MUST_USE static struct lull_error *rest_of_ring(struct lull_resumed *r,
                                                     const struct lull_astream *s)
{
    const struct lull_as_frame *f = &s->frames[0];
    struct lull_error *err = NULL;
    for (uint32_t at = f->next; err == NULL && at < f->n;) {
        const struct lull_apkt p = lull_apkt_header(s->gen, f->words[at]);
        const uint32_t *w = f->words + at;
        const bool whole = p.count < f->n - at;
        const bool calls =
            p.type == LULL_APKT_OP && p.count >= CALL_DWORDS - 1 &&
            (p.what == LULL_PKT_CP_INDIRECT_BUFFER || p.what == LULL_PKT_CP_INDIRECT_BUFFER_PFD ||
             p.what == LULL_PKT_CP_INDIRECT_BUFFER_PFE);
        if (!whole || (p.type == LULL_APKT_OP && p.what == LULL_PKT_CP_SMMU_TABLE_UPDATE)) {
            break;
        }
        const uint64_t base = calls ? w[1] | (uint64_t)w[2] << 32 : 0;
        const struct lull_rp_buffer *b = calls ? lull_rp_buffer_at(&r->submit, base) : NULL;
        const uint32_t dwords = calls ? w[3] & 0xfffff : 0;
        if (b != NULL && dwords <= (b->address + b->size - base) / 4) {
            err = add_stream(r, base, dwords);
        }
        at += p.type == LULL_APKT_BAD ? 1 : p.count + 1;
    }
    return err;
}

/** The buffer with the state, the streams, and all that follows. */
LULL_MUST_USE static struct lull_error *streams(struct lull_resumed *r, const struct lull_page *p,
                                                const struct lull_resume_state *st)
{
    lull_cleanup(lull_freep) uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = lull_resume_write(st, &words, &n);
    struct lull_abuild b = {.gen = st->s.gen};
    r->state_address = free_page(p);
    if (err == NULL) {
        blocks(r, r->state_address + n * 4, &b);
        err = b.err;
        b.err = NULL;
    }
    const size_t all = n + b.n;
    lull_cleanup(lull_freep) uint32_t *buffer =
        err == NULL ? calloc(all + 1, sizeof *buffer) : NULL;
    err = err != NULL || buffer != NULL ? err : &lull_enomem;
    if (err == NULL && all != 0) {
        memcpy(buffer, words, n * sizeof *words);
        if (b.n != 0) {
            memcpy(buffer + n, b.words, b.n * sizeof *words);
        }
        r->state_bytes = (uint32_t)(all * sizeof *buffer);
        const struct lull_rp_buffer one = {.address = r->state_address,
                                           .size = r->state_bytes,
                                           .held = r->state_bytes,
                                           .data = (uint8_t *)buffer};
        err = lull_rp_submit_add(&r->submit, &one);
    }
    lull_abuild_done(&b);
    const struct lull_resume_level *l = &r->levels[0];
    err = err != NULL ? err : add_stream(r, r->state_address, (uint32_t)n + block_dwords(r, 0));
    err = err != NULL ? err : add_stream(r, rest_at(l), left(l));
    return err != NULL ? err : rest_of_ring(r, &st->s);
}

/** Is it known where the GPU was, and can it go on from there? */
LULL_MUST_USE static struct lull_error *check(const struct lull_page *p)
{
    const struct lull_crash *k = p->k;
    if (k->cff->gen != 0 && k->cff->gen < FIRST_GEN) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "the dump is of an a%uxx: only those of a6xx and a7xx can go on",
                              k->cff->gen);
    }
    if (!k->seen.place.marked || k->words == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "where the GPU was is %s", lull_page_sure(p));
    }
    return NULL;
}

struct reading {
    const struct lull_resume_options *o;
    struct lull_resumed *r;
};

LULL_MUST_USE static struct lull_error *with(struct lull_page *p, void *ctx)
{
    const struct reading *t = ctx;
    struct lull_resumed *r = t->r;
    struct lull_error *err = check(p);
    struct lull_resume_state *st = err == NULL ? calloc(1, sizeof *st) : NULL;
    if (err == NULL && st == NULL) {
        err = &lull_enomem;
    }
    err = err != NULL ? err : lull_resume_state_find(st, p);
    err = err != NULL ? err : levels(r, &st->s);
    if (err == NULL) {
        const struct lull_resume_level *l = &r->levels[r->nlevels - 1];
        r->at = rest_at(l);
        r->header = lull_page_culprit(p)->header;
        r->sure = lull_page_sure(p);
        r->submit.gpu_id = p->k->gpu_id;
        r->submit.chip_id = p->k->chip_id;
        lull_resume_state_add_dump(st);
        err = buffers(r, p);
    }
    err = err != NULL ? err : streams(r, p, st);
    err = err != NULL ? err : lull_resume_find_absent(r, p, t->o->zeros);
    if (err == NULL) {
        lull_resume_missing(r, st, t->o->zeros);
        lull_page_text(p); // to r->page
        p->out = &r->firmware;
        lull_page_sqe(p);
        err = r->missing.err;
        r->missing.err = NULL;
    }
    if (st != NULL) {
        lull_resume_state_done(st);
        free(st);
    }
    return err;
}

struct lull_error *lull_resume_read(struct lull_stream *s, const struct lull_resume_options *o,
                                    const struct lull_afuc *firmware, struct lull_resumed *ret)
{
    const struct lull_crash_look look = {.style = LULL_CRASH_PAGE,
                                         .most_memory = o->most_memory,
                                         .most_bytes = o->most_bytes,
                                         .firmware = firmware};
    struct lull_resumed r = {0};
    const struct reading t = {o, &r};
    struct lull_error *err = lull_page_run(s, &look, &r.page, with, (void *)&t);
    if (err != NULL && lull_error_code(err) != LULL_ERR_DAMAGED) {
        lull_resume_done(&r);
    }
    *ret = r;
    return err;
}
