// SPDX-License-Identifier: MIT
#include "target/amd/inspect.h"

#include "hw/hwreg_regs.h"
#include "target/amd/device_priv.h"

enum { NSIMD = 4, NSLOTS = 16, MAX_WGP = 16, MAX_SA = 2 }; // of gfx11: SIMDs in a WGP, waves in one

struct lull_error *lull_amd_last_fault(struct lull_amd_device *d, struct lull_amdgpu_vm_fault *ret)
{
    return lull_amdgpu_vm_fault(d->k, d->fd, ret);
}

size_t lull_amd_nbos(const struct lull_amd_device *d)
{
    return d->nbos;
}

const struct lull_amd_bo *lull_amd_bo_at(const struct lull_amd_device *d, size_t i)
{
    return i < d->nbos ? d->bos[i] : NULL;
}

struct scan {
    struct lull_debugfs *debugfs;
    uint64_t start, end;
    struct lull_amd_wave *waves;
    size_t room, n;
};

/** All slots of one WGP. */
LULL_MUST_USE static struct lull_error *scan_wgp(struct scan *s, struct lull_wave_slot slot)
{
    for (unsigned i = 0; i < NSIMD * NSLOTS && s->n < s->room; i++) {
        struct lull_wave_status st = {0};
        slot.simd = (uint8_t)(i / NSLOTS);
        slot.wave = (uint8_t)(i % NSLOTS);
        struct lull_error *err = lull_debugfs_read_wave(s->debugfs, slot, &st);
        if (err != NULL) {
            return err;
        }
        if ((st.status & LULL_HWREG_STATUS__VALID_MASK) != 0 && st.pc >= s->start &&
            st.pc < s->end) {
            s->waves[s->n++] = (struct lull_amd_wave){.slot = slot, .status = st};
        }
    }
    return NULL;
}

struct lull_error *lull_amd_scan(struct lull_amd_device *d, unsigned dri, uint64_t start,
                                 uint64_t end, struct lull_amd_wave *ret, size_t room,
                                 size_t *ret_n)
{
    struct lull_debugfs debugfs = {0};
    lull_debugfs_init(&debugfs, d->k, dri);
    struct scan s = {.debugfs = &debugfs, .start = start, .end = end, .waves = ret, .room = room};
    struct lull_error *err = NULL;
    for (unsigned se = 0; err == NULL && se < d->info.shader_engines; se++) {
        for (unsigned sa = 0; err == NULL && sa < MAX_SA; sa++) {
            const uint32_t cus = d->info.cu_bitmap[se & 3][sa + 2 * (se >> 2)];
            for (unsigned wgp = 0; err == NULL && wgp < MAX_WGP; wgp++) {
                if ((cus >> 2 * wgp & 3) != 0) {
                    err = scan_wgp(&s, (struct lull_wave_slot){.se = (uint8_t)se,
                                                               .sa = (uint8_t)sa,
                                                               .wgp = (uint8_t)wgp});
                }
            }
        }
    }
    lull_debugfs_done(&debugfs);
    *ret_n = s.n;
    return err;
}
