// SPDX-License-Identifier: MIT
// Shaders from text. Newlines are blanks, as in Mesa's grammar: an instruction goes on until flags,
// a mnemonic, a label or a header begin. Labels first, then words.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "isa/ir3/asm.h"
#include "isa/ir3/decode.h"
#include "isa/ir3_spec.h"

enum { MAX_MNEMONICS = 512, SLOTS = 2048, MAX_NAMED = 8, KNOWN = 8192 };

/** A label, or where one is named that does not stand there. */
struct label {
    const char *name; ///< In the text.
    size_t size, place;
    size_t at; ///< Instruction.
};

struct labels {
    struct label *all;
    size_t n, room;
};

/** First part of a mnemonic: "cmps". */
struct mnemonic {
    const char *name;
    size_t size;
};

/** An instruction that was assembled before: long texts have the same ones again and again. */
struct known {
    char *text; ///< Owned; NULL: none.
    uint64_t word;
};

struct assembly {
    unsigned gen;
    struct lull_spec_index *index;
    struct known *known; ///< KNOWN of them, by the hash of the text.
    struct lull_ir3_code code;
    const struct lull_ir3_part *part;
    struct mnemonic mnemonics[MAX_MNEMONICS];
    size_t nmnemonics;
    uint16_t slots[SLOTS]; ///< By the hash of the name: 1 + index in mnemonics, 0: none.
    struct labels labels;
    struct labels missing; ///< Named, but not there.
    bool numbered;         ///< Labels like l12 stand before instruction 12, all of them.
    bool second;           ///< Second pass: words.
    bool fullnop, fullsync;
    bool old_stg, old_half; ///< A note says so.
    size_t at;              ///< Instruction.
    size_t total;           ///< Instructions of the first pass.
    size_t place;           ///< Of the instruction,
    const char *text;       ///< and its text.
    struct lull_ir3_shader *shader;
    size_t words_room, headers_room;
};

enum { SY = 1, SS = 2, EQ = 4, JP = 8, SAT = 16, UL = 32 };

/** An instruction in the text. */
struct statement {
    size_t start, name, end; ///< name: behind the flags.
    unsigned flags, rpt, nop;
};

// Mnemonics.

/** Slot of the first part of @p word, or an empty one. @p size: of the word, then of the part. */
static size_t slot_of(const struct assembly *a, const char *word, size_t *size)
{
    uint32_t hash = 2166136261u; // FNV-1a.
    size_t n = 0;
    for (; n < *size && word[n] != '.'; n++) {
        hash = (hash ^ (unsigned char)word[n]) * 16777619u;
    }
    *size = n;
    for (size_t i = (hash ^ hash >> 16) % SLOTS;; i = (i + 1) % SLOTS) {
        const struct mnemonic *m = a->slots[i] != 0 ? &a->mnemonics[a->slots[i] - 1] : NULL;
        if (m == NULL || (m->size == n && memcmp(m->name, word, n) == 0)) {
            return i;
        }
    }
}

static bool is_mnemonic(const struct assembly *a, const char *word, size_t size)
{
    return a->slots[slot_of(a, word, &size)] != 0;
}

static void add_mnemonic(struct assembly *a, const char *word)
{
    size_t size = lull_ir3_word(word, false);
    const size_t slot = slot_of(a, word, &size);
    if (size != 0 && a->nmnemonics < MAX_MNEMONICS && a->slots[slot] == 0) {
        a->mnemonics[a->nmnemonics++] = (struct mnemonic){word, size};
        a->slots[slot] = (uint16_t)a->nmnemonics;
    }
}

