// SPDX-License-Identifier: MIT
// A capture as text, whole: sections, packets, what they do, registers at draws.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "adreno/show/show_priv.h"
#include "adreno/show/walk.h"
#include "hw/rd_regs.h"

enum { ADDRESS_DIGITS = 16, WIDTH = 110, ROW = 8, TEXT_SHOWN = 200 };

/** Column of the address, and the depth. */
static void margin(struct lull_show *w, uint64_t address)
{
    if (address != 0) {
        lull_str_hex(&w->text, address, ADDRESS_DIGITS);
        lull_show_add(w, "  ");
    } else if (w->o.draw < 0) { // one draw by itself has no such column
        lull_show_add(w, "                  ");
    }
    lull_show_indent(w);
}

static void section(void *ctx, struct lull_cap *c, const struct lull_rd_section *s,
                    const char *wrong)
{
    struct lull_show *w = ctx;
    struct lull_rd_range r = {0};
    uint64_t number = 0;
    char type[32] = "";
    if (!lull_show_wanted(w, c)) {
        return;
    }
    lull_show_type(s, type, sizeof type);
    lull_show_addf(w, "byte 0x%08" PRIx64 "  %-16s ", s->offset, type);
    if (wrong != NULL) {
        lull_show_addf(w, "%s\n", wrong);
        return;
    }
    switch (s->filler ? LULL_RD_NONE : s->type) {
    case LULL_RD_GPU_ID:
    case LULL_RD_CHIP_ID:
        (void)lull_rd_number(s, &number);
        lull_show_addf(w, s->type == LULL_RD_GPU_ID ? "%" PRIu64 : "0x%08" PRIx64, number);
        break;
    case LULL_RD_TEST:
    case LULL_RD_CMD:
    case LULL_RD_VERT_SHADER:
    case LULL_RD_FRAG_SHADER:
        lull_show_payload(s, TEXT_SHOWN, &w->text);
        lull_show_addf(w, "  (submit %" PRIu64 ")", c->submit);
        break;
    case LULL_RD_GPUADDR:
    case LULL_RD_SHADER_LOG_BUFFER:
    case LULL_RD_CP_LOG_BUFFER:
        (void)lull_rd_range(s, &r);
        lull_show_addf(w, "0x%" PRIx64 ", %" PRIu32 " bytes", r.address, r.size);
        break;
    case LULL_RD_CMDSTREAM_ADDR:
        (void)lull_rd_range(s, &r);
        lull_show_addf(w, "0x%" PRIx64 ", %" PRIu32 " dwords", r.address, r.size);
        break;
    default:
        lull_show_addf(w, "%" PRIu32 " bytes", s->size);
        break;
    }
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void stream(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    w->indent = 0;
    lull_show_addf(w, "\nstream %" PRIu64 " of submit %" PRIu64, s->number, c->submit);
    if (c->process[0] != '\0') {
        lull_show_addf(w, " (%s)", c->process);
    }
    lull_show_add(w, ", ");
    lull_show_gpu(c, &w->text);
    lull_show_addf(w, ": %" PRIu32 " dwords at 0x%" PRIx64 "\n", s->dwords, s->address);
}

static void stream_end(void *ctx, struct lull_cap *c, const struct lull_cap_stream *s)
{
    struct lull_show *w = ctx;
    if (lull_show_wanted(w, c)) {
        lull_show_addf(w, "end of stream %" PRIu64 ", %" PRIu32 " draws so far\n\n", s->number,
                       c->draws);
    }
    lull_show_flush(w, false);
}

static void raw(struct lull_show *w, const struct lull_as_packet *p)
{
    for (uint32_t i = 0; i < p->n; i += ROW) {
        margin(w, 0);
        lull_show_add(w, "  ");
        for (uint32_t k = i; k < p->n && k < i + ROW; k++) {
            lull_str_hex(&w->text, p->words[k], 8);
            lull_show_add(w, k + 1 < p->n && k + 1 < i + ROW ? " " : "\n");
        }
        lull_show_flush(w, false);
    }
}

/** A write of one register is told by that alone; a longer one has a line of its own. */
static void packet(void *ctx, struct lull_cap *c, const struct lull_as_packet *p)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    const bool write = p->type == LULL_APKT_WRITE;
    const enum lull_cap_op op = p->type == LULL_APKT_OP
                                    ? (enum lull_cap_op)c->op_kinds[p->what % LULL_CAP_OPCODES]
                                    : LULL_CAP_OP_PLAIN;
    margin(w, p->address);
    lull_show_add(w, p->dead ? "(not executed) " : "");
    if (p->type == LULL_APKT_NOP) {
        lull_show_add(w, "nop");
    } else if (write && p->n == 2 && !p->dead) {
        w->single = true; // its line goes on with the register
        return;
    } else if (write) {
        lull_show_add(w, "write ");
        lull_str_dec(&w->text, p->n - 1);
        lull_show_add(w, p->n == 2 ? " register from " : " registers from ");
        const struct lull_dom_hit first = lull_dom_lookup(c->index, p->what);
        lull_cap_name(&first, p->what, &w->text);
    } else if (p->name == NULL) {
        lull_show_addf(w, "opcode 0x%02" PRIx32 ", %" PRIu32 " dwords", p->what, p->n - 1);
    } else {
        lull_show_add(w, p->name);
    }
    const struct lull_dom *d =
        p->type == LULL_APKT_OP ? c->s.op_doms[p->what % LULL_CAP_OPCODES] : NULL;
    const struct lull_cap_words body = {p->words + 1, p->address + 4, p->n - 1};
    const bool told = !p->dead && op == LULL_CAP_OP_TELLS;
    if (d != NULL && !told && body.n > 0) {
        lull_show_add(w, "  ");
        lull_cap_fields_line(c, d, body, &w->text);
    }
    lull_show_add(w, "\n");
    if (w->o.raw ||
        (p->type == LULL_APKT_OP && d == NULL && body.n > 0 && op != LULL_CAP_OP_NO_DUMP)) {
        raw(w, p);
    }
    lull_show_flush(w, false);
}

