// SPDX-License-Identifier: MIT
/** @file
 * What a program may touch, if that is known: buffers by address, pieces of local memory.
 */
#ifndef LULL_CHECK_OBJECTS_H
#define LULL_CHECK_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct lull_across;
struct lull_lint;
struct lull_reach;
struct lull_assumed;
struct lull_never;

struct lull_check_object {
    const char *name; ///< NULL: not the program's own, such as its code.
    uint64_t at;      ///< GPU virtual address; of local memory: first byte.
    uint64_t size;    ///< Bytes.
};

/** A place of a shader that takes an index. */
struct lull_check_mark {
    enum lull_check_mark_of {
        LULL_CHECK_MARK_ARRAY,
        LULL_CHECK_MARK_BUFFER, ///< The array is in a buffer.
        LULL_CHECK_MARK_VECTOR,
        LULL_CHECK_MARK_MATRIX,
    } of;
    bool is_signed;
    const char *name; ///< Of the array; "": not known.
    const char *file; ///< "": not known.
    uint32_t line;    ///< 0: not known.
};

enum { LULL_CHECK_OBJECTS = 256, LULL_CHECK_VARIABLES = 64, LULL_CHECK_NAME = 64 };

/** Accesses that a source calls atomic. */
enum { LULL_CHECK_ATOMIC_LOADS = 1, LULL_CHECK_ATOMIC_STORES = 2 };

/** Zero: nothing is known. Filled in before the GPU has work. */
struct lull_check_objects {
    struct lull_check_object memory[LULL_CHECK_OBJECTS]; ///< If any, all that there is.
    size_t nmemory;
    struct lull_check_object local[LULL_CHECK_OBJECTS]; ///< The same of local memory.
    size_t nlocal;
    /** What local memory has the names of, in places: variables of one of local, which may be
     * accessed together. */
    struct lull_check_object variables[LULL_CHECK_VARIABLES];
    char names[LULL_CHECK_VARIABLES][LULL_CHECK_NAME];
    size_t nvariables;
    struct lull_across *across;   ///< Pairs of accesses of two dispatches; NULL: not wanted.
    struct lull_lint *lint;       ///< What each dispatch did; NULL: not wanted.
    struct lull_reach *reach;     ///< Accesses by address; NULL: not wanted.
    struct lull_assumed *assumed; ///< What the run rests on; NULL: not wanted.
    struct lull_never *never;     ///< Memory that nothing wrote; NULL: not wanted.
    /** Asked when a dispatch begins, with atomic_ctx: which accesses may the source call atomic
     * that code does not show as such? LULL_CHECK_ATOMIC_LOADS and so on. NULL: all. */
    unsigned (*atomics)(void *ctx);
    void *atomic_ctx;
    /** The place with that number in the code of a process, which lives until the next call. NULL:
     * there is none. */
    const struct lull_check_mark *(*mark)(void *ctx, uint32_t process, uint32_t place);
    void *mark_ctx;
    /** The compiler may leave EXEC as it was in front of a barrier, and write it behind. */
    bool exec_late;
    bool divisions;   ///< OpenCL C whose code has marks in front of divisions by 0.
    bool local_known; ///< local says all; else only the hardware's limit is known.
};

void lull_check_objects_add(struct lull_check_objects *o, const char *name, uint64_t at,
                            uint64_t size);
void lull_check_objects_add_local(struct lull_check_objects *o, const char *name, uint64_t at,
                                  uint64_t size);

/** A variable in local memory; @p name is copied. */
void lull_check_objects_add_variable(struct lull_check_objects *o, const char *name, uint64_t at,
                                     uint64_t size);

/** The one that holds all of @p bytes at @p address; NULL: none. */
const struct lull_check_object *lull_check_object_of(const struct lull_check_object *all, size_t n,
                                                     uint64_t address, uint64_t bytes);

/** The one whose bytes are nearest to @p address, if it has a name; NULL: there is none. */
const struct lull_check_object *lull_check_object_near(const struct lull_check_object *all,
                                                       size_t n, uint64_t address);

/** "out+0x1c (element 7 of 4 bytes)", "LDS 0x94", "address 0x...". */
void lull_check_place(const struct lull_check_objects *o, bool local, uint64_t address,
                      unsigned bytes, struct lull_str *out);

#endif
