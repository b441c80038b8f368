// SPDX-License-Identifier: MIT
// The file of a shader: its code, and what each change makes of that.
#include <spirv/unified1/spirv.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "layer/lines/format.h"
#include "layer/lines/lines.h"
#include "spirv/grammar.h"
#include "spirv/marks.h"
#include "spirv/mutate.h"
#include "spirv/text.h"

enum {
    MOST_CHANGES = 1500,  ///< Of a shader: each is compiled.
    FEW_DWORDS = 1 << 17, ///< Of code that "few" compiles in a process: about a second.
    MARKED = 4,           ///< Marks of indices make as much longer a shader of a few lines.
    PATH_ROOM = 4096,
};

/** While a shader is compiled. */
struct writing {
    const struct lull_ll_device *d;
    const struct lull_ll_shader *shader;
    struct lull_ll_code original;
    struct lull_str out;
    const char *last_file; ///< Of the last line that the file names.
    unsigned changes, nfailed;
};

static void put_text(struct lull_str *out, const struct lull_ll_code *c)
{
    lull_str_le32(out, (uint32_t)c->size);
    lull_str_add(out, c->text, c->size);
}

static void put_words(struct lull_str *out, const uint32_t *w, size_t n)
{
    lull_str_le32(out, (uint32_t)n); // Code is far below 4 GiB.
    for (size_t i = 0; i < n; i++) {
        lull_str_le32(out, w[i]);
    }
}

static void put_file(struct writing *k, const char *file)
{
    if (k->last_file == file) {
        return;
    }
    const size_t size = file != NULL ? strlen(file) : 0;
    lull_str_le32(&k->out, LULL_LINES_FILE);
    lull_str_le32(&k->out, (uint32_t)size);
    lull_str_add(&k->out, file != NULL ? file : "", size);
    k->last_file = file;
}

static void put_changed(struct writing *k, const struct lull_spv_line *l, uint32_t op,
                        enum lull_spv_change change, const struct lull_ll_code *c)
{
    const struct lull_ll_code *o = &k->original;
    const size_t both = c->n < o->n ? c->n : o->n;
    size_t front = 0, back = 0;
    while (front < both && c->words[front] == o->words[front]) {
        front++;
    }
    while (back < both - front && c->words[c->n - 1 - back] == o->words[o->n - 1 - back]) {
        back++;
    }
    put_file(k, l->file);
    lull_str_le32(&k->out, LULL_LINES_CHANGE);
    lull_str_le32(&k->out, l->line);
    lull_str_le32(&k->out, op);
    lull_str_le32(&k->out, change);
    if (c->text != NULL) {
        put_text(&k->out, c);
        return;
    }
    lull_str_le32(&k->out, (uint32_t)front);
    lull_str_le32(&k->out, (uint32_t)back);
    put_words(&k->out, c->words + front, c->n - front - back);
}

static void try_changes(struct writing *k, const struct lull_spv *m, const struct lull_spv_insn *in,
                        const struct lull_spv_line *l)
{
    for (unsigned which = 0; k->changes < MOST_CHANGES; which++) {
        struct lull_spv_buf now = {0};
        struct lull_ll_code code = {0};
        enum lull_spv_change change = LULL_SPV_NO_CHANGE;
        struct lull_error *err = lull_spv_mutate(m, in, which, &now, &change);
        if (err != NULL || change == LULL_SPV_NO_CHANGE) {
            lull_error_free(err);
            return;
        }
        k->changes++;
        if (lull_ll_compile(k->d, k->shader, now.w, now.n * sizeof *now.w, &code)) {
            put_changed(k, l, in->op, change, &code);
        } else {
            k->nfailed++;
        }
        free(code.words);
        free(code.text);
        lull_spv_buf_free(&now);
    }
}

/** May code come of it? */
static bool computes(const struct lull_spv *m, const struct lull_spv_insn *in)
{
    if (in->op == SpvOpExtInst) {
        const struct lull_spv_insn set = lull_spv_def(m, lull_spv_word(in, 3));
        const char *name = set.op == SpvOpExtInstImport ? lull_spv_string(&set, 2) : NULL;
        return name != NULL && strcmp(name, "GLSL.std.450") == 0;
    }
    return in->op != SpvOpLine && in->op != SpvOpNoLine && in->op != SpvOpVariable &&
           in->op != SpvOpLabel && in->op != SpvOpSelectionMerge && in->op != SpvOpLoopMerge &&
           in->op != SpvOpFunction && in->op != SpvOpFunctionParameter &&
           in->op != SpvOpFunctionEnd && in->op != SpvOpNop;
}

/** Each line that has instructions is named, also where nothing can be changed. */
static void all_lines(struct writing *k, const struct lull_spv *m)
{
    struct lull_spv_line l = {0}, last = {0};
    struct lull_spv_insn in = {0};
    for (size_t pos = m->functions; lull_spv_next(m, &pos, &in);) {
        lull_spv_line_step(m, &in, &l);
        struct lull_error *err = lull_spv_check(m, &in);
        const bool known = err == NULL;
        lull_error_free(err);
        if (l.line == 0 || !known || !computes(m, &in)) {
            continue;
        }
        if (l.line != last.line || l.file != last.file) {
            put_file(k, l.file);
            lull_str_le32(&k->out, LULL_LINES_LINE);
            lull_str_le32(&k->out, l.line);
            last = l;
        }
        try_changes(k, m, &in, &l);
    }
}

