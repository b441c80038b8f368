// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "debug/descriptors.h"
#include "debug/engine.h"
#include "debug/pipeline.h"
#include "debug/place.h"
#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"

static const struct {
    const char *name;
    enum lull_reg_class cls;
    uint16_t index;
    uint8_t count, bit, nbits;
} names[] = {
    {"pc", LULL_REG_PC, 0, 1, 0, 0},
    {"exec", LULL_REG_SGPR, LULL_RDNA_EXEC, 2, 0, 0},
    {"exec_lo", LULL_REG_SGPR, LULL_RDNA_EXEC, 1, 0, 0},
    {"exec_hi", LULL_REG_SGPR, LULL_RDNA_EXEC + 1, 1, 0, 0},
    {"vcc", LULL_REG_SGPR, LULL_RDNA_VCC, 2, 0, 0},
    {"vcc_lo", LULL_REG_SGPR, LULL_RDNA_VCC, 1, 0, 0},
    {"vcc_hi", LULL_REG_SGPR, LULL_RDNA_VCC + 1, 1, 0, 0},
    {"m0", LULL_REG_SGPR, LULL_RDNA_M0, 1, 0, 0},
    {"scc", LULL_REG_HW, LULL_HWREG_STATUS, 1, 0, 1},
    {"status", LULL_REG_HW, LULL_HWREG_STATUS, 1, 0, 0},
    {"mode", LULL_REG_HW, LULL_HWREG_MODE, 1, 0, 0},
    {"trapsts", LULL_REG_HW, LULL_HWREG_TRAPSTS, 1, 0, 0},
    {"hw_id1", LULL_REG_HW, LULL_HWREG_HW_ID1, 1, 0, 0},
    {"hw_id2", LULL_REG_HW, LULL_HWREG_HW_ID2, 1, 0, 0},
    {"gpr_alloc", LULL_REG_HW, LULL_HWREG_GPR_ALLOC, 1, 0, 0},
    {"lds_alloc", LULL_REG_HW, LULL_HWREG_LDS_ALLOC, 1, 0, 0},
    {"ib_sts", LULL_REG_HW, LULL_HWREG_IB_STS, 1, 0, 0},
    {"flat_scratch", LULL_REG_FLAT_SCRATCH, 0, 1, 0, 0},
};

enum { NNAMES = sizeof names / sizeof names[0] };

bool lull_debug_find_symbol(struct lull_debug *d, const char *name, uint64_t *ret_va)
{
    for (size_t i = 0; d->image != NULL && i < lull_image_nsymbols(d->image); i++) {
        const struct lull_symbol *symbol = lull_image_symbol(d->image, i);
        if (strcmp(symbol->name, name) == 0) {
            *ret_va = d->image_va + symbol->offset;
            return true;
        }
    }
    const struct lull_pipeline *p = lull_pipeline_by_symbol(d, name);
    if (p != NULL) {
        *ret_va = p->va;
        return true;
    }
    if (d->target->ops->dispatches != NULL) {
        return lull_debug_binding(d, name, ret_va);
    }
    struct lull_bo_info infos[64];
    size_t n = 0;
    struct lull_error *err =
        d->target->ops->bos != NULL ? d->target->ops->bos(d->target, infos, 64, &n) : NULL;
    lull_error_free(err);
    for (size_t i = 0; err == NULL && i < n && i < 64; i++) {
        if (strcmp(infos[i].name, name) == 0) {
            *ret_va = infos[i].va;
            return true;
        }
    }
    return false;
}

void lull_debug_show_place(struct lull_debug *d, uint64_t va, struct lull_str *out)
{
    if (d->target->ops->dispatches != NULL) {
        lull_debug_show_binding(d, va, out);
        return;
    }
    struct lull_bo_info infos[64];
    size_t n = 0;
    struct lull_error *err =
        d->target->ops->bos != NULL ? d->target->ops->bos(d->target, infos, 64, &n) : NULL;
    bool known = err == NULL;
    lull_error_free(err);
    for (size_t i = 0; known && i < n && i < 64; i++) {
        if (va - infos[i].va < infos[i].size && infos[i].name[0] != '\0') {
            lull_str_addf(out, "<%s+0x%" PRIx64 ">", infos[i].name, va - infos[i].va);
            return;
        }
    }
}

