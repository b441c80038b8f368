// SPDX-License-Identifier: MIT
#include "debug/lines/file.h"

#include <string.h>

#include "arch/arch.h"
#include "base/cur.h"
#include "base/error.h"
#include "base/str.h"
#include "isa/ir3/ir3.h"
#include "layer/lines/format.h"

enum { DWORD = 4 };

/** @p n dwords into the arena. */
LULL_MUST_USE static struct lull_error *read_words(struct lull_cur *c, struct lull_arena *a,
                                                   uint32_t n, uint32_t **ret)
{
    if (n > lull_cur_left(c) / DWORD) {
        return lull_error_new(LULL_ERR_BAD_DATA, "byte %zu: %u dwords, %zu left",
                              (size_t)(c->pos - c->start), n, lull_cur_left(c) / DWORD);
    }
    *ret = lull_arena_calloc(a, (size_t)n + 1, sizeof **ret);
    for (uint32_t i = 0; *ret != NULL && i < n; i++) {
        (*ret)[i] = lull_cur_u32(c);
    }
    return *ret != NULL ? NULL : &lull_enomem;
}

/** A text of ir3, assembled, into the arena. */
LULL_MUST_USE static struct lull_error *read_text(struct lull_cur *c, struct lull_lines_file *f,
                                                  uint32_t **ret, size_t *ret_n)
{
    const size_t at = (size_t)(c->pos - c->start);
    const uint32_t size = lull_cur_u32(c);
    const uint8_t *bytes = lull_cur_take(c, size);
    struct lull_ir3_shaders all = {0};
    struct lull_error *err = lull_cur_error(c, "file of lines");
    char *text = err == NULL ? lull_arena_calloc(&f->arena, (size_t)size + 1, 1) : NULL;
    if (err != NULL || text == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    memcpy(text, bytes, size);
    err = lull_error_in(lull_ir3_assemble(text, f->gen, &all), "text at byte %zu", at);
    if (err == NULL && all.n != 1) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "text at byte %zu: %zu shaders", at, all.n);
    }
    if (err == NULL) {
        *ret_n = all.all[0].n * (sizeof(uint64_t) / DWORD);
        *ret = lull_arena_calloc(&f->arena, *ret_n + 1, DWORD);
        err = *ret != NULL ? NULL : &lull_enomem;
    }
    for (size_t i = 0; err == NULL && i < *ret_n; i++) {
        (*ret)[i] = (uint32_t)(all.all[0].words[i / 2] >> (i % 2 * 32));
    }
    lull_ir3_shaders_done(&all);
    return err;
}

/** Without what is the code's, at the front and at the back. */
static void cut(const struct lull_lines_file *f, struct lull_lines_change *h, size_t n)
{
    const size_t both = n < f->ncode ? n : f->ncode;
    size_t front = 0, back = 0;
    while (front < both && h->words[front] == f->code[front]) {
        front++;
    }
    while (back < both - front && h->words[n - 1 - back] == f->code[f->ncode - 1 - back]) {
        back++;
    }
    h->front = (uint32_t)front;
    h->back = (uint32_t)back;
    h->n = (uint32_t)(n - front - back);
    h->words += front;
}

LULL_MUST_USE static struct lull_error *read_start(struct lull_cur *c, struct lull_lines_file *f)
{
    const uint32_t magic = lull_cur_u32(c), version = lull_cur_u32(c);
    const uint32_t wanted = f->gen != 0 ? LULL_LINES_TEXT_VERSION : LULL_LINES_VERSION;
    if (magic != LULL_LINES_MAGIC || version != wanted) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "not a file of lines, or of another version");
    }
    if (f->gen != 0) {
        return read_text(c, f, &f->code, &f->ncode);
    }
    const uint32_t n = lull_cur_u32(c);
    f->ncode = n;
    struct lull_error *err = read_words(c, &f->arena, n, &f->code);
    return err != NULL ? err : lull_cur_error(c, "file of lines");
}

/** How many records of each kind there may be at most: counted before, so that they have room. */
LULL_MUST_USE static struct lull_error *make_room(const struct lull_cur *c,
                                                  struct lull_lines_file *f)
{
    struct lull_cur at = *c;
    size_t nfiles = 0, nlines = 0, nchanges = 0;
    for (bool end = false; !end && lull_cur_left(&at) != 0 && !at.bad;) {
        switch (lull_cur_u32(&at)) {
        case LULL_LINES_FILE:
            nfiles++;
            (void)lull_cur_take(&at, lull_cur_u32(&at));
            break;
        case LULL_LINES_LINE:
            nlines++;
            (void)lull_cur_u32(&at);
            break;
        case LULL_LINES_CHANGE:
            nchanges++;
            (void)lull_cur_take(&at, (f->gen != 0 ? 3 : 5) * (size_t)DWORD);
            (void)lull_cur_take(&at, lull_cur_u32(&at) * (size_t)(f->gen != 0 ? 1 : DWORD));
            break;
        default:
            end = true;
        }
    }
    f->files = lull_arena_calloc(&f->arena, nfiles + 1, sizeof *f->files);
    f->lines = lull_arena_calloc(&f->arena, nlines + 1, sizeof *f->lines);
    f->changes = lull_arena_calloc(&f->arena, nchanges + 1, sizeof *f->changes);
    return f->files != NULL && f->lines != NULL && f->changes != NULL ? NULL : &lull_enomem;
}

