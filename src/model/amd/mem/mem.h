// SPDX-License-Identifier: MIT
/** @file
 * Inside the memory instructions: what each moves, and the lanes it moves it for.
 *
 * How faults and bounds are treated, where hardware leaves it open:
 * - Lanes go in the order of their numbers. A lane that is refused is left out, the others are
 *   done; the instruction ends in LULL_EXEC_MEMORY and vm->fault is that of the first refused lane.
 *   A load then leaves all its destination registers as they were. Hardware is imprecise here.
 * - lull_wave_host.vm_fault() is called if the page tables refused. A misaligned atomic and scratch
 *   beyond the lane's part are violations that no page table sees: vm->fault has the address then,
 * and no reason.
 * - LDS beyond the workgroup's part reads 0 and is not written; an access that is half inside
 *   counts as outside.
 */
#ifndef LULL_MODEL_AMD_MEM_H
#define LULL_MODEL_AMD_MEM_H

#include <string.h>

#include "isa/rdna/ops.h"
#include "model/amd/wave/exec.h"
#include "model/mem_ops.h"

enum {
    LULL_LANES = 64,     ///< Most lanes of a wave.
    LULL_MEM_DWORDS = 4, ///< Most dwords of a lane at one address.
    LULL_MEM_RETURNS = 2 * LULL_MEM_DWORDS,
};

/** One row of data/isa/rdna3.memsem. */
struct lull_mem_op {
    uint8_t kind;    ///< enum lull_mem_kind.
    uint8_t group;   ///< enum lull_mem_class.
    uint8_t element; ///< enum lull_mem_element.
    uint8_t bytes;   ///< Of the element.
    uint16_t flags;  ///< enum lull_mem_flag.
};

/** By enum lull_rdna_op. */
extern const struct lull_mem_op lull_mem_ops[LULL_RDNA_NOPS];

enum lull_space {
    LULL_SPACE_MEMORY,
    LULL_SPACE_LDS,
    LULL_SPACE_SWIZZLED, ///< Memory, with elements of the lanes interleaved: scratch, AoS buffers.
};

/** Where each active lane wants to go. */
struct lull_places {
    uint64_t mask;
    uint64_t address[LULL_LANES]; ///< MEMORY: VA; LDS: byte; SWIZZLED: VA of this lane's byte 0.
    uint32_t offset[LULL_LANES];  ///< SWIZZLED: byte within what is the lane's.
    uint8_t space[LULL_LANES];    ///< enum lull_space.
    uint8_t valid[LULL_LANES];    ///< Bit n: dword n is in bounds; others read 0, are not written.
    uint32_t element;             ///< SWIZZLED: bytes that stay together.
    uint32_t stride; ///< SWIZZLED: elements of other lanes between two of one lane, plus 1.
    uint32_t limit;  ///< SWIZZLED: bytes of a lane; beyond is a violation.
};

/** Values of all lanes on their way: row d, lane l. */
struct lull_rows {
    uint32_t v[LULL_MEM_RETURNS][LULL_LANES];
};

/** VGPRs of an access, by register number. */
struct lull_mem_regs {
    unsigned dst; ///< Of a load or an atomic that returns.
    unsigned a;   ///< First data operand.
    unsigned b;   ///< Second data operand of atomics.
    bool returns; ///< Of atomics.
    bool last;    ///< Of an add of dwords that does not return: see lull_mem_last_handler().
};

enum lull_exec_result lull_mem_load(struct lull_wave *w, const struct lull_mem_op *op,
                                    const struct lull_places *p, unsigned dst);
enum lull_exec_result lull_mem_store(struct lull_wave *w, const struct lull_mem_op *op,
                                     const struct lull_places *p, unsigned data);
enum lull_exec_result lull_mem_rmw(struct lull_wave *w, const struct lull_mem_op *op,
                                   const struct lull_places *p, const struct lull_mem_regs *r);
/** The one of the three that @p op is. */
enum lull_exec_result lull_mem_run(struct lull_wave *w, const struct lull_mem_op *op,
                                   const struct lull_places *p, const struct lull_mem_regs *r);
