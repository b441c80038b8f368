// SPDX-License-Identifier: MIT
/** @file
 * Between the files of the front half of draws.
 */
#ifndef LULL_MODEL_ADRENO_DRAW_FRONT_H
#define LULL_MODEL_ADRENO_DRAW_FRONT_H

#include "model/adreno/draw/draw.h"
#include "model/adreno/exec/stops.h"
#include "model/raster/raster.h"

enum {
    LULL_ADRAW_WAVE = 64,   ///< Vertices of a wave.
    LULL_ADRAW_CARRIED = 2, ///< Vertices of waves before that assembly still needs.
    LULL_ADRAW_SLOTS = 256,
    LULL_ADRAW_OUTPUTS = 32,
    LULL_ADRAW_QUADS = LULL_IR3_FIBERS / 4, ///< Of a wave.
    LULL_ADRAW_NO_SLOT = 255,
    LULL_ADRAW_NO_REG = 0xfc,                    ///< r63.x.
    LULL_ADRAW_PIXEL_BITS = LULL_RASTER_SAMPLES, ///< Of a mask of a quad.
};

/** The outputs of a vertex, by their place in VPC. */
struct lull_adraw_vertex {
    uint32_t slot[LULL_ADRAW_SLOTS];
};

/** A register that a vertex shader leaves something in. */
struct lull_adraw_output {
    uint8_t reg, mask, slot; ///< Component c of the mask goes to slot + c.
};

/** Where outputs with a meaning are; LULL_ADRAW_NO_SLOT: nowhere. */
struct lull_adraw_places {
    uint8_t position, size, layer, view, distance[2];
};

/** Vertices that are primitives one after the other. */
struct lull_adraw_assembly {
    unsigned have;      ///< Of the primitive.
    unsigned vertex[3]; ///< Index in lull_adraw.vertices.
    bool odd;           ///< Of a strip.
    uint32_t id;        ///< Primitives of this instance.
};

/** A vertex on its way into a wave. */
struct lull_adraw_lane {
    uint32_t index, instance;
    bool cuts;   ///< A strip begins here.
    bool begins; ///< So does an instance.
};

/** A part of a primitive that quads of the wave at hand are of. */
struct lull_adraw_part {
    struct lull_raster_prim raster;
    const struct lull_adraw_vertex *vertex[3];
    unsigned provoking; ///< Of them.
    uint32_t id, instance, layer;
};

struct lull_adraw_quad {
    struct lull_raster_quad q; ///< With the samples that are left.
    uint32_t covered;          ///< Samples before any test.
    uint16_t part;
    uint8_t sample; ///< That the shader runs for; UINT8_MAX: for all.
};

enum lull_adraw_place { LULL_ADRAW_CENTER, LULL_ADRAW_CENTROID, LULL_ADRAW_SAMPLE };

/** What fragment shaders start with: registers, or LULL_ADRAW_NO_REG. */
struct lull_adraw_inputs {
    uint8_t ij[3][2]; ///< By enum lull_adraw_place: perspective, linear.
    uint8_t xy, zw, face, sample, mask, center_w;
};

struct lull_adraw {
    struct lull_adraw_source source;
    struct lull_adraw_call call;
    struct lull_arop rop;
    struct lull_ir3_program program[2];  ///< By enum lull_astage: VS, FS.
    struct lull_arch_ir3_insn *insns[2]; ///< The same for observers; owned.
    struct lull_ir3_env env[2];
    bool preamble_done[2];
    struct lull_ir3_fragments fragments;
    struct lull_ir3_wave wave;   ///< In flight, unless it has ended.
    struct lull_ir3_group group; ///< Of it alone, which it does not own.
    uint32_t nwaves;             ///< That have begun.
    uint64_t time;               ///< Instructions of waves so far.
    uint64_t launch;             ///< Its number, for observers.
    char fault[128], told[128];  ///< Who made the first that is not told; the last that was.
    enum {
        LULL_ADRAW_FETCHES,
        LULL_ADRAW_SHADES_VERTICES,
        LULL_ADRAW_RASTERS,
        LULL_ADRAW_SHADES_PIXELS,
        LULL_ADRAW_ENDED,
    } step;
    enum lull_raster_shape shape;
    bool restarts, discards, last_provokes;
    uint32_t restart;

