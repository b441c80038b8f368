// SPDX-License-Identifier: MIT
// Files that are written whole or not at all (base/output.h), and which files are the same
// (base/files.h).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/output.h"
#include "test.h"

enum { NOBODY = 65534, ROOM = 100 };

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) {
        abort();
    }
}

static bool holds(const char *path, const char *text)
{
    char got[ROOM] = "";
    lull_cleanup(lull_fclosep) FILE *f = fopen(path, "r");
    return f != NULL && fread(got, 1, sizeof got - 1, f) == strlen(text) && strcmp(got, text) == 0;
}

// Names in this folder, without . and ..
static unsigned names(void)
{
    unsigned n = 0;
    DIR *d = opendir(".");
    for (const struct dirent *e = NULL; d != NULL && (e = readdir(d)) != NULL;) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

// 0, or the errno of the error.
static int writes(const char *path, const char *text)
{
    struct lull_error *err = lull_output_write(path, text, strlen(text));
    const int code = err != NULL ? lull_error_errno(err) : 0;
    const bool bad = err != NULL && strstr(lull_error_message(err), path) == NULL;
    lull_error_free(err);
    return bad ? -1 : code;
}

// The same with room for no more than 4 bytes in a file.
static int writes_short(const char *path, const char *text)
{
    const struct rlimit small = {4, RLIM_INFINITY}, big = {RLIM_INFINITY, RLIM_INFINITY};
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &small);
    const int code = writes(path, text);
    (void)setrlimit(RLIMIT_FSIZE, &big);
    return code;
}

static mode_t mode(const char *path)
{
    struct stat st = {0};
    return stat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static bool is_link(const char *path)
{
    struct stat st = {0};
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void files_of_all_kinds(void)
{
    put("old", "old");
    (void)chmod("old", 0640);
    (void)link("old", "hard");
    (void)symlink("old", "soft");
    (void)mkdir("folder", 0755);
    (void)symlink("../old", "folder/up");
    (void)symlink("folder/up", "through");
    (void)symlink("new", "dangling");
    (void)symlink("ring", "ring");
    (void)symlink("/dev/full", "full");
    (void)symlink("/dev/null", "null");
}

static void whole(void)
{
    char longest[256] = "";
    memset(longest, 'x', 255);
    const struct {
        const char *name, *path;
        bool small;
        int want;
        const char *target, *text; // what a file holds afterwards
    } rows[] = {
        {"no room: the old file stays", "old", true, EFBIG, "old", "old"},
        {"no room, through links", "through", true, EFBIG, "old", "old"},
        {"no room: a new file is not there", "new", true, EFBIG, NULL, NULL},
        {"a folder", "folder", false, EISDIR, NULL, NULL},
        {"a ring of links", "ring", false, ELOOP, NULL, NULL},
        {"no such folder", "none/a", false, ENOENT, NULL, NULL},
        {"a link to a full device", "full", false, ENOSPC, NULL, NULL},
        {"a link to a device", "null", false, 0, NULL, NULL},
        {"a link", "soft", false, 0, "old", "12345"},
        {"links through folders", "through", false, 0, "old", "12345"},
        {"a file", "old", false, 0, "old", "12345"},
        {"a link to what is not there", "dangling", false, 0, "new", "12345"},
        {"the longest name", longest, false, 0, longest, "12345"},
    };
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        if (strcmp(rows[i].name, "a file") == 0) {
            put("old", "old");
        }
        const unsigned before = names();
        const bool new = rows[i].want == 0 && rows[i].target != NULL &&mode(rows[i].target) == 0;
        const int got =
            rows[i].small ? writes_short(rows[i].path, "12345") : writes(rows[i].path, "12345");
        const unsigned after = names();
        test_case(got == rows[i].want && after == before + new &&
                      (rows[i].target == NULL || holds(rows[i].target, rows[i].text)),
                  rows[i].name, "errno %d, want %d; %u names, had %u", got, rows[i].want, after,
                  before);
    }
    test_case(is_link("soft") && is_link("through") && is_link("dangling") && is_link("null"),
              "links stay", "one is gone");
    test_case(mode("old") == 0640, "the mode stays", "%o", mode("old"));
    const mode_t mask = umask(0);
    (void)umask(mask);
    test_case(mode("new") == (0666 & ~mask), "a new file's mode is of the umask", "%o",
              mode("new"));
    test_case(holds("hard", "old"), "another hard link keeps the old contents", "it does not");
}

static void two_together(void)
{
    struct lull_output a = {0}, b = {0};
    put("a", "a");
    struct lull_error *err = lull_output_open(&a, "a");
    err = err != NULL ? err : lull_output_put(&a, "new", 3);
    err = err != NULL ? err : lull_output_open(&b, "none/b");
    test_case(err != NULL, "the second of two fails", "no error");
    lull_error_free(err);
    lull_output_done(&a);
    lull_output_done(&b);
    test_case(holds("a", "a"), "then the first is as it was", "it is not");
}

// By a user who may not write it, though he may write the folder.
static void read_only(void)
{
    put("locked", "old");
    (void)chmod("locked", 0444);
    (void)chmod(".", 0777);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) != 0) {
            _exit(ENOSYS);
        }
        _exit(writes("locked", "new"));
    }
    int status = 0;
    (void)waitpid(child, &status, 0);
    test_case(WEXITSTATUS(status) == EACCES && holds("locked", "old"),
              "a file that may not be written is not replaced", "errno %d", WEXITSTATUS(status));
}

