// SPDX-License-Identifier: MIT
#include "capture/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/walk.h"
#include "capture/words.h"

enum { MOST_LOAD = 1 << 16, MOST_SAID = 100 };

const char *const lull_rec_names[16] = {
    "vertices", "instances", "first",   "index bytes",   "groups x", "groups y",
    "groups z", "local x",   "local y", "local z",       "source",   "destination",
    "draws",    "stride",    "indices", "indirect data",
};

bool lull_rec_is_address(unsigned i)
{
    return i >= 14;
}

static void failed(struct lull_rec *r, struct lull_error *err)
{
    if (r->err == NULL) {
        r->err = err;
    } else {
        lull_error_free(err);
    }
}

static void put(struct lull_rec *r, FILE *f, const void *data, size_t size)
{
    if (size != 0 && r->err == NULL && fwrite(data, size, 1, f) != 1) {
        failed(r, lull_error_new(LULL_ERR_OS, "cannot write a temporary file"));
    }
}

static uint64_t mix(uint64_t h, const void *data, size_t n)
{
    const uint8_t *p = data;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

static void load(void *ctx, struct lull_cap *c, const struct lull_cap_load *l)
{
    struct lull_rec *r = ctx;
    const struct lull_rec_load row = {.of = l->of,
                                      .stage = l->stage,
                                      .set = l->set,
                                      .each = l->each,
                                      .apart = l->apart,
                                      .n = l->w.n < MOST_LOAD ? l->w.n : MOST_LOAD};
    (void)c;
    if (l->of.what != LULL_LOAD_SHADER) { // those are compared at the draw
        put(r, r->loads, &row, sizeof row);
        put(r, r->loads, l->w.words, row.n * sizeof l->w.words[0]);
        r->nloads++;
    }
}

/** Where the words of a shader are; they are written once. */
static long code_of(struct lull_rec *r, const struct lull_cap_shader *s)
{
    for (size_t i = 0; i < r->ncode; i++) {
        if (r->code[i].hash == s->hash) {
            return r->code[i].at;
        }
    }
    if (s->hash == 0) {
        return -1;
    }
    if (r->ncode == r->code_room) {
        const size_t room = r->code_room != 0 ? r->code_room * 2 : 64;
        struct lull_rec_code *grown = realloc(r->code, room * sizeof *grown);
        if (grown == NULL) {
            failed(r, &lull_enomem);
            return -1;
        }
        r->code = grown;
        r->code_room = room;
    }
    r->code[r->ncode] = (struct lull_rec_code){s->hash, ftell(r->f)};
    put(r, r->f, s->words, s->n * 2 * sizeof s->words[0]);
    return r->code[r->ncode++].at;
}

static void put_registers(struct lull_rec *r, const struct lull_cap *c, struct lull_rec_draw *row)
{
    const struct lull_as_regs *regs = lull_astream_regs(&c->s);
    for (uint32_t i = 0; i < regs->nlist; i++) {
        const uint32_t at = regs->list[i];
        const struct lull_rec_reg one = {at, regs->v[at]};
        if (row == NULL) {
            put(r, r->f, &one, sizeof one);
        } else {
            row->nregs++;
        }
    }
}

static void put_loads(struct lull_rec *r)
{
    char block[4096];
    size_t n = 0;
    rewind(r->loads);
    for (uint32_t i = 0; i < r->nloads; i++) {
        struct lull_rec_load row;
        if (fread(&row, sizeof row, 1, r->loads) != 1) {
            failed(r, lull_error_new(LULL_ERR_OS, "cannot read a temporary file"));
            return;
        }
        put(r, r->f, &row, sizeof row);
        for (size_t left = row.n * sizeof(uint32_t); left != 0; left -= n) {
            n = fread(block, 1, left < sizeof block ? left : sizeof block, r->loads);
            if (n == 0) {
                failed(r, lull_error_new(LULL_ERR_OS, "cannot read a temporary file"));
                return;
            }
            put(r, r->f, block, n);
        }
    }
    rewind(r->loads);
    r->nloads = 0;
}

static struct lull_rec_entry *new_entry(struct lull_rec *r)
{
    if (r->n == r->room) {
        const size_t room = r->room != 0 ? r->room * 2 : 256;
        struct lull_rec_entry *grown = realloc(r->entries, room * sizeof *grown);
        if (grown == NULL) {
            failed(r, &lull_enomem);
            return NULL;
        }
        r->entries = grown;
        r->room = room;
    }
    return &r->entries[r->n++];
}

static struct lull_rec_draw row_of(const struct lull_rec *r, const struct lull_cap *c,
                                   const struct lull_cap_draw *d)
{
    struct lull_rec_draw row = {.number = d->number,
                                .kind = (uint32_t)d->kind,
                                .nloads = r->nloads,
                                .nshaders = d->nshaders};
    const uint64_t values[16] = {
        d->vertices,    d->instances,        d->first,
        d->index_bytes, d->groups[0],        d->groups[1],
        d->groups[2],   d->local[0],         d->local[1],
        d->local[2],    mix(0, d->rect, 16), mix(0, d->rect + 4, 16),
        d->draws,       d->stride,           d->index_address,
        d->indirect,
    };
    memcpy(row.values, values, sizeof values);
    (void)snprintf(row.what, sizeof row.what, "%s%s%s%s%s",
                   d->packet->name != NULL ? d->packet->name : "packet", d->what != NULL ? " " : "",
                   d->what != NULL ? d->what : "", c->mode_name != NULL ? ", " : "",
                   c->mode_name != NULL ? c->mode_name : "");
    return row;
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_rec *r = ctx;
    long code[LULL_CAP_STAGES] = {0};
    struct lull_rec_draw row = row_of(r, c, d);
    for (unsigned i = 0; i < d->nshaders; i++) {
        code[i] = code_of(r, &d->shaders[i]);
    }
    struct lull_rec_entry *e = new_entry(r);
    if (e == NULL) {
        c->s.stop = true;
        return;
    }
    e->weak = mix(UINT64_C(0xcbf29ce484222325), row.what, sizeof row.what);
    e->strong = mix(e->weak, row.values, 14 * sizeof row.values[0]); // without addresses
    for (unsigned i = 0; i < d->nshaders; i++) {
        e->strong = mix(e->strong, &d->shaders[i].hash, sizeof d->shaders[i].hash);
    }
    e->at = ftell(r->f);
    put_registers(r, c, &row);
    put(r, r->f, &row, sizeof row);
    put_registers(r, c, NULL);
    put_loads(r);
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        const struct lull_rec_shader one = {(uint32_t)s->stage, s->n, s->hash, s->address, code[i]};
        put(r, r->f, &one, sizeof one);
    }
    c->s.stop |= r->err != NULL;
}

