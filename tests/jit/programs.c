// SPDX-License-Identifier: MIT
#include "programs.h"

#include "model/amd/exec/code.h"
#include "test.h"

#include "forms.h"
#include "jit_rows.h"

enum {
    SCALARS = 24, // Scalar operands are below.
    VGPRS = 8,
    TRIES = 4, // To make an instruction that can be made.
};

static uint64_t state;

uint64_t random_start(uint64_t s)
{
    const uint64_t was = state;
    state = s;
    return was;
}

uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state * 0x2545f4914f6cdd1d >> 32);
}

uint32_t number(bool wild)
{
    static const uint32_t corners[] = {0,          0x80000000, 0x3f800000, 0x7f800000, 0xff800000,
                                       0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4f000000,
                                       0xcf000000, 0x4f800000, 0xffffffff, 0x7fffffff, 0x7f800001};
    const uint32_t r = random32();
    switch (r & 15) {
    case 0:
        return wild ? corners[(r >> 8) % TEST_ROWS(corners)] : corners[r >> 8 & 1];
    case 1:
        return r >> 8 & 63;
    case 2:
        return wild ? random32() : r >> 8 & 0xffff;
    case 3:
    case 4: // Two halves.
        return (r & 0x83ff83ff) + 0x34003400 + (random32() % 8 << 26) + (random32() % 8 << 10);
    default:
        return (r & 0x807fffff) + 0x3c000000 + (random32() % 12 << 23);
    }
}

static uint16_t source(uint32_t *literal)
{
    switch (random32() % 8) {
    case 0:
    case 1:
        return (uint16_t)(random32() % SCALARS);
    case 2:
        return (uint16_t)(LULL_RDNA_INT0 + random32() % 81);
    case 3:
        *literal = number(false);
        return LULL_RDNA_LITERAL;
    default:
        return (uint16_t)(LULL_RDNA_VGPR0 + random32() % VGPRS);
    }
}

static bool is_pair(uint8_t type)
{
    return type == LULL_T_B64 || type == LULL_T_I64 || type == LULL_T_F64;
}

/** Halves of registers, and signs, as @p op has them. */
static void random_halves(unsigned op, struct lull_rdna_insn *in)
{
    const struct lull_rdna_op_info *info = &lull_rdna_ops[op];
    const bool packed = in->enc == LULL_RDNA_VOP3P, plain = random32() % 3 == 0;
    const uint8_t sources = (uint8_t)((lull_sem[op].src[0] != LULL_T_NONE ? 1 : 0) |
                                      (lull_sem[op].src[1] != LULL_T_NONE ? 2 : 0) |
                                      (lull_sem[op].src[2] != LULL_T_NONE ? 4 : 0));
    in->op_sel_hi = packed && lull_sem[op].src[0] != LULL_T_MIX ? 7 : 0;
    if (plain) {
        return;
    }
    in->op_sel = (uint8_t)(random32() & info->op_sel & (packed ? sources : 15));
    for (unsigned n = 0; packed && n < 3; n++) {
        const uint8_t type = lull_sem[op].src[n], bit = (uint8_t)(1 << n);
        const bool two = type == LULL_T_V2F16 || type == LULL_T_MIX;
        const bool sign = two || ((info->mod | info->neg_only) & bit) != 0;
        in->op_sel_hi ^= (uint8_t)(random32() & info->op_sel & sources & bit);
        in->neg |= (uint8_t)(sign ? random32() & bit : 0);
        in->neg_hi |= (uint8_t)(two ? random32() & bit : 0);
    }
}

/** In which form an instruction is made here. */
static uint8_t form_of(unsigned op)
{
    static const uint8_t encs[] = {LULL_RDNA_VOP3, LULL_RDNA_VOP3SD, LULL_RDNA_VOP3P};
    unsigned k = 0;
    while (k + 1 < TEST_ROWS(encs) && (lull_rdna_ops[op].encs >> encs[k] & 1) == 0) {
        k++;
    }
    return encs[k];
}

