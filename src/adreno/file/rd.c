// SPDX-License-Identifier: MIT
#include "adreno/file/rd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cur.h"
#include "hw/rd_regs.h"

enum { HEADER_BYTES = 8, FIRST_ROOM = 1 << 16, MOST_EMPTY = 1 << 16, FREE_SECTIONS = 1 << 20 };

struct lull_rd {
    struct lull_stream *stream; // borrowed
    uint64_t offset, number;
    uint64_t empty, empty_at; // sections without payload in a row, and where they begin
    uint32_t limit;
    bool broken;
    uint8_t *payload;
    size_t room;
};

struct lull_error *lull_rd_new(struct lull_stream *s, uint32_t limit, struct lull_rd **ret)
{
    struct lull_rd *rd = calloc(1, sizeof *rd);
    if (rd == NULL) {
        return &lull_enomem;
    }
    rd->stream = s;
    rd->limit = limit != 0 ? limit : LULL_RD_LIMIT;
    *ret = rd;
    return NULL;
}

void lull_rd_free(struct lull_rd *rd)
{
    if (rd != NULL) {
        free(rd->payload);
        free(rd);
    }
}

const char *lull_rd_type_name(uint32_t type)
{
    const struct lull_reg_entry *e = lull_reg_at(&lull_regs_rd, 0, type);
    return e != NULL ? e->name : NULL;
}

// The stream gave less than wanted: its own error, or that the capture ends there.
LULL_MUST_USE static struct lull_error *ended(const struct lull_rd *rd, const char *part,
                                              size_t want, size_t got)
{
    struct lull_error *err = lull_stream_error(rd->stream);
    if (err != NULL) {
        return lull_error_in(err, "byte %" PRIu64, rd->offset);
    }
    return lull_error_new(LULL_ERR_BAD_DATA,
                          "byte %" PRIu64 ": section %" PRIu64 ": %s of %zu bytes, %zu left",
                          rd->offset, rd->number, part, want, got);
}

// Payload of size bytes to rd->payload, which grows as bytes really come.
LULL_MUST_USE static struct lull_error *read_payload(struct lull_rd *rd, uint32_t size)
{
    size_t got = 0;
    while (got < size) {
        if (got == rd->room) {
            size_t room = rd->room != 0 ? 2 * rd->room : FIRST_ROOM;
            uint8_t *grown = realloc(rd->payload, room);
            if (grown == NULL) {
                return &lull_enomem;
            }
            rd->payload = grown;
            rd->room = room;
        }
        const size_t want = (size < rd->room ? size : rd->room) - got;
        const size_t n = lull_stream_read(rd->stream, rd->payload + got, want);
        got += n;
        if (n < want) {
            return ended(rd, "payload", size, got);
        }
    }
    return NULL;
}

// Zeros are empty sections without an end, and a packer makes any number of small ones of nothing.
LULL_MUST_USE static struct lull_error *check_count(struct lull_rd *rd, uint32_t size)
{
    rd->empty_at = rd->empty == 0 ? rd->offset : rd->empty_at;
    rd->empty = size == 0 ? rd->empty + 1 : 0;
    if (rd->empty > MOST_EMPTY) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "byte %" PRIu64 ": %d empty sections in a row: not an rd capture",
                              rd->empty_at, MOST_EMPTY);
    }
    if (rd->number > FREE_SECTIONS && rd->number - FREE_SECTIONS > lull_stream_packed(rd->stream)) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "byte %" PRIu64 ": section %" PRIu64 ": too many for the %" PRIu64
                              " packed bytes that were read",
                              rd->offset, rd->number, lull_stream_packed(rd->stream));
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_section(struct lull_rd *rd, struct lull_rd_section *s,
                                                     bool *more)
{
    uint8_t header[HEADER_BYTES] = {0};
    const size_t got = lull_stream_read(rd->stream, header, sizeof header);
    if (got == 0) {
        *more = false;
        struct lull_error *err = lull_stream_error(rd->stream);
        return lull_error_in(err, "byte %" PRIu64, rd->offset);
    }
    if (got < sizeof header) {
        return ended(rd, "header", sizeof header, got);
    }
    struct lull_cur c = lull_cur_of(header, sizeof header);
    s->offset = rd->offset;
    s->number = rd->number;
    s->type = lull_cur_u32(&c);
    s->size = lull_cur_u32(&c);
    s->filler = s->type == LULL_RD_FILLER && s->size == LULL_RD_FILLER;
    s->size = s->filler ? 0 : s->size;
    *more = true;
    struct lull_error *err = check_count(rd, s->size);
    if (err != NULL) {
        return err;
    }
    if (s->size > rd->limit) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "byte %" PRIu64 ": section %" PRIu64 " of type %" PRIu32
                              ": payload of %" PRIu32 " bytes, the limit is %" PRIu32,
                              rd->offset, rd->number, s->type, s->size, rd->limit);
    }
    err = read_payload(rd, s->size);
    s->payload = s->size != 0 ? rd->payload : NULL;
    return err;
}

