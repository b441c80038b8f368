// SPDX-License-Identifier: MIT
#include "isa/rdna/text.h"

#include "isa/rdna_names.h"

enum {
    WAVE64 = 64,
    LAST_SGPR = 105,
    RESULT_BIT = 8, // Bit 3 of op_sel: the destination.
    MSG_MASK = 0xff,
};

static uint32_t part(const struct lull_rdna_part *p, uint32_t value)
{
    return value >> p->lo & ((1U << p->bits) - 1);
}

/** Registers whose names begin with @p letter: "v7", "s[4:7]". */
static void range(const struct lull_rdna_text *t, struct lull_chars letter, unsigned first,
                  unsigned dwords)
{
    static const struct lull_chars open = {'[', 1}, colon = {':', 1}, close = {']', 1};
    if (dwords <= 1) {
        lull_str_chars(t->out, lull_chars_join(letter, lull_chars_dec(first)));
    } else {
        lull_str_chars(t->out, lull_chars_join(lull_chars_join(letter, open),
                                               lull_chars_join(lull_chars_dec(first), colon)));
        lull_str_chars(t->out, lull_chars_join(lull_chars_dec(first + dwords - 1), close));
    }
}

void lull_rdna_show_reg(const struct lull_rdna_text *t, unsigned number, unsigned dwords)
{
    static const char *const low[2] = {"vcc_lo", "exec_lo"}, *const high[2] = {"vcc_hi", "exec_hi"},
                             *const both[2] = {"vcc", "exec"};
    const unsigned exec = number >= LULL_RDNA_EXEC;
    if (number >= LULL_RDNA_VGPR0) {
        range(t, (struct lull_chars){'v', 1}, number - LULL_RDNA_VGPR0, dwords);
    } else if (number <= LAST_SGPR) {
        range(t, (struct lull_chars){'s', 1}, number, dwords);
    } else if (number == LULL_RDNA_VCC || number == LULL_RDNA_EXEC) {
        lull_rdna_add(t, dwords == 2 ? both[exec] : low[exec]);
    } else if (number == LULL_RDNA_VCC + 1 || number == LULL_RDNA_EXEC + 1) {
        lull_rdna_add(t, high[exec]);
    } else if (number < LULL_RDNA_NULL) {
        lull_rdna_add(t, "ttmp");
        range(t, (struct lull_chars){0}, number - LULL_RDNA_TTMP0, dwords);
    } else {
        lull_rdna_add(t, number == LULL_RDNA_NULL ? "null" : "m0");
    }
}

/** Lane mask: one SGPR in wave32, two in wave64. */
static void mask(const struct lull_rdna_text *t, unsigned number)
{
    const bool wave64 = t->how != NULL && t->how->wave_size == WAVE64;
    if (wave64 && number != LULL_RDNA_VCC + 1 && number != LULL_RDNA_EXEC + 1 &&
        number != LULL_RDNA_M0) {
        lull_rdna_show_reg(t, number & ~1U, 2);
    } else {
        lull_rdna_show_reg(t, number, 1);
    }
}

static const char *const float_names[] = {"0.5", "-0.5", "1.0", "-1.0",
                                          "2.0", "-2.0", "4.0", "-4.0"};
/** The numbers above and 1/(2 pi), as half and as single floats. */
static const uint16_t float_halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                        0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t float_singles[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                         0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};

static void float_name(const struct lull_rdna_text *t, unsigned index, unsigned type)
{
    if (index < LULL_RDNA_COUNT(float_names)) {
        lull_rdna_add(t, float_names[index]);
    } else {
        lull_rdna_add(t, lull_rdna_type_dwords[type] == 2 ? "0.15915494309189532" : "0.15915494");
    }
}

static bool is_int16(unsigned type)
{
    return lull_rdna_type_is_16(type) && type != LULL_RDNA_T_F16 && type != LULL_RDNA_T_BF16;
}

