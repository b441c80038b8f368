// SPDX-License-Identifier: MIT
/** @file
 * What differs between vendors in the code of a region: where registers stand, what operands are,
 * and who does a strip again. All else of a region (the window, templates, masks, strips) knows no
 * vendor.
 *
 * Code is called with rdi, kept in r12, at what the vendor says: a wave, or some lanes of one.
 */
#ifndef LULL_JIT_VENDOR_H
#define LULL_JIT_VENDOR_H

#include "jit/encode.h"

struct lull_jit_region;
struct lull_jit_vector;

/** A source: LULL_JIT_VGPR and LULL_JIT_SGPR with the key of the window, or LULL_JIT_CONST, whose
 * key is the dword itself. */
struct lull_jit_operand {
    uint8_t kind; ///< enum lull_jit_kind.
    uint32_t key;
};

struct lull_jit_vendor {
    int32_t exec;      ///< The mask of lanes that are on, in bytes from rdi on.
    int32_t registers; ///< The address of lane 0 of VGPR 0, from there on, too.
    uint32_t stride;   ///< Bytes from one VGPR to the next; 0: as many as the lanes of a region.
    /** Dword @p part of source @p n. */
    struct lull_jit_operand (*operand)(const struct lull_jit_vector *v, unsigned n, unsigned part);
    /** A dword that is the same for all lanes; bits of this strip of a mask, from rdi on. */
    struct lull_x86_mem (*uniform)(uint32_t key);
    struct lull_x86_mem (*mask)(uint32_t key);
    /** Registers that code of the vendor needs besides, before strips and behind calls; or NULL. */
    void (*enter)(struct lull_x86 *x);
    /** The strip of region @p r that begins with lane @p first, by the interpreter; its part of
     * masks into r->area. @p at: rdi. */
    void (*redo)(void *at, const struct lull_jit_region *r, unsigned first);
};

extern const struct lull_jit_vendor lull_jit_rdna, lull_jit_ir3;

#endif
