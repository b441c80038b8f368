// SPDX-License-Identifier: MIT
/** @file
 * Inside the image instructions (MIMG): operands, texels, filtering.
 *
 * img.c takes the instruction apart and moves texels (img_fast.c does so quickly), img_texel.c
 * finds and converts them, img_sample.c computes levels of detail and samples, img_filter.c chooses
 * and weighs texels.
 *
 * Where hardware's documents leave it open, or say less than is needed:
 * - The type in the descriptor decides how coordinates are used; DIM of the instruction only which
 *   address registers hold them. A coordinate that DIM does not have is 0.
 * - Texels outside the view (coordinates, slice, level, sample) load as 0 in all components of the
 *   format, to which DST_SEL is applied; stores and atomics leave them alone; atomics return 0.
 * - Nothing depends on MODE. Float arithmetic is done in double and rounded to single once.
 *   Loads keep denormals, samples flush them. Source: RDNA3 ISA guide 10.4.
 * - Texel coordinates have 8 bits of fraction: rounded to nearest, or with TRUNC_COORD and a point
 *   filter taken down to the texel. Gathers, linear filters and slices are never truncated
 *   (TA_CNTL2.TRUNCATE_COORD_MODE = 1). Source: Mesa ac_gpu_info.h.
 * - Levels of detail have 8 bits of fraction. The sampler's bias counts for _l and _lz, too, and
 *   so do its clamps, as Vulkan has it.
 * - A sample without a level takes the differences inside quads: lanes 4n+1 and 4n+2 against 4n,
 *   active or not.
 * - _cl raises the level to its operand (SPIR-V MinLod), whatever the guide's "no larger" says.
 * - Anisotropic filters take up to MAX_ANISO_RATIO samples along the longer gradient, as Vulkan's
 *   recommended algorithm; ANISO_THRESHOLD, ANISO_BIAS and LOD_BIAS_SEC are not looked at.
 * - Cube faces are seamless: a texel beyond an edge is the one next to it on the other face; of
 *   the three at a corner the average is taken, and a gather takes the nearest on its own face.
 * - Minimum and maximum filters leave out texels of weight 0.
 * - Comparison takes component X as it is in memory. The reference is clamped to 0..1 for
 *   normalised formats.
 * - TFE returns 0: all memory is resident. LWE does nothing. A load or sample with DMASK 0 fetches
 *   nothing: the first VGPR gets 0, TFE's dword stays. Source: RDNA3 ISA guide 10.1, "DMASK".
 * - A store with DMASK 0 writes 0 to all components.
 */
#ifndef LULL_MODEL_AMD_IMG_H
#define LULL_MODEL_AMD_IMG_H

#include "model/amd/mem/mem.h"
#include "model/amd/mem/meta.h"
#include "model/sample/level.h"
#include "tex/descriptor.h"
#include "tex/tiling.h"

enum {
    LULL_IMG_LEVELS = 16,
    LULL_IMG_ADDRS = 13, ///< Most address registers.
    LULL_IMG_NONE = 0xff,
    LULL_IMG_ONE = LULL_SAMPLE_ONE,
};

/** Which address register (an index into lull_img.addr) holds what; LULL_IMG_NONE: not there. */
struct lull_img_places {
    uint8_t offset, bias, compare, grad, body;
    uint8_t ncoords; ///< Components of the body before the level.
    uint8_t ngrads;  ///< Coordinates that can have gradients, without slice and sample: 1 to 3.
    bool g16;
};

struct lull_img;
struct lull_img_rows;
struct lull_img_texel;
struct lull_img_touched;

/** How an image is accessed: one of these for plain waves, one for those that are watched. */
struct lull_img_ways {
    /** The common case of a load or store. False: nothing done, go texel by texel.
     * Same results; refused lanes are noted in lull_img.refused. */
    bool (*load)(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows);
    bool (*store)(struct lull_img *g, uint64_t mask);
    /** Bytes between @p buf and the texel at @p va. False: refused, and noted. */
    bool (*move)(struct lull_img *g, unsigned lane, uint64_t va, uint8_t *buf, bool store);
    enum lull_exec_result (*rmw)(struct lull_img *g, const struct lull_mem_op *op,
                                 const struct lull_places *p, const struct lull_mem_regs *r);
    void (*end)(struct lull_img *g); ///< NULL: nothing to do.
    /** @p lane is about to access texel @p t, without a sampler; NULL: nobody asks. */
    void (*at)(const struct lull_img *g, unsigned lane, const struct lull_img_texel *t);
};

