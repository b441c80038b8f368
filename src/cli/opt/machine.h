// SPDX-License-Identifier: MIT
/** @file
 * What this machine is, by small files of proc, sysfs and debugfs; for tests, of a tree that looks
 * like them. @p root stands in front of each path; "": the machine's own.
 */
#ifndef LULL_CLI_MACHINE_H
#define LULL_CLI_MACHINE_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/str.h"

/** stat(). @return errno, or 0. */
int lull_machine_look(const char *root, const char *path, struct stat *st);
/** access(). @return errno, or 0. */
int lull_machine_access(const char *root, const char *path, int mode);

/** First line of a small file, printable; "" if it cannot be read. */
void lull_machine_line(const char *root, const char *path, char *ret, int size);

/** Names in a folder by number, without those that begin with a dot; -errno if it cannot be read.
 * To be freed by lull_machine_free_list(). */
int lull_machine_list(const char *root, const char *path, struct dirent ***ret);
void lull_machine_free_list(struct dirent **names, int n);

enum lull_machine_config { LULL_MACHINE_UNKNOWN, LULL_MACHINE_NO, LULL_MACHINE_YES };

/** Does the kernel have @p option, built in or as a module? /proc/config.gz, else /boot/config-*
 * of the running one. */
enum lull_machine_config lull_machine_config(const char *root, const char *option);

#endif
