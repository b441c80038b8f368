// SPDX-License-Identifier: MIT
#include "cli/opt/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "base/path.h"
#include "base/str.h"
#include "check/assume/assume.h"
#include "cli/opt/check_file.h"
#include "cli/opt/check_merge.h"
#include "cli/opt/check_names.h"
#include "cli/opt/check_priv.h"
#include "isa/ir3/assume.h"

/** Line of the source as the compiler tells it; false: it is not known. */
static bool line_of(const struct lull_check_code *code, uint64_t pc, struct lull_line *ret)
{
    return code->image != NULL && pc >= code->va && pc - code->va < code->size &&
           lull_image_line_at(code->image, pc - code->va, ret);
}

/** The same, or as VK_LAYER_LULL_lines has found it. */
static bool any_line_of(const struct lull_check_code *code, uint64_t pc, struct lull_line *ret)
{
    return line_of(code, pc, ret) || lull_check_lines_at(code->lines, pc, ret);
}

/** Line of a place: as the source says itself, or the same. */
static bool line_of_site(const struct lull_check_code *code, const struct lull_check_site *s,
                         struct lull_line *ret)
{
    if (s->file != NULL) {
        *ret = (struct lull_line){.file = s->file, .line = s->line};
    }
    return s->file != NULL || any_line_of(code, s->pc, ret);
}

static void add_place(const struct lull_check_code *code, uint64_t pc, struct lull_str *s)
{
    if (code->api != NULL || code->lines != NULL) {
        lull_check_api_place(code->api, pc, s);
        lull_check_lines_add(code->lines, pc, s);
        return;
    }
    if (pc < code->va || pc - code->va >= code->size) {
        return;
    }
    const uint64_t offset = pc - code->va;
    if (code->image == NULL) {
        if (code->insn_bytes != 0) {
            lull_str_addf(s, "instruction %" PRIu64, offset / code->insn_bytes);
        }
        return;
    }
    const struct lull_symbol *symbol = lull_image_symbol_at(code->image, offset);
    struct lull_line line = {0};
    if (symbol != NULL) {
        lull_str_addf(s, "%s+0x%" PRIx64, symbol->name, offset - symbol->offset);
    }
    if (lull_image_line_at(code->image, offset, &line)) {
        lull_str_addf(s, "%s%s:%u", symbol != NULL ? " " : "", lull_path_from_here(line.file),
                      line.line);
    }
}

/** The same of a place of a finding. */
static void add_site_place(const struct lull_check_code *code, const struct lull_check_site *at,
                           struct lull_str *s)
{
    if (at->file == NULL) {
        add_place(code, at->pc, s);
        return;
    }
    lull_check_api_place(code->api, at->pc, s);
    lull_str_addf(s, "%s%s:%u", s->size != 0 ? " " : "", lull_path_from_here(at->file), at->line);
}

/** What a place is called in a key: line (NULL: not known), symbol, or instruction. */
static void add_key(const struct lull_check_code *code, const struct lull_line *line, uint64_t pc,
                    const char *insn, struct lull_str *s)
{
    const uint64_t offset = pc - code->va;
    const struct lull_symbol *symbol = code->image != NULL && offset < code->size
                                           ? lull_image_symbol_at(code->image, offset)
                                           : NULL;
    if (line != NULL) {
        const char *slash = strrchr(line->file, '/');
        lull_str_addf(s, ":%s:%u", slash != NULL ? slash + 1 : line->file, line->line);
    } else if (symbol != NULL) {
        lull_str_addf(s, ":%s+0x%" PRIx64, symbol->name, offset - symbol->offset);
    } else {
        lull_str_addf(s, ":");
        const size_t before = s->size;
        lull_check_api_place(code->api, pc, s);
        lull_str_addf(s, "%s", s->size != before ? "" : insn != NULL ? insn : "");
    }
}

static void add_finding_key(const struct lull_finding *f, const struct lull_check_code *code,
                            struct lull_str *s)
{
    lull_str_addf(s, "%s", f->check);
    for (unsigned i = 0; i < 2 && f->sites[i].there; i++) {
        struct lull_line line = {0};
        add_key(code, line_of_site(code, &f->sites[i], &line) ? &line : NULL, f->sites[i].pc,
                f->sites[i].insn, s);
    }
}