/** All of @p text to @p path, which appears at once. */
static void save(const char *path, const struct lull_str *text)
{
    struct lull_error *err = lull_output_write(path, text->text, text->size);
    if (err != NULL) {
        lull_ll_complain("%s", lull_error_message(err));
        lull_error_free(err);
    }
}

/** Modules without lines get those of their text, as 'source on' has them. */
LULL_MUST_USE static struct lull_error *with_lines(struct lull_spv *m, const char *stem)
{
    struct lull_str path = {0}, text = {0};
    struct lull_spv_insn in = {0};
    uint32_t *words = NULL;
    size_t n = 0;
    struct lull_error *err = NULL;
    for (size_t pos = LULL_SPV_HEADER_WORDS; err == NULL && lull_spv_next(m, &pos, &in);) {
        err = lull_spv_check(m, &in);
    }
    lull_str_addf(&path, "%s.spvasm", stem);
    err = err != NULL ? err : path.err;
    err = err != NULL ? err : lull_spv_text(m, path.text, &text, &words, &n);
    if (err == NULL) {
        save(path.text, &text);
        lull_spv_done(m);
        err = lull_spv_read(words, n * sizeof *words, m);
    }
    free(words);
    lull_str_free(&text);
    lull_str_free(&path);
    return err;
}

/** How many changes there are. */
static size_t count_changes(const struct lull_spv *m)
{
    struct lull_spv_line l = {0};
    struct lull_spv_insn in = {0};
    size_t n = 0;
    for (size_t pos = m->functions; n < MOST_CHANGES && lull_spv_next(m, &pos, &in);) {
        lull_spv_line_step(m, &in, &l);
        struct lull_error *err = lull_spv_check(m, &in);
        enum lull_spv_change change = LULL_SPV_OTHER_OPERATION;
        for (unsigned which = 0; err == NULL && l.line != 0 && computes(m, &in) &&
                                 n < MOST_CHANGES && change != LULL_SPV_NO_CHANGE;
             which++) {
            struct lull_spv_buf now = {0};
            err = lull_spv_mutate(m, &in, which, &now, &change);
            n += err == NULL && change != LULL_SPV_NO_CHANGE;
            lull_spv_buf_free(&now);
        }
        lull_error_free(err);
    }
    return n;
}

/** Does what is left of "few" do for the shader? Then it is taken away. */
static bool is_few(const struct lull_spv *m, size_t dwords)
{
    static atomic_size_t taken;
    const bool marked = (lull_ll_marks() & LULL_SPV_MARK_INDICES) != 0;
    const size_t all = count_changes(m) * dwords, most = marked ? MARKED * FEW_DWORDS : FEW_DWORDS;
    if (atomic_fetch_add(&taken, all) + all <= most) {
        return true;
    }
    atomic_fetch_sub(&taken, all);
    return false;
}

/** Compile all changes of @p m, and save what comes. */
LULL_MUST_USE static struct lull_error *write_all(struct writing *k, const struct lull_spv *m,
                                                  const char *path)
{
    const bool text = k->original.text != NULL;
    lull_str_le32(&k->out, LULL_LINES_MAGIC);
    lull_str_le32(&k->out, text ? LULL_LINES_TEXT_VERSION : LULL_LINES_VERSION);
    if (text) {
        put_text(&k->out, &k->original);
    } else {
        put_words(&k->out, k->original.words, k->original.n);
    }
    all_lines(k, m);
    lull_str_le32(&k->out, LULL_LINES_END);
    lull_str_le32(&k->out, k->changes);
    lull_str_le32(&k->out, k->nfailed);
    if (k->out.err == NULL) {
        save(path, &k->out);
    }
    return k->out.err;
}

void lull_ll_write(const struct lull_ll_device *d, const struct lull_ll_shader *s)
{
    static atomic_uint count;
    const char *dir = getenv("LULL_NAMES"), *how = getenv("LULL_LINES");
    const bool few = how != NULL && strcmp(how, "few") == 0;
    struct writing k = {.d = d, .shader = s, .last_file = ""};
    struct lull_spv m = {0};
    char stem[PATH_ROOM] = "", path[PATH_ROOM + 8] = "";
    if (dir == NULL || *dir == '\0') {
        return;
    }
    snprintf(stem, sizeof stem, "%s/%d-%u", dir, (int)getpid(), atomic_fetch_add(&count, 1));
    snprintf(path, sizeof path, "%s.lines", stem);
    struct lull_error *err = lull_spv_read(s->code, s->bytes, &m);
    const bool has = err == NULL && lull_spv_has_lines(&m);
    const bool got =
        err == NULL && (has || !few) && lull_ll_compile(d, s, s->code, s->bytes, &k.original);
    if (got && !has) {
        err = with_lines(&m, stem);
    }
    // To compile under an emulator takes as long as a text is.
    const size_t dwords = k.original.text != NULL ? k.original.size : k.original.n;
    if (got && err == NULL && (!few || is_few(&m, dwords))) {
        err = write_all(&k, &m, path);
    }
    if (err != NULL) {
        lull_ll_complain("a shader has no lines: %s", lull_error_message(err));
        lull_error_free(err);
    }
    k.out.err = NULL; // It has been told.
    lull_str_free(&k.out);
    lull_spv_done(&m);
    free(k.original.words);
    free(k.original.text);
}
