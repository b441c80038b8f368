// SPDX-License-Identifier: MIT
/** @file
 * Watching a model GPU: checks, trace writers, coverage. Nothing here is one vendor's.
 *
 * Checks are observers, never `if`s inside an engine: a wave that is watched has handlers of its
 * own, chosen when the observer comes, and one that is not pays nothing.
 */
#ifndef LULL_MODEL_OBSERVER_H
#define LULL_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lull_arch;
struct lull_fresh;
struct lull_insn;

/** A wave and the instruction that it is about to execute, or executes. Valid during the call. */
struct lull_observed {
    const struct lull_arch *arch; ///< What it says of insn and of registers: arch/arch.h.
    const struct lull_insn *insn;
    uint32_t insn_bytes; ///< Size of what insn points at, by which two can be compared.
    uint64_t decoded; ///< Of two that have the same, and insn, what insn points at is the same; 0:
                      ///< not known.
    uint64_t pc;
    uint64_t ninsns;   ///< Instructions that the wave has executed so far.
    const void *wave;  ///< Names the wave's place, which another has when this one has ended.
    const void *group; ///< The same of its workgroup.
    uint32_t workgroup[3];
    uint32_t lanes;
    uint64_t active;      ///< Lanes that are on.
    uint64_t active_high; ///< Lanes 64 and up.
    bool joins;           ///< Lanes that waited here go on together with those that come.
    uint32_t space;       ///< Its address space: VMID.
    uint32_t
        place; ///< Where on the GPU, as the vendor writes it: HW_ID1; ir3: number in its workgroup.
    bool handler;        ///< In a trap handler: not the program's instruction.
    uint64_t local_base; ///< Address of local memory (LDS), as access() tells it.
    uint32_t local_bytes;
    /** Register @p reg, a number of the arch, in @p lane. False: the wave does not have it. */
    bool (*read)(const struct lull_observed *at, unsigned reg, unsigned lane, uint32_t *ret);
};

/** A wave of a dispatch that starts or ends. Valid during the call. */
struct lull_observed_wave {
    const struct lull_arch *arch;
    const void *wave, *group; ///< As in struct lull_observed.
    uint64_t dispatch;        ///< What launched it: no two of one GPU have the same.
    uint64_t launch;          ///< The same, as who watches dispatches calls it.
    uint32_t workgroup[3];
    uint32_t items[3]; ///< Work-items of this workgroup, and of a whole one.
    uint32_t full[3];
    uint32_t index, nwaves; ///< Its number in its workgroup; waves of that.
    uint32_t lanes;
    uint64_t launched;      ///< Lanes with a work-item.
    uint64_t launched_high; ///< Lanes 64 and up.
    uint32_t sgprs;         ///< Scalar registers that the launch wrote; of vector registers v0.
    uint32_t space, place;
    uint64_t code; ///< GPU virtual address of the first instruction; 0: not known.
    bool killed;   ///< It did not come to its end.
    /** Of a draw: "fragment shader". NULL: of a dispatch. Of draws nothing is known of what the
     * launch wrote, and workgroups are numbers of the vendor. */
    const char *stage;
    uint64_t draw; ///< Of a draw: which, as who watches draws calls it; UINT64_MAX: not known.
    /** Of fragment and vertex shaders, by lane: x and y; number of the vertex, and the instance. */
    const uint32_t (*at)[2];
};

enum { LULL_TOUCH_TEXEL = 16 }; ///< Bytes of the largest texel.

/** How the addresses of lanes lie. */
enum lull_touch_shape {
    LULL_TOUCH_ANY,
    LULL_TOUCH_ONE, ///< All lanes have the same.
    LULL_TOUCH_RUN, ///< All lanes are on, each behind the one before.
};

enum lull_touch_kind { LULL_TOUCH_LOAD, LULL_TOUCH_STORE, LULL_TOUCH_ATOMIC };

/** What the lanes of one instruction did in memory, or would have done. Valid during the call. */
struct lull_touch {
    enum lull_touch_kind kind;
    bool local;    ///< Local memory (LDS); else memory by GPU virtual address.
    bool priv;     ///< The lane's own (scratch): address is the byte in that.
    bool scalar;   ///< One access for all lanes, told as lane 0.
    bool returns;  ///< Of an atomic: it gives the value before.
    bool compares; ///< Of an atomic: it stores only where it finds what it expects.
    bool coherent; ///< Of a load: past the cache that other workgroups do not share.
    bool unsure;   ///< Of a load: the source may call it atomic, which the code does not show.
    unsigned bytes;
    /** Lane that bit 0 of lanes is, and entry 0 of all that is by lane: 64 of a wave with more
     * lanes, whose instructions are told in two halves, the lower first. */
    unsigned from;
    uint64_t lanes;
    const uint64_t *address; ///< By lane: GPU virtual address, byte of local memory.
    const uint8_t *valid;    ///< By lane: bit n: dword n is in bounds; others are dropped.
    uint64_t low, high;      ///< The lowest and the highest address.
    enum lull_touch_shape shape;
    /** By lane: address / 4 in local memory, where all are multiples of 4; NULL: not known. */
    const uint16_t *dwords;
    unsigned data;       ///< Register of the first dword, by the arch's number.
    const uint32_t *row; ///< Of a store: what that register has, by lane; NULL: ask read().
    bool image;          ///< Texels, of @p bytes each, none of which is dropped.
    /** Of a store to an image, or of less than dwords: LULL_TOUCH_TEXEL bytes of each lane, as in
     * memory; else NULL. */
    const uint8_t *texels;
    /** Of an image without a sampler: 4 numbers of each lane, x, y, z and the level; else NULL. */
    const int32_t *texel;
    unsigned dims;            ///< How many of x, y, z it has.
    bool described;           ///< Through a descriptor:
    unsigned descriptor;      ///< which, as the arch counts them (struct lull_arch),
    uint64_t base, available; ///< where it begins, how many bytes of it can be reached,
    bool null;                ///< and whether it is one of zeros, which reaches nothing.
    /** Of a scalar load, dwords behind those of @p bytes that are out of bounds, and give 0; lanes
     * may be 0 then. On gfx1100 only such are described; of ir3 those to shared registers and
     * constants are scalar. */
    unsigned dropped;
};

