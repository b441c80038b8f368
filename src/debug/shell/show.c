// SPDX-License-Identifier: MIT
/* Stops in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/files.h"
#include "debug/session/events.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"
#include "hw/hwreg_regs.h"

const char *lull_stop_name(enum lull_stop stop)
{
    static const char *const names[] = {
        [LULL_STOP_NOT] = "running",
        [LULL_STOP_START] = "start",
        [LULL_STOP_STEP] = "step",
        [LULL_STOP_BREAKPOINT] = "breakpoint",
        [LULL_STOP_HOST] = "interrupt",
        [LULL_STOP_TRAP] = "trap",
        [LULL_STOP_MEMORY] = "memory violation",
        [LULL_STOP_ILLEGAL] = "illegal instruction",
        [LULL_STOP_EXCEPTION] = "exception",
    };
    return (size_t)stop < sizeof names / sizeof names[0] ? names[stop] : "?";
}

/* "hit breakpoint 1", "stepped" ... */
static void show_reason(struct lull_debug *d, const struct lull_debug_wave *w, struct lull_str *out)
{
    const struct lull_breakpoint *b = lull_debug_breakpoint_of(d, w);
    enum lull_stop stop = w->info.stop;
    if (b != NULL) {
        lull_str_addf(out, "hit breakpoint %u", b->number);
        return;
    }
    switch (stop) {
    case LULL_STOP_START:
        lull_str_addf(out, "stands at its first instruction");
        break;
    case LULL_STOP_STEP:
        if (d->watch_hit != 0) {
            const struct lull_breakpoint *hit = lull_debug_breakpoint(d, d->watch_hit);
            lull_str_addf(out, "%s watchpoint %u",
                          hit != NULL && hit->watch != LULL_WATCH_WRITE ? "hit" : "changed",
                          d->watch_hit);
            break;
        }
        lull_str_addf(out, "stepped");
        break;
    case LULL_STOP_BREAKPOINT:
        lull_str_addf(out, "%s", lull_debug_is_checked(d, w) ? "was found by a check" : "arrived");
        break; // arrived: at a breakpoint that is no more: temporary, until, next
    case LULL_STOP_HOST:
        lull_str_addf(out, "%s",
                      lull_debug_is_checked(d, w) ? "was found by a check" : "was interrupted");
        break;
    case LULL_STOP_TRAP:
        lull_str_addf(out, "executed s_trap %u", w->info.trap_id);
        break;
    case LULL_STOP_EXCEPTION:
        if (d->watch_hit != 0) {
            lull_str_addf(out, "hit watchpoint %u", d->watch_hit);
            break;
        }
        if (w->info.excp != 0) {
            lull_debug_show_exceptions(w->info.excp, out);
            break;
        }
        lull_str_addf(out, "exception, TRAPSTS ");
        lull_reg_show(
            lull_reg_of(&lull_regs_hwreg, lull_reg_at(&lull_regs_hwreg, 0, LULL_HWREG_TRAPSTS)),
            w->info.trapsts, out);
        break;
    case LULL_STOP_MEMORY:
    case LULL_STOP_ILLEGAL:
    case LULL_STOP_NOT:
    default:
        lull_str_addf(out, "%s%s%s", lull_stop_name(stop), w->info.note[0] != '\0' ? ": " : "",
                      w->info.note);
        break;
    }
}

/* Text of line @p line of @p file without its newline; false if there is none. */
bool lull_debug_source_text(const char *file, uint32_t line, char text[LULL_LINE_ROOM])
{
    lull_cleanup(lull_fclosep) FILE *f = NULL;
    lull_error_free(lull_files_fopen(file, &f)); // without it, only places are shown
    bool whole = true;
    for (uint32_t at = 1; f != NULL && at <= line && fgets(text, LULL_LINE_ROOM, f) != NULL;
         at += whole) {
        size_t n = strlen(text);
        whole = n > 0 && text[n - 1] == '\n';
        if (at == line) {
            text[strcspn(text, "\r\n")] = '\0';
            return true;
        }
    }
    return false;
}

static void show_line(struct lull_cmd *c, uint64_t pc)
{
    struct lull_line line = {0};
    if (!lull_debug_line_at(c->d, pc, &line)) {
        return;
    }
    char text[LULL_LINE_ROOM] = {0};
    bool known = lull_debug_source_text(line.file, line.line, text);
    lull_str_addf(c->out, "%s:%" PRIu32, line.file, line.line);
    lull_debug_show_sure(c->d, pc, c->out);
    lull_str_addf(c->out, "%s%s\n", known ? "\t" : "", known ? text : "");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
    }
}

