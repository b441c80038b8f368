// SPDX-License-Identifier: MIT
// What a packet does to registers, and which buffers it runs.
#include <inttypes.h>
#include <string.h>

#include "capture/walk.h"

enum { REG_MASK = 0x3ffff, RUN = 64, A2XX_REGS = 0x2000, A2XX_REG = 4 };

/** Text that a driver has put into a packet that does nothing. */
static void driver_text(struct lull_cap *c, const struct lull_cap_packet *p)
{
    static const struct {
        uint32_t word;
        const char *before;
    } marks[] = {{0x4d455347, ""}, {0x4245474e, "begin "}, {0x454e4400, "end "}}; // MESG BEGN END
    char text[200] = "";
    for (size_t i = 0; p->n > 2 && i < sizeof marks / sizeof marks[0]; i++) {
        if (lull_cap_arg(p, 0) != marks[i].word) {
            continue;
        }
        size_t n = (p->n - 2) * (size_t)4;
        n = n < sizeof text - 1 ? n : sizeof text - 1;
        memcpy(text, p->words + 2, n);
        for (size_t k = 0; text[k] != '\0'; k++) {
            text[k] = text[k] >= ' ' && text[k] < 0x7f ? text[k] : '?';
        }
        lull_cap_note(c, "%s\"%s\"", marks[i].before, text);
    }
}

static uint32_t register_or(const struct lull_cap *c, bool is_register, uint32_t value)
{
    return is_register ? c->vals[value & REG_MASK] : value;
}

/** Rotate, mask, then or or add. */
static void modify(struct lull_cap *c, const struct lull_cap_packet *p)
{
    const uint32_t head = lull_cap_arg(p, 0), by = head >> 24 & 31, reg = head & REG_MASK;
    const uint32_t keep = register_or(c, head >> 31 != 0, lull_cap_arg(p, 1));
    const uint32_t add = register_or(c, (head >> 30 & 1) != 0, lull_cap_arg(p, 2));
    uint32_t v = c->vals[reg];
    v = by != 0 ? v << by | v >> (32 - by) : v;
    v = (head >> 29 & 1) != 0 ? (v & keep) + add : (v & keep) | add;
    lull_cap_write(c, reg, &v, 1);
}

/** Pairs of a register and its value; those in a row are written at once. */
static void bunch(struct lull_cap *c, const struct lull_cap_packet *p, uint32_t from)
{
    for (uint32_t i = from; i + 2 < p->n;) {
        const uint32_t reg = lull_cap_arg(p, i);
        uint32_t values[RUN] = {0}, n = 0;
        while (n < RUN && i + 2 < p->n && lull_cap_arg(p, i) == reg + n) {
            values[n++] = lull_cap_arg(p, i + 1);
            i += 2;
        }
        lull_cap_write(c, reg, values, n);
    }
}

static void set_constant(struct lull_cap *c, const struct lull_cap_packet *p)
{
    const uint32_t head = lull_cap_arg(p, 0);
    if (c->gen == 2 && (head >> 16 & 15) == A2XX_REG && p->n > 2) {
        lull_cap_write(c, A2XX_REGS + (head & 0x7ff), p->words + 2, p->n - 2);
    }
}

/** Bins: before the body, which follows the packet, a prefix runs; and so for each bin. */
static uint32_t start_bin(struct lull_cap *c, const struct lull_cap_packet *p,
                          struct lull_cap_words rest)
{
    const uint32_t bins = lull_cap_arg(p, 0), n = lull_cap_arg(p, 3);
    const uint64_t prefix = lull_cap_arg_address(c, p, 1);
    const uint32_t body = lull_cap_arg(p, 4) < rest.n ? lull_cap_arg(p, 4) : rest.n;
    for (uint32_t i = 0; i < bins && lull_cap_work(c, 1) && !c->stop; i++) {
        lull_cap_run(c, p,
                     (struct lull_cap_call){.kind = LULL_CAP_PREFIX,
                                            .address = prefix + (uint64_t)i * n * 4,
                                            .dwords = n,
                                            .number = i});
        lull_cap_run(
            c, p,
            (struct lull_cap_call){
                .kind = LULL_CAP_BODY, .address = rest.address, .dwords = body, .number = i});
    }
    return body;
}

