// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's files in debugfs, and those that no real kernel has: records of dispatches and draws,
 * and catches that hold them.
 */
#ifndef LULL_VDRM_AMDGPU_DEBUGFS_H
#define LULL_VDRM_AMDGPU_DEBUGFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/str.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "drm/core/written_abi.h"
#include "vdrm/core/file.h"

struct lull_vd;
struct lull_vda;

#define LULL_VDA_CONTROL "lull_control"

enum { LULL_VDA_NODES = 26 };
extern const struct lull_vd_node lull_vda_nodes[LULL_VDA_NODES];

/** An open lull_control. */
struct lull_vda_control {
    struct lull_vd_file f;        ///< First.
    struct lull_control *catches; ///< LULL_NCATCHES, or NULL; op 0: free.
    struct lull_control *guards;  ///< LULL_NGUARDS, or NULL; op 0: free.
    bool draws;                   ///< LULL_CONTROL_DRAWN came from it.
    bool aims;                    ///< LULL_CONTROL_AIM came from it.
};

/** amdgpu_vm_info */
void lull_vda_vm_info(struct lull_vd *d, struct lull_str *ret);
/** amdgpu_fence_info */
void lull_vda_fence_info(struct lull_vd *d, struct lull_str *ret);
/** amdgpu_ring_NAME: read pointer, write pointer and the driver's copy of it, in dwords. */
#define LULL_VDA_RING "amdgpu_ring_"
ssize_t lull_vda_ring_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);

int lull_vda_dispatches_init(struct lull_vda *d);
/** Some ring stands in front of a dispatch that is held: nothing is a hang. */
bool lull_vda_holding(const struct lull_vd *d);
ssize_t lull_vda_dispatches_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_draws_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_control_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_control_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** Forget its catches, and let go what nobody else holds. */
void lull_vda_control_done(struct lull_vd_file *f);
/** LULL_CONTROL_GUARD: 0 or -errno. */
int lull_vda_guard_set(struct lull_vda_control *f, const struct lull_control *c);
/** The debugger is gone: what its guards say. */
void lull_vda_guards_done(struct lull_vda_control *f);

// draws.c
struct lull_gpu_draw_launch;
struct lull_gpu_fragment;
/** NULL: there is none with that number, or it is lost. */
struct lull_draw_record *lull_vda_draw_record(const struct lull_vda *d, uint64_t number);
ssize_t lull_vda_pixels_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** LULL_CONTROL_PIXEL: 0 or -errno. */
int lull_vda_pixel_set(struct lull_vda *d, const struct lull_control *c);
/** Of struct lull_gpu_watcher. */
void lull_vda_on_fragment(void *ctx, const struct lull_gpu_fragment *f);
bool lull_vda_on_draw(void *ctx, const struct lull_gpu_draw_launch *l, bool again, uint64_t *id);
void lull_vda_on_draw_ended(void *ctx, uint64_t id, bool killed);
// drawn.c
struct lull_gpu_shaded;
struct lull_gpu_primitive;
ssize_t lull_vda_drawn_pixels_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_drawn_primitives_read(struct lull_vd_file *f, uint64_t buf, size_t size,
                                       uint64_t pos);
/** LULL_CONTROL_DRAWN: 0 or -errno. */
int lull_vda_drawn_set(struct lull_vda *d, const struct lull_control *c);
void lull_vda_drawn_done(struct lull_vda *d);
/** How far the counts are; `of` says of what: nothing is looked at through it. */
struct lull_vda_drawn_count {
    const struct lull_vda_drawn *of;
    uint64_t nprims, nshaded;
    bool counts;
};
struct lull_vda_drawn_count lull_vda_drawn_counted(const struct lull_vda *d);
/** The GPU goes back to where it was @p c: what comes again is not counted twice. */
void lull_vda_drawn_count(struct lull_vda *d, const struct lull_vda_drawn_count *c);
/** Draw @p r begins: does it count? */
void lull_vda_drawn_begin(struct lull_vda *d, const struct lull_draw_record *r);
/** Of struct lull_gpu_watcher. */
void lull_vda_on_shaded(void *ctx, const struct lull_gpu_shaded *s);
void lull_vda_on_primitive(void *ctx, const struct lull_gpu_primitive *p);

// aim.c
struct lull_gpu_aimed;
ssize_t lull_vda_aim_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** LULL_CONTROL_AIM: 0 or -errno. */
int lull_vda_aim_set(struct lull_vda_control *f, const struct lull_control *c);
/** Of struct lull_gpu_watcher. */
void lull_vda_on_aimed(void *ctx, const struct lull_gpu_aimed *a);

// time.c
#define LULL_VDA_TIME "lull_time"
struct lull_vda_mark;
/** An open lull_time. */
struct lull_vda_time {
    struct lull_vd_file f;       ///< First.
    struct lull_vda_mark *marks; ///< Oldest first. Owned.
    size_t n, room;
    uint64_t last; ///< Number of the last mark.
};
ssize_t lull_vda_time_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_time_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
void lull_vda_time_done(struct lull_vd_file *f);

// written.c
#define LULL_VDA_WRITTEN "lull_written"
/** An open lull_written. */
struct lull_vda_written {
    struct lull_vd_file f; ///< First.
    struct lull_written_record found;
    bool logs; ///< The log is its.
};
ssize_t lull_vda_written_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_written_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
void lull_vda_written_done(struct lull_vd_file *f);
/** Other memory, or none, is there now in the address space of DRM file @p f. */
void lull_vda_written_forget(struct lull_vda *d, const struct lull_vd_file *f, uint64_t va,
                             uint64_t bytes);

/** Slots of @p f that catch draw @p r, a bit each. */
uint32_t lull_vda_draw_catches(const struct lull_vda_control *f, const struct lull_draw_record *r);
/** An open control catches @p r. */
bool lull_vda_draw_caught(const struct lull_vda *d, const struct lull_draw_record *r);
/** The draw that is held; NULL: none is. */
struct lull_draw_record *lull_vda_held_draw(const struct lull_vda *d);

/** The control that @p f is; NULL: it is another file. */
static inline const struct lull_vda_control *lull_vda_control_of(const struct lull_vd_file *f)
{
    return f->kind == LULL_VD_NODE && strcmp(f->node->name, LULL_VDA_CONTROL) == 0
               ? (const struct lull_vda_control *)f
               : NULL;
}

#endif