// /proc/self/fd/N of a file without a name, and of a pipe.
static void without_a_name(void)
{
    char path[ROOM] = "", got[ROOM] = "";
    const int fd = open("gone", O_RDWR | O_CREAT, 0600);
    (void)unlink("gone");
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const unsigned before = names();
    const int code = writes(path, "text");
    test_case(code == 0 && pread(fd, got, sizeof got - 1, 0) == 4 && strcmp(got, "text") == 0 &&
                  names() == before,
              "a deleted file is written directly", "errno %d: %s", code, got);
    close(fd);
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
        abort();
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    memset(got, 0, sizeof got);
    test_case(writes(path, "pipe") == 0 && read(ends[0], got, 4) == 4 && strcmp(got, "pipe") == 0,
              "a pipe is written directly", "%s", got);
    close(ends[0]);
    close(ends[1]);
}

static void same_files(void)
{
    const struct {
        const char *name, *in, *out, *out2;
        bool refused;
    } rows[] = {
        {"one name", "old", "old", NULL, true},
        {"another spelling", "old", "./folder/../old", NULL, true},
        {"a symbolic link", "old", "through", NULL, true},
        {"a link is read", "soft", "old", NULL, true},
        {"two other files", "old", "new", NULL, false},
        {"a hard link", "locked", "locked-2", NULL, true},
        {"two outputs", "old", "a", "./a", true},
        {"two outputs that are not there", "old", "none-1", "folder/../none-1", true},
        {"two outputs, one by a dangling link", "old", "none-2", "dangling-2", true},
        {"outputs of one name in two folders", "old", "none-1", "folder/none-1", false},
        {"devices", "/dev/null", "/dev/null", "/dev/null", false},
        {"standard streams", "-", "-", "-", false},
        {"no folder", "old", "none/a", "none/a", false},
        {"nothing", NULL, NULL, NULL, false},
    };
    (void)link("locked", "locked-2");
    (void)symlink("none-2", "dangling-2");
    for (size_t i = 0; i < TEST_ROWS(rows); i++) {
        struct lull_files f = {0};
        lull_files_out(&f, rows[i].out);
        lull_files_in(&f, rows[i].in);
        lull_files_out(&f, rows[i].out2);
        struct lull_error *err = lull_files_check(&f);
        test_case((err != NULL) == rows[i].refused &&
                      (err == NULL || lull_error_code(err) == LULL_ERR_INVALID),
                  rows[i].name, "%s", err != NULL ? lull_error_message(err) : "no error");
        lull_error_free(err);
        if (rows[i].refused) {
            err = lull_files_may_write(&f, rows[i].out);
            test_case(err != NULL, rows[i].name, "may be written once more");
            lull_error_free(err);
        }
        lull_files_done(&f);
    }
}

int main(void)
{
    char folder[] = "/tmp/lull-output-XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    files_of_all_kinds();
    whole();
    two_together();
    read_only();
    without_a_name();
    same_files();
    const char *const rm[] = {"rm", "-rf", folder, NULL};
    const pid_t child = fork();
    if (child == 0) {
        (void)chdir("/");
        execvp(rm[0], (char *const *)rm);
        _exit(1);
    }
    (void)waitpid(child, NULL, 0);
    return test_end();
}