LULL_MUST_USE static struct lull_error *read_file(struct lull_cur *c, struct lull_lines_file *f)
{
    const uint32_t size = lull_cur_u32(c);
    const uint8_t *text = lull_cur_take(c, size);
    struct lull_error *err = lull_cur_error(c, "file of lines");
    char *copy = err == NULL ? lull_arena_calloc(&f->arena, (size_t)size + 1, 1) : NULL;
    if (err != NULL || copy == NULL) {
        return err != NULL ? err : &lull_enomem;
    }
    memcpy(copy, text, size);
    f->files[f->nfiles++] = copy;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_change(struct lull_cur *c, struct lull_lines_file *f)
{
    struct lull_lines_change *h = &f->changes[f->nchanges];
    h->at = (struct lull_lines_place){.file = (uint32_t)f->nfiles - 1, .line = lull_cur_u32(c)};
    h->op = lull_cur_u32(c);
    h->kind = lull_cur_u32(c);
    if (f->gen != 0) {
        size_t n = 0;
        struct lull_error *err = read_text(c, f, &h->words, &n);
        if (err == NULL) {
            cut(f, h, n);
            f->nchanges++;
        }
        return err;
    }
    h->front = lull_cur_u32(c);
    h->back = lull_cur_u32(c);
    h->n = lull_cur_u32(c);
    struct lull_error *err = lull_cur_error(c, "file of lines");
    if (err == NULL && (h->front > f->ncode || h->back > f->ncode - h->front)) {
        err = lull_error_new(LULL_ERR_BAD_DATA, "change %zu: %u and %u dwords of %zu", f->nchanges,
                             h->front, h->back, f->ncode);
    }
    err = err != NULL ? err : read_words(c, &f->arena, h->n, &h->words);
    f->nchanges += err == NULL;
    return err;
}

LULL_MUST_USE static struct lull_error *read_record(struct lull_cur *c, struct lull_lines_file *f,
                                                    bool *ret_end)
{
    const size_t at = (size_t)(c->pos - c->start);
    const uint32_t kind = lull_cur_u32(c);
    if (kind != LULL_LINES_FILE && kind != LULL_LINES_END && f->nfiles == 0 && !c->bad) {
        return lull_error_new(LULL_ERR_BAD_DATA, "byte %zu: a line before its file", at);
    }
    switch (kind) {
    case LULL_LINES_END:
        f->ntried = lull_cur_u32(c);
        f->nfailed = lull_cur_u32(c);
        *ret_end = true;
        return lull_cur_error(c, "file of lines");
    case LULL_LINES_FILE:
        return read_file(c, f);
    case LULL_LINES_LINE:
        f->lines[f->nlines++] =
            (struct lull_lines_place){.file = (uint32_t)f->nfiles - 1, .line = lull_cur_u32(c)};
        return lull_cur_error(c, "file of lines");
    case LULL_LINES_CHANGE:
        return read_change(c, f);
    default:
        return lull_error_new(LULL_ERR_BAD_DATA, "byte %zu: record of kind %u", at, kind);
    }
}

struct lull_error *lull_lines_file_read(const void *data, size_t size, unsigned gen,
                                        struct lull_lines_file *ret)
{
    struct lull_lines_file f = {.gen = gen};
    struct lull_cur c = lull_cur_of(data, size);
    struct lull_error *err = read_start(&c, &f);
    err = err != NULL ? err : make_room(&c, &f);
    for (bool end = false; err == NULL && !end;) {
        err = read_record(&c, &f, &end);
    }
    if (err != NULL) {
        lull_lines_file_done(&f);
        return err;
    }
    *ret = f;
    return NULL;
}

void lull_lines_file_done(struct lull_lines_file *f)
{
    lull_arena_done(&f->arena);
    *f = (struct lull_lines_file){0};
}

/** The text of the instruction at @p at, for lull_str_free(). */
static unsigned show(const struct lull_lines_file *f, const void *code, size_t at, size_t bytes,
                     struct lull_str *ret)
{
    const struct lull_arch_mode mode = {.gen = f->gen, .lax = true};
    const struct lull_insn_print how = {.pc = at};
    return lull_arch_show(&lull_arch_ir3, &mode, &how, (const uint8_t *)code + at, bytes - at, ret);
}

/** Is the code of ir3 that of @p f, instruction by instruction? */
static bool is_text_of(const struct lull_lines_file *f, const void *code, size_t bytes)
{
    bool same = f->ncode * DWORD >= bytes;
    for (size_t at = 0; same && at < bytes;) {
        struct lull_str a = {0}, b = {0};
        const unsigned n = show(f, code, at, bytes, &a);
        same = n != 0 && show(f, f->code, at, f->ncode * DWORD, &b) == n && a.err == NULL &&
               b.err == NULL && strcmp(lull_str_text(&a), lull_str_text(&b)) == 0;
        at += n;
        lull_error_free(a.err);
        lull_error_free(b.err);
        a.err = b.err = NULL;
        lull_str_free(&a);
        lull_str_free(&b);
    }
    return same;
}

static bool is_of_adreno(struct lull_cur c, unsigned gen, const void *code, size_t bytes)
{
    struct lull_lines_file f = {.gen = gen};
    struct lull_error *err = read_start(&c, &f);
    const bool is = err == NULL && is_text_of(&f, code, bytes);
    lull_error_free(err);
    lull_lines_file_done(&f);
    return is;
}

bool lull_lines_file_is_of(const void *data, size_t size, unsigned gen, const void *code,
                           size_t code_bytes)
{
    struct lull_cur c = lull_cur_of(data, size);
    if (gen != 0) {
        return is_of_adreno(c, gen, code, code_bytes);
    }
    const bool is = lull_cur_u32(&c) == LULL_LINES_MAGIC && lull_cur_u32(&c) == LULL_LINES_VERSION;
    const uint64_t bytes = lull_cur_u32(&c) * (uint64_t)DWORD;
    if (!is || c.bad || bytes < code_bytes || bytes > lull_cur_left(&c)) {
        return false;
    }
    return memcmp(lull_cur_take(&c, code_bytes), code, code_bytes) == 0;
}
