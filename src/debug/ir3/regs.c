// SPDX-License-Identifier: MIT
#include "debug/ir3/regs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/error.h"

enum { NAME_ROOM = 16, WHOLE_BITS = 32 };

/* Bytes of the name at @p at: a word, and a component behind a dot. */
static size_t length_of(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_') {
        n++;
    }
    const bool component = n != 0 && at[n] == '.' && at[n + 1] != '\0' &&
                           strchr("xyzw", at[n + 1]) != NULL && !isalnum((unsigned char)at[n + 2]);
    return component ? n + 2 : n;
}

/* One value for all fibers. */
static bool is_shared(const struct lull_arch_reg *r)
{
    struct lull_arch_reg first = {.number = 0}, half = {.number = 0}, a1 = {.number = 0};
    if (!lull_arch_find_reg(&lull_arch_ir3, "r48.x", &first) ||
        !lull_arch_find_reg(&lull_arch_ir3, "hr48.x", &half) ||
        !lull_arch_find_reg(&lull_arch_ir3, "a1.x", &a1)) {
        return false;
    }
    return !r->per_lane || r->number == a1.number ||
           (r->group == LULL_REGS_VECTOR &&
            (r->bits == WHOLE_BITS ? r->number >= first.number : r->number >= half.number));
}

struct lull_error *lull_ir3_reg_find(const char **at, struct lull_reg_name *ret)
{
    char name[NAME_ROOM] = "";
    struct lull_arch_reg r = {.number = 0};
    const size_t n = length_of(*at);
    snprintf(name, sizeof name, "%.*s", (int)n, *at);
    if (strcmp(name, "pc") == 0) {
        *at += n;
        *ret = (struct lull_reg_name){.reg = {.cls = LULL_REG_PC}, .count = 1};
        return NULL;
    }
    if (n < sizeof name && lull_arch_find_reg(&lull_arch_ir3, name, &r)) {
        *at += n;
        *ret = (struct lull_reg_name){.reg = {.cls = LULL_REG_ARCH, .index = r.number},
                                      .vector = !is_shared(&r),
                                      .count = 1,
                                      .bits = r.bits == 1 ? 8 : r.bits};
        return NULL;
    }
    char first[NAME_ROOM + 2] = "";
    snprintf(first, sizeof first, "%s.x", name);
    const bool whole = lull_arch_find_reg(&lull_arch_ir3, first, &r);
    return n == 0  ? lull_error_new(LULL_ERR_INVALID, "expected a register name after '$'")
           : whole ? lull_error_new(LULL_ERR_INVALID, "'$%s' has four components: $%s to $%s.w",
                                    name, first, name)
                   : lull_error_new(LULL_ERR_INVALID, "no register '$%.*s'", (int)n, *at);
}