struct lull_error *lull_rd_next(struct lull_rd *rd, struct lull_rd_section *ret, bool *ret_more)
{
    struct lull_rd_section s = {0};
    bool more = false;
    if (rd->broken) {
        return lull_error_new(LULL_ERR_BAD_DATA, "byte %" PRIu64 ": the capture is damaged here",
                              rd->offset);
    }
    struct lull_error *err = read_section(rd, &s, &more);
    if (err != NULL) {
        rd->broken = true;
        return err;
    }
    if (more) {
        rd->offset += HEADER_BYTES + (uint64_t)s.size;
        rd->number++;
        *ret = s;
    }
    *ret_more = more;
    return NULL;
}

bool lull_rd_range(const struct lull_rd_section *section, struct lull_rd_range *ret)
{
    struct lull_cur c = lull_cur_of(section->payload, section->size);
    const uint32_t lo = lull_cur_u32(&c);
    const uint32_t size = lull_cur_u32(&c);
    // Old captures have no third word: their addresses are of 32 bits.
    const uint64_t hi = lull_cur_left(&c) >= 4 ? lull_cur_u32(&c) : 0;
    if (c.bad) {
        return false;
    }
    *ret = (struct lull_rd_range){.address = hi << 32 | lo, .size = size};
    return true;
}

bool lull_rd_number(const struct lull_rd_section *section, uint64_t *ret)
{
    struct lull_cur c = lull_cur_of(section->payload, section->size);
    const uint64_t v = section->type == LULL_RD_CHIP_ID ? lull_cur_u64(&c) : lull_cur_u32(&c);
    *ret = c.bad ? *ret : v;
    return !c.bad;
}

// @return Its bytes.
static size_t header(const struct lull_rd_section *section, char ret[HEADER_BYTES])
{
    const uint32_t words[] = {section->filler ? LULL_RD_FILLER : section->type,
                              section->filler ? LULL_RD_FILLER : section->size};
    for (size_t i = 0; i < HEADER_BYTES; i++) {
        ret[i] = (char)(uint8_t)(words[i / 4] >> (8 * (i % 4))); // little-endian
    }
    return HEADER_BYTES;
}

void lull_rd_put(struct lull_str *to, const struct lull_rd_section *section)
{
    char bytes[HEADER_BYTES];
    lull_str_add(to, bytes, header(section, bytes));
    lull_str_add(to, (const char *)section->payload, section->filler ? 0 : section->size);
}

struct lull_error *lull_rd_write(FILE *to, const struct lull_rd_section *section)
{
    char bytes[HEADER_BYTES];
    const size_t n = header(section, bytes), size = section->filler ? 0 : section->size;
    if (fwrite(bytes, 1, n, to) != n ||
        (size != 0 && fwrite(section->payload, 1, size, to) != size)) {
        return lull_error_os(errno, "write");
    }
    return NULL;
}
