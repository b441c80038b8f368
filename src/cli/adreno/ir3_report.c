// SPDX-License-Identifier: MIT
#include "cli/adreno/ir3_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3_spec.h"
#include "isa/spec/spec.h"
#include "model/adreno/debug.h"

enum { MOST_WAVES = 16 };

/** What a line of the log says. Texts lie in it. */
struct said {
    bool fault; ///< A page fault; else the GPU stopped.
    bool write;
    uint64_t address;
    const char *who; ///< "wave 0 of group 1,0,0 at instruction 5: ..."; NULL: not told.
    int who_size;
    bool has_at;
    size_t at; ///< The instruction.
};

static struct said read_line(const char *line)
{
    static const char instruction[] = " at instruction ";
    const char *iova = strstr(line, " iova=");
    const char *process = strstr(line, " (process ");
    struct said s = {.fault = strstr(line, "gpu fault:") != NULL,
                     .write = strstr(line, "dir=WRITE") != NULL,
                     .address = iova != NULL ? strtoull(iova + 6, NULL, 16) : 0,
                     .who = strstr(line, "wave ")};
    static const char lockup[] = "gpu lockup rb 0! ";
    const char *stopped = strstr(line, lockup);
    s.who = s.who == NULL && stopped != NULL ? stopped + sizeof lockup - 1 : s.who;
    if (s.who != NULL) {
        s.who_size = (int)(process != NULL ? (size_t)(process - s.who) : strcspn(s.who, "\n"));
        const char *at = strstr(s.who, instruction);
        s.has_at = at != NULL;
        s.at = at != NULL ? strtoul(at + sizeof instruction - 1, NULL, 10) : 0;
    }
    return s;
}

/** "wave 0 of group 1,0,0 at instruction 5": the kernel's own number; then what follows it. */
static void add_who(const struct lull_ir3_report *r, const struct said *s, struct lull_str *out)
{
    static const char instruction[] = " at instruction ";
    const char *at = s->has_at ? strstr(s->who, instruction) : NULL;
    if (at == NULL) {
        lull_str_addf(out, "%.*s", s->who_size, s->who);
        return;
    }
    const char *rest = at + sizeof instruction - 1;
    rest += strspn(rest, "0123456789");
    lull_str_addf(out, "%.*s at instruction %zu%.*s", (int)(at - s->who), s->who,
                  s->at - (s->at < r->before ? 0 : r->before), s->who_size - (int)(rest - s->who),
                  rest);
}

/** Text of the instruction that ran as number @p at. */
static void add_text(const struct lull_ir3_report *r, uint64_t at, struct lull_str *out)
{
    const struct lull_spec_options o = {.gen = r->gen};
    if (at >= r->before && at - r->before < r->nwords) {
        (void)lull_spec_print(&lull_spec_ir3, &o, r->words[at - r->before], out);
    }
}

static void add_insn(const struct lull_ir3_report *r, const struct said *s, struct lull_str *out)
{
    if (s->has_at) {
        add_text(r, s->at, out);
    }
}

static void tell(const struct lull_ir3_report *r, const struct said *s, struct lull_str *out)
{
    struct lull_str insn = {0};
    if (s->fault) {
        lull_str_addf(out, "page fault at 0x%" PRIx64 ", %s: ", s->address,
                      s->write ? "write" : "read");
        lull_ir3_places_where(r->places, s->address, out);
        lull_str_addf(out, "\n");
    } else {
        lull_str_addf(out, "the GPU stopped\n");
    }
    if (s->who != NULL) {
        lull_str_addf(out, "  ");
        add_who(r, s, out);
        lull_str_addf(out, "\n");
    }
    add_insn(r, s, &insn);
    if (insn.size != 0) {
        lull_str_addf(out, "  => %s\n", lull_str_text(&insn));
    }
    lull_str_free(&insn);
}

static void tell_json(const struct lull_ir3_report *r, const struct said *s, struct lull_json *j)
{
    struct lull_str text = {0};
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", s->fault ? "page fault" : "illegal instruction");
    if (s->fault) {
        lull_json_put_hex(j, "address", s->address);
        lull_json_put_bool(j, "write", s->write);
        lull_ir3_places_where(r->places, s->address, &text);
        lull_json_put_str(j, "where", lull_str_text(&text));
        lull_str_free(&text);
        text = (struct lull_str){0};
    }
    if (s->who != NULL) {
        add_who(r, s, &text);
        lull_json_put_str(j, "who", lull_str_text(&text));
        lull_str_free(&text);
        text = (struct lull_str){0};
    }
    add_insn(r, s, &text);
    if (text.size != 0) {
        lull_json_put_str(j, "instruction", lull_str_text(&text));
    }
    lull_str_free(&text);
    lull_json_close(j, '}');
}

void lull_ir3_report(struct lull_ir3_report *r, struct lull_driver_log *log, struct lull_str *out,
                     struct lull_json *j)
{
    r->result = "done";
    for (const char *line = NULL; (line = lull_driver_log_next(log)) != NULL;) {
        const struct said s = read_line(line);
        if (!s.fault && s.who == NULL) {
            continue; // Whose task it was.
        }
        r->result = s.fault ? "page fault" : "illegal instruction";
        if (j != NULL) {
            tell_json(r, &s, j);
        } else {
            tell(r, &s, out);
        }
    }
}

/** Number of the instruction of @p w, as it runs; behind a barrier: that of the barrier. */
static uint64_t number_of(const struct lull_ir3_report *r, const struct lull_agpu_wave *w)
{
    return (w->pc - r->code) / sizeof *r->words - w->barrier;
}

static void wave_text(const struct lull_ir3_report *r, const struct lull_agpu_wave *w,
                      struct lull_str *out)
{
    const uint64_t at = number_of(r, w);
    lull_str_addf(out, "  wave %u of group %u,%u,%u at instruction %" PRIu64 "%s\n  => ", w->number,
                  w->id[0], w->id[1], w->id[2], at - (at < r->before ? 0 : r->before),
                  w->barrier ? ", where it waits for others" : "");
    add_text(r, at, out);
    lull_str_addf(out, "\n");
}

static void wave_json(const struct lull_ir3_report *r, const struct lull_agpu_wave *w,
                      struct lull_json *j)
{
    const uint64_t at = number_of(r, w);
    struct lull_str text = {0};
    lull_json_open(j, '{');
    lull_json_put_u64(j, "wave", w->number);
    lull_json_key(j, "group");
    lull_json_open(j, '[');
    for (unsigned i = 0; i < 3; i++) {
        lull_json_u64(j, w->id[i]);
    }
    lull_json_close(j, ']');
    lull_json_put_u64(j, "at", at - (at < r->before ? 0 : r->before));
    lull_json_put_bool(j, "barrier", w->barrier);
    add_text(r, at, &text);
    lull_json_put_str(j, "instruction", lull_str_text(&text));
    lull_str_free(&text);
    lull_json_close(j, '}');
}

void lull_ir3_report_waves(const struct lull_ir3_report *r, const struct lull_agpu *gpu,
                           struct lull_str *out, struct lull_json *j)
{
    struct lull_agpu_wave waves[MOST_WAVES];
    const unsigned n = lull_agpu_model_ops.debug->waves(gpu, waves, MOST_WAVES);
    for (unsigned i = 0; i < n; i++) {
        if (j != NULL) {
            wave_json(r, &waves[i], j);
        } else {
            wave_text(r, &waves[i], out);
        }
    }
}
