// SPDX-License-Identifier: MIT
/** @file
 * Descriptors that shaders load into SGPRs, taken apart: images (T#), samplers (S#), buffers (V#).
 * The bits are data/reg/desc11.reg.
 *
 * Parsing never fails: every bit pattern is some descriptor. Whether it can be used is asked of
 * lull_image_check() and lull_tiling_prepare().
 */
#ifndef LULL_TEX_DESCRIPTOR_H
#define LULL_TEX_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "tex/format.h"

struct lull_str;

/** Why something about an image cannot be done. */
enum lull_tex_status {
    LULL_TEX_OK = 0,
    LULL_TEX_NULL = -1,    ///< All dwords 0, or TYPE says buffer: loads give 0, stores do nothing.
    LULL_TEX_FORMAT = -2,  ///< No such format, or one this library does not read (BC6, BC7...).
    LULL_TEX_TYPE = -3,    ///< TYPE is reserved.
    LULL_TEX_MODE = -4,    ///< SW_MODE is reserved, or not one for images of this type.
    LULL_TEX_LEVEL = -5,   ///< No such mip level.
    LULL_TEX_SIZE = -6,    ///< Width, height or depth beyond what addresses can hold.
    LULL_TEX_DCC = -7,     ///< Metadata says what no driver clears to: memory is compressed.
    LULL_TEX_SAMPLES = -8, ///< More samples than the tiling mode has.
    LULL_TEX_MEMORY = -9,  ///< The read callback refused.
};

/** One line for people: "the image's swizzle mode is reserved". */
const char *lull_tex_status_text(enum lull_tex_status status);

/** Values of the descriptor's TYPE field. */
enum lull_image_type {
    LULL_IMAGE_1D = 8,
    LULL_IMAGE_2D = 9,
    LULL_IMAGE_3D = 10,
    LULL_IMAGE_CUBE = 11,
    LULL_IMAGE_1D_ARRAY = 12,
    LULL_IMAGE_2D_ARRAY = 13,
    LULL_IMAGE_2D_MSAA = 14,
    LULL_IMAGE_2D_MSAA_ARRAY = 15,
};

/** Values of DST_SEL fields. */
enum lull_dst_sel {
    LULL_DST_SEL_0 = 0,
    LULL_DST_SEL_1 = 1,
    LULL_DST_SEL_X = 4, ///< Y, Z, W follow.
};

/** What HTILE's cleared tiles hold, where registers say. */
struct lull_depth_clear {
    bool known;      ///< Else 0 or 1 by the word, and stencil 0.
    float depth;     ///< Of DB_DEPTH_CLEAR.
    uint8_t stencil; ///< Of DB_STENCIL_CLEAR.
};

/** An image descriptor of 8 dwords. */
struct lull_image_desc {
    uint32_t dword[8]; ///< As they were.
    uint64_t base; ///< VA in bytes, with the pipe and bank XOR bits that tiled images have in it.
    const struct lull_format_info *format; ///< NULL: no such format.
    uint16_t format_code;
    uint8_t type;    ///< enum lull_image_type, or reserved values 0 to 7.
    uint8_t sw_mode; ///< 0: linear.
    uint8_t dst_sel[4];
    uint8_t bc_swizzle;
    uint32_t width, height; ///< Of level 0, in texels: 1 to 16384.
    uint32_t depth;         ///< Of level 0; 3D images; else 1.
    uint32_t pitch;       ///< Texels of a row of a linear 1D or 2D image that has its own; else 0.
    uint32_t first_slice; ///< BASE_ARRAY. For cubes in faces.
    uint32_t last_slice;  ///< Last slice that can be seen: DEPTH; for cubes in faces.
    uint8_t base_level, last_level; ///< MSAA images: last_level is log2 of the samples.
    uint8_t max_mip;                ///< Levels of the resource - 1; MSAA: log2 of the samples.
    uint8_t samples;                ///< 1, 2, 4, 8.
    float min_lod;
    bool uav3d; ///< ARRAY_PITCH: a 3D image whose slices are first_slice to last_slice.
    bool corner_samples;
    bool compressed;     ///< COMPRESSION_EN: DCC.
    bool write_compress; ///< WRITE_COMPRESS_ENABLE.
    bool meta_pipe_aligned;
    bool alpha_is_on_msb;
    bool iterate_256;
    bool prt_default;
    uint64_t metadata; ///< VA of DCC's keys or HTILE's words, in bytes; 0 if not compressed.
    struct lull_depth_clear clear;
};

