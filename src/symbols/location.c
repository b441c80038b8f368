// SPDX-License-Identifier: MIT
#include "symbols/location.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

enum {
    STACK = 64,
    MAX_STEPS = 1000,
    MAX_OPERATION = 32, // Bytes of the last operation, behind which a branch may end.
    LLVM_LOCAL = 3,     // LLVM's number of the address space, which others write.
    NO_REGISTER = -1,
};

/** What an operation gave. */
struct entry {
    uint64_t value;
    enum lull_locspace space;
    int64_t lone; ///< The value is what this register holds, and nothing more; or NO_REGISTER.
};

struct machine {
    const struct lull_locexpr *expr;
    const struct lull_locenv *env;
    struct entry stack[STACK];
    unsigned n;
    enum lull_locplace_kind kind; ///< Of what is on top: MEMORY until something says otherwise.
    bool in_frame_base;
};

LULL_NEW_ERROR static struct lull_error *bad(const struct lull_locop *op, const char *what)
{
    return lull_error_new(LULL_ERR_BAD_DATA, "operation 0x%02x at byte %" PRIu32 ": %s", op->op,
                          op->at, what);
}

LULL_MUST_USE static struct lull_error *push(struct machine *m, const struct lull_locop *op,
                                             struct entry e)
{
    if (m->n == STACK) {
        return bad(op, "the stack is full");
    }
    m->stack[m->n++] = e;
    return NULL;
}

/* Are there @p n on the stack? */
LULL_MUST_USE static struct lull_error *need(const struct machine *m, const struct lull_locop *op,
                                             unsigned n)
{
    return m->n >= n ? NULL : bad(op, "the stack is empty");
}

