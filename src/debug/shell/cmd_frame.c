// SPDX-License-Identifier: MIT
/* Where a wave is: backtrace, info source, info access. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/files.h"
#include "debug/session/fault.h"
#include "debug/session/frame.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"

static void frame(struct lull_cmd *c, unsigned number, const struct lull_frame *f)
{
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(c->d, f->va, &symbol);
    const bool known = f->line.line != 0;
    lull_str_addf(c->out, "#%u  0x%012" PRIx64 " ", number, f->va);
    if (f->inlined != NULL) {
        lull_str_addf(c->out, "%s, inlined,", f->inlined);
    } else {
        lull_str_addf(c->out, "%s", lull_str_text(&symbol));
    }
    if (known) {
        lull_str_addf(c->out, " at %s:%" PRIu32, f->line.file, f->line.line);
        lull_debug_show_sure(c->d, f->va, c->out);
    }
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "frame", number);
        lull_json_put_hex(c->json, "pc", f->va);
        lull_json_put_str(c->json, "symbol", lull_str_text(&symbol));
        if (f->inlined != NULL) {
            lull_json_put_str(c->json, "inlined", f->inlined);
        }
        if (known) {
            lull_json_put_str(c->json, "file", f->line.file);
            lull_json_put_u64(c->json, "line", f->line.line);
        }
        lull_json_close(c->json, '}');
    }
}

struct lull_error *lull_cmd_backtrace(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_frame frames[LULL_MAX_FRAMES];
    unsigned n = 0;
    bool more = false;
    uint64_t most = LULL_MAX_FRAMES;
    const char *at = c->args;
    const bool full = lull_cmd_word(&at, "full") || lull_cmd_word(&at, "-full");
    const bool outer = *at == '-'; // The outermost ones.
    at += outer;
    struct lull_error *err = outer || *at != '\0' ? lull_cmd_count(at, 1, UINT32_MAX, &most) : NULL;
    err = err != NULL ? err : lull_debug_focused(d, &w);
    err = err != NULL ? err : lull_debug_frames(d, w, frames, &n, &more);
    if (err != NULL) {
        return err;
    }
    const unsigned first = outer && most < n ? n - (unsigned)most : 0;
    most = outer ? n : most;
    if (c->json != NULL) {
        lull_json_key(c->json, "frames");
        lull_json_open(c->json, '[');
    }
    const unsigned was = d->frame;
    for (unsigned i = first; err == NULL && i < n && i < most; i++) {
        frame(c, i, &frames[i]);
        d->frame = i;
        struct lull_cmd locals = {.d = d, .args = "", .out = c->out};
        struct lull_error *none = full ? lull_cmd_info_locals(&locals) : NULL;
        lull_error_free(none); // Code without debug information.
    }
    d->frame = was;
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (most < n) {
        lull_str_addf(c->out, "(More frames follow...)\n");
    } else if (more) {
        lull_str_addf(c->out, "Further callers are not known: GPU code keeps no frame pointer, and "
                              "s[30:31] tells the newest return only.\n");
    }
    return NULL;
}

/* The frames of the wave in focus, the innermost first: room for LULL_MAX_FRAMES. */
LULL_MUST_USE static struct lull_error *frames_in_focus(struct lull_cmd *c,
                                                        struct lull_frame *frames, unsigned *ret)
{
    struct lull_debug_wave *w = NULL;
    bool more = false;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    return err != NULL ? err : lull_debug_frames(c->d, w, frames, ret, &more);
}

/* Look at frame @p to. */
LULL_MUST_USE static struct lull_error *choose_frame(struct lull_cmd *c, int64_t to)
{
    struct lull_frame frames[LULL_MAX_FRAMES];
    unsigned n = 0;
    struct lull_error *err = frames_in_focus(c, frames, &n);
    if (err != NULL) {
        return err;
    }
    if (to < 0) {
        return lull_error_new(LULL_ERR_INVALID, "frame 0 is the innermost");
    }
    if (to >= (int64_t)n) {
        return lull_error_new(LULL_ERR_INVALID, "frame %u is the outermost that is known", n - 1);
    }
    c->d->frame = (unsigned)to;
    if (c->json != NULL) {
        lull_json_key(c->json, "chosen");
    }
    frame(c, c->d->frame, &frames[to]);
    return NULL;
}

