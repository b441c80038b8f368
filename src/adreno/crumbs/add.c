// SPDX-License-Identifier: MIT
#include "adreno/crumbs/add.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/replay/walk.h"
#include "base/tree.h"
#include "cmd/adreno_build.h"
#include "cmd/adreno_pm4.h"

enum {
    DWORD = 4,
    PAGE = 4096,
    MOST_CALL = 0xfffff, ///< Dwords that CP_INDIRECT_BUFFER can say.
    MOST_CODE = 1 << 28, ///< Dwords of all command buffers of a submit.
    MOST_PIECES = 1 << 20,
    NUMBER_AT = 16,     ///< Of the number in its page.
    MARK0 = 0x6c6c756c, ///< "lull"
    MARK1 = 0x626d7263, ///< "crmb"
};

static const char page_text[NUMBER_AT] = "lull crumbs 1";

/** A packet of a command buffer. */
struct packet {
    uint32_t at, n;   ///< Dwords.
    uint32_t number;  ///< Its position and 1; 0: it gets no crumbs.
    uint32_t calls;   ///< Number of the piece that it calls, and 1.
    uint32_t skips;   ///< Dwords behind it that run on a condition.
    uint32_t new_end; ///< In the new buffer.
};

/** A command buffer that a stream runs. */
struct piece {
    struct lull_tree_node at; // First; the key is the address.
    const uint32_t *words;
    uint32_t dwords, n;
    bool fixed; ///< Something calls it that cannot be changed.
    size_t npackets, room;
    struct packet *packets; ///< As they were first met.
    uint32_t *of;           ///< For each dword: number of the packet that begins there, and 1.
    uint32_t *new_at;       ///< For each dword, and the end: in the new buffer.
    uint64_t new_address;
};

/** A packet in what is not a piece. */
struct other {
    struct lull_tree_node at; // First.
};

struct adder {
    const struct lull_crumbs_how *how;
    struct lull_crumbs_added sum;
    struct lull_error *err;
    uint32_t first; ///< Packets that were numbered in the streams before.
    uint32_t numbered;
    uint32_t nop;
    uint32_t *crumb; ///< A crumb, and where its numbers are.
    uint32_t ncrumb, at_memory, at_scratch, at_mark;
    /* A stream */
    struct piece **pieces;
    size_t npieces, room;
    struct lull_tree by_address, others;
    int64_t stack[LULL_AS_FRAMES]; ///< Pieces; -1: none.
    unsigned depth;
    /* A submit */
    uint64_t base; ///< Address of the code.
    uint32_t *code;
    size_t ncode, code_room;
};

bool lull_crumb_mark_read(const uint32_t *words, size_t n, struct lull_crumb_mark *ret)
{
    if (n != LULL_CRUMB_MARK_WORDS || words[0] != MARK0 || words[1] != MARK1) {
        return false;
    }
    memcpy(ret, words, sizeof *ret);
    return true;
}

bool lull_crumbs_left(const uint8_t *data, size_t size, struct lull_crumb_left *ret)
{
    struct lull_crumb_left left = {0};
    if (size < NUMBER_AT + DWORD || memcmp(data, page_text, NUMBER_AT) != 0) {
        return false;
    }
    memcpy(&left.number, data + NUMBER_AT, DWORD);
    for (size_t i = PAGE; left.number != 0 && left.was == 0 && i < size;) {
        uint32_t words[LULL_CRUMB_MARK_WORDS] = {0};
        struct lull_crumb_mark m = {0};
        if (size - i < sizeof words) {
            break;
        }
        memcpy(words, data + i, sizeof words);
        if (lull_crumb_mark_read(words, LULL_CRUMB_MARK_WORDS, &m) && m.number == left.number) {
            left.was = m.was[0] | (uint64_t)m.was[1] << 32;
        }
        i += DWORD;
    }
    *ret = left;
    return true;
}

/* What a stream runs */

