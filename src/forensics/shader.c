// SPDX-License-Identifier: MIT
// Shaders in place: a line an instruction with its category, number and cycle, then statistics.
#include <inttypes.h>
#include <string.h>

#include "forensics/walk.h"
#include "isa/ir3_spec.h"

enum { MAX_ERRORS = 5, NOPS_AT_END = 3, CATEGORIES = 8, SHARED = 48, SFU = 4, SFU_CYCLES = 10 };

struct shader {
    struct lull_cff *c;
    uint32_t n, at, cycle, instrs, nops, movs, covs, errors, per[CATEGORIES];
    uint32_t ss, sy, last_baryf;
    uint32_t sstall, sfu; ///< sfu: cycles until the last special function is done.
    uint32_t repeat, nop;
    unsigned file, number; ///< Of the register that is being printed: 'r', 'c' or 0.
    bool half, repeated;
    uint32_t half_max, full_max, const_max;
    uint8_t targets[4096];
};

static bool branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    struct shader *s = ctx;
    const int64_t target = absolute ? value : (int64_t)s->at + value;
    if (target < 0 || target >= s->n) {
        return false;
    }
    if ((size_t)target < sizeof s->targets) {
        s->targets[target] = 1;
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
    const uint32_t number = s->number * 4 + component + (s->repeated ? s->repeat : 0);
    if (s->file == 'c') {
        s->const_max = most(s->const_max, number);
    } else if (s->file == 'r' && s->number < SHARED && s->half && s->c->gen < 6) {
        s->half_max = most(s->half_max, number);
    } else if (s->file == 'r' && s->number < SHARED) {
        s->full_max = most(s->full_max, s->half ? number / 2 : number);
    }
    s->file = 0;
    s->half = s->repeated = false;
}

static void field(void *ctx, unsigned name, uint64_t value)
{
    struct shader *s = ctx;
    switch (name) {
    case LULL_IR3_F_REPEAT:
        s->repeat = (uint32_t)value;
        break;
    case LULL_IR3_F_NOP:
        s->nop = (uint32_t)value;
        break;
    case LULL_IR3_F_SS:
        s->ss += (uint32_t)value;
        s->sstall += value != 0 ? s->sfu : 0;
        s->sfu = value != 0 ? 0 : s->sfu;
        break;
    case LULL_IR3_F_SY:
        s->sy += (uint32_t)value;
        break;
    case LULL_IR3_F_CONST:
        s->file = 'c';
        s->number = (unsigned)value;
        break;
    case LULL_IR3_F_GPR:
        s->file = 'r';
        s->number = (unsigned)value;
        break;
    case LULL_IR3_F_SRC_R:
    case LULL_IR3_F_SRC1_R:
    case LULL_IR3_F_SRC2_R:
    case LULL_IR3_F_SRC3_R:
        s->repeated = value != 0;
        break;
    case LULL_IR3_F_DST:
        s->repeated = true;
        break;
    case LULL_IR3_F_HALF:
    case LULL_IR3_F_DST_HALF:
    case LULL_IR3_F_TYPE_HALF:
    case LULL_IR3_F_SRC_HALF:
        s->half = value != 0;
        break;
    case LULL_IR3_F_SWIZ:
        count(s, (unsigned)value);
        break;
    default:
        break;
    }
}

