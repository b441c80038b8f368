// SPDX-License-Identifier: MIT
// Files by which debuggers stop the GPU and look at it: drm/msm/debug_abi.h; and the table of all
// files, with those that the kernel has.
#include <errno.h>
#include <string.h>

#include "drm/msm/debug_abi.h"
#include "vdrm/core/crumbs.h"
#include "vdrm/core/user.h"
#include "vdrm/core/wait.h"
#include "vdrm/msm/debugfs.h"

#define PARAMETERS "/sys/module/msm/parameters/"
#define DUMPS "/sys/class/devcoredump/"

_Static_assert((int)LULL_MSM_STOP_ILLEGAL == (int)LULL_AGPU_STOP_ILLEGAL &&
                   (int)LULL_MSM_LOST == (int)LULL_AGPU_LOST &&
                   (int)LULL_MSM_UBO == (int)LULL_AGPU_UBO &&
                   (int)LULL_MSM_CS == (int)LULL_AGPU_CS &&
                   (int)LULL_MSM_BREAKPOINTS == (int)LULL_AGPU_BREAKPOINTS &&
                   (int)LULL_MSM_PACKET_WRONG == (int)LULL_AGPU_PACKET_WRONG &&
                   (int)LULL_MSM_PACKET_NUMBER == (int)LULL_AGPU_PACKET_NUMBER &&
                   (int)LULL_MSM_PACKET_STOPS == (int)LULL_AGPU_PACKETS &&
                   (int)LULL_MSM_FRAMES == (int)LULL_AGPU_FRAMES &&
                   (int)LULL_MSM_REG_UNKNOWN == (int)LULL_AGPU_REG_UNKNOWN,
               "the words of debug_abi.h are those of the GPU");

static const struct lull_agpu_debug_ops *ops_of(const struct lull_vd_file *f)
{
    return lull_vdm_const(f->d)->ops->debug;
}

static struct lull_agpu *gpu_of(const struct lull_vd_file *f)
{
    return lull_vdm_const(f->d)->gpu;
}

static ssize_t go(const struct lull_vd_file *f, const struct lull_msm_control *c)
{
    for (uint32_t i = 0; i < LULL_MSM_MAX_WAVES; i++) {
        if ((c->go >> i & 1) != 0 && !ops_of(f)->go(gpu_of(f), i, (c->step >> i & 1) != 0)) {
            return -ENOENT;
        }
    }
    return sizeof *c;
}

static ssize_t watch(const struct lull_vd_file *f, const struct lull_msm_control *c)
{
    struct lull_agpu_stops s = {.dispatches = (c->flags & LULL_MSM_WATCH_DISPATCHES) != 0,
                                .draws = (c->flags & LULL_MSM_WATCH_DRAWS) != 0,
                                .starts = (c->flags & LULL_MSM_WATCH_STARTS) != 0,
                                .n = (unsigned)c->n};
    memcpy(s.at, c->at, sizeof s.at);
    ops_of(f)->watch(gpu_of(f), &s);
    return sizeof *c;
}

static ssize_t control_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_msm_control c = {0};
    if (pos != 0 || size != sizeof c || ops_of(f) == NULL) {
        return -EINVAL;
    }
    if (lull_vd_from_user(&c, buf, sizeof c) != 0) {
        return -EFAULT;
    }
    f->d->changed = true;
    switch (c.op) {
    case LULL_MSM_WATCH:
        return c.n <= LULL_MSM_BREAKPOINTS ? watch(f, &c) : -EINVAL;
    case LULL_MSM_RELEASE:
        return ops_of(f)->release(gpu_of(f)) ? (ssize_t)sizeof c : -ENOENT;
    case LULL_MSM_GO:
        return go(f, &c);
    case LULL_MSM_INTERRUPT:
        ops_of(f)->interrupt(gpu_of(f));
        return sizeof c;
    default:
        return -EINVAL;
    }
}

