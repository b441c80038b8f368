// SPDX-License-Identifier: MIT
// ir3 (Adreno a3xx to a7xx): what src/isa/ir3 and the tables of src/isa/spec know, as an arch.
//
// Sources with several components (coordinates, addresses of 64 bits) are one operand in the
// table: uses() names their first register.
#include <inttypes.h>
#include <string.h>

#include "arch/ir3.h"
#include "isa/ir3_spec.h"

enum {
    GPRS = LULL_ARCH_IR3_GPRS,
    ADDRESS = LULL_ARCH_IR3_ADDRESS,
    PREDICATE = LULL_ARCH_IR3_PREDICATE,
    HALVES = LULL_ARCH_IR3_HALVES,
    CONSTANTS = LULL_ARCH_IR3_CONSTANTS,
    NCONSTANTS = 512 * 4,
    WORD = 8, ///< Bytes of an instruction.
};

static const struct lull_arch_bank banks[] = {
    {"r", LULL_REGS_VECTOR, 0, GPRS, 32, true, true},
    {"a", LULL_REGS_SPECIAL, ADDRESS, 4, 16, true, true},
    {"p", LULL_REGS_SPECIAL, PREDICATE, 4, 1, true, true},
    {"hr", LULL_REGS_VECTOR, HALVES, GPRS, 16, true, true},
    {"c", LULL_REGS_SCALAR, CONSTANTS, NCONSTANTS, 32, false, true},
};

static const struct lull_arch_name names[] = {
    {"a1.x", ADDRESS + 1, 1, 16, true},
};

_Static_assert(sizeof(struct lull_arch_ir3_insn) <= LULL_INSN_BYTES, "an instruction fits");

static const struct lull_arch_ir3_insn *of(const struct lull_insn *in)
{
    return lull_arch_ir3_of(in);
}

static int decode(const struct lull_arch_mode *mode, const void *code, size_t size,
                  struct lull_insn_room *ret)
{
    struct lull_arch_ir3_insn *i = (struct lull_arch_ir3_insn *)(void *)ret->bytes;
    const uint8_t *b = code;
    if (size < WORD) {
        return -1;
    }
    i->gen = mode->gen;
    i->word = 0;
    for (unsigned n = 0; n < WORD; n++) {
        i->word |= (uint64_t)b[n] << 8 * n;
    }
    return lull_ir3_decode(i->word, i->gen, &i->in) ? WORD : 0;
}

static unsigned size_of(const struct lull_insn *in)
{
    (void)in;
    return WORD;
}

static const char *mnemonic(const struct lull_insn *in)
{
    return lull_ir3_op_names[of(in)->in.op];
}

/** The printer asks for the name of a branch's target. */
static bool target_name(void *ctx, bool absolute, int64_t value, struct lull_str *out)
{
    const struct lull_insn_print *how = ctx;
    const uint64_t target = absolute ? WORD * (uint64_t)value : how->pc + WORD * (uint64_t)value;
    const char *name = how->symbol != NULL ? how->symbol(how->ctx, target) : NULL;
    if (name != NULL) {
        lull_str_addf(out, "%s", name);
    }
    return name != NULL;
}

static void print(const struct lull_insn *in, const struct lull_insn_print *how,
                  struct lull_str *out)
{
    struct lull_insn_print copy = *how;
    const struct lull_spec_hooks hooks = {.branch = target_name, .ctx = &copy};
    const struct lull_spec_options o = {.gen = of(in)->gen, .hooks = &hooks};
    (void)lull_spec_print(&lull_spec_ir3, &o, of(in)->word, out);
}

