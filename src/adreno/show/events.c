// SPDX-License-Identifier: MIT
// What the engine did, told to the visitor of a capture.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adreno/show/walk.h"

void lull_cap_problem(struct lull_cap *c, uint64_t address, const char *fmt, ...)
{
    char text[512] = "";
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const struct lull_cap_buffer *b =
        address != 0 && c->sorted ? lull_cap_buffer_at(c, address) : NULL;
    const uint64_t at = b != NULL ? address - b->address : 0;
    const bool there = b != NULL && b->data != NULL && at < b->held;
    c->problems++;
    if (c->v->problem != NULL) {
        c->v->problem(c->v->ctx, c, there ? b->offset + at : c->section_offset, address, text);
    }
}

void lull_cap_note(struct lull_cap *c, const char *fmt, ...)
{
    char text[256] = "";
    va_list args;
    if (c->v->note == NULL) {
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->v->note(c->v->ctx, c, text);
}

/** Text that a driver has put into a packet that does nothing. */
static void driver_text(struct lull_cap *c, const struct lull_as_packet *p)
{
    static const struct {
        uint32_t word;
        const char *before;
    } marks[] = {{0x4d455347, ""}, {0x4245474e, "begin "}, {0x454e4400, "end "}}; // MESG BEGN END
    char text[200] = "";
    for (size_t i = 0; p->n > 2 && i < sizeof marks / sizeof marks[0]; i++) {
        if (p->words[1] != marks[i].word) {
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

static void marker(struct lull_cap *c)
{
    const bool marks = c->gen >= 6;
    const char *name = marks ? lull_cap_enum(c, LULL_ADRENO_ENUM_a6xx_marker, c->s.marker)
                             : lull_cap_enum(c, LULL_ADRENO_ENUM_render_mode_cmd, c->s.render_mode);
    c->mode_name = name != NULL || !marks ? name : "unknown mode";
    if (marks) {
        lull_cap_note(c, "mode %s, draw state of %s", c->mode_name, lull_cap_mode_name(c->s.mode));
    }
    if (c->v->mode != NULL) {
        c->v->mode(c->v->ctx, c);
    }
}

/** What a condition is about. */
static void about(struct lull_cap *c, const struct lull_as_packet *p, char *ret, size_t size)
{
    const struct lull_apkt_args a = lull_as_args(c->gen, p);
    const char *kind = NULL;
    if (strcmp(p->name, "CP_COND_REG_EXEC") != 0) {
        (void)snprintf(ret, size, "depend on memory");
        return;
    }
    kind = lull_cap_enum(c, LULL_ADRENO_ENUM_compare_mode, lull_cp_cond_reg_exec__mode(&a));
    if (kind == NULL || strcmp(kind, "RENDER_MODE") != 0) {
        (void)snprintf(ret, size, "depend on %s", kind != NULL ? kind : "something unknown");
        return;
    }
    (void)snprintf(ret, size, "are for%s%s%s",
                   lull_cp_cond_reg_exec__binning(&a) != 0 ? " BINNING" : "",
                   lull_cp_cond_reg_exec__gmem(&a) != 0 ? " GMEM" : "",
                   lull_cp_cond_reg_exec__sysmem(&a) != 0 ? " SYSMEM" : "");
}

static void condition(struct lull_cap *c, const struct lull_as_event *e)
{
    static const char *const execs[] = {"taken as executed", "executed", "not executed"};
    static const char *const holds[] = {"it is not known whether the condition holds",
                                        "the condition holds", "the condition does not hold"};
    const struct lull_as_packet *p = e->packet;
    char text[128] = "";
    if (strncmp(p->name, "CP_COND_INDIRECT", strlen("CP_COND_INDIRECT")) == 0) {
        lull_cap_note(c, "conditional: followed");
    } else if (strncmp(p->name, "CP_COND_WRITE", strlen("CP_COND_WRITE")) == 0) {
        lull_cap_note(c, "%s", holds[e->u.condition.outcome]);
    } else {
        about(c, p, text, sizeof text);
        lull_cap_note(c, "the next %" PRIu32 " dwords %s: %s", e->u.condition.dwords, text,
                      execs[e->u.condition.outcome]);
    }
}

const char *lull_cap_group_what(enum lull_as_group_what what)
{
    static const char *const texts[] = {"set", "runs at once", "off", "all groups off",
                                        "left out in this mode"};
    return texts[what];
}

static void group(struct lull_cap *c, const struct lull_as_event *e)
{
    if (c->v->group != NULL) {
        c->v->group(c->v->ctx, c, e->u.group.id, e->u.group.of, e->u.group.what);
    }
}

static void wrong(struct lull_cap *c, const struct lull_as_event *e)
{
    const uint64_t address = e->u.problem.address;
    const uint64_t at = e->packet != NULL ? e->packet->address : 0;
    const uint32_t dwords = e->u.problem.dwords, n = e->u.problem.n;
    switch (e->u.problem.kind) {
    case LULL_AS_BAD_HEADER:
        lull_cap_problem(c, address,
                         "0x%08" PRIx32 " is not a packet header: %" PRIu32 " dwords skipped",
                         dwords, n);
        break;
    case LULL_AS_CUT_PACKET:
        lull_cap_problem(c, at, "packet of %" PRIu32 " dwords, %" PRIu32 " are left", dwords, n);
        break;
    case LULL_AS_SHORT_PACKET:
        lull_cap_problem(c, at, "%s of %" PRIu32 " dwords is too short", e->packet->name, n);
        break;
    case LULL_AS_NO_BUFFER:
        lull_cap_problem(c, at,
                         "%" PRIu32 " dwords at 0x%" PRIx64 ": the capture has %" PRIu32 " of them",
                         dwords, address, n);
        break;
    case LULL_AS_CALLS_ITSELF:
        lull_cap_problem(c, at, "the buffer at 0x%" PRIx64 " calls itself: not followed", address);
        break;
    case LULL_AS_TOO_DEEP:
        lull_cap_problem(c, at, "calls of 0x%" PRIx64 " are nested too deep: not followed",
                         address);
        break;
    case LULL_AS_DRAW_IN_GROUP:
        lull_cap_problem(c, at, "a draw within draw state");
        break;
    case LULL_AS_TOO_MUCH:
        lull_cap_problem(c, 0,
                         "the stream runs more packets than one of a capture of this size can "
                         "need: cut short");
        break;
    }
}

static void enter(struct lull_cap *c, const struct lull_as_frame *f)
{
    if (c->v->enter != NULL) {
        c->v->enter(c->v->ctx, c, f);
    }
    c->level++;
}

static void leave(struct lull_cap *c, const struct lull_as_frame *f)
{
    if (f->kind == LULL_AS_STREAM) {
        return;
    }
    c->level--;
    if (c->v->leave != NULL) {
        c->v->leave(c->v->ctx, c, f);
    }
}

/** What is about registers and memory. */
static void values(struct lull_cap *c, const struct lull_as_event *e)
{
    if (e->what == LULL_AS_WRITES) {
        if (c->v->writes != NULL) {
            c->v->writes(c->v->ctx, c, e->u.write.reg, e->u.write.known ? e->u.write.values : NULL,
                         e->u.write.n);
        }
        if (c->v->write != NULL) {
            lull_cap_track_write(c, e);
        }
    } else if (e->what == LULL_AS_READ) {
        if (c->v->read != NULL && e->u.memory.known_address) {
            c->v->read(c->v->ctx, c, e->u.memory.address);
        }
    } else if (c->v->store != NULL) {
        const uint64_t address = e->u.memory.known_address ? e->u.memory.address : 0;
        c->v->store(c->v->ctx, c, address, e->u.memory.known ? e->u.memory.values : NULL,
                    e->u.memory.n);
    }
}

/** What is about the packet. */
static void effects(struct lull_cap *c, const struct lull_as_event *e)
{
    switch ((unsigned)e->what) {
    case LULL_AS_CONDITION:
        condition(c, e);
        break;
    case LULL_AS_MARKER:
        marker(c);
        break;
    case LULL_AS_THREAD:
        c->thread = lull_cap_enum(c, LULL_ADRENO_ENUM_cp_thread, c->s.thread);
        break;
    case LULL_AS_TEXT:
        driver_text(c, e->packet);
        break;
    case LULL_AS_LOADS:
        lull_cap_load_state(c, e->packet, e->u.load);
        break;
    case LULL_AS_DRAWS:
        lull_cap_draw_packet(c, e->packet, e->u.draw);
        break;
    case LULL_AS_EVENT:
        if (c->v->event != NULL) {
            c->v->event(c->v->ctx, c, e->u.event);
        }
        break;
    case LULL_AS_WAITS:
        if (c->v->wait != NULL) {
            c->v->wait(c->v->ctx, c, e->u.wait.kind);
        }
        break;
    case LULL_AS_NO_ROW:
        lull_cap_note(c, "it is not known what this packet does");
        break;
    default:
        break;
    }
}

void lull_cap_did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct lull_cap *c = ctx;
    (void)s;
    switch ((unsigned)e->what) {
    case LULL_AS_MET:
        if (c->v->packet != NULL) {
            c->v->packet(c->v->ctx, c, e->packet);
        }
        break;
    case LULL_AS_WRITES:
    case LULL_AS_READ:
    case LULL_AS_STORE:
        values(c, e);
        break;
    case LULL_AS_ASKS:
        if (c->op_kinds[e->packet->what % LULL_CAP_OPCODES] == LULL_CAP_OP_CHAIN &&
            e->packet->type == LULL_APKT_OP) {
            lull_cap_note(c, "goes on there: the packets behind it here do not run");
        }
        break;
    case LULL_AS_CALL:
        enter(c, e->u.frame);
        break;
    case LULL_AS_RETURN:
        leave(c, e->u.frame);
        break;
    case LULL_AS_GROUPS_TOLD:
        group(c, e);
        break;
    case LULL_AS_WRONG:
        wrong(c, e);
        break;
    default:
        effects(c, e);
        break;
    }
}