static ssize_t control_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    if (pos != 0 || size != sizeof(struct lull_msm_control_state) || ops_of(f) == NULL) {
        return -EINVAL;
    }
    lull_vd_poll(f->d);
    struct lull_msm_control_state s = {.dispatches = ops_of(f)->count(gpu_of(f)),
                                       .draws = ops_of(f)->ndraws(gpu_of(f)),
                                       .stands = ops_of(f)->stands(gpu_of(f))};
    struct lull_agpu_dispatch d = {0};
    struct lull_agpu_draw drawn = {0};
    struct lull_agpu_packet at = {.stop = LULL_AGPU_PACKET_NOT};
    ops_of(f)->packet(gpu_of(f), &at);
    if (s.dispatches != 0 && ops_of(f)->dispatch(gpu_of(f), s.dispatches - 1, &d) &&
        d.phase == LULL_AGPU_HELD) {
        s.held = 1;
    } else if (s.draws != 0 && ops_of(f)->draw(gpu_of(f), s.draws - 1, &drawn) &&
               drawn.phase == LULL_AGPU_HELD) {
        s.held = 2;
    } else {
        s.held = at.stop != LULL_AGPU_PACKET_NOT ? 3 : 0;
    }
    return lull_vd_to_user(buf, &s, sizeof s) != 0 ? -EFAULT : (ssize_t)sizeof s;
}

static void control_close(struct lull_vd_file *f)
{
    if (ops_of(f) != NULL) {
        ops_of(f)->watch(gpu_of(f), NULL);
        f->d->changed = true;
    }
}

static ssize_t packets_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_msm_packet_watch w = {0};
    if (pos != 0 || size != sizeof w || ops_of(f) == NULL) {
        return -EINVAL;
    }
    if (lull_vd_from_user(&w, buf, sizeof w) != 0) {
        return -EFAULT;
    }
    struct lull_agpu_packet_stops s = {.troubles = w.troubles != 0, .deepest = w.deepest, .n = w.n};
    for (uint32_t i = 0; i < w.n; i++) {
        if (i >= LULL_MSM_PACKET_STOPS || w.at[i].by > LULL_MSM_PACKET_NUMBER) {
            return -EINVAL;
        }
        s.at[i].by = (enum lull_agpu_packet_by)w.at[i].by;
        s.at[i].value = w.at[i].value;
        s.at[i].stream = w.at[i].stream;
    }
    f->d->changed = true;
    ops_of(f)->watch_packets(gpu_of(f), w.on != 0 ? &s : NULL);
    return (ssize_t)size;
}

static ssize_t packets_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_agpu_packet p = {.stop = LULL_AGPU_PACKET_NOT};
    if (pos != 0 || size != sizeof(struct lull_msm_packet_state) || ops_of(f) == NULL) {
        return -EINVAL;
    }
    ops_of(f)->packet(gpu_of(f), &p);
    struct lull_msm_packet_state s = {.stop = (uint32_t)p.stop,
                                      .dead = p.dead,
                                      .streams = p.streams,
                                      .number = p.number,
                                      .address = p.address,
                                      .met = p.met,
                                      .hits = p.hits,
                                      .next = p.next,
                                      .fault_address = p.fault_address,
                                      .wait_address = p.wait_address,
                                      .fault_write = p.fault_write,
                                      .wait_memory = p.wait_space == 1,
                                      .function = p.function,
                                      .ref = p.ref,
                                      .mask = p.mask,
                                      .nframes = p.nframes};
    for (unsigned i = 0; i < p.nframes; i++) {
        s.frames[i].address = p.frames[i].address;
        s.frames[i].dwords = p.frames[i].dwords;
        s.frames[i].next = p.frames[i].next;
        s.frames[i].kind = p.frames[i].kind;
        s.frames[i].number = p.frames[i].number;
    }
    memcpy(s.block, p.block, sizeof s.block);
    memcpy(s.wrong, p.wrong, sizeof s.wrong);
    return lull_vd_to_user(buf, &s, sizeof s) != 0 ? -EFAULT : (ssize_t)sizeof s;
}

static void packets_close(struct lull_vd_file *f)
{
    if (ops_of(f) != NULL) {
        ops_of(f)->watch_packets(gpu_of(f), NULL);
        f->d->changed = true;
    }
}

static ssize_t register_states_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    if (ops_of(f) == NULL || pos > UINT32_MAX || size > UINT32_MAX - pos) {
        return -EINVAL;
    }
    for (size_t done = 0; done < size; done++) {
        const uint8_t v = (uint8_t)ops_of(f)->register_state(gpu_of(f), (uint32_t)(pos + done));
        if (lull_vd_to_user(buf + done, &v, sizeof v) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)size;
}

