// SPDX-License-Identifier: MIT
/** @file
 * What the command line says to `lull run` and `lull diff` of a Vulkan compute shader.
 */
#ifndef LULL_CLI_VK_OPTIONS_H
#define LULL_CLI_VK_OPTIONS_H

#include "cli/opt/assume.h"
#include "cli/opt/check.h"
#include "cli/opt/engine.h"
#include "cli/opt/opt.h"
#include "cli/vulkan/vk_args.h"
#include "cli/vulkan/vk_check.h"

/** PLACE=TEXT. */
struct lull_vk_pair {
    const char *place, *text;
};

enum { LULL_VK_MAX_LIST = 64 };

/** Zero-initialise, lull_vk_options_done() at the end. Texts are borrowed from argv. */
struct lull_vk_options {
    const char *path, *device; ///< device NULL: lull's own, or in diff the first of both.
    const char *gpu;           ///< Which of lull's own; NULL: gfx1100.
    struct lull_assume assume; ///< Of an Adreno.
    struct lull_engine_option engine;
    const char *name;        ///< Of the shader, in messages; if not given, path.
    const char *command[2];  ///< Words of the command for lull_vk_cli_self(); NULL: run.
    const char *out_dir;     ///< Every resource into a file PLACE.bin there.
    struct lull_check check; ///< On lull's own GPU.
    bool json;
    uint64_t seed;                         ///< Order of waves on lull's GPU.
    const char *schedule;                  ///< A file that lull explore made; NULL: not given.
    struct lull_order *order;              ///< By that, for lull_vk_cli_self(); NULL: none. The
                                           ///< caller's.
    const struct lull_vk_watcher *watcher; ///< Of lull_vk_cli_self(); NULL: nobody.
    struct lull_vk_case c;
    struct lull_vk_args args;
    const char *flags[LULL_VK_MAX_LIST]; ///< For the compiler.
    size_t nflags;
    struct lull_vk_pair outs[LULL_VK_MAX_LIST], expects[LULL_VK_MAX_LIST];
    size_t nouts, nexpects;
    struct lull_tolerance tolerances[LULL_VK_MAX_LIST];
    size_t ntolerances;
    uint8_t *spirv; ///< Owned.
    size_t spirv_bytes;
    struct lull_vk_module *module; ///< Owned.
    struct lull_arena arena;
};

/**
 * Rows for struct lull_vk_options: of all that runs on a device; what a dispatch works on; how a
 * Vulkan shader is compiled and dispatched, with the shader itself; where its results go; what they
 * should be; how they are compared.
 */
extern const struct lull_opt lull_vk_any_opts[], lull_vk_work_opts[], lull_vk_shader_opts[],
    lull_vk_result_opts[], lull_vk_expect_opts[], lull_vk_tolerance_opts[];

/** One PLACE=FILE of --out, for rows of others. */
struct lull_error *lull_vk_options_out(void *base, const struct lull_opt *o,
                                       const char *value) LULL_MUST_USE;

/** Compile and read the shader, complete @p o->c and check what the options say of it. */
struct lull_error *lull_vk_options_load(struct lull_vk_options *o) LULL_MUST_USE;

/** When all options are read: LULL_ERR_INVALID if a file that is read would be written, too. */
struct lull_error *lull_vk_options_files(struct lull_vk_options *o) LULL_MUST_USE;

/** How to compare the resource @p place. */
struct lull_tolerance lull_vk_options_tolerance(const struct lull_vk_options *o,
                                                const struct lull_vk_resource *r);
void lull_vk_options_done(struct lull_vk_options *o);

/** Does the command line name a Vulkan shader (.comp, .glsl, .spv), a Vulkan device or a GPU? @p
 * form knows all its options. */
bool lull_vk_is_shader(const struct lull_form *form, int argc, char **argv);

/** After a run: every --out and --out-dir. */
struct lull_error *lull_vk_cli_outs(const struct lull_vk_options *o) LULL_MUST_USE;

/** What a run gave, compared with every --expect and told; *status is set. */
struct lull_error *lull_vk_cli_tell(const struct lull_vk_options *o, const char *device,
                                    const struct lull_vk_result *result, struct lull_str *out,
                                    int *status) LULL_MUST_USE;

/** Name of the device that is no GPU: lull interprets the shader. */
#define LULL_VK_INTERPRETER "interpreter"

/** Interpret the shader; results are in the resources. */
struct lull_error *lull_vk_eval(const struct lull_vk_options *o,
                                struct lull_vk_result *ret) LULL_MUST_USE;

/** Every PLACE of --out, --expect, --tolerance is there. */
struct lull_error *lull_vk_options_places(const struct lull_vk_options *o) LULL_MUST_USE;

/** Rows that only it has; `lull run` of a Vulkan shader. */
extern const struct lull_opt lull_vk_cli_opts[];
extern const struct lull_form lull_vk_form;

/** The program, for free(), that is `lull run` on GPU @p gpu of lull's: this one, or for an Adreno,
 * of which only arm64 has drivers, what of this one is built for arm64. */
struct lull_error *lull_vk_cli_program(const char *gpu, char **ret) LULL_MUST_USE;

/** How a run of lull_vk_cli_self() came to its end. Valid during the call. */
struct lull_vk_ended {
    int status;         ///< Of the program.
    const char *report; ///< What it wrote.
    const char *log;    ///< Errors of the driver; "": none.
    bool hang;
    const struct lull_check *check;
};

/** Who runs a shader again and again, and judges: nothing is printed then. */
struct lull_vk_watcher {
    const struct lull_opt *own; ///< Options that the program does not get.
    const char *out_dir;        ///< Where it writes all resources; NULL: nowhere.
    /** The GPU is there, and has no work yet. */
    void (*ready)(void *ctx, struct lull_kernel *k, struct lull_check *c);
    /** The program has ended; what layers wrote lies in @p folder. NULL: nothing to look for. */
    void (*ran)(void *ctx, struct lull_check *c, const char *folder);
    struct lull_error *(*ended)(void *ctx, const struct lull_vk_ended *e);
    void *ctx;
};

/** `lull run ARGV...`, which @p o says too, in a process that sees lull's virtual GPU. Without
 * o->spirv what runs is not a shader, and the words stay as they are. */
struct lull_error *lull_vk_cli_self(const struct lull_form *form, int argc, char **argv,
                                    const struct lull_vk_options *o, int *status) LULL_MUST_USE;

#endif
