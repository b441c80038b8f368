// SPDX-License-Identifier: MIT
#include "check/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "check/trace/format.h"

enum { DWORD = 4, FIRST_ROOM = 1024, VGPR0 = 256, HALF = 64 };

struct lull_trace_code {
    uint64_t pc;
    char *text; // NULL: free.
};

/** A step that is under way: what it wrote is known when the wave's next one comes. */
struct step {
    uint64_t time, pc;
    uint32_t flags;
    uint32_t nreads, nwrites;
    uint32_t reads[LULL_TRACE_MAX_REGS][2]; // Register, value.
    uint32_t writes[LULL_TRACE_MAX_REGS];   // Registers.
    bool has_memory;
    uint32_t memory_flags, bytes, data;
    uint64_t address;
};

struct wave {
    uint32_t dispatch;
    bool traced, pending;
    unsigned lane; // Of the invocation, if traced.
    struct step step;
};

static void put_text(struct lull_str *s, const char *text)
{
    const size_t n = strnlen(text, LULL_TRACE_MAX_TEXT);
    lull_str_le32(s, (uint32_t)n);
    lull_str_add(s, text, n);
}

static size_t code_at(const struct lull_trace *t, uint64_t pc)
{
    size_t at = (size_t)(pc / DWORD * 0x9e3779b1u) & (t->code_room - 1);
    while (t->code[at].text != NULL && t->code[at].pc != pc) {
        at = (at + 1) & (t->code_room - 1);
    }
    return at;
}

static bool code_grow(struct lull_trace *t)
{
    struct lull_trace_code *old = t->code;
    const size_t old_room = t->code_room, room = old_room != 0 ? 2 * old_room : FIRST_ROOM;
    struct lull_trace_code *more = calloc(room, sizeof *more);
    if (more == NULL) {
        return false;
    }
    t->code = more;
    t->code_room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].text != NULL) {
            t->code[code_at(t, old[i].pc)] = old[i];
        }
    }
    free(old);
    return true;
}

/** The text of the instruction at hand is kept. */
static void keep_code(struct lull_trace *t, const struct lull_check_now *n)
{
    const struct lull_insn_print how = {.pc = n->at->pc, .lanes = n->at->lanes};
    if (2 * (t->ncode + 1) > t->code_room && !code_grow(t)) {
        lull_checks_lose(n->all);
        return;
    }
    struct lull_trace_code *c = &t->code[code_at(t, n->at->pc)];
    if (c->text != NULL) {
        return;
    }
    struct lull_str s = {0};
    n->at->arch->print(n->at->insn, &how, &s);
    c->text = s.err == NULL ? strdup(lull_str_text(&s)) : NULL;
    if (c->text == NULL) {
        lull_checks_lose(n->all);
    } else {
        c->pc = n->at->pc;
        t->ncode++;
    }
    lull_error_free(s.err);
    s.err = NULL;
    lull_str_free(&s);
}

static struct lull_trace *trace_of(const struct lull_check_now *n)
{
    return ((const struct lull_trace_config *)n->config)->to;
}

/** Is there room for a record? */
static bool room(struct lull_trace *t)
{
    t->full = t->full || (t->most != 0 && t->out.size >= t->most);
    return !t->full && t->out.err == NULL;
}

static void starts(const struct lull_check_now *n)
{
    struct lull_trace *t = trace_of(n);
    struct wave *w = calloc(1, sizeof *w);
    *n->of_wave = w;
    if (w == NULL) {
        lull_checks_lose(n->all);
        return;
    }
    if (t->ndispatches == 0 || n->group->dispatch != t->last_dispatch) {
        t->last_dispatch = n->group->dispatch;
        t->ndispatches++;
    }
    w->dispatch = t->ndispatches - 1;
    const uint32_t first = n->wave->index * n->wave->lanes;
    w->traced = t->has_who && t->who.dispatch == w->dispatch &&
                memcmp(t->who.workgroup, n->group->workgroup, sizeof t->who.workgroup) == 0 &&
                t->who.item >= first && t->who.item < first + n->wave->lanes;
    w->lane = w->traced ? t->who.item - first : 0;
}

static uint32_t value_of(const struct lull_observed *at, unsigned reg, unsigned lane)
{
    uint32_t v = 0;
    const bool scalar = at->arch == &lull_arch_rdna3 && reg < VGPR0;
    return at->read(at, reg, scalar ? 0 : lane, &v) ? v : 0;
}

