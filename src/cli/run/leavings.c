// SPDX-License-Identifier: MIT
#include "cli/run/leavings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/str.h"

#define DEBUGFS "/sys/kernel/debug/dri/0/"
#define CLASS "/sys/class/devcoredump"
#define DEVICES "/sys/devices/virtual/devcoredump"

enum { PART = 1 << 16, PIPES = 2, LAST_MS = 1000, TICK_US = 10000 };

static const char *const pipe_names[PIPES] = {"rd", "hangrd"};

// A pipe of the session's folder, and the driver's file behind it while somebody reads.
struct channel {
    int to, from; // -1: nobody reads.
    struct lull_str pending;
};

struct lull_leavings {
    struct lull_kernel *k;
    struct lull_leave what;
    char *folder;
    struct lull_error *err; // The first.
    struct lull_output rd;
    int rd_fd;       // -1: not open.
    unsigned number; // Of the newest dump.
    /* In the folder. */
    bool shown; // That dump.
    struct stat data;
    struct channel channels[PIPES];
};

static void keep(struct lull_leavings *l, struct lull_error *err)
{
    lull_error_free(l->err != NULL ? err : NULL);
    l->err = l->err != NULL ? l->err : err;
}

// All that an open file has now. @return Something came.
static bool read_all(struct lull_leavings *l, int fd, bool stream, struct lull_str *out)
{
    char part[PART];
    const size_t before = out->size;
    ssize_t n = 0;
    while ((n = l->k->pread(l->k, fd, part, sizeof part, stream ? 0 : out->size - before)) > 0) {
        lull_str_add(out, part, (size_t)n);
    }
    return out->size != before;
}

static void write_to(struct lull_leavings *l, const char *path, const char *text)
{
    const int fd = l->k->open(l->k, path, O_WRONLY);
    if (fd < 0 || l->k->pwrite(l->k, fd, text, strlen(text), 0) < 0) {
        keep(l, lull_error_os(fd < 0 ? -fd : EINVAL, "%s of the virtual GPU", path));
    }
    if (fd >= 0) {
        l->k->close(l->k, fd);
    }
}

static void path_of(const struct lull_leavings *l, char *ret, size_t room, const char *form)
{
    char name[128] = "";
    (void)snprintf(name, sizeof name, form, l->number);
    (void)snprintf(ret, room, "%s%s", l->folder != NULL ? l->folder : "", name);
}

// The driver's own copy goes, and so does what programs see of it.
static void drop(struct lull_leavings *l)
{
    static const char *const files[] = {DEVICES "/devcd%u/data", DEVICES "/devcd%u/failing_device",
                                        CLASS "/devcd%u"};
    char path[4096] = "";
    if (l->shown) {
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            path_of(l, path, sizeof path, files[i]);
            (void)unlink(path);
        }
        path_of(l, path, sizeof path, DEVICES "/devcd%u");
        (void)rmdir(path);
    }
    l->shown = false;
    (void)snprintf(path, sizeof path, CLASS "/devcd%u/data", l->number);
    const int fd = l->k->open(l->k, path, O_WRONLY);
    if (fd >= 0) { // else its time is up
        (void)l->k->pwrite(l->k, fd, "1", 1, 0);
        l->k->close(l->k, fd);
    }
}

// As the kernel makes it: a device of its own, with a link to the one that failed.
static void show(struct lull_leavings *l, const struct lull_str *dump)
{
    char path[4096] = "", link[128] = "";
    path_of(l, path, sizeof path, DEVICES "/devcd%u");
    bool ok = mkdir(path, 0755) == 0;
    path_of(l, path, sizeof path, DEVICES "/devcd%u/failing_device");
    ok = ok && symlink("../../../platform/soc@0/5000000.gpu", path) == 0;
    path_of(l, path, sizeof path, DEVICES "/devcd%u/data");
    if (ok) {
        keep(l, lull_output_write(path, dump->text, dump->size));
        ok = stat(path, &l->data) == 0;
    }
    path_of(l, path, sizeof path, CLASS "/devcd%u");
    (void)snprintf(link, sizeof link, "../../devices/virtual/devcoredump/devcd%u", l->number);
    l->shown = true;
    if (!ok || symlink(link, path) != 0) {
        keep(l, lull_error_os(errno, "%s", path));
    }
}

// A program has written to it: that frees it.
static bool was_freed(const struct lull_leavings *l)
{
    char path[4096] = "";
    struct stat st = {0};
    path_of(l, path, sizeof path, DEVICES "/devcd%u/data");
    return l->shown && stat(path, &st) == 0 &&
           (st.st_size != l->data.st_size || st.st_mtim.tv_sec != l->data.st_mtim.tv_sec ||
            st.st_mtim.tv_nsec != l->data.st_mtim.tv_nsec);
}

static void save(struct lull_leavings *l, const struct lull_str *dump)
{
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/devcd%u.devcore", l->what.crash_dir, l->number);
    struct lull_error *err =
        path.err != NULL ? &lull_enomem : lull_output_write(path.text, dump->text, dump->size);
    if (err == NULL) {
        fprintf(stderr, "lull exec: crash dump: %s\n", path.text);
    }
    keep(l, err);
    lull_str_free(&path);
}