static void add_hazard_key(const struct lull_hazard *h, const struct lull_check_code *code,
                           struct lull_str *s)
{
    lull_str_addf(s, "%s", lull_hazard_name(h->kind));
    struct lull_line line = {0};
    add_key(code, any_line_of(code, h->pc, &line) ? &line : NULL, h->pc, h->insn, s);
    if (h->cause != 0) {
        add_key(code, any_line_of(code, h->cause, &line) ? &line : NULL, h->cause, h->cause_insn,
                s);
    }
}

/** Is it in the file of --check-known? */
static bool is_known(const struct lull_check *c, const struct lull_check_code *code,
                     const struct lull_finding *f, const struct lull_hazard *h)
{
    struct lull_str key = {0};
    if (f != NULL) {
        add_finding_key(f, code, &key);
    } else {
        add_hazard_key(h, code, &key);
    }
    const bool known = key.err == NULL && lull_known_has(&c->known, lull_str_text(&key));
    lull_str_free(&key);
    return known;
}

static void add_lanes(const struct lull_hazard *h, struct lull_str *s)
{
    if (h->lanes[1] != 0) {
        lull_str_addf(s, "0x%" PRIx64 "%016" PRIx64, h->lanes[1], h->lanes[0]);
    } else {
        lull_str_addf(s, "0x%" PRIx64, h->lanes[0]);
    }
}

static void add_text(const struct lull_hazards *all, const struct lull_hazard *h,
                     const struct lull_check_code *code, struct lull_str *s)
{
    lull_str_addf(s, "%s: 0x%" PRIx64 " ", lull_hazard_name(h->kind), h->pc);
    const size_t before = s->size;
    add_place(code, h->pc, s);
    lull_str_addf(s, "%s%s\n  ", s->size > before ? "  " : " ", h->insn != NULL ? h->insn : "");
    lull_hazard_text(all, h, s);
    lull_str_addf(s, "\n  %" PRIu64 " time%s, lanes ", h->count, h->count == 1 ? "" : "s");
    add_lanes(h, s);
    lull_str_addf(s, "; first in workgroup %u,%u,%u, ", h->group[0], h->group[1], h->group[2]);
    if (lull_hazards_numbered(all)) {
        lull_str_addf(s, "wave %u\n", h->place);
    } else {
        lull_str_addf(s, "HW_ID1 0x%08x, VMID %u\n", h->place, h->vmid);
    }
}

static void add_json(const struct lull_hazards *all, const struct lull_hazard *h,
                     const struct lull_check_code *code, struct lull_json *j)
{
    struct lull_str place = {0}, text = {0}, lanes = {0}, key = {0};
    add_hazard_key(h, code, &key);
    add_lanes(h, &lanes);
    add_place(code, h->pc, &place);
    lull_hazard_text(all, h, &text);
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", lull_hazard_name(h->kind));
    lull_json_put_str(j, "key", lull_str_text(&key));
    lull_json_put_hex(j, "pc", h->pc);
    lull_json_put_str(j, "place", lull_str_text(&place));
    lull_json_put_str(j, "instruction", h->insn != NULL ? h->insn : "");
    lull_json_put_str(j, "text", lull_str_text(&text));
    lull_json_put_hex(j, "cause", h->cause);
    lull_json_put_u64(j, "count", h->count);
    lull_json_put_str(j, "lanes", lull_str_text(&lanes));
    lull_json_key(j, "workgroup");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(j, h->group[i]);
    }
    lull_json_close(j, ']');
    if (lull_hazards_numbered(all)) {
        lull_json_put_u64(j, "wave", h->place);
    } else {
        lull_json_put_hex(j, "hw_id1", h->place);
        lull_json_put_u64(j, "vmid", h->vmid);
    }
    lull_json_close(j, '}');
    lull_str_free(&place);
    lull_str_free(&text);
    lull_str_free(&lanes);
    lull_str_free(&key);
}