/** The step before is complete: registers have what it wrote. */
static void finish(struct lull_trace *t, struct wave *w, const struct lull_observed *at)
{
    const struct step *s = &w->step;
    struct lull_str *o = &t->out;
    if (!w->pending || !room(t)) {
        w->pending = false;
        return;
    }
    lull_str_le32(o, LULL_TRACE_STEP);
    lull_str_le64(o, s->time);
    lull_str_le64(o, s->pc);
    lull_str_le32(o, s->flags);
    lull_str_le32(o, s->nreads);
    lull_str_le32(o, s->nwrites);
    for (uint32_t i = 0; i < s->nreads; i++) {
        lull_str_le32(o, s->reads[i][0]);
        lull_str_le32(o, s->reads[i][1]);
    }
    for (uint32_t i = 0; i < s->nwrites; i++) {
        lull_str_le32(o, s->writes[i]);
        lull_str_le32(o, value_of(at, s->writes[i], w->lane));
    }
    lull_str_le32(o, s->has_memory ? s->bytes : 0);
    if (s->has_memory) {
        lull_str_le32(o, s->memory_flags);
        lull_str_le64(o, s->address);
        lull_str_le32(o, s->data);
    }
    w->pending = false;
}

static void begin(struct lull_trace *t, struct wave *w, const struct lull_check_now *n)
{
    struct lull_arch_use uses[LULL_ARCH_MAX_USES];
    const unsigned k = n->at->arch->uses(n->at->insn, n->at->lanes, uses);
    const uint64_t active = w->lane < HALF ? n->at->active : n->at->active_high;
    const bool on = (active >> w->lane % HALF & 1) != 0;
    const enum lull_flow_kind flow = n->at->arch->flow(n->at->insn, n->at->pc).kind;
    struct step *s = &w->step;
    *s = (struct step){.time = t->time, .pc = n->at->pc};
    s->flags = (on ? LULL_TRACE_ACTIVE : 0) | (flow == LULL_FLOW_BRANCH ? LULL_TRACE_BRANCH : 0);
    for (unsigned i = 0; i < k; i++) {
        for (unsigned r = uses[i].reg; r < uses[i].reg + (unsigned)uses[i].count; r++) {
            uint32_t *count = uses[i].write ? &s->nwrites : &s->nreads;
            if (*count == LULL_TRACE_MAX_REGS) {
                continue;
            }
            if (uses[i].write) {
                s->writes[s->nwrites++] = r;
            } else {
                s->reads[s->nreads][0] = r;
                s->reads[s->nreads++][1] = value_of(n->at, r, w->lane);
            }
        }
    }
    w->pending = true;
    keep_code(t, n);
}

static void before(const struct lull_check_now *n)
{
    struct lull_trace *t = trace_of(n);
    struct wave *w = *n->of_wave;
    t->time++;
    t->arch = n->at->arch;
    if (w != NULL && w->traced) {
        finish(t, w, n->at);
        begin(t, w, n);
    }
}

static uint32_t flags_of(const struct lull_touch *t)
{
    return (t->local ? LULL_TRACE_LOCAL : 0) | (t->described ? LULL_TRACE_DESCRIBED : 0) |
           (t->kind == LULL_TOUCH_ATOMIC ? LULL_TRACE_ATOMIC : 0) |
           (t->priv ? LULL_TRACE_PRIVATE : 0) |
           (t->kind != LULL_TOUCH_LOAD ? LULL_TRACE_WRITES : 0);
}

static void note_memory(struct wave *w, const struct lull_touch *t)
{
    struct step *s = &w->step;
    const unsigned lane = t->scalar ? 0 : w->lane - t->from;
    if (w->traced && w->pending && !s->has_memory && lane < HALF && (t->lanes >> lane & 1) != 0) {
        s->has_memory = true;
        s->memory_flags = flags_of(t);
        s->bytes = t->bytes;
        s->address = t->address[lane];
        s->data = t->data;
    }
}

/** Four bytes from @p byte on of what lane @p l stores. */
static uint32_t data_of(const struct lull_check_now *n, const struct lull_touch *t, unsigned l,
                        unsigned byte)
{
    uint32_t v = 0;
    if (t->texels == NULL) {
        return value_of(n->at, t->data + byte / DWORD, t->from + l);
    }
    for (unsigned k = byte; k < byte + DWORD && k < LULL_TOUCH_TEXEL; k++) {
        v |= (uint32_t)t->texels[l * LULL_TOUCH_TEXEL + k] << 8 * (k - byte);
    }
    return v;
}

