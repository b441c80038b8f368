// SPDX-License-Identifier: MIT
// MIMG: operands, loads, stores, atomics, sizes.
#include "model/amd/img/img.h"

#include "isa/rdna/ops.h"
#include "model/fp/fp_host.h"

/** Registers of the address in their order. False: they are not the wave's. */
static bool find_addresses(struct lull_img *g)
{
    const struct lull_rdna_insn *in = g->in;
    const unsigned n = lull_rdna_image_addr_dwords(in);
    if (n > LULL_IMG_ADDRS) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned v = in->naddr == 0 ? in->vaddr + i : i < 4 ? in->nsa[i] : in->nsa[4] + i - 4;
        if (!lull_vgprs_exist(g->w, v, 1)) {
            return false;
        }
        g->addr[i] = (uint16_t)(v - LULL_RDNA_VGPR0);
    }
    return true;
}

/** Source: RDNA3 ISA guide 10.4, "VGPR usage". */
static void find_places(struct lull_img *g)
{
    const uint64_t flags = lull_rdna_info(g->in)->flags;
    const unsigned total = lull_rdna_image_addr_dwords(g->in);
    struct lull_img_places *at = &g->at;
    uint8_t next = 0;
    *at = (struct lull_img_places){.offset = LULL_IMG_NONE,
                                   .bias = LULL_IMG_NONE,
                                   .compare = LULL_IMG_NONE,
                                   .grad = LULL_IMG_NONE};
    if ((flags & LULL_RDNA_F_OFFSET) != 0) {
        at->offset = next++;
    }
    if ((flags & LULL_RDNA_F_BIAS) != 0) {
        at->bias = next++;
    }
    if ((flags & LULL_RDNA_F_COMPARE) != 0) {
        at->compare = next++;
    }
    at->ncoords = (uint8_t)lull_rdna_image_coords(g->in);
    at->ngrads = (uint8_t)(lull_rdna_image_grads(g->in) / 2);
    if ((flags & LULL_RDNA_F_GRAD) != 0) {
        const unsigned body = at->ncoords + ((flags & LULL_RDNA_F_LOD) != 0);
        at->grad = next;
        at->g16 = (flags & LULL_RDNA_F_G16) != 0;
        next = (uint8_t)(total - (g->in->a16 ? (body + 1) / 2 : body));
    }
    at->body = next;
}

static void read_scalars(const struct lull_wave *w, unsigned first, unsigned n, uint32_t *ret)
{
    for (unsigned i = 0; i < n; i++) {
        ret[i] = lull_mem_scalar(w, (first + i) & 127);
    }
}

/** sRGB of the sampler: read as plain UNORM, or the other way round. */
static void choose_gamma(struct lull_img *g)
{
    for (unsigned c = 0; c < 3; c++) {
        uint8_t *kind = &g->format.component[c].kind;
        if (g->sampler.skip_degamma && *kind == LULL_FORMAT_SRGB) {
            *kind = LULL_FORMAT_UNORM;
        } else if (g->sampler.force_degamma && *kind == LULL_FORMAT_UNORM &&
                   g->format.component[c].bits == 8) {
            *kind = LULL_FORMAT_SRGB;
        }
    }
}

/** The descriptors. False: this library cannot read such an image. */
static bool find_image(struct lull_img *g)
{
    uint32_t dword[8] = {0};
    read_scalars(g->w, g->in->sbase, g->in->r128 ? 4 : 8, dword);
    lull_image_desc_parse(dword, &g->desc);
    const enum lull_tex_status status = lull_image_check(&g->desc);
    g->null = status == LULL_TEX_NULL;
    if (status != LULL_TEX_OK) {
        return g->null;
    }
    const unsigned type = g->desc.type;
    g->format = *g->desc.format;
    g->cube = type == LULL_IMAGE_CUBE;
    g->dims = type == LULL_IMAGE_3D                                  ? 3
              : type == LULL_IMAGE_1D || type == LULL_IMAGE_1D_ARRAY ? 1
                                                                     : 2;
    g->slices =
        g->cube || lull_image_is_array(&g->desc) ? g->desc.last_slice - g->desc.first_slice + 1 : 1;
    if (g->desc.last_slice < g->desc.first_slice) {
        g->slices = 0;
    }
    g->levels = lull_image_is_msaa(&g->desc) ? 1 : g->desc.last_level - g->desc.base_level + 1;
    if (g->in->ssamp != LULL_RDNA_NONE) {
        read_scalars(g->w, g->in->ssamp, 4, dword);
        lull_sampler_desc_parse(dword, &g->sampler);
        choose_gamma(g);
        lull_img_border(g);
    }
    g->bytes = lull_img_component_bytes(&g->format) == 1;
    // A tiling mode that is not known is refused at once, not at the first lane.
    return g->levels <= 0 || lull_img_level(g, 0) != NULL || g->level_status[0] == LULL_TEX_LEVEL;
}

