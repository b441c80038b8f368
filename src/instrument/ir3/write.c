// SPDX-License-Identifier: MIT
// The code that makes a record, as text: no jumps, no predicates, nothing of the shader's registers
// but what is free.
#include "instrument/ir3/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/ir3/hazards.h"

enum { REG_TEXT = 8 };

/** "r6.z" */
struct reg_text {
    char text[REG_TEXT];
};

static struct reg_text reg(int n)
{
    struct reg_text r;
    (void)snprintf(r.text, sizeof r.text, "r%u.%c", (unsigned)n / 4 % 64, "xyzw"[n % 4]);
    return r;
}
#define R(n) (reg(n).text)

unsigned lull_ir3_write_slots(unsigned gen)
{
    unsigned most = 1;
    for (unsigned i = 0; i < lull_ir3_nslot_rows; i++) {
        const struct lull_ir3_slots *r = &lull_ir3_slot_rows[i];
        if (gen >= r->first_gen && gen <= r->last_gen && r->slots > most) {
            most = r->slots;
        }
    }
    return most;
}

/** An instruction. */
static void add(struct lull_ir3_recorder *w, const char *fmt, ...) LULL_PRINTF(2, 3);

static void add(struct lull_ir3_recorder *w, const char *fmt, ...)
{
    char line[160];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    lull_str_addf(&w->text, "%s\n", line);
    w->lines++;
}

/** What the ALU wrote is there. */
static void settle(struct lull_ir3_recorder *w)
{
    add(w, "(rpt%u)nop", w->slots - 1);
}

void lull_ir3_write_wait(struct lull_ir3_recorder *w, bool joins)
{
    add(w, "(sy)(ss)%s(rpt%u)nop", joins ? "(jp)" : "", w->slots - 1);
}

/** What is kept, into @p to. */
static void load_kept(struct lull_ir3_recorder *w, const struct lull_ir3_kept *k, int to)
{
    if (k->reg != LULL_IR3_NONE) {
        add(w, "mov.u32u32 %s, %s", R(to), R(k->reg));
        return;
    }
    add(w, "mov.u32u32 %s, %" PRIu32, R(to), k->slot);
    settle(w);
    add(w, "ldp.u32 %s, p[%s], 1", R(to), R(to));
    add(w, "(sy)nop");
}

/** Keep @p from; @p temp is free. */
static void store_kept(struct lull_ir3_recorder *w, const struct lull_ir3_kept *k, int from,
                       int temp)
{
    if (k->reg != LULL_IR3_NONE) {
        add(w, "mov.u32u32 %s, %s", R(k->reg), R(from));
        return;
    }
    add(w, "mov.u32u32 %s, %" PRIu32, R(temp), k->slot);
    settle(w);
    add(w, "stp.u32 p[%s], %s, 1", R(temp), R(from));
    add(w, "(ss)nop");
}

/** Registers that are not free go to private memory, or come back. */
static void spill(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s, bool back)
{
    if (s->spill == LULL_IR3_NONE) {
        return;
    }
    w->spilled = true;
    add(w, "mov.u32u32 %s, %" PRIu32, R(s->spill), w->spills);
    settle(w);
    if (back) {
        add(w, "ldp.u32 %s, p[%s], 2", R(s->address), R(s->spill));
        add(w, "ldp.u32 %s, p[%s+8], %u", R(s->data), R(s->spill), s->ndata);
    } else {
        add(w, "stp.u32 p[%s], %s, 2", R(s->spill), R(s->address));
        add(w, "stp.u32 p[%s+8], %s, %u", R(s->spill), R(s->data), s->ndata);
    }
    add(w, "(sy)(ss)nop");
}

static void move(struct lull_ir3_recorder *w, int to, uint32_t value)
{
    add(w, "mov.u32u32 %s, 0x%" PRIx32, R(to), value);
}

/** s->data is not more than @p most. */
static void at_most(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s, uint32_t most)
{
    move(w, s->data + 1, most);
    settle(w);
    add(w, "(sy)min.u %s, %s, %s", R(s->data), R(s->data), R(s->data + 1));
}

