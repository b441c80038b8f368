// SPDX-License-Identifier: MIT
/* info: waves, lanes, registers, buffers, lines, symbols. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "debug/session/lines.h"
#include "debug/shell/shell.h"
#include "hw/hwreg_regs.h"

enum { MAX_BOS = 4096, MAX_SGPRS = 106, COLUMNS = 4 };

static void json_list(struct lull_json *json, const char *key)
{
    if (json != NULL) {
        lull_json_key(json, key);
        lull_json_open(json, '[');
    }
}

static void json_end(struct lull_json *json)
{
    if (json != NULL) {
        lull_json_close(json, ']');
    }
}

LULL_MUST_USE static struct lull_error *info_lanes(struct lull_cmd *c, const char *args)
{
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err == NULL && *args != '\0') {
        err = lull_error_new(LULL_ERR_INVALID, "'%s' is left over", args);
    }
    if (err != NULL) {
        return err;
    }
    json_list(c->json, "lanes");
    for (unsigned i = 0; i < w->info.lanes; i++) {
        lull_debug_show_lane(c, &w->info, i);
    }
    json_end(c->json);
    return NULL;
}

LULL_MUST_USE static struct lull_error *sgpr_rows(struct lull_cmd *c,
                                                  const struct lull_debug_wave *w)
{
    unsigned n = w->info.nsgprs < MAX_SGPRS ? w->info.nsgprs : MAX_SGPRS;
    for (unsigned i = 0; i < n; i++) {
        uint64_t v = 0;
        char name[8] = {0};
        struct lull_error *err = lull_debug_read_reg(c->d, w, LULL_REG_SGPR, i, 0, &v);
        if (err != NULL) {
            return err;
        }
        snprintf(name, sizeof name, "s%u", i);
        if (i % COLUMNS == 0) {
            lull_str_addf(c->out, "%-12s", name);
        }
        lull_str_addf(c->out, " ");
        lull_value_show_one(v, (struct lull_ctype){.bits = 32}, c->format, c->out);
        if (i % COLUMNS == COLUMNS - 1 || i == n - 1) {
            lull_str_addf(c->out, "\n");
        }
        if (c->json != NULL) {
            lull_json_open(c->json, '{');
            lull_json_put_str(c->json, "name", name);
            lull_json_put_u64(c->json, "bits", 32);
            lull_json_put_hex(c->json, "value", v);
            lull_json_close(c->json, '}');
        }
    }
    return NULL;
}

/* Those of @p names that the wave has. */
LULL_MUST_USE static struct lull_error *named_rows(struct lull_cmd *c, const char *const *names,
                                                   size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct lull_error *err = lull_cmd_show_named(c, names[i]);
        if (err != NULL && lull_error_code(err) != LULL_ERR_NOT_FOUND) {
            return err;
        }
        lull_error_free(err);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *vector_rows(struct lull_cmd *c,
                                                    const struct lull_debug_wave *w)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < w->info.nvgprs; i++) {
        char name[8] = {0};
        snprintf(name, sizeof name, "v%u", i);
        err = lull_cmd_show_named(c, name);
    }
    return err;
}

