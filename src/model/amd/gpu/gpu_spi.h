// SPDX-License-Identifier: MIT
/** @file
 * Inside the model GPU: its dispatcher (SPI). Works come from packets and draws; their workgroups
 * are placed, started, and go.
 */
#ifndef LULL_MODEL_AMD_GPU_SPI_H
#define LULL_MODEL_AMD_GPU_SPI_H

#include "model/amd/gpu/gpu_impl.h"

// gpu_place.c
/** Where the waves of a group would go. */
struct lull_gpu_place {
    struct lull_gpu_wgp *wgp;
    unsigned index;
    uint32_t lds[2];
    uint8_t simd[LULL_GROUP_WAVES];
};

/** Bits of word @p word of an SE's scratch slots that are below slot @p limit. */
uint64_t lull_spi_scratch_word(unsigned word, unsigned limit);
/** Room for @p nwaves waves of @p d with the LDS of its groups. False: there is none. */
bool lull_spi_find_place(struct lull_gpu *g, const struct lull_work *d, unsigned nwaves,
                         struct lull_gpu_place *ret);

// gpu_spi.c
/**
 * Start a dispatch with the ring's registers.
 *
 * @param dim Of the packet. @param initiator COMPUTE_DISPATCH_INITIATOR.
 * @return NULL, or why the hardware would hang.
 */
struct lull_error *lull_spi_dispatch(struct lull_gpu *g, struct lull_gpu_ring *r,
                                     const uint32_t dim[3], uint32_t initiator) LULL_MUST_USE;
/**
 * Have the waves of @p like launched, on ring @p r for the job at its head, after those of the
 * works before. False: no memory.
 */
bool lull_spi_add(struct lull_gpu *g, struct lull_gpu_ring *r, enum lull_work_kind kind,
                  const struct lull_work *like);
/** By enum lull_work_kind. Those of draws stand above this folder (model/amd/gfx). */
extern const struct lull_work_source lull_work_compute, lull_work_hull, lull_work_geometry,
    lull_work_pixels;
const struct lull_work_source *lull_work_source(enum lull_work_kind kind);
/** Wave @p index of @p group, which starts, is the one of lull_gpu_aim(): the watcher is told.
 * Above this folder, too. */
bool lull_gfx_aim(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                  const struct lull_wave *w);
/** What wave @p index of @p group, of a draw, is: the name of its stage, and what its lanes do;
 * both as struct lull_observed_wave has them. @return False: what they do is not known. */
bool lull_gfx_lanes(struct lull_gpu *g, const struct lull_gpu_group *group, unsigned index,
                    const struct lull_wave *w, const char **stage, uint32_t (*at)[2]);
/** COMPUTE_STATIC_THREAD_MGMT_SEn, by n. */
extern const uint32_t lull_spi_thread_mgmt[LULL_MAX_SE];
/** Items of the group of @p d at @p at, in each direction. */
void lull_spi_group_items(const struct lull_work *d, const uint32_t at[3], uint32_t ret[3]);
/** Waves of a group of so many items. */
uint32_t lull_spi_group_waves(const struct lull_work *d, const uint32_t items[3]);
/** SGPRs that get the workgroup's ids, in each direction; LULL_SPI_NO_SGPR: none does. @return The
 * SGPR behind them. */
unsigned lull_spi_id_sgprs(const struct lull_work *d, unsigned ret[3]);
enum {
    LULL_SPI_NO_SGPR = 128,
    LULL_SPI_TTMP_GROUP = 108 + 8, ///< TTMP8 to 10: the ids, whatever the program asks for.
};
/** Bring the waves of @p group, which was placed, to life. */
void lull_spi_start(struct lull_gpu *g, struct lull_gpu_group *group);
/** Let its waves be started when the first of them runs, or before anybody can see them: so those
 * that run one after the other use the same registers, which are in the host's cache. */
