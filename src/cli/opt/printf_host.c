// SPDX-License-Identifier: MIT
#include "cli/opt/printf_host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/json.h"
#include "base/output.h"
#include "cli/opt/args.h"

enum { DEFAULT_BYTES = 1 << 20 };
static const uint64_t MAX_BYTES = (UINT64_C(1) << 31) + LULL_PRINTF_HEADER_BYTES;

LULL_MUST_USE static struct lull_error *flag(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct lull_printf_host *p = base;
    char *text = NULL;
    p->wanted = true;
    if (asprintf(&text, "%s=%s", o->name, value) < 0) {
        return &lull_enomem;
    }
    p->flags[p->nflags++] = text; // each is given once: there is room
    return NULL;
}

LULL_MUST_USE static struct lull_error *bytes(void *base, const struct lull_opt *o,
                                              const char *value)
{
    struct lull_printf_host *p = base;
    p->wanted = true;
    return lull_opt_number(o->name, value, LULL_PRINTF_HEADER_BYTES, MAX_BYTES, &p->bytes);
}

LULL_MUST_USE static struct lull_error *save(void *base, const struct lull_opt *o,
                                             const char *value)
{
    struct lull_printf_host *p = base;
    p->wanted = true;
    p->save = value;
    return value[0] != '\0' ? NULL
                            : lull_error_new(LULL_ERR_INVALID, "%s needs a file's name", o->name);
}

const struct lull_opt lull_printf_host_opts[] = {
    {"--printf", NULL, NULL, "compile printf in, and print its lines", LULL_OPT_FLAG,
     LULL_OPT_AT(struct lull_printf_host, wanted)},
    {"--printf-size", NULL, "BYTES", "size of its buffer; 1 MiB if not given", LULL_OPT_CALL,
     .call = bytes},
    {"--printf-record", NULL, "LIST", "what lines begin with, of dispatch,workgroup,wave,lane",
     LULL_OPT_CALL, .call = flag},
    {"--printf-atomic", NULL, "wave|lane", "one atomic for a wave (if not given) or for each lane",
     LULL_OPT_CHOICE, .call = flag},
    {"--printf-save", NULL, "FILE", "the buffer as it is, for lull printf decode", LULL_OPT_CALL,
     .call = save},
    {0},
};

void lull_printf_host_compile(const struct lull_printf_host *p, struct lull_compile *how)
{
    how->printf = p->wanted;
    how->printf_flags = p->flags;
}

struct lull_error *lull_printf_host_make(struct lull_printf_host *p, const void *data, size_t size,
                                         const char *name, struct lull_amd_device *d)
{
    if (!p->wanted) {
        return NULL;
    }
    size_t count = 0;
    struct lull_error *err = lull_printf_table_new(&p->table);
    if (err == NULL) {
        err = lull_printf_table_load(p->table, data, size, name, &count);
        if (err != NULL && lull_error_code(err) == LULL_ERR_NOT_FOUND) {
            lull_error_free(err); // a kernel without printf
            err = NULL;
        }
    }
    for (size_t i = 0; err == NULL && i < lull_printf_table_warnings(p->table); i++) {
        fprintf(stderr, "warning: %s\n", lull_printf_table_warning(p->table, i));
    }
    if (err == NULL && count == 0) {
        fprintf(stderr, "%s: warning: no printf in it\n", name);
    }
    p->bytes = p->bytes != 0 ? p->bytes : DEFAULT_BYTES;
    return err != NULL ? err : lull_amd_printf_new(d, p->bytes, 0, &p->at);
}

void lull_printf_host_restart(struct lull_printf_host *p)
{
    if (p->at.buffer != NULL) {
        memset(p->at.buffer->map, 0, p->bytes);
        p->decoder = (struct lull_printf_decoder){0};
    }
}

// "[dispatch 0 workgroup 1,0,0 wave 2 lane 3] ", of what is known.
static void place(struct lull_str *out, const struct lull_printf_event *e)
{
    const char *gap = "[";
    if ((e->records & LULL_PRINTF_DISPATCH) != 0) {
        lull_str_addf(out, "%sdispatch %u", gap, e->dispatch);
        gap = " ";
    }
    if ((e->records & LULL_PRINTF_WORKGROUP) != 0) {
        lull_str_addf(out, "%sworkgroup %u,%u,%u", gap, e->workgroup[0], e->workgroup[1],
                      e->workgroup[2]);
        gap = " ";
    }
    if ((e->records & LULL_PRINTF_WAVE) != 0) {
        lull_str_addf(out, "%swave %u", gap, e->wave);
        gap = " ";
    }
    if ((e->records & LULL_PRINTF_LANE) != 0) {
        lull_str_addf(out, "%slane %u", gap, e->lane);
    }
    lull_str_add(out, "] ", 2);
}

static void as_text(struct lull_printf_host *p, const struct lull_printf_event *e)
{
    const bool line = e->string == NULL || !e->string->stream;
    if ((line || e->records != 0 || e->problem[0] != '\0') && p->middle) {
        lull_str_add(p->out, "\n", 1);
        p->middle = false;
    }
    if (e->string == NULL && e->text_size == 0) {
        return; // something that is wrong, and no text
    }
    if (e->records != 0) {
        place(p->out, e);
    }
    lull_str_add(p->out, e->text, e->text_size);
    const bool ended = e->text_size != 0 && e->text[e->text_size - 1] == '\n';
    if (line && !ended) {
        lull_str_add(p->out, "\n", 1);
    }
    p->middle = !line && !ended && (e->text_size != 0 || e->records != 0 || p->middle);
}

