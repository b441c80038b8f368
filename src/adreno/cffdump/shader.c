// SPDX-License-Identifier: MIT
// Shaders in place: a line an instruction with its category, number and cycle, then statistics.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/cffdump/walk.h"
#include "base/output.h"
#include "isa/ir3_spec.h"

enum { MAX_ERRORS = 5, NOPS_AT_END = 3, CATEGORIES = 8, SHARED = 48, SFU = 4, SFU_CYCLES = 10 };

/** The register that is being printed. */
struct reg {
    unsigned number, file; ///< file: 'r', 'c' or 0.
    bool half, repeated;
};

struct shader {
    struct lull_cff *c;
    uint32_t n, at, instrs, extra; ///< extra: cycles beyond one for each instruction.
    uint32_t nops, movs, covs, per[CATEGORIES], ss, sy, last_baryf;
    uint32_t sstall, sfu; ///< sfu: cycles until the last special function is done.
    uint32_t half_max, full_max, const_max;
    unsigned category;
    struct {
        bool ss;
        uint32_t repeat, nop;
    } last; ///< Of the instruction that is being printed.
    struct reg reg;
    uint32_t nops_after; ///< An end.
    bool ended, stop;
    uint8_t *targets; ///< A bit for each instruction; NULL: none.
};

static bool branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    struct shader *s = ctx;
    const int64_t target = absolute ? value : (int64_t)s->at + value;
    if (target < 0 || target >= s->n) {
        return false;
    }
    if (s->targets != NULL) {
        s->targets[target / 8] |= (uint8_t)(1u << target % 8);
    }
    lull_str_addf(out, "l%" PRId64, target);
    return true;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/** A register is complete: its number counts. */
static void count(struct shader *s, unsigned component)
{
    const uint32_t number =
        (s->reg.number << 2 | component) + (s->reg.repeated ? s->last.repeat : 0);
    if (s->reg.file == 'c') {
        s->const_max = most(s->const_max, number);
    } else if (s->reg.file == 'r' && s->reg.half) {
        s->half_max = most(s->half_max, number);
    } else if (s->reg.file == 'r') {
        s->full_max = most(s->full_max, number);
    }
    s->reg = (struct reg){0};
}

static void mnemonic(void *ctx, const char *name)
{
    struct shader *s = ctx;
    const bool nop = strcmp(name, "nop") == 0;
    s->nops_after = nop && s->ended ? s->nops_after + 1 : 0;
    s->stop |= s->nops_after > NOPS_AT_END || strcmp(name, "chsh") == 0;
    s->nops += nop ? 1 + s->last.repeat : 0;
    s->ended |= strcmp(name, "end") == 0;
    s->last_baryf = strcmp(name, "bary.f") == 0 ? s->at : s->last_baryf;
}

static void field(void *ctx, unsigned name, uint64_t value)
{
    struct shader *s = ctx;
    const uint32_t v = (uint32_t)value;
    switch (name) {
    case LULL_IR3_F_REPEAT:
        s->extra += v;
        s->per[s->category] += v;
        s->last.repeat = v;
        break;
    case LULL_IR3_F_NOP:
        s->extra += v;
        s->per[0] += v;
        s->nops += v;
        s->last.nop = v;
        break;
    case LULL_IR3_F_SS:
        s->ss += v;
        s->last.ss = v != 0;
        break;
    case LULL_IR3_F_SY:
        s->sy += v;
        break;
    case LULL_IR3_F_CONST:
        s->reg.file = 'c';
        s->reg.number = v;
        break;
    case LULL_IR3_F_GPR:
        s->reg.file = v < SHARED ? 'r' : s->reg.file;
        s->reg.number = v < SHARED ? v : s->reg.number;
        break;
    case LULL_IR3_F_SRC_R:
    case LULL_IR3_F_SRC1_R:
    case LULL_IR3_F_SRC2_R:
    case LULL_IR3_F_SRC3_R:
        s->reg.repeated = v != 0;
        break;
    case LULL_IR3_F_DST:
        s->reg.repeated = true;
        break;
    case LULL_IR3_F_HALF:
    case LULL_IR3_F_DST_HALF:
    case LULL_IR3_F_TYPE_HALF:
    case LULL_IR3_F_SRC_HALF:
        s->reg.half = v != 0;
        break;
    case LULL_IR3_F_SWIZ:
        count(s, v);
        break;
    default:
        break;
    }
}

static void statistics(struct shader *s, const char *tabs)
{
    struct lull_cff *c = s->c;
    const uint32_t instrs = s->instrs + s->extra;
    if (c->gen >= 6) { // two halves to a register, if all of the shader says so
        s->full_max = most(s->full_max, (s->half_max + 1) / 2);
        s->half_max = 0;
    }
    lull_cff_say(c, 2, "%sStats:\n", tabs);
    lull_cff_say(c, 2, "%s- shaderdb: %u instr, %u nops, %u non-nops, %u mov, %u cov\n", tabs,
                 instrs, s->nops, instrs - s->nops, s->movs, s->covs);
    lull_cff_say(c, 2, "%s- shaderdb: %u last-baryf, %u half, %u full, %u constlen\n", tabs,
                 s->last_baryf, (s->half_max + 3) / 4, (s->full_max + 3) / 4,
                 (s->const_max + 3) / 4);
    lull_cff_say(c, 2,
                 "%s- shaderdb: %u cat0, %u cat1, %u cat2, %u cat3, %u cat4, %u cat5, %u cat6, "
                 "%u cat7\n",
                 tabs, s->per[0], s->per[1], s->per[2], s->per[3], s->per[4], s->per[5], s->per[6],
                 s->per[7]);
    lull_cff_say(c, 2, "%s- shaderdb: %u sstall, %u (ss), %u (sy)\n", tabs, s->sstall, s->ss,
                 s->sy);
}

