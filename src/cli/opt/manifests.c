// SPDX-License-Identifier: MIT
#include "cli/opt/manifests.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cli/opt/input.h"

static const char suffix[] = ".records";

static size_t stem(const char *name)
{
    const size_t size = strlen(name), end = sizeof suffix - 1;
    return size > end && strcmp(name + size - end, suffix) == 0 ? size - end : 0;
}

static int is_manifest(const struct dirent *e)
{
    return stem(e->d_name) != 0;
}

static char *path_of(const char *dir, int size, const char *name, const char *end)
{
    struct lull_str path = {0};
    lull_str_addf(&path, "%s/%.*s%s", dir, size, name, end);
    char *ret = path.err == NULL ? strdup(lull_str_text(&path)) : NULL;
    lull_str_free(&path);
    return ret;
}

LULL_MUST_USE static struct lull_error *read_one(struct lull_manifest_file *f, const char *dir,
                                                 const char *name)
{
    char *text = NULL;
    size_t size = 0;
    f->path = path_of(dir, (int)strlen(name), name, "");
    f->dump = path_of(dir, (int)stem(name), name, ".bin");
    struct lull_error *err = f->path != NULL && f->dump != NULL ? NULL : &lull_enomem;
    err = err != NULL ? err : lull_input_read(f->path, &text, &size);
    if (err == NULL) {
        err = lull_error_in(lull_manifest_read(text, size, &f->manifest), "%s", f->path);
    }
    free(text);
    return err;
}

struct lull_error *lull_manifests_read(const char *dir, struct lull_manifests *ret)
{
    struct dirent **names = NULL;
    const int n = scandir(dir, &names, is_manifest, alphasort);
    struct lull_error *err = NULL;
    struct lull_manifests m = {0};
    if (n <= 0) {
        err = n < 0
                  ? lull_error_os(errno, "%s", dir)
                  : lull_error_new(LULL_ERR_INVALID,
                                   "%s: no manifest there: 'lull ir3 instrument' makes them", dir);
    } else if ((m.all = calloc((size_t)n, sizeof *m.all)) == NULL) {
        err = &lull_enomem;
    }
    for (int i = 0; i < n; i++) {
        if (err == NULL) {
            err = read_one(&m.all[m.n++], dir, names[i]->d_name);
        }
        free(names[i]);
    }
    free(names);
    if (err != NULL) {
        lull_manifests_done(&m);
        return err;
    }
    *ret = m;
    return NULL;
}

void lull_manifests_done(struct lull_manifests *m)
{
    for (size_t i = 0; i < m->n; i++) {
        lull_manifest_done(&m->all[i].manifest);
        free(m->all[i].path);
        free(m->all[i].dump);
    }
    free(m->all);
    *m = (struct lull_manifests){0};
}

struct lull_error *lull_manifest_dump(const struct lull_manifest_file *f, const uint8_t *memory)
{
    const struct lull_manifest *m = &f->manifest;
    uint32_t head[2];
    memcpy(head, memory, sizeof head);
    const uint64_t each = m->slice != 0 ? m->slice + (uint64_t)LULL_RECORDS_SLICE : 1;
    const uint64_t full = head[0] * each;
    // The last record may reach behind the room.
    const uint64_t end = (uint64_t)m->bytes - m->room + (full < m->room ? full : m->room);
    return head[1] != 0 ? lull_output_write(f->dump, memory, (size_t)end) : NULL;
}
