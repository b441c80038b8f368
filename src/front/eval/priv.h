// SPDX-License-Identifier: MIT
/** @file
 * Between the files that run a module.
 *
 * A value is a row of 64-bit words for each lane: one for each number in it, and
 * LULL_EV_POINTER for a pointer or a handle of an image; a sampled image has two: image, sampler.
 */
#ifndef LULL_FRONT_EVAL_PRIV_H
#define LULL_FRONT_EVAL_PRIV_H

#include "front/eval/eval.h"

enum {
    LULL_EV_POINTER = 3,
    LULL_EV_MAX_LANES = 4096,
    LULL_EV_MAX_CALLS = 64,
    LULL_EV_MAX_OPERANDS = 4,
};

/** Where a pointer points to: the low half of its first word. */
enum lull_ev_space {
    LULL_EV_NULL,
    LULL_EV_LANE,        ///< Words of the lane: at is the first, end behind the last.
    LULL_EV_GROUP,       ///< Words of the workgroup, the same.
    LULL_EV_GROUP_BYTES, ///< Bytes of the workgroup, laid out as the module says.
    LULL_EV_MEMORY,      ///< An address; end: that of the buffer, 0 if not known.
    LULL_EV_PUSH,        ///< Push constants: bytes.
    LULL_EV_BINDING,     ///< A descriptor: at is set << 32 | binding, end the element.
};

/** The words of a pointer. */
struct lull_ev_pointer {
    enum lull_ev_space space;
    uint32_t stride; ///< Of the matrix that it points to, or into; bytes.
    bool row_major;
    uint64_t at, end;
};

/** One operand of an instruction, for all lanes. */
struct lull_ev_operand {
    const struct lull_fr_type *type;
    const uint64_t *v;
    size_t stride; ///< Words from lane to lane; 0: a constant.
    size_t words;
};

/** How the blocks of a function go one after the other. */
struct lull_ev_order {
    uint32_t *rank;  ///< By block; UINT32_MAX: never reached.
    uint32_t *block; ///< By rank.
    uint32_t n;
    bool busy; ///< It is being run.
};

struct lull_ev {
    const struct lull_fr_module *m;
    struct lull_ev_host host;
    struct lull_ev_dispatch d;
    uint32_t group[3];
    uint32_t nlanes;
    uint64_t steps; ///< Done.
    bool stopped;   ///< Too many, or the host said so.
    struct lull_ev_order *orders;
    uint32_t *block_of; ///< By id of label: index in its function.
    uint64_t **values;  ///< By id: words of each lane; NULL: none yet.
    bool *shared;       ///< By id: the same words for all lanes.
    uint64_t value_bytes;
    uint64_t *lane_memory;
    size_t lane_words; ///< Of a lane.
    uint64_t *group_memory;
    size_t group_words;
    uint8_t *group_bytes;
    size_t ngroup_bytes;
    uint64_t *shown; ///< Of lull_ev_value().
    size_t nshown;
    // What is being done:
    const struct lull_spv_insn *in;
    const uint32_t *lanes; ///< Active, rising.
    uint32_t n;
    uint32_t function;
    unsigned depth;
    struct lull_spv_line line;
    struct lull_arena arena;
};

static inline struct lull_ev_pointer lull_ev_unpack(const uint64_t *w)
{
    return (struct lull_ev_pointer){.space = (enum lull_ev_space)(w[0] & 0xff),
                                    .row_major = (w[0] >> 8 & 1) != 0,
                                    .stride = (uint32_t)(w[0] >> 32),
                                    .at = w[1],
                                    .end = w[2]};
}

static inline void lull_ev_pack(const struct lull_ev_pointer *p, uint64_t *w)
{
    w[0] = (uint64_t)p->space | (p->row_major ? 1U << 8 : 0) | (uint64_t)p->stride << 32;
    w[1] = p->at;
    w[2] = p->end;
}

/** The operand's words of a lane. */
static inline const uint64_t *lull_ev_of(const struct lull_ev_operand *o, uint32_t lane)
{
    return o->v + o->stride * lane;
}

/** "word 12: OpIAdd %7: " and the message; LULL_ERR_BAD_DATA, LULL_ERR_UNSUPPORTED. */
struct lull_error *lull_ev_bad(const struct lull_ev *ev, const char *what) LULL_NEW_ERROR;
struct lull_error *lull_ev_refuse(const struct lull_ev *ev, const char *what) LULL_NEW_ERROR;

/** The value of an id (value.c). */
struct lull_error *lull_ev_get(struct lull_ev *ev, uint32_t id,
                               struct lull_ev_operand *ret) LULL_MUST_USE;

/** The same: numbers or truth values, or vectors of them: @p kind is 'i', 'f', 'b'. */
struct lull_error *lull_ev_get_kind(struct lull_ev *ev, uint32_t id, char kind,
                                    struct lull_ev_operand *ret) LULL_MUST_USE;

/** Words for the value of @p id, of type @p t, of each lane; those that are there are kept. */
struct lull_error *lull_ev_room(struct lull_ev *ev, uint32_t id, const struct lull_fr_type *t,
                                uint64_t **ret) LULL_MUST_USE;

