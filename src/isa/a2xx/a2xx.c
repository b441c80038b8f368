// SPDX-License-Identifier: MIT
#include "isa/a2xx/a2xx.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"
#include "isa/a2xx_words.h"

enum { CF_SHORTS = 3, DWORDS = 3, USE_CONST = 3, USE_CONST_WIDE = 7 };

struct shader {
    const uint32_t *words;
    size_t n;
    enum lull_a2xx_stage stage;
    const char *prefix;
    struct lull_str *out;
};

/** @p field (enum lull_a2xx_field) of the instruction at @p w. */
static uint32_t get(const uint32_t *w, unsigned field)
{
    const unsigned lo = field >> 8, bits = field & 0xff;
    const uint64_t two = w[lo / 32] | (lo % 32 + bits > 32 ? (uint64_t)w[lo / 32 + 1] << 32 : 0);
    return (uint32_t)(two >> lo % 32 & ((UINT64_C(1) << bits) - 1));
}

static const char *name_of(const struct lull_a2xx_name *names, size_t n, uint32_t number)
{
    return number < n ? names[number].name : NULL;
}

static void swizzle(struct lull_str *out, uint32_t swiz)
{
    for (unsigned i = 0; i < 4; i++, swiz >>= 2) { // relative to the component's own number
        lull_str_add(out, &"xyzw"[(swiz + i) & 3], 1);
    }
}

/** Fields of a source of an ALU instruction. */
struct source {
    unsigned reg, sel, swiz, neg, abs;
};

static const struct source sources[] = {
    {LULL_A2XX_ALU_SRC1_REG, LULL_A2XX_ALU_SRC1_SEL, LULL_A2XX_ALU_SRC1_SWIZ,
     LULL_A2XX_ALU_SRC1_NEG, LULL_A2XX_ALU_SRC1_ABS},
    {LULL_A2XX_ALU_SRC2_REG, LULL_A2XX_ALU_SRC2_SEL, LULL_A2XX_ALU_SRC2_SWIZ,
     LULL_A2XX_ALU_SRC2_NEG, LULL_A2XX_ALU_SRC2_ABS},
    {LULL_A2XX_ALU_SRC3_REG, LULL_A2XX_ALU_SRC3_SEL, LULL_A2XX_ALU_SRC3_SWIZ,
     LULL_A2XX_ALU_SRC3_NEG, LULL_A2XX_ALU_SRC3_ABS},
};

static void source(struct lull_str *out, const uint32_t *w, unsigned which)
{
    const struct source *s = &sources[which];
    const bool absolute = get(w, s->abs) != 0;
    const uint32_t swiz = get(w, s->swiz);
    lull_str_addf(out, "%s%s%c%u", get(w, s->neg) != 0 ? "-" : "", absolute ? "|" : "",
                  get(w, s->sel) != 0 ? 'R' : 'C', get(w, s->reg));
    if (swiz != 0) {
        lull_str_add(out, ".", 1);
        swizzle(out, swiz);
    }
    lull_str_add(out, "|", absolute);
}

static void destination(struct lull_str *out, uint32_t number, uint32_t mask, bool export)
{
    lull_str_addf(out, "%s%u", export ? "export" : "R", number);
    if (mask != 0xf) {
        lull_str_add(out, ".", 1);
        for (unsigned i = 0; i < 4; i++) {
            lull_str_add(out, (mask >> i & 1) != 0 ? &"xyzw"[i] : "_", 1);
        }
    }
    lull_str_addf(out, " = ");
}

/** What an exported register is for. */
static void comment(const struct shader *s, uint32_t number)
{
    const char *name = s->stage == LULL_A2XX_VERTEX
                           ? name_of(lull_a2xx_vs_export, LULL_A2XX_NAMES_VS_EXPORT, number)
                           : name_of(lull_a2xx_fs_export, LULL_A2XX_NAMES_FS_EXPORT, number);
    if (name != NULL) {
        lull_str_addf(s->out, "\t; %s", name);
    }
}