static struct lull_flow flow(const struct lull_insn *insn, uint64_t pc)
{
    const struct lull_ir3_insn *in = &of(insn)->in;
    struct lull_flow f = {.kind = LULL_FLOW_NEXT,
                          .known = in->branches,
                          .target = in->branches ? pc + WORD * (uint64_t)(int64_t)in->target : 0,
                          .barrier = in->op == LULL_IR3_OP_BAR};
    switch ((unsigned)in->op) {
    case LULL_IR3_OP_END:
    case LULL_IR3_OP_CHSH: // Goes on with the next stage's shader.
        f.kind = LULL_FLOW_END;
        break;
    case LULL_IR3_OP_RET:
        f.kind = LULL_FLOW_RETURN;
        break;
    case LULL_IR3_OP_CALL:
        f.kind = LULL_FLOW_CALL;
        break;
    case LULL_IR3_OP_JUMP:
        f.kind = LULL_FLOW_JUMP;
        break;
    case LULL_IR3_OP_BRAX: // Mesa does not know where to.
        f.kind = LULL_FLOW_BRANCH;
        break;
    default:
        f.kind = in->branches ? LULL_FLOW_BRANCH : LULL_FLOW_NEXT;
        break;
    }
    return f;
}

/** Number of the register that @p o names. False: it names none, or one chosen at run time. */
static bool number_of(const struct lull_ir3_operand *o, unsigned *ret)
{
    switch (o->kind) {
    case LULL_IR3_K_GPR:
        *ret = (o->half ? HALVES : 0) + (unsigned)o->value;
        return o->value >= 0 && o->value < GPRS;
    case LULL_IR3_K_CONST:
        *ret = CONSTANTS + (unsigned)o->value;
        return o->value >= 0 && o->value < NCONSTANTS;
    case LULL_IR3_K_ADDR:
        *ret = ADDRESS + (unsigned)o->value;
        return o->value >= 0 && o->value < 4;
    case LULL_IR3_K_PRED:
        *ret = PREDICATE + (unsigned)o->value;
        return o->value >= 0 && o->value < 4;
    default:
        return false;
    }
}

static unsigned put(unsigned number, unsigned count, bool write, struct lull_arch_use *ret)
{
    *ret = (struct lull_arch_use){.reg = (uint16_t)number, .count = (uint8_t)count, .write = write};
    return 1;
}

/** What is read to find the register that @p o names. */
static unsigned add_address(const struct lull_ir3_operand *o, struct lull_arch_use *ret)
{
    switch (o->kind) {
    case LULL_IR3_K_RELGPR:
    case LULL_IR3_K_RELCONST:
        return put(ADDRESS, 1, false, ret);
    case LULL_IR3_K_CONSTA1:
        return put(ADDRESS + 1, 1, false, ret);
    default:
        return 0;
    }
}

static unsigned add(const struct lull_ir3_operand *o, unsigned count, bool write,
                    struct lull_arch_use *ret)
{
    unsigned number = 0;
    return number_of(o, &number) ? put(number, count, write, ret) : add_address(o, ret);
}

/** Registers that follow each other from the destination on. */
static unsigned written(const struct lull_ir3_insn *in)
{
    if (in->m.wrmask != 0) {
        unsigned last = 0;
        while (in->m.wrmask >> (last + 1) != 0) {
            last++;
        }
        return last + 1;
    }
    return in->category == 6 && in->m.size > 1 ? (unsigned)in->m.size : in->m.repeat + 1u;
}

static unsigned uses(const struct lull_insn *insn, unsigned lanes, struct lull_arch_use *ret)
{
    const struct lull_ir3_insn *in = &of(insn)->in;
    unsigned n = 0;
    (void)lanes;
    for (unsigned i = 0; i < in->nsrc; i++) {
        n += add(&in->src[i], in->src[i].r ? in->m.repeat + 1u : 1, false, ret + n);
    }
    for (unsigned i = 0; i < in->ndst; i++) {
        n += add(&in->dst[i], i == 0 ? written(in) : 1, true, ret + n);
    }
    return n + (in->m.a1 ? put(ADDRESS + 1, 1, false, ret + n) : 0);
}

