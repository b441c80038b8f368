// SPDX-License-Identifier: MIT
/** @file
 * What stands in which register while a region is made: VGPRs, masks, broadcast SGPRs,
 * constants and values of a template, of the same lanes.
 *
 * What moves them is different for each kind of host: machine.h. With strips of four lanes they are
 * v0 to v27 of aarch64. With strips of eight lanes that is ymm0 to ymm13, masks among them. With
 * strips of sixteen it is zmm0 to zmm31, and k1 to k5 for masks, as slots LULL_JIT_K and on.
 * masks.h has what differs.
 *
 * The register file is written only at the end of a region, so a strip can be done again from it. A
 * VGPR or mask that was written and has to make room goes to a spill area.
 */
#ifndef LULL_JIT_WINDOW_H
#define LULL_JIT_WINDOW_H

#include "jit/encode.h"
#include "jit/template.h"
#include "model/amd/exec/engine.h"

enum {
    LULL_JIT_SLOTS = 40,   ///< At most: see lull_jit_end().
    LULL_JIT_SPILLS = 32,  ///< Entries of the spill area.
    LULL_JIT_K = 32,       ///< Slot of k0, which is not used.
    LULL_JIT_LANES = 16,   ///< Of a strip, at most.
    LULL_JIT_POOL = 65536, ///< Twice the constants that there may be.
    LULL_JIT_MASKS = 3,    ///< Masks that a region may write: r9 to r11.
    LULL_JIT_SAVES = 32,   ///< Pairs of SGPRs that a region keeps older values of.
    LULL_JIT_CHOICES = 64, ///< VGPRs that scalars choose in a region.
    LULL_JIT_MARKS = 32,   ///< Masks that are written, at most, so that a body is copied.
    LULL_JIT_SHUFFLES = 4, ///< Sources with DPP of a region.
    LULL_JIT_VGPRS = 256,
    LULL_JIT_HALF = 14,           ///< See struct lull_jit_pair.
    LULL_JIT_PAIR_MASK = 1 << 10, ///< In the key of a mask of a pair.
    LULL_JIT_PAIR_MASKS = 8,
};

/** Constants that each region uses. */
enum lull_jit_fixed {
    LULL_JIT_BITS,
    LULL_JIT_SIGN,
    LULL_JIT_ABS,
    LULL_JIT_SIGN16,
    LULL_JIT_ABS16,
    LULL_JIT_FIXED,
};

enum lull_jit_kind {
    LULL_JIT_FREE,
    LULL_JIT_TEMP,
    LULL_JIT_VGPR,
    LULL_JIT_MASK, ///< All bits of a lane set, or none.
    LULL_JIT_SGPR,
    LULL_JIT_CONST,
    /** The f16 in the lower half of VGPR key, in f32. Dirty: that half of the VGPR is older. */
    LULL_JIT_WIDE,
    LULL_JIT_HOME, ///< What VGPR or mask key was at the head of a loop, and is again there.
};

/** A source of an instruction with DPP. */
struct lull_jit_shuffled {
    uint32_t v[64]; ///< By lane.
    uint64_t on;    ///< Bit n: lane n may write a result.
};

/** What a loop of strips keeps: see loop.c. */
struct lull_jit_looped {
    uint32_t skip;         ///< Times that loops are not entered any more, after one that failed.
    int32_t start, limit;  ///< Instructions left when it was entered, and when it pauses.
    int32_t most;          ///< The same when the strip that was longest in it left,
    uint32_t exit;         ///< and where that went.
    int32_t left[4];       ///< By strip.
    uint32_t scc[2];       ///< As they were, and of the longest strip,
    uint64_t scalar[2][8]; ///< like SGPRs.
    uint64_t mask[4];      ///< As they were.
    uint32_t vgpr[14][4][LULL_JIT_LANES];
};

