// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/script.h"
#include "adreno/cffdump/walk.h"
#include "adreno/file/rd.h"
#include "hw/adreno_chip.h"
#include "hw/rd_regs.h"
#include "isa/spec/spec.h"

enum { WORK_PER_BYTE = 1024, STREAM_SHARE = 4 };

/** The first buffer that begins behind @p address. */
static size_t behind(const struct lull_cff *c, uint64_t address)
{
    size_t from = 0, to = c->nbos;
    while (from < to) {
        const size_t mid = from + (to - from) / 2;
        if (c->bos[mid].address <= address) {
            from = mid + 1;
        } else {
            to = mid;
        }
    }
    return from;
}

const struct lull_cff_bo *lull_cff_bo_at(const struct lull_cff *c, uint64_t address)
{
    const size_t i = behind(c, address);
    const struct lull_cff_bo *b = i > 0 ? &c->bos[i - 1] : NULL;
    return address != 0 && b != NULL && address - b->address < b->size ? b : NULL;
}

struct lull_cff_words lull_cff_memory(const struct lull_cff *c, uint64_t address, uint32_t n)
{
    const struct lull_cff_bo *b = lull_cff_bo_at(c, address);
    if (b == NULL || b->data == NULL || (address - b->address) % 4 != 0) {
        return (struct lull_cff_words){.address = address};
    }
    const uint64_t at = address - b->address, left = b->held > at ? (b->held - at) / 4 : 0;
    return (struct lull_cff_words){
        .words = (const uint32_t *)(const void *)(b->data + at),
        .address = address,
        .n = n < left ? n : (uint32_t)left,
    };
}

static void drop(struct lull_cff *c)
{
    for (size_t i = 0; i < c->nbos; i++) {
        while (c->bos[i].seen != NULL) {
            struct lull_cff_seen *next = c->bos[i].seen->next;
            free(c->bos[i].seen);
            c->bos[i].seen = next;
        }
        free(c->bos[i].data);
    }
    c->nbos = 0;
    c->held = 0;
}

/** A place for the buffer at @p address; NULL: there is no memory. */
static struct lull_cff_bo *place(struct lull_cff *c, uint64_t address)
{
    if (c->nbos == c->bos_room) {
        const size_t room = c->bos_room * 2 + 32;
        struct lull_cff_bo *bos = realloc(c->bos, room * sizeof *bos);
        if (bos == NULL) {
            return NULL;
        }
        c->bos = bos;
        c->bos_room = room;
    }
    const size_t at = behind(c, address);
    memmove(&c->bos[at + 1], &c->bos[at], (c->nbos - at) * sizeof *c->bos);
    c->nbos++;
    c->bos[at] = (struct lull_cff_bo){.address = address};
    return &c->bos[at];
}

/** Into memory that is zero: blocks of zeros are not copied, so that their pages stay untouched. */
static void copy(uint8_t *to, const uint8_t *from, uint64_t size)
{
    static const uint8_t zeros[4096];
    for (uint64_t at = 0; at < size;) {
        const size_t n = size - at < sizeof zeros ? (size_t)(size - at) : sizeof zeros;
        if (memcmp(from + at, zeros, n) != 0) {
            memcpy(to + at, from + at, n);
        }
        at += n;
    }
}

/** A buffer again replaces itself; what lies in another one is that one's already. */
LULL_MUST_USE static struct lull_error *fill(struct lull_cff *c, const struct lull_rd_range *r,
                                             const struct lull_rd_section *s)
{
    struct lull_cff_bo *b = (struct lull_cff_bo *)lull_cff_bo_at(c, r->address);
    const uint64_t most = c->o.most_memory != 0 ? c->o.most_memory : 1ull << 30;
    const uint64_t size = s->size < r->size ? s->size : r->size;
    if (b != NULL && b->address != r->address) {
        return NULL;
    }
    if (c->held + size > most) {
        fprintf(c->log, "offset %" PRIu64 ": buffers of more than %" PRIu64 " bytes, left out\n",
                s->offset, most);
        return NULL;
    }
    uint8_t *data = calloc(1, size + 4ull);
    b = b != NULL || data == NULL ? b : place(c, r->address);
    if (data == NULL || b == NULL) {
        free(data);
        return &lull_enomem;
    }
    copy(data, s->payload, size);
    free(b->data);
    c->held += size - b->held;
    b->data = data;
    b->size = r->size;
    b->held = size;
    return NULL;
}

