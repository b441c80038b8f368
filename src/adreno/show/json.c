// SPDX-License-Identifier: MIT
// A capture as one JSON object, written as it is read: {"sections": [...], "problems": N} whole,
// with the packets of a stream in its section; {"draws": [...]} for a summary or one draw.
#include <inttypes.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/slots.h"
#include "adreno/show/walk.h"
#include "hw/rd_regs.h"

enum { TEXT_MOST = 1 << 20 };

/** Key and text that another function writes. */
static void put_text(struct lull_show *w, const char *key, const struct lull_str *s)
{
    lull_json_put_str(&w->j, key, lull_str_text(s));
}

static void list(struct lull_show *w, const char *key)
{
    if (!w->in_list) {
        lull_json_open(&w->j, '{');
        lull_json_put_str(&w->j, "file", w->name);
        lull_json_key(&w->j, key);
        lull_json_open(&w->j, '[');
        w->in_list = true;
    }
}

static void close_stream(struct lull_show *w)
{
    if (w->open_section) {
        lull_json_close(&w->j, '}');
        w->open_section = false;
    }
}

static void put_range(struct lull_show *w, const struct lull_rd_section *s, const char *unit)
{
    struct lull_rd_range r = {0};
    if (lull_rd_range(s, &r)) {
        lull_json_put_hex(&w->j, "address", r.address);
        lull_json_put_u64(&w->j, unit, r.size);
    }
}

/** What a section says, by its type. */
static void contents(struct lull_show *w, const struct lull_rd_section *s, const char *wrong)
{
    struct lull_str text = {0};
    uint64_t number = 0;
    switch (s->filler || wrong != NULL ? LULL_RD_NONE : s->type) {
    case LULL_RD_GPU_ID:
        (void)lull_rd_number(s, &number);
        lull_json_put_u64(&w->j, "gpu_id", number);
        break;
    case LULL_RD_CHIP_ID:
        (void)lull_rd_number(s, &number);
        lull_json_put_hex(&w->j, "chip_id", number);
        break;
    case LULL_RD_TEST:
    case LULL_RD_CMD:
    case LULL_RD_VERT_SHADER:
    case LULL_RD_FRAG_SHADER:
        lull_show_payload(s, TEXT_MOST, &text);
        text.size -= text.size > 0; // without the quotes
        if (text.text != NULL) {
            text.text[text.size] = '\0';
            lull_json_put_str(&w->j, "text", text.text + 1);
        }
        break;
    case LULL_RD_GPUADDR:
    case LULL_RD_SHADER_LOG_BUFFER:
    case LULL_RD_CP_LOG_BUFFER:
        put_range(w, s, "bytes");
        break;
    case LULL_RD_CMDSTREAM_ADDR:
        put_range(w, s, "dwords");
        break;
    default:
        break;
    }
    lull_str_free(&text);
}

static void section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong)
{
    struct lull_show *w = ctx;
    char type[32] = "";
    close_stream(w);
    // A stream's section is wanted if the stream is: it is counted from here on.
    const bool stream = s->type == LULL_RD_CMDSTREAM_ADDR && !s->filler;
    if (w->o.frame >= 0 ? !stream || (int64_t)c->streams != w->o.frame : !lull_show_wanted(w, c)) {
        return;
    }
    list(w, "sections");
    lull_show_type(s, type, sizeof type);
    lull_json_open(&w->j, '{');
    lull_json_put_u64(&w->j, "number", s->number);
    lull_json_put_u64(&w->j, "offset", s->offset);
    lull_json_put_str(&w->j, "type", type);
    lull_json_put_u64(&w->j, "size", s->size);
    if (c->in_submit) {
        lull_json_put_u64(&w->j, "submit", c->submit);
    }
    contents(w, s, wrong);
    if (wrong != NULL) {
        lull_json_put_str(&w->j, "error", wrong);
    }
    w->open_section = stream && wrong == NULL;
    if (!w->open_section) {
        lull_json_close(&w->j, '}');
    }
    lull_show_flush(w, false);
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    if (w->open_section && lull_show_wanted(w, c)) {
        lull_json_put_u64(&w->j, "stream", s->number);
        lull_json_put_u64(&w->j, "found", s->found);
        lull_json_key(&w->j, "packets");
        lull_json_open(&w->j, '[');
        w->open_packets = true;
    }
}

