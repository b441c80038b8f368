// SPDX-License-Identifier: MIT
// Frames: how many images each process has presented, as its layer tells by LULL_IOCTL_PRESENTED.
#include <errno.h>
#include <stdlib.h>

#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/calls.h"
#include "vdrm/core/file.h"

struct lull_vda_frames {
    struct lull_vda_frames *next;
    pid_t pid;
    uint64_t n;
};

uint64_t lull_vda_frames_of(const struct lull_vda *d, pid_t pid)
{
    const struct lull_vda_frames *f = d->frames;
    while (f != NULL && f->pid != pid) {
        f = f->next;
    }
    return f != NULL ? f->n : 0;
}

int lull_vda_presented(struct lull_vd_file *file, void *arg)
{
    (void)arg;
    struct lull_vda *d = lull_vda(file->d);
    struct lull_vda_frames *f = d->frames;
    while (f != NULL && f->pid != file->pid) {
        f = f->next;
    }
    if (f == NULL) {
        f = calloc(1, sizeof *f);
        if (f == NULL) {
            return -ENOMEM;
        }
        f->pid = file->pid;
        f->next = d->frames;
        d->frames = f;
    }
    f->n++;
    return 0;
}

void lull_vda_frames_done(struct lull_vda *d)
{
    while (d->frames != NULL) {
        struct lull_vda_frames *next = d->frames->next;
        free(d->frames);
        d->frames = next;
    }
}