/** What was found by the check @p which counts, or is dropped as one line of the source? */
static bool counts(const struct lull_check *c, const struct lull_finding *f,
                   const struct lull_check_row *which, const struct lull_check_code *code)
{
    struct lull_line line[2] = {0};
    if (strcmp(f->check, which->name) != 0 || (f->hint && (c->named & which->bits) == 0)) {
        return false;
    }
    return !f->by_line || !line_of(code, f->sites[0].pc, &line[0]) ||
           !line_of(code, f->sites[1].pc, &line[1]) || line[0].line != line[1].line ||
           strcmp(line[0].file, line[1].file) != 0;
}

/** Correct programs do that, too, or it cannot be known. */
static bool is_warning(const struct lull_finding *f, const struct lull_check_code *code)
{
    struct lull_line line = {0};
    return f->warning || f->fact || (f->by_line && !line_of(code, f->sites[0].pc, &line));
}

/** "work-item 37", of a grid of one dimension; "work-item 5,1,0 of its workgroup". */
static void add_item(const struct lull_check_site *s, struct lull_str *to)
{
    const uint32_t item = s->wave * s->lanes + s->lane;
    const uint32_t x = s->full[0] != 0 ? s->full[0] : 1, y = s->full[1] != 0 ? s->full[1] : 1;
    if (s->full[1] * s->full[2] == 1 && s->workgroup[1] == 0 && s->workgroup[2] == 0) {
        lull_str_addf(to, "work-item %" PRIu64, (uint64_t)s->workgroup[0] * x + item);
    } else {
        lull_str_addf(to, "work-item %u,%u,%u of it", item % x, item / x % y, item / x / y);
    }
}

/** "fragment shader, pixel 3,4", "vertex shader, vertex 2 of instance 0". */
static void add_drawn(const struct lull_check_site *s, struct lull_str *to)
{
    lull_str_addf(to, "%s", s->stage);
    if (s->placed && strncmp(s->stage, "fragment", strlen("fragment")) == 0) {
        lull_str_addf(to, ", pixel %u,%u", s->at[0], s->at[1]);
    } else if (s->placed) {
        lull_str_addf(to, ", vertex %u of instance %u", s->at[0], s->at[1]);
    }
}

static void add_who(const struct lull_check_site *s, struct lull_str *to)
{
    if (s->stage != NULL) {
        add_drawn(s, to);
        return;
    }
    lull_str_addf(to, "workgroup %u,%u,%u wave %u", s->workgroup[0], s->workgroup[1],
                  s->workgroup[2], s->wave);
    if (!s->whole) {
        lull_str_addf(to, " lane %u (", s->lane);
        add_item(s, to);
        lull_str_addf(to, ")");
    }
}

static void add_site(const struct lull_check_site *s, const struct lull_check_code *code,
                     struct lull_str *to)
{
    struct lull_str place = {0};
    if (s->call) {
        lull_str_addf(to, "  %s\n      %s\n", s->insn != NULL ? s->insn : "a transfer",
                      s->does != NULL ? s->does : "");
        return;
    }
    add_site_place(code, s, &place);
    lull_str_addf(to, "  %s%s0x%" PRIx64 "%s%s\n      ", lull_str_text(&place),
                  place.size != 0 ? "  " : "", s->pc, s->insn != NULL ? " " : "",
                  s->insn != NULL ? s->insn : "");
    add_who(s, to);
    lull_str_addf(to, " %s\n", s->does != NULL ? s->does : "");
    lull_str_free(&place);
    struct lull_str names = {0};
    lull_check_names_add(code->api, s, &names);
    if (names.size != 0) {
        lull_str_addf(to, "      %s\n", lull_str_text(&names));
    }
    lull_str_free(&names);
}

/** "6 times", "6 times, at 2 places of the code". @p m NULL: it is one alone. */
static void add_count(const struct lull_finding *f, const struct lull_check_merged *m,
                      struct lull_str *to)
{
    const uint64_t count = m != NULL ? m->count : f->count;
    lull_str_addf(to, "  %" PRIu64 " time%s", count, count == 1 ? "" : "s");
    if (m != NULL && m->places > 1) {
        lull_str_addf(to, ", at %" PRIu64 " places of the code", m->places);
    }
    lull_str_addf(to, "\n");
}

