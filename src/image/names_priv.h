// SPDX-License-Identifier: MIT
/** @file
 * Between names.c (the file, and what it holds), names_line.c (one line) and names_match.c.
 */
#ifndef LULL_IMAGE_NAMES_PRIV_H
#define LULL_IMAGE_NAMES_PRIV_H

#include <jansson.h>

#include "base/arena.h"
#include "image/names.h"

enum { LULL_NAMES_COMPLAINTS = 100 };

/** Newest meaning of a handle. Kinds of map entries are VkObjectTypes. */
struct lull_names_key {
    uint64_t kind, handle;
    void *value;
};

/** Open addressing; room is a power of 2 or 0. */
struct lull_names_map {
    size_t count, room;
    struct lull_names_key *keys; ///< kind UINT64_MAX: free.
};

/** A growing list of pointers. */
struct lull_names_list {
    size_t count, room;
    void **items;
};

/** A shader with its reflection. */
struct lull_names_module {
    struct lull_names_shader shader; ///< First: lull_names_spirv() goes back from it.
    bool tried;
    struct lull_spirv *spirv; ///< NULL: not read.
};

/** A pipeline and its time. */
struct lull_names_lived {
    struct lull_names_pipeline pipeline; ///< First: lull_names_match() goes back from it.
    size_t born, died;                   ///< Lines; SIZE_MAX: not yet.
};

struct lull_names {
    char *dir, *path;
    uint32_t pid;
    uint64_t offset; ///< Bytes of the file that are read.
    size_t line;     ///< Lines read.
    const char *program;
    struct lull_arena arena; ///< Owns all records.
    struct lull_names_list pipelines, objects, dispatches, draws, modules, complaints, syncs;
    size_t ncomplaints;
    uint64_t waits;                            ///< So far.
    uint64_t nbarriers;                        ///< The same, with events that are set.
    size_t nwrites;                            ///< Descriptors that were written.
    uint32_t devices, robust;                  ///< VkDevices, and those whose accesses are checked.
    struct lull_names_barriers end;            ///< Behind the last dispatch of the last submission.
    struct lull_names_transfers end_transfers; ///< The same.
    struct lull_names_map handles;             ///< What a handle is.
    struct lull_names_map names;               ///< What it is called: char *.
};

/**
 * Samplers of a binding (docs/formats/names.md, "samplers").
 *
 * @return NULL: it is not a list of numbers for @p n samplers, or memory is short.
 */
const struct lull_names_sampler *lull_names_samplers(struct lull_arena *arena, const json_t *list,
                                                     size_t n);

/** Stacks among handles: no VkObjectType. */
#define LULL_NAMES_STACKS (UINT64_C(1) << 32)

/** A string "0x..." as its number; @p key is for the error. */
struct lull_error *lull_names_handle(const json_t *v, const char *key, uint64_t *ret) LULL_MUST_USE;

/** Read a line of kind "submit". */
struct lull_error *lull_names_read_submit(struct lull_names *n, const json_t *o) LULL_MUST_USE;

/** @{ Read a line of kind "set", "write", "copy", "place". */
struct lull_error *lull_names_read_set(struct lull_names *n, const json_t *o) LULL_MUST_USE;
struct lull_error *lull_names_read_write(struct lull_names *n, const json_t *o) LULL_MUST_USE;
struct lull_error *lull_names_read_copy(struct lull_names *n, const json_t *o) LULL_MUST_USE;
struct lull_error *lull_names_read_place(struct lull_names *n, const json_t *o) LULL_MUST_USE;
/** @} */

/** What dispatch @p d, whose sets and pipeline were read, has bound. */
struct lull_error *lull_names_read_bound(struct lull_names *n, const json_t *o,
                                         struct lull_names_dispatch *d) LULL_MUST_USE;

/** Read a line of kind "device". */
struct lull_error *lull_names_read_device(struct lull_names *n, const json_t *o) LULL_MUST_USE;

/** Read a line of kind "stack". */
struct lull_error *lull_names_read_stack(struct lull_names *n, const json_t *o) LULL_MUST_USE;

/** The stack that @p o names; NULL: none. */
const struct lull_names_stack *lull_names_stack_of(const struct lull_names *n, const json_t *o);

/** @{ Read a line of kind "semaphore", "signal". */
struct lull_error *lull_names_read_semaphore(struct lull_names *n, const json_t *o) LULL_MUST_USE;
struct lull_error *lull_names_read_signal(struct lull_names *n, const json_t *o) LULL_MUST_USE;
/** @} */

/** Semaphores of a submission whose dispatches are not read yet (NULL: none). *ret_known: all that
 * it waits for are timeline semaphores that are known. */
struct lull_error *lull_names_read_sync(struct lull_names *n, const json_t *list,
                                        const struct lull_names_dispatch *of,
                                        bool *ret_known) LULL_MUST_USE;

/**
 * Call @p fn for waits for timeline semaphores on @p b's queue, in front of b, that come behind
 * @p a for certain, until it returns true.
 *
 * @param fn at: the number of the first dispatch behind the wait, in stages.
 * @return whether it did, or whether something is not known.
 */
bool lull_names_each_wait(const struct lull_names *n, const struct lull_names_dispatch *a,
                          const struct lull_names_dispatch *b,
                          bool (*fn)(void *arg, uint64_t at, uint64_t stages), void *arg);

/** Is there a wait for a timeline semaphore by dispatches @p from up to @p to? */
bool lull_names_waits_in(const struct lull_names *n, uint64_t from, uint64_t to);

/** Read a line of kind "event". */
struct lull_error *lull_names_read_event(struct lull_names *n, const json_t *o) LULL_MUST_USE;

/** Barriers of @p list (NULL: none) behind those that are in *ret. */
struct lull_error *lull_names_read_barriers(struct lull_names *n, const json_t *list,
                                            struct lull_names_barriers *ret) LULL_MUST_USE;

/** What the handle is now; NULL: not known. */
void *lull_names_get(const struct lull_names_map *m, uint64_t kind, uint64_t handle);

/** Set it; NULL takes it away. */
struct lull_error *lull_names_put(struct lull_names_map *m, uint64_t kind, uint64_t handle,
                                  void *value) LULL_MUST_USE;

struct lull_error *lull_names_add(struct lull_names_list *l, void *item) LULL_MUST_USE;

/** A copy in the arena. */
struct lull_error *lull_names_copy(struct lull_names *n, const char *text,
                                   const char **ret) LULL_MUST_USE;

/** Tell of line @p line (0: of no line). Consumes @p err. */
struct lull_error *lull_names_complain(struct lull_names *n, size_t line,
                                       struct lull_error *err) LULL_MUST_USE;

/** Read one line; LULL_ERR_BAD_DATA says what is wrong with it. */
struct lull_error *lull_names_line(struct lull_names *n, const char *text,
                                   size_t size) LULL_MUST_USE;

#endif
