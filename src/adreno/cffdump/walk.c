// SPDX-License-Identifier: MIT
// What the engine of adreno/stream does, in the text of cffdump, with cffdump's policies: groups of
// state run at a draw and are forgotten, conditions are not evaluated.
#include "adreno/cffdump/walk.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_PKT7 = 5 };

static const char OPCODE_COLOR[] = "\x1b[0;1;35m";

struct lull_cff_words lull_cff_part(struct lull_cff_words w, uint32_t from, uint32_t n)
{
    from = from < w.n ? from : w.n;
    n = n < w.n - from ? n : w.n - from;
    return (struct lull_cff_words){w.words + from, w.address + from * 4ull, n, w.nowhere};
}

struct lull_apkt lull_cff_header(const struct lull_cff *c, uint32_t word)
{
    if (!c->dom.like_mesa) {
        return lull_apkt_header(c->gen, word);
    }
    // Mesa takes the headers of all generations on each of them: a 0 is a write to register 0.
    const struct lull_apkt p = lull_apkt_header(FIRST_PKT7, word);
    return p.type != LULL_APKT_BAD ? p : lull_apkt_header(FIRST_PKT7 - 1, word);
}

bool lull_cff_reached(struct lull_cff *c, uint64_t address)
{
    const unsigned ib = c->depth - 1; // 0: the ring
    struct lull_cff_mark *m = ib == 1 || ib == 2 ? &c->marks[ib] : NULL;
    const bool shown = ib == 2 || !c->marks[2].found; // else what it calls has the mark
    if (m == NULL || m->base == 0 || (ib == 2 && c->marks[1].base != 0 && !c->marks[1].seen)) {
        return false; // maybe another call of the same buffer
    }
    if (m->seen || c->ib_base[ib] != m->base) {
        return m->seen && shown;
    }
    m->size = (uint32_t)c->ib_size[ib];
    // More than the whole of it is a number of 32 bits that no address reaches.
    const uint64_t end = m->base + c->ib_size[ib] * 4;
    const uint64_t from = m->base + (uint32_t)(4 * (c->ib_size[ib] - m->rem));
    if (address < from || address > end) {
        return false;
    }
    m->seen = true;
    if (shown) {
        lull_cff_say(c, 1, "ESTIMATED CRASH LOCATION!\n");
    }
    return shown;
}

static struct lull_cff_words words_of(const struct lull_as_packet *p)
{
    return (struct lull_cff_words){p->words, p->address, p->n, p->nowhere};
}

/** Indentation of the packets that are being gone through. */
static unsigned level(const struct lull_cff *c)
{
    return c->levels[c->nlevels != 0 ? c->nlevels - 1 : 0];
}

/* Packets */

/** Name, fields, and what it says. */
static void op(struct lull_cff *c, const struct lull_as_packet *p)
{
    const struct lull_cff_op *o = &c->ops[p->what % LULL_CFF_OPS];
    const struct lull_cff_words w = words_of(p), body = lull_cff_part(w, 1, w.n - 1);
    const bool colors = c->dom.colors != NULL;
    lull_cff_say(c, 2, "%sopcode: %s%s%s (%02x) (%u dwords)\n", lull_cff_tabs(level(c) + 1),
                 colors ? OPCODE_COLOR : "", o->name != NULL ? o->name : "(null)",
                 colors ? c->dom.colors[LULL_DOM_COLOR_RESET] : "", p->what, w.n);
    if (o->dom != NULL) {
        lull_cff_fields(c, o->dom, body, level(c) + 2);
    }
    if (o->run != NULL) {
        o->run(c, body, level(c) + 1);
    }
}

