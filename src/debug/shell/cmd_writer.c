// SPDX-License-Identifier: MIT
/* info writer: who wrote a place in memory last, in any submission; and where nothing that can be
 * gone back to wrote it. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/writer.h"
#include "debug/shell/shell.h"

static const char *const hows[] = {
    [LULL_BY_NOBODY] = "nobody", [LULL_BY_WAVE] = "dispatch", [LULL_BY_DRAW] = "draw",
    [LULL_BY_COLOR] = "color",   [LULL_BY_DEPTH] = "depth",   [LULL_BY_STENCIL] = "stencil",
    [LULL_BY_PACKET] = "packet", [LULL_BY_FILL] = "fill",     [LULL_BY_COPY] = "copy",
};

static bool is_pixel(const struct lull_wrote *by)
{
    return by->how >= LULL_BY_COLOR && by->how <= LULL_BY_STENCIL;
}

static bool is_packet(const struct lull_wrote *by)
{
    return by->how >= LULL_BY_PACKET;
}

/* "dispatch 4 in submission 9: cs_aa6445a9 main of "saxpy.comp", ..." */
static void show_launch(struct lull_cmd *c, const struct lull_debug_writer *w)
{
    const char *what = w->by.how == LULL_BY_WAVE ? "dispatch" : "draw";
    if (w->by.before_run) {
        lull_str_addf(c->out, "a %s before this run", what);
        return;
    }
    lull_str_addf(c->out, "%s %" PRIu64, what, w->by.launch);
    if (w->has_dispatch) {
        lull_str_addf(c->out, " in submission %" PRIu64 ": ", w->dispatch.job);
        lull_dispatch_line(c->d, &w->dispatch, c->out);
    } else if (w->has_draw) {
        lull_str_addf(c->out, " in submission %" PRIu64 ": ", w->draw.job);
        lull_draw_line(c->d, &w->draw, c->out);
    }
}

/* The instruction, and its source line. */
LULL_MUST_USE static struct lull_error *show_code(struct lull_cmd *c, uint64_t pc)
{
    struct lull_line line = {0};
    char text[LULL_LINE_ROOM] = {0};
    unsigned size = 0;
    if (lull_debug_line_at(c->d, pc, &line)) {
        const char *slash = strrchr(line.file, '/');
        const bool known = lull_debug_source_text(line.file, line.line, text);
        lull_str_addf(c->out, "%s:%" PRIu32 "%s%s\n", slash != NULL ? slash + 1 : line.file,
                      line.line, known ? "\t" : "", known ? text : "");
    }
    struct lull_error *err = lull_debug_show_insn(c, pc, false, 0, &size, NULL);
    lull_error_free(err); // Its code may be gone.
    return NULL;
}

static void show_packet(struct lull_cmd *c, const struct lull_wrote *by)
{
    lull_str_addf(c->out, "%s in submission %" PRIu64 ", ring %s",
                  by->how == LULL_BY_COPY   ? "a copy"
                  : by->how == LULL_BY_FILL ? "a fill"
                                            : "a packet with a value of its own",
                  by->job, by->ring);
    if (by->how == LULL_BY_COPY) {
        lull_str_addf(c->out, ", from 0x%" PRIx64, by->from);
        lull_debug_show_symbol(c->d, by->from, c->out);
    }
    lull_str_addf(c->out, "\n");
}

LULL_MUST_USE static struct lull_error *show_one(struct lull_cmd *c,
                                                 const struct lull_debug_writer *w)
{
    const struct lull_wrote *by = &w->by;
    if (is_packet(by)) {
        show_packet(c, by);
        return NULL;
    }
    show_launch(c, w);
    lull_str_addf(c->out, "\n");
    if (is_pixel(by)) {
        lull_debug_show_pixel(c, by);
    } else {
        lull_str_addf(
            c->out,
            "  workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32 " lane %" PRIu32 ":\n",
            by->workgroup[0], by->workgroup[1], by->workgroup[2], by->wave_in_group, by->lane);
    }
    return by->pc != 0 ? show_code(c, by->pc) : NULL;
}

/* Members of an object. */
static void put_json(struct lull_cmd *c, const struct lull_debug_writer *w)
{
    const struct lull_wrote *by = &w->by;
    const bool pixel = is_pixel(by), wave = by->how == LULL_BY_WAVE;
    lull_json_put_str(c->json, "how", hows[by->how]);
    lull_json_put_hex(c->json, "address", w->va);
    if (wave || pixel || by->how == LULL_BY_DRAW) {
        lull_json_put_u64(c->json, wave ? "dispatch" : "draw", by->launch);
        lull_json_put_u64(c->json, "lane", by->lane);
        lull_json_put_hex(c->json, "pc", by->pc);
    }
    if (is_packet(by) || w->has_dispatch || w->has_draw) {
        lull_json_put_u64(c->json, "submission",
                          w->has_dispatch ? w->dispatch.job
                          : w->has_draw   ? w->draw.job
                                          : by->job);
    }
    if (pixel) {
        lull_json_put_u64(c->json, "x", by->pixel[0]);
        lull_json_put_u64(c->json, "y", by->pixel[1]);
    }
    if (wave) {
        lull_json_key(c->json, "workgroup");
        lull_json_open(c->json, '[');
        for (unsigned k = 0; k < 3; k++) {
            lull_json_u64(c->json, by->workgroup[k]);
        }
        lull_json_close(c->json, ']');
    }
}

