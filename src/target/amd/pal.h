// SPDX-License-Identifier: MIT
/** @file
 * Launching PAL pipelines that compute or draw: what a driver writes for a pipeline layout.
 *
 * The root table with push constants, dynamic descriptors and pointers to descriptor tables; from
 * it the user SGPRs by the pipeline's metadata, and the spill table. Strict, to find wrong
 * pipelines: what a pipeline's metadata do not ask for is not there. Dwords of the spill table
 * below the spill threshold and from the user-data limit on hold LULL_PAL_POISON.
 *
 * Source: PAL inc/core/palPipelineAbi.h; LLPC at b29aa1cd5, PipelineState.cpp.
 */
#ifndef LULL_TARGET_AMD_PAL_H
#define LULL_TARGET_AMD_PAL_H

#include "image/pal.h"
#include "link/layout.h"
#include "target/amd/device.h"
#include "target/amd/draw.h"

#define LULL_PAL_POISON UINT32_C(0xdeadbeef)

enum lull_pal_descriptor {
    LULL_PAL_BUFFER, ///< 4 dwords. Where the layout says compact, the address out of it.
    LULL_PAL_TEXELS, ///< 4 dwords.
    LULL_PAL_IMAGE,  ///< 8 dwords, and 4 of a sampler for combined textures.
    LULL_PAL_SAMPLER,
};

/** One element of a binding. */
struct lull_pal_binding {
    uint32_t set, binding, element;
    enum lull_pal_descriptor kind;
    uint32_t words[8]; ///< Of a sampler the first four.
    uint32_t sampler[4];
};

struct lull_pal_launch {
    const struct lull_pal *pipeline; ///< Of the kind that is prepared.
    const struct lull_layout *layout;
    const struct lull_pal_binding *bindings; ///< What is not there stays zero.
    size_t nbindings;
    const uint8_t *push;
    size_t push_bytes;
    uint32_t groups[3];
    uint32_t block[3]; ///< If the pipeline does not say it; else 0.
};

enum { LULL_PAL_VERTEX_BUFFERS = 32 };

/** What a draw is given besides a struct lull_pal_launch, whose groups and block do not count. */
struct lull_pal_drawing {
    uint32_t groups[3]; ///< Of a mesh, none 0; 0,0,0: it is not a mesh.
    uint32_t first_vertex, first_instance;
    /** Four dwords each, all zeros where there is none. */
    uint32_t vertex_buffers[LULL_PAL_VERTEX_BUFFERS][4];
    uint64_t attribute_ring, attribute_ring_bytes; ///< 64 KiB aligned.
    bool patches;                                  ///< Vertices make patches.
    /** Of patches: memory of levels, and of what hull shaders put out; 64 KiB aligned. */
    uint64_t levels, levels_bytes, off_chip, off_chip_bytes;
};

/** Memory of a pipeline, made before its resources: all of it lies in one 4 GiB. */
struct lull_pal_placed {
    struct lull_amd_bo *code, *tables;
};

/** Bytes of the buffer `tables`. */
uint64_t lull_pal_tables_bytes(const struct lull_layout *layout);

/** Load the pipeline's code and make room for the tables. */
struct lull_error *lull_pal_place(struct lull_amd_device *d, const struct lull_pal *pipeline,
                                  const struct lull_layout *layout,
                                  struct lull_pal_placed *ret) LULL_MUST_USE;

/**
 * Write tables and user data.
 *
 * @return LULL_ERR_INVALID for a binding that the layout does not have, or has as something else,
 * for push constants that do not fit, or too many work-items; LULL_ERR_BAD_DATA for a pipeline
 *         whose user data and layout do not go together; LULL_ERR_UNSUPPORTED for user data that
 *         compute shaders do not have.
 */
struct lull_error *lull_pal_prepare(const struct lull_pal_launch *launch,
                                    const struct lull_pal_placed *placed,
                                    struct lull_amd_dispatch *ret) LULL_MUST_USE;

/**
 * Write tables, user data and the registers that the pipeline has into @p ret, whose other
 * registers, counts and indices are the caller's.
 *
 * @return As lull_pal_prepare(); LULL_ERR_BAD_DATA also for a register that a draw needs and the
 *         pipeline does not have, and for parameters that a pixel shader reads and nobody writes.
 */
struct lull_error *lull_pal_prepare_draw(const struct lull_pal_launch *launch,
                                         const struct lull_pal_placed *placed,
                                         const struct lull_pal_drawing *drawing,
                                         struct lull_amd_draw *ret) LULL_MUST_USE;

#endif