/** Room for one more of @p n things; it grows by doubling. */
static void *grown(struct adder *a, void *list, size_t n, size_t *room, size_t size)
{
    const size_t more = *room == 0 ? 16 : 2 * *room;
    if (n < *room || a->err != NULL) {
        return list;
    }
    void *at = realloc(list, more * size);
    if (at == NULL) {
        a->err = &lull_enomem;
        return list;
    }
    *room = more;
    return at;
}

static struct piece *new_piece(struct adder *a, uint64_t address, const uint32_t *words,
                               uint32_t dwords, uint32_t n)
{
    a->pieces = grown(a, a->pieces, a->npieces, &a->room, sizeof(struct piece *));
    struct piece *p = a->err == NULL && a->npieces < MOST_PIECES ? calloc(1, sizeof *p) : NULL;
    if (p != NULL) {
        *p = (struct piece){.at.key = address,
                            .words = words,
                            .dwords = dwords,
                            .n = n,
                            .of = calloc((size_t)n + 1, sizeof(uint32_t)),
                            .new_at = calloc((size_t)n + 1, sizeof(uint32_t))};
        a->pieces[a->npieces++] = p;
        p->at.weight = a->npieces - 1;
        lull_tree_add(&a->by_address, &p->at);
    }
    if (a->err == NULL && (p == NULL || p->of == NULL || p->new_at == NULL)) {
        a->err = &lull_enomem;
    }
    return a->err == NULL ? p : NULL;
}

static struct piece *here(const struct adder *a)
{
    const int64_t i = a->depth != 0 ? a->stack[a->depth - 1] : -1;
    return i >= 0 ? a->pieces[i] : NULL;
}

/** What is known of @p p, which is in the buffer that runs; NULL: that is not a piece. */
static struct packet *known(struct adder *a, const struct lull_as_packet *p)
{
    struct piece *in = here(a);
    const uint64_t at = in != NULL ? (p->address - in->at.key) / DWORD : 0;
    if (in == NULL || p->nowhere || p->address < in->at.key || at >= in->n || a->err != NULL) {
        return NULL;
    }
    if (in->of[at] == 0) {
        in->packets = grown(a, in->packets, in->npackets, &in->room, sizeof *in->packets);
        if (a->err != NULL) {
            return NULL;
        }
        in->packets[in->npackets++] = (struct packet){
            .at = (uint32_t)at, .n = p->said < in->n - at ? p->said : in->n - (uint32_t)at};
        in->of[at] = (uint32_t)in->npackets;
    }
    return &in->packets[in->of[at] - 1];
}

/** It gets the next number, unless it has one. */
static void number(struct adder *a, const struct lull_as_packet *p)
{
    struct packet *k = known(a, p);
    if (k != NULL) {
        k->number = k->number != 0 ? k->number : ++a->numbered;
    } else if (a->err == NULL && lull_tree_find(&a->others, p->address) == NULL) {
        struct other *o = calloc(1, sizeof *o);
        if (o == NULL) {
            a->err = &lull_enomem;
            return;
        }
        o->at.key = p->address;
        lull_tree_add(&a->others, &o->at);
        a->numbered++;
        a->sum.without++;
    }
}

static void call(struct adder *a, const struct lull_as_event *e)
{
    const struct lull_as_frame *f = e->u.frame;
    struct packet *by = e->packet != NULL ? known(a, e->packet) : NULL;
    struct piece *to = NULL;
    if (f->kind == LULL_AS_IB && !f->nowhere && f->words != NULL) {
        to = (struct piece *)lull_tree_find(&a->by_address, f->address);
        to = to != NULL ? to : new_piece(a, f->address, f->words, f->dwords, f->n);
    }
    if (to != NULL && (by == NULL || to->dwords != f->dwords || to->n != f->n)) {
        to->fixed = true;
    }
    const uint32_t which = to != NULL ? (uint32_t)to->at.weight + 1 : 0;
    if (by != NULL && by->calls != 0 && by->calls != which) { // another one each time
        a->pieces[by->calls - 1]->fixed = true;
        if (to != NULL) {
            to->fixed = true;
        }
    } else if (by != NULL) {
        by->calls = which;
    }
    if (a->depth < LULL_AS_FRAMES) {
        a->stack[a->depth++] = to != NULL ? (int64_t)to->at.weight : -1;
    }
}