/** Operands of a random instruction of @p op in the form of VOP3. @return dwords. */
static unsigned random_vector(unsigned op, uint32_t words[LULL_RDNA_MAX_MADE])
{
    const struct lull_sem *sem = &lull_sem[op];
    const struct lull_rdna_op_info *info = &lull_rdna_ops[op];
    struct lull_rdna_insn in = {
        .op = (uint16_t)op, .enc = form_of(op), .size = 8, .sdst = LULL_RDNA_NONE};
    unsigned scalars = 0;
    for (unsigned i = 0; i < 3; i++) {
        in.src[i] = LULL_RDNA_NONE;
        if (sem->src[i] == LULL_T_MASK) {
            in.src[i] = random32() % 2 != 0 ? LULL_RDNA_VCC : 20;
        } else if (sem->src[i] != LULL_T_NONE) {
            in.src[i] = source(&in.literal);
            const bool pair = is_pair(sem->src[i]) && in.src[i] < SCALARS;
            in.src[i] &= (uint16_t)(pair ? ~1u : UINT16_MAX);
            scalars += in.src[i] < LULL_RDNA_VGPR0;
            in.src[i] = scalars > 1 ? (uint16_t)(LULL_RDNA_VGPR0 + i) : in.src[i];
        }
    }
    random_halves(op, &in);
    if (in.enc == LULL_RDNA_VOP3 && random32() % 3 == 0) {
        in.neg = (uint8_t)(random32() & info->mod & 7);
        in.abs = (uint8_t)(random32() & info->mod & 7);
        in.clamp = (info->flags & LULL_RDNA_F_CLAMP) != 0 && random32() % 2 == 0;
        const bool multiplied = (info->flags & LULL_RDNA_F_OMOD) != 0 && random32() % 8 == 0;
        in.omod = (uint8_t)(multiplied ? 1 + random32() % 3 : 0);
    } else if (in.enc == LULL_RDNA_VOP3P) {
        in.clamp = (info->flags & LULL_RDNA_F_CLAMP) != 0 && random32() % 8 == 0;
    }
    const unsigned mask = random32() % 2 != 0 ? LULL_RDNA_VCC : random32() % 2 != 0 ? 20 : 22;
    const bool exec = (sem->flags & LULL_SEM_EXEC) != 0;
    in.dst = (uint16_t)(exec                    ? LULL_RDNA_EXEC
                        : sem->d == LULL_T_MASK ? mask
                                                : LULL_RDNA_VGPR0 + random32() % VGPRS);
    in.sdst = in.enc == LULL_RDNA_VOP3SD ? (uint16_t)mask : LULL_RDNA_NONE;
    struct lull_rdna_insn out;
    const unsigned n = lull_rdna_encode(&in, words);
    return n != 0 && lull_rdna_decode(words, 4ul * n, &out) == (int)(4 * n) ? n : 0;
}

/** An SGPR, pairs even; rarely VCC, M0 or EXEC. */
static uint16_t scalar_register(bool wide)
{
    static const uint16_t others[] = {LULL_RDNA_VCC, LULL_RDNA_EXEC, LULL_RDNA_NULL};
    const uint16_t r = (uint16_t)(random32() % SCALARS & ~(wide ? 1u : 0u));
    return random32() % 8 == 0 ? others[random32() % TEST_ROWS(others)] : r;
}

static uint16_t scalar_source(uint8_t type, uint32_t *literal)
{
    if (type == LULL_T_NONE) {
        return LULL_RDNA_NONE;
    }
    switch (random32() % 4) {
    case 0:
        return (uint16_t)(LULL_RDNA_INT0 + random32() % 81);
    case 1:
        *literal = random32();
        return LULL_RDNA_LITERAL;
    default:
        return scalar_register(is_pair(type));
    }
}

/** A random instruction of a row of scalars. @param[out] exec Whether EXEC may be another then. */
static unsigned random_scalar(uint32_t words[LULL_RDNA_MAX_MADE], bool *exec)
{
    static const uint8_t encs[] = {LULL_RDNA_SOP1, LULL_RDNA_SOP2, LULL_RDNA_SOPC, LULL_RDNA_SOPK};
    for (;;) {
        const unsigned op = random32() % LULL_RDNA_NOPS;
        const struct lull_sem *sem = &lull_sem[op];
        const struct lull_rdna_op_info *info = &lull_rdna_ops[op];
        unsigned k = 0;
        while (k < TEST_ROWS(encs) && (info->encs >> encs[k] & 1) == 0) {
            k++;
        }
        if (sem->kind != LULL_SEM_SCALAR || k == TEST_ROWS(encs) ||
            ((info->reads | info->writes) & (LULL_RDNA_S_PC | LULL_RDNA_S_MODE)) != 0) {
            continue;
        }
        struct lull_rdna_insn in = {.op = (uint16_t)op,
                                    .enc = encs[k],
                                    .size = 4,
                                    .dst = LULL_RDNA_NONE,
                                    .sdst = LULL_RDNA_NONE,
                                    .imm = (int16_t)random32()};
        for (unsigned i = 0; i < 3; i++) {
            in.src[i] = scalar_source(sem->src[i], &in.literal);
        }
        in.dst = sem->d != LULL_T_NONE ? scalar_register(is_pair(sem->d)) : LULL_RDNA_NONE;
        // Two different literals have no room.
        in.src[1] =
            in.src[0] == LULL_RDNA_LITERAL && in.src[1] == LULL_RDNA_LITERAL ? 4 : in.src[1];
        in.size = in.src[0] == LULL_RDNA_LITERAL || in.src[1] == LULL_RDNA_LITERAL ? 8 : 4;
        const unsigned n = lull_rdna_encode(&in, words);
        if (n != 0) {
            *exec = in.dst == LULL_RDNA_EXEC || in.dst + 1 == LULL_RDNA_EXEC ||
                    (info->writes & LULL_RDNA_S_EXEC) != 0;
            return n;
        }
    }
}

