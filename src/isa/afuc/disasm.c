// SPDX-License-Identifier: MIT
// Firmware to text, as Mesa's afuc-disasm -u prints it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/afuc/names.h"
#include "isa/afuc_spec.h"
#include "isa/spec/spec.h"

enum { ID_SHIFT = 12, ID_MASK = 0xfff, LITERAL_MASK = 0xffffff, LEGACY_MASK = 0xffff };
enum { ADDR_REGISTER = 0x1d, NO_INCREMENT = 0x40000, PIPE_SHIFT = 24, LEAST_ADDR_SHIFT = 16 };

static uint32_t id_of(uint32_t version)
{
    return version >> ID_SHIFT & ID_MASK;
}

/** The table of packet handlers of a section: 128 indices of its instructions in a row. */
static uint32_t find_table(const uint32_t *words, uint32_t n, uint32_t from)
{
    uint32_t run = 0;
    for (uint32_t i = from; i < n; i++) {
        run = words[i] < n && words[i] != 0 ? run + 1 : 0;
        if (run == LULL_AFUC_TABLE) {
            return i + 1 - LULL_AFUC_TABLE;
        }
    }
    return n;
}

/** Where the words after a section's table begin the next one: past zeros and nops, if much is
 * left. */
static uint32_t next_section(const struct lull_afuc *fw, uint32_t from)
{
    while (from < fw->n && (fw->words[from] & LITERAL_MASK) == 0) {
        from++;
    }
    return from + LULL_AFUC_TABLE < fw->n ? from : fw->n;
}

static void find_sections(struct lull_afuc *fw)
{
    static const char *const names_a6xx[] = {NULL, "LPAC"};
    static const char *const names_a7xx[] = {NULL, "BV", "LPAC"};
    const unsigned most = fw->gen >= 7 ? 3 : 2;
    uint32_t start = 0;
    while (start < fw->n && fw->nsections < most) {
        const uint32_t *words = fw->words + start;
        const uint32_t rest = fw->n - start;
        struct lull_afuc_section s = {.start = start, .size = rest};
        const uint32_t said = rest > 1 ? words[1] & LITERAL_MASK : rest;
        s.table = said + LULL_AFUC_TABLE <= rest && find_table(words, rest, said) == said
                      ? said
                      : find_table(words, rest, 2);
        if (fw->gen < 6) {
            s.table = rest > 1 ? words[1] & LEGACY_MASK : rest;
            s.table = s.table + LULL_AFUC_TABLE <= rest ? s.table : rest;
        } else if (s.table < rest) {
            s.size = next_section(fw, start + s.table + LULL_AFUC_TABLE) - start;
        }
        s.name = fw->gen >= 7 ? names_a7xx[fw->nsections] : names_a6xx[fw->nsections];
        fw->sections[fw->nsections++] = s;
        start += s.size;
    }
    struct lull_afuc_section *last = &fw->sections[fw->nsections - 1];
    last->size = fw->n - last->start;
}

struct lull_error *lull_afuc_open(const uint32_t *words, uint32_t n, uint32_t id,
                                  struct lull_afuc *ret)
{
    if (n < 2) {
        return lull_error_new(LULL_ERR_BAD_DATA, "%" PRIu32 " instructions are not firmware", n);
    }
    *ret = (struct lull_afuc){.words = words, .n = n, .version = words[0]};
    ret->id = id != 0 ? id : id_of(words[0]);
    const struct lull_dom *control = lull_afuc_control(ret->id);
    if (control == NULL) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "offset 4: firmware id %03" PRIx32 " (version %08" PRIx32
                              ") is not known",
                              ret->id, words[0]);
    }
    ret->gpu = lull_afuc_gpu_name(ret->id);
    ret->gen = (unsigned)(control->name[1] - '0');
    find_sections(ret);
    return NULL;
}

enum { TARGET = 1, FUNCTION = 2 };

/** One section on its way to text. */
struct text {
    const struct lull_afuc *fw;
    const struct lull_afuc_section *s;
    const uint32_t *words;
    uint32_t n;      ///< Instructions before the table.
    uint8_t *labels; ///< TARGET and FUNCTION, by instruction.
    uint32_t pc;
    bool addresses;
    bool call; ///< The instruction comes back.
};

