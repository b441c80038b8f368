// SPDX-License-Identifier: MIT
/** @file
 * An Adreno as its kernel driver sees it: address spaces, rings, registers, interrupts. All that
 * the outside may do is here; src/vdrm/msm does no more than this, through struct lull_agpu_ops.
 *
 * How work gets there: the driver writes packets into a ring, which is memory that it has mapped
 * (lull_agpu_map()) and named (ring_set), and says how far it has written (kick). The ring switches
 * to the address space of its submit (CP_SMMU_TABLE_UPDATE), calls the command buffers
 * (CP_INDIRECT_BUFFER), and ends with an event that writes a fence into memory and raises an
 * interrupt. So nothing here knows of submits, queues or files.
 *
 * Addresses: 49 bits, what stands above counts for nothing. Those with bit 48 set are the kernel's
 * (TTBR1), the same whatever address space is current; all others are looked up in the current one
 * (TTBR0). Until the first switch none is, and they fault.
 *
 * Time: one cycle is one packet, or one instruction of one wave; the always-on counter counts
 * ticks of 19.2 MHz, and a cycle is a tick.
 *
 * Threads: none of these is called while another is in the same GPU.
 */
#ifndef LULL_MODEL_ADRENO_GPU_H
#define LULL_MODEL_ADRENO_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "hw/achips.h"
#include "isa/ir3/assume.h"
#include "model/adreno/debug.h"
#include "model/crumb.h"

struct lull_agpu;
struct lull_agpu_space;
struct lull_ir3_engine;
struct lull_order;

enum {
    LULL_AGPU_RINGS = 4, ///< Priorities; without preemption only ring 0 is used.
    LULL_AGPU_PAGE = 4096,
    LULL_AGPU_KERNEL_BIT = 48, ///< Addresses with this bit are the kernel's.
};

/** Who may do what with a page. */
enum {
    LULL_AGPU_READ = 1,
    LULL_AGPU_WRITE = 2,
    LULL_AGPU_PRIVILEGED = 4, ///< Only the ring itself and what runs with APRIV, not command
                              ///< buffers of programs.
};

/** Where an address leads. */
struct lull_agpu_page {
    uint8_t *mem;    ///< Of the address itself; NULL: not mapped.
    uint64_t size;   ///< Bytes from there on that lie in one piece.
    unsigned access; ///< LULL_AGPU_READ ...
};

/** A ring: `dwords` packets at `base`, one after the other and round again. */
struct lull_agpu_ring {
    uint64_t base;   ///< Address, the kernel's.
    uint32_t dwords; ///< A power of two.
    uint64_t rptr;   ///< Where CP_WHERE_AM_I, or on chips with APRIV the CP itself, writes the read
                     ///< pointer; 0: nowhere.
};

enum lull_agpu_what {
    /** An event or CP_INTERRUPT asked for it: fences in memory have moved. */
    LULL_AGPU_IRQ,
    /** An access to what is not mapped, or not so. The GPU went on: reads gave 0, writes were
     * dropped. Told once until lull_agpu_ops.fault_resume. */
    LULL_AGPU_FAULT,
    /** The command processor stopped (bad opcode, a write to a protected register ...): nothing of
     * any ring moves until reset. */
    LULL_AGPU_ERROR,
};

/** What the GPU has to say to its driver. */
struct lull_agpu_event {
    enum lull_agpu_what what;
    unsigned ring; ///< Whose packets run.
    /* LULL_AGPU_FAULT */
    uint64_t address, ttbr0; ///< ttbr0: of the space, lull_agpu_ttbr0().
    bool write;
    const char *block; ///< Who did it, as the kernel calls it: "CP", "UCHE: SP", ...
    /* LULL_AGPU_ERROR; also of faults, what the model knows better than the kernel could. */
    char message[160];
};

/** What to make. */
struct lull_agpu_config {
    const struct lull_achip *chip; ///< Must outlive the GPU.
    uint64_t seed;                 ///< Order of waves; 0: round robin.
    struct lull_order *order;      ///< Of waves of dispatches, model/order.h; NULL: none. Borrowed.
    struct lull_ir3_assumptions assume;
    const struct lull_ir3_engine *engine; ///< Executes shaders; NULL: the interpreter does.
};

