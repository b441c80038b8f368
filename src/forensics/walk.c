// SPDX-License-Identifier: MIT
#include "forensics/walk.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/adreno_pm4.h"

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

/** One packet: fields, effect, dump. */
static void op(struct lull_cff *c, struct lull_cff_words w, uint32_t opcode, unsigned level)
{
    const struct lull_cff_op *o = &c->ops[opcode % LULL_CFF_OPS];
    const struct lull_cff_words body = lull_cff_part(w, 1, w.n - 1);
    if (o->groups) {
        lull_cff_load_groups(c, level + 1);
    }
    const bool colors = c->dom.colors != NULL;
    lull_cff_say(c, 2, "%sopcode: %s%s%s (%02x) (%u dwords)\n", lull_cff_tabs(level + 1),
                 colors ? OPCODE_COLOR : "", o->name != NULL ? o->name : "(null)",
                 colors ? c->dom.colors[LULL_DOM_COLOR_RESET] : "", opcode, w.n);
    if (o->dom != NULL) {
        lull_cff_fields(c, o->dom, body, level + 2);
    }
    if (o->run != NULL) {
        o->run(c, body, level + 1);
    }
    lull_cff_hex(c, w, level + 1);
}

static void write(struct lull_cff *c, struct lull_cff_words w, uint32_t reg, unsigned level)
{
    if (!lull_cff_quiet(c, 3)) {
        const struct lull_dom_hit hit = lull_dom_lookup(c->index, reg);
        const char *tabs = lull_cff_tabs(level + 1);
        lull_str_add(&c->text, tabs, strlen(tabs));
        lull_str_add(&c->text, "write ", 6);
        lull_cff_name(c->dom.colors, &hit, reg, &c->text);
        lull_str_add(&c->text, " (", 2);
        lull_str_hex(&c->text, reg, 4);
        lull_cff_text(c, 3, ")\n", 2);
    }
    lull_cff_write(c, reg, w.words + 1, w.n - 1, level + 2);
    if (!lull_cff_quiet(c, 3)) {
        lull_cff_hex(c, w, level + 1);
    }
}

/** What is no packet: on to what may be one; older generations have no way to tell. */
static uint32_t skip(struct lull_cff *c, struct lull_cff_words w, uint32_t at)
{
    lull_cff_say(c, 0, "bad type! %08x\n", w.words[at]);
    if (c->gen < 5) {
        return w.n;
    }
    enum lull_apkt_type type = LULL_APKT_BAD;
    do {
        at++;
        type = at < w.n ? lull_apkt_header(c->gen, w.words[at]).type : LULL_APKT_WRITE;
    } while (type != LULL_APKT_WRITE && type != LULL_APKT_OP);
    (void)lull_cff_work(c, 8);
    return at;
}

void lull_cff_inline(struct lull_cff *c, struct lull_cff_words w, unsigned level)
{
    for (uint32_t at = 0; at < w.n && c->err == NULL && !c->idle;) {
        c->draw_here = c->draws;
        const struct lull_apkt p = lull_cff_header(c, w.words[at]);
        struct lull_cff_words packet = lull_cff_part(w, at, p.count + 1);
        if (p.type == LULL_APKT_BAD) {
            at = skip(c, w, at);
            continue;
        }
        if (p.type == LULL_APKT_NOP) {
            lull_cff_say(c, 3, "%snop\n", lull_cff_tabs(level + 1));
            at++;
            continue;
        }
        const uint32_t n = packet.n;
        if (p.count >= w.n - at) {
            fprintf(c->log, "0x%" PRIx64 ": a packet of %u dwords, %u are left\n", packet.address,
                    p.count + 1, w.n - at);
            // What follows in memory is taken for the rest of it, as the GPU would.
            packet = w.nowhere ? packet : lull_cff_memory(c, packet.address, p.count + 1);
            packet = packet.n > 0 ? packet : lull_cff_part(w, at, n);
        }
        if (p.type == LULL_APKT_WRITE) {
            write(c, packet, p.what, level);
        } else {
            op(c, packet, p.what, level);
        }
        at += n;
        if (p.count + 1 > n) {
            lull_cff_say(c, 0, "**** this ain't right!! dwords_left=%d\n",
                         (int)(n - (p.count + 1)));
        }
        (void)lull_cff_work(c, packet.n * 8ull);
    }
}

void lull_cff_commands(struct lull_cff *c, struct lull_cff_words w, unsigned level)
{
    for (unsigned i = 0; i < c->depth && !w.nowhere; i++) {
        if (c->ib_base[i] == w.address && w.n > 0) {
            fprintf(c->log, "0x%" PRIx64 ": an indirect buffer that calls itself\n", w.address);
            return;
        }
    }
    if (c->depth == LULL_CFF_DEPTH) {
        fprintf(c->log, "0x%" PRIx64 ": indirect buffers are nested more than %d deep\n", w.address,
                LULL_CFF_DEPTH);
        return;
    }
    c->ib_size[c->depth] = w.n;
    c->ib_base[c->depth++] = w.nowhere ? 0 : w.address;
    c->draws_in[c->depth] = 0;
    lull_cff_inline(c, w, level);
    c->depth--;
}
