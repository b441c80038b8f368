// SPDX-License-Identifier: MIT
// amdgpu_vm_info.
#include "vdrm/amdgpu/amdgpu.h"
#include "vdrm/amdgpu/debugfs.h"

static void print_bo(struct lull_str *s, unsigned id, const struct lull_vda_bo *bo)
{
    static const struct {
        uint64_t flag;
        const char *name;
    } flags[] = {
        {AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED, " CPU_ACCESS_REQUIRED"},
        {AMDGPU_GEM_CREATE_NO_CPU_ACCESS, " NO_CPU_ACCESS"},
        {AMDGPU_GEM_CREATE_CPU_GTT_USWC, " CPU_GTT_USWC"},
        {AMDGPU_GEM_CREATE_VRAM_CLEARED, " VRAM_CLEARED"},
        {AMDGPU_GEM_CREATE_VRAM_CONTIGUOUS, " VRAM_CONTIGUOUS"},
        {AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, " VM_ALWAYS_VALID"},
        {AMDGPU_GEM_CREATE_EXPLICIT_SYNC, " EXPLICIT_SYNC"},
    };
    lull_str_addf(s, "\t\t0x%08x: %12llu byte %s", id, (unsigned long long)bo->bo.size,
                  bo->bo.region == LULL_VDA_VRAM ? "VRAM VISIBLE" : "GTT");
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        lull_str_addf(s, "%s", (bo->flags & flags[i].flag) != 0 ? flags[i].name : "");
    }
    lull_str_addf(s, "\n");
}

// amdgpu_debugfs_vm_bo_info(): nothing is ever evicted or moved here.
static void print_vm(struct lull_str *s, const struct lull_vd_file *f)
{
    static const char *const states[] = {"Idle",  "Evicted",     "Relocated",
                                         "Moved", "Invalidated", "Done"};
    enum { IDLE, DONE = 5, N = 6 };
    unsigned count[N] = {0};
    unsigned long long size[N] = {0};
    for (unsigned state = 0; state < N; state++) {
        lull_str_addf(s, "\t%s BOs:\n", states[state]);
        for (uint32_t i = 0; i < f->bos.n; i++) {
            const struct lull_vda_bo *bo =
                f->bos.slots[i] != NULL ? lull_vda_bo(f->bos.slots[i]) : NULL;
            const bool always = bo != NULL && (bo->flags & AMDGPU_GEM_CREATE_VM_ALWAYS_VALID) != 0;
            if (bo != NULL && state == (always ? IDLE : DONE)) {
                print_bo(s, count[state]++, bo);
                size[state] += bo->bo.size;
            }
        }
    }
    static const char *const totals[] = {
        "idle size:        ", "evicted size:     ", "relocated size:   ",
        "moved size:       ", "invalidated size: ", "done size:        "};
    for (unsigned state = 0; state < N; state++) {
        lull_str_addf(s, "\tTotal %s%12llu\tobjs:\t%u\n", totals[state], size[state], count[state]);
    }
}

void lull_vda_vm_info(struct lull_vd *d, struct lull_str *ret)
{
    for (const struct lull_vd_file *f = d->files; f != NULL; f = f->next) {
        if (f->kind == LULL_VD_DRM) {
            lull_str_addf(ret, "pid:%u\tProcess:client%u ----------\n", f->id, f->id);
            print_vm(ret, f);
        }
    }
}
