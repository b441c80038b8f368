// SPDX-License-Identifier: MIT
/** @file
 * A SPIR-V module as words that can be walked and rewritten.
 *
 * file/spirv.h tells what a shader says of itself; this knows where each id is defined and of which
 * type it is, and nothing else. Words are checked once, when the module is read.
 *
 * Source: Khronos, "SPIR-V Specification" 1.6, section 2.3 (layout) and 2.4 (order of sections);
 * numbers: its header spirv.h, package spirv-headers.
 */
#ifndef LULL_SPIRV_MODULE_H
#define LULL_SPIRV_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { LULL_SPV_HEADER_WORDS = 5 };

/** Sections of a module, in their order. */
enum lull_spv_section {
    LULL_SPV_CAPABILITIES,
    LULL_SPV_EXTENSIONS,
    LULL_SPV_IMPORTS,
    LULL_SPV_MEMORY_MODEL,
    LULL_SPV_ENTRY_POINTS,
    LULL_SPV_EXECUTION_MODES,
    LULL_SPV_STRINGS, ///< OpString, OpSource and the like.
    LULL_SPV_NAMES,
    LULL_SPV_PROCESSED,
    LULL_SPV_ANNOTATIONS,
    LULL_SPV_GLOBALS, ///< Types, constants, variables.
    LULL_SPV_FUNCTIONS,
    LULL_SPV_NSECTIONS,
};

/** One instruction. */
struct lull_spv_insn {
    uint32_t op;
    uint32_t n;        ///< Words, at least 1.
    size_t at;         ///< Index of its first word in the module.
    const uint32_t *w; ///< Its words; w[0] holds op and n.
};

struct lull_spv {
    uint32_t *words; ///< Owned; in this machine's byte order.
    size_t nwords;
    uint32_t version; ///< 0x00010500 is 1.5.
    uint32_t bound;   ///< Ids are smaller.
    uint32_t *def;    ///< bound of them, owned: word where each id is defined; 0: nowhere.
    uint32_t *type;   ///< bound of them, owned: id of each id's type; 0: none.
    size_t functions; ///< Word of the first OpFunction; nwords: there is none.
};

/**
 * Read a module of either byte order.
 *
 * @param data Not needed afterwards; need not be aligned.
 * @param[out] ret Written only on success; give it to lull_spv_done().
 * @return LULL_ERR_UNSUPPORTED: no SPIR-V. LULL_ERR_BAD_DATA: the message names the word.
 *         LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spv_read(const void *data, size_t size, struct lull_spv *ret) LULL_MUST_USE;

/** Free what lull_spv_read() made. A zeroed struct is allowed. */
void lull_spv_done(struct lull_spv *m);

/** The instruction at *@p pos (LULL_SPV_HEADER_WORDS is the first), which moves on. False: the end.
 */
bool lull_spv_next(const struct lull_spv *m, size_t *pos, struct lull_spv_insn *ret);

/** The instruction that defines @p id; op 0 and n 0 if there is none. */
struct lull_spv_insn lull_spv_def(const struct lull_spv *m, uint32_t id);

/** Word @p i of @p in; 0, which is not an id, if it has fewer. */
static inline uint32_t lull_spv_word(const struct lull_spv_insn *in, uint32_t i)
{
    return i < in->n ? in->w[i] : 0;
}

/** The literal string that begins at word @p i of @p in; NULL if it does not end. */
const char *lull_spv_string(const struct lull_spv_insn *in, uint32_t i);

/** Words of the literal string @p text with its end. */
uint32_t lull_spv_string_words(const char *text);

/** Where an instruction with @p op stands, if it stands before the functions. */
enum lull_spv_section lull_spv_section_of(uint32_t op);

/** Has an instruction with @p op a result, and a type of it? False for opcodes not known. */
bool lull_spv_has_result(uint32_t op, bool *ret_typed);

/** Is it the last instruction of a block? */
bool lull_spv_ends_block(uint32_t op);

/** Does the module declare this capability, this extension? */
bool lull_spv_has_capability(const struct lull_spv *m, uint32_t capability);
bool lull_spv_has_extension(const struct lull_spv *m, const char *name);

/** The value of an integer constant of up to 32 bits; false: it is none. */
bool lull_spv_constant(const struct lull_spv *m, uint32_t id, uint32_t *ret);

#endif
