// SPDX-License-Identifier: MIT
#include "debug/session/lines.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/files.h"
#include "base/path.h"
#include "debug/session/pipeline.h"

enum { PATH_ROOM = 4096, MOST_BYTES = 1 << 28, CHUNK = 1 << 16 };

/** Of one code, by its content. */
struct entry {
    uint64_t hash;
    bool known;
    struct lull_lines lines;
};

struct lull_debug_lines {
    struct entry **all; ///< Owned, each.
    size_t n;
};

void lull_debug_lines_free(struct lull_debug_lines *l)
{
    for (size_t i = 0; l != NULL && i < l->n; i++) {
        lull_lines_done(&l->all[i]->lines);
        free(l->all[i]);
    }
    free(l != NULL ? l->all : NULL);
    free(l);
}

static const struct entry *entry_of(const struct lull_debug *d, uint64_t hash)
{
    for (size_t i = 0; d->lines != NULL && i < d->lines->n; i++) {
        if (d->lines->all[i]->hash == hash) {
            return d->lines->all[i];
        }
    }
    return NULL;
}

/** NULL: no memory. */
static struct entry *new_entry(struct lull_debug *d, uint64_t hash)
{
    if (d->lines == NULL) {
        d->lines = calloc(1, sizeof *d->lines);
    }
    struct entry *e = d->lines != NULL ? calloc(1, sizeof *e) : NULL;
    struct entry **all =
        e != NULL ? reallocarray(d->lines->all, d->lines->n + 1, sizeof(struct entry *)) : NULL;
    if (all == NULL) {
        free(e);
        return NULL;
    }
    e->hash = hash;
    d->lines->all = all;
    all[d->lines->n++] = e;
    return e;
}

/** All of a file; nothing if it cannot be read. For free(). */
static uint8_t *read_all(const char *path, size_t *ret)
{
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    uint8_t *bytes = NULL;
    size_t n = 0, got = 1;
    lull_error_free(lull_files_fopen(path, &f));
    while (f != NULL && got != 0 && n < MOST_BYTES) {
        uint8_t *more = realloc(bytes, n + CHUNK);
        if (more == NULL) {
            break;
        }
        bytes = more;
        got = fread(bytes + n, 1, CHUNK, f);
        n += got;
    }
    *ret = n;
    return bytes;
}

/** Is it the code's file? Then its lines. */
static bool try_file(const char *path, unsigned gen, const uint8_t *code, size_t code_bytes,
                     struct lull_lines *ret)
{
    size_t size = 0;
    uint8_t *bytes = read_all(path, &size);
    bool good = bytes != NULL && lull_lines_file_is_of(bytes, size, gen, code, code_bytes);
    if (good) {
        struct lull_error *err = lull_lines_read(bytes, size, gen, ret);
        good = err == NULL;
        lull_error_free(err);
    }
    free(bytes);
    return good;
}

void lull_debug_lines_meet(struct lull_debug *d, uint32_t pid, const struct lull_pipeline *p)
{
    char dir[PATH_ROOM] = "", path[PATH_ROOM + 256] = "", front[24] = "";
    if (d->names_dir == NULL || entry_of(d, p->hash) != NULL ||
        !d->names_dir(d->run_ctx, pid, dir, sizeof dir)) {
        return;
    }
    struct entry *e = new_entry(d, p->hash);
    uint8_t *code = e != NULL ? malloc((size_t)p->bytes + 1) : NULL;
    struct lull_error *err =
        code != NULL ? d->target->ops->read(d->target, p->va, code, p->bytes) : &lull_enomem;
    DIR *all = err == NULL ? opendir(dir) : NULL;
    snprintf(front, sizeof front, "%" PRIu32 "-", pid);
    for (const struct dirent *f = NULL; all != NULL && !e->known && (f = readdir(all)) != NULL;) {
        const size_t n = strlen(f->d_name);
        if (n > 6 && strcmp(f->d_name + n - 6, ".lines") == 0 &&
            strncmp(f->d_name, front, strlen(front)) == 0) {
            snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
            e->known = try_file(path, d->target->ops->gen, code, p->bytes, &e->lines);
        }
    }
    if (all != NULL) {
        closedir(all);
    }
    lull_error_free(err);
    free(code);
}

const struct lull_lines *lull_debug_lines_of(const struct lull_debug *d, uint64_t va,
                                             uint64_t *ret_start)
{
    const struct lull_pipeline *p = lull_pipeline_of(d, va);
    const struct entry *e = p != NULL ? entry_of(d, p->hash) : NULL;
    if (e == NULL || !e->known) {
        return NULL;
    }
    *ret_start = p->va;
    return &e->lines;
}

bool lull_debug_lines_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret)
{
    uint64_t start = 0;
    const struct lull_lines *l = lull_debug_lines_of(d, va, &start);
    const struct lull_lines_row *r = l != NULL ? lull_lines_at(l, va - start) : NULL;
    if (r == NULL || r->at.line == 0) {
        return false;
    }
    *ret = (struct lull_line){.offset = start + r->offset - d->image_va,
                              .file = lull_path_from_here(lull_lines_path(l, &r->at)),
                              .line = r->at.line,
                              .is_stmt = r->sure >= LULL_LINES_CHANGED};
    return true;
}

void lull_debug_show_sure(const struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    uint64_t start = 0;
    const struct lull_lines *l = lull_debug_lines_of(d, va, &start);
    const struct lull_lines_row *r = l != NULL ? lull_lines_at(l, va - start) : NULL;
    if (r != NULL && r->at.line != 0) {
        lull_str_addf(out, " (");
        lull_lines_show_sure(r, out);
        lull_str_addf(out, ")");
    }
}

/** In the code of pipeline @p p. */
static bool find_in(const struct lull_debug *d, const struct lull_pipeline *p, const char *file,
                    uint32_t line, uint64_t *ret_va)
{
    const struct entry *e = p != NULL ? entry_of(d, p->hash) : NULL;
    const struct lull_lines_row *r =
        e != NULL && e->known ? lull_lines_find(&e->lines, file, line) : NULL;
    if (r != NULL) {
        *ret_va = p->va + r->offset;
    }
    return r != NULL;
}

struct lull_error *lull_debug_lines_find(const struct lull_debug *d, const char *file,
                                         uint32_t line, uint64_t *ret_va)
{
    const struct lull_pipeline *p =
        d->has_dispatch ? lull_pipeline_of(d, d->dispatch.code_va) : NULL;
    bool found = find_in(d, p, file, line, ret_va), any = false;
    for (size_t i = 0; !found && (p = lull_pipeline_number(d, i)) != NULL; i++) {
        found = find_in(d, p, file, line, ret_va);
    }
    for (size_t i = 0; d->lines != NULL && i < d->lines->n; i++) {
        any |= d->lines->all[i]->known;
    }
    if (found) {
        return NULL;
    }
    return lull_error_new(LULL_ERR_NOT_FOUND,
                          any ? "no instruction of the driver's code is known to be of line %s%s%u"
                              : "no code for line '%s%s%u' (was it compiled with -g?)",
                          file != NULL ? file : "", file != NULL ? ":" : "", line);
}
