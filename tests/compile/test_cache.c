// SPDX-License-Identifier: MIT
// The cache of compiled programs: with a compiler that counts its runs and copies its input and
// what that includes.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compile/cache.h"
#include "compile/cache_dir.h"
#include "compile/run.h"
#include "test.h"

static char top[] = "/tmp/lull-test-XXXXXX";

struct row {
    const char *name;
    const char *text;   // of the program
    const char *beside; // of in.h beside it
    const char *flag;
    bool runs; // the compiler has to run
};

#define BODY "kernel void f() {}\n"
#define HAS BODY "#include \"in.h\"\n"

// In this order: each sees what those before it left.
static const struct row rows[] = {
    {"first", BODY, "", "-O2", true},
    {"again", BODY, "", "-O2", false},
    {"another text", BODY "\n", "", "-O2", true},
    {"the first text again", BODY, "", "-O2", false},
    {"another flag", BODY, "", "-O0", true},
    {"both flags are kept", BODY, "", "-O2", false},
    {"a file beside is included", HAS, "int a;", "-O2", true},
    {"the same file", HAS, "int a;", "-O2", false},
    {"the file beside has changed", HAS, "int b;", "-O2", true},
    {"the file beside is as before", HAS, "int a;", "-O2", false},
    {"with blanks", BODY " # include  \"in.h\" \r\n", "int a;", "-O2", true},
    {"with blanks again", BODY " # include  \"in.h\" \r\n", "int a;", "-O2", false},
    {"include, include", HAS, "#include \"in2.h\"\n", "-O2", true},
    {"include, include: the last has changed", HAS, "#include \"in2.h\"\n", "-O2", true},
    {"a file that includes itself", HAS, "#pragma once\n#include \"in.h\"\n", "-O2", true},
    {"a file that includes itself is never kept", HAS, "#pragma once\n#include \"in.h\"\n", "-O2",
     true},
    {"a file of the system", BODY "#include <in.h>\n", "", "-O2", true},
    {"a file of the system is never kept", BODY "#include <in.h>\n", "", "-O2", true},
    {"a name by a macro", "#define X \"in.h\"\n#include X\n", "", "-O2", true},
    {"a name by a macro is never kept", "#define X \"in.h\"\n#include X\n", "", "-O2", true},
    {"a word in two lines", BODY "#inc\\\nlude <in.h>\n", "", "-O2", true},
    {"a word in two lines is never kept", BODY "#inc\\\nlude <in.h>\n", "", "-O2", true},
    {"something behind the name", BODY "#include \"in.h\" X\n", "", "-O2", true},
    {"something behind the name is never kept", BODY "#include \"in.h\" X\n", "", "-O2", true},
    {"a file elsewhere", BODY "#include \"/tmp/in.h\"\n", "", "-O2", true},
    {"a file elsewhere is never kept", BODY "#include \"/tmp/in.h\"\n", "", "-O2", true},
    {"the date", BODY "constant char d[] = __DATE__;\n", "", "-O2", true},
    {"the date is never kept", BODY "constant char d[] = __DATE__;\n", "", "-O2", true},
    {"a flag with a file", BODY, "", "-fprofile-use=/dev/null", true},
    {"a flag with a file is never kept", BODY, "", "-fprofile-use=/dev/null", true},
    {"a flag with a file here", BODY, "", "-fplugin=in.h", true},
    {"a flag with a file here is never kept", BODY, "", "-fplugin=in.h", true},
    {"a file of flags", BODY, "", "@in.h", true},
    {"a file of flags is never kept", BODY, "", "@in.h", true},
    {"a refusal", "refuse", "", "-O2", true},
    {"a refusal is never kept", "refuse", "", "-O2", true},
};

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
}

static size_t count(void)
{
    struct stat st = {0};
    return stat("runs", &st) == 0 ? (size_t)st.st_size : 0;
}

// A file of lull's own; the sum need not be right, it is what counts.
static const char *own_text = "own";
static uint8_t own_sum[32];

