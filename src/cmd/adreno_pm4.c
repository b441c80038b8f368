// SPDX-License-Identifier: MIT
#include "cmd/adreno_pm4.h"

enum { FIRST_PKT7 = 5 };

static const uint32_t TYPE2 = 0x80000000;

/** The bit that makes the number of set bits odd. */
static uint32_t parity(uint32_t v)
{
    return (uint32_t)__builtin_parity(v) ^ 1;
}

uint32_t lull_apkt_write_header(uint32_t reg, uint32_t count)
{
    return 4u << 28 | parity(reg) << 27 | reg << 8 | parity(count) << 7 | count;
}

uint32_t lull_apkt_op_header(uint32_t op, uint32_t count)
{
    return 7u << 28 | parity(op) << 23 | op << 16 | parity(count) << 15 | count;
}

uint32_t lull_apkt_old_write_header(uint32_t reg, uint32_t count)
{
    return (count - 1) << 16 | reg;
}

uint32_t lull_apkt_old_op_header(uint32_t op, uint32_t count)
{
    return 3u << 30 | (count - 1) << 16 | op << 8;
}

uint32_t lull_apkt_old_nop_header(void)
{
    return TYPE2;
}

static struct lull_apkt new_header(uint32_t h)
{
    const uint32_t reg = h >> 8 & 0x3ffff, count4 = h & 0x7f;
    const uint32_t op = h >> 16 & 0x7f, count7 = h & 0x3fff;
    if (h >> 28 == 4 && (h >> 27 & 1) == parity(reg) && (h >> 7 & 1) == parity(count4)) {
        return (struct lull_apkt){LULL_APKT_WRITE, reg, count4};
    }
    if (h >> 28 == 7 && (h >> 24 & 0xf) == 0 && (h >> 23 & 1) == parity(op) &&
        (h >> 15 & 1) == parity(count7)) {
        return (struct lull_apkt){LULL_APKT_OP, op, count7};
    }
    if (h == TYPE2) {
        return (struct lull_apkt){LULL_APKT_NOP, 0, 0};
    }
    return (struct lull_apkt){LULL_APKT_BAD, 0, 0};
}

struct lull_apkt lull_apkt_other_header(unsigned gen, uint32_t h)
{
    if (gen >= FIRST_PKT7) {
        return new_header(h);
    }
    const uint32_t count = (h >> 16 & 0x3fff) + 1;
    switch (h >> 30) {
    case 2:
        return (struct lull_apkt){h == TYPE2 ? LULL_APKT_NOP : LULL_APKT_BAD, 0, 0};
    case 3:
        if ((h & 0x80fe) == 0) {
            return (struct lull_apkt){LULL_APKT_OP, h >> 8 & 0xff, count};
        }
        break;
    default:
        break;
    }
    return (struct lull_apkt){LULL_APKT_BAD, 0, 0};
}
