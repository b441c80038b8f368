// SPDX-License-Identifier: MIT
#include "isa/ir3/decode.h"

#include <string.h>

#include "base/json.h"
#include "isa/ir3_spec.h"

enum { MAX_FOUND = LULL_IR3_MAX_DST + LULL_IR3_MAX_SRC + 1 };

static struct lull_ir3_operand operand_of(const struct lull_spec_found *f)
{
    return (struct lull_ir3_operand){
        .kind = f->kind,
        .half = (f->mods >> LULL_SPEC_MOD_HALF & 1) != 0,
        .neg = (f->mods >> LULL_SPEC_MOD_NEG & 1) != 0,
        .abs = (f->mods >> LULL_SPEC_MOD_ABS & 1) != 0,
        .r = (f->mods >> LULL_SPEC_MOD_R & 1) != 0,
        .last = (f->mods >> LULL_SPEC_MOD_LAST & 1) != 0,
        .inv = (f->mods >> LULL_SPEC_MOD_INV & 1) != 0,
        .value = (int32_t)f->value,
    };
}

static void operands(const struct lull_spec_bitset *b, uint64_t word, unsigned gen,
                     struct lull_ir3_insn *in)
{
    struct lull_spec_found found[MAX_FOUND];
    const unsigned n = lull_spec_operands(&lull_spec_ir3, gen, b, word, found, MAX_FOUND);
    for (unsigned i = 0; i < n; i++) {
        const struct lull_spec_found *f = &found[i];
        const bool both = f->role == LULL_SPEC_ROLE_BOTH;
        if (f->role == LULL_SPEC_ROLE_TARGET) {
            in->branches = true;
            in->target = (int32_t)f->value;
        }
        if ((both || f->role == LULL_SPEC_ROLE_DST) && in->ndst < LULL_IR3_MAX_DST) {
            in->dst[in->ndst++] = operand_of(f);
        }
        if ((both || f->role == LULL_SPEC_ROLE_SRC) && in->nsrc < LULL_IR3_MAX_SRC) {
            in->src[in->nsrc++] = operand_of(f);
        }
    }
}

static void put_member(struct lull_ir3_members *to, const struct lull_ir3_member *m, int64_t value)
{
    char *at = (char *)to + m->offset;
    const bool truth = value != 0;
    const uint8_t small = (uint8_t)value;
    const int32_t number = (int32_t)value;
    switch (m->type) {
    case LULL_IR3_MEMBER_BOOL:
        memcpy(at, &truth, sizeof truth);
        break;
    case LULL_IR3_MEMBER_UINT8:
        memcpy(at, &small, sizeof small);
        break;
    case LULL_IR3_MEMBER_INT32:
        memcpy(at, &number, sizeof number);
        break;
    }
}

static int32_t get_member(const struct lull_ir3_members *from, const struct lull_ir3_member *m)
{
    const char *at = (const char *)from + m->offset;
    bool truth = false;
    uint8_t small = 0;
    int32_t number = 0;
    switch (m->type) {
    case LULL_IR3_MEMBER_BOOL:
        memcpy(&truth, at, sizeof truth);
        return truth;
    case LULL_IR3_MEMBER_UINT8:
        memcpy(&small, at, sizeof small);
        return small;
    case LULL_IR3_MEMBER_INT32:
        memcpy(&number, at, sizeof number);
        return number;
    }
    return 0;
}

bool lull_ir3_decode(uint64_t word, unsigned gen, struct lull_ir3_insn *ret)
{
    const struct lull_spec_bitset *b = lull_spec_find(&lull_spec_ir3, 0, gen, word);
    *ret = (struct lull_ir3_insn){0};
    if (b == NULL) {
        return false;
    }
    const size_t at = (size_t)(b - lull_spec_ir3.bitsets);
    ret->op = lull_ir3_op_of[at];
    ret->category = lull_ir3_category_of[at];
    operands(b, word, gen, ret);
    for (unsigned i = 0; i < lull_ir3_nmembers; i++) {
        const struct lull_ir3_member *m = &lull_ir3_member_table[i];
        int64_t value = 0;
        for (unsigned k = 0; k < m->nfields; k++) {
            if (lull_spec_member(&lull_spec_ir3, gen, b, word, m->fields[k], &value)) {
                put_member(&ret->m, m, value);
                break;
            }
        }
    }
    return true;
}

static void put_operand(struct lull_json *j, const struct lull_ir3_operand *o)
{
    const struct {
        const char *name;
        bool is;
    } mods[] = {{"half", o->half}, {"neg", o->neg},   {"abs", o->abs},
                {"r", o->r},       {"last", o->last}, {"inv", o->inv}};
    lull_json_open(j, '{');
    lull_json_put_str(j, "kind", lull_ir3_kind_names[o->kind]);
    lull_json_key(j, "value");
    lull_json_i64(j, o->value);
    for (size_t i = 0; i < sizeof mods / sizeof mods[0]; i++) {
        if (mods[i].is) {
            lull_json_put_bool(j, mods[i].name, true);
        }
    }
    lull_json_close(j, '}');
}

static void put_operands(struct lull_json *j, const char *key, const struct lull_ir3_operand *all,
                         unsigned n)
{
    lull_json_key(j, key);
    lull_json_open(j, '[');
    for (unsigned i = 0; i < n; i++) {
        put_operand(j, &all[i]);
    }
    lull_json_close(j, ']');
}

void lull_ir3_insn_json(const struct lull_ir3_insn *in, struct lull_json *j)
{
    lull_json_open(j, '{');
    lull_json_put_str(j, "op", lull_ir3_op_names[in->op]);
    lull_json_put_u64(j, "category", in->category);
    put_operands(j, "dst", in->dst, in->ndst);
    put_operands(j, "src", in->src, in->nsrc);
    if (in->branches) {
        lull_json_key(j, "target");
        lull_json_i64(j, in->target);
    }
    for (unsigned i = 0; i < lull_ir3_nmembers; i++) {
        const int32_t v = get_member(&in->m, &lull_ir3_member_table[i]);
        if (v != 0) {
            lull_json_key(j, lull_ir3_member_table[i].name);
            lull_json_i64(j, v);
        }
    }
    lull_json_close(j, '}');
}