static void scalar(const struct shader *s, const uint32_t *w)
{
    const uint32_t opcode = get(w, LULL_A2XX_ALU_SCALAR_OPC),
                   dst = get(w, LULL_A2XX_ALU_SCALAR_DEST);
    const bool export = get(w, LULL_A2XX_ALU_EXPORT) != 0;
    const char *name = name_of(lull_a2xx_scalar, LULL_A2XX_NAMES_SCALAR, opcode);
    lull_str_addf(s->out, "%s                          \t\t    \t", s->prefix);
    if (name != NULL) {
        lull_str_addf(s->out, "%s\t", name);
    } else {
        lull_str_addf(s->out, "OP(%u)\t", opcode);
    }
    destination(s->out, dst, get(w, LULL_A2XX_ALU_SCALAR_MASK), export);
    source(s->out, w, 2);
    lull_str_addf(s->out, "%s", get(w, LULL_A2XX_ALU_SCALAR_CLAMP) != 0 ? " CLAMP" : "");
    if (export) {
        comment(s, dst);
    }
    lull_str_add(s->out, "\n", 1);
}

/** Number, words and unit of an instruction. */
static void begin(const struct shader *s, const uint32_t *w, uint32_t at, bool sync,
                  const char *unit)
{
    lull_str_addf(s->out, "%s%02x: %08x %08x %08x\t   %s%s:\t", s->prefix, at, w[0], w[1], w[2],
                  sync ? "(S)" : "   ", unit);
}

static void alu(const struct shader *s, const uint32_t *w, uint32_t at, bool sync)
{
    struct lull_str *out = s->out;
    const uint32_t opcode = get(w, LULL_A2XX_ALU_VECTOR_OPC),
                   mask = get(w, LULL_A2XX_ALU_VECTOR_MASK);
    const uint32_t dst = get(w, LULL_A2XX_ALU_VECTOR_DEST), predicate = get(w, LULL_A2XX_ALU_PRED);
    const bool export = get(w, LULL_A2XX_ALU_EXPORT) != 0;
    const char *name = name_of(lull_a2xx_vector, LULL_A2XX_NAMES_VECTOR, opcode);
    const unsigned n = name != NULL ? lull_a2xx_vector[opcode].kind : 1;
    static const char *const predicates[] = {"", "", "NE", "EQ"};
    begin(s, w, at, sync, "ALU");
    lull_str_addf(out, "%s%s\t", name != NULL ? name : "(null)", predicates[predicate]);
    destination(out, dst, mask, export);
    if (n == 3) {
        source(out, w, 2);
        lull_str_add(out, ", ", 2);
    }
    source(out, w, 0);
    if (n > 1) {
        lull_str_add(out, ", ", 2);
        source(out, w, 1);
    }
    lull_str_addf(out, "%s", get(w, LULL_A2XX_ALU_VECTOR_CLAMP) != 0 ? " CLAMP" : "");
    if (export) {
        comment(s, dst);
    }
    lull_str_add(out, "\n", 1);
    if (get(w, LULL_A2XX_ALU_SCALAR_MASK) != 0 || mask == 0) {
        scalar(s, w);
    }
}

static void vertex_fetch(struct lull_str *out, const uint32_t *w)
{
    const uint32_t format = get(w, LULL_A2XX_FETCH_VTX_FORMAT);
    const uint32_t offset = get(w, LULL_A2XX_FETCH_VTX_OFFSET);
    const char *name = name_of(lull_a2xx_format, LULL_A2XX_NAMES_FORMAT, format);
    lull_str_add(out, &"xyzw"[get(w, LULL_A2XX_FETCH_VTX_SRC_SWIZ)], 1);
    if (name != NULL) {
        lull_str_addf(out, " %s", name);
    } else {
        lull_str_addf(out, " TYPE(0x%x)", format);
    }
    lull_str_addf(out, " %sSIGNED%s STRIDE(%u)",
                  get(w, LULL_A2XX_FETCH_VTX_SIGNED) != 0 ? "" : "UN",
                  get(w, LULL_A2XX_FETCH_VTX_UNNORMALIZED) != 0 ? "" : " NORMALIZED",
                  get(w, LULL_A2XX_FETCH_VTX_STRIDE));
    if (offset != 0) {
        lull_str_addf(out, " OFFSET(%u)", offset);
    }
    lull_str_addf(out, " CONST(%u, %u)", get(w, LULL_A2XX_FETCH_CONST),
                  get(w, LULL_A2XX_FETCH_VTX_CONST_SEL));
}

