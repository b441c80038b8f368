// SPDX-License-Identifier: MIT
/** @file
 * What descriptors lead to, between the files of this folder.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_RESOURCE_H
#define LULL_MODEL_ADRENO_EXEC_RESOURCE_H

#include "model/adreno/exec/observed.h"
#include "model/adreno/exec/wave.h"
#include "tex/a6xx_format.h"

enum { LULL_IR3_DESCRIPTOR = 16, LULL_IR3_SAMPLER = 4 }; ///< Dwords of descriptors.

/** A buffer. */
struct lull_ir3_buffer {
    bool is_buffer;
    bool null; ///< All of it is outside: Turnip's null descriptors.
    uint64_t address;
    uint32_t elements;
    unsigned element_bytes; ///< 0: the machine does not have the format.
    const struct lull_format_info *format;
};

/** Descriptor @p index, as @p in says where it is, into @p ret (LULL_IR3_DESCRIPTOR dwords). */
void lull_ir3_descriptor(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                         const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                         uint32_t *ret);
struct lull_ir3_buffer lull_ir3_buffer_of(const struct lull_ir3_env *env, const uint32_t *words);

/** Of what an atomic operation works on: 4 or 8; 0: nothing that is known. Type 6 is u64 there:
 * Mesa ir3-cat6.xml, #type-atomic. */
static inline unsigned lull_ir3_atomic_bytes(const struct lull_ir3_insn *in)
{
    return in->m.type == LULL_IR3_TYPE_U32 || in->m.type == LULL_IR3_TYPE_S32 ? 4
           : in->m.type == LULL_IR3_TYPE_U8                                   ? 8
                                                                              : 0;
}

/** @p t is what atomic operation @p in does, which has its operand in register @p data. */
static inline void lull_ir3_atomically(const struct lull_ir3_insn *in, unsigned data,
                                       struct lull_touch *t)
{
    t->kind = LULL_TOUCH_ATOMIC;
    t->returns = true;
    t->compares = in->op == LULL_IR3_OP_ATOMIC_B_CMPXCHG || in->op == LULL_IR3_OP_ATOMIC_CMPXCHG ||
                  in->op == LULL_IR3_OP_ATOMIC_G_CMPXCHG;
    t->bytes = lull_ir3_atomic_bytes(in);
    t->data = data;
}

/** The buffer of the fiber before, most often that of the next, too. */
struct lull_ir3_last {
    bool valid;
    uint32_t index;
    struct lull_ir3_buffer b;
};

/** Where an atomic operation of @p fiber on element @p at of a buffer works; NULL: nowhere, or it
 * faulted. @p l: none, or that of the fiber before. */
uint8_t *lull_ir3_atomic_place(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                               const struct lull_ir3_insn *in, unsigned fiber, uint32_t index,
                               uint32_t at, struct lull_ir3_last *l);

/**
 * Like what an instruction does through descriptor @p index, which leads to @p size bytes at
 * @p base, for lull_ir3_put_down().
 *
 * @param table LULL_ARCH_IR3_BASE_UBO ..., where it is if the instruction is not bindless.
 */
struct lull_touch lull_ir3_described(const struct lull_ir3_insn *in, unsigned table, uint32_t index,
                                     uint64_t base, uint64_t size);

/** Where texture instructions find descriptors: in heaps, or in the tables of the stage. */
struct lull_ir3_tables {
    bool bindless;
    uint8_t tex_base, samp_base; ///< Heaps.
};
struct lull_ir3_tables lull_ir3_tables_of(const struct lull_ir3_wave *w,
                                          const struct lull_ir3_insn *in);

/** Which texture each fiber means; false: none, and @p w has stopped. */
bool lull_ir3_textures(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in, uint32_t *ret);
/** Which sampler each fiber means; false: none, and @p w has stopped. */
bool lull_ir3_samplers(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                       const struct lull_ir3_insn *in, uint32_t *ret);
/** The descriptor of texture @p index into @p ret (LULL_IR3_DESCRIPTOR dwords). */
void lull_ir3_texture(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_tables *t, unsigned fiber, uint32_t index,
                      uint32_t *ret);
/** The descriptor of sampler @p index into @p ret (LULL_IR3_SAMPLER dwords). */
void lull_ir3_sampler(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_tables *t, unsigned fiber, uint32_t index,
                      uint32_t *ret);
/** The immediate that is added to the coordinate of isam. */
uint32_t lull_ir3_texel_offset(const struct lull_ir3_insn *in);

/** Which descriptor each fiber means with operand @p o. */
void lull_ir3_indices(struct lull_ir3_wave *w, struct lull_ir3_env *env,
                      const struct lull_ir3_insn *in, const struct lull_ir3_operand *o,
                      uint32_t *ret);

#endif
