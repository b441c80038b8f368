// SPDX-License-Identifier: MIT
/** @file
 * What a dispatch gives its shader: descriptors, push constants, the grid, in user SGPRs and behind
 * them.
 *
 * Found by following the shader's own scalar loads from its user SGPRs, with the values that memory
 * has now; no layout of a driver is assumed. Loads whose address depends on the lane or on computed
 * values are listed as indexed at run time. What RADV puts where: facts of Mesa 22.3.6
 * radv_shader_args.c.
 */
#ifndef LULL_DEBUG_RDNA_DESCRIPTORS_H
#define LULL_DEBUG_RDNA_DESCRIPTORS_H

#include <stdbool.h>

#include "target/target.h"

enum lull_desc_kind {
    LULL_DESC_BUFFER,
    LULL_DESC_IMAGE,
    LULL_DESC_SAMPLER,
};

enum {
    LULL_MAX_DESCRIPTORS = 128,
    LULL_MAX_CONSTANTS = 128,
    LULL_USER_SGPRS = 16,
    LULL_MAX_FETCHES = 128
};

/** A descriptor that the shader loads. */
struct lull_desc {
    enum lull_desc_kind kind;
    uint64_t va;     ///< Where it lies; 0: the shader made it in registers.
    uint64_t set_va; ///< The memory it was loaded from: a descriptor set.
    uint32_t offset; ///< va - set_va, bytes.
    int8_t user;     ///< User SGPR that points to the set; -1: not known.
    int16_t through; ///< The set's place in an array of pointers that the SGPR points to; -1: none.
    bool indexed;    ///< At run time: dword is not known, offset is that of element 0.
    bool reads, writes;
    uint64_t pc; ///< First instruction that uses it.
    uint32_t dword[8];
};

/** A dword that the shader reads through a pointer of user SGPRs, other than descriptors. */
struct lull_constant {
    int8_t user;
    uint32_t offset; ///< Bytes from what the SGPR points to.
    uint32_t value;
};

/** A load from a structured buffer by an index in a VGPR: an element of a vertex, where it is one.
 */
struct lull_fetch {
    uint32_t dword[4]; ///< The buffer's descriptor,
    uint32_t table;    ///< which stands so many bytes behind what its user SGPR points to.
    int input;         ///< The index is the value that this VGPR has at the start; -1: another.
    uint32_t add;      ///< And this.
    uint32_t offset;   ///< Bytes into the structure.
    uint8_t format;    ///< Unified format number; 0: dwords as they are.
    uint8_t loads;     ///< Dwords, or components by the format.
    uint64_t pc;
};

struct lull_bindings {
    struct lull_desc desc[LULL_MAX_DESCRIPTORS];
    unsigned ndescs;
    struct lull_fetch fetch[LULL_MAX_FETCHES]; ///< In the order of the code.
    unsigned nfetches;
    struct lull_constant constant[LULL_MAX_CONSTANTS];
    unsigned nconstants;
    unsigned nuser;    ///< User SGPRs of the dispatch.
    uint32_t pointers; ///< User SGPRs that are used as low half of an address, a bit each.
    int grid;          ///< First of three user SGPRs that hold the number of workgroups; -1: none.
};

/** Follow the code of @p dispatch, so many bytes. Large: allocate it. */
struct lull_error *lull_bindings_find(struct lull_target *t,
                                      const struct lull_dispatch_info *dispatch,
                                      uint32_t code_bytes, struct lull_bindings *ret) LULL_MUST_USE;
/** Base address and size in bytes of a buffer's descriptor. */
uint64_t lull_desc_buffer(const struct lull_desc *desc, uint64_t *ret_size);

#endif
