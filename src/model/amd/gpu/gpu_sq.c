// SPDX-License-Identifier: MIT
// Waves from outside: SQ_IND_INDEX/DATA reads and writes their registers, SQ_CMD commands them.
//
// GRBM_GFX_INDEX selects the SIMD: SE, SA, and INSTANCE = WGP << 2 | SIMD, which is how HW_ID1
// numbers them. Reading through a broadcast selection reads unit 0. Writes go to every wave
// selected.
#include "hw/sqind_regs.h"
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"

enum {
    INSTANCE_SIMD_BITS = 2,
    SGPR_NULL = 124, // reads 0, keeps nothing (isa/rdna/rdna.h)
    MODE_SINGLE = LULL_GC11_SQ_CMD__MODE__SINGLE,
};

/** Does @p grbm, as written to GRBM_GFX_INDEX, select SIMD @p u? */
static bool selects(uint32_t grbm, const struct lull_gpu_unit *u)
{
    const uint32_t instance = lull_field(grbm, LULL_GC11_GRBM_GFX_INDEX__INSTANCE_INDEX_MASK);
    const uint32_t here = (uint32_t)u->wgp << INSTANCE_SIMD_BITS | u->simd;
    return ((grbm & LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK) != 0 ||
            lull_field(grbm, LULL_GC11_GRBM_GFX_INDEX__SE_INDEX_MASK) == u->se) &&
           ((grbm & LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK) != 0 ||
            lull_field(grbm, LULL_GC11_GRBM_GFX_INDEX__SA_INDEX_MASK) == u->sa) &&
           ((grbm & LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK) != 0 ||
            instance == here);
}

/** First slot of the first SIMD that @p grbm selects; NULL if there is none, or no wave on it. */
static struct lull_gpu_slot *first_simd(struct lull_gpu *g, uint32_t grbm)
{
    for (unsigned i = 0; i < g->nslots; i += LULL_SIMD_SLOTS) {
        const struct lull_gpu_unit u = lull_gpu_unit_of(g, i);
        if (selects(grbm, &u)) {
            return lull_gpu_next_wave(g, i) < i + LULL_SIMD_SLOTS ? &g->slots[i] : NULL;
        }
    }
    return NULL;
}

/** Bit per wave of the SIMD that is there, or (@p idle) that is there and does not run. */
static uint32_t simd_bitmap(const struct lull_gpu_slot *simd, bool idle)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < LULL_SIMD_SLOTS; i++) {
        if (simd[i].group != NULL && (!idle || simd[i].w.state == LULL_WAVE_HALTED)) {
            v |= 1u << i;
        }
    }
    return v;
}

static uint32_t read_wave(const struct lull_wave *w, uint32_t index, uint32_t lane)
{
    if (index >= LULL_SQIND_VGPR0) {
        const uint32_t r = index - LULL_SQIND_VGPR0;
        return r < w->nvgprs && lane < w->lanes ? w->vgpr[r * w->lanes + lane] : 0;
    }
    if (index >= LULL_SQIND_SGPR0) {
        // VCC, TTMPs, M0 and EXEC stand at SGPR0 + their operand number
        const uint32_t r = index - LULL_SQIND_SGPR0;
        return r < sizeof w->sgpr / sizeof w->sgpr[0] ? w->sgpr[r] : 0;
    }
    switch (index) {
    case LULL_SQIND_PC_LO:
        return (uint32_t)w->pc;
    case LULL_SQIND_PC_HI:
        return (uint32_t)(w->pc >> 32) & 0xffff;
    default: // the rest stands at hwreg id + HWREG0, and reads 0 if there is no such hwreg
        return index >= LULL_SQIND_HWREG0 ? lull_wave_hwreg(w, index - LULL_SQIND_HWREG0) : 0;
    }
}

void lull_gpu_follow_halt(struct lull_gpu_slot *s)
{
    struct lull_wave *w = &s->w;
    const bool halt = (w->status & LULL_HWREG_STATUS__FATAL_HALT_MASK) != 0 ||
                      ((w->status & LULL_HWREG_STATUS__HALT_MASK) != 0 &&
                       (w->status & LULL_HWREG_STATUS__PRIV_MASK) == 0);
    if (halt && (w->state == LULL_WAVE_RUNNING || w->state == LULL_WAVE_SLEEP)) {
        w->state = LULL_WAVE_HALTED;
        lull_gpu_note_halt(s->gpu);
    } else if (!halt && w->state == LULL_WAVE_HALTED) {
        w->state = LULL_WAVE_RUNNING;
        lull_trap_back(s);
    }
}

