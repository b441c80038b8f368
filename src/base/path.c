// SPDX-License-Identifier: MIT
#include "base/path.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
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

bool lull_path_same_file(const char *in, const char *out)
{
    struct stat a = {0}, b = {0};
    return stat(in, &a) == 0 && stat(out, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