/** Loads with the flag lds: into LDS at @p lds plus 4 bytes a lane. */
enum lull_exec_result lull_mem_load_lds(struct lull_wave *w, const struct lull_mem_op *op,
                                        const struct lull_places *p, uint32_t lds);

/** Raw read of @p bytes (1 to 16) of one lane into @p buf. False: refused; vm->fault says why. */
bool lull_lane_read(struct lull_wave *w, const struct lull_places *p, unsigned lane, unsigned bytes,
                    uint32_t buf[LULL_MEM_DWORDS]);
bool lull_lane_write(struct lull_wave *w, const struct lull_places *p, unsigned lane,
                     unsigned bytes, const uint32_t buf[LULL_MEM_DWORDS]);

/** Refused lanes of one instruction. */
struct lull_refused {
    bool any;
    struct lull_vm_fault first;
};

/** Remember vm->fault if it is the first. */
void lull_refused_note(struct lull_refused *r, const struct lull_wave *w);
/** NEXT, or MEMORY with the first fault put back and the host told. */
enum lull_exec_result lull_refused_end(const struct lull_refused *r, struct lull_wave *w);

/** Write loaded rows to registers as the flags say (d16, d16hi, or whole). */
void lull_rows_put(struct lull_wave *w, const struct lull_mem_op *op, unsigned dst,
                   unsigned ndwords, uint64_t mask, const struct lull_rows *rows);
/** A loaded value as the element says: zeros or sign above it. */
uint32_t lull_mem_extend(const struct lull_mem_op *op, uint32_t value);

/** New memory value of an atomic. @p bytes 4 or 8. @p mode: MODE for floats. */
uint64_t lull_mem_atomic(enum lull_mem_kind kind, unsigned bytes, uint64_t mem, uint64_t a,
                         uint64_t b, uint32_t mode);

/** MODE of float atomics in memory: to nearest even, denormals kept. Source: LLVM 19, gfx11
 * features. */
enum { LULL_MEM_FLOAT_MODE = 0xf0 };

/** Address of byte @p offset of a lane whose elements are interleaved with others'. */
uint64_t lull_mem_swizzled(const struct lull_places *p, unsigned lane, uint32_t offset);

/**
 * Tell the observers where @p in goes. LDS is reported at its place in the shared aperture, scratch
 * in the private one.
 */
void lull_mem_report(const struct lull_wave *w, const struct lull_rdna_insn *in,
                     const struct lull_places *p, unsigned bytes, bool store);

/** Is there an observer that is told of each lane? */
bool lull_mem_by_lane(const struct lull_wave *w);

/** lull_mem_handler() of LULL_TABLE_PLAIN. */
lull_exec_fn *lull_mem_plain_handler(const struct lull_rdna_insn *in);

/* Where the active lanes of an instruction go. False: the wave does not have its registers. */

bool lull_flat_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                      struct lull_places *p);
bool lull_scratch_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                         struct lull_places *p);
/** Do all lanes of a scratch instruction go to one byte of their own? Then to @p at. */
bool lull_scratch_one(const struct lull_wave *w, const struct lull_rdna_insn *in, int64_t *at);
/** @param[out] bytes Of a texel. */
bool lull_format_places(const struct lull_wave *w, const struct lull_rdna_insn *in,
                        struct lull_places *p, unsigned *bytes);
/** A scalar load. @return Dwords that are read from @p va on. */
unsigned lull_smem_place(const struct lull_wave *w, const struct lull_rdna_insn *in, uint64_t *va);
/** Dwords of a scalar load that its descriptor does not reach, and where that begins, in bytes. */
unsigned lull_smem_dropped(const struct lull_wave *w, const struct lull_rdna_insn *in,
                           uint64_t *base, uint64_t *bytes);

/** A scalar operand of an address: SGPR, M0, TTMP (0 outside PRIV), NULL, inline constant. */
uint32_t lull_mem_scalar(const struct lull_wave *w, unsigned operand);

