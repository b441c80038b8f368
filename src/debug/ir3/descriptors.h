// SPDX-License-Identifier: MIT
/** @file
 * Descriptors that a shader of an Adreno uses: which instructions name them, and what they hold.
 *
 * Bindless ones lie in sets (SP_CS_BINDLESS_BASE), others in tables of the stage, UBOs' in the GPU.
 * Source: Mesa isa/ir3-cat5.xml, ir3-cat6.xml, vulkan/tu_descriptor_set.cc.
 */
#ifndef LULL_DEBUG_IR3_DESCRIPTORS_H
#define LULL_DEBUG_IR3_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "target/target.h"

enum lull_ir3_desc_kind {
    LULL_IR3_DESC_UBO,
    LULL_IR3_DESC_STORAGE, ///< Buffers and images that may be written (IBO).
    LULL_IR3_DESC_TEXTURE,
    LULL_IR3_DESC_SAMPLER,
};

enum { LULL_IR3_DESC_DWORDS = 16, LULL_IR3_MAX_DESCS = 256 };

struct lull_ir3_desc {
    enum lull_ir3_desc_kind kind;
    bool bindless, reads, writes;
    bool known;     ///< index is said by the instruction; else a register has it at run time.
    uint8_t set;    ///< If bindless.
    uint32_t index; ///< In its set or table.
    uint64_t pc;    ///< Of the first instruction that uses it.
    uint64_t va;    ///< Where the descriptor lies; 0: in the GPU, or not known.
    bool there;     ///< word[] has what it holds.
    uint32_t word[LULL_IR3_DESC_DWORDS];
    unsigned ndwords;
    bool is_buffer;    ///< UBO or another:
    uint64_t buffer;   ///< its address,
    uint64_t elements; ///< vec4s of a UBO, else elements of its format,
    uint64_t bytes;    ///< all of them; 0: a format that is not known.
};

/** Those that the instructions at @p code name, which are of @p of, in order of the first use; at
 * most LULL_IR3_MAX_DESCS into @p ret. */
struct lull_error *lull_ir3_descs(struct lull_target *t, uint64_t code,
                                  const struct lull_adreno_dispatch *of, struct lull_ir3_desc *ret,
                                  unsigned *ret_n) LULL_MUST_USE;

/** What descriptor @p d, whose kind, set and index are known, holds: `there`, or not. */
struct lull_error *lull_ir3_desc_load(struct lull_target *t, const struct lull_adreno_dispatch *of,
                                      struct lull_ir3_desc *d) LULL_MUST_USE;

/** Fields of what it holds, by their names in the register tables, those that are 0 left out. */
void lull_ir3_desc_show(const struct lull_target *t, const struct lull_ir3_desc *d,
                        struct lull_str *out);

#endif