/** The host is above privilege: it may write bits of STATUS that s_setreg may not. */
static void write_hwreg(struct lull_gpu_slot *s, uint32_t id, uint32_t value)
{
    switch (id) {
    case LULL_HWREG_STATUS:
        s->w.scc = lull_field(value, LULL_HWREG_STATUS__SCC_MASK);
        s->w.status =
            value & ~(uint32_t)(LULL_HWREG_STATUS__SCC_MASK | LULL_HWREG_STATUS__EXECZ_MASK |
                                LULL_HWREG_STATUS__VCCZ_MASK);
        lull_gpu_follow_halt(s);
        break;
    case LULL_HWREG_MODE:
        s->w.mode = value;
        break;
    case LULL_HWREG_TRAPSTS:
        s->w.trapsts = value;
        break;
    default:
        lull_wave_set_hwreg(&s->w, id, value);
        break;
    }
}

static void write_wave(struct lull_gpu_slot *s, uint32_t index, uint32_t lane, uint32_t value)
{
    struct lull_wave *w = &s->w;
    if (index >= LULL_SQIND_VGPR0) {
        const uint32_t r = index - LULL_SQIND_VGPR0;
        if (r < w->nvgprs && lane < w->lanes) {
            w->vgpr[r * w->lanes + lane] = value;
            s->dirty = LULL_WAVE_VGPRS;
        }
        return;
    }
    if (index >= LULL_SQIND_SGPR0) {
        const uint32_t r = index - LULL_SQIND_SGPR0;
        if (r < sizeof w->sgpr / sizeof w->sgpr[0] && r != SGPR_NULL) {
            w->sgpr[r] = value;
        }
        return;
    }
    switch (index) {
    case LULL_SQIND_PC_LO:
        w->pc = (w->pc & ~UINT64_C(0xffffffff)) | value;
        break;
    case LULL_SQIND_PC_HI: // 16 bits, and the address stays canonical
        w->pc = (uint64_t)((int64_t)(((uint64_t)value << 32 | (uint32_t)w->pc) << 16) >> 16);
        break;
    default:
        if (index >= LULL_SQIND_HWREG0) {
            write_hwreg(s, index - LULL_SQIND_HWREG0, value);
        }
        break;
    }
}

/** What SQ_IND_INDEX says; with AUTO_INCR steps it to the next register. */
static uint32_t take_index(struct lull_gpu *g)
{
    uint32_t *reg = &g->mmio[LULL_GC11_SQ_IND_INDEX / 4];
    const uint32_t v = *reg;
    if ((v & LULL_GC11_SQ_IND_INDEX__AUTO_INCR_MASK) != 0) {
        const uint32_t next = lull_field(v, LULL_GC11_SQ_IND_INDEX__INDEX_MASK) + 1;
        *reg = (v & ~(uint32_t)LULL_GC11_SQ_IND_INDEX__INDEX_MASK) |
               lull_field_put(next, LULL_GC11_SQ_IND_INDEX__INDEX_MASK);
    }
    return v;
}

uint32_t lull_gpu_sq_read(struct lull_gpu *g, uint32_t grbm)
{
    const uint32_t v = take_index(g);
    const uint32_t index = lull_field(v, LULL_GC11_SQ_IND_INDEX__INDEX_MASK);
    const uint32_t wave = lull_field(v, LULL_GC11_SQ_IND_INDEX__WAVE_ID_MASK);
    const struct lull_gpu_slot *simd = first_simd(g, grbm);
    if (simd == NULL) {
        return 0;
    }
    if (index == LULL_SQIND_ACTIVE || index == LULL_SQIND_VALID_AND_IDLE) {
        return simd_bitmap(simd, index == LULL_SQIND_VALID_AND_IDLE);
    }
    if (wave >= LULL_SIMD_SLOTS || simd[wave].group == NULL) {
        return 0;
    }
    return read_wave(&simd[wave].w, index, lull_field(v, LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_MASK));
}

void lull_gpu_sq_write(struct lull_gpu *g, uint32_t grbm, uint32_t value)
{
    const uint32_t v = take_index(g);
    const uint32_t wave = lull_field(v, LULL_GC11_SQ_IND_INDEX__WAVE_ID_MASK);
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        struct lull_gpu_slot *s = &g->slots[i];
        if (s->wave == wave && selects(grbm, &s->unit)) {
            write_wave(s, lull_field(v, LULL_GC11_SQ_IND_INDEX__INDEX_MASK),
                       lull_field(v, LULL_GC11_SQ_IND_INDEX__WORKITEM_ID_MASK), value);
        }
    }
}

