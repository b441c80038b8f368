// SPDX-License-Identifier: MIT
/** @file
 * What uninit.c knows of an instruction.
 */
#ifndef LULL_CHECK_UNINIT_PLAN_H
#define LULL_CHECK_UNINIT_PLAN_H

#include "check/checks.h"
#include "check/uninit/twin.h"
#include "isa/rdna/regs.h"

/** Registers, as bits. */
struct lull_uninit_regs {
    uint8_t nv; ///< Words of v up to the last that is not 0.
    bool scc;
    uint64_t s[LULL_TWIN_SGPRS / 64], v[LULL_TWIN_VGPRS / 64];
};

/** What is known of an instruction; in front what is always looked at. */
struct lull_uninit_plan {
    bool memory, moves;
    bool local;   ///< It goes to local memory, or moves data between lanes.
    bool looks;   ///< It may differ though none of its registers does.
    bool by_lane; ///< Each lane that is on gets all that its registers hold of its own.
    bool stores;  ///< To memory, and does nothing else.
    bool keeps;   ///< It may leave what it writes as it was.
    bool knows;   ///< Of local memory: how far it goes from its address, by imm and reach.
    bool lanes;   ///< It reads a lane that it names: v_readlane, ds_bpermute.
    bool typed;   ///< Memory through a format.
    enum lull_uninit_quick {
        LULL_QUICK_NONE,
        LULL_QUICK_READ_LANE, ///< v_readlane and v_writelane of lane @c part.
        LULL_QUICK_WRITE_LANE,
        LULL_QUICK_LOAD, ///< Scratch at one offset for all lanes, @c part dwords.
        LULL_QUICK_STORE,
    } quick;
    unsigned part;
    struct lull_uninit_regs names, writes, reads; ///< names: both.
    uint64_t sets[LULL_TWIN_VGPRS / 64]; ///< Vector registers that it writes in lanes that are on.
    uint32_t reach;
    unsigned nuses;
    struct lull_rdna_insn in;
    struct lull_rdna_use uses[LULL_RDNA_MAX_USES];
};

/** For struct lull_check_module: of every instruction before() is to be called. */
bool lull_uninit_plan(const struct lull_check_now *n, void *plan);

#endif
