// SPDX-License-Identifier: MIT
#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

const char *lull_path_from_here(const char *path)
{
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) {
        return path;
    }
    size_t n = strlen(here);
    return strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

struct lull_error *lull_path_target(const char *path, char **ret)
{
    char link[PATH_MAX] = "";
    char *at = strdup(path);
    for (unsigned i = 0; at != NULL && i < MOST_LINKS; i++) {
        const ssize_t n = readlink(at, link, sizeof link - 1);
        if (n < 0 || (size_t)n == sizeof link - 1) { // no link, or nothing at all
            *ret = at;
            return NULL;
        }
        link[n] = '\0';
        const char *slash = link[0] != '/' ? strrchr(at, '/') : NULL;
        const int folder = slash != NULL ? (int)(slash + 1 - at) : 0;
        char *next = NULL;
        if (asprintf(&next, "%.*s%s", folder, at, link) < 0) {
            next = NULL;
        }
        free(at);
        at = next;
    }
    const bool links = at != NULL;
    free(at);
    return links ? lull_error_os(ELOOP, "%s", path) : &lull_enomem;
}