static void append(struct program *p, const uint32_t *words, unsigned n)
{
    memcpy(p->words + p->n, words, 4ul * n);
    p->n += n;
}

static void append_form(struct program *p, const char *text)
{
    for (size_t i = 0; i < TEST_ROWS(asm_rows); i++) {
        if (strcmp(asm_rows[i].text, text) == 0) {
            append(p, asm_rows[i].dwords, asm_rows[i].ndwords);
            return;
        }
    }
}

unsigned find_rows(const struct lull_jit_target *target, uint16_t rows[MAX_ROWS])
{
    unsigned n = 0;
    for (unsigned op = 0; op < LULL_RDNA_NOPS; op++) {
        uint32_t words[LULL_RDNA_MAX_MADE];
        unsigned made = 0;
        const unsigned tries = lull_sem[op].kind == LULL_SEM_LANES ? TRIES : 0;
        for (unsigned i = 0; i < tries && made == 0; i++) {
            made = random_vector(op, words);
        }
        if (made == 0) {
            continue;
        }
        const unsigned copies = target->rows[op].plain[0] != 0 ? COPIES : 1;
        for (unsigned i = 0; i < copies; i++) {
            rows[n++] = (uint16_t)op;
        }
    }
    return n;
}

static unsigned encode_scalar(uint32_t words[LULL_RDNA_MAX_MADE], unsigned op, unsigned enc,
                              unsigned dst, unsigned a, unsigned b)
{
    const struct lull_rdna_insn in = {.op = (uint16_t)op,
                                      .enc = (uint8_t)enc,
                                      .size = 4,
                                      .dst = (uint16_t)dst,
                                      .sdst = LULL_RDNA_NONE,
                                      .src = {(uint16_t)a, (uint16_t)b, LULL_RDNA_NONE}};
    return lull_rdna_encode(&in, words);
}

/** SOPP with @p imm. */
static uint32_t branch(unsigned op, int imm)
{
    const struct lull_rdna_insn in = {.op = (uint16_t)op,
                                      .enc = LULL_RDNA_SOPP,
                                      .size = 4,
                                      .dst = LULL_RDNA_NONE,
                                      .sdst = LULL_RDNA_NONE,
                                      .src = {LULL_RDNA_NONE, LULL_RDNA_NONE, LULL_RDNA_NONE},
                                      .imm = imm};
    uint32_t words[LULL_RDNA_MAX_MADE] = {0};
    lull_rdna_encode(&in, words);
    return words[0];
}

static void append_chain(struct program *p)
{
    const char *const *chain = chains[random32() % TEST_ROWS(chains)];
    for (unsigned i = 0; i < TEST_ROWS(chains[0]) && chain[i] != NULL; i++) {
        append_form(p, chain[i]);
    }
}

/** Loads from LDS at an address that is made before them. */
static void append_loads(struct program *p)
{
    const char *const *how = addresses[random32() % TEST_ROWS(addresses)];
    for (unsigned i = 0; i < 2 && how[i] != NULL; i++) {
        append_form(p, how[i]);
    }
    for (unsigned n = random32() % 3 + 1; n != 0; n--) {
        append_form(p, loads[random32() % TEST_ROWS(loads)]);
    }
}

