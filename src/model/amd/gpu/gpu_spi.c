// SPDX-License-Identifier: MIT
// Dispatcher: from DISPATCH packets to waves on SIMDs, and back.
//
// Sources: Mesa ac_shader_args / radv_cmd_buffer.c (what the driver expects), LLVM AMDGPUUsage
// "Initial Kernel Execution State", Linux gc_11_0_0 register headers; facts of data/reg.
//
// Chosen where hardware has not been asked: STATUS.TRAP_EN follows from any of TBA_HI.TRAP_EN,
// SPI_GDBG_PER_VMID_CNTL.TRAP_EN and RSRC2.TRAP_PRESENT, with TBA not 0; scratch slots are
// numbered SE * WAVES + n; a partial group packs its items as if its block were that small; with a
// seed registers and LDS start as garbage, without as 0; TTMP6 to 11 are always set.
// Not modelled, without effect on results: RESOURCE_LIMITS, REQ_CTRL, DISPATCH_INTERLEAVE,
// ORDER_MODE and TUNNEL: how many waves, in which order.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "hw/chips.h"
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_pool.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    SGPR_TTMP0 = 108, // operand numbers, isa/rdna/rdna.h
    SGPR_EXEC_LO = 126,
    SGPR_EXEC_HI = 127,
    NUSER = 16,
    VGPR_FIELD_GRANULE = 8,  // of RSRC1.VGPRS, 32-lane registers; getVGPREncodingGranule
    VGPR_SIZE_GRANULE = 4,   // of GPR_ALLOC, the wave's own; Linux cwsr_trap_handler_gfx10.asm
    LDS_GRANULE = 512,       // of RSRC2.LDS_SIZE, bytes
    LDS_ALLOC_GRANULE = 256, // of LDS_ALLOC.LDS_SIZE, bytes; cwsr_trap_handler_gfx10.asm
    SCRATCH_GRANULE = 256,   // of TMPRING_SIZE.WAVESIZE, bytes
    ADDRESS_SHIFT = 8,       // PGM and SCRATCH_BASE are in 256 bytes
    TG_SIZE_WAVE_SHIFT = 20, // TG_SIZE SGPR: waves in 5:0, this wave in 24:20, first wave 31
    // The ordered id counts a workgroup's waves too, as no dispatch here uses ordered append; Mesa
    // 22.3 takes its subgroup id from it, later ones from 24:20
    // (ac_nir_lower_intrinsics_to_args.c).
    TG_SIZE_ORDERED_SHIFT = 6,
    TG_SIZE_FIRST = 31,
    TTMP_DISPATCH = 6, // SPI-initialised TTMPs; Linux kfd_debug.c, ROCdbgapi architecture.cpp
    TTMP_WAVE = 11,
    TTMP11_NO_SCRATCH = 6,
    TTMP6_INDEX_MASK = 0x1ffffff,
    LAUNCH_HALT = LULL_GC11_SPI_GDBG_PER_VMID_CNTL__LAUNCH_MODE__HALT,
    LAUNCH_SINGLE_STEP = LULL_GC11_SPI_GDBG_PER_VMID_CNTL__LAUNCH_MODE__SINGLE_STEP,
};

static uint64_t canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16);
}

static uint32_t round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

const uint32_t lull_spi_thread_mgmt[LULL_MAX_SE] = {
    LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE0, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE1,
    LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE2, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE3,
    LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE4, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE5,
    LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE6, LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE7};

