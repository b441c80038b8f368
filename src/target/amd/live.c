// SPDX-License-Identifier: MIT
#include "target/amd/live.h"

#include <stdlib.h>

#include "arch/arch.h"
#include "base/error.h"
#include "hw/gc11_regs.h"
#include "target/amd/debug_priv.h"
#include "target/amd/program_priv.h"

enum { SIMDS = 4, WAVES = 16, SAS = 2, MOST_ENGINES = 32, MOST_WGPS = 64, PAGE_SHIFT = 12 };

static struct lull_amd_target *of(struct lull_target *t)
{
    return (struct lull_amd_target *)t;
}

static void destroy(struct lull_target *base)
{
    lull_debugfs_done(&of(base)->debugfs);
    free(of(base));
}

/** Nothing stands. */
LULL_MUST_USE static struct lull_error *waves(struct lull_target *t, struct lull_wave_info *infos,
                                              size_t room, size_t *ret)
{
    (void)t;
    (void)infos;
    (void)room;
    *ret = 0;
    return NULL;
}

LULL_MUST_USE static struct lull_error *bos(struct lull_target *t, struct lull_bo_info *infos,
                                            size_t room, size_t *ret)
{
    return lull_amd_mappings(of(t), infos, room, ret);
}

LULL_MUST_USE static struct lull_error *dispatches(struct lull_target *t, uint64_t first,
                                                   struct lull_dispatch_info *infos, size_t room,
                                                   size_t *ret)
{
    struct lull_control_state state = {0};
    struct lull_error *err = lull_debugfs_control_state(&of(t)->debugfs, &state);
    for (size_t i = 0; err == NULL && i < room && first + i < state.count; i++) {
        struct lull_dispatch_record r = {0};
        size_t n = 0;
        err = lull_debugfs_dispatches(&of(t)->debugfs, first + i, &r, 1, &n);
        if (err == NULL) {
            lull_amd_dispatch_info(&r, 0, &infos[i]);
        }
    }
    *ret = first < state.count ? (size_t)(state.count - first) : 0;
    return err;
}

static const struct lull_target_ops ops = {
    .kind = "live",
    .arch = &lull_arch_rdna3,
    .destroy = destroy,
    .waves = waves,
    .running = lull_amd_running,
    .read = lull_amd_read,
    .bos = bos,
    .walk = lull_amd_walk,
    .dispatches = dispatches,
};

struct lull_error *lull_amd_live_new(struct lull_kernel *k, unsigned dri, struct lull_target **ret)
{
    struct lull_gca_config c = {0};
    struct lull_amd_target *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return &lull_enomem;
    }
    t->base.ops = &ops;
    t->live = true;
    lull_debugfs_init(&t->debugfs, k, dri);
    struct lull_error *err = lull_debugfs_gca_config(&t->debugfs, &c);
    if (err == NULL && (c.shader_engines == 0 || c.shader_engines > MOST_ENGINES ||
                        c.wgps_per_array == 0 || c.wgps_per_array > MOST_WGPS)) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "amdgpu_gca_config: %u shader engines, %u WGPs in an array",
                             c.shader_engines, c.wgps_per_array);
    }
    if (err != NULL) {
        destroy(&t->base);
        return err;
    }
    t->wgps = c.wgps_per_array;
    t->nslots = c.shader_engines * SAS * t->wgps * SIMDS * WAVES;
    *ret = &t->base;
    return NULL;
}

void lull_amd_live_select(struct lull_target *t, unsigned vmid)
{
    of(t)->vmid = vmid;
}

struct lull_error *lull_amd_live_state(struct lull_target *t, struct lull_amd_live_state *ret)
{
    const struct lull_reg_bank none = {0};
    struct lull_debugfs *d = &of(t)->debugfs;
    uint32_t at[2] = {0};
    struct lull_amd_live_state s = {0};
    struct lull_error *err =
        lull_debugfs_read_regs(d, &none, LULL_GC11_GRBM_STATUS, &s.grbm_status, 1);
    if (err == NULL) {
        err = lull_debugfs_read_regs(d, &none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_STATUS,
                                     &s.fault_status, 1);
    }
    if (err == NULL) {
        err = lull_debugfs_read_regs(d, &none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_LO32, &at[0],
                                     1);
    }
    if (err == NULL) {
        err = lull_debugfs_read_regs(d, &none, LULL_GC11_GCVM_L2_PROTECTION_FAULT_ADDR_HI32, &at[1],
                                     1);
    }
    s.fault_page = (at[0] | (uint64_t)at[1] << 32) << PAGE_SHIFT;
    *ret = s;
    return err;
}
