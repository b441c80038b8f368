// SPDX-License-Identifier: MIT
/* Lines of the code that a program's driver made: info lines, info line. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/path.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"

/** The instruction of a row, with its line and how that is known. */
LULL_MUST_USE static struct lull_error *show_row(struct lull_cmd *c, const struct lull_lines *l,
                                                 const struct lull_lines_row *r, uint64_t start)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_cleanup(lull_str_free) struct lull_str sure = {0};
    unsigned size = 0;
    struct lull_error *err = lull_debug_insn_text(c->d, start + r->offset, 0, &text, &size);
    if (err != NULL) {
        return err;
    }
    const bool known = r->at.line != 0;
    if (known || !r->waits) {
        lull_lines_show_sure(r, &sure);
    }
    if (known) {
        lull_str_addf(c->out, "%5" PRIu32 "  ", r->at.line);
    } else {
        lull_str_addf(c->out, "    -  ");
    }
    lull_str_addf(c->out, "+0x%-4" PRIx32 " %-56s%s%s\n", r->offset, lull_str_text(&text),
                  sure.size != 0 ? "  " : "", lull_str_text(&sure));
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_hex(c->json, "address", start + r->offset);
        lull_json_put_str(c->json, "text", lull_str_text(&text));
        if (known) {
            lull_json_put_str(c->json, "file", lull_lines_path(l, &r->at));
            lull_json_put_u64(c->json, "line", r->at.line);
        }
        if (r->sure == LULL_LINES_SEVERAL) {
            lull_json_put_u64(c->json, "also", r->also.line);
        }
        lull_json_put_bool(c->json, "exact", r->sure == LULL_LINES_EXACT);
        lull_json_put_u64(c->json, "changes", r->changes);
        lull_json_put_str(c->json, "how", lull_str_text(&sure));
        lull_json_close(c->json, '}');
    }
    return NULL;
}

static void open_list(struct lull_cmd *c)
{
    if (c->json != NULL) {
        lull_json_key(c->json, "instructions");
        lull_json_open(c->json, '[');
    }
}

static void close_list(struct lull_cmd *c)
{
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
}

static bool of_line(const struct lull_lines_row *r, const struct lull_lines_place *at)
{
    const bool first = r->at.file == at->file && r->at.line == at->line;
    return first ||
           (r->sure == LULL_LINES_SEVERAL && r->also.file == at->file && r->also.line == at->line);
}

struct lull_error *lull_debug_show_lines(struct lull_cmd *c, const struct lull_lines *l,
                                         uint64_t start, uint64_t va, const char *place)
{
    const struct lull_lines_row *here = lull_lines_at(l, va - start);
    if (here == NULL || here->at.line == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "'%s': the line of the instruction at 0x%" PRIx64 " is not known: no "
                              "change of the source alters it alone",
                              place, va);
    }
    struct lull_error *err = NULL;
    lull_str_addf(c->out, "%s:%" PRIu32 ", in the driver's code from 0x%012" PRIx64 " on:\n",
                  lull_path_from_here(lull_lines_path(l, &here->at)), here->at.line, start);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", lull_lines_path(l, &here->at));
        lull_json_put_u64(c->json, "line", here->at.line);
    }
    open_list(c);
    for (size_t i = 0; err == NULL && i < l->nrows; i++) {
        err = of_line(&l->rows[i], &here->at) ? show_row(c, l, &l->rows[i], start) : NULL;
    }
    close_list(c);
    return err;
}

bool lull_debug_held_begin(const struct lull_debug *d, uint64_t *ret_va)
{
    enum { WORD = 4 };
    uint64_t start = 0, first = 0, end = 0;
    struct lull_line line = {0};
    if (!d->held || d->at_draw || !d->has_dispatch) {
        return false;
    }
    if (d->source_dispatch == d->dispatch.number + 1 && d->image != NULL) {
        lull_image_code_range(d->image, &first, &end);
        while (first < end && (!lull_image_line_at(d->image, first, &line) || line.line == 0)) {
            first += WORD;
        }
        *ret_va = d->image_va + first;
        return first < end;
    }
    const struct lull_lines *l = lull_debug_lines_of(d, d->dispatch.code_va, &start);
    for (size_t i = 0; l != NULL && i < l->nrows; i++) {
        if (l->rows[i].at.line != 0) {
            *ret_va = start + l->rows[i].offset;
            return true;
        }
    }
    return false;
}

static void show_sum(struct lull_cmd *c, const struct lull_lines *l)
{
    struct lull_lines_sum s = {0};
    lull_lines_add_up(l, &s);
    lull_str_addf(c->out,
                  "%u instructions: %u exact, %u by changes that alter others, too, %u of several "
                  "lines, %u between, %u not known\n"
                  "%u lines with instructions of SPIR-V: %u exact, %u more known\n"
                  "%" PRIu32 " changes compiled, of which %" PRIu32 " failed and %u altered too "
                  "much\n",
                  s.insns, s.exact, s.changed, s.several, s.between, s.unknown, s.lines,
                  s.lines_exact, s.lines_known - s.lines_exact, l->file.ntried, l->file.nfailed,
                  l->nlarge);
    if (c->json != NULL) {
        lull_json_put_u64(c->json, "instructions_exact", s.exact);
        lull_json_put_u64(c->json, "instructions_known", s.exact + s.changed + s.several);
        lull_json_put_u64(c->json, "instructions_between", s.between);
        lull_json_put_u64(c->json, "instructions_in_all", s.insns);
        lull_json_put_u64(c->json, "lines_exact", s.lines_exact);
        lull_json_put_u64(c->json, "lines_known", s.lines_known);
        lull_json_put_u64(c->json, "lines_in_all", s.lines);
        lull_json_put_u64(c->json, "changes", l->file.ntried);
    }
}

struct lull_error *lull_cmd_info_lines(struct lull_cmd *c, const char *args)
{
    struct lull_debug *d = c->d;
    const struct lull_debug_wave *w = d->has_focus ? lull_debug_wave_by_number(d, d->focus) : NULL;
    uint64_t va = w != NULL ? w->info.pc : d->has_dispatch ? d->dispatch.code_va : 0, start = 0;
    struct lull_error *err = *args != '\0' ? lull_debug_address(d, args, &va) : NULL;
    if (err != NULL) {
        return err;
    }
    const struct lull_lines *l = lull_debug_lines_of(d, va, &start);
    if (l == NULL) {
        return lull_error_new(
            LULL_ERR_NOT_FOUND,
            "no lines of the driver's code are known: they are of shaders "
            "under 'lull debug --lines -- PROGRAM', from a held dispatch or draw on");
    }
    open_list(c);
    for (size_t i = 0; err == NULL && i < l->nrows; i++) {
        err = show_row(c, l, &l->rows[i], start);
    }
    close_list(c);
    if (err == NULL) {
        show_sum(c, l);
    }
    return err;
}