/** Integer coordinates of an access without sampler. */
static struct lull_img_texel texel_of(const struct lull_img *g, unsigned lane)
{
    // Behind the coordinates proper: slice, sample, or both.
    const unsigned n = g->at.ncoords, own = g->at.ngrads;
    const bool msaa = lull_image_is_msaa(&g->desc);
    uint32_t c[4] = {0};
    for (unsigned i = 0; i < n; i++) {
        c[i] = lull_img_body(g, i, lane);
    }
    struct lull_img_texel t = {.x = (int32_t)c[0], .y = own > 1 ? (int32_t)c[1] : 0};
    const bool sliced = g->dims == 3 || g->cube || lull_image_is_array(&g->desc);
    const unsigned slice = own > 2 ? 2 : own;
    if (sliced && n > slice) {
        t.z = (int32_t)c[slice];
    }
    if (msaa && n > own) {
        t.sample = c[n - 1];
        t.z = n > own + 1 ? t.z : 0;
    }
    if ((g->op->flags & LULL_MEM_F_LEVEL) != 0) {
        t.level = (int32_t)lull_img_body(g, n, lane);
    }
    if (g->dims == 1) {
        t.y = 0;
    }
    if (g->ways->at != NULL) {
        g->ways->at(g, lane, &t);
    }
    return t;
}

static unsigned ncomponents(const struct lull_rdna_insn *in)
{
    return (unsigned)__builtin_popcount(in->dmask);
}

/**
 * Write rows of components to the destination: packed in pairs if D16; then TFE's dword, which a
 * fetch that did not take place does not bring.
 */
static void put_rows(struct lull_img *g, uint64_t mask, unsigned n,
                     const struct lull_img_rows *rows)
{
    const struct lull_rdna_insn *in = g->in;
    const unsigned dst = in->vdata - LULL_RDNA_VGPR0;
    unsigned reg = dst;
    for (unsigned c = 0; c < n; c += in->d16 ? 2 : 1, reg++) {
        uint32_t *row = lull_vgpr(g->w, reg);
        for (uint64_t m = mask; m != 0; m &= m - 1) {
            const unsigned l = lull_first_lane(m);
            if (!in->d16) {
                row[l] = rows->v[c][l];
                continue;
            }
            const uint32_t lo = lull_format_to_d16(&g->format, rows->v[c][l]);
            const uint32_t hi =
                c + 1 < n ? lull_format_to_d16(&g->format, rows->v[c + 1][l]) : row[l] >> 16;
            row[l] = hi << 16 | lo;
        }
    }
    reg = dst + lull_rdna_image_data_dwords(in) - in->tfe;
    for (uint64_t m = mask; in->tfe && in->dmask != 0 && m != 0; m &= m - 1) {
        lull_vgpr(g->w, reg)[lull_first_lane(m)] = 0;
    }
}

/** Components that dmask names, one behind the other. */
static void pick(const struct lull_img *g, unsigned lane, const uint32_t value[4],
                 struct lull_img_rows *rows)
{
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if ((g->in->dmask >> c & 1) != 0) {
            rows->v[n++][lane] = value[c];
        }
    }
}

/** Dwords of the texel as they lie in memory. */
static void load_raw(struct lull_img *g, unsigned lane, const struct lull_img_texel *t,
                     uint32_t value[4])
{
    uint64_t va = 0;
    memset(value, 0, 4 * sizeof(value[0]));
    if (!lull_img_va(g, t, &va) || !g->ways->move(g, lane, va, (uint8_t *)value, false)) {
        return;
    }
    if ((g->op->flags & LULL_MEM_F_SGN) != 0 && g->format.bytes < 4) {
        const unsigned shift = 32 - 8u * g->format.bytes;
        value[0] = (uint32_t)((int32_t)(value[0] << shift) >> shift);
    }
}

static void load(struct lull_img *g, uint64_t mask)
{
    struct lull_img_rows rows;
    const bool done = g->ways->load(g, mask, &rows);
    for (uint64_t m = done ? 0 : mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t value[4] = {0}, rgba[4] = {0};
        if (!g->null) {
            const struct lull_img_texel t = texel_of(g, l);
            if ((g->op->flags & LULL_MEM_F_RAW) != 0) {
                load_raw(g, l, &t, value);
            } else {
                lull_img_fetch(g, l, &t, rgba);
                lull_dst_select(&g->format, g->desc.dst_sel, rgba, value);
            }
        }
        pick(g, l, value, &rows);
    }
    if (!g->refused.any) {
        put_rows(g, mask, ncomponents(g->in), &rows);
    }
}