struct lull_error *lull_cff_set_gpu(struct lull_cff *c, unsigned gen)
{
    if (gen == c->gen || gen < 2 || gen > 7) {
        return NULL;
    }
    const struct lull_dom *doms[LULL_ADRENO_SPACES] = {0};
    const unsigned ndoms = lull_adreno_spaces(gen, doms);
    lull_dom_index_free(c->index);
    c->index = NULL;
    if (c->gen != 0) { // else they are 0, and their pages untouched
        memset(c->special, 0, sizeof c->special);
    }
    c->gen = gen;
    c->dom.chip = gen;
    lull_cff_set_engine(c);
    lull_cff_set_ops(c);
    lull_cff_set_special(c);
    struct lull_error *err =
        lull_dom_index_new(&lull_dom_adreno, gen, doms, ndoms, LULL_CFF_REGS, &c->index);
    return err != NULL ? err : lull_cff_queries(c);
}

static void stream(struct lull_cff *c, const struct lull_rd_range *r, int64_t number)
{
    if (number < c->o.first || (c->o.last >= 0 && number > c->o.last)) {
        return;
    }
    lull_cff_say(c, 2, "############################################################\n");
    lull_cff_say(c, 2, "cmdstream[%" PRId64 "]: %u dwords\n", number, r->size);
    const struct lull_cff_words w = lull_cff_memory(c, r->address, r->size);
    if (w.n < r->size) {
        fprintf(c->log, "stream %" PRId64 " at 0x%" PRIx64 ": %u dwords, %u are in a buffer\n",
                number, r->address, r->size, w.n);
    }
    c->depth = 0;
    c->idle = false;
    const uint64_t share = c->work / STREAM_SHARE;
    c->work_here = share;
    if (!c->skip) {
        c->err = lull_cff_script_call(c->o.script, "start_submit", NULL);
        if (w.words == NULL) {
            lull_cff_say(c, 0, "NULL cmd buffer!\n");
        } else if (c->gen != 0) {
            lull_cff_commands(c, w);
        }
        if (c->err == NULL) {
            c->err = lull_cff_script_call(c->o.script, "end_submit", NULL);
        }
    }
    c->work -= share - c->work_here;
    c->work_here = UINT64_MAX;
    lull_cff_say(c, 2, "############################################################\n");
    lull_cff_say(c, 2, "vertices: %u\n", c->vertices);
}

/** The error that ended the decode, which the caller owns then. */
LULL_MUST_USE static struct lull_error *take_error(struct lull_cff *c)
{
    struct lull_error *err = c->err;
    c->err = NULL;
    return err;
}

/** Is this the text of a process whose streams are not shown? */
static bool unwanted(const struct lull_cff *c, const struct lull_rd_section *s)
{
    static const char *const compositors[] = {"fdperf", "chrome", "surfaceflinger", "X"};
    const char *text = s->size > 0 ? (const char *)s->payload : "";
    if (c->o.exe != NULL) {
        const size_t n = strlen(c->o.exe);
        return s->size < n || memcmp(text, c->o.exe, n) != 0;
    }
    bool is = false;
    for (size_t i = 0; i < sizeof compositors / sizeof compositors[0]; i++) {
        const size_t n = strlen(compositors[i]);
        is |= s->size >= n && memcmp(text, compositors[i], n) == 0;
    }
    return is && !c->o.compositor;
}

static void text_section(struct lull_cff *c, const struct lull_rd_section *s)
{
    const char *text = s->size > 0 ? (const char *)s->payload : "";
    const char *what = s->type == LULL_RD_CMD           ? "cmd: "
                       : s->type == LULL_RD_TEST        ? "test: "
                       : s->type == LULL_RD_VERT_SHADER ? "vertex shader:\n"
                                                        : "fragment shader:\n";
    lull_cff_say(c, s->type == LULL_RD_TEST ? 1 : 2, "%s", what);
    lull_cff_text(c, s->type == LULL_RD_TEST ? 1 : 2, text, strnlen(text, s->size));
    lull_cff_say(c, s->type == LULL_RD_TEST ? 1 : 2, "\n");
    c->skip = s->type == LULL_RD_CMD ? unwanted(c, s) : c->skip;
}

struct reader {
    bool had_stream;
    struct lull_rd_range range; ///< Of the contents that come next.
    int64_t streams;
};