LULL_MUST_USE static struct lull_error *move_frame(struct lull_cmd *c, bool up)
{
    uint64_t by = 1;
    struct lull_error *err =
        *c->args != '\0' ? lull_cmd_count(c->args, 1, LULL_MAX_FRAMES, &by) : NULL;
    return err != NULL ? err : choose_frame(c, (int64_t)c->d->frame + (up ? 1 : -1) * (int64_t)by);
}

struct lull_error *lull_cmd_up(struct lull_cmd *c)
{
    return move_frame(c, true);
}

struct lull_error *lull_cmd_down(struct lull_cmd *c)
{
    return move_frame(c, false);
}

/* Look at the innermost frame of function @p name. */
LULL_MUST_USE static struct lull_error *frame_of(struct lull_cmd *c, const char *name)
{
    struct lull_frame frames[LULL_MAX_FRAMES];
    unsigned n = 0;
    struct lull_error *err = frames_in_focus(c, frames, &n);
    for (unsigned i = 0; err == NULL && i < n; i++) {
        const char *symbol = frames[i].inlined;
        uint64_t start = 0;
        if ((symbol != NULL || lull_debug_code(c->d, frames[i].va, &start, &symbol)) &&
            strcmp(symbol, name) == 0) {
            return choose_frame(c, i);
        }
    }
    return err != NULL ? err : lull_error_new(LULL_ERR_NOT_FOUND, "no frame of '%s'", name);
}

/* One command for each frame, which is looked at meanwhile. */
LULL_MUST_USE static struct lull_error *apply(struct lull_cmd *c, const char *at)
{
    struct lull_debug *d = c->d;
    struct lull_frame frames[LULL_MAX_FRAMES];
    uint64_t most = LULL_MAX_FRAMES;
    unsigned n = 0;
    struct lull_cmd_flags flags = {0};
    const bool good = lull_cmd_word(&at, "all") || lull_cmd_number(&at, &most);
    lull_cmd_take_flags(&at, &flags);
    if (!good || *at == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "expected all, or a count, and a command");
    }
    struct lull_error *err = frames_in_focus(c, frames, &n);
    const unsigned was = d->frame, resumes = d->resumes;
    const bool json = d->json;
    d->json = false; // The text is a part of this command's object.
    for (unsigned i = 0; err == NULL && i < n && i < most && d->resumes == resumes; i++) {
        lull_cleanup(lull_str_free) struct lull_str text = {0};
        struct lull_cmd header = {.d = d, .args = "", .out = &text};
        if (!flags.quiet) {
            frame(&header, i, &frames[i]);
        }
        d->frame = i;
        err = lull_cmd_apply_one(c, at, &flags, &text);
    }
    d->json = json;
    d->frame = d->resumes == resumes ? was : d->frame;
    return err;
}

struct lull_error *lull_cmd_frame(struct lull_cmd *c)
{
    uint64_t to = c->d->frame;
    const char *at = c->args;
    if (lull_cmd_word(&at, "apply")) {
        return apply(c, at);
    }
    if (lull_cmd_word(&at, "function")) {
        return frame_of(c, at);
    }
    (void)lull_cmd_word(&at, "level");
    struct lull_error *err = *at != '\0' ? lull_cmd_count(at, 0, LULL_MAX_FRAMES, &to) : NULL;
    return err != NULL ? err : choose_frame(c, (int64_t)to);
}

struct lull_error *lull_cmd_info_source(struct lull_cmd *c)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    struct lull_line line = {0};
    if (!lull_debug_line_at(c->d, w->info.pc, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source for 0x%" PRIx64 " (was it compiled with -g?)", w->info.pc);
    }
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(line.file, &f)); // without it, only places are shown
    lull_str_addf(c->out, "Source file %s, line %" PRIu32 "%s\n", line.file, line.line,
                  f != NULL ? "" : " (the file is not there)");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
        lull_json_put_bool(c->json, "readable", f != NULL);
    }
    return NULL;
}