/** image_msaa_load: component of fragments t.sample to + 3. */
static void load_fragments(struct lull_img *g, uint64_t mask)
{
    struct lull_img_rows rows;
    const unsigned c = g->in->dmask == 0 ? 0 : (unsigned)__builtin_ctz(g->in->dmask);
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        struct lull_img_texel t = g->null ? (struct lull_img_texel){0} : texel_of(g, l);
        for (unsigned i = 0; i < 4; i++, t.sample++) {
            uint32_t value[4] = {0}, rgba[4] = {0};
            if (!g->null) {
                lull_img_fetch(g, l, &t, rgba);
                lull_dst_select(&g->format, g->desc.dst_sel, rgba, value);
            }
            rows.v[i][l] = value[c];
        }
    }
    if (!g->refused.any) {
        put_rows(g, mask, 4, &rows);
    }
}

/**
 * Data of a store. Dmask names the components that are written, the rest is 0. They lie one behind
 * the other in VGPRs, with D16 in halves of VGPRs, whichever they are.
 * Source: RDNA3 ISA guide 10.1, "DMASK". Its 10.4 has the mask's positions "irrelevant" with D16;
 * Mesa 25.0.7's aco stores sparse masks with D16 and relies on 10.1.
 */
static void store_data(const struct lull_img *g, unsigned lane, uint32_t value[4])
{
    const struct lull_rdna_insn *in = g->in;
    const unsigned data = in->vdata - LULL_RDNA_VGPR0;
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        if ((in->dmask >> c & 1) == 0) {
            continue;
        }
        if (in->d16) {
            const uint32_t pair = lull_vgpr(g->w, data + n / 2)[lane];
            value[c] = lull_format_from_d16(&g->format, (uint16_t)(pair >> (n % 2 * 16)));
        } else {
            value[c] = lull_vgpr(g->w, data + n)[lane];
        }
        n++;
    }
}

static enum lull_exec_result store(struct lull_img *g, uint64_t mask)
{
    const bool raw = (g->op->flags & LULL_MEM_F_RAW) != 0;
    if (g->null) {
        return LULL_EXEC_NEXT;
    }
    if (!raw && !lull_format_writable(&g->format)) {
        return LULL_EXEC_ILLEGAL;
    }
    if (g->ways->store(g, mask)) {
        return LULL_EXEC_NEXT;
    }
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const struct lull_img_texel t = texel_of(g, l);
        uint32_t value[4] = {0}, rgba[4] = {0};
        uint8_t buf[16] = {0};
        uint64_t va = 0;
        if (!lull_img_va(g, &t, &va)) {
            continue;
        }
        store_data(g, l, value);
        if (raw) {
            memcpy(buf, value, sizeof(buf));
        } else {
            lull_dst_unselect(g->desc.dst_sel, value, rgba);
            lull_format_pack(&g->format, rgba, buf);
        }
        g->ways->move(g, l, va, buf, true);
    }
    return LULL_EXEC_NEXT;
}

/** Dwords of one operand of an atomic: 0 if dmask is not one of the legal ones. */
static unsigned atomic_dwords(const struct lull_img *g)
{
    const bool pair = (g->op->flags & LULL_MEM_F_PAIR) != 0;
    switch (g->in->dmask) { // Source: RDNA3 ISA guide 10.4, "Atomics".
    case 0x1:
        return pair ? 0 : 1;
    case 0x3:
        return pair ? 1 : 2;
    case 0xf:
        return pair ? 2 : 0;
    default:
        return 0;
    }
}

static enum lull_exec_result atomic(struct lull_img *g, uint64_t mask)
{
    struct lull_mem_op op = *g->op;
    struct lull_places p = {0};
    const unsigned n = atomic_dwords(g);
    if (n == 0 || (!g->null && g->format.bytes != 4 * n)) {
        return LULL_EXEC_ILLEGAL;
    }
    op.bytes = (uint8_t)(4 * n);
    p.mask = mask;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const struct lull_img_texel t = g->null ? (struct lull_img_texel){0} : texel_of(g, l);
        p.space[l] = LULL_SPACE_MEMORY;
        p.valid[l] = !g->null && lull_img_va(g, &t, &p.address[l]) ? UINT8_MAX : 0;
    }
    const unsigned data = g->in->vdata - LULL_RDNA_VGPR0;
    const struct lull_mem_regs r = {
        .dst = data,
        .a = data,
        .b = (op.flags & LULL_MEM_F_PAIR) != 0 ? data + n : data,
        .returns = g->in->glc,
    };
    return g->ways->rmw(g, &op, &p, &r);
}

