// SPDX-License-Identifier: MIT
// Files that the kernel's driver has: texts of debugfs, numbers, module parameters.
//
// Source: msm_debugfs.c, msm_gem.c (msm_gem_describe()), msm_rd.c, adreno_device.c,
// drivers/base/devcoredump.c; of parameters, kernel/params.c.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/msm.h"

enum { NS_PER_MS = 1000000, NUMBER = 32 };

// msm_gpu_show()
void lull_vdm_gpu_text(struct lull_vd *vd, struct lull_str *ret)
{
    struct lull_vdm *d = lull_vdm(vd);
    lull_str_addf(ret, "%s Status:\n", d->chip->name);
    lull_vdm_show(d, NULL, NULL, ret);
}

static void describe(struct lull_vdm_bo *bo, struct lull_str *ret)
{
    const bool active = !lull_vd_fence_set_idle(&bo->bo.fences);
    lull_str_addf(ret, "%08" PRIx32 ": %c  0 (%2u) %08" PRIx64 " %016x %08" PRIu64 " %9s %-32s\n",
                  bo->flags, active ? 'A' : 'I', bo->bo.refs, bo->bo.offset, 0, bo->bo.size,
                  bo->madv == LULL_VDM_WANTED ? "" : "purgeable", bo->name);
    for (const struct lull_list *l = bo->maps.next; l != &bo->maps; l = l->next) {
        const struct lull_vdm_map *m = lull_container(l, struct lull_vdm_map, of_bo);
        lull_str_addf(ret, "      vmas: [process %d: %08" PRIx64 ",mapped]\n", (int)m->file->f.pid,
                      m->at.key);
    }
}

// msm_gem_describe_objects()
void lull_vdm_gem_text(struct lull_vd *d, struct lull_str *ret)
{
    uint64_t n = 0, bytes = 0;
    lull_str_addf(ret, "   flags       id ref  offset   kaddr            size     madv      "
                       "name\n");
    for (struct lull_tree_node *at = lull_tree_floor(&d->bos, UINT64_MAX); at != NULL;
         at = at->key != 0 ? lull_tree_floor(&d->bos, at->key - 1) : NULL) {
        struct lull_vd_bo *bo = lull_container(at, struct lull_vd_bo, at);
        describe(lull_vdm_bo(bo), ret);
        n++;
        bytes += bo->size;
    }
    lull_str_addf(ret, "Total:    %4" PRIu64 " objects, %9" PRIu64 " bytes\n", n, bytes);
}

static ssize_t give_text(uint64_t buf, size_t size, const char *text, uint64_t pos)
{
    return lull_vd_give(buf, size, text, strlen(text), pos);
}

// The beginning of what is written, as text. @return 0 or -errno.
static int take_text(uint64_t buf, size_t size, char ret[NUMBER])
{
    memset(ret, 0, NUMBER);
    return size >= NUMBER ? -EINVAL : lull_vd_from_user(ret, buf, size);
}

/* Numbers and flags. */

// Milliseconds: how long it may stand, or run.
static uint64_t *period_of(struct lull_vd_file *f)
{
    struct lull_vdm *d = lull_vdm(f->d);
    return strcmp(f->node->name, LULL_VDM_LONGEST) == 0 ? &d->longest_ns : &d->hang_ns;
}

ssize_t lull_vdm_period_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    char text[NUMBER] = "";
    (void)snprintf(text, sizeof text, "%" PRIu64 "\n", *period_of(f) / NS_PER_MS);
    return give_text(buf, size, text, pos);
}

ssize_t lull_vdm_period_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    char text[NUMBER] = "", *end = NULL;
    const int r = take_text(buf, size, text);
    const unsigned long long ms = strtoull(text, &end, 0);
    (void)pos;
    if (r != 0 || end == text || ms > UINT32_MAX) {
        return r != 0 ? r : -EINVAL;
    }
    *period_of(f) = ms * NS_PER_MS;
    return (ssize_t)size;
}

static bool *flag_of(struct lull_vd_file *f)
{
    struct lull_vdm *d = lull_vdm(f->d);
    return strstr(f->node->name, "rd_full") != NULL ? &d->rd_full : &d->hang_debug;
}

ssize_t lull_vdm_flag_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return give_text(buf, size, *flag_of(f) ? "Y\n" : "N\n", pos);
}

// kstrtobool()
ssize_t lull_vdm_flag_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    char text[NUMBER] = "";
    const int r = take_text(buf, size, text);
    const bool on = text[0] != '\0' && strchr("yYtT1", text[0]) != NULL;
    (void)pos;
    if (r != 0 || (!on && (text[0] == '\0' || strchr("nNfF0", text[0]) == NULL))) {
        return r != 0 ? r : -EINVAL;
    }
    *flag_of(f) = on;
    return (ssize_t)size;
}

/* /sys/class/devcoredump/disabled */

ssize_t lull_vdm_disabled_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return give_text(buf, size, lull_vdm(f->d)->no_dumps ? "1\n" : "0\n", pos);
}

// disabled_store(): there is no way back.
ssize_t lull_vdm_disabled_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    char text[NUMBER] = "";
    const int r = take_text(buf, size, text);
    (void)pos;
    if (r != 0 || strtol(text, NULL, 10) != 1) {
        return r != 0 ? r : -EINVAL;
    }
    lull_vdm(f->d)->no_dumps = true;
    lull_vdm_dump_free(lull_vdm(f->d));
    return (ssize_t)size;
}
