// SPDX-License-Identifier: MIT
#include "adreno/show/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/show/walk.h"
#include "adreno/show/words.h"

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

/** Is its effect told by what a draw sees of it? */
static bool is_elsewhere(const struct lull_cap *c, const struct lull_as_packet *p)
{
    static const char *const names[] = {
        "CP_NOP",  "CP_INDIRECT_BUFFER", "CP_DRAW",       "CP_EXEC_CS",
        "CP_BLIT", "CP_CONTEXT_REG",     "CP_LOAD_STATE", "CP_SET_DRAW_STATE"};
    if (p->type != LULL_APKT_OP || p->dead) {
        return true;
    }
    for (size_t i = 0; p->name != NULL && i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(p->name, names[i], strlen(names[i])) == 0 &&
            strncmp(p->name, "CP_DRAW_PRED", strlen("CP_DRAW_PRED")) != 0) {
            return true;
        }
    }
    (void)c;
    return false;
}

/** Is this dword of a packet an address, or half of one? */
static bool is_place(const struct lull_dom_hit *hit)
{
    const struct lull_dom_field *f = NULL;
    const unsigned n = hit->reg != NULL ? lull_dom_fields(&lull_dom_adreno, hit->reg, &f) : 0;
    bool is = hit->reg != NULL &&
              (hit->reg->kind == LULL_DOM_ADDRESS || hit->reg->kind == LULL_DOM_WADDRESS);
    for (unsigned i = 0; i < n; i++) {
        const size_t size = strlen(f[i].name);
        is |= size > 3 && (strcmp(f[i].name + size - 3, "_LO") == 0 ||
                           strcmp(f[i].name + size - 3, "_HI") == 0);
    }
    return is;
}

static void packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    struct lull_rec *r = ctx;
    struct lull_rec_packet row = {0};
    struct lull_str text = {0};
    if (is_elsewhere(c, p)) {
        return;
    }
    const struct lull_dom *d = c->s.op_doms[p->what % LULL_CAP_OPCODES];
    row.name = mix(UINT64_C(0xcbf29ce484222325), &p->what, sizeof p->what);
    row.all = mix(row.name, p->words, p->n * sizeof *p->words);
    row.but_addresses = row.name;
    struct lull_dom_state state = c->dom;
    for (uint32_t i = 1; i < p->n; i++) {
        const struct lull_dom_hit hit =
            d != NULL ? lull_dom_at(&lull_dom_adreno, &state, d, i - 1) : (struct lull_dom_hit){0};
        if (hit.reg != NULL) { // a field may choose what comes next
            lull_dom_show(&lull_dom_adreno, &state, hit.reg, p->words[i], &text);
            text.size = 0;
        }
        if (!is_place(&hit)) {
            row.but_addresses = mix(row.but_addresses, &p->words[i], sizeof p->words[i]);
        }
    }
    if (p->name != NULL) {
        lull_str_addf(&text, "%s", p->name);
    } else {
        lull_str_addf(&text, "opcode 0x%02" PRIx32, p->what);
    }
    if (d != NULL && p->n > 1) {
        const struct lull_cap_words body = {p->words + 1, p->address + 4, p->n - 1};
        lull_str_addf(&text, "  ");
        lull_cap_fields_line(c, d, body, &text);
    }
    (void)snprintf(row.text, sizeof row.text, "%s", lull_str_text(&text));
    lull_str_free(&text);
    put(r, r->packets, &row, sizeof row);
    r->npackets++;
}

static void put_registers(struct lull_rec *r, const struct lull_cap *c, struct lull_rec_draw *row)
{
    const struct lull_as_regs *regs = lull_astream_regs(&c->s);
    for (uint32_t i = 0; i < regs->nlist; i++) {
        const uint32_t at = regs->list[i];
        const struct lull_rec_reg one = {at, regs->v[at], regs->known[at / 64] >> at % 64 & 1};
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

static void put_packets(struct lull_rec *r)
{
    rewind(r->packets);
    for (uint32_t i = 0; i < r->npackets; i++) {
        struct lull_rec_packet row;
        if (fread(&row, sizeof row, 1, r->packets) != 1) {
            failed(r, lull_error_new(LULL_ERR_OS, "cannot read a temporary file"));
            return;
        }
        put(r, r->f, &row, sizeof row);
    }
    rewind(r->packets);
    r->npackets = 0;
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
                                .npackets = r->npackets,
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
    put_packets(r);
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

/** What follows the last draw. */
static void put_end(struct lull_rec *r)
{
    struct lull_rec_draw row = {.kind = LULL_REC_END, .npackets = r->npackets};
    struct lull_rec_entry *e = new_entry(r);
    if (e != NULL) {
        *e = (struct lull_rec_entry){.strong = 1, .weak = 1, .at = ftell(r->f)};
        put(r, r->f, &row, sizeof row);
        put_packets(r);
    }
}

struct lull_error *lull_rec_make(struct lull_rec *r, struct lull_stream *s, const char *name,
                                 const struct lull_cap_options *o, FILE *log)
{
    const struct lull_cap_visitor v = {.ctx = r,
                                       .section = section,
                                       .packet = packet,
                                       .load = load,
                                       .draw = draw,
                                       .problem = problem};
    uint64_t problems = 0;
    *r = (struct lull_rec){
        .f = tmpfile(), .loads = tmpfile(), .packets = tmpfile(), .name = name, .log = log};
    if (r->f == NULL || r->loads == NULL || r->packets == NULL) {
        return lull_error_new(LULL_ERR_OS, "no temporary file can be made");
    }
    struct lull_error *err = lull_cap_walk(s, o, &v, &problems);
    put_end(r);
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
    if (r->packets != NULL) {
        fclose(r->packets);
    }
    free(r->entries);
    free(r->code);
}