/** Registers of the ring that do not depend on the grid. */
static void read_program(const struct lull_gpu *g, struct lull_work *d,
                         const struct lull_gpu_ring *r, uint32_t initiator)
{
    d->rsrc1 = lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC1);
    d->rsrc2 = lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC2);
    d->rsrc3 = lull_sh(r, LULL_GC11_COMPUTE_PGM_RSRC3);
    for (unsigned i = 0; i < LULL_MAX_SE; i++) {
        d->cus[i] = lull_sh(r, lull_spi_thread_mgmt[i]);
    }
    for (unsigned i = 0; i < NUSER; i++) {
        d->user[i] = lull_sh(r, LULL_GC11_COMPUTE_USER_DATA_0 + 4 * i);
    }
    d->pgm = canonical((lull_sh(r, LULL_GC11_COMPUTE_PGM_LO) |
                        (uint64_t)lull_sh(r, LULL_GC11_COMPUTE_PGM_HI) << 32)
                       << ADDRESS_SHIFT);
    d->lanes = (initiator & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__CS_W32_EN_MASK) != 0 ? 32 : 64;
    const uint32_t halves = d->lanes / 32;
    // in 32-lane registers; a register of a wave of 64 takes two
    const uint32_t asked =
        (lull_field(d->rsrc1, LULL_GC11_COMPUTE_PGM_RSRC1__VGPRS_MASK) + 1) * VGPR_FIELD_GRANULE;
    d->vgpr_cost = round_up(asked, g->config.chip->vgpr_granule);
    d->nvgprs = d->vgpr_cost / halves;
    if (d->nvgprs > LULL_WAVE_VGPRS) {
        d->nvgprs = LULL_WAVE_VGPRS;
    }
    d->lds_bytes = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__LDS_SIZE_MASK) * LDS_GRANULE;
    if ((d->rsrc2 & LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK) != 0) {
        const uint32_t ring_size = lull_sh(r, LULL_GC11_COMPUTE_TMPRING_SIZE);
        d->scratch_waves = lull_field(ring_size, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVES_MASK);
        d->scratch_wave_bytes =
            lull_field(ring_size, LULL_GC11_COMPUTE_TMPRING_SIZE__WAVESIZE_MASK) * SCRATCH_GRANULE;
        d->scratch_base =
            canonical((lull_sh(r, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_LO) |
                       (uint64_t)lull_sh(r, LULL_GC11_COMPUTE_DISPATCH_SCRATCH_BASE_HI) << 32)
                      << ADDRESS_SHIFT);
    }
}

/**
 * The grid. Without FORCE_START_AT_000 groups are numbered from START to below DIM.
 *
 * With USE_THREAD_DIMENSIONS DIM counts work-items. A PARTIAL count of 0 means a full last group.
 */
static void read_grid(struct lull_work *d, const struct lull_gpu_ring *r, const uint32_t dim[3],
                      uint32_t initiator)
{
    const bool from_zero =
        (initiator & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__FORCE_START_AT_000_MASK) != 0;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t threads = lull_sh(r, LULL_GC11_COMPUTE_NUM_THREAD_X + 4 * i);
        const uint32_t partial =
            lull_field(threads, LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_PARTIAL_MASK);
        d->full[i] = d->last[i] =
            lull_field(threads, LULL_GC11_COMPUTE_NUM_THREAD_X__NUM_THREAD_FULL_MASK);
        d->start[i] = from_zero ? 0 : lull_sh(r, LULL_GC11_COMPUTE_START_X + 4 * i);
        d->end[i] = dim[i];
        if ((initiator & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__USE_THREAD_DIMENSIONS_MASK) != 0) {
            const uint32_t full = d->full[i] != 0 ? d->full[i] : 1;
            d->end[i] = dim[i] / full + (dim[i] % full != 0);
            d->last[i] = dim[i] % full != 0 ? dim[i] % full : d->full[i];
        } else if ((initiator & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__PARTIAL_TG_EN_MASK) != 0 &&
                   partial != 0) {
            d->last[i] = partial;
        }
    }
}

uint32_t lull_spi_group_waves(const struct lull_work *d, const uint32_t items[3])
{
    const uint32_t n = items[0] * items[1] * items[2];
    return d->lanes == 64 ? (n + 63) / 64 : (n + 31) / 32; // Known divisors are shifts.
}

