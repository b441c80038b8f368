// SPDX-License-Identifier: MIT
/** @file
 * Records of a program's dispatch (docs/formats/record.md): registers, all memory that the GPU
 * could reach, and what the program called its things.
 */
#ifndef LULL_FILE_RECORD_PROGRAM_H
#define LULL_FILE_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum { LULL_RECORD_PAGE = 4096, LULL_RECORD_RANGES = 65536, LULL_RECORD_NAMES = 4096 };

/** A mapping; multiples of LULL_RECORD_PAGE. */
struct lull_record_range {
    uint64_t va, size; ///< Bytes.
    bool writable, executable, vram;
};

/** What was there, inside of one mapping; all other pages were zeros. */
struct lull_record_pages {
    uint64_t va, size; ///< Bytes, multiples of LULL_RECORD_PAGE.
    const uint8_t *bytes;
};

/** A file of the names layer: "names", or a module, "HASH.spv". */
struct lull_record_name {
    const char *name; ///< Not NUL-terminated: name_size bytes, of 0-9, a-z, '.' and '-'.
    uint32_t name_size;
    const uint8_t *bytes;
    uint64_t size;
};

/** Registers of the dispatch as its packet found them. */
struct lull_record_dispatch {
    uint32_t ring; ///< 0: gfx, else compute.
    uint64_t job;  ///< Number of its submission, from 1.
    uint64_t code_va, scratch_va;
    uint32_t rsrc[3], initiator, tmpring; ///< COMPUTE_PGM_RSRC1 to 3 ...
    uint32_t grid[3];                     ///< Of DISPATCH_DIRECT.
    uint32_t block[3], start[3];          ///< COMPUTE_NUM_THREAD_X ..., COMPUTE_START_X ...
    uint32_t cus[8];                      ///< COMPUTE_STATIC_THREAD_MGMT_SE0 to 7.
    uint32_t user_data[16];
    uint64_t seed;
    bool has_wave; ///< Where the session stood: a wave, and instructions that it had executed.
    uint32_t hw_id1, workgroup[3];
    uint64_t executed;
};

/** Zero-initialise; lull_record_program_done() frees the lists, bytes are borrowed. */
struct lull_record_program {
    bool has_dispatch;
    struct lull_record_dispatch d;
    struct lull_record_range *ranges;
    size_t nranges, ranges_room;
    struct lull_record_pages *pages;
    size_t npages, pages_room;
    struct lull_record_name *names;
    size_t nnames, names_room;
};

/** Are these the first bytes of such a record? */
bool lull_record_is_program(const void *data, size_t size);

/** Append the parts of a record: the beginning with the dispatch, then mappings, each with its
 * pages behind it, and files, and the end. Bytes of pages and of a file are written by the caller,
 * behind what is appended. */
void lull_record_put_dispatch(const struct lull_record_dispatch *d, struct lull_str *out);
void lull_record_put_range(const struct lull_record_range *r, struct lull_str *out);
void lull_record_put_pages(uint64_t va, uint64_t size, struct lull_str *out);
void lull_record_put_name(const char *name, uint64_t size, struct lull_str *out);
void lull_record_put_end(struct lull_str *out);

/** LULL_ERR_BAD_DATA names the byte. */
struct lull_error *lull_record_program_parse(const void *data, size_t size,
                                             struct lull_record_program *ret) LULL_MUST_USE;
void lull_record_program_done(struct lull_record_program *r);

#endif
