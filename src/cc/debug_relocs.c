// SPDX-License-Identifier: MIT
// Relocations of debug information with their addends in the record. LLVM writes REL sections for
// amdpal, with addends in place; but its own readers, and lld, know AMDGPU's relocations only as
// RELA. What is in place stays, for readers that do not relocate at all.
//
// Source: LLVM 19, RelocationResolver.cpp (resolveAmdgpu), AMDGPUELFObjectWriter.cpp.
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cc/cc.h"
#include "file/elf.h"
#include "hw/amdreloc_regs.h"

static const char prefix[] = ".debug_";

/** The number that stands where a relocation is. */
static int64_t in_place(const struct lull_elf_section *s, const struct lull_elf_reloc *r)
{
    uint64_t v = 0;
    const size_t n = r->type == LULL_R_AMDGPU_ABS64 ? 8 : 4;
    const size_t have = lull_cur_left(&s->data);
    for (size_t i = 0; r->offset <= have && n <= have - r->offset && i < n; i++) {
        v |= (uint64_t)s->data.pos[r->offset + i] << 8 * i;
    }
    return (int64_t)v;
}

/** Records of a REL section, with addends. */
static void convert(const struct lull_elf *elf, struct lull_elf_section *rel, struct lull_str *to)
{
    struct lull_elf_reloc r = {0};
    struct lull_cur c = rel->data;
    while (lull_elf_next_rel(&c, &r)) {
        r.addend = in_place(&elf->sections[rel->info], &r);
        lull_elf_put_reloc(to, &r, true);
    }
    rel->type = LULL_ELF_RELA;
    rel->entsize = LULL_ELF_RELA_SIZE;
    rel->size = to->size;
    rel->data = lull_cur_of(lull_str_text(to), to->size);
}

struct lull_error *lull_cc_debug_relocs(const void *object, size_t size, struct lull_str *ret)
{
    struct lull_elf elf = {0};
    struct lull_error *err = lull_elf_parse(object, size, &elf);
    if (err != NULL) {
        return err;
    }
    lull_cleanup(lull_freep) struct lull_str *records = calloc(elf.nsections + 1, sizeof *records);
    if (records == NULL) {
        lull_elf_done(&elf);
        return &lull_enomem;
    }
    for (size_t i = 0; i < elf.nsections && err == NULL; i++) {
        struct lull_elf_section *s = &elf.sections[i];
        if (s->type == LULL_ELF_REL && s->info < elf.nsections &&
            strncmp(elf.sections[s->info].name, prefix, sizeof prefix - 1) == 0) {
            convert(&elf, s, &records[i]);
            err = records[i].err;
        }
    }
    err = err != NULL ? err : lull_elf_write(&elf, ret);
    for (size_t i = 0; i < elf.nsections; i++) {
        lull_str_free(&records[i]);
    }
    lull_elf_done(&elf);
    return err;
}
