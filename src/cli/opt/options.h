// SPDX-License-Identifier: MIT
/** @file
 * What `lull run` and `lull debug` take alike: program, grid, device, arguments.
 */
#ifndef LULL_CLI_OPTIONS_H
#define LULL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/opt/args.h"
#include "cli/opt/engine.h"
#include "cli/opt/opt.h"
#include "cli/opt/printf_host.h"
#include "compile/compile.h"
#include "drm/core/kernel.h"
#include "image/image.h"
#include "target/amd/launch.h"

struct lull_order;

struct lull_options {
    const char *path;              ///< The program.
    const char *kernel;            ///< NULL: the only one.
    const char *device;            ///< NULL: the model; else /dev/dri/renderD*.
    uint32_t grid[3], block[3];    ///< Work-items; 0: not given.
    unsigned opt_level, wave_size; ///< wave_size 0: not given.
    uint64_t seed;
    const char *schedule;     ///< A file, explore/schedule.h; NULL: not given.
    struct lull_order *order; ///< Of the schedule, when connected; NULL: none. Owned.
    uint64_t timeout_ms;
    struct lull_engine_option engine; ///< Of the model.
    bool json;
    unsigned marks; ///< What OpenCL C is to say of itself, for --check: LULL_COMPILE_*.
    struct lull_printf_host printf;
    struct lull_args args;
    struct lull_files files; ///< That are read and written; of lull_options_files().
};

/** Rows for struct lull_options: those that mean something for whatever runs, and for kernels. */
extern const struct lull_opt lull_options_opts[], lull_options_kernel_opts[];

/** The row of --schedule, for those that run a kernel once. */
extern const struct lull_opt lull_schedule_opts[];
/** Does the file begin as one that lull explore saved? */
bool lull_schedule_is(const char *path);

/** When all options are read: LULL_ERR_INVALID if a file that is read would be written, too. */
struct lull_error *lull_options_files(struct lull_options *o) LULL_MUST_USE;

void lull_options_done(struct lull_options *o);

/** "X", "X,Y" or "X,Y,Z"; what is not given is 1. Each 1 to 2^32 - 1. */
struct lull_error *lull_options_triple(const char *what, const char *text,
                                       uint32_t ret[3]) LULL_MUST_USE;

/** The kernel that @p o->device stands for, and the path to open on it. */
struct lull_error *lull_options_connect(struct lull_options *o, struct lull_kernel **ret_k,
                                        const char **ret_path, unsigned *ret_dri) LULL_MUST_USE;

/** A program, compiled and read. Zero-initialise; lull_program_done() at the end. */
struct lull_program {
    struct lull_compiled compiled;
    struct lull_image *image;
    const struct lull_kernel_info *kernel;
};

/**
 * Compile @p o->path, read it, choose the kernel, complete grid and block. Warnings of the
 * compiler go to stderr.
 */
struct lull_error *lull_program_load(struct lull_options *o,
                                     struct lull_program *ret) LULL_MUST_USE;
void lull_program_done(struct lull_program *p);

#endif
