// SPDX-License-Identifier: MIT
/** @file
 * amdgpu's files in debugfs, and the two that no real kernel has: records of dispatches, and
 * catches that hold them.
 */
#ifndef LULL_VDRM_AMDGPU_DEBUGFS_H
#define LULL_VDRM_AMDGPU_DEBUGFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"
#include "drm/amdgpu/debugfs_abi.h"
#include "vdrm/core/file.h"

struct lull_vd;
struct lull_vda;

enum { LULL_VDA_NODES = 10 };
extern const struct lull_vd_node lull_vda_nodes[LULL_VDA_NODES];

/** An open lull_control. */
struct lull_vda_control {
    struct lull_vd_file f;        ///< First.
    struct lull_control *catches; ///< LULL_NCATCHES, or NULL; op 0: free.
    struct lull_control *guards;  ///< LULL_NGUARDS, or NULL; op 0: free.
};

/** amdgpu_vm_info */
void lull_vda_vm_info(struct lull_vd *d, struct lull_str *ret);

int lull_vda_dispatches_init(struct lull_vda *d);
/** Some ring stands in front of a dispatch that is held: nothing is a hang. */
bool lull_vda_holding(const struct lull_vd *d);
ssize_t lull_vda_dispatches_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_control_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
ssize_t lull_vda_control_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos);
/** Forget its catches, and let go what nobody else holds. */
void lull_vda_control_done(struct lull_vd_file *f);
/** LULL_CONTROL_GUARD: 0 or -errno. */
int lull_vda_guard_set(struct lull_vda_control *f, const struct lull_control *c);
/** The debugger is gone: what its guards say. */
void lull_vda_guards_done(struct lull_vda_control *f);

#endif