void lull_spi_start_later(struct lull_gpu *g, struct lull_gpu_group *group);
/** Start it now. */
void lull_spi_start_fresh(struct lull_gpu *g, struct lull_gpu_group *group);
/** Start all that wait for it: before somebody looks at waves, or changes what they start with. */
static inline void lull_spi_start_all(struct lull_gpu *g)
{
    for (unsigned i = 0; g->nfresh != 0 && i < g->ngroups; i++) {
        if (g->groups[i]->fresh) {
            lull_spi_start_fresh(g, g->groups[i]);
        }
    }
}
/** The wave is gone: free its slot, and the workgroup and dispatch if it was their last. */
void lull_spi_retire(struct lull_gpu *g, struct lull_gpu_slot *s);
/** What its code has written is dirty: before it runs other code, or none. */
void lull_spi_note_dirty(struct lull_gpu_slot *s);
/** It has ended: its VGPRs say how much of them is dirty. */
void lull_spi_mark(struct lull_gpu_slot *s);
/** The same in two steps. It is in its group no more, but in its slot: */
void lull_spi_leave(struct lull_gpu_slot *s);
/** slot and registers, which go to @p vgprs, are free. @return Its workgroup has ended with it. */
bool lull_spi_give_back(struct lull_gpu *g, struct lull_gpu_slot *s, struct lull_gpu_vgprs *vgprs);
/** All waves of @p group have gone. */
void lull_spi_end_group(struct lull_gpu *g, struct lull_gpu_group *group);
/** Kill all waves of @p r and forget its dispatches. */
void lull_spi_kill_ring(struct lull_gpu *g, struct lull_gpu_ring *r);
/** No dispatch of @p r is launching or running. */
static inline bool lull_spi_idle(const struct lull_gpu_ring *r)
{
    return r->works == NULL;
}

// gpu_again.c
/** Put down how @p group begins, whose waves stand at their start, ready to run. */
void lull_again_keep(struct lull_gpu_image *m, const struct lull_gpu_group *group);
/** All waves of @p group have ended, and whoever ran it goes on: as lull_spi_again(), and its waves
 * are started, too, if it is the group of @p m. @return Its items; 0: it does not begin as that
 * did, and nothing is done. */
uint32_t lull_again_start(const struct lull_gpu_image *m, struct lull_gpu_group *group,
                          uint64_t number);

// gpu_launch.c
/** Launch what there is room for, up to a target. @return Workgroups launched. */
unsigned lull_spi_launch(struct lull_gpu *g);
/** Place the next workgroup, with registers of @p vgprs, without starting its waves. @p range:
 * where it was from. NULL: there is none, or no room, or no memory. */
struct lull_gpu_group *lull_spi_place_next(struct lull_gpu *g, struct lull_gpu_vgprs *vgprs,
                                           unsigned *range);
/** All waves of @p group have ended: where it is, with its registers, it becomes number @p number
 * of its work, without starting its waves. @return Its items; 0: it is of another size. */
uint32_t lull_spi_again(struct lull_gpu_group *group, uint64_t number);
/** There are more groups of @p d, and they may come now. */
bool lull_spi_may_launch(const struct lull_gpu *g, const struct lull_work *d);
/** Waves that came last stand in their handlers: place more workgroups, in reserve, if theirs go
 * into their handlers at their start. False: none. */
bool lull_spi_reserve(struct lull_gpu *g);
/** Nothing else can move: let one that can out of the reserve. False: none can. */
bool lull_spi_open_one(struct lull_gpu *g);
/** The work of @p r not all of whose groups have been launched; NULL: none. */
static inline struct lull_work *lull_spi_launching(const struct lull_gpu_ring *r)
{
    struct lull_work *d = r->works;
    while (d != NULL && d->ranges == 0 && d->reserved == 0) {
        d = d->next;
    }
    return d;
}

/** Bytes of the VGPRs of a wave of @p d. */
static inline size_t lull_spi_vgpr_bytes(const struct lull_work *d)
{
    return (size_t)d->nvgprs * d->lanes * sizeof(uint32_t);
}

#endif
