// SPDX-License-Identifier: MIT
/** @file
 * What debugger, checks and commands may know of a GPU's instruction set: registers by name and
 * number, instructions as opaque handles with what they do to control flow, registers and memory.
 *
 * One file for each instruction set says all of it (rdna.c, ir3.c); arch.c has the list. Tables are
 * constant: any thread may use them.
 */
#ifndef LULL_ARCH_ARCH_H
#define LULL_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/** A decoded instruction: only its arch knows what is in it. */
struct lull_insn;

enum { LULL_INSN_BYTES = 256, LULL_ARCH_MAX_USES = 48, LULL_ARCH_NO_REG = 0xffff };

/** Room for a decoded instruction of any arch. Plain data: copy it freely. */
struct lull_insn_room {
    _Alignas(8) unsigned char bytes[LULL_INSN_BYTES];
};

/** What was decoded into @p room. */
static inline const struct lull_insn *lull_insn_in(const struct lull_insn_room *room)
{
    return (const struct lull_insn *)(const void *)room->bytes;
}

enum lull_arch_group {
    LULL_REGS_SCALAR, ///< One value for all lanes.
    LULL_REGS_VECTOR, ///< A value for each lane.
    LULL_REGS_SPECIAL,
};

/** Registers whose names are one word and a number ("v5"), or with fields a vector ("r1.x"). */
struct lull_arch_bank {
    const char *name;
    enum lull_arch_group group;
    uint16_t first, count; ///< Numbers.
    uint8_t bits;          ///< Of one register; in a lane, if it is per lane.
    bool per_lane;
    bool xyzw; ///< Four numbers to a name: "r1.x" is number 4 of the bank.
};

/** A register with a name of its own, or several with one name. */
struct lull_arch_name {
    const char *name;
    uint16_t first;
    uint8_t count;
    uint8_t bits; ///< Of each.
    bool per_lane;
};

/** What a name of a register means. */
struct lull_arch_reg {
    enum lull_arch_group group;
    uint16_t number; ///< The first; names of single registers are unique.
    uint8_t count;
    uint8_t bits; ///< Of each.
    bool per_lane;
};

/** How control goes on. */
enum lull_flow_kind {
    LULL_FLOW_NEXT,   ///< To the next instruction.
    LULL_FLOW_JUMP,   ///< Elsewhere.
    LULL_FLOW_BRANCH, ///< Elsewhere or to the next.
    LULL_FLOW_CALL,   ///< Elsewhere, and the address behind it is kept to come back to.
    LULL_FLOW_RETURN, ///< To an address that registers or the call stack hold.
    LULL_FLOW_TRAP,   ///< Into the trap handler, which may come back.
    LULL_FLOW_END,    ///< The program ends.
    LULL_FLOW_PAD,    ///< What fills up behind a program.
};

struct lull_flow {
    enum lull_flow_kind kind;
    bool known;      ///< JUMP, BRANCH, CALL: the instruction says where to.
    uint64_t target; ///< If known.
    bool barrier;    ///< Waits for the other waves of the workgroup.
    bool lets_go;    ///< May give registers back, in front of the end: they can be read till here.
};

/** A run of registers. What is read and written stands in two entries. */
struct lull_arch_use {
    uint16_t reg;
    uint8_t count;
    bool write;   ///< Otherwise it is read.
    bool implied; ///< The text does not name it.
};

/** Which memory an instruction goes to. */
enum lull_memory_kind {
    LULL_MEMORY_NONE,
    LULL_MEMORY_GLOBAL,   ///< By address.
    LULL_MEMORY_FLAT,     ///< By address, which may name LDS or scratch, too.
    LULL_MEMORY_SCALAR,   ///< By address, one for all lanes.
    LULL_MEMORY_BUFFER,   ///< Through a descriptor.
    LULL_MEMORY_IMAGE,    ///< Through a descriptor, by coordinates.
    LULL_MEMORY_LOCAL,    ///< The workgroup's.
    LULL_MEMORY_PRIVATE,  ///< The lane's: scratch.
    LULL_MEMORY_CONSTANT, ///< The file of constants.
};