/** Literal of an operand of 64 bits: the high half of a double, else zero-extended. */
static void literal64(const struct lull_rdna_text *t, unsigned type)
{
    static const uint32_t doubles[] = {0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000,
                                       0x40000000, 0xc0000000, 0x40100000, 0xc0100000};
    const uint32_t bits = t->in->literal;
    const bool real = type == LULL_RDNA_T_F64;
    for (unsigned i = 0; i < LULL_RDNA_COUNT(doubles) && real; i++) {
        if (bits == doubles[i]) {
            float_name(t, i, type);
            return;
        }
    }
    if (bits == 0 || (!real && bits <= 64)) {
        lull_str_dec(t->out, bits);
    } else {
        lull_rdna_hex(t, "", bits);
    }
}

/** Literal: a small number prints as the inline constant of the same value. */
static void literal(const struct lull_rdna_text *t, unsigned type)
{
    const bool half = lull_rdna_type_is_16(type) || type == LULL_RDNA_T_MIX;
    const uint32_t bits = half ? t->in->literal & 0xffff : t->in->literal;
    const int32_t value = half && !is_int16(type) ? (int16_t)bits : (int32_t)t->in->literal;
    if (lull_rdna_type_dwords[type] == 2) {
        literal64(t, type);
        return;
    }
    if (value >= -16 && value <= 64) {
        lull_rdna_signed(t, "", value);
        return;
    }
    const bool halves = half || type == LULL_RDNA_T_V2F16;
    for (unsigned i = 0; i < LULL_RDNA_COUNT(float_singles); i++) {
        const bool same = is_int16(type) ? t->in->literal == float_singles[i]
                                         : bits == (halves ? float_halves[i] : float_singles[i]);
        if (same) {
            float_name(t, i, type);
            return;
        }
    }
    lull_rdna_hex(t, "", bits);
}

/** True for operand numbers that stand for a value and not for a register. */
static bool is_constant(unsigned number)
{
    return (number >= LULL_RDNA_INT0 && number < LULL_RDNA_SHARED_BASE) ||
           (number >= LULL_RDNA_FLOAT0 && number <= LULL_RDNA_INV_2PI) ||
           number == LULL_RDNA_LITERAL;
}

void lull_rdna_show_source(const struct lull_rdna_text *t, unsigned number, unsigned type)
{
    static const char *const bases[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                        "src_private_limit", "src_pops_exiting_wave_id"};
    static const char *const states[] = {"src_vccz", "src_execz", "src_scc", "src_lds_direct"};
    if (type == LULL_RDNA_T_MASK) {
        mask(t, number);
    } else if (number < LULL_RDNA_INT0 || number >= LULL_RDNA_VGPR0) {
        const bool fewer = type == LULL_RDNA_T_ACC && t->how != NULL && t->how->wave_size == WAVE64;
        lull_rdna_show_reg(t, number, lull_rdna_type_dwords[type] / (fewer ? 2 : 1));
    } else if (number <= LULL_RDNA_INT64) {
        lull_str_dec(t->out, number - LULL_RDNA_INT0);
    } else if (number <= LULL_RDNA_INT_LAST) {
        lull_str_put(t->out, "-", 1);
        lull_str_dec(t->out, number - LULL_RDNA_INT64);
    } else if (number == LULL_RDNA_LITERAL) {
        literal(t, type);
    } else if (number >= LULL_RDNA_VCCZ) {
        lull_rdna_add(t, states[number - LULL_RDNA_VCCZ]);
    } else if (number < LULL_RDNA_FLOAT0) {
        lull_rdna_add(t, bases[number - LULL_RDNA_SHARED_BASE]);
    } else if (is_int16(type)) {
        lull_rdna_hex(t, "", float_halves[number - LULL_RDNA_FLOAT0]);
    } else {
        float_name(t, number - LULL_RDNA_FLOAT0, type);
    }
}

