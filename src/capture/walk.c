// SPDX-License-Identifier: MIT
#include "capture/walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lull_cap_problem(struct lull_cap *c, uint64_t address, const char *fmt, ...)
{
    char text[512] = "";
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const struct lull_cap_buffer *b =
        address != 0 && c->sorted ? lull_cap_buffer_at(c, address) : NULL;
    const uint64_t at = b != NULL ? address - b->address : 0;
    const bool there = b != NULL && b->data != NULL && at < b->held;
    c->problems++;
    if (c->v->problem != NULL) {
        c->v->problem(c->v->ctx, c, there ? b->offset + at : c->section_offset, address, text);
    }
}

void lull_cap_note(struct lull_cap *c, const char *fmt, ...)
{
    char text[256] = "";
    va_list args;
    if (c->v->note == NULL) {
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->v->note(c->v->ctx, c, text);
}

uint64_t lull_cap_arg_address(const struct lull_cap *c, const struct lull_cap_packet *p, uint32_t i)
{
    return lull_cap_arg(p, i) | (c->gen >= 5 ? (uint64_t)lull_cap_arg(p, i + 1) << 32 : 0);
}

uint64_t lull_cap_reg(const struct lull_cap *c, uint32_t reg, bool wide)
{
    return c->vals[reg % LULL_CAP_REGS] |
           (wide ? (uint64_t)c->vals[(reg + 1) % LULL_CAP_REGS] << 32 : 0);
}

bool lull_cap_work(struct lull_cap *c, uint64_t n)
{
    c->nwalked += n;
    if (!c->idle && n > c->work) {
        c->idle = true;
        lull_cap_problem(c, 0,
                         "the stream runs more packets than one of a capture of this size can "
                         "need: cut short");
    }
    c->work -= n < c->work ? n : c->work;
    return !c->idle;
}

static void set(struct lull_cap *c, uint32_t reg, uint32_t value)
{
    const uint64_t bit = UINT64_C(1) << reg % 64;
    c->vals[reg] = value;
    if ((c->rewritten[reg / 64] & bit) == 0) {
        c->fresh[c->nfresh++] = reg;
        c->written[reg / 64] |= bit;
        c->rewritten[reg / 64] |= bit;
        c->in_written[reg / 4096] |= UINT64_C(1) << reg / 64 % 64;
        c->in_rewritten[reg / 4096] |= UINT64_C(1) << reg / 64 % 64;
    }
}

void lull_cap_write(struct lull_cap *c, uint32_t reg, const uint32_t *values, uint32_t n)
{
    const bool told = c->v->write != NULL;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = (reg + i) % LULL_CAP_REGS;
        if (!told) {
            set(c, at, values[i]);
            continue;
        }
        struct lull_dom_hit whole = lull_dom_lookup(c->index, at);
        const bool wide = c->half[at] != 0;
        const uint32_t base = at - (c->half[at] == 2);
        const uint64_t old = lull_cap_reg(c, base, wide);
        whole.dword = 0;
        set(c, at, values[i]);
        if (c->half[at] == 1 && i + 1 < n) {
            set(c, at + 1, values[++i]); // both halves in one packet: told once
        }
        c->v->write(c->v->ctx, c, base, &whole, old, lull_cap_reg(c, base, wide));
    }
}

uint32_t lull_cap_next(const struct lull_cap *c, bool all, uint32_t from)
{
    const uint64_t *bits = all ? c->written : c->rewritten;
    const uint64_t *words = all ? c->in_written : c->in_rewritten;
    uint32_t word = from / 64;
    if (from >= LULL_CAP_REGS) {
        return LULL_CAP_REGS;
    }
    const uint64_t here = bits[word] & UINT64_MAX << from % 64;
    if (here != 0) {
        return word * 64 + (uint32_t)__builtin_ctzll(here);
    }
    word++;
    for (uint32_t i = word / 64; i < LULL_CAP_REGS / 4096; i++) {
        const uint64_t left = i == word / 64 ? words[i] & UINT64_MAX << word % 64 : words[i];
        if (left != 0) {
            const uint32_t at = i * 64 + (uint32_t)__builtin_ctzll(left);
            return at * 64 + (uint32_t)__builtin_ctzll(bits[at]);
        }
    }
    return LULL_CAP_REGS;
}

