// SPDX-License-Identifier: MIT
// Command streams to functions: packets by name, with what their dwords say as comments.
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "adreno/decompile/priv.h"
#include "adreno/rdgen/rdgen.h"
#include "cmd/adreno_pm4.h"
#include "hw/adreno_doms.h"
#include "isa/ir3/ir3.h"

enum { DEEPEST = LULL_RDGEN_DEEPEST - 4, MOST_WORDS = 64, ROW = 6, TEXT_LEAST = 4, FIRST_WIDE = 5 };

static const uint64_t ir3_end_search = 1 << 16; // instructions

/** What a dword of a packet is. */
struct role {
    enum { NUMBER, LOW, HIGH, DWORDS } what;
    const struct lull_dc_piece *piece;
    uint32_t rest; ///< DWORDS: bits beside the number.
};

struct body {
    struct lull_dc *d;
    struct lull_dc_piece *piece;
    unsigned depth;
    struct lull_dc_statements to;
    struct role *roles;               ///< Of the payload of the packet that is being written.
    const struct lull_dc_piece *half; ///< The last packet wrote the lower half of its address,
    uint32_t half_reg;                ///< and this is the register of the upper half.
};

/** A packet that comes out again as it is. */
struct packet {
    struct lull_apkt is;
    const uint8_t *payload;
    uint32_t left; ///< Dwords behind it.
};

static uint32_t header_of(unsigned gen, const struct lull_apkt *p)
{
    switch (p->type) {
    case LULL_APKT_WRITE:
        return gen < FIRST_WIDE ? lull_apkt_old_write_header(p->what, p->count)
                                : lull_apkt_write_header(p->what, p->count);
    case LULL_APKT_OP:
        return gen < FIRST_WIDE ? lull_apkt_old_op_header(p->what, p->count)
                                : lull_apkt_op_header(p->what, p->count);
    case LULL_APKT_NOP:
        return lull_apkt_old_nop_header();
    case LULL_APKT_BAD:
    default:
        return 0;
    }
}

/** The packet at dword @p at; false: words that are kept as they are. */
static bool packet_at(const struct body *b, const uint8_t *bytes, uint32_t at, struct packet *ret)
{
    const unsigned gen = b->d->gen;
    const uint32_t header = lull_dc_word(bytes, at);
    ret->is = lull_apkt_header(gen, header);
    ret->payload = bytes + (at + 1) * UINT64_C(4);
    ret->left =
        ret->is.count < b->piece->dwords - at ? b->piece->dwords - at - 1 - ret->is.count : 0;
    return ret->is.type != LULL_APKT_BAD && header_of(gen, &ret->is) == header &&
           (ret->is.type != LULL_APKT_WRITE || ret->is.count != 0) &&
           ret->is.count < b->piece->dwords - at;
}

static void is_named(struct body *b, const struct lull_dc_piece *to)
{
    b->piece->height = to->height + 1 > b->piece->height ? to->height + 1 : b->piece->height;
}

/** An address whose halves two packets write. */
static void find_half(struct body *b, const struct packet *p)
{
    const struct lull_dc_piece *other = b->half_reg == p->is.what ? b->half : NULL;
    b->half = NULL;
    if (p->is.type != LULL_APKT_WRITE || p->is.count != 1 || b->d->gen < FIRST_WIDE) {
        return;
    }
    if (other != NULL) {
        b->roles[0] = (struct role){.what = HIGH, .piece = other};
        return;
    }
    const uint8_t *next = p->payload + 4;
    if (p->left >= 2 && lull_dc_word(next, 0) == lull_apkt_write_header(p->is.what + 1, 1)) {
        const uint64_t address = lull_dc_word(p->payload, 0) | (uint64_t)lull_dc_word(next, 1)
                                                                   << 32;
        b->half = lull_dc_piece_at(b->d, b->piece->group, address, 0, b->depth + 1);
        b->half_reg = p->is.what + 1;
    }
    if (b->half != NULL) {
        is_named(b, b->half);
        b->roles[0] = (struct role){.what = LOW, .piece = b->half};
    }
}

static bool begins(const char *name, const char *with)
{
    return name != NULL && strncmp(name, with, strlen(with)) == 0;
}