LULL_MUST_USE static struct lull_error *bad_place(const char *text, const char *what)
{
    return lull_error_new(LULL_ERR_INVALID, "'%s': %s", text, what);
}

/* "3" or "[4:5]" after s, v or ttmp. */
static bool parse_range(const char **at, unsigned *first, unsigned *count)
{
    bool bracket = **at == '[';
    const char *p = *at + (bracket ? 1 : 0);
    if (!isdigit((unsigned char)*p)) {
        return false;
    }
    char *end = NULL;
    unsigned long a = strtoul(p, &end, 10);
    unsigned long b = a;
    if (bracket) {
        if (*end == ':' && isdigit((unsigned char)end[1])) {
            b = strtoul(end + 1, &end, 10);
        }
        if (*end != ']') {
            return false;
        }
        end++;
    }
    if (a > 255 || b > 255 || b < a || b - a > 1) {
        return false;
    }
    *first = (unsigned)a;
    *count = (unsigned)(b - a) + 1;
    *at = end;
    return true;
}

/* "[5]" or "[*]" after a VGPR. */
LULL_MUST_USE static struct lull_error *parse_lane(struct lull_debug *d, const char *text,
                                                   const char **at, struct lull_place *place)
{
    if (**at != '[') {
        return NULL;
    }
    if (strncmp(*at, "[*]", 3) == 0) {
        place->all_lanes = true;
        *at += 3;
        return NULL;
    }
    struct lull_value lane = {0};
    const char *rest = NULL;
    struct lull_error *err = lull_debug_eval_part(d, *at + 1, &rest, &lane);
    if (err != NULL) {
        return err;
    }
    struct lull_debug_wave *wave = NULL;
    err = lull_debug_focused(d, &wave);
    if (err != NULL) {
        return err;
    }
    if (*rest != ']' || lane.lanes != 1 || lane.v[0] >= wave->info.lanes) {
        return bad_place(text, "bad lane number");
    }
    place->kind = LULL_PLACE_LANE;
    place->reg.lane = (uint8_t)lane.v[0];
    *at = rest + 1;
    return NULL;
}

static bool parse_constant(struct lull_debug *d, const char *name, struct lull_place *place)
{
    struct lull_debug_wave *wave = lull_debug_wave_by_number(d, d->focus);
    place->kind = LULL_PLACE_CONST;
    if (strcmp(name, "lane") == 0) {
        place->value = d->lane;
    } else if (strcmp(name, "wave") == 0) {
        place->value = d->focus;
    } else if (strcmp(name, "lanes") == 0) {
        place->value = wave != NULL ? wave->info.lanes : 0;
    } else if (strcmp(name, "code") == 0 && d->has_dispatch) {
        place->value = d->dispatch.code_va;
    } else {
        return false;
    }
    return true;
}

LULL_MUST_USE static struct lull_error *parse_named(struct lull_debug *d, const char *text,
                                                    const char **at, struct lull_place *place)
{
    char name[24] = {0};
    size_t n = 0;
    while (isalnum((unsigned char)(*at)[n]) || (*at)[n] == '_') {
        n++;
    }
    if (n == 0 || n >= sizeof name) {
        return bad_place(text, "expected a register name after '$'");
    }
    memcpy(name, *at, n);
    *at += n;
    if (parse_constant(d, name, place)) {
        return NULL;
    }
    for (size_t i = 0; i < NNAMES; i++) {
        if (strcmp(name, names[i].name) == 0) {
            place->kind = LULL_PLACE_SCALAR;
            place->reg = (struct lull_wave_reg){.cls = names[i].cls, .index = names[i].index};
            place->count = names[i].count;
            place->bit = names[i].bit;
            place->nbits = names[i].nbits;
            return NULL;
        }
    }
    return lull_error_new(LULL_ERR_INVALID, "no register '$%s'", name);
}