static void as_json(struct lull_printf_host *p, const struct lull_printf_event *e)
{
    struct lull_json json = {.out = p->out};
    lull_json_open(&json, '{');
    lull_json_put_str(&json, "printf", e->text);
    if ((e->records & LULL_PRINTF_DISPATCH) != 0) {
        lull_json_put_u64(&json, "dispatch", e->dispatch);
    }
    if ((e->records & LULL_PRINTF_WORKGROUP) != 0) {
        lull_json_key(&json, "workgroup");
        lull_json_open(&json, '[');
        for (unsigned i = 0; i < 3; i++) {
            lull_json_u64(&json, e->workgroup[i]);
        }
        lull_json_close(&json, ']');
    }
    if ((e->records & LULL_PRINTF_WAVE) != 0) {
        lull_json_put_u64(&json, "wave", e->wave);
    }
    if ((e->records & LULL_PRINTF_LANE) != 0) {
        lull_json_put_u64(&json, "lane", e->lane);
    }
    if (e->problem[0] != '\0') {
        lull_json_put_str(&json, "problem", e->problem);
    }
    lull_json_close(&json, '}');
    lull_str_add(p->out, "\n", 1);
}

LULL_MUST_USE static struct lull_error *on_event(void *arg, const struct lull_printf_event *e)
{
    struct lull_printf_host *p = arg;
    if (e->kind == LULL_PRINTF_LOST) {
        p->lost += e->lost;
        return NULL;
    }
    if (e->kind == LULL_PRINTF_CANDIDATE) {
        return NULL;
    }
    if (p->json) {
        as_json(p, e);
    } else {
        as_text(p, e);
    }
    if (!p->json && e->problem[0] != '\0') {
        fprintf(stderr, "printf: byte %" PRIu64 " of the buffer: %s\n", e->offset, e->problem);
    }
    return p->out->err;
}

struct lull_error *lull_printf_host_drain(struct lull_printf_host *p, bool live, bool json,
                                          struct lull_str *out)
{
    if (p->at.buffer == NULL) {
        return NULL;
    }
    p->json = json;
    p->out = out;
    return lull_printf_decode(&p->decoder, p->table, p->at.buffer->map, p->bytes, live, on_event,
                              p);
}

struct lull_error *lull_printf_host_end(struct lull_printf_host *p, bool *ret_bad)
{
    if (p->at.buffer == NULL) {
        return NULL;
    }
    if (p->lost != 0) {
        fprintf(stderr,
                "printf: %" PRIu64 " entries lost: the buffer of %" PRIu64
                " bytes is full (--printf-size)\n",
                p->lost, p->bytes);
    }
    *ret_bad = p->lost != 0 || p->decoder.problems != 0;
    return p->save != NULL ? lull_output_write(p->save, p->at.buffer->map, p->bytes) : NULL;
}

struct lull_error *lull_printf_host_show(struct lull_printf_host *p, bool json, bool *ret_bad)
{
    struct lull_str out = {0};
    struct lull_error *err = lull_printf_host_drain(p, false, json, &out);
    fwrite(lull_str_text(&out), 1, out.size, stdout);
    if (p->middle) {
        putchar('\n');
    }
    fflush(stdout);
    lull_str_free(&out);
    return err != NULL ? err : lull_printf_host_end(p, ret_bad);
}

void lull_printf_host_info(const struct lull_printf_host *p, struct lull_str *out)
{
    uint64_t asked = 0;
    uint32_t lost = 0;
    if (p->at.buffer == NULL) {
        lull_str_addf(out, "No printf buffer: start with --printf.\n");
        return;
    }
    memcpy(&asked, p->at.buffer->map, sizeof asked);
    memcpy(&lost, (const uint8_t *)p->at.buffer->map + sizeof asked, sizeof lost);
    lull_str_addf(out,
                  "Buffer at 0x%" PRIx64 ", %" PRIu64 " bytes, %" PRIu64 " used; %" PRIu64
                  " entries shown, %u lost\n",
                  p->at.buffer->va, p->bytes, LULL_PRINTF_HEADER_BYTES + 4 * asked,
                  p->decoder.entries, lost);
    for (size_t i = 0; i < lull_printf_table_count(p->table); i++) {
        const struct lull_printf_string *s = lull_printf_table_at(p->table, i);
        lull_str_addf(out, "%012" PRIx64 "  %zu dwords  ", s->id, lull_printf_entry_dwords(s));
        struct lull_json json = {.out = out};
        lull_json_str(&json, s->text);
        lull_str_add(out, "\n", 1);
    }
}

void lull_printf_host_done(struct lull_printf_host *p)
{
    for (unsigned i = 0; i < p->nflags; i++) {
        free((char *)p->flags[i]);
    }
    lull_printf_table_free(p->table);
    *p = (struct lull_printf_host){0};
}