static void memory(const struct lull_check_now *n, const struct lull_touch *touch)
{
    struct lull_trace *t = trace_of(n);
    struct wave *w = *n->of_wave;
    struct lull_str *o = &t->out;
    if (w == NULL) {
        return;
    }
    note_memory(w, touch);
    if (touch->kind == LULL_TOUCH_LOAD || touch->priv || touch->bytes > LULL_TRACE_MAX_BYTES ||
        touch->data == LULL_ARCH_NO_REG || !room(t)) {
        return;
    }
    uint64_t lanes = 0;
    for (unsigned l = 0; l < LULL_TRACE_MAX_LANES; l++) {
        lanes |= (uint64_t)((touch->lanes >> l & 1) != 0 && touch->valid[l] != 0) << l;
    }
    lull_str_le32(o, LULL_TRACE_STORE);
    lull_str_le64(o, t->time);
    lull_str_le64(o, n->at->pc);
    lull_str_le32(o, w->dispatch);
    for (unsigned i = 0; i < 3; i++) {
        lull_str_le32(o, n->group->workgroup[i]);
    }
    lull_str_le32(o, n->wave->index * n->wave->lanes + touch->from);
    lull_str_le32(o, flags_of(touch));
    lull_str_le32(o, touch->bytes);
    lull_str_le64(o, touch->described ? touch->base : 0);
    lull_str_le64(o, lanes);
    for (unsigned l = 0; l < LULL_TRACE_MAX_LANES; l++) {
        if ((lanes >> l & 1) == 0) {
            continue;
        }
        lull_str_le64(o, touch->address[l]);
        for (unsigned k = 0; k < touch->bytes; k += DWORD) {
            lull_str_le32(o, data_of(n, touch, l, k));
        }
    }
    keep_code(t, n);
}

const struct lull_check_module lull_check_trace = {
    .name = "trace", .priv = true, .starts = starts, .before = before, .memory = memory};

struct lull_error *lull_trace_file(struct lull_trace *t, const struct lull_check_objects *objects,
                                   lull_trace_line_fn *line, const void *ctx, struct lull_str *out)
{
    if (t->full) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "the run writes more than %llu bytes of trace",
                              (unsigned long long)t->most);
    }
    lull_str_add(out, LULL_TRACE_MAGIC, strlen(LULL_TRACE_MAGIC));
    if (t->arch != NULL && t->arch != &lull_arch_rdna3) {
        lull_str_le32(out, LULL_TRACE_ARCH);
        put_text(out, t->arch->name);
    }
    for (size_t i = 0; i < objects->nmemory; i++) {
        const struct lull_check_object *o = &objects->memory[i];
        lull_str_le32(out, LULL_TRACE_OBJECT);
        lull_str_le64(out, o->at);
        lull_str_le64(out, o->size);
        put_text(out, o->name != NULL ? o->name : "");
    }
    for (size_t i = 0; i < t->code_room; i++) {
        const char *file = "";
        uint32_t number = 0;
        if (t->code[i].text == NULL) {
            continue;
        }
        if (line == NULL || !line(ctx, t->code[i].pc, &file, &number)) {
            file = "";
        }
        lull_str_le32(out, LULL_TRACE_CODE);
        lull_str_le64(out, t->code[i].pc);
        lull_str_le32(out, number);
        put_text(out, t->code[i].text);
        put_text(out, file);
    }
    lull_str_add(out, lull_str_text(&t->out), t->out.size);
    lull_str_le32(out, LULL_TRACE_END);
    lull_str_le64(out, t->time);
    return t->out.err != NULL ? t->out.err : NULL;
}

void lull_trace_done(struct lull_trace *t)
{
    for (size_t i = 0; i < t->code_room; i++) {
        free(t->code[i].text);
    }
    free(t->code);
    t->code = NULL;
    t->code_room = t->ncode = 0;
    lull_error_free(t->out.err);
    t->out.err = NULL;
    lull_str_free(&t->out);
}

void lull_trace_put_line(struct lull_trace *t, uint64_t step, const uint32_t *values, uint32_t n)
{
    struct lull_str *o = &t->out;
    n = n < LULL_TRACE_MAX_REGS ? n : LULL_TRACE_MAX_REGS;
    if (!room(t)) {
        return;
    }
    lull_str_le32(o, LULL_TRACE_STEP);
    lull_str_le64(o, step);
    lull_str_le64(o, step);
    lull_str_le32(o, LULL_TRACE_ACTIVE);
    lull_str_le32(o, 0);
    lull_str_le32(o, n);
    for (uint32_t i = 0; i < n; i++) {
        lull_str_le32(o, VGPR0);
        lull_str_le32(o, values[i]);
    }
    lull_str_le32(o, 0);
}

void lull_trace_put_place(struct lull_trace *t, uint64_t step, const char *file, uint32_t line)
{
    struct lull_str *o = &t->out;
    if (room(t)) {
        lull_str_le32(o, LULL_TRACE_CODE);
        lull_str_le64(o, step);
        lull_str_le32(o, line);
        put_text(o, "");
        put_text(o, file);
    }
}