static void statistics(const struct shader *s, const char *tabs)
{
    struct lull_cff *c = s->c;
    lull_cff_say(c, 2, "%sStats:\n", tabs);
    lull_cff_say(c, 2, "%s- shaderdb: %u instr, %u nops, %u non-nops, %u mov, %u cov\n", tabs,
                 s->instrs, s->nops, s->instrs - s->nops, s->movs, s->covs);
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

/** What an instruction adds to the statistics. */
static void add(struct shader *s, uint64_t word, unsigned category, const char *name)
{
    const uint32_t times = 1 + s->repeat;
    s->cycle += times + s->nop;
    if (category == SFU) {
        s->sfu = SFU_CYCLES;
    } else {
        s->sfu -= s->sfu < times + s->nop ? s->sfu : times + s->nop;
    }
    s->instrs += times + s->nop;
    s->per[category] += times;
    s->per[0] += s->nop;
    s->nops += (strcmp(name, "nop") == 0 ? times : 0) + s->nop;
    if (category == 1 && name[0] != '\0') {
        const bool same = (word >> 50 & 7) == (word >> 46 & 7);
        s->movs += same ? times : 0;
        s->covs += same ? 0 : times;
    }
    if (strcmp(name, "bary.f") == 0) {
        s->last_baryf = s->at;
    }
}

/** Find the branch targets. */
static void targets(struct shader *s, struct lull_cff_words w, const struct lull_spec_options *o)
{
    const struct lull_spec_hooks hooks = {.branch = branch, .ctx = s};
    const struct lull_spec_options quiet = {.gen = o->gen, .hooks = &hooks};
    struct lull_str text = {0};
    for (s->at = 0; s->at < s->n && s->at < sizeof s->targets; s->at++) {
        const uint64_t word = w.words[s->at * 2] | (uint64_t)w.words[s->at * 2 + 1] << 32;
        if (word >> 61 == 0) {
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
    char number[] = ":0:0000:0000[";
    number[1] = (char)('0' + (word >> 61));
    lull_str_add(out, tabs, strlen(tabs));
    if (s->at < 10000 && s->cycle < 10000) {
        for (uint32_t i = 0, at = s->at, cycle = s->cycle; i < 4; i++, at /= 10, cycle /= 10) {
            number[6 - i] = (char)('0' + at % 10);
            number[11 - i] = (char)('0' + cycle % 10);
        }
        lull_str_add(out, number, sizeof number - 1);
    } else {
        lull_str_addf(out, ":%u:%04u:%04u[", (unsigned)(word >> 61), s->at, s->cycle);
    }
    lull_str_hex(out, word >> 32, 8);
    lull_str_add(out, "x_", 2);
    lull_str_hex(out, word & UINT32_MAX, 8);
    lull_str_add(out, "x] ", 3);
}

void lull_cff_shader(struct lull_cff *c, struct lull_cff_words w, unsigned level, bool statistic)
{
    static const struct shader none = {0};
    struct shader s = none;
    s.c = c;
    s.n = w.n / 2;
    if (lull_cff_quiet(c, 2)) {
        return;
    }
    const char *tabs = lull_cff_tabs(level);
    const struct lull_spec_hooks hooks = {.branch = branch, .field = field, .ctx = &s};
    const struct lull_spec_options o = {.gen = c->gen * 100 + 30, .hooks = &hooks, .errors = true};
    bool ended = false;
    uint32_t nops_after = 0;
    struct lull_str text = {0};
    targets(&s, w, &o);
    for (s.at = 0; s.at < s.n; s.at++) {
        const uint64_t word = w.words[s.at * 2] | (uint64_t)w.words[s.at * 2 + 1] << 32;
        const unsigned category = (unsigned)(word >> 61);
        text.size = 0;
        s.repeat = s.nop = 0;
        const int errors = lull_spec_print(&lull_spec_ir3, &o, word, &text);
        s.errors += errors != 0;
        if (s.at < sizeof s.targets && s.targets[s.at] != 0) {
            lull_cff_say(c, 2, "%s:%u:%04u:%04u[%08xx_%08xx] l%u:\n", tabs, category, s.at, s.cycle,
                         (uint32_t)(word >> 32), (uint32_t)word, s.at);
        }
        place(&s, tabs, word);
        lull_cff_text(c, 2, lull_str_text(&text), text.size);
        lull_cff_text(c, 2, "\n", 1);
        const struct lull_spec_bitset *b = lull_spec_find(&lull_spec_ir3, 0, o.gen, word);
        const char *name = b != NULL ? b->mnemonic : "";
        add(&s, word, category, name);
        nops_after = ended && strcmp(name, "nop") == 0 ? nops_after + 1 : 0;
        ended |= strcmp(name, "end") == 0;
        if (!lull_cff_work(c, 1) || nops_after > NOPS_AT_END || strcmp(name, "chsh") == 0 ||
            s.errors > MAX_ERRORS) {
            break;
        }
    }
    lull_str_free(&text);
    if (statistic) {
        statistics(&s, tabs);
    }
}

void lull_cff_shader_file(struct lull_cff *c, struct lull_cff_words w, const char *ext)
{
    if (c->o.shader_folder == NULL || ext == NULL || !lull_cff_work(c, w.n)) {
        return;
    }
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%04u.%s", c->o.shader_folder, c->nshaders++, ext);
    FILE *f = fopen(path, "wb");
    const bool ok = f != NULL && fwrite(w.words, 4, w.n, f) == w.n;
    if ((f != NULL && fclose(f) != 0) || !ok) {
        fprintf(c->log, "%s: cannot be written\n", path);
    }
}
