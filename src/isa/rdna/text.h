// SPDX-License-Identifier: MIT
/** @file
 * What the two halves of the printer share. Private to isa/rdna.
 */
#ifndef LULL_ISA_RDNA_TEXT_H
#define LULL_ISA_RDNA_TEXT_H

#include <string.h>

#include "isa/rdna/ops.h"

/** One instruction being printed. Borrows everything. */
struct lull_rdna_text {
    const struct lull_rdna_insn *in;
    const struct lull_rdna_op_info *info;
    const struct lull_rdna_print *how; ///< May be NULL.
    struct lull_str *out;
};

/** Entries of a name list. */
#define LULL_RDNA_COUNT(list) (sizeof(list) / sizeof((list)[0]))

/** Name of @p number, or NULL. */
static inline const char *lull_rdna_name_of(const char *const *names, size_t count, unsigned number)
{
    return number < count ? names[number] : NULL;
}

static inline bool lull_rdna_has(const struct lull_rdna_text *t, uint64_t flag)
{
    return (t->info->flags & flag) != 0;
}

static inline void lull_rdna_add(const struct lull_rdna_text *t, const char *text)
{
    lull_str_put(t->out, text, strlen(text));
}

/** @p before, and a number behind it. */
static inline void lull_rdna_dec(const struct lull_rdna_text *t, const char *before, uint32_t value)
{
    lull_rdna_add(t, before);
    lull_str_dec(t->out, value);
}

/** The same with a sign. */
static inline void lull_rdna_signed(const struct lull_rdna_text *t, const char *before,
                                    int32_t value)
{
    lull_rdna_add(t, before);
    lull_str_put(t->out, "-", value < 0);
    lull_str_dec(t->out, value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

/** @p before, and "0x%x" behind it. */
static inline void lull_rdna_hex(const struct lull_rdna_text *t, const char *before, uint32_t value)
{
    lull_rdna_add(t, before);
    lull_str_put(t->out, "0x", 2);
    lull_str_hex(t->out, value, 1);
}

/** " name" if @p set. */
static inline void lull_rdna_flag(const struct lull_rdna_text *t, bool set, const char *name)
{
    if (set) {
        lull_str_put(t->out, " ", 1);
        lull_rdna_add(t, name);
    }
}

/** Register by operand number, below 128 or a VGPR, @p dwords long. */
void lull_rdna_show_reg(const struct lull_rdna_text *t, unsigned number, unsigned dwords);

/** Any source operand: register, constant or literal. */
void lull_rdna_show_source(const struct lull_rdna_text *t, unsigned number, unsigned type);

/** Number that is decimal if it could be an inline constant. */
void lull_rdna_show_small(const struct lull_rdna_text *t, unsigned value);

/** What follows the mnemonic of a memory, export or LDS instruction. */
void lull_rdna_show_memory(const struct lull_rdna_text *t);

#endif
