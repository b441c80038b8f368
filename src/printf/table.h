// SPDX-License-Identifier: MIT
/** @file
 * The format strings of one pipeline or many: made by lowering, kept in PAL metadata or a sidecar,
 * used to decode. docs/formats/format-strings.md.
 */
#ifndef LULL_PRINTF_TABLE_H
#define LULL_PRINTF_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "printf/format.h"

/** What an entry records of its place, behind the arguments, in this order but SITE, which is the
 * first. docs/formats/printf-buffer.md. */
enum lull_printf_record {
    LULL_PRINTF_DISPATCH = 1,  ///< One dword: dword 3 of the buffer's header.
    LULL_PRINTF_WORKGROUP = 2, ///< Three dwords: x, y, z.
    LULL_PRINTF_WAVE = 4,      ///< One dword: number of the wave in its workgroup.
    LULL_PRINTF_LANE = 8,      ///< One dword: number of the lane in its wave.
    LULL_PRINTF_STREAM =
        16,                ///< Not a record, but how the text is meant: lull_printf_string.stream.
    LULL_PRINTF_SITE = 32, ///< One dword: number of the call, of who lowers many modules.
    LULL_PRINTF_PIPELINE = 64, ///< One dword: number of the pipeline, a specialization constant.
    LULL_PRINTF_RECORD_ALL = 111,
};

/** A string with one shape of arguments. */
struct lull_printf_string {
    uint64_t id;      ///< 48 bits, not 0 if lull made it.
    const char *text; ///< Terminated; may hold NULs.
    size_t size;      ///< Bytes of text.
    uint32_t nscalars;
    const uint64_t *mask64;               ///< Bit j % 64 of word j / 64: scalar j has 64 bits.
    size_t nmask;                         ///< Words of mask64 up to the last that is not 0.
    const struct lull_printf_type *types; ///< NULL: only the plain format is known.
    size_t ntypes;
    unsigned records; ///< enum lull_printf_record.
    bool own; ///< lull's lowering writes it: nothing is stored that does not fit, and losses are
              ///< counted.
    bool literal;     ///< An argument of %s, no format.
    bool stream;      ///< C's printf: text goes on where the last ended. Else an entry is a line.
    bool more;        ///< Strings with this id were left out: LULL_PRINTF_MAX_SAME_ID.
    unsigned source;  ///< Number of the document that it was first read from; 0 if it was added.
    uint64_t sources; ///< Bit n - 1: document n has it; of the first 64.
    size_t dwords;    ///< Of an entry: lull_printf_entry_dwords().
    const struct lull_printf_plan *plan; ///< Of its text; NULL: lull_printf_text().
};

/** Dwords of an entry of @p s, with the header: at least 2. In a table it stands in @p s. */
size_t lull_printf_entry_dwords(const struct lull_printf_string *s);

/** Dwords of the records. */
unsigned lull_printf_record_dwords(unsigned records);

struct lull_printf_table;

struct lull_error *lull_printf_table_new(struct lull_printf_table **ret) LULL_MUST_USE;
void lull_printf_table_free(struct lull_printf_table *t);

/**
 * A call of printf: which id its entries shall have.
 *
 * The same text, types and records give the same id. If the id of the text is taken, by another
 * text or another shape, a salted one is made, and a warning says so.
 *
 * @param text Not kept.
 * @param records enum lull_printf_record, also LULL_PRINTF_STREAM.
 * @return LULL_ERR_INVALID if its entries exceed LULL_PRINTF_MAX_DWORDS; LULL_ERR_NO_MEMORY.
 */
struct lull_error *lull_printf_table_add(struct lull_printf_table *t, const char *text, size_t size,
                                         const struct lull_printf_type *types, size_t ntypes,
                                         unsigned records, uint64_t *ret_id) LULL_MUST_USE;

/** A literal argument of %s: the id that its two dwords shall hold. */
struct lull_error *lull_printf_table_add_literal(struct lull_printf_table *t, const char *text,
                                                 size_t size, uint64_t *ret_id) LULL_MUST_USE;

/** Dword offset of the buffer's descriptor table in the user data (".user_data_offset", which newer
 * LLPC writes); -1, the start: none. */
void lull_printf_table_set_user_data_offset(struct lull_printf_table *t, int64_t dwords);
int64_t lull_printf_table_user_data_offset(const struct lull_printf_table *t);

/** Strings in the order they came; @p i is below the count. */
size_t lull_printf_table_count(const struct lull_printf_table *t);
const struct lull_printf_string *lull_printf_table_at(const struct lull_printf_table *t, size_t i);

/** All strings with one id, up to @p room; the return value is their number. */
size_t lull_printf_table_find(const struct lull_printf_table *t, uint64_t id,
                              const struct lull_printf_string **ret, size_t room);

enum { LULL_PRINTF_MAX_SAME_ID = 64 /**< More strings with one id are left out. */ };

/** What was odd, one line each: two strings with one id, two shapes, malformed formats. */
size_t lull_printf_table_warnings(const struct lull_printf_table *t);
const char *lull_printf_table_warning(const struct lull_printf_table *t, size_t i);

/** Name of document @p source, counted from 1. */
const char *lull_printf_table_source(const struct lull_printf_table *t, unsigned source);

/**
 * Add the strings of a MessagePack document (PAL metadata or a sidecar) to the table: a union.
 *
 * Documents without format strings add nothing. Strings that cannot be used are warned of and left
 * out.
 *
 * @param name For warnings; copied.
 * @param[out] ret_count Strings of the document, also those the table has already; may be NULL.
 * @return LULL_ERR_BAD_DATA with the byte if it is malformed; what stands before that is added.
 */
struct lull_error *lull_printf_table_read(struct lull_printf_table *t, const void *data,
                                          size_t size, const char *name,
                                          size_t *ret_count) LULL_MUST_USE;

/** The same for a file: an ELF with NT_AMDGPU_METADATA notes, or a document.
 * LULL_ERR_NOT_FOUND if an ELF has no such note. */
struct lull_error *lull_printf_table_load(struct lull_printf_table *t, const void *data,
                                          size_t size, const char *name,
                                          size_t *ret_count) LULL_MUST_USE;

/** The value of "amdpal.format_strings", sorted by id. */
void lull_printf_table_put_plain(const struct lull_printf_table *t, struct lull_str *to);
/** The value of "lull.format_strings": what the plain format loses. */
void lull_printf_table_put_extra(const struct lull_printf_table *t, struct lull_str *to);
/** A whole document (a sidecar): a map with both. */
void lull_printf_table_document(const struct lull_printf_table *t, struct lull_str *to);

#define LULL_PRINTF_KEY_PLAIN "amdpal.format_strings"
#define LULL_PRINTF_KEY_EXTRA "lull.format_strings"

#endif