LULL_MUST_USE static struct lull_error *hw_rows(struct lull_cmd *c, const struct lull_debug_wave *w)
{
    for (unsigned i = 0; i < lull_regs_hwreg.nentries; i++) {
        const struct lull_reg_entry *e = &lull_regs_hwreg.by_offset[i];
        const struct lull_reg *reg = lull_reg_of(&lull_regs_hwreg, e);
        uint64_t v = 0;
        struct lull_error *err = lull_debug_read_reg(c->d, w, LULL_REG_HW, e->offset, 0, &v);
        if (err != NULL && lull_error_code(err) != LULL_ERR_NOT_FOUND) {
            return err;
        }
        if (err == NULL && reg->nfields != 0) {
            lull_str_addf(c->out, "%-12s ", e->name);
            lull_reg_show(reg, v, c->out);
            lull_str_addf(c->out, "\n");
        }
        if (err == NULL && reg->nfields != 0 && c->json != NULL) {
            lull_json_open(c->json, '{');
            lull_json_put_str(c->json, "name", e->name);
            lull_json_put_hex(c->json, "value", v);
            lull_json_close(c->json, '}');
        }
        lull_error_free(err);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_registers(struct lull_cmd *c, const char *args)
{
    static const char *const others[] = {"vcc",   "exec",         "m0",     "pc",
                                         "scc",   "flat_scratch", "ttmp6",  "ttmp7",
                                         "ttmp8", "ttmp9",        "ttmp10", "ttmp11"};
    struct lull_debug_wave *w = NULL;
    struct lull_error *err = lull_debug_focused(c->d, &w);
    if (err != NULL) {
        return err;
    }
    json_list(c->json, "registers");
    if (lull_debug_is_ir3(c->d)) {
        err = lull_ir3_info_registers(c, args);
    } else if (*args == '\0' || strcmp(args, "scalar") == 0) {
        err = sgpr_rows(c, w);
        err = err != NULL ? err : named_rows(c, others, sizeof others / sizeof others[0]);
    } else if (strcmp(args, "vector") == 0) {
        err = vector_rows(c, w);
    } else if (strcmp(args, "hw") == 0) {
        err = hw_rows(c, w);
    } else if (strlen(args) > 24) {
        err = lull_error_new(LULL_ERR_INVALID, "no register '%s'", args);
    } else {
        err = lull_cmd_show_named(c, *args == '$' ? args + 1 : args);
    }
    json_end(c->json);
    return err;
}

static void bo_row(struct lull_cmd *c, const struct lull_bo_info *b)
{
    lull_str_addf(c->out,
                  "%-16s 0x%012" PRIx64 " %10" PRIu64 " bytes  handle %-3" PRIu32 " %s %s%s\n",
                  b->name, b->va, b->size, b->handle, b->vram ? "VRAM" : "GTT ",
                  b->writable ? "rw" : "r-", b->executable ? "x" : "-");
    if (c->json != NULL) {
        lull_json_open(c->json, '{');
        lull_json_put_str(c->json, "name", b->name);
        lull_json_put_hex(c->json, "va", b->va);
        lull_json_put_u64(c->json, "size", b->size);
        lull_json_put_u64(c->json, "handle", b->handle);
        lull_json_put_bool(c->json, "vram", b->vram);
        lull_json_put_bool(c->json, "writable", b->writable);
        lull_json_put_bool(c->json, "executable", b->executable);
        lull_json_close(c->json, '}');
    }
}

LULL_MUST_USE static struct lull_error *info_bos(struct lull_cmd *c, const char *args)
{
    if (*args != '\0') {
        return lull_error_new(LULL_ERR_INVALID, "'%s' is left over", args);
    }
    lull_cleanup(lull_freep) struct lull_bo_info *infos = calloc(MAX_BOS, sizeof *infos);
    if (infos == NULL) {
        return &lull_enomem;
    }
    size_t n = 0;
    struct lull_error *err = lull_debug_bos(c->d, infos, MAX_BOS, &n);
    if (err != NULL) {
        return err;
    }
    json_list(c->json, "bos");
    for (size_t i = 0; i < n && i < MAX_BOS; i++) {
        bo_row(c, &infos[i]);
    }
    json_end(c->json);
    if (n > MAX_BOS) {
        lull_str_addf(c->out, "(%zu more)\n", n - MAX_BOS);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_line(struct lull_cmd *c, const char *args)
{
    const struct lull_debug_wave *w =
        c->d->has_focus ? lull_debug_wave_by_number(c->d, c->d->focus) : NULL;
    uint64_t va = 0;
    const bool stands = w != NULL && w->stopped;
    const bool begins = *args == '\0' && !stands && lull_debug_held_begin(c->d, &va);
    if (*args == '\0' && !stands && !begins) { // as gdb: nothing to say is no error
        lull_str_addf(c->out, "No line: %s. 'info line PLACE' asks about a place.\n",
                      c->d->held && !c->d->at_draw
                          ? "no lines of the held dispatch's code are known ('source on', or 'lull "
                            "debug --lines')"
                          : "no wave stands");
        return NULL;
    }
    struct lull_error *err =
        begins ? NULL : lull_debug_location(c->d, *args != '\0' ? args : "$pc", &va);
    if (err != NULL) {
        return err;
    }
    struct lull_line line = {0};
    uint64_t start = 0;
    const struct lull_lines *lines = lull_debug_lines_of(c->d, va, &start);
    if (lines != NULL) {
        return lull_debug_show_lines(c, lines, start, va, *args != '\0' ? args : "$pc");
    }
    if (!lull_debug_line_at(c->d, va, &line)) {
        lull_str_addf(c->out,
                      "No line number information for address 0x%012" PRIx64
                      " (was it compiled with -g?)\n",
                      va);
        return NULL;
    }
    c->d->next_x = c->d->image_va + line.offset;
    lull_str_addf(c->out,
                  "0x%012" PRIx64 " is %s:%" PRIu32 ":%" PRIu32 ", code from 0x%012" PRIx64 "\n",
                  va, line.file, line.line, line.column, c->d->image_va + line.offset);
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "address", va);
        lull_json_put_str(c->json, "file", line.file);
        lull_json_put_u64(c->json, "line", line.line);
        lull_json_put_u64(c->json, "column", line.column);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_symbol(struct lull_cmd *c, const char *args)
{
    uint64_t va = 0;
    if (*args == '\0') {
        return lull_error_new(LULL_ERR_INVALID, "expected 'info symbol ADDRESS'");
    }
    struct lull_error *err = lull_debug_location(c->d, args, &va);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    lull_debug_show_symbol(c->d, va, &text);
    if (text.size == 0) {
        return lull_error_new(LULL_ERR_NOT_FOUND, "no symbol at 0x%" PRIx64, va);
    }
    lull_str_addf(c->out, "0x%012" PRIx64 " is %s\n", va, lull_str_text(&text));
    if (c->json != NULL) {
        lull_json_put_hex(c->json, "address", va);
        lull_json_put_str(c->json, "symbol", lull_str_text(&text));
    }
    return NULL;
}

/* Those that live in other files take their arguments from the command. */
LULL_MUST_USE static struct lull_error *with_args(struct lull_cmd *c, const char *args,
                                                  lull_cmd_fn *run)
{
    struct lull_cmd own = *c;
    own.args = args;
    return run(&own);
}

LULL_MUST_USE static struct lull_error *info_dispatches(struct lull_cmd *c, const char *args)
{
    size_t standing = 0;
    if (lull_debug_is_program(c->d)) {
        return with_args(c, args, lull_cmd_info_dispatches);
    }
    for (size_t i = 0; i < c->d->nwaves; i++) {
        standing += c->d->waves[i].stopped;
    }
    lull_str_addf(c->out, "%s, %zu waves stand\n",
                  c->d->started ? "1 dispatch runs" : "No dispatch runs", standing);
    if (c->json != NULL) {
        lull_json_put_bool(c->json, "started", c->d->started);
        lull_json_put_u64(c->json, "standing", standing);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_dispatch(struct lull_cmd *c, const char *args)
{
    return lull_debug_is_program(c->d) ? with_args(c, args, lull_cmd_info_dispatch)
                                       : info_dispatches(c, args);
}

LULL_MUST_USE static struct lull_error *info_draws(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_draws);
}

LULL_MUST_USE static struct lull_error *info_draw(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_draw);
}

LULL_MUST_USE static struct lull_error *info_pipeline(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_pipeline);
}

LULL_MUST_USE static struct lull_error *info_descriptors(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_descriptors);
}

LULL_MUST_USE static struct lull_error *info_push_constants(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_push_constants);
}

LULL_MUST_USE static struct lull_error *info_breakpoints(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_breakpoints);
}