static ssize_t waves_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    struct lull_agpu_wave all[LULL_MSM_MAX_WAVES];
    struct lull_msm_wave out[LULL_MSM_MAX_WAVES];
    if (ops_of(f) == NULL) {
        return -EINVAL;
    }
    const unsigned n = ops_of(f)->waves(gpu_of(f), all, LULL_MSM_MAX_WAVES);
    for (unsigned i = 0; i < n; i++) {
        const struct lull_agpu_wave *w = &all[i];
        out[i] = (struct lull_msm_wave){.group = w->group,
                                        .id = {w->id[0], w->id[1], w->id[2]},
                                        .number = w->number,
                                        .fibers = w->fibers,
                                        .stop = (uint32_t)w->stop,
                                        .barrier = w->barrier,
                                        .fault_fiber = w->fault_fiber,
                                        .fault_write = w->fault_write,
                                        .stage = (uint32_t)w->stage,
                                        .work = w->work,
                                        .helpers = {w->helpers[0], w->helpers[1]},
                                        .pc = w->pc,
                                        .exec = {w->exec[0], w->exec[1]},
                                        .ninsns = w->ninsns,
                                        .fault_address = w->fault_address,
                                        .fault_pc = w->fault_pc};
        memcpy(out[i].wrong, w->wrong, sizeof out[i].wrong);
    }
    return lull_vd_give(buf, size, out, n * sizeof out[0], pos);
}

/** The file whose address space has that table; NULL: it is closed. */
static struct lull_vdm_file *space_of(const struct lull_vd_file *f, uint64_t ttbr0)
{
    const struct lull_vdm *d = lull_vdm_const(f->d);
    for (struct lull_vd_file *i = f->d->files; i != NULL; i = i->next) {
        const struct lull_vdm_file *m = i->kind == LULL_VD_DRM ? lull_vdm_file(i) : NULL;
        if (m != NULL && m->space != NULL && d->ops->ttbr0(m->space) == ttbr0) {
            return lull_vdm_file(i);
        }
    }
    return NULL;
}

/** Whose address space it was. */
static struct lull_vdm_owner owner_of(const struct lull_vd_file *f, uint64_t ttbr0)
{
    const struct lull_vdm *d = lull_vdm_const(f->d);
    for (size_t i = 0; i < d->nowners; i++) {
        if (d->owners[i].ttbr0 == ttbr0) {
            return d->owners[i];
        }
    }
    return (struct lull_vdm_owner){0};
}

/** Whose memory is meant: that of what began last. */
static struct lull_vdm_file *newest(const struct lull_vd_file *f)
{
    const uint64_t ttbr0 = ops_of(f) != NULL ? ops_of(f)->space(gpu_of(f)) : 0;
    return ttbr0 != 0 ? space_of(f, ttbr0) : NULL;
}

