// SPDX-License-Identifier: MIT
// An Adreno: the command processor runs rings and command buffers, whose registers, conditions and
// writes to memory count; it stands at a dispatch or a draw until the last wave has ended.
#include "model/adreno/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/adreno_doms.h"
#include "hw/adreno_pkts.h"
#include "model/adreno/exec/engine.h"
#include "model/adreno/gpu_impl.h"
#include "model/observer.h"

#define TABLE_BASE 0x80000000ull // where tables of address spaces would lie, one page each
#define ENDLESS UINT64_MAX

static bool holds(struct lull_agpu *g, const struct lull_agpu_poll *p)
{
    uint32_t v = 0;
    if (p->space == 1) {
        v = lull_agpu_word(g, p->address);
    } else {
        v = g->s.regs[0].v[p->address % LULL_AS_REGS];
    }
    v &= p->mask;
    switch (p->function) {
    case 1:
        return v < p->ref;
    case 2:
        return v <= p->ref;
    case 3:
        return v == p->ref;
    case 4:
        return v != p->ref;
    case 5:
        return v >= p->ref;
    case 6:
        return v > p->ref;
    default:
        return true;
    }
}

static void switch_space(struct lull_agpu *g, const struct lull_apkt_args *args)
{
    const uint64_t hi = lull_cp_smmu_table_update__ttbr0_hi(args) |
                        (uint64_t)lull_cp_smmu_table_update__asid(args) << 16;
    const uint64_t ttbr0 = lull_cp_smmu_table_update__ttbr0_lo(args) | hi << 32;
    g->current = NULL;
    for (struct lull_agpu_space *s = g->spaces; s != NULL; s = s->next) {
        g->current = s->ttbr0 == ttbr0 ? s : g->current;
    }
}

static void tell_rptr(struct lull_agpu *g, unsigned ring)
{
    const struct lull_agpu_ring_now *r = &g->rings[ring];
    if (r->at.rptr != 0) {
        const struct lull_agpu_page p =
            lull_agpu_space_look(&g->kernel, r->at.rptr & LULL_AGPU_ADDRESS_MASK);
        if (p.mem != NULL) {
            memcpy(p.mem, &r->rptr, sizeof r->rptr);
        }
    }
}

static bool is(const struct lull_as_packet *p, const char *name)
{
    return p->name != NULL && strcmp(p->name, name) == 0;
}

static void packet_done(struct lull_agpu *g, const struct lull_as_packet *p)
{
    if (g->past.behind && g->s.level == 0 && p != NULL && !is(p, "CP_INDIRECT_BUFFER")) {
        lull_agpu_past_end(g); // Command buffers have ended: the driver may hear of it.
    }
    if (p == NULL || p->dead || p->type != LULL_APKT_OP) {
        return;
    }
    const struct lull_apkt_args args = lull_as_args(g->chip->gen, p);
    if (is(p, "CP_SMMU_TABLE_UPDATE") && g->s.level == 0) {
        switch_space(g, &args);
        return;
    }
    const bool six = is(p, "CP_EVENT_WRITE"), seven = is(p, "CP_EVENT_WRITE7");
    if (six || seven) {
        const struct lull_arop_source from = lull_agpu_back_end(g);
        lull_agpu_count(&from, &g->statistics, seven, &args);
    }
    if ((six && lull_cp_event_write__irq(&args)) || (seven && lull_cp_event_write7__irq(&args)) ||
        is(p, "CP_INTERRUPT")) {
        lull_agpu_past_end(g);
        lull_agpu_tell(g, LULL_AGPU_IRQ);
    }
}

// It cannot go on: at @p at, 0: in the packet that it is in. @p next: as of lull_agpu_place_stop().
static void stop_at(struct lull_agpu *g, struct lull_error *err, uint64_t at, uint32_t next)
{
    const bool stands = lull_agpu_packets_wrong(&g->packets, &g->s, at, lull_error_message(err));
    lull_agpu_place_stop(&g->place, &g->s, next);
    if (!stands) {
        lull_agpu_wrong(g, lull_error_message(err));
    }
    lull_error_free(err);
    lull_agpu_work_over(g, true);
    g->stopped = true;
}