bool lull_locreg_of(uint64_t number, enum lull_locreg *ret_kind, unsigned *ret_index)
{
    static const struct {
        uint16_t first, count, index;
        enum lull_locreg kind;
    } rows[] = {
        {1, 1, 0, LULL_LOCREG_EXEC},      {16, 1, 0, LULL_LOCREG_PC},
        {17, 1, 0, LULL_LOCREG_EXEC},     {32, 64, 0, LULL_LOCREG_SGPR},
        {1088, 42, 64, LULL_LOCREG_SGPR}, {1536, 256, 0, LULL_LOCREG_VGPR},
        {2560, 256, 0, LULL_LOCREG_VGPR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (number >= rows[i].first && number - rows[i].first < rows[i].count) {
            *ret_kind = rows[i].kind;
            *ret_index = rows[i].index + (unsigned)(number - rows[i].first);
            return true;
        }
    }
    return false;
}

LULL_MUST_USE static struct lull_error *read_register(const struct machine *m,
                                                      const struct lull_locop *op, uint64_t number,
                                                      uint64_t *ret)
{
    enum lull_locreg kind = LULL_LOCREG_PC;
    unsigned index = 0;
    if (!lull_locreg_of(number, &kind, &index)) {
        return lull_error_new(LULL_ERR_UNSUPPORTED,
                              "operation 0x%02x at byte %" PRIu32 ": register %" PRIu64
                              " of DWARF is not known",
                              op->op, op->at, number);
    }
    return m->env->read_register(m->env->ctx, (unsigned)number, m->env->lane, ret);
}

LULL_MUST_USE static struct lull_error *frame_base(struct machine *m, const struct lull_locop *op,
                                                   uint64_t *ret)
{
    const struct lull_locexpr *base = m->env->frame_base;
    struct lull_locplace at = {0};
    if (base == NULL || base->n == 0 || m->in_frame_base) {
        return bad(op, m->in_frame_base ? "the frame's base is relative to itself"
                                        : "the function has no frame base");
    }
    if (base->n == 1 && base->ops[0].op == DW_OP_regx) {
        return read_register(m, op, base->ops[0].a, ret);
    }
    if (base->n == 1 && base->ops[0].op >= DW_OP_reg0 && base->ops[0].op <= DW_OP_reg31) {
        return read_register(m, op, base->ops[0].op - DW_OP_reg0, ret);
    }
    struct lull_locenv env = *m->env;
    env.frame_base = NULL;
    struct lull_error *err = lull_location_find(base, &env, &at);
    if (err == NULL && (at.n != 1 || at.pieces[0].kind == LULL_LOCPLACE_NOWHERE)) {
        err = bad(op, "the frame's base is not one address");
    }
    *ret = at.pieces[0].value;
    return err;
}

/* Constants, registers, the frame: what needs nothing of the stack. @p ret_done: it was one. */
LULL_MUST_USE static struct lull_error *give(struct machine *m, const struct lull_locop *op,
                                             bool *ret_done)
{
    struct entry e = {.value = op->a, .lone = NO_REGISTER};
    struct lull_error *err = NULL;
    const unsigned o = op->op;
    *ret_done = true;
    if (o >= DW_OP_lit0 && o <= DW_OP_lit31) {
        e.value = o - DW_OP_lit0;
    } else if ((o >= DW_OP_breg0 && o <= DW_OP_breg31) || o == DW_OP_bregx) {
        const uint64_t number = o == DW_OP_bregx ? op->a : o - DW_OP_breg0;
        const uint64_t offset = o == DW_OP_bregx ? op->b : op->a;
        err = read_register(m, op, number, &e.value);
        e.value += offset;
        e.lone = offset == 0 ? (int64_t)number : NO_REGISTER;
    } else if ((o >= DW_OP_reg0 && o <= DW_OP_reg31) || o == DW_OP_regx) {
        const uint64_t number = o == DW_OP_regx ? op->a : o - DW_OP_reg0;
        err = read_register(m, op, number, &e.value);
        e.lone = (int64_t)number;
        m->kind = LULL_LOCPLACE_REGISTER;
    } else if (o == DW_OP_fbreg) {
        err = frame_base(m, op, &e.value);
        e.value += op->a;
        e.space = LULL_LOCSPACE_SCRATCH;
    } else {
        // libdw has read signed and unsigned ones of every length alike; of addrx the address.
        const bool number = (o >= DW_OP_const1u && o <= DW_OP_consts) || o == DW_OP_addr ||
                            o == DW_OP_addrx || o == DW_OP_constx;
        *ret_done = number;
        return number ? push(m, op, e) : NULL;
    }
    return err != NULL ? err : push(m, op, e);
}

/* Operations that move entries of the stack. */
LULL_MUST_USE static struct lull_error *move(struct machine *m, const struct lull_locop *op,
                                             bool *ret_done)
{
    struct lull_error *err = NULL;
    struct entry *top = &m->stack[m->n - (m->n != 0)];
    const uint64_t deep = op->op == DW_OP_over ? 1 : op->op == DW_OP_pick ? op->a : 0;
    *ret_done = true;
    switch (op->op) {
    case DW_OP_dup:
    case DW_OP_over:
    case DW_OP_pick:
        return deep < m->n ? push(m, op, m->stack[m->n - 1 - deep])
                           : bad(op, "the stack is not so deep");
    case DW_OP_drop:
        err = need(m, op, 1);
        m->n -= err == NULL;
        return err;
    case DW_OP_swap:
    case DW_OP_rot:
        err = need(m, op, op->op == DW_OP_swap ? 2 : 3);
        if (err == NULL) {
            const struct entry first = *top;
            top[0] = top[-1];
            top[-1] = op->op == DW_OP_swap ? first : top[-2];
            if (op->op == DW_OP_rot) {
                top[-2] = first;
            }
        }
        return err;
    default:
        *ret_done = false;
        return NULL;
    }
}

/* 1 or 0; false: it compares nothing. */
static bool compare(const struct lull_locop *op, int64_t a, int64_t b, uint64_t *ret)
{
    switch (op->op) {
    case DW_OP_eq:
        *ret = a == b;
        return true;
    case DW_OP_ne:
        *ret = a != b;
        return true;
    case DW_OP_lt:
        *ret = a < b;
        return true;
    case DW_OP_le:
        *ret = a <= b;
        return true;
    case DW_OP_gt:
        *ret = a > b;
        return true;
    case DW_OP_ge:
        *ret = a >= b;
        return true;
    default:
        return false;
    }
}

LULL_MUST_USE static struct lull_error *compute(const struct lull_locop *op, uint64_t a, uint64_t b,
                                                uint64_t *ret, bool *ret_done)
{
    const bool divides = op->op == DW_OP_div || op->op == DW_OP_mod;
    if (divides &&
        (b == 0 || (op->op == DW_OP_div && b == UINT64_MAX && a == (uint64_t)INT64_MIN))) {
        return bad(op, "division by zero, or more than 64 bits");
    }
    *ret_done = true;
    switch (op->op) {
    case DW_OP_and:
        *ret = a & b;
        break;
    case DW_OP_or:
        *ret = a | b;
        break;
    case DW_OP_xor:
        *ret = a ^ b;
        break;
    case DW_OP_plus:
        *ret = a + b;
        break;
    case DW_OP_minus:
        *ret = a - b;
        break;
    case DW_OP_mul:
        *ret = a * b;
        break;
    case DW_OP_div:
        *ret = (uint64_t)((int64_t)a / (int64_t)b);
        break;
    case DW_OP_mod:
        *ret = a % b;
        break;
    case DW_OP_shl:
        *ret = b < 64 ? a << b : 0;
        break;
    case DW_OP_shr:
        *ret = b < 64 ? a >> b : 0;
        break;
    case DW_OP_shra:
        *ret = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
        break;
    default:
        *ret_done = compare(op, (int64_t)a, (int64_t)b, ret);
        break;
    }
    return NULL;
}

/* What computes with the top, and with what is below it. */
LULL_MUST_USE static struct lull_error *operate(struct machine *m, const struct lull_locop *op,
                                                bool *ret_done)
{
    struct entry *top = &m->stack[m->n - (m->n != 0)];
    const uint64_t v = m->n != 0 ? top->value : 0;
    uint64_t r = 0;
    *ret_done = true;
    switch (op->op) {
    case DW_OP_abs:
        r = (int64_t)v < 0 ? 0 - v : v;
        break;
    case DW_OP_neg:
        r = 0 - v;
        break;
    case DW_OP_not:
        r = ~v;
        break;
    case DW_OP_plus_uconst:
        r = v + op->a;
        break;
    default:
        *ret_done = false;
        break;
    }
    if (*ret_done) {
        struct lull_error *err = need(m, op, 1);
        if (err == NULL) {
            top->value = r;
            top->lone = NO_REGISTER;
        }
        return err;
    }
    if (m->n < 2) {
        const bool two = (op->op >= DW_OP_and && op->op <= DW_OP_xor && op->op != DW_OP_neg) ||
                         (op->op >= DW_OP_eq && op->op <= DW_OP_ne);
        return two ? bad(op, "the stack is empty") : NULL;
    }
    struct lull_error *err = compute(op, top[-1].value, v, &r, ret_done);
    if (err == NULL && *ret_done) {
        const enum lull_locspace space = top[-1].space != 0 ? top[-1].space : top->space;
        top[-1] = (struct entry){.value = r, .space = space, .lone = NO_REGISTER};
        m->n--;
    }
    return err;
}

/* Loads, and what names the space of an address. */
LULL_MUST_USE static struct lull_error *address(struct machine *m, const struct lull_locop *op,
                                                bool *ret_done)
{
    struct entry *top = &m->stack[m->n - (m->n != 0)];
    *ret_done = op->op == DW_OP_deref || op->op == DW_OP_deref_size || op->op == DW_OP_xderef ||
                op->op == DW_OP_xderef_size || op->op == DW_OP_stack_value;
    if (!*ret_done) {
        return NULL;
    }
    const bool spaced = op->op == DW_OP_xderef || op->op == DW_OP_xderef_size;
    struct lull_error *err = need(m, op, spaced ? 2 : 1);
    if (err != NULL) {
        return err;
    }
    if (op->op == DW_OP_stack_value) {
        m->kind = LULL_LOCPLACE_VALUE;
        return NULL;
    }
    if (spaced) {
        const uint64_t space = top[-1].value == LLVM_LOCAL ? LULL_LOCSPACE_LOCAL : top[-1].value;
        if (space > LULL_LOCSPACE_LOCAL) {
            return bad(op, "an address space that is not known");
        }
        m->n--;
        top[-1] = *top;
        top[-1].space = (enum lull_locspace)space;
        m->kind = top->lone != NO_REGISTER ? LULL_LOCPLACE_REGISTER : LULL_LOCPLACE_MEMORY;
        return NULL;
    }
    const uint64_t size = op->op == DW_OP_deref ? 8 : op->a;
    uint64_t value = 0;
    if (size == 0 || size > 8) {
        return bad(op, "a load of no bytes, or of more than 8");
    }
    err = m->env->read_memory(m->env->ctx, top->space, m->env->lane, top->value, &value, size);
    *top = (struct entry){.value = value, .lone = NO_REGISTER};
    return err;
}

/* A branch: which operation comes next. */
LULL_MUST_USE static struct lull_error *branch(struct machine *m, const struct lull_locop *op,
                                               size_t *next)
{
    struct lull_error *err = op->op == DW_OP_bra ? need(m, op, 1) : NULL;
    if (err != NULL || (op->op == DW_OP_bra && m->stack[--m->n].value == 0)) {
        return err;
    }
    const uint64_t to = op->at + 3u + (uint64_t)(int64_t)(int16_t)op->a;
    size_t i = 0;
    while (i < m->expr->n && m->expr->ops[i].at != to) {
        i++;
    }
    *next = i;
    return i < m->expr->n || to - m->expr->ops[i - 1].at < MAX_OPERATION
               ? NULL
               : bad(op, "a branch to no operation");
}

/* What is on the stack, for so many bytes. */
LULL_MUST_USE static struct lull_error *finish_piece(struct machine *m, const struct lull_locop *op,
                                                     uint64_t bytes, struct lull_locplace *ret)
{
    const struct entry *top = m->n != 0 ? &m->stack[m->n - 1] : NULL;
    if (ret->n == LULL_LOC_PIECES) {
        return op != NULL ? bad(op, "too many pieces")
                          : lull_error_new(LULL_ERR_BAD_DATA, "too many pieces");
    }
    if (top != NULL && m->kind == LULL_LOCPLACE_REGISTER && top->lone == NO_REGISTER) {
        return lull_error_new(LULL_ERR_BAD_DATA, "a register is named, and then computed with");
    }
    struct lull_locpiece *piece = &ret->pieces[ret->n++];
    *piece = (struct lull_locpiece){.kind = LULL_LOCPLACE_NOWHERE, .bytes = bytes};
    if (top != NULL) {
        piece->kind = m->kind;
        piece->space = top->space;
        piece->value = m->kind == LULL_LOCPLACE_REGISTER ? (uint64_t)top->lone : top->value;
    }
    m->n = 0;
    m->kind = LULL_LOCPLACE_MEMORY;
    return NULL;
}

LULL_MUST_USE static struct lull_error *step(struct machine *m, const struct lull_locop *op,
                                             size_t *next, struct lull_locplace *place)
{
    static struct lull_error *(*const kinds[])(struct machine *, const struct lull_locop *,
                                               bool *) = {give, move, operate, address};
    bool done = false;
    struct lull_error *err = NULL;
    if (op->op == DW_OP_piece) {
        return op->a != 0 ? finish_piece(m, op, op->a, place) : bad(op, "a piece of no bytes");
    }
    if (op->op == DW_OP_bra || op->op == DW_OP_skip) {
        return branch(m, op, next);
    }
    if (op->op == DW_OP_nop) {
        return NULL;
    }
    for (size_t i = 0; err == NULL && !done && i < sizeof kinds / sizeof kinds[0]; i++) {
        err = kinds[i](m, op, &done);
    }
    if (err == NULL && !done) {
        err = lull_error_new(LULL_ERR_UNSUPPORTED,
                             "operation 0x%02x at byte %" PRIu32 " is not known here", op->op,
                             op->at);
    }
    return err;
}

struct lull_error *lull_location_find(const struct lull_locexpr *expr,
                                      const struct lull_locenv *env, struct lull_locplace *ret)
{
    struct machine m = {.expr = expr, .env = env, .kind = LULL_LOCPLACE_MEMORY};
    struct lull_locplace place = {0};
    struct lull_error *err = NULL;
    unsigned steps = 0;
    for (size_t i = 0; err == NULL && i < expr->n;) {
        const struct lull_locop *op = &expr->ops[i];
        i++;
        err = ++steps > MAX_STEPS ? bad(op, "more steps than a location takes")
                                  : step(&m, op, &i, &place);
    }
    if (err == NULL && (place.n == 0 || m.n != 0)) {
        err = finish_piece(&m, NULL, 0, &place);
    }
    if (err == NULL) {
        *ret = place;
    }
    return err;
}
