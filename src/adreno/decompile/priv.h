// SPDX-License-Identifier: MIT
/** @file
 * What the parts of the decompiler share. For src/adreno/decompile/ only.
 */
#ifndef LULL_ADRENO_DECOMPILE_PRIV_H
#define LULL_ADRENO_DECOMPILE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "file/stream.h"
#include "hw/dom.h"

enum { LULL_DC_OPCODES = 256, LULL_DC_NAME = 48, LULL_DC_STARTS = 16 };

/* names.c */

struct lull_dc_reg {
    const struct lull_dom_reg *reg;
    char *name; ///< "REG_SP_CS_CONFIG"; NULL: another one has that name. Owned.
};

/** Names of one generation. */
struct lull_dc_names {
    unsigned gen;
    struct lull_dom_index *index;
    size_t nregs;
    struct lull_dc_reg *regs;               ///< By address of reg.
    const char *ops[LULL_DC_OPCODES];       ///< As packets are called; NULL: not known.
    const char *op_macros[LULL_DC_OPCODES]; ///< The same if it is one name of one packet.
    const struct lull_dom *op_doms[LULL_DC_OPCODES];
};

struct lull_error *lull_dc_names_new(unsigned gen, struct lull_dc_names **ret) LULL_MUST_USE;
void lull_dc_names_free(struct lull_dc_names *n);
/** The register at @p offset in C: a name, a name with an index, a number. */
void lull_dc_reg_in_c(const struct lull_dc_names *n, uint32_t offset, struct lull_str *out);

/* loops.c */

/** A statement of a function. */
struct lull_dc_statement {
    char *text; ///< With its newline. Owned.
    bool plain; ///< It writes one register, and names no piece.
    uint32_t reg, value;
};

struct lull_dc_statements {
    struct lull_dc_statement *all;
    size_t n, room;
    struct lull_error *err; ///< The first one.
};

/** Append; @p text is taken. */
void lull_dc_add(struct lull_dc_statements *to, struct lull_str *text,
                 const struct lull_dc_statement *as);
/** Write them, those that repeat as loops. */
void lull_dc_write(const struct lull_dc_statements *s, const struct lull_dc_names *names,
                   struct lull_str *out);
void lull_dc_statements_done(struct lull_dc_statements *s);

/* common.c, find.c, code.c */

/** A section of the capture. */
struct lull_dc_section {
    uint32_t type, size;
    bool filler;
    uint8_t *payload; ///< Owned.
    size_t group;     ///< The submit that it belongs to.
    bool buffer;      ///< Contents of a buffer
    uint64_t address; ///< at this address.
    uint64_t stream;  ///< Of a CMDSTREAM_ADDR that names a range: its number.
    bool is_stream;
};

enum lull_dc_state { LULL_DC_FOUND, LULL_DC_BUSY, LULL_DC_DONE };

/** A range that is commands or a shader. */
struct lull_dc_piece {
    size_t group;
    uint64_t address;
    uint32_t dwords;
    bool shader;
    const char *kind; ///< For its name: "stream". A constant.
    enum lull_dc_state state;
    bool written;            ///< It is in the program.
    unsigned height;         ///< Pieces that it names, in a row.
    size_t section;          ///< Whose contents it is in.
    char name[LULL_DC_NAME]; ///< In the program.
};

/** A text that is in the program. */
struct lull_dc_text {
    uint64_t hash;
    uint64_t address;
    uint32_t dwords; ///< Of arrays: bytes.
    bool shader;
    const uint8_t *bytes; ///< Of arrays; borrowed.
    size_t at, size;      ///< Of others: in code.
    char name[LULL_DC_NAME];
};

struct lull_dc {
    int64_t only; ///< Stream; -1: all.
    struct lull_dc_section *sections;
    size_t nsections, sections_room;
    struct lull_dc_piece *pieces; ///< In order of group, address, kind and size.
    size_t npieces, pieces_room;
    size_t *set; ///< Pieces by hash, while they are found; 0: none, else number + 1.
    size_t set_room;
    struct lull_dc_text *texts;
    size_t ntexts, texts_room;
    struct lull_dc_text *arrays;
    size_t narrays, arrays_room;
    unsigned gen;
    struct lull_dc_names *names; ///< Of gen; NULL: the GPU is not known.
    struct lull_str code, data, program;
    struct lull_error *err;

    size_t group; ///< While the capture is read.
    bool had_stream;
    uint64_t streams;
    bool has_range; ///< The last section named a range of a buffer.
    uint64_t range_address;
    uint32_t range_size;
    unsigned nstarts;
    uint32_t starts[LULL_DC_STARTS];      ///< Registers that say where shaders are,
    uint64_t last_starts[LULL_DC_STARTS]; ///< and what they had at the last draw.
};

bool lull_dc_grow(struct lull_dc *d, void *array, size_t n, size_t *room, size_t size);
void lull_dc_fail(struct lull_dc *d, struct lull_error *err);

/** The piece of @p group at @p address, of @p dwords dwords if there are several; NULL: none, or it
 * cannot be one here. It is in the program then, and not deeper than @p depth allows. */
const struct lull_dc_piece *lull_dc_piece_at(struct lull_dc *d, size_t group, uint64_t address,
                                             uint32_t dwords, unsigned depth);

/** The words of @p p, from its section. */
const uint8_t *lull_dc_bytes(const struct lull_dc *d, const struct lull_dc_piece *p);

/** Dword @p i at @p bytes. */
static inline uint32_t lull_dc_word(const uint8_t *bytes, size_t i)
{
    const uint8_t *b = bytes + 4 * i;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

uint64_t lull_dc_hash(uint64_t h, const void *bytes, size_t size);

/** All of the capture, or what -s asks for. */
struct lull_error *lull_dc_read(struct lull_dc *d, struct lull_stream *s) LULL_MUST_USE;

/** Text as a C literal's inside. */
void lull_dc_quote(const char *text, size_t size, struct lull_str *out);

/* data.c */

/** The runs of @p size bytes as an array of C; its name goes to @p name. */
void lull_dc_array(struct lull_dc *d, const uint8_t *bytes, uint32_t size, uint64_t address,
                   char name[LULL_DC_NAME]);

#endif
