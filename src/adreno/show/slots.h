// SPDX-License-Identifier: MIT
/** @file
 * Descriptors of the bindless sets, and what kind each is: the instructions of a draw's shaders
 * decide it; what none of them reads is guessed from its dwords.
 */
#ifndef LULL_ADRENO_SHOW_SLOTS_H
#define LULL_ADRENO_SHOW_SLOTS_H

#include "adreno/show/capture.h"

enum { LULL_CAP_SETS = 8, LULL_CAP_SET_SLOTS = 256, LULL_CAP_BOUND = 64 };

/** What descriptors are used as, bits. */
enum lull_cap_use {
    LULL_CAP_USE_TEXTURE = 1,
    LULL_CAP_USE_SAMPLER = 2,
    LULL_CAP_USE_STORAGE = 4,
    LULL_CAP_USE_UBO = 8,
    LULL_CAP_USE_KINDS = 15,
    LULL_CAP_USE_STORES = 16,      ///< With STORAGE: it is written.
    LULL_CAP_USE_AFTER_STORE = 32, ///< With TEXTURE: the shader has stored something before.
};

/** What descriptors are used as, by set and number: bits of enum lull_cap_use. */
struct lull_cap_uses {
    uint8_t at[LULL_CAP_SETS][LULL_CAP_SET_SLOTS]; ///< The instruction has the number.
    uint8_t any[LULL_CAP_SETS];                    ///< A register has it.
    /** Not of a set: textures that state loads brought, by stage and number; images, which the
     * stages of a draw share. */
    uint8_t bound[LULL_CAP_STAGES][LULL_CAP_BOUND], images[LULL_CAP_BOUND];
};

enum lull_cap_slot_by { LULL_CAP_BY_GUESS, LULL_CAP_BY_REGISTER, LULL_CAP_BY_INSTRUCTION };

/** A descriptor of a set. */
struct lull_cap_slot {
    uint32_t number;
    enum lull_load_what what;
    enum lull_cap_slot_by by; ///< What says so.
    const char *name;         ///< Of the kind.
    struct lull_cap_words w;
};

/** What the shaders of @p d, and what the GPU samples before its fragment shader, read. */
void lull_cap_uses(struct lull_cap *c, const struct lull_cap_draw *d, struct lull_cap_uses *ret);

/** "guess", "register", "instruction". */
const char *lull_cap_slot_by_name(enum lull_cap_slot_by by);

/** The next descriptor of @p set, which is at @p base, @p apart dwords each, that is read or not
 * empty, from ret->number on, which is to be 0 at first and counted on by the caller. @return
 * False: the set ends, as it seems. */
bool lull_cap_next_slot(struct lull_cap *c, const struct lull_cap_uses *u, unsigned set,
                        uint64_t base, uint32_t apart, struct lull_cap_slot *ret);

#endif