LULL_MUST_USE static struct lull_error *parse_register(struct lull_debug *d, const char *text,
                                                       const char **at, struct lull_place *place)
{
    unsigned first = 0;
    unsigned count = 1;
    const char *p = *at;
    bool ttmp = strncmp(p, "ttmp", 4) == 0;
    const char *range = p + (ttmp ? 4 : 1);
    bool vector = *p == 'v';
    if (!(ttmp || *p == 's' || vector) || !parse_range(&range, &first, &count)) {
        return parse_named(d, text, at, place);
    }
    *at = range;
    place->count = count;
    place->reg.index = (uint16_t)(ttmp ? LULL_RDNA_TTMP0 + first : first);
    place->reg.cls = vector ? LULL_REG_VGPR : LULL_REG_SGPR;
    place->kind = vector ? LULL_PLACE_VECTOR : LULL_PLACE_SCALAR;
    if ((ttmp && first + count > 16) || (!ttmp && !vector && first + count > 106)) {
        return bad_place(text, "no such register");
    }
    return vector ? parse_lane(d, text, at, place) : NULL;
}

static const struct {
    const char *name;
    uint8_t bytes;
    bool is_signed;
} types[] = {
    {"u8", 1, false},    {"u16", 2, false},    {"u32", 4, false},  {"u64", 8, false},
    {"i8", 1, true},     {"i16", 2, true},     {"i32", 4, true},   {"i64", 8, true},
    {"f32", 4, false},   {"f64", 8, false},    {"int", 4, true},   {"uint", 4, false},
    {"float", 4, false}, {"double", 8, false}, {"long", 8, true},  {"ulong", 8, false},
    {"char", 1, true},   {"uchar", 1, false},  {"short", 2, true}, {"ushort", 2, false},
};

enum { NTYPES = sizeof types / sizeof types[0] };

/* "{u32}address" or "*(u32*)address"; an address that starts with "lds:" is in LDS. */
LULL_MUST_USE static struct lull_error *parse_memory(struct lull_debug *d, const char *text,
                                                     const char **at, struct lull_place *place)
{
    bool brace = **at == '{';
    const char *p = *at + (brace ? 1 : 2);
    size_t n = strcspn(p, brace ? "}" : "*)");
    size_t type = NTYPES;
    for (size_t i = 0; i < NTYPES; i++) {
        if (strlen(types[i].name) == n && strncmp(types[i].name, p, n) == 0) {
            type = i;
        }
    }
    if (type == NTYPES || strncmp(p + n, brace ? "}" : "*)", brace ? 1 : 2) != 0) {
        return bad_place(text, "unknown type (u8 u16 u32 u64 i8 i16 i32 i64 f32 f64)");
    }
    p += n + (brace ? 1 : 2);
    place->kind = LULL_PLACE_MEMORY;
    if (strncmp(p, "lds:", 4) == 0) {
        place->kind = LULL_PLACE_LDS;
        p += 4;
    }
    place->bytes = types[type].bytes;
    place->is_signed = types[type].is_signed;
    struct lull_value address = {0};
    struct lull_error *err = lull_debug_eval_part(d, p, at, &address);
    if (err != NULL) {
        return err;
    }
    if (address.lanes != 1) {
        return bad_place(text, "an address is one number: name a lane, as in $v3[5]");
    }
    place->address = address.v[0];
    return NULL;
}