static void stop(struct lull_agpu *g, struct lull_error *err)
{
    stop_at(g, err, 0, UINT32_MAX);
}

// What the command processor cannot take: what is no packet, opcodes that nobody knows, buffers in
// too many others, and buffers that are not there, which read as zeros, and 0 is no packet.
static void wrong(struct lull_agpu *g, const struct lull_as_event *e)
{
    const struct lull_as_frame *f = &g->s.frames[g->s.nframes - 1];
    const uint64_t at = e->u.problem.address;
    if (e->what == LULL_AS_WRONG && e->u.problem.kind == LULL_AS_BAD_HEADER) {
        g->place.word = e->u.problem.dwords;
        stop_at(g, lull_error_new(LULL_ERR_BAD_DATA, "no packet at 0x%llx", (unsigned long long)at),
                at, (uint32_t)(at - f->address) / 4 + 1);
    } else if (e->what == LULL_AS_WRONG && (e->u.problem.kind == LULL_AS_TOO_DEEP ||
                                            e->u.problem.kind == LULL_AS_CALLS_ITSELF)) {
        stop(g, lull_error_new(LULL_ERR_BAD_DATA, "buffers too deep at 0x%llx",
                               (unsigned long long)at));
    } else if (e->what == LULL_AS_NO_ROW && e->packet->name == NULL) {
        stop_at(g,
                lull_error_new(LULL_ERR_BAD_DATA, "opcode 0x%02x at 0x%llx", e->packet->what,
                               (unsigned long long)e->packet->address),
                0, (uint32_t)(e->packet->address - f->address) / 4 + 1);
    } else if (e->what == LULL_AS_RETURN && e->u.frame->n < e->u.frame->dwords) {
        const uint64_t end = f->address + f->n * 4ull;
        lull_agpu_fault(g, end, false); // it waits for what is fetched, in the packet before
        stop_at(g,
                lull_error_new(LULL_ERR_BAD_DATA, "no packet at 0x%llx", (unsigned long long)end),
                end, f->n);
    }
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct lull_agpu *g = ctx;
    if (!g->stopped) {
        lull_agpu_place_did(&g->place, s, e);
        lull_agpu_crumbs_did(&g->crumbs, s, g->ring, e);
        lull_agpu_packets_did(&g->packets, s, e);
    }
    if (e->what == LULL_AS_MET && is(e->packet, "CP_REG_TO_MEM")) {
        lull_agpu_statistics_put(&g->statistics, g->clock, g, lull_agpu_set_reg);
    } else if (e->what == LULL_AS_DONE) {
        packet_done(g, e->packet);
    } else if (e->what == LULL_AS_WRITES || e->what == LULL_AS_MARKER) {
        lull_agpu_stomp_did(&g->stomp, s, e);
    } else if (e->what == LULL_AS_LOADS) {
        const struct lull_ir3_memory memory = {g, lull_agpu_at, lull_agpu_piece};
        lull_astage_load(&g->state, &memory, g->chip->gen, e->packet, e->u.load);
    } else if (e->what == LULL_AS_DRAWS) {
        lull_agpu_stomp_did(&g->stomp, s, e);
        struct lull_error *err = lull_agpu_work_begin(g, e->packet, e->u.draw);
        if (err != NULL) {
            stop(g, err);
        }
    } else if (e->what == LULL_AS_WAITS && e->u.wait.kind == LULL_AS_WAIT_POLL) {
        g->poll = (struct lull_agpu_poll){.on = true,
                                          .address = e->u.wait.address,
                                          .space = e->u.wait.space,
                                          .function = e->u.wait.function,
                                          .ref = e->u.wait.ref,
                                          .mask = e->u.wait.mask};
    } else if (!g->stopped) {
        wrong(g, e);
    }
}