static bool branch(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    struct text *t = ctx;
    const int64_t target = absolute ? value : (int64_t)t->pc + value;
    if (target < 0 || target >= t->n) {
        return false;
    }
    const bool function = absolute && t->call;
    t->labels[target] |= function ? FUNCTION : TARGET;
    lull_str_addf(out, "%s%" PRId64, function ? "fxn" : "l", target);
    return true;
}

static bool custom(void *ctx, const char *field, uint64_t value, struct lull_str *out)
{
    const struct text *t = ctx;
    const bool sqe = strcmp(field, "SQEREG") == 0;
    struct lull_str name = {0};
    const bool found = lull_afuc_reg_name(
        t->fw->id, t->fw->gen, sqe ? LULL_AFUC_SQE : LULL_AFUC_CONTROL, (uint32_t)value, &name);
    if (found) {
        lull_str_addf(out, "%c%s", sqe ? '%' : '@', lull_str_text(&name));
    }
    lull_str_free(&name);
    return found;
}

static void comment(const struct text *t, enum lull_afuc_space space, uint32_t offset,
                    struct lull_str *out)
{
    struct lull_str name = {0};
    if (lull_afuc_reg_name(t->fw->id, t->fw->gen, space, offset, &name)) {
        lull_str_addf(out, "\t; %s%s", space == LULL_AFUC_PIPE ? "|" : "", lull_str_text(&name));
    } else if (space == LULL_AFUC_PIPE) {
        lull_str_addf(out, "\t; 0x%03" PRIx32, offset);
    }
    lull_str_free(&name);
}

/** What register an immediate may name. */
static void comment_on(const struct text *t, uint32_t word, struct lull_str *out)
{
    uint64_t immediate = 0, shift = 0, dst = 0;
    if (!lull_spec_field(&lull_spec_afuc, t->fw->gen, word, LULL_AFUC_F_RIMMED, &immediate)) {
        return;
    }
    (void)lull_spec_field(&lull_spec_afuc, t->fw->gen, word, LULL_AFUC_F_SHIFT, &shift);
    const bool to = lull_spec_field(&lull_spec_afuc, t->fw->gen, word, LULL_AFUC_F_DST, &dst);
    const uint32_t value = (uint32_t)(immediate << shift);
    if (to && dst == ADDR_REGISTER && shift >= LEAST_ADDR_SHIFT) {
        if ((value & ~NO_INCREMENT & LITERAL_MASK) == 0) {
            comment(t, LULL_AFUC_PIPE, value >> PIPE_SHIFT, out);
        }
    } else if (value >= 0x100) {
        comment(t, LULL_AFUC_GPU, value, out);
    }
}

/** Address and word, if they are wanted: of each line, also of one that is a label. */
static void begin(const struct text *t, struct lull_str *out)
{
    if (t->addresses) {
        lull_str_addf(out, "\t%04" PRIx32 ": %08" PRIx32 "  ", t->pc, t->words[t->pc]);
    }
}

static void instruction(struct text *t, struct lull_str *out)
{
    const struct lull_spec_hooks hooks = {.print = custom, .branch = branch, .ctx = t};
    const struct lull_spec_options o = {.gen = t->fw->gen, .hooks = &hooks};
    const uint32_t word = t->words[t->pc];
    const struct lull_spec_bitset *b = lull_spec_find(&lull_spec_afuc, 0, t->fw->gen, word);
    begin(t, out);
    if (b != NULL) {
        t->call = strcmp(b->mnemonic, "jumpa") != 0;
        (void)lull_spec_print(&lull_spec_afuc, &o, word, out);
        comment_on(t, word, out);
    } else if (t->fw->gen >= 6 && t->pc > 0 && t->s->table < t->s->size &&
               word == ((t->words[0] & ~LITERAL_MASK) | t->s->table)) {
        lull_str_addf(out, "[#jumptbl]");
    } else {
        lull_str_addf(out, "[%08" PRIx32 "]", word);
        if (word >= 0x100) {
            comment(t, LULL_AFUC_GPU, word, out);
        }
    }
    lull_str_add(out, "\n", 1);
}

struct handler {
    uint32_t at;
    char name[64];
};

static int by_place(const void *a, const void *b)
{
    const struct handler *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : strcmp(x->name, y->name);
}

