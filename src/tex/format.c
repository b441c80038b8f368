// SPDX-License-Identifier: MIT
#include "tex/format.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "tex/format_table.h"

enum {
    EXP_BITS = 5, // Of half and smaller floats, and of shared exponents.
    EXP_BIAS = 15,
    EXP_MAX = 31,
    HALF_MANTISSA = 10,
    F32_MANTISSA = 23,
    F32_BIAS = 127,
    F32_EXP_MAX = 255,
    SHARED_MANTISSA = 9,
    SHARED_EXP_AT = 27,
};

static uint32_t float_bits(float f)
{
    uint32_t u = 0;
    memcpy(&u, &f, sizeof(u));
    return u;
}

static float bits_float(uint32_t u)
{
    float f = 0;
    memcpy(&f, &u, sizeof(f));
    return f;
}

static uint32_t low_bits(unsigned n)
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

const struct lull_format_info *lull_format_by_code(unsigned code)
{
    const unsigned at = code < sizeof(lull_format_index) ? lull_format_index[code] : 0;
    return at == 0 ? NULL : &lull_formats[at - 1];
}

const struct lull_format_info *lull_format_by_name(const char *name)
{
    for (size_t i = 0; i < lull_nformats; i++) {
        if (strcasecmp(lull_formats[i].name, name) == 0) {
            return &lull_formats[i];
        }
    }
    return NULL;
}

bool lull_format_readable(const struct lull_format_info *f)
{
    return f->codec <= LULL_FORMAT_BC5;
}

bool lull_format_writable(const struct lull_format_info *f)
{
    return f->codec == LULL_FORMAT_PLAIN;
}

bool lull_format_is_integer(const struct lull_format_info *f)
{
    return f->kind == LULL_FORMAT_UINT || f->kind == LULL_FORMAT_SINT;
}

uint32_t lull_format_one(const struct lull_format_info *f)
{
    return lull_format_is_integer(f) ? 1 : float_bits(1.0f);
}

// Small floats: 5 bits of exponent, any mantissa.

/** Value of @p v without its sign. */
static float small_float(uint32_t v, unsigned mantissa)
{
    const uint32_t exp = v >> mantissa & EXP_MAX;
    const uint32_t frac = v & low_bits(mantissa);
    if (exp == 0) {
        return ldexpf((float)frac, 1 - EXP_BIAS - (int)mantissa);
    }
    const uint32_t high = exp == EXP_MAX ? F32_EXP_MAX : exp + F32_BIAS - EXP_BIAS;
    uint32_t low = frac << (F32_MANTISSA - mantissa);
    if (exp == EXP_MAX && frac != 0) {
        low |= 1u << (F32_MANTISSA - 1);
    }
    return bits_float(high << F32_MANTISSA | low);
}

/** Magnitude of @p value as such a float, towards 0 or to nearest even. */
static uint32_t to_small_float(float value, unsigned mantissa, bool nearest)
{
    const uint32_t bits = float_bits(value);
    const int exp = (int)(bits >> F32_MANTISSA & F32_EXP_MAX) - F32_BIAS + EXP_BIAS;
    const uint32_t frac = bits & low_bits(F32_MANTISSA);
    const uint32_t infinity = (uint32_t)EXP_MAX << mantissa;
    if (isnan(value)) {
        return infinity | frac >> (F32_MANTISSA - mantissa) | 1u << (mantissa - 1);
    }
    if (isinf(value)) {
        return infinity;
    }
    if (exp >= EXP_MAX) {
        return nearest ? infinity : infinity - 1;
    }
    const unsigned shift = F32_MANTISSA - mantissa + (exp > 0 ? 0u : (unsigned)(1 - exp));
    if (shift > F32_MANTISSA + 1) {
        return 0;
    }
    const uint32_t full = frac | 1u << F32_MANTISSA;
    uint32_t r = full >> shift;
    if (exp > 0) { // The mantissa's leading 1 counts as one more exponent.
        r += (uint32_t)(exp - 1) << mantissa;
    }
    const uint32_t rest = full & low_bits(shift);
    const uint32_t half = 1u << (shift - 1);
    if (nearest && (rest > half || (rest == half && (r & 1) != 0))) {
        r++;
    }
    return r;
}

uint16_t lull_format_half(float value)
{
    const uint32_t sign = float_bits(value) >> 16 & 0x8000;
    return (uint16_t)(sign | to_small_float(value, HALF_MANTISSA, false));
}

float lull_format_from_half(uint16_t bits)
{
    const float f = small_float(bits & INT16_MAX, HALF_MANTISSA);
    return (bits & 0x8000) != 0 ? -f : f;
}

