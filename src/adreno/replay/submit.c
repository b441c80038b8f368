// SPDX-License-Identifier: MIT
#include "adreno/replay/submit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/file/rd.h"
#include "base/cur.h"
#include "hw/rd_regs.h"

enum { DWORD = 4 };

struct lull_rp_reader {
    struct lull_rd *rd;
    uint64_t most, held;
    uint64_t submits, streams;
    struct lull_rp_submit next; // That is being read.
    bool in_submit, newest;     // newest: the last range has no contents yet.
    bool ended;
    uint64_t gpu_id, chip_id;
};

void lull_rp_submit_done(struct lull_rp_submit *s)
{
    for (size_t i = 0; i < s->nbuffers; i++) {
        free(s->buffers[i].data);
    }
    free(s->buffers);
    free(s->streams);
    free(s->logs);
    *s = (struct lull_rp_submit){0};
}

/** Room for one more of @p n things of @p size bytes; it grows by doubling. */
LULL_MUST_USE static struct lull_error *grow(void **list, size_t n, size_t size)
{
    if ((n & (n - 1)) != 0) { // not a power of two: there is room
        return NULL;
    }
    void *grown = realloc(*list, (n != 0 ? 2 * n : 1) * size);
    if (grown == NULL) {
        return &lull_enomem;
    }
    *list = grown;
    return NULL;
}

LULL_MUST_USE static struct lull_error *fill(struct lull_rp_buffer *b, const uint8_t *data,
                                             uint32_t held)
{
    uint8_t *copy = data != NULL && held != 0 ? malloc(held) : NULL;
    if (copy == NULL) {
        return data != NULL && held != 0 ? &lull_enomem : NULL;
    }
    memcpy(copy, data, held);
    b->data = copy;
    b->held = held;
    return NULL;
}

struct lull_error *lull_rp_submit_add(struct lull_rp_submit *s, const struct lull_rp_buffer *b)
{
    void *list = s->buffers;
    struct lull_rp_buffer own = {.address = b->address, .size = b->size};
    struct lull_error *err = grow(&list, s->nbuffers, sizeof *s->buffers);
    s->buffers = list;
    err = err != NULL ? err : fill(&own, b->data, b->held);
    if (err == NULL) {
        s->buffers[s->nbuffers++] = own;
    }
    return err;
}

struct lull_error *lull_rp_submit_add_stream(struct lull_rp_submit *s,
                                             const struct lull_rp_stream *stream)
{
    void *list = s->streams;
    struct lull_error *err = grow(&list, s->nstreams, sizeof *s->streams);
    s->streams = list;
    if (err == NULL) {
        s->streams[s->nstreams++] = *stream;
    }
    return err;
}

struct lull_error *lull_rp_submit_add_log(struct lull_rp_submit *s, const struct lull_rp_log *log)
{
    void *list = s->logs;
    struct lull_error *err = grow(&list, s->nlogs, sizeof *s->logs);
    s->logs = list;
    if (err == NULL) {
        s->logs[s->nlogs++] = *log;
    }
    return err;
}

const struct lull_rp_buffer *lull_rp_buffer_at(const struct lull_rp_submit *s, uint64_t address)
{
    const struct lull_rp_buffer *named = NULL;
    for (size_t i = s->nbuffers; i-- > 0;) {
        const struct lull_rp_buffer *b = &s->buffers[i];
        if (address < b->address || address - b->address >= b->size) {
            continue;
        }
        if (address - b->address < b->held) {
            return b;
        }
        named = named != NULL ? named : b;
    }
    return named;
}

void lull_rp_submit_patch(struct lull_rp_submit *s, uint64_t address, const void *data,
                          uint32_t size)
{
    for (size_t i = 0; i < s->nbuffers; i++) {
        const struct lull_rp_buffer *b = &s->buffers[i];
        const uint64_t at = address - b->address;
        if (address >= b->address && at < b->held && size <= b->held - at) {
            memcpy(b->data + at, data, size);
        }
    }
}