/** What two strips that are done at once keep in memory: see loop_ymm.c. */
struct lull_jit_paired {
    _Alignas(64) uint32_t vgpr[2 * LULL_JIT_HALF][8];
    uint32_t mask[LULL_JIT_PAIR_MASKS][8]; ///< All bits of a lane set, or none.
};

/** What code finds at r15. */
struct lull_jit_area {
    uint32_t spill[LULL_JIT_SPILLS][LULL_JIT_LANES];
    uint64_t saved[LULL_JIT_SAVES];    ///< Values that SGPRs had before scalar instructions.
    uint16_t redone[LULL_JIT_MASKS];   ///< Masks of a strip that was done again.
    uint64_t lds_size;                 ///< Of the workgroup, in bytes.
    uint32_t choice[LULL_JIT_CHOICES]; ///< Offsets of VGPRs from VGPR 0, in bytes.
    uint64_t copy[2];                  ///< Code of lull_jit_emit_copy() for wave32 and wave64.
    /** Addresses of elements in LDS, by number of their size, are all below, as equal numbers. */
    uint32_t lds_limit[6][LULL_JIT_LANES];
    struct lull_jit_shuffled shuffled[LULL_JIT_SHUFFLES];
    /** lull_jit_redo(), lull_jit_make_shuffled(), and what calls a uop's function, for code that
     * does not know where they are. */
    uint64_t redo, make_shuffled, call;
    struct lull_jit_looped looped;
    struct lull_jit_paired paired;
    struct lull_exec_link links[LULL_EXEC_LINKS];
};

/** What code finds at r14, and where each constant is. */
struct lull_jit_pool {
    uint8_t *bytes;               ///< Owned; aligned to 64. Each constant is a vector.
    unsigned size;                ///< Of a vector, in bytes.
    uint16_t hash[LULL_JIT_POOL]; ///< Index + 1.
    unsigned n;
};

struct lull_jit_slot {
    uint8_t kind; ///< enum lull_jit_kind.
    bool dirty;   ///< Not in the register file.
    bool pend;    ///< A NaN in it is not looked for yet.
    bool lock;    ///< Must stay.
    bool home;    ///< Of a VGPR or mask of a loop: it stays, and only the loop writes it.
    uint32_t key; ///< Number of the register, or constant; of SGPRs see lull_jit_sgpr_key().
    uint32_t use; ///< When it was used last.
};

/** Two strips at once: VGPRs have numbers of their own, of the second strip LULL_JIT_HALF more than
 * of the first, and so have masks, LULL_JIT_PAIR_MASK and on. What has to make room goes to struct
 * lull_jit_paired, not to a spill area. */
struct lull_jit_pair {
    bool there;
    uint8_t half;  ///< 0 or 1: the strip that code is made for.
    uint32_t pend; ///< By VGPR: a NaN in it, which is in memory, is not looked for yet.
    bool nans;     ///< Comparisons of one operation are true of NaNs, too.
};

struct lull_jit_window {
    struct lull_x86 *x;
    const struct lull_jit_target *target;
    struct lull_jit_pool *pool;
    struct lull_jit_slot slot[LULL_JIT_SLOTS];
    uint64_t busy; ///< Bit n: slot n is not free;
    uint64_t temp; ///< or it may be LULL_JIT_TEMP.
    struct {
        uint8_t kind; ///< LULL_JIT_FREE, VGPR or MASK.
        uint32_t key;
    } spill[LULL_JIT_SPILLS];
    /** By VGPR: 1 + the number of a choice: it is what was in that VGPR before the region, and
     * stands in no slot yet. 0: none. */
    uint8_t choice[LULL_JIT_VGPRS];
    /** By the low bits of a key: 1 + a slot that one such stood in; 0: none ever did. */
    uint8_t last[LULL_JIT_VGPRS];
    unsigned nspills; ///< Entries of spill that are in use.
    struct {
        uint32_t at; ///< Where lanes that are off would leave a mask, all being on,
        uint8_t reg; ///< and its register.
    } mark[LULL_JIT_MARKS];
    unsigned nmarks; ///< More than there is room for: not all are known.
    uint32_t clock;
    uint32_t stride; ///< Bytes of a VGPR.
    bool full;       ///< All lanes are on.
    bool checked;    ///< Some lane may be in doubt.
    bool wide;       ///< Something may stand as LULL_JIT_WIDE.
    bool failed;     ///< There were not enough registers or constants.
    bool spare;      ///< r11 has nothing: it is no mask that is gathered.
    struct lull_jit_pair pair;
};

