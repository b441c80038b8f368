// SPDX-License-Identifier: MIT
// Sections of a capture, one after the other, and what they make of buffers and streams.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/walk.h"
#include "hw/adreno_chip.h"
#include "hw/rd_regs.h"

enum { WORK_PER_DWORD = 256, FIRST_WORK = 4 << 20 };

/** Sections of a submit follow: after the first buffer or text, or a stream of the last one. */
static void new_submit(struct lull_cap *c)
{
    if (c->in_submit && !c->had_stream) {
        return;
    }
    lull_cap_drop_buffers(c);
    c->submit = c->submits++;
    c->in_submit = true;
    c->had_stream = false;
}

static struct lull_as_words memory(void *ctx, uint64_t address, uint32_t n)
{
    const struct lull_cap_words w = lull_cap_memory(ctx, address, n);
    return (struct lull_as_words){w.words, w.address, w.n, false};
}

static void stream(struct lull_cap *c, const struct lull_rd_section *s,
                   const struct lull_rd_range *r)
{
    const struct lull_cap_words w = lull_cap_memory(c, r->address, r->size);
    const struct lull_cap_stream st = {.number = c->streams,
                                       .offset = s->offset,
                                       .address = r->address,
                                       .dwords = r->size,
                                       .found = w.n};
    if (!c->in_submit) {
        new_submit(c);
    }
    c->had_stream = true;
    c->streams++;
    if (c->v->stream != NULL) {
        c->v->stream(c->v->ctx, c, &st);
    }
    if (w.n < r->size && w.n != 0) { // else: old kernels do not write every buffer
        lull_cap_problem(c, 0,
                         "stream %" PRIu64 " of %" PRIu32 " dwords at 0x%" PRIx64
                         ": the capture has %" PRIu32 " of them",
                         st.number, r->size, r->address, w.n);
    }
    if (w.n == 0 && r->size != 0) {
        lull_cap_note(c, "not in the capture");
    } else if (c->gen == 0) {
        lull_cap_problem(c, 0, "stream %" PRIu64 " is not decoded: %s", st.number,
                         c->has_gpu || c->has_chip ? "no generation is known for this GPU"
                                                   : "the capture does not name its GPU");
    } else {
        const uint64_t most = c->o.most_work != 0 ? c->o.most_work : FIRST_WORK;
        const struct lull_as_words words = {w.words, w.address, w.n, false};
        c->level = 0;
        bool more = lull_astream_start(&c->s, words, most + c->held / 4 * WORK_PER_DWORD);
        while (more && c->err == NULL) {
            more = lull_astream_step(&c->s);
        }
    }
    if (c->v->stream_end != NULL) {
        c->v->stream_end(c->v->ctx, c, &st);
    }
}

LULL_MUST_USE static struct lull_error *gpu(struct lull_cap *c, const struct lull_rd_section *s,
                                            bool chip)
{
    uint64_t number = 0;
    if (!lull_rd_number(s, &number) || number == 0) {
        return NULL; // chips that have only a chip id say 0
    }
    c->gpu_id = chip ? c->gpu_id : number;
    c->chip_id = chip ? number : c->chip_id;
    c->has_gpu |= !chip;
    c->has_chip |= chip;
    const unsigned gen = chip ? lull_adreno_gen(number) : (unsigned)(number / 100);
    if (gen < 2 || gen > 7) {
        lull_cap_problem(c, 0,
                         chip ? "no generation is known for chip id 0x%" PRIx64
                              : "no generation is known for GPU id %" PRIu64,
                         number);
        return NULL;
    }
    if (c->gen == 0) {
        return lull_cap_set_gpu(c, gen);
    }
    if (gen != c->gen) {
        lull_cap_problem(c, 0, "the capture goes on with another GPU: a%uxx after a%uxx", gen,
                         c->gen);
        return lull_cap_set_gpu(c, gen);
    }
    return NULL;
}

static void process(struct lull_cap *c, const struct lull_rd_section *s)
{
    size_t n = s->size < sizeof c->process - 1 ? s->size : sizeof c->process - 1;
    while (n > 0 && s->payload[n - 1] == '\0') {
        n--;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t ch = s->payload[i];
        c->process[i] = (char)(ch >= ' ' && ch < 0x7f ? ch : '?');
    }
    c->process[n] = '\0';
}