/** What would hang the hardware: said at the packet, since nobody could find it later. */
LULL_MUST_USE static struct lull_error *check(const struct lull_gpu *g, const struct lull_work *d)
{
    for (unsigned i = 0; i < 3; i++) {
        if (d->full[i] == 0 || d->full[i] > LULL_GROUP_ITEMS || d->last[i] > d->full[i]) {
            return lull_error_new(LULL_ERR_BAD_DATA, "NUM_THREAD_%c: %u full, %u partial", "XYZ"[i],
                                  d -> full[i], d -> last[i]);
        }
    }
    if (d->full[0] * d->full[1] > LULL_GROUP_ITEMS ||
        d->full[0] * d->full[1] * d->full[2] > LULL_GROUP_ITEMS) {
        return lull_error_new(LULL_ERR_BAD_DATA, "workgroup of %u x %u x %u work-items: at most %d",
                              d->full[0], d->full[1], d->full[2], LULL_GROUP_ITEMS);
    }
    const bool wgp = (d->rsrc1 & LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK) != 0;
    const uint32_t simds = wgp ? LULL_NSIMD : LULL_NSIMD / 2;
    const uint32_t by_vgprs = g->config.chip->simd_vgprs / d->vgpr_cost;
    const uint32_t room = simds * (by_vgprs < LULL_SIMD_SLOTS ? by_vgprs : LULL_SIMD_SLOTS);
    const uint32_t waves = lull_spi_group_waves(d, d->full);
    if (waves > room) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "workgroup of %u waves of %u VGPRs: a %s has room for %u", waves,
                              d->nvgprs, wgp ? "WGP" : "CU", room);
    }
    if (d->lds_bytes > LULL_CU_LDS_BYTES * (wgp ? 2u : 1u)) {
        return lull_error_new(LULL_ERR_BAD_DATA, "workgroup with %u bytes of LDS", d->lds_bytes);
    }
    if ((d->rsrc2 & LULL_GC11_COMPUTE_PGM_RSRC2__SCRATCH_EN_MASK) != 0 &&
        d->scratch_waves < waves) {
        return lull_error_new(LULL_ERR_BAD_DATA,
                              "TMPRING_SIZE: scratch for %u waves, a workgroup has %u",
                              d->scratch_waves, waves);
    }
    return NULL;
}

bool lull_spi_add(struct lull_gpu *g, struct lull_gpu_ring *r, enum lull_work_kind kind,
                  const struct lull_work *like)
{
    struct lull_work *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return false;
    }
    memcpy(d, like, offsetof(struct lull_work, source)); // its state
    d->vmid = r->head->job.vmid;
    lull_range_all(d);
    d->kind = kind;
    d->source = lull_work_source(kind);
    d->ring = r;
    struct lull_work **tail = &r->works;
    while (*tail != NULL) {
        tail = &(*tail)->next;
    }
    *tail = d;
    g->with_works |= UINT32_C(1) << (r - g->rings);
    g->want_more = true;
    return true;
}

struct lull_error *lull_spi_dispatch(struct lull_gpu *g, struct lull_gpu_ring *r,
                                     const uint32_t dim[3], uint32_t initiator)
{
    if ((initiator & LULL_GC11_COMPUTE_DISPATCH_INITIATOR__COMPUTE_SHADER_EN_MASK) == 0) {
        return lull_error_new(LULL_ERR_BAD_DATA, "dispatch without COMPUTE_SHADER_EN");
    }
    struct lull_work d = {.id = r->launch_id, .index = r->ndispatches++};
    read_program(g, &d, r, initiator);
    read_grid(&d, r, dim, initiator);
    bool empty = false;
    for (unsigned i = 0; i < 3; i++) {
        empty |= d.start[i] >= d.end[i];
    }
    if (empty) {
        lull_gpu_dispatch_ended(g, r->launch_id, 0, false);
        return NULL;
    }
    struct lull_error *err = check(g, &d);
    if (err == NULL && !lull_spi_add(g, r, LULL_WORK_COMPUTE, &d)) {
        err = &lull_enomem;
    }
    return err;
}

static bool starts_with_zeros(const struct lull_gpu *g, const struct lull_work *d)
{
    return g->config.seed == 0 || !d->source->undefined;
}

