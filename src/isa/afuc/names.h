// SPDX-License-Identifier: MIT
/** @file
 * Names in firmware: registers of the command processor, packets. For src/isa/afuc/ only.
 */
#ifndef LULL_ISA_AFUC_NAMES_H
#define LULL_ISA_AFUC_NAMES_H

#include "hw/dom.h"
#include "isa/afuc/afuc.h"

enum lull_afuc_space {
    LULL_AFUC_CONTROL, ///< @NAME
    LULL_AFUC_SQE,     ///< %NAME
    LULL_AFUC_PIPE,    ///< |NAME
    LULL_AFUC_GPU,
};

/** The control registers' domain of firmware @p id; NULL: the id is not known. */
const struct lull_dom *lull_afuc_control(uint32_t id);
const char *lull_afuc_gpu_name(uint32_t id);

/** Add the name of a register; false: it has none, and nothing is added. */
bool lull_afuc_reg_name(uint32_t id, unsigned gen, enum lull_afuc_space space, uint32_t offset,
                        struct lull_str *out);

/** Register called @p name, @p size long, "+N" at its end counted. */
bool lull_afuc_reg_find(uint32_t id, unsigned gen, enum lull_afuc_space space, const char *name,
                        size_t size, uint32_t *ret);

/** "CP_NOP", or "UNKN9". */
void lull_afuc_packet_name(unsigned gen, unsigned opcode, struct lull_str *out);

#endif
