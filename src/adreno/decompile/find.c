// SPDX-License-Identifier: MIT
// What a capture has: its sections, and which ranges of its buffers are commands and shaders.
#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/priv.h"
#include "adreno/show/capture.h"
#include "hw/adreno_doms.h"
#include "hw/rd_regs.h"
#include "isa/ir3/decode.h"

enum { FIRST_SET = 1 << 10, LONGEST_SHADER = 1 << 16 };

/* Pieces, while the capture is read */

static const char shader_kind[] = "shader";

static uint64_t key(const struct lull_dc_piece *p)
{
    const uint64_t words[] = {p->group, p->address, p->dwords, p->shader};
    return lull_dc_hash(0, words, sizeof words);
}

static bool is_same(const struct lull_dc_piece *a, const struct lull_dc_piece *b)
{
    return a->group == b->group && a->address == b->address && a->dwords == b->dwords &&
           a->shader == b->shader;
}

static void enter_set(struct lull_dc *d, size_t number)
{
    size_t at = key(&d->pieces[number]) & (d->set_room - 1);
    while (d->set[at] != 0) {
        at = (at + 1) & (d->set_room - 1);
    }
    d->set[at] = number + 1;
}

static bool grow_set(struct lull_dc *d)
{
    const size_t room = d->set_room != 0 ? d->set_room * 2 : FIRST_SET;
    size_t *set = calloc(room, sizeof *set);
    if (set == NULL) {
        lull_dc_fail(d, &lull_enomem);
        return false;
    }
    free(d->set);
    d->set = set;
    d->set_room = room;
    for (size_t i = 0; i < d->npieces; i++) {
        enter_set(d, i);
    }
    return true;
}

static void found(struct lull_dc *d, uint64_t address, uint32_t dwords, const char *kind)
{
    const struct lull_dc_piece p = {.group = d->group,
                                    .address = address,
                                    .dwords = dwords,
                                    .shader = kind == shader_kind,
                                    .kind = kind};
    if (d->err != NULL || address == 0 || address % 4 != 0 || dwords == 0 ||
        (d->npieces * 2 >= d->set_room && !grow_set(d))) {
        return;
    }
    for (size_t at = key(&p) & (d->set_room - 1); d->set[at] != 0;
         at = (at + 1) & (d->set_room - 1)) {
        if (is_same(&d->pieces[d->set[at] - 1], &p)) {
            return;
        }
    }
    if (lull_dc_grow(d, &d->pieces, d->npieces, &d->pieces_room, sizeof p)) {
        d->pieces[d->npieces++] = p;
        enter_set(d, d->npieces - 1);
    }
}

/* The capture */

static bool is_range(uint32_t type)
{
    return type == LULL_RD_GPUADDR || type == LULL_RD_CMDSTREAM_ADDR;
}

/** Only what belongs to the stream that is asked for. */
static bool is_kept(const struct lull_dc *d, const struct lull_dc_section *s)
{
    switch (s->type) {
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
    case LULL_RD_GPUADDR:
    case LULL_RD_BUFFER_CONTENTS:
    case LULL_RD_CMD:
        return true;
    case LULL_RD_CMDSTREAM_ADDR:
        return s->is_stream && (int64_t)s->stream == d->only;
    default:
        return false;
    }
}

/** The stream that is asked for is not in the submits so far: they go, but for what names the GPU.
 */
static void forget(struct lull_dc *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->nsections; i++) {
        struct lull_dc_section *s = &d->sections[i];
        bool keep = s->type == LULL_RD_GPU_ID || s->type == LULL_RD_CHIP_ID;
        for (size_t k = i + 1; keep && k < d->nsections; k++) {
            keep = d->sections[k].type != s->type;
        }
        if (keep) {
            d->sections[n++] = *s;
        } else {
            free(s->payload);
        }
    }
    d->nsections = n;
    d->npieces = 0;
    free(d->set);
    d->set = NULL;
    d->set_room = 0;
}