static void power_on(struct lull_agpu *g)
{
    g->blit.under_way = false;
    lull_agpu_work_over(g, true);
    memset(&g->state, 0, sizeof g->state);
    memset(&g->s, 0, sizeof g->s);
    g->s.memory = (struct lull_as_memory){
        .ctx = g, .read = lull_agpu_read_words, .write = lull_agpu_write_word};
    g->s.sink = (struct lull_as_sink){.ctx = g, .did = did};
    g->s.gen = g->chip->gen;
    lull_astream_reset(&g->s);
    memset(g->rings, 0, sizeof g->rings);
    g->current = NULL;
    g->active = g->stopped = g->faulted = g->stalled = false;
    g->place = (struct lull_agpu_place){0};
    lull_agpu_crumbs_drop(&g->crumbs);
    lull_agpu_packets_reset(&g->packets);
    g->poll.on = false;
    g->nevents = 0;
}

// Take what is new in a ring. @return False: nothing.
static bool take(struct lull_agpu *g)
{
    unsigned i = 0;
    while (i < LULL_AGPU_RINGS && g->rings[i].rptr == g->rings[i].wptr) {
        i++;
    }
    if (i == LULL_AGPU_RINGS) {
        return false;
    }
    const struct lull_agpu_ring_now *r = &g->rings[i];
    const uint32_t n = (r->wptr - r->rptr) & (r->at.dwords - 1);
    free(g->words);
    g->words = malloc(n * sizeof *g->words);
    if (g->words == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        const uint64_t at = r->at.base + (uint64_t)((r->rptr + k) & (r->at.dwords - 1)) * 4;
        const struct lull_agpu_page p = lull_agpu_find(g, at);
        g->words[k] = 0;
        if (p.mem != NULL) {
            memcpy(&g->words[k], p.mem, sizeof g->words[k]);
        }
    }
    g->ring = i;
    g->end = r->wptr;
    const struct lull_as_words w = {.words = g->words, .n = n, .nowhere = true};
    g->active = lull_astream_start(&g->s, w, ENDLESS);
    return true;
}

// Debuggers look at the memory of the program whose packet it is.
static void stand_in_space(struct lull_agpu *g)
{
    g->watch.ttbr0 = g->current != NULL ? g->current->ttbr0 : g->watch.ttbr0;
}

static void wait_for_poll(struct lull_agpu *g)
{
    const struct lull_agpu_packet w = {.wait_space = g->poll.space,
                                       .wait_address = g->poll.address,
                                       .function = g->poll.function,
                                       .ref = g->poll.ref,
                                       .mask = g->poll.mask};
    lull_agpu_packets_wait(&g->packets, &w);
    stand_in_space(g);
}

static uint64_t model_run(struct lull_agpu *g, uint64_t cycles)
{
    const uint64_t began = g->clock;
    uint64_t n = 0;
    while (n < cycles && !g->stopped && !g->stalled && !lull_agpu_debug_stands(g)) {
        g->clock = began + n;
        if (!lull_agpu_crumbs_may_run(&g->crumbs)) {
            break;
        }
        if (lull_agpu_work_on(g)) {
            uint64_t done = 0;
            struct lull_error *err = lull_agpu_work_run(g, cycles - n, &done);
            if (err != NULL) {
                stop(g, err);
            }
            n += done;
            continue;
        }
        if (g->poll.on && !holds(g, &g->poll)) {
            wait_for_poll(g);
            break;
        }
        if (g->poll.on) {
            g->poll.on = false;
            lull_agpu_packets_go_on(&g->packets);
        }
        if (lull_agpu_packets_stop(&g->packets, &g->s)) {
            stand_in_space(g);
            break;
        }
        if (!lull_agpu_crumbs_may_step(&g->crumbs, &g->s, g->ring) || (!g->active && !take(g))) {
            break;
        }
        if (g->active && !lull_astream_step(&g->s)) {
            g->active = false;
            g->rings[g->ring].rptr = g->end;
            tell_rptr(g, g->ring);
        }
        n++;
    }
    if (g->stalled && g->past.behind) {
        lull_agpu_past_end(g);
    }
    g->stalled = false; // the driver looks now
    g->clock = began + n;
    g->progress += n;
    return n;
}