/** A filter, unless the texture's own is used. */
static void filter(struct lull_str *out, const char *what, const struct lull_a2xx_name *names,
                   size_t n, uint32_t value, uint32_t own)
{
    if (value != own) {
        const char *name = name_of(names, n, value);
        lull_str_addf(out, " %s(%s)", what, name != NULL ? name : "?");
    }
}

static void filters(struct lull_str *out, const uint32_t *w)
{
    static const struct {
        const char *what;
        unsigned field;
    } rows[] = {{"MAG", LULL_A2XX_FETCH_MAG},         {"MIN", LULL_A2XX_FETCH_MIN},
                {"MIP", LULL_A2XX_FETCH_MIP},         {"VOL_MAG", LULL_A2XX_FETCH_VOL_MAG},
                {"VOL_MIN", LULL_A2XX_FETCH_VOL_MIN}, {NULL, 0}};
    for (unsigned i = 0; rows[i].what != NULL; i++) {
        if (i == 3) {
            filter(out, "ANISO", lull_a2xx_aniso, LULL_A2XX_NAMES_ANISO,
                   get(w, LULL_A2XX_FETCH_ANISO), USE_CONST_WIDE);
            filter(out, "ARBITRARY", lull_a2xx_arbitrary, LULL_A2XX_NAMES_ARBITRARY,
                   get(w, LULL_A2XX_FETCH_ARBITRARY), USE_CONST_WIDE);
        }
        filter(out, rows[i].what, lull_a2xx_filter, LULL_A2XX_NAMES_FILTER, get(w, rows[i].field),
               USE_CONST);
    }
}

static void texture_fetch(struct lull_str *out, const uint32_t *w)
{
    const uint32_t x = get(w, LULL_A2XX_FETCH_OFFSET_X), y = get(w, LULL_A2XX_FETCH_OFFSET_Y);
    const uint32_t z = get(w, LULL_A2XX_FETCH_OFFSET_Z), lod = get(w, LULL_A2XX_FETCH_REG_LOD);
    uint32_t swiz = get(w, LULL_A2XX_FETCH_SRC_SWIZ);
    for (unsigned i = 0; i < 3; i++, swiz >>= 2) {
        lull_str_add(out, &"xyzw"[swiz & 3], 1);
    }
    lull_str_addf(out, " CONST(%u)%s%s", get(w, LULL_A2XX_FETCH_CONST),
                  get(w, LULL_A2XX_FETCH_VALID_ONLY) != 0 ? " VALID_ONLY" : "",
                  get(w, LULL_A2XX_FETCH_DENORM) != 0 ? " DENORM" : "");
    filters(out, w);
    if (get(w, LULL_A2XX_FETCH_COMP_LOD) == 0) {
        lull_str_addf(out, " LOD(0) LOD_BIAS(%u)", get(w, LULL_A2XX_FETCH_LOD_BIAS));
    }
    if (lod != 0) {
        lull_str_addf(out, " REG_LOD(%u)", lod);
    }
    lull_str_addf(out, "%s LOCATION(%s)",
                  get(w, LULL_A2XX_FETCH_REG_GRADIENTS) != 0 ? " USE_REG_GRADIENTS" : "",
                  lull_a2xx_location[get(w, LULL_A2XX_FETCH_LOCATION)].name);
    if ((x | y | z) != 0) {
        lull_str_addf(out, " OFFSET(%u,%u,%u)", x, y, z);
    }
}