static bool is_e32(const struct lull_rdna_text *t)
{
    return t->in->enc == LULL_RDNA_VOP1 || t->in->enc == LULL_RDNA_VOP2 ||
           t->in->enc == LULL_RDNA_VOPC;
}

/** Half of a 16-bit VGPR operand. LLVM 19 leaves ".l" away unless the instruction knows halves. */
static void half(const struct lull_rdna_text *t, unsigned number, unsigned slot, unsigned bit)
{
    if (!is_e32(t) || number < LULL_RDNA_VGPR0 || !lull_rdna_type_is_16(t->info->type[slot])) {
        return;
    }
    if (t->in->op_sel != 0 || lull_rdna_has(t, LULL_RDNA_F_TRUE16)) {
        lull_rdna_add(t, (t->in->op_sel >> bit & 1) != 0 ? ".h" : ".l");
    }
}

/** Source @p i of a vector instruction, with its modifiers. */
static void valu_source(const struct lull_rdna_text *t, unsigned i)
{
    const unsigned slot = LULL_RDNA_SLOT_SRC0 + i, number = t->in->src[i],
                   type = t->info->type[slot];
    const bool mix = type == LULL_RDNA_T_MIX, packed = t->in->enc == LULL_RDNA_VOP3P;
    const bool dpp_only = t->in->dpp != LULL_RDNA_NO_DPP && (t->info->mod_ignored >> i & 1) != 0;
    const bool works =
        mix || dpp_only || (!packed && ((t->info->mod | t->info->neg_only) >> i & 1) != 0);
    const bool sext = dpp_only || ((t->info->neg_only >> i & 1) != 0 &&
                                   ((t->info->mod >> i & 1) == 0 || is_e32(t)));
    const bool neg = works && (t->in->neg >> i & 1) != 0;
    const bool abs = works && !sext && ((mix ? t->in->neg_hi : t->in->abs) >> i & 1) != 0;
    const bool call = neg && !abs && !sext && is_constant(number);
    if (neg) {
        lull_rdna_add(t, sext ? "sext(" : call ? "neg(" : "-");
    }
    if (abs) {
        lull_rdna_add(t, "|");
    }
    lull_rdna_show_source(t, number, type);
    half(t, number, slot, i);
    if (abs) {
        lull_rdna_add(t, "|");
    }
    if (neg && (sext || call)) {
        lull_rdna_add(t, ")");
    }
}

static void branch(const struct lull_rdna_text *t)
{
    const int64_t offset = ((int64_t)t->in->imm + 1) * 4;
    const uint64_t target = t->how != NULL ? t->how->pc + (uint64_t)offset : 0;
    const char *name =
        t->how != NULL && t->how->symbol != NULL ? t->how->symbol(t->how->ctx, target) : NULL;
    if (name != NULL) {
        lull_rdna_add(t, name);
    } else {
        lull_str_dec(t->out, (uint32_t)t->in->imm & 0xffff);
    }
}

static void hwreg(const struct lull_rdna_text *t)
{
    const uint32_t imm = (uint32_t)t->in->imm;
    const unsigned id = part(&parts_hwreg[0], imm), offset = part(&parts_hwreg[1], imm);
    const unsigned size = part(&parts_hwreg[2], imm) + 1;
    const char *name = lull_rdna_name_of(names_hwreg, LULL_RDNA_COUNT(names_hwreg), id);
    lull_rdna_add(t, "hwreg(");
    if (name != NULL) {
        lull_rdna_add(t, name);
    } else {
        lull_str_dec(t->out, id);
    }
    if (offset != 0 || size != 32) {
        lull_rdna_dec(t, ", ", offset);
        lull_rdna_dec(t, ", ", size);
    }
    lull_rdna_add(t, ")");
}

