// SPDX-License-Identifier: MIT
/** @file
 * A scope for expressions without a debugger: variables, three registers, a little memory.
 *
 * The variables are C's, of the same names and values, so that a C compiler can be asked what an
 * expression over them is. $v0 of lane n is n, $v1 is 1000 + n, $v[0:1] both as a pair; $s0 is 7.
 * Lanes 0 to 7 of 32 are active. Byte n of memory (at STUB_BASE) and of LDS is STUB_BYTE(n).
 */
#ifndef LULL_TESTS_EXPR_STUB_H
#define LULL_TESTS_EXPR_STUB_H

#include <string.h>

#include "base/error.h"
#include "expr/expr.h"

enum { STUB_BASE = 0x1000, STUB_BYTES = 256, STUB_LDS_BYTES = 64, STUB_LANES = 32 };

#define STUB_BYTE(n) ((uint8_t)((n)*7 + 3))

static const int8_t c = -100;
static const uint8_t uc = 200;
static const int16_t s = -30000;
static const uint16_t us = 60000;
static const int32_t i = -7, zero = 0;
static const uint32_t u = 4000000000u;
static const int64_t l = -5000000000;
static const uint64_t ul = 18000000000000000000u;
static const float f = 2.25f, tiny = 1e-40f;
static const double d = -1e100;

struct stub_variable {
    const char *name;
    struct lull_ctype type;
    const void *at;
};

static const struct stub_variable stub_variables[] = {
    {"c", {.kind = LULL_CTYPE_SIGNED, .bits = 8}, &c},
    {"uc", {.kind = LULL_CTYPE_UNSIGNED, .bits = 8}, &uc},
    {"s", {.kind = LULL_CTYPE_SIGNED, .bits = 16}, &s},
    {"us", {.kind = LULL_CTYPE_UNSIGNED, .bits = 16}, &us},
    {"i", {.kind = LULL_CTYPE_SIGNED, .bits = 32}, &i},
    {"zero", {.kind = LULL_CTYPE_SIGNED, .bits = 32}, &zero},
    {"u", {.kind = LULL_CTYPE_UNSIGNED, .bits = 32}, &u},
    {"l", {.kind = LULL_CTYPE_SIGNED, .bits = 64}, &l},
    {"ul", {.kind = LULL_CTYPE_UNSIGNED, .bits = 64}, &ul},
    {"f", {.kind = LULL_CTYPE_FLOAT, .bits = 32}, &f},
    {"tiny", {.kind = LULL_CTYPE_FLOAT, .bits = 32}, &tiny},
    {"d", {.kind = LULL_CTYPE_FLOAT, .bits = 64}, &d},
};

struct stub {
    uint32_t reg[3][STUB_LANES]; ///< v0, v1, s0.
    uint8_t memory[STUB_BYTES], lds[STUB_LDS_BYTES];
    unsigned reads; ///< Of memory.
};

static inline void stub_init(struct stub *t)
{
    *t = (struct stub){.reg = {{0}}};
    for (unsigned k = 0; k < STUB_LANES; k++) {
        t->reg[0][k] = k;
        t->reg[1][k] = 1000 + k;
        t->reg[2][k] = 7;
    }
    for (unsigned k = 0; k < STUB_BYTES; k++) {
        t->memory[k] = STUB_BYTE(k);
        t->lds[k % STUB_LDS_BYTES] = STUB_BYTE(k % STUB_LDS_BYTES);
    }
}

