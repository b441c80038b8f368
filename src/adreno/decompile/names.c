// SPDX-License-Identifier: MIT
// Names of registers, fields and packets in C.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/decompile.h"
#include "adreno/decompile/priv.h"
#include "hw/adreno_chip.h"
#include "hw/adreno_doms.h"

enum { REGS = 0x40000, WORD_BITS = 32 };

/** Letters, digits and '_' of @p text; other characters become '_'. Ends at a blank. */
static void add_name(struct lull_str *out, const char *text)
{
    for (; *text != '\0' && *text != ' '; text++) {
        const char c = (char)(isalnum((unsigned char)*text) ? *text : '_');
        lull_str_add(out, &c, 1);
    }
}

static bool is_name(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') {
        n++;
    }
    return n != 0 && text[n] == '\0' && !isdigit((unsigned char)text[0]);
}

static int by_reg(const void *a, const void *b)
{
    const struct lull_dc_reg *x = a, *y = b;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static int by_name(const void *a, const void *b)
{
    const struct lull_dc_reg *const *x = a, *const *y = b;
    const int order = strcmp((*x)->name, (*y)->name);
    return order != 0 ? order : by_reg(*x, *y);
}

/** Of registers with the same name the first one keeps it. */
LULL_MUST_USE static struct lull_error *drop_doubles(struct lull_dc_names *n)
{
    struct lull_dc_reg **order = calloc(n->nregs + 1, sizeof *order);
    if (order == NULL) {
        return &lull_enomem;
    }
    for (size_t i = 0; i < n->nregs; i++) {
        order[i] = &n->regs[i];
    }
    qsort(order, n->nregs, sizeof *order, by_name);
    const char *last = "";
    for (size_t i = 0; i < n->nregs; i++) {
        if (strcmp(order[i]->name, last) == 0) {
            free(order[i]->name);
            order[i]->name = NULL;
        } else {
            last = order[i]->name;
        }
    }
    free(order);
    return NULL;
}

LULL_MUST_USE static struct lull_error *add_regs(struct lull_dc_names *n, const struct lull_dom *d)
{
    for (unsigned i = 0; i < d->n; i++) {
        const struct lull_dom_reg *r = &d->regs[i];
        if (lull_dom_lookup(n->index, r->offset).reg != r) {
            continue; // of another generation
        }
        struct lull_str name = {0};
        lull_str_add(&name, "REG_", 4);
        add_name(&name, r->name);
        add_name(&name, r->count != 0 ? r->after : "");
        if (name.err != NULL) {
            return name.err;
        }
        n->regs[n->nregs++] = (struct lull_dc_reg){.reg = r, .name = name.text};
    }
    return NULL;
}

static void set_ops(struct lull_dc_names *n)
{
    const struct lull_dom_state s = {.chip = n->gen};
    for (unsigned op = 0; op < LULL_DC_OPCODES; op++) {
        const char *name =
            lull_dom_enum_name(&lull_dom_adreno, &s, LULL_ADRENO_ENUM_adreno_pm4_type3_packets, op);
        bool known = name != NULL && is_name(name);
        for (unsigned i = 0; known && i < op; i++) {
            known = n->op_macros[i] == NULL || strcmp(n->op_macros[i], name) != 0;
        }
        n->ops[op] = name;
        n->op_macros[op] = known ? name : NULL;
        n->op_doms[op] = lull_adreno_packet(name);
    }
}

struct lull_error *lull_dc_names_new(unsigned gen, struct lull_dc_names **ret)
{
    const struct lull_dom *doms[LULL_ADRENO_SPACES] = {0};
    const unsigned ndoms = lull_adreno_spaces(gen, doms);
    struct lull_dc_names *n = calloc(1, sizeof *n);
    size_t most = 0;
    for (unsigned i = 0; i < ndoms; i++) {
        most += doms[i]->n;
    }
    struct lull_error *err = n == NULL ? &lull_enomem : NULL;
    if (err == NULL) {
        n->gen = gen;
        n->regs = calloc(most + 1, sizeof n->regs[0]);
        err = n->regs == NULL
                  ? &lull_enomem
                  : lull_dom_index_new(&lull_dom_adreno, gen, doms, ndoms, REGS, &n->index);
    }
    for (unsigned i = 0; err == NULL && i < ndoms; i++) {
        err = add_regs(n, doms[i]);
    }
    if (err == NULL) {
        qsort(n->regs, n->nregs, sizeof n->regs[0], by_reg);
        set_ops(n);
        err = drop_doubles(n);
    }
    if (err != NULL) {
        lull_dc_names_free(n);
        return err;
    }
    *ret = n;
    return NULL;
}

void lull_dc_names_free(struct lull_dc_names *n)
{
    if (n != NULL) {
        for (size_t i = 0; n->regs != NULL && i < n->nregs; i++) {
            free(n->regs[i].name);
        }
        free(n->regs);
        lull_dom_index_free(n->index);
        free(n);
    }
}

void lull_dc_reg_in_c(const struct lull_dc_names *n, uint32_t offset, struct lull_str *out)
{
    const struct lull_dom_hit hit = lull_dom_lookup(n->index, offset);
    const struct lull_dc_reg key = {.reg = hit.reg};
    const struct lull_dc_reg *r =
        hit.reg != NULL ? bsearch(&key, n->regs, n->nregs, sizeof key, by_reg) : NULL;
    if (r == NULL || r->name == NULL) {
        lull_str_addf(out, "0x%04" PRIx32, offset);
        return;
    }
    lull_str_addf(out, "%s", r->name);
    if (hit.reg->count != 0) {
        lull_str_addf(out, "(%u)", hit.index);
    }
    if (hit.dword != 0) {
        lull_str_addf(out, " + %u", hit.dword);
    }
}

/** "#define SP_CS_CONFIG_ENABLED(x) ..." for each field in the first dword. */
static void print_fields(const struct lull_dc_names *n, const struct lull_dc_reg *r,
                         struct lull_str *out)
{
    const struct lull_dom_state s = {.chip = n->gen};
    const struct lull_dom_field *fields = NULL;
    const unsigned count = lull_dom_fields(&lull_dom_adreno, r->reg, &fields);
    for (unsigned i = 0; i < count; i++) {
        const struct lull_dom_field *f = &fields[i];
        bool once = f->hi < WORD_BITS && lull_dom_holds(&lull_dom_adreno, &s, f->cond);
        for (unsigned k = 0; once && k < i; k++) {
            once = strcmp(fields[k].name, f->name) != 0 ||
                   !lull_dom_holds(&lull_dom_adreno, &s, fields[k].cond);
        }
        if (!once) {
            continue;
        }
        const uint32_t mask = (uint32_t)((UINT64_C(2) << f->hi) - (UINT64_C(1) << f->lo));
        lull_str_addf(out, "#define %s__", r->name + 4); // behind "REG_"
        add_name(out, f->name);
        lull_str_addf(out, "(x) ((uint32_t)((uint64_t)(x) >> %u << %u) & 0x%08" PRIx32 "u)\n",
                      f->shr, f->lo, mask);
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct lull_dc_reg *x = a, *y = b;
    return x->reg->offset != y->reg->offset ? (x->reg->offset < y->reg->offset ? -1 : 1)
                                            : by_reg(a, b);
}

struct lull_error *lull_decompile_names(unsigned gen, struct lull_str *out)
{
    struct lull_dc_names *n = NULL;
    struct lull_error *err = lull_dc_names_new(gen, &n);
    if (err != NULL) {
        return err;
    }
    lull_str_addf(out,
                  "// SPDX-License-Identifier: MIT\n"
                  "/** @file\n * Packets, registers and their fields of a%uxx. Made by lull rd "
                  "names of data/adreno.\n */\n"
                  "#ifndef LULL_A%uXX_H\n#define LULL_A%uXX_H\n\n#include <stdint.h>\n\n"
                  "// Packets\n",
                  gen, gen, gen);
    for (unsigned op = 0; op < LULL_DC_OPCODES; op++) {
        if (n->op_macros[op] != NULL) {
            lull_str_addf(out, "#define %s 0x%02x\n", n->op_macros[op], op);
        }
    }
    lull_str_addf(out, "\n// Registers, and their fields: REGISTER__FIELD(value)\n");
    qsort(n->regs, n->nregs, sizeof n->regs[0], by_offset);
    for (size_t i = 0; i < n->nregs; i++) {
        const struct lull_dc_reg *r = &n->regs[i];
        if (r->name == NULL) {
            continue;
        }
        lull_str_addf(out, "#define %s", r->name);
        if (r->reg->count != 0) {
            lull_str_addf(out, "(i) (0x%04" PRIx32 " + %u * (i))\n", r->reg->offset,
                          r->reg->stride);
        } else {
            lull_str_addf(out, " 0x%04" PRIx32 "\n", r->reg->offset);
        }
        print_fields(n, r, out);
    }
    lull_str_addf(out, "\n#endif\n");
    lull_dc_names_free(n);
    return NULL;
}