static void close_registers(struct lull_show *w)
{
    if (w->open_registers) {
        lull_json_close(&w->j, ']');
        w->open_registers = false;
    }
}

static void close_packet(struct lull_show *w)
{
    close_registers(w);
    if (w->open_packet) {
        lull_json_close(&w->j, '}');
        w->open_packet = false;
    }
}

static void stream_end(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    (void)c, (void)s;
    close_packet(w);
    if (w->open_packets) {
        lull_json_close(&w->j, ']');
        w->open_packets = false;
    }
    close_stream(w);
    lull_show_flush(w, false);
}

/** A packet, or what else happens in a stream: an object of the list. */
static void item(struct lull_show *w, const struct lull_cap *c, const char *kind)
{
    close_packet(w);
    lull_json_open(&w->j, '{');
    lull_json_put_str(&w->j, "kind", kind);
    lull_json_put_u64(&w->j, "level", c->level);
    w->open_packet = true;
    lull_show_flush(w, false);
}

static void packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    struct lull_show *w = ctx;
    if (!w->open_packets) {
        return;
    }
    item(w, c, p->type == LULL_APKT_WRITE ? "write" : p->type == LULL_APKT_OP ? "packet" : "nop");
    lull_json_put_hex(&w->j, "address", p->address);
    if (p->type == LULL_APKT_OP) {
        lull_json_put_hex(&w->j, "opcode", p->what);
    }
    if (p->name != NULL) {
        lull_json_put_str(&w->j, "name", p->name);
    }
    lull_json_put_u64(&w->j, "dwords", p->n);
    if (p->dead) {
        lull_json_put_bool(&w->j, "executed", false);
    }
    const struct lull_dom *d =
        p->type == LULL_APKT_OP ? c->s.op_doms[p->what % LULL_CAP_OPCODES] : NULL;
    if (d != NULL && p->n > 1) {
        struct lull_str s = {0};
        lull_cap_fields_line(c, d, (struct lull_cap_words){p->words + 1, p->address + 4, p->n - 1},
                             &s);
        put_text(w, "fields", &s);
        lull_str_free(&s);
    }
}

static void put_register(struct lull_show *w, struct lull_cap *c, uint32_t reg,
                         const struct lull_dom_hit *hit, struct lull_cap_value old,
                         struct lull_cap_value value)
{
    struct lull_str s = {0};
    lull_json_open(&w->j, '{');
    lull_cap_name(hit, reg, &s);
    put_text(w, "register", &s);
    lull_json_put_hex(&w->j, "offset", reg);
    if (value.state != LULL_CAP_UNKNOWN) {
        lull_json_put_hex(&w->j, "value", value.v);
        s.size = 0;
        lull_cap_value(c, hit, value.v, false, &s);
        put_text(w, "text", &s);
    }
    const bool changed = lull_cap_differ(old, value);
    if (changed && old.state == LULL_CAP_KNOWN) {
        lull_json_put_hex(&w->j, "old", old.v);
    }
    lull_json_put_bool(&w->j, "changed", changed);
    lull_json_close(&w->j, '}');
    lull_str_free(&s);
    lull_show_flush(w, false);
}

static void write_reg(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                      struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_show *w = ctx;
    if (!w->open_packet) {
        return;
    }
    if (!w->open_registers) {
        lull_json_key(&w->j, "registers");
        lull_json_open(&w->j, '[');
        w->open_registers = true;
    }
    put_register(w, c, reg, hit, old, value);
}

static void enter(void *ctx, struct lull_cap *c, const struct lull_as_frame *call)
{
    static const char *const kinds[] = {"ib", "group", "prefix", "body", "table"};
    struct lull_show *w = ctx;
    if (!w->open_packets) {
        return;
    }
    item(w, c, "call");
    lull_json_put_str(&w->j, "what", kinds[call->kind]);
    lull_json_put_u64(&w->j, "number", call->number);
    lull_json_put_hex(&w->j, "address", call->address);
    lull_json_put_u64(&w->j, "dwords", call->dwords);
    lull_json_put_u64(&w->j, "found", call->n);
}