static bool wanted(const struct adder *a, const struct lull_as_event *e)
{
    const enum lull_crumbs_at at = a->how->at;
    switch ((unsigned)e->what) {
    case LULL_AS_DRAWS:
        return e->u.draw->kind != LULL_AS_PIXELS || at != LULL_CRUMBS_AT_DRAWS;
    case LULL_AS_EVENT:
        return at != LULL_CRUMBS_AT_DRAWS;
    default:
        return e->what == LULL_AS_MET && at == LULL_CRUMBS_AT_PACKETS && !e->packet->dead &&
               (e->packet->type == LULL_APKT_WRITE ||
                (e->packet->type == LULL_APKT_OP && e->packet->what != a->nop));
    }
}

/** In a buffer that runs for itself, not in a group of draw state or another list. */
static bool counts(const struct adder *a, const struct lull_as_event *e)
{
    return a->how->at != LULL_CRUMBS_AT_PACKETS || e->what == LULL_AS_DRAWS || here(a) != NULL;
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct adder *a = ctx;
    struct packet *p = NULL;
    if (e->what == LULL_AS_CALL) {
        call(a, e);
    } else if (e->what == LULL_AS_RETURN) {
        a->depth -= a->depth != 0;
    } else if (e->what == LULL_AS_MET) {
        (void)known(a, e->packet);
    } else if (e->what == LULL_AS_CONDITION && (p = known(a, e->packet)) != NULL) {
        p->skips = e->u.condition.dwords;
    }
    if (e->packet != NULL && wanted(a, e) && counts(a, e)) {
        number(a, e->packet);
    }
    s->stop |= a->err != NULL;
}

/* What calls buffers that move */

/** Dword of @p p where the address of @p to stands, its size behind it; 0: nowhere. */
static uint32_t names(const struct piece *in, const struct packet *p, const struct piece *to)
{
    const uint32_t *w = in->words + p->at;
    for (uint32_t i = 1; i + 2 < p->n; i++) {
        if (w[i] == (uint32_t)to->at.key && w[i + 1] == (uint32_t)(to->at.key >> 32) &&
            (w[i + 2] & MOST_CALL) == to->dwords) {
            return i;
        }
    }
    return 0;
}

/** Dword of @p p that says how many run on its condition; 0: none. */
static uint32_t counter(const struct piece *in, const struct packet *p)
{
    const uint32_t *w = in->words + p->at;
    for (uint32_t i = p->n; i-- > 1;) {
        if ((w[i] & 0xffffff) == p->skips) {
            return i;
        }
    }
    return 0;
}

/** Pieces stay where they are if a call of theirs cannot be changed. */
static void fix(struct adder *a)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < a->npieces; i++) {
            const struct piece *in = a->pieces[i];
            for (size_t k = 0; k < in->npackets; k++) {
                const struct packet *p = &in->packets[k];
                struct piece *to = p->calls != 0 ? a->pieces[p->calls - 1] : NULL;
                if (to != NULL && !to->fixed && (in->fixed || names(in, p, to) == 0)) {
                    to->fixed = more = true;
                }
            }
        }
    }
}

/* The new buffers */

static void put(struct adder *a, const uint32_t *words, size_t n)
{
    while (a->err == NULL && a->ncode + n > a->code_room) {
        a->code = grown(a, a->code, a->code_room, &a->code_room, sizeof *a->code);
    }
    if (a->err == NULL && a->ncode + n > MOST_CODE) {
        a->err =
            lull_error_new(LULL_ERR_UNSUPPORTED,
                           "with crumbs, its command buffers have more than %d dwords", MOST_CODE);
    }
    if (a->err == NULL && n != 0) {
        memcpy(a->code + a->ncode, words, n * sizeof *words);
        a->ncode += n;
    }
}

