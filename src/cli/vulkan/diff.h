// SPDX-License-Identifier: MIT
/** @file
 * What `lull diff` of a shader and of a scene have in common: `lull run` on two devices.
 */
#ifndef LULL_CLI_DIFF_H
#define LULL_CLI_DIFF_H

#include "cli/vulkan/vk_options.h"

enum { LULL_DIFF_TEXT = 128 };

/** Both runs. */
struct lull_diff {
    const struct lull_form *form;
    int argc; ///< Of the command line; borrowed.
    char **argv;
    struct lull_vk_options o;
    const char *against; ///< The other device.
    const char *out;     ///< Folder for pictures; NULL: none.
    bool draws;          ///< It is a scene.
    bool listing;        ///< With the code of both sides.
    /** The second is what results are compared with: a Vulkan device, or a GPU of lull's. "":
     * lull's gfx1100. */
    char device[2][LULL_DIFF_TEXT];
    char *dir[2]; ///< Where results are; owned.
};

/** Rows for struct lull_diff: the devices. */
extern const struct lull_opt lull_diff_opts[];

/** Take --against apart: DEVICE or DEVICE:TOLERANCE. */
struct lull_error *lull_diff_devices(struct lull_diff *d) LULL_MUST_USE;

/**
 * `lull run` on device @p which in a process of its own, results into d->dir[which]: a driver that
 * crashes shall not take the comparison along.
 *
 * @param more Further words, ended by NULL; NULL: none.
 */
struct lull_error *lull_diff_run(struct lull_diff *d, int which, const char *const *more,
                                 int *status) LULL_MUST_USE;

/** Append the code that the driver of device @p which made of the shader. Needs d->dir[which]. */
struct lull_error *lull_diff_listing(struct lull_diff *d, int which,
                                     struct lull_str *ret) LULL_MUST_USE;

/** Remove the folders, and all that the options own. */
void lull_diff_done(struct lull_diff *d);

/** `lull diff` of a scene. */
extern const struct lull_form lull_scene_diff_form;

#endif
