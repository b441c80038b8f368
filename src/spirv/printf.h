// SPDX-License-Identifier: MIT
/** @file
 * Debug printf in SPIR-V: calls of NonSemantic.DebugPrintf become code that any Vulkan driver runs.
 *
 * A call becomes a call of a new function that takes the values as dwords, finds room in the printf
 * buffer with an atomic addition and stores the entry; so no block of the module is split. The
 * buffer is that of docs/formats/printf-buffer.md.
 *
 * Source: SPIRV-Registry, "NonSemantic.DebugPrintf"; Khronos, "SPIR-V Specification" 1.6; Vulkan
 * 1.3, appendix "Vulkan Environment for SPIR-V".
 */
#ifndef LULL_SPIRV_PRINTF_H
#define LULL_SPIRV_PRINTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "printf/table.h"

/** How the shader finds the buffer. */
enum lull_spirv_printf_place {
    LULL_SPIRV_PRINTF_BINDING, ///< A storage buffer at set, binding.
    LULL_SPIRV_PRINTF_PUSH,    ///< Address and size in push constants, at push_offset.
    LULL_SPIRV_PRINTF_SPEC,    ///< Address and size in specialization constants from spec_id on.
    LULL_SPIRV_PRINTF_ADDRESS, ///< Address and size are known: constants.
};

/** Something that the compiler would say of a call. */
struct lull_spirv_printf_message {
    const char *file; ///< NULL: not known.
    uint32_t line;    ///< 0: not known.
    uint32_t column;  ///< 0: not known.
    bool error;       ///< The module is refused; else a warning.
    const char *text;
};

/** Is told what is wrong with formats and arguments. The message is valid during the call. */
typedef void lull_spirv_printf_fn(void *arg, const struct lull_spirv_printf_message *message);

/** Where a call stands in the source; valid during the call. */
struct lull_spirv_printf_site {
    uint32_t number;  ///< What LULL_PRINTF_SITE records.
    const char *file; ///< NULL: not known.
    uint32_t line;    ///< 0: not known.
};
typedef void lull_spirv_printf_site_fn(void *arg, const struct lull_spirv_printf_site *site);

/** Zeros: storage buffer at set 0, binding 0, an atomic for each lane. */
struct lull_spirv_printf_options {
    enum lull_spirv_printf_place place;
    uint32_t set, binding;
    /** Byte of the push constants where the address stands, a multiple of 8: 64 bits, then the
     * buffer's size in bytes, 32 bits. */
    uint32_t push_offset;
    uint32_t spec_id; ///< Low and high half of the address, size in bytes: three ids from this on.
    uint64_t address; ///< Of LULL_SPIRV_PRINTF_ADDRESS; a multiple of 8.
    uint32_t bytes;   ///< Size of the buffer there.
    uint32_t first_site; ///< Number of the module's first call.
    uint32_t
        pipeline_spec; ///< Specialization constant that LULL_PRINTF_PIPELINE records, 0 if unset.
    bool wave;         ///< One atomic for a subgroup (SPIR-V 1.3) where that is possible.
    bool counter64;    ///< 64-bit atomics on the counter.
    unsigned records;  ///< enum lull_printf_record.
    lull_spirv_printf_fn *fn;        ///< NULL: messages are dropped.
    lull_spirv_printf_site_fn *site; ///< Called for each call that is lowered, in order; or NULL.
    void *arg;
};

struct lull_spirv_printf_result {
    uint32_t *words; ///< For free(); NULL: the module has no printf, or errors were told.
    size_t nwords;
    size_t ncalls;
    size_t nerrors; ///< Messages that were errors.
};

/**
 * Lower all calls of printf in a module.
 *
 * @param table Gets the format strings.
 * @param[out] ret Written only on success.
 * @return LULL_ERR_UNSUPPORTED: no SPIR-V, or a module or place that cannot be. LULL_ERR_BAD_DATA:
 *         a broken module; the message names the word; or the place is in use. LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_spirv_printf(const void *data, size_t size,
                                     const struct lull_spirv_printf_options *options,
                                     struct lull_printf_table *table,
                                     struct lull_spirv_printf_result *ret) LULL_MUST_USE;

#endif