/** Where the line of a stop is looked for: of one by a check behind what it found, whose own
 * instruction may belong to no line. */
static uint64_t place_of_line(struct lull_debug *d, const struct lull_debug_wave *w)
{
    enum { FAR = 64 };
    const uint64_t pc = w->info.pc;
    struct lull_line line = {0};
    uint64_t at = pc;
    const bool checked = lull_debug_is_checked(d, w);
    for (unsigned i = 0; checked && i < FAR && !lull_debug_line_at(d, at, &line); i++) {
        at -= 4;
    }
    return lull_debug_line_at(d, at, &line) ? at : pc;
}

static void stop_json(struct lull_json *json, const struct lull_debug *d,
                      const struct lull_debug_wave *w)
{
    lull_json_put_u64(json, "wave", w->number);
    lull_json_key(json, "workgroup");
    lull_json_open(json, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(json, w->info.workgroup[i]);
    }
    lull_json_close(json, ']');
    lull_json_put_u64(json, "wave_in_group", w->info.wave_in_group);
    lull_json_put_str(json, "stop", lull_stop_name(w->info.stop));
    lull_json_put_hex(json, "pc", w->info.pc);
    lull_json_put_hex(json, "exec", w->info.exec);
    lull_json_put_u64(json, "lane", d->lane);
    lull_debug_json_work(&w->info, json);
}

/* "Wave 2 (workgroup 0,0,0 wave 2) stepped, lane 7" */
static void show_wave(struct lull_debug *d, const struct lull_debug_wave *w, struct lull_str *out)
{
    const struct lull_wave_info *i = &w->info;
    if (i->of_draw) {
        lull_str_addf(out, "Wave %u (draw %" PRIu64 ", %s shader) ", w->number, i->draw,
                      lull_draw_stage_name(i->stage));
    } else {
        lull_str_addf(
            out, "Wave %u (workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32 ") ",
            w->number, i->workgroup[0], i->workgroup[1], i->workgroup[2], i->wave_in_group);
    }
    show_reason(d, w, out);
    lull_str_addf(out, ", lane %u%s", d->lane, (i->exec >> d->lane & 1) != 0 ? "" : " (inactive)");
}

struct lull_error *lull_debug_show_stop(struct lull_cmd *c)
{
    struct lull_debug *d = c->d;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(d, &w);
    if (err != NULL) {
        return err;
    }
    const struct lull_wave_info *i = &w->info;
    show_wave(d, w, c->out);
    struct lull_invocation who = {.vertex = 0};
    const bool known = lull_debug_invocation(d, i, d->lane, &who);
    lull_str_addf(c->out, "%s", known ? ": " : "");
    if (known) {
        lull_debug_show_invocation(&who, c->out);
    }
    lull_str_addf(c->out, "\n");
    if (c->json != NULL) {
        stop_json(c->json, d, w);
    }
    if (known) {
        lull_debug_json_invocation(&who, c->json);
    }
    show_line(c, place_of_line(d, w));
    unsigned size = 0;
    if (c->json != NULL) {
        lull_json_key(c->json, "instruction");
    }
    err = lull_debug_show_insn(c, i->pc, true, i->lanes, &size, c->json);
    if (err != NULL) {
        lull_str_addf(c->out, "=> 0x%012" PRIx64 " cannot be read: %s\n", i->pc,
                      lull_error_message(err));
        lull_error_free(err);
        err = NULL;
        if (c->json != NULL) {
            lull_json_str(c->json, "");
        }
    }
    if (i->stop == LULL_STOP_MEMORY || i->stop == LULL_STOP_ILLEGAL ||
        (i->stop == LULL_STOP_EXCEPTION && i->watch == 0)) {
        d->status = 1;
    }
    if (d->watch_hit != 0) {
        err = lull_debug_show_watch(c);
    }
    if (err == NULL && i->stop == LULL_STOP_MEMORY) {
        err = lull_debug_show_fault(c, w);
    }
    if (err == NULL && lull_debug_is_checked(d, w)) {
        d->status = 1;
        d->findings(d->run_ctx, i, c->out, c->json);
    }
    if (err == NULL && i->excp != 0 && d->watch_hit == 0) {
        err = lull_debug_show_raised(c, w);
    }
    return err != NULL ? err : lull_debug_show_displays(c);
}
