// SPDX-License-Identifier: MIT
/* Stops, instructions and source lines in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/path.h"
#include "debug/session/engine.h"
#include "debug/session/location.h"
#include "debug/session/pipeline.h"
#include "hw/hwreg_regs.h"

enum { MAX_INSN_BYTES = 24, LINE_ROOM = 512, AROUND = 8, DEFAULT_COUNT = 16 };

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

bool lull_debug_line_at(const struct lull_debug *d, uint64_t va, struct lull_line *ret)
{
    if (d->image == NULL || va < d->image_va ||
        !lull_image_line_at(d->image, va - d->image_va, ret) || ret->line == 0) {
        return false;
    }
    ret->file = lull_path_from_here(ret->file);
    return true;
}

struct lull_error *lull_debug_read_reg(struct lull_debug *d, const struct lull_debug_wave *wave,
                                       enum lull_reg_class cls, unsigned index, unsigned lane,
                                       uint64_t *ret)
{
    struct lull_wave_reg reg = {.cls = cls, .index = (uint16_t)index, .lane = (uint8_t)lane};
    return d->target->ops->read_reg(d->target, wave->info.key, reg, ret);
}

/* Bytes of code that can be read at @p va: near the end of a buffer fewer than asked for. */
LULL_MUST_USE static struct lull_error *read_code(struct lull_debug *d, uint64_t va, uint8_t *code,
                                                  size_t *ret_size)
{
    struct lull_error *err = NULL;
    for (size_t size = MAX_INSN_BYTES; size >= 4; size -= 4) {
        lull_error_free(err);
        err = d->target->ops->read(d->target, va, code, size);
        if (err == NULL) {
            *ret_size = size;
            return NULL;
        }
    }
    return err;
}

bool lull_debug_decode(struct lull_debug *d, uint64_t va, struct lull_rdna_insn *ret)
{
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(d, va, code, &size);
    bool good = err == NULL && lull_rdna_decode(code, size, ret) > 0;
    lull_error_free(err);
    return good;
}

size_t lull_debug_insns_before(struct lull_debug *d, uint64_t va, uint64_t *ret, size_t room)
{
    uint64_t at = va;
    const char *name = NULL;
    (void)lull_debug_code(d, va, &at, &name);
    size_t n = 0;
    while (at < va) {
        if (n == room) {
            memmove(ret, ret + 1, (room - 1) * sizeof *ret);
            n--;
        }
        ret[n++] = at;
        struct lull_rdna_insn in = {0};
        at += lull_debug_decode(d, at, &in) ? in.size : 4;
    }
    return n;
}

struct names {
    const struct lull_debug *d;
    struct lull_str text;
};

static const char *name_target(void *ctx, uint64_t address)
{
    struct names *n = ctx;
    uint64_t start = 0;
    const char *name = NULL;
    if (!lull_debug_code(n->d, address, &start, &name)) {
        return NULL;
    }
    uint64_t past = address - start;
    lull_str_free(&n->text);
    n->text = (struct lull_str){0};
    lull_str_addf(&n->text, "%s", name);
    if (past != 0) {
        lull_str_addf(&n->text, "+0x%" PRIx64, past);
    }
    return lull_str_text(&n->text);
}

/* Assembly text of the instruction at @p va; ".long" if it is none. */
LULL_MUST_USE static struct lull_error *insn_text(struct lull_debug *d, uint64_t va, unsigned lanes,
                                                  struct lull_str *out, unsigned *ret_size)
{
    uint8_t code[MAX_INSN_BYTES] = {0};
    size_t size = 0;
    struct lull_error *err = read_code(d, va, code, &size);
    if (err != NULL) {
        return err;
    }
    struct lull_rdna_insn in = {0};
    int n = lull_rdna_decode(code, size, &in);
    *ret_size = n > 0 ? (unsigned)n : 4;
    if (n > 0) {
        struct names names = {.d = d};
        struct lull_rdna_print how = {
            .wave_size = lanes, .pc = va, .symbol = name_target, .ctx = &names};
        lull_rdna_show(&in, &how, out);
        lull_str_free(&names.text);
    } else {
        uint32_t word = 0;
        memcpy(&word, code, sizeof word);
        lull_str_addf(out, ".long 0x%08" PRIx32 " (no instruction)", word);
    }
    return NULL;
}

