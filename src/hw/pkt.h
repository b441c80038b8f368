// SPDX-License-Identifier: MIT
/** @file
 * Look-up of command packets by opcode and printing of their dwords.
 *
 * The tables are made from data/pkt/ by gen/pkt.py, which also writes the
 * header with the numbers: cmd/pm4_amd_pkts.h declares lull_pkts_pm4_amd and
 * defines LULL_PM4_WRITE_DATA (opcode), LULL_PM4_WRITE_DATA_DST_LO (index of a
 * dword after the header), LULL_PM4_WRITE_DATA_CONTROL__DST_SEL_MASK ...
 * All tables are constant; any thread may read them.
 */
#ifndef LULL_HW_PKT_H
#define LULL_HW_PKT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/field.h"
#include "hw/reg.h"

enum {
    LULL_PKT_WHEN_SIZE =
        255, ///< lull_pkt_word.when_word: the condition is about the packet's size.
};

/** A dword of a packet's body. Of several with one index the first whose condition holds is meant.
 */
struct lull_pkt_word {
    const char *name;
    uint8_t index;     ///< Dwords after the header.
    uint8_t repeats;   ///< 1: this and all dwords after it.
    uint8_t registers; ///< 1: values of consecutive registers, from the packet's register field on.
    uint8_t when_word;
    uint32_t when_mask;   ///< Field of dword when_word that must have one of
    uint32_t when_values; ///< these values, as bits; 0: no condition.
    uint8_t nfields;
    const struct lull_field *fields;
};

struct lull_pkt {
    const char *name;
    const char *source;
    uint16_t opcode;
    uint16_t gens;       ///< Bit g: it is so in generation g of the table.
    int16_t least, most; ///< Dwords after the header; most -1: no limit.
    uint8_t nwords;
    const struct lull_pkt_word *words;
};

struct lull_pkt_db {
    const char *prefix;
    uint16_t ngens, npackets, nheader;
    const char *const *gens;
    const struct lull_field *header; ///< Fields of the header dword.
    const struct lull_pkt *packets;  ///< Sorted by opcode.
};

/** Packet with @p opcode in generation @p gen (an index of db->gens); NULL if there is none. */
const struct lull_pkt *lull_pkt_by_opcode(const struct lull_pkt_db *db, unsigned gen,
                                          uint32_t opcode);

/** Packet called @p name, in any case of letters; NULL if there is none. */
const struct lull_pkt *lull_pkt_named(const struct lull_pkt_db *db, unsigned gen, const char *name);

/** May @p pkt have @p nbody dwords after its header? */
bool lull_pkt_size_ok(const struct lull_pkt *pkt, size_t nbody);

/** What dword @p index of this packet is; NULL if the table does not say. */
const struct lull_pkt_word *lull_pkt_word_at(const struct lull_pkt *pkt, const uint32_t *body,
                                             size_t nbody, size_t index);

/**
 * Byte offset of the register whose value dword @p index of this packet is.
 * @return False if the dword is not a register's value.
 */
bool lull_pkt_register(const struct lull_pkt *pkt, const uint32_t *body, size_t nbody, size_t index,
                       uint32_t *ret);

/**
 * One dword as a line without its end: "DST_LO 0x00001000 ADDR=0x1000", or for
 * a register's value its name and fields.
 *
 * @param regs Where registers are named, generation @p gen of it; NULL: by number.
 */
void lull_pkt_show_word(const struct lull_pkt *pkt, const uint32_t *body, size_t nbody,
                        size_t index, const struct lull_reg_db *regs, unsigned gen,
                        struct lull_str *s);

#endif
