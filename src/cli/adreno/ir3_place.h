// SPDX-License-Identifier: MIT
/** @file
 * Memory that `lull ir3 run` gives a kernel, and what the command line says of it: --buf, --memory,
 * --out.
 */
#ifndef LULL_CLI_IR3_PLACE_H
#define LULL_CLI_IR3_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "target/adreno/device.h"

enum { LULL_IR3_PLACES = 32 };

/** A buffer of a header, or memory at an address. */
struct lull_ir3_place {
    uint64_t number;     ///< Of the header, or the address.
    bool memory;         ///< At an address.
    const char *content; ///< NULL: what the header says, then zeros.
    const char *out;     ///< File for it; NULL: none.
    uint64_t bytes;
    const struct lull_msm_bo *bo;
};

/** Zero-initialise. Texts are borrowed from argv. */
struct lull_ir3_places {
    struct lull_ir3_place all[LULL_IR3_PLACES];
    size_t n;
};

/** PLACE=CONTENT of @p option: a number, with @p memory an address. */
struct lull_error *lull_ir3_places_content(struct lull_ir3_places *p, const char *option,
                                           const char *text, bool memory) LULL_MUST_USE;
/** PLACE=FILE of @p option. */
struct lull_error *lull_ir3_places_out(struct lull_ir3_places *p, const char *option,
                                       const char *text) LULL_MUST_USE;

/** Files that are read and written: LULL_ERR_INVALID if one is both. @p kernel is read, too. */
struct lull_error *lull_ir3_places_files(const struct lull_ir3_places *p,
                                         const char *kernel) LULL_MUST_USE;

/** The lowest address that somebody asked for; 0: none did. */
uint64_t lull_ir3_places_lowest(const struct lull_ir3_places *p);

/** Make and fill all of them: buffers of @p k first, in their order, in @p p. */
struct lull_error *lull_ir3_places_make(struct lull_ir3_places *p, struct lull_adreno_device *d,
                                        const struct lull_adreno_kernel *k) LULL_MUST_USE;

/** The contents: as Mesa's computerator prints them, or an array of JSON. */
void lull_ir3_places_print(const struct lull_ir3_places *p, struct lull_str *out);
void lull_ir3_places_json(const struct lull_ir3_places *p, struct lull_json *j);

/** Every --out, each as a whole or not at all. */
struct lull_error *lull_ir3_places_write(const struct lull_ir3_places *p) LULL_MUST_USE;

/** "in buf[0], 0x40 bytes from its start", "in no buffer; 0x10 bytes past the end of buf[1]". */
void lull_ir3_places_where(const struct lull_ir3_places *p, uint64_t address, struct lull_str *out);

#endif
