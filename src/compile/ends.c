// SPDX-License-Identifier: MIT
#include "compile/ends.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cur.h"
#include "file/elf.h"

/** Source: AMD RDNA3 ISA guide, 16.5; LLVM SIInstrInfo.td (gfx11). */
static const uint32_t s_nop_0 = 0xbf800000, s_code_end = 0xbf9f0000, s_endpgm = 0xbfb00000;

static bool starts(const struct lull_elf_symbol *all, size_t n, uint64_t address)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].type == LULL_ELF_FUNC && all[i].value == address) {
            return true;
        }
    }
    return false;
}

struct lull_error *lull_compile_end_functions(uint8_t *bytes, size_t size)
{
    struct lull_elf elf = {0};
    lull_cleanup(lull_freep) struct lull_elf_symbol *all = NULL;
    size_t n = 0;
    struct lull_error *err = lull_elf_parse(bytes, size, &elf);
    const struct lull_elf_section *table = err == NULL ? lull_elf_find(&elf, ".symtab") : NULL;
    err = table != NULL ? lull_elf_symbols(&elf, table, &all, &n) : err;
    for (size_t i = 0; err == NULL && i < n; i++) {
        const bool code = all[i].type == LULL_ELF_FUNC && all[i].section < elf.nsections;
        const struct lull_elf_section *s = code ? &elf.sections[all[i].section] : NULL;
        const uint64_t end = all[i].value + all[i].size, at = s != NULL ? end - s->address : 0;
        if (s == NULL || at >= lull_cur_left(&s->data) || starts(all, n, end)) {
            continue;
        }
        const size_t place = (size_t)(s->data.pos - bytes) + (size_t)at;
        struct lull_cur c = lull_cur_of(bytes + place, size - place);
        const uint32_t was = lull_cur_u32(&c);
        if (was == s_nop_0 || was == s_code_end) {
            memcpy(bytes + place, &s_endpgm, sizeof s_endpgm);
        }
    }
    lull_elf_done(&elf);
    return err;
}