struct lull_error *lull_place_parse(struct lull_debug *d, const char *text, const char **ret_rest,
                                    struct lull_place *ret)
{
    struct lull_place place = {.count = 1};
    const char *at = text;
    while (isspace((unsigned char)*at)) {
        at++;
    }
    struct lull_error *err = NULL;
    if (*at == '$') {
        at++;
        err = parse_register(d, text, &at, &place);
    } else if (*at == '{' || strncmp(at, "*(", 2) == 0) {
        err = parse_memory(d, text, &at, &place);
    } else {
        err = bad_place(text, "expected a register or {type}address");
    }
    if (err == NULL) {
        *ret = place;
        *ret_rest = at;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *read_register(struct lull_debug *d, lull_wave_key key,
                                                      struct lull_wave_reg reg, unsigned count,
                                                      uint64_t *ret)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t part = 0;
        struct lull_error *err = d->target->ops->read_reg(d->target, key, reg, &part);
        if (err != NULL) {
            return err;
        }
        value |= part << (32 * i);
        reg.index++;
    }
    *ret = value;
    return NULL;
}

LULL_MUST_USE static struct lull_error *read_bytes(struct lull_debug *d,
                                                   const struct lull_place *place,
                                                   struct lull_value *ret)
{
    uint64_t word = 0;
    struct lull_error *err = NULL;
    if (place->kind == LULL_PLACE_LDS) {
        struct lull_debug_wave *wave = NULL;
        err = lull_debug_focused(d, &wave);
        if (err == NULL) {
            err = d->target->ops->read_lds(d->target, wave->info.key, (uint32_t)place->address,
                                           &word, place->bytes);
        }
    } else {
        err = d->target->ops->read(d->target, place->address, &word, place->bytes);
    }
    unsigned shift = 64 - 8 * place->bytes;
    ret->v[0] = place->is_signed ? (uint64_t)((int64_t)(word << shift) >> shift) : word;
    ret->lanes = 1;
    ret->active = 1;
    ret->bits = place->bytes == 8 ? 64 : 32;
    return err;
}

LULL_MUST_USE static struct lull_error *read_lanes(struct lull_debug *d,
                                                   const struct lull_debug_wave *wave,
                                                   const struct lull_place *place,
                                                   struct lull_value *ret)
{
    ret->lanes = place->kind == LULL_PLACE_VECTOR ? wave->info.lanes : 1;
    ret->active = place->kind == LULL_PLACE_VECTOR ? wave->info.exec : 1;
    for (unsigned i = 0; i < ret->lanes; i++) {
        struct lull_wave_reg reg = place->reg;
        reg.lane = place->kind == LULL_PLACE_VECTOR ? (uint8_t)i : reg.lane;
        struct lull_error *err = read_register(d, wave->info.key, reg, place->count, &ret->v[i]);
        if (err != NULL) {
            return err;
        }
    }
    return NULL;
}