static void enter(void *ctx, struct lull_cap *c, const struct lull_as_frame *call)
{
    static const char *const kinds[] = {"", "group ", "prefix of bin ", "body of bin ", "draw "};
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    margin(w, 0);
    lull_show_addf(w, "IB%u ", c->level + 2);
    if (call->kind != LULL_AS_IB) {
        lull_show_addf(w, "%s%u ", kinds[call->kind], call->number);
    }
    lull_show_addf(w, "0x%" PRIx64 ", %" PRIu32 " dwords {\n", call->address, call->dwords);
    w->indent++;
}

static void leave(void *ctx, struct lull_cap *c, const struct lull_as_frame *call)
{
    struct lull_show *w = ctx;
    (void)call;
    if (lull_show_wanted(w, c)) {
        w->indent -= w->indent > 0;
        margin(w, 0);
        lull_show_add(w, "}\n");
    }
}

static void store(void *ctx, struct lull_cap *c, uint64_t address, const uint32_t *values,
                  uint32_t n)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    margin(w, 0);
    lull_show_add(w, "  memory at ");
    if (address != 0) {
        lull_str_prefixed(&w->text, address);
        lull_cap_where(c, address, &w->text);
    } else {
        lull_show_add(w, "an unknown address");
    }
    lull_show_add(w, " =");
    for (uint32_t i = 0; values != NULL && i < n; i++) {
        lull_show_add(w, " ");
        lull_str_hex(&w->text, values[i], 8);
    }
    if (values == NULL) {
        lull_show_addf(w, " %" PRIu32 " unknown dword%s", n, n == 1 ? "" : "s");
    }
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void write_reg(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                      struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    if (w->single) {
        w->single = false;
    } else {
        margin(w, 0);
    }
    lull_show_add(w, lull_cap_differ(old, value) ? "! " : "  ");
    lull_cap_name(hit, reg, &w->text);
    lull_show_add(w, " = ");
    lull_show_value(w, c, hit, value, true);
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void group(void *ctx, struct lull_cap *c, unsigned id, const struct lull_as_group *g,
                  enum lull_as_group_what what)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    margin(w, 0);
    if (g->count == 0) {
        lull_show_addf(w, "  group %u %s\n", id, lull_cap_group_what(what));
        return;
    }
    lull_show_addf(w, "  group %u %s: %" PRIu32 " dwords at 0x%" PRIx64 " for ", id,
                   lull_cap_group_what(what), g->count, g->address);
    lull_cap_modes(g->mask, &w->text);
    lull_show_add(w, (g->flags & 1) != 0 ? ", dirty\n" : "\n");
}

static void note(void *ctx, struct lull_cap *c, const char *text)
{
    struct lull_show *w = ctx;
    if (lull_show_wanted(w, c)) {
        margin(w, 0);
        lull_show_addf(w, "  ; %s\n", text);
    }
}

