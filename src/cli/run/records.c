// SPDX-License-Identifier: MIT
#include "cli/run/records.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "cli/opt/manifests.h"
#include "vdrm/msm/vdrm.h"

enum { PAGE = 4096 };

struct memory {
    uint8_t *at; ///< NULL: none.
    size_t size;
};

struct lull_records {
    struct lull_manifests manifests;
    struct memory *all; ///< One for each.
};

LULL_MUST_USE static struct lull_error *add(struct memory *o, struct lull_kernel *k,
                                            const struct lull_manifest_file *f)
{
    o->size = ((size_t)f->manifest.bytes + PAGE - 1) / PAGE * PAGE;
    void *p = mmap(NULL, o->size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    o->at = p != MAP_FAILED ? p : NULL;
    struct lull_error *err =
        o->at != NULL ? lull_vdm_reserve(k, f->manifest.buffer, o->size, o->at) : &lull_enomem;
    return lull_error_in(err, "%s: its buffer", f->path);
}

struct lull_error *lull_records_open(struct lull_kernel *k, const char *dir,
                                     struct lull_records **ret)
{
    struct lull_records *r = calloc(1, sizeof *r);
    struct lull_error *err = r != NULL ? lull_manifests_read(dir, &r->manifests) : &lull_enomem;
    if (err == NULL) {
        r->all = calloc(r->manifests.n, sizeof *r->all);
        err = r->all != NULL ? NULL : &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < r->manifests.n; i++) {
        err = add(&r->all[i], k, &r->manifests.all[i]);
    }
    if (err != NULL) {
        lull_records_free(r);
        return err;
    }
    *ret = r;
    return NULL;
}

struct lull_error *lull_records_write(const struct lull_records *r)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && r != NULL && i < r->manifests.n; i++) {
        err = lull_manifest_dump(&r->manifests.all[i], r->all[i].at);
    }
    return err;
}

void lull_records_free(struct lull_records *r)
{
    for (size_t i = 0; r != NULL && r->all != NULL && i < r->manifests.n; i++) {
        if (r->all[i].at != NULL) {
            munmap(r->all[i].at, r->all[i].size);
        }
    }
    if (r != NULL) {
        lull_manifests_done(&r->manifests);
        free(r->all);
    }
    free(r);
}