/** Masks put together; or one half of @p mask alone is all bits or none. */
static void append_logic(struct program *p, unsigned lanes, unsigned mask, unsigned a, unsigned b)
{
    static const uint16_t wide[] = {LULL_RDNA_OP_S_AND_B64, LULL_RDNA_OP_S_OR_B64,
                                    LULL_RDNA_OP_S_XOR_B64, LULL_RDNA_OP_S_AND_NOT1_B64,
                                    LULL_RDNA_OP_S_OR_NOT1_B64};
    static const uint16_t narrow[] = {LULL_RDNA_OP_S_AND_B32, LULL_RDNA_OP_S_OR_B32,
                                      LULL_RDNA_OP_S_XOR_B32, LULL_RDNA_OP_S_AND_NOT1_B32,
                                      LULL_RDNA_OP_S_OR_NOT1_B32};
    uint32_t words[LULL_RDNA_MAX_MADE];
    if (random32() % 4 == 0) {
        append(p, words,
               encode_scalar(words, LULL_RDNA_OP_S_CSELECT_B32, LULL_RDNA_SOP2,
                             mask + random32() % 2, LULL_RDNA_INT0, LULL_RDNA_INT0 + 65));
        return;
    }
    const unsigned k = random32() % TEST_ROWS(wide);
    append(p, words,
           encode_scalar(words, lanes == 64 ? wide[k] : narrow[k], LULL_RDNA_SOP2, mask, a, b));
}

/** Selections by masks that are the same for all lanes, between registers and what earlier ones
 * chose; now and then another instruction writes one of them. */
static void append_selects(struct program *p, unsigned lanes, const uint16_t *rows, unsigned nrows)
{
    static const uint16_t masks[] = {20, 22, LULL_RDNA_VCC};
    const unsigned cselect = lanes == 64 ? LULL_RDNA_OP_S_CSELECT_B64 : LULL_RDNA_OP_S_CSELECT_B32;
    uint32_t words[LULL_RDNA_MAX_MADE];
    for (unsigned n = random32() % 8 + 2; n != 0; n--) {
        const uint16_t mask = masks[random32() % TEST_ROWS(masks)];
        const unsigned none = LULL_RDNA_INT0, all = LULL_RDNA_INT0 + 65;
        const bool turned = random32() % 2 != 0;
        append(p, words,
               encode_scalar(words, LULL_RDNA_OP_S_CMP_LT_U32, LULL_RDNA_SOPC, LULL_RDNA_NONE,
                             random32() % SCALARS, random32() % SCALARS));
        append(p, words,
               encode_scalar(words, cselect, LULL_RDNA_SOP2, mask, turned ? none : all,
                             turned ? all : none));
        if (random32() % 4 == 0) {
            append_logic(p, lanes, mask, masks[random32() % TEST_ROWS(masks)],
                         masks[random32() % TEST_ROWS(masks)]);
        }
        if (random32() % 4 == 0) { // Not the mask is what was written last.
            append(p, words,
                   encode_scalar(words, LULL_RDNA_OP_S_MOV_B32, LULL_RDNA_SOP1,
                                 random32() % SCALARS, random32() % SCALARS, LULL_RDNA_NONE));
        }
        const struct lull_rdna_insn in = {.op = LULL_RDNA_OP_V_CNDMASK_B32,
                                          .enc = LULL_RDNA_VOP3,
                                          .size = 8,
                                          .sdst = LULL_RDNA_NONE,
                                          .dst = (uint16_t)(LULL_RDNA_VGPR0 + random32() % VGPRS),
                                          .neg = random32() % 16 == 0 ? 1 : 0,
                                          .src = {(uint16_t)(LULL_RDNA_VGPR0 + random32() % VGPRS),
                                                  (uint16_t)(LULL_RDNA_VGPR0 + random32() % VGPRS),
                                                  mask}};
        append(p, words, lull_rdna_encode(&in, words));
        if (random32() % 4 == 0) {
            const unsigned op = rows[random32() % nrows];
            if ((lull_sem[op].flags & LULL_SEM_EXEC) == 0) {
                append(p, words, random_vector(op, words));
            }
        }
    }
}