/** Which dwords of the packet are addresses of pieces, and their sizes. */
static void find_roles(struct body *b, const struct packet *p)
{
    const bool wide = b->d->gen >= FIRST_WIDE;
    const char *name = p->is.type == LULL_APKT_OP ? b->d->names->ops[p->is.what] : NULL;
    const bool call = begins(name, "CP_INDIRECT_BUFFER") || begins(name, "CP_SET_AMBLE");
    const bool group = begins(name, "CP_SET_DRAW_STATE");
    memset(b->roles, 0, (p->is.count + 1) * sizeof b->roles[0]);
    for (uint32_t i = 0; i + wide < p->is.count && !begins(name, "CP_NOP"); i++) {
        const uint32_t low = lull_dc_word(p->payload, i);
        const uint64_t address = wide ? low | (uint64_t)lull_dc_word(p->payload, i + 1) << 32 : low;
        const uint32_t after = i + 1 + wide;
        const uint32_t at = call ? after : group && i != 0 ? i - 1 : p->is.count;
        const uint32_t size = at < p->is.count ? lull_dc_word(p->payload, at) : 0;
        const uint32_t mask = call ? 0xfffff : 0xffff;
        const struct lull_dc_piece *to =
            lull_dc_piece_at(b->d, b->piece->group, address, size & mask, b->depth + 1);
        if (to == NULL || b->roles[i].what != NUMBER) {
            continue;
        }
        is_named(b, to);
        b->roles[i] = (struct role){.what = LOW, .piece = to};
        if (wide) {
            b->roles[i + 1] = (struct role){.what = HIGH, .piece = to};
        }
        if (at < p->is.count && (size & mask) == to->dwords && b->roles[at].what == NUMBER) {
            b->roles[at] = (struct role){.what = DWORDS, .piece = to, .rest = size & ~mask};
        }
    }
    find_half(b, p);
}

/** Dword @p i, or two that are an address. @return How many. */
static uint32_t put_word(const struct body *b, const struct packet *p, uint32_t i, bool pair,
                         struct lull_str *out)
{
    const struct role *r = &b->roles[i];
    const uint32_t word = lull_dc_word(p->payload, i);
    switch (r->what) {
    case LOW:
        pair = i + 1 < p->is.count && r[1].what == HIGH && r[1].piece == r->piece;
        lull_str_addf(out, "%s(%s)", pair ? "AT" : "LO", r->piece->name);
        break;
    case HIGH:
        lull_str_addf(out, "HI(%s)", r->piece->name);
        pair = false;
        break;
    case DWORDS:
        lull_str_addf(out, "SIZE(%s)", r->piece->name);
        if (r->rest != 0) {
            lull_str_addf(out, " | 0x%08" PRIx32, r->rest);
        }
        pair = false;
        break;
    case NUMBER:
    default:
        pair = pair && r[1].what == NUMBER;
        lull_str_addf(out, "0x%08" PRIx32, word);
        if (pair) {
            lull_str_addf(out, ", 0x%08" PRIx32, lull_dc_word(p->payload, i + 1));
        }
        break;
    }
    return pair ? 2 : 1;
}

/** Does @p text say no more than a number in hexadecimal? */
static bool is_plain(const char *text)
{
    const char *digits = strncmp(text, "0x", 2) == 0 ? text + 2 : text;
    return (digits != text || strlen(text) == 8 || strcmp(text, "0") == 0) &&
           digits[strspn(digits, "0123456789abcdef")] == '\0';
}

/** What dword @p i of @p p says, for a comment; nothing if it says no more than the number.
 * @return True: it and the next one are one register. */
static bool say(const struct body *b, const struct packet *p, uint32_t i,
                struct lull_dom_state *state, bool named, struct lull_str *out)
{
    const struct lull_dc_names *names = b->d->names;
    const bool reg = p->is.type == LULL_APKT_WRITE;
    const struct lull_dom *dom = reg ? NULL : names->op_doms[p->is.what];
    const struct lull_dom_hit hit = reg           ? lull_dom_lookup(names->index, p->is.what + i)
                                    : dom != NULL ? lull_dom_at(&lull_dom_adreno, state, dom, i)
                                                  : (struct lull_dom_hit){0};
    struct lull_str value = {0};
    if (hit.reg == NULL) {
        return false;
    }
    const bool wide = hit.reg->width == 64 && hit.dword == 0 && i + 1 < p->is.count;
    const uint64_t v =
        lull_dc_word(p->payload, i) | (wide ? (uint64_t)lull_dc_word(p->payload, i + 1) << 32 : 0);
    if (hit.dword == 0) {
        lull_dom_show(&lull_dom_adreno, state, hit.reg, v, &value);
    }
    const char *text = lull_str_text(&value);
    const bool plain = *text == '\0' || (!wide && is_plain(text));
    if (named && !(dom != NULL && hit.reg->name[0] >= '0' && hit.reg->name[0] <= '9')) {
        lull_dom_name(&hit, out);
        lull_str_addf(out, "%s", plain ? "" : " = ");
    }
    if (!plain) {
        lull_str_add(out, text, value.size);
    }
    out->err = out->err != NULL ? out->err : value.err;
    lull_str_free(&value);
    return wide;
}

