// SPDX-License-Identifier: MIT
#include "cli/opt/check_lines.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "check/plans.h"
#include "cli/opt/check_priv.h"
#include "cli/opt/gpu.h"
#include "cli/opt/input.h"
#include "cli/opt/layers.h"
#include "debug/lines/lines.h"

enum { PATH_ROOM = 4096 };

/** Code of a shader, and where it was. */
struct entry {
    uint64_t begin;
    struct lull_lines lines;
};

struct lull_check_lines {
    struct entry *all; ///< Owned.
    size_t n;
    char **files; ///< Of the folder. Owned, each.
    size_t nfiles;
};

struct lull_error *lull_check_marks_set(const struct lull_check *c)
{
    const bool divisions = (c->wanted & LULL_CHECK_DIVZERO) != 0;
    const char *what = (c->wanted & LULL_CHECK_INDEX) == 0 ? "divisions"
                       : divisions                         ? "divisions,indices"
                                                           : "indices";
    const bool none = (c->wanted & (LULL_CHECK_DIVZERO | LULL_CHECK_INDEX)) == 0;
    return none || setenv("LULL_MARKS", what, 1) == 0 ? NULL : &lull_enomem;
}

struct lull_error *lull_check_lines_set(const struct lull_check *c, const char *gpu)
{
    const unsigned without = LULL_CHECK_HAZARDS | LULL_CHECK_ASSUME;
    if ((c->wanted & ~without) == 0) {
        return !c->all_lines ? NULL
                             : lull_error_new(LULL_ERR_INVALID,
                                              "--check-lines is for --check of Vulkan programs");
    }
    if (setenv("LULL_LINES", c->all_lines ? "on" : "few", 1) != 0) {
        return &lull_enomem;
    }
    struct lull_error *err = lull_check_marks_set(c);
    if (err != NULL) {
        return err;
    }
    err = lull_layers_add("VK_LAYER_LULL_lines", lull_gpu_is_adreno(gpu));
    if (err != NULL && !c->all_lines) {
        lull_error_free(err); // Findings are without lines.
        err = NULL;
    }
    return err;
}

/** The files of the layer in @p dir. */
static void list(struct lull_check_lines *l, const char *dir)
{
    static const char end[] = ".lines";
    DIR *all = opendir(dir);
    for (const struct dirent *f = NULL; all != NULL && (f = readdir(all)) != NULL;) {
        char path[PATH_ROOM] = "";
        if (!lull_check_ends(f->d_name, end) ||
            (size_t)snprintf(path, sizeof path, "%s/%s", dir, f->d_name) >= sizeof path) {
            continue;
        }
        char **more = reallocarray(l->files, l->nfiles + 1, sizeof *more);
        if (more == NULL) {
            break;
        }
        l->files = more;
        more[l->nfiles] = strdup(path);
        l->nfiles += more[l->nfiles] != NULL;
    }
    if (all != NULL) {
        closedir(all);
    }
}

/** Is the file of the code at @p begin? Then its lines. */
static bool try_file(const struct lull_checks *c, const char *path, uint64_t begin,
                     struct lull_lines *ret)
{
    static const unsigned gens[] = {0, 630, 740}; // Who reads a file of another's refuses it.
    char *text = NULL;
    size_t size = 0;
    bool is = false;
    lull_error_free(lull_input_read(path, &text, &size));
    for (size_t i = 0; text != NULL && !is && i < sizeof gens / sizeof gens[0]; i++) {
        struct lull_error *err = lull_lines_read(text, size, gens[i], ret);
        if (err != NULL) {
            lull_error_free(err);
            continue;
        }
        const struct lull_plans_code code = {ret->file.code,
                                             ret->file.ncode * sizeof *ret->file.code, gens[i]};
        is = lull_checks_ran(c, begin, &code);
        if (!is) {
            lull_lines_done(ret);
        }
    }
    free(text);
    return is;
}

static const struct entry *entry_of(const struct lull_check_lines *l, uint64_t pc)
{
    for (size_t i = 0; l != NULL && i < l->n; i++) {
        const struct entry *e = &l->all[i];
        if (pc - e->begin < e->lines.file.ncode * sizeof *e->lines.file.code) {
            return e;
        }
    }
    return NULL;
}

static void meet(struct lull_check_lines *l, const struct lull_checks *c, uint64_t pc)
{
    const uint64_t begin = lull_checks_begin(c, pc);
    if (begin == 0 || entry_of(l, pc) != NULL) {
        return;
    }
    struct entry *more = reallocarray(l->all, l->n + 1, sizeof *more);
    if (more == NULL) {
        return;
    }
    l->all = more;
    more[l->n] = (struct entry){.begin = begin};
    for (size_t i = 0; i < l->nfiles; i++) {
        if (try_file(c, l->files[i], begin, &more[l->n].lines)) {
            l->n++;
            return;
        }
    }
}

struct lull_check_lines *lull_check_lines_read(const struct lull_checks *c, const char *dir)
{
    struct lull_check_lines *l = lull_checks_count(c) != 0 ? calloc(1, sizeof *l) : NULL;
    if (l == NULL) {
        return NULL;
    }
    list(l, dir);
    for (size_t i = 0; l->nfiles != 0 && i < lull_checks_count(c); i++) {
        const struct lull_finding *f = lull_checks_at(c, i);
        for (unsigned k = 0; k < 2 && f->sites[k].there; k++) {
            meet(l, c, f->sites[k].pc);
        }
    }
    return l;
}

struct lull_check_lines *lull_check_lines_meet(struct lull_check_lines *l,
                                               const struct lull_checks *c, const char *dir,
                                               uint64_t pc)
{
    if (l == NULL && (l = calloc(1, sizeof *l)) != NULL) {
        list(l, dir);
    }
    if (l != NULL) {
        meet(l, c, pc);
    }
    return l;
}

static const struct lull_lines_row *row_at(const struct lull_check_lines *l, uint64_t pc,
                                           const struct entry **ret)
{
    const struct entry *e = *ret = entry_of(l, pc);
    const struct lull_lines_row *r = e != NULL ? lull_lines_at(&e->lines, pc - e->begin) : NULL;
    return r != NULL && r->at.line != 0 ? r : NULL;
}

bool lull_check_lines_at(const struct lull_check_lines *l, uint64_t pc, struct lull_line *ret)
{
    const struct entry *e = NULL;
    const struct lull_lines_row *r = row_at(l, pc, &e);
    if (r != NULL) {
        *ret = (struct lull_line){
            .offset = r->offset, .file = lull_lines_path(&e->lines, &r->at), .line = r->at.line};
    }
    return r != NULL;
}

void lull_check_lines_add(const struct lull_check_lines *l, uint64_t pc, struct lull_str *to)
{
    const struct entry *e = NULL;
    const struct lull_lines_row *r = row_at(l, pc, &e);
    if (r == NULL) {
        return;
    }
    lull_str_addf(to, "%s%s:%u", to->size != 0 ? " " : "",
                  lull_path_from_here(lull_lines_path(&e->lines, &r->at)), r->at.line);
    if (r->sure == LULL_LINES_SEVERAL) {
        lull_str_addf(to, " (also line %u)", r->also.line);
    }
}

void lull_check_lines_free(struct lull_check_lines *l)
{
    for (size_t i = 0; l != NULL && i < l->n; i++) {
        lull_lines_done(&l->all[i].lines);
    }
    for (size_t i = 0; l != NULL && i < l->nfiles; i++) {
        free(l->files[i]);
    }
    if (l != NULL) {
        free(l->all);
        free(l->files);
    }
    free(l);
}
