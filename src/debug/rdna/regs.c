// SPDX-License-Identifier: MIT
#include "debug/rdna/regs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "hw/hwreg_regs.h"
#include "isa/rdna/rdna.h"

enum { MAX_SGPR = 106, NTTMPS = 16 };

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

/* "3" or "[4:5]" after s, v or ttmp. */
static bool parse_range(const char **at, unsigned *first, uint8_t *count)
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
    if (a > UINT8_MAX || b > UINT8_MAX || b < a || b - a > 1) {
        return false;
    }
    *first = (unsigned)a;
    *count = (uint8_t)(b - a + 1);
    *at = end;
    return true;
}

LULL_MUST_USE static struct lull_error *by_name(const char **at, struct lull_reg_name *ret)
{
    const char *name = *at;
    size_t n = 0;
    while (isalnum((unsigned char)name[n]) || name[n] == '_') {
        n++;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i].name) == n && strncmp(names[i].name, name, n) == 0) {
            *at += n;
            *ret = (struct lull_reg_name){.reg = {.cls = names[i].cls, .index = names[i].index},
                                          .count = names[i].count,
                                          .bit = names[i].bit,
                                          .nbits = names[i].nbits};
            return NULL;
        }
    }
    return n == 0 ? lull_error_new(LULL_ERR_INVALID, "expected a register name after '$'")
                  : lull_error_new(LULL_ERR_INVALID, "no register '$%.*s'", (int)n, name);
}

struct lull_error *lull_reg_find(const char **at, struct lull_reg_name *ret)
{
    const char *p = *at;
    bool ttmp = strncmp(p, "ttmp", 4) == 0;
    bool vector = *p == 'v';
    const char *end = p + (ttmp ? 4 : 1);
    unsigned first = 0;
    struct lull_reg_name r = {.vector = vector};
    if (!(ttmp || *p == 's' || vector) || !parse_range(&end, &first, &r.count)) {
        return by_name(at, ret);
    }
    r.reg.index = (uint16_t)(ttmp ? LULL_RDNA_TTMP0 + first : first);
    r.reg.cls = vector ? LULL_REG_VGPR : LULL_REG_SGPR;
    if ((ttmp && first + r.count > NTTMPS) || (!ttmp && !vector && first + r.count > MAX_SGPR)) {
        return lull_error_new(LULL_ERR_INVALID, "no register '$%.*s'", (int)(end - p), p);
    }
    *at = end;
    *ret = r;
    return NULL;
}

unsigned lull_reg_count(const struct lull_reg_name *r, unsigned lanes)
{
    bool mask = r->reg.cls == LULL_REG_SGPR && r->count == 2 &&
                (r->reg.index == LULL_RDNA_EXEC || r->reg.index == LULL_RDNA_VCC);
    return mask && lanes == 32 ? 1 : r->count;
}

bool lull_reg_is_wide(struct lull_wave_reg reg)
{
    return reg.cls == LULL_REG_PC || reg.cls == LULL_REG_FLAT_SCRATCH;
}

bool lull_reg_is_exec(struct lull_wave_reg reg)
{
    return reg.cls == LULL_REG_SGPR &&
           (reg.index == LULL_RDNA_EXEC || reg.index == LULL_RDNA_EXEC + 1);
}

struct lull_error *lull_reg_read(struct lull_target *t, lull_wave_key wave,
                                 struct lull_wave_reg reg, unsigned count, uint64_t *ret)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t part = 0;
        struct lull_error *err = t->ops->read_reg(t, wave, reg, &part);
        if (err != NULL) {
            return err;
        }
        value |= part << (32 * i);
        reg.index++;
    }
    *ret = value;
    return NULL;
}

struct lull_error *lull_reg_read_exec(struct lull_target *t, const struct lull_wave_info *wave,
                                      uint64_t *ret)
{
    const struct lull_wave_reg exec = {.cls = LULL_REG_SGPR, .index = LULL_RDNA_EXEC};
    return lull_reg_read(t, wave->key, exec, wave->lanes == 64 ? 2 : 1, ret);
}

struct lull_error *lull_reg_write(struct lull_target *t, lull_wave_key wave,
                                  struct lull_wave_reg reg, unsigned count, uint64_t value)
{
    struct lull_error *err = NULL;
    for (unsigned i = 0; err == NULL && i < count; i++) {
        err = t->ops->write_reg(t, wave, reg,
                                lull_reg_is_wide(reg) ? value : (uint32_t)(value >> (32 * i)));
        reg.index++;
    }
    return err;
}

bool lull_reg_in_barrier(const struct lull_wave_info *wave)
{
    return wave->barrier || (wave->status & LULL_HWREG_STATUS__IN_BARRIER_MASK) != 0;
}
