// SPDX-License-Identifier: MIT
/** @file
 * Manifests of instrumented shaders in a folder, NAME.records, and files of what these have
 * written, NAME.bin: --records of lull exec and lull replay.
 */
#ifndef LULL_CLI_MANIFESTS_H
#define LULL_CLI_MANIFESTS_H

#include <stddef.h>

#include "base/error.h"
#include "instrument/manifest.h"

struct lull_manifest_file {
    char *path, *dump; ///< DIR/NAME.records, DIR/NAME.bin; owned.
    struct lull_manifest manifest;
};

struct lull_manifests {
    struct lull_manifest_file *all;
    size_t n;
};

/** Those of @p dir, by name. LULL_ERR_INVALID: there is none. */
struct lull_error *lull_manifests_read(const char *dir, struct lull_manifests *ret) LULL_MUST_USE;
void lull_manifests_done(struct lull_manifests *m);

/** Write the dump of @p f, whose buffer has the bytes of its manifest at @p memory, as far as it is
 * used. An invocation has to have begun; else nothing is written. */
struct lull_error *lull_manifest_dump(const struct lull_manifest_file *f,
                                      const uint8_t *memory) LULL_MUST_USE;

#endif
