// SPDX-License-Identifier: MIT
/* Registers of an Adreno itself, not those of its waves: by number and by name. */
#include <ctype.h>
#include <stdio.h>

#include "base/error.h"
#include "debug/session/engine.h"
#include "debug/session/packets.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"

LULL_MUST_USE static struct lull_error *need_packets(const struct lull_debug *d)
{
    return d->target->ops->stop_packets != NULL && d->target->ops->packet != NULL
               ? NULL
               : lull_error_new(LULL_ERR_UNSUPPORTED,
                                "a %s target does not stop in front of packets: captures and "
                                "programs on an Adreno do",
                                d->target->ops->kind);
}

struct lull_error *lull_debug_packet_gen(const struct lull_debug *d, unsigned *ret)
{
    enum { OF_CHIP = 100 }; // 630 is of 6
    struct lull_error *err = need_packets(d);
    *ret = err == NULL ? d->target->ops->gen / OF_CHIP : 0;
    return err;
}

struct lull_error *lull_debug_gpu_register_states(struct lull_debug *d, uint32_t first,
                                                  uint8_t *ret, size_t n)
{
    const struct lull_target_ops *ops = d->target->ops;
    if (ops->register_states == NULL || ops->gpu_register == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "a %s target does not show registers of the "
                              "GPU",
                              ops->kind);
    }
    return ops->register_states(d->target, first, ret, n);
}

struct lull_error *lull_debug_gpu_register(struct lull_debug *d, uint32_t number,
                                           enum lull_gpu_reg_state *ret_state, uint32_t *ret)
{
    uint8_t state = LULL_GPU_REG_NEVER;
    struct lull_error *err = lull_debug_gpu_register_states(d, number, &state, 1);
    err = err != NULL ? err : d->target->ops->gpu_register(d->target, number, ret);
    *ret_state = (enum lull_gpu_reg_state)state;
    return err;
}

/* Registers by name; NULL: there are none. */
static const struct lull_dom_index *registers(struct lull_debug *d)
{
    enum { REGISTERS = 0x40000 };
    const struct lull_dom *doms[LULL_ADRENO_SPACES] = {0};
    unsigned gen = 0;
    struct lull_error *err = lull_debug_packet_gen(d, &gen);
    if (err == NULL && d->packets.registers == NULL) {
        const unsigned n = lull_adreno_spaces(gen, doms);
        err = lull_dom_index_new(&lull_dom_adreno, gen, doms, n, REGISTERS, &d->packets.registers);
    }
    const bool good = err == NULL;
    lull_error_free(err);
    return good ? d->packets.registers : NULL;
}

static size_t word(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') {
        n++;
    }
    return n;
}

bool lull_debug_find_gpu_register(struct lull_debug *d, const char **at, uint32_t *ret,
                                  bool *ret_wide)
{
    enum { ROOM = 96 };
    const struct lull_dom_index *all = registers(d);
    const size_t name = word(*at);
    const size_t in = (*at)[name] == '[' ? word(*at + name + 1) : 0;
    const size_t element = in != 0 && (*at)[name + 1 + in] == ']' ? name + in + 2 : name;
    const size_t part = (*at)[element] == '.' ? word(*at + element + 1) : 0;
    // RB_MRT[0].PITCH, CP_SCRATCH[4], RB_CNTL: the longest that there is
    const size_t ends[] = {part != 0 ? element + 1 + part : element, element, name};
    for (size_t i = 0; all != NULL && i < sizeof ends / sizeof ends[0]; i++) {
        char text[ROOM] = "";
        snprintf(text, sizeof text, "%.*s", (int)(ends[i] < ROOM ? ends[i] : 0), *at);
        if (text[0] != '\0' && lull_dom_find(all, text, ret)) {
            const struct lull_dom_hit hit = lull_dom_lookup(all, *ret);
            *ret_wide = hit.reg != NULL && hit.reg->width == 64 && hit.dword == 0;
            *at += ends[i];
            return true;
        }
    }
    return false;
}