/** Zeros, or with a seed garbage that the seed determines: registers and LDS start undefined. */
static void fill(struct lull_gpu *g, const struct lull_work *d, void *mem, size_t nbytes)
{
    if (nbytes == 0) {
        return;
    }
    if (starts_with_zeros(g, d)) {
        memset(mem, 0, nbytes);
        return;
    }
    uint64_t v = lull_gpu_draw(&g->launch_rng);
    uint32_t *word = mem;
    for (size_t i = 0; i < nbytes / sizeof *word; i++) {
        v = v * UINT64_C(6364136223846793005) +
            UINT64_C(1442695040888963407); // Knuth's MMIX generator
        word[i] = (uint32_t)(v >> 32);
    }
}

unsigned lull_spi_id_sgprs(const struct lull_work *d, unsigned ret[3])
{
    static const uint32_t enables[3] = {
        LULL_GC11_COMPUTE_PGM_RSRC2__TGID_X_EN_MASK,
        LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Y_EN_MASK,
        LULL_GC11_COMPUTE_PGM_RSRC2__TGID_Z_EN_MASK,
    };
    unsigned n = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK);
    for (unsigned i = 0; i < 3; i++) {
        ret[i] = (d->rsrc2 & enables[i]) != 0 ? n++ : LULL_SPI_NO_SGPR;
    }
    return n;
}

/** Group ids, and what the driver asked for in RSRC2, behind the user SGPRs. */
static void fill_sgprs(const struct lull_work *d, const struct lull_gpu_group *group,
                       unsigned index, struct lull_wave *w)
{
    const unsigned nuser = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__USER_SGPR_MASK);
    unsigned id[3] = {0};
    const unsigned n = lull_spi_id_sgprs(d, id);
    for (unsigned i = 0; i < nuser; i++) {
        w->sgpr[i] = i < NUSER ? d->user[i] : 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (id[i] != LULL_SPI_NO_SGPR) {
            w->sgpr[id[i]] = group->wg.id[i];
        }
    }
    if ((d->rsrc2 & LULL_GC11_COMPUTE_PGM_RSRC2__TG_SIZE_EN_MASK) != 0) {
        w->sgpr[n] = group->wg.nwaves | index << TG_SIZE_WAVE_SHIFT |
                     index << TG_SIZE_ORDERED_SHIFT | (uint32_t)(index == 0) << TG_SIZE_FIRST;
    }
}

/** What trap handlers and debuggers find of any wave. */
static void fill_ttmps(const struct lull_work *d, const struct lull_gpu_group *group,
                       unsigned index, struct lull_wave *w)
{
    for (unsigned i = 0; i < 3; i++) {
        w->sgpr[LULL_SPI_TTMP_GROUP + i] = group->wg.id[i];
    }
    w->sgpr[SGPR_TTMP0 + TTMP_DISPATCH] = d->index & TTMP6_INDEX_MASK;
    w->sgpr[SGPR_TTMP0 + TTMP_WAVE] = index | (uint32_t)(d->scratch_waves == 0)
                                                  << TTMP11_NO_SCRATCH;
}

/** v0: the work-item's ids, ten bits each, as many as TIDIG_COMP_CNT asks for; EXEC: who exists. */
static void fill_lanes(const struct lull_work *d, const uint32_t items[3], unsigned index,
                       struct lull_wave *w)
{
    enum { UNIT = 4 }; // What registers of any host hold.
    typedef uint32_t unit __attribute__((vector_size(UNIT * sizeof(uint32_t))));
    const uint32_t total = items[0] * items[1] * items[2];
    const uint32_t ids = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__TIDIG_COMP_CNT_MASK);
    const uint32_t first = index * d->lanes;
    const uint32_t n = first >= total ? 0 : total - first < d->lanes ? total - first : d->lanes;
    const uint64_t exec = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    const bool some = n != 0 && first != 0; // Divisions take as long as all the rest.
    uint32_t x = some ? first % items[0] : 0, y = some ? first / items[0] % items[1] : 0,
             z = some ? first / items[0] / items[1] : 0;
    for (uint32_t lane = 0; lane < n;) { // Row by row.
        const uint32_t left = n - lane < items[0] - x ? n - lane : items[0] - x;
        const uint32_t high = (ids >= 1 ? y << 10 : 0) | (ids >= 2 ? z << 20 : 0);
        uint32_t *row = w->vgpr + lane;
        uint32_t i = 0;
        unit v = (unit){0, 1, 2, 3} + x;
        for (; i + UNIT <= left; i += UNIT) {
            const unit packed = v | high;
            memcpy(row + i, &packed, sizeof packed);
            v += UNIT;
        }
        for (; i < left; i++) {
            row[i] = (x + i) | high;
        }
        lane += left;
        x = 0;
        if (++y == items[1]) {
            y = 0;
            z++;
        }
    }
    w->sgpr[SGPR_EXEC_LO] = (uint32_t)exec;
    w->sgpr[SGPR_EXEC_HI] = (uint32_t)(exec >> 32);
}