/** Text of a driver in a packet that does nothing. */
static bool say_text(const struct packet *p, struct lull_str *out)
{
    const size_t most = p->is.count * UINT64_C(4);
    size_t n = 0;
    while (n < most && isprint(p->payload[n]) != 0) {
        n++;
    }
    if (n < TEXT_LEAST || (n < most && p->payload[n] != '\0')) {
        return false;
    }
    for (size_t i = 0; i < n; i++) { // a backslash would go on with the comment
        lull_str_addf(out, "%c", p->payload[i] == '\\' ? '/' : p->payload[i]);
    }
    return true;
}

/** The dwords of a packet of several: those with a comment on lines of their own. */
static void put_rows(const struct body *b, const struct packet *p, struct lull_str *out)
{
    struct lull_dom_state state = {.chip = b->d->gen};
    unsigned column = 0;
    for (uint32_t i = 0; i < p->is.count;) {
        struct lull_str comment = {0};
        const bool pair = say(b, p, i, &state, true, &comment);
        if (comment.size != 0 || column == 0) {
            lull_str_addf(out, "\n        ");
            column = 0;
        } else {
            lull_str_addf(out, " ");
        }
        i += put_word(b, p, i, pair, out);
        lull_str_addf(out, i == p->is.count ? ");" : ",");
        column = comment.size != 0 || column + 1 == ROW ? 0 : column + 1;
        if (comment.size != 0) {
            lull_str_addf(out, " // %s", lull_str_text(&comment));
        }
        out->err = out->err != NULL ? out->err : comment.err;
        lull_str_free(&comment);
    }
    lull_str_addf(out, "\n");
}

static void put_name(const struct body *b, const struct packet *p, struct lull_str *out)
{
    const struct lull_dc_names *names = b->d->names;
    const bool old = names->gen < FIRST_WIDE;
    if (p->is.type == LULL_APKT_WRITE) {
        lull_str_addf(out, "    %s(g, ", old ? "pkt0" : "pkt4");
        lull_dc_reg_in_c(names, p->is.what, out);
    } else if (names->op_macros[p->is.what] != NULL) {
        lull_str_addf(out, "    %s(g, %s", old ? "pkt3" : "pkt7", names->op_macros[p->is.what]);
    } else {
        lull_str_addf(out, "    %s(g, 0x%02" PRIx32, old ? "pkt3" : "pkt7", p->is.what);
    }
}

static void put_packet(struct body *b, const struct packet *p)
{
    struct lull_str text = {0}, comment = {0};
    struct lull_dc_statement as = {0};
    if (p->is.type == LULL_APKT_NOP) {
        lull_str_addf(&text, "    pkt2(g);\n");
        lull_dc_add(&b->to, &text, &as);
        return;
    }
    find_roles(b, p);
    put_name(b, p, &text);
    const bool nop = p->is.type == LULL_APKT_OP && begins(b->d->names->ops[p->is.what], "CP_NOP");
    if (p->is.count > 1) {
        lull_str_addf(&text, ",");
        if (nop && say_text(p, &comment)) {
            lull_str_addf(&text, " // %s", lull_str_text(&comment));
        }
        put_rows(b, p, &text);
    } else {
        struct lull_dom_state state = {.chip = b->d->gen};
        if (p->is.count == 1) {
            lull_str_addf(&text, ", ");
            (void)put_word(b, p, 0, false, &text);
            (void)say(b, p, 0, &state, p->is.type == LULL_APKT_OP, &comment);
        }
        lull_str_addf(&text, comment.size != 0 ? "); // %s\n" : ");\n", lull_str_text(&comment));
        as.plain = p->is.type == LULL_APKT_WRITE && b->roles[0].what == NUMBER;
        as.reg = p->is.what;
        as.value = as.plain ? lull_dc_word(p->payload, 0) : 0;
    }
    text.err = text.err != NULL ? text.err : comment.err;
    lull_str_free(&comment);
    lull_dc_add(&b->to, &text, &as);
}