/** One run. @param[out] ret What was made and said, and the status. @return Did the compiler run?
 */
static bool compile(const char *flag, char ret[512])
{
    const size_t before = count();
    char *dir = NULL, out[200], log[200], made[200] = "", said[200] = "";
    struct lull_error *err = lull_run_make_dir(&dir);
    int status = -1;
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    char own[200];
    snprintf(own, sizeof own, "%s/own", dir);
    const struct lull_cache_file file = {own, (const uint8_t *)own_text, strlen(own_text), own_sum};
    const char *const argv[] = {"./compiler", flag, "in.cl", "-o", out, own, NULL};
    const struct lull_cache_run run = {argv, dir, log, "in.cl", out, &file, 1};
    err = err != NULL ? err : lull_cache_run(&run, &status);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (err == NULL && status == 0) {
        err = lull_run_read(out, &bytes, &size);
        snprintf(made, sizeof made, "%s", err == NULL ? (char *)bytes : "");
        free(bytes);
        bytes = NULL;
        err = err != NULL ? err : lull_run_read(log, &bytes, &size);
        snprintf(said, sizeof said, "%s", err == NULL ? (char *)bytes : "");
        free(bytes);
    }
    snprintf(ret, 512, "%s|%s|%d|%s", made, said, status,
             err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    lull_run_remove_dir(dir);
    free(dir);
    return count() != before;
}

static void expected(const char *text, char ret[512])
{
    if (strcmp(text, "refuse") == 0) {
        snprintf(ret, 512, "||3|");
    } else {
        snprintf(ret, 512, "%s|said\n|0|", text);
    }
}

static void check_rows(void)
{
    char last[8] = "1";
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        const struct row *r = &rows[i];
        char got[512], want[512];
        put("in.cl", r->text);
        put("in.h", r->beside);
        last[0]++;
        put("in2.h", last);
        const bool ran = compile(r->flag, got);
        expected(r->text, want);
        test_case(ran == r->runs && strcmp(got, want) == 0, r->name,
                  "ran %d, want %d; '%s', want '%s'", ran, r->runs, got, want);
    }
}

/** Something is done to the cache or the program; then it has to run, and what comes out is right.
 */
static void check_runs(const char *name, bool runs)
{
    char got[512], want[512];
    const bool ran = compile("-O2", got);
    expected(BODY, want);
    test_case(ran == runs && strcmp(got, want) == 0, name, "ran %d; '%s', want '%s'", ran, got,
              want);
}

static char *entry(void)
{
    char *name = NULL;
    size_t room = 0;
    FILE *f = popen("ls cache", "r");
    const bool ok = f != NULL && getline(&name, &room, f) > 0;
    char *path = NULL;
    if (!ok || asprintf(&path, "cache/%.64s", name) < 0) {
        path = NULL;
    }
    free(name);
    if (f != NULL) {
        pclose(f);
    }
    return path;
}

// Each byte changed, and each length: told, and never taken.
static void check_damage(void)
{
    char *path = entry();
    uint8_t *bytes = NULL;
    size_t size = 0, bad = 0;
    struct lull_error *err = path != NULL ? lull_run_read(path, &bytes, &size) : NULL;
    for (size_t i = 0; err == NULL && i < 2 * size; i++) {
        struct lull_cache_entry e = {0};
        if (i < size) {
            bytes[i] ^= 0x10;
        }
        struct lull_error *said = lull_cache_parse(bytes, i < size ? size : i - size, &e);
        bad += said == NULL;
        lull_error_free(said);
        if (i < size) {
            bytes[i] ^= 0x10;
        }
    }
    test_case(size > 56 && bad == 0, "damaged entries are refused", "%zu bytes, %zu taken", size,
              bad);
    if (err == NULL && size != 0) {
        bytes[size - 1] ^= 1;
        unlink(path);
        lull_error_free(lull_run_write(path, bytes, size));
    }
    check_runs("a damaged file of the cache", true);
    check_runs("which is whole again", false);
    own_sum[31] = 1;
    check_runs("another file of ours", true);
    own_sum[31] = 0;
    lull_error_free(err);
    free(bytes);
    free(path);
}