static void add_finding(const struct lull_finding *f, const struct lull_check_merged *m,
                        const struct lull_check_code *code, struct lull_str *to)
{
    const bool warns = !f->fact && is_warning(f, code);
    lull_str_addf(to, "%s: %s%s\n", f->check, warns ? "warning: " : "", f->what);
    for (unsigned i = 0; i < 2 && f->sites[i].there; i++) {
        add_site(&f->sites[i], code, to);
    }
    if (f->note != NULL) {
        lull_str_addf(to, "  %s\n", f->note);
    }
    add_count(f, m, to);
}

void lull_check_show(const struct lull_check *c, const struct lull_check_code *code, size_t i,
                     struct lull_str *out)
{
    const struct lull_finding *f = lull_checks_at(c->checks, i);
    for (size_t k = 0; k < LULL_CHECK_NROWS; k++) {
        if (lull_check_rows[k].module != NULL && counts(c, f, &lull_check_rows[k], code) &&
            !is_known(c, code, f, NULL)) {
            add_finding(f, NULL, code, out);
        }
    }
}

void lull_check_show_hazard(const struct lull_check *c, const struct lull_check_code *code,
                            size_t i, struct lull_str *out)
{
    const struct lull_hazard *h = lull_hazards_at(c->hazards, i);
    if (!is_known(c, code, NULL, h)) {
        add_text(c->hazards, h, code, out);
    }
}

static void add_json_site(const struct lull_check_site *s, const struct lull_check_code *code,
                          struct lull_json *j)
{
    struct lull_str place = {0};
    struct lull_line line = {0};
    add_site_place(code, s, &place);
    lull_json_open(j, '{');
    lull_json_put_hex(j, "pc", s->pc);
    lull_json_put_str(j, "place", lull_str_text(&place));
    if (line_of_site(code, s, &line)) {
        lull_json_put_str(j, "file", lull_path_from_here(line.file));
        lull_json_put_u64(j, "line", line.line);
    }
    lull_json_put_str(j, "instruction", s->insn != NULL ? s->insn : "");
    lull_json_put_str(j, "does", s->does != NULL ? s->does : "");
    lull_check_names_json(code->api, s, j);
    if (s->call) {
        lull_json_close(j, '}');
        lull_str_free(&place);
        return;
    }
    if (s->stage != NULL) {
        lull_json_put_str(j, "stage", s->stage);
    }
    if (s->placed) {
        lull_json_key(j, "at");
        lull_json_open(j, '[');
        lull_json_u64(j, s->at[0]);
        lull_json_u64(j, s->at[1]);
        lull_json_close(j, ']');
    }
    lull_json_key(j, "workgroup");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(j, s->workgroup[i]);
    }
    lull_json_close(j, ']');
    lull_json_put_u64(j, "wave", s->wave);
    if (!s->whole) {
        lull_json_put_u64(j, "lane", s->lane);
    }
    lull_json_close(j, '}');
    lull_str_free(&place);
}

void lull_check_sites(const struct lull_finding *f, const struct lull_check_code *code,
                      struct lull_json *j)
{
    lull_json_key(j, "sites");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 2 && f->sites[i].there; i++) {
        add_json_site(&f->sites[i], code, j);
    }
    lull_json_close(j, ']');
}

static void add_json_finding(const struct lull_finding *f, const struct lull_check_merged *m,
                             const struct lull_check_code *code, struct lull_json *j)
{
    struct lull_str key = {0};
    add_finding_key(f, code, &key);
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", f->what);
    lull_json_put_str(j, "key", lull_str_text(&key));
    lull_str_free(&key);
    lull_json_put_bool(j, "warning", is_warning(f, code));
    lull_json_put_u64(j, "count", m != NULL ? m->count : f->count);
    lull_json_put_u64(j, "places", m != NULL ? m->places : 1);
    lull_json_put_str(j, "text", f->note != NULL ? f->note : "");
    lull_check_sites(f, code, j);
    lull_json_close(j, '}');
}

/** How much of the run rests on what is taken for granted: as text, or as members of an object. */
static void add_assumed(const struct lull_check *c, struct lull_str *s, struct lull_json *j)
{
    const struct lull_assumed *a = &c->assumed;
    const unsigned rows = (unsigned)__builtin_popcount(a->rows);
    if (j != NULL) {
        lull_json_put_u64(j, "executed", a->executed);
        lull_json_put_u64(j, "rest", a->rest);
        lull_json_put_u64(j, "assumptions", rows);
        return;
    }
    lull_str_addf(s,
                  "%" PRIu64 " of %" PRIu64 " executed instructions rest on %u of the model's %u "
                  "assumptions\n",
                  a->rest, a->executed, rows, c->adreno ? LULL_IR3_NASSUME : lull_assume_rows());
}