    uint32_t instance, next; ///< Of the next vertex.
    bool cut, begin;         ///< So is it the first of a strip, of an instance.
    unsigned nlanes;         ///< Vertices of the wave.
    struct lull_adraw_lane lanes[LULL_ADRAW_WAVE];
    unsigned noutputs;
    struct lull_adraw_output outputs[LULL_ADRAW_OUTPUTS];
    struct lull_adraw_places places;
    struct lull_adraw_vertex vertices[LULL_ADRAW_CARRIED + LULL_ADRAW_WAVE];

    struct lull_adraw_assembly assembly;
    unsigned lane; ///< Next to be assembled.
    struct lull_raster_state raster;
    bool has_raster; ///< `raster` is that of `viewport`.
    unsigned viewport;
    struct lull_adraw_part like; ///< Of the primitive at hand but for `raster`,
    struct lull_raster_prim prims[LULL_RASTER_PARTS];
    unsigned nprims, prim; ///< its parts.
    struct lull_raster_cursor cursor;

    struct lull_adraw_inputs inputs;
    unsigned fibers; ///< Of a wave of pixels.
    bool per_sample;
    unsigned nparts, nquads;
    struct lull_adraw_part parts[LULL_ADRAW_QUADS];
    struct lull_adraw_quad quads[LULL_ADRAW_QUADS];
};

static inline uint32_t lull_adraw_reg(const struct lull_adraw *d, uint32_t number)
{
    return d->source.shaders.reg(d->source.shaders.ctx, number);
}

static inline void lull_adraw_count(const struct lull_adraw *d, enum lull_adraw_counter c,
                                    uint64_t n)
{
    if (d->source.counters != NULL) {
        d->source.counters[c] += n;
    }
}

/* shown.c */

/** The first access that went wrong and is not told yet: who made it. */
void lull_adraw_note_fault(struct lull_adraw *d, const struct lull_ir3_env *env);

/** The wave starts, or does not come to its end: observers are told, if there are any. */
void lull_adraw_tell_wave(struct lull_adraw *d, bool starts);

/* vertex.c */

/** What registers say of outputs. */
void lull_adraw_read_outputs(struct lull_adraw *d);
/** The next vertices in a wave. @return False: there are none. */
bool lull_adraw_fetch(struct lull_adraw *d);
/** The wave has ended: keep what it made. */
void lull_adraw_keep(struct lull_adraw *d);

/* assemble.c */

/** The shape of primitives; NULL: none that is done, and @p ret is nothing. */
const char *lull_adraw_shape(unsigned prim, enum lull_raster_shape *ret);
/** The next primitive of the vertices that are there, in d->like. @return False: there is none. */
bool lull_adraw_assemble(struct lull_adraw *d);
/** Vertices that are still needed go where the next wave does not overwrite them. */
void lull_adraw_carry(struct lull_adraw *d);

/* setup.c */

/** What of draws is refused; NULL: nothing. */
const char *lull_adraw_refuses(const struct lull_adraw *d);
/** State of one draw but for the viewport. */
void lull_adraw_read_raster(struct lull_adraw *d);
/** d->prims of d->like. */
void lull_adraw_set_up(struct lull_adraw *d);

/* pixel.c */

/** Put down which registers targets get, for observers. */
void lull_adraw_note_gives(const struct lull_adraw *d, struct lull_ir3_launch *ret);

void lull_adraw_read_inputs(struct lull_adraw *d);
/** Quads into the wave, from where it stopped. @return False: there are no more. */
bool lull_adraw_fill(struct lull_adraw *d);
void lull_adraw_start_pixels(struct lull_adraw *d);
/** prefetch.c: what the wave that starts finds sampled. */
void lull_adraw_prefetch(struct lull_adraw *d);
/** The wave has ended: what it made goes to the back end. */
void lull_adraw_output(struct lull_adraw *d);

#endif