static void start_compute(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                          const uint32_t items[3], struct lull_wave *w)
{
    (void)g;
    fill_sgprs(group->work, group, index, w);
    fill_lanes(group->work, items, index, w);
}

static void compute_over(struct lull_gpu *g, const struct lull_work *d, bool killed)
{
    lull_gpu_dispatch_ended(g, d->id, d->ended, killed);
}

const struct lull_work_source lull_work_compute = {
    .host = &lull_host_compute,
    .undefined = true,
    .start = start_compute,
    .over = compute_over,
};

const struct lull_work_source *lull_work_source(enum lull_work_kind kind)
{
    static const struct lull_work_source *const sources[LULL_WORK_KINDS] = {
        [LULL_WORK_COMPUTE] = &lull_work_compute,
        [LULL_WORK_HULL] = &lull_work_hull,
        [LULL_WORK_GEOMETRY] = &lull_work_geometry,
        [LULL_WORK_PIXELS] = &lull_work_pixels,
    };
    return sources[kind];
}

/** MODE from RSRC1, exceptions from RSRC2 and what SPI_GDBG_PER_VMID_CNTL adds. */
static uint32_t launch_mode(const struct lull_work *d, uint32_t gdbg)
{
    const uint32_t low = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__EXCP_EN_MASK);
    const uint32_t high = lull_field(d->rsrc2, LULL_GC11_COMPUTE_PGM_RSRC2__EXCP_EN_MSB_MASK);
    const uint32_t added = lull_field(gdbg, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__EXCP_EN_MASK);
    const bool replace = (gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__EXCP_REPLACE_MASK) != 0;
    const uint32_t excp = added | (replace ? 0 : low | high << 7);
    const uint32_t launch = lull_field(gdbg, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__LAUNCH_MODE_MASK);
    const bool at_end = (d->rsrc3 & LULL_GC11_COMPUTE_PGM_RSRC3__TRAP_ON_END_MASK) != 0 ||
                        (gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_END_MASK) != 0;
    const uint32_t r1 = d->rsrc1;
    return lull_field(
               r1,
               LULL_GC11_COMPUTE_PGM_RSRC1__FLOAT_MODE_MASK) | // FP_ROUND and FP_DENORM as they are
           lull_field_put(lull_field(r1, LULL_GC11_COMPUTE_PGM_RSRC1__DX10_CLAMP_MASK),
                          LULL_HWREG_MODE__DX10_CLAMP_MASK) |
           lull_field_put(lull_field(r1, LULL_GC11_COMPUTE_PGM_RSRC1__IEEE_MODE_MASK),
                          LULL_HWREG_MODE__IEEE_MASK) |
           lull_field_put(lull_field(r1, LULL_GC11_COMPUTE_PGM_RSRC1__FP16_OVFL_MASK),
                          LULL_HWREG_MODE__FP16_OVFL_MASK) |
           lull_field_put(excp, LULL_HWREG_MODE__EXCP_EN_MASK) |
           lull_field_put(at_end, LULL_HWREG_MODE__WAVE_END_MASK) |
           lull_field_put(launch == LAUNCH_SINGLE_STEP, LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK);
}