static void message(const struct lull_rdna_text *t, uint32_t imm)
{
    const char *name = lull_rdna_name_of(names_msg, LULL_RDNA_COUNT(names_msg), imm & MSG_MASK);
    if (name != NULL) {
        lull_str_addf(t->out, "sendmsg(%s)", name);
    } else if (imm <= MSG_MASK) {
        lull_str_addf(t->out, "sendmsg(%u, 0, 0)", (unsigned)imm);
    } else {
        lull_str_addf(t->out, "%u", (unsigned)imm);
    }
}

/** Counters that are not at their highest value, or all if all are. */
static void counters(const struct lull_rdna_text *t, const struct lull_rdna_part *parts,
                     size_t count)
{
    const uint32_t imm = (uint32_t)t->in->imm & 0xffff;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || part(&parts[i], imm) != (1U << parts[i].bits) - 1;
    }
    const char *gap = "";
    for (size_t i = 0; i < count; i++) {
        const uint32_t value = part(&parts[i], imm);
        if (!any || value != (1U << parts[i].bits) - 1) {
            lull_rdna_add(t, gap);
            lull_rdna_add(t, parts[i].name);
            lull_rdna_dec(t, "(", value);
            lull_rdna_add(t, ")");
            gap = " ";
        }
    }
}

static void depctr(const struct lull_rdna_text *t)
{
    uint32_t unused = 0xffff;
    for (size_t i = 0; i < LULL_RDNA_COUNT(parts_depctr); i++) {
        unused &= ~(((1U << parts_depctr[i].bits) - 1) << parts_depctr[i].lo);
    }
    if (((uint32_t)t->in->imm & unused) != 0) {
        lull_str_addf(t->out, "0x%x", (unsigned)(t->in->imm & 0xffff));
    } else {
        counters(t, parts_depctr, LULL_RDNA_COUNT(parts_depctr));
    }
}

static void delay(const struct lull_rdna_text *t)
{
    const char *gap = "";
    for (size_t i = 0; i < LULL_RDNA_COUNT(parts_delay); i++) {
        const unsigned value = part(&parts_delay[i], (uint32_t)t->in->imm);
        const bool skip = i == 1;
        const char *name =
            skip ? lull_rdna_name_of(names_instskip, LULL_RDNA_COUNT(names_instskip), value)
                 : lull_rdna_name_of(names_instid, LULL_RDNA_COUNT(names_instid), value);
        if (value == 0) {
            continue;
        }
        lull_rdna_add(t, gap);
        lull_rdna_add(t, parts_delay[i].name);
        lull_rdna_add(t, "(");
        if (name != NULL) {
            lull_rdna_add(t, name);
        } else {
            lull_str_addf(t->out, "/* invalid %s value */", skip ? "instskip" : "instid");
        }
        lull_rdna_add(t, ")");
        gap = " | ";
    }
    if (*gap == '\0') {
        lull_rdna_add(t, "0");
    }
}

void lull_rdna_show_small(const struct lull_rdna_text *t, unsigned value)
{
    if (value <= 64) {
        lull_str_dec(t->out, value);
    } else {
        lull_rdna_hex(t, "", value);
    }
}

/** Microcode version: number and flags, added up from the left. */
static void version(const struct lull_rdna_text *t, uint32_t imm)
{
    const unsigned number = part(&parts_version[0], imm), flags = part(&parts_version[2], imm);
    const char *name = lull_rdna_name_of(names_ucversion, LULL_RDNA_COUNT(names_ucversion), number);
    if (part(&parts_version[1], imm) != 0) {
        lull_str_addf(t->out, "0x%x", (unsigned)imm);
        return;
    }
    for (unsigned rest = flags & (flags - 1); rest != 0; rest &= rest - 1) {
        lull_rdna_add(t, "(");
    }
    if (name != NULL) {
        lull_rdna_add(t, name);
    } else {
        lull_str_addf(t->out, "%u", number);
    }
    for (unsigned i = 0; i < LULL_RDNA_COUNT(names_ucflag); i++) {
        if ((flags >> i & 1) != 0) {
            lull_str_addf(t->out, "|%s%s", names_ucflag[i], flags >> (i + 1) != 0 ? ")" : "");
        }
    }
}