struct entry {
    struct lull_show *w;
    size_t column;
};

static void entry(void *ctx, const struct lull_dom_hit *hit, const char *text)
{
    struct entry *e = ctx;
    const size_t n = strlen(text);
    (void)hit;
    if (strcmp(text, "{ 0 }") == 0) {
        return; // of many dwords most are zero
    }
    if (e->column == 0 || e->column + n > WIDTH) {
        lull_show_add(e->w, e->column != 0 ? "\n" : "");
        margin(e->w, 0);
        lull_show_add(e->w, "      ");
        e->column = 6;
    } else {
        lull_show_add(e->w, " ");
    }
    lull_show_add(e->w, text);
    e->column += n + 1;
}

void lull_show_descriptor(struct lull_show *w, struct lull_cap *c, const struct lull_dom *dom,
                          struct lull_cap_words words, const char *title)
{
    struct entry e = {.w = w};
    uint32_t any = 0;
    for (uint32_t i = 0; i < words.n; i++) {
        any |= words.words[i];
    }
    margin(w, 0);
    lull_show_addf(w, "    %s%s\n", title, any == 0 ? " all zero" : "");
    if (any == 0) {
        return;
    }
    if (dom != NULL) {
        lull_cap_fields(c, dom, words, entry, &e);
        lull_show_add(w, e.column != 0 ? "\n" : "");
    } else {
        margin(w, 0);
        lull_show_add(w, "     ");
        for (uint32_t i = 0; i < words.n; i++) {
            lull_show_add(w, " ");
            lull_str_hex(&w->text, words.words[i], 8);
        }
        lull_show_add(w, "\n");
    }
    lull_show_flush(w, false);
}

/** Rows of four, as a shader counts them. */
static void constants(struct lull_show *w, const struct lull_cap_load *l)
{
    const uint32_t first = l->of.offset * l->each;
    for (uint32_t i = 0; i < l->w.n; i += 4) {
        const uint32_t n = l->w.n - i < 4 ? l->w.n - i : 4, at = first + i;
        margin(w, 0);
        lull_show_add(w, l->shared ? "    s" : "    c");
        lull_str_dec(&w->text, at / 4);
        lull_str_add(&w->text, (const char[]){'.', "xyzw"[at % 4], ' '}, 3);
        for (uint32_t k = 0; k < n; k++) {
            lull_show_add(w, " ");
            lull_cap_float(l->w.words[i + k], &w->text);
        }
        lull_show_add(w, "  |");
        for (uint32_t k = 0; k < n; k++) {
            lull_show_add(w, " ");
            lull_str_hex(&w->text, l->w.words[i + k], 8);
        }
        lull_show_add(w, "\n");
        lull_show_flush(w, false);
    }
}

void lull_show_load(struct lull_show *w, struct lull_cap *c, const struct lull_cap_load *l)
{
    const struct lull_dom *dom = lull_cap_load_domain(c, l->of.what);
    margin(w, 0);
    lull_show_addf(w, "  %s%s %s", lull_cap_stage_name(l->stage), l->shared ? " shared" : "",
                   lull_cap_load_name(l->of.what));
    lull_show_addf(w, " %" PRIu32 "..%" PRIu32 " at 0x%" PRIx64, l->of.offset,
                   l->of.offset + l->of.units - (l->of.units != 0), l->w.address);
    lull_show_add(w, l->of.source == LULL_LOAD_DIRECT ? " (in the packet)" : "");
    if (l->set >= 0) {
        lull_show_addf(w, " (bindless set %d)", l->set);
    }
    lull_show_add(w, l->w.n == 0 && l->of.units != 0 ? ", not in the capture\n" : "\n");
    if (l->of.what == LULL_LOAD_CONSTANTS) {
        constants(w, l);
        return;
    }
    if (l->of.what == LULL_LOAD_SHADER) {
        struct lull_cap_shader s = {0};
        if (l->of.source == LULL_LOAD_DIRECT && l->stage >= 0 &&
            lull_cap_shader_at(c, (enum lull_cap_stage)l->stage, l->w.address, &s)) {
            s.n = s.n < l->w.n / 2 ? s.n : l->w.n / 2;
            lull_show_shader(w, c, &s);
        }
        return;
    }
    for (uint32_t i = 0; l->apart != 0 && i * l->apart < l->w.n; i++) {
        char title[32] = "";
        (void)snprintf(title, sizeof title, "[%" PRIu32 "]", l->of.offset + i);
        lull_show_descriptor(w, c, dom, lull_cap_part(l->w, i * l->apart, l->each), title);
    }
}