static void handlers_of(const struct text *t, struct handler *h)
{
    for (unsigned i = 0; i < LULL_AFUC_TABLE; i++) {
        struct lull_str name = {0};
        lull_afuc_packet_name(t->fw->gen, i, &name);
        h[i].at = t->words[t->s->table + i];
        strncpy(h[i].name, lull_str_text(&name), sizeof h[i].name - 1);
        lull_str_free(&name);
    }
    qsort(h, LULL_AFUC_TABLE, sizeof *h, by_place);
}

static void labels(const struct text *t, const struct handler *h, unsigned nh, unsigned *at,
                   struct lull_str *out)
{
    while (*at < nh && h[*at].at < t->pc) {
        (*at)++;
    }
    const bool function = (t->labels[t->pc] & FUNCTION) != 0;
    if (t->pc != 0 && (function || (*at < nh && h[*at].at == t->pc))) {
        begin(t, out);
        lull_str_add(out, "\n", 1);
    }
    for (; *at < nh && h[*at].at == t->pc; (*at)++) {
        begin(t, out);
        lull_str_addf(out, "%s:\n", h[*at].name);
    }
    if (function) {
        begin(t, out);
        lull_str_addf(out, "fxn%" PRIu32 ":\n", t->pc);
    }
    if ((t->labels[t->pc] & TARGET) != 0) {
        begin(t, out);
        lull_str_addf(out, "l%" PRIu32 ":\n", t->pc);
    }
}

/** The table of a5xx, which is among the instructions. */
static void list_table(const struct text *t, struct lull_str *out)
{
    lull_str_addf(out, ";;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;\n; JUMP TABLE\n");
    for (unsigned i = 0; i + 1 < LULL_AFUC_TABLE; i++) {
        lull_str_addf(out, "%3u %02x: %04" PRIx32 "   ; ", i, i, t->words[t->s->table + i]);
        lull_afuc_packet_name(t->fw->gen, i, out);
        lull_str_add(out, "\n", 1);
    }
}

static void section(struct text *t, struct lull_str *out)
{
    struct handler h[LULL_AFUC_TABLE] = {0};
    const bool has_table = t->s->table < t->s->size;
    unsigned at = 0;
    if (has_table) {
        handlers_of(t, h);
    }
    struct lull_str nothing = {0};
    for (t->pc = 0; t->pc < t->n; t->pc++) { // once to see what is a target
        nothing.size = 0;
        instruction(t, &nothing);
    }
    lull_str_free(&nothing);
    for (t->pc = 0; t->pc < t->n; t->pc++) {
        labels(t, h, has_table ? LULL_AFUC_TABLE : 0, &at, out);
        instruction(t, out);
    }
    if (has_table && t->fw->gen < 6 && t->addresses) {
        list_table(t, out);
    }
    if (has_table && t->fw->gen >= 6) {
        const bool last = t->s == &t->fw->sections[t->fw->nsections - 1];
        const bool aligned = t->fw->gen >= 7 && !(last && t->s->name != NULL);
        lull_str_addf(out, "%sjumptbl:\n.jumptbl\n", aligned ? ".align 32\n" : "");
        for (uint32_t i = t->s->table + LULL_AFUC_TABLE; i < t->s->size; i++) {
            lull_str_addf(out, "[%08" PRIx32 "]\n", t->words[i]);
        }
    }
}

void lull_afuc_disasm(const struct lull_afuc *fw, bool addresses, struct lull_str *out)
{
    lull_str_addf(out, "; a%uxx microcode\n; Version: %08" PRIx32 "\n\n", fw->gen, fw->version);
    for (unsigned i = 0; i < fw->nsections; i++) {
        const struct lull_afuc_section *s = &fw->sections[i];
        if (s->name != NULL) {
            lull_str_addf(out, "\n.section %s\n;\n; %s microcode:\n;\n", s->name, s->name);
        }
        struct text t = {.fw = fw, .s = s, .words = fw->words + s->start, .addresses = addresses};
        t.n = fw->gen >= 6 ? s->table : s->size;
        t.labels = calloc(t.n + 1, 1);
        if (t.labels == NULL) {
            out->err = out->err != NULL ? out->err : &lull_enomem;
            return;
        }
        section(&t, out);
        free(t.labels);
    }
}
