// SPDX-License-Identifier: MIT
// The folder, the server, and programs that are started with the shim.
#include "vdrm/core/session.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "vdrm/core/server.h"
#include "vdrm/core/vd.h"

extern char **environ;

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct lull_session {
    struct lull_vd *d;
    char *dir, *socket, *shim;
    bool arm64_first;    // Where programs are looked up.
    char *names, *layer; // Where the names layer writes, and where it is; NULL: it is not wanted.
    struct lull_server *server;
    pid_t watcher;       // Removes the folder when this process has ended, however it did; 0: none.
    int alive;           // A pipe's end that it waits for; -1: none.
    sigset_t mask;       // Of signals, for programs.
    struct rlimit files; // The same; this process wants more.
};

// Where the shim may lie, seen from the folder of the running program.
static const char *const shim_places[] = {
    "liblull_shim.so",
    "src/shim/liblull_shim.so",
    "../src/shim/liblull_shim.so",
    "../lib/liblull_shim.so",
    "../lib/x86_64-linux-gnu/liblull_shim.so",
    "../lib64/liblull_shim.so",
    "../../liblull_shim.so",
};

static const char *const arm64_places[] = {
    "liblull_shim_arm64.so",
    "src/shim/liblull_shim_arm64.so",
    "../src/shim/liblull_shim_arm64.so",
    "../lib/lull/liblull_shim_arm64.so",
    "../lib/x86_64-linux-gnu/lull/liblull_shim_arm64.so",
    "../../liblull_shim_arm64.so",
};