/** One MIMG instruction on its way: made once, then used for all lanes. */
struct lull_img {
    struct lull_wave *w;
    const struct lull_rdna_insn *in;
    const struct lull_mem_op *op;
    const struct lull_img_ways *ways;
    struct lull_img_touched *touched; ///< Of a wave that is watched.
    struct lull_image_desc desc;
    struct lull_sampler_desc sampler;
    struct lull_format_info format; ///< The descriptor's, with the sampler's wishes about sRGB.
    struct lull_img_places at;
    uint16_t addr[LULL_IMG_ADDRS]; ///< VGPR numbers.
    bool null;                     ///< Loads give 0, stores do nothing.
    bool unknown; ///< Metadata of a texel is something that the model does not know.
    bool cube;
    uint8_t dims;       ///< Coordinates without slice: 1 to 3.
    int32_t levels;     ///< Of the view.
    uint32_t slices;    ///< Of the view; 1 if not an array. Cubes: faces.
    uint32_t border[4]; ///< As unpacked texels.
    uint32_t level_known;
    int8_t level_status[LULL_IMG_LEVELS]; ///< enum lull_tex_status.
    struct lull_tiling level[LULL_IMG_LEVELS];
    struct lull_extent extent[LULL_IMG_LEVELS]; ///< In texels.
    int32_t stepped;                            ///< Level that steps and meta are of; -1: none yet.
    struct lull_tiling_steps steps;             ///< For lull_tiling_step().
    struct lull_meta_image meta;                ///< Of compressed images.
    bool bytes;                                 ///< Texels are four UNORM bytes in order.
    struct lull_refused refused;
};

/** Coordinates of a texel: level counted from the view's base, z the slice from its first. */
struct lull_img_texel {
    int32_t x, y, z;
    int32_t level;
    uint32_t sample;
};

/** Values of all lanes: up to 4 components. */
struct lull_img_rows {
    uint32_t v[LULL_MEM_DWORDS][LULL_LANES];
};

/** An image instruction of @p w, by @p ways; @p touched: for them, or NULL. */
enum lull_exec_result lull_img_execute(struct lull_wave *w, const struct lull_rdna_insn *in,
                                       const struct lull_img_ways *ways,
                                       struct lull_img_touched *touched);

/** Address register @p index of @p lane. */
static inline uint32_t lull_img_addr(const struct lull_img *g, unsigned index, unsigned lane)
{
    return lull_vgpr(g->w, g->addr[index])[lane];
}

/** Component @p c of the body as bits: 16 if A16. */
static inline uint32_t lull_img_body(const struct lull_img *g, unsigned c, unsigned lane)
{
    if (g->in->a16) {
        return lull_img_addr(g, g->at.body + c / 2, lane) >> (c % 2 * 16) & UINT16_MAX;
    }
    return lull_img_addr(g, g->at.body + c, lane);
}

/** Whether the format stands for floats, as samples return them. */
static inline bool lull_img_is_float(const struct lull_img *g)
{
    return !lull_format_is_integer(&g->format);
}

/** Tiling of level @p level of the view; NULL: there is none. */
const struct lull_tiling *lull_img_level(struct lull_img *g, int32_t level);

/** Size of level @p level of the view in texels; NULL: there is none. */
const struct lull_extent *lull_img_extent(struct lull_img *g, int32_t level);

/** Virtual address of a texel (or its block), whose memory is then what it is. False: outside the
 * view, or refused and noted. */
bool lull_img_va(struct lull_img *g, const struct lull_img_texel *t, uint64_t *va);

/** Unpacked texel before DST_SEL; 0 outside the view and where memory is refused. */
void lull_img_fetch(struct lull_img *g, unsigned lane, const struct lull_img_texel *t,
                    uint32_t rgba[4]);

/** lull_img_ways.move of plain waves. */
bool lull_img_move(struct lull_img *g, unsigned lane, uint64_t va, uint8_t *buf, bool store);

/** img_fast.c: lull_img_ways.load and store of plain waves. */
bool lull_img_fast_load(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows);
bool lull_img_fast_store(struct lull_img *g, uint64_t mask);

/** Whether all components of the format are dwords (4) or UNORM bytes (1) in order; 0: neither. */
unsigned lull_img_component_bytes(const struct lull_format_info *f);

/** Fill in g->border. */
void lull_img_border(struct lull_img *g);

/** Values of the four components for all active lanes; for gathers those of the four texels. */
void lull_img_sample(struct lull_img *g, uint64_t mask, struct lull_img_rows *rows);

/** What one lane's texels are made of at one level. */
struct lull_img_point {
    float coord[3];    ///< As addressed: normalised or not, faces 1 to 2.
    int32_t slice;     ///< Of the view; cubes: 6 * layer + face.
    int32_t offset[3]; ///< Texels.
    float reference;   ///< For comparison.
    unsigned lane;
};

/** One filtered texel at @p level before DST_SEL, in double. @p linear: filter x, y (and z). */
void lull_img_filter(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool linear,
                     double rgba[4]);
/** One texel without filtering, as bits: for integer formats. */
void lull_img_point_bits(struct lull_img *g, const struct lull_img_point *p, int32_t level,
                         uint32_t rgba[4]);
/** The four texels of a gather: component as DMASK says. @p row: four side by side. */
void lull_img_gather(struct lull_img *g, const struct lull_img_point *p, int32_t level, bool row,
                     uint32_t ret[4]);

/** Weighted mean, minimum or maximum of @p n values by the sampler's FILTER_MODE. */
double lull_img_reduce(const struct lull_img *g, const double *v, const double *weight, unsigned n);

#endif