/* "dispatch 4 (cs_aa6445a9), workgroup 1,0,0 wave 0 lane 6" */
static void show_short(struct lull_cmd *c, const struct lull_debug_writer *w)
{
    const struct lull_wrote *by = &w->by;
    const bool wave = by->how == LULL_BY_WAVE || by->how == LULL_BY_DRAW;
    struct lull_line line = {0};
    uint64_t start = 0;
    const char *name = NULL;
    if (is_packet(by)) {
        lull_str_addf(c->out, "a %s in submission %" PRIu64, hows[by->how], by->job);
        return;
    }
    lull_str_addf(c->out, "%s %" PRIu64, by->how == LULL_BY_WAVE ? "dispatch" : "draw", by->launch);
    if (by->pc != 0 && lull_debug_code(c->d, by->pc, &start, &name)) {
        lull_str_addf(c->out, " (%s)", name);
    }
    if (w->has_dispatch || w->has_draw) {
        lull_str_addf(c->out, " in submission %" PRIu64,
                      w->has_dispatch ? w->dispatch.job : w->draw.job);
    }
    if (wave) {
        lull_str_addf(c->out, ", workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32,
                      by->workgroup[0], by->workgroup[1], by->workgroup[2], by->wave_in_group);
    } else {
        lull_str_addf(c->out, ", pixel %" PRIu32 ",%" PRIu32, by->pixel[0], by->pixel[1]);
    }
    lull_str_addf(c->out, " lane %" PRIu32, by->lane);
    if (by->pc != 0 && lull_debug_line_at(c->d, by->pc, &line)) {
        const char *slash = strrchr(line.file, '/');
        lull_str_addf(c->out, " at %s:%" PRIu32, slash != NULL ? slash + 1 : line.file, line.line);
    }
}

/* Who wrote it before; false: that is not known. */
static bool writer_before(struct lull_cmd *c, uint64_t va, uint64_t size,
                          struct lull_debug_writer *ret)
{
    struct lull_debug_writer all[LULL_WRITER_HOPS];
    size_t n = 0;
    struct lull_error *err = lull_debug_writers(c->d, va, size, true, all, &n);
    const bool is = err == NULL && n != 0 && all[0].by.how != LULL_BY_NOBODY;
    lull_error_free(err);
    *ret = is ? all[0] : (struct lull_debug_writer){0};
    return is;
}

bool lull_debug_show_before(struct lull_cmd *c, uint64_t va, unsigned size, uint64_t value)
{
    struct lull_debug_writer w = {0};
    if (!writer_before(c, va, size, &w)) {
        return false;
    }
    bool same = true;
    for (unsigned i = 0; i < size && i < sizeof value; i++) {
        same = same && ((w.by.known >> i & 1) == 0 || w.by.values[i] == (uint8_t)(value >> 8 * i));
    }
    lull_str_addf(c->out, "not written in what is remembered%s",
                  same ? "; before, by "
                       : ": what the host put there, behind what was written by ");
    show_short(c, &w);
    return true;
}

void lull_debug_json_before(struct lull_cmd *c, uint64_t va, unsigned size)
{
    struct lull_debug_writer w = {0};
    if (writer_before(c, va, size, &w)) {
        lull_json_key(c->json, "before");
        lull_json_open(c->json, '{');
        put_json(c, &w);
        lull_json_close(c->json, '}');
    }
}

struct lull_error *lull_debug_show_writers(struct lull_cmd *c, const char *text, uint64_t va,
                                           uint64_t size, bool before)
{
    struct lull_debug_writer all[LULL_WRITER_HOPS];
    size_t n = 0;
    struct lull_error *err = lull_debug_writers(c->d, va, size, before, all, &n);
    if (err != NULL) {
        return err;
    }
    if (all[0].changed) {
        lull_str_addf(c->out,
                      "%s has something else than the GPU wrote there: the host, or the debugger, "
                      "has written it since\n",
                      text);
    }
    for (size_t i = 0; err == NULL && i < n; i++) {
        const bool nobody = all[i].by.how == LULL_BY_NOBODY;
        if (i == 0 || nobody) {
            lull_str_addf(c->out, "%s was %s", i == 0 ? text : "that",
                          nobody ? "not written by the GPU" : "written last");
        } else {
            lull_str_addf(c->out, "that was written");
        }
        lull_str_addf(c->out, "%s", before && i == 0 ? " before what is remembered" : "");
        if (nobody) {
            lull_str_addf(c->out, ", as far as is noted: what the host put there\n");
        } else {
            lull_str_addf(c->out, " by ");
            err = show_one(c, &all[i]);
        }
    }
    if (err == NULL && c->json != NULL) {
        lull_json_key(c->json, "writers");
        lull_json_open(c->json, '[');
        for (size_t i = 0; i < n; i++) {
            lull_json_open(c->json, '{');
            put_json(c, &all[i]);
            lull_json_put_bool(c->json, "changed", all[i].changed);
            lull_json_close(c->json, '}');
        }
        lull_json_close(c->json, ']');
    }
    return err;
}

struct lull_error *lull_cmd_info_writer(struct lull_cmd *c)
{
    uint64_t va = 0, size = 0;
    if (*c->args == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "info writer PLACE: NAME[INDEX], {u32}ADDRESS");
    }
    struct lull_error *err = lull_debug_writer_place(c->d, c->args, &va, &size);
    return err != NULL ? err : lull_debug_show_writers(c, c->args, va, size, false);
}