LULL_MUST_USE static struct lull_error *find_shim(bool arm64, char **ret)
{
    const char *given = getenv("LULL_SHIM");
    char *found = given != NULL ? realpath(given, NULL)
                  : arm64       ? lull_launch_beside(arm64_places, COUNT(arm64_places))
                                : lull_launch_beside(shim_places, COUNT(shim_places));
    if (found == NULL && arm64) {
        return lull_error_new(
            LULL_ERR_NOT_FOUND,
            "liblull_shim_arm64.so is neither in LULL_SHIM nor next to lull: with "
            "a folder of arm64 programs (tools/arm64-root.sh) ninja builds it");
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

// Where the manifests of lull's layers may lie.
static const char *const layer_places[] = {
    "src/layer", "../src/layer", "../../src/layer", "../lib/lull", "../lib/x86_64-linux-gnu/lull",
};

struct lull_error *lull_session_layers(char **ret)
{
    char exe[PATH_MAX] = "";
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash = n > 0 ? strrchr(exe, '/') : NULL;
    for (size_t i = 0; slash != NULL && i < sizeof layer_places / sizeof layer_places[0]; i++) {
        lull_cleanup(lull_freep) char *manifest = NULL;
        if (asprintf(&manifest, "%.*s/%s/VkLayer_lull_names.json", (int)(slash - exe), exe,
                     layer_places[i]) < 0) {
            manifest = NULL;
            return &lull_enomem;
        }
        if (access(manifest, R_OK) == 0) {
            *strrchr(manifest, '/') = '\0';
            *ret = realpath(manifest, NULL);
            return *ret != NULL ? NULL : &lull_enomem;
        }
    }
    return lull_error_new(LULL_ERR_NOT_FOUND, "VkLayer_lull_names.json is not where lull is");
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
    s->d->folder = s->dir; // what of the GPU is to be seen comes when somebody looks
    return NULL;
}

// What a watcher needs.
struct watcher {
    const char *dir;
    int end; // of the pipe
};

// In the watcher: nothing of this process but an end of the pipe as its input, then a shell in a
// session of its own, which the terminal's signals and those for our process group do not reach.
// Its input ends with this process. (A fork would hold all of this process's memory, which is the
// GPU's, too.) Returns only with an errno.
static int become_watcher(void *arg)
{
    const struct watcher *w = arg;
    const char *const argv[] = {"sh",          "-c",   "read -r line; exec rm -rf -- \"$1\"",
                                "lull-folder", w->dir, NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    sigset_t none;
    sigemptyset(&none);
    const int null = open("/dev/null", O_WRONLY);
    if (null < 0 || setsid() < 0 || dup2(w->end, STDIN_FILENO) < 0 ||
        dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 || chdir("/") != 0) {
        return errno;
    }
    closefrom(STDERR_FILENO + 1);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve("/bin/sh", (char *const *)argv, (char *const *)env);
    return errno;
}

LULL_MUST_USE static struct lull_error *watch_folder(struct lull_session *s)
{
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return lull_error_os(errno, "%s", s->dir);
    }
    struct watcher w = {.dir = s->dir, .end = ends[0]};
    const int r = lull_child_start(become_watcher, &w, &s->watcher);
    close(ends[0]);
    s->alive = ends[1];
    return r != 0 ? lull_error_os(r, "/bin/sh, to remove %s at the end", s->dir) : NULL;
}

static void end_watcher(struct lull_session *s)
{
    if (s->watcher != 0) {
        kill(s->watcher, SIGKILL);
        waitpid(s->watcher, NULL, 0);
    }
    if (s->alive >= 0) {
        close(s->alive);
    }
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
    s->d->folder = NULL;
    s->d->places = 0;
    if (s->dir != NULL) {
        nftw(s->dir, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
    }
    end_watcher(s);
    free(s->dir);
    free(s->socket);
    free(s->shim);
    free(s->names);
    free(s->layer);
    free(s);
}

struct lull_error *lull_session_new(struct lull_kernel *k, const sigset_t *mask,
                                    struct lull_session **ret)
{
    struct lull_session *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &lull_enomem;
    }
    s->d = lull_vd_of(k);
    s->mask = *mask;
    s->alive = -1;
    // A descriptor for each thread of each program, and for each file of each.
    getrlimit(RLIMIT_NOFILE, &s->files);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){s->files.rlim_max, s->files.rlim_max});
    struct lull_error *err = find_shim(false, &s->shim);
    if (err == NULL) {
        err = make_folder(s);
    }
    if (err == NULL) {
        err = watch_folder(s);
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

const char *lull_session_folder(const struct lull_session *s)
{
    return s->dir;
}

struct lull_error *lull_session_places(struct lull_session *s)
{
    const int r = lull_vd_places(s->d);
    return r != 0 ? lull_error_os(-r, "%s", s->dir) : NULL;
}

struct lull_error *lull_session_debuggers(struct lull_session *s, const char *path)
{
    return lull_server_debuggers(s->server, path);
}

struct lull_error *lull_session_names(struct lull_session *s, const char *dir)
{
    char *layer = NULL;
    struct lull_error *err = s->layer == NULL ? lull_session_layers(&layer) : NULL;
    char *names = err == NULL ? realpath(dir != NULL ? dir : s->dir, NULL) : NULL;
    if (err == NULL && names == NULL) {
        err = lull_error_os(errno, "%s", dir != NULL ? dir : s->dir);
    }
    if (err != NULL) {
        free(layer);
        return err;
    }
    s->layer = layer != NULL ? layer : s->layer;
    free(s->names);
    s->names = names;
    return NULL;
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

// A program that is started.
struct program {
    const struct lull_session *s;
    const char *path;
    char *const *argv;
    char **env;
    pid_t parent;
};

// In the child: as this process was before, and then the program, which does not outlive its
// parent: without it there is no GPU. Returns only with an errno.
static int become(void *arg)
{
    const struct program *p = arg;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != p->parent) {
        return ESRCH; // it has gone already
    }
    setrlimit(RLIMIT_NOFILE, &p->s->files);
    sigprocmask(SIG_SETMASK, &p->s->mask, NULL);
    execvpe(p->path, p->argv, p->env);
    execvpe(p->argv[0], p->argv, p->env); // if what was found first in PATH is a folder
    return errno;
}

// @return 0 or an errno, also of execvpe() in the child.
static int spawn(const struct lull_session *s, const struct lull_launch *p, char **env, pid_t *ret)
{
    struct program start = {.s = s, .argv = p->argv, .env = env, .parent = getpid()};
    start.path = p->qemu != NULL ? p->qemu : p->path != NULL ? p->path : p->argv[0];
    return lull_child_start(become, &start, ret);
}

// Puts the names layer into the environment; text owns what was made of it.
LULL_MUST_USE static struct lull_error *env_names(const struct lull_session *s, bool arm64,
                                                  char **env, char *text[3])
{
    const char *path = getenv("VK_ADD_LAYER_PATH"), *layers = getenv("VK_INSTANCE_LAYERS");
    struct lull_str lines[3] = {0};
    if (s->names == NULL) {
        return NULL;
    }
    lull_str_addf(&lines[0], "LULL_NAMES=%s", s->names);
    lull_str_addf(&lines[1], "VK_ADD_LAYER_PATH=%s%s%s%s", s->layer, arm64 ? "/arm64" : "",
                  path != NULL ? ":" : "", path != NULL ? path : "");
    lull_str_addf(&lines[2], "VK_INSTANCE_LAYERS=%s%sVK_LAYER_LULL_names",
                  layers != NULL ? layers : "", layers != NULL ? ":" : "");
    struct lull_error *err = NULL;
    for (unsigned i = 0; i < 3; i++) {
        text[i] = lines[i].text;
        err = lines[i].err != NULL ? lines[i].err : err;
        if (err == NULL) {
            env_set(env, text[i]);
        }
    }
    return err;
}

void lull_session_arm64(struct lull_session *s)
{
    s->arm64_first = true;
}

struct lull_error *lull_session_launch(const struct lull_session *s, char *const argv[],
                                       struct lull_launch *ret)
{
    return lull_launch_of(argv, s->arm64_first, ret);
}

// What the environment has to say: the socket, the shim, and for arm64 programs that lull starts
// Vulkan's drivers, if nothing else says which.
struct entries {
    char *socket, *preload, *names[3];
};

static void entries_done(struct entries *e)
{
    free(e->socket);
    free(e->preload);
    for (size_t i = 0; i < COUNT(e->names); i++) {
        free(e->names[i]);
    }
}

LULL_MUST_USE static struct lull_error *env_make(const struct lull_session *s,
                                                 const struct lull_launch *p, char **env,
                                                 struct entries *e)
{
    static char drivers[] =
        "VK_ICD_FILENAMES=/icd/backports/freedreno.json:/icd/backports/radeon.json";
    const char *preload = getenv("LD_PRELOAD");
    lull_cleanup(lull_freep) char *shim = NULL;
    struct lull_error *err = p->arm64 ? find_shim(true, &shim) : NULL;
    if (err != NULL) {
        return err;
    }
    if (asprintf(&e->socket, "LULL_SOCKET=%s", s->socket) < 0) {
        e->socket = NULL;
        return &lull_enomem;
    }
    if (asprintf(&e->preload, "LD_PRELOAD=%s%s%s", shim != NULL ? shim : s->shim,
                 preload != NULL ? ":" : "", preload != NULL ? preload : "") < 0) {
        e->preload = NULL;
        return &lull_enomem;
    }
    env_set(env, e->socket);
    env_set(env, e->preload);
    if (p->root != NULL && getenv("VK_DRIVER_FILES") == NULL &&
        getenv("VK_ICD_FILENAMES") == NULL) {
        env_set(env, drivers);
    }
    return env_names(s, p->arm64, env, e->names);
}

struct lull_error *lull_session_spawn(struct lull_session *s, char *const argv[], pid_t *ret)
{
    enum { MORE = 6 };
    size_t n = 0;
    while (environ[n] != NULL) {
        n++;
    }
    lull_cleanup(lull_freep) char **env = calloc(n + MORE + 1, sizeof *env);
    if (env == NULL) {
        return &lull_enomem;
    }
    memcpy(env, environ, n * sizeof *env);
    struct lull_launch p = {0};
    struct entries e = {0};
    struct lull_error *err = lull_session_launch(s, argv, &p);
    if (err == NULL) {
        err = env_make(s, &p, env, &e);
    }
    const int r = err == NULL ? spawn(s, &p, env, ret) : 0;
    entries_done(&e);
    lull_launch_done(&p);
    if (err != NULL) {
        return err;
    }
    if (r == ENOENT) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "%s: no such program", argv[0]);
    }
    return r != 0 ? lull_error_os(r, "%s", argv[0]) : NULL;
}