/** Made by whoever has a GPU: the model (lull_agpu_model_ops), or a test. */
struct lull_agpu_ops {
    void (*destroy)(struct lull_agpu *g);

    /** A new address space, empty; NULL: no memory. */
    struct lull_agpu_space *(*space_new)(struct lull_agpu *g);
    /** It is not current on any ring that still has packets. */
    void (*space_free)(struct lull_agpu *g, struct lull_agpu_space *s);
    /** What CP_SMMU_TABLE_UPDATE says of it: address of its table, and the number (ASID) in bits 63
     * to 48. */
    uint64_t (*ttbr0)(const struct lull_agpu_space *s);
    /**
     * @p size bytes of @p address are @p mem from now on, which stays there until unmap(). Both
     * multiples of LULL_AGPU_PAGE; nothing of it is mapped. @p s NULL: the kernel's addresses.
     *
     * @return False: no memory.
     */
    bool (*map)(struct lull_agpu *g, struct lull_agpu_space *s, uint64_t address, uint64_t size,
                const struct lull_agpu_page *page);
    /** No longer, and no reader has anything of it any more. */
    void (*unmap)(struct lull_agpu *g, struct lull_agpu_space *s, uint64_t address, uint64_t size);
    /** Where that leads, without an effect; for the driver and debuggers. */
    struct lull_agpu_page (*look)(const struct lull_agpu *g, const struct lull_agpu_space *s,
                                  uint64_t address);

    /** The ring lies there, empty: read and write pointer are 0. */
    void (*ring_set)(struct lull_agpu *g, unsigned ring, const struct lull_agpu_ring *r);
    /** CP_RB_WPTR: packets up to dword @p wptr are written. */
    void (*kick)(struct lull_agpu *g, unsigned ring, uint32_t wptr);
    /** CP_RB_RPTR: dwords that were fetched, as an index. */
    uint32_t (*rptr)(const struct lull_agpu *g, unsigned ring);

    /** Let it run. @return Cycles that passed; 0: nothing can move (idle, or all of it waits for
     * memory that somebody else must write). */
    uint64_t (*run)(struct lull_agpu *g, uint64_t cycles);
    /** The next event that is not taken yet, the oldest first. @return False: none. */
    bool (*next_event)(struct lull_agpu *g, struct lull_agpu_event *ret);
    /** The driver has seen a fault: the next one is told again. */
    void (*fault_resume)(struct lull_agpu *g);
    /** CP_ALWAYS_ON_COUNTER: ticks of 19.2 MHz. */
    uint64_t (*clock)(const struct lull_agpu *g);
    /** Time in which nothing moves. */
    void (*idle)(struct lull_agpu *g, uint64_t ticks);
    /** A number that changes with each packet and instruction that is done: for finding hangs. */
    uint64_t (*progress)(const struct lull_agpu *g);
    /** Recovery: all that runs is dropped, rings are unset, registers and spaces are as after
     * power-on; what is mapped stays. */
    void (*reset)(struct lull_agpu *g);
    /** A register as the kernel reads it, by its dword offset; what nobody wrote is 0. */
    uint32_t (*read_reg)(const struct lull_agpu *g, uint32_t reg);
    void (*write_reg)(struct lull_agpu *g, uint32_t reg, uint32_t value);
    /** From now on each of the @p n registers @p regs, which stay the caller's, holds @p value when
     * a render pass begins, unless it was written since the last draw, dispatch or blit. NULL: it
     * cannot. */
    void (*stomp)(struct lull_agpu *g, const uint32_t *regs, unsigned n, uint32_t value);
    /** Tell @p to of packets from now on. NULL: it cannot. */
    void (*crumbs)(struct lull_agpu *g, const struct lull_crumb_watcher *to);
    const struct lull_agpu_debug_ops *debug; ///< NULL: it cannot be stopped.
};

/** A model. */
struct lull_error *lull_agpu_new(const struct lull_agpu_config *config,
                                 struct lull_agpu **ret) LULL_MUST_USE;
extern const struct lull_agpu_ops lull_agpu_model_ops;

struct lull_observer;
/** @p o watches all that waves of the model do from now on; it outlives the GPU. */
void lull_agpu_observe(struct lull_agpu *g, struct lull_observer *o);

#endif
