// SPDX-License-Identifier: MIT
/** @file
 * The linker's insides: inputs, output sections, symbols, and the steps in the order in which
 * link.c takes them.
 */
#ifndef LULL_LINK_LINK_PRIV_H
#define LULL_LINK_LINK_PRIV_H

#include "file/elf.h"
#include "file/msgtree.h"
#include "link/link.h"

struct lull_printf_table;

enum {
    LULL_LINK_NOTE_ISA = 11,      ///< Owner "AMD": name of the target.
    LULL_LINK_NOTE_LEGACY = 12,   ///< Owner "AMD": PAL metadata as a list of registers.
    LULL_LINK_NOTE_METADATA = 32, ///< Owner "AMDGPU": MessagePack.
};

/** A section of an input, and where it went. */
struct lull_link_piece {
    uint32_t out;    ///< Index in linker.outs, or LULL_LINK_DROPPED.
    uint64_t offset; ///< In that section.
    uint64_t size;   ///< Bytes of it that were taken.
};

static const uint32_t LULL_LINK_DROPPED = UINT32_MAX;

struct lull_link_file {
    const char *name;
    enum lull_link_glue glue;
    const char *stem; ///< name without folder and extension.
    uint32_t stages;  ///< LULL_STAGE_* that its hardware stages may be; 0: not known.
    struct lull_elf elf;
    const struct lull_elf_section *symtab; ///< NULL: none.
    struct lull_elf_symbol *symbols;
    size_t nsymbols;
    struct lull_link_piece *pieces; ///< By section.
    uint32_t *out_symbols;          ///< By symbol: index in linker.symbols + 1, or 0.
};

/** A section of the result. */
struct lull_link_out {
    const char *name;
    uint32_t type;
    uint64_t flags, align, entsize;
    struct lull_str data;
    uint64_t size; ///< Of LULL_ELF_NOBITS.
    struct lull_str
        relocs[2]; ///< Records that are kept: REL, RELA; symbols are numbers in linker.symbols.
};

struct lull_link_symbol {
    const char *name;
    struct lull_elf_symbol s; ///< section: index in linker.outs.
    uint32_t final;           ///< Index in the table that is written.
    const char *file;         ///< Where it is defined.
};

/** A relocation in code that got a number: what folding looks at. */
struct lull_link_site {
    uint64_t offset; ///< In .text of the result.
    uint32_t value;  ///< The word that is written there.
    const char *symbol, *file;
};

/** A line of a listing. */
struct lull_link_line {
    const char *text; ///< Up to the line's end; NULL: no instruction begins there.
    uint32_t size;    ///< Bytes.
};

struct lull_linker {
    const struct lull_layout *layout;
    struct lull_link_options options;
    struct lull_link_result *result;
    struct lull_arena *arena; ///< That of the result.
    struct lull_link_file *files;
    size_t nfiles;
    struct lull_link_out *outs; ///< 0 is .text.
    uint32_t nouts;
    struct lull_link_symbol *symbols;
    uint32_t nsymbols, symbol_room;
    uint32_t *by_name; ///< Hash table of indices in symbols + 1.
    uint32_t name_room;
    struct lull_link_site *sites;
    size_t nsites, site_room;
    struct lull_link_decision *decisions;
    size_t decision_room;
    const char **warnings;
    size_t warning_room;
    unsigned gfx;            ///< Major version: 11 of gfx1100; 0 if the processor is not known.
    struct lull_str listing; ///< Of .text, where lull has no decoder for it.
    struct lull_link_line *lines; ///< By dword of .text; NULL: there is no listing.
    uint32_t spill_threshold;
    struct lull_msgtree *metadata; ///< NULL: no input has any.
    struct lull_cur target;        ///< Contents of the note that names the target.
    const char *target_file;       ///< Whose it is; NULL: there is none.
    struct lull_str other_notes;   ///< Encoded: notes of other owners.
    struct lull_printf_table *strings;
    bool extra_strings;         ///< Some file has lull.format_strings.
    struct lull_str encoded[2]; ///< Values of the keys of format strings.
};

/** Keep a decision, if they are asked for. */
void lull_link_note(struct lull_linker *l, const char *kind, const char *file, const char *subject,
                    uint64_t value, const char *fmt, ...) LULL_PRINTF(6, 7);
void lull_link_warn(struct lull_linker *l, const char *fmt, ...) LULL_PRINTF(2, 3);

/** @p count elements of @p size bytes, with room for one more; *room is in elements. NULL: no
 * memory. */
void *lull_link_grow(void *array, size_t count, size_t size, size_t *room);