/** What is wrong with a section by itself. */
static const char *wrong(const struct lull_rd_section *s)
{
    struct lull_rd_range r = {0};
    uint64_t number = 0;
    switch (s->filler ? LULL_RD_NONE : s->type) {
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
        return lull_rd_number(s, &number) ? NULL : "too short";
    case LULL_RD_GPUADDR:
    case LULL_RD_CMDSTREAM_ADDR:
    case LULL_RD_SHADER_LOG_BUFFER:
    case LULL_RD_CP_LOG_BUFFER:
        return lull_rd_range(s, &r) ? NULL : "too short";
    default:
        return NULL;
    }
}

LULL_MUST_USE static struct lull_error *section(struct lull_cap *c, const struct lull_rd_section *s)
{
    struct lull_rd_range range = {0};
    struct lull_error *err = NULL;
    const char *bad = wrong(s);
    const uint32_t type = s->filler ? LULL_RD_NONE : s->type;
    c->section_offset = s->offset;
    if (bad == NULL && (type == LULL_RD_GPUADDR || type == LULL_RD_CMD)) {
        new_submit(c);
    }
    if (type == LULL_RD_CMD) {
        process(c, s);
    }
    if (c->v->section != NULL) {
        c->v->section(c->v->ctx, c, s, bad);
    }
    if (bad != NULL) {
        lull_cap_problem(c, 0, "section %" PRIu64 " (%s): %s", s->number, lull_rd_type_name(type),
                         bad);
        return NULL;
    }
    switch (type) {
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
        err = gpu(c, s, type == LULL_RD_CHIP_ID);
        break;
    case LULL_RD_GPUADDR:
        (void)lull_rd_range(s, &range);
        err = lull_cap_add_buffer(c, &range);
        break;
    case LULL_RD_BUFFER_CONTENTS:
        err = lull_cap_fill_buffer(c, s);
        break;
    case LULL_RD_CMDSTREAM_ADDR:
        (void)lull_rd_range(s, &range);
        stream(c, s, &range);
        break;
    default:
        break;
    }
    return err != NULL ? err : c->err;
}

static void done(struct lull_cap *c)
{
    lull_cap_drop_buffers(c);
    free(c->buffers);
    lull_dom_index_free(c->index);
    free(c);
}

struct lull_error *lull_cap_walk(struct lull_stream *s, const struct lull_cap_options *o,
                                 const struct lull_cap_visitor *v, uint64_t *ret_problems)
{
    struct lull_cap *c = calloc(1, sizeof *c);
    struct lull_rd *rd = NULL;
    struct lull_error *err = c == NULL ? &lull_enomem : lull_rd_new(s, 0, &rd);
    bool more = true;
    uint64_t n = 0;
    if (c != NULL) {
        c->o = o != NULL ? *o : (struct lull_cap_options){0};
        c->v = v;
        c->s.policy.conditions = c->o.both ? LULL_AS_ALL : LULL_AS_EVALUATE;
        c->s.memory = (struct lull_as_memory){.ctx = c, .read = memory};
        c->s.sink = (struct lull_as_sink){.ctx = c, .did = lull_cap_did};
        c->s.sink.deaf = 1u << LULL_AS_DONE | (v->read == NULL ? 1u << LULL_AS_READ : 0) |
                         (v->wait == NULL ? 1u << LULL_AS_WAITS : 0) |
                         (v->write == NULL && v->writes == NULL ? 1u << LULL_AS_WRITES : 0) |
                         (v->packet == NULL ? 1u << LULL_AS_MET : 0) |
                         (v->store == NULL ? 1u << LULL_AS_STORE : 0);
        c->s.mode = LULL_AS_ANY_MODE;
    }
    while (err == NULL && more && !c->s.stop) {
        struct lull_rd_section next = {0};
        err = lull_rd_next(rd, &next, &more);
        if (err == NULL && more) {
            n++;
            err = section(c, &next);
        }
    }
    if (err == NULL && n == 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "byte 0: the capture is empty");
    }
    *ret_problems = c != NULL ? c->problems : 0;
    if (c != NULL) {
        done(c);
    }
    lull_rd_free(rd);
    return err;
}