static void crumb(struct adder *a, const struct piece *in, const struct packet *p, bool after)
{
    const size_t at = a->ncode;
    const uint32_t n = 2 * (a->first + p->number - 1) + 1 + after;
    const uint64_t was = in->at.key + (uint64_t)p->at * DWORD;
    const struct lull_crumb_mark m = {{MARK0, MARK1}, n, {(uint32_t)was, (uint32_t)(was >> 32)}};
    put(a, a->crumb, a->ncrumb);
    if (a->err == NULL) {
        uint32_t *w = a->code + at;
        w[a->at_memory] = n;
        if (a->at_scratch != 0) {
            w[a->at_scratch] = n;
        }
        memcpy(w + a->at_mark, &m, sizeof m);
    }
}

static void write_piece(struct adder *a, struct piece *in)
{
    const size_t first = a->ncode;
    in->new_address = a->base + first * DWORD;
    for (uint32_t w = 0; a->err == NULL && w < in->n;) {
        struct packet *p = in->of[w] != 0 ? &in->packets[in->of[w] - 1] : NULL;
        const uint32_t n = p != NULL ? p->n : 1;
        in->new_at[w] = (uint32_t)(a->ncode - first);
        if (p != NULL && p->number != 0) {
            crumb(a, in, p, false);
        }
        put(a, in->words + w, n);
        if (p != NULL) {
            p->new_end = (uint32_t)(a->ncode - first);
        }
        if (p != NULL && p->number != 0) {
            crumb(a, in, p, true);
        }
        for (uint32_t i = 1; i < n; i++) { // nothing leads into a packet
            in->new_at[w + i] = (uint32_t)(a->ncode - first);
        }
        w += n;
    }
    in->new_at[in->n] = (uint32_t)(a->ncode - first);
    if (a->err == NULL && in->new_at[in->n] > MOST_CALL) {
        a->err = lull_error_new(LULL_ERR_UNSUPPORTED,
                                "the command buffer at 0x%" PRIx64
                                " has %u dwords with crumbs, and only %d can be called",
                                in->at.key, in->new_at[in->n], MOST_CALL);
    }
}

/** A dword of @p p in its new buffer. */
static uint32_t *word_of(struct adder *a, const struct piece *in, const struct packet *p,
                         uint32_t i)
{
    return &a->code[(in->new_address - a->base) / DWORD + p->new_end - p->n + i];
}

/** Calls of pieces, and counts of dwords in @p in, as they are now. */
static void adapt(struct adder *a, const struct piece *in)
{
    for (size_t k = 0; k < in->npackets; k++) {
        const struct packet *p = &in->packets[k];
        const struct piece *to = p->calls != 0 ? a->pieces[p->calls - 1] : NULL;
        const uint32_t at = to != NULL && !to->fixed ? names(in, p, to) : 0;
        const uint32_t count = p->skips != 0 ? counter(in, p) : 0;
        if (at != 0) {
            uint32_t *w = word_of(a, in, p, at);
            w[0] = (uint32_t)to->new_address;
            w[1] = (uint32_t)(to->new_address >> 32);
            w[2] = (w[2] & ~(uint32_t)MOST_CALL) | (to->new_at[to->n] + to->dwords - to->n);
        }
        if (count != 0) {
            const uint64_t end = (uint64_t)p->at + p->n + p->skips;
            const uint32_t new_end =
                end <= in->n ? in->new_at[end] : in->new_at[in->n] + (uint32_t)(end - in->n);
            uint32_t *w = word_of(a, in, p, count);
            *w = (*w & ~0xffffffu) | ((new_end - p->new_end) & 0xffffff);
        }
    }
}