static void take(struct lull_dc *d, const struct lull_rd_section *s, const char *wrong)
{
    struct lull_rd_range range = {0};
    struct lull_dc_section is = {.type = s->type, .size = s->size, .filler = s->filler};
    const bool said = wrong == NULL && !s->filler && is_range(s->type) && lull_rd_range(s, &range);
    const bool ranged = said && (s->size == 8 || s->size == 12);
    if (!s->filler && d->had_stream && (s->type == LULL_RD_GPUADDR || s->type == LULL_RD_CMD)) {
        d->had_stream = false;
        d->group++;
        memset(d->last_starts, 0, sizeof d->last_starts);
        if (d->only >= 0) {
            forget(d);
        }
    }
    is.group = d->group;
    is.address = range.address;
    is.is_stream = ranged && s->type == LULL_RD_CMDSTREAM_ADDR;
    is.stream = d->streams;
    d->streams += said && s->type == LULL_RD_CMDSTREAM_ADDR;
    d->had_stream |= is.is_stream;
    if (!s->filler && s->type == LULL_RD_BUFFER_CONTENTS && d->has_range &&
        d->range_size == s->size) {
        is.buffer = true;
        is.address = d->range_address;
    }
    d->has_range = ranged && s->type == LULL_RD_GPUADDR;
    d->range_address = range.address;
    d->range_size = range.size;
    if ((d->only >= 0 && !is_kept(d, &is)) ||
        !lull_dc_grow(d, &d->sections, d->nsections, &d->sections_room, sizeof is)) {
        return;
    }
    is.payload = malloc(s->size != 0 ? s->size : 1);
    if (is.payload == NULL) {
        lull_dc_fail(d, &lull_enomem);
        return;
    }
    if (s->size != 0) {
        memcpy(is.payload, s->payload, s->size);
    }
    d->sections[d->nsections++] = is;
}

static void on_section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                       const char *wrong)
{
    struct lull_dc *d = ctx;
    if (d->only >= 0 && d->streams > (uint64_t)d->only) {
        c->s.stop = true;
        return;
    }
    take(d, s, wrong);
    c->s.stop |= d->err != NULL;
}

static void on_stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_dc *d = ctx;
    if (s->found == s->dwords && (d->only < 0 || s->number == (uint64_t)d->only)) {
        found(d, s->address, s->dwords, "stream");
    }
    d->gen = c->gen != 0 && d->gen == 0 ? c->gen : d->gen;
}

static void on_enter(void *ctx, struct lull_cap *c, const struct lull_as_frame *call)
{
    (void)c;
    if (call->kind != LULL_AS_DATA && call->kind != LULL_AS_BODY && !call->nowhere &&
        call->n == call->dwords) {
        found(ctx, call->address, call->dwords, call->kind == LULL_AS_GROUP ? "group" : "ib");
    }
}

static uint64_t instruction(const struct lull_cap_words *w, uint32_t i)
{
    return w->words[2 * i] | (uint64_t)w->words[2 * i + 1] << 32;
}

/** Groups that do not count in the mode of a draw are commands too. */
static void on_group(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                     enum lull_as_group_what what)
{
    (void)c, (void)id, (void)what;
    if (g != NULL) {
        found(ctx, g->address, g->count, "group");
    }
}

/** Field @p name of dword @p i of a packet; 0: it has none. */
static uint64_t field(const struct lull_cap *c, const struct lull_as_packet *p, uint32_t i,
                      const char *name)
{
    const struct lull_apkt_args a = lull_as_args(c->gen, p);
    const struct lull_dom *dom = c->s.op_doms[p->what];
    const struct lull_dom_hit hit =
        dom != NULL ? lull_dom_at(&lull_dom_adreno, &c->dom, dom, i) : (struct lull_dom_hit){0};
    uint64_t v = 0;
    return hit.reg != NULL && lull_dom_field(&lull_dom_adreno, &c->dom, hit.reg, name,
                                             lull_apkt_dword(&a, i), &v)
               ? v
               : 0;
}