static void group(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                  enum lull_as_group_what what)
{
    struct lull_show *w = ctx;
    struct lull_str modes = {0};
    if (!w->open_packets) {
        return;
    }
    item(w, c, "group");
    lull_json_put_u64(&w->j, "group", id);
    lull_json_put_str(&w->j, "what", lull_cap_group_what(what));
    lull_json_put_hex(&w->j, "address", g->address);
    lull_json_put_u64(&w->j, "dwords", g->count);
    lull_cap_modes(g->mask, &modes);
    put_text(w, "modes", &modes);
    lull_json_put_bool(&w->j, "dirty", (g->flags & 1) != 0);
    lull_str_free(&modes);
}

static void note(void *ctx, struct lull_cap *c, const char *text)
{
    struct lull_show *w = ctx;
    if (w->open_packets) {
        item(w, c, "note");
        lull_json_put_str(&w->j, "text", text);
    }
}

static void store(void *ctx, struct lull_cap *c, uint64_t address, const uint32_t *values,
                  uint32_t n)
{
    struct lull_show *w = ctx;
    if (!w->open_packets) {
        return;
    }
    item(w, c, "memory");
    if (address != 0) {
        lull_json_put_hex(&w->j, "address", address);
    }
    lull_json_put_u64(&w->j, "dwords", n);
    if (values != NULL) {
        lull_json_key(&w->j, "values");
        lull_json_open(&w->j, '[');
        for (uint32_t i = 0; i < n; i++) {
            lull_json_hex(&w->j, values[i]);
        }
        lull_json_close(&w->j, ']');
    }
}

static void put_load(struct lull_show *w, struct lull_cap *c, const struct lull_cap_load *l)
{
    const struct lull_dom *dom = lull_cap_load_domain(c, l->of.what);
    struct lull_str s = {0};
    lull_json_put_str(&w->j, "stage", lull_cap_stage_name(l->stage));
    lull_json_put_str(&w->j, "what", lull_cap_load_name(l->of.what));
    if (l->shared) {
        lull_json_put_bool(&w->j, "shared", true);
    }
    lull_json_put_u64(&w->j, "first", l->of.offset);
    lull_json_put_u64(&w->j, "units", l->of.units);
    lull_json_put_hex(&w->j, "address", l->w.address);
    if (l->set >= 0) {
        lull_json_put_u64(&w->j, "set", (uint64_t)l->set);
    }
    lull_json_key(&w->j, dom != NULL ? "descriptors" : "words");
    lull_json_open(&w->j, '[');
    for (uint32_t i = 0; dom != NULL && l->apart != 0 && i * l->apart < l->w.n; i++) {
        s.size = 0;
        lull_cap_fields_line(c, dom, lull_cap_part(l->w, i * l->apart, l->each), &s);
        lull_json_str(&w->j, lull_str_text(&s));
    }
    for (uint32_t i = 0; dom == NULL && l->of.what != LULL_LOAD_SHADER && i < l->w.n; i++) {
        lull_json_hex(&w->j, l->w.words[i]);
    }
    lull_json_close(&w->j, ']');
    if (l->of.what == LULL_LOAD_CONSTANTS) {
        lull_json_key(&w->j, "floats");
        lull_json_open(&w->j, '[');
        for (uint32_t i = 0; i < l->w.n; i++) { // text: JSON has no NaN
            s.size = 0;
            lull_cap_float(l->w.words[i], &s);
            lull_json_str(&w->j, lull_str_text(&s));
        }
        lull_json_close(&w->j, ']');
    }
    lull_str_free(&s);
    lull_show_flush(w, false);
}

static void load(void *ctx, struct lull_cap *c, const struct lull_cap_load *l)
{
    struct lull_show *w = ctx;
    if (w->open_packets) {
        item(w, c, "load");
        put_load(w, c, l);
    }
}