static void model_destroy(struct lull_agpu *g)
{
    lull_agpu_past_done(g);
    lull_acompute_free(g->compute);
    lull_agpu_space_done(&g->kernel);
    while (g->spaces != NULL) {
        struct lull_agpu_space *s = g->spaces;
        g->spaces = s->next;
        lull_agpu_space_done(s);
        free(s);
    }
    lull_agpu_draws_done(&g->draws);
    if (g->engine != NULL) {
        g->engine->end(g->engine_state);
    }
    free(g->gmem.bytes);
    free(g->words);
    free(g);
}

static struct lull_agpu_space *model_space_new(struct lull_agpu *g)
{
    struct lull_agpu_space *s = calloc(1, sizeof *s);
    if (s != NULL) {
        g->nspaces++;
        s->ttbr0 = (TABLE_BASE + g->nspaces * LULL_AGPU_PAGE) | (g->nspaces & 0xffff) << 48;
        s->next = g->spaces;
        g->spaces = s;
    }
    return s;
}

static void model_space_free(struct lull_agpu *g, struct lull_agpu_space *s)
{
    struct lull_agpu_space **at = &g->spaces;
    while (*at != s) {
        at = &(*at)->next;
    }
    *at = s->next;
    g->current = g->current == s ? NULL : g->current;
    lull_agpu_past_unmapped(g, s, 0, UINT64_MAX);
    lull_agpu_forget(g);
    lull_agpu_space_done(s);
    free(s);
}

static uint64_t model_ttbr0(const struct lull_agpu_space *s)
{
    return s->ttbr0;
}

static bool model_map(struct lull_agpu *g, struct lull_agpu_space *s, uint64_t address,
                      uint64_t size, const struct lull_agpu_page *page)
{
    return lull_agpu_space_map(s != NULL ? s : &g->kernel, address & LULL_AGPU_ADDRESS_MASK, size,
                               page);
}

static void model_unmap(struct lull_agpu *g, struct lull_agpu_space *s, uint64_t address,
                        uint64_t size)
{
    struct lull_agpu_space *from = s != NULL ? s : &g->kernel;
    lull_agpu_past_unmapped(g, from, address & LULL_AGPU_ADDRESS_MASK, size);
    lull_agpu_forget(g);
    lull_agpu_space_unmap(from, address & LULL_AGPU_ADDRESS_MASK);
}

static struct lull_agpu_page model_look(const struct lull_agpu *g, const struct lull_agpu_space *s,
                                        uint64_t address)
{
    return lull_agpu_space_look(s != NULL ? s : &g->kernel, address & LULL_AGPU_ADDRESS_MASK);
}

static void model_ring_set(struct lull_agpu *g, unsigned ring, const struct lull_agpu_ring *r)
{
    g->rings[ring] = (struct lull_agpu_ring_now){.at = *r};
}

static void model_kick(struct lull_agpu *g, unsigned ring, uint32_t wptr)
{
    g->rings[ring].wptr = wptr & (g->rings[ring].at.dwords - 1);
}

static uint32_t model_rptr(const struct lull_agpu *g, unsigned ring)
{
    const struct lull_agpu_ring_now *r = &g->rings[ring];
    if (!g->active || ring != g->ring) {
        return r->rptr;
    }
    const struct lull_agpu_place now = lull_agpu_place_now(&g->place, &g->s);
    return (g->end - now.at[LULL_AGPU_RB].left) & (r->at.dwords - 1);
}

static bool model_next_event(struct lull_agpu *g, struct lull_agpu_event *ret)
{
    if (g->nevents == 0) {
        return false;
    }
    *ret = g->events[g->first];
    g->first = (g->first + 1) % LULL_AGPU_EVENTS;
    g->nevents--;
    return true;
}

static void model_fault_resume(struct lull_agpu *g)
{
    g->faulted = false;
}

