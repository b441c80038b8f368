// SPDX-License-Identifier: MIT
#include "adreno/replay/edit.h"

#include <stdlib.h>
#include <string.h>

#include "adreno/replay/walk.h"
#include "cmd/adreno_pm4.h"

enum { DWORD = 4, MOST_PARTS = 1 << 22, MOST_PACKET = 1 << 14, MOST_WRITE = 128 };

const char *const lull_rp_kind_names[LULL_RP_KINDS] = {"streams", "packets", "register writes",
                                                       "buffers"};

struct lull_error *lull_rp_capture_read(struct lull_rp_capture *c, struct lull_rp_reader *r,
                                        bool (*wants)(void *ctx, struct lull_rp_submit *s),
                                        void *ctx)
{
    struct lull_error *err = NULL;
    bool more = true;
    while (err == NULL && more) {
        struct lull_rp_submit s = {0};
        err = lull_rp_reader_next(r, &s, &more);
        const bool wanted = err == NULL && more && (wants == NULL || wants(ctx, &s));
        struct lull_rp_submit *grown =
            wanted ? realloc(c->submits, (c->nsubmits + 1) * sizeof *grown) : NULL;
        if (grown == NULL) {
            lull_rp_submit_done(&s);
            err = wanted ? &lull_enomem : err;
            continue;
        }
        c->submits = grown;
        c->submits[c->nsubmits++] = s;
    }
    return err;
}

void lull_rp_capture_done(struct lull_rp_capture *c)
{
    for (size_t i = 0; i < c->nsubmits; i++) {
        lull_rp_submit_done(&c->submits[i]);
    }
    free(c->submits);
    *c = (struct lull_rp_capture){0};
}

void lull_rp_capture_put(const struct lull_rp_capture *c, struct lull_str *to)
{
    for (size_t i = 0; i < c->nsubmits; i++) {
        if (i == 0) {
            lull_rp_submit_put_gpu(&c->submits[i], to);
        }
        if (c->submits[i].nstreams != 0) {
            lull_rp_submit_put(&c->submits[i], to);
        }
    }
}

struct finder {
    struct lull_rp_parts *p;
    size_t submit;
    struct lull_error *err;
};

static void add(struct finder *f, struct lull_rp_part part)
{
    struct lull_rp_parts *p = f->p;
    if (p->n == p->room && f->err == NULL) {
        const size_t room = p->room != 0 ? 2 * p->room : 64;
        struct lull_rp_part *grown =
            room <= MOST_PARTS ? realloc(p->all, room * sizeof *grown) : NULL;
        if (grown == NULL) {
            f->err = room <= MOST_PARTS
                         ? &lull_enomem
                         : lull_error_new(LULL_ERR_UNSUPPORTED, "the capture has more than %d %s",
                                          MOST_PARTS, lull_rp_kind_names[p->kind]);
            return;
        }
        p->all = grown;
        p->room = room;
    }
    if (f->err == NULL) {
        part.submit = f->submit;
        p->all[p->n++] = part;
    }
}

static void met(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct finder *f = ctx;
    const struct lull_as_packet *p = e->packet;
    if (e->what != LULL_AS_MET || p->nowhere || p->n < p->said || p->said > MOST_PACKET ||
        (p->type != LULL_APKT_WRITE && p->type != LULL_APKT_OP)) {
        return;
    }
    struct lull_rp_part part = {.address = p->address, .dwords = p->said};
    if (p->type == LULL_APKT_WRITE) {
        part.reg = p->what;
    } else {
        part.name = p->name != NULL ? p->name : "a packet that nobody knows";
    }
    if (f->p->kind == LULL_RP_PACKETS && (p->type != LULL_APKT_OP || p->what != f->p->nop)) {
        add(f, part);
    } else if (f->p->kind == LULL_RP_REGISTERS && p->type == LULL_APKT_WRITE && p->said > 2) {
        for (part.index = 0; part.index + 1 < p->said; part.index++) {
            add(f, part);
        }
    }
    s->stop = s->stop || f->err != NULL;
}

/* Parts with their place in the order of execution. */
struct placed {
    struct lull_rp_part part;
    size_t at;
};

static int by_address(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->part.submit != y->part.submit) {
        return x->part.submit < y->part.submit ? -1 : 1;
    }
    if (x->part.address != y->part.address) {
        return x->part.address < y->part.address ? -1 : 1;
    }
    if (x->part.index != y->part.index) {
        return x->part.index < y->part.index ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

/** What runs several times is one part, where it first runs. */
LULL_MUST_USE static struct lull_error *unite(struct lull_rp_parts *p)
{
    struct placed *all = calloc(p->n + 1, sizeof *all);
    size_t n = 0;
    if (all == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < p->n; i++) {
        all[i] = (struct placed){p->all[i], i};
    }
    qsort(all, p->n, sizeof *all, by_address);
    for (size_t i = 0; i < p->n; i++) {
        const struct placed *last = n != 0 ? &all[n - 1] : NULL;
        if (last == NULL || last->part.submit != all[i].part.submit ||
            last->part.address != all[i].part.address || last->part.index != all[i].part.index) {
            all[n++] = all[i];
        }
    }
    qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        p->all[i] = all[i].part;
    }
    p->n = n;
    free(all);
    return NULL;
}

static uint32_t op_of(const struct lull_astream *s, const char *name)
{
    uint32_t op = 0;
    while (op < LULL_AS_OPCODES &&
           (s->op_names[op] == NULL || strcmp(s->op_names[op], name) != 0)) {
        op++;
    }
    return op;
}

