// SPDX-License-Identifier: MIT
// Time that passes: command processors, launches and waves in turn.
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"

/** The time of lull_gpu_stop_at() has come, and what begins at it is on the GPU. */
static void stop_all(struct lull_gpu *g)
{
    lull_spi_start_all(g);
    g->stop_at = UINT64_MAX;
    g->still = true;
    lull_gpu_sq_cmd(
        g,
        LULL_GC11_GRBM_GFX_INDEX__SE_BROADCAST_WRITES_MASK |
            LULL_GC11_GRBM_GFX_INDEX__SA_BROADCAST_WRITES_MASK |
            LULL_GC11_GRBM_GFX_INDEX__INSTANCE_BROADCAST_WRITES_MASK,
        lull_field_put(LULL_GC11_SQ_CMD__CMD__TRAP, LULL_GC11_SQ_CMD__CMD_MASK) |
            lull_field_put(LULL_GC11_SQ_CMD__MODE__BROADCAST, LULL_GC11_SQ_CMD__MODE_MASK) |
            LULL_GC11_SQ_CMD__CHECK_VMID_MASK |
            lull_field_put(g->stop_vmid, LULL_GC11_SQ_CMD__VM_ID_MASK));
}

/** What comes next, at most to cycle @p end. False: nothing can move. */
static bool go_on(struct lull_gpu *g, uint64_t end)
{
    struct lull_gpu_round *round = &g->round;
    if (lull_trap_due(g)) {
        const bool moved = lull_trap_run(g, end);
        return (lull_trap_due(g) && lull_spi_reserve(g)) || moved || lull_trap_sleep(g, end);
    }
    if (g->paused || g->still) {
        return lull_trap_sleep(g, end);
    }
    if (!round->waves) {
        const enum lull_cp_turn turn = lull_cp_run(g, end);
        if (turn == LULL_CP_TURN_HELD) {
            return lull_trap_sleep(g, end); // waves that stand may still be asked
        }
        if (turn == LULL_CP_TURN_OVER) {
            round->moved |= !lull_share_can(g) && lull_spi_launch(g) != 0;
            round->waves = true;
        }
        return true;
    }
    if (g->time >= g->stop_at) {
        stop_all(g);
        return true;
    }
    if (lull_share_can(g)) {
        round->moved |= lull_share_turn(g, end - g->cycles) != 0;
    } else {
        round->moved |= lull_sched_turn(g, end - g->cycles) != 0;
    }
    if (!round->over) {
        return true;
    }
    const bool moved = round->moved;
    *round = (struct lull_gpu_round){0};
    return moved || lull_sched_sleep(g, end) || lull_spi_open_one(g) || lull_trap_sleep(g, end);
}

/** Which rings have something to do. */
static void note_rings(struct lull_gpu *g)
{
    g->with_jobs = g->with_works = 0;
    for (unsigned i = 0; i < LULL_RING_COUNT; i++) {
        g->with_jobs |= (uint32_t)(g->rings[i].head != NULL) << i;
        g->with_works |= (uint32_t)(g->rings[i].works != NULL) << i;
    }
}

uint64_t lull_gpu_run(struct lull_gpu *g, uint64_t cycles)
{
    note_rings(g);
    const uint64_t start = g->cycles;
    const uint64_t end = cycles < UINT64_MAX - start ? start + cycles : UINT64_MAX;
    const uint64_t ndone = g->ndone;
    while (g->cycles < end && g->ndone == ndone && go_on(g, end)) {
    }
    lull_spi_start_all(g);
    return g->cycles - start;
}
