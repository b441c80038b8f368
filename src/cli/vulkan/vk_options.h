// SPDX-License-Identifier: MIT
/** @file
 * What `lull run` and `lull diff` are told of a Vulkan compute shader.
 */
#ifndef LULL_CLI_VK_OPTIONS_H
#define LULL_CLI_VK_OPTIONS_H

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
    const char *name;          ///< Of the shader, in messages; if not given, path.
    const char *command[2];    ///< Words of the command for lull_vk_cli_self(); NULL: run.
    const char *against;       ///< diff: the other device.
    const char *out_dir;       ///< Every resource into a file PLACE.bin there.
    const char *check;         ///< hazards, on lull's own GPU; NULL: no check.
    bool json;
    uint64_t seed; ///< Order of waves on lull's GPU.
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

#define LULL_VK_OPTIONS_HELP                                                                       \
    "  --groups X[,Y[,Z]]  workgroups\n"                                                           \
    "  --bind S.B=CONTENT  a buffer at set S, binding B; S.B[I] is an element of an array. "       \
    "CONTENT:\n"                                                                                   \
    "      FILE  zeros:BYTES  iota:N:TYPE  rand:SEED:N:TYPE  fill:VALUE:N:TYPE\n"                  \
    "      values:TYPE:V,V...  addr:NAME,...; behind it :offset=N :range=N :dynamic=OFFSET\n"      \
    "      texels:FORMAT:CONTENT   a texel buffer\n"                                               \
    "      image:WxH[xD]:FORMAT[:CONTENT without N][:mips=N][:layers=N][:linear][:sampler "        \
    "options]\n"                                                                                   \
    "      sampler[:filter=linear][:mip=linear][:wrap=repeat|mirror|clamp|border|mirror-once]\n"   \
    "          "                                                                                   \
    "[:border=transparent|black|white][:compare=less...][:min-lod=X][:max-lod=X][:bias=X]\n"       \
    "          [:aniso=N][:unnormalized]\n"                                                        \
    "  --buffer NAME=CONTENT   a buffer that the shader gets the address of\n"                     \
    "  --push FILE | TYPE:V[,V...] | hex:BYTES | addr:NAME   push constants; several with "        \
    "commas\n"                                                                                     \
    "  --spec ID=VALUE     specialization constant\n"                                              \
    "  --out PLACE=FILE    write S.B, S.B[I] or a named buffer when done (or --dump)\n"            \
    "  --out-dir DIR       write all of them, each into PLACE.bin\n"                               \
    "  --expect PLACE=CONTENT | PLACE=sha256:HEX   compare; exit status 1 if it differs\n"         \
    "  --tolerance [PLACE=][TYPE:](ulp:N|abs:X|rel:X|exact)   how; TYPE is the shader's if not "   \
    "given\n"                                                                                      \
    "  --subgroup-size N   32 or 64 here; the driver's choice if not given\n"                      \
    "  --full-subgroups    every subgroup of a workgroup is full\n"                                \
    "  --entry NAME        entry point, if there are several\n"                                    \
    "  --base X[,Y[,Z]]    first workgroup\n"                                                      \
    "  --indirect          the number of workgroups lies in a buffer\n"                            \
    "  --push-set S        set S by push descriptors\n"                                            \
    "  --async             a queue that only computes\n"                                           \
    "  --repeat N          N dispatches, a barrier between each two\n"                             \
    "  --seed N            order of waves on lull's GPU; 0: round robin\n"                         \
    "  --timeout MS        host time after which it is a hang (60000)\n"                           \
    "  -DNAME[=VALUE] -IDIR   for the GLSL compiler\n"                                             \
    "  --json              results as JSON\n"

/** Take option argv[*i] and its value, and move *@p i to the last word used; false: not ours. */
struct lull_error *lull_vk_options_parse(struct lull_vk_options *o, int argc, char **argv, int *i,
                                         bool *ret_used) LULL_MUST_USE;

/** Compile and read the shader, complete @p o->c and check what the options say of it. */
struct lull_error *lull_vk_options_load(struct lull_vk_options *o) LULL_MUST_USE;

/** When all options are read: LULL_ERR_INVALID if a file that is read would be written, too. */
struct lull_error *lull_vk_options_files(struct lull_vk_options *o) LULL_MUST_USE;

/** How to compare the resource @p place. */
struct lull_tolerance lull_vk_options_tolerance(const struct lull_vk_options *o,
                                                const struct lull_vk_resource *r);
void lull_vk_options_done(struct lull_vk_options *o);

/** Does the command line name a Vulkan shader (.comp, .glsl, .spv), or ask for the devices? */
bool lull_vk_is_shader(int argc, char **argv);

/** After a run: every --out and --out-dir. */
struct lull_error *lull_vk_cli_outs(const struct lull_vk_options *o) LULL_MUST_USE;

/** What a run gave, compared with every --expect and told; *status is set. */
struct lull_error *lull_vk_cli_tell(const struct lull_vk_options *o, const char *device,
                                    const struct lull_vk_result *result, struct lull_str *out,
                                    int *status) LULL_MUST_USE;

/** Every PLACE of --out, --expect, --tolerance is there. */
struct lull_error *lull_vk_options_places(const struct lull_vk_options *o) LULL_MUST_USE;

/** `lull run` of a Vulkan shader. */
struct lull_error *lull_vk_cli_run(int argc, char **argv, int *status) LULL_MUST_USE;

/** `lull run ARGV...`, which @p o says too, in a process that sees lull's virtual GPU. */
struct lull_error *lull_vk_cli_self(int argc, char **argv, const struct lull_vk_options *o,
                                    int *status) LULL_MUST_USE;

#endif