LULL_MUST_USE static struct lull_error *info_watchpoints(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_watchpoints);
}

LULL_MUST_USE static struct lull_error *info_displays(struct lull_cmd *c, const char *args)
{
    (void)args;
    const size_t before = c->out->size;
    struct lull_error *err = lull_debug_show_displays(c);
    if (err == NULL && c->out->size == before) {
        lull_str_addf(c->out, "Nothing is displayed.\n");
    }
    return err;
}

LULL_MUST_USE static struct lull_error *info_locals(struct lull_cmd *c, const char *args)
{
    return with_args(c, args,
                     lull_debug_is_beside(c->d) ? lull_debug_locals_beside : lull_cmd_info_locals);
}

LULL_MUST_USE static struct lull_error *info_scope(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_scope);
}

LULL_MUST_USE static struct lull_error *info_args(struct lull_cmd *c, const char *args)
{
    return with_args(c, args,
                     lull_debug_is_beside(c->d) ? lull_debug_args_beside : lull_cmd_info_args);
}

LULL_MUST_USE static struct lull_error *info_access(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_access);
}

LULL_MUST_USE static struct lull_error *info_source(struct lull_cmd *c, const char *args)
{
    (void)args;
    return lull_cmd_info_source(c);
}

LULL_MUST_USE static struct lull_error *info_printf(struct lull_cmd *c, const char *args)
{
    (void)args;
    lull_cleanup(lull_str_free) struct lull_str text = {0};
    if (c->d->printf_info == NULL) {
        lull_str_addf(&text, "Printf is shown for kernels that lull starts itself.\n");
    } else {
        c->d->printf_info(c->d->run_ctx, &text);
    }
    if (c->json != NULL) {
        lull_json_put_str(c->json, "printf", lull_str_text(&text));
    } else {
        lull_str_add(c->out, lull_str_text(&text), text.size);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_packets(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_packets);
}

LULL_MUST_USE static struct lull_error *info_regs(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_regs);
}

