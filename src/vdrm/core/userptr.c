// SPDX-License-Identifier: MIT
// Buffers that take the place of a client's own pages.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "vdrm/core/user.h"
#include "vdrm/core/vd.h"

// A line of /proc/PID/maps.
struct vma {
    uint64_t start, end;
    char prot[5];
    uint64_t inode;
};

static bool vma_read(const char *line, struct vma *ret)
{
    unsigned long long start = 0, end = 0, inode = 0;
    char prot[8] = "";
    if (sscanf(line, "%llx-%llx %7s %*x %*x:%*x %llu", &start, &end, prot, &inode) != 4) {
        return false;
    }
    *ret = (struct vma){.start = start, .end = end, .inode = inode};
    memcpy(ret->prot, prot, sizeof ret->prot - 1);
    return true;
}

static bool overlap(const struct lull_vd_bo *bo, uint64_t start, uint64_t end)
{
    return bo->userptr < end && start < bo->userptr + bo->size;
}

static struct lull_vd_bo *userptr_of(struct lull_list *l)
{
    return lull_container(l, struct lull_vd_bo, userptr_link);
}

// Pages that userptr buffers of this file have taken already: for the client they are still the
// memory that they were, and programs import two halves of a page as two buffers.
static bool taken(const struct lull_vd_file *f, uint64_t start, uint64_t end)
{
    struct lull_list *all = &f->own->userptrs;
    while (start < end) {
        uint64_t next = start;
        for (struct lull_list *l = all->next; l != all; l = l->next) {
            const struct lull_vd_bo *bo = userptr_of(l);
            if (overlap(bo, start, start + 1)) {
                next = bo->userptr + bo->size;
            }
        }
        if (next == start) {
            return false;
        }
        start = next;
    }
    return true;
}

// Let the older buffers see the pages of @p bo that were theirs.
static int retake(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_list *all = &f->own->userptrs;
    for (struct lull_list *l = all->next; l != all; l = l->next) {
        struct lull_vd_bo *old = userptr_of(l);
        if (old == bo || !overlap(old, bo->userptr, bo->userptr + bo->size)) {
            continue;
        }
        const uint64_t start = old->userptr > bo->userptr ? old->userptr : bo->userptr;
        const uint64_t old_end = old->userptr + old->size, new_end = bo->userptr + bo->size;
        const uint64_t end = old_end < new_end ? old_end : new_end;
        struct lull_vd_bo **newer =
            realloc(old->newer, (old->nnewer + 1) * sizeof(struct lull_vd_bo *));
        if (newer == NULL) {
            return -ENOMEM;
        }
        old->newer = newer;
        const int r =
            lull_vd_map_over(f->d, lull_vd_bo_mem(f->d, old) + (start - old->userptr), end - start,
                             bo->own->fd, bo->own_offset + (start - bo->userptr));
        if (r != 0) {
            return r;
        }
        old->newer[old->nnewer++] = bo;
        bo->refs++;
    }
    return 0;
}

// Are these pages private memory of no file? No process may shrink what the GPU sees.
static int anonymous(const struct lull_vd_file *f, const struct lull_vd_peer *peer,
                     const struct lull_vd_pages *pages)
{
    const uint64_t last = pages->address + pages->size;
    char path[32] = "";
    snprintf(path, sizeof path, "/proc/%d/maps", (int)peer->pid);
    lull_cleanup(lull_fclosep) FILE *maps = fopen(path, "re");
    lull_cleanup(lull_freep) char *line = NULL;
    size_t room = 0;
    uint64_t at = pages->address;
    while (maps != NULL && at < last && getline(&line, &room, maps) > 0) {
        struct vma v = {0};
        if (!vma_read(line, &v) || v.end <= at) {
            continue;
        }
        if (v.start > at || v.prot[0] != 'r' || (v.prot[1] != 'w' && !pages->readonly)) {
            return -EFAULT;
        }
        const uint64_t end = v.end < last ? v.end : last;
        if ((v.inode != 0 || v.prot[3] != 'p') && !taken(f, at, end)) {
            return -EPERM;
        }
        at = v.end;
    }
    return at < last || !lull_vd_peer_there(peer) ? -EFAULT : 0;
}

int lull_vd_userptr_check(const struct lull_vd_file *f, const struct lull_vd_pages *pages)
{
    const struct lull_vd_client *client = lull_vd_client_now();
    if (client == NULL || f->own == NULL) {
        return -ENODEV; // as a kernel without HMM mirrors
    }
    if (pages->size == 0 || pages->address + pages->size < pages->address) {
        return -EINVAL;
    }
    return anonymous(f, &client->peer, pages);
}

int lull_vd_userptr_publish(struct lull_vd_file *f, struct lull_vd_bo *bo, uint64_t address,
                            uint32_t *ret)
{
    struct lull_vd_client *client = lull_vd_client_now();
    bo->userptr = address;
    lull_list_add(&f->own->userptrs, &bo->userptr_link);
    const uint32_t handle = lull_vd_bo_handle(f, bo);
    const int r = handle != 0 ? retake(f, bo) : -ENOMEM;
    *ret = handle;
    if (r == 0) {
        client->share = LULL_VD_SHARE;
        client->address = address;
        client->size = bo->size;
        client->offset = bo->offset;
    }
    lull_vd_bo_put(f->d, bo);
    if (r != 0 && handle != 0) {
        lull_vd_bo_put(f->d, lull_vd_bo_unhandle(f, handle));
    }
    return r;
}

bool lull_vd_userptr_park(struct lull_vd_file *f, struct lull_vd_bo *bo)
{
    struct lull_vd_client *client = lull_vd_client_now();
    if (bo->userptr == 0 || client == NULL) {
        return false;
    }
    struct lull_vd_bo **parked = realloc(f->parked, (f->nparked + 1) * sizeof(struct lull_vd_bo *));
    if (parked == NULL) {
        return false; // the client's pages turn to zeros; there is no better end
    }
    f->parked = parked;
    f->parked[f->nparked++] = bo;
    client->share = LULL_VD_UNSHARE;
    client->address = bo->userptr;
    client->size = bo->size;
    client->offset = bo->offset;
    return true;
}

int lull_vd_userptr_release(struct lull_vd_file *f, uint64_t offset)
{
    for (size_t i = 0; i < f->nparked; i++) {
        if (f->parked[i]->offset == offset) {
            struct lull_vd_bo *bo = f->parked[i];
            f->parked[i] = f->parked[--f->nparked];
            lull_vd_bo_put(f->d, bo);
            return 0;
        }
    }
    return -ENOENT;
}