/** Key of an SGPR, or a mask from there on. @p save: 0: as it is; else 1 + the entry of saved. */
static inline uint32_t lull_jit_sgpr_key(unsigned sgpr, unsigned save)
{
    return sgpr | save << 8;
}

/** In the key of a mask: it is the same for all lanes. */
enum { LULL_JIT_UNIFORM = 1 << 16 };

/** Whether strips have sixteen lanes, and masks their own registers. */
static inline bool lull_jit_wide(const struct lull_jit_window *q)
{
    return q->target->lanes == 16;
}

/** The slot behind the last that there is. */
static inline unsigned lull_jit_end(const struct lull_jit_window *q)
{
    return q->target->slots;
}

/** An operation on whole vectors of sixteen lanes, without masks: @p op says map, prefix, W and
 * opcode. */
void lull_jit_reg_wide(struct lull_jit_window *q, struct lull_vex op, unsigned reg, unsigned v,
                       unsigned rm);
void lull_jit_mem_wide(struct lull_jit_window *q, struct lull_vex op, unsigned reg, unsigned v,
                       struct lull_x86_mem m);
/** The same of those of the target. */
static inline void lull_jit_reg(struct lull_jit_window *q, struct lull_vex op, unsigned reg,
                                unsigned v, unsigned rm)
{
    if (lull_jit_wide(q)) {
        lull_jit_reg_wide(q, op, reg, v, rm);
    } else {
        lull_vex_reg(q->x, op, reg, v, rm);
    }
}

static inline void lull_jit_mem(struct lull_jit_window *q, struct lull_vex op, unsigned reg,
                                unsigned v, struct lull_x86_mem m)
{
    if (lull_jit_wide(q)) {
        lull_jit_mem_wide(q, op, reg, v, m);
    } else {
        lull_vex_mem(q->x, op, reg, v, m);
    }
}

/** Zeros, or NULL; free() takes it back. */
struct lull_jit_area *lull_jit_new_area(void);

/** Zeros, by a function: what compilers make of an initialiser (rep stos) takes longer to start. */
void lull_jit_clear(void *mem, size_t bytes);
/** The same of a copy (rep movs). */
void lull_jit_duplicate(void *to, const void *from, size_t bytes);

/** The constants that each region uses, in the order of enum lull_jit_fixed, and no others. */
void lull_jit_fill_pool(struct lull_jit_pool *pool);
/** Index of a constant, which is a vector; the window fails where there is no room. */
uint32_t lull_jit_const(struct lull_jit_window *q, const void *bytes);
/** The same of equal dwords. */
uint32_t lull_jit_const32(struct lull_jit_window *q, uint32_t v);

