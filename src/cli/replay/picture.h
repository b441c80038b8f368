// SPDX-License-Identifier: MIT
/** @file
 * Images in the memory of a replay as PNG: by a description, or the targets of the last draws as
 * the registers of the stream have them.
 */
#ifndef LULL_CLI_REPLAY_PICTURE_H
#define LULL_CLI_REPLAY_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/replay/session.h"

/** Numbers of targets. */
enum {
    LULL_REPLAY_COLOURS = 8, ///< Below it: colours.
    LULL_REPLAY_DEPTH = LULL_REPLAY_COLOURS,
    LULL_REPLAY_STENCIL,
    LULL_REPLAY_TARGETS,
};

struct lull_replay_picture {
    unsigned target; ///< LULL_REPLAY_DEPTH, LULL_REPLAY_STENCIL; all else is a picture of colours.
    uint64_t address;
    unsigned format, swap; ///< enum a6xx_format, a3xx_color_swap
    bool tiled;            ///< TILE6_3, else linear; depth and stencil of a6xx are always tiled.
    unsigned samples;      ///< Base 2 logarithm.
    uint32_t width, height;
    uint32_t pitch; ///< Bytes of a row; 0: as many as the row has, up to the next 64.
};

/** ADDR,FORMAT,WxH[,PITCH][,tiled] up to the '='. LULL_ERR_INVALID names @p option. @p ret_file:
 * what is behind it. */
struct lull_error *lull_replay_picture_parse(const char *option, const char *text,
                                             struct lull_replay_picture *ret,
                                             const char **ret_file) LULL_MUST_USE;

/** Write @p p as PNG: what the texels store, without conversion from sRGB; samples of a pixel as
 * their mean, integers by their lowest 8 bits. Depth as 16 bits of grey from 0 to 1, stencil as 8
 * bits, of the first sample. */
struct lull_error *lull_replay_picture_write(const struct lull_replay_picture *p,
                                             const struct lull_replay *r,
                                             const char *file) LULL_MUST_USE;

/** Colour targets of the last draw that writes any, depth and stencil of the last draws that test
 * them. Zero-initialise. */
struct lull_replay_targets {
    bool any[LULL_REPLAY_TARGETS];
    struct lull_replay_picture all[LULL_REPLAY_TARGETS];
};

/** For lull_rp_walk_submit(): @p ctx is a struct lull_replay_targets. */
void lull_replay_targets_see(void *ctx, struct lull_astream *s, const struct lull_as_event *e);
/** target0.png ..., target-depth.png and target-stencil.png into folder @p dir, which is made if it
 * is not there. LULL_ERR_NOT_FOUND: there was no draw. */
struct lull_error *lull_replay_targets_write(const struct lull_replay_targets *t,
                                             const struct lull_replay *r,
                                             const char *dir) LULL_MUST_USE;

#endif
