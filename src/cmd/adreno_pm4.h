// SPDX-License-Identifier: MIT
/** @file
 * Headers of Adreno's command packets, types 0, 2, 3, 4 and 7.
 *
 * Source: shared facts on freedreno, section 2 (Mesa src/freedreno/common/freedreno_pm4.h).
 */
#ifndef LULL_CMD_ADRENO_PM4_H
#define LULL_CMD_ADRENO_PM4_H

#include <stdbool.h>
#include <stdint.h>

enum lull_apkt_type {
    LULL_APKT_BAD,
    LULL_APKT_NOP,   ///< Type 2: one dword.
    LULL_APKT_WRITE, ///< Types 0 and 4: registers.
    LULL_APKT_OP,    ///< Types 3 and 7.
};

struct lull_apkt {
    enum lull_apkt_type type;
    uint32_t what;  ///< Register of a WRITE, in dwords; opcode of an OP.
    uint32_t count; ///< Dwords after the header.
};

/** Headers of a5xx to a7xx: a write of @p count registers from @p reg on (type 4), and operation
 * @p op with @p count dwords (type 7). */
uint32_t lull_apkt_write_header(uint32_t reg, uint32_t count);
uint32_t lull_apkt_op_header(uint32_t op, uint32_t count);

/** The same of a2xx to a4xx (types 0 and 3), where @p count is at least 1; and one of type 2. */
uint32_t lull_apkt_old_write_header(uint32_t reg, uint32_t count);
uint32_t lull_apkt_old_op_header(uint32_t op, uint32_t count);
uint32_t lull_apkt_old_nop_header(void);

/** Take a header of other types than 0 apart; @p gen 2 to 7 says which types there are. */
struct lull_apkt lull_apkt_other_header(unsigned gen, uint32_t header);

/** Take a header apart; @p gen 2 to 7 says which types there are. */
static inline struct lull_apkt lull_apkt_header(unsigned gen, uint32_t header)
{
    if (gen < 5 && header >> 30 == 0) { // type 0, the most frequent one
        return (struct lull_apkt){LULL_APKT_WRITE, header & 0x7fff, (header >> 16 & 0x3fff) + 1};
    }
    return lull_apkt_other_header(gen, header);
}

#endif
