// SPDX-License-Identifier: MIT
/** @file
 * Machine code of gfx1100 rewritten so that it writes down what its instructions read and write.
 *
 * All of the code is copied to another place, with more code around chosen instructions; where the
 * old code began, it goes to the new one. So no instruction is displaced by a jump into the middle
 * of others, and jumps go where their targets are. docs/formats/rdna-records.md.
 *
 * The code that is added needs 16 scalar registers that the shader has not got (each wave of gfx11
 * has all 106; source: rdna3 3.3) and no vector register: it works in lane 0 of v0 to v3, which it
 * keeps in scalar ones meanwhile, and stores through a descriptor that adds the lane's number. It
 * waits for everything before and behind itself, so that no hazard and no count of what is under
 * way crosses it; EXEC, VCC, M0 and SCC are as they were. s_clause around chosen instructions goes
 * away, s_getpc_b64 gives the old address.
 */
#ifndef LULL_INSTRUMENT_RDNA_INSTRUMENT_H
#define LULL_INSTRUMENT_RDNA_INSTRUMENT_H

#include "instrument/manifest.h"
#include "instrument/rdna/shader.h"

enum {
    LULL_RDNA_RECORDS_AT = 16,  ///< Bytes before the first record.
    LULL_RDNA_HEADER = 16,      ///< Bytes before the values of a record.
    LULL_RDNA_ENTRY_DWORDS = 5, ///< What stands where the old code began.
};

/** A register that is written down with an instruction's sources, although it is none. */
struct lull_rdna_extra {
    uint32_t insn; ///< Its number; it has to be chosen.
    uint16_t reg;  ///< Number of struct lull_arch.
};

struct lull_rdna_instrument {
    uint64_t va;        ///< Where the code is,
    uint64_t to;        ///< and where the new one is going to be; multiples of 4.
    uint64_t buffer;    ///< Its address, a multiple of 16.
    uint32_t room;      ///< Bytes of records in it.
    const bool *chosen; ///< Of each instruction: is it recorded?
    const struct lull_rdna_extra *extra;
    size_t nextra;
    bool compute;     ///< v0 has the ids of the work-item at the begin,
    unsigned id_sgpr; ///< and SGPRs from this one on those of the workgroup
    unsigned ids;     ///< that RSRC2 enables: bits of x, y, z.
};

/** Where a value of a record is. */
struct lull_rdna_stored {
    uint32_t at;         ///< Byte in the record.
    bool vector;         ///< A dword for each lane, else one.
    uint8_t shift, bits; ///< bits not 0: the value is these bits of the dword.
};

/** What a record of an instruction of the manifest looks like. */
struct lull_rdna_layout {
    struct lull_rdna_stored *slots; ///< Owned; as its values in the manifest.
    uint32_t nslots, bytes;
};

struct lull_rdna_instrumented {
    uint32_t *words; ///< Owned: for `to`.
    size_t n;
    uint32_t entry[LULL_RDNA_ENTRY_DWORDS]; ///< For `va`.
    unsigned lanes;
    uint32_t room; ///< Bytes of records in the buffer.
    /** Instruction 0 is not one of the code: "begins", by which each wave says that it does. */
    struct lull_manifest manifest;
    struct lull_rdna_layout *layouts; ///< Owned, as the manifest's instructions.
};

/** LULL_ERR_UNSUPPORTED: the code cannot be rewritten, and why. */
struct lull_error *lull_rdna_instrument(const struct lull_rdna_shader *s,
                                        const struct lull_rdna_instrument *how,
                                        struct lull_rdna_instrumented *ret) LULL_MUST_USE;
void lull_rdna_instrumented_done(struct lull_rdna_instrumented *r);

#endif
