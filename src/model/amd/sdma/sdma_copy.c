// SPDX-License-Identifier: MIT
// SDMA: copies of memory, and of windows of images that are linear or tiled.
//
// A window that is not inside its tiled image ends the job. Tiles of compressed images that are
// cleared become plain first, all of the window's slices (model/amd/mem/meta.h).
#include <string.h>

#include "model/amd/mem/meta.h"
#include "model/amd/sdma/sdma.h"

enum {
    CHUNK = 4096,           // bytes of a row moved at once
    MAX_ELEMENT_LOG2 = 4,   // 16 bytes
    TURN_ELEMENTS = 1 << 16 // that one turn moves, or one row
};

enum lull_cp_result lull_sdma_copy_linear(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_COPY_LINEAR_HEADER];
    const uint32_t parameter = body[LULL_SDMA6_COPY_LINEAR_PARAMETER];
    const uint32_t nbytes =
        lull_field(body[LULL_SDMA6_COPY_LINEAR_COUNT], LULL_SDMA6_COPY_LINEAR_COUNT__BYTES_MASK) +
        1;
    const uint32_t at = cp->r->part, left = nbytes - at;
    const uint32_t n = left < LULL_CP_PART ? left : LULL_CP_PART;
    if ((header &
         (LULL_SDMA6_COPY_LINEAR_HEADER__ENCRYPT_MASK | LULL_SDMA6_COPY_LINEAR_HEADER__TMZ_MASK |
          LULL_SDMA6_COPY_LINEAR_HEADER__BACKWARDS_MASK |
          LULL_SDMA6_COPY_LINEAR_HEADER__BROADCAST_MASK)) != 0) {
        return lull_cp_bad(cp, "header 0x%08x: only from plain memory to one place, forwards",
                           header);
    }
    if ((parameter & (LULL_SDMA6_COPY_LINEAR_PARAMETER__DST_SW_MASK |
                      LULL_SDMA6_COPY_LINEAR_PARAMETER__SRC_SW_MASK)) != 0) {
        return lull_cp_bad(cp, "parameter 0x%08x swaps bytes", parameter);
    }
    if (!lull_cp_copy(cp, lull_sdma_address(&body[LULL_SDMA6_COPY_LINEAR_DST_LO]) + at,
                      lull_sdma_address(&body[LULL_SDMA6_COPY_LINEAR_SRC_LO]) + at, n)) {
        return lull_cp_fault(cp);
    }
    cp->r->part = at + n;
    return n < left ? LULL_CP_MORE : LULL_CP_NEXT;
}

/** One side of a copy: an image, and the corner of the window in it. */
struct side {
    uint64_t va;           ///< Linear.
    uint64_t pitch, slice; ///< Linear, in elements.
    uint32_t x, y, z;
    bool tiled;
    struct lull_tiling tiling;
    struct lull_tiling_steps steps;
};

/** A window of @p w times @p h times @p d elements. */
struct window {
    struct side dst, src;
    uint32_t w, h, d, log2; ///< log2: of an element's bytes.
};

/** Elements of a row of the window. */
struct run {
    uint32_t x, y, z, n;
};

/** Copy an element. */
static void move_element(uint8_t *to, const uint8_t *from, uint32_t log2)
{
    switch (log2) {
    case 0:
        *to = *from;
        break;
    case 1:
        memcpy(to, from, 2);
        break;
    case 2:
        memcpy(to, from, 4);
        break;
    case 3:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, 16);
        break;
    }
}

/** An element of a tiled image, in whatever pages it is. */
static bool move_across(struct lull_vm *vm, uint64_t va, uint8_t *element, uint32_t log2,
                        bool write)
{
    return write ? lull_vm_write(vm, va, element, (size_t)1 << log2)
                 : lull_vm_read(vm, va, element, (size_t)1 << log2);
}

/** Element @p i of @p r, of side @p s. */
static uint64_t place_of(const struct side *s, const struct run *r, uint32_t log2, uint32_t i)
{
    if (!s->tiled) {
        return s->va +
               (((s->z + r->z) * s->slice + (s->y + r->y) * s->pitch + s->x + r->x + i) << log2);
    }
    const uint64_t corner = lull_tiling_offset(&s->tiling, 0, 0, s->z + r->z, 0);
    return s->tiling.base +
           lull_tiling_step(&s->tiling, &s->steps, corner, s->x + r->x + i, s->y + r->y);
}