static void load(void *ctx, struct lull_cap *c, const struct lull_cap_load *l)
{
    struct lull_show *w = ctx;
    if (lull_show_wanted(w, c)) {
        lull_show_load(w, c, l);
    }
}

void lull_show_shader(struct lull_show *w, struct lull_cap *c, const struct lull_cap_shader *s)
{
    struct lull_str code = {0};
    if (s->hash == 0) {
        return;
    }
    lull_cap_disasm(c, s, true, &code);
    for (const char *at = lull_str_text(&code); *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        margin(w, 0);
        lull_show_add(w, "      ");
        lull_str_add(&w->text, at, n);
        lull_show_add(w, "\n");
        at += n + (at[n] == '\n');
    }
    lull_str_free(&code);
    (void)lull_cap_work(c, s->n);
    lull_show_flush(w, false);
}

void lull_show_params(struct lull_show *w, struct lull_cap *c, const struct lull_cap_draw *d)
{
    bool counted = false;
    uint32_t said = 0;
    if (d->indirect == 0) {
        return;
    }
    const uint32_t n = lull_cap_param_count(c, d, &counted, &said);
    if (counted) {
        margin(w, 0);
        lull_show_addf(w, "    count in memory: %" PRIu32 "\n", said);
    }
    for (uint32_t i = 0; i < n && !c->s.idle; i++) {
        struct lull_cap_params p = {0};
        const bool there = lull_cap_param(c, d, i, &p);
        margin(w, 0);
        lull_show_addf(w, "    [%" PRIu32 "] at 0x%" PRIx64 ":", i, p.address);
        for (unsigned k = 0; k < p.n; k++) {
            lull_show_addf(w, "%s %s %" PRIu32, k != 0 ? "," : "", p.names[k], p.values[k]);
        }
        lull_show_add(w, there ? "\n" : " not in the capture\n");
        lull_show_flush(w, false);
        if (!there) {
            break;
        }
    }
}

static void changed(void *ctx, struct lull_cap *c, uint32_t reg, const struct lull_dom_hit *hit,
                    struct lull_cap_value old, struct lull_cap_value value)
{
    struct lull_show *w = ctx;
    if (!lull_cap_differ(old, value)) {
        return;
    }
    margin(w, 0);
    lull_show_add(w, "    ");
    lull_cap_name(hit, reg, &w->text);
    lull_show_add(w, " = ");
    lull_show_value(w, c, hit, value, true);
    lull_show_was(w, c, hit, old);
    lull_show_add(w, "\n");
    lull_show_flush(w, false);
}

static void draw(void *ctx, struct lull_cap *c, const struct lull_cap_draw *d)
{
    struct lull_show *w = ctx;
    if (!lull_show_wanted(w, c)) {
        return;
    }
    margin(w, 0);
    lull_show_draw_line(w, c, d);
    lull_show_params(w, c, d);
    for (unsigned i = 0; i < d->nshaders; i++) {
        const struct lull_cap_shader *s = &d->shaders[i];
        margin(w, 0);
        lull_show_addf(w, "    %s 0x%" PRIx64, lull_cap_stage_name((int)s->stage), s->address);
        if (s->hash == 0) {
            lull_show_add(w, ", not in the capture\n");
            continue;
        }
        const bool seen = lull_show_was_seen(w, s->hash);
        lull_show_addf(w, " %016" PRIx64 ", %" PRIu32 " instructions%s\n", s->hash, s->n,
                       seen ? " (shown above)" : "");
        if (!seen) {
            lull_show_shader(w, c, s);
        }
    }
    margin(w, 0);
    lull_show_addf(
        w, "  changed since the draw before: %" PRIu32 " of %" PRIu32 " registers written\n",
        d->changed, d->written);
    lull_cap_registers(c, false, changed, w);
    lull_show_flush(w, false);
}

void lull_show_text_visitor(struct lull_show *w, struct lull_cap_visitor *v)
{
    (void)w;
    v->section = section;
    v->stream = stream;
    v->stream_end = stream_end;
    v->packet = packet;
    v->enter = enter;
    v->leave = leave;
    v->write = write_reg;
    v->store = store;
    v->group = group;
    v->load = load;
    v->draw = draw;
    v->note = note;
}