LULL_MUST_USE static struct lull_error *info_submits(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_submits);
}

LULL_MUST_USE static struct lull_error *dumped(struct lull_cmd *c, const char *name,
                                               const char *text)
{
    if (text == NULL) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "only a crash dump knows 'info %s'", name);
    }
    lull_str_addf(c->out, "%s", text);
    if (c->json != NULL) {
        lull_json_put_str(c->json, name, text);
    }
    return NULL;
}

LULL_MUST_USE static struct lull_error *info_crash(struct lull_cmd *c, const char *args)
{
    (void)args;
    return dumped(c, "crash", c->d->dumped.page);
}

LULL_MUST_USE static struct lull_error *info_firmware(struct lull_cmd *c, const char *args)
{
    (void)args;
    return dumped(c, "firmware", c->d->dumped.firmware);
}

LULL_MUST_USE static struct lull_error *info_missing(struct lull_cmd *c, const char *args)
{
    (void)args;
    return dumped(c, "missing", c->d->dumped.missing);
}

LULL_MUST_USE static struct lull_error *info_address(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_address);
}

LULL_MUST_USE static struct lull_error *info_frame(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_frame);
}

LULL_MUST_USE static struct lull_error *info_functions(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_functions);
}

LULL_MUST_USE static struct lull_error *info_types(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_types);
}

LULL_MUST_USE static struct lull_error *info_variables(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_variables);
}

LULL_MUST_USE static struct lull_error *info_when(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_when);
}

LULL_MUST_USE static struct lull_error *info_writer(struct lull_cmd *c, const char *args)
{
    return with_args(c, args, lull_cmd_info_writer);
}

LULL_MUST_USE static struct lull_error *info_findings(struct lull_cmd *c, const char *args)
{
    (void)args;
    if (c->d->checked == NULL) {
        return lull_error_new(LULL_ERR_INVALID, "nothing is checked: --check CHECKS");
    }
    const size_t before = c->out->size;
    if (c->json != NULL) {
        lull_json_key(c->json, "findings");
        lull_json_open(c->json, '[');
    }
    c->d->findings(c->d->run_ctx, NULL, c->out, c->json);
    if (c->json != NULL) {
        lull_json_close(c->json, ']');
    }
    if (c->out->size == before) {
        lull_str_addf(c->out, "Nothing was found.\n");
    }
    return NULL;
}

