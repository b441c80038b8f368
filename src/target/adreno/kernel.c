// SPDX-License-Identifier: MIT
#include "target/adreno/kernel.h"

#include <string.h>

#include "isa/ir3/decode.h"

enum {
    GPRS = 48,
    FIBERS = 64,
    MOST_LOCAL = 1024, ///< Invocations of a group.
    MOST_DWORDS = 1 << 28,
    MOST_PRIVATE = 1 << 16,
    MOST_SHARED = 32 << 10,
};

static bool is(const struct lull_ir3_header *h, const char *name)
{
    return strcmp(h->name, name) == 0;
}

LULL_MUST_USE static struct lull_error *number(const struct lull_ir3_header *h, uint32_t most,
                                               uint32_t *ret)
{
    if (h->values[0] > most) {
        return lull_error_new(LULL_ERR_INVALID, "@%s: %u is more than %u", h->name, h->values[0],
                              most);
    }
    *ret = h->values[0];
    return NULL;
}

LULL_MUST_USE static struct lull_error *local_size(struct lull_adreno_kernel *k,
                                                   const struct lull_ir3_header *h)
{
    uint64_t all = 1;
    for (unsigned i = 0; i < 3; i++) {
        k->local[i] = h->values[i];
        all = h->values[i] > MOST_LOCAL ? 0 : all * h->values[i];
    }
    return all != 0 && all <= MOST_LOCAL
               ? NULL
               : lull_error_new(LULL_ERR_INVALID,
                                "@localsize %u, %u, %u: a group has 1 to %u invocations",
                                h->values[0], h->values[1], h->values[2], MOST_LOCAL);
}

LULL_MUST_USE static struct lull_error *buffer(struct lull_adreno_kernel *k,
                                               const struct lull_ir3_header *h)
{
    const bool at = h->kind == LULL_IR3_CONST;
    struct lull_adreno_buffer b = {.uniform = is(h, "ubo"),
                                   .init = h->values + 1,
                                   .ninit = h->nvalues - 1,
                                   .address = at ? (int)h->reg : -1};
    struct lull_error *err = number(h, MOST_DWORDS, &b.dwords);
    if (err == NULL && (b.dwords == 0 || b.ninit > b.dwords)) {
        err = lull_error_new(LULL_ERR_INVALID, "@%s of %u dwords has %zu values", h->name, b.dwords,
                             b.ninit);
    }
    if (err == NULL && k->nbuffers == LULL_ADRENO_BUFFERS) {
        err =
            lull_error_new(LULL_ERR_INVALID, "more than %u of @buf and @ubo", LULL_ADRENO_BUFFERS);
    }
    if (err == NULL && at) {
        const uint32_t later[2] = {0};
        err = lull_adreno_kernel_const(k, h->reg, later, 2);
    }
    if (err == NULL) {
        k->buffers[k->nbuffers++] = b;
    }
    return err;
}

/** A register that hardware fills. */
LULL_MUST_USE static struct lull_error *place(const struct lull_ir3_header *h, bool shared,
                                              uint8_t *ret)
{
    if (h->kind != LULL_IR3_GPR || h->half || (h->reg >= GPRS * 4) != shared ||
        h->reg + 2 >= LULL_ADRENO_NO_REG) {
        return lull_error_new(LULL_ERR_INVALID, "@%s needs a full register %s r48.x", h->name,
                              shared ? "from" : "below");
    }
    *ret = (uint8_t)h->reg;
    return NULL;
}

LULL_MUST_USE static struct lull_error *header(struct lull_adreno_kernel *k,
                                               const struct lull_ir3_header *h)
{
    static const uint32_t none[3];
    if (is(h, "localsize")) {
        return local_size(k, h);
    } else if (is(h, "buf") || is(h, "ubo")) {
        return buffer(k, h);
    } else if (is(h, "const")) {
        return lull_adreno_kernel_const(k, h->reg, h->values, h->nvalues);
    } else if (is(h, "invocationid")) {
        return place(h, false, &k->local_id);
    } else if (is(h, "wgid")) {
        return place(h, true, &k->group_id);
    } else if (is(h, "numwg")) {
        k->groups_const = (int)h->reg;
        return lull_adreno_kernel_const(k, h->reg, none, 3);
    } else if (is(h, "branchstack")) {
        return number(h, FIBERS, &k->branches);
    } else if (is(h, "pvtmem")) {
        return number(h, MOST_PRIVATE, &k->private_bytes);
    } else if (is(h, "localmem")) {
        return number(h, MOST_SHARED, &k->shared);
    } else if (is(h, "earlypreamble")) {
        k->early_preamble = true;
    } else if (is(h, "tex")) {
        return lull_error_new(LULL_ERR_UNSUPPORTED, "@tex: kernels cannot have textures here");
    }
    return NULL; // in, out: of stages that have them.
}