static void immediate(const struct lull_rdna_text *t, unsigned type)
{
    const unsigned imm = (unsigned)t->in->imm & 0xffff;
    switch (type) {
    case LULL_RDNA_T_REL16:
        branch(t);
        break;
    case LULL_RDNA_T_HWREG:
        hwreg(t);
        break;
    case LULL_RDNA_T_WAITCNT:
        counters(t, parts_waitcnt, LULL_RDNA_COUNT(parts_waitcnt));
        break;
    case LULL_RDNA_T_DEPCTR:
        depctr(t);
        break;
    case LULL_RDNA_T_DELAY:
        delay(t);
        break;
    case LULL_RDNA_T_MSG:
        message(t, imm);
        break;
    case LULL_RDNA_T_VERSION:
        version(t, imm);
        break;
    case LULL_RDNA_T_IMM16:
        lull_rdna_show_small(t, imm);
        break;
    case LULL_RDNA_T_END16:
        lull_str_dec(t->out, imm);
        break;
    default:
        lull_rdna_hex(t, "", imm);
        break;
    }
}

static void operand(const struct lull_rdna_text *t, unsigned slot)
{
    const unsigned type = t->info->type[slot];
    switch (slot) {
    case LULL_RDNA_SLOT_DST:
        lull_rdna_show_source(t, t->in->dst, type);
        half(t, t->in->dst, slot, 3);
        break;
    case LULL_RDNA_SLOT_SDST:
        mask(t, t->in->sdst);
        break;
    case LULL_RDNA_SLOT_SRC0:
    case LULL_RDNA_SLOT_SRC1:
    case LULL_RDNA_SLOT_SRC2:
        if (type == LULL_RDNA_T_MSG) {
            message(t, t->in->src[0]);
        } else {
            valu_source(t, slot - LULL_RDNA_SLOT_SRC0);
        }
        break;
    case LULL_RDNA_SLOT_IMM:
        immediate(t, type);
        break;
    case LULL_RDNA_SLOT_LITERAL:
        if (t->in->enc == LULL_RDNA_SOPK) {
            literal(t, type);
        } else {
            lull_rdna_hex(t, "", t->in->literal);
        }
        break;
    default:
        break;
    }
}

/** The operands of the row, in its order, for instructions without memory. */
static void operands(const struct lull_rdna_text *t)
{
    bool first = true;
    for (const uint8_t *p = t->info->order; *p != 0; p++) {
        const unsigned slot = *p - 1U;
        if ((slot == LULL_RDNA_SLOT_DST && (t->info->writes & LULL_RDNA_S_EXEC) != 0 &&
             t->info->type[slot] == LULL_RDNA_T_MASK) ||
            (t->info->type[slot] == LULL_RDNA_T_END16 && t->in->imm == 0)) {
            continue;
        }
        if (first) {
            lull_rdna_add(t, " ");
        } else {
            lull_rdna_add(t, ", ");
        }
        operand(t, slot);
        first = false;
    }
}

static void bits(const struct lull_rdna_text *t, const char *name, unsigned value, unsigned count)
{
    lull_rdna_add(t, " ");
    lull_rdna_add(t, name);
    for (unsigned i = 0; i < count; i++) {
        lull_rdna_add(t, i == 0 ? ":[" : ",");
        lull_rdna_add(t, (value >> i & 1) != 0 ? "1" : "0");
    }
    lull_rdna_add(t, "]");
}

static unsigned nsources(const struct lull_rdna_text *t)
{
    unsigned n = 0;
    while (n < 3 && t->info->type[LULL_RDNA_SLOT_SRC0 + n] != LULL_RDNA_T_NONE) {
        n++;
    }
    return n;
}

