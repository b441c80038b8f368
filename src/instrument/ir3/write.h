// SPDX-License-Identifier: MIT
/** @file
 * Between instrument.c (what is rewritten) and write.c (the code that makes a record). For
 * src/instrument/ir3/ only.
 */
#ifndef LULL_INSTRUMENT_IR3_WRITE_H
#define LULL_INSTRUMENT_IR3_WRITE_H

#include "instrument/ir3/instrument.h"

enum {
    LULL_IR3_NONE = -1,
    LULL_IR3_DATA = 4,
    LULL_IR3_MOST_RECORD = 8 + 4 * 2 * LULL_IR3_VALUES, ///< Bytes.
};

/** A value that the code keeps from the begin of the shader to its end. */
struct lull_ir3_kept {
    bool used;
    int reg;       ///< A full register; LULL_IR3_NONE: in private memory,
    uint32_t slot; ///< there.
};

/** Registers for the code around an instruction. */
struct lull_ir3_spare {
    int address; ///< Two.
    int data;    ///< Up to four,
    unsigned ndata;
    int spill; ///< With the address of what is kept in private memory; or LULL_IR3_NONE.
};

/** The text that is being written. */
struct lull_ir3_recorder {
    const struct lull_ir3_instrument *how;
    struct lull_ir3_flow flow;
    struct lull_str text;
    size_t lines; ///< Instructions in text.
    struct lull_ir3_kept id, mask, shadow[4];
    struct lull_ir3_kept slice; ///< Its address, the low half; not used: there are none.
    struct lull_ir3_kept end;   ///< Bytes of the invocation's records so far.
    uint32_t nslices;           ///< The slice with this number is for all that get none.
    uint32_t spills;            ///< Where registers are kept in private memory.
    bool spilled;
    unsigned slots; ///< That everything waits for.
};

/** What the record of an instruction has. */
struct lull_ir3_record {
    uint32_t id;
    unsigned ndst, nsrc;
    struct lull_ir3_value dst[LULL_IR3_VALUES], src[LULL_IR3_VALUES];
};

/** How many slots the code waits: the most of data/isa/ir3.haz for @p gen. */
unsigned lull_ir3_write_slots(unsigned gen);

/** At the begin of the shader: the invocation's number; which are recorded, in w->mask. */
void lull_ir3_write_prologue(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                             bool joins);
/** Wait for everything before. */
void lull_ir3_write_wait(struct lull_ir3_recorder *w, bool joins);
/** The same as the comparison @p text makes, which writes predicate @p pred, into its shadow. */
void lull_ir3_write_shadow(struct lull_ir3_recorder *w, const char *text, unsigned pred);
void lull_ir3_write_before(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                           const struct lull_ir3_record *r);
void lull_ir3_write_after(struct lull_ir3_recorder *w, const struct lull_ir3_spare *spare,
                          const struct lull_ir3_record *r);

#endif
