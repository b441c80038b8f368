// SPDX-License-Identifier: MIT
/** @file
 * Shaders of programs at source level: lull compiles a held dispatch's SPIR-V itself, with debug
 * information, and the dispatch runs that code on the same descriptors and push constants.
 *
 * What the program made (layouts, modules, specialization constants) is told by
 * VK_LAYER_LULL_names, and where its driver has put descriptors is found in the driver's code
 * (debug/rdna/descriptors.h). lull's code has tables of its own, with copies of the descriptors.
 * The dispatch starts it through the target's redirect().
 */
#ifndef LULL_DEBUG_SOURCE_SOURCE_H
#define LULL_DEBUG_SOURCE_SOURCE_H

#include "base/error.h"
#include "base/str.h"
#include "debug/session/debug.h"

enum { LULL_SOURCE_LEVELS = 5 };
/** Of each level its letter behind -O: 0 to 3, g. */
extern const char lull_source_level[LULL_SOURCE_LEVELS];

struct lull_source_options {
    unsigned level;  ///< lull cc's -O: of which letter.
    uint64_t ulps;   ///< Floats so many units in the last place apart, at most, count as equal.
    double relative; ///< So do floats whose difference is so much of the greater one, at most.
};

/**
 * The held dispatch is to run lull's code. d->image is that code's from now on.
 *
 * @param[out] notes Lines for people, appended: what may make a difference.
 * @return LULL_ERR_NOT_FOUND: no dispatch is held, or what is needed of it is not known.
 *         LULL_ERR_UNSUPPORTED: something that it uses cannot be done; the compiler's own words if
 *         it was the compiler. The dispatch is as it was.
 */
struct lull_error *lull_source_on(struct lull_debug *d, const struct lull_source_options *o,
                                  struct lull_str *notes) LULL_MUST_USE;

/** The held dispatch is to run its own code. */
struct lull_error *lull_source_off(struct lull_debug *d) LULL_MUST_USE;

/** What lull_source_compare() found. */
struct lull_source_result {
    bool equal;
    uint64_t wrote;    ///< Bytes that either of them changed,
    unsigned nbuffers; ///< in so many buffers.
    uint64_t ndiffer;  ///< Bytes that differ, without those of floats within the tolerance.
    uint64_t nnear;    ///< Floats that differ within the tolerance.
    uint64_t nvalues;  ///< Dwords that differ beyond it;
    uint64_t nfloats;  ///< so many of them are floats in both, normal numbers or 0,
    uint64_t ulps;     ///< so many units in the last place apart at most.
    uint64_t va;       ///< The first dword that differs, and its values.
    uint32_t before, driver, lull;
};

/**
 * Run the held dispatch twice, with lull's code and with its own, on the same memory.
 *
 * Memory is all that is mapped for writing in its address space. Afterwards the dispatch is held
 * again, and memory is as it was. A tolerance is for floats of 32 bits: dwords that are normal
 * numbers or 0 in both, so that small integers are never near each other.
 *
 * @return As lull_source_on(). LULL_ERR_FAULT: one of the two runs did not come to its end; its
 *         waves stand then.
 */
struct lull_error *lull_source_compare(struct lull_debug *d, const struct lull_source_options *o,
                                       struct lull_str *notes,
                                       struct lull_source_result *ret) LULL_MUST_USE;

#endif