static void put_shaders(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d,
                        bool code)
{
    struct lull_str s = {0};
    lull_json_key(&w->j, "shaders");
    lull_json_open(&w->j, '[');
    for (unsigned i = 0; i < d->nshaders; i++) {
        lull_json_open(&w->j, '{');
        lull_json_put_str(&w->j, "stage", lull_cap_stage_name((int)d->shaders[i].stage));
        lull_json_put_hex(&w->j, "address", d->shaders[i].address);
        lull_json_put_hex(&w->j, "hash", d->shaders[i].hash);
        lull_json_put_u64(&w->j, "instructions", d->shaders[i].n);
        if (code && d->shaders[i].hash != 0 && !lull_show_was_seen(w, d->shaders[i].hash)) {
            s.size = 0;
            lull_cap_disasm(c, &d->shaders[i], false, &s);
            put_text(w, "text", &s);
        }
        lull_json_close(&w->j, '}');
    }
    lull_json_close(&w->j, ']');
    lull_str_free(&s);
}

static void put_indirect(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    bool counted = false;
    uint32_t said = 0;
    const uint32_t n = lull_cap_param_count(c, d, &counted, &said);
    lull_json_put_hex(&w->j, "indirect", d->indirect);
    if (counted) {
        lull_json_put_u64(&w->j, "count", said);
    }
    lull_json_key(&w->j, "parameters");
    lull_json_open(&w->j, '[');
    for (uint32_t i = 0; i < n && !c->s.idle; i++) {
        struct lull_cap_params p = {0};
        if (!lull_cap_param(c, d, i, &p)) {
            break;
        }
        lull_json_open(&w->j, '{');
        for (unsigned k = 0; k < p.n; k++) {
            lull_json_put_u64(&w->j, p.names[k], p.values[k]);
        }
        lull_json_close(&w->j, '}');
        lull_show_flush(w, false);
    }
    lull_json_close(&w->j, ']');
}

static void put_three(struct lull_show *w, const char *key, const uint32_t v[3])
{
    lull_json_key(&w->j, key);
    lull_json_open(&w->j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(&w->j, v[i]);
    }
    lull_json_close(&w->j, ']');
}

/** Members of a draw's object. */
static void put_draw(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    lull_json_put_u64(&w->j, "draw", d->number);
    lull_json_put_str(&w->j, "type", lull_cap_draw_kind(d->kind));
    lull_json_put_u64(&w->j, "submit", c->submit);
    lull_json_put_u64(&w->j, "stream", c->streams - 1);
    lull_json_put_hex(&w->j, "address", d->packet->address);
    lull_json_put_str(&w->j, "packet", d->packet->name != NULL ? d->packet->name : "");
    if (d->what != NULL) {
        lull_json_put_str(&w->j, "what", d->what);
    }
    if (c->mode_name != NULL) {
        lull_json_put_str(&w->j, "mode", c->mode_name);
    }
    if (c->thread != NULL) {
        lull_json_put_str(&w->j, "thread", c->thread);
    }
    if (d->kind == LULL_CAP_DISPATCH) {
        put_three(w, "groups", d->groups);
        put_three(w, "local", d->local);
    } else if (d->kind == LULL_CAP_DRAW) {
        lull_json_put_u64(&w->j, "vertices", d->vertices);
        lull_json_put_u64(&w->j, "instances", d->instances);
        lull_json_put_u64(&w->j, "first", d->first);
        lull_json_put_u64(&w->j, "index_bytes", d->index_bytes);
        lull_json_put_hex(&w->j, "index_address", d->index_address);
    }
    if (d->indirect != 0) {
        put_indirect(w, c, d);
    }
    lull_json_put_u64(&w->j, "written", d->written);
    lull_json_put_u64(&w->j, "changed", d->changed);
}

/** Descriptors of the bindless sets. */
static void put_sets(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_cap_uses uses = {0};
    struct lull_str s = {0};
    lull_cap_uses(c, d, &uses);
    lull_json_key(&w->j, "bindless");
    lull_json_open(&w->j, '[');
    for (unsigned i = 0; i < lull_cap_sets(c); i++) {
        uint64_t base = 0;
        uint32_t apart = 0;
        struct lull_cap_slot slot = {0};
        if (!lull_cap_set_base(c, d->kind == LULL_CAP_DISPATCH, i, &base, &apart)) {
            continue;
        }
        for (; lull_cap_next_slot(c, &uses, i, base, apart, &slot); slot.number++) {
            const struct lull_dom *dom = lull_cap_load_domain(c, slot.what);
            lull_json_open(&w->j, '{');
            lull_json_put_u64(&w->j, "set", i);
            lull_json_put_hex(&w->j, "base", base);
            lull_json_put_u64(&w->j, "number", slot.number);
            lull_json_put_str(&w->j, "kind", slot.name);
            lull_json_put_str(&w->j, "kind_by", lull_cap_slot_by_name(slot.by));
            s.size = 0;
            if (dom != NULL) {
                lull_cap_fields_line(c, dom, slot.w, &s);
            }
            put_text(w, "fields", &s);
            lull_json_close(&w->j, '}');
        }
    }
    lull_json_close(&w->j, ']');
    lull_str_free(&s);
}

