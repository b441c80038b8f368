// SPDX-License-Identifier: MIT
/** @file
 * A SPIR-V module run as it stands, instruction by instruction, without a compiler or a GPU: what
 * its values are in each invocation of a workgroup.
 *
 * All invocations of a workgroup go in step. Where they part, those whose block comes first in
 * structured order go first, so that they meet again where the module says that they merge. Lanes
 * of a subgroup are invocations whose LocalInvocationIndex follow each other.
 *
 * Floats are rounded to nearest after each operation, and denormals are kept: compilers may fuse a
 * product with a sum, and drivers may flush. Trigonometric functions and the like are the host's.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6; "SPIR-V Extended Instructions for GLSL"; Vulkan 1.3.
 */
#ifndef LULL_FRONT_EVAL_EVAL_H
#define LULL_FRONT_EVAL_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "front/module.h"
#include "spirv/mutate.h"

struct lull_ev;

/** Memory behind a descriptor. */
struct lull_ev_buffer {
    uint64_t va;    ///< Any number that the host's functions know.
    uint64_t bytes; ///< What is read behind it is 0, what is written there is dropped.
};

/** Which descriptor. */
struct lull_ev_slot {
    uint32_t set, binding, element;
};

enum lull_ev_image_what {
    LULL_EV_IMAGE_READ,    ///< One texel: of an image, or of a texel buffer.
    LULL_EV_IMAGE_WRITE,   ///< The same.
    LULL_EV_IMAGE_PLACE,   ///< Where a texel is in memory.
    LULL_EV_IMAGE_SAMPLE,  ///< Filtered.
    LULL_EV_IMAGE_GATHER,  ///< One component of four texels.
    LULL_EV_IMAGE_SIZE,    ///< Width, height, depth or layers, of those that it has.
    LULL_EV_IMAGE_LEVELS,  ///< How many.
    LULL_EV_IMAGE_SAMPLES, ///< How many.
};

/** What one invocation does with an image. */
struct lull_ev_image {
    enum lull_ev_image_what what;
    const struct lull_fr_image *type;
    struct lull_ev_slot image, sampler; ///< sampler: SAMPLE, GATHER.
    unsigned spatial;                   ///< Coordinates without the layer; of a cube 3.
    int32_t at[4];                      ///< READ, WRITE, PLACE: texel, and the layer or face.
    int32_t level, sample;              ///< Of READ, WRITE, SIZE.
    float coord[4];                     ///< SAMPLE, GATHER: as the instruction has them.
    int32_t offset[3];                  ///< Texels.
    float reference;                    ///< What texels are compared with;
    bool compares;                      ///< they are.
    bool has_gradients;
    float d[2][3];      ///< Gradients.
    float lod, min_lod; ///< lod: without gradients.
    bool has_min_lod;   ///< min_lod counts.
    unsigned component; ///< Of a gather.
    unsigned bits;      ///< 64: of a texel that is one such number. Else 32.
    uint32_t v[4];      ///< In, or out: floats of 32 bits, or integers.
    uint64_t va, end;   ///< PLACE: address, and the end of the texel; both 0: outside.
};

/** Where the invocations begin a line, or come to an instruction. */
struct lull_ev_place {
    const struct lull_spv_insn *in; ///< It is next.
    struct lull_spv_line line;
    uint32_t function;     ///< Index.
    const uint32_t *lanes; ///< LocalInvocationIndex of those that are here, rising;
    uint32_t n;            ///< so many.
};

/** What the module's own world is. Functions return NULL or an error, which ends the run. */
struct lull_ev_host {
    void *arg;
    struct lull_error *(*buffer)(void *arg, uint32_t set, uint32_t binding, uint32_t element,
                                 struct lull_ev_buffer *ret);
    struct lull_error *(*read)(void *arg, uint64_t va, void *ret, size_t size);
    struct lull_error *(*write)(void *arg, uint64_t va, const void *data, size_t size);
    /** NULL: there are no images. */
    struct lull_error *(*image)(void *arg, struct lull_ev_image *io);
    /** Asked now and then: true ends the run. NULL: nobody. */
    bool (*stop)(void *arg);
    /** Called where a line begins; NULL: nobody asks. */
    struct lull_error *(*line)(void *arg, struct lull_ev *ev, const struct lull_ev_place *at);
};

/** What is dispatched. */
struct lull_ev_dispatch {
    uint32_t groups[3], base[3]; ///< Workgroups.
    uint32_t wave;               ///< Lanes of a subgroup: a power of two, at most 128.
    const uint8_t *push;         ///< Push constants; borrowed.
    size_t push_bytes;
    uint64_t steps; ///< Instructions of lanes at most, of all workgroups together; 0: no limit.
};

/**
 * Make ready to run the entry point of @p m, whose specialization constants are set.
 *
 * @param m Borrowed until lull_ev_free(), as is what @p host and @p d point to.
 * @return LULL_ERR_UNSUPPORTED: no compute shader, or too large. LULL_ERR_BAD_DATA.
 */
struct lull_error *lull_ev_new(const struct lull_fr_module *m, const struct lull_ev_host *host,
                               const struct lull_ev_dispatch *d,
                               struct lull_ev **ret) LULL_MUST_USE;
void lull_ev_free(struct lull_ev *ev);

/**
 * Run one workgroup, counted from 0 (the base comes on top).
 *
 * @return What the host's functions returned. LULL_ERR_UNSUPPORTED: an instruction that is not
 *         known; LULL_ERR_BAD_DATA: the module contradicts itself; both name word and instruction.
 *         LULL_ERR_NOT_FOUND: lull_ev_stopped().
 */
struct lull_error *lull_ev_group(struct lull_ev *ev, const uint32_t group[3]) LULL_MUST_USE;

/** Did the host's stop() end the run, or were its steps used up? NULL: no. */
bool lull_ev_stopped(const struct lull_ev *ev);

/** Numbers of a value of type @p t: those of its parts, one after the other; of a pointer more. */
uint64_t lull_ev_words(const struct lull_fr_type *t);

/**
 * The value of an id in an invocation: of a variable or pointer to what has numbers, what it
 * holds; else the value itself.
 *
 * @param[out] ret lull_ev_words(*ret_type) of them, bits of each number, borrowed until the next
 *                 call. Bits are zero-extended; a truth value is 0 or 1.
 * @return False: it has none yet, or nothing can be shown of it.
 */
bool lull_ev_value(struct lull_ev *ev, uint32_t id, uint32_t lane,
                   const struct lull_fr_type **ret_type, const uint64_t **ret);

/**
 * Make number @p word of what lull_ev_value() gives @p value, from now on.
 *
 * @return False: it gives nothing, @p word is not in it, or it is a constant.
 */
bool lull_ev_put(struct lull_ev *ev, uint32_t id, uint32_t lane, size_t word, uint64_t value);

#endif