static void packed_modifiers(const struct lull_rdna_text *t)
{
    const struct lull_rdna_insn *in = t->in;
    const unsigned n = nsources(t), all = (1U << n) - 1;
    const bool mix = t->info->type[LULL_RDNA_SLOT_SRC0] == LULL_RDNA_T_MIX;
    if (t->info->op_sel != 0) {
        if ((in->op_sel & all) != 0) {
            bits(t, "op_sel", in->op_sel, n);
        }
        if ((in->op_sel_hi & all) != (mix ? 0 : all)) {
            bits(t, "op_sel_hi", in->op_sel_hi, n);
        }
    }
    if (!mix && (in->neg & all) != 0) {
        bits(t, "neg_lo", in->neg, n);
    }
    if (!mix && (in->neg_hi & all) != 0) {
        bits(t, "neg_hi", in->neg_hi, n);
    }
}

static void vop3_op_sel(const struct lull_rdna_text *t)
{
    const unsigned known = t->info->op_sel,
                   n = nsources(t) + ((t->info->reads & LULL_RDNA_S_DST) != 0);
    unsigned value = t->in->op_sel & known;
    if (value == 0) {
        return;
    }
    if ((known & RESULT_BIT) == 0) {
        bits(t, "op_sel", value, known == 1 ? 1 : known <= 3 ? 2 : 3);
        return;
    }
    value = (value & (RESULT_BIT - 1)) | (value >> 3) << n;
    bits(t, "op_sel", value, n + 1);
}

static void dpp16(const struct lull_rdna_text *t)
{
    static const char *const shifts[] = {" row_shl:", " row_shr:", " row_ror:"};
    const unsigned ctrl = t->in->dpp_ctrl, low = ctrl & 0xf, high = ctrl >> 4;
    if (ctrl <= 0xff) {
        for (unsigned i = 0; i < 4; i++) {
            lull_rdna_dec(t, i == 0 ? " quad_perm:[" : ",", ctrl >> 2 * i & 3);
        }
        lull_rdna_add(t, "]");
    } else if (high >= 0x10 && high <= 0x12 && low != 0) {
        lull_rdna_dec(t, shifts[high - 0x10], low);
    } else if (ctrl == 0x140 || ctrl == 0x141) {
        lull_rdna_add(t, ctrl == 0x140 ? " row_mirror" : " row_half_mirror");
    } else if (high == 0x15 || high == 0x16) {
        lull_rdna_dec(t, high == 0x15 ? " row_share:" : " row_xmask:", low);
    } else if (lull_rdna_name_of(names_dpp, LULL_RDNA_COUNT(names_dpp), ctrl) != NULL) {
        lull_str_addf(t->out, " /* %s is not supported starting from GFX10 */", names_dpp[ctrl]);
    } else {
        lull_rdna_add(t, " /* Invalid dpp_ctrl value */");
    }
    lull_rdna_hex(t, " row_mask:", t->in->row_mask);
    lull_rdna_hex(t, " bank_mask:", t->in->bank_mask);
    lull_rdna_flag(t, t->in->bound_ctrl, "bound_ctrl:1");
}

static void dpp(const struct lull_rdna_text *t)
{
    if (t->in->dpp == LULL_RDNA_DPP16) {
        dpp16(t);
    } else if (t->in->dpp == LULL_RDNA_DPP8) {
        for (unsigned i = 0; i < 8; i++) {
            lull_rdna_dec(t, i == 0 ? " dpp8:[" : ",", t->in->dpp_ctrl >> 3 * i & 7);
        }
        lull_rdna_add(t, "]");
    }
    lull_rdna_flag(t, t->in->fi, "fi:1");
}