/** A run has been copied: for the log of writes. */
static void log_run(const struct lull_cp *cp, const struct window *w, const struct run *r)
{
    const bool whole = !w->src.tiled && !w->dst.tiled;
    for (uint32_t i = 0; cp->g->written != NULL && i < (whole ? 1 : r->n); i++) {
        const uint64_t from = place_of(&w->src, r, w->log2, i);
        lull_gpu_wrote(cp->g, cp->r, cp->vm->vmid, place_of(&w->dst, r, w->log2, i),
                       (uint64_t)(whole ? r->n : 1) << w->log2, &from, false);
    }
}

/** A run of a tiled image, from or to @p chunk. */
static bool move_tiled(struct lull_vm *vm, const struct side *s, const struct run *r, uint32_t log2,
                       uint8_t *chunk, bool write)
{
    const uint32_t access = write ? LULL_ACCESS_WRITE : LULL_ACCESS_READ;
    const uint64_t corner = lull_tiling_offset(&s->tiling, 0, 0, s->z + r->z, 0);
    uint8_t *page = NULL;
    uint64_t number = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint64_t va = s->tiling.base + lull_tiling_step(&s->tiling, &s->steps, corner,
                                                              s->x + r->x + i, s->y + r->y);
        const uint64_t in = va % LULL_PAGE_SIZE;
        uint8_t *element = chunk + ((size_t)i << log2);
        if (in + (1u << log2) > LULL_PAGE_SIZE) { // an image that is not aligned
            if (!move_across(vm, va, element, log2, write)) {
                return false;
            }
            continue;
        }
        if (page == NULL || va >> LULL_PAGE_SHIFT != number) {
            uint8_t *at = lull_vm_host(vm, va, access);
            if (at == NULL) {
                return false;
            }
            page = at - in;
            number = va >> LULL_PAGE_SHIFT;
        }
        move_element(write ? page + in : element, write ? element : page + in, log2);
    }
    return true;
}

/** The run of side @p s, from or to @p chunk. False: memory refused. */
static bool move_run(struct lull_vm *vm, const struct side *s, const struct run *r, uint32_t log2,
                     uint8_t *chunk, bool write)
{
    if (s->tiled) {
        return move_tiled(vm, s, r, log2, chunk, write);
    }
    const uint64_t at =
        s->va + (((s->z + r->z) * s->slice + (s->y + r->y) * s->pitch + s->x + r->x) << log2);
    return write ? lull_vm_write(vm, at, chunk, (size_t)r->n << log2)
                 : lull_vm_read(vm, at, chunk, (size_t)r->n << log2);
}

/** Some rows; ring.part counts those that are done. */
static enum lull_cp_result copy_rows(struct lull_cp *cp, const struct window *w)
{
    uint8_t chunk[CHUNK] = {0};
    const uint32_t rows = w->h * w->d; // 14 and 13 bits
    uint32_t moved = 0;
    for (; cp->r->part < rows && moved < TURN_ELEMENTS; cp->r->part++, moved += w->w) {
        struct run r = {.y = cp->r->part % w->h, .z = cp->r->part / w->h};
        for (; r.x < w->w; r.x += r.n) {
            const uint32_t most = CHUNK >> w->log2, left = w->w - r.x;
            r.n = left < most ? left : most;
            if (!move_run(cp->vm, &w->src, &r, w->log2, chunk, false) ||
                !move_run(cp->vm, &w->dst, &r, w->log2, chunk, true)) {
                return lull_cp_fault(cp);
            }
            log_run(cp, w, &r);
        }
    }
    return cp->r->part < rows ? LULL_CP_MORE : LULL_CP_NEXT;
}

/** A size that the packet has less one. */
static uint32_t size_of(uint32_t word, uint32_t mask)
{
    return lull_field(word, mask) + 1;
}

/** The window's size from RECT_XY and RECT_Z; all packets have them alike. */
static void window_size(struct window *w, const uint32_t *rect)
{
    w->w = size_of(rect[0], LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_XY__X_MASK);
    w->h = size_of(rect[0], LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_XY__Y_MASK);
    w->d = size_of(rect[1], LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_Z__Z_MASK);
}

/** What no window may ask for. True: the job has ended. */
static bool refused(struct lull_cp *cp, const uint32_t *rect, uint32_t log2,
                    enum lull_cp_result *result)
{
    const uint32_t header = cp->p.body[0];
    const uint32_t swaps = LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_Z__DST_SW_MASK |
                           LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_Z__SRC_SW_MASK;
    if ((header & LULL_SDMA6_COPY_T2T_SUB_WINDOW_HEADER__TMZ_MASK) != 0) {
        *result = lull_cp_bad(cp, "header 0x%08x: memory is encrypted", header);
        return true;
    }
    if ((rect[1] & swaps) != 0 || log2 > MAX_ELEMENT_LOG2) {
        *result = lull_cp_bad(cp, "elements of %u bytes, RECT_Z 0x%08x", 1u << log2, rect[1]);
        return true;
    }
    return false;
}

