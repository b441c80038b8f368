// SPDX-License-Identifier: MIT
#include "cmd/pm4.h"

#include "cmd/pm4_amd_pkts.h"

enum {
    PAD_NBODY = 0x4000, // a NOP of the greatest count is padding: no body
};

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (UINT32_MAX >> (31 - (high - low)));
}

bool lull_pm4_header(uint32_t header, struct lull_pm4_packet *ret)
{
    struct lull_pm4_packet p = {.type = bits(header, 31, 30)};
    switch (p.type) {
    case 0:
        p.reg = bits(header, 15, 0);
        p.nbody = bits(header, 29, 16) + 1;
        break;
    case 2: // filler, one dword
        break;
    case 3:
        p.opcode = bits(header, 15, 8);
        p.predicate = bits(header, 0, 0) != 0;
        p.nbody = bits(header, 29, 16) + 1;
        if (p.opcode == LULL_PM4_NOP && p.nbody == PAD_NBODY) {
            p.nbody = 0;
        }
        break;
    default:
        return false;
    }
    *ret = p;
    return true;
}

LULL_MUST_USE static struct lull_error *read_packet(const uint32_t *dwords, size_t ndwords,
                                                    size_t offset, struct lull_pm4_packet *ret)
{
    struct lull_pm4_packet p = {0};
    if (!lull_pm4_header(dwords[offset], &p)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "dword %zu: type 1 packet 0x%08x", offset,
                              dwords[offset]);
    }
    if (p.nbody > ndwords - offset - 1) {
        return lull_error_new(LULL_ERR_BAD_DATA, "dword %zu: packet of %u dwords, %zu left", offset,
                              p.nbody, ndwords - offset - 1);
    }
    p.offset = offset;
    p.body = dwords + offset + 1;
    *ret = p;
    return NULL;
}

struct lull_error *lull_pm4_walk(const uint32_t *dwords, size_t ndwords, lull_pm4_visit_fn *visit,
                                 void *ctx)
{
    for (size_t offset = 0; offset < ndwords;) {
        struct lull_pm4_packet packet = {0};
        struct lull_error *err = read_packet(dwords, ndwords, offset, &packet);
        if (err == NULL) {
            err = visit(ctx, &packet);
        }
        if (err != NULL) {
            return err;
        }
        offset += 1 + packet.nbody;
    }
    return NULL;
}