/** Commands that run between others, which the walk does not run. */
static void on_packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    if (p->type == LULL_APKT_OP && p->name != NULL && strcmp(p->name, "CP_SET_AMBLE") == 0) {
        found(ctx, field(c, p, 0, "ADDR_LO") | field(c, p, 1, "ADDR_HI") << 32,
              (uint32_t)field(c, p, 2, "DWORDS"), "amble");
    }
}

/** The first end at or after instruction @p i; false: something else than code comes first. */
static bool end_after(unsigned gen, const struct lull_cap_words *w, uint32_t i, uint32_t *ret)
{
    struct lull_ir3_insn in = {0};
    for (; i < w->n / 2 && i < LONGEST_SHADER; i++) {
        if (!lull_ir3_decode(instruction(w, i), gen * 100 + 30, &in)) {
            return false;
        }
        if (in.op == LULL_IR3_OP_END || in.op == LULL_IR3_OP_CHSH) {
            *ret = i + 1;
            return true;
        }
    }
    return false;
}

/** Instructions up to an end that no branch goes beyond; 0: this is not a shader. */
static uint32_t whole(unsigned gen, const struct lull_cap_words *w)
{
    uint32_t n = 0;
    if (!end_after(gen, w, 0, &n)) {
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct lull_ir3_insn in = {0};
        const bool branches =
            lull_ir3_decode(instruction(w, i), gen * 100 + 30, &in) && in.branches;
        const int64_t target = branches ? (int64_t)i + in.target : 0;
        if (target >= n && target < w->n / 2) {
            (void)end_after(gen, w, (uint32_t)target, &n);
        }
    }
    return n;
}

/** Registers that say where shaders are. */
static void on_write(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                     struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_dc *d = ctx;
    (void)c, (void)old, (void)value;
    if (hit->reg == NULL || strstr(hit->reg->name, "_OBJ_START") == NULL ||
        strstr(hit->reg->name, "_HI") != NULL) {
        return;
    }
    for (unsigned i = 0; i < d->nstarts; i++) {
        if (d->starts[i] == reg - hit->dword) {
            return;
        }
    }
    if (d->nstarts < LULL_DC_STARTS) {
        d->starts[d->nstarts++] = reg - hit->dword;
    }
}

static void on_draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *draw)
{
    struct lull_dc *d = ctx;
    for (unsigned i = 0; i < d->nstarts && c->gen >= 3 && draw->kind <= LULL_CAP_DISPATCH; i++) {
        const uint64_t at = lull_cap_reg(c, d->starts[i], c->gen >= 5) & ~UINT64_C(15);
        struct lull_cap_words w = {.n = 0};
        if (at != 0 && at != d->last_starts[i]) {
            w = lull_cap_memory(c, at, UINT32_MAX);
            d->last_starts[i] = at;
        }
        const uint32_t n = w.n != 0 ? whole(c->gen, &w) : 0;
        if (lull_astream_work(&c->s, w.n < 2 * LONGEST_SHADER ? w.n : 2 * LONGEST_SHADER)) {
            found(d, at, 2 * n, shader_kind);
        }
    }
}

static int by_place(const void *a, const void *b)
{
    const struct lull_dc_piece *x = a, *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->address != y->address) {
        return x->address < y->address ? -1 : 1;
    }
    return x->shader != y->shader ? (x->shader ? 1 : -1)
                                  : (x->dwords > y->dwords) - (x->dwords < y->dwords);
}

struct lull_error *lull_dc_read(struct lull_dc *d, struct lull_stream *s)
{
    const struct lull_cap_visitor visitor = {.ctx = d,
                                             .section = on_section,
                                             .stream = on_stream,
                                             .packet = on_packet,
                                             .enter = on_enter,
                                             .group = on_group,
                                             .write = on_write,
                                             .draw = on_draw};
    const struct lull_cap_options how = {.both = true};
    uint64_t problems = 0;
    struct lull_error *err = lull_cap_walk(s, &how, &visitor, &problems);
    if (d->npieces != 0) {
        qsort(d->pieces, d->npieces, sizeof d->pieces[0], by_place);
    }
    return err;
}