static void put(struct lull_str *to, uint32_t type, const void *payload, uint32_t size)
{
    const struct lull_rd_section s = {.type = type, .size = size, .payload = payload};
    lull_rd_put(to, &s);
}

static void put_range(struct lull_str *to, uint32_t type, uint64_t address, uint32_t size)
{
    const uint32_t words[] = {(uint32_t)address, size, (uint32_t)(address >> 32)};
    put(to, type, words, sizeof words);
}

void lull_rp_submit_put_gpu(const struct lull_rp_submit *s, struct lull_str *to)
{
    if (s->gpu_id != 0) {
        const uint32_t id = (uint32_t)s->gpu_id;
        put(to, LULL_RD_GPU_ID, &id, sizeof id);
    }
    if (s->chip_id != 0) {
        put(to, LULL_RD_CHIP_ID, &s->chip_id, sizeof s->chip_id);
    }
}

void lull_rp_submit_put(const struct lull_rp_submit *s, struct lull_str *to)
{
    char text[LULL_RP_TEXT + DWORD] = "";
    memcpy(text, s->process, sizeof s->process);
    put(to, LULL_RD_CMD, text, (uint32_t)(strlen(text) / DWORD + 1) * DWORD);
    for (size_t i = 0; i < s->nbuffers; i++) {
        const struct lull_rp_buffer *b = &s->buffers[i];
        put_range(to, LULL_RD_GPUADDR, b->address, b->size);
        if (b->data != NULL) {
            put(to, LULL_RD_BUFFER_CONTENTS, b->data, b->held);
        }
    }
    for (size_t i = 0; i < s->nstreams; i++) {
        put_range(to, LULL_RD_CMDSTREAM_ADDR, s->streams[i].address, s->streams[i].dwords);
    }
}

struct lull_error *lull_rp_reader_new(struct lull_stream *s, uint64_t most,
                                      struct lull_rp_reader **ret)
{
    struct lull_rp_reader *r = calloc(1, sizeof *r);
    struct lull_error *err = r == NULL ? &lull_enomem : lull_rd_new(s, 0, &r->rd);
    if (err != NULL) {
        free(r);
        return err;
    }
    r->most = most != 0 ? most : 1ull << 32;
    *ret = r;
    return NULL;
}

void lull_rp_reader_free(struct lull_rp_reader *r)
{
    if (r != NULL) {
        lull_rp_submit_done(&r->next);
        lull_rd_free(r->rd);
        free(r);
    }
}

LULL_MUST_USE static struct lull_error *wrong(const struct lull_rd_section *s, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "byte %" PRIu64 ": section %" PRIu64 " (%s): %s",
                          s->offset, s->number, lull_rd_type_name(s->type), what);
}

LULL_MUST_USE static struct lull_error *contents(struct lull_rp_reader *r,
                                                 const struct lull_rd_section *s)
{
    struct lull_rp_submit *to = &r->next;
    if (!r->newest) {
        return wrong(s, "contents that belong to no buffer");
    }
    struct lull_rp_buffer *b = &to->buffers[to->nbuffers - 1];
    const uint32_t size = s->size < b->size ? s->size : b->size;
    r->newest = false;
    if (size > r->most - r->held) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "byte %" PRIu64 ": buffers of submit %" PRIu64
                              " have more than %" PRIu64 " bytes",
                              s->offset, r->submits, r->most);
    }
    r->held += size;
    return fill(b, s->payload, size);
}

/** What can be printed of a text that ends with 0 or the section. */
static void text(char *to, size_t room, const struct lull_rd_section *s, size_t from)
{
    size_t n = 0;
    for (; from + n < s->size && n + 1 < room && s->payload[from + n] != '\0'; n++) {
        const uint8_t c = s->payload[from + n];
        to[n] = (char)(c >= ' ' && c < 0x7f ? c : '?');
    }
    to[n] = '\0';
}