/** A linear side from LO, HI, XY, Z and SLICE of a copy between linear images. */
static struct side linear_side(const uint32_t *w)
{
    return (struct side){
        .va = lull_sdma_address(w),
        .x = lull_field(w[2], LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_XY__X_MASK),
        .y = lull_field(w[2], LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_XY__Y_MASK),
        .z = lull_field(w[3], LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_Z__Z_MASK),
        .pitch = size_of(w[3], LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_Z__PITCH_MASK),
        .slice = size_of(w[4], LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_SLICE__PITCH_MASK),
    };
}

enum lull_cp_result lull_sdma_linear_window(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t *rect = &body[LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_RECT_XY];
    struct window w = {
        .log2 = lull_field(body[LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_HEADER],
                           LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_HEADER__ELEMENT_SIZE_MASK),
        .src = linear_side(&body[LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_SRC_LO]),
        .dst = linear_side(&body[LULL_SDMA6_COPY_LINEAR_SUB_WINDOW_DST_LO]),
    };
    enum lull_cp_result result = LULL_CP_NEXT;
    window_size(&w, rect);
    return refused(cp, rect, w.log2, &result) ? result : copy_rows(cp, &w);
}

/** The image of a tiled side from LO, HI, XY, ZW, HD and INFO, as a texture unit would see it. */
static bool describe(const uint32_t *w, struct lull_image_desc *ret)
{
    static const char *const formats[] = {"8_UINT", "16_UINT", "32_UINT", "32_32_UINT",
                                          "32_32_32_32_UINT"};
    const uint32_t info = w[5];
    const uint32_t log2 =
        lull_field(info, LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__ELEMENT_SIZE_MASK);
    const uint32_t dimension =
        lull_field(info, LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__DIMENSION_MASK);
    const bool thick = dimension == LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__DIMENSION__3D;
    const uint32_t depth = size_of(w[4], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_HD__DEPTH_MASK);
    if (log2 > MAX_ELEMENT_LOG2 ||
        dimension > LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__DIMENSION__3D) {
        return false;
    }
    *ret = (struct lull_image_desc){
        .base = lull_sdma_address(w),
        .format = lull_format_by_name(formats[log2]),
        .type = thick ? LULL_IMAGE_3D : LULL_IMAGE_2D_ARRAY,
        .sw_mode = (uint8_t)lull_field(
            info, LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__SWIZZLE_MODE_MASK),
        .width = size_of(w[3], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_ZW__WIDTH_MASK),
        .height = size_of(w[4], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_HD__HEIGHT_MASK),
        .depth = thick ? depth : 1,
        .last_slice = thick ? 0 : depth - 1,
        .max_mip =
            (uint8_t)lull_field(info, LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__MIP_MAX_MASK),
        .samples = 1,
    };
    return true;
}

/** Open the tiled side whose words begin at @p w, for windows of size @p size. False: *result. */
static bool tiled_side(struct lull_cp *cp, const uint32_t *w, const struct window *size,
                       struct side *ret, enum lull_cp_result *result)
{
    const uint32_t mip = lull_field(w[5], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__MIP_ID_MASK);
    struct lull_image_desc d = {0};
    struct side s = {
        .x = lull_field(w[2], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_XY__X_MASK),
        .y = lull_field(w[2], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_XY__Y_MASK),
        .z = lull_field(w[3], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_ZW__Z_MASK),
        .tiled = true,
    };
    if (!describe(w, &d)) {
        *result = lull_cp_bad(cp, "image 0x%08x: element size or dimension", w[5]);
        return false;
    }
    const enum lull_tex_status status = lull_tiling_prepare(&d, mip, &s.tiling);
    if (status != LULL_TEX_OK) {
        *result = lull_cp_bad(cp, "image 0x%08x: %s", w[5], lull_tex_status_text(status));
        return false;
    }
    if (s.x + size->w > s.tiling.width || s.y + size->h > s.tiling.height ||
        s.z + size->d > s.tiling.depth) {
        *result =
            lull_cp_bad(cp, "%ux%ux%u at %u,%u,%u of a level of %ux%ux%u", size->w, size->h,
                        size->d, s.x, s.y, s.z, s.tiling.width, s.tiling.height, s.tiling.depth);
        return false;
    }
    lull_tiling_steps_make(&s.tiling, &s.steps);
    *ret = s;
    return true;
}

/**
 * Make tiles of @p s plain that metadata says are cleared. @p w: words of the side, @p meta:
 * META_LO, META_HI, META_CONFIG. False: *result.
 */
