// SPDX-License-Identifier: MIT
// What debug.h says, of the model.
#include "model/adreno/gpu_impl.h"

static struct lull_agpu_waves now(const struct lull_agpu *g)
{
    return (struct lull_agpu_waves){g->compute, g->draws.now};
}

static void debug_watch(struct lull_agpu *g, const struct lull_agpu_stops *s)
{
    const struct lull_agpu_waves waves = now(g);
    lull_agpu_watch_set(&g->watch, &waves, s);
    if (s == NULL) {
        lull_agpu_past_end(g);
    }
}

bool lull_agpu_debug_stands(const struct lull_agpu *g)
{
    const struct lull_agpu_waves waves = now(g);
    return g->packets.now.stop != LULL_AGPU_PACKET_NOT || lull_agpu_watch_stands(&g->watch, &waves);
}

static bool release_packet(struct lull_agpu *g)
{
    if (g->packets.now.stop == LULL_AGPU_PACKET_WRONG) {
        lull_agpu_wrong(g, g->packets.now.wrong);
    }
    return lull_agpu_packets_release(&g->packets);
}

static void debug_watch_packets(struct lull_agpu *g, const struct lull_agpu_packet_stops *s)
{
    if (s == NULL) {
        (void)release_packet(g);
    }
    lull_agpu_packets_set(&g->packets, s);
}

static void debug_packet(const struct lull_agpu *g, struct lull_agpu_packet *ret)
{
    *ret = g->packets.now;
}

static enum lull_agpu_reg_state debug_register_state(const struct lull_agpu *g, uint32_t reg)
{
    const struct lull_as_regs *r = &g->s.regs[0];
    return reg >= LULL_AS_REGS                      ? LULL_AGPU_REG_NEVER
           : (r->known[reg / 64] >> reg % 64 & 1)   ? LULL_AGPU_REG_KNOWN
           : (r->unknown[reg / 64] >> reg % 64 & 1) ? LULL_AGPU_REG_UNKNOWN
                                                    : LULL_AGPU_REG_NEVER;
}

static uint64_t debug_count(const struct lull_agpu *g)
{
    return g->watch.n;
}

static bool debug_dispatch(const struct lull_agpu *g, uint64_t number,
                           struct lull_agpu_dispatch *ret)
{
    return lull_agpu_watch_dispatch(&g->watch, number, ret);
}

static uint64_t debug_ndraws(const struct lull_agpu *g)
{
    return g->watch.ndraws;
}

static bool debug_draw(const struct lull_agpu *g, uint64_t number, struct lull_agpu_draw *ret)
{
    return lull_agpu_watch_draw(&g->watch, number, ret);
}

static uint64_t debug_space(const struct lull_agpu *g)
{
    return g->watch.ttbr0;
}

static bool debug_invocation(const struct lull_agpu *g, uint32_t wave, uint32_t fiber,
                             struct lull_agpu_invocation *ret)
{
    const struct lull_agpu_waves waves = now(g);
    return lull_agpu_watch_invocation(&waves, wave, fiber, ret);
}

static bool debug_release(struct lull_agpu *g)
{
    const bool packet = release_packet(g);
    return lull_agpu_watch_release(&g->watch) || packet;
}

static unsigned debug_waves(const struct lull_agpu *g, struct lull_agpu_wave *ret, unsigned room)
{
    const struct lull_agpu_waves waves = now(g);
    return lull_agpu_watch_waves(&g->watch, &waves, ret, room);
}

static bool debug_go(struct lull_agpu *g, uint32_t wave, bool step)
{
    const struct lull_agpu_waves waves = now(g);
    lull_agpu_packets_fault_told(&g->packets); // if it stood for one
    g->past.went = true;
    return lull_agpu_watch_go(&waves, wave, step);
}

static void debug_interrupt(struct lull_agpu *g)
{
    const struct lull_agpu_waves waves = now(g);
    lull_agpu_watch_interrupt(&waves);
}

static bool debug_read(const struct lull_agpu *g, const struct lull_agpu_reg *r, uint32_t *ret)
{
    const struct lull_agpu_waves waves = now(g);
    return lull_agpu_watch_reg(&waves, r, false, ret);
}

static bool debug_write(struct lull_agpu *g, const struct lull_agpu_reg *r, uint32_t value)
{
    const struct lull_agpu_waves waves = now(g);
    lull_agpu_past_touches(g, 0, 0);
    return lull_agpu_watch_reg(&waves, r, true, &value);
}

static uint8_t *debug_local(struct lull_agpu *g, uint32_t *ret_bytes)
{
    const struct lull_agpu_waves waves = now(g);
    return lull_agpu_watch_local(&waves, ret_bytes);
}

const struct lull_agpu_debug_ops lull_agpu_debug_model = {.watch = debug_watch,
                                                          .stands = lull_agpu_debug_stands,
                                                          .count = debug_count,
                                                          .dispatch = debug_dispatch,
                                                          .ndraws = debug_ndraws,
                                                          .draw = debug_draw,
                                                          .space = debug_space,
                                                          .watch_packets = debug_watch_packets,
                                                          .packet = debug_packet,
                                                          .register_state = debug_register_state,
                                                          .release = debug_release,
                                                          .waves = debug_waves,
                                                          .go = debug_go,
                                                          .interrupt = debug_interrupt,
                                                          .read = debug_read,
                                                          .write = debug_write,
                                                          .invocation = debug_invocation,
                                                          .local = debug_local,
                                                          .remember = lull_agpu_past_remember,
                                                          .travelled = lull_agpu_past_travelled,
                                                          .travel = lull_agpu_past_travel,
                                                          .search = lull_agpu_past_search,
                                                          .found = lull_agpu_past_found,
                                                          .touches = lull_agpu_past_touches};