/** "race: 2 findings, 1 of them warning". */
static void add_total(const struct lull_check_row *which, size_t n, size_t known, size_t warnings,
                      bool lost, struct lull_str *to)
{
    lull_str_addf(to, "%s: %zu finding%s", which->name, n, n == 1 ? "" : "s");
    if (known != 0) {
        lull_str_addf(to, ", and %zu known", known);
    }
    if (warnings != 0) {
        lull_str_addf(to, ", %zu of them warning%s", warnings, warnings == 1 ? "" : "s");
    }
    lull_str_addf(to, "%s", lost ? ", and some that were lost" : "");
}

static void end_json(const struct lull_check *c, const struct lull_check_row *which, size_t known,
                     bool drew, struct lull_json *j)
{
    lull_json_close(j, ']');
    lull_json_put_u64(j, "known", known);
    lull_json_put_u64(j, "lost", lull_checks_lost(c->checks));
    if (which->bits == LULL_CHECK_ASSUME) {
        add_assumed(c, NULL, j);
    }
    if (drew) {
        lull_json_put_bool(j, "draws_looked_at", false);
    }
    lull_json_close(j, '}');
}

/** Findings of one check. @p m: lull_check_merge(). @return Whether one of them counts. */
static bool report_one(const struct lull_check *c, const struct lull_check_merged *m,
                       const struct lull_check_row *which, const struct lull_check_code *code,
                       bool json, FILE *to)
{
    struct lull_str s = {0};
    struct lull_json j = {.out = &s};
    size_t n = 0, warnings = 0, known = 0;
    const uint64_t lost = lull_checks_lost(c->checks);
    const bool facts = which->bits == LULL_CHECK_ASSUME;
    const bool drew = which->bits == LULL_CHECK_RACE && lull_checks_drew(c->checks);
    if (json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "check", which->name);
        lull_json_key(&j, "findings");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; i < lull_checks_count(c->checks); i++) {
        const struct lull_finding *f = lull_checks_at(c->checks, i);
        if (!counts(c, f, which, code) || (m != NULL && m[i].first != i)) {
            continue;
        }
        if (is_known(c, code, f, NULL)) {
            known++;
            continue;
        }
        n++;
        warnings += is_warning(f, code);
        if (json) {
            add_json_finding(f, m != NULL ? &m[i] : NULL, code, &j);
        } else {
            add_finding(f, m != NULL ? &m[i] : NULL, code, &s);
        }
    }
    if (json) {
        end_json(c, which, known, drew, &j);
        lull_str_addf(&s, "\n");
    } else if (facts) {
        lull_str_addf(&s, "%s: %zu place%s; ", which->name, n, n == 1 ? "" : "s");
        add_assumed(c, &s, NULL);
    } else {
        add_total(which, n, known, warnings, lost != 0, &s);
        lull_str_addf(&s, "%s\n", drew ? "; draws are not looked at" : "");
    }
    fputs(s.err != NULL ? "no memory to tell what was found\n" : lull_str_text(&s), to);
    const bool found = s.err != NULL || lost != 0 || n > warnings ||
                       (n != 0 && !facts && (c->named & which->bits) != 0);
    lull_str_free(&s);
    return found;
}