static void forget(struct adder *a)
{
    for (size_t i = 0; i < a->npieces; i++) {
        free(a->pieces[i]->packets);
        free(a->pieces[i]->of);
        free(a->pieces[i]->new_at);
        free(a->pieces[i]);
    }
    a->npieces = 0;
    a->by_address = (struct lull_tree){0};
    while (a->others.root != NULL) {
        struct lull_tree_node *at = a->others.root;
        lull_tree_remove(&a->others, at);
        free(at);
    }
}

/** Stream @p i of @p s runs what is new. */
static void stream(struct adder *a, struct lull_rp_walk *w, struct lull_rp_submit *s, size_t i)
{
    struct lull_rp_stream *st = &s->streams[i];
    const struct lull_rp_buffer *b = lull_rp_buffer_at(s, st->address);
    const uint64_t at = b != NULL ? st->address - b->address : 0;
    struct lull_rp_submit one = *s;
    const struct lull_rp_visitor v = {a, did};
    if (b == NULL || at >= b->held || at % DWORD != 0) {
        return; // it cannot be replayed
    }
    const uint64_t left = (b->held - at) / DWORD;
    struct piece *root = new_piece(a, st->address, (const uint32_t *)(const void *)(b->data + at),
                                   st->dwords, st->dwords < left ? st->dwords : (uint32_t)left);
    one.streams = st;
    one.nstreams = 1;
    a->stack[0] = 0;
    a->depth = 1;
    a->numbered = 0;
    if (root != NULL) {
        (void)lull_rp_walk_submit(w, &one, &v);
    }
    fix(a);
    for (size_t k = 0; a->err == NULL && k < a->npieces; k++) {
        const struct piece *p = a->pieces[k];
        uint32_t *to = p->fixed ? &a->sum.without : &a->sum.packets;
        for (size_t n = 0; n < p->npackets; n++) {
            *to += p->packets[n].number != 0;
        }
        if (!p->fixed) {
            write_piece(a, a->pieces[k]);
        }
    }
    for (size_t k = 0; a->err == NULL && k < a->npieces; k++) {
        if (!a->pieces[k]->fixed) {
            adapt(a, a->pieces[k]);
        }
    }
    if (a->err == NULL && !root->fixed) {
        st->address = root->new_address;
        st->dwords = root->new_at[root->n] + root->dwords - root->n;
    }
    a->first += a->numbered;
    forget(a);
}

/** The page with the number, and the code behind it. */
static void give(struct adder *a, struct lull_rp_submit *s)
{
    const size_t size = PAGE + a->ncode * DWORD;
    uint8_t *data = calloc(1, size);
    if (data == NULL) {
        a->err = &lull_enomem;
        return;
    }
    memcpy(data, page_text, sizeof page_text);
    if (a->ncode != 0) {
        memcpy(data + PAGE, a->code, a->ncode * DWORD);
    }
    const struct lull_rp_buffer b = {
        .address = a->base - PAGE, .size = (uint32_t)size, .held = (uint32_t)size, .data = data};
    a->err = lull_rp_submit_add(s, &b);
    free(data);
}

/* A crumb */

LULL_MUST_USE static struct lull_error *template(struct adder *a, struct lull_abuild *b)
{
    (void)lull_abuild_packet(b, "CP_WAIT_MEM_WRITES", 0, NULL);
    (void)lull_abuild_packet(b, "CP_WAIT_FOR_IDLE", 0, NULL);
    (void)lull_abuild_packet(b, "CP_WAIT_FOR_ME", 0, NULL);
    uint32_t *to = lull_abuild_packet(b, "CP_MEM_WRITE", 3, NULL);
    if (to != NULL) {
        to[0] = (uint32_t)a->sum.memory;
        to[1] = (uint32_t)(a->sum.memory >> 32);
    }
    a->at_memory = (uint32_t)b->n - 1;
    if (a->how->scratch >= 0) {
        lull_abuild_element(b, "CP_SCRATCH", (uint32_t)a->how->scratch, NULL);
        a->at_scratch = (uint32_t)b->n - 1;
    }
    a->at_mark = (uint32_t)b->n + 1;
    (void)lull_abuild_packet(b, "CP_NOP", LULL_CRUMB_MARK_WORDS, NULL);
    a->crumb = b->words;
    a->ncrumb = (uint32_t)b->n;
    if (b->err == NULL) {
        a->nop = lull_apkt_header(a->how->gen, b->words[a->at_mark - 1]).what;
    }
    return b->err;
}