static void set_status(struct lull_gpu_slot *s, uint32_t mask, bool on)
{
    s->w.status = on ? s->w.status | mask : s->w.status & ~mask;
    lull_gpu_follow_halt(s);
}

/**
 * Ask for the trap handler. HALT does not hold a wave back from it, sleep and barriers do not
 * either; a wave that came out of its handler goes back to them.
 */
static void trap(struct lull_gpu_slot *s, uint32_t cause)
{
    struct lull_wave *w = &s->w;
    if (!w->trap_en || w->tba == 0 || (w->status & LULL_HWREG_STATUS__FATAL_HALT_MASK) != 0) {
        return; // nowhere to go
    }
    w->pending |= cause;
    if (!lull_trap_inside(s)) {
        if (w->state == LULL_WAVE_BARRIER || w->state == LULL_WAVE_SLEEP) {
            s->was = w->state;
        }
        lull_trap_add(s->gpu, s);
    }
    w->state = LULL_WAVE_RUNNING;
}

static void command(struct lull_gpu *g, struct lull_gpu_slot *s, uint32_t cmd, uint32_t data)
{
    switch (cmd) {
    case LULL_GC11_SQ_CMD__CMD__SETHALT:
        set_status(s, LULL_HWREG_STATUS__HALT_MASK, (data & 1) != 0);
        break;
    case LULL_GC11_SQ_CMD__CMD__SETFATALHALT:
        set_status(s, LULL_HWREG_STATUS__FATAL_HALT_MASK, (data & 1) != 0);
        break;
    case LULL_GC11_SQ_CMD__CMD__KILL:
        lull_spi_retire(g, s);
        break;
    case LULL_GC11_SQ_CMD__CMD__TRAP:
        trap(s, LULL_TRAP_HOST);
        break;
    case LULL_GC11_SQ_CMD__CMD__SAVECTX:
        trap(s, LULL_TRAP_SAVECTX);
        break;
    case LULL_GC11_SQ_CMD__CMD__TRAP_AFTER_INST:
        s->w.mode = (s->w.mode & ~(uint32_t)LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK) |
                    lull_field_put(data & 1, LULL_HWREG_MODE__TRAP_AFTER_INST_EN_MASK);
        break;
    case LULL_GC11_SQ_CMD__CMD__SINGLE_STEP:
        s->steps++;
        break;
    default: // SET_SPI_PRIO: priorities are not modelled
        break;
    }
}

/** Is @p s one of the waves that SQ_CMD @p value, given to its SIMD, means? */
static bool addressed(const struct lull_gpu_slot *s, uint32_t value)
{
    const uint32_t id2 = s->w.hw_id2;
    const uint32_t queue = lull_field(id2, LULL_HWREG_HW_ID2__QUEUE_ID_MASK);
    if ((value & LULL_GC11_SQ_CMD__CHECK_VMID_MASK) != 0 &&
        lull_field(id2, LULL_HWREG_HW_ID2__VM_ID_MASK) !=
            lull_field(value, LULL_GC11_SQ_CMD__VM_ID_MASK)) {
        return false;
    }
    switch (lull_field(value, LULL_GC11_SQ_CMD__MODE_MASK)) {
    case MODE_SINGLE:
        return s->wave == lull_field(value, LULL_GC11_SQ_CMD__WAVE_ID_MASK);
    case LULL_GC11_SQ_CMD__MODE__BROADCAST:
        return true;
    case LULL_GC11_SQ_CMD__MODE__BROADCAST_QUEUE:
        return queue == lull_field(value, LULL_GC11_SQ_CMD__QUEUE_ID_MASK);
    default: // pipe and me: which one is not in the register; gfx11's driver does not use them
        return false;
    }
}

void lull_gpu_sq_cmd(struct lull_gpu *g, uint32_t grbm, uint32_t value)
{
    const uint32_t cmd = lull_field(value, LULL_GC11_SQ_CMD__CMD_MASK);
    const uint32_t data = lull_field(value, LULL_GC11_SQ_CMD__DATA_MASK);
    for (unsigned i = lull_gpu_next_wave(g, 0); i < g->nslots; i = lull_gpu_next_wave(g, i + 1)) {
        struct lull_gpu_slot *s = &g->slots[i];
        if (selects(grbm, &s->unit) && addressed(s, value)) {
            command(g, s, cmd, data);
            g->commanded = true;
        }
    }
}
