// SPDX-License-Identifier: MIT
// lull rd show --sections: what is in an rd capture of an Adreno GPU, section by section.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adreno/file/kind.h"
#include "adreno/file/rd.h"
#include "base/json.h"
#include "cli/adreno/rd.h"
#include "cli/opt/command.h"
#include "cli/opt/progress.h"
#include "hw/rd_regs.h"

enum { TEXT_SHOWN = 200 };

struct listing {
    bool json;
    struct lull_str out;
    struct lull_json j;
    struct lull_rd_range buffer; // of the last GPUADDR
    bool has_buffer;
    uint64_t streams; // CMDSTREAM_ADDR so far
    uint64_t bad;     // sections whose payload is too short
};

// Text of a payload up to its NULs, with everything but plain ASCII as \xNN.
static void add_text(struct lull_str *out, const struct lull_rd_section *s, size_t most)
{
    size_t size = s->size;
    while (size > 0 && s->payload[size - 1] == '\0') {
        size--;
    }
    for (size_t i = 0; i < size && i < most; i++) {
        const uint8_t c = s->payload[i];
        if (c == '\\') {
            lull_str_addf(out, "\\\\");
        } else if (c >= ' ' && c < 0x7f) {
            lull_str_addf(out, "%c", c);
        } else {
            lull_str_addf(out, "\\x%02x", c);
        }
    }
    if (size > most) {
        lull_str_addf(out, "...");
    }
}

static void put_range(struct listing *l, const struct lull_rd_range *r, const char *unit)
{
    if (l->json) {
        lull_json_put_hex(&l->j, "address", r->address);
        lull_json_put_u64(&l->j, unit, r->size);
    } else {
        lull_str_addf(&l->out, "0x%" PRIx64 ", %" PRIu32 " %s", r->address, r->size, unit);
    }
}

static void put_stream(struct listing *l, const struct lull_rd_range *r)
{
    put_range(l, r, "dwords");
    if (l->json) {
        lull_json_put_u64(&l->j, "stream", l->streams);
    } else {
        lull_str_addf(&l->out, ", stream %" PRIu64, l->streams);
    }
    l->streams++;
}

static void put_contents(struct listing *l, const struct lull_rd_section *s)
{
    if (!l->has_buffer) {
        if (!l->json) {
            lull_str_addf(&l->out, "of no address");
        }
        return;
    }
    if (l->json) {
        lull_json_put_hex(&l->j, "address", l->buffer.address);
        lull_json_put_u64(&l->j, "buffer_bytes", l->buffer.size);
        return;
    }
    lull_str_addf(&l->out, "at 0x%" PRIx64, l->buffer.address);
    if (l->buffer.size != s->size) {
        lull_str_addf(&l->out, ", buffer of %" PRIu32 " bytes", l->buffer.size);
    }
}

static void put_number(struct listing *l, const struct lull_rd_section *s, uint64_t v)
{
    const bool chip = s->type == LULL_RD_CHIP_ID;
    if (l->json && chip) {
        lull_json_put_hex(&l->j, "chip_id", v);
    } else if (l->json) {
        lull_json_put_u64(&l->j, "gpu_id", v);
    } else if (chip) {
        lull_str_addf(&l->out, "0x%08" PRIx64, v);
    } else {
        lull_str_addf(&l->out, "%" PRIu64, v);
    }
}

static void put_text(struct listing *l, const struct lull_rd_section *s)
{
    if (!l->json) {
        lull_str_addf(&l->out, "\"");
        add_text(&l->out, s, TEXT_SHOWN);
        lull_str_addf(&l->out, "\"");
        return;
    }
    struct lull_str text = {0};
    add_text(&text, s, SIZE_MAX);
    lull_json_put_str(&l->j, "text", lull_str_text(&text));
    l->out.err = l->out.err != NULL ? l->out.err : text.err;
    lull_str_free(&text);
}

// What the payload says. False: it is too short for its type.
static bool summary(struct listing *l, const struct lull_rd_section *s)
{
    struct lull_rd_range range = {0};
    uint64_t number = 0;
    switch (s->filler ? LULL_RD_NONE : s->type) {
    case LULL_RD_TEST:
    case LULL_RD_CMD:
    case LULL_RD_VERT_SHADER:
    case LULL_RD_FRAG_SHADER:
        put_text(l, s);
        return true;
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
        if (!lull_rd_number(s, &number)) {
            return false;
        }
        put_number(l, s, number);
        return true;
    case LULL_RD_GPUADDR:
    case LULL_RD_SHADER_LOG_BUFFER:
    case LULL_RD_CP_LOG_BUFFER:
    case LULL_RD_CMDSTREAM_ADDR:
        if (!lull_rd_range(s, &range)) {
            l->has_buffer = l->has_buffer && s->type != LULL_RD_GPUADDR;
            return false;
        }
        if (s->type == LULL_RD_CMDSTREAM_ADDR) {
            put_stream(l, &range);
            return true;
        }
        if (s->type == LULL_RD_GPUADDR) {
            l->buffer = range;
            l->has_buffer = true;
        }
        put_range(l, &range, "bytes");
        return true;
    case LULL_RD_BUFFER_CONTENTS:
        put_contents(l, s);
        return true;
    default:
        return true;
    }
}

