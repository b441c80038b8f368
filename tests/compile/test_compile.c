// SPDX-License-Identifier: MIT
// lull_compile_file() on sources of each kind. Arguments: folder of kernels, folder of image
// kernels.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile/compile.h"
#include "image/image.h"
#include "test.h"

struct row {
    const char *name, *file;
    struct lull_compile options;
    enum lull_error_code code; // 0: it works
    const char *text;          // in the error or in the diagnostics
    const char *kernel;        // that the object must have
};

static const char *const unused_flag[] = {"-Wunused-variable"};
static const char *const macro_flags[] = {"-DTILE2=3", "-Werror=implicit-function-declaration"};

static const struct row rows[] = {
    {"OpenCL -O0", "wild.cl", {0}, 0, "", "maths"},
    {"OpenCL -O1", "wild.cl", {.opt_level = 1}, 0, "", "hash"},
    {"OpenCL -O2", "wild.cl", {.opt_level = 2}, 0, "", "modern"},
    {"OpenCL -O3 wave64", "wild.cl", {.opt_level = 3, .wave_size = 64}, 0, "", "reduce"},
    {"OpenCL -O0 wave64", "wild.cl", {.wave_size = 64}, 0, "", "matmul"},
    {"user's flags", "wild.cl", {.nflags = 2, .flags = macro_flags}, 0, "", "nbody"},
    {"OpenCL 1.2",
     "wild.cl",
     {.opt_level = 2, .nflags = 1, .flags = (const char *const[]){"-cl-std=CL1.2"}},
     LULL_ERR_BAD_DATA,
     "modern",
     NULL},
    {"warnings come back",
     "warns.cl",
     {.nflags = 1, .flags = unused_flag},
     0,
     "unused variable",
     "warns"},
    {"error message",
     "broken.cl",
     {0},
     LULL_ERR_BAD_DATA,
     "broken.cl:4:12: error: use of undeclared",
     NULL},
    {"IR", "add.ll", {.opt_level = 2}, 0, "", "add_ir"},
    {"assembly", "../../image/kernels/plain.s", {0}, 0, "", "plain"},
    {"unknown kind", "value.h", {0}, LULL_ERR_UNSUPPORTED, "neither a code object nor", NULL},
    {"no such file", "none.cl", {0}, LULL_ERR_OS, "none.cl: No such file", NULL},
    {"a directory", ".", {0}, LULL_ERR_OS, "Is a directory", NULL},
    {"no compiler",
     "wild.cl",
     {.compiler = "clang-of-nowhere"},
     LULL_ERR_NOT_FOUND,
     "the program clang-of-nowhere is not installed",
     NULL},
    {"bad level", "wild.cl", {.opt_level = 5}, LULL_ERR_INVALID, "level 5", NULL},
    {"bad wave size", "wild.cl", {.wave_size = 16}, LULL_ERR_INVALID, "wave size 16", NULL},
};

// Everything that must hold of an object that was made.
static bool good_object(const struct lull_compiled *c, const struct row *row, char *why,
                        size_t room)
{
    struct lull_image *im = NULL;
    struct lull_error *err = lull_image_parse(c->bytes, c->size, &im);
    const struct lull_kernel_info *k = err == NULL ? lull_image_find_kernel(im, row->kernel) : NULL;
    snprintf(why, room, "%s", err != NULL ? lull_error_message(err) : k == NULL ? "no kernel" : "");
    bool ok = k != NULL && k->wave32 == (row->options.wave_size != 64);
    lull_error_free(err);
    lull_image_free(im);
    return ok;
}

static void check(const struct row *row, const char *folder)
{
    char path[1024], why[256] = "";
    snprintf(path, sizeof path, "%s/%s", folder, row->file);
    struct lull_compiled c = {0};
    struct lull_error *err = lull_compile_file(path, &row->options, &c);
    const char *text = err != NULL ? lull_error_message(err) : c.diagnostics;
    bool ok = (err != NULL ? lull_error_code(err) == row->code : row->code == 0) &&
              strstr(text, row->text) != NULL && (row->text[0] != '\0' || text[0] == '\0');
    if (err == NULL && ok) {
        ok = good_object(&c, row, why, sizeof why);
    }
    test_case(ok, row->name, "%s: %s %s", row->file, text, why);
    lull_error_free(err);
    lull_compiled_done(&c);
}

static size_t count_entries(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    while (d != NULL && readdir(d) != NULL) {
        n++;
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

// A code object is taken as it is; an object file is linked.
static void pass_through(const char *folder, const char *dir)
{
    char path[1024], object[1024], why[256] = "";
    snprintf(path, sizeof path, "%s/add.ll", folder);
    snprintf(object, sizeof object, "%s/object", dir);
    static const char *const only_compile[] = {"-c"};
    const struct row row = {.kernel = "add_ir"};
    const struct lull_compile options[2] = {{0}, {.nflags = 1, .flags = only_compile}};
    for (size_t i = 0; i < 2; i++) {
        struct lull_compiled c = {0}, again = {0};
        struct lull_error *err = lull_compile_file(path, &options[i], &c);
        FILE *f = err == NULL ? fopen(object, "wb") : NULL;
        if (f != NULL) {
            fwrite(c.bytes, 1, c.size, f);
            fclose(f);
            err = lull_compile_file(object, NULL, &again);
            unlink(object);
        }
        bool ok = err == NULL && good_object(&again, &row, why, sizeof why) &&
                  (i == 1 || (c.size == again.size && memcmp(c.bytes, again.bytes, c.size) == 0));
        test_case(ok, i == 0 ? "code object" : "object file", "%s %s",
                  err != NULL ? lull_error_message(err) : "", why);
        lull_error_free(err);
        lull_compiled_done(&c);
        lull_compiled_done(&again);
    }
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    char dir[] = "/tmp/lull-test-XXXXXX";
    if (mkdtemp(dir) == NULL || setenv("TMPDIR", dir, 1) != 0) {
        return 2;
    }
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        check(&rows[i], folder);
    }
    pass_through(folder, dir);
    test_case(count_entries(dir) == 2, "nothing is left behind", "%zu entries in %s",
              count_entries(dir), dir);
    rmdir(dir);
    return test_end();
}