static uint32_t launch_status(const struct lull_work *d, const struct lull_gpu_group *group,
                              const struct lull_wave *w, uint32_t gdbg)
{
    const uint32_t launch = lull_field(gdbg, LULL_GC11_SPI_GDBG_PER_VMID_CNTL__LAUNCH_MODE_MASK);
    uint32_t v = LULL_HWREG_STATUS__VALID_MASK;
    v |= lull_field_put(lull_field(d->rsrc1, LULL_GC11_COMPUTE_PGM_RSRC1__PRIORITY_MASK),
                        LULL_HWREG_STATUS__SPI_PRIO_MASK);
    v |= lull_field_put(lull_field(d->rsrc1, LULL_GC11_COMPUTE_PGM_RSRC1__PRIV_MASK),
                        LULL_HWREG_STATUS__PRIV_MASK);
    v |= lull_field_put(w->trap_en, LULL_HWREG_STATUS__TRAP_EN_MASK);
    v |= lull_field_put(group->wg.nwaves > 1, LULL_HWREG_STATUS__IN_TG_MASK);
    v |= lull_field_put(launch == LAUNCH_HALT, LULL_HWREG_STATUS__HALT_MASK);
    v |= lull_field_put(d->scratch_waves != 0, LULL_HWREG_STATUS__SCRATCH_EN_MASK);
    return v;
}

/** The registers that depend on where the wave is and on its VMID. */
static void fill_state(struct lull_gpu *g, const struct lull_work *d, struct lull_gpu_slot *s)
{
    struct lull_wave *w = &s->w;
    const uint32_t tba_hi = g->per_vmid[d->vmid].tba_hi, tma_hi = g->per_vmid[d->vmid].tma_hi;
    const uint32_t gdbg = g->per_vmid[d->vmid].gdbg;
    const uint64_t tba = g->per_vmid[d->vmid].tba_lo | (uint64_t)(tba_hi & 0xff) << 32;
    const uint64_t tma = g->per_vmid[d->vmid].tma_lo | (uint64_t)(tma_hi & 0xff) << 32;
    const unsigned me = d->ring->id == LULL_RING_GFX ? 0 : 1;
    const unsigned pipe = me == 0 ? 0 : (unsigned)d->ring->id - LULL_RING_COMPUTE0;
    w->tba = canonical(tba << ADDRESS_SHIFT);
    w->tma = canonical(tma << ADDRESS_SHIFT);
    w->trap_en = w->tba != 0 && ((tba_hi & LULL_GC11_SQ_SHADER_TBA_HI__TRAP_EN_MASK) != 0 ||
                                 (gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_EN_MASK) != 0 ||
                                 (d->rsrc2 & LULL_GC11_COMPUTE_PGM_RSRC2__TRAP_PRESENT_MASK) != 0);
    w->mode = launch_mode(d, gdbg);
    w->status = launch_status(d, s->group, w, gdbg);
    w->hw_id1 = lull_field_put(s->wave, LULL_HWREG_HW_ID1__WAVE_ID_MASK) |
                lull_field_put(s->unit.simd, LULL_HWREG_HW_ID1__SIMD_ID_MASK) |
                lull_field_put(s->unit.wgp, LULL_HWREG_HW_ID1__WGP_ID_MASK) |
                lull_field_put(s->unit.sa, LULL_HWREG_HW_ID1__SA_ID_MASK) |
                lull_field_put(s->unit.se, LULL_HWREG_HW_ID1__SE_ID_MASK);
    w->hw_id2 = lull_field_put(me, LULL_HWREG_HW_ID2__ME_ID_MASK) |
                lull_field_put(pipe, LULL_HWREG_HW_ID2__PIPE_ID_MASK) |
                lull_field_put(d->vmid, LULL_HWREG_HW_ID2__VM_ID_MASK);
    w->gpr_alloc =
        lull_field_put(d->nvgprs / VGPR_SIZE_GRANULE - 1, LULL_HWREG_GPR_ALLOC__VGPR_SIZE_MASK);
    w->lds_alloc =
        lull_field_put(d->lds_bytes / LDS_ALLOC_GRANULE, LULL_HWREG_LDS_ALLOC__LDS_SIZE_MASK);
    if ((d->rsrc3 & LULL_GC11_COMPUTE_PGM_RSRC3__TRAP_ON_START_MASK) != 0 ||
        (gdbg & LULL_GC11_SPI_GDBG_PER_VMID_CNTL__TRAP_ON_START_MASK) != 0) {
        w->pending = w->trap_en ? LULL_TRAP_WAVE_START : 0;
    }
}

