// SPDX-License-Identifier: MIT
/** @file
 * What observers of the model (model/observer.h) are told of waves of ir3.
 *
 * Addresses of instructions are lull_ir3_env.code + 8 times their number; addresses of shared
 * memory are offsets in it, those of private memory bytes of what a fiber has.
 *
 * What an instruction does in memory is told behind it: lanes are put down one by one, and told
 * together if they do the same. Reads of descriptors are not put down, only told as accesses.
 */
#ifndef LULL_MODEL_ADRENO_EXEC_OBSERVED_H
#define LULL_MODEL_ADRENO_EXEC_OBSERVED_H

#include "arch/ir3.h"
#include "model/adreno/exec/wave.h"
#include "model/observer.h"

/** What fibers have done in memory, and is not told yet. */
struct lull_ir3_touching {
    bool wanted;            ///< Somebody is told of memory.
    bool accesses;          ///< Somebody is told of each access.
    struct lull_touch like; ///< What they did, but for what is below.
    uint64_t lanes[LULL_IR3_FIBERS / 64];
    uint64_t address[LULL_IR3_FIBERS];
    uint8_t valid[LULL_IR3_FIBERS];
    uint8_t texels[LULL_IR3_FIBERS][LULL_TOUCH_TEXEL];
    int32_t texel[LULL_IR3_FIBERS][4];
};

/** A wave at an instruction that is told of. */
struct lull_ir3_seen {
    struct lull_observed at; ///< First.
    const struct lull_ir3_wave *wave;
    const struct lull_ir3_env *env;
    struct lull_insn_room room;
    struct lull_ir3_touching touching;
};

/** The instructions of @p p as observers see them, for lull_ir3_env.insns and free(); NULL: no
 * memory. */
struct lull_arch_ir3_insn *lull_ir3_insns_new(const struct lull_ir3_program *p);

/** Tell the observers of @p env that @p w is at its next instruction. @return False: it is not an
 * instruction, and nobody was told. */
bool lull_ir3_see(const struct lull_ir3_wave *w, const struct lull_ir3_env *env,
                  struct lull_ir3_seen *ret);

/** Tell them that @p w is in front of its first instruction, or behind its last. */
void lull_ir3_tell_wave(const struct lull_ir3_wave *w, const struct lull_ir3_env *env, bool starts);

/** Tell them of an access of the instruction that env->seen is at, before it is done; @p host:
 * where the bytes are, NULL: not known. */
void lull_ir3_touch(const struct lull_ir3_env *env, unsigned fiber, uint64_t address,
                    unsigned bytes, bool store, const uint8_t *host);

/** Is anybody told of what instructions do in memory? */
static inline bool lull_ir3_touches_wanted(const struct lull_ir3_env *env)
{
    return env->seen != NULL && env->seen->touching.wanted;
}

/** Is anybody told of each access, those of descriptors, too? */
static inline bool lull_ir3_accesses_wanted(const struct lull_ir3_env *env)
{
    return env->seen != NULL && env->seen->touching.accesses;
}

/** Number that observers know register @p reg by. */
static inline unsigned lull_ir3_number(unsigned reg, bool half)
{
    return reg + (half ? LULL_ARCH_IR3_HALVES : 0);
}

/**
 * Put down that @p fiber does what @p like says, of which kind, bytes, data, row (of fiber 0) and
 * what tells memories and descriptors apart are read. If lull_ir3_touches_wanted().
 *
 * @param valid As of struct lull_touch.
 * @return LULL_TOUCH_TEXEL bytes for what it stores, as in memory, if like->texels is not NULL.
 */
uint8_t *lull_ir3_put_down(const struct lull_ir3_env *env, const struct lull_touch *like,
                           unsigned fiber, uint64_t address, uint8_t valid);

/** Tell of a load of all fibers, @p like, of which nothing is in bounds: like->dropped. */
void lull_ir3_tell_dropped(const struct lull_ir3_env *env, const struct lull_touch *like,
                           uint64_t address);

/** Of a texel: which it is, behind lull_ir3_put_down(). */
void lull_ir3_put_texel(const struct lull_ir3_env *env, unsigned fiber, const int32_t at[4]);

/** Tell what was put down. */
void lull_ir3_tell_touches(const struct lull_ir3_env *env);

/** Tell them what it rested on. */
void lull_ir3_rested(const struct lull_ir3_env *env, uint32_t rows);

#endif