/* What a lane is about to store, or what stands where it reads; up to four dwords. */
LULL_MUST_USE static struct lull_error *lane_data(struct lull_debug *d, const struct lull_access *a,
                                                  unsigned lane, struct lull_str *out)
{
    unsigned dwords = a->data >= 0 ? a->ndata : (a->bytes + 3) / 4;
    dwords = dwords < 4 ? dwords : 4;
    for (unsigned i = 0; i < dwords; i++) {
        uint64_t v = 0;
        struct lull_error *err = lull_debug_access_data(d, a, lane, i, &v);
        if (err != NULL) {
            return err;
        }
        v &= a->bytes < 4 ? (1u << (8 * a->bytes)) - 1 : UINT32_MAX;
        float f = 0;
        uint32_t word = (uint32_t)v;
        memcpy(&f, &word, sizeof f);
        lull_str_addf(out, " 0x%0*" PRIx32 " (%" PRIi32, a->bytes < 4 ? (int)(2 * a->bytes) : 8,
                      word, (int32_t)word);
        if (a->bytes >= 4) {
            lull_str_addf(out, ", %g", (double)f);
        }
        lull_str_addf(out, ")");
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *access_row(struct lull_cmd *c, const struct lull_access *a,
                                                   unsigned lane)
{
    lull_cleanup(lull_str_free) struct lull_str data = {0};
    lull_cleanup(lull_str_free) struct lull_str where = {0};
    bool outside = (a->outside >> lane & 1) != 0;
    lull_debug_show_place(c->d, a->va[lane], &where);
    struct lull_error *err = outside && !a->writes ? NULL : lane_data(c->d, a, lane, &data);
    if (err != NULL && lull_error_code(err) == LULL_ERR_FAULT) {
        lull_str_addf(&data, " <not mapped>");
        lull_error_free(err);
        err = NULL;
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%c lane %2u  0x%012" PRIx64 "%s%s %s%s%s\n",
                  lane == c->d->lane && a->lanes > 1 ? '*' : ' ', lane, a->va[lane],
                  where.size != 0 ? " " : "", lull_str_text(&where), a->writes ? "<-" : "->",
                  lull_str_text(&data), outside ? "  outside the buffer: nothing happens" : "");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_u64(c->json, "lane", lane);
        lull_json_put_hex(c->json, "va", a->va[lane]);
        lull_json_put_str(c->json, "place", lull_str_text(&where));
        lull_json_put_bool(c->json, "outside", outside);
        lull_json_put_str(c->json, "data", lull_str_text(&data));
        lull_json_close(c->json, '}');
    }
    return NULL;
}

struct lull_error *lull_cmd_info_access(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    const char *at = c->args;
    bool outside = lull_cmd_word(&at, "outside");
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err == NULL && *at != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s': expected 'info access [outside]'", at);
    }
    if (err != NULL) {
        return err;
    }
    struct lull_access a = {0};
    bool known = false;
    err = lull_debug_access(d, w, w->info.pc, &a, &known);
    if (err == NULL && !known) {
        err = lull_error_new(LULL_ERR_NOT_FOUND,
                             "the next instruction has no memory addresses that can be told");
    }
    if (err != NULL) {
        return err;
    }
    lull_str_addf(c->out, "%s, %s %u byte%s a lane:\n", a.name,
                  a.writes && a.reads ? "changes"
                  : a.writes          ? "writes"
                                      : "reads",
                  a.bytes, a.bytes == 1 ? "" : "s");
    if (c->json != NULL) {
        lull_json_key(c->json, "access");
        lull_json_open(c->json, '[');
    }
    uint64_t shown = a.mask & (outside ? a.outside : UINT64_MAX);
    for (unsigned i = 0; err == NULL && i < a.lanes; i++) {
        err = (shown >> i & 1) != 0 ? access_row(c, &a, i) : NULL;
    }
    if (shown == 0) {
        lull_str_addf(c->out, outside ? "No lane is outside.\n" : "No lane is active.\n");
    }
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}