static ssize_t dispatches_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const size_t unit = sizeof(struct lull_msm_dispatch);
    size_t done = 0;
    struct lull_agpu_dispatch d = {0};
    if (ops_of(f) == NULL || size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    for (; done < size && ops_of(f)->dispatch(gpu_of(f), (pos + done) / unit, &d); done += unit) {
        const struct lull_vdm_owner m = owner_of(f, d.ttbr0);
        const struct lull_msm_dispatch out = {
            .number = d.number,
            .code = d.code,
            .began = d.began,
            .ended = d.ended,
            .phase = (uint32_t)d.phase,
            .pid = m.pid,
            .client = m.client,
            .ninsns = d.ninsns,
            .groups = {d.groups[0], d.groups[1], d.groups[2]},
            .local = {d.local[0], d.local[1], d.local[2]},
            .fibers = d.fibers,
            .full = d.full,
            .half = d.half,
            .local_bytes = d.local_bytes,
        };
        if (lull_vd_to_user(buf + done, &out, sizeof out) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

static struct lull_msm_draw draw_of(const struct lull_vd_file *f, const struct lull_agpu_draw *d)
{
    const struct lull_vdm_owner m = owner_of(f, d->ttbr0);
    struct lull_msm_draw out = {
        .number = d->number,
        .began = d->began,
        .ended = d->ended,
        .index = d->index,
        .packet = d->packet,
        .part = d->part,
        .phase = (uint32_t)d->phase,
        .pid = m.pid,
        .client = m.client,
        .prim = d->prim,
        .vertices = d->vertices,
        .instances = d->instances,
        .index_bytes = d->index_bytes,
        .tiled = d->tiled,
        .window = {d->window[0], d->window[1], d->window[2], d->window[3]},
    };
    for (unsigned i = LULL_AGPU_VS; i <= LULL_AGPU_FS; i++) {
        out.stage[i].code = d->stage[i].code;
        out.stage[i].ninsns = d->stage[i].ninsns;
        out.stage[i].fibers = d->stage[i].fibers;
        out.stage[i].full = d->stage[i].full;
        out.stage[i].half = d->stage[i].half;
    }
    return out;
}

static ssize_t draws_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const size_t unit = sizeof(struct lull_msm_draw);
    size_t done = 0;
    struct lull_agpu_draw d = {0};
    if (ops_of(f) == NULL || size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    for (; done < size && ops_of(f)->draw(gpu_of(f), (pos + done) / unit, &d); done += unit) {
        const struct lull_msm_draw out = draw_of(f, &d);
        if (lull_vd_to_user(buf + done, &out, sizeof out) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

static ssize_t invocations_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const size_t unit = sizeof(struct lull_msm_invocation);
    size_t done = 0;
    if (ops_of(f) == NULL || size % unit != 0 || pos % unit != 0 ||
        pos / unit >= LULL_MSM_MAX_WAVES * LULL_AGPU_FIBERS) {
        return -EINVAL;
    }
    for (uint32_t n = (uint32_t)(pos / unit); done < size; n++, done += unit) {
        struct lull_agpu_invocation i = {0};
        if (!ops_of(f)->invocation(gpu_of(f), n / LULL_AGPU_FIBERS, n % LULL_AGPU_FIBERS, &i)) {
            break;
        }
        const struct lull_msm_invocation out = {.stage = (uint32_t)i.stage,
                                                .vertex = i.vertex,
                                                .instance = i.instance,
                                                .x = i.x,
                                                .y = i.y,
                                                .sample = i.sample,
                                                .primitive = i.primitive,
                                                .layer = i.layer,
                                                .per_sample = i.per_sample,
                                                .helper = i.helper};
        if (lull_vd_to_user(buf + done, &out, sizeof out) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

static ssize_t regs(const struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos,
                    bool write)
{
    const struct lull_agpu_debug_ops *ops = ops_of(f);
    if (ops == NULL || size % 4 != 0 || pos % 4 != 0) {
        return -EINVAL;
    }
    for (size_t done = 0; done < size; done += 4) {
        const uint64_t at = pos + done;
        const struct lull_agpu_reg r = {
            .wave = (uint32_t)(at >> LULL_MSM_REG_WAVE),
            .bank = (enum lull_agpu_bank)(at >> LULL_MSM_REG_BANK & 15),
            .number = (uint32_t)(at >> LULL_MSM_REG_NUMBER & 0x7fff),
            .fiber = (uint32_t)(at >> LULL_MSM_REG_FIBER & (LULL_AGPU_FIBERS - 1)),
        };
        uint32_t v = 0;
        if (write && lull_vd_from_user(&v, buf + done, sizeof v) != 0) {
            return -EFAULT;
        }
        if (!(write ? ops->write(gpu_of(f), &r, v) : ops->read(gpu_of(f), &r, &v))) {
            return -ENOENT;
        }
        if (!write && lull_vd_to_user(buf + done, &v, sizeof v) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)size;
}

static ssize_t regs_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return regs(f, buf, size, pos, false);
}

static ssize_t regs_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return regs(f, buf, size, pos, true);
}

/** @return Bytes up to the first that is not mapped, or -EFAULT: the first is not. */
static ssize_t memory(const struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos,
                      bool write)
{
    const struct lull_vdm *d = lull_vdm_const(f->d);
    const struct lull_vdm_file *m = newest(f);
    size_t done = 0;
    if (m != NULL && write && size != 0 && ops_of(f)->touches != NULL) {
        ops_of(f)->touches(d->gpu, pos, size);
    }
    while (m != NULL && done < size) {
        const struct lull_agpu_page p = d->ops->look(d->gpu, m->space, pos + done);
        const size_t n = p.size < size - done ? (size_t)p.size : size - done;
        if (p.mem == NULL) {
            break;
        }
        if ((write ? lull_vd_from_user(p.mem, buf + done, n)
                   : lull_vd_to_user(buf + done, p.mem, n)) != 0) {
            return -EFAULT;
        }
        done += n;
    }
    return done != 0 || size == 0 ? (ssize_t)done : -EFAULT;
}

static ssize_t memory_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return memory(f, buf, size, pos, false);
}

static ssize_t memory_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return memory(f, buf, size, pos, true);
}

static ssize_t local(const struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos,
                     bool write)
{
    uint32_t bytes = 0;
    uint8_t *mem = ops_of(f) != NULL ? ops_of(f)->local(gpu_of(f), &bytes) : NULL;
    if (mem == NULL || pos > bytes || size > bytes - pos) {
        return -EFAULT;
    }
    if (write && ops_of(f)->touches != NULL) {
        ops_of(f)->touches(gpu_of(f), 0, 0);
    }
    const int r =
        write ? lull_vd_from_user(mem + pos, buf, size) : lull_vd_to_user(buf, mem + pos, size);
    return r != 0 ? r : (ssize_t)size;
}

static ssize_t local_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return local(f, buf, size, pos, false);
}

static ssize_t local_write(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    return local(f, buf, size, pos, true);
}

static ssize_t registers_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const struct lull_vdm *d = lull_vdm_const(f->d);
    if (size % 4 != 0 || pos % 4 != 0 || pos / 4 > UINT32_MAX) {
        return -EINVAL;
    }
    for (size_t done = 0; done < size; done += 4) {
        const uint32_t v = d->ops->read_reg(d->gpu, (uint32_t)((pos + done) / 4));
        if (lull_vd_to_user(buf + done, &v, sizeof v) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)size;
}

static ssize_t maps_read(struct lull_vd_file *f, uint64_t buf, size_t size, uint64_t pos)
{
    const size_t unit = sizeof(struct lull_msm_map);
    struct lull_vdm_file *m = newest(f);
    size_t done = 0;
    if (size % unit != 0 || pos % unit != 0) {
        return -EINVAL;
    }
    for (uint64_t n = pos / unit; m != NULL && done < size; n++, done += unit) {
        struct lull_msm_map map = {0};
        if (!lull_vdm_map_number(m, n, &map.iova, &map.size, map.name)) {
            break;
        }
        map.writable = (lull_vdm(f->d)->ops->look(gpu_of(f), m->space, map.iova).access &
                        LULL_AGPU_WRITE) != 0;
        if (lull_vd_to_user(buf + done, &map, sizeof map) != 0) {
            return -EFAULT;
        }
    }
    return (ssize_t)done;
}

const struct lull_vd_node lull_vdm_nodes[LULL_VDM_NODES] = {
    {.name = LULL_MSM_CONTROL,
     .read = control_read,
     .write = control_write,
     .close = control_close},
    {.name = LULL_MSM_WAVES, .read = waves_read},
    {.name = LULL_MSM_WAVE_REGS, .read = regs_read, .write = regs_write},
    {.name = LULL_MSM_DISPATCHES, .read = dispatches_read},
    {.name = LULL_MSM_DRAWS, .read = draws_read},
    {.name = LULL_MSM_INVOCATIONS, .read = invocations_read},
    {.name = LULL_MSM_MEMORY, .read = memory_read, .write = memory_write},
    {.name = LULL_MSM_LOCAL, .read = local_read, .write = local_write},
    {.name = LULL_MSM_REGISTERS, .read = registers_read},
    {.name = LULL_MSM_MAPS, .read = maps_read},
    {.name = LULL_MSM_PACKETS,
     .read = packets_read,
     .write = packets_write,
     .close = packets_close},
    {.name = LULL_MSM_REGISTER_STATES, .read = register_states_read},
    {.name = LULL_MSM_TIME,
     .read = lull_vdm_time_read,
     .write = lull_vdm_time_write,
     .close = lull_vdm_time_close},
    {.name = "rd", .open = lull_vdm_rd_open, .read = lull_vdm_rd_read, .close = lull_vdm_rd_close},
    {.name = "hangrd",
     .open = lull_vdm_rd_open,
     .read = lull_vdm_rd_read,
     .close = lull_vdm_rd_close},
    {.name = "gpu", .text = lull_vdm_gpu_text},
    {.name = "gem", .text = lull_vdm_gem_text},
    {.name = LULL_VD_CRUMBS_FILE, .text = lull_vd_crumbs_file},
    {.name = "hangcheck_period_ms", .read = lull_vdm_period_read, .write = lull_vdm_period_write},
    {.name = LULL_VDM_LONGEST, .read = lull_vdm_period_read, .write = lull_vdm_period_write},
    {.name = PARAMETERS "rd_full", .read = lull_vdm_flag_read, .write = lull_vdm_flag_write},
    {.name = PARAMETERS "hang_debug", .read = lull_vdm_flag_read, .write = lull_vdm_flag_write},
    {.name = DUMPS "disabled", .read = lull_vdm_disabled_read, .write = lull_vdm_disabled_write},
    {.name = DUMPS "devcd*/data",
     .size = sizeof(struct lull_vdm_dump_file),
     .open = lull_vdm_dump_open,
     .read = lull_vdm_dump_read,
     .write = lull_vdm_dump_write},
};