static bool report_hazards(const struct lull_check *c, const struct lull_check_code *code,
                           bool json, FILE *to)
{
    if (c->hazards == NULL) {
        return false;
    }
    const size_t n = lull_hazards_count(c->hazards);
    size_t known = 0;
    const uint64_t lost = lull_hazards_lost(c->hazards);
    struct lull_str s = {0};
    struct lull_json j = {.out = &s};
    if (json) {
        lull_json_open(&j, '{');
        lull_json_put_str(&j, "check", "hazards");
        lull_json_key(&j, "findings");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; i < n; i++) {
        const struct lull_hazard *h = lull_hazards_at(c->hazards, i);
        if (is_known(c, code, NULL, h)) {
            known++;
        } else if (json) {
            add_json(c->hazards, h, code, &j);
        } else {
            add_text(c->hazards, h, code, &s);
        }
    }
    if (json) {
        lull_json_close(&j, ']');
        lull_json_put_u64(&j, "known", known);
        lull_json_put_u64(&j, "lost", lost);
        lull_json_close(&j, '}');
        lull_str_addf(&s, "\n");
    } else {
        lull_str_addf(&s, "hazards: %zu finding%s", n - known, n - known == 1 ? "" : "s");
        if (known != 0) {
            lull_str_addf(&s, ", and %zu known", known);
        }
        lull_str_addf(&s, "%s\n", lost != 0 ? ", and some that were lost" : "");
    }
    fputs(s.err != NULL ? "hazards: no memory to tell them\n" : lull_str_text(&s), to);
    const bool found = n > known || lost > 0 || s.err != NULL;
    lull_str_free(&s);
    return found;
}

static struct lull_check_merged *merge(const struct lull_check *c,
                                       const struct lull_check_code *code)
{
    static const struct lull_check_lines_fn lines = {line_of_site};
    return c->checks != NULL ? lull_check_merge(c, code, &lines) : NULL;
}

bool lull_check_report(const struct lull_check *c, const struct lull_check_code *code, bool json,
                       FILE *to)
{
    bool found = report_hazards(c, code, json, to);
    struct lull_check_merged *m = merge(c, code);
    for (size_t i = 0; c->checks != NULL && i < LULL_CHECK_NROWS; i++) {
        if (lull_check_rows[i].module != NULL && (c->wanted & lull_check_rows[i].bits) != 0) {
            found = report_one(c, m, &lull_check_rows[i], code, json, to) || found;
        }
    }
    free(m);
    return found;
}

static bool trace_line(const void *ctx, uint64_t pc, const char **ret_file, uint32_t *ret_line)
{
    struct lull_line line = {0};
    if (!line_of(ctx, pc, &line)) {
        return false;
    }
    *ret_file = lull_path_from_here(line.file);
    *ret_line = line.line;
    return true;
}

struct lull_error *lull_check_traced(struct lull_check *c, const struct lull_check_code *code)
{
    return lull_trace_write(&c->trace, &c->objects, trace_line, code);
}

/** What was built, as memory of its own. */
LULL_MUST_USE static struct lull_error *take_text(struct lull_str *s, char **ret)
{
    struct lull_error *err = s->err;
    *ret = err == NULL ? strdup(lull_str_text(s)) : NULL;
    s->err = NULL;
    lull_str_free(s);
    return err != NULL || *ret != NULL ? err : &lull_enomem;
}

/** "out.cl:7" and "k+0x40 v_add ..." of a place. */
LULL_MUST_USE static struct lull_error *file_place(const struct lull_check_code *code, uint64_t pc,
                                                   const char *insn,
                                                   struct lull_check_file_entry *e)
{
    struct lull_check_file_place *p = &e->places[e->nplaces++];
    struct lull_line line = {0};
    struct lull_str s = {0};
    if (any_line_of(code, pc, &line)) {
        p->file = strdup(lull_path_from_here(line.file));
        p->line = line.line;
        if (p->file == NULL) {
            return &lull_enomem;
        }
    }
    add_place(code, pc, &s);
    lull_str_addf(&s, "%s0x%" PRIx64 "%s%s", s.size != 0 ? " " : "", pc, insn != NULL ? " " : "",
                  insn != NULL ? insn : "");
    return take_text(&s, &p->name);
}

LULL_MUST_USE static struct lull_error *file_texts(struct lull_str *key, struct lull_str *text,
                                                   struct lull_check_file_entry *e)
{
    struct lull_error *err = take_text(key, &e->key);
    struct lull_error *other = take_text(text, &e->text);
    if (err != NULL) {
        lull_error_free(other);
    }
    return err != NULL ? err : other;
}

