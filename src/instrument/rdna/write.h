// SPDX-License-Identifier: MIT
/** @file
 * Between instrument.c (what is rewritten) and write.c (the code that makes a record). For
 * src/instrument/rdna/ only.
 */
#ifndef LULL_INSTRUMENT_RDNA_WRITE_H
#define LULL_INSTRUMENT_RDNA_WRITE_H

#include "instrument/rdna/emit.h"
#include "instrument/rdna/instrument.h"

enum { LULL_RDNA_SAVED = 4 };

/** Scalar registers that the shader has not got. */
struct lull_rdna_spare {
    unsigned resource;               ///< Four: the descriptor, from the begin on.
    unsigned exec, exec_after;       ///< Two each: EXEC in front of the instruction, behind it.
    unsigned scc;                    ///< As it was.
    unsigned cursor, moved;          ///< Where the record is; the same and some bytes more.
    unsigned wave;                   ///< Its number, from the begin on.
    unsigned saved[LULL_RDNA_SAVED]; ///< Lane 0 of v0 to v3.
};

/** LULL_ERR_UNSUPPORTED: the shader leaves too few. */
struct lull_error *lull_rdna_spare_of(const struct lull_rdna_shader *s,
                                      struct lull_rdna_spare *ret) LULL_MUST_USE;

/** The record of an instruction. */
struct lull_rdna_record {
    uint32_t id, bytes; ///< bytes: set by lull_rdna_write_layout().
    unsigned ndst, nsrc;
    uint16_t dst[LULL_RDNA_VALUES], src[LULL_RDNA_VALUES]; ///< Registers, of struct lull_arch.
    struct lull_rdna_stored dst_at[LULL_RDNA_VALUES], src_at[LULL_RDNA_VALUES];
};

/** Places for its values: scalar sources, vector ones, destinations in the same way. */
void lull_rdna_write_layout(struct lull_rdna_record *r, unsigned lanes);

/** At the begin of the shader: descriptor, number of the wave, and the record @p r, if any. */
void lull_rdna_write_prologue(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                              const struct lull_rdna_instrument *how,
                              const struct lull_rdna_record *r);
void lull_rdna_write_before(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                            const struct lull_rdna_record *r);
void lull_rdna_write_after(struct lull_rdna_emit *e, const struct lull_rdna_spare *spare,
                           const struct lull_rdna_record *r);

#endif
