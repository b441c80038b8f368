// SPDX-License-Identifier: MIT
/** @file
 * Records of a kernel's dispatch (docs/formats/record.md): what it takes to run it again elsewhere.
 */
#ifndef LULL_FILE_RECORD_H
#define LULL_FILE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum { LULL_RECORD_ITEMS = 256, LULL_RECORD_TEXT = 4096 };

enum lull_record_role {
    LULL_RECORD_CODE = 1, ///< The code object: there is one.
    LULL_RECORD_SCHEDULE, ///< Of --schedule; one at most.
    LULL_RECORD_DATA,     ///< What an argument's buffer has in the beginning.
};

/** An argument as --arg has it; the file of "buffer:" is data number `data`, counted from 0. */
struct lull_record_arg {
    const char *text; ///< Not NUL-terminated: size bytes. What stands behind "buffer:FILE", or all.
    uint32_t size;
    bool is_data;
    uint32_t data;
};

struct lull_record_file {
    enum lull_record_role role;
    const uint8_t *bytes;
    uint64_t size;
};

/** Zero-initialise; borrows what it points to. */
struct lull_record {
    const char *kernel; ///< Not NUL-terminated.
    uint32_t kernel_size;
    uint32_t grid[3], block[3];
    uint64_t seed, timeout_ms;
    bool has_time; ///< Where the session was: instructions of all waves.
    uint64_t time;
    struct lull_record_arg args[LULL_RECORD_ITEMS];
    size_t nargs;
    struct lull_record_file files[LULL_RECORD_ITEMS];
    size_t nfiles;
};

/** Append the file's bytes. */
void lull_record_write(const struct lull_record *r, struct lull_str *out);

/** LULL_ERR_BAD_DATA names the byte. */
struct lull_error *lull_record_parse(const void *data, size_t size,
                                     struct lull_record *ret) LULL_MUST_USE;

/** The @p n th file of that role; NULL: there is none. */
const struct lull_record_file *lull_record_file(const struct lull_record *r,
                                                enum lull_record_role role, size_t n);

#endif
