// SPDX-License-Identifier: MIT
#include "cli/run/records.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/output.h"
#include "cli/opt/input.h"
#include "instrument/manifest.h"
#include "vdrm/msm/vdrm.h"

enum { PAGE = 4096 };

static const char suffix[] = ".records";

struct one {
    char *name; // Of the dump.
    struct lull_manifest manifest;
    uint8_t *memory;
    size_t size;
};

struct lull_records {
    struct one *all;
    size_t n;
};

static size_t stem(const char *name)
{
    const size_t size = strlen(name), end = sizeof suffix - 1;
    return size > end && strcmp(name + size - end, suffix) == 0 ? size - end : 0;
}

static int is_manifest(const struct dirent *e)
{
    return stem(e->d_name) != 0;
}

LULL_MUST_USE static struct lull_error *add(struct one *o, struct lull_kernel *k, const char *dir,
                                            const char *name)
{
    struct lull_str path = {0}, dump = {0};
    char *text = NULL;
    size_t size = 0;
    lull_str_addf(&path, "%s/%s", dir, name);
    lull_str_addf(&dump, "%s/%.*s.bin", dir, (int)stem(name), name);
    o->name = dump.err == NULL ? strdup(lull_str_text(&dump)) : NULL;
    struct lull_error *err = path.err != NULL ? path.err : dump.err;
    err = err != NULL || o->name != NULL ? err : &lull_enomem;
    err = err != NULL ? err : lull_input_read(lull_str_text(&path), &text, &size);
    if (err == NULL) {
        err = lull_manifest_read(text, size, &o->manifest);
        err = lull_error_in(err, "%s", lull_str_text(&path));
    }
    if (err == NULL) {
        o->size = ((size_t)o->manifest.bytes + PAGE - 1) / PAGE * PAGE;
        void *p = mmap(NULL, o->size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        o->memory = p != MAP_FAILED ? p : NULL;
        err = o->memory != NULL ? lull_vdm_reserve(k, o->manifest.buffer, o->size, o->memory)
                                : &lull_enomem;
        err = lull_error_in(err, "%s: its buffer", lull_str_text(&path));
    }
    free(text);
    lull_str_free(&path);
    lull_str_free(&dump);
    return err;
}

struct lull_error *lull_records_open(struct lull_kernel *k, const char *dir,
                                     struct lull_records **ret)
{
    struct dirent **names = NULL;
    const int n = scandir(dir, &names, is_manifest, alphasort);
    struct lull_error *err = NULL;
    struct lull_records *r = calloc(1, sizeof *r);
    if (n <= 0) {
        err = n < 0 ? lull_error_os(errno, "%s", dir)
                    : lull_error_new(LULL_ERR_INVALID,
                                     "%s: no manifest there: 'lull ir3 instrument --into' makes "
                                     "them",
                                     dir);
    } else if (r == NULL || (r->all = calloc((size_t)n, sizeof *r->all)) == NULL) {
        err = &lull_enomem;
    }
    for (int i = 0; i < n; i++) {
        if (err == NULL) {
            err = add(&r->all[r->n++], k, dir, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
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
    for (size_t i = 0; err == NULL && r != NULL && i < r->n; i++) {
        const struct one *o = &r->all[i];
        uint32_t head[2];
        memcpy(head, o->memory, sizeof head);
        const uint32_t room = o->manifest.room;
        // The last record may reach behind the room.
        const uint64_t end = (uint64_t)o->manifest.bytes - room + (head[0] < room ? head[0] : room);
        err = head[1] != 0 ? lull_output_write(o->name, o->memory, (size_t)end) : NULL;
    }
    return err;
}

void lull_records_free(struct lull_records *r)
{
    for (size_t i = 0; r != NULL && i < r->n; i++) {
        if (r->all[i].memory != NULL) {
            munmap(r->all[i].memory, r->all[i].size);
        }
        lull_manifest_done(&r->all[i].manifest);
        free(r->all[i].name);
    }
    free(r != NULL ? r->all : NULL);
    free(r);
}
