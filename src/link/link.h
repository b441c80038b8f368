// SPDX-License-Identifier: MIT
/** @file
 * The linker: relocatable shaders and a pipeline layout become one pipeline.
 *
 * Shaders are ELF objects whose descriptor offsets are relocations against names such as
 * "doff_0_1_b". The result is an ELF object again, in which only those relocations are left that
 * need addresses. Formats: docs/formats/relocatable-elf.md, docs/formats/pipeline-layout.md.
 */
#ifndef LULL_LINK_LINK_H
#define LULL_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "link/layout.h"

enum { LULL_LINK_NO_SPILL = 0xffff /**< Spill threshold of pipelines that read no spill table. */ };

/** Parts that are no shaders of their own (link/glue.h). */
enum lull_link_glue {
    LULL_LINK_SHADER,
    LULL_LINK_FETCH,  ///< In front of the next input's shader: loads vertex attributes.
    LULL_LINK_EXPORT, ///< Behind the shader of the input before: exports colours.
};

struct lull_link_input {
    const char *name; ///< Of the file: for messages, and the end of names of local symbols.
    const void *data;
    size_t size;
    enum lull_link_glue glue;
};

/** Lines of code for a GPU that lull has no decoder for, as lull_llvm_list() makes them. */
typedef struct lull_error *lull_link_list_fn(const char *cpu, const char *features,
                                             const void *code, size_t size, struct lull_str *ret);

struct lull_link_options {
    bool no_fold;            ///< Leave offsets in SGPRs where they could be immediates.
    bool explain;            ///< Keep each decision.
    lull_link_list_fn *list; ///< NULL: such code is not looked at.
};

/** What was decided about one thing, and why. */
struct lull_link_decision {
    const char *kind; ///< "section", "symbol", "resolve", "keep", "fold", "user-data", "metadata".
    const char *file; ///< Input, or "".
    const char *subject; ///< A symbol, section, register or key.
    const char *text;    ///< The decision and its reason.
    uint64_t value;      ///< Number that came of it, or 0.
};

/** Owns all that it points to: lull_link_done(). */
struct lull_link_result {
    struct lull_str image; ///< The ELF file.
    const struct lull_link_decision *decisions;
    size_t ndecisions;
    const char *const *warnings; ///< One line each.
    size_t nwarnings;
    uint32_t resolved;        ///< Relocations with a number now.
    uint32_t kept;            ///< Relocations left to the loader.
    uint32_t folded;          ///< Loads that got an offset as immediate.
    uint32_t moves;           ///< Instructions that became s_nop by that.
    uint32_t spill_threshold; ///< LULL_LINK_NO_SPILL: none.
    uint32_t user_data_limit; ///< Dwords.
    struct lull_arena arena;
};

/**
 * Link.
 *
 * @param layout NULL: a layout without nodes.
 * @param[out] ret Written only on success.
 * @return LULL_ERR_UNSUPPORTED, LULL_ERR_BAD_DATA, LULL_ERR_NOT_FOUND with the file and the symbol
 * or section; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_link(const struct lull_link_input *inputs, size_t ninputs,
                             const struct lull_layout *layout,
                             const struct lull_link_options *options,
                             struct lull_link_result *ret) LULL_MUST_USE;
void lull_link_done(struct lull_link_result *result);

/** What a relocation symbol stands for. */
struct lull_link_value {
    bool known;     ///< It is one of the names that a layout resolves.
    uint32_t value; ///< Its number in a layout.
    uint32_t spill; ///< Lowest dword of the root table that is read through it; LULL_LINK_NO_SPILL.
    const char *warning; ///< Or NULL.
    char why[192];       ///< How the number came about.
};

/**
 * The number of @p name in @p layout.
 *
 * @param stages LULL_STAGE_* that the code with the name may be; 0: any.
 * @return LULL_ERR_NOT_FOUND if the layout has no node for it; LULL_ERR_BAD_DATA if it begins like
 * such a name and is none.
 */
struct lull_error *lull_link_resolve(const struct lull_layout *layout, uint32_t stages,
                                     const char *name, struct lull_link_value *ret) LULL_MUST_USE;

/** Meaning of a relocation symbol in words, without a layout: into @p out; false if it is not one.
 */
bool lull_link_describe(const char *name, struct lull_str *out);

/** "R_AMDGPU_ABS32_LO"; NULL if there is no such type. */
const char *lull_link_reloc_name(uint32_t type);

/** "gfx1100" of e_flags, or "". */
const char *lull_link_gpu(uint32_t elf_flags, char buffer[16]);

#endif