/** Words that are not a packet, or not one that would come out as it is. */
static void put_words(struct body *b, const uint8_t *bytes, uint32_t from, uint32_t n)
{
    while (n != 0) {
        const uint32_t now = n < MOST_WORDS ? n : MOST_WORDS;
        struct lull_str text = {0};
        lull_str_addf(&text, "    words(g,");
        for (uint32_t i = 0; i < now; i++) {
            lull_str_addf(&text, "%s0x%08" PRIx32 "%s", i % ROW == 0 ? "\n        " : " ",
                          lull_dc_word(bytes, from + i), i + 1 < now ? "," : "");
        }
        lull_str_addf(&text, "); // not a packet\n");
        lull_dc_add(&b->to, &text, &(struct lull_dc_statement){0});
        from += now;
        n -= now;
    }
}

/** The body of the function of @p p, whose height is set. */
static void put_body(struct lull_dc *d, struct lull_dc_piece *p, unsigned depth,
                     struct lull_str *out)
{
    const uint8_t *bytes = lull_dc_bytes(d, p);
    struct body b = {.d = d, .piece = p, .depth = depth};
    uint32_t bad = 0, at = 0;
    b.roles = calloc(p->dwords + 1, sizeof b.roles[0]);
    if (b.roles == NULL) {
        lull_dc_fail(d, &lull_enomem);
        return;
    }
    while (at < p->dwords && d->err == NULL && b.to.err == NULL) {
        struct packet packet = {0};
        if (!packet_at(&b, bytes, at, &packet)) {
            bad++;
            at++;
            continue;
        }
        put_words(&b, bytes, at - bad, bad);
        bad = 0;
        put_packet(&b, &packet);
        at += packet.is.count + 1;
    }
    put_words(&b, bytes, at - bad, bad);
    if (p->dwords == 0) {
        lull_str_addf(out, "    (void)g;\n");
    }
    lull_dc_write(&b.to, d->names, out);
    if (b.to.err != NULL) {
        lull_dc_fail(d, b.to.err);
    }
    lull_dc_statements_done(&b.to);
    free(b.roles);
}

/** The text of the shader @p p; false: it does not come out as it was. */
static bool put_shader(struct lull_dc *d, const struct lull_dc_piece *p, struct lull_str *out)
{
    const uint8_t *bytes = lull_dc_bytes(d, p);
    const size_t n = p->dwords / 2;
    const struct lull_ir3_options how = {.gen = d->gen * 100 + 30};
    struct lull_ir3_shaders again = {0};
    uint64_t *code = n != 0 && n < ir3_end_search ? calloc(n, sizeof *code) : NULL;
    if (code == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        code[i] = lull_dc_word(bytes, 2 * i) | (uint64_t)lull_dc_word(bytes, 2 * i + 1) << 32;
    }
    lull_ir3_disasm(code, n, &how, out);
    struct lull_error *err =
        out->err != NULL ? NULL : lull_ir3_assemble(lull_str_text(out), how.gen, &again);
    const bool same = out->err == NULL && err == NULL && again.n == 1 && again.all[0].n == n &&
                      memcmp(again.all[0].words, code, n * sizeof *code) == 0;
    lull_error_free(err);
    lull_ir3_shaders_done(&again);
    free(code);
    return same;
}

/** The contents that count at the address of @p p; false: they have not all of it. */
static bool locate(struct lull_dc *d, struct lull_dc_piece *p)
{
    for (size_t i = d->nsections; i-- > 0 && d->sections[i].group >= p->group;) {
        const struct lull_dc_section *s = &d->sections[i];
        if (s->group == p->group && s->buffer && p->address >= s->address &&
            p->address - s->address < s->size) {
            p->section = i;
            return p->dwords * UINT64_C(4) <= s->size - (p->address - s->address);
        }
    }
    return false;
}