static void check_others(void)
{
    struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    check_runs("a new folder", true);
    check_damage();
    utimensat(AT_FDCWD, "compiler", then, 0);
    check_runs("a new compiler", true);
    setenv("CCC_OVERRIDE_OPTIONS", "+-O3", 1);
    check_runs("clang's own variable", true);
    unsetenv("CCC_OVERRIDE_OPTIONS");
    setenv("LULL_CACHE", "off", 1);
    check_runs("no cache", true);
    setenv("LULL_CACHE", "in.cl", 1);
    check_runs("no folder", true);
    setenv("LULL_CACHE", "cache", 1);
    check_runs("the folder again", false);
    chmod("cache", 0777);
    check_runs("a folder that others may write to", true);
    chmod("cache", 0700);
}

static void check_homes(void)
{
    char home[100];
    unsetenv("LULL_CACHE");
    unsetenv("XDG_CACHE_HOME");
    snprintf(home, sizeof home, "%s/home", top);
    mkdir(home, 0700);
    setenv("HOME", home, 1);
    check_runs("a home", true);
    check_runs("a home again", false);
    test_case(access("home/.cache/lull", F_OK) == 0, "it is in .cache", "%s", home);
    setenv("HOME", "/no/home", 1);
    check_runs("no home", true);
    check_runs("no home again", true);
    setenv("XDG_CACHE_HOME", home, 1);
    check_runs("XDG_CACHE_HOME", true);
    test_case(access("home/lull", F_OK) == 0, "it is in XDG_CACHE_HOME", "%s", home);
}

// One more file than may be: the one that was not used for longest goes.
static void check_sweep(void)
{
    setenv("LULL_CACHE", "many", 1);
    bool ok = lull_cache_dir_there();
    for (unsigned i = 0; i < LULL_CACHE_MAX_FILES; i++) {
        char name[40];
        struct timespec then[2] = {{.tv_sec = 2000 + i}, {.tv_sec = 2000 + i}};
        snprintf(name, sizeof name, "many/%04u", i);
        put(name, "x");
        utimensat(AT_FDCWD, name, then, 0);
    }
    uint8_t *bytes = NULL;
    size_t size = 0;
    struct lull_error *err = lull_cache_dir_read("0000", &bytes, &size);
    ok = ok && err == NULL;
    lull_cache_dir_write("1", "new", 3);
    ok = ok && access("many/0001", F_OK) == 0;
    lull_cache_dir_write("0", "new", 3);
    test_case(ok && access("many/0000", F_OK) == 0 && access("many/0001", F_OK) != 0 &&
                  access("many/0002", F_OK) != 0 && access("many/0003", F_OK) == 0 &&
                  access("many/0", F_OK) == 0,
              "the oldest go", "%s", err != NULL ? lull_error_message(err) : "");
    lull_error_free(err);
    free(bytes);
}

int main(void)
{
    if (mkdtemp(top) == NULL || chdir(top) != 0) {
        return 1;
    }
    setenv("LULL_CACHE", "cache", 1);
    put("compiler", "#!/bin/sh\nprintf x >>runs\ngrep -q refuse \"$2\" && exit 3\n[ \"$(cat $5)\" "
                    "= own ] || exit 4\ncat \"$2\" "
                    ">\"$4\"\necho said\n");
    chmod("compiler", 0700);
    check_rows();
    put("in.cl", BODY);
    if (system("rm -r cache") != 0) {
        return 1;
    }
    check_others();
    check_homes();
    check_sweep();
    char remove[64];
    snprintf(remove, sizeof remove, "rm -r %s", top);
    if (chdir("/") != 0 || system(remove) != 0) {
        return 1;
    }
    return test_end();
}
