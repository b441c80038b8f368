// SPDX-License-Identifier: MIT
#include "cli/run/frames.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/opt/layers.h"

/** Where the layer says what it could not do. */
static void problem_path(const struct lull_frames *f, struct lull_str *ret)
{
    lull_str_addf(ret, "%s/.lull-frames", f->dir);
}

LULL_MUST_USE static struct lull_error *check_dir(const struct lull_frames *f)
{
    struct stat st = {0};
    if (stat(f->dir, &st) != 0) {
        return lull_error_os(errno, "--frames %s", f->dir);
    }
    if (!S_ISDIR(st.st_mode)) {
        return lull_error_os(ENOTDIR, "--frames %s", f->dir);
    }
    return access(f->dir, W_OK | X_OK) == 0 ? NULL : lull_error_os(errno, "--frames %s", f->dir);
}

struct lull_error *lull_frames_set(const struct lull_frames *f)
{
    enum { DIGITS = 24 };
    char pid[DIGITS] = "", only[DIGITS] = "";
    struct lull_str problem = {0};
    if (f->dir == NULL) {
        return f->only == 0 ? NULL
                            : lull_error_new(LULL_ERR_INVALID, "--frames-only needs --frames");
    }
    struct lull_error *err = check_dir(f);
    lull_cleanup(lull_freep) char *dir = realpath(f->dir, NULL);
    if (err != NULL || dir == NULL) {
        return err != NULL ? err : lull_error_os(errno, "--frames %s", f->dir);
    }
    problem_path(f, &problem);
    if (problem.err == NULL) {
        unlink(problem.text); // of a run before
    }
    err = problem.err;
    lull_str_free(&problem);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    snprintf(only, sizeof only, "%llu", (unsigned long long)f->only);
    if (err == NULL &&
        (setenv("LULL_FRAMES", dir, 1) != 0 || setenv("LULL_FRAMES_PARENT", pid, 1) != 0 ||
         setenv("LULL_FRAMES_ONLY", only, 1) != 0)) {
        err = lull_error_os(errno, "LULL_FRAMES");
    }
    return err != NULL ? err : lull_layers_add("VK_LAYER_LULL_frames", false);
}

struct lull_error *lull_frames_check(const struct lull_frames *f)
{
    enum { LINE = 512 };
    char line[LINE] = "";
    struct lull_str path = {0};
    if (f->dir == NULL) {
        return NULL;
    }
    problem_path(f, &path);
    if (path.err != NULL) {
        return path.err;
    }
    lull_cleanup(lull_fclosep) FILE *in = fopen(path.text, "r");
    struct lull_error *err = NULL;
    if (in != NULL && fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        err = lull_error_new(LULL_ERR_BAD_DATA, "--frames %s: %s", f->dir, line);
        unlink(path.text);
    }
    lull_str_free(&path);
    return err;
}
