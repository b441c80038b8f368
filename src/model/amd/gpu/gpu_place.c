// SPDX-License-Identifier: MIT
// Dispatcher: where there is room for a workgroup.
#include "model/amd/gpu/gpu_impl.h"
#include "model/amd/gpu/gpu_spi.h"

enum { BOTH_CUS = 3 }; // of a WGP

/** Fill @p p for @p nwaves on WGP @p index from SIMD @p first on; false if they do not fit. */
static bool fits(struct lull_gpu *g, const struct lull_work *d, unsigned index, unsigned first,
                 unsigned nwaves, struct lull_gpu_place *p)
{
    struct lull_gpu_wgp *wgp = &g->wgps[index];
    struct lull_gpu_wgp left = *wgp;
    const bool whole = (d->rsrc1 & LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK) != 0;
    const unsigned nsimds = whole ? LULL_NSIMD : LULL_NSIMD / 2;
    const unsigned cu = first / 2;
    const uint32_t here = d->lds_bytes < left.lds[cu] ? d->lds_bytes : left.lds[cu];
    p->wgp = wgp;
    p->index = index;
    p->lds[cu] = here;
    p->lds[1 - cu] = 0;
    if (here < d->lds_bytes) {
        p->lds[1 - cu] = d->lds_bytes - here;
        if (!whole || p->lds[1 - cu] > left.lds[1 - cu]) {
            return false;
        }
    }
    for (unsigned i = 0; i < nwaves; i++) {
        unsigned best = LULL_NSIMD;
        for (unsigned k = 0; k < nsimds; k++) {
            const unsigned simd = first + k;
            if (left.slots[simd] != 0 && left.vgprs[simd] >= d->vgpr_cost &&
                (best == LULL_NSIMD || left.slots[simd] > left.slots[best])) {
                best = simd;
            }
        }
        if (best == LULL_NSIMD) {
            return false;
        }
        left.slots[best]--;
        left.vgprs[best] = (uint16_t)(left.vgprs[best] - d->vgpr_cost);
        p->simd[i] = (uint8_t)best;
    }
    return true;
}

/** Scratch slots of word @p word of an SE's bitmap that are below @p limit. */
uint64_t lull_spi_scratch_word(unsigned word, unsigned limit)
{
    const unsigned first = word * 64;
    return limit >= first + 64 ? UINT64_MAX
           : limit > first     ? (UINT64_C(1) << (limit - first)) - 1
                               : 0;
}

static unsigned scratch_left(const struct lull_gpu *g, unsigned se, unsigned limit)
{
    unsigned n = 0;
    for (unsigned i = 0; i * 64 < limit; i++) {
        n += (unsigned)__builtin_popcountll(lull_spi_scratch_word(i, limit) &
                                            ~g->scratch_used[se][i]);
    }
    return n;
}

/** Bit for each CU of a WGP, numbered in its SE, that may have waves of @p d. */
static uint32_t enabled_cus(const struct lull_gpu_config *c, const struct lull_work *d, unsigned se,
                            unsigned wgp)
{
    const unsigned sa = wgp / c->wgp_per_sa, first = wgp % c->wgp_per_sa * 2;
    const uint32_t mask = sa == 0 ? LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE0__SA0_CU_EN_MASK
                                  : LULL_GC11_COMPUTE_STATIC_THREAD_MGMT_SE0__SA1_CU_EN_MASK;
    // The fields have 16 bits; a model with more CUs than that has them all.
    return first < 16 ? lull_field(d->cus[se], mask) >> first & BOTH_CUS : BOTH_CUS;
}

/** WGPs are tried in turn, the next SE first, so that groups spread over the chip. */
bool lull_spi_find_place(struct lull_gpu *g, const struct lull_work *d, unsigned nwaves,
                         struct lull_gpu_place *p)
{
    const struct lull_gpu_config *c = &g->config;
    const unsigned in_se = c->sa_per_se * c->wgp_per_sa;
    const bool whole = (d->rsrc1 & LULL_GC11_COMPUTE_PGM_RSRC1__WGP_MODE_MASK) != 0;
    for (unsigned i = 0; i < g->nwgps; i++) {
        const unsigned n = (g->wgp_next + i) % g->nwgps;
        const unsigned se = n % c->se;
        const unsigned index = se * in_se + n / c->se;
        if (d->scratch_waves != 0 && scratch_left(g, se, d->scratch_waves) < nwaves) {
            continue;
        }
        const uint32_t cus = enabled_cus(c, d, se, n / c->se);
        const bool first = whole ? cus == BOTH_CUS : (cus & 1) != 0;
        if ((first && fits(g, d, index, 0, nwaves, p)) ||
            (!whole && (cus & 2) != 0 && fits(g, d, index, 2, nwaves, p))) {
            g->wgp_next = n + 1;
            return true;
        }
    }
    return false;
}
