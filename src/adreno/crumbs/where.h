// SPDX-License-Identifier: MIT
/** @file
 * Which packet of a capture a crumb stands at.
 *
 * Three kinds of numbers. The driver's are in the stream, as Turnip puts them there: CP_MEM_WRITE
 * of the number, and CP_WAIT_REG_MEM until the same number comes back. lull's are in the stream,
 * too, as add.h has put them there. By position they are made here, and do not depend on how the
 * stream was recorded: the draws, dispatches and blits of a stream in the order in which the GPU
 * first comes to each packet, from 0, and on from stream to stream; packet i has crumb 2i+1 before
 * it and 2i+2 after it.
 *
 * Source of the driver's: Mesa 25.0.7 src/freedreno/vulkan/tu_cs_breadcrumbs.cc.
 */
#ifndef LULL_ADRENO_CRUMBS_WHERE_H
#define LULL_ADRENO_CRUMBS_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/stream.h"

/** Whose number it is. */
enum lull_crumb_by { LULL_CRUMB_BY_POSITION, LULL_CRUMB_BY_DRIVER, LULL_CRUMB_BY_LULL };

struct lull_crumb_place {
    uint32_t number;
    enum lull_crumb_by by;
    bool after;        ///< Behind the packet; else in front of it.
    uint64_t stream;   ///< From 0, in the capture.
    uint64_t crumb;    ///< Address of the driver's CP_MEM_WRITE, or lull's CP_NOP; else 0.
    uint64_t was;      ///< Where the packet was before lull's were added; 0: not known.
    uint64_t packet;   ///< Address of the draw, dispatch or blit, or lull's packet; 0: none comes.
    const char *name;  ///< Of that packet: "CP_DRAW_INDX_OFFSET"; NULL: it writes registers.
    uint32_t position; ///< Of that packet in its stream, from 0; of lull's: in the capture.
    uint32_t times;    ///< How often the GPU comes to it.
};

struct lull_crumb_places {
    struct lull_crumb_place *at;
    size_t n, room;
};

/** All crumbs of the capture @p s. To be freed also after an error, when it has those before it. */
struct lull_error *lull_crumbs_where(struct lull_stream *s,
                                     struct lull_crumb_places *ret) LULL_MUST_USE;
void lull_crumb_places_free(struct lull_crumb_places *p);

#endif