static void fetch(const struct shader *s, const uint32_t *w, uint32_t at, bool sync)
{
    struct lull_str *out = s->out;
    const uint32_t opcode = get(w, LULL_A2XX_FETCH_OPC);
    const char *name = name_of(lull_a2xx_fetch, LULL_A2XX_NAMES_FETCH, opcode);
    uint32_t swiz = get(w, LULL_A2XX_FETCH_DST_SWIZ);
    begin(s, w, at, sync, "FETCH");
    if (name == NULL) {
        lull_str_addf(out, "OP(%u)\n", opcode);
        return;
    }
    lull_str_addf(out, "%s", name);
    if (get(w, LULL_A2XX_FETCH_PRED) != 0) {
        lull_str_addf(out, "%s", get(w, LULL_A2XX_FETCH_PRED_CONDITION) != 0 ? "EQ" : "NE");
    }
    lull_str_addf(out, "\tR%u.", get(w, LULL_A2XX_FETCH_DST_REG));
    for (unsigned i = 0; i < 4; i++, swiz >>= 3) {
        lull_str_add(out, &"xyzw01?_"[swiz & 7], 1);
    }
    lull_str_addf(out, " = R%u.", get(w, LULL_A2XX_FETCH_SRC_REG));
    if (lull_a2xx_fetch[opcode].kind == LULL_A2XX_KIND_VERTEX) {
        vertex_fetch(out, w);
    } else {
        texture_fetch(out, w);
    }
    lull_str_add(out, "\n", 1);
}

/** Control-flow instruction number @p i, of three halves of a dword; false: not in the shader. */
static bool cf_at(const struct shader *s, size_t i, uint32_t w[2])
{
    uint16_t shorts[4] = {0};
    for (unsigned j = 0; j < CF_SHORTS; j++) {
        const size_t at = i * CF_SHORTS + j;
        if (at / 2 >= s->n) {
            return false;
        }
        shorts[j] = (uint16_t)(s->words[at / 2] >> at % 2 * 16);
    }
    w[0] = shorts[0] | (uint32_t)shorts[1] << 16;
    w[1] = shorts[2];
    return true;
}

static enum lull_a2xx_kind kind_of(const uint32_t *cf)
{
    return (enum lull_a2xx_kind)lull_a2xx_cf[get(cf, LULL_A2XX_CF_OPC)].kind;
}

static bool runs(const uint32_t *cf)
{
    return kind_of(cf) == LULL_A2XX_KIND_EXEC || kind_of(cf) == LULL_A2XX_KIND_COND_EXEC;
}

static void exec_text(struct lull_str *out, const uint32_t *w)
{
    const uint32_t vc = get(w, LULL_A2XX_CF_EXEC_VC), address = get(w, LULL_A2XX_CF_BOOL_ADDR);
    lull_str_addf(out, " ADDR(0x%x) CNT(0x%x)%s", get(w, LULL_A2XX_CF_EXEC_ADDRESS),
                  get(w, LULL_A2XX_CF_EXEC_COUNT),
                  get(w, LULL_A2XX_CF_EXEC_YIELD) != 0 ? " YIELD" : "");
    if (vc != 0) {
        lull_str_addf(out, " VC(0x%x)", vc);
    }
    if (address != 0) {
        lull_str_addf(out, " BOOL_ADDR(0x%x)", address);
    }
    lull_str_addf(out, "%s", get(w, LULL_A2XX_CF_ABSOLUTE) != 0 ? " ABSOLUTE_ADDR" : "");
    if (kind_of(w) == LULL_A2XX_KIND_COND_EXEC) {
        lull_str_addf(out, " COND(%u)", get(w, LULL_A2XX_CF_CONDITION));
    }
}

