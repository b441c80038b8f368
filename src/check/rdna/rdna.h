// SPDX-License-Identifier: MIT
/** @file
 * What gfx11 leaves to the compiler.
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
#ifndef LULL_CHECK_RDNA_RDNA_H
#define LULL_CHECK_RDNA_RDNA_H

#include "check/hazards.h"

extern const struct lull_hazard_rules lull_hazard_rules_rdna3;

#endif
