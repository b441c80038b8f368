// SPDX-License-Identifier: MIT
#include "arch/arch.h"

#include <ctype.h>
#include <string.h>

const struct lull_arch *const lull_archs[] = {&lull_arch_rdna3, &lull_arch_ir3, NULL};

static const char components[] = "xyzw";

const struct lull_arch *lull_arch_named(const char *name)
{
    const struct lull_arch *const *a = lull_archs;
    while (*a != NULL && strcmp((*a)->name, name) != 0) {
        a++;
    }
    return *a;
}

unsigned lull_arch_next(const struct lull_arch *a, const struct lull_insn *in, uint64_t pc,
                        uint64_t ret[2])
{
    const struct lull_flow f = a->flow(in, pc);
    unsigned n = 0;
    if (f.kind == LULL_FLOW_NEXT || f.kind == LULL_FLOW_BRANCH) {
        ret[n++] = pc + a->size(in);
    }
    if (f.known) {
        ret[n++] = f.target;
    }
    return n;
}

unsigned lull_arch_show(const struct lull_arch *a, const struct lull_arch_mode *mode,
                        const struct lull_insn_print *how, const void *code, size_t size,
                        struct lull_str *out)
{
    struct lull_insn_room room;
    const int n = a->decode(mode, code, size, &room);
    if (n > 0) {
        a->print(lull_insn_in(&room), how, out);
    }
    return n > 0 ? (unsigned)n : 0;
}

void lull_arch_reg_name(const struct lull_arch *a, unsigned number, struct lull_str *out)
{
    for (unsigned i = 0; i < a->nnames; i++) {
        if (a->names[i].first == number && a->names[i].count == 1) {
            lull_str_addf(out, "%s", a->names[i].name);
            return;
        }
    }
    for (unsigned i = 0; i < a->nbanks; i++) {
        const struct lull_arch_bank *b = &a->banks[i];
        const unsigned n = number - b->first;
        if (number >= b->first && n < b->count) {
            if (b->xyzw) {
                lull_str_addf(out, "%s%u.%c", b->name, n / 4, components[n % 4]);
            } else {
                lull_str_addf(out, "%s%u", b->name, n);
            }
            return;
        }
    }
    lull_str_addf(out, "?%u", number);
}

// "5" or "1.x" behind the name of a bank. False: neither, or not in the bank.
static bool number_in(const struct lull_arch_bank *b, const char *text, unsigned *ret)
{
    unsigned n = 0, digits = 0;
    for (; isdigit((unsigned char)text[digits]); digits++) {
        n = digits < 5 ? 10 * n + (unsigned)(text[digits] - '0') : UINT16_MAX;
    }
    const bool padded = digits > 1 && text[0] == '0';
    text += digits;
    if (digits == 0 || padded) {
        return false;
    }
    if (b->xyzw) {
        const char *c = text[0] == '.' && text[1] != '\0' ? strchr(components, text[1]) : NULL;
        if (c == NULL) {
            return false;
        }
        n = 4 * n + (unsigned)(c - components);
        text += 2;
    }
    *ret = b->first + n;
    return *text == '\0' && n < b->count;
}

static enum lull_arch_group group_of(const struct lull_arch *a, unsigned number)
{
    for (unsigned i = 0; i < a->nbanks; i++) {
        const struct lull_arch_bank *b = &a->banks[i];
        if (number >= b->first && number - b->first < b->count) {
            return b->group;
        }
    }
    return LULL_REGS_SPECIAL;
}

bool lull_arch_find_reg(const struct lull_arch *a, const char *name, struct lull_arch_reg *ret)
{
    for (unsigned i = 0; i < a->nnames; i++) {
        const struct lull_arch_name *r = &a->names[i];
        if (strcmp(r->name, name) == 0) {
            *ret = (struct lull_arch_reg){.group = group_of(a, r->first),
                                          .number = r->first,
                                          .count = r->count,
                                          .bits = r->bits,
                                          .per_lane = r->per_lane};
            return true;
        }
    }
    for (unsigned i = 0; i < a->nbanks; i++) {
        const struct lull_arch_bank *b = &a->banks[i];
        const size_t n = strlen(b->name);
        unsigned number = 0;
        if (strncmp(b->name, name, n) == 0 && number_in(b, name + n, &number)) {
            *ret = (struct lull_arch_reg){.group = b->group,
                                          .number = (uint16_t)number,
                                          .count = 1,
                                          .bits = b->bits,
                                          .per_lane = b->per_lane};
            return true;
        }
    }
    return false;
}