static void take_dump(struct lull_leavings *l)
{
    struct lull_str dump = {0};
    char path[128] = "";
    if (was_freed(l)) {
        drop(l);
    }
    (void)snprintf(path, sizeof path, CLASS "/devcd%u/data", l->number + 1);
    const int fd = l->k->open(l->k, path, O_RDONLY);
    if (fd < 0) {
        return;
    }
    if (l->shown) { // its time was up
        drop(l);
    }
    l->number++;
    const bool got = read_all(l, fd, false, &dump) && dump.err == NULL;
    l->k->close(l->k, fd);
    if (got && l->what.crash_dir != NULL) {
        save(l, &dump);
        drop(l);
    } else if (got && l->folder != NULL) {
        show(l, &dump);
    }
    lull_str_free(&dump);
}

static void take_rd(struct lull_leavings *l)
{
    struct lull_str text = {0};
    if (l->rd_fd >= 0 && read_all(l, l->rd_fd, true, &text)) {
        keep(l, lull_output_put(&l->rd, text.text, text.size));
    }
    lull_str_free(&text);
}

static void hang_up(struct lull_leavings *l, struct channel *c)
{
    if (c->to >= 0) {
        close(c->to);
        l->k->close(l->k, c->from);
    }
    lull_str_free(&c->pending);
    *c = (struct channel){.to = -1, .from = -1};
}

// What is new goes to who reads the pipe. @return All of it went.
static bool pass_on(struct lull_leavings *l, unsigned i)
{
    struct channel *c = &l->channels[i];
    char path[4096] = "";
    if (c->to < 0) {
        (void)snprintf(path, sizeof path, "%s" DEBUGFS "%s", l->folder, pipe_names[i]);
        c->to = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        c->from = c->to >= 0 ? l->k->open(l->k, path + strlen(l->folder), O_RDONLY) : -1;
        if (c->to < 0) {
            return true;
        }
    }
    if (c->from < 0) { // the user has it: --rd
        close(c->to);
        c->to = -1;
        return true;
    }
    read_all(l, c->from, true, &c->pending);
    ssize_t n = 0;
    while (c->pending.size != 0 && (n = write(c->to, c->pending.text, c->pending.size)) > 0) {
        c->pending.size -= (size_t)n;
        memmove(c->pending.text, c->pending.text + n, c->pending.size);
    }
    if (n < 0 && errno != EAGAIN) {
        hang_up(l, c);
    }
    return c->to < 0 || c->pending.size == 0;
}

void lull_leavings_take(struct lull_leavings *l)
{
    if (l != NULL) {
        take_dump(l);
        take_rd(l);
        for (unsigned i = 0; l->folder != NULL && i < PIPES; i++) {
            (void)pass_on(l, i);
        }
    }
}

// Folders and pipes of the session.
static void make_tree(struct lull_leavings *l)
{
    static const char *const folders[] = {"/sys/kernel", "/sys/kernel/debug",
                                          "/sys/kernel/debug/dri", "/sys/kernel/debug/dri/0"};
    char path[4096] = "";
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof folders / sizeof folders[0]; i++) {
        (void)snprintf(path, sizeof path, "%s%s", l->folder, folders[i]);
        ok = mkdir(path, 0755) == 0;
    }
    for (size_t i = 0; ok && i < PIPES; i++) {
        (void)snprintf(path, sizeof path, "%s" DEBUGFS "%s", l->folder, pipe_names[i]);
        ok = mkfifo(path, 0600) == 0;
    }
    if (!ok) {
        keep(l, lull_error_os(errno, "%s", path));
    }
}

static void set_up(struct lull_leavings *l)
{
    char ms[32] = "";
    if (l->what.longest_ms != 0) {
        (void)snprintf(ms, sizeof ms, "%" PRIu64, l->what.longest_ms);
        write_to(l, DEBUGFS "lull_longest_ms", ms);
    }
    if (l->what.rd_full) {
        write_to(l, "/sys/module/msm/parameters/rd_full", "1");
    }
    if (l->what.crash_dir != NULL && access(l->what.crash_dir, W_OK | X_OK) != 0) {
        keep(l, lull_error_os(errno, "%s", l->what.crash_dir));
    }
    if (l->what.rd != NULL) {
        l->rd_fd = l->k->open(l->k, DEBUGFS "rd", O_RDONLY);
        keep(l, lull_output_open(&l->rd, l->what.rd));
    }
    if (l->folder != NULL) {
        make_tree(l);
    }
}

struct lull_error *lull_leavings_new(struct lull_kernel *k, const struct lull_leave *what,
                                     const char *folder, struct lull_leavings **ret)
{
    struct lull_leavings *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return &lull_enomem;
    }
    *l = (struct lull_leavings){.k = k, .what = *what, .rd_fd = -1};
    for (unsigned i = 0; i < PIPES; i++) {
        l->channels[i].to = l->channels[i].from = -1;
    }
    l->folder = folder != NULL ? strdup(folder) : NULL;
    set_up(l);
    if (l->err != NULL) {
        return lull_leavings_free(l);
    }
    *ret = l;
    return NULL;
}

struct lull_error *lull_leavings_free(struct lull_leavings *l)
{
    if (l == NULL) {
        return NULL;
    }
    lull_leavings_take(l);
    for (unsigned i = 0; i < PIPES; i++) { // who reads gets the rest, if he does
        for (unsigned ms = 0;
             l->folder != NULL && ms < LAST_MS && l->channels[i].to >= 0 && !pass_on(l, i);
             ms += TICK_US / 1000) {
            usleep(TICK_US);
        }
        hang_up(l, &l->channels[i]);
    }
    if (l->rd_fd >= 0) {
        l->k->close(l->k, l->rd_fd);
        keep(l, l->err == NULL ? lull_output_keep(&l->rd) : NULL);
    }
    lull_output_done(&l->rd);
    struct lull_error *err = l->err;
    free(l->folder);
    free(l);
    return err;
}
