// SPDX-License-Identifier: MIT
#include "cli/run/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "compile/run.h"

enum {
    WORDS_SHOWN = 5, // the longest instruction
    REACH = 1 << 15, // dwords that a branch goes back from its end at most: it has 16 bits for them
    FULL = 1 << 16,  // bytes of text that are worth a write
};

// Lines of REACH dwords of code. Labels are put in when no branch can come any more that goes
// there, so that nothing is decoded twice, and the text of long code is not kept.
struct block {
    uint64_t start, end; // of the code
    struct lull_str text;
    uint32_t *lines; // by dword from start: where its line begins in text, + 1; 0: none does. Owned
};

// A source file's text, kept between two lines of it.
struct source {
    const char *path; // whose text it is; borrowed from the image
    char *text;       // owned; NULL if it cannot be read
    size_t size;
};

struct state {
    struct lull_listing *l;
    char *targets; // by dword from start: 1 if a branch goes there
    struct block block, before;
    char name[256];
    // What holds from an offset to another: looking it up takes as long as there are symbols.
    uint64_t from, to;
    const struct lull_symbol *symbol;
    unsigned lanes;
    struct source source;
    const char *file; // of the line printed last
    uint32_t line;
};

static bool in_range(const struct lull_listing *l, uint64_t at)
{
    return at >= l->start && at < l->end;
}

// Is at the very place that s names?
static bool at_symbol(const struct lull_symbol *s, uint64_t at)
{
    return s != NULL && s->offset == at;
}

static const struct lull_symbol *symbol_at(const struct lull_listing *l, uint64_t at)
{
    return l->image != NULL ? lull_image_symbol_at(l->image, at) : NULL;
}

// "loop", "saxpy+0x7c", or "0x7c" in raw code.
static const char *name_of(struct state *s, uint64_t at)
{
    const struct lull_symbol *symbol = symbol_at(s->l, at);
    if (symbol == NULL) {
        snprintf(s->name, sizeof s->name, "0x%llx", (unsigned long long)at);
    } else if (symbol->offset == at) {
        snprintf(s->name, sizeof s->name, "%s", symbol->name);
    } else {
        snprintf(s->name, sizeof s->name, "%s+0x%llx", symbol->name,
                 (unsigned long long)(at - symbol->offset));
    }
    return s->name;
}

static const char *target_name(void *ctx, uint64_t address)
{
    struct state *s = ctx;
    // Outside of what is listed nothing but a symbol means anything.
    return in_range(s->l, address) || symbol_at(s->l, address) != NULL ? name_of(s, address) : NULL;
}

// Wave size of the kernel that the code at an offset belongs to.
static unsigned wave_size_at(const struct lull_listing *l, uint64_t at)
{
    const struct lull_kernel_info *best = NULL;
    for (size_t i = 0; l->image != NULL && i < lull_image_nkernels(l->image); i++) {
        const struct lull_kernel_info *k = lull_image_kernel(l->image, i);
        if (k->entry <= at && (best == NULL || k->entry > best->entry)) {
            best = k;
        }
    }
    return best != NULL ? (best->wave32 ? 32 : 64) : l->wave_size != 0 ? l->wave_size : 32;
}

// Finds what holds at an offset, and how far.
static void look_up(struct state *s, uint64_t at)
{
    const struct lull_image *im = s->l->image;
    if (at >= s->from && at < s->to) {
        return;
    }
    s->from = at;
    s->to = s->l->end;
    s->symbol = symbol_at(s->l, at);
    s->lanes = wave_size_at(s->l, at);
    for (size_t i = 0; im != NULL && i < lull_image_nsymbols(im); i++) {
        const uint64_t offset = lull_image_symbol(im, i)->offset;
        s->to = offset > at && offset < s->to ? offset : s->to;
    }
    for (size_t i = 0; im != NULL && i < lull_image_nkernels(im); i++) {
        const uint64_t entry = lull_image_kernel(im, i)->entry;
        s->to = entry > at && entry < s->to ? entry : s->to;
    }
}

static int decode(const struct lull_listing *l, uint64_t at, struct lull_insn_room *ret)
{
    const struct lull_arch_mode strict = {0};
    return lull_arch_rdna3.decode(&strict, l->code + at, (size_t)(l->end - at), ret);
}

static void find_target(struct state *s, uint64_t at, const struct lull_insn_room *room)
{
    const struct lull_flow f = lull_arch_rdna3.flow(lull_insn_in(room), at);
    if (f.known && in_range(s->l, f.target)) {
        s->targets[(f.target - s->l->start) / 4] = 1;
    }
}

static void read_source(struct source *source, const char *path)
{
    free(source->text);
    *source = (struct source){.path = path};
    uint8_t *text = NULL;
    lull_error_free(lull_run_read(path, &text, &source->size));
    source->text = (char *)text;
}

