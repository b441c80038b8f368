// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"
#include "cli/adreno/ir3_instrument.h"
#include "cli/opt/manifests.h"

enum { FIXED = 8, NOT_STARTED = 126, SIGNALLED = 128 };

/** What goes on. */
struct live {
    const struct lull_ir3_live *how;
    char self[4096], made[64]; ///< made: a folder of its own.
    const char *dir;
    struct lull_str log;   ///< Path of the listings.
    struct lull_str taken; ///< Of what Mesa says the second time.
    off_t input;           ///< Where standard input was; negative: it cannot go back.
};

/** In the child: this program, with @p argv. It returns if that fails. */
static void become(const struct live *l, char *const *argv, bool first)
{
    const char *path = lull_str_text(&l->log);
    const int log = first ? open(path, O_WRONLY) : -1;
    const int nothing = first ? open("/dev/null", O_WRONLY) : -1;
    bool ok = !first || (log >= 0 && nothing >= 0 && dup2(log, STDERR_FILENO) >= 0 &&
                         dup2(nothing, STDOUT_FILENO) >= 0);
    if (first) {
        ok = ok && setenv("IR3_SHADER_DEBUG", "vs,tcs,tes,gs,fs,cs", 1) == 0 &&
             unsetenv("IR3_SHADER_OVERRIDE_PATH") == 0 && unsetenv("MESA_LOG_FILE") == 0;
    } else { // Mesa prints what it takes, which is not for the program's user.
        ok = ok && setenv("MESA_LOG_FILE", lull_str_text(&l->taken), 0) == 0;
        ok = ok && setenv("IR3_SHADER_OVERRIDE_PATH", l->dir, 1) == 0 &&
             unsetenv("IR3_SHADER_DEBUG") == 0;
    }
    // What a cache has is not compiled, and then neither printed nor replaced.
    ok = ok && setenv("MESA_SHADER_CACHE_DISABLE", "true", 1) == 0;
    if (ok) {
        (void)execv(l->self, argv);
    }
}

/** The program. @p status: as a shell has it. */
LULL_MUST_USE static struct lull_error *run(const struct live *l, bool first, int *status)
{
    static char exec[] = "exec", gpu[] = "--gpu", records[] = "--records", rest[] = "--";
    char name[16] = "", self[] = "lull";
    size_t n = 0, words = 0;
    int how = 0;
    (void)snprintf(name, sizeof name, "a%u", l->how->gen);
    while (l->how->program[words] != NULL) {
        words++;
    }
    char **argv = calloc(words + FIXED, sizeof(char *));
    if (argv == NULL) {
        return &lull_enomem;
    }
    argv[n++] = self, argv[n++] = exec, argv[n++] = gpu, argv[n++] = name;
    if (!first) {
        argv[n++] = records;
        argv[n++] = (char *)(uintptr_t)l->dir; // Nobody writes into it.
    }
    argv[n++] = rest;
    memcpy(argv + n, l->how->program, words * sizeof(char *));
    (void)fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        become(l, argv, first);
        _exit(NOT_STARTED);
    }
    while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    free(argv);
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : SIGNALLED + WTERMSIG(how);
    return pid > 0 ? NULL : lull_error_os(errno, "%s", l->how->program[0]);
}

/** What the program wrote to standard error the first time. */
static void show_log(const struct live *l)
{
    char part[4096];
    size_t n = 0;
    FILE *f = fopen(lull_str_text(&l->log), "r");
    while (f != NULL && (n = fread(part, 1, sizeof part, f)) != 0) {
        (void)fwrite(part, 1, n, stderr);
    }
    if (f != NULL) {
        (void)fclose(f);
    }
}

LULL_MUST_USE static struct lull_error *begin(struct live *l)
{
    const char *temp = getenv("TMPDIR");
    const ssize_t size = readlink("/proc/self/exe", l->self, sizeof l->self - 1);
    if (size <= 0) {
        return lull_error_os(errno, "/proc/self/exe");
    }
    l->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
    l->dir = l->how->dir;
    if (l->dir == NULL) {
        (void)snprintf(l->made, sizeof l->made, "%.40s/lull-live-XXXXXX",
                       temp != NULL && strlen(temp) <= 40 ? temp : "/tmp");
        l->dir = mkdtemp(l->made);
        if (l->dir == NULL) {
            return lull_error_os(errno, "%s", l->made);
        }
    } else if (mkdir(l->dir, 0777) != 0 && errno != EEXIST) {
        return lull_error_os(errno, "%s", l->dir);
    }
    lull_str_addf(&l->log, "%s/log", l->dir);
    lull_str_addf(&l->taken, "%s/log-instrumented", l->dir);
    struct lull_error *err = l->log.err != NULL ? l->log.err : l->taken.err;
    return err != NULL ? err : lull_output_write(lull_str_text(&l->log), "", 0);
}

/** The folder that was made for all of it. */
static void end(struct live *l)
{
    DIR *d = l->made[0] != '\0' && l->how->dir == NULL && l->dir != NULL ? opendir(l->dir) : NULL;
    for (const struct dirent *e = NULL; d != NULL && (e = readdir(d)) != NULL;) {
        (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d != NULL) {
        (void)closedir(d);
        (void)rmdir(l->dir);
    }
    lull_str_free(&l->log);
    lull_str_free(&l->taken);
}

/** The records of every shader that ran. */
LULL_MUST_USE static struct lull_error *tell(const struct live *l)
{
    struct lull_manifests all = {0};
    struct lull_error *err = lull_manifests_read(l->dir, &all);
    for (size_t i = 0; err == NULL && i < all.n; i++) {
        const struct lull_manifest_file *f = &all.all[i];
        const char *shader = f->manifest.shader != NULL ? f->manifest.shader : f->path;
        if (access(f->dump, F_OK) != 0) {
            printf("%s\ndid not run\n", shader);
            continue;
        }
        printf("%s\n", shader);
        err = lull_ir3_records_show(f->path, f->dump);
    }
    lull_manifests_done(&all);
    return err;
}

/** Dumps of another time are not this one's. */
LULL_MUST_USE static struct lull_error *forget(const struct live *l)
{
    struct lull_manifests all = {0};
    struct lull_error *err = lull_manifests_read(l->dir, &all);
    for (size_t i = 0; err == NULL && i < all.n; i++) {
        (void)unlink(all.all[i].dump);
    }
    lull_manifests_done(&all);
    if (err == NULL && l->input >= 0) { // Standard input once more, if it is a file.
        (void)lseek(STDIN_FILENO, l->input, SEEK_SET);
    }
    return err;
}

struct lull_error *lull_ir3_live(const struct lull_ir3_live *how, int *status)
{
    struct live l = {.how = how};
    int first = 0;
    struct lull_error *err = begin(&l);
    err = err != NULL ? err : run(&l, true, &first);
    if (err == NULL && (first == NOT_STARTED || first == NOT_STARTED + 1)) {
        show_log(&l);
        err = lull_error_new(LULL_ERR_OS, "%s did not start", how->program[0]);
    }
    err = err != NULL ? err : how->instrument(how->ctx, lull_str_text(&l.log), l.dir);
    err = err != NULL ? err : forget(&l);
    err = err != NULL ? err : run(&l, false, status);
    err = err != NULL ? err : tell(&l);
    end(&l);
    return err;
}