static const char *suffix(const struct lull_rdna_text *t)
{
    const bool vop3 = t->in->enc == LULL_RDNA_VOP3 || t->in->enc == LULL_RDNA_VOP3SD ||
                      t->in->enc == LULL_RDNA_VOP3P;
    const uint32_t short_encs = 1U << LULL_RDNA_VOP1 | 1U << LULL_RDNA_VOP2 | 1U << LULL_RDNA_VOPC;
    const uint32_t long_encs = 1U << LULL_RDNA_VOP3 | 1U << LULL_RDNA_VOP3SD;
    const bool choice = (t->info->encs & short_encs) != 0 && (t->info->encs & long_encs) != 0;
    if (t->in->dpp != LULL_RDNA_NO_DPP) {
        return vop3 ? "_e64_dpp" : t->in->enc == LULL_RDNA_VOPC ? "" : "_dpp";
    }
    if ((!choice && !lull_rdna_has(t, LULL_RDNA_F_TRUE16)) || t->info->order[0] == 0) {
        return "";
    }
    return vop3 ? "_e64" : "_e32";
}

static void valu(const struct lull_rdna_text *t)
{
    static const char *const omods[] = {" mul:2", " mul:4", " div:2"};
    const bool interp = t->in->enc == LULL_RDNA_VINTERP;
    lull_rdna_add(t, suffix(t));
    operands(t);
    if (t->in->enc == LULL_RDNA_VOP3P) {
        packed_modifiers(t);
    } else if (t->in->enc == LULL_RDNA_VOP3) {
        vop3_op_sel(t);
    }
    lull_rdna_flag(t, t->in->clamp, "clamp");
    if ((t->in->omod & 3) != 0) {
        lull_rdna_add(t, omods[(t->in->omod & 3) - 1]);
    }
    if (interp) {
        vop3_op_sel(t);
        lull_rdna_dec(t, " wait_exp:", t->in->wait_exp);
    }
    dpp(t);
}

/** One half of a VOPD instruction. */
static void dual(const struct lull_rdna_text *t)
{
    const char *gap = " ";
    for (const uint8_t *p = t->info->order; *p != 0; p++) {
        if (t->info->type[*p - 1] != LULL_RDNA_T_MASK) {
            lull_rdna_add(t, gap);
            operand(t, *p - 1U);
            gap = ", ";
        }
    }
}

static void vopd(const struct lull_rdna_text *t)
{
    struct lull_rdna_insn y = *t->in;
    y.dst = t->in->y.dst;
    y.src[0] = t->in->y.src[0];
    y.src[1] = t->in->y.src[1];
    const struct lull_rdna_text second = {&y, &lull_rdna_ops[t->in->y.op], t->how, t->out};
    dual(t);
    lull_rdna_add(t, " :: ");
    lull_rdna_add(t, second.info->name);
    dual(&second);
}

void lull_rdna_show(const struct lull_rdna_insn *in, const struct lull_rdna_print *how,
                    struct lull_str *out)
{
    const struct lull_rdna_text t = {in, lull_rdna_info(in), how, out};
    lull_rdna_add(&t, t.info->name);
    switch ((enum lull_rdna_enc)in->enc) {
    case LULL_RDNA_SOP1:
    case LULL_RDNA_SOP2:
    case LULL_RDNA_SOPK:
    case LULL_RDNA_SOPC:
    case LULL_RDNA_SOPP:
        operands(&t);
        break;
    case LULL_RDNA_VOP1:
    case LULL_RDNA_VOP2:
    case LULL_RDNA_VOPC:
    case LULL_RDNA_VOP3:
    case LULL_RDNA_VOP3SD:
    case LULL_RDNA_VOP3P:
    case LULL_RDNA_VINTERP:
        valu(&t);
        break;
    case LULL_RDNA_VOPD:
        vopd(&t);
        break;
    case LULL_RDNA_SMEM:
    case LULL_RDNA_LDSDIR:
    case LULL_RDNA_DS:
    case LULL_RDNA_FLAT:
    case LULL_RDNA_GLOBAL:
    case LULL_RDNA_SCRATCH:
    case LULL_RDNA_MUBUF:
    case LULL_RDNA_MTBUF:
    case LULL_RDNA_MIMG:
    case LULL_RDNA_EXP:
        lull_rdna_show_memory(&t);
        break;
    }
}
