// SPDX-License-Identifier: MIT
/** @file
 * Command streams of a6xx and a7xx, written by name: packets, registers, fields and what they may
 * be are looked up in the tables of data/adreno, so that no number of theirs stands in C.
 */
#ifndef LULL_CMD_ADRENO_BUILD_H
#define LULL_CMD_ADRENO_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A field and its value. A list of them is ended by one without name. */
struct lull_abuild_set {
    const char *field; ///< Its name, or that of the whole register or dword.
    uint64_t value;
    const char *word; ///< In place of value: the name of one in the field's enumeration.
};

static inline struct lull_abuild_set lull_anumber(const char *field, uint64_t value)
{
    return (struct lull_abuild_set){.field = field, .value = value};
}

static inline struct lull_abuild_set lull_aword(const char *field, const char *word)
{
    return (struct lull_abuild_set){.field = field, .word = word};
}

/** A list of them. */
#define LULL_ABUILD_SET(...) ((const struct lull_abuild_set[]){__VA_ARGS__, {0}})

/** A stream that is being written. Set gen; lull_abuild_done() at the end. */
struct lull_abuild {
    unsigned gen; ///< 6 or 7.
    uint32_t *words;
    size_t n, room;
    struct lull_error *err; ///< Of the first call that failed; owned. All after it do nothing.
};

void lull_abuild_done(struct lull_abuild *b);

/** A register that has the fields @p sets; what they do not name is 0. */
void lull_abuild_reg(struct lull_abuild *b, const char *name, const struct lull_abuild_set *sets);
/** The same of element @p index of an array, by the name before its brackets. */
void lull_abuild_element(struct lull_abuild *b, const char *name, uint32_t index,
                         const struct lull_abuild_set *sets);

/** A packet of @p n dwords after its header, with the fields @p sets; NULL: none.
 *
 * @return Its dwords, until the next call; NULL: an error. */
uint32_t *lull_abuild_packet(struct lull_abuild *b, const char *name, uint32_t n,
                             const struct lull_abuild_set *sets);

/** A descriptor: @p n dwords by the domain @p name, with the fields @p sets. */
struct lull_error *lull_abuild_descriptor(unsigned gen, const char *name,
                                          const struct lull_abuild_set *sets, uint32_t *ret,
                                          size_t n) LULL_MUST_USE;

#endif
