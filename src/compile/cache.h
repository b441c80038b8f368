// SPDX-License-Identifier: MIT
/** @file
 * What compilers made before, kept in a folder: the same text by the same program need not be
 * compiled again.
 *
 * The folder is that of LULL_CACHE ("off": none), or lull in XDG_CACHE_HOME, or in .cache in HOME.
 * docs/formats/cache.md has the format of its files. A folder or file that cannot be used is no
 * error: the compiler runs.
 */
#ifndef LULL_COMPILE_CACHE_H
#define LULL_COMPILE_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** A file of ours that a compiler reads: written only where it runs. */
struct lull_cache_file {
    const char *path; ///< In the private folder, and in argv.
    const uint8_t *bytes;
    size_t size;
    const uint8_t *sha256; ///< Of the bytes, 32 of them.
};

/** One run of a compiler: everything that its result rests on, and where that goes. */
struct lull_cache_run {
    const char *const *argv; ///< Ended by NULL; argv[0] is looked up in PATH.
    const char *dir;         ///< Private folder: names in it say nothing, the files in it do.
    const char *log;         ///< In dir: what the program says.
    const char *input;       ///< As it stands in argv.
    const char *out;         ///< In dir, and in argv: the file that is made.
    const struct lull_cache_file *files;
    size_t nfiles;
};

/**
 * lull_run_program(), or what a run of the same made before.
 *
 * Only runs that end with status 0 are kept, and only where nothing but argv, the working
 * directory, the program itself and the files named here can matter: text that includes other
 * files, or asks for the date, is always compiled.
 *
 * @param[out] ret_status As for lull_run_program().
 */
struct lull_error *lull_cache_run(const struct lull_cache_run *run, int *ret_status) LULL_MUST_USE;

/** Parts of a file of the cache; they point into it. */
struct lull_cache_entry {
    const uint8_t *out, *said;
    size_t out_size, said_size;
};

/** Read a file of the cache. LULL_ERR_BAD_DATA: it is none, or was damaged. */
struct lull_error *lull_cache_parse(const uint8_t *bytes, size_t size,
                                    struct lull_cache_entry *ret) LULL_MUST_USE;

#endif
