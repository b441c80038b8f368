// SPDX-License-Identifier: MIT
/* Questions about lines that are known. */
#include <inttypes.h>
#include <string.h>

#include "debug/lines/lines.h"

const struct lull_lines_row *lull_lines_at(const struct lull_lines *l, uint64_t offset)
{
    for (size_t i = 0; i < l->nrows; i++) {
        if (offset >= l->rows[i].offset && offset - l->rows[i].offset < l->rows[i].size) {
            return &l->rows[i];
        }
    }
    return NULL;
}

const char *lull_lines_path(const struct lull_lines *l, const struct lull_lines_place *p)
{
    return p->file < l->file.nfiles ? l->file.files[p->file] : "";
}

bool lull_lines_is_file(const struct lull_lines *l, const struct lull_lines_place *p,
                        const char *file)
{
    const char *path = lull_lines_path(l, p);
    const size_t n = file != NULL ? strlen(file) : 0, size = strlen(path);
    return file == NULL || (n <= size && strcmp(path + size - n, file) == 0 &&
                            (n == size || path[size - n - 1] == '/' || *file == '/'));
}

static bool is_at(const struct lull_lines *l, const struct lull_lines_place *p, const char *file,
                  uint32_t line)
{
    return p->line == line && lull_lines_is_file(l, p, file);
}

const struct lull_lines_row *lull_lines_find(const struct lull_lines *l, const char *file,
                                             uint32_t line)
{
    const struct lull_lines_row *best = NULL;
    for (size_t i = 0; i < l->nrows; i++) {
        const struct lull_lines_row *r = &l->rows[i];
        const bool of = r->sure == LULL_LINES_SEVERAL
                            ? is_at(l, &r->at, file, line) || is_at(l, &r->also, file, line)
                            : r->sure > LULL_LINES_BETWEEN && is_at(l, &r->at, file, line);
        if (of && !r->waits && (best == NULL || r->sure > best->sure)) {
            best = r;
        }
    }
    return best;
}

void lull_lines_show_sure(const struct lull_lines_row *r, struct lull_str *out)
{
    const char *s = r->changes == 1 ? "" : "s";
    switch (r->sure) {
    case LULL_LINES_EXACT:
        lull_str_addf(out, "exact, by %u change%s", r->changes, s);
        break;
    case LULL_LINES_CHANGED:
        lull_str_addf(out, "by %u change%s", r->changes, s);
        break;
    case LULL_LINES_SEVERAL:
        lull_str_addf(out, "and line %" PRIu32, r->also.line);
        break;
    case LULL_LINES_BETWEEN:
        lull_str_addf(out, "between instructions of it");
        break;
    case LULL_LINES_UNKNOWN:
    default:
        lull_str_addf(out, "not known");
        break;
    }
}

/** How sure a line of the source is: that of its surest instruction. */
static enum lull_lines_sure line_sure(const struct lull_lines *l, const struct lull_lines_place *p)
{
    const struct lull_lines_row *r = lull_lines_find(l, lull_lines_path(l, p), p->line);
    return r != NULL ? r->sure : LULL_LINES_UNKNOWN;
}

/** Files name lines again where loops and calls come back to them. */
static bool named_before(const struct lull_lines_file *f, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (f->lines[k].line == f->lines[i].line &&
            strcmp(f->files[f->lines[k].file], f->files[f->lines[i].file]) == 0) {
            return true;
        }
    }
    return false;
}

void lull_lines_add_up(const struct lull_lines *l, struct lull_lines_sum *ret)
{
    *ret = (struct lull_lines_sum){0};
    for (size_t i = 0; i < l->nrows; i++) {
        if (l->rows[i].waits) {
            continue;
        }
        const enum lull_lines_sure sure = l->rows[i].sure;
        ret->insns++;
        ret->exact += sure == LULL_LINES_EXACT;
        ret->changed += sure == LULL_LINES_CHANGED;
        ret->several += sure == LULL_LINES_SEVERAL;
        ret->between += sure == LULL_LINES_BETWEEN;
        ret->unknown += sure == LULL_LINES_UNKNOWN;
    }
    for (size_t i = 0; i < l->file.nlines; i++) {
        if (!named_before(&l->file, i)) {
            const enum lull_lines_sure sure = line_sure(l, &l->file.lines[i]);
            ret->lines++;
            ret->lines_exact += sure == LULL_LINES_EXACT;
            ret->lines_known += sure != LULL_LINES_UNKNOWN;
        }
    }
}