static void write_line(struct lull_cff *c, uint32_t reg)
{
    if (!lull_cff_quiet(c, 3)) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
        const char *tabs = lull_cff_tabs(level(c) + 1);
        lull_str_add(&c->text, tabs, strlen(tabs));
        lull_str_add(&c->text, "write ", 6);
        lull_cff_name(c->dom.colors, &hit, reg, &c->text);
        lull_str_add(&c->text, " (", 2);
        lull_str_hex(&c->text, reg, 4);
        lull_cff_text(c, 3, ")\n", 2);
    }
}

static void met(struct lull_cff *c, const struct lull_as_packet *p)
{
    const struct lull_as_frame *f = &c->s.frames[c->s.here];
    const uint32_t left = f->n - f->next;
    c->draw_here = c->draws;
    if (p->said > left) { // what follows in memory is taken for the rest of it, as the GPU would
        fprintf(c->log, "0x%" PRIx64 ": a packet of %u dwords, %u are left\n", p->address, p->said,
                left);
    }
    if (p->type == LULL_APKT_WRITE) {
        write_line(c, p->what);
    } else if (p->type == LULL_APKT_OP) {
        op(c, p);
    } else {
        lull_cff_say(c, 3, "%snop\n", lull_cff_tabs(level(c) + 1));
    }
}

static void done(struct lull_cff *c, const struct lull_as_packet *p)
{
    const struct lull_as_frame *f = &c->s.frames[c->s.nframes - 1];
    const uint32_t n = f->next - (uint32_t)((p->address - f->address) / 4);
    if (p->type == LULL_APKT_NOP) {
        return;
    }
    if (p->type == LULL_APKT_OP || !lull_cff_quiet(c, 3)) {
        lull_cff_hex(c, words_of(p), level(c) + 1);
    }
    if (p->said > n) {
        lull_cff_say(c, 0, "**** this ain't right!! dwords_left=%d\n", (int)(n - p->said));
    }
    (void)lull_cff_work(c, p->n * 8ull);
}

/* Buffers */

static void ask_buffer(struct lull_cff *c, const struct lull_as_frame *f)
{
    const struct lull_as_packet *p = c->s.packet;
    const char *tabs = lull_cff_tabs(level(c) + 1);
    lull_cff_say(c, 3, c->gen >= 5 ? "%sibaddr:%016" PRIx64 "\n" : "%sibaddr:%08" PRIx64 "\n", tabs,
                 f->address);
    lull_cff_say(c, 3, "%sibsize:%08x\n", tabs, f->dwords);
    c->s.refuse = (c->o.once && lull_cff_seen(c, f->address, c->s.mode)) ||
                  (c->o.query_compare && lull_cff_seen(c, f->address, LULL_CFF_ALL_MODES));
    if (c->s.refuse) {
        return;
    }
    if (f->n == 0 && f->dwords != 0) {
        fprintf(c->log, "could not find: %016" PRIx64 " (%u)\n", f->address, f->dwords);
        c->s.refuse = true;
        return;
    }
    if (f->n < f->dwords) {
        fprintf(c->log, "0x%" PRIx64 ": an indirect buffer of %u dwords, %u are in a buffer\n",
                f->address, f->dwords, f->n);
    }
    // The GPU is behind the call while it is in the buffer: what it hangs in is not the caller.
    (void)lull_cff_reached(c, p->address + (c->gen >= 5 ? 4 : 3) * 4ull);
}

/** A buffer of CP_SET_RENDER_MODE and its like: its packets, and then their dump. */
static void ask_mode(struct lull_cff *c, const struct lull_as_frame *f)
{
    lull_cff_say(c, 3, "%saddr: 0x%016" PRIx64 "\n", lull_cff_tabs(level(c) + 1), f->address);
    lull_cff_say(c, 3, "%slen:  0x%x\n", lull_cff_tabs(level(c) + 1), f->dwords);
    c->s.refuse = f->n == 0 || lull_cff_quiet(c, 2);
}