/** Words for the result of ev->in: with its type, and words of a lane. */
struct lull_error *lull_ev_result(struct lull_ev *ev, struct lull_ev_operand *ret,
                                  uint64_t **ret_words) LULL_MUST_USE;

/** The scalar's kind: 'i', 'f', 'b'; 0: not plain. */
char lull_ev_kind(const struct lull_fr_type *t);

/** What @p op is, if it is of these, and does: *ret_known. ev->in is the instruction. */
typedef struct lull_error *lull_ev_doing(struct lull_ev *ev, bool *ret_known);
lull_ev_doing lull_ev_alu, lull_ev_convert, lull_ev_composite, lull_ev_matrix, lull_ev_glsl,
    lull_ev_glsl_parts, lull_ev_atomic, lull_ev_subgroup, lull_ev_special, lull_ev_access,
    lull_ev_image, lull_ev_image_sample;

/** A number computed of up to three of the same type, its bits cut to it (number.c). */
double lull_ev_float(const struct lull_fr_type *t, uint64_t bits);
uint64_t lull_ev_bits(const struct lull_fr_type *t, double v);
uint64_t lull_ev_cut(const struct lull_fr_type *t, uint64_t bits);
uint64_t lull_ev_add(const struct lull_fr_type *t, uint64_t a, uint64_t b);
uint64_t lull_ev_multiply(const struct lull_fr_type *t, uint64_t a, uint64_t b);
uint64_t lull_ev_fma(const struct lull_fr_type *t, uint64_t a, uint64_t b, uint64_t c);

/** Load from, store to one lane's pointer (memory.c). */
struct lull_error *lull_ev_load(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                const struct lull_fr_type *t, uint32_t lane,
                                uint64_t *ret) LULL_MUST_USE;
struct lull_error *lull_ev_store(struct lull_ev *ev, const struct lull_ev_pointer *p,
                                 const struct lull_fr_type *t, uint32_t lane,
                                 const uint64_t *v) LULL_MUST_USE;

/** A pointer to a descriptor becomes one to the buffer's memory, if @p t is in a buffer. */
struct lull_error *lull_ev_resolve(struct lull_ev *ev, const struct lull_fr_type *t,
                                   struct lull_ev_pointer *p) LULL_MUST_USE;

/** Bytes of a type that lies in memory as the module says; 0: it does not say. */
uint64_t lull_ev_bytes(const struct lull_fr_type *t);

/** Variables outside of functions, and those in functions: places in memory (variables.c). */
struct lull_error *lull_ev_variables(struct lull_ev *ev) LULL_MUST_USE;

/** Their values when a workgroup begins. */
struct lull_error *lull_ev_begin(struct lull_ev *ev) LULL_MUST_USE;

/** A constant's words (value.c). */
void lull_ev_flatten(const struct lull_fr_constant *c, uint64_t *ret);

/** Run a function for these lanes; @p result: id that gets what it returns (run.c). */
struct lull_error *lull_ev_call(struct lull_ev *ev, uint32_t function, const uint32_t *lanes,
                                uint32_t n, uint32_t result) LULL_MUST_USE;

/** Image operands of one instruction (image.c). */
struct lull_ev_image_operands {
    struct lull_ev_operand bias, lod, dx, dy, offset, offsets, sample, min_lod;
    bool has_bias, has_lod, has_gradients, has_offset, has_offsets, has_sample, has_min_lod;
};

/** Those from word @p at on. */
struct lull_error *lull_ev_image_operands(struct lull_ev *ev, uint32_t at,
                                          struct lull_ev_image_operands *ret) LULL_MUST_USE;

/** The image that operand @p id is, with its type; of a sampled image, too. */
struct lull_error *lull_ev_get_image(struct lull_ev *ev, uint32_t id, struct lull_ev_operand *ret,
                                     const struct lull_fr_type **ret_type) LULL_MUST_USE;

/** One lane's access: of image @p type, whose words are @p of. */
struct lull_ev_image lull_ev_image_of(const struct lull_fr_type *type,
                                      const struct lull_ev_operand *of, uint32_t lane);

/** Ask the host. */
struct lull_error *lull_ev_image_ask(struct lull_ev *ev, struct lull_ev_image *io) LULL_MUST_USE;

/** The texel that the instruction gives: its type, the words of all lanes, and how many words
 * stand before the texel's in each, for a residency code. */
struct lull_error *lull_ev_texel(struct lull_ev *ev, struct lull_ev_operand *ret,
                                 uint64_t **ret_words, const struct lull_fr_type **ret_texel,
                                 size_t *ret_skip) LULL_MUST_USE;

/** What an access gave as words of the texel. */
void lull_ev_texel_words(const struct lull_fr_type *texel, const uint32_t v[4], uint64_t *ret);

/** In which order blocks go (order.c). */
struct lull_error *lull_ev_orders(struct lull_ev *ev) LULL_MUST_USE;

#endif