/** Bring wave @p index of @p group to life in its slot. */
static void start_wave(struct lull_gpu *g, struct lull_gpu_group *group, unsigned index,
                       const uint32_t items[3])
{
    const struct lull_work *d = group->work;
    struct lull_gpu_slot *s = group->slots[index];
    uint32_t *vgpr = s->w.vgpr;
    const uint64_t flat_scratch = s->w.flat_scratch;
    const uint32_t scratch_bytes = s->w.scratch_bytes;
    const bool zeros = starts_with_zeros(g, d);
    if (zeros) {
        lull_pool_zero(vgpr);
    } else {
        fill(g, d, vgpr, lull_spi_vgpr_bytes(d));
    }
    s->dirty = zeros && d->kind == LULL_WORK_COMPUTE ? 1 : LULL_WAVE_VGPRS; // v0: fill_lanes()
    struct lull_wave *w = &s->w;
    lull_pool_clear(w, sizeof *w);
    w->vgpr = vgpr;
    w->flat_scratch = flat_scratch;
    w->scratch_bytes = scratch_bytes;
    w->pc = d->pgm;
    w->lanes = d->lanes;
    w->nvgprs = d->nvgprs;
    w->wg = &group->wg;
    w->vm = &g->vm[d->vmid];
    w->code = g->code[d->vmid];
    w->host = d->source->host;
    w->owner = s;
    lull_wave_observe(&s->w, lull_gpu_observer(g));
    s->wake_at = s->look_at = 0;
    s->steps = 0;
    s->was = LULL_WAVE_RUNNING;
    if (!zeros) {
        fill(g, d, s->w.sgpr, SGPR_TTMP0 * sizeof s->w.sgpr[0]); // SGPRs and VCC
    }
    fill_ttmps(d, group, index, &s->w);
    d->source->start(g, group, index, items, &s->w);
    fill_state(g, d, s);
    if (g->aim.kind != LULL_GPU_AIM_OFF && s->w.trap_en && lull_gfx_aim(g, group, index, &s->w)) {
        s->w.pending |= LULL_TRAP_WAVE_START;
    }
    lull_gpu_tell(g, s, index, true);
    lull_gpu_follow_halt(s);
    if (s->w.pending != 0) {
        lull_trap_add(g, s);
    }
}

static void unlink_work(struct lull_gpu *g, struct lull_work *d, bool killed)
{
    if (d->source->over != NULL) {
        d->source->over(g, d, killed);
    }
    struct lull_work **p = &d->ring->works;
    while (*p != d) {
        p = &(*p)->next;
    }
    *p = d->next;
    free(d);
}

void lull_spi_end_group(struct lull_gpu *g, struct lull_gpu_group *group)
{
    unsigned i = g->group_at < g->ngroups && g->groups[g->group_at] == group ? g->group_at : 0;
    while (g->groups[i] != group) {
        i++;
    }
    g->ngroups--;
    const bool was_reserved = i >= g->nopen;
    g->nopen -= !was_reserved;
    memmove(&g->groups[i], &g->groups[i + 1], (g->ngroups - i) * sizeof(struct lull_gpu_group *));
    if (g->group_at > i) {
        g->group_at--;
    } else if (g->group_at == i) {
        g->turn_left = 0; // the next one starts a turn of its own
    }
    group->wgp->lds[0] += group->lds_taken[0];
    group->wgp->lds[1] += group->lds_taken[1];
    struct lull_work *d = group->work;
    d->reserved -= was_reserved;
    d->live--;
    d->ended++;
    d->ring->groups++;
    lull_gpu_progressed(d->ring, 1);
    group->free_next = g->free_groups;
    g->free_groups = group;
    if (d->live == 0 && d->ranges == 0) { // then none is in reserve, either
        unlink_work(g, d, g->killing);
    }
}

void lull_spi_note_dirty(struct lull_gpu_slot *s)
{
    const unsigned written = lull_code_cache_written(s->w.code);
    s->dirty = s->dirty < written ? written : s->dirty;
}