/** Parse the inputs and see that they belong together (inputs.c). */
struct lull_error *lull_link_read_inputs(struct lull_linker *l, const struct lull_link_input *in,
                                         size_t n) LULL_MUST_USE;
/** Major version of the GPU that ELF flags name: 11 of gfx1100; 0: not known (inputs.c). */
unsigned lull_link_generation(uint32_t flags);
/** The pipeline in the metadata of @p elf, in @p a; *ret stays as it is if there is none
 * (inputs.c). */
struct lull_error *lull_link_pipeline(struct lull_arena *a, const struct lull_elf *elf,
                                      struct lull_msgtree **ret) LULL_MUST_USE;
/** Stages of hardware stage @p key (".gs") of @p pipeline; fewer than it may have, if @p pipeline
 * says which shaders it has (inputs.c). */
uint32_t lull_link_stages(const struct lull_msgtree *pipeline, const struct lull_msgpack *key);
/** Place sections (sections.c). */
struct lull_error *lull_link_place(struct lull_linker *l) LULL_MUST_USE;
/** Behind the code: what the instruction cache may read ahead. */
void lull_link_pad_code(struct lull_linker *l);
/** Take global symbols and local functions (symbols.c). */
struct lull_error *lull_link_take_symbols(struct lull_linker *l) LULL_MUST_USE;
/** Global symbol of that name; NULL if there is none. */
struct lull_link_symbol *lull_link_global(const struct lull_linker *l, const char *name);
/** Index in linker.symbols for symbol @p i of @p f, made if it is needed. */
struct lull_error *lull_link_symbol_for(struct lull_linker *l, struct lull_link_file *f, uint32_t i,
                                        uint32_t *ret) LULL_MUST_USE;
/** Resolve or keep each relocation (relocs.c). */
struct lull_error *lull_link_relocate(struct lull_linker *l) LULL_MUST_USE;
/** Does the file at @p i have a fetch part in front, or an export part behind it? */
bool lull_link_is_fetched(const struct lull_linker *l, const struct lull_link_file *f);
bool lull_link_is_exported(const struct lull_linker *l, const struct lull_link_file *f);
/** Glue touches its shader: make one function of both (join.c). */
struct lull_error *lull_link_join(struct lull_linker *l) LULL_MUST_USE;
/** Leave of the metadata of glue what adds to its shader's, and name the entry (join.c). */
void lull_link_trim(const struct lull_linker *l, const struct lull_link_file *f,
                    struct lull_msgtree *pipeline);
/** Have the code listed, if lull has no decoder for it (lines.c). */
struct lull_error *lull_link_list_code(struct lull_linker *l) LULL_MUST_USE;
/** Each entry of a stage ends (code.c). */
struct lull_error *lull_link_check_ends(struct lull_linker *l) LULL_MUST_USE;
/** Make immediates of offsets (fold.c). */
struct lull_error *lull_link_fold(struct lull_linker *l) LULL_MUST_USE;
/** Merge notes (metadata.c). */
struct lull_error *lull_link_merge_metadata(struct lull_linker *l) LULL_MUST_USE;
/** Take the format strings out of a document (strings.c), and put those of all into the metadata.
 */
struct lull_error *lull_link_read_strings(struct lull_linker *l, const char *file,
                                          const struct lull_elf_note *note,
                                          struct lull_msgtree *doc) LULL_MUST_USE;
struct lull_error *lull_link_put_strings(struct lull_linker *l) LULL_MUST_USE;
/** Merge tree @p from of @p file into @p to, key by key. */
struct lull_error *lull_link_merge_tree(struct lull_linker *l, const char *file,
                                        struct lull_msgtree *to,
                                        struct lull_msgtree *from) LULL_MUST_USE;
/** User-data registers, spill threshold, user-data limit (userdata.c). */
struct lull_error *lull_link_fix_user_data(struct lull_linker *l) LULL_MUST_USE;
/** Which output of the shaders before each input of the pixel shader is (interface.c). */
struct lull_error *lull_link_match_interface(struct lull_linker *l) LULL_MUST_USE;
/** How many vertices of a patch come in, of pipelines that tessellate (interface.c). */
struct lull_error *lull_link_set_patch(struct lull_linker *l) LULL_MUST_USE;
/** Do primitives go to the layers of views, if the layout draws views? */
struct lull_error *lull_link_check_views(struct lull_linker *l) LULL_MUST_USE;
/** The file (write.c). */
struct lull_error *lull_link_write(struct lull_linker *l) LULL_MUST_USE;

/** The table that number @p n of "descset_" and of user data means; NULL if there is none. */
const struct lull_layout_node *lull_link_set_table(const struct lull_layout *layout,
                                                   uint32_t stages, uint32_t n);

#endif