/** The first word of each display, flags aside. */
static void collect_mnemonics(struct assembly *a)
{
    const struct lull_spec *spec = &lull_spec_ir3;
    for (unsigned i = 0; i < spec->nbitsets; i++) {
        const struct lull_spec_bitset *b = &spec->bitsets[i];
        const struct lull_spec_bitset *top = b;
        while (top->parent >= 0) {
            top = &spec->bitsets[top->parent];
        }
        if (strcmp(top->name, spec->roots[0].name) != 0) {
            continue;
        }
        add_mnemonic(a, b->mnemonic);
        for (unsigned j = 0; j < b->ncases; j++) {
            const struct lull_spec_piece *p = b->cases[j].pieces;
            unsigned n = 0;
            while (n < b->cases[j].npieces && p[n].text == NULL && p[n].field != LULL_SPEC_NAME) {
                n++;
            }
            if (n < b->cases[j].npieces && p[n].text != NULL) {
                add_mnemonic(a, p[n].text);
            }
        }
    }
    add_mnemonic(a, "raw");
    add_mnemonic(a, "print");
}

// Instructions in the text.

/** A flag before an instruction at @p at: its characters, 0 if there is none. */
static size_t flag(const char *at, struct statement *s)
{
    static const struct {
        const char *text;
        unsigned flag;
    } flags[] = {{"(sy)", SY}, {"(ss)", SS},   {"(eq)", EQ},
                 {"(jp)", JP}, {"(sat)", SAT}, {"(ul)", UL}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (strncmp(at, flags[i].text, strlen(flags[i].text)) == 0) {
            s->flags |= flags[i].flag;
            return strlen(flags[i].text);
        }
    }
    const bool rpt = strncmp(at, "(rpt", 4) == 0, nop = strncmp(at, "(nop", 4) == 0;
    if ((rpt || nop) && at[4] >= '0' && at[4] <= '7' && at[5] == ')') {
        *(rpt ? &s->rpt : &s->nop) = (unsigned)(at[4] - '0');
        return 6;
    }
    return 0;
}

static size_t skip_blanks(const struct assembly *a, size_t at)
{
    while (at < a->part->end && isspace((unsigned char)a->code.text[at])) {
        at++;
    }
    return at;
}

/** Characters of a label "name:" at @p at, with the colon; 0 if there is none. */
static size_t label_at(const struct assembly *a, size_t at)
{
    const size_t size = lull_ir3_word(a->code.text + at, false);
    const size_t colon = skip_blanks(a, at + size);
    return size != 0 && a->code.text[colon] == ':' ? colon + 1 - at : 0;
}

/** Does a new thing begin at @p at, after character @p before? */
static bool begins(const struct assembly *a, size_t at, char before)
{
    const char *text = a->code.text + at;
    struct statement ignored = {0};
    const size_t word = lull_ir3_word(text, true);
    const bool between = strchr("#,([+-/!.<=", before) != NULL;
    return *text == '@' || (*text == '(' && flag(text, &ignored) != 0) || label_at(a, at) != 0 ||
           (word != 0 && !between && is_mnemonic(a, text, word));
}

static struct statement read_statement(const struct assembly *a, size_t at)
{
    const char *text = a->code.text;
    struct statement s = {.start = at, .end = at};
    for (size_t used = 0; (used = flag(text + at, &s)) != 0;) {
        at = skip_blanks(a, at + used);
        s.end = at; // Flags without an instruction are a statement, too: a wrong one.
    }
    s.name = at;
    while (at < a->part->end && (at == s.name || !begins(a, at, text[s.end - 1]))) {
        const size_t word = lull_ir3_word(text + at, true);
        at += word != 0 ? word : 1;
        s.end = at;
        at = skip_blanks(a, at);
    }
    return s;
}

/** The text of a statement, flags in the order of the displays, each character at its place. */
LULL_MUST_USE static struct lull_error *text_of(const struct assembly *a, const struct statement *s,
                                                struct lull_str *out)
{
    static const char *const names[] = {"(sy)", "(ss)", "(eq)", "(jp)", "(sat)"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        lull_str_addf(out, "%s", s->flags >> i & 1 ? names[i] : "");
    }
    if (s->rpt != 0) {
        lull_str_addf(out, "(rpt%u)", s->rpt);
    }
    if (s->nop != 0) {
        lull_str_addf(out, "(nop%u)", s->nop);
    }
    lull_str_addf(out, "%s", (s->flags & UL) != 0 ? "(ul)" : "");
    while (out->err == NULL && out->size < s->name - s->start) {
        lull_str_add(out, " ", 1);
    }
    for (size_t at = s->name; at < s->end; at++) {
        lull_str_add(out, isspace((unsigned char)a->code.text[at]) ? " " : a->code.text + at, 1);
    }
    return out->err;
}