/** A register for a value. */
unsigned lull_jit_grab(struct lull_jit_window *q);
/** The same for a mask. */
unsigned lull_jit_grab_mask(struct lull_jit_window *q);
/** Where @p kind @p key stands, or -1. */
int lull_jit_find(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key);
/** Whether VGPR @p key is in memory alone, at @p ret, and no NaN in it is to be looked for. */
bool lull_jit_is_far(struct lull_jit_window *q, uint32_t key, struct lull_x86_mem *ret);
/** The home of VGPR @p key of a pair, or -1. */
int lull_jit_home(const struct lull_jit_window *q, uint32_t key);
/** As lull_jit_find(), loaded if it does not stand anywhere. */
unsigned lull_jit_named(struct lull_jit_window *q, enum lull_jit_kind kind, uint32_t key);
/** Register @p p is @p kind @p key from now on, and what was that before is nothing. */
void lull_jit_set(struct lull_jit_window *q, unsigned p, enum lull_jit_kind kind, uint32_t key);
/** VGPR @p key is choice @p n from now on; what was that before is nothing. */
void lull_jit_choose(struct lull_jit_window *q, uint32_t key, unsigned n);
/** Look for NaNs in @p p now. */
void lull_jit_check(struct lull_jit_window *q, unsigned p);
/** The same in two registers at once. */
void lull_jit_check_two(struct lull_jit_window *q, unsigned a, unsigned b);
/** The same in all that wait for it, two at a time. */
void lull_jit_check_pending(struct lull_jit_window *q);
/** The same in one, and what is in @p p is lost. */
void lull_jit_check_dead(struct lull_jit_window *q, unsigned p);
static inline void lull_jit_drop(struct lull_jit_window *q, unsigned p)
{
    q->slot[p] = (struct lull_jit_slot){0};
    q->busy &= ~(UINT64_C(1) << p);
}

/** Slot @p p has another name: so it is found. */
static inline void lull_jit_renamed(struct lull_jit_window *q, unsigned p)
{
    q->last[q->slot[p].key % LULL_JIT_VGPRS] = (uint8_t)(p + 1);
    q->busy |= UINT64_C(1) << p;
}
/** VGPR @p key stands in f32 nowhere. */
void lull_jit_forget_wide(struct lull_jit_window *q, uint32_t key);
/** All that is dirty in f32 goes to its VGPR. */
void lull_jit_narrow_all(struct lull_jit_window *q);

/** Moves between registers of one kind; and of memory, aligned or not. */
void lull_jit_copy(struct lull_jit_window *q, unsigned to, unsigned from);
void lull_jit_load(struct lull_jit_window *q, unsigned to, struct lull_x86_mem from);
void lull_jit_store(struct lull_jit_window *q, unsigned from, struct lull_x86_mem to);

struct lull_x86_mem lull_jit_at_spill(unsigned n);
static inline struct lull_x86_mem lull_jit_at_const(const struct lull_jit_window *q, uint32_t n)
{
    return (struct lull_x86_mem){LULL_R14, LULL_X86_NONE, (int32_t)(q->pool->size * n)};
}

static inline struct lull_x86_mem lull_jit_at_vgpr(const struct lull_jit_window *q, uint32_t vgpr)
{
    return (struct lull_x86_mem){LULL_R13, LULL_X86_NONE, (int32_t)(vgpr * q->stride)};
}

/** Bits of this strip of the lanes that are on. */
struct lull_x86_mem lull_jit_at_exec(const struct lull_jit_window *q);
/** Bits of this strip of a mask in SGPRs. */
struct lull_x86_mem lull_jit_at_mask(uint32_t key);
/** An SGPR by its key. */
struct lull_x86_mem lull_jit_at_sgpr(uint32_t key);
struct lull_x86_mem lull_jit_at_saved(unsigned n);
struct lull_x86_mem lull_jit_at_choice(unsigned n);
/** Where a VGPR or mask of a pair stands in memory. */
struct lull_x86_mem lull_jit_at_pair(enum lull_jit_kind kind, uint32_t key);
/** EXEC of strip @p half of a pair. */
struct lull_x86_mem lull_jit_at_pair_exec(unsigned half);

/** Map, prefix and opcode of what is made here. */
static const struct lull_vex lull_vex_or = {1, 0, 0, 1, 0x56}, lull_vex_and = {1, 0, 0, 1, 0x54},
                             lull_vex_xor = {1, 0, 0, 1, 0x57},
                             lull_vex_equal32 = {1, 1, 0, 1, 0x76},
                             lull_vex_and_int = {1, 1, 0, 1, 0xdb},
                             lull_vex_zero = {1, 1, 0, 1, 0xef},
                             lull_vex_broadcast32 = {2, 1, 0, 1, 0x18},
                             lull_vex_shuffle = {2, 1, 0, 1, 0x00};

#endif