LULL_MUST_USE static struct lull_error *log_of(struct lull_rp_reader *r,
                                               const struct lull_rd_section *s)
{
    enum { HEAD = 24 };
    struct lull_rp_log log = {.kind = s->type == LULL_RD_CP_LOG_BUFFER       ? LULL_RP_LOG_CP
                                      : s->type == LULL_RD_SHADER_LOG_BUFFER ? LULL_RP_LOG_SHADER
                                                                             : LULL_RP_LOG_FILE};
    struct lull_rd_range range = {0};
    struct lull_cur cur = lull_cur_of(s->payload, s->size);
    if (log.kind != LULL_RP_LOG_FILE) {
        if (!lull_rd_range(s, &range)) {
            return wrong(s, "too short");
        }
        log.address = range.address;
        log.size = range.size;
    } else {
        log.address = lull_cur_u64(&cur);
        log.size = lull_cur_u64(&cur);
        log.clear = lull_cur_u64(&cur) != 0;
        if (s->size < HEAD) {
            return wrong(s, "too short");
        }
        text(log.name, sizeof log.name, s, HEAD);
    }
    return lull_rp_submit_add_log(&r->next, &log);
}

LULL_MUST_USE static struct lull_error *section(struct lull_rp_reader *r,
                                                const struct lull_rd_section *s)
{
    struct lull_rd_range range = {0};
    uint64_t number = 0;
    switch (s->type) {
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
        if (!lull_rd_number(s, &number)) {
            return wrong(s, "too short");
        }
        *(s->type == LULL_RD_GPU_ID ? &r->gpu_id : &r->chip_id) = number;
        return NULL;
    case LULL_RD_CMD:
        r->in_submit = true;
        text(r->next.process, sizeof r->next.process, s, 0);
        return NULL;
    case LULL_RD_BUFFER_CONTENTS:
        return contents(r, s);
    case LULL_RD_CP_LOG_BUFFER:
    case LULL_RD_SHADER_LOG_BUFFER:
    case LULL_RD_WRBUFFER:
        return log_of(r, s);
    case LULL_RD_GPUADDR:
    case LULL_RD_CMDSTREAM_ADDR:
        if (!lull_rd_range(s, &range)) {
            return wrong(s, "too short");
        }
        break;
    default:
        return NULL;
    }
    r->in_submit = true;
    r->newest = s->type == LULL_RD_GPUADDR;
    const struct lull_rp_buffer b = {.address = range.address, .size = range.size};
    const struct lull_rp_stream st = {r->streams, range.address, range.size};
    r->streams += !r->newest;
    return r->newest ? lull_rp_submit_add(&r->next, &b) : lull_rp_submit_add_stream(&r->next, &st);
}

static void give(struct lull_rp_reader *r, struct lull_rp_submit *ret)
{
    *ret = r->next;
    ret->number = r->submits++;
    ret->gpu_id = r->gpu_id;
    ret->chip_id = r->chip_id;
    r->next = (struct lull_rp_submit){0};
    r->in_submit = r->newest = false;
    r->held = 0;
}

/** Does it belong to the next submit, if it comes after a stream? */
static bool begins(const struct lull_rd_section *s)
{
    return !s->filler && (s->type == LULL_RD_CMD || s->type == LULL_RD_GPUADDR ||
                          s->type == LULL_RD_GPU_ID || s->type == LULL_RD_CHIP_ID ||
                          s->type == LULL_RD_CP_LOG_BUFFER || s->type == LULL_RD_SHADER_LOG_BUFFER);
}

struct lull_error *lull_rp_reader_next(struct lull_rp_reader *r, struct lull_rp_submit *ret,
                                       bool *ret_more)
{
    struct lull_error *err = NULL;
    *ret_more = false;
    while (err == NULL && !*ret_more && !r->ended) {
        struct lull_rd_section s = {0};
        bool more = false;
        err = lull_rd_next(r->rd, &s, &more);
        r->ended = err != NULL || !more;
        if (err == NULL && r->next.nstreams != 0 && (r->ended || begins(&s))) {
            give(r, ret);
            *ret_more = true;
        }
        if (err == NULL && more && !s.filler) {
            err = section(r, &s);
        }
    }
    if (err != NULL) {
        r->ended = true;
        if (*ret_more) {
            lull_rp_submit_done(ret);
            *ret_more = false;
        }
    }
    return err;
}