struct lull_insn_memory {
    enum lull_memory_kind kind;
    bool reads, writes; ///< Both: atomic.
    uint16_t bytes;     ///< Of one lane; 0: depends.
};

/** How text depends on things outside the instruction. */
struct lull_insn_print {
    unsigned lanes; ///< Of the wave; 0: the arch's usual.
    uint64_t pc;    ///< Address of the instruction, for branch targets.
    /** Name for a branch target, or NULL for the arch's own way. */
    const char *(*symbol)(void *ctx, uint64_t address);
    void *ctx;
};

/** Which chip of the family, and how strictly. */
struct lull_arch_mode {
    unsigned gen; ///< ir3: gpu id (630 ...). Else 0.
    bool lax;     ///< As hardware does it: bits that an instruction does not use may hold anything.
};

/** An instruction set. All functions are there. */
struct lull_arch {
    const char *name;    ///< "rdna3", "ir3".
    uint8_t align;       ///< Bytes: instructions start at its multiples.
    uint8_t max_size;    ///< Bytes of the longest instruction.
    uint8_t lanes[2];    ///< Wave sizes; the usual first.
    uint16_t return_reg; ///< Behind a call, by convention, it and the next hold where to return to.
    const struct lull_arch_bank *banks;
    unsigned nbanks;
    const struct lull_arch_name *names;
    unsigned nnames;

    /** @return Bytes used, greater than 0; 0: not an instruction; -1: the code ends inside it. */
    int (*decode)(const struct lull_arch_mode *mode, const void *code, size_t size,
                  struct lull_insn_room *ret);
    unsigned (*size)(const struct lull_insn *in); ///< Bytes.
    const char *(*mnemonic)(const struct lull_insn *in);
    /** Append the text, without a newline. */
    void (*print)(const struct lull_insn *in, const struct lull_insn_print *how,
                  struct lull_str *out);
    struct lull_flow (*flow)(const struct lull_insn *in, uint64_t pc);
    /**
     * Registers that it reads and writes; those that are chosen at run time are left out.
     * @return Entries of @p ret, which has room for LULL_ARCH_MAX_USES.
     */
    unsigned (*uses)(const struct lull_insn *in, unsigned lanes, struct lull_arch_use *ret);
    struct lull_insn_memory (*memory)(const struct lull_insn *in);
    /** Append what descriptor @p number is called (struct lull_touch): "the descriptor in s4". */
    void (*descriptor)(unsigned number, struct lull_str *out);
};

extern const struct lull_arch lull_arch_rdna3, lull_arch_ir3;

/** All of them; ends with NULL. */
extern const struct lull_arch *const lull_archs[];

/** By its name; NULL: there is none. */
const struct lull_arch *lull_arch_named(const char *name);

/** Next addresses of the instruction at @p pc that are known: 0, 1 or 2 of them into @p ret. */
unsigned lull_arch_next(const struct lull_arch *a, const struct lull_insn *in, uint64_t pc,
                        uint64_t ret[2]);

/**
 * Append the text of the instruction at @p code, strictly or lax as hardware reads it.
 *
 * @return Its bytes; 0: there is none, and nothing was appended.
 */
unsigned lull_arch_show(const struct lull_arch *a, const struct lull_arch_mode *mode,
                        const struct lull_insn_print *how, const void *code, size_t size,
                        struct lull_str *out);

/** Append the name of register @p number: "v5", "r1.x", "vcc_lo"; "?<number>" if there is none. */
void lull_arch_reg_name(const struct lull_arch *a, unsigned number, struct lull_str *out);

/** What @p name means. False: there is no such register. */
bool lull_arch_find_reg(const struct lull_arch *a, const char *name, struct lull_arch_reg *ret);

#endif
