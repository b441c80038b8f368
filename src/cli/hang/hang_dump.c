// SPDX-License-Identifier: MIT
// An Adreno's hang by the dump that its driver makes.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "adreno/crash/crash.h"
#include "cli/hang/hang.h"
#include "cli/opt/input.h"
#include "cli/opt/machine.h"
#include "file/stream.h"

#define DEBUGFS "/sys/kernel/debug/dri/0/"
#define DUMPS "/sys/class/devcoredump"

enum { PART = 1 << 16, TICK_NS = 10000000, MOST_TICKS = 1000, DUMPS_MOST = 64 };

LULL_MUST_USE static struct lull_error *set(struct lull_kernel *k, const char *path)
{
    const int fd = k->open(k, path, O_WRONLY);
    const ssize_t n = fd >= 0 ? k->pwrite(k, fd, "1", 1, 0) : fd;
    if (fd >= 0) {
        k->close(k, fd);
    }
    return n < 0 ? lull_error_os((int)-n, "%s", path) : NULL;
}

static void read_dump(struct lull_kernel *k, int fd, struct lull_str *ret)
{
    char part[PART];
    for (ssize_t n = 1; fd >= 0 && n > 0;) {
        n = k->pread(k, fd, part, sizeof part, ret->size);
        lull_str_add(ret, part, n > 0 ? (size_t)n : 0);
    }
    if (fd >= 0) {
        k->close(k, fd);
    }
}

void lull_hang_made(struct lull_kernel *k, struct lull_str *ret)
{
    for (unsigned i = DUMPS_MOST; ret->size == 0 && i > 0; i--) {
        char path[64] = "";
        (void)snprintf(path, sizeof path, DUMPS "/devcd%u/data", i);
        read_dump(k, k->open(k, path, O_RDONLY), ret);
    }
}

struct lull_error *lull_hang_give_up(struct lull_kernel *k, struct lull_str *ret)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    int fd = k->open(k, DUMPS "/devcd1/data", O_RDONLY); // of a fault
    struct lull_error *err = fd < 0 ? set(k, DEBUGFS "hangcheck_period_ms") : NULL;
    err = err != NULL || fd >= 0 ? err : set(k, DEBUGFS "lull_longest_ms");
    for (unsigned i = 0; err == NULL && fd < 0 && i < MOST_TICKS; i++) {
        fd = k->open(k, DUMPS "/devcd1/data", O_RDONLY);
        if (fd < 0) {
            (void)nanosleep(&tick, NULL);
        }
    }
    read_dump(k, fd, ret);
    return err;
}

bool lull_hang_has_dump(struct lull_kernel *k)
{
    const int fd = k->open(k, DUMPS "/devcd1/data", O_RDONLY);
    if (fd >= 0) {
        k->close(k, fd);
    }
    return fd >= 0;
}

struct lull_error *lull_hang_newest(struct lull_str *ret)
{
    struct dirent **names = NULL;
    const int n = lull_machine_list("", DUMPS, &names);
    struct lull_error *err = NULL;
    for (int i = n; err == NULL && ret->size == 0 && i-- > 0;) {
        char path[512] = "", *text = NULL;
        size_t size = 0;
        (void)snprintf(path, sizeof path, DUMPS "/%s/data", names[i]->d_name);
        if (strncmp(names[i]->d_name, "devcd", strlen("devcd")) != 0) {
            continue;
        }
        err = lull_input_read(path, &text, &size);
        if (err == NULL && memmem(text, size, "module: msm\n", strlen("module: msm\n")) != NULL) {
            lull_str_add(ret, text, size);
        }
        free(text);
    }
    if (n >= 0) {
        lull_machine_free_list(names, n);
    }
    return err != NULL || ret->size != 0
               ? err
               : lull_error_new(LULL_ERR_NOT_FOUND,
                                "no crash dump of msm in %s: the kernel makes one at a hang "
                                "and keeps it for five minutes; lull doctor says what is missing",
                                DUMPS);
}

struct lull_error *lull_hang_dump(struct lull_hang_page *p, const struct lull_str *dump)
{
    const struct lull_crash_look look = {.style = p->j != NULL ? LULL_CRASH_JSON : LULL_CRASH_PAGE};
    struct lull_stream *s = NULL;
    struct lull_error *err = lull_stream_of(dump->text, dump->size, &s);
    if (err != NULL) {
        return err;
    }
    if (p->j != NULL) {
        lull_json_key(p->j, "dump");
    }
    err = lull_crash_page(s, &look, p->out);
    lull_stream_free(s);
    return err;
}
