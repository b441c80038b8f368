// SPDX-License-Identifier: MIT
/** @file
 * Checks that code keeps the rules which the hardware leaves to it. An observer of the model, where
 * all results arrive at once, so wrong code computes the same there as right code.
 *
 * Here is what every vendor has: waves, findings, local memory out of range. The rules are a
 * vendor's: rdna/rdna.h.
 */
#ifndef LULL_CHECK_HAZARDS_H
#define LULL_CHECK_HAZARDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
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
    LULL_HAZARD_EARLY,     ///< Reads a register before its slots are over.
    LULL_HAZARD_LATE_READ, ///< Writes a register that an instruction before may still read.
    LULL_HAZARD_JOIN,      ///< Lanes meet where they may not.
    LULL_HAZARD_KINDS,
};

/** What was found at one instruction, of one kind. */
struct lull_hazard {
    enum lull_hazard_kind kind;
    uint64_t pc;
    uint32_t vmid;
    const struct lull_arch *arch;
    const char *mnemonic;
    char *insn;       ///< Text of the instruction; NULL: no memory for it.
    uint16_t reg;     ///< The register by the arch's number; LULL_HAZARD_NO_REG: none.
    uint64_t cause;   ///< PC of the load, or of what came before; 0: none.
    char *cause_insn; ///< Its text; NULL: not known.
    /** What is missing, if the kind alone does not say: "(ss)"; NULL with slots: so many. */
    const char *missing;
    uint32_t slots;
    uint64_t address;  ///< LDS_RANGE: the first lane's, in bytes.
    uint32_t limit;    ///< LDS_RANGE: bytes of the workgroup.
    uint64_t lanes[2]; ///< Active lanes, or those out of range; all times together.
    uint64_t count;    ///< Times; LDS_RANGE: lanes.
    uint32_t group[3]; ///< Workgroup of the first time.
    uint32_t place;    ///< lull_observed.place of its wave.
};

enum { LULL_HAZARD_NO_REG = 0xffff };

struct lull_checks;
struct lull_hazards;

/** An instruction at hand: what a vendor's rules are given. */
struct lull_hazard_now {
    struct lull_hazards *h;
    const struct lull_observed *at;
    void *state;      ///< What the rules keep of the wave.
    const void *plan; ///< What plan() wrote.
};

/** A vendor's rules. */
struct lull_hazard_rules {
    const struct lull_arch *arch;
    size_t state_bytes;         ///< Of what is kept for each wave; zero when it starts.
    void (*clear)(void *state); ///< Make it zero again; NULL: all its bytes are set.
    size_t plan_bytes;          ///< Of what is kept of an instruction.
    /** Look at an instruction that was not seen before. NULL: there is nothing to keep. */
    void (*plan)(const struct lull_observed *at, void *plan);
    /** Look at the instruction, and remember what later ones depend on. */
    void (*before)(const struct lull_hazard_now *n);
    /** @{ As in struct lull_check_module; all or none of them is there. */
    bool (*stands)(const void *plan);
    size_t (*sum_bytes)(void);
    void (*sum)(const void *const *plans, const uint64_t *pcs, unsigned n, void *ret);
    bool (*calm)(void *state, const void *sum);
    void (*passed)(void *state, const void *sum);
    /** @} */
    /** What is wrong, by kind; %R is the register, %C the cause, its text and address, %M what is
     * missing. */
    const char *const *sentences;
    bool by_lane;  ///< The model tells of memory lane by lane: access(); else memory().
    bool numbered; ///< lull_observed.place is the wave's number in its group; else it is HW_ID1.
};

/**
 * A finding. @p reg LULL_HAZARD_NO_REG: none; @p cause PC of what came before; 0: none.
 *
 * @return It, whose count is 1 if it is new; NULL: it was lost.
 */
struct lull_hazard *lull_hazard_found(const struct lull_hazard_now *n, enum lull_hazard_kind kind,
                                      unsigned reg, uint64_t cause);

/** @p rules live as long as the checks. */
struct lull_error *lull_hazards_new(const struct lull_hazard_rules *rules,
                                    struct lull_hazards **ret) LULL_MUST_USE;
void lull_hazards_free(struct lull_hazards *h);

/** As lull_checks_stop(): src/check/checks.h. */
void lull_hazards_stop(struct lull_hazards *h);

/** As lull_checks_again(): src/check/checks.h. */
void lull_hazards_again(struct lull_hazards *h, bool begins);

/** For lull_gpu_observe(); lives as long as @p h. */
struct lull_observer *lull_hazards_observer(struct lull_hazards *h);

/**
 * Instead: as one of the checks @p c, which know the waves and instructions of both. For rules that
 * have plans and are not told by lane. @p h lives as long as @p c.
 */
struct lull_error *lull_hazards_join(struct lull_hazards *h, struct lull_checks *c) LULL_MUST_USE;

/** @{ What was found, in order of first time. */
size_t lull_hazards_count(const struct lull_hazards *h);
const struct lull_hazard *lull_hazards_at(const struct lull_hazards *h, size_t i);
/** @} */

/** Findings that were lost because memory was short, or there were too many; 0: none. */
uint64_t lull_hazards_lost(const struct lull_hazards *h);

/** "wait-read" and so on. */
const char *lull_hazard_name(enum lull_hazard_kind kind);

/** lull_hazard.place is the number of a wave in its group; else it is HW_ID1. */
bool lull_hazards_numbered(const struct lull_hazards *h);

/** What is wrong, in words: "reads v5, which the load at 0x... has yet to write: vmcnt". */
void lull_hazard_text(const struct lull_hazards *all, const struct lull_hazard *h,
                      struct lull_str *out);

#endif