/** An instruction is complete: how long the next special function is waited for. */
static void finish(struct shader *s)
{
    const uint32_t times = 1 + s->last.repeat + s->last.nop;
    if (s->last.ss) {
        s->sstall += s->sfu;
        s->sfu = 0;
    }
    s->sfu = s->category == SFU ? SFU_CYCLES : s->sfu - (s->sfu < times ? s->sfu : times);
    s->last.ss = false;
    s->last.repeat = s->last.nop = 0;
}

/** The next instruction begins. */
static void begin(struct shader *s, uint64_t word)
{
    s->category = (unsigned)(word >> 61);
    s->per[s->category]++;
    s->instrs++;
    if (s->category == 1 && (word >> 57 & 3) == 0) {
        const bool same = (word >> 50 & 7) == (word >> 46 & 7);
        s->movs += same;
        s->covs += !same;
    }
}

/** Find the branch targets. */
static void targets(struct shader *s, struct lull_cff_words w, const struct lull_spec_options *o)
{
    const struct lull_spec_hooks hooks = {.branch = branch, .ctx = s};
    const struct lull_spec_options quiet = {.gen = o->gen, .hooks = &hooks};
    struct lull_str text = {0};
    for (s->at = 0; s->at < s->n; s->at++) {
        const uint64_t word = w.words[s->at * 2] | (uint64_t)w.words[s->at * 2 + 1] << 32;
        if (word >> 61 == 0 && (word >> 32) != 0) { // a nop is no branch
            text.size = 0;
            (void)lull_spec_print(&lull_spec_ir3, &quiet, word, &text);
        }
    }
    lull_str_free(&text);
}

/** Category, number and cycle of an instruction, and its words. */
static void place(struct shader *s, const char *tabs, uint64_t word)
{
    struct lull_str *out = &s->c->text;
    const uint32_t cycle = s->at + s->extra;
    char number[] = ":0:0000:0000[";
    number[1] = (char)('0' + (word >> 61));
    lull_str_add(out, tabs, strlen(tabs));
    if (s->at < 10000 && cycle < 10000) {
        for (uint32_t i = 0, at = s->at, at_cycle = cycle; i < 4; i++, at /= 10, at_cycle /= 10) {
            number[6 - i] = (char)('0' + at % 10);
            number[11 - i] = (char)('0' + at_cycle % 10);
        }
        lull_str_add(out, number, sizeof number - 1);
    } else {
        lull_str_addf(out, ":%u:%04u:%04u[", (unsigned)(word >> 61), s->at, cycle);
    }
    lull_str_hex(out, word >> 32, 8);
    lull_str_add(out, "x_", 2);
    lull_str_hex(out, word & UINT32_MAX, 8);
    lull_str_add(out, "x] ", 3);
}

/** Instruction after instruction. */
static void instructions(struct shader *s, struct lull_cff_words w,
                         const struct lull_spec_options *o, const char *tabs)
{
    struct lull_str text = {0};
    uint32_t errors = 0; // one after the other
    for (s->at = 0; s->at < s->n && errors <= MAX_ERRORS && !s->stop; s->at++) {
        const uint64_t word = w.words[s->at * 2] | (uint64_t)w.words[s->at * 2 + 1] << 32;
        if (s->at > 0) {
            finish(s);
        }
        begin(s, word);
        if (s->targets != NULL && (s->targets[s->at / 8] >> s->at % 8 & 1) != 0) {
            place(s, tabs, word);
            lull_cff_say(s->c, 2, "l%u:\n", s->at);
        }
        place(s, tabs, word);
        text.size = 0;
        const int wrong = s->c->printed != NULL
                              ? lull_spec_print_again(s->c->printed, &lull_spec_ir3, o, word, &text)
                              : lull_spec_print(&lull_spec_ir3, o, word, &text);
        errors = wrong != 0 ? errors + 1 : 0;
        lull_cff_text(s->c, 2, lull_str_text(&text), text.size);
        lull_cff_text(s->c, 2, "\n", 1);
        if (!lull_cff_work(s->c, 1)) {
            break;
        }
    }
    finish(s);
    lull_str_free(&text);
}

void lull_cff_shader(struct lull_cff *c, struct lull_cff_words w, unsigned level, bool statistic)
{
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    struct shader s = {.c = c, .n = w.n / 2};
    const char *tabs = lull_cff_tabs(level);
    const struct lull_spec_hooks hooks = {
        .branch = branch, .field = field, .name = mnemonic, .ctx = &s};
    const struct lull_spec_options o = {.gen = c->gen * 100, .hooks = &hooks, .errors = true};
    s.targets = calloc(s.n / 8 + 1, 1);
    c->printed = c->printed != NULL ? c->printed : lull_spec_again_new();
    if (!lull_cff_work(c, s.n)) {
        s.n = 0;
    }
    targets(&s, w, &o);
    instructions(&s, w, &o, tabs);
    if (statistic && !c->o.no_statistics) {
        statistics(&s, tabs);
    }
    free(s.targets);
}

void lull_cff_shader_file(struct lull_cff *c, struct lull_cff_words w, const char *ext)
{
    struct lull_cff_shaders *to = c->o.shaders;
    if (to == NULL || ext == NULL || !lull_cff_work(c, w.n)) {
        return;
    }
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%04u.%s", to->folder, to->next++, ext);
    struct lull_error *err = lull_files_may_write(&to->inputs, path);
    err = err != NULL ? err : lull_output_write(path, w.words, (size_t)w.n * sizeof *w.words);
    if (c->err == NULL) {
        c->err = err;
    } else {
        lull_error_free(err);
    }
}
