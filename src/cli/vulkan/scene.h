// SPDX-License-Identifier: MIT
/** @file
 * Scenes on the command line: `lull run` and `lull diff` of them.
 */
#ifndef LULL_CLI_SCENE_H
#define LULL_CLI_SCENE_H

#include "cli/vulkan/vk_check.h"
#include "cli/vulkan/vk_options.h"
#include "scene/scene.h"

/** Does the command line name a scene (.scene)? @p form knows all its options. */
bool lull_scene_is(const struct lull_form *form, int argc, char **argv);

/** `lull run` of a scene, and rows that only it has. */
extern const struct lull_form lull_scene_form;
extern const struct lull_opt lull_scene_opts[];

/** One result as channels of numbers; "queries" and buffers are none. */
struct lull_picture {
    const char *format; ///< As scenes write it.
    uint32_t width, height, layers;
    unsigned bytes, n;          ///< Of a texel; channels.
    char letter[4];             ///< 'r', 'g', 'b', 'a'; 'd' depth, 's' stencil.
    unsigned bits[4], shift[4]; ///< In the texel's bytes, little-endian.
    const struct lull_type *type[4];
    bool srgb, whole, is_signed; ///< whole: as they are, not normalised.
};

/** How the result @p name of @p s is read; false: not a picture. */
bool lull_picture_of(const struct lull_scene *s, const char *name, struct lull_picture *ret);

/** Where two pictures are different. */
struct lull_picture_difference {
    size_t pixels, count; ///< Compared; different.
    uint32_t x, y, layer; ///< The first pixel that is.
    char channel;
    const struct lull_type *type;
    char got[32], want[32]; ///< Its values there.
    double max_error;
};

/** Compare two results of @p p; bytes are enough for it. */
void lull_picture_compare(const struct lull_picture *p, const struct lull_tolerance *t,
                          const uint8_t *got, const uint8_t *want,
                          struct lull_picture_difference *ret);

/** A picture as PNG, layers below each other: colours as they are, other numbers as grey. */
struct lull_error *lull_picture_png(const struct lull_picture *p, const uint8_t *bytes,
                                    const char *path) LULL_MUST_USE;

/** How far apart two are, as PNG: for each channel, the largest distance is the brightest. */
struct lull_error *lull_picture_difference_png(const struct lull_picture *p, const uint8_t *got,
                                               const uint8_t *want, const char *path) LULL_MUST_USE;

#endif
