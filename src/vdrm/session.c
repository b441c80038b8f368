// SPDX-License-Identifier: MIT
// The folder, the server, and programs that are started with the shim.
#include "vdrm/session.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "vdrm/server.h"
#include "vdrm/vdrm_priv.h"

extern char **environ;

struct lull_session {
    char *dir, *socket, *shim;
    struct lull_server *server;
    sigset_t mask; // Of signals, for programs.
};

// Where the shim may lie, seen from the folder of the running program.
static const char *const shim_places[] = {
    "liblull_shim.so",
    "src/shim/liblull_shim.so",
    "../src/shim/liblull_shim.so",
    "../lib/liblull_shim.so",
    "../lib/x86_64-linux-gnu/liblull_shim.so",
    "../../liblull_shim.so",
};

LULL_MUST_USE static struct lull_error *find_shim(char **ret)
{
    const char *given = getenv("LULL_SHIM");
    char exe[PATH_MAX] = "";
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash = n > 0 ? strrchr(exe, '/') : NULL;
    const size_t places = given != NULL ? 1 : sizeof shim_places / sizeof shim_places[0];
    char *found = NULL;
    for (size_t i = 0; found == NULL && slash != NULL && i < places; i++) {
        lull_cleanup(lull_freep) char *path = NULL;
        if (asprintf(&path, "%.*s/%s", (int)(slash - exe), exe, shim_places[i]) < 0) {
            path = NULL;
            return &lull_enomem;
        }
        found = realpath(given != NULL ? given : path, NULL);
    }
    if (found == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "liblull_shim.so is neither in LULL_SHIM nor next to lull");
    }
    if (strpbrk(found, " :") != NULL) {
        struct lull_error *err =
            lull_error_new(LULL_ERR_UNSUPPORTED,
                           "%s: LD_PRELOAD cannot hold a path with a space or a colon", found);
        free(found);
        return err;
    }
    *ret = found;
    return NULL;
}

LULL_MUST_USE static struct lull_error *make_folder(struct lull_session *s)
{
    const char *tmp = getenv("TMPDIR");
    if (asprintf(&s->dir, "%s/lull-XXXXXX", tmp != NULL && tmp[0] == '/' ? tmp : "/tmp") < 0) {
        s->dir = NULL;
        return &lull_enomem;
    }
    if (mkdtemp(s->dir) == NULL) {
        struct lull_error *err = lull_error_os(errno, "%s", s->dir);
        free(s->dir);
        s->dir = NULL;
        return err;
    }
    if (asprintf(&s->socket, "%s/gpu", s->dir) < 0) {
        s->socket = NULL;
        return &lull_enomem;
    }
    lull_cleanup(lull_closep) int dir = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int r = dir >= 0 ? lull_vd_sysfs_tree(dir) : -errno;
    return r != 0 ? lull_error_os(-r, "%s", s->dir) : NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    remove(path);
    return 0;
}

void lull_session_free(struct lull_session *s)
{
    enum { OPEN_DIRS = 16 };
    if (s == NULL) {
        return;
    }
    lull_server_free(s->server);
    if (s->dir != NULL) {
        nftw(s->dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
    }
    free(s->dir);
    free(s->socket);
    free(s->shim);
    free(s);
}

struct lull_error *lull_session_new(struct lull_kernel *k, const sigset_t *mask,
                                    struct lull_session **ret)
{
    struct lull_session *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    s->mask = *mask;
    struct lull_error *err = find_shim(&s->shim);
    if (err == NULL) {
        err = make_folder(s);
    }
    if (err == NULL) {
        err = lull_server_new(k, s->socket, false, &s->server);
    }
    if (err != NULL) {
        lull_session_free(s);
        return err;
    }
    *ret = s;
    return NULL;
}

const char *lull_session_dir(const struct lull_session *s)
{
    return s->dir;
}

// "NAME=VALUE" in place of what the environment has under that name.
static void env_set(char **env, char *entry)
{
    const size_t name = (size_t)(strchr(entry, '=') - entry) + 1;
    size_t i = 0;
    while (env[i] != NULL && strncmp(env[i], entry, name) != 0) {
        i++;
    }
    env[i] = entry;
}

struct lull_error *lull_session_spawn(struct lull_session *s, char *const argv[], pid_t *ret)
{
    enum { MORE = 2 };
    const char *preload = getenv("LD_PRELOAD");
    size_t n = 0;
    while (environ[n] != NULL) {
        n++;
    }
    lull_cleanup(lull_freep) char **env = calloc(n + MORE + 1, sizeof *env);
    lull_cleanup(lull_freep) char *socket = NULL;
    lull_cleanup(lull_freep) char *shim = NULL;
    if (env == NULL || asprintf(&socket, "LULL_SOCKET=%s", s->socket) < 0 ||
        asprintf(&shim, "LD_PRELOAD=%s%s%s", s->shim, preload != NULL ? ":" : "",
                 preload != NULL ? preload : "") < 0) {
        return &lull_enomem;
    }
    memcpy(env, environ, n * sizeof *env);
    env_set(env, socket);
    env_set(env, shim);
    posix_spawnattr_t attr;
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attr, &s->mask);
    const int r = posix_spawnp(ret, argv[0], NULL, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    if (r == ENOENT) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s: no such program", argv[0]);
    }
    return r != 0 ? lull_error_os(r, "%s", argv[0]) : NULL;
}
