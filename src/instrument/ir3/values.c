// SPDX-License-Identifier: MIT
#include "instrument/ir3/values.h"

#include <stdio.h>
#include <string.h>

/** Values that are being gathered. */
struct list {
    unsigned kinds, n;
    struct lull_ir3_value *all;
};

static void put(struct list *l, const struct lull_ir3_value *v)
{
    if ((l->kinds & v->kind) != 0 && l->n < LULL_IR3_VALUES) {
        l->all[l->n++] = *v;
    }
}

static void name_reg(char *name, bool half, const char *file, unsigned n)
{
    (void)snprintf(name, LULL_IR3_VALUE_NAME, "%s%s%u.%c", half ? "h" : "", file, n / 4,
                   "xyzw"[n % 4]);
}

static void name_relative(char *name, bool half, const char *file, int n)
{
    char offset[16] = ""; // As Mesa writes it: none if it is 0, "+ -4".
    if (n != 0) {
        (void)snprintf(offset, sizeof offset, " + %d", n);
    }
    (void)snprintf(name, LULL_IR3_VALUE_NAME, "%s%s<a0.x%s>", half ? "h" : "", file, offset);
}

/** Of registers of category 1 to 4, and predicates; numbers as lull_arch_ir3 has them. */
static bool of_number(const struct lull_arch_ir3_span *s, unsigned k, int relative,
                      struct lull_ir3_value *ret)
{
    const unsigned number = s->number + k;
    *ret = (struct lull_ir3_value){.kind = LULL_IR3_VALUES_GPR, .half = s->half};
    if (s->relative) {
        name_relative(ret->name, s->half, "r", relative + (int)k);
    } else if (number >= LULL_ARCH_IR3_PREDICATE && number < LULL_ARCH_IR3_PREDICATE + 4) {
        ret->kind = LULL_IR3_VALUES_PRED;
        ret->pred = number - LULL_ARCH_IR3_PREDICATE;
        name_reg(ret->name, false, "p", ret->pred);
    } else if (number >= LULL_ARCH_IR3_ADDRESS && number < LULL_ARCH_IR3_PREDICATE) {
        ret->kind = LULL_IR3_VALUES_ADDR;
        (void)snprintf(ret->name, sizeof ret->name, "a%u.x", number - LULL_ARCH_IR3_ADDRESS);
    } else {
        const unsigned n = number - (s->half ? LULL_ARCH_IR3_HALVES : 0);
        ret->kind = n >= LULL_ARCH_IR3_FIRST_SHARED ? LULL_IR3_VALUES_SHARED : LULL_IR3_VALUES_GPR;
        name_reg(ret->name, s->half, "r", n);
    }
    memcpy(ret->from, ret->name, sizeof ret->from);
    return lull_arch_ir3_place(s, k) < LULL_ARCH_IR3_PLACES || s->relative;
}

static void of_span(struct list *l, const struct lull_ir3_step *s, bool dst,
                    const struct lull_arch_ir3_span *span)
{
    const bool named = span->operand != LULL_ARCH_IR3_IMPLIED;
    const struct lull_ir3_operand *o = !named ? NULL
                                       : dst  ? &s->in.dst[span->operand]
                                              : &s->in.src[span->operand];
    for (unsigned k = 0; k < span->count; k++) {
        struct lull_ir3_value v;
        if ((k < 32 && (span->mask >> k & 1) == 0) ||
            !of_number(span, k, o != NULL ? o->value : 0, &v)) {
            continue;
        }
        if (v.kind == LULL_IR3_VALUES_ADDR) {
            struct lull_ir3_value from[LULL_IR3_VALUES];
            if (!dst || s->in.src[0].kind == LULL_IR3_K_RELGPR) {
                continue; // It cannot be read; with what is behind it, it can.
            }
            if (s->in.src[0].kind == LULL_IR3_K_IMM) {
                (void)snprintf(v.from, sizeof v.from, "%d", s->in.src[0].value);
            } else if (lull_ir3_values_of(s, LULL_IR3_VALUES_ALL, false, from) == 1) {
                memcpy(v.from, from[0].from, sizeof v.from);
                v.half = from[0].half;
            } else {
                continue;
            }
        }
        put(l, &v);
    }
}

static void of_constant(struct list *l, const struct lull_ir3_step *s,
                        const struct lull_ir3_operand *o)
{
    const unsigned more = s->uses.alu && o->r ? s->in.m.repeat : 0;
    for (unsigned k = 0; k <= more; k++) {
        struct lull_ir3_value v = {.kind = LULL_IR3_VALUES_CONST, .half = o->half};
        if (o->kind == LULL_IR3_K_RELCONST) {
            name_relative(v.name, o->half, "c", o->value + (int)k);
        } else {
            name_reg(v.name, o->half, "c", (unsigned)o->value + k);
        }
        memcpy(v.from, v.name, sizeof v.from);
        put(l, &v);
    }
}

unsigned lull_ir3_values_of(const struct lull_ir3_step *s, unsigned kinds, bool dst,
                            struct lull_ir3_value ret[LULL_IR3_VALUES])
{
    const struct lull_arch_ir3_uses *u = &s->uses;
    struct list l = {.kinds = kinds, .all = ret};
    for (unsigned i = 0; dst && i < u->nwritten; i++) {
        of_span(&l, s, true, &u->written[i]);
    }
    for (unsigned op = 0; !dst && op < s->in.nsrc; op++) {
        const struct lull_ir3_operand *o = &s->in.src[op];
        if (o->kind == LULL_IR3_K_CONST || o->kind == LULL_IR3_K_RELCONST) {
            of_constant(&l, s, o);
        }
        for (unsigned i = 0; i < u->nread; i++) {
            if (u->read[i].operand == op) {
                of_span(&l, s, false, &u->read[i]);
            }
        }
    }
    for (unsigned i = 0; !dst && i < u->nread; i++) {
        if (u->read[i].operand == LULL_ARCH_IR3_IMPLIED) {
            of_span(&l, s, false, &u->read[i]);
        }
    }
    return l.n;
}
