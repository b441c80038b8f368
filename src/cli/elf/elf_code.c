// SPDX-License-Identifier: MIT
// Code of an ELF file, function by function, with the relocations at the instructions that they
// change.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "cli/elf/elf_show.h"
#include "hw/amdmach_regs.h"
#include "hw/pal_regs.h"
#include "link/link.h"

enum { FEWEST_EQUAL = 4 /* words in a row that are not listed one by one */ };

struct function {
    const struct lull_elf_symbol *symbol;
};

// Code of one section.
struct code {
    struct lull_elf_show *s;
    uint32_t section;
    const struct lull_elf_section *sec;
    struct function *functions; // by address, then name
    size_t nfunctions, next;
    size_t reloc; // next in s->relocs
    unsigned lanes;
    bool known; // instructions can be decoded
    bool open;  // JSON: a function is open
    char label[160];
};

static int by_address(const void *a, const void *b)
{
    const struct lull_elf_symbol *x = ((const struct function *)a)->symbol;
    const struct lull_elf_symbol *y = ((const struct function *)b)->symbol;
    if (x->value != y->value) {
        return x->value < y->value ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

// Address of a symbol as the offset in its section.
static uint64_t offset_of(const struct code *c, const struct lull_elf_symbol *f)
{
    return c->s->elf.type == LULL_ELF_REL_FILE ? f->value : f->value - c->sec->address;
}

static bool find_functions(struct code *c)
{
    c->functions = calloc(c->s->nsymbols + 1, sizeof *c->functions);
    for (size_t i = 0; c->functions != NULL && i < c->s->nsymbols; i++) {
        const struct lull_elf_symbol *f = &c->s->symbols[i];
        if (f->section == c->section && f->name[0] != '\0' &&
            (f->type == LULL_ELF_FUNC || f->type == LULL_ELF_NOTYPE)) {
            c->functions[c->nfunctions++].symbol = f;
        }
    }
    if (c->functions != NULL) {
        qsort(c->functions, c->nfunctions, sizeof *c->functions, by_address);
    }
    return c->functions != NULL;
}

static uint32_t word_at(const struct code *c, uint64_t at)
{
    const uint8_t *p = c->sec->data.start + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// Lanes of a wave that runs this function, if t (a kernel, a hardware stage) says so; else 0.
static unsigned lanes_in(const struct lull_msgtree *t, const char *key, const char *name)
{
    const struct lull_msgtree *entry = lull_msgtree_get(t, key);
    const struct lull_msgtree *size = lull_msgtree_get(t, ".wavefront_size");
    if (entry == NULL || size == NULL || !lull_msgpack_is(&entry->m, name)) {
        return 0;
    }
    return size->m.kind == LULL_MSGPACK_UINT && size->m.u == 64 ? 64 : 32;
}

static unsigned lanes_of(const struct lull_msgtree *doc, const char *name)
{
    unsigned lanes = 0;
    const struct lull_msgtree *list = lull_msgtree_get(doc, "amdhsa.kernels");
    for (const struct lull_msgtree *i = list != NULL ? list->first : NULL; i != NULL; i = i->next) {
        lanes = lanes != 0 ? lanes : lanes_in(i, ".name", name);
    }
    list = lull_msgtree_get(doc, "amdpal.pipelines");
    list = list != NULL ? lull_msgtree_get(list->first, ".hardware_stages") : NULL;
    for (const struct lull_msgtree *i = list != NULL ? list->first : NULL; i != NULL; i = i->next) {
        lanes = lanes != 0 ? lanes : lanes_in(i, ".entry_point", name);
        lanes = lanes != 0 ? lanes : lanes_in(i, ".entry_point_symbol", name);
    }
    return lanes;
}

static void begin_function(struct code *c, const char *name, uint64_t at)
{
    struct lull_elf_show *s = c->s;
    const unsigned lanes = lanes_of(s->metadata, name);
    c->lanes = lanes != 0 ? lanes : c->lanes;
    if (!s->json) {
        lull_str_addf(&s->out, "\n%08" PRIx64 " <", c->sec->address + at);
        lull_elf_show_text(&s->out, name);
        lull_str_addf(&s->out, ">:\n");
        return;
    }
    if (c->open) {
        lull_json_close(&s->j, ']');
        lull_json_close(&s->j, '}');
    }
    c->open = true;
    lull_json_open(&s->j, '{');
    lull_json_put_str(&s->j, "name", name);
    lull_json_put_str(&s->j, "section", c->sec->name);
    lull_json_put_hex(&s->j, "address", c->sec->address + at);
    lull_json_key(&s->j, "instructions");
    lull_json_open(&s->j, '[');
}

static void functions_at(struct code *c, uint64_t at)
{
    while (c->next < c->nfunctions && offset_of(c, c->functions[c->next].symbol) <= at) {
        const struct lull_elf_symbol *f = c->functions[c->next++].symbol;
        if (offset_of(c, f) == at) {
            begin_function(c, f->name, at);
        }
    }
}

// Relocations of the bytes [at, end).
static void relocs_at(struct code *c, uint64_t at, uint64_t end)
{
    struct lull_elf_show *s = c->s;
    char buffer[16];
    if (s->json) {
        lull_json_key(&s->j, "relocations");
        lull_json_open(&s->j, '[');
    }
    for (; c->reloc < s->nrelocs; c->reloc++) {
        const struct lull_elf_show_reloc *r = &s->relocs[c->reloc];
        if (r->target != c->section || r->r.offset >= end) {
            break;
        }
        if (r->r.offset < at) {
            continue;
        }
        if (s->json) {
            lull_json_open(&s->j, '{');
            lull_json_put_hex(&s->j, "offset", r->r.offset);
            lull_json_put_str(&s->j, "type", lull_elf_show_type(r->r.type, buffer));
            lull_json_put_str(&s->j, "symbol", r->name);
            lull_json_close(&s->j, '}');
        } else {
            lull_str_addf(&s->out, "    %06" PRIx64 "    %s ", r->r.offset,
                          lull_elf_show_type(r->r.type, buffer));
            lull_elf_show_text(&s->out, r->name);
            struct lull_str words = {0};
            if (lull_link_describe(r->name, &words)) {
                lull_str_addf(&s->out, "  ; %s", lull_str_text(&words));
            }
            lull_str_free(&words);
            lull_str_addf(&s->out, "\n");
        }
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}

static uint64_t next_function(const struct code *c)
{
    return c->next < c->nfunctions ? offset_of(c, c->functions[c->next].symbol) : UINT64_MAX;
}

// How many words from `at` on are the same, up to the next function.
static uint64_t equal_words(const struct code *c, uint64_t at, uint64_t size)
{
    uint64_t n = 1;
    const uint32_t word = word_at(c, at);
    const uint64_t stop = next_function(c) < size ? next_function(c) : size;
    while (at + 4 * n + 4 <= stop && word_at(c, at + 4 * n) == word) {
        n++;
    }
    return n;
}

static void line(struct code *c, uint64_t at, size_t bytes, const char *text, uint64_t times)
{
    struct lull_elf_show *s = c->s;
    struct lull_str words = {0};
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        lull_str_addf(&words, "%s%08" PRIx32, i > 0 ? " " : "", word_at(c, at + i));
    }
    if (s->json) {
        lull_json_open(&s->j, '{');
        lull_json_put_hex(&s->j, "address", c->sec->address + at);
        lull_json_put_str(&s->j, "words", lull_str_text(&words));
        lull_json_put_str(&s->j, "text", text);
        if (times > 1) {
            lull_json_put_u64(&s->j, "times", times);
        }
        relocs_at(c, at, at + bytes * times);
        lull_json_close(&s->j, '}');
    } else {
        lull_str_addf(&s->out, "  %06" PRIx64 "  %-26s %s", c->sec->address + at,
                      lull_str_text(&words), text);
        if (times > 1) {
            lull_str_addf(&s->out, "  ; %" PRIu64 " times", times);
        }
        lull_str_addf(&s->out, "\n");
        relocs_at(c, at, at + bytes * times);
    }
    lull_str_free(&words);
}

// "name+0x14" for the target of a branch, or NULL: the distance says it.
static const char *label(void *ctx, uint64_t address)
{
    struct code *c = ctx;
    const struct lull_elf_symbol *best = NULL;
    const uint64_t at = address - c->sec->address;
    for (size_t i = 0; i < c->nfunctions && offset_of(c, c->functions[i].symbol) <= at; i++) {
        best = c->functions[i].symbol;
    }
    if (best == NULL || at >= lull_cur_left(&c->sec->data)) {
        return NULL;
    }
    struct lull_str name = {0};
    lull_elf_show_text(&name, best->name);
    const uint64_t past = at - offset_of(c, best);
    (void)snprintf(c->label, sizeof c->label, past != 0 ? "%.120s+0x%" PRIx64 : "%.120s",
                   lull_str_text(&name), past);
    lull_str_free(&name);
    return c->label;
}

static void walk(struct code *c)
{
    const uint64_t size = lull_cur_left(&c->sec->data) & ~UINT64_C(3);
    for (uint64_t at = 0; at < size && c->s->out.err == NULL;) {
        functions_at(c, at);
        if (c->s->json && !c->open) {
            begin_function(c, "", at);
        }
        struct lull_str text = {0};
        const uint64_t stop = next_function(c) < size ? next_function(c) : size;
        const struct lull_arch_mode lax = {.lax = true};
        const struct lull_insn_print how = {
            .lanes = c->lanes, .pc = c->sec->address + at, .symbol = label, .ctx = c};
        unsigned bytes = c->known && stop > at
                             ? lull_arch_show(&lull_arch_rdna3, &lax, &how, c->sec->data.start + at,
                                              (size_t)(stop - at), &text)
                             : 0;
        if (bytes == 0) {
            bytes = 4;
            lull_str_addf(&text, ".long 0x%08" PRIx32, word_at(c, at));
        }
        uint64_t times = bytes == 4 ? equal_words(c, at, size) : 1;
        times = times >= FEWEST_EQUAL ? times : 1;
        line(c, at, bytes, lull_str_text(&text), times);
        lull_str_free(&text);
        at += bytes * times;
    }
    if (c->open) {
        lull_json_close(&c->s->j, ']');
        lull_json_close(&c->s->j, '}');
    }
}

static bool is_gfx11(const struct lull_elf *elf)
{
    char gpu[16];
    return strncmp(lull_link_gpu(elf->flags, gpu), "gfx11", 5) == 0;
}

static void section(struct lull_elf_show *s, uint32_t index)
{
    struct code c = {.s = s,
                     .section = index,
                     .sec = &s->elf.sections[index],
                     .lanes = 32,
                     .known = s->elf.machine == LULL_ELF_AMDGPU && is_gfx11(&s->elf)};
    while (c.reloc < s->nrelocs && s->relocs[c.reloc].target < index) {
        c.reloc++;
    }
    if (!s->json) {
        lull_str_addf(&s->out, "\ncode (");
        lull_elf_show_text(&s->out, c.sec->name);
        lull_str_addf(&s->out, "):%s\n",
                      c.known ? "" : " words only; instructions are known for gfx11");
    }
    if (!find_functions(&c)) {
        lull_elf_show_fault(s, &lull_enomem);
        return;
    }
    walk(&c);
    free(c.functions);
}

void lull_elf_show_code(struct lull_elf_show *s)
{
    if (s->json) {
        lull_json_key(&s->j, "functions");
        lull_json_open(&s->j, '[');
    }
    for (uint32_t i = 0; i < s->elf.nsections; i++) {
        const struct lull_elf_section *sec = &s->elf.sections[i];
        if ((sec->flags & LULL_ELF_EXEC) != 0 && lull_cur_left(&sec->data) >= 4) {
            section(s, i);
        }
    }
    if (s->json) {
        lull_json_close(&s->j, ']');
    }
}