LULL_MUST_USE static struct lull_error *file_finding(const struct lull_check *c,
                                                     const struct lull_finding *f,
                                                     const struct lull_check_merged *m,
                                                     const struct lull_check_code *code,
                                                     struct lull_check_file *file)
{
    struct lull_check_file_entry *e = lull_check_file_add(file);
    struct lull_str key = {0}, text = {0};
    if (e == NULL) {
        return &lull_enomem;
    }
    e->check = f->check;
    e->kind = f->what;
    e->warning = is_warning(f, code);
    e->fact = f->fact;
    e->known = is_known(c, code, f, NULL);
    e->count = m != NULL ? m->count : f->count;
    e->code_places = m != NULL ? m->places : 1;
    add_finding_key(f, code, &key);
    add_finding(f, m, code, &text);
    struct lull_error *err = file_texts(&key, &text, e);
    for (unsigned i = 0; err == NULL && i < 2 && f->sites[i].there; i++) {
        err = file_place(code, f->sites[i].pc, f->sites[i].insn, e);
        struct lull_str names = {0};
        lull_check_names_add(code->api, &f->sites[i], &names);
        struct lull_error *other = take_text(&names, &e->places[i].resource);
        if (err != NULL) {
            lull_error_free(other);
        }
        err = err != NULL ? err : other;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *file_hazard(const struct lull_check *c,
                                                    const struct lull_hazard *h,
                                                    const struct lull_check_code *code,
                                                    struct lull_check_file *file)
{
    struct lull_check_file_entry *e = lull_check_file_add(file);
    struct lull_str key = {0}, text = {0};
    if (e == NULL) {
        return &lull_enomem;
    }
    e->check = "hazards";
    e->kind = lull_hazard_name(h->kind);
    e->known = is_known(c, code, NULL, h);
    e->count = h->count;
    add_hazard_key(h, code, &key);
    add_text(c->hazards, h, code, &text);
    struct lull_error *err = file_texts(&key, &text, e);
    err = err != NULL ? err : file_place(code, h->pc, h->insn, e);
    if (err == NULL && h->cause != 0) {
        err = file_place(code, h->cause, h->cause_insn, e);
    }
    return err;
}

struct lull_error *lull_check_write(const struct lull_check *c, const struct lull_check_code *code,
                                    const char *program)
{
    struct lull_check_file file = {.program = program};
    struct lull_str out = {0};
    struct lull_error *err = NULL;
    if (c->report_path == NULL) {
        return NULL;
    }
    struct lull_check_merged *m = merge(c, code);
    if (c->hazards != NULL) {
        file.checks[file.nchecks++] = "hazards";
    }
    for (size_t i = 0; c->hazards != NULL && err == NULL && i < lull_hazards_count(c->hazards);
         i++) {
        err = file_hazard(c, lull_hazards_at(c->hazards, i), code, &file);
    }
    for (size_t k = 0; c->checks != NULL && k < LULL_CHECK_NROWS; k++) {
        if (lull_check_rows[k].module == NULL || (c->wanted & lull_check_rows[k].bits) == 0) {
            continue;
        }
        file.checks[file.nchecks++] = lull_check_rows[k].name;
        for (size_t i = 0; err == NULL && i < lull_checks_count(c->checks); i++) {
            const struct lull_finding *f = lull_checks_at(c->checks, i);
            const struct lull_check_merged *of = m != NULL ? &m[i] : NULL;
            if (counts(c, f, &lull_check_rows[k], code) && (of == NULL || of->first == i)) {
                err = file_finding(c, f, of, code, &file);
            }
        }
    }
    free(m);
    if (err == NULL && lull_check_ends(c->report_path, ".sarif")) {
        lull_check_file_sarif(&file, &out);
    } else if (err == NULL) {
        lull_check_file_junit(&file, &out);
    }
    err = err != NULL ? err : out.err;
    if (err == NULL) {
        err = lull_output_write(c->report_path, lull_str_text(&out), out.size);
    }
    lull_str_free(&out);
    lull_check_file_done(&file);
    return err;
}

void lull_check_done(struct lull_check *c)
{
    lull_trace_wanted_done(&c->trace);
    lull_checks_free(c->checks);
    c->checks = NULL;
    lull_across_done(&c->across);
    lull_lint_done(&c->lint);
    lull_reach_done(&c->reach);
    lull_never_done(&c->never);
    lull_check_marks_done(&c->marks);
    lull_check_modules_done(&c->modules);
    lull_check_api_free(c->api);
    lull_check_lines_free(c->lines);
    c->api = NULL;
    lull_known_done(&c->known);
    lull_hazards_free(c->hazards);
    c->hazards = NULL;
}