// Labels.

LULL_MUST_USE static struct lull_error *add_label(struct labels *l, struct label label)
{
    struct lull_error *err = lull_ir3_grow(&l->all, l->n, &l->room, sizeof *l->all);
    if (err == NULL) {
        l->all[l->n++] = label;
    }
    return err;
}

static int by_name(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const size_t common = x->size < y->size ? x->size : y->size;
    const int order = memcmp(x->name, y->name, common);
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

static int by_name_and_place(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    const int order = by_name(a, b);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/** "l12" is 12; false: another name. */
static bool number_of(const struct label *l, size_t *ret)
{
    size_t n = 0;
    for (size_t i = 1; i < l->size; i++) {
        if (!isdigit((unsigned char)l->name[i]) || i > 8) {
            return false;
        }
        n = n * 10 + (size_t)(l->name[i] - '0');
    }
    *ret = n;
    return l->size > 1 && l->name[0] == 'l';
}

/** Sort them; none stands twice. */
LULL_MUST_USE static struct lull_error *check_labels(struct assembly *a)
{
    struct labels *l = &a->labels;
    if (l->n > 1) {
        qsort(l->all, l->n, sizeof *l->all, by_name_and_place);
    }
    a->numbered = true;
    for (size_t i = 0, n = 0; i < l->n; i++) {
        a->numbered = a->numbered && (!number_of(&l->all[i], &n) || n == l->all[i].at);
        if (i > 0 && by_name(&l->all[i - 1], &l->all[i]) == 0) {
            return lull_error_new(LULL_ERR_INVALID, "line %u: label %.*s stands at line %u already",
                                  lull_ir3_line(&a->code, l->all[i].place), (int)l->all[i].size,
                                  l->all[i].name, lull_ir3_line(&a->code, l->all[i - 1].place));
        }
    }
    return NULL;
}

/** A missing label's instruction, if its name says so as the others' do. */
static bool by_number(const struct assembly *a, const struct label *l, size_t *ret)
{
    return a->numbered && number_of(l, ret) && *ret < a->total;
}

static size_t parse_label(void *ctx, bool absolute, const char *text, int64_t *ret)
{
    struct assembly *a = ctx;
    struct label key = {.name = a->code.text + a->place + (text - a->text),
                        .size = lull_ir3_word(text, false),
                        .place = a->place};
    const struct label *l = NULL;
    if (key.size == 0) {
        return 0;
    }
    if (a->labels.n > 0) {
        l = bsearch(&key, a->labels.all, a->labels.n, sizeof key, by_name);
    }
    if (l != NULL) {
        key.at = l->at;
    } else {
        const struct labels *m = &a->missing;
        const bool again = m->n > 0 && m->all[m->n - 1].name == key.name;
        struct lull_error *err = again ? NULL : add_label(&a->missing, key);
        (void)by_number(a, &key, &key.at);
        if (err != NULL) {
            lull_error_free(err);
            return 0;
        }
    }
    *ret = (int64_t)key.at - (absolute ? 0 : (int64_t)a->at);
    return key.size;
}

/** Each missing label once: a note, or an error that names them. */
LULL_MUST_USE static struct lull_error *check_missing(struct assembly *a)
{
    struct labels *m = &a->missing;
    struct lull_str names = {0};
    unsigned unknown = 0;
    if (m->n > 1) {
        qsort(m->all, m->n, sizeof *m->all, by_name_and_place);
    }
    for (size_t i = 0; i < m->n; i++) {
        const struct label *l = &m->all[i];
        const unsigned line = lull_ir3_line(&a->code, l->place);
        size_t at = 0;
        if (i > 0 && by_name(l, l - 1) == 0) {
            continue;
        }
        if (by_number(a, l, &at)) {
            lull_str_addf(&a->shader->notes,
                          "line %u: label %.*s stands nowhere; taken as instruction %zu, as the "
                          "other labels are numbered\n",
                          line, (int)l->size, l->name, at);
        } else if (++unknown <= MAX_NAMED) {
            lull_str_addf(&names, "%s%.*s (line %u)", unknown > 1 ? ", " : "", (int)l->size,
                          l->name, line);
        }
    }
    struct lull_error *err = names.err;
    if (err == NULL && unknown > 0) {
        err = lull_error_new(LULL_ERR_INVALID, "%s stand%s nowhere: %s%s",
                             unknown > 1 ? "labels" : "a label", unknown > 1 ? "" : "s",
                             lull_str_text(&names), unknown > MAX_NAMED ? ", ..." : "");
    }
    lull_str_free(&names);
    return err != NULL ? err : a->shader->notes.err;
}

// Words.

LULL_MUST_USE static struct lull_error *emit(struct assembly *a, uint64_t word)
{
    struct lull_ir3_shader *s = a->shader;
    struct lull_error *err =
        a->second ? lull_ir3_grow(&s->words, s->n, &a->words_room, sizeof *s->words) : NULL;
    if (err == NULL && a->second) {
        s->words[s->n++] = word;
    }
    a->at += err == NULL;
    return err;
}

/** Where @p text is remembered; NULL: it names a label, which may be elsewhere the next time. */
static struct known *known_of(const struct assembly *a, const char *text)
{
    uint32_t hash = 2166136261u; // FNV-1a.
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '#') {
            return NULL;
        }
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    }
    return &a->known[(hash ^ hash >> 16) % KNOWN];
}