static uint64_t model_clock(const struct lull_agpu *g)
{
    return g->clock;
}

static void model_idle(struct lull_agpu *g, uint64_t ticks)
{
    g->clock += ticks;
}

static uint64_t model_progress(const struct lull_agpu *g)
{
    return g->progress;
}

static uint32_t model_read_reg(const struct lull_agpu *g, uint32_t reg)
{
    const struct lull_agpu_ring_now *r = &g->rings[g->ring];
    const bool of_cp = reg >= LULL_A6XX_CP_RB_BASE && reg <= LULL_A6XX_CP_SDS_DWORDS;
    const struct lull_agpu_place now =
        of_cp ? lull_agpu_place_now(&g->place, &g->s) : (struct lull_agpu_place){0};
    uint32_t v = 0;
    if (of_cp && lull_agpu_place_reg(&now, reg, &v)) {
        return v;
    }
    switch (reg) {
    case LULL_A6XX_CP_RB_BASE:
    case LULL_A6XX_CP_RB_BASE + 1:
        return (uint32_t)(r->at.base >> (reg == LULL_A6XX_CP_RB_BASE ? 0 : 32));
    case LULL_A6XX_CP_RB_RPTR:
        return model_rptr(g, g->ring);
    case LULL_A6XX_CP_RB_WPTR:
        return r->wptr;
    case LULL_A6XX_RBBM_STATUS:
        return lull_agpu_place_status(g->compute != NULL, g->active || g->stopped);
    case LULL_A6XX_CP_SQE_STAT_DATA: // of which only $01 is known
        return g->s.regs[0].v[LULL_A6XX_CP_SQE_STAT_ADDR] == 1 ? now.word : 0;
    default:
        break;
    }
    return reg < LULL_AS_REGS ? g->s.regs[0].v[reg] : 0;
}

static void model_write_reg(struct lull_agpu *g, uint32_t reg, uint32_t value)
{
    lull_agpu_set_reg(g, reg, value);
}

static void model_stomp(struct lull_agpu *g, const uint32_t *regs, unsigned n, uint32_t value)
{
    g->stomp = (struct lull_agpu_stomp){.regs = regs, .n = n, .value = value};
}

static void model_crumbs(struct lull_agpu *g, const struct lull_crumb_watcher *to)
{
    g->crumbs.to = *to;
}

struct lull_error *lull_agpu_new(const struct lull_agpu_config *config, struct lull_agpu **ret)
{
    struct lull_agpu *g = calloc(1, sizeof *g);
    if (g == NULL) {
        return &lull_enomem;
    }
    g->chip = config->chip;
    g->seed = config->seed;
    g->order = config->order;
    g->assume = config->assume;
    g->engine = config->engine;
    g->engine_state = g->engine != NULL ? g->engine->start(g->engine) : NULL;
    g->gmem = (struct lull_agmem){calloc(1, config->chip->gmem_bytes), config->chip->gmem_bytes};
    if (g->gmem.bytes == NULL) {
        free(g);
        return &lull_enomem;
    }
    power_on(g);
    *ret = g;
    return NULL;
}

void lull_agpu_observe(struct lull_agpu *g, struct lull_observer *o)
{
    o->next = g->observers;
    g->observers = o;
}

const struct lull_agpu_ops lull_agpu_model_ops = {
    .destroy = model_destroy,
    .space_new = model_space_new,
    .space_free = model_space_free,
    .ttbr0 = model_ttbr0,
    .map = model_map,
    .unmap = model_unmap,
    .look = model_look,
    .ring_set = model_ring_set,
    .kick = model_kick,
    .rptr = model_rptr,
    .run = model_run,
    .next_event = model_next_event,
    .fault_resume = model_fault_resume,
    .clock = model_clock,
    .idle = model_idle,
    .progress = model_progress,
    .reset = power_on,
    .read_reg = model_read_reg,
    .write_reg = model_write_reg,
    .stomp = model_stomp,
    .crumbs = model_crumbs,
    .debug = &lull_agpu_debug_model,
};