// Text of a line, without its indentation and end; false if there is none.
static bool source_line(struct state *s, const struct lull_line *line, const char **ret,
                        int *ret_size)
{
    if (s->source.path != line->file) {
        read_source(&s->source, line->file);
    }
    const char *p = s->source.text;
    for (uint32_t n = 1; p != NULL && n < line->line; n++) {
        p = strchr(p, '\n');
        p = p != NULL ? p + 1 : NULL;
    }
    if (p == NULL) {
        return false;
    }
    p += strspn(p, " \t");
    size_t size = strcspn(p, "\r\n");
    *ret = p;
    *ret_size = size < 200 ? (int)size : 200;
    return true;
}

static void print_source(struct state *s, uint64_t at)
{
    struct lull_line line = {0};
    if (s->l->image == NULL || !lull_image_line_at(s->l->image, at, &line) ||
        (s->file == line.file && s->line == line.line)) {
        return;
    }
    s->file = line.file;
    s->line = line.line;
    const char *slash = strrchr(line.file, '/');
    const char *text = "";
    int size = 0;
    source_line(s, &line, &text, &size);
    lull_str_addf(&s->block.text, "; %s:%u%s%.*s\n", slash != NULL ? slash + 1 : line.file,
                  line.line, size != 0 ? "  " : "", size, text);
}

// A blank line before a function, none before a place within one.
static void print_symbol(struct state *s, uint64_t at)
{
    if (at_symbol(s->symbol, at)) {
        lull_str_addf(&s->block.text, "%s%s:\n",
                      s->symbol->size != 0 && at != s->l->start ? "\n" : "", name_of(s, at));
    }
}