/** What is compiled once per kind of host. */
struct lull_mem_fast {
    lull_exec_fn *(*global)(
        const struct lull_rdna_insn *in); ///< Handler of GLOBAL, and of FLAT in memory.
    lull_exec_fn *(*ds)(const struct lull_rdna_insn *in);
    lull_exec_fn *(*buffer)(const struct lull_rdna_insn *in); ///< MUBUF without formats.
    lull_exec_fn *(*last)(const struct lull_rdna_insn *in);   ///< lull_mem_last_handler() of MUBUF,
    lull_exec_fn *(*global_last)(const struct lull_rdna_insn *in); ///< of those as global.
    /**
     * Load or store at @p va[] when it can be done quickly.
     * @param reg First data register. @return False: nothing done, take the plain way.
     */
    bool (*quick)(struct lull_wave *w, const struct lull_mem_op *op, const uint64_t *va,
                  uint64_t mask, unsigned reg);
};

/** Those for this host. */
struct lull_mem_fast lull_mem_fast(void);

/** Names of one compilation: LULL_MEM_FAST with _global, _ds, _last, _quick after it. */
#define LULL_MEM_NAME2(a, b) a##b
#define LULL_MEM_NAME1(a, b) LULL_MEM_NAME2(a, b)
#define LULL_MEM_NAME(b) LULL_MEM_NAME1(LULL_MEM_FAST, b)

lull_exec_fn *lull_mem_base_global(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_base_ds(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_base_buffer(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_base_last(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_base_global_last(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_base_observed(const struct lull_rdna_insn *in);
bool lull_mem_base_quick(struct lull_wave *w, const struct lull_mem_op *op, const uint64_t *va,
                         uint64_t mask, unsigned reg);
lull_exec_fn *lull_mem_v3_global(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_v3_ds(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_v3_buffer(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_v3_last(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_v3_global_last(const struct lull_rdna_insn *in);
lull_exec_fn *lull_mem_v3_observed(const struct lull_rdna_insn *in);
bool lull_mem_v3_quick(struct lull_wave *w, const struct lull_mem_op *op, const uint64_t *va,
                       uint64_t mask, unsigned reg);

/** FLAT has an offset of 12 bits without sign; the 13th is ignored. */
enum { LULL_MEM_FLAT_OFFSET = 0xfff };

/** exp and lds_param_load. */
lull_exec_fn lull_gfx_export, lull_gfx_param;

/** Handlers by encoding. */
lull_exec_fn lull_mem_flat, lull_mem_scratch, lull_mem_buffer, lull_mem_format, lull_mem_image,
    lull_mem_bvh, lull_mem_nothing;
/** An add of dwords, behind which the wave only ends. */
lull_exec_fn lull_mem_buffer_last, lull_mem_flat_last;
/** Those whose texels and nodes are found on the way, in waves that are watched. */
lull_exec_fn lull_mem_image_observed, lull_mem_bvh_observed;
lull_exec_fn *lull_mem_smem_handler(const struct lull_rdna_insn *in);
/** DS with the gds bit. NULL: illegal. */
lull_exec_fn *lull_mem_gds_handler(const struct lull_rdna_insn *in);

/** First lane of @p mask, which must not be 0. */
static inline unsigned lull_first_lane(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

static inline uint64_t lull_all_lanes(const struct lull_wave *w)
{
    return w->lanes == LULL_LANES ? UINT64_MAX : UINT32_MAX;
}

static inline uint64_t lull_exec_mask(const struct lull_wave *w)
{
    const uint64_t hi = w->lanes == LULL_LANES ? w->sgpr[LULL_RDNA_EXEC + 1] : 0;
    return hi << 32 | w->sgpr[LULL_RDNA_EXEC];
}

/** Row of VGPR @p n (not the operand number). */
static inline uint32_t *lull_vgpr(const struct lull_wave *w, unsigned n)
{
    return w->vgpr + (size_t)n * w->lanes;
}

/** Whether VGPRs @p operand (a number from LULL_RDNA_VGPR0) to + @p count belong to the wave. */
static inline bool lull_vgprs_exist(const struct lull_wave *w, unsigned operand, unsigned count)
{
    return operand >= LULL_RDNA_VGPR0 && operand - LULL_RDNA_VGPR0 + count <= w->nvgprs;
}

static inline unsigned lull_mem_dwords(const struct lull_mem_op *op)
{
    return op->bytes < 4 ? 1u : op->bytes / 4u;
}

#endif