static void sizes(struct lull_img *g, uint64_t mask)
{
    struct lull_img_rows rows;
    for (uint64_t m = mask; m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        uint32_t value[4] = {0};
        const uint32_t level = g->null ? 0 : lull_img_body(g, 0, l);
        if (!g->null) {
            value[3] = g->levels > 0 ? (uint32_t)g->levels : 0;
        }
        if (!g->null && level < value[3]) {
            const struct lull_extent e = lull_image_extent(&g->desc, g->desc.base_level + level);
            value[0] = e.width;
            value[1] = e.height;
            value[2] = e.depth;
        }
        pick(g, l, value, &rows);
    }
    put_rows(g, mask, ncomponents(g->in), &rows);
}

static void sample(struct lull_img *g, uint64_t mask)
{
    const bool four = g->op->kind == LULL_MEM_GATHER || g->op->kind == LULL_MEM_GATHER_H;
    struct lull_img_rows rows;
    memset(&rows, 0, sizeof(rows));
    if (!g->null) {
        lull_img_sample(g, mask, &rows);
    }
    if (g->refused.any) {
        return;
    }
    struct lull_img_rows picked = rows;
    for (uint64_t m = mask; !four && m != 0; m &= m - 1) {
        const unsigned l = lull_first_lane(m);
        const uint32_t value[4] = {rows.v[0][l], rows.v[1][l], rows.v[2][l], rows.v[3][l]};
        pick(g, l, value, &picked);
    }
    put_rows(g, mask, four ? 4 : ncomponents(g->in), &picked);
}

/** A load, sample or size that names no component. */
static void none(struct lull_img *g, uint64_t mask)
{
    struct lull_img_rows rows;
    memset(rows.v[0], 0, sizeof(rows.v[0]));
    put_rows(g, mask, 1, &rows);
}

static bool names_none(const struct lull_img *g)
{
    const unsigned kind = g->op->kind;
    return g->in->dmask == 0 && (kind == LULL_MEM_LOAD || kind == LULL_MEM_RESINFO ||
                                 kind == LULL_MEM_SAMPLE || kind == LULL_MEM_LOD);
}

static enum lull_exec_result run(struct lull_img *g)
{
    const uint64_t mask = lull_exec_mask(g->w);
    if (names_none(g)) {
        none(g, mask);
        return LULL_EXEC_NEXT;
    }
    switch ((unsigned)g->op->kind) {
    case LULL_MEM_LOAD:
        load(g, mask);
        break;
    case LULL_MEM_FRAGMENTS:
        load_fragments(g, mask);
        break;
    case LULL_MEM_RESINFO:
        sizes(g, mask);
        break;
    case LULL_MEM_STORE: {
        const enum lull_exec_result r = store(g, mask);
        if (r != LULL_EXEC_NEXT) {
            return r;
        }
        break;
    }
    case LULL_MEM_SAMPLE:
    case LULL_MEM_GATHER:
    case LULL_MEM_GATHER_H:
    case LULL_MEM_LOD:
        sample(g, mask);
        break;
    default: {
        const enum lull_exec_result r = atomic(g, mask);
        return g->unknown ? LULL_EXEC_ILLEGAL : r;
    }
    }
    return g->unknown ? LULL_EXEC_ILLEGAL : lull_refused_end(&g->refused, g->w);
}

enum lull_exec_result lull_img_execute(struct lull_wave *w, const struct lull_rdna_insn *in,
                                       const struct lull_img_ways *ways,
                                       struct lull_img_touched *touched)
{
    struct lull_img g;
    // The rest is written before it is read.
    g.w = w;
    g.in = in;
    g.op = &lull_mem_ops[in->op];
    g.ways = ways;
    g.touched = touched;
    g.level_known = 0;
    g.stepped = -1;
    g.refused.any = false;
    g.null = g.unknown = false;
    memset(&g.sampler, 0, sizeof(g.sampler));
    memset(&g.format, 0, sizeof(g.format));
    if (!lull_vgprs_exist(w, in->vdata, lull_rdna_image_data_dwords(in)) || !find_addresses(&g)) {
        return LULL_EXEC_ILLEGAL;
    }
    find_places(&g);
    const uint32_t saved = lull_fp_host_begin(LULL_MEM_FLOAT_MODE);
    const enum lull_exec_result r = find_image(&g) ? run(&g) : LULL_EXEC_ILLEGAL;
    if (ways->end != NULL && r != LULL_EXEC_ILLEGAL) {
        ways->end(&g);
    }
    lull_fp_host_end(saved);
    return r;
}

static enum lull_exec_result rmw(struct lull_img *g, const struct lull_mem_op *op,
                                 const struct lull_places *p, const struct lull_mem_regs *r)
{
    return lull_mem_rmw(g->w, op, p, r);
}

static const struct lull_img_ways plain = {
    lull_img_fast_load, lull_img_fast_store, lull_img_move, rmw, NULL, NULL};

enum lull_exec_result lull_mem_image(struct lull_wave *w, const struct lull_rdna_insn *in)
{
    return lull_img_execute(w, in, &plain, NULL);
}