/** One instruction, the row at @p *next or another, and EXEC as it was. */
static void make_one(struct program *p, unsigned lanes, const uint16_t *rows, unsigned nrows,
                     unsigned *next)
{
    uint32_t words[LULL_RDNA_MAX_MADE];
    const uint32_t kind = random32() % 8;
    bool exec = false;
    if (kind == 0) {
        append(p, words, random_scalar(words, &exec));
    } else if (kind == 1 && random32() % 2 == 0) {
        append_loads(p);
    } else if (kind == 1 && p->n < WORDS / 2) {
        append_selects(p, lanes, rows, nrows);
    } else if (kind == 2 && random32() % 4 == 0) {
        append_chain(p);
    } else if (kind == 2 && random32() % 2 == 0) {
        append_form(p, shuffles[random32() % TEST_ROWS(shuffles)]);
    } else if (kind <= 2) {
        const unsigned known = TEST_ROWS(forms) + (lanes == 32 ? TEST_ROWS(dual) : 0);
        const unsigned k = random32() % known;
        const char *form = k < TEST_ROWS(forms) ? forms[k] : dual[k - TEST_ROWS(forms)];
        append_form(p, form);
        exec = strncmp(form, "v_cmpx", 6) == 0;
    } else {
        const unsigned op = rows[(*next)++ % nrows];
        append(p, words, random_vector(op, words));
        exec = (lull_sem[op].flags & LULL_SEM_EXEC) != 0;
    }
    if (exec) {
        append(p, words,
               encode_scalar(words, lanes == 64 ? LULL_RDNA_OP_S_MOV_B64 : LULL_RDNA_OP_S_MOV_B32,
                             LULL_RDNA_SOP1, LULL_RDNA_EXEC, SAVED_EXEC, LULL_RDNA_NONE));
    }
}

/** Now and then a comparison in front of a jump, or one and another instruction that writes SCC. */
static void append_compare(struct program *p)
{
    static const uint16_t compares[] = {LULL_RDNA_OP_S_CMP_LT_I32, LULL_RDNA_OP_S_CMP_GE_U32,
                                        LULL_RDNA_OP_S_CMP_EQ_U32, LULL_RDNA_OP_S_CMP_GT_I32};
    uint32_t words[LULL_RDNA_MAX_MADE];
    if (random32() % 2 == 0) {
        append(p, words,
               encode_scalar(words, compares[random32() % TEST_ROWS(compares)], LULL_RDNA_SOPC,
                             LULL_RDNA_NONE, random32() % SCALARS, random32() % SCALARS));
        if (random32() % 2 == 0) {
            append(p, words,
                   encode_scalar(words, LULL_RDNA_OP_S_AND_B32, LULL_RDNA_SOP2,
                                 random32() % SCALARS, random32() % SCALARS, random32() % SCALARS));
        }
    }
}

void make_program(struct program *p, unsigned lanes, const uint16_t *rows, unsigned nrows,
                  unsigned *next)
{
    static const uint16_t branches[] = {LULL_RDNA_OP_S_BRANCH,        LULL_RDNA_OP_S_CBRANCH_SCC0,
                                        LULL_RDNA_OP_S_CBRANCH_SCC1,  LULL_RDNA_OP_S_CBRANCH_VCCZ,
                                        LULL_RDNA_OP_S_CBRANCH_VCCNZ, LULL_RDNA_OP_S_CBRANCH_EXECZ,
                                        LULL_RDNA_OP_S_CBRANCH_EXECNZ};
    uint32_t words[LULL_RDNA_MAX_MADE];
    p->n = 0;
    for (unsigned i = 0; i < INSTRUCTIONS; i++) {
        const bool over = random32() % 6 == 0;
        if (over) {
            append_compare(p);
        }
        const unsigned at = p->n;
        p->n += over;
        make_one(p, lanes, rows, nrows, next);
        if (over) {
            p->words[at] = branch(branches[random32() % TEST_ROWS(branches)], (int)(p->n - at) - 1);
        }
    }
    append(p, words,
           encode_scalar(words, LULL_RDNA_OP_S_SUB_U32, LULL_RDNA_SOP2, ROUND, ROUND,
                         LULL_RDNA_INT0 + 1));
    append(p, words,
           encode_scalar(words, LULL_RDNA_OP_S_CMP_LG_U32, LULL_RDNA_SOPC, LULL_RDNA_NONE, ROUND,
                         LULL_RDNA_INT0));
    if (random32() % 2 == 0) { // Back by a jump that is always taken.
        p->words[p->n++] = branch(LULL_RDNA_OP_S_CBRANCH_SCC0, 1);
        p->words[p->n] = branch(LULL_RDNA_OP_S_BRANCH, -(int)p->n - 1);
    } else {
        p->words[p->n] = branch(LULL_RDNA_OP_S_CBRANCH_SCC1, -(int)p->n - 1);
    }
    p->n++;
    p->words[p->n++] = branch(LULL_RDNA_OP_S_ENDPGM, 0);
}