void lull_spi_mark(struct lull_gpu_slot *s)
{
    const size_t each = s->w.lanes * sizeof s->w.vgpr[0];
    lull_pool_mark(s->w.vgpr, lull_spi_vgpr_bytes(s->group->work),
                   s->dirty < LULL_WAVE_VGPRS ? s->dirty * each : SIZE_MAX);
}

void lull_spi_leave(struct lull_gpu_slot *s)
{
    lull_spi_note_dirty(s);
    struct lull_gpu_group *group = s->group;
    if (s->gpu->config.order != NULL) {
        lull_gpu_order_ended(s->gpu, s);
    }
    for (unsigned i = 0; i < group->nslots; i++) {
        if (group->slots[i] == s) {
            lull_gpu_tell(s->gpu, s, i, false);
            group->slots[i] = NULL;
        }
    }
    group->wg.nended++;
}

bool lull_spi_give_back(struct lull_gpu *g, struct lull_gpu_slot *s, struct lull_gpu_vgprs *vgprs)
{
    const struct lull_gpu_group *group = s->group;
    group->wgp->slots[s->unit.simd]++;
    group->wgp->vgprs[s->unit.simd] =
        (uint16_t)(group->wgp->vgprs[s->unit.simd] + group->work->vgpr_cost);
    if (s->scratch >= 0) {
        g->scratch_used[s->unit.se][s->scratch / 64] &= ~(UINT64_C(1) << s->scratch % 64);
    }
    lull_spi_mark(s);
    lull_pool_give(vgprs, lull_spi_vgpr_bytes(group->work), s->w.vgpr);
    s->w.vgpr = NULL;
    s->w.nvgprs = 0;
    s->w.state = LULL_WAVE_ENDED;
    s->w.wg = NULL;
    s->group = NULL;
    g->nwaves--;
    return group->wg.nended == group->nslots;
}

void lull_spi_retire(struct lull_gpu *g, struct lull_gpu_slot *s)
{
    struct lull_gpu_group *group = s->group;
    lull_trap_forget(g, s);
    lull_spi_leave(s);
    if (lull_spi_give_back(g, s, &g->vgprs)) {
        lull_spi_end_group(g, group);
    } else {
        lull_sched_barrier(group);
    }
}

void lull_spi_kill_ring(struct lull_gpu *g, struct lull_gpu_ring *r)
{
    lull_spi_start_all(g);
    g->killing = true;
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        struct lull_gpu_slot *s = &g->slots[i];
        if (s->group->work->ring == r) {
            lull_spi_retire(g, s);
        }
    }
    while (r->works != NULL) {
        unlink_work(g, r->works, true);
    }
    g->killing = false;
}

void lull_spi_group_items(const struct lull_work *d, const uint32_t at[3], uint32_t ret[3])
{
    for (unsigned i = 0; i < 3; i++) {
        ret[i] = at[i] + 1 == d->end[i] ? d->last[i] : d->full[i];
    }
}

void lull_spi_start(struct lull_gpu *g, struct lull_gpu_group *group)
{
    uint32_t items[3] = {0};
    lull_spi_group_items(group->work, group->wg.id, items);
    fill(g, group->work, group->wg.lds, group->work->lds_bytes);
    for (unsigned i = 0; i < group->nslots; i++) {
        start_wave(g, group, i, items);
    }
}

void lull_spi_start_later(struct lull_gpu *g, struct lull_gpu_group *group)
{
    group->fresh = true;
    g->nfresh++;
}

void lull_spi_start_fresh(struct lull_gpu *g, struct lull_gpu_group *group)
{
    const size_t bytes = lull_spi_vgpr_bytes(group->work);
    uint32_t *own[LULL_GROUP_WAVES];
    unsigned n = 0;
    for (; n < group->nslots; n++) {
        uint32_t *last = lull_pool_last(&g->vgprs, bytes);
        if (last == NULL) {
            break;
        }
        own[n] = group->slots[n]->w.vgpr;
        group->slots[n]->w.vgpr = last;
    }
    while (n > 0) {
        lull_pool_give(&g->vgprs, bytes, own[--n]);
    }
    g->nfresh--;
    group->fresh = false;
    lull_spi_start(g, group);
}