/** Add @p amount to the cursor: what it was, or @p most if that is less, in s->data. */
static void claim(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s, uint32_t amount,
                  uint32_t most)
{
    const int a = s->address, d = s->data;
    const uint32_t low = (uint32_t)w->how->buffer;
    move(w, a, low);
    move(w, a + 1, (uint32_t)(w->how->buffer >> 32));
    move(w, d, amount);
    if (w->mask.used) { // Others take nothing,
        load_kept(w, &w->mask, d + 1);
        settle(w);
        add(w, "and.b %s, %s, %s", R(d), R(d), R(d + 1));
    }
    settle(w);
    add(w, "atomic.g.add.untyped.1d.u32.1.g %s, %s, %s", R(d), R(a), R(d));
    if (w->mask.used) { // and write behind the end.
        add(w, "(sy)not.b %s, %s", R(d + 1), R(d + 1));
        settle(w);
        add(w, "or.b %s, %s, %s", R(d), R(d), R(d + 1));
    }
    at_most(w, s, most);
}

/** The address of byte s->data, from where records begin, in s->address. */
static void address(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s)
{
    move(w, s->data + 1, (uint32_t)w->how->buffer + LULL_RECORDS_AT);
    settle(w);
    add(w, "add.u %s, %s, %s", R(s->address), R(s->data), R(s->data + 1));
}

/** The same without the cursor: in the invocation's slice, whose head says how far it is full. */
static void take_of_slice(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s,
                          uint32_t bytes)
{
    const int a = s->address, d = s->data;
    const uint32_t low = (uint32_t)w->how->buffer, high = (uint32_t)(w->how->buffer >> 32);
    load_kept(w, &w->end, d);
    move(w, d + 1, bytes);
    settle(w);
    add(w, "add.u %s, %s, %s", R(d), R(d), R(d + 1));
    settle(w);
    store_kept(w, &w->end, d, d + 1);
    load_kept(w, &w->slice, a);
    move(w, a + 1, high);
    move(w, d + 1, w->how->slice);
    settle(w);
    add(w, "cmps.u.gt %s, %s, %s", R(d + 1), R(d), R(d + 1)); // It does not fit:
    settle(w);
    add(w, "shl.b %s, %s, 2", R(d + 1), R(d + 1)); // the second dword says so.
    settle(w);
    add(w, "add.u %s, %s, %s", R(a), R(a), R(d + 1));
    settle(w);
    add(w, "stg.u32 g[%s], %s, 1", R(a), R(d));
    add(w, "(ss)sub.u %s, 0, %s", R(d + 1), R(d + 1));
    load_kept(w, &w->slice, a);
    move(w, a + 1, LULL_RECORDS_SLICE - LULL_RECORDS_AT - bytes - low);
    settle(w);
    add(w, "add.u %s, %s, %s", R(d), R(d), R(a));
    settle(w);
    add(w, "add.u %s, %s, %s", R(d), R(d), R(a + 1));
    settle(w);
    add(w, "or.b %s, %s, %s", R(d), R(d), R(d + 1)); // Then it goes behind the end.
    at_most(w, s, w->how->room + LULL_IR3_MOST_RECORD);
    move(w, a + 1, high);
}

/** Room for @p bytes: its address in s->address. */
static void take_room(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s, uint32_t bytes)
{
    if (w->slice.used) {
        take_of_slice(w, s, bytes);
    } else { // So far they reach that still fit.
        claim(w, s, bytes, w->how->room + LULL_IR3_MOST_RECORD);
    }
    address(w, s);
}

/** @p v into register @p to. */
static void load_value(struct lull_ir3_recorder *w, const struct lull_ir3_value *v, int to)
{
    if (v->kind == LULL_IR3_VALUES_PRED) {
        add(w, "mov.u32u32 %s, %s", R(to), R(w->shadow[v->pred].reg));
    } else {
        add(w, "%s %s, %s", v->half ? "cov.u16u32" : "mov.u32u32", R(to), v->from);
    }
}

/** What is written: the invocation, the instruction, and values, from some byte of the record on.
 */
struct run {
    const struct lull_ir3_record *r;
    const struct lull_ir3_value *values;
    unsigned n;
    bool numbers; ///< Invocation and instruction come first.
    unsigned at;  ///< Byte.
};

