// SPDX-License-Identifier: MIT
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"

// Has somebody the FIFO open to write, or are there bytes in it? None of them is taken.
static bool has_writer(int fifo)
{
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return true; // then it may block
    }
    const ssize_t n = tee(fifo, ends[1], 1, SPLICE_F_NONBLOCK);
    close(ends[0]);
    close(ends[1]);
    return n != 0; // without a writer 0, else EAGAIN or the byte
}

struct lull_error *lull_files_open(const char *path, int *ret)
{
    struct stat st = {0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        struct lull_error *err = lull_error_os(errno, "%s", path);
        lull_closep(&fd);
        return err;
    }
    if (S_ISFIFO(st.st_mode) && !has_writer(fd)) {
        close(fd);
        return lull_error_new(LULL_ERR_UNSUPPORTED, "%s: a FIFO that nobody writes to", path);
    }
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    *ret = fd;
    return NULL;
}

struct lull_error *lull_files_fopen(const char *path, FILE **ret)
{
    int fd = -1;
    struct lull_error *err = lull_files_open(path, &fd);
    if (err != NULL) {
        return err;
    }
    *ret = fdopen(fd, "rb");
    if (*ret == NULL) {
        close(fd);
        return &lull_enomem;
    }
    return NULL;
}

// What tells a file from others.
struct identity {
    dev_t dev;
    ino_t ino;
    char *name; // in the folder dev:ino; NULL: dev:ino is the file
    bool none;  // the same as no other
};

struct lull_files_item {
    char *path;
    bool out;
    struct identity id;
};

// The folder and the name of what is not there.
LULL_MUST_USE static struct lull_error *identify_new(const char *path, struct identity *ret)
{
    struct stat st = {0};
    char *target = NULL;
    struct lull_error *err = lull_path_target(path, &target);
    if (err != NULL) { // a ring of links: opening it will fail
        lull_error_free(err);
        ret->none = true;
        return NULL;
    }
    char *slash = strrchr(target, '/');
    char *name = strdup(slash != NULL ? slash + 1 : target);
    if (slash != NULL) {
        slash[slash == target] = '\0';
    }
    ret->none = stat(slash != NULL ? target : ".", &st) != 0;
    ret->dev = st.st_dev;
    ret->ino = st.st_ino;
    ret->name = name;
    free(target);
    return name == NULL ? &lull_enomem : NULL;
}

LULL_MUST_USE static struct lull_error *identify(const char *path, struct identity *ret)
{
    struct stat st = {0};
    *ret = (struct identity){0};
    if (stat(path, &st) != 0) {
        return identify_new(path, ret);
    }
    ret->dev = st.st_dev;
    ret->ino = st.st_ino;
    ret->none = !S_ISREG(st.st_mode);
    return NULL;
}

static bool same(const struct identity *a, const struct identity *b)
{
    return !a->none && !b->none && a->dev == b->dev && a->ino == b->ino &&
           (a->name == NULL) == (b->name == NULL) &&
           (a->name == NULL || strcmp(a->name, b->name) == 0);
}

static void add(struct lull_files *f, const char *path, bool out)
{
    if (path == NULL || strcmp(path, "-") == 0 || f->err != NULL) {
        return;
    }
    if (f->n == f->room) {
        const size_t room = f->room != 0 ? 2 * f->room : 8;
        struct lull_files_item *items = realloc(f->items, room * sizeof *items);
        if (items == NULL) {
            f->err = &lull_enomem;
            return;
        }
        f->items = items;
        f->room = room;
    }
    struct lull_files_item *i = &f->items[f->n];
    *i = (struct lull_files_item){.path = strdup(path), .out = out};
    f->err = i->path != NULL ? identify(path, &i->id) : &lull_enomem;
    f->n++;
}

void lull_files_in(struct lull_files *f, const char *path)
{
    add(f, path, false);
}

void lull_files_out(struct lull_files *f, const char *path)
{
    add(f, path, true);
}

LULL_MUST_USE static struct lull_error *refuse(const struct lull_files_item *other,
                                               const char *path)
{
    const char *what = other->out ? "two outputs" : "input and output";
    return strcmp(other->path, path) == 0
               ? lull_error_new(LULL_ERR_INVALID, "'%s' is %s", path, what)
               : lull_error_new(LULL_ERR_INVALID, "'%s' and '%s' are one file, %s", other->path,
                                path, what);
}

struct lull_error *lull_files_check(struct lull_files *f)
{
    struct lull_error *err = f->err;
    f->err = NULL;
    for (size_t i = 0; err == NULL && i < f->n; i++) {
        for (size_t j = 0; f->items[i].out && err == NULL && j < f->n; j++) {
            const bool twice = f->items[j].out && j >= i; // each pair once
            if (!twice && same(&f->items[i].id, &f->items[j].id)) {
                err = refuse(&f->items[j], f->items[i].path);
            }
        }
    }
    return err;
}

struct lull_error *lull_files_check_two(const char *in, const char *out)
{
    struct lull_files f = {0};
    lull_files_in(&f, in);
    lull_files_out(&f, out);
    struct lull_error *err = lull_files_check(&f);
    lull_files_done(&f);
    return err;
}

struct lull_error *lull_files_may_write(const struct lull_files *f, const char *path)
{
    struct identity id = {0};
    struct lull_error *err = identify(path, &id);
    for (size_t i = 0; err == NULL && i < f->n; i++) {
        if (same(&f->items[i].id, &id)) {
            err = refuse(&f->items[i], path);
        }
    }
    free(id.name);
    return err;
}

void lull_files_done(struct lull_files *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->items[i].path);
        free(f->items[i].id.name);
    }
    free(f->items);
    lull_error_free(f->err);
    *f = (struct lull_files){0};
}
