// SPDX-License-Identifier: MIT
// Programs of this machine, and of arm64 by an emulator.
#include "vdrm/core/launch.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define QEMU "qemu-aarch64-static"

// What is known of a file that is to be executed.
struct image {
    bool elf, arm64;
    bool interpreter; // It has a dynamic linker, which is what reads LD_PRELOAD.
    bool other_user;
};

char *lull_launch_beside(const char *const *places, unsigned n)
{
    char exe[PATH_MAX] = "";
    const ssize_t size = readlink("/proc/self/exe", exe, sizeof exe - 1);
    const char *slash = size > 0 ? strrchr(exe, '/') : NULL;
    for (unsigned i = 0; slash != NULL && i < n; i++) {
        char path[2 * PATH_MAX] = "";
        struct stat st = {0};
        snprintf(path, sizeof path, "%.*s/%s", (int)(slash - exe), exe, places[i]);
        if (stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > 0)) {
            return realpath(path, NULL);
        }
    }
    return NULL;
}

struct lull_error *lull_arm64_root(char **ret)
{
    static const char *const places[] = {"arm64", "../arm64", "../../arm64", "../lib/lull/arm64"};
    const char *given = getenv("LULL_ARM64");
    char *root = given != NULL ? realpath(given, NULL)
                               : lull_launch_beside(places, sizeof places / sizeof places[0]);
    lull_cleanup(lull_freep) char *complete = NULL;
    if (root != NULL && asprintf(&complete, "%s/complete", root) < 0) {
        complete = NULL;
    }
    if (complete != NULL && access(complete, R_OK) == 0) {
        *ret = root;
        return NULL;
    }
    free(root);
    return lull_error_new(
        LULL_ERR_NOT_FOUND,
        "%s%sno folder of arm64 programs and drivers: tools/arm64-root.sh FOLDER makes one with "
        "apt, which it does not install; it belongs beside lull as `arm64`, or in LULL_ARM64",
        given != NULL ? given : "", given != NULL ? ": " : "");
}

static struct image look(int fd)
{
    enum { MAX_HEADERS = 128 };
    struct image r = {.interpreter = true};
    struct stat st = {0};
    Elf64_Ehdr h = {0};
    r.other_user = fstat(fd, &st) == 0 && (st.st_mode & S_ISUID) != 0 && st.st_uid != geteuid();
    if (pread(fd, &h, sizeof h, 0) != (ssize_t)sizeof h ||
        memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_phentsize != sizeof(Elf64_Phdr)) {
        return r;
    }
    r.elf = true;
    r.arm64 = h.e_machine == EM_AARCH64;
    r.interpreter = false;
    for (unsigned i = 0; i < h.e_phnum && i < MAX_HEADERS; i++) {
        Elf64_Phdr p = {0};
        const off_t at = (off_t)(h.e_phoff + i * sizeof p);
        r.interpreter = r.interpreter ||
                        (pread(fd, &p, sizeof p, at) == (ssize_t)sizeof p && p.p_type == PT_INTERP);
    }
    return r;
}

// The first file of that name in PATH; NULL: none.
static char *in_path(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        return strdup(name);
    }
    for (const char *dir = path != NULL ? path : "/bin:/usr/bin"; dir != NULL;) {
        char full[PATH_MAX] = "";
        const size_t n = strcspn(dir, ":");
        snprintf(full, sizeof full, "%.*s/%s", (int)n, dir, name);
        if (n < sizeof full && access(full, X_OK) == 0) {
            return strdup(full);
        }
        dir = dir[n] == ':' ? dir + n + 1 : NULL;
    }
    return NULL;
}

static bool look_at(const char *path, struct image *ret)
{
    lull_cleanup(lull_closep) int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        *ret = look(fd);
    }
    return fd >= 0;
}

// The program that an emulator's arguments name: the first that is of its machine.
static bool emulated(char *const argv[], struct image *ret)
{
    for (size_t i = 1; argv[i] != NULL; i++) {
        if (look_at(argv[i], ret) && ret->arm64) {
            return true;
        }
    }
    return false;
}

static const char *obstacle_of(const struct image *f)
{
    return f->other_user ? "is set-user-ID" : !f->interpreter ? "is statically linked" : NULL;
}

// QEMU -L ROOT PATH ARGUMENTS...
LULL_MUST_USE static struct lull_error *by_emulator(char *const argv[], struct lull_launch *p)
{
    enum { MORE = 4 };
    size_t n = 0;
    while (argv[n] != NULL) {
        n++;
    }
    p->qemu = in_path(QEMU);
    if (p->qemu == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "%s is an arm64 program, and there is no " QEMU
                              " to run it: Debian has it in qemu-user-static",
                              p->path);
    }
    struct lull_error *err = p->root == NULL ? lull_arm64_root(&p->root) : NULL;
    if (err != NULL) {
        return lull_error_in(err, "%s is an arm64 program", p->path);
    }
    p->argv = calloc(n + MORE, sizeof *p->argv);
    if (p->argv == NULL) {
        return &lull_enomem;
    }
    p->argv[0] = p->qemu;
    p->argv[1] = (char *)"-L";
    p->argv[2] = p->root;
    p->argv[3] = p->path;
    memcpy(&p->argv[MORE], &argv[1], (n - 1) * sizeof *argv);
    return NULL;
}

// Where the folder has a program of that name.
LULL_MUST_USE static struct lull_error *in_folder(const char *name, struct lull_launch *p)
{
    struct lull_error *err = lull_arm64_root(&p->root);
    if (err == NULL && asprintf(&p->path, "%s/usr/bin/%s", p->root, name) < 0) {
        p->path = NULL;
        return &lull_enomem;
    }
    if (err == NULL && access(p->path, X_OK) != 0) {
        free(p->path);
        p->path = NULL;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *as_it_is(char *const argv[], struct lull_launch *p)
{
    size_t n = 0;
    while (argv[n] != NULL) {
        n++;
    }
    p->argv = calloc(n + 1, sizeof *p->argv);
    if (p->argv == NULL) {
        return &lull_enomem;
    }
    memcpy(p->argv, argv, n * sizeof *argv);
    return NULL;
}

struct lull_error *lull_launch_of(char *const argv[], bool arm64_first, struct lull_launch *ret)
{
    struct image f = {.interpreter = true};
    struct lull_error *err = NULL;
    if (arm64_first && strchr(argv[0], '/') == NULL) {
        err = in_folder(argv[0], ret);
    }
    if (err == NULL && ret->path == NULL) {
        ret->path = in_path(argv[0]);
    }
    if (err != NULL) {
        return err;
    }
    look_at(ret->path, &f);
    const char *slash = strrchr(argv[0], '/');
    if (f.arm64) {
        ret->arm64 = true;
        err = by_emulator(argv, ret);
    } else {
        const char *base = slash != NULL ? slash + 1 : argv[0];
        ret->arm64 =
            strncmp(base, "qemu-aarch64", strlen("qemu-aarch64")) == 0 && emulated(argv, &f);
        err = as_it_is(argv, ret);
    }
    ret->obstacle = obstacle_of(&f);
    return err;
}

void lull_launch_done(struct lull_launch *p)
{
    free(p->argv);
    free(p->root);
    free(p->path);
    free(p->qemu);
}