/** As many at once as there are registers. */
static void store(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s,
                  const struct run *run)
{
    const unsigned head = run->numbers ? 2 : 0, n = head + run->n;
    for (unsigned i = 0; i < n;) {
        unsigned k = 0;
        const unsigned first = i;
        for (; k < s->ndata && i < n; k++, i++) {
            const int to = s->data + (int)k;
            if (i < head && i == 0) {
                load_kept(w, &w->id, to);
            } else if (i < head) {
                move(w, to, run->r->id);
            } else {
                load_value(w, &run->values[i - head], to);
            }
        }
        settle(w);
        add(w, "stg.u32 g[%s+%u], %s, %u", R(s->address), run->at + 4 * first, R(s->data), k);
        add(w, "(ss)nop");
    }
}

/** Addresses that instructions move to are there before they move: written in front of it. */
static bool is_early(const struct lull_ir3_record *r)
{
    return r->ndst > 0 && r->dst[0].kind == LULL_IR3_VALUES_ADDR;
}

void lull_ir3_write_before(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                           const struct lull_ir3_record *r)
{
    const struct run numbers = {.r = r, .numbers = true};
    const struct run dst = {.r = r, .values = r->dst, .n = r->ndst, .at = 8};
    const struct run src = {.r = r, .values = r->src, .n = r->nsrc, .at = 8 + 4 * r->ndst};
    const struct run both = {.r = r, .values = r->src, .n = r->nsrc, .numbers = true};
    spill(w, spare, false);
    take_room(w, spare, 8 + 4 * (r->ndst + r->nsrc));
    settle(w);
    if (r->ndst == 0) {
        store(w, spare, &both);
    } else {
        store(w, spare, &numbers);
        store(w, spare, &src);
    }
    if (is_early(r)) {
        store(w, spare, &dst);
    }
    if (r->ndst == 0 || is_early(r)) {
        spill(w, spare, true);
    }
}

void lull_ir3_write_after(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                          const struct lull_ir3_record *r)
{
    const struct run dst = {.r = r, .values = r->dst, .n = r->ndst, .at = 8};
    if (r->ndst == 0 || is_early(r)) {
        return;
    }
    lull_ir3_write_wait(w, false);
    store(w, spare, &dst);
    spill(w, spare, true);
}

void lull_ir3_write_shadow(struct lull_ir3_recorder *w, const char *text, unsigned pred)
{
    const int to = w->shadow[pred].reg;
    char line[160];
    int n = 0;
    while (*text == '(') { // Its flags are for itself.
        text += strcspn(text, ")") + 1;
    }
    text += strspn(text, " ");
    while (*text != '\0' && n < (int)sizeof line - REG_TEXT) {
        const bool is = strncmp(text, "p0.", 3) == 0 && strchr("xyzw", text[3]) != NULL;
        if (is) {
            const int from = w->shadow[strchr("xyzw", text[3]) - "xyzw"].reg;
            n += snprintf(line + n, sizeof line - (size_t)n, "%s", R(from));
            text += 4;
        } else {
            line[n++] = *text++;
        }
    }
    line[n] = '\0';
    add(w, "%s", line);
    settle(w);
    add(w, "and.b %s, %s, 1", R(to), R(to));
}

/* The begin. */

/** The low half of @p x times @p y, in @p to, which is neither. */
static void multiply(struct lull_ir3_recorder *w, int to, int x, int y)
{
    add(w, "mull.u %s, %s, %s", R(to), R(x), R(y));
    settle(w);
    add(w, "madsh.m16 %s, %s, %s, %s", R(to), R(y), R(x), R(to));
    settle(w);
    add(w, "madsh.m16 %s, %s, %s, %s", R(to), R(x), R(y), R(to));
    settle(w);
}

