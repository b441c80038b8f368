// SPDX-License-Identifier: MIT
// What packets of all kinds need: registers, and the end of a job that cannot go on.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cmd/sdma6_pkts.h"
#include "model/amd/cp/cp.h"

static const uint32_t all_broadcast = LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK |
                                      LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK |
                                      LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK;

static const char *const ring_names[LULL_RING_COUNT] = {
    "gfx", "compute 0", "compute 1", "compute 2", "compute 3", "sdma 0", "sdma 1"};

/** The packet's name; NULL: it has none. */
static const char *packet_name(const struct lull_cp *cp)
{
    const struct lull_pkt_db *db = lull_cp_is_sdma(cp->r) ? &lull_pkts_sdma6 : &lull_pkts_pm4_amd;
    const struct lull_pkt *pkt = cp->p.type == 3 ? lull_pkt_by_opcode(db, 0, cp->p.opcode) : NULL;
    return pkt != NULL ? pkt->name : NULL;
}

static enum lull_cp_result stop(struct lull_cp *cp, enum lull_job_result result, const char *why)
{
    char message[sizeof((struct lull_gpu_done *)NULL)->message] = {0};
    const char *name = packet_name(cp);
    char number[32] = {0};
    if (lull_cp_is_sdma(cp->r)) {
        snprintf(number, sizeof number, "packet 0x%04x", cp->p.opcode);
    } else {
        snprintf(number, sizeof number, "type %u packet 0x%02x", cp->p.type, cp->p.opcode);
    }
    snprintf(message, sizeof message, "%s: %s at dword %zu of IB 0x%" PRIx64 ": %s",
             ring_names[cp->r->id], name != NULL ? name : number, cp->p.offset, cp->ib->va, why);
    lull_gpu_end_job(cp->g, cp->r, result, message);
    return LULL_CP_STOP;
}

enum lull_cp_result lull_cp_bad(struct lull_cp *cp, const char *fmt, ...)
{
    char why[128] = {0};
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    return stop(cp, LULL_JOB_BAD_PACKET, why);
}

/** End the job as FAULT of @p client. @p who: of it, before the message. */
static enum lull_cp_result fault(struct lull_cp *cp, uint32_t client, const char *who)
{
    char why[128] = {0};
    snprintf(why, sizeof why, "%s%s 0x%" PRIx64 ": %s", who,
             (cp->vm->fault.access & LULL_ACCESS_WRITE) != 0 ? "write to" : "read of",
             cp->vm->fault.va, cp->vm->fault.walker_error != 0 ? "not mapped" : "not permitted");
    lull_gpu_latch_fault(cp->g, cp->vm, client);
    return stop(cp, LULL_JOB_FAULT, why);
}

enum lull_cp_result lull_cp_fault(struct lull_cp *cp)
{
    const uint32_t client =
        !lull_cp_is_sdma(cp->r)        ? LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__CPF
        : cp->r->id == LULL_RING_SDMA0 ? LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__SDMA0
                                       : LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__SDMA1;
    return fault(cp, client, "");
}

enum lull_cp_result lull_cp_target_fault(struct lull_cp *cp, const char *target)
{
    char who[64] = {0};
    if (cp->g->draw_open != 0 && cp->g->draw_id != UINT64_MAX) {
        snprintf(who, sizeof who, "draw %" PRIu64 ": %s: ", cp->g->draw_id, target);
    } else { // nobody counts draws
        snprintf(who, sizeof who, "%s: ", target);
    }
    return fault(cp, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS__CID__CB_DB, who);
}

/** Bank that a ring's register accesses go to. */
static struct lull_bank ring_bank(const struct lull_gpu_ring *r)
{
    const unsigned me = r->id == LULL_RING_GFX ? 0 : 1;
    const unsigned pipe = me == 0 ? 0 : (unsigned)r->id - LULL_RING_COMPUTE0;
    return (struct lull_bank){
        .grbm = all_broadcast,
        .srbm = lull_field_put(me, LULL_GC11_GRBM_GFX_CNTL__MEID_MASK) |
                lull_field_put(pipe, LULL_GC11_GRBM_GFX_CNTL__PIPEID_MASK) |
                lull_field_put(r->head->job.vmid, LULL_GC11_GRBM_GFX_CNTL__VMID_MASK),
    };
}

static bool in_range(uint32_t offset, uint32_t base, uint32_t size)
{
    return offset >= base && offset - base < size;
}

bool lull_cp_write_reg(struct lull_cp *cp, uint32_t byte_offset, uint32_t value)
{
    if (in_range(byte_offset, LULL_SH_BASE, LULL_SH_BYTES)) {
        lull_gpu_set_sh(cp->r, byte_offset - LULL_SH_BASE, &value, 1);
        return true;
    }
    if (in_range(byte_offset, LULL_CONTEXT_BASE, LULL_CONTEXT_BYTES)) {
        lull_gpu_set_context(cp->g, byte_offset - LULL_CONTEXT_BASE, &value, 1);
        return true;
    }
    if (!in_range(byte_offset, LULL_UCONFIG_BASE, LULL_UCONFIG_BYTES)) {
        return false;
    }
    lull_gpu_write_reg(cp->g, ring_bank(cp->r), byte_offset, value);
    return true;
}

// Waves of other clients are not for command buffers: what SQ_IND_DATA shows of them reads as 0.
uint32_t lull_cp_read_reg(struct lull_cp *cp, uint32_t byte_offset)
{
    return byte_offset == LULL_GC11_SQ_IND_DATA
               ? 0
               : lull_gpu_read_reg(cp->g, ring_bank(cp->r), byte_offset);
}

void lull_cp_write_user(struct lull_cp *cp, uint32_t reg, uint32_t value)
{
    if (reg != 0) {
        lull_cp_write_reg(cp, LULL_SH_BASE + 4 * reg, value);
    }
}