void lull_image_desc_parse(const uint32_t dword[8], struct lull_image_desc *ret);

/** OK, NULL, FORMAT or TYPE: whether texels of this image can be read at all. */
enum lull_tex_status lull_image_check(const struct lull_image_desc *d);

bool lull_image_is_array(const struct lull_image_desc *d);
bool lull_image_is_msaa(const struct lull_image_desc *d);

/** Size of level @p level (absolute: base_level not added), in texels, at least 1. */
struct lull_extent {
    uint32_t width, height;
    uint32_t depth; ///< 3D: depth of that level. Else: slices that can be seen (cubes: faces).
};
struct lull_extent lull_image_extent(const struct lull_image_desc *d, unsigned level);

/** Put @p rgba (as unpacked) in the order the descriptor asks for: what a load returns. */
void lull_dst_select(const struct lull_format_info *f, const uint8_t dst_sel[4],
                     const uint32_t rgba[4], uint32_t ret[4]);
/**
 * The reverse for stores: component c of the texel is the first value whose DST_SEL names c, else
 * 0.
 */
void lull_dst_unselect(const uint8_t dst_sel[4], const uint32_t value[4], uint32_t rgba[4]);

/** A sampler descriptor of 4 dwords. */
struct lull_sampler_desc {
    uint32_t dword[4];
    uint8_t clamp[3];  ///< X Y Z: 0 wrap, 1 mirror, 2 clamp to edge ("last texel"), 3 mirror once
                       ///< to edge, 4 clamp half border, 5 mirror once half border, 6 clamp to
                       ///< border, 7 mirror once to border.
    uint8_t max_aniso; ///< log2.
    uint8_t compare;   ///< DEPTH_COMPARE_FUNC: 0 never, 1 <, 2 ==, 3 <=, 4 >, 5 !=, 6 >=, 7 always.
    uint8_t filter_mode; ///< 0 blend, 1 minimum, 2 maximum.
    uint8_t mag_filter,
        min_filter;        ///< 0 point, 1 bilinear, 2 anisotropic point, 3 anisotropic bilinear.
    uint8_t z_filter;      ///< 0 none (as xy), 1 point, 2 linear.
    uint8_t mip_filter;    ///< 0 none, 1 point, 2 linear.
    uint8_t border_type;   ///< 0 transparent black, 1 opaque black, 2 opaque white, 3 from a table.
    uint16_t border_index; ///< In the table of border colours.
    bool unnormalized;     ///< FORCE_UNNORMALIZED.
    bool trunc_coord;      ///< Point sampling takes floor(coordinate), not nearest.
    bool disable_cube_wrap; ///< Cube faces are not seamless.
    bool skip_degamma;      ///< sRGB is not converted.
    bool force_degamma;
    float min_lod, max_lod; ///< 0 to 15.996.
    float lod_bias;         ///< -32 to 31.996.
};

void lull_sampler_desc_parse(const uint32_t dword[4], struct lull_sampler_desc *ret);

/** A buffer descriptor of 4 dwords. */
struct lull_buffer_desc {
    uint32_t dword[4];
    uint64_t base;   ///< VA in bytes, sign-extended from bit 47.
    uint32_t stride; ///< Bytes.
    uint32_t records;
    const struct lull_format_info *format; ///< NULL: no such format.
    uint16_t format_code;
    uint8_t dst_sel[4];
    uint8_t oob;            ///< OOB_SELECT.
    uint32_t swizzle_bytes; ///< Bytes of an element that stay together (4, 8, 16); 0: not swizzled.
    uint32_t index_stride;  ///< Lanes that are interleaved: 8, 16, 32, 64.
    bool add_tid;
    uint8_t type; ///< 0 for a buffer.
};

void lull_buffer_desc_parse(const uint32_t dword[4], struct lull_buffer_desc *ret);
/** Bytes that can be reached: records, times stride where records counts structures. */
uint64_t lull_buffer_size(const struct lull_buffer_desc *d);

/** One line each: what it is, size, format, address, the rest where it is not the usual. */
void lull_image_desc_show(const struct lull_image_desc *d, struct lull_str *s);
void lull_sampler_desc_show(const struct lull_sampler_desc *d, struct lull_str *s);
void lull_buffer_desc_show(const struct lull_buffer_desc *d, struct lull_str *s);

#endif
