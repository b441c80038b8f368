// SPDX-License-Identifier: MIT
/** @file
 * `lull elf show`: the parts of an ELF file as text and as JSON.
 */
#ifndef LULL_CLI_ELF_SHOW_H
#define LULL_CLI_ELF_SHOW_H

#include "base/arena.h"
#include "base/json.h"
#include "file/elf.h"
#include "file/msgtree.h"

/** A relocation with the section that it changes. */
struct lull_elf_show_reloc {
    struct lull_elf_reloc r;
    uint32_t target; ///< Section.
    uint32_t from;   ///< Section of the record.
    bool with_addend;
    const struct lull_elf_symbol *symbol; ///< NULL: none.
    const char *name;                     ///< Of the symbol, or of its section.
};

struct lull_elf_show {
    const char *path;
    struct lull_elf elf;
    struct lull_elf_symbol *symbols; ///< Of .symtab, else of .dynsym.
    size_t nsymbols;
    struct lull_elf_show_reloc *relocs; ///< By section and offset.
    size_t nrelocs;
    bool json;
    bool no_code;
    struct lull_str out;
    struct lull_json j;
    unsigned faults; ///< Told on stderr.
    struct lull_arena arena;
    const struct lull_msgtree *metadata; ///< Of the first note that has any, in arena.
};

/** Say what is wrong with a part of the file, and go on. Consumes @p err; NULL is allowed. */
void lull_elf_show_fault(struct lull_elf_show *s, struct lull_error *err);

/** Append @p text with everything but plain ASCII as \xNN. */
void lull_elf_show_text(struct lull_str *out, const char *text);

/** Meaning of a relocation in words. */
void lull_elf_show_meaning(const struct lull_elf_show *s, const struct lull_elf_show_reloc *r,
                           struct lull_str *out);

/** "R_AMDGPU_ABS32_LO", or "type 99" in @p buffer. */
const char *lull_elf_show_type(uint32_t type, char buffer[16]);

void lull_elf_show_notes(struct lull_elf_show *s); ///< elf_notes.c
void lull_elf_show_code(struct lull_elf_show *s);  ///< elf_code.c

/** Append a MessagePack tree as YAML: a document without "---" (elf_yaml.c). */
void lull_elf_show_yaml(const struct lull_msgtree *t, struct lull_str *out);
/** The same as JSON. */
void lull_elf_show_tree_json(const struct lull_msgtree *t, struct lull_json *j);

#endif
