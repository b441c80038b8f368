// SPDX-License-Identifier: MIT
/** @file
 * What the parts of the check know of each other. For src/adreno/lint/ only.
 */
#ifndef LULL_ADRENO_LINT_LINT_PRIV_H
#define LULL_ADRENO_LINT_LINT_PRIV_H

#include "adreno/lint/lint.h"
#include "hw/stale.h"

/** Who wrote a register last. */
struct lull_lint_writer {
    uint64_t address; ///< Of the packet.
    uint32_t submit;  ///< Counted from 1; 0: nobody wrote it.
    uint32_t serial;  ///< Of the group.
    uint8_t group;    ///< Its number and 1; 0: none.
};

enum lull_lint_writer_kind { LULL_LINT_COLOR, LULL_LINT_DEPTH, LULL_LINT_SHADER };

/** Memory that was written, and is not there yet for everybody. */
struct lull_lint_dirty {
    enum lull_lint_writer_kind kind;
    uint64_t address, size; ///< In bytes.
    uint64_t packet;        ///< Address of the packet that wrote it.
    const char *name;       ///< Of that packet.
    unsigned has;           ///< What has happened since: bits of caches.c.
    bool told;
};

enum { LULL_LINT_DIRTY = 256, LULL_LINT_MEND = 96 };

struct lull_lint {
    const struct lull_lint_sink *sink;
    const struct lull_stale *facts; ///< NULL: nothing is known of this generation.
    unsigned gen;                   ///< That they are of.
    uint64_t findings;
    uint32_t submit; ///< Counted from 1.
    struct lull_lint_writer writers[LULL_CAP_REGS];
    uint32_t serials[LULL_CAP_GROUPS]; ///< How often each group was set or taken away.
    uint64_t told[LULL_LINT_RULES][LULL_CAP_REGS / 64]; ///< In this submit.
    uint64_t busy;         ///< Address of work that may be under way; 0: none.
    const char *busy_name; ///< Of its packet.
    unsigned ndirty;
    struct lull_lint_dirty dirty[LULL_LINT_DIRTY];
    char mend[LULL_LINT_MEND];
};

/* found.c */

/** Tell of @p f, whose rule, cause and register or memory are filled in, unless this register was
 * told. */
void lull_lint_tell(struct lull_lint *l, struct lull_cap *c, struct lull_lint_finding *f);

/* registers.c */

/** A register is written. @p changes: maybe another value than it has. */
void lull_lint_write(struct lull_lint *l, struct lull_cap *c, uint32_t reg, bool changes);
void lull_lint_group(struct lull_lint *l, unsigned id, enum lull_as_group_what what);
/** What a draw of a capture is, bits of enum lull_stale_work; 0: nothing is known of what it reads.
 */
unsigned lull_lint_work(const struct lull_cap *c, const struct lull_cap_draw *d);
void lull_lint_reads(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d,
                     unsigned work);

/* caches.c */

/** What a draw reads and writes of memory. */
void lull_lint_memory(struct lull_lint *l, struct lull_cap *c, const struct lull_cap_draw *d);
void lull_lint_event(struct lull_lint *l, const struct lull_cap *c, uint32_t number);
void lull_lint_idle(struct lull_lint *l);
/** The CP reads a dword of memory, past all caches. */
void lull_lint_cp_reads(struct lull_lint *l, struct lull_cap *c, uint64_t address);

#endif