/* Text of an instruction, and an object for JSON if @p json is there. */
LULL_MUST_USE static struct lull_error *show_insn(struct lull_cmd *c, uint64_t va, bool here,
                                                  unsigned lanes, unsigned *ret_size,
                                                  struct lull_json *json)
{
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    struct lull_error *err = insn_text(c->d, va, lanes, &text, ret_size);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_str_free) struct lull_str symbol = {0};
    lull_debug_show_symbol(c->d, va, &symbol);
    lull_str_addf(c->out, "%s 0x%012" PRIx64 "%s%s: %s\n", here ? "=>" : "  ", va,
                  symbol.size != 0 ? " " : "", lull_str_text(&symbol), lull_str_text(&text));
    if (json != NULL) {
        lull_json_open(json, '{');
        lull_json_put_hex(json, "address", va);
        lull_json_put_u64(json, "size", *ret_size);
        lull_json_put_str(json, "text", lull_str_text(&text));
        lull_json_put_bool(json, "here", here);
        lull_json_put_bool(json, "breakpoint", lull_debug_breakpoint_at(c->d, va) != NULL);
        lull_json_close(json, '}');
    }
    return NULL;
}

struct lull_error *lull_debug_show_insn(struct lull_cmd *c, uint64_t va, bool here, unsigned lanes,
                                        unsigned *ret_size)
{
    return show_insn(c, va, here, lanes, ret_size, NULL);
}

/* "hit breakpoint 1", "stepped" ... */
static void show_reason(struct lull_debug *d, const struct lull_debug_wave *w, struct lull_str *out)
{
    const struct lull_breakpoint *b = lull_debug_stopped_at(d, w);
    enum lull_stop stop = w->info.stop;
    bool near = stop == LULL_STOP_EXCEPTION && w->info.watch != 0 && d->watch_hit == 0;
    bool at_one = stop == LULL_STOP_BREAKPOINT || stop == LULL_STOP_START || near ||
                  (stop == LULL_STOP_STEP && w->hit != 0);
    if (b != NULL && b->number != LULL_PASSING_BREAKPOINT && at_one) {
        lull_str_addf(out, "hit breakpoint %u", b->number);
        return;
    }
    switch (stop) {
    case LULL_STOP_START:
        lull_str_addf(out, "stands at its first instruction");
        break;
    case LULL_STOP_STEP:
        if (d->watch_hit != 0) {
            lull_str_addf(out, "changed watchpoint %u", d->watch_hit);
            break;
        }
        lull_str_addf(out, "stepped");
        break;
    case LULL_STOP_BREAKPOINT:
        lull_str_addf(out, "arrived"); // at a breakpoint that is no more: temporary, until, next
        break;
    case LULL_STOP_HOST:
        lull_str_addf(out, "was interrupted");
        break;
    case LULL_STOP_TRAP:
        lull_str_addf(out, "executed s_trap %u", w->info.trap_id);
        break;
    case LULL_STOP_EXCEPTION:
        if (d->watch_hit != 0) {
            lull_str_addf(out, "hit watchpoint %u", d->watch_hit);
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
        lull_str_addf(out, "%s", lull_stop_name(stop));
        break;
    }
}

/* Text of line @p line of @p file without its newline; false if there is none. */
static bool source_text(const char *file, uint32_t line, char text[LINE_ROOM])
{
    lull_cleanup(lull_fclosep) FILE *f = fopen(file, "r");
    bool whole = true;
    for (uint32_t at = 1; f != NULL && at <= line && fgets(text, LINE_ROOM, f) != NULL;
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
    char text[LINE_ROOM] = {0};
    bool known = source_text(line.file, line.line, text);
    lull_str_addf(c->out, "%s:%" PRIu32 "%s%s\n", line.file, line.line, known ? "\t" : "",
                  known ? text : "");
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
    }
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
    lull_str_addf(c->out,
                  "Wave %u (workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 " wave %" PRIu32 ") ",
                  w->number, i->workgroup[0], i->workgroup[1], i->workgroup[2], i->wave_in_group);
    show_reason(d, w, c->out);
    lull_str_addf(c->out, ", lane %u%s\n", d->lane,
                  (i->exec >> d->lane & 1) != 0 ? "" : " (inactive)");
    if (c->json != NULL) {
        stop_json(c->json, d, w);
    }
    show_line(c, i->pc);
    unsigned size = 0;
    if (c->json != NULL) {
        lull_json_key(c->json, "instruction");
    }
    err = show_insn(c, i->pc, true, i->lanes, &size, c->json);
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
    return err != NULL ? err : lull_debug_show_displays(c);
}