/** 1 in @p to if register @p to is a multiple of @p n, else 0; two more are free behind it. */
static void is_multiple(struct lull_ir3_recorder *w, int to, uint32_t n)
{
    // The odd part's inverse, modulo 2^32: a multiple has a quotient that is not too large.
    const unsigned twos = (unsigned)__builtin_ctz(n);
    const uint32_t odd = n >> twos;
    uint32_t inverse = odd;
    for (unsigned i = 0; i < 5; i++) {
        inverse *= 2 - odd * inverse;
    }
    move(w, to + 1, inverse);
    settle(w);
    multiply(w, to + 2, to, to + 1);
    if (twos != 0) {
        add(w, "shr.b %s, %s, %u", R(to), R(to + 2), twos);
        add(w, "shl.b %s, %s, %u", R(to + 1), R(to + 2), 32 - twos);
        settle(w);
        add(w, "or.b %s, %s, %s", R(to + 2), R(to), R(to + 1));
    }
    move(w, to + 1, UINT32_MAX / n);
    settle(w);
    add(w, "cmps.u.le %s, %s, %s", R(to), R(to + 2), R(to + 1));
}

/** Is the invocation recorded? All bits of @p to, or none. s->data has four; @p to is not of them.
 */
static void decide(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s, int id, int to)
{
    const struct lull_ir3_instrument *h = w->how;
    const int d = s->data;
    move(w, d, h->first);
    move(w, d + 1, h->last - h->first);
    settle(w);
    add(w, "sub.u %s, %s, %s", R(d), R(id), R(d));
    settle(w);
    add(w, "cmps.u.le %s, %s, %s", R(to), R(d), R(d + 1));
    if (h->every > 1) {
        add(w, "mov.u32u32 %s, %s", R(d), R(id));
        settle(w);
        is_multiple(w, d, h->every);
        settle(w);
        add(w, "and.b %s, %s, %s", R(to), R(to), R(d));
    }
    for (unsigned i = 0; i < h->nwhere; i++) {
        const struct lull_ir3_where *p = &h->where[i];
        add(w, "%s %s, %s%s", p->half ? "cov.u16u32" : "mov.u32u32", R(d), p->half ? "h" : "",
            R((int)p->reg));
        move(w, d + 1, p->value);
        settle(w);
        if (p->shift != 0) {
            add(w, "shr.b %s, %s, %u", R(d), R(d), p->shift);
            settle(w);
        }
        add(w, "cmps.u.eq %s, %s, %s", R(d), R(d), R(d + 1));
        settle(w);
        add(w, "and.b %s, %s, %s", R(to), R(to), R(d));
    }
    settle(w);
    add(w, "sub.u %s, 0, %s", R(to), R(to));
    settle(w);
}

/** The invocation, if it is recorded, takes the next slice. s->data has four. */
static void take_slice(struct lull_ir3_recorder *w, const struct lull_ir3_spare *s)
{
    const int a = s->address, d = s->data;
    settle(w);
    claim(w, s, 1, w->nslices);
    move(w, d + 1, w->how->slice + LULL_RECORDS_SLICE);
    settle(w);
    multiply(w, d + 2, d, d + 1);
    move(w, d + 1, (uint32_t)w->how->buffer + LULL_RECORDS_AT);
    move(w, a, 0);
    settle(w);
    add(w, "add.u %s, %s, %s", R(d), R(d + 2), R(d + 1));
    settle(w);
    store_kept(w, &w->slice, d, d + 1);
    store_kept(w, &w->end, a, d + 1);
    if (w->mask.used) { // The prologue's end looks there.
        load_kept(w, &w->mask, a + 1);
    }
}

void lull_ir3_write_prologue(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                             bool joins)
{
    const int a = spare->address, d = spare->data;
    const uint64_t counter = w->how->buffer + 4;
    lull_ir3_write_wait(w, joins);
    move(w, a, (uint32_t)counter);
    move(w, a + 1, (uint32_t)(counter >> 32));
    move(w, d, 1);
    settle(w);
    add(w, "atomic.g.add.untyped.1d.u32.1.g %s, %s, %s", R(d), R(a), R(d));
    add(w, "(sy)(rpt%u)nop", w->slots - 1);
    add(w, "mov.u32u32 %s, %s", R(a), R(d));
    settle(w);
    store_kept(w, &w->id, a, a + 1);
    if (w->mask.used) {
        decide(w, spare, a, a + 1);
        store_kept(w, &w->mask, a + 1, a);
    }
    if (w->slice.used) {
        take_slice(w, spare);
    }
    for (unsigned i = 0; i < 4; i++) {
        if (w->shadow[i].used) {
            move(w, w->shadow[i].reg, 0);
        }
    }
    settle(w);
}
