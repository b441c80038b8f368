// SPDX-License-Identifier: MIT
#include "compile/llvm.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "compile/run.h"

extern char **environ;

// Exit status of a program that the loader could not load. Source: ld.so(8).
enum { NOT_STARTED = 127 };

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

/** Its standard error goes into a pipe. @param[out] ret_said The end to read from. */
LULL_MUST_USE static struct lull_error *start(const char **argv, pid_t *ret, int *ret_said)
{
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t files;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return lull_error_os(errno, "pipe");
    }
    int why = posix_spawn_file_actions_init(&files);
    if (why == 0) {
        why = posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
        why =
            why != 0 ? why : posix_spawn(ret, argv[0], &files, NULL, (char *const *)argv, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    close(ends[1]);
    if (why != 0) {
        close(ends[0]);
        return lull_error_os(why, "%s", argv[0]);
    }
    *ret_said = ends[0];
    return NULL;
}

/** What it says goes to standard error, but for what the loader says of a library that is missing.
 */
static void pass_on(int from, struct lull_str *missing)
{
    static const char loader[] = ": error while loading shared libraries: ";
    char text[4096] = "";
    for (;;) {
        const ssize_t n = read(from, text, sizeof text);
        const char *what = n > 0 ? memmem(text, (size_t)n, loader, sizeof loader - 1) : NULL;
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return;
        }
        if (what != NULL) {
            what += sizeof loader - 1;
            const size_t left = (size_t)(text + n - what);
            const char *end = memchr(what, '\n', left);
            lull_str_add(missing, what, end != NULL ? (size_t)(end - what) : left);
        } else if (n > 0) {
            (void)fwrite(text, 1, (size_t)n, stderr);
        }
    }
}

struct lull_error *lull_llvm_run(const char **argv, int *ret_status)
{
    lull_cleanup(lull_freep) char *path = NULL;
    lull_cleanup(lull_str_free) struct lull_str missing = {0};
    pid_t child = 0;
    int status = 0, said = -1;
    struct lull_error *err = lull_llvm_find(&path);
    argv[0] = path;
    err = err != NULL ? err : start(argv, &child, &said);
    if (err != NULL) {
        return err;
    }
    pass_on(said, &missing);
    close(said);
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
    if (WEXITSTATUS(status) == NOT_STARTED) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "a library of LLVM 19 is missing: %s",
                              missing.size != 0 ? missing.text : path);
    }
    *ret_status = WEXITSTATUS(status);
    return NULL;
}

LULL_MUST_USE static struct lull_error *list_in(const char *dir, const char *cpu,
                                                const char *features, const void *code, size_t size,
                                                struct lull_str *ret)
{
    lull_cleanup(lull_freep) char *in = NULL;
    lull_cleanup(lull_freep) char *out = NULL;
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    size_t text_size = 0;
    int status = 0;
    if (asprintf(&in, "%s/code.bin", dir) < 0) {
        in = NULL;
        return &lull_enomem;
    }
    if (asprintf(&out, "%s/code.txt", dir) < 0) {
        out = NULL;
        return &lull_enomem;
    }
    struct lull_error *err = lull_run_write(in, code, size);
    if (err == NULL) {
        const char *argv[] = {"", "--list-code", cpu, features, in, out, NULL};
        err = lull_llvm_run(argv, &status);
    }
    if (err == NULL && status != 0) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED, "lull-cc did not list code for %s", cpu);
    }
    err = err != NULL ? err : lull_run_read(out, &text, &text_size);
    if (err == NULL) {
        lull_str_add(ret, (const char *)text, text_size);
        err = ret->err;
    }
    return err;
}

struct lull_error *lull_llvm_list(const char *cpu, const char *features, const void *code,
                                  size_t size, struct lull_str *ret)
{
    lull_cleanup(lull_freep) char *dir = NULL;
    struct lull_error *err = lull_run_make_dir(&dir);
    if (err == NULL) {
        err = list_in(dir, cpu, features, code, size, ret);
        lull_run_remove_dir(dir);
    }
    return err;
}
