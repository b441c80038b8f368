// SPDX-License-Identifier: MIT
#include "cli/opt/driver_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR = 3, LEVELS = 8 }; // KERN_ERR, and how many levels there are.

struct lull_driver_log lull_driver_log_open(struct lull_kernel *k)
{
    return (struct lull_driver_log){.k = k, .fd = k->open(k, "/dev/kmsg", O_RDONLY)};
}

void lull_driver_log_close(struct lull_driver_log *log)
{
    if (log->fd >= 0) {
        log->k->close(log->k, log->fd);
    }
    log->fd = -1;
}

const char *lull_driver_log_next(struct lull_driver_log *log)
{
    ssize_t n = 0;
    while (log->fd >= 0 &&
           ((n = log->k->pread(log->k, log->fd, log->line, sizeof log->line - 1, 0)) > 0 ||
            n == -EPIPE)) { // EPIPE: lost some
        log->line[n > 0 ? n : 0] = '\0';
        const char *text = strchr(log->line, ';');
        if (text != NULL && strtoul(log->line, NULL, 10) % LEVELS <= ERROR) {
            return text + 1;
        }
    }
    return NULL;
}