/* Room */

struct range {
    uint64_t start, end;
};

static int by_start(const void *x, const void *y)
{
    const struct range *a = x, *b = y;
    return a->start < b->start ? -1 : a->start > b->start;
}

/** The largest hole between the buffers of all submits, or behind them up to where an address space
 * of the kernel may end. A page is left free before it. */
LULL_MUST_USE static struct lull_error *hole(const struct lull_rp_capture *c, struct range *ret)
{
    size_t n = 0, m = 0;
    for (size_t i = 0; i < c->nsubmits; i++) {
        n += c->submits[i].nbuffers;
    }
    struct range *all = calloc(n + 1, sizeof *all);
    if (all == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < c->nsubmits; i++) {
        for (size_t k = 0; k < c->submits[i].nbuffers; k++) {
            const struct lull_rp_buffer *b = &c->submits[i].buffers[k];
            const uint64_t end = b->address + b->size;
            all[m++] = (struct range){b->address, end >= b->address ? end : UINT64_MAX};
        }
    }
    qsort(all, m, sizeof *all, by_start);
    struct range best = {0};
    uint64_t reach = m != 0 ? all[0].end : 0;
    for (size_t i = 1; i <= m; i++) {
        const uint64_t next = i < m ? all[i].start : reach | UINT32_MAX;
        if (next > reach && next - reach > best.end - best.start) {
            best = (struct range){reach, next};
        }
        reach = i < m && all[i].end > reach ? all[i].end : reach;
    }
    free(all);
    best.start = (best.start + 2 * PAGE - 1) / PAGE * PAGE;
    best.end = best.end / PAGE * PAGE;
    *ret = best;
    return best.end > best.start + PAGE
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED, "its buffers leave no room for crumbs");
}

struct lull_error *lull_crumbs_add(struct lull_rp_capture *c, const struct lull_crumbs_how *how,
                                   struct lull_crumbs_added *ret)
{
    struct adder a = {.how = how};
    struct lull_abuild b = {.gen = how->gen};
    struct lull_rp_walk *w = NULL;
    struct range room = {0};
    struct lull_error *err = hole(c, &room);
    a.sum.memory = room.start + NUMBER_AT;
    a.base = room.start + PAGE;
    err = err != NULL ? err : template(&a, &b);
    b.err = NULL;
    err = err != NULL ? err : lull_rp_walk_new(how->gen, &w);
    for (size_t i = 0; err == NULL && i < c->nsubmits; i++) {
        struct lull_rp_submit *s = &c->submits[i];
        a.ncode = 0;
        for (size_t k = 0; a.err == NULL && k < s->nstreams; k++) {
            stream(&a, w, s, k);
        }
        if (a.err == NULL && a.ncode * DWORD > room.end - a.base) {
            a.err = lull_error_new(LULL_ERR_UNSUPPORTED, "its buffers leave no room for crumbs");
        }
        if (a.err == NULL && s->nstreams != 0) {
            give(&a, s);
        }
        err = lull_error_in(a.err, "submit %" PRIu64, s->number);
    }
    forget(&a);
    free(a.pieces);
    free(a.code);
    lull_rp_walk_free(w);
    lull_abuild_done(&b);
    *ret = a.sum;
    return err;
}