static const struct {
    const char *name;
    struct lull_error *(*run)(struct lull_cmd *c, const char *args);
} infos_of[] = {
    {"access", info_access},
    {"address", info_address},
    {"args", info_args},
    {"bos", info_bos},
    {"breakpoints", info_breakpoints},
    {"crash", info_crash},
    {"descriptors", info_descriptors},
    {"dispatch", info_dispatch},
    {"dispatches", info_dispatches},
    {"display", info_displays},
    {"draw", info_draw},
    {"draws", info_draws},
    {"findings", info_findings},
    {"firmware", info_firmware},
    {"frame", info_frame},
    {"functions", info_functions},
    {"lanes", info_lanes},
    {"line", info_line},
    {"lines", lull_cmd_info_lines},
    {"locals", info_locals},
    {"missing", info_missing},
    {"packets", info_packets},
    {"pipeline", info_pipeline},
    {"printf", info_printf},
    {"push-constants", info_push_constants},
    {"registers", info_registers},
    {"regs", info_regs},
    {"scope", info_scope},
    {"source", info_source},
    {"submits", info_submits},
    {"symbol", info_symbol},
    {"types", info_types},
    {"variables", info_variables},
    {"watchpoints", info_watchpoints},
    {"waves", lull_cmd_info_waves},
    {"when", info_when},
    {"writer", info_writer},
};

enum { NINFOS = sizeof infos_of / sizeof infos_of[0] };

/* gdb's short forms that are not clear here, and its word for waves. */
static const char *full_word(const char *args, size_t *n)
{
    static const char *const words[][2] = {{"b", "breakpoints"},
                                           {"br", "breakpoints"},
                                           {"r", "registers"},
                                           {"threads", "waves"},
                                           {"w", "waves"},
                                           {"f", "frame"},
                                           {"program", "dispatches"},
                                           {"inferiors", "dispatches"},
                                           {"all-registers", "registers"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i][0]) == *n && strncmp(args, words[i][0], *n) == 0) {
            *n = strlen(words[i][1]);
            return words[i][1];
        }
    }
    return args;
}

const char *lull_cmd_info_word(size_t i)
{
    return i < NINFOS ? infos_of[i].name : NULL;
}

/* Of a word that nothing has, or more than one thing: what there is. */
LULL_NEW_ERROR static struct lull_error *not_one(const char *word, size_t n, unsigned matches)
{
    lull_cleanup(lull_str_free) struct lull_str all = {0};
    for (size_t i = 0; i < NINFOS; i++) {
        lull_str_addf(&all, "%s%s", i == 0 ? "" : ", ", infos_of[i].name);
    }
    return lull_error_new(LULL_ERR_INVALID, "'info %.*s' is %s: %s", (int)n, word,
                          matches == 0 ? "nothing" : "not clear", lull_str_text(&all));
}

struct lull_error *lull_cmd_info(struct lull_cmd *c)
{
    size_t n = 0;
    while (c->args[n] != '\0' && !isspace((unsigned char)c->args[n])) {
        n++;
    }
    const char *args = c->args + n;
    while (isspace((unsigned char)*args)) {
        args++;
    }
    const char *word = full_word(c->args, &n);
    size_t found = NINFOS;
    unsigned matches = 0;
    bool done = false;
    for (size_t i = 0; n != 0 && i < NINFOS && !done; i++) {
        const bool exact = strlen(infos_of[i].name) == n; // "reg" is registers, not regs
        if (strncmp(infos_of[i].name, word, n) == 0 && (exact || infos_of[i].run != info_regs)) {
            found = matches == 0 || exact ? i : found;
            matches = exact ? 1 : matches + 1;
            done = exact;
        }
    }
    if (matches != 1) {
        return not_one(c->args, n, matches);
    }
    return infos_of[found].run(c, args);
}