/** The word of @p text, which stands at a->place. */
LULL_MUST_USE static struct lull_error *assemble_new(struct assembly *a, const char *text,
                                                     uint64_t *ret)
{
    const struct lull_spec_hooks hooks = {.label = parse_label, .ctx = a};
    const struct lull_spec_options o = {
        .gen = a->gen, .errors = true, .hooks = &hooks, .index = a->index};
    size_t column = 0;
    a->text = text;
    if (!lull_spec_match(&lull_spec_ir3, &o, text, ret, &column)) {
        const size_t at = a->place + column;
        size_t start = at;
        while (start > 0 && a->code.text[start - 1] != '\n') {
            start--;
        }
        return lull_error_new(LULL_ERR_INVALID,
                              "line %u: column %zu: no instruction reads so: '%.40s'",
                              lull_ir3_line(&a->code, at), at - start + 1,
                              text[column] != '\0' ? text + column : text);
    }
    struct lull_str back = {0};
    const int wrong = lull_spec_print(&lull_spec_ir3, &o, *ret, &back);
    struct lull_error *err = back.err;
    if (err == NULL && wrong != 0) {
        err = lull_error_new(LULL_ERR_INVALID, "line %u: the word would be %016" PRIx64 ": %s",
                             lull_ir3_line(&a->code, a->place), *ret, lull_str_text(&back));
    }
    lull_str_free(&back);
    return err;
}

/** The same; @p text may be one that was there before. */
LULL_MUST_USE static struct lull_error *assemble(struct assembly *a, const char *text,
                                                 uint64_t *ret)
{
    struct known *k = known_of(a, text);
    if (k != NULL && k->text != NULL && strcmp(k->text, text) == 0) {
        *ret = k->word;
        return NULL;
    }
    struct lull_error *err = assemble_new(a, text, ret);
    if (err == NULL && k != NULL) {
        free(k->text);
        k->text = strdup(text);
        k->word = *ret;
        err = k->text != NULL ? NULL : &lull_enomem;
    }
    return err;
}

