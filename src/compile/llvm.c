// SPDX-License-Identifier: MIT
#include "compile/llvm.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

extern char **environ;

// Seen from the folder of the running program: build directory, tests in it, installed.
static const char *const places[] = {
    "lull-cc",
    "../lull-cc",
    "../../lull-cc",
    "../libexec/lull-cc",
};

struct lull_error *lull_llvm_find(char **ret)
{
    const char *given = getenv("LULL_CC");
    char exe[PATH_MAX] = "";
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash = n > 0 ? strrchr(exe, '/') : NULL;
    char *found = given != NULL ? realpath(given, NULL) : NULL;
    for (size_t i = 0; given == NULL && found == NULL && slash != NULL; i++) {
        if (i == sizeof places / sizeof places[0]) {
            break;
        }
        lull_cleanup(lull_freep) char *path = NULL;
        if (asprintf(&path, "%.*s/%s", (int)(slash - exe), exe, places[i]) < 0) {
            path = NULL;
            return &lull_enomem;
        }
        found = realpath(path, NULL);
    }
    if (found == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "lull-cc is neither in LULL_CC nor next to lull");
    }
    *ret = found;
    return NULL;
}

struct lull_error *lull_llvm_run(const char **argv, int *ret_status)
{
    lull_cleanup(lull_freep) char *path = NULL;
    struct lull_error *err = lull_llvm_find(&path);
    if (err != NULL) {
        return err;
    }
    argv[0] = path;
    pid_t child = 0;
    int status = 0;
    const int why = posix_spawn(&child, path, NULL, NULL, (char *const *)argv, environ);
    if (why != 0) {
        return lull_error_os(why, "%s", path);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return lull_error_os(errno, "%s", path);
        }
    }
    if (WIFSIGNALED(status)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "LLVM failed on this input (%s); nothing was written",
                              strsignal(WTERMSIG(status)));
    }
    *ret_status = WEXITSTATUS(status);
    return NULL;
}