void lull_cap_registers(struct lull_cap *c, bool all,
                        void (*each)(void *ctx, struct lull_cap *c, uint32_t reg,
                                     const struct lull_dom_hit *hit, uint64_t old, uint64_t value),
                        void *ctx)
{
    for (uint32_t at = lull_cap_next(c, all, 0); at < LULL_CAP_REGS;) {
        struct lull_dom_hit hit = lull_dom_lookup(c->index, at);
        const bool wide = c->half[at] != 0;
        at -= c->half[at] == 2;
        hit.dword = 0;
        const uint64_t old = c->last[at] | (wide ? (uint64_t)c->last[at + 1] << 32 : 0);
        each(ctx, c, at, &hit, old, lull_cap_reg(c, at, wide));
        at = lull_cap_next(c, all, at + 1 + wide);
    }
}

/** No packet: on to the next that is one, from a5xx on; before there is no telling. */
static uint32_t skip(struct lull_cap *c, struct lull_cap_words w, uint32_t at)
{
    const uint32_t from = at;
    if (c->gen >= 5) {
        do {
            at++;
        } while (at < w.n && lull_apkt_header(c->gen, w.words[at]).type == LULL_APKT_BAD);
    } else {
        at = w.n;
    }
    lull_cap_problem(c, w.address + from * 4ull,
                     "0x%08" PRIx32 " is no packet header: %" PRIu32 " dwords skipped",
                     w.words[from], at - from);
    return at;
}

/** One packet; @return how many dwords after it are done with. */
static uint32_t packet(struct lull_cap *c, const struct lull_cap_packet *p,
                       struct lull_cap_words rest, uint32_t *dead)
{
    if (c->v->packet != NULL) {
        c->v->packet(c->v->ctx, c, p);
    }
    if (p->n < p->said) {
        lull_cap_problem(c, p->address, "packet of %" PRIu32 " dwords, %" PRIu32 " are left",
                         p->said, p->n);
    }
    if (p->dead) {
        return 0;
    }
    if (p->type == LULL_APKT_WRITE) {
        lull_cap_write(c, p->what, p->words + 1, p->n - 1);
        return 0;
    }
    return p->type == LULL_APKT_OP ? lull_cap_effect(c, p, rest, dead) : 0;
}

void lull_cap_commands(struct lull_cap *c, struct lull_cap_words w)
{
    uint32_t dead_to = 0;
    for (uint32_t at = 0; at < w.n && c->err == NULL && !c->idle && !c->stop;) {
        const struct lull_apkt a = lull_apkt_header(c->gen, w.words[at]);
        if (a.type == LULL_APKT_BAD) {
            const uint32_t next = skip(c, w, at);
            (void)lull_cap_work(c, next - at);
            at = next;
            continue;
        }
        const uint32_t n = a.count < w.n - at ? a.count + 1 : w.n - at;
        const struct lull_cap_packet p = {
            .address = w.address + at * 4ull,
            .words = w.words + at,
            .n = n,
            .said = a.count + 1,
            .type = a.type,
            .what = a.what,
            .name = a.type == LULL_APKT_OP ? c->op_names[a.what % LULL_CAP_OPCODES] : NULL,
            .dead = at < dead_to,
        };
        uint32_t dead = 0;
        (void)lull_cap_work(c, n);
        at += n;
        const uint32_t done = packet(c, &p, lull_cap_part(w, at, UINT32_MAX), &dead);
        dead_to = dead != 0 ? at + (dead < w.n - at ? dead : w.n - at) : dead_to;
        at += done;
    }
}

void lull_cap_run(struct lull_cap *c, const struct lull_cap_packet *p, struct lull_cap_call call)
{
    enum { DEEPEST = sizeof c->callers / sizeof c->callers[0] };
    const struct lull_cap_words w = lull_cap_memory(c, call.address, call.dwords);
    call.found = w.n;
    if (w.n < call.dwords) {
        lull_cap_problem(c, p->address,
                         "%" PRIu32 " dwords at 0x%" PRIx64 ": the capture has %" PRIu32 " of them",
                         call.dwords, call.address, w.n);
    }
    bool calls_itself = false;
    for (unsigned i = 0; i <= c->level; i++) {
        calls_itself |= c->callers[i] == call.address && call.kind != LULL_CAP_BODY;
    }
    if (calls_itself || c->level + 1 >= DEEPEST) {
        lull_cap_problem(c, p->address,
                         calls_itself ? "the buffer at 0x%" PRIx64 " calls itself: not followed"
                                      : "calls of 0x%" PRIx64 " are nested too deep: not followed",
                         call.address);
        return;
    }
    if (c->v->enter != NULL) {
        c->v->enter(c->v->ctx, c, &call);
    }
    c->callers[++c->level] = call.kind == LULL_CAP_BODY ? 0 : call.address;
    lull_cap_commands(c, w);
    c->level--;
    if (c->v->leave != NULL) {
        c->v->leave(c->v->ctx, c, &call);
    }
}
