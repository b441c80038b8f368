// SPDX-License-Identifier: MIT
#include "compile/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/files.h"
#include "base/str.h"

enum {
    MAX_FILE_BYTES = 1 << 30,
};

extern char **environ;

struct lull_error *lull_run_read(const char *path, uint8_t **ret, size_t *ret_size)
{
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    struct stat st = {0};
    struct lull_error *err = lull_files_fopen(path, &f);
    if (err != NULL) {
        return err;
    }
    if (fstat(fileno(f), &st) != 0) {
        return lull_error_os(errno, "%s", path);
    }
    if (S_ISDIR(st.st_mode)) {
        return lull_error_os(EISDIR, "%s", path);
    }
    // A pipe or a device has no size: the buffer grows.
    size_t room = st.st_size > 0 && st.st_size < MAX_FILE_BYTES ? (size_t)st.st_size + 1 : 4096;
    lull_cleanup(lull_freep) uint8_t *bytes = malloc(room + 1);
    size_t size = 0;
    while (bytes != NULL) {
        size += fread(bytes + size, 1, room - size, f);
        if (size < room) {
            break;
        }
        if (room > MAX_FILE_BYTES) {
            return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: larger than 1 GiB", path);
        }
        room *= 2;
        uint8_t *more = realloc(bytes, room + 1);
        if (more == NULL) {
            return &lull_enomem;
        }
        bytes = more;
    }
    if (bytes == NULL) {
        return &lull_enomem;
    }
    if (ferror(f)) {
        return lull_error_os(errno, "%s", path);
    }
    bytes[size] = 0;
    *ret = bytes;
    *ret_size = size;
    bytes = NULL; // the caller's now
    return NULL;
}

struct lull_error *lull_run_write(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wbx");
    if (f == NULL) {
        return lull_error_os(errno, "%s", path);
    }
    bool ok = fwrite(bytes, 1, size, f) == size;
    int why = errno;
    if (fclose(f) != 0 || !ok) {
        return lull_error_os(ok ? errno : why, "%s", path);
    }
    return NULL;
}

struct lull_error *lull_run_make_dir(char **ret)
{
    const char *root = getenv("TMPDIR");
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/lull-XXXXXX", root != NULL && root[0] != '\0' ? root : "/tmp");
    struct lull_error *err = path.err;
    if (err == NULL && mkdtemp(path.text) == NULL) {
        err = lull_error_os(errno, "%s", path.text);
    }
    if (err != NULL) {
        lull_str_free(&path);
        return err;
    }
    *ret = path.text;
    return NULL;
}

void lull_run_remove_dir(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e = NULL; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            unlinkat(dirfd(d), e->d_name, 0);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    rmdir(dir);
}

// The environment with TMPDIR set to setting ("TMPDIR=..."), and for glslangValidator with large
// pages, if nothing is asked of malloc: it starts with 15 MB of names that are built in, and takes
// half the time where the kernel gives it those at once. The array is for free().
static char **environment(const char *program, char *setting)
{
    static char large_pages[] = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";
    const bool large = strcmp(program, "glslangValidator") == 0 && getenv("GLIBC_TUNABLES") == NULL;
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **env = calloc(count + 3, sizeof *env);
    size_t n = 0;
    for (size_t i = 0; env != NULL && i < count; i++) {
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) {
            env[n++] = environ[i];
        }
    }
    if (env != NULL) {
        env[n] = setting;
        env[n + 1] = large ? large_pages : NULL;
    }
    return env;
}

static int spawn(const char *const *argv, char **env, const char *log, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    int why = posix_spawn_file_actions_init(&files);
    if (why != 0) {
        return why;
    }
    why = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (why == 0) {
        why = posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    if (why == 0) {
        why = posix_spawn_file_actions_adddup2(&files, 1, 2);
    }
    if (why == 0) {
        why = posix_spawnp(ret, argv[0], &files, NULL, (char *const *)argv, env);
    }
    posix_spawn_file_actions_destroy(&files);
    return why;
}

struct lull_error *lull_run_program(const char *const *argv, const char *dir, const char *log,
                                    int *ret_status)
{
    struct lull_str setting = {0};
    lull_str_addf(&setting, "TMPDIR=%s", dir);
    lull_cleanup(lull_freep) char **env =
        setting.err == NULL ? environment(argv[0], setting.text) : NULL;
    pid_t child = 0;
    int why = env != NULL ? spawn(argv, env, log, &child) : ENOMEM;
    lull_str_free(&setting);
    if (why == ENOENT || why == EACCES) { // EACCES: also if a folder of PATH may not be searched
        return lull_error_new(LULL_ERR_NOT_FOUND, "the program %s is not installed%s", argv[0],
                              why == EACCES ? ", or may not be executed" : "");
    }
    if (why != 0) {
        return lull_error_os(why, "%s", argv[0]);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return lull_error_os(errno, "%s", argv[0]);
        }
    }
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return NULL;
}
