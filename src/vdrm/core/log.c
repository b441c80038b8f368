// SPDX-License-Identifier: MIT
// The kernel's log.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"
#include "vdrm/core/wait.h"

enum { FACILITY_KERNEL = 0, PREFIX = 128 }; // PREFIX: what stands in front of a text

void lull_vd_log(struct lull_vd *d, unsigned level, const char *fmt, ...)
{
    struct lull_vd_kmsg *line = &d->kmsg[d->kmsg_n++ % LULL_VD_KMSG_LINES];
    line->level = level;
    line->time_us = lull_vd_now_ns(d) / 1000;
    va_list args;
    va_start(args, fmt);
    vsnprintf(line->text, sizeof line->text, fmt, args);
    va_end(args);
}

// devkmsg_read(): one record a call, wherever the offset says.
ssize_t lull_vd_kmsg_read(struct lull_vd_file *f, uint64_t buf, size_t size)
{
    struct lull_vd *d = f->d;
    const uint64_t oldest = d->kmsg_n > LULL_VD_KMSG_LINES ? d->kmsg_n - LULL_VD_KMSG_LINES : 0;
    if (f->kmsg_next < oldest) {
        f->kmsg_next = oldest;
        return -EPIPE;
    }
    if (f->kmsg_next == d->kmsg_n) {
        return -EAGAIN;
    }
    const struct lull_vd_kmsg *line = &d->kmsg[f->kmsg_next % LULL_VD_KMSG_LINES];
    char text[sizeof line->text + PREFIX] = "";
    const int n = snprintf(text, sizeof text, "%u,%llu,%llu,-;%s%s\n",
                           FACILITY_KERNEL << 3 | line->level, (unsigned long long)f->kmsg_next,
                           (unsigned long long)line->time_us, d->driver->log, line->text);
    if ((size_t)n >= sizeof text || (size_t)n > size) {
        return -EINVAL;
    }
    if (lull_vd_to_user(buf, text, (size_t)n) != 0) {
        return -EFAULT;
    }
    f->kmsg_next++;
    return n;
}