static void type_name(const struct lull_rd_section *s, char *buf, size_t size)
{
    const char *name = s->filler ? lull_rd_type_name(LULL_RD_FILLER) : lull_rd_type_name(s->type);
    if (name != NULL && (s->filler || s->type != LULL_RD_FILLER)) {
        snprintf(buf, size, "%s", name);
    } else {
        snprintf(buf, size, "type %" PRIu32, s->type);
    }
}

static void show_section(struct listing *l, const struct lull_rd_section *s)
{
    char name[32] = "";
    type_name(s, name, sizeof name);
    if (!l->json) {
        lull_str_addf(&l->out, "%6" PRIu64 "  0x%08" PRIx64 "  %-17s %9" PRIu32 "  ", s->number,
                      s->offset, name, s->size);
        if (!summary(l, s)) {
            l->bad++;
            lull_str_addf(&l->out, "too short");
        }
        while (l->out.size > 0 && l->out.text[l->out.size - 1] == ' ') {
            l->out.text[--l->out.size] = '\0';
        }
        lull_str_addf(&l->out, "\n");
        return;
    }
    lull_json_open(&l->j, '{');
    lull_json_put_u64(&l->j, "number", s->number);
    lull_json_put_u64(&l->j, "offset", s->offset);
    lull_json_put_str(&l->j, "type", name);
    lull_json_put_u64(&l->j, "size", s->size);
    if (!summary(l, s)) {
        l->bad++;
        lull_json_put_str(&l->j, "error", "too short");
    }
    lull_json_close(&l->j, '}');
}

// Print what is there, so that memory does not grow with the capture.
LULL_MUST_USE static struct lull_error *flush(struct listing *l)
{
    struct lull_error *err = l->out.err;
    if (err == NULL && l->out.size != 0) {
        fwrite(l->out.text, 1, l->out.size, stdout);
        l->out.size = 0;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *list_sections(struct listing *l, struct lull_rd *rd,
                                                      uint64_t *n)
{
    bool more = true;
    struct lull_error *err = NULL;
    while (err == NULL && more) {
        struct lull_rd_section s = {0};
        err = lull_rd_next(rd, &s, &more);
        if (err == NULL && more) {
            if (*n == 0 && l->json) {
                lull_json_open(&l->j, '{');
                lull_json_key(&l->j, "sections");
                lull_json_open(&l->j, '[');
            } else if (*n == 0) {
                lull_str_addf(&l->out, "%6s  %-10s  %-17s %9s\n", "number", "offset", "type",
                              "bytes");
            }
            ++*n;
            show_section(l, &s);
            err = flush(l);
        }
    }
    return err;
}

// The list, and what is wrong with the capture: after a part of it was shown, that is a finding.
LULL_MUST_USE static struct lull_error *show(const char *path, struct listing *l, int *status)
{
    struct lull_stream *stream = NULL;
    struct lull_rd *rd = NULL;
    uint64_t n = 0;
    struct lull_progress progress = {.quiet = true};
    struct lull_error *err = lull_progress_open(&progress, path, &stream);
    err = err != NULL ? err : lull_error_in(lull_kind_want_rd(stream), "%s", path);
    if (err == NULL) {
        err = lull_rd_new(stream, 0, &rd);
    }
    if (err == NULL) {
        err = lull_error_in(list_sections(l, rd, &n), "%s", path);
        if (err == NULL && n == 0) {
            err = lull_error_new(LULL_ERR_BAD_DATA, "%s: byte 0: the capture is empty", path);
        }
    }
    if (n != 0 && l->json && l->out.err == NULL) {
        lull_json_close(&l->j, ']');
        if (err != NULL) {
            lull_json_put_str(&l->j, "error", lull_error_message(err));
        }
        lull_json_close(&l->j, '}');
        lull_str_addf(&l->out, "\n");
        struct lull_error *late = flush(l);
        err = err != NULL ? err : late;
    }
    if (n != 0 && err != NULL && l->out.err == NULL) {
        fflush(stdout);
        fprintf(stderr, "lull rd: %s\n", lull_error_message(err));
        lull_error_free(err);
        err = NULL;
        *status = LULL_EXIT_FINDINGS;
    }
    if (err == NULL && l->bad != 0) {
        fprintf(stderr, "lull rd: %s: %" PRIu64 " sections are too short for their type\n", path,
                l->bad);
        *status = LULL_EXIT_FINDINGS;
    }
    lull_rd_free(rd);
    lull_stream_free(stream);
    return err;
}

struct lull_error *lull_rd_sections(const char *path, bool json, int *status)
{
    struct listing l = {.json = json};
    l.j.out = &l.out;
    struct lull_error *err = show(path, &l, status);
    lull_str_free(&l.out);
    return err;
}