static void jump_text(struct lull_str *out, const uint32_t *w)
{
    const uint32_t address = get(w, LULL_A2XX_CF_BOOL_ADDR);
    lull_str_addf(out, " ADDR(0x%x) DIR(%u)%s", get(w, LULL_A2XX_CF_ADDRESS),
                  get(w, LULL_A2XX_CF_DIRECTION),
                  get(w, LULL_A2XX_CF_FORCE_CALL) != 0 ? " FORCE_CALL" : "");
    if (get(w, LULL_A2XX_CF_PREDICATED) != 0) {
        lull_str_addf(out, " COND(%u)", get(w, LULL_A2XX_CF_CONDITION));
    }
    if (address != 0) {
        lull_str_addf(out, " BOOL_ADDR(0x%x)", address);
    }
    lull_str_addf(out, "%s", get(w, LULL_A2XX_CF_ABSOLUTE) != 0 ? " ABSOLUTE_ADDR" : "");
}

static void cf_text(const struct shader *s, const uint32_t *w)
{
    struct lull_str *out = s->out;
    lull_str_addf(out, "%s    %04x %04x %04x            \t%s", s->prefix, w[0] & 0xffff, w[0] >> 16,
                  w[1], lull_a2xx_cf[get(w, LULL_A2XX_CF_OPC)].name);
    switch (kind_of(w)) {
    case LULL_A2XX_KIND_EXEC:
    case LULL_A2XX_KIND_COND_EXEC:
        exec_text(out, w);
        break;
    case LULL_A2XX_KIND_LOOP:
        lull_str_addf(out, " ADDR(0x%x) LOOP_ID(%u)%s", get(w, LULL_A2XX_CF_ADDRESS),
                      get(w, LULL_A2XX_CF_LOOP_ID),
                      get(w, LULL_A2XX_CF_ABSOLUTE) != 0 ? " ABSOLUTE_ADDR" : "");
        break;
    case LULL_A2XX_KIND_JUMP:
        jump_text(out, w);
        break;
    case LULL_A2XX_KIND_ALLOC:
        lull_str_addf(out, " %s SIZE(0x%x)%s%s", lull_a2xx_buffer[get(w, LULL_A2XX_CF_BUFFER)].name,
                      get(w, LULL_A2XX_CF_SIZE),
                      get(w, LULL_A2XX_CF_NO_SERIAL) != 0 ? " NO_SERIAL" : "",
                      get(w, LULL_A2XX_CF_ALLOC_MODE) != 0 ? " ALLOC_MODE" : "");
        break;
    case LULL_A2XX_KIND_NONE:
    case LULL_A2XX_KIND_TEXTURE:
    case LULL_A2XX_KIND_VERTEX:
        break;
    }
    lull_str_add(out, "\n", 1);
}

/** The instructions that @p cf runs: two bits for each say whether it is a fetch, and whether it
 * waits for those before. */
static void run(const struct shader *s, const uint32_t *cf)
{
    uint32_t how = get(cf, LULL_A2XX_CF_EXEC_SERIALIZE);
    const uint32_t first = get(cf, LULL_A2XX_CF_EXEC_ADDRESS);
    for (uint32_t i = 0; i < get(cf, LULL_A2XX_CF_EXEC_COUNT); i++, how >>= 2) {
        const size_t at = (size_t)(first + i) * DWORDS;
        if (at + DWORDS > s->n) {
            return;
        }
        if ((how & 1) != 0) {
            fetch(s, &s->words[at], first + i, (how & 2) != 0);
        } else {
            alu(s, &s->words[at], first + i, (how & 2) != 0);
        }
    }
}

void lull_a2xx_disasm(const uint32_t *words, size_t n, enum lull_a2xx_stage stage,
                      const char *prefix, struct lull_str *out)
{
    const struct shader s = {words, n, stage, prefix, out};
    uint32_t cf[2] = {0};
    size_t i = 0;
    while (cf_at(&s, i, cf) && !runs(cf)) {
        i++;
    }
    // The control flow ends where what it runs begins.
    const size_t end = runs(cf) ? 2 * (size_t)get(cf, LULL_A2XX_CF_EXEC_ADDRESS) : 0;
    for (i = 0; i < end && cf_at(&s, i, cf); i++) {
        cf_text(&s, cf);
        if (runs(cf)) {
            run(&s, cf);
        }
    }
}