LULL_MUST_USE static struct lull_error *list_code(struct lull_cmd *c, uint64_t va, unsigned count)
{
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        unsigned size = 0;
        lull_cleanup(lull_str_free) struct lull_str line = {0};
        struct lull_cmd one = *c;
        one.out = &line;
        err = show_insn(&one, va, w != NULL && w->stopped && w->info.pc == va,
                        w != NULL ? w->info.lanes : 0, &size, c->json);
        if (err != NULL && i > 0) { // the end of the code
            lull_error_free(err);
            return NULL;
        }
        lull_str_addf(c->out, "%c %s", lull_debug_breakpoint_at(c->d, va) != NULL ? 'B' : ' ',
                      lull_str_text(&line));
        va += size;
    }
    return err;
}

/* "PLACE", "PLACE,COUNT", or nothing: around the pc. */
LULL_MUST_USE static struct lull_error *code_range(struct lull_cmd *c, uint64_t *ret_va,
                                                   unsigned *ret_count)
{
    *ret_count = c->count != 0 ? c->count : DEFAULT_COUNT;
    if (*c->args != '\0') {
        lull_cleanup(lull_freep) char *place = strdup(c->args);
        if (place == NULL) {
            return &lull_enomem;
        }
        char *comma = strrchr(place, ',');
        if (comma != NULL) {
            uint64_t n = 0;
            *comma = '\0';
            struct lull_error *err = lull_cmd_count(comma + 1, 1, UINT16_MAX, &n);
            if (err != NULL) {
                return err;
            }
            *ret_count = (unsigned)n; // at most UINT16_MAX
        }
        return lull_debug_location(c->d, place, ret_va);
    }
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    uint64_t before[AROUND] = {0};
    size_t n = lull_debug_insns_before(c->d, w->info.pc, before, AROUND);
    *ret_va = n > 0 ? before[0] : w->info.pc;
    *ret_count = c->count != 0 ? c->count : (unsigned)n + AROUND;
    return NULL;
}

struct lull_error *lull_cmd_disassemble(struct lull_cmd *c)
{
    uint64_t va = 0;
    unsigned count = 0;
    struct lull_error *err = code_range(c, &va, &count);
    if (err != NULL) {
        return err;
    }
    if (c->json != NULL) {
        lull_json_key(c->json, "instructions");
        lull_json_open(c->json, '[');
    }
    err = list_code(c, va, count);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    return err;
}

static void show_source(struct lull_cmd *c, FILE *f, const struct lull_line *line)
{
    char text[LINE_ROOM] = {0};
    bool whole = true;
    uint32_t first = line->line > 5 ? line->line - 5 : 1;
    for (uint32_t at = 1; at < first + 10 && fgets(text, sizeof text, f) != NULL; at += whole) {
        whole = strchr(text, '\n') != NULL;
        text[strcspn(text, "\r\n")] = '\0';
        if (at >= first) {
            lull_str_addf(c->out, "%s %4" PRIu32 "  %s\n", at == line->line ? "=>" : "  ", at,
                          text);
        }
    }
}

struct lull_error *lull_cmd_list(struct lull_cmd *c)
{
    if (c->d->target->ops->dispatches != NULL) {
        return lull_debug_list_shader(c);
    }
    uint64_t va = 0;
    struct lull_debug_wave *w = NULL;
    struct lull_error *err =
        *c->args != '\0' ? lull_debug_location(c->d, c->args, &va) : lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    va = w != NULL ? w->info.pc : va;
    struct lull_line line = {0};
    if (!lull_debug_line_at(c->d, va, &line)) {
        return lull_error_new(LULL_ERR_NOT_FOUND,
                              "no source line for 0x%" PRIx64 " (was it compiled with -g?)", va);
    }
    lull_cleanup(lull_fclosep) FILE *f = fopen(line.file, "r");
    if (f == NULL) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "line %" PRIu32 " of '%s', which is not there",
                              line.line, line.file);
    }
    show_source(c, f, &line);
    if (c->json != NULL) {
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
    }
    return NULL;
}