/** Memory that a command processor writes or copies between dispatches. Valid during the call. */
struct lull_transfer {
    uint32_t space;    ///< VMID.
    uint64_t launches; ///< Of its ring, launches (lull_observed_wave.launch) below are in front.
    uint64_t to, from; ///< GPU virtual addresses.
    uint64_t bytes;
    bool copies; ///< from is there.
};

enum { LULL_STRETCH_MOST = 32, LULL_STRETCH_REGS = 2, LULL_STRETCH_NO_REG = 0xffff };

/** Instructions one behind the other that do nothing but compute, with registers alone: the same
 * lanes are on for all that look at lanes, and all are executed. The last may be a jump. */
struct lull_stretch {
    unsigned n; ///< Instructions, up to LULL_STRETCH_MOST.
    /** Bit k: behind instruction k look[k] is looked at, in front of it what keep[k] has is put
     * down. */
    uint32_t looks, keeps;
    /** Vector registers, by the arch's number, or LULL_STRETCH_NO_REG: gave() is called if may()
     * says so of one, with the kind that is here and what all lanes have. */
    struct lull_stretch_look {
        uint16_t reg, kind;
    } look[LULL_STRETCH_MOST][LULL_STRETCH_REGS];
    bool (*may)(const uint32_t *v, unsigned lanes, unsigned kind);
    uint16_t keep[LULL_STRETCH_MOST][LULL_STRETCH_REGS];
    uint32_t *kept[LULL_STRETCH_REGS]; ///< Room for all lanes of each.
};

/** Where a stretch is being made of instructions. */
struct lull_ahead {
    /** Go on to the instruction behind @p at, which becomes that. False: it is no part of it. */
    bool (*next)(struct lull_ahead *a, struct lull_observed *at);
};

/** Any call may be NULL. */
struct lull_observer {
    /** Called in front of each instruction. */
    void (*before)(struct lull_observer *o, const struct lull_observed *at);
    /**
     * Instead, where the instruction at hand, and those behind it that ahead->next() gives, make a
     * stretch. @return the stretch, of no more than @p most, if nobody need be told of each of its
     * instructions: it is executed as a whole, with gave() and then passed(). NULL: before() is
     * called. Of gfx1100.
     */
    const struct lull_stretch *(*stretch)(struct lull_observer *o, const struct lull_observed *at,
                                          uint32_t most, struct lull_ahead *ahead);
    /** Instruction @p k of it was executed, and may() says so. @return whether it ends there. */
    bool (*gave)(struct lull_observer *o, const struct lull_stretch *s, unsigned k);
    /** So many of its instructions were executed. */
    void (*passed)(struct lull_observer *o, const struct lull_stretch *s, unsigned n);
    /**
     * Is before() to be called for the instruction at hand, whatever wave comes to it? Asked once;
     * of others it may be left out where quiet() says so. NULL: yes. Of gfx1100, as the next.
     */
    bool (*loud)(struct lull_observer *o, const struct lull_observed *at);
    /** Is before(), as things are, to be called for none but those of loud(), and those that do
     * more than to compute and to jump? */
    bool (*quiet)(struct lull_observer *o, const struct lull_observed *at);
    /** @p address GPU virtual address; @p size bytes, 1 to 16; @p store 0 or 1. */
    void (*access)(struct lull_observer *o, const struct lull_observed *at, unsigned lane,
                   uint64_t address, size_t size, int store);
    /** The same by instruction, also of what is dropped as out of bounds. */
    void (*memory)(struct lull_observer *o, const struct lull_observed *at,
                   const struct lull_touch *t);
    /** @{ Waves of dispatches, in front of the first instruction and behind the last. */
    void (*starts)(struct lull_observer *o, const struct lull_observed_wave *w);
    void (*ends)(struct lull_observer *o, const struct lull_observed_wave *w);
    /** @} */
    /** Behind an instruction that rested on what the model takes for granted: bits, by the rows of
     * the vendor's table. Of ir3 alone. */
    void (*rests)(struct lull_observer *o, const struct lull_observed *at, uint32_t rows);
    /** Behind a transfer, or a part of one. */
    void (*transfer)(struct lull_observer *o, const struct lull_transfer *t);
    /** The GPU is again what it was at some time; it may go on otherwise than it did. */
    void (*restored)(struct lull_observer *o);
    /** Set by a call, cleared by the model: behind this instruction the wave goes into its trap
     * handler, if it has one, as if SQ_CMD had asked it to. */
    bool traps;
    /** Set by before() for the instruction at hand: memory() need not be called for scratch memory.
     */
    bool no_scratch;
    /** The same, for loads of local memory of which nothing is out of bounds. */
    bool no_local_loads;
    /** Set for good: memory() need not be called for loads, but of images. Of gfx1100. */
    bool no_loads;
    /** Of ir3: is told of each page before it is accessed; NULL: nothing is. */
    struct lull_fresh *fresh;
    struct lull_observer *next; ///< Called after this one, in order of attachment.
};

#endif
