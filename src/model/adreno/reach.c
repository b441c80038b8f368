// SPDX-License-Identifier: MIT
// What an Adreno's parts reach: memory through address spaces, registers; and what the driver is
// told.
#include <stdio.h>
#include <string.h>

#include "model/adreno/gpu_impl.h"

#define KERNEL ((uint64_t)1 << LULL_AGPU_KERNEL_BIT)

struct lull_agpu_event *lull_agpu_tell(struct lull_agpu *g, enum lull_agpu_what what)
{
    if (g->nevents == LULL_AGPU_EVENTS) {
        g->first = (g->first + 1) % LULL_AGPU_EVENTS; // the oldest is lost
        g->nevents--;
    }
    struct lull_agpu_event *e = &g->events[(g->first + g->nevents++) % LULL_AGPU_EVENTS];
    *e = (struct lull_agpu_event){.what = what, .ring = g->ring, .block = "CP"};
    return e;
}

void lull_agpu_wrong(struct lull_agpu *g, const char *why)
{
    struct lull_agpu_event *e = lull_agpu_tell(g, LULL_AGPU_ERROR);
    e->address = lull_astream_at(&g->s);
    snprintf(e->message, sizeof e->message, "%s", why);
}

struct lull_agpu_page lull_agpu_find(const struct lull_agpu *g, uint64_t address)
{
    address &= LULL_AGPU_ADDRESS_MASK;
    return (address & KERNEL) != 0 ? lull_agpu_space_look(&g->kernel, address)
           : g->current != NULL    ? lull_agpu_space_look(g->current, address)
                                   : (struct lull_agpu_page){0};
}

static void fault_of(struct lull_agpu *g, const char *block, uint64_t address, bool write)
{
    if (g->faulted) {
        return;
    }
    g->faulted = g->stalled = true;
    lull_agpu_packets_fault(&g->packets, block, address & LULL_AGPU_ADDRESS_MASK, write);
    struct lull_agpu_event *e = lull_agpu_tell(g, LULL_AGPU_FAULT);
    e->block = block;
    e->address = address & LULL_AGPU_ADDRESS_MASK;
    e->ttbr0 = g->current != NULL ? g->current->ttbr0 : 0;
    e->write = write;
}

void lull_agpu_fault(struct lull_agpu *g, uint64_t address, bool write)
{
    fault_of(g, "CP", address, write);
}

struct lull_as_words lull_agpu_read_words(void *ctx, uint64_t address, uint32_t n)
{
    struct lull_agpu *g = ctx;
    const struct lull_agpu_page p = lull_agpu_find(g, address & ~3ull);
    if (p.mem == NULL || (p.access & LULL_AGPU_READ) == 0) {
        lull_agpu_fault(g, address, false);
        return (struct lull_as_words){.address = address};
    }
    const uint64_t there = p.size / sizeof(uint32_t);
    return (struct lull_as_words){.words = (const uint32_t *)(const void *)p.mem,
                                  .address = address,
                                  .n = there < n ? (uint32_t)there : n};
}

void lull_agpu_write_word(void *ctx, uint64_t address, uint32_t value)
{
    struct lull_agpu *g = ctx;
    const struct lull_agpu_page p = lull_agpu_find(g, address & ~3ull);
    if (p.mem == NULL || p.size < sizeof value || (p.access & LULL_AGPU_WRITE) == 0) {
        lull_agpu_fault(g, address, true);
        return;
    }
    if (g->writes != NULL) {
        g->writes(g, address & ~3ull, sizeof value);
    }
    memcpy(p.mem, &value, sizeof value);
}

void lull_agpu_forget(struct lull_agpu *g)
{
    memset(g->hints, 0, sizeof g->hints);
}

/** As lull_agpu_find(), and shorter for what is looked up often. */
static struct lull_agpu_page find_again(struct lull_agpu *g, uint64_t address)
{
    enum { SHIFT = 16 };
    address &= LULL_AGPU_ADDRESS_MASK;
    const struct lull_agpu_space *s = (address & KERNEL) != 0 ? &g->kernel : g->current;
    struct lull_agpu_hint *h = &g->hints[(address >> SHIFT) % LULL_AGPU_HINTS];
    if (s == NULL) {
        return (struct lull_agpu_page){0};
    }
    if (h->space != s || address - h->first >= h->page.size) {
        h->page = lull_agpu_space_piece(s, address, &h->first);
        h->space = h->page.mem != NULL ? s : NULL;
    }
    struct lull_agpu_page p = h->page;
    if (p.mem != NULL) {
        p.mem += address - h->first;
        p.size -= address - h->first;
    }
    return p;
}

uint8_t *lull_agpu_at(void *ctx, uint64_t address, unsigned bytes, bool write)
{
    struct lull_agpu *g = ctx;
    const struct lull_agpu_page p = find_again(g, address);
    const unsigned need = write ? LULL_AGPU_WRITE : LULL_AGPU_READ;
    if (p.mem == NULL || p.size < bytes || (p.access & need) == 0) {
        fault_of(g, LULL_AGPU_SHADERS, address, write);
        return NULL;
    }
    if (write && g->writes != NULL) {
        g->writes(g, address, bytes);
    }
    return p.mem;
}

uint8_t *lull_agpu_piece(void *ctx, uint64_t address, bool write, uint64_t *bytes)
{
    const struct lull_agpu_page p = find_again(ctx, address);
    const bool may = p.mem != NULL && (p.access & (write ? LULL_AGPU_WRITE : LULL_AGPU_READ)) != 0;
    *bytes = may ? p.size : 0;
    return may ? p.mem : NULL;
}

uint32_t lull_agpu_reg(void *ctx, uint32_t number)
{
    const struct lull_agpu *g = ctx;
    return number < LULL_AS_REGS ? g->s.regs[0].v[number] : 0;
}

void lull_agpu_set_reg(void *ctx, uint32_t number, uint32_t value)
{
    struct lull_agpu *g = ctx;
    if (number < LULL_AS_REGS) {
        g->s.regs[0].v[number] = value;
        g->s.regs[0].known[number / 64] |= 1ull << number % 64;
    }
}

uint32_t lull_agpu_word(void *ctx, uint64_t address)
{
    const struct lull_as_words w = lull_agpu_read_words(ctx, address, 1);
    return w.n != 0 ? w.words[0] : 0;
}