/** "raw 0x123": a word as it is. */
LULL_MUST_USE static struct lull_error *raw(struct assembly *a, const char *text, uint64_t *ret)
{
    char *end = NULL;
    text += strspn(text, " ") + 3;
    *ret = strtoull(text, &end, 16);
    return end != text && *end == '\0'
               ? NULL
               : lull_error_new(LULL_ERR_INVALID, "line %u: raw needs a number: '%s'",
                                lull_ir3_line(&a->code, a->place), text);
}

static bool is_word(const struct assembly *a, const struct statement *s, const char *word)
{
    const size_t size = lull_ir3_word(a->code.text + s->name, true);
    return size == strlen(word) && memcmp(a->code.text + s->name, word, size) == 0;
}

/** Notes for what reads as it did in 2021, once of each kind. */
static void note_old(struct assembly *a, const struct statement *s, uint64_t word)
{
    const char *text = a->code.text + s->name;
    struct lull_ir3_insn in;
    const bool is_stg = strncmp(text, "stg.", 4) == 0 && strncmp(text, "stg.a", 5) != 0;
    if (!is_stg || !lull_ir3_decode(word, a->gen, &in) || in.op != LULL_IR3_OP_STG_A) {
        return;
    }
    const unsigned line = lull_ir3_line(&a->code, s->start);
    const char *comma = memchr(text, ',', s->end - s->name);
    const bool half =
        comma != NULL && comma[1 + strspn(comma + 1, " \t")] == 'r' && in.src[in.nsrc - 1].half;
    if (!a->old_stg) {
        lull_str_addf(&a->shader->notes,
                      "line %u: stg g[A+B], as in 2021, is taken as stg.a g[A+(B)<<2]\n", line);
        a->old_stg = true;
    }
    if (half && !a->old_half) {
        lull_str_addf(
            &a->shader->notes,
            "line %u: stg.u16, as in 2021, has halves without h: rN.x is taken as hrN.x\n", line);
        a->old_half = true;
    }
}

/** The instruction of a statement, after what a section puts before each. */
LULL_MUST_USE static struct lull_error *instruction(struct assembly *a, const struct statement *s)
{
    struct lull_str text = {0};
    uint64_t word = 0;
    struct lull_error *err = NULL;
    a->place = s->start;
    if (is_word(a, s, "print")) {
        return lull_error_new(LULL_ERR_INVALID,
                              "line %u: print needs the address of a log, which only a replay has",
                              lull_ir3_line(&a->code, s->start));
    }
    if (a->fullnop) {
        err = assemble(a, "(rpt5)nop", &word);
        err = err != NULL ? err : emit(a, word);
    }
    if (err == NULL && a->fullsync) {
        err = assemble(a, "(sy)(ss)nop", &word);
        err = err != NULL ? err : emit(a, word);
    }
    if (err == NULL && a->second) {
        err = text_of(a, s, &text);
        err = err != NULL            ? err
              : is_word(a, s, "raw") ? raw(a, lull_str_text(&text), &word)
                                     : assemble(a, lull_str_text(&text), &word);
    }
    lull_str_free(&text);
    if (err == NULL && a->second) {
        note_old(a, s, word);
    }
    return err != NULL ? err : emit(a, word);
}

/** A header, or the begin or end of a section, at @p at. */
LULL_MUST_USE static struct lull_error *at_sign(struct assembly *a, size_t *at)
{
    static const char *const sections[] = {"@fullnopstart", "@fullnopend", "@fullsyncstart",
                                           "@fullsyncend"};
    const char *text = a->code.text + *at;
    const size_t size = 1 + lull_ir3_word(text + 1, false);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (strlen(sections[i]) == size && memcmp(sections[i], text, size) == 0) {
            *(i < 2 ? &a->fullnop : &a->fullsync) = i % 2 == 0;
            *at += size;
            return NULL;
        }
    }
    struct lull_ir3_header h = {0};
    size_t used = 0;
    struct lull_error *err = lull_ir3_header_read(text, &h, &used);
    if (err == NULL && !a->second) {
        struct lull_ir3_shader *s = a->shader;
        h.line = lull_ir3_line(&a->code, *at);
        err = lull_ir3_grow(&s->headers, s->nheaders, &a->headers_room, sizeof *s->headers);
        h.text = err == NULL ? strndup(text, used) : NULL;
        err = err != NULL || h.text != NULL ? err : &lull_enomem;
        if (err == NULL) {
            s->headers[s->nheaders++] = h;
            h.values = NULL;
        }
    } else if (err != NULL) {
        err = lull_error_in(err, "line %u", lull_ir3_line(&a->code, *at));
    }
    free(h.values);
    *at += used;
    return err;
}

