// SPDX-License-Identifier: MIT
/** @file
 * Firmware of Adreno's command processors, a5xx to a7xx: disassembler and assembler.
 *
 * A firmware file is a dword that is 0 and the instructions; the first instruction has the
 * firmware's id, and one of 128 dwords per section is the table of packet handlers. a660 and later
 * have further processors' sections after the first (LPAC; BV and LPAC).
 *
 * Source: shared facts on freedreno, section 9 (Mesa 25.0.7 src/freedreno/afuc).
 */
#ifndef LULL_ISA_AFUC_AFUC_H
#define LULL_ISA_AFUC_AFUC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum { LULL_AFUC_TABLE = 0x80, LULL_AFUC_SECTIONS = 3 };

struct lull_afuc_section {
    const char *name; ///< NULL: the first.
    uint32_t start;   ///< In instructions.
    uint32_t size;
    uint32_t table; ///< Of the packet handlers, from start; size: there is none.
};

/** A firmware and what is known of its processor. */
struct lull_afuc {
    const uint32_t *words; ///< Instructions, in host order. Borrowed.
    uint32_t n;
    uint32_t version; ///< The first instruction.
    uint32_t id;      ///< Firmware id; 0: not known.
    unsigned gen;     ///< 5 to 7.
    const char *gpu;  ///< "A630".
    unsigned nsections;
    struct lull_afuc_section sections[LULL_AFUC_SECTIONS];
};

/**
 * Look at a firmware of @p n dwords, the first (0) not among them.
 *
 * @param id Firmware id to use; 0: what the file says.
 * @return LULL_ERR_BAD_DATA: too short, or an id that is not known.
 */
struct lull_error *lull_afuc_open(const uint32_t *words, uint32_t n, uint32_t id,
                                  struct lull_afuc *ret) LULL_MUST_USE;

/** Text of the whole firmware. @p addresses: with address and word before each instruction. */
void lull_afuc_disasm(const struct lull_afuc *fw, bool addresses, struct lull_str *out);

/**
 * Assemble what lull_afuc_disasm() or a person wrote.
 *
 * @param[out] ret The file: a dword 0 and the instructions; free() it. @param[out] ret_n Dwords.
 * @return LULL_ERR_INVALID: a line, with its number.
 */
struct lull_error *lull_afuc_assemble(const char *text, uint32_t **ret,
                                      uint32_t *ret_n) LULL_MUST_USE;

#endif
