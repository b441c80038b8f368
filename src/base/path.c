// SPDX-License-Identifier: MIT
#include "base/path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

const char *lull_path_from_here(const char *path)
{
    char here[PATH_MAX];
    if (getcwd(here, sizeof here) == NULL) {
        return path;
    }
    size_t n = strlen(here);
    return strncmp(path, here, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}