LULL_MUST_USE static struct lull_error *pass(struct assembly *a)
{
    struct lull_error *err = NULL;
    a->at = 0;
    a->fullnop = a->fullsync = false;
    for (size_t at = skip_blanks(a, a->part->start); err == NULL && at < a->part->end;
         at = skip_blanks(a, at)) {
        const char *text = a->code.text + at;
        const size_t label = label_at(a, at);
        if (*text == '@') {
            err = at_sign(a, &at);
        } else if (label != 0) {
            const struct label l = {text, lull_ir3_word(text, false), at, a->at};
            err = a->second ? NULL : add_label(&a->labels, l);
            at += label;
        } else {
            const struct statement s = read_statement(a, at);
            err = instruction(a, &s);
            at = s.end;
        }
    }
    return err;
}

LULL_MUST_USE static struct lull_error *one_shader(struct assembly *a)
{
    const struct lull_ir3_part *p = a->part;
    struct lull_error *err = NULL;
    if (p->title != NULL && (a->shader->title = strndup(p->title, p->title_size)) == NULL) {
        return &lull_enomem;
    }
    a->shader->constant_bytes = p->constant_bytes;
    a->shader->group_reg = p->group_reg;
    a->shader->pixel_reg = p->pixel_reg;
    a->labels.n = a->missing.n = 0;
    a->words_room = a->headers_room = 0;
    a->old_stg = a->old_half = false;
    a->second = false;
    err = pass(a);
    a->total = a->at;
    a->second = true;
    err = err != NULL ? err : check_labels(a);
    err = err != NULL ? err : pass(a);
    return err != NULL ? err : check_missing(a);
}

struct lull_error *lull_ir3_assemble(const char *text, unsigned gen, struct lull_ir3_shaders *ret)
{
    struct assembly a = {.gen = gen, .known = calloc(KNOWN, sizeof *a.known)};
    struct lull_ir3_shaders s = {0};
    struct lull_error *err = a.known != NULL ? lull_ir3_code_of(text, &a.code) : &lull_enomem;
    collect_mnemonics(&a);
    err = err != NULL ? err : lull_spec_index_new(&lull_spec_ir3, &a.index);
    if (err == NULL && (s.all = calloc(a.code.nparts, sizeof *s.all)) == NULL) {
        err = &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < a.code.nparts; i++) {
        a.part = &a.code.parts[i];
        a.shader = &s.all[s.n++];
        err = one_shader(&a);
    }
    lull_ir3_code_done(&a.code);
    lull_spec_index_free(a.index);
    free(a.labels.all);
    free(a.missing.all);
    for (size_t i = 0; a.known != NULL && i < KNOWN; i++) {
        free(a.known[i].text);
    }
    free(a.known);
    if (err != NULL) {
        lull_ir3_shaders_done(&s);
        return err;
    }
    *ret = s;
    return NULL;
}

void lull_ir3_shaders_done(struct lull_ir3_shaders *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct lull_ir3_shader *shader = &s->all[i];
        for (size_t j = 0; j < shader->nheaders; j++) {
            free(shader->headers[j].values);
            free(shader->headers[j].text);
        }
        free(shader->headers);
        free(shader->words);
        free(shader->title);
        lull_str_free(&shader->notes);
    }
    free(s->all);
    *s = (struct lull_ir3_shaders){0};
}