LULL_MUST_USE static struct lull_error *find_packets(struct finder *f,
                                                     const struct lull_rp_capture *c, unsigned gen)
{
    struct lull_rp_walk *w = NULL;
    struct lull_error *err = lull_rp_walk_new(gen, &w);
    const struct lull_rp_visitor v = {f, met};
    if (err != NULL) {
        return err;
    }
    f->p->nop = op_of(lull_rp_walk_state(w), "CP_NOP");
    for (f->submit = 0; f->err == NULL && f->submit < c->nsubmits; f->submit++) {
        (void)lull_rp_walk_submit(w, &c->submits[f->submit], &v);
    }
    lull_rp_walk_free(w);
    return f->err != NULL ? f->err : unite(f->p);
}

struct lull_error *lull_rp_parts_find(struct lull_rp_parts *p, const struct lull_rp_capture *c,
                                      unsigned gen, enum lull_rp_kind kind)
{
    struct finder f = {.p = p};
    p->kind = kind;
    p->n = 0;
    if (kind == LULL_RP_PACKETS || kind == LULL_RP_REGISTERS) {
        return find_packets(&f, c, gen);
    }
    for (f.submit = 0; f.submit < c->nsubmits; f.submit++) {
        const struct lull_rp_submit *s = &c->submits[f.submit];
        const size_t n = kind == LULL_RP_STREAMS ? s->nstreams : s->nbuffers;
        for (size_t i = 0; s->nstreams != 0 && i < n; i++) {
            add(&f, (struct lull_rp_part){.index = i});
        }
    }
    return f.err;
}

void lull_rp_parts_done(struct lull_rp_parts *p)
{
    free(p->all);
    *p = (struct lull_rp_parts){0};
}

/** Registers of the packet @p part are kept that stand in @p kept. The others give the room for new
 * headers. */
static void rewrite(const struct lull_rp_parts *p, struct lull_rp_submit *s,
                    const struct lull_rp_part *part, const bool *kept)
{
    const struct lull_rp_buffer *b = lull_rp_buffer_at(s, part->address);
    uint32_t old[MOST_WRITE] = {0}, new[MOST_WRITE] = {0}, n = 0;
    const uint32_t count = part->dwords - 1;
    if (b == NULL || part->dwords > MOST_WRITE || part->address - b->address > b->held ||
        part->dwords * DWORD > b->held - (part->address - b->address)) {
        return;
    }
    memcpy(old, b->data + (part->address - b->address), (size_t)part->dwords * DWORD);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i;
        while (end < count && kept[end]) {
            end++;
        }
        if (end > i) {
            new[n++] = lull_apkt_write_header(part->reg + i, end - i);
            memcpy(new + n, old + 1 + i, (end - i) * sizeof *new);
            n += end - i;
        }
        i = end + (end < count && !kept[end]);
    }
    if (n < part->dwords) { // the rest is zeros
        new[n] = lull_apkt_op_header(p->nop, part->dwords - n - 1);
    }
    lull_rp_submit_patch(s, part->address, new, part->dwords * DWORD);
}

static void keep_registers(const struct lull_rp_parts *p, struct lull_rp_capture *c,
                           const bool *kept)
{
    size_t end = 0;
    for (size_t i = 0; i < p->n; i = end) { // all of a packet stand together
        const struct lull_rp_part *first = &p->all[i];
        for (end = i; end < p->n && p->all[end].submit == first->submit &&
                      p->all[end].address == first->address &&
                      p->all[end].dwords == first->dwords;) {
            end++;
        }
        if (end - i ==
            first->dwords - 1) { // else buffers overlap that have different packets there
            rewrite(p, &c->submits[first->submit], first, kept + i);
        }
    }
}

static void keep_packets(const struct lull_rp_parts *p, struct lull_rp_capture *c, const bool *kept)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct lull_rp_part *part = &p->all[i];
        for (uint32_t j = 0; !kept[i] && j < part->dwords; j++) {
            const uint32_t word = j == 0 ? lull_apkt_op_header(p->nop, part->dwords - 1) : 0;
            lull_rp_submit_patch(&c->submits[part->submit], part->address + (uint64_t)j * DWORD,
                                 &word, DWORD);
        }
    }
}

static void keep_listed(const struct lull_rp_parts *p, struct lull_rp_capture *c, const bool *kept)
{
    for (size_t i = 0; i < p->n;) {
        struct lull_rp_submit *s = &c->submits[p->all[i].submit];
        const size_t all = p->kind == LULL_RP_STREAMS ? s->nstreams : s->nbuffers;
        size_t n = 0;
        for (size_t j = 0; j < all; j++, i++) {
            if (p->kind == LULL_RP_STREAMS && kept[i]) {
                s->streams[n++] = s->streams[j];
            } else if (p->kind == LULL_RP_BUFFERS && kept[i]) {
                s->buffers[n++] = s->buffers[j];
            } else if (p->kind == LULL_RP_BUFFERS) {
                free(s->buffers[j].data);
            }
        }
        *(p->kind == LULL_RP_STREAMS ? &s->nstreams : &s->nbuffers) = n;
    }
}

struct lull_error *lull_rp_parts_keep(const struct lull_rp_parts *p, struct lull_rp_capture *c,
                                      const size_t *which, size_t n)
{
    bool *kept = calloc(p->n + 1, sizeof *kept);
    if (kept == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n; i++) {
        kept[which[i]] = true;
    }
    if (p->kind == LULL_RP_REGISTERS) {
        keep_registers(p, c, kept);
    } else if (p->kind == LULL_RP_PACKETS) {
        keep_packets(p, c, kept);
    } else {
        keep_listed(p, c, kept);
    }
    free(kept);
    return NULL;
}
