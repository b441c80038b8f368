// SPDX-License-Identifier: MIT
/** @file
 * A wave beside one of the model's that executes the same instructions on registers, local and
 * scratch memory of its own. What nothing wrote differs from the model's in each of its bytes.
 */
#ifndef LULL_CHECK_UNINIT_TWIN_H
#define LULL_CHECK_UNINIT_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/rdna/rdna.h"
#include "model/amd/wave/wave.h"

enum { LULL_TWIN_VGPRS = 256, LULL_TWIN_SGPRS = 128 };

struct lull_twin_group;

struct lull_twin {
    struct lull_wave w;
    const struct lull_wave *of;
    struct lull_vm *vm; ///< Where only the scratch memory of the twin is mapped; NULL: nowhere yet.
    uint8_t *scratch;
    uint64_t scratch_base; ///< Of the first page.
    uint32_t scratch_bytes;
    /** Registers that may differ. Of others the twin has no value: it is the wave's. */
    uint64_t vdirty[LULL_TWIN_VGPRS / 64], sdirty[LULL_TWIN_SGPRS / 64];
    bool scc_dirty;
    /** Of those, registers that nothing has written: they differ in each byte, and the twin has no
     * value yet. */
    uint64_t vnever[LULL_TWIN_VGPRS / 64], snever[LULL_TWIN_SGPRS / 64];
    uint64_t vlanes[LULL_TWIN_VGPRS]; ///< Of others that may differ: lanes that do.
    struct lull_twin_group *group;
};

/** Local memory of a workgroup's twins. */
struct lull_twin_group {
    struct lull_workgroup wg; ///< Its local memory has values where it may differ.
    uint64_t *dirty;          ///< Dwords that may differ, by their bits.
    size_t from, end;         ///< Words of dirty: those before and behind are 0.
};

/** NULL: no memory. */
struct lull_twin_group *lull_twin_group(const struct lull_workgroup *of);

/** @p sgprs: scalar registers that the launch wrote; v0 is there where a lane is. NULL: no memory.
 */
struct lull_twin *lull_twin_new(const struct lull_wave *of, struct lull_twin_group *group,
                                unsigned sgprs);
void lull_twin_free(struct lull_twin *t);

/** Before the twin executes: it gets what it has no value of, of register @p reg; SCC, too. */
void lull_twin_fetch(struct lull_twin *t, unsigned reg);

/** May local memory differ, from byte @p from to before @p end? */
bool lull_twin_local_dirty(const struct lull_twin *t, uint64_t from, uint64_t end);
/** May some of it? */
bool lull_twin_local_any(const struct lull_twin *t);
/** Before the twin executes: it gets what does not differ there. */
void lull_twin_fetch_local(struct lull_twin *t, uint64_t from, uint64_t end);
/** Find out anew whether the dword with byte @p at differs. */
void lull_twin_look_local(struct lull_twin *t, uint64_t at);
/** The wave has stored what does not differ: @p bytes from @p at on. */
void lull_twin_copy_local(struct lull_twin *t, uint64_t at, unsigned bytes);

/** Execute the instruction at which the wave stands, which goes to no memory. */
void lull_twin_step(struct lull_twin *t);

/** Execute @p in, which goes to local or scratch memory, in those of @p lanes that are on. */
void lull_twin_access(struct lull_twin *t, const struct lull_rdna_insn *in, uint64_t lanes);

/** What both have the same: MODE and such, pc, EXEC. */
void lull_twin_follow(struct lull_twin *t);

/** Lanes in which register @p reg, of any kind, differs; of a scalar 1. */
uint64_t lull_twin_differs(const struct lull_twin *t, unsigned reg);

/** Does lane @p lane of v@p vgpr, which the wave has? */
bool lull_twin_lane_differs(const struct lull_twin *t, unsigned vgpr, unsigned lane);

/** @{ In lanes @p lanes the wave stores vector register @p reg, which it has, at byte @p at of
 * their scratch memory, or loads it: a dword that it has, and which differs in lanes @p differ. */
void lull_twin_store_scratch(struct lull_twin *t, uint32_t at, unsigned reg, uint64_t lanes);
void lull_twin_load_scratch(struct lull_twin *t, uint32_t at, unsigned reg, uint64_t lanes,
                            uint64_t differ);
/** @} */

/** All of registers and local memory has a value: it does not differ, until something makes it. */
void lull_twin_know(struct lull_twin *t, bool local);

/** May it? */
bool lull_twin_dirty(const struct lull_twin *t, unsigned reg);

/** Find out anew whether it does. */
void lull_twin_look(struct lull_twin *t, unsigned reg);

/** From now on @p bits of register @p reg differ from the wave's in @p lanes; of a scalar 1. */
void lull_twin_change(struct lull_twin *t, unsigned reg, uint64_t lanes, uint32_t bits);

/** Take the wave's value in @p lanes. */
void lull_twin_copy(struct lull_twin *t, unsigned reg, uint64_t lanes);

#endif