static uint32_t word_at(const struct lull_listing *l, uint64_t at)
{
    const uint8_t *p = l->code + at;
    uint32_t value = 0;
    if (l->end - at >= 4) {
        return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
    for (size_t i = 0; i < 4 && at + i < l->end; i++) {
        value |= (uint32_t)p[i] << (8 * i);
    }
    return value;
}

// The assembly text of what was decoded at an offset (size > 0), or its dword.
static void add_insn(struct state *s, uint64_t at, const struct lull_insn_room *room, int size,
                     struct lull_str *to)
{
    const struct lull_insn_print how = {
        .lanes = s->lanes, .pc = at, .symbol = target_name, .ctx = s};
    if (size > 0) {
        lull_arch_rdna3.print(lull_insn_in(room), &how, to);
    } else {
        s->l->unknown++;
        lull_str_addf(to, ".long 0x%08x", word_at(s->l, at));
    }
}

static unsigned print_text(struct state *s, uint64_t at)
{
    struct lull_str *out = &s->block.text;
    struct lull_insn_room room;
    look_up(s, at);
    s->block.lines[(at - s->block.start) / 4] = (uint32_t)out->size + 1;
    print_symbol(s, at);
    if (s->l->source) {
        print_source(s, at);
    }
    const int decoded = decode(s->l, at, &room);
    const unsigned size = decoded > 0 ? (unsigned)decoded : 4;
    if (decoded > 0) {
        find_target(s, at, &room);
    }
    lull_str_put(out, "  ", 2);
    lull_str_hex(out, at, 6);
    lull_str_put(out, " ", 1);
    for (unsigned i = 0; i < WORDS_SHOWN && i * 4 < size; i++) {
        lull_str_put(out, " ", 1);
        lull_str_hex(out, word_at(s->l, at + i * 4), 8);
    }
    // Room for two words, which most instructions have at most.
    static const char gap[] = "           ";
    lull_str_put(out, gap, size == 4 ? 11 : 2);
    add_insn(s, at, &room, decoded, out);
    if (decoded <= 0) {
        static const char is_none[] = "  ; not an instruction";
        lull_str_put(out, is_none, strlen(is_none));
    }
    lull_str_put(out, "\n", 1);
    return size;
}

static unsigned print_json(struct state *s, uint64_t at, struct lull_str *text, struct lull_json *j)
{
    struct lull_insn_room room;
    look_up(s, at);
    const int decoded = decode(s->l, at, &room);
    const unsigned size = decoded > 0 ? (unsigned)decoded : 4;
    const struct lull_symbol *symbol = s->symbol;
    struct lull_line line = {0};
    text->size = 0;
    add_insn(s, at, &room, decoded, text);
    lull_json_open(j, '{');
    lull_json_put_hex(j, "offset", at);
    lull_json_key(j, "words");
    lull_json_open(j, '[');
    for (unsigned i = 0; i * 4 < size; i++) {
        lull_json_hex(j, word_at(s->l, at + i * 4));
    }
    lull_json_close(j, ']');
    lull_json_put_str(j, "text", lull_str_text(text));
    if (decoded <= 0) {
        lull_json_put_bool(j, "unknown", true);
    }
    if (at_symbol(symbol, at)) {
        lull_json_put_str(j, "symbol", symbol->name);
    }
    if (s->l->source && s->l->image != NULL && lull_image_line_at(s->l->image, at, &line)) {
        lull_json_put_str(j, "file", line.file);
        lull_json_put_u64(j, "line", line.line);
    }
    lull_json_close(j, '}');
    return size;
}

static void flush(struct lull_listing *l)
{
    if (l->write != NULL && l->out->size >= FULL && l->out->err == NULL) {
        l->write(l->out);
    }
}

// The text of a block, with a label at each place that a branch goes to and that has no symbol.
static void put_block(struct state *s, struct block *b)
{
    const char *text = lull_str_text(&b->text);
    size_t done = 0;
    for (uint64_t at = b->start; at < b->end; at += 4) {
        const uint32_t line = b->lines[(at - b->start) / 4];
        if (s->targets[(at - s->l->start) / 4] != 0 && line != 0 &&
            !at_symbol(symbol_at(s->l, at), at)) {
            lull_str_put(s->l->out, text + done, line - 1 - done);
            lull_str_addf(s->l->out, "%s:\n", name_of(s, at));
            done = line - 1;
        }
    }
    lull_str_put(s->l->out, text + done, b->text.size - done);
    b->text.size = 0;
    b->end = b->start;
    flush(s->l);
}

// The next block begins: the one before this one is done, and its memory is taken again.
static void next_block(struct state *s, uint64_t at)
{
    const struct block b = s->before;
    s->block.end = at;
    s->before = s->block;
    s->block = b;
    put_block(s, &s->block);
    s->block.start = s->block.end = at;
    memset(s->block.lines, 0, (REACH + WORDS_SHOWN) * sizeof *s->block.lines);
}

LULL_MUST_USE static struct lull_error *print_lines(struct state *s)
{
    const struct lull_listing *l = s->l;
    lull_cleanup(lull_freep) char *targets = calloc((l->end - l->start) / 4 + 1, 1);
    lull_cleanup(lull_freep) uint32_t *lines = calloc(REACH + WORDS_SHOWN, sizeof *lines);
    lull_cleanup(lull_freep) uint32_t *more = calloc(REACH + WORDS_SHOWN, sizeof *lines);
    if (targets == NULL || lines == NULL || more == NULL) {
        return &lull_enomem;
    }
    s->targets = targets;
    s->block = (struct block){.start = l->start, .lines = lines};
    s->before = (struct block){.start = l->start, .end = l->start, .lines = more};
    for (uint64_t at = l->start; at < l->end;) {
        if (at - s->block.start >= 4 * (uint64_t)REACH) {
            next_block(s, at);
        }
        at += print_text(s, at);
    }
    s->block.end = l->end;
    put_block(s, &s->before);
    put_block(s, &s->block);
    struct lull_error *err = s->block.text.err != NULL ? s->block.text.err : s->before.text.err;
    lull_str_free(&s->before.text);
    lull_str_free(&s->block.text);
    return err;
}

LULL_MUST_USE static struct lull_error *print_object(struct state *s)
{
    struct lull_listing *l = s->l;
    struct lull_str text = {0};
    struct lull_json j = {.out = l->out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "isa", "gfx1100");
    lull_json_key(&j, "code");
    lull_json_open(&j, '[');
    for (uint64_t at = l->start; at < l->end;) {
        at += print_json(s, at, &text, &j);
        flush(l);
    }
    lull_json_close(&j, ']');
    lull_json_put_u64(&j, "unknown", l->unknown);
    lull_json_close(&j, '}');
    lull_str_put(l->out, "\n", 1);
    struct lull_error *err = text.err;
    lull_str_free(&text);
    return err;
}

struct lull_error *lull_listing_print(struct lull_listing *listing)
{
    struct state s = {.l = listing};
    struct lull_error *err = listing->json ? print_object(&s) : print_lines(&s);
    free(s.source.text);
    return err;
}

static const char *kind_name(const struct lull_arg *arg)
{
    switch (arg->kind) {
    case LULL_ARG_VALUE:
        return "value";
    case LULL_ARG_GLOBAL_BUFFER:
        return "buffer";
    case LULL_ARG_LOCAL:
        return "local";
    case LULL_ARG_HIDDEN_BLOCK_COUNT:
        return "hidden block count";
    case LULL_ARG_HIDDEN_GROUP_SIZE:
        return "hidden group size";
    case LULL_ARG_HIDDEN_REMAINDER:
        return "hidden remainder";
    case LULL_ARG_HIDDEN_GLOBAL_OFFSET:
        return "hidden global offset";
    case LULL_ARG_HIDDEN_GRID_DIMS:
        return "hidden grid dimensions";
    case LULL_ARG_HIDDEN_PRINTF:
        return "hidden printf buffer";
    case LULL_ARG_HIDDEN_OTHER:
        break;
    }
    return "hidden";
}

// Hidden arguments are the runtime's business: the text leaves them out, JSON has them.
static bool is_hidden(const struct lull_arg *arg)
{
    return arg->kind >= LULL_ARG_HIDDEN_BLOCK_COUNT;
}

static void print_kernel(const struct lull_kernel_info *k, struct lull_str *out)
{
    lull_str_addf(out, "kernel %s\n  code at 0x%llx, descriptor at 0x%llx, wave%d\n", k->name,
                  (unsigned long long)k->entry, (unsigned long long)k->descriptor,
                  k->wave32 ? 32 : 64);
    if (k->nsgprs != 0 || k->nvgprs != 0) {
        lull_str_addf(out, "  registers: %u SGPRs, %u VGPRs\n", k->nsgprs, k->nvgprs);
    }
    lull_str_addf(out, "  memory: %u bytes of LDS, %u of scratch per lane, %u of arguments\n",
                  k->lds_bytes, k->scratch_bytes, k->kernarg_bytes);
    if (k->reqd_block[0] != 0) {
        lull_str_addf(out, "  workgroup: %u x %u x %u required\n", k->reqd_block[0],
                      k->reqd_block[1], k->reqd_block[2]);
    }
    lull_str_addf(out, "  rsrc1 0x%08x  rsrc2 0x%08x  rsrc3 0x%08x  properties 0x%04x\n", k->rsrc1,
                  k->rsrc2, k->rsrc3, k->properties);
    for (size_t i = 0; i < k->nargs; i++) {
        const struct lull_arg *a = &k->args[i];
        if (!is_hidden(a)) {
            lull_str_addf(out, "  argument %zu at %u: %s of %u bytes%s%s%s%s%s\n", i, a->offset,
                          kind_name(a), a->size, a->type_name[0] != '\0' ? ", " : "",
                          a->is_const ? "const " : "", a->type_name, a->name[0] != '\0' ? " " : "",
                          a->name);
        }
    }
}

static void json_kernel(const struct lull_kernel_info *k, struct lull_json *j)
{
    lull_json_open(j, '{');
    lull_json_put_str(j, "name", k->name);
    lull_json_put_hex(j, "entry", k->entry);
    lull_json_put_hex(j, "descriptor", k->descriptor);
    lull_json_put_u64(j, "wave_size", k->wave32 ? 32 : 64);
    lull_json_put_u64(j, "sgprs", k->nsgprs);
    lull_json_put_u64(j, "vgprs", k->nvgprs);
    lull_json_put_u64(j, "lds_bytes", k->lds_bytes);
    lull_json_put_u64(j, "scratch_bytes", k->scratch_bytes);
    lull_json_put_u64(j, "kernarg_bytes", k->kernarg_bytes);
    lull_json_put_hex(j, "rsrc1", k->rsrc1);
    lull_json_put_hex(j, "rsrc2", k->rsrc2);
    lull_json_put_hex(j, "rsrc3", k->rsrc3);
    lull_json_put_hex(j, "properties", k->properties);
    lull_json_key(j, "required_workgroup");
    lull_json_open(j, '[');
    for (size_t i = 0; i < 3; i++) {
        lull_json_u64(j, k->reqd_block[i]);
    }
    lull_json_close(j, ']');
    lull_json_key(j, "arguments");
    lull_json_open(j, '[');
    for (size_t i = 0; i < k->nargs; i++) {
        lull_json_open(j, '{');
        lull_json_put_str(j, "name", k->args[i].name);
        lull_json_put_str(j, "type", k->args[i].type_name);
        lull_json_put_str(j, "kind", kind_name(&k->args[i]));
        lull_json_put_u64(j, "axis", k->args[i].axis);
        lull_json_put_u64(j, "offset", k->args[i].offset);
        lull_json_put_u64(j, "size", k->args[i].size);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
    lull_json_close(j, '}');
}

struct lull_error *lull_listing_info(const struct lull_image *im, bool json, struct lull_str *out)
{
    struct lull_json j = {.out = out};
    if (json) {
        lull_json_open(&j, '{');
        lull_json_key(&j, "kernels");
        lull_json_open(&j, '[');
    }
    for (size_t i = 0; i < lull_image_nkernels(im); i++) {
        if (json) {
            json_kernel(lull_image_kernel(im, i), &j);
        } else {
            print_kernel(lull_image_kernel(im, i), out);
        }
    }
    if (json) {
        lull_json_close(&j, ']');
        lull_json_close(&j, '}');
        lull_str_addf(out, "\n");
    }
    return NULL;
}