LULL_MUST_USE static struct lull_error *section(struct lull_cff *c, struct reader *r,
                                                const struct lull_rd_section *s)
{
    struct lull_rd_range range = {0};
    uint64_t number = 0;
    switch (s->filler ? LULL_RD_NONE : s->type) {
    case LULL_RD_GPU_ID:
        if (c->gen == 0 && lull_rd_number(s, &number) && number != 0) {
            lull_cff_say(c, 2, "gpu_id: %" PRIu64 "\n", number);
            return lull_cff_set_gpu(c, (unsigned)(number / 100));
        }
        return NULL;
    case LULL_RD_CHIP_ID:
        if (c->gen == 0 && lull_rd_number(s, &number)) {
            lull_cff_say(c, 2, "chip_id: 0x%" PRIx64 "\n", number);
            return lull_cff_set_gpu(c, lull_adreno_gen(number));
        }
        return NULL;
    case LULL_RD_CMD:
    case LULL_RD_TEST:
    case LULL_RD_VERT_SHADER:
    case LULL_RD_FRAG_SHADER:
        text_section(c, s);
        return NULL;
    case LULL_RD_GPUADDR:
        if (r->had_stream) {
            drop(c);
            r->had_stream = false;
        }
        r->range = lull_rd_range(s, &range) ? range : r->range;
        return NULL;
    case LULL_RD_BUFFER_CONTENTS:
        return fill(c, &r->range, s);
    case LULL_RD_CMDSTREAM_ADDR:
        r->had_stream = true;
        if (lull_rd_range(s, &range)) {
            stream(c, &range, r->streams++);
        }
        return take_error(c);
    default:
        return NULL;
    }
}

struct lull_error *lull_cff_new(const struct lull_cff_options *o, FILE *out, FILE *log,
                                struct lull_cff **ret)
{
    struct lull_cff *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return &lull_enomem;
    }
    c->o = *o;
    c->o.nqueries = o->nqueries < LULL_CFF_QUERIES ? o->nqueries : LULL_CFF_QUERIES;
    c->out = out;
    c->log = log;
    c->work = o->most_work != 0 ? o->most_work : 256ull << 20;
    c->work_here = UINT64_MAX;
    c->dom.like_mesa = true;
    c->dom.colors = o->color ? lull_cff_colors() : NULL;
    *ret = c;
    return NULL;
}

void lull_cff_free(struct lull_cff *c)
{
    if (c != NULL) {
        lull_cff_flush(c);
        drop(c);
        free(c->bos);
        lull_str_free(&c->text);
        lull_dom_index_free(c->index);
        lull_spec_again_free(c->printed);
        lull_error_free(c->err);
        free(c);
    }
}

struct lull_error *lull_cff_add_bo(struct lull_cff *c, uint64_t address, uint64_t size,
                                   const void *data, uint64_t data_size)
{
    struct lull_cff_bo *b = place(c, address);
    if (b == NULL) {
        return &lull_enomem;
    }
    b->size = size;
    if (data != NULL) {
        b->data = calloc(1, size + 4);
        if (b->data == NULL) {
            return &lull_enomem;
        }
        b->held = size;
        memcpy(b->data, data, data_size < size ? data_size : size);
    }
    return NULL;
}

struct lull_error *lull_cff_decode(struct lull_stream *s, const struct lull_cff_options *o,
                                   FILE *out, FILE *log)
{
    struct lull_cff *c = NULL;
    struct lull_rd *rd = NULL;
    struct reader r = {0};
    struct lull_error *err = lull_cff_new(o, out, log, &c);
    err = err != NULL ? err : lull_rd_new(s, 0, &rd);
    bool more = true, some = false;
    if (err == NULL) {
        lull_cff_script_use(o->script, c);
        err = lull_cff_script_call(o->script, "start_cmdstream", o->name != NULL ? o->name : "");
    }
    while (err == NULL && more) {
        struct lull_rd_section next = {0};
        err = lull_error_damaged(lull_rd_next(rd, &next, &more), some);
        some = true;
        if (err == NULL && more) {
            c->work += next.size * (uint64_t)WORK_PER_BYTE;
            err = section(c, &r, &next);
        }
    }
    if (err == NULL) {
        err = lull_cff_script_call(o->script, "end_cmdstream", NULL);
    }
    lull_cff_script_use(o->script, NULL);
    lull_cff_free(c);
    lull_rd_free(rd);
    return err;
}