static inline struct lull_error *stub_register(void *ctx, struct lull_arena *arena, const char **at,
                                               const void **ret)
{
    static const struct {
        const char *name;
        unsigned first, count;
    } all[] = {{"v[0:1]", 0, 2}, {"v0", 0, 1}, {"v1", 1, 1}, {"s0", 2, 1}};
    (void)ctx;
    for (size_t k = 0; k < 4; k++) {
        const size_t n = strlen(all[k].name);
        unsigned *r = strncmp(*at, all[k].name, n) == 0
                          ? lull_arena_calloc(arena, 2, sizeof(unsigned))
                          : NULL;
        if (r != NULL) {
            r[0] = all[k].first;
            r[1] = all[k].count;
            *at += n;
            *ret = r;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "no register '$%.8s'", *at);
}

static inline struct lull_error *stub_name(void *ctx, struct lull_arena *arena, const char *name,
                                           const void **ret)
{
    (void)ctx;
    (void)arena;
    for (size_t k = 0; k < sizeof stub_variables / sizeof stub_variables[0]; k++) {
        if (strcmp(stub_variables[k].name, name) == 0) {
            *ret = &stub_variables[k];
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "no symbol '%s'", name);
}

static inline const struct stub_variable *stub_variable(const void *ref)
{
    for (size_t k = 0; k < sizeof stub_variables / sizeof stub_variables[0]; k++) {
        if (ref == &stub_variables[k]) {
            return &stub_variables[k];
        }
    }
    return NULL;
}

static inline struct lull_error *stub_read(void *ctx, const void *ref, bool only_type,
                                           struct lull_value *ret)
{
    const struct stub *t = ctx;
    const struct stub_variable *var = stub_variable(ref);
    const unsigned *r = ref;
    *ret = (struct lull_value){.lanes = 1, .active = 1, .valid = 1};
    if (var != NULL) {
        ret->type = var->type;
        memcpy(ret->v, var->at, var->type.bits / 8);
        return NULL;
    }
    ret->type = (struct lull_ctype){.bits = (uint8_t)(32 * r[1])};
    ret->lanes = r[0] == 2 ? 1 : STUB_LANES;
    ret->active = r[0] == 2 ? 1 : 0xff;
    for (unsigned k = 0; !only_type && k < ret->lanes; k++) {
        ret->v[k] = t->reg[r[0]][k] | (r[1] == 2 ? (uint64_t)t->reg[r[0] + 1][k] << 32 : 0);
    }
    ret->valid = only_type ? 0 : r[0] == 2 ? 1 : UINT32_MAX;
    return NULL;
}

static inline struct lull_error *stub_write(void *ctx, const void *ref, enum lull_lanes which,
                                            unsigned lane, const struct lull_value *value)
{
    struct stub *t = ctx;
    const unsigned *r = ref;
    if (stub_variable(ref) != NULL) {
        return lull_error_new(LULL_ERR_INVALID, "a constant cannot be set");
    }
    const uint64_t lanes = which == LULL_LANES_ALL      ? UINT32_MAX
                           : which == LULL_LANES_ACTIVE ? 0xff
                           : which == LULL_LANES_ONE    ? UINT64_C(1) << lane
                                                        : 1;
    for (unsigned k = 0; k < STUB_LANES; k++) {
        const uint64_t v = value->v[value->lanes == 1 ? 0 : k];
        if ((lanes >> k & 1) != 0) {
            t->reg[r[0]][k] = (uint32_t)v;
        }
        if ((lanes >> k & 1) != 0 && r[1] == 2) {
            t->reg[r[0] + 1][k] = (uint32_t)(v >> 32);
        }
    }
    return NULL;
}

static inline uint8_t *stub_bytes(struct stub *t, bool lds, uint64_t address, size_t size)
{
    const uint64_t at = address - (lds ? 0 : STUB_BASE);
    const size_t room = lds ? STUB_LDS_BYTES : STUB_BYTES;
    return at <= room && size <= room - at ? (lds ? t->lds : t->memory) + at : NULL;
}

static inline struct lull_error *stub_read_memory(void *ctx, bool lds, uint64_t address, void *buf,
                                                  size_t size)
{
    struct stub *t = ctx;
    const uint8_t *from = stub_bytes(t, lds, address, size);
    t->reads++;
    if (from == NULL) {
        return lull_error_fault(address, "0x%llx is not mapped", (unsigned long long)address);
    }
    memcpy(buf, from, size);
    return NULL;
}

static inline struct lull_error *stub_write_memory(void *ctx, bool lds, uint64_t address,
                                                   const void *buf, size_t size)
{
    uint8_t *to = stub_bytes(ctx, lds, address, size);
    if (to == NULL) {
        return lull_error_fault(address, "0x%llx is not mapped", (unsigned long long)address);
    }
    memcpy(to, buf, size);
    return NULL;
}

static inline struct lull_expr_scope stub_scope(struct stub *t)
{
    return (struct lull_expr_scope){.ctx = t,
                                    .find_register = stub_register,
                                    .find_name = stub_name,
                                    .read = stub_read,
                                    .write = stub_write,
                                    .read_memory = stub_read_memory,
                                    .write_memory = stub_write_memory};
}

#endif
