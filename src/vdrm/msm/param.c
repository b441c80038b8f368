// SPDX-License-Identifier: MIT
// What the driver says of its GPU.
//
// Source: adreno_get_param(), adreno_set_param().
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vdrm/core/user.h"
#include "vdrm/msm/msm.h"

enum { EN_VM_BIND = 0x16 }; // MSM_PARAM_EN_VM_BIND, of version 1.13

static int get(struct lull_vdm *d, const struct lull_vdm_file *f, uint32_t param, uint64_t *ret)
{
    const struct lull_achip *c = d->chip;
    const struct {
        uint32_t param;
        uint64_t value;
    } params[] = {
        {MSM_PARAM_GPU_ID, c->gpu_id},
        {MSM_PARAM_GMEM_SIZE, c->gmem_bytes},
        {MSM_PARAM_GMEM_BASE, c->gmem_base},
        {MSM_PARAM_CHIP_ID, c->chip_id},
        {MSM_PARAM_MAX_FREQ, c->max_freq_hz},
        {MSM_PARAM_TIMESTAMP, d->ops->clock(d->gpu)},
        {MSM_PARAM_PRIORITIES, c->rings * LULL_VDM_PRIORITIES},
        {MSM_PARAM_PP_PGTABLE, 0},
        {MSM_PARAM_FAULTS, d->global_faults + f->faults},
        {MSM_PARAM_SUSPENDS, 0},
        {MSM_PARAM_VA_START, d->va_start},
        {MSM_PARAM_VA_SIZE, d->va_size},
        {MSM_PARAM_HIGHEST_BANK_BIT, c->highest_bank_bit},
        {MSM_PARAM_RAYTRACING, 0},
        {MSM_PARAM_UBWC_SWIZZLE, c->ubwc_swizzle},
        {MSM_PARAM_MACROTILE_MODE, c->macrotile_mode},
    };
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++) {
        if (params[i].param == param) {
            *ret = params[i].value;
            return 0;
        }
    }
    return -EINVAL;
}

// msm_ioctl_get_param()
int lull_vdm_get_param(struct lull_vd_file *f, void *p)
{
    struct drm_msm_param *arg = p;
    if (arg->pipe != MSM_PIPE_3D0 || arg->pad != 0 || arg->len != 0) {
        return -EINVAL;
    }
    uint64_t value = arg->value;
    const int r = get(lull_vdm(f->d), lull_vdm_file(f), arg->param, &value);
    arg->value = value;
    return r;
}

// A text of the client's: who it is, for dumps.
static int take_text(struct lull_vdm_file *f, const struct drm_msm_param *arg)
{
    char text[LULL_VD_PAGE] = "";
    const int r = arg->len >= sizeof text ? -EINVAL : lull_vd_from_user(text, arg->value, arg->len);
    char *copy = r == 0 ? strdup(text) : NULL;
    if (copy == NULL) {
        return r != 0 ? r : -ENOMEM;
    }
    char **at = &f->told[arg->param == MSM_PARAM_CMDLINE];
    free(*at);
    *at = copy;
    return 0;
}

int lull_vdm_vm_bind(struct lull_vd_file *f, void *arg)
{
    (void)arg;
    lull_vd_log(f->d, 3, "process %d asks for VM_BIND, which is of msm 1.13; this is %d.%d",
                (int)f->pid, f->d->driver->major, f->d->driver->minor);
    return -EINVAL;
}

// msm_ioctl_set_param(). Clients have no CAP_SYS_ADMIN, which SYSPROF takes.
int lull_vdm_set_param(struct lull_vd_file *f, void *p)
{
    const struct drm_msm_param *arg = p;
    if (arg->pipe != MSM_PIPE_3D0 || arg->pad != 0) {
        return -EINVAL;
    }
    if (arg->param == EN_VM_BIND) {
        return lull_vdm_vm_bind(f, p);
    }
    if (arg->param == MSM_PARAM_COMM || arg->param == MSM_PARAM_CMDLINE) {
        return take_text(lull_vdm_file(f), arg);
    }
    return arg->len == 0 && arg->param == MSM_PARAM_SYSPROF ? -EPERM : -EINVAL;
}
