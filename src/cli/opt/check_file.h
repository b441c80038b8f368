// SPDX-License-Identifier: MIT
/** @file
 * What --check found, as files that other tools read: SARIF 2.1.0, JUnit.
 */
#ifndef LULL_CLI_CHECK_FILE_H
#define LULL_CLI_CHECK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/** A place of a finding; file NULL: its line is not known. */
struct lull_check_file_place {
    char *file;
    unsigned line;
    char *name;     ///< Symbol and offset, or address, and instruction.
    char *resource; ///< What it is of, as check_names.h says; NULL or "": not known.
};

struct lull_check_file_entry {
    const char *check; ///< "race".
    const char *kind;
    char *key;
    char *text; ///< As it is printed.
    bool warning, known;
    bool fact; ///< Nothing is wrong.
    uint64_t count;
    uint64_t code_places; ///< So many pairs of instructions are one in the source; 0: not said.
    struct lull_check_file_place places[2];
    unsigned nplaces;
};

/** Zero-initialise. */
struct lull_check_file {
    const char *program;    ///< What ran.
    const char *checks[16]; ///< Those that looked, by name.
    size_t nchecks;
    struct lull_check_file_entry *entries;
    size_t n;
};

/** A new entry, zero. NULL: no memory. */
struct lull_check_file_entry *lull_check_file_add(struct lull_check_file *f);
void lull_check_file_done(struct lull_check_file *f);

void lull_check_file_sarif(const struct lull_check_file *f, struct lull_str *out);
void lull_check_file_junit(const struct lull_check_file *f, struct lull_str *out);

#endif