static void ask_group(struct lull_cff *c, const struct lull_as_frame *f)
{
    const unsigned at = c->in_query ? 0 : level(c) + 1;
    const char *tabs = lull_cff_tabs(at);
    lull_cff_say(c, 2, "%sgroup_id: %u\n", tabs, f->number);
    lull_cff_say(c, 2, "%scount: %u\n", tabs, f->dwords);
    lull_cff_say(c, 2, "%saddr: %016" PRIx64 "\n", tabs, f->address);
    lull_cff_say(c, 2, "%sflags: %x\n", tabs, f->flags);
    if (c->gen >= 6) {
        lull_cff_say(c, 2, "%senable_mask: 0x%x\n", tabs, f->mask);
    }
    if (f->left_out) {
        lull_cff_say(c, 2, "%s\tskipped!\n\n", tabs);
        return;
    }
    if (f->n < f->dwords) {
        fprintf(c->log, "0x%" PRIx64 ": a group of %u dwords, %u are in a buffer\n", f->address,
                f->dwords, f->n);
    }
    c->s.refuse = f->n == 0;
    if (f->n > 0) {
        lull_cff_hex(c, (struct lull_cff_words){f->words, f->address, f->n, false}, at + 1);
    }
}

/** Is it a packet that runs a buffer, and says no more than that? */
static bool calls(const struct lull_as_packet *p)
{
    static const char ib[] = "CP_INDIRECT_BUFFER";
    return p->name != NULL && strncmp(p->name, ib, sizeof ib - 1) == 0;
}

/** What a table of buffers is made of. */
static const char *entry(const struct lull_as_packet *p)
{
    return p->name != NULL && strcmp(p->name, "CP_START_BIN") == 0 ? "bin" : "draw";
}

static void asks(struct lull_cff *c, const struct lull_as_frame *f)
{
    (void)lull_cff_work(c, 1);
    if (f->kind == LULL_AS_GROUP) {
        ask_group(c, f);
    } else if (f->kind == LULL_AS_TABLE) {
        lull_cff_say(c, 3, "%s%s %u\n", lull_cff_tabs(level(c) + 1), entry(c->s.packet), f->number);
    } else if (calls(c->s.packet)) {
        ask_buffer(c, f);
    } else {
        ask_mode(c, f);
    }
}

static bool is_mode(const struct lull_cff *c, const struct lull_as_frame *f)
{
    return f->kind == LULL_AS_IB && !calls(c->s.packet);
}

static void enter(struct lull_cff *c, const struct lull_as_frame *f)
{
    const bool deeper = f->kind == LULL_AS_GROUP || f->kind == LULL_AS_DATA || is_mode(c, f);
    const unsigned here = f->kind == LULL_AS_GROUP && c->in_query ? 1 : level(c) + 1 + deeper;
    c->levels[c->nlevels++] = here;
    if (f->kind != LULL_AS_DATA) {
        c->ib_size[c->depth] = f->n;
        c->ib_base[c->depth++] = f->nowhere ? 0 : f->address;
    }
    c->draws_in[c->depth] = 0;
}

static void leave(struct lull_cff *c, const struct lull_as_frame *f)
{
    c->depth -= f->kind != LULL_AS_DATA;
    c->nlevels--;
    if (f->kind == LULL_AS_IB && c->levels[c->nlevels] == level(c) + 2) { // ask_mode()
        lull_cff_hex(c, (struct lull_cff_words){f->words, f->address, f->n, false}, level(c) + 2);
    }
}

