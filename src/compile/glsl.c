// SPDX-License-Identifier: MIT
#include "compile/glsl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/str.h"
#include "compile/cache.h"
#include "compile/run.h"

enum { MAX_ARGUMENTS = 16 };

struct glsl {
    const char *path, *stage;
    const char *const *flags;
    size_t nflags;
    char *dir;
    struct lull_str out, log, include, input; ///< Names.
};

LULL_MUST_USE static struct lull_error *names(struct glsl *g)
{
    const char *slash = strrchr(g->path, '/');
    const int n = slash != NULL ? (int)(slash - g->path) : 1;
    lull_str_addf(&g->out, "%s/out.spv", g->dir);
    lull_str_addf(&g->log, "%s/log", g->dir);
    lull_str_addf(&g->include, "-I%.*s", n != 0 ? n : 1, slash != NULL ? g->path : ".");
    // A name that starts with '-' would be an option.
    lull_str_addf(&g->input, "%s%s", g->path[0] == '-' ? "./" : "", g->path);
    struct lull_error *err = NULL;
    struct lull_str *const all[] = {&g->out, &g->log, &g->include, &g->input};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (err == NULL) {
            err = all[i]->err;
        } else {
            lull_error_free(all[i]->err);
        }
        all[i]->err = NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *run(struct glsl *g, const char *target, int *ret_status)
{
    lull_cleanup(lull_freep) const char **argv = calloc(MAX_ARGUMENTS + g->nflags, sizeof *argv);
    if (argv == NULL) {
        return &lull_enomem;
    }
    const char *const fixed[] = {"glslangValidator", "--quiet", "-V",
                                 "--target-env",     target,    "-S",
                                 g->stage,           "-g",      g->include.text};
    size_t n = 0;
    for (; n < sizeof fixed / sizeof fixed[0]; n++) {
        argv[n] = fixed[n];
    }
    for (size_t i = 0; i < g->nflags; i++) {
        argv[n++] = g->flags[i];
    }
    argv[n++] = "-o";
    argv[n++] = g->out.text;
    argv[n++] = g->input.text;
    const struct lull_cache_run how = {.argv = argv,
                                       .dir = g->dir,
                                       .log = g->log.text,
                                       .input = g->input.text,
                                       .out = g->out.text};
    return lull_cache_run(&how, ret_status);
}

LULL_MUST_USE static struct lull_error *compile(struct glsl *g, uint8_t **ret, size_t *ret_size)
{
    static const char *const targets[] = {"vulkan1.3", "vulkan1.2"};
    int status = 1;
    lull_cleanup(lull_freep) uint8_t *text = NULL;
    struct lull_error *err = names(g);
    for (size_t i = 0; err == NULL && status != 0 && i < 2; i++) {
        size_t size = 0;
        free(text);
        text = NULL;
        err = run(g, targets[i], &status);
        if (err == NULL && status != 0) {
            err = lull_run_read(g->log.text, &text, &size);
            if (text != NULL && strstr((const char *)text, targets[i]) == NULL) {
                break; // it is not the target that it does not know
            }
        }
    }
    if (err == NULL && status != 0) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "glslangValidator refused it (status %d):\n%s",
                             status, text != NULL ? (const char *)text : "");
    }
    return err != NULL ? err : lull_run_read(g->out.text, ret, ret_size);
}

struct lull_error *lull_compile_glsl_stage(const char *path, const char *stage,
                                           const char *const *flags, size_t nflags, uint8_t **ret,
                                           size_t *ret_size)
{
    struct glsl g = {.path = path, .stage = stage, .flags = flags, .nflags = nflags};
    lull_cleanup(lull_closep) int fd = -1; // while the compiler reads the file
    struct lull_error *err = lull_files_open(path, &fd);
    if (err != NULL) {
        return err;
    }
    err = lull_run_make_dir(&g.dir);
    if (err == NULL) {
        err = compile(&g, ret, ret_size);
        lull_run_remove_dir(g.dir);
    }
    lull_str_free(&g.out);
    lull_str_free(&g.log);
    lull_str_free(&g.include);
    lull_str_free(&g.input);
    free(g.dir);
    return lull_error_in(err, "%s", path);
}

/** The stage of a file of GLSL by its name, as glslangValidator calls it; NULL: it is none. */
static const char *stage_of(const char *path)
{
    static const char *const stages[] = {"comp",  "vert",  "tesc",  "tese", "geom",
                                         "task",  "mesh",  "frag",  "rgen", "rint",
                                         "rahit", "rchit", "rmiss", "rcall"};
    const char *dot = strrchr(path, '.');
    if (dot == NULL || strcmp(dot, ".glsl") == 0) {
        return dot != NULL ? "comp" : NULL;
    }
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        if (strcmp(dot + 1, stages[i]) == 0) {
            return stages[i];
        }
    }
    return NULL;
}

bool lull_compile_is_glsl(const char *path)
{
    return stage_of(path) != NULL;
}

struct lull_error *lull_compile_glsl(const char *path, const char *const *flags, size_t nflags,
                                     uint8_t **ret, size_t *ret_size)
{
    const char *stage = stage_of(path);
    return stage != NULL ? lull_compile_glsl_stage(path, stage, flags, nflags, ret, ret_size)
                         : lull_run_read(path, ret, ret_size);
}
