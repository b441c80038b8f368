// SPDX-License-Identifier: MIT
/** @file
 * Checks that code keeps the rules which the hardware leaves to it. An observer of the model, where
 * all results arrive at once, so wrong code computes the same there as right code.
 *
 * Waits: a register that a load, an LDS or a scalar memory instruction has yet to write must not be
 * read or written before s_waitcnt says that it has arrived. LDS returns in order, vector loads too
 * (but may write registers out of order between plain, sampled and ray instructions), scalar loads
 * and FLAT in any. Rules of gfx11: forwarding of partly written results in wave64, transcendental
 * results used too early, v_cmpx in front of v_permlane, matrix results used at once,
 * lds_direct_load, masks written under a VALU. Also: LDS accesses out of range, and what reads lane
 * 0 because EXEC is 0.
 *
 * A load and a use in other lanes do not meet: loops that take lane after lane are right.
 *
 * Sources: rdna3 4.4, 5.6, 7.2.5 and 12.1; LLVM 19 SIInsertWaitcnts.cpp and GCNHazardRecognizer.cpp
 * (which sequences are hazards on gfx1100, and what ends them). LLVM's hazards of gfx10 alone (SMEM
 * after VMEM, v_cmpx and EXEC, LDS and VMEM around a branch) are not gfx11's. Missing s_delay_alu
 * and s_clause cost time only and are not told. Not seen: registers chosen at run time (v_movrel*),
 * uninitialised registers, and what stores have to wait for, as memory is ordered by the model.
 */
#ifndef LULL_CHECK_HAZARDS_H
#define LULL_CHECK_HAZARDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "isa/rdna/rdna.h"
#include "model/observer.h"

enum lull_hazard_kind {
    LULL_HAZARD_WAIT_READ,  ///< Reads a register that has not arrived.
    LULL_HAZARD_WAIT_WRITE, ///< Writes one: what arrives may overwrite it.
    LULL_HAZARD_TRANS_USE,
    LULL_HAZARD_PARTIAL_FORWARD,
    LULL_HAZARD_CMPX_PERMLANE,
    LULL_HAZARD_MATRIX,
    LULL_HAZARD_LDS_DIRECT,
    LULL_HAZARD_MASK_WRITE,
    LULL_HAZARD_EXEC_0, ///< Reads lane 0 because no lane is on.
    LULL_HAZARD_LDS_RANGE,
    LULL_HAZARD_KINDS,
};

/** What was found at one instruction, of one kind. */
struct lull_hazard {
    enum lull_hazard_kind kind;
    uint64_t pc;
    uint32_t vmid;
    struct lull_rdna_insn in;
    uint16_t reg;      ///< The register by operand number; LULL_RDNA_NONE: none.
    uint64_t cause;    ///< PC of the load, or of what came before; 0: none.
    uint64_t address;  ///< LDS_RANGE: the first lane's, in bytes.
    uint32_t limit;    ///< LDS_RANGE: bytes of the workgroup.
    uint64_t lanes;    ///< Active lanes, or those out of range; all times together.
    uint64_t count;    ///< Times; LDS_RANGE: lanes.
    uint32_t group[3]; ///< Workgroup of the first time.
    uint32_t hw_id1;   ///< HW_ID1 of its wave.
    uint32_t wave_size;
};

struct lull_hazards;

struct lull_error *lull_hazards_new(struct lull_hazards **ret) LULL_MUST_USE;
void lull_hazards_free(struct lull_hazards *h);

/** For lull_gpu_observe(); lives as long as @p h. */
struct lull_observer *lull_hazards_observer(struct lull_hazards *h);

/** @{ What was found, in order of first time. */
size_t lull_hazards_count(const struct lull_hazards *h);
const struct lull_hazard *lull_hazards_at(const struct lull_hazards *h, size_t i);
/** @} */

/** Findings that were lost because memory was short, or there were too many; 0: none. */
uint64_t lull_hazards_lost(const struct lull_hazards *h);

/** "wait-read" and so on. */
const char *lull_hazard_name(enum lull_hazard_kind kind);

/** What is wrong, in words: "reads v5, which the load at 0x... has yet to write: vmcnt". */
void lull_hazard_text(const struct lull_hazard *h, struct lull_str *out);

#endif
