// SPDX-License-Identifier: MIT
// The command processor stopped in front of packets.
#include "model/adreno/packets.h"

#include <stdio.h>
#include <string.h>

void lull_agpu_packets_set(struct lull_agpu_packets *p, const struct lull_agpu_packet_stops *s)
{
    p->on = s != NULL;
    p->stops = s != NULL ? *s : (struct lull_agpu_packet_stops){.n = 0};
    if (s == NULL) {
        p->fault = false;
        (void)lull_agpu_packets_release(p);
    }
}

// Of programs' command buffers, not of the ring?
static bool counts(const struct lull_astream *s)
{
    return s->nframes > 1 && s->level > 0;
}

// Where it is: the buffers that are run. @p in: it is in a packet, not in front of one.
static void place(struct lull_agpu_packets *p, const struct lull_astream *s, bool in)
{
    struct lull_agpu_packet *now = &p->now;
    now->nframes = 0;
    for (unsigned i = 1; i < s->nframes && now->nframes < LULL_AGPU_FRAMES; i++) {
        const struct lull_as_frame *f = &s->frames[i];
        if (f->kind >= LULL_AS_LOOP_CALLS || f->kind == LULL_AS_DATA) {
            continue;
        }
        // A buffer below the one on top is in the packet that called.
        const bool met = i + 1 < s->nframes || in;
        const uint64_t next =
            met ? (f->packet.address - f->address) / sizeof(uint32_t) : (uint64_t)f->next;
        now->frames[now->nframes].kind = f->kind;
        now->frames[now->nframes].number = f->number;
        now->frames[now->nframes].address = f->address;
        now->frames[now->nframes].dwords = f->dwords;
        now->frames[now->nframes++].next = (uint32_t)next;
    }
}

void lull_agpu_packets_did(struct lull_agpu_packets *p, const struct lull_astream *s,
                           const struct lull_as_event *e)
{
    const bool met = e->what == LULL_AS_MET;
    uint64_t *number = &p->numbers[s->level % (LULL_AS_DEEPEST + 1)];
    if (e->what == LULL_AS_CALL && e->packet == &s->frames[0].packet &&
        e->u.frame->kind == LULL_AS_IB) {
        p->now.streams++;
        p->now.met = 0;
    }
    // Work and waits are those of the packet, even if groups of state ran after it was met.
    if (met || e->what == LULL_AS_DRAWS || e->what == LULL_AS_WAITS) {
        p->ours = counts(s);
        *number = met && p->ours ? p->now.met++ : *number;
        p->now.number = *number;
        p->now.address = e->packet->address;
        p->now.dead = e->packet->dead;
        if (p->on) {
            place(p, s, true);
        }
    }
}

// Is the packet that is next in @p f what `at` number @p i says?
static bool is_at(const struct lull_agpu_packets *p, const struct lull_astream *s,
                  const struct lull_as_frame *f, unsigned i)
{
    const struct lull_agpu_packet_stops *want = &p->stops;
    const struct lull_apkt a = lull_apkt_header(s->gen, f->words[f->next]);
    const bool dead = f->next < f->dead_to;
    const uint64_t v = want->at[i].value, stream = want->at[i].stream;
    if (stream != UINT64_MAX && p->now.streams != stream + 1) {
        return false;
    }
    switch (want->at[i].by) {
    case LULL_AGPU_PACKET_AT:
        return f->address + f->next * (uint64_t)sizeof(uint32_t) == v;
    case LULL_AGPU_PACKET_OP:
        return a.type == LULL_APKT_OP && a.what == v && !dead;
    case LULL_AGPU_PACKET_NUMBER:
        return p->now.met == v;
    case LULL_AGPU_PACKET_REG:
    default:
        return a.type == LULL_APKT_WRITE && v >= a.what && v - a.what < a.count && !dead;
    }
}

bool lull_agpu_packets_stop(struct lull_agpu_packets *p, const struct lull_astream *s)
{
    const struct lull_as_frame *f = s->nframes != 0 ? &s->frames[s->nframes - 1] : NULL;
    if (p->fault) {
        p->fault = false;
        p->now.stop = LULL_AGPU_PACKET_FAULT;
        return true;
    }
    if (!p->on || f == NULL || !counts(s) || f->waits) {
        return false;
    }
    if (p->passed) {
        p->passed = false;
        return false;
    }
    p->now.next = p->stops.deepest != 0 && s->level <= p->stops.deepest;
    p->now.hits = 0;
    for (unsigned i = 0; i < p->stops.n; i++) {
        p->now.hits |= is_at(p, s, f, i) ? UINT64_C(1) << i : 0;
    }
    if (!p->now.next && p->now.hits == 0) {
        return false;
    }
    p->now.stop = LULL_AGPU_PACKET_ARRIVED;
    p->now.number = p->now.met;
    p->now.address = f->address + f->next * (uint64_t)sizeof(uint32_t);
    p->now.dead = f->next < f->dead_to;
    place(p, s, false);
    return true;
}

void lull_agpu_packets_wait(struct lull_agpu_packets *p, const struct lull_agpu_packet *w)
{
    if (p->stops.troubles && p->ours && !p->waited) {
        p->now.stop = LULL_AGPU_PACKET_WAITS;
        p->now.wait_space = w->wait_space;
        p->now.wait_address = w->wait_address;
        p->now.function = w->function;
        p->now.ref = w->ref;
        p->now.mask = w->mask;
    }
}

void lull_agpu_packets_go_on(struct lull_agpu_packets *p)
{
    p->waited = false;
}

bool lull_agpu_packets_wrong(struct lull_agpu_packets *p, const struct lull_astream *s,
                             uint64_t address, const char *why)
{
    if (!p->stops.troubles) {
        return false;
    }
    p->now.stop = LULL_AGPU_PACKET_WRONG;
    p->now.address = address != 0 ? address : p->now.address;
    snprintf(p->now.wrong, sizeof p->now.wrong, "%s", why);
    place(p, s, true);
    return true;
}

void lull_agpu_packets_fault(struct lull_agpu_packets *p, const char *block, uint64_t address,
                             bool write)
{
    if (p->stops.troubles && p->ours && !p->fault) {
        p->fault = true;
        p->now.fault_address = address;
        p->now.fault_write = write;
        snprintf(p->now.block, sizeof p->now.block, "%s", block);
    }
}

void lull_agpu_packets_fault_told(struct lull_agpu_packets *p)
{
    p->fault = false;
}

bool lull_agpu_packets_release(struct lull_agpu_packets *p)
{
    const enum lull_agpu_packet_stop was = p->now.stop;
    p->passed = was == LULL_AGPU_PACKET_ARRIVED;
    p->waited = was == LULL_AGPU_PACKET_WAITS;
    p->now.stop = LULL_AGPU_PACKET_NOT;
    return was != LULL_AGPU_PACKET_NOT;
}

void lull_agpu_packets_reset(struct lull_agpu_packets *p)
{
    p->now.stop = LULL_AGPU_PACKET_NOT;
    p->now.nframes = 0;
    p->passed = p->waited = p->fault = false;
}