float lull_srgb_linear(float value)
{
    const double v = value;
    return (float)(v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
}

uint8_t lull_format_srgb_code(float value)
{
    if (!(value > 0)) {
        return 0;
    }
    const float v = value < 1 ? value : 1;
    const unsigned step = (unsigned)(v * LULL_SRGB_STEPS);
    unsigned code = lull_srgb_first[step < LULL_SRGB_STEPS ? step : LULL_SRGB_STEPS - 1];
    while (v >= lull_srgb_limits[code]) {
        code++;
    }
    return (uint8_t)code;
}

// Reading.

static int32_t sign_extend(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static float snorm(int32_t v, unsigned bits)
{
    const float f = (float)v / (float)low_bits(bits - 1);
    return f < -1.0f ? -1.0f : f;
}

/** Component @p v as a shader sees it. */
static uint32_t read_component(const struct lull_format_component *c, uint32_t v, uint32_t exponent)
{
    switch ((enum lull_format_kind)c->kind) {
    case LULL_FORMAT_UNORM:
        return float_bits((float)v / (float)low_bits(c->bits));
    case LULL_FORMAT_SNORM:
        return float_bits(snorm(sign_extend(v, c->bits), c->bits));
    case LULL_FORMAT_USCALED:
        return float_bits((float)v);
    case LULL_FORMAT_SSCALED:
        return float_bits((float)sign_extend(v, c->bits));
    case LULL_FORMAT_UINT:
        return v;
    case LULL_FORMAT_SINT:
        return (uint32_t)sign_extend(v, c->bits);
    case LULL_FORMAT_FLOAT:
        return c->bits == 32 ? v : float_bits(lull_format_from_half((uint16_t)v));
    case LULL_FORMAT_UFLOAT:
        return float_bits(small_float(v, c->bits - EXP_BITS));
    case LULL_FORMAT_SRGB:
        return float_bits(lull_srgb_values[v & UINT8_MAX]);
    case LULL_FORMAT_SHARED_EXP:
        return float_bits(ldexpf((float)v, (int)exponent - EXP_BIAS - SHARED_MANTISSA));
    }
    return 0;
}

static void unpack_plain(const struct lull_format_info *f, const uint8_t *texel, uint32_t rgba[4])
{
    uint32_t w[5] = {0};
    memcpy(w, texel, f->bytes);
    const uint32_t exponent = w[0] >> SHARED_EXP_AT;
    for (unsigned i = 0; i < f->components; i++) {
        const struct lull_format_component *c = &f->component[i];
        const uint64_t pair = (uint64_t)w[c->lo / 32 + 1] << 32 | w[c->lo / 32];
        const uint32_t v = (uint32_t)(pair >> c->lo % 32) & low_bits(c->bits);
        rgba[i] = read_component(c, v, exponent);
    }
}

void lull_format_unpack_block(const struct lull_format_info *f, const uint8_t *block, unsigned x,
                              unsigned y, uint32_t rgba[4])
{
    memset(rgba, 0, 4 * sizeof(rgba[0]));
    if (!lull_format_readable(f)) {
        return;
    }
    rgba[3] = lull_format_one(f);
    if (f->codec == LULL_FORMAT_PLAIN) {
        unpack_plain(f, block, rgba);
        return;
    }
    float v[4] = {0, 0, 0, 1};
    lull_bc_texel(f, block, x % f->block_width, y % f->block_height, v);
    for (unsigned i = 0; i < 4; i++) {
        const bool curve = f->kind == LULL_FORMAT_SRGB && i < 3;
        rgba[i] = float_bits(curve ? lull_srgb_linear(v[i]) : v[i]);
    }
}

void lull_format_unpack(const struct lull_format_info *f, const uint8_t *texel, uint32_t rgba[4])
{
    lull_format_unpack_block(f, texel, 0, 0, rgba);
}

// Writing.

/** Nearest integer, halves away from 0, of @p v between @p lo and @p hi. NaN is 0. */
static int64_t nearest_in(double v, double lo, double hi)
{
    if (isnan(v)) {
        return 0;
    }
    const double c = v < lo ? lo : v > hi ? hi : v;
    return c < 0 ? -(int64_t)(0.5 - c) : (int64_t)(c + 0.5);
}

static uint32_t write_integer(const struct lull_format_component *c, uint32_t v)
{
    if (c->kind == LULL_FORMAT_UINT) {
        const uint32_t most = low_bits(c->bits);
        return v > most ? most : v;
    }
    const int32_t most = (int32_t)low_bits(c->bits - 1);
    const int32_t i = (int32_t)v;
    return (uint32_t)(i > most ? most : i < -most - 1 ? -most - 1 : i);
}

/** @p v as the component's bits; bits above them may be set. */
static uint32_t write_component(const struct lull_format_component *c, uint32_t v)
{
    const double f = bits_float(v);
    const double most = low_bits(c->bits);
    const double smost = low_bits(c->bits - 1);
    switch ((enum lull_format_kind)c->kind) {
    case LULL_FORMAT_UNORM:
        return (uint32_t)nearest_in(f * most, 0, most);
    case LULL_FORMAT_SNORM:
        return (uint32_t)nearest_in(f * smost, -smost, smost);
    case LULL_FORMAT_USCALED:
        return (uint32_t)nearest_in(f, 0, most);
    case LULL_FORMAT_SSCALED:
        return (uint32_t)nearest_in(f, -smost - 1, smost);
    case LULL_FORMAT_UINT:
    case LULL_FORMAT_SINT:
        return write_integer(c, v);
    case LULL_FORMAT_FLOAT:
        return c->bits == 32 ? v : lull_format_half(bits_float(v));
    case LULL_FORMAT_UFLOAT:
        return f < 0 ? 0 : to_small_float((float)f, c->bits - EXP_BITS, false);
    case LULL_FORMAT_SRGB:
        return lull_format_srgb_code(bits_float(v));
    case LULL_FORMAT_SHARED_EXP:
        break;
    }
    return 0;
}

/** Source: OpenGL EXT_texture_shared_exponent, "RGB9_E5". */
static uint32_t pack_shared(const uint32_t rgba[4])
{
    const double most =
        ldexp((double)low_bits(SHARED_MANTISSA), EXP_MAX - EXP_BIAS - SHARED_MANTISSA);
    double c[3] = {0};
    double top = 0;
    for (unsigned i = 0; i < 3; i++) {
        const double f = bits_float(rgba[i]);
        c[i] = !(f > 0) ? 0 : f > most ? most : f; // NaN is 0.
        top = c[i] > top ? c[i] : top;
    }
    int exp = 0;
    if (top > 0) {
        const int log = ilogb(top);
        exp = (log < -EXP_BIAS - 1 ? -EXP_BIAS - 1 : log) + 1 + EXP_BIAS;
    }
    const int scale = EXP_BIAS + SHARED_MANTISSA - exp;
    if (floor(ldexp(top, scale) + 0.5) > low_bits(SHARED_MANTISSA)) {
        exp++;
    }
    uint32_t r = (uint32_t)exp << SHARED_EXP_AT;
    for (unsigned i = 0; i < 3; i++) {
        const double v = ldexp(c[i], EXP_BIAS + SHARED_MANTISSA - exp);
        r |= (uint32_t)floor(v + 0.5) << (SHARED_MANTISSA * i);
    }
    return r;
}

void lull_format_pack(const struct lull_format_info *f, const uint32_t rgba[4], uint8_t *texel)
{
    if (!lull_format_writable(f)) {
        return;
    }
    uint32_t w[5] = {0};
    if (f->kind == LULL_FORMAT_SHARED_EXP) {
        w[0] = pack_shared(rgba);
    }
    for (unsigned i = 0; f->kind != LULL_FORMAT_SHARED_EXP && i < f->components; i++) {
        const struct lull_format_component *c = &f->component[i];
        const uint64_t v = (uint64_t)(write_component(c, rgba[i]) & low_bits(c->bits))
                           << c->lo % 32;
        w[c->lo / 32] |= (uint32_t)v;
        w[c->lo / 32 + 1] |= (uint32_t)(v >> 32);
    }
    memcpy(texel, w, f->bytes);
}

uint16_t lull_format_to_d16(const struct lull_format_info *f, uint32_t value)
{
    if (lull_format_is_integer(f)) {
        return (uint16_t)value;
    }
    const uint32_t sign = value >> 16 & 0x8000;
    const bool nearest = f->kind != LULL_FORMAT_FLOAT || f->component[0].bits != 32;
    return (uint16_t)(sign | to_small_float(bits_float(value), HALF_MANTISSA, nearest));
}

uint32_t lull_format_from_d16(const struct lull_format_info *f, uint16_t value)
{
    if (f->kind == LULL_FORMAT_SINT) {
        return (uint32_t)(int32_t)(int16_t)value;
    }
    return f->kind == LULL_FORMAT_UINT ? value : float_bits(lull_format_from_half(value));
}
