// SPDX-License-Identifier: MIT
#include "cli/run/display.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

extern char **environ;

enum { FIRST = 80, LAST = 999, BACKLOG = 64 };
enum { LISTEN_FD = 3, LOCK_FD }; // LISTEN_FD: sd_listen_fds(3)

/** @p name in PATH, into @p path of LULL_DISPLAY_PATH bytes. */
static bool in_path(const char *name, char *path)
{
    const char *dirs = getenv("PATH");
    for (const char *dir = dirs != NULL ? dirs : "/usr/bin:/bin"; dir[0] != '\0';) {
        const int n = (int)strcspn(dir, ":");
        if (snprintf(path, LULL_DISPLAY_PATH, "%.*s/%s", n, dir, name) < LULL_DISPLAY_PATH &&
            access(path, X_OK) == 0) {
            return true;
        }
        dir += dir[n] == ':' ? n + 1 : n;
    }
    return false;
}

/** A socket that nobody listens to: of a lull that was killed. (Asking by connect() would start the
 * X server of a lull that lives.) */
static bool is_dead(const char *path)
{
    lull_cleanup(lull_fclosep) FILE *f = fopen("/proc/net/unix", "r");
    lull_cleanup(lull_freep) char *line = NULL;
    size_t room = 0;
    const size_t n = strlen(path);
    while (f != NULL && getline(&line, &room, f) > 0) {
        const char *at = strstr(line, path);
        if (at != NULL && at[n] == '\n') {
            return false;
        }
    }
    return f != NULL;
}

/** The name of display @p number among lulls, in the abstract namespace: it goes with the last
 * process that holds it. Without it two that start together would remove each other's socket. -1:
 * taken. */
static int lock_as(unsigned number)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "lull-display-%u", number);
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    int fd = -1; // None that server_files() puts something at.
    lull_cleanup(lull_closep) int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0 && bind(made, (const struct sockaddr *)&at, size) == 0) {
        fd = fcntl(made, F_DUPFD_CLOEXEC, LOCK_FD + 1);
    }
    return fd;
}

/** A socket at the place of display @p number; -1: that number is taken. */
static int listen_as(struct lull_xserver *d, unsigned number)
{
    char lock[sizeof d->socket] = "";
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(lock, sizeof lock, "/tmp/.X%u-lock", number);
    snprintf(d->socket, sizeof d->socket, "/tmp/.X11-unix/X%u", number);
    snprintf(d->number, sizeof d->number, ":%u", number);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", d->socket);
    if (access(lock, F_OK) == 0) {
        return -1;
    }
    if (is_dead(d->socket)) {
        unlink(d->socket);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const mode_t before = umask(S_IRWXG | S_IRWXO);
    const bool bound = fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0;
    umask(before);
    if (bound && listen(fd, BACKLOG) == 0) {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

struct lull_xserver lull_xserver_open(void)
{
    struct lull_xserver d = {.listener = -1};
    if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || !in_path("Xvfb", d.program)) {
        return d;
    }
    const mode_t all = S_IRWXU | S_IRWXG | S_IRWXO | S_ISVTX; // as X servers do
    if (mkdir("/tmp/.X11-unix", all) == 0) {
        (void)chmod("/tmp/.X11-unix", all); // whatever the umask has left
    }
    for (unsigned n = FIRST; n <= LAST && d.listener < 0; n++) {
        d.lock = lock_as(n);
        d.listener = d.lock >= 0 ? listen_as(&d, n) : -1;
        if (d.lock >= 0 && d.listener < 0) {
            close(d.lock);
        }
    }
    if (d.listener >= 0) {
        setenv("DISPLAY", d.number, 1);
    }
    return d;
}

// A shell that waits for its input to end, as this process does, however it does; then it ends Xvfb
// and removes the socket. It has no part in the terminal's signals. Xvfb gets the listener as
// systemd gives sockets, and both the lock, which outlives a lull that is killed.
static const char script[] = "socket=$1; shift\n"
                             "sh -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec \"$@\"' sh \"$@\" &\n"
                             "exec 3<&-; read -r line; kill $!; wait; rm -f \"$socket\"";

static int server_files(posix_spawn_file_actions_t *files, const struct lull_xserver *d, int end)
{
    int r = posix_spawn_file_actions_adddup2(files, d->listener, LISTEN_FD);
    r = r == 0 ? posix_spawn_file_actions_adddup2(files, d->lock, LOCK_FD) : r;
    r = r == 0 ? posix_spawn_file_actions_adddup2(files, end, STDIN_FILENO) : r;
    r = r == 0 ? posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
               : r;
    r = r == 0 ? posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO) : r;
    return r == 0 ? posix_spawn_file_actions_addclosefrom_np(files, LOCK_FD + 1) : r;
}

static void start(struct lull_xserver *d)
{
    const char *const argv[] = {"sh",        "-c",           script,      "lull-display",
                                d->socket,   d->program,     d->number,   "-screen",
                                "0",         "1280x1024x24", "-nolisten", "tcp",
                                "-nolisten", "local",        "-noreset",  NULL};
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    // Neither may stand where the other goes.
    const int end = fcntl(ends[0], F_DUPFD_CLOEXEC, LOCK_FD + 1);
    close(ends[0]);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attr, &none);
    int r = end >= 0 ? server_files(&files, d, end) : errno;
    r = r == 0 ? posix_spawn(&d->server, "/bin/sh", &files, &attr, (char *const *)argv, environ)
               : r;
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    if (end >= 0) {
        close(end);
    }
    d->alive = ends[1];
    if (r != 0) {
        d->server = 0;
        close(d->alive);
    }
}

void lull_xserver_serve(struct lull_xserver *d)
{
    struct pollfd asked = {.fd = d->listener, .events = POLLIN};
    if (d->listener >= 0 && d->server == 0 && poll(&asked, 1, 0) == 1) {
        start(d);
    }
}

bool lull_xserver_missed(const struct lull_xserver *d, const char *path)
{
    static const char *const libraries[] = {"libxcb.so", "libX11.so", "libGL.so"};
    char found[LULL_DISPLAY_PATH] = "";
    struct stat st = {0};
    if (d->listener >= 0 || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) {
        return false;
    }
    if (strchr(path, '/') == NULL && in_path(path, found)) {
        path = found;
    }
    lull_cleanup(lull_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size <= 0) {
        return false;
    }
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    bool named = false;
    for (size_t i = 0; map != MAP_FAILED && i < sizeof libraries / sizeof libraries[0]; i++) {
        named |= memmem(map, (size_t)st.st_size, libraries[i], strlen(libraries[i])) != NULL;
    }
    if (map != MAP_FAILED) {
        munmap(map, (size_t)st.st_size);
    }
    return named;
}

void lull_xserver_close(struct lull_xserver *d)
{
    if (d->server != 0) {
        close(d->alive);
        waitpid(d->server, NULL, 0);
    }
    if (d->listener >= 0) {
        unlink(d->socket);
        close(d->listener);
        close(d->lock);
    }
    d->listener = -1;
    d->server = 0;
}