/** State of one draw beyond its registers. */
static void put_state(struct lull_show *w, struct lull_cap *c)
{
    struct lull_str s = {0};
    lull_json_key(&w->j, "loads");
    lull_json_open(&w->j, '[');
    for (unsigned i = 0; i < c->nloads; i++) {
        lull_json_open(&w->j, '{');
        put_load(w, c, &c->loads[i]);
        lull_json_close(&w->j, '}');
    }
    lull_json_close(&w->j, ']');
    lull_json_key(&w->j, "groups_of_state");
    lull_json_open(&w->j, '[');
    for (unsigned i = 0; i < LULL_CAP_GROUPS; i++) {
        const struct lull_as_group *g = &c->s.groups[i];
        if (g->count != 0) {
            s.size = 0;
            lull_cap_modes(g->mask, &s);
            lull_json_open(&w->j, '{');
            lull_json_put_u64(&w->j, "group", i);
            lull_json_put_hex(&w->j, "address", g->address);
            lull_json_put_u64(&w->j, "dwords", g->count);
            put_text(w, "modes", &s);
            lull_json_put_bool(&w->j, "counts", (g->mask & c->s.mode) != 0);
            lull_json_close(&w->j, '}');
        }
    }
    lull_json_close(&w->j, ']');
    lull_str_free(&s);
}

static void each(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                 struct lull_cap_value old, struct lull_cap_value value)
{
    put_register(ctx, c, reg, hit, old, value);
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    const bool listed = w->o.mode == LULL_SHOW_SUMMARY || w->o.draw >= 0;
    if (!lull_show_wanted(w, c) || (!listed && !w->open_packets)) {
        return;
    }
    if (listed) {
        list(w, "draws");
        lull_json_open(&w->j, '{');
    } else {
        item(w, c, "draw");
    }
    put_draw(w, c, d);
    put_shaders(w, c, d, w->o.mode == LULL_SHOW_WHOLE);
    if (w->o.mode == LULL_SHOW_WHOLE) {
        lull_json_key(&w->j, "registers");
        lull_json_open(&w->j, '[');
        lull_cap_registers(c, w->o.draw >= 0, each, w);
        lull_json_close(&w->j, ']');
    }
    if (w->o.draw >= 0) {
        put_state(w, c);
        put_sets(w, c, d);
    }
    if (listed) {
        lull_json_close(&w->j, '}');
    }
    lull_show_flush(w, false);
}

static void finish(struct lull_show *w, const struct lull_error *err)
{
    const bool listed = w->o.mode == LULL_SHOW_SUMMARY || w->o.draw >= 0;
    close_packet(w);
    if (w->open_packets) {
        lull_json_close(&w->j, ']');
    }
    close_stream(w);
    if (!w->in_list && err != NULL) {
        return; // nothing was there
    }
    list(w, listed ? "draws" : "sections");
    lull_json_close(&w->j, ']');
    lull_json_put_u64(&w->j, "problems", w->problems);
    if (err != NULL) {
        lull_json_put_str(&w->j, "error", lull_error_message(err));
    }
    lull_json_close(&w->j, '}');
    lull_show_add(w, "\n");
}

void lull_show_json_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    if (w->o.mode == LULL_SHOW_WHOLE && w->o.draw < 0) {
        v->section = section;
        v->stream = stream;
        v->stream_end = stream_end;
        v->packet = packet;
        v->enter = enter;
        v->write = write_reg;
        v->store = store;
        v->group = group;
        v->load = load;
        v->note = note;
    }
    v->draw = draw;
    w->finish = finish;
}