struct lull_error *lull_adreno_kernel_add(struct lull_adreno_kernel *k,
                                          const struct lull_ir3_header *headers, size_t n)
{
    struct lull_error *err = NULL;
    for (size_t i = 0; err == NULL && i < n; i++) {
        err = lull_error_in(header(k, &headers[i]), "line %u", headers[i].line);
    }
    return err;
}

struct lull_error *lull_adreno_kernel_const(struct lull_adreno_kernel *k, unsigned at,
                                            const uint32_t *values, size_t n)
{
    if (at > LULL_ADRENO_CONSTS || n > LULL_ADRENO_CONSTS - at) {
        return lull_error_new(LULL_ERR_INVALID, "constants behind c%u.w",
                              LULL_ADRENO_CONSTS / 4 - 1);
    }
    memcpy(k->consts + at, values, n * sizeof *values);
    const unsigned end = (at + (unsigned)n + 3) / 4 * 4;
    k->nconsts = k->nconsts > end ? k->nconsts : end;
    return NULL;
}

/** One past the last component that @p o names in @p in; of a constant it is a dword. */
static unsigned end_of(const struct lull_ir3_insn *in, const struct lull_ir3_operand *o)
{
    // Memory and texture instructions have vectors of up to four.
    const unsigned more = in->category >= 5 ? 3 : in->m.repeat;
    const unsigned end = (unsigned)(o->value > 0 ? o->value : 0) + more + 1;
    return o->half ? (end + 1) / 2 : end;
}

unsigned lull_adreno_footprint(const uint64_t *words, size_t n, unsigned gpu_id)
{
    unsigned components = 1;
    for (size_t i = 0; i < n; i++) {
        struct lull_ir3_insn in;
        if (!lull_ir3_decode(words[i], gpu_id, &in)) {
            continue;
        }
        for (unsigned k = 0; k < (unsigned)in.ndst + in.nsrc; k++) {
            const struct lull_ir3_operand *o = k < in.ndst ? &in.dst[k] : &in.src[k - in.ndst];
            const bool gpr = o->kind == LULL_IR3_K_GPR || o->kind == LULL_IR3_K_RELGPR;
            const unsigned end = gpr ? end_of(&in, o) : 0;
            if (gpr && o->value < (o->half ? 2 : 1) * GPRS * 4 && end > components) {
                components = end;
            }
        }
    }
    const unsigned vectors = (components + 3) / 4;
    return vectors < GPRS ? vectors : GPRS;
}

/** One past the last constant that the code names. */
static unsigned constants(const uint64_t *words, size_t n, unsigned gpu_id)
{
    unsigned most = 0;
    for (size_t i = 0; i < n; i++) {
        struct lull_ir3_insn in;
        for (unsigned k = 0; lull_ir3_decode(words[i], gpu_id, &in) && k < in.nsrc; k++) {
            const unsigned end = in.src[k].kind == LULL_IR3_K_CONST ? end_of(&in, &in.src[k]) : 0;
            most = end > most ? end : most;
        }
    }
    most = (most + 3) / 4 * 4;
    return most < LULL_ADRENO_CONSTS ? most : LULL_ADRENO_CONSTS;
}

struct lull_error *lull_adreno_kernel_of(const struct lull_ir3_shader *shader, unsigned gpu_id,
                                         unsigned local, struct lull_adreno_kernel *ret)
{
    struct lull_adreno_kernel *k = ret;
    memset(k, 0, sizeof *k);
    k->local[0] = local;
    k->local[1] = k->local[2] = 1;
    k->local_id = k->group_id = k->linear_id = LULL_ADRENO_NO_REG;
    k->groups_const = -1;
    k->registers = lull_adreno_footprint(shader->words, shader->n, gpu_id);
    k->nconsts = constants(shader->words, shader->n, gpu_id);
    return lull_adreno_kernel_add(k, shader->headers, shader->nheaders);
}

bool lull_adreno_is_wide(const struct lull_adreno_kernel *k, const struct lull_achip *chip)
{
    const uint32_t invocations = k->local[0] * k->local[1] * k->local[2];
    return invocations > FIBERS && k->registers * 2 <= chip->reg_vec4;
}
