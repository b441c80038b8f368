// SPDX-License-Identifier: MIT
/** @file
 * What each dispatch did to each of its buffers, as a whole. What of that looks like a mistake is
 * judged behind the run, when it is known what the program calls them and has pushed.
 */
#ifndef LULL_CHECK_LINT_LINT_H
#define LULL_CHECK_LINT_LINT_H

#include "check/checks.h"
#include "check/objects.h"

enum { LULL_LINT_BUFFERS = 24 };

/** What went through one descriptor. */
struct lull_lint_buffer {
    unsigned reg;                ///< Its first register, by the arch's number.
    uint64_t base, available;    ///< GPU virtual address; bytes.
    uint64_t loads, stores;      ///< Of lanes; atomic operations are both.
    uint64_t low, high;          ///< Bytes of it that were stored: from, and behind the last.
    uint64_t bytes;              ///< Sum of what was stored.
    unsigned element;            ///< Bytes of each store; 0: they differ.
    struct lull_check_site last; ///< The store of the highest byte.
};

struct lull_lint_dispatch {
    uint64_t launch;
    uint64_t items;            ///< Work-items that started.
    uint32_t size[3];          ///< Of a workgroup, in work-items.
    uint64_t elsewhere;        ///< Stores that went through no descriptor.
    bool lost;                 ///< There were more buffers.
    bool cut;                  ///< Not all of it was seen.
    struct lull_check_site at; ///< Any instruction of it that accessed memory.
    uint32_t space;
    size_t nbuffers;
    struct lull_lint_buffer buffers[LULL_LINT_BUFFERS];
};

/** Zero-initialise; lull_lint_done(). Config of the module: lull_check_objects.lint. */
struct lull_lint {
    struct lull_lint_dispatch **at;
    size_t n, room;
};

extern const struct lull_check_module lull_check_lint;

void lull_lint_done(struct lull_lint *l);

#endif