/** Name @p text, which is a function or a shader, and add it, if it is not there yet. */
static void add_text(struct lull_dc *d, struct lull_dc_piece *p, const struct lull_str *text)
{
    const uint64_t hash = lull_dc_hash(p->address, lull_str_text(text), text->size);
    unsigned same = 0;
    for (size_t i = 0; i < d->ntexts; i++) {
        const struct lull_dc_text *t = &d->texts[i];
        if (t->hash == hash && t->address == p->address && t->dwords == p->dwords &&
            t->size == text->size && t->shader == p->shader &&
            memcmp(d->code.text + t->at, text->text, t->size) == 0) {
            memcpy(p->name, t->name, sizeof p->name);
            return;
        }
        same += t->address == p->address && t->shader == p->shader;
    }
    struct lull_str name = {0};
    lull_str_addf(&name, "%s_%" PRIx64, p->kind, p->address);
    if (same != 0) {
        lull_str_addf(&name, "_%u", same + 1);
    }
    memcpy(p->name, lull_str_text(&name), name.size < sizeof p->name ? name.size : 0);
    lull_str_free(&name);
    if (!p->shader) {
        lull_str_addf(&d->code, "static void put_%s(struct lull_rdgen *g)\n{\n", p->name);
    } else {
        lull_str_addf(&d->code, "static const char text_%s[] =\n        \"", p->name);
    }
    const size_t at = d->code.size;
    lull_str_add(&d->code, lull_str_text(text), text->size);
    lull_str_addf(&d->code,
                  "%sstatic const struct lull_rdgen_piece %s = {\n"
                  "    .name = \"%s\", .address = 0x%" PRIx64 ", .dwords = %" PRIu32
                  ", .%s_%s};\n\n",
                  p->shader ? "\";\n" : "}\n", p->name, p->name, p->address, p->dwords,
                  p->shader ? "ir3 = text" : "commands = put", p->name);
    if (lull_dc_grow(d, &d->texts, d->ntexts, &d->texts_room, sizeof d->texts[0])) {
        struct lull_dc_text *t = &d->texts[d->ntexts++];
        *t = (struct lull_dc_text){.hash = hash,
                                   .address = p->address,
                                   .dwords = p->dwords,
                                   .shader = p->shader,
                                   .at = at,
                                   .size = text->size};
        memcpy(t->name, p->name, sizeof t->name);
    }
}

static void write_piece(struct lull_dc *d, struct lull_dc_piece *p, unsigned depth)
{
    struct lull_str text = {0}, quoted = {0};
    p->state = LULL_DC_BUSY;
    if (!locate(d, p)) {
        p->state = LULL_DC_DONE;
        return;
    }
    p->written = true;
    if (!p->shader) {
        put_body(d, p, depth, &text);
    } else {
        p->written = put_shader(d, p, &text);
        lull_dc_quote(lull_str_text(&text), text.size, &quoted);
    }
    if (d->err == NULL && p->written) {
        add_text(d, p, p->shader ? &quoted : &text);
    }
    if (text.err != NULL || quoted.err != NULL) {
        lull_dc_fail(d, &lull_enomem);
    }
    lull_str_free(&text);
    lull_str_free(&quoted);
    p->state = LULL_DC_DONE;
}

/** Of the pieces at @p address the one with @p dwords dwords, or else the first. */
static struct lull_dc_piece *search(struct lull_dc *d, size_t group, uint64_t address,
                                    uint32_t dwords)
{
    size_t low = 0, high = d->npieces;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const struct lull_dc_piece *p = &d->pieces[mid];
        if (p->group < group || (p->group == group && p->address < address)) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    struct lull_dc_piece *first = NULL;
    for (; low < d->npieces && d->pieces[low].group == group && d->pieces[low].address == address;
         low++) {
        first = first != NULL ? first : &d->pieces[low];
        if (d->pieces[low].dwords == dwords && !d->pieces[low].shader) {
            return &d->pieces[low];
        }
    }
    return first;
}

const struct lull_dc_piece *lull_dc_piece_at(struct lull_dc *d, size_t group, uint64_t address,
                                             uint32_t dwords, unsigned depth)
{
    struct lull_dc_piece *p = address != 0 ? search(d, group, address, dwords) : NULL;
    if (p == NULL || p->state == LULL_DC_BUSY || d->err != NULL || depth > DEEPEST) {
        return NULL;
    }
    if (p->state == LULL_DC_FOUND) {
        write_piece(d, p, depth);
    }
    return p->written && depth + p->height <= DEEPEST ? p : NULL;
}