static void section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong)
{
    struct lull_rec *r = ctx;
    (void)s, (void)wrong;
    r->sections++;
    r->gen = c->gen; // as of the section before; the last one is none that tells it
}

static void problem(void *ctx, struct lull_cap *c, uint64_t offset, uint64_t address,
                    const char *text)
{
    struct lull_rec *r = ctx;
    (void)c, (void)address;
    if (r->problems++ < MOST_SAID) {
        fprintf(r->log, "%s: byte %" PRIu64 ": %s\n", r->name, offset, text);
    }
}

struct lull_error *lull_rec_make(struct lull_rec *r, struct lull_stream *s, const char *name,
                                 const struct lull_cap_options *o, FILE *log)
{
    const struct lull_cap_visitor v = {
        .ctx = r, .section = section, .load = load, .draw = draw, .problem = problem};
    uint64_t problems = 0;
    *r = (struct lull_rec){.f = tmpfile(), .loads = tmpfile(), .name = name, .log = log};
    if (r->f == NULL || r->loads == NULL) {
        return lull_error_new(LULL_ERR_OS, "no temporary file can be made");
    }
    struct lull_error *err = lull_cap_walk(s, o, &v, &problems);
    if (r->err != NULL) {
        lull_error_free(err);
        err = r->err;
        r->err = NULL;
    }
    return err;
}

void lull_rec_done(struct lull_rec *r)
{
    if (r->f != NULL) {
        fclose(r->f);
    }
    if (r->loads != NULL) {
        fclose(r->loads);
    }
    free(r->entries);
    free(r->code);
}