// By the beginning of the mnemonic; the first that fits.
static const struct {
    const char *name;
    enum lull_memory_kind kind;
    bool reads, writes;
} memories[] = {
    {"ldgb", LULL_MEMORY_BUFFER, true, false},    {"stgb", LULL_MEMORY_BUFFER, false, true},
    {"ldg", LULL_MEMORY_GLOBAL, true, false},     {"stg", LULL_MEMORY_GLOBAL, false, true},
    {"ldl", LULL_MEMORY_LOCAL, true, false},      {"stl", LULL_MEMORY_LOCAL, false, true},
    {"ldp", LULL_MEMORY_PRIVATE, true, false},    {"stp", LULL_MEMORY_PRIVATE, false, true},
    {"ldc", LULL_MEMORY_BUFFER, true, false},     {"stc", LULL_MEMORY_CONSTANT, false, true},
    {"stsc", LULL_MEMORY_CONSTANT, false, true},  {"ldib", LULL_MEMORY_BUFFER, true, false},
    {"stib", LULL_MEMORY_BUFFER, false, true},    {"atomic.g", LULL_MEMORY_GLOBAL, true, true},
    {"atomic.b", LULL_MEMORY_BUFFER, true, true}, {"atomic.s", LULL_MEMORY_BUFFER, true, true},
    {"atomic", LULL_MEMORY_LOCAL, true, true},    {"sam", LULL_MEMORY_IMAGE, true, false},
    {"isam", LULL_MEMORY_IMAGE, true, false},     {"gather", LULL_MEMORY_IMAGE, true, false},
};

static struct lull_insn_memory memory(const struct lull_insn *insn)
{
    const struct lull_ir3_insn *in = &of(insn)->in;
    const char *name = lull_ir3_op_names[in->op];
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        if (strncmp(name, memories[i].name, strlen(memories[i].name)) == 0) {
            // Images convert; in the constant file lanes have no part; atomics may have 64 bits.
            const bool plain = memories[i].kind <= LULL_MEMORY_FLAT ||
                               memories[i].kind == LULL_MEMORY_LOCAL ||
                               memories[i].kind == LULL_MEMORY_PRIVATE;
            const bool atomic = memories[i].reads && memories[i].writes;
            const unsigned n = in->m.size > 1 ? (unsigned)in->m.size : 1;
            return (struct lull_insn_memory){
                .kind = memories[i].kind,
                .reads = memories[i].reads,
                .writes = memories[i].writes,
                .bytes = plain && !atomic ? (uint16_t)(n * lull_arch_ir3_type_bytes(in->m.type))
                                          : (uint16_t)0};
        }
    }
    return (struct lull_insn_memory){0};
}

static void descriptor(unsigned number, struct lull_str *out)
{
    static const char *const tables[] = {[LULL_ARCH_IR3_BASE_UBO] = "UBO",
                                         [LULL_ARCH_IR3_BASE_IBO] = "IBO",
                                         [LULL_ARCH_IR3_BASE_TEXTURE] = "texture"};
    const unsigned base = number >> LULL_ARCH_IR3_BASE_SHIFT;
    const unsigned index = number & ((1u << LULL_ARCH_IR3_BASE_SHIFT) - 1);
    if (base < LULL_ARCH_IR3_BASE_UBO) {
        lull_str_addf(out, "descriptor %u of base %u", index, base);
    } else if (base <= LULL_ARCH_IR3_BASE_TEXTURE) {
        lull_str_addf(out, "%s %u", tables[base], index);
    }
}

const struct lull_arch lull_arch_ir3 = {
    .name = "ir3",
    .align = WORD,
    .max_size = WORD,
    .lanes = {64, 128},
    .return_reg = LULL_ARCH_NO_REG, // The hardware keeps a stack.
    .banks = banks,
    .nbanks = sizeof banks / sizeof banks[0],
    .names = names,
    .nnames = sizeof names / sizeof names[0],
    .decode = decode,
    .size = size_of,
    .mnemonic = mnemonic,
    .print = print,
    .flow = flow,
    .uses = uses,
    .memory = memory,
    .descriptor = descriptor,
};
