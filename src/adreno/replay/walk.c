// SPDX-License-Identifier: MIT
#include "adreno/replay/walk.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DWORD = 4, FIRST_WORK = 4 << 20, WORK_PER_DWORD = 256 }; // as lull rd show has it

struct lull_rp_walk {
    struct lull_astream s;
    const struct lull_rp_submit *submit;
    const struct lull_rp_visitor *v;
    size_t stream; // Of the submit.
};

static struct lull_as_words memory(void *ctx, uint64_t address, uint32_t n)
{
    const struct lull_rp_walk *w = ctx;
    const struct lull_rp_buffer *b =
        address % DWORD == 0 ? lull_rp_buffer_at(w->submit, address) : NULL;
    const uint64_t at = b != NULL ? address - b->address : 0;
    if (b == NULL || at >= b->held || at % DWORD != 0) {
        return (struct lull_as_words){.address = address};
    }
    const uint64_t left = (b->held - at) / DWORD;
    return (struct lull_as_words){.words = (const uint32_t *)(const void *)(b->data + at),
                                  .address = address,
                                  .n = n < left ? n : (uint32_t)left};
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    const struct lull_rp_walk *w = ctx;
    if (w->v != NULL) {
        w->v->did(w->v->ctx, s, e);
    }
}

struct lull_error *lull_rp_walk_new(unsigned gen, struct lull_rp_walk **ret)
{
    struct lull_rp_walk *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return &lull_enomem;
    }
    w->s.memory = (struct lull_as_memory){.ctx = w, .read = memory};
    w->s.sink = (struct lull_as_sink){.ctx = w, .did = did};
    lull_astream_set_gpu(&w->s, gen);
    lull_astream_reset(&w->s);
    w->s.mode = LULL_AS_ANY_MODE;
    *ret = w;
    return NULL;
}

void lull_rp_walk_free(struct lull_rp_walk *w)
{
    free(w);
}

const struct lull_astream *lull_rp_walk_state(const struct lull_rp_walk *w)
{
    return &w->s;
}

bool lull_rp_walk_submit(struct lull_rp_walk *w, const struct lull_rp_submit *s,
                         const struct lull_rp_visitor *v)
{
    uint64_t held = 0;
    w->submit = s;
    w->v = v;
    for (size_t i = 0; i < s->nbuffers; i++) {
        held += s->buffers[i].held;
    }
    for (w->stream = 0; !w->s.stop && w->stream < s->nstreams; w->stream++) {
        const struct lull_rp_stream *st = &s->streams[w->stream];
        bool more = lull_astream_start(&w->s, memory(w, st->address, st->dwords),
                                       FIRST_WORK + held / DWORD * WORK_PER_DWORD);
        while (more) {
            more = lull_astream_step(&w->s);
        }
    }
    return !w->s.stop;
}

struct missing {
    struct lull_rp_walk *w;
    struct lull_error *err;
};

/** @p what of @p address is read: is it there? */
static void need(struct missing *m, struct lull_astream *s, const char *what, uint64_t address)
{
    const struct lull_rp_submit *submit = m->w->submit;
    const struct lull_rp_buffer *b = lull_rp_buffer_at(submit, address);
    if (m->err != NULL || b == NULL || address - b->address < b->held) {
        return; // what no buffer has is a fault of the capture's program
    }
    m->err = lull_error_new(
        LULL_ERR_BAD_DATA,
        "stream %" PRIu64 " %s 0x%" PRIx64 " in the buffer of %" PRIu32 " bytes at 0x%" PRIx64
        ", whose contents are not in the capture: it was taken without rd_full",
        submit->streams[m->w->stream].number, what, address, b->size, b->address);
    s->stop = true;
}

static void look(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct missing *m = ctx;
    if (e->what == LULL_AS_WRONG && e->u.problem.kind == LULL_AS_NO_BUFFER) {
        need(m, s, "runs what is at", e->u.problem.address + (uint64_t)e->u.problem.n * DWORD);
    } else if (e->what == LULL_AS_LOADS && e->u.load->address != 0) {
        need(m, s, "loads state from", e->u.load->address);
    }
}

struct lull_error *lull_rp_missing(struct lull_rp_walk *w, const struct lull_rp_submit *s)
{
    struct missing m = {.w = w};
    const struct lull_rp_visitor v = {&m, look};
    for (size_t i = 0; m.err == NULL && i < s->nstreams; i++) {
        const struct lull_rp_stream *st = &s->streams[i];
        w->submit = s;
        w->stream = i;
        need(&m, &w->s, "begins at", st->address);
        if (m.err == NULL && lull_rp_buffer_at(s, st->address) == NULL) {
            m.err = lull_error_new(LULL_ERR_BAD_DATA,
                                   "stream %" PRIu64 " of %" PRIu32 " dwords at 0x%" PRIx64
                                   " is in no buffer of the capture: it was taken without rd_full",
                                   st->number, st->dwords, st->address);
        }
    }
    if (m.err == NULL) {
        (void)lull_rp_walk_submit(w, s, &v);
    }
    w->s.stop = false;
    w->v = NULL;
    return m.err;
}