struct lull_error *lull_place_read(struct lull_debug *d, const struct lull_place *place,
                                   struct lull_value *ret)
{
    struct lull_value value = {.lanes = 1, .bits = 32, .active = 1};
    struct lull_debug_wave *wave = NULL;
    struct lull_error *err = NULL;
    if (place->kind == LULL_PLACE_CONST) {
        value.v[0] = place->value;
        value.bits = place->value > UINT32_MAX ? 64 : 32;
    } else if (place->kind == LULL_PLACE_MEMORY || place->kind == LULL_PLACE_LDS) {
        err = read_bytes(d, place, &value);
    } else if ((err = lull_debug_focused(d, &wave)) == NULL) {
        bool wide = place->reg.cls == LULL_REG_PC || place->reg.cls == LULL_REG_FLAT_SCRATCH ||
                    place->count == 2;
        // EXEC and VCC are as wide as the wave.
        bool mask = place->reg.cls == LULL_REG_SGPR && place->count == 2 &&
                    (place->reg.index == LULL_RDNA_EXEC || place->reg.index == LULL_RDNA_VCC);
        struct lull_place p = *place;
        p.count = mask && wave->info.lanes == 32 ? 1 : p.count;
        value.bits = wide && p.count == place->count ? 64 : 32;
        err = read_lanes(d, wave, &p, &value);
        if (place->nbits != 0) {
            value.v[0] = value.v[0] >> place->bit & ((1u << place->nbits) - 1);
        }
    }
    if (err == NULL) {
        *ret = value;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *write_register(struct lull_debug *d, lull_wave_key key,
                                                       struct lull_wave_reg reg, unsigned count,
                                                       uint64_t value)
{
    bool wide = reg.cls == LULL_REG_PC || reg.cls == LULL_REG_FLAT_SCRATCH;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        err = d->target->ops->write_reg(d->target, key, reg,
                                        wide ? value : (uint32_t)(value >> (32 * i)));
        reg.index++;
    }
    return err;
}

LULL_MUST_USE static struct lull_error *write_scalar(struct lull_debug *d,
                                                     const struct lull_debug_wave *wave,
                                                     const struct lull_place *place, uint64_t value)
{
    if (place->nbits != 0) {
        uint64_t old = 0;
        struct lull_error *err =
            d->target->ops->read_reg(d->target, wave->info.key, place->reg, &old);
        if (err != NULL) {
            return err;
        }
        uint64_t mask = ((UINT64_C(1) << place->nbits) - 1) << place->bit;
        value = (old & ~mask) | (value << place->bit & mask);
    }
    return write_register(d, wave->info.key, place->reg, place->count, value);
}

LULL_MUST_USE static struct lull_error *write_vector(struct lull_debug *d,
                                                     const struct lull_debug_wave *wave,
                                                     const struct lull_place *place,
                                                     const struct lull_value *value)
{
    bool all = value->lanes > 1 || place->all_lanes;
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < wave->info.lanes; i++) {
        bool wanted = all ? !place->all_lanes || (wave->info.exec >> i & 1) != 0 : i == d->lane;
        struct lull_wave_reg reg = place->reg;
        reg.lane = (uint8_t)i;
        if (wanted) {
            err = write_register(d, wave->info.key, reg, place->count,
                                 value->v[value->lanes == 1 ? 0 : i]);
        }
    }
    return err;
}

struct lull_error *lull_place_write(struct lull_debug *d, const struct lull_place *place,
                                    const struct lull_value *value)
{
    if (place->kind == LULL_PLACE_CONST) {
        return lull_error_new(LULL_ERR_INVALID, "this cannot be set");
    }
    if (value->lanes > 1 && place->kind != LULL_PLACE_VECTOR) {
        return lull_error_new(LULL_ERR_INVALID, "a value of %u lanes fits a vector register only",
                              value->lanes);
    }
    if (place->kind == LULL_PLACE_MEMORY) {
        return d->target->ops->write(d->target, place->address, &value->v[0], place->bytes);
    }
    struct lull_debug_wave *wave = NULL;
    struct lull_error *err = lull_debug_focused(d, &wave);
    if (err != NULL) {
        return err;
    }
    if (place->kind == LULL_PLACE_LDS) {
        return d->target->ops->write_lds(d->target, wave->info.key, (uint32_t)place->address,
                                         &value->v[0], place->bytes);
    }
    if (place->kind == LULL_PLACE_VECTOR) {
        err = write_vector(d, wave, place, value);
    } else if (place->kind == LULL_PLACE_LANE) {
        err = write_register(d, wave->info.key, place->reg, place->count, value->v[0]);
    } else {
        err = write_scalar(d, wave, place, value->v[0]);
    }
    if (err == NULL && place->reg.cls == LULL_REG_SGPR && place->reg.index == LULL_RDNA_EXEC) {
        uint64_t exec = 0;
        err = read_register(d, wave->info.key, place->reg, wave->info.lanes == 64 ? 2 : 1, &exec);
        wave->info.exec = exec;
    }
    if (err == NULL && place->reg.cls == LULL_REG_PC) {
        wave->info.pc = value->v[0];
    }
    return err;
}
