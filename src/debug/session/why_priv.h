// SPDX-License-Identifier: MIT
/** @file
 * Between the walk (why.c), looking for who wrote a place (why_search.c), and what each instruction
 * set has of its own (why_rdna.c, why_ir3.c). For src/debug/session only.
 */
#ifndef LULL_DEBUG_SESSION_WHY_PRIV_H
#define LULL_DEBUG_SESSION_WHY_PRIV_H

#include "arch/arch.h"
#include "debug/rdna/access.h"
#include "debug/session/engine.h"
#include "debug/session/why.h"

enum { LULL_WHY_DWORD = 4, LULL_WHY_OPERANDS = 96, LULL_WHY_PIECES = 32 };

/** An instruction in front of which its wave stands. */
struct lull_why_insn {
    struct lull_debug *d;
    const struct lull_debug_wave *w;
    struct lull_insn_room room;
    struct lull_access
        a; ///< Where it goes by address, if `known`; of registers the arch knows more.
    bool known;
};

/** A register of a lane that an instruction reads. */
struct lull_why_operand {
    const struct lull_debug_wave *w;
    unsigned reg, lane;
};

struct lull_why_operands {
    unsigned n;
    struct lull_why_operand of[LULL_WHY_OPERANDS];
    const char *note; ///< Static: why one of them is not there. NULL: all are.
};

/** Bytes that a lane moves between a register and memory. */
struct lull_why_piece {
    enum lull_why_where where;
    bool known;   ///< Where.
    bool outside; ///< The descriptor keeps it out.
    uint64_t address;
    unsigned size, reg; ///< reg LULL_ARCH_NO_REG: none.
};

struct lull_why_pieces {
    unsigned n;
    struct lull_why_piece of[LULL_WHY_PIECES];
};

/** What is an instruction set's own. Registers have the numbers of its struct lull_arch. */
struct lull_why_vendor {
    /** Where the target has register @p reg of @p lane. @return Its bits. */
    uint64_t (*place)(unsigned reg, unsigned lane, struct lull_wave_reg *ret);
    /** Which register @p reg is. */
    unsigned (*number)(const struct lull_wave_reg *reg);
    /** Bytes that it has, 1 to 4. */
    unsigned (*size)(unsigned reg);
    /** It holds bits or one value for all lanes: it is shown as an integer. */
    bool (*is_mask)(unsigned reg);
    /** All waves have it: who wrote it is looked for in all. NULL: there are none. */
    bool (*is_common)(unsigned reg);
    /** Does the instruction write (a part of) register @p reg of @p lane, with lanes @p exec on? */
    bool (*writes)(const struct lull_insn *in, unsigned reg, unsigned lane, uint64_t exec);
    /** It writes a register that is chosen at run time. */
    bool (*chooses)(const struct lull_insn *in);
    /** Its result is one of its operands. */
    bool (*moves)(const struct lull_insn *in);
    bool (*is_float)(const struct lull_insn *in);
    /** It looks at other lanes: what it gives is no matter of addresses. */
    bool (*crosses)(const struct lull_insn *in);
    /** Does it decide who goes on, by what it reads? NULL: a register holds who is on. */
    bool (*decides)(const struct lull_insn *in);
    /** What it reads to make register @p reg of @p lane. */
    void (*operands)(const struct lull_why_insn *i, unsigned reg, unsigned lane,
                     struct lull_why_operands *ret);
    /** What it reads to know where @p lane goes in memory. */
    void (*address)(const struct lull_why_insn *i, unsigned lane, struct lull_why_operands *ret);
    /** Who is on, if a register holds it; NULL: none does. */
    unsigned (*exec)(unsigned lane);
    /** What @p lane moves. @p load: into registers; else out of them. */
    void (*pieces)(const struct lull_why_insn *i, unsigned lane, bool load,
                   struct lull_why_pieces *ret);
    /** Have the two a part in common? */
    bool (*meet)(unsigned a, unsigned b);
    /** Text in place of "the wave started with it"; NULL: that. */
    const char *(*start)(unsigned reg);
};

extern const struct lull_why_vendor lull_why_rdna, lull_why_ir3;

/* why_lists.c */

/** One more, unless it is there, or there are too many. */
void lull_why_operand(struct lull_why_operands *o, const struct lull_debug_wave *w, unsigned reg,
                      unsigned lane);
/** One more, unless there are too many. */
void lull_why_piece(struct lull_why_pieces *p, const struct lull_why_piece *piece);

/** What one wave executed, kept for the next question. */
struct lull_why_trace {
    struct lull_travel_wave who;
    uint64_t until, from; ///< All of it between these times is there.
    size_t n;
    struct lull_found *found; ///< Owned.
};

enum { LULL_WHY_TRACES = 4, LULL_WHY_CODES = 512 };

/** An instruction that was decoded. */
struct lull_why_code {
    uint64_t pc;
    bool there, good; ///< there: it has been looked at; good: it is an instruction.
    struct lull_insn_room room;
};

struct lull_why_search {
    struct lull_debug *d;
    const struct lull_why_vendor *vendor;
    uint64_t first; ///< The earliest time that is remembered.
    struct lull_why_trace traces[LULL_WHY_TRACES];
    unsigned next;
    struct lull_found *found;    ///< Owned: room for a search.
    struct lull_why_code *codes; ///< Owned: LULL_WHY_CODES.
};

struct lull_error *lull_why_search_begin(struct lull_why_search *s, struct lull_debug *d,
                                         const struct lull_why_vendor *vendor) LULL_MUST_USE;
void lull_why_search_done(struct lull_why_search *s);
/** Who wrote @p p last before @p until. False in @p ret_is: nobody that is remembered. */
struct lull_error *lull_why_writer(struct lull_why_search *s, const struct lull_why_place *p,
                                   uint64_t until, struct lull_found *ret,
                                   bool *ret_is) LULL_MUST_USE;
/** What decided last before @p until that @p lane of @p who goes on; the same. */
struct lull_error *lull_why_decider(struct lull_why_search *s, const struct lull_travel_wave *who,
                                    unsigned lane, uint64_t until, struct lull_found *ret,
                                    bool *ret_is) LULL_MUST_USE;

/* why.c */

/** The place that @p text is, in the focused lane. */
struct lull_error *lull_why_find_place(struct lull_debug *d, const char *text,
                                       struct lull_why_place *p) LULL_MUST_USE;

/* why_lanes.c */

struct lull_rdna_insn;

/** Whose register an instruction of gfx1100 reads for what a lane gets. */
struct lull_why_lane {
    bool crosses;  ///< It looks at other lanes.
    bool needs_on; ///< A lane that is off gives 0.
    int from;      ///< -1: none, or not known.
    unsigned reg;  ///< The operand that comes from there.
};

struct lull_why_lane lull_why_lane(struct lull_debug *d, const struct lull_debug_wave *w,
                                   const struct lull_rdna_insn *in, unsigned lane);
/** By DPP, its masks, or a source that is not there, the lane keeps what it had. */
bool lull_why_dpp_keeps(const struct lull_rdna_insn *in, unsigned lane, uint64_t exec);

#endif