static bool open_tiles(struct lull_cp *cp, const uint32_t *w, const uint32_t *meta,
                       const struct side *s, uint32_t depth, enum lull_cp_result *result)
{
    const uint32_t mip = lull_field(w[5], LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__MIP_ID_MASK);
    struct lull_meta_image i = {.tiling = s->tiling};
    struct lull_image_desc d = {0};
    if (cp->r->part != 0) {
        return true; // done with the first part
    }
    (void)describe(w, &d);
    d.compressed = true;
    d.metadata = lull_sdma_address(meta);
    d.meta_pipe_aligned =
        (meta[2] & LULL_SDMA6_COPY_TILED_SUB_WINDOW_META_CONFIG__PIPE_ALIGNED_MASK) != 0;
    lull_meta_prepare(&d, mip, &i.tiling, &i.meta);
    const enum lull_meta_result r = lull_meta_open_level(cp->vm, &i, s->z, s->z + depth - 1);
    if (r == LULL_META_REFUSED) {
        *result = lull_cp_fault(cp);
    } else if (r == LULL_META_UNKNOWN) {
        *result = lull_cp_bad(cp, "metadata at 0x%llx that the model does not know",
                              (unsigned long long)d.metadata);
    }
    return r == LULL_META_OPEN;
}

static uint32_t element_log2(uint32_t info)
{
    return lull_field(info, LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO__ELEMENT_SIZE_MASK);
}

enum lull_cp_result lull_sdma_tiled_window(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t header = body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_HEADER];
    const uint32_t *rect = &body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_RECT_XY];
    const uint32_t *l = &body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_LO];
    const struct side linear = {
        .va = lull_sdma_address(l),
        .x = lull_field(l[2], LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_XY__X_MASK),
        .y = lull_field(l[2], LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_XY__Y_MASK),
        .z = lull_field(l[3], LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_Z__Z_MASK),
        .pitch = size_of(l[3], LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_Z__PITCH_MASK),
        .slice = size_of(l[4], LULL_SDMA6_COPY_TILED_SUB_WINDOW_LINEAR_SLICE__PITCH_MASK),
    };
    struct window w = {.log2 = element_log2(body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_INFO])};
    struct side tiled = {0};
    enum lull_cp_result result = LULL_CP_NEXT;
    window_size(&w, rect);
    if (refused(cp, rect, w.log2, &result) ||
        !tiled_side(cp, &body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_LO], &w, &tiled, &result)) {
        return result;
    }
    if ((header & LULL_SDMA6_COPY_TILED_SUB_WINDOW_HEADER__DCC_MASK) != 0 &&
        !open_tiles(cp, &body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_TILED_LO],
                    &body[LULL_SDMA6_COPY_TILED_SUB_WINDOW_META_LO], &tiled, w.d, &result)) {
        return result;
    }
    const bool detile = (header & LULL_SDMA6_COPY_TILED_SUB_WINDOW_HEADER__DETILE_MASK) != 0;
    w.dst = detile ? linear : tiled;
    w.src = detile ? tiled : linear;
    return copy_rows(cp, &w);
}

enum lull_cp_result lull_sdma_t2t_window(struct lull_cp *cp)
{
    const uint32_t *body = cp->p.body;
    const uint32_t *rect = &body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_RECT_XY];
    const uint32_t dst_log2 = element_log2(body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_DST_INFO]);
    struct window w = {.log2 = element_log2(body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_SRC_INFO])};
    enum lull_cp_result result = LULL_CP_NEXT;
    window_size(&w, rect);
    if (w.log2 != dst_log2) {
        return lull_cp_bad(cp, "elements of %u bytes to elements of %u", 1u << w.log2,
                           1u << dst_log2);
    }
    if (refused(cp, rect, w.log2, &result) ||
        !tiled_side(cp, &body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_SRC_LO], &w, &w.src, &result) ||
        !tiled_side(cp, &body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_DST_LO], &w, &w.dst, &result)) {
        return result;
    }
    const bool of_src = (body[0] & LULL_SDMA6_COPY_T2T_SUB_WINDOW_HEADER__DCC_DIR_MASK) != 0;
    if ((body[0] & LULL_SDMA6_COPY_T2T_SUB_WINDOW_HEADER__DCC_MASK) != 0 &&
        !open_tiles(cp,
                    &body[of_src ? LULL_SDMA6_COPY_T2T_SUB_WINDOW_SRC_LO
                                 : LULL_SDMA6_COPY_T2T_SUB_WINDOW_DST_LO],
                    &body[LULL_SDMA6_COPY_T2T_SUB_WINDOW_META_LO], of_src ? &w.src : &w.dst, w.d,
                    &result)) {
        return result;
    }
    return copy_rows(cp, &w);
}