static void wrong(struct lull_cff *c, const struct lull_as_event *e)
{
    const uint64_t address = e->u.problem.address;
    switch ((unsigned)e->u.problem.kind) {
    case LULL_AS_BAD_HEADER: // older generations have no way to tell where the next packet is
        c->draw_here = c->draws;
        lull_cff_say(c, 0, "bad type! %08x\n", e->u.problem.dwords);
        (void)lull_cff_work(c, 8);
        break;
    case LULL_AS_CALLS_ITSELF:
        fprintf(c->log, "0x%" PRIx64 ": an indirect buffer that calls itself\n", address);
        break;
    case LULL_AS_TOO_DEEP:
        fprintf(c->log, "0x%" PRIx64 ": indirect buffers are nested more than %d deep\n", address,
                LULL_CFF_DEPTH);
        break;
    case LULL_AS_DRAW_IN_GROUP:
        lull_cff_say(c, 0,
                     "ERROR: nothing in draw state should trigger recursively loading "
                     "groups!\n");
        break;
    case LULL_AS_NO_BUFFER:
        if (address != 0) {
            fprintf(c->log, "could not find: %016" PRIx64 " (%u)\n", address, e->u.problem.dwords);
        } else {
            fprintf(c->log, "%s %u of %u is beyond its buffer\n", entry(e->packet), e->u.problem.n,
                    e->u.problem.dwords);
        }
        break;
    default:
        break;
    }
}

static void did(void *ctx, struct lull_astream *s, const struct lull_as_event *e)
{
    struct lull_cff *c = ctx;
    switch ((unsigned)e->what) {
    case LULL_AS_MET:
        met(c, e->packet);
        break;
    case LULL_AS_DONE:
        done(c, e->packet);
        break;
    case LULL_AS_WRITES: // those of other packets are theirs to show
        if (e->packet->type == LULL_APKT_WRITE) {
            lull_cff_write(c, e->u.write.reg, e->u.write.values, e->u.write.n, level(c) + 2);
        }
        break;
    case LULL_AS_ASKS:
        asks(c, e->u.frame);
        break;
    case LULL_AS_CALL:
        enter(c, e->u.frame);
        break;
    case LULL_AS_RETURN:
        if (e->u.frame->kind != LULL_AS_STREAM) {
            leave(c, e->u.frame);
        }
        break;
    default:
        wrong(c, e);
        break;
    }
    s->stop |= c->idle || c->err != NULL;
}

static struct lull_as_words reads(void *ctx, uint64_t address, uint32_t n)
{
    const struct lull_cff_words w = lull_cff_memory(ctx, address, n);
    return (struct lull_as_words){w.words, w.address, w.n, w.nowhere};
}

void lull_cff_set_engine(struct lull_cff *c)
{
    const uint32_t told = 1u << LULL_AS_MET | 1u << LULL_AS_DONE | 1u << LULL_AS_WRITES |
                          1u << LULL_AS_ASKS | 1u << LULL_AS_CALL | 1u << LULL_AS_RETURN |
                          1u << LULL_AS_WRONG;
    c->s.policy = (struct lull_as_policy){.conditions = LULL_AS_ALL,
                                          .groups = LULL_AS_GROUPS_FORGOTTEN,
                                          .mesa = true,
                                          .any_header = c->dom.like_mesa,
                                          .deepest = LULL_CFF_DEPTH};
    c->s.memory = (struct lull_as_memory){.ctx = c, .read = reads};
    c->s.sink = (struct lull_as_sink){.ctx = c, .did = did, .deaf = ~told};
    c->s.mode = c->s.mode != 0 ? c->s.mode : LULL_AS_ANY_MODE;
    c->s.keep_groups = c->o.query_compare; // which runs them again
    lull_astream_set_gpu(&c->s, c->gen);
}

void lull_cff_commands(struct lull_cff *c, struct lull_cff_words w)
{
    const struct lull_as_words words = {w.words, w.address, w.n, w.nowhere};
    c->ib_size[0] = w.n;
    c->ib_base[0] = w.nowhere ? 0 : w.address;
    c->depth = c->nlevels = 1;
    c->levels[0] = c->draws_in[0] = c->draws_in[1] = 0;
    c->s.stop = c->err != NULL;
    bool more = lull_astream_start(&c->s, words, UINT64_MAX);
    while (more) {
        more = lull_astream_step(&c->s);
    }
    c->depth = c->nlevels = 0;
}
