// SPDX-License-Identifier: MIT
// Logs: what the CP copies, and what shaders append. Their form is that of Mesa's replay: of the CP
// a u64 address of the end, a u64 8, and entries of a u64 size and data; of shaders a u64 address
// of the end, and dwords. Source: Mesa 25.0.7, src/freedreno/decode (shared facts on freedreno,
// sections 14 and 15).

#include "adreno/rdgen/rdgen.h"
#include "hw/adreno_doms.h"

enum { ENTRY = LULL_RDGEN_LOG_ENTRY };

/** Room for an entry of @p dwords dwords in the CP's log: the address of its data; 0: an error. */
static uint64_t entry(struct lull_rdgen *g, uint32_t dwords)
{
    const enum lull_rdgen_log cp = LULL_RDGEN_CP_LOG;
    if (g->err == NULL && (g->gen < 5 || dwords == 0)) {
        lull_rdgen_fail(
            g, lull_error_new(LULL_ERR_BAD_DATA, g->gen < 5 ? "a print needs a GPU of a5xx to a7xx"
                                                            : "a print of no dwords"));
    }
    const uint64_t log = g->err == NULL ? lull_rdgen_log(g, cp) : 0;
    if (log == 0) {
        return 0;
    }
    if (dwords > (LULL_RDGEN_LOG_DWORDS * 4 - g->log_used[cp] - ENTRY) / 4) {
        lull_rdgen_fail(g, lull_error_new(LULL_ERR_BAD_DATA,
                                          "prints of more than %d bytes in a submit",
                                          LULL_RDGEN_LOG_DWORDS * 4));
        return 0;
    }
    uint8_t *bytes = g->own + g->log_at[cp];
    const uint32_t at = g->log_used[cp];
    lull_rdgen_put64(bytes + at, dwords * UINT64_C(4));
    g->log_used[cp] = at + ENTRY + dwords * 4;
    lull_rdgen_put64(bytes, log + g->log_used[cp]);
    // The CP waits until what is to be printed is there.
    pkt7(g, LULL_PKT_CP_WAIT_MEM_WRITES);
    pkt7(g, LULL_PKT_CP_WAIT_FOR_IDLE);
    pkt7(g, LULL_PKT_CP_WAIT_FOR_ME);
    return log + at + ENTRY;
}

void lull_rdgen_print(struct lull_rdgen *g, uint64_t address, uint32_t dwords)
{
    const uint64_t to = entry(g, dwords);
    for (uint32_t i = 0; to != 0 && i < dwords; i++) {
        const uint64_t d = to + i * 4, s = address + i * 4;
        pkt7(g, LULL_PKT_CP_MEM_TO_MEM, 0, (uint32_t)d, (uint32_t)(d >> 32), (uint32_t)s,
             (uint32_t)(s >> 32));
    }
}

void lull_rdgen_print_registers(struct lull_rdgen *g, uint32_t reg, uint32_t n)
{
    const uint64_t to = entry(g, n);
    for (uint32_t i = 0; to != 0 && i < n; i++) {
        const uint64_t d = to + i * 4;
        pkt7(g, LULL_PKT_CP_REG_TO_MEM, reg + i, (uint32_t)d, (uint32_t)(d >> 32));
    }
}
