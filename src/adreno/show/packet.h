// SPDX-License-Identifier: MIT
/** @file
 * One packet, or one register, in the words of `lull rd show`, wherever they come from.
 */
#ifndef LULL_ADRENO_SHOW_PACKET_H
#define LULL_ADRENO_SHOW_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/str.h"

struct lull_packet_words;

/** @p gen: of the GPU, 2 to 7. */
struct lull_error *lull_packet_words_new(unsigned gen,
                                         struct lull_packet_words **ret) LULL_MUST_USE;
void lull_packet_words_free(struct lull_packet_words *w);

/** Addresses that lie in it are shown as its bytes; lull_packet_words_forget() before all are given
 * anew. */
struct lull_error *lull_packet_words_buffer(struct lull_packet_words *w, uint64_t address,
                                            uint64_t size) LULL_MUST_USE;
void lull_packet_words_forget(struct lull_packet_words *w);

/** "CP_BLIT  OP = BLIT_OP_SCALE", "RB_CNTL = { ... }", "write 2 registers from X". @p words: header
 * and @p n - 1 dwords; 0: none are there. */
void lull_packet_words_show(struct lull_packet_words *w, const uint32_t *words, uint32_t n,
                            struct lull_str *out);
/** Dwords of the packet with that header; 0: it is not one. */
uint32_t lull_packet_words_size(const struct lull_packet_words *w, uint32_t header);
/** The opcode called @p name. */
bool lull_packet_words_op(const struct lull_packet_words *w, const char *name, uint32_t *ret);

/** The register called @p name, by its dword offset. */
bool lull_packet_words_find(const struct lull_packet_words *w, const char *name, uint32_t *ret);
/** A register of that address, of which @p ret_wide has two dwords. False: nobody knows one there.
 */
bool lull_packet_words_reg(const struct lull_packet_words *w, uint32_t reg, bool *ret_wide,
                           struct lull_str *name);
/** What it says. */
void lull_packet_words_value(struct lull_packet_words *w, uint32_t reg, uint64_t value,
                             struct lull_str *out);

/** Which packet somebody means: "0x100042000", "12", "CP_BLIT", "RB_CNTL", each also behind
 * "STREAM:", the number of a command stream. */
enum lull_packet_place_by {
    LULL_PACKET_PLACE_AT,     ///< Its address.
    LULL_PACKET_PLACE_OP,     ///< Its opcode.
    LULL_PACKET_PLACE_REG,    ///< It writes that register.
    LULL_PACKET_PLACE_NUMBER, ///< Its number in the stream, from 0, in the order of execution.
};

struct lull_packet_place {
    enum lull_packet_place_by by;
    bool any_stream; ///< No stream is named.
    uint64_t value, stream;
};

/** LULL_ERR_INVALID: it is none of these. */
struct lull_error *lull_packet_words_place(const struct lull_packet_words *w, const char *text,
                                           struct lull_packet_place *ret) LULL_MUST_USE;

enum lull_packet_reg_state {
    LULL_PACKET_REG_NEVER,
    LULL_PACKET_REG_KNOWN,
    LULL_PACKET_REG_UNKNOWN
};

/** A register as it is, with its second dword if it is wide. */
struct lull_packet_reg {
    uint32_t number;
    bool wide;
    enum lull_packet_reg_state state[2];
    uint32_t value[2];
};

/** A line "NAME = what it says", and an object if @p json. */
void lull_packet_words_register(struct lull_packet_words *w, const struct lull_packet_reg *reg,
                                struct lull_str *out, struct lull_json *json);

enum { LULL_PACKET_WORDS_REGS = 0x40000 }; ///< Registers have addresses below it.

#endif