static void table(struct lull_cap *c, const struct lull_cap_packet *p)
{
    const uint32_t sizes = lull_cap_arg(p, 2), stride = sizes >> 20, n = sizes & 0xfff;
    const uint64_t base = lull_cap_arg_address(c, p, 0);
    for (uint32_t i = 0; i < lull_cap_arg(p, 3) && lull_cap_work(c, 1) && !c->stop; i++) {
        lull_cap_run(c, p,
                     (struct lull_cap_call){.kind = LULL_CAP_TABLE,
                                            .address = base + (uint64_t)i * stride * 4,
                                            .dwords = n != 0 ? n : stride,
                                            .number = i});
    }
}

static void run_at(struct lull_cap *c, const struct lull_cap_packet *p, uint32_t address,
                   uint32_t size)
{
    if (size + 1 >= p->n) {
        lull_cap_problem(c, p->address, "%s of %" PRIu32 " dwords is too short", p->name, p->n);
        return;
    }
    lull_cap_run(c, p,
                 (struct lull_cap_call){.kind = LULL_CAP_IB,
                                        .address = lull_cap_arg_address(c, p, address),
                                        .dwords = lull_cap_arg(p, size) & 0xfffff});
}

/** Packets that run buffers; false: it is none. */
static bool calls(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op,
                  struct lull_cap_words rest, uint32_t *done)
{
    const uint32_t size = c->gen >= 5 ? 2 : 1;
    switch ((unsigned)op) {
    case LULL_CAP_OP_IB:
    case LULL_CAP_OP_COND_IB:
        if (op == LULL_CAP_OP_COND_IB) {
            lull_cap_note(c, "conditional: followed");
        }
        run_at(c, p, 0, size);
        return true;
    case LULL_CAP_OP_CHAIN:
        lull_cap_note(c, "goes on there: what follows here does not run");
        run_at(c, p, 0, size);
        *done = rest.n;
        return true;
    case LULL_CAP_OP_START_BIN:
        *done = start_bin(c, p, rest);
        return true;
    case LULL_CAP_OP_TABLE:
        table(c, p);
        return true;
    case LULL_CAP_OP_CHECKPOINT:
        run_at(c, p, 5, p->n == 9 ? 7 : 4);
        return true;
    default:
        return false;
    }
}

/** Packets that write registers; false: it is none. */
static bool writes(struct lull_cap *c, const struct lull_cap_packet *p, enum lull_cap_op op)
{
    switch ((unsigned)op) {
    case LULL_CAP_OP_REG_WRITE:
        if (p->n > 3) {
            lull_cap_write(c, lull_cap_arg(p, 1) & REG_MASK, p->words + 3, p->n - 3);
        }
        return true;
    case LULL_CAP_OP_BUNCH:
        bunch(c, p, 0);
        return true;
    case LULL_CAP_OP_BUNCH2:
        bunch(c, p, 2);
        return true;
    case LULL_CAP_OP_RMW:
        modify(c, p);
        return true;
    case LULL_CAP_OP_CONSTANT:
        set_constant(c, p);
        return true;
    default:
        return false;
    }
}

uint32_t lull_cap_effect(struct lull_cap *c, const struct lull_cap_packet *p,
                         struct lull_cap_words rest, uint32_t *ret_dead)
{
    const enum lull_cap_op op = (enum lull_cap_op)c->op_kinds[p->what % LULL_CAP_OPCODES];
    uint32_t done = 0;
    if (op == LULL_CAP_OP_NONE || calls(c, p, op, rest, &done) || writes(c, p, op) ||
        lull_cap_draw_packet(c, p, op)) {
        return done;
    }
    switch ((unsigned)op) {
    case LULL_CAP_OP_NOP:
        driver_text(c, p);
        break;
    case LULL_CAP_OP_DRAW_STATE:
        lull_cap_set_groups(c, p);
        break;
    case LULL_CAP_OP_MARKER:
        lull_cap_marker(c, p);
        break;
    case LULL_CAP_OP_RENDER_MODE:
        lull_cap_render_mode(c, p);
        break;
    case LULL_CAP_OP_THREAD:
        c->thread = lull_cap_enum(c, LULL_ADRENO_ENUM_cp_thread, lull_cap_arg(p, 0) & 3);
        break;
    case LULL_CAP_OP_COND_REG:
    case LULL_CAP_OP_COND_EXEC:
        *ret_dead = lull_cap_condition(c, p);
        break;
    case LULL_CAP_OP_LOAD:
        lull_cap_load_state(c, p);
        break;
    default:
        break;
    }
    return done;
}
